/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads files one after the other, each to its end and within a limit of memory
 * in proportion to its bytes, and prints the time: see tests/laws/growth.
 *
 *	growth-read LIST	a line of LIST is a path
 *
 * Prints a line for each: nanoseconds of the processor, the format, what was
 * wrong ("" if nothing was), the bytes of the folded text, and the path, with
 * tabs between.
 */
#include "fl.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

/* Of memory: a part that does not grow, and one for each byte that is read. */
enum { FIXED_BYTES = 96 << 20, BYTES_PER_BYTE = 2000 };

static int discard(void *arg, const void *data, size_t size)
{
	uint64_t *bytes = arg;

	(void)data;
	*bytes += size;
	return 0;
}

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static uint64_t pump(struct flame *flame, struct flame_source *source)
{
	uint64_t bytes = 0;
	struct flame_sink *sink = flame_pick(flame_create_callback(
		flame, "folded", discard, &bytes), NULL);

	if (source && sink && flame_pump(source, sink) == FLAME_OK)
		flame_finish(sink);
	else
		flame_abandon(sink);
	return bytes;
}

/* Its instructions are counted: callgrind --toggle-collect, --dump-after. */
__attribute__((noinline))
static void measured(const char *path, uint64_t limit)
{
	struct flame *flame = flame_new();
	struct flame_source *source;
	int64_t begin = now();
	uint64_t bytes;

	flame_process_limit(flame, limit);
	source = flame_open(flame, path, NULL);
	bytes = pump(flame, source);
	printf("%" PRId64 "\t%s\t%s\t%" PRIu64 "\t%s\n", now() - begin,
	       flame_source_format(source), flame_error(flame), bytes, path);
	flame_close(source);
	flame_process_limit(flame, 0);
	flame_free(flame);
}

int main(int argc, char **argv)
{
	FILE *list = argc == 2 ? fopen(argv[1], "r") : NULL;
	char path[4096];
	struct stat file;

	if (!list) {
		fputs("usage: growth-read LIST\n", stderr);
		return 2;
	}
	while (fgets(path, sizeof(path), list)) {
		path[strcspn(path, "\n")] = '\0';
		if (stat(path, &file) != 0) {
			perror(path);
			return 2;
		}
		measured(path, FIXED_BYTES +
			       BYTES_PER_BYTE * (uint64_t)file.st_size);
		fflush(stdout);
	}
	fclose(list);
	return 0;
}
