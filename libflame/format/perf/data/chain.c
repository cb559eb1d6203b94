/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The addresses of a sample as a stack.  They come leaf first, with marks that
 * say whether those after them are the kernel's or the user's.
 *
 * A step is from the stack of the callers to the stack with one address more.
 * Steps are cached: most samples share them, from the root on.
 */
#include "fl.h"

#include "format/perf/data/data.h"

/* As many addresses as perf script prints, unless it is asked for more. */
enum { MAX_FRAMES = 127 };
enum { STEPS = 1 << 16 };

/* Marks in a call chain: the last 4095 numbers. */
#define CONTEXT_MAX ((uint64_t)-4095)
#define CONTEXT_HV ((uint64_t)-32)
#define CONTEXT_KERNEL ((uint64_t)-128)
#define CONTEXT_USER ((uint64_t)-512)

/* An address, and in which mappings; NULL: it is in none. */
struct address {
	uint64_t ip;
	struct fl_perf_maps *maps;
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
			to[n++] = (struct address){ ip, maps };
		else if (!take_mark(d, thread, ip, &maps))
			return 0;
	}
	return n;
}

static bool is_listed(const char *list, struct slice text)
{
	for (size_t n; *list; list += n + (list[n] == '\n')) {
		n = strcspn(list, "\n");
		if (n == text.size && memcmp(list, text.data, n) == 0)
			return true;
	}
	return false;
}

/* The stack with the frames of an address, which are leaf first. */
static flame_id add_frames(struct fl_perf_data *d, flame_id stack,
			   uint64_t names)
{
	const char *skip_after = d->text.naming.options->skip_after;
	struct flame *flame = d->flame;
	size_t first = names >> 16, n = names & 0xffff;

	while (n--) {
		flame_id frame = d->names.at[first + n];

		if (skip_after &&
		    is_listed(skip_after,
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
	uint32_t id = address->maps ? address->maps->id : 0;
	uint64_t hash = fl_hash_pair(address->ip,
				     (uint64_t)id << 32 | parent);
	struct fl_perf_step *step = &d->steps[hash % STEPS];
	const struct fl_perf_map *map;
	flame_id stack;

	if (fl_likely(step->ip == address->ip && step->maps == id &&
		      step->parent == parent && step->stack))
		return step->stack;
	map = fl_perf_map_at(address->maps, address->ip);
	stack = add_frames(d, parent, fl_perf_names(d, map, address->ip));
	/* Something may be mapped there later. */
	if (map)
		*step = (struct fl_perf_step){
			.ip = address->ip, .maps = id, .parent = parent,
			.stack = stack
		};
	return stack;
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
			f->ip, maps_of_mode(d, thread, f->mode)
		};
	while (n)
		base = take_step(d, base, &addresses[--n]);
	return base;
}
