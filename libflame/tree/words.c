/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums a tree's self weights by work (a row of share/rules/works: GC, zlib, ...)
 * and finds the frame and the leaf that describe most of it, for sentences:
 * nodes in, struct fl_words out (works.h).  Begin at fl_wording_find().
 *
 * A sample is of one work: that of the innermost frame with one, unless a caller
 * of that frame has a work of kind "over", which is of all that it calls.  A
 * wait (disk, network) counts only where there is no other work, and callers of
 * a task's first frame do not count.  For gist.c, draw/html.c and
 * spark/bill_frames.c, which put it into sentences.
 */
#include "fl.h"

#include "tree/works.h"

#include <stdlib.h>

enum { IN_TASK = 1, IDLE = 2 };

/* The path from the root to a node. */
struct path {
	flame_id own, platform;	/* the innermost frames of these kinds */
	uint8_t work;		/* its row plus one; 0: none */
	uint8_t flags;
	bool inside;		/* it has the frame that was found */
};

struct by_name {
	int64_t total, self;	/* self: of samples without a work */
	int64_t inner;		/* of stacks whose innermost such frame it is */
	uint32_t until;		/* nodes before it are in one already counted */
	uint8_t fact;		/* its row plus two; 1: none; 0: not known */
	uint8_t type;
	bool listed;
};

struct fl_wording {
	struct flame *flame;
	struct fl_work_names *works;
	struct by_name *names;
	size_t names_capacity;
	flame_id *list;		/* names with a weight */
	size_t nlist, list_capacity;
	struct path *paths;	/* by node */
	size_t paths_capacity;
	int64_t *totals;	/* by node; at first the self weight that is described */
	size_t totals_capacity;
	int64_t works_sum[FL_MAX_WORKS], beside_sum[FL_MAX_WORKS];
	int64_t inside_sum[FL_MAX_WORKS];
	struct fl_map what;	/* work and own frame -> weight */
	bool java;		/* then native code is the platform's */
	bool tasks;		/* only stacks of tasks are described */
	bool all_idle;		/* so that idle stacks count */
};

struct fl_wording *fl_wording_new(struct flame *flame)
{
	struct fl_wording *w = fl_zeroed(1, sizeof(*w));

	if (!w)
		return NULL;
	w->flame = flame;
	w->what.ordered = true;
	w->works = fl_work_names_new();
	if (w->works)
		return w;
	fl_wording_free(w);
	return NULL;
}

void fl_wording_free(struct fl_wording *w)
{
	if (!w)
		return;
	fl_work_names_free(w->works);
	fl_free(w->names);
	fl_free(w->list);
	fl_free(w->paths);
	fl_free(w->totals);
	fl_map_free(&w->what);
	fl_free(w);
}

static bool reserve(struct fl_wording *w, const struct fl_word_nodes *nodes)
{
	size_t names = w->flame->names.count + 1;

	return fl_grow_zeroed(&w->names, &w->names_capacity, names,
			      sizeof(*w->names)) &&
	       fl_grow(&w->list, &w->list_capacity, names, sizeof(*w->list)) &&
	       fl_grow(&w->paths, &w->paths_capacity, nodes->count,
		       sizeof(*w->paths)) &&
	       fl_grow(&w->totals, &w->totals_capacity, nodes->count,
		       sizeof(*w->totals));
}

static const struct fl_work *work_of(const struct by_name *n)
{
	static const struct fl_work own = { .kind = FL_WORK_OWN };

	return n->fact > 1 ? &fl_works[n->fact - 2] : &own;
}

static void find_facts(struct fl_wording *w, const struct fl_word_nodes *nodes)
{
	w->java = false;
	w->tasks = nodes->tasks;
	for (uint32_t i = 1; i < nodes->count; i++) {
		struct by_name *n = &w->names[nodes->name[i]];
		uint8_t type = nodes->type[i];

		if (!n->fact)
			n->fact = 1 + fl_work_of(w->works, fl_name_at(
						w->flame, nodes->name[i]));
		w->tasks |= work_of(n)->kind == FL_WORK_TASK;
		w->java |= type >= FLAME_INTERPRETED && type <= FLAME_INLINED;
	}
}

