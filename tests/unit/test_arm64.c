/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sampler's unwinder and registers of arm64, built for this machine: call
 * frame information, stacks and records by hand from the ABI (AAPCS64, DWARF for
 * the Arm 64-bit architecture, perf_event_open(2)).
 */
#include <criterion/criterion.h>

#define FL_IS_ARM64 1
/* That of the library comes along with what else is used of it. */
#define fl_elf_address test_elf_address
#include "../../libflame/native/cfi.c"
#include "../../libflame/native/cfi_expression.c"
#include "../../libflame/native/unwind.c"
#include "../../libflame/sample/unwind.c"
#define word record_word
#define bytes record_bytes
#define text record_text
#include "../../libflame/sample/perf_records.c"
#undef word
#undef bytes
#undef text

/*
 * A program at 0x400000: leaf (0x2000) is called by signer (0x1000), which signs
 * its return address, that by framed (0x5000), whose CFA is by x29, that by bare
 * (0x4000), of which nothing is known, and that by start (0x3000).
 */
enum {
	BASE = 0x400000, FRAMES = 0x8000, SIZE = 0x100,
	SIGNER = 0x1000, LEAF = 0x2000, START = 0x3000, BARE = 0x4000,
	FRAMED = 0x5000
};

#define SIGNED(address) (UINT64_C(0x003f) << 48 | (address))

static uint8_t frames[512];
static size_t nframes;

static void put8(uint8_t byte)
{
	frames[nframes++] = byte;
}

static void put32(uint32_t n)
{
	memcpy(frames + nframes, &n, sizeof(n));
	nframes += sizeof(n);
}

static void put_fde(uint32_t start, const char *code, size_t size)
{
	size_t place = nframes, padded = (size + 3 + 4) / 4 * 4;

	put32((uint32_t)(12 + padded));
	put32((uint32_t)place + 4);	/* back to the CIE */
	put32(start - FRAMES - (uint32_t)nframes);
	put32(SIZE);
	put8(0);			/* no augmentation */
	memcpy(frames + nframes, code, size);
	nframes = place + 16 + padded;
}

static void make_frames(struct fl_cfi *cfi)
{
	static const uint8_t cie[] = {
		16, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 4, 0x78, 30, 1, 0x1b,
		0x0c, 31, 0		/* def_cfa: sp + 0 */
	};
	void *copy;

	memset(frames, 0, sizeof(frames));
	memcpy(frames, cie, sizeof(cie));
	nframes = sizeof(cie);
	/* paciasp; stp x29, x30, [sp, -48]! */
	put_fde(SIGNER, "\x41\x2d\x41\x0e\x30\x9d\x06\x9e\x05", 9);
	put_fde(LEAF, "", 0);
	put_fde(START, "\x07\x1e", 2);	/* undefined: x30 */
	/* stp x29, x30, [sp, -32]!; mov x29, sp */
	put_fde(FRAMED, "\x41\x0e\x20\x9d\x04\x9e\x03\x41\x0d\x1d", 10);
	copy = fl_alloc(sizeof(frames));
	cr_assert(copy);
	memcpy(copy, frames, sizeof(frames));
	cr_assert(fl_cfi_init(cfi, copy, nframes, FRAMES));
	cr_assert_eq(cfi->nranges, 4);
}

/* What the unwinder asks of a process ----------------------------------------- */

static struct fl_elf elf;
static struct fl_module module = { .elf = &elf };
static struct fl_mapping mapping = { BASE, BASE + 0x6000, 0, &module };
static struct fl_symbol symbol;
static struct fl_symbol *found;
static uint32_t code;	/* of every instruction */

const struct fl_mapping *fl_process_mapping(struct fl_processes *all,
					    struct fl_process *p, uint64_t at)
{
	(void)all;
	(void)p;
	return at >= mapping.start && at < mapping.end ? &mapping : NULL;
}

flame_id fl_process_frame(struct fl_processes *all, struct fl_process *p,
			  uint64_t at, struct fl_symbol **of)
{
	(void)all;
	(void)p;
	*of = found;
	return (flame_id)(at - BASE) / 0x1000 * 0x1000;
}

bool fl_process_read(void *arg, uint64_t at, void *to, size_t size)
{
	(void)arg;
	(void)at;
	if (size != sizeof(code))
		return false;
	memcpy(to, &code, size);
	return true;
}

