/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads Austin's binary format: "MOJ", its version, then events, a byte of
 * their kind each, with numbers and texts that end in NUL.
 *
 * A number's first byte has 6 bits, a sign (0x40) and whether more follow
 * (0x80); the others have 7 bits.  Frames and texts come once for a process,
 * with a key by which later events name them.  A stack becomes samples of wall
 * (or cpu) time and of memory, as those of Austin's text do (folded/).
 *
 * From version 2 on frames have columns, from 3 on stacks an interpreter.
 * Version 4 says that a stack begins as the one before of its thread, up to
 * the last frame of Python; and where tasks of asyncio stand, whose frames
 * are not the stack's.
 */
#include "fl.h"

#include "format/format.h"

#include <inttypes.h>

enum event {
	META = 1, STACK, FRAME, INVALID, REFERENCE, KERNEL, GC, IDLE, TIME,
	MEMORY, STRING, STRING_REFERENCE, REPEAT, TASK_STACK, TASK_WAITER,
	TASK_RUNNING
};

enum { MIN_PEEK = 1 << 16, LAST_VERSION = 4 };

/* A frame in the maps and of the open stack: is it one of Python? */
static const uint64_t PYTHON = 1ull << 32;

struct process {
	struct fl_map strings, frames;	/* key -> name, frame */
};

struct reader {
	struct flame_source *source;
	struct flame *flame;
	struct fl_in *in;
	const uint8_t *head;	/* peeked */
	size_t size, at;
	int64_t version;
	/*
	 * The first has the latest of all, for a process that lacks a key:
	 * some name it before the process is known.
	 */
	struct process *processes;
	size_t nprocesses, processes_capacity;
	struct fl_map pids;		/* -> processes */
	struct fl_map before;		/* thread -> stack of frames of Python */
	struct process *process;	/* of the open stack */
	struct fl_buf buf;
	enum { WALL, CPU, HEAP, FULL } mode;
	/* The stack that is read. */
	bool open, idle;
	flame_id stack, thread;
	uint64_t *frames;		/* to put on the stack */
	size_t nframes, frames_capacity;
	int64_t of_task;		/* this many references are a task's */
	int64_t time, memory;
	uint64_t good, bad;
	bool begun, reported, has_process;
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
	fl_emit(r->source, &(struct flame_sample){
		.stack = r->stack, .metric = id, .thread = r->thread,
		.time = FLAME_NOTIME, .weight = weight,
	}, 1);
}

/* Puts the frames on the stack; the next one may begin as it does. */
static void close_stack(struct reader *r)
{
	flame_id python = r->stack;
	uint64_t *before;

	for (size_t i = 0; i < r->nframes; i++) {
		r->stack = flame_stack(r->flame, r->stack,
				       (flame_id)r->frames[i]);
		if (r->frames[i] & PYTHON)
			python = r->stack;
	}
	r->nframes = 0;
	if (r->version < LAST_VERSION)
		return;
	before = fl_map_put(&r->before, r->thread, NULL);
	if (before)
		*before = python;
	else
		fl_no_memory(r->flame);
}

static void end_stack(struct reader *r)
{
	if (!r->open)
		return;
	r->open = false;
	r->good++;
	close_stack(r);
	if (r->mode != HEAP)
		add_sample(r, r->mode == CPU ? "cpu" : "wall", "us", r->time);
	if (r->mode == FULL && !r->idle)
		add_sample(r, "cpu", "us", r->time);
	if (r->mode == HEAP || r->mode == FULL)
		add_sample(r, r->memory < 0 ? "memory-free" : "memory",
			   "bytes", r->memory < 0 ? -r->memory : r->memory);
}

static void push(struct reader *r, uint64_t frame)
{
	if (!(flame_id)frame || !r->open)
		return;
	if (fl_grow(&r->frames, &r->frames_capacity, r->nframes + 1,
		    sizeof(*r->frames)))
		r->frames[r->nframes++] = frame;
	else
		fl_no_memory(r->flame);
}

static void push_name(struct reader *r, const char *name)
{
	push(r, fl_frame(r->flame, fl_name(r->flame, name), FLAME_UNKNOWN));
}

/* A frame above all others: of the process, and of the thread. */
static void push_root(struct reader *r)
{
	flame_id name = fl_name(r->flame, r->buf.data);

	r->stack = flame_stack(r->flame, r->stack,
			       fl_frame(r->flame, name, FLAME_UNKNOWN));
}

static bool add_process(struct reader *r)
{
	if (!fl_grow(&r->processes, &r->processes_capacity, r->nprocesses + 1,
		     sizeof(*r->processes))) {
		fl_no_memory(r->flame);
		return false;
	}
	r->process = &r->processes[r->nprocesses++];
	*r->process = (struct process){ .strings.count = 0 };
	return true;
}

