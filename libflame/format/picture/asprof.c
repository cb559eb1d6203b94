/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the frames of async-profiler's and jfrconv's pages for html.c
 * (fl_asprof_read): calls of JavaScript, a line each, a frame right after the
 * one it lies on.  2.x:
 *
 *	f(level,left,width,type,'title'[,inlined,c1,interpreted])
 *
 * 3.x and later: front-coded names (the first character, less 32, is how
 * much of the one before to keep, in UTF-16 units as JavaScript counts),
 * then calls with key = name << 3 | type, a width only where it changes:
 *
 *	f(key,level,left[,width[,...]])
 *	u(key[,width[,...]])	on the last one
 *	n(key[,width[,...]])	beside it
 */
#include "fl.h"

#include "format/picture/picture.h"

#include <stdlib.h>

enum { TYPES = 8, NUMBERS = 7 };

struct fl_asprof {
	enum flame_type types[TYPES];
	unsigned ntypes;	/* from the palette */
	struct fl_buf units;
	const char *metric;
	bool compares;
	flame_id *names;
	size_t nnames, names_capacity;
	size_t *path;		/* entries by level */
	size_t npath, path_capacity;
	int64_t level, width;
	struct fl_buf name, scratch;
};

struct fl_asprof *fl_asprof_new(void)
{
	static const enum flame_type types[TYPES] = {
		FLAME_INTERPRETED, FLAME_JIT, FLAME_INLINED, FLAME_NATIVE,
		FLAME_CPP, FLAME_KERNEL, FLAME_C1, FLAME_UNKNOWN
	};
	struct fl_asprof *a = fl_zeroed(1, sizeof(*a));

	if (a) {
		memcpy(a->types, types, sizeof(types));
		a->metric = "";
	}
	return a;
}

void fl_asprof_free(struct fl_asprof *a)
{
	if (!a)
		return;
	fl_buf_free(&a->units);
	fl_buf_free(&a->name);
	fl_buf_free(&a->scratch);
	fl_free(a->names);
	fl_free(a->path);
	fl_free(a);
}

/* The head ---------------------------------------------------------------- */

/* Numbers of types have changed over the years; colours have not. */
static void read_colour(struct fl_asprof *a, struct slice line)
{
	static const struct { const char *colour; enum flame_type type; }
	known[] = {
		{ "[0xb2e1b2", FLAME_INTERPRETED }, { "[0x50e150", FLAME_JIT },
		{ "[0x50cccc", FLAME_INLINED }, { "[0x50bebe", FLAME_INLINED },
		{ "[0xe15a5a", FLAME_NATIVE }, { "[0xc8c83c", FLAME_CPP },
		{ "[0xe17d00", FLAME_KERNEL }, { "[0xcce880", FLAME_C1 },
	};

	if (a->ntypes == TYPES)
		return;
	for (size_t i = 0; i < FL_COUNT(known); i++)
		if (fl_slice_starts(line, known[i].colour))
			a->types[a->ntypes] = known[i].type;
	a->ntypes++;
}

/* The title, in which the writer escapes what HTML has for itself. */
static void read_title(struct fl_asprof *a, struct flame_source *source,
		       struct slice line)
{
	static const struct { const char *from, *to; } known[] = {
		{ "&amp;", "&" }, { "&lt;", "<" }, { "&gt;", ">" },
	};
	const char *end = memmem(line.data, line.size, "</h1>", 5);

	if (!end)
		return;
	a->scratch.size = 0;
	fl_buf_text(&a->scratch, "");
	for (const char *c = line.data + 4; c < end; c++) {
		struct slice rest = { c, (size_t)(end - c) };
		size_t i = 0;

		while (i < FL_COUNT(known) &&
		       !fl_slice_starts(rest, known[i].from))
			i++;
		fl_buf_byte(&a->scratch, i < FL_COUNT(known) ?
					 *known[i].to : *c);
		if (i < FL_COUNT(known))
			c += strlen(known[i].from) - 1;
	}
	if (a->scratch.failed)
		fl_no_memory(source->flame);
	else
		fl_title_found(source, (struct slice){ a->scratch.data,
						       a->scratch.size });
}

