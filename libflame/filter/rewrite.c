/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What filters share.  fl_rewrite() changes stacks and fl_patterns_match()
 * matches names with expressions: both store results by id, so that each stack
 * or name is examined once.  fl_prefix() puts a root frame below a stack.
 * fl_stepper_new() makes a sink that only changes stacks.
 */
#include "fl.h"

#include "filter/filter.h"

#include <stdlib.h>

/* Stacks -------------------------------------------------------------- */

flame_id *fl_rewrite_slot(struct flame *flame, struct fl_rewrite *memo,
			  flame_id stack)
{
	if (fl_likely(stack < memo->capacity))
		return &memo->out[stack];
	if (!fl_grow_zeroed(&memo->out, &memo->capacity, (size_t)stack + 1,
			    sizeof(*memo->out))) {
		fl_no_memory(flame);
		return NULL;
	}
	return &memo->out[stack];
}

static bool push(struct flame *flame, flame_id **path, size_t *capacity,
		 size_t n, flame_id stack)
{
	if (!fl_grow(path, capacity, n + 1, sizeof(**path))) {
		fl_no_memory(flame);
		return false;
	}
	(*path)[n] = stack;
	return true;
}

flame_id fl_rewrite(struct flame_sink *sink, struct fl_rewrite *memo,
		    flame_id stack, fl_step *step)
{
	struct flame *flame = sink->flame;
	flame_id *known = fl_rewrite_slot(flame, memo, stack), s, out;
	size_t n = 0;

	if (!known)
		return 0;
	if (fl_likely(*known))
		return *known - 1;
	for (s = stack; s && !memo->out[s]; s = fl_parent(flame, s))
		if (!push(flame, &memo->path, &memo->path_capacity, n++, s))
			return 0;
	out = s ? memo->out[s] - 1 : 0;
	while (n) {
		s = memo->path[--n];
		out = step(sink, out, s);
		memo->out[s] = out + 1;
	}
	return out;
}

void fl_rewrite_free(struct fl_rewrite *memo)
{
	fl_free(memo->out);
	fl_free(memo->path);
	memset(memo, 0, sizeof(*memo));
}

/* Samples in a row with one frame, after which more are expected. */
enum { LONG_RUN = 32 };

static bool is_run(const struct fl_prefix *prefix)
{
	return prefix->run == LONG_RUN;
}

/* 0: the result is not known. */
static flame_id known_result(const struct fl_prefix *prefix, flame_id frame,
			     flame_id stack)
{
	const uint64_t *found;

	if (is_run(prefix))
		return stack < prefix->run_capacity &&
		       prefix->of_run[stack].frame == frame ?
				prefix->of_run[stack].result : 0;
	found = fl_map_get(&prefix->out, (uint64_t)frame << 32 | stack);
	return found ? (flame_id)*found : 0;
}

static bool add_result(struct fl_prefix *prefix, flame_id frame,
		       flame_id stack, flame_id result)
{
	uint64_t *place;
	bool fresh;

	if (is_run(prefix)) {
		if (!fl_grow_zeroed(&prefix->of_run, &prefix->run_capacity,
				    (size_t)stack + 1, sizeof(*prefix->of_run)))
			return false;
		prefix->of_run[stack].frame = frame;
		prefix->of_run[stack].result = result;
		return true;
	}
	place = fl_map_put(&prefix->out, (uint64_t)frame << 32 | stack, &fresh);
	if (place)
		*place = result;
	return place;
}

flame_id fl_prefix(struct flame *flame, struct fl_prefix *prefix,
		   flame_id frame, flame_id stack)
{
	flame_id out, s = stack;
	size_t n = 0;

	if (frame != prefix->frame)
		prefix->run = 0;
	prefix->frame = frame;
	prefix->run += !is_run(prefix);
	for (; !(out = known_result(prefix, frame, s)) && s;
	     s = fl_parent(flame, s))
		if (!push(flame, &prefix->path, &prefix->capacity, n++, s))
			return 0;
	if (!out)
		out = flame_stack(flame, 0, frame);
	while (n) {
		s = prefix->path[--n];
		out = flame_stack(flame, out, fl_frame_id(flame, s));
		if (!add_result(prefix, frame, s, out)) {
			fl_no_memory(flame);
			return 0;
		}
	}
	return out;
}

void fl_prefix_free(struct fl_prefix *prefix)
{
	fl_map_free(&prefix->out);
	fl_free(prefix->of_run);
	fl_free(prefix->path);
}

/* Names --------------------------------------------------------------- */

static uint8_t *known_entry(struct flame *flame, struct fl_patterns *patterns,
			    flame_id name)
{
	if (fl_likely(name < patterns->known_capacity))
		return &patterns->known[name];
	if (!fl_grow_zeroed(&patterns->known, &patterns->known_capacity,
			    (size_t)name + 1, 1)) {
		fl_no_memory(flame);
		return NULL;
	}
	return &patterns->known[name];
}

