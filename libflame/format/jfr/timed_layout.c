/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads short events with times in the second pass, for timed.c
 * (fl_jfr_read_timed_layouts): a stack, a state and a thread, one sample each,
 * as wall-clock recordings have them by the million.  They are read by their
 * layout (readers.h).
 *
 * Each is counted in the bucket of time in which it is.  Events come nearly in
 * order, so a sum (of a stack and thread) has one open bucket, its last.  A
 * thread is mostly seen in the same stack again: its last events are counted by
 * thread, and looked up by stack only when another stack or bucket comes.
 */
#include "fl.h"

#include "format/jfr/timed.h"

enum {
	MAX_LAYOUTS = 255,
	MAX_STATES = 128,
	PROBES = 8,		/* places of the table that are probed */
	MIN_OPEN_BITS = 10, MAX_OPEN_BITS = 15,
	MAX_FREQUENCY_BITS = 33,
	MAX_SECONDS = INT32_MAX,
	MAX_SAMPLES = 1 << 30	/* of a run */
};

enum place { TIME, THREAD, STACK, STATE, PLACES };

static const enum fl_jfr_slot slots[PLACES] = {
	FL_JFR_TIME, FL_JFR_THREAD, FL_JFR_STACK, FL_JFR_STATE
};

/* In bytes; longer ones are rare. */
static const uint8_t max_sizes[PLACES] = {
	[TIME] = 8, [THREAD] = 4, [STACK] = 4, [STATE] = 1
};

struct layout {
	uint64_t keep[PLACES];	/* the bits of a field; 0: there is none */
	uint8_t at[PLACES];	/* where it is in the event */
};

struct fl_jfr_timed_layouts {
	struct fl_jfr_reader *reader;
	bool has_state[MAX_STATES];
	unsigned n;
	uint8_t number[FL_JFR_LAYOUTS];	/* 0: not seen yet */
	struct layout at[MAX_LAYOUTS + 1];
};

/* Clock ------------------------------------------------------------------- */

static void init_clock(const struct fl_jfr_chunk *chunk,
		       struct fl_jfr_clock *clock)
{
	const struct fl_jfr_header *header = &chunk->header;

	*clock = (struct fl_jfr_clock){
		.start_ticks = header->start_ticks,
		.start_ns = header->start_ns,
		.frequency = header->ticks_per_second,
		.inverse = UINT64_MAX / header->ticks_per_second,
		.usable = header->start_ticks >= 0 && header->start_ns >= 0 &&
			  header->start_ns < INT64_MAX / 2 &&
			  !(header->ticks_per_second >> MAX_FREQUENCY_BITS),
	};
}

/* n / frequency, and what remains. */
static inline uint64_t divide(const struct fl_jfr_clock *clock, uint64_t n,
			      uint64_t *rest)
{
	__extension__ typedef unsigned __int128 wide;
	uint64_t q = (uint64_t)((wide)n * clock->inverse >> 64);

	/* The inverse is rounded down: at most one is missing. */
	*rest = n - q * clock->frequency;
	if (*rest >= clock->frequency) {
		*rest -= clock->frequency;
		q++;
	}
	return q;
}

/* As fl_jfr_ns. */
static inline int64_t to_ns(const struct fl_jfr_chunk *chunk,
			    const struct fl_jfr_clock *clock, int64_t ticks)
{
	uint64_t seconds, rest;

	if (fl_unlikely(!clock->usable || ticks < clock->start_ticks))
		return fl_jfr_ns(chunk, ticks);
	seconds = divide(clock, (uint64_t)(ticks - clock->start_ticks), &rest);
	if (fl_unlikely(seconds > MAX_SECONDS))
		return fl_jfr_ns(chunk, ticks);
	return clock->start_ns + (int64_t)(seconds * 1000000000 +
		divide(clock, rest * 1000000000, &rest));
}

int64_t fl_jfr_written_ns(const struct fl_jfr_chunk *chunk,
			  const struct fl_jfr_timed *timed, uint64_t written)
{
	return to_ns(chunk, &timed->clock, (int64_t)fl_wire_pack(written));
}

/* Buckets ----------------------------------------------------------------- */

