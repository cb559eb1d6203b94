/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formats: one file (or a folder) and one row of formats.def each.
 */
#ifndef FL_FORMAT_H
#define FL_FORMAT_H

#include "flow/flow.h"

/* Which of two counts to read. */
enum fl_pick_column {
	FL_COLUMN_UNSET, FL_COLUMN_FIRST, FL_COLUMN_SECOND, FL_COLUMN_NONE
};

/*
 * Rows of options that several formats have, each with a member of that name
 * in its own struct.
 */
#define FL_OPTION_ROW_LINES(type) \
	{ .name = "lines", .summary = "show line numbers", \
	  .kind = FL_OPTION_FLAG, .offset = offsetof(type, lines) }
#define FL_OPTION_ROW_BCI(type) \
	{ .name = "bci", .summary = "show bytecode indices", \
	  .kind = FL_OPTION_FLAG, .offset = offsetof(type, bci) }
#define FL_OPTION_ROW_TOTAL(type) \
	{ .name = "total", \
	  .summary = "weigh by bytes or time, not by samples", \
	  .kind = FL_OPTION_FLAG, .offset = offsetof(type, total) }
#define FL_OPTION_ROW_WEIGHT(type) \
	{ .name = "weight", .argument = "period|samples", \
	  .summary = "perf: weigh by period, or count samples", \
	  .kind = FL_OPTION_EITHER, .offset = offsetof(type, total) }
#define FL_OPTION_ROW_SRCLINE(type) \
	{ .name = "srcline", \
	  .summary = "perf: append :FILE:LINE where it is printed", \
	  .kind = FL_OPTION_FLAG, .offset = offsetof(type, srcline), \
	  .scope = FL_SCOPE_DETAIL }
#define FL_OPTION_ROW_NO_MODULES(type) \
	{ .name = "no-modules", \
	  .summary = "with --compat: no modules in names", \
	  .kind = FL_OPTION_FLAG, .offset = offsetof(type, no_modules), \
	  .scope = FL_SCOPE_DETAIL }
#define FL_OPTION_ROW_TREE_NAME(type) \
	{ .name = "tree-name", .argument = "KEY", \
	  .summary = "trees: the column, attribute or key of names", \
	  .kind = FL_OPTION_TEXT, .offset = offsetof(type, name), \
	  .scope = FL_SCOPE_DETAIL, .least = 1 }
#define FL_OPTION_ROW_TREE_WEIGHT(type) \
	{ .name = "tree-weight", .argument = "KEY", \
	  .summary = "trees: the column, attribute or key of weights", \
	  .kind = FL_OPTION_TEXT, .offset = offsetof(type, weight), \
	  .scope = FL_SCOPE_DETAIL, .least = 1 }
#define FL_OPTION_ROW_TREE_VALUE(type) \
	{ .name = "tree-value", .argument = "self|total", \
	  .summary = "trees: nodes weigh alone, or with all below", \
	  .kind = FL_OPTION_EITHER, .offset = offsetof(type, self), \
	  .scope = FL_SCOPE_DETAIL }
/* Of two profiles in one, before and after: enum fl_pick_column, and both. */
#define FL_OPTION_ROW_COLUMN(type) \
	{ .name = "column", .argument = "1|2|none", \
	  .summary = "folded: of two counts a line, use this", \
	  .kind = FL_OPTION_WORD, .offset = offsetof(type, column), \
	  .first = FL_COLUMN_FIRST }
#define FL_OPTION_ROW_COMPARE(type) \
	{ .name = "compare", \
	  .summary = "two counts a line: the first is the one before", \
	  .kind = FL_OPTION_FLAG, .offset = offsetof(type, compare), \
	  .scope = FL_SCOPE_HIDDEN }
/* Of enum fl_compat_tool: use that tool's names and weights. */
#define FL_OPTION_ROW_PEER(type) \
	{ .name = "peer", .argument = "perl|inferno", \
	  .kind = FL_OPTION_WORD, .first = FL_PEER_PERL, \
	  .offset = offsetof(type, peer), .scope = FL_SCOPE_HIDDEN }

/* lines.c: the options of formats that have line numbers, and no more. */
struct fl_lines_options {
	bool lines;
};

extern const struct fl_option_table fl_lines_option_table;

/* The same of formats that have two weights, counts and what these weigh. */
struct fl_total_options {
	bool total;
};

extern const struct fl_option_table fl_total_option_table;

/*
 * lines.c: what readers of lines share.  Zeroed, then with its in (and source,
 * for logs): at the beginning.
 */
