/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For decoders: detection, and the loop that most of them share.  A container
 * is a sequence of frames (members, streams).
 */
#ifndef FL_DECODERS_H
#define FL_DECODERS_H

#include "io/io.h"

/* Bytes peeked for a bid; enough for all magics. */
enum { FL_BID_BYTES = 512 };

/*
 * Finds the decoder with the highest bid for the head; NULL: no decoder bids.
 * false, with fl_fail: a known container that is not supported.
 */
bool fl_decoder_find(struct flame *flame, const char *name,
		     const uint8_t *head, size_t n,
		     const struct fl_decoder **found);

/* The decoder with the highest bid of at least `least` bits; or NULL. */
const struct fl_decoder *fl_decoder_of(const uint8_t *head, size_t n,
				       unsigned least);

/* So many bits no text matches by chance. */
enum { FL_CERTAIN_BITS = 27 };

/* Whether no byte is a control character below the tab. */
bool fl_is_text(const uint8_t *at, size_t n);
/* The same of the first line that is not empty, or a member begins there. */
bool fl_begins_as_text(const uint8_t *at, size_t n);

/* Input and output of a step, which advances pointers and sizes. */
struct fl_step {
	const uint8_t *in;
	size_t nin;
	uint8_t *out;
	size_t nout;
};

/*
 * The first member of a decoder's state.  step decodes some bytes; it leaves
 * *step as it is if the input is too short.  It returns FL_STEP_END at the end
 * of a frame, and is then ready for another.
 */
struct fl_frames {
	const struct fl_decoder *decoder;
	enum fl_stepped {
		FL_STEP_ON, FL_STEP_END, FL_STEP_BAD, FL_STEP_NO_MEMORY
	} (*step)(void *state, struct fl_step *step);
	bool some;		/* the first frame has begun */
	bool inside;		/* of a frame */
	bool over;		/* no more will come */
	size_t allocated;	/* bytes allocated by the decoder's library */
	char text[128];		/* damage; set by a step that is bad */
};

/*
 * fl_decoder.read for containers of frames: skips zeros between and after them;
 * a cut or corrupt frame is damage.
 */
size_t fl_frames_read(void *state, struct fl_in *under, uint8_t *out,
		      size_t capacity, const char **damage);

/*
 * Counts the memory that the decoder's library holds now; 0 at the end.  false:
 * it passes the limit.
 */
bool fl_frames_charge(struct fl_frames *frames, size_t bytes);

/* Sets the text of the damage; returns FL_STEP_BAD. */
enum fl_stepped fl_frames_bad(struct fl_frames *frames, const char *why);

/* lz4.c: a block of liblz4's; false: corrupt. */
bool fl_lz4_unpack(const void *at, size_t n, void *out, size_t size);
/* java_blocks.c: for lz4.c's row of LZ4Block, which names the library. */
unsigned fl_lz4_java_bid(const uint8_t *head, size_t n);
size_t fl_lz4_java_read(void *state, struct fl_in *under, uint8_t *out,
			size_t capacity, const char **damage);
void *fl_java_blocks_begin(struct flame *flame, struct fl_in *under);
void fl_java_blocks_end(void *state);

extern const struct fl_decoder fl_decoder_gzip, fl_decoder_zlib,
	fl_decoder_zstd, fl_decoder_lz4, fl_decoder_lz4_legacy, fl_decoder_xz,
	fl_decoder_lzma, fl_decoder_zip, fl_decoder_bzip2, fl_decoder_utf16,
	fl_decoder_lz4_java, fl_decoder_snappy, fl_decoder_lzf;

static inline uint16_t fl_le16(const uint8_t *at)
{
	return (uint16_t)(at[0] | at[1] << 8);
}

static inline uint32_t fl_le32(const uint8_t *at)
{
	return fl_le16(at) | (uint32_t)fl_le16(at + 2) << 16;
}

#endif
