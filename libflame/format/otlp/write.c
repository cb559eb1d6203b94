/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the samples of a sink as OTLP profiles of 1.10 (fl_otlp_create): one
 * message ProfilesData, with a profile for each metric.  Samples are in the
 * order of their stacks.  A frame is a function and a location of the same
 * index.  How it ran is in the function's system_name, "f_[j]", as in our
 * pprof.
 */
#include "fl.h"

#include "dict/java.h"
#include "write/rows.h"
#include "format/otlp/otlp.h"

struct writer {
	const struct fl_rows *rows;
	struct flame *flame;
	bool failed;
	struct fl_buf part;		/* an entry of a table */
	struct fl_buf inner;		/* text, or a message in an entry */
	struct fl_buf sample, indices;	/* a sample, and what it points to */
	struct fl_buf profile, scope, resource;
	/* Tables of the dictionary, encoded, and their maps to indices. */
	struct fl_buf tables[DICTIONARY_TABLES];
	uint64_t count[DICTIONARY_TABLES];
	struct fl_map strings;		/* of names */
	struct fl_map attributes;	/* of key << 32 | value, both names */
	uint64_t *locations, *stacks;	/* by id; 0: none yet */
	flame_id *keys;			/* of labels */
	size_t nkeys;
};

/* Tables -------------------------------------------------------------- */

/* Moves w->part into a table; returns its index there. */
static uint64_t add_part(struct writer *w, unsigned table)
{
	w->failed |= w->part.failed;
	fl_put_bytes(&w->tables[table], table, w->part.data, w->part.size);
	w->part.size = 0;
	return w->count[table]++;
}

static uint64_t string_of(struct writer *w, flame_id name)
{
	struct slice text = fl_name_at(w->flame, name);
	uint64_t *place;
	bool fresh;

	if (!text.size)
		return 0;
	place = fl_map_put(&w->strings, name, &fresh);
	if (!place) {
		w->failed = true;
		return 0;
	}
	if (fresh) {
		*place = w->count[DICTIONARY_STRINGS]++;
		w->inner.size = 0;
		fl_utf8_clean(&w->inner, text);
		w->failed |= w->inner.failed;
		fl_put_bytes(&w->tables[DICTIONARY_STRINGS],
			     DICTIONARY_STRINGS, w->inner.data,
			     w->inner.size);
	}
	return *place;
}

static uint64_t string_of_text(struct writer *w, const char *text)
{
	return string_of(w, fl_name(w->flame, text));
}

/* Entry 0 of each table is that of its defaults. */
static void begin_tables(struct writer *w)
{
	for (unsigned i = 1; i < DICTIONARY_TABLES; i++)
		add_part(w, i);
}

/* Attributes ---------------------------------------------------------- */

/* Types and units, as the reader and OpenTelemetry's conventions name them. */
static const struct { const char *ours, *theirs; bool number; } known[] = {
	{ "thread", "thread.name", false }, { "tid", "thread.id", true },
	{ "pid", "process.pid", true },
};

static void put_value(struct writer *w, struct slice text, bool number)
{
	struct fl_buf valid = { 0 };
	int64_t n;

	w->inner.size = 0;
	if (number && fl_slice_digits(text) && fl_parse_int(text, &n)) {
		/* A 0 is written, too, though it is the default. */
		fl_put_varint(&w->inner, ANY_INT << 3 | FL_WIRE_VARINT);
		fl_put_varint(&w->inner, (uint64_t)n);
	} else {
		fl_utf8_clean(&valid, text);
		fl_put_bytes(&w->inner, ANY_STRING, valid.data, valid.size);
	}
	w->failed |= w->inner.failed || valid.failed;
	fl_buf_free(&valid);
	fl_put_bytes(&w->part, KEY_VALUE_VALUE, w->inner.data, w->inner.size);
}

static void put_attribute(struct writer *w, flame_id key, flame_id value)
{
	struct slice name = fl_name_at(w->flame, key);
	uint64_t string = 0;
	bool number = false;

	for (size_t i = 0; i < FL_COUNT(known); i++)
		if (fl_slice_is(name, known[i].ours)) {
			string = string_of_text(w, known[i].theirs);
			number = known[i].number;
		}
	if (!string)
		string = string_of(w, key);
	fl_put_number(&w->part, KEY_VALUE_KEY, string);
	put_value(w, fl_name_at(w->flame, value), number);
}

static uint64_t attribute_of(struct writer *w, flame_id key, flame_id value)
{
	bool fresh;
	uint64_t *place = fl_map_put(&w->attributes,
				     (uint64_t)key << 32 | value, &fresh);

	if (!place) {
		w->failed = true;
		return 0;
	}
	if (fresh) {
		put_attribute(w, key, value);
		*place = add_part(w, DICTIONARY_ATTRIBUTES);
	}
	return *place;
}

/* Frames -------------------------------------------------------------- */

