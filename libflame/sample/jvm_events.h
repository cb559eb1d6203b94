/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A JVM's allocations and locks, by commands to its own flight recorder.
 */
#ifndef FL_SAMPLE_JVM_EVENTS_H
#define FL_SAMPLE_JVM_EVENTS_H

#include "sample/targets.h"

/* attach.c ------------------------------------------------------------ */

/*
 * Sends a JVM a command of jcmd's; the reply ends in NUL.  It is there within
 * these seconds, or never.  false: see the refusal.
 */
bool fl_attach(pid_t pid, const char *line, int seconds, struct fl_buf *reply,
	       struct fl_refusal *refusal);
/* Once this is not zero, less than a second is left for each command. */
void fl_attach_hurries(volatile const int *when);

/* jvm_events.c -------------------------------------------------------- */

enum fl_record_kind {
	FL_RECORD_CPU, FL_RECORD_WALL, FL_RECORD_OFFCPU,
	FL_RECORD_ALLOC, FL_RECORD_LOCK,	/* of JVMs */
	FL_RECORD_JFR		/* of JVMs: what the settings choose */
};

/* What the flight recorder is asked for. */
enum { FL_JVM_CPU = 1, FL_JVM_ALLOC = 2, FL_JVM_LOCK = 4 };

struct fl_jvm_events {
	pid_t pid;
	char name[64];		/* of the recording */
	char comm[64];		/* of the process */
	uid_t owner;
	int tmp;		/* the process's /tmp */
	bool started;
};

/* Arguments of JFR.start for a set of FL_JVM_*; hertz of FL_JVM_CPU. */
void fl_jvm_settings(struct fl_buf *settings, unsigned what, unsigned hertz);
/* false: see the refusal. */
bool fl_jvm_events_start(struct fl_jvm_events *events, pid_t pid,
			 const char *settings, struct fl_refusal *refusal);
/*
 * Leaves out the recorder's own threads, and the first allocation of each
 * thread: the JVM counts for it the bytes of all that the thread allocated
 * before the recording.
 */
struct flame_sink *fl_jvm_events_filter(struct flame *flame,
					struct flame_sink *next);
/* Begins stacks with the frame that is named before each recording is read. */
struct flame_sink *fl_jvm_root_filter(struct flame *flame,
				      struct flame_sink *next);
void fl_jvm_root_name(struct flame_sink *sink, const char *name);
/* The recording, a file that has no name any more; -1: see the refusal. */
int fl_jvm_events_stop(struct fl_jvm_events *events,
		       struct fl_refusal *refusal);

#endif
