/* SPDX-License-Identifier: Apache-2.0 */
/*
 * batch_digest() makes the text of SITE/data/summary.md from batch->apps: the
 * report for mail and chat, findings first, each with the page or the command
 * that shows it.  It has 4 kB at most: later rows and applications are counted,
 * not listed.  Called by summary.c.
 */
#include "report/html.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DIGEST = 4096, TAIL = 200, MAX_NAME = 70 };

/* Text that ends before it is too long. */
struct digest {
	char text[MAX_DIGEST];
	size_t size;
};

/* Adds a line, all of it or nothing; false: there is no room. */
static bool add(struct digest *d, size_t tail, const char *line)
{
	size_t n = strlen(line);

	if (d->size + n + tail >= sizeof(d->text))
		return false;
	memcpy(d->text + d->size, line, n + 1);
	d->size += n;
	return true;
}

static void put_markdown(FILE *to, const char *text, bool code)
{
	char *markdown = cli_markdown(text, code);

	fputs(markdown ? markdown : "?", to);
	free(markdown);
}

/* The beginning of a long name. */
static void put_name(FILE *to, const char *name)
{
	char text[MAX_NAME + 1];
	size_t n = strlen(name);

	if (n > MAX_NAME)
		for (n = MAX_NAME; ((unsigned char)name[n] & 0xc0) == 0x80;)
			n--;
	snprintf(text, sizeof(text), "%.*s", (int)n, name);
	put_markdown(to, text, false);
	fputs(name[n] ? "..." : "", to);
}

static void put_head(FILE *to, const struct batch *batch, const cJSON *app)
{
	struct batch_unit unit = batch_unit_of(app);
	struct batch_unit money = batch_money_of(batch, app);
	double paid = batch_number(app, "paid_us");
	const char *id = *batch_text(app, "id") ? batch_text(app, "id") :
						  "Unknown application";
	const char *before = ":";
	int executors = cJSON_GetArraySize(batch_list(app, "executors"));
	char when[64], covered[320], profile[320], *sooner = batch_sooner(app);

	batch_when(app, when, sizeof(when));
	fputs("# ", to);
	put_name(to, *batch_text(app, "name") ? batch_text(app, "name") : id);
	fputs("\n\n", to);
	put_name(to, id);
	if (*when)
		fprintf(to, ", %s, %.1f s", when, (batch_number(app, "ended") -
			batch_number(app, "started")) / 1000);
	if (*batch_text(app, "spark")) {
		fputs(", Spark ", to);
		put_name(to, batch_text(app, "spark"));
	}
	fprintf(to, ", %d executor%s.\n", executors,
		executors == 1 ? "" : "s");
	fprintf(to, "%.*f %s paid", unit.digits, paid / unit.us, unit.name);
	if (money.us > 0)
		fprintf(to, " (%.*f at %.10g an hour of a core)", money.digits,
			paid / money.us, batch->price);
	for (size_t i = 0; batch_part_at(i); i++) {
		if (!(batch_part_us(app, i) > 0))
			continue;
		fprintf(to, "%s %s %.1f %%", before, batch_part_at(i)->name,
			100 * batch_part_us(app, i) / paid);
		if (strcmp(batch_part_at(i)->key, "wait") == 0 &&
		    batch_ready_us(app) > 0)
			fprintf(to, " (for a CPU %.1f %%)",
				100 * batch_ready_us(app) / paid);
		before = ",";
	}
	batch_describe_coverage(batch, app, covered, sizeof(covered));
	batch_describe_profile(app, profile, sizeof(profile));
	fprintf(to, ".\n%s.%s\n", covered, profile);
	if (sooner) {
		fputs("Sooner: ", to);
		put_markdown(to, sooner, false);
		fputs(".\n", to);
	}
	putc('\n', to);
	free(sooner);
}

/* Its page and its command, as far as there are any. */
static void put_finding(FILE *to, const cJSON *finding)
{
	const char *page = batch_text(finding, "page");
	const char *command = batch_text(finding, "command");

	fputs("- ", to);
	put_markdown(to, batch_text(finding, "text"), false);
	fputs(*page || *command ? " See " : "", to);
	put_markdown(to, page, false);
	if (*command) {
		fputs(*page ? ", `" : "`", to);
		put_markdown(to, command, true);
		putc('`', to);
	}
	fputs(*page || *command ? ".\n" : "\n", to);
}

