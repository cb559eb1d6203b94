/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Format perf: reads the text of perf script, of perf 2 to 6, into samples.  A
 * record is a line of columns, then a line for each frame, leaf first, then an
 * empty line; or one line with the frame at its end.  This is the loop over
 * lines; reader.h lists the files for their parts.
 */
#include "fl.h"

#include "format/perf/reader.h"
#include "io/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { WINDOW = 1 << 20 };	/* of a mapped file, peeked at once */

/* Lines --------------------------------------------------------------- */

/* More bytes, twice as many as there were; false: there are no more. */
static bool refill(struct fl_perf_reader *r)
{
	struct fl_in *in = r->source->in;
	size_t had = r->end - r->at, want = FL_MAX(2 * had, (size_t)WINDOW);
	size_t avail;

	fl_in_consume(in, r->at - r->start);
	r->start = r->at;
	fl_in_release(in, fl_in_offset(in));
	/* The line is left out: only a part of it is there. */
	if (fl_in_refuse_line(in, had)) {
		r->at = r->end;
		r->whole = true;
		return false;
	}
	r->start = r->at = (const char *)fl_in_peek(in, had + 1, &avail);
	if (avail <= had)
		r->whole = true;
	r->end = r->at + FL_MIN(avail, want);
	return avail > had;
}

/* The line at r->at with its newline; false at the end of the input. */
static bool next_line(struct fl_perf_reader *r, struct slice *line)
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
			*line = (struct slice){ r->at, r->end - r->at };
			return line->size > 0;
		}
	}
}

static void consume(struct fl_perf_reader *r, struct slice line)
{
	r->at += line.size;
	r->line++;
}

/* Whether a frame line follows: a tab, or blanks. */
static bool frame_follows(struct fl_perf_reader *r, struct slice *line)
{
	while (line->data + line->size == r->end && !r->whole) {
		refill(r);
		line->data = r->at;
	}
	return line->data + line->size < r->end &&
	       (line->data[line->size] == '\t' ||
		line->data[line->size] == ' ');
}

/* A line of a frame, or "file:line" of the frame before it. */
static bool take_line(struct fl_perf_reader *r, const struct fl_perf_line *line)
{
	struct fl_perf_lines *lines = &r->lines[r->record.java];
	struct fl_frame_list *frames = &r->frames;
	struct flame_frame frame;

	if (!fl_grow(&frames->at, &frames->capacity, frames->n + line->n + 1,
		     sizeof(*frames->at))) {
		fl_no_memory(r->flame);
		return false;
	}
	for (uint32_t i = 0; i < line->n; i++)
		frames->at[frames->n++] = lines->frames.at[line->first + i];
	if (line->stop && !r->stop)
		r->stop = frames->n - line->n + line->stop;
	if (fl_unlikely(line->source_file || line->inlined) && frames->n) {
		struct slice name, file;
		struct fl_buf *buf = &r->naming.buf;

		frame = r->flame->frames.data[frames->at[frames->n - 1]];
		frame.file = line->source_file;
		frame.line = line->source_line;
		if (line->inlined)
			frame.type = FLAME_INLINED;
		if (r->naming.options->srcline ||
		    r->naming.options->lines) {
			name = fl_name_at(r->flame, frame.name);
			file = fl_name_at(r->flame, frame.file);
			buf->size = 0;
			fl_buf_put(buf, name.data, name.size);
			fl_buf_byte(buf, ':');
			if (r->naming.options->srcline) {
				fl_buf_put(buf, file.data, file.size);
				fl_buf_byte(buf, ':');
			}
			fl_buf_number(buf, frame.line);
			frame.name = flame_name(r->flame, buf->data, buf->size);
		}
		if (r->naming.options->peer)
			frame.file = frame.line = 0;
		frames->at[frames->n - 1] = flame_frame(r->flame, &frame);
	}
	return true;
}

/*
 * Reads as many cached lines of functions as follow: most of the input is
 * these.
 */
