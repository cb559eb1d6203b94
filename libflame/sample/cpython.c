/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Python frames of CPython, read from outside while it runs.
 *
 * Python's frames are in the process's heap; one native frame of the
 * interpreter's loop corresponds to a run of them.  They are read as soon as the
 * kernel has written a sample, before its turn in the order of all, so they are
 * of that moment or of one soon after it.  From 3.13 on the interpreter
 * publishes the offsets; those of 3.7 to 3.12 are tables here (made by offsetof
 * with their headers).  Other releases are reported, and not read.
 *
 * Up to 3.10 each frame is a call of the loop, and threads are known by their
 * pthread_t alone.
 */
#include "fl.h"

#include "sample/virtual_machines.h"

#include <stdlib.h>

enum {
	MAX_THREADS = 10000, MAX_INTERPRETERS = 100, MAX_PYTHON_FRAMES = 1000,
	PENDING_SAMPLES = 64,
	MAX_TEXT = 1024, MAX_CODES = 1 << 20, FRAME_SIZE = 104,
	OWNED_BY_GENERATOR = 1,
	OWNED_BY_C = 3,		/* and more: a frame that only marks an entry */
	GLIBC_TID = 720, MUSL_TID = 48	/* in what a pthread_t points to */
};

/* Offsets, of each in what precedes it here. */
struct layout {
	unsigned minor;
	unsigned interpreters, next_interpreter, threads;
	unsigned cframe;	/* of a thread; 0: it has the frame itself */
	unsigned next_thread, current, native_id;	/* old: a pthread_t */
	unsigned previous, code, owner, is_entry;	/* old: owner is the
							   generator */
	unsigned file_name;	/* of a code object; two words before its
				   qualified name; old: before its name */
	unsigned state, length, ascii_size, unicode_size;
};

enum { NEWEST_OLD = 10 };

static const struct layout layouts[] = {
	{ 7, 24, 0, 8, 0, 8, 24, 176, 24, 32, 96, 0, 96, 32, 16, 48, 72 },
	{ 8, 32, 0, 8, 0, 8, 24, 176, 24, 32, 96, 0, 104, 32, 16, 48, 72 },
	{ 10, 32, 0, 8, 0, 8, 24, 176, 24, 32, 88, 0, 104, 32, 16, 48, 72 },
	{ 11, 40, 0, 16, 56, 8, 8, 160, 48, 32, 69, 68, 112, 32, 16, 48, 72 },
	{ 12, 40, 0, 72, 56, 8, 0, 144, 8, 0, 70, 0, 112, 32, 16, 40, 56 },
};

/*
 * The block of offsets at the beginning of _PyRuntime, in words: "xdebugpy",
 * the version, whether it has no global lock, then the offsets.  Later releases
 * have more of them between those that older ones have.
 */
enum { BLOCK_COOKIE, BLOCK_VERSION, BLOCK_FREE_THREADED, BLOCK_WORDS = 81 };

static const struct block {
	unsigned minor;
	uint8_t interpreters, next_interpreter, threads, next_thread, current,
		native_id, previous, code, owner, file_name, qualified_name,
		state, length, ascii_size;
} blocks[] = {
	{ 13, 5, 8, 9, 21, 23, 25, 29, 30, 33, 35, 37, 68, 69, 70 },
	{ 14, 5, 8, 9, 24, 26, 28, 32, 33, 36, 40, 42, 78, 79, 80 },
};

