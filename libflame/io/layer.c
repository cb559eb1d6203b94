/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Puts decoders in front of an input (fl_in_decoded, for container.c and
 * others): the result is an input, too, whose bytes are unpacked.  A layer
 * decodes the input under it member by member; plain bytes between packed
 * members pass as they are.  Plain text is scanned for packed members first:
 * bytes stay hidden until the scan has passed them.
 */
#include "fl.h"

#include "base/late.h"
#include "io/decoders.h"
#include "io/input.h"
#include "io/read_ahead.h"

/* A bomb: unpacks to more than BOMB_SIZE and BOMB_RATIO times its size. */
#define BOMB_SIZE (UINT64_C(256) << 20)
enum { BOMB_RATIO = 2000 };

const char fl_layer_bomb[] =
	"unpacks to more than 256 MB and 2000 times its size and is not read "
	"on; if that is right, unpack it before";

/* Watching ------------------------------------------------------------ */

/* A byte order mark of UTF-8 means nothing; readers never see it. */
static void skip_mark(struct fl_in *in)
{
	size_t n;
	const uint8_t *head = fl_in_peek(in, 3, &n);

	if (n >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0)
		fl_in_consume(in, 3);
}

/* Starts to scan plain text: hides all bytes that are there. */
static void watch(struct fl_in *in)
{
	size_t n;
	const uint8_t *head;

	skip_mark(in);
	head = fl_in_peek(in, FL_BID_BYTES, &n);
	if (!fl_begins_as_text(head, FL_MIN(n, (size_t)FL_BID_BYTES)))
		return;
	in->watched = true;
	in->line = false;	/* decoders already saw these bytes */
	in->dry = in->ended;
	in->hidden = in->left;
	in->left = 0;
	in->ended = false;
}

void fl_layer_stop_watching(struct fl_in *in)
{
	if (!in->watched)
		return;
	in->left += in->hidden;
	in->hidden = 0;
	in->watched = in->turned = false;
	in->ended = in->dry;
}

void fl_layer_show(struct fl_in *in)
{
	const uint8_t *at = in->at + in->left;
	size_t n =
		in->dry ? FL_MIN(in->hidden, (size_t)FL_BLOCK) :
			  in->hidden - FL_MIN(in->hidden, (size_t)FL_BID_BYTES);
	size_t plain = fl_decoder_scan(at, n, in->hidden, in->line);

	in->turned = plain < n;
	if (plain)
		in->line = at[plain - 1] == '\n';
	in->left += plain;
	in->hidden -= plain;
	in->ended = in->dry && !in->hidden;
}

/* Layers -------------------------------------------------------------- */

static void *begin(const struct fl_decoder *decoder, struct flame *flame,
		   struct fl_in *under)
{
	const char *why = decoder->late ? fl_late_open(decoder->late) : NULL;

	if (why) {
		fl_fail(flame, "%s: unpacking %s needs its library: %s",
			under->name, decoder->name, why);
		return NULL;
	}
	return decoder->begin(flame, under);
}

struct fl_in *fl_layer_over(struct fl_in *under,
			    const struct fl_decoder *decoder, void *state)
{
	struct fl_in *in = fl_in_new(under->flame, under->name);

	if (!in)
		return NULL;
	fl_layer_stop_watching(under);
	in->state = state;
	in->decoder = decoder;
	in->under = under;
	under->below = true;
	in->small = under->small;
	return in;
}

static struct fl_in *decode(struct fl_in *under,
			    const struct fl_decoder *decoder)
{
	void *state = begin(decoder, under->flame, under);
	struct fl_in *in = state ? fl_layer_over(under, decoder, state) : NULL;

	if (state && !in)
		decoder->end(state);
	return in;
}

struct fl_in *fl_in_decoded(struct fl_in *in)
{
	const struct fl_decoder *decoder;
	struct fl_in *over;
	size_t n;
	const uint8_t *head;
	int depth;

	for (depth = 0;; depth++) {
		head = fl_in_peek(in, FL_BID_BYTES, &n);
		if (!fl_decoder_find(in->flame, in->name, head, n, &decoder))
			break;
		if (!decoder) {
			watch(in);
			return in;
		}
		if (depth == FL_NESTING) {
			fl_fail(in->flame, "%s: packed more than %d times over",
				in->name, FL_NESTING);
			break;
		}
		over = decode(in, decoder);
		if (!over)
			break;
		in = over;
	}
	fl_in_close(in);
	return NULL;
}

/* Starts on the next member or plain text.  false: the end, or failed. */
static bool begin_part(struct fl_in *in)
{
	const uint8_t *head;
	size_t n;

	fl_layer_stop_watching(in->under);
	head = fl_in_peek(in->under, FL_BID_BYTES, &n);
	if (!n || !fl_decoder_find(in->flame, in->name, head, n,
				   &in->decoder))
		return false;
	if (!in->decoder) {
		watch(in->under);
		return true;
	}
	in->state = begin(in->decoder, in->flame, in->under);
	return in->state;
}

void fl_layer_end_part(struct fl_in *in)
{
	if (in->decoder && in->state)
		in->decoder->end(in->state);
	in->decoder = NULL;
	in->state = NULL;
}

