/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the tools: tables of options, inputs, the chain to an output, and
 * messages on standard error.
 */
#ifndef CLI_H
#define CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define FLAME_UNSTABLE
#include "flame.h"

#ifndef HAVE_REALLOCARRAY
/* The wheel is for glibc since 2.17, which has it since 2.26. */
static inline void *reallocarray(void *array, size_t count, size_t size)
{
	return size && count > SIZE_MAX / size ? NULL :
						 realloc(array, count * size);
}
#endif

enum { CLI_FINE = 0, CLI_NO = 1, CLI_TROUBLE = 2 };

/* Which part of the program handles an option's value. */
enum cli_kind {
	CLI_TAKE,	/* the tool's set_option() */
	CLI_FLAG,	/* a bool at offset, which becomes true */
	CLI_TEXT,	/* a const char * at offset */
	CLI_ASK,	/* flame_ask */
	CLI_SET,	/* flame_set */
	CLI_FILTER	/* flame_filter */
};

struct cli_option {
	char letter;		/* 0: none */
	const char *name;
	const char *argument;	/* NULL: none; "[=N]": may be left out */
	const char *summary;
	enum cli_kind kind;
	size_t offset;		/* in the tool's own struct */
	const char *as;		/* the library's name; NULL: the same */
	bool rare;		/* only --help=all lists it */
};

/* The offset of a member of the tool's struct own, for its rows. */
#define CLI_AT(member) .offset = offsetof(struct own, member)

/*
 * A tool's main(); where all tools are one program, a function that
 * multicall.c calls.
 */
#ifdef CLI_MULTICALL
#define CLI_MAIN(name) \
	int name(int argc, char **argv); \
	int name(int argc, char **argv)
#else
#define CLI_MAIN(name) int main(int argc, char **argv)
#endif

/* Print the version, and which libraries are built in. */
void cli_version(const char *name);

struct cli;
struct cli_reading;

struct cli_tool {
	const char *name;
	const char *usage;	/* after the name */
	const char *about;	/* one sentence */
	const char *examples;	/* lines of two blanks and a command */
	const char *format;	/* written where nothing else says */
	const struct cli_option *options;	/* its own; ends in name NULL */
	/* Sets its own rows of kind CLI_TAKE; false: the message is out. */
	bool (*set_option)(struct cli *cli, const char *name,
			   const char *value);
	/* Before the inputs are opened; false: the message is out. */
	bool (*check_options)(struct cli *cli);
	/* The kinds of flame_rows that it has as options, and of 'i', 'o'
	   and 'c' those that --help lists; NULL: "sfwioc". */
	const char *rows;
	bool lists;		/* it lists folders itself */
	/* Operands are a command, whose options are its own. */
	bool command;
	/* Instead of reading profiles: returns an exit status. */
	int (*run)(struct cli *cli, struct flame *flame);
	/* A tree, of two columns for cli->diff, before it is written (or
	   instead, with cli->own_output): returns an exit status. */
	int (*gathered)(struct cli *cli, struct flame *flame,
			struct flame_tree *tree);
	/* Instead, with cli->runs: it reads the inputs itself. */
	int (*compare_runs)(struct cli *cli, struct flame *flame,
			    struct cli_reading *reading);
};

/* An option for the library, in the order given. */
struct cli_pair {
	const char *name;
	char *value;		/* a copy; NULL: none */
	int rank;		/* of a filter */
};

struct cli_list {
	struct cli_pair *at;
	size_t n, capacity;
};

/* progress.c: a line on a terminal with the progress of reading. */
struct cli_progress {
	const struct cli *cli;
	char **inputs;
	size_t i, n;		/* of the inputs */
	uint64_t before, done;	/* bytes: of earlier inputs, of this one */
	uint64_t all;		/* of all; 0: not known */
	double start, drawn;	/* seconds */
	int width;		/* columns on the terminal; 0: not drawn */
};

