/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The events of a chunk, in one pass: the size and the type of each, and of
 * those that are asked for a few fields.  Equal ones are summed: by stack
 * trace, state, class, thread, so far as these are asked for.
 */
#include "fl.h"

#include "format/jfr/jfr.h"

#include <math.h>
#include <stdlib.h>
#include <strings.h>

/* Keys of traces in a plain table. */
enum { LEAST_LOW = 1 << 10, MOST_LOW = 1 << 20 };

/* Counting ---------------------------------------------------------------- */

/*
 * Tables of traces and sums are larger than the cache: their entries for an
 * event are prefetched step by step while EACH more events are read.  Below
 * FEW entries they fit the cache.
 */
enum { EACH = 8, WAITING = 4 * EACH, FEW = 1 << 14 };

enum { FAR = 32 };	/* sums of a trace that are looked through */

struct pass {
	struct fl_jfr_chunk *chunk;
	struct fl_jfr *jfr;
	bool by_thread, by_time, leak;
	bool damaged;		/* an event whose size and fields disagree */
	uint64_t read, traced, met, added;	/* so many events */
	uint64_t key[WAITING];			/* of the stack trace */
	struct fl_jfr_sum waiting[WAITING];
	struct fl_jfr_aside asides[WAITING];
};

static const struct fl_jfr_aside nothing = {
	.first = INT64_MAX, .last = INT64_MIN
};

static void name_slots(const struct pass *pass, const struct fl_jfr_count *c,
		       const char *names[FL_JFR_SLOTS])
{
	const struct fl_jfr_row *row = c->row;
	const struct fl_select *select = &pass->jfr->source->select;

	names[FL_JFR_STACK] = "stackTrace";
	if (pass->chunk->limited || pass->by_time || pass->jfr->spans ||
	    select->survey || pass->leak)
		names[FL_JFR_TIME] = "startTime";
	if (pass->by_thread)
		names[FL_JFR_THREAD] = fl_jfr_thread_field(c->class);
	if (!row || (c->raw && !row->value)) {
		names[FL_JFR_VALUE] = "duration";
	} else {
		names[FL_JFR_COUNT] = c->raw && !c->latest ? NULL : row->count;
		names[FL_JFR_VALUE] = row->value;
		names[FL_JFR_FACTOR] = row->factor;
		names[FL_JFR_LEAF] = c->raw && !c->latest ? NULL : row->leaf;
		if (row->group == FL_JFR_GROUP_NATIVEMEM)
			names[FL_JFR_ADDRESS] = "address";
	}
	if (row && (row->group == FL_JFR_GROUP_EXEC || select->state))
		names[FL_JFR_STATE] = "state";
}

/* jfrconv's grain depends on all that it has read, and on their order. */
static bool is_rounded(const struct fl_jfr_options *options)
{
	return options->compat && options->grain > 0;
}

