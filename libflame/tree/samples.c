/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a page keeps of single samples: when they were and of which thread,
 * state, file or other label.  Nothing is kept while all of them are of one
 * set of labels and of no time: the tree's sums tell as much.
 */
#include "fl.h"

#include "tree/samples.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
	/* Before more than this is held, equals are made one. */
	HELD = FL_SAMPLES_MOST + FL_SAMPLES_MOST / 4,
	VALUES = 1 << 16	/* of one key */
};

struct fl_samples {
	struct flame *flame;
	struct fl_moment *at;
	size_t n, room;
	size_t timed;		/* that came with a time */
	bool some;		/* there was one */
	bool kept;		/* not all are of one kind: at[] counts */
	bool no_times, off;
	flame_id thread, labels;	/* those of the last, and joined */
	flame_id joined;
	flame_id one;		/* nothing kept: the labels of all so far */
};

struct fl_samples *fl_samples_new(struct flame *flame)
{
	struct fl_samples *s = fl_zeroed(1, sizeof(*s));

	if (s)
		s->flame = flame;
	return s;
}

void fl_samples_free(struct fl_samples *s)
{
	if (s)
		fl_free(s->at);
	fl_free(s);
}

bool fl_samples_timed(const struct fl_samples *s)
{
	return !s->no_times && !s->off;
}

/* The labels of a sample, its thread's with them. */
static flame_id join(struct fl_samples *s, const struct flame_sample *sample)
{
	struct flame *flame = s->flame;

	if (s->some && s->thread == sample->thread &&
	    s->labels == sample->labels)
		return s->joined;
	s->thread = sample->thread;
	s->labels = s->joined = sample->labels;
	for (flame_id i = sample->thread; i; i = flame->labels.data[i].rest) {
		struct fl_label at = flame->labels.data[i];

		/* "thread-frame" and "thread-in-stack" are about names. */
		if (!fl_slice_starts(fl_name_at(flame, at.key), "thread-"))
			s->joined = flame_label(flame, s->joined, at.key,
						at.value);
	}
	return s->joined;
}

static int by_set(const void *a, const void *b)
{
	const struct fl_moment *x = a, *y = b;

	if (x->set != y->set)
		return x->set < y->set ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->stack > y->stack) - (x->stack < y->stack);
}

/* Their sum is that of the tree, which does not overflow. */
static void make_one(struct fl_samples *s)
{
	size_t n = 0;

	if (s->n)
		qsort(s->at, s->n, sizeof(*s->at), by_set);
	for (size_t i = 0; i < s->n; i++)
		if (n && by_set(&s->at[n - 1], &s->at[i]) == 0)
			s->at[n - 1].weight += s->at[i].weight;
		else
			s->at[n++] = s->at[i];
	s->n = n;
}

static bool is_one_set(const struct fl_samples *s)
{
	for (size_t i = 1; i < s->n; i++)
		if (s->at[i].set != s->at[0].set)
			return false;
	return true;
}

static void drop_times(struct fl_samples *s)
{
	fl_remark(s->flame, FL_TOO_TIMED, FL_SAMPLES_MOST);
	s->no_times = true;
	for (size_t i = 0; i < s->n; i++)
		s->at[i].time = FLAME_NOTIME;
	make_one(s);
	if (!s->n || !is_one_set(s))
		return;
	s->one = s->at[0].set;
	s->kept = false;
	s->n = 0;
}

static void drop_all(struct fl_samples *s)
{
	fl_remark(s->flame, "more than %d stacks of threads or other labels: "
		  "the page does not tell them apart", FL_SAMPLES_MOST);
	s->off = true;
	s->kept = false;
	fl_free(s->at);
	s->at = NULL;
	s->n = s->room = 0;
}

/* What it comes to does not depend on when it is asked. */
static void limit(struct fl_samples *s)
{
	make_one(s);
	if (s->n > FL_SAMPLES_MOST && s->timed && !s->no_times)
		drop_times(s);
	if (s->n > FL_SAMPLES_MOST)
		drop_all(s);
}

static bool hold(struct fl_samples *s, struct fl_moment moment)
{
	if (!fl_grow(&s->at, &s->room, s->n + 1, sizeof(*s->at)))
		return false;
	s->at[s->n++] = moment;
	return true;
}

/* All so far were of one kind, and the tree has their sums. */
static bool recall(struct fl_samples *s, const struct flame_tree *tree)
{
	s->kept = true;
	for (size_t i = 0; i < tree->capacity[0]; i++) {
		int64_t weight = tree->weight[0][i];

		if (weight && s->n == FL_SAMPLES_MOST) {
			drop_all(s);
			return true;
		}
		if (weight && !hold(s, (struct fl_moment){ FLAME_NOTIME, weight,
						      (flame_id)i, s->one }))
			return false;
	}
	return true;
}

