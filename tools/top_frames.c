/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of flame-top.  top_write_frames() receives the merged tree from
 * cli.c, ranks its frames, or the callers or callees of a match, or lists its
 * nodes (--tree); it leaves out light rows and has top_write.c write the table.
 * With --key it calls top_keys.c instead.
 */
#include "top.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	LEADS_ON = 95,		/* percent: as pages fold */
	NAMES_IN_BUDGET = 16	/* a name may use this part of it */
};

struct row {
	struct cli_frame frame;
	const char *text;
	int64_t self, total;
	double sooner;		/* s; NAN: not known */
	double passed;		/* frames before it that only lead on, or NAN */
	bool lighter;		/* sums the nodes that are left out */
};

#define AT(member) .offset = offsetof(struct row, member)

static const struct cli_column columns[] = {
	/* Of a tree; frames are passed in a budget. */
	{ "passed", NULL, CLI_CELL_REAL, AT(passed), CLI_IN_JSON },
	{ "level", NULL, CLI_CELL_LEVEL, AT(frame.level) },
	{ "self", "self", CLI_CELL_WEIGHT, AT(self) },
	{ NULL, "%", CLI_CELL_SHARE, AT(self) },
	{ "total", "total", CLI_CELL_WEIGHT, AT(total) },
	{ NULL, "%", CLI_CELL_SHARE, AT(total) },
	{ "sooner_s", "sooner s", CLI_CELL_REAL, AT(sooner) },
	{ "frame", "frame", CLI_CELL_FRAME, AT(frame) },
	{ .kind = CLI_CELL_END }
};

struct view {
	const struct cli *cli;
	const struct own *own;
	const struct flame *flame;
	const struct flame_tree *tree;
	struct row *rows;
	size_t n;
	size_t passed;		/* rows of runs, which are not shown */
	struct cli_column shown[sizeof(columns) / sizeof(*columns)];
	int64_t total;		/* that percentages are of */
	struct top_report report;
	flame_id lighter;	/* the name of what a tree leaves out */
};

static int by_self(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->self != y->self)
		return x->self < y->self ? 1 : -1;
	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return strcmp(x->text, y->text);
}

static int by_total(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return by_self(a, b);
}

static double minimum(const struct view *v)
{
	return v->own->percent ? (double)v->total * v->own->min / 100 :
				 v->own->min;
}

/* Leaves out the rows whose total is lighter, be it negative (freed memory). */
static void drop_light(struct view *v)
{
	double least = minimum(v);
	size_t n = 0;

	for (size_t i = 0; i < v->n; i++)
		if (fabs((double)v->rows[i].total) >= least)
			v->rows[n++] = v->rows[i];
	v->n = n;
}

/* Leaves out a name that hardly stands anywhere else. */
static void pass_over(struct view *v, const struct flame_node *node)
{
	for (size_t i = 0; i < v->n; i++)
		if (v->rows[i].frame.name == node->name &&
		    (double)v->rows[i].total * LEADS_ON <=
				(double)node->total[0] * 100) {
			memmove(&v->rows[i], &v->rows[i + 1],
				(--v->n - i) * sizeof(*v->rows));
			v->passed++;
			return;
		}
}

/* Of calls that only lead on the first is enough, as in a page. */
static bool pass_over_runs(struct view *v, struct flame_tree *tree)
{
	const struct flame_node *nodes;
	size_t n, length;

	if (flame_tree_nodes(tree, (double)v->total / 20, &nodes, &n) !=
	    FLAME_OK)
		return false;
	for (size_t i = 1; i < n; i += length ? length : 1) {
		length = top_run(nodes, n, i);
		for (size_t k = 1; k < length; k++)
			pass_over(v, &nodes[i + k]);
	}
	return true;
}

static bool fill_ranks(struct view *v, struct flame_tree *tree)
{
	const struct flame_rank *ranks;

	if (flame_tree_rank(tree, v->own->which, v->own->re, &ranks,
			    &v->n) != FLAME_OK)
		return false;
	v->rows = malloc((v->n + 1) * sizeof(*v->rows));
	if (!v->rows)
		return cli_no_memory(v->cli);
	if (v->own->which != FLAME_NAMES)
		v->total = 0;
	for (size_t i = 0; i < v->n; i++) {
		v->rows[i] = (struct row){
			.frame = { .name = ranks[i].name },
			.text = flame_name_text(v->flame, ranks[i].name, NULL),
			.self = ranks[i].self[0], .total = ranks[i].total[0],
		};
		if (v->own->which != FLAME_NAMES)
			v->total += ranks[i].total[0];
	}
	qsort(v->rows, v->n, sizeof(*v->rows),
	      v->own->by_total ? by_total : by_self);
	v->report.all = v->n;
	drop_light(v);
	return v->own->which != FLAME_NAMES || !v->own->by_total ||
	       v->own->no_fold_trunk || v->own->format != TOP_TEXT ||
	       pass_over_runs(v, tree);
}

