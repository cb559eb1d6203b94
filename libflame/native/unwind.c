/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fl_unwind_view() finds the frames of a sample: from its registers and a copy
 * of its stack, caller by caller, by call frame information where there is some
 * and by frame pointers where there is none.  It calls a function for each
 * frame: of sample/unwind.c for a running process, of names.c for a recorded
 * one.
 *
 * A chain of frame pointers may be garbage: it ends at the first address that
 * is in no executable mapping.
 */
#include "fl.h"

#include "native/unwind.h"

enum { MAX_ROWS = 1 << 16 };	/* stored; 100 bytes each */

void fl_row_cache_clear(struct fl_row_cache *cache)
{
	fl_map_clear(&cache->known);
	cache->nrows = 0;
}

void fl_row_cache_free(struct fl_row_cache *cache)
{
	fl_map_free(&cache->known);
	fl_free(cache->rows);
	memset(cache, 0, sizeof(*cache));
}

/* Rows are cached by address; NULL: unknown, or out of memory. */
static const struct fl_cfi_row *row_at(struct fl_row_cache *cache,
				       const struct fl_module *module,
				       uint64_t address)
{
	uint64_t key = fl_fold_product((uint64_t)(uintptr_t)module,
				       UINT64_C(0x9e3779b97f4a7c15)) ^ address;
	uint64_t *place;
	bool fresh;

	if (cache->nrows == MAX_ROWS || cache->known.count >= 2 * MAX_ROWS)
		fl_row_cache_clear(cache);
	place = fl_map_put(&cache->known, key, &fresh);
	if (!place || !fl_grow(&cache->rows, &cache->capacity, cache->nrows + 1,
			       sizeof(*cache->rows)))
		return NULL;
	if (fresh && fl_cfi_row_at(&module->cfi, address,
				   &cache->rows[cache->nrows]))
		*place = ++cache->nrows;
	return *place ? &cache->rows[*place - 1] : NULL;
}

struct copy {
	const struct fl_stack_bytes *stack;
	const struct fl_view *view;
	bool past_end;		/* a read was refused for that */
};

enum { MAX_STACK = 1 << 30 };	/* far away is another stack */

static bool read_copy(void *arg, uint64_t at, void *to, size_t size)
{
	struct copy *copy = arg;
	const struct fl_stack_bytes *stack = copy->stack;

	if (at < stack->start)
		return false;
	if (at - stack->start > stack->size ||
	    size > stack->size - (at - stack->start)) {
		if (at - stack->start > MAX_STACK)
			return false;
		/*
		 * The kernel stops copying at a page that was never touched, as
		 * in large buffers; callers are beyond it.
		 */
		if (!stack->full)
			return copy->view->read(copy->view->arg, at, to,
						size);
		copy->past_end = true;
		return false;
	}
	memcpy(to, stack->data + (at - stack->start), size);
	return true;
}

static bool is_code(const struct fl_view *v, uint64_t at)
{
	return v->mapping(v->arg, at);
}

/*
 * push %rbp; mov %rsp, %rbp at the beginning of every function, or of arm64
 * stp x29, x30, [sp, -SIZE]!; mov x29, sp.
 */
static enum fl_step step_by_pointer(const struct fl_view *v,
				    const struct fl_memory *memory,
				    struct fl_regs *regs)
{
	uint64_t bp = regs->value[FL_REG_BP], words[2];

	if (!(regs->known >> FL_REG_BP & 1) || !bp)
		return bp ? FL_STEP_UNREADABLE : FL_STEP_END;
	if (bp & 7 || bp < regs->value[FL_REG_SP] ||
	    !memory->read(memory->arg, bp, words, sizeof(words)))
		return FL_STEP_UNREADABLE;
	words[1] = fl_cfi_return(words[1]);
	if (!words[1])
		return FL_STEP_END;
	if (!is_code(v, words[1]))
		return FL_STEP_UNREADABLE;
	regs->value[FL_REG_BP] = words[0];
	regs->value[FL_REG_SP] = bp + 16;
	regs->value[FL_REG_IP] = words[1];
	regs->known = FL_KNOWN(FL_REG_BP) | FL_KNOWN(FL_REG_SP) |
		      FL_KNOWN(FL_REG_IP);
	return FL_STEP_CALLER;
}

/*
 * CPython's trampolines (python -X perf) move the stack pointer by 8, or push
 * the frame pointer, and call.  The instructions after the call decide, and if
 * they cannot be read the name in the perf map: a new trampoline is not in the
 * map that was read a moment ago.
 */
