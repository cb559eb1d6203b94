/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decoders of lz4, by liblz4: the frame format, the legacy one of lz4 -l,
 * and LZ4Block of lz4-java, whose blocks java_blocks.c reads.  Packed bytes of
 * an input in, unpacked bytes out; rows of decoders.c, which layer.c reads by.
 */
#include "fl.h"

#include "base/late.h"
#include "io/decoders.h"

#include <lz4.h>
#include <lz4frame.h>
#include <stdlib.h>

#define LIBLZ4(f) \
	f(LZ4F_createDecompressionContext) f(LZ4F_decompress) \
	f(LZ4F_freeDecompressionContext) f(LZ4F_getErrorName) \
	f(LZ4F_isError) f(LZ4_decompress_safe)

FL_LATE_STRUCT(liblz4, LIBLZ4);
static FL_LATE(liblz4, LIBLZ4, LIBLZ4_FILE, "lz4", "unpacks lz4");

enum { FRAME = 0x184d2204, SKIPPABLE = 0x184d2a50, LEGACY = 0x184c2102 };

/* Frames -------------------------------------------------------------- */

struct lz4 {
	struct fl_frames frames;
	LZ4F_dctx *context;
};

/* zstd has the same skippable frames: the frame after them decides. */
static unsigned bid(const uint8_t *head, size_t n)
{
	size_t skip;

	while (n >= 8 && (fl_le32(head) & ~15u) == SKIPPABLE) {
		skip = 8 + (size_t)fl_le32(head + 4);
		if (skip + 4 > n)
			return 28;
		head += skip;
		n -= skip;
	}
	return n >= 4 && fl_le32(head) == FRAME ? 32 : 0;
}

static enum fl_stepped step(void *state, struct fl_step *s)
{
	struct lz4 *lz4 = state;
	size_t nin = s->nin, nout = s->nout, code;

	code = liblz4.LZ4F_decompress(lz4->context, s->out, &nout, s->in, &nin,
				      NULL);
	s->in += nin;
	s->nin -= nin;
	s->out += nout;
	s->nout -= nout;
	if (liblz4.LZ4F_isError(code) &&
	    strcmp(liblz4.LZ4F_getErrorName(code),
		   "ERROR_allocation_failed") == 0)
		return FL_STEP_NO_MEMORY;
	if (liblz4.LZ4F_isError(code))
		return fl_frames_bad(&lz4->frames,
				     liblz4.LZ4F_getErrorName(code));
	return code == 0 ? FL_STEP_END : FL_STEP_ON;
}

static void *begin(struct flame *flame, struct fl_in *under)
{
	struct lz4 *lz4 = fl_zeroed(1, sizeof(*lz4));

	(void)under;
	if (!lz4 ||
	    liblz4.LZ4F_isError(liblz4.LZ4F_createDecompressionContext(
			    &lz4->context, LZ4F_VERSION))) {
		fl_free(lz4);
		fl_no_memory(flame);
		return NULL;
	}
	lz4->frames.decoder = &fl_decoder_lz4;
	lz4->frames.step = step;
	return lz4;
}

static void end(void *state)
{
	struct lz4 *lz4 = state;

	liblz4.LZ4F_freeDecompressionContext(lz4->context);
	fl_free(lz4);
}

bool fl_lz4_unpack(const void *at, size_t n, void *out, size_t size)
{
	return n <= INT32_MAX && size <= INT32_MAX &&
	       liblz4.LZ4_decompress_safe(at, out, (int)n, (int)size) ==
		       (int)size;
}

const struct fl_decoder fl_decoder_lz4 = {
	.name = "lz4", .late = &liblz4_late, .bid = bid, .begin = begin,
	.read = fl_frames_read, .end = end,
};

/* Legacy -------------------------------------------------------------- */

/*
 * A magic, then blocks, each a size and that many bytes, of 8 MB decoded (the
 * last of less), to the end of the input or to another magic.
 */
enum { LEGACY_BLOCK = 8 << 20 };

struct legacy {
	struct fl_frames frames;
	size_t done, size;	/* of the block */
	char block[LEGACY_BLOCK];
};

static unsigned legacy_bid(const uint8_t *head, size_t n)
{
	return n >= 4 && fl_le32(head) == LEGACY ? 32 : 0;
}

/* What ends before a block begins: text or another container follows. */
static bool is_other(const uint8_t *at, size_t n)
{
	return n && (fl_begins_as_text(at, n) || fl_decoder_of(at, n, 1));
}

/* The next block; false at the end and after damage. */
static bool next_block(struct legacy *legacy, struct fl_in *under,
		       const char **damage)
{
	const uint8_t *at;
	size_t n, size;
	int decoded;

	do {
		at = fl_in_peek(under, 4, &n);
		if (n == 0)
			return false;
		size = n < 4 ? 0 : fl_le32(at);
		if (size == LEGACY)
			fl_in_consume(under, 4);
	} while (size == LEGACY);
	if (size > LZ4_COMPRESSBOUND(LEGACY_BLOCK)) {
		at = fl_in_peek(under, FL_BID_BYTES, &n);
		if (!is_other(at, FL_MIN(n, (size_t)FL_BID_BYTES)))
			*damage = "the lz4 data are corrupt: a block too "
				  "large";
		return false;
	}
	at = fl_in_peek(under, 4 + size, &n);
	/* The magic of gzip would be a size. */
	if (fl_decoder_of(at, n, FL_CERTAIN_BITS))
		return false;
	if (n < 4 + size) {
		*damage = "the lz4 data end early";
		return false;
	}
	decoded = liblz4.LZ4_decompress_safe((const char *)at + 4,
					     legacy->block, (int)size,
					     LEGACY_BLOCK);
	if (decoded < 0) {
		*damage = "the lz4 data are corrupt";
		return false;
	}
	fl_in_consume(under, 4 + size);
	legacy->done = 0;
	legacy->size = (size_t)decoded;
	return true;
}

static size_t legacy_read(void *state, struct fl_in *under, uint8_t *out,
			  size_t capacity, const char **damage)
{
	struct legacy *legacy = state;
	size_t n;

	while (legacy->done == legacy->size)
		if (!next_block(legacy, under, damage))
			return 0;
	n = FL_MIN(capacity, legacy->size - legacy->done);
	memcpy(out, legacy->block + legacy->done, n);
	legacy->done += n;
	return n;
}

static void *legacy_begin(struct flame *flame, struct fl_in *under)
{
	struct legacy *legacy = fl_alloc(sizeof(*legacy));

	(void)under;
	if (!legacy) {
		fl_no_memory(flame);
		return NULL;
	}
	legacy->done = legacy->size = 0;
	return legacy;
}

const struct fl_decoder fl_decoder_lz4_legacy = {
	.name = "lz4", .late = &liblz4_late, .bid = legacy_bid,
	.begin = legacy_begin, .read = legacy_read, .end = fl_free,
};

/* Of Java -------------------------------------------------------------- */

const struct fl_decoder fl_decoder_lz4_java = {
	.name = "lz4", .late = &liblz4_late, .bid = fl_lz4_java_bid,
	.begin = fl_java_blocks_begin, .read = fl_lz4_java_read,
	.end = fl_java_blocks_end,
};
