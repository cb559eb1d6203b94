/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files below a folder, in the order of their names.  Not every C library
 * has <fts.h>.
 */
#ifndef BATCH_WALK_H
#define BATCH_WALK_H

#include <sys/stat.h>

enum walk_kind {
	WALK_FILE,
	WALK_FOLDER,		/* visited before its files and folders */
	WALK_UNREADABLE,	/* a folder that cannot be listed, or no stat() */
	WALK_OTHER		/* a dangling link, a pipe, a device */
};

struct walk_entry {
	const char *path;	/* until the visit returns */
	const char *name;	/* its last part */
	unsigned depth;		/* 0: the folder that was given */
	enum walk_kind kind;
	struct stat st;		/* not of WALK_UNREADABLE */
};

enum walk_answer {
	WALK_ON,
	WALK_SKIP,		/* do not visit the files of this folder */
	WALK_STOP
};

typedef enum walk_answer walk_visit(void *arg, const struct walk_entry *);

/*
 * Visit a folder and all below it.  Links are followed, but not to a folder
 * that they are in.  0: done, or a visit said stop; -1: failed, see errno.
 */
int walk(const char *folder, walk_visit *visit, void *arg);

#endif
