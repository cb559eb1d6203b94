/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads aggregations of stacks as dtrace(1) prints them: frames "mod`f+0x3"
 * leaf first, then their count, which is the weight of the sample.  A blank
 * line separates stack() from ustack(): the kernel's frames are on top of the
 * user's.  Other keys (comm, pid, tid) are printed before the frames, or before
 * the count.
 */
#include "fl.h"

#include "format/format.h"

#include <inttypes.h>
#include <stdlib.h>

enum { FRAME_INDENT = 12 };	/* a key has less, dtrace's frames 14 */

/* The options of this format; the rows are below. */
struct options {
	enum fl_compat_tool peer;
	bool offsets;	/* keep "+0x1f" */
};

struct reader {
	struct fl_line_reader base;
	size_t part;		/* of the trace: since the last empty line */
	bool began;		/* frames were met: no header any more */
	bool distribution;	/* of quantize(): until an empty line */
	uint64_t distributions, drops, no_stack;
	uint64_t peer_header;	/* lines of it so far, empty ones too */
	bool peer_data;
};

static const struct options *options_of(const struct reader *r)
{
	return r->base.options;
}

static bool has(struct slice s, char c)
{
	return s.size && memchr(s.data, c, s.size);
}

static bool is_address(struct slice s)
{
	size_t i = 2;

	while (i < s.size && memchr("0123456789abcdefABCDEF", s.data[i], 22))
		i++;
	return s.size > 2 && i == s.size && fl_slice_starts(s, "0x");
}

static bool is_frame(struct slice s)
{
	return has(s, '`') || is_address(s);
}

/* Names --------------------------------------------------------------- */

static bool is_kernel(struct slice module)
{
	return fl_slice_is(module, "unix") || fl_slice_is(module, "genunix") ||
	       fl_slice_is(module, "kernel") ||
	       fl_slice_is(module, "mach_kernel") ||
	       fl_slice_is(module, "vmlinux");
}

/* A name that is only an address in its module is "[module]". */
static void add_frame(struct reader *r, struct slice text)
{
	struct flame *flame = r->base.flame;
	struct flame_frame frame = { .type = FLAME_UNKNOWN };
	struct slice name = text, module = { "", 0 };

	if (has(text, '`')) {
		module = fl_slice_split(&name, '`');
		frame.type = FLAME_NATIVE;
	}
	if (!options_of(r)->offsets)
		name = fl_no_offset(name, false);
	if (module.size && is_address(name))
		name = fl_module_name(&r->base.buf, module);
	frame.name = flame_name(flame, name.data, name.size);
	frame.file = flame_name(flame, module.data, module.size);
	fl_trace_add(flame, &r->base.trace, &frame);
	r->began = true;
}

/* If one frame of a stack() is the kernel's, all are. */
static void end_part(struct reader *r)
{
	struct fl_trace *trace = &r->base.trace;

	for (size_t i = r->part; i < trace->count; i++)
		if (is_kernel(
			    fl_name_at(r->base.flame, trace->frames[i].file))) {
			fl_trace_is_kernel(trace, r->part, trace->count);
			break;
		}
	r->part = trace->count;
}

/*
 * Names as stackcollapse.pl and inferno-collapse-dtrace write them.  C++ is cut
 * at the last bracket after the first "::".
 */
static struct slice without_arguments(struct slice s)
{
	size_t scope = 0, i = s.size;

	while (scope + 1 < s.size &&
	       !(s.data[scope] == ':' && s.data[scope + 1] == ':'))
		scope++;
	while (i > scope + 2 && s.data[i - 1] != '(' && s.data[i - 1] != '<')
		i--;
	if (scope + 1 < s.size && i > scope + 2)
		s.size = i - 1;
	return s;
}

static struct slice last_offset(struct slice s)
{
	for (size_t i = s.size; i--;)
		if (s.data[i] == '+')
			return (struct slice){ s.data, i };
	return s;
}

