/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts about a recording, for --info and the sinks that ask for facts.
 * fl_jfr_read_notes() reads settings and the events about the JVM, OS and CPU,
 * when the pools of their chunk are there; fl_jfr_info_end() reports versions,
 * times, losses and numbers of events.  async-profiler's settings also decide
 * which samples are of wall.
 */
#include "fl.h"

#include "format/jfr/samples.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

struct fl_jfr_info {
	struct fl_map events;	/* name -> how many */
	unsigned major, minor;	/* the first chunk's version */
	struct fl_map reported;	/* hashes of facts */
};

void fl_jfr_info_free(struct fl_jfr_info *info)
{
	if (!info)
		return;
	fl_map_free(&info->events);
	fl_map_free(&info->reported);
	fl_free(info);
}

static bool make_info(struct fl_jfr *jfr)
{
	if (!jfr->info)
		jfr->info = fl_zeroed(1, sizeof(*jfr->info));
	if (!jfr->info)
		fl_no_memory(jfr->source->flame);
	return jfr->info;
}

bool fl_jfr_note_value(struct fl_jfr_chunk *chunk,
		       const struct fl_jfr_note *note, const char *name,
		       struct fl_buf *buf)
{
	const struct fl_jfr_field *field = fl_jfr_field_of(note->class, name);
	struct fl_wire w = fl_jfr_wire(chunk, note->at);
	struct slice text;
	uint64_t n;

	if (!field || !field->class)
		return false;
	fl_jfr_seek(note->class, field, &w);
	if (field->class->is_string || field->constant) {
		text = fl_jfr_text(chunk, field, &w);
		if (!text.data || !text.size)
			return false;
		fl_buf_put(buf, text.data, text.size);
		return true;
	}
	if (!fl_jfr_read_number(note->class, field, &w, &n))
		return false;
	fl_buf_number(buf, (int64_t)n);
	return true;
}

/*
 * A fact that many chunks repeat is shown once, by its first line
 * (async-profiler's CPU is all of /proc/cpuinfo).
 */
static void report_once(struct fl_jfr *jfr, const char *key,
		      struct fl_buf *value)
{
	bool fresh;

	value->size = strcspn(value->data ? value->data : "", "\r\n");
	if (!value->size ||
	    !fl_map_put(&jfr->info->reported,
			fl_hash_pair(fl_hash(key, strlen(key)),
				     fl_hash(value->data, value->size)),
			&fresh) ||
	    !fresh)
		return;
	fl_fact(jfr->source, key, "%.*s", (int)value->size, value->data);
}

static void report_fields(struct fl_jfr_chunk *chunk,
			const struct fl_jfr_note *note, const char *key,
			const char *const *names)
{
	struct fl_buf buf = { 0 };

	for (; *names; names++) {
		size_t had = buf.size;

		if (had)
			fl_buf_text(&buf, ", ");
		if (!fl_jfr_note_value(chunk, note, *names, &buf))
			buf.size = had;
	}
	if (buf.data)
		buf.data[buf.size] = '\0';
	report_once(chunk->jfr, key, &buf);
	fl_buf_free(&buf);
}

/*
 * async-profiler's setting "event": samples of anything but time, such as
 * page-faults or calls of Class.method, are a metric of that name.
 */
static void note_sampled(struct fl_jfr *jfr, const struct fl_buf *event)
{
	static const char *const times[] = {
		"cpu", "itimer", "ctimer", "wall", "cpu-clock", "task-clock",
	};
	struct flame *flame = jfr->source->flame;

	jfr->sampled = NULL;
	for (size_t i = 0; i < FL_COUNT(times); i++)
		if (strcmp(event->data, times[i]) == 0)
			return;
	jfr->sampled = flame_name_text(
		flame, flame_name(flame, event->data, event->size), NULL);
}

/* async-profiler's settings have no id; the JDK's name an event type. */
static void report_setting(struct fl_jfr_chunk *chunk,
			 const struct fl_jfr_note *note)
{
	struct fl_buf key = { 0 }, value = { 0 };
	const struct fl_jfr_field *id = fl_jfr_field_of(note->class, "id");
	struct fl_jfr *jfr = chunk->jfr;
	int64_t ns;

	if (!fl_jfr_note_value(chunk, note, "name", &key) ||
	    !fl_jfr_note_value(chunk, note, "value", &value) ||
	    key.failed || value.failed) {
		fl_buf_free(&key);
		fl_buf_free(&value);
		return;
	}
	if (chunk->async &&
	    ((strcmp(key.data, "wall") == 0 && strcmp(value.data, "0") != 0 &&
	      value.data[0] != '-') ||
	     ((strcmp(key.data, "event") == 0 ||
	       strcmp(key.data, "engine") == 0) &&
	      strcmp(value.data, "wall") == 0)))
		jfr->wall_set = true;
	if (chunk->async && strcmp(key.data, "wall") == 0 &&
	    fl_parse_int((struct slice){ value.data, value.size }, &ns) &&
	    ns > 0 && ns < INT64_C(3600000000000))
		jfr->wall_ns = ns;
	if (chunk->async && strcmp(key.data, "event") == 0)
		note_sampled(jfr, &value);
	if (fl_jfr_wants_facts(jfr)) {
		struct fl_buf full = { 0 };

		if (id && id->nops == 1) {
			struct fl_wire w = fl_jfr_wire(chunk, note->at);
			struct fl_jfr_class *of;

			fl_jfr_seek(note->class, id, &w);
			of = fl_jfr_class_by_id(chunk, fl_wire_long(&w));
			if (of)
				fl_buf_print(&full, "%.*s#",
					     (int)of->name.size, of->name.data);
		}
		fl_buf_print(&full, "%s=%s", key.data, value.data);
		report_once(jfr, "setting", &full);
		fl_buf_free(&full);
	}
	fl_buf_free(&key);
	fl_buf_free(&value);
}

