/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which format each file is read as, and how many bits each format would
 * claim for it, in a line:
 *
 *	FILE	FORMAT	FORMAT=BITS ...
 *
 *	probes FILE...
 */
#include "fl.h"

#include "flow/flow.h"
#include "io/json.h"

#include <stdio.h>
#include <stdlib.h>

enum { HEAD = 1 << 20 };

struct bid {
	const char *name;
	int bits;
};

static int by_bits(const void *a, const void *b)
{
	const struct bid *x = a, *y = b;

	return x->bits != y->bits ? y->bits - x->bits :
				    strcmp(x->name, y->name);
}

static void print_bids(struct fl_in *in)
{
	struct bid bids[128];
	size_t n = 0, size;
	const uint8_t *head = fl_in_peek(in, HEAD, &size);
	bool json, whole = size < HEAD;

	size = FL_MIN(size, (size_t)HEAD);
	json = fl_json_begins(head, size);
	for (size_t i = 0; fl_formats[i] && n < FL_COUNT(bids); i++) {
		const struct fl_format *f = fl_formats[i];
		int bits = f->probe && (f->json || !json) ?
			   f->probe(head, size, whole) : 0;

		if (bits > 0)
			bids[n++] = (struct bid){ f->name, bits };
	}
	qsort(bids, n, sizeof(*bids), by_bits);
	for (size_t i = 0; i < n; i++)
		printf("%c%s=%d", i ? ' ' : '\t', bids[i].name, bids[i].bits);
}

static void probe(const char *path)
{
	struct flame *flame = flame_new();
	struct flame_source *source = flame_open(flame, path, NULL);
	struct fl_in *in;

	printf("%s\t%s", path, source ? source->format->name : "-");
	flame_close(source);
	flame_clear(flame);
	in = fl_in_open(flame, path);
	in = in ? fl_in_decoded(in) : NULL;
	if (in) {
		print_bids(in);
		fl_in_close(in);
	}
	putchar('\n');
	flame_free(flame);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		probe(argv[i]);
	return 0;
}