bool fl_samples_add(struct fl_samples *s, const struct flame_tree *tree,
		    const struct flame_sample *sample)
{
	int64_t time = s->no_times ? FLAME_NOTIME : sample->time;
	flame_id labels;

	if (s->off || sample->weight <= 0)
		return true;
	if (time != FLAME_NOTIME && ++s->timed > FL_SAMPLES_MOST) {
		drop_times(s);
		time = FLAME_NOTIME;
	}
	if (s->n == HELD)
		limit(s);
	labels = join(s, sample);
	if (!s->some)
		s->one = labels;
	s->some = true;
	if (s->off || (!s->kept && time == FLAME_NOTIME && labels == s->one))
		return true;
	if (!s->kept && !recall(s, tree))
		return false;
	return s->off || hold(s, (struct fl_moment){ time, sample->weight,
						sample->stack, labels });
}

/* Settling: what is held, as a page has it ------------------------------ */

struct settling {
	struct fl_samples *samples;
	struct flame *flame;
	struct fl_moments *to;
	struct fl_map by_name;		/* of facets: name -> place, from 1 */
	flame_id *labels;		/* sets that there are */
	uint64_t *order;		/* for each */
	uint32_t *set;			/* of each */
	size_t n, room;
};

static struct fl_facet *facet_of(struct settling *t, flame_id name)
{
	struct fl_moments *to = t->to;
	uint64_t *place = fl_map_put(&t->by_name, name, NULL);

	if (!place)
		return NULL;
	if (!*place) {
		if (!fl_grow(&to->facets, &to->facets_room, to->nfacets + 1,
			     sizeof(*to->facets)))
			return NULL;
		to->facets[to->nfacets] = (struct fl_facet){ .name = name };
		*place = ++to->nfacets;
	}
	return &to->facets[*place - 1];
}

static bool list_values(struct settling *t, flame_id set)
{
	struct flame *flame = t->flame;

	for (; set; set = flame->labels.data[set].rest) {
		struct fl_label at = flame->labels.data[set];
		struct fl_facet *facet = facet_of(t, at.key);
		bool fresh;

		if (!facet || !fl_map_put(&facet->map, at.value, &fresh))
			return false;
		if (!fresh)
			continue;
		if (!fl_grow(&facet->values, &facet->room, facet->n + 1,
			     sizeof(*facet->values)))
			return false;
		facet->values[facet->n++] = (struct fl_value){
			fl_name_at(flame, at.value), at.value };
	}
	return true;
}

/* Equals are one by now: labels come one after the other. */
static bool list_labels(struct settling *t)
{
	const struct fl_samples *s = t->samples;

	for (size_t i = 0; i < s->n; i++) {
		if (i && s->at[i].set == s->at[i - 1].set)
			continue;
		if (!fl_grow(&t->labels, &t->room, t->n + 1,
			     sizeof(*t->labels)))
			return false;
		t->labels[t->n++] = s->at[i].set;
		if (!list_values(t, s->at[i].set))
			return false;
	}
	t->order = fl_alloc(fl_size_mul(t->n, 2 * sizeof(*t->order)));
	t->set = fl_zeroed(t->n, sizeof(*t->set));
	return t->order && t->set;
}

static int by_text(const void *a, const void *b)
{
	const struct fl_value *x = a, *y = b;
	size_t shorter = FL_MIN(x->text.size, y->text.size);
	int d = shorter ? memcmp(x->text.data, y->text.data, shorter) : 0;

	return d ? d : (x->text.size > y->text.size) -
		       (x->text.size < y->text.size);
}

static void free_facet(struct fl_facet *facet)
{
	fl_map_free(&facet->map);
	fl_free(facet->values);
	fl_free(facet->of_set);
}

/* What all samples have tells nothing; too many values are no choice. */
static bool is_of_use(struct settling *t, const struct fl_facet *facet)
{
	if (facet->n > VALUES)
		fl_remark(t->flame, "%s: %zu values, more than the page tells "
			  "apart", fl_name_at(t->flame, facet->name).data,
			  facet->n);
	if (facet->n != 1)
		return facet->n <= VALUES;
	for (size_t i = 0; i < t->n; i++)
		if (!flame_label_get(t->flame, t->labels[i], facet->name))
			return true;
	return false;
}