static bool is_trampoline(const struct fl_view *v,
			  const struct fl_symbol *symbol,
			  const struct fl_regs *regs, bool *pushed)
{
	static const uint8_t moved[] = { 0x48, 0x83, 0xc4, 0x08, 0xc3 };
	uint8_t code[sizeof(moved)];

	*pushed = false;
	if (FL_IS_ARM64)
		return false;	/* they have frame pointers */
	if (!v->read(v->arg, regs->value[FL_REG_IP], code, sizeof(code)))
		return symbol && strncmp(symbol->name, "py::", 4) == 0;
	if (memcmp(code, moved, sizeof(moved)) == 0)
		return true;
	/* pop %rbp; ret */
	*pushed = code[0] == 0x5d && code[1] == 0xc3;
	return *pushed && symbol && strncmp(symbol->name, "py::", 4) == 0;
}

/* In one of them that is not calling: before its first instruction, or last. */
static bool is_bare(const struct fl_view *v, const struct fl_symbol *symbol,
		    const struct fl_regs *regs)
{
	uint8_t code;

	return symbol && strncmp(symbol->name, "py::", 4) == 0 &&
	       v->read(v->arg, regs->value[FL_REG_IP], &code, 1) &&
	       (regs->value[FL_REG_IP] == symbol->start ||
		(!FL_IS_ARM64 && code == 0xc3));
}

static enum fl_step step_bare(const struct fl_memory *memory,
			      struct fl_regs *regs)
{
	uint64_t sp = regs->value[FL_REG_SP], ip;

	if (FL_IS_ARM64) {
		if (!(regs->known & FL_KNOWN(FL_REG_RA)))
			return FL_STEP_UNREADABLE;
		regs->value[FL_REG_IP] =
			fl_cfi_return(regs->value[FL_REG_RA]);
		regs->known &= ~FL_KNOWN(FL_REG_RA);
		return FL_STEP_CALLER;
	}
	if (!memory->read(memory->arg, sp, &ip, sizeof(ip)))
		return FL_STEP_UNREADABLE;
	regs->value[FL_REG_SP] = sp + 8;
	regs->value[FL_REG_IP] = ip;
	return FL_STEP_CALLER;
}

static enum fl_step step_trampoline(const struct fl_memory *memory,
				    struct fl_regs *regs, bool pushed)
{
	uint64_t sp = regs->value[FL_REG_SP], words[2];

	if (!memory->read(memory->arg, sp, words, sizeof(words)))
		return FL_STEP_UNREADABLE;
	regs->value[FL_REG_SP] = sp + 16;
	regs->value[FL_REG_IP] = words[1];
	if (pushed) {
		regs->value[FL_REG_BP] = words[0];
		regs->known |= FL_KNOWN(FL_REG_BP);
	}
	return FL_STEP_CALLER;
}

/* bl: 26 bits of distance, in instructions. */
static bool calls_arm64(const struct fl_view *v, uint64_t pc, uint64_t start)
{
	uint32_t code;
	int64_t distance;

	if (!v->read(v->arg, pc - 4, &code, sizeof(code)) ||
	    code >> 26 != 0x25)
		return false;
	distance = (int64_t)(code & 0x3ffffff) - (code >> 25 & 1) * 0x4000000;
	return pc - 4 + (uint64_t)(4 * distance) == start;
}

/* A direct call of the function from its own module. */
static bool calls(const struct fl_view *v, const struct fl_mapping *m,
		  uint64_t pc, uint64_t start)
{
	uint8_t code[5];
	int32_t distance;

	if (FL_IS_ARM64)
		return pc >= m->start && pc < m->end &&
		       calls_arm64(v, pc, start);
	if (pc < m->start || pc >= m->end ||
	    !v->read(v->arg, pc - 5, code, sizeof(code)))
		return false;
	memcpy(&distance, code + 1, sizeof(distance));
	return code[0] == 0xe8 && pc + (uint64_t)(int64_t)distance == start;
}

/* A call by a register (ff d0) or by distance (e8) from code of the JVM. */
static bool calls_native_method(const struct fl_view *v,
				uint64_t pc)
{
	const struct fl_mapping *m = v->mapping(v->arg, pc - 1);
	uint8_t code[5];

	return m && !m->module && v->is_compiled(v->arg, pc - 1) &&
	       v->read(v->arg, pc - 5, code, sizeof(code)) &&
	       (code[0] == 0xe8 ||
		(code[3] == 0xff && (code[4] & 0xf8) == 0xd0));
}

