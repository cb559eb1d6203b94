/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What perf script prints, of perf 2 to 6: a record is a line of columns,
 * then a line for each frame, leaf first, then an empty line; or one line
 * with the frame at its end.
 *
 * A sample's metric is its event, its stack begins with the comm.  Lines
 * that are not understood are counted, and the first one is shown.
 */
#include "fl.h"

#include "format/perf/perf.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
	WINDOW = 1 << 20,	/* of a mapped file, looked at at once */
	EVENTS = 1024		/* more names than that are no events */
};

struct event {
	struct slice name;	/* the dictionary's */
	flame_id metric;
	bool wanted;
	struct fl_map threads;	/* distinct ones, where they are counted */
};

/* A record whose frames are being read, or that is next. */
struct record {
	bool open, wanted, java;
	bool closed;		/* an empty line came, though no frame did */
	flame_id base;		/* the comm's stack */
	flame_id comm, metric, one_line;
	int64_t pid, tid, cpu, time, weight;
	struct slice rest;	/* until the frames begin */
};

struct pair {
	flame_id frame, stack;
};

struct reader {
	struct flame_source *source;
	struct flame *flame;
	struct fl_perf_naming naming;
	struct fl_perf_lines lines[2];	/* [comm begins with "java"] */

	/* What has been peeked at, and not yet consumed. */
	const char *start, *at, *end;
	bool whole;		/* there is no more than that */

	struct record record, pending;
	struct fl_perf_list frames;	/* leaf first */
	struct pair *last;	/* of the record before, root first */
	size_t nlast, last_room;
	uint32_t line_before;	/* in lines[], the line just read */
	flame_id last_base;

	struct event *events;
	size_t nevents, events_room, event;	/* the last one */
	struct fl_map by_name;
	struct slice filter;	/* a peer's: the first event it met */
	bool has_filter;

	flame_id comm, comm_base;	/* the last one's */
	int64_t comm_pid, comm_tid;
	flame_id thread_comm, thread;
	int64_t thread_pid, thread_tid;

	bool started, headers;	/* there are lines that begin records */
	bool told_end;
	uint64_t line, samples, bad, first_bad, no_period, lost;
	char bad_text[80];
};

/* Lines --------------------------------------------------------------- */

/* More bytes, twice as many as there were; false: there are no more. */
static bool refill(struct reader *r)
{
	struct fl_in *in = r->source->in;
	size_t had = r->end - r->at, want = FL_MAX(2 * had, (size_t)WINDOW);
	size_t avail;

	fl_in_consume(in, r->at - r->start);
	fl_in_forget(in, fl_in_offset(in));
	r->start = r->at = (const char *)fl_in_peek(in, had + 1, &avail);
	if (avail <= had)
		r->whole = true;
	r->end = r->at + FL_MIN(avail, want);
	return avail > had;
}

/* The line at r->at with its newline; false at the end of the input. */
static bool next_line(struct reader *r, struct slice *line)
{
	size_t scanned = 0;

	for (;;) {
		size_t left = r->end - r->at;
		const char *lf = left > scanned ?
				 memchr(r->at + scanned, '\n',
					left - scanned) : NULL;

		if (lf) {
			*line = (struct slice){ r->at, lf + 1 - r->at };
			return true;
		}
		scanned = left;
		if (r->whole || !refill(r)) {
			*line = (struct slice){ r->at, left };
			return left > 0;
		}
	}
}

static void consume(struct reader *r, struct slice line)
{
	r->at += line.size;
	r->line++;
}

/* Whether a frame line follows: a tab, or blanks. */
static bool frame_follows(struct reader *r, struct slice *line)
{
	while (line->at + line->size == r->end && !r->whole) {
		refill(r);
		line->at = r->at;
	}
	return line->at + line->size < r->end &&
	       (line->at[line->size] == '\t' || line->at[line->size] == ' ');
}

