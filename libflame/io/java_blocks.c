/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decoders of three formats of Java libraries in which Spark packs its
 * event logs: lz4-java's LZ4Block, whose blocks are liblz4's (its row is in
 * lz4.c), snappy-java's stream, whose blocks are snappy's raw format, and
 * compress-lzf's chunks.  These formats are small and are read here.
 */
#include "fl.h"

#include "io/decoders.h"
#include "io/read_ahead.h"

#include <stdlib.h>

/* Both libraries' largest block is 32 MB; snappy may grow by a sixth. */
enum { MAX_BLOCK = 33 << 20, MAX_PACKED = 40 << 20 };

struct blocks {
	uint8_t *block;		/* unpacked */
	size_t capacity, done, size;
};

void *fl_java_blocks_begin(struct flame *flame, struct fl_in *under)
{
	struct blocks *blocks = fl_zeroed(1, sizeof(*blocks));

	(void)under;
	if (!blocks)
		fl_no_memory(flame);
	return blocks;
}

void fl_java_blocks_end(void *state)
{
	struct blocks *blocks = state;

	fl_free(blocks->block);
	fl_free(blocks);
}

/* Space for the next block; false: out of memory. */
static bool begin_block(struct blocks *blocks, struct fl_in *under, size_t size)
{
	if (!fl_grow(&blocks->block, &blocks->capacity, size + 1, 1)) {
		fl_no_memory(fl_in_flame(under));
		return false;
	}
	blocks->done = 0;
	blocks->size = size;
	return true;
}

/* Unpacked bytes of blocks that next() reads; it returns false at the end. */
static size_t read_blocks(struct blocks *blocks, struct fl_in *under,
			  uint8_t *out, size_t capacity, const char **damage,
			  bool (*next)(struct blocks *, struct fl_in *,
				       const char **))
{
	size_t n;

	while (blocks->done == blocks->size) {
		blocks->done = blocks->size = 0;
		if (!next(blocks, under, damage)) {
			blocks->done = blocks->size = 0;
			return 0;
		}
	}
	n = FL_MIN(capacity, blocks->size - blocks->done);
	memcpy(out, blocks->block + blocks->done, n);
	blocks->done += n;
	return n;
}

static uint32_t be32(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 |
	       (uint32_t)at[2] << 8 | at[3];
}

/* LZ4Block ------------------------------------------------------------ */

/*
 * Blocks of a magic, a token (the method, and the exponent of the block size
 * less ten), the packed size, the size and a checksum, little-endian.  A block
 * of size 0 ends a stream; another may follow.
 */
enum { LZ4_HEAD = 21, LZ4_RAW = 0x10, LZ4_PACKED = 0x20 };
static const char lz4_magic[] = "LZ4Block";

unsigned fl_lz4_java_bid(const uint8_t *head, size_t n)
{
	uint32_t packed, size, method;

	if (n < LZ4_HEAD || memcmp(head, lz4_magic, 8) != 0)
		return 0;
	method = head[8] & 0xf0u;
	packed = fl_le32(head + 9);
	size = fl_le32(head + 13);
	if (size > MAX_BLOCK || packed > MAX_PACKED ||
	    (method != LZ4_RAW && method != LZ4_PACKED) ||
	    (method == LZ4_RAW && packed != size))
		return 0;
	return 80;
}

static bool next_lz4(struct blocks *blocks, struct fl_in *under,
		     const char **damage)
{
	const uint8_t *at;
	size_t n, packed, size;
	bool good;

	at = fl_in_peek(under, LZ4_HEAD, &n);
	if (!fl_lz4_java_bid(at, n)) {
		if (n && n < LZ4_HEAD &&
		    memcmp(at, lz4_magic, FL_MIN(n, (size_t)8)) == 0)
			*damage = "the LZ4Block data end early";
		return false;
	}
	packed = fl_le32(at + 9);
	size = fl_le32(at + 13);
	at = fl_in_peek(under, LZ4_HEAD + packed, &n);
	if (n < LZ4_HEAD + packed) {
		*damage = "the LZ4Block data end early";
		return false;
	}
	if (!begin_block(blocks, under, size))
		return false;
	good = (at[8] & 0xf0) == LZ4_RAW || !size;
	if (good && size)
		memcpy(blocks->block, at + LZ4_HEAD, size);
	else if (size)
		good = fl_lz4_unpack(at + LZ4_HEAD, packed, blocks->block,
				     size);
	if (!good)
		*damage = "the LZ4Block data are corrupt";
	else
		fl_in_consume(under, LZ4_HEAD + packed);
	return good;
}

