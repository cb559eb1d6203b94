/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inputs: bytes to peek at and to consume.  Either all of them are there at
 * once (memory, mapped files), or a buffer is refilled (files, pipes, layers).
 *
 * A layer is over another input and gives its parts, one after another:
 * packed members as what is in them, and plain bytes as they are.  Plain
 * text is watched: bytes are shown only once it is known that no packed
 * member begins among them.
 */
#include "fl.h"

#include "base/late.h"
#include "io/read_ahead.h"
#include "io/decoders.h"
#include "io/mapped.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	BLOCK = FL_BLOCK,
	FILE_BLOCK = 64 << 10,	/* two of these stay in the CPU's cache */
	FORGET = 512 << 10,	/* fewer bytes are not worth a system call */
	PART = FORGET / 2,	/* see set_apart */
	STEP = 1 << 20,		/* that progress is told of */
	/* Of one of many: */
	SMALL_BLOCK = 16 << 10,
	SMALL_FORGET = 64 << 10,
	/* With a page that is looked at the system may map so many around. */
	AROUND = 2 << 20
};

/* What unpacks to more than that, so many times its size, is a bomb. */
#define BOMB_SIZE (UINT64_C(256) << 20)
enum { BOMB_RATIO = 2000 };

static const char shrunk[] =
	"became shorter, or unreadable, while it was read";
static const char bomb[] =
	"unpacks to more than 256 MB and 2000 times its size and is not read "
	"on; if that is right, unpack it before";

struct fl_in {
	struct flame *flame;
	char *name;
	const uint8_t *at;	/* the next byte */
	size_t left;		/* bytes there */
	uint64_t offset;	/* of the next byte */
	bool ended;		/* no more than what is left */

	/* Watched: behind what is left, more is there, not shown yet. */
	bool watched;
	bool line;		/* begins behind what is left */
	bool turned;		/* a packed member begins there */
	bool below;		/* a layer, which goes on from there */
	bool dry;		/* no more than what is hidden */
	size_t hidden;

	bool small;		/* see fl_in_use_small_buffers */
	const char *damage;
	char text[128];		/* of the damage */

	/* Memory and files that could be mapped: `all` is set if they are. */
	const uint8_t *all;
	size_t size;		/* if `sized` */
	bool sized;
	off_t start;		/* where stdin was left */
	struct fl_mapped map;	/* begins before `all` where stdin did */
	size_t forgotten;

	/* Files, pipes and layers. */
	uint8_t *buffer;
	size_t room;
	int fd;			/* -1: none */
	int stop;		/* readable: wait no more; -1: none */
	uint64_t had;		/* read of it */
	struct fl_read_ahead *ahead; /* a thread gives what comes of a layer */
	struct fl_in *under;
	const struct fl_decoder *decoder;	/* NULL: plain bytes */
	void *state;
	uint64_t unpacked;
};

static struct fl_in *new_in(struct flame *flame, const char *name)
{
	struct fl_in *in = fl_zeroed(1, sizeof(*in));

	if (in)
		in->name = fl_memory_adopt(strdup(name));
	if (!in || !in->name) {
		fl_free(in);
		fl_no_memory(flame);
		return NULL;
	}
	in->flame = flame;
	in->fd = in->stop = -1;
	return in;
}

void fl_in_use_small_buffers(struct fl_in *in)
{
	in->small = true;
}

static size_t block(const struct fl_in *in)
{
	return in->small ? SMALL_BLOCK :
	       in->under || in->ahead ? BLOCK : FILE_BLOCK;
}