/* As fl_jfr_ns, rounded; notes which ticks are in the same bucket. */
static __attribute__((noinline)) int64_t
find_bucket(const struct fl_jfr_chunk *chunk, struct fl_jfr_timed *timed,
	    int64_t ticks)
{
	enum { MARGIN = 2, MAX_SHIFT = 48, MAX_BITS = 56 };
	const struct fl_jfr_clock *clock = &timed->clock;
	int64_t ns = to_ns(chunk, clock, ticks);
	int64_t time = ns & timed->rounding, size = -timed->rounding;
	double ticks_per_ns = (double)clock->frequency / 1e9;
	int64_t before = (int64_t)((double)(ns - time) * ticks_per_ns);
	int64_t after = (int64_t)((double)(size - (ns - time)) * ticks_per_ns);
	uint64_t from, to;

	timed->bucket.width = 0;
	if (size < 2 || size >> MAX_SHIFT || before <= MARGIN ||
	    after <= MARGIN || !clock->usable || ticks < clock->start_ticks)
		return time;
	from = fl_wire_spread((uint64_t)FL_MAX(ticks - before + MARGIN, 0));
	to = fl_wire_spread((uint64_t)FL_MIN(ticks + after - MARGIN,
					     INT64_C(1) << MAX_BITS) - 1);
	timed->bucket = (struct fl_jfr_bucket){ from, to - from, time };
	return time;
}

/* The bucket of a time as it is written. */
static inline int64_t bucket_of(const struct fl_jfr_chunk *chunk,
				struct fl_jfr_timed *timed, uint64_t written)
{
	const struct fl_jfr_bucket *bucket = &timed->bucket;
	int64_t ticks;

	if (fl_likely(written - bucket->from < bucket->width))
		return bucket->time;
	ticks = (int64_t)fl_wire_pack(written);
	return timed->rounding == -1 ? to_ns(chunk, &timed->clock, ticks) :
				       find_bucket(chunk, timed, ticks);
}

/* Where in the table to look first. */
static inline struct fl_jfr_open *first_open(const struct fl_jfr_timed *timed,
					     uint64_t key, uint32_t kind)
{
	uint64_t hash = (key ^ (uint64_t)kind << 56) *
			UINT64_C(0x9e3779b97f4a7c15);

	return &timed->open[hash >> (64 - timed->open_bits)];
}

/* The next place to look at. */
static inline struct fl_jfr_open *next_open(const struct fl_jfr_timed *timed,
					    struct fl_jfr_open *open)
{
	return ++open < timed->open + (UINT64_C(1) << timed->open_bits) ?
		       open : timed->open;
}

/* Adds the samples of the bucket to the sum, and a record of them. */
static bool close_bucket(struct fl_jfr_chunk *chunk, struct fl_jfr_timed *timed,
			 struct fl_jfr_open *open)
{
	struct fl_jfr_events *events = chunk->events;
	struct fl_jfr_sum *sum = &events->sums[open->sum - 1];
	uint32_t samples = open->samples;

	open->samples = 0;
	if (!samples)
		return true;
	sum->samples = fl_add_clamped(sum->samples, samples);
	sum->bare = fl_add_clamped(sum->bare, samples);
	return fl_jfr_add_record(timed, open->sum - 1, open->time, samples);
}

/* Adds its last bucket, and forgets it. */
static bool close_open(struct fl_jfr_chunk *chunk, struct fl_jfr_timed *timed,
		       struct fl_jfr_open *open)
{
	bool good = !open->sum || close_bucket(chunk, timed, open);

	open->sum = 0;
	return good;
}

/*
 * A place in the table that is free, or was freed where there is none nearby.
 * NULL: out of memory.
 */
static struct fl_jfr_open *free_open(struct fl_jfr_chunk *chunk,
				     struct fl_jfr_timed *timed, uint64_t key,
				     uint32_t kind)
{
	struct fl_jfr_open *open = first_open(timed, key, kind), *at = open;

	for (unsigned i = 1; at->sum && i < PROBES; i++)
		at = next_open(timed, at);
	if (!at->sum) {
		timed->nopen++;
		return at;
	}
	timed->mixed = true;
	return close_open(chunk, timed, open) ? open : NULL;
}

