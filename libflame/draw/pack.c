/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packs data for the script of an HTML page, for html.c, html_about.c and
 * said.c: columns of bytes, numbers as LEB128, texts as size and bytes, all of
 * it deflated and written as base64 to a struct fl_out.  fl_pack_moments()
 * packs samples: if a page has any, they are the last block:
 *
 *	ns per tick; ns since 1970 of the first tick's begin; in pages with
 *	the flag STARTS, by how many ns the recording's start is later, or
 *	earlier; numbers of facets, sets and samples
 *	for each facet: name, number of values; the values, sorted: bytes shared
 *	with the one before, rest; for each set the number of its value, or 0
 *	for each set: its number of samples
 *	for each sample, by set and time, column by column: ticks since the one
 *	before, from 1 (absent if a tick is 0); node; weight
 */
#include "base/late.h"
#include "draw/draw.h"

#include <libdeflate.h>
#include <stddef.h>
#include <stdlib.h>
#include <zlib.h>

#define LIBDEFLATE(f) \
	f(libdeflate_alloc_compressor) f(libdeflate_deflate_compress) \
	f(libdeflate_free_compressor)

FL_LATE_STRUCT(libdeflate, LIBDEFLATE);
static FL_LATE(libdeflate, LIBDEFLATE, LIBDEFLATE_FILE, "html",
	       "packs small pages in less time");

/*
 * Blocks are deflated independently, by several threads, and concatenated to
 * one stream: the dictionary of a block is the end of the block before, and all
 * but the last are flushed to a byte boundary.
 */
enum {
	/* Z_FILTERED at 4: the size of the default strategy at 5, 2/3 of its
	   time.  A single block is as small at 1, and smaller by libdeflate. */
	LEVEL = 4, SINGLE_LEVEL = 1, LIBDEFLATE_LEVEL = 1,
	BLOCK = 256 << 10, WINDOW = 32 << 10,
	MAX_DEFLATED = BLOCK + (BLOCK >> 8) + 64,	/* incompressible */
	MAX_CARRIED = 2,	/* bytes short of a base64 group */
	MAX_NUMBER_BYTES = 10,
	MAX_BLOCKS = 64	/* in flight */
};

struct block {
	struct fl_job job;
	z_stream z;
	bool opened, last, good;
	size_t before, n;	/* bytes of the dictionary, of the block */
	size_t deflated;
	/* Not initialized: */
	uint8_t in[WINDOW + BLOCK];
	uint8_t out[MAX_CARRIED + MAX_DEFLATED];
};

/* Columns in, base64 out. */
struct fl_packer {
	struct fl_pack_buffer in;	/* the block being filled */
	struct fl_out *out;
	struct fl_thread_pool *pool;	/* NULL: one thread */
	unsigned threads;
	bool failed;
	struct block *blocks[MAX_BLOCKS];	/* a ring of nblocks */
	unsigned nblocks, first, submitted;
	size_t ncarried;
	uint8_t carried[MAX_CARRIED];
	char text[4 * (8 << 10)];
};

static size_t base64(const uint8_t *from, size_t n, char *to)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"abcdefghijklmnopqrstuvwxyz0123456789+/";
	char *start = to;

	for (; n > 2; n -= 3, from += 3) {
		uint32_t v = from[0] << 16 | from[1] << 8 | from[2];

		*to++ = digits[v >> 18];
		*to++ = digits[v >> 12 & 63];
		*to++ = digits[v >> 6 & 63];
		*to++ = digits[v & 63];
	}
	if (n) {
		uint32_t v = from[0] << 16 | (n > 1 ? from[1] << 8 : 0);

		*to++ = digits[v >> 18];
		*to++ = digits[v >> 12 & 63];
		*to++ = n > 1 ? digits[v >> 6 & 63] : '=';
		*to++ = '=';
	}
	return to - start;
}

static struct block *new_block(void)
{
	struct block *b = fl_alloc(sizeof(*b));

	if (b)
		memset(b, 0, offsetof(struct block, in));
	return b;
}

static bool begin(struct block *b)
{
	bool only = !b->before && b->last;

	if (b->opened)
		return deflateReset(&b->z) == Z_OK;
	b->opened = deflateInit2(&b->z, only ? SINGLE_LEVEL : LEVEL, Z_DEFLATED,
				 -15, only ? 8 : 9, Z_FILTERED) == Z_OK;
	return b->opened;
}