/* What to do with a class's events, decided when its first one comes. */
static void look_at(struct pass *pass, struct fl_jfr_class *class)
{
	const char *names[FL_JFR_SLOTS] = { NULL };
	struct fl_jfr_chunk *chunk = pass->chunk;
	struct slice event = fl_jfr_plain_name(class->name);
	const struct fl_jfr_row *row = fl_jfr_row_of(event);
	struct fl_jfr_count *c;
	bool lost;

	class->looked_at = true;
	class->noted = (fl_slice_is(event, "jdk.ActiveSetting") ||
			(pass->jfr->source->select.survey &&
			 (fl_slice_is(event, "jdk.JVMInformation") ||
			  fl_slice_is(event, "jdk.OSInformation") ||
			  fl_slice_is(event, "jdk.CPUInformation") ||
			  fl_slice_is(event, "jdk.ActiveRecording")))) &&
		       fl_jfr_plan(chunk, class);
	if (chunk->skim)
		return;
	/* Plans say where the stack trace is, so make them first. */
	/* Memory that is freed is no sample; only leaks ask for it. */
	if (fl_slice_is(event, "profiler.Free") && !pass->leak &&
	    !is_rounded(fl_jfr_options(pass->jfr)))
		return;
	lost = fl_slice_is(event, "jdk.CPUTimeSamplesLost");
	if (!fl_jfr_plan(chunk, class) ||
	    (!row && !lost && !fl_jfr_has_stack(class)))
		return;
	c = fl_arena_alloc(&chunk->arena, sizeof(*c));
	if (!c || !fl_grow(&chunk->counts, &chunk->counts_room,
			   chunk->ncounts + 1, sizeof(*chunk->counts))) {
		fl_no_memory(pass->chunk->flame);
		return;
	}
	memset(c, 0, sizeof(*c));
	c->class = class;
	c->event = event;
	c->row = row;
	c->raw = fl_jfr_is_raw(pass->jfr, event);
	c->lost = lost;
	c->cpu = row && strcmp(row->metric, "cpu") == 0;
	c->span = row && row->value && strcmp(row->value, "timeSpan") == 0;
	c->latest = row && strcmp(row->event, "jdk.MethodTiming") == 0;
	c->tlab = row && row->value && strcmp(row->value, "tlabSize") == 0;
	c->object = row && row->leaf && strcmp(row->leaf, "object") == 0;
	c->full = !lost && fl_jfr_is_full(chunk, c);
	if (lost)
		names[FL_JFR_VALUE] = "lostSamples";
	else if (c->full)
		name_slots(pass, c, names);
	else if (!row)
		names[FL_JFR_STACK] = "stackTrace";
	else
		names[FL_JFR_COUNT] = row->count;
	if (!fl_jfr_compile(chunk, c, names))
		return;
	fl_jfr_settle_unit(c);
	/* jfrconv's grain depends on which came first. */
	c->plain = fl_jfr_options(pass->jfr)->grain == 0 && !pass->by_time &&
		   !chunk->limited && !pass->jfr->spans &&
		   c->has[FL_JFR_STACK] && !c->has[FL_JFR_TIME] &&
		   !c->has[FL_JFR_COUNT] && !c->has[FL_JFR_VALUE] &&
		   !c->has[FL_JFR_LEAF] && !c->has[FL_JFR_THREAD];
	c->counted.ordered = true;
	class->count = c;
	c->number = chunk->ncounts;
	chunk->counts[chunk->ncounts++] = c;
	if (row && (row->group == FL_JFR_GROUP_ALLOC) &&
	    strcmp(row->event, "jdk.ObjectAllocationSample") != 0)
		chunk->with_tlab = true;
}

/*
 * So many keys from 0 on have a place in a plain table that grows: to powers
 * of two, as async-profiler's keys are places in tables of such sizes.
 */
static bool make_low(struct fl_jfr_chunk *chunk, uint64_t key)
{
	size_t had = chunk->low_traces, room = LEAST_LOW;

	while (room <= key)
		room *= 2;
	if (!fl_grow(&chunk->low_trace_of, &chunk->low_traces_room, room,
		     sizeof(*chunk->low_trace_of)))
		return false;
	chunk->low_traces = FL_MIN(chunk->low_traces_room, (size_t)MOST_LOW);
	memset(chunk->low_trace_of + had, 0,
	       (chunk->low_traces - had) * sizeof(*chunk->low_trace_of));
	return true;
}

uint32_t fl_jfr_add_trace(struct fl_jfr_chunk *chunk, uint64_t key)
{
	uint64_t *at = NULL;

	if (key >= chunk->low_traces &&
	    (key < MOST_LOW ? !make_low(chunk, key) :
	     !(at = fl_map_put(&chunk->trace_of, key, NULL))))
		return UINT32_MAX;
	if (!fl_grow(&chunk->traces, &chunk->traces_room, chunk->ntraces + 1,
		     sizeof(*chunk->traces)))
		return UINT32_MAX;
	chunk->traces[chunk->ntraces] = (struct fl_jfr_trace){ .key = key };
	if (at)
		*at = chunk->ntraces;
	else
		chunk->low_trace_of[key] = chunk->ntraces + 1;
	return chunk->ntraces++;
}

