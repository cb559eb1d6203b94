/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a chunk of format 0.9 and adds its samples to the batch
 * (fl_jfr_v0_read, for source.c): Oracle's JDK 7 and 8, JRockit, async-profiler
 * 1.x.  Numbers are big-endian and of fixed width, the metadata come last.
 *
 * Checkpoint events have the constants.  Ids are used again: the value at a
 * time is that of the first checkpoint which was written then or later, and the
 * ids within a value are looked up at the time of its own checkpoint.
 */
#include "fl.h"

#include "format/jfr/v0/internal.h"
#include "format/jfr/v0/v0.h"

#include <inttypes.h>
#include <stdio.h>

__extension__ typedef __int128 wide;

static int64_t ns_of(const struct fl_v0 *v, wide ticks)
{
	return (int64_t)(ticks * 1000000000 / v->ticks_per_second);
}

static int64_t time_of(const struct fl_v0 *v, int64_t ticks)
{
	wide past = (wide)ticks - v->start_ticks;

	return (int64_t)((wide)v->start_ms * 1000000 + ns_of(v, past));
}

static int64_t end_of(const struct fl_v0 *v)
{
	return (int64_t)((wide)v->end_ms * 1000000);
}

/* The value described by its row; *unit: NULL where it has none. */
static int64_t value_of(const struct fl_v0 *v, const struct fl_v0_event *e,
			const struct fl_v0_numbers *n, wide ticks,
			const char **unit)
{
	const char *value = e->raw || !e->row ? "duration" : e->row->value;
	enum fl_v0_role role = BYTES;

	*unit = NULL;
	if (!value)
		return 0;
	if (strcmp(value, "duration") == 0) {
		*unit = e->starts ? "ns" : NULL;
		return ticks > 0 ? ns_of(v, ticks) : 0;
	}
	if (strcmp(value, "tlabSize") == 0)
		role = TLAB_SIZE;
	else if (strcmp(value, "allocationSize") == 0)
		role = SIZE;
	*unit = n->has & 1u << role ? e->row->unit : NULL;
	return n->n[role];
}

static void set_leaf(struct fl_v0 *v, const struct fl_v0_event *e,
		     const struct fl_v0_numbers *n, int64_t ticks,
		     struct fl_jfr_hit *hit)
{
	bool outside;

	if (e->raw || !e->row || !e->row->leaf || !n->n[CLASS])
		return;
	outside = e->row->group == FL_JFR_GROUP_ALLOC &&
		  (!hit->value || e->row->role != FL_JFR_TLAB);
	hit->leaf = fl_v0_leaf(v, n->n[CLASS], ticks,
			    outside ? FLAME_KERNEL : FLAME_INLINED);
}

/* Whether its time and its thread's spans select it. */
static bool in_time(const struct fl_v0 *v, int64_t time, uint64_t tid)
{
	return (v->from == FLAME_NOTIME || time >= v->from) &&
	       (v->to == FLAME_NOTIME || time <= v->to) &&
	       (!v->jfr->spans || !v->jfr->spans->filter ||
		fl_jfr_span_at(v->jfr->spans, tid, time));
}

/* Its numbers and times; false: damaged, or not wanted. */
static bool read_event(struct fl_v0 *v, const struct fl_v0_event *e,
		       uint64_t at, uint32_t size, struct fl_v0_numbers *n,
		       int64_t times[2])
{
	struct fl_wire w = fl_v0_wire(v, at + EVENT, at + size);

	*n = (struct fl_v0_numbers){ .has = 0 };
	times[0] = times[1] = fl_wire_fixed(&w, 8);
	if (e->starts)
		times[0] = fl_wire_fixed(&w, 8);
	if (e->threads) {
		n->n[THREAD] = fl_wire_fixed(&w, 4);
		n->has |= 1u << THREAD;
	}
	if (e->stacks) {
		n->n[STACK] = fl_wire_fixed(&w, 8);
		n->has |= 1u << STACK;
	}
	if (e->layout)
		fl_v0_read_numbers(e->layout, &w, n);
	if (w.bad)
		fl_v0_damage(v, at, size, "an event shorter than its fields");
	return !w.bad && (e->row || n->has & 1u << STACK);
}

