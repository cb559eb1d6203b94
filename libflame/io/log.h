/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logs that wrap the lines of programs: a prefix before each line, which names
 * the program (kubectl logs --prefix, stern, docker compose, journalctl) or
 * does not (times, levels, numbers of lines, quotes), an object of JSON for
 * each (docker's json-file, journalctl -o json, Loki), colours of a terminal,
 * escapes of HTML.  log.c returns the lines as if they stood alone, those of
 * one program after those of another; log_prefix.c, log_pattern.c and
 * log_json.c know the wrappings.
 */
#ifndef FL_IO_LOG_H
#define FL_IO_LOG_H

#include "io/io.h"

/*
 * Begins a line between the lines of two programs, and before the first one's
 * if it has labels: the mark, then KEY=VALUE, separated by FL_LOG_SEPARATOR.
 */
enum { FL_LOG_MARK = 0x1c, FL_LOG_SEPARATOR = 0x1f };

/*
 * The most bits of any reader for a text (whole: not for its beginning).  An
 * input is a log if there are more for the text in its lines.
 */
typedef int fl_log_judge(const uint8_t *head, size_t n, bool whole);

/* The input, or a layer over it if it is a log; NULL: it has failed. */
struct fl_in *fl_log_unwrap(struct fl_in *in, fl_log_judge *judge);

/* A parsed line of a log. */
struct fl_log_line {
	struct slice text;
	struct fl_buf *key;	/* whose line it is, as in the mark's line */
	bool partial;		/* the next of key and stream goes on */
	bool is_stderr;		/* its stream, where the log names it */
};

/* A kind of prefix.  false: the line has none of it. */
typedef bool fl_log_parse(struct slice line, struct fl_log_line *parsed);

struct fl_log_kind {
	fl_log_parse *parse;	/* NULL: it is a pattern of log_pattern.c */
	const char *pattern;
	bool weak;		/* much else looks like it */
};

/* Tables whose last row is empty: log_prefix.c, log_pattern.c. */
extern const struct fl_log_kind fl_log_prefixes[], fl_log_patterns[];
/* As fl_log_parse, of a kind. */
bool fl_log_take(const struct fl_log_kind *kind, struct slice line,
		 struct fl_log_line *parsed);
bool fl_log_cut_pattern(const char *pattern, struct slice *line);
/* Cuts off a line, without its end. */
struct slice fl_log_cut_line(struct slice *rest);

/*
 * log_prefix.c: the kind that begins most lines of a log's head; NULL: none.
 * *all: it begins all that are not empty.
 */
const struct fl_log_kind *fl_log_kind_of(struct slice head,
					 struct fl_buf *scratch, bool *all);

/*
 * log_json.c: an object that holds a line of text, whose bytes are then in
 * `text`.  false: it has none.
 */
bool fl_log_json(struct slice line, struct fl_buf *text,
		 struct fl_log_line *parsed);

/* Appends KEY=VALUE, without control characters. */
void fl_log_label(struct fl_buf *key, const char *name, struct slice value);

#endif
