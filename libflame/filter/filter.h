/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The filter room: a sink in front of a sink, a file each, a row each.
 *
 * Filters that rewrite stacks use fl_rewrite: what can be decided per frame
 * is decided once per frame, per stack once per stack.
 */
#ifndef FL_FILTER_H
#define FL_FILTER_H

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
	size_t room;
	flame_id *path;
	size_t path_room;
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
	size_t room;
};

flame_id fl_prefix(struct flame *flame, struct fl_prefix *prefix,
		   flame_id frame, flame_id stack);
void fl_prefix_free(struct fl_prefix *prefix);

/*
 * Regular expressions, separated by '\n'; a name matches if one of them
 * does, which is asked once per name: 0 not yet, 1 no, 2 yes.
 */
struct fl_patterns {
	struct fl_regex **re;
	size_t n, room;
	uint8_t *known;
	size_t known_room;
};

/* option is for the message; what fails is freed. */
int fl_patterns_parse(struct flame *flame, struct fl_patterns *patterns,
		      const char *option, const char *list, bool whole);
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

/* A frame as `--threads` makes it: "[NAME tid=N]", "[tid=N]". */
bool fl_is_thread_frame(const struct flame *flame, flame_id frame);

/* Whether classify makes such a frame. */
bool fl_is_category(const struct flame *flame, flame_id frame);

/*
 * The name of a Java frame in its parts: "java/lang/Thread" ".run:748", or
 * a class alone, "java.lang.String" "[]".
 */
struct fl_java {
	struct slice class, rest;
	bool leaf;	/* fl_is_class_leaf */
};

/*
 * The class of what was allocated or waited for, which readers put on top
 * of the stack with "<class>" for its file.
 */
static inline bool fl_is_class_leaf(const struct flame *flame,
				    const struct flame_frame *frame)
{
	return frame->file &&
	       fl_slice_is(fl_name_at(flame, frame->file), "<class>");
}

/* Without the ":line" or "@bci" of --lines and --bci. */
struct slice fl_java_bare(struct slice name);

/* false: not a Java frame, as far as one can tell. */
bool fl_java_split(const struct flame *flame, const struct flame_frame *frame,
		   struct fl_java *java);

#endif
