/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call frame information of a file (.eh_frame): fl_cfi_row_at() finds where the
 * caller's registers are at an address, and fl_cfi_step() computes the caller's
 * registers, for unwind.c (DWARF 4, section 6.4, and the Linux Standard Base).
 *
 * The bytes may be anybody's: readers stop at their end, loops have limits.
 */
#include "fl.h"

#include "native/dwarf.h"
#include "native/cfi.h"

#include <stdlib.h>

enum {
	MAX_STATES = 16,		/* remembered */
	MAX_RANGES = 4 << 20,		/* of a file */
	MAX_AUGMENTATION = 64,		/* characters */
	MAX_INSTRUCTIONS = 1 << 16,	/* of a function */
	PAGE = 4096,
	FIRST_PAIR = 12, PAIR = 8	/* bytes of .eh_frame_hdr */
};

/* Encodings of pointers. */
enum {
	ENC_ABSOLUTE = 0x00, ENC_ULEB = 0x01, ENC_U2 = 0x02, ENC_U4 = 0x03,
	ENC_U8 = 0x04, ENC_SLEB = 0x09, ENC_S2 = 0x0a, ENC_S4 = 0x0b,
	ENC_S8 = 0x0c, ENC_FORM = 0x0f, ENC_PC_RELATIVE = 0x10,
	ENC_RELATION = 0x70, ENC_INDIRECT = 0x80, ENC_OMIT = 0xff
};

/* here: the address of the bytes at r->at. */
static uint64_t pointer(struct fl_dwarf *r, uint8_t encoding, uint64_t here)
{
	uint64_t n = 0;

	switch (encoding & ENC_FORM) {
	case ENC_ABSOLUTE:
	case ENC_U8:
	case ENC_S8:
		n = fl_fixed(r, 8);
		break;
	case ENC_ULEB:
		n = fl_uleb(r);
		break;
	case ENC_SLEB:
		n = (uint64_t)fl_sleb(r);
		break;
	case ENC_U2:
		n = fl_fixed(r, 2);
		break;
	case ENC_U4:
		n = fl_fixed(r, 4);
		break;
	case ENC_S2:
		n = (uint64_t)fl_fixed_signed(r, 2);
		break;
	case ENC_S4:
		n = (uint64_t)fl_fixed_signed(r, 4);
		break;
	default:
		r->failed = true;
	}
	if ((encoding & ENC_RELATION) == ENC_PC_RELATIVE)
		n += here;
	else if (encoding & ENC_RELATION)
		r->failed = true;
	return n;
}

/* Entries ------------------------------------------------------------- */

struct cie {
	struct fl_dwarf code;	/* initial instructions */
	uint64_t code_align;
	int64_t data_align;
	uint64_t return_register;
	uint8_t encoding;
	bool augmented, signal;
};

static uint64_t address_of(const struct fl_cfi *cfi, const uint8_t *at)
{
	return cfi->address + (uint64_t)(at - cfi->frame);
}

/* Reads the pages of these bytes of a file, once. */
static bool need(const struct fl_cfi *cfi, size_t place, uint64_t size)
{
	const struct fl_cfi_file *file = cfi->file;
	size_t end = place + (size_t)FL_MIN(size, cfi->size - place);

	if (!file)
		return true;
	for (size_t at = place - place % PAGE; at < end; at += PAGE) {
		if (file->pages[at / PAGE])
			continue;
		if (!fl_elf_read(file->elf, file->offset + at, cfi->frame + at,
				 FL_MIN((size_t)PAGE, cfi->size - at)))
			return false;
		file->pages[at / PAGE] = true;
	}
	return true;
}

/*
 * The entry at `place`: its bytes after the length, and the place of the next
 * one.  false: no entry.
 */
static bool read_entry(const struct fl_cfi *cfi, size_t place,
		       struct fl_dwarf *r, size_t *next)
{
	enum { MAX_LENGTH = 12 };
	struct fl_dwarf all;
	uint64_t size;

	if (place > cfi->size || !need(cfi, place, MAX_LENGTH))
		return false;
	all = (struct fl_dwarf){ cfi->frame + place, cfi->frame + cfi->size,
			       false };
	size = fl_fixed(&all, 4);
	if (size == UINT32_MAX)
		size = fl_fixed(&all, 8);
	if (all.failed || !size || size > (uint64_t)(all.end - all.at) ||
	    !need(cfi, (size_t)(all.at - cfi->frame), size))
		return false;
	*r = (struct fl_dwarf){ all.at, all.at + size, false };
	*next = (size_t)(r->end - cfi->frame);
	return true;
}

