/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files in memory.  Where one becomes shorter, or its disk fails, whoever
 * looks at what is gone gets a SIGBUS: its handler puts zeros there.
 *
 * The list of all is for that handler.  Nobody looks at what is mapped while
 * he holds its lock, so that a handler may wait for it.
 */
#include "fl.h"

#include "io/mapped.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

static struct fl_mapped *all;
static atomic_flag held = ATOMIC_FLAG_INIT;

static void hold(void)
{
	while (atomic_flag_test_and_set_explicit(&held, memory_order_acquire))
		;
}

static void let_go(void)
{
	atomic_flag_clear_explicit(&held, memory_order_release);
}

/*
 * What the kernel holds of a file in one piece of 2 MB it maps all at once,
 * where that can be a huge page, and all of it is resident then for the sake
 * of a few bytes.  One page from where it would be, it cannot.
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
	madvise(at, size, MADV_SEQUENTIAL);
	mapped->data = at;
	mapped->size = size;
	hold();
	mapped->next = all;
	mapped->link = &all;
	if (all)
		all->link = &mapped->next;
	all = mapped;
	let_go();
	return true;
}

void fl_mapped_close(struct fl_mapped *mapped)
{
	if (!mapped->data)
		return;
	hold();
	*mapped->link = mapped->next;
	if (mapped->next)
		mapped->next->link = mapped->link;
	let_go();
	munmap(mapped->data, mapped->size);
	mapped->data = NULL;
}

/* From the page of a byte to the end, as what follows is gone too. */
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

	hold();
	for (struct fl_mapped *m = all; m && !done; m = m->next)
		if (at >= (uintptr_t)m->data &&
		    at - (uintptr_t)m->data < m->size)
			done = put_zeros(m, at);
	let_go();
	errno = was;
	return done;
}
