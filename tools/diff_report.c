/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame-diff --runs: what changed, as a table, as JSON, as Markdown for a
 * comment, and the one line of --gate.
 */
#include "diff.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ROWS = 30, MAX_ROWS_MARKDOWN = 20, MAX_NAMED = 3 };

struct cell {
	char text[64];
};

static struct cell cell(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

static struct cell cell(const char *format, ...)
{
	struct cell c;
	va_list args;

	va_start(args, format);
	vsnprintf(c.text, sizeof(c.text), format, args);
	va_end(args);
	return c;
}

/* A ratio as a change, in percent. */
static struct cell percent_of(double ratio)
{
	return isinf(ratio) ? cell("any") : cell("%+.1f%%", ratio * 100 - 100);
}

static struct cell change_of(const struct flame_change *c)
{
	return c->mean[0] > 0 ? percent_of(c->mean[1] / c->mean[0]) :
	       c->mean[1] > 0 ? cell("new") : cell("0");
}

static bool is_bounded(const struct flame_change *c)
{
	return !isinf(c->high);
}

static struct cell interval_of(const struct flame_change *c)
{
	if (!is_bounded(c))
		return cell("-");
	return cell("%s to %s", percent_of(c->low).text,
		    percent_of(c->high).text);
}

static struct cell share_of(const struct diff_result *r,
			    const struct flame_change *c, unsigned side)
{
	const struct flame_change *all = flame_trials_all(r->trials);

	return cell("%.2f%%", all->mean[side] > 0 ?
				      100 * c->mean[side] / all->mean[side] :
				      0);
}

/* Counts have a digit behind the point, as they are means. */
static struct cell weight_of(const struct diff_result *r, double weight)
{
	weight *= r->scale;
	return cell(r->scale < 1 ? "%.3f" : "%.1f", weight);
}

static struct cell p_of(const struct flame_change *c)
{
	return cell("%.1g", c->p);
}

/* A frame's name that is safe to show, to be freed; NULL: out of memory. */
static char *name_of(const struct diff_result *r, const struct flame_change *c)
{
	size_t n;
	const char *text = flame_name_text(r->flame, c->name, &n);
	char *safe;

	if (!c->name) {
		text = "(all)";
		n = strlen(text);
	}
	safe = malloc(flame_visible(NULL, 0, text, n) + sizeof(" (self)"));
	if (!safe)
		return NULL;
	flame_visible(safe, flame_visible(NULL, 0, text, n) + 1, text, n);
	if (c->self)
		strcat(safe, " (self)");
	return safe;
}

static const struct flame_change *found_at(const struct diff_result *r,
					   size_t i)
{
	const struct flame_change *c = flame_trials_at(r->trials, i);

	return c && c->found && !c->explained ? c : NULL;
}

static size_t count_found(const struct diff_result *r)
{
	size_t n = 0;

	while (found_at(r, n))
		n++;
	return n;
}

static size_t count_tested(const struct diff_result *r)
{
	size_t n = 0;

	while (flame_trials_at(r->trials, n))
		n++;
	return n;
}

/* Of two runs on each side, or one, it is not known how much runs differ. */
static bool is_few(const struct diff_result *r)
{
	return r->runs[0] < 3 && r->runs[1] < 3;
}

/* The verdict ----------------------------------------------------------- */

struct text {
	char *at;
	size_t size;
	FILE *file;
};

/* Names of frames that grew by more than the limit, the first few. */
static void put_worse(FILE *out, const struct diff_result *r, double gate)
{
	const struct flame_change *c;
	size_t named = 0, more = 0;

	for (size_t i = 0; (c = found_at(r, i)); i++) {
		char *name;

		if (c->mean[1] <= c->mean[0] * (1 + gate))
			continue;
		if (named == MAX_NAMED) {
			more++;
			continue;
		}
		name = name_of(r, c);
		fprintf(out, "%s%s %s (%s)", named++ ? ", " : "worse: ",
			name ? name : "?", change_of(c).text,
			interval_of(c).text);
		free(name);
	}
	if (more)
		fprintf(out, ", and %zu more", more);
}

static void put_doubt(FILE *out, const struct diff_result *r, double gate)
{
	const struct flame_judgement *j = &r->judgement;
	char *name = j->doubt ? name_of(r, j->doubt) : NULL;

	if (is_few(r))
		fprintf(out, "cannot tell: how much runs differ by themselves "
			"is not known of so few; it takes 3 on each side, or "
			"more");
	else if (name && isinf(j->high))
		fprintf(out, "cannot tell: %s was not there before, and is "
			"too light to judge", name);
	else
		fprintf(out, "cannot tell: %s may have grown by up to %.1f%%, "
			"more than %g%%", name ? name : "?",
			j->high * 100 - 100, gate * 100);
	if (j->runs > 0)
		fprintf(out, "; %.0f runs on each side would do", j->runs);
	free(name);
}

static void put_within(FILE *out, const struct diff *diff)
{
	double percent = diff->gate * 100;

	if (diff->gated)
		fprintf(out, "within: no frame of %s grew by %g%%",
			diff->gated, percent);
	else
		fprintf(out, "within: no frame grew by %g%%, or by %g%% of "
			"all if it is light", percent, percent / 20);
}

char *diff_verdict(const struct cli *cli, const struct diff_result *result)
{
	const struct diff *diff = cli->own;
	struct text text = { 0 };

	text.file = open_memstream(&text.at, &text.size);
	if (!text.file) {
		cli_no_memory(cli);
		return NULL;
	}
	if (result->judgement.verdict == FLAME_WORSE)
		put_worse(text.file, result, diff->gate);
	else if (result->judgement.verdict == FLAME_UNSURE)
		put_doubt(text.file, result, diff->gate);
	else
		put_within(text.file, diff);
	if (fclose(text.file) == 0)
		return text.at;
	free(text.at);
	cli_no_memory(cli);
	return NULL;
}

/* Text ------------------------------------------------------------------ */

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

/* "10 runs before, 10 after: cpu, 3725.0 -> 3773.1 samples a run, +1.3%" */
static struct text summary_of(const struct diff_result *r)
{
	const struct flame_change *all = flame_trials_all(r->trials);
	struct text text = { 0 };

	text.file = open_memstream(&text.at, &text.size);
	if (!text.file)
		return text;
	fprintf(text.file, "%zu run%s before, %zu after: %s%s%s -> %s %s a "
		"run, %s", r->runs[0], plural(r->runs[0]), r->runs[1],
		r->metric ? r->metric : "", r->metric && *r->metric ? ", " : "",
		weight_of(r, all->mean[0]).text,
		weight_of(r, all->mean[1]).text, r->unit, change_of(all).text);
	if (is_bounded(all) && !is_few(r))
		fprintf(text.file, " (%s)", interval_of(all).text);
	if (fclose(text.file) != 0) {
		free(text.at);
		text.at = NULL;
	}
	return text;
}

/* What the table below it holds. */
static struct text heading_of(const struct diff_result *r)
{
	size_t n = count_found(r), tested = count_tested(r);
	struct text text = { 0 };

	text.file = open_memstream(&text.at, &text.size);
	if (!text.file)
		return text;
	if (is_few(r))
		fprintf(text.file, "How much runs differ by themselves is not "
			"known of so few: %s", n ?
			"these frames differ by more than chance makes of "
			"samples, and that may be all." :
			"no frame differs by more than chance makes of "
			"samples.");
	else if (n)
		fprintf(text.file, "%zu frame%s changed%s, of %zu compared; "
			"%g%% may be chance.", n, plural(n),
			r->scaling == FLAME_SHARES ? " by shares" :
			r->scaling == FLAME_RATES  ? " by rates" : "",
			tested, r->rate * 100);
	else
		fprintf(text.file, "No frame is known to have changed, of %zu "
			"compared.", tested);
	if (fclose(text.file) != 0) {
		free(text.at);
		text.at = NULL;
	}
	return text;
}

/* "By shares (-n): a +9.0%, b -2.1%, and 3 more." */
static struct text other_of(const struct diff_result *r)
{
	struct text text = { 0 };

	text.file = open_memstream(&text.at, &text.size);
	if (!text.file)
		return text;
	fprintf(text.file, "%s", r->scaling == FLAME_ABSOLUTE ?
		"By shares (-n): " : "By weight (without -n): ");
	for (size_t i = 0; i < r->nother && i < MAX_NAMED; i++) {
		char *name = name_of(r, &r->other[i]);

		fprintf(text.file, "%s%s %s", i ? ", " : "", name ? name : "?",
			change_of(&r->other[i]).text);
		free(name);
	}
	if (r->nother > MAX_NAMED)
		fprintf(text.file, ", and %zu more",
			r->nother - MAX_NAMED);
	fprintf(text.file, "%s", r->nother ? "." :
		"no frame is known to have changed.");
	if (fclose(text.file) != 0) {
		free(text.at);
		text.at = NULL;
	}
	return text;
}

/* Prints a text and frees it. */
static bool put_line(struct flame_text *out, struct text text,
		     const char *before, const char *after)
{
	bool good = text.at &&
		    flame_text_put(out, before, strlen(before)) == FLAME_OK &&
		    flame_text_put(out, text.at, strlen(text.at)) ==
			    FLAME_OK &&
		    flame_text_put(out, after, strlen(after)) == FLAME_OK;

	free(text.at);
	return good;
}

/* The same in Markdown. */
static bool put_paragraph(struct flame_text *out, struct text text,
			  const char *before, const char *after)
{
	struct text escaped = { .at = text.at ? cli_markdown(text.at, false) :
						NULL };

	free(text.at);
	return put_line(out, escaped, before, after);
}

static bool put_verdict(const struct cli *cli, const struct diff_result *r,
			struct flame_text *out, bool markdown)
{
	const struct diff *diff = cli->own;
	struct text text = { 0 };

	if (diff->gate <= 0)
		return true;
	text.at = diff_verdict(cli, r);
	return markdown ? put_paragraph(out, text, "**", "**\n\n") :
			  put_line(out, text, "", "\n");
}

static void put_row(struct cli_table *table, const struct diff_result *r,
		    const struct flame_change *c)
{
	char *name = name_of(r, c);

	cli_cell(table, "%s", weight_of(r, c->mean[0]).text);
	cli_cell(table, "%s", weight_of(r, c->mean[1]).text);
	cli_cell(table, "%s", change_of(c).text);
	cli_cell(table, "%s", interval_of(c).text);
	cli_cell(table, "%s", share_of(r, c, 0).text);
	cli_cell(table, "%s", share_of(r, c, 1).text);
	cli_cell(table, "%s", p_of(c).text);
	cli_text_cell(table, name ? name : "");
	table->failed |= !name;
	cli_mark(table, c->mean[1] > c->mean[0] ? '+' : '-');
	free(name);
}

static const char *const heads[] = {
	"before", "after", "change", "95% interval", "share", "after", "p",
	"frame",
};

static bool put_table(const struct cli *cli, const struct diff_result *r,
		      struct flame_text *out)
{
	const size_t columns = sizeof(heads) / sizeof(*heads);
	struct cli_table table = { .columns = (unsigned)columns };
	const struct flame_change *c;
	size_t n = count_found(r);

	if (!n)
		return true;
	for (size_t i = 0; i < columns; i++)
		cli_cell(&table, "%s", heads[i]);
	cli_mark(&table, 'h');
	for (size_t i = 0; i < MAX_ROWS && (c = found_at(r, i)); i++)
		put_row(&table, r, c);
	return cli_table_write(cli, &table, out) &&
	       (n <= MAX_ROWS || cli_print(out, "and %zu more: -f json\n",
					   n - MAX_ROWS));
}

static bool put_text(const struct cli *cli, const struct diff_result *r,
		     struct flame_text *out)
{
	return put_line(out, summary_of(r), "", "\n") &&
	       put_verdict(cli, r, out, false) &&
	       put_line(out, heading_of(r), "", "\n") &&
	       put_table(cli, r, out) &&
	       (is_few(r) || put_line(out, other_of(r), "", "\n"));
}

/* Markdown -------------------------------------------------------------- */

static bool put_markdown_row(struct flame_text *out,
			     const struct diff_result *r,
			     const struct flame_change *c)
{
	char *name = name_of(r, c);
	char *code = name ? cli_markdown(name, true) : NULL;
	bool good = code &&
		    cli_print(out, "| `%s` | %s | %s | %s | %s | %s | %s |\n",
			      code,
			      weight_of(r, c->mean[0]).text,
			      weight_of(r, c->mean[1]).text,
			      change_of(c).text, interval_of(c).text,
			      share_of(r, c, 0).text, share_of(r, c, 1).text);

	free(name);
	free(code);
	return good;
}

static bool put_markdown(const struct cli *cli, const struct diff_result *r,
			 struct flame_text *out)
{
	const struct flame_change *c;
	size_t n = count_found(r);
	bool good = put_verdict(cli, r, out, true) &&
		    put_paragraph(out, summary_of(r), "", "\n") &&
		    put_paragraph(out, heading_of(r), "", "\n");

	if (good && n)
		good = cli_print(out, "\n| frame | before | after | change | "
				      "95%% interval | share | after |\n|---|--:"
				      "|--:|--:|--:|--:|--:|\n");
	for (size_t i = 0; good && i < MAX_ROWS_MARKDOWN &&
			   (c = found_at(r, i)); i++)
		good = put_markdown_row(out, r, c);
	if (good && n > MAX_ROWS_MARKDOWN)
		good = cli_print(out, "\nand %zu more\n",
				 n - MAX_ROWS_MARKDOWN);
	return good && (is_few(r) || put_paragraph(out, other_of(r), "\n", "\n"));
}

/* JSON ------------------------------------------------------------------ */

static bool add_number(cJSON *to, const char *key, double number)
{
	return isinf(number) ? cJSON_AddNullToObject(to, key) :
			       cJSON_AddNumberToObject(to, key, number);
}

static bool add_text(cJSON *to, const char *key, char *text)
{
	bool good = text && cJSON_AddStringToObject(to, key, text);

	free(text);
	return good;
}

static bool add_values(const struct diff_result *r, cJSON *to, const char *key,
		       const double *values, size_t n)
{
	cJSON *array = cJSON_AddArrayToObject(to, key);

	for (size_t i = 0; array && i < n; i++)
		cJSON_AddItemToArray(array,
				     cJSON_CreateNumber(values[i] * r->scale));
	return array;
}

static bool add_change(const struct diff_result *r, cJSON *to,
		       const struct flame_change *c)
{
	double ratio = c->mean[0] > 0 ? c->mean[1] / c->mean[0] : HUGE_VAL;

	return to && add_number(to, "before", c->mean[0] * r->scale) &&
	       add_number(to, "after", c->mean[1] * r->scale) &&
	       add_number(to, "change", ratio - 1) &&
	       (!is_bounded(c) || (add_number(to, "low", c->low - 1) &&
				   add_number(to, "high", c->high - 1))) &&
	       add_number(to, "p", c->p);
}

static bool add_row(const struct diff_result *r, cJSON *array,
		    const struct flame_change *c, bool runs)
{
	cJSON *row = cJSON_CreateObject();
	bool good = array && row && cJSON_AddItemToArray(array, row);
	char *name = good ? name_of(r, c) : NULL;

	if (name && c->self)
		name[strlen(name) - strlen(" (self)")] = '\0';
	good = add_text(row, "frame", name) &&
	       cJSON_AddBoolToObject(row, "self", c->self) &&
	       add_change(r, row, c);
	if (good && runs)
		good = add_values(r, row, "runs_before", c->values,
				  r->runs[0]) &&
		       add_values(r, row, "runs_after", c->values + r->runs[0],
				  r->runs[1]);
	return good;
}

static bool add_gate(const struct cli *cli, const struct diff_result *r,
		     cJSON *root)
{
	static const char *const verdicts[] = {
		[FLAME_WITHIN] = "within", [FLAME_WORSE] = "worse",
		[FLAME_UNSURE] = "cannot tell",
	};
	const struct diff *diff = cli->own;
	const struct flame_judgement *j = &r->judgement;
	cJSON *gate = diff->gate > 0 ? cJSON_AddObjectToObject(root, "gate") :
				       NULL;

	if (diff->gate <= 0)
		return true;
	return gate && cJSON_AddNumberToObject(gate, "limit", diff->gate) &&
	       (!diff->gated ||
		cJSON_AddStringToObject(gate, "frame", diff->gated)) &&
	       cJSON_AddStringToObject(gate, "verdict",
				       verdicts[j->verdict]) &&
	       add_text(gate, "text", diff_verdict(cli, r)) &&
	       (j->runs <= 0 ||
		cJSON_AddNumberToObject(gate, "runs_needed", j->runs));
}

static bool fill_json(const struct cli *cli, const struct diff_result *r,
		      cJSON *root)
{
	static const char *const scalings[] = { "absolute", "shares", "rates" };
	const struct flame_change *c;
	cJSON *list;
	bool good;

	good = cJSON_AddStringToObject(root, "metric",
				       r->metric ? r->metric : "") &&
	       cJSON_AddStringToObject(root, "unit", r->unit) &&
	       cJSON_AddStringToObject(root, "compared_by",
				       scalings[r->scaling]) &&
	       cJSON_AddNumberToObject(root, "fdr", r->rate) &&
	       cJSON_AddNumberToObject(root, "runs_before",
				       (double)r->runs[0]) &&
	       cJSON_AddNumberToObject(root, "runs_after",
				       (double)r->runs[1]) &&
	       cJSON_AddBoolToObject(root, "variance_known", !is_few(r)) &&
	       cJSON_AddNumberToObject(root, "frames_compared",
				       (double)count_tested(r)) &&
	       add_gate(cli, r, root) &&
	       add_change(r, cJSON_AddObjectToObject(root, "total"),
			  flame_trials_all(r->trials));
	list = good ? cJSON_AddArrayToObject(root, "changes") : NULL;
	for (size_t i = 0; (good = good && list) && (c = found_at(r, i)); i++)
		good = add_row(r, list, c, true);
	list = good ? cJSON_AddArrayToObject(root,
					     r->scaling == FLAME_ABSOLUTE ?
						     "changes_by_shares" :
						     "changes_by_weight") :
		      NULL;
	for (size_t i = 0; (good = good && list) && i < r->nother; i++)
		good = add_row(r, list, &r->other[i], false);
	return good;
}

static bool put_json(const struct cli *cli, const struct diff_result *r,
		     struct flame_text *out)
{
	cJSON *root = cJSON_CreateObject();
	char *text = root && fill_json(cli, r, root) ? cJSON_Print(root) :
						       NULL;
	bool good = text && flame_text_put(out, text, strlen(text)) ==
				    FLAME_OK && cli_print(out, "\n");

	if (!text)
		cli_no_memory(cli);
	cJSON_free(text);
	cJSON_Delete(root);
	return good;
}

/* HTML ------------------------------------------------------------------ */

static void put_escaped(FILE *to, const char *text)
{
	for (; *text; text++)
		switch (*text) {
		case '<': fputs("&lt;", to); break;
		case '&': fputs("&amp;", to); break;
		case '"': fputs("&quot;", to); break;
		default: putc(*text, to);
		}
}

/* A button with a frame's name, which the script of the page connects. */
static void put_frame_button(FILE *to, const struct diff_result *r,
			     const struct flame_change *c)
{
	char *name = name_of(r, c);
	const char *slash = name && !strchr(name, ' ') ? strrchr(name, '/') :
							  NULL;

	fputs("<td><button title=\"Mark it\" value=\"", to);
	put_escaped(to, flame_name_text(r->flame, c->name, NULL));
	fputs("\">", to);
	put_escaped(to, slash && slash[1] ? slash + 1 : name ? name : "?");
	fputs("</button></td>", to);
	free(name);
}

enum { WHISKER_WIDTH = 120, WHISKER_REACH = 56 };

static double place_of(double ratio, double reach)
{
	double x = (ratio - 1) / reach;

	return WHISKER_WIDTH / 2. +
	       WHISKER_REACH * (x < -1 ? -1 : x > 1 ? 1 : x);
}

/* The interval of a change, on a scale that all rows share. */
static void put_whisker(FILE *to, const struct flame_change *c, double reach)
{
	double change = c->mean[0] > 0 ? c->mean[1] / c->mean[0] : HUGE_VAL;

	fprintf(to, "<td><svg width=\"%d\" height=\"16\" role=\"img\" "
		"aria-label=\"%s\"><title>%s</title><path opacity=\".3\" "
		"d=\"M%d 0v16\"/><path d=\"M%.1f 4v8m0-4H%.1fm0-4v8\"/><circle "
		"class=\"b\" cx=\"%.1f\" cy=\"8\" r=\"3\"/></svg></td>",
		WHISKER_WIDTH, interval_of(c).text, interval_of(c).text,
		WHISKER_WIDTH / 2, place_of(c->low, reach),
		place_of(c->high, reach), place_of(change, reach));
}

/* A bar for each run, those before first. */
static void put_bars(FILE *to, const struct diff_result *r,
		     const struct flame_change *c)
{
	size_t n = r->runs[0] + r->runs[1];
	double most = 0;

	fprintf(to, "<td><svg width=\"%zu\" height=\"16\" role=\"img\" "
		"aria-label=\"runs\"><title>Before:", 5 * n + 4);
	for (size_t i = 0; i < n; i++) {
		fprintf(to, "%s %s", i == r->runs[0] ? ". After:" :
				     i ? "," : "",
			weight_of(r, c->values[i]).text);
		most = c->values[i] > most ? c->values[i] : most;
	}
	fputs("</title>", to);
	for (size_t i = 0; i < n; i++) {
		bool after = i >= r->runs[0];
		double height = most > 0 ? 16 * c->values[i] / most : 0;

		fprintf(to, "<rect%s x=\"%zu\" y=\"%.1f\" width=\"4\" "
			"height=\"%.1f\"/>", after ? " class=\"b\"" : "",
			5 * i + (after ? 4 : 0), 16 - height, height);
	}
	fputs("</svg></td>", to);
}

/* How far the intervals reach from no change. */
static double reach_of(const struct diff_result *r)
{
	const struct flame_change *c;
	double reach = .01;

	for (size_t i = 0; i < MAX_ROWS_MARKDOWN && (c = found_at(r, i)); i++) {
		reach = 1 - c->low > reach ? 1 - c->low : reach;
		reach = is_bounded(c) && c->high - 1 > reach ? c->high - 1 :
							       reach;
	}
	return reach;
}

static void put_found(FILE *to, const struct diff_result *r)
{
	const struct flame_change *c;
	double reach = reach_of(r);
	size_t n = count_found(r);

	if (n)
		fputs("<table><tr><th>Frame<th>Before<th>After<th>Change<th>"
		      "95 % interval<th>Runs</tr>", to);
	for (size_t i = 0; i < MAX_ROWS_MARKDOWN && (c = found_at(r, i)); i++) {
		fputs("<tr>", to);
		put_frame_button(to, r, c);
		fprintf(to, "<td>%s</td><td>%s</td><td>%s</td>",
			weight_of(r, c->mean[0]).text,
			weight_of(r, c->mean[1]).text, change_of(c).text);
		put_whisker(to, c, reach);
		put_bars(to, r, c);
		fputs("</tr>", to);
	}
	if (n)
		fputs("</table>", to);
	if (n > MAX_ROWS_MARKDOWN)
		fprintf(to, "<p>and %zu more: -f json</p>",
			n - MAX_ROWS_MARKDOWN);
}

/* What the page begins with; to be freed. */
static char *findings_of(const struct cli *cli, const struct diff_result *r)
{
	const struct diff *diff = cli->own;
	struct text lines[] = {
		{ diff->gate > 0 ? diff_verdict(cli, r) : NULL, 0, NULL },
		summary_of(r), heading_of(r),
		is_few(r) ? (struct text){ 0 } : other_of(r),
	}, all = { 0 };

	all.file = open_memstream(&all.at, &all.size);
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		if (all.file && lines[i].at) {
			fputs("<p>", all.file);
			put_escaped(all.file, lines[i].at);
			fputs("</p>", all.file);
		}
		free(lines[i].at);
	}
	if (!all.file)
		return NULL;
	put_found(all.file, r);
	if (fclose(all.file) == 0)
		return all.at;
	free(all.at);
	return NULL;
}

