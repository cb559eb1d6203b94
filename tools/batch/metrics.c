/* SPDX-License-Identifier: Apache-2.0 */
/*
 * batch_add_metrics() adds the metrics of a page to its record: their sums, the
 * share below Spark's tasks, the heaviest frame, and a small picture of the
 * first.  It writes the folded stacks of each to SITE/data.  The page's trees,
 * one for each metric, come in.  Called by page.c.
 */
#include "batch/batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The method in which Spark runs tasks. */
#define TASKS "TaskRunner\\.run"

/* Metrics ------------------------------------------------------------- */

static const struct flame_metric *metric_of(const struct flame *flame,
					    const struct flame_tree *tree)
{
	const char *name = flame_tree_metric(tree);

	if (!*name)
		return NULL;
	for (unsigned i = 1; i <= flame_metrics(flame); i++)
		if (strcmp(flame_metric_of(flame, i)->name, name) == 0)
			return flame_metric_of(flame, i);
	return NULL;
}

/* The name of a file has no dots of a metric's: NAME.METRIC.folded.zst. */
static char *folded_name(const struct batch_drawing *d, const char *metric)
{
	char *name, *c;
	size_t head = strlen(BATCH_DATA) + strlen(d->group->name) + 1;

	if (asprintf(&name, BATCH_DATA "%s.%.100s.folded.zst", d->group->name,
		     metric) < 0)
		return NULL;
	for (c = name + head; c[strlen(".folded.zst")]; c++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVW"
			    "XYZ0123456789_-", *c))
			*c = '_';
	return name;
}

bool batch_write_folded(const struct batch *batch, struct flame *flame,
			struct flame_tree *tree, const char *name)
{
	char *path = batch_path(batch, "%s", name);
	struct flame_sink *sink = path ? flame_create(flame, path, "folded") :
					 NULL;

	free(path);
	if (!sink)
		return false;
	if (flame_tree_write(tree, sink) == FLAME_OK)
		return flame_finish(sink) == FLAME_OK;
	flame_abandon(sink);
	return false;
}

static bool is_heavier(const struct batch_drawing *d,
		       const struct flame_rank *a, const struct flame_rank *b)
{
	if (!b || a->self[0] != b->self[0])
		return !b || a->self[0] > b->self[0];
	return strcmp(flame_name_text(d->flame, a->name, NULL),
		      flame_name_text(d->flame, b->name, NULL)) < 0;
}

static bool add_heaviest(struct batch_drawing *d, struct flame_tree *tree,
			 cJSON *entry)
{
	const struct flame_rank *ranks, *best = NULL;
	size_t n;

	if (flame_tree_rank(tree, FLAME_NAMES, NULL, &ranks, &n) != FLAME_OK)
		return false;
	for (size_t i = 0; i < n; i++)
		if (is_heavier(d, &ranks[i], best))
			best = &ranks[i];
	return !best ||
	       (batch_add_text(entry, "heaviest",
			 flame_name_text(d->flame, best->name, NULL)) &&
		batch_add_number(entry, "heaviest_weight", best->self[0]));
}

static bool add_tasks(struct flame_tree *tree, cJSON *entry)
{
	const struct flame_rank *ranks;
	int64_t tasks = 0;
	size_t n;

	if (flame_tree_rank(tree, FLAME_CALLEES, TASKS, &ranks, &n) !=
	    FLAME_OK)
		return false;
	for (size_t i = 0; i < n; i++)
		tasks += ranks[i].total[0];
	return batch_add_number(entry, "tasks", tasks);
}

/*
 * "beside": [{work, weight}], the work of threads that run no task, in the
 * words of pages; for the reports, of time on a CPU.
 */
