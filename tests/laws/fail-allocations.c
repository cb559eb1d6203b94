/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded into a program: runs it once for each allocation that it makes,
 * and has that one fail.  A run must then end with status 2 and one line
 * about it, or write what it writes otherwise.
 *
 *	LD_PRELOAD=fail-allocations.so FAIL_FIRST=N FAIL_MORE=N COMMAND...
 *
 * The first FAIL_FIRST allocations fail in turn, and FAIL_MORE of the others,
 * evenly spread.  FAIL_AT=N is a single one, whose place is printed.
 * FAIL_RESULT is a file that the program writes, or a site's folder: it is
 * removed before each run, and the file or the site's manifest.json counts as
 * output.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

enum { OUTPUT_MAX = 1 << 20, SECONDS = 20 };

/* Shared with the program's run. */
struct counter {
	long count, fail_at;
	bool trace;
};

struct output {
	char *text;
	size_t size;
};

struct run {
	int status;
	struct output out, err;
};

static struct counter *counter;
static int out_fd, err_fd;
static const char *result;

/* The program's side ---------------------------------------------------- */

static void trace(void)
{
	void *frames[64];
	int n = backtrace(frames, 64);

	backtrace_symbols_fd(frames, n, STDERR_FILENO);
}

static bool fails(void)
{
	struct counter *c = counter;

	if (!c || __atomic_add_fetch(&c->count, 1, __ATOMIC_RELAXED) !=
		  c->fail_at)
		return false;
	if (c->trace) {
		counter = NULL;
		trace();
		counter = c;
	}
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *at, size_t size)
{
	return fails() ? NULL : __libc_realloc(at, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return fails() ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **at, size_t alignment, size_t size)
{
	*at = fails() ? NULL : __libc_memalign(alignment, size);
	return *at ? 0 : ENOMEM;
}

/* The other side -------------------------------------------------------- */

static int remove_one(const char *path, const struct stat *stat, int type,
		      struct FTW *ftw)
{
	(void)stat;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void begin(long fail_at)
{
	if (result)
		nftw(result, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	dup2(out_fd, STDOUT_FILENO);
	dup2(err_fd, STDERR_FILENO);
	alarm(SECONDS);
	counter->fail_at = fail_at;
	counter->count = 0;
}

static struct output read_output(int fd)
{
	struct output o = { __libc_malloc(OUTPUT_MAX + 1), 0 };
	ssize_t n = pread(fd, o.text, OUTPUT_MAX, 0);

	o.size = n > 0 ? (size_t)n : 0;
	o.text[o.size] = '\0';
	if (ftruncate(fd, 0) != 0)
		abort();
	lseek(fd, 0, SEEK_SET);
	return o;
}

/* The file that the last run has written, if any. */
static void append_result(struct output *o)
{
	char manifest[4096];
	int fd;
	ssize_t n;

	snprintf(manifest, sizeof(manifest), "%s/manifest.json", result);
	fd = open(manifest, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		fd = open(result, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	n = read(fd, o->text + o->size, OUTPUT_MAX - o->size);
	o->size += n > 0 ? (size_t)n : 0;
	o->text[o->size] = '\0';
	close(fd);
}

/* false: this is the program, which runs now. */
static bool run(long fail_at, struct run *run)
{
	pid_t pid = fork();

	if (pid < 0)
		abort();
	if (!pid) {
		begin(fail_at);
		return false;
	}
	if (waitpid(pid, &run->status, 0) != pid)
		abort();
	run->out = read_output(out_fd);
	run->err = read_output(err_fd);
	if (result)
		append_result(&run->out);
	return true;
}

static void drop(struct run *run)
{
	free(run->out.text);
	free(run->err.text);
}

static bool is_same(const struct output *a, const struct output *b)
{
	return a->size == b->size && memcmp(a->text, b->text, a->size) == 0;
}

static const char *problem(const struct run *run, const struct run *right)
{
	const char *line = strstr(run->err.text, "memory");

	if (WIFSIGNALED(run->status))
		return WTERMSIG(run->status) == SIGALRM ? "hangs" : "crashes";
	if (run->status == right->status) {
		if (!is_same(&run->out, &right->out))
			return "differs, as if nothing had happened";
		return is_same(&run->err, &right->err) ? NULL :
			"has the same result, but says something else";
	}
	/* There the dynamic loader has given up. */
	if (WEXITSTATUS(run->status) == 127 && line)
		return NULL;
	if (WEXITSTATUS(run->status) != 2)
		return "ends with another status than 2";
	return line ? NULL : "fails, but does not say of memory";
}

static void report(long at, const char *what, const struct run *run)
{
	size_t n = strcspn(run->err.text, "\n");

	/* Not buffered: the next run would have the buffer, too. */
	dprintf(STDOUT_FILENO, "allocation %ld: %s (status %#x): %.*s\n", at,
		what, (unsigned)run->status, (int)n, run->err.text);
}

static long number(const char *name, long instead)
{
	const char *text = getenv(name);

	return text ? atol(text) : instead;
}

static int memory_file(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC);

	if (fd < 0)
		abort();
	return fd;
}

/* false: this is a run of the program. */
static bool each(long first, long more, const struct run *right, long all)
{
	long step = all > first + more ? (all - first + more - 1) / more : 1;
	long tried = 0;

	for (long at = 1; at <= all; at += at < first ? 1 : step, tried++) {
		struct run r;
		const char *what;

		if (!run(at, &r))
			return false;
		what = problem(&r, right);
		if (what)
			report(at, what, &r);
		drop(&r);
	}
	fprintf(stderr, "%ld of %ld allocations\n", tried, all);
	return true;
}

__attribute__((constructor)) static void drive(void)
{
	long first = number("FAIL_FIRST", 200), more = number("FAIL_MORE", 100);
	long single = number("FAIL_AT", 0);
	struct run right;

	counter = mmap(NULL, sizeof(*counter), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (counter == MAP_FAILED)
		abort();
	unsetenv("LD_PRELOAD");
	result = getenv("FAIL_RESULT");
	if (single) {
		counter->trace = true;
		counter->fail_at = single;
		counter->count = 0;
		return;
	}
	out_fd = memory_file("out");
	err_fd = memory_file("err");
	if (!run(0, &right))
		return;
	if (WIFSIGNALED(right.status) || WEXITSTATUS(right.status) == 2)
		dprintf(STDOUT_FILENO, "fails anyway: %s\n", right.err.text);
	if (!counter->count)
		dprintf(STDOUT_FILENO, "no allocation was counted\n");
	if (!each(first, more, &right, counter->count))
		return;
	_exit(0);
}
