/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inputs: opens a file, a pipe, memory or (by its scheme) a URL as struct
 * fl_in, whose bytes every reader peeks at and consumes (fl_in_peek,
 * fl_in_consume).  Memory and mapped files have all bytes at once; files, pipes
 * and layers (layer.c) refill a buffer.
 */
#include "fl.h"

#include "io/container.h"
#include "io/decoders.h"
#include "io/input.h"
#include "io/read_ahead.h"
#include "io/scheme.h"

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
	/* A page fault may map this many bytes around its page. */
	FAULT_AROUND_BYTES = 2 << 20
};

/* Longest line that is buffered in memory, for all inputs of the process. */
static _Atomic size_t line_limit = FL_LINE_BYTES;

static const char shrunk[] =
	"became shorter, or unreadable, while it was read";

struct fl_in *fl_in_new(struct flame *flame, const char *name)
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
	struct fl_in *in = fl_in_new(flame, name);

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

/* A URL that is none of ours is not a file either. */
static void fail_open(struct fl_in *in, const char *path)
{
	int error = errno;
	size_t scheme = strspn(path, "abcdefghijklmnopqrstuvwxyz0123456789+-");

	if (error == ENOENT && scheme &&
		 strncmp(path + scheme, "://", 3) == 0)
		fl_fail(in->flame, "%s: %.*s:// is not read; name a command "
			"that prints the file, as --fetch "
			"\"hadoop fs -cat {}\"", in->name, (int)scheme, path);
	else
		fl_fail(in->flame, "%s: %s", in->name, strerror(error));
}

static bool open_fd(struct fl_in *in, const char *path)
{
	struct stat st;

	in->fd = strcmp(path, "-") == 0 ? STDIN_FILENO :
					  open(path, O_RDONLY | O_CLOEXEC);
	if (in->fd < 0 || fstat(in->fd, &st) != 0) {
		fail_open(in, path);
		return false;
	}
	if (S_ISDIR(st.st_mode)) {
		fl_fail(in->flame, "%s: is a directory: name its files, or "
				  "use flame-batch", in->name);
		return false;
	}
	measure(in, &st);
	return true;
}

struct fl_in *fl_in_new_shown(struct flame *flame, const char *path)
{
	char *name = fl_memory_adopt(strdup(path));
	struct fl_in *in = NULL;

	if (name) {
		flame_hide_secrets(name, true);
		in = fl_in_new(flame, name);
	} else {
		fl_no_memory(flame);
	}
	fl_free(name);
	return in;
}

struct fl_in *fl_in_open_file(struct flame *flame, const char *path)
{
	struct fl_in *in = fl_in_new_shown(flame, strcmp(path, "-") == 0 ?
						  fl_input_name(flame) : path);

	if (in && !open_fd(in, path)) {
		fl_in_close(in);
		return NULL;
	}
	return in;
}

struct fl_in *fl_in_open(struct flame *flame, const char *path)
{
	const struct fl_url_scheme *scheme = fl_url_scheme_of(path);

	return scheme ? scheme->open(flame, path) :
			fl_in_open_file(flame, flame_local_path(path));
}

/*
 * A system may map a whole folio of the page cache (a megabyte, say) at the
 * first fault, if one mapping covers it: the next pieces become mappings of
 * their own.  fl_in_release joins them again, as a process has a limited number
 * of mappings.
 */
