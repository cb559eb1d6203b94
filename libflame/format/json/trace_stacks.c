/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes stacks of the begin, end and complete events of a trace's threads, for
 * trace_event.c: fl_trace_hold() receives an event, fl_trace_end() handles the
 * rest at the end.  Events are sorted by time, begins are matched with ends,
 * and the time between two events is added to the innermost open frame's stack
 * (fl_trace_sum, or fl_trace_span where samples need their times).
 */
#include "fl.h"

#include "format/json/trace.h"

#include <stdlib.h>

/*
 * Events of a thread that are buffered until they count as ordered, and
 * how many more come before the next are run.
 */
enum { MAX_HELD = 1 << 16, HELD_PART = FL_TRACE_HELD };

static bool no_memory(struct trace *t)
{
	fl_no_memory(t->js.flame);
	return false;
}

/* Threads -------------------------------------------------------------- */

bool fl_trace_thread(struct trace *t, flame_id pid, flame_id tid,
			uint32_t *number)
{
	bool fresh;
	uint64_t *id = fl_map_put(&t->thread_ids, (uint64_t)pid << 32 | tid,
				  &fresh);

	if (!id)
		return no_memory(t);
	if (fresh) {
		if (!fl_grow(&t->threads, &t->threads_capacity,
			     t->nthreads + 1, sizeof(*t->threads)))
			return no_memory(t);
		t->threads[t->nthreads] = (struct thread){
			.pid = pid, .tid = tid
		};
		*id = t->nthreads++;
	}
	*number = (uint32_t)*id;
	return true;
}

void fl_trace_sum(struct trace *t, uint32_t thread, flame_id stack,
		   uint64_t events, int64_t time)
{
	bool fresh;
	uint64_t *id = fl_map_put(&t->sum_ids, (uint64_t)thread << 32 | stack,
				  &fresh);
	struct sum *sum;

	if (!id || !fl_grow(&t->sums, &t->sums_capacity, t->nsums + 1,
			    sizeof(*t->sums))) {
		no_memory(t);
		return;
	}
	if (fresh) {
		t->sums[t->nsums] = (struct sum){ thread, stack, 0, 0 };
		*id = t->nsums++;
	}
	sum = &t->sums[*id];
	sum->events += events;
	if (__builtin_add_overflow(sum->time, time, &sum->time))
		fl_fail(t->js.flame, FL_TOO_HEAVY);
}

/* The time since the last event is the innermost frame's. */
static void pass_time(struct trace *t, struct thread *th, int64_t time)
{
	if (th->has_time && th->nopen && time > th->time && t->timed)
		fl_trace_span(t, (uint32_t)(th - t->threads),
			      th->stack, th->time, time);
	else if (th->has_time && th->nopen && time > th->time)
		fl_trace_sum(t, (uint32_t)(th - t->threads),
		       th->stack, 0, time - th->time);
	if (!th->has_time || time > th->time)
		th->time = time;
	th->has_time = true;
}

/* Complete events ------------------------------------------------------- */

/*
 * Writers round begins and durations apart from each other, to microseconds
 * or to doubles, so that ends differ by that where they were the same.
 */
enum { ROUNDING = 1000 };	/* ns */

static struct open_frame *innermost(const struct thread *th)
{
	return th->nopen ? &th->open[th->nopen - 1] : NULL;
}

static flame_id frame_of(const struct trace *t, const struct open_frame *frame)
{
	return t->keys[frame->key].frame;
}

static bool is_sooner(const struct open_end *a, const struct open_end *b)
{
	return a->time != b->time ? a->time < b->time : a->number > b->number;
}

static void add_end(struct trace *t, struct thread *th, struct open_end end)
{
	size_t i = th->nends;

	if (!fl_grow(&th->ends, &th->ends_capacity, i + 1,
		     sizeof(*th->ends))) {
		no_memory(t);
		return;
	}
	th->nends++;
	for (; i && is_sooner(&end, &th->ends[(i - 1) / 2]); i = (i - 1) / 2)
		th->ends[i] = th->ends[(i - 1) / 2];
	th->ends[i] = end;
}

