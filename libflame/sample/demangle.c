/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fl_demangle_symbol() demangles the name of a native symbol, for process.c and
 * places.c.  The C++ library's demangler has no limit: names that may become
 * long are demangled by a child process, which a limit of time ends.
 */
#include "fl.h"

#include "base/demangle.h"
#include "sample/process.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	MAX_MANGLED = 4096, MAX_NAME = 16 << 10,
	CPU_US = 20000, WAIT_MS = 500,
	MAX_BOMBS = 25		/* names that ended their child */
};

void fl_demangle_begin(void)
{
	fl_demangle_library();
}

/* In the child: SIGPROF ends it after CPU_US. */
static void demangle_and_exit(fl_demangler *demangle, const char *name, int to)
{
	const struct itimerval limit = { .it_value = { 0, CPU_US } };
	const char *text;
	int status;

	signal(SIGPROF, SIG_DFL);
	setitimer(ITIMER_PROF, &limit, NULL);
	text = demangle(name, NULL, NULL, &status);
	_exit(!text || write(to, text, strnlen(text, MAX_NAME + 1)) < 0);
}

/* All that a child writes until it ends, or its time does. */
static size_t read_child(int fd, char *to, size_t size)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	size_t n = 0;
	ssize_t got = 1;

	while (got > 0 && n < size && poll(&wait, 1, WAIT_MS) > 0) {
		got = read(fd, to + n, size - n);
		n += got > 0 ? (size_t)got : 0;
	}
	return n;
}

/*
 * The library has no limit of its own: a child demangles names that may become
 * long.  After MAX_BOMBS of them all such names stay mangled.
 */
static char *demangle_apart(fl_demangler *demangle, const char *name)
{
	static unsigned bombs;
	char *text = bombs < MAX_BOMBS ? fl_alloc(MAX_NAME + 1) : NULL;
	int ends[2];
	size_t n;
	pid_t pid;

	if (!text || pipe(ends) != 0) {
		fl_free(text);
		return NULL;
	}
	pid = fork();
	if (pid == 0)
		demangle_and_exit(demangle, name, ends[1]);
	close(ends[1]);
	n = pid > 0 ? read_child(ends[0], text, MAX_NAME + 1) : 0;
	close(ends[0]);
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	bombs += !n;
	if (!n || n > MAX_NAME) {
		fl_free(text);
		return NULL;
	}
	text[n] = '\0';
	return text;
}

bool fl_demangle_symbol(struct fl_buf *to, const char *name)
{
	fl_demangler *demangle;
	char *text;

	if (fl_demangle(to, name))
		return true;
	if (strncmp(name, "_Z", 2) != 0 || strlen(name) > MAX_MANGLED ||
	    fl_demangle_is_safe(name))
		return false;
	demangle = fl_demangle_library();
	text = demangle ? demangle_apart(demangle, name) : NULL;
	if (!text)
		return false;
	fl_demangle_put(to, text, name);
	fl_free(text);
	return true;
}
