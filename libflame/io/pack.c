/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses the packer of an output by the suffix of its name (fl_packer_of, for
 * out.c), and packs with gzip, by zlib; zstd's packer is in zstd.c.
 */
#include "fl.h"

#include "io/pack.h"

#include <zlib.h>

static const struct fl_packer *const packers[] = {
	&fl_packer_gzip, &fl_packer_zstd, NULL
};

static bool ends_in(const char *path, const char *suffix, size_t size)
{
	size_t n = strlen(path);

	return n > size && memcmp(path + n - size, suffix, size) == 0;
}

/* The one of several suffixes in which the name ends; its size. */
static const char *suffix_of(const char *path, const char *suffixes,
			     size_t *size)
{
	while (*suffixes) {
		*size = strcspn(suffixes, " ");
		if (ends_in(path, suffixes, *size))
			return suffixes;
		suffixes += *size + (suffixes[*size] == ' ');
	}
	return NULL;
}

const struct fl_packer *fl_packer_of(const char *path)
{
	size_t size;

	for (size_t i = 0; packers[i]; i++)
		if (suffix_of(path, packers[i]->suffixes, &size))
			return packers[i];
	return NULL;
}

size_t fl_out_bare_size(const char *path)
{
	size_t size;

	return suffix_of(path, ".gz .zst", &size) ? strlen(path) - size : 0;
}

const char *fl_pack_refused(const char *path)
{
	static const char *const refused[] = {
		".xz", ".bz2", ".lz4", ".lzma", ".zip", NULL
	};

	for (size_t i = 0; refused[i]; i++)
		if (ends_in(path, refused[i], strlen(refused[i])))
			return refused[i];
	return NULL;
}

/* gzip ---------------------------------------------------------------- */

enum { LEVEL = 6, WINDOW_BITS = 15, GZIP_HEADER = 16, MEMORY_LEVEL = 8 };

static void *begin(void)
{
	z_stream *z = fl_zeroed(1, sizeof(*z));

	if (!z || deflateInit2(z, LEVEL, Z_DEFLATED, WINDOW_BITS + GZIP_HEADER,
			       MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK) {
		fl_free(z);
		return NULL;
	}
	return z;
}

/* zlib's own header has neither a time nor a name. */
static enum fl_stepped step(void *state, struct fl_step *s, bool last)
{
	z_stream *z = state;
	uInt nin = (uInt)FL_MIN(s->nin, (size_t)1 << 30);
	uInt nout = (uInt)FL_MIN(s->nout, (size_t)1 << 30);
	bool whole = nin == s->nin;
	int code;

	z->next_in = (Bytef *)(uintptr_t)s->in;
	z->avail_in = nin;
	z->next_out = s->out;
	z->avail_out = nout;
	code = deflate(z, last && whole ? Z_FINISH : Z_NO_FLUSH);
	s->in = z->next_in;
	s->nin -= nin - z->avail_in;
	s->out = z->next_out;
	s->nout -= nout - z->avail_out;
	if (code == Z_STREAM_ERROR)
		return FL_STEP_BAD;
	if (last)
		return code == Z_STREAM_END ? FL_STEP_END : FL_STEP_ON;
	return s->nin || !z->avail_out ? FL_STEP_ON : FL_STEP_END;
}

static void end(void *state)
{
	deflateEnd(state);
	fl_free(state);
}

const struct fl_packer fl_packer_gzip = {
	.suffixes = ".gz .svgz", .begin = begin, .step = step, .end = end,
};