static void drop_first_end(struct thread *th)
{
	struct open_end *ends = th->ends, last = ends[--th->nends];
	size_t i = 0, n = th->nends;

	for (size_t child; (child = 2 * i + 1) < n; i = child) {
		child += child + 1 < n &&
			 is_sooner(&ends[child + 1], &ends[child]);
		if (!is_sooner(&ends[child], &last))
			break;
		ends[i] = ends[child];
	}
	ends[i] = last;
}

/* The open frame of a number, or NULL. */
static struct open_frame *find_open(const struct thread *th, uint64_t number)
{
	size_t low = 0, high = th->nopen;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (th->open[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < th->nopen && th->open[low].number == number &&
	       !th->open[low].ended ? &th->open[low] : NULL;
}

/* The frame that ends next, by its duration; NULL: there is none. */
static struct open_frame *next_to_end(struct thread *th)
{
	while (th->nends) {
		struct open_frame *frame = find_open(th, th->ends[0].number);

		if (frame)
			return frame;
		drop_first_end(th);
	}
	return NULL;
}

static void pop(struct trace *t, struct thread *th)
{
	th->stack = flame_stack_parent(t->js.flame, th->stack);
	th->nopen--;
	for (; th->nopen && innermost(th)->ended; th->nopen--)
		th->nended--;
}

static void push(struct trace *t, struct thread *th, struct open_frame frame)
{
	const struct open_frame *below;

	if (!fl_grow(&th->open, &th->open_capacity, th->nopen + 1,
		     sizeof(*th->open))) {
		no_memory(t);
		return;
	}
	below = innermost(th);
	frame.number = th->nframes++;
	frame.run = below && frame_of(t, below) == frame_of(t, &frame) ?
		    below->run : frame.number;
	th->open[th->nopen++] = frame;
	th->stack = flame_stack(t->js.flame, th->stack, frame_of(t, &frame));
	if (frame.end != FL_TRACE_NO_END)
		add_end(t, th, (struct open_end){ frame.end, frame.number });
}

/* Keeps those that go on, once they are the smaller part. */
static void drop_ended(struct thread *th)
{
	size_t n = 0;

	if (th->nended <= th->nopen / 2)
		return;
	for (size_t i = 0; i < th->nopen; i++)
		if (!th->open[i].ended)
			th->open[n++] = th->open[i];
	th->nopen = n;
	th->nended = 0;
}

/* Each frame above is in one stack more, which may have samples. */
enum { OVERLAP_COST = 16 };

/* The frames above this one go on without it. */
static void remove_below(struct trace *t, struct thread *th,
			 struct open_frame *frame)
{
	struct flame *flame = t->js.flame;
	size_t above = 0, first = (size_t)(frame - th->open) + 1;

	t->noverlaps++;
	frame->ended = true;
	th->nended++;
	th->stack = flame_stack_parent(flame, th->stack);
	/* Of equal frames it does not matter which one ends. */
	if (innermost(th)->run > frame->number) {
		for (size_t i = first; i < th->nopen; i++)
			above += !th->open[i].ended;
		if (!fl_frames_allowed(t->js.source, above * OVERLAP_COST))
			return;
		for (size_t i = 0; i < above; i++)
			th->stack = flame_stack_parent(flame, th->stack);
		for (size_t i = first; i < th->nopen; i++)
			if (!th->open[i].ended)
				th->stack = flame_stack(flame, th->stack,
					frame_of(t, &th->open[i]));
	}
	drop_ended(th);
}

/*
 * Events of a GPU or of asynchronous work overlap without one being in the
 * other: the frames above the one that ends go on without it.
 */
static void end_first(struct trace *t, struct thread *th,
		      struct open_frame *frame)
{
	pass_time(t, th, frame->end);
	drop_first_end(th);
	if (frame == innermost(th))
		pop(t, th);
	else
		remove_below(t, th, frame);
}

/* Ends complete events that last until before a time, or until it. */
static void end_complete(struct trace *t, struct thread *th, int64_t time,
			 bool with_time)
{
	struct open_frame *first;

	while (!fl_failed(t->js.flame) && (first = next_to_end(th))) {
		if (first->end > time ||
		    (first->end == time && !with_time &&
		     innermost(th)->end != first->end))
			return;
		end_first(t, th, first);
	}
}

/* Whether the innermost frame ends as the next begins, but for rounding. */
static bool is_before(const struct open_frame *frame, const struct event *e,
		      int64_t end)
{
	int64_t common = frame ? frame->end - e->time : 0;

	return frame && frame->end != FL_TRACE_NO_END && e->phase == 'X' &&
	       frame->end < end && common <= ROUNDING &&
	       common <= (frame->end - frame->begin) / 2;
}

static int64_t end_of(struct thread *th, const struct event *e)
{
	const struct open_frame *first = next_to_end(th);
	int64_t end = e->phase == 'X' ? fl_add_clamped(e->time, e->duration) :
					FL_TRACE_NO_END;

	if (e->phase == 'X' && first && first->end < end &&
	    end - first->end <= ROUNDING)
		return first->end;
	return end;
}

static void enter(struct trace *t, struct thread *th, const struct event *e)
{
	int64_t end = e->phase == 'X' ? fl_add_clamped(e->time, e->duration) :
					FL_TRACE_NO_END;

	end_complete(t, th, e->time, true);
	pass_time(t, th, e->time);
	while (is_before(innermost(th), e, end))
		pop(t, th);
	push(t, th, (struct open_frame){
		.key = e->key, .begin = e->time, .end = end_of(th, e)
	});
	fl_trace_sum(t, (uint32_t)(th - t->threads), th->stack, 1, 0);
}

/* Begins and ends ------------------------------------------------------- */

static bool same_name(const struct trace *t, uint32_t a, uint32_t b)
{
	return t->keys[a].name == t->keys[b].name;
}

/* An end of another name than the innermost frame's is none. */
static void leave(struct trace *t, struct thread *th, const struct event *e)
{
	const struct open_frame *top;

	end_complete(t, th, e->time, false);
	top = innermost(th);
	if (!top || top->end != FL_TRACE_NO_END ||
	    (!same_name(t, top->key, e->key) && t->keys[e->key].name))
		return;
	pass_time(t, th, e->time);
	pop(t, th);
}

/* Order ---------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	/* Complete ones lie within those that begin then; long ones first. */
	if ((x->phase == 'X') != (y->phase == 'X'))
		return x->phase == 'X' ? 1 : -1;
	if (x->duration != y->duration)
		return x->duration > y->duration ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static int compare_ends(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/*
 * Among ends at the time of the first one, the innermost frame's comes first:
 * by its key, else by its name.
 */
static void bring_match(struct trace *t, const struct thread *th,
			struct event *ends, size_t n)
{
	uint32_t top;
	size_t by_name = 0;

	if (!th->nopen || !n)
		return;
	top = th->open[th->nopen - 1].key;
	if (ends[0].key == top)
		return;
	for (size_t i = 1; i < n && ends[i].time == ends[0].time; i++) {
		struct event e = ends[i];

		if (e.key == top) {
			ends[i] = ends[0];
			ends[0] = e;
			return;
		}
		if (!by_name && same_name(t, e.key, top))
			by_name = i;
	}
	if (by_name && !same_name(t, ends[0].key, top)) {
		struct event e = ends[by_name];

		ends[by_name] = ends[0];
		ends[0] = e;
	}
}

/*
 * At equal times a begin comes first if it does in a file that is in order.
 * Otherwise ends come first, except that of a frame that began just then and
 * has no duration.
 */
static bool begins_first(const struct thread *th, const struct event *b,
			 const struct event *e)
{
	if (b->time != e->time)
		return b->time < e->time;
	if (!th->has_complete && !th->unordered)
		return b->order < e->order;
	return b->key == e->key &&
	       (!th->nopen || th->open[th->nopen - 1].key != e->key);
}

static void merge(struct trace *t, struct thread *th, size_t nbegins,
		  size_t nends)
{
	struct event *b = t->begins, *e = t->ends;

	while ((nbegins || nends) && !fl_failed(t->js.flame)) {
		if (nbegins && (!nends || begins_first(th, b, e))) {
			enter(t, th, b++);
			nbegins--;
			continue;
		}
		bring_match(t, th, e, nends);
		leave(t, th, e++);
		nends--;
	}
}

/* The thread's events are the begins, without a copy. */
static void take_events(struct trace *t, struct thread *th)
{
	fl_free(t->begins);
	t->begins = th->events;
	t->begins_capacity = th->events_capacity;
	th->events = NULL;
	th->nevents = th->events_capacity = 0;
}

/* Those before a time, or all, to begins and ends; others stay. */
static bool split(struct trace *t, struct thread *th, bool all, int64_t before,
		  size_t *nbegins, size_t *nends)
{
	size_t n = th->nevents;

	if (all && !th->has_ends) {
		take_events(t, th);
		*nbegins = n;
		*nends = 0;
		return true;
	}
	if (!fl_grow(&t->begins, &t->begins_capacity, n, sizeof(*t->begins)) ||
	    !fl_grow(&t->ends, &t->ends_capacity, n, sizeof(*t->ends)))
		return no_memory(t);
	*nbegins = *nends = th->nevents = 0;
	for (size_t i = 0; i < n; i++) {
		struct event e = th->events[i];

		if (!all && e.time >= before)
			th->events[th->nevents++] = e;
		else if (e.phase == 'E')
			t->ends[(*nends)++] = e;
		else
			t->begins[(*nbegins)++] = e;
	}
	return true;
}

static void sort(struct event *events, size_t n,
		 int (*by)(const void *a, const void *b))
{
	for (size_t i = 1; i < n; i++)
		if (by(&events[i - 1], &events[i]) > 0) {
			qsort(events, n, sizeof(*events), by);
			return;
		}
}

static void run(struct trace *t, struct thread *th, bool all, int64_t before)
{
	size_t nbegins, nends;

	if (!th->nevents || !split(t, th, all, before, &nbegins, &nends))
		return;
	if (th->has_complete || th->unordered) {
		sort(t->begins, nbegins, compare);
		sort(t->ends, nends, compare_ends);
	}
	merge(t, th, nbegins, nends);
}

void fl_trace_hold(struct trace *t, uint32_t thread, const struct event *e)
{
	struct thread *th = &t->threads[thread];

	if (!fl_grow(&th->events, &th->events_capacity, th->nevents + 1,
		     sizeof(*th->events))) {
		fl_no_memory(t->js.flame);
		return;
	}
	th->has_complete |= e->phase == 'X';
	th->has_ends |= e->phase == 'E';
	th->unordered |= th->order && e->time < th->last;
	t->nlate += th->limit && e->time < th->run_until;
	th->last = e->time;
	th->events[th->nevents] = *e;
	th->events[th->nevents].order = th->order++;
	th->nevents++;
	if (th->nevents < (th->limit ? th->limit : MAX_HELD) || th->unordered)
		return;
	/* Later events may share the last time. */
	run(t, th, false, e->time);
	th->run_until = e->time;
	th->limit = th->nevents + FL_MAX(th->nevents, (size_t)HELD_PART);
}

/* Frames that never end do so with the last event that counted. */
void fl_trace_end(struct trace *t)
{
	for (size_t i = 0; i < t->nthreads && !fl_failed(t->js.flame); i++) {
		if (t->threads[i].unordered)
			t->nheld += t->threads[i].nevents;
		run(t, &t->threads[i], true, 0);
		end_complete(t, &t->threads[i], FL_TRACE_NO_END, true);
	}
}