/* Mostly that of the event before. */
static struct fl_jfr_kind *kind_of(struct fl_v0 *v, const struct fl_v0_event *e,
				   struct slice state, const char *unit)
{
	if (v->kind_of == e && v->kind.state.data == state.data &&
	    v->kind.unit == unit)
		return &v->kind;
	v->kind_of = e;
	v->kind = (struct fl_jfr_kind){
		.event = e->name, .row = e->row, .raw = e->raw,
		.state = state, .unit = unit, .async = v->async,
		.runnable_wall = v->runnable_wall,
	};
	fl_jfr_resolve_kind(v->jfr, &v->kind);
	return &v->kind;
}

static void emit_event(struct fl_v0 *v, const struct fl_v0_event *e,
		       uint64_t at, uint32_t size)
{
	int64_t times[2];	/* start and end, in ticks */
	struct slice state = { NULL, 0 };
	struct fl_v0_numbers n;
	struct fl_jfr_hit hit = { .samples = 1, .last = FLAME_NOTIME };
	const char *unit;

	if (v->jfr->source->select.survey)
		fl_jfr_info_event(v->jfr, e->shown, 1);
	if (!read_event(v, e, at, size, &n, times))
		return;
	hit.time = time_of(v, times[0]);
	if (!in_time(v, hit.time, n.n[THREAD]))
		return;
	hit.has_stack = fl_v0_stack(v, n.n[STACK], times[1], &hit.stack);
	hit.unresolved = !hit.has_stack && n.n[STACK];
	if (n.has & 1u << THREAD)
		hit.thread = fl_v0_thread(v, n.n[THREAD], times[1]);
	if (n.has & 1u << STATE)
		state = fl_v0_text(v, fl_v0_find(v, STATE, n.n[STATE],
						 times[1]));
	hit.value = value_of(v, e, &n, (wide)times[1] - times[0], &unit);
	hit.kind = kind_of(v, e, state, unit);
	set_leaf(v, e, &n, times[1], &hit);
	/* The reference spells a stack of no frames below a class so. */
	if (hit.leaf && hit.has_stack && !hit.stack &&
	    fl_jfr_options(v->jfr)->compat)
		hit.stack = flame_stack(v->jfr->source->flame, 0, 0);
	v->given++;
	fl_jfr_add_sample(v->jfr, &hit);
}

/* async-profiler's RUNNABLE is wall if there are other states, too. */
static void note_state(struct fl_v0 *v, const struct fl_v0_event *e,
		       uint64_t at, uint32_t size)
{
	struct slice state;
	struct fl_v0_numbers n;
	int64_t times[2];

	if (!e->row || e->row->role != FL_JFR_CPU ||
	    !read_event(v, e, at, size, &n, times))
		return;
	state = fl_v0_text(v, fl_v0_find(v, STATE, n.n[STATE], times[1]));
	if (state.data && !fl_slice_is(state, "STATE_RUNNABLE"))
		v->runnable_wall = true;
}

/* An event of a known type that ends before the metadata. */
static bool is_event(const struct fl_v0 *v, uint64_t at)
{
	uint32_t size, type;

	if (v->meta_at - at < EVENT)
		return false;
	size = fl_be(v->at + at, 4);
	type = fl_be(v->at + at + 4, 4);
	return size >= EVENT && size <= v->meta_at - at &&
	       (type == CHECKPOINT || type == LOST ||
		fl_map_get(&v->event_of, type));
}

static uint64_t after(const struct fl_v0 *v, uint64_t at)
{
	return at + fl_be(v->at + at, 4);
}

/* Where events continue after damage: three in a row, or the last ones. */
static uint64_t resume(const struct fl_v0 *v, uint64_t at)
{
	for (; at < v->meta_at; at++) {
		uint64_t next = at;
		unsigned n = 0;

		while (n < 3 && next < v->meta_at && is_event(v, next)) {
			next = after(v, next);
			n++;
		}
		if (n == 3 || (n && next == v->meta_at))
			return at;
	}
	return v->meta_at;
}

static bool stopped(const struct fl_v0 *v)
{
	return v->no_memory || fl_failed(v->jfr->source->flame);
}

