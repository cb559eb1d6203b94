/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes in and out.  An input is peeked and consumed; decoders that bid on its
 * first bytes are stacked in front of it until none bids.  An output is
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
/* A file of this machine, whatever else reads inputs. */
struct fl_in *fl_in_open_file(struct flame *flame, const char *path);
/*
 * Maps a file, if possible: all its bytes stay put until close.  Pointers
 * peeked before are void.  Sequential readers need no mapping: a buffer is as
 * fast and needs less memory.
 */
void fl_in_map(struct fl_in *in);
/* Bytes of the caller, which must outlive the input. */
struct fl_in *fl_in_memory(struct flame *flame, const void *at, size_t size,
			   const char *name);
/*
 * Puts layers in front as long as a decoder bids, at most FL_NESTING deep.
 * Owns `in`; NULL on failure.
 *
 * At the end of a packed member a layer skips zeros and goes on with the
 * decoder that bids for the next bytes, or with plain bytes.  In plain text a
 * packed member is found at the beginning of a line; binary data are not
 * scanned (see fl_in_decode_at).
 */
struct fl_in *fl_in_decoded(struct fl_in *in);
/*
 * For readers of binary formats, where a record could begin: whether a packed
 * member begins `offset` bytes from here; the next peeks then return its
 * contents.  Pointers peeked before are void.
 */
bool fl_in_decode_at(struct fl_in *in, size_t offset);

/*
 * Lets a thread unpack an input of fl_in_decoded, if it has at least
 * `least` bytes.  Returns the input to use instead.
 */
struct fl_in *fl_in_unpack_in_thread(struct fl_in *in, size_t least);

enum { FL_NESTING = 3 };

/*
 * Peek at `min` bytes or more; *avail is their number, less than min only at
 * the end of the input or after damage.  The bytes stay ours and stay put until
 * the next peek or consume.  NULL only if *avail is 0.  min SIZE_MAX: the rest
 * of the input.
 */
const uint8_t *fl_in_peek(struct fl_in *in, size_t min, size_t *avail);
/*
 * Peek at a whole line and return its line end; NULL: the input ends before, or
 * the line is too long (fl_in_refuse_line).
 */
const char *fl_in_peek_line(struct fl_in *in, const char **at, size_t *avail);
/* Ends the input here, with that damage: more would need too much memory. */
FL_PRINTF(2, 3)
void fl_in_refuse(struct fl_in *in, const char *format, ...);
/*
 * For those who look for the end of a line themselves: whether a line of `size`
 * bytes or more, which begins at the next byte, is too long for memory.  The
 * input is damaged then, and ends.
 */
bool fl_in_refuse_line(struct fl_in *in, size_t size);
/* The longest line, in bytes. */
size_t fl_in_max_line(const struct fl_in *in);
/* For inputs opened from now on; at least FL_LINE_BYTES, 0: no limit. */
enum { FL_LINE_BYTES = 64 << 20 };
void fl_in_limit_line(size_t bytes);
/* Moves on by n <= avail bytes. */
void fl_in_consume(struct fl_in *in, size_t n);
/*
 * The next size <= avail bytes of an input that is not stable, for the caller
 * to keep: they begin at *at, in a block that it frees.  Where they are most of
 * the buffer, that block is the buffer, and nothing is copied.  NULL: no memory.
 */
uint8_t *fl_in_take(struct fl_in *in, size_t size, const uint8_t **at);

/* Offset of the next byte, in decoded bytes from the start. */
uint64_t fl_in_offset(const struct fl_in *in);
/* Bytes of the file or pipe, packed or not, so far; of a mapped file all. */
uint64_t fl_in_bytes(const struct fl_in *in);
/*
 * The size, if it is known in advance (files, memory).  Packed members in plain
 * text count with their packed size.
 */
bool fl_in_size(const struct fl_in *in, uint64_t *size);
/*
 * Mapped or memory: all bytes of the input, from offset 0; they stay put until
 * close.  NULL for other kinds, and for text from fl_in_decoded, which may hold
 * packed members.
 */
const uint8_t *fl_in_all(struct fl_in *in, size_t *size);
/*
 * Whether peeked bytes stay put until close.
 */
bool fl_in_is_stable(const struct fl_in *in);
/*
 * Of a stable input: the bytes from `from` bytes after the next one on.
 * *watched: they were not scanned for packed members, so the caller has to ask
 * fl_decoder_scan before it reads them as text.
 */
const uint8_t *fl_in_lookahead(const struct fl_in *in, size_t from,
			       size_t *avail, bool *watched);
/* Consumes n of those bytes, which hold no packed member. */
void fl_in_skip(struct fl_in *in, size_t n);
/*
 * How many of the first `limit` bytes of text come before a line that begins a
 * packed member.  n >= limit: bytes that may be read; line: the first byte
 * begins a line.
 */
size_t fl_decoder_scan(const uint8_t *at, size_t limit, size_t n, bool line);
/*
 * Before the first peek, for one of many inputs that are open at once: uses
 * some 64 kB instead of a megabyte.
 */