static bool read_augmentation(const struct fl_cfi *cfi, struct fl_dwarf *r,
			      const char *text, struct cie *cie)
{
	uint64_t size;
	const uint8_t *end;

	if (*text != 'z')
		return !*text;
	cie->augmented = true;
	size = fl_uleb(r);
	if (size > (uint64_t)(r->end - r->at))
		return false;
	end = r->at + size;
	while (*++text) {
		uint8_t encoding;

		switch (*text) {
		case 'R':
			cie->encoding = (uint8_t)fl_fixed(r, 1);
			break;
		case 'P':
			encoding = (uint8_t)fl_fixed(r, 1);
			if (encoding != ENC_OMIT)
				pointer(r, encoding & ~ENC_INDIRECT,
					address_of(cfi, r->at));
			break;
		case 'L':
			fl_fixed(r, 1);
			break;
		case 'S':
			cie->signal = true;
			break;
		default:
			break;
		}
	}
	r->at = end;
	return true;
}

static bool read_cie(const struct fl_cfi *cfi, size_t place, struct cie *cie)
{
	struct fl_dwarf r;
	const char *text;
	size_t next;
	uint64_t version;

	memset(cie, 0, sizeof(*cie));
	if (!read_entry(cfi, place, &r, &next) || fl_fixed(&r, 4) != 0)
		return false;
	version = fl_fixed(&r, 1);
	text = (const char *)r.at;
	if (!memchr(text, '\0', FL_MIN((size_t)(r.end - r.at),
				       (size_t)MAX_AUGMENTATION)))
		return false;
	fl_dwarf_skip(&r, strlen(text) + 1);
	if (version == 4)
		fl_dwarf_skip(&r, 2);	/* two sizes: address, segment */
	else if (version != 1 && version != 3)
		return false;
	cie->code_align = fl_uleb(&r);
	cie->data_align = fl_sleb(&r);
	cie->return_register = version == 1 ? fl_fixed(&r, 1) : fl_uleb(&r);
	if (!read_augmentation(cfi, &r, text, cie) || r.failed)
		return false;
	cie->code = r;
	return true;
}

/* Reads an FDE; r is after its length. */
static bool read_fde(const struct fl_cfi *cfi, struct fl_dwarf *r,
		     struct cie *cie, uint64_t *start, uint64_t *size)
{
	const uint8_t *field = r->at;
	uint64_t back = fl_fixed(r, 4), n;

	if (!back || back > (uint64_t)(field - cfi->frame) ||
	    !read_cie(cfi, (size_t)((uint64_t)(field - cfi->frame) - back),
		      cie))
		return false;
	*start = pointer(r, cie->encoding, address_of(cfi, r->at));
	*size = pointer(r, cie->encoding & ENC_FORM, 0);
	if (cie->augmented) {
		n = fl_uleb(r);
		fl_dwarf_skip(r, n);
	}
	return !r->failed;
}

