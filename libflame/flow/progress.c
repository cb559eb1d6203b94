/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Progress: how far an input is read, to whom it may concern.  The io room
 * tells, since only it knows of bytes as they lie in files.
 */
#include "fl.h"

#include "flow/flow.h"

void flame_on_progress(struct flame *flame,
		       void (*progress)(void *arg,
					const struct flame_progress *at),
		       void *arg)
{
	flame->progress = progress;
	flame->progress_arg = arg;
}

void fl_progress(struct flame *flame, const char *input, uint64_t done,
		 uint64_t size)
{
	const struct flame_progress at = { input, done, size };

	if (flame->progress)
		flame->progress(flame->progress_arg, &at);
}
