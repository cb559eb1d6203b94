/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of containers.
 */
#include "fl.h"

#include "io/container.h"
#include "io/input.h"

static const struct fl_container *const containers[] = {
#define CONTAINER(id) &fl_container_##id,
#include "io/containers.def"
#undef CONTAINER
};

static const struct fl_container *find(struct fl_in *in, bool packs)
{
	for (size_t i = 0; i < FL_COUNT(containers); i++)
		if (containers[i]->packs == packs && containers[i]->accept(in))
			return containers[i];
	return NULL;
}

const struct fl_container *fl_container_of(struct fl_in **in)
{
	const struct fl_container *found = find(*in, true);

	if (found)
		return found;
	*in = fl_in_decoded(*in);
	return *in ? find(*in, false) : NULL;
}

struct fl_in *fl_in_of_member(struct fl_in *archive, const char *path,
			      const struct fl_container *container,
			      void *state)
{
	struct fl_in *in = fl_in_new(archive->flame, path);

	if (in) {
		in->container = container;
		in->members = state;
	}
	return in;
}

bool fl_is_of_macos(struct slice path)
{
	const char *slash = memrchr(path.data, '/', path.size);
	struct slice name = slash ? (struct slice){ slash + 1, path.size -
				(size_t)(slash + 1 - path.data) } : path;

	return fl_slice_starts(name, "._") || fl_slice_is(name, ".DS_Store") ||
	       fl_slice_starts(path, "__MACOSX/");
}
