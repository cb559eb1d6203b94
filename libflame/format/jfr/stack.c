/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes stacks of the dictionary of stack traces (fl_jfr_make_all_stacks, for
 * emit.c): reads the frames of each at the offset that trace.c has found, and
 * sets trace->stack.  Frames are written leaf first; stacks grow from the root.
 */
#include "fl.h"

#include "format/jfr/traces.h"

#include <stdlib.h>

/* The positions of a frame's four numbers among the steps of its class. */
struct fl_jfr_layout {
	const struct fl_jfr_field *frames;	/* of the trace; NULL: none */
	const struct fl_jfr_class *class;	/* of a frame */
	const struct fl_jfr_field *field[4];
	bool constant;		/* frames are keys (JMC's writer) */
	bool fast;		/* every step is a compressed integer */
	bool usual;		/* method, two that are passed over, type */
	bool last;		/* a trace ends with its frames */
	int8_t order[8];	/* fast: step -> which number, -1: none */
};

enum { METHOD, LINE, BCI, TYPE };

static const struct fl_jfr_layout *layout_of(struct fl_jfr_chunk *chunk)
{
	struct fl_jfr_types *types = chunk->types;

	static const char *const names[] = {
		"method", "lineNumber", "bytecodeIndex", "type"
	};
	const struct fl_jfr_options *options = fl_jfr_options(chunk->jfr);
	struct fl_jfr_layout *s = chunk->stacks->layout;
	struct fl_jfr_class *class;

	if (s)
		return s;
	s = chunk->stacks->layout = fl_arena_alloc(&chunk->arena, sizeof(*s));
	if (!s) {
		fl_no_memory(chunk->flame);
		return NULL;
	}
	memset(s, 0, sizeof(*s));
	s->frames = fl_jfr_field_of(types->trace, "frames");
	if (!s->frames || !s->frames->array || !s->frames->class)
		return s;
	class = s->frames->class;
	if (!fl_jfr_make_decoder(chunk, types->trace) ||
	    !fl_jfr_make_decoder(chunk, class))
		return s;
	s->class = class;
	s->constant = s->frames->constant;
	s->fast = !s->constant && class->all_var && chunk->header.compressed &&
		  class->nops && class->nops <= FL_COUNT(s->order);
	memset(s->order, -1, sizeof(s->order));
	for (unsigned i = 0; i < 4; i++) {
		s->field[i] = fl_jfr_field_of(class, names[i]);
		/* Places are read only where they are shown. */
		if (s->field[i] && s->field[i]->nops == 1 && s->fast &&
		    (i != LINE || options->lines) &&
		    (i != BCI || options->bci))
			s->order[s->field[i]->op] = i;
	}
	s->usual = s->fast && class->nops == 4 && s->order[0] == METHOD &&
		   s->order[1] < 0 && s->order[2] < 0 && s->order[3] == TYPE;
	s->last = s->frames->op + 1 == types->trace->nops;
	return s;
}

static void read_fast(const struct fl_jfr_layout *s, struct fl_wire *w,
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

/* A frame in any order of fields, with any others among them. */
static void read_slow(struct fl_jfr_chunk *chunk,
		      const struct fl_jfr_layout *s, struct fl_wire *w,
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

		if (field && fl_jfr_seek(s->class, field, &at))
			fl_jfr_read_number(s->class, field, &at, &n[i]);
	}
}

/* Whether all frames of a trace have names. */
static bool is_named(struct fl_jfr_chunk *chunk, const struct fl_jfr_layout *s,
		     const struct fl_jfr_trace *trace)
{
	struct fl_wire w = fl_jfr_wire(chunk, trace->at);
	uint32_t n;

	fl_jfr_seek(chunk->types->trace, s->frames, &w);
	for (n = fl_wire_int(&w); n && !w.bad; n--) {
		uint64_t number[4] = { 0 };

		read_slow(chunk, s, &w, number);
		if (!fl_jfr_has_name(chunk, number[METHOD], number[TYPE]))
			return false;
	}
	return !w.bad;
}

