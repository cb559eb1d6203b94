/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decoder of bzip2, by libbz2: packed bytes of an input in, unpacked bytes
 * out.  A row of decoders.c, which layer.c reads by.
 */
#include "fl.h"

#include "base/late.h"
#include "io/decoders.h"

#include <bzlib.h>
#include <limits.h>
#include <stdlib.h>

#define LIBBZ2(f) \
	f(BZ2_bzDecompress) f(BZ2_bzDecompressEnd) f(BZ2_bzDecompressInit)

FL_LATE_STRUCT(libbz2, LIBBZ2);
static FL_LATE(libbz2, LIBBZ2, LIBBZ2_FILE, "bzip2", "unpacks bzip2");

struct bzip2 {
	struct fl_frames frames;
	bz_stream bz;
	bool open;
};

/* Three letters are few: a digit and pi follow, or the end's sqrt(pi). */
static unsigned bid(const uint8_t *head, size_t n)
{
	if (n < 10 || memcmp(head, "BZh", 3) != 0)
		return 0;
	return memcmp(head + 4, "1AY&SY", 6) == 0 ||
	       memcmp(head + 4, "\x17rE8P\x90", 6) == 0 ? 72 : 0;
}

static enum fl_stepped step(void *state, struct fl_step *s)
{
	struct bzip2 *bzip2 = state;
	bz_stream *bz = &bzip2->bz;
	int code;

	if (!bzip2->open) {
		memset(bz, 0, sizeof(*bz));
		if (libbz2.BZ2_bzDecompressInit(bz, 0, 0) != BZ_OK)
			return FL_STEP_NO_MEMORY;
		bzip2->open = true;
	}
	bz->next_in = (char *)(uintptr_t)s->in;
	bz->avail_in = FL_MIN(s->nin, UINT_MAX);
	bz->next_out = (char *)s->out;
	bz->avail_out = FL_MIN(s->nout, UINT_MAX);
	code = libbz2.BZ2_bzDecompress(bz);
	s->nin -= (const uint8_t *)bz->next_in - s->in;
	s->in = (const uint8_t *)bz->next_in;
	s->nout -= (uint8_t *)bz->next_out - s->out;
	s->out = (uint8_t *)bz->next_out;
	if (code == BZ_OK)
		return FL_STEP_ON;
	libbz2.BZ2_bzDecompressEnd(bz);
	bzip2->open = false;
	if (code == BZ_MEM_ERROR)
		return FL_STEP_NO_MEMORY;
	return code == BZ_STREAM_END ? FL_STEP_END :
	       fl_frames_bad(&bzip2->frames, "bad data");
}

static void *begin(struct flame *flame, struct fl_in *under)
{
	struct bzip2 *bzip2 = fl_zeroed(1, sizeof(*bzip2));

	(void)under;
	if (!bzip2) {
		fl_no_memory(flame);
		return NULL;
	}
	bzip2->frames.decoder = &fl_decoder_bzip2;
	bzip2->frames.step = step;
	return bzip2;
}

static void end(void *state)
{
	struct bzip2 *bzip2 = state;

	if (bzip2->open)
		libbz2.BZ2_bzDecompressEnd(&bzip2->bz);
	fl_free(bzip2);
}

const struct fl_decoder fl_decoder_bzip2 = {
	.name = "bzip2", .late = &libbz2_late, .bid = bid, .begin = begin,
	.read = fl_frames_read, .end = end,
};
