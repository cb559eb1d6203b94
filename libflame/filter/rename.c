/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --rename s/RE/TO/: changes names of frames as sed does, by all rules one
 * after another; RE is an expression as in --keep and the other options.  A
 * frame whose new name is empty is removed.
 */
#include "fl.h"

#include "filter/filter.h"

#include <stdlib.h>

struct rule {
	struct fl_regex *re;
	char *to;		/* for fl_regex_replace */
	bool all;
};

struct rename {
	struct fl_namer namer;
	struct rule *rules;
	size_t count, capacity;
	struct fl_buf scratch;	/* the output of a rule */
	struct fl_rewrite names;	/* by name: the new one */
};

/* Rules --------------------------------------------------------------- */

static int bad(struct flame *flame, const char *rule, const char *what)
{
	return fl_fail(flame, "--rename: %s: %s", rule, what);
}

/* Up to the delimiter; one after a backslash does not count. */
static const char *part_end(const char *at, char delimiter)
{
	while (*at && *at != delimiter)
		at += 1 + (*at == '\\' && at[1]);
	return at;
}

static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z');
}

/* Copies a part; "\x" is "x" if the letter x is the delimiter. */
static void put_part(struct fl_buf *out, const char *at, const char *end,
		     char delimiter)
{
	while (at < end) {
		if (at[0] == '\\' && at[1] == delimiter && is_word(delimiter))
			at++;
		else if (at[0] == '\\' && at + 1 < end)
			fl_buf_byte(out, *at++);
		fl_buf_byte(out, *at++);
	}
}

/* The error in TO, or NULL. */
static const char *check_to(const char *to, unsigned groups)
{
	for (; *to; to++) {
		if (*to != '\\' && *to != '$')
			continue;
		if (to[1] >= '0' && to[1] <= '9' &&
		    (unsigned)(to[1] - '0') > groups)
			return "TO has a group that RE lacks "
			       "(\\$ is a dollar sign)";
		if (*to == '\\' && is_word(to[1]) &&
		    !(to[1] >= '0' && to[1] <= '9'))
			return "TO has an escape that is not known";
		to += *to == '\\' && to[1];
	}
	return NULL;
}

static const char *take_flags(const char *flags, bool *all, bool *caseless)
{
	for (; *flags; flags++)
		if (*flags == 'g')
			*all = true;
		else if (*flags == 'i')
			*caseless = true;
		else
			return "flags are g (all that match) and i (any case)";
	return NULL;
}

/* Returns an error, or NULL.  pattern and to are scratch. */
static const char *parse(const char *text, struct rule *rule,
			 struct fl_buf *pattern, struct fl_buf *to,
			 char *error, size_t error_size)
{
	char delimiter = text[0] ? text[1] : '\0';
	const char *re = text + 2, *re_end, *to_end, *wrong;
	bool caseless = false;

	if (text[0] != 's' || !delimiter || delimiter == '\\')
		return "not s/RE/TO/";
	re_end = part_end(re, delimiter);
	if (!*re_end)
		return "not s/RE/TO/: TO is missing";
	to_end = part_end(re_end + 1, delimiter);
	if (!*to_end)
		return "not s/RE/TO/: it ends too soon";
	wrong = take_flags(to_end + 1, &rule->all, &caseless);
	if (wrong)
		return wrong;
	fl_buf_text(pattern, caseless ? "(?i)" : "");
	put_part(pattern, re, re_end, delimiter);
	fl_buf_text(to, "");
	put_part(to, re_end + 1, to_end, delimiter);
	if (pattern->failed || to->failed)
		return "out of memory";
	rule->re = fl_regex_new(pattern->data, false, error, error_size);
	if (!rule->re)
		return error;
	wrong = check_to(to->data, fl_regex_groups(rule->re));
	if (wrong)
		return wrong;
	rule->to = fl_memory_adopt(strdup(to->data));
	return rule->to ? NULL : "out of memory";
}

static int add_rule(struct flame_sink *sink, const char *text)
{
	struct rename *rename = sink->state;
	struct fl_buf pattern = { 0 }, to = { 0 };
	char error[256] = "";
	struct rule *rule;
	const char *wrong;

	if (!fl_grow(&rename->rules, &rename->capacity, rename->count + 1,
		     sizeof(*rule)))
		return fl_no_memory(sink->flame);
	rule = &rename->rules[rename->count++];
	memset(rule, 0, sizeof(*rule));
	wrong = parse(text, rule, &pattern, &to, error, sizeof(error));
	fl_buf_free(&pattern);
	fl_buf_free(&to);
	return wrong ? bad(sink->flame, text, wrong) : FLAME_OK;
}

/* The sink ------------------------------------------------------------ */

static flame_id new_name(struct flame_sink *sink, flame_id name)
{
	struct rename *rename = sink->state;
	struct fl_buf *now = &rename->namer.buf, *next = &rename->scratch;
	struct slice old = fl_name_at(sink->flame, name);

	now->size = 0;
	fl_buf_put(now, old.data, old.size);
	for (size_t i = 0; i < rename->count; i++) {
		const struct rule *rule = &rename->rules[i];
		struct slice text = { now->data, now->size };
		struct fl_buf swap;

		next->size = 0;
		fl_regex_replace(rule->re, text, rule->to, rule->all, next);
		swap = *now;
		*now = *next;
		*next = swap;
	}
	if (now->failed || next->failed) {
		fl_no_memory(sink->flame);
		return 0;
	}
	return flame_name(sink->flame, now->data, now->size);
}

/* Memoized by name, as there are fewer names than frames. */
static flame_id rename_frame(struct flame_sink *sink, flame_id frame)
{
	struct rename *rename = sink->state;
	struct flame *flame = sink->flame;
	struct flame_frame copy = flame->frames.data[frame];
	flame_id *place = fl_rewrite_slot(flame, &rename->names, copy.name);

	if (!place)
		return 0;
	if (!copy.name)
		return frame;
	if (!*place)
		*place = new_name(sink, copy.name) + 1;
	copy.name = *place - 1;
	return copy.name ? fl_frame_as_is(flame, &copy) : FL_NO_FRAME;
}

static void release(struct flame_sink *sink)
{
	struct rename *rename = sink->state;

	while (rename->count) {
		struct rule *rule = &rename->rules[--rename->count];

		fl_regex_free(rule->re);
		fl_free(rule->to);
	}
	fl_free(rename->rules);
	fl_buf_free(&rename->scratch);
	fl_rewrite_free(&rename->names);
	fl_namer_free(sink);
}

static struct flame_sink *make(struct flame_sink *next, const char *list)
{
	struct flame_sink *sink = fl_namer_new(next, sizeof(struct rename),
					       rename_frame);

	if (!sink)
		return NULL;
	sink->free = release;
	return fl_sink_of_lines(sink, list, add_rule);
}

const struct fl_filter fl_filter_rename = {
	.name = "rename", .argument = "s/RE/TO/",
	.summary = "other names for frames; none removes them",
	.make = make, .rank = 24, .joins = true,
};
