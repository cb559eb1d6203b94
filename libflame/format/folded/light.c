/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums light siblings of a text where nearly every name is new, for read.c: a
 * picture draws few of its frames, and of those that are too light it needs the
 * sum alone.  fl_folded_light_add() collects lines as pointers into the input;
 * fl_folded_light_sum() sorts them and sums them along the tree that neighbours
 * make.  Neighbouring siblings that are light together become one stack, and no
 * other name enters the dictionary.
 *
 * A line that is not plain ends the collection: all lines so far are then read
 * one by one.
 */
#include "fl.h"

#include "format/folded/folded.h"
#include "tree/order.h"

enum { FEW = 12 };	/* lines: an insertion sort */

bool fl_folded_light_begin(struct flame_source *source,
			   const struct fl_folded_stacks *s,
			   struct fl_folded_light *light)
{
	const struct fl_select *select = &source->select;
	struct flame_sink *sink = select->light;
	struct slice text;
	bool watched;

	if (!select->alone || !sink || !sink->light(sink, INT64_MAX) ||
	    !fl_folded_is_distinct(source, s))
		return false;
	fl_in_map(source->in);
	if (!fl_in_is_stable(source->in))
		return false;
	text.data = (const char *)fl_in_lookahead(source->in, 0, &text.size,
						  &watched);
	if (light)
		*light = (struct fl_folded_light){ .on = true, .text = text };
	return true;
}

bool fl_folded_light_add(const struct fl_folded_stacks *s,
			 struct fl_folded_light *light, struct slice stack,
			 int64_t weight)
{
	int64_t total;

	if (stack.data < light->text.data ||
	    stack.data + stack.size > light->text.data + light->text.size ||
	    __builtin_add_overflow(light->total, weight, &total) ||
	    !fl_folded_is_plain(s, stack) ||
	    !fl_grow(&light->rows, &light->capacity, light->count + 1,
		     sizeof(*light->rows)))
		return false;
	light->total = total;
	light->rows[light->count++] = (struct fl_folded_row){
		.text = stack.data, .size = (uint32_t)stack.size,
		.weight = weight
	};
	return true;
}

/* Order -------------------------------------------------------------------- */

/* Makes each byte that is a ';' zero: they come before all others. */
static uint64_t without_semicolons(uint64_t x)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t y = x ^ ones * ';';
	/* The highest bit of each byte of y that is not zero. */
	uint64_t other = ((y & ones * 0x7f) + ones * 0x7f) | y;

	other = (other & ones * 0x80) >> 7;
	return x & other * 0xff;
}

/* Eight bytes from there on, zero after the end. */
static uint64_t key_at(const struct fl_folded_row *row, size_t from)
{
	char bytes[8] = { 0 };

	if (from < row->size)
		memcpy(bytes, row->text + from,
		       FL_MIN(row->size - from, sizeof(bytes)));
	return without_semicolons(fl_order_key(bytes));
}

/* Of the first n bytes, of which `same` are known to be. */
static size_t common_prefix(const struct fl_folded_row *a,
			    const struct fl_folded_row *b, size_t same,
			    size_t n)
{
	size_t i;
	uint64_t x, y;

	n = FL_MIN(n, FL_MIN(a->size, b->size));
	for (i = FL_MIN(same, n); i + 8 <= n; i += 8) {
		memcpy(&x, a->text + i, 8);
		memcpy(&y, b->text + i, 8);
		if (x != y)
			break;
	}
	while (i < n && a->text[i] == b->text[i])
		i++;
	return i;
}

static bool is_before(const struct fl_folded_row *a,
		      const struct fl_folded_row *b)
{
	size_t from = common_prefix(a, b, 0, SIZE_MAX);

	return key_at(a, from) < key_at(b, from);
}

static void insertion_sort(struct fl_folded_row *rows, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct fl_folded_row row = rows[i];
		size_t j = i;

		for (; j && is_before(&row, &rows[j - 1]); j--)
			rows[j] = rows[j - 1];
		rows[j] = row;
	}
}

struct range {
	size_t from, n;
	size_t same;		/* bytes that all begin with */
};

struct sort {
	struct fl_folded_row *rows, *spare;
	struct fl_keyed *keyed;	/* twice as many */
	struct range *ranges;	/* to be sorted */
	size_t count, capacity;
};

static bool push(struct sort *s, size_t from, size_t n, size_t same)
{
	if (n < 2)
		return true;
	if (n <= FEW) {
		insertion_sort(s->rows + from, n);
		return true;
	}
	if (!fl_grow(&s->ranges, &s->capacity, s->count + 1,
		     sizeof(*s->ranges)))
		return false;
	s->ranges[s->count++] = (struct range){ from, n, same };
	return true;
}

/*
 * Sorts a range by the eight bytes after what all of it have in common; those
 * that are equal in them are ranges to come.
 */
static bool sort_range(struct sort *s, struct range range)
{
	struct fl_folded_row *rows = s->rows + range.from;
	size_t shared = SIZE_MAX, equal;
	bool longer = false;

	for (size_t i = 1; i < range.n; i++) {
		shared = common_prefix(&rows[0], &rows[i], range.same,
				       shared);
		longer |= rows[i].size != rows[0].size;
	}
	if (shared == rows[0].size && !longer)
		return true;
	for (size_t i = 0; i < range.n; i++)
		s->keyed[i] = (struct fl_keyed){ key_at(&rows[i], shared),
						 (uint32_t)i };
	fl_order_keys(s->keyed, s->keyed + range.n, range.n);
	memcpy(s->spare, rows, range.n * sizeof(*rows));
	for (size_t i = 0; i < range.n; i++)
		rows[i] = s->spare[s->keyed[i].place];
	for (size_t i = 0; i < range.n; i += equal) {
		for (equal = 1; i + equal < range.n &&
				s->keyed[i + equal].key == s->keyed[i].key;)
			equal++;
		/* The eighth byte may be a ';' where another stack ends. */
		if (!push(s, range.from + i, equal, shared + 7))
			return false;
	}
	return true;
}

