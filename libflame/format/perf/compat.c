/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names frames as two other collapsers do, stackcollapse-perf.pl and
 * inferno-collapse-perf, for --compat: suffixes on request and as part of the
 * name, arguments cut off, "L" off Java's classes.  lines.c calls
 * fl_perf_compat_name() instead of fl_perf_name().
 */
#include "fl.h"

#include "format/perf/frame.h"

static bool contains(struct slice s, const char *text)
{
	for (; s.size; s.data++, s.size--)
		if (fl_slice_starts(s, text))
			return true;
	return false;
}

static bool matches_map(struct slice s)
{
	for (; s.size; s.data++, s.size--) {
		size_t i = sizeof("/tmp/perf-") - 1, n = 0;

		if (!fl_slice_starts(s, "/tmp/perf-"))
			continue;
		while (i + n < s.size && s.data[i + n] >= '0' &&
		       s.data[i + n] <= '9')
			n++;
		if (n && fl_slice_starts((struct slice){ s.data + i + n,
							 s.size - i - n },
					 ".map"))
			return true;
	}
	return false;
}

static bool is_kernel(bool perl, struct slice dso)
{
	if (perl)
		return (fl_slice_starts(dso, "[") ||
			fl_slice_ends(dso, "vmlinux")) &&
		       !contains(dso, "unknown");
	return (fl_slice_starts(dso, "[") || fl_slice_ends(dso, "vmlinux") ||
		fl_slice_ends(dso, ".ko") || contains(dso, "/vmlinux-")) &&
	       !fl_slice_is(dso, "[unknown]");
}

static bool is_jit(bool perl, struct slice dso)
{
	if (perl)
		return matches_map(dso);
	return (fl_slice_starts(dso, "/tmp/perf-") &&
		fl_slice_ends(dso, ".map")) ||
	       (contains(dso, "/jitted-") && fl_slice_ends(dso, ".so"));
}

/* A Go method, "net/http.(*Client).Do": one '(' after '.', ").". */
static bool is_go(struct slice s)
{
	size_t open = 0;

	while (open + 1 < s.size &&
	       !(s.data[open] == '.' && s.data[open + 1] == '('))
		open++;
	return open + 1 < s.size &&
	       contains((struct slice){ s.data + open + 2, s.size - open - 2 },
			").");
}

static bool is_anonymous(struct slice s, size_t at)
{
	return fl_slice_starts(fl_slice_from(s, at),
			       "(anonymous namespace)");
}

/* The offset of the first '(' that begins arguments; s.size: none. */
static size_t perl_end(struct slice s)
{
	if (is_go(s))
		return s.size;
	for (size_t i = 0; i < s.size; i++)
		if (s.data[i] == '(' && !is_anonymous(s, i))
			return i;
	return s.size;
}

/*
 * The same, skipping brackets of other kinds and the receiver of a Go method.
 */
static size_t inferno_end(struct slice s)
{
	long depth = 0;
	size_t after_dot = SIZE_MAX;

	for (size_t i = 0; i < s.size; i++)
		switch (s.data[i]) {
		case '<': case '{': case '[':
			depth++;
			break;
		case '>': case '}': case ']': case ')':
			depth--;
			break;
		case '(':
			if (!depth && after_dot != i && !is_anonymous(s, i))
				return i;
			depth++;
			break;
		case '.':
			after_dot = i + 1;
			break;
		}
	return s.size;
}

/* Names one function of a line, in buf. */
static void tidy(struct fl_perf_naming *naming, struct slice name,
		 struct slice ip, struct slice dso)
{
	bool perl = naming->options->peer == FL_PEER_PERL;
	bool addrs = naming->options->addrs;
	struct fl_buf *buf = &naming->buf;
	size_t n = 0, i = 0;
	struct slice s;

	buf->size = 0;
	if (!fl_slice_is(name, "[unknown]")) {
		fl_buf_put(buf, name.data, name.size);
	} else {
		for (i = dso.size; i && dso.data[i - 1] != '/'; i--)
			;
		fl_buf_byte(buf, '[');
		if (fl_slice_is(dso, "[unknown]"))
			fl_buf_text(buf, "unknown");
		else
			fl_buf_put(buf, dso.data + i, dso.size - i);
		if (addrs) {
			fl_buf_text(buf, " <");
			fl_buf_put(buf, ip.data, ip.size);
			fl_buf_byte(buf, '>');
		}
		fl_buf_byte(buf, ']');
	}
	if (!buf->data)
		return;
	for (i = 0; i < buf->size; i++)
		if (buf->data[i] == ';')
			buf->data[i] = ':';
	s = (struct slice){ buf->data, buf->size };
	buf->size = perl ? perl_end(s) : inferno_end(s);
	for (i = 0; perl && i < buf->size; i++)
		if (buf->data[i] != '"' && buf->data[i] != '\'')
			buf->data[n++] = buf->data[i];
	if (perl)
		buf->size = n;
	if (naming->java && buf->size && buf->data[0] == 'L' &&
	    memchr(buf->data, '/', buf->size))
		memmove(buf->data, buf->data + 1, --buf->size);
}

