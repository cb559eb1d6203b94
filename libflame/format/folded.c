/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folded stacks: "frame;frame;frame weight" a line, root first.
 *
 * Read: the weight is the number after the last blank; \r\n is a newline;
 * _[0] _[1] _[i] _[j] _[k] at a frame's end are its type (async-profiler's
 * and FlameGraph's annotations).  Written: sorted bytewise, one blank, LF;
 * ';' within a name becomes ':', control characters become blanks.
 */
#include "fl.h"

#include "format/format.h"
#include "tree/tree.h"

#include <stdlib.h>

/* Reading ------------------------------------------------------------- */

struct reader {
	uint64_t line;
	uint64_t good;		/* samples */
	uint64_t bad;		/* lines that were not understood */
	uint64_t first_bad;
	char sample[80];	/* of the first bad line */
};

/* A line with a ';' or blank before a final number, or nothing at all. */
static bool is_record(struct slice line, size_t *stack, int64_t *weight)
{
	size_t i = line.size;

	while (i && line.at[i - 1] >= '0' && line.at[i - 1] <= '9')
		i--;
	if (i == line.size || !i ||
	    (line.at[i - 1] != ' ' && line.at[i - 1] != '\t'))
		return false;
	if (!fl_parse_int((struct slice){ line.at + i, line.size - i },
			  weight))
		return false;
	*stack = i - 1;
	return true;
}

static struct slice trim(struct slice line)
{
	while (line.size && (line.at[line.size - 1] == '\r' ||
			     line.at[line.size - 1] == ' ' ||
			     line.at[line.size - 1] == '\t'))
		line.size--;
	return line;
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	const char *at = (const char *)head, *end = at + n;
	unsigned good = 0;

	while (at < end && good < 4) {
		const char *lf = memchr(at, '\n', end - at);
		struct slice line = { at, (lf ? lf : end) - at };
		int64_t weight;
		size_t stack;

		if (!lf && !whole)
			break;
		if (memchr(line.at, '\0', line.size))
			return 0;
		line = trim(line);
		if (line.size && line.at[0] != '#') {
			if (!is_record(line, &stack, &weight))
				return 0;
			good++;
		}
		at = lf ? lf + 1 : end;
	}
	if (!good)
		return whole || n >= 1 << 20 ? 0 : -1;
	return 2 + good;
}

static int open_folded(struct flame_source *source)
{
	source->state = calloc(1, sizeof(struct reader));
	return source->state ? FLAME_OK : fl_no_memory(source->flame);
}

static struct slice split_type(struct slice frame, enum flame_type *type)
{
	const char *at = frame.at + frame.size - 4;

	*type = FLAME_UNKNOWN;
	if (frame.size > 4 && at[0] == '_' && at[1] == '[' && at[3] == ']')
		switch (at[2]) {
		case '0': *type = FLAME_INTERPRETED; break;
		case '1': *type = FLAME_C1; break;
		case 'i': *type = FLAME_INLINED; break;
		case 'j': *type = FLAME_JIT; break;
		case 'k': *type = FLAME_KERNEL; break;
		}
	if (*type)
		frame.size -= 4;
	return frame;
}

/* Frames without a name ("a;;b", "a;b;") are none. */
static flame_id read_stack(struct flame *flame, const char *at, size_t size)
{
	const char *end = at + size;
	flame_id stack = 0;

	while (at < end) {
		const char *semi = memchr(at, ';', end - at);
		struct slice text = { at, (semi ? semi : end) - at };
		enum flame_type type;

		at = semi ? semi + 1 : end;
		if (!text.size)
			continue;
		text = split_type(text, &type);
		stack = flame_stack(flame, stack,
				    fl_frame(flame, flame_name(flame, text.at,
							       text.size),
					     type));
	}
	return stack;
}

static void not_understood(struct reader *reader, struct slice line)
{
	if (reader->bad++)
		return;
	reader->first_bad = reader->line;
	line.size = FL_MIN(line.size, sizeof(reader->sample) - 1);
	memcpy(reader->sample, line.at, line.size);
	reader->sample[line.size] = '\0';
}

