/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Zstandard, by libzstd: the decoder of inputs (a row of decoders.c), the
 * packer of outputs (a row of pack.c), blocks in memory for Parquet
 * (fl_zstd_pack, fl_zstd_unpack), and a stream in pieces for perf.data
 * (fl_zstd_step).
 */
#include "fl.h"

#include "base/late.h"
#include "io/decoders.h"
#include "io/pack.h"
#include "io/zstd.h"

#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#define LIBZSTD(f) \
	f(ZSTD_createDStream) f(ZSTD_DCtx_setParameter) \
	f(ZSTD_decompressStream) f(ZSTD_dParam_getBounds) \
	f(ZSTD_freeDStream) f(ZSTD_getErrorCode) f(ZSTD_getErrorName) \
	f(ZSTD_initDStream) f(ZSTD_isError) f(ZSTD_sizeof_DStream) \
	f(ZSTD_createCStream) f(ZSTD_CCtx_setParameter) \
	f(ZSTD_compressStream2) f(ZSTD_freeCStream) \
	f(ZSTD_compress) f(ZSTD_compressBound) f(ZSTD_decompress)

FL_LATE_STRUCT(libzstd, LIBZSTD);
static FL_LATE(libzstd, LIBZSTD, LIBZSTD_FILE, "zstd", "reads and writes zstd");

struct zstd {
	struct fl_frames frames;
	ZSTD_DStream *stream;
	size_t want;		/* bytes that it reads in a step; 0: any */
};

/* lz4 has the same skippable frames: the frame after them decides. */
static unsigned bid(const uint8_t *head, size_t n)
{
	size_t skip;

	while (n >= 8 && (fl_le32(head) & ~15u) == ZSTD_MAGIC_SKIPPABLE_START) {
		skip = 8 + (size_t)fl_le32(head + 4);
		if (skip + 4 > n)
			return 28;
		head += skip;
		n -= skip;
	}
	return n >= 4 && fl_le32(head) == ZSTD_MAGICNUMBER ? 32 : 0;
}

/*
 * A block at a time: before a corrupt one, all that is whole comes out, in
 * whatever pieces the input comes.
 */
static enum fl_stepped step(void *state, struct fl_step *s)
{
	struct zstd *zstd = state;
	size_t nin = zstd->want ? FL_MIN(s->nin, zstd->want) : s->nin;
	ZSTD_inBuffer in = { s->in, nin, 0 };
	ZSTD_outBuffer out = { s->out, s->nout, 0 };
	size_t code = libzstd.ZSTD_decompressStream(zstd->stream, &out, &in);

	s->in += in.pos;
	s->nin -= in.pos;
	s->out += out.pos;
	s->nout -= out.pos;
	if (libzstd.ZSTD_getErrorCode(code) ==
	    ZSTD_error_frameParameter_windowTooLarge)
		return fl_frames_bad(&zstd->frames,
				     "a window of more than 2 GB");
	if (libzstd.ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation ||
	    !fl_frames_charge(&zstd->frames,
			      libzstd.ZSTD_sizeof_DStream(zstd->stream)))
		return FL_STEP_NO_MEMORY;
	if (libzstd.ZSTD_isError(code))
		return fl_frames_bad(&zstd->frames,
				     libzstd.ZSTD_getErrorName(code));
	zstd->want = code ? code : libzstd.ZSTD_initDStream(zstd->stream);
	return code == 0 ? FL_STEP_END : FL_STEP_ON;
}

static void *begin(struct flame *flame, struct fl_in *under)
{
	struct zstd *zstd = fl_zeroed(1, sizeof(*zstd));
	/* 31, what --long=31 wants, where size_t has 64 bits. */
	int log = libzstd.ZSTD_dParam_getBounds(ZSTD_d_windowLogMax).upperBound;

	(void)under;
	if (zstd)
		zstd->stream = libzstd.ZSTD_createDStream();
	if (!zstd || !zstd->stream) {
		fl_free(zstd);
		fl_no_memory(flame);
		return NULL;
	}
	libzstd.ZSTD_DCtx_setParameter(zstd->stream, ZSTD_d_windowLogMax, log);
	zstd->want = libzstd.ZSTD_initDStream(zstd->stream);
	zstd->frames.decoder = &fl_decoder_zstd;
	zstd->frames.step = step;
	return zstd;
}

