/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The name table: every distinct text once, its bytes in the arena.
 * flame_name() returns the id of a text, flame_name_text() the text of an id.
 */
#include "fl.h"

#include "dict/tables.h"

bool fl_table_reserve(struct flame *flame, size_t n, void *column,
		      size_t *capacity, size_t size)
{
	if (fl_likely(n < *capacity))
		return true;
	if (flame->report.failed)
		return false;
	if (n >= UINT32_MAX) {
		fl_fail(flame, "more than 4294967295 distinct entries");
		return false;
	}
	if (!fl_grow(column, capacity, n + 1, size)) {
		fl_no_memory(flame);
		return false;
	}
	return true;
}

flame_id flame_name(struct flame *flame, const char *text, size_t size)
{
	if (fl_unlikely(!flame || size >= INT32_MAX || (size && !text))) {
		fl_fail(flame, "a name of %zu bytes", size);
		return 0;
	}
	return fl_name_hashed(flame, text, size, fl_hash(text, size));
}

flame_id fl_name_hashed(struct flame *flame, const char *text, size_t size,
			uint64_t hash)
{
	struct fl_names *names = &flame->names;
	uint32_t i, id;
	char *copy;

	if (!size)
		return 0;
	if (size >= INT32_MAX) {
		fl_fail(flame, "a name of %zu bytes", size);
		return 0;
	}
	for (i = fl_index_first(&names->index, hash);
	     (id = fl_index_next(&names->index, hash, &i));)
		if (names->data[id].size == size &&
		    memcmp(names->data[id].text, text, size) == 0)
			return id;
	if (!fl_table_reserve(flame, names->count, &names->data,
			      &names->capacity, sizeof(*names->data)))
		return 0;
	copy = fl_arena_copy(&flame->arena, text, size);
	if (!copy || !fl_index_add(&names->index, hash, names->count)) {
		fl_no_memory(flame);
		return 0;
	}
	names->data[names->count] =
		(struct fl_name){ .text = copy,
				  .size = (uint32_t)size & INT32_MAX };
	return names->count++;
}

flame_id fl_name(struct flame *flame, const char *text)
{
	return flame_name(flame, text, strlen(text));
}

flame_id flame_names(const struct flame *flame)
{
	return flame ? (flame_id)flame->names.count - 1 : 0;
}

const char *flame_name_text(const struct flame *flame, flame_id name,
			    size_t *size)
{
	if (!flame || name >= flame->names.count) {
		if (size)
			*size = 0;
		return "";
	}
	if (size)
		*size = flame->names.data[name].size;
	return flame->names.data[name].text;
}
