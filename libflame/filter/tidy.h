/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules of --tidy, each for one kind of noise in names of one language.
 */
#ifndef FL_TIDY_H
#define FL_TIDY_H

#include "filter/filter.h"

/* A frame's name after the rules before. */
struct fl_tidy_input {
	struct slice name;
	enum flame_type type;
	bool leaf;		/* fl_is_class_leaf */
	bool thread;		/* FLAME_GROUP, or fl_is_thread_frame */
	bool tid;		/* fl_is_thread_frame */
};

struct fl_tidy {
	const char *name, *summary;
	/* Appends the tidy name; false: nothing to do. */
	bool (*tidy)(const struct fl_tidy_input *in, struct fl_buf *out);
};

/* In the order of application; ends in a NULL name. */
extern const struct fl_tidy fl_tidy_rules[];

/* tidy_java.c */
bool fl_tidy_java_modules(const struct fl_tidy_input *in, struct fl_buf *out);
bool fl_tidy_java_lambdas(const struct fl_tidy_input *in, struct fl_buf *out);
bool fl_tidy_java_lines(const struct fl_tidy_input *in, struct fl_buf *out);

/* tidy_native.c */
bool fl_tidy_cxx_arguments(const struct fl_tidy_input *in, struct fl_buf *out);
bool fl_tidy_cxx_templates(const struct fl_tidy_input *in, struct fl_buf *out);
bool fl_tidy_gcc_clones(const struct fl_tidy_input *in, struct fl_buf *out);
bool fl_tidy_go(const struct fl_tidy_input *in, struct fl_buf *out);
bool fl_tidy_rust_hashes(const struct fl_tidy_input *in, struct fl_buf *out);

/* "pool-1-thread-12" as "pool-*-thread-*". */
bool fl_star_numbers(struct slice name, struct fl_buf *out);

#endif
