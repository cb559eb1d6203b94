/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FL_WASI_SYS_RESOURCE_H
#define FL_WASI_SYS_RESOURCE_H

#include <lacks.h>
#include <sys/time.h>

#define RUSAGE_SELF 1
#define RUSAGE_CHILDREN 2
struct rusage {
	struct timeval ru_utime, ru_stime;
	long ru_maxrss;
};
int getrusage(int who, struct rusage *usage);

struct rlimit {
	unsigned long rlim_cur, rlim_max;
};
#define RLIMIT_NOFILE 7
#define RLIM_INFINITY (~0UL)
FL_WASI_LACKS(int, getrlimit, -1, int what, struct rlimit *limit)
FL_WASI_LACKS(int, setrlimit, -1, int what, const struct rlimit *limit)

#endif
