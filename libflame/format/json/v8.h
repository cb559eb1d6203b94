/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPU profiles of V8, which come alone (v8.c), and in pieces within the traces
 * of DevTools (trace_profiles.c).
 */
#ifndef FL_JSON_V8_H
#define FL_JSON_V8_H

#include "format/json/source.h"

struct fl_v8_options {
	bool total, lines;
};

struct fl_v8;

/* NULL: out of memory.  The options may be set later. */
struct fl_v8 *fl_v8_new(struct fl_json_source *js,
			const struct fl_v8_options *options);
void fl_v8_free(struct fl_v8 *v);
/* Reads the value of a key: a profile or a piece of one. */
void fl_v8_read(struct fl_v8 *v);
/*
 * Reads the value of a key: us before each sample, where the profile lacks
 * them.
 */
void fl_v8_read_deltas(struct fl_v8 *v);
/* Adds the piece to a profile; it is empty then. */
void fl_v8_append(struct fl_v8 *v, struct fl_v8 *piece);
/* Adds the samples of the profile, with that thread. */
void fl_v8_give(struct fl_v8 *v, flame_id thread);

#endif
