/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Java frames of a HotSpot JVM, read from outside.  unwind.c calls
 * fl_hotspot_step() where a stack is in the JVM's code cache: it pushes the
 * Java frames of an address and finds the registers of the caller.
 *
 * libjvm.so exports tables of its structures (gHotSpotVMStructs and others,
 * made for the serviceability agent): offsets come from there.  A few rules
 * that no table has differ between releases (struct fl_vm_release); a release
 * that was not tried goes by those of the one before it.
 */
#include "fl.h"

#include "sample/hotspot.h"

/* Frames of the interpreter: words from the frame pointer. */
enum { SENDER_SP = -1, METHOD = -3 };

struct fl_hotspot *fl_hotspot_new(struct flame *flame,
				  const struct fl_memory *memory,
				  const struct fl_vm_symbols *vm,
				  int *major)
{
	struct fl_hotspot *h = fl_zeroed(1, sizeof(*h));

	*major = 0;
	if (!h)
		return NULL;
	h->flame = flame;
	h->memory = *memory;
	if (fl_hotspot_read_layout(h, vm, major)) {
		h->round = 1;
		return h;
	}
	fl_hotspot_free(h);
	return NULL;
}

void fl_hotspot_free(struct fl_hotspot *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < h->nblobs; i++)
		fl_free(h->blobs[i].data);
	fl_free(h->blobs);
	fl_free(h->methods);
	fl_map_free(&h->blobs_by_at);
	fl_map_free(&h->found);
	fl_map_free(&h->methods_by_at);
	fl_map_free(&h->threads);
	fl_buf_free(&h->buf);
	fl_free(h);
}

bool fl_hotspot_is_tried(const struct fl_hotspot *h)
{
	return h->tried;
}

void fl_hotspot_show_lines(struct fl_hotspot *h)
{
	h->lines = true;
}

void fl_hotspot_round(struct fl_hotspot *h)
{
	h->round++;
	h->fresh = false;
	fl_map_clear(&h->found);
}

/* Steps -------------------------------------------------------------------- */

struct java_step {
	struct fl_hotspot *h;
	struct fl_unwinder *unwinder;
	struct fl_process *process;
	const struct fl_memory *stack;
	struct fl_regs *regs;
	struct fl_code_blob *blob;
	bool leaf;
};

static bool stack_word(const struct java_step *s, uint64_t at, uint64_t *word)
{
	return s->stack->read(s->stack->arg, at, word, 8);
}

static enum fl_step leave(struct java_step *s, uint64_t pc, uint64_t sp,
			  uint64_t fp)
{
	if (sp <= s->regs->value[FL_REG_SP] && !s->leaf)
		return FL_STEP_UNREADABLE;
	s->regs->value[FL_REG_IP] = pc;
	s->regs->value[FL_REG_SP] = sp;
	s->regs->value[FL_REG_BP] = fp;
	s->regs->known = FL_KNOWN(FL_REG_IP) | FL_KNOWN(FL_REG_SP) |
			 FL_KNOWN(FL_REG_BP);
	return FL_STEP_CALLER;
}

/* The return address is at the stack pointer: there is no frame yet or more. */
static enum fl_step leave_bare(struct java_step *s)
{
	uint64_t sp = s->regs->value[FL_REG_SP], pc;

	if (!stack_word(s, sp, &pc))
		return FL_STEP_UNREADABLE;
	return leave(s, pc, sp + 8, s->regs->value[FL_REG_BP]);
}

/* The frame pointer was pushed, and nothing after it. */
static enum fl_step leave_pushed(struct java_step *s)
{
	uint64_t sp = s->regs->value[FL_REG_SP], pc, fp;

	if (!stack_word(s, sp, &fp) || !stack_word(s, sp + 8, &pc))
		return FL_STEP_UNREADABLE;
	return leave(s, pc, sp + 16, fp);
}

/* Frames of a known size: the frame pointer is saved below the return. */
static enum fl_step leave_sized(struct java_step *s)
{
	uint64_t sp = s->regs->value[FL_REG_SP], pc, fp;

	sp += (uint64_t)s->blob->frame_size * 8;
	if (!stack_word(s, sp - 8, &pc) || !stack_word(s, sp - 16, &fp))
		return FL_STEP_UNREADABLE;
	return leave(s, pc, sp, fp);
}

static enum fl_step leave_by_pointer(struct java_step *s)
{
	uint64_t bp = s->regs->value[FL_REG_BP], pc, fp;

	if (bp & 7 || bp < s->regs->value[FL_REG_SP] ||
	    !stack_word(s, bp, &fp) || !stack_word(s, bp + 8, &pc))
		return FL_STEP_UNREADABLE;
	return leave(s, pc, bp + 16, fp);
}

/* Instructions at the beginning and the end of compiled methods. */
static enum fl_step leave_compiled_leaf(struct java_step *s)
{
	uint64_t pc = s->regs->value[FL_REG_IP];
	int64_t offset = (int64_t)(pc - s->blob->begin);
	uint8_t code[16] = { 0 }, before = 0;
	bool subtracts;

