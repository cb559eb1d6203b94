/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jstack_header.c: the first line of a thread in a JVM's thread dump.
 */
#ifndef FL_JSTACK_H
#define FL_JSTACK_H

#include "format/format.h"

/* Numbers are -1 if missing; state is NULL, time FLAME_NOTIME. */
struct fl_jstack_header {
	struct slice name;
	int64_t nid, os_id, id;
	const char *state;
	int64_t time;
	bool jrockit;		/* its frames are a/b/Cls.method(Z)V(File:1) */
};

extern const struct fl_jstack_header fl_jstack_no_header;

/* 2032 or 0x7f0; false unless the whole text is a number that fits. */
bool fl_jstack_id(struct slice s, int64_t *n);
/*
 * bare: a name alone is enough after its number, as dump_to_file of JDK 21
 * writes it.
 */
bool fl_jstack_header(struct slice line, bool bare, struct fl_jstack_header *h);

/* "Sun Jul 20 17:03:49 2014", of JRockit, in ns since 1970. */
bool fl_jstack_ctime(struct slice s, int64_t *ns);

#endif