static void not_understood(struct reader *r, struct slice line)
{
	line = fl_slice_trim(line);
	while (line.size && line.at[line.size - 1] == '\n')
		line.size--;
	line = fl_slice_trim(line);
	if (r->bad++)
		return;
	r->first_bad = r->line + 1;
	line.size = FL_MIN(line.size, sizeof(r->bad_text) - 1);
	memcpy(r->bad_text, line.at, line.size);
	r->bad_text[line.size] = '\0';
}

/* Events -------------------------------------------------------------- */

/* "cycles" of "cycles:upp"; "ns" of clocks; tracepoints have no unit. */
static void unit_of(struct slice event, char *unit, size_t room)
{
	const char *colon = memchr(event.at, ':', event.size);

	if (colon) {
		size_t n = event.size - (colon + 1 - event.at);

		while (n && memchr("ukhGHpPSDIWe", colon[n], 12))
			n--;
		event.size = n ? 0 : (size_t)(colon - event.at);
	}
	if (!event.size || event.size >= room ||
	    memchr(event.at, '/', event.size))
		event = FL_SLICE("events");
	if (fl_slice_ends(event, "-clock"))
		event = FL_SLICE("ns");
	memcpy(unit, event.at, event.size);
	unit[event.size] = '\0';
}

/* A selection by name: none asked for means all. */
static bool is_wanted(const struct reader *r, struct slice name)
{
	const struct fl_select *select = &r->source->select;

	return select->perf.peer || !select->event ||
	       fl_slice_is(name, select->event);
}

static struct event *add_event(struct reader *r, flame_id name)
{
	struct flame *flame = r->flame;
	struct event *new;
	char unit[64];

	if (r->nevents == EVENTS)
		return NULL;
	if (!fl_grow(&r->events, &r->events_room, r->nevents + 1,
		     sizeof(*r->events))) {
		fl_no_memory(flame);
		return NULL;
	}
	new = &r->events[r->nevents++];
	memset(new, 0, sizeof(*new));
	new->name = fl_name_at(flame, name);
	unit_of(new->name, unit, sizeof(unit));
	new->metric = flame_metric(flame, new->name.at, unit);
	new->wanted = is_wanted(r, new->name);
	if (!r->source->select.total)
		flame->metrics[new->metric].weight = "samples";
	return new;
}

static struct event *find_event(struct reader *r, struct slice text)
{
	struct event *last = &r->events[r->event];
	uint64_t *place;
	flame_id name;
	bool fresh;

	if (!text.size || memchr(text.at, '\0', text.size))
		text = FL_SLICE("samples");
	if (r->nevents && last->name.size == text.size &&
	    memcmp(last->name.at, text.at, text.size) == 0)
		return last;
	if (r->nevents == EVENTS && text.size > 256)
		return NULL;
	name = flame_name(r->flame, text.at, text.size);
	place = fl_map_put(&r->by_name, name, &fresh);
	if (!place || !name)
		return NULL;
	if (fresh) {
		last = add_event(r, name);
		*place = last ? (uint64_t)(last - r->events) : EVENTS;
	}
	if (*place >= r->nevents)
		return NULL;
	r->event = *place;
	return &r->events[*place];
}

static void count(struct reader *r, struct event *event,
		  const struct fl_perf_header *h)
{
	struct flame_metric *m = &r->flame->metrics[event->metric];
	bool fresh;

	m->samples++;
	if (__builtin_add_overflow(m->total, h->period < 0 ? 1 : h->period,
				   &m->total))
		m->total = INT64_MAX;
	if (h->time != FLAME_NOTIME) {
		if (m->first == FLAME_NOTIME || h->time < m->first)
			m->first = h->time;
		if (m->last == FLAME_NOTIME || h->time > m->last)
			m->last = h->time;
		if (r->source->start == FLAME_NOTIME)
			r->source->start = h->time;
	}
	if (r->source->select.survey && h->tid >= 0 &&
	    fl_map_put(&event->threads, (uint64_t)h->tid, &fresh))
		m->threads += fresh;
}

/* Records ------------------------------------------------------------- */

