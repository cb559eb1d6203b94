/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums of a chunk as samples: metrics and selection (metric.c), the batches
 * that are given out (emit.c), leaks (leak.c), jfrconv's rounding (grain.c),
 * jdk.MethodTiming (timing.c), jdk.ThreadDump (dumps.c), who holds an object
 * (holder.c); and facts of the recording (info.c).
 */
#ifndef FL_JFR_SAMPLES_H
#define FL_JFR_SAMPLES_H

#include "format/jfr/events.h"

/*
 * What the samples of an event in a state have in common.  A chunk makes each
 * kind once; leaks, timings and format 0.9 make theirs.
 */
struct fl_jfr_kind {
	struct slice event;	/* "jdk.ExecutionSample" */
	const struct fl_jfr_row *row;	/* NULL: its type has none */
	struct slice state;	/* "STATE_RUNNABLE"; data NULL: none */
	const char *unit;	/* of the value; NULL: none */
	bool raw;		/* asked for by the event's own name */
	bool async;		/* written by async-profiler */
	bool runnable_wall;	/* there, STATE_RUNNABLE is a wall sample */
	bool with_tlab;		/* its chunk has TLAB events as well */
	/* Set by fl_jfr_resolve_kind. */
	const char *name;	/* of its metric; NULL: not asked for */
	flame_id metric;	/* 0: there was no sample yet */
	bool cpu;		/* its metric is cpu */
	bool asked;		/* asked for, unless it is cpu alone */
	bool total;		/* its samples are weighed by value */
	bool stateless;		/* its state is not there: cpu or wall */
};

static inline bool fl_jfr_is_asked(const struct fl_jfr_kind *kind,
				   bool cpu_only)
{
	return cpu_only ? kind->cpu : kind->asked;
}

/* One event, or several equal ones, with all constants resolved. */
struct fl_jfr_hit {
	struct fl_jfr_kind *kind;
	bool has_stack;
	bool unresolved;	/* it has none, but names one */
	flame_id stack;		/* without the leaf */
	/* Or the trace, which is made into one if it is asked for. */
	struct fl_jfr_chunk *chunk;
	struct fl_jfr_trace *trace;
	flame_id leaf;		/* a frame; 0: none */
	flame_id thread;	/* label set; 0: not known */
	flame_id span;		/* label set; 0: none */
	flame_id holder;	/* name of its GC root; 0: not known */
	int64_t time, last;	/* ns, of the first and last; FLAME_NOTIME */
	int64_t samples, value;
	const struct fl_jfr_sum *timed;	/* it has a run of times; or NULL */
	uint64_t place;		/* where its event ends, if events are copied */
};

/* Samples without a stack that were asked for. */
struct fl_jfr_bare {
	uint64_t samples, unresolved;
};

/* How much of a chunk was emitted: samples of cpu come first. */
struct fl_jfr_progress {
	enum { FL_JFR_DONE, FL_JFR_CPU_PASS, FL_JFR_LAST_PASS } pass;
	bool begun;		/* the stacks of this pass were made */
	size_t next;		/* in chunk->events->sums, */
	size_t part;		/* from here on, */
	size_t first;		/* with times from here on */
	bool runnable_wall;	/* STATE_RUNNABLE is a wall sample in it */
	bool has_states;	/* a state of cpu or wall is in the pools */
};

struct fl_jfr_samples {
	uint64_t given;			/* samples of all batches */
	bool counted;			/* there are any with a stack */
	struct fl_jfr_bare others, cpu;	/* where cpu is chosen, only these are
					   reported */
	struct fl_jfr_progress progress;	/* of the current chunk */
	struct fl_map survey;		/* of (metric, thread) pairs */
};

/* metric.c ------------------------------------------------------------ */

/* Decides on the metric and the weight of a kind that is filled in. */
void fl_jfr_resolve_kind(const struct fl_jfr *jfr, struct fl_jfr_kind *kind);
/* The kind of a sum; NULL: out of memory. */
struct fl_jfr_kind *fl_jfr_kind_of(struct fl_jfr_chunk *chunk,
				   const struct fl_jfr_sum *sum);
/*
 * Counts it for its metric, and adds it to the batch if it is asked for:
 * selects by event, thread, state (times are the caller's).
 */
int fl_jfr_add_sample(struct fl_jfr *jfr, const struct fl_jfr_hit *hit);
/* Counts for their metrics the events that were counted without stacks. */
void fl_jfr_count_rest(struct fl_jfr_chunk *chunk);
void fl_jfr_samples_free(struct fl_jfr_samples *samples);

