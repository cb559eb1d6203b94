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
 * Unless a function says otherwise: functions that return int return FLAME_OK
 * or FLAME_FAILED, with the text in flame_error(); pointers that are NULL
 * mean failure, with the text in flame_error(); strings are UTF-8 as far as
 * the input was, and are copied; nothing here prints, exits or aborts.  A
 * dictionary and all that hangs on it belong to one thread at a time.
 *
 * Misuse fails and changes nothing: a handle or a pointer that is NULL, an id
 * that the dictionary does not have, a sink that was finished or is of another
 * dictionary, a column or a size out of range.  Functions that return int
 * return FLAME_FAILED then (flame_rows 0), functions that return an id or a
 * number 0, pointers are NULL, but texts and the structs of flame_frame_of and
 * flame_metric_of empty.  The text is in flame_error of the dictionary, where
 * it is known, but for functions that only look up: these leave it as it is.
 * An id of another dictionary is not detected where this one has that id, too.
 * A source is not to be used after flame_close, a tree after flame_tree_free,
 * and nothing of a dictionary after flame_free.
 */
#ifndef FLAME_H
#define FLAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version that a program is compiled with: the parts, 103 for 0.1.3. */
#define FLAME_VERSION_MAJOR 0
#define FLAME_VERSION_MINOR 1
#define FLAME_VERSION_PATCH 0
#define FLAME_VERSION_NUMBER (FLAME_VERSION_MAJOR * 10000 + \
			      FLAME_VERSION_MINOR * 100 + FLAME_VERSION_PATCH)
#define FLAME_VERSION "0.1.0"

/* Those of the library that it runs with. */
const char *flame_version(void);
unsigned flame_version_number(void);

/* Dense, never moves, never dies; 0 is the empty one of its kind. */
typedef uint32_t flame_id;

enum { FLAME_OK = 0, FLAME_END = 1, FLAME_FAILED = -1 };

/* A time that is not known. */
#define FLAME_NOTIME INT64_MIN

/* What frees the result of a function, for compilers that check the pairs. */
#if defined(__GNUC__) && !defined(__clang__)
#if __GNUC__ >= 11
#define FLAME_FREED_BY(function) __attribute__((__malloc__(function, 1)))
#endif
#endif
#ifndef FLAME_FREED_BY
#define FLAME_FREED_BY(function)
#endif

/*
 * How a frame ran.  The first seven are async-profiler's numbers plus one
 * (its FrameType constants; JDK Flight Recorder uses 0 to 2 alike).
 */
