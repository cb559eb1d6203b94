/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why nothing was selected: explain_empty.c finds the option, explain_choices.c
 * what it could have named.
 */
#ifndef EXPLAIN_EMPTY_H
#define EXPLAIN_EMPTY_H

#include "cli/cli.h"

/* An option that leaves samples out. */
struct cut {
	const char *name;
	const char *value;	/* NULL: it has none */
	enum flame_selects by;
	size_t filter;		/* its place among the filters, plus one */
};

/* The metric that it wants; without a value it is of native memory. */
static inline const char *cut_metric(const struct cut *cut)
{
	return cut->value ? cut->value : "nativemem";
}

/* In the order in which they act; files are inputs that can be read again. */
struct cuts {
	struct cli *cli;
	const struct cut *data;
	size_t count;
	char **files;
	size_t nfiles;
};

struct line {
	char text[2048];
	size_t size;
};

void line_add(struct line *line, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Whether the first n options leave something.  Reads the files again. */
bool choices_remain(const struct cuts *cuts, size_t n);
/* Adds what there is for the option cuts->data[i], and the nearest to it. */
void choices_add(const struct cuts *cuts, size_t i, struct line *line);
/* Add the metrics and frames that the dictionary has. */
void choices_add_metrics(const struct flame *flame, struct line *line,
			 const char *wanted);
void choices_add_frames(struct flame *flame, struct line *line,
			const char *wanted);

#endif