static bool is_native(uint8_t type)
{
	return type == FLAME_NATIVE || type == FLAME_CPP ||
	       type == FLAME_KERNEL || type == FLAME_JAVA_NATIVE;
}

/* Paths ------------------------------------------------------------------- */

static struct path start_of(const struct fl_word_nodes *nodes)
{
	return (struct path){ .flags = nodes->tasks ? IN_TASK : 0 };
}

static bool is_over(const struct path *p)
{
	return p->work && fl_works[p->work - 1].kind == FL_WORK_OVER;
}

static struct path extend(const struct fl_wording *w, struct path p,
			  flame_id name, uint8_t type)
{
	const struct by_name *n = &w->names[name];
	uint8_t row = (uint8_t)(n->fact - 1);

	switch (work_of(n)->kind) {
	case FL_WORK_TASK:
		return (struct path){ .flags = IN_TASK };
	case FL_WORK_OVER:
	case FL_WORK_INNER:
		p.work = is_over(&p) ? p.work : row;
		break;
	case FL_WORK_WAIT:
		p.work = p.work ? p.work : row;
		break;
	case FL_WORK_PAUSE:
		p.flags |= p.work ? 0 : IDLE;
		break;
	case FL_WORK_IDLE:
		p.flags |= IDLE;
		break;
	case FL_WORK_OWN:
		if (w->java && is_native(type))
			p.platform = name;
		else
			p.own = name;
		break;
	case FL_WORK_PLATFORM:
		p.platform = name;
		break;
	case FL_WORK_WRAPPER:
		break;
	}
	return p;
}

static void list_name(struct fl_wording *w, flame_id name, uint8_t type)
{
	struct by_name *n = &w->names[name];

	if (!n->listed)
		w->list[w->nlist++] = name;
	n->listed = true;
	n->type = type;
}

/* The rows of one name are one work. */
static uint8_t first_row(uint8_t row)
{
	uint8_t first = 0;

	while (strcmp(fl_works[first].name, fl_works[row].name) != 0)
		first++;
	return first;
}

static bool add_work(struct fl_wording *w, const struct path *p, int64_t self)
{
	uint8_t row = first_row((uint8_t)(p->work - 1));
	uint64_t *sum;

	w->works_sum[row] += self;
	sum = fl_map_put(&w->what, (uint64_t)(row + 1) << 32 | p->own, NULL);
	if (sum)
		*sum += (uint64_t)self;
	return sum;
}

static bool is_counted(const struct fl_wording *w, const struct path *p)
{
	return w->tasks ? p->flags & IN_TASK :
			  w->all_idle || !(p->flags & IDLE);
}

/* A node's self; false: out of memory. */
static bool add_self(struct fl_wording *w, struct fl_words *words,
		     const struct fl_word_nodes *nodes, uint32_t i)
{
	const struct path *p = &w->paths[i];
	int64_t self = nodes->self[i];
	bool idle = p->flags & IDLE && !w->tasks && !w->all_idle;
	bool counts = is_counted(w, p);

	w->totals[i] = counts ? self : 0;
	if (!self || idle)
		return true;
	words->all += self;
	if (!counts) {
		if (p->work)
			w->beside_sum[first_row((uint8_t)(p->work - 1))] +=
				self;
		return true;
	}
	words->base += self;
	words->kinds[nodes->type[i]] += self;
	if (p->own)
		w->names[p->own].inner += self;
	if (p->platform && !p->work)
		w->names[p->platform].inner += self;
	if (p->work)
		return add_work(w, p, self);
	w->names[nodes->name[i]].self += self;
	return true;
}

static bool add_paths(struct fl_wording *w, struct fl_words *words,
		      const struct fl_word_nodes *nodes)
{
	w->totals[0] = 0;
	w->paths[0] = start_of(nodes);
	for (uint32_t i = 1; i < nodes->count; i++) {
		w->paths[i] = extend(w, w->paths[nodes->parent[i]],
				     nodes->name[i], nodes->type[i]);
		if (!add_self(w, words, nodes, i))
			return false;
	}
	for (uint32_t i = nodes->count; --i > 0;)
		w->totals[nodes->parent[i]] += w->totals[i];
	return true;
}

