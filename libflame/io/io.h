/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The io room: bytes.  An input is peeked and consumed; decoders that bid on
 * its first bytes stack up in front of it until none bids.  An output is
 * buffered and appears whole or not at all.
 */
#ifndef FL_IO_H
#define FL_IO_H

#include "fl.h"

/*
 * An input: a file (buffered or mapped), a pipe (buffered), memory, or a
 * layer over another input that unpacks it.
 */
struct fl_in;

/* path "-" is standard input.  NULL with fl_fail's text where it fails. */
struct fl_in *fl_in_open(struct flame *flame, const char *path);
/*
 * Has all bytes of a file there at once, if that can be; they stay put until
 * close.  All that was peeked before has moved.  Who reads on and on has no
 * need of it: a buffer is as fast, and smaller than what is mapped at a time.
 */
void fl_in_map(struct fl_in *in);
/* Bytes of the caller's, which outlive the input. */
struct fl_in *fl_in_memory(struct flame *flame, const void *at, size_t size,
			   const char *name);
/*
 * Puts layers in front as long as a decoder bids, at most FL_NESTING deep.
 * Owns what it is given; NULL on failure.
 *
 * A layer goes on where a packed member ends: with the decoder that bids for
 * what follows (zeros between are skipped), or with plain bytes.  In plain
 * text a packed member is known where it begins a line; other plain bytes
 * may hold anything, and are passed on to their end (see fl_in_decode_at).
 */
struct fl_in *fl_in_decoded(struct fl_in *in);
/*
 * For readers of binary formats, where a record could begin: whether a packed
 * member begins so many bytes from here; what is peeked from now on is
 * what is in it.  All that was peeked before has moved.
 */
bool fl_in_decode_at(struct fl_in *in, size_t offset);

/*
 * Of what fl_in_decoded gave: has a thread of its own unpack it, where there
 * are at least so many bytes.
 */
struct fl_in *fl_in_unpack_in_thread(struct fl_in *in, size_t least);

enum { FL_NESTING = 3 };

/*
 * Peek at `min` bytes or more; *avail says how many are there, which is
 * less than min only at the end of the input or after damage.  The bytes
 * stay ours and stay put until the next peek or consume.  Never NULL unless
 * *avail is 0.  min SIZE_MAX: all that is left.
 */
const uint8_t *fl_in_peek(struct fl_in *in, size_t min, size_t *avail);
/*
 * The same up to a line's end, which it gives; NULL: the input ends before.
 */
const char *fl_in_peek_line(struct fl_in *in, const char **at, size_t *avail);
/* Moves on by n <= avail bytes. */
void fl_in_consume(struct fl_in *in, size_t n);

/* Offset of the next byte, in decoded bytes from the start. */
uint64_t fl_in_offset(const struct fl_in *in);
/*
 * Size in decoded bytes where it is known at once (files, memory); of plain
 * text with packed members in it, that of both as they are.
 */
bool fl_in_size(const struct fl_in *in, uint64_t *size);
/*
 * Mapped or memory: all bytes of the input, from offset 0, at once; they
 * stay put until close.  NULL for other kinds, and for text that came
 * through fl_in_decoded: packed members may turn up in it.
 */
const uint8_t *fl_in_all(struct fl_in *in, size_t *size);
/*
 * Whether the bytes that were peeked last stay put until close, whatever is
 * peeked after them.
 */
bool fl_in_is_stable(const struct fl_in *in);
/*
 * Where in its file bytes lie that were peeked last (NULL: any); false: they
 * came out of something packed, or of no file that can be read again.
 * fl_in_dup_file is the file, to be closed by the caller; -1: there is none.
 */
bool fl_in_file_offset(const struct fl_in *in, const char *at,
		       uint64_t *offset);
int fl_in_dup_file(const struct fl_in *in);
/*
 * Of an input that stays: the bytes from `from` bytes behind the next one on,
 * whether they were looked at for packed members or not.  watched: they were
 * not, so fl_decoder_scan has to be asked before they are read as text.
 */
