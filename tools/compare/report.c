/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame-diff --runs: diff_report() writes what changed, as a table, as JSON, as
 * Markdown for a comment, or as a page; diff_verdict() makes the one line of
 * --gate.  A struct diff_result comes in.  Called by runs.c and since.c.
 */
#include "compare/diff.h"
#include "cli/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ROWS = 30, MAX_ROWS_MARKDOWN = 20, MAX_NAMED = 3 };

static bool is_bounded(const struct flame_change *c)
{
	return !isinf(c->high);
}

static double ratio_of(const struct flame_change *c)
{
	return c->mean[0] > 0 ? c->mean[1] / c->mean[0] :
	       c->mean[1] > 0 ? CLI_RATIO_NEW : CLI_RATIO_NOTHING;
}

static struct cli_cell change_of(const struct flame_change *c)
{
	return cli_ratio(ratio_of(c));
}

static struct cli_cell interval_of(const struct flame_change *c)
{
	return cli_interval(c->low, is_bounded(c) ? c->high : NAN);
}

static double share_of(const struct diff_result *r,
		       const struct flame_change *c, unsigned side)
{
	const struct flame_change *all = flame_trials_all(r->trials);

	return all->mean[side] > 0 ? 100 * c->mean[side] / all->mean[side] : 0;
}

