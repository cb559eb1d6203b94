/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of flame-record share.
 */
#ifndef FLAME_RECORD_H
#define FLAME_RECORD_H

#include "cli/cli.h"

#include "sample/sample.h"

enum { STATUS_ERROR = 1, STATUS_USAGE = 2, STATUS_REFUSED = 3 };

/* The options of flame-record's own. */
struct own {
	bool all, check, threads, user, no_children, no_inline, no_join, lines;
	const char *format;
	enum fl_record_kind kind;
	bool kind_given;
	char *pids;		/* a list; NULL: none */
	unsigned hertz, stack;
	double seconds;
	double least_wait;	/* ms; 0: all */
	bool list, list_processes;
	struct fl_counted counted;	/* name "": none */
	unsigned count;			/* 0: the event's own */
	unsigned of_jvms;		/* FL_JVM_*, if several are asked for */
	const char *event;		/* as it was given; or NULL */
	const char *settings;		/* of -e jfr=SETTINGS */
	int64_t roll;			/* ns of a turn; 0: there are none */
	int64_t from, until;		/* of this turn; see fl_recording */
	size_t roll_limit;		/* bytes of all turns' files */
};

/* flame-record.c ------------------------------------------------------ */

/* Set by a signal that ends the recording. */
extern volatile int record_stopped;

/* Of the signals that end a recording. */
void record_handle_signals(void (*handler)(int));
/* Records all processes of the machine; returns an exit status. */
int record_all(struct cli *cli, struct flame *flame);

/* record/command.c ---------------------------------------------------- */

struct command {
	pid_t pid;
	bool reaped;		/* its status is known: its pid is free */
	int go;			/* a byte starts it; -1: none */
	int error;		/* sends its errno where it cannot start */
};

/* Starts a process that waits for `go`; false: a message says why not. */
bool record_start_command(const struct cli *cli, struct command *command);
/* false: it could not be executed, and a message says so. */
bool record_has_started(const struct cli *cli, struct command *command);
/* reaped: the recording has waited for it. */
void record_end_command(struct command *command, bool reaped);

/* record/options.c ---------------------------------------------------- */

bool record_set_option(struct cli *cli, const char *name, const char *value);
bool record_check_options(struct cli *cli);

/* record/result.c ----------------------------------------------------- */

/* Names of enum fl_record_kind; NULL ends them. */
extern const char *const record_kinds[];

bool record_is_script(const struct own *own);
/* Samples a second of the event; of -e wall not fewer than 99. */
unsigned record_event_hertz(const struct own *own);
/*
 * Opens the output, with the filters that were asked for before it.  event: the
 * metric, or NULL for several.  Returns NULL on failure.
 */
struct flame_sink *record_sink(struct cli *cli, struct flame *flame,
			       const char *event);
/*
 * Finishes the sink; a message says why it is empty.  result may be NULL.
 * Returns an exit status.
 */
int record_finish(struct cli *cli, struct flame *flame, struct flame_sink *sink,
		  const struct fl_record_result *result, bool command);
/* Prints the error, if there is one; returns STATUS_ERROR. */
int record_failed(const struct cli *cli, struct flame *flame);
/* Before a recording: rings are smaller, the kernel has no stacks. */
void record_say_ring(const struct cli *cli,
		     const struct fl_record_result *result);
void record_say_kernel(const struct cli *cli, const struct own *own,
		       const struct fl_record_result *result);
/* After it: numbers of samples, and Python workers that were joined. */
void record_say_result(const struct cli *cli,
		       const struct fl_record_result *result);
void record_say_joined(const struct cli *cli,
		       const struct fl_record_result *result);

/* record/jvms.c ------------------------------------------------------- */

bool record_is_of_jvms(const struct own *own);
/* Whether it is "cpu+alloc" or "jfr=SETTINGS". */
bool record_is_of_several(const char *event);
/* false: a message says why not. */
bool record_take_jvm_events(struct cli *cli, const char *event);
/* Whether the output can have the events; false: a message says why not. */
bool record_check_jvms(struct cli *cli);
/* Returns an exit status. */
int record_jvms(struct cli *cli, struct flame *flame,
		struct fl_targets *targets);

/* record/roll.c ------------------------------------------------------- */

/* false: a message says why. */
bool record_take_roll(struct cli *cli, const char *value);
bool record_take_roll_limit(struct cli *cli, const char *value);
bool record_check_roll(const struct cli *cli);
/* Records until a signal comes; an exit status. */
int record_roll(struct cli *cli, struct flame *flame);

#endif
