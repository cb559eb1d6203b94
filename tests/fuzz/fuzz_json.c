/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON by itself: an end comes, levels are closed as they were opened, and
 * what is skipped ends where it ends for those who read it.
 */
#include "fuzz.h"

#include "io/json.h"

/* Where the first value ends, if all of it is read. */
static uint64_t read_first(const uint8_t *data, size_t size, bool *good)
{
	struct fl_json json;
	uint64_t offset;
	size_t tokens = 0;

	fl_json_init_memory(&json, data, size);
	do {
		fl_json_next(&json);
		FUZZ_HOLDS(++tokens <= size + 1);
		FUZZ_HOLDS(json.depth <= tokens);
	} while (json.depth && !json.error);
	offset = fl_json_offset(&json);
	*good = !json.error;
	FUZZ_HOLDS(!json.error || fl_json_next(&json) == FL_JSON_FAILED);
	fl_json_free(&json);
	return offset;
}

static uint64_t skip_first(const uint8_t *data, size_t size, bool *good)
{
	struct fl_json json;
	uint64_t offset;

	fl_json_init_memory(&json, data, size);
	fl_json_next(&json);
	*good = fl_json_skip(&json);
	offset = fl_json_offset(&json);
	FUZZ_HOLDS(!*good || !json.depth);
	fl_json_free(&json);
	return offset;
}

static void read_numbers(const uint8_t *data, size_t size)
{
	struct fl_json_integers numbers = { NULL, 0, 0 };
	struct fl_json json;

	fl_json_init_memory(&json, data, size);
	if (fl_json_next(&json) == FL_JSON_ARRAY &&
	    fl_json_integers(&json, &numbers))
		FUZZ_HOLDS(!json.depth && numbers.count <= size);
	fl_json_free(&json);
	fl_free(numbers.data);
}

void fuzz_json(const struct fuzz_target *target, const uint8_t *data,
	       size_t size)
{
	bool read, skipped;
	uint64_t end = read_first(data, size, &read);
	uint64_t skipped_to = skip_first(data, size, &skipped);

	(void)target;
	FUZZ_HOLDS(!read || (skipped && skipped_to == end));
	read_numbers(data, size);
	fl_json_begins(data, size);
}