static void read_cached_lines(struct fl_perf_reader *r)
{
	struct fl_perf_lines *lines = &r->lines[r->record.java];
	struct fl_frame_list *frames = &r->frames;
	const struct fl_perf_cached *cached;

	while (r->at < r->end && (*r->at == '\t' || *r->at == ' ') &&
	       (cached = fl_perf_cache_find(&lines->cache, &r->at, r->end))) {
		r->line++;
		if (!fl_grow(&frames->at, &frames->capacity,
			     frames->n + cached->n, sizeof(*frames->at))) {
			fl_no_memory(r->flame);
			return;
		}
		if (fl_likely(cached->n))
			frames->at[frames->n++] =
				lines->frames.at[cached->first];
		for (uint32_t i = 1; fl_unlikely(i < cached->n); i++)
			frames->at[frames->n++] =
				lines->frames.at[cached->first + i];
		if (fl_unlikely(cached->stop) && !r->stop)
			r->stop = frames->n - cached->n + cached->stop;
	}
}

/* A line that begins with a blank, by its text; 0 where it is new. */
static uint32_t known_line(struct fl_perf_reader *r, struct slice line,
			   uint64_t hash)
{
	return fl_perf_lines_find(&r->lines[r->record.java], line.data,
				  line.size, hash);
}

static bool begins_with_blank(struct slice line)
{
	return line.data[0] == ' ' || line.data[0] == '\t';
}

enum what { NOTHING, SAMPLE, FAILED };

/* Begins a record and ends the open one. */
static enum what take_header(struct fl_perf_reader *r, struct slice line,
			     struct fl_perf_header *h,
			     struct flame_sample *sample)
{
	struct fl_perf_record next;
	bool ready = false;

	if (h->non_sample) {
		fl_perf_count_lost(r, h->rest);
		consume(r, line);
		return NOTHING;
	}
	r->headers = true;
	if (r->record.open && r->record.wanted && !r->frames.n &&
	    !r->record.closed && r->nevents)
		r->events[r->record.event].one_line = true;
	if (!fl_perf_record_begin(r, h, &next)) {
		fl_perf_not_understood(r, line);
		next.open = next.wanted = false;
	}
	if (r->record.open)
		ready = fl_perf_record_end(r, sample);
	r->record = next;
	r->record.padded = begins_with_blank(line);
	r->frames.n = r->stop = 0;
	r->lines[next.java].cache.last = 0;
	fl_perf_record_one_line(r, line.data + line.size);
	if (fl_unlikely(h->rest.size))
		h->cgroup = fl_perf_header_cgroup(h->rest);
	if (fl_unlikely(h->cgroup.size))
		fl_perf_record_cgroup(r, h->cgroup);
	r->record.rest = (struct slice){ "", 0 };
	consume(r, line);
	/* Texts of which one has its tabs made blanks may be in one. */
	if (r->at < r->end && begins_with_blank((struct slice){ r->at, 1 }))
		r->tabs = *r->at == '\t';
	return ready ? SAMPLE : NOTHING;
}

/* Frames of no record: all of them, with -F ip,sym; else a fragment. */
static void open_nameless(struct fl_perf_reader *r)
{
	struct fl_perf_header h;

	r->tabs = r->tabs || *r->at == '\t';
	fl_perf_bare_header((struct slice){ "", 0 }, NULL, &h);
	if (fl_perf_record_begin(r, &h, &r->record))
		r->record.rest = (struct slice){ "", 0 };
	r->one_line.n = 0;
}

/* Columns after a stack end the sample. */
static enum what take_columns(struct fl_perf_reader *r, struct slice line,
			      struct slice cgroup, struct flame_sample *sample)
{
	bool ready;

	fl_perf_record_cgroup(r, cgroup);
	ready = fl_perf_record_end(r, sample);
	r->frames.n = r->one_line.n = r->stop = 0;
	consume(r, line);
	return ready ? SAMPLE : NOTHING;
}

static enum flame_type type_of(const struct fl_perf_reader *r, size_t frame)
{
	return r->flame->frames.data[r->frames.at[frame]].type;
}