static int by_start(const void *a, const void *b)
{
	const struct fl_cfi_range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static bool add_range(struct fl_cfi *cfi, uint64_t start, uint64_t size,
		      size_t place)
{
	uint64_t end;

	if (!size || __builtin_add_overflow(start, size, &end))
		return true;
	if (!fl_grow(&cfi->ranges, &cfi->capacity, cfi->nranges + 1,
		     sizeof(*cfi->ranges)))
		return false;
	cfi->ranges[cfi->nranges++] =
		(struct fl_cfi_range){ start, end, (uint32_t)place, 0 };
	return true;
}

bool fl_cfi_init(struct fl_cfi *cfi, void *frame, size_t size,
		 uint64_t address)
{
	struct fl_dwarf r;
	struct cie cie;
	uint64_t start, n;
	size_t next;

	memset(cfi, 0, sizeof(*cfi));
	cfi->frame = frame;
	cfi->size = FL_MIN(size, (size_t)INT32_MAX);
	cfi->address = address;
	for (size_t place = 0; cfi->nranges < MAX_RANGES &&
	     read_entry(cfi, place, &r, &next); place = next) {
		struct fl_dwarf id = r;

		if (fl_fixed(&id, 4) == 0 ||
		    !read_fde(cfi, &r, &cie, &start, &n))
			continue;
		if (!add_range(cfi, start, n, place))
			return false;
	}
	if (cfi->nranges)
		qsort(cfi->ranges, cfi->nranges, sizeof(*cfi->ranges),
		      by_start);
	return true;
}

/* One of two numbers of a pair: where a function is, where its entry. */
static uint64_t in_pair(const struct fl_cfi_file *file, size_t i, unsigned which)
{
	int32_t n;

	memcpy(&n, file->header + FIRST_PAIR + PAIR * i + 4 * which, sizeof(n));
	return file->address + (uint64_t)(int64_t)n;
}

/* The number of pairs; 0: the layout is another one. */
static size_t count_pairs(const uint8_t *header, size_t size)
{
	/* A version; how numbers are written: to .eh_frame, count, pairs. */
	static const uint8_t usual[] = { 1, 0x1b, 0x03, 0x3b };
	uint32_t n;

	if (!header || size < FIRST_PAIR ||
	    memcmp(header, usual, sizeof(usual)) != 0)
		return 0;
	memcpy(&n, header + FIRST_PAIR - sizeof(n), sizeof(n));
	return n <= (size - FIRST_PAIR) / PAIR ? n : 0;
}

bool fl_cfi_open(struct fl_cfi *cfi, struct fl_elf *elf)
{
	const struct fl_elf_section *frame = fl_elf_section(elf, ".eh_frame");
	const struct fl_elf_section *header = fl_elf_section(elf,
							".eh_frame_hdr");
	struct fl_cfi_file *file = frame && header && frame->type != SHT_NOBITS &&
				   frame->size <= FL_MIN(elf->most,
							 (uint64_t)INT32_MAX) ?
		fl_zeroed(1, sizeof(*file)) : NULL;

	memset(cfi, 0, sizeof(*cfi));
	if (!file)
		return false;
	cfi->file = file;
	cfi->size = (size_t)frame->size;
	cfi->address = frame->address;
	file->elf = elf;
	file->offset = frame->offset;
	file->address = header->address;
	file->header = fl_elf_copy(elf, header);
	file->npairs = count_pairs(file->header, header->size);
	/* Memory of pages that nothing was read into is none. */
	if (file->npairs) {
		file->pages = fl_zeroed(cfi->size / PAGE + 1, 1);
		cfi->frame = fl_zeroed(cfi->size, 1);
	}
	if (file->pages && cfi->frame)
		return true;
	fl_cfi_free(cfi);
	return false;
}

static struct fl_cfi_range *read_range(const struct fl_cfi *cfi, size_t place)
{
	struct fl_cfi_range *range;
	struct fl_dwarf r;
	struct cie cie;
	uint64_t start, size, end;
	size_t next;

	if (!read_entry(cfi, place, &r, &next) ||
	    !read_fde(cfi, &r, &cie, &start, &size) || !size ||
	    __builtin_add_overflow(start, size, &end))
		return NULL;
	range = fl_arena_alloc(&cfi->file->arena, sizeof(*range));
	if (range)
		*range = (struct fl_cfi_range){ start, end, (uint32_t)place, 0 };
	return range;
}

/* The range of the last pair that is not after the address; NULL: none. */
static struct fl_cfi_range *find_range(const struct fl_cfi *cfi, uint64_t at)
{
	struct fl_cfi_file *file = cfi->file;
	size_t low = 0, high = file->npairs;
	uint64_t place, *range;
	bool fresh;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (in_pair(file, middle, 0) <= at)
			low = middle + 1;
		else
			high = middle;
	}
	place = low ? in_pair(file, low - 1, 1) - cfi->address : cfi->size;
	range = place < cfi->size ?
		fl_map_put(&file->ranges, place + 1, &fresh) : NULL;
	if (!range)
		return NULL;
	if (fresh)
		*range = (uintptr_t)read_range(cfi, (size_t)place);
	return (struct fl_cfi_range *)(uintptr_t)*range;
}

static void close_file(struct fl_cfi_file *file)
{
	if (!file)
		return;
	fl_free(file->pages);
	fl_free(file->header);
	fl_map_free(&file->ranges);
	fl_arena_free(&file->arena);
	fl_free(file);
}

void fl_cfi_free(struct fl_cfi *cfi)
{
	close_file(cfi->file);
	fl_free(cfi->frame);
	fl_free(cfi->ranges);
	memset(cfi, 0, sizeof(*cfi));
}

/* Instructions --------------------------------------------------------- */

struct machine {
	const struct fl_cfi *cfi;
	const struct cie *cie;
	struct fl_cfi_row row, initial;
	struct fl_cfi_row states[MAX_STATES];
	unsigned nstates;
	uint64_t location, at;	/* the row of `at` is wanted */
	bool done;
};

