/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records samples of a page with times and labels.  Recording begins with the
 * first sample that has a time or other labels than those before: until then
 * the tree's sums are enough.
 *
 * Equal samples are summed as they come.  Where there are many, times are
 * rounded down to a multiple of 2^shift ns, by the smallest shift that leaves
 * few such buckets.  Buckets of a shift lie within those of the next, so the
 * result does not depend on the order of samples.
 */
#include "fl.h"

#include "tree/samples.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
	LAST_SHIFT = 62,
	MAX_VALUES = 1 << 16	/* of one key */
};

struct fl_samples {
	struct flame *flame;
	struct fl_moment *samples;
	size_t count, capacity;
	struct fl_index index;	/* of samples[] */
	int64_t first, last;	/* times; first > last: there are none */
	unsigned shift;		/* times are multiples of 2^shift; 0: exact */
	bool some;		/* there was a sample */
	bool recording;		/* samples[] is in use */
	bool no_times, off;
	flame_id thread, labels;	/* of the last sample */
	flame_id joined;		/* both as one set */
	flame_id only_set;	/* before recording: the labels of all */
};

struct fl_samples *fl_samples_new(struct flame *flame)
{
	struct fl_samples *s = fl_zeroed(1, sizeof(*s));

	if (!s)
		return NULL;
	s->flame = flame;
	s->first = INT64_MAX;
	s->last = INT64_MIN;
	return s;
}

static void clear(struct fl_samples *s)
{
	fl_index_free(&s->index);
	fl_free(s->samples);
	s->samples = NULL;
	s->count = s->capacity = 0;
}

void fl_samples_free(struct fl_samples *s)
{
	if (s)
		clear(s);
	fl_free(s);
}

bool fl_samples_timed(const struct fl_samples *s)
{
	return !s->no_times && !s->off;
}

/* The labels of a sample and of its thread as one set. */
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

/* Sums equal samples.  The tree has checked that the total fits. */
static void sum_equal(struct fl_samples *s)
{
	size_t n = 0;

	if (s->count)
		qsort(s->samples, s->count, sizeof(*s->samples), by_set);
	for (size_t i = 0; i < s->count; i++)
		if (n && by_set(&s->samples[n - 1], &s->samples[i]) == 0)
			s->samples[n - 1].weight += s->samples[i].weight;
		else
			s->samples[n++] = s->samples[i];
	s->count = n;
}

static uint64_t hash_of(const struct fl_moment *m)
{
	return fl_hash_pair((uint64_t)m->time,
			    (uint64_t)m->stack << 32 | m->set);
}

/* Adds to an equal sample, if there is one. */
static bool record(struct fl_samples *s, struct fl_moment moment)
{
	uint64_t hash = hash_of(&moment);
	uint32_t i = fl_index_first(&s->index, hash), id;

	while ((id = fl_index_next(&s->index, hash, &i))) {
		struct fl_moment *m = &s->samples[id - 1];

		if (m->time == moment.time && m->stack == moment.stack &&
		    m->set == moment.set) {
			m->weight += moment.weight;
			return true;
		}
	}
	if (!fl_grow(&s->samples, &s->capacity, s->count + 1,
		     sizeof(*s->samples)))
		return false;
	s->samples[s->count++] = moment;
	return fl_index_add(&s->index, hash, (uint32_t)s->count);
}

static int64_t round_time(const struct fl_samples *s, int64_t time)
{
	if (s->no_times || time == FLAME_NOTIME)
		return FLAME_NOTIME;
	return (int64_t)((uint64_t)time & -(UINT64_C(1) << s->shift));
}

/* Rounds the times of all samples, and sums those that are equal then. */
static bool round_all(struct fl_samples *s)
{
	size_t n = s->count;

	fl_index_free(&s->index);
	s->count = 0;
	for (size_t i = 0; i < n; i++) {
		struct fl_moment moment = s->samples[i];

		moment.time = round_time(s, moment.time);
		if (!record(s, moment))
			return false;
	}
	return true;
}

static bool is_one_set(const struct fl_samples *s)
{
	for (size_t i = 1; i < s->count; i++)
		if (s->samples[i].set != s->samples[0].set)
			return false;
	return true;
}

static bool drop_times(struct fl_samples *s)
{
	fl_remark(s->flame, "more than %d stacks of threads or other labels: "
		  "the page does not tell when they were",
		  FL_MAX_PAGE_SAMPLES);
	s->no_times = true;
	if (!round_all(s))
		return false;
	if (s->count && is_one_set(s)) {
		s->only_set = s->samples[0].set;
		s->recording = false;
		clear(s);
	}
	return true;
}

