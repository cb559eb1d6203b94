/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of debug information by address, and those inlined into them.
 *
 * A unit's functions are found in one pass over its entries, a function's body
 * is read when the first address in it is asked for; then an address is a
 * binary search.
 */
#ifndef FL_NATIVE_SCOPES_H
#define FL_NATIVE_SCOPES_H

#include "native/debug.h"

/* Who has the code from `start` on, up to that of the next one. */
struct fl_scopes {
	size_t count;
	struct fl_scope_edge {
		uint64_t start;
		struct fl_scope *scope;		/* NULL: nobody */
	} edges[];
};

/* A function that has code, or one that was inlined into another. */
struct fl_scope {
	Dwarf_Die die;
	struct fl_scope *in;		/* NULL: it is a function itself */
	struct fl_scopes *body;		/* of a function; NULL: not read yet */
	uint64_t start;			/* of its first range */
	bool asked;			/* see inlined.c */
	bool named;			/* the names below are known */
	const char *linkage;		/* mangled; or NULL */
	const char *name;		/* plain; or NULL */
};

/* The innermost one of a unit at an address; NULL: none, or no memory. */
struct fl_scope *fl_scope_at(struct fl_debug *m, Dwarf_Die *unit,
			     uint64_t address);

#endif
