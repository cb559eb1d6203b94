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
#include <stdlib.h>

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

bool fl_demangle(struct fl_buf *to, const char *name)
{
	demangler *demangle;
	struct slice s;
	char *text;
	int status;

	if (fl_demangle_rust(to, name))
		return true;
	if (strncmp(name, "_Z", 2) != 0 || strlen(name) > 4096)
		return false;
	demangle = find();
	text = demangle ? demangle(name, NULL, NULL, &status) : NULL;
	if (!text)
		return false;
	text = fl_memory_adopt(text);
	s = (struct slice){ text, strlen(text) };
	if (is_rust(s))
		put_rust(to, s);
	else
		fl_buf_put(to, s.data, s.size);
	fl_free(text);
	return true;
}