static void set_rule(struct machine *m, uint64_t reg, enum fl_rule rule,
		     int64_t value)
{
	if (reg >= FL_REGS)
		return;
	m->row.rule[reg] = (uint8_t)rule;
	m->row.value[reg] = (int32_t)value;
}

static void set_cfa(struct machine *m, uint64_t reg, int64_t offset)
{
	m->row.cfa_expression = false;
	m->row.cfa_register = (uint8_t)FL_MIN(reg, (uint64_t)FL_REGS);
	m->row.cfa = (int32_t)offset;
}

/*
 * Changes the register or the offset alone, which DWARF allows only where
 * the CFA is a register and an offset: `cfa` is a place in .eh_frame else.
 */
static void change_cfa(struct machine *m, struct fl_dwarf *r, uint64_t reg,
		       int64_t offset)
{
	if (m->row.cfa_expression)
		r->failed = true;
	else
		set_cfa(m, reg, offset);
}

/* The place of a block's length; skips the block. */
static int32_t take_block(struct machine *m, struct fl_dwarf *r)
{
	int32_t place = (int32_t)(r->at - m->cfi->frame);
	uint64_t size = fl_uleb(r);

	fl_dwarf_skip(r, size);
	return place;
}

static void advance(struct machine *m, uint64_t delta)
{
	m->location += delta * m->cie->code_align;
	m->done = m->location > m->at;
}

static void restore(struct machine *m, uint64_t reg)
{
	if (reg >= FL_REGS)
		return;
	m->row.rule[reg] = m->initial.rule[reg];
	m->row.value[reg] = m->initial.value[reg];
}

static int64_t scaled(const struct machine *m, uint64_t n)
{
	return (int64_t)(n * (uint64_t)m->cie->data_align);
}

/* Instructions of a kind: each returns whether the operation is one. */

/* Those that move to other addresses, and keep or bring back rows. */
static bool run_location(struct machine *m, struct fl_dwarf *r, uint8_t op)
{
	switch (op) {
	case 0x01:	/* set_loc */
		m->location = pointer(r, m->cie->encoding,
				      address_of(m->cfi, r->at));
		m->done = m->location > m->at;
		return true;
	case 0x02:	/* advance_loc1, 2, 4 */
		advance(m, fl_fixed(r, 1));
		return true;
	case 0x03:
		advance(m, fl_fixed(r, 2));
		return true;
	case 0x04:
		advance(m, fl_fixed(r, 4));
		return true;
	case 0x0a:	/* remember_state */
		if (m->nstates == MAX_STATES)
			r->failed = true;
		else
			m->states[m->nstates++] = m->row;
		return true;
	case 0x0b:	/* restore_state */
		if (!m->nstates)
			r->failed = true;
		else
			m->row = m->states[--m->nstates];
		return true;
	}
	return false;
}

/* Those that say where the CFA is. */
static bool run_cfa(struct machine *m, struct fl_dwarf *r, uint8_t op)
{
	uint64_t reg;

	switch (op) {
	case 0x0c:	/* def_cfa */
		reg = fl_uleb(r);
		set_cfa(m, reg, (int64_t)fl_uleb(r));
		return true;
	case 0x0d:	/* def_cfa_register */
		change_cfa(m, r, fl_uleb(r), m->row.cfa);
		return true;
	case 0x0e:	/* def_cfa_offset */
		change_cfa(m, r, m->row.cfa_register, (int64_t)fl_uleb(r));
		return true;
	case 0x0f:	/* def_cfa_expression */
		m->row.cfa_expression = true;
		m->row.cfa = take_block(m, r);
		return true;
	case 0x12:	/* def_cfa_sf */
		reg = fl_uleb(r);
		set_cfa(m, reg, scaled(m, (uint64_t)fl_sleb(r)));
		return true;
	case 0x13:	/* def_cfa_offset_sf */
		change_cfa(m, r, m->row.cfa_register,
			   scaled(m, (uint64_t)fl_sleb(r)));
		return true;
	}
	return false;
}