/* Events whose fields are facts of the recording. */
static const struct fact {
	const char *event, *key;
	const char *fields[3];
} facts[] = {
	{ "jdk.JVMInformation", "JVM", { "jvmName", "jvmVersion" } },
	{ "jdk.JVMInformation", "JVM arguments", { "jvmArguments" } },
	{ "jdk.JVMInformation", "Java arguments", { "javaArguments" } },
	{ "jdk.JVMInformation", "pid", { "pid" } },
	{ "jdk.OSInformation", "OS", { "osVersion" } },
	{ "jdk.CPUInformation", "CPU", { "cpu", "description" } },
	{ "jdk.ActiveRecording", "recording", { "name" } },
};

bool fl_jfr_is_fact(struct slice event)
{
	for (size_t i = 0; i < FL_COUNT(facts); i++)
		if (fl_slice_is(event, facts[i].event))
			return true;
	return false;
}

void fl_jfr_read_notes(struct fl_jfr_chunk *chunk)
{
	if (!make_info(chunk->jfr))
		return;
	if (!fl_jfr_goes_on(chunk)) {
		chunk->jfr->wall_set = false;
		chunk->jfr->wall_ns = 0;
		chunk->jfr->sampled = NULL;
	}
	for (size_t i = 0; i < chunk->events->nnotes; i++) {
		const struct fl_jfr_note *note = &chunk->events->notes[i];
		struct slice event = fl_jfr_plain_name(note->class->name);

		if (fl_slice_is(event, "jdk.ActiveSetting")) {
			report_setting(chunk, note);
			continue;
		}
		for (size_t j = 0; j < FL_COUNT(facts); j++)
			if (fl_slice_is(event, facts[j].event))
				report_fields(chunk, note, facts[j].key,
					      facts[j].fields);
	}
}

void fl_jfr_info_event(struct fl_jfr *jfr, struct slice event, uint64_t n)
{
	struct flame *flame = jfr->source->flame;
	uint64_t *count;
	bool fresh;

	count = make_info(jfr) ?
			fl_map_put(&jfr->info->events,
				   flame_name(flame, event.data, event.size),
				   &fresh) :
			NULL;
	if (!count)
		fl_no_memory(flame);
	else
		*count += n;
}

void fl_jfr_info_chunk(struct fl_jfr_chunk *chunk)
{
	struct fl_jfr_types *types = chunk->types;
	struct fl_jfr *jfr = chunk->jfr;

	if (!fl_jfr_wants_facts(jfr) || !make_info(jfr))
		return;
	if (!jfr->info->major && !jfr->info->minor) {
		jfr->info->major = chunk->header.major;
		jfr->info->minor = chunk->header.minor;
	}
	if (!jfr->source->select.survey)
		return;
	for (uint32_t i = 0; i < types->nclasses; i++)
		if (types->classes[i].events)
			fl_jfr_info_event(jfr, fl_jfr_plain_name(
					  types->classes[i].name),
					  types->classes[i].events);
}

static void report_time(struct fl_jfr *jfr)
{
	struct flame_source *source = jfr->source;
	time_t seconds;
	struct tm tm;
	char text[64];

	if (source->start == FLAME_NOTIME)
		return;
	seconds = source->start / 1000000000;
	gmtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	fl_fact(source, "start", "%s.%03dZ", text,
		(int)(source->start % 1000000000 / 1000000));
	fl_fact(source, "duration", "%.3f s",
		(double)((uint64_t)source->end -
			 (uint64_t)source->start) / 1e9);
}

struct named {
	struct slice name;
	uint64_t n;
};

static int by_name(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int d = memcmp(x->name.data, y->name.data,
		       FL_MIN(x->name.size, y->name.size));

	return d ? d : (x->name.size > y->name.size) -
		       (x->name.size < y->name.size);
}

static void report_events(struct fl_jfr *jfr)
{
	struct flame *flame = jfr->source->flame;
	struct named *list = NULL;
	size_t n = 0, room = 0;

	for (size_t id = 0; id < flame->names.count; id++) {
		uint64_t *count = fl_map_get(&jfr->info->events, id);

		if (!count)
			continue;
		if (!fl_grow(&list, &room, n + 1, sizeof(*list))) {
			fl_no_memory(flame);
			break;
		}
		list[n++] = (struct named){ fl_name_at(flame, id), *count };
	}
	if (n)
		qsort(list, n, sizeof(*list), by_name);
	for (size_t i = 0; i < n; i++)
		fl_fact(jfr->source, "event", "%s %" PRIu64, list[i].name.data,
			list[i].n);
	fl_free(list);
}

void fl_jfr_info_end(struct fl_jfr *jfr)
{
	struct flame_source *source = jfr->source;

	if (!fl_jfr_wants_facts(jfr))
		return;
	fl_fact(source, "chunks",
		"%" PRIu64 " whole, %" PRIu64 " damaged, %" PRIu64
		" not finished",
		jfr->totals.chunks - jfr->totals.unfinished,
		jfr->totals.bad_chunks, jfr->totals.unfinished);
	fl_fact(source, "version", "%u.%u", jfr->info ? jfr->info->major : 0,
		jfr->info ? jfr->info->minor : 0);
	report_time(jfr);
	if (jfr->totals.lost_samples)
		fl_fact(source, "lost", "%" PRIu64 " samples",
			jfr->totals.lost_samples);
	if (jfr->totals.first_damage[0])
		fl_fact(source, "damage", "%s; %" PRIu64 " bytes lost",
			jfr->totals.first_damage, jfr->totals.lost_bytes);
	if (jfr->info)
		report_events(jfr);
}
