/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Renames Java's classes: --norm removes numbers that differ from run to run,
 * --simple removes packages, --dot writes dots; --no-tiers removes frame types.
 *
 * The compat filters do as jfrconv: norm-compat keeps the $9 of $$Lambda$9,
 * simple-compat keeps packages that are written with dots.
 */
#include "fl.h"

#include "filter/filter.h"

struct classes {
	struct fl_namer namer;
	/* Appends the class' new name. */
	void (*rename)(const struct fl_java *java, struct fl_buf *out);
	bool no_module;
};

static bool is_separator(char c)
{
	return c == '/' || c == '.';
}

/* The same cut as jfrconv makes. */
static void norm_compat(const struct fl_java *java, struct fl_buf *out)
{
	const char *at = java->class.data;
	size_t end = java->class.size;

	for (size_t i = end < 2 ? 0 : end - 2; i > 0; i--) {
		if (!is_separator(at[i]))
			continue;
		if (fl_is_digit(at[i + 1])) {
			end = i;
			if (i > 19 && at[i - 19] == '+' && at[i - 18] == '0')
				end = i - 19;
		}
		break;
	}
	fl_buf_put(out, at, end);
}

static void cut_package(struct slice class, bool dots, struct fl_buf *out)
{
	size_t i;

	for (i = class.size; i > 1; i--) {
		char c = class.data[i - 2];

		if ((c == '/' || (dots && c == '.')) &&
		    !fl_is_digit(class.data[i - 1]))
			break;
	}
	if (i > 1)
		fl_buf_put(out, class.data + i - 1, class.size - (i - 1));
	else
		fl_buf_put(out, class.data, class.size);
}

static void simple(const struct fl_java *java, struct fl_buf *out)
{
	cut_package(java->class, true, out);
}

/* jfrconv cuts most class leaves while they have slashes. */
static void simple_compat(const struct fl_java *java, struct fl_buf *out)
{
	cut_package(java->class, java->leaf && !java->dotted, out);
}

static void dot(const struct fl_java *java, struct fl_buf *out)
{
	for (size_t i = 0; i < java->class.size; i++)
		fl_buf_byte(out, java->class.data[i] == '/' ?
					 '.' :
					 java->class.data[i]);
}

static flame_id rename_class(struct flame_sink *sink, flame_id frame)
{
	struct classes *classes = sink->state;
	struct fl_buf *name = &classes->namer.buf;
	struct flame *flame = sink->flame;
	struct fl_java java;

	if (!fl_java_split(flame, &flame->frames.data[frame], &java))
		return frame;
	if (!classes->no_module)
		fl_buf_put(name, java.module.data, java.module.size);
	classes->rename(&java, name);
	fl_buf_put(name, java.rest.data, java.rest.size);
	return fl_renamed(flame, frame, name);
}

static flame_id forget_type(struct flame_sink *sink, flame_id frame)
{
	struct flame_frame copy = sink->flame->frames.data[frame];

	copy.type = FLAME_UNKNOWN;
	return fl_frame_as_is(sink->flame, &copy);
}

static struct flame_sink *make(struct flame_sink *next, bool no_module,
			       void (*how)(const struct fl_java *java,
					   struct fl_buf *out))
{
	struct flame_sink *sink = fl_namer_new(next, sizeof(struct classes),
					       rename_class);
	struct classes *classes;

	if (!sink)
		return NULL;
	classes = sink->state;
	classes->rename = how;
	classes->no_module = no_module;
	return sink;
}

#define MAKE(which, how, no_module)					\
	static struct flame_sink *make_##which(struct flame_sink *next,	\
					       const char *arg)		\
	{								\
		(void)arg;						\
		return make(next, no_module, how);			\
	}

MAKE(norm, fl_norm_class, false)
MAKE(norm_compat, norm_compat, false)
MAKE(simple, simple, true)
MAKE(simple_compat, simple_compat, false)
MAKE(dot, dot, false)

static struct flame_sink *make_no_tiers(struct flame_sink *next,
					const char *arg)
{
	(void)arg;
	return fl_namer_new(next, sizeof(struct fl_namer), forget_type);
}

const struct fl_filter fl_filter_norm = {
	.name = "norm",
	.summary = "Java, with --raw-names: the same in every run",
	.make = make_norm, .rank = 20,
	.idempotent = true,
};

const struct fl_filter fl_filter_norm_compat = {
	.name = "norm-compat",
	.summary = "as norm; lambdas of JDK 17 keep their numbers",
	.make = make_norm_compat, .rank = 20, .compat = true,
	.idempotent = true,
};

const struct fl_filter fl_filter_simple = {
	.name = "simple",
	.summary = "Java: classes without their packages",
	.make = make_simple, .rank = 21,
	.idempotent = true,
};

const struct fl_filter fl_filter_simple_compat = {
	.name = "simple-compat",
	.summary = "as simple; dotted packages stay",
	.make = make_simple_compat, .rank = 21, .compat = true,
};

const struct fl_filter fl_filter_dot = {
	.name = "dot",
	.summary = "Java: packages with dots instead of slashes",
	.make = make_dot, .rank = 22,
	.idempotent = true,
};

const struct fl_filter fl_filter_no_tiers = {
	.name = "no-tiers",
	.summary = "forget how frames ran",
	.make = make_no_tiers, .rank = 23,
	.idempotent = true,
};
