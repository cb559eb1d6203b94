/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --latency and --tag: only samples inside a span of the same thread.  Spans
 * are profiler.Span and jdk.MethodTrace events; they are written when they
 * end, so a first pass over all chunks collects them.
 */
#include "fl.h"

#include "format/jfr/jfr.h"

#include <stdlib.h>

struct span {
	uint64_t thread;
	int64_t from, to;	/* ns, both inside */
};

struct fl_jfr_spans {
	struct span *at;
	size_t n, room;
	bool seen;		/* any event that is a span at all */
};

void fl_jfr_spans_free(struct fl_jfr_spans *spans)
{
	if (!spans)
		return;
	fl_free(spans->at);
	fl_free(spans);
}

struct reader {
	struct fl_jfr *jfr;
	struct fl_jfr_chunk *chunk;
	struct fl_jfr_count count;
	const struct fl_jfr_field *tag;
	uint8_t unit;
	struct { struct span span; uint64_t at; } *held;
	size_t nheld, held_room;
};

static bool is_span(const struct fl_jfr_class *class)
{
	return fl_slice_is(class->name, "profiler.Span") ||
	       fl_slice_is(class->name, "jdk.MethodTrace");
}

static bool begin_class(struct reader *r, struct fl_jfr_class *class)
{
	const char *names[FL_JFR_SLOTS] = {
		[FL_JFR_TIME] = "startTime", [FL_JFR_VALUE] = "duration",
		[FL_JFR_THREAD] = "eventThread",
	};

	memset(&r->count, 0, sizeof(r->count));
	r->count.class = class;
	if (!fl_jfr_compile(r->chunk, &r->count, names))
		return false;
	r->tag = fl_jfr_field_of(class, "tag");
	r->unit = r->count.value_unit ? r->count.value_unit : FL_JFR_TICKS;
	return true;
}

static bool keep_span(struct reader *r, struct fl_wire w)
{
	const struct fl_jfr_options *wanted = fl_jfr_options(r->jfr);
	uint64_t at = w.at - r->chunk->at;
	struct span span;
	int64_t start, length;

	fl_jfr_run(&r->count, &w);
	if (w.bad)
		return true;
	start = r->count.values[FL_JFR_TIME];
	length = r->count.values[FL_JFR_VALUE];
	span.thread = r->count.values[FL_JFR_THREAD];
	span.from = fl_jfr_ns(r->chunk, start);
	span.to = fl_jfr_ns(r->chunk, start + length);
	if (fl_jfr_span_ns(r->chunk, r->unit, length) < wanted->latency)
		return true;
	if (!fl_grow(&r->held, &r->held_room, r->nheld + 1,
		     sizeof(*r->held)))
		return false;
	r->held[r->nheld].span = span;
	r->held[r->nheld++].at = r->tag ? at : 0;
	return true;
}

static bool read_spans(struct reader *r)
{
	struct fl_wire w = fl_jfr_wire(r->chunk, 68);
	const uint8_t *end = w.end;
	struct fl_jfr_class *last = NULL;

	while (w.at < end) {
		const uint8_t *begin = w.at;
		uint32_t size = fl_wire_int(&w);
		uint64_t type = fl_wire_long(&w);
		struct fl_jfr_class *class;

		if (w.bad || !size || size > (uint64_t)(end - begin))
			break;
		class = type > 1 ? fl_jfr_class_by_id(r->chunk, type) : NULL;
		if (class && (class == last || is_span(class))) {
			r->jfr->spans->seen = true;
			if (class != last && !begin_class(r, class))
				return true;
			last = class;
			if (!fl_wire_within(&w, begin, size))
				break;
			if (!keep_span(r, w))
				return false;
			w.end = end;
		}
		w.at = begin + size;
	}
	return true;
}

/* Tags are constants more often than not: known when the pools are. */
static bool tag_matches(struct reader *r, uint64_t at)
{
	const struct fl_regex *tag = fl_jfr_options(r->jfr)->tag;
	struct fl_wire w = fl_jfr_wire(r->chunk, at);
	struct slice text;

	if (!tag)
		return true;
	if (!at)
		return false;
	fl_jfr_seek(r->count.class, r->tag, &w);
	text = fl_jfr_text(r->chunk, r->tag, &w);
	return text.data && fl_regex_match(tag, text.data, text.size);
}

static bool take_spans(struct reader *r)
{
	struct fl_jfr_spans *spans = r->jfr->spans;

	for (size_t i = 0; i < r->nheld; i++) {
		if (!tag_matches(r, r->held[i].at))
			continue;
		if (!fl_grow(&spans->at, &spans->room, spans->n + 1,
			     sizeof(*spans->at)))
			return false;
		spans->at[spans->n++] = r->held[i].span;
	}
	return true;
}

static bool read_chunk(struct fl_jfr *jfr, struct fl_jfr_chunk *chunk)
{
	struct reader r = { .jfr = jfr, .chunk = chunk };
	bool good = true;

	if (fl_jfr_find_meta(chunk)) {
		good = read_spans(&r);
		if (good && r.nheld && fl_jfr_options(jfr)->tag)
			good = fl_jfr_read_pools(chunk);
		good = good && take_spans(&r);
	}
	fl_free(r.held);
	return good;
}

static int by_thread(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return (x->from > y->from) - (x->from < y->from);
}

/* Overlapping ones become one, so that a search finds all there is. */
static void merge(struct fl_jfr_spans *spans)
{
	size_t n = 0;

	if (!spans->n)
		return;
	qsort(spans->at, spans->n, sizeof(*spans->at), by_thread);
	for (size_t i = 1; i < spans->n; i++) {
		struct span *last = &spans->at[n], *s = &spans->at[i];

		if (s->thread == last->thread && s->from <= last->to)
			last->to = FL_MAX(last->to, s->to);
		else
			spans->at[++n] = *s;
	}
	spans->n = n + 1;
}

int fl_jfr_prepare_spans(struct fl_jfr *jfr, const uint8_t *at, size_t size)
{
	struct flame *flame = jfr->source->flame;
	size_t offset = 0;

	jfr->spans = fl_zeroed(1, sizeof(*jfr->spans));
	if (!jfr->spans)
		return fl_no_memory(flame);
	while (size - offset >= 68) {
		struct fl_jfr_chunk *chunk = fl_jfr_chunk_new(jfr, offset);
		enum fl_jfr_found found;
		bool good;

		if (!chunk)
			return FLAME_FAILED;
		offset += fl_jfr_extent(chunk, at + offset, size - offset,
					&found);
		good = found == FL_JFR_NONE || found == FL_JFR_FUTURE ||
		       read_chunk(jfr, chunk);
		fl_jfr_chunk_free(chunk);
		if (!good)
			return fl_no_memory(flame);
		if (fl_failed(flame))
			return FLAME_FAILED;
	}
	if (!jfr->spans->seen)
		return fl_fail(flame, "%s: no spans to filter by (no "
			       "profiler.Span and no jdk.MethodTrace events)",
			       fl_in_name(jfr->source->in));
	merge(jfr->spans);
	return FLAME_OK;
}

bool fl_jfr_in_span(const struct fl_jfr *jfr, uint64_t thread, int64_t ns)
{
	const struct fl_jfr_spans *spans = jfr->spans;
	size_t low = 0, high = spans->n;

	/* The first span that begins after this moment of this thread. */
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct span *s = &spans->at[mid];

		if (s->thread < thread ||
		    (s->thread == thread && s->from <= ns))
			low = mid + 1;
		else
			high = mid;
	}
	return low && spans->at[low - 1].thread == thread &&
	       ns <= spans->at[low - 1].to;
}
