/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selects whole stacks by the names of their frames.  --keep and --drop search
 * in a name; --include and --exclude match the whole name, as jfrconv's -I and
 * -X do.
 */
#include "fl.h"

#include "filter/filter.h"

/* The result for a stack: 1 if a frame of it matches, else 0. */
static flame_id any_frame(struct flame_sink *sink, flame_id parent,
			  flame_id stack)
{
	return parent || fl_top_matches(sink, stack);
}

static bool matches(struct flame_sink *sink, const struct flame_sample *s)
{
	struct fl_stepper *stepper = sink->state;

	return fl_rewrite(sink, &stepper->memo, s->stack, any_frame) ||
	       (!stepper->patterns.exact && fl_thread_task(sink, s->stack));
}

static int put_matching(struct flame_sink *sink, const struct flame_sample *s)
{
	return matches(sink, s) ? fl_put(sink->next, s) : FLAME_OK;
}

static int put_others(struct flame_sink *sink, const struct flame_sample *s)
{
	return matches(sink, s) ? FLAME_OK : fl_put(sink->next, s);
}

static struct flame_sink *make(struct flame_sink *next, const char *option,
			       const char *list, bool whole,
			       int (*put)(struct flame_sink *,
					  const struct flame_sample *))
{
	struct flame_sink *sink = fl_pattern_filter(next, option, list, whole,
						    any_frame);

	if (sink)
		sink->put = put;
	return sink;
}

/* The longest run of letters and digits in a word. */
static struct slice letters_of(struct slice word)
{
	struct slice longest = { NULL, 0 };
	size_t n = 0;

	for (size_t i = 0; i < word.size; i++) {
		n = word.data[i] != '_' ? n + 1 : 0;
		if (n > longest.size)
			longest = (struct slice){ word.data + i + 1 - n, n };
	}
	return longest;
}

/*
 * Letters and digits that every match has are in the text of its frame however the name is
 * spelt: spellings differ in other characters.
 */
void fl_want_text(struct flame_sink *sink, const struct fl_patterns *patterns)
{
	enum { MIN_LETTERS = 3 };
	struct fl_wanted_text *wanted;
	struct slice letters;

	if (patterns->count != 1 || patterns->exact)
		return;
	letters = letters_of(fl_regex_word(patterns->re[0]));
	if (letters.size < MIN_LETTERS)
		return;
	wanted = fl_zeroed(1, sizeof(*wanted));
	if (!wanted) {
		fl_no_memory(sink->flame);
		return;
	}
	wanted->either[0] = letters;
	wanted->either[1] = fl_thread_task_text(patterns->re[0]);
	sink->wanted_text = wanted;
}

static void free_keep(struct flame_sink *sink)
{
	fl_free((void *)sink->wanted_text);
	fl_stepper_free(sink);
}

static struct flame_sink *make_keep(struct flame_sink *next, const char *list)
{
	struct flame_sink *sink = make(next, "keep", list, false, put_matching);

	if (sink) {
		fl_want_text(sink,
			     &((struct fl_stepper *)sink->state)->patterns);
		sink->free = free_keep;
	}
	return sink;
}

static struct flame_sink *make_drop(struct flame_sink *next, const char *list)
{
	return make(next, "drop", list, false, put_others);
}

static struct flame_sink *make_include(struct flame_sink *next,
				       const char *list)
{
	return make(next, "include", list, true, put_matching);
}

static struct flame_sink *make_exclude(struct flame_sink *next,
				       const char *list)
{
	return make(next, "exclude", list, true, put_others);
}

const struct fl_filter fl_filter_keep = {
	.name = "keep", .argument = "RE",
	.summary = "only stacks with a frame that matches",
	.make = make_keep, .rank = 30, .joins = true,
	.unchanged = true,
	.selects = FLAME_BY_FRAME, .often = true, .idempotent = true,
};

const struct fl_filter fl_filter_drop = {
	.name = "drop", .argument = "RE",
	.summary = "no stacks with a frame that matches",
	.make = make_drop, .rank = 31, .joins = true,
	.unchanged = true,
	.selects = FLAME_BY_NO_FRAME, .often = true, .idempotent = true,
};

/* After --threads and --by, as jfrconv's -I sees the frame of the thread. */
const struct fl_filter fl_filter_include = {
	.name = "include", .argument = "RE",
	.summary = "only stacks with a frame that matches as a whole",
	.make = make_include, .rank = 55, .joins = true,
	.unchanged = true,
	.selects = FLAME_BY_FRAME, .idempotent = true,
};

const struct fl_filter fl_filter_exclude = {
	.name = "exclude", .argument = "RE",
	.summary = "no stacks with a frame that matches as a whole",
	.make = make_exclude, .rank = 56, .joins = true,
	.unchanged = true,
	.selects = FLAME_BY_NO_FRAME, .idempotent = true,
};
