/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the sample of a record of perf script: fl_perf_record_begin() receives
 * its parsed first line, fl_perf_record_end() its frames.  A sample's metric is
 * its event, its stack begins with the comm.  perf.c calls these; data/data.c
 * makes the samples of perf.data here, too.
 */
#include "fl.h"

#include "format/perf/reader.h"

#include <inttypes.h>

enum { TAIL = 1 << 20 };	/* of a file: the end is looked for in it */

/* The comm as a stack of one frame, with ids where they are asked for. */
static flame_id comm_stack(struct fl_perf_reader *r,
			   const struct fl_perf_header *h)
{
	const struct fl_perf_options *options = r->naming.options;
	struct fl_buf *buf = &r->naming.buf;
	flame_id name;

	buf->size = 0;
	fl_buf_put(buf, h->comm.data, h->comm.size);
	for (size_t i = 0; options->peer && i < buf->size; i++)
		if (buf->data[i] == ' ' || buf->data[i] == '\t')
			buf->data[i] = '_';
	if (options->pid || options->tid) {
		if (h->pid < 0)
			fl_buf_text(buf, "-?");
		else
			fl_buf_print(buf, "-%" PRId64, h->pid);
	}
	if (options->tid)
		fl_buf_print(buf, "/%" PRId64, h->tid);
	if (!buf->size)
		return 0;
	name = flame_name(r->flame, buf->data, buf->size);
	return flame_stack(
		r->flame, 0,
		fl_frame(r->flame, name,
			 options->peer ? FLAME_UNKNOWN : FLAME_GROUP));
}

/* thread=comm, tid=N, pid=N. */
static flame_id thread_of(struct fl_perf_reader *r,
			  const struct fl_perf_header *h, flame_id comm)
{
	struct flame *flame = r->flame;
	char number[24] = "";
	flame_id set = 0;

	if (h->tid >= 0)
		set = fl_thread(flame, fl_name_at(flame, comm), h->tid);
	else if (comm)
		set = flame_label(flame, 0, fl_name(flame, "thread"), comm);
	if (h->pid >= 0) {
		number[fl_format_u64(number, h->pid)] = '\0';
		set = flame_label(flame, set, fl_name(flame, "pid"),
				  fl_name(flame, number));
	}
	return set;
}

static flame_id add_number(struct flame *flame, flame_id set, const char *key,
			   int64_t n)
{
	char number[24];

	if (n < 0)
		return set;
	number[fl_format_u64(number, (uint64_t)n)] = '\0';
	return flame_label(flame, set, fl_name(flame, key),
			   fl_name(flame, number));
}

/* cpu=N, and of guests machine_pid=N, vcpu=N. */
static flame_id labels_of(struct flame *flame, const struct fl_perf_header *h)
{
	flame_id set = add_number(flame, 0, "cpu", h->cpu);

	set = add_number(flame, set, "machine_pid", h->machine);
	return add_number(flame, set, "vcpu", h->vcpu);
}

void fl_perf_record_cgroup(struct fl_perf_reader *r, struct slice cgroup)
{
	struct fl_perf_record *record = &r->record;
	struct flame *flame = r->flame;

	if (!cgroup.size || !record->wanted ||
	    !(r->source->select.needs & FL_NEED_STATE))
		return;
	record->labels =
		flame_label(flame, record->labels, fl_name(flame, "cgroup"),
			    flame_name(flame, cgroup.data, cgroup.size));
}

/* The thread: resolved once for the columns left of the time. */
static void set_thread(struct fl_perf_reader *r,
		       const struct fl_perf_header *h,
		       struct fl_perf_record *record)
{
	struct fl_perf_left none, *left = h->left;

	if (!left) {
		memset(&none, 0, sizeof(none));
		left = &none;
	}
	if (!left->base)
		left->base = comm_stack(r, h);
	if (!left->thread && r->source->select.needs & FL_NEED_THREAD)
		left->thread = thread_of(r, h, record->comm);
	if (!left->labels && r->source->select.needs & FL_NEED_STATE)
		left->labels = labels_of(r->flame, h);
	record->base = left->base;
	record->labels = left->labels;
	record->thread = left->thread;
}

static flame_id comm_of(struct fl_perf_reader *r,
			const struct fl_perf_header *h)
{
	flame_id comm = h->left ? h->left->comm : 0;

	if (!comm)
		comm = flame_name(r->flame, h->comm.data, h->comm.size);
	if (h->left)
		h->left->comm = comm;
	return comm;
}

