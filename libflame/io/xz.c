/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xz, by liblzma.
 */
#include "fl.h"

#include "io/decoders.h"

#include <lzma.h>
#include <stdlib.h>

/* xz -9 wants 65 MB. */
#define MEMORY_LIMIT (1u << 30)

struct xz {
	struct fl_frames frames;
	lzma_stream lzma;
};

static unsigned bid(const uint8_t *head, size_t n)
{
	return n >= 6 && memcmp(head, "\xfd" "7zXZ\0", 6) == 0 ? 48 : 0;
}

static const char *why(lzma_ret code)
{
	switch (code) {
	case LZMA_MEMLIMIT_ERROR:
		return "more than 1 GB of memory wanted";
	case LZMA_MEM_ERROR:
		return "out of memory";
	case LZMA_OPTIONS_ERROR:
		return "options that are not known";
	case LZMA_FORMAT_ERROR:
		return "not xz";
	default:
		return "bad data";
	}
}

static lzma_ret restart(struct xz *xz)
{
	return lzma_stream_decoder(&xz->lzma, MEMORY_LIMIT, 0);
}

static enum fl_stepped step(void *state, struct fl_step *s)
{
	struct xz *xz = state;
	lzma_ret code;

	xz->lzma.next_in = s->in;
	xz->lzma.avail_in = s->nin;
	xz->lzma.next_out = s->out;
	xz->lzma.avail_out = s->nout;
	code = lzma_code(&xz->lzma, LZMA_RUN);
	s->in = xz->lzma.next_in;
	s->nin = xz->lzma.avail_in;
	s->out = xz->lzma.next_out;
	s->nout = xz->lzma.avail_out;
	if (code == LZMA_STREAM_END) {
		code = restart(xz);
		if (code == LZMA_OK)
			return FL_STEP_END;
	}
	if (code != LZMA_OK && code != LZMA_BUF_ERROR)
		return fl_frames_bad(&xz->frames, why(code));
	return FL_STEP_ON;
}

static void *begin(struct flame *flame, struct fl_in *under)
{
	struct xz *xz = calloc(1, sizeof(*xz));

	(void)under;
	/* calloc's zeros are LZMA_STREAM_INIT. */
	if (!xz || restart(xz) != LZMA_OK) {
		free(xz);
		fl_no_memory(flame);
		return NULL;
	}
	xz->frames.decoder = &fl_decoder_xz;
	xz->frames.step = step;
	return xz;
}

static void end(void *state)
{
	struct xz *xz = state;

	lzma_end(&xz->lzma);
	free(xz);
}

const struct fl_decoder fl_decoder_xz = {
	.name = "xz", .bid = bid, .begin = begin, .read = fl_frames_read,
	.end = end,
};
