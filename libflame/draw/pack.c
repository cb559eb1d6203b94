/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a page's script is given: columns of bytes, numbers as LEB128, texts
 * as size and bytes, all of it deflated and written as base64.  A page's
 * samples come at its end:
 *
 *	ns of a tick; ns since 1970 of the first sample; facets, sets, samples
 *	of each facet: its name, values, then all of these, sorted: bytes
 *	shared with the one before, rest; for each set its value from 1, or 0
 *	samples of each set
 *	of each sample, by set and time, column by column: ticks since the one
 *	before, from 1 (where a tick is 0: not there); node; weight
 */
#include "draw/draw.h"

#include <stdlib.h>
#include <zlib.h>

/* As small as level 5 without a strategy, in two thirds of its time. */
enum { LEVEL = 4 };

/* Columns in, base64 out. */
struct fl_packer {
	struct fl_out *out;
	z_stream z;
	bool failed;
	size_t n, carried;
	uint8_t in[16 << 10];
	uint8_t deflated[3 * (8 << 10)];	/* after what is carried */
	char text[4 * (8 << 10)];
};

static size_t base64(const uint8_t *from, size_t n, char *to)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"abcdefghijklmnopqrstuvwxyz0123456789+/";
	char *start = to;

	for (size_t i = 0; i < n; i += 3) {
		uint32_t v = from[i] << 16;

		if (i + 1 < n)
			v |= from[i + 1] << 8;
		if (i + 2 < n)
			v |= from[i + 2];
		*to++ = digits[v >> 18];
		*to++ = digits[v >> 12 & 63];
		*to++ = i + 1 < n ? digits[v >> 6 & 63] : '=';
		*to++ = i + 2 < n ? digits[v & 63] : '=';
	}
	return to - start;
}

static void flush(struct fl_packer *p, bool last)
{
	int status;

	p->z.next_in = p->in;
	p->z.avail_in = p->n;
	p->n = 0;
	do {
		size_t have, whole;

		p->z.next_out = p->deflated + p->carried;
		p->z.avail_out = sizeof(p->deflated) - p->carried;
		status = deflate(&p->z, last ? Z_FINISH : Z_NO_FLUSH);
		p->failed = p->failed || status == Z_STREAM_ERROR;
		have = sizeof(p->deflated) - p->z.avail_out;
		whole = last && status == Z_STREAM_END ? have : have / 3 * 3;
		fl_out_put(p->out, p->text,
			   base64(p->deflated, whole, p->text));
		p->carried = have - whole;
		memmove(p->deflated, p->deflated + whole, p->carried);
	} while (!p->failed && (last ? status != Z_STREAM_END :
				       p->z.avail_in || !p->z.avail_out));
}

void fl_pack(struct fl_packer *p, const void *at, size_t size)
{
	const uint8_t *from = at;

	while (size) {
		size_t n = FL_MIN(size, sizeof(p->in) - p->n);

		memcpy(p->in + p->n, from, n);
		p->n += n;
		from += n;
		size -= n;
		if (p->n == sizeof(p->in))
			flush(p, false);
	}
}

void fl_pack_number(struct fl_packer *p, uint64_t n)
{
	if (p->n + 10 > sizeof(p->in))
		flush(p, false);
	while (n > 127) {
		p->in[p->n++] = n | 128;
		n >>= 7;
	}
	p->in[p->n++] = n;
}

void fl_pack_text(struct fl_packer *p, const char *text)
{
	size_t size = text ? strlen(text) : 0;

	fl_pack_number(p, size);
	fl_pack(p, text, size);
}

/* Text after another that it shares a beginning with, which it becomes. */
void fl_pack_after(struct fl_packer *p, struct slice *last, struct slice text)
{
	size_t least = FL_MIN(last->size, text.size), same = 0;

	while (same < least && last->at[same] == text.at[same])
		same++;
	fl_pack_number(p, same);
	fl_pack_number(p, text.size - same);
	fl_pack(p, text.at + same, text.size - same);
	*last = text;
}

struct fl_packer *fl_packer_open(struct fl_out *out)
{
	struct fl_packer *p = fl_zeroed(1, sizeof(*p));

	if (!p)
		return NULL;
	p->out = out;
	if (deflateInit2(&p->z, LEVEL, Z_DEFLATED, -15, 9,
			 Z_FILTERED) == Z_OK)
		return p;
	fl_free(p);
	return NULL;
}

bool fl_packer_close(struct fl_packer *p)
{
	bool good;

	flush(p, true);
	good = !p->failed;
	deflateEnd(&p->z);
	fl_free(p);
	return good;
}

/* Samples ----------------------------------------------------------------- */

static void pack_facet(struct fl_packer *p, const struct fl_facet *facet,
		       size_t nsets, const struct flame *flame)
{
	struct slice last = fl_name_at(flame, facet->name);

	fl_pack_text(p, last.at);
	fl_pack_number(p, facet->n);
	last.size = 0;
	for (size_t i = 0; i < facet->n; i++)
		fl_pack_after(p, &last, facet->values[i].text);
	for (size_t i = 0; i < nsets; i++)
		fl_pack_number(p, facet->of_set[i]);
}

static void pack_times(struct fl_packer *p, const struct fl_moments *m)
{
	for (size_t i = 0; i < m->n; i++) {
		bool on = i && m->at[i].set == m->at[i - 1].set;

		fl_pack_number(p, (uint64_t)m->at[i].time -
			       (on ? (uint64_t)m->at[i - 1].time : 0));
	}
}

void fl_pack_moments(struct fl_packer *p, const struct fl_moments *m,
		     const struct flame *flame)
{
	size_t i = 0;

	fl_pack_number(p, (uint64_t)m->tick);
	fl_pack_number(p, (uint64_t)m->start);
	fl_pack_number(p, m->nfacets);
	fl_pack_number(p, m->nsets);
	fl_pack_number(p, m->n);
	for (size_t k = 0; k < m->nfacets; k++)
		pack_facet(p, &m->facets[k], m->nsets, flame);
	for (size_t set = 0; set < m->nsets; set++) {
		size_t from = i;

		while (i < m->n && m->at[i].set == set)
			i++;
		fl_pack_number(p, i - from);
	}
	if (m->tick)
		pack_times(p, m);
	for (i = 0; i < m->n; i++)
		fl_pack_number(p, m->at[i].stack);
	for (i = 0; i < m->n; i++)
		fl_pack_number(p, (uint64_t)m->at[i].weight);
}
