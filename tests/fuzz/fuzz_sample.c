/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the sampler reads of other people's processes: ELF files, call frame
 * information, tables of symbols, records of ring buffers, a JVM's memory.
 */
#include "fuzz.h"

#include "sample/sample.h"
#include "sample/virtual_machines.h"

#include <stdlib.h>

static void *copy_of(const uint8_t *data, size_t size)
{
	uint8_t *copy = fl_alloc(size + 1);

	if (!copy)
		abort();
	memcpy(copy, data, size);
	copy[size] = '\0';
	return copy;
}

/* Addresses are places in the input. */
struct image {
	const uint8_t *data;
	size_t size;
	unsigned reads;
};

static bool read_image(void *arg, uint64_t at, void *to, size_t size)
{
	struct image *image = arg;

	image->reads++;
	if (at > image->size || size > image->size - at)
		return false;
	memcpy(to, image->data + at, size);
	return true;
}

static void walk(const struct fl_cfi *cfi, const uint8_t *data, size_t size)
{
	struct image image = { data, size, 0 };
	struct fl_memory memory = { .read = read_image, .arg = &image };

	for (size_t i = 0; i < cfi->nranges && i < 64; i++)
		for (unsigned k = 0; k < 8; k++) {
			struct fl_regs regs = { .known = 0x1ffff };
			struct fl_cfi_row row;

			for (unsigned n = 0; n < FL_REGS; n++)
				regs.value[n] = 8 * n;
			if (fl_cfi_row_at(cfi, cfi->ranges[i].start + k, &row))
				fl_cfi_step(cfi, &row, &memory, &regs);
		}
}

void fuzz_cfi(const struct fuzz_target *target, const uint8_t *data,
	      size_t size)
{
	struct fl_cfi cfi;

	(void)target;
	fl_cfi_init(&cfi, copy_of(data, size), size, 0x1000);
	for (size_t i = 1; i < cfi.nranges; i++)
		FUZZ_HOLDS(cfi.ranges[i - 1].start <= cfi.ranges[i].start);
	walk(&cfi, data, size);
	fl_cfi_free(&cfi);
}

void fuzz_elf(const struct fuzz_target *target, const uint8_t *data,
	      size_t size)
{
	struct fl_elf *elf = fl_elf_memory(data, size);
	struct fl_symbols symbols = { 0 };
	const struct fl_elf_section *section;
	struct fl_cfi cfi;
	uint64_t address;
	void *frame;

	(void)target;
	if (!elf)
		return;
	fl_symbols_elf(&symbols, elf, NULL);
	for (size_t i = 0; i < symbols.count; i++)
		FUZZ_HOLDS(symbols.data[i].name);
	for (uint64_t at = 0; at < size; at += 1 + size / 16)
		if (fl_elf_address(elf, at, &address))
			fl_symbols_at(&symbols, address);
	section = fl_elf_section(elf, ".eh_frame");
	frame = fl_elf_copy(elf, section);
	if (frame) {
		struct fl_module module = { .elf = elf };

		fl_cfi_init(&cfi, frame, section->size, section->address);
		walk(&cfi, data, size);
		module.symbols = symbols;
		module.cfi = cfi;
		fl_cpython_find_loop(&module);
		symbols = module.symbols;
		fl_cfi_free(&cfi);
	}
	fl_symbols_free(&symbols);
	fl_elf_close(elf);
}

void fuzz_symbols(const struct fuzz_target *target, const uint8_t *data,
		  size_t size)
{
	struct fl_symbols map = { 0 }, kernel = { 0 };
	struct fl_buf name = { 0 };

	(void)target;
	fl_symbols_map(&map, copy_of(data, size), size);
	for (size_t i = 1; i < map.count; i++)
		FUZZ_HOLDS(map.data[i - 1].start < map.data[i].start &&
			   map.data[i - 1].end <= map.data[i].start);
	fl_symbols_kernel(&kernel, copy_of(data, size), size);
	for (size_t i = 0; i < kernel.count; i++)
		FUZZ_HOLDS(fl_symbols_at(&kernel, kernel.data[i].start));
	if (kernel.count)
		fl_demangle_symbol(&name, kernel.data[0].name);
	fl_buf_free(&name);
	fl_symbols_free(&map);
	fl_symbols_free(&kernel);
}

void fuzz_ring(const struct fuzz_target *target, const uint8_t *data,
	       size_t size)
{
	struct fl_event event;
	void *copy = copy_of(data, size);
	unsigned sum = 0;

	(void)target;
	if (fl_perf_event_parse(copy, size, &event)) {
		for (size_t i = 0; i < event.nchain; i++)
			sum += (unsigned)event.chain[i];
		for (size_t i = 0; event.user64 && i < event.stack.size; i++)
			sum += event.stack.data[i];
		if (event.text)
			sum += (unsigned)strlen(event.text);
	}
	FUZZ_HOLDS(sum != 1 || size);
	fl_free(copy);
}
