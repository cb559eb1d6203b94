/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The number of threads to use: the CPUs that the process may run on, within
 * the quota of its control group.
 */
#include "cli/cli.h"

#include <sched.h>
#include <stdio.h>
#include <unistd.h>

/* cgroup v2: "QUOTA PERIOD" in microseconds, or "max PERIOD". */
static unsigned granted(void)
{
	FILE *file = fopen("/sys/fs/cgroup/cpu.max", "r");
	unsigned long quota = 0, period = 0;
	int n;

	if (!file)
		return 0;
	n = fscanf(file, "%lu %lu", &quota, &period);
	fclose(file);
	if (n != 2 || !period)
		return 0;
	return quota < period ? 1 : (unsigned)((quota + period - 1) / period);
}

unsigned cli_cpus(void)
{
	unsigned n = 1, most = granted();
#ifdef HAVE_SCHED_GETAFFINITY
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		n = (unsigned)CPU_COUNT(&set);
#else
	long online = sysconf(_SC_NPROCESSORS_ONLN);

	if (online > 0)
		n = (unsigned)online;
#endif
	if (most && most < n)
		n = most;
	return n ? n : 1;
}
