/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mappings of a process, sorted by address: fl_mappings_add() replaces what
 * a new one covers, and fl_mappings_at() finds the one of an address.  For
 * names.c, bare.c, sample/process.c and format/perf/data.
 */
#include "fl.h"

#include "native/process.h"

/* Removes what a new mapping covers. */
static bool make_hole(struct fl_mappings *maps, uint64_t start, uint64_t end)
{
	size_t n = maps->count;

	if (!fl_grow(&maps->data, &maps->capacity, n + 2, sizeof(*maps->data)))
		return false;
	for (size_t i = 0; i < maps->count;) {
		struct fl_mapping *m = &maps->data[i], right = *m;

		if (m->end <= start || m->start >= end) {
			i++;
			continue;
		}
		if (m->start < start && m->end > end) {
			memmove(m + 2, m + 1,
				(maps->count - i - 1) * sizeof(*m));
			maps->count++;
			m->end = start;
			right.offset += end - right.start;
			right.start = end;
			m[1] = right;
			break;
		}
		if (m->start < start) {
			m->end = start;
			i++;
		} else if (m->end > end) {
			m->offset += end - m->start;
			m->start = end;
			i++;
		} else {
			memmove(m, m + 1, (maps->count - i - 1) * sizeof(*m));
			maps->count--;
		}
	}
	return true;
}

const struct fl_mapping *fl_mappings_at(const struct fl_mappings *maps,
					uint64_t at)
{
	size_t low = 0, high = maps->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (maps->data[middle].start <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low && at < maps->data[low - 1].end ?
	       &maps->data[low - 1] : NULL;
}

bool fl_mappings_add(struct fl_mappings *maps, const struct fl_mapping *mapping)
{
	size_t i;

	if (mapping->start >= mapping->end)
		return true;
	if (!make_hole(maps, mapping->start, mapping->end) ||
	    !fl_grow(&maps->data, &maps->capacity, maps->count + 1,
		     sizeof(*maps->data)))
		return false;
	for (i = maps->count; i && maps->data[i - 1].start > mapping->start;
	     i--)
		maps->data[i] = maps->data[i - 1];
	maps->data[i] = *mapping;
	maps->count++;
	return true;
}

bool fl_mappings_copy(struct fl_mappings *to, const struct fl_mappings *from)
{
	to->count = 0;
	if (!fl_grow(&to->data, &to->capacity, from->count, sizeof(*to->data)))
		return false;
	if (from->count)
		memcpy(to->data, from->data, from->count * sizeof(*to->data));
	to->count = from->count;
	return true;
}

void fl_mappings_free(struct fl_mappings *maps)
{
	fl_free(maps->data);
	memset(maps, 0, sizeof(*maps));
}