struct cli {
	const struct cli_tool *tool;
	struct cli_progress *progress;
	void *own;		/* the tool's */
	char **inputs;		/* nheld of them; an output may be the last */
	size_t ninputs, nheld, inputs_capacity;
	size_t nbefore;		/* inputs before "--"; 0: no "--" was given */
	struct cli_list asks, filters, sets;
	const char *input_format, *output_format;
	const char *output;	/* "-": standard output */
	const char *name;	/* of standard input; NULL: none */
	const char *event;
	bool bills;		/* --event cost makes a bill, too: */
	struct flame_bill *bill;	/* NULL: not */
	bool list_events, info;
	bool diff;		/* the second of two inputs against the first */
	bool runs;		/* each input, or group of them, is a run */
	bool own_output;	/* the tool writes the tree itself */
	bool compat;
	bool raw_names;		/* keep Java's names unchanged */
	bool mangled;		/* and those of C++ and Rust */
	bool quiet, verbose;
	bool strict, lenient;	/* --partial fail, --partial ok */
	/* Inputs are of --paths-from or of a folder that was listed. */
	bool listed;
	enum cli_report {
		CLI_REPORT_NONE, CLI_REPORT_TEXT, CLI_REPORT_JSON,
		CLI_REPORT_HADOOP
	} report;
	bool empty_ok;		/* nothing selected is fine */
	/*
	 * The output will be added to others: no input chooses the metric, cpu
	 * is chosen of recordings.  all_metrics: the output keeps them apart.
	 */
	bool parts, all_metrics;
	const char *input;	/* the one that is read, of an output each */
	bool muted, held_tongue;	/* no messages; one was left out */
	bool refused;		/* stop: an option or a folder failed */
	char unsaid[1024];	/* --quiet: the last warning of an input, */
	char loss[1024];	/* and of the first that is all lost */
	char ignored[1024];	/* options of which it was said, a line each */
	unsigned jobs;		/* threads to read with; 0: as many as CPUs */
	size_t memory;		/* bytes to hold at most; 0: no limit */
	bool memory_given;	/* by --memory-limit */
	unsigned threads;	/* the number, then */
	bool fetch;		/* inputs are what --fetch prints */
	const char *path_labels;	/* --path-labels */
	size_t fetched;		/* the first input whose command is not begun */
};

/* The whole of a tool: parses, reads, writes; returns the exit status. */
int cli_main(const struct cli_tool *tool, void *own, int argc, char **argv);

/*
 * terminal.c: the columns of standard output (0: unknown); whether it shows
 * colours; passes both to the writer of text that goes there.
 */
unsigned cli_columns(void);
bool cli_colours(void);
bool cli_fit_terminal(const struct cli *cli, struct flame_sink *sink,
		      const char *output);
/* flame_visible's text in new memory, to be freed; NULL: out of memory. */
char *cli_visible(const char *text, size_t size);

/*
 * The same as Markdown, the inner text of a `code` span or else of a
 * paragraph or a cell of a table.
 */
char *cli_markdown(const char *text, bool code);

/*
 * explain_empty.c: whether an option leaves samples out; and, where nothing was
 * selected, which option it was, what names there are, and the nearest one.
 * any: inputs may have samples.
 */
bool cli_selects(const struct cli *cli);
void cli_explain_nothing(struct cli *cli, struct flame *flame,
			 char **inputs, size_t n, bool any);
/*
 * explain_choices.c: of a key that no sample has: the labels that samples of an
 * input have, as "; there are: file, tid".  Empty: the input cannot be read.
 */
enum { CLI_MAX_CHOICES = 1024 };
void cli_list_labels(const char *path, const char *key, char *choices);

/*
 * output_endings.c: whether the output's name goes with what is written there;
 * false: the message is printed.  The format that a name's ending means and
 * nothing here writes; NULL: none.  Whether it is a picture's, which is not an
 * input either.
 */
bool cli_check_ending(const struct cli *cli);
const char *cli_not_written(const char *path);
bool cli_is_picture(const char *path);

/*
 * check_values.c: whether the values of all options are valid, with
 * pages in this format (NULL: none); false: the message is out.
 */
bool cli_check_values(const struct cli *cli, const char *format);

/* cpu_count.c: the CPUs that the process may use; at least 1. */
unsigned cli_cpus(void);

/*
 * remote_inputs.c: --fetch; starts the commands of the i-th input and of those
 * after it, one a thread.
 */