/*
 * Whether the open record's last frame has a module: so do all, then, but for
 * those that are inlined, which are printed without.
 */
static bool has_modules(const struct fl_perf_reader *r)
{
	size_t n = r->frames.n;

	while (n && type_of(r, n - 1) == FLAME_INLINED)
		n--;
	return n && !r->naming.options->peer &&
	       type_of(r, n - 1) != FLAME_UNKNOWN;
}

/*
 * Lines of addresses alone are columns only where frames begin with a tab, or
 * have modules.
 */
static bool is_columns(const struct fl_perf_reader *r, struct slice line,
		       struct slice *cgroup)
{
	struct slice word = fl_slice_trim(line);

	*cgroup = (struct slice){ "", 0 };
	if (!r->record.open || !line.size)
		return false;
	if (line.data[0] == '\t')
		return r->tabs && line.size > 1 && line.data[1] == '\t';
	if (r->one_line.n && fl_perf_is_source_and_columns(line))
		return true;
	return line.data[0] == ' ' && fl_perf_end_columns(line, cgroup) &&
	       (r->tabs || has_modules(r) ||
		memchr(word.data, ':', word.size) ||
		memchr(word.data, '/', word.size));
}

/*
 * Without a time and an event the columns say little: the line is known by
 * the frames below it, or by the empty line of a sample without frames.
 */
static bool is_bare(struct fl_perf_reader *r, struct slice *line,
		    struct slice text, struct fl_perf_header *h)
{
	bool ended = !r->record.open || r->record.closed || r->frames.n ||
		     !r->record.wanted, frames;
	char next;

	if (!ended || line->data[0] == '\t')
		return false;
	frames = frame_follows(r, line);
	next = line->data + line->size < r->end ? line->data[line->size] : '\n';
	if (!(frames && (next == '\t' ||
			 (!r->record.open && line->data[0] != ' '))) &&
	    !(r->bare && next == '\n'))
		return false;
	text.data = line->data;
	if (!fl_perf_bare_header(text, &r->lefts, h) ||
	    ((line->data[0] == ' ' || !frames) && !fl_perf_has_ids(h) &&
	     !h->event.size && (line->data[0] == ' ' || h->tid < 0)))
		return false;
	r->bare = true;
	return true;
}

/* A line with an address, but no module where the frames before it have one. */
static bool lacks_module(const struct fl_perf_reader *r, struct slice text)
{
	struct fl_perf_frame frame;

	return has_modules(r) && !(r->tabs && text.data[0] == ' ') &&
	       !fl_slice_ends(fl_slice_trim_end(text), ")") &&
	       fl_perf_frame(text, &frame) && frame.ip.size;
}

/*
 * Whether the kind of a line depends on the lines before it too: then the kind
 * it had earlier does not decide.
 */
static bool depends_on_place(const struct fl_perf_reader *r,
			     struct slice text)
{
	return !fl_slice_ends(fl_slice_trim_end(text), ")") &&
	       (has_modules(r) || r->one_line.n ||
		(r->tabs && text.data[0] == ' '));
}

/* Whether the line below says "file.c:5 (inlined)" of this one. */
static bool is_inlined_by_place(struct fl_perf_reader *r, struct slice *line,
				struct slice *text)
{
	struct fl_perf_place place;
	const char *lf;

	while (!(lf = memchr(r->at + line->size, '\n',
			     r->end - r->at - line->size)) && !r->whole)
		refill(r);
	line->data = text->data = r->at;
	return fl_perf_is_place((struct slice){ r->at + line->size,
				(lf ? lf : r->end) - r->at - line->size },
				&place) && place.inlined;
}

/* A frame that is not in the cache, or a line that is not understood. */
static enum what take_frame(struct fl_perf_reader *r, struct slice line,
			    struct slice text, uint64_t hash)
{
	struct fl_perf_line new;
	uint32_t id;

