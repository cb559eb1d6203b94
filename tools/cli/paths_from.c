/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --paths-from: cli_read_paths() reads a list of paths and adds each to the
 * inputs.  The list has one a line, or each ended by a NUL, as find -print0
 * writes them; or lines of Hadoop's NLineInputFormat, where the offset of each
 * in the list comes first.  Called by options.c.
 */
#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The contents of a file, with a NUL; NULL: the error was printed. */
static char *read_all(const struct cli *cli, FILE *file, const char *name,
		      size_t *size)
{
	char *text = NULL, *more;
	size_t capacity = 0, n;

	*size = 0;
	do {
		if (*size + 1 >= capacity) {
			capacity = capacity * 2 + 65536;
			more = realloc(text, capacity);
			if (!more) {
				free(text);
				cli_no_memory(cli);
				return NULL;
			}
			text = more;
		}
		n = fread(text + *size, 1, capacity - *size - 1, file);
		*size += n;
	} while (n);
	/* A list that breaks off would be fewer inputs. */
	if (ferror(file)) {
		cli_say(cli, "%s: %s", name, strerror(errno));
		free(text);
		return NULL;
	}
	text[*size] = '\0';
	return text;
}

/* Ends each path with a NUL, without the end of its line. */
static void split_lines(char *text, size_t size)
{
	char *end = text + size;

	for (char *at = text, *lf; at < end; at = lf + 1) {
		lf = memchr(at, '\n', (size_t)(end - at));
		lf = lf ? lf : end;
		*lf = '\0';
		if (lf > at && lf[-1] == '\r')
			lf[-1] = '\0';
	}
}

/* The path after "123<tab>"; NULL: another kind of line. */
static char *after_offset(char *path)
{
	size_t digits = strspn(path, "0123456789");

	return digits && path[digits] == '\t' && path[digits + 1] ?
	       path + digits + 1 : NULL;
}

static bool all_have_offsets(char *text, size_t size)
{
	for (char *at = text; at < text + size; at += strlen(at) + 1)
		if (*at && !after_offset(at))
			return false;
	return true;
}

bool cli_read_paths(struct cli *cli, const char *path)
{
	FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
	char *text;
	bool good = true, lines, offsets;
	size_t size;

	if (!file) {
		cli_say(cli, "%s: %s", path, strerror(errno));
		return false;
	}
	text = read_all(cli, file, path, &size);
	if (file != stdin)
		fclose(file);
	if (!text)
		return false;
	lines = !memchr(text, '\0', size);
	if (lines)
		split_lines(text, size);
	offsets = lines && all_have_offsets(text, size);
	for (char *at = text; good && at < text + size; at += strlen(at) + 1)
		if (*at)
			good = cli_input(cli, offsets ? after_offset(at) : at);
	free(text);
	cli->listed = true;
	return good;
}