static void end(void *state)
{
	struct zstd *zstd = state;

	libzstd.ZSTD_freeDStream(zstd->stream);
	fl_frames_charge(&zstd->frames, 0);
	fl_free(zstd);
}

const struct fl_decoder fl_decoder_zstd = {
	.name = "zstd", .bid = bid, .begin = begin, .read = fl_frames_read,
	.end = end, .late = &libzstd_late,
};

/* Pieces of a stream, which are in records ------------------------------ */

void *fl_zstd_begin(struct flame *flame, const char **why)
{
	*why = fl_late_open(&libzstd_late);
	return *why ? NULL : begin(flame, NULL);
}

bool fl_zstd_step(void *state, struct fl_piece *piece, const char **why)
{
	struct zstd *zstd = state;
	struct fl_step s = { piece->in, piece->nin, piece->out, piece->nout };
	enum fl_stepped stepped = step(zstd, &s);

	*piece = (struct fl_piece){ s.in, s.nin, s.out, s.nout };
	*why = stepped == FL_STEP_NO_MEMORY ? "out of memory" :
	       stepped == FL_STEP_BAD ? zstd->frames.text : NULL;
	return !*why;
}

void fl_zstd_end(void *state)
{
	if (state)
		end(state);
}

/* Packing ------------------------------------------------------------- */

static void *begin_packing(void)
{
	ZSTD_CStream *stream = libzstd.ZSTD_createCStream();

	/* Frames of the zstd command have a checksum, too. */
	if (stream)
		libzstd.ZSTD_CCtx_setParameter(stream, ZSTD_c_checksumFlag, 1);
	return stream;
}

static enum fl_stepped pack(void *state, struct fl_step *s, bool last)
{
	ZSTD_inBuffer in = { s->in, s->nin, 0 };
	ZSTD_outBuffer out = { s->out, s->nout, 0 };
	size_t code = libzstd.ZSTD_compressStream2(state, &out, &in,
				last ? ZSTD_e_end : ZSTD_e_continue);

	/* At the end there may be no input at all, not even a pointer. */
	if (in.pos)
		s->in += in.pos;
	s->nin -= in.pos;
	s->out += out.pos;
	s->nout -= out.pos;
	if (libzstd.ZSTD_isError(code))
		return libzstd.ZSTD_getErrorCode(code) ==
			ZSTD_error_memory_allocation ? FL_STEP_NO_MEMORY :
						       FL_STEP_BAD;
	return (last ? code : s->nin) ? FL_STEP_ON : FL_STEP_END;
}

static void end_packing(void *state)
{
	libzstd.ZSTD_freeCStream(state);
}

const struct fl_packer fl_packer_zstd = {
	.suffixes = ".zst", .late = &libzstd_late, .begin = begin_packing,
	.step = pack, .end = end_packing,
};

/* Blocks in memory ------------------------------------------------------ */

const char *fl_zstd_pack(struct fl_buf *to, struct slice bytes, int level)
{
	const char *why = fl_late_open(&libzstd_late);
	size_t bound = why ? 0 : libzstd.ZSTD_compressBound(bytes.size), size;
	char *at = why ? NULL : fl_buf_reserve(to, bound);

	if (!at)
		return why ? why : "out of memory";
	size = libzstd.ZSTD_compress(at, bound, bytes.data, bytes.size, level);
	if (libzstd.ZSTD_isError(size))
		return libzstd.ZSTD_getErrorName(size);
	to->size += size;
	to->data[to->size] = '\0';
	return NULL;
}

const char *fl_zstd_unpack(void *to, size_t size, struct slice packed)
{
	const char *why = fl_late_open(&libzstd_late);
	size_t got;

	if (why)
		return why;
	got = libzstd.ZSTD_decompress(to, size, packed.data, packed.size);
	if (libzstd.ZSTD_isError(got))
		return libzstd.ZSTD_getErrorName(got);
	return got == size ? NULL : "fewer bytes than announced";
}
