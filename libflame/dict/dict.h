/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dictionary.  names.c, frames.c, stacks.c, labels.c and metrics.c have one
 * table each; dict.c has the limits, absorb.c puts one into another, overlap.c
 * knows chunks of recordings that were read before.  java.c says how methods
 * are spelt, java_class.c removes the addresses and counters of one JVM from
 * names of classes, java_plain.c finds the one name of a method.
 */
#ifndef FL_DICT_H
#define FL_DICT_H

#include "fl.h"

#include "base/report.h"

struct fl_names {
	struct fl_index index;
	struct fl_name {
		const char *text;	/* in the arena, NUL at the end */
		uint32_t size : 31;
		uint32_t as_is : 1;	/* a frame keeps it unchanged */
		flame_id frame;		/* head of the list of its frames */
	} *data;
	size_t count, capacity;
};

/*
 * The frames of a name and the children of a stack are in lists, as most have
 * one or two.  Frames after the first FL_MAX_LISTED of a name are in the index
 * too.  A stack with more than FL_MAX_LISTED children is `wide`: all of them
 * are in the index, and lookups ask the index alone.  A list of children is in
 * the order of last use.
 */
enum { FL_MAX_LISTED = 2 };

struct fl_frames {
	struct fl_index index;
	struct flame_frame *data;
	flame_id *next;		/* frame of the same name; 0: none */
	size_t count, capacity, next_capacity;
};

/* A parent is always entered before its children: data[i].parent < i. */
struct fl_stacks {
	struct fl_index index;
	struct fl_stack {
		flame_id parent, frame;
		flame_id child : 31;
		uint32_t wide : 1;
		flame_id sibling;
	} *data;
	size_t count, capacity;
};

/* A set is a chain of (set without it, key, value); keys ascend. */
struct fl_labels {
	struct fl_index index;
	struct fl_label { flame_id rest, key, value; } *data;
	size_t count, capacity;
};

/* overlap.c */
struct fl_overlap {
	struct fl_map seen;	/* flow and chunk -> the name of its input */
	const char *input;	/* the last such name */
	uint64_t chunks, repeated;	/* since the last report */
	char first[512];	/* of the repeated ones */
};

struct flame {
	struct fl_report report;	/* first: see report.h */
	struct fl_arena arena;
	struct fl_names names;
	struct fl_frames frames;
	struct fl_stacks stacks;
	struct fl_labels labels;
	struct fl_whole {
		flame_id parent;	/* of all; 0: there are none */
		flame_id *stack;	/* by name */
		size_t capacity;
	} whole;
	struct flame_metric *metrics;
	size_t nmetrics, metrics_capacity;
	struct fl_index metrics_index;	/* by name */
	unsigned threads;	/* to read with; 0, 1: one */
	size_t parallel_size;	/* of a test: see fl_parallel_size */
	bool unify;		/* flame_unify_java */
	bool demangle;		/* flame_demangle */
	struct fl_map plain;	/* names that have another, to that one */
	/* flow/read_ahead.c: inputs that are read in advance. */
	struct fl_files *files;
	void (*free_files)(struct fl_files *files);
	struct fl_runs *runs;	/* flow/runs.c: times of samples; or NULL */
	void (*free_runs)(struct flame *flame);
	struct fl_spark *spark;	/* spark/files.c: logs that are in use */
	/* Metrics in headers of folded text: the first, another. */
	struct fl_stated {
		flame_id metric;	/* 0: none */
		const char *input;	/* the header that names it */
	} stated[2];
	/* flow/source.c: inputs that were opened, and those that are empty. */
	size_t ninputs, nempty;
	struct fl_overlap overlap;	/* chunks of recordings */
	unsigned nsinks;	/* flows are told apart by their first sink */
	struct flame_sink *finished;	/* flow/sink.c: a list */
	void (*free_finished)(struct flame *flame);
	bool refuse_empty;	/* flame_refuse_empty */
	bool refused_empty;	/* it has failed for that */
	unsigned nlines;	/* open struct flame_lines */
	/* The title of the pictures read so far, in the arena; NULL: no
	   picture yet, "": they have different ones. */
	const char *title;
	int (*member)(void *, const char *, struct flame_source *, int);
	void *member_arg;
};

static inline flame_id fl_parent(const struct flame *f, flame_id stack)
{
	return f->stacks.data[stack].parent;
}

static inline flame_id fl_frame_id(const struct flame *f, flame_id stack)
{
	return f->stacks.data[stack].frame;
}

static inline const struct flame_frame *fl_frame_at(const struct flame *f,
						    flame_id stack)
{
	return &f->frames.data[fl_frame_id(f, stack)];
}

static inline struct slice fl_name_at(const struct flame *f, flame_id name)
{
	return (struct slice){ f->names.data[name].text,
			       f->names.data[name].size };
}

/*
 * metrics.c: flame_metric, with the unit of its samples' weights: that of its
 * total, or "samples".  0: out of memory.
 */
flame_id fl_metric(struct flame *flame, const char *name, const char *unit,
		   const char *weight);
/*
 * Counts samples that weigh so much together for their metric.  Sums that pass
 * the largest number stay there; writers report weights that do.
 */
void fl_metric_count(struct flame *flame, flame_id metric, uint64_t samples,
		     int64_t weight);
/* The metric has samples from first to last; either may be FLAME_NOTIME. */
void fl_metric_span(struct flame *flame, flame_id metric, int64_t first,
		    int64_t last);
/* A row of text weighs so much: how many samples, where these are its unit. */
uint64_t fl_metric_samples(const struct flame *flame, flame_id metric,
			   int64_t weight);
/* Units in millionths, which text has as fractions: 1500000 is 1.5. */
#define FL_CORE_US "core-us"
#define FL_MONEY_MILLIONTH "money/1000000"

