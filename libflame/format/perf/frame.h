/* SPDX-License-Identifier: Apache-2.0 */
/* A frame line in its parts, and the names of its frames. */
#ifndef FL_PERF_FRAME_H
#define FL_PERF_FRAME_H

#include "format/format.h"
#include "format/perf/text.h"
#include "native/frame.h"
#include "native/names.h"

/* A frame line: "ip symbol+0xoff (dso)"; all parts but one may be missing. */
struct fl_perf_frame {
	struct slice ip;
	struct slice raw;	/* between ip and dso, as printed */
	struct slice symbol;	/* without its offset */
	struct slice dso;	/* without brackets, "(deleted)", offset */
	bool inlined;		/* "(inlined)" */
};

bool fl_perf_frame(struct slice line, struct fl_perf_frame *frame);
/* Options of perf's text; their rows are in perf.c. */
struct fl_perf_options {
	enum fl_compat_tool peer; /* names and weights are as that tool's */
	bool total;		/* weigh by period, not by samples */
	bool lines;		/* append :LINE to names */
	bool pid, tid;		/* comm-PID, comm-PID/TID */
	bool kernel, jit;	/* a peer's _[k] and _[j] */
	bool addrs;		/* [libc.so <7f00>] where nothing is known */
	bool srcline;		/* name:file:line */
	bool inlined;		/* look inlined functions up */
	char *skip_after;	/* symbols, a line each: their callers go */
	struct fl_names_options names;	/* of perf.data */
};

/* Options that decide how frames are named, and the process's name. */
struct fl_perf_naming {
	struct flame *flame;
	const struct fl_perf_options *options;
	bool java;		/* the comm begins with "java": peers ask */
	bool tabs;		/* frame lines begin with one, places do not */
	struct fl_buf buf;	/* scratch */
	struct fl_perf_inline *inlines;	/* NULL: --inline is not asked */
	char inlined_ip[18];	/* of the last frame that perf inlined; "0x..." */
	size_t inlined_ip_size;	/* 0: none */
};

void fl_perf_name(struct fl_perf_naming *naming,
		  const struct fl_perf_frame *frame,
		  struct fl_frame_list *list);
/*
 * The same, with the parts of the line and the name as a peer finds them, which
 * differs from ours.
 */
void fl_perf_compat_parts(const struct fl_perf_naming *naming,
			struct slice line, struct fl_perf_frame *frame);
void fl_perf_compat_name(struct fl_perf_naming *naming,
		       const struct fl_perf_frame *frame,
		       struct fl_frame_list *list);

#endif