/* The comm as a stack of one frame, with ids where they are asked for. */
static flame_id comm_stack(struct reader *r, const struct fl_perf_header *h,
			   flame_id comm)
{
	const struct fl_perf_select *perf = &r->source->select.perf;
	struct fl_buf *buf = &r->naming.buf;
	bool ids = perf->pid || perf->tid;

	if (comm == r->comm && r->comm_base &&
	    (!ids || (h->pid == r->comm_pid && h->tid == r->comm_tid)))
		return r->comm_base;
	buf->size = 0;
	fl_buf_put(buf, h->comm.at, h->comm.size);
	for (size_t i = 0; perf->peer && i < buf->size; i++)
		if (buf->at[i] == ' ' || buf->at[i] == '\t')
			buf->at[i] = '_';
	if (ids) {
		if (h->pid < 0)
			fl_buf_text(buf, "-?");
		else
			fl_buf_print(buf, "-%" PRId64, h->pid);
	}
	if (perf->tid)
		fl_buf_print(buf, "/%" PRId64, h->tid);
	r->comm = comm;
	r->comm_pid = h->pid;
	r->comm_tid = h->tid;
	r->comm_base = !buf->size ? 0 :
		flame_stack(r->flame, 0,
			    fl_frame(r->flame, flame_name(r->flame, buf->at,
							  buf->size),
				     perf->peer ? FLAME_UNKNOWN :
						  FLAME_GROUP));
	return r->comm_base;
}

/* thread=comm, tid=N, pid=N. */
static flame_id thread_of(struct reader *r, const struct record *record)
{
	struct flame *flame = r->flame;
	struct slice comm = fl_name_at(flame, record->comm);
	char number[24] = "";
	flame_id set = 0;

	if (r->thread && record->comm == r->thread_comm &&
	    record->pid == r->thread_pid && record->tid == r->thread_tid)
		return r->thread;
	if (record->tid >= 0)
		set = fl_thread(flame, comm, record->tid);
	else if (comm.size)
		set = flame_label(flame, 0, fl_name(flame, "thread"),
				  record->comm);
	if (record->pid >= 0) {
		number[fl_format_u64(number, record->pid)] = '\0';
		set = flame_label(flame, set, fl_name(flame, "pid"),
				  fl_name(flame, number));
	}
	r->thread_comm = record->comm;
	r->thread_pid = record->pid;
	r->thread_tid = record->tid;
	return r->thread = set;
}

/*
 * Peers take the first event that they meet.  The one knows it by a line
 * that ends in it, the other by what is between its first two colons.
 */
static bool peer_takes(struct reader *r, struct fl_perf_header *h)
{
	const struct fl_select *select = &r->source->select;
	bool perl = select->perf.peer == FL_PEER_PERL;
	const char *colon = memchr(h->event.at, ':', h->event.size);

	if (perl && (h->time == FLAME_NOTIME || !h->event.size ||
		     h->rest.size)) {
		h->period = -1;
		h->event.size = 0;
		return true;
	}
	if (!perl && colon)
		h->event.size = colon - h->event.at;
	if (!perl && h->time == FLAME_NOTIME) {
		h->period = -1;
		h->event.size = 0;
	}
	if (select->event)
		return fl_slice_is(h->event, select->event);
	if (!r->has_filter) {
		r->filter.at = fl_arena_copy(&r->source->arena, h->event.at,
					     h->event.size);
		r->filter.size = r->filter.at ? h->event.size : 0;
		r->has_filter = true;
	}
	return h->event.size == r->filter.size &&
	       memcmp(h->event.at, r->filter.at, r->filter.size) == 0;
}

static bool in_time(struct reader *r, int64_t time)
{
	struct flame_source *source = r->source;
	const struct fl_select *s = &source->select;
	int64_t from, to;

	if (fl_likely(!s->from.base && !s->to.base))
		return true;
	if (time == FLAME_NOTIME)
		return false;
	if ((s->from.base == FL_WHEN_END || s->to.base == FL_WHEN_END) &&
	    !r->told_end) {
		r->told_end = true;
		fl_warn(r->flame, "%s: a stream's end is not known: times "
			"from there do not count", fl_in_name(source->in));
	}
	from = fl_when_resolve(&s->from, source->start, FLAME_NOTIME);
	to = fl_when_resolve(&s->to, source->start, FLAME_NOTIME);
	return (from == FLAME_NOTIME || time >= from) &&
	       (to == FLAME_NOTIME || time <= to);
}

