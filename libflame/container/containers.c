/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of containers (fl_containers), which io/container.c searches, and a
 * format for each, by which flow/source.c names an archive
 * (fl_format_of_container).  The rows are those of containers.def.
 */
#include "fl.h"

#include "container/containers.h"
#include "flow/archive.h"

const struct fl_container *const fl_containers[] = {
#define CONTAINER(id) &fl_container_##id,
#include "container/containers.def"
#undef CONTAINER
	NULL
};

#define CONTAINER(id) \
const struct fl_format fl_format_##id = { .name = #id, FL_ARCHIVE_FORMAT };
#include "container/containers.def"
#undef CONTAINER

const struct fl_format *fl_format_of_container(
	const struct fl_container *container)
{
	static const struct fl_format *const formats[] = {
#define CONTAINER(id) &fl_format_##id,
#include "container/containers.def"
#undef CONTAINER
	};
	size_t i = 0;

	while (fl_containers[i] != container)
		i++;
	return formats[i];
}

bool fl_is_of_macos(struct slice path)
{
	const char *slash = memrchr(path.data, '/', path.size);
	struct slice name = slash ? (struct slice){ slash + 1, path.size -
				(size_t)(slash + 1 - path.data) } : path;

	return fl_slice_starts(name, "._") || fl_slice_is(name, ".DS_Store") ||
	       fl_slice_starts(path, "__MACOSX/");
}
