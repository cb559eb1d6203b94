/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --nameattr: reads a file of attributes of frames, and fl_nameattr_get()
 * returns one by the name of a frame and a key, for the links and titles of an
 * SVG (svg_frames.c).  Lines are "name TAB key=value TAB key=value".  A value
 * may be in quotes.  The first line of a name counts.
 */
#include "draw/draw.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct fl_nameattr {
	struct fl_arena arena;
	struct fl_index index;
	struct row {
		struct slice name, rest;
	} *rows;		/* [0] is unused */
	size_t count, capacity;
};

static const struct row *find(const struct fl_nameattr *a, struct slice name)
{
	uint64_t hash = fl_hash(name.data, name.size);
	uint32_t i, id;

	for (i = fl_index_first(&a->index, hash);
	     (id = fl_index_next(&a->index, hash, &i));)
		if (a->rows[id].name.size == name.size &&
		    memcmp(a->rows[id].name.data, name.data, name.size) == 0)
			return &a->rows[id];
	return NULL;
}

static bool add(struct fl_nameattr *a, const char *line, size_t n)
{
	const char *tab = memchr(line, '\t', n);
	size_t size = tab ? (size_t)(tab - line) : n;
	char *copy;

	if (!size || find(a, (struct slice){ line, size }))
		return true;
	copy = fl_arena_copy(&a->arena, line, n);
	if (!a->count)
		a->count = 1;
	if (!copy ||
	    !fl_grow(&a->rows, &a->capacity, a->count + 1, sizeof(*a->rows)) ||
	    !fl_index_add(&a->index, fl_hash(copy, size), a->count))
		return false;
	a->rows[a->count++] = (struct row){
		{ copy, size }, { copy + size, n - size }
	};
	return true;
}

struct fl_nameattr *fl_nameattr_open(struct flame *flame, const char *path)
{
	struct fl_nameattr *a = fl_zeroed(1, sizeof(*a));
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t capacity = 0;
	bool good = a;
	ssize_t n;

	if (!file) {
		fl_fail(flame, "--nameattr %s: %s", path, strerror(errno));
		fl_free(a);
		return NULL;
	}
	while (good && (n = getline(&line, &capacity, file)) >= 0) {
		while (n && (line[n - 1] == '\n' || line[n - 1] == '\r'))
			n--;
		good = add(a, line, n);
	}
	if (line)	/* adopting none means that there is no memory */
		fl_free(fl_memory_adopt(line));
	fclose(file);
	if (good)
		return a;
	fl_nameattr_free(a);
	fl_no_memory(flame);
	return NULL;
}

static struct slice unquoted(struct slice s)
{
	if (s.size > 1 && (*s.data == '"' || *s.data == '\'') &&
	    s.data[s.size - 1] == *s.data) {
		s.data++;
		s.size -= 2;
	}
	return s;
}

struct slice fl_nameattr_get(const struct fl_nameattr *a, struct slice name,
			     const char *key)
{
	const struct row *row = find(a, name);
	const char *at = row ? row->rest.data : NULL;
	const char *end = row ? at + row->rest.size : NULL;
	size_t n = strlen(key);

	while (at < end) {
		const char *stop;

		at++;
		stop = memchr(at, '\t', end - at);
		stop = stop ? stop : end;
		if ((size_t)(stop - at) > n && memcmp(at, key, n) == 0 &&
		    at[n] == '=')
			return unquoted((struct slice){
				at + n + 1, stop - at - n - 1 });
		at = stop;
	}
	return (struct slice){ NULL, 0 };
}

void fl_nameattr_free(struct fl_nameattr *a)
{
	if (!a)
		return;
	fl_arena_free(&a->arena);
	fl_index_free(&a->index);
	fl_free(a->rows);
	fl_free(a);
}
