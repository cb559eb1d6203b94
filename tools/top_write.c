/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the tables of flame-top: top_write() writes a struct top_report as
 * text, TSV, CSV, JSON or Markdown, by the writers of cli/table.c.  top_fit()
 * leaves out the last rows of JSON that is longer than --budget.  Called by
 * top_frames.c and top_keys.c, which make the rows.
 */
#include "top.h"

#include <string.h>

static const char *const names[] = {
	[TOP_TEXT] = "text", [TOP_TSV] = "tsv", [TOP_CSV] = "csv",
	[TOP_JSON] = "json", [TOP_MARKDOWN] = "markdown",
};

bool top_format(const char *name, enum top_format *format)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(name, names[i]) == 0) {
			*format = (enum top_format)i;
			return true;
		}
	return false;
}

bool top_put_visible(const char *text, const struct cli *cli,
		     struct flame_text *out)
{
	char *shown = cli_visible(text, strlen(text));

	if (!shown)
		return cli_no_memory(cli);
	flame_text_put(out, shown, strlen(shown));
	free(shown);
	return true;
}

static bool put_metric(const struct cli_table *table, const char *name,
		       const char *unit, int64_t total, struct flame_text *out)
{
	bool good = top_put_visible(name, table->cli, out);

	cli_print(out, "%s%s ", name[0] ? ": " : "",
		  cli_weight(table, total).text);
	return top_put_visible(unit, table->cli, out) && good;
}

bool top_heading(const struct top_report *r, struct flame_text *out)
{
	bool good = put_metric(&r->table, r->metric, r->unit, r->table.total,
			       out);

	for (size_t i = 0; good && i < r->nmore; i++) {
		struct cli_table table = {
			.cli = r->table.cli, .micro = r->more[i].micro
		};

		good = cli_print(out, ", ") &&
		       put_metric(&table, r->more[i].name, r->more[i].unit,
				  r->more[i].total, out);
	}
	return good;
}

/* JSON -------------------------------------------------------------------- */

/* Of rows that are left out, be it by --rows, --min or --budget. */
static bool add_left_out(const struct top_report *r, cJSON *head)
{
	cJSON *left = cJSON_AddObjectToObject(head, "left_out");
	double sum = 0;
	char share[32];

	for (size_t i = 0; i < r->table.n; i++)
		sum += (double)r->own_weight((const char *)r->table.rows +
					     i * r->table.row_size);
	snprintf(share, sizeof(share), "%.2f", r->table.total ?
		 fabs(100 - 100 * sum / (double)r->table.total) : 0);
	return cJSON_AddNumberToObject(left, "rows",
				       (double)(r->all + r->sums -
						r->table.n)) &&
	       cJSON_AddRawToObject(left, "share", share);
}

static bool add_metric(cJSON *to, const char *name, const char *unit,
		       const struct cli_table *table)
{
	return cli_add_text(to, "metric", name) &&
	       cli_add_text(to, "unit", unit) &&
	       cJSON_AddRawToObject(to, "total",
				    cli_weight(table, table->total).text);
}

/* Of callers and callees the total is that of what matches. */
static bool add_matches(const struct top_report *r, cJSON *head)
{
	return !r->matches ||
	       (cli_add_text(head, "matches", r->matches) &&
		cJSON_AddRawToObject(head, "of",
				     cli_weight(&r->table, r->of).text));
}

static bool add_more(const struct top_report *r, cJSON *head)
{
	cJSON *list = r->nmore ? cJSON_AddArrayToObject(head, "more") : NULL;
	bool good = list || !r->nmore;

	for (size_t i = 0; good && i < r->nmore; i++) {
		cJSON *one = cJSON_CreateObject();
		struct cli_table table = {
			.total = r->more[i].total, .micro = r->more[i].micro
		};

		good = add_metric(one, r->more[i].name, r->more[i].unit,
				  &table) && cJSON_AddItemToArray(list, one);
	}
	return good;
}

/* All that comes before the rows, with the '}' of the end; NULL: no memory. */
static char *head_text(const struct top_report *r)
{
	cJSON *head = cli_json(r->kind);
	char *text = NULL;

	if (add_metric(head, r->metric, r->unit, &r->table) &&
	    add_matches(r, head) && add_more(r, head) && add_left_out(r, head))
		text = cJSON_PrintUnformatted(head);
	cJSON_Delete(head);
	return text;
}

static bool put_json(const struct top_report *r, struct flame_text *out)
{
	char *text = head_text(r);

	if (!text)
		return cli_no_memory(r->table.cli);
	flame_text_put(out, text, strlen(text) - 1);
	cJSON_free(text);
	return cli_print(out, ",\"rows\":[") &&
	       cli_table_json(&r->table, out) && cli_print(out, "\n]}\n");
}

/* Of what is around the rows. */
static size_t frame_size(const struct top_report *r)
{
	char *text = head_text(r);
	size_t size = text ? strlen(text) + strlen(",\"rows\":[\n]\n") : 0;

	cJSON_free(text);
	return size;
}

size_t top_json_size(const struct top_report *r)
{
	size_t size = frame_size(r);

	for (size_t i = 0; i < r->table.n; i++)
		size += cli_row_size(&r->table, i);
	return size;
}

void top_fit(struct top_report *r, size_t budget)
{
	size_t size, n = 0;

	if (!budget)
		return;
	/* The numbers of what is left out become longer. */
	size = frame_size(r) + strlen("18446744073709551615100.00");
	while (n < r->table.n &&
	       (size += cli_row_size(&r->table, n)) <= budget)
		n++;
	r->table.n = n;
}

/* ------------------------------------------------------------------------- */

int top_write(const struct top_report *r, enum top_format format,
	      bool (*heading)(const struct top_report *report,
			      struct flame_text *out),
	      struct flame *flame)
{
	struct flame_text *out = flame_text_create(flame, r->table.cli->output);
	bool good = out;

	switch (format) {
	case TOP_TSV: good = good && cli_table_tsv(&r->table, out); break;
	case TOP_CSV: good = good && cli_table_csv(&r->table, out); break;
	case TOP_JSON: good = good && put_json(r, out); break;
	case TOP_MARKDOWN:
		good = good && cli_table_markdown(&r->table, 0, out);
		break;
	default:
		good = good && heading(r, out) &&
		       cli_table_text(&r->table, 0, out);
	}
	if (good)
		return cli_text_finish(r->table.cli, out);
	flame_text_abandon(out);
	return CLI_TROUBLE;
}