/* A title that is given replaces it. */
static bool set_head(struct flame_sink *page, const struct cli *cli,
		     const struct diff_result *r, const char *findings)
{
	bool titled = cli_find(&cli->sets, "title");

	return flame_set(page, "findings", findings) == FLAME_OK &&
	       (titled || flame_set(page, "title", cell("%zu run%s before, %zu "
			"after", r->runs[0], plural(r->runs[0]),
			r->runs[1]).text) == FLAME_OK) &&
	       (r->scaling != FLAME_SHARES ||
		flame_set(page, "normalize", "total") == FLAME_OK);
}

static int draw(struct cli *cli, const struct diff_result *r)
{
	char *findings = findings_of(cli, r);
	struct flame_tree *tree = findings ? flame_trials_tree(r->trials) :
					     NULL;
	struct flame_sink *page = tree ? cli_make_writer(cli, r->flame,
							 cli->output) : NULL;
	bool good = page && set_head(page, cli, r, findings) &&
		    flame_tree_write(tree, page) == FLAME_OK;

	if (good)
		good = flame_finish(page) == FLAME_OK;
	else
		flame_abandon(page);
	if (!findings)
		cli_no_memory(cli);
	free(findings);
	flame_tree_free(tree);
	return good ? CLI_FINE : CLI_TROUBLE;
}

int diff_report(struct cli *cli, const struct diff_result *result)
{
	struct flame_text *out;
	bool good;

	if (strcmp(cli->output_format, "html") == 0)
		return draw(cli, result);
	out = flame_text_create(result->flame, cli->output);
	good = out;

	if (good && strcmp(cli->output_format, "json") == 0)
		good = put_json(cli, result, out);
	else if (good && strcmp(cli->output_format, "markdown") == 0)
		good = put_markdown(cli, result, out);
	else if (good)
		good = put_text(cli, result, out);
	if (good)
		return cli_text_finish(cli, out);
	flame_text_abandon(out);
	return CLI_TROUBLE;
}