/* Sorted by name: few of them. */
static void choose_facets(struct settling *t)
{
	struct fl_moments *to = t->to;
	size_t n = 0;

	for (size_t i = 0; i < to->nfacets; i++) {
		struct fl_facet facet = to->facets[i];
		struct fl_value name = { fl_name_at(t->flame, facet.name), 0 };
		size_t k = n;

		if (!is_of_use(t, &facet)) {
			free_facet(&facet);
			continue;
		}
		for (; k; k--) {
			struct fl_value other = { fl_name_at(t->flame,
				to->facets[k - 1].name), 0 };

			if (by_text(&other, &name) < 0)
				break;
			to->facets[k] = to->facets[k - 1];
		}
		to->facets[k] = facet;
		n++;
		qsort(facet.values, facet.n, sizeof(*facet.values), by_text);
		for (size_t v = 0; v < facet.n; v++)
			*fl_map_get(&to->facets[k].map,
				    facet.values[v].id) = v + 1;
	}
	to->nfacets = n;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint32_t value_of(const struct settling *t,
			 const struct fl_facet *facet, size_t i)
{
	flame_id value = flame_label_get(t->flame, t->labels[i], facet->name);

	return value ? (uint32_t)*fl_map_get(&facet->map, value) : 0;
}

/* Sets in the order of their values, facet by facet. */
static void part_sets(struct settling *t, const struct fl_facet *facet)
{
	uint64_t *sorted = t->order + t->n;
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		sorted[i] = t->order[i] = (uint64_t)t->set[i] << 32 |
					  value_of(t, facet, i);
	qsort(sorted, t->n, sizeof(*sorted), by_number);
	for (size_t i = 0; i < t->n; i++)
		if (!i || sorted[i] != sorted[n - 1])
			sorted[n++] = sorted[i];
	for (size_t i = 0; i < t->n; i++) {
		const uint64_t *at = bsearch(&t->order[i], sorted, n,
					     sizeof(*sorted), by_number);

		t->set[i] = (uint32_t)(at - sorted);
	}
	t->to->nsets = n;
}

static bool make_sets(struct settling *t)
{
	struct fl_moments *to = t->to;

	to->nsets = 1;
	for (size_t k = 0; k < to->nfacets; k++)
		part_sets(t, &to->facets[k]);
	for (size_t k = 0; k < to->nfacets; k++) {
		struct fl_facet *facet = &to->facets[k];

		facet->of_set = fl_zeroed(to->nsets, sizeof(*facet->of_set));
		if (!facet->of_set)
			return false;
		for (size_t i = 0; i < t->n; i++)
			facet->of_set[t->set[i]] = value_of(t, facet, i);
	}
	return true;
}

/* From the first on, in ticks that tell enough of what there is. */
static void set_clock(struct settling *t)
{
	const struct fl_samples *s = t->samples;
	struct fl_moments *to = t->to;
	int64_t first = INT64_MAX, last = INT64_MIN;
	uint64_t span;

	for (size_t i = 0; i < s->n; i++)
		if (s->at[i].time != FLAME_NOTIME) {
			first = FL_MIN(first, s->at[i].time);
			last = FL_MAX(last, s->at[i].time);
		}
	if (first >= last)
		return;
	span = (uint64_t)last - (uint64_t)first;
	to->start = first;
	to->tick = span < UINT64_C(10000000000) ? 10000 : 1000000;
	while (span / (uint64_t)to->tick > UINT32_MAX - 2)
		to->tick *= 10;
}

static void settle_each(struct settling *t, const struct fl_layout *layout)
{
	struct fl_samples *s = t->samples;
	const struct fl_moments *to = t->to;
	size_t n = 0, k = 0;

	for (size_t i = 0; i < s->n; i++) {
		struct fl_moment m = s->at[i];

		while (t->labels[k] != m.set)
			k++;
		m.stack = layout->of_stack[m.stack];
		if (m.stack == FL_NO_NODE)
			continue;
		m.set = t->set[k];
		m.time = !to->tick || m.time == FLAME_NOTIME ? 0 :
			(int64_t)(((uint64_t)m.time - (uint64_t)to->start) /
				  (uint64_t)to->tick) + 1;
		s->at[n++] = m;
	}
	s->n = n;
	make_one(s);
}

static bool settle(struct settling *t, const struct fl_layout *layout)
{
	struct fl_samples *s = t->samples;

	if (!list_labels(t))
		return false;
	choose_facets(t);
	if (!make_sets(t))
		return false;
	set_clock(t);
	if (!t->to->tick && t->to->nsets < 2)
		return true;
	settle_each(t, layout);
	t->to->at = s->at;
	t->to->n = s->n;
	return true;
}

bool fl_samples_any(const struct fl_samples *s)
{
	return s->kept && s->n;
}

bool fl_samples_settle(struct fl_samples *s, const struct fl_layout *layout,
		       struct fl_moments *to)
{
	struct settling t = { .samples = s, .flame = s->flame, .to = to };
	bool good = true;

	memset(to, 0, sizeof(*to));
	if (s->kept)
		limit(s);
	if (fl_samples_any(s) && layout->of_stack)
		good = settle(&t, layout);
	fl_map_free(&t.by_name);
	fl_free(t.labels);
	fl_free(t.order);
	fl_free(t.set);
	return good;
}

void fl_moments_free(struct fl_moments *moments)
{
	for (size_t i = 0; i < moments->nfacets; i++)
		free_facet(&moments->facets[i]);
	fl_free(moments->facets);
	memset(moments, 0, sizeof(*moments));
}
