/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logs that wrap the lines of programs: a prefix before each line (kubectl
 * logs --prefix, stern, docker compose, the CRI's files, journalctl), or an
 * object of JSON for each (docker's json-file, journalctl -o json, Loki).
 * log.c gives the lines as if they stood alone, those of one program after
 * those of another; log_prefix.c and log_json.c know the wrappings.
 */
#ifndef FL_IO_LOG_H
#define FL_IO_LOG_H

#include "io/io.h"

/*
 * Begins a line between the lines of two programs, and before the first one's
 * if it has labels: the mark, then KEY=VALUE, separated by FL_LOG_SEPARATOR.
 */
enum { FL_LOG_MARK = 0x1c, FL_LOG_SEPARATOR = 0x1f };

/* The input, or a layer over it if it is a log; NULL: it has failed. */
struct fl_in *fl_log_unwrap(struct fl_in *in);

/* A line of a log, taken apart. */
struct fl_log_line {
	struct slice text;
	struct fl_buf *key;	/* whose line it is, as in the mark's line */
	bool partial;		/* the next line of the same key continues it */
};

/* A kind of prefix.  false: the line has none of it. */
typedef bool fl_log_parse(struct slice line, struct fl_log_line *parsed);

/* log_prefix.c: the kind of a log's first MB; NULL: it is none. */
enum { FL_LOG_HEAD = 1 << 20 };
fl_log_parse *fl_log_prefix(struct slice head, struct fl_buf *scratch);
/* Whether such a line could begin a log with prefixes; few lines do. */
bool fl_log_may_begin(struct slice head);

/*
 * log_json.c: an object that holds a line of text, whose bytes are then in
 * `text`.  false: it has none.
 */
bool fl_log_json(struct slice line, struct fl_buf *text,
		 struct fl_log_line *parsed);

/* Appends KEY=VALUE, without control characters. */
void fl_log_label(struct fl_buf *key, const char *name, struct slice value);

#endif
