/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Aggregated logs of YARN, as they lie in HDFS: one file of a NodeManager has
 * the files of its containers.  yarn.c reads both kinds, TFile and IndexedFile;
 * yarn_index.c the index of the latter, a Java object.
 */
#ifndef FL_CONTAINER_YARN_H
#define FL_CONTAINER_YARN_H

#include "io/io.h"

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
