/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns the samples of one thread into frames that begin and end, for
 * speedscope.c and trace_event.c: rows in, a call of fl_timeline.put for each
 * begin and end out.  Each sample is as long as it weighs.  It starts at its
 * time, but not before the end of the one before it; gaps that are shorter than
 * the sample are closed.  Samples without times follow one another.
 */
#include "fl.h"

#include "write/timeline.h"

#include <inttypes.h>

int64_t fl_unit_ns(const struct flame_metric *metric)
{
	static const struct { const char *unit; int64_t ns; } units[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 },
		{ "s", 1000000000 },
	};

	for (size_t i = 0; metric && i < FL_COUNT(units); i++)
		if (strcmp(metric->weight, units[i].unit) == 0)
			return units[i].ns;
	return 0;
}

/* Ends all frames except the outermost n. */
static void leave(struct fl_timeline *t, size_t n, int64_t time)
{
	while (t->open.count > n)
		t->put(t->arg, false, time, t->open.frames[--t->open.count]);
}

static bool spell_path(struct fl_timeline *t, flame_id stack)
{
	const struct flame *flame = t->rows->flame;
	struct fl_path *p = &t->next;
	flame_id at = stack;
	size_t n = 0;

	for (; at; at = fl_parent(flame, at))
		n++;
	if (!fl_grow(&p->frames, &p->capacity, n, sizeof(*p->frames)) ||
	    !fl_grow(&t->open.frames, &t->open.capacity, n,
		     sizeof(*t->open.frames))) {
		t->failed = true;
		return false;
	}
	p->count = n;
	for (; stack; stack = fl_parent(flame, stack))
		p->frames[--n] = fl_frame_id(flame, stack);
	return true;
}

static bool looks_same(const struct fl_timeline *t, flame_id a, flame_id b)
{
	const struct flame_frame *x = &t->rows->flame->frames.data[a],
				 *y = &t->rows->flame->frames.data[b];

	return x->name == y->name && x->type == y->type;
}

/* Whether one of the frames that end is called as the first that begins. */
static bool is_unclear(const struct fl_timeline *t, size_t n)
{
	if (!t->sorts || n == t->next.count)
		return false;
	for (size_t i = n; i < t->open.count; i++)
		if (looks_same(t, t->open.frames[i], t->next.frames[n]))
			return true;
	return false;
}

static void enter(struct fl_timeline *t, flame_id stack, int64_t *time)
{
	size_t n = 0;

	if (!spell_path(t, stack))
		return;
	while (n < t->open.count && n < t->next.count &&
	       t->open.frames[n] == t->next.frames[n])
		n++;
	if (is_unclear(t, n)) {
		leave(t, 0, *time);
		*time = fl_add_clamped(*time, 1);
		n = 0;
	}
	leave(t, n, *time);
	for (; n < t->next.count; n++) {
		t->put(t->arg, true, *time, t->next.frames[n]);
		t->open.frames[t->open.count++] = t->next.frames[n];
	}
}

int64_t fl_timeline_run(struct fl_timeline *t, size_t from, size_t to)
{
	int64_t end = 0;

	for (size_t i = from; i < to && !t->failed; i++) {
		const struct flame_sample *row = &t->rows->sums.data[i];
		int64_t length = fl_mul_clamped(row->weight, t->unit_ns);

		if (length < 0) {
			t->below_zero++;
			continue;
		}
		if (!row->stack) {
			t->no_stack++;
			t->no_stack_weight = fl_add_clamped(
				t->no_stack_weight, row->weight);
		}
		if (row->time != FLAME_NOTIME &&
		    fl_row_since(t->rows, row) >= fl_add_clamped(end, length)) {
			leave(t, 0, end);
			end = fl_row_since(t->rows, row);
		}
		enter(t, row->stack, &end);
		end = fl_add_clamped(end, length);
	}
	leave(t, 0, end);
	return end;
}

void fl_timeline_remark(const struct fl_timeline *t)
{
	struct flame *flame = t->rows->flame;

	if (t->below_zero)
		fl_remark(flame, "%" PRIu64 " stacks weigh less than 0 and are "
			  "left out", t->below_zero);
	if (t->no_stack)
		fl_remark(flame, "%" PRIu64 " samples without a stack, of "
			  "weight %" PRId64 ", are gaps in the timeline",
			  t->no_stack, t->no_stack_weight);
}

void fl_timeline_free(struct fl_timeline *t)
{
	fl_free(t->open.frames);
	fl_free(t->next.frames);
}