void fl_jfr_drop_unnamed(struct fl_jfr_chunk *chunk)
{
	const struct fl_jfr_layout *s = layout_of(chunk);

	for (size_t i = 0; s && s->class && i < chunk->traces->count; i++) {
		struct fl_jfr_trace *trace = &chunk->traces->data[i];

		if (trace->at && !is_named(chunk, s, trace))
			trace->at = 0;
	}
}

static flame_id read_frame(struct fl_jfr_chunk *chunk,
			   const struct fl_jfr_layout *s, struct fl_wire *w)
{
	uint64_t n[4] = { 0 };

	if (fl_likely(s->fast))
		read_fast(s, w, n);
	else
		read_slow(chunk, s, w, n);
	return fl_jfr_frame(chunk, n[METHOD], n[TYPE], n[LINE], n[BCI]);
}

enum { MIN_METHODS = 1 << 10 };

static flame_id new_plain_frame(struct fl_jfr_chunk *chunk, uint64_t method,
				unsigned type)
{
	flame_id frame = fl_jfr_frame(chunk, method, type, 0, 0);

	/* Without memory it is made again. */
	if (type < FL_JFR_FRAME_TYPES)
		fl_dense_set(&chunk->stacks->plain[type], method, frame,
			     FL_JFR_SMALL_KEYS, MIN_METHODS);
	return frame;
}

static inline flame_id plain_frame(struct fl_jfr_chunk *chunk,
				   uint64_t method, unsigned type)
{
	flame_id frame = 0;

	if (fl_likely(type < FL_JFR_FRAME_TYPES))
		frame = (flame_id)fl_dense_get(&chunk->stacks->plain[type],
					       method);
	return fl_likely(frame) ? frame : new_plain_frame(chunk, method, type);
}

/*
 * Usual frames out of 64 bytes, where they fit and their types are of one
 * byte: what ends their integers says where these are.  The number of frames.
 */
static uint32_t read_usual(struct fl_jfr_chunk *chunk, struct fl_wire *w,
			   flame_id *frames, uint32_t n)
{
	const uint8_t *at = w->at;
	uint64_t ends;
	uint32_t done = 0, begin = 0;

	if (w->end - at < 64 + 8)
		return 0;
	ends = fl_wire_ends(at);
	if (fl_unlikely(fl_wire_is_long(ends)))
		return 0;
	while (done < n) {
		uint64_t rest = ends & (ends - 1);
		unsigned method, bci, type;

		rest &= rest - 1;
		if (!rest || !(rest & (rest - 1)))
			break;
		method = __builtin_ctzll(ends);
		bci = __builtin_ctzll(rest);
		rest &= rest - 1;
		type = __builtin_ctzll(rest);
		if (fl_unlikely(type != bci + 1))
			break;
		frames[n - ++done] = plain_frame(chunk,
			fl_wire_pack_low(fl_wire_word(at + begin),
					 method + 1 - begin), at[type]);
		begin = type + 1;
		ends = rest & (rest - 1);
	}
	w->at += begin;
	return done;
}

enum {
	PREFETCH_DISTANCE = 16, LINE_SIZE = 64,
	LINES = 4,		/* cache lines of most traces */
	MIN_TRACES = 16		/* fewer are not worth a system call */
};

/*
 * The number of integers that certainly are the last ones of both of two
 * sequences, by comparing bytes from the end.  Every byte below 0x80 ends an
 * integer, so what follows the first such byte among equal bytes is the same
 * integers in both.
 */
static uint32_t equal_integers(const uint8_t *a, const uint8_t *b, size_t size)
{
	uint32_t ends = 0;
	uint64_t differ = 0;

	for (; size >= 8 && !differ; size -= 8) {
		uint64_t word = fl_wire_word(a -= 8);

		differ = word ^ fl_wire_word(b -= 8);
		if (differ)
			word |= ~UINT64_C(0) >> __builtin_clzll(differ) / 8 * 8;
		ends += (~word >> 7 & FL_WIRE_LOW) * FL_WIRE_LOW >> 56;
	}
	return ends ? ends - 1 : 0;
}

/*
 * Most traces share their outer frames with the one read before.  The number
 * of these, whose frames and stacks are in the path; `w` is at the frames.
 */