void fl_in_use_small_buffers(struct fl_in *in);
/*
 * Mapped inputs: releases pages before this offset, as they
 * will not be read again.  Other kinds: nothing.
 */
void fl_in_release(struct fl_in *in, uint64_t offset);
/* The same for bytes that were read out of order. */
void fl_in_release_range(struct fl_in *in, const uint8_t *from,
			 const uint8_t *to);
/*
 * Damage of the bytes peeked so far (a gzip without its end, a read error).
 * NULL: none.  The text names neither file nor tool.
 */
const char *fl_in_damage(const struct fl_in *in);
/* The damage is a bomb or of fl_in_refuse: reading ended early. */
bool fl_in_is_refused(const struct fl_in *in);
const char *fl_in_name(const struct fl_in *in);
/* NULL is allowed. */
void fl_in_close(struct fl_in *in);

/*
 * A decoder: one file and one row each (gzip.c, zstd.c, ...; the table is
 * in decoders.c).  bid: how many bits of the head it checked, 0 for no.
 * begin: the state, or NULL after fl_fail.  read: fills out[0..capacity) and
 * returns the bytes written, 0 at the end of the packed data; it consumes these
 * from `under` and nothing after them.  On cut or corrupt data it sets *damage
 * to text that lives until end; the bytes it returns then are the last.
 */
struct fl_decoder {
	const char *name;
	const struct fl_late *late;	/* its library; NULL: linked */
	unsigned (*bid)(const uint8_t *head, size_t n);
	void *(*begin)(struct flame *flame, struct fl_in *under);
	size_t (*read)(void *state, struct fl_in *under, uint8_t *out,
		       size_t capacity, const char **damage);
	void (*end)(void *state);
};

extern const struct fl_decoder *const fl_decoders[];	/* ends in NULL */

/*
 * zstd.c: a stream that lies in pieces in the records of a format.  A step
 * reads bytes from in, fills out, and moves both; *why: the damage, until end.
 */
struct fl_piece {
	const uint8_t *in;
	size_t nin;
	uint8_t *out;
	size_t nout;
};

/* NULL: *why, or out of memory. */
void *fl_zstd_begin(struct flame *flame, const char **why);
bool fl_zstd_step(void *state, struct fl_piece *piece, const char **why);
void fl_zstd_end(void *state);		/* NULL is fine */

/*
 * An output.  path "-" is standard output.  A regular file is written beside
 * its place and renamed by fl_out_close, so it appears whole or not at all;
 * pipes and devices are written as they are.  Contents are packed if the path
 * ends in .gz, .svgz or .zst.  Failures latch and come out of close;
 * fl_failed() reports them at once.  If the reader of a pipe has gone
 * (EPIPE; the tool must ignore SIGPIPE) the failure's text is "".
 */
struct fl_out;

struct fl_out *fl_out_open(struct flame *flame, const char *path);
/*
 * Packs the output with gzip, unless fl_out_open packs it already by its name.
 * Call it before the first byte.
 */
void fl_out_gzip(struct fl_out *out);
/*
 * The size of a name without .gz or .zst at its end, for the detection of the
 * format; 0: it has neither.
 */
size_t fl_out_bare_size(const char *path);
/*
 * A server that a message is sent to.  check: whether it can be sent at all,
 * else fl_fail; send: FLAME_OK, or FLAME_FAILED after fl_fail.
 */
struct fl_server {
	bool (*check)(struct flame *flame, const char *name, const char *url);
	int (*send)(struct flame *flame, const char *name, const char *url,
		    struct slice message);
};

/* Collects a message in gzip, which fl_out_close sends. */
struct fl_out *fl_out_message(struct flame *flame, const char *path,
			      const struct fl_server *server, const char *url);
/* Into a buffer of the caller's, for tests and embedding. */
struct fl_out *fl_out_memory(struct flame *flame, struct fl_buf *buf);
/* Calls write() with all bytes, in parts; an errno of its ends the output. */
struct fl_out *fl_out_callback(struct flame *flame,
			       int (*write)(void *arg, const void *data,
					    size_t size), void *arg);
void fl_out_put(struct fl_out *out, const void *at, size_t size);

static inline void fl_out_text(struct fl_out *out, const char *text)
{
	fl_out_put(out, text, strlen(text));
}

/*
 * Memory for up to FL_OUT_RESERVE bytes, until the next call.  fl_out_commit
 * writes the bytes up to `end`.
 */
enum { FL_OUT_RESERVE = 1 << 10 };
char *fl_out_reserve(struct fl_out *out);
void fl_out_commit(struct fl_out *out, const char *end);

void fl_out_print(struct fl_out *out, const char *format, ...) FL_PRINTF(2, 3);
/*
 * The path that a regular file was opened by, which may be a link; NULL for
 * pipes and devices.
 */
const char *fl_out_path(const struct fl_out *out);
int fl_out_close(struct fl_out *out);
/* Closes, and removes the unfinished file; NULL is allowed. */
void fl_out_discard(struct fl_out *out);

#endif