static void read_heading(struct fl_asprof *a, struct slice line)
{
	static const char *const known[][2] = {
		{ "<h1>CPU profile", "cpu" }, { "<h1>Wall clock", "wall" },
		{ "<h1>Allocation profile", "alloc" },
		{ "<h1>Lock profile", "lock" },
	};

	for (size_t i = 0; i < FL_COUNT(known); i++)
		if (fl_slice_starts(line, known[i][0]))
			a->metric = known[i][1];
}

void fl_asprof_head(struct fl_asprof *a, struct flame_source *source,
		    struct slice line)
{
	static const char units[] = "const units = '";

	while (line.size && (*line.data == '\t' || *line.data == ' ')) {
		line.data++;
		line.size--;
	}
	if (fl_slice_starts(line, "[0x")) {
		read_colour(a, line);
	} else if (fl_slice_starts(line, "<h1>")) {
		read_heading(a, line);
		read_title(a, source, line);
	} else if (fl_slice_starts(line, units)) {
		const char *at = line.data + sizeof(units) - 1;
		const char *end = memchr(at, '\'', line.data + line.size - at);

		a->units.size = 0;
		if (end)
			fl_buf_put(&a->units, at, end - at);
	}
}

/* Texts ------------------------------------------------------------------- */

/* Unescapes a quoted literal into buf; *at moves past it. */
static bool read_literal(const char **at, const char *end, struct fl_buf *buf)
{
	const char *c = *at;

	buf->size = 0;
	fl_buf_text(buf, "");
	if (c == end || *c++ != '\'')
		return false;
	for (; c < end && *c != '\''; c++) {
		if (*c == '\\' && ++c == end)
			return false;
		fl_buf_byte(buf, *c);
	}
	if (c == end)
		return false;
	*at = c + 1;
	return true;
}

/* The bytes of the first n UTF-16 units, or of all there are. */
static size_t prefix(const struct fl_buf *text, unsigned n)
{
	size_t i = 0;

	while (n && i < text->size) {
		unsigned length =
			fl_utf8_length(text->data + i, text->size - i);

		i += length ? length : 1;
		n -= FL_MIN(n, length == 4 ? 2 : 1);
	}
	return i;
}

static bool read_name(struct fl_asprof *a, struct flame *flame,
		      struct slice line)
{
	const char *at = line.data, *end = at + line.size;
	bool good = read_literal(&at, end, &a->scratch) && a->scratch.size;
	unsigned same = good ? (uint8_t)a->scratch.data[0] : 0;

	good = good && same >= 32 && same < 128;
	/* A bad one keeps its number. */
	a->name.size = good ? prefix(&a->name, same - 32) : 0;
	if (good)
		fl_buf_put(&a->name, a->scratch.data + 1, a->scratch.size - 1);
	if (a->name.failed || a->scratch.failed ||
	    !fl_grow(&a->names, &a->names_capacity, a->nnames + 1,
		     sizeof(*a->names))) {
		fl_no_memory(flame);
		return false;
	}
	a->names[a->nnames++] = flame_name(
		flame, a->name.data ? a->name.data : "", a->name.size);
	return good;
}

/* Calls ------------------------------------------------------------------- */

struct call {
	char f;			/* 'f', 'u', 'n' */
	int64_t number[NUMBERS];
	unsigned n;
	bool titled;		/* 2.x; the title is in scratch */
};

static bool is_call(struct slice line)
{
	return line.size > 3 && line.data[1] == '(' &&
	       (line.data[0] == 'f' || line.data[0] == 'u' ||
		line.data[0] == 'n') &&
	       line.data[2] >= '0' && line.data[2] <= '9';
}

static bool read_call(struct fl_asprof *a, struct slice line,
		      struct call *call)
{
	const char *at = line.data + 2, *end = line.data + line.size;

	*call = (struct call){ .f = line.data[0] };
	for (;; at++) {
		const char *from = at;

		if (at < end && *at == '\'') {
			if (call->titled || call->n != 4 ||
			    !read_literal(&at, end, &a->scratch))
				return false;
			call->titled = true;
		} else {
			while (at < end && *at >= '0' && *at <= '9')
				at++;
			if (call->n == NUMBERS ||
			    !fl_parse_int((struct slice){ from, at - from },
					  &call->number[call->n++]))
				return false;
		}
		if (at == end || (*at != ',' && *at != ')'))
			return false;
		if (*at == ')')
			return at + 1 == end;
	}
}

