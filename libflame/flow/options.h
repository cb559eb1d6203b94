/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options are rows: a name, the kind of its value, and where in a struct the
 * value is stored.  Reading a value, copying and freeing the struct, --help
 * and the completions use the same row, so that a new option is one row and
 * one member of the struct.
 */
#ifndef FL_OPTIONS_H
#define FL_OPTIONS_H

#include "fl.h"

enum fl_option_kind {
	FL_OPTION_FLAG,		/* bool: true once the option is given */
	FL_OPTION_TEXT,		/* char * */
	FL_OPTION_LINES,	/* char *: each value given is a line */
	FL_OPTION_WORD,		/* enum: which word of the argument "a|b|c" */
	FL_OPTION_EITHER,	/* bool: the first of the argument's two words */
	FL_OPTION_COUNT,	/* int64_t, not negative */
	FL_OPTION_NUMBER,	/* double */
	FL_OPTION_RATIO,	/* double: 0.1 or 10% */
	FL_OPTION_DURATION,	/* int64_t: ns */
	FL_OPTION_REGEX,	/* struct fl_regex * */
	FL_OPTION_REGEXES,	/* the same; given again: either may match */
	FL_OPTION_SPECIAL	/* only the row's set() knows; nothing to free */
};

/* Which tools have it as an option. */
enum fl_option_scope {
	FL_SCOPE_ALL,		/* every tool that reads, or writes */
	FL_SCOPE_DETAIL,	/* one: flame-fold's of readers, flame-graph's
				   of pages */
	FL_SCOPE_HIDDEN		/* none: tools set it for other options */
};

/* Room for the reason why a value is refused. */
enum { FL_REASON_SIZE = 256 };

struct fl_option {
	const char *name;
	const char *argument;	/* NULL: none */
	const char *summary;
	enum fl_option_kind kind;
	size_t offset;		/* of the member */
	enum fl_option_scope scope;
	/*
	 * NUMBER: no less than this; TEXT, LINES: no fewer bytes.  RATIO: no
	 * more than most, if that is not 0.
	 */
	double least, most;
	unsigned first;		/* WORD: the number of the first word */
	unsigned outputs;	/* of pages: those that use it; 0: all */
	enum flame_selects selects;	/* by what, if it leaves samples out */
	bool often;		/* --help shows it, not --help=all alone */
	/*
	 * Sets the value instead of the kind's own code; the kind still
	 * decides how to copy and free it.  A refused value changes nothing
	 * and returns FLAME_FAILED; reason may stay empty.
	 */
	int (*set)(struct flame *flame, void *member, const char *value,
		   char reason[FL_REASON_SIZE]);
};

/* The options of a struct. */
struct fl_option_table {
	const struct fl_option *rows;	/* the last one has no name */
	size_t size;			/* of the struct */
	const void *defaults;		/* such a struct; NULL: all zero */
};

/* NULL where no row has the name, and for a NULL table. */
const struct fl_option *fl_option_find(const struct fl_option_table *table,
				       const char *name);
/*
 * Sets a member of the struct.  FLAME_FAILED: the value was refused for the
 * reason given, or out of memory, as flame says.
 */
int fl_option_parse(struct flame *flame, const struct fl_option *row,
		    void *values, const char *value,
		    char reason[FL_REASON_SIZE]);
/* The same; flame has the reason: "--NAME VALUE: REASON". */
int fl_option_set(struct flame *flame, const struct fl_option *row,
		  void *values, const char *value);
/* A TEXT member replaced by a copy of the text. */
int fl_option_text(struct flame *flame, void *member, const char *text);
/* The same with the path of a file or folder that can be read. */
int fl_option_file(struct flame *flame, void *member, const char *path,
		   char *reason);
/* A LINES member with a line more. */
int fl_option_line(struct flame *flame, void *member, const char *line);

/* A struct with the defaults; NULL without a table, or if out of memory. */
void *fl_options_new(const struct fl_option_table *table);
/*
 * The struct `to`, which was empty, becomes a copy that another thread can
 * use.  false: it failed, as flame says; `to` can be cleared all the same.
 */
bool fl_options_copy(struct flame *flame, const struct fl_option_table *table,
		     void *to, const void *from);
/* Frees what the members own, but not the struct. */
void fl_options_clear(const struct fl_option_table *table, void *values);
/* Frees both; NULL is allowed. */
void fl_options_free(const struct fl_option_table *table, void *values);

#endif
