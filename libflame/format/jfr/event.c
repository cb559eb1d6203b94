/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the events of a chunk in one pass (fl_jfr_read_events, for chunk.c):
 * the size and the type of each, and a few fields of those that are asked for.
 * Out come sums of equal events in chunk->events (sum.c): equal in stack trace,
 * state, class and thread, so far as these are asked for.
 */
#include "fl.h"

#include "format/jfr/events.h"
#include "format/jfr/framing.h"

#include <math.h>
#include <stdlib.h>
#include <strings.h>

enum { MAX_NOTES = 1 << 13 };

struct pass {
	struct fl_jfr_chunk *chunk;
	struct fl_jfr *jfr;
	bool by_thread, leak;
	bool damaged;		/* an event whose size and fields disagree */
};

static const struct fl_jfr_detail nothing = {
	.first = INT64_MAX, .last = INT64_MIN
};

static void name_slots(const struct pass *pass, const struct fl_jfr_reader *c,
		       const char *names[FL_JFR_SLOTS])
{
	const struct fl_jfr_row *row = c->row;
	const struct fl_select *select = &pass->jfr->source->select;

	names[FL_JFR_STACK] = "stackTrace";
	if (pass->chunk->asked.limited || pass->chunk->events->by_time ||
	    pass->jfr->spans || select->survey || pass->leak)
		names[FL_JFR_TIME] = "startTime";
	if (pass->by_thread)
		names[FL_JFR_THREAD] = fl_jfr_thread_field(c->class);
	if (!row || (c->raw && !row->value)) {
		names[FL_JFR_VALUE] = "duration";
	} else {
		if (!c->raw || c->role == FL_JFR_TIMING) {
			names[FL_JFR_COUNT] = row->count;
			names[FL_JFR_LEAF] = row->leaf;
		}
		names[FL_JFR_VALUE] = row->value;
		names[FL_JFR_FACTOR] = row->factor;
		if (row->group == FL_JFR_GROUP_NATIVEMEM)
			names[FL_JFR_ADDRESS] = "address";
		if (row->role == FL_JFR_OLD_OBJECT)
			names[FL_JFR_ADDRESS] = "root";
	}
	if (c->subject) {
		names[FL_JFR_LEAF] = c->subject->field;
		names[FL_JFR_OTHER] = c->subject->other;
	}
	if (row && (row->group == FL_JFR_GROUP_EXEC || select->state))
		names[FL_JFR_STATE] = "state";
}

/* jfrconv's grain depends on all that it has read, and on their order. */
static bool is_rounded(const struct fl_jfr_options *options)
{
	return options->compat && options->grain > 0;
}

static const struct fl_jfr_subject *subject_asked(const struct fl_jfr *jfr,
						  struct slice event)
{
	const struct fl_jfr_subject *subject = fl_jfr_subject_of(event);

	return subject && !fl_jfr_options(jfr)->compat &&
	       (subject->leaf || fl_jfr_labels_subject(jfr, subject)) ?
	       subject : NULL;
}

/* A reader of a class's events, in the arena; NULL: out of memory. */
static struct fl_jfr_reader *
new_reader(struct pass *pass, struct fl_jfr_class *class,
	   const struct fl_jfr_row *row, enum fl_jfr_role role)
{
	struct fl_jfr_chunk *chunk = pass->chunk;
	struct fl_jfr_readers *readers = chunk->readers;
	struct fl_jfr_reader *c = fl_arena_alloc(&chunk->arena, sizeof(*c));

	if (!c || !fl_grow(&readers->data, &readers->capacity,
			   readers->count + 1, sizeof(*readers->data))) {
		fl_no_memory(chunk->flame);
		return NULL;
	}
	memset(c, 0, sizeof(*c));
	c->class = class;
	c->event = fl_jfr_plain_name(class->name);
	c->row = row;
	c->raw = fl_jfr_is_raw(pass->jfr, c->event);
	c->role = role;
	c->subject = subject_asked(pass->jfr, c->event);
	c->full = role != FL_JFR_LOST && fl_jfr_is_full(chunk, c);
	return c;
}