static void split_mapping(struct fl_in *in, size_t at)
{
	char *map = in->map.data;

	if (in->small)
		return;
	for (size_t i = 0; i < 2 && MAPPING_BYTES < in->map.size - at; i++) {
		fl_os_split_mapping(map + at, MAPPING_BYTES);
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

/* Refilling ----------------------------------------------------------- */

/*
 * Doubles the buffer; where a peek says how much it waits for, to no more than
 * that, so that the buffer of a recording's chunk has its size.
 */
static bool grow_buffer(struct fl_in *in, size_t there)
{
	size_t blocks = 2 * block(in), n = there + blocks;

	if (in->wanted > n && in->wanted < SIZE_MAX - blocks)
		n = FL_MAX(n, FL_MIN(2 * in->capacity, in->wanted + blocks));
	else
		n = FL_MAX(n, 2 * in->capacity);
	if (n <= in->capacity ||
	    fl_grow_exactly(&in->buffer, &in->capacity, n, 1))
		return true;
	fl_no_memory(in->flame);
	return false;
}

/*
 * Makes space for a block.  Each byte is moved once at most, unless the buffer
 * grows.
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
	if (!grow_buffer(in, there))
		return false;
	in->at = in->buffer;
	return true;
}

/* Waits for bytes.  false: the reader closed its end. */
static bool wait_for_fd(struct fl_in *in)
{
	struct pollfd ready[] = {
		{ .fd = in->fd, .events = POLLIN },
		{ .fd = in->stop, .events = POLLIN },
	};

	poll(ready, 2, -1);
	return !ready[1].revents;
}

static size_t read_fd(struct fl_in *in, uint8_t *to, size_t capacity)
{
	uint64_t reported;
	ssize_t n;

	if (in->stop >= 0 && !wait_for_fd(in))
		return 0;
	/* A small block is enough for detection; the file is mapped later. */
	if (in->sized && !in->nread)
		capacity = FL_MIN(capacity, (size_t)SMALL_BLOCK);
	while ((n = read(in->fd, to, capacity)) < 0) {
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

static size_t read_transfer(struct fl_in *in, uint8_t *to, size_t capacity)
{
	uint64_t reported = in->nread / PROGRESS_BYTES;
	size_t n = in->transfer->read(in->transferred, in->stop, to, capacity,
				      &in->damage);

	in->nread += n;
	if (in->nread / PROGRESS_BYTES != reported)
		fl_progress(in->flame, in->name, in->nread, 0);
	return n;
}

/* Reads the next bytes into the buffer; false: no more will come. */
static bool fetch(struct fl_in *in, size_t *n)
{
	uint8_t *to;
	size_t capacity;

	*n = 0;
	if (!reserve_block(in)) {
		in->damage = "out of memory";
		return false;
	}
	to = in->buffer + (in->at - in->buffer) + in->left + in->hidden;
	capacity = (size_t)(in->buffer + in->capacity - to);
	if (in->ahead)
		*n = fl_read_ahead_read(in->ahead, in->flame, to, &in->damage);
	else if (in->under)
		/* As much as a thread returns, so that results are the same. */
		*n = fl_layer_read(in, to, FL_MIN(capacity, block(in)));
	else if (in->container)
		*n = in->container->read(in->container_state, to, capacity,
					 &in->damage);
	else if (in->transfer)
		*n = read_transfer(in, to, capacity);
	else
		*n = read_fd(in, to, capacity);
	return *n && !in->damage;
}

static void refill_watched(struct fl_in *in)
{
	size_t n;

	if (!in->dry) {
		in->dry = !fetch(in, &n);
		in->hidden += n;
	}
	fl_layer_show(in);
}

static void refill(struct fl_in *in)
{
	size_t n;

	if (in->turned) {
		in->ended = !fl_layer_make(in);
	} else if (in->watched) {
		refill_watched(in);
	} else {
		in->ended = !fetch(in, &n);
		in->left += n;
	}
}

const uint8_t *fl_in_peek(struct fl_in *in, size_t min, size_t *avail)
{
	in->wanted = min;
	while (in->left < min && !in->ended && !(in->turned && in->below))
		refill(in);
	*avail = in->left;
	return in->at;
}

/* Moves the bytes after the first `used` of the buffer to a new one. */
static bool replace_buffer(struct fl_in *in, size_t used)
{
	size_t there = in->left + in->hidden - used;
	size_t capacity = there + 2 * block(in);
	uint8_t *buffer = fl_alloc(capacity);

	if (!buffer)
		return false;
	memcpy(buffer, in->at + used, there);
	in->buffer = buffer;
	in->capacity = capacity;
	fl_in_consume(in, used);
	in->at = buffer;
	return true;
}

uint8_t *fl_in_take(struct fl_in *in, size_t size, const uint8_t **at)
{
	uint8_t *data = in->buffer, *old;

	*at = in->at;
	if (data && in->capacity - size <= size / 4)
		return replace_buffer(in, size) ? data : NULL;
	data = fl_alloc(size);
	if (!data)
		return NULL;
	memcpy(data, in->at, size);
	*at = data;
	old = in->buffer;
	if (old && (in->left + in->hidden - size) * 4 < in->capacity) {
		if (replace_buffer(in, size)) {
			fl_free(old);
			return data;
		}
	}
	fl_in_consume(in, size);
	return data;
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
		/* One byte more shows that the line is too long. */
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

uint64_t fl_in_bytes(const struct fl_in *in)
{
	while (in->under)
		in = in->under;
	return in->all ? in->size : in->nread;
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
	fl_os_drop_pages((char *)in->map.data + from, to - from);
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
	fl_os_join_mapping((char *)in->map.data + in->released,
			   end - in->released);
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
	return in->refused || fl_in_damage(in) == fl_layer_bomb;
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
		fl_layer_end_part(in);
		fl_mapped_close(&in->map);
		close_fd(in);
		if (in->transfer)
			in->transfer->close(in->transferred);
		if (in->ahead)
			fl_read_ahead_free(in->ahead);
		fl_free(in->buffer);
		fl_free(in->name);
		fl_free(in);
	}
}
