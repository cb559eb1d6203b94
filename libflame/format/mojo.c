/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Austin's binary format: "MOJ", its version, then events, a byte of their
 * kind each, with numbers and texts that end in NUL.
 *
 * A number's first byte has 6 bits, a sign (0x40) and whether more follow
 * (0x80); the others have 7 bits.  Frames and texts come once, with a key, and
 * are known by it from then on.  A stack's samples are those of the text:
 * wall (or cpu) time, and memory.
 */
#include "fl.h"

#include "format/format.h"

#include <inttypes.h>

enum event {
	META = 1, STACK, FRAME, INVALID, REFERENCE, KERNEL, GC, IDLE, TIME,
	MEMORY, STRING
};

enum { MIN_PEEK = 1 << 16 };

struct reader {
	struct flame_source *source;
	struct flame *flame;
	struct fl_in *in;
	const uint8_t *head;	/* peeked */
	size_t size, at;
	int64_t version;
	struct fl_map strings, frames;	/* key -> name, frame */
	struct fl_buf buf;
	enum { WALL, CPU, HEAP, FULL } mode;
	/* The stack that is read. */
	bool open, idle;
	flame_id stack, thread;
	int64_t time, memory;
	struct flame_sample samples[3];
	unsigned nsamples, given;
	uint64_t good, bad;
	bool begun, told;
	const char *error;
};

/* Bytes --------------------------------------------------------------- */

/* Makes sure that an event of up to a MiB is in memory; false: the end. */
static bool peek(struct reader *r)
{
	if (r->size - r->at >= MIN_PEEK)
		return true;
	fl_in_consume(r->in, r->at);
	r->at = 0;
	r->head = fl_in_peek(r->in, MIN_PEEK, &r->size);
	return r->size > 0;
}

static bool take_number(struct reader *r, int64_t *n)
{
	unsigned shift = 6;
	uint8_t byte;
	uint64_t value;
	bool minus;

	if (r->at == r->size)
		return false;
	byte = r->head[r->at++];
	minus = byte & 0x40;
	value = byte & 0x3f;
	while (byte & 0x80) {
		if (r->at == r->size || shift > 62)
			return false;
		byte = r->head[r->at++];
		value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	}
	value &= INT64_MAX;
	*n = minus ? -(int64_t)value : (int64_t)value;
	return true;
}

static bool take_text(struct reader *r, struct slice *s)
{
	const uint8_t *at = r->head + r->at;
	const uint8_t *end = r->at < r->size ?
			     memchr(at, '\0', r->size - r->at) : NULL;

	if (!end)
		return false;
	*s = (struct slice){ (const char *)at, (size_t)(end - at) };
	r->at += s->size + 1;
	return true;
}

/* Samples ------------------------------------------------------------- */

static void add_sample(struct reader *r, const char *metric, const char *unit,
		       int64_t weight)
{
	flame_id id;

	if (!weight)
		return;
	id = flame_metric(r->flame, metric, unit);
	fl_metric_count(r->flame, id, weight);
	r->samples[r->nsamples++] = (struct flame_sample){
		.stack = r->stack, .metric = id, .thread = r->thread,
		.time = FLAME_NOTIME, .weight = weight,
	};
}

static void end_stack(struct reader *r)
{
	r->nsamples = r->given = 0;
	if (!r->open)
		return;
	r->open = false;
	r->good++;
	if (r->mode != HEAP)
		add_sample(r, r->mode == CPU ? "cpu" : "wall", "us", r->time);
	if (r->mode == FULL && !r->idle)
		add_sample(r, "cpu", "us", r->time);
	if (r->mode == HEAP || r->mode == FULL)
		add_sample(r, r->memory < 0 ? "memory-free" : "memory",
			   "bytes", r->memory < 0 ? -r->memory : r->memory);
}

static void push(struct reader *r, flame_id frame)
{
	if (frame && r->open)
		r->stack = flame_stack(r->flame, r->stack, frame);
}

static void push_name(struct reader *r, const char *name, enum flame_type type)
{
	push(r, fl_frame(r->flame, fl_name(r->flame, name), type));
}