/* Makes the table, or one of twice its size.  false: out of memory. */
static bool grow_open(struct fl_jfr_chunk *chunk, struct fl_jfr_timed *timed)
{
	struct fl_jfr_open *old = timed->open;
	size_t size = old ? (size_t)1 << timed->open_bits : 0;
	bool good = true;

	timed->open_bits = old ? timed->open_bits + 1 : MIN_OPEN_BITS;
	timed->open = fl_zeroed((size_t)1 << timed->open_bits, sizeof(*old));
	timed->nopen = 0;
	for (size_t i = 0; timed->open && good && i < size; i++) {
		struct fl_jfr_open *to;

		if (!old[i].sum)
			continue;
		to = free_open(chunk, timed, old[i].key, old[i].kind);
		if (to)
			*to = old[i];
		good = to;
	}
	fl_free(old);
	return timed->open && good;
}

/* Makes a place for events like the run's.  NULL: out of memory. */
static __attribute__((noinline)) struct fl_jfr_open *
make_open(struct fl_jfr_chunk *chunk, struct fl_jfr_timed *timed,
	  const struct fl_jfr_last *last)
{
	const struct fl_jfr_weight none = { 0 };
	struct fl_jfr_reader *c = chunk->readers->data[last->kind >> 8];
	struct fl_jfr_open *open;
	size_t sum;

	if (timed->nopen >> (timed->open_bits - 1) &&
	    timed->open_bits < MAX_OPEN_BITS && !grow_open(chunk, timed))
		return NULL;
	open = free_open(chunk, timed, last->key, last->kind);
	if (!open)
		return NULL;
	c->values[FL_JFR_TIME] = fl_wire_pack(last->first);
	c->values[FL_JFR_THREAD] = fl_wire_pack(last->key >> 32);
	c->values[FL_JFR_STACK] = fl_wire_pack((uint32_t)last->key);
	c->values[FL_JFR_STATE] = last->kind & (MAX_STATES - 1);
	sum = fl_jfr_add_event(chunk, c, none, !timed->mixed);
	if (sum == SIZE_MAX)
		return NULL;
	*open = (struct fl_jfr_open){
		.key = last->key, .kind = last->kind,
		.sum = (uint32_t)sum + 1,
	};
	return open;
}

/* The place of events like the run's. */
static struct fl_jfr_open *find_open(struct fl_jfr_chunk *chunk,
				     struct fl_jfr_timed *timed,
				     const struct fl_jfr_last *last)
{
	struct fl_jfr_open *open = first_open(timed, last->key, last->kind);

	for (unsigned i = 0; i < PROBES && open->sum; i++) {
		if (open->key == last->key && open->kind == last->kind)
			return open;
		open = next_open(timed, open);
	}
	return make_open(chunk, timed, last);
}

/* Adds the samples of a thread's run to those of its stack and thread. */
static __attribute__((noinline)) bool
close_run(struct fl_jfr_chunk *chunk, struct fl_jfr_timed *timed,
	  struct fl_jfr_last *last)
{
	struct fl_jfr_open *open;
	struct fl_jfr_detail *detail;

	if (!last->samples)
		return true;
	open = find_open(chunk, timed, last);
	if (!open || ((open->time != last->time ||
		       open->samples >= MAX_SAMPLES) &&
		      !close_bucket(chunk, timed, open))) {
		fl_no_memory(chunk->flame);
		return false;
	}
	open->time = last->time;
	open->samples += last->samples;
	detail = &chunk->events->details[open->sum - 1];
	detail->first = FL_MIN(detail->first,
			       (int64_t)fl_wire_pack(last->first));
	detail->last = FL_MAX(detail->last, (int64_t)fl_wire_pack(last->last));
	*last = (struct fl_jfr_last){ 0 };
	return true;
}

bool fl_jfr_close_buckets(struct fl_jfr_chunk *chunk,
			  struct fl_jfr_timed *timed)
{
	bool good = true;

