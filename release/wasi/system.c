/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that wasi-libc declares and does not have: see lacks.h.  A file is
 * not mapped, as that would read all of it: it is read in blocks.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

void *mmap(void *at, size_t size, int access, int flags, int fd, off_t offset)
{
	void *block = NULL;

	(void)at;
	(void)access;
	(void)offset;
	if (fd < 0 && (flags & MAP_ANONYMOUS))
		block = calloc(1, size);
	else
		errno = ENODEV;
	return block ? block : MAP_FAILED;
}

int munmap(void *at, size_t size)
{
	(void)size;
	free(at);
	return 0;
}

int madvise(void *at, size_t size, int advice)
{
	(void)at;
	(void)size;
	(void)advice;
	return 0;
}

/* Names of C++ by Debian's libc++abi, which is linked. */
extern char *__cxa_demangle(const char *mangled, char *to, size_t *size,
			    int *status);

void *dlopen(const char *file, int mode)
{
	(void)mode;
	return strcmp(file, "libc++abi.so.1") == 0 ? "" : NULL;
}

void *dlsym(void *library, const char *name)
{
	return library && strcmp(name, "__cxa_demangle") == 0 ?
	       (void *)__cxa_demangle : NULL;
}

/* The memory of a module never becomes less. */
int getrusage(int who, struct rusage *usage)
{
	enum { PAGE_KB = 64 };
	clock_t t = who == RUSAGE_SELF ? clock() : 0;

	*usage = (struct rusage){
		.ru_utime = { t / CLOCKS_PER_SEC,
			      t % CLOCKS_PER_SEC * 1000000 / CLOCKS_PER_SEC }
	};
	if (who == RUSAGE_SELF)
		usage->ru_maxrss = __builtin_wasm_memory_size(0) * PAGE_KB;
	return 0;
}

FILE *tmpfile(void)
{
	errno = ENOSYS;
	return NULL;
}

/* Folders of files that were dropped have no links. */
char *realpath(const char *path, char *to)
{
	return !to && access(path, F_OK) == 0 ? strdup(path) : NULL;
}

/* Debian's compiler-rt was compiled with stack protection. */
uintptr_t __stack_chk_guard;

_Noreturn void __stack_chk_fail(void);
_Noreturn void __stack_chk_fail(void)
{
	abort();
}