/*
 * The compat tools use the first event.  FlameGraph's script finds it at the
 * end of a line, inferno between the first two colons.
 */
static bool peer_takes(struct fl_perf_reader *r, struct fl_perf_header *h)
{
	const struct fl_select *select = &r->source->select;
	bool perl = r->naming.options->peer == FL_PEER_PERL;
	const char *colon = memchr(h->event.data, ':', h->event.size);

	if (perl && (h->time == FLAME_NOTIME || !h->event.size ||
		     h->rest.size)) {
		h->period = -1;
		h->event.size = 0;
		return true;
	}
	if (!perl && colon)
		h->event.size = colon - h->event.data;
	if (!perl && h->time == FLAME_NOTIME) {
		h->period = -1;
		h->event.size = 0;
	}
	if (select->event)
		return fl_slice_is(h->event, select->event);
	if (!r->has_filter) {
		r->filter.data = fl_arena_copy(&r->source->arena, h->event.data,
					       h->event.size);
		r->filter.size = r->filter.data ? h->event.size : 0;
		r->has_filter = true;
	}
	return h->event.size == r->filter.size &&
	       memcmp(h->event.data, r->filter.data, r->filter.size) == 0;
}

/*
 * The latest time in the last part of a file: samples of several cpus are
 * not quite in order.
 */
static void find_end(struct fl_perf_reader *r)
{
	struct flame_source *source = r->source;
	struct fl_perf_header h;
	const char *all = NULL, *at, *lf;
	size_t size = 0;

	r->looked_for_end = true;
	if (fl_in_is_stable(source->in) && !r->binary)
		all = (const char *)fl_in_peek(source->in, SIZE_MAX, &size);
	for (at = all ? all + size - FL_MIN(size, (size_t)TAIL) : NULL;
	     at && at < all + size; at = lf + 1) {
		lf = memchr(at, '\n', all + size - at);
		if (!lf)
			lf = all + size;
		if (*at != '\t' && *at != '#' &&
		    fl_perf_header((struct slice){ at, lf - at }, NULL, &h) &&
		    !h.non_sample && h.time != FLAME_NOTIME)
			source->end = FL_MAX(source->end, h.time);
	}
	if (source->end == FLAME_NOTIME)
		fl_warn(r->flame, "%s: the end of %s is not known: times from "
			"there do not count", fl_in_name(source->in),
			all ? "what has no times" : "a stream");
}

static bool in_time(struct fl_perf_reader *r, int64_t time)
{
	struct flame_source *source = r->source;
	const struct fl_select *s = &source->select;
	int64_t from, to;

	if (fl_likely(!s->from.base && !s->to.base))
		return true;
	if (time == FLAME_NOTIME)
		return false;
	if (!r->looked_for_end && fl_select_needs_end(s))
		find_end(r);
	from = fl_when_resolve(&s->from, source->start, source->end);
	to = fl_when_resolve(&s->to, source->start, source->end);
	return (from == FLAME_NOTIME || time >= from) &&
	       (to == FLAME_NOTIME || time <= to);
}

static bool has_thread(struct fl_perf_reader *r,
		       const struct fl_perf_record *record)
{
	const struct fl_select *s = &r->source->select;
	struct slice comm = fl_name_at(r->flame, record->comm);

	/* perf knows no states: a list of them means none of its samples. */
	if (s->state)
		return false;
	return !s->thread || fl_regex_match(s->thread, comm.data, comm.size);
}

static void set_weight(struct fl_perf_reader *r, struct fl_perf_record *record,
		       const struct fl_perf_header *h)
{
	const struct fl_perf_options *options = r->naming.options;

	record->weight = 1;
	if (!options->peer && !options->total)
		return;
	if (h->period >= 0)
		record->weight = h->period;
	else if (!options->peer && record->wanted)
		r->no_period++;
}

bool fl_perf_record_begin(struct fl_perf_reader *r, struct fl_perf_header *h,
			 struct fl_perf_record *record)
{
	enum fl_compat_tool peer = r->naming.options->peer;
	struct fl_perf_event *event = NULL;

