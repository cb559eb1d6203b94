/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Demangles symbols of C++ and Rust: fl_demangle() appends the name as its
 * author wrote it, for dict/frames.c and native/.
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
	MAX_PARTS = 64,		/* whose size is remembered */
	MAX_NESTED = 64,	/* brackets */
	SAFE_NAME = 4 << 20	/* that the library may write */
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

/* What may have been written so far, and what substitutions stand for. */
struct growth {
	size_t most, longest, pieces;
	/* Packs write what follows several times, up to the end of the list. */
	size_t factor;
	size_t longest_list;	/* elements of a list of arguments, or pack */
	bool has_expressions;	/* where brackets are not known */
	size_t depth;
	struct {
		size_t elements, factor;
		bool is_list;
	} open[MAX_NESTED];
	size_t parts[MAX_PARTS], nparts;	/* S_, S0_ .. that were met */
	size_t parameter;	/* the largest of T_, T0_ ..; 0: not known */
	/* Parts may have parameters, and be larger elsewhere. */
	bool has_parameters;
};

/* Parts are numbered as they end: all so far are not shorter. */
static size_t part(struct growth *g, size_t i)
{
	while (!g->has_parameters && g->nparts <= i && i < MAX_PARTS)
		g->parts[g->nparts++] = g->most;
	return i < g->nparts ? g->parts[i] : g->most;
}

/* "_" is the first, "0_" the second, "10_" the one with the number 37. */
static size_t part_number(const char *at)
{
	size_t n = 0;

	if (*at == '_')
		return 0;
	for (; *at != '_' && n < MAX_MANGLED; at++)
		n = n * 36 + (size_t)(fl_is_digit(*at) ? *at - '0' :
				      *at - 'A' + 10);
	return n + 1;
}

static void add(struct growth *g, size_t size)
{
	size *= g->factor;
	g->most += FL_MIN(size, (size_t)SAFE_NAME + 1);
}

static void substitute(struct growth *g, const char *name)
{
	if (*name == 'S') {
		add(g, part(g, part_number(name + 1)) + MAX_PIECE);
		return;
	}
	g->has_parameters = true;
	if (!g->parameter)
		g->parameter = g->most;
	add(g, g->parameter + MAX_PIECE);
}

/*
 * Elements of lists, as a pack is written once for each.  Where letters may be
 * those of operators, every piece counts as one.
 */
static bool is_ambiguous(const char *name)
{
	return strncmp(name, "aN", 2) == 0 || strncmp(name, "mI", 2) == 0 ||
	       strncmp(name, "mL", 2) == 0 || strncmp(name, "pL", 2) == 0;
}

static bool opens(const char *name)
{
	return strchr("IJNFLZX", *name) || strncmp(name, "DT", 2) == 0 ||
	       strncmp(name, "Dt", 2) == 0 || strncmp(name, "Ul", 2) == 0;
}

static void close_list(struct growth *g)
{
	if (!g->depth)
		return;
	if (!g->has_expressions)
		g->factor = g->open[g->depth].factor;
	g->depth--;
}

static void count_element(struct growth *g, const char *name)
{
	size_t *n = &g->open[g->depth].elements;

	if (is_ambiguous(name))
		g->longest_list = SAFE_NAME;
	g->has_expressions |= *name == 'X' || strncmp(name, "DT", 2) == 0 ||
			      strncmp(name, "Dt", 2) == 0;
	if (*name == 'E') {
		close_list(g);
		return;
	}
	*n += fl_is_digit(*name) || strchr("NFLZT", *name) ||
	      (*name >= 'a' && *name <= 'z') ||
	      (*name == 'S' && name[1] != 't');
	if (g->open[g->depth].is_list)
		g->longest_list = FL_MAX(g->longest_list, *n);
	if (!opens(name))
		return;
	if (g->depth + 1 == MAX_NESTED) {
		g->longest_list = SAFE_NAME;
		g->has_expressions = true;
		return;
	}
	g->depth++;
	g->open[g->depth].elements = 0;
	g->open[g->depth].factor = g->factor;
	g->open[g->depth].is_list = *name == 'I' || *name == 'J';
}

static void expand_pack(struct growth *g)
{
	g->factor *= FL_MAX(FL_MIN(g->longest_list, g->pieces), (size_t)1);
	g->factor = FL_MIN(g->factor, (size_t)SAFE_NAME + 1);
	g->nparts = 0;
	g->parameter = 0;
	g->has_parameters = true;
}

bool fl_demangle_is_safe(const char *name)
{
	struct growth g = { .pieces = 1, .factor = 1 };

	while (*name && g.most <= SAFE_NAME) {
		const char *end = name + 1;
		size_t size;

		g.pieces++;
		count_element(&g, name);
		if (fl_is_digit(*name)) {
			size = identifier(&name);
			g.longest = FL_MAX(g.longest, size);
			add(&g, size + 2);
			continue;
		}
		while (fl_is_digit(*end) || (*end >= 'A' && *end <= 'Z'))
			end++;
		/* Parameters of another template may follow. */
		if (strchr("IJE", *name))
			g.parameter = 0;
		if (strchr("ST", *name) && *end == '_') {
			substitute(&g, name);
			name = end + 1;
		} else if (strncmp(name, "Dp", 2) == 0) {
			expand_pack(&g);
			name += 2;
		} else if (strchr("CD", *name) && fl_is_digit(name[1])) {
			add(&g, g.longest + MAX_PIECE);
			name += 2;
		} else {
			add(&g, *name == 'S' ? MAX_STD :
				strchr("CD", *name) ? g.longest + MAX_PIECE :
						      MAX_PIECE);
			name++;
		}
	}
	return g.most <= SAFE_NAME;
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
