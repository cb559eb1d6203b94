/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A jitdump: code that a virtual machine compiled, as perf record -k mono and
 * agents of V8, the JVM and .NET write it (jitdump-specification.txt of perf).
 */
#ifndef FL_NATIVE_JITDUMP_H
#define FL_NATIVE_JITDUMP_H

#include "native/symbols.h"

/* "/home/me/.debug/jit/x/jit-42.dump" */
bool fl_jitdump_is_path(struct slice path);
/*
 * The functions in it, as it was at its end; text is consumed (fl_free).  Of a
 * damaged one its whole records.
 */
bool fl_jitdump_symbols(struct fl_symbols *symbols, char *text, size_t size);

#endif