size_t fl_lz4_java_read(void *state, struct fl_in *under, uint8_t *out,
			size_t capacity, const char **damage)
{
	return read_blocks(state, under, out, capacity, damage, next_lz4);
}

/* snappy --------------------------------------------------------------- */

/* The varint before a block: its size.  0: not one. */
static size_t snappy_size(const uint8_t *at, size_t n, size_t *head)
{
	uint64_t size = 0;

	for (size_t i = 0; i < n && i < 5; i++) {
		size |= (uint64_t)(at[i] & 0x7f) << (7 * i);
		if (!(at[i] & 0x80)) {
			*head = i + 1;
			return size <= MAX_BLOCK ? (size_t)size : 0;
		}
	}
	return 0;
}

/* Little-endian, of 1 to 4 bytes. */
static size_t little(const uint8_t *at, unsigned bytes)
{
	size_t n = 0;

	while (bytes--)
		n = n << 8 | at[bytes];
	return n;
}

/*
 * An element is a literal or a copy of earlier output, by the low bits of its
 * first byte.  false: the data are corrupt.
 */
static bool unsnappy(const uint8_t *at, size_t n, uint8_t *out, size_t size)
{
	size_t i = 0, done = 0, length, offset;
	unsigned tag, more;

	while (i < n) {
		tag = at[i++];
		offset = 0;
		length = (tag >> 2) + 1u;
		switch (tag & 3) {
		case 0:
			more = length > 60 ? (unsigned)length - 60 : 0;
			if (more > n - i)
				return false;
			if (more)
				length = little(at + i, more) + 1;
			i += more;
			if (length > n - i || length > size - done)
				return false;
			memcpy(out + done, at + i, length);
			i += length;
			done += length;
			continue;
		case 1:
			more = 1;
			length = (tag >> 2 & 7) + 4;
			offset = (size_t)(tag >> 5) << 8;
			break;
		default:
			more = (tag & 3) == 2 ? 2 : 4;
		}
		if (more > n - i)
			return false;
		offset += little(at + i, more);
		i += more;
		if (!offset || offset > done || length > size - done)
			return false;
		/* They may overlap: a run of the bytes before. */
		for (; length; length--, done++)
			out[done] = out[done - offset];
	}
	return done == size;
}

/* A magic, a version and the oldest reader's; then blocks of a size each. */
enum { SNAPPY_HEAD = 16 };
static const char snappy_magic[] = "\x82SNAPPY";	/* with its NUL */

static unsigned snappy_bid(const uint8_t *head, size_t n)
{
	return n >= SNAPPY_HEAD &&
	       memcmp(head, snappy_magic, sizeof(snappy_magic)) == 0 ? 64 : 0;
}

/* The packed size of the next block; 0: there is none. */
static size_t next_snappy_size(struct fl_in *under, const char **damage)
{
	const uint8_t *at;
	size_t n, size;

	while (at = fl_in_peek(under, SNAPPY_HEAD, &n), snappy_bid(at, n))
		fl_in_consume(under, SNAPPY_HEAD);
	if (!n)
		return 0;
	size = n < 4 ? 0 : be32(at);
	/* Another container, or text, may follow. */
	if (n >= 4 && (fl_decoder_of(at, n, FL_CERTAIN_BITS) ||
		       size > MAX_PACKED))
		return 0;
	if (!size || n < 4) {
		*damage = "the snappy data end early";
		return 0;
	}
	return size;
}

