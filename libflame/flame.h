/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libflame: any profile in, flame graphs out.
 *
 * Every profile is a dictionary of names, frames and stacks, and a flow of
 * small samples that point into it:
 *
 *	source --sample--> filter --sample--> ... --sample--> sink
 *
 * Five nouns: struct flame (the dictionary), struct flame_sample (a weight
 * at a stack), struct flame_source (pull: a reader), struct flame_sink
 * (push: a writer, a filter or a tree) and struct flame_tree (a flow that
 * has become a whole).  Two sources into one sink are a merge.
 *
 * Unless a function says otherwise: functions that return int give FLAME_OK
 * or FLAME_FAILED, with the text in flame_error(); pointers that are NULL
 * mean failure, with the text in flame_error(); strings are UTF-8 as far as
 * the input was, and are copied; nothing here prints, exits or aborts.  A
 * dictionary and all that hangs on it belong to one thread at a time.
 */
#ifndef FLAME_H
#define FLAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FLAME_VERSION "0.1.0"

/* Dense, never moves, never dies; 0 is the empty one of its kind. */
typedef uint32_t flame_id;

enum { FLAME_OK = 0, FLAME_END = 1, FLAME_FAILED = -1 };

/* A time that is not known. */
#define FLAME_NOTIME INT64_MIN

/*
 * How a frame ran.  The first seven are async-profiler's numbers plus one
 * (its FrameType constants; JDK Flight Recorder uses 0 to 2 alike).
 */
enum flame_type {
	FLAME_UNKNOWN,		/* text without a suffix */
	FLAME_INTERPRETED,	/* _[0] */
	FLAME_JIT,		/* _[j] */
	FLAME_INLINED,		/* _[i] */
	FLAME_NATIVE,		/* C code, or what has no better name */
	FLAME_CPP,
	FLAME_KERNEL,		/* _[k] */
	FLAME_C1,		/* _[1] */
	FLAME_JAVA_NATIVE,	/* a Java method written in C */
	FLAME_GROUP,		/* a frame of ours: thread, category, key */
	FLAME_WAKER		/* _[w]: of the stack that woke the one below */
};

struct flame_frame {
	flame_id name, file;
	uint32_t line;		/* 0: not known */
	enum flame_type type;
};

struct flame_sample {
	flame_id stack, metric, thread, labels;
	int64_t time;		/* ns since 1970, or FLAME_NOTIME */
	int64_t weight;		/* in the metric's unit */
};

struct flame;
struct flame_source;
struct flame_sink;
struct flame_tree;
struct flame_lines;
struct flame_text;
struct flame_trees;

/*
 * The dictionary.  flame_new gives NULL only where memory is out.
 * flame_free ends all ids and borrowed strings; sources, sinks and trees
 * that hang on it must be gone before.
 */
struct flame *flame_new(void);
void flame_free(struct flame *flame);

/* The first failure, one line without a newline; "" if there was none. */
const char *flame_error(const struct flame *flame);

/*
 * Forgets the failure of an input, so that the next may be read; what was
 * interned stays.  Not after a failure of an output; one of memory is not
 * forgotten (FLAME_FAILED).
 */
int flame_clear(struct flame *flame);

/* Warnings: damage from which whole records were kept, guesses, losses. */
void flame_on_warning(struct flame *flame,
		      void (*warn)(void *arg, const char *line), void *arg);

/* Remarks: what was chosen where several answers were possible. */
void flame_on_remark(struct flame *flame,
		     void (*remark)(void *arg, const char *line), void *arg);

/*
 * How far an input is read: called by whoever reads it, about once in a
 * megabyte (or in what a pipe gives at once), before it is parsed.  The
 * function should be quick, and must not call back into the library.
 */
struct flame_progress {
	const char *input;	/* its name */
	uint64_t done, size;	/* bytes as they lie there, packed or not;
				   size is 0 where it is not known */
};
void flame_on_progress(struct flame *flame,
		       void (*progress)(void *arg,
					const struct flame_progress *at),
		       void *arg);

/* Damage that was survived so far, in warnings. */
unsigned flame_warnings(const struct flame *flame);

/*
 * Fail rather than let what the library holds grow beyond this; 0: no limit.
 * Counted is all that grows, of all dictionaries, readers, writers and
 * threads of the process, as asked of malloc; mapped files are not.  There is
 * one limit, the one set last.
 */
