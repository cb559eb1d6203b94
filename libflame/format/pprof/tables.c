/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores the tables that the samples of a pprof profile point to: strings,
 * mappings, locations, functions.  read.c adds their messages (fl_pprof_add)
 * and asks for the frames of a location (fl_pprof_location).  Messages remain
 * in the input until a sample needs them: strings may come last.
 */
#include "fl.h"

#include "format/pprof/pprof.h"
#include "native/frame.h"

#include <inttypes.h>

/* Messages with an id ------------------------------------------------- */

static uint64_t id_of(struct fl_message message)
{
	struct fl_field field;

	while (fl_field_next(&message, &field))
		if (field.number == 1 && field.type == FL_WIRE_VARINT)
			return field.value;
	return 0;
}

/* Of several entries with one id, use the first. */
static bool add_entry(struct flame *flame, struct fl_pprof_table *table,
		      struct fl_message message)
{
	size_t i = table->count;
	struct fl_pprof_entry *entry;
	uint64_t *place;
	bool fresh;

	if (!fl_grow(&table->data, &table->capacity, i + 1,
		     sizeof(*table->data)))
		return fl_no_memory(flame) == FLAME_OK;
	entry = &table->data[table->count++];
	*entry = (struct fl_pprof_entry){ .id = id_of(message),
					  .message = message };
	table->has_ids |= entry->id != 0;
	if (entry->id == i + 1)
		return true;
	place = fl_map_put(&table->by_id, entry->id, &fresh);
	if (!place)
		return fl_no_memory(flame) == FLAME_OK;
	if (fresh)
		*place = i;
	return true;
}

static struct fl_pprof_entry *find_entry(const struct fl_pprof_table *table,
					 uint64_t id)
{
	const uint64_t *place;

	/* Those of an old .NET profiler are known by their place. */
	if (!table->has_ids)
		return id && id <= table->count ? &table->data[id - 1] : NULL;
	if (id && id <= table->count && table->data[id - 1].id == id)
		return &table->data[id - 1];
	place = fl_map_get(&table->by_id, id);
	return place ? &table->data[*place] : NULL;
}

static bool add_string(struct fl_pprof_tables *tables, struct slice text)
{
	if (!fl_grow(&tables->strings, &tables->strings_capacity,
		     tables->nstrings + 1, sizeof(*tables->strings)))
		return fl_no_memory(tables->flame) == FLAME_OK;
	tables->strings[tables->nstrings++] =
		(struct fl_pprof_string){ .text = text };
	return true;
}

bool fl_pprof_add(struct fl_pprof_tables *tables,
		  const struct fl_field *field)
{
	struct flame *flame = tables->flame;
	struct fl_message message = fl_field_message(field);

	if (field->type != FL_WIRE_BYTES)
		return true;
	switch (field->number) {
	case PROFILE_MAPPING:
		return add_entry(flame, &tables->mappings, message);
	case PROFILE_LOCATION:
		return add_entry(flame, &tables->locations, message);
	case PROFILE_FUNCTION:
		return add_entry(flame, &tables->functions, message);
	case PROFILE_STRING_TABLE:
		return add_string(tables, fl_field_text(field));
	}
	return true;
}

/* Strings ------------------------------------------------------------- */

bool fl_pprof_text(const struct fl_pprof_tables *tables, uint64_t index,
		   struct slice *text)
{
	if (index >= tables->nstrings)
		return false;
	*text = tables->strings[index].text;
	return true;
}

bool fl_pprof_name(struct fl_pprof_tables *tables, uint64_t index,
		   flame_id *name)
{
	struct fl_pprof_string *string;

	if (index >= tables->nstrings)
		return false;
	string = &tables->strings[index];
	if (!string->name)
		string->name = flame_name(tables->flame, string->text.data,
					  string->text.size);
	*name = string->name;
	return true;
}

/* The number of a field; 0 where it has none. */
static uint64_t number_in(struct fl_message message, uint32_t number)
{
	struct fl_field field;
	uint64_t value = 0;

	while (fl_field_next(&message, &field))
		if (field.number == number && field.type == FL_WIRE_VARINT)
			value = field.value;
	return value;
}

static struct slice mapping_name(const struct fl_pprof_tables *tables,
				 uint64_t id)
{
	const struct fl_pprof_entry *mapping =
		find_entry(&tables->mappings, id);
	struct slice text = { "", 0 };

	if (mapping)
		fl_pprof_text(tables, number_in(mapping->message,
						MAPPING_FILENAME), &text);
	return text;
}

