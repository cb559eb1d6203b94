/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The label table: sets of (key, value) as chains.  flame_label() returns the
 * id of a set with a label more, flame_label_get() the value of a key.  Keys
 * descend from the head, so a set has one id in whatever order its labels were
 * added.
 */
#include "fl.h"

#include "dict/tables.h"

static flame_id enter(struct flame *flame, flame_id rest, flame_id key,
		      flame_id value)
{
	struct fl_labels *labels = &flame->labels;
	uint64_t hash = fl_hash_pair((uint64_t)key << 32 | value, rest);
	uint32_t i, id;

	for (i = fl_index_first(&labels->index, hash);
	     (id = fl_index_next(&labels->index, hash, &i));) {
		const struct fl_label *at = &labels->data[id];

		if (at->rest == rest && at->key == key && at->value == value)
			return id;
	}
	if (!fl_table_reserve(flame, labels->count, &labels->data,
			      &labels->capacity, sizeof(*labels->data)))
		return 0;
	if (!fl_index_add(&labels->index, hash, labels->count)) {
		fl_no_memory(flame);
		return 0;
	}
	labels->data[labels->count] = (struct fl_label){ rest, key, value };
	return labels->count++;
}

/* Sets are short, so the labels above the key's place are added again. */
flame_id flame_label(struct flame *flame, flame_id set, flame_id key,
		     flame_id value)
{
	struct fl_label above[64];
	unsigned n = 0;

	if (!flame || set >= flame->labels.count ||
	    key >= flame->names.count || value >= flame->names.count) {
		fl_fail(flame, "no labels %u, key %u or value %u in this "
			"dictionary", set, key, value);
		return 0;
	}
	while (set && flame->labels.data[set].key > key) {
		if (n == FL_COUNT(above)) {
			fl_fail(flame, "more than %u labels on a sample", n);
			return 0;
		}
		above[n++] = flame->labels.data[set];
		set = flame->labels.data[set].rest;
	}
	if (set && flame->labels.data[set].key == key)
		set = flame->labels.data[set].rest;
	if (value)
		set = enter(flame, set, key, value);
	while (n--)
		set = enter(flame, set, above[n].key, above[n].value);
	return set;
}

flame_id flame_label_sets(const struct flame *flame)
{
	return flame ? (flame_id)flame->labels.count - 1 : 0;
}

flame_id flame_label_get(const struct flame *flame, flame_id set, flame_id key)
{
	if (!flame || set >= flame->labels.count)
		return 0;
	for (; set; set = flame->labels.data[set].rest)
		if (flame->labels.data[set].key == key)
			return flame->labels.data[set].value;
	return 0;
}