void flame_limit(struct flame *flame, size_t bytes);
/*
 * The longest line that inputs may have which are opened from now on: one that
 * has a longer one is not read on.  64 MB, unless bytes are more; 0: no limit.
 * It holds for the process, too.
 */
void flame_limit_line(struct flame *flame, size_t bytes);

/*
 * For a handler of SIGBUS: whether this address (si_addr) is in an input that
 * is mapped, and became shorter, or cannot be read.  Then what is gone reads
 * as zeros from here on, and counts as damage: the handler may return.  Safe
 * in any thread, in a handler of a signal that a memory access has raised.
 */
bool flame_shrunk(const void *at);

/*
 * Read with n threads (flame_pump, flame_ahead); 0 and 1: the caller's alone.
 * What comes out is the same.
 */
void flame_threads(struct flame *flame, unsigned n);

/*
 * Whether flame_frame, and all that is read, gives Java's methods one name:
 * a/b/C.m however it is spelt (La/b/C;::m, void a.b.C.m(int)), and one class
 * for those whose names differ from one JVM to another by an address or a
 * counter only (lambdas, proxies, generated classes).  At first it does not.
 * Say so before anything is read.
 */
void flame_unify_java(struct flame *flame, bool unify);

/*
 * Interning: same in, same id out.  0 for the empty one, and after a
 * failure (which flame_error keeps, so a loop may ask once at its end).
 */
flame_id flame_name(struct flame *flame, const char *text, size_t size);
flame_id flame_frame(struct flame *flame, const struct flame_frame *frame);
flame_id flame_stack(struct flame *flame, flame_id parent, flame_id frame);
flame_id flame_label(struct flame *flame, flame_id set, flame_id key,
		     flame_id value);
flame_id flame_metric(struct flame *flame, const char *name, const char *unit);

/* Looking up.  Text is borrowed and ends in NUL; size may be NULL. */
const char *flame_name_text(const struct flame *flame, flame_id name,
			    size_t *size);
const struct flame_frame *flame_frame_of(const struct flame *flame,
					 flame_id frame);
flame_id flame_stack_parent(const struct flame *flame, flame_id stack);
flame_id flame_stack_frame(const struct flame *flame, flame_id stack);

/* The value (a name) that a label set has for a key (a name); 0: none. */
flame_id flame_label_get(const struct flame *flame, flame_id set,
			 flame_id key);

/*
 * What is known of a metric: of all sources so far, selected or not, so
 * that a tool can name what it did not take.
 */
struct flame_metric {
	const char *name;	/* "cpu", "alloc", "jdk.FileRead" */
	const char *unit;	/* of the total: "samples", "bytes", "ns" */
	/* Of weights given out: that, "samples", "mixed units" (of several). */
	const char *weight;
	uint64_t samples;	/* what a sample weighs without "total" */
	uint64_t no_stack;	/* of these, without a stack: not drawn */
	int64_t total;		/* sum of values in the unit */
	int64_t first, last;	/* ns since 1970, or FLAME_NOTIME */
	uint64_t threads;	/* distinct; 0 where not counted */
};

/* Metric ids run from 1 to flame_metrics(). */
unsigned flame_metrics(const struct flame *flame);
const struct flame_metric *flame_metric_of(const struct flame *flame,
					   flame_id metric);

/*
 * A source.  path "-" is standard input; a NULL format detects by content
 * (never by name).  Wrappers (gzip, zlib, zstd, lz4, xz, lzma, bzip2, zip,
 * UTF-16) are seen through, also where they follow one another.
 *
 * flame_ask says what to read; options are the rows of kinds 's' and 'd' (see
 * flame_rows).  Must come before the first flame_next.
 * flame_next fills *sample and gives FLAME_OK, or FLAME_END, or
 * FLAME_FAILED.  flame_close takes NULL too.
 */
struct flame_source *flame_open(struct flame *flame, const char *path,
				const char *format);
struct flame_source *flame_open_memory(struct flame *flame, const void *bytes,
				       size_t size, const char *name,
				       const char *format);
int flame_ask(struct flame_source *source, const char *option,
	      const char *value);
int flame_next(struct flame_source *source, struct flame_sample *sample);
void flame_close(struct flame_source *source);