struct slice fl_pprof_program(const struct fl_pprof_tables *tables)
{
	return tables->mappings.count ?
	       mapping_name(tables, tables->mappings.data[0].id) :
	       (struct slice){ "", 0 };
}

/* Frames -------------------------------------------------------------- */

static bool add_frame(struct fl_pprof_tables *tables,
		      struct fl_pprof_entry *location,
		      const struct flame_frame *frame)
{
	if (!fl_grow(&tables->frames, &tables->frames_capacity,
		     tables->nframes + 1, sizeof(*tables->frames)))
		return fl_no_memory(tables->flame) == FLAME_OK;
	tables->frames[tables->nframes++] =
		flame_frame(tables->flame, frame);
	location->count++;
	return true;
}

/* "[kernel.kallsyms]", "/boot/vmlinux-6.1", "[vmlinux]", "x.ko". */
static bool is_kernel(struct slice mapping)
{
	struct slice base = fl_slice_base(mapping);

	return fl_slice_starts(base, "[kernel") ||
	       fl_slice_starts(base, "[vmlinux") ||
	       fl_slice_starts(base, "vmlinux") || fl_slice_ends(base, ".ko");
}

static void read_maps(struct fl_pprof_tables *tables)
{
	tables->has_maps = true;
	for (size_t i = 0; i < tables->mappings.count; i++) {
		struct fl_message m = tables->mappings.data[i].message;
		struct slice id = { "", 0 };
		struct fl_maps_line map = {
			.start = number_in(m, MAPPING_START),
			.end = number_in(m, MAPPING_LIMIT),
			.offset = number_in(m, MAPPING_OFFSET), .code = true,
		};

		fl_pprof_text(tables, number_in(m, MAPPING_FILENAME),
			      &map.path);
		fl_pprof_text(tables, number_in(m, MAPPING_BUILD_ID), &id);
		if (map.start < map.end && !is_kernel(map.path) &&
		    !fl_bare_add(&tables->bare, &map, id))
			return;
	}
}

/* By the symbols of the file; false: it has none there. */
static bool add_symbols(struct fl_pprof_tables *tables,
			struct fl_pprof_entry *location, uint64_t address)
{
	const flame_id *frames;
	size_t n;

	if (!tables->has_maps)
		read_maps(tables);
	n = fl_symbolize(&tables->bare, address, &frames);
	for (size_t i = n; i--;) {
		struct flame_frame frame =
			tables->flame->frames.data[frames[i]];

		if (!add_frame(tables, location, &frame))
			return false;
	}
	return n;
}

/*
 * A place in code without a function: its library, or its address where the
 * profile has no function at all, and only addresses distinguish places.
 */
static bool add_address(struct fl_pprof_tables *tables,
			struct fl_pprof_entry *location, uint64_t address,
			struct slice mapping)
{
	struct flame_frame frame = { .type = FLAME_UNKNOWN };
	struct fl_buf *buf = &tables->buf;

	if (add_symbols(tables, location, address))
		return true;
	buf->size = 0;
	fl_put_unnamed(buf, tables->functions.count || is_kernel(mapping) ?
		       mapping : (struct slice){ "", 0 }, address);
	tables->unnamed++;
	if (buf->failed)
		return fl_no_memory(tables->flame) == FLAME_OK;
	frame.name = flame_name(tables->flame, buf->data, buf->size);
	if (is_kernel(mapping))
		frame.type = FLAME_KERNEL;
	return add_frame(tables, location, &frame);
}

/* The system_name that we write: the name with the suffix of its type. */
static enum flame_type type_of(struct slice name, struct slice system_name)
{
	enum flame_type type;
	struct slice bare = fl_split_type(system_name, &type);

	return bare.size == name.size &&
	       memcmp(bare.data, name.data, name.size) == 0 ? type :
							  FLAME_UNKNOWN;
}

static bool append_line(struct fl_pprof_tables *tables, uint64_t line,
			struct flame_frame *frame)
{
	struct slice name = fl_name_at(tables->flame, frame->name);
	struct fl_buf *buf = &tables->buf;

	if (!line || line > UINT32_MAX)
		return true;
	buf->size = 0;
	fl_buf_put(buf, name.data, name.size);
	fl_buf_print(buf, ":%" PRIu64, line);
	if (buf->failed)
		return fl_no_memory(tables->flame) == FLAME_OK;
	frame->name = flame_name(tables->flame, buf->data, buf->size);
	return true;
}

