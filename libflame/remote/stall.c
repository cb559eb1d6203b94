/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Detects inputs that fall silent, or that send a byte now and then, or a
 * header without an end: url.c and command.c report what came, and
 * fl_stall_waited() says whether that is too little.
 */
#include "fl.h"

#include "remote/stall.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

int64_t fl_stall_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void fl_stall_came(struct fl_stall *stall, size_t bytes)
{
	stall->silent = 0;
	stall->bytes += bytes;
}

void fl_stall_header(struct fl_stall *stall, size_t bytes, bool ended)
{
	stall->header += bytes;
	if (!ended)
		return;
	fl_stall_came(stall, (size_t)stall->header);
	stall->header = 0;
}

bool fl_stall_waited(struct fl_stall *stall, int64_t ms, unsigned seconds,
		     char *why, size_t size)
{
	int64_t limit = (int64_t)seconds * 1000;

	stall->silent += ms;
	stall->window += ms;
	if (stall->silent >= limit) {
		snprintf(why, size, stall->header ?
			 "the header of the answer did not end in %u s" :
			 "nothing came for %u s", seconds);
		return true;
	}
	if (stall->window < limit)
		return false;
	if (stall->bytes < (uint64_t)seconds * FL_STALL_RATE) {
		snprintf(why, size, "only %" PRIu64 " bytes came in %u s",
			 stall->bytes, seconds);
		return true;
	}
	stall->window = 0;
	stall->bytes = 0;
	return false;
}
