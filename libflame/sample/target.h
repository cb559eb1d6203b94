/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening what belongs to processes: by who asks (target_ask.c), and by who has
 * the rights (target.c).  One process may be both.
 */
#ifndef FL_SAMPLE_TARGET_H
#define FL_SAMPLE_TARGET_H

#include "sample/proc.h"

enum fl_target_kind {
	FL_TARGET_PROC,		/* a file or folder of /proc/PID */
	FL_TARGET_IN_ROOT,	/* a path below its root; a: whether to follow */
	FL_TARGET_MAPPED,	/* a file that it maps, from a to b */
	FL_TARGET_SAME,		/* a path, of the device a and the inode b */
	FL_TARGET_DEBUG,	/* a build id */
	FL_TARGET_DIAGNOSTICS,
	FL_TARGET_LINK,		/* the text of a link in /proc/PID, */
	FL_TARGET_SHORT,	/* and of a file */
	FL_TARGET_KINDS
};

enum { FL_MAX_TARGET_TEXT = 8192 };

struct fl_target_request {
	uint32_t kind;
	int32_t pid;
	uint64_t a, b;
};

struct fl_target_reply {
	int fd;			/* -1: none */
	int error;		/* errno */
	int64_t n;		/* bytes of text */
};

/* target.c: opens or reads it; text has the name, and room for the answer. */
void fl_target_answer(const struct fl_target_request *request,
		      const char *name, char *text, size_t size,
		      struct fl_target_reply *reply);

/* target_ask.c */

/* The process at the other end of this socket opens all files from here on. */
void fl_target_ask_by(int fd);
/* The opener's loop: answers requests, and exits when the socket closes. */
void fl_target_serve(int fd) __attribute__((noreturn));

#endif
