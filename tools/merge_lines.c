/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge_read_line() reads the next line of an input of flame-merge and splits
 * it into its key, which is all before the count, and the count.  It skips
 * blank lines and comments, has merge_header.c read headers, and counts lines
 * that are not understood.  Called by flame-merge.c.
 */
#include "merge.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool has_text(const char *line, size_t n)
{
	while (n && is_blank(line[n - 1]))
		n--;
	return n;
}

static bool is_comment(const char *line, size_t n)
{
	return n && line[0] == '#' && (n == 1 || is_blank(line[1]));
}

static const char *nth_tab(const char *at, size_t n, long columns)
{
	const char *end = at + n;

	for (; at && columns > 0; columns--) {
		at = memchr(at, '\t', end - at);
		at = at ? at + 1 : NULL;
	}
	return at;
}

static void not_understood(struct input *in, const char *line, size_t n)
{
	if (in->bad++)
		return;
	in->first_bad = in->line;
	if (n >= sizeof(in->sample))
		n = sizeof(in->sample) - 1;
	memcpy(in->sample, line, n);
	in->sample[n] = '\0';
}

enum { GOOD, BAD, TOO_MUCH };

/* "key count", perhaps with the tab that Hadoop puts after a lone key. */
static int parse(const struct merge *m, struct input *in, const char *line,
		 size_t n)
{
	size_t end = n, digits;
	int64_t count = 0;

	while (end && is_blank(line[end - 1]))
		end--;
	for (digits = end; digits && line[digits - 1] >= '0' &&
			   line[digits - 1] <= '9';)
		digits--;
	if (digits == end || !digits || !is_blank(line[digits - 1]) ||
	    !nth_tab(line, digits - 1, m->columns))
		return BAD;
	for (size_t i = digits; i < end; i++)
		if (__builtin_mul_overflow(count, 10, &count) ||
		    __builtin_add_overflow(count, line[i] - '0', &count))
			return TOO_MUCH;
	in->key = line;
	in->size = digits - 1;
	in->count = count;
	in->separator = line[digits - 1];
	return GOOD;
}

/*
 * Whether the input is a tar archive: its first line begins with the header of
 * its first file, which text is not.
 */
static bool is_archive(const struct input *in, const char *line, size_t n)
{
	enum { MAGIC = 257 };	/* where "ustar" stands */

	return in->line == 1 && n > MAGIC + strlen("ustar") &&
	       memcmp(line + MAGIC, "ustar", strlen("ustar")) == 0 &&
	       memchr(line, '\0', MAGIC);
}

/* Refuses a header after lines without one: their metric is unknown. */
static bool read_header(struct merge *m, struct input *in, const char *line,
			size_t n)
{
	const struct own *own = m->cli->own;
	bool late = m->headed && !m->header.input;

	in->headed = true;
	if (late)
		cli_say(m->cli, "%s: line %" PRIu64 ": a header after stacks "
			"without one", in->name, in->line);
	if (late || !header_take(m->cli, &m->header, in->name, line, n))
		return false;
	if (own->key < 0)
		m->columns = header_columns(&m->header) > 1 ?
			     header_columns(&m->header) : 1;
	return true;
}

/* FLAME_OK, FLAME_END, or FLAME_FAILED: the message is out. */
int merge_read_line(struct merge *m, struct input *in)
{
	const char *line;
	size_t n;
	int status;

	while ((status = flame_lines_next(in->lines, &line, &n)) == FLAME_OK) {
		in->line++;
		if (is_archive(in, line, n)) {
			cli_say(m->cli, "%s: a tar archive, whose files cannot "
				"be read side by side: use flame-fold",
				in->name);
			return FLAME_FAILED;
		}
		if (n && line[0] == '#' && header_is(line, n)) {
			if (!read_header(m, in, line, n))
				return FLAME_FAILED;
			continue;
		}
		if (!n || is_comment(line, n))
			continue;
		switch (parse(m, in, line, n)) {
		case GOOD:
			in->good++;
			return FLAME_OK;
		case TOO_MUCH:
			cli_say(m->cli, "%s: line %" PRIu64 ": the count "
				"passes 2^63", in->name, in->line);
			return FLAME_FAILED;
		}
		if (has_text(line, n))
			not_understood(in, line, n);
	}
	return status;
}
