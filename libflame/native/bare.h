/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Symbolizes raw addresses of profiles that have the mappings of a process, as
 * lines of /proc/PID/maps or as records.
 */
#ifndef FL_NATIVE_BARE_H
#define FL_NATIVE_BARE_H

#include "native/names.h"

/* Zeroed, then with flame and options: nothing is mapped. */
struct fl_bare {
	struct flame *flame;
	const struct fl_names_options *options;
	struct fl_native_names *names;
	struct fl_mappings maps;
};

/* A line of /proc/PID/maps. */
struct fl_maps_line {
	uint64_t start, end, offset, inode;
	bool code;
	struct slice path;	/* may be empty */
};

/* "00400000-00fcb000 r-xp 00000000 08:01 213 /usr/bin/x"; false: it is none. */
bool fl_maps_line(struct slice line, struct fl_maps_line *map);

/* The build id is in digits, or empty.  false: out of memory. */
bool fl_bare_add(struct fl_bare *bare, const struct fl_maps_line *map,
		 struct slice build_id);
/* The frames of an address, leaf first; 0: it has no name. */
size_t fl_symbolize(struct fl_bare *bare, uint64_t address,
		    const flame_id **frames);
/* Another profile follows: forgets the mappings. */
void fl_bare_clear(struct fl_bare *bare);
/* As fl_names_report; then as fl_bare_free. */
bool fl_bare_report(struct fl_bare *bare, const char *input);
void fl_bare_free(struct fl_bare *bare);

#endif
