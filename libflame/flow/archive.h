/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Archives: sources whose members are sources of their own: archive.c.
 */
#ifndef FL_FLOW_ARCHIVE_H
#define FL_FLOW_ARCHIVE_H

#include "flow/flow.h"

/* format: that of its members; NULL: detect it. */
bool fl_archive_make(struct flame_source *source, const char *format);
/* flame_ask: asks each member for it. */
int fl_archive_ask(struct flame_source *source, const char *option,
		   const char *value);
/* flame_pump: pumps each member. */
int fl_archive_pump(struct flame_source *source, struct flame_sink *sink);
void fl_archive_free(struct flame_source *source);

/* source.c: a member's source; owns the input. */
struct flame_source *fl_source_of_member(struct flame *flame, struct fl_in *in,
					 const char *format);

#endif
