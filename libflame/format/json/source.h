/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by readers of JSON.  A reader reads one document after the other
 * and adds its samples to the source's batch; equal ones are added up, so that
 * memory grows with distinct stacks.
 */
#ifndef FL_JSON_SOURCE_H
#define FL_JSON_SOURCE_H

#include "format/format.h"
#include "io/json.h"

struct fl_json_source {
	struct flame_source *source;
	struct flame *flame;
	struct fl_json json;
	struct fl_index index;	/* of the batch, to add up equal samples */
	uint64_t good;		/* samples so far, or their like */
	uint64_t bad, first_bad;	/* records left out; line of the first */
	const char *bad_reason;		/* of the first */
	bool unfinished_is_fine;	/* the cut came between records */
	bool ended, reported;
};

void fl_json_source_init(struct fl_json_source *js,
			 struct flame_source *source);
/* A format's open, or the end of it: of a state that begins with it. */
int fl_json_source_open(struct flame_source *source);
void fl_json_source_free(struct fl_json_source *js);

/* Adds a sample, to an equal one if only the weight differs. */
void fl_json_add(struct fl_json_source *js, const struct flame_sample *sample);
/* Whether the sink or --thread wants samples with their thread. */
bool fl_json_wants_thread(const struct fl_json_source *js);
/* A label set: thread=NAME (if any), tid=N and pid=N (unless below 0). */
flame_id fl_json_thread(struct flame *flame, struct slice name, int64_t pid,
			int64_t tid);
/* A record at the line of the parser is left out, for a reason. */
void fl_json_bad(struct fl_json_source *js, const char *reason);
/*
 * For a format's read.  read: reads the rest of a document whose first token
 * was read last, and adds its samples.
 */
int fl_json_read(struct fl_json_source *js,
		 void (*read)(struct flame_source *source));
/* At the end: reports damage, once; returns FLAME_END or FLAME_FAILED. */
int fl_json_finish(struct fl_json_source *js);

#endif