static bool add_beside(struct batch_drawing *d, struct flame_tree *tree,
		       cJSON *entry)
{
	cJSON *beside = cJSON_AddArrayToObject(entry, "beside");
	const struct flame_node *nodes;
	struct flame_gist gist;
	bool good = beside;
	size_t n;

	if (flame_tree_nodes(tree, 0, &nodes, &n) != FLAME_OK ||
	    flame_nodes_gist(d->flame, nodes, n, &gist) != FLAME_OK)
		return false;
	for (size_t i = 0; good && i < FLAME_GIST_BESIDE &&
	     gist.beside[i].work; i++) {
		cJSON *work = cJSON_CreateObject();

		good = work && cJSON_AddItemToArray(beside, work) &&
		       batch_add_text(work, "work", gist.beside[i].work) &&
		       batch_add_number(work, "weight",
					gist.beside[i].weight);
	}
	return good;
}

static bool add_metric(struct batch_drawing *d, cJSON *metrics,
		       struct flame_tree *tree)
{
	const struct flame_metric *metric = metric_of(d->flame, tree);
	const char *title = metric ? metric->name : "samples";
	cJSON *entry = cJSON_CreateObject();
	char *name;
	bool good;

	if (!entry || !cJSON_AddItemToArray(metrics, entry))
		return false;
	name = folded_name(d, title);
	good = name && batch_add_text(entry, "name", title) &&
	       batch_add_text(entry, "unit", metric ? metric->weight : title) &&
	       batch_add_number(entry, "weight", flame_tree_total(tree, 0)) &&
	       add_tasks(tree, entry) && add_heaviest(d, tree, entry) &&
	       (!d->batch->nlogs || strcmp(title, "cpu") != 0 ||
		add_beside(d, tree, entry)) &&
	       batch_write_folded(d->batch, d->flame, tree, name) &&
	       cJSON_AddStringToObject(entry, "folded", name);
	free(name);
	return good;
}

/* The strip ----------------------------------------------------------- */

enum { STRIP_WIDTH = 200, STRIP_ROWS = 8, STRIP_TYPES = 10 };

/* The heaviest node of tasks; without any the root. */
static size_t find_tasks(const struct flame *flame,
			 const struct flame_node *nodes, size_t n)
{
	static const char run[] = "TaskRunner.run";
	size_t best = 0, size;

	for (size_t i = 1; i < n; i++) {
		const char *name = flame_name_text(flame, nodes[i].name, &size);

		if (size >= sizeof(run) - 1 &&
		    strcmp(name + size - (sizeof(run) - 1), run) == 0 &&
		    (!best || nodes[i].total[0] > nodes[best].total[0]))
			best = i;
	}
	return best;
}

/*
 * Down from there, as long as a single frame has nearly all: such frames are
 * the same in all rows.
 */
static size_t first_row(const struct flame *flame,
			const struct flame_node *nodes, size_t n)
{
	size_t i = find_tasks(flame, nodes, n);

	while (i + 1 < n && nodes[i + 1].level == nodes[i].level + 1 &&
	       (double)nodes[i + 1].total[0] >= 0.95 *
					       (double)nodes[i].total[0])
		i++;
	return i;
}

/* A path for each type of frame, whose lines are the boxes. */
struct strip {
	FILE *path[STRIP_TYPES];
	char *text[STRIP_TYPES];
	size_t size[STRIP_TYPES];
	unsigned rows;
};

static void put_box(struct strip *strip, unsigned level, double x,
		    double width, enum flame_type type)
{
	int left = (int)(x + 0.5), pixels = (int)(x + width + 0.5) - left;
	unsigned i = (unsigned)type < STRIP_TYPES ? (unsigned)type : 0;

	if (pixels <= 0)
		return;
	strip->rows = level >= strip->rows ? level + 1 : strip->rows;
	if (!strip->path[i])
		strip->path[i] = open_memstream(&strip->text[i],
						&strip->size[i]);
	if (strip->path[i] && pixels > 1)
		fprintf(strip->path[i], "M%d %uh%d.5", left, level,
			pixels - 1);
	else if (strip->path[i])
		fprintf(strip->path[i], "M%d %uh1", left, level);
}

