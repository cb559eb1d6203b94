/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sentences about an application, by the rules of share/rules: each asks a
 * measure of the application, its queries or its executors, and says its
 * heaviest case.  At most five, heaviest first.
 */
#include "batch_html.h"
#include "batch_rules.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FINDINGS = 5, MAX_RULES = 64 };

#define MIN_SLOW_SIGMA 6

/* What a rule is told of a case. */
struct facts {
	const struct batch_rule *rule;
	double value;		/* compared with the rule's limit */
	double us;		/* that it concerns */
	double share, others, sigma, count, bytes;
	const char *query, *executor, *host, *frame;
	const cJSON *stage;	/* to be looked at, or NULL */
};

static double ratio(double part, double all)
{
	return all > 0 ? part / all : 0;
}

/* Measures ------------------------------------------------------------- */

/* Of all stages of a query. */
static double sum_of(const cJSON *query, const char *key)
{
	const cJSON *stage;
	double sum = 0;

	cJSON_ArrayForEach(stage, batch_list(query, "stages"))
		sum += batch_number(stage, key);
	return sum;
}

static double operator_cost(const cJSON *stage, const char *name)
{
	const cJSON *row;

	cJSON_ArrayForEach(row, batch_list(stage, "operators"))
		if (strcmp(batch_text(row, "name"), name) == 0)
			return batch_number(row, "cost_us");
	return 0;
}

