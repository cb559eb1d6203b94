/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads what R's Rprof() writes: a header, then a line for each sample of cpu,
 * innermost function first.  A sample weighs the interval, which the header has
 * in us:
 *
 *	memory profiling: GC profiling: line profiling: sample.interval=20000
 *	#File 1: a.R
 *	:163:40:84280:0:"<GC>" 1#4 "f" 1#9 "main"
 *
 * "1#4" is the line of the function that follows: it is the place where the one
 * before was called.  Columns of memory come first: the blocks of 8 bytes of
 * small and of large vectors, the bytes of nodes, and how often vectors were
 * duplicated.  An appended profile has its own header.
 */
#include "fl.h"

#include "format/format.h"

enum { MAX_FILES = 1 << 16, MAX_INTERVAL_US = 1000 * 1000 * 1000 };

struct reader {
	struct fl_line_reader base;
	int64_t interval;	/* ns */
	flame_id *files;	/* by number; 0: not named */
	size_t nfiles, capacity;
};

static bool skip_text(struct slice *s, const char *text)
{
	size_t n = strlen(text);

	if (!fl_slice_starts(*s, text))
		return false;
	*s = (struct slice){ s->data + n, s->size - n };
	return true;
}

/* Digits at the beginning. */
static bool skip_number(struct slice *s, int64_t *number)
{
	struct slice digits = { s->data, 0 };

	while (digits.size < s->size && fl_is_digit(s->data[digits.size]))
		digits.size++;
	*s = (struct slice){ s->data + digits.size, s->size - digits.size };
	return digits.size && fl_parse_digits(digits, number);
}

/* The interval of a header in us; 0: the line is none. */
static int64_t interval_of(struct slice line)
{
	static const char *const kinds[] = {
		"memory profiling: ", "GC profiling: ", "line profiling: "
	};
	int64_t us = 0;

	for (size_t i = 0; i < FL_COUNT(kinds); i++)
		skip_text(&line, kinds[i]);
	return skip_text(&line, "sample.interval=") &&
	       skip_number(&line, &us) && !fl_slice_trim(line).size &&
	       us <= MAX_INTERVAL_US ? us : 0;
}

/* "1: a.R" */
static bool add_file(struct reader *r, struct slice line)
{
	struct flame *flame = r->base.flame;
	int64_t number;

	if (!skip_number(&line, &number) || number >= MAX_FILES ||
	    !skip_text(&line, ": "))
		return false;
	if (!fl_grow(&r->files, &r->capacity, (size_t)number + 1,
		     sizeof(*r->files))) {
		fl_no_memory(flame);
		return true;
	}
	while (r->nfiles <= (size_t)number)
		r->files[r->nfiles++] = 0;
	r->files[number] = flame_name(flame, line.data, line.size);
	return true;
}

/*
 * The quoted name of a function, which R does not escape.  A blank follows,
 * which an editor may have cut at the end of a line.
 */
static bool skip_name(struct slice *s, struct slice *name)
{
	const char *end;

	if (!skip_text(s, "\""))
		return false;
	end = fl_slice_find(*s, "\" ");
	if (!end && fl_slice_ends(*s, "\""))
		end = s->data + s->size - 1;
	if (!end)
		return false;
	*name = (struct slice){ s->data, (size_t)(end - s->data) };
	*s = (struct slice){ end + 1, s->size - name->size - 1 };
	skip_text(s, " ");
	return true;
}

/* "1#4 " */
static bool skip_place(struct slice *s, int64_t *file, int64_t *line)
{
	return skip_number(s, file) && skip_text(s, "#") &&
	       skip_number(s, line) && skip_text(s, " ");
}

static bool skip_memory(struct slice *s)
{
	int64_t number;

	if (!skip_text(s, ":"))
		return true;
	for (unsigned i = 0; i < 4; i++)
		if (!skip_number(s, &number) || !skip_text(s, ":"))
			return false;
	return true;
}

static void add_frame(struct reader *r, struct slice name, int64_t file,
		      int64_t line)
{
	const struct fl_lines_options *options = r->base.options;
	struct fl_backtrace_frame frame = {
		.name = name, .line = line, .show_line = options->lines,
	};

	if (file < (int64_t)r->nfiles)
		frame.file = fl_name_at(r->base.flame, r->files[file]);
	fl_backtrace_add(&r->base, &frame);
}

/* false: it is not a sample. */
static bool read_stack(struct reader *r, struct slice line)
{
	int64_t file = 0, at = 0;
	struct slice name;

	r->base.trace.count = 0;
	if (!skip_memory(&line))
		return false;
	while (line.size)
		if (skip_name(&line, &name)) {
			bool is_gc = fl_slice_is(name, "<GC>");

			/* The place is of the function that follows. */
			add_frame(r, name, 0, is_gc ? 0 : at);
			if (!is_gc)
				file = at = 0;
		} else if (!skip_place(&line, &file, &at)) {
			return false;
		}
	return r->base.trace.count;
}

static void accept_line(struct fl_line_reader *base, struct slice line)
{
	struct reader *r = (struct reader *)base;
	int64_t us = interval_of(line);
	struct slice rest = line;

	if (us) {
		r->interval = us * 1000;
		r->nfiles = 0;
	} else if (!line.size ||
		   (skip_text(&rest, "#File ") && add_file(r, rest))) {
		return;
	} else if (!base->lines.ended || !read_stack(r, line)) {
		fl_lines_bad(&base->lines, line);
	} else {
		fl_line_reader_sample(base, "cpu", "ns", r->interval,
				      fl_trace_stack(base->flame, 0,
						     &base->trace), 0);
	}
}

/* The row of formats.def ------------------------------------------------ */

static int read(struct flame_source *source)
{
	struct fl_line_reader *base = source->state;
	int status = fl_line_reader_read(base, accept_line);

	return status == FLAME_END ? fl_lines_end(source, &base->lines) :
				     status;
}

static void release(void *state)
{
	struct reader *r = state;

	fl_free(r->files);
	fl_line_reader_free(&r->base);
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	struct slice rest = { (const char *)head, n }, line;
	bool ended = memchr(head, '\n', n);

	line = fl_slice_split(&rest, '\n');
	if (interval_of(line))
		return ended || whole ? FL_FORMAT_CERTAIN : -1;
	return 0;
}

const struct fl_format fl_format_rprof = {
	.name = "rprof",
	.summary = "profiles of R (Rprof)",
	.probe = probe,
	.state_size = sizeof(struct reader),
	.open = fl_line_reader_open,
	.read = read,
	.release = release,
	.options = &fl_lines_option_table,
};
