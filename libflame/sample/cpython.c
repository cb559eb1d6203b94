/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Python frames of CPython, read from outside while it runs: fl_cpython_read(),
 * which record.c calls, copies the frames that a thread has now from the heap
 * of its process, and cpython_merge.c puts them into the stack of the sample.
 *
 * One native frame of the interpreter's loop corresponds to a run of Python's
 * frames.  They are read as soon as the kernel has written a sample, before it
 * is that sample's turn in order of time, so they are of that moment or of one
 * soon after it (see cpython_merge.c).  From 3.13 on the interpreter publishes
 * the offsets; those of 3.7 to 3.12 are tables here (made by offsetof with
 * their headers).  Other releases are reported, and not read.
 *
 * Up to 3.10 each frame is a call of the loop, and threads are known by their
 * pthread_t alone.
 */
#include "fl.h"

#include "sample/cpython.h"
#include "sample/proc.h"
#include "sample/virtual_machines.h"

#include <stdlib.h>

enum {
	MAX_THREADS = 10000, MAX_INTERPRETERS = 100, MAX_PYTHON_FRAMES = 1000,
	PAUSES = 20,		/* times the cost of a list of threads */
	OWNED_BY_C = 3,		/* and more: a frame that only marks an entry */
	GLIBC_TID = 720, MUSL_TID = 48	/* in what a pthread_t points to */
};

static const struct fl_py_layout layouts[] = {
	{ 7, 24, 0, 8, 0, 8, 24, 176, 24, 32, 96, 0, 96, 32, 16, 48, 72,
	  104, 36, 112, 40 },
	{ 8, 32, 0, 8, 0, 8, 24, 176, 24, 32, 96, 0, 104, 32, 16, 48, 72,
	  104, 40, 120, 48 },
	{ 10, 32, 0, 8, 0, 8, 24, 176, 24, 32, 88, 0, 104, 32, 16, 48, 72,
	  96, 40, 120, 48 },
	{ 11, 40, 0, 16, 56, 8, 8, 160, 48, 32, 69, 68, 112, 32, 16, 48, 72,
	  56, 72, 136, 184 },
	{ 12, 40, 0, 72, 56, 8, 0, 144, 8, 0, 70, 0, 112, 32, 16, 40, 56,
	  56, 68, 136, 192 },
};

/*
 * The block of offsets at the beginning of _PyRuntime, in words: "xdebugpy",
 * the version, whether it has no global lock, then the offsets.  Later releases
 * have more of them between those that older ones have.
 */
enum { BLOCK_COOKIE, BLOCK_VERSION, BLOCK_FREE_THREADED, BLOCK_WORDS = 93 };

static const struct block {
	unsigned minor;
	uint8_t interpreters, next_interpreter, threads, next_thread, current,
		native_id, previous, code, last, owner, file_name,
		qualified_name, lines, first_line, instructions, state,
		length, ascii_size;
} blocks[] = {
	{ 13, 5, 8, 9, 21, 23, 25, 29, 30, 31, 33, 35, 37, 38, 39, 43,
	  68, 69, 70 },
	{ 14, 5, 8, 9, 24, 26, 28, 32, 33, 34, 36, 40, 42, 43, 44, 48,
	  78, 79, 80 },
	{ 15, 5, 8, 9, 24, 26, 31, 40, 41, 42, 44, 48, 50, 51, 52, 56,
	  90, 91, 92 },
};

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
	struct fl_py_layout *l = &py->layout;
	bool good = true;

	if (!fl_py_read(py, py->runtime, words, sizeof(words)) ||
	    memcmp(words, "xdebugpy", 8) != 0 ||
	    words[BLOCK_VERSION] >> 16 != (0x300 | b->minor) ||
	    words[BLOCK_FREE_THREADED] ||
	    words[b->qualified_name] != words[b->file_name] + 16)
		return false;
	*l = (struct fl_py_layout){ .minor = b->minor };
	l->interpreters = offset_at(words, b->interpreters, &good);
	l->next_interpreter = offset_at(words, b->next_interpreter, &good);
	l->threads = offset_at(words, b->threads, &good);
	l->next_thread = offset_at(words, b->next_thread, &good);
	l->current = offset_at(words, b->current, &good);
	l->native_id = offset_at(words, b->native_id, &good);
	l->previous = offset_at(words, b->previous, &good);
	l->code = offset_at(words, b->code, &good);
	l->last = offset_at(words, b->last, &good);
	l->owner = offset_at(words, b->owner, &good);
	l->file_name = offset_at(words, b->file_name, &good);
	l->lines = offset_at(words, b->lines, &good);
	l->first_line = offset_at(words, b->first_line, &good);
	l->instructions = offset_at(words, b->instructions, &good);
	l->state = offset_at(words, b->state, &good);
	l->length = offset_at(words, b->length, &good);
	l->ascii_size = offset_at(words, b->ascii_size, &good);
	/* Others have their text in UTF-8 besides: its size, and where. */
	l->unicode_size = l->ascii_size + 16;
	return good && l->previous <= FL_PY_FRAME_SIZE - 8 &&
	       l->code <= FL_PY_FRAME_SIZE - 8 &&
	       l->last <= FL_PY_FRAME_SIZE - 8 &&
	       l->owner < FL_PY_FRAME_SIZE;
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

