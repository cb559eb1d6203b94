/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Format pprof: reads profiles of pprof (profile.proto) into samples.  Strings
 * may come last, so the samples of a profile are buffered until its end, equal
 * ones as one.  Profiles may follow one another (cat), packed or not: each is
 * read by itself.
 */
#include "fl.h"

#include "format/pprof/pprof.h"

#include <inttypes.h>

struct options {
	struct fl_names_options names;
	bool lines, unpruned;
};

enum { CHUNK = 1 << 16 };	/* bytes asked for at a time */

struct value_type {
	struct fl_message message;
	flame_id metric;
};

/* The last sample's stack: the frames up to each location. */
struct step {
	uint64_t location;
	flame_id stack;
	bool own;		/* a frame was not dropped */
	bool over;		/* what follows is dropped */
};

/*
 * Caches by the bytes of the input: stacks by their locations, label sets by
 * their labels.
 */
struct seen {
	struct seen_bytes {
		const uint8_t *bytes;
		size_t size;
		struct fl_pprof_labels labels;
		flame_id stack;
	} *data;
	size_t count, capacity;
	struct fl_index index;
};

/* Labels that are other ones in each sample are not worth it. */
enum { MAX_SEEN_LABELS = 1 << 16 };

struct reader {
	struct flame_source *source;
	struct flame *flame;
	struct fl_pprof_tables tables;
	struct fl_arena arena;		/* what these point to */
	struct fl_pprof_samples samples;
	uint32_t last_field;		/* of the profile */
	bool has_samples;		/* the profile has had some */
	bool damaged;			/* the next field of the input */
	struct value_type *types;
	size_t ntypes, types_capacity;
	uint64_t drop_frames, keep_frames;	/* strings; 0: none */
	uint64_t default_type;		/* its name, a string; 0: the last */
	uint64_t time, duration;
	uint64_t *ids;			/* of a sample, leaf first */
	size_t nids, ids_capacity;
	struct step *steps;
	size_t nsteps, steps_capacity;
	struct seen stacks, labels;
	size_t next_sample;		/* to be looked up */
	const int64_t *values;		/* of the sample before */
	size_t nvalues, next_value;		/* of these */
	struct flame_sample sample;
	uint64_t good, lost, extra;	/* samples */
};

/* A profile ----------------------------------------------------------- */

static bool add_type(struct reader *r, struct fl_message message)
{
	if (!fl_grow(&r->types, &r->types_capacity, r->ntypes + 1,
		     sizeof(*r->types)))
		return fl_no_memory(r->flame) == FLAME_OK;
	r->types[r->ntypes++] = (struct value_type){ .message = message };
	return true;
}

static void take_number(struct reader *r, const struct fl_field *field)
{
	if (field->type != FL_WIRE_VARINT)
		return;
	switch (field->number) {
	case PROFILE_TIME_NANOS:
		r->time = field->value;
		break;
	case PROFILE_DURATION_NANOS:
		r->duration = field->value;
		break;
	case PROFILE_DROP_FRAMES:
		r->drop_frames = field->value;
		break;
	case PROFILE_KEEP_FRAMES:
		r->keep_frames = field->value;
		break;
	case PROFILE_DEFAULT_SAMPLE_TYPE:
		r->default_type = field->value;
		break;
	}
}

/*
 * In concatenated profiles the second one begins with a sample type, or with a
 * time after strings and samples of the first.
 */
static bool begins_another(const struct reader *r, uint32_t number)
{
	if (!r->ntypes || !r->tables.nstrings || !r->has_samples)
		return false;
	return (number == PROFILE_SAMPLE_TYPE &&
		r->last_field != PROFILE_SAMPLE_TYPE) ||
	       (number == PROFILE_TIME_NANOS && r->time);
}

/* A field outlives the bytes that were peeked at. */
static bool keep(struct reader *r, struct fl_field *field)
{
	if (field->type != FL_WIRE_BYTES)
		return true;
	field->bytes = (const uint8_t *)fl_arena_copy(&r->arena,
		(const char *)field->bytes, (size_t)field->value);
	return field->bytes || fl_no_memory(r->flame) == FLAME_OK;
}

