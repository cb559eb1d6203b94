/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fl_cpython_merge() puts Python's frames into the stack of a sample, for
 * record.c: each call of the interpreter's loop is replaced by the frames that
 * it executed.
 *
 * They were read after the sample (cpython.c).  The instruction that the loop
 * executed, in its registers or on its stack, shows which of them are of that
 * moment.
 */
#include "fl.h"

#include "sample/cpython.h"
#include "sample/virtual_machines.h"

#include <stdlib.h>

enum { KNOWN = 1, LOOP = 2, FROM_MAP = 4, UNNAMED = 8 };	/* of a frame */

bool fl_is_python_loop(const char *name)
{
	/* Its stub runs before it. */
	return strncmp(name, "_PyEval_EvalFrameDefault", 24) == 0 &&
	       name[24] != '@';
}

static unsigned kind_of_name(const char *name)
{
	return KNOWN | (fl_is_python_loop(name) ? LOOP : 0) |
	       (strncmp(name, "py::", 4) == 0 ? FROM_MAP : 0) |
	       (strncmp(name, "[unknown]", 9) == 0 ? UNNAMED : 0);
}

/* Each is asked for in each sample. */
static unsigned kind_of(struct fl_cpython *py, flame_id frame)
{
	const struct flame_frame *f = flame_frame_of(py->flame, frame);
	bool fits = fl_grow_zeroed(&py->kinds, &py->kinds_capacity,
				   (size_t)frame + 1, sizeof(*py->kinds));
	unsigned kind = fits ? py->kinds[frame] : 0;

	if (!kind)
		kind = kind_of_name(flame_name_text(py->flame, f->name, NULL));
	if (fits)
		py->kinds[frame] = (uint8_t)kind;
	return kind;
}

static bool is_loop(struct fl_cpython *py, flame_id frame)
{
	return kind_of(py, frame) & LOOP;
}

/*
 * The run of the loop that is `loop` frames from the leaf, of `loops`.  Outer
 * ones are the same still, while inner ones may have ended or begun after the
 * sample: they are counted from the outermost one if both ends were reached.
 */
