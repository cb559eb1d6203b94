/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the tree page of async-profiler (-o tree) into stacks and their self
 * counts, for html.c: an item a frame, those above it in a list within.
 *
 *	<li><div>75.9% [369] &#8226; self: 0.2% [1]</div>
 *	 <span class="t0">a.b</span>
 *	<ul>
 *	...
 *	</ul>
 */
#include "fl.h"

#include "format/picture/picture.h"

struct tree {
	flame_id *path;		/* stacks by level */
	size_t capacity, depth;
	flame_id last;		/* the stack of the item before */
	struct fl_buf name;
};

/* In the order of async-profiler's numbers. */
static const enum flame_type types[] = {
	FLAME_INTERPRETED, FLAME_JIT, FLAME_INLINED, FLAME_NATIVE, FLAME_CPP,
	FLAME_KERNEL, FLAME_C1
};

/* Moves past a text; false: not found. */
static bool skip_to(struct slice *s, const char *text)
{
	const char *at = fl_slice_find(*s, text);

	if (!at)
		return false;
	at += strlen(text);
	s->size -= (size_t)(at - s->data);
	s->data = at;
	return true;
}

/* Moves to the next "[1,234]", past text without a bracket. */
static bool take_count(struct slice *s, int64_t *n)
{
	bool any = false;

	*n = 0;
	if (!skip_to(s, "["))
		return false;
	for (; s->size && *s->data != ']'; s->data++, s->size--) {
		if (*s->data == ',')
			continue;
		if (!fl_is_digit(*s->data))
			return false;
		*n = fl_add_clamped(fl_mul_clamped(*n, 10), *s->data - '0');
		any = true;
	}
	return any && s->size;
}

static enum flame_type take_type(struct slice *s)
{
	unsigned n;

	if (!skip_to(s, "<span class=\"t"))
		return FLAME_UNKNOWN;
	n = s->size ? (unsigned)(*s->data - '0') : UINT32_MAX;
	return n < FL_COUNT(types) ? types[n] : FLAME_UNKNOWN;
}

static void unescape(struct fl_buf *to, struct slice s)
{
	static const struct { const char *from, *to; } known[] = {
		{ "&lt;", "<" }, { "&gt;", ">" }, { "&amp;", "&" },
	};

	to->size = 0;
	fl_buf_text(to, "");
	while (s.size) {
		size_t i = 0, n = 1;

		while (i < FL_COUNT(known) && !fl_slice_starts(s, known[i].from))
			i++;
		if (i < FL_COUNT(known))
			n = strlen(known[i].from);
		fl_buf_byte(to, i < FL_COUNT(known) ? *known[i].to : *s.data);
		s.data += n;
		s.size -= n;
	}
}

/* false: not understood. */
static bool take_item(struct tree *t, struct flame *flame,
		      struct slice line, struct fl_counts *counts)
{
	flame_id caller = t->depth ? t->path[t->depth - 1] : 0, frame;
	struct slice rest = line;
	enum flame_type type;
	int64_t total, self;
	const char *end;

	if (!take_count(&rest, &total) || !skip_to(&rest, "self: ") ||
	    !take_count(&rest, &self))
		return false;
	type = take_type(&rest);
	if (!skip_to(&rest, ">"))
		return false;
	end = fl_slice_find(rest, "</span>");
	if (!end)
		return false;
	unescape(&t->name, (struct slice){ rest.data,
					   (size_t)(end - rest.data) });
	if (t->name.failed ||
	    !fl_grow(&counts->at, &counts->capacity, counts->n + 1,
		     sizeof(*counts->at))) {
		fl_no_memory(flame);
		return true;
	}
	frame = fl_frame(flame, flame_name(flame, t->name.data, t->name.size),
			 type);
	t->last = flame_stack(flame, caller, frame);
	counts->at[counts->n++] = (struct fl_count){
		.stack = t->last, .self = self, .time = FLAME_NOTIME };
	return true;
}

static bool take_line(struct tree *t, struct flame *flame, struct slice line,
		      struct fl_counts *counts)
{
	if (fl_slice_starts(line, "<li>"))
		return take_item(t, flame, line, counts);
	if (fl_slice_starts(line, "<ul>")) {
		if (!fl_grow(&t->path, &t->capacity, t->depth + 1,
			     sizeof(*t->path)))
			fl_no_memory(flame);
		else
			t->path[t->depth++] = t->last;
	} else if (fl_slice_starts(line, "</ul>")) {
		t->depth -= t->depth > 0;
	}
	return true;
}

int fl_asprof_tree_read(struct flame_source *source, struct fl_lines *lines,
			struct fl_counts *counts)
{
	struct tree tree = { 0 };
	const char *name = fl_in_name(lines->in);
	bool ended = false;
	struct slice line;

	while (!ended && !fl_failed(source->flame) &&
	       fl_lines_next(lines, &line)) {
		line = fl_slice_trim(line);
		/* The list ends with the script that opens it, or itself. */
		ended = fl_slice_starts(line, "<script") ||
			(fl_slice_starts(line, "</ul>") && !tree.depth);
		if (!ended && !take_line(&tree, source->flame, line, counts))
			fl_lines_bad(lines, line);
	}
	lines->good += counts->n;
	fl_free(tree.path);
	fl_buf_free(&tree.name);
	if (fl_failed(source->flame))
		return FLAME_FAILED;
	fl_lines_end(source, lines);
	if (!ended) {
		fl_warn(source->flame, "%s: cut short after line %llu", name,
			(unsigned long long)lines->number);
		source->damage = 1;
	}
	fl_counts_metric(counts, source->flame, "", "samples");
	return FLAME_OK;
}
