/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Containers: inputs of several files, each of which is an input.  One is a
 * file and a row of container/containers.def; flow/archive.c makes sources of
 * members.
 */
#ifndef FL_IO_CONTAINER_H
#define FL_IO_CONTAINER_H

#include "io/io.h"

struct fl_container {
	const char *name;
	/* It holds compressed members itself: look before decoding. */
	bool packs;
	/* Whether the input is one; of one that is, all bytes are shown. */
	bool (*accept)(struct fl_in *in);
	/*
	 * The input stays the caller's, and outlives the state.  folder: the
	 * paths of members begin with it and a slash; NULL: with nothing.
	 * NULL: out of memory.
	 */
	void *(*open)(struct fl_in *in, const char *folder);
	/*
	 * An input for the next file; folders are skipped.  It must be closed
	 * before the next call, which skips the rest of it.  NULL: the end,
	 * damage or failure.
	 */
	struct fl_in *(*next)(void *state);
	/* The path of the current member, until the next. */
	const char *(*path)(const void *state);
	/* Of the container, unless a member has reported it; NULL: none. */
	const char *(*damage)(const void *state);
	/* Links, devices, sparse and split files: not inputs.  NULL: none. */
	size_t (*skipped)(const void *state);
	/* Whether a program printed the member to its log; NULL: never. */
	bool (*is_output)(const char *path);
	/*
	 * Bytes of the current member, for fl_in_of_member; 0: its end, or
	 * damage.
	 */
	size_t (*read)(void *state, uint8_t *to, size_t capacity,
		       const char **damage);
	void (*close)(void *state);
};

/* container/containers.c: ends in NULL. */
extern const struct fl_container *const fl_containers[];

/*
 * The container that an input is, NULL: none.  *in becomes its unpacked bytes,
 * unless the container packs; NULL: that failed, and the input is closed.
 */
const struct fl_container *fl_container_detect(struct fl_in **in);
/* An input whose bytes container->read returns; NULL: out of memory. */
struct fl_in *fl_in_of_member(struct fl_in *archive, const char *path,
			      const struct fl_container *container,
			      void *state);

#endif
