/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of filters (filters.def), and lookup by name: flame_filter() puts
 * the filter with a name and an argument in front of a sink, for tools and
 * programs; flame_filter_check() only says whether the argument is accepted.
 */
#include "fl.h"

#include "filter/filter.h"

#define FILTER(name) extern const struct fl_filter fl_filter_##name;
#include "filter/filters.def"
#undef FILTER

const struct fl_filter *const fl_filters[] = {
#define FILTER(name) &fl_filter_##name,
#include "filter/filters.def"
#undef FILTER
	NULL
};

const struct fl_filter *fl_filter_named(const char *name)
{
	const struct fl_filter *const *row = fl_filters;

	while (*row && strcmp((*row)->name, name) != 0)
		row++;
	return *row;
}

struct flame_sink *fl_filter_try(struct flame_sink *next, const char *name,
				 const char *arg)
{
	const struct fl_filter *row = name ? fl_filter_named(name) : NULL;

	if (!row) {
		fl_fail(next->flame, "%s: no such filter", name ? name : "");
		return NULL;
	}
	if (!arg != !row->argument) {
		fl_fail(next->flame, "--%s takes %s%s", name,
			row->argument ? "an argument: " : "no argument",
			row->argument ? row->argument : "");
		return NULL;
	}
	if (!row->unchanged && fl_copies(next)) {
		fl_fail(next->flame, "--%s: changes stacks or weights, and "
			"-f jfr copies whole events", name);
		return NULL;
	}
	return row->make(next, arg);
}

static int put_nowhere(struct flame_sink *sink, const struct flame_sample *s)
{
	(void)sink;
	(void)s;
	return FLAME_OK;
}

int flame_filter_check(struct flame *flame, const char *name, const char *arg)
{
	const struct fl_filter *row = name ? fl_filter_named(name) : NULL;
	struct flame_sink *end, *sink;

	if (row && row->check && !arg == !row->argument)
		return row->check(flame, arg);
	end = fl_sink_new(flame, NULL, 0);
	if (!end)
		return FLAME_FAILED;
	end->put = put_nowhere;
	sink = fl_filter_try(end, name, arg);
	flame_abandon(sink ? sink : end);
	return sink ? FLAME_OK : FLAME_FAILED;
}

struct flame_sink *flame_filter(struct flame_sink *next, const char *name,
				const char *arg)
{
	struct flame_sink *sink;

	if (!fl_sink_check(next))
		return NULL;
	sink = fl_filter_try(next, name, arg);
	if (!sink)
		flame_abandon(next);
	return sink;
}
