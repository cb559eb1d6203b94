/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a command to which system calls are forbidden, as containers do it:
 * they fail with EPERM.
 *
 *	deny perf|call|memory|both|trace COMMAND [ARGUMENT...]
 *
 * call: process_vm_readv alone; memory: and the reads of /proc/PID/mem; both:
 * perf and memory; trace: perf and ptrace.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int trace = argc > 2 && strcmp(argv[1], "trace") == 0;
	int call = argc > 2 && !trace && strcmp(argv[1], "perf") != 0;
	int memory = call && strcmp(argv[1], "call") != 0;
	int perf = argc > 2 && (!call || strcmp(argv[1], "both") == 0);
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
			 perf ? SYS_perf_event_open : 0xffffffff, 4, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
			 trace ? SYS_ptrace : 0xffffffff, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
			 call ? SYS_process_vm_readv : 0xffffffff, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
			 memory ? SYS_preadv : 0xffffffff, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
	};
	struct sock_fprog program = {
		sizeof(filter) / sizeof(*filter), filter
	};

	if (argc < 3)
		return 2;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
		perror("seccomp");
		return 77;
	}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