static uint32_t trace_of(struct fl_jfr_chunk *chunk, uint64_t key)
{
	uint32_t trace = fl_jfr_trace_of(chunk, key);

	return fl_likely(trace != UINT32_MAX) ? trace :
	       fl_jfr_add_trace(chunk, key);
}

static bool is_alike(const struct fl_jfr_chunk *chunk, uint32_t i,
		     const struct fl_jfr_sum *like,
		     const struct fl_jfr_aside *aside)
{
	const struct fl_jfr_sum *sum = &chunk->sums[i];

	return sum->row == like->row && sum->state == like->state &&
	       sum->leaf == like->leaf && sum->outside == like->outside &&
	       (!chunk->with_asides ||
		chunk->asides[i].thread == aside->thread);
}

static uint64_t hash_of(const struct fl_jfr_chunk *chunk,
			const struct fl_jfr_sum *sum,
			const struct fl_jfr_aside *aside)
{
	uint64_t hash = fl_hash_pair((uint64_t)sum->trace << 32 |
					     sum->row << 1 | sum->outside,
				     sum->leaf);

	return fl_hash_pair(
		hash, fl_hash_pair(sum->state,
				   chunk->with_asides ? aside->thread : 0));
}

/* As find_sum, of a trace with so many that all sums have an index. */
static struct fl_jfr_sum *find_far(struct fl_jfr_chunk *chunk,
				   const struct fl_jfr_sum *like,
				   const struct fl_jfr_aside *aside)
{
	uint64_t hash = hash_of(chunk, like, aside);
	uint32_t i, at;

	for (; chunk->nfar < chunk->nsums; chunk->nfar++) {
		size_t n = chunk->nfar;

		if (!fl_index_add(&chunk->far,
				  hash_of(chunk, &chunk->sums[n],
					  chunk->with_asides ?
					  &chunk->asides[n] : NULL),
				  (uint32_t)n + 1)) {
			fl_no_memory(chunk->flame);
			return NULL;
		}
	}
	at = fl_index_first(&chunk->far, hash);
	while ((i = fl_index_next(&chunk->far, hash, &at)))
		if (chunk->sums[i - 1].trace == like->trace &&
		    is_alike(chunk, i - 1, like, aside))
			return &chunk->sums[i - 1];
	return NULL;
}

/* One that is alike, of its trace; NULL: the first of its kind. */
static struct fl_jfr_sum *find_sum(struct fl_jfr_chunk *chunk,
				   const struct fl_jfr_sum *like,
				   const struct fl_jfr_aside *aside)
{
	uint32_t i = chunk->traces[like->trace].first;

	for (unsigned n = 0; i; n++) {
		if (n == FAR)
			return find_far(chunk, like, aside);
		if (is_alike(chunk, i - 1, like, aside))
			return &chunk->sums[i - 1];
		i = chunk->sums[i - 1].next;
	}
	return NULL;
}

static void add_aside(struct fl_jfr_aside *to, const struct fl_jfr_aside *aside)
{
	to->first = FL_MIN(to->first, aside->first);
	to->last = FL_MAX(to->last, aside->last);
}

static void add_sum(struct pass *pass, const struct fl_jfr_sum *sum,
		    const struct fl_jfr_aside *aside)
{
	struct fl_jfr_chunk *chunk = pass->chunk;
	struct fl_jfr_sum *old = pass->by_time ? NULL :
				 find_sum(chunk, sum, aside);

	if (old && chunk->counts[sum->row]->latest) {
		old->samples = sum->samples;
		old->value = sum->value;
		return;
	}
	if (old) {
		old->samples = fl_add_clamped(old->samples, sum->samples);
		old->value = fl_add_clamped(old->value, sum->value);
		old->bare = fl_add_clamped(old->bare, sum->bare);
		if (chunk->with_asides)
			add_aside(&chunk->asides[old - chunk->sums], aside);
		return;
	}
	if (!fl_grow(&chunk->sums, &chunk->sums_room, chunk->nsums + 1,
		     sizeof(*chunk->sums)) ||
	    (chunk->with_asides &&
	     !fl_grow(&chunk->asides, &chunk->asides_room, chunk->nsums + 1,
		      sizeof(*chunk->asides)))) {
		fl_no_memory(pass->chunk->flame);
		return;
	}
	if (chunk->with_asides)
		chunk->asides[chunk->nsums] = *aside;
	chunk->sums[chunk->nsums] = *sum;
	chunk->sums[chunk->nsums].next = chunk->traces[sum->trace].first;
	chunk->traces[sum->trace].first = ++chunk->nsums;
}

