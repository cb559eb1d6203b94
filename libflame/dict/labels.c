/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The label table: sets of (key, value), as chains whose keys descend from
 * the head, so that one set has one id whatever the order of its making.
 */
#include "fl.h"

#include "dict/tables.h"

static flame_id enter(struct flame *flame, flame_id rest, flame_id key,
		      flame_id value)
{
	struct fl_labels *labels = &flame->labels;
	uint64_t hash = fl_mix((uint64_t)key << 32 | value, rest);
	uint32_t i, id;

	for (i = fl_index_first(&labels->index, hash);
	     (id = fl_index_at(&labels->index, hash, &i));) {
		const struct fl_label *at = &labels->at[id];

		if (at->rest == rest && at->key == key && at->value == value)
			return id;
	}
	if (!fl_table_room(flame, labels->n, &labels->at, &labels->room,
			   sizeof(*labels->at)))
		return 0;
	if (!fl_index_add(&labels->index, hash, labels->n)) {
		fl_no_memory(flame);
		return 0;
	}
	labels->at[labels->n] = (struct fl_label){ rest, key, value };
	return labels->n++;
}

/* Sets are short: what lies above the key's place is entered anew. */
flame_id flame_label(struct flame *flame, flame_id set, flame_id key,
		     flame_id value)
{
	struct fl_label above[64];
	unsigned n = 0;

	while (set && flame->labels.at[set].key > key) {
		if (n == FL_COUNT(above)) {
			fl_fail(flame, "more than %u labels on a sample", n);
			return 0;
		}
		above[n++] = flame->labels.at[set];
		set = flame->labels.at[set].rest;
	}
	if (set && flame->labels.at[set].key == key)
		set = flame->labels.at[set].rest;
	if (value)
		set = enter(flame, set, key, value);
	while (n--)
		set = enter(flame, set, above[n].key, above[n].value);
	return set;
}

flame_id flame_label_get(const struct flame *flame, flame_id set, flame_id key)
{
	for (; set; set = flame->labels.at[set].rest)
		if (flame->labels.at[set].key == key)
			return flame->labels.at[set].value;
	return 0;
}