/* "P12;T0:34": the process, its interpreter, and the thread. */
static void begin_stack(struct reader *r, int64_t pid, int64_t interpreter,
			struct slice tid)
{
	struct flame *flame = r->flame;
	uint64_t n = 0;
	flame_id set = 0;

	r->open = true;
	r->idle = false;
	r->stack = 0;
	r->time = r->memory = 0;
	r->buf.size = 0;
	fl_buf_print(&r->buf, "%" PRId64, pid);
	if (r->buf.failed)
		return;
	set = flame_label(flame, set, fl_name(flame, "pid"),
			  fl_name(flame, r->buf.data));
	r->buf.size = 0;
	fl_buf_print(&r->buf, "P%" PRId64, pid);
	push_name(r, r->buf.data, FLAME_UNKNOWN);
	/* Threads are told in base 16, and shown as numbers. */
	for (size_t i = 0; i < tid.size && fl_is_hex(tid.data[i]); i++)
		n = n << 4 | (uint64_t)(fl_is_digit(tid.data[i]) ?
			tid.data[i] - '0' : (tid.data[i] | 0x20) - 'a' + 10);
	r->buf.size = 0;
	fl_buf_print(&r->buf, "T%" PRId64 ":%" PRIu64, interpreter, n);
	push_name(r, r->buf.data, FLAME_UNKNOWN);
	set = flame_label(flame, set, fl_name(flame, "thread"),
			  fl_name(flame, r->buf.data));
	r->buf.size = 0;
	fl_buf_print(&r->buf, "%" PRIu64, n);
	r->thread = flame_label(flame, set, fl_name(flame, "tid"),
				fl_name(flame, r->buf.data));
}

/* Events -------------------------------------------------------------- */

static bool take_meta(struct reader *r)
{
	struct slice key, value;

	if (!take_text(r, &key) || !take_text(r, &value))
		return false;
	if (fl_slice_is(key, "mode"))
		r->mode = fl_slice_is(value, "cpu") ? CPU :
			  fl_slice_is(value, "memory") ? HEAP :
			  fl_slice_is(value, "full") ? FULL : WALL;
	return true;
}

static bool take_stack(struct reader *r)
{
	int64_t pid, interpreter = 0;
	struct slice tid;

	if (!take_number(r, &pid) ||
	    (r->version > 1 && !take_number(r, &interpreter)) ||
	    !take_text(r, &tid))
		return false;
	begin_stack(r, pid, interpreter, tid);
	return true;
}

static void put_text(struct reader *r, int64_t key)
{
	const uint64_t *name = fl_map_get(&r->strings, (uint64_t)key);
	struct slice s = { "unknown", 7 };

	if (name)
		s = fl_name_at(r->flame, (flame_id)*name);
	else if (key == 1)
		s = (struct slice){ "<unknown>", 9 };
	fl_buf_put(&r->buf, s.data, s.size);
}

/* "file:function:line" */
static bool take_frame(struct reader *r)
{
	int64_t key, file, scope, line = 0, other;
	uint64_t *frame;

	if (!take_number(r, &key) || !take_number(r, &file) ||
	    !take_number(r, &scope) || !take_number(r, &line))
		return false;
	for (int i = 0; r->version > 2 && i < 3; i++)
		if (!take_number(r, &other))
			return false;
	r->buf.size = 0;
	put_text(r, file);
	fl_buf_byte(&r->buf, ':');
	put_text(r, scope);
	fl_buf_print(&r->buf, ":%" PRId64, line);
	frame = fl_map_put(&r->frames, (uint64_t)key, NULL);
	if (!frame || r->buf.failed)
		fl_no_memory(r->flame);
	else
		*frame = fl_frame(r->flame, fl_name(r->flame, r->buf.data),
				  FLAME_UNKNOWN);
	return true;
}

static bool take_string(struct reader *r)
{
	struct slice s;
	int64_t key;
	uint64_t *name;

	if (!take_number(r, &key) || !take_text(r, &s))
		return false;
	name = fl_map_put(&r->strings, (uint64_t)key, NULL);
	if (!name)
		fl_no_memory(r->flame);
	else
		*name = flame_name(r->flame, s.data, s.size);
	return true;
}

