/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Progress of reading, in bytes of the file: the io layer reports it, which
 * alone knows the packed size.
 */
#include "fl.h"

#include "dict/dict.h"

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
