/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records the samples of a page with times and labels: draw/page.c adds each
 * one by fl_samples_add(), and draw/html.c gets them from
 * fl_samples_make_moments() as moments: weight by node, time and set of labels.
 * Recording begins with the first sample that has a time or other labels than
 * those before: until then the tree's sums are enough.
 */
#include "fl.h"

#include "tree/samples.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MAX_VALUES = 1 << 16 };	/* of one key */

enum { RECENT = 64 };	/* a power of two */

#define MAX_LEAD (INT64_C(1) << 60)	/* ns from a start to its samples */

/* The labels of a sample and of its thread as one set. */
struct joined {
	bool known;
	flame_id thread, labels, joined;
};

struct fl_samples {
	struct flame *flame;
	struct fl_times times;	/* series without a thread: all in labels */
	bool some;		/* there was a sample */
	bool recording;		/* times are in use */
	bool no_times, off;
	int64_t start;		/* of the first recording; or FLAME_NOTIME */
	struct joined joined[RECENT];	/* by a hash: threads alternate */
	flame_id only_set;	/* before recording: the labels of all */
};

struct fl_samples *fl_samples_new(struct flame *flame)
{
	struct fl_samples *s = fl_zeroed(1, sizeof(*s));

	if (!s)
		return NULL;
	s->flame = flame;
	s->start = FLAME_NOTIME;
	fl_times_init(&s->times, FL_MAX_EXACT_SAMPLES, FL_MAX_TIMED_CELLS);
	return s;
}

void fl_samples_free(struct fl_samples *s)
{
	if (s)
		fl_times_free(&s->times);
	fl_free(s);
}

bool fl_samples_timed(const struct fl_samples *s)
{
	return !s->no_times && !s->off;
}

unsigned fl_samples_shift(const struct fl_samples *s)
{
	return s->times.shift;
}

void fl_samples_expect(struct fl_samples *s, const struct fl_expected *expected)
{
	if (fl_samples_timed(s))
		fl_times_expect(&s->times, expected);
}

void fl_samples_set_start(struct fl_samples *s, int64_t start)
{
	s->start = start;
}

int64_t fl_samples_first(const struct fl_samples *s)
{
	return s->times.first > s->times.last ? FLAME_NOTIME : s->times.first;
}

/* The labels of a sample and of its thread as one set. */
static flame_id join(const struct fl_samples *s,
		     const struct flame_sample *sample)
{
	struct flame *flame = s->flame;
	flame_id joined = sample->labels;

	for (flame_id i = sample->thread; i; i = flame->labels.data[i].rest) {
		struct fl_label at = flame->labels.data[i];

		/* "thread-frame" and "thread-in-stack" are about names. */
		if (!fl_slice_starts(fl_name_at(flame, at.key), "thread-"))
			joined = flame_label(flame, joined, at.key, at.value);
	}
	return joined;
}

static flame_id find_joined(struct fl_samples *s,
			    const struct flame_sample *sample)
{
	struct joined *known = &s->joined[
		(sample->labels * 31 + sample->thread) & (RECENT - 1)];

	if (!known->known || known->thread != sample->thread ||
	    known->labels != sample->labels)
		*known = (struct joined){
			true, sample->thread, sample->labels,
			join(s, sample),
		};
	return known->joined;
}

static bool is_one_set(const struct fl_samples *s)
{
	for (size_t i = 1; i < s->times.nseries; i++)
		if (s->times.series[i].labels != s->times.series[0].labels)
			return false;
	return true;
}

static bool drop_times(struct fl_samples *s)
{
	fl_remark(s->flame, "more than %d stacks of threads or other labels: "
		  "the page does not show when they were",
		  FL_MAX_PAGE_SAMPLES);
	s->no_times = true;
	if (!fl_times_drop(&s->times))
		return false;
	if (s->times.count && is_one_set(s)) {
		s->only_set = s->times.series[0].labels;
		s->recording = false;
		fl_times_free(&s->times);
	}
	return true;
}

static void drop_all(struct fl_samples *s)
{
	fl_remark(s->flame, "more than %d stacks of threads or other labels: "
		  "the page does not tell them apart", FL_MAX_PAGE_SAMPLES);
	s->off = true;
	s->recording = false;
	fl_times_free(&s->times);
}

static bool enforce_limit(struct fl_samples *s)
{
	bool fit;

	if (!fl_times_finish(&s->times, &fit) || (!fit && !drop_times(s)))
		return false;
	if (s->times.count > FL_MAX_PAGE_SAMPLES)
		drop_all(s);
	return true;
}

static bool record(struct fl_samples *s, struct flame_sample sample,
		   flame_id labels)
{
	sample.thread = 0;
	sample.labels = labels;
	if (s->no_times)
		sample.time = FLAME_NOTIME;
	return fl_times_add(&s->times, s->flame, &sample);
}

