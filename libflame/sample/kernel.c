/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of the kernel, by /proc/kallsyms.  A kernel has some hundred
 * thousand, of which a recording names few: a table of 16 bytes each and their
 * names are all that stays of 5 to 20 MB of text, which is read block by block.
 */
#include "fl.h"

#include "sample/process.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	BLOCK = 1 << 16,	/* bytes; longer lines are left out */
	MAX_NAMES = 256 << 20,
	LAST = 4096		/* bytes of the last function */
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

static void read_lines(struct fl_kernel *k, int fd)
{
	char *block = fl_alloc(BLOCK);
	size_t size = 0, used;
	ssize_t n;

	while (block && (n = read(fd, block + size, BLOCK - size)) > 0) {
		size += (size_t)n;
		used = read_block(k, block, size);
		if (!used && size == BLOCK)
			break;
		size -= used;
		memmove(block, block + used, size);
	}
	fl_free(block);
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

void fl_kernel_read_from(struct fl_processes *all, int fd)
{
	struct fl_kernel *k = &all->kernel;

	k->sorted = true;
	read_lines(k, fd);
	sort(k);
}

void fl_kernel_read(struct fl_processes *all)
{
	int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);

	all->kernel.read = true;
	if (fd < 0)
		return;
	fl_kernel_read_from(all, fd);
	close(fd);
}

void fl_kernel_free(struct fl_kernel *k)
{
	fl_free(k->data);
	fl_buf_free(&k->names);
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
	if (!low || (low == k->count && at - k->data[low - 1].start >= LAST))
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

	if (!k->read)
		fl_kernel_read(all);
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
