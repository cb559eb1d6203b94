/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A picture of folded text is the same whether ends of stacks stay unread, as
 * they can in a file, or not.
 */
#include "fuzz.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static int draw(struct flame *flame, struct flame_source *source,
		struct fl_buf *svg)
{
	struct flame_sink *sink = fuzz_writer(flame, "svg", svg);
	int status = source ? flame_pump(source, sink) : FLAME_FAILED;

	if (status != FLAME_OK) {
		flame_abandon(sink);
		return status;
	}
	status = flame_source_damage(source);
	return flame_finish(sink) == FLAME_OK ? status : FLAME_FAILED;
}

static int draw_file(struct flame *flame, const uint8_t *data, size_t size,
		     struct fl_buf *svg)
{
	int status, fd = memfd_create("folded", MFD_CLOEXEC);
	struct flame_source *source = NULL;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fd >= 0 && write(fd, data, size) == (ssize_t)size)
		source = flame_open(flame, path, "folded");
	status = draw(flame, source, svg);
	flame_close(source);
	close(fd);
	return status;
}

void fuzz_rest(const struct fuzz_target *target, const uint8_t *data,
	       size_t size)
{
	struct flame *of_file = fuzz_flame(), *of_memory = fuzz_flame();
	struct fl_buf lazy = { 0 }, whole = { 0 };
	struct flame_source *source = flame_open_memory(of_memory, data, size,
							"folded", "folded");
	int status = draw(of_memory, source, &whole), file_status;

	(void)target;
	/* The limit of memory is of both: what one takes, the other has not. */
	flame_close(source);
	file_status = draw_file(of_file, data, size, &lazy);
	/* An empty file counts as damaged, memory without text does not. */
	FUZZ_HOLDS(file_status == status ||
		   (of_file->nempty && file_status == 1 && !status));
	FUZZ_HOLDS(lazy.size == whole.size);
	FUZZ_HOLDS(!whole.size ||
		   memcmp(lazy.data, whole.data, whole.size) == 0);
	fuzz_flame_holds(of_file);
	fuzz_flame_holds(of_memory);
	flame_free(of_file);
	flame_free(of_memory);
	fl_buf_free(&lazy);
	fl_buf_free(&whole);
}
