/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every folder may use: the public header, errors, and base/.
 */
#ifndef FL_H
#define FL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define FLAME_UNSTABLE
#include "flame.h"

#if defined(__GNUC__)
#define FL_PRINTF(f, a) __attribute__((format(printf, f, a)))
#define fl_likely(x) __builtin_expect(!!(x), 1)
#define fl_unlikely(x) __builtin_expect(!!(x), 0)
#else
#define FL_PRINTF(f, a)
#define fl_likely(x) (x)
#define fl_unlikely(x) (x)
#endif

#define FL_MAX(a, b) ((a) > (b) ? (a) : (b))
#define FL_MIN(a, b) ((a) < (b) ? (a) : (b))
#define FL_COUNT(a) (sizeof(a) / sizeof((a)[0]))

/*
 * Errors.  fl_fail stores the first failure's text and returns FLAME_FAILED;
 * fl_warn is for damage from which whole records were read; fl_remark for
 * choices.  Messages are "FILE: place: observation", without a newline.
 */
int fl_fail(struct flame *flame, const char *format, ...) FL_PRINTF(2, 3);
void fl_warn(struct flame *flame, const char *format, ...) FL_PRINTF(2, 3);
void fl_remark(struct flame *flame, const char *format, ...) FL_PRINTF(2, 3);
/*
 * Whether anything failed; also any allocation in this process since
 * flame_new, so that no failure of one is lost if a caller ignores it.
 */
bool fl_failed(const struct flame *flame);
int fl_no_memory(struct flame *flame);

/* Of standard input, for labels and messages. */
const char *fl_input_name(const struct flame *flame);

/* An input is read so far; size 0: it is not known. */
void fl_progress(struct flame *flame, const char *input, uint64_t done,
		 uint64_t size);

#include "base/base.h"

#endif
