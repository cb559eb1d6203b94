/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Format otlp: reads OpenTelemetry's profiles (messages ProfilesData in
 * protobuf, or in JSON by json.c) into samples with labels and times.  The
 * whole input is in memory, as the dictionary may come last.  Several messages
 * may follow one another, bare, or framed with their lengths.
 */
#include "fl.h"

#include "format/otlp/otlp.h"

#include <inttypes.h>

/* Values or timestamps of a sample that are still to be given. */
struct numbers {
	uint64_t *data;
	size_t count, capacity;
};

struct reader {
	struct flame_source *source;
	struct flame *flame;
	struct fl_otlp_dictionary dictionary;
	struct fl_otlp_layout layout;
	const uint8_t *next, *end;	/* of the input */
	bool begun, framed, unsure, is_json;
	struct fl_json json;
	struct fl_buf encoded;		/* a document, as a message */
	/* The rest of the message and of the messages in it. */
	struct fl_message data, resource, scope, profile;
	struct fl_otlp_labels shared;	/* of the resource */
	flame_id metric;		/* of the profile */
	struct flame_sample sample;
	struct numbers values, times;
	size_t given, count;		/* of the sample */
	uint64_t good, lost;
	size_t damaged;			/* bytes */
};

/* Messages of the input ----------------------------------------------- */

/*
 * The length of the message that begins at the field: a second dictionary
 * begins a new message, and so do profiles after a dictionary that came after
 * profiles.
 */
static struct fl_message next_message(struct fl_message *rest)
{
	const uint8_t *begin = rest->next, *end = begin;
	bool profiles = false, dictionary = false, closed = false;
	struct fl_field field;

	for (; fl_field_next(rest, &field); end = rest->next) {
		if ((field.number == DATA_DICTIONARY && dictionary) ||
		    (field.number == DATA_RESOURCE_PROFILES && closed)) {
			rest->next = end;
			break;
		}
		profiles |= field.number == DATA_RESOURCE_PROFILES;
		dictionary |= field.number == DATA_DICTIONARY;
		closed = profiles && dictionary &&
			 (closed || field.number == DATA_DICTIONARY);
	}
	return fl_message_of(begin, (size_t)(end - begin));
}

/* ResourceProfiles and ProfilesDictionary have messages and a text. */
static bool is_part(const struct fl_field *part)
{
	struct fl_message message = fl_field_message(part);
	unsigned most = part->number == DATA_DICTIONARY ?
			DICTIONARY_TABLES - 1 : 3;
	struct fl_field field;

	while (fl_field_next(&message, &field))
		if (field.number > most || field.type != FL_WIRE_BYTES)
			return false;
	return !message.damaged;
}

/*
 * Whether it is a message ProfilesData, or the beginning of one.  *parts:
 * how many of it were checked.
 */
static bool is_data(struct fl_message message, bool cut, unsigned *parts)
{
	struct fl_field field;

	*parts = 0;
	while (fl_field_next(&message, &field)) {
		if (field.number > 2 || !is_part(&field))
			return false;
		++*parts;
	}
	return *parts ? cut || !message.damaged : cut;
}

#define MAGIC "OTLP"

/*
 * A frame: a length and a message.  false: not a frame.  *frame is the message,
 * or as much of it as the input has.
 */
static bool find_frame(const uint8_t *at, const uint8_t *end,
		       struct fl_message *frame)
{
	struct fl_message head = fl_message_of(at, (size_t)(end - at));
	unsigned parts;
	uint64_t size;

	if (!fl_varint(&head, &size) || !size ||
	    size > (uint64_t)(end - head.next))
		return false;
	*frame = fl_message_of(head.next, (size_t)size);
	return is_data(*frame, false, &parts) && parts;
}

/* After the magic comes a version, of a byte or more. */
static const uint8_t *first_frame(const uint8_t *at, const uint8_t *end)
{
	const size_t magic = sizeof(MAGIC) - 1;
	struct fl_message frame;
	bool named = (size_t)(end - at) > magic &&
		     memcmp(at, MAGIC, magic) == 0;

	if (named)
		at += magic;
	for (unsigned version = 0; version <= (named ? 8 : 0) && at < end;
	     version++, at++)
		if (find_frame(at, end, &frame))
			return at;
	return NULL;
}

static bool is_bare(const uint8_t *at, const uint8_t *end)
{
	struct fl_message message = fl_message_of(at, (size_t)(end - at));
	struct fl_field field;

	return fl_field_next(&message, &field) && field.number <= 2 &&
	       field.type == FL_WIRE_BYTES && is_part(&field);
}

