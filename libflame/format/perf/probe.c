/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The probe of the format perf: fl_perf_probe() decides whether a text is perf
 * script's.  It looks for a line with a time and an event, and a frame below
 * it.
 */
#include "fl.h"

#include "format/perf/reader.h"

/* "\t%16lx ": as perf writes a frame's address, and hardly anybody else. */
static bool is_aligned_frame(struct slice line)
{
	struct fl_perf_frame frame;

	return line.size > 18 && line.data[0] == '\t' && line.data[17] == ' ' &&
	       line.data[16] != ' ' && fl_perf_frame(line, &frame) &&
	       frame.ip.size && line.data + 17 == frame.ip.data + frame.ip.size;
}

/* "30712 ": ids alone, as -F pid,ip,sym has them. */
static bool is_bare(struct slice line)
{
	struct fl_perf_header h;

	return line.data[0] != '\t' && line.size <= 64 &&
	       fl_perf_bare_header(line, NULL, &h) &&
	       (h.tid >= 0 || h.cpu >= 0);
}

static bool is_tab_frame(struct slice line)
{
	struct fl_perf_frame frame;

	return line.data[0] == '\t' && fl_perf_frame(line, &frame) &&
	       frame.ip.size;
}

/* A frame below the columns; other: lines before that are something else. */
static int bits_of_frame(int bits, int other)
{
	return bits == 24 && !other ? FL_FORMAT_CERTAIN :
				      FL_MAX(bits + 8 - other, 1);
}

/*
 * A time and an event are 24 bits, a frame below that 8 more, and certain
 * where the text begins so.  Lines before it that are something else cost as
 * much as they are odd.
 */
int fl_perf_probe(const uint8_t *head, size_t n, bool whole)
{
	const char *at = (const char *)head, *end = at + n;
	struct fl_perf_header h;
	struct fl_perf_frame frame;
	int bits = 0, other = 0;
	bool bare = false;

	while (at < end && other < 16) {
		const char *lf = memchr(at, '\n', end - at);
		struct slice line = { at, (lf ? lf : end) - at };

		if (memchr(line.data, '\0', line.size) || (!lf && !whole))
			break;
		at = lf ? lf + 1 : end;
		if (line.size &&
		    (line.data[0] == '#' || fl_perf_is_message(line)))
			continue;
		if (fl_perf_is_empty(line)) {
			if (bits)
				break;
			continue;
		}
		if (bits)
			return fl_perf_frame(line, &frame) && frame.ip.size ?
			       bits_of_frame(bits, other) : bits >= 16 ?
			       FL_MAX(bits - other, 1) : 0;
		if (line.data[0] != '\t' && fl_perf_header(line, NULL, &h)) {
			if (h.non_sample)
				continue;
			bits = h.time != FLAME_NOTIME && h.event.size ? 24 :
			       h.time != FLAME_NOTIME ? 16 : 10;
		} else if (bare && is_tab_frame(line)) {
			return FL_MAX(20 - other, 1);
		} else if (is_aligned_frame(line)) {
			return FL_MAX(12 - other, 1);
		} else if (!bare && is_bare(line)) {
			bare = true;
		} else {
			other++;
		}
	}
	if (bits)
		return bits >= 16 || whole ? FL_MAX(bits - other, 1) : -1;
	return whole || n >= 1 << 20 || other >= 16 ? 0 : -1;
}
