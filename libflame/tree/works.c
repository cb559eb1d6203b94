/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the row of share/rules/works for a name: all patterns are one automaton
 * of Aho and Corasick, which reads each byte of a name once.
 */
#include "fl.h"

#include "tree/works.h"

#include <stdlib.h>

/* Stand for the beginning of a name and its end. */
enum { BEGIN = 1, END = 2, NONE = UINT8_MAX };

struct state {
	uint16_t child, sibling;	/* 0: none */
	uint16_t fail;
	uint8_t byte;
	uint8_t row;		/* the first of those that end here; NONE */
};

struct fl_work_names {
	struct state *states;	/* 0 is the root */
	size_t count, capacity;
	uint16_t first[256];	/* the root's children */
	uint8_t plain[256];	/* a byte as patterns have it */
};

static uint16_t child_of(const struct fl_work_names *w, uint16_t at,
			 uint8_t byte)
{
	uint16_t child;

	if (!at)
		return w->first[byte];
	for (child = w->states[at].child; child && w->states[child].byte != byte;)
		child = w->states[child].sibling;
	return child;
}

/* 0: out of memory. */
static uint16_t add_child(struct fl_work_names *w, uint16_t at, uint8_t byte)
{
	uint16_t child = child_of(w, at, byte);

	if (child)
		return child;
	if (w->count > UINT16_MAX || !fl_grow(&w->states, &w->capacity,
					      w->count + 1, sizeof(*w->states)))
		return 0;
	child = (uint16_t)w->count++;
	w->states[child] = (struct state){
		.byte = byte, .row = NONE, .sibling = w->states[at].child,
	};
	w->states[at].child = child;
	if (!at)
		w->first[byte] = child;
	return child;
}

/* The states of a pattern: the next one begins as it does, most often. */
struct path {
	const char *pattern;
	size_t n;
	uint16_t states[128];
};

static size_t common(const struct path *path, const char *at, size_t n)
{
	size_t i = 0;

	/* '$' ends a pattern. */
	while (i < n && i < path->n && at[i] == path->pattern[i] &&
	       at[i] != '$')
		i++;
	return i;
}

static bool add_pattern(struct fl_work_names *w, struct path *path,
			const char *at, size_t n, uint8_t row)
{
	size_t i = common(path, at, n);
	uint16_t state = i ? path->states[i - 1] : 0;

	for (; i < n; i++) {
		uint8_t byte = (uint8_t)at[i];

		if (!i && byte == '^')
			byte = BEGIN;
		else if (i + 1 == n && byte == '$')
			byte = END;
		state = add_child(w, state, byte);
		if (!state)
			return false;
		if (i < FL_COUNT(path->states))
			path->states[i] = state;
	}
	path->pattern = at;
	path->n = FL_MIN(n, FL_COUNT(path->states));
	w->states[state].row = FL_MIN(w->states[state].row, row);
	return true;
}

static bool add_rows(struct fl_work_names *w)
{
	struct path path = { .n = 0 };

	for (uint8_t row = 0; fl_works[row].name; row++) {
		const char *at = fl_works[row].patterns;

		for (size_t n; *at; at += n + (at[n] != '\0')) {
			n = strcspn(at, " ");
			if (n && !add_pattern(w, &path, at, n, row))
				return false;
		}
	}
	return true;
}

static uint16_t next_of(const struct fl_work_names *w, uint16_t at,
			uint8_t byte)
{
	uint16_t child;

	while (!(child = child_of(w, at, byte)) && at)
		at = w->states[at].fail;
	return child;
}

/* Breadth first: a state fails to a shorter one. */
static bool link_states(struct fl_work_names *w)
{
	uint16_t *queue = fl_alloc(w->count * sizeof(*queue));
	size_t n = 0;

	if (!queue)
		return false;
	queue[n++] = 0;
	for (size_t i = 0; i < n; i++) {
		const struct state *from = &w->states[queue[i]];

		for (uint16_t c = from->child; c; c = w->states[c].sibling) {
			struct state *to = &w->states[c];

			to->fail = queue[i] ?
				   next_of(w, from->fail, to->byte) : 0;
			to->row = FL_MIN(to->row, w->states[to->fail].row);
			queue[n++] = c;
		}
	}
	fl_free(queue);
	return true;
}

struct fl_work_names *fl_work_names_new(void)
{
	struct fl_work_names *w = fl_zeroed(1, sizeof(*w));

	if (!w)
		return NULL;
	for (int i = 0; i < 256; i++)
		w->plain[i] = (uint8_t)(i == '/' ? '.' : i <= END ? ' ' : i);
	if (fl_grow(&w->states, &w->capacity, 4096, sizeof(*w->states))) {
		w->states[w->count++] = (struct state){ .row = NONE };
		if (add_rows(w) && link_states(w))
			return w;
	}
	fl_work_names_free(w);
	return NULL;
}

void fl_work_names_free(struct fl_work_names *w)
{
	if (!w)
		return;
	fl_free(w->states);
	fl_free(w);
}

uint8_t fl_work_of(const struct fl_work_names *w, struct slice name)
{
	uint16_t at = w->first[BEGIN];
	uint8_t row = NONE;

	/* perf's map of a JVM: "Ljava/util/regex/Pattern;::compile" */
	if (name.size > 2 && name.data[0] == 'L' &&
	    memchr(name.data, ';', name.size))
		name = fl_slice_from(name, 1);
	for (size_t i = 0; i < name.size; i++) {
		at = next_of(w, at, w->plain[(uint8_t)name.data[i]]);
		row = FL_MIN(row, w->states[at].row);
	}
	at = next_of(w, at, END);
	row = FL_MIN(row, w->states[at].row);
	return (uint8_t)(row + 1);
}

void fl_work_regexp(struct fl_buf *to, unsigned row)
{
	char before = '/';

	for (const char *at = fl_works[row].patterns; *at; at++) {
		if (*at == ' ') {
			before = '|';
			continue;
		}
		if (before)
			fl_buf_byte(to, before);
		before = '\0';
		if (*at == '.')
			fl_buf_text(to, "[./]");
		else if (strchr("*+?()[]{}|\\$", *at) &&
			 !(*at == '$' && (!at[1] || at[1] == ' ')))
			fl_buf_print(to, "\\%c", *at);
		else
			fl_buf_byte(to, *at);
	}
	fl_buf_byte(to, '/');
}
