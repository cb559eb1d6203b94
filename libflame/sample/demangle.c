/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of C++ and Rust as their authors wrote them.
 *
 * libstdc++ (or libc++abi) knows how; it is opened when the first such name
 * comes, and where there is none names stay as they are.
 */
#include "fl.h"

#include "sample/symbols.h"

#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	MAX_MANGLED = 4096, MAX_NAME = 16 << 10,
	MAX_PIECE = 40,		/* characters for one of a mangled name */
	SAFE_NAME = 1 << 20,	/* that the library may write in this process */
	CPU_US = 20000, WAIT_MS = 500,
	MAX_BOMBS = 25		/* names that ended their child */
};

typedef char *demangler(const char *, char *, size_t *, int *);

static demangler *find(void)
{
	static const char *const files[] = {
		"libstdc++.so.6", "libc++abi.so.1", NULL
	};
	static bool tried;
	static demangler *found;

	for (size_t i = 0; !tried && !found && files[i]; i++) {
		void *library = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
		void *f = library ? dlsym(library, "__cxa_demangle") : NULL;

		memcpy(&found, &f, sizeof(found));
	}
	tried = true;
	return found;
}

void fl_demangle_begin(void)
{
	find();
}

/* Rust's older names end in "::h" and 16 digits of a hash. */
static bool is_rust(struct slice s)
{
	if (s.size <= 19 || memcmp(s.data + s.size - 19, "::h", 3) != 0)
		return false;
	for (size_t i = s.size - 16; i < s.size; i++)
		if (!fl_is_lower_hex(s.data[i]))
			return false;
	return true;
}

static bool put_escape(struct fl_buf *to, struct slice *s)
{
	static const struct {
		const char *text;
		char c;
	} escapes[] = {
		{ "$LT$", '<' }, { "$GT$", '>' }, { "$LP$", '(' },
		{ "$RP$", ')' }, { "$C$", ',' }, { "$RF$", '&' },
		{ "$BP$", '*' }, { "$SP$", '@' }, { "$u7b$", '{' },
		{ "$u7d$", '}' }, { "$u20$", ' ' }, { "$u27$", '\'' },
		{ "$u5b$", '[' }, { "$u5d$", ']' }, { "$u7e$", '~' },
		{ "$u2b$", '+' }, { "$u22$", '"' }, { "$u3b$", ';' },
	};

	for (size_t i = 0; i < FL_COUNT(escapes); i++)
		if (fl_slice_starts(*s, escapes[i].text)) {
			size_t n = strlen(escapes[i].text);

			fl_buf_byte(to, escapes[i].c);
			s->data += n;
			s->size -= n;
			return true;
		}
	return false;
}

static void put_rust(struct fl_buf *to, struct slice s)
{
	char last = ':';

	s.size -= 19;
	while (s.size) {
		/*
		 * "_$LT$": an underscore precedes an escape at the beginning.
		 */
		if (s.data[0] == '_' && last == ':' && s.size > 1 &&
		    s.data[1] == '$') {
			s.data++;
			s.size--;
		}
		if (s.data[0] == '$' && put_escape(to, &s)) {
			last = '$';
		} else if (fl_slice_starts(s, "..")) {
			fl_buf_text(to, "::");
			last = ':';
			s.data += 2;
			s.size -= 2;
		} else {
			last = s.data[0];
			fl_buf_byte(to, last);
			s.data++;
			s.size--;
		}
	}
}

/*
 * A reference to an earlier part of the name at most doubles the text: by 60 of
 * them a name of 651 bytes is longer than any memory.
 */
static bool is_safe(const char *name)
{
	size_t most = strlen(name) * MAX_PIECE;

	for (; *name && most <= SAFE_NAME; name++) {
		const char *end = name + 1;

		while (fl_is_digit(*end) || (*end >= 'A' && *end <= 'Z'))
			end++;
		if ((strchr("ST", *name) && *end == '_') ||
		    strncmp(name, "Dp", 2) == 0)
			most *= 2;
	}
	return most <= SAFE_NAME;
}

/* In the child: SIGPROF ends it after CPU_US. */
static void demangle_and_exit(demangler *demangle, const char *name, int to)
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
static char *demangle_apart(demangler *demangle, const char *name)
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

bool fl_demangle(struct fl_buf *to, const char *name)
{
	demangler *demangle;
	struct slice s;
	char *text;
	int status;

	if (fl_demangle_rust(to, name))
		return true;
	if (strncmp(name, "_Z", 2) != 0 || strlen(name) > MAX_MANGLED)
		return false;
	demangle = find();
	if (!demangle)
		return false;
	if (is_safe(name)) {
		text = demangle(name, NULL, NULL, &status);
		text = text ? fl_memory_adopt(text) : NULL;
	} else {
		text = demangle_apart(demangle, name);
	}
	if (!text)
		return false;
	s = (struct slice){ text, strlen(text) };
	if (s.size <= MAX_NAME && is_rust(s))
		put_rust(to, s);
	else if (s.size <= MAX_NAME)
		fl_buf_put(to, s.data, s.size);
	else
		fl_buf_text(to, name);
	fl_free(text);
	return true;
}
