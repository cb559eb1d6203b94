/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables for people: columns as wide as they need, colours and the width of
 * the screen where the output is a terminal.
 */
#include "cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static char *room_for(struct cli_table *t, size_t n)
{
	size_t capacity = (t->size + n) * 2;
	char *more;

	if (t->failed)
		return NULL;
	if (t->size + n > t->capacity) {
		more = realloc(t->text, capacity);
		t->failed = !more;
		if (!more)
			return NULL;
		t->text = more;
		t->capacity = capacity;
	}
	return t->text + t->size;
}

static void end_cell(struct cli_table *t, size_t n)
{
	t->text[t->size + n] = '\0';
	t->size += n + 1;
	t->cells++;
}

void cli_cell(struct cli_table *t, const char *format, ...)
{
	char text[64];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (n < 0 || !room_for(t, sizeof(text)))
		return;
	if ((size_t)n >= sizeof(text))
		n = sizeof(text) - 1;
	memcpy(t->text + t->size, text, n);
	end_cell(t, n);
}

void cli_percent(struct cli_table *t, int64_t part, int64_t total)
{
	cli_cell(t, "%.2f%%", total ? 100.0 * (double)part / (double)total : 0);
}

void cli_name(struct cli_table *t, const struct flame *flame, flame_id name,
	      const char *instead, unsigned indent)
{
	size_t n, size;
	const char *text = flame_name_text(flame, name, &n);
	char *at;

	if (!name) {
		text = instead;
		n = strlen(instead);
	}
	size = flame_visible(NULL, 0, text, n);
	at = room_for(t, indent + size + 1);
	if (!at)
		return;
	memset(at, ' ', indent);
	flame_visible(at + indent, size + 1, text, n);
	end_cell(t, indent + size);
}

void cli_text_cell(struct cli_table *t, const char *text)
{
	size_t n = strlen(text);
	char *at = room_for(t, n + 1);

	if (!at)
		return;
	memcpy(at, text, n);
	end_cell(t, n);
}

void cli_mark(struct cli_table *t, char mark)
{
	size_t row = t->cells ? (t->cells - 1) / t->columns : 0;
	char *more;

	if (row >= t->marks_room) {
		more = realloc(t->marks, row * 2 + 16);
		t->failed |= !more;
		if (!more)
			return;
		memset(more + t->marks_room, 0,
		       row * 2 + 16 - t->marks_room);
		t->marks = more;
		t->marks_room = row * 2 + 16;
	}
	t->marks[row] = mark;
}

/* Set once a write fails: the table fails as a whole. */
static bool print_failed;

static bool print_long(struct flame_text *out, const char *format,
		       va_list args)
{
	char *text;
	int n = vasprintf(&text, format, args);

	if (n < 0) {
		print_failed = true;
		return false;
	}
	n = flame_text_put(out, text, n);
	free(text);
	return n == FLAME_OK;
}

bool cli_print(struct flame_text *out, const char *format, ...)
{
	char text[512];
	va_list args;
	bool good;
	int n;

	va_start(args, format);
	n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (n >= 0 && (size_t)n < sizeof(text))
		return flame_text_put(out, text, n) == FLAME_OK;
	va_start(args, format);
	good = print_long(out, format, args);
	va_end(args);
	return good;
}

int cli_text_finish(const struct cli *cli, struct flame_text *out)
{
	if (print_failed) {
		flame_text_abandon(out);
		cli_no_memory(cli);
		return CLI_TROUBLE;
	}
	return flame_text_finish(out) == FLAME_OK ? CLI_FINE : CLI_TROUBLE;
}

static bool in_colour(const struct cli *cli)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return strcmp(cli->output, "-") == 0 && isatty(STDOUT_FILENO) &&
	       !(no && no[0]) && !(term && strcmp(term, "dumb") == 0);
}

/* Columns of the terminal; 0: none, or not known. */
static size_t screen(const struct cli *cli)
{
	struct winsize size;

	if (strcmp(cli->output, "-") != 0 || !isatty(STDOUT_FILENO) ||
	    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
		return 0;
	return size.ws_col;
}

static bool is_inside(char c)
{
	return (c & 0xc0) == 0x80;	/* not the first byte of UTF-8 */
}

/* A name without its beginning, so that it is no more than width wide. */
static void put_name(struct flame_text *out, const char *name, size_t width)
{
	size_t indent = strspn(name, " "), n = 0;
	const char *at = name + strlen(name);

	for (const char *p = name; *p; p++)
		n += !is_inside(*p);
	if (n <= width || width < indent + 8) {
		flame_text_put(out, name, strlen(name));
		return;
	}
	for (n = width - indent - 2; n; n--)
		while (is_inside(*--at))
			;
	cli_print(out, "%*s..", (int)indent, "");
	flame_text_put(out, at, strlen(at));
}

static const char *colour_of(char mark)
{
	switch (mark) {
	case 'h': return "\033[1m";
	case '+': return "\033[31m";
	case '-': return "\033[32m";
	case '.': return "\033[2m";
	}
	return "";
}

static void put_rows(const struct cli *cli, const struct cli_table *t,
		     struct flame_text *out, const size_t *widths)
{
	size_t total = screen(cli), used = 0, row = 0;
	const char *cell = t->text, *colour = "";
	bool colours = in_colour(cli);

	for (unsigned c = 0; c + 1 < t->columns; c++)
		used += widths[c] + 2;
	total = total > used ? total - used : SIZE_MAX;
	for (size_t i = 0; i < t->cells; i++, cell += strlen(cell) + 1) {
		unsigned c = i % t->columns;

		if (!c) {
			row = i / t->columns;
			colour = colours && row < t->marks_room ?
				 colour_of(t->marks[row]) : "";
			cli_print(out, "%s", colour);
		}
		if (c + 1 < t->columns) {
			cli_print(out, "%*s  ", (int)widths[c], cell);
			continue;
		}
		put_name(out, cell, total);
		cli_print(out, "%s\n", colour[0] ? "\033[0m" : "");
	}
}

bool cli_table_write(const struct cli *cli, struct cli_table *t,
		     struct flame_text *out)
{
	size_t *widths = calloc(t->columns, sizeof(*widths));
	const char *cell = t->text;

	t->failed |= !widths;
	for (size_t i = 0; i < t->cells && widths; i++) {
		size_t n = strlen(cell);

		if (n > widths[i % t->columns])
			widths[i % t->columns] = n;
		cell += n + 1;
	}
	if (!t->failed)
		put_rows(cli, t, out, widths);
	else
		cli_no_memory(cli);
	free(widths);
	free(t->text);
	free(t->marks);
	return !t->failed;
}

void cli_metric(const struct flame *flame, const struct flame_tree *tree,
		const char **metric, const char **unit)
{
	*metric = flame_tree_metric(tree);
	*unit = "samples";
	for (unsigned i = 1; i <= flame_metrics(flame); i++) {
		const struct flame_metric *m = flame_metric_of(flame, i);

		if (strcmp(m->name, *metric) == 0 && m->weight[0])
			*unit = strcmp(m->weight, "core-us") == 0 ?
				"core-seconds" :
				strcmp(m->weight, "money/1000000") == 0 ?
				"money" : m->weight;
	}
}
