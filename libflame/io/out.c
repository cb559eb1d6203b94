/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Outputs: a buffer, which writers fill by fl_out_put(), before a file, a pipe,
 * memory or a callback.  A file is written beside its place and renamed by
 * fl_out_close(); devices and pipes are written directly.  A packer may stand
 * between the buffer and these (pack.c).
 */
#include "fl.h"

#include "base/late.h"
#include "io/io.h"
#include "io/pack.h"
#include "io/screen.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER = 256 << 10 };

struct fl_out {
	struct flame *flame;
	char *name;		/* as messages have it */
	char *path;		/* the final name; NULL: written directly */
	const struct fl_server *server;	/* to send the bytes to; or NULL */
	char *url;		/* of the server */
	struct fl_buf message;	/* these bytes */
	char *temporary;	/* NULL: it has no name yet */
	struct fl_buf *memory;	/* or NULL */
	int (*write)(void *arg, const void *data, size_t size);	/* or NULL */
	void *arg;
	const struct fl_packer *packer;
	void *packing;		/* the packer's state; NULL: not packed */
	int fd;
	bool is_file;		/* a regular one, opened by its name */
	bool is_terminal;
	struct fl_screen screen;
	bool failed;
	size_t n;		/* bytes in the buffer */
	char buffer[BUFFER];
};

const char *fl_out_path(const struct fl_out *out)
{
	return out->is_file ? out->name : NULL;
}

static void free_out(struct fl_out *out)
{
	if (out->fd > STDERR_FILENO)
		close(out->fd);
	if (out->packing)
		out->packer->end(out->packing);
	fl_free(out->name);
	fl_free(out->path);
	fl_free(out->temporary);
	fl_free(out->url);
	fl_buf_free(&out->message);
	fl_free(out);
}

static struct fl_out *new_out(struct flame *flame, const char *name)
{
	struct fl_out *out = fl_alloc(sizeof(*out));

	if (!out) {
		fl_no_memory(flame);
		return NULL;
	}
	memset(out, 0, offsetof(struct fl_out, buffer));
	out->flame = flame;
	out->fd = -1;
	out->name = fl_memory_adopt(strdup(name));
	if (!out->name) {
		fl_no_memory(flame);
		free_out(out);
		return NULL;
	}
	return out;
}

/* Opening ------------------------------------------------------------- */

/*
 * Opening these again would write at offset 0 of a file that others write to
 * as well: use the open descriptor.  -1 for other paths.
 */
static int fd_of(const char *path)
{
	static const char *const folders[] = {
		"/dev/fd/", "/proc/self/fd/",
	};
	int64_t n;
	size_t i;

	if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0)
		return STDOUT_FILENO;
	if (strcmp(path, "/dev/stderr") == 0)
		return STDERR_FILENO;
	for (i = 0; i < FL_COUNT(folders); i++) {
		struct slice rest = { path, strlen(path) };

		if (!fl_slice_starts(rest, folders[i]))
			continue;
		rest.data += strlen(folders[i]);
		rest.size -= strlen(folders[i]);
		if (fl_parse_int(rest, &n) && n >= 0 && n <= INT_MAX)
			return (int)n;
	}
	return -1;
}

static bool make_named(struct fl_out *out)
{
	out->fd = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
		       0666);
	return out->fd >= 0;
}

static void path_of_fd(const struct fl_out *out, char path[32])
{
	snprintf(path, 32, "/proc/self/fd/%d", out->fd);
}

static bool give_name(struct fl_out *out)
{
	char path[32];

	path_of_fd(out, path);
	return linkat(AT_FDCWD, path, AT_FDCWD, out->temporary,
		      AT_SYMLINK_FOLLOW) == 0;
}

static int folder_of(const struct fl_out *out)
{
	const char *slash = strrchr(out->path, '/');

	return slash ? (int)(slash + 1 - out->path) : 0;
}

