/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Archives: sources whose members are sources of their own: archive.c.
 */
#ifndef FL_FLOW_ARCHIVE_H
#define FL_FLOW_ARCHIVE_H

#include "flow/flow.h"
#include "io/container.h"

struct fl_archive {
	const struct fl_container *container;
	void *state;		/* the container's */
	struct flame_source *member;	/* that flame_next reads */
	size_t nmembers;
};

/*
 * The rest of the format of a container.  Only tar is in the list, for
 * --format: a zip of one file is reported as packed.  source.c looks for
 * containers before formats are asked, so none bids.
 */
#define FL_ARCHIVE_FORMAT \
	.summary = "an archive, each file of which is an input", \
	.state_size = sizeof(struct fl_archive), .probe = fl_archive_probe, \
	.open = fl_archive_open, .read = fl_archive_read, \
	.release = fl_archive_release, .selects = true, .facts = FLAME_ARCHIVE
int fl_archive_probe(const uint8_t *head, size_t n, bool whole);
int fl_archive_open(struct flame_source *source);
int fl_archive_read(struct flame_source *source);
void fl_archive_release(void *state);

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
