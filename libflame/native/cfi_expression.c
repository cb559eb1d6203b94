/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fl_cfi_expression() computes the value of an expression of call frame
 * information from a frame's registers and memory, for cfi.c.  Expressions are
 * programs of a stack machine (DWARF 4, section 2.5).
 */
#include "fl.h"

#include "native/dwarf.h"

enum {
	MAX_OPERATIONS = 1000,	/* of an expression */
	MAX_VALUES = 64		/* on its stack */
};

struct evaluation {
	const struct fl_memory *memory;
	const struct fl_regs *regs;
	uint64_t stack[MAX_VALUES];
	unsigned n;
	bool failed, unreadable;
};

static void push(struct evaluation *e, uint64_t value)
{
	if (e->n == MAX_VALUES)
		e->failed = true;
	else
		e->stack[e->n++] = value;
}

static uint64_t pop(struct evaluation *e)
{
	if (!e->n) {
		e->failed = true;
		return 0;
	}
	return e->stack[--e->n];
}

static void push_register(struct evaluation *e, uint64_t reg, int64_t offset)
{
	if (reg >= FL_REGS || !(e->regs->known >> reg & 1)) {
		e->failed = true;
		return;
	}
	push(e, e->regs->value[reg] + (uint64_t)offset);
}

static void dereference(struct evaluation *e, size_t size)
{
	uint64_t at = pop(e), value = 0;

	if (e->failed || size > 8)
		e->failed = true;
	else if (!e->memory->read(e->memory->arg, at, &value, size))
		e->failed = e->unreadable = true;
	push(e, value);
}

static void pick(struct evaluation *e, uint64_t index)
{
	if (index >= e->n)
		e->failed = true;
	else
		push(e, e->stack[e->n - 1 - index]);
}

/* Operations with two operands. */
static bool binary(struct evaluation *e, uint8_t op)
{
	uint64_t b, a;

	if (!((op >= 0x1a && op <= 0x1e) || op == 0x21 || op == 0x22 ||
	      (op >= 0x24 && op <= 0x27) || (op >= 0x29 && op <= 0x2e)))
		return false;
	b = pop(e);
	a = pop(e);
	switch (op) {
	case 0x1a: push(e, a & b); break;
	case 0x1b:	/* div, signed */
		if (!b || (b == UINT64_MAX && a == (uint64_t)INT64_MIN))
			e->failed = true;
		else
			push(e, (uint64_t)((int64_t)a / (int64_t)b));
		break;
	case 0x1c: push(e, a - b); break;
	case 0x1d:
		if (!b)
			e->failed = true;
		else
			push(e, a % b);
		break;
	case 0x1e: push(e, a * b); break;
	case 0x21: push(e, a | b); break;
	case 0x22: push(e, a + b); break;
	case 0x24: push(e, b < 64 ? a << b : 0); break;
	case 0x25: push(e, b < 64 ? a >> b : 0); break;
	case 0x26: push(e, (uint64_t)((int64_t)a >> FL_MIN(b, (uint64_t)63)));
		break;
	case 0x27: push(e, a ^ b); break;
	case 0x29: push(e, a == b); break;
	case 0x2a: push(e, (int64_t)a >= (int64_t)b); break;
	case 0x2b: push(e, (int64_t)a > (int64_t)b); break;
	case 0x2c: push(e, (int64_t)a <= (int64_t)b); break;
	case 0x2d: push(e, (int64_t)a < (int64_t)b); break;
	case 0x2e: push(e, a != b); break;
	}
	return true;
}

static void jump(struct evaluation *e, struct fl_dwarf *r,
		 const uint8_t *begin, bool condition)
{
	int64_t by = fl_fixed_signed(r, 2);

	if (!condition)
		return;
	if (by < begin - r->at || by > r->end - r->at)
		e->failed = true;
	else
		r->at += by;
}