struct fl_lines {
	struct fl_in *in;
	struct flame_source *source;
	size_t used;		/* peeked bytes of the current line */
	bool again;		/* returns the last line again */
	bool ended;		/* the last line had its newline */
	bool reported;		/* that the input is cut, by the reader */
	bool begun;		/* blanks of another line end the input */
	bool marked;		/* it is empty: another program's follow */
	uint64_t number;	/* of the line given last; the first is 1 */
	uint64_t good;		/* samples so far: the reader counts them */
	uint64_t bad, first_bad;	/* lines that were not understood */
	char text[80];		/* of the first of these lines */
	uint64_t next_forget;
};

/*
 * A line without its \n or \r\n and byte order marks in front; stays until the
 * next.  May hold anything else, NUL included.  false: the input has ended.
 */
bool fl_lines_next(struct fl_lines *lines, struct slice *line);
/* Counts a line that was not understood, and keeps the first. */
void fl_lines_bad(struct fl_lines *lines, struct slice line);
/*
 * At the end of the input: reports losses, sets the damage, and returns
 * FLAME_END.  Of a part nothing is reported.
 */
int fl_lines_end(struct flame_source *source, const struct fl_lines *lines);
/* For fl_format's split, where a line is a record; resume; fork; join. */
size_t fl_lines_split(const char *at, size_t n);
void fl_lines_resume(struct fl_lines *lines, struct fl_in *in);
void fl_lines_fork(struct fl_lines *part);
void fl_lines_join(struct fl_lines *whole, struct fl_lines *part);

/*
 * dump.c: what readers of thread dumps share.  A thread is begun, gets its
 * frames leaf first, and ends as a sample of 1 of the metric "threads".  A
 * reader's state begins with this.
 */
struct fl_dump {
	struct flame_source *source;
	struct fl_lines lines;
	bool open;		/* a thread has begun and not ended */
	bool truncated;		/* its outer frames were not printed */
	struct fl_buf name;	/* its name; empty if it has none */
	int64_t tid, pid;	/* -1: not known */
	int64_t weight;		/* 1, unless the reader sets it */
	const char *state;	/* "STATE_RUNNABLE"; NULL: not known */
	flame_id labels;	/* instead of `program`; 0: none */
	flame_id thread;	/* labels of it beside name, tid, pid */
	flame_id program;	/* labels of the program whose lines are read */
	int64_t time;		/* ns since 1970, or FLAME_NOTIME */
	uint64_t line;		/* where it began */
	flame_id *frames;	/* leaf first */
	size_t nframes, capacity;
	struct fl_buf buf;	/* for names of frames */
	flame_id metric;
	const char *metric_name, *unit, *plural;	/* see fl_dump_of */
	struct fl_map threads;	/* distinct ones, where they are counted */
	uint64_t no_stack, lost, first_lost;
	bool told_end;
};

/* A format's open, or the end of it. */
int fl_dump_open(struct flame_source *source);
/* After open: what a sample is, if not a thread; plural: for messages. */
void fl_dump_of(struct fl_dump *dump, const char *metric, const char *unit,
		const char *plural);
/* Its release, likewise: of a state that begins with a struct fl_dump. */
void fl_dump_free(void *state);
/* A thread with this name (may be empty); the rest is not known yet. */
void fl_dump_begin(struct fl_dump *dump, struct slice name);
void fl_dump_frame(struct fl_dump *dump, flame_id frame);
/* Ends the open thread, if any: true if it is a sample. */
bool fl_dump_sample(struct fl_dump *dump, struct flame_sample *sample);
/* Ends it, and adds its sample to the source's batch. */
void fl_dump_end(struct fl_dump *dump);
/* The open thread, if any, was cut: it is left out, and counted. */
void fl_dump_lose(struct fl_dump *dump);
/* At the end of the input: one of the two, by whether its last line was cut. */
void fl_dump_end_of_lines(struct fl_dump *dump);
/* Adds the frame that a text is; false: it is none of Java. */
bool fl_dump_java_frame(struct fl_dump *dump, struct slice text);
/*
 * For a format's read.  end: ends or loses the thread that is open at the end
 * of the input.  There losses are reported.
 */
int fl_dump_read(struct fl_dump *dump,
		 void (*accept)(struct fl_dump *dump, struct slice line),
		 void (*end)(struct fl_dump *dump));
/*
 * For probes: `bits` if a line of the head is one that begins(), 0 if the
 * first MiB has none, else -1.  Dumps lie in logs.
 */
int fl_dump_probe(const uint8_t *head, size_t n, bool whole,
		  bool (*begins)(struct slice line), int bits);
