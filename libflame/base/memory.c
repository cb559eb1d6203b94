/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allocates memory for the whole library, counts it and refuses more than the
 * limit (fl_alloc, fl_free).  Also grows arrays, and has arenas (fl_arena) and
 * buffers of text (fl_buf).
 */
#include "fl.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The account --------------------------------------------------------- */

/* Smaller blocks are not counted: their sum is small, counting them slow. */
enum { MIN_COUNTED_BYTES = 2 << 10 };

static _Atomic size_t used, limit, refused, failures;

void fl_memory_limit(size_t bytes)
{
	atomic_store(&limit, bytes);
	atomic_store(&refused, 0);
}

size_t fl_memory_refused(void)
{
	return atomic_load(&refused);
}

size_t fl_memory_left(void)
{
	size_t max = atomic_load_explicit(&limit, memory_order_relaxed);
	size_t now = atomic_load_explicit(&used, memory_order_relaxed);

	return !max ? SIZE_MAX : now < max ? max - now : 0;
}

bool fl_memory_fits(size_t more)
{
	if (fl_likely(more <= fl_memory_left()))
		return true;
	atomic_store(&refused, atomic_load(&limit));
	return false;
}

size_t fl_memory_failures(void)
{
	return atomic_load_explicit(&failures, memory_order_relaxed);
}

void fl_memory_failed(void)
{
	atomic_fetch_add(&failures, 1);
}

/* Counts a failed allocation; returns its argument. */
static void *count_failure(void *at)
{
	if (fl_unlikely(!at))
		fl_memory_failed();
	return at;
}

void fl_memory_charge(size_t bytes)
{
	atomic_fetch_add_explicit(&used, bytes, memory_order_relaxed);
}

void fl_memory_release(size_t bytes)
{
	atomic_fetch_sub_explicit(&used, bytes, memory_order_relaxed);
}

/* The bytes to count for a block. */
static size_t counted_size(void *at)
{
	size_t size = fl_os_block_size(at);

	return size < MIN_COUNTED_BYTES ? 0 : size;
}

static void *charge_block(void *at)
{
	size_t size = at ? counted_size(at) : 0;

	if (size)
		fl_memory_charge(size);
	return at;
}

static void release_size(size_t size)
{
	if (size)
		fl_memory_release(size);
}

void *fl_memory_adopt(void *at)
{
	return charge_block(count_failure(at));
}

void fl_free(void *at)
{
	release_size(counted_size(at));
	free(at);
}

/*
 * Lookups in large tables touch random pages: huge pages save TLB misses.  The
 * advice covers the whole mapping: otherwise the kernel splits the mapping,
 * and realloc has to copy it.
 */
enum { HUGE_PAGES_FROM_BYTES = 4 << 20 };

static void advise_huge_pages(void *at, size_t bytes)
{
	uintptr_t page, from, to;

	if (bytes < HUGE_PAGES_FROM_BYTES)
		return;
	page = (uintptr_t)sysconf(_SC_PAGESIZE);
	from = (uintptr_t)at & -page;
	bytes = FL_MAX(bytes, fl_os_block_size(at));
	to = ((uintptr_t)at + bytes + page - 1) & -page;
	fl_os_use_huge_pages((void *)from, to - from);
}

void *fl_alloc(size_t size)
{
	void *at = fl_memory_fits(size) ? charge_block(malloc(size)) : NULL;

	if (at)
		advise_huge_pages(at, size);
	return count_failure(at);
}

void *fl_zeroed(size_t n, size_t size)
{
	size_t bytes = fl_size_mul(n, size);
	void *at = NULL;

	if (bytes != SIZE_MAX && fl_memory_fits(bytes))
		at = charge_block(calloc(n, size));
	if (at)
		advise_huge_pages(at, bytes);
	return count_failure(at);
}

void *fl_zeroed_touched(size_t n, size_t size)
{
	size_t bytes = fl_size_mul(n, size);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *at = fl_zeroed(n, size);

	for (size_t i = 0; at && i < bytes; i += page)
		at[i] = 0;
	return (void *)at;
}

bool fl_grow_exactly(void *at, size_t *capacity, size_t n, size_t size)
{
	size_t bytes = fl_size_mul(n, size), before;
	void *old, *new;

	if (bytes == SIZE_MAX || !fl_memory_fits(bytes - *capacity * size))
		return count_failure(NULL) != NULL;
	/* memcpy, as the pointer may have any type. */
	memcpy(&old, at, sizeof(old));
	before = counted_size(old);
	new = realloc(old, bytes);
	if (!count_failure(new))
		return false;
	release_size(before);
	charge_block(new);
	advise_huge_pages(new, bytes);
	memcpy(at, &new, sizeof(new));
	*capacity = n;
	return true;
}

bool fl_grow_to(void *at, size_t *capacity, size_t need, size_t size)
{
	size_t n = *capacity;

	n = n > SIZE_MAX / 2 ? need : FL_MAX(2 * n, need);
	return fl_grow_exactly(at, capacity, FL_MAX(n, 16), size);
}

