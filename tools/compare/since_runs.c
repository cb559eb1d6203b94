/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame-diff --since: finds days without a run, and writes a table of the runs,
 * with what each weighs and read, and whether it failed, as HTML and as JSON.
 * Called by since.c.
 */
#include "compare/since.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Days without a run ------------------------------------------------------ */

enum { DAY_SECONDS = 24 * 60 * 60 };

/* The number of a day, of a label that is a date; -1: it is none. */
static long day_of(const char *label)
{
	struct tm tm = { 0 };
	const char *end = strlen(label) == DATE_SIZE - 1 ?
				  strptime(label, "%Y-%m-%d", &tm) : NULL;

	return end && !*end ? (long)(timegm(&tm) / DAY_SECONDS) : -1;
}

static void put_day(char text[DATE_SIZE], long day)
{
	time_t seconds = (time_t)day * DAY_SECONDS;
	struct tm tm;

	if (!gmtime_r(&seconds, &tm) ||
	    !strftime(text, DATE_SIZE, "%Y-%m-%d", &tm))
		*text = '\0';
}

static void add_missing(struct since *s, long day)
{
	if (s->nmissing < SINCE_MAX_LISTED)
		put_day(s->missing[s->nmissing++], day);
	else
		s->more_missing = true;
}

void since_find_missing(struct since *s)
{
	size_t daily = 0;
	long last = 0;

	s->nplaces = s->nruns;
	for (size_t r = 0; r < s->nruns; r++)
		s->runs[r].place = r;
	for (size_t r = 0; r < s->nruns; r++) {
		long day = day_of(s->labels[r]);

		if (day < 0)
			return;
		daily += r && day == last + 1;
		last = day;
	}
	for (size_t r = 1; daily * 2 > s->nruns && r < s->nruns; r++) {
		long first = day_of(s->labels[r - 1]) + 1, day = first;

		last = day_of(s->labels[r]);
		for (; day < last && !s->more_missing; day++)
			add_missing(s, day);
		/* A gap that is longer than the list is drawn as long as it. */
		s->runs[r].place = s->runs[r - 1].place + 1 +
				   (size_t)(last - first < SINCE_MAX_LISTED ?
					    last - first : SINCE_MAX_LISTED);
		s->nplaces = s->runs[r].place + 1;
	}
}

void since_put_missing(const struct since *s, FILE *to)
{
	for (size_t i = 0; i < s->nmissing; i++)
		fprintf(to, "%s%s", i ? ", " : "  Without a run: ",
			s->missing[i]);
	if (s->nmissing)
		fputs(s->more_missing ? ", ..." : ".", to);
}

/* The table ---------------------------------------------------------------- */

/* A run, or the days between two runs that have none. */
struct line {
	char days[2 * DATE_SIZE + sizeof(" to ")];
	const char *run, *state;	/* state NULL: it is as it should be */
	double total, input;		/* NAN: there is none */
};

static void put_run(FILE *to, const struct cli_table *table, const void *at)
{
	const struct line *line = at;

	(void)table;
	fputs("<td>", to);
	cli_html_text(to, line->run);
	fputs("</td>", to);
}

static void put_state(FILE *to, const struct cli_table *table, const void *at)
{
	const struct line *line = at;

	(void)table;
	fprintf(to, "<td>%s</td>", line->state ? line->state : "");
}

#define AT(member) .offset = offsetof(struct line, member)

static const struct cli_column columns[] = {
	{ "run", "run", CLI_CELL_TEXT, AT(run), .html = put_run },
	{ "total", "total", CLI_CELL_REAL, AT(total) },
	{ "input", "input", CLI_CELL_REAL, AT(input) },
	{ "state", "state", CLI_CELL_TEXT, AT(state), .html = put_state },
	{ .kind = CLI_CELL_END }
};

static struct line gap_of(const struct since *s, size_t r)
{
	struct line line = { .state = "no run", .total = NAN, .input = NAN };
	long first = day_of(s->labels[r - 1]) + 1;
	long last = day_of(s->labels[r]) - 1;
	char begin[DATE_SIZE], end[DATE_SIZE];

	put_day(begin, first);
	put_day(end, last);
	snprintf(line.days, sizeof(line.days), "%s%s%s", begin,
		 last > first ? " to " : "", last > first ? end : "");
	return line;
}

/* The lines, to be freed; NULL: out of memory. */
static struct line *list_runs(const struct since *s, size_t *n)
{
	struct line *lines = calloc(2 * s->nruns + 1, sizeof(*lines));

	*n = 0;
	for (size_t r = 0; lines && r < s->nruns; r++) {
		const struct run *run = &s->runs[r];

		if (r && run->place > run[-1].place + 1) {
			lines[*n] = gap_of(s, r);
			lines[*n].run = lines[*n].days;
			++*n;
		}
		lines[(*n)++] = (struct line){
			.run = s->labels[r],
			.total = run->total * s->result.scale,
			.input = s->input ? run->input : NAN,
			.state = run->failed > 0 ? "failed" : NULL,
		};
	}
	return lines;
}

static struct cli_table table_of(const struct since *s)
{
	return (struct cli_table){
		.cli = s->cli, .columns = columns,
		.row_size = sizeof(struct line), .flame = s->flame,
		.digits = s->result.scale < 1 ? 3 : 1,
	};
}

void since_put_runs(const struct since *s, FILE *to)
{
	struct cli_table table = table_of(s);
	struct line *lines = list_runs(s, &table.n);

	table.rows = lines;
	fputs("<details><summary>Runs</summary>", to);
	if (lines)
		cli_table_html(&table, 0, to);
	fputs("</details>", to);
	free(lines);
}

bool since_runs_json(const struct since *s, cJSON *root)
{
	struct cli_table table = table_of(s);
	cJSON *list = cJSON_AddArrayToObject(root, "totals");
	struct line *lines = list_runs(s, &table.n);
	bool good = list && lines;

	for (size_t i = 0; good && i < table.n; i++) {
		cJSON *row = cJSON_CreateObject();

		good = row && cJSON_AddItemToArray(list, row) &&
		       cli_row_json(&table, &lines[i], row);
	}
	free(lines);
	return good;
}
