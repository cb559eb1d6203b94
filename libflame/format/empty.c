/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inputs without a profile: no bytes, or blank lines and comments alone.
 * fl_is_empty() detects them for formats.c and flow/source.c; the reader
 * returns no samples, warns, and sets the damage of the source.  The format is
 * not in formats.def: nobody asks for it by name.
 */
#include "fl.h"

#include "format/format.h"

/* A longer text without a line that says anything is not empty. */
enum { MAX_BLANK = 1 << 20 };

static bool is_empty_line(struct slice line)
{
	line = fl_slice_trim(line);
	/* This one says that there are no stacks. */
	if (fl_slice_starts(line, FL_FOLDED_HEADER))
		return false;
	return !line.size || fl_slice_is(line, "#") ||
	       fl_slice_starts(line, "# ") || fl_slice_starts(line, "#\t");
}

/* Whether all lines are empty or comments; the last one may be incomplete. */
static bool are_empty(const char *at, size_t n)
{
	struct slice rest = { at, n };

	while (rest.size)
		if (!is_empty_line(fl_slice_split(&rest, '\n')))
			return false;
	return true;
}

bool fl_is_empty(struct fl_in *in)
{
	const uint8_t *at;
	size_t n;

	for (size_t want = 4096; want <= MAX_BLANK; want *= 4) {
		at = fl_in_peek(in, want, &n);
		n = FL_MIN(n, want);
		if (!are_empty((const char *)at, n))
			return false;
		if (n < want)
			return !fl_in_damage(in);
	}
	return false;
}

static int read(struct flame_source *source)
{
	size_t n;

	if (source->damage)
		return FLAME_END;
	source->damage = 1;
	fl_in_peek(source->in, 1, &n);
	fl_warn(source->flame, "%s: the file %s", fl_in_name(source->in),
		n ? "has only blank lines and comments" : "is empty");
	return FLAME_END;
}

const struct fl_format fl_format_empty = {
	.name = "empty", .read = read, .selects = true,
	.facts = FLAME_EMPTY,
};
