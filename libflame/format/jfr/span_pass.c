/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collects spans for --latency, --tag and labels (fl_jfr_prepare_spans, for
 * source.c).  They are profiler.Span and jdk.MethodTrace events, which are
 * written when a span ends, so they need a pass over all chunks before samples
 * are read.  Out come sorted spans in jfr->spans (span.c).
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
	/* Their tags are known once the pools are. */
	struct pending {
		struct fl_jfr_span span;
		const struct fl_jfr_class *class;
		const struct fl_jfr_field *tag;	/* NULL: it has none */
		uint64_t at;		/* of its fields, in the chunk */
	} *pending;
	size_t npending, pending_capacity;
	bool only_tasks;	/* label nothing but Spark's tasks */
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
	struct pending pending = {
		.class = r->fields.class, .tag = r->tag,
		.at = w.at - r->chunk->at,
	};
	struct fl_jfr_span *span = &pending.span;
	int64_t start, length;

	fl_jfr_read_fields(&r->fields, &w);
	if (w.bad)
		return true;
	start = r->fields.values[FL_JFR_TIME];
	length = r->fields.values[FL_JFR_VALUE];
	span->thread = r->fields.values[FL_JFR_THREAD];
	span->from = fl_jfr_ns(r->chunk, start);
	span->to = fl_jfr_ns(r->chunk, start + length);
	if (fl_jfr_span_ns(r->chunk, r->unit, length) < wanted->latency)
		return true;
	if (!fl_grow(&r->pending, &r->pending_capacity, r->npending + 1,
		     sizeof(*r->pending)))
		return false;
	r->pending[r->npending++] = pending;
	return true;
}

static bool read_spans(struct span_reader *r)
{
	struct fl_wire w = fl_jfr_wire(r->chunk, FL_JFR_HEADER);
	const uint8_t *end = w.end;
	struct fl_jfr_class *last = NULL;

	while (w.at < end) {
		struct fl_jfr_class *class;
		struct fl_jfr_head head;

		if (!fl_jfr_read_head(&w, end, &head))
			break;
		class = head.type > 1 ?
			fl_jfr_class_by_id(r->chunk, head.type) : NULL;
		if (class && (class == last || is_span(class))) {
			r->jfr->spans->seen = true;
			if (class != last && !begin_class(r, class))
				return true;
			last = class;
			if (!fl_wire_within(&w, head.begin, head.size))
				break;
			if (!keep_span(r, w))
				return false;
			w.end = end;
		}
		w.at = head.begin + head.size;
	}
	return true;
}

/* data NULL: it has none. */
static struct slice tag_of(const struct span_reader *r,
			   const struct pending *pending)
{
	struct fl_wire w = fl_jfr_wire(r->chunk, pending->at);

	if (!pending->tag)
		return (struct slice){ NULL, 0 };
	fl_jfr_seek(pending->class, pending->tag, &w);
	return fl_jfr_text(r->chunk, pending->tag, &w);
}

static bool accept_spans(struct span_reader *r)
{
	const struct fl_regex *wanted = fl_jfr_options(r->jfr)->tag;
	struct fl_jfr_spans *spans = r->jfr->spans;

	for (size_t i = 0; i < r->npending; i++) {
		struct pending *pending = &r->pending[i];
		struct slice tag = { NULL, 0 };

		if (wanted || spans->label)
			tag = tag_of(r, pending);
		if (wanted && (!tag.data ||
			       !fl_regex_match(wanted, tag.data, tag.size)))
			continue;
		if (spans->label && tag.data)
			pending->span.labels = fl_jfr_tag_labels(
				r->jfr->source->flame, tag, r->only_tasks);
		if (!spans->filter && !pending->span.labels)
			continue;
		if (!fl_jfr_add_span(spans, &pending->span))
			return false;
	}
	return true;
}

static bool read_chunk(struct fl_jfr *jfr, struct fl_jfr_chunk *chunk)
{
	const struct fl_jfr_spans *spans = jfr->spans;
	struct span_reader r = {
		.jfr = jfr, .chunk = chunk,
		.only_tasks = !fl_is_wanted(jfr->source->select.labels,
					    FL_JFR_SPAN_KEYS),
	};
	bool good = true;

	if (fl_jfr_find_meta(chunk)) {
		good = read_spans(&r);
		if (good && r.npending &&
		    (spans->label || fl_jfr_options(jfr)->tag))
			good = fl_jfr_read_pools(chunk);
		good = good && accept_spans(&r);
	}
	fl_free(r.pending);
	return good;
}

static int read_all(struct fl_jfr *jfr, const uint8_t *at, size_t size)
{
	struct flame *flame = jfr->source->flame;
	size_t offset = 0;

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
	return FLAME_OK;
}

int fl_jfr_prepare_spans(struct fl_jfr *jfr, const uint8_t *at, size_t size,
			 bool filter, bool label)
{
	struct flame *flame = jfr->source->flame;
	struct fl_jfr_spans *spans = fl_zeroed(1, sizeof(*spans));

	jfr->spans = spans;
	if (!spans)
		return fl_no_memory(flame);
	spans->filter = filter;
	spans->label = label;
	if (read_all(jfr, at, size) != FLAME_OK)
		return FLAME_FAILED;
	if (filter && !spans->seen)
		return fl_fail(flame, "%s: no spans to filter by (no "
			       "profiler.Span and no jdk.MethodTrace events)",
			       fl_in_name(jfr->source->in));
	if (!fl_jfr_sort_spans(flame, spans))
		return fl_no_memory(flame);
	/* Without labels samples need not be separate by time. */
	if (!filter && !spans->count) {
		fl_jfr_spans_free(spans);
		jfr->spans = NULL;
	}
	return FLAME_OK;
}
