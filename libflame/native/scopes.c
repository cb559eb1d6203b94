/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fl_scope_at() finds the innermost function at an address, inlined or not, by
 * the debug information of its unit, for inlined.c.  The tables for that are
 * made once (scopes.h).
 */
#include "fl.h"

#include "native/scopes.h"

#include <dwarf.h>
#include <stdlib.h>

enum { MAX_DEPTH = 128 };

/* The part of a compilation unit that one pass reads; BODY: of one function. */
enum part { FUNCTIONS, ALL, BODY };

struct range {
	uint64_t start, end;
	size_t order;
	struct fl_scope *scope;
};

struct collector {
	struct fl_debug *m;
	enum part part;
	struct range *ranges;
	size_t count, capacity;
	bool failed;
};

/* Passes over entries ----------------------------------------------------- */

static struct fl_scope *new_scope(struct collector *c, const Dwarf_Die *die,
				  struct fl_scope *in, uint64_t start)
{
	struct fl_scope *scope = fl_arena_alloc(&c->m->arena, sizeof(*scope));

	if (scope)
		*scope = (struct fl_scope){ .die = *die, .in = in,
					    .start = start };
	return scope;
}

static struct fl_scope *add_scope(struct collector *c, Dwarf_Die *die,
				  struct fl_scope *in)
{
	struct fl_scope *scope = NULL;
	Dwarf_Addr base, start, end;
	ptrdiff_t i = 0;

	while ((i = fl_dw.dwarf_ranges(die, i, &base, &start, &end)) > 0) {
		/* Code that the linker has removed begins at 0. */
		if (start >= end || !start)
			continue;
		if (!scope)
			scope = new_scope(c, die, in, start);
		if (!scope || !fl_grow(&c->ranges, &c->capacity, c->count + 1,
				       sizeof(*c->ranges))) {
			c->failed = true;
			return NULL;
		}
		c->ranges[c->count] = (struct range){ start, end, c->count,
						      scope };
		c->count++;
	}
	return scope;
}

/* Adds an entry that has code; whether those in it are to be visited. */
static bool visit(struct collector *c, Dwarf_Die *die, struct fl_scope **in)
{
	struct fl_scope *scope;

	switch (fl_dw.dwarf_tag(die)) {
	case DW_TAG_subprogram:
		if (c->part == BODY)
			return false;
		scope = add_scope(c, die, NULL);
		*in = scope;
		return c->part == ALL;
	case DW_TAG_inlined_subroutine:
		scope = *in ? add_scope(c, die, *in) : NULL;
		*in = scope ? scope : *in;
		return c->part != FUNCTIONS;
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
		return c->part != FUNCTIONS;
	case DW_TAG_namespace:
	case DW_TAG_module:
		return c->part != BODY;
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
		return c->part == ALL;
	}
	return false;
}

/* To the next entry; false: it lies before those that were seen, or none. */
static bool next_sibling(Dwarf_Die *die, const void **seen)
{
	Dwarf_Die next;

	if (fl_dw.dwarf_siblingof(die, &next) != 0 ||
	    (const char *)next.addr <= (const char *)*seen)
		return false;
	*seen = next.addr;
	*die = next;
	return true;
}

static void collect(struct collector *c, Dwarf_Die *of, struct fl_scope *scope)
{
	struct { Dwarf_Die die; struct fl_scope *in; } path[MAX_DEPTH];
	struct fl_scope *in = scope;
	const void *seen = of->addr;
	unsigned depth = 0;
	Dwarf_Die die, child;

	if (fl_dw.dwarf_child(of, &die) != 0)
		return;
	for (;;) {
		struct fl_scope *inner = in;

		if (visit(c, &die, &inner) && depth < MAX_DEPTH &&
		    fl_dw.dwarf_child(&die, &child) == 0 &&
		    (const char *)child.addr > (const char *)seen) {
			path[depth].die = die;
			path[depth++].in = in;
			seen = child.addr;
			die = child;
			in = inner;
			continue;
		}
		while (!next_sibling(&die, &seen)) {
			if (!depth)
				return;
			die = path[--depth].die;
			in = path[depth].in;
		}
	}
}