/* false: out of memory. */
static bool take_field(struct reader *r, struct fl_field *field)
{
	bool separate = r->source->select.needs & FL_NEED_ORDER;

	r->last_field = field->number;
	if (field->number == PROFILE_SAMPLE) {
		r->has_samples = true;
		if (!fl_pprof_add_sample(r->flame, &r->samples, field, separate))
			r->lost++;
		return !fl_failed(r->flame);
	}
	take_number(r, field);
	return keep(r, field) &&
	       (field->number != PROFILE_SAMPLE_TYPE ||
		add_type(r, fl_field_message(field))) &&
	       fl_pprof_add(&r->tables, field);
}

/* false: the profile ends before the message does. */
static bool take_fields(struct reader *r, struct fl_message *message)
{
	const uint8_t *begin = message->next;
	struct fl_field field;

	for (; fl_field_next(message, &field); begin = message->next) {
		if (begins_another(r, field.number)) {
			message->next = begin;
			return false;
		}
		if (!take_field(r, &field))
			return false;
	}
	return true;
}

/* Whether the field is whole once there are more bytes of it. */
static bool may_go_on(const uint8_t *next, size_t size)
{
	unsigned type = next[0] & 7;

	return size < 20 || type == FL_WIRE_BYTES ||
	       type == FL_WIRE_BEGIN_GROUP;
}

/* Up to the end of a profile. */
static void read_fields(struct reader *r)
{
	struct fl_in *in = r->source->in;
	size_t min = CHUNK, size, left;
	struct fl_message message;
	const uint8_t *bytes;

	do {
		bytes = fl_in_peek(in, min, &size);
		/* Of a mapped file all bytes are there. */
		size = FL_MIN(size, min);
		message = fl_message_of(bytes, size);
		if (!take_fields(r, &message))
			min = SIZE_MAX;
		left = (size_t)(message.end - message.next);
		if (message.damaged && (size < min ||
					!may_go_on(message.next, left))) {
			r->damaged = true;
			min = SIZE_MAX;
		}
		fl_in_consume(in, size - left);
		fl_in_release(in, fl_in_offset(in));
		if (min < SIZE_MAX)
			min = left + FL_MAX(left, (size_t)CHUNK);
	} while (size && min < SIZE_MAX);
}

/* "cpu" and "nanoseconds"; the last may be missing. */
static bool read_type(const struct reader *r, struct fl_message message,
		      struct slice *type, struct slice *unit)
{
	struct fl_field field;
	uint64_t index[3] = { 0 };

	while (fl_field_next(&message, &field))
		if (field.number < 3 && field.type == FL_WIRE_VARINT)
			index[field.number] = field.value;
	return fl_pprof_text(&r->tables, index[VALUE_TYPE_TYPE], type) &&
	       fl_pprof_text(&r->tables, index[VALUE_TYPE_UNIT], unit);
}

static bool make_metric(struct reader *r, struct value_type *type)
{
	struct slice name, unit;

	if (!type->metric && read_type(r, type->message, &name, &unit))
		type->metric = fl_typed_metric(r->flame, name, unit);
	return !fl_failed(r->flame);
}

static size_t default_type(const struct reader *r)
{
	struct slice wanted, type, unit;

	if (r->default_type &&
	    fl_pprof_text(&r->tables, r->default_type, &wanted))
		for (size_t i = 0; i < r->ntypes; i++)
			if (read_type(r, r->types[i].message, &type,
				      &unit) &&
			    type.size == wanted.size &&
			    memcmp(type.data, wanted.data, type.size) == 0)
				return i;
	return r->ntypes ? r->ntypes - 1 : 0;
}

/* The default is the first of equals. */
static bool make_metrics(struct reader *r)
{
	size_t first = default_type(r);

	if (r->ntypes && !make_metric(r, &r->types[first]))
		return false;
	for (size_t i = 0; i < r->ntypes; i++)
		if (!make_metric(r, &r->types[i]))
			return false;
	return true;
}

