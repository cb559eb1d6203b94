/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is mapped, and the frames of an address in it: as those that the reader
 * of perf's text makes of the symbol and the file that perf prints.
 */
#include "fl.h"

#include "format/perf/data/data.h"

#include <inttypes.h>
#include <stdio.h>

enum { MAX_DSOS = 1 << 20 };
/* Addresses of a file whose names are remembered. */
enum { MAX_KNOWN = 1 << 20 };

static bool is_same(const struct fl_perf_dso *dso, struct slice name,
		    const uint8_t *build_id, size_t size)
{
	return fl_slice_same(dso->name, name) &&
	       (!size || !dso->build_id_size ||
		(dso->build_id_size == size &&
		 memcmp(dso->build_id, build_id, size) == 0));
}

static struct slice copy(struct fl_perf_data *d, struct slice text)
{
	text.data = fl_arena_copy(&d->arena, text.data, text.size);
	if (!text.data)
		text.size = 0;
	return text;
}

struct fl_perf_dso *fl_perf_dso(struct fl_perf_data *d, struct slice name,
				struct slice path, const uint8_t *build_id,
				size_t size)
{
	uint64_t hash = fl_hash(name.data, name.size);
	uint32_t i = fl_index_first(&d->by_name, hash), id;
	struct fl_perf_dso *dso;

	while ((id = fl_index_next(&d->by_name, hash, &i)))
		if (is_same(d->dsos[id - 1], name, build_id, size))
			return d->dsos[id - 1];
	if (d->ndsos == MAX_DSOS)
		return NULL;
	dso = fl_arena_alloc(&d->arena, sizeof(*dso));
	if (!dso || !fl_grow(&d->dsos, &d->dsos_capacity, d->ndsos + 1,
			     sizeof(*d->dsos)) ||
	    !fl_index_add(&d->by_name, hash, (uint32_t)d->ndsos + 1)) {
		fl_no_memory(d->flame);
		return NULL;
	}
	memset(dso, 0, sizeof(*dso));
	d->dsos[d->ndsos++] = dso;
	dso->name = copy(d, name);
	dso->path = path.data == name.data && path.size == name.size ?
		    dso->name : copy(d, path);
	if (size) {
		memcpy(dso->build_id, build_id, size);
		dso->build_id_size = (uint8_t)size;
	}
	return dso;
}

void fl_perf_build_id(struct fl_perf_data *d, struct slice name,
		      const uint8_t *build_id, size_t size)
{
	struct fl_perf_dso *dso;

	if (!size || size > sizeof(dso->build_id))
		return;
	dso = fl_perf_dso(d, name, name, NULL, 0);
	if (!dso || dso->build_id_size)
		return;
	memcpy(dso->build_id, build_id, size);
	dso->build_id_size = (uint8_t)size;
}

/* Adds the frames of a line that perf would print. */
static uint64_t add(struct fl_perf_data *d, const struct fl_perf_frame *frame)
{
	size_t first = d->names.n;

	fl_perf_name(&d->text.naming, frame, &d->names);
	if (first >> 47 || d->names.n - first > 0xffff)
		return 0;
	return first << 16 | (d->names.n - first);
}

static uint64_t name_of(struct fl_perf_data *d, struct slice dso,
			struct slice symbol, uint64_t ip)
{
	char text[20];
	struct fl_perf_frame frame = {
		.ip = { text, (size_t)snprintf(text, sizeof(text),
					       "%" PRIx64, ip) },
		.raw = symbol, .symbol = symbol, .dso = dso,
	};

	return add(d, &frame);
}

uint64_t fl_perf_names(struct fl_perf_data *d, const struct fl_perf_map *map,
		       uint64_t ip)
{
	const struct slice unknown = FL_SLICE("[unknown]");
	struct fl_perf_dso *dso = map ? map->dso : NULL;
	uint64_t *place = dso ? &dso->unknown : &d->unknown;
	bool addresses = d->text.naming.options->addrs;

	if (dso && dso->symbol.size)
		return *place ? *place : (*place = name_of(
			d, dso->name, dso->symbol, ip));
	if (addresses)
		return name_of(d, dso ? dso->name : unknown, unknown, ip);
	if (!*place)
		*place = name_of(d, dso ? dso->name : unknown, unknown, ip);
	return *place;
}
