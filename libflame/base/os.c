/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that only some systems have, or their replacement where configure has
 * not found them: random bytes, sizes of malloc's blocks, memrchr, advice about
 * pages.  See os.h.
 */
#include "base/os.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#ifdef HAVE_SYS_RANDOM_H
#include <sys/random.h>
#endif
#ifdef HAVE_MALLOC_H
#include <malloc.h>
#endif
#ifdef HAVE_MALLOC_NP_H
#include <malloc_np.h>
#endif
#ifdef HAVE_MALLOC_MALLOC_H
#include <malloc/malloc.h>
#endif

bool fl_os_random(void *to, size_t size, bool wait)
{
#ifdef HAVE_GETRANDOM
	return getrandom(to, size, wait ? 0 : GRND_NONBLOCK) == (ssize_t)size;
#elif defined(HAVE_GETENTROPY)
	(void)wait;
	return getentropy(to, size) == 0;
#else
	(void)to;
	(void)size;
	(void)wait;
	return false;
#endif
}

size_t fl_os_block_size(void *block)
{
#ifdef HAVE_MALLOC_USABLE_SIZE
	return malloc_usable_size(block);
#elif defined(HAVE_MALLOC_SIZE)
	return malloc_size(block);
#else
	(void)block;
	return 0;
#endif
}

void *fl_os_memrchr(const void *at, int c, size_t n)
{
	const unsigned char *bytes = at;

	while (n--)
		if (bytes[n] == (unsigned char)c)
			return (void *)(uintptr_t)(bytes + n);
	return NULL;
}

/* Errors of advice are ignored: only speed and memory depend on it. */
static inline void advise(void *at, size_t size, int advice)
{
	int was = errno;

	madvise(at, size, advice);
	errno = was;
}

void fl_os_use_huge_pages(void *at, size_t size)
{
#ifdef MADV_HUGEPAGE
	advise(at, size, MADV_HUGEPAGE);
#else
	(void)at;
	(void)size;
#endif
}

void fl_os_read_in_order(void *at, size_t size)
{
#ifdef MADV_SEQUENTIAL
	advise(at, size, MADV_SEQUENTIAL);
#else
	(void)at;
	(void)size;
#endif
}

void fl_os_drop_pages(void *at, size_t size)
{
#ifdef MADV_DONTNEED
	advise(at, size, MADV_DONTNEED);
#else
	(void)at;
	(void)size;
#endif
}

/*
 * Linux 6.18 and later map whole folios.  Different advice makes mappings of
 * their own; this one has no other effect, as core dumps leave files out
 * anyway.
 */
void fl_os_split_mapping(void *at, size_t size)
{
#ifdef MADV_DONTDUMP
	advise(at, size, MADV_DONTDUMP);
#else
	(void)at;
	(void)size;
#endif
}

void fl_os_join_mapping(void *at, size_t size)
{
#ifdef MADV_DODUMP
	advise(at, size, MADV_DODUMP);
#else
	(void)at;
	(void)size;
#endif
}