/* Several profiles are one, gaps included. */
static void take_span(struct reader *r)
{
	struct flame_source *source = r->source;
	int64_t start = (int64_t)r->time, end;

	if (start <= 0)
		return;
	end = fl_add_clamped(start, FL_MAX((int64_t)r->duration, 0));
	if (source->start == FLAME_NOTIME || start < source->start)
		source->start = start;
	if (source->end == FLAME_NOTIME || end > source->end)
		source->end = end;
}

static void report_facts(struct reader *r)
{
	struct slice program = fl_pprof_program(&r->tables);

	if (program.size)
		fl_fact(r->source, "program", "%.*s",
			(int)FL_MIN(program.size, (size_t)1024), program.data);
	if (r->duration)
		fl_fact(r->source, "duration", "%" PRIu64 " ms",
			r->duration / 1000000);
}

static void forget_seen(struct seen *seen)
{
	fl_index_free(&seen->index);
	seen->count = 0;
}

static bool read_profile(struct reader *r)
{
	const struct options *options = r->source->options;

	fl_pprof_clear(&r->tables);
	fl_pprof_clear_samples(&r->samples);
	fl_arena_free(&r->arena);
	memset(&r->arena, 0, sizeof(r->arena));
	forget_seen(&r->stacks);
	forget_seen(&r->labels);
	r->ntypes = r->nsteps = r->nvalues = r->next_value = r->next_sample = 0;
	r->default_type = r->time = r->duration = 0;
	r->last_field = 0;
	r->has_samples = false;
	r->drop_frames = r->keep_frames = 0;
	r->tables.lines = options->lines;
	r->tables.bare.flame = r->flame;
	r->tables.bare.options = &options->names;
	read_fields(r);
	if (!options->unpruned)
		fl_pprof_begin_prune(&r->tables, fl_in_name(r->source->in),
				     r->drop_frames, r->keep_frames);
	if (fl_failed(r->flame) || !make_metrics(r))
		return false;
	take_span(r);
	report_facts(r);
	return true;
}

/* Samples ------------------------------------------------------------- */

static bool add_ids(struct reader *r, const struct fl_field *field)
{
	struct fl_numbers numbers = fl_field_numbers(field, FL_WIRE_VARINT);
	uint64_t id;

	while (fl_number_next(&numbers, &id)) {
		if (!fl_grow(&r->ids, &r->ids_capacity, r->nids + 1,
			     sizeof(*r->ids)))
			return fl_no_memory(r->flame) == FLAME_OK;
		r->ids[r->nids++] = id;
	}
	return !numbers.packed.damaged;
}

static flame_id push_location(struct reader *r, flame_id stack,
			      const struct fl_pprof_entry *location)
{
	if (fl_unlikely(!fl_frames_allowed(r->source, location->count)))
		return 0;
	for (uint32_t i = 0; i < location->count; i++)
		stack = flame_stack(r->flame, stack,
				    r->tables.frames[location->first + i]);
	return stack;
}

/*
 * Functions are dropped below the first that is not: of a stack of theirs
 * alone, all frames remain.
 */
static struct step take_step(struct reader *r, struct step step,
			     const struct fl_pprof_entry *location)
{
	if (step.own && location->ndropped) {
		step.over = true;
		if (location->dropped)
			return step;
	}
	step.own |= !location->ndropped;
	step.stack = push_location(r, step.stack, location);
	return step;
}

/*
 * From the root on.  As long as locations are those of the sample before, so
 * are their stacks.
 */
static bool find_stack(struct reader *r, flame_id *stack)
{
	const struct fl_pprof_entry *location;
	struct step last = { .stack = 0 };
	size_t depth = 0;

	if (!fl_grow(&r->steps, &r->steps_capacity, r->nids,
		     sizeof(*r->steps)))
		return fl_no_memory(r->flame) == FLAME_OK;
	for (size_t i = r->nids; i-- > 0 && !last.over; depth++) {
		struct step *step = &r->steps[depth];

		if (depth < r->nsteps && step->location == r->ids[i]) {
			last = *step;
			continue;
		}
		r->nsteps = depth;
		location = fl_pprof_location(&r->tables, r->ids[i]);
		if (!location)
			return false;
		last = take_step(r, last, location);
		last.location = r->ids[i];
		*step = last;
		r->nsteps = depth + 1;
	}
	*stack = last.stack;
	return true;
}

