/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Python frames of CPython, read from outside while it runs.
 *
 * Python's frames lie in the process's heap; the interpreter's loop on the stack
 * stands for a run of them.  They are read right after a sample was taken, so
 * they are of that moment or of one soon after it.  Offsets are of each minor
 * release; others are told, and not read.
 */
#include "fl.h"

#include "sample/sample.h"

#include <stdlib.h>

enum {
	MAX_THREADS = 10000, MAX_INTERPRETERS = 100, MAX_PYTHON_FRAMES = 1000,
	MAX_TEXT = 1024, FRAME_SIZE = 80,
	OWNED_BY_C = 3		/* a frame that only marks an entry */
};

struct layout {
	unsigned minor;
	unsigned interpreters, next_interpreter, threads;
	unsigned cframe;	/* of a thread; 0: it has the frame itself */
	unsigned current, native_id;
	unsigned previous, code, owner, is_entry;
	unsigned ascii_size, unicode_size;
};

/* Alike in all: the next thread, names of a code object, a text's length. */
enum {
	NEXT_THREAD = 8, FILE_NAME = 112, QUALIFIED_NAME = 128, LENGTH = 16,
	STATE = 32
};

static const struct layout layouts[] = {
	{ 11, 40, 0, 16, 56, 8, 160, 48, 32, 69, 68, 48, 72 },
	{ 12, 40, 0, 72, 56, 0, 144, 8, 0, 70, 0, 40, 56 },
	{ 13, 632, 7264, 7344, 0, 72, 160, 8, 0, 70, 0, 40, 56 },
};

struct fl_cpython {
	struct flame *flame;
	struct fl_memory memory;
	const struct layout *layout;
	uint64_t runtime;
	struct fl_map threads;	/* tid -> PyThreadState */
	struct fl_map codes;	/* code object -> place in names */
	struct code {
		uint64_t name, file;
		flame_id frame;
	} *names;
	size_t nnames, capacity;
	struct fl_buf buf;
	struct fl_unwinder merged;	/* frames and addresses alone */
};

static bool read_at(const struct fl_cpython *py, uint64_t at, void *to,
		    size_t size)
{
	return py->memory.read(py->memory.arg, at, to, size);
}

static uint64_t word_at(const struct fl_cpython *py, uint64_t at)
{
	uint64_t n = 0;

	return read_at(py, at, &n, sizeof(n)) ? n : 0;
}

static uint64_t address_of(const struct fl_vm_symbols *vm, const char *name)
{
	for (size_t i = 0; i < vm->count; i++)
		if (strcmp(vm->data[i].name, name) == 0)
			return vm->data[i].address;
	return 0;
}

/*
 * 3.13 has a table of offsets at the beginning of _PyRuntime: they must be the
 * known ones, and the build must have the global lock.
 */
static bool is_as_told(const struct fl_cpython *py)
{
	enum { FREE_THREADED = 16, INTERPRETERS = 40 };

	return !word_at(py, py->runtime + FREE_THREADED) &&
	       word_at(py, py->runtime + INTERPRETERS) ==
	       py->layout->interpreters;
}

struct fl_cpython *fl_cpython_new(struct flame *flame,
				  const struct fl_memory *memory,
				  const struct fl_vm_symbols *vm,
				  unsigned *minor)
{
	struct fl_cpython *py = fl_zeroed(1, sizeof(*py));
	uint64_t version;

	*minor = 0;
	if (!py)
		return NULL;
	py->flame = flame;
	py->memory = *memory;
	py->runtime = address_of(vm, "_PyRuntime");
	/* 0x030c01f0 is 3.12.1. */
	version = word_at(py, address_of(vm, "Py_Version"));
	if (py->runtime && version >> 24 == 3)
		*minor = version >> 16 & 0xff;
	for (size_t i = 0; i < FL_COUNT(layouts); i++)
		if (*minor && layouts[i].minor == *minor)
			py->layout = &layouts[i];
	if (py->layout && *minor == 13 && !is_as_told(py))
		py->layout = NULL;
	if (py->layout)
		return py;
	fl_cpython_free(py);
	return NULL;
}

