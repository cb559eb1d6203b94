/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides which functions of a pprof profile are left out with all that they
 * call, as go tool pprof does: the profile's drop_frames and keep_frames are
 * regular expressions for functions of the profiler itself, malloc and the
 * like.  read.c compiles them (fl_pprof_begin_prune), tables.c asks
 * fl_pprof_is_dropped().
 */
#include "fl.h"

#include "format/pprof/pprof.h"

#include <stdio.h>

/* NULL: none, or one that cannot be used, which is reported. */
static struct fl_regex *read_regex(struct flame *flame, const char *input,
				   const char *field, struct slice text)
{
	char error[256];
	struct fl_buf pattern = { NULL, 0, 0, false };
	struct fl_regex *re = NULL;

	if (!text.size)
		return NULL;
	fl_buf_put(&pattern, text.data, text.size);
	fl_buf_byte(&pattern, '\0');
	if (pattern.failed)
		fl_no_memory(flame);
	else if (!(re = fl_regex_new(pattern.data, true, error,
				     sizeof(error))))
		fl_warn(flame, "%s: %s is not applied: %s", input, field,
			error);
	fl_buf_free(&pattern);
	return re;
}

void fl_pprof_begin_prune(struct fl_pprof_tables *tables, const char *input,
			  uint64_t drop, uint64_t keep)
{
	struct slice text;

	fl_pprof_end_prune(tables);
	if (!drop || !fl_pprof_text(tables, drop, &text))
		return;
	tables->drop = read_regex(tables->flame, input, "drop_frames", text);
	if (tables->drop && keep && fl_pprof_text(tables, keep, &text))
		tables->keep = read_regex(tables->flame, input,
					  "keep_frames", text);
}

void fl_pprof_end_prune(struct fl_pprof_tables *tables)
{
	fl_regex_free(tables->drop);
	fl_regex_free(tables->keep);
	tables->drop = tables->keep = NULL;
}

/* Without its arguments; a dot comes before names of old PowerPC. */
static struct slice simplify(struct slice name)
{
	static const char *const exceptions[] = { "(anonymous namespace)",
						  "operator()" };
	size_t i = 0;

	if (fl_slice_starts(name, ".")) {
		name.data++;
		name.size--;
	}
	while (i < name.size) {
		struct slice rest = { name.data + i, name.size - i };

		if (fl_slice_starts(rest, exceptions[0]))
			i += strlen(exceptions[0]);
		else if (fl_slice_starts(rest, exceptions[1]))
			i += strlen(exceptions[1]);
		else if (name.data[i++] == '(')
			return (struct slice){ name.data, i - 1 };
	}
	return name;
}

bool fl_pprof_is_dropped(const struct fl_pprof_tables *tables,
			 struct slice name)
{
	if (!tables->drop || !name.size)
		return false;
	name = simplify(name);
	return fl_regex_match(tables->drop, name.data, name.size) &&
	       !(tables->keep &&
		 fl_regex_match(tables->keep, name.data, name.size));
}
