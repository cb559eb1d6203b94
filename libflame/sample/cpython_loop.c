/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the part of CPython's loop that the compiler put elsewhere: module.c
 * calls fl_cpython_find_loop() for an interpreter's file, which adds that part
 * to the file's symbols.  Where symbols were stripped, as Debian's are, only
 * the entry of _PyEval_EvalFrameDefault has its name (844 bytes in 3.15), while
 * most of the loop (82 kB) has none.
 *
 * Jumps of the entry lead there: to places inside of a function, not to its
 * beginning as calls do.
 */
#include "fl.h"

#include "sample/process.h"
#include "sample/virtual_machines.h"

#define LOOP "_PyEval_EvalFrameDefault"

enum {
	MAX_ENTRY = 1 << 16,	/* bytes: a larger one is the whole loop */
	MAX_TARGETS = 64, MIN_JUMPS = 3
};

/* Functions that are jumped into, and how often. */
struct targets {
	struct {
		const struct fl_cfi_range *range;
		unsigned jumps;
	} data[MAX_TARGETS];
	size_t n;
};

static bool read_code(const struct fl_elf *elf, uint64_t at, void *to,
		      size_t size)
{
	for (size_t i = 0; i < elf->nloads; i++) {
		const struct fl_elf_load *load = &elf->loads[i];

		if (load->executable && at >= load->address &&
		    at - load->address < load->size)
			return fl_elf_read(elf, at - load->address +
						load->offset, to, size);
	}
	return false;
}

static void count_jump(struct fl_module *m, struct targets *all, uint64_t to)
{
	const struct fl_cfi_range *range = fl_cfi_range_at(&m->cfi, to);
	size_t i = 0;

	if (!range || range->start == to ||
	    fl_symbols_at(&m->symbols, range->start))
		return;
	while (i < all->n && all->data[i].range != range)
		i++;
	if (i == MAX_TARGETS)
		return;
	if (i == all->n)
		all->data[all->n++].range = range;
	all->data[i].jumps++;
}

/*
 * Jumps of x86-64 with 32 bits of distance: 0f 8X or e9.  Bytes that only look
 * like one lead to some place once, not several times.
 */
static void count_jumps(struct fl_module *m, struct targets *all,
			const uint8_t *code, size_t size, uint64_t at)
{
	for (size_t i = 0; i + 6 <= size; i++) {
		size_t n = code[i] == 0xe9 ? 1 :
			   code[i] == 0x0f && code[i + 1] >> 4 == 8 ? 2 : 0;
		int32_t distance;

		if (!n)
			continue;
		memcpy(&distance, code + i + n, sizeof(distance));
		count_jump(m, all, at + i + n + sizeof(distance) +
				   (uint64_t)(int64_t)distance);
	}
}

void fl_cpython_find_loop(struct fl_module *m)
{
	const struct fl_symbol *entry = NULL;
	struct targets all = { 0 };
	uint8_t *code;
	size_t size, best = 0;

	for (size_t i = 0; i < m->symbols.count && !entry; i++)
		if (!m->symbols.data[i].stub &&
		    strcmp(m->symbols.data[i].name, LOOP) == 0)
			entry = &m->symbols.data[i];
	if (FL_IS_ARM64 || !entry || entry->end - entry->start > MAX_ENTRY)
		return;
	size = (size_t)(entry->end - entry->start);
	code = fl_alloc(size);
	if (code && read_code(m->elf, entry->start, code, size))
		count_jumps(m, &all, code, size, entry->start);
	fl_free(code);
	for (size_t i = 1; i < all.n; i++)
		if (all.data[i].jumps > all.data[best].jumps)
			best = i;
	if (all.n && all.data[best].jumps >= MIN_JUMPS)
		fl_symbols_add(&m->symbols, all.data[best].range->start,
			       all.data[best].range->end, LOOP ".cold");
}
