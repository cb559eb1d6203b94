/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collects JSON text in a buffer and writes it in pieces of 64 kB: strings,
 * names of frames, decimals.  For the writers of JSON (firefox.c, speedscope.c,
 * trace_event.c, tree_json.c).
 */
#include "fl.h"

#include "draw/draw.h"
#include "write/rows.h"

#include <inttypes.h>

enum { FLUSH_BYTES = 1 << 16 };

void fl_pieces_text(struct fl_pieces *p, const char *text)
{
	fl_buf_text(&p->buf, text);
	if (p->buf.size < FLUSH_BYTES || p->buf.failed)
		return;
	fl_out_put(p->out, p->buf.data, p->buf.size);
	p->buf.size = 0;
}

void fl_pieces_string(struct fl_pieces *p, const char *text)
{
	fl_spell_json(&p->buf, (struct slice){ text, strlen(text) });
}

void fl_pieces_name(struct fl_pieces *p, const struct flame *flame,
		    flame_id name, enum flame_type type)
{
	const char *suffix = fl_type_suffix(type);

	fl_spell_json(&p->buf, fl_name_at(flame, name));
	if (!*suffix || p->buf.failed)
		return;
	p->buf.size--;	/* the quote */
	fl_buf_text(&p->buf, suffix);
	fl_buf_byte(&p->buf, '"');
}

void fl_pieces_decimal(struct fl_pieces *p, int64_t value, int places)
{
	uint64_t n = value < 0 ? -(uint64_t)value : (uint64_t)value, unit = 1;
	uint64_t rest;

	for (int i = 0; i < places; i++)
		unit *= 10;
	rest = n % unit;
	fl_buf_print(&p->buf, "%s%" PRIu64, value < 0 ? "-" : "", n / unit);
	if (!rest)
		return;
	for (; rest % 10 == 0; places--)
		rest /= 10;
	fl_buf_print(&p->buf, ".%0*" PRIu64, places, rest);
}

int fl_pieces_finish(struct fl_pieces *p, struct flame *flame)
{
	bool failed = p->buf.failed;

	if (!failed && p->buf.size)
		fl_out_put(p->out, p->buf.data, p->buf.size);
	fl_buf_free(&p->buf);
	return failed ? fl_no_memory(flame) :
	       fl_failed(flame) ? FLAME_FAILED : FLAME_OK;
}