/* A weight, and its unit, as they stand in text. */
void fl_put_weight(struct fl_buf *out, const struct flame_metric *metric,
		   int64_t weight);
const char *fl_unit_in_text(const struct flame_metric *metric);
/* Whether its samples came in several units: their sum means nothing. */
bool fl_metric_is_mixed(const struct flame *flame, flame_id metric);
/* An input says that all of its weights are of this metric. */
void fl_state_metric(struct flame *flame, flame_id metric, const char *input);

/* absorb.c: ids of one dictionary by the ids of another. */
struct fl_ids {
	flame_id *data;
	size_t count, capacity;
};

struct fl_absorbed {
	struct fl_ids names, frames, stacks, labels, metrics;
};

/*
 * Interns in `to` the entries of `from` that the map (zeroed at first) lacks,
 * in the order of their ids.  Counts of metrics move: from's are zero after
 * it.  false: failed, flame_error(to) says why.
 */
bool fl_absorb(struct flame *to, struct flame *from, struct fl_absorbed *map);
void fl_absorbed_free(struct fl_absorbed *map);

/*
 * flame_name of a text whose fl_hash is known.  fl_name_prefetch some time
 * earlier lets the lookup find its slot in the cache.
 */
flame_id fl_name_hashed(struct flame *flame, const char *text, size_t size,
			uint64_t hash);

static inline void fl_name_prefetch(const struct flame *f, uint64_t hash)
{
	fl_index_prefetch(&f->names.index, hash);
}

/*
 * The id of a stack that exists, or 0.  Several threads may look up at once
 * as long as none enters a stack.
 */
flame_id fl_stack_find(const struct flame *flame, flame_id parent,
		       flame_id frame);
/*
 * Batch lookup: the longest prefix of each list of frames that is a stack.
 * Lookups of a batch share their waits for memory; see stack_lookup.c.
 */
struct fl_pair {
	flame_id frame, stack;
};

struct fl_stack_lookup {
	struct fl_pair *pair;	/* root first; frames in, stacks out */
	size_t count, done;		/* pairs; `done` of them were found, */
	flame_id stack;		/* starting at, and ending in, this one */
	/* State of the lookup: */
	flame_id child;
	uint32_t slot;
	uint64_t hash;
	unsigned step;
};

enum { FL_LOOKUP_BATCH = 16 };

void fl_stacks_lookup_batch(const struct flame *flame,
			    struct fl_stack_lookup *d, unsigned n);

static inline void fl_stack_prefetch(const struct flame *f, flame_id parent,
				     flame_id frame)
{
	const struct fl_stack *s = &f->stacks.data[parent];

	if (s->wide)
		fl_index_prefetch(&f->stacks.index,
				  fl_hash_pair(parent, frame));
	else
		fl_prefetch(&f->stacks.data[s->child]);
}

/*
 * A whole stack: one that is one name, whose frames are what a ';' separates.
 * Such a stack comes only to sinks that ask for it (struct flame_sink).  The
 * hash is fl_hash's.  0: failed.
 */
flame_id fl_whole_stack(struct flame *flame, const char *text, size_t size,
			uint64_t hash);
/* The same stack, of frames.  0: failed. */
flame_id fl_whole_split(struct flame *flame, flame_id stack);

static inline bool fl_is_whole(const struct flame *f, flame_id stack)
{
	return stack && f->stacks.data[stack].parent == f->whole.parent &&
	       f->whole.parent;
}

/* flame_name of text that ends in NUL. */
flame_id fl_name(struct flame *flame, const char *text);
/* flame_frame, exempt from flame_unify_java. */
flame_id fl_frame_as_is(struct flame *flame, const struct flame_frame *frame);
/* A frame of a name and a type, without file and line. */
flame_id fl_frame(struct flame *flame, flame_id name, enum flame_type type);

/* The number of enum flame_type's values; check numbers from files by it. */
#define FL_TYPES (FLAME_WAKER + 1u)

static inline enum flame_type fl_type_of_suffix(char letter)
{
	switch (letter) {
	case '0':
		return FLAME_INTERPRETED;
	case '1':
		return FLAME_C1;
	case 'i':
		return FLAME_INLINED;
	case 'j':
		return FLAME_JIT;
	case 'k':
		return FLAME_KERNEL;
	case 'w':
		return FLAME_WAKER;
	}
	return FLAME_UNKNOWN;
}

/* Splits "name_[j]" of folded text into its name and type. */
static inline struct slice fl_split_type(struct slice name,
					 enum flame_type *type)
{
	const char *at = name.data + (name.size > 4 ? name.size - 4 : 0);

	*type = FLAME_UNKNOWN;
	if (name.size > 4 && fl_unlikely(at[3] == ']') && at[0] == '_' &&
	    at[1] == '[')
		*type = fl_type_of_suffix(at[2]);
	if (*type)
		name.size -= 4;
	return name;
}

/* overlap.c ----------------------------------------------------------- */

/*
 * Whether this chunk of a recording was read before for the flow (0: of a
 * source without sinks); else remembers it.
 */
bool fl_overlap_add(struct flame *flame, unsigned flow, uint64_t chunk,
		    const char *input, int64_t start);
/* Whether another dictionary's source (flow 0) had chunks of this flow. */
bool fl_overlap_has_any(const struct flame *flame, unsigned flow,
			const struct flame *other);
/* Adds these chunks to a flow that has none of them. */
void fl_overlap_join(struct flame *flame, unsigned flow,
		     const struct flame *other, const char *input);
/* A remark where chunks were repeated since the last one. */
void fl_overlap_report(struct flame *flame);
void fl_overlap_clear(struct flame *flame);

#endif
