/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the whole events of a chunk in which the size, the type and the fields
 * of an event do not agree (fl_jfr_find_ranges, for event.c).  All events are
 * measured again, from the first one on: an event is whole if its fields end
 * where its size says.  Where they do not, the event begins a gap, which ends
 * where events follow that are whole.
 *
 * This costs more than reading events does, so it is done for damaged chunks
 * only.
 */
#include "fl.h"

#include "format/jfr/framing.h"

#include <stdlib.h>

enum {
	CHAIN = 4,		/* whole events in a row are not an accident, */
	SHORT_CHAIN = 2,	/* nor this many where one is expected */
	BUDGET = 32,		/* bytes measured, by bytes of the chunk */
	DAYS = 7 * 24 * 60 * 60	/* seconds between an event and its chunk */
};

struct framer {
	struct fl_jfr_chunk *chunk;
	uint64_t budget;
	bool padded[2];		/* metadata, checkpoints */
};

/* An event as it was measured. */
struct measured {
	uint64_t type;
	uint64_t next;		/* by its size; 0: the size cannot be */
	uint64_t end;		/* by its fields; 0: they cannot be read */
	const struct fl_jfr_class *class;	/* NULL: type 0 or 1, unknown */
	bool known;
	bool timely;		/* its start is near that of the chunk */
};

uint32_t fl_jfr_begin_checkpoint(struct fl_wire *w, int64_t *delta)
{
	fl_wire_long(w);	/* start */
	fl_wire_long(w);	/* duration */
	*delta = fl_wire_long(w);
	fl_wire_fixed(w, 1);	/* why it was written */
	return fl_wire_int(w);
}

bool fl_jfr_skip_pool(struct fl_jfr_chunk *chunk, struct fl_wire *w)
{
	struct fl_jfr_class *class = fl_jfr_class_by_id(chunk,
							fl_wire_long(w));
	uint32_t n = fl_wire_int(w);

	if (n && (!class || !fl_jfr_make_decoder(chunk, class)))
		return false;
	while (n-- && !w->bad) {
		fl_wire_long(w);
		fl_jfr_skip(class, w);
	}
	return !w->bad;
}

bool fl_jfr_skip_checkpoint(struct fl_jfr_chunk *chunk, struct fl_wire *w)
{
	int64_t delta;
	uint32_t npools = fl_jfr_begin_checkpoint(w, &delta);

	while (npools && !w->bad && fl_jfr_skip_pool(chunk, w))
		npools--;
	return !npools && !w->bad;
}

static bool is_timely(const struct fl_jfr_chunk *chunk,
		      const struct fl_jfr_class *class, struct fl_wire w)
{
	uint64_t apart;

	if (!class->nops || class->ops[0].code != FL_JFR_VAR ||
	    !fl_slice_is(class->fields[0].name, "startTime"))
		return true;
	apart = fl_wire_varint(&w) - (uint64_t)chunk->header.start_ticks;
	if ((int64_t)apart < 0)
		apart = -apart;
	return apart / chunk->header.ticks_per_second < DAYS;
}

/* Over the fields of an event. */
static void skip_fields(struct framer *f, struct measured *m,
			struct fl_wire *w)
{
	struct fl_jfr_chunk *chunk = f->chunk;
	struct fl_jfr_class *class;

	m->timely = true;
	m->known = m->type <= 1;
	if (m->type == 0) {
		w->bad |= !fl_jfr_skip_meta(w);
		return;
	}
	if (m->type == 1) {
		w->bad |= !fl_jfr_skip_checkpoint(chunk, w);
		return;
	}
	class = fl_jfr_class_by_id(chunk, m->type);
	m->known = class && class->event && fl_jfr_make_decoder(chunk, class);
	if (!m->known)
		return;
	m->class = class;
	m->timely = is_timely(chunk, class, *w);
	fl_jfr_skip(class, w);
}

static struct measured measure(struct framer *f, uint64_t at)
{
	struct fl_jfr_chunk *chunk = f->chunk;
	struct fl_wire w = fl_jfr_wire(chunk, at);
	uint32_t size = fl_wire_int(&w);
	struct measured m = { .type = fl_wire_long(&w) };
	uint64_t head = w.at - chunk->at - at, read;