/* The arguments in the order of the other layout: level, width, type, name. */
static bool understand(struct fl_asprof *a, struct flame *flame,
		       const struct call *c, flame_id *name, unsigned *type)
{
	const int64_t *number = c->number;
	unsigned width = c->f == 'f' ? 3 : 1;
	size_t key;

	if (c->titled) {
		a->level = number[0];
		a->width = number[2];
		*type = number[3] < TYPES ? (unsigned)number[3] : TYPES - 1;
		*name = flame_name(flame, a->scratch.data, a->scratch.size);
		return c->f == 'f';
	}
	if (c->f == 'f' && c->n < 3)
		return false;
	key = (size_t)number[0] >> 3;
	*type = number[0] & 7;
	if (key >= a->nnames)
		return false;
	*name = a->names[key];
	if (c->f == 'f')
		a->level = number[1];
	a->level += c->f == 'u';
	if (c->n > width)
		a->width = number[width];
	return true;
}

static bool add(struct fl_asprof *a, struct flame *flame,
		struct fl_counts *counts, flame_id name, unsigned type)
{
	size_t level = (size_t)a->level;
	flame_id frame = 0;

	/* The root is "all" and no frame; there is one. */
	if (level > a->npath || (!level && a->npath))
		return false;
	if (level)
		frame = fl_frame(flame, name, a->types[type]);
	if (!fl_grow(&a->path, &a->path_capacity, level + 1, sizeof(*a->path)) ||
	    !fl_counts_add(counts, flame, level ? &a->path[level - 1] : NULL,
			   frame, a->width)) {
		fl_no_memory(flame);
		return false;
	}
	a->path[level] = counts->n - 1;
	a->npath = level + 1;
	return true;
}

/* An impossible call is lost together with the frames on it. */
static void read_frame(struct fl_asprof *a, struct flame_source *source,
		       struct fl_lines *lines, struct fl_counts *counts,
		       struct slice line)
{
	struct call call;
	flame_id name;
	unsigned type;

	if (read_call(a, line, &call) &&
	    understand(a, source->flame, &call, &name, &type) &&
	    add(a, source->flame, counts, name, type))
		lines->good++;
	else
		fl_lines_bad(lines, line);
}

static bool read_names(struct fl_asprof *a, struct flame_source *source,
		       struct fl_lines *lines)
{
	struct slice line;

	while (fl_lines_next(lines, &line)) {
		if (line.size && *line.data != '\'')
			return true;
		if (!read_name(a, source->flame, line))
			fl_lines_bad(lines, line);
	}
	return false;
}

/* No frame may weigh less than those on it. */
static int check(struct flame_source *source, const struct fl_counts *counts,
		 const char *name)
{
	size_t wrong = 0;

	for (size_t i = 0; i < counts->n; i++)
		wrong += counts->at[i].self < 0;
	if (wrong)
		return fl_fail(source->flame, "%s: %zu frames weigh less than "
			       "what lies on them", name, wrong);
	return FLAME_OK;
}

int fl_asprof_read(struct fl_asprof *a, struct flame_source *source,
		   struct fl_lines *lines, struct fl_counts *counts,
		   bool cpool)
{
	const char *name = fl_in_name(lines->in);
	bool ended = false;
	struct slice line;

	if (cpool)
		read_names(a, source, lines);
	else
		lines->again = true;
	while (!fl_failed(source->flame) && fl_lines_next(lines, &line)) {
		if (is_call(line)) {
			read_frame(a, source, lines, counts, line);
		} else if (fl_slice_starts(line, "d=")) {
			a->compares = true;
		} else if (counts->n && !line.size) {
			ended = true;
			break;
		} else if (counts->n) {
			fl_lines_bad(lines, line);
		}
	}
	if (fl_failed(source->flame))
		return FLAME_FAILED;
	if (!counts->n)
		return fl_fail(source->flame, "%s: async-profiler's page, but "
			       "without frames", name);
	fl_lines_end(source, lines);
	if (!ended) {
		fl_warn(source->flame, "%s: cut short after line %llu: frames "
			"that are missing count as self of those they lay on",
			name, (unsigned long long)lines->number);
		source->damage = 1;
	}
	if (a->compares)
		fl_remark(source->flame, "%s: two profiles are compared in it; "
			  "the second is read", name);
	fl_buf_byte(&a->units, '\0');
	if (a->units.failed)
		return fl_no_memory(source->flame);
	fl_counts_metric(counts, source->flame, a->metric, a->units.data);
	return check(source, counts, name);
}
