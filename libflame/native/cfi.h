/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call frame information (.eh_frame): where the caller's registers are saved.
 */
#ifndef FL_NATIVE_CFI_H
#define FL_NATIVE_CFI_H

#include "native/elf.h"
#include "flow/flow.h"

/*
 * DWARF's numbers of registers, of the machine that is built for; tests define
 * FL_IS_ARM64.  FL_REG_RA has the return address by call frame information: x30
 * of arm64, whose program counter has no number, and of x86-64 the instruction
 * pointer itself.
 */
#ifndef FL_IS_ARM64
#ifdef __aarch64__
#define FL_IS_ARM64 1
#else
#define FL_IS_ARM64 0
#endif
#endif

enum {
#if FL_IS_ARM64
	FL_REG_BX = 19,		/* of hotspot.c, which knows no arm64 */
	FL_REG_SI = 1,		/* the second argument */
	FL_REG_BP = 29, FL_REG_RA = 30, FL_REG_SP = 31, FL_REG_IP = 32,
	FL_REGS = 33,
	FL_KEPT_REGS = 11,	/* that functions restore, and an argument */
#else
	FL_REG_BX = 3, FL_REG_SI = 4, FL_REG_BP = 6, FL_REG_SP = 7, FL_REG_IP = 16,
	FL_REG_RA = FL_REG_IP,
	FL_REGS = 17,
	FL_KEPT_REGS = 7,	/* that functions restore, and an argument */
#endif
	FL_KEPT = FL_KEPT_REGS + 64	/* and words from the stack pointer on */
};

enum fl_rule {
	FL_RULE_SAME, FL_RULE_UNDEFINED, FL_RULE_OFFSET, FL_RULE_VALUE_OFFSET,
	FL_RULE_REGISTER, FL_RULE_EXPRESSION, FL_RULE_VALUE_EXPRESSION
};

/*
 * Where the caller's registers are saved at an address.  Values are offsets
 * from the CFA, registers, or offsets of expressions in .eh_frame.
 */
struct fl_cfi_row {
	bool signal;		/* the caller was interrupted, not calling */
	bool cfa_expression;
	uint8_t cfa_register;
	int32_t cfa;		/* offset, or place of the expression */
	uint8_t rule[FL_REGS];
	int32_t value[FL_REGS];
};

/* A file whose .eh_frame is read page by page, as .eh_frame_hdr finds entries. */
struct fl_cfi_file {
	const struct fl_elf *elf;	/* its file stays open */
	uint64_t offset;		/* of .eh_frame in it */
	bool *pages;			/* whether each was read */
	uint8_t *header;		/* .eh_frame_hdr */
	uint64_t address;		/* of the header */
	size_t npairs;
	struct fl_map ranges;		/* place + 1 -> struct fl_cfi_range * */
	struct fl_arena arena;		/* of them */
};

struct fl_cfi {
	struct fl_cfi_file *file;	/* NULL: all of it is in memory */
	uint8_t *frame;		/* .eh_frame; for fl_free */
	size_t size;
	uint64_t address;
	struct fl_cfi_range {
		uint64_t start, end;
		uint32_t fde;	/* place in frame */
		flame_id name;	/* frame of a function without a symbol, or 0 */
	} *ranges;		/* sorted by start; of a file: none */
	size_t nranges, capacity;
};

/*
 * Owns frame, the bytes of .eh_frame, to be freed with fl_free; address:
 * where the section is loaded.
 */
bool fl_cfi_init(struct fl_cfi *cfi, void *frame, size_t size,
		 uint64_t address);
/*
 * The same of a file that stays open as long, of which only what is asked for
 * is read.  false: there is no .eh_frame_hdr of the usual layout, or no memory.
 */
bool fl_cfi_open(struct fl_cfi *cfi, struct fl_elf *elf);
void fl_cfi_free(struct fl_cfi *cfi);
/* The function that the address is in; NULL: not known. */
struct fl_cfi_range *fl_cfi_range_at(const struct fl_cfi *cfi, uint64_t at);
/* false: nothing is known of the address. */
bool fl_cfi_row_at(const struct fl_cfi *cfi, uint64_t at,
		   struct fl_cfi_row *row);

/* How the unwinder reads the target's memory. */
struct fl_memory {
	bool (*read)(void *arg, uint64_t at, void *to, size_t size);
	void *arg;
};

struct fl_regs {
	uint64_t value[FL_REGS];
	uint64_t known;		/* a bit each */
};

#define FL_KNOWN(reg) (UINT64_C(1) << (reg))

/* A return address as it is saved; see set_return. */
static inline uint64_t fl_cfi_return(uint64_t saved)
{
	return FL_IS_ARM64 ? saved & UINT64_C(0xffffffffffff) : saved;
}

enum fl_step {
	FL_STEP_CALLER,		/* regs are the caller's now */
	FL_STEP_END,		/* none: the thread's first frame */
	FL_STEP_UNREADABLE	/* memory that was not there */
};

enum fl_step fl_cfi_step(const struct fl_cfi *cfi, const struct fl_cfi_row *row,
			 const struct fl_memory *memory, struct fl_regs *regs);

#endif
