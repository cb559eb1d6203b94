/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Format graal-sampler: reads what GraalVM's CPU sampler prints (--cpusampler),
 * a call tree of each thread or a histogram, into samples of CPU time:
 *
 *	Sampling CallTree. Recorded 1000 samples with period 10ms.
 *	Thread[main,5,main]
 *	 Name        ||      Total Time    ||       Self Time    || Location
 *	 :program    ||  10000ms 100.0%    ||     0ms   0.0%     || a.js~1:0-9
 *	  work       ||   9000ms  90.0%    ||  9000ms  90.0%     || a.js~2:3-5
 *
 * A blank in front is a level.  Where a column is depends on the version.
 */
#include "fl.h"

#include "format/outline/outline.h"

#include <inttypes.h>

enum { MAX_COLUMNS = 32 };

struct reader {
	struct fl_outline outline;
	unsigned ncolumns, self, location;	/* self: 0: no header yet */
	uint64_t missed;			/* samples */
};

/* The cells of a row, which one or two bars separate; how many there are. */
static unsigned split(struct slice line, struct slice cells[MAX_COLUMNS])
{
	unsigned n = 0;

	while (n < MAX_COLUMNS) {
		cells[n++] = fl_slice_split(&line, '|');
		if (line.size && line.data[0] == '|')
			line = fl_slice_from(line, 1);
		if (!line.size)
			break;
	}
	return n;
}

static bool read_header(struct reader *r, struct slice line)
{
	struct slice cells[MAX_COLUMNS];
	unsigned n = split(line, cells);

	if (!fl_slice_is(fl_slice_trim(cells[0]), "Name"))
		return false;
	r->ncolumns = n;
	r->self = r->location = 0;
	for (unsigned i = 1; i < n; i++) {
		struct slice title = fl_slice_trim(cells[i]);

		if (fl_slice_is(title, "Self Time"))
			r->self = i;
		else if (fl_slice_is(title, "Location"))
			r->location = i;
	}
	return r->self > 0;
}

/* "9000ms  90.0%" */
static bool parse_time(struct slice cell, int64_t *ns)
{
	struct slice word;
	int64_t ms;

	cell = fl_slice_trim(cell);
	word = fl_slice_split(&cell, ' ');
	if (!fl_slice_ends(word, "ms"))
		return false;
	word.size -= 2;
	if (!fl_parse_digits(word, &ms))
		return false;
	*ns = fl_mul_clamped(ms, 1000000);
	return true;
}

/* A name may have bars: then there are more cells, the first are its. */
static bool read_row(struct reader *r, struct slice line)
{
	struct slice cells[MAX_COLUMNS], name, file = { "", 0 };
	unsigned n = split(line, cells), more;
	uint64_t depth;
	int64_t ns;

	if (!r->self || n < r->ncolumns)
		return false;
	more = n - r->ncolumns;
	if (!parse_time(cells[r->self + more], &ns))
		return false;
	name = (struct slice){ line.data,
			       (size_t)(cells[more].data + cells[more].size -
					line.data) };
	depth = fl_indent(name);
	name = fl_slice_trim(name);
	if (!name.size)
		return false;
	if (r->location)
		file = fl_slice_trim(cells[r->location + more]);
	file = fl_slice_split(&file, '~');
	fl_outline_add(&r->outline, depth,
		       fl_outline_frame(&r->outline, name, file,
					FLAME_UNKNOWN), &ns);
	return true;
}

/* Thread[main,5,main], since JDK 19 Thread[#1,main,5,main] */
static void begin_thread(struct reader *r, struct slice line)
{
	struct flame *flame = r->outline.base.flame;
	struct slice name = { line.data + 7, line.size - 7 }, first;
	int64_t id = -1;

	if (name.size && name.data[0] == '#') {
		first = fl_slice_split(&name, ',');
		first = fl_slice_from(first, 1);
		if (!fl_parse_digits(first, &id))
			id = -1;
	}
	name = fl_slice_split(&name, ',');
	fl_outline_end(&r->outline);
	r->outline.thread = 0;
	if (id >= 0)
		r->outline.thread = fl_thread(flame, name, id);
	else if (name.size)
		r->outline.thread = flame_label(flame, 0,
			fl_name(flame, "thread"),
			flame_name(flame, name.data, name.size));
}

static bool is_report(struct slice line)
{
	return fl_slice_starts(line, "Sampling CallTree. Recorded ") ||
	       fl_slice_starts(line, "Sampling Histogram. Recorded ");
}

/* "... with period 10ms. Missed 3 samples." */
static void count_missed(struct reader *r, struct slice line)
{
	static const char key[] = ". Missed ";
	const char *at = fl_slice_find(line, key);
	struct slice rest;
	int64_t n;

	if (!at)
		return;
	at += strlen(key);
	rest = (struct slice){ at, (size_t)(line.data + line.size - at) };
	if (fl_parse_digits(fl_slice_split(&rest, ' '), &n))
		r->missed += (uint64_t)n;
}

static void accept_line(struct fl_line_reader *base, struct slice line)
{
	struct reader *r = (struct reader *)base;

	if (is_report(line)) {
		fl_outline_end(&r->outline);
		r->outline.nvalues = 1;
		r->outline.thread = 0;
		r->self = 0;
		count_missed(r, line);
	} else if (!r->outline.nvalues) {
		return;		/* of the log before it */
	} else if (fl_slice_starts(line, "Thread[")) {
		begin_thread(r, line);
	} else if (read_header(r, line)) {
		fl_outline_end(&r->outline);
		r->outline.metric[0] = flame_metric(base->flame, "cpu", "ns");
	} else if (r->self && memchr(line.data, '|', line.size) &&
		   !read_row(r, line)) {
		fl_lines_bad(&base->lines, line);
	}
}

/* The row of formats.def ------------------------------------------------ */

static int open_graal(struct flame_source *source)
{
	struct reader *r = source->state;

	r->outline.self = true;
	return fl_line_reader_open(source);
}

static int read(struct flame_source *source)
{
	struct reader *r = source->state;
	int status = fl_outline_read_nodes(&r->outline, accept_line);

	if (status == FLAME_END && r->missed)
		fl_remark(source->flame, "%s: %" PRIu64 " samples were missed "
			  "while it was recorded", fl_in_name(source->in),
			  r->missed);
	if (status == FLAME_END)
		r->missed = 0;
	return status == FLAME_END ?
	       fl_lines_end(source, &r->outline.base.lines) : status;
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	return fl_dump_probe(head, n, whole, is_report, FL_FORMAT_CERTAIN);
}

const struct fl_format fl_format_graal = {
	.name = "graal-sampler",
	.summary = "what GraalVM's --cpusampler prints",
	.probe = probe,
	.state_size = sizeof(struct reader),
	.open = open_graal,
	.read = read,
	.release = fl_outline_free,
};