bool fl_layer_make(struct fl_in *in)
{
	struct fl_in *under = fl_alloc(sizeof(*under));
	char *name = fl_memory_adopt(strdup(in->name));
	size_t left = in->left, capacity = 0;
	uint8_t *buffer = NULL;

	if (!under || !name || !fl_grow(&buffer, &capacity, left + 1, 1)) {
		fl_free(under);
		fl_free(name);
		fl_no_memory(in->flame);
		return false;
	}
	if (left)
		memcpy(buffer, in->at, left);
	*under = *in;
	under->below = true;
	fl_in_consume(under, left);
	*in = (struct fl_in){
		.flame = under->flame, .name = name, .buffer = buffer,
		.capacity = capacity, .at = buffer, .left = left,
		.offset = under->offset - left, .fd = -1, .stop = -1,
		.under = under, .below = in->below,
		.max_line = under->max_line,
	};
	return begin_part(in);
}

/* Each layer has a buffer: members within members end somewhere. */
static bool is_too_deep(const struct fl_in *in)
{
	enum { MAX_LAYERS = 16 };
	unsigned layers = 0;

	for (const struct fl_in *at = in->under; at; at = at->under)
		layers++;
	if (layers < MAX_LAYERS)
		return false;
	fl_fail(in->flame, "%s: packed more than %d times over", in->name,
		MAX_LAYERS);
	return true;
}

bool fl_in_decode_at(struct fl_in *in, size_t offset)
{
	const struct fl_decoder *decoder;
	const uint8_t *at;
	size_t n;

	at = fl_in_peek(in, offset + FL_BID_BYTES, &n);
	if (n <= offset)
		return false;
	decoder = fl_decoder_of(at + offset, n - offset, FL_CERTAIN_BITS);
	if (!decoder || is_too_deep(in))
		return false;
	fl_layer_stop_watching(in);
	in->hidden = in->left - offset;
	in->left = offset;
	in->watched = true;
	in->dry = in->ended;
	if (fl_layer_make(in))
		return true;
	in->ended = true;
	return false;
}

/*
 * How many of n more unpacked bytes count: all, or those up to BOMB_SIZE of a
 * bomb.  It stops at the same byte with and without a thread.
 */
static size_t before_bomb(struct fl_in *in, size_t n)
{
	const struct fl_in *bottom = in->under;
	uint64_t past;

	in->unpacked += n;
	if (fl_likely(in->unpacked <= BOMB_SIZE))
		return n;
	while (bottom->under)
		bottom = bottom->under;
	if (in->unpacked / BOMB_RATIO <= bottom->offset)
		return n;
	in->damage = fl_layer_bomb;
	past = in->unpacked - BOMB_SIZE;
	return past < n ? n - past : 0;
}

/* Copies plain bytes of the input below, up to a packed member. */
static size_t copy_plain(struct fl_in *under, uint8_t *to, size_t capacity)
{
	const uint8_t *at;
	size_t n;

	at = fl_in_peek(under, 1, &n);
	n = FL_MIN(n, capacity);
	if (n)
		memcpy(to, at, n);
	fl_in_consume(under, n);
	return n;
}

size_t fl_layer_read(struct fl_in *in, uint8_t *to, size_t capacity)
{
	size_t n = 0;

	do {
		n = in->decoder ?
		    in->decoder->read(in->state, in->under, to, capacity,
				      &in->damage) :
		    copy_plain(in->under, to, capacity);
		fl_in_release(in->under, fl_in_offset(in->under));
		if (in->decoder)
			n = before_bomb(in, n);
		if (n || in->damage)
			return n;
		fl_layer_end_part(in);
	} while (begin_part(in));
	return 0;
}

/* A thread of its own -------------------------------------------------- */

size_t fl_in_read_block(struct fl_in *in, uint8_t *to, size_t capacity)
{
	size_t n = FL_MIN(in->left, capacity);

	if (n) {
		memcpy(to, in->at, n);
		fl_in_consume(in, n);
	} else if (!in->ended) {
		n = fl_layer_read(in, to, capacity);
		in->offset += n;
		in->ended = !n || in->damage;
	}
	return n;
}

void fl_in_move_to_thread(struct fl_in *in, struct flame *flame, int stop)
{
	for (; in; in = in->under) {
		in->flame = flame;
		in->stop = stop;
	}
}

struct flame *fl_in_flame(const struct fl_in *in)
{
	return in->flame;
}

struct fl_in *fl_in_unpack_in_thread(struct fl_in *in, size_t least)
{
	struct fl_in *over;
	bool watched;
	size_t n;

	if (!in->under || in->small)
		return in;
	fl_in_peek(in, least, &n);
	over = n < least ? NULL : fl_in_new(in->flame, in->name);
	if (!over)
		return in;
	watched = in->watched;
	fl_layer_stop_watching(in);
	over->ahead = fl_read_ahead_new(in);
	if (!over->ahead) {
		fl_in_close(over);
		over = in;
	}
	if (watched)
		watch(over);
	return over;
}