struct fl_cpython {
	struct flame *flame;
	struct fl_memory memory;
	struct layout layout;
	uint64_t runtime;
	struct fl_map threads;	/* tid -> PyThreadState */
	struct fl_map codes;	/* code object -> place in names */
	struct code {
		uint64_t name, file;
		flame_id frame;
	} *names;
	size_t nnames, capacity;
	struct fl_buf buf;
	struct walk {
		uint64_t key;
		bool complete;	/* down to the outermost frame */
		bool cut;	/* there are more frames */
		struct fl_unwinder walked;	/* frames and addresses alone */
		struct run {
			size_t begin, end;
		} *runs;	/* of walked, from the leaf on */
		size_t nruns, runs_capacity;
	} walks[PENDING_SAMPLES + 1];	/* the last one: of now */
	unsigned next;			/* of walks to be overwritten */
	struct fl_unwinder merged;
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

/* An offset of the block that is past any structure fails it. */
static unsigned offset_at(const uint64_t *words, unsigned place, bool *good)
{
	enum { MAX_OFFSET = 1 << 20 };

	*good &= words[place] < MAX_OFFSET;
	return *good ? (unsigned)words[place] : 0;
}

/*
 * Reads the offsets that the interpreter publishes; false: there are none, this
 * file does not support them, or the build has no global lock.
 */
static bool read_block(struct fl_cpython *py, const struct block *b)
{
	uint64_t words[BLOCK_WORDS];
	struct layout *l = &py->layout;
	bool good = true;

	if (!read_at(py, py->runtime, words, sizeof(words)) ||
	    memcmp(words, "xdebugpy", 8) != 0 ||
	    words[BLOCK_VERSION] >> 16 != (0x300 | b->minor) ||
	    words[BLOCK_FREE_THREADED] ||
	    words[b->qualified_name] != words[b->file_name] + 16)
		return false;
	*l = (struct layout){ .minor = b->minor };
	l->interpreters = offset_at(words, b->interpreters, &good);
	l->next_interpreter = offset_at(words, b->next_interpreter, &good);
	l->threads = offset_at(words, b->threads, &good);
	l->next_thread = offset_at(words, b->next_thread, &good);
	l->current = offset_at(words, b->current, &good);
	l->native_id = offset_at(words, b->native_id, &good);
	l->previous = offset_at(words, b->previous, &good);
	l->code = offset_at(words, b->code, &good);
	l->owner = offset_at(words, b->owner, &good);
	l->file_name = offset_at(words, b->file_name, &good);
	l->state = offset_at(words, b->state, &good);
	l->length = offset_at(words, b->length, &good);
	l->ascii_size = offset_at(words, b->ascii_size, &good);
	/* Others have their text in UTF-8 besides: its size, and where. */
	l->unicode_size = l->ascii_size + 16;
	return good && l->previous <= FRAME_SIZE - 8 &&
	       l->code <= FRAME_SIZE - 8 && l->owner < FRAME_SIZE;
}

static bool find_layout(struct fl_cpython *py, unsigned minor)
{
	for (size_t i = 0; i < FL_COUNT(layouts); i++)
		if (layouts[i].minor == minor) {
			py->layout = layouts[i];
			return true;
		}
	for (size_t i = 0; i < FL_COUNT(blocks); i++)
		if (blocks[i].minor == minor)
			return read_block(py, &blocks[i]);
	return false;
}

/* Up to 3.10 none tells its release: by functions that were new in one. */
static unsigned read_release(const struct fl_cpython *py,
			     const struct fl_vm_symbols *vm)
{
	uint64_t at = address_of(vm, "Py_Version");
	/* 0x030c01f0 is 3.12.1. */
	uint64_t version = at ? word_at(py, at) : 0;

	if (at)
		return version >> 24 == 3 ? version >> 16 & 0xff : 0;
	if (!py->runtime)
		return address_of(vm, "_PyThreadState_Current") ?
		       FL_PYTHON_OLDEST - 1 : 0;
	return address_of(vm, "Py_NewRef") ? 10 :
	       address_of(vm, "PyCode_NewWithPosOnlyArgs") ? 8 :
	       FL_PYTHON_OLDEST;
}

struct fl_cpython *fl_cpython_new(struct flame *flame,
				  const struct fl_memory *memory,
				  const struct fl_vm_symbols *vm,
				  unsigned *minor)
{
	struct fl_cpython *py = fl_zeroed(1, sizeof(*py));

	*minor = 0;
	if (!py)
		return NULL;
	py->flame = flame;
	py->memory = *memory;
	py->runtime = address_of(vm, "_PyRuntime");
	*minor = read_release(py, vm);
	if (*minor && find_layout(py, *minor))
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
	for (size_t i = 0; i < FL_COUNT(py->walks); i++) {
		fl_free(py->walks[i].runs);
		fl_free(py->walks[i].walked.frames);
		fl_free(py->walks[i].walked.addresses);
	}
	fl_free(py->merged.frames);
	fl_free(py->merged.addresses);
	fl_free(py);
}

/* Threads ----------------------------------------------------------------- */

static bool is_old(const struct fl_cpython *py)
{
	return py->layout.minor <= NEWEST_OLD;
}

static uint64_t number_of(const struct fl_cpython *py, uint64_t thread)
{
	uint64_t id = word_at(py, thread + py->layout.native_id);
	int32_t tid = 0;

	if (!is_old(py))
		return id;
	/* glibc's begins as the ABI says: the third word is its own address. */
	if (!id || !read_at(py, id + (word_at(py, id + 16) == id ?
				      GLIBC_TID : MUSL_TID), &tid, sizeof(tid)))
		return 0;
	return tid > 0 ? (uint64_t)tid : 0;
}

static void find_threads(struct fl_cpython *py)
{
	const struct layout *l = &py->layout;
	uint64_t interpreter = word_at(py, py->runtime + l->interpreters);
	unsigned n = 0;

	fl_map_clear(&py->threads);
	for (unsigned i = 0; interpreter && i < MAX_INTERPRETERS; i++) {
		uint64_t thread = word_at(py, interpreter + l->threads);

		for (; thread && n < MAX_THREADS; n++) {
			uint64_t *place = fl_map_put(&py->threads,
				number_of(py, thread), NULL);

			if (!place)
				return;
			*place = thread;
			thread = word_at(py, thread + l->next_thread);
		}
		interpreter = word_at(py, interpreter + l->next_interpreter);
	}
}

/* The PyThreadState of a thread; 0: it has none. */
static uint64_t thread_of(struct fl_cpython *py, pid_t tid)
{
	const uint64_t *place = fl_map_get(&py->threads, (uint64_t)tid);

	if (place && number_of(py, *place) == (uint64_t)tid)
		return *place;
	find_threads(py);
	place = fl_map_get(&py->threads, (uint64_t)tid);
	return place ? *place : 0;
}

/* Names -------------------------------------------------------------------- */

/* A str: ASCII, or characters of 1, 2 or 4 bytes. */
static bool put_text(struct fl_cpython *py, uint64_t at)
{
	uint64_t size = word_at(py, at + py->layout.length);
	uint8_t bytes[MAX_TEXT];
	uint32_t state = 0, kind;
	bool ascii;

	if (!at || !size || !read_at(py, at + py->layout.state, &state, 4))
		return false;
	kind = state >> 2 & 7;
	ascii = state >> 6 & 1;
	if ((kind != 1 && kind != 2 && kind != 4) || !(state >> 5 & 1))
		return false;
	size = FL_MIN(size, (uint64_t)MAX_TEXT / kind);
	if (!read_at(py, at + (ascii ? py->layout.ascii_size :
			       py->layout.unicode_size), bytes, size * kind))
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

	/* From the file's name to the (qualified) one. */
	if (!at || !read_at(py, at + py->layout.file_name, names,
			    sizeof(names)))
		return 0;
	if (py->nnames == MAX_CODES) {
		py->nnames = 0;
		fl_map_clear(&py->codes);
	}
	if (!fl_grow(&py->names, &py->capacity, py->nnames + 1,
		     sizeof(*py->names)))
		return 0;
	place = fl_map_put(&py->codes, at, &fresh);
	if (!place)
		return 0;
	if (fresh) {
		memset(&py->names[py->nnames], 0, sizeof(*py->names));
		*place = py->nnames++;
	}
	code = &py->names[*place];
	if (is_old(py))
		names[2] = names[1];
	if (code->file != names[0] || code->name != names[2]) {
		*code = (struct code){ names[2], names[0], 0 };
		code->frame = read_code(py, code);
	}
	return code->frame;
}

/* Frames ------------------------------------------------------------------- */

static void push(struct fl_cpython *py, struct fl_unwinder *to,
		 flame_id frame, uint64_t address)
{
	if (!fl_grow(&to->frames, &to->frames_capacity, to->nframes + 1,
		     sizeof(*to->frames)) ||
	    !fl_grow(&to->addresses, &to->addresses_capacity, to->nframes + 1,
		     sizeof(*to->addresses))) {
		fl_no_memory(py->flame);
		return;
	}
	to->frames[to->nframes] = frame;
	to->addresses[to->nframes++] = address;
}

static bool begin_run(struct fl_cpython *py, struct walk *w)
{
	if (!fl_grow(&w->runs, &w->runs_capacity, w->nruns + 1,
		     sizeof(*w->runs))) {
		fl_no_memory(py->flame);
		return false;
	}
	w->runs[w->nruns++] =
		(struct run){ w->walked.nframes, w->walked.nframes };
	return true;
}

static bool is_generator(const struct fl_cpython *py, const uint8_t *frame)
{
	uint64_t generator;

	if (!is_old(py))
		return frame[py->layout.owner] == OWNED_BY_GENERATOR;
	memcpy(&generator, frame + py->layout.owner, 8);
	return generator;
}

/* Whether the loop was entered with this frame. */
static bool is_entry(const struct fl_cpython *py, const uint8_t *frame)
{
	const struct layout *l = &py->layout;

	return is_old(py) || (l->is_entry ? frame[l->is_entry] :
					    frame[l->owner] >= OWNED_BY_C);
}

/*
 * Reads the frames from the innermost on.  A run is what one call of the loop
 * executes: it ends at the frame with which the loop was entered.  Whether the
 * outermost frame was reached.
 */
static bool walk(struct fl_cpython *py, struct walk *w, uint64_t at)
{
	const struct layout *l = &py->layout;
	uint8_t frame[FRAME_SIZE];
	bool entry = true, generator = false;

	w->walked.nframes = w->nruns = 0;
	for (unsigned n = 0; at && n < MAX_PYTHON_FRAMES; n++) {
		uint64_t code;
		flame_id id;

		if (!read_at(py, at, frame, sizeof(frame)) ||
		    (entry && !begin_run(py, w)))
			return false;
		memcpy(&code, frame + l->code, 8);
		memcpy(&at, frame + l->previous, 8);
		generator = is_generator(py, frame);
		entry = is_entry(py, frame);
		if (!is_old(py) && !l->is_entry && entry)
			continue;
		id = code_frame(py, code & ~UINT64_C(7)); /* 3.14 has tags */
		if (id)
			push(py, &w->walked, id, 0);
		w->runs[w->nruns - 1].end = w->walked.nframes;
	}
	w->cut = at;
	/* One that has just been left has no caller: it is not the first. */
	return !at && !generator;
}

static bool starts(struct flame *flame, flame_id frame, const char *text)
{
	const struct flame_frame *f = flame_frame_of(flame, frame);

	return strncmp(flame_name_text(flame, f->name, NULL), text,
		       strlen(text)) == 0;
}

static bool is_loop(const struct fl_cpython *py, flame_id frame)
{
	return starts(py->flame, frame, "_PyEval_EvalFrameDefault");
}

/* The frame moves while the thread runs: two equal reads are consistent. */
static uint64_t first_frame(struct fl_cpython *py, pid_t tid)
{
	enum { TRIES = 4 };
	const struct layout *l = &py->layout;
	uint64_t thread = thread_of(py, tid), holder, at = 0;

	for (unsigned i = 0; thread && i < TRIES; i++) {
		holder = l->cframe ? word_at(py, thread + l->cframe) : thread;
		at = holder ? word_at(py, holder + l->current) : 0;
		if (at && (!l->cframe ||
			   word_at(py, thread + l->cframe) == holder))
			return at;
	}
	return at;
}

/*
 * The run of the loop that is `loop` frames from the leaf, of `loops`.  Outer
 * ones are the same still, while inner ones may have ended or begun after the
 * sample: they are counted from the outermost one if both ends were reached.
 */
static const struct run *run_of(const struct walk *w, size_t loop,
				size_t loops, bool from_root)
{
	size_t nruns = w->nruns;

	/* A thread's base, that no loop has entered. */
	while (from_root && nruns > loops &&
	       w->runs[nruns - 1].begin == w->runs[nruns - 1].end)
		nruns--;
	if (from_root && loop + nruns < loops)
		return NULL;
	if (from_root)
		loop = loop + nruns - loops;
	return loop < nruns && w->runs[loop].begin < w->runs[loop].end ?
	       &w->runs[loop] : NULL;
}

/* python -X perf has the same frames in its perf map, or not yet. */
static bool is_double(const struct fl_cpython *py, const struct fl_unwinder *u,
		      size_t i)
{
	return starts(py->flame, u->frames[i], "py::") ||
	       (i && starts(py->flame, u->frames[i], "[unknown]") &&
		is_loop(py, u->frames[i - 1]));
}

/* Reads all frames; while the thread runs they come and go. */
static void walk_thread(struct fl_cpython *py, struct walk *w, pid_t tid)
{
	enum { MAX_WALKS = 3 };
	uint64_t at = 0;

	w->complete = w->cut = false;
	w->nruns = w->walked.nframes = 0;
	for (unsigned tries = 0; !w->complete && !w->cut && tries < MAX_WALKS;
	     tries++) {
		at = first_frame(py, tid);
		if (!at)
			return;
		w->complete = walk(py, w, at);
	}
}

void fl_cpython_read(struct fl_cpython *py, pid_t tid, uint64_t key)
{
	struct walk *w = &py->walks[py->next];

	py->next = (py->next + 1) % PENDING_SAMPLES;
	w->key = key;
	walk_thread(py, w, tid);
}

static struct walk *walk_for(struct fl_cpython *py, pid_t tid, uint64_t key)
{
	struct walk *now = &py->walks[PENDING_SAMPLES];

