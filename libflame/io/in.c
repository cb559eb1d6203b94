/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inputs: bytes to peek at and to consume.  Memory and mapped files have all
 * bytes at once; files, pipes and layers refill a buffer.
 *
 * A layer stands over another input and decodes it, member by member; plain
 * bytes between packed members pass as they are.  Plain text is scanned for
 * packed members first: bytes stay hidden until the scan has passed them.
 */
#include "fl.h"

#include "base/late.h"
#include "io/read_ahead.h"
#include "io/decoders.h"
#include "io/mapped.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	BLOCK = FL_BLOCK,
	FILE_BLOCK = 64 << 10,	/* two of these stay in the CPU's cache */
	RELEASE_BYTES = 512 << 10,	/* worth a system call */
	MAPPING_BYTES = RELEASE_BYTES / 2,	/* see split_mapping */
	PROGRESS_BYTES = 1 << 20,	/* between two reports */
	/* With fl_in_use_small_buffers: */
	SMALL_BLOCK = 16 << 10,
	SMALL_RELEASE_BYTES = 64 << 10,
	/* A page fault may map so many bytes around its page. */
	FAULT_AROUND_BYTES = 2 << 20
};

/* A bomb: unpacks to more than BOMB_SIZE and BOMB_RATIO times its size. */
#define BOMB_SIZE (UINT64_C(256) << 20)
enum { BOMB_RATIO = 2000 };

/* Longest line that is held in memory, for all inputs of the process. */
static _Atomic size_t line_limit = FL_LINE_BYTES;

static const char shrunk[] =
	"became shorter, or unreadable, while it was read";
static const char bomb[] =
	"unpacks to more than 256 MB and 2000 times its size and is not read "
	"on; if that is right, unpack it before";

struct fl_in {
	struct flame *flame;
	char *name;
	const uint8_t *at;	/* the next byte */
	size_t left;		/* bytes to peek at */
	uint64_t offset;	/* of the next byte */
	bool ended;		/* nothing follows after `left` */

	/* Watched text: `hidden` bytes after `left` are not scanned yet. */
	bool watched;
	bool line;		/* a line begins after `left` */
	bool turned;		/* a packed member begins after `left` */
	bool below;		/* a layer stands over this input */
	bool dry;		/* nothing follows after `hidden` */
	size_t hidden;

	bool small;		/* see fl_in_use_small_buffers */
	const char *damage;
	size_t max_line;	/* in bytes */
	bool refused;		/* see fl_in_refuse */
	char text[192];		/* of the damage */

	/* Memory and mapped files have `all` set. */
	const uint8_t *all;
	size_t size;		/* if `sized` */
	bool sized;
	off_t start;		/* offset of stdin when it was opened */
	struct fl_mapped map;	/* begins `start` bytes before `all` */
	size_t released;

	/* Files, pipes and layers. */
	uint8_t *buffer;
	size_t capacity;
	int fd;			/* -1: none */
	int stop;		/* readable: stop waiting; -1: none */
	uint64_t nread;		/* bytes of the file or pipe */
	struct fl_read_ahead *ahead;	/* a thread that reads the layer */
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
	in->max_line = atomic_load(&line_limit);
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
 * A shell may have read the beginning of standard input.  Files of /proc have
 * the size 0: they are read like pipes.
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
 * Linux 6.18 and later map a whole folio of the page cache (a megabyte, say) at
 * the first fault, if one mapping covers it, so all of it becomes resident.
 * Different advice makes the next pieces mappings of their own; MADV_DONTDUMP
 * has no other effect, as core dumps leave files out anyway.  fl_in_release
 * joins them again, as a process has a limited number of mappings.
 */
static void split_mapping(struct fl_in *in, size_t at)
{
	char *map = in->map.data;

	if (in->small)
		return;
	for (size_t i = 0; i < 2 && MAPPING_BYTES < in->map.size - at; i++) {
		madvise(map + at, MAPPING_BYTES, MADV_DONTDUMP);
		at += FL_MIN((size_t)RELEASE_BYTES, in->map.size - at);
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
	in->capacity = 0;
	split_mapping(in, 0);
}

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
	in->line = false;	/* decoders have bid for this place already */
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
 * Scans hidden bytes and shows those before a packed member.  FL_BID_BYTES stay
 * hidden while more may come, so that decoders can bid.
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

/* Starts on the next member or plain text.  false: the end, or failed. */
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
 * Turns an input with a packed member after `left` into a layer over itself,
 * so that the next bytes come from the decoder.
 */
static bool make_layer(struct fl_in *in)
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
	in->damage = bomb;
	past = in->unpacked - BOMB_SIZE;
	return past < n ? n - past : 0;
}

/* Copies plain bytes of the input below, up to a packed member. */
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
 * Makes space for a block.  Each byte is moved once at most, unless the buffer
 * doubles.
 */
static bool reserve_block(struct fl_in *in)
{
	size_t used = in->buffer ? (size_t)(in->at - in->buffer) : 0;
	size_t there = in->left + in->hidden;

	if (there == 0)
		used = 0;
	else if (in->capacity - used - there >= block(in))
		return true;
	else if (used)
		memmove(in->buffer, in->at, there);
	in->at = in->buffer;
	if (there <= in->capacity / 2 && in->capacity - there >= block(in))
		return true;
	if (!fl_grow(&in->buffer, &in->capacity, there + 2 * block(in), 1)) {
		fl_no_memory(in->flame);
		return false;
	}
	in->at = in->buffer;
	return true;
}

/* Waits for bytes.  false: the reader has gone. */
static bool wait_for_fd(struct fl_in *in)
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
	uint64_t reported;
	ssize_t n;