/* What an event says, beside its fields. */
struct weight {
	int64_t samples, value;
	bool outside;
};

/*
 * Most events are like one before, and few sums are near: there it is added,
 * without more.  false: add_sum has to look.
 */
static inline bool add_again(struct pass *pass, const struct fl_jfr_count *c,
			     struct weight weight)
{
	struct fl_jfr_chunk *chunk = pass->chunk;
	uint64_t key = c->values[FL_JFR_STACK];
	uint32_t trace, i;

	if (chunk->nsums >= FEW || pass->added != pass->read ||
	    chunk->with_asides || c->latest || key >= chunk->low_traces)
		return false;
	trace = chunk->low_trace_of[key];
	i = trace ? chunk->traces[trace - 1].first : 0;
	for (unsigned n = 0; i && n < FAR; n++) {
		struct fl_jfr_sum *sum = &chunk->sums[i - 1];

		i = sum->next;
		if (sum->row != c->number || sum->outside != weight.outside ||
		    sum->state != c->values[FL_JFR_STATE] ||
		    sum->leaf != c->values[FL_JFR_LEAF])
			continue;
		sum->samples = fl_add_clamped(sum->samples, weight.samples);
		sum->value = fl_add_clamped(sum->value, weight.value);
		if (!weight.value)
			sum->bare = fl_add_clamped(sum->bare, weight.samples);
		return true;
	}
	return false;
}

/* Whether its time and its thread's spans let it through. */
static bool in_time(const struct pass *pass, const struct fl_jfr_count *c)
{
	int64_t ticks = c->values[FL_JFR_TIME];

	if (pass->chunk->limited &&
	    (ticks < pass->chunk->from || ticks > pass->chunk->to))
		return false;
	return !pass->jfr->spans ||
	       fl_jfr_in_span(pass->jfr, c->values[FL_JFR_THREAD],
			      fl_jfr_ns(pass->chunk, ticks));
}

static int64_t value_of(const struct fl_jfr_count *c)
{
	if (c->has[FL_JFR_FACTOR])
		return llrint(fl_jfr_double(c, FL_JFR_VALUE) *
			      fl_jfr_double(c, FL_JFR_FACTOR));
	if (c->kind[FL_JFR_VALUE])
		return llrint(fl_jfr_double(c, FL_JFR_VALUE));
	return c->values[FL_JFR_VALUE];
}

static void add_at_once(struct pass *pass, struct fl_jfr_sum *sum,
			const struct fl_jfr_aside *aside, uint64_t key)
{
	sum->trace = trace_of(pass->chunk, key);
	if (fl_likely(sum->trace != UINT32_MAX))
		add_sum(pass, sum, aside);
	else
		fl_no_memory(pass->chunk->flame);
}

static void find_trace(struct pass *pass)
{
	size_t i = pass->traced++ % WAITING;
	struct fl_jfr_sum *sum = &pass->waiting[i];

	sum->trace = trace_of(pass->chunk, pass->key[i]);
	if (sum->trace == UINT32_MAX)
		fl_no_memory(pass->chunk->flame);
	else
		fl_prefetch(&pass->chunk->traces[sum->trace]);
}

static void meet_sum(struct pass *pass)
{
	const struct fl_jfr_chunk *chunk = pass->chunk;
	uint32_t trace = pass->waiting[pass->met++ % WAITING].trace;

	if (trace != UINT32_MAX && chunk->traces[trace].first)
		fl_prefetch(&chunk->sums[chunk->traces[trace].first - 1]);
}

static void add_next(struct pass *pass)
{
	size_t i = pass->added++ % WAITING;

	if (pass->waiting[i].trace != UINT32_MAX)
		add_sum(pass, &pass->waiting[i], &pass->asides[i]);
}

