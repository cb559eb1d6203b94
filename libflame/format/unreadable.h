/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that people try and that cannot be read: unreadable.c.
 */
#ifndef FL_UNREADABLE_H
#define FL_UNREADABLE_H

#include "format/format.h"

struct fl_unreadable {
	const char *name;	/* "perf.data" */
	const char *advice;	/* what to do, with '@' for the file */
};

/*
 * Whether the head of an input is of a kind that is known and not read.
 * text_only: only of the kinds that weak probes mistake for their own.
 */
bool fl_unreadable_find(const uint8_t *head, size_t n, bool text_only,
			struct fl_unreadable *found);
/* "perf.data cannot be read; print it: perf script -i NAME | flame-fold" */
void fl_unreadable_say(struct fl_buf *buf, const struct fl_unreadable *found,
		       const char *name);

#endif