/* Edges ------------------------------------------------------------------- */

/* Outer ones first. */
static int by_start(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void add_edge(struct fl_scopes *to, uint64_t start,
		     struct fl_scope *scope)
{
	if (to->count && to->edges[to->count - 1].start == start)
		to->count--;
	to->edges[to->count++] = (struct fl_scope_edge){ start, scope };
}

struct open_ranges {
	const struct range *range[MAX_DEPTH];
	uint64_t end[MAX_DEPTH];
	unsigned depth;
};

static void close_before(struct open_ranges *open, uint64_t start,
			 struct fl_scopes *to)
{
	while (open->depth && open->end[open->depth - 1] <= start) {
		uint64_t end = open->end[--open->depth];

		add_edge(to, end, open->depth ?
			 open->range[open->depth - 1]->scope : NULL);
	}
}

/* Of functions with the same code the last one stays, as in addr2line. */
static void add_range(struct open_ranges *open, const struct range *r,
		      struct fl_scopes *to)
{
	uint64_t end = r->end;

	close_before(open, r->start, to);
	if (open->depth == MAX_DEPTH)
		return;
	if (open->depth)
		end = FL_MIN(end, open->end[open->depth - 1]);
	open->range[open->depth] = r;
	open->end[open->depth++] = end;
	add_edge(to, r->start, r->scope);
}

/* NULL: out of memory. */
static struct fl_scopes *edges_of(struct collector *c)
{
	struct open_ranges open = { .depth = 0 };
	struct fl_scopes *scopes = c->failed ? NULL :
		fl_arena_alloc(&c->m->arena, sizeof(*scopes) +
			       2 * c->count * sizeof(*scopes->edges));

	if (scopes) {
		scopes->count = 0;
		if (c->count)
			qsort(c->ranges, c->count, sizeof(*c->ranges),
			      by_start);
		for (size_t i = 0; i < c->count; i++)
			add_range(&open, &c->ranges[i], scopes);
		close_before(&open, UINT64_MAX, scopes);
	}
	fl_free(c->ranges);
	return scopes;
}

static struct fl_scopes *read_scopes(struct fl_debug *m, enum part part,
				     Dwarf_Die *of, struct fl_scope *scope)
{
	struct collector c = { .m = m, .part = part };

	collect(&c, of, scope);
	return edges_of(&c);
}

/* Addresses --------------------------------------------------------------- */

static struct fl_scope *find(const struct fl_scopes *scopes, uint64_t address)
{
	size_t low = 0, high = scopes ? scopes->count : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (scopes->edges[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? scopes->edges[low - 1].scope : NULL;
}

static struct fl_scope *find_in_unit(struct fl_debug *m, Dwarf_Die *unit,
				     enum part part, uint64_t address)
{
	uint64_t *known;
	bool fresh;

	known = fl_map_put(&m->scopes[part], (uint64_t)(uintptr_t)unit->addr,
			   &fresh);
	if (!known)
		return NULL;
	if (fresh)
		*known = (uint64_t)(uintptr_t)read_scopes(m, part, unit, NULL);
	return find((const struct fl_scopes *)(uintptr_t)*known, address);
}

struct fl_scope *fl_scope_at(struct fl_debug *m, Dwarf_Die *unit,
			     uint64_t address)
{
	struct fl_scope *function, *inner;

	function = find_in_unit(m, unit, FUNCTIONS, address);
	/* Functions of classes and of functions are seldom in them. */
	if (!function)
		function = find_in_unit(m, unit, ALL, address);
	if (!function || function->in)
		return function;
	if (!function->body)
		function->body = read_scopes(m, BODY, &function->die,
					     function);
	inner = find(function->body, address);
	return inner ? inner : function;
}