static bool has_thread(struct reader *r, const struct record *record)
{
	const struct fl_select *s = &r->source->select;
	struct slice comm = fl_name_at(r->flame, record->comm);

	/* perf knows no states: a list of them means none of its samples. */
	if (s->state)
		return false;
	return !s->thread || fl_regex_match(s->thread, comm.at, comm.size);
}

static void set_weight(struct reader *r, struct record *record,
		       const struct fl_perf_header *h)
{
	const struct fl_select *select = &r->source->select;

	record->weight = 1;
	if (!select->perf.peer && !select->total)
		return;
	if (h->period >= 0)
		record->weight = h->period;
	else if (!select->perf.peer && record->wanted)
		r->no_period++;
}

/* false: more events than can be. */
static bool begin_record(struct reader *r, struct fl_perf_header *h,
			 struct record *record)
{
	enum fl_peer peer = r->source->select.perf.peer;
	struct event *event = NULL;

	memset(record, 0, sizeof(*record));
	record->wanted = !peer || peer_takes(r, h);
	if (!peer || h->event.size) {
		event = find_event(r, h->event);
		if (!event)
			return false;
		count(r, event, h);
		record->metric = event->metric;
		record->wanted &= event->wanted;
	}
	record->open = true;
	record->comm = r->comm_base &&
		       fl_name_at(r->flame, r->comm).size == h->comm.size &&
		       memcmp(fl_name_at(r->flame, r->comm).at, h->comm.at,
			      h->comm.size) == 0 ?
		       r->comm : flame_name(r->flame, h->comm.at,
					    h->comm.size);
	record->pid = h->pid;
	record->tid = h->tid;
	record->cpu = h->cpu;
	record->time = h->time;
	record->java = peer && fl_slice_starts(h->comm, "java");
	set_weight(r, record, h);
	record->wanted &= in_time(r, h->time) && has_thread(r, record);
	if (record->wanted)
		record->base = comm_stack(r, h, record->comm);
	record->rest = h->rest;
	return true;
}

/* The stack of the frames read: the root's side is the last one's, often. */
static flame_id make_stack(struct reader *r)
{
	struct fl_perf_list *frames = &r->frames;
	flame_id stack = r->record.base;
	size_t n = frames->n, i = 0;

	if (!fl_grow(&r->last, &r->last_room, n, sizeof(*r->last))) {
		fl_no_memory(r->flame);
		return 0;
	}
	if (stack == r->last_base)
		for (; i < n && i < r->nlast &&
		     r->last[i].frame == frames->at[n - 1 - i]; i++)
			stack = r->last[i].stack;
	for (; i < n; i++) {
		flame_id frame = frames->at[n - 1 - i];

		stack = flame_stack(r->flame, stack, frame);
		r->last[i] = (struct pair){ frame, stack };
	}
	r->last_base = r->record.base;
	r->nlast = n;
	return stack;
}

/* What the first line had at its end is a frame where none follow. */
static void keep_one_line(struct reader *r, struct record *record)
{
	struct fl_perf_lines *lines = &r->lines[record->java];
	struct fl_perf_frame frame;
	struct fl_perf_line line;
	struct slice rest = record->rest, word;
	uint64_t hash;
	uint32_t id;

	record->rest.size = 0;
	if (!record->wanted || !rest.size)
		return;
	hash = fl_hash(rest.at, rest.size);
	id = fl_perf_lines_find(lines, rest.at, rest.size, hash);
	if (id) {
		line = lines->at[id];
		record->one_line = line.n ?
			lines->frames.at[line.first + line.n - 1] : 0;
		return;
	}
	/* -F +addr: an address before that of the frame. */
	while ((word.at = memchr(rest.at, ' ', rest.size))) {
		word = fl_slice_trim((struct slice){ word.at,
				rest.size - (word.at - rest.at) });
		if (!fl_perf_frame(word, &frame) || frame.ip.size < 4 ||
		    !frame.symbol.size || frame.dso.at[0] == '\0')
			break;
		rest = word;
	}
	if (!fl_perf_frame(rest, &frame) || !frame.ip.size ||
	    (!frame.dso.size && (frame.ip.size < 8 || !frame.symbol.size)))
		return;
	r->naming.java = record->java;
	hash = fl_hash(rest.at, rest.size);
	if (fl_perf_lines_add(lines, &r->naming, rest, hash, &line, &id) &&
	    line.n)
		record->one_line = lines->frames.at[line.first + line.n - 1];
}

