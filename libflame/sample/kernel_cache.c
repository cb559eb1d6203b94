/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file in the user's cache with the kernel's own functions, for all
 * recordings of one boot: to print /proc/kallsyms costs the kernel more than
 * all else in a short recording.  fl_kernel_store() writes the file and
 * fl_kernel_map() maps it, for kernel.c.  In it are the array and the names of
 * kernel.c, up to the first function of a module: modules may come and go.
 *
 * The file is complete and does not change (fl_cache_open), and its numbers are
 * checked nevertheless.
 */
#include "fl.h"

#include "native/files.h"
#include "sample/process.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

struct head {
	char magic[8];
	char boot[40];		/* of /proc, padded with NUL */
	uint64_t count, names;	/* functions; bytes, the last two are NUL */
};

/* The numbers are in this machine's order: it is the only one that boots so. */
static const char magic[8] = "FLkern\0\1";

/* A home may be shared by machines. */
static void name_file(char name[128])
{
	char node[64] = "";

	gethostname(node, sizeof(node) - 1);
	for (char *c = node; *c; c++)
		if (*c == '/')
			*c = '_';
	snprintf(name, 128, "kernel.%s", node);
}

static bool make_head(struct head *head)
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t n;

	memset(head, 0, sizeof(*head));
	memcpy(head->magic, magic, sizeof(magic));
	n = fd < 0 ? -1 : read(fd, head->boot, sizeof(head->boot) - 1);
	if (fd >= 0)
		close(fd);
	return n > 0;
}

/* Reading ----------------------------------------------------------------- */

static bool is_sound(const struct head *head, size_t size)
{
	const struct fl_kernel_function *f = (const void *)(head + 1);
	const char *end = (const char *)head + size;

	if (size < sizeof(*head) || !head->count || head->names < 2 ||
	    head->count > size / sizeof(*f) || head->names > size ||
	    size != sizeof(*head) + head->count * sizeof(*f) + head->names ||
	    end[-1] || end[-2])
		return false;
	for (size_t i = 0; i < head->count; i++)
		if (f[i].frame || f[i].name >= head->names - 1 ||
		    (i && f[i - 1].start >= f[i].start))
			return false;
	return true;
}

static bool take_file(struct fl_kernel *k, int fd, const struct head *wanted)
{
	struct stat st;
	struct head *head;
	size_t size;

	if (fstat(fd, &st) != 0 || st.st_size < (off_t)sizeof(*head))
		return false;
	size = (size_t)st.st_size;
	head = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (head == MAP_FAILED)
		return false;
	if (memcmp(head, wanted, offsetof(struct head, count)) != 0 ||
	    !is_sound(head, size)) {
		munmap(head, size);
		return false;
	}
	k->mapped = head;
	k->mapped_size = size;
	/* Only pages of functions that are looked up are to be resident. */
	madvise(head, size, MADV_DONTNEED);
	k->data = (void *)(head + 1);
	k->count = head->count;
	k->names.data = (char *)(k->data + k->count);
	k->names.size = head->names;
	return true;
}

bool fl_kernel_map(struct fl_kernel *k)
{
	struct head head;
	char name[128];
	int fd;
	bool good;

	name_file(name);
	fd = fl_cache_open(name);
	good = fd >= 0 && make_head(&head) && take_file(k, fd, &head);
	if (fd >= 0)
		close(fd);
	return good;
}

void fl_kernel_unmap(struct fl_kernel *k)
{
	if (!k->mapped)
		return;
	munmap(k->mapped, k->mapped_size);
	k->mapped = NULL;
	k->data = NULL;
	k->count = 0;
	k->names = (struct fl_buf){ 0 };
}

/* Writing ----------------------------------------------------------------- */

static bool is_of_module(const struct fl_kernel *k, size_t i)
{
	const char *name = k->names.data + k->data[i].name;

	return name[strlen(name) + 1];
}

static bool write_file(const struct fl_kernel *k, int fd)
{
	struct head head;
	char end[2] = "";
	size_t n = k->count, names = k->names.size;

	/* At most those of the block that was read last. */
	for (; n && is_of_module(k, n - 1); n--)
		names = k->data[n - 1].name;
	if (!n || !make_head(&head))
		return false;
	head.count = n;
	head.names = names + sizeof(end);

	const struct iovec parts[] = {
		{ &head, sizeof(head) },
		{ k->data, n * sizeof(*k->data) },
		{ k->names.data, names }, { end, sizeof(end) },
	};

	return writev(fd, parts, FL_COUNT(parts)) ==
	       (ssize_t)(sizeof(head) + n * sizeof(*k->data) + head.names);
}

void fl_kernel_store(const struct fl_kernel *k, int fd)
{
	char name[128];

	name_file(name);
	if (write_file(k, fd))
		fl_cache_publish(fd, name);
	close(fd);
}
