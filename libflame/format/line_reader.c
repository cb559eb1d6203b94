/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by readers of printed stacks (gdb.c, strace.c, bcc.c and others).
 * fl_line_reader_read() passes lines to the reader until there is a sample;
 * fl_line_reader_sample() counts one and adds it to the batch.  The functions
 * fl_backtrace_... make the frames and messages of backtraces that debuggers
 * print; each thread of a dump is a sample.
 */
#include "fl.h"

#include "format/format.h"
#include "native/frame.h"

#include <inttypes.h>

int fl_line_reader_open(struct flame_source *source)
{
	struct fl_line_reader *r = source->state;

	r->source = source;
	r->options = source->options;
	r->flame = source->flame;
	r->lines.in = source->in;
	r->lines.source = source;
	return FLAME_OK;
}

void fl_line_reader_free(void *state)
{
	struct fl_line_reader *r = state;

	fl_free(r->trace.frames);
	fl_map_free(&r->roots);
	fl_buf_free(&r->buf);
}

int fl_line_reader_read(struct fl_line_reader *r, fl_accept_line *accept)
{
	struct slice line;

	while (!r->source->batch.n && !fl_failed(r->flame)) {
		if (!fl_lines_next(&r->lines, &line))
			return FLAME_END;
		accept(r, line);
		if (r->buf.failed)
			fl_no_memory(r->flame);
	}
	return FLAME_OK;
}

void fl_line_reader_sample(struct fl_line_reader *r, const char *metric,
			   const char *unit, int64_t weight, flame_id stack,
			   flame_id thread)
{
	if (!r->metric)
		r->metric = flame_metric(r->flame, metric, unit);
	r->lines.good++;
	fl_emit(r->source, &(struct flame_sample){
		.stack = stack, .metric = r->metric, .thread = thread,
		.time = FLAME_NOTIME, .weight = weight,
	}, 1);
}

void fl_line_reader_damage(struct fl_line_reader *r)
{
	r->source->damage = r->lines.good ? 1 : 2;
}

struct slice fl_module_name(struct fl_buf *buf, struct slice module)
{
	buf->size = 0;
	fl_buf_byte(buf, '[');
	fl_buf_put(buf, module.data, module.size);
	fl_buf_byte(buf, ']');
	return (struct slice){ buf->data ? buf->data : "", buf->size };
}

/* Backtraces ----------------------------------------------------------- */

static flame_id name_of(struct fl_line_reader *r,
			const struct fl_backtrace_frame *frame)
{
	struct slice module = fl_slice_base(frame->module);
	struct fl_buf *buf = &r->buf;

	buf->size = 0;
	if (frame->nameless) {
		fl_buf_byte(buf, '[');
		fl_buf_put(buf, module.size ? module.data : "unknown",
			   module.size ? module.size : 7);
		fl_buf_byte(buf, ']');
	} else {
		fl_buf_put(buf, frame->name.data, frame->name.size);
	}
	if (frame->line > 0 && frame->show_file) {
		fl_buf_byte(buf, ':');
		fl_buf_put(buf, frame->file.data, frame->file.size);
	}
	if (frame->line > 0 && (frame->show_file || frame->show_line))
		fl_buf_print(buf, ":%" PRId64, frame->line);
	return flame_name(r->flame, buf->data ? buf->data : "", buf->size);
}

void fl_backtrace_add(struct fl_line_reader *r,
		      const struct fl_backtrace_frame *parts)
{
	struct flame_frame frame = { .type = parts->type };
	struct slice file = parts->file.size ? parts->file : parts->module;

	frame.name = name_of(r, parts);
	frame.file =
		flame_name(r->flame, file.data ? file.data : "", file.size);
	if (parts->line > 0 && parts->line <= INT32_MAX)
		frame.line = parts->line;
	fl_trace_add(r->flame, &r->trace, &frame);
}

bool fl_backtrace_is_whole(struct fl_line_reader *r, const char *const *roots)
{
	flame_id name = r->trace.count ?
			r->trace.frames[r->trace.count - 1].name : 0;
	struct slice text = fl_name_at(r->flame, name);

	for (size_t i = 0; roots[i]; i++)
		if (fl_slice_is(text, roots[i]))
			return true;
	return fl_map_get(&r->roots, name) != NULL;
}

void fl_backtrace_sample(struct fl_line_reader *r)
{
	flame_id stack = fl_trace_stack(r->flame, 0, &r->trace);

	fl_map_put(&r->roots, r->trace.frames[r->trace.count - 1].name, NULL);
	fl_line_reader_sample(r, "threads", "threads", 1, stack,
			      fl_keys_thread(r->flame, &r->keys));
}

void fl_backtrace_cut(struct fl_line_reader *r)
{
	fl_warn(r->flame, "%s: line %" PRIu64 ": the input ends within a "
		"backtrace of %zu frames, left out (an empty line behind it "
		"tells that it is whole)", fl_in_name(r->source->in),
		r->lines.number, r->trace.count);
	r->source->damage = 1;
}

int fl_backtrace_end(struct fl_line_reader *r)
{
	int damage = r->source->damage;

	if (r->outside)
		fl_remark(r->flame, "%s: %" PRIu64 " frames that belong to no "
			  "backtrace left out", fl_in_name(r->source->in),
			  r->outside);
	fl_lines_end(r->source, &r->lines);
	if (damage)
		fl_line_reader_damage(r);
	return FLAME_END;
}