static bool sort_rows(struct fl_folded_row *rows, size_t n)
{
	struct sort s = { .rows = rows };
	bool good;

	s.spare = fl_alloc(fl_size_mul(n, sizeof(*rows)));
	s.keyed = fl_alloc(fl_size_mul(2 * n, sizeof(*s.keyed)));
	good = s.spare && s.keyed && push(&s, 0, n, 0);
	while (good && s.count)
		good = sort_range(&s, s.ranges[--s.count]);
	fl_free(s.spare);
	fl_free(s.keyed);
	fl_free(s.ranges);
	return good;
}

/* Sums --------------------------------------------------------------------- */

/* A frame of the current line's stack, and the sums of its subtree so far. */
struct node {
	size_t end;		/* of its text in the line */
	int64_t self, total;
	unsigned levels;	/* below it */
	struct slice deepest;	/* the stack that has them */
	size_t first;		/* of its subtree's sums */
};

struct walk {
	struct node *path;	/* path[0]: the root */
	size_t depth, path_capacity;
	struct fl_folded_row *sums;
	size_t count, capacity;
	int64_t limit;		/* lighter nodes are light */
};

/* depth: of a light node; 0: a stack by itself, which nothing joins. */
static bool add_sum(struct walk *w, struct slice stack, int64_t weight,
		    size_t depth, unsigned levels)
{
	if (!fl_grow(&w->sums, &w->capacity, w->count + 1, sizeof(*w->sums)))
		return false;
	w->sums[w->count++] = (struct fl_folded_row){
		.text = stack.data, .size = (uint32_t)stack.size,
		.weight = weight, .levels = levels,
		.depth = (uint32_t)depth
	};
	return true;
}

/* A light node joins its neighbour, as long as both are light together. */
static bool add_light(struct walk *w, const struct node *node)
{
	const struct node *parent = &w->path[w->depth - 2];
	struct fl_folded_row *last;

	w->count = node->first;
	last = w->count > parent->first ? &w->sums[w->count - 1] : NULL;
	if (!last || last->depth != w->depth || last->levels != node->levels ||
	    last->weight + node->total >= w->limit)
		return add_sum(w, node->deepest, node->total, w->depth,
			       node->levels);
	last->weight += node->total;
	return true;
}

static bool close_node(struct walk *w)
{
	struct node *node = &w->path[w->depth - 1], *parent = node - 1;
	bool good = true;

	if (w->depth > 1 && node->total < w->limit)
		good = add_light(w, node);
	else if (node->self)
		good = add_sum(w, (struct slice){ node->deepest.data,
						  node->end },
			       node->self, 0, 0);
	if (w->depth > 1) {
		parent->total += node->total;
		if (parent->levels < node->levels + 1) {
			parent->levels = node->levels + 1;
			parent->deepest = node->deepest;
		}
	}
	w->depth--;
	return good;
}

static bool open_node(struct walk *w, const char *text, size_t end)
{
	if (!fl_grow(&w->path, &w->path_capacity, w->depth + 1,
		     sizeof(*w->path)))
		return false;
	w->path[w->depth++] = (struct node){
		.end = end, .deepest = { text, end }, .first = w->count
	};
	return true;
}

static bool ends_at(const struct fl_folded_row *row, size_t end)
{
	return row->size == end || row->text[end] == ';';
}

static bool add_row(struct walk *w, const struct fl_folded_row *row,
		    const struct fl_folded_row *before)
{
	size_t shared = before ? common_prefix(before, row, 0, SIZE_MAX) : 0;
	size_t n = 1, from;

	while (n < w->depth && w->path[n].end <= shared &&
	       ends_at(row, w->path[n].end))
		n++;
	while (w->depth > n)
		if (!close_node(w))
			return false;
	from = n > 1 ? w->path[n - 1].end + 1 : 0;
	while (from < row->size) {
		const char *semi = memchr(row->text + from, ';',
					  row->size - from);
		size_t end = semi ? (size_t)(semi - row->text) : row->size;

		if (!open_node(w, row->text, end))
			return false;
		from = end + 1;
	}
	w->path[w->depth - 1].self += row->weight;
	w->path[w->depth - 1].total += row->weight;
	return true;
}

static bool sum_rows(struct walk *w, const struct fl_folded_row *rows,
		     size_t n)
{
	const struct fl_folded_row *before = NULL;
	bool good = open_node(w, NULL, 0);

	for (size_t i = 0; good && i < n; i++) {
		if (!rows[i].weight)
			continue;
		good = add_row(w, &rows[i], before);
		before = &rows[i];
	}
	while (good && w->depth)
		good = close_node(w);
	fl_free(w->path);
	return good;
}

bool fl_folded_light_sum(struct flame_sink *sink,
			 struct fl_folded_light *light)
{
	struct walk w = { .limit = sink->light(sink, light->total) };

	light->on = false;
	if (w.limit < 2 || light->count > UINT32_MAX / 2)
		return true;
	if (!sort_rows(light->rows, light->count) ||
	    !sum_rows(&w, light->rows, light->count)) {
		fl_free(w.sums);
		return false;
	}
	fl_free(light->rows);
	light->rows = w.sums;
	light->count = w.count;
	return true;
}

void fl_folded_light_free(struct fl_folded_light *light)
{
	fl_free(light->rows);
	*light = (struct fl_folded_light){ .on = false };
}