/* {"rows": 2, "t0": "M0 0h199.5M0 1h10.5"}: a unit down is a row. */
static bool add_strip(cJSON *record, struct strip *strip)
{
	cJSON *picture = cJSON_AddObjectToObject(record, "picture");
	bool good = picture &&
		    batch_add_number(picture, "rows", (int64_t)strip->rows);

	for (unsigned i = 0; i < STRIP_TYPES; i++) {
		char name[16];

		if (!strip->path[i])
			continue;
		snprintf(name, sizeof(name), "t%u", i);
		good = fclose(strip->path[i]) == 0 && good &&
		       cJSON_AddStringToObject(picture, name, strip->text[i]);
		free(strip->text[i]);
	}
	return good;
}

static void put_boxes(struct strip *strip, const struct flame *flame,
		      const struct flame_node *nodes, size_t n)
{
	double ends[STRIP_ROWS + 1] = { 0 };
	size_t first = first_row(flame, nodes, n);
	double scale = nodes[first].total[0] > 0 ?
		       STRIP_WIDTH / (double)nodes[first].total[0] : 0;

	for (size_t i = first; scale > 0 && i < n; i++) {
		unsigned level = nodes[i].level - nodes[first].level;
		double width = (double)nodes[i].total[0] * scale;

		if (i > first && nodes[i].level <= nodes[first].level)
			break;
		if (level >= STRIP_ROWS)
			continue;
		put_box(strip, level, ends[level], width, nodes[i].type);
		ends[level + 1] = ends[level];
		ends[level] += width;
	}
}

static bool add_picture(struct batch_drawing *d, struct flame_tree *tree)
{
	struct strip strip = { .rows = 0 };
	const struct flame_node *nodes;
	size_t n;

	if (flame_tree_nodes(tree, (double)flame_tree_total(tree, 0) /
				   STRIP_WIDTH / 20, &nodes, &n) != FLAME_OK)
		return false;
	if (n)
		put_boxes(&strip, d->flame, nodes, n);
	return add_strip(d->record, &strip);
}

/* cpu first, then by the number of samples. */
static int by_weight(const void *a, const void *b)
{
	struct flame_tree *const *x = a, *const *y = b;
	const char *p = flame_tree_metric(*x), *q = flame_tree_metric(*y);
	int d = (strcmp(q, "cpu") == 0) - (strcmp(p, "cpu") == 0);
	int64_t m = flame_tree_total(*x, 0), n = flame_tree_total(*y, 0);

	return d ? d : m != n ? (m < n ? 1 : -1) : strcmp(p, q);
}

/* Sorted; to be freed. */
static struct flame_tree **list_trees(const struct batch_drawing *d, size_t *n)
{
	struct flame_tree **trees;

	*n = 0;
	while (flame_trees_at(d->trees, *n))
		++*n;
	trees = calloc(*n + 1, sizeof(struct flame_tree *));
	for (size_t i = 0; trees && i < *n; i++)
		trees[i] = flame_trees_at(d->trees, i);
	if (trees && *n)
		qsort(trees, *n, sizeof(struct flame_tree *), by_weight);
	return trees;
}

char *batch_list_events(const struct batch_drawing *d)
{
	size_t n, size;
	struct flame_tree **trees = list_trees(d, &n);
	char *list = NULL;
	FILE *to = trees ? open_memstream(&list, &size) : NULL;

	for (size_t i = 0; to && i < n; i++) {
		const char *name = flame_tree_metric(trees[i]);

		/* Samples of no metric, and names that no list can have. */
		if (!*name || strchr(name, ',')) {
			fclose(to);
			free(list);
			free(trees);
			return strdup("all");
		}
		fprintf(to, "%s%s", i ? "," : "", name);
	}
	free(trees);
	return to && fclose(to) == 0 ? list : NULL;
}

bool batch_add_metrics(struct batch_drawing *d)
{
	cJSON *metrics = cJSON_AddArrayToObject(d->record, "metrics");
	size_t n;
	struct flame_tree **trees = list_trees(d, &n);
	bool good = metrics && trees;

	for (size_t i = 0; good && i < n; i++)
		good = !flame_tree_total(trees[i], 0) ||
		       add_metric(d, metrics, trees[i]);
	good = good && (!n || add_picture(d, trees[0]));
	free(trees);
	return good;
}