/* Those of a register whose place is an offset from the CFA. */
static bool run_offset(struct machine *m, struct fl_dwarf *r, uint8_t op)
{
	enum fl_rule rule = op == 0x14 || op == 0x15 ? FL_RULE_VALUE_OFFSET :
						       FL_RULE_OFFSET;
	uint64_t reg;

	switch (op) {
	case 0x05:	/* offset_extended */
	case 0x14:	/* val_offset */
		reg = fl_uleb(r);
		set_rule(m, reg, rule, scaled(m, fl_uleb(r)));
		return true;
	case 0x11:	/* offset_extended_sf */
	case 0x15:	/* val_offset_sf */
		reg = fl_uleb(r);
		set_rule(m, reg, rule, scaled(m, (uint64_t)fl_sleb(r)));
		return true;
	case 0x2f:	/* GNU_negative_offset_extended */
		reg = fl_uleb(r);
		set_rule(m, reg, rule, scaled(m, 0 - fl_uleb(r)));
		return true;
	}
	return false;
}

/* Those of a register that is anywhere else. */
static bool run_register(struct machine *m, struct fl_dwarf *r, uint8_t op)
{
	uint64_t reg, n;

	switch (op) {
	case 0x06:	/* restore_extended */
		restore(m, fl_uleb(r));
		return true;
	case 0x07:	/* undefined */
		set_rule(m, fl_uleb(r), FL_RULE_UNDEFINED, 0);
		return true;
	case 0x08:	/* same_value */
		set_rule(m, fl_uleb(r), FL_RULE_SAME, 0);
		return true;
	case 0x09:	/* register */
		reg = fl_uleb(r);
		n = fl_uleb(r);
		set_rule(m, reg, FL_RULE_REGISTER,
			 (int64_t)FL_MIN(n, (uint64_t)FL_REGS));
		return true;
	case 0x10:	/* expression */
		reg = fl_uleb(r);
		set_rule(m, reg, FL_RULE_EXPRESSION, take_block(m, r));
		return true;
	case 0x16:	/* val_expression */
		reg = fl_uleb(r);
		set_rule(m, reg, FL_RULE_VALUE_EXPRESSION, take_block(m, r));
		return true;
	}
	return false;
}

static void run_extended(struct machine *m, struct fl_dwarf *r, uint8_t op)
{
	if (op == 0x00 ||	/* nop */
	    run_location(m, r, op) || run_cfa(m, r, op) ||
	    run_offset(m, r, op) || run_register(m, r, op))
		return;
	if (op == 0x2e)		/* GNU_args_size */
		fl_uleb(r);
	else if (FL_IS_ARM64 && op == 0x2d)
		;		/* AARCH64_negate_ra_state: see set_return */
	else
		r->failed = true;
}

static bool run(struct machine *m, struct fl_dwarf r)
{
	for (unsigned n = 0; r.at < r.end && !r.failed && !m->done; n++) {
		uint8_t op = (uint8_t)fl_fixed(&r, 1), low = op & 0x3f;

		if (n == MAX_INSTRUCTIONS)
			return false;
		switch (op >> 6) {
		case 1:
			advance(m, low);
			break;
		case 2:
			set_rule(m, low, FL_RULE_OFFSET,
				 scaled(m, fl_uleb(&r)));
			break;
		case 3:
			restore(m, low);
			break;
		default:
			run_extended(m, &r, op);
		}
	}
	return !r.failed;
}

struct fl_cfi_range *fl_cfi_range_at(const struct fl_cfi *cfi, uint64_t at)
{
	struct fl_cfi_range *range = cfi->file ? find_range(cfi, at) : NULL;
	size_t low = 0, high = cfi->nranges;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (cfi->ranges[middle].start <= at)
			low = middle + 1;
		else
			high = middle;
	}
	if (low)
		range = &cfi->ranges[low - 1];
	return range && at >= range->start && at < range->end ? range : NULL;
}

bool fl_cfi_row_at(const struct fl_cfi *cfi, uint64_t at,
		   struct fl_cfi_row *row)
{
	const struct fl_cfi_range *range = fl_cfi_range_at(cfi, at);
	struct machine m;
	struct fl_dwarf r;
	struct cie cie;
	uint64_t size;
	size_t next;

	if (!range || !read_entry(cfi, range->fde, &r, &next))
		return false;
	memset(&m.row, 0, sizeof(m.row));
	m.cfi = cfi;
	m.cie = &cie;
	m.nstates = 0;
	m.at = at;
	m.done = false;
	if (!read_fde(cfi, &r, &cie, &m.location, &size) ||
	    cie.return_register != FL_REG_RA)
		return false;
	m.initial = m.row;
	if (!run(&m, cie.code))
		return false;
	m.initial = m.row;
	m.done = false;
	if (!run(&m, r))
		return false;
	*row = m.row;
	row->signal = cie.signal;
	return true;
}