	if (!timed->open)
		return true;
	for (size_t i = 0; good && i < FL_JFR_LAST_THREADS; i++)
		good = close_run(chunk, timed, &timed->last[i]);
	if (!timed->nopen)
		return good;
	for (size_t i = 0; good && i < UINT64_C(1) << timed->open_bits; i++)
		good = close_open(chunk, timed, &timed->open[i]);
	timed->nopen = 0;
	return good;
}

/* Layouts ----------------------------------------------------------------- */

/* A new layout, if it is one; 0: it is not, or there are too many. */
static unsigned make_layout(struct fl_jfr_timed_layouts *layouts,
			    uint32_t not_ends, uint32_t outside)
{
	struct fl_jfr_place places[FL_JFR_SLOTS];
	struct layout *layout = &layouts->at[layouts->n + 1];

	if (layouts->n == MAX_LAYOUTS ||
	    !fl_jfr_find_places(layouts->reader, not_ends, outside, places))
		return 0;
	for (enum place k = 0; k < PLACES; k++) {
		struct fl_jfr_place place = places[slots[k]];

		if (place.size > max_sizes[k])
			return 0;
		layout->at[k] = place.at;
		layout->keep[k] = place.size ? UINT64_C(0x7f7f7f7f7f7f7f7f) >>
					       8 * (8 - place.size) : 0;
	}
	return layouts->number[not_ends] = ++layouts->n;
}

static inline uint64_t field(const struct layout *layout, const uint8_t *at,
			     enum place place)
{
	return fl_wire_word(at + layout->at[place]) & layout->keep[place];
}

_Static_assert(FL_JFR_LAST_THREADS == 1 << (32 - 22), "bits of the hash");

/* Its place among the last ones. */
static inline size_t place_of(uint64_t thread)
{
	return (uint32_t)thread * UINT32_C(0x9e3779b1) >> 22;
}

/* The latest event of a thread that was not the one before in its place. */
static __attribute__((noinline)) struct fl_jfr_latest *
find_latest(struct fl_jfr_chunk *chunk, const struct fl_jfr_timed *timed,
	    struct fl_jfr_counted *at, uint64_t thread, uint64_t written)
{
	struct fl_jfr_count *count = timed->count;
	uint64_t tid = fl_jfr_tid(chunk, fl_wire_pack(thread));
	int64_t time = fl_jfr_written_ns(chunk, timed, written);

	*at = (struct fl_jfr_counted){
		thread + 1, &count->latest[tid % FL_JFR_LAST_THREADS]
	};
	count->first = FL_MIN(count->first, time);
	return at->latest;
}

/* Counts an event, unless its thread has a later one. */
static inline void count_event(struct fl_jfr_chunk *chunk,
			       struct fl_jfr_timed *timed, uint64_t thread,
			       uint64_t written)
{
	struct fl_jfr_count *count = timed->count;
	struct fl_jfr_counted *at = &count->threads[place_of(thread)];
	int64_t time = bucket_of(chunk, timed, written);
	struct fl_jfr_latest *latest = at->latest;

	if (fl_unlikely(at->key != thread + 1))
		latest = find_latest(chunk, timed, at, thread, written);
	count->later += written > latest->written;
	latest->written = FL_MAX(latest->written, written);
	if (time <= latest->time)
		return;
	count->differ[63 - __builtin_clzll((uint64_t)time ^
					   (uint64_t)latest->time)]++;
	latest->time = time;
}

