/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The output of flame-merge.  merge_add() receives lines in the order of their
 * keys, adds up the counts of equal keys, and writes one line for each key.
 * Lines out of order are an error; with --stream, stacks that come again after
 * others are counted and reported.  Called by flame-merge.c.
 */
#include "merge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int merge_compare(const char *a, size_t n, const char *b, size_t m)
{
	int d = memcmp(a, b, n < m ? n : m);

	return d ? d : (n > m) - (n < m);
}

bool merge_flush(struct merge *m)
{
	char text[24];
	int n;

	if (!m->headed && !header_write(&m->header, m->out))
		return false;
	m->headed = true;
	if (!m->begun)
		return true;
	n = snprintf(text, sizeof(text), "%c%" PRId64 "\n", m->separator,
		     m->sum);
	flame_text_put(m->out, m->key, m->size);
	return flame_text_put(m->out, text, n) == FLAME_OK;
}

static bool begin(struct merge *m, const struct input *in)
{
	char *more;

	if (!merge_flush(m))
		return false;
	if (in->size >= m->capacity) {
		more = realloc(m->key, in->size * 2 + 64);
		if (!more) {
			cli_no_memory(m->cli);
			return false;
		}
		m->key = more;
		m->capacity = in->size * 2 + 64;
	}
	memcpy(m->key, in->key, in->size);
	m->size = in->size;
	m->sum = in->count;
	m->separator = in->separator;
	m->begun = true;
	return true;
}

static uint64_t hash_key(const char *key, size_t n)
{
	uint64_t hash = n * 0x9e3779b97f4a7c15u, word;

	for (; n >= sizeof(word); key += sizeof(word), n -= sizeof(word)) {
		memcpy(&word, key, sizeof(word));
		hash = (hash ^ word) * 0xff51afd7ed558ccdu;
		hash ^= hash >> 32;
	}
	word = 0;
	memcpy(&word, key, n);
	hash = (hash ^ word) * 0xff51afd7ed558ccdu;
	hash ^= hash >> 32;
	return hash ? hash : 1;
}

/*
 * Equal stacks that do not adjoin stay several lines.  The table is of one
 * size, so that memory is: what was overwritten in it is not noticed, and two
 * stacks of one hash of 64 bits are counted as one.
 */
static void note_again(struct merge *m, const struct input *in)
{
	struct again *again = &m->again;
	uint64_t hash = hash_key(in->key, in->size);
	size_t size = in->size < sizeof(again->key) ? in->size :
						      sizeof(again->key) - 1;

	if (!again->ended)
		return;
	if (again->hash)
		again->ended[again->hash % MERGE_ENDED] = again->hash;
	again->hash = hash;
	if (again->ended[hash % MERGE_ENDED] != hash || again->count++)
		return;
	again->input = in->name;
	again->line = in->line;
	memcpy(again->key, in->key, size);
	again->key[size] = '\0';
}

void merge_report_again(const struct merge *m)
{
	const struct again *again = &m->again;

	if (again->count && !m->cli->quiet)
		cli_say(m->cli, "%s: line %" PRIu64 ": %s does not adjoin its "
			"equal before; such lines, which stay apart: %" PRIu64
			" or more, told by hashes of 64 bits (use LC_ALL=C "
			"sort)", again->input, again->line, again->key,
			again->count);
}

/*
 * Keys come out in ascending order: a smaller one than the last means that its
 * input is not sorted.
 */
bool merge_add(struct merge *m, const struct input *in, bool sorted)
{
	int d = m->begun ? merge_compare(in->key, in->size, m->key, m->size) : 1;

	if (d && !sorted)
		note_again(m, in);
	if (d > 0 || (d < 0 && !sorted))
		return begin(m, in);
	if (d < 0) {
		cli_say(m->cli, "%s: line %" PRIu64 ": not sorted: %.*s (use "
			"flame-fold)", in->name, in->line,
			in->size > 60 ? 60 : (int)in->size, in->key);
		return false;
	}
	if (!__builtin_add_overflow(m->sum, in->count, &m->sum))
		return true;
	cli_say(m->cli, "%s: line %" PRIu64 ": the sum passes 2^63", in->name,
		in->line);
	return false;
}
