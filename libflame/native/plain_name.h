/* SPDX-License-Identifier: Apache-2.0 */
/* Names of C++ and Rust as perf prints them. */
#ifndef FL_NATIVE_PLAIN_NAME_H
#define FL_NATIVE_PLAIN_NAME_H

#include "base/base.h"

/*
 * Appends a mangled name without its return type and parameters: "a::f<int>" of
 * "void a::f<int>(int) const".  false: it is not mangled.
 */
bool fl_plain_name(struct fl_buf *to, const char *name);

#endif