/* Up to 3.10 none names its release: by functions that were new in one. */
static unsigned read_release(const struct fl_cpython *py,
			     const struct fl_vm_symbols *vm)
{
	uint64_t at = address_of(vm, "Py_Version");
	/* 0x030c01f0 is 3.12.1. */
	uint64_t version = at ? fl_py_word(py, at) : 0;

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

void fl_cpython_show_lines(struct fl_cpython *py)
{
	py->lines = true;
}

void fl_cpython_free(struct fl_cpython *py)
{
	if (!py)
		return;
	fl_py_forget_codes(py);
	fl_map_free(&py->threads);
	fl_map_free(&py->callers);
	fl_map_free(&py->site_of);
	fl_free(py->sites);
	fl_map_free(&py->codes);
	fl_free(py->names);
	fl_buf_free(&py->buf);
	for (size_t i = 0; i < FL_COUNT(py->walks); i++) {
		fl_free(py->walks[i].runs);
		fl_free(py->walks[i].marks);
		fl_free(py->walks[i].places);
		fl_free(py->walks[i].walked.frames);
		fl_free(py->walks[i].walked.addresses);
	}
	for (size_t i = 0; i < FL_COUNT(py->past); i++)
		fl_free(py->past[i].marks);
	fl_free(py->kinds);
	fl_free(py->places);
	fl_free(py->copies);
	fl_free(py->merged.frames);
	fl_free(py->merged.addresses);
	fl_free(py);
}

/* Threads ----------------------------------------------------------------- */

static uint64_t number_of(const struct fl_cpython *py, uint64_t thread)
{
	uint64_t id = fl_py_word(py, thread + py->layout.native_id);
	int32_t tid = 0;

	if (!fl_py_is_old(py))
		return id;
	/* glibc's begins as the ABI says: the third word is its own address. */
	if (!id || !fl_py_read(py, id + (fl_py_word(py, id + 16) == id ?
				      GLIBC_TID : MUSL_TID), &tid, sizeof(tid)))
		return 0;
	return tid > 0 ? (uint64_t)tid : 0;
}

static void find_threads(struct fl_cpython *py)
{
	const struct fl_py_layout *l = &py->layout;
	uint64_t interpreter = fl_py_word(py, py->runtime + l->interpreters);
	unsigned n = 0;

	fl_map_clear(&py->threads);
	for (unsigned i = 0; interpreter && i < MAX_INTERPRETERS; i++) {
		uint64_t thread = fl_py_word(py, interpreter + l->threads);

		for (; thread && n < MAX_THREADS; n++) {
			uint64_t number = number_of(py, thread), *place;
			bool fresh;

			place = fl_map_put(&py->threads, number, &fresh);
			/* A list that comes back has no end. */
			if (!place || (number && !fresh))
				return;
			*place = thread;
			thread = fl_py_word(py, thread + l->next_thread);
		}
		interpreter = fl_py_word(py, interpreter + l->next_interpreter);
	}
}

/* The PyThreadState of a thread; 0: it has none. */
static uint64_t thread_of(struct fl_cpython *py, pid_t tid)
{
	const uint64_t *place = fl_map_get(&py->threads, (uint64_t)tid);
	int64_t begin;

	if (place && number_of(py, *place) == (uint64_t)tid)
		return *place;
	begin = fl_now();
	if (begin < py->next_list)
		return 0;
	find_threads(py);
	/* Lists may be long, and a thread need not be in them. */
	py->next_list = fl_now() + PAUSES * (fl_now() - begin);
	place = fl_map_get(&py->threads, (uint64_t)tid);
	return place ? *place : 0;
}

/* Frames ------------------------------------------------------------------- */

void fl_py_push(struct fl_cpython *py, struct fl_unwinder *to,
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

static bool begin_run(struct fl_cpython *py, struct fl_py_walk *w)
{
	if (!fl_grow(&w->runs, &w->runs_capacity, w->nruns + 1,
		     sizeof(*w->runs))) {
		fl_no_memory(py->flame);
		return false;
	}
	w->runs[w->nruns++] =
		(struct fl_py_run){ w->walked.nframes, w->walked.nframes };
	return true;
}

static bool is_generator(const struct fl_cpython *py, const uint8_t *frame)
{
	uint64_t generator;

	if (!fl_py_is_old(py))
		return frame[py->layout.owner] == FL_PY_OWNED_BY_GENERATOR;
	memcpy(&generator, frame + py->layout.owner, 8);
	return generator;
}

/* Whether the loop was entered with this frame. */
static bool is_entry(const struct fl_cpython *py, const uint8_t *frame)
{
	const struct fl_py_layout *l = &py->layout;

	return fl_py_is_old(py) || (l->is_entry ? frame[l->is_entry] :
					    frame[l->owner] >= OWNED_BY_C);
}

/* The frame moves while the thread runs: two equal reads are consistent. */
static uint64_t first_frame(struct fl_cpython *py, pid_t tid)
{
	enum { TRIES = 4 };
	const struct fl_py_layout *l = &py->layout;
	uint64_t thread = thread_of(py, tid), holder, at = 0;

	for (unsigned i = 0; thread && i < TRIES; i++) {
		holder = l->cframe ? fl_py_word(py, thread + l->cframe) :
				     thread;
		at = holder ? fl_py_word(py, holder + l->current) : 0;
		if (at && (!l->cframe ||
			   fl_py_word(py, thread + l->cframe) == holder))
			return at;
	}
	return at;
}

/*
 * The bytes of a frame; NULL: not readable.  Its callers are before it in the
 * same chunk, so the page is read from its beginning on: most stacks are one
 * system call.
 */
static const uint8_t *frame_bytes(struct fl_cpython *py, uint64_t at)
{
	struct fl_py_page *page = &py->page;
	size_t before = (size_t)(at & (FL_PY_PAGE - 1));

	if (at >= page->begin && at - page->begin < page->size &&
	    page->size - (at - page->begin) >= FL_PY_FRAME_SIZE)
		return page->data + (at - page->begin);
	page->reads++;
	page->size = before + FL_PY_FRAME_SIZE;
	page->begin = at - before;
	if (fl_py_read(py, page->begin, page->data, page->size))
		return page->data + before;
	page->size = FL_PY_FRAME_SIZE;
	page->begin = at;
	if (fl_py_read(py, at, page->data, page->size))
		return page->data;
	page->size = 0;
	return NULL;
}

/* Copies frames from the innermost on; how many.  *rest: of the next one. */
static size_t copy_frames(struct fl_cpython *py, uint64_t at, uint64_t *rest)
{
	size_t n = 0;

	py->page.size = py->page.reads = 0;
	for (; at && n < MAX_PYTHON_FRAMES; n++) {
		const uint8_t *bytes = frame_bytes(py, at);

		if (!bytes ||
		    !fl_grow(&py->copies, &py->copies_capacity, n + 1,
			     FL_PY_FRAME_SIZE) ||
		    !fl_grow(&py->places, &py->places_capacity, n + 1,
			     sizeof(*py->places)))
			return 0;
		memcpy(py->copies + n * FL_PY_FRAME_SIZE, bytes,
		       FL_PY_FRAME_SIZE);
		py->places[n] = at;
		memcpy(&at, bytes + py->layout.previous, 8);
	}
	*rest = at;
	return n;
}

static bool is_same_frame(const struct fl_cpython *py, const uint8_t *a,
			  const uint8_t *b)
{
	const struct fl_py_layout *l = &py->layout;

	return memcmp(a + l->previous, b + l->previous, 8) == 0 &&
	       memcmp(a + l->code, b + l->code, 8) == 0 &&
	       is_entry(py, a) == is_entry(py, b);
}

/*
 * Copies the same frames again, if they were read in several parts while the
 * thread ran: if they still follow each other, all are of the moment between.
 */
static bool copy_again(struct fl_cpython *py, size_t n)
{
	if (py->page.reads == 1)
		return true;
	py->page.size = 0;
	for (size_t i = 0; i < n; i++) {
		uint8_t *copy = py->copies + i * FL_PY_FRAME_SIZE;
		const uint8_t *bytes = frame_bytes(py, py->places[i]);

		if (!bytes || !is_same_frame(py, copy, bytes))
			return false;
		memcpy(copy, bytes, FL_PY_FRAME_SIZE);
	}
	return true;
}

/* A mark distinguishes frames, functions, and what they execute. */
static void push_marked(struct fl_cpython *py, struct fl_py_walk *w,
			flame_id id, uint64_t code, size_t i)
{
	uint64_t last = 0;

	memcpy(&last, py->copies + i * FL_PY_FRAME_SIZE + py->layout.last,
	       fl_py_is_old(py) ? 4 : 8);
	if (!fl_grow(&w->marks, &w->marks_capacity, w->walked.nframes + 1,
		     sizeof(*w->marks)) ||
	    !fl_grow(&w->places, &w->places_capacity, w->walked.nframes + 1,
		     sizeof(*w->places))) {
		fl_no_memory(py->flame);
		return;
	}
	w->marks[w->walked.nframes] =
		fl_hash_pair(fl_hash_pair(py->places[i], code), last);
	w->places[w->walked.nframes] = py->places[i];
	fl_py_push(py, &w->walked, id, code);
}

/* How many of the outermost frames the thread had when it was read before. */
static void compare_with_past(struct fl_cpython *py, struct fl_py_walk *w,
			      pid_t tid)
{
	struct fl_py_past *past = &py->past[(unsigned)tid % FL_COUNT(py->past)];
	size_t n = w->walked.nframes;

	w->shared = 0;
	while (past->tid == tid && w->shared < FL_MIN(n, past->n) &&
	       w->marks[n - 1 - w->shared] ==
	       past->marks[past->n - 1 - w->shared])
		w->shared++;
	past->tid = 0;
	if (!n || !fl_grow(&past->marks, &past->capacity, n,
			   sizeof(*past->marks)))
		return;
	memcpy(past->marks, w->marks, n * sizeof(*w->marks));
	past->n = n;
	past->tid = tid;
}

/*
 * Reads the frames from the innermost on.  A run is what one call of the loop
 * executes: it ends at the frame with which the loop was entered.  Whether the
 * outermost frame was reached.
 */
static bool walk(struct fl_cpython *py, struct fl_py_walk *w, pid_t tid)
{
	const struct fl_py_layout *l = &py->layout;
	uint64_t at = first_frame(py, tid), rest = 0;
	size_t n = at ? copy_frames(py, at, &rest) : 0;
	bool entry = true, generator = false;

	w->walked.nframes = w->nruns = 0;
	w->none = !at;
	if (!n || !copy_again(py, n) || first_frame(py, tid) != at)
		return false;
	for (size_t i = 0; i < n; i++) {
		const uint8_t *frame = py->copies + i * FL_PY_FRAME_SIZE;
		uint64_t code;
		flame_id id;

		if (entry && !begin_run(py, w))
			return false;
		memcpy(&code, frame + l->code, 8);
		generator = is_generator(py, frame);
		entry = is_entry(py, frame);
		if (!fl_py_is_old(py) && !l->is_entry && entry) {
			memcpy(&py->entry_code, frame + l->last, 8);
			continue;
		}
		/* 3.14 has tags */
		id = fl_py_frame(py, code & ~UINT64_C(7), frame);
		if (id && !py->code_type)
			py->code_type = fl_py_word(py, (code & ~UINT64_C(7)) +
						       8);
		if (id)
			push_marked(py, w, id, code & ~UINT64_C(7), i);
		w->runs[w->nruns - 1].end = w->walked.nframes;
	}
	w->cut = rest;
	/* One that has just been left has no caller: it is not the first. */
	return !rest && !generator;
}

/* Reads all frames; while the thread runs they come and go. */
void fl_py_walk_thread(struct fl_cpython *py, struct fl_py_walk *w, pid_t tid)
{
	enum { MAX_WALKS = 6 };

	w->complete = w->cut = false;
	for (unsigned tries = 0; tries < MAX_WALKS; tries++) {
		w->complete = walk(py, w, tid);
		if (w->complete || w->cut || w->none)
			break;
	}
	compare_with_past(py, w, tid);
}

void fl_cpython_read(struct fl_cpython *py, pid_t tid, uint64_t key)
{
	struct fl_py_walk *w = &py->walks[py->next];

	py->next = (py->next + 1) % FL_PY_PENDING;
	w->key = key;
	fl_py_walk_thread(py, w, tid);
}
