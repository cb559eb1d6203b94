/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the sampler reads of other people's processes: ELF files, call frame
 * information, tables of symbols, records of ring buffers, a JVM's memory; and
 * what the recorder reads of its parser.
 */
#include "fuzz.h"

#include "native/jitdump.h"
#include "sample/apart.h"
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

static void walk_at(const struct fl_cfi *cfi, uint64_t at, const uint8_t *data,
		    size_t size)
{
	struct image image = { data, size, 0 };
	struct fl_memory memory = { .read = read_image, .arg = &image };
	struct fl_regs regs = { .known = 0x1ffff };
	struct fl_cfi_row row;

	for (unsigned n = 0; n < FL_REGS; n++)
		regs.value[n] = 8 * n;
	if (fl_cfi_row_at(cfi, at, &row))
		fl_cfi_step(cfi, &row, &memory, &regs);
}

static void walk(const struct fl_cfi *cfi, const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < cfi->nranges && i < 64; i++)
		for (unsigned k = 0; k < 8; k++)
			walk_at(cfi, cfi->ranges[i].start + k, data, size);
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
	frame = fl_elf_copy(elf, fl_elf_section(elf, ".gnu_debuglink"));
	FUZZ_HOLDS(!frame || strlen(frame) <= size);
	fl_free(frame);
	if (fl_cfi_open(&cfi, elf)) {
		for (uint64_t at = 0; at < 2 * size; at += 1 + size / 64)
			walk_at(&cfi, at, data, size);
		fl_cfi_free(&cfi);
	}
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
	struct fl_symbols map = { 0 }, kernel = { 0 }, jit = { 0 };
	struct fl_buf name = { 0 };

	(void)target;
	fl_jitdump_symbols(&jit, (char *)copy_of(data, size), size);
	for (size_t i = 0; i < jit.count; i++)
		FUZZ_HOLDS(jit.data[i].start < jit.data[i].end &&
			   strlen(jit.data[i].name) < size);
	fl_symbols_free(&jit);
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

/* The parser's records, across the end of the ring. */
void fuzz_stream(const struct fuzz_target *target, const uint8_t *data,
		 size_t size)
{
	enum { BEFORE_END = 40 };
	static struct fl_shared *shared;
	static struct fl_apart apart;
	static struct fl_recorder r;
	struct flame *flame = fuzz_flame();
	struct flame_source source = { .flame = flame };
	struct flame_sample sample;
	size_t first = FL_MIN(size, (size_t)BEFORE_END);

	(void)target;
	if (!shared)
		shared = calloc(1, sizeof(*shared));
	if (!shared)
		abort();
	shared->tail = FL_STREAM_SIZE - BEFORE_END;
	shared->head = shared->tail + size;
	memcpy(shared->stream + shared->tail, data, first);
	memcpy(shared->stream, data + first, size - first);
	apart = (struct fl_apart){ .shared = shared };
	memset(&r, 0, sizeof(r));
	r.apart = &apart;
	r.processes.flame = flame;
	r.processes.places = fl_places_new(flame, true, true, true);
	r.metric = flame_metric(flame, "cpu", "samples");
	while (fl_stream_read(&r, &source, &sample) == FL_STREAM_SAMPLE) {
		FUZZ_HOLDS(sample.stack < flame->stacks.count);
		FUZZ_HOLDS(sample.labels < flame->labels.count);
	}
	FUZZ_HOLDS(shared->tail <= shared->head);
	fuzz_flame_holds(flame);
	fl_places_free(r.processes.places);
	fl_map_free(&r.addresses);
	fl_buf_free(&apart.record);
	fl_free(apart.names.data);
	fl_free(apart.frames.data);
	fl_free(apart.stacks.data);
	fl_free(apart.labels.data);
	fl_free(source.facts);
	fl_arena_free(&source.arena);
	flame_free(flame);
}
