/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame-diff --top: diff_put_movers() writes the frames that moved most, as a
 * table of text or as JSON.  A tree with two columns comes in, before and
 * after.  Called by flame-diff.c.
 */
#include "cli/table.h"
#include "compare/diff.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct mover {
	struct cli_frame frame;
	const char *name;
	int64_t self[2], total[2], self_delta, total_delta;
};

#define MOVER(member) .offset = offsetof(struct mover, member)

static const struct cli_column mover_columns[] = {
	{ "self_before", "self before", CLI_CELL_WEIGHT, MOVER(self[0]) },
	{ "self_after", "after", CLI_CELL_WEIGHT, MOVER(self[1]) },
	{ NULL, "delta", CLI_CELL_DELTA, MOVER(self_delta) },
	{ "total_before", "total before", CLI_CELL_WEIGHT, MOVER(total[0]) },
	{ "total_after", "after", CLI_CELL_WEIGHT, MOVER(total[1]) },
	{ NULL, "delta", CLI_CELL_DELTA, MOVER(total_delta) },
	{ "frame", "frame", CLI_CELL_FRAME, MOVER(frame) },
	{ .kind = CLI_CELL_END }
};

/* How far it moved, either way: the farther one first. */
static int by_distance(int64_t a, int64_t b)
{
	a = a < 0 ? -a : a;
	b = b < 0 ? -b : b;
	return (a < b) - (a > b);
}

static int by_self(const void *a, const void *b)
{
	const struct mover *x = a, *y = b;
	int order = by_distance(x->self_delta, y->self_delta);

	order = order ? order : by_distance(x->total_delta, y->total_delta);
	return order ? order : strcmp(x->name, y->name);
}

static int by_total(const void *a, const void *b)
{
	const struct mover *x = a, *y = b;
	int order = by_distance(x->total_delta, y->total_delta);

	return order ? order : by_self(a, b);
}

static struct mover *sort_movers(const struct cli *cli,
				 const struct flame *flame,
				 const struct flame_rank *ranks, size_t *n)
{
	const struct diff *own = cli->own;
	struct mover *movers = malloc((*n + 1) * sizeof(*movers));
	size_t moved = 0;

	for (size_t i = 0; movers && i < *n; i++) {
		const int64_t *self = ranks[i].self, *total = ranks[i].total;

		if (self[0] != self[1] || total[0] != total[1])
			movers[moved++] = (struct mover){
				{ .name = ranks[i].name },
				flame_name_text(flame, ranks[i].name, NULL),
				{ self[0], self[1] }, { total[0], total[1] },
				self[1] - self[0], total[1] - total[0]
			};
	}
	*n = moved;
	if (movers)
		qsort(movers, moved, sizeof(*movers),
		      own->by_total ? by_total : by_self);
	else
		cli_no_memory(cli);
	return movers;
}

static char mark_of(const struct cli_table *table, const void *row)
{
	const struct diff *own = table->own;
	const struct mover *mover = row;
	int64_t by = own->by_total ? mover->total_delta : mover->self_delta;

	return by > 0 ? '+' : by < 0 ? '-' : ' ';
}

/* An object for each metric, which begins and ends with the metric's rows. */
static bool put_json(struct cli_table *table, const struct flame_tree *tree,
		     struct flame_text *out)
{
	const struct diff *own = table->own;
	const char *metric, *unit;
	cJSON *head = cJSON_CreateObject();
	size_t all = table->n;
	char *text = NULL;

	if (own->rows && all > (size_t)own->rows)
		table->n = (size_t)own->rows;
	cli_metric(table->flame, tree, &metric, &unit);
	if (cli_add_text(head, "metric", metric) &&
	    cli_add_text(head, "unit", unit) &&
	    cJSON_AddRawToObject(head, "before", cli_weight(table,
			flame_tree_total(tree, 0)).text) &&
	    cJSON_AddRawToObject(head, "after", cli_weight(table,
			flame_tree_total(tree, 1)).text) &&
	    cJSON_AddBoolToObject(head, "scaled", own->normalize != NULL) &&
	    cJSON_AddNumberToObject(head, "rows_left_out",
				    (double)(all - table->n)))
		text = cJSON_PrintUnformatted(head);
	cJSON_Delete(head);
	if (!text)
		return cli_no_memory(table->cli);
	flame_text_put(out, text, strlen(text) - 1);
	cJSON_free(text);
	return cli_print(out, ",\"rows\":[") && cli_table_json(table, out) &&
	       cli_print(out, "\n]}");
}

static bool put_table(const struct cli *cli, struct flame *flame,
		      struct flame_tree *tree, struct flame_text *out)
{
	const struct diff *own = cli->own;
	const struct flame_rank *ranks;
	struct mover *movers = NULL;
	struct cli_table table;
	size_t n;
	bool good;

	if (flame_tree_rank(tree, FLAME_NAMES, NULL, &ranks, &n) == FLAME_OK)
		movers = sort_movers(cli, flame, ranks, &n);
	if (!movers)
		return false;
	table = (struct cli_table){
		.cli = cli, .own = own, .columns = mover_columns,
		.rows = movers, .row_size = sizeof(*movers), .n = n,
		.flame = flame, .nobody = "(no frames)", .mark = mark_of,
	};
	good = own->json ? put_json(&table, tree, out) :
	       cli_table_text(&table, (size_t)own->rows, out);
	free(movers);
	return good;
}

/* "cpu: 161 -> 602 samples", above the table of each of several metrics. */
static bool put_heading(struct flame *flame, const struct flame_tree *tree,
			bool first, struct flame_text *out)
{
	const char *metric, *unit;

	cli_metric(flame, tree, &metric, &unit);
	return cli_print(out, "%s%s: %" PRId64 " -> %" PRId64 " %s\n",
			 first ? "" : "\n", metric, flame_tree_total(tree, 0),
			 flame_tree_total(tree, 1), unit);
}

int diff_put_movers(const struct cli *cli, struct flame *flame,
		    struct flame_tree *tree)
{
	struct flame_text *out = flame_text_create(flame, cli->output);
	struct flame_tree *of = flame_tree_at(tree, 0);
	const struct diff *own = cli->own;
	bool good = out;

	if (good && own->json)
		good = cli_print(out, "{\"schema\":\"libflame/1\","
				 "\"kind\":\"changes\",\"metrics\":[\n");
	if (good && !of)
		good = put_table(cli, flame, tree, out);
	for (size_t i = 0; good && (of = flame_tree_at(tree, i)); i++)
		good = (own->json ? cli_print(out, i ? ",\n" : "") :
			put_heading(flame, of, !i, out)) &&
		       put_table(cli, flame, of, out);
	if (good && own->json)
		good = cli_print(out, "]}\n");
	if (good)
		return cli_text_finish(cli, out);
	flame_text_abandon(out);
	return CLI_TROUBLE;
}