bool fl_jfr_read_again(struct fl_jfr_chunk *chunk,
		       const struct fl_jfr_reader *first)
{
	struct pass pass = { .chunk = chunk, .jfr = chunk->jfr,
			     .by_thread = true };
	const char *names[FL_JFR_SLOTS] = { NULL };
	struct fl_jfr_readers *readers = chunk->readers;
	struct fl_jfr_reader *c = new_reader(&pass, first->class, first->row,
					     first->role);

	if (!c)
		return false;
	c->full = true;
	c->raw = first->raw;
	chunk->events->by_time = true;
	name_slots(&pass, c, names);
	chunk->events->by_time = false;
	if (!fl_jfr_compile(chunk, c, names))
		return false;
	fl_jfr_resolve_unit(c);
	c->counted.ordered = true;
	c->class->reader = c;
	c->number = readers->count;
	readers->data[readers->count++] = c;
	return true;
}

/* Decides how to read a class's events, when its first event comes. */
static void plan_reader(struct pass *pass, struct fl_jfr_class *class)
{
	const char *names[FL_JFR_SLOTS] = { NULL };
	struct fl_jfr_chunk *chunk = pass->chunk;
	struct fl_jfr_readers *readers = chunk->readers;
	struct slice event = fl_jfr_plain_name(class->name);
	const struct fl_jfr_row *row = fl_jfr_row_of(event);
	struct fl_jfr_reader *c;
	enum fl_jfr_role role = row ? row->role : FL_JFR_NO_ROLE;

	class->planned = true;
	class->noted = (fl_slice_is(event, "jdk.ActiveSetting") ||
			(fl_jfr_wants_facts(pass->jfr) &&
			 fl_jfr_is_fact(event))) &&
		       fl_jfr_make_decoder(chunk, class);
	if (chunk->asked.skim)
		return;
	if (fl_slice_is(event, "jdk.ThreadDump")) {
		class->noted = fl_jfr_dumps_asked(pass->jfr) &&
			       fl_jfr_make_decoder(chunk, class);
		return;
	}
	/* Memory that is freed is not a sample; only leaks ask for it. */
	if (role == FL_JFR_FREE && !pass->leak &&
	    !is_rounded(fl_jfr_options(pass->jfr)))
		return;
	if (fl_slice_is(event, "jdk.CPUTimeSamplesLost"))
		role = FL_JFR_LOST;
	/* Decoders say where the stack trace is, so make them first. */
	if (!fl_jfr_make_decoder(chunk, class) ||
	    (!row && role != FL_JFR_LOST && !fl_jfr_has_stack(class)))
		return;
	c = new_reader(pass, class, row, role);
	if (!c)
		return;
	if (role == FL_JFR_LOST)
		names[FL_JFR_VALUE] = "lostSamples";
	else if (c->full)
		name_slots(pass, c, names);
	else if (!row)
		names[FL_JFR_STACK] = "stackTrace";
	else
		names[FL_JFR_COUNT] = row->count;
	if (!fl_jfr_compile(chunk, c, names))
		return;
	fl_jfr_resolve_unit(c);
	/* jfrconv's grain depends on which came first. */
	c->plain = c->full && fl_jfr_options(pass->jfr)->grain == 0 &&
		   !chunk->events->by_time && !chunk->asked.limited &&
		   !pass->jfr->spans && c->has[FL_JFR_STACK] &&
		   !c->has[FL_JFR_TIME] && !c->has[FL_JFR_COUNT] &&
		   !c->has[FL_JFR_VALUE] && !c->has[FL_JFR_LEAF] &&
		   !c->has[FL_JFR_THREAD];
	c->counted.ordered = true;
	class->reader = c;
	c->number = readers->count;
	readers->data[readers->count++] = c;
	if (role == FL_JFR_TLAB || role == FL_JFR_OUTSIDE_TLAB)
		chunk->events->with_tlab = true;
}

