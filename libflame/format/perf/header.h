/* SPDX-License-Identifier: Apache-2.0 */
/* The line that begins a record, in its columns. */
#ifndef FL_PERF_HEADER_H
#define FL_PERF_HEADER_H

#include "format/format.h"
#include "format/perf/text.h"

/* A record's first line.  Numbers are -1 where they are not printed. */
struct fl_perf_header {
	struct slice comm;
	struct slice event;	/* modifiers included; empty: none printed */
	struct slice rest;	/* of the line: a frame, or arguments */
	struct slice cgroup;	/* empty: none printed */
	int64_t pid, tid, cpu;
	int64_t machine, vcpu;	/* of a guest: its process here, its cpu */
	int64_t time;		/* ns on perf's clock, or FLAME_NOTIME */
	int64_t period;
	bool flat;		/* its frame, and no time */
	bool non_sample;	/* a PERF_RECORD_ line */
	struct fl_perf_left *left;	/* NULL: not among them */
};

/*
 * A cache of parsed columns before the time (comm, ids, cpu), by their text: a
 * thread has many samples.
 */
struct fl_perf_left {
	char text[80];
	bool met;
	uint8_t size, comm_at, comm_size;
	flame_id comm, base, thread, labels;	/* 0: not made yet */
	int64_t pid, tid, cpu, machine, vcpu;
};

enum { FL_PERF_LEFTS = 1024 };

/* The last line's entry is tried first. */
struct fl_perf_lefts {
	struct fl_perf_left at[FL_PERF_LEFTS];
	struct fl_perf_left *last;	/* NULL: none yet */
	char right[64];		/* from the time to the event's colon */
	uint8_t right_size;	/* 0: none */
	uint8_t event_at, event_size;	/* in right */
	uint8_t time_size;
	int64_t period;
};

/* false: not such a line.  lefts may be NULL. */
bool fl_perf_header(struct slice line, struct fl_perf_lefts *lefts,
		    struct fl_perf_header *header);
/*
 * A line at `at` whose columns are those of the line before, its time apart:
 * *size is its own, newline included.  false: work it out.
 */
bool fl_perf_header_again(const char *at, const char *end,
			  const struct fl_perf_lefts *lefts,
			  struct fl_perf_header *header, size_t *size);
/* Columns without a time, and a frame: where each record is one line. */
bool fl_perf_flat_header(struct slice line, struct fl_perf_lefts *lefts,
			 struct fl_perf_header *header);
/*
 * Comm and numbers alone: so little is one only where a frame follows.
 */
bool fl_perf_bare_header(struct slice line, struct fl_perf_lefts *lefts,
			 struct fl_perf_header *header);

/* Whether a header consists of numbers, without a comm. */
bool fl_perf_has_ids(const struct fl_perf_header *header);

#endif