/* true: a sample. */
static bool end_record(struct reader *r, struct flame_sample *sample)
{
	const struct fl_select *select = &r->source->select;
	struct record *record = &r->record;

	record->open = false;
	r->line_before = 0;
	if (!record->wanted)
		return false;
	if (!r->frames.n && record->one_line)
		fl_perf_add(r->flame, &r->frames, record->one_line);
	if (!r->frames.n && select->perf.peer == FL_PEER_INFERNO)
		return false;
	memset(sample, 0, sizeof(*sample));
	sample->stack = make_stack(r);
	r->frames.n = 0;
	sample->metric = record->metric;
	sample->weight = record->weight;
	sample->time = select->needs & FL_NEED_TIME ? record->time :
						      FLAME_NOTIME;
	if (select->needs & FL_NEED_THREAD)
		sample->thread = thread_of(r, record);
	if ((select->needs & FL_NEED_STATE) && record->cpu >= 0) {
		char number[24];

		number[fl_format_u64(number, record->cpu)] = '\0';
		sample->labels = flame_label(r->flame, 0,
					     fl_name(r->flame, "cpu"),
					     fl_name(r->flame, number));
	}
	r->samples++;
	return true;
}

/* Reading ------------------------------------------------------------- */

/* "# hostname : exec-7": what the recording says of itself. */
static void keep_fact(struct reader *r, struct slice line)
{
	static const char *const keys[] = {
		"captured on", "hostname", "os release", "perf version",
		"arch", "nrcpus online", "cpudesc", "cmdline", NULL
	};

	line = fl_slice_trim((struct slice){ line.at + 1, line.size - 1 });
	while (line.size && (line.at[line.size - 1] == '\n' ||
			     line.at[line.size - 1] == '\r'))
		line.size--;
	for (size_t i = 0; keys[i]; i++) {
		const char *colon = memchr(line.at, ':', line.size);
		size_t n;

		if (!colon || !fl_slice_starts(line, keys[i]))
			continue;
		n = line.size - (colon + 1 - line.at);
		line = fl_slice_trim((struct slice){ colon + 1, n });
		if (r->source->nfacts < 64)
			fl_fact(r->source, keys[i], "%.*s",
				(int)FL_MIN(line.size, (size_t)1024),
				line.at);
		return;
	}
}

static void count_lost(struct reader *r, struct slice line)
{
	for (; line.size > 5; line.at++, line.size--) {
		struct slice number = { line.at + 5, 0 };
		int64_t n;

		if (memcmp(line.at, "lost ", 5) != 0)
			continue;
		while (number.size < line.size - 5 &&
		       number.at[number.size] >= '0' &&
		       number.at[number.size] <= '9')
			number.size++;
		if (fl_parse_int(number, &n))
			r->lost += n;
		return;
	}
}

/* Registers, branches, data columns below the frames: not frames. */
static bool is_other_column(struct slice line)
{
	const char *slash = memchr(line.at, '/', line.size);

	if (fl_slice_starts(line, "ABI:") || fl_slice_starts(line, "..."))
		return true;
	return fl_slice_starts(line, "0x") && slash &&
	       fl_slice_starts((struct slice){ slash, line.size -
					       (slash - line.at) }, "/0x");
}