	if (!r->record.open && !r->headers && begins_with_blank(line)) {
		struct fl_perf_frame frame;

		if (fl_perf_frame(text, &frame) && frame.ip.size)
			open_nameless(r);
	}
	if (r->record.open && !r->record.wanted && begins_with_blank(line)) {
		consume(r, line);
		return NOTHING;
	}
	r->naming.java = r->record.java;
	r->naming.tabs = r->tabs;
	if (!hash)
		hash = fl_hash(line.data, line.size);
	if (r->record.open &&
	    (!lacks_module(r, text) || is_inlined_by_place(r, &line, &text)) &&
	    fl_perf_lines_add(&r->lines[r->record.java], &r->naming, line,
			      hash, &new, &id)) {
		if (!take_line(r, &new))
			return FAILED;
	} else if (fl_failed(r->flame)) {
		return FAILED;
	} else if (!(r->headers || r->samples) ||
		   !fl_perf_is_later_line(text)) {
		fl_perf_not_understood(r, text);
	}
	consume(r, line);
	return NOTHING;
}

/* Lines of another program of a log follow: a record ends before. */
static enum what take_mark(struct fl_perf_reader *r, struct slice line,
			   struct slice mark, struct flame_sample *sample)
{
	bool ready;

	if (r->record.open) {
		ready = fl_perf_record_end(r, sample);
		r->frames.n = r->stop = 0;
		return ready ? SAMPLE : NOTHING;
	}
	fl_source_begin_program(r->source, mark);
	consume(r, line);
	return NOTHING;
}

static enum what take_other(struct fl_perf_reader *r, struct slice line,
			    struct flame_sample *sample)
{
	struct slice cgroup;
	struct fl_perf_header h;
	struct slice text = line;
	uint64_t hash = 0;
	uint32_t id;

	if (text.data[text.size - 1] == '\n')
		text.size--;
	if (fl_unlikely(line.data[0] == FL_LOG_MARK) && r->source->log)
		return take_mark(r, line, text, sample);
	if (line.data[0] == '#' || fl_slice_starts(text, "PERF_RECORD_")) {
		fl_perf_keep_fact(r, text);
		consume(r, line);
		return NOTHING;
	}
	r->message = fl_perf_is_message(text);
	if (fl_unlikely(r->message || fl_perf_is_source_code(text))) {
		consume(r, line);
		return NOTHING;
	}
	/* Comms are right-aligned where each record is one line. */
	if (r->one_line.n && line.data[0] == ' ' &&
	    !is_columns(r, text, &cgroup) &&
	    fl_perf_header(text, &r->lefts, &h))
		return take_header(r, line, &h, sample);
	/* Before the text is parsed: it may be a frame that is known. */
	if (r->record.open && r->record.wanted && begins_with_blank(line) &&
	    !depends_on_place(r, text)) {
		hash = fl_hash(line.data, line.size);
		id = known_line(r, line, hash);
		if (id) {
			if (!take_line(r, &r->lines[r->record.java].at[id]))
				return FAILED;
			consume(r, line);
			return NOTHING;
		}
	}
	if (is_columns(r, text, &cgroup))
		return take_columns(r, line, cgroup, sample);
	if (line.data[0] != '\t' && fl_perf_header(text, &r->lefts, &h))
		return take_header(r, line, &h, sample);
	if (is_bare(r, &line, text, &h))
		return take_header(r, line, &h, sample);
	text.data = line.data;
	if ((r->flat || !r->headers) && line.data[0] != '\t' &&
	    !(r->record.open && !r->record.flat) &&
	    fl_perf_flat_header(text, &r->lefts, &h)) {
		r->flat = true;
		return take_header(r, line, &h, sample);
	}
	return take_frame(r, line, text, hash);
}

/*
 * Whether the last line, which has no newline, lacks its end: perf ends each
 * with one, though what passes its text on may drop the last.
 */
