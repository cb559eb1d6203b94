/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FL_WASI_SIGNAL_H
#define FL_WASI_SIGNAL_H

#include_next <signal.h>
#include <lacks.h>
#include <sys/types.h>

typedef struct { int si_code; void *si_addr; } siginfo_t;
struct sigaction {
	void (*sa_sigaction)(int, siginfo_t *, void *);
	void (*sa_handler)(int);
	sigset_t sa_mask;
	int sa_flags;
};
#define SA_SIGINFO 4
#define SA_RESTART 0x10000000
FL_WASI_DONE(sigemptyset, sigset_t *set)
FL_WASI_DONE(sigaddset, sigset_t *set, int number)
FL_WASI_DONE(sigaction, int number, const struct sigaction *action,
	     struct sigaction *old)

FL_WASI_LACKS(int, kill, -1, pid_t pid, int number)

#endif
