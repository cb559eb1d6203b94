/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces of events: what trace_event.c reads, and trace_stacks.c makes stacks
 * and their times of.
 */
#ifndef FL_JSON_TRACE_H
#define FL_JSON_TRACE_H

#include "format/json/source.h"
#include "format/json/v8.h"

struct trace_options {
	bool total, lines;
};

/* The fields that a begin shares with its end. */
struct key {
	flame_id name, frame;
	uint64_t args;		/* hash; 0: none */
};

/* Events of a thread that may come before one that began earlier. */
enum { FL_TRACE_HELD = 1 << 12 };
/* Events buffered to the end worth a remark: 32 MB of memory and more. */
enum { FL_TRACE_MANY = 1 << 20 };

/* Of a frame that ends by an event of its own. */
#define FL_TRACE_NO_END INT64_MAX

struct event {
	int64_t time, duration;	/* ns; the duration of X only */
	uint64_t order;		/* in the file, of the thread */
	uint32_t key;
	char phase;
};

struct open_frame {
	uint32_t key;
	bool ended;		/* within others, which go on without it */
	uint64_t number;	/* of all of the thread, ascending */
	uint64_t run;		/* from this one on, all have the same frame */
	int64_t begin, end;	/* end: of X; others FL_TRACE_NO_END */
};

/* The end of an open X: a heap, whose first is the next to come. */
struct open_end {
	int64_t time;
	uint64_t number;	/* of the frame; the innermost ends first */
};

struct thread {
	flame_id pid, tid, name;	/* names of the dictionary */
	flame_id labels;		/* of spans; 0: none yet */
	struct event *events;
	size_t nevents, events_capacity;
	uint64_t order;		/* of the next event */
	int64_t last;		/* the time of the event before */
	size_t limit;		/* of nevents, once some were run; or 0 */
	int64_t run_until;	/* later ones are buffered */
	bool has_complete, has_ends, unordered;
	struct open_frame *open;	/* the last one goes on */
	size_t nopen, open_capacity, nended;
	uint64_t nframes;	/* that were ever open */
	struct open_end *ends;	/* also of frames that are gone */
	size_t nends, ends_capacity;
	flame_id stack;		/* of the innermost frame */
	int64_t time;		/* of the event that was run last */
	bool has_time;
};

/* Counts of a stack of a thread. */
struct sum {
	uint32_t thread;
	flame_id stack;
	uint64_t events;
	int64_t time;
};

/* A sample with a stack of the "stackFrames", which may come last. */
struct frame_sample {
	flame_id stack_frame;
	uint32_t thread;
	int64_t time, weight;
};

/* An entry of "stackFrames", by its id. */
struct stack_frame {
	flame_id id, parent, name;
	flame_id stack;
	bool cyclic;	/* it is above itself, or one is that is above it */
};

struct trace {
	struct fl_json_source js;
	const struct trace_options *options;
	struct key *keys;
	size_t nkeys, keys_capacity;
	struct fl_index key_index;
	struct thread *threads;
	size_t nthreads, threads_capacity;
	struct fl_map thread_ids;	/* (pid, tid) -> place + 1 */
	struct sum *sums;
	size_t nsums, sums_capacity;
	struct fl_map sum_ids;		/* (thread, stack) -> place */
	struct frame_sample *samples;
	size_t nsamples, samples_capacity;
	struct stack_frame *frames;
	size_t nframes, frames_capacity;
	struct fl_map frame_ids;	/* id -> place */
	uint32_t *path;			/* of frames, leaf first: scratch */
	size_t path_capacity;
	struct event *begins, *ends;	/* scratch of run */
	size_t begins_capacity, ends_capacity;
	/* trace_profiles.c: CPU profiles, by process and id. */
	struct fl_map profile_ids;	/* (pid, id) -> place + 1 */
	struct trace_profile {
		uint32_t thread;
		bool has_thread;
		struct fl_v8 *v8;
	} *profiles;
	size_t nprofiles, profiles_capacity;
	struct fl_v8 *piece;		/* of the event that is read */
	struct fl_v8_options v8_options;
	bool has_piece;
	/* Durations of frames as our writer stores them; unit_ns 0: none. */
	struct {
		flame_id metric, unit;	/* names */
		int64_t unit_ns;	/* length of a weight of 1 */
		bool ours;
	} weights;
	bool mixed;			/* py-spy's, of several processes */
	bool timed;			/* see fl_trace_span */
	uint64_t nasync;		/* asynchronous events, left out */
	uint64_t nlate;			/* others were run before them */
	uint64_t nheld;			/* as they are not in order */
	uint64_t noverlaps;		/* X that end before one inside */
	uint64_t nsummaries;		/* of the writer, left out */
	struct fl_buf buf;
};

/* The thread of a process, both by name, is entered if it is new. */
bool fl_trace_thread(struct trace *t, flame_id pid, flame_id tid,
		     uint32_t *number);
void fl_trace_sum(struct trace *t, uint32_t thread, flame_id stack,
		  uint64_t events, int64_t time);
/* Instead of a sum, where samples need their times (--join). */
void fl_trace_span(struct trace *t, uint32_t thread, flame_id stack,
		   int64_t begin, int64_t end);
/* An event of a thread, stored until its order is known. */
void fl_trace_hold(struct trace *t, uint32_t thread,
		   const struct event *event);
/* At the end of a trace. */
void fl_trace_end(struct trace *t);

/*
 * Reads the value of a key: a piece of a CPU profile or the times of its
 * samples.  The event's name is known only at its end, which uses or drops it.
 */
void fl_trace_read_profile(struct trace *t, bool deltas);
/* begins: the thread is that of the profile, not of who writes it. */
void fl_trace_take_profile(struct trace *t, flame_id pid, flame_id tid,
			   flame_id id, bool begins);
void fl_trace_drop_piece(struct trace *t);
void fl_trace_forget_profiles(struct trace *t);

#endif