static void drop_all(struct fl_samples *s)
{
	fl_remark(s->flame, "more than %d stacks of threads or other labels: "
		  "the page does not tell them apart", FL_MAX_PAGE_SAMPLES);
	s->off = true;
	s->recording = false;
	clear(s);
}

static bool has_few_buckets(const struct fl_samples *s)
{
	return s->first > s->last ||
	       (((uint64_t)s->last - (uint64_t)s->first) >> s->shift) <
		       FL_MAX_BUCKETS;
}

/* More samples, and wider buckets, change the answer one way only. */
static bool is_bounded(const struct fl_samples *s)
{
	return s->shift ? has_few_buckets(s) && s->count <= FL_MAX_PAGE_SAMPLES
			: s->count <= FL_MAX_EXACT_SAMPLES;
}

static void widen(struct fl_samples *s)
{
	do
		s->shift++;
	while (!has_few_buckets(s));
}

static bool enforce_limit(struct fl_samples *s)
{
	while (!is_bounded(s) && !s->no_times && s->first <= s->last) {
		if (s->shift == LAST_SHIFT)
			return drop_times(s);
		widen(s);
		if (!round_all(s))
			return false;
	}
	if (s->count > FL_MAX_PAGE_SAMPLES)
		drop_all(s);
	return true;
}

/* Begins recording with the sums of the tree. */
static bool start_recording(struct fl_samples *s, const struct flame_tree *tree)
{
	s->recording = true;
	for (size_t i = 0; i < tree->capacity[0]; i++) {
		int64_t weight = tree->weight[0][i];

		if (weight && s->count == FL_MAX_PAGE_SAMPLES) {
			drop_all(s);
			return true;
		}
		if (weight &&
		    !record(s, (struct fl_moment){ FLAME_NOTIME, weight,
						   (flame_id)i, s->only_set }))
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
	labels = join(s, sample);
	if (!s->some)
		s->only_set = labels;
	s->some = true;
	if (!s->recording && time == FLAME_NOTIME && labels == s->only_set)
		return true;
	if (!s->recording && !start_recording(s, tree))
		return false;
	if (s->off)
		return true;
	if (time != FLAME_NOTIME) {
		s->first = FL_MIN(s->first, time);
		s->last = FL_MAX(s->last, time);
	}
	if (!record(s, (struct fl_moment){ round_time(s, time), sample->weight,
					   sample->stack, labels }))
		return false;
	return s->count <= FL_MAX_EXACT_SAMPLES || enforce_limit(s);
}

/* Moments: samples by node, set and tick -------------------------------- */

struct grouping {
	struct fl_samples *samples;
	struct flame *flame;
	struct fl_moments *to;
	struct fl_map by_name;		/* name -> number of facet, from 1 */
	flame_id *labels;		/* distinct label sets */
	uint64_t *order;		/* by label set: sort keys; scratch */
	uint32_t *set;			/* by label set: its set */
	size_t n, capacity;
};

static struct fl_facet *facet_of(struct grouping *t, flame_id name)
{
	struct fl_moments *to = t->to;
	uint64_t *place = fl_map_put(&t->by_name, name, NULL);

	if (!place)
		return NULL;
	if (!*place) {
		if (!fl_grow(&to->facets, &to->facets_capacity, to->nfacets + 1,
			     sizeof(*to->facets)))
			return NULL;
		to->facets[to->nfacets] = (struct fl_facet){ .name = name };
		*place = ++to->nfacets;
	}
	return &to->facets[*place - 1];
}

static bool list_values(struct grouping *t, flame_id set)
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
		if (!fl_grow(&facet->values, &facet->capacity,
			     facet->nvalues + 1, sizeof(*facet->values)))
			return false;
		facet->values[facet->nvalues++] = (struct fl_value){
			fl_name_at(flame, at.value), at.value };
	}
	return true;
}