	if (in->stop >= 0 && !wait_for_fd(in))
		return 0;
	/* A small block is enough for detection; the file is mapped later. */
	if (in->sized && !in->nread)
		room = FL_MIN(room, (size_t)SMALL_BLOCK);
	while ((n = read(in->fd, to, room)) < 0) {
		if (errno == EAGAIN) {
			if (!wait_for_fd(in))
				return 0;
		} else if (errno != EINTR) {
			snprintf(in->text, sizeof(in->text),
				 "cannot read on: %s", strerror(errno));
			in->damage = in->text;
			return 0;
		}
	}
	if (!n && in->sized && in->nread < in->size)
		in->damage = shrunk;
	reported = in->sized ? in->nread / PROGRESS_BYTES : UINT64_MAX;
	in->nread += (size_t)n;
	if (in->nread / PROGRESS_BYTES != reported)
		/* A file that grows has no known size. */
		fl_progress(in->flame, in->name, in->nread,
			    in->sized && in->nread <= in->size ? in->size : 0);
	return (size_t)n;
}

/* Reads the next bytes into the buffer; false: no more will come. */
static bool fetch(struct fl_in *in, size_t *n)
{
	uint8_t *to;
	size_t room;

	*n = 0;
	if (!reserve_block(in)) {
		in->damage = "out of memory";
		return false;
	}
	to = in->buffer + (in->at - in->buffer) + in->left + in->hidden;
	room = (size_t)(in->buffer + in->capacity - to);
	if (in->ahead)
		*n = fl_read_ahead_read(in->ahead, in->flame, to, &in->damage);
	else if (in->under)
		/* As much as a thread gives, so that results are the same. */
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

void fl_in_limit_line(size_t bytes)
{
	atomic_store(&line_limit, bytes == 0 ? SIZE_MAX :
				  FL_MAX(bytes, (size_t)FL_LINE_BYTES));
}

void fl_in_refuse(struct fl_in *in, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(in->text, sizeof(in->text), format, args);
	va_end(args);
	in->damage = in->text;
	in->refused = in->ended = true;
}

size_t fl_in_max_line(const struct fl_in *in)
{
	return in->max_line;
}

bool fl_in_refuse_line(struct fl_in *in, size_t size)
{
	if (fl_likely(size <= in->max_line))
		return false;
	fl_in_refuse(in, "a line longer than %zu MB begins at byte %" PRIu64
			 ": reading stops there; if the line is right, give "
			 "--memory-limit a larger size",
		     in->max_line >> 20, in->offset);
	return true;
}

/* Doubles the peek for a line that is longer. */
const char *fl_in_peek_line(struct fl_in *in, const char **at, size_t *avail)
{
	const char *lf;
	size_t want = 1;

	for (;;) {
		*at = (const char *)fl_in_peek(in, want, avail);
		lf = *avail ? memchr(*at, '\n', *avail) : NULL;
		if (fl_in_refuse_line(in, lf ? (size_t)(lf - *at) : *avail))
			return NULL;
		if (lf || *avail < want)
			return lf;
		want = *avail + FL_MAX(*avail, (size_t)4096);
		/* One byte more tells that the line is too long. */
		if (want > in->max_line && *avail <= in->max_line)
			want = in->max_line + (in->max_line < SIZE_MAX);
	}
}

void fl_in_consume(struct fl_in *in, size_t n)
{
	in->at += n;
	in->left -= n;
	in->offset += n;
}

/* State ---------------------------------------------------------------- */

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

/* Drops the pages of [from, to), and those that faults mapped around it. */
static void drop_pages(struct fl_in *in, size_t from, size_t to)
{
	from -= FL_MIN(from, (size_t)FAULT_AROUND_BYTES);
	madvise((char *)in->map.data + from, to - from, MADV_DONTNEED);
}

void fl_in_release(struct fl_in *in, uint64_t offset)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), end;

	if (!in->map.data || offset > in->size)
		return;
	end = (size_t)(in->all - (uint8_t *)in->map.data) + (size_t)offset;
	end -= end % page;
	if (end <
	    in->released + (in->small ? SMALL_RELEASE_BYTES : RELEASE_BYTES))
		return;
	drop_pages(in, in->released, end);
	madvise((char *)in->map.data + in->released, end - in->released,
		MADV_DODUMP);
	split_mapping(in, end);
	if (end / PROGRESS_BYTES != in->released / PROGRESS_BYTES)
		fl_progress(in->flame, in->name, end, in->map.size);
	in->released = end;
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

	/* An error of reading ends decoding too: report the cause. */
	return under ? under : in->map.shrunk ? shrunk : in->damage;
}

bool fl_in_is_refused(const struct fl_in *in)
{
	return in->refused || fl_in_damage(in) == bomb;
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