struct fl_hotspot *fl_process_jvm(struct fl_processes *all,
				  struct fl_process *p, uint64_t at)
{
	(void)all;
	(void)p;
	(void)at;
	return NULL;
}

enum fl_step fl_hotspot_step(struct fl_hotspot *h, struct fl_unwinder *u,
			     struct fl_process *p,
			     const struct fl_memory *memory,
			     struct fl_regs *regs, bool leaf)
{
	(void)h;
	(void)u;
	(void)p;
	(void)memory;
	(void)regs;
	(void)leaf;
	return FL_STEP_END;
}

bool fl_elf_address(const struct fl_elf *of, uint64_t offset,
		    uint64_t *address)
{
	(void)of;
	*address = offset;
	return true;
}

bool fl_is_python_loop(const char *name)
{
	(void)name;
	return false;
}

/* Tests ----------------------------------------------------------------------- */

static struct flame *flame;
static struct fl_processes processes;
static struct fl_unwinder unwinder;
static struct fl_process process;

static void begin(void)
{
	flame = flame_new();
	cr_assert(flame);
	processes.flame = flame;
	memset(&unwinder, 0, sizeof(unwinder));
	unwinder.processes = &processes;
	found = NULL;
	make_frames(&module.cfi);
}

static void end(void)
{
	fl_unwinder_free(&unwinder);
	fl_cfi_free(&module.cfi);
	flame_free(flame);
}

TestSuite(arm64, .init = begin, .fini = end);

Test(arm64, rows_follow_the_instructions)
{
	struct fl_cfi_row row;

	cr_assert(fl_cfi_row_at(&module.cfi, SIGNER + 4, &row));
	cr_expect_eq(row.cfa_register, FL_REG_SP);
	cr_expect_eq(row.cfa, 0);
	cr_expect_eq(row.rule[FL_REG_RA], FL_RULE_SAME);
	cr_assert(fl_cfi_row_at(&module.cfi, SIGNER + 8, &row));
	cr_expect_eq(row.cfa, 48);
	cr_expect_eq(row.value[FL_REG_BP], -48);
	cr_expect_eq(row.value[FL_REG_RA], -40);
	cr_assert(fl_cfi_row_at(&module.cfi, FRAMED + 8, &row));
	cr_expect_eq(row.cfa_register, FL_REG_BP);
	cr_assert(fl_cfi_row_at(&module.cfi, START, &row));
	cr_expect_eq(row.rule[FL_REG_RA], FL_RULE_UNDEFINED);
}

enum { STACK = 0x70000000 };

static enum fl_stack_end unwind(uint64_t pc, uint64_t lr, uint64_t x29,
				const uint64_t *stack, size_t nwords)
{
	struct fl_regs regs = { .known = FL_KNOWN(FL_REGS) - 1 };
	struct fl_stack_bytes copy = {
		(const uint8_t *)stack, STACK, nwords * 8, true
	};

	regs.value[FL_REG_IP] = pc;
	regs.value[FL_REG_RA] = lr;
	regs.value[FL_REG_BP] = x29;
	regs.value[FL_REG_SP] = STACK;
	return fl_unwind(&unwinder, &process, &regs, &copy);
}

static const uint64_t words[] = {
	/* signer: x29, x30, and 32 bytes */
	STACK + 48, SIGNED(BASE + FRAMED + 0x10), 0, 0, 0, 0,
	/* framed: the same, and 16 bytes */
	STACK + 80, BASE + BARE + 8, 0, 0,
	/* bare: a frame pointer, and a signed address */
	0, SIGNED(BASE + START + 4)
};

static void expect_stack(const flame_id *wanted, size_t n)
{
	cr_assert_eq(unwinder.nframes, n, "%zu frames", unwinder.nframes);
	for (size_t i = 0; i < n; i++)
		cr_expect_eq(unwinder.frames[i], wanted[i], "frame %zu is %#x",
			     i, unwinder.frames[i]);
}

Test(arm64, a_stack_by_link_register_rows_and_frame_pointers)
{
	static const flame_id wanted[] = { LEAF, SIGNER, FRAMED, BARE, START };

	cr_expect_eq(unwind(BASE + LEAF + 4, SIGNED(BASE + SIGNER + 0x20), 1,
			    words, FL_COUNT(words)), FL_STACK_WHOLE);
	expect_stack(wanted, FL_COUNT(wanted));
}

