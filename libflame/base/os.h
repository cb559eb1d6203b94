/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that only some systems have (configure probes for them).  Advice about
 * memory does nothing where it is not known.
 */
#ifndef FL_BASE_OS_H
#define FL_BASE_OS_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes that only the system can know.  wait: until it has enough of them. */
bool fl_os_random(void *to, size_t size, bool wait);

/* The bytes of a block of malloc's; 0: not known, so it is not counted. */
size_t fl_os_block_size(void *block);

/* The last c among n bytes. */
void *fl_os_memrchr(const void *at, int c, size_t n);
#ifndef HAVE_MEMRCHR
#define memrchr fl_os_memrchr
#endif

/* Pages that are accessed at random, all over. */
void fl_os_use_huge_pages(void *at, size_t size);
/* Pages of a mapped file that are read from the first to the last. */
void fl_os_read_in_order(void *at, size_t size);
/* Pages of a mapped file that are not needed soon. */
void fl_os_drop_pages(void *at, size_t size);
/*
 * Makes a mapping of its own of a part of a mapped file, so that a fault beside
 * it brings none of it into memory; and joins them again.
 */
void fl_os_split_mapping(void *at, size_t size);
void fl_os_join_mapping(void *at, size_t size);

#endif