/* Begins recording with the sums of the tree. */
static bool start_recording(struct fl_samples *s, const struct flame_tree *tree)
{
	s->recording = true;
	for (size_t i = 0; i < tree->capacity[0]; i++) {
		struct flame_sample sum = { .stack = (flame_id)i,
					    .time = FLAME_NOTIME,
					    .weight = tree->weight[0][i] };

		if (sum.weight && s->times.count == FL_MAX_PAGE_SAMPLES) {
			drop_all(s);
			return true;
		}
		if (sum.weight && !record(s, sum, s->only_set))
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
	labels = find_joined(s, sample);
	if (!s->some)
		s->only_set = labels;
	s->some = true;
	if (!s->recording && time == FLAME_NOTIME && labels == s->only_set)
		return true;
	if (!s->recording && !start_recording(s, tree))
		return false;
	if (s->off)
		return true;
	return record(s, *sample, labels) &&
	       (!fl_times_full(&s->times) || enforce_limit(s));
}

/* Moments: samples by node, set and tick -------------------------------- */

struct grouping {
	struct fl_samples *samples;
	struct flame *flame;
	struct fl_moments *to;
	struct fl_map by_name;		/* name -> number of facet, from 1 */
	flame_id *labels;		/* distinct label sets */
	struct fl_map numbers;		/* label set -> its place there */
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

static bool list_labels(struct grouping *t)
{
	const struct fl_times *times = &t->samples->times;

	for (size_t i = 0; i < times->nseries; i++) {
		flame_id set = times->series[i].labels;
		bool fresh;
		uint64_t *place = fl_map_put(&t->numbers, set, &fresh);

		if (!place)
			return false;
		if (!fresh)
			continue;
		*place = t->n;
		if (!fl_grow(&t->labels, &t->capacity, t->n + 1,
			     sizeof(*t->labels)))
			return false;
		t->labels[t->n++] = set;
		if (!list_values(t, set))
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

/* What distinguishes the samples of merged pages. */
static bool is_identity(struct slice key)
{
	static const char *const keys[] = { "app", "executor", "host", "pid" };

	for (size_t i = 0; i < FL_COUNT(keys); i++)
		if (fl_slice_is(key, keys[i]))
			return true;
	return false;
}

/* Of other facets one value is useless; too many are not offered. */
static bool is_useful(struct grouping *t, const struct fl_facet *facet)
{
	if (facet->nvalues > MAX_VALUES)
		fl_remark(t->flame, "%s: %zu values, more than the page keeps "
			  "apart", fl_name_at(t->flame, facet->name).data,
			  facet->nvalues);
	if (facet->nvalues != 1 ||
	    is_identity(fl_name_at(t->flame, facet->name)))
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

/* Rounded down to whole ticks, which are counted from `origin`. */
static int64_t whole_ticks(int64_t time, int64_t origin, int64_t tick)
{
	int64_t by = time - origin, rest = by % tick;

	return (int64_t)((uint64_t)time -
			 (uint64_t)(rest < 0 ? rest + tick : rest));
}

/*
 * Chooses zero, start and tick: 10 us below 10 s, 1 ms or more above, and
 * buckets where times are rounded.  Moments start with the recording, but not
 * where most of the span would then be empty: stages of a long job.
 */
static void set_clock(struct grouping *t)
{
	const struct fl_times *times = &t->samples->times;
	struct fl_moments *to = t->to;
	int64_t first = INT64_MAX, last = INT64_MIN;
	int64_t lead;
	uint64_t span;

	for (size_t i = 0; i < times->count; i++)
		if (times->cells[i].time != FLAME_NOTIME) {
			first = FL_MIN(first, times->cells[i].time);
			last = FL_MAX(last, times->cells[i].time);
		}
	if (first >= last)
		return;
	span = (uint64_t)last - (uint64_t)first;
	to->zero = t->samples->start == FLAME_NOTIME ||
		   __builtin_sub_overflow(first, t->samples->start, &lead) ||
		   lead > MAX_LEAD || lead < -MAX_LEAD ? first :
						 t->samples->start;
	if (to->zero < first && (uint64_t)lead <= span) {
		first = to->zero;
		span += (uint64_t)lead;
	}
	if (times->shift) {
		to->tick = (int64_t)(UINT64_C(1) << times->shift);
		to->start = whole_ticks(first, 0, to->tick);
		return;
	}
	to->tick = span < UINT64_C(10000000000) ? 10000 : 1000000;
	while (span / (uint64_t)to->tick > UINT32_MAX - 2)
		to->tick *= 10;
	to->start = whole_ticks(first, to->zero, to->tick);
}

static int by_set(const void *a, const void *b)
{
	const struct fl_moment *x = a, *y = b;

	if (x->set != y->set)
		return x->set < y->set ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

enum {
	MIN_RADIX = 1 << 12,	/* moments */
	DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS
};
enum digit { NODE, TIME, SET };

static inline uint64_t value_in(const struct fl_moment *m, enum digit digit)
{
	return digit == NODE ? m->node :
	       digit == SET ? m->set : (uint64_t)m->time;
}

static inline size_t digit_of(const struct fl_moment *m, enum digit digit,
			      unsigned shift)
{
	return value_in(m, digit) >> shift & (DIGITS - 1);
}

/* By one digit; those that are equal in it keep their order. */
static void sort_digit(const struct fl_moment *from, struct fl_moment *to,
		       size_t n, enum digit digit, unsigned shift)
{
	uint32_t begin[DIGITS + 1] = { 0 };

	for (size_t i = 0; i < n; i++)
		begin[digit_of(&from[i], digit, shift) + 1]++;
	for (size_t i = 0; i < DIGITS; i++)
		begin[i + 1] += begin[i];
	for (size_t i = 0; i < n; i++)
		to[begin[digit_of(&from[i], digit, shift)]++] = from[i];
}

/*
 * A radix sort, by the least significant digits first.  spare: memory for as
 * many, which may replace the data; or NULL.
 */
static bool sort_moments(struct fl_moments *m, struct fl_moment *spare)
{
	struct fl_moment largest = { 0 }, *from = m->data, *to = spare;

	if (m->count < MIN_RADIX || m->count > UINT32_MAX / 2) {
		if (m->count)
			qsort(m->data, m->count, sizeof(*m->data), by_set);
		fl_free(spare);
		return true;
	}
	if (!to)
		to = fl_alloc(fl_size_mul(m->count, sizeof(*to)));
	if (!to)
		return false;
	for (size_t i = 0; i < m->count; i++) {
		largest.node |= from[i].node;
		largest.time |= from[i].time;
		largest.set |= from[i].set;
	}
	for (enum digit digit = NODE; digit <= SET; digit++)
		for (unsigned shift = 0; shift < 64 &&
		     value_in(&largest, digit) >> shift; shift += DIGIT_BITS) {
			struct fl_moment *was = from;

			sort_digit(from, to, m->count, digit, shift);
			from = to;
			to = was;
		}
	m->data = from;
	fl_free(to);
	return true;
}

/* The tree has checked that the total fits. */
static void sum_equal(struct fl_moments *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->count; i++)
		if (n && by_set(&m->data[n - 1], &m->data[i]) == 0)
			m->data[n - 1].weight += m->data[i].weight;
		else
			m->data[n++] = m->data[i];
	m->count = n;
}

_Static_assert(sizeof(struct fl_moment) == sizeof(struct fl_cell) &&
	       _Alignof(struct fl_moment) == _Alignof(struct fl_cell),
	       "moments replace cells");

/* Reuses the memory of the cells, which are the most of a page's. */
static bool convert_samples(struct grouping *t, const struct fl_layout *layout)
{
	struct fl_times *times = &t->samples->times;
	struct fl_moments *to = t->to;
	void *spare = times->spare_capacity >= times->count ? times->spare :
							      NULL;
	const char *cells = (const char *)times->cells;
	const struct fl_series *of = NULL;
	uint32_t node = FL_NO_NODE, set = 0;

	to->data = (void *)times->cells;
	for (size_t i = 0; i < times->count; i++) {
		struct fl_cell cell;

		memcpy(&cell, cells + i * sizeof(cell), sizeof(cell));
		if (of != &times->series[cell.series]) {
			of = &times->series[cell.series];
			node = layout->node_of_stack[of->stack];
			set = t->set[*fl_map_get(&t->numbers, of->labels)];
		}
		if (node == FL_NO_NODE)
			continue;
		to->data[to->count++] = (struct fl_moment){
			!to->tick || cell.time == FLAME_NOTIME ? 0 :
			(int64_t)(((uint64_t)cell.time - (uint64_t)to->start) /
				  (uint64_t)to->tick) + 1,
			cell.weight, node, set
		};
	}
	times->cells = NULL;
	if (spare)
		times->spare = NULL;
	fl_times_free(times);
	if (!sort_moments(to, spare))
		return false;
	sum_equal(to);
	return true;
}

static bool group(struct grouping *t, const struct fl_layout *layout)
{
	if (!list_labels(t))
		return false;
	choose_facets(t);
	if (!make_sets(t))
		return false;
	set_clock(t);
	return (!t->to->tick && t->to->nsets < 2) ||
	       convert_samples(t, layout);
}

bool fl_samples_any(const struct fl_samples *s)
{
	return s->recording && s->times.count;
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
	if (!s->recording || !s->times.count)
		return true;
	fl_index_free(&s->times.index);
	if (layout->node_of_stack)
		good = group(&t, layout);
	fl_map_free(&t.by_name);
	fl_map_free(&t.numbers);
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
	fl_free(moments->data);
	memset(moments, 0, sizeof(*moments));
}
