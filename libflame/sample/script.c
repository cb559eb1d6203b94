/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fl_script_create() makes a sink, for flame-record, that writes samples as
 * perf script prints them: a line with comm, pid/tid, cpu and time, a line for
 * each frame, leaf first, and an empty line.
 */
#include "fl.h"

#include "sample/sample.h"

#include <inttypes.h>
#include <stdlib.h>

struct script {
	struct fl_out *out;
	const struct flame_source *source;
	const char *event;
	flame_id thread, tid, pid, cpu;	/* keys */
	bool any;			/* a sample was written */
};

static const char *label(const struct flame *flame, flame_id set, flame_id key)
{
	return flame_name_text(flame, flame_label_get(flame, set, key), NULL);
}

static void put_frame(struct script *s, const struct flame *flame,
		      flame_id stack)
{
	flame_id id = fl_frame_id(flame, stack);
	const struct flame_frame *frame = fl_frame_at(flame, stack);
	struct slice name = fl_name_at(flame, frame->name);
	struct slice file = fl_name_at(flame, frame->file);
	uint64_t at = s->source ? fl_record_address(s->source, id) : 0;

	if (frame->type == FLAME_GROUP)
		return;
	fl_out_print(s->out, "\t%16" PRIx64 " ", at);
	fl_out_put(s->out, name.data, name.size);
	if (frame->type == FLAME_INLINED)
		fl_out_text(s->out, " (inlined)\n");
	else
		fl_out_print(s->out, " (%s)\n",
			     file.size ? file.data : "[unknown]");
}

static int put(struct flame_sink *sink, const struct flame_sample *sample)
{
	struct script *s = sink->state;
	struct flame *flame = sink->flame;
	int64_t time = sample->time == FLAME_NOTIME ? 0 : sample->time;

	s->any = true;
	/* perf has the clock's time, not the date. */
	if (s->source && time)
		time -= fl_record_clock(s->source);

	fl_out_print(s->out, "%s %5s/%-5s [%03d] %5" PRId64 ".%06" PRId64
		     ": %10" PRId64 " %s: \n",
		     label(flame, sample->thread, s->thread),
		     label(flame, sample->thread, s->pid),
		     label(flame, sample->thread, s->tid),
		     atoi(label(flame, sample->labels, s->cpu)),
		     time / 1000000000, time % 1000000000 / 1000, sample->weight,
		     s->event);
	for (flame_id i = sample->stack; i; i = fl_parent(flame, i))
		put_frame(s, flame, i);
	fl_out_text(s->out, "\n");
	return fl_failed(flame) ? FLAME_FAILED : FLAME_OK;
}

static int finish(struct flame_sink *sink)
{
	struct script *s = sink->state;
	struct fl_out *out = s->out;

	if (!s->any && fl_refuse_empty(sink->flame) != FLAME_OK)
		return FLAME_FAILED;
	s->out = NULL;
	return fl_out_close(out);
}

static void free_script(struct flame_sink *sink)
{
	struct script *s = sink->state;

	if (s->out)
		fl_out_discard(s->out);
}

void fl_script_source(struct flame_sink *sink,
		      const struct flame_source *source, const char *event)
{
	struct script *s;

	while (sink->next)
		sink = sink->next;
	s = sink->state;
	s->source = source;
	s->event = event;
}

struct flame_sink *fl_script_create(struct flame *flame, const char *path)
{
	struct fl_out *out = fl_out_open(flame, path);
	struct flame_sink *sink =
		out ? fl_sink_new(flame, NULL, sizeof(struct script)) : NULL;
	struct script *s;

	if (!sink) {
		if (out)
			fl_out_discard(out);
		return NULL;
	}
	s = sink->state;
	s->out = out;
	s->event = "cpu-clock";
	s->thread = fl_name(flame, "thread");
	s->tid = fl_name(flame, "tid");
	s->pid = fl_name(flame, "pid");
	s->cpu = fl_name(flame, "cpu");
	sink->needs = FL_NEED_TIME | FL_NEED_THREAD | FL_NEED_STATE |
		      FL_NEED_ORDER;
	sink->put = put;
	sink->finish = finish;
	sink->free = free_script;
	return sink;
}
