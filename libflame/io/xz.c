/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decoders of xz and of the format of lzma(1) before it, by liblzma: packed
 * bytes of an input in, unpacked bytes out.  Two rows of decoders.c, which
 * layer.c reads by.
 */
#include "fl.h"

#include "base/late.h"
#include "io/decoders.h"

#include <lzma.h>
#include <stdlib.h>

#define LIBLZMA(f) \
	f(lzma_alone_decoder) f(lzma_code) f(lzma_end) f(lzma_memusage) \
	f(lzma_stream_decoder)

FL_LATE_STRUCT(liblzma, LIBLZMA);
static FL_LATE(liblzma, LIBLZMA, LIBLZMA_FILE, "xz", "unpacks xz and lzma");

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

/* What may be asked for; xz needs some for its own. */
static uint64_t memory_limit(void)
{
	return FL_MAX(FL_MIN((uint64_t)fl_memory_left(), MEMORY_LIMIT),
		      (uint64_t)1);
}

/* Whether it was our limit that was reached, not the format's sense. */
static bool is_out_of_memory(lzma_ret code, struct xz *xz)
{
	uint64_t wanted = liblzma.lzma_memusage(&xz->lzma);

	if (code == LZMA_MEM_ERROR)
		return true;
	return code == LZMA_MEMLIMIT_ERROR && wanted <= MEMORY_LIMIT &&
	       !fl_memory_fits(wanted);
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
		return "a header that is none";
	default:
		return "bad data";
	}
}

static lzma_ret restart(struct xz *xz)
{
	if (xz->frames.decoder == &fl_decoder_lzma)
		return liblzma.lzma_alone_decoder(&xz->lzma, memory_limit());
	return liblzma.lzma_stream_decoder(&xz->lzma, memory_limit(), 0);
}

static enum fl_stepped step(void *state, struct fl_step *s)
{
	struct xz *xz = state;
	lzma_ret code;

	xz->lzma.next_in = s->in;
	xz->lzma.avail_in = s->nin;
	xz->lzma.next_out = s->out;
	xz->lzma.avail_out = s->nout;
	code = liblzma.lzma_code(&xz->lzma, LZMA_RUN);
	s->in = xz->lzma.next_in;
	s->nin = xz->lzma.avail_in;
	s->out = xz->lzma.next_out;
	s->nout = xz->lzma.avail_out;
	if (is_out_of_memory(code, xz) ||
	    !fl_frames_charge(&xz->frames, liblzma.lzma_memusage(&xz->lzma)))
		return FL_STEP_NO_MEMORY;
	if (code == LZMA_STREAM_END) {
		code = restart(xz);
		if (code == LZMA_OK)
			return FL_STEP_END;
	}
	if (code != LZMA_OK && code != LZMA_BUF_ERROR)
		return fl_frames_bad(&xz->frames, why(code));
	return FL_STEP_ON;
}

static void *start(struct flame *flame, const struct fl_decoder *decoder)
{
	struct xz *xz = fl_zeroed(1, sizeof(*xz));

	if (!xz) {
		fl_no_memory(flame);
		return NULL;
	}
	xz->frames.decoder = decoder;
	xz->frames.step = step;
	/* calloc's zeros are LZMA_STREAM_INIT. */
	if (restart(xz) != LZMA_OK) {
		fl_free(xz);
		fl_no_memory(flame);
		return NULL;
	}
	return xz;
}

static void *begin(struct flame *flame, struct fl_in *under)
{
	(void)under;
	return start(flame, &fl_decoder_xz);
}

static void end(void *state)
{
	struct xz *xz = state;

	liblzma.lzma_end(&xz->lzma);
	fl_frames_charge(&xz->frames, 0);
	fl_free(xz);
}

const struct fl_decoder fl_decoder_xz = {
	.name = "xz", .late = &liblzma_late, .bid = bid, .begin = begin,
	.read = fl_frames_read, .end = end,
};

/* lzma ---------------------------------------------------------------- */

enum { LZMA_HEAD = 13 };

static uint64_t le64(const uint8_t *at)
{
	return fl_le32(at) | (uint64_t)fl_le32(at + 4) << 32;
}

/*
 * There is no magic: the properties that all use, a dictionary of 2^n or
 * 2^n + 2^(n-1) bytes, a size that can be or none, and the zero that the
 * data begin with.
 */
static unsigned lzma_bid(const uint8_t *head, size_t n)
{
	uint32_t dictionary, low;
	uint64_t size;

	if (n <= LZMA_HEAD || head[0] != 0x5d || head[LZMA_HEAD])
		return 0;
	dictionary = fl_le32(head + 1);
	low = dictionary & -dictionary;
	if (dictionary < 4096 ||
	    (dictionary != low && dictionary != (low | low << 1)))
		return 0;
	size = le64(head + 5);
	return size == UINT64_MAX || size < UINT64_C(1) << 40 ? 60 : 0;
}

static void *lzma_begin(struct flame *flame, struct fl_in *under)
{
	(void)under;
	return start(flame, &fl_decoder_lzma);
}

const struct fl_decoder fl_decoder_lzma = {
	.name = "lzma", .late = &liblzma_late, .bid = lzma_bid,
	.begin = lzma_begin, .read = fl_frames_read, .end = end,
};
