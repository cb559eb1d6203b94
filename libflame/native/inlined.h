/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that a compiler inlined, of a single file. */
#ifndef FL_NATIVE_INLINED_H
#define FL_NATIVE_INLINED_H

#include "native/symbols.h"

#ifdef HAVE_LIBDW
struct fl_debug;

struct fl_inlined {
	const char *linkage;	/* mangled; or NULL */
	const char *name;	/* "ns::Class::f" */
	const char *file;	/* without its folders; NULL: not known */
	unsigned line;
	bool inlined;		/* false: the function itself, which is last */
};

/* NULL: it has no debug information, or libdw is not here. */
struct fl_debug *fl_inlined_open(int fd, bool lines);
/* The functions at an address, innermost first; false: not known. */
bool fl_inlined_each(struct fl_debug *module, uint64_t address,
		     void (*accept)(void *arg, const struct fl_inlined *at),
		     void *arg);
/*
 * The mangled names alone, or plain ones where there are none, as addr2line has
 * them, some of which are from the table of symbols: `symbol` is that of the
 * address.  NULL: it has none.
 */
bool fl_inlined_names(struct fl_debug *module, uint64_t address,
		      const struct fl_symbol *symbol,
		      void (*accept)(void *arg, const char *name), void *arg);
void fl_inlined_close(struct fl_debug *module);
#endif

#endif
