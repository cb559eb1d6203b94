/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filters: each is a sink in front of another, one file and one row of
 * filters.def.
 *
 * Filters that rewrite stacks use fl_rewrite, so that each frame and each stack
 * is decided once.
 */
#ifndef FL_FILTER_H
#define FL_FILTER_H

#include "dict/java.h"
#include "flow/flow.h"

struct fl_filter {
	const char *name, *argument, *summary;	/* argument NULL: none */
	/* NULL with fl_fail: a bad argument. */
	struct flame_sink *(*make)(struct flame_sink *next, const char *arg);
	/*
	 * Whether make would accept the argument, where make reads files:
	 * these must exist, but are not read.  NULL: as make finds.
	 */
	int (*check)(struct flame *flame, const char *arg);
	/*
	 * Filters of a tool run in the order of their ranks, whatever the
	 * order on the command line; equal ranks as given.
	 */
	int rank;
	/*
	 * A list: given several times, a tool joins the arguments with '\n'
	 * and makes one filter of them.
	 */
	bool joins;
	/* Set by a tool (jfr2flame --compat, flame-diff); no common option. */
	bool compat;
	/* It forwards a sample at once, as it is, or drops it: see fl_copies. */
	bool unchanged;
	/*
	 * By what it selects, if it leaves samples out; unless: the option
	 * with which it does not.
	 */
	enum flame_selects selects;
	const char *unless;
	bool often;		/* --help shows it, not --help=all alone */
	bool idempotent;	/* done twice, it does no more */
};

/* In the order of the ranks; ends in NULL. */
extern const struct fl_filter *const fl_filters[];

/* NULL: no filter has this name. */
const struct fl_filter *fl_filter_named(const char *name);
/* As flame_filter, but next is the caller's still where it fails. */
struct flame_sink *fl_filter_try(struct flame_sink *next, const char *name,
				 const char *arg);

/*
 * A memo over stacks: out[i] is the result for stack i plus one; 0: not known
 * yet.  fl_rewrite climbs to the nearest ancestor with a result, then calls
 * step(sink, result of the parent, stack) for each stack on the way back.
 */
struct fl_rewrite {
	flame_id *out;
	size_t capacity;
	flame_id *path;
	size_t path_capacity;
};

typedef flame_id fl_step(struct flame_sink *sink, flame_id parent,
			 flame_id stack);

flame_id fl_rewrite(struct flame_sink *sink, struct fl_rewrite *memo,
		    flame_id stack, fl_step *step);
void fl_rewrite_free(struct fl_rewrite *memo);

/*
 * The memo's entry for a stack (or any id), for results that do not depend on
 * the parent's.  NULL: out of memory.  Valid until the next call.
 */
flame_id *fl_rewrite_slot(struct flame *flame, struct fl_rewrite *memo,
			  flame_id stack);

/*
 * Puts a root frame, which differs from sample to sample, below stacks.  Where
 * samples come sorted by it, those of a frame are found in an array; else in a
 * map, which is as large as all that was put.
 */
struct fl_prefix {
	struct fl_map out;	/* (frame, stack) -> result */
	struct {
		flame_id frame, result;
	} *of_run;		/* by stack */
	size_t run_capacity;
	flame_id frame;		/* the last one */
	unsigned run;		/* samples in a row that had it, some at most */
	flame_id *path;
	size_t capacity;
};

flame_id fl_prefix(struct flame *flame, struct fl_prefix *prefix,
		   flame_id frame, flame_id stack);
void fl_prefix_free(struct fl_prefix *prefix);

/*
 * Regular expressions.  A name matches if one of them does; known[] has the
 * answer by name: 0 not asked, 1 no, 2 yes.  Unless `exact`, all spellings of
 * a Java method are tried (fl_java_match).
 */
struct fl_patterns {
	struct fl_regex **re;
	size_t count, capacity;
	uint8_t *known;
	size_t known_capacity;
	bool exact;		/* match only the literal name */
};

/*
 * Adds each line of the list to a new sink, and returns it; where one fails, the
 * sink is freed: NULL.
 */
struct flame_sink *fl_sink_of_lines(struct flame_sink *sink, const char *list,
				    int (*add)(struct flame_sink *sink,
					       const char *line));
/* Expressions separated by '\n'.  option: for messages.  Frees on failure. */
int fl_patterns_parse(struct flame *flame, struct fl_patterns *patterns,
		      const char *option, const char *list, bool whole);
/* Adds one expression, which may hold '\n'. */
int fl_patterns_add(struct flame *flame, struct fl_patterns *patterns,
		    const char *option, const char *pattern, bool whole);
bool fl_patterns_match(struct flame *flame, struct fl_patterns *patterns,
		       flame_id name);
void fl_patterns_free(struct fl_patterns *patterns);

/*
 * values.c.  Values of a label: texts that match as a whole, numbers and ranges
 * of them (0-3,7), and expressions between two '/'.
 */
struct fl_range {
	int64_t from, to;
};

struct fl_values {
	struct fl_map texts;	/* the ids of names */
	struct fl_range *ranges;
	size_t nranges, ranges_capacity;
	struct fl_patterns patterns;
};

/* option: for messages. */
int fl_values_add(struct flame *flame, struct fl_values *values,
		  const char *option, const char *text);
bool fl_values_match(struct flame *flame, struct fl_values *values,
		     flame_id name);
