/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts cut at every byte within a line, or at every few of long ones.  A line
 * for each file: its name, its format, and the cuts after which something is
 * counted that is not in the whole text, without a word about it.
 *
 *	cut-texts FILE...
 */
#include "fl.h"

#include "format/formats.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_CUTS = 2000 };	/* of a file */

static bool said;

static void note(void *arg, const char *line)
{
	(void)arg;
	(void)line;
	said = true;
}

/* The folded text; NULL: it is refused, in words. */
static char *fold(const char *text, size_t size, const char *format,
		  const char **found)
{
	struct flame *flame = flame_new();
	struct flame_source *source;
	struct flame_sink *sink;
	struct fl_buf out = { 0 };
	char *result = NULL;

	said = false;
	flame_on_warning(flame, note, NULL);
	flame_on_remark(flame, note, NULL);
	source = flame_open_memory(flame, text, size, "in", format);
	if (source) {
		if (found)
			*found = flame_source_format(source);
		sink = fl_format_folded.create(flame, fl_out_memory(flame,
								    &out));
		sink->picked = true;	/* all metrics in one sum */
		if (flame_pump(source, sink) == FLAME_OK) {
			flame_close(source);
			source = NULL;
			if (flame_finish(sink) == FLAME_OK) {
				fl_buf_byte(&out, '\0');
				result = out.data;
			}
		}
		flame_close(source);
	}
	if (!result)
		fl_buf_free(&out);
	flame_free(flame);
	return result;
}

/* The count of a stack in sorted lines; 0: it has none. */
static long long count_of(const char *lines, const char *stack, size_t n)
{
	for (const char *at = lines; *at; at = strchr(at, '\n') + 1)
		if (strncmp(at, stack, n) == 0 && at[n] == ' ' &&
		    !memchr(at + n + 1, ' ', strcspn(at + n + 1, "\n")))
			return atoll(at + n + 1);
	return 0;
}

/* Whether each stack of a part is in the whole, with as much or more. */
static bool is_part(const char *part, const char *whole)
{
	for (const char *at = part; *at; at = strchr(at, '\n') + 1) {
		const char *end = strchr(at, '\n');
		const char *blank = memrchr(at, ' ', (size_t)(end - at));

		if (blank && atoll(blank + 1) >
			     count_of(whole, at, (size_t)(blank - at)))
			return false;
	}
	return true;
}

/* Whether n bytes count what the whole does not, without a word about it. */
static bool is_wrong(const char *text, size_t n, const char *format,
		     const char *whole)
{
	char *part = fold(text, n, format, NULL);
	bool wrong = part && !said && !is_part(part, whole);

	fl_free(part);
	return wrong;
}

static void try(const char *path, const char *text, size_t size)
{
	const char *format = NULL;
	char *whole = fold(text, size, NULL, &format);
	size_t step = size / MAX_CUTS + 1, wrong = 0, first = 0;

	for (size_t n = step; whole && n < size; n += step) {
		if (text[n - 1] == '\n' || text[n] == '\n' || text[n] == '\r')
			continue;
		/* The head of a log may be no log any more: it is refused. */
		if (is_wrong(text, n, format, whole) &&
		    is_wrong(text, n, NULL, whole) && !wrong++)
			first = n;
	}
	printf("%s\t%s\t", path, format ? format : "-");
	if (wrong)
		printf("%zu of %zu cuts, the first at byte %zu", wrong,
		       (size - 1) / step, first);
	putchar('\n');
	fl_free(whole);
}

int main(int argc, char **argv)
{
	static char text[1 << 20];

	for (int i = 1; i < argc; i++) {
		FILE *file = fopen(argv[i], "r");
		size_t n = file ? fread(text, 1, sizeof(text), file) : 0;

		if (file)
			fclose(file);
		if (n < sizeof(text) && !memchr(text, '\0', n))
			try(argv[i], text, n);
	}
	return 0;
}
