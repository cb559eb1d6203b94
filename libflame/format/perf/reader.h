/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader of perf script's text, in the order data flow:
 *
 *	probe.c		detection
 *	perf.c		the loop from lines to samples; the format's row
 *	header.c	the line that begins a record
 *	columns.c	columns around a stack that are not frames
 *	record.c	a record and its sample
 *	event.c		events, a metric each
 *	line_cache.c	frame lines of known functions, predicted
 *	lines.c		other frame lines: looked up, or parsed
 *	frame.c		a frame line's parts, and our name for it
 *	compat.c	the names of FlameGraph's and inferno's collapsers
 *	inline.c	--inline: functions that a compiler inlined
 *	non_samples.c	lines and records that are not samples
 *	parts.c		reading with several threads
 *
 * This header has the state of a reader between two samples.
 */
#ifndef FL_PERF_READER_H
#define FL_PERF_READER_H

#include "format/perf/header.h"
#include "format/perf/inline.h"
#include "format/perf/lines.h"

enum { FL_PERF_FACTS = 64 };	/* of a source; more are left out */

enum { FL_PERIOD_BUCKETS = 256 };

struct fl_perf_event {
	struct slice name;	/* the dictionary's */
	flame_id metric;
	bool wanted, branch;
	bool one_line;		/* some of its records have no stack below */
	struct fl_map threads;	/* distinct ones, where they are counted */
	uint32_t *periods;	/* histogram of FL_PERIOD_BUCKETS; or NULL */
};

/* A record whose frames are being read, or that is next. */
struct fl_perf_record {
	bool open, wanted, java, flat;
	bool branch;		/* its event is branches */
	bool closed;		/* an empty line came, though no frame did */
	bool padded;		/* blanks are in front of its columns */
	size_t event;		/* in r->events, if there are any */
	flame_id base;		/* the comm's stack */
	flame_id comm, thread, labels, metric;
	int64_t time, weight;
	struct slice rest;	/* of the first line, until it is consumed */
};

/* A sample whose stack is still to be made. */
struct fl_perf_buffered {
	struct flame_sample sample;
	flame_id base;
	size_t first, n;	/* in r->pairs */
	size_t shared;		/* of these, shared with the stack before */
};

struct fl_perf_reader {
	struct flame_source *source;
	struct flame *flame;
	struct fl_perf_naming naming;
	struct fl_perf_lines lines[2];	/* [comm begins with "java"] */

	/* Bytes that are peeked at and not consumed yet. */
	const char *start, *at, *end;
	bool whole;		/* there is no more than that */

	struct fl_perf_record record;
	struct fl_frame_list frames;	/* leaf first */
	struct fl_frame_list one_line;	/* of the first line; if no frames */
	/* Not 0: frames from here on and the comm go (--skip-after). */
	size_t stop, one_line_stop;

	bool at_once;		/* the stack of the next one is made */
	/* Else: samples whose stacks are made together. */
	struct fl_perf_buffered buffered[FL_LOOKUP_BATCH];
	unsigned nbuffered;
	int status;		/* what comes after them; FLAME_OK: more */
	/* Their frames, root first; in front those of the last one before. */
	struct fl_pair *pairs;
	size_t npairs, pairs_capacity, nlast;
	flame_id last_base;

	struct fl_perf_event *events;
	size_t nevents, events_capacity, event;	/* the last one */
	struct fl_map by_name;
	struct slice filter;	/* a peer's: the first event it met */
	bool has_filter;

	struct fl_perf_lefts lefts;

	bool flat;		/* the first record was; so are all */
	bool tabs;		/* frame lines begin with a tab, as perf's do */
	bool message;		/* the line before was a message of perf's */
	bool bare;		/* headers without a time and an event came */
	bool headers;	/* there are lines that begin records */
	bool stacks;	/* and below one of them frames */
	bool looked_for_end;
	bool binary;		/* it reads perf.data, not text */
	uint64_t cut_line;	/* not 0: the last, which has no end */
	bool no_end;		/* no empty line, or newline, ends the last */
	uint64_t line, samples, bad, first_bad, no_period, lost;
	uint64_t no_branch;	/* samples of branches without a frame */
	char bad_text[80];
};