/* The process of this number, whose keys are its own. */
static bool find_process(struct reader *r, int64_t pid)
{
	uint64_t *at = fl_map_get(&r->pids, (uint64_t)pid);

	if (at) {
		r->process = &r->processes[*at];
		return true;
	}
	at = fl_map_put(&r->pids, (uint64_t)pid, NULL);
	if (!at) {
		fl_no_memory(r->flame);
		return false;
	}
	*at = r->nprocesses;
	if (!r->has_process) {	/* the keys so far are its own */
		r->has_process = true;
		*at = 1;
		return true;
	}
	return add_process(r);
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
	r->nframes = 0;
	r->of_task = 0;
	r->time = r->memory = 0;
	r->buf.size = 0;
	fl_buf_print(&r->buf, "%" PRId64, pid);
	if (r->buf.failed)
		return;
	set = flame_label(flame, set, fl_name(flame, "pid"),
			  fl_name(flame, r->buf.data));
	r->buf.size = 0;
	fl_buf_print(&r->buf, "P%" PRId64, pid);
	push_root(r);
	/* Thread ids are hexadecimal in the file, and shown in decimal. */
	for (size_t i = 0; i < tid.size && fl_is_hex(tid.data[i]); i++)
		n = n << 4 | (uint64_t)(fl_is_digit(tid.data[i]) ?
			tid.data[i] - '0' : (tid.data[i] | 0x20) - 'a' + 10);
	r->buf.size = 0;
	if (r->version < 3)
		fl_buf_print(&r->buf, "T%" PRIu64, n);
	else
		fl_buf_print(&r->buf, "T%" PRId64 ":%" PRIu64, interpreter, n);
	push_root(r);
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
	    (r->version > 2 && !take_number(r, &interpreter)) ||
	    !take_text(r, &tid))
		return false;
	if (find_process(r, pid))
		begin_stack(r, pid, interpreter, tid);
	return true;
}

/* Where the stack before of this thread had its last frame of Python. */
static void repeat_stack(struct reader *r)
{
	const uint64_t *before = fl_map_get(&r->before, r->thread);

	if (before && r->open)
		r->stack = (flame_id)*before;
	else
		r->bad++;
}

/* A key's name or frame; the latest of any process if its own lacks it. */
static const uint64_t *find_name(const struct reader *r, int64_t key)
{
	const uint64_t *at = fl_map_get(&r->process->strings, (uint64_t)key);

	return at ? at : fl_map_get(&r->processes->strings, (uint64_t)key);
}

static const uint64_t *find_frame(const struct reader *r, int64_t key)
{
	const uint64_t *at = fl_map_get(&r->process->frames, (uint64_t)key);

	return at ? at : fl_map_get(&r->processes->frames, (uint64_t)key);
}

static void define(struct reader *r, struct fl_map *map, int64_t key,
		   uint64_t value)
{
	uint64_t *at = fl_map_put(map, (uint64_t)key, NULL);

	if (at)
		*at = value;
	else
		fl_no_memory(r->flame);
}

static struct slice text_of(struct reader *r, int64_t key)
{
	const uint64_t *name = find_name(r, key);

	return name ? fl_name_at(r->flame, (flame_id)*name) :
	       key == 1 ? (struct slice){ "<unknown>", 9 } :
	       (struct slice){ "unknown", 7 };
}

/* Python's own files: *.py, and <string> or such. */
static bool is_python(struct slice file)
{
	return file.size > 2 &&
	       (memcmp(file.data + file.size - 3, ".py", 3) == 0 ||
		(file.data[0] == '<' && file.data[file.size - 1] == '>'));
}

/* "file:function:line" */
static bool take_frame(struct reader *r)
{
	int64_t key, file, scope, line = 0, other;
	struct slice text;
	uint64_t frame;
	bool python;

	if (!take_number(r, &key) || !take_number(r, &file) ||
	    !take_number(r, &scope) || !take_number(r, &line))
		return false;
	for (int i = 0; r->version > 1 && i < 3; i++)
		if (!take_number(r, &other))
			return false;
	text = text_of(r, file);
	python = is_python(text);
	r->buf.size = 0;
	fl_buf_put(&r->buf, text.data, text.size);
	fl_buf_byte(&r->buf, ':');
	text = text_of(r, scope);
	fl_buf_put(&r->buf, text.data, text.size);
	fl_buf_print(&r->buf, ":%" PRId64, line);
	if (r->buf.failed) {
		fl_no_memory(r->flame);
		return true;
	}
	frame = fl_frame(r->flame, fl_name(r->flame, r->buf.data),
			 FLAME_UNKNOWN) | (python ? PYTHON : 0);
	define(r, &r->process->frames, key, frame);
	define(r, &r->processes->frames, key, frame);
	return true;
}

static bool take_string(struct reader *r)
{
	struct slice s;
	int64_t key;
	flame_id name;

	if (!take_number(r, &key) || !take_text(r, &s))
		return false;
	name = flame_name(r->flame, s.data, s.size);
	define(r, &r->process->strings, key, name);
	define(r, &r->processes->strings, key, name);
	return true;
}