static void add_waiting(struct pass *pass)
{
	while (pass->traced < pass->read)
		find_trace(pass);
	while (pass->added < pass->read)
		add_next(pass);
	pass->met = pass->added;
}

/* What waits next: it is filled in. */
static void wait_for_trace(struct pass *pass, uint64_t key)
{
	struct fl_jfr_chunk *chunk = pass->chunk;
	size_t i = pass->read % WAITING;

	if (fl_likely(chunk->nsums < FEW && pass->added == pass->read)) {
		add_at_once(pass, &pass->waiting[i], &pass->asides[i], key);
		return;
	}
	pass->key[pass->read++ % WAITING] = key;
	if (key < chunk->low_traces)
		fl_prefetch(&chunk->low_trace_of[key]);
	if (pass->read - pass->traced > EACH)
		find_trace(pass);
	if (pass->read - pass->met > 2 * EACH)
		meet_sum(pass);
	if (pass->read - pass->added > 3 * EACH)
		add_next(pass);
}

static void tell_aside(const struct pass *pass, const struct fl_jfr_count *c,
		       struct fl_jfr_aside *aside)
{
	*aside = nothing;
	aside->thread = c->values[FL_JFR_THREAD];
	if (c->has[FL_JFR_TIME])
		aside->first = aside->last = c->values[FL_JFR_TIME];
	if (pass->leak)
		aside->address = c->values[FL_JFR_ADDRESS];
}

static void count_event(struct pass *pass, struct fl_jfr_count *c)
{
	struct weight weight = { .samples = 1 };

	if (!in_time(pass, c))
		return;
	if (c->has[FL_JFR_COUNT])
		weight.samples = c->kind[FL_JFR_COUNT] ?
				 llrint(fl_jfr_double(c, FL_JFR_COUNT)) :
				 (int64_t)c->values[FL_JFR_COUNT];
	if (c->has[FL_JFR_VALUE])
		weight.value = value_of(c);
	if (c->row && c->row->group == FL_JFR_GROUP_ALLOC)
		weight.outside = !weight.value || !c->tlab;
	if (fl_likely(add_again(pass, c, weight)))
		return;
	/* What its class does not have is 0. */
	pass->waiting[pass->read % WAITING] = (struct fl_jfr_sum){
		.row = c->number, .outside = weight.outside,
		.state = c->values[FL_JFR_STATE],
		.leaf = c->values[FL_JFR_LEAF],
		.samples = weight.samples, .value = weight.value,
		.bare = weight.value ? 0 : weight.samples,
	};
	if (pass->chunk->with_asides)
		tell_aside(pass, c, &pass->asides[pass->read % WAITING]);
	wait_for_trace(pass, c->values[FL_JFR_STACK]);
}

static void add_plain(void *data, const struct fl_jfr_count *c,
		      uint64_t stack, uint64_t state, int64_t samples)
{
	struct pass *pass = data;
	struct fl_jfr_sum sum = {
		.row = c->number, .samples = samples, .bare = samples,
		.state = state,
	};

	add_at_once(pass, &sum, &nothing, stack);
}

static void note(struct fl_jfr_chunk *chunk, const struct fl_jfr_class *class,
		 const uint8_t *at)
{
	if (chunk->nnotes >= 8192 ||
	    !fl_grow(&chunk->notes, &chunk->notes_room, chunk->nnotes + 1,
		     sizeof(*chunk->notes)))
		return;
	chunk->notes[chunk->nnotes++] = (struct fl_jfr_note){
		class, at - chunk->at
	};
}

