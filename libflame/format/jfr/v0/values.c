/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Format 0.9: reads and skips values by the layouts of their fields, for the
 * other files of v0/.  fl_v0_read_checkpoint() indexes the constants of a
 * checkpoint; fl_v0_find() returns one by its key and a time.
 */
#include "fl.h"

#include "format/jfr/v0/internal.h"

#include <stdlib.h>

/* Values ------------------------------------------------------------------ */

const uint8_t fl_v0_sizes[UTF8] = { 1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8 };

struct slice fl_v0_utf(struct fl_wire *w)
{
	uint32_t n = fl_wire_fixed(w, 2);
	struct slice text = { (const char *)w->at, n };

	fl_wire_skip(w, n);
	return w->bad ? (struct slice){ "", 0 } : text;
}

uint32_t fl_v0_count(struct fl_wire *w, size_t least)
{
	uint32_t n = fl_wire_fixed(w, 4);

	if (n <= (size_t)(w->end - w->at) / least)
		return n;
	w->bad = true;
	w->at = w->end;
	return 0;
}

static void skip_layout(const struct fl_v0_layout *layout, struct fl_wire *w,
			unsigned depth);

void fl_v0_skip(const struct fl_v0_field *f, unsigned type, struct fl_wire *w,
		unsigned depth)
{
	uint32_t n = 1;

	if (type < UTF8) {
		fl_wire_skip(w, fl_v0_sizes[type]);
	} else if (type == UTF8) {
		fl_v0_utf(w);
	} else if (type == STRING) {
		fl_wire_skip(w, fl_wire_fixed(w, 4) * 2);
	} else if (type == ARRAY && f->index < ARRAY) {
		for (n = fl_v0_count(w, 1); n && !w->bad; n--)
			fl_v0_skip(f, f->index, w, depth);
	} else if (f->layout && f->layout->n && depth < MAX_DEPTH) {
		/* Every struct in here has a byte or more. */
		if (type == STRUCTS)
			n = fl_v0_count(w, 1);
		for (; n && !w->bad; n--)
			skip_layout(f->layout, w, depth + 1);
	} else {
		w->bad = true;
	}
}

static void skip_layout(const struct fl_v0_layout *layout, struct fl_wire *w,
			unsigned depth)
{
	for (uint32_t i = 0; i < layout->n && !w->bad; i++)
		fl_v0_skip(&layout->fields[i], layout->fields[i].type, w,
			   depth);
}

void fl_v0_read_numbers(const struct fl_v0_layout *layout, struct fl_wire *w,
			struct fl_v0_numbers *to)
{
	for (uint32_t i = 0; i < layout->n && !w->bad; i++) {
		const struct fl_v0_field *f = &layout->fields[i];

		if (!f->role || to->has & 1u << f->role) {
			fl_v0_skip(f, f->type, w, 0);
			continue;
		}
		to->n[f->role] = fl_wire_fixed(w, fl_v0_sizes[f->type]);
		to->has |= 1u << f->role;
	}
}

/* Constants --------------------------------------------------------------- */

static void keep(struct fl_v0 *v, const struct fl_v0_constant *c)
{
	if (fl_grow(&v->constants, &v->constants_capacity, v->nconstants + 1,
		    sizeof(*v->constants)))
		v->constants[v->nconstants++] = *c;
	else
		v->no_memory = true;
}

void fl_v0_read_checkpoint(struct fl_v0 *v, uint64_t at, uint32_t size)
{
	struct fl_wire w = fl_v0_wire(v, at + EVENT, at + size);
	struct fl_v0_constant c = { .ticks = fl_wire_fixed(&w, 8) };

	fl_wire_skip(&w, 8);
	while (!w.bad && w.at < w.end) {
		uint64_t *found = fl_map_get(&v->content_of,
					     fl_wire_fixed(&w, 4));
		uint32_t n = fl_wire_fixed(&w, 4);
		const struct fl_v0_content *content = found ?
						&v->contents[*found - 1] : NULL;

		if (!content || !content->key_size || !content->layout)
			w.bad = true;
		for (; n && !w.bad; n--) {
			c.kind = content->kind;
			c.key = fl_wire_fixed(&w, content->key_size);
			c.at = w.at - v->at;
			skip_layout(content->layout, &w, 0);
			if (c.kind && !w.bad)
				keep(v, &c);
		}
	}
	if (w.bad)
		fl_v0_damage(v, at, 0, "a checkpoint that cannot be read to "
			     "its end");
}

static int compare(const void *a, const void *b)
{
	const struct fl_v0_constant *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->ticks != y->ticks)
		return x->ticks < y->ticks ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

void fl_v0_sort(struct fl_v0 *v)
{
	if (v->nconstants)
		qsort(v->constants, v->nconstants, sizeof(*v->constants),
		      compare);
}

struct fl_v0_constant *fl_v0_find(const struct fl_v0 *v, enum fl_v0_role kind,
				  uint64_t key, int64_t ticks)
{
	struct fl_v0_constant wanted = {
		.kind = kind, .key = key, .ticks = ticks
	};
	size_t low = 0, high = v->nconstants;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare(&v->constants[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < v->nconstants && v->constants[low].kind == kind &&
	       v->constants[low].key == key ? &v->constants[low] : NULL;
}

struct slice fl_v0_text(const struct fl_v0 *v, const struct fl_v0_constant *c)
{
	for (unsigned depth = 0; c && depth < MAX_DEPTH; depth++) {
		const struct fl_v0_layout *l = v->layouts[c->kind];
		struct fl_wire w = fl_v0_wire(v, c->at, v->size);
		uint64_t key;
		uint32_t i = 0;

		while (i < l->n && l->fields[i].type != UTF8 &&
		       l->fields[i].role != UTF)
			fl_v0_skip(&l->fields[i], l->fields[i].type, &w, 0),
			i++;
		if (i == l->n)
			break;
		if (l->fields[i].type == UTF8)
			return fl_v0_utf(&w);
		key = fl_wire_fixed(&w, fl_v0_sizes[l->fields[i].type]);
		c = fl_v0_find(v, UTF, key, c->ticks);
	}
	return (struct slice){ NULL, 0 };
}

struct fl_v0_numbers fl_v0_numbers_of(const struct fl_v0 *v,
				      const struct fl_v0_constant *c)
{
	struct fl_wire w = fl_v0_wire(v, c->at, v->size);
	struct fl_v0_numbers to = { .has = 0 };

	fl_v0_read_numbers(v->layouts[c->kind], &w, &to);
	return to;
}