/* Reads the checkpoints, or shows the events that are data. */
static void each_event(struct fl_v0 *v, bool checkpoints,
		       void (*see)(struct fl_v0 *, const struct fl_v0_event *,
				   uint64_t, uint32_t))
{
	uint64_t at = HEADER, next;

	for (; at < v->meta_at && !stopped(v); at = next) {
		uint32_t size, type;
		uint64_t *event;

		if (!is_event(v, at)) {
			next = resume(v, at + 1);
			if (checkpoints)
				fl_v0_damage(v, at, next - at, "no event");
			continue;
		}
		next = after(v, at);
		size = next - at;
		type = fl_be(v->at + at + 4, 4);
		event = fl_map_get(&v->event_of, type);
		if (checkpoints && type == CHECKPOINT)
			fl_v0_read_checkpoint(v, at, size);
		else if (!checkpoints && type > LOST && event)
			see(v, &v->events[*event - 1], at, size);
	}
}

static void read_chunk(struct fl_v0 *v)
{
	struct flame_source *source = v->jfr->source;
	const struct fl_select *select = &source->select;

	fl_jfr_widen(v->jfr, time_of(v, v->start_ticks), end_of(v));
	v->from = fl_when_resolve(&select->from, source->start, source->end);
	v->to = fl_when_resolve(&select->to, source->start, source->end);
	each_event(v, true, NULL);
	fl_v0_sort(v);
	for (size_t i = 0; i < v->nconstants && !v->async; i++)
		v->async = v->constants[i].kind == TYPE &&
			   fl_slice_is(fl_v0_text(v, &v->constants[i]),
				       "Kernel");
	v->runnable_wall = v->jfr->wall_set;
	if (v->async && !v->runnable_wall)
		each_event(v, false, note_state);
	each_event(v, false, emit_event);
}

static void report_damage(struct fl_v0 *v, uint64_t offset)
{
	struct fl_jfr *jfr = v->jfr;

	jfr->totals.bad_chunks++;
	jfr->totals.lost_bytes += v->lost;
	jfr->totals.salvaged_events += v->given;
	if (!jfr->totals.first_damage[0])
		snprintf(jfr->totals.first_damage,
			 sizeof(jfr->totals.first_damage),
			 "at 0x%" PRIx64 ": %s", offset + v->why_at, v->why);
}

uint64_t fl_jfr_v0_size(const uint8_t *at, size_t avail)
{
	uint64_t offset = fl_v0_find_meta(at, avail);

	return offset ? offset + fl_be(at + offset, 4) : 0;
}

bool fl_jfr_v0_span(struct fl_jfr *jfr, const uint8_t *at, size_t size,
		    int64_t *start, int64_t *end)
{
	struct fl_v0 v = { .jfr = jfr, .at = at, .size = size };
	bool good;

	v.meta_at = fl_v0_find_meta(at, size);
	good = v.meta_at && fl_v0_read_meta(&v, v.meta_at);
	if (good) {
		*start = time_of(&v, v.start_ticks);
		*end = end_of(&v);
	}
	if (v.no_memory)
		fl_no_memory(jfr->source->flame);
	fl_v0_free(&v);
	return good;
}

int fl_jfr_v0_read(struct fl_jfr *jfr, const uint8_t *at, uint64_t size,
		   uint64_t offset)
{
	struct flame *flame = jfr->source->flame;
	struct fl_v0 v = { .jfr = jfr, .at = at, .size = size };

	v.meta_at = fl_v0_find_meta(at, size);
	if (v.meta_at && v.meta_at != fl_be(at + 8, 8))
		fl_v0_damage(&v, 8, 0, "metadata not where the header says");
	if (v.meta_at && fl_v0_read_meta(&v, v.meta_at))
		read_chunk(&v);
	else
		fl_v0_damage(&v, v.meta_at, size,
			     "metadata that cannot be read");
	if (v.why)
		report_damage(&v, offset);
	if (v.no_memory)
		fl_no_memory(flame);
	fl_v0_free(&v);
	return fl_failed(flame) ? FLAME_FAILED : FLAME_OK;
}
