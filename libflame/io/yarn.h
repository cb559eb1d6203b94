/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Aggregated logs of YARN, as they lie in HDFS: one file of a NodeManager has
 * the files of its containers.  yarn.c reads both kinds, TFile and IndexedFile;
 * yarn_index.c the index of the latter, a Java object.
 */
#ifndef FL_IO_YARN_H
#define FL_IO_YARN_H

#include "io/io.h"

struct fl_yarn;

/* Whether the input is one. */
bool fl_yarn_take(struct fl_in *in);
/* These are as those of tar.h; members are CONTAINER/FILE. */
struct fl_yarn *fl_yarn_new(struct fl_in *archive, const char *folder);
struct fl_in *fl_yarn_next(struct fl_yarn *yarn);
const char *fl_yarn_path(const struct fl_yarn *yarn);
const char *fl_yarn_damage(const struct fl_yarn *yarn);
void fl_yarn_free(struct fl_yarn *yarn);
/*
 * Whether a member is YARN's own, or what the program printed: no profile, but
 * for thread dumps in it.
 */
bool fl_yarn_is_output(const char *path);

/* A file of an IndexedFile. */
struct fl_yarn_file {
	struct slice container, name;	/* in the index */
	uint64_t start, stored, size;
};

struct fl_yarn_index {
	struct fl_yarn_file *files;	/* each once: of the last cycle */
	size_t count, capacity;
	bool packed;
};

/* false: damaged, or out of memory.  The text must outlive the index. */
bool fl_yarn_read_index(struct fl_yarn_index *index, struct slice text);

#endif