bool cli_take_fetch(struct cli *cli, const char *value);
void cli_fetch_ahead(struct cli *cli, struct flame *flame, char **inputs,
		     size_t n, size_t i);

/* Folders of WebHDFS and S3, whose names end in /, become their files. */
bool cli_has_folders(const struct cli *cli);
bool cli_expand_folders(struct cli *cli, struct flame *flame);

/* event_list.c: the metrics of the inputs; the facts of an input. */
void cli_print_events(const struct flame *flame);
bool cli_print_facts(const struct cli *cli, const struct flame_source *source,
		     const char *path);
/*
 * The same for -f json: an input's facts are collected in *inputs (NULL at
 * first), which cli_json_events frees.  false: out of memory.
 */
struct cJSON;
bool cli_add_facts(struct cJSON **inputs, const struct flame_source *source,
		   const char *path);
bool cli_json_events(const struct flame *flame, struct cJSON *inputs);

/*
 * Samples with a stack by metric so far, to be freed; NULL: out of memory.
 * cli_are_unlike: reports if one of two profiles has samples, but none of the
 * metric of the other; counts are those before, between and after both.
 */
struct cli_counts {
	uint64_t *samples;
	unsigned n;
};
struct cli_counts cli_count_metrics(const struct flame *flame);
bool cli_are_unlike(const struct cli *cli, const struct flame *flame,
		    const struct flame_tree *tree,
		    const struct cli_counts *counts, char **inputs);

/* paths_from.c: the inputs of a list; false: the message is out. */
bool cli_read_paths(struct cli *cli, const char *path);

/* report.c: how an input was read.  CLI_FAILED: not at all. */
enum cli_fate {
	CLI_READ, CLI_DAMAGED, CLI_EMPTY, CLI_LOST, CLI_FAILED, CLI_MISSING,
	CLI_FATES
};
struct cli_tally {
	uint64_t n[CLI_FATES], bytes;
};
/* How reading of all inputs went. */
struct cli_reading {
	size_t read, damaged, lost, failed;
	struct cli_tally account;
};
/* CLI_MISSING if there is no such file, else CLI_FAILED. */
enum cli_fate cli_fate_of_failure(const struct flame *flame);
/* source: NULL if it could not be opened. */
void cli_count_bytes(struct cli_tally *tally, const char *path,
		     const struct flame_source *source);
void cli_count_input(struct cli_tally *tally, const char *path,
		     const struct flame_source *source, enum cli_fate fate);
void cli_report(const struct cli *cli, const struct flame *flame,
		const struct cli_tally *tally);
/* CPU of all processes, and the memory of the largest. */
void cli_say_costs(const struct cli *cli);
/* input_account.c: an input that was read; the members of an archive were. */
void cli_count_read(struct cli *cli, struct cli_reading *reading,
		    const char *path, const struct flame_source *source);
void cli_count_damage(struct cli *cli, struct cli_reading *reading,
		      enum flame_damage damage);
enum cli_fate cli_fate_of(const struct flame_source *source);
/* Members of archives count as inputs from now on. */
struct cli_members {
	struct cli *cli;
	struct flame *flame;
	struct cli_reading *reading;
	bool survey;		/* for --event list and --info */
};
void cli_hear_members(struct cli_members *members);
bool cli_is_archive(const struct flame_source *source);
/*
 * Whether inputs that are missing or lost as a whole are only reported: with
 * --partial ok, and for lists and parts of a job unless --partial fail.
 */
bool cli_passes_losses(const struct cli *cli);

/* Removes an option that a tool handles itself from the filters. */
void cli_drop_filter(struct cli *cli, const char *name);

/* memory_limit.c: half of what the process may have; 0: not known. */
size_t cli_memory(void);
/*
 * Returns large blocks to the system when they are freed: glibc raises its mmap
 * threshold after the first one, and the chunks of a recording would then
 * fragment the heap.  Small blocks grow the heap by a megabyte at a time, since
 * touching a new page is expensive.
 */
void cli_give_back(void);
/* Keep some of it: the same amounts are needed soon, again and again. */
void cli_keep_small(void);