static bool take_reference(struct reader *r)
{
	const uint64_t *frame;
	int64_t key;

	if (!take_number(r, &key))
		return false;
	frame = fl_map_get(&r->frames, (uint64_t)key);
	if (frame)
		push(r, (flame_id)*frame);
	else
		r->bad++;
	return true;
}

static bool take_kernel(struct reader *r)
{
	struct slice s;

	if (!take_text(r, &s))
		return false;
	push(r, fl_frame(r->flame, flame_name(r->flame, s.data, s.size),
			 FLAME_KERNEL));
	return true;
}

/* false: the input ends within it, or it is none; see error. */
static bool take_event(struct reader *r, enum event event)
{
	switch (event) {
	case META:
		return take_meta(r);
	case STACK:
		return take_stack(r);
	case FRAME:
		return take_frame(r);
	case INVALID:
		push_name(r, ":INVALID:", FLAME_UNKNOWN);
		return true;
	case REFERENCE:
		return take_reference(r);
	case KERNEL:
		return take_kernel(r);
	case GC:
		push_name(r, ":GC:", FLAME_UNKNOWN);
		return true;
	case IDLE:
		r->idle = true;
		return true;
	case TIME:
		return take_number(r, &r->time);
	case MEMORY:
		return take_number(r, &r->memory);
	case STRING:
		return take_string(r);
	}
	r->error = "no event is of such a kind";
	return false;
}

static bool begin(struct reader *r)
{
	r->begun = true;
	if (!peek(r) || r->size < 4 || memcmp(r->head, "MOJ", 3) != 0) {
		r->error = "no heading";
		return false;
	}
	r->at = 3;
	if (!take_number(r, &r->version) || r->version < 1 ||
	    r->version > 3) {
		r->error = "a version other than 1 to 3";
		return false;
	}
	return true;
}

static int finish(struct reader *r, bool cut)
{
	const char *name = fl_in_name(r->source->in);

	if (r->told)
		return FLAME_END;
	r->told = true;
	if (cut || r->error || r->bad || fl_in_damage(r->in)) {
		fl_warn(r->flame, "%s: %s at byte %" PRIu64 ": %" PRIu64
			" stacks were whole", name,
			r->error ? r->error : "cut or damaged",
			fl_in_offset(r->in) + r->at, r->good);
		r->source->damage = r->good ? 1 : 2;
	}
	return FLAME_END;
}

static int next(struct flame_source *source, struct flame_sample *sample)
{
	struct reader *r = source->state;
	bool cut = false;

	if (!r->begun && !begin(r))
		return finish(r, true);
	for (;;) {
		if (fl_failed(r->flame))
			return FLAME_FAILED;
		if (r->given < r->nsamples) {
			*sample = r->samples[r->given++];
			return FLAME_OK;
		}
		if (r->told)
			return FLAME_END;
		if (!peek(r))
			break;
		/* A stack is whole where the next begins. */
		if (r->head[r->at] == STACK && r->open) {
			end_stack(r);
			continue;
		}
		cut = !take_event(r, r->head[r->at++]);
		if (cut)
			break;
	}
	if (!cut)
		end_stack(r);
	else
		r->nsamples = r->given = 0;
	finish(r, cut);
	return next(source, sample);
}

/* The row of formats.c ------------------------------------------------ */

static int open_mojo(struct flame_source *source)
{
	struct reader *r = fl_zeroed(1, sizeof(*r));

	if (!r)
		return fl_no_memory(source->flame);
	r->source = source;
	r->flame = source->flame;
	r->in = source->in;
	source->state = r;
	return FLAME_OK;
}

static void close_mojo(struct flame_source *source)
{
	struct reader *r = source->state;

	if (!r)
		return;
	fl_map_free(&r->strings);
	fl_map_free(&r->frames);
	fl_buf_free(&r->buf);
	fl_free(r);
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	(void)whole;
	return n >= 4 && memcmp(head, "MOJ", 3) == 0 && head[3] >= 1 &&
	       head[3] < 32 ? 32 : 0;
}

const struct fl_format fl_format_mojo = {
	.name = "mojo",
	.summary = "Austin's binary format",
	.probe = probe,
	.open = open_mojo,
	.next = next,
	.close = close_mojo,
};
