/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads what phpspy prints, a trace after another, leaf first.  Each trace is a
 * sample of the metric samples.
 *
 *	0 usleep <internal>:-1
 *	1 Job::run /srv/job.php:12
 *	# pid = 4711
 *
 * A trace ends at an empty line.
 */
#include "fl.h"

#include "format/format.h"

struct frame {
	int64_t depth, line;
	struct slice name, file;
};

/* "1 Job::run /srv/job.php:12" */
static bool read_frame(struct slice line, struct frame *frame)
{
	struct slice word, place;
	const char *colon;

	if (!fl_dump_word(&line, &word) ||
	    !fl_parse_digits(word, &frame->depth))
		return false;
	line = fl_slice_trim(line);
	/* Files may have blanks, and names may not. */
	if (!fl_slice_first_word(&line, &frame->name))
		return false;
	place = fl_slice_trim_end(line);
	colon = memrchr(place.data, ':', place.size);
	if (!colon || colon == place.data)
		return false;
	frame->file = (struct slice){ place.data,
				      (size_t)(colon - place.data) };
	return fl_parse_int((struct slice){ colon + 1, (size_t)(place.data +
						place.size - colon) - 1 },
			    &frame->line) && frame->line >= -1;
}

static void end_trace(struct fl_line_reader *r)
{
	if (r->trace.count)
		fl_line_reader_sample(r, "samples", "samples", 1,
				      fl_trace_stack(r->flame, 0, &r->trace),
				      fl_keys_thread(r->flame, &r->keys));
	r->trace.count = 0;
	r->keys = (struct fl_keys){ 0 };
}

static void add_frame(struct fl_line_reader *r, const struct frame *f)
{
	const struct fl_lines_options *options = r->options;
	struct fl_backtrace_frame frame = {
		.name = f->name, .file = f->file, .line = f->line,
		.show_line = options->lines,
	};

	fl_backtrace_add(r, &frame);
}

static void accept_line(struct fl_line_reader *r, struct slice line)
{
	static const char pid[] = "# pid = ";
	struct frame frame;

	if (!line.size) {
		end_trace(r);
	} else if (fl_slice_starts(line, pid)) {
		line = fl_slice_trim((struct slice){
			line.data + strlen(pid), line.size - strlen(pid) });
		if (fl_slice_digits(line))
			r->keys.pid = flame_name(r->flame, line.data,
						 line.size);
	} else if (line.data[0] == '#') {
		return;
	} else if (!read_frame(line, &frame)) {
		if (r->lines.ended)
			fl_lines_bad(&r->lines, line);
	} else {
		/* Its empty line may be lost among those of a log. */
		if (!frame.depth && r->trace.count)
			end_trace(r);
		if ((size_t)frame.depth != r->trace.count)
			fl_lines_bad(&r->lines, line);
		add_frame(r, &frame);
	}
}

/* The row of formats.def ------------------------------------------------ */

static int read(struct flame_source *source)
{
	struct fl_line_reader *r = source->state;
	int status = fl_line_reader_read(r, accept_line);

	if (status != FLAME_END)
		return status;
	if (r->trace.count && r->lines.ended && !fl_in_damage(source->in)) {
		end_trace(r);
		return FLAME_OK;
	}
	if (r->trace.count)
		fl_backtrace_cut(r);
	r->trace.count = 0;
	return fl_backtrace_end(r);
}

/* A frame 0, followed by another or the end of the trace. */
static int probe(const uint8_t *head, size_t n, bool whole)
{
	struct slice rest = { (const char *)head, n }, line;
	struct frame frame;

	do {
		line = fl_slice_trim_end(fl_slice_split(&rest, '\n'));
	} while (rest.size && (!line.size || line.data[0] == '#'));
	if (!rest.size && !whole)
		return n < 1 << 16 && (!line.size || line.data[0] == '#' ||
				       read_frame(line, &frame)) ? -1 : 0;
	if (!read_frame(line, &frame) || frame.depth ||
	    (frame.file.data[0] != '<' && frame.file.data[0] != '/' &&
	     !fl_slice_ends(frame.file, ".php")))
		return 0;
	line = fl_slice_trim_end(fl_slice_split(&rest, '\n'));
	return !line.size || line.data[0] == '#' ||
	       (read_frame(line, &frame) && frame.depth <= 1) ? 32 : 0;
}

const struct fl_format fl_format_phpspy = {
	.name = "phpspy",
	.summary = "traces of phpspy",
	.probe = probe,
	.state_size = sizeof(struct fl_line_reader),
	.open = fl_line_reader_open,
	.read = read,
	.release = fl_line_reader_free,
	.options = &fl_lines_option_table,
};
