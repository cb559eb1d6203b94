/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses a function of a location, as go tool pprof -raw prints it, into name
 * and line, for raw.c.
 */
#include "fl.h"

#include "format/pprof/pprof.h"

/* Cuts ":12" off the end. */
static bool cut_number(struct slice *text, int64_t *n)
{
	const char *colon = memrchr(text->data, ':', text->size);
	size_t size = colon ? (size_t)(colon - text->data) : 0;

	if (!colon || !fl_parse_int(fl_slice_from(*text, size + 1), n))
		return false;
	text->size = size;
	return true;
}

bool fl_pprof_raw_line(struct slice text, struct slice *name, int64_t *line)
{
	const char *at = NULL, *blank;
	struct slice rest = text;
	int64_t column;

	while ((blank = fl_slice_find(rest, " s="))) {
		at = blank;
		rest = fl_slice_from(rest, (size_t)(blank - rest.data) + 3);
	}
	*line = 0;
	*name = text;
	if (!at)
		return fl_slice_is(text, "??");
	text.size = (size_t)(at - text.data);
	if (!cut_number(&text, line))
		return false;
	column = *line;
	if (!cut_number(&text, line))
		*line = column;
	/* The file begins at " /", or is the last word. */
	blank = fl_slice_find(text, " /");
	if (!blank)
		blank = memrchr(text.data, ' ', text.size);
	if (!blank)
		return false;
	*name = (struct slice){ text.data, (size_t)(blank - text.data) };
	return name->size > 0;
}