static const cJSON *heaviest_stage(const cJSON *query)
{
	return cJSON_GetArrayItem(batch_list(query, "stages"), 0);
}

/* Of what the samples show. */
static void put_most(FILE *to, const cJSON *query)
{
	double shown = batch_number(query, "shown_us");

	if (!(shown > 0)) {
		fputs("no samples", to);
		return;
	}
	put_name(to, batch_short_name(batch_text(query, "frame")));
	fprintf(to, " %.0f %%", 100 * batch_number(query, "frame_us") / shown);
}

static void put_row(FILE *to, const struct batch *batch, const cJSON *app,
		    const cJSON *query)
{
	struct batch_unit unit = batch_unit_of(app);
	struct batch_unit money = batch_money_of(batch, app);
	double cost = batch_number(query, "cost_us");
	const char *name = batch_text(query, "name");
	const cJSON *stage = heaviest_stage(query);
	const struct batch_group *page = batch_page_of(
		batch, batch_text(app, "id"), stage);

	fprintf(to, "| %.*f | ", unit.digits, cost / unit.us);
	if (money.us > 0)
		fprintf(to, "%.*f | ", money.digits, cost / money.us);
	fprintf(to, "%.1f | ", 100 * cost / batch_number(app, "paid_us"));
	put_name(to, strcmp(name, "[no query]") == 0 ?
			     "(no query or description)" : name);
	fputs(" | ", to);
	put_most(to, query);
	fputs(" | ", to);
	put_markdown(to, page ? batch_text(page->record, "page") : "", false);
	fputs(" |\n", to);
}

/* Lines come from a function that prints one of them. */
struct line {
	char *text;
	size_t size;
	FILE *to;
};

static bool begin(struct line *line)
{
	line->text = NULL;
	line->to = open_memstream(&line->text, &line->size);
	return line->to;
}

/* Whether it was added. */
static bool end(struct line *line, struct digest *d, size_t tail)
{
	bool good = fclose(line->to) == 0 && add(d, tail, line->text);

	free(line->text);
	return good;
}

static void add_findings(struct digest *d, const cJSON *app)
{
	const cJSON *finding;
	struct line line;

	if (!cJSON_GetArraySize(batch_list(app, "findings"))) {
		add(d, TAIL, "Nothing stands out.\n\n");
		return;
	}
	cJSON_ArrayForEach(finding, batch_list(app, "findings")) {
		if (!begin(&line))
			return;
		put_finding(line.to, finding);
		end(&line, d, TAIL);
	}
	add(d, TAIL, "\n");
}

static void add_rows(struct digest *d, const struct batch *batch,
		     const cJSON *app)
{
	int left = cJSON_GetArraySize(batch_list(app, "queries"));
	bool fits = true, priced = batch_money_of(batch, app).us > 0;
	const cJSON *query;
	char text[128];
	struct line line;

	snprintf(text, sizeof(text), "| %s | %s%% | query | does most | "
		 "heaviest stage |\n|--:|--:|%s---|---|---|\n",
		 batch_unit_of(app).name, priced ? "price | " : "",
		 priced ? "--:|" : "");
	if (!left || !add(d, TAIL, text))
		return;
	cJSON_ArrayForEach(query, batch_list(app, "queries")) {
		if (!fits || !begin(&line))
			break;
		put_row(line.to, batch, app, query);
		fits = end(&line, d, TAIL);
		left -= fits;
	}
	snprintf(text, sizeof(text), left ? "\n%d more queries: index.html.\n\n" :
					    "\n", left);
	add(d, TAIL / 2, text);
}

char *batch_digest(const struct batch *batch)
{
	struct digest digest = { .size = 0 }, *d = &digest;
	int left = cJSON_GetArraySize(batch->apps);
	const cJSON *app;
	char text[64];
	struct line line;

	cJSON_ArrayForEach(app, batch->apps) {
		if (!begin(&line))
			break;
		put_head(line.to, batch, app);
		if (!end(&line, d, 2 * TAIL))
			break;
		add_findings(d, app);
		add_rows(d, batch, app);
		left--;
	}
	if (left) {
		snprintf(text, sizeof(text), "%d more applications: "
			 "index.html.\n", left);
		add(d, 0, text);
	}
	return strdup(d->text);
}