static bool take_reference(struct reader *r)
{
	const uint64_t *frame;
	int64_t key;

	if (!take_number(r, &key))
		return false;
	if (r->of_task > 0) {
		r->of_task--;
		return true;
	}
	frame = find_frame(r, key);
	if (frame)
		push(r, *frame);
	else
		r->bad++;
	return true;
}

/* Whose frames follow: a task's, its name's key, and their number. */
static bool take_task(struct reader *r)
{
	int64_t task, name;

	return take_number(r, &task) && take_number(r, &name) &&
	       take_number(r, &r->of_task);
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
	int64_t other;

	switch (event) {
	case META:
		return take_meta(r);
	case STACK:
		return take_stack(r);
	case FRAME:
		return take_frame(r);
	case INVALID:
		push_name(r, ":INVALID:");
		return true;
	case REFERENCE:
		return take_reference(r);
	case KERNEL:
		return take_kernel(r);
	case GC:
		push_name(r, ":GC:");
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
	case STRING_REFERENCE:
	case TASK_RUNNING:
		return take_number(r, &other);
	case REPEAT:
		repeat_stack(r);
		return true;
	case TASK_STACK:
		return take_task(r);
	case TASK_WAITER:
		return take_number(r, &other) && take_number(r, &other);
	}
	r->error = "no event is of such a kind";
	return false;
}

static bool is_heading(const struct reader *r)
{
	return r->size - r->at >= 4 &&
	       memcmp(r->head + r->at, "MOJ", 3) == 0;
}

static void forget_keys(struct reader *r)
{
	for (size_t i = 0; i < r->nprocesses; i++) {
		fl_map_free(&r->processes[i].strings);
		fl_map_free(&r->processes[i].frames);
	}
	r->nprocesses = 0;
	fl_map_free(&r->pids);
	fl_map_free(&r->before);
}

/* Whether another file begins where no event does, packed or not. */
static bool is_joint(struct reader *r)
{
	if (r->head[r->at] >= META && r->head[r->at] <= TASK_RUNNING)
		return false;
	if (is_heading(r))
		return true;
	fl_in_consume(r->in, r->at);
	r->at = r->size = 0;
	return fl_in_decode_at(r->in, 0) && peek(r) && is_heading(r);
}

/* Reads a heading: keys of the file before mean nothing in this one. */
static bool begin(struct reader *r)
{
	r->begun = true;
	r->has_process = false;
	r->mode = WALL;
	forget_keys(r);
	if (!add_process(r) || !add_process(r))
		return false;
	if (!peek(r) || !is_heading(r)) {
		r->error = "no heading";
		return false;
	}
	r->at += 3;
	if (!take_number(r, &r->version) || r->version < 1 ||
	    r->version > LAST_VERSION) {
		r->error = "a version other than 1 to 4";
		return false;
	}
	return true;
}

static int finish(struct reader *r, bool cut)
{
	const char *name = fl_in_name(r->source->in);

	if (r->reported)
		return FLAME_END;
	r->reported = true;
	if (cut || r->error || r->bad || fl_in_damage(r->in)) {
		fl_warn(r->flame, "%s: %s at byte %" PRIu64 ": %" PRIu64
			" stacks were whole", name,
			r->error ? r->error : "cut or damaged",
			fl_in_offset(r->in) + r->at, r->good);
		r->source->damage = r->good ? 1 : 2;
	}
	return FLAME_END;
}

static int read(struct flame_source *source)
{
	struct reader *r = source->state;
	bool cut = false, joint;

	if (!r->begun && !begin(r))
		return finish(r, true);
	if (r->reported)
		return FLAME_END;
	while (!source->batch.n && !cut && !fl_failed(r->flame)) {
		if (!peek(r))
			break;
		joint = is_joint(r);
		if (!joint && !peek(r))
			break;
		/* A stack is whole where the next one or another file begins. */
		if (r->open && (joint || r->head[r->at] == STACK))
			end_stack(r);
		else
			cut = joint ? !begin(r) :
				      !take_event(r, r->head[r->at++]);
	}
	if (source->batch.n || fl_failed(r->flame))
		return FLAME_OK;
	if (!cut)
		end_stack(r);
	finish(r, cut);
	return source->batch.n ? FLAME_OK : FLAME_END;
}

/* The row of formats.def ------------------------------------------------ */

static int open_mojo(struct flame_source *source)
{
	struct reader *r = source->state;

	r->source = source;
	r->flame = source->flame;
	r->in = source->in;
	return FLAME_OK;
}

static void release(void *state)
{
	struct reader *r = state;

	forget_keys(r);
	fl_free(r->processes);
	fl_free(r->frames);
	fl_buf_free(&r->buf);
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
	.state_size = sizeof(struct reader),
	.open = open_mojo,
	.read = read,
	.release = release,
};
