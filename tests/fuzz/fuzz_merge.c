/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame-merge's own logic: the bytes are two inputs, with a line "--"
 * between them.  What comes out is sorted if it comes out well, and merges
 * to itself.
 */
#include "fuzz.h"

#define main merge_main
int main(int argc, char **argv);
#include "../../tools/merge_header.c"
#include "../../tools/merge_lines.c"
#include "../../tools/merge_output.c"
#include "../../tools/flame-merge.c"
#undef main

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

int cli_main(const struct cli_tool *t, void *own, int argc, char **argv)
{
	(void)t, (void)own, (void)argc, (void)argv;
	return CLI_TROUBLE;
}

void cli_say(const struct cli *cli, const char *format, ...)
{
	(void)cli;
	FUZZ_HOLDS(*format);
}

bool cli_no_memory(const struct cli *cli)
{
	(void)cli;
	return false;
}

bool cli_pass_over(const struct cli *cli, struct flame *flame)
{
	(void)cli;
	return flame_clear(flame) == FLAME_OK;
}

bool cli_passes_losses(const struct cli *cli)
{
	(void)cli;
	return false;
}

/* A file in memory and its name. */
static int file_of(const char *at, size_t n, char *name, size_t size)
{
	int fd = memfd_create("fuzz", 0);

	if (fd < 0 || write(fd, at, n) != (ssize_t)n)
		exit(0);
	snprintf(name, size, "/proc/self/fd/%d", fd);
	return fd;
}

static size_t content(int fd, char **at)
{
	off_t n = lseek(fd, 0, SEEK_END);

	*at = malloc((size_t)n + 1);
	if (!*at || pread(fd, *at, (size_t)n, 0) != n)
		exit(0);
	return (size_t)n;
}

static int merged(struct slice a, struct slice b, bool stream, char **out,
		  size_t *size)
{
	char names[3][32], *inputs[] = { names[0], names[1] };
	int fds[] = {
		file_of(a.data, a.size, names[0], sizeof(names[0])),
		file_of(b.data, b.size, names[1], sizeof(names[1])),
		file_of("", 0, names[2], sizeof(names[2])),
	};
	struct own own = { .stream = stream };
	struct cli cli = {
		.own = &own, .inputs = inputs, .ninputs = 2,
		.output = names[2],
	};
	struct flame *flame = fuzz_flame();
	int status = run(&cli, flame);

	*size = content(fds[2], out);
	for (size_t i = 0; i < FL_COUNT(fds); i++)
		close(fds[i]);
	flame_free(flame);
	return status;
}

void fuzz_merge(const struct fuzz_target *target, const uint8_t *data,
		size_t size)
{
	struct slice a = { (const char *)data, size }, b = { "", 0 };
	const char *cut = size ? memmem(data, size, "\n--\n", 4) : NULL;
	char *once, *twice;
	size_t n, m;

	(void)target;
	if (cut) {
		b = (struct slice){ cut + 4, size - (cut + 4 - a.data) };
		a.size = cut + 1 - a.data;
	}
	merged(a, b, true, &once, &n);
	free(once);
	if (merged(a, b, false, &once, &n) == CLI_FINE &&
	    fuzz_is_plain(once, n)) {
		FUZZ_HOLDS(merged((struct slice){ once, n },
				  (struct slice){ "", 0 }, false, &twice,
				  &m) == CLI_FINE);
		FUZZ_HOLDS(n == m && memcmp(once, twice, n) == 0);
		free(twice);
	}
	free(once);
}
