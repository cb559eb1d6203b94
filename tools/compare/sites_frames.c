/* SPDX-License-Identifier: Apache-2.0 */
/*
 * site_compare() reads two sites of flame-batch and pairs their rows
 * (sites_read.c, sites_match.c); then it finds the frames that explain why a
 * row changed, from the folded stacks of both sites.  The result is a struct
 * site_pairs.  Called by sites.c and report/against.c.
 */
#include "compare/sites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool pump(struct flame *flame, struct flame_sink *sink, const char *path)
{
	struct flame_source *source = flame_open(flame, path, "folded");
	bool good = source && flame_pump(source, sink) == FLAME_OK;

	flame_close(source);
	return good;
}

/* As --keep has it: of a task, not of the executor's idle threads. */
#define TASKS "executor.Executor\\$TaskRunner.run$"

/* The stacks of a row, all or those of tasks; NULL: failed. */
static struct flame_tree *make_tree(struct flame *flame,
				    const struct site *site,
				    const struct site_row *row, bool tasks)
{
	struct flame_tree *tree = flame_tree_new(flame, 1);
	struct flame_sink *sink = tree ? flame_tree_sink(tree, 0) : NULL;
	bool good;

	if (tasks)
		sink = flame_filter(sink, "keep", TASKS);
	good = sink;
	for (size_t i = 0; good && i < row->nstacks; i++) {
		char *path;

		if (asprintf(&path, "%s/%s", site->path, row->stacks[i]) < 0)
			path = NULL;
		good = path && pump(flame, sink, path);
		free(path);
	}
	if (good)
		good = flame_finish(sink) == FLAME_OK;
	else
		flame_abandon(sink);
	if (good)
		return tree;
	flame_tree_free(tree);
	return NULL;
}

/* Both sides of a pair, as one run each; false: failed, or *empty. */
static bool add_pair(struct flame *flame, struct flame_trials *trials,
		     const struct site_pairs *p, const struct site_pair *pair,
		     bool tasks, bool *empty)
{
	struct flame_tree *trees[2] = {
		make_tree(flame, &p->sites[0], pair->before, tasks),
		make_tree(flame, &p->sites[1], pair->after, tasks),
	};
	bool good = trees[0] && trees[1];

	*empty = good && (!flame_tree_total(trees[0], 0) ||
			  !flame_tree_total(trees[1], 0));
	for (unsigned side = 0; good && side < 2 && (!tasks || !*empty); side++)
		good = flame_trials_add(trials, side, trees[side]) == FLAME_OK;
	flame_tree_free(trees[0]);
	flame_tree_free(trees[1]);
	return good && (!tasks || !*empty);
}

/* Tasks are billed; where no stack is of a task, all stacks. */
static bool add_stacks(struct flame *flame, struct flame_trials *trials,
		       const struct site_pairs *p, const struct site_pair *pair)
{
	bool empty = false;

	if (p->sites[0].billed &&
	    add_pair(flame, trials, p, pair, true, &empty))
		return true;
	return (!p->sites[0].billed || empty) &&
	       add_pair(flame, trials, p, pair, false, &empty);
}

static char *name_of(const struct flame *flame,
		     const struct flame_change *change)
{
	size_t n, size;
	const char *text = flame_name_text(flame, change->name, &n);
	char *name;

	if (!change->name) {
		text = "(all)";
		n = strlen(text);
	}
	size = flame_visible(NULL, 0, text, n) + 1;
	name = malloc(size);
	if (name)
		flame_visible(name, size, text, n);
	return name;
}

/* What a unit of a row's stacks costs, on the average. */
static double price_of(const struct flame_change *all, unsigned side,
		       const struct site_row *row)
{
	return all->mean[side] > 0 ? row->cost / all->mean[side] : 0;
}

static bool keep_frames(const struct flame *flame,
			const struct flame_trials *trials,
			struct site_pair *pair)
{
	const struct flame_change *all = flame_trials_all(trials), *change;

	for (size_t i = 0; pair->nframes < SITE_MAX_FRAMES &&
			   (change = flame_trials_at(trials, i)) &&
			   change->found && !change->explained; i++) {
		struct site_frame *frame = &pair->frames[pair->nframes++];

		frame->before = change->mean[0] *
				price_of(all, 0, pair->before);
		frame->after = change->mean[1] *
			       price_of(all, 1, pair->after);
		frame->name = name_of(flame, change);
		if (!frame->name)
			return false;
	}
	return true;
}

static bool explain(const struct site_pairs *p, struct site_pair *pair)
{
	struct flame *flame = flame_new();
	struct flame_trials *trials = flame ? flame_trials_new(flame) : NULL;
	bool good;

	if (flame) {
		flame_unify_java(flame, true);
		flame_demangle(flame, true);
	}
	good = trials &&
	       add_stacks(flame, trials, p, pair) &&
	       flame_trials_compare(trials, FLAME_ABSOLUTE, 0.05, NULL) ==
		       FLAME_OK &&
	       keep_frames(flame, trials, pair);
	if (!good)
		cli_say(p->cli, "%s", flame && flame_error(flame)[0] ?
			flame_error(flame) : "out of memory");
	flame_trials_free(trials);
	flame_free(flame);
	return good;
}

bool site_explain(struct site_pairs *p)
{
	for (size_t i = 0; i < p->n; i++) {
		struct site_pair *pair = &p->pairs[i];

		if (pair->before && pair->after && pair->before->nstacks &&
		    pair->after->nstacks &&
		    strcmp(pair->before->metric, pair->after->metric) == 0 &&
		    !explain(p, pair))
			return false;
	}
	return true;
}

bool site_compare(const struct cli *cli, const char *before, const char *after,
		  struct site_pairs *pairs)
{
	*pairs = (struct site_pairs){ .cli = cli };
	if (!site_read(cli, before, &pairs->sites[0]) ||
	    !site_read(cli, after, &pairs->sites[1]))
		return false;
	if (pairs->sites[0].billed != pairs->sites[1].billed) {
		cli_say(cli, "%s was made with event logs of Spark, and %s "
			"without: costs and samples do not compare",
			pairs->sites[pairs->sites[1].billed].path,
			pairs->sites[!pairs->sites[1].billed].path);
		return false;
	}
	return site_match(pairs) && site_explain(pairs);
}
