/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jdk.ThreadDump events, for emit.c.  Each has the text of a thread dump, one a
 * chunk or a minute; the reader of jstack/ makes samples of its threads, which
 * are added to the batch.  Where these are wanted only if the recording has no
 * other samples, texts are stored until that is known.
 */
#include "fl.h"

#include "format/format.h"
#include "format/jfr/samples.h"

#include <stdlib.h>

struct fl_jfr_dumps {
	struct flame_source *reader;
	struct text {
		struct slice text;
		int64_t time;
	} *data;
	size_t count, capacity;
	struct fl_arena arena;	/* stored texts */
};

static void drop_texts(struct fl_jfr_dumps *dumps)
{
	fl_arena_free(&dumps->arena);
	memset(&dumps->arena, 0, sizeof(dumps->arena));
	dumps->count = 0;
}

void fl_jfr_dumps_free(struct fl_jfr_dumps *dumps)
{
	if (!dumps)
		return;
	/* Its selection is the recording's. */
	if (dumps->reader)
		memset(&dumps->reader->select, 0,
		       sizeof(dumps->reader->select));
	flame_close(dumps->reader);
	drop_texts(dumps);
	fl_free(dumps->data);
	fl_free(dumps);
}

static struct fl_jfr_dumps *make_dumps(struct fl_jfr *jfr)
{
	if (!jfr->dumps)
		jfr->dumps = fl_zeroed(1, sizeof(*jfr->dumps));
	if (!jfr->dumps)
		fl_no_memory(jfr->source->flame);
	return jfr->dumps;
}

static struct flame_source *make_reader(struct fl_jfr *jfr)
{
	const struct fl_jfr_options *options = fl_jfr_options(jfr);
	const struct fl_select *select = &jfr->source->select;
	struct flame_source *reader;

	reader = flame_open_memory(jfr->source->flame, "", 0,
				   fl_in_name(jfr->source->in), "jstack");
	if (!reader ||
	    (options->lines && flame_ask(reader, "lines", NULL) != FLAME_OK) ||
	    (options->bci && flame_ask(reader, "bci", NULL) != FLAME_OK)) {
		flame_close(reader);
		return NULL;
	}
	reader->part = true;
	reader->select.needs = select->needs;
	reader->select.labels = select->labels;
	reader->select.thread = select->thread;
	reader->select.state = select->state;
	reader->select.survey = select->survey;
	return reader;
}

static bool set_text(struct flame_source *reader, const struct text *text)
{
	struct fl_in *in = fl_in_memory(reader->flame, text->text.data,
					text->text.size,
					fl_in_name(reader->in));

	if (!in)
		return false;
	fl_in_close(reader->in);
	reader->in = in;
	fl_jstack_resume(reader, text->time);
	return true;
}

static int emit_text(struct fl_jfr *jfr, const struct text *text)
{
	struct fl_jfr_dumps *dumps = jfr->dumps;
	struct flame_source *reader;
	struct flame_sample sample;
	int status;

	if (!dumps->reader)
		dumps->reader = make_reader(jfr);
	reader = dumps->reader;
	if (!reader || !set_text(reader, text))
		return FLAME_FAILED;
	while ((status = flame_next(reader, &sample)) == FLAME_OK) {
		jfr->samples->given++;
		/* The event is written by its time, whatever its threads are. */
		if (fl_batch_add(jfr->source, &sample) != FLAME_OK ||
		    (jfr->copy && fl_jfr_copy_place(jfr, 0) != FLAME_OK))
			return FLAME_FAILED;
	}
	return status == FLAME_END ? FLAME_OK : FLAME_FAILED;
}

/* false: it has no text, or its time is not asked for. */
static bool read_note(struct fl_jfr_chunk *chunk,
		      const struct fl_jfr_note *note, struct fl_buf *buf,
		      int64_t *time)
{
	int64_t ticks;

	buf->size = 0;
	if (!fl_jfr_note_value(chunk, note, "startTime", buf) ||
	    !fl_parse_int((struct slice){ buf->data, buf->size }, &ticks) ||
	    (chunk->asked.limited && (ticks < chunk->asked.from ||
				      ticks > chunk->asked.to)))
		return false;
	*time = fl_jfr_ns(chunk, ticks);
	buf->size = 0;
	return fl_jfr_note_value(chunk, note, "result", buf);
}

static int keep(struct fl_jfr *jfr, struct slice text, int64_t time)
{
	struct fl_jfr_dumps *dumps = jfr->dumps;
	const char *copy = fl_arena_copy(&dumps->arena, text.data, text.size);

	if (!copy || !fl_grow(&dumps->data, &dumps->capacity,
			      dumps->count + 1, sizeof(*dumps->data)))
		return fl_no_memory(jfr->source->flame);
	dumps->data[dumps->count++] = (struct text){
		{ copy, text.size }, time
	};
	return FLAME_OK;
}

/* Whether there is a metric of samples, which is used instead. */
static bool are_left_out(const struct fl_jfr *jfr)
{
	const struct fl_select *select = &jfr->source->select;

	return select->choose && !select->survey &&
	       (select->cpu_only || jfr->samples->counted);
}

int fl_jfr_end_chunk_dumps(struct fl_jfr_chunk *chunk)
{
	struct fl_jfr *jfr = chunk->jfr;
	const struct fl_select *select = &jfr->source->select;
	struct fl_buf buf = { 0 };
	int status = FLAME_OK;
	int64_t time;

	for (size_t i = 0; i < chunk->events->nnotes && status == FLAME_OK;
	     i++) {
		const struct fl_jfr_note *note = &chunk->events->notes[i];
		struct slice event = fl_jfr_plain_name(note->class->name);

		if (!fl_slice_is(event, "jdk.ThreadDump") ||
		    are_left_out(jfr) ||
		    !read_note(chunk, note, &buf, &time))
			continue;
		if (buf.failed || !make_dumps(jfr))
			status = fl_no_memory(jfr->source->flame);
		else if (select->choose && !select->survey)
			status = keep(jfr, (struct slice){ buf.data, buf.size },
				      time);
		else
			status = emit_text(jfr, &(struct text){
				{ buf.data, buf.size }, time });
	}
	fl_buf_free(&buf);
	if (jfr->dumps && are_left_out(jfr))
		drop_texts(jfr->dumps);
	return status;
}

int fl_jfr_emit_dumps(struct fl_jfr *jfr)
{
	struct fl_jfr_dumps *dumps = jfr->dumps;
	int status = FLAME_OK;

	for (size_t i = 0; dumps && i < dumps->count && status == FLAME_OK &&
			   !are_left_out(jfr); i++)
		status = emit_text(jfr, &dumps->data[i]);
	if (!dumps)
		return FLAME_OK;
	drop_texts(dumps);
	if (status == FLAME_OK && dumps->reader) {
		/* Losses of all texts are reported at once. */
		dumps->reader->part = false;
		status = emit_text(jfr, &(struct text){ { "", 0 },
							FLAME_NOTIME });
	}
	return status;
}