/* Reads, or counts, a run of events of one class. */
static inline __attribute__((always_inline)) const uint8_t *
read_class(struct fl_jfr_chunk *chunk, struct fl_jfr_timed *timed,
	   struct fl_jfr_timed_layouts *layouts, const uint8_t *at,
	   const uint8_t *end, bool counting)
{
	const uint32_t number = layouts->reader->number;
	const uint8_t id = layouts->reader->class->id;

	for (size_t size; at < end; at += size) {
		const struct layout *layout;
		struct fl_jfr_last *last;
		uint64_t thread, state, key, written;
		size_t not_ends, known;
		uint32_t kind;
		int64_t time;

		size = at[0];
		if (fl_unlikely(at[1] != id))
			break;
		not_ends = fl_wire_not_ends_16(at + FL_JFR_HEAD) |
			   fl_jfr_behind[size];
		known = layouts->number[not_ends];
		if (fl_unlikely(!known)) {
			known = make_layout(layouts, not_ends,
					    fl_jfr_behind[size]);
			if (!known)
				break;
		}
		__builtin_prefetch(at + FL_JFR_PREFETCH);
		layout = &layouts->at[known];
		state = field(layout, at, STATE);
		if (!layouts->has_state[state])
			continue;
		thread = field(layout, at, THREAD);
		if (counting) {
			count_event(chunk, timed, thread,
				    field(layout, at, TIME));
			continue;
		}
		key = thread << 32 | field(layout, at, STACK);
		kind = number << 8 | (uint32_t)state;
		written = field(layout, at, TIME);
		time = bucket_of(chunk, timed, written);
		last = &timed->last[place_of(thread)];
		if (fl_unlikely(last->key != key || last->kind != kind ||
				last->time != time ||
				last->samples == MAX_SAMPLES)) {
			if (fl_jfr_part_is_full(timed) ||
			    !close_run(chunk, timed, last))
				break;
			*last = (struct fl_jfr_last){
				.key = key, .kind = kind, .time = time,
				.first = UINT64_MAX,
			};
		}
		last->samples++;
		last->first = FL_MIN(last->first, written);
		last->last = FL_MAX(last->last, written);
	}
	return at;
}

const uint8_t *fl_jfr_read_timed_layouts(struct fl_jfr_chunk *chunk,
					 struct fl_jfr_timed *timed,
					 const uint8_t *at, const uint8_t *end)
{
	const uint8_t *begin;

	if (end - at <= FL_JFR_LOOKAHEAD || !timed->open)
		return at;
	end -= FL_JFR_LOOKAHEAD;
	do {
		struct fl_jfr_timed_layouts *layouts =
			at[1] < FL_COUNT(timed->by_layout) ?
				timed->by_layout[at[1]] : NULL;

		begin = at;
		if (layouts)
			at = timed->count ?
			     read_class(chunk, timed, layouts, at, end, true) :
			     read_class(chunk, timed, layouts, at, end, false);
	} while (at > begin && at < end && timed->open);
	return at;
}

/* Begin and end ----------------------------------------------------------- */

bool fl_jfr_is_timed_plain(const struct fl_jfr_chunk *chunk,
			   const struct fl_jfr_reader *c)
{
	return c->has[FL_JFR_STACK] && c->has[FL_JFR_TIME] &&
	       !c->has[FL_JFR_COUNT] && !c->has[FL_JFR_VALUE] &&
	       !c->has[FL_JFR_LEAF] && !chunk->asked.limited &&
	       !(c->row && c->row->group == FL_JFR_GROUP_ALLOC) &&
	       c->nsteps <= 16 && c->class->all_var &&
	       chunk->header.compressed && c->class->id > 1 &&
	       c->class->id < 128;
}

bool fl_jfr_begin_timed_layouts(struct fl_jfr_chunk *chunk,
				struct fl_jfr_timed *timed)
{
	struct fl_jfr_readers *readers = chunk->readers;

	init_clock(chunk, &timed->clock);
	for (uint32_t i = timed->first_reader; i < readers->count; i++) {
		struct fl_jfr_reader *c = readers->data[i];
		struct fl_jfr_timed_layouts *layouts;

		if (!fl_jfr_is_timed_plain(chunk, c))
			continue;
		layouts = fl_zeroed(1, sizeof(*layouts));
		if (!layouts)
			return false;
		layouts->reader = c;
		for (unsigned state = 0; state < MAX_STATES; state++)
			layouts->has_state[state] = fl_jfr_has_state(
				&timed->states[i - timed->first_reader], state);
		timed->by_layout[c->class->id] = layouts;
		if (!timed->open && !grow_open(chunk, timed))
			return false;
	}
	return true;
}

void fl_jfr_free_timed_layouts(struct fl_jfr_timed *timed)
{
	for (size_t i = 0; i < FL_COUNT(timed->by_layout); i++)
		fl_free(timed->by_layout[i]);
	fl_free(timed->open);
}