/* Any byte below a blank, eight at a time. */
static bool has_control(const char *at, size_t size)
{
	uint64_t word, found = 0;

	for (; size >= 8; at += 8, size -= 8) {
		memcpy(&word, at, 8);
		found |= (word - 0x2020202020202020u) & ~word;
	}
	if (found & 0x8080808080808080u)
		return true;
	while (size--)
		if ((unsigned char)*at++ < 0x20)
			return true;
	return false;
}

/* Such bytes are blanks, as they will be written: names that are one. */
static flame_id read_cleaned(struct flame *flame, const char *at, size_t size)
{
	char *copy = malloc(size);
	flame_id stack;

	if (!copy) {
		fl_no_memory(flame);
		return 0;
	}
	memcpy(copy, at, size);
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)copy[i] < 0x20)
			copy[i] = ' ';
	stack = read_stack(flame, copy, size);
	free(copy);
	return stack;
}

/* The next line without its end; false at the end of the input. */
static bool next_line(struct fl_in *in, struct slice *line, size_t *used)
{
	size_t want = 1, avail;

	for (;;) {
		const char *at = (const char *)fl_in_peek(in, want, &avail);
		const char *lf;

		if (!avail)
			return false;
		lf = memchr(at, '\n', avail);
		if (lf || avail < want) {
			line->at = at;
			line->size = lf ? (size_t)(lf - at) : avail;
			*used = line->size + (lf != NULL);
			return true;
		}
		want = avail + FL_MAX(avail, (size_t)4096);
	}
}

static int end_of_input(struct flame_source *source)
{
	struct reader *reader = source->state;
	const char *damage = fl_in_damage(source->in);

	if (reader->bad)
		fl_warn(source->flame, "%s: %llu lines not understood, the "
			"first is line %llu: %s", fl_in_name(source->in),
			(unsigned long long)reader->bad,
			(unsigned long long)reader->first_bad,
			reader->sample);
	if (damage)
		fl_warn(source->flame, "%s: %s", fl_in_name(source->in),
			damage);
	if (reader->bad || damage)
		source->damage = reader->good ? 1 : 2;
	return FLAME_END;
}

static int next(struct flame_source *source, struct flame_sample *sample)
{
	struct flame *flame = source->flame;
	struct reader *reader = source->state;
	struct slice line;
	size_t used, stack;

	while (next_line(source->in, &line, &used)) {
		reader->line++;
		line = trim(line);
		if (!line.size || line.at[0] == '#') {
			fl_in_consume(source->in, used);
			continue;
		}
		memset(sample, 0, sizeof(*sample));
		sample->time = FLAME_NOTIME;
		if (!is_record(line, &stack, &sample->weight)) {
			not_understood(reader, line);
			fl_in_consume(source->in, used);
			continue;
		}
		reader->good++;
		sample->stack = fl_unlikely(has_control(line.at, stack)) ?
				read_cleaned(flame, line.at, stack) :
				read_stack(flame, line.at, stack);
		fl_in_consume(source->in, used);
		return fl_failed(flame) ? FLAME_FAILED : FLAME_OK;
	}
	return end_of_input(source);
}

static void close_folded(struct flame_source *source)
{
	free(source->state);
}

/* Writing ------------------------------------------------------------- */

/*
 * Lines come out sorted without sorting lines: below a parent, "name " (a
 * stack that ends there) and "name;" (those that go on) are items of their
 * own, since other names may sort between the two.
 */
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

static struct flame_sink *create(struct flame *flame, struct fl_out *out)
{
	return fl_page_sink(flame, out, write_folded);
}

const struct fl_format fl_format_folded = {
	.name = "folded",
	.summary = "frame;frame;frame weight, a line a stack",
	.suffixes = ".folded .collapsed .txt",
	.probe = probe,
	.open = open_folded,
	.next = next,
	.close = close_folded,
	.create = create,
};