	fl_vm_read(s->h, pc, code, sizeof(code));
	if (offset)
		fl_vm_read(s->h, pc - 1, &before, 1);
	subtracts = code[0] == 0x48 && (code[1] == 0x83 || code[1] == 0x81) &&
		    code[2] == 0xec;
	/* ret; ja (a safepoint), ret; cmp (of the safepoint), ja; up to 8
	   test of the safepoint's page, ret. */
	if (code[0] == 0xc3 ||
	    (code[0] == 0x85 && code[1] == 0x05 && code[6] == 0xc3) ||
	    (code[0] == 0x0f && code[1] == 0x87 && code[6] == 0xc3) ||
	    (code[0] == 0x49 && code[1] == 0x3b && code[2] == 0x67 &&
	     code[4] == 0x0f && code[5] == 0x87) ||
	    (code[0] == 0x49 && code[1] == 0x3b && code[2] == 0xa7 &&
	     code[7] == 0x0f && code[8] == 0x87))
		return leave_bare(s);
	if (code[0] == 0x5d && (code[1] == 0xc3 || code[1] == 0x49 ||
				code[1] == 0x85))
		return leave_pushed(s);		/* pop %rbp */
	if (offset >= s->blob->frame_complete)
		return leave_sized(s);
	if (code[0] == 0x55)			/* push %rbp */
		return leave_bare(s);
	if (subtracts)				/* sub $N, %rsp */
		return before == 0x55 ? leave_pushed(s) : leave_bare(s);
	if (code[0] == 0x48 && code[1] == 0x89 && code[2] == 0x6c &&
	    code[3] == 0x24) {			/* mov %rbp, N(%rsp) */
		uint64_t fp = s->regs->value[FL_REG_BP];
		enum fl_step status = leave_sized(s);

		s->regs->value[FL_REG_BP] = fp;
		return status;
	}
	/* The entry barrier comes when the frame is there: a compare of the
	   thread's word, and its jump. */
	if (code[0] == 0x41 || code[0] == 0x0f || code[0] == 0x75)
		return offset > 16 ? leave_sized(s) : leave_bare(s);
	return leave_bare(s);
}

static enum fl_step step_method(struct java_step *s, struct fl_unwinder *u,
				uint64_t lookup)
{
	uint64_t pc = s->regs->value[FL_REG_IP], original;

	(void)lookup;
	/* The return address of a method that is to be deoptimized. */
	if (pc == s->blob->deopt && !s->leaf &&
	    stack_word(s, s->regs->value[FL_REG_SP] +
			  (uint64_t)(int64_t)s->blob->orig_pc, &original) &&
	    original >= s->blob->begin && original < s->blob->end)
		pc = original;
	if (!fl_hotspot_push_compiled(s->h, u, s->blob, pc))
		fl_unwind_push(u, fl_frame(s->h->flame,
					   fl_name(s->h->flame, "[unknown]"),
					   FLAME_JIT), pc);
	if (s->leaf)
		return leave_compiled_leaf(s);
	if (s->blob->frame_size <= 1)
		return leave_bare(s);
	return leave_sized(s);
}

/*
 * The index of an interpreted frame's bytecode.  It is in a register while it
 * is executed, and in the frame while it calls.
 */
static int32_t interpreted_at(const struct java_step *s, uint64_t method,
			      uint64_t bp)
{
	int32_t bci = FL_NO_BCI;
	uint64_t at;

	if (!s->h->lines)
		return bci;
	if (s->leaf)
		bci = fl_hotspot_bci(s->h, method, s->regs->value[13]);
	if (bci == FL_NO_BCI &&
	    stack_word(s, bp + (uint64_t)(s->h->release->bytecode * 8), &at))
		bci = fl_hotspot_bci(s->h, method, at);
	return bci;
}

static enum fl_step step_interpreter(struct java_step *s,
				     struct fl_unwinder *u)
{
	uint64_t bp = s->regs->value[FL_REG_BP], pc, fp, sp = 0, method = 0;
	uint64_t ip = s->regs->value[FL_REG_IP];
	struct fl_code_blob *caller;

	if (bp & 7 || bp < s->regs->value[FL_REG_SP] ||
	    !stack_word(s, bp, &fp) || !stack_word(s, bp + 8, &pc))
		return FL_STEP_UNREADABLE;
	/* Both may be below the stack pointer still. */
	if (!stack_word(s, bp + METHOD * 8, &method))
		method = 0;
	if (!stack_word(s, bp + SENDER_SP * 8, &sp))
		sp = 0;
	/* A frame that is being made: the method is in rbx. */
	if (!fl_hotspot_push(s->h, u, method, interpreted_at(s, method, bp),
			     FLAME_INTERPRETED, ip)) {
		if (!s->leaf)
			return FL_STEP_UNREADABLE;
		fl_hotspot_push(s->h, u, s->regs->value[FL_REG_BX], 0,
				FLAME_INTERPRETED, ip);
		if (bp - s->regs->value[FL_REG_SP] > 128)
			return leave_bare(s);
		sp = s->regs->value[13];
	}
	caller = fl_hotspot_has(s->h, pc) ? fl_hotspot_blob(s->h, pc) : NULL;
	/* Arguments of a compiled caller are not part of its frame. */
	if (!caller || caller->kind != FL_BLOB_METHOD || sp < bp)
		sp = bp + 16;
	return leave(s, pc, sp, fp);
}

