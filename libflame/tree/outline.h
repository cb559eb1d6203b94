/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layout for pictures, of one column: nodes that are too light to be drawn
 * are told, not kept.
 */
#ifndef FL_OUTLINE_H
#define FL_OUTLINE_H

#include "tree/tree.h"

struct fl_outline;

/* Of frames: their names have others, too; any: of one of them. */
bool *fl_shared_names(const struct flame *flame, bool *any);

/*
 * What comes of light nodes: in preorder, outermost: a kept one's child.  With
 * one may be told all that is below it, down to so many levels further: it
 * is somewhere between x and x + total.
 */
struct fl_teller {
	void (*tell)(void *arg, unsigned level, unsigned further, int64_t x,
		     int64_t total, bool outermost);
	void *arg;
};

/*
 * spend: the tree is not looked at after that, and its weights may become
 * what they are not.  NULL: memory is out, as its dictionary says; here and
 * below.
 */
struct fl_outline *fl_outline_open(struct flame_tree *tree, bool spend);
/*
 * Lighter ones than *least are not kept, and *least becomes more where those
 * would be more than `most`.  With what is lighter than `fine`, too, all
 * below it is told; the tree is settled for that.  Asked before the layout.
 */
bool fl_outline_least(struct fl_outline *outline, int64_t *least, size_t most,
		      int64_t fine);
/* Of the nodes that are kept; it has x. */
struct fl_layout *fl_outline_layout(struct fl_outline *outline,
				    const struct fl_teller *teller);
/* Takes NULL too. */
void fl_outline_free(struct fl_outline *outline);

#endif
