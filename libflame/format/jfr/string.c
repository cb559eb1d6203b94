/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads strings of metadata and of values in their encodings
 * (fl_jfr_read_string, for meta.c and text.c): HotSpot's modified UTF-8, UTF-16
 * and Latin-1 come in, UTF-8 goes out.  fl_jfr_skip_string() passes over one.
 */
#include "fl.h"

#include "format/jfr/types.h"

static const struct slice null_text;

static uint32_t surrogate(const uint8_t *at)
{
	return (at[0] & 0x0fu) << 12 | (at[1] & 0x3fu) << 6 | (at[2] & 0x3fu);
}

static void put_modified(struct fl_buf *buf, const uint8_t *at, size_t n)
{
	size_t i = 0;

	while (i < n) {
		if (at[i] == 0xc0 && i + 1 < n && at[i + 1] == 0x80) {
			fl_buf_byte(buf, '\0');
			i += 2;
		} else if (at[i] == 0xed && i + 5 < n &&
			   (at[i + 1] & 0xf0) == 0xa0 && at[i + 3] == 0xed &&
			   (at[i + 4] & 0xf0) == 0xb0) {
			fl_utf8_put(buf, 0x10000 +
				    ((surrogate(at + i) & 0x3ff) << 10) +
				    (surrogate(at + i + 3) & 0x3ff));
			i += 6;
		} else {
			fl_buf_byte(buf, at[i++]);
		}
	}
}

static void put_utf16(struct fl_buf *buf, struct fl_wire *w, uint32_t n)
{
	uint32_t high = 0;

	while (n-- && !w->bad) {
		uint32_t c = w->compressed ? (uint16_t)fl_wire_varint(w) :
					     (uint16_t)fl_wire_fixed(w, 2);

		if (high && c >= 0xdc00 && c < 0xe000) {
			fl_utf8_put(buf, 0x10000 + ((high & 0x3ff) << 10) +
				    (c & 0x3ff));
			high = 0;
			continue;
		}
		if (high)
			fl_utf8_put(buf, 0xfffd);
		high = c >= 0xd800 && c < 0xdc00 ? c : 0;
		if (!high)
			fl_utf8_put(buf, c);
	}
	if (high)
		fl_utf8_put(buf, 0xfffd);
}

static struct slice copy_text(struct fl_jfr_chunk *chunk, struct fl_buf *buf)
{
	struct slice text = { "", buf->size };

	if (buf->size)
		text.data = fl_arena_copy(&chunk->arena, buf->data, buf->size);
	if (buf->failed || !text.data) {
		fl_no_memory(chunk->flame);
		text = (struct slice){ "", 0 };
	}
	fl_buf_free(buf);
	return text;
}

struct slice fl_jfr_read_string(struct fl_jfr_chunk *chunk, struct fl_wire *w,
				uint8_t kind)
{
	struct fl_buf buf = { 0 };
	uint32_t n;

	if (w->bad || kind == 0)
		return null_text;
	if (kind == 1)
		return (struct slice){ "", 0 };
	n = fl_wire_int(w);
	if (w->bad || n > (uint64_t)(w->end - w->at))
		return null_text;
	if (kind == 3 ? !fl_jfr_is_modified(w->at, n) :
			fl_wire_is_ascii(w, kind, n)) {
		w->at += n;
		return (struct slice){ (const char *)w->at - n, n };
	}
	switch (kind) {
	case 3:
		put_modified(&buf, w->at, n);
		w->at += n;
		return copy_text(chunk, &buf);
	case 4:
		put_utf16(&buf, w, n);
		return copy_text(chunk, &buf);
	case 5:
		for (uint32_t i = 0; i < n; i++)
			fl_utf8_put(&buf, *w->at++);
		return copy_text(chunk, &buf);
	}
	return null_text;
}

void fl_jfr_skip_string(struct fl_wire *w)
{
	uint8_t kind = fl_wire_fixed(w, 1);

	switch (kind) {
	case 0:
	case 1:
		return;
	case FL_JFR_STRING_KEY:
		fl_wire_long(w);
		return;
	case 3:
	case 5:
		fl_wire_skip(w, fl_wire_int(w));
		return;
	case 4:
		if (w->compressed)
			fl_wire_skip_varints(w, fl_wire_int(w));
		else
			fl_wire_skip(w, (uint64_t)fl_wire_int(w) * 2);
		return;
	}
	w->bad = true;
}