static uint64_t system_name(struct writer *w, const struct flame_frame *frame)
{
	const char *suffix = fl_type_suffix(frame->type);
	struct slice name = fl_name_at(w->flame, frame->name);

	if (!*suffix)
		return 0;
	w->inner.size = 0;
	fl_buf_put(&w->inner, name.data, name.size);
	fl_buf_text(&w->inner, suffix);
	w->failed |= w->inner.failed;
	return string_of(w, flame_name(w->flame, w->inner.data, w->inner.size));
}

/* The value of profile.frame.type; NULL: not known. */
static const char *frame_type(enum flame_type type)
{
	if (fl_is_java_type(type))
		return "jvm";
	switch (type) {
	case FLAME_NATIVE:
	case FLAME_CPP:
		return "native";
	case FLAME_KERNEL:
		return "kernel";
	default:
		return NULL;
	}
}

static uint64_t add_location(struct writer *w, const struct flame_frame *frame)
{
	const char *type = frame_type(frame->type);
	uint64_t function, attribute = 0;
	uint64_t name = string_of(w, frame->name),
		 system = system_name(w, frame),
		 file = string_of(w, frame->file);

	fl_put_number(&w->part, FUNCTION_NAME, name);
	fl_put_number(&w->part, FUNCTION_SYSTEM_NAME, system);
	fl_put_number(&w->part, FUNCTION_FILENAME, file);
	function = add_part(w, DICTIONARY_FUNCTIONS);
	if (type)
		attribute = attribute_of(
			w, fl_name(w->flame, "profile.frame.type"),
			fl_name(w->flame, type));
	w->inner.size = 0;
	fl_put_number(&w->inner, LINE_FUNCTION, function);
	fl_put_number(&w->inner, LINE_LINE, frame->line);
	fl_put_bytes(&w->part, LOCATION_LINES, w->inner.data, w->inner.size);
	w->inner.size = 0;
	if (attribute) {
		fl_put_varint(&w->inner, attribute);
		fl_put_bytes(&w->part, LOCATION_ATTRIBUTES, w->inner.data,
			     w->inner.size);
	}
	w->failed |= w->inner.failed;
	return add_part(w, DICTIONARY_LOCATIONS);
}

static uint64_t location_of(struct writer *w, flame_id frame_id)
{
	/* Names that are interned may move the frames. */
	const struct flame_frame frame = w->flame->frames.data[frame_id];

	if (!w->locations[frame_id])
		w->locations[frame_id] = add_location(w, &frame);
	return w->locations[frame_id];
}

static void add_stack(struct writer *w, flame_id stack)
{
	flame_id at = stack;

	for (; at; at = fl_parent(w->flame, at))
		location_of(w, fl_frame_id(w->flame, at));
	w->inner.size = 0;
	for (at = stack; at; at = fl_parent(w->flame, at))
		fl_put_varint(&w->inner,
			      w->locations[fl_frame_id(w->flame, at)]);
	w->failed |= w->inner.failed;
	fl_put_bytes(&w->part, STACK_LOCATIONS, w->inner.data, w->inner.size);
	w->stacks[stack] = add_part(w, DICTIONARY_STACKS);
}

/* Samples ------------------------------------------------------------- */

static void put_indices(struct writer *w, const struct flame_sample *row)
{
	w->indices.size = 0;
	for (size_t i = 0; i < w->nkeys; i++) {
		flame_id value = fl_row_label(w->flame, row, w->keys[i]);

		if (value)
			fl_put_varint(&w->indices,
				      attribute_of(w, w->keys[i], value));
	}
	if (w->indices.size)
		fl_put_bytes(&w->sample, SAMPLE_ATTRIBUTES, w->indices.data,
			     w->indices.size);
}

static void put_sample(struct writer *w, const struct flame_sample *row)
{
	if (row->stack && !w->stacks[row->stack])
		add_stack(w, row->stack);
	w->sample.size = 0;
	fl_put_number(&w->sample, SAMPLE_STACK, w->stacks[row->stack]);
	put_indices(w, row);
	w->indices.size = 0;
	fl_put_varint(&w->indices, (uint64_t)row->weight);
	fl_put_bytes(&w->sample, SAMPLE_VALUES, w->indices.data,
		     w->indices.size);
	fl_put_bytes(&w->profile, PROFILE_SAMPLES, w->sample.data,
		     w->sample.size);
	w->failed |= w->sample.failed || w->indices.failed;
}

/* Profiles ------------------------------------------------------------ */

static void put_type(struct writer *w, const struct flame_metric *metric)
{
	bool named = metric && *metric->name;

	w->sample.size = 0;
	fl_put_number(&w->sample, VALUE_TYPE_TYPE, string_of_text(w,
		named ? metric->name : "samples"));
	fl_put_number(&w->sample, VALUE_TYPE_UNIT, string_of_text(w,
		named ? fl_long_unit(metric->weight) : "count"));
	fl_put_bytes(&w->profile, PROFILE_SAMPLE_TYPE, w->sample.data,
		     w->sample.size);
}

