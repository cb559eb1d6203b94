/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the second pass share: timed.c, and timed_layout.c for
 * short events that are only a stack, a state and a thread.
 */
#ifndef FL_JFR_TIMED_H
#define FL_JFR_TIMED_H

#include "flow/runs.h"
#include "format/jfr/events.h"

enum {
	FL_JFR_PART_RECORDS = 1 << 16,	/* of a part, 16 bytes each */
	FL_JFR_PART_OPEN = 1 << 14,	/* stacks and threads, likewise */
	FL_JFR_LAST_THREADS = 1 << 10,	/* more of them share places */
	FL_JFR_MIN_COUNTED = 1 << 16	/* events that are counted first */
};

/* In fl_jfr_record.amount: not samples, but a place in weights[]. */
#define FL_JFR_WEIGHED (UINT32_C(1) << 31)

/* An event, or several in the same bucket of time, one after the other. */
struct fl_jfr_record {
	int64_t time;		/* ns */
	uint32_t sum;		/* from the first one of the part */
	uint32_t amount;	/* samples */
};

/* The states of a class's events that are asked for. */
struct fl_jfr_states {
	uint64_t small[2];	/* a bit for each */
	struct fl_map others;
};

/* A sum of short events, with the bucket that they are counted in. */
struct fl_jfr_open {
	uint64_t key;		/* stack, and thread << 32, as written */
	uint32_t kind;		/* state, and reader << 8 */
	uint32_t sum;		/* plus one; 0: none */
	int64_t time;		/* of the bucket, ns */
	uint32_t samples;	/* not in its sum yet */
	uint32_t unused;	/* two are a line of the cache */
};

/* Short events of a thread, of one stack, state and bucket. */
struct fl_jfr_last {
	uint64_t key;		/* as of struct fl_jfr_open */
	uint32_t kind;		/* 0: none */
	uint32_t samples;
	int64_t time;
	uint64_t first, last;	/* ticks */
};

/* Ticks that are surely in a bucket, as they are written. */
struct fl_jfr_bucket {
	uint64_t from, width;
	int64_t time;		/* ns */
};

/* Ticks to ns by multiplication. */
struct fl_jfr_clock {
	bool usable;
	int64_t start_ticks, start_ns;
	uint64_t frequency, inverse;	/* 2^64 / frequency */
};

/*
 * How many short events of a thread have later times than all before, and by
 * which bit at most their buckets differ then.
 */
struct fl_jfr_count {
	uint64_t later, differ[64];
	int64_t first;		/* ns */
	struct fl_jfr_latest {
		uint64_t written;	/* ticks */
		int64_t time;	/* of its bucket; INT64_MIN: none */
	} latest[FL_JFR_LAST_THREADS];	/* by tid */
	struct fl_jfr_counted {
		uint64_t key;	/* as written, plus one; 0: none */
		struct fl_jfr_latest *latest;
	} threads[FL_JFR_LAST_THREADS];	/* by a hash of the key */
};

struct fl_jfr_timed {
	struct fl_jfr_states *states;	/* by reader, from first_reader on */
	uint32_t nstates, first_reader;
	size_t nkept;		/* sums of the first pass that remain */
	uint64_t nasked, nlost;	/* events; those that make no sample */
	struct fl_jfr_count *count;	/* they are counted now; or NULL */
	size_t range;		/* of framing.c, and how far it is read */
	const uint8_t *at;
	int64_t rounding;	/* of times: the bits that remain */
	struct fl_jfr_bucket bucket;	/* of the event before; or width 0 */
	struct fl_jfr_clock clock;
	struct fl_jfr_record *records;
	size_t nrecords, records_capacity;
	struct fl_jfr_weight *weights;
	size_t nweights, weights_capacity;
	struct fl_run_part *parts;	/* the records by sum */
	uint32_t *end;		/* by sum: of its parts */
	size_t parts_capacity, end_capacity;
	struct fl_jfr_timed_layouts *by_layout[128];	/* by class id */
	struct fl_jfr_open *open;	/* a hash table; NULL: none yet */
	unsigned open_bits;	/* of its size */
	size_t nopen;
	struct fl_jfr_last last[FL_JFR_LAST_THREADS];	/* by thread's key */
	bool mixed;		/* the part has sums that are not in it */
};

static inline bool fl_jfr_has_state(const struct fl_jfr_states *states,
				    uint64_t state)
{
	return fl_likely(state < 128) ?
		       states->small[state / 64] >> state % 64 & 1 :
		       fl_map_get(&states->others, state) != NULL;
}

/* Whether the part is large enough to be given out. */
static inline bool fl_jfr_part_is_full(const struct fl_jfr_timed *timed)
{
	return timed->nrecords >= FL_JFR_PART_RECORDS ||
	       timed->nopen >= FL_JFR_PART_OPEN;
}

/* false: out of memory. */
static inline bool fl_jfr_add_record(struct fl_jfr_timed *timed, size_t sum,
				     int64_t time, uint32_t amount)
{
	if (fl_unlikely(timed->nrecords == timed->records_capacity) &&
	    !fl_grow(&timed->records, &timed->records_capacity,
		     timed->nrecords + 1, sizeof(*timed->records)))
		return false;
	timed->records[timed->nrecords++] = (struct fl_jfr_record){
		time, (uint32_t)(sum - timed->nkept), amount
	};
	return true;
}

/* timed_layout.c ------------------------------------------------------ */

/* Ticks as they are written as ns. */
int64_t fl_jfr_written_ns(const struct fl_jfr_chunk *chunk,
			  const struct fl_jfr_timed *timed, uint64_t written);

/* Whether a sum's times may be rounded: its events are short ones. */
bool fl_jfr_is_timed_plain(const struct fl_jfr_chunk *chunk,
			   const struct fl_jfr_reader *reader);
/* Once the readers are there.  false: out of memory. */
bool fl_jfr_begin_timed_layouts(struct fl_jfr_chunk *chunk,
				struct fl_jfr_timed *timed);
/*
 * Reads short events as long as they come one after another.  Returns the
 * place of the first other one.
 */
const uint8_t *fl_jfr_read_timed_layouts(struct fl_jfr_chunk *chunk,
					 struct fl_jfr_timed *timed,
					 const uint8_t *at, const uint8_t *end);
/* Adds the buckets' counts to the samples.  false: out of memory. */
bool fl_jfr_close_buckets(struct fl_jfr_chunk *chunk,
			  struct fl_jfr_timed *timed);
void fl_jfr_free_timed_layouts(struct fl_jfr_timed *timed);

#endif