static void begin_input(struct reader *r)
{
	const uint8_t *frame;
	size_t size;

	r->next = fl_in_peek(r->source->in, 4096, &size);
	r->end = r->next;
	r->is_json = fl_json_begins(r->next, size);
	if (r->is_json) {
		r->begun = true;
		fl_json_init(&r->json, r->source->in);
		return;
	}
	r->next = fl_in_peek(r->source->in, SIZE_MAX, &size);
	r->end = r->next + size;
	r->begun = true;
	frame = is_bare(r->next, r->end) ? NULL : first_frame(r->next, r->end);
	r->framed = frame;
	if (frame)
		r->next = frame;
}

/* Bytes that are not a message may be a packed one. */
static void unpack_rest(struct reader *r)
{
	struct fl_in *in = r->source->in;
	const uint8_t *bytes;
	size_t size;

	bytes = fl_in_peek(in, SIZE_MAX, &size);
	fl_in_consume(in, (size_t)(r->next - bytes));
	if (fl_in_decode_at(in, 0))
		begin_input(r);
	else
		bytes = fl_in_peek(in, SIZE_MAX, &size);
}

static bool take_document(struct reader *r, struct fl_message *message)
{
	struct fl_json *json = &r->json;

	r->encoded.size = 0;
	do {
		enum fl_json_token token = fl_json_next(json);

		if (token == FL_JSON_END || token == FL_JSON_FAILED)
			return false;
		if (token == FL_JSON_OBJECT)
			fl_otlp_encode(&r->encoded, json);
		else
			fl_json_skip(json);
	} while (!r->encoded.size);
	if (r->encoded.failed || json->no_memory)
		fl_no_memory(r->flame);
	*message = fl_message_of(r->encoded.data, r->encoded.size);
	return !fl_failed(r->flame);
}

/* true: *message is the next of the input, of one byte or more. */
static bool take_message(struct reader *r, struct fl_message *message)
{
	struct fl_message rest;

	if (r->is_json)
		return take_document(r, message);
	if (r->next == r->end)
		return false;
	if (r->framed) {
		/* Concatenated packed files have a magic at each joint. */
		const uint8_t *frame = first_frame(r->next, r->end);

		if (!frame || !find_frame(frame, r->end, message))
			return false;
		r->next = message->end;
		return true;
	}
	rest = fl_message_of(r->next, (size_t)(r->end - r->next));
	*message = next_message(&rest);
	r->next = rest.next;
	return message->next < message->end;
}

static bool begin_message(struct reader *r, struct fl_message message)
{
	struct fl_message fields = message;
	struct fl_field field;
	bool sure;

	fl_otlp_clear(&r->dictionary);
	r->dictionary.lines = ((const struct fl_lines_options *)
			       r->source->options)->lines;
	while (fl_field_next(&fields, &field))
		if (field.number == DATA_DICTIONARY &&
		    !fl_otlp_add(&r->dictionary, fl_field_message(&field)))
			return false;
	r->layout = fl_otlp_layout(&r->dictionary, message, &sure);
	if (r->is_json)
		r->layout = (struct fl_otlp_layout){ SAMPLE_VALUES,
						     SAMPLE_ATTRIBUTES };
	else
		r->unsure |= !sure;
	r->data = message;
	return true;
}

/* Contents of a message ------------------------------------------------ */

/* The next field of that number, as a message. */
static bool next_part(struct fl_message *message, uint32_t number,
		      struct fl_message *part)
{
	struct fl_field field;

	while (fl_field_next(message, &field))
		if (field.number == number && field.type == FL_WIRE_BYTES) {
			*part = fl_field_message(&field);
			return true;
		}
	return false;
}

static void begin_resource(struct reader *r)
{
	struct fl_message fields = r->resource, resource, attribute;

	r->shared = (struct fl_otlp_labels){ 0 };
	while (next_part(&fields, RESOURCE_PROFILES_RESOURCE, &resource))
		while (next_part(&resource, RESOURCE_ATTRIBUTES, &attribute))
			fl_otlp_attribute(&r->dictionary, attribute, false,
					  &r->shared);
}

/* Several profiles are one, gaps included. */
static void take_span(struct reader *r, uint64_t time, uint64_t duration)
{
	struct flame_source *source = r->source;
	int64_t start = (int64_t)time, end;

	if (start <= 0)
		return;
	end = fl_add_clamped(start, FL_MAX((int64_t)duration, 0));
	if (source->start == FLAME_NOTIME || start < source->start)
		source->start = start;
	if (source->end == FLAME_NOTIME || end > source->end)
		source->end = end;
}

