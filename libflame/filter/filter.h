/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The filter room: a sink in front of a sink, a file each, a row each.
 *
 * Filters that rewrite stacks use fl_rewrite: what can be decided per frame
 * is decided once per frame, per stack once per stack.
 */
#ifndef FL_FILTER_H
#define FL_FILTER_H

#include "dict/java.h"
#include "flow/flow.h"

struct fl_filter {
	const char *name, *argument, *summary;	/* argument NULL: none */
	/* NULL with fl_fail's text where the argument is no good. */
	struct flame_sink *(*make)(struct flame_sink *next, const char *arg);
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
	/* One tool's (jfr2flame's --compat, flame-diff), no common option. */
	bool compat;
};

/* In the order of the ranks; ends in NULL. */
extern const struct fl_filter *const fl_filters[];

/* NULL where there is none of this name. */
const struct fl_filter *fl_filter_named(const char *name);

/*
 * A memo over stacks: out[i] is what stack i becomes, plus one; 0 is "not
 * known yet".  Walks up to the nearest known ancestor, then down again with
 * step(sink, what the parent became, the stack).
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
 * The memo's place for a stack alone, for what is not made step by step;
 * NULL where memory is out.  Good until the next call.
 */
flame_id *fl_rewrite_place(struct flame *flame, struct fl_rewrite *memo,
			   flame_id stack);

/* Stacks below a frame that is not the same for all samples. */
struct fl_prefix {
	struct fl_map out;	/* (frame, stack) -> the stack made */
	flame_id *path;
	size_t capacity;
};

flame_id fl_prefix(struct flame *flame, struct fl_prefix *prefix,
		   flame_id frame, flame_id stack);
void fl_prefix_free(struct fl_prefix *prefix);

/*
 * Regular expressions, separated by '\n'; a name matches if one of them
 * does, which is asked once per name: 0 not yet, 1 no, 2 yes.  However a
 * Java method is spelt, its plain names are looked at too (fl_java_match),
 * unless what is written shall match.
 */
struct fl_patterns {
	struct fl_regex **re;
	size_t count, capacity;
	uint8_t *known;
	size_t known_capacity;
	bool exact;		/* as it is written */
};

/* option is for the message; what fails is freed. */
int fl_patterns_parse(struct flame *flame, struct fl_patterns *patterns,
		      const char *option, const char *list, bool whole);
/* One more, which may hold anything. */
int fl_patterns_add(struct flame *flame, struct fl_patterns *patterns,
		    const char *option, const char *pattern, bool whole);
bool fl_patterns_match(struct flame *flame, struct fl_patterns *patterns,
		       flame_id name);
void fl_patterns_free(struct fl_patterns *patterns);

/* A number of frames; -1 with fl_fail's text where it is none. */
int64_t fl_filter_count(struct flame *flame, const char *option,
			const char *arg);

/*
 * A filter that only rewrites: every sample goes on, at the stack that
 * step() made of its own.  The state begins with a struct fl_stepper; a
 * filter whose state owns more frees that too, and ends in
 * fl_stepper_free.
 */
struct fl_stepper {
	struct fl_rewrite memo;
	fl_step *step;
	struct fl_patterns patterns;
	struct fl_rewrite tasks;	/* out[]: fl_thread_task's */
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
 * thread_task.c.  The method that a stack is in though none of its frames
 * says so: perf has no name for interpreted code, but names the thread, and
 * that thread does one thing.  0: none that the patterns match.
 */
flame_id fl_thread_task(struct flame_sink *sink, flame_id stack);

/*
 * naming.c.  A filter that gives frames other names; the state begins with
 * a struct fl_namer, and what owns more ends in fl_namer_free.  name()
 * gives the frame that becomes of one, asked once each, or FL_NO_FRAME: it
 * is left out.
 */
#define FL_NO_FRAME (UINT32_MAX - 1)

struct fl_namer {
	struct fl_stepper stepper;
	flame_id (*name)(struct flame_sink *sink, flame_id frame);
	struct fl_rewrite frames;	/* out[]: by frame, plus one */
	struct fl_buf buf;
};

struct flame_sink *fl_namer_new(struct flame_sink *next, size_t state_size,
				flame_id (*name)(struct flame_sink *sink,
						 flame_id frame));
void fl_namer_free(struct flame_sink *sink);
/* The frame with the name that is in buf. */
flame_id fl_renamed(struct flame *flame, flame_id frame,
		    const struct fl_buf *buf);

/* Appends a name with "0x..." for addresses; false: there is none in it. */
bool fl_strip_addresses(struct slice name, struct fl_buf *out);

/*
 * label.c.  A key of what samples have beside their stacks: a label, of the
 * sample or of its thread.  unseen: no sample had it so far.
 */
struct fl_key {
	flame_id name, other;	/* other: where the first is not there */
	bool unseen;
};

/* What of it a source must be asked for is added to the sink's needs. */
int fl_key_init(struct flame_sink *sink, struct fl_key *key,
		struct slice name);
/* The value; 0: none. */
flame_id fl_key_of(const struct flame *flame, struct fl_key *key,
		   const struct flame_sample *s);

/* The keys that came by, each set of labels looked at once. */
struct fl_seen {
	struct fl_rewrite sets;	/* out[]: 1: looked at */
	struct fl_map keys;
	bool any;
};

int fl_seen(struct flame *flame, struct fl_seen *seen,
	    const struct flame_sample *s);
/* At the end: warns of a key that no sample had. */
void fl_seen_warn(struct flame *flame, const struct fl_seen *seen,
		  const struct fl_key *key, const char *option);
void fl_seen_free(struct fl_seen *seen);

/* sample_sums.c: samples until the end; equal ones add their weights. */
struct fl_sample_sums {
	struct flame_sample *samples;	/* in the order of the first of each */
	size_t count, capacity;
	struct fl_index index;
};

int fl_sample_sums_add(struct flame *flame, struct fl_sample_sums *hold,
		       const struct flame_sample *s);
void fl_sample_sums_free(struct fl_sample_sums *hold);

/*
 * root_frames.c.  Frames at which stacks begin: spellings of one method become
 * one name.  Add all of them, then settle, then ask.
 */
struct fl_root_frames {
	struct fl_root_frame {
		flame_id name, dotted, to;
		unsigned types;		/* a bit each */
	} *data;
	size_t count, capacity;
	struct fl_map by_name;	/* name -> place in at, plus one */
};

int fl_root_frames_add(struct flame *flame, struct fl_root_frames *towers,
		       flame_id frame);
int fl_root_frames_resolve(struct flame *flame, struct fl_root_frames *towers);
/* What such a frame becomes. */
void fl_root_frames_rename(const struct fl_root_frames *towers,
			   struct flame_frame *frame);
void fl_root_frames_free(struct fl_root_frames *towers);

/* A frame as `--threads` makes it: "[NAME tid=N]", "[tid=N]". */
bool fl_is_thread_frame(const struct flame *flame, flame_id frame);

/* Whether classify makes such a frame. */
bool fl_is_category(const struct flame *flame, flame_id frame);

#endif
