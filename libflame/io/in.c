/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inputs: bytes to peek at and to consume.  Either all of them are there at
 * once (memory, mapped files), or a buffer is refilled (pipes, decoders).
 * A file that shrinks while it is mapped is a SIGBUS, as it is everywhere.
 */
#include "fl.h"

#include "io/decoders.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	BLOCK = 256 << 10,	/* asked of a pipe or a decoder at once */
	FORGET = 1 << 20	/* fewer bytes are not worth a system call */
};

struct fl_in {
	struct flame *flame;
	char *name;
	const uint8_t *at;	/* the next byte */
	size_t left;		/* bytes there */
	uint64_t offset;	/* of the next byte */
	bool ended;		/* no more than what is left */
	const char *damage;
	char text[128];		/* of the damage */

	/* Memory and mapped files. */
	const uint8_t *all;
	size_t size;
	void *map;		/* begins before `all` where stdin did */
	size_t map_size, forgotten;

	/* Pipes and decoders. */
	uint8_t *buffer;
	size_t room;
	int fd;			/* -1: none */
	const struct fl_decoder *decoder;
	void *state;
	struct fl_in *under;
};

static struct fl_in *new_in(struct flame *flame, const char *name)
{
	struct fl_in *in = calloc(1, sizeof(*in));

	if (in)
		in->name = strdup(name);
	if (!in || !in->name) {
		free(in);
		fl_no_memory(flame);
		return NULL;
	}
	in->flame = flame;
	in->fd = -1;
	return in;
}

static void set_all(struct fl_in *in, const void *at, size_t size)
{
	in->all = in->at = at;
	in->size = in->left = size;
	in->ended = true;
}

struct fl_in *fl_in_memory(struct flame *flame, const void *at, size_t size,
			   const char *name)
{
	struct fl_in *in = new_in(flame, name);

	if (in)
		set_all(in, size ? at : "", size);
	return in;
}

/* Files --------------------------------------------------------------- */

/*
 * From where a shell has left standard input.  Files of /proc say that they
 * are empty: read them.
 */
static bool map(struct fl_in *in, const struct stat *st)
{
	off_t start = lseek(in->fd, 0, SEEK_CUR);
	uint8_t *at;

	if (!S_ISREG(st->st_mode) || start < 0 || start >= st->st_size ||
	    (uintmax_t)st->st_size > PTRDIFF_MAX)
		return false;
	at = mmap(NULL, (size_t)st->st_size, PROT_READ, MAP_PRIVATE, in->fd,
		  0);
	if (at == MAP_FAILED)
		return false;
	in->map = at;
	in->map_size = (size_t)st->st_size;
	madvise(at, in->map_size, MADV_SEQUENTIAL);
	set_all(in, at + start, in->map_size - (size_t)start);
	return true;
}

static void close_fd(struct fl_in *in)
{
	if (in->fd > STDIN_FILENO)
		close(in->fd);
	in->fd = -1;
}

static bool open_fd(struct fl_in *in, const char *path)
{
	struct stat st;

	in->fd = strcmp(path, "-") == 0 ? STDIN_FILENO :
					  open(path, O_RDONLY | O_CLOEXEC);
	if (in->fd < 0 || fstat(in->fd, &st) != 0) {
		fl_fail(in->flame, "%s: %s", in->name, strerror(errno));
		return false;
	}
	if (S_ISDIR(st.st_mode)) {
		fl_fail(in->flame, "%s: is a directory", in->name);
		return false;
	}
	if (map(in, &st))
		close_fd(in);
	return true;
}

struct fl_in *fl_in_open(struct flame *flame, const char *path)
{
	struct fl_in *in = new_in(flame, strcmp(path, "-") == 0 ?
					 "standard input" : path);

	if (in && !open_fd(in, path)) {
		fl_in_close(in);
		return NULL;
	}
	return in;
}

/* Decoders ------------------------------------------------------------ */

