/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values that --label names (label.c): a text matches as a whole, /RE/ is an
 * expression that matches anywhere, and 0-3,7 are numbers and ranges of them.
 * fl_values_add() parses one, fl_values_match() tests a name against all.
 */
#include "fl.h"

#include "filter/filter.h"

#include <stdlib.h>

enum { MAX_DIGITS = 18 };	/* of a number in 64 bits */

static bool is_number(struct slice s)
{
	for (size_t i = 0; i < s.size; i++)
		if (s.data[i] < '0' || s.data[i] > '9')
			return false;
	return s.size && s.size <= MAX_DIGITS;
}

static int64_t number_of(struct slice s)
{
	int64_t n = 0;

	for (size_t i = 0; i < s.size; i++)
		n = n * 10 + (s.data[i] - '0');
	return n;
}

/* "7" or "0-3"; false: neither. */
static bool parse_range(struct slice part, struct fl_range *range)
{
	const char *dash = memchr(part.data, '-', part.size);
	struct slice from = part, to = part;

	if (dash) {
		from.size = (size_t)(dash - part.data);
		to.data = dash + 1;
		to.size = part.size - from.size - 1;
	}
	if (!is_number(from) || !is_number(to))
		return false;
	*range = (struct fl_range){ number_of(from), number_of(to) };
	return true;
}

static bool is_list(const char *text)
{
	struct fl_range range;

	for (;; text++) {
		size_t n = strcspn(text, ",");

		if (!parse_range((struct slice){ text, n }, &range))
			return false;
		text += n;
		if (!*text)
			return true;
	}
}

static int add_ranges(struct flame *flame, struct fl_values *values,
		      const char *text)
{
	for (;; text++) {
		size_t n = strcspn(text, ",");

		if (!fl_grow(&values->ranges, &values->ranges_capacity,
			     values->nranges + 1, sizeof(*values->ranges)))
			return fl_no_memory(flame);
		parse_range((struct slice){ text, n },
			    &values->ranges[values->nranges++]);
		text += n;
		if (!*text)
			return FLAME_OK;
	}
}

/* Texts are names of the dictionary. */
static int add_text(struct flame *flame, struct fl_values *values,
		    const char *text)
{
	if (!fl_map_put(&values->texts, fl_name(flame, text), NULL))
		return fl_no_memory(flame);
	return fl_failed(flame) ? FLAME_FAILED : FLAME_OK;
}

static int add_expression(struct flame *flame, struct fl_values *values,
			  const char *option, const char *text)
{
	char *re = fl_memory_adopt(strndup(text + 1, strlen(text) - 2));
	int status = re ? fl_patterns_add(flame, &values->patterns, option, re,
					  false) :
			  fl_no_memory(flame);

	fl_free(re);
	values->patterns.exact = true;
	return status;
}

int fl_values_add(struct flame *flame, struct fl_values *values,
		  const char *option, const char *text)
{
	size_t size = strlen(text);

	if (size > 2 && text[0] == '/' && text[size - 1] == '/')
		return add_expression(flame, values, option, text);
	if (is_list(text) &&
	    add_ranges(flame, values, text) != FLAME_OK)
		return FLAME_FAILED;
	/* A date, 2026-11, may be a value as well. */
	return add_text(flame, values, text);
}

static bool is_in_range(const struct fl_values *values, struct slice text)
{
	int64_t n;

	if (!values->nranges || !is_number(text))
		return false;
	n = number_of(text);
	for (size_t i = 0; i < values->nranges; i++)
		if (n >= values->ranges[i].from && n <= values->ranges[i].to)
			return true;
	return false;
}

bool fl_values_match(struct flame *flame, struct fl_values *values,
		     flame_id name)
{
	if (fl_map_get(&values->texts, name) ||
	    is_in_range(values, fl_name_at(flame, name)))
		return true;
	return values->patterns.count &&
	       fl_patterns_match(flame, &values->patterns, name);
}

void fl_values_free(struct fl_values *values)
{
	fl_map_free(&values->texts);
	fl_free(values->ranges);
	fl_patterns_free(&values->patterns);
}
