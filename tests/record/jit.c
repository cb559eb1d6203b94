/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies a function into memory of its own, as a just-in-time compiler has it,
 * names it in /tmp/perf-PID.map unless it is quiet, and calls it for SECONDS.
 *
 *	jit SECONDS [quiet]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* for (eax = 1 << 20; eax; eax--); return */
static const unsigned char code[] = {
	0x55, 0x48, 0x89, 0xe5,		/* push %rbp; mov %rsp,%rbp */
	0xb8, 0, 0, 0x10, 0,		/* mov $1 << 20,%eax */
	0xff, 0xc8, 0x75, 0xfc,		/* dec %eax; jne */
	0x5d, 0xc3			/* pop %rbp; ret */
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	void (*function)(void);
	const double begin = now();
	char name[64];
	FILE *map;
	void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return 1;
	memcpy(at, code, sizeof(code));
	memcpy(&function, &at, sizeof(at));
	snprintf(name, sizeof(name), "/tmp/perf-%d.map", (int)getpid());
	if (argc < 3) {
		map = fopen(name, "w");
		if (!map)
			return 1;
		fprintf(map, "%lx %zx compiled_here\n", (unsigned long)at,
			sizeof(code));
		fclose(map);
	}
	while (now() - begin < seconds)
		function();
	if (argc < 3)
		unlink(name);
	return 0;
}