/* Whether its time and its thread's spans select it. */
static bool in_time(const struct fl_jfr_chunk *chunk,
		    const struct fl_jfr_reader *c)
{
	const struct fl_jfr_spans *spans = chunk->jfr->spans;
	int64_t ticks = c->values[FL_JFR_TIME];

	if (chunk->asked.limited &&
	    (ticks < chunk->asked.from || ticks > chunk->asked.to))
		return false;
	return !spans || !spans->filter ||
	       fl_jfr_span_at(spans, c->values[FL_JFR_THREAD],
			      fl_jfr_ns(chunk, ticks));
}

static int64_t value_of(const struct fl_jfr_reader *c)
{
	if (c->has[FL_JFR_FACTOR])
		return llrint(fl_jfr_double(c, FL_JFR_VALUE) *
			      fl_jfr_double(c, FL_JFR_FACTOR));
	if (c->kind[FL_JFR_VALUE])
		return llrint(fl_jfr_double(c, FL_JFR_VALUE));
	return c->values[FL_JFR_VALUE];
}

bool fl_jfr_weigh(const struct fl_jfr_chunk *chunk,
		  const struct fl_jfr_reader *c, struct fl_jfr_weight *weight)
{
	if (!in_time(chunk, c))
		return false;
	*weight = (struct fl_jfr_weight){ .samples = 1 };
	if (c->has[FL_JFR_COUNT])
		weight->samples = c->kind[FL_JFR_COUNT] ?
				  llrint(fl_jfr_double(c, FL_JFR_COUNT)) :
				  (int64_t)c->values[FL_JFR_COUNT];
	if (c->has[FL_JFR_VALUE])
		weight->value = value_of(c);
	if (c->row && c->row->group == FL_JFR_GROUP_ALLOC)
		weight->outside = !weight->value || c->role != FL_JFR_TLAB;
	return true;
}

static void count_event(struct pass *pass, struct fl_jfr_reader *c)
{
	struct fl_jfr_weight weight;

	if (fl_jfr_weigh(pass->chunk, c, &weight))
		fl_jfr_add_event(pass->chunk, c, weight, false);
}

static void add_plain(void *data, const struct fl_jfr_reader *c,
		      uint64_t stack, uint64_t state, int64_t samples)
{
	struct pass *pass = data;
	struct fl_jfr_sum sum = {
		.reader = c->number, .samples = samples, .bare = samples,
		.state = state,
	};

	fl_jfr_add_sum(pass->chunk, &sum, &nothing, stack, false);
}

static void note(struct fl_jfr_chunk *chunk, const struct fl_jfr_class *class,
		 const uint8_t *at)
{
	struct fl_jfr_events *events = chunk->events;

	if (events->nnotes >= MAX_NOTES ||
	    !fl_grow(&events->notes, &events->notes_capacity,
		     events->nnotes + 1, sizeof(*events->notes)))
		return;
	events->notes[events->nnotes++] = (struct fl_jfr_note){
		class, at - chunk->at
	};
}

/*
 * Whether the size of its events bounds the sizes of its fields: they are
 * numbers only.
 */
static bool has_sizes(const struct fl_jfr_class *class)
{
	for (uint32_t i = 0; i < class->nops; i++)
		if (class->ops[i].code == FL_JFR_STRING ||
		    class->ops[i].code == FL_JFR_ARRAY)
			return false;
	return true;
}

/* The fields of an event end where its size says; if not, see framing.c. */
static __attribute__((noinline)) bool
check_event(struct pass *pass, struct fl_jfr_class *class, struct fl_wire w,
	    const uint8_t *begin, uint32_t size)
{
	if (pass->chunk->framing->done)
		return true;
	if (class->event && fl_jfr_make_decoder(pass->chunk, class)) {
		fl_jfr_skip(class, &w);
		if (!w.bad && w.at == begin + size) {
			if (size < 256 && has_sizes(class))
				class->sizes[size / 64] |=
					UINT64_C(1) << size % 64;
			return true;
		}
	}
	pass->damaged = true;
	return false;
}

/* Events of a class and a size that was seen before are not checked again. */
static inline bool is_checked(const struct fl_jfr_class *class, uint32_t size)
{
	return fl_likely(size < 256) &&
	       fl_likely(class->sizes[size / 64] >> size % 64 & 1);
}