	if (w.bad)
		return m;
	if (size > head && size <= chunk->size - at)
		m.next = at + size;
	skip_fields(f, &m, &w);
	read = w.at - chunk->at - at;
	f->budget -= FL_MIN(f->budget, read);
	if (!w.bad && m.known)
		m.end = at + read;
	return m;
}

/* Some writers leave bytes after the fields of an event. */
static bool is_whole(const struct framer *f, const struct measured *m)
{
	bool padded = m->class ? m->class->padded :
		      m->type <= 1 && f->padded[m->type];

	return m->next && m->end && (m->end == m->next ||
				     (padded && m->end < m->next));
}

/*
 * Whether whole events follow: `length` of them, or up to the end of the chunk,
 * which is metadata or a checkpoint.
 */
static bool is_chain(struct framer *f, uint64_t at, unsigned length)
{
	const uint64_t size = f->chunk->size;
	struct measured m;

	for (unsigned n = 0; n < length; n++) {
		if (at == size)
			return !n || m.type <= 1;
		m = measure(f, at);
		if (!is_whole(f, &m) || !m.timely)
			return false;
		at = m.next;
	}
	return true;
}

/* The offset at which whole events begin again, at most `end`. */
static uint64_t search(struct framer *f, uint64_t at, uint64_t end)
{
	while (at < end && f->budget && !is_chain(f, at, CHAIN))
		at++;
	return f->budget ? at : end;
}

/* Counts the events by their sizes; *at: how far the sizes are consistent. */
static uint64_t count_events(const struct fl_jfr_chunk *chunk, uint64_t *at,
			     uint64_t end)
{
	struct fl_wire w = fl_jfr_wire(chunk, *at);
	struct fl_jfr_head head;
	uint64_t n = 0;

	for (; *at < end && fl_jfr_read_head(&w, chunk->at + end, &head);
	     n += head.type > 1) {
		w.at = head.begin + head.size;
		*at = (uint64_t)(w.at - chunk->at);
	}
	return n;
}

void fl_jfr_count_lost(struct fl_jfr_chunk *chunk)
{
	uint64_t at = FL_JFR_HEADER;

	chunk->damage.lost.events = count_events(chunk, &at, chunk->size);
	chunk->damage.lost.bytes = chunk->size;
}

static bool add_range(struct fl_jfr_chunk *chunk, uint64_t from, uint64_t to,
		      bool resized)
{
	struct fl_jfr_framing *framing = chunk->framing;
	struct fl_jfr_range *last = framing->nranges ?
				    &framing->ranges[framing->nranges - 1] :
				    NULL;

	if (last && !resized && !last->resized && last->to == from) {
		last->to = to;
		return true;
	}
	if (!fl_grow(&framing->ranges, &framing->ranges_capacity,
		     framing->nranges + 1, sizeof(*framing->ranges)))
		return false;
	framing->ranges[framing->nranges++] = (struct fl_jfr_range){
		from, to, resized
	};
	return true;
}

bool fl_jfr_add_checkpoint(struct fl_jfr_chunk *chunk, uint64_t at)
{
	struct fl_jfr_framing *framing = chunk->framing;

	if (!fl_grow(&framing->checkpoints, &framing->checkpoints_capacity,
		     framing->ncheckpoints + 1, sizeof(*framing->checkpoints)))
		return false;
	framing->checkpoints[framing->ncheckpoints++] = at;
	return true;
}

/* From one place to another there are no events that can be read. */
static void add_gap(struct framer *f, const struct measured *m, uint64_t from,
		    uint64_t to)
{
	struct fl_jfr_chunk *chunk = f->chunk;
	uint64_t at = from, n = count_events(chunk, &at, to);

	/* Sizes that lead elsewhere say nothing. */
	chunk->damage.lost.events += at == to ? n : m->type > 1;
	chunk->damage.lost.bytes += to - from;
	chunk->damage.lost.gaps += m->known || m->next != to;
	fl_jfr_damage(chunk, from, !m->known && m->next == to ?
		      "an event of a type that the metadata does not have" :
		      to < chunk->size ? "a damaged event" :
		      "an event that is damaged or cut");
}