void fl_cpython_free(struct fl_cpython *py)
{
	if (!py)
		return;
	fl_map_free(&py->threads);
	fl_map_free(&py->codes);
	fl_free(py->names);
	fl_buf_free(&py->buf);
	fl_free(py->merged.frames);
	fl_free(py->merged.addresses);
	fl_free(py);
}

/* Threads ----------------------------------------------------------------- */

static void find_threads(struct fl_cpython *py)
{
	const struct layout *l = py->layout;
	uint64_t interpreter = word_at(py, py->runtime + l->interpreters);
	unsigned n = 0;

	fl_map_clear(&py->threads);
	for (unsigned i = 0; interpreter && i < MAX_INTERPRETERS; i++) {
		uint64_t thread = word_at(py, interpreter + l->threads);

		for (; thread && n < MAX_THREADS; n++) {
			uint64_t *place = fl_map_put(&py->threads,
				word_at(py, thread + l->native_id), NULL);

			if (!place)
				return;
			*place = thread;
			thread = word_at(py, thread + NEXT_THREAD);
		}
		interpreter = word_at(py, interpreter + l->next_interpreter);
	}
}

/* The PyThreadState of a thread; 0: it has none. */
static uint64_t thread_of(struct fl_cpython *py, pid_t tid)
{
	const uint64_t *place = fl_map_get(&py->threads, (uint64_t)tid);

	if (place && word_at(py, *place + py->layout->native_id) ==
		     (uint64_t)tid)
		return *place;
	find_threads(py);
	place = fl_map_get(&py->threads, (uint64_t)tid);
	return place ? *place : 0;
}

/* Names -------------------------------------------------------------------- */

/* A str: ASCII, or characters of 1, 2 or 4 bytes. */
static bool put_text(struct fl_cpython *py, uint64_t at)
{
	uint64_t size = word_at(py, at + LENGTH);
	uint8_t bytes[MAX_TEXT];
	uint32_t state = 0, kind;
	bool ascii;

	if (!at || !size || !read_at(py, at + STATE, &state, 4))
		return false;
	kind = state >> 2 & 7;
	ascii = state >> 6 & 1;
	if ((kind != 1 && kind != 2 && kind != 4) || !(state >> 5 & 1))
		return false;
	size = FL_MIN(size, (uint64_t)MAX_TEXT / kind);
	if (!read_at(py, at + (ascii ? py->layout->ascii_size :
			       py->layout->unicode_size), bytes, size * kind))
		return false;
	for (uint64_t i = 0; i < size; i++) {
		uint32_t c = 0;

		memcpy(&c, bytes + i * kind, kind);
		fl_utf8_put(&py->buf, c);
	}
	return true;
}

/* "Class.method (file.py)" */
static flame_id read_code(struct fl_cpython *py, const struct code *code)
{
	flame_id file, name;
	const char *slash;
	size_t size;

	py->buf.size = 0;
	if (!put_text(py, code->file))
		return 0;
	file = flame_name(py->flame, py->buf.data, py->buf.size);
	py->buf.size = 0;
	if (!put_text(py, code->name))
		return 0;
	slash = strrchr(flame_name_text(py->flame, file, &size), '/');
	fl_buf_print(&py->buf, " (%s)", slash ? slash + 1 :
		     flame_name_text(py->flame, file, NULL));
	name = flame_name(py->flame, py->buf.data, py->buf.size);
	return flame_frame(py->flame, &(struct flame_frame){
		.name = name, .file = file, .type = FLAME_UNKNOWN,
	});
}

