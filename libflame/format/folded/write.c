/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folded stacks, written: sorted bytewise, one blank, LF.  ';' within a name
 * becomes ':', control characters become blanks.
 *
 * Lines come out sorted without sorting lines: below a parent, "name " (a
 * stack that ends there) and "name;" (those that go on) are items of their
 * own, since other names may sort between the two.
 */
#include "fl.h"

#include "format/folded/folded.h"
#include "tree/tree.h"

#include <stdlib.h>

struct item {
	uint32_t node;
	bool below;		/* "name;": its subtree; else "name weight" */
};

struct writer {
	struct flame *flame;
	const struct fl_page *page;
	const struct fl_layout *layout;
	struct fl_buf path;
	struct item *items;
	size_t nitems, room;
};

static void spell(struct writer *w, struct fl_buf *to, uint32_t node)
{
	struct slice name = fl_name_at(w->flame, w->layout->name[node]);
	size_t from = to->size;

	fl_buf_put(to, name.at, name.size);
	if (!w->page->compat && to->at)
		for (size_t i = from; i < to->size; i++) {
			if (to->at[i] == ';')
				to->at[i] = ':';
			else if ((unsigned char)to->at[i] < 0x20)
				to->at[i] = ' ';
		}
	fl_buf_text(to, fl_type_suffix(w->layout->type[node]));
}

struct sortable {
	const char *text;
	size_t size;		/* the separator included */
	struct item item;
};

static int by_line(const void *a, const void *b)
{
	const struct sortable *x = a, *y = b;
	int d = memcmp(x->text, y->text, FL_MIN(x->size, y->size));

	if (d)
		return d;
	return (x->size > y->size) - (x->size < y->size);
}

/* jfrconv leaves out what is in the first of two profiles only. */
static bool has_line(const struct writer *w, uint32_t node)
{
	const struct fl_layout *l = w->layout;

	if (l->columns == 1)
		return l->self[0][node] != 0;
	return l->self[1][node] || (l->self[0][node] && !w->page->compat);
}

/* The items below a node, last first, on top of the stack of items. */
static bool open_node(struct writer *w, uint32_t node)
{
	const struct fl_layout *l = w->layout;
	struct fl_buf names = { 0 };
	struct sortable *list = NULL;
	size_t n = 0, room = 0;

	for (uint32_t i = node + 1; i < l->end[node]; i = l->end[i]) {
		for (int below = 0; below < 2; below++) {
			if (below ? l->end[i] == i + 1 : !has_line(w, i))
				continue;
			if (!fl_grow(&list, &room, n + 1, sizeof(*list)))
				goto failed;
			/* An offset until the buffer stays put. */
			list[n].text = (const char *)(uintptr_t)names.size;
			spell(w, &names, i);
			fl_buf_byte(&names, below ? ';' : ' ');
			list[n].size = names.size -
				       (size_t)(uintptr_t)list[n].text;
			list[n++].item = (struct item){ i, below };
		}
	}
	if (names.failed || !fl_grow(&w->items, &w->room, w->nitems + n + 1,
				     sizeof(*w->items)))
		goto failed;
	for (size_t i = 0; i < n; i++)
		list[i].text = names.at + (uintptr_t)list[i].text;
	if (n > 1)
		qsort(list, n, sizeof(*list), by_line);
	while (n--)
		w->items[w->nitems++] = list[n].item;
	fl_buf_free(&names);
	free(list);
	return true;
failed:
	fl_buf_free(&names);
	free(list);
	return false;
}

/* " 12", or of two columns " 12 0". */
static void put_weights(struct writer *w, uint32_t node)
{
	for (unsigned c = 0; c < w->layout->columns; c++) {
		fl_buf_byte(&w->path, ' ');
		fl_buf_number(&w->path, w->layout->self[c][node]);
	}
}

static void put_line(struct writer *w, uint32_t node)
{
	size_t had = w->path.size;

	spell(w, &w->path, node);
	put_weights(w, node);
	fl_buf_byte(&w->path, '\n');
	fl_out_put(w->page->out, w->path.at, w->path.size);
	w->path.size = had;
}

/*
 * `ends` holds, per level, how long the path is up to its parent: going on
 * with an item of level n cuts the path back to there.
 */
static int put_all(struct writer *w)
{
	const struct fl_layout *l = w->layout;
	size_t *ends = calloc((size_t)l->depth + 2, sizeof(*ends));

	if (!ends || !open_node(w, 0)) {
		free(ends);
		return fl_no_memory(w->flame);
	}
	while (w->nitems) {
		struct item item = w->items[--w->nitems];
		uint32_t level = l->level[item.node];

		w->path.size = ends[level];
		if (!item.below) {
			put_line(w, item.node);
			continue;
		}
		spell(w, &w->path, item.node);
		fl_buf_byte(&w->path, ';');
		ends[level + 1] = w->path.size;
		if (!open_node(w, item.node))
			break;
	}
	free(ends);
	return w->nitems || w->path.failed ? fl_no_memory(w->flame) : FLAME_OK;
}

static int write_folded(struct fl_page *page)
{
	struct flame *flame = page->tree->flame;
	struct fl_layout *layout = fl_page_layout(page, 0);
	struct writer w = { .flame = flame, .page = page, .layout = layout };
	int status;

	if (!layout)
		return FLAME_FAILED;
	/* Stacks of no frames; they sort before all others. */
	if (has_line(&w, 0) && (!page->compat || page->compat_root)) {
		put_weights(&w, 0);
		fl_buf_byte(&w.path, '\n');
		fl_out_put(page->out, w.path.at, w.path.size);
	}
	status = put_all(&w);
	fl_buf_free(&w.path);
	free(w.items);
	fl_layout_free(layout);
	return status;
}

struct flame_sink *fl_folded_create(struct flame *flame, struct fl_out *out)
{
	return fl_page_sink(flame, out, write_folded);
}
