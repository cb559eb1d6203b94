/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of C++ and Rust as their authors wrote them (demangle.c), and those of
 * Rust's version 0 (demangle_rust.c).
 */
#ifndef FL_DEMANGLE_H
#define FL_DEMANGLE_H

/* Whether a name looks mangled, as _Z3foov, __Z3foov and _RNvC1a1b do. */
static inline bool fl_is_mangled(struct slice s)
{
	size_t i = s.size > 2 && s.data[0] == '_' && s.data[1] == '_';

	return s.size > i + 2 && s.data[i] == '_' &&
	       (s.data[i + 1] == 'Z' || s.data[i + 1] == 'R');
}

/* Appends the name as its author wrote it; false: it is not mangled. */
bool fl_demangle(struct fl_buf *to, const char *name);
/* The same for names that begin with _R. */
bool fl_demangle_rust(struct fl_buf *to, const char *name);

/* __cxa_demangle; NULL: there is none. */
typedef char *fl_demangler(const char *, char *, size_t *, int *);
fl_demangler *fl_demangle_library(void);
/*
 * Whether it may demangle the name in this process: a reference to an earlier
 * part of the name at most doubles the text, and by 60 of them a name of 651
 * bytes is longer than any memory.
 */
bool fl_demangle_is_safe(const char *name);
/* Appends what it wrote, by Rust's older rules where they apply. */
void fl_demangle_put(struct fl_buf *to, const char *text, const char *name);

#endif
