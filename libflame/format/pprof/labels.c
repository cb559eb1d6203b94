/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the labels of a pprof sample into a label set, its thread and its time
 * (fl_pprof_read_labels, for read.c).  No standard says which label names the
 * thread: the habits of async-profiler, Datadog, Pyroscope and OpenTelemetry
 * are known.
 */
#include "fl.h"

#include "format/pprof/pprof.h"

#include <inttypes.h>
#include <stdio.h>

enum meaning { LABEL, THREAD, TID, PID, FRAME, TIME };

static const struct {
	const char *key;
	enum meaning meaning;
} keys[] = {
	{ "thread", THREAD }, { "thread name", THREAD },
	{ "thread_name", THREAD }, { "thread.name", THREAD },
	{ "tid", TID }, { "thread id", TID }, { "thread_id", TID },
	{ "thread.id", TID },
	{ "pid", PID }, { "process_id", PID }, { "process.pid", PID },
	/* Ours: the frame of the thread, which may be in the stack. */
	{ "thread-in-stack", FRAME }, { "thread-frame", FRAME },
	{ "end_timestamp_ns", TIME },
};

static enum meaning meaning_of(struct slice key)
{
	for (size_t i = 0; i < FL_COUNT(keys); i++)
		if (fl_slice_is(key, keys[i].key))
			return keys[i].meaning;
	return LABEL;
}

static flame_id name_of_number(struct flame *flame, int64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, number);
	return fl_name(flame, text);
}

struct label {
	uint64_t key, text;	/* strings */
	int64_t number;
};

static struct label read_label(struct fl_message message)
{
	struct label label = { 0 };
	struct fl_field field;

	while (fl_field_next(&message, &field)) {
		if (field.type != FL_WIRE_VARINT)
			continue;
		if (field.number == LABEL_KEY)
			label.key = field.value;
		else if (field.number == LABEL_STR)
			label.text = field.value;
		else if (field.number == LABEL_NUM)
			label.number = (int64_t)field.value;
	}
	return label;
}

static void add(struct flame *flame, struct fl_pprof_labels *labels,
		enum meaning meaning, flame_id key, flame_id value)
{
	static const char *const spelled[] = { [TID] = "tid", [PID] = "pid" };

	if (meaning == LABEL || meaning == TIME)
		labels->labels = flame_label(flame, labels->labels, key,
					     value);
	else if (meaning == THREAD)
		labels->thread = fl_named_thread(flame, labels->thread,
						 fl_name_at(flame, value));
	else if (meaning == FRAME)
		labels->thread = flame_label(flame, labels->thread, key,
					     value);
	else
		labels->thread = flame_label(flame, labels->thread,
					     fl_name(flame, spelled[meaning]),
					     value);
}

static bool add_label(struct fl_pprof_tables *tables,
		      struct fl_pprof_labels *labels, struct label label)
{
	enum meaning meaning;
	struct slice key;
	flame_id name, value;

	if (!fl_pprof_text(tables, label.key, &key) ||
	    !fl_pprof_name(tables, label.key, &name) ||
	    !fl_pprof_name(tables, label.text, &value))
		return false;
	meaning = meaning_of(key);
	if (meaning == TIME && !value) {
		labels->time = label.number;
		return true;
	}
	if (!value)
		value = name_of_number(tables->flame, label.number);
	if (name)
		add(tables->flame, labels, meaning, name, value);
	return true;
}

bool fl_pprof_read_labels(struct fl_pprof_tables *tables,
			  struct fl_message sample,
			  struct fl_pprof_labels *labels)
{
	struct fl_field field;

	*labels = (struct fl_pprof_labels){ .time = FLAME_NOTIME };
	while (fl_field_next(&sample, &field))
		if (field.number == SAMPLE_LABEL &&
		    !add_label(tables, labels,
			       read_label(fl_field_message(&field))))
			return false;
	return true;
}