/* Fields of a sample: the bytes of its locations, of its labels. */
struct parts {
	struct fl_field locations;
	unsigned nlocations;		/* fields of them */
	const uint8_t *labels, *labels_end;
	bool labels_split;			/* something is between labels */
};

static struct seen_bytes *find_seen(const struct seen *seen,
				    const uint8_t *bytes, size_t size,
				    uint64_t hash)
{
	uint32_t i = fl_index_first(&seen->index, hash), id;

	while ((id = fl_index_next(&seen->index, hash, &i))) {
		struct seen_bytes *s = &seen->data[id - 1];

		if (s->size == size && memcmp(s->bytes, bytes, size) == 0)
			return s;
	}
	return NULL;
}

/* NULL: out of memory, as flame says. */
static struct seen_bytes *add_seen(struct reader *r, struct seen *seen,
				   const uint8_t *bytes, size_t size,
				   uint64_t hash)
{
	if (seen->count == UINT32_MAX - 1 ||
	    !fl_grow(&seen->data, &seen->capacity, seen->count + 1,
		     sizeof(*seen->data)) ||
	    !fl_index_add(&seen->index, hash, (uint32_t)seen->count + 1)) {
		fl_no_memory(r->flame);
		return NULL;
	}
	seen->data[seen->count] = (struct seen_bytes){ .bytes = bytes,
						       .size = size };
	return &seen->data[seen->count++];
}

/* Locations in one field, as nearly all writers have them. */
static bool packed_stack(struct reader *r, const struct fl_field *field,
			 flame_id *stack)
{
	size_t size = (size_t)field->value;
	uint64_t hash = fl_hash(field->bytes, size);
	struct seen_bytes *seen = find_seen(&r->stacks, field->bytes, size,
					    hash);

	if (seen) {
		*stack = seen->stack;
		return true;
	}
	if (!add_ids(r, field) || !find_stack(r, stack))
		return false;
	seen = add_seen(r, &r->stacks, field->bytes, size, hash);
	if (seen)
		seen->stack = *stack;
	return seen;
}

static bool sample_stack(struct reader *r, struct fl_message message,
			 const struct parts *parts, flame_id *stack)
{
	struct fl_field field;

	r->nids = 0;
	if (parts->nlocations == 1 &&
	    parts->locations.type == FL_WIRE_BYTES)
		return packed_stack(r, &parts->locations, stack);
	while (fl_field_next(&message, &field))
		if (field.number == SAMPLE_LOCATION_ID &&
		    !add_ids(r, &field))
			return false;
	return find_stack(r, stack);
}

static bool sample_labels(struct reader *r, struct fl_message message,
			  const struct parts *parts,
			  struct fl_pprof_labels *labels)
{
	size_t size = (size_t)(parts->labels_end - parts->labels);
	struct seen_bytes *seen;
	uint64_t hash;

	*labels = (struct fl_pprof_labels){ .time = FLAME_NOTIME };
	if (!parts->labels)
		return true;
	if (parts->labels_split)
		return fl_pprof_read_labels(&r->tables, message, labels);
	hash = fl_hash(parts->labels, size);
	seen = find_seen(&r->labels, parts->labels, size, hash);
	if (seen) {
		*labels = seen->labels;
		return true;
	}
	if (!fl_pprof_read_labels(&r->tables, message, labels))
		return false;
	if (r->labels.count == MAX_SEEN_LABELS)
		return true;
	seen = add_seen(r, &r->labels, parts->labels, size, hash);
	if (seen)
		seen->labels = *labels;
	return seen;
}

static void find_parts(struct fl_message message, struct parts *parts)
{
	const uint8_t *begin = message.next;
	struct fl_field field;

	*parts = (struct parts){ .nlocations = 0 };
	for (; fl_field_next(&message, &field); begin = message.next) {
		if (field.number == SAMPLE_LOCATION_ID) {
			parts->locations = field;
			parts->nlocations++;
		} else if (field.number == SAMPLE_LABEL) {
			if (!parts->labels)
				parts->labels = begin;
			else if (parts->labels_end != begin)
				parts->labels_split = true;
			parts->labels_end = message.next;
		}
	}
}

