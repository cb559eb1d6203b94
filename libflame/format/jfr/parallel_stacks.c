/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stacks of a chunk, by all threads: each takes a share of its traces.
 * The source's dictionary does not change meanwhile, so that all can look up
 * stacks in it.  New stacks go into a dictionary of the thread, as children of
 * the source's.  The source's thread then absorbs these dictionaries, share by
 * share: all ids are in the order in which one thread would have made them.
 */
#include "fl.h"

#include "format/jfr/recycle.h"
#include "format/jfr/traces.h"

#include <stdlib.h>

enum {
	MAX_SHARES = 128,
	SHARES_PER_THREAD = 2,	/* several, as some threads may be busy */
	PARALLEL_THRESHOLD = 1 << 10	/* traces worth several threads */
};

struct share {
	struct fl_job job;
	struct fl_jfr_chunk *chunk;
	const uint32_t *traces;
	size_t ntraces;
	bool good;
	struct fl_jfr_local local;
	struct flame *flame;
	struct fl_absorbed map;
};

struct fl_jfr_parallel_stacks {
	size_t n;
	struct share shares[MAX_SHARES];
};

static struct fl_jfr_parallel_stacks *shares_of(struct fl_jfr *jfr)
{
	unsigned threads = jfr->source->flame->threads;
	struct fl_jfr_parallel_stacks *all = jfr->parallel_stacks;

	if (all)
		return all;
	all = jfr->parallel_stacks = fl_zeroed(1, sizeof(*all));
	while (all && all->n < SHARES_PER_THREAD * threads &&
	       all->n < MAX_SHARES && (all->shares[all->n].flame = flame_new()))
		all->n++;
	return all;
}

void fl_jfr_parallel_stacks_free(struct fl_jfr_parallel_stacks *all)
{
	if (!all)
		return;
	for (size_t i = 0; i < all->n; i++) {
		struct share *share = &all->shares[i];

		flame_free(share->flame);
		fl_absorbed_free(&share->map);
		fl_free(share->local.found);
		fl_free(share->local.methods);
	}
	fl_free(all);
}

/* In any thread ----------------------------------------------------------- */

static void make_stacks(struct share *share)
{
	struct fl_jfr_stacks stacks = {
		.local = &share->local,
		.spelling = share->chunk->stacks->spelling,
	};
	struct fl_jfr_chunk part = *share->chunk;

	/* The same chunk, with another dictionary and caches of its own. */
	part.flame = share->flame;
	part.arena = (struct fl_arena){ 0 };
	part.stacks = &stacks;
	fl_jfr_make_stacks(&part, share->traces, share->ntraces);
	fl_jfr_stacks_done(&part);
	fl_jfr_frames_free(&stacks);
	fl_arena_free(&part.arena);
}

static void run(struct fl_job *job)
{
	struct share *share = (struct share *)job;
	struct fl_jfr_local *local = &share->local;

	local->shared = share->chunk->flame;
	local->frames = &share->map.frames;
	local->nfound = local->nmethods = 0;
	/* Below it are children of stacks of the source's dictionary. */
	local->roof = flame_stack(share->flame, 0, FL_JFR_LOCAL - 1);
	share->good = local->roof;
	if (share->good)
		make_stacks(share);
}

/* In the source's --------------------------------------------------------- */

static uint64_t hash_of(struct flame *flame, flame_id stack)
{
	flame_id *frames = NULL;
	uint64_t hash = 0;
	size_t n = 0, capacity = 0;

	for (; stack; stack = fl_parent(flame, stack)) {
		if (!fl_grow(&frames, &capacity, n + 1, sizeof(*frames))) {
			fl_no_memory(flame);
			break;
		}
		frames[n++] = fl_frame_id(flame, stack);
	}
	while (n)
		hash = fl_jfr_hash_on(hash, frames[--n]);
	fl_free(frames);
	return hash;
}

static flame_id frame_of(const struct share *share, flame_id frame)
{
	return frame & FL_JFR_LOCAL ?
	       share->map.frames.data[frame & ~FL_JFR_LOCAL] : frame;
}

/* Enters a share's stacks, and their hashes for later chunks. */
static void enter_stacks(struct flame *to, struct share *share,
			 struct fl_jfr_path *paths)
{
	const struct fl_stack *at = share->flame->stacks.data;
	flame_id roof = share->local.roof;

	paths[0] = paths[roof] = (struct fl_jfr_path){ 0 };
	for (size_t i = roof + 1; i < share->flame->stacks.count; i++) {
		const struct fl_jfr_path *parent = &paths[at[i].parent];
		flame_id frame = frame_of(share, at[i].frame);

		if (at[i].parent == roof)
			paths[i] = (struct fl_jfr_path){
				hash_of(to, at[i].frame), at[i].frame
			};
		else
			paths[i] = (struct fl_jfr_path){
				fl_jfr_hash_on(parent->hash, frame),
				flame_stack(to, parent->stack, frame)
			};
	}
}

