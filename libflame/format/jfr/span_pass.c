/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --latency and --tag: only samples inside a span of the same thread.  Spans
 * are profiler.Span and jdk.MethodTrace events; they are written when they
 * end, so a first pass over all chunks collects them.
 */
#include "fl.h"

#include "format/jfr/source.h"

#include <stdlib.h>

struct span_reader {
	struct fl_jfr *jfr;
	struct fl_jfr_chunk *chunk;
	struct fl_jfr_reader fields;
	const struct fl_jfr_field *tag;
	uint8_t unit;
	struct { struct fl_jfr_span span; uint64_t at; } *pending;
	size_t npending, pending_capacity;
};

static bool is_span(const struct fl_jfr_class *class)
{
	return fl_slice_is(class->name, "profiler.Span") ||
	       fl_slice_is(class->name, "jdk.MethodTrace");
}

static bool begin_class(struct span_reader *r, struct fl_jfr_class *class)
{
	const char *names[FL_JFR_SLOTS] = {
		[FL_JFR_TIME] = "startTime", [FL_JFR_VALUE] = "duration",
		[FL_JFR_THREAD] = "eventThread",
	};

	memset(&r->fields, 0, sizeof(r->fields));
	r->fields.class = class;
	if (!fl_jfr_compile(r->chunk, &r->fields, names))
		return false;
	r->tag = fl_jfr_field_of(class, "tag");
	r->unit = r->fields.value_unit ? r->fields.value_unit : FL_JFR_TICKS;
	return true;
}

static bool keep_span(struct span_reader *r, struct fl_wire w)
{
	const struct fl_jfr_options *wanted = fl_jfr_options(r->jfr);
	uint64_t at = w.at - r->chunk->at;
	struct fl_jfr_span span;
	int64_t start, length;

	fl_jfr_read_fields(&r->fields, &w);
	if (w.bad)
		return true;
	start = r->fields.values[FL_JFR_TIME];
	length = r->fields.values[FL_JFR_VALUE];
	span.thread = r->fields.values[FL_JFR_THREAD];
	span.from = fl_jfr_ns(r->chunk, start);
	span.to = fl_jfr_ns(r->chunk, start + length);
	if (fl_jfr_span_ns(r->chunk, r->unit, length) < wanted->latency)
		return true;
	if (!fl_grow(&r->pending, &r->pending_capacity, r->npending + 1,
		     sizeof(*r->pending)))
		return false;
	r->pending[r->npending].span = span;
	r->pending[r->npending++].at = r->tag ? at : 0;
	return true;
}

static bool read_spans(struct span_reader *r)
{
	struct fl_wire w = fl_jfr_wire(r->chunk, FL_JFR_HEADER);
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
static bool tag_matches(struct span_reader *r, uint64_t at)
{
	const struct fl_regex *tag = fl_jfr_options(r->jfr)->tag;
	struct fl_wire w = fl_jfr_wire(r->chunk, at);
	struct slice text;

	if (!tag)
		return true;
	if (!at)
		return false;
	fl_jfr_seek(r->fields.class, r->tag, &w);
	text = fl_jfr_text(r->chunk, r->tag, &w);
	return text.data && fl_regex_match(tag, text.data, text.size);
}

static bool accept_spans(struct span_reader *r)
{
	struct fl_jfr_spans *spans = r->jfr->spans;

	for (size_t i = 0; i < r->npending; i++) {
		if (!tag_matches(r, r->pending[i].at))
			continue;
		if (!fl_jfr_add_span(spans, &r->pending[i].span))
			return false;
	}
	return true;
}

static bool read_chunk(struct fl_jfr *jfr, struct fl_jfr_chunk *chunk)
{
	struct span_reader r = { .jfr = jfr, .chunk = chunk };
	bool good = true;

	if (fl_jfr_find_meta(chunk)) {
		good = read_spans(&r);
		if (good && r.npending && fl_jfr_options(jfr)->tag)
			good = fl_jfr_read_pools(chunk);
		good = good && accept_spans(&r);
	}
	fl_free(r.pending);
	return good;
}

int fl_jfr_prepare_spans(struct fl_jfr *jfr, const uint8_t *at, size_t size)
{
	struct flame *flame = jfr->source->flame;
	size_t offset = 0;

	jfr->spans = fl_zeroed(1, sizeof(*jfr->spans));
	if (!jfr->spans)
		return fl_no_memory(flame);
	while (size - offset >= FL_JFR_HEADER) {
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
	fl_jfr_sort_spans(jfr->spans);
	return FLAME_OK;
}