static bool read_sample(struct reader *r, const struct fl_pprof_sample *s)
{
	struct fl_message message = fl_message_of(s->rest, s->size);
	struct fl_pprof_labels labels;
	struct parts parts;
	flame_id stack;

	find_parts(message, &parts);
	if (!sample_stack(r, message, &parts, &stack) ||
	    !sample_labels(r, message, &parts, &labels))
		return false;
	r->sample = (struct flame_sample){
		.stack = stack, .thread = labels.thread,
		.labels = labels.labels, .time = labels.time,
	};
	return true;
}

/* Each type has counted the samples, also where they weigh nothing. */
static void count_sample(struct reader *r, const struct fl_pprof_sample *s)
{
	r->good += s->samples;
	r->values = s->nvalues ? r->samples.values + s->first : NULL;
	r->nvalues = s->nvalues;
	r->next_value = 0;
	if (r->nvalues > r->ntypes) {
		r->extra += s->samples;
		r->nvalues = r->ntypes;
	}
	for (size_t i = 0; i < r->ntypes; i++)
		if (r->types[i].metric)
			fl_metric_count(r->flame, r->types[i].metric,
					s->samples, i < r->nvalues ?
						    r->values[i] : 0);
}

static bool give_value(struct reader *r, struct flame_sample *sample)
{
	while (r->next_value < r->nvalues) {
		size_t i = r->next_value++;

		if (!r->values[i] || !r->types[i].metric)
			continue;
		*sample = r->sample;
		sample->metric = r->types[i].metric;
		sample->weight = r->values[i];
		return true;
	}
	return false;
}

/* true: a sample. */
static bool next_in_profile(struct reader *r, struct flame_sample *sample)
{
	while (!give_value(r, sample)) {
		const struct fl_pprof_sample *s;

		if (fl_failed(r->flame) ||
		    r->next_sample == r->samples.count)
			return false;
		s = &r->samples.data[r->next_sample++];
		if (read_sample(r, s))
			count_sample(r, s);
		else
			r->lost += s->samples;
	}
	return true;
}

/* Inputs -------------------------------------------------------------- */

/*
 * true: there is another profile.  Bytes that are not a field may be a packed
 * one.
 */
static bool next_profile(struct reader *r)
{
	struct fl_in *in = r->source->in;
	size_t size;

	if (r->damaged) {
		if (!fl_in_decode_at(in, 0))
			return false;
		r->damaged = false;
	}
	fl_in_peek(in, 1, &size);
	return size && read_profile(r);
}

/* Bytes up to the end of the input. */
static uint64_t count_rest(struct fl_in *in)
{
	uint64_t n = 0;
	size_t size;

	do {
		fl_in_peek(in, CHUNK, &size);
		fl_in_consume(in, size);
		n += size;
	} while (size);
	return n;
}

static void warn_damage(struct reader *r)
{
	const char *name = fl_in_name(r->source->in);
	const char *damage = fl_in_damage(r->source->in);

	if (damage)
		fl_warn(r->flame, "%s: %s", name, damage);
	if (r->damaged && !damage)
		fl_warn(r->flame, "%s: cut or damaged: the last %" PRIu64
			" bytes are skipped", name, count_rest(r->source->in));
	if (r->lost)
		fl_warn(r->flame, "%s: %" PRIu64 " samples left out: they "
			"are damaged, or their names or locations are not in "
			"the file%s", name,
			r->lost, damage || r->damaged ?
			", which is cut" : "");
	if (r->extra)
		fl_warn(r->flame, "%s: %" PRIu64 " samples have more values "
			"than the profile has types: those are left out",
			name, r->extra);
	if (damage || r->damaged || r->lost || r->extra)
		r->source->damage = r->good ? 1 : 2;
}