/*
 * Demangles the part after the module and before the offset; the name may end
 * in a blank.
 */
static void undo_rust(struct reader *r, struct slice s)
{
	struct slice name;
	size_t module = 0;

	s = fl_slice_trim(s);
	if (has(s, '`'))
		module = (const char *)memchr(s.data, '`', s.size) + 1 - s.data;
	fl_buf_put(&r->base.buf, s.data, module);
	s.data += module;
	s.size -= module;
	name = options_of(r)->offsets ? last_offset(s) : s;
	fl_rust_name(&r->base.buf, name);
	fl_buf_put(&r->base.buf, name.data + name.size, s.size - name.size);
}

static size_t find_arrow(struct slice s)
{
	for (size_t i = 0; i + 1 < s.size; i++)
		if (s.data[i] == '-' && s.data[i + 1] == '>')
			return i;
	return s.size;
}

/* A frame of "a->b->c": c was inlined in b, and b in a. */
static void peer_part(struct reader *r, struct slice s, bool strip,
		      bool inlined)
{
	bool perl = options_of(r)->peer == FL_PEER_PERL;
	struct fl_buf *buf = &r->base.buf;
	struct flame_frame frame = { .type = FLAME_UNKNOWN };

	while (strip && s.size && s.data[0] == 'L') {
		s.data++;
		s.size--;
		if (perl)
			break;
	}
	buf->size = 0;
	if (perl)
		fl_buf_put(buf, s.data, s.size);
	else
		undo_rust(r, s);
	for (size_t i = 0; buf->data && i < buf->size; i++)
		if (buf->data[i] == ';')
			buf->data[i] = ':';
	if (inlined)
		fl_buf_text(buf, "_[i]");
	frame.name = flame_name(r->base.flame, buf->data ? buf->data : "",
				buf->size);
	fl_trace_add(r->base.flame, &r->base.trace, &frame);
}

static void peer_frame(struct reader *r, struct slice s)
{
	const struct options *options = options_of(r);
	bool perl = options->peer == FL_PEER_PERL, arrow;
	size_t first = r->base.trace.count;

	/* The leaf's offset is always removed. */
	if (!options->offsets || !first)
		s = last_offset(s);
	s = without_arguments(s);
	if (!s.size)
		s = FL_SLICE("-");
	arrow = find_arrow(s) < s.size;
	for (bool inlined = false;; inlined = true) {
		size_t n = find_arrow(s);

		peer_part(r, (struct slice){ s.data, n },
			  perl || arrow || options->offsets, inlined);
		if (n == s.size)
			break;
		s.data += n + 2;
		s.size -= n + 2;
	}
	for (size_t i = first, j = r->base.trace.count; i + 1 < j; i++) {
		struct flame_frame swap = r->base.trace.frames[i];

		r->base.trace.frames[i] = r->base.trace.frames[--j];
		r->base.trace.frames[j] = swap;
	}
}

/* Lines --------------------------------------------------------------- */

/* "  8  35077      :tick-60s": the probe that printed what follows. */
static bool is_probe(struct slice s)
{
	for (unsigned i = 0; i < 2; i++) {
		struct slice word = fl_slice_split(&s, ' ');

		if (!fl_slice_digits(word))
			return false;
		s = fl_slice_trim(s);
	}
	return has(s, ':') && !has(s, ' ') && !has(s, '`');
}

static bool is_column_header(struct slice s)
{
	return fl_slice_starts(s, "CPU") && fl_slice_ends(s, "FUNCTION:NAME");
}

/* "dtrace: 12 drops on CPU 0" */
static void take_message(struct reader *r, struct slice s)
{
	int64_t n;

	fl_slice_split(&s, ' ');
	if (!fl_parse_int(fl_slice_split(&s, ' '), &n) || n < 0)
		return;
	for (; s.size >= 5; s.data++, s.size--)
		if (fl_slice_starts(s, "drops")) {
			r->drops += n;
			return;
		}
}