/* Cuts a word that ends in blanks off the text; false: no word is left. */
bool fl_dump_word(struct slice *text, struct slice *word);

/*
 * jstack.c, for records that hold dumps: a source of the format jstack goes on
 * with another one, in its in.  time: of all its threads, or FLAME_NOTIME for
 * what the text says.  Losses are reported at the end of the first that is not
 * a part (flame_source).
 */
void fl_jstack_resume(struct flame_source *source, int64_t time);

/*
 * java_frame.c: shared by readers of JVMs' dumps.  A frame as a dump has it,
 * "loader/module@1.0/pkg.Cls.method(module@1.0/File.java:12)".
 */
struct fl_java_frame {
	struct slice name;	/* all before the bracket */
	int64_t line;		/* 0: not known */
	enum flame_type type;
};

bool fl_java_frame(struct slice text, struct fl_java_frame *frame);
/*
 * Appends the name as recordings have it, "pkg/Cls.method"; of a hidden class
 * with its address, "Cls$$Lambda/0x00007f12".
 */
void fl_java_name(struct fl_buf *buf, struct slice name);
/* RUNNABLE as JFR spells it; NULL where it is not a Thread.State. */
const char *fl_java_state(struct slice word);
/*
 * "2026-11-21 01:41:33", or of an instant "2026-11-21T01:41:33.5Z", in ns since
 * 1970; false: something else.
 */
bool fl_java_time(struct slice s, bool instant, int64_t *ns);

/* Without blanks at both ends (at its end), and a \r. */
struct slice fl_slice_trim(struct slice s);
struct slice fl_slice_trim_end(struct slice s);
/*
 * Cuts the last word and the blank before it off the text; the first word and
 * the blanks around it; the first field and the tab after it.  false, with the
 * text unchanged: nothing would be left, or no tab is there.
 */
bool fl_slice_last_word(struct slice *text, struct slice *word);
bool fl_slice_first_word(struct slice *text, struct slice *word);
bool fl_slice_field(struct slice *text, struct slice *field);
/*
 * The line that flame-fold --header and --key write first into folded text:
 * "# libflame folded 1; metric=cpu; unit=samples; key=app,stage".
 */
#define FL_FOLDED_HEADER "# libflame folded "

/*
 * Cuts off and returns the text before the first c; all of it if there is no c.
 */
struct slice fl_slice_split(struct slice *rest, char c);

/*
 * csv.c: the next field of a row, without quotes; *more: a delimiter follows.
 * *indent: blanks before it, inside quotes or not.  false: an open quote.
 */
bool fl_csv_field(struct slice *rest, char delimiter, struct fl_buf *to,
		  size_t *indent, bool *more);
/*
 * The fields of a row that are in n columns (by their place; -1: nowhere);
 * field[n] is for the others.  indent: see above, of the first column; or NULL.
 */
bool fl_csv_columns(struct slice row, char delimiter, const int *column,
		    struct fl_buf *field, int n, size_t *indent);
/* line_reader.c: "[module]", in buf, the name of a function without one. */
struct slice fl_module_name(struct fl_buf *buf, struct slice module);
/* Blanks at the beginning. */
size_t fl_indent(struct slice s);
/* Up to 16 hexadecimal digits, after an optional 0x. */
bool fl_parse_hex(struct slice s, uint64_t *n);

/*
 * native.c: shared by readers of native stacks.  A trace is leaf first, as
 * debuggers and tracers print it; its frames are interned at the end, as later
 * lines say how earlier ones ran.
 */
struct fl_trace {
	struct flame_frame *frames;
	size_t count, capacity;
};

bool fl_trace_add(struct flame *flame, struct fl_trace *trace,
		  const struct flame_frame *frame);
/* The stack of the trace on top of another. */
flame_id fl_trace_stack(struct flame *flame, flame_id base,
			const struct fl_trace *trace);
/* From frame `from` on the trace is the kernel's. */
void fl_trace_is_kernel(struct fl_trace *trace, size_t from, size_t to);

/*
 * A key that tracers print beside a stack without naming it: the first word is
 * the comm, the first number as the pid, the second as the tid.
 */
struct fl_keys {
	flame_id comm, pid, tid;
};

void fl_keys_add(struct flame *flame, struct fl_keys *keys, struct slice key);
/* thread=comm, pid, tid: for a sample's thread. */
flame_id fl_keys_thread(struct flame *flame, const struct fl_keys *keys);
/* A stack of one frame, the comm; 0: no comm. */
flame_id fl_keys_stack(struct flame *flame, const struct fl_keys *keys);