/* Before its first instruction a function has no frame. */
Test(arm64, a_function_that_has_just_begun)
{
	static const flame_id wanted[] = { SIGNER, FRAMED, BARE, START };
	static const uint64_t stack[] = {
		STACK + 32, BASE + BARE + 8, 0, 0, 0, SIGNED(BASE + START + 4)
	};

	cr_expect_eq(unwind(BASE + SIGNER, BASE + FRAMED + 0x10, STACK, stack,
			    FL_COUNT(stack)), FL_STACK_WHOLE);
	expect_stack(wanted, FL_COUNT(wanted));
	unwinder.nframes = 0;
	cr_expect_eq(unwind(BASE + SIGNER + 8, 1, 1, words, FL_COUNT(words)),
		     FL_STACK_WHOLE);
	expect_stack(wanted, FL_COUNT(wanted));
}

/* x30 is the caller's only where nothing was called since. */
Test(arm64, a_caller_without_its_return_address_ends_the_stack)
{
	cr_expect_eq(unwind(BASE + LEAF + 4, BASE + LEAF + 8, 1, words,
			    FL_COUNT(words)), FL_STACK_BROKEN);
	cr_expect_eq(unwinder.nframes, 2);
}

Test(arm64, a_stack_that_was_cut_is_truncated)
{
	cr_expect_eq(unwind(BASE + LEAF + 4, BASE + SIGNER + 0x20, 1, words,
			    7), FL_STACK_TRUNCATED);
	cr_expect_eq(unwinder.nframes, 3);
}

/* Of a thread that waits only pc and sp are known: "bl framed" is searched. */
Test(arm64, the_frame_pointer_is_found_by_the_call)
{
	static const flame_id wanted[] = { FRAMED, BARE, START };
	struct fl_regs regs = {
		.known = FL_KNOWN(FL_REG_SP) | FL_KNOWN(FL_REG_IP),
	};
	uint64_t stack[] = {
		7, 8, STACK + 48, BASE + BARE + 8, 0, 0, 0,
		SIGNED(BASE + START + 4)
	};
	struct fl_stack_bytes copy = {
		(const uint8_t *)stack, STACK, sizeof(stack), true
	};

	symbol = (struct fl_symbol){
		.start = FRAMED, .end = FRAMED + SIZE, .name = "framed"
	};
	found = &symbol;
	/* At bare + 4, 0xffc bytes before framed. */
	code = 0x94000000 | 0xffc / 4;
	regs.value[FL_REG_IP] = BASE + FRAMED + 0x10;
	regs.value[FL_REG_SP] = STACK;
	cr_expect_eq(fl_unwind(&unwinder, &process, &regs, &copy),
		     FL_STACK_WHOLE);
	expect_stack(wanted, FL_COUNT(wanted));
}

/* A record of the kernel's: 33 registers, and 16 bytes of stack. */
Test(arm64, registers_of_a_sample)
{
	uint64_t record[64] = { 0 };
	struct perf_event_header h = { .type = PERF_RECORD_SAMPLE };
	struct fl_event e;
	size_t n = 1;

	record[n++] = 0x1234;
	record[n++] = UINT64_C(7) << 32 | 6;	/* pid, tid */
	record[n++] = 1000;			/* time */
	record[n++] = 3;			/* cpu */
	record[n++] = 0;			/* no callers in the kernel */
	record[n++] = PERF_SAMPLE_REGS_ABI_64;
	for (uint64_t i = 0; i < 33; i++)
		record[n++] = 100 + i;
	record[n++] = 16;
	n += 2;
	record[n++] = 16;
	h.size = (uint16_t)(n * 8);
	memcpy(record, &h, sizeof(h));
	cr_assert_eq(__builtin_popcountll(FL_PERF_REGISTERS), 33);
	cr_assert(fl_perf_event_parse((const uint8_t *)record, n * 8, &e));
	cr_expect(e.user64);
	for (unsigned i = 0; i < 33; i++)
		cr_expect_eq(e.regs.value[i], 100 + i);
	cr_expect_eq(e.stack.start, 131);	/* sp is the 32nd */
	cr_expect_eq(e.stack.size, 16);
	cr_expect_eq(e.regs.known, UINT64_C(0x1ffffffff));
}
