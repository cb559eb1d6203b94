/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of native code: the symbol and the file that it is in. */
#ifndef FL_NATIVE_FRAME_H
#define FL_NATIVE_FRAME_H

#include "flow/flow.h"

/* "libc.so.6" of a path. */
struct slice fl_slice_base(struct slice path);
/*
 * Appends the name of a frame without a symbol: "[libc.so.6]" of the file that
 * is mapped there, since an offset in one file says nothing in another; its
 * address where no file is known.  "[vdso]" has its brackets.
 */
void fl_put_unnamed(struct fl_buf *to, struct slice file, uint64_t address);

/* Frames of an address, leaf first; several where functions were inlined. */
struct fl_frame_list {
	flame_id *at;
	size_t n, capacity;
};

/* false: out of memory, as flame says. */
bool fl_frame_list_add(struct flame *flame, struct fl_frame_list *list,
		       flame_id frame);

/* What perf prints of a frame; all parts but one may be missing. */
struct fl_native_frame {
	struct slice ip;	/* in hexadecimal digits */
	struct slice symbol;	/* without its offset */
	struct slice dso;	/* a path, "[kernel.kallsyms]", a perf map */
	bool inlined;
	bool address;		/* [libc.so <7f00>] where nothing is known */
};

/* Adds its frames: several where Java was inlined ("a->b" of perf maps). */
void fl_native_frame(struct flame *flame, struct fl_buf *scratch,
		     const struct fl_native_frame *frame,
		     struct fl_frame_list *list);
/* "/tmp/perf-42.map", "/tmp/jitted-42-7.so": compiled while it ran. */
bool fl_native_is_jit(struct slice dso);

#endif
