/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses the decoder of a compressed input by its first bytes
 * (fl_decoder_find, for layer.c), or refuses it with advice.  Also has the scan
 * for packed members in text (fl_decoder_scan), and the loop over frames that
 * most decoders have as their read (fl_frames_read).
 */
#include "fl.h"

#include "base/block.h"
#include "io/read_ahead.h"
#include "io/decoders.h"

#include <stdio.h>

/* On equal bids the first wins (zstd and lz4 share skippable frames). */
const struct fl_decoder *const fl_decoders[] = {
	&fl_decoder_gzip, &fl_decoder_zstd, &fl_decoder_lz4,
	&fl_decoder_lz4_legacy, &fl_decoder_lz4_java, &fl_decoder_xz,
	&fl_decoder_zip, &fl_decoder_bzip2, &fl_decoder_lzma,
	&fl_decoder_zlib, &fl_decoder_snappy, &fl_decoder_lzf,
	&fl_decoder_utf16, NULL
};

/* Containers that are not read, and advice. */
static const struct refused {
	struct slice magic;
	const char *text;
} refused[] = {
	{ FL_SLICE("\xff\x06\0\0sNaPpY"), "snappy frames: not read; unpack "
	  "with snzip -dc" },
	{ FL_SLICE("7z\xbc\xaf\x27\x1c"), "7z archives are not read: unpack "
	  "it first" },
};

static bool is_refused(const struct refused *r, const uint8_t *head, size_t n)
{
	return n >= r->magic.size &&
	       memcmp(head, r->magic.data, r->magic.size) == 0;
}

const struct fl_decoder *fl_decoder_of(const uint8_t *head, size_t n,
				       unsigned least)
{
	const struct fl_decoder *found = NULL;
	unsigned bits, most = least - 1;

	for (size_t i = 0; fl_decoders[i]; i++) {
		bits = fl_decoders[i]->bid(head, n);
		if (bits > most) {
			most = bits;
			found = fl_decoders[i];
		}
	}
	return found;
}

bool fl_decoder_find(struct flame *flame, const char *name,
		     const uint8_t *head, size_t n,
		     const struct fl_decoder **found)
{
	for (size_t i = 0; i < FL_COUNT(refused); i++) {
		if (is_refused(&refused[i], head, n)) {
			fl_fail(flame, "%s: %s", name, refused[i].text);
			return false;
		}
	}
	*found = fl_decoder_of(head, n, 1);
	return true;
}

/* Text with packed members --------------------------------------------- */

/*
 * Every magic has a byte below the tab or above ASCII within the first STRIDE
 * bytes of its member, and most text has none, so a block is tested at once.
 */
enum { STRIDE = 64, PREFETCH_DISTANCE = 2048 };

/* The first stride with such a byte; end: none. */
static size_t skip_normal(const uint8_t *at, size_t i, size_t end)
{
	for (; end - i >= STRIDE; i += STRIDE) {
		/* The scan is the first to touch mapped text. */
		fl_prefetch(at + i + PREFETCH_DISTANCE);
		if (!fl_block_ascii4(at + i, '\t'))
			return i;
	}
	for (size_t j = i; j < end; j++)
		if (at[j] < '\t' || at[j] > 0x7f)
			return i;
	return end;
}

bool fl_is_text(const uint8_t *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (at[i] < '\t')
			return false;
	return true;
}

bool fl_begins_as_text(const uint8_t *at, size_t n)
{
	const uint8_t *lf, *start = at;

	for (; n && *at == '\n'; n--)
		at++;
	if (at > start && fl_decoder_of(at, n, FL_CERTAIN_BITS))
		return true;
	lf = n ? memchr(at, '\n', n) : NULL;
	return fl_is_text(at, lf ? (size_t)(lf - at) : n);
}

/* The first line in [from, to) that begins a packed member; to: none. */
static size_t find_member(const uint8_t *at, size_t from, size_t to, size_t n)
{
	const uint8_t *lf;

	for (size_t i = from; i < to; i = (size_t)(lf - at) + 1) {
		if (fl_decoder_of(at + i, FL_MIN(n - i, (size_t)FL_BID_BYTES),
				  FL_CERTAIN_BITS))
			return i;
		lf = memchr(at + i, '\n', to - i);
		if (!lf)
			break;
	}
	return to;
}