	memset(record, 0, sizeof(*record));
	record->wanted = !peer || peer_takes(r, h);
	if (!peer || h->event.size) {
		event = fl_perf_event_find(r, h->event);
		if (!event)
			return false;
		fl_perf_event_count(r, event, h);
		record->metric = event->metric;
		record->branch = event->branch;
		record->event = r->event;
		record->wanted &= event->wanted;
	}
	record->open = true;
	record->comm = comm_of(r, h);
	record->time = h->time;
	record->java = peer && fl_slice_starts(h->comm, "java");
	set_weight(r, record, h);
	record->wanted &= in_time(r, h->time) && has_thread(r, record);
	if (record->wanted)
		set_thread(r, h, record);
	record->rest = h->rest;
	record->flat = h->flat;
	return true;
}

/* For stacks of no frames, too. */
static bool make_capacity(struct fl_perf_reader *r, size_t n)
{
	if (fl_likely(fl_grow(&r->pairs, &r->pairs_capacity, r->npairs + n + 1,
			      sizeof(*r->pairs))))
		return true;
	fl_no_memory(r->flame);
	return false;
}

/* The stack of the frames read: the root's side is the last one's, often. */
static flame_id make_at_once(struct fl_perf_reader *r)
{
	const flame_id *frame = r->frames.at;
	flame_id stack = r->record.base;
	size_t n = r->frames.n, i = 0;

	if (!make_capacity(r, n))
		return 0;
	if (stack == r->last_base)
		for (; i < n && i < r->nlast &&
		     r->pairs[i].frame == frame[n - 1 - i]; i++)
			stack = r->pairs[i].stack;
	for (; i < n; i++) {
		stack = flame_stack(r->flame, stack, frame[n - 1 - i]);
		r->pairs[i] = (struct fl_pair){ frame[n - 1 - i], stack };
	}
	r->last_base = r->record.base;
	r->nlast = r->npairs = n;
	return stack;
}

static void take_frames(struct fl_perf_reader *r)
{
	struct fl_perf_buffered *t = &r->buffered[r->nbuffered];
	size_t n = r->frames.n;

	if (!make_capacity(r, n))
		return;
	t->base = r->record.base;
	t->first = r->npairs;
	t->n = n;
	while (n)
		r->pairs[r->npairs++].frame = r->frames.at[--n];
}

/* The number of frames, from the root, shared with the stack before. */
static size_t share(const struct fl_perf_reader *r, unsigned i)
{
	const struct fl_perf_buffered *t = &r->buffered[i];
	const struct fl_pair *pair = r->pairs + t->first, *last = r->pairs;
	size_t n = 0, most = r->nlast;
	flame_id base = r->last_base;

	if (i) {
		last += t[-1].first;
		most = t[-1].n;
		base = t[-1].base;
	}
	most = t->base == base ? FL_MIN(most, t->n) : 0;
	while (n < most && pair[n].frame == last[n].frame)
		n++;
	return n;
}

/* Interns the frames from `done` on; *last is the stack before. */
static flame_id make_stack(struct fl_perf_reader *r, struct fl_perf_buffered *t,
			   const struct fl_pair *last, size_t done)
{
	struct fl_pair *pair = r->pairs + t->first;
	flame_id stack;

	for (; done < t->shared; done++)
		pair[done].stack = last[done].stack;
	stack = done ? pair[done - 1].stack : t->base;
	for (; done < t->n; done++)
		pair[done].stack = stack =
			flame_stack(r->flame, stack, pair[done].frame);
	return stack;
}

/* Faster if the stack shares most frames with the one before. */
void fl_perf_make_stacks(struct fl_perf_reader *r)
{
	struct fl_stack_lookup descents[FL_LOOKUP_BATCH];
	const struct fl_pair *last = r->pairs;
	unsigned n = 0, k = 0;

	if (!r->nbuffered)
		return;
	for (unsigned i = 0; i < r->nbuffered; i++) {
		struct fl_perf_buffered *t = &r->buffered[i];

		t->shared = share(r, i);
		if (t->shared < t->n / 2)
			descents[n++] = (struct fl_stack_lookup){
				.pair = r->pairs + t->first, .count = t->n,
				.stack = t->base
			};
	}
	fl_stacks_lookup_batch(r->flame, descents, n);
	for (unsigned i = 0; i < r->nbuffered; i++) {
		struct fl_perf_buffered *t = &r->buffered[i];
		size_t done = t->shared < t->n / 2 ? descents[k++].done : 0;

		t->sample.stack = make_stack(r, t, last, done);
		last = r->pairs + t->first;
	}
	r->nlast = r->npairs = r->buffered[r->nbuffered - 1].n;
	r->last_base = r->buffered[r->nbuffered - 1].base;
	memmove(r->pairs, last, r->nlast * sizeof(*last));
}