const uint8_t *fl_in_lookahead(const struct fl_in *in, size_t from,
			       size_t *avail, bool *watched);
/* Consumes n bytes of those, in which no packed member begins. */
void fl_in_skip(struct fl_in *in, size_t n);
/*
 * Of text, how many of the first `limit` bytes come before a line that is
 * the beginning of a packed member.  n >= limit bytes are there to look at;
 * line: the first byte begins a line.
 */
size_t fl_decoder_scan(const uint8_t *at, size_t limit, size_t n, bool line);
/*
 * Before anything is peeked at: one of many that are read at once, which
 * keeps buffers and mapped pages few (some 64 kB instead of a megabyte).
 */
void fl_in_use_small_buffers(struct fl_in *in);
/*
 * Mapped inputs: bytes before this offset will not be looked at again, the
 * system may have their pages back.  Nothing for other kinds.
 */
void fl_in_release(struct fl_in *in, uint64_t offset);
/* The same of bytes here and there in what is to be read later. */
void fl_in_release_range(struct fl_in *in, const uint8_t *from,
			 const uint8_t *to);
/* Whether these do anything. */
bool fl_in_is_mapped(const struct fl_in *in);
/*
 * Whether what came out is cut short or damaged (a gzip without its end, a
 * read error).  NULL: no.  The text names neither file nor tool.
 */
const char *fl_in_damage(const struct fl_in *in);
/* Damaged so: it unpacks to far more than is believed, and was not read on. */
bool fl_in_is_bomb(const struct fl_in *in);
const char *fl_in_name(const struct fl_in *in);
/* Takes NULL too. */
void fl_in_close(struct fl_in *in);

/*
 * A decoder: one file and one row each (gzip.c, zstd.c, ...; the table is
 * in decoders.c).  bid: how many bits of the head it checked, 0 for no.
 * begin: the state, or NULL after fl_fail.  read: fills out[0..room), gives
 * the bytes written, 0 at the end of what is its own; it consumes that from
 * `under` and nothing behind.  It sets *damage, to text that lives until
 * end, where the data are cut or corrupt: what it has written still counts,
 * and is the last.
 */
struct fl_decoder {
	const char *name;
	const struct fl_late *late;	/* of its library; NULL: linked with */
	unsigned (*bid)(const uint8_t *head, size_t n);
	void *(*begin)(struct flame *flame, struct fl_in *under);
	size_t (*read)(void *state, struct fl_in *under, uint8_t *out,
		       size_t room, const char **damage);
	void (*end)(void *state);
};

extern const struct fl_decoder *const fl_decoders[];	/* ends in NULL */

/*
 * An output.  path "-" is standard output.  A regular file is written beside
 * its place and renamed by fl_out_close, so it appears whole or not at all;
 * pipes and devices are written as they are.  Failures latch and come out of
 * close; fl_failed() knows of them at once.  Where the reader of a pipe has
 * gone (EPIPE; the tool must ignore SIGPIPE to see it) the failure's text
 * is "": there is nobody to tell.
 */
struct fl_out;

struct fl_out *fl_out_open(struct flame *flame, const char *path);
/* Into a buffer of the caller's, for tests and embedding. */
struct fl_out *fl_out_memory(struct flame *flame, struct fl_buf *buf);
void fl_out_put(struct fl_out *out, const void *at, size_t size);

static inline void fl_out_text(struct fl_out *out, const char *text)
{
	fl_out_put(out, text, strlen(text));
}

/*
 * Where up to FL_OUT_RESERVE bytes can be written, until the next call; then
 * what is there up to `end` is out.
 */
enum { FL_OUT_RESERVE = 1 << 10 };
char *fl_out_reserve(struct fl_out *out);
void fl_out_commit(struct fl_out *out, const char *end);

void fl_out_print(struct fl_out *out, const char *format, ...) FL_PRINTF(2, 3);
/* Where a regular file will be; NULL for what is written as it is. */
const char *fl_out_path(const struct fl_out *out);
int fl_out_close(struct fl_out *out);
/* Closes and removes what was written; takes NULL too. */
void fl_out_discard(struct fl_out *out);

#endif