static void add_names(struct fl_wording *w, const struct fl_word_nodes *nodes)
{
	for (uint32_t i = 1; i < nodes->count; i++) {
		struct by_name *n = &w->names[nodes->name[i]];

		if (!w->totals[i] || i < n->until)
			continue;
		n->until = nodes->end[i];
		n->total += w->totals[i];
		list_name(w, nodes->name[i], nodes->type[i]);
	}
}

/* What is found ----------------------------------------------------------- */

struct candidate {
	flame_id name;
	const struct by_name *of;
	bool own, inner;	/* innermost own frame of a quarter of the stacks */
};

static bool is_quarter(int64_t part, const struct fl_words *words)
{
	return part > (words->base - 1) / 4;
}

/* A class of the platform that has no name. */
static bool is_unnamed(const struct fl_wording *w, flame_id name,
		       enum fl_work_kind kind)
{
	struct slice text = fl_name_at(w->flame, name);

	return kind == FL_WORK_PLATFORM && (fl_slice_has(text, "$$Lambda") ||
					    fl_slice_has(text, "$$anon$"));
}

static bool is_candidate(const struct fl_wording *w,
			 const struct fl_words *words, flame_id name,
			 struct candidate *c)
{
	const struct by_name *n = &w->names[name];
	enum fl_work_kind kind = work_of(n)->kind;

	if (!is_quarter(n->total, words) || n->type == FLAME_KERNEL ||
	    (kind != FL_WORK_OWN && kind != FL_WORK_PLATFORM))
		return false;
	if (is_unnamed(w, name, kind))
		return false;
	*c = (struct candidate){
		.name = name, .of = n, .inner = is_quarter(n->inner, words),
		.own = kind == FL_WORK_OWN && !(w->java && is_native(n->type)),
	};
	/* A frame in nearly all stacks says nothing, unless it is innermost. */
	return c->inner || n->total < words->base - words->base / 20;
}

/* Own code, then what is innermost most often, then the most specific. */
static bool is_better(const struct fl_wording *w, const struct candidate *a,
		      const struct candidate *b)
{
	if (!b->name)
		return true;
	if (a->own != b->own)
		return a->own;
	if (a->inner != b->inner)
		return a->inner;
	if (a->inner && a->of->inner != b->of->inner)
		return a->of->inner > b->of->inner;
	if (a->of->total != b->of->total)
		return a->of->total < b->of->total;
	if (a->of->self != b->of->self)
		return a->of->self > b->of->self;
	return strcmp(fl_name_at(w->flame, a->name).data,
		      fl_name_at(w->flame, b->name).data) < 0;
}

static void find_frame(const struct fl_wording *w, struct fl_words *words)
{
	struct candidate best = { 0 }, c;

	for (size_t i = 0; i < w->nlist; i++)
		if (is_candidate(w, words, w->list[i], &c) &&
		    is_better(w, &c, &best))
			best = c;
	if (!best.name)
		return;
	words->frame = best.name;
	words->frame_type = best.of->type;
	words->frame_weight = best.of->total;
	words->frame_own = best.own;
	words->frame_inner = best.inner;
}

static void find_leaf(const struct fl_wording *w, struct fl_words *words)
{
	for (size_t i = 0; i < w->nlist; i++) {
		flame_id name = w->list[i];
		const struct by_name *n = &w->names[name];
		enum fl_work_kind kind = work_of(n)->kind;

		if (n->type == FLAME_KERNEL || n->self < words->leaf_weight ||
		    !n->self ||
		    (kind != FL_WORK_OWN && kind != FL_WORK_PLATFORM) ||
		    (n->self == words->leaf_weight &&
		     strcmp(fl_name_at(w->flame, words->leaf).data,
			    fl_name_at(w->flame, name).data) < 0))
			continue;
		words->leaf = name;
		words->leaf_type = n->type;
		words->leaf_weight = n->self;
	}
}

