/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files in memory, and what becomes of one that shrinks there: mapped.c.
 */
#ifndef FL_MAPPED_H
#define FL_MAPPED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* Zeroed: none. */
struct fl_mapped {
	struct fl_mapped *next, **link;	/* in the list of all */
	void *data;		/* NULL: none */
	size_t size;
	atomic_bool shrunk;	/* what is gone reads as zeros */
};

/* The first bytes of a file; false: that cannot be. */
bool fl_mapped_open(struct fl_mapped *mapped, int fd, size_t size);
/* Takes one that is none, too. */
void fl_mapped_close(struct fl_mapped *mapped);

#endif