/* A row of what the node of this level calls and is not shown. */
static void add_lighter(struct view *v, const int64_t *rest, unsigned level)
{
	if (rest[level])
		v->rows[v->n++] = (struct row){
			.frame = { .name = v->lighter, .level = level + 1 },
			.text = flame_name_text(v->flame, v->lighter, NULL),
			.self = rest[level], .total = rest[level],
			.passed = NAN, .lighter = true,
		};
}

/*
 * Nodes of at least a weight, and sums of the others.  rest: by level, what is
 * neither self nor in a node that was seen.
 */
static void add_nodes(struct view *v, const struct top_node *nodes, size_t n,
		      double least, int64_t *rest)
{
	unsigned open = 0;

	v->n = 0;
	for (size_t i = 0; i < n; i++) {
		const struct flame_node *node = &nodes[i].node;

		/* A child can weigh more where memory was freed. */
		if (i && (fabs((double)node->total[0]) < least ||
			  node->level > open))
			continue;
		while (open > node->level)
			add_lighter(v, rest, --open);
		rest[open++] = node->total[0] - node->self[0];
		if (node->level)
			rest[node->level - 1] -= node->total[0];
		v->rows[v->n++] = (struct row){
			.frame = { .name = node->name, .level = node->level },
			.text = flame_name_text(v->flame, node->name, NULL),
			.self = node->self[0], .total = node->total[0],
			.passed = nodes[i].passed ? nodes[i].passed : NAN,
		};
	}
	while (open)
		add_lighter(v, rest, --open);
}

/* The text shown for an empty name. */
static const char *nobody(const struct own *own)
{
	return own->tree ? "all" :
	       own->which == FLAME_CALLERS ? "(root)" :
	       own->which == FLAME_CALLEES ? "(self)" : "(no frames)";
}

static char mark_of(const struct cli_table *table, const void *at)
{
	const struct own *own = ((const struct view *)table->own)->own;
	const struct row *row = at;
	double share = table->total ? (double)(own->by_total || own->tree ?
		row->total : row->self) / (double)table->total : 0;

	return share >= 0.1 && !own->tree ? '+' : share < 0.01 ? '.' : ' ';
}

/* Of a row alone, so that they add up. */
static int64_t own_weight(const void *at)
{
	const struct row *row = at;

	return row->lighter ? 0 : row->self;
}

static int64_t total_weight(const void *at)
{
	return ((const struct row *)at)->total;
}

static const char *kind_of(const struct own *own)
{
	return own->tree ? "tree" :
	       own->which == FLAME_CALLERS ? "callers" :
	       own->which == FLAME_CALLEES ? "callees" : "frames";
}

/*
 * Of rows of at least a hundredth: each is a replay of the log.  Empty names,
 * and what is not of a task, have none.
 */
static bool fill_sooner(struct view *v)
{
	flame_id *names = malloc((v->n + 1) * sizeof(*names));
	int64_t *us = malloc((v->n + 1) * sizeof(*us));
	bool good = names && us;
	size_t n = 0;

	for (size_t i = 0; good && i < v->n; i++)
		if ((double)v->rows[i].total * 100 >= (double)v->total)
			names[n++] = v->rows[i].frame.name;
	if (!good)
		cli_no_memory(v->cli);
	good = good && flame_bill_sooner(v->cli->bill, names, n, us) ==
			       FLAME_OK;
	for (size_t i = 0, k = 0; good && i < v->n; i++) {
		bool asked = k < n && names[k] == v->rows[i].frame.name;

		v->rows[i].sooner = asked && us[k] != INT64_MIN ?
			(double)us[k] / 1e6 : NAN;
		k += asked;
	}
	free(names);
	free(us);
	return good;
}

/* Of a tree with its levels, of costs with the column sooner. */
static const struct cli_column *choose_columns(const struct view *v,
					       struct cli_column *to)
{
	size_t n = 0;

	for (const struct cli_column *c = columns; c->kind != CLI_CELL_END; c++)
		if ((c->offset != offsetof(struct row, frame.level) ||
		     v->own->tree) &&
		    (c->offset != offsetof(struct row, passed) ||
		     (v->own->tree && v->own->budget)) &&
		    (c->offset != offsetof(struct row, sooner) ||
		     v->cli->bill))
			to[n++] = *c;
	to[n] = (struct cli_column){ .kind = CLI_CELL_END };
	return to;
}

static void describe(struct view *v)
{
	const struct own *own = v->own;
	struct top_report *r = &v->report;
	bool around = own->which != FLAME_NAMES && !own->tree;

	cli_metric(v->flame, v->tree, &r->metric, &r->unit);
	r->kind = kind_of(own);
	r->matches = around ? own->re : NULL;
	r->of = flame_tree_total(v->tree, 0);
	r->own_weight = around ? total_weight : own_weight;
	r->sums = 0;
	for (size_t i = 0; i < v->n; i++)
		r->sums += v->rows[i].lighter;
	r->table = (struct cli_table){
		.cli = v->cli, .own = v, .mark = mark_of,
		.columns = choose_columns(v, v->shown), .digits = 3,
		.rows = v->rows, .row_size = sizeof(*v->rows), .n = v->n,
		.flame = v->flame, .nobody = nobody(own), .total = v->total,
		.micro = cli_is_micro(r->unit),
		.max_name = own->budget / NAMES_IN_BUDGET,
	};
}