static bool is_cut(struct fl_perf_reader *r, struct slice line)
{
	const struct fl_perf_lines *lines = &r->lines[r->record.java];
	struct fl_perf_frame frame;
	struct fl_perf_header h;
	struct slice cgroup;
	bool is_frame = fl_perf_frame(line, &frame);

	if (line.data[line.size - 1] == '\n' ||
	    (is_frame && (frame.dso.size || frame.inlined)) ||
	    (is_columns(r, line, &cgroup) && r->frames.n))
		return false;
	if (line.data[0] != '\t' && fl_perf_header(line, NULL, &h))
		return h.non_sample ? false : r->tabs || !h.event.size ||
		       fl_perf_frame(h.rest, &frame) ||
		       !fl_perf_event_may_be(r, h.event);
	return r->record.open && begins_with_blank(line) &&
	       !(is_frame && fl_perf_lines_has(lines, &frame));
}

/* The blanks of a frame's line that was to come. */
static bool is_begun(const struct fl_perf_reader *r, struct slice line)
{
	return line.data + line.size == r->end && r->record.open &&
	       line.data[line.size - 1] != '\n' && !r->one_line.n &&
	       !r->record.closed;
}

/* A record cut by the end of the text lacks its root and is dropped. */
static enum what take_cut(struct fl_perf_reader *r, struct slice line,
			  struct flame_sample *sample)
{
	bool ready = false;

	if (r->record.open && (!begins_with_blank(line) || r->one_line.n))
		ready = fl_perf_record_end(r, sample);
	r->record.open = false;
	r->frames.n = r->one_line.n = r->stop = 0;
	r->cut_line = r->line + 1;
	consume(r, line);
	return ready ? SAMPLE : NOTHING;
}

/* An empty line directly after the header: frames may still follow. */
static enum what end_by_empty(struct fl_perf_reader *r,
			      struct flame_sample *sample)
{
	bool ready;

	if (!r->record.open)
		return NOTHING;
	if (!r->frames.n && !r->one_line.n) {
		r->record.closed = true;
		return NOTHING;
	}
	ready = fl_perf_record_end(r, sample);
	r->frames.n = r->stop = 0;
	return ready ? SAMPLE : NOTHING;
}

/* FlameGraph's script knows only of ends that an empty line makes. */
static bool is_lost(struct fl_perf_reader *r)
{
	if (r->naming.options->peer != FL_PEER_PERL || r->record.closed)
		return false;
	r->record.open = false;
	fl_warn(r->flame, "%s: the last sample has no empty line after it and "
		"is left out, as stackcollapse-perf.pl does",
		fl_in_name(r->source->in));
	return true;
}

/*
 * Whether the text ends after a header whose stack is to come: perf pads the
 * comm of records without stacks only.
 */
static bool ends_in_header(const struct fl_perf_reader *r)
{
	const struct fl_perf_record *record = &r->record;

	return record->open && !record->closed && !r->frames.n &&
	       !r->one_line.n && !r->source->part && !record->flat &&
	       !record->branch &&
	       !r->naming.options->peer && (r->stacks || !record->padded) &&
	       !(r->nevents && r->events[record->event].one_line);
}

int fl_perf_end(struct fl_perf_reader *r)
{
	struct flame_source *source = r->source;
	const char *name = fl_in_name(source->in);
	const char *damage = fl_in_damage(source->in);

	if (source->part)
		return FLAME_END;
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
	if (r->no_branch)
		fl_remark(r->flame, "%s: %" PRIu64 " samples of branches have "
			  "no function: perf script prints it with -F ip,sym",
			  name, r->no_branch);
	if (r->no_end && !r->cut_line)
		fl_remark(r->flame, "%s: the text ends without the empty line "
			  "that perf prints after a stack: the last one may "
			  "lack its root", name);
	fl_perf_inline_report(r->naming.inlines, name);
	if (r->cut_line)
		fl_warn(r->flame, "%s: the text ends within line %" PRIu64
			": the last sample is left out, as its stack is not "
			"whole", name, r->cut_line);
	if (damage)
		fl_warn(r->flame, "%s: %s", name, damage);
	r->lost = r->no_period = r->no_branch = 0;
	r->no_end = false;
	if (r->bad || r->cut_line || damage)
		source->damage = r->headers || r->samples ? 1 : 2;
	return fl_perf_events_end(r) == FLAME_OK ? FLAME_END : FLAME_FAILED;
}

