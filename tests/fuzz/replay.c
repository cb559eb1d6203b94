/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All targets over files: as they are, cut, and with bytes changed, the same
 * each time.
 *
 *	replay FOLDER...	FOLDER/TARGET/FILE...; TAP, a line a target
 *	replay TARGET FILE	one, as it is
 *
 * Targets run in a child, which works on through the files until it dies:
 * then the input that it died of is printed and saved, and another goes on
 * after it.
 */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	LARGEST = 1 << 16,	/* of a file; what follows is left out */
	WORK = 256 << 10,	/* bytes of cut and changed inputs of a file */
	MOST = 48,		/* cuts, and changes, of a file */
	SECONDS = 20		/* of CPU, for one input */
};

/* What a child is at; shared with it. */
static struct state {
	char file[4096];
	unsigned files, inputs;
	bool through;		/* all files are; what dies now has leaked */
	size_t size;
	uint8_t data[LARGEST];
} *now;

static const char *programs_own;	/* for what to call again */

static void run(const struct fuzz_target *target, size_t size)
{
	struct rusage used;
	const char *times = getenv("TEST_SLOW");	/* see tests/tap.sh */
	rlim_t slow = times ? (rlim_t)atoi(times) : 1;
	struct rlimit limit;
	uint8_t *copy = malloc(size ? size : 1);	/* of its exact size */

	getrusage(RUSAGE_SELF, &used);
	getrlimit(RLIMIT_CPU, &limit);
	limit.rlim_cur = (rlim_t)used.ru_utime.tv_sec +
			 (rlim_t)used.ru_stime.tv_sec + SECONDS * slow;
	setrlimit(RLIMIT_CPU, &limit);
	if (!copy)
		exit(0);
	if (size)
		memcpy(copy, now->data, size);
	now->size = size;
	now->inputs++;
	fuzz_once(target, copy, size);
	free(copy);
}

static size_t load(const char *path)
{
	FILE *f = fopen(path, "rb");
	size_t n = f ? fread(now->data, 1, LARGEST, f) : 0;

	if (f)
		fclose(f);
	return n;
}

static uint32_t next_random(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) +
		UINT64_C(1442695040888963407);
	return (uint32_t)(*seed >> 33);
}

/* Cut at many places, then with one to four bytes changed at a time. */
static void bend(const struct fuzz_target *target, const char *path,
		 size_t size)
{
	static const uint8_t odd[] = { 0, 0xff, 0x80, 0x7f, '\n', ' ', ';' };
	size_t n = FL_MIN(FL_MIN(WORK / (size + 1) + 4, (size_t)MOST), size);
	uint64_t seed = size;

	for (size_t i = 0; i < n; i++)
		run(target, size * i / n);
	for (size_t i = 0; i < n; i++) {
		load(path);
		for (unsigned k = next_random(&seed) % 4 + 1; k; k--) {
			uint32_t r = next_random(&seed);
			uint8_t *at = &now->data[next_random(&seed) % size];

			if (r & 1)
				*at ^= 1 << (r >> 1) % 8;
			else
				*at = odd[(r >> 1) % FL_COUNT(odd)];
		}
		run(target, size);
	}
}

static void run_file(const struct fuzz_target *target, const char *folder,
		     const char *name, unsigned number)
{
	size_t size;

	snprintf(now->file, sizeof(now->file), "%s/%s", folder, name);
	now->files = number;
	size = load(now->file);
	run(target, size);
	bend(target, now->file, size);
}

/* The files of a target from number `from` on. */
static void run_files(const struct fuzz_target *target, char *const *folders,
		      unsigned from)
{
	unsigned number = 0;

	for (; *folders; folders++) {
		char folder[2048];
		struct dirent **list;
		int n;

		snprintf(folder, sizeof(folder), "%s/%s", *folders,
			 target->name);
		n = scandir(folder, &list, NULL, alphasort);
		for (int i = 0; i < n; i++) {
			if (list[i]->d_name[0] != '.' && number++ >= from)
				run_file(target, folder, list[i]->d_name,
					 number);
			free(list[i]);
		}
		if (n >= 0)
			free(list);
	}
	now->through = true;
}

/* The child's status, 0 where all is well. */
static int in_child(const struct fuzz_target *target, char *const *folders)
{
	int status = -1;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		run_files(target, folders, now->files);
		exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return -1;
	return status;
}

static void keep(const char *name)
{
	FILE *f = fopen(name, "wb");

	if (f && fwrite(now->data, 1, now->size, f) == now->size &&
	    fclose(f) == 0)
		printf("#   saved: %s (replay TARGET FILE)\n", name);
}

static bool replay(const struct fuzz_target *target, unsigned number,
		   char *const *folders)
{
	bool good = true;
	int status;

	memset(now, 0, sizeof(*now));
	while ((status = in_child(target, folders))) {
		char name[128];

		if (good)
			printf("not ok %u - %s\n", number, target->name);
		good = false;
		if (now->through) {
			printf("#   status %d at the end: a leak?\n", status);
			break;
		}
		printf("#   %s of %s: %s %d\n", now->size ?
		       "this or an input made" : "an input", now->file,
		       WIFSIGNALED(status) ? "signal" : "status",
		       WIFSIGNALED(status) ? WTERMSIG(status) :
					     WEXITSTATUS(status));
		snprintf(name, sizeof(name), "%s.died-%s-%u", programs_own,
			 target->name, now->files);
		keep(name);
	}
	if (good && !now->files)
		printf("ok %u - %s # SKIP no files\n", number, target->name);
	else if (good)
		printf("ok %u - %s: %u files, %u inputs\n", number,
		       target->name, now->files, now->inputs);
	return good;
}

static int one(const char *name, const char *path)
{
	struct fuzz_target target;

	if (!fuzz_target_named(name, &target)) {
		fprintf(stderr, "%s: no such target\n", name);
		return 2;
	}
	run(&target, load(path));
	return 0;
}

/* Inputs that no target reads are tests that nobody runs. */
static bool all_have_targets(const char *folder)
{
	struct fuzz_target ignored;
	struct dirent **list;
	int n = scandir(folder, &list, NULL, alphasort);
	bool good = n >= 0;

	for (int i = 0; i < n; i++) {
		const char *name = list[i]->d_name;
		bool known = name[0] == '.' || strcmp(name, "README") == 0 ||
			     fuzz_target_named(name, &ignored);

#ifndef HAVE_SAMPLER
		known = known || strncmp(name, "sample-", 7) == 0;
#endif
		if (!known) {
			printf("# %s/%s: no such target\n", folder, name);
			good = false;
		}
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	return good;
}

int main(int argc, char **argv)
{
	struct fuzz_target target, ignored;
	bool good = true, known = true;
	unsigned n;

	programs_own = argv[0];
	now = mmap(NULL, sizeof(*now), PROT_READ | PROT_WRITE,
		   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (now == MAP_FAILED || argc < 2)
		return 2;
	if (argc == 3 && fuzz_target_named(argv[1], &ignored))
		return one(argv[1], argv[2]);
	for (n = 0; fuzz_target(n, &target); n++)
		good = replay(&target, n + 1, argv + 1) && good;
	for (char **folder = argv + 1; *folder; folder++)
		known = all_have_targets(*folder) && known;
	printf("%s %u - all inputs have a target\n", known ? "ok" : "not ok",
	       n + 1);
	printf("1..%u\n", n + 1);
	return good && known ? 0 : 1;
}