static void begin_profile(struct reader *r)
{
	struct fl_message fields = r->profile, type;
	struct slice name = { "", 0 }, unit = { "", 0 };

	if (next_part(&fields, PROFILE_SAMPLE_TYPE, &type)) {
		fl_otlp_text(&r->dictionary,
			     fl_otlp_number(type, VALUE_TYPE_TYPE), &name);
		fl_otlp_text(&r->dictionary,
			     fl_otlp_number(type, VALUE_TYPE_UNIT), &unit);
	}
	r->metric = fl_typed_metric(r->flame, name, unit);
	take_span(r, fl_otlp_number(r->profile, PROFILE_TIME),
		  fl_otlp_number(r->profile, PROFILE_DURATION));
}

/* Samples ------------------------------------------------------------- */

static bool add_numbers(struct reader *r, struct numbers *to,
			const struct fl_field *field, enum fl_wire_type type)
{
	struct fl_numbers numbers = fl_field_numbers(field, type);
	uint64_t value;

	while (fl_number_next(&numbers, &value)) {
		if (!fl_grow(&to->data, &to->capacity, to->count + 1,
			     sizeof(*to->data)))
			return fl_no_memory(r->flame) == FLAME_OK;
		to->data[to->count++] = value;
	}
	return !numbers.packed.damaged;
}

static bool add_attributes(struct reader *r, const struct fl_field *field,
			   struct fl_otlp_labels *labels)
{
	struct fl_numbers numbers = fl_field_numbers(field, FL_WIRE_VARINT);
	uint64_t index;

	while (fl_number_next(&numbers, &index))
		if (!fl_otlp_attribute_at(&r->dictionary, index, labels))
			return false;
	return !numbers.packed.damaged;
}

static bool read_sample(struct reader *r, struct fl_message message)
{
	struct fl_otlp_labels labels = r->shared;
	struct fl_field field;
	uint64_t stack = 0;
	bool good = true;

	r->values.count = r->times.count = r->given = r->count = 0;
	while (good && fl_field_next(&message, &field)) {
		if (field.number == SAMPLE_STACK)
			stack = field.value;
		else if (field.number == r->layout.values)
			good = add_numbers(r, &r->values, &field,
					   FL_WIRE_VARINT);
		else if (field.number == r->layout.attributes)
			good = add_attributes(r, &field, &labels);
		else if (field.number == SAMPLE_TIMESTAMPS)
			good = add_numbers(r, &r->times, &field,
					   FL_WIRE_FIXED64);
	}
	r->sample = (struct flame_sample){
		.metric = r->metric, .thread = labels.thread,
		.labels = labels.labels, .time = FLAME_NOTIME,
	};
	return good && !message.damaged &&
	       fl_otlp_stack(&r->dictionary, stack, &r->sample.stack);
}

/* Each value with its timestamp; a timestamp alone counts 1. */
static bool give_number(struct reader *r, struct flame_sample *sample)
{
	while (r->given < r->count) {
		size_t i = r->given++;

		*sample = r->sample;
		if (i < r->times.count)
			sample->time = (int64_t)r->times.data[i];
		sample->weight = r->values.count ?
				 (int64_t)r->values.data[i] : 1;
		fl_metric_count(r->flame, r->metric, 1, sample->weight);
		if (sample->weight)
			return true;
	}
	return false;
}

/* The next sample of the message; false: none. */
static bool next_sample(struct reader *r, struct fl_message *sample)
{
	for (;;) {
		if (next_part(&r->profile, PROFILE_SAMPLES, sample))
			return true;
		if (next_part(&r->scope, SCOPE_PROFILES_PROFILES,
			      &r->profile)) {
			begin_profile(r);
			continue;
		}
		if (next_part(&r->resource, RESOURCE_PROFILES_SCOPES,
			      &r->scope))
			continue;
		if (!next_part(&r->data, DATA_RESOURCE_PROFILES,
			       &r->resource))
			return false;
		begin_resource(r);
	}
}

/* true: a sample. */
static bool next_in_message(struct reader *r, struct flame_sample *sample)
{
	struct fl_message message;

	for (;;) {
		if (give_number(r, sample))
			return true;
		if (fl_failed(r->flame) || !next_sample(r, &message))
			return false;
		if (!read_sample(r, message)) {
			r->lost++;
			continue;
		}
		r->count = r->values.count ? r->values.count :
					     r->times.count;
		r->good++;
	}
}

