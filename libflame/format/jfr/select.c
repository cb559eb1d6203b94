/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares types of events with --event, for event.c and metric.c: which are
 * read, and which are only counted.  Also finds the fields with the thread and
 * the stack of a type, and the unit of its value.
 */
#include "fl.h"

#include "format/jfr/readers.h"

#include <strings.h>

static bool last_part_is(struct slice name, const char *wanted)
{
	size_t n = strlen(wanted);

	return name.size >= n && n &&
	       (name.size == n || name.data[name.size - n - 1] == '.') &&
	       strncasecmp(name.data + name.size - n, wanted, n) == 0;
}

/* jfrconv's options and what each reads. */
static const struct {
	const char *event;
	enum fl_jfr_group group;
} groups[] = {
	{ "exec", FL_JFR_GROUP_EXEC }, { "cpu", FL_JFR_GROUP_EXEC },
	{ "cpu-time", FL_JFR_GROUP_EXEC }, { "wall", FL_JFR_GROUP_EXEC },
	{ "alloc", FL_JFR_GROUP_ALLOC }, { "live", FL_JFR_GROUP_LIVE },
	{ "nativemem", FL_JFR_GROUP_NATIVEMEM },
	{ "lock", FL_JFR_GROUP_LOCK },
	{ "nativelock", FL_JFR_GROUP_NATIVELOCK },
	{ "trace", FL_JFR_GROUP_TRACE },
};

static enum fl_jfr_group group_named(const char *event)
{
	for (size_t i = 0; i < FL_COUNT(groups); i++)
		if (strcmp(event, groups[i].event) == 0)
			return groups[i].group;
	return FL_JFR_GROUP_NONE;
}

bool fl_jfr_is_raw(const struct fl_jfr *jfr, struct slice event)
{
	const struct fl_select *select = &jfr->source->select;

	if (!select->event ||
	    (fl_jfr_options(jfr)->compat && group_named(select->event)))
		return false;
	return last_part_is(event, select->event);
}

/* In jfrconv, --state replaces the selection that --cpu-time makes. */
static bool group_asked(const struct fl_select *select,
			const struct fl_jfr_row *row)
{
	if (strcmp(select->event, "cpu-time") == 0 && !select->state)
		return strcmp(row->metric, select->event) == 0;
	return row->group && row->group == group_named(select->event);
}

static bool is_metric(const char *event)
{
	for (const struct fl_jfr_row *row = fl_jfr_rows; row->event; row++)
		if (strcmp(row->metric, event) == 0)
			return true;
	return strcmp(event, "alloc-sample") == 0 ||
	       strcmp(event, "live") == 0;
}

bool fl_jfr_row_asked(const struct fl_jfr *jfr, const struct fl_jfr_row *row)
{
	const struct fl_select *select = &jfr->source->select;
	const char *event = select->event;

	if (!event)
		return true;
	if (fl_jfr_options(jfr)->compat)
		return group_asked(select, row);
	if (strcmp(event, row->metric) == 0)
		return true;
	/*
	 * Whether these rows are meant is known once all events were read:
	 * async-profiler may have sampled anything.
	 */
	return (row->role == FL_JFR_CPU &&
		(strcmp(event, "wall") == 0 || !is_metric(event))) ||
	       (row->role == FL_JFR_ALLOC_SAMPLE &&
		strcmp(event, "alloc-sample") == 0) ||
	       (row->role == FL_JFR_OLD_OBJECT && strcmp(event, "live") == 0);
}

bool fl_jfr_dumps_asked(const struct fl_jfr *jfr)
{
	const struct fl_select *select = &jfr->source->select;

	return !fl_jfr_options(jfr)->compat && !select->leak &&
	       (!select->event || strcmp(select->event, "threads") == 0 ||
		fl_jfr_is_raw(jfr, FL_SLICE("jdk.ThreadDump")));
}

bool fl_jfr_is_full(const struct fl_jfr_chunk *chunk,
		    const struct fl_jfr_reader *c)
{
	const struct fl_select *select = &chunk->jfr->source->select;

	if (c->raw || select->survey)
		return true;
	if (chunk->asked.cpu_only)
		return c->role == FL_JFR_CPU;
	if (c->row)
		return fl_jfr_row_asked(chunk->jfr, c->row);
	return !select->event;
}

const char *fl_jfr_thread_field(const struct fl_jfr_class *class)
{
	static const char *const names[] = {
		"sampledThread", "eventThread", "thread"
	};

	for (size_t i = 0; i < FL_COUNT(names); i++)
		if (fl_jfr_slot_field(class, names[i]))
			return names[i];
	return NULL;
}

const char *fl_jfr_unit(const struct fl_jfr_reader *reader)
{
	if (!reader->row || (reader->raw && !reader->row->value))
		return "ns";
	return reader->row->unit ? reader->row->unit : "samples";
}

/* Ticks without an annotation: async-profiler's and old ones. */
void fl_jfr_resolve_unit(struct fl_jfr_reader *c)
{
	bool duration = strcmp(fl_jfr_unit(c), "ns") == 0;

	if (duration && c->value_unit == FL_JFR_PLAIN)
		c->value_unit = FL_JFR_TICKS;
	else if (!duration)
		c->value_unit = FL_JFR_PLAIN;
}

bool fl_jfr_has_stack(const struct fl_jfr_class *class)
{
	const struct fl_jfr_field *field = fl_jfr_slot_field(class,
							     "stackTrace");

	return field && field->constant;
}