/* DIRECTORY-OF-PATH/.flame-PID-N, as soon as make has it. */
static bool make_temporary(struct fl_out *out, bool (*make)(struct fl_out *))
{
	int folder = folder_of(out);
	size_t size = (size_t)folder + 48;

	out->temporary = fl_alloc(size);
	if (!out->temporary) {
		errno = ENOMEM;
		return false;
	}
	for (unsigned i = 0; i < 1000; i++) {
		snprintf(out->temporary, size, "%.*s.flame-%ld-%u", folder,
			 out->path, (long)getpid(), i);
		if (make(out))
			return true;
		if (errno != EEXIST)
			break;
	}
	fl_free(out->temporary);
	out->temporary = NULL;
	return false;
}

/*
 * A file without a name disappears with the process, however it ends.  It gets
 * its name on close; not all file systems support that, and none without /proc.
 */
static bool open_nameless(struct fl_out *out)
{
#ifdef O_TMPFILE
	char *folder =
		fl_memory_adopt(strndup(out->path, (size_t)folder_of(out)));
	char path[32];

	if (!folder)
		return false;
	out->fd = open(*folder ? folder : ".",
		       O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
	fl_free(folder);
	if (out->fd < 0)
		return false;
	path_of_fd(out, path);
	if (access(path, F_OK) == 0)
		return true;
	close(out->fd);
	out->fd = -1;
#endif
	return false;
}

static bool open_temporary(struct fl_out *out)
{
	return open_nameless(out) || make_temporary(out, make_named);
}

static bool open_direct(struct fl_out *out, const char *path, int flags)
{
	fl_free(out->path);
	out->path = NULL;
	out->fd = open(path, O_WRONLY | O_CLOEXEC | flags, 0666);
	return out->fd >= 0;
}

/*
 * The new file replaces the old one, with its group and its mode, but the
 * set-uid bits.  Its owner is who writes: root's profile stays root's.
 */
static void keep_mode(struct fl_out *out, const struct stat *old)
{
	struct stat new;

	if (fstat(out->fd, &new) != 0)
		return;
	if (new.st_uid == old->st_uid && new.st_gid != old->st_gid &&
	    fchown(out->fd, (uid_t)-1, old->st_gid) != 0)
		return;	/* the mode was for another group */
	fchmod(out->fd, old->st_mode & 0777);
}

/*
 * To root, a file of another user in a folder where others may place files, as
 * /tmp is: it may wait there for what root writes.
 */
static bool is_planted(struct fl_out *out, const struct stat *old)
{
	struct stat folder;
	char *name;
	bool planted;

	if (geteuid() != 0 || old->st_uid == 0)
		return false;
	name = fl_memory_adopt(strndup(out->path, (size_t)folder_of(out)));
	planted = !name || stat(*name ? name : ".", &folder) != 0 ||
		  folder.st_uid != 0 || (folder.st_mode & S_ISVTX);
	fl_free(name);
	if (planted)
		fl_fail(out->flame, "%s: belongs to another user (uid %u), who "
			"would read what root writes: remove it, or choose "
			"another name", out->name, (unsigned)old->st_uid);
	return planted;
}

static bool open_path(struct fl_out *out, const char *path)
{
	struct stat st;
	bool exists = stat(path, &st) == 0;

	if (exists && !S_ISREG(st.st_mode))
		return open_direct(out, path, 0);
	/* Replace the file that a symbolic link leads to, not the link. */
	out->path =
		fl_memory_adopt(exists ? realpath(path, NULL) : strdup(path));
	if (!out->path || (!exists && lstat(path, &st) == 0))
		return open_direct(out, path, O_CREAT | O_TRUNC);
	if (exists && (access(out->path, W_OK) != 0 || is_planted(out, &st)))
		return false;
	if (!open_temporary(out))
		/* A file that may be written in a folder that may not. */
		return exists && open_direct(out, path, O_TRUNC);
	if (exists)
		keep_mode(out, &st);
	return true;
}

static bool begin_packing(struct fl_out *out, const struct fl_packer *packer)
{
	const char *why = packer->late ? fl_late_open(packer->late) : NULL;

	if (why) {
		fl_fail(out->flame, "%s: packing it needs a library: %s",
			out->name, why);
		return false;
	}
	out->packer = packer;
	out->packing = packer->begin();
	if (!out->packing)
		fl_no_memory(out->flame);
	return out->packing != NULL;
}

static bool pack_by_name(struct fl_out *out, const char *path)
{
	const struct fl_packer *packer = fl_packer_of(path);
	const char *refused = fl_pack_refused(path);

	if (refused) {
		fl_fail(out->flame, "%s: %s is not written: end the name in "
			".gz or .zst, or pack what goes to standard output",
			out->name, refused);
		return false;
	}
	return !packer || begin_packing(out, packer);
}

struct fl_out *fl_out_open(struct flame *flame, const char *path)
{
	int fd = fd_of(path);
	struct fl_out *out = new_out(flame, fd == STDOUT_FILENO ?
					    "standard output" : path);
	struct stat st;
	bool opened;

	if (!out)
		return NULL;
	if (fd < 0 && !pack_by_name(out, path)) {
		free_out(out);
		return NULL;
	}
	if (fd > STDERR_FILENO)
		out->fd = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	else if (fd >= 0)
		out->fd = fd;
	opened = fd >= 0 ? out->fd >= 0 : open_path(out, path);
	out->is_terminal = opened && isatty(out->fd);
	out->is_file = opened && fd < 0 && fstat(out->fd, &st) == 0 &&
		       S_ISREG(st.st_mode);
	if (!opened) {
		fl_fail(flame, "%s: %s", out->name, strerror(errno));
		free_out(out);
		return NULL;
	}
	return out;
}

struct fl_out *fl_out_memory(struct flame *flame, struct fl_buf *buf)
{
	struct fl_out *out = new_out(flame, "memory");

	if (out)
		out->memory = buf;
	return out;
}

struct fl_out *fl_out_callback(struct flame *flame,
			       int (*write)(void *arg, const void *data,
					    size_t size), void *arg)
{
	struct fl_out *out = new_out(flame, "callback");

	if (out) {
		out->write = write;
		out->arg = arg;
	}
	return out;
}

struct fl_out *fl_out_message(struct flame *flame, const char *path,
			      const struct fl_server *server, const char *url)
{
	struct fl_out *out = new_out(flame, path);

	if (!out)
		return NULL;
	flame_hide_secrets(out->name, true);
	out->memory = &out->message;
	out->server = server;
	out->url = fl_memory_adopt(strdup(url));
	if (!out->url)
		fl_no_memory(flame);
	else if (server->check(flame, out->name, out->url) &&
		 begin_packing(out, &fl_packer_gzip))
		return out;
	free_out(out);
	return NULL;
}

/* Writing ------------------------------------------------------------- */

static void fail(struct fl_out *out, int number)
{
	if (out->failed)
		return;
	out->failed = true;
	if (number == ENOMEM)
		fl_no_memory(out->flame);
	else if (number == EPIPE)
		fl_fail(out->flame, "%s", "");
	else
		fl_fail(out->flame, "%s: %s", out->name, strerror(number));
}

static void write_fd(struct fl_out *out, const char *at, size_t size)
{
	struct pollfd ready = { .fd = out->fd, .events = POLLOUT };
	ssize_t n;

	while (size && !out->failed) {
		n = write(out->fd, at, FL_MIN(size, (size_t)1 << 30));
		if (n >= 0) {
			at += n;
			size -= (size_t)n;
		} else if (errno == EAGAIN) {
			poll(&ready, 1, -1);
		} else if (errno != EINTR) {
			fail(out, errno);
		}
	}
}

static void write_terminal(struct fl_out *out, const char *at, size_t size,
			   bool last)
{
	struct fl_buf shown = { 0 };

	fl_screen_put(&shown, &out->screen, at, size, last);
	if (shown.failed)
		fail(out, ENOMEM);
	else
		write_fd(out, shown.data, shown.size);
	fl_buf_free(&shown);
}

static void call_back(struct fl_out *out, const char *at, size_t size)
{
	int error = size && !out->failed ? out->write(out->arg, at, size) : 0;

	if (error)
		fail(out, error > 0 ? error : EIO);
}

static void write_plain(struct fl_out *out, const char *at, size_t size)
{
	if (out->write) {
		call_back(out, at, size);
		return;
	}
	if (out->is_terminal) {
		write_terminal(out, at, size, false);
		return;
	}
	if (!out->memory) {
		write_fd(out, at, size);
		return;
	}
	fl_buf_put(out->memory, at, size);
	if (out->memory->failed)
		fail(out, ENOMEM);
}

static void pack(struct fl_out *out, const char *at, size_t size, bool last)
{
	struct fl_step s = { .in = (const uint8_t *)at, .nin = size };
	enum fl_stepped stepped = FL_STEP_ON;
	uint8_t packed[16 << 10];

	while (stepped == FL_STEP_ON && !out->failed) {
		s.out = packed;
		s.nout = sizeof(packed);
		stepped = out->packer->step(out->packing, &s, last);
		write_plain(out, (const char *)packed,
			    sizeof(packed) - s.nout);
	}
	if (stepped > FL_STEP_END)
		fail(out, ENOMEM);
}

static void write_out(struct fl_out *out, const char *at, size_t size)
{
	if (out->packing)
		pack(out, at, size, false);
	else
		write_plain(out, at, size);
}

void fl_out_gzip(struct fl_out *out)
{
	if (!out->packing && !begin_packing(out, &fl_packer_gzip))
		out->failed = true;
}

static void flush(struct fl_out *out)
{
	write_out(out, out->buffer, out->n);
	out->n = 0;
}

void fl_out_put(struct fl_out *out, const void *at, size_t size)
{
	if (fl_unlikely(size > BUFFER - out->n)) {
		flush(out);
		if (size > BUFFER) {
			write_out(out, at, size);
			return;
		}
	}
	if (size)
		memcpy(out->buffer + out->n, at, size);
	out->n += size;
}

char *fl_out_reserve(struct fl_out *out)
{
	if (fl_unlikely(FL_OUT_RESERVE > BUFFER - out->n))
		flush(out);
	return out->buffer + out->n;
}

void fl_out_commit(struct fl_out *out, const char *end)
{
	out->n = (size_t)(end - out->buffer);
}

void fl_out_print(struct fl_out *out, const char *format, ...)
{
	char few[256], *text = few;
	va_list args;
	int size;

	va_start(args, format);
	size = vsnprintf(few, sizeof(few), format, args);
	va_end(args);
	if (size >= (int)sizeof(few)) {
		text = fl_alloc((size_t)size + 1);
		if (text) {
			va_start(args, format);
			vsnprintf(text, (size_t)size + 1, format, args);
			va_end(args);
		}
	}
	if (!text || size < 0)
		fail(out, text ? errno : ENOMEM);
	else
		fl_out_put(out, text, (size_t)size);
	if (text != few)
		fl_free(text);
}

/* Closing ------------------------------------------------------------- */

/* Descriptors 0 to 2 are shared with other programs. */
static void close_fd(struct fl_out *out)
{
	int fd = out->fd;

	if (fd <= STDERR_FILENO)
		return;
	out->fd = -1;
	if (close(fd) != 0 && errno != EINTR)
		fail(out, errno);
}

int fl_out_close(struct fl_out *out)
{
	bool failed;

	/* zstd makes small tables where one call has all of a short text. */
	if (out->packing)
		pack(out, out->buffer, out->n, true);
	else
		write_plain(out, out->buffer, out->n);
	out->n = 0;
	if (out->is_terminal)
		write_terminal(out, "", 0, true);
	/* If memory ran out, the output lacks something. */
	out->failed |= fl_failed(out->flame);
	if (out->path && !out->temporary && !out->failed &&
	    !make_temporary(out, give_name))
		fail(out, errno);
	close_fd(out);
	if (out->server && !out->failed)
		out->failed = out->server->send(out->flame, out->name, out->url,
						fl_buf_slice(&out->message)) !=
			      FLAME_OK;
	if (out->temporary && !out->failed &&
	    rename(out->temporary, out->path) != 0)
		fail(out, errno);
	if (out->temporary && out->failed)
		unlink(out->temporary);
	failed = out->failed;
	free_out(out);
	return failed ? FLAME_FAILED : FLAME_OK;
}

void fl_out_discard(struct fl_out *out)
{
	if (!out)
		return;
	if (out->temporary)
		unlink(out->temporary);
	free_out(out);
}