static const struct fl_py_run *run_of(const struct fl_py_walk *w, size_t loop,
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
static bool is_double(struct fl_cpython *py, const struct fl_unwinder *u,
		      size_t i)
{
	unsigned kind = kind_of(py, u->frames[i]);

	return kind & FROM_MAP || (kind & UNNAMED && i &&
				   is_loop(py, u->frames[i - 1]));
}

static struct fl_py_walk *walk_for(struct fl_cpython *py, pid_t tid,
				   uint64_t key)
{
	struct fl_py_walk *now = &py->walks[FL_PY_PENDING];

	for (size_t i = 0; key && i < FL_PY_PENDING; i++)
		if (py->walks[i].key == key)
			return &py->walks[i];
	fl_py_walk_thread(py, now, tid);
	return now;
}

/* What the loop was executing --------------------------------------------- */

static const struct fl_kept *kept_of(const struct fl_unwinder *u, size_t frame)
{
	for (size_t i = 0; i < u->nkept; i++)
		if (u->kept[i].frame == frame)
			return &u->kept[i];
	return NULL;
}

static struct fl_py_code *known_code(struct fl_cpython *py, uint64_t at)
{
	const uint64_t *place = fl_map_get(&py->codes, at);

	return place ? &py->names[*place] : NULL;
}

/* The function that has this instruction; NULL: none, or several (3.10). */
static struct fl_py_code *code_with(struct fl_cpython *py, uint64_t at)
{
	uint64_t found = 0;

	for (size_t i = 0; i < py->nnames; i++) {
		if (!fl_py_is_within(&py->names[i], at))
			continue;
		if (found)
			return NULL;
		found = py->names[i].at;
	}
	return found ? fl_py_code(py, found) : NULL;
}

/*
 * Whether a place has the instruction pointer often, and hardly ever one of
 * another function, as one that is left from before would be.
 */
static bool is_good(const struct fl_py_habit *habit, size_t i)
{
	return habit->found[i] > habit->tries / 16 &&
	       habit->other[i] <= habit->found[i] / 64;
}

/*
 * Learns where the instruction pointer is while the function is `code`.  If no
 * place has it, the function may be another one.
 */
static void learn(struct fl_cpython *py, struct fl_py_habit *habit,
		  const struct fl_kept *saved, const struct fl_py_code *code)
{
	enum { MAX_TRIES = 4096 };
	bool within[FL_KEPT], any = false;

	for (size_t i = 0; i < FL_KEPT; i++) {
		within[i] = fl_py_is_within(code, saved->value[i]);
		habit->found[i] += within[i];
		any |= within[i] && is_good(habit, i);
	}
	for (size_t i = 0; any && i < FL_KEPT; i++)
		habit->other[i] += !within[i] &&
				   habit->found[i] > habit->tries / 16 &&
				   code_with(py, saved->value[i]);
	if (++habit->tries < MAX_TRIES)
		return;
	habit->tries /= 2;
	for (size_t i = 0; i < FL_KEPT; i++) {
		habit->found[i] /= 2;
		habit->other[i] /= 2;
	}
}

/* The good places, from the one that has it most often on; FL_KEPT: none. */
static size_t next_place(const struct fl_py_habit *habit, size_t last)
{
	size_t best = FL_KEPT;

	for (size_t i = 0; i < FL_KEPT; i++)
		if (is_good(habit, i) && i != last &&
		    (last == FL_KEPT || habit->found[i] < habit->found[last] ||
		     (habit->found[i] == habit->found[last] && i > last)) &&
		    (best == FL_KEPT || habit->found[i] > habit->found[best]))
			best = i;
	return best;
}

enum { UNKNOWN = 1, BETWEEN = 2 };	/* instead of an instruction */

/*
 * A register that has what the loop outside of this one had: this one has only
 * begun, and not set it.
 */
static bool is_of_outer(const struct fl_unwinder *u, const struct fl_kept *saved,
			size_t place)
{
	return saved->frame == 0 && place < FL_KEPT_REGS &&
	       saved + 1 < u->kept + u->nkept &&
	       saved[0].value[place] == saved[1].value[place];
}

/*
 * The instruction that the loop executed in the places that have it most often.
 * BETWEEN: the loop's own, before the function or after it.
 */
static uint64_t known_instruction(struct fl_cpython *py,
				  const struct fl_py_habit *habit,
				  const struct fl_unwinder *u,
				  const struct fl_kept *saved,
				  const struct fl_py_code *code)
{
	enum { ENTRY = 8 };	/* bytes before and after */
	size_t first = next_place(habit, FL_KEPT), i;

	for (i = first; i < FL_KEPT; i = next_place(habit, i)) {
		uint64_t at = saved->value[i];

		if (is_of_outer(u, saved, i))
			continue;
		if ((code && fl_py_is_within(code, at)) || code_with(py, at))
			return at;
	}
	for (i = first; i < FL_KEPT; i = next_place(habit, i)) {
		uint64_t at = saved->value[i];

		if (is_of_outer(u, saved, i))
			continue;
		if (py->entry_code && at + ENTRY - py->entry_code <= 2 * ENTRY)
			return BETWEEN;
		if (fl_py_find_code(py, at))
			return at;
	}
	return UNKNOWN;
}

/* The habit of a place of the loop that calls; NULL: there are too many. */
static struct fl_py_habit *site_of(struct fl_cpython *py, uint64_t address)
{
	enum { MAX_SITES = 2048 };
	uint64_t *place;
	bool fresh;

	if (py->nsites == MAX_SITES ||
	    !fl_grow(&py->sites, &py->sites_capacity, py->nsites + 1,
		     sizeof(*py->sites)))
		return NULL;
	place = fl_map_put(&py->site_of, address, &fresh);
	if (!place)
		return NULL;
	if (fresh) {
		memset(&py->sites[py->nsites], 0, sizeof(*py->sites));
		*place = py->nsites++;
	}
	return &py->sites[*place];
}

static bool knows(const struct fl_py_habit *habit)
{
	enum { MIN_TRIES = 8 };
	size_t i = next_place(habit, FL_KEPT);

	return habit->tries >= MIN_TRIES && i < FL_KEPT &&
	       habit->found[i] > habit->tries / 2;
}

/*
 * While the places are not known in any, if it is one of this function.  Each
 * call of the loop's may leave it elsewhere: site is that of this one, or NULL.
 */
static uint64_t instruction_of(struct fl_cpython *py,
			       const struct fl_py_habit *site,
			       const struct fl_py_habit *habit,
			       const struct fl_unwinder *u,
			       const struct fl_kept *saved,
			       const struct fl_py_code *code)
{
	if (site && knows(site))
		return known_instruction(py, site, u, saved, code);
	if (knows(habit))
		return known_instruction(py, habit, u, saved, code);
	for (size_t i = 0; code && i < FL_KEPT; i++)
		if (fl_py_is_within(code, saved->value[i]))
			return saved->value[i];
	return UNKNOWN;
}

/*
 * The function of the frame that a register points to.  That of a generator is
 * in the generator; another one may be overwritten by now: it has to be the
 * frame that was read.
 */
static flame_id frame_at(struct fl_cpython *py, const struct fl_py_walk *w,
			 const struct fl_py_run *run, uint64_t at)
{
	const struct fl_py_layout *l = &py->layout;
	uint8_t frame[FL_PY_FRAME_SIZE];
	uint64_t code;

	if (!at || at & 7 || !fl_py_read(py, at, frame, sizeof(frame)))
		return 0;
	memcpy(&code, frame + l->code, 8);
	code &= ~UINT64_C(7);
	if (!fl_py_is_code(py, code))
		return 0;
	if (frame[l->owner] != FL_PY_OWNED_BY_GENERATOR &&
	    !(run && run->end - run->begin == 1 &&
	      w->walked.addresses[run->begin] == code &&
	      w->places[run->begin] == at))
		return 0;
	return fl_py_frame(py, code, frame);
}

/*
 * Pushes the function of a loop that has only begun: there is no instruction
 * yet, but a register has the frame.
 */
static bool push_begun(struct fl_cpython *py, const struct fl_py_walk *w,
		       const struct fl_py_run *run, const struct fl_kept *saved)
{
	for (size_t i = 0; i < FL_KEPT_REGS && !fl_py_is_old(py); i++) {
		flame_id frame = frame_at(py, w, run, saved->value[i]);

		if (!frame)
			continue;
		fl_py_push(py, &py->merged, frame, 0);
		return true;
	}
	return false;
}

static flame_id gone(struct fl_cpython *py)
{
	if (!py->gone)
		py->gone = fl_frame(py->flame, fl_name(py->flame,
						       "[frame gone]"),
				    FLAME_UNKNOWN);
	return py->gone;
}

/* Remembers which functions a function was called below. */
static void note_callers(struct fl_cpython *py, const struct fl_py_walk *w,
			 const struct fl_py_run *run, size_t first)
{
	const uint64_t *codes = w->walked.addresses;

	if (py->callers.count > FL_PY_MAX_CODES)
		fl_map_clear(&py->callers);
	for (size_t k = first + 1; k < run->end; k++)
		fl_map_put(&py->callers, fl_hash_pair(codes[first], codes[k]),
			   NULL);
}

/*
 * Pushes a function that has ended before its frame was read, and a mark for
 * those of its callers that may have.  The first of the frames that stay: they
 * were there at the sample before, too, and called it at other times.
 */
static size_t push_ended(struct fl_cpython *py, const struct fl_py_walk *w,
			 const struct fl_py_run *run, uint64_t instruction)
{
	enum { UNSURE = 2 };	/* of frames that were there before */
	struct fl_py_code *code = code_with(py, instruction);
	const uint64_t *codes = w->walked.addresses;
	size_t first, end;

	fl_py_push(py, &py->merged, code && code->frame ?
		   fl_py_frame_at(py, code, instruction) : gone(py), 0);
	if (!run)
		return 0;
	if (code && code->frame)
		fl_py_push(py, &py->merged, gone(py), 0);
	first = w->walked.nframes - w->shared + (code ? 1 : UNSURE);
	first = FL_MIN(FL_MAX(first, run->begin), run->end);
	for (end = run->end; code && end > first &&
	     fl_map_get(&py->callers, fl_hash_pair(code->at, codes[end - 1]));)
		end--;
	return code ? end : first;
}

/*
 * Pushes the frames of a call of the loop.  They were read after the sample; the
 * loop's own registers and stack, which are of the sample's moment, have the
 * instruction that it executed.  If that is of the innermost frame, all count
 * as those of the sample; if of an outer one, the others have begun since.
 */
static void push_run(struct fl_cpython *py, struct fl_unwinder *u,
		     const struct fl_py_walk *w, const struct fl_py_run *run,
		     size_t i)
{
	const struct fl_kept *saved = kept_of(u, i);
	struct fl_py_habit *habit = &py->habits[i == 0];
	struct fl_py_habit *site = i ? site_of(py, u->addresses[i]) : NULL;
	size_t first = run ? run->begin : 0, end = run ? run->end : 0;
	const struct fl_py_code *code;
	uint64_t instruction = 0;

	code = run ? known_code(py, w->walked.addresses[first]) : NULL;
	if (saved && code)
		learn(py, habit, saved, code);
	if (saved && code && site)
		learn(py, site, saved, code);
	if (saved)
		instruction = instruction_of(py, site, habit, u, saved, code);
	if (instruction == UNKNOWN && i == 0 && push_begun(py, w, run, saved))
		return;
	if (instruction == BETWEEN || (!run && !instruction)) {
		fl_py_push(py, &py->merged, u->frames[i], u->addresses[i]);
		return;
	}
	while (instruction && first < end &&
	       !((code = known_code(py, w->walked.addresses[first])) &&
		 fl_py_is_within(code, instruction)))
		first++;
	if (instruction && first == end) {
		first = push_ended(py, w, run, instruction);
		u->gone = true;
	} else if (instruction) {
		note_callers(py, w, run, first);
	}
	for (; first < end; first++)
		fl_py_push(py, &py->merged, w->walked.frames[first], 0);
}

/* Native frames have addresses. */
static bool has_names(const struct fl_cpython *py, const struct fl_unwinder *m)
{
	for (size_t i = 0; i < m->nframes; i++)
		if (!m->addresses[i] && m->frames[i] != py->gone)
			return true;
	return false;
}

bool fl_cpython_merge(struct fl_cpython *py, struct fl_unwinder *u, pid_t tid,
		      uint64_t key, bool whole)
{
	struct fl_unwinder *m = &py->merged;
	size_t loops = 0, loop = 0;
	const struct fl_py_walk *w;

	u->gone = u->nameless = false;
	for (size_t i = 0; i < u->nframes; i++)
		loops += is_loop(py, u->frames[i]);
	w = loops ? walk_for(py, tid, key) : NULL;
	if (!w || !w->nruns)
		return true;
	whole &= w->complete;
	m->nframes = 0;
	for (size_t i = 0; i < u->nframes; i++) {
		if (is_double(py, u, i))
			continue;
		if (is_loop(py, u->frames[i]))
			push_run(py, u, w, run_of(w, loop++, loops, whole), i);
		else
			fl_py_push(py, m, u->frames[i], u->addresses[i]);
	}
	u->nameless = u->gone && !has_names(py, m);
	u->nframes = 0;
	for (size_t i = 0; i < m->nframes; i++)
		fl_unwind_push(u, m->frames[i], m->addresses[i]);
	return !w->cut;
}
