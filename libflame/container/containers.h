/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Declares every container, for the table and for who reads one of them alone.
 */
#ifndef FL_CONTAINER_CONTAINERS_H
#define FL_CONTAINER_CONTAINERS_H

#include "io/container.h"

#define CONTAINER(id) extern const struct fl_container fl_container_##id;
#include "container/containers.def"
#undef CONTAINER

/* Of a member's path: what macOS adds beside files. */
bool fl_is_of_macos(struct slice path);

#endif