/* Its sizes say how long its fields are, as far as numbers vary in length. */
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
	if (pass->chunk->framed)
		return true;
	if (class->event && fl_jfr_plan(pass->chunk, class)) {
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

/*
 * A plain event with room behind it: over some integers, the stack, over
 * some more, the state.
 */
static inline bool read_quick(struct pass *pass, struct fl_jfr_class *class,
			      const uint8_t *at, const uint8_t *end)
{
	struct fl_jfr_count *c = class->count;

	class->events++;
	for (unsigned i = c->before; i; i--)
		at = fl_wire_pass(at);
	at = fl_wire_take(at, &c->values[FL_JFR_STACK]);
	if (c->has[FL_JFR_STATE]) {
		for (unsigned i = c->between; i; i--)
			at = fl_wire_pass(at);
		at = fl_wire_take(at, &c->values[FL_JFR_STATE]);
	}
	if (fl_unlikely(at > end))
		pass->damaged = true;
	else if (fl_unlikely(!fl_jfr_count_plain(pass->chunk, c)))
		count_event(pass, c);
	return true;
}

static inline void tally(struct fl_jfr_class *class)
{
	class->events++;
	class->count->samples++;
}

/* One that was looked at, with room behind it. */
static inline void read_direct(struct pass *pass, struct fl_jfr_class *class,
			       const uint8_t *at, const uint8_t *end)
{
	struct fl_jfr_count *c = class->count;

	class->events++;
	if (fl_likely(fl_jfr_take(c, at) <= end))
		count_event(pass, c);
	else
		pass->damaged = true;
}

static void read_event(struct pass *pass, struct fl_jfr_class *class,
		       struct fl_wire w, const uint8_t *end)
{
	struct fl_jfr_count *c;

	class->events++;
	if (fl_unlikely(!class->looked_at)) {
		look_at(pass, class);
		c = class->count;
		if (c) {
			fl_jfr_settle_quick(pass->chunk, c);
			c->direct = c->full && !c->plain && c->ntaking &&
				    pass->chunk->compressed && !class->noted;
			c->bare = !c->full && !c->nsteps && !class->noted;
		}
	}
	if (fl_unlikely(class->noted))
		note(pass->chunk, class, w.at);
	c = class->count;
	if (!c)
		return;
	if (!c->full && !c->nsteps) {
		c->samples++;
		return;
	}
	/*
	 * Reading may look past the event's end, so that whole words can be
	 * looked at; what goes past it is broken.
	 */
	fl_jfr_run(c, &w);
	if (fl_unlikely(w.bad || w.at > end)) {
		pass->damaged = true;
		return;
	}
	if (c->full) {
		if (!c->plain || !fl_jfr_count_plain(pass->chunk, c))
			count_event(pass, c);
	} else if (c->lost) {
		pass->chunk->lost_samples += c->values[FL_JFR_VALUE];
	} else if (c->has[FL_JFR_COUNT]) {
		c->samples = fl_add_clamped(c->samples, llrint(
					fl_jfr_double(c, FL_JFR_COUNT)));
	} else {
		c->samples += !c->has[FL_JFR_STACK] ||
			      c->values[FL_JFR_STACK];
	}
}

/* What chunks before have done with. */
static void furnish(struct fl_jfr_chunk *chunk)
{
	struct fl_jfr *jfr = chunk->jfr;

	if (chunk->traces || chunk->sums || chunk->low_trace_of)
		return;
	chunk->traces = fl_jfr_spare(jfr, FL_JFR_SPARE_TRACES,
				     &chunk->traces_room);
	chunk->sums = fl_jfr_spare(jfr, FL_JFR_SPARE_SUMS,
				   &chunk->sums_room);
	chunk->low_trace_of = fl_jfr_spare(jfr, FL_JFR_SPARE_LOW_TRACES,
					   &chunk->low_traces_room);
	chunk->low_traces = chunk->low_traces_room;
}

/* What was read need not stay in memory.  Where to look again. */
static const uint8_t *let_go(struct fl_jfr_chunk *chunk, const uint8_t *at,
			     const uint8_t *end)
{
	fl_jfr_let_go(chunk, at);
	return end - at > chunk->window ? at + chunk->window : end;
}

static void begin_pass(struct pass *pass)
{
	const struct fl_jfr *jfr = pass->jfr;
	const struct fl_select *select = &jfr->source->select;
	struct fl_jfr_chunk *chunk = pass->chunk;

	furnish(chunk);
	pass->leak = select->leak && select->event &&
		     strcmp(select->event, "nativemem") == 0;
	pass->by_thread = select->thread || select->survey || jfr->spans ||
			  (select->needs & FL_NEED_THREAD);
	pass->by_time = (select->needs & FL_NEED_TIME) || pass->leak;
	chunk->with_asides = pass->by_thread || pass->by_time ||
			     chunk->limited || jfr->spans;
}

/*
 * An event of a class, whose fields begin at w.at.  Whether others of plain
 * classes may follow, which are read in a row.
 */
static inline bool read_one(struct pass *pass, struct fl_jfr_class *class,
			    struct fl_wire w, const uint8_t *begin,
			    uint32_t size)
{
	const uint8_t *end = begin + size;

	pass->chunk->nevents++;
	if (fl_unlikely(!is_checked(class, size)) &&
	    !check_event(pass, class, w, begin, size))
		return false;
	if (fl_unlikely(!class->count || w.end - w.at <= 256))
		read_event(pass, class, w, end);
	else if (class->count->quick)
		return read_quick(pass, class, w.at, end);
	else if (class->count->direct)
		read_direct(pass, class, w.at, end);
	else if (class->count->bare)
		tally(class);
	else
		read_event(pass, class, w, end);
	return false;
}

/* Events from one place to another, or to the first that is damaged. */
static void read_range(struct pass *pass, const uint8_t *from,
		       const uint8_t *to)
{
	struct fl_jfr_chunk *chunk = pass->chunk;
	struct fl_wire w = fl_jfr_wire(chunk, from - chunk->at);
	const uint8_t *end = w.end, *stop = let_go(chunk, from, to);

	while (w.at < to && !pass->damaged) {
		const uint8_t *begin = w.at;
		struct fl_jfr_class *class;
		uint64_t type;
		uint32_t size;
		bool quick = false;

		if (fl_likely(w.compressed && end - begin > 18)) {
			w.at = fl_wire_take(w.at, &type);
			size = type;
			w.at = fl_wire_take(w.at, &type);
		} else {
			size = fl_wire_int(&w);
			type = fl_wire_long(&w);
		}
		if (fl_unlikely(w.bad || !size ||
				size > (uint64_t)(to - begin))) {
			pass->damaged = true;
			return;
		}
		if (type > 1) {
			class = fl_likely(type < FL_COUNT(chunk->low)) ?
				chunk->low[type] :
				fl_jfr_class_by_id(chunk, type);
			if (fl_likely(class != NULL))
				quick = read_one(pass, class, w, begin, size);
			else
				pass->damaged = !chunk->framed;
		} else {
			chunk->nmet += type;
		}
		w.at = begin + size;
		if (quick)
			w.at = fl_jfr_read_quickly(chunk, w.at, stop);
		if (fl_unlikely(w.at >= stop && w.at < to))
			stop = let_go(chunk, w.at, to);
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
	/* Not read_one, which has to stay inline where it is called first. */
	chunk->nevents++;
	read_event(pass, class, w, chunk->at + range->to);
}

/* Those that are whole, of a chunk with damaged ones. */
static void read_whole_ones(struct pass *pass)
{
	struct fl_jfr_chunk *chunk = pass->chunk;

	fl_jfr_forget_events(chunk);
	*pass = (struct pass){ .chunk = chunk, .jfr = pass->jfr };
	if (!fl_jfr_find_ranges(chunk))
		return;
	begin_pass(pass);
	for (size_t i = 0; i < chunk->ranges.n; i++) {
		const struct fl_jfr_range *range = &chunk->ranges.at[i];

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
	struct pass pass = { .chunk = chunk, .jfr = chunk->jfr };

	chunk->passed = chunk->at;
	chunk->lets_go = true;
	begin_pass(&pass);
	read_range(&pass, fl_jfr_wire(chunk, 68).at, chunk->at + chunk->size);
	if (fl_unlikely(pass.damaged))
		read_whole_ones(&pass);
	add_waiting(&pass);
	for (uint32_t i = 0; i < chunk->ncounts; i++)
		if (chunk->counts[i]->plain)
			fl_jfr_each_plain(chunk, chunk->counts[i], add_plain,
					  &pass);
	return !fl_failed(chunk->flame);
}