static void read_event(struct pass *pass, struct fl_jfr_class *class,
		       struct fl_wire w, const uint8_t *end)
{
	struct fl_jfr_reader *c;

	class->events++;
	if (fl_unlikely(!class->planned)) {
		plan_reader(pass, class);
		c = class->reader;
		if (c)
			fl_jfr_find_layout(pass->chunk, c);
	}
	if (fl_unlikely(class->noted))
		note(pass->chunk, class, w.at);
	c = class->reader;
	if (!c)
		return;
	if (!c->full && !c->nsteps) {
		c->samples++;
		return;
	}
	/*
	 * Words are read whole, so reading may look past the event's end;
	 * fields that end there are damaged.
	 */
	fl_jfr_read_fields(c, &w);
	if (fl_unlikely(w.bad || w.at > end)) {
		pass->damaged = true;
		return;
	}
	if (fl_unlikely(pass->jfr->copy != NULL))
		c->values[FL_JFR_ADDRESS] = (uint64_t)(end - pass->chunk->at);
	if (c->full) {
		if (!c->plain || !fl_jfr_count_plain(pass->chunk, c))
			count_event(pass, c);
	} else if (c->role == FL_JFR_LOST) {
		pass->chunk->events->lost_samples += c->values[FL_JFR_VALUE];
	} else if (c->has[FL_JFR_COUNT]) {
		c->samples = fl_add_clamped(c->samples, llrint(
					fl_jfr_double(c, FL_JFR_COUNT)));
	} else {
		c->samples += !c->has[FL_JFR_STACK] ||
			      c->values[FL_JFR_STACK];
	}
}

/* Releases memory that was read.  Returns where to check again. */
static const uint8_t *release(struct fl_jfr_chunk *chunk, const uint8_t *at,
			     const uint8_t *end)
{
	fl_jfr_release(chunk, at);
	return end - at > chunk->pages.window ? at + chunk->pages.window : end;
}

static void begin_pass(struct pass *pass)
{
	const struct fl_jfr *jfr = pass->jfr;
	const struct fl_select *select = &jfr->source->select;
	struct fl_jfr_chunk *chunk = pass->chunk;

	pass->leak = select->leak && select->event &&
		     strcmp(select->event, "nativemem") == 0;
	chunk->events->twice = fl_jfr_wants_runs(jfr);
	pass->by_thread = select->thread || select->survey || jfr->spans ||
			  (!chunk->events->twice &&
			   (select->needs & FL_NEED_THREAD));
	chunk->events->by_time = ((select->needs & FL_NEED_TIME) &&
				  !chunk->events->twice) ||
				 pass->leak || jfr->copy ||
				 (jfr->spans && jfr->spans->label);
	chunk->events->detailed = pass->by_thread || chunk->events->by_time ||
				  chunk->asked.limited || jfr->spans ||
				  fl_is_wanted(select->labels, "holder");
}

/*
 * An event of a class, whose fields begin at w.at.  Whether others may follow
 * that are read by their layout.
 */
static inline bool read_one(struct pass *pass, struct fl_jfr_class *class,
			    struct fl_wire w, const uint8_t *begin,
			    uint32_t size)
{
	const uint8_t *end = begin + size;

	pass->chunk->readers->nevents++;
	if (fl_unlikely(!is_checked(class, size)) &&
	    !check_event(pass, class, w, begin, size))
		return false;
	read_event(pass, class, w, end);
	return class->reader && class->reader->has_layouts;
}

/* Events from one place to another, or to the first that is damaged. */
static void read_range(struct pass *pass, const uint8_t *from,
		       const uint8_t *to)
{
	struct fl_jfr_chunk *chunk = pass->chunk;
	struct fl_wire w = fl_jfr_wire(chunk, from - chunk->at);
	const uint8_t *stop = release(chunk, from, to);

	while (w.at < to && !pass->damaged) {
		struct fl_jfr_class *class;
		struct fl_jfr_head head;
		bool quick = false;

		if (!fl_jfr_read_head(&w, to, &head)) {
			pass->damaged = true;
			return;
		}
		if (head.type > 1) {
			class = fl_jfr_class_by_id(chunk, head.type);
			if (fl_likely(class != NULL))
				quick = read_one(pass, class, w, head.begin,
						 head.size);
			else
				pass->damaged = !chunk->framing->done;
		} else {
			chunk->pools->nmet += head.type;
		}
		w.at = head.begin + head.size;
		if (quick)
			w.at = fl_jfr_read_by_layout(chunk, w.at, stop);
		if (fl_unlikely(w.at >= stop && w.at < to))
			stop = release(chunk, w.at, to);
	}
}