/* "%16lx", which hardly any argument is; the line begins before it. */
static bool is_padded(struct slice ip)
{
	size_t n = 0;

	while (n < 16 && ip.data[-1 - (ptrdiff_t)n] == ' ')
		n++;
	return n + ip.size >= 16;
}

/* Whether it is a frame and not arguments of a tracepoint. */
static bool is_firm(struct slice rest, bool flat)
{
	struct fl_perf_frame frame;

	/* data_src is a number and "|OP LOAD|LVL .." */
	return fl_perf_frame(rest, &frame) && frame.ip.size &&
	       !fl_slice_starts(frame.symbol, "|") &&
	       (flat || frame.dso.size ||
		((frame.ip.size >= 8 || is_padded(frame.ip)) &&
		 frame.symbol.size));
}

static void copy_frames(struct fl_perf_reader *r, uint32_t first, uint32_t n,
			uint32_t stop)
{
	const struct fl_perf_lines *lines = &r->lines[r->record.java];

	for (uint32_t i = 0; i < n; i++)
		if (!fl_frame_list_add(r->flame, &r->one_line,
				 lines->frames.at[first + i]))
			return;
	r->one_line_stop = stop;
}

void fl_perf_record_one_line(struct fl_perf_reader *r, const char *end)
{
	struct fl_perf_record *record = &r->record;
	struct fl_perf_lines *lines = &r->lines[record->java];
	const struct fl_perf_cached *cached;
	const struct fl_perf_line *known;
	struct fl_perf_line line;
	struct slice rest = record->rest, cgroup;
	const char *at = rest.data;
	uint64_t hash;
	uint32_t id;

	r->one_line.n = r->one_line_stop = 0;
	if (!record->wanted || !rest.size)
		return;
	cached = fl_perf_cache_find(&lines->cache, &at, end);
	if (cached) {
		copy_frames(r, cached->first, cached->n, cached->stop);
		return;
	}
	hash = fl_hash(rest.data, end - rest.data);
	id = fl_perf_lines_find(lines, rest.data, end - rest.data, hash);
	if (id) {
		known = &lines->at[id];
		copy_frames(r, known->first, known->n, known->stop);
		return;
	}
	rest = fl_perf_frame_of_line(rest, &cgroup);
	if (cgroup.size)
		fl_perf_record_cgroup(r, cgroup);
	if (!is_firm(rest, record->flat))
		return;
	if (rest.data + rest.size == record->rest.data + record->rest.size)
		rest.size = end - rest.data;
	r->naming.java = record->java;
	hash = fl_hash(rest.data, rest.size);
	if (fl_perf_lines_add(lines, &r->naming, rest, hash, &line, &id))
		copy_frames(r, line.first, line.n, line.stop);
}

void fl_perf_record_sample(struct fl_perf_reader *r,
			   struct flame_sample *sample)
{
	const struct fl_perf_record *record = &r->record;

	sample->metric = record->metric;
	sample->weight = record->weight;
	sample->time = r->source->select.needs & FL_NEED_TIME ? record->time :
								FLAME_NOTIME;
	sample->thread = record->thread;
	sample->labels = record->labels;
	r->samples++;
}

bool fl_perf_record_end(struct fl_perf_reader *r, struct flame_sample *sample)
{
	struct fl_perf_record *record = &r->record;

	record->open = false;
	if (!record->wanted)
		return false;
	if (!r->frames.n) {
		r->stop = r->one_line_stop;
		for (size_t i = 0; i < r->one_line.n; i++)
			fl_frame_list_add(r->flame, &r->frames, r->one_line.at[i]);
	} else {
		r->stacks = true;
	}
	r->no_branch += record->branch && !r->frames.n;
	if (!r->frames.n && r->naming.options->peer == FL_PEER_INFERNO)
		return false;
	if (r->stop) {
		r->frames.n = FL_MIN(r->frames.n, r->stop);
		record->base = 0;
	}
	memset(sample, 0, sizeof(*sample));
	if (r->at_once)
		sample->stack = make_at_once(r);
	else
		take_frames(r);
	r->frames.n = r->stop = 0;
	fl_perf_record_sample(r, sample);
	return true;
}
