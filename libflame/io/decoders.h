/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For decoders: how they are found, and the loop that most of them share.
 * All of their containers are frames (members, streams) one after another.
 */
#ifndef FL_DECODERS_H
#define FL_DECODERS_H

#include "io/io.h"

/* Bytes that are peeked for a bid; enough for all magics. */
enum { FL_BID_BYTES = 512 };

/*
 * The decoder that bids most for the head, NULL if none does.  false, with
 * fl_fail's text: a container that is known and not read.
 */
bool fl_decoder_find(struct flame *flame, const char *name,
		     const uint8_t *head, size_t n,
		     const struct fl_decoder **found);

/* The same of what must be FL_CERTAIN_BITS bits or more; NULL for others. */
const struct fl_decoder *fl_decoder_of(const uint8_t *head, size_t n,
				       unsigned least);

/* Bits that no text has by chance. */
enum { FL_CERTAIN_BITS = 27 };

/* Whether bytes are text: they may hold anything above the controls. */
bool fl_is_text(const uint8_t *at, size_t n);
/* The same of the first line that is not empty; or it is a member. */
bool fl_begins_as_text(const uint8_t *at, size_t n);

/* What a step may take and give; it moves the pointers and the sizes. */
struct fl_step {
	const uint8_t *in;
	size_t nin;
	uint8_t *out;
	size_t nout;
};

/*
 * The first member of a decoder's state.  step decodes some bytes: nothing
 * happens to *step where the input is not enough.  It gives FL_STEP_END at
 * the end of a frame, and readies itself for another.
 */
struct fl_frames {
	const struct fl_decoder *decoder;
	enum fl_stepped {
		FL_STEP_ON, FL_STEP_END, FL_STEP_BAD, FL_STEP_NO_MEMORY
	} (*step)(void *state, struct fl_step *step);
	bool some;		/* began */
	bool inside;		/* a frame */
	bool over;		/* no more will come */
	size_t held;		/* bytes, by the decoder's library */
	char text[128];		/* damage; a step that is bad tells why */
};

/*
 * fl_decoder.read for all that have frames: zeros between and behind them
 * are skipped, a cut or corrupt frame is damage.
 */
size_t fl_frames_read(void *state, struct fl_in *under, uint8_t *out,
		      size_t room, const char **damage);

/*
 * The library that decodes holds so much now: it is counted, and false where
 * that is too much.  At the end it holds 0.
 */
bool fl_frames_charge(struct fl_frames *frames, size_t bytes);

/* Where a step is bad; gives FL_STEP_BAD. */
enum fl_stepped fl_frames_bad(struct fl_frames *frames, const char *why);

extern const struct fl_decoder fl_decoder_gzip, fl_decoder_zlib,
	fl_decoder_zstd, fl_decoder_lz4, fl_decoder_lz4_legacy, fl_decoder_xz,
	fl_decoder_lzma, fl_decoder_zip, fl_decoder_bzip2, fl_decoder_utf16;

static inline uint16_t fl_le16(const uint8_t *at)
{
	return (uint16_t)(at[0] | at[1] << 8);
}

static inline uint32_t fl_le32(const uint8_t *at)
{
	return fl_le16(at) | (uint32_t)fl_le16(at + 2) << 16;
}

#endif
