/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fl_confine_parser() and fl_confine_opener() drop rights of a process that
 * apart.c has just forked (apart.h): capabilities and open files, and of the
 * parser also the user, memory, and system calls (seccomp).
 */
#include "fl.h"

#include "sample/apart.h"

#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef CAP_CHECKPOINT_RESTORE
#define CAP_CHECKPOINT_RESTORE 40
#endif

enum {
	MAX_FILES = 4096,
	MAX_MEMORY_MB = 4096	/* beside what it begins with */
};

/* Files ------------------------------------------------------------------- */

static bool is_kept(const int *fds, size_t n, int fd)
{
	for (size_t i = 0; i < n; i++)
		if (fds[i] == fd)
			return true;
	return fd <= STDERR_FILENO;
}

static bool close_others(const int *fds, size_t n)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		int fd = (int)strtol(entry->d_name, NULL, 10);

		if (fl_is_digit(entry->d_name[0]) && fd != dirfd(dir) &&
		    !is_kept(fds, n, fd))
			close(fd);
	}
	if (dir)
		closedir(dir);
	return dir;
}

/* Capabilities and user --------------------------------------------------- */

static bool keep_capabilities(uint64_t retained)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &head, data) != 0)
		return false;
	for (unsigned i = 0; i < 2; i++) {
		data[i].permitted &= (uint32_t)(retained >> (32 * i));
		data[i].effective = data[i].permitted;
		data[i].inheritable = 0;
	}
	return syscall(SYS_capset, &head, data) == 0;
}

/*
 * A user that nobody else is: processes of the same user may kill each other.
 * Where a container knows few users, nobody.
 */
static bool drop_user(void)
{
	static const uid_t users[] = { 0x7ffe0a51, 65534 };

	for (size_t i = 0; i < FL_COUNT(users); i++)
		if (setgroups(0, NULL) == 0 &&
		    setresgid(users[i], users[i], users[i]) == 0 &&
		    setresuid(users[i], users[i], users[i]) == 0)
			return true;
	return false;
}

static void limit(int what, rlim_t most)
{
	struct rlimit limits;

	if (getrlimit(what, &limits) != 0)
		return;
	limits.rlim_max = FL_MIN(limits.rlim_max, most);
	limits.rlim_cur = FL_MIN(limits.rlim_cur, limits.rlim_max);
	setrlimit(what, &limits);
}

/* MAX_MEMORY_MB more than now: ring buffers that are mapped do not count. */
static rlim_t address_space(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long pages = 0;

	if (file && fscanf(file, "%lu", &pages) != 1)
		pages = 0;
	if (file)
		fclose(file);
	return pages ? (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) +
		       ((rlim_t)MAX_MEMORY_MB << 20) : RLIM_INFINITY;
}

/* System calls ------------------------------------------------------------ */

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

/* Nothing that opens, connects, executes or reads another process. */
static const int calls[] = {
	SYS_read, SYS_pread64, SYS_preadv, SYS_write, SYS_writev, SYS_sendto,
	SYS_sendmsg, SYS_recvfrom, SYS_recvmsg, SYS_close, SYS_fstat, SYS_newfstatat,
	SYS_lseek, SYS_dup, SYS_fcntl, SYS_getdents64, SYS_pipe2, SYS_mmap,
	SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise, SYS_brk, SYS_futex,
	SYS_ppoll, SYS_nanosleep, SYS_clock_nanosleep, SYS_clock_gettime,
	SYS_clock_getres, SYS_gettimeofday, SYS_getpid, SYS_gettid,
	SYS_geteuid, SYS_getuid, SYS_getppid, SYS_getrandom, SYS_getrusage, SYS_sysinfo,
	SYS_uname, SYS_sched_yield, SYS_sched_getaffinity, SYS_exit,
	SYS_exit_group, SYS_rt_sigreturn, SYS_rt_sigprocmask,
	SYS_rt_sigaction, SYS_sigaltstack, SYS_restart_syscall,
	SYS_set_robust_list, SYS_rseq, SYS_prlimit64, SYS_tgkill,
	/* A child demangles long names: its own user is nobody else's. */
	SYS_clone, SYS_wait4, SYS_kill, SYS_setitimer, SYS_set_tid_address,
#ifdef SYS_poll
	SYS_poll, SYS_pipe,
#endif
};

static bool allow_calls(void)
{
#if defined(ARCHITECTURE) && !defined(__SANITIZE_ADDRESS__) && \
	!defined(__SANITIZE_THREAD__)
	enum { HEAD = 3, N = FL_COUNT(calls) };
	struct sock_filter code[HEAD + N + 4] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 0, N + 1),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
	};
	struct sock_fprog program = { HEAD + N + 2, code };

	for (size_t i = 0; i < N; i++)
		code[HEAD + i] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)calls[i],
			(uint8_t)(N - i), 0);
	code[HEAD + N] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
		SECCOMP_RET_ERRNO | EPERM);
	code[HEAD + N + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
		SECCOMP_RET_ALLOW);
	/* Errors are ignored here because old kernels lack it. */
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
#endif
	return true;
}

/* Signals are the parent's: it says when the recording ends. */
static void ignore_signals(void)
{
	static const int all[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE };

	for (size_t i = 0; i < FL_COUNT(all); i++)
		signal(all[i], SIG_IGN);
}

static bool confine(const int *fds, size_t n)
{
	ignore_signals();
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_FSIZE, 0);
	return close_others(fds, n) &&
	       prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

bool fl_confine_parser(const int *fds, size_t n)
{
	rlim_t space = address_space();

	if (!confine(fds, n) || (geteuid() == 0 && !drop_user()) ||
	    !keep_capabilities(0))
		return false;
	limit(RLIMIT_NOFILE, MAX_FILES);
	limit(RLIMIT_AS, space);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	return allow_calls();
}

bool fl_confine_opener(int fd)
{
	const uint64_t retained = UINT64_C(1) << CAP_SYS_PTRACE |
			      UINT64_C(1) << CAP_DAC_READ_SEARCH |
			      UINT64_C(1) << CAP_DAC_OVERRIDE |
			      UINT64_C(1) << CAP_SETUID |
			      UINT64_C(1) << CAP_SETGID |
			      UINT64_C(1) << CAP_SYS_ADMIN |
			      UINT64_C(1) << CAP_CHECKPOINT_RESTORE;

	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	return confine(&fd, 1) && keep_capabilities(retained);
}