/*
 * For a waiting thread only the stack pointer is known, but the function may
 * need the frame pointer.  Searches the stack for a return address after a call
 * of this function, which proves the frame.  Native methods of Java are called
 * from code of the JVM.
 */
static void find_pointer(const struct fl_view *v,
			 struct fl_mapping m, const struct fl_symbol *symbol,
			 uint64_t address, const struct fl_memory *memory,
			 struct fl_regs *regs)
{
	enum { MAX_WORDS = 512 };
	uint64_t start = regs->value[FL_REG_IP] - (address - symbol->start);
	uint64_t sp = regs->value[FL_REG_SP], words[2];
	bool native = strncmp(symbol->name, "Java_", 5) == 0;

	for (unsigned i = 0; i < MAX_WORDS; i++) {
		uint64_t at = sp + 8 * (uint64_t)i;

		if (!memory->read(memory->arg, at, words, sizeof(words)))
			return;
		if (words[0] <= at || words[0] - at > MAX_STACK)
			continue;
		words[1] = fl_cfi_return(words[1]);
		if (!calls(v, &m, words[1], start) &&
		    !(native && calls_native_method(v, words[1])))
			continue;
		regs->value[FL_REG_BP] = at;
		regs->known |= FL_KNOWN(FL_REG_BP);
		return;
	}
}

/*
 * After its system call clone has no call frame information, because it would
 * be wrong in the child.  The parent's stack is as the caller left it; the
 * child's has no return address.
 */
static bool is_clone(const struct fl_symbol *symbol)
{
	return symbol && (strcmp(symbol->name, "clone3") == 0 ||
			  strcmp(symbol->name, "__clone3") == 0 ||
			  strcmp(symbol->name, "clone") == 0 ||
			  strcmp(symbol->name, "__clone") == 0);
}

static enum fl_step step_clone(const struct fl_view *v,
			       const struct fl_memory *memory,
			       struct fl_regs *regs)
{
	uint64_t ip;

	if (FL_IS_ARM64)
		return FL_STEP_END;
	if (!memory->read(memory->arg, regs->value[FL_REG_SP], &ip,
			  sizeof(ip)) || !is_code(v, ip))
		return FL_STEP_END;
	return step_bare(memory, regs);
}

/* lookup: the address, or the byte before it for a return address. */
static enum fl_step step(const struct fl_view *v,
			 const struct fl_symbol *symbol, uint64_t lookup,
			 const struct fl_memory *memory, struct fl_regs *regs,
			 bool *signal)
{
	const struct fl_mapping *m = v->mapping(v->arg, lookup);
	const struct fl_cfi_row *row = NULL;
	struct fl_module *module = m ? m->module : NULL;
	uint64_t address, sp = regs->value[FL_REG_SP];
	bool is_leaf = lookup == regs->value[FL_REG_IP];
	enum fl_step status;
	bool pushed;

	*signal = false;
	if (m && m->module && m->module->elf &&
	    fl_elf_address(m->module->elf, lookup - m->start + m->offset,
			   &address))
		row = row_at(v->rows, m->module, address);
	if (!row && !(m && m->module) && lookup != regs->value[FL_REG_IP] &&
	    is_trampoline(v, symbol, regs, &pushed))
		return step_trampoline(memory, regs, pushed);
	if (!row && !(m && m->module) && lookup == regs->value[FL_REG_IP] &&
	    is_bare(v, symbol, regs))
		return step_bare(memory, regs);
	if (!row && lookup == regs->value[FL_REG_IP] && is_clone(symbol))
		return step_clone(v, memory, regs);
	if (!row) {
		status = step_by_pointer(v, memory, regs);
		/* At the first frame 0 may be any value of the register. */
		return status == FL_STEP_END &&
		       lookup == regs->value[FL_REG_IP] ?
		       FL_STEP_UNREADABLE : status;
	}
	if (!row->cfa_expression && row->cfa_register == FL_REG_BP && symbol &&
	    !(regs->known >> FL_REG_BP & 1))
		find_pointer(v, *m, symbol, address +
			     regs->value[FL_REG_IP] - lookup, memory, regs);
	/* That may have read the mappings anew. */
	status = fl_cfi_step(&module->cfi, row, memory, regs);
	*signal = row->signal;
	/* A function of arm64 that calls none may have no stack. */
	if (status == FL_STEP_CALLER && !row->signal &&
	    regs->value[FL_REG_SP] <= sp &&
	    !(FL_IS_ARM64 && regs->value[FL_REG_SP] == sp && is_leaf))
		return FL_STEP_UNREADABLE;
	return status;
}

