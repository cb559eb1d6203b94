/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds chunks of recordings that were read before, by their identity:
 * format/jfr passes each to fl_overlap_add().  A dump of a recording that goes
 * on has the chunks of the dump before it, too, and each counts once.  Each
 * flow into a sink has its own chunks: those that two sides of a comparison
 * share count in both.
 */
#include "fl.h"

#include "dict/dict.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

/* The name of an input, copied once for all of its chunks. */
static const char *name_of(struct flame *flame, const char *input)
{
	struct fl_overlap *overlap = &flame->overlap;

	if (!overlap->input || strcmp(overlap->input, input) != 0)
		overlap->input = fl_arena_copy(&flame->arena, input,
					       strlen(input));
	return overlap->input;
}

static void note(struct fl_overlap *overlap, const char *input,
		 const char *before, int64_t start)
{
	time_t seconds = (time_t)(start / 1000000000);
	char when[48] = "";
	struct tm tm;

	if (overlap->repeated++)
		return;
	if (start != FLAME_NOTIME && gmtime_r(&seconds, &tm))
		strftime(when, sizeof(when), "that of %H:%M:%S UTC ", &tm);
	if (strcmp(input, before) == 0)
		snprintf(overlap->first, sizeof(overlap->first),
			 "%stwice in %.200s", when, input);
	else
		snprintf(overlap->first, sizeof(overlap->first),
			 "%sin %.200s and %.200s", when, before, input);
}

static uint64_t key_of(unsigned flow, uint64_t chunk)
{
	return flow ? fl_hash_pair(chunk, flow) : chunk;
}

bool fl_overlap_add(struct flame *flame, unsigned flow, uint64_t chunk,
		    const char *input, int64_t start)
{
	struct fl_overlap *overlap = &flame->overlap;
	const char *name = name_of(flame, input);
	uint64_t *before;
	bool fresh;

	before = name ? fl_map_put(&overlap->seen, key_of(flow, chunk),
				   &fresh) : NULL;
	if (!before) {
		fl_no_memory(flame);
		return false;
	}
	overlap->chunks++;
	if (fresh)
		*before = (uintptr_t)name;
	else
		note(overlap, name, (const char *)(uintptr_t)*before, start);
	return !fresh;
}

bool fl_overlap_has_any(const struct flame *flame, unsigned flow,
			const struct flame *other)
{
	const struct fl_map_entry *entry;

	if (!flame->overlap.seen.count)
		return false;
	for (size_t i = 0; (entry = fl_map_each(&other->overlap.seen, &i)); )
		if (fl_map_get(&flame->overlap.seen,
			       key_of(flow, entry->key)))
			return true;
	return false;
}

void fl_overlap_join(struct flame *flame, unsigned flow,
		     const struct flame *other, const char *input)
{
	const struct fl_overlap *from = &other->overlap;
	struct fl_overlap *to = &flame->overlap;
	const struct fl_map_entry *entry;

	for (size_t i = 0; (entry = fl_map_each(&from->seen, &i)); )
		fl_overlap_add(flame, flow, entry->key, input, FLAME_NOTIME);
	to->chunks += from->repeated;
	if (from->repeated && !to->repeated)
		memcpy(to->first, from->first, sizeof(to->first));
	to->repeated += from->repeated;
}

void fl_overlap_report(struct flame *flame)
{
	struct fl_overlap *overlap = &flame->overlap;

	if (overlap->repeated)
		fl_remark(flame, "%" PRIu64 " of %" PRIu64 " chunks %s, as %s: "
			  "counted once (--overlap keep: each time)",
			  overlap->repeated, overlap->chunks,
			  overlap->repeated == 1 ? "repeats an earlier one" :
						   "repeat earlier ones",
			  overlap->first);
	overlap->chunks = overlap->repeated = 0;
}

void fl_overlap_clear(struct flame *flame)
{
	fl_map_clear(&flame->overlap.seen);
	flame->overlap.chunks = flame->overlap.repeated = 0;
	flame->overlap.input = NULL;
}