/* The first beginning of a line in [from, to); to: none. */
static size_t find_line(const uint8_t *at, size_t from, size_t to, bool line)
{
	const uint8_t *lf;

	if (from == 0 && line)
		return 0;
	from -= from != 0;
	lf = from < to ? memchr(at + from, '\n', to - from) : NULL;
	return lf ? (size_t)(lf - at) + 1 : to;
}

/* The first line around stride i that begins a member; limit: none. */
static size_t scan_stride(const uint8_t *at, size_t i, size_t limit, size_t n,
			  bool line)
{
	size_t to = FL_MIN(i + STRIDE, limit);
	size_t from = FL_MIN(i - FL_MIN(i, (size_t)STRIDE), to);
	size_t found = find_member(at, find_line(at, from, to, line), to, n);

	return found < to ? found : limit;
}

size_t fl_decoder_scan(const uint8_t *at, size_t limit, size_t n, bool line)
{
	size_t end = FL_MIN(limit + STRIDE, n), found = limit, i = 0;

	while (i < end && found == limit) {
		i = skip_normal(at, i, end);
		if (i < end)
			found = scan_stride(at, i, limit, n, line);
		i += STRIDE;
	}
	return found;
}

/* Frames ---------------------------------------------------------------- */

enum fl_stepped fl_frames_bad(struct fl_frames *frames, const char *why)
{
	snprintf(frames->text, sizeof(frames->text),
		 "the %s data are corrupt: %s", frames->decoder->name, why);
	return FL_STEP_BAD;
}

bool fl_frames_charge(struct fl_frames *frames, size_t bytes)
{
	bool fits = bytes <= frames->allocated ||
		    fl_memory_fits(bytes - frames->allocated);

	if (bytes != frames->allocated) {
		fl_memory_charge(bytes);
		fl_memory_release(frames->allocated);
		frames->allocated = bytes;
	}
	return fits;
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

/* Between frames: whether another begins. */
static bool enter_frame(struct fl_frames *frames, struct fl_in *under)
{
	const uint8_t *head;
	size_t n;

	if (frames->some)
		skip_zeros(under);
	frames->some = true;
	head = fl_in_peek(under, FL_BID_BYTES, &n);
	/* FL_BID_BYTES alone: there may be many skippable frames. */
	frames->inside = n && frames->decoder->bid(head, FL_MIN(n,
						   (size_t)FL_BID_BYTES));
	return frames->inside;
}

/* Decodes one step; false: no more will come. */
static bool step(struct fl_frames *frames, struct fl_in *under,
		 struct fl_step *s, const char **damage)
{
	size_t capacity = s->nout, avail;
	enum fl_stepped stepped;

	s->in = fl_in_peek(under, 1, &avail);
	s->nin = avail;
	stepped = frames->step(frames, s);
	fl_in_consume(under, avail - s->nin);
	frames->inside = stepped != FL_STEP_END;
	if (stepped == FL_STEP_ON && !avail && s->nout == capacity) {
		snprintf(frames->text, sizeof(frames->text),
			 "the %s data end early", frames->decoder->name);
		stepped = FL_STEP_BAD;
	}
	if (stepped == FL_STEP_NO_MEMORY)
		fl_no_memory(fl_in_flame(under));
	else if (stepped == FL_STEP_BAD)
		*damage = frames->text;
	return stepped < FL_STEP_BAD;
}

size_t fl_frames_read(void *state, struct fl_in *under, uint8_t *out,
		      size_t capacity, const char **damage)
{
	struct fl_frames *frames = state;
	struct fl_step s = { .out = out, .nout = capacity };

	while (s.nout == capacity && !frames->over)
		frames->over = (!frames->inside &&
				!enter_frame(frames, under)) ||
			       !step(frames, under, &s, damage);
	return capacity - s.nout;
}
