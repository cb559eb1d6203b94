/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of siblings: order.c.
 */
#ifndef FL_ORDER_H
#define FL_ORDER_H

#include "dict/dict.h"

/* A stack without a node yet; joined: same node as the stack before it. */
struct fl_pending {
	uint32_t stack : 31;	/* ids of stacks have no more */
	uint32_t joined : 1;
	uint32_t level;
};

/* Scratch of the sort, reused.  Zeroed struct: empty. */
struct fl_order {
	struct fl_sibling *data;
	size_t capacity;
};

/* Eight bytes of a text, so that keys sort bytewise. */
static inline uint64_t fl_order_key(const char *bytes)
{
	uint64_t key = 0;

	for (size_t i = 0; i < 8; i++)
		key = key << 8 | (unsigned char)bytes[i];
	return key;
}

/* A key of an element, which is at this place. */
struct fl_keyed {
	uint64_t key;
	uint32_t place;
};

enum { FL_ORDER_MIN_RADIX = 1 << 11 };	/* from here on it pays */

/* Sorts by key; equal ones keep their order.  scratch is for n, too. */
void fl_order_keys(struct fl_keyed *keyed, struct fl_keyed *scratch, size_t n);

/*
 * Sorts all names once, which pays if there are more stacks than names.
 * Returns each name's position, by id.  NULL: out of memory.
 */
uint32_t *fl_order_names(const struct flame *flame);

/*
 * Sorts siblings by name, bytewise, and kind, in descending order, and joins
 * those that are equal in both.  name_order: of fl_order_names, or NULL.
 * false: out of memory.
 */
bool fl_order_pending(struct fl_order *order, const struct flame *flame,
		      const uint32_t *name_order, struct fl_pending *at,
		      size_t n);
void fl_order_free(struct fl_order *order);

#endif
