/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MERGE_H
#define MERGE_H

#include "cli.h"

/* Zeroed: none was seen. */
struct header {
	const char *input;	/* which had it first */
	char *metric, *unit, *key;
};

/* Whether the line is a header. */
bool header_is(const char *line, size_t n);
/* Takes one of an input; false: it is another than before, and that is said. */
bool header_take(const struct cli *cli, struct header *header,
		 const char *input, const char *line, size_t n);
/* The number of columns before the stack; 0: none, or unknown. */
unsigned header_columns(const struct header *header);
/* Writes it, if there was one; false: the output failed. */
bool header_write(const struct header *header, struct flame_text *out);
void header_free(struct header *header);

#endif
