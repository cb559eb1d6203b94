/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a source that is waited for sends too little: no byte for N
 * seconds, or fewer than FL_STALL_RATE bytes a second over as long; or a header
 * that has not ended after them.  The reader's own time does not count.
 */
#ifndef FL_REMOTE_STALL_H
#define FL_REMOTE_STALL_H

#include "fl.h"

enum { FL_STALL_RATE = 10 };

struct fl_stall {
	int64_t silent, window;		/* ms of waiting */
	uint64_t bytes;			/* of the window */
	uint64_t header;		/* bytes of one that has not ended */
};

/* Milliseconds of a clock that only goes forward. */
int64_t fl_stall_clock(void);
void fl_stall_came(struct fl_stall *stall, size_t bytes);
/* A line of a header came; its lines count as bytes once it has ended. */
void fl_stall_header(struct fl_stall *stall, size_t bytes, bool ended);
/* `ms` were waited.  true: too little came, as `why` says. */
bool fl_stall_waited(struct fl_stall *stall, int64_t ms, unsigned seconds,
		     char *why, size_t size);

#endif
