/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPython that is read from outside, as the parts of cpython.c see it:
 *
 *	cpython.c		threads, and the frames that they have now
 *	cpython_code.c		names of functions
 *	cpython_lines.c		lines of them
 *	cpython_loop.c		the part of the loop without a symbol
 *	cpython_merge.c		which frames are of the sample's moment, and
 *				where in its stack
 */
#ifndef FL_SAMPLE_CPYTHON_H
#define FL_SAMPLE_CPYTHON_H

#include "sample/sample.h"

enum {
	FL_PY_FRAME_SIZE = 112,
	FL_PY_PAGE = 4096,
	FL_PY_PENDING = 64,	/* samples whose frames are stored */
	FL_PY_MAX_CODES = 1 << 20,
	FL_PY_NEWEST_OLD = 10,
	FL_PY_OWNED_BY_GENERATOR = 1
};

/* Offsets, of each in what precedes it here. */
struct fl_py_layout {
	unsigned minor;
	unsigned interpreters, next_interpreter, threads;
	unsigned cframe;	/* of a thread; 0: it has the frame itself */
	unsigned next_thread, current, native_id;	/* old: a pthread_t */
	unsigned previous, code, owner, is_entry;	/* old: owner is the
							   generator */
	unsigned file_name;	/* of a code object; two words before its
				   qualified name; old: before its name */
	unsigned state, length, ascii_size, unicode_size;
	unsigned last;		/* of a frame: the instruction that runs; old:
				   its index */
	unsigned first_line, lines;	/* of a code object */
	unsigned instructions;	/* of a code object; old: the object of them */
};

struct fl_cpython {
	struct flame *flame;
	struct fl_memory memory;
	struct fl_py_layout layout;
	uint64_t runtime;
	struct fl_map threads;	/* tid -> PyThreadState */
	int64_t next_list;	/* when they may be listed again; ns */
	struct fl_map codes;	/* code object -> place in names */
	struct fl_py_code {
		uint64_t at, name, file, lines;
		uint64_t begin, end;	/* of its instructions */
		flame_id frame;
		int32_t first_line;
		uint8_t *table;		/* of lines; or NULL */
		size_t table_size;
	} *names;
	size_t nnames, capacity;
	struct fl_buf buf;
	struct fl_py_walk {
		uint64_t key;
		bool complete;	/* down to the outermost frame */
		bool cut;	/* there are more frames */
		bool none;	/* the thread runs no Python */
		uint64_t *marks;	/* of walked frames */
		uint64_t *places;	/* of them */
		size_t marks_capacity, places_capacity;
		size_t shared;	/* outermost ones that were there before */
		struct fl_unwinder walked;	/* frames and addresses alone */
		struct fl_py_run {
			size_t begin, end;
		} *runs;	/* of walked, from the leaf on */
		size_t nruns, runs_capacity;
	} walks[FL_PY_PENDING + 1];	/* the last one: of now */
	unsigned next;			/* of walks to be overwritten */
	struct fl_unwinder merged;
	struct fl_py_past {
		pid_t tid;	/* 0: none */
		uint64_t *marks;
		size_t n, capacity;
	} past[64];		/* the last reading of a thread */
	/*
	 * Where the loop has its instruction pointer, in what struct fl_kept
	 * has: how often one was found there, and one of another function
	 * there while it was in another place; for loops that call and that
	 * run, and for the places in it that call.
	 */
	struct fl_py_habit {
		unsigned tries, found[FL_KEPT], other[FL_KEPT];
	} habits[2], *sites;
	size_t nsites, sites_capacity;
	struct fl_map site_of;	/* return address -> place in sites */
	struct fl_map callers;	/* (function, one that it was called below) */
	uint8_t *kinds;		/* of frames; 0: not known yet */
	size_t kinds_capacity;
	flame_id gone;		/* the frame "[frame gone]" */
	uint64_t code_type;	/* of code objects, as they were met */
	uint64_t entry_code;	/* what the loop executes when it has no
				   function yet, or none any more; or 0 */
	uint64_t *places;	/* of frames, the innermost one first */
	uint8_t *copies;	/* of them */
	size_t places_capacity, copies_capacity;
	struct fl_py_page {	/* read last, up to a frame's end */
		uint64_t begin;
		size_t size;
		unsigned reads;		/* of this walk */
		uint8_t data[FL_PY_PAGE + FL_PY_FRAME_SIZE];
	} page;
	bool lines;		/* names have them */
};

static inline bool fl_py_read(const struct fl_cpython *py, uint64_t at,
			      void *to, size_t size)
{
	return py->memory.read(py->memory.arg, at, to, size);
}

static inline uint64_t fl_py_word(const struct fl_cpython *py, uint64_t at)
{
	uint64_t n = 0;

	return fl_py_read(py, at, &n, sizeof(n)) ? n : 0;
}

static inline bool fl_py_is_old(const struct fl_cpython *py)
{
	return py->layout.minor <= FL_PY_NEWEST_OLD;
}

/* An instruction pointer may be after the last one. */
static inline bool fl_py_is_within(const struct fl_py_code *code, uint64_t at)
{
	return at >= code->begin && at <= code->end && at;
}

/* cpython.c */
void fl_py_push(struct fl_cpython *py, struct fl_unwinder *to, flame_id frame,
		uint64_t address);
/* Reads a thread's frames of this moment. */
void fl_py_walk_thread(struct fl_cpython *py, struct fl_py_walk *walk,
		       pid_t tid);

/* cpython_code.c */
/* The function of a code object; NULL: it is none. */
struct fl_py_code *fl_py_code(struct fl_cpython *py, uint64_t at);
/* frame: as it was read.  0: no name is known. */
flame_id fl_py_frame(struct fl_cpython *py, uint64_t at, const uint8_t *frame);
/* The same of a function that executes this instruction. */
flame_id fl_py_frame_at(struct fl_cpython *py, struct fl_py_code *code,
			uint64_t instruction);
void fl_py_forget_codes(struct fl_cpython *py);
bool fl_py_is_code(const struct fl_cpython *py, uint64_t at);
/*
 * The function, of those that were never met before, that has this instruction;
 * NULL: none.
 */
struct fl_py_code *fl_py_find_code(struct fl_cpython *py, uint64_t instruction);

/* cpython_lines.c */
/*
 * The line of the instruction with this index (up to 3.9 its byte), by the
 * table of a code object whose first line is `first`; 0: it has none.
 */
uint32_t fl_cpython_line(unsigned minor, const uint8_t *table, size_t size,
			 int32_t first, int64_t index);

#endif