enum flame_type {
	FLAME_UNKNOWN,		/* text without a suffix */
	FLAME_INTERPRETED,	/* _[0] */
	FLAME_JIT,		/* _[j] */
	FLAME_INLINED,		/* _[i] */
	FLAME_NATIVE,		/* C code, and unknown native code */
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

/*
 * The dictionary.  flame_new returns NULL if memory is exhausted.
 * flame_free invalidates all ids and borrowed strings; free sources, sinks
 * and trees of the dictionary before.
 */
void flame_free(struct flame *flame);
struct flame *flame_new(void) FLAME_FREED_BY(flame_free);

/* The first failure, one line without a newline; "" if there was none. */
const char *flame_error(const struct flame *flame);

/*
 * Clears the failure of an input, so that the next can be read; interned
 * entries stay.  Not for failures of outputs.  Exhausted memory cannot be
 * cleared (FLAME_FAILED).
 */
int flame_clear(struct flame *flame);

/* Warnings: damage from which whole records were read, guesses, losses. */
void flame_on_warning(struct flame *flame,
		      void (*warn)(void *arg, const char *line), void *arg);

/* Remarks: choices made where several answers were possible. */
void flame_on_remark(struct flame *flame,
		     void (*remark)(void *arg, const char *line), void *arg);

/*
 * Progress of reading: called in the thread that reads, about once a megabyte
 * (or once a read of a pipe), before parsing.  The function should be quick,
 * and must not call the library.
 */
struct flame_progress {
	const char *input;	/* its name */
	uint64_t done, size;	/* bytes of the file, packed or not; size 0:
				   unknown */
};
void flame_on_progress(struct flame *flame,
		       void (*progress)(void *arg,
					const struct flame_progress *at),
		       void *arg);

/*
 * Members of archives.  A source may be a tar archive, as flame_source_format
 * says: flame_next and flame_pump return the samples of its members in turn,
 * which are sources of their own, asked for what it was asked for.  The
 * function hears of each: FLAME_OK: it was opened; FLAME_END: it was read;
 * FLAME_FAILED: it could not be (flame_error), and source is NULL where it was
 * not opened.  It returns FLAME_OK to go on with the next, having called
 * flame_clear where one failed.  NULL: members that are not profiles are
 * warnings.
 */
void flame_on_member(struct flame *flame,
		     int (*member)(void *arg, const char *name,
				   struct flame_source *source, int status),
		     void *arg);

/* The number of warnings so far. */
unsigned flame_warnings(const struct flame *flame);

/*
 * Limits the memory of the library; 0: no limit.  Beyond it functions fail.
 * The limit covers allocations of all dictionaries, readers, writers and
 * threads of the process, but no mapped files.  The process has one limit, the
 * one set last.
 */
void flame_process_limit(struct flame *flame, size_t bytes);
/*
 * Limits the lines of inputs that are opened from now on: reading ends at a
 * longer line.  At least 64 MB, which is the default; 0: no limit.  The process
 * has one limit.
 */
void flame_process_limit_line(struct flame *flame, size_t bytes);

/*
 * How inputs that are URLs are fetched from now on, by the whole process:
 * "timeout", the seconds without a byte, or with hardly any, after which a
 * connection is given up (30); "retries", after which an input
 * that makes no progress is (4); "token", a delegation token of Hadoop.
 * FLAME_FAILED: no such option, or no such value.
 */
int flame_process_url_option(struct flame *flame, const char *option,
		     const char *value);

/*
 * From now on each input of the process, whatever its name but "-", is what a
 * command prints: "CMD {}", where {} is the path; "": none.  No shell is
 * asked; words are divided at blanks that are not quoted.  A command that fails
 * is run once more, and then the input has failed.  FLAME_FAILED: {} is
 * missing.
 */
int flame_process_fetch(struct flame *flame, const char *command);

/*
 * For a handler of SIGBUS: whether this address (si_addr) is in a mapped input
 * that became shorter or cannot be read.  If so, the missing bytes read as
 * zeros from now on and count as damage, and the handler may return.  Safe in
 * any thread, in a handler of a signal raised by a memory access.
 */
bool flame_shrunk(const void *at);

/*
 * The number of threads that read (flame_pump, flame_ahead); 0 and 1: only the
 * caller's.  The results do not depend on it.
 */
void flame_threads(struct flame *flame, unsigned n);

/*
 * Whether flame_frame and all readers name each Java method alike: a/b/C.m
 * for La/b/C;::m and void a.b.C.m(int), and one class for classes whose names
 * differ between JVMs only by an address or a counter (lambdas, proxies,
 * generated classes).  Off by default.  Call it before anything is read.
 */
void flame_unify_java(struct flame *flame, bool unify);

/*
 * Whether flame_frame and all readers name functions of C++ and Rust as their
 * authors did: app::run() for _ZN3app3runEv.  Off by default.  Call it before
 * anything is read.
 */
void flame_demangle(struct flame *flame, bool demangle);

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

/*
 * The largest id of each kind: ids run from 1 to it.  It grows with what is
 * read; arrays by id need an element more, for 0.
 */
flame_id flame_names(const struct flame *flame);
flame_id flame_frames(const struct flame *flame);
flame_id flame_stacks(const struct flame *flame);
flame_id flame_label_sets(const struct flame *flame);

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
 * A metric, with the counts of all samples read so far, selected or not: a
 * tool can name the samples it left out.
 */
struct flame_metric {
	const char *name;	/* "cpu", "alloc", "jdk.FileRead" */
	const char *unit;	/* of the total: "samples", "bytes", "ns" */
	/* Of samples' weights: unit, "samples", or "mixed units". */
	const char *weight;
	uint64_t samples;	/* sum of weights without "total" */
	uint64_t no_stack;	/* of these, without a stack */
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
 * (never by name).  Packed inputs (gzip, zlib, zstd, lz4, xz, lzma, bzip2,
 * zip) and UTF-16 are decoded, also several one after another.
 *
 * flame_ask sets an option of reading, a row of kind 's' or 'd' (flame_rows),
 * before the first flame_next.
 * flame_next fills *sample and returns FLAME_OK, or FLAME_END, or
 * FLAME_FAILED.  It returns all samples of each source.  flame_pump counts a
 * chunk of JFR that went into the same sink before once, and flame_finish
 * remarks on it; "overlap" "keep" counts it each time.  flame_close accepts
 * NULL too.
 */
void flame_close(struct flame_source *source);
struct flame_source *flame_open(struct flame *flame, const char *path,
				const char *format)
	FLAME_FREED_BY(flame_close);
struct flame_source *flame_open_memory(struct flame *flame, const void *bytes,
				       size_t size, const char *name,
				       const char *format)
	FLAME_FREED_BY(flame_close);
int flame_ask(struct flame_source *source, const char *option,
	      const char *value);
int flame_next(struct flame_source *source, struct flame_sample *sample);

/*
 * How much of a source was lost, once it was read to its end.
 *
 * FLAME_SOME_LOST: warnings say how much; also the value of an empty input.
 * FLAME_ALL_LOST: there was no whole record; also where flame_next or
 * flame_pump failed on something that is not a profile, before any sample;
 * after flame_clear, other sources can be read.
 * FLAME_NOT_READ_ON: reading ended early, as the input unpacks to far more than
 * its size, or has a line that is too long (flame_process_limit_line).
 */
enum flame_damage {
	FLAME_NONE_LOST, FLAME_SOME_LOST, FLAME_ALL_LOST, FLAME_NOT_READ_ON
};
enum flame_damage flame_source_damage(const struct flame_source *source);

/* Bytes read so far, as the file, pipe or server has them, packed or not. */
uint64_t flame_source_bytes(const struct flame_source *source);

/* The name of the detected format. */
const char *flame_source_format(const struct flame_source *source);

/*
 * Facts of a source, once it was read: pairs of a heading and a text, in
 * order.  Returns their number; 0 for formats without any.
 */
struct flame_fact {
	const char *key, *value;
};
size_t flame_facts(const struct flame_source *source,
		   const struct flame_fact **facts);

/*
 * A writer.  path "-" is standard output; a name that ends in .gz or .zst is
 * packed.  The file appears whole or not at all: flame_finish renames a
 * temporary file.
 */
struct flame_sink *flame_create(struct flame *flame, const char *path,
				const char *format);
/*
 * A writer that hands its bytes to write(), in parts, in order; the last of
 * them within flame_finish.  write() returns 0, or an errno, which is the
 * error of the sink; it is not called again then.
 */
struct flame_sink *flame_create_callback(struct flame *flame,
					 const char *format,
					 int (*write)(void *arg,
						      const void *data,
						      size_t size),
					 void *arg);

/*
 * A filter in front of next, which it owns also where it fails; NULL: it does,
 * or next is NULL.  So a chain is one expression; finish the outermost only.
 */
struct flame_sink *flame_filter(struct flame_sink *next, const char *name,
				const char *arg);

/*
 * Owns next as flame_filter does.
 * Passes one metric: the one asked for, or (NULL) cpu if there is any, else
 * the one with most samples.  Remarks name the choice and the others.  With
 * the option events (flame_set) a page shows those instead.
 */
struct flame_sink *flame_pick(struct flame_sink *next, const char *event);

/* Options of the writer at the end of the chain. */
int flame_set(struct flame_sink *sink, const char *option, const char *value);
/* FLAME_FAILED also where an id of the sample is not of the dictionary. */
int flame_put(struct flame_sink *sink, const struct flame_sample *sample);

/* Puts all samples of the source into the sink. */
int flame_pump(struct flame_source *source, struct flame_sink *sink);
/*
 * Lets another thread (flame_threads) read this source, of a small file, while
 * earlier sources are pumped into the sink.  Pump sources in the order of these
 * calls, each into the sink named here.  Results and messages are the same.
 */
int flame_ahead(struct flame_source *source, struct flame_sink *sink);

/*
 * Ends and frees the chain: the only place where success is known.  A sink that
 * is used after it, or finished twice, is a failure.
 */
int flame_finish(struct flame_sink *sink);

/* Frees the chain and leaves no output; accepts NULL, and finished ones. */
void flame_abandon(struct flame_sink *sink);

/*
 * A tree: a flow that has become a whole.  1 column to draw, 2 to compare.
 * flame_tree_sink returns a sink that counts into one column; finish it.  A
 * second metric in a column, or in a sink of flame_create that draws or folds,
 * is a failure: put flame_pick before it.  Weights without a metric, as of
 * folded text, add to any.
 */
void flame_tree_free(struct flame_tree *tree);
struct flame_tree *flame_tree_new(struct flame *flame, unsigned columns)
	FLAME_FREED_BY(flame_tree_free);
struct flame_sink *flame_tree_sink(struct flame_tree *tree, unsigned column);
/*
 * With the option events ("all" or a list; flame_set on its first sink, before
 * flame_pick) a tree keeps metrics apart: it has a tree of each (NULL past the
 * last), in the order of tabs once its sinks are finished, and no weights of
 * its own.  It owns them, and is written as a page with tabs.
 */
struct flame_tree *flame_tree_at(const struct flame_tree *tree, size_t i);
/*
 * Writes to a sink of flame_create: a page or folded text of one column, or of
 * the difference of two.  Free the tree after the sink is finished.
 */
int flame_tree_write(struct flame_tree *tree, struct flame_sink *sink);
/* The name of the metric it gathered last; "" if none. */
const char *flame_tree_metric(const struct flame_tree *tree);
int64_t flame_tree_total(const struct flame_tree *tree, unsigned column);
/*
 * The recorded time of a column's profiles in ns: as the recordings have it,
 * else from the first to the last sample, within the selected times.  Several
 * profiles are one span, with the gaps.  0: unknown.
 */
int64_t flame_tree_duration(const struct flame_tree *tree, unsigned column);
/*
 * Makes a column's total another one, after all of its samples: what is read
 * of the tree is scaled from then on.  Ranks and nodes are sums, which are
 * rounded to the nearest; lines of folded text are rounded down, each for
 * itself; other outputs have each stack off by less than 1, and the sum exact.
 */
void flame_tree_scale(struct flame_tree *tree, unsigned column, int64_t total);

/*
 * The weights of names, in no particular order.  The tree owns the list, which
 * is valid until the next ranking.
 *
 * FLAME_NAMES: all that occur.  self is where they are the leaf; total is
 * where they are on the stack, which counts once however often they are.
 * Stacks of no frames are the empty name's, so selfs sum up to the tree.
 * FLAME_CALLERS: the callers of the outermost frame whose name matches re
 * (empty name: it has none).  total is the weight of such stacks, and sums up
 * to all stacks with such a frame; self is the part whose leaf matches.
 * FLAME_CALLEES: the functions that the innermost such frame calls (empty
 * name: it is the leaf).  total sums up as before; self is the part that ends
 * in the callee.
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
 * has no name.  Nodes lighter than minimum are left out.  The tree owns the
 * list, which is valid until the next call.
 */
struct flame_node {
	flame_id name;
	enum flame_type type;
	uint32_t level;			/* of node 0: 0 */
	int64_t self[2], total[2];	/* by column */
};
int flame_tree_nodes(struct flame_tree *tree, double minimum,
		     const struct flame_node **nodes, size_t *n);

/*
 * The tables of options.  A row has a name, an argument (NULL: none) and a
 * summary of one line; the filters of a chain run in the order of their ranks.
 * Returns 1, or 0 past the end.
 */
enum flame_row_kind {
	FLAME_ROW_FILTER = 'f',		/* flame_filter */
	FLAME_ROW_SELECTION = 's',	/* flame_ask: of all inputs */
	FLAME_ROW_INPUT_DETAIL = 'd',	/* flame_ask: of one format */
	FLAME_ROW_WRITER = 'w',		/* flame_set: of all outputs */
	FLAME_ROW_PICTURE_DETAIL = 'p',	/* flame_set: of pictures */
	FLAME_ROW_INPUT = 'i',		/* a format that is read */
	FLAME_ROW_OUTPUT = 'o',		/* a format that is written */
	FLAME_ROW_COLORS = 'c'		/* a colour scheme */
};

struct flame_row {
	enum flame_row_kind kind;
	const char *name, *argument, *summary;
	int rank;
	int joins;	/* given again, arguments are joined by newlines */
	int hidden;	/* no option of its own: --compat uses it */
};
int flame_rows(enum flame_row_kind kind, unsigned index,
	       struct flame_row *row);

/* By a file name's ending, before .gz or .zst: an output format, or NULL. */
const char *flame_format_of(const char *path);

/*
 * From now on, for the process, an expression finds labels of paths (app,
 * attempt, executor, stage, epoch, host, pid, container) before the layouts do
 * that are known: by groups that have their names, as "(?<executor>\d+)".
 */
int flame_process_path_labels(struct flame *flame, const char *re);

/*
 * What our own tools need.  It may change or go in any release: define
 * FLAME_UNSTABLE, and build for the one version that you run with
 * (flame_version).
 */
#ifdef FLAME_UNSTABLE

struct flame_lines;
struct flame_text;
struct flame_trees;
struct flame_trials;
struct flame_split;

/* Facts about a format, as its row has them. */
enum flame_format_fact {
	FLAME_DRAWN = 1,	/* it is a flame graph: html, svg, text */
	FLAME_BROWSED = 2,	/* which a browser shows: html, svg */
	FLAME_PAGE = 4,		/* which has several events, and options */
	FLAME_TYPED = 8,	/* which a terminal shows */
	FLAME_ADDS_UP = 16,	/* outputs one after the other add up */
	FLAME_TABLE = 32,	/* rows with columns */
	FLAME_RECORDING = 64,	/* it has events to choose from */
	FLAME_ARCHIVE = 128,	/* of inputs */
	FLAME_EMPTY = 256,	/* nothing to read */
	FLAME_COPIES = 512,	/* it copies the events of recordings */
	FLAME_WHOLE = 1024	/* it compares stacks without their frames */
};
/* Of a format that is written; 0 of NULL, and of one that is not. */
unsigned flame_format_facts(const char *format);
/* FLAME_FAILED, as flame_open would: there is no such format to read. */
int flame_format_check(struct flame *flame, const char *name);
/*
 * FLAME_FAILED, as flame_filter would, without a sink: there is no such filter,
 * or it refuses the argument.  Files that the argument names are looked
 * at, not read.
 */
int flame_filter_check(struct flame *flame, const char *name, const char *arg);
/*
 * Facts about an option, as its row has them.  An option that leaves samples
 * out selects them by something, which a message names where nothing is left;
 * not so where the option `unless` (or NULL) is given, too.  false: there is no
 * such row.
 */
enum flame_selects {
	FLAME_BY_NOTHING,
	FLAME_BY_METRIC,	/* its name; without an argument: nativemem */
	FLAME_BY_METRICS,	/* a list of names, or all */
	FLAME_BY_VALUE,		/* of the label that is called as the option */
	FLAME_BY_LABEL,		/* KEY=VALUE */
	FLAME_BY_TIME,
	FLAME_BY_LENGTH,	/* of spans */
	FLAME_BY_FRAME,		/* an expression: stacks that have one */
	FLAME_BY_NO_FRAME,	/* stacks that have none */
	FLAME_BY_WEIGHT
};
struct flame_row_facts {
	enum flame_selects selects;
	const char *unless;
	bool often;		/* --help shows it; else --help=all alone */
};
bool flame_row_facts(enum flame_row_kind kind, const char *name,
		     struct flame_row_facts *facts);
/* Of the detected format. */
unsigned flame_source_facts(const struct flame_source *source);

/*
 * The path of standard input where it is opened from now on, for labels and
 * messages: a file that came through a pipe.
 */
int flame_name_input(struct flame *flame, const char *path);

/*
 * Whether a path is a URL that is read, rather than a file: 0, FLAME_URL, or
 * FLAME_URL_TREE if flame_list knows its folders.
 */
enum { FLAME_URL = 1, FLAME_URL_TREE };
int flame_url(const char *path);
/* The path of a file:///PATH; any other path as it is. */
const char *flame_local_path(const char *path);

/*
 * Finds the files below a folder of a URL (webhdfs, hdfs, s3 and others; not
 * http), sorted by their paths; those whose names begin with . or _ are left
 * out.  mtime: ms since 1970.  A key of S3 with none below it is found itself.
 * A folder below it that cannot be listed is a warning, and found as if it were
 * a file.  FLAME_END: the listing does not end, as flame_error says.
 */
int flame_list(struct flame *flame, const char *url,
	       void (*found)(void *arg, const char *path, uint64_t size,
			     int64_t mtime),
	       void *arg);

/* Starts the command (flame_process_fetch) of an input that is opened soon. */
void flame_fetch_early(struct flame *flame, const char *path);

/*
 * Whether it is a failure that there is no sample, be it that inputs have none
 * or that none is selected: then flame_finish fails, writes nothing, and
 * flame_refused_empty is true.  Off by default: a remark says so, and the
 * result is empty.
 */
void flame_refuse_empty(struct flame *flame, bool refuse);
bool flame_refused_empty(const struct flame *flame);

/* "100", "64k", "512MB", "2GiB", by 1024s; false: not a size. */
bool flame_parse_size(const char *text, size_t *size);

/*
 * The name that is most like the one wanted, the first of equals: at most a
 * quarter of its letters, and one, are added, removed, changed or swapped.
 * Upper and lower case are alike, and a name may go on with a blank, "." or "$"
 * after what is wanted.  NULL: none is near.
 */
const char *flame_nearest(const char *wanted, const char *const *names,
			  size_t n);

/*
 * A tree of one column for each metric of a flow.  The sink of flame_trees_sink
 * counts each sample in the tree of its metric and passes it on to next, which
 * it owns, as flame_filter's does; it must be gone before the trees are freed.
 * flame_trees_at: in the order of first samples; NULL past the last.  A tree
 * belongs to the trees, and is freed with them.
 */
struct flame_trees *flame_trees_new(struct flame *flame);
struct flame_sink *flame_trees_sink(struct flame_trees *trees,
				    struct flame_sink *next);
struct flame_tree *flame_trees_at(const struct flame_trees *trees, size_t i);
void flame_trees_free(struct flame_trees *trees);

/*
 * What n nodes show most, of which the first is the root of the others: a part
 * of the list of flame_tree_nodes.  As pages say it: work is "in zlib", and
 * frame the own frame that most of it is below (0: none); or work is NULL, and
 * frame names most of what is not idle.  weight of base, which is without idle
 * stacks, and of tasks' stacks alone where there are any.
 */
enum { FLAME_GIST_BESIDE = 8 };
struct flame_gist {
	const char *work;
	flame_id frame;
	int64_t weight, base;
	/* Works of stacks of no task, heaviest first; after them work is NULL. */
	struct {
		const char *work;
		int64_t weight;
	} beside[FLAME_GIST_BESIDE];
};
int flame_nodes_gist(struct flame *flame, const struct flame_node *nodes,
		     size_t n, struct flame_gist *gist);

/*
 * Since when: each row is a series of nruns weights, one a run, in the order of
 * the runs; counts: they are numbers of samples, which chance makes vary.
 * Calls found() for each step of the mean of a row, with the first run after
 * it; of the rows with steps a part of at most `rate` (0.05) is expected to be
 * chance.  A level is of FLAME_LEVEL_RUNS runs or more.
 */
enum { FLAME_LEVEL_RUNS = 3 };
struct flame_step {
	size_t row, run;
	double before, after;	/* means of the runs up to the next step */
	double low, high;	/* after / before, to 95 % */
	double p;		/* of such a step, anywhere in the series */
};
int flame_find_steps(struct flame *flame, const double *weights, size_t nrows,
		     size_t nruns, bool counts, double rate,
		     void (*found)(void *arg, const struct flame_step *step),
		     void *arg);

/*
 * Trials: runs of one job, before a change of it (side 0) and after (side 1),
 * each gathered in a tree of one column, all of one metric.  flame_trials_add
 * copies the weights of the tree; those of side 0 are added first.
 *
 * flame_trials_compare tests for each name whether its weight, in total and
 * where it is the leaf, changed: Welch's test, with the variance between runs,
 * which is never less than what chance makes of counts of samples.  Of
 * what is then found, a part of at most `rate` (0.05) is expected to be chance.
 * Weights are as they are, or scaled to equal totals or times of runs
 * (FLAME_FAILED where a time is not known).  re (or NULL): only names that
 * match it.  With one run on each side, what is found is more than chance makes
 * of counts, and nothing is known of how much runs differ; with two there
 * is little.
 */
enum flame_scaling { FLAME_ABSOLUTE, FLAME_SHARES, FLAME_RATES };
struct flame_change {
	flame_id name;		/* 0: all of it */
	bool self;		/* where it is the leaf; else on the stack */
	bool found;
	bool explained;		/* found, but by changes of other frames */
	double mean[2];		/* of a run, before and after */
	double low, high;	/* of after / before, where found: the 95 %
				   interval; infinite where nothing bounds it */
	double p;
	const double *values;	/* of each run, those before first */
};
struct flame_trials *flame_trials_new(struct flame *flame);
int flame_trials_add(struct flame_trials *trials, unsigned side,
		     const struct flame_tree *tree);
int flame_trials_compare(struct flame_trials *trials,
			 enum flame_scaling scaling, double rate,
			 const char *re);
/*
 * The i-th change, those found that nothing else explains first, by how much
 * they moved; NULL past the last.  flame_trials_all: that of the totals, which
 * is tested alone.  Both last until the next comparison.
 */
const struct flame_change *flame_trials_at(const struct flame_trials *trials,
					   size_t i);
const struct flame_change *flame_trials_all(const struct flame_trials *trials);
/*
 * The sums of the runs before and after as a tree of two columns, which the
 * caller frees.  NULL: failed.
 */
struct flame_tree *flame_trials_tree(const struct flame_trials *trials);
/*
 * Judges the comparison: FLAME_WORSE if a change that was found, and that
 * nothing else explains, is larger than the limit (0.03: by three parts in a
 * hundred); FLAME_WITHIN if it is sure of each name, with a probability of
 * 95 %, that it did not grow by as much; else, and where no side has three
 * runs, FLAME_UNSURE.  Without a pattern names of less than a twentieth of all
 * may grow by what such a twentieth may.
 */
enum flame_verdict { FLAME_WITHIN, FLAME_WORSE, FLAME_UNSURE };
struct flame_judgement {
	enum flame_verdict verdict;
	const struct flame_change *doubt;	/* least is known of; or NULL */
	double high;	/* it may have become this many times what it was */
	double runs;	/* on each side that would do; 0: not known */
};
void flame_trials_judge(const struct flame_trials *trials, double limit,
			struct flame_judgement *judgement);
void flame_trials_free(struct flame_trials *trials);

/*
 * A flow that is divided by labels, to be put into an output for each part.
 *
 * The sink of flame_split_sink buffers all samples, by the values of keys
 * ("app,stage"), and sums those that differ in weight alone.  It needs what the
 * sink `like` needs, to which the parts will be put, or another of its kind;
 * and for `further` (or NULL) keys, which do not divide, that samples have such
 * labels.  Finish it; then flame_split_at returns the parts, in the order of
 * first samples, and NULL past the last, and flame_split_put puts one into a
 * sink, as often as it is called: a sink of another dictionary gets only the
 * names and stacks that the part has.
 *
 * The sink of flame_split_inputs divides by inputs: the key is "path".  It
 * passes samples on to `next`, which it owns, and its parts have stacks,
 * metrics and weights alone.
 */
struct flame_part {
	flame_id keys;		/* a set of labels: the keys, with values */
	uint64_t samples;	/* that were put */
	const flame_id *labels;	/* all sets that its samples have */
	size_t nlabels;
};
struct flame_split *flame_split_new(struct flame *flame);
struct flame_sink *flame_split_sink(struct flame_split *split,
				    const struct flame_sink *like,
				    const char *keys, const char *further);
struct flame_sink *flame_split_inputs(struct flame_split *split,
				      struct flame_sink *next);
const struct flame_part *flame_split_at(const struct flame_split *split,
					size_t i);
int flame_split_put(struct flame_split *split, size_t i,
		    struct flame_sink *sink);
void flame_split_free(struct flame_split *split);

/*
 * Text, for programs whose work is on lines or tables.  In: path and
 * wrappers as for flame_open.  A line comes without its \n or \r\n and without
 * byte order marks in front, may hold anything else, and stays until the next;
 * flame_lines_next returns FLAME_OK, FLAME_END (a warning says if the input was
 * cut short; the rest of its last line is lost) or FLAME_FAILED.  Out: an
 * output as flame_create's; flame_text_finish frees it and says whether it
 * succeeded.  Close and abandon accept NULL too.
 */
struct flame_lines *flame_lines_open(struct flame *flame, const char *path);
int flame_lines_next(struct flame_lines *lines, const char **line,
		     size_t *size);
/* At the end: as flame_source_damage, but never FLAME_ALL_LOST. */
enum flame_damage flame_lines_damage(const struct flame_lines *lines);
void flame_lines_close(struct flame_lines *lines);
struct flame_text *flame_text_create(struct flame *flame, const char *path);
int flame_text_put(struct flame_text *text, const char *at, size_t size);
int flame_text_finish(struct flame_text *text);
void flame_text_abandon(struct flame_text *text);

/*
 * The bill of Spark's applications: what the cores of their executors were paid
 * for, by query, stage and operator.  The time is that of event logs (paths,
 * with '\n' between them); samples say what it went to.  flame_bill_sink makes
 * a sink to pump all inputs into, before any filter, which passes samples on
 * to next; NULL: failed, and next is freed.  Once it is finished
 * flame_bill_write writes the bill as JSON.  A bill must be
 * freed after its sink, and before the dictionary.
 */
struct flame_bill;
struct flame_bill *flame_bill_new(struct flame *flame, const char *logs);
struct flame_sink *flame_bill_sink(struct flame_bill *bill,
				   struct flame_sink *next);
int flame_bill_write(struct flame_bill *bill, struct flame_text *out);
void flame_bill_free(struct flame_bill *bill);
/*
 * A sink of the rows that the filter spark-cost makes of the same logs, which
 * passes them on to next; NULL: failed, and next is freed.  Once it is finished
 * flame_bill_sooner says by how many microseconds the applications would end
 * sooner, in all, if tasks spent half of their time in the frames of each name:
 * 0 where that is not more than the error of replaying the log unchanged, and
 * INT64_MIN where no task's stack has the name.
 */
struct flame_sink *flame_bill_rows(struct flame_bill *bill,
				   struct flame_sink *next);
int flame_bill_sooner(struct flame_bill *bill, const flame_id *names, size_t n,
		      int64_t *us);

/*
 * A label that a path has by itself: app, attempt, executor, stage, epoch,
 * host, pid, container, app-name or date, in the layouts of Spark's profilers,
 * YARN, HProfiler and of tables in folders KEY=VALUE.  false: it has none of this key, or the value and its NUL do
 * not fit in size bytes.  No file is opened.
 */
bool flame_path_label(const char *path, const char *key, char *value,
		      size_t size);

/*
 * The executors of Spark's event logs, paths as --spark-events reads them, one
 * a line: how many tasks ran there, and for how long in all (ns).
 */
int flame_spark_executors(struct flame *flame, const char *logs,
			  void (*found)(void *arg, const char *app,
					const char *executor, uint64_t tasks,
					int64_t time),
			  void *arg);

/* The applications of these logs; started: ns since 1970, 0: not known. */
int flame_spark_apps(struct flame *flame, const char *logs,
		     void (*found)(void *arg, const char *app,
				   const char *name, int64_t started),
		     void *arg);

/*
 * A filter that adds a label to the samples that have none of its key; value
 * NULL: removes it.
 */
struct flame_sink *flame_label_sink(struct flame_sink *next, const char *key,
				    const char *value);

struct ArrowSchema;
struct ArrowArray;
/*
 * A writer whose rows become columns by Arrow's C data interface: stack and
 * weight (in the metric's unit, as folded text has it); labels: and metric,
 * unit and each label, as the rows of "tsv".  flame_finish fills both structs,
 * whose release functions are then the caller's to call; where it fails, or the
 * sink is abandoned, neither is touched.
 */
struct flame_sink *flame_create_columns(struct flame *flame, bool labels,
					struct ArrowSchema *schema,
					struct ArrowArray *array);

/*
 * Removes user, password and query from the URLs in a text (whole: which is
 * one URL, blanks in it too), in place.  For all that is shown or recorded.
 */
void flame_hide_secrets(char *text, bool whole);

/*
 * Makes text of inputs safe for a terminal or a table: control characters of
 * ASCII become blanks, invalid UTF-8 '?', and characters that are invisible or
 * reorder others <U+202E>.  Writes at most `capacity` bytes, with a NUL, and
 * returns the size of the whole text, as snprintf does.
 */
size_t flame_visible(char *to, size_t capacity, const char *text, size_t size);

/*
 * The same as a cell of tab-separated values: a text that a spreadsheet would
 * evaluate as a formula has an apostrophe before it.
 */
size_t flame_tsv_cell(char *to, size_t capacity, const char *text,
		      size_t size);

#endif /* FLAME_UNSTABLE */

#ifdef __cplusplus
}
#endif

#endif