/*
 * Functions that call main or a thread's function.  musl's have no call frame
 * information, and the name of the first is only in files that are not
 * stripped.
 */
static bool is_start(const struct fl_symbol *symbol, bool called_main)
{
	static const char *const names[] = {
		"_start", "_start_c", "libc_start_main_stage2",
		"__libc_start_main", "start", "__clone", "clone",
	};

	for (size_t i = 0; symbol && i < FL_COUNT(names); i++)
		if (strcmp(symbol->name, names[i]) == 0)
			return true;
	return called_main;
}

/*
 * Where programs begin.  musl's start has no call frame information, and in a
 * stripped file no name.
 */
static bool is_entry(const struct fl_view *v, uint64_t lookup)
{
	enum { SIZE = 64 };
	const struct fl_mapping *m = v->mapping(v->arg, lookup);
	const struct fl_module *module = m ? m->module : NULL;
	uint64_t address;

	return module && module->elf && module->elf->entry &&
	       fl_elf_address(module->elf, lookup - m->start + m->offset,
			      &address) &&
	       address - module->elf->entry < SIZE;
}

/* What a call before pc jumps to, or 0: e8, or ff 15 by way of a pointer. */
static uint64_t called_at(const struct fl_view *v, uint64_t pc)
{
	uint8_t code[6];
	uint64_t target;
	int32_t distance;

	if (!v->read(v->arg, pc - sizeof(code), code, sizeof(code)))
		return 0;
	memcpy(&distance, code + 2, sizeof(distance));
	target = pc + (uint64_t)(int64_t)distance;
	if (code[1] == 0xe8)
		return target;
	if (code[0] != 0xff || code[1] != 0x15 ||
	    !v->read(v->arg, target, &target, sizeof(target)))
		return 0;
	return target;
}

/* What a stub of .plt at an address jumps to: ff 25, maybe after endbr64. */
static uint64_t stub_target(const struct fl_view *v, uint64_t at)
{
	enum { JUMP = 6 };
	uint8_t code[16];
	uint64_t target = 0;
	int32_t distance;

	if (!v->read(v->arg, at, code, sizeof(code)))
		return 0;
	for (unsigned i = 0; i <= 5; i++) {
		if (code[i] != 0xff || code[i + 1] != 0x25)
			continue;
		memcpy(&distance, code + i + 2, sizeof(distance));
		v->read(v->arg, at + i + JUMP + (uint64_t)(int64_t)distance,
				&target, sizeof(target));
		break;
	}
	return target;
}

/* The addresses at which the function of one may begin. */
struct beginnings {
	uint64_t first, last;
};

/*
 * A function with a symbol has one; another one begins after the end of the
 * last symbol before it.
 */
static struct beginnings begins_at(struct fl_module *module, uint64_t at,
				   uint64_t address)
{
	enum { MAX_FUNCTION = 1 << 15 };
	const struct fl_symbols *symbols = &module->symbols;
	const struct fl_symbol *symbol = fl_symbols_at(&module->symbols,
						       address);
	size_t low = 0, high = symbols->count;
	uint64_t most = FL_MIN(address, (uint64_t)MAX_FUNCTION);

	if (symbol)
		return (struct beginnings){ at - (address - symbol->start),
					    at - (address - symbol->start) };
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols->data[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low)
		most = FL_MIN(most, address - symbols->data[low - 1].end);
	return (struct beginnings){ at - most, at };
}

static bool is_one_of(struct beginnings of, uint64_t at)
{
	return at >= of.first && at <= of.last;
}

/* As musl's qsort does to qsort_r, and malloc to what there is in its place. */
static bool jumps_to_one_of(const struct fl_view *v, uint64_t at,
			    struct beginnings of)
{
	enum { JUMP = 5 };
	uint8_t code[32];
	int32_t distance;

	if (!v->read(v->arg, at, code, sizeof(code)))
		return false;
	for (size_t i = 0; i + JUMP <= sizeof(code); i++) {
		memcpy(&distance, code + i + 1, sizeof(distance));
		if (code[i] == 0xe9 &&
		    is_one_of(of, at + i + JUMP + (uint64_t)(int64_t)distance))
			return true;
	}
	return false;
}

