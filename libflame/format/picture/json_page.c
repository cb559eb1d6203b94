/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages that hold their profile as JSON in a script: memray's flame graphs,
 * pyinstrument's, those of CPython's profiling.sampling, and VizTracer's.  The
 * format of that JSON reads it.
 */
#include "fl.h"

#include "format/picture/picture.h"
#include "io/json.h"

enum { MAX_MARK = 128 };	/* bytes, with the blanks before it */

const char *fl_json_page_begins(struct fl_in *in, size_t *size)
{
	static const char *const marks[][2] = {
		{ "const packed_data = ", "memray" },
		{ "const sessionData = ", "pyinstrument" },
		{ "const EMBEDDED_DATA = ", "tachyon" },
		{ "json_data = ", "trace-event" },
	};
	size_t n;
	const uint8_t *head = fl_in_peek(in, MAX_MARK, &n);
	struct slice text = { (const char *)head, FL_MIN(n, (size_t)MAX_MARK) };

	if (!head)
		return NULL;
	text = fl_slice_trim(text);
	for (size_t i = 0; i < FL_COUNT(marks); i++) {
		if (!fl_slice_starts(text, marks[i][0]))
			continue;
		*size = (size_t)(text.data - (const char *)head) +
			strlen(marks[i][0]);
		return marks[i][1];
	}
	return NULL;
}

struct flame_source *fl_json_page_open(struct flame_source *source,
				       const char *format, size_t size)
{
	struct flame_source *inner;
	struct fl_json json;
	const uint8_t *data;
	size_t n;

	fl_in_consume(source->in, size);
	data = fl_in_peek(source->in, SIZE_MAX, &n);
	/* One that is cut is read as far as it goes. */
	fl_json_init_memory(&json, data ? data : (const uint8_t *)"", n);
	fl_json_next(&json);
	if (fl_json_skip(&json))
		n = (size_t)fl_json_offset(&json);
	fl_json_free(&json);
	inner = flame_open_memory(source->flame, data ? (const void *)data : "",
				  n, fl_in_name(source->in), format);
	if (inner) {
		inner->select.needs = source->select.needs;
		inner->select.survey = source->select.survey;
		source->surveyed = true;	/* by that one */
	}
	return inner;
}

int fl_json_page_read(struct flame_source *source, struct flame_source *inner)
{
	struct flame_sample sample;
	int status = flame_next(inner, &sample);

	while (status == FLAME_OK) {
		status = fl_batch_add(source, &sample);
		if (status == FLAME_OK)
			status = flame_next(inner, &sample);
	}
	source->damage = FL_MAX(source->damage, inner->damage);
	return status == FLAME_END && source->batch.n ? FLAME_OK : status;
}