/* A line of a frame, or "file:line" of the frame before it. */
static bool take_line(struct reader *r, const struct fl_perf_line *line)
{
	struct fl_perf_lines *lines = &r->lines[r->record.java];
	struct fl_perf_list *frames = &r->frames;
	struct flame_frame frame;

	if (!fl_grow(&frames->at, &frames->room, frames->n + line->n + 1,
		     sizeof(*frames->at))) {
		fl_no_memory(r->flame);
		return false;
	}
	for (uint32_t i = 0; i < line->n; i++)
		frames->at[frames->n++] = lines->frames.at[line->first + i];
	if (fl_unlikely(line->source_file) && frames->n) {
		struct slice name, file;
		struct fl_buf *buf = &r->naming.buf;

		frame = r->flame->frames.at[frames->at[frames->n - 1]];
		frame.file = line->source_file;
		frame.line = line->source_line;
		if (r->source->select.perf.srcline ||
		    r->source->select.lines) {
			name = fl_name_at(r->flame, frame.name);
			file = fl_name_at(r->flame, frame.file);
			buf->size = 0;
			fl_buf_put(buf, name.at, name.size);
			fl_buf_byte(buf, ':');
			if (r->source->select.perf.srcline) {
				fl_buf_put(buf, file.at, file.size);
				fl_buf_byte(buf, ':');
			}
			fl_buf_number(buf, frame.line);
			frame.name = flame_name(r->flame, buf->at, buf->size);
		}
		if (r->source->select.perf.peer)
			frame.file = frame.line = 0;
		frames->at[frames->n - 1] = flame_frame(r->flame, &frame);
	}
	return true;
}

/*
 * Known lines that follow a known line as they did before: the one that is
 * most of the input.
 */
static void take_known(struct reader *r)
{
	const struct fl_perf_lines *lines = &r->lines[r->record.java];
	struct fl_perf_list *frames = &r->frames;
	uint32_t id = r->line_before;
	const char *at = r->at;

	while (id) {
		uint32_t next = lines->at[id].next;
		const struct fl_perf_line *line = &lines->at[next];

		if (!next || (size_t)(r->end - at) < line->size ||
		    line->n != 1 || frames->n == frames->room ||
		    memcmp(at, line->text, line->size) != 0)
			break;
		frames->at[frames->n++] = lines->frames.at[line->first];
		at += line->size;
		r->line++;
		id = next;
	}
	r->at = at;
	r->line_before = id;
}

/* A line that begins with a blank, by its text; 0 where it is new. */
static uint32_t known_line(struct reader *r, struct slice line, uint64_t hash)
{
	return fl_perf_lines_find(&r->lines[r->record.java], line.at,
				  line.size, hash);
}

static void link_line(struct reader *r, uint32_t id)
{
	struct fl_perf_lines *lines = &r->lines[r->record.java];

	/* They are forgotten now and then: an id may be past the last. */
	if (r->line_before && r->line_before < lines->n)
		lines->at[r->line_before].next = id;
	r->line_before = id;
}

enum what { NOTHING, SAMPLE, FAILED };

/* A record begins: what was open ends. */
static enum what take_header(struct reader *r, struct slice line,
			     struct fl_perf_header *h,
			     struct flame_sample *sample)
{
	struct record next;
	bool ready = false;

	if (h->aside) {
		count_lost(r, h->rest);
		consume(r, line);
		return NOTHING;
	}
	r->headers = true;
	if (!begin_record(r, h, &next)) {
		not_understood(r, line);
		next.open = next.wanted = false;
	} else if (h->rest.size) {
		keep_one_line(r, &next);
	}
	if (r->record.open)
		ready = end_record(r, sample);
	r->record = next;
	r->record.rest = (struct slice){ "", 0 };
	r->frames.n = 0;
	r->line_before = 0;
	consume(r, line);
	return ready ? SAMPLE : NOTHING;
}

static bool begins_with_blank(struct slice line)
{
	return line.at[0] == ' ' || line.at[0] == '\t';
}

/* Frames of no record: all of them, with -F ip,sym; else a fragment. */
static void open_nameless(struct reader *r)
{
	struct fl_perf_header h;

	fl_perf_bare_header((struct slice){ "", 0 }, &h);
	if (begin_record(r, &h, &r->record))
		r->record.rest = (struct slice){ "", 0 };
}