static uint32_t shared_frames(struct fl_jfr_chunk *chunk,
			      const struct fl_jfr_layout *s,
			      const struct fl_wire *w, const uint8_t *end)
{
	struct fl_jfr_path *path = &chunk->stacks->path;
	size_t size = end - w->at;
	uint32_t n = equal_integers(end, path->end, FL_MIN(size, path->size));

	path->end = end;
	path->size = size;
	return n / s->class->nops;
}

/* Reads frames, leaf first, into the path's elements from n - 1 to shared. */
static void read_frames(struct fl_jfr_chunk *chunk,
			const struct fl_jfr_layout *s, struct fl_wire *w,
			uint32_t shared, uint32_t n)
{
	flame_id *frames = chunk->stacks->path.frames;

	while (n > shared) {
		uint32_t done = s->usual ?
				read_usual(chunk, w, frames + shared,
					   n - shared) : 0;

		n -= done;
		if (!done)
			frames[--n] = read_frame(chunk, s, w);
	}
}

static flame_id read_stack(struct fl_jfr_chunk *chunk,
			   const struct fl_jfr_trace *trace)
{
	struct fl_jfr_path *path = &chunk->stacks->path;
	const struct fl_jfr_layout *s = layout_of(chunk);
	struct fl_wire w = fl_jfr_wire(chunk, trace->at);
	const uint8_t *end = w.at + trace->size;
	flame_id stack = 0;
	uint32_t n, shared = 0;

	if (!s || !s->class)
		return 0;
	fl_jfr_seek(chunk->types->trace, s->frames, &w);
	n = fl_wire_int(&w);
	if (w.bad || n > (uint64_t)(w.end - w.at))
		return 0;
	if (!fl_grow(&path->frames, &path->frames_capacity, n,
		     sizeof(*path->frames)) ||
	    !fl_grow(&path->stacks, &path->stacks_capacity, n,
		     sizeof(*path->stacks))) {
		fl_no_memory(chunk->flame);
		return 0;
	}
	if (s->fast && s->last && trace->size)
		shared = shared_frames(chunk, s, &w, end);
	else
		path->size = 0;
	if (shared)
		stack = path->stacks[shared - 1];
	read_frames(chunk, s, &w, shared, n);
	for (uint32_t i = shared; i < n; i++)
		path->stacks[i] = stack = flame_stack(chunk->flame, stack,
						      path->frames[i]);
	return stack;
}

static void prefetch_trace(const struct fl_jfr_chunk *chunk, uint32_t i)
{
	const struct fl_jfr_trace *trace = &chunk->traces->data[i];
	const uint8_t *at = fl_jfr_wire(chunk, trace->at).at;

	for (unsigned n = 0; n < LINES; n++)
		fl_prefetch(at + n * LINE_SIZE);
}

/* The bytes of traces are hardly read again: their pages are released. */
void fl_jfr_make_all_stacks(struct fl_jfr_chunk *chunk, const uint32_t *traces,
			    size_t n)
{
	struct fl_jfr_trace *all = chunk->traces->data;

	chunk->stacks->path.size = 0;
	for (size_t i = 0; i < n; i++) {
		if (i + PREFETCH_DISTANCE < n)
			prefetch_trace(chunk, traces[i + PREFETCH_DISTANCE]);
		all[traces[i]].made = true;
		all[traces[i]].stack = read_stack(chunk, &all[traces[i]]);
	}
	if (n >= MIN_TRACES && chunk->size >= FL_JFR_LARGE)
		fl_in_release_range(chunk->jfr->source->in, chunk->at,
				    chunk->at + chunk->size);
}

bool fl_jfr_stack(struct fl_jfr_chunk *chunk, struct fl_jfr_trace *trace)
{
	uint32_t i = trace - chunk->traces->data;

	if (!trace->made) {
		trace->made = true;
		trace->missing = !trace->at;
		if (trace->at)
			fl_jfr_make_all_stacks(chunk, &i, 1);
	}
	return !trace->missing;
}

void fl_jfr_stacks_done(struct fl_jfr_chunk *chunk)
{
	struct fl_jfr_stacks *stacks = chunk->stacks;

	fl_free(stacks->path.frames);
	fl_free(stacks->path.stacks);
	memset(&stacks->path, 0, sizeof(stacks->path));
	for (size_t i = 0; i < FL_COUNT(stacks->plain); i++)
		fl_dense_free(&stacks->plain[i]);
}
