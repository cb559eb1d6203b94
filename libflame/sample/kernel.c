/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fl_kernel_frame() makes the frame of the kernel's function at an address, by
 * /proc/kallsyms, for record.c.  A kernel has some hundred thousand functions,
 * of which a recording names few, and to write all is work for the kernel: 5 to
 * 20 MB of text are read block by block, up to the addresses that are looked
 * for.  Only a table of 16 bytes a function and the names stay in memory.  The
 * kernel's own functions, without those of modules, are in a file
 * (kernel_cache.c) if one could be written.
 */
#include "fl.h"

#include "native/files.h"
#include "sample/process.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	BLOCK = 1 << 16,	/* bytes; longer lines are left out */
	MAX_NAMES = 256 << 20,
	HIDDEN = 64,		/* reads without an address: none is shown */
	LAST = 4096,		/* bytes of the last function */
	LONGEST = 1 << 20	/* of others: code of BPF may have no name */
};

/* The text that follows the name: the module's "[name]", or "". */
static const char *name_of(const struct fl_kernel *k,
			   const struct fl_kernel_function *f)
{
	return k->names.data + f->name;
}

static bool add(struct fl_kernel *k, const struct fl_kernel_line *line)
{
	struct fl_kernel_function *last = k->count ? &k->data[k->count - 1] :
						     NULL;
	uint32_t name = (uint32_t)k->names.size;

	if (k->names.size > MAX_NAMES)
		return false;
	k->modules |= *line->module;
	k->sorted &= !last || last->start <= line->start;
	if (last && last->start == line->start) {
		if (!fl_symbol_is_preferred(line->name, name_of(k, last)))
			return true;
		last->name = name;
	} else if (!fl_grow(&k->data, &k->capacity, k->count + 1,
			    sizeof(*k->data))) {
		return false;
	} else {
		k->data[k->count++] = (struct fl_kernel_function){
			.start = line->start, .name = name,
		};
	}
	fl_buf_put(&k->names, line->name, strlen(line->name) + 1);
	fl_buf_put(&k->names, line->module, strlen(line->module) + 1);
	return !k->names.failed;
}

/* The lines of a block; how many bytes of it they are, or 0. */
static size_t read_block(struct fl_kernel *k, char *block, size_t size)
{
	struct fl_kernel_line line;
	char *at = block, *lf;

	for (; (lf = memchr(at, '\n', size - (size_t)(at - block)));
	     at = lf + 1) {
		*lf = '\0';
		if (fl_kernel_line(at, &line) && !add(k, &line))
			return 0;
	}
	return (size_t)(at - block);
}

static int by_start(const void *a, const void *b)
{
	const struct fl_kernel_function *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

/* Those of modules and of BPF need not follow the others in order. */
static void sort(struct fl_kernel *k)
{
	size_t n = 0;

	if (k->sorted || !k->count)
		return;
	qsort(k->data, k->count, sizeof(*k->data), by_start);
	for (size_t i = 0; i < k->count; i++)
		if (!n || k->data[n - 1].start != k->data[i].start)
			k->data[n++] = k->data[i];
		else if (fl_symbol_is_preferred(name_of(k, &k->data[i]),
						name_of(k, &k->data[n - 1])))
			k->data[n - 1] = k->data[i];
	k->count = n;
}

static void close_lines(struct fl_kernel *k)
{
	if (!k->block)
		return;
	close(k->fd);
	fl_free(k->block);
	k->block = NULL;
	sort(k);
}

/* Another block; false: there are no more. */
static bool read_more(struct fl_kernel *k)
{
	ssize_t n = k->block ? read(k->fd, k->block + k->size,
				    BLOCK - k->size) : 0;
	size_t used = 0;

	/* The text has all that the cache has, and more. */
	fl_kernel_unmap(k);
	if (n > 0) {
		k->size += (size_t)n;
		used = read_block(k, k->block, k->size);
	}
	if (n <= 0 || (!used && k->size == BLOCK)) {
		close_lines(k);
		return false;
	}
	k->size -= used;
	memmove(k->block, k->block + used, k->size);
	return true;
}

void fl_kernel_open_at(struct fl_processes *all, int fd)
{
	struct fl_kernel *k = &all->kernel;

	k->opened = k->sorted = true;
	k->block = fd < 0 ? NULL : fl_alloc(BLOCK);
	k->fd = fd;
	if (fd >= 0 && !k->block)
		close(fd);
}

static void open_text(struct fl_processes *all)
{
	fl_kernel_open_at(all, open("/proc/kallsyms", O_RDONLY | O_CLOEXEC));
}

void fl_kernel_open(struct fl_processes *all)
{
	struct fl_kernel *k = &all->kernel;
	int fd;

	open_text(all);
	if (fl_kernel_map(k))
		return;
	fd = fl_cache_create();
	if (fd < 0)
		return;
	for (unsigned n = 0; (n < HIDDEN || k->count) && k->sorted &&
	     !k->modules && read_more(k); n++);
	if (k->sorted && k->count)
		fl_kernel_store(k, fd);
	else
		close(fd);
}

void fl_kernel_read(struct fl_processes *all)
{
	open_text(all);
	while (read_more(&all->kernel));
}

void fl_kernel_free(struct fl_kernel *k)
{
	close_lines(k);
	fl_kernel_unmap(k);
	fl_free(k->data);
	fl_buf_free(&k->names);
}

/*
 * Whether none that is not read yet is nearer.  The kernel's own come first, in
 * order; modules and BPF have none, and may be below the kernel.
 */
static bool is_passed(const struct fl_kernel *k, uint64_t at)
{
	return k->sorted && !k->modules && k->count && at >= k->data[0].start &&
	       at < k->data[k->count - 1].start;
}

/* NULL: none. */
static struct fl_kernel_function *function_at(struct fl_kernel *k, uint64_t at)
{
	size_t low = 0, high = k->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (k->data[middle].start <= at)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || at - k->data[low - 1].start >=
		    (low == k->count ? LAST : LONGEST))
		return NULL;
	return &k->data[low - 1];
}

flame_id fl_kernel_frame(struct fl_processes *all, uint64_t at)
{
	static const char image[] = "[kernel.kallsyms]";
	struct flame *flame = all->flame;
	struct fl_kernel *k = &all->kernel;
	struct fl_kernel_function *f;
	const char *name = image, *file = image;
	flame_id *frame = &k->unknown;

	if (!k->opened)
		fl_kernel_open(all);
	while (!is_passed(k, at) && read_more(k));
	f = function_at(k, at);
	if (f) {
		name = name_of(k, f);
		if (name[strlen(name) + 1])
			file = name + strlen(name) + 1;
		frame = &f->frame;
	}
	if (!*frame)
		*frame = fl_symbol_frame(all, name, false,
					 fl_name(flame, file), FLAME_KERNEL);
	return *frame;
}
