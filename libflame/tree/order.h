/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of siblings: order.c.
 */
#ifndef FL_ORDER_H
#define FL_ORDER_H

#include "dict/dict.h"

/* A stack whose node comes later; joined: to that of the one before it. */
struct fl_pending {
	uint32_t stack : 31;	/* ids of stacks have no more */
	uint32_t joined : 1;
	uint32_t level;
};

/* What sorting needs, kept from one time to the next.  Zeroed: nothing. */
struct fl_order {
	struct fl_sibling *at;
	size_t room;
};

/*
 * The place of each name among all of them, by its id: where there are more
 * stacks than names, names are put in order once.  NULL: memory is out.
 */
uint32_t *fl_order_names(const struct flame *flame);

/*
 * By name, bytewise, and kind, the first of all last; those that are the
 * same in both are joined.  place: of names, or NULL.  false: memory is out.
 */
bool fl_order_pending(struct fl_order *order, const struct flame *flame,
		      const uint32_t *place, struct fl_pending *at, size_t n);
void fl_order_free(struct fl_order *order);

#endif