/*
 * How much of it was lost, once it was read: 0 nothing, 1 some (warnings
 * tell), or the input is empty, 2 all: there was not one whole record.  2 also
 * where flame_next or flame_pump has failed on what is no profile, and nothing
 * came of it: after flame_clear, other sources can be read.  3 some, as a
 * packed input was not read to its end: it unpacks to far more than its size,
 * or an input has a line that is too long (flame_limit_line).
 */
int flame_source_damage(const struct flame_source *source);

/* The name of the format that was detected. */
const char *flame_source_format(const struct flame_source *source);

/*
 * What a source says of itself once it was read: pairs of a heading and a
 * text, in order.  Gives how many; 0 for formats that know nothing.
 */
struct flame_fact {
	const char *key, *value;
};
size_t flame_facts(const struct flame_source *source,
		   const struct flame_fact **facts);

/*
 * A sink that writes.  path "-" is standard output.  The file appears whole
 * or not at all: it is written beside and renamed by flame_finish.
 */
struct flame_sink *flame_create(struct flame *flame, const char *path,
				const char *format);

/* A filter in front of next, which it owns: finish the outermost only. */
struct flame_sink *flame_filter(struct flame_sink *next, const char *name,
				const char *arg);

/*
 * Takes one metric: the one asked for, or (NULL) cpu if there is any, else
 * the one with most samples.  Remarks name the choice and the others.  A
 * page that was told --events (flame_set) takes those instead.
 */
struct flame_sink *flame_pick(struct flame_sink *next, const char *event);

/* Options of the writer at the end of the chain. */
int flame_set(struct flame_sink *sink, const char *option, const char *value);
int flame_put(struct flame_sink *sink, const struct flame_sample *sample);

/* next -> put until the end. */
int flame_pump(struct flame_source *source, struct flame_sink *sink);
/*
 * Some other thread (flame_threads) may read this source, of a small file,
 * while those before it are pumped into the sink: sources should be pumped
 * in the order in which this is said of them.  What comes out, and what is
 * said, is the same; a sink must not be told of a source that then goes to
 * another.
 */
int flame_ahead(struct flame_source *source, struct flame_sink *sink);

/* Ends and frees the chain: the only place where success is known. */
int flame_finish(struct flame_sink *sink);

/* Frees the chain and leaves no output behind; takes NULL too. */
void flame_abandon(struct flame_sink *sink);

/*
 * A tree: a flow that has become a whole.  1 column to draw, 2 to compare.
 * flame_tree_sink gives a sink that counts into one column; finish it.
 */
struct flame_tree *flame_tree_new(struct flame *flame, unsigned columns);
struct flame_sink *flame_tree_sink(struct flame_tree *tree, unsigned column);
/*
 * Into a sink of flame_create's: a page or folded text of one column, or of
 * what is between two (the tree must last until the sink is finished).
 */
int flame_tree_write(struct flame_tree *tree, struct flame_sink *sink);
/* The name of the metric it gathered last; "" if none. */
const char *flame_tree_metric(const struct flame_tree *tree);
int64_t flame_tree_total(const struct flame_tree *tree, unsigned column);
/*
 * How long a column's profiles were recorded, in ns: as recordings say of
 * themselves, else from the first to the last time of a sample, within the
 * times that were asked for.  Several are one, gaps included.  0: not known.
 */
int64_t flame_tree_duration(const struct flame_tree *tree, unsigned column);
/*
 * Weights of a column become weight * total / its own total, rounded
 * towards zero, each for itself: their sum may be a little less than total.
 */
void flame_tree_scale(struct flame_tree *tree, unsigned column, int64_t total);

/*
 * What names weigh, in no particular order.  The list is the tree's, good
 * until the next ranking.
 *
 * FLAME_NAMES: all that occur.  self is where they are the leaf; total is
 * where they are on the stack, which counts once however often they are.
 * Stacks of no frames are the empty name's, so selfs sum up to the tree.
 * FLAME_CALLERS: who calls the outermost frame whose name matches re (the
 * empty name: nobody).  total is what comes in, and sums up to all stacks
 * with such a frame; self is what of it ends in a frame that matches.
 * FLAME_CALLEES: what the innermost such frame calls (the empty name: it is
 * the leaf).  total sums up as before; self is what of it ends there.
 */
