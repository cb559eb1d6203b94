/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stack traces as stacks.  Frames are written leaf first; stacks grow from
 * the root.
 */
#include "fl.h"

#include "format/jfr/jfr.h"

#include <stdlib.h>

/* Where a frame's four numbers are among the steps of its class. */
struct fl_jfr_shape {
	const struct fl_jfr_field *frames;	/* of the trace; NULL: none */
	const struct fl_jfr_class *class;	/* of a frame */
	const struct fl_jfr_field *field[4];
	bool constant;		/* frames are keys (JMC's writer) */
	bool fast;		/* every step is a compressed integer */
	bool usual;		/* method, two that are passed over, type */
	int8_t order[8];	/* fast: step -> which number, -1: none */
};

enum { METHOD, LINE, BCI, TYPE };

static const struct fl_jfr_shape *shape_of(struct fl_jfr_chunk *chunk)
{
	static const char *const names[] = {
		"method", "lineNumber", "bytecodeIndex", "type"
	};
	const struct fl_select *select = &chunk->jfr->source->select;
	struct fl_jfr_shape *s = chunk->shape;
	struct fl_jfr_class *class;

	if (s)
		return s;
	s = chunk->shape = fl_arena_alloc(&chunk->arena, sizeof(*s));
	if (!s) {
		fl_no_memory(chunk->jfr->source->flame);
		return NULL;
	}
	memset(s, 0, sizeof(*s));
	s->frames = fl_jfr_field_of(chunk->trace, "frames");
	if (!s->frames || !s->frames->array || !s->frames->class)
		return s;
	class = s->frames->class;
	if (!fl_jfr_plan(chunk, class))
		return s;
	s->class = class;
	s->constant = s->frames->constant;
	s->fast = !s->constant && class->all_var && chunk->compressed &&
		  class->nops <= FL_COUNT(s->order);
	memset(s->order, -1, sizeof(s->order));
	for (unsigned i = 0; i < 4; i++) {
		s->field[i] = fl_jfr_field_of(class, names[i]);
		/* Places are read only where they are shown. */
		if (s->field[i] && s->field[i]->nops == 1 && s->fast &&
		    (i != LINE || select->lines) && (i != BCI || select->bci))
			s->order[s->field[i]->op] = i;
	}
	s->usual = s->fast && class->nops == 4 && s->order[0] == METHOD &&
		   s->order[1] < 0 && s->order[2] < 0 && s->order[3] == TYPE;
	return s;
}

static void read_fast(const struct fl_jfr_shape *s, struct fl_wire *w,
		      uint64_t n[4])
{
	uint32_t nops = s->class->nops;

	if (fl_likely(w->end - w->at > 9 * (ptrdiff_t)nops)) {
		const uint8_t *at = w->at;

		for (uint32_t i = 0; i < nops; i++)
			at = s->order[i] >= 0 ?
			     fl_wire_take(at, &n[s->order[i]]) :
			     fl_wire_pass(at);
		w->at = at;
		return;
	}
	for (uint32_t i = 0; i < nops; i++) {
		uint64_t value = fl_wire_varint(w);

		if (s->order[i] >= 0)
			n[s->order[i]] = value;
	}
}

/*
 * The usual frame in one look at eight bytes, where it fits and its type is
 * one of them: what ends its four integers says where they are.
 */
static inline bool read_usual(struct fl_wire *w, uint64_t n[4])
{
	uint64_t word, ends, first;
	unsigned third, fourth;

	if (w->end - w->at < 9)
		return false;
	word = fl_wire_word(w->at);
	ends = ~word & 0x8080808080808080u;
	first = ends ^ (ends - 1);
	ends &= ends - 1;
	ends &= ends - 1;
	if (fl_unlikely(!ends))
		return false;
	third = __builtin_ctzll(ends);
	ends &= ends - 1;
	if (fl_unlikely(!ends))
		return false;
	fourth = __builtin_ctzll(ends);
	if (fl_unlikely(fourth - third != 8))
		return false;
	n[METHOD] = fl_wire_pack(word & first);
	n[TYPE] = word >> (fourth - 7) & 0x7f;
	w->at += fourth / 8 + 1;
	return true;
}

