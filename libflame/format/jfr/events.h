/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The events of a chunk in one pass (event.c); equal ones are summed by stack
 * trace, state, class, thread, so far as these are asked for (sum.c).
 */
#ifndef FL_JFR_EVENTS_H
#define FL_JFR_EVENTS_H

#include "format/jfr/readers.h"
#include "format/jfr/traces.h"

/* Events that are counted together. */
struct fl_jfr_sum {
	uint32_t next;		/* of the same trace, plus one */
	uint32_t trace;		/* in chunk->traces */
	uint32_t reader : 31;	/* in chunk->readers */
	uint32_t outside : 1;	/* leaf: allocated outside TLAB */
	/* Key of the class or method, place of the text; 0: none. */
	uint64_t leaf;
	uint64_t state;
	int64_t samples, value;
	int64_t bare;		/* samples of classes without a value */
};

/* More of it, where that is asked for: a chunk has many sums. */
struct fl_jfr_detail {
	uint64_t thread;
	uint64_t address;	/* leaks; of old objects, the GC root's key; */
				/* or where the event ends (write.c) */
	int64_t first, last;	/* ticks; first > last: not known */
};

/* The values of an event that are summed up. */
struct fl_jfr_weight {
	int64_t samples, value;
	bool outside;
};

/* An event whose texts are read when the pools are there. */
struct fl_jfr_note {
	const struct fl_jfr_class *class;
	uint64_t at;
};

struct fl_jfr_events {
	struct fl_jfr_sum *sums;
	size_t nsums, sums_capacity;
	struct fl_jfr_detail *details;	/* of each, if there are any */
	size_t details_capacity;
	bool detailed;
	bool by_time;		/* each event is a sum by itself */
	bool twice;		/* times are read by a second pass: timed.c */
	struct fl_jfr_timed *timed;	/* NULL: none, or not yet */
	void (*free_timed)(struct fl_jfr_timed *timed);
	/* The first `nindexed` sums, where a trace has very many. */
	struct fl_index index;
	size_t nindexed;
	struct fl_jfr_note *notes;
	size_t nnotes, notes_capacity;
	struct fl_map texts;	/* sum.c: hash of a text -> its first place */
	uint64_t lost_samples;	/* while it was recorded */
	bool with_tlab;		/* it has allocations in and outside TLABs */
};

static inline struct fl_jfr_detail
fl_jfr_detail_of(const struct fl_jfr_events *events,
		 const struct fl_jfr_sum *sum)
{
	return events->detailed ? events->details[sum - events->sums] :
	       (struct fl_jfr_detail){ .first = INT64_MAX, .last = INT64_MIN };
}

/* Reads and sums the events; depends on the metadata only. */
bool fl_jfr_read_events(struct fl_jfr_chunk *chunk);
/*
 * Another reader for the class, with times and threads, for the second pass.
 * false: out of memory.
 */
bool fl_jfr_read_again(struct fl_jfr_chunk *chunk,
		       const struct fl_jfr_reader *reader);
/* The weights of the event just read; false: its time is not asked for. */
bool fl_jfr_weigh(const struct fl_jfr_chunk *chunk,
		  const struct fl_jfr_reader *reader,
		  struct fl_jfr_weight *weight);
/* Frees the tables of sums. */
void fl_jfr_sums_done(struct fl_jfr_chunk *chunk);
/* Frees sums, traces and stacks. */
void fl_jfr_tables_done(struct fl_jfr_chunk *chunk);
/* Frees all that the readers and sums have. */
void fl_jfr_events_free(struct fl_jfr_chunk *chunk);

/* sum.c: sums of events in the order in which they are added ----------- */

/*
 * Adds the event that the reader has read; fresh: there is no equal sum.
 * Returns its sum's place; SIZE_MAX: out of memory.
 */
size_t fl_jfr_add_event(struct fl_jfr_chunk *chunk,
			const struct fl_jfr_reader *reader,
			struct fl_jfr_weight weight, bool fresh);
/* Adds a sum of the trace of a key; detail: only where there are any. */
size_t fl_jfr_add_sum(struct fl_jfr_chunk *chunk, struct fl_jfr_sum *sum,
		      const struct fl_jfr_detail *detail, uint64_t key,
		      bool fresh);

/* span.c: --latency, --tag, and labels of spans ------------------------- */

struct fl_jfr_span {
	uint64_t thread;
	int64_t from, to;	/* ns, both inside */
	flame_id labels;	/* made of its tag; 0: none */
};

struct fl_jfr_spans {
	struct fl_jfr_span *data;	/* by thread and time, once sorted */
	size_t count, capacity;
	bool seen;		/* any event that is a span at all */
	bool filter;		/* leave out samples outside of spans */
	bool label;		/* put on samples the labels of their span */
};

/* The innermost span of a thread at a time (ns); NULL: none. */
const struct fl_jfr_span *fl_jfr_span_at(const struct fl_jfr_spans *spans,
					 uint64_t thread, int64_t ns);
bool fl_jfr_add_span(struct fl_jfr_spans *spans,
		     const struct fl_jfr_span *span);
/*
 * Before the first search: sorts spans, and cuts outer ones where inner ones
 * are.  false: out of memory.
 */
bool fl_jfr_sort_spans(struct flame *flame, struct fl_jfr_spans *spans);
/*
 * The labels of a tag: tag, span, and for "SparkTask:stageId=1,..." the parts
 * that have a label.  only_tasks: 0 for other tags.
 */
flame_id fl_jfr_tag_labels(struct flame *flame, struct slice tag,
			   bool only_tasks);
void fl_jfr_spans_free(struct fl_jfr_spans *spans);

#endif