static enum what take_other(struct reader *r, struct slice line,
			    struct flame_sample *sample)
{
	struct fl_perf_line new;
	struct fl_perf_header h;
	struct slice text = line;
	uint64_t hash = 0;
	uint32_t id;

	if (text.at[text.size - 1] == '\n')
		text.size--;
	if (line.at[0] == '#') {
		keep_fact(r, text);
		consume(r, line);
		return NOTHING;
	}
	if (r->record.open && r->record.wanted)
		hash = fl_hash(line.at, line.size);
	/* Before the text is looked at: it may be a frame that is known. */
	if (r->record.open && r->record.wanted && begins_with_blank(line)) {
		id = known_line(r, line, hash);
		if (id) {
			if (!take_line(r, &r->lines[r->record.java].at[id]))
				return FAILED;
			link_line(r, id);
			consume(r, line);
			return NOTHING;
		}
	}
	if (line.at[0] != '\t' && fl_perf_header(text, &h))
		return take_header(r, line, &h, sample);
	if (!r->record.open && !begins_with_blank(line) &&
	    frame_follows(r, &line) &&
	    fl_perf_bare_header((struct slice){ line.at, text.size }, &h))
		return take_header(r, line, &h, sample);
	text.at = line.at;
	if (!r->record.open && !r->headers && begins_with_blank(line)) {
		struct fl_perf_frame frame;

		if (fl_perf_frame(text, &frame) && frame.ip.size) {
			open_nameless(r);
			hash = fl_hash(line.at, line.size);
		}
	}
	if (r->record.open && !r->record.wanted && begins_with_blank(line)) {
		consume(r, line);
		return NOTHING;
	}
	r->naming.java = r->record.java;
	if (r->record.open &&
	    fl_perf_lines_add(&r->lines[r->record.java], &r->naming, line,
			      hash, &new, &id)) {
		if (!take_line(r, &new))
			return FAILED;
		link_line(r, id);
	} else if (fl_failed(r->flame)) {
		return FAILED;
	} else if (!r->record.open || !is_other_column(fl_slice_trim(text))) {
		not_understood(r, text);
	}
	consume(r, line);
	return NOTHING;
}

static bool is_empty(struct slice line)
{
	for (size_t i = 0; i < line.size; i++)
		if (!memchr(" \t\r\n", line.at[i], 4))
			return false;
	return true;
}

/* Frames of it may come yet, where there are none so far. */
static enum what end_by_empty(struct reader *r, struct flame_sample *sample)
{
	bool ready;

	if (!r->record.open)
		return NOTHING;
	if (!r->frames.n && !r->record.one_line) {
		r->record.closed = true;
		return NOTHING;
	}
	ready = end_record(r, sample);
	r->frames.n = 0;
	return ready ? SAMPLE : NOTHING;
}

/* FlameGraph's script knows only of ends that an empty line makes. */
static bool is_lost(struct reader *r)
{
	if (r->source->select.perf.peer != FL_PEER_PERL || r->record.closed)
		return false;
	r->record.open = false;
	fl_warn(r->flame, "%s: the last sample has no empty line after it and "
		"is left out, as stackcollapse-perf.pl does",
		fl_in_name(r->source->in));
	return true;
}

static int end_of_input(struct reader *r)
{
	struct flame_source *source = r->source;
	const char *name = fl_in_name(source->in);
	const char *damage = fl_in_damage(source->in);

	if (r->bad)
		fl_warn(r->flame, "%s: %" PRIu64 " lines not understood, the "
			"first is line %" PRIu64 ": %s", name, r->bad,
			r->first_bad, r->bad_text);
	if (r->no_period)
		fl_warn(r->flame, "%s: %" PRIu64 " samples have no period "
			"and count as 1", name, r->no_period);
	if (r->lost)
		fl_warn(r->flame, "%s: perf lost %" PRIu64 " events while it "
			"recorded", name, r->lost);
	if (damage)
		fl_warn(r->flame, "%s: %s", name, damage);
	r->lost = r->no_period = 0;
	if (r->bad || damage)
		source->damage = r->headers || r->samples ? 1 : 2;
	return FLAME_END;
}