static void operate(struct evaluation *e, struct fl_dwarf *r,
		    const uint8_t *begin, uint8_t op)
{
	uint64_t a, b;

	if (op >= 0x30 && op <= 0x4f) {		/* lit0 .. lit31 */
		push(e, op - 0x30u);
		return;
	}
	if (op >= 0x70 && op <= 0x8f) {		/* breg0 .. breg31 */
		push_register(e, op - 0x70u, fl_sleb(r));
		return;
	}
	if (binary(e, op))
		return;
	switch (op) {
	case 0x03: push(e, fl_fixed(r, 8)); break;		/* addr */
	case 0x06: dereference(e, 8); break;
	case 0x08: push(e, fl_fixed(r, 1)); break;
	case 0x09: push(e, (uint64_t)fl_fixed_signed(r, 1)); break;
	case 0x0a: push(e, fl_fixed(r, 2)); break;
	case 0x0b: push(e, (uint64_t)fl_fixed_signed(r, 2)); break;
	case 0x0c: push(e, fl_fixed(r, 4)); break;
	case 0x0d: push(e, (uint64_t)fl_fixed_signed(r, 4)); break;
	case 0x0e:
	case 0x0f: push(e, fl_fixed(r, 8)); break;
	case 0x10: push(e, fl_uleb(r)); break;
	case 0x11: push(e, (uint64_t)fl_sleb(r)); break;
	case 0x12: pick(e, 0); break;			/* dup */
	case 0x13: pop(e); break;			/* drop */
	case 0x14: pick(e, 1); break;			/* over */
	case 0x15: pick(e, fl_fixed(r, 1)); break;
	case 0x16:					/* swap */
		b = pop(e);
		a = pop(e);
		push(e, b);
		push(e, a);
		break;
	case 0x19:					/* abs */
		a = pop(e);
		push(e, a >> 63 ? 0 - a : a);
		break;
	case 0x1f: push(e, 0 - pop(e)); break;		/* neg */
	case 0x20: push(e, ~pop(e)); break;		/* not */
	case 0x23: push(e, pop(e) + fl_uleb(r)); break;	/* plus_uconst */
	case 0x28: jump(e, r, begin, pop(e) != 0); break;	/* bra */
	case 0x2f: jump(e, r, begin, true); break;	/* skip */
	case 0x92:					/* bregx */
		a = fl_uleb(r);
		push_register(e, a, fl_sleb(r));
		break;
	case 0x94: dereference(e, fl_fixed(r, 1)); break; /* deref_size */
	case 0x96: break;				/* nop */
	default: e->failed = true;
	}
}

/* The value of the expression at a place in .eh_frame. */
static bool evaluate(const struct fl_cfi *cfi, int32_t place,
		     struct evaluation *e, uint64_t *value)
{
	struct fl_dwarf r = { cfi->frame + place, cfi->frame + cfi->size,
			    false };
	uint64_t size = fl_uleb(&r);
	const uint8_t *begin = r.at;

	if (size > (uint64_t)(r.end - r.at))
		return false;
	r.end = r.at + size;
	for (unsigned i = 0; r.at < r.end; i++) {
		if (i == MAX_OPERATIONS)
			return false;
		operate(e, &r, begin, (uint8_t)fl_fixed(&r, 1));
		if (e->failed || r.failed)
			return false;
	}
	*value = pop(e);
	return !e->failed;
}

bool fl_cfi_expression(const struct fl_cfi *cfi, int32_t place,
		       const struct fl_memory *memory,
		       const struct fl_regs *regs, const uint64_t *cfa,
		       uint64_t *value, bool *unreadable)
{
	struct evaluation e;

	e.memory = memory;
	e.regs = regs;
	e.n = 0;
	e.failed = e.unreadable = false;
	if (cfa)
		push(&e, *cfa);
	if (evaluate(cfi, place, &e, value))
		return true;
	*unreadable |= e.unreadable;
	return false;
}
