/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unifies spellings of one method among the root frames of --root (root.c), so
 * that its stacks share a root.  A class without its package counts as the
 * class that has a package, if there is exactly one of that name.
 *
 * A name with one spelling keeps it.  If some of its frames have no type, all
 * lose it, or they would be different frames.
 */
#include "fl.h"

#include "filter/filter.h"

#include <stdlib.h>

int fl_root_frames_add(struct flame *flame, struct fl_root_frames *roots,
		       flame_id frame)
{
	flame_id name = flame->frames.data[frame].name;
	unsigned type = 1u << flame->frames.data[frame].type;
	uint64_t *place = fl_map_put(&roots->by_name, name, NULL);
	struct fl_buf dotted = { 0 };
	struct fl_root_frame *root;

	if (!place || !fl_grow(&roots->data, &roots->capacity, roots->count + 1,
			       sizeof(*roots->data)))
		return fl_no_memory(flame);
	if (*place) {
		roots->data[*place - 1].types |= type;
		return FLAME_OK;
	}
	root = &roots->data[roots->count++];
	*place = roots->count;
	*root = (struct fl_root_frame){ name, name, name, type };
	if (fl_java_dotted(fl_name_at(flame, name), &dotted) && dotted.size)
		root->dotted = flame_name(flame, dotted.data, dotted.size);
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
	return fl_slice_from(s, i);
}

enum { SEVERAL = UINT32_MAX };

/* Maps "C.m" to the name with a package that ends in it, or to SEVERAL. */
static bool find_packages(struct flame *flame,
			  const struct fl_root_frames *roots,
			  struct fl_map *packages)
{
	for (size_t i = 0; i < roots->count; i++) {
		flame_id name = roots->data[i].dotted;
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

/* Adds a root frame to the group of its name. */
static bool add_to_group(struct flame *flame, const struct fl_root_frame *root,
			 struct fl_map *by_name, struct group *groups)
{
	uint64_t *place = fl_map_put(by_name, root->dotted, NULL);
	struct slice name = fl_name_at(flame, root->name);
	struct group *group;

	if (!place)
		return false;
	if (!*place)
		*place = by_name->count;
	group = &groups[*place - 1];
	group->spellings++;
	group->types |= root->types;
	group->slashes |= memchr(name.data, '/', name.size) &&
			  !fl_java_module(name);
	return true;
}

static bool name_root(struct flame *flame, struct fl_root_frame *root,
		      const struct group *group)
{
	struct fl_buf slashed = { 0 };
	bool failed;

	root->types = group->types;
	if (group->spellings < 2)
		return true;
	root->to = root->dotted;
	if (!group->slashes)
		return true;
	fl_java_slashed(fl_name_at(flame, root->dotted), &slashed);
	failed = slashed.failed;
	if (!failed)
		root->to = flame_name(flame, slashed.data, slashed.size);
	fl_buf_free(&slashed);
	return !failed;
}

int fl_root_frames_resolve(struct flame *flame, struct fl_root_frames *roots)
{
	struct group *groups = fl_zeroed(roots->count + 1, sizeof(*groups));
	struct fl_map packages = { 0 }, by_name = { 0 };
	bool good = groups && find_packages(flame, roots, &packages);

	for (size_t i = 0; good && i < roots->count; i++) {
		struct fl_root_frame *root = &roots->data[i];
		const uint64_t *found = fl_map_get(&packages, root->dotted);

		if (found && *found != SEVERAL)
			root->dotted = (flame_id)*found;
		good = add_to_group(flame, root, &by_name, groups);
	}
	for (size_t i = 0; good && i < roots->count; i++)
		good = name_root(
			flame, &roots->data[i],
			&groups[*fl_map_get(&by_name, roots->data[i].dotted) -
				1]);
	fl_map_free(&packages);
	fl_map_free(&by_name);
	fl_free(groups);
	if (!good)
		fl_no_memory(flame);
	return fl_failed(flame) ? FLAME_FAILED : FLAME_OK;
}

void fl_root_frames_rename(const struct fl_root_frames *roots,
			   struct flame_frame *frame)
{
	const uint64_t *place = fl_map_get(&roots->by_name, frame->name);
	const struct fl_root_frame *root;

	if (!place)
		return;
	root = &roots->data[*place - 1];
	frame->name = root->to;
	if (root->types & 1u << FLAME_UNKNOWN)
		frame->type = FLAME_UNKNOWN;
}

void fl_root_frames_free(struct fl_root_frames *roots)
{
	fl_free(roots->data);
	fl_map_free(&roots->by_name);
}
