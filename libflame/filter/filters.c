/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of filters, in the order in which tools run them: filters that need
 * raw names, that rename, select, remove frames, add root frames, limit depth,
 * reverse, and change weights.
 */
#include "fl.h"

#include "filter/filter.h"

extern const struct fl_filter
	fl_filter_join_start, fl_filter_join, fl_filter_executor,
	fl_filter_spark_events, fl_filter_spark_cost,
	fl_filter_price, fl_filter_label,
	fl_filter_classify, fl_filter_tidy, fl_filter_strip_hex,
	fl_filter_merge_processes,
	fl_filter_norm, fl_filter_norm_compat,
	fl_filter_simple, fl_filter_simple_compat,
	fl_filter_dot, fl_filter_no_tiers, fl_filter_rename,
	fl_filter_keep, fl_filter_drop,
	fl_filter_root_keep_rest,
	fl_filter_root, fl_filter_root_innermost,
	fl_filter_cut, fl_filter_hide, fl_filter_collapse_recursion,
	fl_filter_by, fl_filter_threads,
	fl_filter_include, fl_filter_exclude,
	fl_filter_skip, fl_filter_skip_compat, fl_filter_depth,
	fl_filter_reverse, fl_filter_grain, fl_filter_min, fl_filter_no_stack,
	fl_filter_key;

const struct fl_filter *const fl_filters[] = {
	&fl_filter_executor, &fl_filter_join_start, &fl_filter_join,
	&fl_filter_spark_events, &fl_filter_spark_cost, &fl_filter_price,
	&fl_filter_label,
	&fl_filter_classify, &fl_filter_tidy, &fl_filter_strip_hex,
	&fl_filter_merge_processes,
	&fl_filter_norm, &fl_filter_norm_compat,
	&fl_filter_simple, &fl_filter_simple_compat,
	&fl_filter_dot, &fl_filter_no_tiers, &fl_filter_rename,
	&fl_filter_keep, &fl_filter_drop,
	&fl_filter_root_keep_rest,
	&fl_filter_root, &fl_filter_root_innermost,
	&fl_filter_cut, &fl_filter_hide, &fl_filter_collapse_recursion,
	&fl_filter_by, &fl_filter_threads,
	&fl_filter_include, &fl_filter_exclude,
	&fl_filter_skip, &fl_filter_skip_compat, &fl_filter_depth,
	&fl_filter_reverse, &fl_filter_grain, &fl_filter_min, &fl_filter_no_stack,
	&fl_filter_key,
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
	if (!row->selects && fl_copies(next)) {
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
