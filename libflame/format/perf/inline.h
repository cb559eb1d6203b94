/* SPDX-License-Identifier: Apache-2.0 */
/* --inline: functions that a compiler inlined. */
#ifndef FL_PERF_INLINE_H
#define FL_PERF_INLINE_H

#include "format/perf/frame.h"

/*
 * With libdw: the frames of an address, by the debug information of its module.
 * asks: whether the module may have some.
 */
#ifdef HAVE_LIBDW
struct fl_perf_inline *fl_perf_inline_new(struct flame *flame);
bool fl_perf_inline_asks(const struct fl_perf_frame *frame);
/* false: not known; name it as ever. */
bool fl_perf_inline(struct fl_perf_inline *in, struct fl_perf_naming *naming,
		    const struct fl_perf_frame *frame,
		    struct fl_frame_list *list);
/* Reports modules without debug information; NULL is allowed. */
void fl_perf_inline_report(struct fl_perf_inline *in, const char *input);
void fl_perf_inline_free(struct fl_perf_inline *in);
#else
#define fl_perf_inline_new(flame) ((void)(flame), NULL)
#define fl_perf_inline_asks(frame) ((void)(frame), false)
#define fl_perf_inline(in, naming, frame, list) \
	((void)(in), (void)(naming), (void)(frame), (void)(list), false)
#define fl_perf_inline_report(in, input) ((void)(in), (void)(input))
#define fl_perf_inline_free(in) ((void)(in))
#endif

#endif