/* A single block, by libdeflate.  false: use zlib. */
static bool deflate_single(struct block *b)
{
	struct libdeflate_compressor *c;

	if (fl_late_open(&libdeflate_late))
		return false;
	c = libdeflate.libdeflate_alloc_compressor(LIBDEFLATE_LEVEL);
	if (!c) {
		fl_memory_failed();
		return false;
	}
	b->deflated = libdeflate.libdeflate_deflate_compress(c,
				b->in + WINDOW, b->n, b->out + MAX_CARRIED,
				MAX_DEFLATED);
	libdeflate.libdeflate_free_compressor(c);
	return b->deflated;
}

/* Runs in any thread. */
static void deflate_block(struct fl_job *job)
{
	struct block *b = (struct block *)job;
	z_stream *z = &b->z;
	int status;

	b->good = !b->before && b->last && deflate_single(b);
	if (b->good || !begin(b) ||
	    (b->before && deflateSetDictionary(z, b->in + WINDOW - b->before,
					       b->before) != Z_OK))
		return;
	z->next_in = b->in + WINDOW;
	z->avail_in = b->n;
	z->next_out = b->out + MAX_CARRIED;
	z->avail_out = MAX_DEFLATED;
	status = deflate(z, b->last ? Z_FINISH : Z_SYNC_FLUSH);
	b->deflated = MAX_DEFLATED - z->avail_out;
	b->good = b->last ? status == Z_STREAM_END :
			    status == Z_OK && z->avail_out;
}

/* Writes the oldest block as base64; carries bytes short of a group. */
static void write_block(struct fl_packer *p)
{
	struct block *b = p->blocks[p->first];
	size_t size, n;
	uint8_t *at;

	if (p->pool)
		fl_thread_pool_wait(p->pool, &b->job);
	p->first = (p->first + 1) % p->nblocks;
	p->submitted--;
	p->failed = p->failed || !b->good;
	if (p->failed)
		return;
	at = b->out + MAX_CARRIED - p->ncarried;
	memcpy(at, p->carried, p->ncarried);
	size = p->ncarried + b->deflated;
	p->ncarried = b->last ? 0 : size % 3;
	size -= p->ncarried;
	memcpy(p->carried, at + size, p->ncarried);
	for (; size; size -= n, at += n) {
		n = FL_MIN(size, sizeof(p->text) / 4 * 3);
		fl_out_put(p->out, p->text, base64(at, n, p->text));
	}
}

static struct block **free_block(struct fl_packer *p)
{
	return &p->blocks[(p->first + p->submitted) % p->nblocks];
}

static void submit_block(struct fl_packer *p, struct block *b, bool last)
{
	b->n = p->in.count;
	b->last = last;
	b->job.run = deflate_block;
	if (!p->pool && p->threads > 1 && !last)
		p->pool = fl_thread_pool_new(p->threads);
	p->submitted++;
	if (p->pool)
		fl_thread_pool_submit(p->pool, &b->job);
	else
		deflate_block(&b->job);
}

/* Submits the full block; its end becomes the next one's dictionary. */
static void next_block(struct fl_packer *p)
{
	struct block *b = *free_block(p), **next;

	if (!p->failed)
		submit_block(p, b, false);
	while (p->submitted == p->nblocks || (p->failed && p->submitted))
		write_block(p);
	next = free_block(p);
	if (!*next)
		*next = new_block();
	if (!*next)
		p->failed = true;
	p->in.count = 0;
	if (p->failed)
		return;
	(*next)->before = FL_MIN(b->n, (size_t)WINDOW);
	memcpy((*next)->in + WINDOW - (*next)->before,
	       b->in + WINDOW + b->n - (*next)->before, (*next)->before);
	p->in.data = (*next)->in + WINDOW;
}

void fl_pack(struct fl_packer *p, const void *at, size_t size)
{
	const uint8_t *from = at;

	while (size) {
		size_t n = FL_MIN(size, BLOCK - p->in.count);

		memcpy(p->in.data + p->in.count, from, n);
		p->in.count += n;
		from += n;
		size -= n;
		if (p->in.count == BLOCK)
			next_block(p);
	}
}