enum flame_ranking { FLAME_NAMES, FLAME_CALLERS, FLAME_CALLEES };
struct flame_rank {
	flame_id name;
	int64_t self[2], total[2];	/* by column */
};
int flame_tree_rank(struct flame_tree *tree, enum flame_ranking which,
		    const char *re, const struct flame_rank **ranks, size_t *n);

/*
 * The nodes: a parent right before its children, which come heaviest first
 * and at equal weights in the order of their names; node 0 is all of it and
 * has no name.  Those lighter than minimum are left out.  The list is the
 * tree's, good until the next.
 */
struct flame_node {
	flame_id name;
	enum flame_type type;
	uint32_t level;			/* of node 0: 0 */
	int64_t self[2], total[2];	/* by column */
};
int flame_tree_nodes(struct flame_tree *tree, double minimum,
		     const struct flame_node **nodes, size_t *n);
void flame_tree_free(struct flame_tree *tree);

/*
 * A tree of one column for each metric of a flow.  The sink of flame_trees_sink
 * counts each sample in the tree of its metric and passes it on to next, which
 * it owns, as flame_filter's does; it must be gone before the trees are freed.
 * flame_trees_at: in the order of first samples; NULL past the last.  A tree
 * is theirs, and goes with them.
 */
struct flame_trees *flame_trees_new(struct flame *flame);
struct flame_sink *flame_trees_sink(struct flame_trees *trees,
				    struct flame_sink *next);
struct flame_tree *flame_trees_at(const struct flame_trees *trees, size_t i);
void flame_trees_free(struct flame_trees *trees);

/*
 * Text, for programs whose work is on lines or tables.  In: path and
 * wrappers as for flame_open.  A line comes without its \n or \r\n, may
 * hold anything else, and stays until the next; flame_lines_next gives
 * FLAME_OK, FLAME_END (a warning tells if the input was cut short; what was
 * left of its last line is lost) or FLAME_FAILED.  Out: an output as
 * flame_create's; flame_text_finish frees it and is where success is known.
 * Close and abandon take NULL too.
 */
struct flame_lines *flame_lines_open(struct flame *flame, const char *path);
int flame_lines_next(struct flame_lines *lines, const char **line,
		     size_t *size);
/* At the end: as flame_source_damage, 0, 1 or 3. */
int flame_lines_damage(const struct flame_lines *lines);
void flame_lines_close(struct flame_lines *lines);
struct flame_text *flame_text_create(struct flame *flame, const char *path);
int flame_text_put(struct flame_text *text, const char *at, size_t size);
int flame_text_finish(struct flame_text *text);
void flame_text_abandon(struct flame_text *text);

/*
 * The tables that options are made of.  kind tells what a row is for:
 * 'f' a filter (flame_filter), 's' a selection (flame_ask), 'd' a detail of
 * how one format is read (flame_ask), 'w' an option of writers (flame_set),
 * 'p' a detail of pictures (flame_set), 'i' an input format, 'o' an output format, 'c' a colour scheme.  A row has a name, an argument (NULL: none) and a
 * summary of one line; filters of a chain run in the order of their ranks.
 * Gives 1, or 0 past the end.
 */
struct flame_row {
	char kind;
	const char *name, *argument, *summary;
	int rank;
	int joins;	/* given again, arguments are joined by newlines */
	int hidden;	/* no option of its own: --compat uses it */
};
int flame_rows(char kind, unsigned index, struct flame_row *row);

/* By a file name's ending, before .gz or .zst: an output format, or NULL. */
const char *flame_format_of(const char *path);

/*
 * A label that a path tells by itself: app, attempt, executor, stage, epoch,
 * host, pid or container, in the layouts of Spark's profilers, YARN and
 * HProfiler.  false: it tells none of this key, or the value and its NUL do
 * not fit in size bytes.  No file is opened.
 */
bool flame_path_label(const char *path, const char *key, char *value,
		      size_t size);

/*
 * Text from inputs as a terminal or a table may have it: control characters
 * of ASCII are blanks, what is no UTF-8 is '?', and characters that are not
 * seen, or change how others are, are told: <U+202E>.  Writes what fits of
 * it in room bytes, and a NUL; gives the size of all, as snprintf does.
 */
size_t flame_visible(char *to, size_t room, const char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