/* Counts have a digit after the point, as they are means. */
static int digits_of(const struct diff_result *r)
{
	return r->scale < 1 ? 3 : 1;
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
	fprintf(text.file, "%zu run%s before, %zu after: %s%s%.*f -> %.*f %s a "
		"run, %s", r->runs[0], plural(r->runs[0]), r->runs[1],
		r->metric ? r->metric : "", r->metric && *r->metric ? ", " : "",
		digits_of(r), all->mean[0] * r->scale, digits_of(r),
		all->mean[1] * r->scale, r->unit, change_of(all).text);
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
	/* Beside what was found it would read as the opposite. */
	fprintf(text.file, "%s", r->nother ? "." : count_found(r) ?
		"no frame is known to have changed; that is another question." :
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

/* Tables ---------------------------------------------------------------- */

struct row {
	struct cli_frame frame;
	struct flame_change c;	/* in the unit */
	double ratio, interval[2], share[2];
};

struct rows {
	const struct diff_result *result;
	struct row *data;
	size_t n;
	double reach;		/* of whiskers */
};

#define AT(member) .offset = offsetof(struct row, member)

static void put_frame_button(FILE *to, const struct cli_table *t,
			     const void *row);
static void put_whisker(FILE *to, const struct cli_table *t, const void *row);
static void put_bars(FILE *to, const struct cli_table *t, const void *row);

static const struct cli_column columns[] = {
	{ "frame", "frame", CLI_CELL_FRAME, AT(frame),
	  .html = put_frame_button },
	{ "self", NULL, CLI_CELL_BOOL, AT(c.self) },
	{ "before", "before", CLI_CELL_REAL, AT(c.mean[0]) },
	{ "after", "after", CLI_CELL_REAL, AT(c.mean[1]) },
	{ "change", "change", CLI_CELL_RATIO, AT(ratio) },
	{ NULL, "95% interval", CLI_CELL_INTERVAL, AT(interval),
	  CLI_IN_TEXT | CLI_IN_MARKDOWN },
	{ NULL, "95 % interval", CLI_CELL_INTERVAL, AT(interval), CLI_IN_HTML,
	  put_whisker },
	{ "low", NULL, CLI_CELL_RATIO, AT(interval[0]) },
	{ "high", NULL, CLI_CELL_RATIO, AT(interval[1]) },
	{ NULL, "share", CLI_CELL_PERCENT, AT(share[0]),
	  CLI_IN_TEXT | CLI_IN_MARKDOWN },
	{ NULL, "after", CLI_CELL_PERCENT, AT(share[1]),
	  CLI_IN_TEXT | CLI_IN_MARKDOWN },
	{ "p", "p", CLI_CELL_CHANCE, AT(c.p), CLI_IN_TEXT | CLI_IN_JSON },
	{ NULL, "runs", CLI_CELL_END + 1, AT(frame), CLI_IN_HTML, put_bars },
	{ .kind = CLI_CELL_END }
};

static char mark_of(const struct cli_table *table, const void *at)
{
	const struct row *row = at;

	(void)table;
	return row->c.mean[1] > row->c.mean[0] ? '+' : '-';
}

static struct cli_table table_of(const struct cli *cli, const struct rows *rows)
{
	return (struct cli_table){
		.cli = cli, .columns = columns, .rows = rows->data,
		.row_size = sizeof(*rows->data), .n = rows->n,
		.flame = rows->result->flame, .nobody = "(all)",
		.digits = digits_of(rows->result), .mark = mark_of,
		.own = rows,
	};
}

static struct row row_of(const struct diff_result *r,
			 const struct flame_change *c)
{
	struct row row = {
		.frame = { c->name, 0, c->self }, .c = *c,
		.ratio = ratio_of(c),
		.interval = { is_bounded(c) ? c->low : NAN,
			      is_bounded(c) ? c->high : NAN },
		.share = { share_of(r, c, 0), share_of(r, c, 1) },
	};

	row.c.mean[0] *= r->scale;
	row.c.mean[1] *= r->scale;
	return row;
}

/* Those found, or else the n changes given.  false: the message is out. */
static bool fill_rows(const struct cli *cli, const struct diff_result *r,
		      const struct flame_change *changes, size_t n,
		      struct rows *rows)
{
	*rows = (struct rows){
		.result = r, .data = calloc(n + 1, sizeof(*rows->data))
	};
	if (!rows->data)
		return cli_no_memory(cli);
	for (; rows->n < n; rows->n++)
		rows->data[rows->n] = row_of(r, changes ? &changes[rows->n] :
						found_at(r, rows->n));
	return true;
}

static bool put_table(const struct cli *cli, const struct rows *rows,
		      struct flame_text *out)
{
	struct cli_table table = table_of(cli, rows);

	return !rows->n ||
	       (cli_table_text(&table, MAX_ROWS, out) &&
		(rows->n <= MAX_ROWS ||
		 cli_print(out, "and %zu more: -f json\n",
			   rows->n - MAX_ROWS)));
}

static bool put_text(const struct cli *cli, const struct rows *rows,
		     struct flame_text *out)
{
	const struct diff_result *r = rows->result;

	return put_line(out, summary_of(r), "", "\n") &&
	       put_verdict(cli, r, out, false) &&
	       put_line(out, heading_of(r), "", "\n") &&
	       put_table(cli, rows, out) &&
	       (is_few(r) || put_line(out, other_of(r), "", "\n"));
}

static bool put_markdown(const struct cli *cli, const struct rows *rows,
			 struct flame_text *out)
{
	const struct diff_result *r = rows->result;
	struct cli_table table = table_of(cli, rows);
	bool good = put_verdict(cli, r, out, true) &&
		    put_paragraph(out, summary_of(r), "", "\n") &&
		    put_paragraph(out, heading_of(r), "", "\n");

	if (good && rows->n)
		good = cli_print(out, "\n") &&
		       cli_table_markdown(&table, MAX_ROWS_MARKDOWN, out);
	if (good && rows->n > MAX_ROWS_MARKDOWN)
		good = cli_print(out, "\nand %zu more\n",
				 rows->n - MAX_ROWS_MARKDOWN);
	return good && (is_few(r) || put_paragraph(out, other_of(r), "\n", "\n"));
}

/* JSON ------------------------------------------------------------------ */

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

/* runs: with the weights of each run. */
static bool add_row(const struct cli_table *table, const struct row *row,
		    cJSON *array, bool runs)
{
	const struct diff_result *r = ((const struct rows *)table->own)->result;
	const double *values = row->c.values;
	cJSON *object = cJSON_CreateObject();

	return array && object && cJSON_AddItemToArray(array, object) &&
	       cli_row_json(table, row, object) &&
	       (!runs || (add_values(r, object, "runs_before", values,
				     r->runs[0]) &&
			  add_values(r, object, "runs_after",
				     values + r->runs[0], r->runs[1])));
}

static bool add_rows(const struct cli *cli, const struct rows *rows,
		     cJSON *array, bool runs)
{
	struct cli_table table = table_of(cli, rows);
	bool good = array;

	for (size_t i = 0; good && i < rows->n; i++)
		good = add_row(&table, &rows->data[i], array, runs);
	return good;
}

/* All of it: a row without frame and self. */
static bool add_total(const struct cli *cli, const struct diff_result *r,
		      cJSON *to)
{
	struct row row = row_of(r, flame_trials_all(r->trials));
	struct rows rows = { .result = r, .data = &row, .n = 1 };
	struct cli_table table = table_of(cli, &rows);

	table.columns += 2;
	return cli_row_json(&table, &row, to);
}

/* The changes that the other way to compare finds. */
static bool add_other(const struct cli *cli, const struct diff_result *r,
		      cJSON *array)
{
	struct rows rows;
	bool good = fill_rows(cli, r, r->other, r->nother, &rows) &&
		    add_rows(cli, &rows, array, false);

	free(rows.data);
	return good;
}

const char *diff_verdict_word(enum flame_verdict verdict)
{
	static const char *const verdicts[] = {
		[FLAME_WITHIN] = "within", [FLAME_WORSE] = "worse",
		[FLAME_UNSURE] = "cannot tell",
	};

	return verdicts[verdict];
}

static bool add_gate(const struct cli *cli, const struct diff_result *r,
		     cJSON *root)
{
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
				       diff_verdict_word(j->verdict)) &&
	       add_text(gate, "text", diff_verdict(cli, r)) &&
	       (j->runs <= 0 ||
		cJSON_AddNumberToObject(gate, "runs_needed", j->runs));
}

static bool fill_json(const struct cli *cli, const struct rows *rows,
		      cJSON *root)
{
	static const char *const scalings[] = { "absolute", "shares", "rates" };
	const struct diff_result *r = rows->result;
	const char *other = r->scaling == FLAME_ABSOLUTE ?
			    "changes_by_shares" : "changes_by_weight";

	return cJSON_AddStringToObject(root, "metric",
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
	       add_total(cli, r, cJSON_AddObjectToObject(root, "total")) &&
	       add_rows(cli, rows, cJSON_AddArrayToObject(root, "changes"),
			true) &&
	       add_other(cli, r, cJSON_AddArrayToObject(root, other));
}

static bool put_json(const struct cli *cli, const struct rows *rows,
		     struct flame_text *out)
{
	cJSON *root = cli_json("runs");
	char *text = root && fill_json(cli, rows, root) ? cJSON_Print(root) :
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

/* A button with a frame's name, which the script of the page connects. */
static void put_frame_button(FILE *to, const struct cli_table *t,
			     const void *at)
{
	const struct row *row = at;
	char *name = cli_frame_text(t, &row->frame);
	const char *slash = name && !strchr(name, ' ') ? strrchr(name, '/') :
							  NULL;

	fputs("<td><button title=\"Mark it\" value=\"", to);
	cli_html_text(to, flame_name_text(t->flame, row->frame.name, NULL));
	fputs("\">", to);
	cli_html_text(to, slash && slash[1] ? slash + 1 : name ? name : "?");
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
static void put_whisker(FILE *to, const struct cli_table *table, const void *at)
{
	const struct row *row = at;
	const struct flame_change *c = &row->c;
	double reach = ((const struct rows *)table->own)->reach;
	double change = c->mean[0] > 0 ? row->ratio : HUGE_VAL;
	struct cli_cell interval = interval_of(c);

	fprintf(to, "<td><svg width=\"%d\" height=\"16\" role=\"img\" "
		"aria-label=\"%s\"><title>%s</title><path opacity=\".3\" "
		"d=\"M%d 0v16\"/><path d=\"M%.1f 4v8m0-4H%.1fm0-4v8\"/><circle "
		"class=\"b\" cx=\"%.1f\" cy=\"8\" r=\"3\"/></svg></td>",
		WHISKER_WIDTH, interval.text, interval.text,
		WHISKER_WIDTH / 2, place_of(c->low, reach),
		place_of(c->high, reach), place_of(change, reach));
}

/* A bar for each run, those before first. */
static void put_bars(FILE *to, const struct cli_table *table, const void *at)
{
	const struct diff_result *r = ((const struct rows *)table->own)->result;
	const struct flame_change *c = &((const struct row *)at)->c;
	size_t n = r->runs[0] + r->runs[1];
	double most = 0;

	fprintf(to, "<td><svg width=\"%zu\" height=\"16\" role=\"img\" "
		"aria-label=\"runs\"><title>Before:", 5 * n + 4);
	for (size_t i = 0; i < n; i++) {
		fprintf(to, "%s %s", i == r->runs[0] ? ". After:" :
				     i ? "," : "",
			cli_real(table, c->values[i] * r->scale).text);
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
static double reach_of(const struct rows *rows)
{
	double reach = .01;

	for (size_t i = 0; i < rows->n && i < MAX_ROWS_MARKDOWN; i++) {
		const struct flame_change *c = &rows->data[i].c;

		reach = fmax(reach, 1 - c->low);
		reach = is_bounded(c) ? fmax(reach, c->high - 1) : reach;
	}
	return reach;
}

static void put_found(FILE *to, const struct cli *cli, struct rows *rows)
{
	struct cli_table table = table_of(cli, rows);

	rows->reach = reach_of(rows);
	if (rows->n)
		cli_table_html(&table, MAX_ROWS_MARKDOWN, to);
	if (rows->n > MAX_ROWS_MARKDOWN)
		fprintf(to, "<p>and %zu more: -f json</p>",
			rows->n - MAX_ROWS_MARKDOWN);
}

/* What the page begins with; to be freed. */
static char *findings_of(const struct cli *cli, struct rows *rows)
{
	const struct diff_result *r = rows->result;
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
			cli_html_text(all.file, lines[i].at);
			fputs("</p>", all.file);
		}
		free(lines[i].at);
	}
	if (!all.file)
		return NULL;
	put_found(all.file, cli, rows);
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
	char title[120], runs[48];

	snprintf(title, sizeof(title), "%zu run%s before, %zu after",
		 r->runs[0], plural(r->runs[0]), r->runs[1]);
	snprintf(runs, sizeof(runs), "%zu-%zu", r->runs[0], r->runs[1]);
	return flame_set(page, "findings", findings) == FLAME_OK &&
	       flame_set(page, "runs", runs) == FLAME_OK &&
	       /* Findings are of totals. */
	       (cli_find(&cli->sets, "delta") ||
		flame_set(page, "delta", "total") == FLAME_OK) &&
	       (titled || flame_set(page, "title", title) == FLAME_OK) &&
	       (r->scaling != FLAME_SHARES ||
		flame_set(page, "normalize", "total") == FLAME_OK);
}

static int draw(struct cli *cli, struct rows *rows)
{
	const struct diff_result *r = rows->result;
	char *findings = findings_of(cli, rows);
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

static int put_report(struct cli *cli, struct rows *rows)
{
	const char *format = cli->output_format;
	struct flame_text *out;
	bool good;

	if (strcmp(format, "html") == 0)
		return draw(cli, rows);
	out = flame_text_create(rows->result->flame, cli->output);
	good = out && (strcmp(format, "json") == 0 ? put_json(cli, rows, out) :
		       strcmp(format, "markdown") == 0 ?
				put_markdown(cli, rows, out) :
				put_text(cli, rows, out));
	if (good)
		return cli_text_finish(cli, out);
	flame_text_abandon(out);
	return CLI_TROUBLE;
}

int diff_report(struct cli *cli, const struct diff_result *result)
{
	struct rows rows;
	int status = CLI_TROUBLE;

	if (fill_rows(cli, result, NULL, count_found(result), &rows))
		status = put_report(cli, &rows);
	free(rows.data);
	return status;
}
