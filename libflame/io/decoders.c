/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of decoders, what is known but not read, and the loop over
 * frames.
 */
#include "fl.h"

#include "io/decoders.h"

#include <inttypes.h>
#include <stdio.h>

/* Where two bid the same (a skippable frame is zstd's and lz4's): the first. */
const struct fl_decoder *const fl_decoders[] = {
	&fl_decoder_gzip, &fl_decoder_zstd, &fl_decoder_lz4,
	&fl_decoder_lz4_legacy, &fl_decoder_xz, &fl_decoder_zip,
	&fl_decoder_bzip2, NULL
};

/* Containers that are no use to us, and what to do about them. */
static const struct refused {
	struct slice magic;
	const char *text;
} refused[] = {
	{ FL_SLICE("LZ4Block"), "lz4-java's own blocks (LZ4Block, as Spark "
	  "writes them), not the lz4 frame format: use codec zstd or gzip" },
	{ FL_SLICE("\x82SNAPPY\0"), "snappy-java's own blocks (as Spark "
	  "writes them): use codec zstd or gzip" },
	{ FL_SLICE("\xff\x06\0\0sNaPpY"), "snappy frames are not read: use "
	  "zstd or gzip" },
	{ FL_SLICE("7z\xbc\xaf\x27\x1c"), "7z archives are not read: unpack "
	  "it first" },
};

static bool is_refused(const struct refused *r, const uint8_t *head, size_t n)
{
	return n >= r->magic.size &&
	       memcmp(head, r->magic.at, r->magic.size) == 0;
}

bool fl_decoder_find(struct flame *flame, const char *name,
		     const uint8_t *head, size_t n,
		     const struct fl_decoder **found)
{
	unsigned bits, most = 0;
	size_t i;

	*found = NULL;
	for (i = 0; i < FL_COUNT(refused); i++) {
		if (is_refused(&refused[i], head, n)) {
			fl_fail(flame, "%s: %s", name, refused[i].text);
			return false;
		}
	}
	for (i = 0; fl_decoders[i]; i++) {
		bits = fl_decoders[i]->bid(head, n);
		if (bits > most) {
			most = bits;
			*found = fl_decoders[i];
		}
	}
	return true;
}

enum fl_stepped fl_frames_bad(struct fl_frames *frames, const char *why)
{
	snprintf(frames->text, sizeof(frames->text),
		 "the %s data are corrupt: %s", frames->decoder->name, why);
	return FL_STEP_BAD;
}

static void skip_zeros(struct fl_in *under)
{
	const uint8_t *at;
	size_t n, i;

	do {
		at = fl_in_peek(under, 1, &n);
		for (i = 0; i < n && !at[i]; i++)
			;
		fl_in_consume(under, i);
	} while (n && i == n);
}

/* Bytes that belong to no frame, to the end. */
static void count_rest(struct fl_frames *frames, struct fl_in *under)
{
	uint64_t start = fl_in_offset(under), count;
	size_t n;

	while (fl_in_peek(under, 1, &n), n)
		fl_in_consume(under, n);
	count = fl_in_offset(under) - start;
	snprintf(frames->text, sizeof(frames->text),
		 "%" PRIu64 " byte%s of no %s after the end", count,
		 count == 1 ? "" : "s", frames->decoder->name);
}

/* Between frames: whether another begins.  The first one was bid for. */
static bool enter_frame(struct fl_frames *frames, struct fl_in *under,
			const char **damage)
{
	const uint8_t *head;
	size_t n;

	if (fl_in_offset(under))
		skip_zeros(under);
	head = fl_in_peek(under, FL_HEAD, &n);
	frames->inside = n && frames->decoder->bid(head, n);
	if (n && !frames->inside) {
		count_rest(frames, under);
		*damage = frames->text;
	}
	return frames->inside;
}

/* One step; false: no more will come. */
static bool step(struct fl_frames *frames, struct fl_in *under,
		 struct fl_step *s, const char **damage)
{
	size_t room = s->nout, avail;
	enum fl_stepped stepped;

	s->in = fl_in_peek(under, 1, &avail);
	s->nin = avail;
	stepped = frames->step(frames, s);
	fl_in_consume(under, avail - s->nin);
	frames->inside = stepped != FL_STEP_END;
	if (stepped == FL_STEP_ON && !avail && s->nout == room) {
		snprintf(frames->text, sizeof(frames->text),
			 "the %s data end early", frames->decoder->name);
		stepped = FL_STEP_BAD;
	}
	if (stepped == FL_STEP_BAD)
		*damage = frames->text;
	return stepped != FL_STEP_BAD;
}

size_t fl_frames_read(void *state, struct fl_in *under, uint8_t *out,
		      size_t room, const char **damage)
{
	struct fl_frames *frames = state;
	struct fl_step s = { .out = out, .nout = room };

	while (s.nout == room && !frames->over)
		frames->over = (!frames->inside &&
				!enter_frame(frames, under, damage)) ||
			       !step(frames, under, &s, damage);
	return room - s.nout;
}
