/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by readers of thread dumps (jstack/, faulthandler.c, pyspy-dump.c,
 * goroutine.c, json/threads.c and others).  The reader reports each thread and
 * its frames by fl_dump_begin(), fl_dump_frame() and fl_dump_end(); each
 * becomes a sample of the metric threads, of weight 1 unless the reader sets
 * another.  Several dumps in one text are samples over time.
 */
#include "fl.h"

#include "format/format.h"

#include <inttypes.h>
#include <stdlib.h>

enum { HEAD = 1 << 20 };	/* of a log, before its first dump */

int fl_dump_open(struct flame_source *source)
{
	struct fl_dump *dump = source->state;

	dump->source = source;
	source->surveyed = true;
	dump->lines.in = source->in;
	dump->lines.source = source;
	fl_dump_of(dump, "threads", "threads", "threads");
	return FLAME_OK;
}

void fl_dump_of(struct fl_dump *dump, const char *metric, const char *unit,
		const char *plural)
{
	dump->metric_name = metric;
	dump->unit = unit;
	dump->plural = plural;
}

void fl_dump_free(void *state)
{
	struct fl_dump *dump = state;

	fl_buf_free(&dump->name);
	fl_buf_free(&dump->buf);
	fl_map_free(&dump->threads);
	fl_free(dump->frames);
}

void fl_dump_begin(struct fl_dump *dump, struct slice name)
{
	dump->open = true;
	dump->truncated = false;
	dump->name.size = 0;
	fl_buf_put(&dump->name, name.data, name.size);
	dump->tid = dump->pid = -1;
	dump->weight = 1;
	dump->state = NULL;
	dump->time = FLAME_NOTIME;
	dump->labels = dump->thread = 0;
	dump->line = dump->lines.number;
	dump->nframes = 0;
}

void fl_dump_frame(struct fl_dump *dump, flame_id frame)
{
	if (!fl_grow(&dump->frames, &dump->capacity, dump->nframes + 1,
		     sizeof(*dump->frames))) {
		fl_no_memory(dump->source->flame);
		return;
	}
	dump->frames[dump->nframes++] = frame;
}

/* thread=NAME, tid=N, pid=N, where known. */
static flame_id thread_of(struct fl_dump *dump)
{
	struct flame *flame = dump->source->flame;
	struct slice name = { dump->name.size ? dump->name.data : NULL,
			      dump->name.size };
	char number[24];
	flame_id set = dump->thread;

	if (dump->tid >= 0)
		set = fl_thread(flame, name, dump->tid);
	else if (name.size)
		set = flame_label(flame, 0, fl_name(flame, "thread"),
				  flame_name(flame, name.data, name.size));
	if (dump->pid >= 0) {
		number[fl_format_u64(number, dump->pid)] = '\0';
		set = flame_label(flame, set, fl_name(flame, "pid"),
				  fl_name(flame, number));
	}
	return set;
}

/* Each thread of each dump, drawn or not. */
static void count(struct fl_dump *dump)
{
	struct flame_source *source = dump->source;
	struct flame *flame = source->flame;
	struct flame_metric *m;
	bool fresh;

	dump->metric = flame_metric(flame, dump->metric_name, dump->unit);
	m = &flame->metrics[dump->metric];
	fl_metric_count(flame, dump->metric, (uint64_t)dump->weight,
			dump->weight);
	fl_metric_span(flame, dump->metric, dump->time, dump->time);
	if (!dump->nframes)
		m->no_stack++;
	if (source->start == FLAME_NOTIME)
		source->start = dump->time;
	if (source->select.survey &&
	    fl_map_put(&dump->threads, thread_of(dump), &fresh))
		m->threads += fresh;
}

static flame_id stack_of(struct fl_dump *dump)
{
	struct flame *flame = dump->source->flame;
	flame_id stack = 0;

	if (dump->truncated)
		stack = flame_stack(flame, 0,
				    fl_frame(flame, fl_name(flame,
							    "[truncated]"),
					     FLAME_GROUP));
	for (size_t i = dump->nframes; i--;)
		stack = flame_stack(flame, stack, dump->frames[i]);
	return stack;
}

static void report_end(struct fl_dump *dump)
{
	const struct fl_select *s = &dump->source->select;

	if (dump->told_end || !fl_select_needs_end(s))
		return;
	dump->told_end = true;
	fl_warn(dump->source->flame, "%s: times from the end need a file: "
		"a pipe does not say where it ends", fl_in_name(dump->source->in));
}

