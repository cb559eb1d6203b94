/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Splits a frame line of perf script into its parts, "ip symbol+0xoff (dso)"
 * (fl_perf_frame), and makes frames of them, whose names lose their offset
 * (fl_perf_name, by native/frame.c).  lines.c calls both for a new line.
 */
#include "fl.h"

#include "format/perf/frame.h"

static bool is_ip(struct slice word)
{
	if (fl_slice_starts(word, "0x")) {
		word.data += 2;
		word.size -= 2;
	}
	if (!word.size || word.size > 16)
		return false;
	for (size_t i = 0; i < word.size; i++)
		if (!fl_is_hex(word.data[i]))
			return false;
	return true;
}

/* Without "+0x1f" at its end. */
static struct slice no_offset(struct slice s)
{
	size_t i = s.size;

	while (i && fl_is_hex(s.data[i - 1]))
		i--;
	if (i >= 3 && i < s.size && memcmp(s.data + i - 3, "+0x", 3) == 0)
		s.size = i - 3;
	return s;
}

/* The offset of the '(' that matches the ')' at the end; s.size: none. */
static size_t opening(struct slice s)
{
	size_t depth = 0;

	for (size_t i = s.size; i--;)
		if (s.data[i] == ')')
			depth++;
		else if (s.data[i] == '(' && --depth == 0)
			return i;
	return s.size;
}

/* " (dso)" at the end: nested brackets are the dso's, " (deleted)" too. */
static bool split_dso(struct slice *s, struct slice *dso)
{
	size_t open;

	if (!fl_slice_ends(*s, ")"))
		return false;
	open = opening(*s);
	/* Not the brackets of "f(std::function<void (int)>)". */
	if (open == s->size || (open && s->data[open - 1] != ' '))
		for (open = s->size - 1; open; open--)
			if (s->data[open] == '(' && s->data[open - 1] == ' ' &&
			    memchr("/[", s->data[open + 1], 2))
				break;
	if (s->data[open] != '(' || (!open && s->size < 3))
		return false;
	*dso = (struct slice){ s->data + open + 1, s->size - open - 2 };
	s->size = open;
	return true;
}

bool fl_perf_frame(struct slice line, struct fl_perf_frame *frame)
{
	struct slice s = fl_slice_trim(line);
	const char *blank = memchr(s.data, ' ', s.size);
	size_t n = blank ? (size_t)(blank - s.data) : s.size;
	bool has_ip = is_ip((struct slice){ s.data, n }), has_dso;

	memset(frame, 0, sizeof(*frame));
	frame->ip.data = frame->dso.data = "";
	if (has_ip) {
		frame->ip = (struct slice){ s.data, n };
		s = fl_slice_from(s, n);
	}
	if (fl_slice_ends(s, " (inlined)")) {
		frame->inlined = true;
		s.size -= sizeof(" (inlined)") - 1;
	}
	has_dso = !frame->inlined && split_dso(&s, &frame->dso);
	frame->raw = s;
	frame->symbol = no_offset(fl_slice_trim(s));
	/* -F sym, or sym and dso: no ip, and nothing that could be prose. */
	if (!has_ip && !has_dso && !frame->inlined &&
	    (blank || !frame->symbol.size || s.data[n - 1] == ':' ||
	     memchr(s.data, '/', s.size) || frame->symbol.size == s.size))
		return false;
	frame->dso = no_offset(frame->dso);
	if (fl_slice_ends(frame->dso, " (deleted)"))
		frame->dso.size -= sizeof(" (deleted)") - 1;
	frame->dso = no_offset(frame->dso);
	return true;
}

/* Names --------------------------------------------------------------- */

void fl_perf_name(struct fl_perf_naming *naming,
		  const struct fl_perf_frame *frame,
		  struct fl_frame_list *list)
{
	const struct fl_native_frame native = {
		.ip = frame->ip, .symbol = frame->symbol, .dso = frame->dso,
		.inlined = frame->inlined, .address = naming->options->addrs,
	};

	fl_native_frame(naming->flame, &naming->buf, &native, list);
}