static void forget(struct reader *r)
{
	r->base.trace.count = r->part = 0;
	memset(&r->base.keys, 0, sizeof(r->base.keys));
}

static void add_keys(struct reader *r, struct slice s)
{
	while (s.size) {
		fl_keys_add(r->base.flame, &r->base.keys,
			    fl_slice_split(&s, ' '));
		s = fl_slice_trim(s);
	}
}

/* "  nginx      12": a key before the count, two blanks between. */
static bool split_count(struct slice *s, struct slice *count)
{
	size_t i = s->size;

	while (i && s->data[i - 1] >= '0' && s->data[i - 1] <= '9')
		i--;
	*count = fl_slice_from(*s, i);
	if (i && (i == s->size || i < 2 || s->data[i - 1] != ' ' ||
		  s->data[i - 2] != ' ' || is_frame(*s)))
		return false;
	*s = fl_slice_trim((struct slice){ s->data, i });
	return count->size > 0;
}

static void end_stack(struct reader *r, struct slice line, struct slice count)
{
	struct flame *flame = r->base.flame;
	struct flame_sample sample = { .time = FLAME_NOTIME };

	if (!r->base.metric)
		r->base.metric = flame_metric(flame, "samples", "samples");
	sample.metric = r->base.metric;
	if (!fl_parse_int(count, &sample.weight)) {
		fl_lines_bad(&r->base.lines, line);
		forget(r);
		return;
	}
	end_part(r);
	sample.stack = fl_trace_stack(
		flame, fl_keys_stack(flame, &r->base.keys), &r->base.trace);
	sample.thread = fl_keys_thread(flame, &r->base.keys);
	if (!r->base.lines.ended && !options_of(r)->peer) {
		fl_warn(flame, "%s: line %" PRIu64 ": the last line has no "
			"end, its count %" PRId64 " may be cut",
			fl_in_name(r->base.source->in), r->base.lines.number,
			sample.weight);
		r->base.source->damage = 1;
	}
	forget(r);
	fl_metric_count(flame, r->base.metric, 1, sample.weight);
	if (!sample.stack) {
		flame->metrics[r->base.metric].no_stack++;
		r->no_stack++;
		return;
	}
	r->base.lines.good++;
	fl_batch_add(r->base.source, &sample);
}

/* Lines that belong to no stack; true: it was one. */
static bool is_non_sample(struct reader *r, struct slice line, struct slice s)
{
	bool indented = line.data[0] == ' ' || line.data[0] == '\t';

	if (fl_slice_starts(line, "dtrace: ")) {
		take_message(r, s);
		return true;
	}
	if (is_column_header(s) || is_probe(s))
		return true;
	if (fl_slice_starts(s, "value  ---")) {
		r->distribution = true;
		r->distributions++;
		forget(r);
		return true;
	}
	if (r->distribution)
		return true;
	if (indented || is_frame(s) || fl_slice_digits(s))
		return false;
	if (r->began)
		fl_lines_bad(&r->base.lines, line);
	return true;
}

static void read_line(struct reader *r, struct slice line)
{
	struct slice s = fl_slice_trim(line), count;

	if (!s.size) {
		r->distribution = false;
		end_part(r);
		return;
	}
	if (is_non_sample(r, line, s))
		return;
	if (split_count(&s, &count)) {
		add_keys(r, s);
		end_stack(r, line, count);
	} else if (!r->base.trace.count && !is_frame(s) &&
		   (size_t)(s.data - line.data) < FRAME_INDENT) {
		add_keys(r, s);
	} else {
		add_frame(r, s);
	}
}

/* The one skips three lines, the other up to the first that is empty. */
static void peer_line(struct reader *r, struct slice line)
{
	bool perl = options_of(r)->peer == FL_PEER_PERL;
	struct slice s = fl_slice_trim(line);

	if (!r->peer_data) {
		r->peer_header++;
		r->peer_data = perl ? r->peer_header == 3 : !s.size;
	} else if (fl_slice_digits(s)) {
		end_stack(r, line, s);
	} else if (s.size) {
		peer_frame(r, s);
	}
}