/* Whether a word of the stack may be a return address. */
static bool returns(const struct java_step *s, uint64_t at)
{
	uint64_t pc;

	if (!stack_word(s, at, &pc))
		return false;
	if (fl_hotspot_has(s->h, pc))
		return fl_hotspot_blob(s->h, pc - 1);
	return fl_process_mapping(s->unwinder->processes, s->process, pc);
}

/* Stubs have frames of any kind: whatever has a return address. */
static enum fl_step leave_stub(struct java_step *s)
{
	uint64_t sp = s->regs->value[FL_REG_SP], bp = s->regs->value[FL_REG_BP];
	int32_t size = s->blob->frame_size;

	if (bp >= sp && bp - sp < 4096 && returns(s, bp + 8))
		return leave_by_pointer(s);
	if (size > 1 && returns(s, sp + (uint64_t)size * 8 - 8))
		return leave_sized(s);
	if (returns(s, sp))
		return leave_bare(s);
	if (returns(s, sp + 8))
		return leave_pushed(s);
	return leave_by_pointer(s);
}

static enum fl_step step_stub(struct java_step *s, struct fl_unwinder *u)
{
	uint64_t sp = s->regs->value[FL_REG_SP];

	if (!s->leaf)		/* call_stub, which no profile shows */
		return leave_by_pointer(s);
	fl_unwind_push(u, s->blob->frame, s->regs->value[FL_REG_IP]);
	return returns(s, sp) ? leave_bare(s) : leave_stub(s);
}

/* While an adapter calls the JVM, r13 has its caller's stack pointer. */
static enum fl_step step_adapter(struct java_step *s)
{
	uint64_t r13 = s->regs->value[13];

	if (!s->leaf && s->regs->known >> 13 & 1 && !(r13 & 7) &&
	    r13 > s->regs->value[FL_REG_SP] && returns(s, r13))
		s->regs->value[FL_REG_SP] = r13;
	return leave_bare(s);
}

/*
 * A stub of C1 for type checks has no frame: it saves some registers.  The first
 * word that is a return to compiled code is its own; after it are the two
 * arguments that the caller pushed.
 */
static bool leave_pushing(struct java_step *s, enum fl_step *status)
{
	uint64_t sp = s->regs->value[FL_REG_SP], pc;

	for (unsigned i = 0; i <= s->blob->pushes; i++) {
		struct fl_code_blob *blob;

		if (!stack_word(s, sp + 8 * i, &pc) ||
		    !fl_hotspot_has(s->h, pc))
			continue;
		blob = fl_hotspot_blob(s->h, pc - 1);
		if (!blob || blob->kind != FL_BLOB_METHOD)
			continue;
		*status = leave(s, pc, sp + 8 * i + 24,
				s->regs->value[FL_REG_BP]);
		return true;
	}
	return false;
}

static enum fl_step step_runtime(struct java_step *s, struct fl_unwinder *u)
{
	int32_t size = s->blob->frame_size;
	enum fl_step status;

	fl_unwind_push(u, s->blob->frame, s->regs->value[FL_REG_IP]);
	if (s->leaf && s->blob->pushes && leave_pushing(s, &status))
		return status;
	if (size > 1 &&
	    returns(s, s->regs->value[FL_REG_SP] + (uint64_t)size * 8 - 8))
		return leave_sized(s);
	return leave_stub(s);
}

enum fl_step fl_hotspot_step(struct fl_hotspot *h, struct fl_unwinder *u,
			     struct fl_process *p,
			     const struct fl_memory *stack,
			     struct fl_regs *regs, bool leaf)
{
	uint64_t ip = regs->value[FL_REG_IP];
	struct fl_code_blob *blob = fl_hotspot_blob(h, ip - !leaf);
	struct java_step s = { h, u, p, stack, regs, blob, leaf };
	struct fl_code_blob copy;

	if (!blob || !(regs->known >> FL_REG_BP & 1))
		return FL_STEP_UNREADABLE;
	/* Looking for other blobs may move this one. */
	copy = *blob;
	if (blob->kind != FL_BLOB_METHOD)
		s.blob = &copy;
	switch (blob->kind) {
	case FL_BLOB_METHOD:
		return step_method(&s, u, ip - !leaf);
	case FL_BLOB_INTERPRETER:
		return step_interpreter(&s, u);
	case FL_BLOB_STUBS:
		return step_stub(&s, u);
	case FL_BLOB_ADAPTER:
		return step_adapter(&s);
	case FL_BLOB_RUNTIME:
		return step_runtime(&s, u);
	}
	return FL_STEP_UNREADABLE;
}
