/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores the build ids that perf.data has after its records, by the name of the
 * file: file.c adds them, process.c looks them up for mapped files.
 */
#include "fl.h"

#include "format/perf/data/data.h"

enum { MAX_BUILDS = 1 << 20 };

const struct fl_perf_build *fl_perf_build_of(const struct fl_perf_data *d,
					     struct slice name)
{
	uint64_t hash = fl_hash(name.data, name.size);
	uint32_t i = fl_index_first(&d->by_name, hash), id;

	while ((id = fl_index_next(&d->by_name, hash, &i)))
		if (fl_slice_same(d->builds[id - 1].name, name))
			return &d->builds[id - 1];
	return NULL;
}

void fl_perf_build_id(struct fl_perf_data *d, struct slice name,
		      const uint8_t *build_id, size_t size)
{
	struct fl_perf_build *build;

	if (!size || size > sizeof(build->id) || d->nbuilds == MAX_BUILDS ||
	    fl_perf_build_of(d, name))
		return;
	name.data = fl_arena_copy(&d->arena, name.data, name.size);
	if (!name.data ||
	    !fl_grow(&d->builds, &d->builds_capacity, d->nbuilds + 1,
		     sizeof(*d->builds)) ||
	    !fl_index_add(&d->by_name, fl_hash(name.data, name.size),
			  (uint32_t)d->nbuilds + 1)) {
		fl_no_memory(d->flame);
		return;
	}
	build = &d->builds[d->nbuilds++];
	build->name = name;
	memcpy(build->id, build_id, size);
	build->size = (uint8_t)size;
}