bool fl_grow_zeroed(void *at, size_t *capacity, size_t need, size_t size)
{
	size_t before = *capacity;
	char *data;

	if (!fl_grow(at, capacity, need, size))
		return false;
	memcpy(&data, at, sizeof(data));
	if (*capacity > before)
		memset(data + before * size, 0, (*capacity - before) * size);
	return true;
}

/* Arenas -------------------------------------------------------------- */

enum { ALIGN = 8, MIN_BLOCK_BYTES = 4 << 10, MAX_BLOCK_BYTES = 1 << 20 };

struct fl_block {
	struct fl_block *before;
	uint64_t bytes[];
};

static struct fl_block *new_block(struct fl_arena *arena, size_t size)
{
	struct fl_block *block;

	if (size > PTRDIFF_MAX - sizeof(*block))
		return NULL;
	block = fl_alloc(sizeof(*block) + size);
	if (block)
		arena->total += sizeof(*block) + size;
	return block;
}

/* A large allocation gets its own block, before the one being filled. */
static void *alloc_large(struct fl_arena *arena, size_t size)
{
	struct fl_block *block = new_block(arena, size);

	if (!block)
		return NULL;
	if (arena->last) {
		block->before = arena->last->before;
		arena->last->before = block;
	} else {
		block->before = NULL;
		arena->last = block;
		arena->used = arena->capacity = size;
	}
	return block->bytes;
}

static bool add_block(struct fl_arena *arena)
{
	size_t size =
		FL_MAX(FL_MIN(arena->total, MAX_BLOCK_BYTES), MIN_BLOCK_BYTES);
	struct fl_block *block;

	size &= ~(size_t)(ALIGN - 1);
	block = new_block(arena, size);
	if (!block)
		return false;
	block->before = arena->last;
	arena->last = block;
	arena->used = 0;
	arena->capacity = size;
	return true;
}

void *fl_arena_alloc(struct fl_arena *arena, size_t size)
{
	void *at;

	if (size > SIZE_MAX - ALIGN)
		return NULL;
	size = (FL_MAX(size, 1u) + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	if (size > arena->capacity - arena->used) {
		if (size > MIN_BLOCK_BYTES / 2)
			return alloc_large(arena, size);
		if (!add_block(arena))
			return NULL;
	}
	at = (char *)arena->last->bytes + arena->used;
	arena->used += size;
	return at;
}

char *fl_arena_copy(struct fl_arena *arena, const char *at, size_t size)
{
	char *copy;

	if (size == SIZE_MAX)
		return NULL;
	copy = fl_arena_alloc(arena, size + 1);
	if (!copy)
		return NULL;
	if (size)
		memcpy(copy, at, size);
	copy[size] = '\0';
	return copy;
}

void fl_arena_free(struct fl_arena *arena)
{
	struct fl_block *block = arena->last, *before;

	for (; block; block = before) {
		before = block->before;
		fl_free(block);
	}
	memset(arena, 0, sizeof(*arena));
}

/* Text ---------------------------------------------------------------- */

/* Reserves space for `size` more bytes and a NUL. */
static bool reserve(struct fl_buf *buf, size_t size)
{
	if (buf->failed)
		return false;
	if (size < buf->capacity - buf->size)
		return true;
	if (size >= SIZE_MAX - buf->size ||
	    !fl_grow(&buf->data, &buf->capacity, buf->size + size + 1, 1))
		buf->failed = true;
	return !buf->failed;
}

char *fl_buf_reserve(struct fl_buf *buf, size_t size)
{
	return reserve(buf, size) ? buf->data + buf->size : NULL;
}

void fl_buf_put(struct fl_buf *buf, const char *at, size_t size)
{
	if (!reserve(buf, size))
		return;
	if (size)
		memcpy(buf->data + buf->size, at, size);
	buf->size += size;
	buf->data[buf->size] = '\0';
}

void fl_buf_text(struct fl_buf *buf, const char *text)
{
	fl_buf_put(buf, text, strlen(text));
}

void fl_buf_byte(struct fl_buf *buf, char c)
{
	if (!reserve(buf, 1))
		return;
	buf->data[buf->size++] = c;
	buf->data[buf->size] = '\0';
}

void fl_buf_number(struct fl_buf *buf, int64_t n)
{
	char digits[21];
	unsigned size = 0;

	if (n < 0)
		digits[size++] = '-';
	size += fl_format_u64(digits + size, n < 0 ? -(uint64_t)n :
						     (uint64_t)n);
	fl_buf_put(buf, digits, size);
}

void fl_buf_print(struct fl_buf *buf, const char *format, ...)
{
	va_list args;
	int size;

	va_start(args, format);
	size = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (size < 0)
		buf->failed = true;
	if (!reserve(buf, size < 0 ? 0 : (size_t)size))
		return;
	va_start(args, format);
	vsnprintf(buf->data + buf->size, (size_t)size + 1, format, args);
	va_end(args);
	buf->size += (size_t)size;
}

void fl_buf_free(struct fl_buf *buf)
{
	fl_free(buf->data);
	memset(buf, 0, sizeof(*buf));
}
