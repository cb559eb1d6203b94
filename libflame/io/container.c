/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the container of an input (fl_container_detect, for flow/source.c), in
 * its bytes as they are and then unpacked, and makes an input of a member
 * (fl_in_of_member, for the files of container/).
 */
#include "fl.h"

#include "io/container.h"
#include "io/input.h"

static const struct fl_container *find(struct fl_in *in, bool packs)
{
	const struct fl_container *const *at = fl_containers;

	while (*at && ((*at)->packs != packs || !(*at)->accept(in)))
		at++;
	return *at;
}

const struct fl_container *fl_container_detect(struct fl_in **in)
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
		in->container_state = state;
	}
	return in;
}