static int heavier(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x < y) - (x > y);
}

static bool fits(struct view *v, const struct top_node *nodes, size_t n,
		 double least, int64_t *rest)
{
	add_nodes(v, nodes, n, least, rest);
	describe(v);
	return top_json_size(&v->report) <= v->own->budget;
}

/* As many nodes as fit, the heaviest: their weight is found by bisection. */
static bool choose_nodes(struct view *v, const struct top_node *nodes, size_t n,
			 int64_t *rest)
{
	enum { LEAST_ROW = 40 };	/* bytes */
	double *weights = malloc(n * sizeof(*weights));
	size_t good = 1, bad = v->own->budget / LEAST_ROW + 1;

	if (!weights)
		return cli_no_memory(v->cli);
	for (size_t i = 0; i < n; i++)
		weights[i] = fabs((double)nodes[i].node.total[0]);
	qsort(weights, n, sizeof(*weights), heavier);
	bad = bad > n ? n + 1 : bad;
	while (bad - good > 1) {
		size_t middle = good + (bad - good) / 2;

		if (fits(v, nodes, n, weights[middle - 1], rest))
			good = middle;
		else
			bad = middle;
	}
	/* Those as heavy as the first that is too much are, too. */
	while (good > 1 && !fits(v, nodes, n, weights[good - 1], rest))
		good--;
	if (good == 1)
		add_nodes(v, nodes, n, HUGE_VAL, rest);
	free(weights);
	return true;
}

static bool fill_nodes(struct view *v, struct flame_tree *tree)
{
	const struct flame_node *nodes;
	struct top_node *list = NULL;
	int64_t *rest = NULL;
	bool good = false;
	size_t n;

	if (v->own->format == TOP_JSON &&
	    flame_tree_nodes(tree, 0, &nodes, &v->report.all) != FLAME_OK)
		return false;
	if (flame_tree_nodes(tree, minimum(v), &nodes, &n) != FLAME_OK)
		return false;
	list = top_fold(v->cli, nodes, &n, v->own->budget);
	v->rows = malloc((2 * n + 1) * sizeof(*v->rows));
	rest = malloc((n + 1) * sizeof(*rest));
	if (!list || !v->rows || !rest) {
		cli_no_memory(v->cli);
	} else if (v->own->budget) {
		good = choose_nodes(v, list, n, rest);
	} else {
		add_nodes(v, list, n, 0, rest);
		good = true;
	}
	if (v->own->format != TOP_JSON)
		v->report.all = v->n;
	free(rest);
	free(list);
	return good;
}

/* Text ------------------------------------------------------ */

/* Self weights add up; totals do for callers and callees of a match. */
static void put_left_out(const struct view *v, struct flame_text *out)
{
	bool around = v->own->which != FLAME_NAMES;
	int64_t sum = 0;

	if (v->n == v->report.all)
		return;
	cli_print(out, "; %zu of %zu %s", v->n, v->report.all,
		  v->own->tree ? "rows" : "frames");
	for (size_t i = 0; i < v->n; i++)
		sum += around ? v->rows[i].total : v->rows[i].self;
	if (!v->own->tree && v->total)
		cli_print(out, " with %.2f%% of %s",
			  100.0 * (double)sum / (double)v->total,
			  around ? "it" : "self");
	if (v->passed)
		cli_print(out, "; %zu that only lead on (--no-fold-trunk)",
			  v->passed);
}

static bool put_heading(const struct top_report *r, struct flame_text *out)
{
	const struct view *v = r->table.own;
	bool good = top_heading(r, out);

	if (v->own->which != FLAME_NAMES && !v->own->tree) {
		cli_print(out, " in what matches ");
		good &= top_put_visible(v->own->re, v->cli, out);
		cli_print(out, ", by %s",
			  v->own->which == FLAME_CALLERS ? "caller" :
							   "callee");
	}
	put_left_out(v, out);
	cli_print(out, "\n");
	return good;
}

int top_write_frames(struct cli *cli, struct flame *flame,
		     struct flame_tree *tree)
{
	const struct own *own = cli->own;
	struct view view = {
		.cli = cli, .own = own, .flame = flame, .tree = tree,
		.total = flame_tree_total(tree, 0),
		.lighter = flame_name(flame, "(lighter)", 9),
	};
	int status;

	if (own->key)
		return top_keys_write(cli, flame, tree, &(struct top_keys){
			.list = own->key, .format = own->format,
			.rows = own->rows, .budget = own->budget,
			.min = own->min, .percent = own->percent,
		});
	if (!(own->tree ? fill_nodes(&view, tree) : fill_ranks(&view, tree)))
		return CLI_TROUBLE;
	if (own->rows && view.n > (size_t)own->rows)
		view.n = own->rows;
	describe(&view);
	if (cli->bill && !fill_sooner(&view)) {
		free(view.rows);
		return CLI_TROUBLE;
	}
	if (!own->tree)
		top_fit(&view.report, own->budget);
	status = top_write(&view.report, own->format, put_heading, flame);
	free(view.rows);
	return status;
}