/* false: the function or one of its strings is not there. */
static bool function_frame(struct fl_pprof_tables *tables, uint64_t id,
			   struct flame_frame *frame)
{
	const struct fl_pprof_entry *function =
		find_entry(&tables->functions, id);
	struct slice name, system;
	uint64_t index;

	if (!function)
		return false;
	index = number_in(function->message, FUNCTION_NAME);
	if (!fl_pprof_text(tables, index, &name) ||
	    !fl_pprof_text(tables, number_in(function->message,
					     FUNCTION_SYSTEM_NAME), &system))
		return false;
	if (!name.size) {
		index = number_in(function->message, FUNCTION_SYSTEM_NAME);
		name = system;
	}
	frame->type = type_of(name, system);
	return fl_pprof_name(tables, index, &frame->name) &&
	       fl_pprof_name(tables, number_in(function->message,
					       FUNCTION_FILENAME),
			     &frame->file);
}

/* A function without a name is known by the address, as in go tool pprof. */
static bool add_line(struct fl_pprof_tables *tables,
		     struct fl_pprof_entry *location,
		     struct fl_message line, struct slice mapping)
{
	struct flame_frame frame = { .type = FLAME_UNKNOWN };
	bool dropped;

	if (!function_frame(tables, number_in(line, LINE_FUNCTION_ID),
			    &frame))
		return false;
	if (!fl_name_at(tables->flame, frame.name).size)
		return add_address(tables, location,
				   number_in(location->message,
					     LOCATION_ADDRESS), mapping);
	dropped = fl_pprof_is_dropped(tables, fl_name_at(tables->flame,
							 frame.name));
	if (tables->lines && !append_line(tables, number_in(line, LINE_LINE),
					  &frame))
		return false;
	if (is_kernel(mapping) && frame.type == FLAME_UNKNOWN)
		frame.type = FLAME_KERNEL;
	if (!add_frame(tables, location, &frame))
		return false;
	if (dropped)
		location->ndropped = location->count;
	return true;
}

static void reverse(flame_id *frames, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		flame_id frame = frames[i];

		frames[i] = frames[n - 1 - i];
		frames[n - 1 - i] = frame;
	}
}

/* The first line is the innermost inlined function. */
static bool look_up(struct fl_pprof_tables *tables,
		    struct fl_pprof_entry *location)
{
	struct fl_message message = location->message;
	struct slice mapping = mapping_name(tables, number_in(message,
						LOCATION_MAPPING_ID));
	struct fl_field field;

	location->first = (uint32_t)tables->nframes;
	while (fl_field_next(&message, &field))
		if (field.number == LOCATION_LINE &&
		    !add_line(tables, location, fl_field_message(&field),
			      mapping))
			return false;
	if (!location->count)
		return add_address(tables, location,
				   number_in(location->message,
					     LOCATION_ADDRESS), mapping);
	reverse(tables->frames + location->first, location->count);
	/* Where others call the dropped ones, these go in any stack. */
	location->dropped = location->ndropped == location->count;
	if (!location->dropped)
		location->count -= location->ndropped;
	return true;
}

const struct fl_pprof_entry *
fl_pprof_location(struct fl_pprof_tables *tables, uint64_t id)
{
	struct fl_pprof_entry *location =
		find_entry(&tables->locations, id);

	if (!location)
		return NULL;
	if (!location->known) {
		location->known = true;
		/* Frames of one that is not whole are not given. */
		if (!look_up(tables, location))
			location->count = 0;
	}
	return location->count ? location : NULL;
}

/* The tables ---------------------------------------------------------- */

static void clear(struct fl_pprof_table *table)
{
	table->count = 0;
	table->has_ids = false;
	fl_map_clear(&table->by_id);
}

void fl_pprof_clear(struct fl_pprof_tables *tables)
{
	fl_pprof_end_prune(tables);
	clear(&tables->mappings);
	clear(&tables->locations);
	clear(&tables->functions);
	tables->nstrings = tables->nframes = 0;
	tables->has_maps = false;
	fl_bare_clear(&tables->bare);
}

static void free_table(struct fl_pprof_table *table)
{
	fl_free(table->data);
	fl_map_free(&table->by_id);
}

void fl_pprof_free(struct fl_pprof_tables *tables)
{
	free_table(&tables->mappings);
	free_table(&tables->locations);
	free_table(&tables->functions);
	fl_pprof_end_prune(tables);
	fl_free(tables->strings);
	fl_free(tables->frames);
	fl_buf_free(&tables->buf);
	fl_bare_free(&tables->bare);
}
