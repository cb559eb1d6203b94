/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads what memray transform csv writes: a row for each stack that allocated,
 * leaf first, becomes a sample of the metric alloc (bytes) and one of
 * allocations.
 *
 *	allocator,num_allocations,size,tid,thread_name,stack_trace
 *	MALLOC,1,100,1,MainThread,leaf;/srv/a.py;58|main;/srv/a.py;3
 */
#include "fl.h"

#include "format/format.h"

#include <inttypes.h>

enum { COUNT, SIZE, TID, THREAD, STACK, COLUMNS };

struct reader {
	struct fl_line_reader base;
	int column[COLUMNS];	/* -1: nowhere */
	struct fl_buf field[COLUMNS + 1];	/* the last: of others */
	flame_id bytes, count;	/* metrics */
};

static const char begin[] = "allocator,num_allocations,";

static void read_header(struct reader *r, struct slice line)
{
	static const char *const titles[COLUMNS] = {
		"num_allocations", "size", "tid", "thread_name", "stack_trace"
	};

	for (int i = 0; i < COLUMNS; i++)
		r->column[i] = -1;
	for (int i = 0; line.size; i++) {
		struct slice title = fl_slice_split(&line, ',');

		for (int k = 0; k < COLUMNS; k++)
			if (fl_slice_is(title, titles[k]))
				r->column[k] = i;
	}
	r->bytes = flame_metric(r->base.flame, "alloc", "bytes");
	r->count = flame_metric(r->base.flame, "allocations", "count");
}

/* "leaf;/srv/a.py;58": a file may have a semicolon in its name. */
static bool add_frame(struct reader *r, struct slice text)
{
	const struct fl_lines_options *options = r->base.options;
	struct flame *flame = r->base.flame;
	struct flame_frame frame = { .type = FLAME_UNKNOWN };
	const char *at = memrchr(text.data, ';', text.size);
	struct slice name;
	int64_t line;

	if (!at || !fl_parse_digits((struct slice){ at + 1, text.size - 1 -
				    (size_t)(at - text.data) }, &line))
		return false;
	text.size = (size_t)(at - text.data);
	name = fl_slice_split(&text, ';');
	r->base.buf.size = 0;
	fl_buf_put(&r->base.buf, name.data, name.size);
	if (options->lines && line > 0)
		fl_buf_print(&r->base.buf, ":%" PRId64, line);
	frame.name = flame_name(flame, r->base.buf.data ? r->base.buf.data : "",
				r->base.buf.size);
	frame.file = flame_name(flame, text.data, text.size);
	if (options->lines && line <= INT32_MAX)
		frame.line = (uint32_t)line;
	return fl_trace_add(flame, &r->base.trace, &frame);
}

static void add(struct reader *r, struct flame_sample *sample, flame_id metric,
		int64_t weight)
{
	if (!weight)
		return;
	sample->metric = metric;
	sample->weight = weight;
	fl_emit(r->base.source, sample, 1);
}

static bool read_row(struct reader *r, struct slice line)
{
	struct flame_sample sample = { .time = FLAME_NOTIME };
	struct slice stack, name;
	int64_t count, size, tid;

	if (!r->bytes || !fl_csv_columns(line, ',', r->column, r->field,
					 COLUMNS, NULL) ||
	    !fl_parse_digits(fl_buf_slice(&r->field[COUNT]), &count) ||
	    !fl_parse_digits(fl_buf_slice(&r->field[SIZE]), &size))
		return false;
	r->base.trace.count = 0;
	stack = fl_buf_slice(&r->field[STACK]);
	while (stack.size)
		if (!add_frame(r, fl_slice_split(&stack, '|')))
			return false;
	name = fl_buf_slice(&r->field[THREAD]);
	if (fl_parse_digits(fl_buf_slice(&r->field[TID]), &tid))
		sample.thread = fl_thread(r->base.flame, (struct slice){
			name.size ? name.data : NULL, name.size }, tid);
	sample.stack = fl_trace_stack(r->base.flame, 0, &r->base.trace);
	r->base.lines.good++;
	add(r, &sample, r->bytes, size);
	add(r, &sample, r->count, count);
	return true;
}

static void accept_line(struct fl_line_reader *base, struct slice line)
{
	struct reader *r = (struct reader *)base;

	if (fl_slice_starts(line, begin))
		read_header(r, line);
	else if (line.size && (!base->lines.ended || !read_row(r, line)))
		fl_lines_bad(&base->lines, line);
	for (int i = 0; i <= COLUMNS; i++)
		base->buf.failed |= r->field[i].failed;
}

/* The row of formats.def ------------------------------------------------ */

static void release(void *state)
{
	struct reader *r = state;

	for (int i = 0; i <= COLUMNS; i++)
		fl_buf_free(&r->field[i]);
	fl_line_reader_free(&r->base);
}

static int read(struct flame_source *source)
{
	struct reader *r = source->state;
	int status = fl_line_reader_read(&r->base, accept_line);

	return status == FLAME_END ? fl_lines_end(source, &r->base.lines) :
				     status;
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	(void)whole;
	return fl_probe_text(head, n, begin);
}

const struct fl_format fl_format_memray_csv = {
	.name = "memray-csv",
	.summary = "what memray transform csv writes",
	.probe = probe,
	.state_size = sizeof(struct reader),
	.open = fl_line_reader_open,
	.read = read,
	.release = release,
	.options = &fl_lines_option_table,
};
