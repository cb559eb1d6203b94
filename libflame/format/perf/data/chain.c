/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the stack of a sample of perf.data: fl_perf_chain(), which data.c
 * calls, names each address by the mappings of its thread.  Addresses come leaf
 * first, with marks that say whether those after them are the kernel's or the
 * user's; user stacks that were copied as bytes are unwound.
 *
 * A step is from the stack of the callers to the stack with one address more.
 * Steps are cached: most samples share them, from the root on.
 */
#include "fl.h"

#include "format/perf/data/data.h"

#include <sys/utsname.h>

/* As many addresses as perf script prints, unless it is asked for more. */
enum { MAX_FRAMES = 127 };
enum { STEPS = 1 << 16 };
enum { ABI_64 = 2 };

/* Marks in a call chain: the last 4095 numbers. */
#define CONTEXT_MAX ((uint64_t)-4095)
#define CONTEXT_HV ((uint64_t)-32)
#define CONTEXT_KERNEL ((uint64_t)-128)
#define CONTEXT_USER ((uint64_t)-512)

/* An address, and in which mappings; NULL: it is in none. */
struct address {
	uint64_t ip;
	struct fl_perf_maps *maps;
	bool unwound;
};

static struct fl_perf_maps *maps_of_mode(struct fl_perf_data *d,
					 struct fl_perf_thread *thread,
					 unsigned mode)
{
	return mode == PERF_MODE_KERNEL ? d->kernel :
	       mode == PERF_MODE_USER ? fl_perf_thread_maps(d, thread) : NULL;
}

/* false: there is a mark that is none, so all of it is corrupt. */
static bool take_mark(struct fl_perf_data *d, struct fl_perf_thread *thread,
		      uint64_t mark, struct fl_perf_maps **maps)
{
	if (mark == CONTEXT_KERNEL)
		*maps = d->kernel;
	else if (mark == CONTEXT_USER)
		*maps = fl_perf_thread_maps(d, thread);
	else if (mark == CONTEXT_HV)
		*maps = NULL;
	else
		return false;
	return true;
}

static size_t take_chain(struct fl_perf_data *d, struct fl_perf_thread *thread,
			 const struct fl_perf_fields *f,
			 struct address to[MAX_FRAMES])
{
	struct fl_perf_maps *maps = fl_perf_thread_maps(d, thread);
	size_t n = 0;

	for (uint64_t i = 0; i < f->nchain && n < MAX_FRAMES; i++) {
		uint64_t ip = fl_perf_u64(f->chain + 8 * i, f->big);

		if (ip < CONTEXT_MAX)
			to[n++] = (struct address){ ip, maps, false };
		else if (!take_mark(d, thread, ip, &maps))
			return 0;
	}
	return n;
}

/* The stack with the frames of an address, which are leaf first. */
static flame_id add_frames(struct fl_perf_data *d, flame_id stack,
			   const flame_id *frames, size_t n)
{
	const char *skip_after = d->text.naming.options->skip_after;
	struct flame *flame = d->flame;

	while (n--) {
		flame_id frame = frames[n];

		if (skip_after &&
		    fl_perf_is_listed(skip_after,
			      fl_name_at(flame,
					 flame->frames.data[frame].name)))
			stack = 0;
		stack = flame_stack(flame, stack, frame);
	}
	return stack;
}

static flame_id take_step(struct fl_perf_data *d, flame_id parent,
			  const struct address *address)
{
	uint32_t id = address->maps ? address->maps->id << 1 |
				      address->unwound : 0;
	uint64_t hash = fl_hash_pair(address->ip,
				     (uint64_t)id << 32 | parent);
	struct fl_perf_step *step = &d->steps[hash % STEPS];
	const struct fl_perf_maps none = { .maps = { .count = 0 } };
	const struct fl_perf_maps *maps = address->maps ? address->maps : &none;
	const flame_id *frames;
	flame_id stack;
	size_t n;

	if (fl_likely(step->ip == address->ip && step->maps == id &&
		      step->parent == parent && step->stack))
		return step->stack;
	if (maps == d->kernel)
		n = fl_names_kernel(d->names, address->ip, &frames);
	else if (address->unwound)
		n = fl_names_user(d->names, &maps->maps, address->ip, &frames);
	else
		n = fl_names_plain(d->names, &maps->maps, address->ip, &frames);
	stack = add_frames(d, parent, frames, n);
	/*
	 * Where no name is known, something may be mapped later, and samples
	 * are counted.
	 */
	if (fl_names_known(d->names))
		*step = (struct fl_perf_step){
			.ip = address->ip, .maps = id, .parent = parent,
			.stack = stack
		};
	return stack;
}

/* The registers of this machine alone are known. */
static bool is_own(const struct fl_perf_data *d, const struct fl_perf_fields *f)
{
	struct utsname own;

	return !f->big && f->regs_abi == ABI_64 &&
	       (!d->arch || uname(&own) != 0 ||
		strcmp(d->arch, own.machine) == 0);
}

/* The addresses of a stack by its registers and a copy of its bytes. */
static size_t unwind(struct fl_perf_data *d, struct fl_perf_thread *thread,
		     const struct fl_perf_attr *attr,
		     const struct fl_perf_fields *f, struct address *to,
		     size_t capacity)
{
	struct fl_perf_maps *maps = fl_perf_thread_maps(d, thread);
	const struct fl_stack_bytes stack = {
		.data = f->stack, .size = f->stack_size, .full = f->stack_full
	};
	uint64_t values[64], ips[MAX_FRAMES];
	size_t n;

	if (!f->regs || !f->stack_size || !maps)
		return 0;
	if (!is_own(d, f)) {
		d->foreign++;
		return 0;
	}
	for (int i = 0; i < __builtin_popcountll(attr->user_regs); i++)
		values[i] = fl_perf_u64(f->regs + 8 * i, false);
	n = fl_names_unwind(d->names, &maps->maps, attr->user_regs, values,
			    &stack, ips, capacity);
	for (size_t i = 0; i < n; i++)
		to[i] = (struct address){ ips[i], maps, true };
	return n;
}

flame_id fl_perf_chain(struct fl_perf_data *d, struct fl_perf_thread *thread,
		       const struct fl_perf_attr *attr,
		       const struct fl_perf_fields *f, flame_id base)
{
	struct address addresses[MAX_FRAMES];
	size_t n = 0;

	if (!d->steps)
		d->steps = fl_zeroed(STEPS, sizeof(*d->steps));
	if (!d->steps) {
		fl_no_memory(d->flame);
		return 0;
	}
	if (PERF_HAS(attr, CALLCHAIN))
		n = take_chain(d, thread, f, addresses);
	else if (PERF_HAS(attr, IP))
		addresses[n++] = (struct address){
			f->ip, maps_of_mode(d, thread, f->mode), false
		};
	if (PERF_HAS(attr, REGS_USER) && PERF_HAS(attr, STACK_USER))
		n += unwind(d, thread, attr, f, addresses + n, MAX_FRAMES - n);
	fl_names_sample(d->names);
	while (n)
		base = take_step(d, base, &addresses[--n]);
	return base;
}