static flame_id code_frame(struct fl_cpython *py, uint64_t at)
{
	uint64_t names[3], *place;
	struct code *code;
	bool fresh;

	/* From the file's name to the qualified one. */
	if (!at || !read_at(py, at + FILE_NAME, names, sizeof(names)))
		return 0;
	place = fl_map_put(&py->codes, at, &fresh);
	if (!place || !fl_grow(&py->names, &py->capacity, py->nnames + 1,
			       sizeof(*py->names)))
		return 0;
	if (fresh) {
		memset(&py->names[py->nnames], 0, sizeof(*py->names));
		*place = py->nnames++;
	}
	code = &py->names[*place];
	if (code->file != names[0] || code->name != names[2]) {
		*code = (struct code){ names[2], names[0], 0 };
		code->frame = read_code(py, code);
	}
	return code->frame;
}

/* Frames -------------------------------------------------------------------- */

struct walk {
	struct fl_cpython *py;
	uint64_t at;		/* the next _PyInterpreterFrame */
	unsigned n;
};

static void push(struct walk *w, flame_id frame, uint64_t address)
{
	struct fl_unwinder *m = &w->py->merged;

	if (!fl_grow(&m->frames, &m->frames_capacity, m->nframes + 1,
		     sizeof(*m->frames)) ||
	    !fl_grow(&m->addresses, &m->addresses_capacity, m->nframes + 1,
		     sizeof(*m->addresses))) {
		fl_no_memory(w->py->flame);
		return;
	}
	m->frames[m->nframes] = frame;
	m->addresses[m->nframes++] = address;
}

/* Pushes frames up to the one with which the loop was entered. */
static bool push_run(struct walk *w)
{
	const struct layout *l = w->py->layout;
	uint8_t frame[FRAME_SIZE];
	bool any = false;

	while (w->at && w->n++ < MAX_PYTHON_FRAMES) {
		uint64_t code;
		flame_id id;
		bool entry;

		if (!read_at(w->py, w->at, frame, sizeof(frame))) {
			w->at = 0;
			break;
		}
		memcpy(&code, frame + l->code, 8);
		memcpy(&w->at, frame + l->previous, 8);
		if (!l->is_entry && frame[l->owner] == OWNED_BY_C)
			return any;
		entry = l->is_entry && frame[l->is_entry];
		id = code_frame(w->py, code);
		if (id) {
			push(w, id, 0);
			any = true;
		}
		if (entry)
			return any;
	}
	return any;
}

static bool starts(struct flame *flame, flame_id frame, const char *text)
{
	const struct flame_frame *f = flame_frame_of(flame, frame);

	return strncmp(flame_name_text(flame, f->name, NULL), text,
		       strlen(text)) == 0;
}

static uint64_t first_frame(struct fl_cpython *py, pid_t tid)
{
	const struct layout *l = py->layout;
	uint64_t thread = thread_of(py, tid);

	if (thread && l->cframe)
		thread = word_at(py, thread + l->cframe);
	return thread ? word_at(py, thread + l->current) : 0;
}

void fl_cpython_merge(struct fl_cpython *py, struct fl_unwinder *u, pid_t tid)
{
	struct walk w = { py, 0, 0 };
	struct fl_unwinder *m = &py->merged;
	bool any = false;

	for (size_t i = 0; i < u->nframes && !any; i++)
		any = starts(py->flame, u->frames[i],
			     "_PyEval_EvalFrameDefault");
	if (!any)
		return;
	w.at = first_frame(py, tid);
	if (!w.at)
		return;
	m->nframes = 0;
	for (size_t i = 0; i < u->nframes; i++) {
		/* python -X perf has the same frames in its perf map. */
		if (starts(py->flame, u->frames[i], "py::"))
			continue;
		if (starts(py->flame, u->frames[i],
			   "_PyEval_EvalFrameDefault") && push_run(&w))
			continue;
		push(&w, u->frames[i], u->addresses[i]);
	}
	u->nframes = 0;
	for (size_t i = 0; i < m->nframes; i++)
		fl_unwind_push(u, m->frames[i], m->addresses[i]);
}
