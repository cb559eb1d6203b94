/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fl_unwind() appends the frames of a sample of a running process, from its
 * registers and the bytes of its stack, for record.c.  native/unwind.c goes
 * from caller to caller; what it asks of the process is here: mappings, memory,
 * frames of addresses, and steps through Java's code (hotspot.c).
 */
#include "fl.h"

#include "sample/virtual_machines.h"

bool fl_unwind_push(struct fl_unwinder *u, flame_id frame, uint64_t address)
{
	if (!fl_grow(&u->frames, &u->frames_capacity, u->nframes + 1,
		     sizeof(*u->frames)) ||
	    !fl_grow(&u->addresses, &u->addresses_capacity, u->nframes + 1,
		     sizeof(*u->addresses))) {
		fl_no_memory(u->processes->flame);
		return false;
	}
	u->frames[u->nframes] = frame;
	u->addresses[u->nframes++] = address;
	return true;
}

void fl_unwinder_free(struct fl_unwinder *u)
{
	fl_free(u->frames);
	fl_free(u->addresses);
	fl_free(u->kept);
	fl_row_cache_free(&u->rows);
	memset(u, 0, sizeof(*u));
}

/*
 * Registers at a frame of Python's loop: one of them has the executed
 * instruction.
 */
static void keep(struct fl_unwinder *u, const struct fl_regs *regs,
		 const struct fl_memory *memory)
{
	static const uint8_t kept[FL_KEPT_REGS] = {
#if FL_IS_ARM64
		19, 20, 21, 22, 23, 24, 25, 26, 27, 28,
		FL_REG_SI
#else
		FL_REG_BX, FL_REG_BP, 12, 13, 14, 15, FL_REG_SI
#endif
	};
	struct fl_kept *k;

	if (!fl_grow(&u->kept, &u->kept_capacity, u->nkept + 1,
		     sizeof(*u->kept)))
		return;
	k = &u->kept[u->nkept++];
	k->frame = u->nframes - 1;
	for (size_t i = 0; i < FL_KEPT_REGS; i++)
		k->value[i] = regs->known >> kept[i] & 1 ?
			      regs->value[kept[i]] : 0;
	if (!memory->read(memory->arg, regs->value[FL_REG_SP],
			  k->value + FL_KEPT_REGS,
			  sizeof(k->value) - FL_KEPT_REGS * sizeof(*k->value)))
		memset(k->value + FL_KEPT_REGS, 0, sizeof(k->value) -
		       FL_KEPT_REGS * sizeof(*k->value));
}

struct target {
	struct fl_unwinder *unwinder;
	struct fl_process *process;
};

static const struct fl_mapping *mapping_of(void *arg, uint64_t at)
{
	struct target *t = arg;

	return fl_process_mapping(t->unwinder->processes, t->process, at);
}

static bool read_target(void *arg, uint64_t at, void *to, size_t size)
{
	struct target *t = arg;

	return fl_process_read(t->process, at, to, size);
}

static bool is_compiled(void *arg, uint64_t at)
{
	struct target *t = arg;

	return fl_process_jvm(t->unwinder->processes, t->process, at);
}

static enum fl_step step_compiled(void *arg, uint64_t at,
				  const struct fl_memory *memory,
				  struct fl_regs *regs, bool exact)
{
	struct target *t = arg;
	struct fl_unwinder *u = t->unwinder;

	return fl_hotspot_step(fl_process_jvm(u->processes, t->process, at), u,
			       t->process, memory, regs, exact);
}

/*
 * The function of the greenlet package that begins a greenlet.  Where the file
 * is stripped it is the first that an interpreter's loop returns to.
 */
static bool begins_greenlet(const struct target *t, uint64_t at,
			    const struct fl_symbol *symbol)
{
	const struct fl_mapping *m = mapping_of((void *)(uintptr_t)t, at);

	if (!m || !m->module || !m->module->greenlets)
		return false;
	return symbol ? strstr(symbol->name, "inner_bootstrap") ||
			strstr(symbol->name, "g_initialstub") :
		t->unwinder->loops;
}

static bool add_frame(void *arg, uint64_t at, const struct fl_regs *regs,
		      const struct fl_memory *memory, struct fl_symbol **symbol)
{
	struct target *t = arg;
	struct fl_unwinder *u = t->unwinder;
	flame_id frame = fl_process_frame(u->processes, t->process, at, symbol);

	if (!fl_unwind_push(u, frame, regs->value[FL_REG_IP]))
		return false;
	if (*symbol && !(*symbol)->stub && fl_is_python_loop((*symbol)->name)) {
		u->loops++;
		if (t->process->python)
			keep(u, regs, memory);
	}
	if (!u->base && begins_greenlet(t, at, *symbol))
		u->base = u->nframes;
	return true;
}

/*
 * What lies above the first frame of a greenlet is of another one, or was: its
 * memory is overwritten when greenlets switch.
 */
static void cut_at_base(struct fl_unwinder *u)
{
	struct flame *flame = u->processes->flame;

	u->nframes = u->base;
	while (u->nkept && u->kept[u->nkept - 1].frame >= u->base)
		u->nkept--;
	fl_unwind_push(u, fl_frame(flame, fl_name(flame, "[greenlet]"),
				   FLAME_NATIVE), 0);
}

enum fl_stack_end fl_unwind(struct fl_unwinder *u, struct fl_process *process,
			    const struct fl_regs *regs,
			    const struct fl_stack_bytes *stack)
{
	struct target target = { u, process };
	const struct fl_view view = {
		.arg = &target, .rows = &u->rows, .mapping = mapping_of,
		.read = read_target, .frame = add_frame,
		.is_compiled = is_compiled, .step = step_compiled,
	};

	enum fl_stack_end end;

	u->nkept = u->loops = u->base = 0;
	/* A new module may be where a freed one was. */
	if (u->modules_dropped != u->processes->modules_dropped)
		fl_row_cache_clear(&u->rows);
	u->modules_dropped = u->processes->modules_dropped;
	end = fl_unwind_view(&view, regs, stack);
	if (!u->base)
		return end;
	cut_at_base(u);
	return FL_STACK_WHOLE;
}
