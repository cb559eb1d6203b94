/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mapped files, also those that shrink while they are mapped: mapped.c.
 */
#ifndef FL_MAPPED_H
#define FL_MAPPED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* Zeroed: none. */
struct fl_mapped {
	struct fl_mapped *next, **link;	/* in the list of mappings */
	void *data;		/* NULL: none */
	size_t size;
	atomic_bool shrunk;	/* lost bytes read as zeros */
};

/* Maps the first `size` bytes of a file; false: it cannot be mapped. */
bool fl_mapped_open(struct fl_mapped *mapped, int fd, size_t size);
/* An empty one is allowed. */
void fl_mapped_close(struct fl_mapped *mapped);

#endif
