/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums maps that bpftrace prints more than once.  bpftrace.c passes each
 * printed entry to fl_bpf_prints_add(); fl_bpf_prints_weight() then returns its
 * last value if the prints of its map are cumulative, else the sum of all.
 * They are cumulative if each has all keys of the ones before, and no count is
 * smaller.
 */
#include "fl.h"

#include "format/bpftrace/prints.h"

#include <inttypes.h>

static struct fl_bpf_map *find_map(struct fl_bpf_prints *prints, flame_id name)
{
	struct fl_bpf_map *map;

	for (size_t i = 0; i < prints->nmaps; i++)
		if (prints->maps[i].name == name)
			return &prints->maps[i];
	if (!fl_grow(&prints->maps, &prints->maps_capacity, prints->nmaps + 1,
		     sizeof(*prints->maps)))
		return NULL;
	map = &prints->maps[prints->nmaps++];
	*map = (struct fl_bpf_map){ .name = name, .prints = 1 };
	return map;
}

/* The entry of a key; *fresh: it is new, with its map alone. */
static struct fl_bpf_entry *find_entry(struct fl_bpf_prints *prints,
				       uint32_t map, struct slice key,
				       bool *fresh)
{
	uint64_t hash = fl_hash_pair(map + 1, fl_hash(key.data, key.size));
	uint64_t *place = fl_map_put(&prints->by_key, hash, fresh);

	if (!place)
		return NULL;
	if (!*fresh)
		return &prints->entries[*place];
	if (!fl_grow(&prints->entries, &prints->entries_capacity,
		     prints->nentries + 1, sizeof(*prints->entries)))
		return NULL;
	*place = prints->nentries++;
	prints->entries[*place] = (struct fl_bpf_entry){ .map = map };
	return &prints->entries[*place];
}

static void end_print(struct fl_bpf_map *map)
{
	map->apart |= map->in_print != map->keys;
	map->in_print = 0;
}

bool fl_bpf_prints_add(struct flame *flame, struct fl_bpf_prints *prints,
		       struct slice name, struct slice key,
		       const struct fl_bpf_value *value)
{
	struct fl_bpf_map *map = find_map(
		prints, flame_name(flame, name.data, name.size));
	struct fl_bpf_entry *entry;
	size_t place = map ? (size_t)(map - prints->maps) : 0;
	bool fresh;

	entry = map ? find_entry(prints, (uint32_t)place, key, &fresh) : NULL;
	if (!entry)
		return fl_no_memory(flame) == FLAME_OK;
	/* A key that comes again is of another print, too. */
	if (map->in_print &&
	    (value->apart || place != prints->last ||
	     (!fresh && entry->print == map->prints))) {
		end_print(map);
		map->prints++;
	}
	prints->last = place;
	map->keys += fresh;
	map->again += !fresh;
	map->in_print++;
	map->stacks = value->is_stack;
	map->fell |= !fresh && value->weight < entry->last;
	entry->print = map->prints;
	entry->stack = value->stack;
	entry->user_first = value->user_first;
	map->order += value->order;
	entry->thread = value->thread;
	entry->metric = value->metric;
	entry->last = value->weight;
	if (__builtin_add_overflow(entry->sum, value->weight, &entry->sum))
		return fl_fail(flame, FL_TOO_HEAVY) == FLAME_OK;
	return true;
}

static bool is_cumulative(const struct fl_bpf_prints *prints,
			  const struct fl_bpf_map *map)
{
	bool cut = prints->cut && map == &prints->maps[prints->last];

	return map->stacks || (!map->fell && !map->apart &&
			       (cut || map->in_print == map->keys));
}

flame_id fl_bpf_prints_stack(const struct fl_bpf_prints *prints,
			     const struct fl_bpf_entry *entry)
{
	return entry->user_first && prints->maps[entry->map].order > 0 ?
	       entry->user_first : entry->stack;
}

int64_t fl_bpf_prints_weight(const struct fl_bpf_prints *prints,
			     const struct fl_bpf_entry *entry)
{
	return is_cumulative(prints, &prints->maps[entry->map]) ? entry->last :
								  entry->sum;
}

static void report(struct flame *flame, const struct fl_bpf_prints *prints,
		   const struct fl_bpf_map *map, const char *input)
{
	const char *how = NULL;

	if (map->stacks)
		how = "each key counts once, with its last stack";
	else if (is_cumulative(prints, map))
		how = "no count is smaller than before, so the last ones "
		      "are the sums";
	else if (!map->fell)
		how = "the counts are added, as keys are missing in some";
	if (how && map->again)
		fl_remark(flame, "%s: %s is printed more than once: %s", input,
			  fl_name_at(flame, map->name).data, how);
}

void fl_bpf_prints_end(struct flame *flame, struct fl_bpf_prints *prints,
		       const char *input)
{
	for (size_t i = 0; i < prints->nmaps; i++)
		report(flame, prints, &prints->maps[i], input);
	prints->nmaps = prints->nentries = 0;
	prints->cut = false;
	fl_map_free(&prints->by_key);
}

void fl_bpf_prints_free(struct fl_bpf_prints *prints)
{
	fl_map_free(&prints->by_key);
	fl_free(prints->maps);
	fl_free(prints->entries);
}