static struct fl_in *decode(struct fl_in *under,
			    const struct fl_decoder *decoder)
{
	struct fl_in *in = new_in(under->flame, under->name);

	if (!in)
		return NULL;
	in->state = decoder->begin(under->flame, under);
	if (!in->state) {
		fl_in_close(in);
		return NULL;
	}
	in->decoder = decoder;
	in->under = under;
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
		head = fl_in_peek(in, FL_HEAD, &n);
		if (!fl_decoder_find(in->flame, in->name, head, n, &decoder))
			break;
		if (!decoder)
			return in;
		if (depth == FL_NESTING) {
			fl_fail(in->flame, "%s: compressed more than %d times",
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

/* Refilling ----------------------------------------------------------- */

/*
 * Room for a block behind what is left.  What was consumed is dropped only
 * when that is worth it: a byte is moved once, or the buffer doubles.
 */
static bool make_room(struct fl_in *in)
{
	size_t used = in->buffer ? (size_t)(in->at - in->buffer) : 0;

	if (in->left == 0)
		used = 0;
	else if (in->room - used - in->left >= BLOCK)
		return true;
	else if (used)
		memmove(in->buffer, in->at, in->left);
	in->at = in->buffer;
	if (in->left <= in->room / 2 && in->room - in->left >= BLOCK)
		return true;
	if (!fl_grow(&in->buffer, &in->room, in->left + 2 * BLOCK, 1)) {
		fl_no_memory(in->flame);
		return false;
	}
	in->at = in->buffer;
	return true;
}

static size_t read_fd(struct fl_in *in, uint8_t *to, size_t room)
{
	struct pollfd ready = { .fd = in->fd, .events = POLLIN };
	ssize_t n;

	while ((n = read(in->fd, to, room)) < 0) {
		if (errno == EAGAIN) {
			poll(&ready, 1, -1);
		} else if (errno != EINTR) {
			snprintf(in->text, sizeof(in->text),
				 "cannot read on: %s", strerror(errno));
			in->damage = in->text;
			return 0;
		}
	}
	return (size_t)n;
}

static size_t read_decoder(struct fl_in *in, uint8_t *to, size_t room)
{
	size_t n = in->decoder->read(in->state, in->under, to, room,
				     &in->damage);

	fl_in_forget(in->under, fl_in_offset(in->under));
	return n;
}

static void refill(struct fl_in *in)
{
	uint8_t *to;
	size_t n, room;

	if (!make_room(in)) {
		in->damage = "out of memory";
		in->ended = true;
		return;
	}
	to = in->buffer + (in->at - in->buffer) + in->left;
	room = (size_t)(in->buffer + in->room - to);
	n = in->decoder ? read_decoder(in, to, room) : read_fd(in, to, room);
	in->left += n;
	in->ended = n == 0 || in->damage;
}

const uint8_t *fl_in_peek(struct fl_in *in, size_t min, size_t *avail)
{
	while (in->left < min && !in->ended)
		refill(in);
	*avail = in->left;
	return in->at;
}

void fl_in_consume(struct fl_in *in, size_t n)
{
	in->at += n;
	in->left -= n;
	in->offset += n;
}

/* What is known ------------------------------------------------------- */

uint64_t fl_in_offset(const struct fl_in *in)
{
	return in->offset;
}

bool fl_in_size(const struct fl_in *in, uint64_t *size)
{
	*size = in->size;
	return in->all;
}

const uint8_t *fl_in_all(struct fl_in *in, size_t *size)
{
	*size = in->size;
	return in->all;
}

void fl_in_forget(struct fl_in *in, uint64_t offset)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), end;

	if (!in->map || offset > in->size)
		return;
	end = (size_t)(in->all - (uint8_t *)in->map) + (size_t)offset;
	end -= end % page;
	if (end < in->forgotten + FORGET)
		return;
	madvise((char *)in->map + in->forgotten, end - in->forgotten,
		MADV_DONTNEED);
	in->forgotten = end;
}

const char *fl_in_damage(const struct fl_in *in)
{
	const char *under = in->under ? fl_in_damage(in->under) : NULL;

	/* Where reading broke off, decoding did too: tell the cause. */
	return under ? under : in->damage;
}

const char *fl_in_name(const struct fl_in *in)
{
	return in->name;
}

void fl_in_close(struct fl_in *in)
{
	struct fl_in *under;

	for (; in; in = under) {
		under = in->under;
		if (in->decoder)
			in->decoder->end(in->state);
		if (in->map)
			munmap(in->map, in->map_size);
		close_fd(in);
		free(in->buffer);
		free(in->name);
		free(in);
	}
}