/*
 * event.c: the event of this name, made on first use; NULL: there are too many.
 */
struct fl_perf_event *fl_perf_event_find(struct fl_perf_reader *r,
					 struct slice text);
/* Whether it is one of those there were, if there were any. */
bool fl_perf_event_may_be(const struct fl_perf_reader *r, struct slice text);
/* At the end: what the choice of events comes to; FLAME_FAILED: nothing. */
int fl_perf_events_end(struct fl_perf_reader *r);
/* Times that there were: see flame_source. */
void fl_perf_saw(struct flame_source *source, int64_t first, int64_t last);
/* Moves the histograms of periods out of a part that was read by itself. */
void fl_perf_event_join(struct fl_perf_reader *to, struct fl_perf_reader *from);
void fl_perf_event_count(struct fl_perf_reader *r,
			 struct fl_perf_event *event,
			 const struct fl_perf_header *h);

/* record.c: false: more events than can be. */
bool fl_perf_record_begin(struct fl_perf_reader *r, struct fl_perf_header *h,
			  struct fl_perf_record *record);
/*
 * The end of the header line is a frame if no frame lines follow.  end is that
 * of the line, with its newline.
 */
void fl_perf_record_one_line(struct fl_perf_reader *r, const char *end);
/*
 * Makes a sample of r->record and r->frames.  true: it is the next of
 * r->buffered; the caller counts it.  fl_perf_make_stacks: resolves the stacks
 * of all buffered ones.
 */
bool fl_perf_record_end(struct fl_perf_reader *r,
			struct flame_sample *sample);
/* Fills all but the stack of a sample of r->record, and counts it. */
void fl_perf_record_sample(struct fl_perf_reader *r,
			   struct flame_sample *sample);
void fl_perf_make_stacks(struct fl_perf_reader *r);

/*
 * The label cgroup=NAME; some versions print it in the header line, others
 * after the stack.
 */
void fl_perf_record_cgroup(struct fl_perf_reader *r, struct slice cgroup);

/* columns.c ----------------------------------------------------------- */

/* Whether all of a text is columns that follow a stack. */
bool fl_perf_end_columns(struct slice text, struct slice *cgroup);
/* "  file.c:8 ilen: 3": srcline's line has them where frames have none. */
bool fl_perf_is_source_and_columns(struct slice line);
/* "|12   i++;", as srccode has it below a sample. */
bool fl_perf_is_source_code(struct slice line);
/* A line of such a column, which follows the sample's empty line. */
bool fl_perf_is_later_line(struct slice line);
/* The frame of a one-line record, without the columns around it. */
struct slice fl_perf_frame_of_line(struct slice rest, struct slice *cgroup);
/* The cgroup that a first line ends in; empty: none. */
struct slice fl_perf_header_cgroup(struct slice rest);

/* non_samples.c ------------------------------------------------------- */

bool fl_perf_is_empty(struct slice line);
/* perf's messages on standard error, mixed into the text by 2>&1. */
bool fl_perf_is_message(struct slice line);
void fl_perf_not_understood(struct fl_perf_reader *r, struct slice line);
/* "# hostname : exec-7": what the recording says of itself. */
void fl_perf_keep_fact(struct fl_perf_reader *r, struct slice line);
/* From a PERF_RECORD_LOST line. */
void fl_perf_count_lost(struct fl_perf_reader *r, struct slice line);

/* perf.c, probe.c, parts.c: see struct fl_format. */
int fl_perf_open(struct flame_source *source);
void fl_perf_release(void *state);
/* Reports at the end of the input, and returns what its read is to. */
int fl_perf_end(struct fl_perf_reader *r);
extern const struct fl_option_table fl_perf_data_options;
int fl_perf_probe(const uint8_t *head, size_t n, bool whole);
size_t fl_perf_split(const char *at, size_t n);
void fl_perf_resume(struct flame_source *source);
bool fl_perf_fork(const struct flame_source *whole, struct flame_source *part);
void fl_perf_join(struct flame_source *whole, struct flame_source *part);

#endif