/*
 * Whether the fields of an event can be read although bytes follow them.  This
 * excludes one more number: a damaged byte made two of one.
 */
static bool is_readable(const struct framer *f, const struct measured *m)
{
	struct fl_wire w = fl_jfr_wire(f->chunk, m->end);

	if (!m->class || !m->end || m->end >= m->next || !m->timely)
		return false;
	fl_wire_long(&w);
	return w.at != f->chunk->at + m->next;
}

static bool keep_event(struct fl_jfr_chunk *chunk, uint64_t from, uint64_t to,
		       bool resized)
{
	chunk->damage.lost.resized++;
	fl_jfr_damage(chunk, from, "an event of a wrong size");
	return add_range(chunk, from, to, resized);
}

/*
 * Whether the fields of an event show its end, and its size is wrong.  If the
 * fields overlap the next event that the size leads to, its type is wrong
 * instead.
 */
static bool is_resized(struct framer *f, const struct measured *m, bool sized)
{
	return m->end && m->end != m->next && m->timely &&
	       !(sized && m->end > m->next) &&
	       is_chain(f, m->end, SHORT_CHAIN);
}

/* The event at `at` is not whole.  Where the next one is; 0: no memory. */
static uint64_t pass_damage(struct framer *f, const struct measured *m,
			    uint64_t at)
{
	struct fl_jfr_chunk *chunk = f->chunk;
	bool sized = m->next && is_chain(f, m->next, SHORT_CHAIN);
	uint64_t end = sized ? m->next : chunk->size;

	if (is_resized(f, m, sized))
		return keep_event(chunk, at, m->end, true) ? m->end : 0;
	end = search(f, at + 1, end);
	if (end == m->next && is_readable(f, m))
		return keep_event(chunk, at, end, false) ? end : 0;
	add_gap(f, m, at, end);
	return end;
}

/*
 * The classes of which most events have extra bytes after their fields, as far
 * as the sizes are consistent.
 */
static bool find_padded(struct framer *f)
{
	struct fl_jfr_chunk *chunk = f->chunk;
	struct fl_jfr_types *types = chunk->types;
	int64_t *more = fl_zeroed(types->nclasses + 2, sizeof(*more));
	struct measured m;

	if (!more)
		return false;
	for (uint64_t at = FL_JFR_HEADER; at < chunk->size; at = m.next) {
		m = measure(f, at);
		if (!m.next || !m.end || m.end > m.next)
			break;
		more[m.class ? 2 + (size_t)(m.class - types->classes) :
			       m.type] +=
			m.end < m.next ? 1 : -1;
	}
	f->padded[0] = more[0] > 0;
	f->padded[1] = more[1] > 0;
	for (uint32_t i = 0; i < types->nclasses; i++)
		types->classes[i].padded = more[2 + i] > 0;
	fl_free(more);
	return true;
}

static bool find_all(struct framer *f)
{
	struct fl_jfr_chunk *chunk = f->chunk;
	uint64_t at = FL_JFR_HEADER, next;

	if (!find_padded(f))
		return false;
	for (; at < chunk->size; at = next) {
		struct measured m = measure(f, at);

		if (m.type == 1 && !fl_jfr_add_checkpoint(chunk, at))
			return false;
		if (fl_likely(is_whole(f, &m)))
			next = add_range(chunk, at, m.next, false) ?
			       m.next : 0;
		else
			next = pass_damage(f, &m, at);
		if (!next)
			return false;
	}
	return true;
}

bool fl_jfr_find_ranges(struct fl_jfr_chunk *chunk)
{
	struct framer f = { .chunk = chunk };

	f.budget = (chunk->size + 4096) * BUDGET;
	chunk->framing->done = true;
	if (find_all(&f))
		return true;
	fl_no_memory(chunk->flame);
	return false;
}

void fl_jfr_framing_free(struct fl_jfr_framing *framing)
{
	fl_free(framing->ranges);
	fl_free(framing->checkpoints);
}
