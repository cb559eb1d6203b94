/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FL_WASI_STDLIB_H
#define FL_WASI_STDLIB_H

#include_next <stdlib.h>
#include <lacks.h>
#include <string.h>

char *realpath(const char *path, char *to);
FL_WASI_LACKS(int, mkstemp, -1, char *path)
FL_WASI_LACKS(char *, mkdtemp, NULL, char *path)

#endif