/* options.c: -1: go on; else an exit status. */
int cli_parse(struct cli *cli, int argc, char **argv);
/* Whether a tool has the library's rows of a kind as options. */
bool cli_takes(const struct cli_tool *tool, char kind);

/* flame: NULL where others read, whose progress cli_progress_show has. */
void cli_progress_begin(struct cli_progress *progress, const struct cli *cli,
			struct flame *flame, char **inputs, size_t n);
/* "3 of 10 groups", and the bytes of all that were read; after a second. */
void cli_progress_show(struct cli_progress *progress, const char *what,
		       uint64_t done, uint64_t all);
/* An input was read. */
void cli_progress_next(struct cli_progress *progress);
/* Before something else is said. */
void cli_progress_erase(struct cli_progress *progress);
void cli_progress_end(struct cli_progress *progress, struct flame *flame);

/*
 * "500ms", "2s", "5min", "1h", or seconds without a unit, in ns; false: text is
 * no time from least to most, and *ns stays as it is.
 */
bool cli_parse_time(const char *text, int64_t least, int64_t most, int64_t *ns);
/* Flushes standard output and returns an exit status. */
int cli_flush(const struct cli *cli);
/* Says so; false. */
bool cli_no_memory(const struct cli *cli);
/* Room for `need` elements in the array that at points to. */
bool cli_grow(const struct cli *cli, void *at, size_t *capacity, size_t need,
	      size_t size);
/* The last option of a name in a list, which counts; NULL: there is none. */
struct cli_pair *cli_find(const struct cli_list *list, const char *name);
/*
 * A line on standard error, after the tool's name.  Names and patterns in it
 * are shown as flame_visible does; at most 8 kB.
 */
void cli_say(const struct cli *cli, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/*
 * Reports and clears the failure of an input; false: it cannot be cleared, and
 * was not reported.
 */
bool cli_pass_over(const struct cli *cli, struct flame *flame);
/*
 * Opens an input and sets the reader's options.  NULL: see flame_error, and
 * cli->refused if an option was refused.
 */
struct flame_source *cli_open(struct cli *cli, struct flame *flame,
			      const char *path);
/* Of a recording for a part of a job: cpu, unless an event was asked for. */
bool cli_ask_parts(const struct cli *cli, struct flame_source *source);
/* The output's writer with all options; NULL: failed. */
struct flame_sink *cli_make_writer(struct cli *cli, struct flame *flame,
				   const char *output);
/* Sets all options of outputs.  NULL: there was none, or it failed: freed. */
struct flame_sink *cli_set_all(struct cli *cli, struct flame_sink *sink);
/*
 * Puts the filters and the choice of a metric (NULL: see flame_pick) before a
 * sink, which the chain owns.  NULL: failed, and the sink is freed.
 */
struct flame_sink *cli_chain(struct cli *cli, struct flame_sink *sink,
			     const char *event);
/*
 * Pumps inputs into a sink and finishes it; false: failed.  Without a sink it
 * fails.
 */
bool cli_merge(struct cli *cli, struct flame *flame, struct flame_sink *sink,
	       char **inputs, size_t n, struct cli_reading *reading);
/* For flame_ask, flame_filter (by its row's name), flame_set. */
bool cli_ask(struct cli *cli, const char *name, const char *value);
bool cli_filter(struct cli *cli, const char *name, const char *value);
bool cli_set(struct cli *cli, const char *name, const char *value);
bool cli_input(struct cli *cli, const char *path);
/* Inputs to one output (both from cli if NULL); an exit status. */
int cli_convert(struct cli *cli, char **inputs, size_t n, const char *output);
/* Each input to a file of its own in the folder that is the output. */
int cli_convert_each(struct cli *cli);
/* The graver of two exit statuses. */
int cli_worse(int a, int b);

/* table.c (table.h has the tables): text with formats, and its end. */
/* As printf; false: the output failed. */
bool cli_print(struct flame_text *out, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Ends the output and returns an exit status. */
int cli_text_finish(const struct cli *cli, struct flame_text *out);
/* The metric and the unit of a tree's weights: "cpu", "samples". */
void cli_metric(const struct flame *flame, const struct flame_tree *tree,
		const char **metric, const char **unit);

#endif
