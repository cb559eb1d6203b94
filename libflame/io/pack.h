/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packers: outputs whose names end in .gz, .svgz or .zst.  One row each, in
 * pack.c; zstd's is in zstd.c.
 */
#ifndef FL_PACK_H
#define FL_PACK_H

#include "io/decoders.h"

/*
 * step packs some bytes and moves step's pointers and sizes, as those of
 * decoders do.  FL_STEP_END: all input was read and, if it is the last, all
 * is written.  The same input makes the same bytes, in whatever pieces.
 */
struct fl_packer {
	const char *suffixes;		/* as ".gz .svgz" */
	const struct fl_late *late;	/* of its library; NULL: linked with */
	void *(*begin)(void);		/* NULL: out of memory */
	enum fl_stepped (*step)(void *state, struct fl_step *step, bool last);
	void (*end)(void *state);
};

extern const struct fl_packer fl_packer_gzip, fl_packer_zstd;

/* By a name's suffix; NULL: it is not to be packed. */
const struct fl_packer *fl_packer_of(const char *path);
/* The suffix of packed files that are not written, as ".xz"; or NULL. */
const char *fl_pack_refused(const char *path);

#endif