/* The parts of works and of the leaf in stacks that have the frame. */
static void add_inside(struct fl_wording *w, struct fl_words *words,
		       const struct fl_word_nodes *nodes)
{
	for (uint32_t i = 1; i < nodes->count; i++) {
		struct path *p = &w->paths[i];
		const struct by_name *n = &w->names[nodes->name[i]];

		p->inside = work_of(n)->kind != FL_WORK_TASK &&
			    (nodes->name[i] == words->frame ||
			     w->paths[nodes->parent[i]].inside);
		if (!p->inside || !is_counted(w, p))
			continue;
		if (p->work)
			w->inside_sum[first_row((uint8_t)(p->work - 1))] +=
				nodes->self[i];
		else if (nodes->name[i] == words->leaf)
			words->leaf_inside += nodes->self[i];
	}
}

static int by_weight(const void *a, const void *b)
{
	const struct fl_word_work *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return x->row - y->row;
}

/* The number of works in to[]. */
static unsigned sort_works(const int64_t sum[FL_MAX_WORKS],
			   struct fl_word_work to[FL_MAX_WORKS])
{
	unsigned n = 0;

	for (uint8_t row = 0; row < FL_MAX_WORKS; row++)
		if (sum[row])
			to[n++] = (struct fl_word_work){ .row = row,
							 .weight = sum[row] };
	qsort(to, n, sizeof(*to), by_weight);
	return n;
}

/* The heaviest own frame of each work. */
static void find_what(const struct fl_wording *w, struct fl_words *words)
{
	for (unsigned k = 0; k < words->nworks; k++) {
		const struct fl_map_entry *e;
		uint64_t most = 0;

		for (size_t i = 0; (e = fl_map_each(&w->what, &i));) {
			if (e->key >> 32 != words->works[k].row + 1u ||
			    e->value <= most || !(uint32_t)e->key)
				continue;
			most = e->value;
			words->works[k].what = (flame_id)e->key;
		}
	}
}

static void clear(struct fl_wording *w, const struct fl_word_nodes *nodes)
{
	for (uint32_t i = 1; i < nodes->count; i++) {
		struct by_name *n = &w->names[nodes->name[i]];

		*n = (struct by_name){ .fact = n->fact };
	}
	w->nlist = 0;
	memset(w->works_sum, 0, sizeof(w->works_sum));
	memset(w->beside_sum, 0, sizeof(w->beside_sum));
	memset(w->inside_sum, 0, sizeof(w->inside_sum));
	fl_map_clear(&w->what);
}

int fl_wording_find(struct fl_wording *w, const struct fl_word_nodes *nodes,
		    struct fl_words *words)
{
	bool good = reserve(w, nodes);

	*words = (struct fl_words){ 0 };
	if (!good)
		return fl_no_memory(w->flame);
	find_facts(w, nodes);
	words->tasks = w->tasks;
	w->all_idle = false;
	good = add_paths(w, words, nodes);
	if (good && !words->base && !w->tasks) {
		w->all_idle = true;
		good = add_paths(w, words, nodes);
	}
	if (!good) {
		clear(w, nodes);
		return fl_no_memory(w->flame);
	}
	add_names(w, nodes);
	if (words->base) {
		find_frame(w, words);
		find_leaf(w, words);
	}
	if (words->frame)
		add_inside(w, words, nodes);
	words->nworks = sort_works(w->works_sum, words->works);
	words->nbeside = sort_works(w->beside_sum, words->beside);
	for (unsigned i = 0; i < words->nworks; i++)
		words->works[i].inside = w->inside_sum[words->works[i].row];
	find_what(w, words);
	clear(w, nodes);
	return FLAME_OK;
}

int fl_words_first(const struct fl_words *words)
{
	int64_t work = words->nworks ? words->works[0].weight : 0;

	if (words->frame && words->frame_own)
		return -1;
	if (work && is_quarter(work, words))
		return 0;
	if (words->frame && words->frame_inner)
		return -1;
	if (work > words->base / 10 && work >= words->leaf_weight)
		return 0;
	return words->frame || !work || work < words->leaf_weight ? -1 : 0;
}