static void put_span(struct writer *w)
{
	const struct fl_rows *rows = w->rows;

	if (rows->from == FLAME_NOTIME || rows->from <= 0 ||
	    rows->to < rows->from)
		return;
	fl_put_fixed64(&w->profile, PROFILE_TIME, (uint64_t)rows->from);
	fl_put_number(&w->profile, PROFILE_DURATION,
		      (uint64_t)(rows->to - rows->from));
}

/* metric 0: a profile without samples. */
static void put_profile(struct writer *w, flame_id metric)
{
	const struct fl_rows *rows = w->rows;

	w->profile.size = 0;
	put_type(w, metric ? flame_metric_of(w->flame, metric) : NULL);
	for (size_t i = 0; i < rows->sums.count && !w->failed; i++)
		if (rows->sums.data[i].metric == metric)
			put_sample(w, &rows->sums.data[i]);
	put_span(w);
	w->failed |= w->profile.failed;
	fl_put_bytes(&w->scope, SCOPE_PROFILES_PROFILES, w->profile.data,
		     w->profile.size);
}

static void put_scope_name(struct writer *w)
{
	static const char name[] = "libflame", version[] = FLAME_VERSION;

	w->sample.size = 0;
	fl_put_bytes(&w->sample, SCOPE_NAME, name, sizeof(name) - 1);
	fl_put_bytes(&w->sample, SCOPE_VERSION, version, sizeof(version) - 1);
	fl_put_bytes(&w->scope, SCOPE_PROFILES_SCOPE, w->sample.data,
		     w->sample.size);
}

static void put_message(struct writer *w, uint32_t number,
			const struct fl_buf *message)
{
	w->part.size = 0;
	fl_put_varint(&w->part, (uint64_t)number << 3 | FL_WIRE_BYTES);
	fl_put_varint(&w->part, message->size);
	w->failed |= w->part.failed || message->failed;
	if (w->failed)
		return;
	fl_out_put(w->rows->out, w->part.data, w->part.size);
	fl_out_put(w->rows->out, message->data, message->size);
}

/* Writes the tables; the sum of their sizes comes first. */
static void put_dictionary(struct writer *w)
{
	size_t size = 0;

	for (unsigned i = 1; i < DICTIONARY_TABLES; i++) {
		size += w->tables[i].size;
		w->failed |= w->tables[i].failed;
	}
	w->part.size = 0;
	fl_put_varint(&w->part, DATA_DICTIONARY << 3 | FL_WIRE_BYTES);
	fl_put_varint(&w->part, size);
	w->failed |= w->part.failed;
	if (w->failed)
		return;
	fl_out_put(w->rows->out, w->part.data, w->part.size);
	for (unsigned i = 1; i < DICTIONARY_TABLES; i++)
		fl_out_put(w->rows->out, w->tables[i].data, w->tables[i].size);
}

static void put_data(struct writer *w)
{
	const struct fl_rows *rows = w->rows;

	begin_tables(w);
	put_scope_name(w);
	for (size_t i = 0; i < rows->nmetrics; i++)
		put_profile(w, rows->metrics[i]);
	if (!rows->nmetrics)
		put_profile(w, 0);
	w->failed |= w->scope.failed;
	fl_put_bytes(&w->resource, RESOURCE_PROFILES_SCOPES, w->scope.data,
		     w->scope.size);
	put_message(w, DATA_RESOURCE_PROFILES, &w->resource);
	put_dictionary(w);
}

static void free_writer(struct writer *w)
{
	for (unsigned i = 0; i < DICTIONARY_TABLES; i++)
		fl_buf_free(&w->tables[i]);
	fl_map_free(&w->strings);
	fl_map_free(&w->attributes);
	fl_buf_free(&w->part);
	fl_buf_free(&w->inner);
	fl_buf_free(&w->sample);
	fl_buf_free(&w->indices);
	fl_buf_free(&w->profile);
	fl_buf_free(&w->scope);
	fl_buf_free(&w->resource);
	fl_free(w->locations);
	fl_free(w->stacks);
	fl_free(w->keys);
}

static int write_otlp(struct fl_rows *rows)
{
	struct writer w = { .rows = rows, .flame = rows->flame };

	w.keys = fl_rows_keys(rows, &w.nkeys);
	w.locations = fl_zeroed(rows->flame->frames.count + 1,
				sizeof(*w.locations));
	w.stacks = fl_zeroed(rows->flame->stacks.count + 1, sizeof(*w.stacks));
	w.failed = !w.keys || !w.locations || !w.stacks;
	if (!w.failed)
		put_data(&w);
	if (w.failed)
		fl_no_memory(rows->flame);
	free_writer(&w);
	return fl_failed(rows->flame) ? FLAME_FAILED : FLAME_OK;
}

struct flame_sink *fl_otlp_create(struct flame *flame, struct fl_out *out)
{
	return fl_rows_untitled(flame, out, FL_NEED_THREAD, write_otlp);
}