bool fl_dump_sample(struct fl_dump *dump, struct flame_sample *sample)
{
	struct flame *flame = dump->source->flame;
	const struct fl_select *s = &dump->source->select;

	if (!dump->open)
		return false;
	dump->open = false;
	dump->lines.good++;
	count(dump);
	if (!dump->nframes) {
		dump->no_stack++;
		return false;
	}
	report_end(dump);
	*sample = (struct flame_sample){
		.stack = stack_of(dump), .metric = dump->metric,
		.time = dump->time, .weight = dump->weight,
	};
	if (s->thread || (s->needs & FL_NEED_THREAD))
		sample->thread = thread_of(dump);
	sample->labels = dump->labels ? dump->labels : dump->program;
	if (dump->state && (s->state || (s->needs & FL_NEED_STATE)))
		sample->labels = flame_label(flame, sample->labels,
					     fl_name(flame, "state"),
					     fl_name(flame, dump->state));
	if (!s->from.base && !s->to.base && !(s->needs & FL_NEED_TIME))
		sample->time = FLAME_NOTIME;
	return true;
}

void fl_dump_end(struct fl_dump *dump)
{
	struct flame_sample sample;

	if (fl_dump_sample(dump, &sample))
		fl_batch_add(dump->source, &sample);
}

void fl_dump_lose(struct fl_dump *dump)
{
	if (!dump->open)
		return;
	dump->open = false;
	dump->lines.reported = true;
	if (!dump->lost++)
		dump->first_lost = dump->line;
}

void fl_dump_end_of_lines(struct fl_dump *dump)
{
	if (dump->lines.ended && !fl_in_damage(dump->source->in))
		fl_dump_end(dump);
	else
		fl_dump_lose(dump);
}

bool fl_dump_java_frame(struct fl_dump *dump, struct slice text)
{
	struct flame *flame = dump->source->flame;
	struct fl_java_frame frame;

	if (!fl_java_frame(text, &frame))
		return false;
	dump->buf.size = 0;
	fl_java_name(&dump->buf, frame.name);
	fl_dump_frame(dump, fl_frame(flame,
				     flame_name(flame, dump->buf.data,
						dump->buf.size), frame.type));
	return true;
}

static int finish(struct fl_dump *dump)
{
	struct flame_source *source = dump->source;
	struct flame *flame = source->flame;
	const char *name = fl_in_name(source->in);

	if (dump->buf.failed || dump->name.failed)
		return fl_no_memory(flame);
	if (source->part)
		return FLAME_END;
	fl_lines_end(source, &dump->lines);
	if (dump->lost) {
		source->damage = dump->lines.good ? 1 : 2;
		fl_warn(flame, "%s: %" PRIu64 " %s left out, as their "
			"stacks are cut; the first is at line %" PRIu64, name,
			dump->lost, dump->plural, dump->first_lost);
	} else if (!dump->lines.good && !source->damage) {
		fl_remark(flame, "%s: there are no %s in it", name,
			  dump->plural);
	}
	if (dump->no_stack)
		fl_remark(flame, "%s: %" PRIu64 " %s without a stack "
			  "left out", name, dump->no_stack, dump->plural);
	dump->lost = dump->no_stack = 0;
	return FLAME_END;
}

int fl_dump_read(struct fl_dump *dump,
		 void (*accept)(struct fl_dump *dump, struct slice line),
		 void (*end)(struct fl_dump *dump))
{
	struct flame_source *source = dump->source;
	struct slice line;

	while (!source->batch.n && !fl_failed(source->flame)) {
		if (!fl_lines_next(&dump->lines, &line)) {
			if (!dump->open)
				return finish(dump);
			end(dump);
		} else if (fl_unlikely(dump->lines.marked)) {
			if (dump->open)
				end(dump);
		} else {
			accept(dump, line);
		}
	}
	return fl_failed(source->flame) ? FLAME_FAILED : FLAME_OK;
}

int fl_dump_probe(const uint8_t *head, size_t n, bool whole,
		  bool (*begins)(struct slice line), int bits)
{
	const char *at = (const char *)head, *end = at + n;

	while (at < end) {
		const char *lf = memchr(at, '\n', end - at);
		struct slice line = { at, (lf ? lf : end) - at };

		if (!lf && !whole)
			break;
		if (memchr(line.data, '\0', line.size))
			return 0;
		if (line.size && line.data[line.size - 1] == '\r')
			line.size--;
		if (at == (const char *)head &&
		    fl_slice_starts(line, "\xef\xbb\xbf"))
			line = fl_slice_from(line, 3);
		if (begins(line))
			return bits;
		at = lf ? lf + 1 : end;
	}
	return whole || n >= HEAD ? 0 : -1;
}

bool fl_dump_word(struct slice *text, struct slice *word)
{
	while (text->size && text->data[0] == ' ') {
		text->data++;
		text->size--;
	}
	*word = (struct slice){ text->data, 0 };
	while (word->size < text->size && text->data[word->size] != ' ')
		word->size++;
	text->data += word->size;
	text->size -= word->size;
	return word->size > 0;
}