static bool keep_path(struct fl_jfr_chunk *chunk,
		      const struct fl_jfr_path *path)
{
	uint64_t *stack;

	if (!fl_jfr_by_path(chunk))
		return true;
	stack = fl_map_put(&chunk->jfr->cache->paths, path->hash, NULL);
	if (stack)
		*stack = path->stack;
	return stack;
}

/* Their stacks are the source's from now on. */
static bool resolve_stacks(struct share *share, const struct fl_jfr_path *paths)
{
	struct fl_jfr_chunk *chunk = share->chunk;
	struct fl_jfr_local *local = &share->local;
	bool good = true;

	for (size_t i = 0; i < share->ntraces && good; i++) {
		struct fl_jfr_trace *trace =
			&chunk->traces->data[share->traces[i]];
		flame_id stack = trace->stack & ~FL_JFR_LOCAL;

		if (stack == trace->stack)
			continue;
		trace->stack = paths[stack].stack;
		good = keep_path(chunk, &paths[stack]);
	}
	for (size_t i = 0; i < local->nfound && good; i++)
		good = keep_path(chunk, &local->found[i]);
	return good;
}

static void report_methods(struct share *share)
{
	const struct fl_jfr_local *local = &share->local;

	for (size_t i = 0; i < local->nmethods; i++)
		fl_jfr_cache_method(
			share->chunk,
			share->map.frames.data[local->methods[i].frame],
			local->methods[i].method);
}

static bool absorb_share(struct flame *to, struct share *share,
		 struct fl_jfr_path **paths, size_t *capacity)
{
	struct flame *flame = share->flame;

	if (!share->good || fl_failed(flame) ||
	    !fl_absorb_frames(to, flame, &share->map) ||
	    !fl_grow(paths, capacity, flame->stacks.count, sizeof(**paths)))
		return false;
	report_methods(share);
	enter_stacks(to, share, *paths);
	return resolve_stacks(share, *paths) && fl_stacks_clear(flame);
}

static bool absorb_all(struct flame *to, struct fl_jfr_parallel_stacks *all)
{
	struct fl_jfr_path *paths = NULL;
	size_t capacity = 0;
	bool good = true;

	for (size_t i = 0; i < all->n && good; i++)
		good = absorb_share(to, &all->shares[i], &paths, &capacity);
	fl_free(paths);
	return good;
}

static void submit_shares(struct fl_jfr_chunk *chunk,
			  struct fl_jfr_parallel_stacks *all,
			  const uint32_t *traces, size_t n)
{
	for (size_t i = all->n; i--;) {
		struct share *share = &all->shares[i];
		size_t from = n * i / all->n;

		share->chunk = chunk;
		share->traces = traces + from;
		share->ntraces = n * (i + 1) / all->n - from;
		share->job.run = run;
		fl_thread_pool_submit_first(chunk->jfr->threads, &share->job);
	}
}

/*
 * New stacks are made twice, by a thread and by the source's.  If most stacks
 * are new, this pays for many threads only: of few, one makes the stacks and
 * the others read on.
 */
bool fl_jfr_stacks_by_one(const struct fl_jfr_chunk *chunk, size_t n)
{
	const struct fl_jfr_trace_cache *cache = chunk->jfr->cache;

	return n >= PARALLEL_THRESHOLD &&
	       chunk->jfr->source->flame->threads < FL_JFR_MANY_THREADS &&
	       n > (chunk->traces->hashes ? &cache->traces : &cache->paths)
			       ->count;
}

void fl_jfr_stacks_by_all(struct fl_jfr_chunk *chunk, const uint32_t *traces,
			  size_t n, bool by_one)
{
	struct fl_jfr_types *types = chunk->types;
	struct fl_jfr *jfr = chunk->jfr;
	struct fl_jfr_parallel_stacks *all;

	if (by_one || n < PARALLEL_THRESHOLD || !fl_jfr_threads(jfr) ||
	    !(all = shares_of(jfr)) || all->n < 2) {
		if (n >= PARALLEL_THRESHOLD)
			jfr->read_ahead(jfr);
		fl_jfr_make_stacks(chunk, traces, n);
		return;
	}
	/* Decoders are made before the threads use them. */
	for (size_t i = 0; i < types->nclasses; i++)
		if (types->classes[i].wanted)
			fl_jfr_make_decoder(chunk, &types->classes[i]);
	submit_shares(chunk, all, traces, n);
	jfr->read_ahead(jfr);
	for (size_t i = 0; i < all->n; i++)
		fl_thread_pool_wait(jfr->threads, &all->shares[i].job);
	if (!absorb_all(chunk->flame, all))
		fl_no_memory(chunk->flame);
}