	for (size_t i = 0; key && i < PENDING_SAMPLES; i++)
		if (py->walks[i].key == key)
			return &py->walks[i];
	walk_thread(py, now, tid);
	return now;
}

bool fl_cpython_merge(struct fl_cpython *py, struct fl_unwinder *u, pid_t tid,
		      uint64_t key, bool whole)
{
	struct fl_unwinder *m = &py->merged;
	size_t loops = 0, loop = 0;
	const struct walk *w;

	for (size_t i = 0; i < u->nframes; i++)
		loops += is_loop(py, u->frames[i]);
	w = loops ? walk_for(py, tid, key) : NULL;
	if (!w || !w->nruns)
		return true;
	whole &= w->complete;
	m->nframes = 0;
	for (size_t i = 0; i < u->nframes; i++) {
		const struct run *run = NULL;

		if (is_double(py, u, i))
			continue;
		if (is_loop(py, u->frames[i]))
			run = run_of(w, loop++, loops, whole);
		if (!run)
			push(py, m, u->frames[i], u->addresses[i]);
		for (size_t k = run ? run->begin : 0; run && k < run->end; k++)
			push(py, m, w->walked.frames[k], 0);
	}
	u->nframes = 0;
	for (size_t i = 0; i < m->nframes; i++)
		fl_unwind_push(u, m->frames[i], m->addresses[i]);
	return !w->cut;
}