static void annotate(struct fl_perf_naming *naming, struct slice dso,
		     bool inlined)
{
	const struct fl_perf_options *options = naming->options;
	bool perl = options->peer == FL_PEER_PERL;
	struct fl_buf *buf = &naming->buf;
	struct slice s = { buf->data, buf->size };

	if (inlined) {
		if (!contains(s, "_[i]"))
			fl_buf_text(buf, "_[i]");
	} else if (options->kernel && is_kernel(perl, dso)) {
		fl_buf_text(buf, "_[k]");
	} else if (options->jit && is_jit(perl, dso) && !contains(s, "_[j]")) {
		fl_buf_text(buf, "_[j]");
	}
}

static size_t find_arrow(struct slice s)
{
	for (size_t i = 0; i + 1 < s.size; i++)
		if (s.data[i] == '-' && s.data[i + 1] == '>')
			return i;
	return s.size;
}

static void split(struct fl_perf_naming *naming, struct slice raw,
		  struct slice ip, struct slice dso,
		  struct fl_frame_list *list)
{
	struct flame *flame = naming->flame;
	size_t first = list->n;

	for (bool inlined = false;; inlined = true) {
		size_t n = find_arrow(raw);

		tidy(naming, (struct slice){ raw.data, n }, ip, dso);
		annotate(naming, dso, inlined);
		if (!fl_frame_list_add(flame, list,
				 fl_frame(flame, flame_name(flame,
					naming->buf.data, naming->buf.size),
					  FLAME_UNKNOWN)) || n == raw.size)
			break;
		raw.data += n + 2;
		raw.size -= n + 2;
	}
	for (size_t i = first, j = list->n; i + 1 < j; i++) {
		flame_id swap = list->at[i];

		list->at[i] = list->at[--j];
		list->at[j] = swap;
	}
}

/* Without "+0x1f" at its end. */
static struct slice no_offset(struct slice s)
{
	size_t i = s.size;

	while (i && memchr("0123456789abcdefABCDEF", s.data[i - 1], 22))
		i--;
	if (i >= 3 && i < s.size && memcmp(s.data + i - 3, "+0x", 3) == 0)
		s.size = i - 3;
	return s;
}

/* Between the ip and the last " (": a peer's idea of the two. */
static bool peer_parts(bool perl, struct slice line, struct slice *ip,
		       struct slice *raw, struct slice *dso)
{
	size_t open = line.size, n = 0, blanks = 0;

	while (open > 1 &&
	       !(line.data[open - 1] == '(' && line.data[open - 2] == ' '))
		open--;
	if (open <= 1)
		return false;
	*dso = fl_slice_from(line, open);
	while (dso->size && dso->data[dso->size - 1] != ')')
		dso->size--;
	if (dso->size)
		dso->size--;
	while (n < open && line.data[n] != ' ')
		n++;
	while (n + blanks < open - 2 && line.data[n + blanks] == ' ')
		blanks++;
	*ip = (struct slice){ line.data, n };
	*raw = (struct slice){ line.data + n + blanks,
			       open - 2 - n - FL_MIN(blanks, open - 2 - n) };
	if (raw->size)
		return true;
	/* No symbol: the blank before the bracket, or a digit of the ip. */
	*raw = FL_SLICE(" ");
	if (perl && !blanks)
		*raw = (struct slice){ line.data + n - 1, 1 };
	return true;
}

void fl_perf_compat_parts(const struct fl_perf_naming *naming,
			struct slice line, struct fl_perf_frame *frame)
{
	bool perl = naming->options->peer == FL_PEER_PERL;

	if (peer_parts(perl, line, &frame->ip, &frame->symbol, &frame->dso))
		frame->symbol = no_offset(frame->symbol);
}

void fl_perf_compat_name(struct fl_perf_naming *naming,
		       const struct fl_perf_frame *frame,
		       struct fl_frame_list *list)
{
	bool perl = naming->options->peer == FL_PEER_PERL;
	struct slice symbol = frame->symbol;
	struct fl_buf plain = { 0 };

	if (fl_slice_starts(symbol, "("))
		return;
	if (!perl) {
		fl_rust_name(&plain, symbol);
		symbol = (struct slice){ plain.data ? plain.data : "",
					 plain.size };
	}
	split(naming, symbol, frame->ip, frame->dso, list);
	if (plain.failed || naming->buf.failed)
		fl_no_memory(naming->flame);
	fl_buf_free(&plain);
}
