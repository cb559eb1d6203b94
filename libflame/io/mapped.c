/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps a file into memory for in.c (fl_mapped_open).  If the file becomes
 * shorter, or its disk fails, a read of its lost pages raises SIGBUS; the
 * handler maps zeros there.
 *
 * The list of mappings is for that handler.  No thread reads a mapping while it
 * holds the list's lock, so the handler may wait for the lock.
 */
#include "fl.h"

#include "io/mapped.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0	/* the address is a wish then */
#endif

static struct fl_mapped *all;
static atomic_flag locked = ATOMIC_FLAG_INIT;

static void lock(void)
{
	while (atomic_flag_test_and_set_explicit(&locked, memory_order_acquire))
		;
}

static void unlock(void)
{
	atomic_flag_clear_explicit(&locked, memory_order_release);
}

/*
 * The kernel maps 2 MB of the page cache as one huge page where the address is
 * aligned for it, and all of it becomes resident for a few bytes.  So the
 * mapping lies one page off that alignment.
 */
static void *map(int fd, size_t size)
{
	enum { HUGE_PAGE = 2 << 20 };
	char *at = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0), *aside;

	if (at == MAP_FAILED || (uintptr_t)at % HUGE_PAGE)
		return at;
	munmap(at, size);
	aside = mmap(at - sysconf(_SC_PAGESIZE), size, PROT_READ,
		     MAP_PRIVATE | MAP_FIXED_NOREPLACE, fd, 0);
	return aside != MAP_FAILED ? aside :
	       mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
}

bool fl_mapped_open(struct fl_mapped *mapped, int fd, size_t size)
{
	void *at = map(fd, size);

	if (at == MAP_FAILED)
		return false;
	fl_os_read_in_order(at, size);
	mapped->data = at;
	mapped->size = size;
	lock();
	mapped->next = all;
	mapped->link = &all;
	if (all)
		all->link = &mapped->next;
	all = mapped;
	unlock();
	return true;
}

void fl_mapped_close(struct fl_mapped *mapped)
{
	if (!mapped->data)
		return;
	lock();
	*mapped->link = mapped->next;
	if (mapped->next)
		mapped->next->link = mapped->link;
	unlock();
	munmap(mapped->data, mapped->size);
	mapped->data = NULL;
}

/* Maps zeros from the page of a byte to the end of the file. */
static bool put_zeros(struct fl_mapped *mapped, uintptr_t at)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uintptr_t begin = at - at % page;
	uintptr_t end = (uintptr_t)mapped->data + mapped->size;

	if (mmap((void *)begin, end - begin, PROT_READ, MAP_PRIVATE |
		 MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		return false;
	atomic_store(&mapped->shrunk, true);
	return true;
}

bool flame_shrunk(const void *byte)
{
	uintptr_t at = (uintptr_t)byte;
	bool done = false;
	int was = errno;

	lock();
	for (struct fl_mapped *m = all; m && !done; m = m->next)
		if (at >= (uintptr_t)m->data &&
		    at - (uintptr_t)m->data < m->size)
			done = put_zeros(m, at);
	unlock();
	errno = was;
	return done;
}
