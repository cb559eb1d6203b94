/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli_memory() returns the memory to use: half of what the machine has, or half
 * of the least limit of the process's control group and its parents, if that is
 * less.  cli_give_back() and cli_keep_small() set when malloc() returns memory
 * to the system.  Called by cli.c, and by batch/draw.c.
 */
#include "cli/cli.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef HAVE_MALLOPT
#include <malloc.h>
#endif

/* "max" or a number of bytes. */
static uint64_t read_limit(const char *folder, const char *path,
			   const char *name)
{
	char file[PATH_MAX];
	unsigned long long bytes = 0;
	FILE *in;

	snprintf(file, sizeof(file), "%s%s/%s", folder, path, name);
	in = fopen(file, "r");
	if (!in)
		return UINT64_MAX;
	if (fscanf(in, "%llu", &bytes) != 1 || !bytes)
		bytes = UINT64_MAX;
	fclose(in);
	return bytes;
}

/* The least of a group's and those around it. */
static uint64_t least(const char *folder, char *path, const char *name)
{
	uint64_t most = UINT64_MAX, bytes;
	char *slash;

	for (;;) {
		bytes = read_limit(folder, path, name);
		if (bytes < most)
			most = bytes;
		slash = strrchr(path, '/');
		if (!slash)
			return most;
		*slash = '\0';
	}
}

/*
 * A line of /proc/self/cgroup: "0::/PATH" is version 2's,
 * "9:memory,...:/PATH" version 1's.  Where the group's own folder is not
 * seen (in a container), the mounted one is the group.
 */
static uint64_t of_group(char *line)
{
	char *list = strchr(line, ':');
	char *path = list ? strchr(list + 1, ':') : NULL;

	if (!path)
		return UINT64_MAX;
	*list++ = *path++ = '\0';
	path[strcspn(path, "\n")] = '\0';
	if (!*list)
		return least("/sys/fs/cgroup", path, "memory.max");
	for (char *name = strtok(list, ","); name; name = strtok(NULL, ","))
		if (strcmp(name, "memory") == 0)
			return least("/sys/fs/cgroup/memory", path,
				     "memory.limit_in_bytes");
	return UINT64_MAX;
}

static uint64_t granted(void)
{
	FILE *groups = fopen("/proc/self/cgroup", "r");
	uint64_t most = UINT64_MAX, bytes;
	char line[PATH_MAX];

	while (groups && fgets(line, sizeof(line), groups)) {
		bytes = of_group(line);
		if (bytes < most)
			most = bytes;
	}
	if (groups)
		fclose(groups);
	return most;
}

void cli_give_back(void)
{
#ifdef HAVE_MALLOPT
	mallopt(M_MMAP_THRESHOLD, 128 << 10);
	mallopt(M_TOP_PAD, 1 << 20);
	mallopt(M_TRIM_THRESHOLD, 4 << 20);
#endif
}

void cli_keep_small(void)
{
#ifdef HAVE_MALLOPT
	mallopt(M_MMAP_THRESHOLD, 4 << 20);
	mallopt(M_TRIM_THRESHOLD, 16 << 20);
#endif
}

size_t cli_memory(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
	uint64_t most = granted(), all = UINT64_MAX;

	if (pages > 0 && size > 0)
		all = (uint64_t)pages * (uint64_t)size;
	if (all < most)
		most = all;
	if (most == UINT64_MAX)
		return 0;
	return most / 2 < SIZE_MAX ? (size_t)(most / 2) : SIZE_MAX;
}