static bool next_snappy(struct blocks *blocks, struct fl_in *under,
			const char **damage)
{
	size_t packed = next_snappy_size(under, damage), n, size, head = 0;
	const uint8_t *at;

	if (!packed)
		return false;
	at = fl_in_peek(under, 4 + packed, &n);
	if (n < 4 + packed) {
		*damage = "the snappy data end early";
		return false;
	}
	size = snappy_size(at + 4, packed, &head);
	if (!head) {
		*damage = "the snappy data are corrupt";
		return false;
	}
	if (!begin_block(blocks, under, size))
		return false;
	if (!unsnappy(at + 4 + head, packed - head, blocks->block, size)) {
		*damage = "the snappy data are corrupt";
		return false;
	}
	fl_in_consume(under, 4 + packed);
	return true;
}

static size_t read_snappy(void *state, struct fl_in *under, uint8_t *out,
			  size_t capacity, const char **damage)
{
	return read_blocks(state, under, out, capacity, damage, next_snappy);
}

const struct fl_decoder fl_decoder_snappy = {
	.name = "snappy", .bid = snappy_bid, .begin = fl_java_blocks_begin,
	.read = read_snappy, .end = fl_java_blocks_end,
};

/* LZF: "ZV", a type, the packed size, and if it is packed the size. */
enum { LZF_PLAIN = 5, LZF_PACKED = 7 };

static size_t be16(const uint8_t *at)
{
	return (size_t)at[0] << 8 | at[1];
}

static bool is_lzf(const uint8_t *head, size_t n)
{
	if (n < LZF_PACKED || head[0] != 'Z' || head[1] != 'V' || head[2] > 1)
		return false;
	return !head[2] || (be16(head + 3) && be16(head + 5));
}

/* The next chunk has to follow, where it can be seen. */
static unsigned lzf_bid(const uint8_t *head, size_t n)
{
	size_t next;

	if (!is_lzf(head, n))
		return 0;
	next = be16(head + 3) + (head[2] ? LZF_PACKED : LZF_PLAIN);
	if (next + LZF_PACKED <= n)
		return is_lzf(head + next, n - next) ? 46 : 0;
	return 24;
}

/* Literals, and copies of 3 bytes and more from up to 8 kB before. */
static bool unlzf(const uint8_t *at, size_t n, uint8_t *out, size_t size)
{
	size_t i = 0, done = 0, length, offset;

	while (i < n) {
		unsigned control = at[i++];

		if (control < 32) {
			length = control + 1;
			if (length > n - i || length > size - done)
				return false;
			memcpy(out + done, at + i, length);
			i += length;
			done += length;
			continue;
		}
		length = control >> 5;
		if (n - i < (length == 7 ? 2 : 1))
			return false;
		if (length == 7)
			length += at[i++];
		length += 2;
		offset = ((size_t)(control & 31) << 8 | at[i++]) + 1;
		if (offset > done || length > size - done)
			return false;
		for (; length; length--, done++)
			out[done] = out[done - offset];
	}
	return done == size;
}

static bool next_lzf(struct blocks *blocks, struct fl_in *under,
		     const char **damage)
{
	const uint8_t *at;
	size_t n, head, packed, size;
	bool good = true;

	at = fl_in_peek(under, LZF_PACKED, &n);
	/* Another container, or text, may follow. */
	if (n < 3 || at[0] != 'Z' || at[1] != 'V' || at[2] > 1)
		return false;
	head = at[2] ? LZF_PACKED : LZF_PLAIN;
	packed = n < head ? 0 : be16(at + 3);
	size = !at[2] || n < head ? packed : be16(at + 5);
	at = fl_in_peek(under, head + packed, &n);
	if (n < head + packed) {
		*damage = "the lzf data end early";
		return false;
	}
	if (!begin_block(blocks, under, size))
		return false;
	if (head == LZF_PACKED)
		good = unlzf(at + head, packed, blocks->block, size);
	else
		memcpy(blocks->block, at + head, size);
	if (!good)
		*damage = "the lzf data are corrupt";
	else
		fl_in_consume(under, head + packed);
	return good;
}

static size_t read_lzf(void *state, struct fl_in *under, uint8_t *out,
		       size_t capacity, const char **damage)
{
	return read_blocks(state, under, out, capacity, damage, next_lzf);
}

const struct fl_decoder fl_decoder_lzf = {
	.name = "lzf", .bid = lzf_bid, .begin = fl_java_blocks_begin,
	.read = read_lzf, .end = fl_java_blocks_end,
};
