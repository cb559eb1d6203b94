/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps that a bpftrace script prints more than once.  Without clear() each
 * print has the counts of all the run: the last one is the sum.  With clear()
 * the prints add up.
 */
#ifndef FL_BPFTRACE_PRINTS_H
#define FL_BPFTRACE_PRINTS_H

#include "flow/flow.h"

/* An entry of a map, by its key. */
struct fl_bpf_entry {
	uint32_t map;
	uint64_t print;		/* that has it last */
	flame_id stack, thread, metric;
	flame_id user_first;	/* the stack if the user's is first; or 0 */
	int64_t last, sum;
};

struct fl_bpf_map {
	flame_id name;
	bool stacks;		/* its values are stacks */
	int64_t order;		/* above 0: most keys have the user's first */
	bool apart;		/* a print lacks a key of an earlier one */
	bool fell;		/* a count is smaller than one before */
	uint64_t prints, keys, in_print;	/* in the current one */
	uint64_t again;		/* entries whose key was there before */
};

/* Zeroed: empty. */
struct fl_bpf_prints {
	struct fl_bpf_map *maps;
	struct fl_bpf_entry *entries;
	size_t nmaps, maps_capacity, nentries, entries_capacity;
	size_t last;		/* the map of the entry that came last */
	bool cut;		/* the input ends within its print */
	struct fl_map by_key;
};

/* What a print has: a count, or a stack that weighs 1. */
struct fl_bpf_value {
	flame_id stack, thread, metric;
	flame_id user_first;	/* see struct fl_bpf_entry */
	int order;		/* 1: the user's stack is first; 0: not known */
	int64_t weight;
	bool is_stack;
	bool apart;		/* something stands between it and the last */
};

/* false: failed. */
bool fl_bpf_prints_add(struct flame *flame, struct fl_bpf_prints *prints,
		       struct slice map, struct slice key,
		       const struct fl_bpf_value *value);
/* The order of the keys' stacks is one for a map. */
flame_id fl_bpf_prints_stack(const struct fl_bpf_prints *prints,
			     const struct fl_bpf_entry *entry);
/* Whether an entry's value is its last one, or the sum of all. */
int64_t fl_bpf_prints_weight(const struct fl_bpf_prints *prints,
			     const struct fl_bpf_entry *entry);
/* Reports how the prints of each map were read, and empties the table. */
void fl_bpf_prints_end(struct flame *flame, struct fl_bpf_prints *prints,
		       const char *input);
void fl_bpf_prints_free(struct fl_bpf_prints *prints);

#endif
