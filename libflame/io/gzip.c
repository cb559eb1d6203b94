/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decoders of gzip and of the zlib format (Hadoop's .deflate), by zlib:
 * packed bytes of an input in, unpacked bytes out.  Two rows of decoders.c,
 * which layer.c reads by.
 */
#include "fl.h"

#include "io/decoders.h"

#include <stdlib.h>
#include <zlib.h>

struct gzip {
	struct fl_frames frames;
	z_stream z;
};

/* Magic, deflate, and the three flags that must be zero. */
static unsigned bid(const uint8_t *head, size_t n)
{
	return n >= 4 && head[0] == 0x1f && head[1] == 0x8b && head[2] == 8 &&
	       !(head[3] & 0xe0) ? 27 : 0;
}

static enum fl_stepped step(void *state, struct fl_step *s)
{
	struct gzip *gzip = state;
	z_stream *z = &gzip->z;
	uInt nin = (uInt)FL_MIN(s->nin, 1u << 30);
	uInt nout = (uInt)FL_MIN(s->nout, 1u << 30);
	int code;

	z->next_in = (Bytef *)s->in;
	z->avail_in = nin;
	z->next_out = s->out;
	z->avail_out = nout;
	code = inflate(z, Z_NO_FLUSH);
	s->nin -= nin - z->avail_in;
	s->nout -= nout - z->avail_out;
	s->in = z->next_in;
	s->out = z->next_out;
	if (code == Z_STREAM_END) {
		inflateReset(z);
		return FL_STEP_END;
	}
	if (code == Z_MEM_ERROR)
		return FL_STEP_NO_MEMORY;
	if (code != Z_OK && code != Z_BUF_ERROR)
		return fl_frames_bad(&gzip->frames, z->msg ? z->msg :
						    zError(code));
	return FL_STEP_ON;
}

/* bits: of the window, and 16 for a gzip header and nothing else. */
static void *start(struct flame *flame, const struct fl_decoder *decoder,
		   int bits)
{
	struct gzip *gzip = fl_zeroed(1, sizeof(*gzip));

	if (!gzip || inflateInit2(&gzip->z, bits) != Z_OK) {
		fl_free(gzip);
		fl_no_memory(flame);
		return NULL;
	}
	gzip->frames.decoder = decoder;
	gzip->frames.step = step;
	return gzip;
}

static void *begin(struct flame *flame, struct fl_in *under)
{
	(void)under;
	return start(flame, &fl_decoder_gzip, 15 + 16);
}

static void end(void *state)
{
	struct gzip *gzip = state;

	inflateEnd(&gzip->z);
	fl_free(gzip);
}

const struct fl_decoder fl_decoder_gzip = {
	.name = "gzip", .bid = bid, .begin = begin, .read = fl_frames_read,
	.end = end,
};

/* zlib ---------------------------------------------------------------- */

/* Whether so much of it can be inflated. */
static bool inflates(const uint8_t *head, size_t n)
{
	z_stream z = { .next_in = (Bytef *)head, .avail_in = (uInt)n };
	uint8_t out[4096];
	int code = inflateInit2(&z, 15);

	if (code == Z_MEM_ERROR)
		fl_memory_failed();
	if (code != Z_OK)
		return false;
	do {
		z.next_out = out;
		z.avail_out = sizeof(out);
		code = inflate(&z, Z_NO_FLUSH);
	} while (code == Z_OK && !z.avail_out);
	inflateEnd(&z);
	if (code == Z_MEM_ERROR)
		fl_memory_failed();
	return code == Z_OK || code == Z_BUF_ERROR || code == Z_STREAM_END;
}

/* The last character may be cut. */
static bool is_utf8(const uint8_t *at, size_t n)
{
	unsigned size;

	for (size_t i = 0; i < n; i += size) {
		size = fl_utf8_length((const char *)at + i, n - i);
		if (!size)
			return n - i < 4;
	}
	return true;
}

/*
 * A header of two bytes, with a check of five bits in it, is not enough:
 * "x^" is one.  So what follows must not be text, and be data.
 */
static unsigned zlib_bid(const uint8_t *head, size_t n)
{
	if (n < 8 || head[0] != 0x78 || (head[0] << 8 | head[1]) % 31 ||
	    head[1] & 0x20)
		return 0;
	if (fl_is_text(head + 2, n - 2) && is_utf8(head + 2, n - 2))
		return 0;
	return inflates(head, n) ? 16 : 0;
}

static void *zlib_begin(struct flame *flame, struct fl_in *under)
{
	(void)under;
	return start(flame, &fl_decoder_zlib, 15);
}

const struct fl_decoder fl_decoder_zlib = {
	.name = "zlib", .bid = zlib_bid, .begin = zlib_begin,
	.read = fl_frames_read, .end = end,
};