static bool any_matches(const struct fl_patterns *patterns, struct slice s)
{
	for (size_t i = 0; i < patterns->count; i++) {
		const struct fl_regex *re = patterns->re[i];

		if (patterns->exact ? fl_regex_match(re, s.data, s.size) :
				      fl_java_match(re, s))
			return true;
	}
	return false;
}

bool fl_patterns_match(struct flame *flame, struct fl_patterns *patterns,
		       flame_id name)
{
	uint8_t *known = known_entry(flame, patterns, name);

	if (!known)
		return false;
	if (!*known)
		*known = any_matches(patterns, fl_name_at(flame, name)) ? 2 :
									  1;
	return *known == 2;
}

int fl_patterns_add(struct flame *flame, struct fl_patterns *patterns,
		    const char *option, const char *pattern, bool whole)
{
	char error[256] = "";
	struct fl_regex *re;

	if (!fl_grow(&patterns->re, &patterns->capacity, patterns->count + 1,
		     sizeof(struct fl_regex *)))
		return fl_no_memory(flame);
	re = fl_regex_new(pattern, whole, error, sizeof(error));
	if (!re)
		return fl_fail(flame, "--%s: %s: %s", option, pattern, error);
	patterns->re[patterns->count++] = re;
	return FLAME_OK;
}

int fl_patterns_parse(struct flame *flame, struct fl_patterns *patterns,
		      const char *option, const char *list, bool whole)
{
	char *text = fl_memory_adopt(strdup(list)), *rest = text, *pattern;
	int status = text ? FLAME_OK : fl_no_memory(flame);

	patterns->exact = whole;
	while (status == FLAME_OK && (pattern = strsep(&rest, "\n")))
		status = fl_patterns_add(flame, patterns, option, pattern,
					 whole);
	if (status != FLAME_OK)
		fl_patterns_free(patterns);
	fl_free(text);
	return status;
}

void fl_patterns_free(struct fl_patterns *patterns)
{
	while (patterns->count)
		fl_regex_free(patterns->re[--patterns->count]);
	fl_free(patterns->re);
	fl_free(patterns->known);
	memset(patterns, 0, sizeof(*patterns));
}

struct flame_sink *fl_sink_of_lines(struct flame_sink *sink, const char *list,
				    int (*add)(struct flame_sink *sink,
					       const char *line))
{
	char *text = fl_memory_adopt(strdup(list)), *rest = text, *line;
	int status = text ? FLAME_OK : fl_no_memory(sink->flame);

	while (status == FLAME_OK && (line = strsep(&rest, "\n")))
		status = add(sink, line);
	fl_free(text);
	if (status == FLAME_OK)
		return sink;
	sink->free(sink);
	fl_sink_free(sink);
	return NULL;
}

/* Sinks --------------------------------------------------------------- */

static int put(struct flame_sink *sink, const struct flame_sample *sample)
{
	struct fl_stepper *stepper = sink->state;
	struct flame_sample s = *sample;

	s.stack = fl_rewrite(sink, &stepper->memo, s.stack, stepper->step);
	return fl_put(sink->next, &s);
}

/* A filter with a put of its own may drop samples. */
static unsigned expect(struct flame_sink *sink,
		       const struct fl_expected *expected)
{
	return sink->put == put ? fl_expect_of_next(sink, expected) : 0;
}

void fl_stepper_free(struct flame_sink *sink)
{
	struct fl_stepper *stepper = sink->state;

	fl_rewrite_free(&stepper->memo);
	fl_rewrite_free(&stepper->tasks);
	fl_patterns_free(&stepper->patterns);
}

struct flame_sink *fl_stepper_new(struct flame_sink *next, size_t state_size,
				  fl_step *step)
{
	struct flame_sink *sink = fl_sink_new(next->flame, next, state_size);
	struct fl_stepper *stepper;

	if (!sink)
		return NULL;
	stepper = sink->state;
	stepper->step = step;
	sink->put = put;
	sink->expect = next->expect ? expect : NULL;
	sink->free = fl_stepper_free;
	return sink;
}

struct flame_sink *fl_pattern_filter(struct flame_sink *next,
				     const char *option, const char *list,
				     bool whole, fl_step *step)
{
	struct fl_patterns patterns = { 0 };
	struct flame_sink *sink;

	if (fl_patterns_parse(next->flame, &patterns, option, list, whole) !=
	    FLAME_OK)
		return NULL;
	sink = fl_stepper_new(next, sizeof(struct fl_stepper), step);
	if (sink)
		((struct fl_stepper *)sink->state)->patterns = patterns;
	else
		fl_patterns_free(&patterns);
	return sink;
}

int64_t fl_filter_count(struct flame *flame, const char *option,
			const char *arg)
{
	struct slice text = { arg, strlen(arg) };
	int64_t n;

	if (fl_parse_int(text, &n) && n >= 0)
		return n;
	return fl_fail(flame, "--%s: %s: not a number of frames", option, arg);
}
