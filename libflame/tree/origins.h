/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Origins: the inputs that a tree or page was made of, with their facts, for
 * its title and for its later readers.
 */
#ifndef FL_ORIGINS_H
#define FL_ORIGINS_H

#include "flow/flow.h"

/* Of one with more facts or a later one with facts, the rest is left out. */
enum { FL_MAX_ORIGIN_FACTS = 400, FL_MAX_ORIGINS_WITH_FACTS = 8 };

struct fl_origin {
	const char *name, *format;	/* in the dictionary's arena */
	struct flame_fact *facts;	/* owned; texts are in the arena */
	size_t nfacts;
};

struct fl_origins {
	struct fl_origin *data;
	size_t count, capacity;
};

/*
 * Adds a source that was read to its end, unless it was empty.  false: out of
 * memory.
 */
bool fl_origins_add(struct fl_origins *origins,
		    const struct flame_source *source);
/*
 * Adds those in a text: a line "NAME\tFORMAT" of each, then a line
 * "\tKEY\tVALUE" of each of its facts.  false: out of memory.
 */
bool fl_origins_parse(struct flame *flame, struct fl_origins *origins,
		      const char *text);
/* FL_NEED_FACTS, or 0 if facts of a further source would be left out. */
unsigned fl_origins_needs(const struct fl_origins *origins);
void fl_origins_free(struct fl_origins *origins);
/*
 * Writes what the inputs are called: the title of a picture, "a.jfr",
 * "3 files exec-*.jfr", "3 files of run1", "app-1 executor 2", or nothing for
 * standard input.
 */
void fl_origins_name(const struct fl_origins *origins, struct fl_buf *to);
/* The folder that several inputs are called after; empty: there is none. */
struct slice fl_origins_folder(const struct fl_origins *origins);
/* A fact of the first input; NULL: it has none. */
const char *fl_origins_fact(const struct fl_origins *origins, const char *key);

#endif
