/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ring buffer of a CPU, and the records that were moved out of it to make
 * room.  Places are those of the kernel: they count all bytes ever written.
 */
#ifndef FL_SAMPLE_RING_H
#define FL_SAMPLE_RING_H

#include "sample/perf_records.h"

struct fl_ring {
	int fd;
	unsigned cpu;
	struct perf_event_mmap_page *page;
	uint8_t *data;
	size_t size;
	uint64_t head, tail;
	/* The next record: its time; 0: not read yet. */
	uint64_t time;
	uint64_t peeked;	/* up to here by fl_perf_events_peek */
	/* Of the thread that empties it (spill.c). */
	uint64_t written;
	uint64_t forks;		/* up to here their records are known */
	struct fl_spilled {
		uint8_t *data;	/* addresses for all places, or NULL */
		size_t size;
		uint8_t *shared;	/* the addresses to use; or NULL */
		size_t used;	/* memory of these addresses, in bytes */
		uint64_t begin, end;	/* places */
	} spilled;
};

/* Bytes at a place, wherever they are. */
void fl_ring_copy(const struct fl_ring *ring, uint64_t from, void *to,
		  size_t size);
/* A record, without the part of its stack that the kernel did not write. */
void fl_ring_copy_record(const struct fl_ring *ring, uint64_t at, uint8_t *to,
			 size_t size);
/* Where they are, if they were moved out of the ring; NULL: they were not. */
const uint8_t *fl_ring_spilled(const struct fl_ring *ring, uint64_t from,
			       size_t size);
/* Records up to its tail are read: the kernel may write there. */
void fl_ring_free_read(struct fl_ring *ring);
void fl_ring_unmap(struct fl_ring *ring);
/* Around what reads or moves records of rings that are shared. */
void fl_perf_events_lock(struct fl_perf_events *events);
void fl_perf_events_unlock(struct fl_perf_events *events);
void fl_perf_events_unshare(struct fl_perf_events *events);
/* A thread that others wait for runs before them, where that is permitted. */
void fl_perf_events_hurry(void);
/* Moves records out of the rings that are a quarter full. */
void fl_perf_events_spill(struct fl_perf_events *events);

#endif
