/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dictionary room, and a tour of the house in the order data flows.
 *
 *	base/	memory.c hash.c number.c utf8.c regex.c late.c; protobuf.c reads
 *		and writes messages
 *	io/	in.c gives bytes; decoders.c finds what unpacks them: gzip.c
 *		zstd.c lz4.c xz.c bzip2.c zip.c utf16.c; ahead.c does it in a
 *		thread; mapped.c has files in memory; out.c takes bytes
 *	dict/	names.c frames.c stacks.c labels.c metrics.c: one table each;
 *		dict.c: errors and limits; absorb.c: one into another;
 *		java.c: how methods are spelt; java_class.c: classes without
 *		addresses and counters of one JVM; java_plain.c: the one name
 *		of a method
 *	flow/	source.c opens and detects; sink.c and pump.c move samples;
 *		parts.c and read_ahead.c read with the threads of
 *		thread_pool.c, sample_buffer.c keeps their samples;
 *		options.c options as rows, by kind; select.c those of every
 *		source (a format's own are beside its reader);
 *		choose_metric.c one metric of many;
 *		text.c lines and tables, for tools; progress.c
 *	format/	formats.c the table; unreadable.c names what no format
 *		reads, and what to do instead; lines.c for readers of text,
 *		dump.c for those of threads (jstack.c faulthandler.c
 *		pyspy-dump.c), native.c for those of native stacks (gdb.c
 *		bpftrace.c dtrace.c sample.c), interchange.c for units and
 *		threads as others spell them; folded/, jfr/, otlp/, perf/,
 *		picture/, pprof/ (their headers have a tour)
 *	filter/	filters.c the table; one file a filter
 *	tree/	tree.c gathers samples; layout.c puts them in order;
 *		flame_chart.c keeps theirs; samples.c what single ones tell beside
 *		their stacks; top.c ranks them
 *	draw/	page.c gathers a tree for a writer; page_options.c its options;
 *		frame_color.c palette.c classic.c: colours; svg.c html.c
 *		pack.c: the pages;
 *		tree_json.c for other viewers; rows.c gathers rows and sorts
 *		them, table.c writes them; spell.c: names and JSON's strings
 */
#ifndef FL_DICT_H
#define FL_DICT_H

#include "fl.h"

struct fl_names {
	struct fl_index index;
	struct fl_name {
		const char *text;	/* in the arena, NUL at the end */
		uint32_t size : 31;
		uint32_t as_is : 1;	/* a frame of it was entered as it is */
		flame_id frame;		/* the first in its list */
	} *data;
	size_t count, capacity;
};

/*
 * Looking one up among few is following a list: of the frames of a name, of
 * the children of a stack.  There is one more often than not.  All are in
 * the list.  Frames after the first FL_MAX_LISTED are in the index too; of a
 * stack with more children than that (it is wide) all are in the index, and
 * only the index is asked.  Of listed children, the one asked for last
 * comes first.
 */
enum { FL_MAX_LISTED = 2 };

struct fl_frames {
	struct fl_index index;
	struct flame_frame *data;
	flame_id *next;		/* of the same name */
	size_t count, capacity, next_capacity;
};

/* A parent is always entered before its children: at[i].parent < i. */
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

struct flame {
	struct fl_arena arena;
	struct fl_names names;
	struct fl_frames frames;
	struct fl_stacks stacks;
	struct fl_labels labels;
	struct flame_metric *metrics;
	size_t nmetrics, metrics_capacity;
	struct fl_index metrics_index;	/* by name */
	unsigned threads;	/* to read with; 0, 1: one */
	bool unify;		/* flame_unify_java */
	struct fl_map plain;	/* names that have another, to that one */
	/* flow/read_ahead.c: what reads ahead. */
	struct fl_files *files;
	void (*free_files)(struct fl_files *files);
	unsigned nlines;	/* struct flame_lines that are open */
	/* Of the pictures that were read: NULL no picture yet, "" none that
	   all inputs have.  In the arena. */
	const char *title;
	bool failed;
	bool exhausted;		/* it was memory: nothing helps */
	size_t memory_failures;	/* of the process, at the beginning */
	unsigned warnings;
	char error[1024];
	void (*warn)(void *, const char *);
	void *warn_arg;
	void (*remark)(void *, const char *);
	void *remark_arg;
	void (*progress)(void *, const struct flame_progress *);
	void *progress_arg;
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
 * metrics.c: flame_metric, with what its samples weigh in: the unit of its
 * total, or "samples".  0 where memory is out.
 */
flame_id fl_metric(struct flame *flame, const char *name, const char *unit,
		   const char *weight);
/* Whether it was given more than one of these: its sums mean nothing. */
bool fl_metric_is_mixed(const struct flame *flame, flame_id metric);

/* absorb.c: by an id of one dictionary, that of another. */
struct fl_ids {
	flame_id *data;
	size_t count, capacity;
};

struct fl_absorbed {
	struct fl_ids names, frames, stacks, labels, metrics;
};

/*
 * Enters in `to` what `from` has beyond what the map (zeroed at first)
 * knows, in the order of from's ids; counts of metrics are moved, and from's
 * are none after that.  false: failed, as `to` says.
 */
bool fl_absorb(struct flame *to, struct flame *from, struct fl_absorbed *map);
/* Names and frames only. */
bool fl_absorb_frames(struct flame *to, const struct flame *from,
		      struct fl_absorbed *map);
void fl_absorbed_free(struct fl_absorbed *map);

/*
 * flame_name of a text whose fl_hash is known.  Between _soon and the same
 * asked for good there is time to fetch what memory it takes.
 */
flame_id fl_name_hashed(struct flame *flame, const char *text, size_t size,
			uint64_t hash);

static inline void fl_name_prefetch(const struct flame *f, uint64_t hash)
{
	fl_index_prefetch(&f->names.index, hash);
}

/*
 * As flame_stack where it is there, else 0.  Several threads may look at
 * once, as long as nobody enters anything.
 */
flame_id fl_stack_find(const struct flame *flame, flame_id parent,
		       flame_id frame);
/*
 * Of stacks that begin with `stack`, as much as is there already.  Side by
 * side, as each frame of one alone waits for memory that only the frame before
 * leads to.
 */
struct fl_pair {
	flame_id frame, stack;
};

struct fl_stack_lookup {
	struct fl_pair *pair;	/* the root's first; stacks are for us */
	size_t count, done;		/* of these; done of them are there, */
	flame_id stack;		/* down to this one */
	/* On the way: */
	flame_id child;
	uint32_t slot;
	uint64_t hash;
	unsigned step;
};

enum { FL_LOOKUP_BATCH = 16 };

void fl_stacks_lookup_batch(const struct flame *flame,
			    struct fl_stack_lookup *d, unsigned n);
/* There are none any more, nor their memory.  false: memory is out. */
bool fl_stacks_clear(struct flame *flame);

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

/* A name from text that ends in NUL. */
flame_id fl_name(struct flame *flame, const char *text);
/* flame_frame whose name stays, whatever flame_unify_java says. */
flame_id fl_frame_as_is(struct flame *flame, const struct flame_frame *frame);
/* A frame that is only a name and a type. */
flame_id fl_frame(struct flame *flame, flame_id name, enum flame_type type);

/* How many values enum flame_type has; numbers in files may be more. */
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

/* A name without the "_[j]" of folded text, and the type that this is. */
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

#endif
