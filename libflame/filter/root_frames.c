/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Towers: the names of the frames at which stacks begin.  Spellings of one
 * method are one tower; a class without its package is that of the one
 * class that has this name with a package, if there is one only.
 *
 * A tower that has one spelling keeps it.  Where only some of its frames
 * tell how they ran, none does, or they would not be one.
 */
#include "fl.h"

#include "filter/filter.h"

#include <stdlib.h>

int fl_root_frames_add(struct flame *flame, struct fl_root_frames *towers,
		       flame_id frame)
{
	flame_id name = flame->frames.data[frame].name;
	unsigned type = 1u << flame->frames.data[frame].type;
	uint64_t *place = fl_map_put(&towers->by_name, name, NULL);
	struct fl_buf dotted = { 0 };
	struct fl_root_frame *tower;

	if (!place || !fl_grow(&towers->data, &towers->capacity,
			       towers->count + 1, sizeof(*towers->data)))
		return fl_no_memory(flame);
	if (*place) {
		towers->data[*place - 1].types |= type;
		return FLAME_OK;
	}
	tower = &towers->data[towers->count++];
	*place = towers->count;
	*tower = (struct fl_root_frame){ name, name, name, type };
	if (fl_java_dotted(fl_name_at(flame, name), &dotted) && dotted.size)
		tower->dotted = flame_name(flame, dotted.data, dotted.size);
	if (dotted.failed)
		fl_no_memory(flame);
	fl_buf_free(&dotted);
	return fl_failed(flame) ? FLAME_FAILED : FLAME_OK;
}

/* "C.m" of "a.b.C.m" */
static struct slice no_package(struct slice s)
{
	size_t i = s.size, dots = 0;

	while (i && (dots += s.data[i - 1] == '.') < 2)
		i--;
	return (struct slice){ s.data + i, s.size - i };
}

enum { SEVERAL = UINT32_MAX };

/* "C.m" -> the name with a package that ends so, or SEVERAL. */
static bool find_packages(struct flame *flame,
			  const struct fl_root_frames *towers,
			  struct fl_map *packages)
{
	for (size_t i = 0; i < towers->count; i++) {
		flame_id name = towers->data[i].dotted;
		struct slice all = fl_name_at(flame, name);
		struct slice bare = no_package(all);
		uint64_t *place;

		if (bare.size == all.size)
			continue;
		place = fl_map_put(packages,
				   flame_name(flame, bare.data, bare.size),
				   NULL);
		if (!place)
			return false;
		*place = !*place || *place == name ? name : SEVERAL;
	}
	return true;
}

/* Spellings of one name. */
struct group {
	unsigned spellings, types;
	bool slashes;
};

/* Into the name's group; groups[] has room for one each. */
static bool join(struct flame *flame, const struct fl_root_frame *tower,
		 struct fl_map *by_name, struct group *groups)
{
	uint64_t *place = fl_map_put(by_name, tower->dotted, NULL);
	struct slice name = fl_name_at(flame, tower->name);
	struct group *group;

	if (!place)
		return false;
	if (!*place)
		*place = by_name->count;
	group = &groups[*place - 1];
	group->spellings++;
	group->types |= tower->types;
	group->slashes |= memchr(name.data, '/', name.size) &&
			  !fl_java_module(name);
	return true;
}

static bool name_tower(struct flame *flame, struct fl_root_frame *tower,
		       const struct group *group)
{
	struct fl_buf slashed = { 0 };
	bool failed;

	tower->types = group->types;
	if (group->spellings < 2)
		return true;
	tower->to = tower->dotted;
	if (!group->slashes)
		return true;
	fl_java_slashed(fl_name_at(flame, tower->dotted), &slashed);
	failed = slashed.failed;
	if (!failed)
		tower->to = flame_name(flame, slashed.data, slashed.size);
	fl_buf_free(&slashed);
	return !failed;
}

int fl_root_frames_resolve(struct flame *flame, struct fl_root_frames *towers)
{
	struct group *groups = fl_zeroed(towers->count + 1, sizeof(*groups));
	struct fl_map packages = { 0 }, by_name = { 0 };
	bool good = groups && find_packages(flame, towers, &packages);

	for (size_t i = 0; good && i < towers->count; i++) {
		struct fl_root_frame *tower = &towers->data[i];
		const uint64_t *found = fl_map_get(&packages, tower->dotted);

		if (found && *found != SEVERAL)
			tower->dotted = (flame_id)*found;
		good = join(flame, tower, &by_name, groups);
	}
	for (size_t i = 0; good && i < towers->count; i++)
		good = name_tower(
			flame, &towers->data[i],
			&groups[*fl_map_get(&by_name, towers->data[i].dotted) -
				1]);
	fl_map_free(&packages);
	fl_map_free(&by_name);
	fl_free(groups);
	if (!good)
		fl_no_memory(flame);
	return fl_failed(flame) ? FLAME_FAILED : FLAME_OK;
}

void fl_root_frames_rename(const struct fl_root_frames *towers,
			   struct flame_frame *frame)
{
	const uint64_t *place = fl_map_get(&towers->by_name, frame->name);
	const struct fl_root_frame *tower;

	if (!place)
		return;
	tower = &towers->data[*place - 1];
	frame->name = tower->to;
	if (tower->types & 1u << FLAME_UNKNOWN)
		frame->type = FLAME_UNKNOWN;
}

void fl_root_frames_free(struct fl_root_frames *towers)
{
	fl_free(towers->data);
	fl_map_free(&towers->by_name);
}
