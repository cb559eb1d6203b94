/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Archives: sources whose members are sources of their own: archive.c.
 */
#ifndef FL_FLOW_ARCHIVE_H
#define FL_FLOW_ARCHIVE_H

#include "flow/flow.h"

/*
 * The next member that can be opened; flame_on_member was called for it.
 * FLAME_END: all are read.
 */
int fl_archive_next(struct flame_source *source, struct flame_source **member);
/* status: FLAME_END, or FLAME_FAILED of its reading; see flame_on_member. */
int fl_archive_close_member(struct flame_source *source,
			    struct flame_source *member, int status);

/* source.c: a member's source, which owns the input. */
struct flame_source *fl_source_of_member(struct flame *flame, struct fl_in *in,
					 const char *format);

#endif
