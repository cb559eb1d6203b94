/* SPDX-License-Identifier: Apache-2.0 */
/* Format 0.9, as the source sees it. */
#ifndef FL_JFR_V0_H
#define FL_JFR_V0_H

#include "format/jfr/samples.h"

/* The size of the chunk at `at`; 0: no whole chunk. */
uint64_t fl_jfr_v0_size(const uint8_t *at, size_t avail);
/* From when to when it is; false: that cannot be read. */
bool fl_jfr_v0_span(struct fl_jfr *jfr, const uint8_t *at, size_t size,
		    int64_t *start, int64_t *end);
/* Reads it and makes its samples ready. */
int fl_jfr_v0_read(struct fl_jfr *jfr, const uint8_t *at, uint64_t size,
		   uint64_t offset);

#endif