static int at_end(struct reader *r)
{
	struct flame *flame = r->base.flame;
	const char *name = fl_in_name(r->base.source->in);
	int status;

	if (r->distributions)
		fl_remark(flame, "%s: %" PRIu64 " distributions left out: "
			  "not counts of stacks", name, r->distributions);
	if (r->no_stack)
		fl_remark(flame, "%s: %" PRIu64 " counts without a stack "
			  "left out", name, r->no_stack);
	if (r->drops)
		fl_warn(flame, "%s: dtrace dropped %" PRIu64 " records",
			name, r->drops);
	r->base.lines.reported = r->base.trace.count > 0;
	status = fl_lines_end(r->base.source, &r->base.lines);
	if (r->base.trace.count) {
		fl_warn(flame, "%s: line %" PRIu64 ": the input ends within "
			"a stack: its %zu frames without a count are left "
			"out", name, r->base.lines.number, r->base.trace.count);
		fl_line_reader_damage(&r->base);
	}
	return status;
}

/* The row ------------------------------------------------------------- */

static void accept_line(struct fl_line_reader *base, struct slice line)
{
	struct reader *r = (struct reader *)base;

	if (options_of(r)->peer)
		peer_line(r, line);
	else
		read_line(r, line);
}

static int read(struct flame_source *source)
{
	struct reader *r = source->state;
	int status = fl_line_reader_read(&r->base, accept_line);

	return status == FLAME_END ? at_end(r) : status;
}

/*
 * The header of columns, or indented frames and below them a number alone.
 * No other format of ours has both.
 */
/* "unix`a;genunix`b 3", "unix`idle 500": with its count in the same line. */
static bool has_count(struct slice s)
{
	size_t n = s.size;

	while (n && s.data[n - 1] >= '0' && s.data[n - 1] <= '9')
		n--;
	return n && n < s.size &&
	       (s.data[n - 1] == ' ' || s.data[n - 1] == '\t');
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	struct slice rest = { (const char *)head, n };
	unsigned frames = 0, ticks = 0, other = 0;

	if (n && memchr(head, '\0', n))
		return 0;
	while (rest.size && other < 8) {
		bool ended = has(rest, '\n');
		struct slice s = fl_slice_trim(fl_slice_split(&rest, '\n'));

		if (!ended && !whole)
			break;
		if (is_column_header(s))
			return 24;
		if (has_count(s) && has(s, ';'))
			return 0;
		if (is_frame(s)) {
			ticks += has(s, '`') && !has_count(s);
			frames++;
		} else if (fl_slice_digits(s) && frames) {
			return ticks ? 16 : 8;
		} else if (s.size) {
			other++;
		}
	}
	if (other >= 8)
		return 0;
	if (frames)
		return whole && ticks ? 6 : whole ? 0 : -1;
	return whole || n >= 1 << 16 ? 0 : -1;
}

#define AT(member) .offset = offsetof(struct options, member)

static const struct fl_option rows[] = {
	FL_OPTION_ROW_PEER(struct options),
	{ "includeoffset", NULL, "dtrace: keep offsets in functions",
	  FL_OPTION_FLAG, AT(offsets), FL_SCOPE_DETAIL },
	{ .name = NULL }
};

static const struct fl_option_table option_table = {
	.rows = rows, .size = sizeof(struct options),
};

const struct fl_format fl_format_dtrace = {
	.name = "dtrace",
	.summary = "stacks and their counts, as dtrace(1) prints them",
	.probe = probe,
	.state_size = sizeof(struct reader),
	.open = fl_line_reader_open,
	.read = read,
	.release = fl_line_reader_free,
	.options = &option_table,
};
