/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MERGE_H
#define MERGE_H

#include "cli/cli.h"

/* Zeroed: none was seen. */
struct header {
	const char *input;	/* which had it first */
	char *metric, *unit, *key;
};

/* Whether the line is a header. */
bool header_is(const char *line, size_t n);
/* Adds an input's header; false: it differs from that before, as is said. */
bool header_take(const struct cli *cli, struct header *header,
		 const char *input, const char *line, size_t n);
/* The number of columns before the stack; 0: none, or unknown. */
unsigned header_columns(const struct header *header);
/* Writes it, if there was one; false: the output failed. */
bool header_write(const struct header *header, struct flame_text *out);
void header_free(struct header *header);

struct own {
	long key;		/* -1: as many as the header says, or one */
	bool stream;
};

/* The current line of an input. */
struct input {
	const char *name;
	struct flame_lines *lines;
	const char *key;	/* valid until the next line */
	size_t size;
	int64_t count;
	uint64_t line, good, bad, first_bad;
	char separator;		/* between key and count */
	bool headed;		/* it says what it counts */
	char sample[64];	/* of the first bad line */
};

enum { MERGE_ENDED = 1 << 16 };	/* hashes that are remembered: 512 kB */

/* --stream: stacks that had ended, and come again.  See note_again. */
struct again {
	uint64_t *ended;	/* by hash: the last such; 0: none */
	uint64_t hash;		/* of the line to be written */
	uint64_t count, line;	/* how many; where the first is */
	const char *input;
	char key[64];
};

struct merge {
	struct cli *cli;
	struct flame *flame;
	long columns;		/* of the key, before the stack */
	struct header header;
	bool headed;		/* it was written, or there was none */
	struct flame_text *out;
	struct input **heap;	/* the least key first */
	size_t n;
	/* The line to be written. */
	char *key;
	size_t size, capacity;
	int64_t sum;
	char separator;
	bool begun;
	struct again again;
};

/* merge_lines.c: the next line that has a key; FLAME_END: there is none. */
int merge_read_line(struct merge *m, struct input *in);
/* merge_output.c: whether a key is below, equal to or above another. */
int merge_compare(const char *a, size_t n, const char *b, size_t m);
/* Adds a line; false: it is out of order, or the output failed. */
bool merge_add(struct merge *m, const struct input *in, bool sorted);
/* Writes the line that was added last. */
bool merge_flush(struct merge *m);
void merge_report_again(const struct merge *m);

#endif
