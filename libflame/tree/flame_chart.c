/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flame charts: fl_chart_layout() makes nodes of stacks that run from left to
 * right in a given order; frames that neighbours share from the root on are one
 * node.  The flame graphs of flamegraph.pl and inferno are charts, too, of
 * sorted lines: fl_compat_layout().  For draw/page.c.
 */
#include "fl.h"

#include "tree/tree.h"

#include <stdlib.h>

struct chart {
	struct flame *flame;
	struct fl_layout *l;
	size_t capacity[9];
	bool raw;		/* see fl_chart_layout */
	flame_id *path;		/* frames of the current stack, root first */
	uint32_t *open;		/* its nodes, root first */
	size_t npath, nopen, path_capacity, open_capacity;
	int64_t at;		/* x: weight so far */
};

static bool add_node(struct chart *c, flame_id frame)
{
	struct fl_layout *l = c->l;
	const struct flame_frame *f = &c->flame->frames.data[frame];
	uint32_t i = l->count;
	size_t need = (size_t)i + 1;

	if (!fl_grow(&l->name, &c->capacity[0], need, sizeof(*l->name)) ||
	    !fl_grow(&l->type, &c->capacity[1], need, sizeof(*l->type)) ||
	    !fl_grow(&l->parent, &c->capacity[2], need, sizeof(*l->parent)) ||
	    !fl_grow(&l->level, &c->capacity[3], need, sizeof(*l->level)) ||
	    !fl_grow(&l->end, &c->capacity[4], need, sizeof(*l->end)) ||
	    !fl_grow(&l->self[0], &c->capacity[5], need, sizeof(int64_t)) ||
	    !fl_grow(&l->total[0], &c->capacity[6], need, sizeof(int64_t)) ||
	    !fl_grow(&l->x, &c->capacity[7], need, sizeof(int64_t)) ||
	    !fl_grow(&c->open, &c->open_capacity, c->nopen + 1,
		     sizeof(*c->open)))
		return false;
	l->name[i] = f->name;
	l->type[i] = i ? f->type : FLAME_GROUP;
	l->parent[i] = c->nopen ? c->open[c->nopen - 1] : 0;
	l->level[i] = c->nopen;
	l->depth = FL_MAX(l->depth, c->nopen);
	l->self[0][i] = l->total[0][i] = 0;
	l->x[i] = c->at;
	c->open[c->nopen++] = i;
	l->count++;
	return true;
}

static bool list_frames(struct chart *c, flame_id stack)
{
	size_t n = 0;

	for (flame_id s = stack; s; s = fl_parent(c->flame, s))
		n++;
	if (!fl_grow(&c->path, &c->path_capacity, n + 1, sizeof(*c->path)))
		return false;
	c->npath = n;
	for (flame_id s = stack; s; s = fl_parent(c->flame, s))
		c->path[--n] = fl_frame_id(c->flame, s);
	return true;
}

static bool is_same_frame(const struct chart *c, uint32_t node, flame_id frame)
{
	const struct flame_frame *f = &c->flame->frames.data[frame];

	if (c->l->name[node] != f->name)
		return false;
	if (c->raw)
		return c->l->type[node] == f->type;
	return (c->l->type[node] == FLAME_KERNEL) ==
	       (f->type == FLAME_KERNEL);
}

static bool add_step(struct chart *c, const struct fl_chart_stack *step)
{
	struct fl_layout *l = c->l;
	size_t same = 0;

	if (!list_frames(c, step->stack))
		return false;
	while (same < c->npath && same + 1 < c->nopen &&
	       is_same_frame(c, c->open[same + 1], c->path[same]))
		same++;
	while (c->nopen > same + 1)
		l->end[c->open[--c->nopen]] = l->count;
	for (; same < c->npath; same++)
		if (!add_node(c, c->path[same]))
			return false;
	l->self[0][c->open[c->nopen - 1]] += step->weight;
	for (size_t i = 0; i < c->nopen; i++)
		l->total[0][c->open[i]] += step->weight;
	c->at += step->weight;
	return true;
}

struct fl_layout *fl_chart_layout(struct flame_tree *tree,
				  const struct fl_chart_stack *steps, size_t n,
				  bool raw)
{
	const struct flame_metric *metric =
		flame_metric_of(tree->flame, tree->metric);
	struct chart c = { .flame = tree->flame, .raw = raw };
	bool good;

	c.l = fl_zeroed(1, sizeof(*c.l));
	if (!c.l)
		return NULL;
	c.l->columns = 1;
	c.l->unit = metric->weight;
	c.l->metric = metric->name;
	good = add_node(&c, 0);
	for (size_t i = 0; good && i < n; i++)
		if (steps[i].weight)
			good = add_step(&c, &steps[i]);
	while (good && c.nopen)
		c.l->end[c.open[--c.nopen]] = c.l->count;
	fl_free(c.path);
	fl_free(c.open);
	if (good)
		return c.l;
	fl_layout_free(c.l);
	return NULL;
}

/* As flamegraph.pl sorts ------------------------------------------------- */

struct line {
	struct fl_chart_stack step;
	char *text;
	size_t size;
};

static int by_text(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	int d = memcmp(x->text, y->text, FL_MIN(x->size, y->size));

	return d ? d : (x->size > y->size) - (x->size < y->size);
}

/* "a;b_[j];c ": the line without its count. */
static bool spell_line(struct flame *flame, struct fl_arena *arena,
		       struct line *line)
{
	char *end;

	line->size = 0;
	for (flame_id s = line->step.stack; s; s = fl_parent(flame, s)) {
		const struct flame_frame *f = fl_frame_at(flame, s);

		line->size += fl_name_at(flame, f->name).size + 1 +
			      strlen(fl_type_suffix(f->type));
	}
	line->size = FL_MAX(line->size, 1);
	line->text = fl_arena_alloc(arena, line->size);
	if (!line->text)
		return false;
	end = line->text + line->size;
	*--end = ' ';
	for (flame_id s = line->step.stack; s; s = fl_parent(flame, s)) {
		const struct flame_frame *f = fl_frame_at(flame, s);
		struct slice name = fl_name_at(flame, f->name);
		const char *suffix = fl_type_suffix(f->type);

		end -= strlen(suffix);
		memcpy(end, suffix, strlen(suffix));
		end -= name.size;
		memcpy(end, name.data, name.size);
		if (end > line->text)
			*--end = ';';
	}
	return true;
}

struct fl_layout *fl_compat_layout(struct flame_tree *tree)
{
	size_t capacity = tree->capacity[0], n = 0;
	struct line *lines = fl_zeroed(capacity + 1, sizeof(*lines));
	struct fl_chart_stack *steps = fl_zeroed(capacity + 1, sizeof(*steps));
	struct fl_arena arena = { 0 };
	struct fl_layout *l = NULL;
	bool good = lines && steps;

	for (size_t i = 0; good && i < capacity; i++) {
		if (!tree->weight[0][i])
			continue;
		lines[n].step =
			(struct fl_chart_stack){ i, tree->weight[0][i] };
		good = spell_line(tree->flame, &arena, &lines[n++]);
	}
	if (good) {
		qsort(lines, n, sizeof(*lines), by_text);
		for (size_t i = 0; i < n; i++)
			steps[i] = lines[i].step;
		l = fl_chart_layout(tree, steps, n, true);
	}
	if (!l)
		fl_no_memory(tree->flame);
	fl_arena_free(&arena);
	fl_free(lines);
	fl_free(steps);
	return l;
}