static int read(struct flame_source *source)
{
	struct reader *r = source->state;
	struct flame_sample sample;

	for (;;) {
		if (next_in_profile(r, &sample))
			return fl_batch_add(source, &sample);
		if (fl_failed(r->flame))
			return FLAME_FAILED;
		if (!next_profile(r))
			break;
	}
	if (fl_failed(r->flame))
		return FLAME_FAILED;
	warn_damage(r);
	if (!fl_bare_report(&r->tables.bare, fl_in_name(source->in)))
		fl_report_unnamed(source, r->tables.unnamed, FL_PPROF_ADVICE);
	r->tables.unnamed = 0;
	return FLAME_END;
}

/* The row of formats.def ------------------------------------------------ */

static int open_pprof(struct flame_source *source)
{
	struct reader *r = source->state;

	r->source = source;
	r->flame = r->tables.flame = source->flame;
	return FLAME_OK;
}

static void release(void *state)
{
	struct reader *r = state;

	fl_pprof_free(&r->tables);
	fl_free(r->types);
	fl_free(r->ids);
	fl_free(r->steps);
	forget_seen(&r->stacks);
	forget_seen(&r->labels);
	fl_free(r->stacks.data);
	fl_free(r->labels.data);
	fl_pprof_free_samples(&r->samples);
	fl_arena_free(&r->arena);
}

/* The wire types of Profile's fields. */
static bool is_field(const struct fl_field *field)
{
	static const char types[] = {
		[PROFILE_SAMPLE_TYPE] = 2, [PROFILE_SAMPLE] = 2,
		[PROFILE_MAPPING] = 2, [PROFILE_LOCATION] = 2,
		[PROFILE_FUNCTION] = 2, [PROFILE_STRING_TABLE] = 2,
		[PROFILE_PERIOD_TYPE] = 2, [PROFILE_DOC_URL] = 0,
	};

	if (field->number > PROFILE_DOC_URL)
		return false;
	return (int)field->type == types[field->number] ||
	       (field->number == PROFILE_COMMENT &&
		field->type == FL_WIRE_BYTES);
}

/* { type, unit }: two numbers, or the first of them. */
static bool is_value_type(const struct fl_field *field)
{
	struct fl_message message = fl_field_message(field);
	struct fl_field part;
	unsigned parts = 0;

	while (fl_field_next(&message, &part)) {
		if (part.number < 1 || part.number > 2 ||
		    part.type != FL_WIRE_VARINT)
			return false;
		parts++;
	}
	return parts && !message.damaged;
}

/* Fields of Profile that say what the samples weigh. */
static int probe(const uint8_t *head, size_t n, bool whole)
{
	struct fl_message message = fl_message_of(head, n);
	struct fl_field field;
	unsigned fields = 0;
	bool typed = false;

	while (fl_field_next(&message, &field)) {
		if (!is_field(&field))
			return 0;
		if (field.number == PROFILE_SAMPLE_TYPE &&
		    !is_value_type(&field))
			return 0;
		typed |= field.number == PROFILE_SAMPLE_TYPE;
		fields++;
	}
	if (!fields)
		return 0;
	if (typed)
		return fields > 1 ? 40 : 16;
	return message.damaged && !whole && n < 1 << 20 ? -1 : 0;
}

static const struct fl_option rows[] = {
	FL_OPTION_ROW_LINES(struct options),
	FL_OPTION_ROW_KALLSYMS(struct options),
	FL_OPTION_ROW_SYMFS(struct options),
	{ .name = "unpruned",
	  .summary = "pprof: keep what the profile says to drop",
	  .kind = FL_OPTION_FLAG, .offset = offsetof(struct options,
						     unpruned) },
	{ .name = NULL }
};

static const struct fl_option_table option_table = {
	.rows = rows, .size = sizeof(struct options),
};

const struct fl_format fl_format_pprof = {
	.name = "pprof",
	.summary = "pprof, of Go and others",
	.suffixes = ".pb.gz .pprof",
	.probe = probe,
	.state_size = sizeof(struct reader),
	.open = open_pprof,
	.read = read,
	.release = release,
	.options = &option_table,
	.create = fl_pprof_create,
};
