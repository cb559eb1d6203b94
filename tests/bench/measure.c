/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one command costs: seconds of CPU by user and system, wall seconds,
 * peak memory in kB, and how it ended, on one line.
 *
 *	measure [-t SECONDS] [-o OUT] [-e ERR] COMMAND [ARG...]
 *
 * The kernel's own account of the process and its threads (wait4), without
 * a shell in between; and of children that it did not wait for, as those of
 * flame-record: their memory is added.  OUT and ERR are for the command's
 * output (/dev/null).  How it ended is its exit status, "signal N", or "late":
 * killed after SECONDS, its children too.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t late;

static void on_alarm(int sig)
{
	(void)sig;
	late = 1;
}

static int usage(void)
{
	fputs("usage: measure [-t SECONDS] [-o OUT] [-e ERR] COMMAND "
	      "[ARG...]\n", stderr);
	return 2;
}

/* Before the command: what an earlier one wrote is not its to remove. */
static int open_to(const char *file)
{
	int to = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	if (to < 0) {
		fprintf(stderr, "measure: %s: %s\n", file, strerror(errno));
		exit(2);
	}
	return to;
}

static void run(char **command, int out, int err)
{
	setpgid(0, 0);
	if (dup2(out, STDOUT_FILENO) >= 0 && dup2(err, STDERR_FILENO) >= 0)
		execvp(command[0], command);
	_exit(127);
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The rest of a late command's family dies with it. */
static int wait_for(pid_t pid, int *status, struct rusage *cost)
{
	while (wait4(pid, status, 0, cost) < 0) {
		if (errno != EINTR)
			return -1;
		if (late)
			kill(-pid, SIGKILL);
	}
	return 0;
}

/* Its children have ended, or are ended with it. */
static void add_orphans(pid_t pid, struct rusage *cost)
{
	struct rusage more;

	kill(-pid, SIGKILL);
	while (wait4(-1, NULL, 0, &more) > 0) {
		timeradd(&cost->ru_utime, &more.ru_utime, &cost->ru_utime);
		timeradd(&cost->ru_stime, &more.ru_stime, &cost->ru_stime);
		cost->ru_maxrss += more.ru_maxrss;
	}
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_alarm };
	const char *out = "/dev/null", *err = "/dev/null";
	unsigned limit = 0;
	struct rusage cost;
	double start;
	int c, status, to[2];
	pid_t pid;

	while ((c = getopt(argc, argv, "+t:o:e:")) != -1) {
		switch (c) {
		case 't':
			limit = (unsigned)atoi(optarg);
			break;
		case 'o':
			out = optarg;
			break;
		case 'e':
			err = optarg;
			break;
		default:
			return usage();
		}
	}
	if (optind == argc)
		return usage();
	to[0] = open_to(out);
	to[1] = open_to(err);
	sigaction(SIGALRM, &action, NULL);
	start = now();
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	pid = fork();
	if (pid == 0)
		run(argv + optind, to[0], to[1]);
	if (pid > 0)
		setpgid(pid, pid);
	alarm(limit);
	if (pid < 0 || wait_for(pid, &status, &cost) < 0) {
		perror("measure");
		return 2;
	}
	start = now() - start;
	add_orphans(pid, &cost);
	printf("%.4f %.4f %.4f %ld ", seconds(cost.ru_utime),
	       seconds(cost.ru_stime), start, cost.ru_maxrss);
	if (late)
		puts("late");
	else if (WIFSIGNALED(status))
		printf("signal %d\n", WTERMSIG(status));
	else
		printf("%d\n", WEXITSTATUS(status));
	return 0;
}