void fl_values_free(struct fl_values *values);

/* A number of frames; -1 with fl_fail: not a number. */
int64_t fl_filter_count(struct flame *flame, const char *option,
			const char *arg);

/*
 * A filter that only rewrites: forwards every sample with the stack that step()
 * made.  The state begins with a struct fl_stepper; a filter with a larger
 * state frees its own members and then calls fl_stepper_free.
 */
struct fl_stepper {
	struct fl_rewrite memo;
	fl_step *step;
	struct fl_patterns patterns;
	struct fl_rewrite tasks;	/* of fl_thread_task */
};

struct flame_sink *fl_stepper_new(struct flame_sink *next, size_t state_size,
				  fl_step *step);
void fl_stepper_free(struct flame_sink *sink);

/* The same, with patterns; the state is a struct fl_stepper. */
struct flame_sink *fl_pattern_filter(struct flame_sink *next,
				     const char *option, const char *list,
				     bool whole, fl_step *step);

/* Whether the frame at the top of a stack matches the patterns. */
static inline bool fl_top_matches(struct flame_sink *sink, flame_id stack)
{
	struct fl_stepper *stepper = sink->state;

	return fl_patterns_match(sink->flame, &stepper->patterns,
				 fl_frame_at(sink->flame, stack)->name);
}

/*
 * thread_task.c.  The method that a thread runs by its name, for stacks without
 * its frame: perf has no names of interpreted methods, but of threads, and some
 * threads run one method only.  0: none, or the patterns do not match it.
 */
flame_id fl_thread_task(struct flame_sink *sink, flame_id stack);
/*
 * A text in the name of each thread whose method matches; empty: there is
 * none.
 */
struct slice fl_thread_task_text(const struct fl_regex *re);
/*
 * keep.c: sets wanted_text, if all that the sink forwards has a frame that
 * matches the patterns and there is such a text.  The sink frees it.
 */
void fl_want_text(struct flame_sink *sink, const struct fl_patterns *patterns);

/*
 * naming.c.  A filter that renames frames.  The state begins with a struct
 * fl_namer; a filter with a larger state calls fl_namer_free at the end.
 * name() is called once per frame and returns the new frame, or FL_NO_FRAME to
 * leave it out.
 */
#define FL_NO_FRAME (UINT32_MAX - 1)

struct fl_namer {
	struct fl_stepper stepper;
	flame_id (*name)(struct flame_sink *sink, flame_id frame);
	struct fl_rewrite frames;	/* by frame: the new one */
	struct fl_buf buf;	/* for name() */
};

struct flame_sink *fl_namer_new(struct flame_sink *next, size_t state_size,
				flame_id (*name)(struct flame_sink *sink,
						 flame_id frame));
void fl_namer_free(struct flame_sink *sink);
/* The frame with the name in buf. */
flame_id fl_renamed(struct flame *flame, flame_id frame,
		    const struct fl_buf *buf);

/* Appends a name with "0x..." for addresses; false: it has none. */
bool fl_strip_addresses(struct slice name, struct fl_buf *out);

/*
 * label.c.  A label key of samples or their threads.  unseen: no sample had it
 * so far.
 */
struct fl_key {
	flame_id name, other;	/* other: used if `name` is absent */
	bool metric;		/* the name of the sample's metric */
	bool unseen;
};

/* Adds the key and its FL_NEED_... to what the sink wants. */
int fl_key_init(struct flame_sink *sink, struct fl_key *key,
		struct slice name);
/* The value; 0: none. */
flame_id fl_key_of(struct flame *flame, struct fl_key *key,
		   const struct flame_sample *s);

/* The keys of all samples; each set of labels is examined once. */
struct fl_seen {
	struct fl_rewrite sets;	/* out[]: 1: examined */
	struct fl_map keys;
	bool any;
};

int fl_seen(struct flame *flame, struct fl_seen *seen,
	    const struct flame_sample *s);
/* At the end: warns if no sample had the key. */
void fl_seen_warn(struct flame *flame, const struct fl_seen *seen,
		  const struct fl_key *key, const char *option);
/* The same, but fails then. */
int fl_seen_fail(struct flame *flame, const struct fl_seen *seen,
		 const struct fl_key *key, const char *option);
void fl_seen_free(struct fl_seen *seen);

/*
 * root_frames.c.  Root frames: unifies spellings of one method.  Call _add for
 * all root frames, then _resolve, then _rename.
 */
struct fl_root_frames {
	struct fl_root_frame {
		flame_id name, dotted, to;
		unsigned types;		/* a bit each */
	} *data;
	size_t count, capacity;
	struct fl_map by_name;	/* name -> index in data, plus one */
};

int fl_root_frames_add(struct flame *flame, struct fl_root_frames *roots,
		       flame_id frame);
int fl_root_frames_resolve(struct flame *flame, struct fl_root_frames *roots);
/* Sets a root frame's unified name and type. */
void fl_root_frames_rename(const struct fl_root_frames *roots,
			   struct flame_frame *frame);
void fl_root_frames_free(struct fl_root_frames *roots);

/* Whether --threads makes such a frame: "[NAME tid=N]", "[tid=N]". */
bool fl_is_thread_frame(const struct flame *flame, flame_id frame);

/* Whether --classify makes such a frame. */
bool fl_is_category(const struct flame *flame, flame_id frame);

#endif