/* Headers as the one before, and frames as there were: as many as come. */
static enum what take_usual(struct fl_perf_reader *r,
			    struct flame_sample *sample)
{
	struct fl_perf_header h;
	enum what what = NOTHING;
	size_t size;

	do {
		if (r->record.open && r->record.wanted && !r->one_line.n)
			read_cached_lines(r);
		if (!fl_perf_header_again(r->at, r->end, &r->lefts, &h, &size))
			break;
		what = take_header(r, (struct slice){ r->at, size }, &h,
				   sample);
	} while (what == NOTHING);
	return what;
}

static int read_one(struct flame_source *source, struct flame_sample *sample)
{
	struct fl_perf_reader *r = source->state;
	enum what what = NOTHING;
	struct slice line;

	if (r->naming.options->inlined && !r->naming.inlines) {
		r->naming.inlines = fl_perf_inline_new(r->flame);
		if (!r->naming.inlines)
			return FLAME_FAILED;
	}
	while (what == NOTHING) {
		what = take_usual(r, sample);
		if (what != NOTHING)
			break;
		if (!next_line(r, &line)) {
			if (ends_in_header(r)) {
				r->record.open = false;
				r->cut_line = r->line;
			}
			r->no_end |= r->record.open && r->frames.n &&
				     !r->record.flat;
			if (r->record.open && !is_lost(r) &&
			    fl_perf_record_end(r, sample))
				break;
			return fl_failed(r->flame) ? FLAME_FAILED :
						     fl_perf_end(r);
		}
		if ((unsigned char)line.data[0] <= ' ' &&
		    fl_perf_is_empty(line) && !is_begun(r, line)) {
			consume(r, line);
			/* The empty line after perf's message is its own. */
			what = r->message ? NOTHING : end_by_empty(r, sample);
			r->message = false;
			continue;
		}
		if (fl_unlikely(line.data + line.size == r->end) &&
		    is_cut(r, line))
			what = take_cut(r, line, sample);
		else
			what = take_other(r, line, sample);
	}
	return what == FAILED || fl_failed(r->flame) ? FLAME_FAILED :
						       FLAME_OK;
}

static int read_some(struct flame_source *source)
{
	struct fl_perf_reader *r = source->state;

	r->nbuffered = 0;
	while (r->status == FLAME_OK && r->nbuffered < FL_LOOKUP_BATCH) {
		r->status = read_one(source, &r->buffered[r->nbuffered].sample);
		r->nbuffered += r->status == FLAME_OK;
	}
	if (r->status != FLAME_FAILED)
		fl_perf_make_stacks(r);
	for (unsigned i = 0; i < r->nbuffered && !fl_failed(r->flame); i++)
		fl_batch_add(source, &r->buffered[i].sample);
	return fl_failed(r->flame) ? FLAME_FAILED : FLAME_OK;
}

/*
 * With fewer stacks than this, which fit the CPU's cache, look them up one by
 * one instead of in batches.
 */
enum { MIN_STACKS_TO_BATCH = 8 << 10 };

static int read(struct flame_source *source)
{
	struct fl_perf_reader *r = source->state;
	struct flame_sample sample;

	if (r->status != FLAME_OK)
		return r->status;
	/* Samples of two programs must not be in one batch. */
	r->at_once = r->flame->stacks.count < MIN_STACKS_TO_BATCH ||
		     r->source->nprograms;
	if (!r->at_once)
		return read_some(source);
	r->status = read_one(source, &sample);
	return r->status == FLAME_OK ? fl_batch_add(source, &sample) :
				       r->status;
}

/* The row ------------------------------------------------------------- */

int fl_perf_open(struct flame_source *source)
{
	struct fl_perf_reader *r = source->state;

	r->source = source;
	r->flame = source->flame;
	r->naming.flame = source->flame;
	r->naming.options = source->options;
	source->surveyed = true;
	return FLAME_OK;
}