/* hit.c --------------------------------------------------------------- */

/*
 * A sum with all constants resolved; its stack remains to be made.  names:
 * its leaf, too.
 */
void fl_jfr_fill_hit(struct fl_jfr_chunk *chunk, const struct fl_jfr_sum *sum,
		     bool names, struct fl_jfr_hit *hit);
/* A value in its unit; bare: samples that have no value, but a duration. */
int64_t fl_jfr_amount(const struct fl_jfr_chunk *chunk,
		      const struct fl_jfr_reader *reader, const char *unit,
		      int64_t value, int64_t bare);

/* holder.c: the chain from a GC root to an object, if "holder" is wanted. */
void fl_jfr_find_holders(struct fl_jfr_chunk *chunk, uint64_t object,
			 uint64_t root, struct fl_jfr_hit *hit);

/* timed.c: the second pass, for times --------------------------------- */

/*
 * Begins it: sums that are asked for (by their number) are removed, as
 * fl_jfr_next_timed makes them anew.  false: failed.
 */
bool fl_jfr_begin_timed(struct fl_jfr_chunk *chunk, const bool *asked);
/*
 * Sums the next part of the events that are asked for; the sums are those from
 * *first on.  false: there are no more, or it has failed.
 */
bool fl_jfr_next_timed(struct fl_jfr_chunk *chunk, size_t *first);
/*
 * The times of a sum's events as a run, in samples or in values, which
 * add up to the weight.
 */
int64_t fl_jfr_run_of(const struct fl_jfr_hit *hit, int64_t weight);

/* emit.c -------------------------------------------------------------- */

/*
 * Adds samples of a chunk's sums to the batch, some of them, and others when it
 * is called again, until progress.pass is FL_JFR_DONE.
 */
int fl_jfr_emit(struct fl_jfr_chunk *chunk);
/* Values known only at the end: leaks, timings, dumps if there is no other. */
int fl_jfr_emit_end(struct fl_jfr *jfr);

/* leak.c: allocations that were not freed, by address, over all chunks. */
int fl_jfr_keep_leak(struct fl_jfr *jfr, const struct fl_jfr_hit *hit,
		     uint64_t address);
/* At the end of a chunk, and of the recording. */
int fl_jfr_end_chunk_leaks(struct fl_jfr *jfr);
int fl_jfr_emit_leaks(struct fl_jfr *jfr);
void fl_jfr_leaks_free(struct fl_jfr_leaks *leaks);

/* grain.c: rounds the sums of a chunk as jfrconv does. */
void fl_jfr_coarsen(struct fl_jfr_chunk *chunk);

/* timing.c: the last numbers of a method; all of them as samples. */
int fl_jfr_time_method(struct fl_jfr_chunk *chunk,
		       const struct fl_jfr_sum *sum);
int fl_jfr_emit_timings(struct fl_jfr *jfr);
void fl_jfr_timings_free(struct fl_jfr_timings *timings);

/*
 * dumps.c: jdk.ThreadDump has the text of a thread dump.  Its threads are
 * samples if they are asked for, or if the recording has no others.
 */
int fl_jfr_end_chunk_dumps(struct fl_jfr_chunk *chunk);
int fl_jfr_emit_dumps(struct fl_jfr *jfr);
void fl_jfr_dumps_free(struct fl_jfr_dumps *dumps);

/* write.c: with jfr->copy --------------------------------------------- */

/* Where the event ends whose sample was added last. */
int fl_jfr_copy_place(struct fl_jfr *jfr, uint64_t end);
/* Writes a chunk whose samples were all forwarded. */
int fl_jfr_copy_chunk(struct fl_jfr_chunk *chunk);

/* info.c -------------------------------------------------------------- */

/* A field of a noted event as text or number; false: it has none. */
bool fl_jfr_note_value(struct fl_jfr_chunk *chunk,
		       const struct fl_jfr_note *note, const char *name,
		       struct fl_buf *buf);

/* Settings and the like, when the pools are there. */
void fl_jfr_read_notes(struct fl_jfr_chunk *chunk);
/* n more events of a name. */
void fl_jfr_info_event(struct fl_jfr *jfr, struct slice event, uint64_t n);
void fl_jfr_info_chunk(struct fl_jfr_chunk *chunk);
void fl_jfr_info_end(struct fl_jfr *jfr);
void fl_jfr_info_free(struct fl_jfr_info *info);

#endif