/* Samples are sorted by label set. */
static bool list_labels(struct grouping *t)
{
	const struct fl_samples *s = t->samples;

	for (size_t i = 0; i < s->count; i++) {
		if (i && s->samples[i].set == s->samples[i - 1].set)
			continue;
		if (!fl_grow(&t->labels, &t->capacity, t->n + 1,
			     sizeof(*t->labels)))
			return false;
		t->labels[t->n++] = s->samples[i].set;
		if (!list_values(t, s->samples[i].set))
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

/* A facet with one value is useless; one with too many is not offered. */
static bool is_useful(struct grouping *t, const struct fl_facet *facet)
{
	if (facet->nvalues > MAX_VALUES)
		fl_remark(t->flame, "%s: %zu values, more than the page tells "
			  "apart", fl_name_at(t->flame, facet->name).data,
			  facet->nvalues);
	if (facet->nvalues != 1)
		return facet->nvalues <= MAX_VALUES;
	for (size_t i = 0; i < t->n; i++)
		if (!flame_label_get(t->flame, t->labels[i], facet->name))
			return true;
	return false;
}

/* An insertion sort by name, as there are few. */
static void choose_facets(struct grouping *t)
{
	struct fl_moments *to = t->to;
	size_t n = 0;

	for (size_t i = 0; i < to->nfacets; i++) {
		struct fl_facet facet = to->facets[i];
		struct fl_value name = { fl_name_at(t->flame, facet.name), 0 };
		size_t k = n;

		if (!is_useful(t, &facet)) {
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
		qsort(facet.values, facet.nvalues, sizeof(*facet.values),
		      by_text);
		for (size_t v = 0; v < facet.nvalues; v++)
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

static uint32_t value_of(const struct grouping *t, const struct fl_facet *facet,
			 size_t i)
{
	flame_id value = flame_label_get(t->flame, t->labels[i], facet->name);

	return value ? (uint32_t)*fl_map_get(&facet->map, value) : 0;
}

/* Splits sets by the values of one more facet; they stay sorted. */
static void split_sets(struct grouping *t, const struct fl_facet *facet)
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

static bool make_sets(struct grouping *t)
{
	struct fl_moments *to = t->to;

	to->nsets = 1;
	for (size_t k = 0; k < to->nfacets; k++)
		split_sets(t, &to->facets[k]);
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

/*
 * Chooses start and tick: 10 us below 10 s, 1 ms or more above, and buckets
 * where times are rounded.
 */
static void set_clock(struct grouping *t)
{
	const struct fl_samples *s = t->samples;
	struct fl_moments *to = t->to;
	int64_t first = INT64_MAX, last = INT64_MIN;
	uint64_t span;

	for (size_t i = 0; i < s->count; i++)
		if (s->samples[i].time != FLAME_NOTIME) {
			first = FL_MIN(first, s->samples[i].time);
			last = FL_MAX(last, s->samples[i].time);
		}
	if (first >= last)
		return;
	span = (uint64_t)last - (uint64_t)first;
	to->start = first;
	if (s->shift) {
		to->tick = (int64_t)(UINT64_C(1) << s->shift);
		return;
	}
	to->tick = span < UINT64_C(10000000000) ? 10000 : 1000000;
	while (span / (uint64_t)to->tick > UINT32_MAX - 2)
		to->tick *= 10;
}

static void convert_samples(struct grouping *t, const struct fl_layout *layout)
{
	struct fl_samples *s = t->samples;
	const struct fl_moments *to = t->to;
	size_t n = 0, k = 0;

	for (size_t i = 0; i < s->count; i++) {
		struct fl_moment m = s->samples[i];

		while (t->labels[k] != m.set)
			k++;
		m.stack = layout->node_of_stack[m.stack];
		if (m.stack == FL_NO_NODE)
			continue;
		m.set = t->set[k];
		m.time = !to->tick || m.time == FLAME_NOTIME ? 0 :
			(int64_t)(((uint64_t)m.time - (uint64_t)to->start) /
				  (uint64_t)to->tick) + 1;
		s->samples[n++] = m;
	}
	s->count = n;
	sum_equal(s);
}

static bool group(struct grouping *t, const struct fl_layout *layout)
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
	convert_samples(t, layout);
	t->to->data = s->samples;
	t->to->count = s->count;
	return true;
}

bool fl_samples_any(const struct fl_samples *s)
{
	return s->recording && s->count;
}

bool fl_samples_make_moments(struct fl_samples *s,
			     const struct fl_layout *layout,
			     struct fl_moments *to)
{
	struct grouping t = { .samples = s, .flame = s->flame, .to = to };
	bool good = true;

	memset(to, 0, sizeof(*to));
	/* Only the end knows the whole span, so this may widen once more. */
	if (s->recording && !enforce_limit(s))
		return false;
	fl_index_free(&s->index);
	if (!s->recording || !s->count)
		return true;
	sum_equal(s);
	if (layout->node_of_stack)
		good = group(&t, layout);
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