void fl_pack_long(struct fl_packer *p, uint64_t n)
{
	if (p->in.count >= p->in.capacity)
		next_block(p);
	while (n > 127) {
		p->in.data[p->in.count++] = n | 128;
		n >>= 7;
	}
	p->in.data[p->in.count++] = n;
}

void fl_pack_text(struct fl_packer *p, const char *text)
{
	size_t size = text ? strlen(text) : 0;

	fl_pack_number(p, size);
	fl_pack(p, text, size);
}

/* Packs the size of the prefix shared with *last, and the rest; sets *last. */
void fl_pack_shared_prefix(struct fl_packer *p, struct slice *last,
			   struct slice text)
{
	size_t shorter = FL_MIN(last->size, text.size), same = 0;

	while (same < shorter && last->data[same] == text.data[same])
		same++;
	fl_pack_number(p, same);
	fl_pack_number(p, text.size - same);
	fl_pack(p, text.data + same, text.size - same);
	*last = text;
}

struct fl_packer *fl_packer_open(struct fl_out *out, unsigned threads)
{
	struct fl_packer *p = fl_zeroed(1, sizeof(*p));

	if (!p)
		return NULL;
	p->out = out;
	p->threads = threads;
	p->nblocks = FL_MIN(FL_MAX(2 * threads, 2u), (unsigned)MAX_BLOCKS);
	p->blocks[0] = new_block();
	if (p->blocks[0]) {
		p->in.data = p->blocks[0]->in + WINDOW;
		p->in.capacity = BLOCK - MAX_NUMBER_BYTES + 1;
		return p;
	}
	fl_free(p);
	return NULL;
}

bool fl_packer_close(struct fl_packer *p)
{
	bool good;

	if (!p->failed)
		submit_block(p, *free_block(p), true);
	while (p->submitted)
		write_block(p);
	good = !p->failed;
	fl_thread_pool_free(p->pool);
	for (unsigned i = 0; i < p->nblocks; i++) {
		if (p->blocks[i] && p->blocks[i]->opened)
			deflateEnd(&p->blocks[i]->z);
		fl_free(p->blocks[i]);
	}
	fl_free(p);
	return good;
}

/* Samples ----------------------------------------------------------------- */

static void pack_facet(struct fl_packer *p, const struct fl_facet *facet,
		       size_t nsets, const struct flame *flame)
{
	struct slice last = fl_name_at(flame, facet->name);

	fl_pack_text(p, last.data);
	fl_pack_number(p, facet->nvalues);
	last.size = 0;
	for (size_t i = 0; i < facet->nvalues; i++)
		fl_pack_shared_prefix(p, &last, facet->values[i].text);
	for (size_t i = 0; i < nsets; i++)
		fl_pack_number(p, facet->of_set[i]);
}

static void pack_times(struct fl_packer *p, const struct fl_moments *m)
{
	for (size_t i = 0; i < m->count; i++) {
		bool on = i && m->data[i].set == m->data[i - 1].set;

		fl_pack_number(
			p, (uint64_t)m->data[i].time -
				   (on ? (uint64_t)m->data[i - 1].time : 0));
	}
}

void fl_pack_moments(struct fl_packer *p, const struct fl_moments *m,
		     const struct flame *flame)
{
	int64_t lead = m->zero - m->start;
	size_t i = 0;

	fl_pack_number(p, (uint64_t)m->tick);
	fl_pack_number(p, (uint64_t)m->start);
	if (lead) {
		fl_pack_number(p, (uint64_t)FL_MAX(lead, 0));
		fl_pack_number(p, (uint64_t)FL_MAX(-lead, 0));
	}
	fl_pack_number(p, m->nfacets);
	fl_pack_number(p, m->nsets);
	fl_pack_number(p, m->count);
	for (size_t k = 0; k < m->nfacets; k++)
		pack_facet(p, &m->facets[k], m->nsets, flame);
	for (size_t set = 0; set < m->nsets; set++) {
		size_t from = i;

		while (i < m->count && m->data[i].set == set)
			i++;
		fl_pack_number(p, i - from);
	}
	if (m->tick)
		pack_times(p, m);
	for (i = 0; i < m->count; i++)
		fl_pack_number(p, m->data[i].node);
	for (i = 0; i < m->count; i++)
		fl_pack_number(p, (uint64_t)m->data[i].weight);
}
