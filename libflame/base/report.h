/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where failures, warnings, remarks and progress go.  A dictionary begins with
 * one, so that rooms below it may report to a struct flame and know no more of
 * it: see fl.h for what they call.
 */
#ifndef FL_REPORT_H
#define FL_REPORT_H

#include "fl.h"

enum { FL_MAX_WARNED = 12 };

struct fl_report {
	bool failed;
	bool exhausted;		/* out of memory: flame_clear is refused */
	size_t memory_failures;	/* of the process, when this was created */
	unsigned warnings;
	const char *warned[FL_MAX_WARNED];	/* the first ones */
	const char *input_name;	/* of standard input; NULL: none */
	struct fl_arena texts;	/* of these */
	char error[1024];
	void (*warn)(void *, const char *);
	void *warn_arg;
	void (*remark)(void *, const char *);
	void *remark_arg;
	void (*progress)(void *, const struct flame_progress *);
	void *progress_arg;
};

void fl_report_init(struct fl_report *report);
/*
 * A report alone, in the place of a dictionary, for what reads in a thread.
 * NULL: out of memory.
 */
struct flame *fl_report_new(void);
void fl_report_free(struct flame *flame);

#endif