/* Steps ------------------------------------------------------------------ */

struct step {
	const struct fl_cfi *cfi;
	const struct fl_cfi_row *row;
	const struct fl_memory *memory;
	const struct fl_regs *regs;	/* of the callee */
	uint64_t cfa;
	bool unreadable;
};

static bool run_expression(struct step *s, int32_t place, bool has_cfa,
			   uint64_t *value)
{
	return fl_cfi_expression(s->cfi, place, s->memory, s->regs,
				 has_cfa ? &s->cfa : NULL, value,
				 &s->unreadable);
}

static bool find_cfa(struct step *s)
{
	const struct fl_cfi_row *row = s->row;

	if (row->cfa_expression)
		return run_expression(s, row->cfa, false, &s->cfa);
	if (row->cfa_register >= FL_REGS ||
	    !(s->regs->known >> row->cfa_register & 1))
		return false;
	s->cfa = s->regs->value[row->cfa_register] +
		 (uint64_t)(int64_t)row->cfa;
	return true;
}

static bool read_word(struct step *s, uint64_t at, uint64_t *value)
{
	if (s->memory->read(s->memory->arg, at, value, 8))
		return true;
	s->unreadable = true;
	return false;
}

/*
 * After the instruction that pops a register, compilers do not say that it is
 * the caller's again: its place is below the stack pointer then.
 */
static bool is_popped(const struct step *s, unsigned reg)
{
	return s->row->rule[reg] == FL_RULE_OFFSET &&
	       s->regs->known >> FL_REG_SP & 1 &&
	       s->cfa + (uint64_t)(int64_t)s->row->value[reg] <
	       s->regs->value[FL_REG_SP];
}

static bool find_register(struct step *s, unsigned reg, uint64_t *value)
{
	int32_t n = s->row->value[reg];

	switch (is_popped(s, reg) ? FL_RULE_SAME : s->row->rule[reg]) {
	case FL_RULE_SAME:
		*value = s->regs->value[reg];
		return s->regs->known >> reg & 1;
	case FL_RULE_OFFSET:
		return read_word(s, s->cfa + (uint64_t)(int64_t)n, value);
	case FL_RULE_VALUE_OFFSET:
		*value = s->cfa + (uint64_t)(int64_t)n;
		return true;
	case FL_RULE_REGISTER:
		if (n < 0 || n >= FL_REGS || !(s->regs->known >> n & 1))
			return false;
		*value = s->regs->value[n];
		return true;
	case FL_RULE_EXPRESSION:
		return run_expression(s, n, true, value) &&
		       read_word(s, *value, value);
	case FL_RULE_VALUE_EXPRESSION:
		return run_expression(s, n, true, value);
	}
	return false;
}

/*
 * Return addresses of arm64 may be signed in the bits that no address of a
 * program has.  A caller has called since, so its own x30 is not known.
 */
static bool set_return(struct fl_regs *caller)
{
	if (!(caller->known & FL_KNOWN(FL_REG_RA)))
		return false;
	if (!FL_IS_ARM64)
		return true;
	caller->value[FL_REG_IP] = fl_cfi_return(caller->value[FL_REG_RA]);
	caller->known |= FL_KNOWN(FL_REG_IP);
	caller->known &= ~FL_KNOWN(FL_REG_RA);
	return true;
}

enum fl_step fl_cfi_step(const struct fl_cfi *cfi, const struct fl_cfi_row *row,
			 const struct fl_memory *memory, struct fl_regs *regs)
{
	struct step s = { cfi, row, memory, regs, 0, false };
	struct fl_regs caller = { .known = 0 };
	uint8_t rule = row->rule[FL_REG_RA];

	if (rule == FL_RULE_UNDEFINED)
		return FL_STEP_END;
	/* Functions of arm64 that call none need not save it. */
	if ((rule == FL_RULE_SAME && !FL_IS_ARM64) || !find_cfa(&s))
		return FL_STEP_UNREADABLE;
	for (unsigned i = 0; i < FL_REGS; i++) {
		/* The CFA is the caller's stack pointer. */
		if (i == FL_REG_SP && row->rule[i] == FL_RULE_SAME)
			caller.value[i] = s.cfa;
		else if (!find_register(&s, i, &caller.value[i]))
			continue;
		caller.known |= FL_KNOWN(i);
	}
	if (!set_return(&caller))
		return FL_STEP_UNREADABLE;
	*regs = caller;
	return FL_STEP_CALLER;
}