/* A frame in any order of fields, with any others among them. */
static void read_slow(struct fl_jfr_chunk *chunk,
		      const struct fl_jfr_shape *s, struct fl_wire *w,
		      uint64_t n[4])
{
	struct fl_wire begin = *w;

	if (s->constant) {
		uint64_t key = fl_wire_long(w);

		if (!fl_jfr_constant(chunk, s->class, key, &begin))
			return;
	} else {
		fl_jfr_skip(s->class, w);
	}
	for (unsigned i = 0; i < 4; i++) {
		const struct fl_jfr_field *field = s->field[i];
		struct fl_wire at = begin;

		if (!field || field->nops != 1)
			continue;
		fl_jfr_seek(s->class, field, &at);
		switch (s->class->ops[field->op].code) {
		case FL_JFR_1:
			n[i] = fl_wire_fixed(&at, 1);
			break;
		case FL_JFR_2:
			n[i] = fl_wire_fixed(&at, 2);
			break;
		case FL_JFR_4:
			n[i] = fl_wire_fixed(&at, 4);
			break;
		default:
			n[i] = fl_wire_long(&at);
			break;
		}
	}
}

/* Its frames into chunk->path; the number of them. */
static uint32_t read_path(struct fl_jfr_chunk *chunk, uint64_t at)
{
	const struct fl_jfr_shape *s = shape_of(chunk);
	struct fl_wire w = fl_jfr_wire(chunk, at);
	uint32_t n;

	if (!s || !s->class)
		return 0;
	fl_jfr_seek(chunk->trace, s->frames, &w);
	n = fl_wire_int(&w);
	if (w.bad || n > (uint64_t)(w.end - w.at))
		return 0;
	if (!fl_grow(&chunk->path, &chunk->path_room, n,
		     sizeof(*chunk->path))) {
		fl_no_memory(chunk->jfr->source->flame);
		return 0;
	}
	for (uint32_t i = 0; i < n; i++) {
		uint64_t numbers[4] = { 0 };

		if (s->usual && fl_likely(read_usual(&w, numbers)))
			;
		else if (fl_likely(s->fast))
			read_fast(s, &w, numbers);
		else
			read_slow(chunk, s, &w, numbers);
		chunk->path[i] = fl_jfr_frame(chunk, numbers[METHOD],
					      numbers[TYPE], numbers[LINE],
					      numbers[BCI]);
	}
	return n;
}

/*
 * Root first, from the path.  Traces have their outer frames in common with
 * the trace before more often than not: so far, its stacks are known.
 */
static flame_id grow_stack(struct fl_jfr_chunk *chunk, uint32_t n)
{
	struct flame *flame = chunk->jfr->source->flame;
	struct fl_stack *last;
	flame_id stack = 0;
	uint32_t i = 0;

	if (!fl_grow(&chunk->last, &chunk->last_room, n,
		     sizeof(*chunk->last))) {
		fl_no_memory(flame);
		return 0;
	}
	last = chunk->last;
	for (; i < n && i < chunk->nlast &&
	       last[i].frame == chunk->path[n - 1 - i]; i++)
		stack = last[i].parent;
	for (; i < n; i++) {
		flame_id frame = chunk->path[n - 1 - i];

		stack = flame_stack(flame, stack, frame);
		last[i] = (struct fl_stack){ .parent = stack, .frame = frame };
	}
	chunk->nlast = n;
	return stack;
}

/* Whether a stack is that path: its frames one by one, leaf first. */
static bool is_path(const struct flame *flame, flame_id stack,
		    const flame_id *path, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct fl_stack *at = &flame->stacks.at[stack];

		if (!stack || at->frame != path[i])
			return false;
		stack = at->parent;
	}
	return !stack;
}

/*
 * Chunks of one recording hold the same traces again and again: a path that
 * was made into a stack before is only compared with it.
 */
static flame_id make_stack(struct fl_jfr_chunk *chunk, uint32_t n)
{
	struct flame *flame = chunk->jfr->source->flame;
	uint64_t hash = n;
	uint64_t *known;

	for (uint32_t i = 0; i < n; i++)
		hash = (hash ^ chunk->path[i]) * 0x9e3779b97f4a7c15u;
	known = fl_map_put(&chunk->jfr->paths, hash, NULL);
	if (!known) {
		fl_no_memory(flame);
		return 0;
	}
	if (!*known || !is_path(flame, *known, chunk->path, n))
		*known = grow_stack(chunk, n);
	return *known;
}

bool fl_jfr_stack(struct fl_jfr_chunk *chunk, struct fl_jfr_trace *trace)
{
	if (trace->made)
		return !trace->missing;
	trace->made = true;
	if (!trace->at) {
		trace->missing = true;
		return false;
	}
	trace->stack = make_stack(chunk, read_path(chunk, trace->at));
	return true;
}