static void warn_damage(struct reader *r)
{
	const char *name = fl_in_name(r->source->in);
	const char *damage = fl_in_damage(r->source->in);

	if (damage)
		fl_warn(r->flame, "%s: %s", name, damage);
	else if (r->damaged)
		fl_warn(r->flame, "%s: cut or damaged: the last %zu bytes are "
			"no whole part of a message and are left out", name,
			r->damaged);
	else if (r->json.error)
		fl_warn(r->flame, "%s: line %" PRIu64 ", byte %" PRIu64 ": %s; "
			"what comes before it is read", name, r->json.line,
			fl_json_offset(&r->json), r->json.error);
	if (r->lost)
		fl_warn(r->flame, "%s: %" PRIu64 " samples left out: what "
			"they point to is not in the file", name, r->lost);
	if (r->unsure && r->good)
		fl_warn(r->flame, "%s: this may be OTLP 1.9 or 1.10, which "
			"number values and attributes of samples the other "
			"way round: read as 1.10", name);
	if (damage || r->damaged || r->json.error || r->lost)
		r->source->damage = r->good ? 1 : 2;
}

static bool find_message(struct reader *r, struct fl_message *message)
{
	if (!r->begun)
		begin_input(r);
	if (take_message(r, message))
		return true;
	if (r->next < r->end && r->good)
		unpack_rest(r);
	return take_message(r, message);
}

static int read(struct flame_source *source)
{
	struct reader *r = source->state;
	struct fl_message message;
	struct flame_sample sample;

	for (;;) {
		if (next_in_message(r, &sample))
			return fl_batch_add(source, &sample);
		if (fl_failed(r->flame))
			return FLAME_FAILED;
		if (!find_message(r, &message))
			break;
		if (!begin_message(r, message))
			return FLAME_FAILED;
	}
	r->damaged = (size_t)(r->end - r->next);
	warn_damage(r);
	fl_report_unnamed(source, r->dictionary.unnamed, "profile programs "
			  "with their symbols");
	r->dictionary.unnamed = 0;
	return FLAME_END;
}

/* The row of formats.def ------------------------------------------------ */

static int open_otlp(struct flame_source *source)
{
	struct reader *r = source->state;

	r->source = source;
	r->flame = r->dictionary.flame = source->flame;
	r->dictionary.source = source;
	return FLAME_OK;
}

static void release(void *state)
{
	struct reader *r = state;

	fl_otlp_free(&r->dictionary);
	if (r->is_json)
		fl_json_free(&r->json);
	fl_buf_free(&r->encoded);
	fl_free(r->values.data);
	fl_free(r->times.data);
}

/*
 * Detects a message whose end is cut off: it begins with a tag, a length, and a
 * tag of an inner message.
 */
static bool begins_data(struct fl_message message)
{
	struct fl_field field;
	uint64_t tag, size, inner;
	unsigned most;

	/* A Scope's, an empty one's or a table's entry may be small. */
	while (message.next < message.end) {
		const uint8_t *begin = message.next;

		if (fl_field_next(&message, &field)) {
			if (field.number > 2 || !is_part(&field))
				return false;
			continue;
		}
		message = fl_message_of(begin,
					(size_t)(message.end - begin));
		if (!fl_varint(&message, &tag) || !fl_varint(&message, &size))
			return true;
		most = tag == 0x12 ? DICTIONARY_TABLES - 1 : 3;
		if ((tag != 0x0a && tag != 0x12) ||
		    size <= (size_t)(message.end - message.next))
			return false;
		/* Fields of the inner message, as far as they are complete. */
		while (fl_field_next(&message, &field))
			if (field.number > most ||
			    field.type != FL_WIRE_BYTES)
				return false;
		return message.next == message.end ||
		       (fl_varint(&message, &inner) && (inner & 7) == 2 &&
			inner >> 3 && inner >> 3 <= most);
	}
	return true;
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	struct fl_message message = fl_message_of(head, n);
	const uint8_t *frame;
	unsigned parts;

	if (fl_json_begins(head, n))
		return fl_otlp_probe_json(head, n, whole);
	/* Ruby's Marshal could be a frame of a few bytes. */
	if (n < 8 || memcmp(head, "\x04\x08", 2) == 0)
		return 0;
	if (is_data(message, true, &parts) && parts > 1)
		return 40;
	if (!whole && (head[0] == 0x0a || head[0] == 0x12) &&
	    begins_data(message))
		return 30;
	frame = first_frame(head, head + n);
	if (frame)
		return 40;
	return memcmp(head, MAGIC, 4) == 0 && head[4] < 0x20 ? 32 : 0;
}

const struct fl_format fl_format_otlp = {
	.name = "otlp",
	.summary = "profiles of OpenTelemetry (OTLP: protobuf, JSON)",
	.suffixes = ".otlp",
	.probe = probe,
	.state_size = sizeof(struct reader),
	.open = open_otlp,
	.read = read,
	.release = release,
	.json = true,
	.options = &fl_lines_option_table,
	.create = fl_otlp_create,
};