static int next(struct flame_source *source, struct flame_sample *sample)
{
	struct reader *r = source->state;
	enum what what = NOTHING;
	struct slice line;

	while (what == NOTHING) {
		if (r->record.open && r->line_before)
			take_known(r);
		if (!next_line(r, &line)) {
			if (r->record.open && !is_lost(r) &&
			    end_record(r, sample))
				break;
			return fl_failed(r->flame) ? FLAME_FAILED :
						     end_of_input(r);
		}
		if ((unsigned char)line.at[0] <= ' ' && is_empty(line)) {
			consume(r, line);
			what = end_by_empty(r, sample);
			continue;
		}
		what = take_other(r, line, sample);
	}
	return what == FAILED || fl_failed(r->flame) ? FLAME_FAILED :
						       FLAME_OK;
}

/* The row ------------------------------------------------------------- */

static int open_perf(struct flame_source *source)
{
	struct reader *r = calloc(1, sizeof(*r));

	if (!r)
		return fl_no_memory(source->flame);
	r->source = source;
	r->flame = source->flame;
	r->naming.flame = source->flame;
	r->naming.select = &source->select;
	source->state = r;
	return FLAME_OK;
}

static void close_perf(struct flame_source *source)
{
	struct reader *r = source->state;

	if (!r)
		return;
	for (size_t i = 0; i < r->nevents; i++)
		fl_map_free(&r->events[i].threads);
	fl_perf_lines_free(&r->lines[0]);
	fl_perf_lines_free(&r->lines[1]);
	fl_map_free(&r->by_name);
	fl_buf_free(&r->naming.buf);
	free(r->events);
	free(r->frames.at);
	free(r->last);
	free(r);
}

/* "\t%16lx ": as perf writes a frame's address, and hardly anybody else. */
static bool is_aligned_frame(struct slice line)
{
	struct fl_perf_frame frame;

	return line.size > 18 && line.at[0] == '\t' && line.at[17] == ' ' &&
	       line.at[16] != ' ' && fl_perf_frame(line, &frame) &&
	       frame.ip.size && line.at + 17 == frame.ip.at + frame.ip.size;
}

/*
 * A time and an event are 24 bits, a frame below that 8 more.  Lines before
 * it that are something else cost as much as they are odd.
 */
static int probe(const uint8_t *head, size_t n, bool whole)
{
	const char *at = (const char *)head, *end = at + n;
	struct fl_perf_header h;
	struct fl_perf_frame frame;
	int bits = 0, other = 0;

	while (at < end && other < 16) {
		const char *lf = memchr(at, '\n', end - at);
		struct slice line = { at, (lf ? lf : end) - at };

		if (memchr(line.at, '\0', line.size) || (!lf && !whole))
			break;
		at = lf ? lf + 1 : end;
		if (line.size && line.at[0] == '#')
			continue;
		if (is_empty(line)) {
			if (bits)
				break;
			continue;
		}
		if (bits)
			return fl_perf_frame(line, &frame) && frame.ip.size ?
			       FL_MAX(bits + 8 - other, 1) : bits >= 16 ?
			       FL_MAX(bits - other, 1) : 0;
		if (line.at[0] != '\t' && fl_perf_header(line, &h)) {
			if (h.aside)
				continue;
			bits = h.time != FLAME_NOTIME && h.event.size ? 24 :
			       h.time != FLAME_NOTIME ? 16 : 10;
		} else if (is_aligned_frame(line)) {
			return FL_MAX(12 - other, 1);
		} else {
			other++;
		}
	}
	if (bits)
		return bits >= 16 || whole ? FL_MAX(bits - other, 1) : -1;
	return whole || n >= 1 << 20 || other >= 16 ? 0 : -1;
}

const struct fl_format fl_format_perf = {
	.name = "perf",
	.summary = "what perf script prints",
	.probe = probe,
	.open = open_perf,
	.next = next,
	.close = close_perf,
	.selects = true,
};