/* The event of a range whose size is wrong: its fields end at `to`. */
static void read_resized(struct pass *pass, const struct fl_jfr_range *range)
{
	struct fl_jfr_chunk *chunk = pass->chunk;
	struct fl_wire w = fl_jfr_wire(chunk, range->from);
	struct fl_jfr_class *class;
	uint64_t type;

	fl_wire_int(&w);
	type = fl_wire_long(&w);
	class = type > 1 ? fl_jfr_class_by_id(chunk, type) : NULL;
	if (!class)
		return;
	chunk->readers->nevents++;
	read_event(pass, class, w, chunk->at + range->to);
}

static void free_readers(struct fl_jfr_chunk *chunk)
{
	struct fl_jfr_readers *readers = chunk->readers;

	for (uint32_t i = 0; i < readers->count; i++) {
		fl_map_free(&readers->data[i]->counted);
		fl_map_free(&readers->data[i]->kinds[0].by_state);
		fl_map_free(&readers->data[i]->kinds[1].by_state);
		fl_jfr_plain_done(readers->data[i]);
	}
	fl_free(readers->data);
}

void fl_jfr_tables_done(struct fl_jfr_chunk *chunk)
{
	fl_jfr_sums_done(chunk);
	fl_jfr_stacks_done(chunk);
	fl_jfr_traces_done(chunk);
}

void fl_jfr_events_free(struct fl_jfr_chunk *chunk)
{
	free_readers(chunk);
	fl_jfr_tables_done(chunk);
	fl_free(chunk->events->notes);
}

/* Frees readers and sums, to make them anew for the whole events. */
static void forget_events(struct fl_jfr_chunk *chunk)
{
	fl_jfr_events_free(chunk);
	for (uint32_t i = 0; i < chunk->types->nclasses; i++) {
		struct fl_jfr_class *class = &chunk->types->classes[i];

		class->planned = class->noted = false;
		class->reader = NULL;
		class->events = 0;
	}
	*chunk->readers = (struct fl_jfr_readers){ 0 };
	*chunk->events = (struct fl_jfr_events){ 0 };
	chunk->pools->nmet = 0;
}

/* Reads the whole events of a chunk with damaged ones. */
static void read_whole_ones(struct pass *pass)
{
	struct fl_jfr_chunk *chunk = pass->chunk;

	forget_events(chunk);
	*pass = (struct pass){ .chunk = chunk, .jfr = pass->jfr };
	if (!fl_jfr_find_ranges(chunk))
		return;
	begin_pass(pass);
	for (size_t i = 0; i < chunk->framing->nranges; i++) {
		const struct fl_jfr_range *range = &chunk->framing->ranges[i];

		if (range->resized)
			read_resized(pass, range);
		else
			read_range(pass, chunk->at + range->from,
				   chunk->at + range->to);
		pass->damaged = false;
	}
}

bool fl_jfr_read_events(struct fl_jfr_chunk *chunk)
{
	struct fl_jfr_readers *readers = chunk->readers;
	struct pass pass = { .chunk = chunk, .jfr = chunk->jfr };

	chunk->pages.passed = chunk->at;
	chunk->pages.released = true;
	begin_pass(&pass);
	read_range(&pass, fl_jfr_wire(chunk, FL_JFR_HEADER).at,
		   chunk->at + chunk->size);
	if (fl_unlikely(pass.damaged))
		read_whole_ones(&pass);
	for (uint32_t i = 0; i < readers->count; i++)
		if (readers->data[i]->plain)
			fl_jfr_each_plain(chunk, readers->data[i], add_plain,
					  &pass);
	return !fl_failed(chunk->flame);
}