static double measure_of(const cJSON *stage, const struct batch_rule *rule)
{
	static const struct {
		const char *measure, *key;
	} keys[] = {
		{ "gc", "gc_us" }, { "wait", "fetch_wait_us" },
		{ "spill", "disk_spill_bytes" }, { "failed", "failed" },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (strcmp(rule->measure, keys[i].measure) == 0)
			return batch_number(stage, keys[i].key);
	return operator_cost(stage, rule->operator ? rule->operator : "");
}

static void ask_query(const cJSON *query, const struct batch_rule *rule,
		      struct facts *f)
{
	double cost = batch_number(query, "cost_us"), sum = 0, most = 0;
	bool bytes = strcmp(rule->measure, "spill") == 0;
	bool tasks = strcmp(rule->measure, "failed") == 0;
	const cJSON *stage;

	cJSON_ArrayForEach(stage, batch_list(query, "stages")) {
		double n = measure_of(stage, rule);

		sum += n;
		if (n > most) {
			most = n;
			f->stage = stage;
		}
	}
	f->query = batch_text(query, "name");
	f->bytes = f->count = sum;
	f->share = ratio(sum, cost);
	f->value = bytes ? sum : tasks ? ratio(sum, sum_of(query, "tasks")) :
					 f->share;
	f->us = bytes ? cost : tasks ? cost * f->value : sum;
}

static void ask_app(const cJSON *app, const struct batch_rule *rule,
		    struct facts *f)
{
	char key[32];

	snprintf(key, sizeof(key), "%s_us", rule->measure);
	f->us = batch_number(app, key);
	f->value = f->share = ratio(f->us, batch_number(app, "paid_us"));
}

static void ask_executor(const cJSON *e, struct facts *f)
{
	double took = batch_number(e, "took_us");
	double expected = batch_number(e, "expected_us");

	f->executor = batch_text(e, "id");
	f->host = batch_text(e, "host");
	f->sigma = batch_number(e, "sigma");
	f->value = f->sigma < MIN_SLOW_SIGMA ? 0 : ratio(took, expected);
	f->count = ratio(took, expected);
	f->us = took - expected;
}

static void ask_sick(const cJSON *app, const cJSON *sick, struct facts *f)
{
	const cJSON *e;

	f->executor = batch_text(sick, "executor");
	f->host = batch_text(sick, "host");
	f->frame = batch_text(sick, "frame");
	f->share = batch_number(sick, "share");
	f->others = batch_number(sick, "others");
	f->sigma = batch_number(sick, "sigma");
	f->value = f->share - f->others;
	cJSON_ArrayForEach(e, batch_list(app, "executors"))
		if (strcmp(batch_text(e, "id"), f->executor) == 0)
			f->us = f->value * (batch_number(e, "paid_us") -
					    batch_number(e, "idle_us"));
}

/* Rules ---------------------------------------------------------------- */

static void keep(struct facts *best, const struct facts *f, double paid)
{
	if (f->value < f->rule->over || f->us < f->rule->least * paid ||
	    f->us <= best->us)
		return;
	*best = *f;
}

/* The heaviest case of a rule; us is 0 if there is none. */
static struct facts ask(const cJSON *app, const struct batch_rule *rule)
{
	bool sick = strcmp(rule->measure, "frame") == 0;
	const char *list = strcmp(rule->of, "query") == 0 ? "queries" :
			   sick ? "sick" : "executors";
	double paid = batch_number(app, "paid_us");
	struct facts best = { .rule = rule };
	const cJSON *item;

	if (strcmp(rule->of, "app") == 0) {
		struct facts f = { .rule = rule };

		ask_app(app, rule, &f);
		keep(&best, &f, paid);
		return best;
	}
	cJSON_ArrayForEach(item, batch_list(app, list)) {
		struct facts f = { .rule = rule };

		if (*list == 'q')
			ask_query(item, rule, &f);
		else if (sick)
			ask_sick(app, item, &f);
		else
			ask_executor(item, &f);
		keep(&best, &f, paid);
	}
	return best;
}

/* Sentences ------------------------------------------------------------ */

static void put_size(FILE *to, double bytes)
{
	if (bytes >= 1e12)
		fprintf(to, "%.1f TB", bytes / 1e12);
	else if (bytes >= 1e9)
		fprintf(to, "%.1f GB", bytes / 1e9);
	else
		fprintf(to, "%.0f MB", bytes / 1e6);
}

static void put_cost(FILE *to, const cJSON *app, double us)
{
	struct batch_unit unit = batch_unit_of(app);

	fprintf(to, "%.*f %s", unit.digits, us / unit.us, unit.name);
}

/* Class.method, with dots. */
static void put_frame(FILE *to, const char *name)
{
	for (; *name; name++)
		putc(*name == '/' ? '.' : *name, to);
}

static void put_query(FILE *to, const char *query)
{
	if (strcmp(query, "[no query]") == 0)
		query = "Stages without a query";
	fprintf(to, "%.80s%s", query, strlen(query) > 80 ? "..." : "");
}

static void put_word(FILE *to, const cJSON *app, const struct facts *f,
		     const char *word, size_t n)
{
	char name[16] = "";

	if (n < sizeof(name))
		memcpy(name, word, n);
	if (strcmp(name, "share") == 0)
		fprintf(to, "%.0f %%", 100 * f->share);
	else if (strcmp(name, "others") == 0)
		fprintf(to, "%.1f %%", 100 * f->others);
	else if (strcmp(name, "sigma") == 0)
		fprintf(to, "%.0f", f->sigma);
	else if (strcmp(name, "count") == 0)
		fprintf(to, "%.3g", f->count);
	else if (strcmp(name, "size") == 0)
		put_size(to, f->bytes);
	else if (strcmp(name, "cost") == 0)
		put_cost(to, app, f->us);
	else if (strcmp(name, "query") == 0)
		put_query(to, f->query);
	else if (strcmp(name, "stage") == 0)
		fprintf(to, "%.0f", batch_number(f->stage, "id"));
	else if (strcmp(name, "executor") == 0)
		fputs(f->executor, to);
	else if (strcmp(name, "host") == 0)
		fputs(f->host, to);
	else if (strcmp(name, "frame") == 0)
		put_frame(to, f->frame);
}

/* To be freed; NULL: out of memory. */
static char *fill(const cJSON *app, const struct facts *f, const char *text)
{
	char *filled = NULL;
	size_t size;
	FILE *to = open_memstream(&filled, &size);

	while (to && *text) {
		size_t n = *text == '{' ? strcspn(text, "}") : 0;

		if (n && text[n]) {
			put_word(to, app, f, text + 1, n - 1);
			text += n + 1;
		} else {
			putc(*text++, to);
		}
	}
	return to && fclose(to) == 0 ? filled : NULL;
}

static bool add_text(cJSON *finding, const char *key, char *text)
{
	bool good = text && batch_add_text(finding, key, text);

	free(text);
	return good;
}

/* What shows it: a page, and a command, whose LOG and inputs are the job's. */
static bool add_proof(const struct batch *batch, const cJSON *app,
		      const struct facts *f, cJSON *finding)
{
	static const char top[] =
		"flame-top --event cost --by operator --spark-events LOG "
		"PROFILES";
	const struct batch_group *page = !f->stage ? NULL :
		batch_page_of(batch, batch_text(app, "id"), f->stage);
	char command[160];

	snprintf(command, sizeof(command), "%s", top);
	if (f->stage)
		snprintf(command, sizeof(command), "%s --label stage=%.0f",
			 top, batch_number(f->stage, "id"));
	else if (f->executor)
		snprintf(command, sizeof(command), "%s --label executor=%.40s",
			 top, f->executor);
	return (!page || batch_add_text(finding, "page",
					batch_text(page->record, "page"))) &&
	       batch_add_text(finding, "command", command);
}

static bool add(const struct batch *batch, const cJSON *app,
		const struct facts *f, cJSON *findings)
{
	cJSON *finding = cJSON_CreateObject();

	return finding && cJSON_AddItemToArray(findings, finding) &&
	       add_text(finding, "text", fill(app, f, f->rule->say)) &&
	       add_text(finding, "try", fill(app, f, f->rule->try)) &&
	       add_proof(batch, app, f, finding);
}

static int by_weight(const void *a, const void *b)
{
	const struct facts *x = a, *y = b;

	if (x->us != y->us)
		return x->us < y->us ? 1 : -1;
	return (x->rule > y->rule) - (x->rule < y->rule);
}

cJSON *batch_find(const struct batch *batch, const cJSON *app)
{
	struct facts found[MAX_RULES];
	cJSON *findings = cJSON_CreateArray();
	bool good = findings;
	size_t n = 0;

	for (size_t i = 0; batch_rules[i].of && n < MAX_RULES; i++) {
		found[n] = ask(app, &batch_rules[i]);
		n += found[n].us > 0;
	}
	qsort(found, n, sizeof(*found), by_weight);
	for (size_t i = 0; good && i < n && i < MAX_FINDINGS; i++)
		good = add(batch, app, &found[i], findings);
	if (good)
		return findings;
	cJSON_Delete(findings);
	return NULL;
}
