/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Touches new pages and sleeps; prints the kernel's own counts of both: page
 * faults, then voluntary switches, in touch_pages() and in sleep_often().
 */
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { PAGES = 5000, SLEEPS = 300, PAGE = 4096 };

static struct rusage now(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage;
}

__attribute__((noinline)) static void touch_pages(void)
{
	volatile char *at = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return;
	madvise((void *)at, PAGES * PAGE, MADV_NOHUGEPAGE);
	for (long i = 0; i < PAGES; i++)
		at[i * PAGE] = 1;
}

__attribute__((noinline)) static void sleep_often(void)
{
	for (int i = 0; i < SLEEPS; i++)
		usleep(500);
}

int main(void)
{
	struct rusage first = now(), touched, slept;

	touch_pages();
	touched = now();
	sleep_often();
	slept = now();
	printf("%ld %ld\n", touched.ru_minflt - first.ru_minflt,
	       slept.ru_nvcsw - touched.ru_nvcsw);
	return 0;
}