void fl_perf_release(void *state)
{
	struct fl_perf_reader *r = state;

	for (size_t i = 0; i < r->nevents; i++) {
		fl_map_free(&r->events[i].threads);
		fl_free(r->events[i].periods);
	}
	fl_perf_lines_free(&r->lines[0]);
	fl_perf_lines_free(&r->lines[1]);
	fl_map_free(&r->by_name);
	fl_perf_inline_free(r->naming.inlines);
	fl_buf_free(&r->naming.buf);
	fl_free(r->events);
	fl_free(r->frames.at);
	fl_free(r->one_line.at);
	fl_free(r->pairs);
}

static int set_inline(struct flame *flame, void *member, const char *value,
		      char reason[FL_REASON_SIZE])
{
	(void)flame;
	(void)value;
#ifdef HAVE_LIBDW
	(void)reason;
	*(bool *)member = true;
	return FLAME_OK;
#else
	(void)member;
	snprintf(reason, FL_REASON_SIZE, "this libflame was built without "
		 "elfutils' libdw, which it needs");
	return FLAME_FAILED;
#endif
}

#define AT(member) .offset = offsetof(struct fl_perf_options, member)

/* Those that what perf records can be asked for, too. */
#define COMMON_ROWS \
	FL_OPTION_ROW_TOTAL(struct fl_perf_options), \
	FL_OPTION_ROW_WEIGHT(struct fl_perf_options), \
	{ "addrs", NULL, "perf: addresses where no name is known", \
	  FL_OPTION_FLAG, AT(addrs), FL_SCOPE_DETAIL }, \
	{ "inline", NULL, "perf: frames of inlined functions, too", \
	  FL_OPTION_FLAG, AT(inlined), FL_SCOPE_DETAIL, .set = set_inline }, \
	{ "pid", NULL, "perf: COMM-PID at the root", \
	  FL_OPTION_FLAG, AT(pid), FL_SCOPE_DETAIL }, \
	{ "skip-after", "NAME", "perf: leave out what called this function", \
	  FL_OPTION_LINES, AT(skip_after), FL_SCOPE_DETAIL, .least = 1 }, \
	{ "tid", NULL, "perf: COMM-PID/TID at the root", \
	  FL_OPTION_FLAG, AT(tid), FL_SCOPE_DETAIL }

static const struct fl_option rows[] = {
	COMMON_ROWS,
	FL_OPTION_ROW_PEER(struct fl_perf_options),
	FL_OPTION_ROW_LINES(struct fl_perf_options),
	FL_OPTION_ROW_SRCLINE(struct fl_perf_options),
	{ "jit", NULL, "perf: mark compiled code (only --compat needs it)",
	  FL_OPTION_FLAG, AT(jit), FL_SCOPE_DETAIL },
	{ "kernel", NULL, "perf: mark the kernel's (only --compat needs it)",
	  FL_OPTION_FLAG, AT(kernel), FL_SCOPE_DETAIL },
	{ .name = NULL }
};

static const struct fl_option data_rows[] = {
	COMMON_ROWS,
	FL_OPTION_ROW_SYMFS(struct fl_perf_options),
	FL_OPTION_ROW_KALLSYMS(struct fl_perf_options),
	{ .name = NULL }
};

const struct fl_option_table fl_perf_data_options = {
	.rows = data_rows, .size = sizeof(struct fl_perf_options),
};

static const struct fl_option_table option_table = {
	.rows = rows, .size = sizeof(struct fl_perf_options),
};

const struct fl_format fl_format_perf = {
	.name = "perf",
	.summary = "what perf script prints",
	.probe = fl_perf_probe,
	.state_size = sizeof(struct fl_perf_reader),
	.open = fl_perf_open,
	.read = read,
	.release = fl_perf_release,
	.selects = true,
	.split = fl_perf_split,
	.resume = fl_perf_resume,
	.fork = fl_perf_fork,
	.join = fl_perf_join,
	.options = &option_table,
};
