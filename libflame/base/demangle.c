/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of C++ and Rust as their authors wrote them.
 *
 * libstdc++ (or libc++abi) knows how; it is opened when the first such name
 * comes, and where there is none names stay as they are.
 */
#include "fl.h"

#include "base/demangle.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

enum {
	MAX_MANGLED = 4096, MAX_NAME = 16 << 10,
	MAX_PIECE = 24,		/* characters for a letter of a name */
	MAX_STD = 72,		/* for Ss, Sa, .. */
	SAFE_NAME = 1 << 20	/* that the library may write */
};

static fl_demangler *library;
static pthread_once_t opened = PTHREAD_ONCE_INIT;

static void open_library(void)
{
	static const char *const files[] = {
		"libstdc++.so.6", "libc++abi.so.1", NULL
	};

	for (size_t i = 0; !library && files[i]; i++) {
		void *file = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
		void *f = file ? dlsym(file, "__cxa_demangle") : NULL;

		memcpy(&library, &f, sizeof(library));
	}
}

fl_demangler *fl_demangle_library(void)
{
	pthread_once(&opened, open_library);
	return library;
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

/* The number at `at`, and a name of that size, which is returned. */
static size_t identifier(const char **at)
{
	size_t size = 0;

	for (; fl_is_digit(**at); ++*at)
		size = FL_MIN(size * 10 + (size_t)(**at - '0'), MAX_MANGLED);
	size = strnlen(*at, size);
	*at += size;
	return size;
}

bool fl_demangle_is_safe(const char *name)
{
	size_t most = 0, longest = 0, pieces = 1;

	while (*name && most <= SAFE_NAME) {
		const char *end = name + 1;
		size_t size;

		pieces++;
		if (fl_is_digit(*name)) {
			size = identifier(&name);
			longest = FL_MAX(longest, size);
			most += size + 2;
			continue;
		}
		while (fl_is_digit(*end) || (*end >= 'A' && *end <= 'Z'))
			end++;
		if (strchr("ST", *name) && *end == '_') {
			most = 2 * most + MAX_PIECE;
			name = end + 1;
		} else if (strncmp(name, "Dp", 2) == 0) {
			/* Once for each of the arguments of a pack. */
			most *= pieces;
			name += 2;
		} else {
			most += *name == 'S' ? MAX_STD :
				strchr("CD", *name) ? longest + MAX_PIECE :
						      MAX_PIECE;
			name++;
		}
	}
	return most <= SAFE_NAME;
}

void fl_demangle_put(struct fl_buf *to, const char *text, const char *name)
{
	struct slice s = { text, strlen(text) };

	if (s.size > MAX_NAME)
		fl_buf_text(to, name);
	else if (is_rust(s))
		put_rust(to, s);
	else
		fl_buf_put(to, s.data, s.size);
}

/*
 * The name without "@plt" or "@@VERSION", which is the tail, and without LLVM's
 * ".llvm.123".  NULL: too long.
 */
static const char *bare_name(const char *name, char *bare, const char **tail)
{
	const char *llvm = strstr(name, ".llvm.");
	size_t size = llvm ? (size_t)(llvm - name) : strcspn(name, "@");

	*tail = llvm ? "" : name + size;
	if (size >= MAX_MANGLED)
		return NULL;
	memcpy(bare, name, size);
	bare[size] = '\0';
	return bare;
}

bool fl_demangle(struct fl_buf *to, const char *name)
{
	char bare[MAX_MANGLED], *text;
	const char *tail;
	fl_demangler *demangle;
	int status;

	/* Of macOS, with an underscore before all names. */
	name += name[0] == '_' && name[1] == '_';
	if (fl_demangle_rust(to, name))
		return true;
	if (strncmp(name, "_Z", 2) != 0 || !bare_name(name, bare, &tail) ||
	    !fl_demangle_is_safe(bare))
		return false;
	demangle = fl_demangle_library();
	text = demangle ? demangle(bare, NULL, NULL, &status) : NULL;
	text = text ? fl_memory_adopt(text) : NULL;
	if (!text)
		return false;
	fl_demangle_put(to, text, bare);
	fl_buf_text(to, tail);
	fl_free(text);
	return true;
}