static void set_all(struct fl_in *in, const void *at, size_t size)
{
	in->all = in->at = at;
	in->size = in->left = size;
	in->sized = in->ended = true;
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

static void close_fd(struct fl_in *in)
{
	if (in->fd > STDIN_FILENO)
		close(in->fd);
	in->fd = -1;
}

/*
 * From where a shell has left standard input.  Files of /proc say that they
 * are empty: read them.
 */
static void measure(struct fl_in *in, const struct stat *st)
{
	in->start = lseek(in->fd, 0, SEEK_CUR);
	in->sized = S_ISREG(st->st_mode) && in->start >= 0 &&
		    in->start < st->st_size &&
		    (uintmax_t)st->st_size <= PTRDIFF_MAX;
	if (in->sized)
		in->size = (size_t)(st->st_size - in->start);
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
	measure(in, &st);
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

/*
 * What the kernel holds of a file in one piece (of a megabyte, say) Linux 6.18
 * and later map all at once, where it is all in one mapping.  Parts that are
 * advised otherwise are mappings of their own; this advice has no other effect
 * here, as files are left out of dumps anyway.  Those behind become one again:
 * a process has a limited number.
 */
static void set_apart(struct fl_in *in, size_t at)
{
	char *map = in->map.data;

	if (in->small)
		return;
	for (size_t i = 0; i < 2 && PART < in->map.size - at; i++) {
		madvise(map + at, PART, MADV_DONTDUMP);
		at += FL_MIN((size_t)FORGET, in->map.size - at);
	}
}

void fl_in_map(struct fl_in *in)
{
	size_t there = in->left + in->hidden;

	if (!in->sized || in->all || in->under || in->below ||
	    in->offset + there > in->size ||
	    !fl_mapped_open(&in->map, in->fd, (size_t)in->start + in->size))
		return;
	in->all = (uint8_t *)in->map.data + in->start;
	in->at = in->all + in->offset;
	there = in->size - (size_t)in->offset;
	if (in->watched) {
		in->hidden = there - in->left;
		in->dry = true;
		in->ended = !in->hidden;
	} else {
		in->left = there;
		in->ended = true;
	}
	if (in->small)
		close_fd(in);
	fl_free(in->buffer);
	in->buffer = NULL;
	in->room = 0;
	set_apart(in, 0);
}

/* Watching ------------------------------------------------------------ */

/* A byte order mark says nothing of UTF-8: no reader sees it. */
static void skip_mark(struct fl_in *in)
{
	size_t n;
	const uint8_t *head = fl_in_peek(in, 3, &n);

	if (n >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0)
		fl_in_consume(in, 3);
}

/* Plain text from here on: what there is of it is not looked at yet. */
static void watch(struct fl_in *in)
{
	size_t n;
	const uint8_t *head;

	skip_mark(in);
	head = fl_in_peek(in, FL_BID_BYTES, &n);
	if (!fl_begins_as_text(head, FL_MIN(n, (size_t)FL_BID_BYTES)))
		return;
	in->watched = true;
	in->line = false;	/* there was a bid for what begins here */
	in->dry = in->ended;
	in->hidden = in->left;
	in->left = 0;
	in->ended = false;
}

static void stop_watching(struct fl_in *in)
{
	if (!in->watched)
		return;
	in->left += in->hidden;
	in->hidden = 0;
	in->watched = in->turned = false;
	in->ended = in->dry;
}

/*
 * Shows of what is hidden as much as begins no packed member.  While more
 * may come, a head's length stays hidden, so that a bid can be made.
 */
static void show(struct fl_in *in)
{
	const uint8_t *at = in->at + in->left;
	size_t n =
		in->dry ? FL_MIN(in->hidden, (size_t)BLOCK) :
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

static struct fl_in *decode(struct fl_in *under,
			    const struct fl_decoder *decoder)
{
	struct fl_in *in = new_in(under->flame, under->name);

	if (!in)
		return NULL;
	in->state = begin(decoder, under->flame, under);
	if (!in->state) {
		fl_in_close(in);
		return NULL;
	}
	in->decoder = decoder;
	in->under = under;
	under->below = true;
	in->small = under->small;
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

/* What comes next below: false, there is nothing more or it failed. */
static bool begin_part(struct fl_in *in)
{
	const uint8_t *head;
	size_t n;

	stop_watching(in->under);
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

static void end_part(struct fl_in *in)
{
	if (in->decoder && in->state)
		in->decoder->end(in->state);
	in->decoder = NULL;
	in->state = NULL;
}

/*
 * Makes a layer of an input in which a packed member begins behind what is
 * left: what is read on comes out of it.
 */
static bool make_layer(struct fl_in *in)
{
	struct fl_in *under = fl_alloc(sizeof(*under));
	char *name = fl_memory_adopt(strdup(in->name));
	size_t left = in->left, room = 0;
	uint8_t *buffer = NULL;

	if (!under || !name || !fl_grow(&buffer, &room, left + 1, 1)) {
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
		.room = room, .at = buffer, .left = left,
		.offset = under->offset - left, .fd = -1, .stop = -1,
		.under = under, .below = in->below,
	};
	return begin_part(in);
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
	if (!decoder)
		return false;
	stop_watching(in);
	in->hidden = in->left - offset;
	in->left = offset;
	in->watched = true;
	in->dry = in->ended;
	if (make_layer(in))
		return true;
	in->ended = true;
	return false;
}

/*
 * How many of n bytes more are taken: all, or of a bomb those up to its size.
 * That is the same place with and without a thread.
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
	in->damage = bomb;
	past = in->unpacked - BOMB_SIZE;
	return past < n ? n - past : 0;
}

/* Plain bytes of what is below, up to a packed member. */
static size_t copy_plain(struct fl_in *under, uint8_t *to, size_t room)
{
	const uint8_t *at;
	size_t n;

	at = fl_in_peek(under, 1, &n);
	n = FL_MIN(n, room);
	if (n)
		memcpy(to, at, n);
	fl_in_consume(under, n);
	return n;
}

static size_t read_layer(struct fl_in *in, uint8_t *to, size_t room)
{
	size_t n = 0;

	do {
		n = in->decoder ?
		    in->decoder->read(in->state, in->under, to, room,
				      &in->damage) :
		    copy_plain(in->under, to, room);
		fl_in_release(in->under, fl_in_offset(in->under));
		if (in->decoder)
			n = before_bomb(in, n);
		if (n || in->damage)
			return n;
		end_part(in);
	} while (begin_part(in));
	return 0;
}

/* A thread of its own -------------------------------------------------- */

size_t fl_in_read_block(struct fl_in *in, uint8_t *to, size_t room)
{
	size_t n = FL_MIN(in->left, room);

	if (n) {
		memcpy(to, in->at, n);
		fl_in_consume(in, n);
	} else if (!in->ended) {
		n = read_layer(in, to, room);
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
	over = n < least ? NULL : new_in(in->flame, in->name);
	if (!over)
		return in;
	watched = in->watched;
	stop_watching(in);
	over->ahead = fl_read_ahead_new(in);
	if (!over->ahead) {
		fl_in_close(over);
		over = in;
	}
	if (watched)
		watch(over);
	return over;
}

/* Refilling ----------------------------------------------------------- */

/*
 * Room for a block behind what is there.  What was consumed is dropped only
 * when that is worth it: a byte is moved once, or the buffer doubles.
 */
static bool make_room(struct fl_in *in)
{
	size_t used = in->buffer ? (size_t)(in->at - in->buffer) : 0;
	size_t there = in->left + in->hidden;

	if (there == 0)
		used = 0;
	else if (in->room - used - there >= block(in))
		return true;
	else if (used)
		memmove(in->buffer, in->at, there);
	in->at = in->buffer;
	if (there <= in->room / 2 && in->room - there >= block(in))
		return true;
	if (!fl_grow(&in->buffer, &in->room, there + 2 * block(in), 1)) {
		fl_no_memory(in->flame);
		return false;
	}
	in->at = in->buffer;
	return true;
}

/* false: there is nobody to wait for. */
static bool await_fd(struct fl_in *in)
{
	struct pollfd ready[] = {
		{ .fd = in->fd, .events = POLLIN },
		{ .fd = in->stop, .events = POLLIN },
	};

	poll(ready, 2, -1);
	return !ready[1].revents;
}

static size_t read_fd(struct fl_in *in, uint8_t *to, size_t room)
{
	uint64_t told;
	ssize_t n;

	if (in->stop >= 0 && !await_fd(in))
		return 0;
	/* What it is tells whether it is mapped. */
	if (in->sized && !in->had)
		room = FL_MIN(room, (size_t)SMALL_BLOCK);
	while ((n = read(in->fd, to, room)) < 0) {
		if (errno == EAGAIN) {
			if (!await_fd(in))
				return 0;
		} else if (errno != EINTR) {
			snprintf(in->text, sizeof(in->text),
				 "cannot read on: %s", strerror(errno));
			in->damage = in->text;
			return 0;
		}
	}
	if (!n && in->sized && in->had < in->size)
		in->damage = shrunk;
	told = in->sized ? in->had / STEP : UINT64_MAX;
	in->had += (size_t)n;
	if (in->had / STEP != told)
		/* Of one that grows, nobody knows how much there is. */
		fl_progress(in->flame, in->name, in->had,
			    in->sized && in->had <= in->size ? in->size : 0);
	return (size_t)n;
}

/* Bytes behind those that are there; false: no more will come. */
static bool fetch(struct fl_in *in, size_t *n)
{
	uint8_t *to;
	size_t room;

	*n = 0;
	if (!make_room(in)) {
		in->damage = "out of memory";
		return false;
	}
	to = in->buffer + (in->at - in->buffer) + in->left + in->hidden;
	room = (size_t)(in->buffer + in->room - to);
	if (in->ahead)
		*n = fl_read_ahead_read(in->ahead, in->flame, to, &in->damage);
	else if (in->under)
		/* As much as a thread gives: nobody sees which it was. */
		*n = read_layer(in, to, FL_MIN(room, block(in)));
	else
		*n = read_fd(in, to, room);
	return *n && !in->damage;
}

static void refill_watched(struct fl_in *in)
{
	size_t n;

	if (!in->dry) {
		in->dry = !fetch(in, &n);
		in->hidden += n;
	}
	show(in);
}

static void refill(struct fl_in *in)
{
	size_t n;

	if (in->turned) {
		in->ended = !make_layer(in);
	} else if (in->watched) {
		refill_watched(in);
	} else {
		in->ended = !fetch(in, &n);
		in->left += n;
	}
}

const uint8_t *fl_in_peek(struct fl_in *in, size_t min, size_t *avail)
{
	while (in->left < min && !in->ended && !(in->turned && in->below))
		refill(in);
	*avail = in->left;
	return in->at;
}

/* A line that is longer than what is there: look twice as far. */
const char *fl_in_peek_line(struct fl_in *in, const char **at, size_t *avail)
{
	const char *lf;
	size_t want = 1;

	for (;;) {
		*at = (const char *)fl_in_peek(in, want, avail);
		lf = *avail ? memchr(*at, '\n', *avail) : NULL;
		if (lf || *avail < want)
			return lf;
		want = *avail + FL_MAX(*avail, (size_t)4096);
	}
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
	return in->sized;
}

const uint8_t *fl_in_all(struct fl_in *in, size_t *size)
{
	*size = in->size;
	return in->watched ? NULL : in->all;
}

bool fl_in_is_stable(const struct fl_in *in)
{
	return in->all;
}

bool fl_in_is_mapped(const struct fl_in *in)
{
	return in->map.data;
}

bool fl_in_file_offset(const struct fl_in *in, const char *at, uint64_t *offset)
{
	if (!in->sized || in->fd < 0 || in->under || in->below)
		return false;
	if (at)
		*offset = (uint64_t)in->start + in->offset +
			  (uint64_t)((const uint8_t *)at - in->at);
	return true;
}

int fl_in_dup_file(const struct fl_in *in)
{
	return fl_in_file_offset(in, NULL, NULL) ?
	       fcntl(in->fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : -1;
}

const uint8_t *fl_in_lookahead(const struct fl_in *in, size_t from,
			       size_t *avail, bool *watched)
{
	size_t n = in->left + in->hidden;

	*watched = in->watched;
	*avail = n - FL_MIN(from, n);
	return in->at + (n - *avail);
}

void fl_in_skip(struct fl_in *in, size_t n)
{
	size_t shown = FL_MIN(n, in->left);

	fl_in_consume(in, shown);
	n -= shown;
	in->at += n;
	in->offset += n;
	in->hidden -= n;
	if (n)
		in->line = in->at[-1] == '\n';
	in->ended = in->ended || (in->dry && !in->hidden);
}

/* Pages of the map from one byte to before another. */
static void drop_pages(struct fl_in *in, size_t from, size_t to)
{
	from -= FL_MIN(from, (size_t)AROUND);
	madvise((char *)in->map.data + from, to - from, MADV_DONTNEED);
}

void fl_in_release(struct fl_in *in, uint64_t offset)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), end;

	if (!in->map.data || offset > in->size)
		return;
	end = (size_t)(in->all - (uint8_t *)in->map.data) + (size_t)offset;
	end -= end % page;
	if (end < in->forgotten + (in->small ? SMALL_FORGET : FORGET))
		return;
	drop_pages(in, in->forgotten, end);
	madvise((char *)in->map.data + in->forgotten, end - in->forgotten,
		MADV_DODUMP);
	set_apart(in, end);
	if (end / STEP != in->forgotten / STEP)
		fl_progress(in->flame, in->name, end, in->map.size);
	in->forgotten = end;
}

void fl_in_release_range(struct fl_in *in, const uint8_t *from,
			 const uint8_t *to)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uintptr_t map = (uintptr_t)in->map.data, begin = (uintptr_t)from;

	begin -= begin % page;
	if (map && begin >= map && (uintptr_t)to > begin &&
	    (uintptr_t)to <= map + in->map.size)
		drop_pages(in, begin - map, (uintptr_t)to - map);
}

const char *fl_in_damage(const struct fl_in *in)
{
	const char *under = in->under ? fl_in_damage(in->under) : NULL;

	/* Where reading broke off, decoding did too: tell the cause. */
	return under ? under : in->map.shrunk ? shrunk : in->damage;
}

bool fl_in_is_bomb(const struct fl_in *in)
{
	return fl_in_damage(in) == bomb;
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
		end_part(in);
		fl_mapped_close(&in->map);
		close_fd(in);
		if (in->ahead)
			fl_read_ahead_free(in->ahead);
		fl_free(in->buffer);
		fl_free(in->name);
		fl_free(in);
	}
}