/*
 * line_reader.c: the state of readers of printed stacks begins with this.
 */
struct fl_line_reader {
	struct flame_source *source;
	const void *options;	/* the source's */
	struct flame *flame;
	struct fl_lines lines;
	flame_id metric;	/* 0: not made yet */
	struct fl_trace trace;	/* the stack that is read */
	struct fl_keys keys;	/* of its thread */
	struct fl_buf buf;	/* for names of frames */
	struct fl_map roots;	/* names at the root of whole backtraces */
	uint64_t outside;	/* frames that belong to no backtrace */
};

/* A format's open, or the end of it. */
int fl_line_reader_open(struct flame_source *source);
/* Its release, likewise: of a state that begins with a struct fl_line_reader. */
void fl_line_reader_free(void *state);
/* Accepts lines until there is a sample; FLAME_END: there are no more. */
typedef void fl_accept_line(struct fl_line_reader *r, struct slice line);
int fl_line_reader_read(struct fl_line_reader *r, fl_accept_line *accept);
/* Counts a sample, and adds it to the source's batch. */
void fl_line_reader_sample(struct fl_line_reader *r, const char *metric,
			   const char *unit, int64_t weight, flame_id stack,
			   flame_id thread);
/* Sets the damage of the source, by whether there were samples. */
void fl_line_reader_damage(struct fl_line_reader *r);

/* A frame of a debugger's backtrace. */
struct fl_backtrace_frame {
	struct slice name, file, module;
	int64_t line;
	enum flame_type type;
	bool nameless;		/* "[module]" instead of its name */
	bool show_file, show_line;	/* append these to the name */
};

/* Adds it to r->trace. */
void fl_backtrace_add(struct fl_line_reader *r,
		      const struct fl_backtrace_frame *parts);
/*
 * Whether the trace ends in a function that is always the root: one of these
 * names (NULL at the end), or the root of another whole stack.
 */
bool fl_backtrace_is_whole(struct fl_line_reader *r, const char *const *roots);
/* Adds a sample of the trace, which has frames and is whole. */
void fl_backtrace_sample(struct fl_line_reader *r);
/* Reports that the input ends within the trace. */
void fl_backtrace_cut(struct fl_line_reader *r);
/* At the end of the input: reports losses and returns FLAME_END. */
int fl_backtrace_end(struct fl_line_reader *r);

/* interchange.c: whether the line ends in a count with a unit: "a;b 12ms". */
bool fl_ends_in_unit(struct slice line);
/*
 * interchange.c: a metric by its type and unit, as pprof and OTLP spell them
 * ("cpu", "nanoseconds"), and back: what our "ns" is for them.
 */
flame_id fl_typed_metric(struct flame *flame, struct slice type,
			 struct slice unit);
const char *fl_long_unit(const char *unit);
/* The thread with a name; "[main tid=12]" is both name and number. */
flame_id fl_named_thread(struct flame *flame, flame_id thread,
			 struct slice name);
/* "*fib /srv/burn.js:1:13", as V8's logs have it: how it ran, and where. */
flame_id fl_v8_frame(struct flame *flame, struct slice s);

/* For probes: whether the head begins with the text. */
int fl_probe_text(const uint8_t *head, size_t n, const char *text);
/* The line about n frames without names, at the end of an input; n 0: none. */
void fl_report_unnamed(struct flame_source *source, uint64_t n,
		       const char *advice);
/* Decimal digits alone, and some. */
bool fl_slice_digits(struct slice s);
/* Without "+0x1f", or "+31", at its end. */
struct slice fl_no_offset(struct slice s, bool decimal);
/*
 * Appends a name, with Rust's legacy mangling undone if it is only half
 * demangled: "_$LT$T$GT$..f::h0123456789abcdef".
 */
void fl_rust_name(struct fl_buf *to, struct slice name);

/*
 * statsd_names.c: statsd-jvm-profiler names a series after a stack:
 * "cpu.trace." and its frames, leaf first, with dots between.  A frame is its
 * class with '-' for '.', '-', its method, '-' and its line:
 * "a-b-Cls-method-12".  A prefix may come first.
 */
struct fl_statsd_names {
	struct flame *flame;
	bool lines;		/* append line numbers */
	struct fl_buf buf;
};

/* 0: the name is not of a stack, or only carries bounds of times. */
flame_id fl_statsd_stack(struct fl_statsd_names *names, struct slice name);
/* A time since 1970 in s, ms, us or ns, by its magnitude. */
bool fl_statsd_time(struct slice text, int64_t *ns);

#endif
