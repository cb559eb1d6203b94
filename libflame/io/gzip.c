/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gzip, by zlib.
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
	if (code != Z_OK && code != Z_BUF_ERROR)
		return fl_frames_bad(&gzip->frames, z->msg ? z->msg :
						    zError(code));
	return FL_STEP_ON;
}

static void *begin(struct flame *flame, struct fl_in *under)
{
	struct gzip *gzip = calloc(1, sizeof(*gzip));

	(void)under;
	/* 16: a gzip header and nothing else. */
	if (!gzip || inflateInit2(&gzip->z, 15 + 16) != Z_OK) {
		free(gzip);
		fl_no_memory(flame);
		return NULL;
	}
	gzip->frames.decoder = &fl_decoder_gzip;
	gzip->frames.step = step;
	return gzip;
}

static void end(void *state)
{
	struct gzip *gzip = state;

	inflateEnd(&gzip->z);
	free(gzip);
}

const struct fl_decoder fl_decoder_gzip = {
	.name = "gzip", .bid = bid, .begin = begin, .read = fl_frames_read,
	.end = end,
};
