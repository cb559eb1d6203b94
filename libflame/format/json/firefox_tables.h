/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of profiles of Firefox, by column or by row: see firefox.c. */
#ifndef FL_JSON_FIREFOX_TABLES_H
#define FL_JSON_FIREFOX_TABLES_H

#include "format/json/fields.h"

/* Weights, or times in ns; FLAME_NOTIME: null. */
struct fl_firefox_decimals {
	int64_t *data;
	size_t count, capacity;
};

struct fl_firefox_names {
	flame_id *data;
	size_t count, capacity;
};

struct fl_firefox_tables {
	/* By stack; is_offset: prefix is how far back the caller is. */
	struct fl_json_integers prefix, stack_frame;
	bool is_offset;
	/* By frame, by function and by resource. */
	struct fl_json_integers func, location, line, depth, lib;
	struct fl_json_integers func_name, func_resource;
	struct fl_json_integers resource_name;
	struct fl_firefox_names strings;
	bool has_stacks, has_strings;
};

/* A column of a table by its name, and where gecko's rows have it. */
struct fl_firefox_wanted {
	const char *name;
	struct fl_json_integers *column;
	struct fl_firefox_decimals *decimals;	/* or this, with places */
	int places, place;		/* place -1: the schema has the index */
};

void fl_firefox_tables_free(struct fl_firefox_tables *tables);
/* The rows of their keys, of struct fl_firefox_tables. */
extern const struct fl_json_field fl_firefox_tables[];
/*
 * Reads the value of the key read last, if it is of one of n columns of a table
 * of either kind; false: another key.
 */
bool fl_firefox_table_key(struct fl_json_source *js,
			  struct fl_firefox_wanted *wanted, size_t n);
void fl_firefox_put_name(struct fl_json_source *js,
			 struct fl_firefox_names *names, flame_id name);

#endif
