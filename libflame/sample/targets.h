/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which processes to record.
 */
#ifndef FL_SAMPLE_TARGETS_H
#define FL_SAMPLE_TARGETS_H

#include "flow/flow.h"

#include <sys/types.h>

struct fl_refusal {
	char text[512];		/* why recording was refused; "": it was not */
	bool blocked;		/* events are, whatever one would record */
};

struct fl_targets {
	pid_t *data;
	size_t count, capacity;
};

/*
 * Adds the processes of a list with blanks or commas: numbers, "java" for every
 * JVM of this user, or a name for each process of this user that has it, or whose
 * main class of Java.
 */
bool fl_targets_add(struct flame *flame, struct fl_targets *targets,
		    const char *list, struct fl_refusal *refusal);
/* The children that the targets have now, and theirs. */
bool fl_targets_add_children(struct flame *flame, struct fl_targets *targets);
bool fl_target_is_jvm(pid_t pid);
/* This user's own, or this is root. */
bool fl_target_is_mine(pid_t pid);
/* Calls found for each process until it says false. */
bool fl_target_each(bool (*found)(void *, pid_t), void *arg);

/* list.c: the class or jar of java, or Python's script, for fl_free; NULL. */
char *fl_target_main(pid_t pid, bool python);
/* Whether it is a JVM whose main class, or jar, has that name or ends in it. */
bool fl_target_is_called(pid_t pid, const char *word);
void fl_targets_free(struct fl_targets *targets);

#endif