static bool calls_one_of(const struct fl_view *v, uint64_t pc,
			 struct beginnings of)
{
	uint64_t target = called_at(v, pc);

	if (!target || is_one_of(of, target) || jumps_to_one_of(v, target, of))
		return target;
	target = stub_target(v, target);
	return target &&
	       (is_one_of(of, target) || jumps_to_one_of(v, target, of));
}

/*
 * The last way out of code that has neither call frame information nor a frame
 * pointer, as musl's: the first return address on the stack that follows a call
 * of this very function.
 */
static enum fl_step step_by_call(const struct fl_view *v,
				 uint64_t lookup,
				 const struct fl_memory *memory,
				 struct fl_regs *regs)
{
	enum { MAX_WORDS = 2048, NO_CODE = 1 << 16 };
	const struct fl_mapping *m = v->mapping(v->arg, lookup);
	uint64_t sp = regs->value[FL_REG_SP], address, at, word;
	struct fl_module *module = m ? m->module : NULL;
	struct beginnings of;

	if (FL_IS_ARM64 || !module || !module->elf ||
	    !fl_elf_address(module->elf, lookup - m->start + m->offset,
			    &address) || row_at(v->rows, module, address))
		return FL_STEP_UNREADABLE;
	of = begins_at(module, lookup, address);
	for (unsigned i = 0; i < MAX_WORDS; i++) {
		at = sp + 8 * (uint64_t)i;
		if (!memory->read(memory->arg, at, &word, sizeof(word)))
			return FL_STEP_UNREADABLE;
		if (word < NO_CODE || word >> 47 || word - sp < MAX_STACK ||
		    !is_code(v, word) || !calls_one_of(v, word, of))
			continue;
		/* 0 would be the end of a chain. */
		*regs = (struct fl_regs){
			.known = FL_KNOWN(FL_REG_SP) | FL_KNOWN(FL_REG_IP)
		};
		regs->value[FL_REG_BP] = 1;
		regs->value[FL_REG_SP] = at + 8;
		regs->value[FL_REG_IP] = word;
		return FL_STEP_CALLER;
	}
	return FL_STEP_UNREADABLE;
}

static enum fl_stack_end end_of(enum fl_step status,
				const struct fl_stack_bytes *stack,
				const struct copy *copy)
{
	if (status == FL_STEP_END)
		return FL_STACK_WHOLE;
	return stack->full && copy->past_end ? FL_STACK_TRUNCATED :
					       FL_STACK_BROKEN;
}

enum fl_stack_end fl_unwind_view(const struct fl_view *v,
				 const struct fl_regs *begin,
				 const struct fl_stack_bytes *stack)
{
	struct copy copy = { stack, v, false };
	struct fl_memory memory = { .read = read_copy, .arg = &copy };
	struct fl_regs regs = *begin;
	bool exact = true;	/* the address is of the instruction itself */
	bool called_main = false;

	for (unsigned i = 0; i < FL_MAX_FRAMES; i++) {
		uint64_t ip = regs.value[FL_REG_IP], lookup = ip - !exact;
		const struct fl_mapping *m;
		struct fl_symbol *symbol;
		enum fl_step status;

		if (i && !ip)
			return FL_STACK_WHOLE;
		m = v->mapping(v->arg, lookup);
		if (i && !m)
			return FL_STACK_BROKEN;
		if (m && !m->module && v->is_compiled(v->arg, lookup)) {
			status = v->step(v->arg, lookup, &memory, &regs,
					 exact);
			if (status != FL_STEP_CALLER)
				return end_of(status, stack, &copy);
			exact = false;
			continue;
		}
		if (!v->frame(v->arg, lookup, &regs, &memory, &symbol))
			return FL_STACK_BROKEN;
		status = step(v, symbol, lookup, &memory, &regs, &exact);
		if (status == FL_STEP_UNREADABLE &&
		    (is_start(symbol, called_main) || is_entry(v, lookup)))
			return FL_STACK_WHOLE;
		if (status == FL_STEP_UNREADABLE)
			status = step_by_call(v, lookup, &memory, &regs);
		if (status != FL_STEP_CALLER)
			return end_of(status, stack, &copy);
		called_main = symbol && strcmp(symbol->name, "main") == 0;
	}
	return FL_STACK_TRUNCATED;
}
