/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What could go wrong where a recorder stops threads:
 *
 *	stops signals N		sends N signals to a thread that works, waits for
 *				each, and prints how many came
 *	stops forks N		N children, one after another, each of which works
 *				for 20 ms and executes "true"
 *	stops trace COMMAND...	traces the command until it ends, as a debugger
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile int came, ends;
static volatile unsigned long sink;

static void count(int number)
{
	(void)number;
	came++;
}

static void *work(void *arg)
{
	while (!ends)
		for (int i = 0; i < 1000; i++)
			sink = sink * 2862933555777941757ul + 1;
	return arg;
}

static int signals(int n)
{
	struct sigaction action = { .sa_handler = count };
	struct timespec moment = { 0, 100000 };
	pthread_t thread;

	sigaction(SIGUSR1, &action, NULL);
	if (pthread_create(&thread, NULL, work, NULL) != 0)
		return 1;
	for (int i = 0; i < n; i++) {
		pthread_kill(thread, SIGUSR1);
		for (int k = 0; k < 10000 && came == i; k++)
			nanosleep(&moment, NULL);
	}
	ends = 1;
	pthread_join(thread, NULL);
	printf("%d\n", came);
	return 0;
}

static void work_for(clock_t ticks)
{
	clock_t begin = clock();

	while (clock() - begin < ticks)
		sink = sink * 2862933555777941757ul + 1;
}

static int forks(int n)
{
	int bad = 0, status;

	for (int i = 0; i < n; i++) {
		if (fork() == 0) {
			work_for(CLOCKS_PER_SEC / 50);
			execlp("true", "true", (char *)NULL);
			_exit(1);
		}
		wait(&status);
		bad += status != 0;
	}
	printf("%d\n", n - bad);
	return 0;
}

static int trace(char **argv)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		execvp(argv[0], argv);
		_exit(127);
	}
	if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) != 0)
		return 77;
	printf("%d\n", (int)pid);
	fflush(stdout);
	while (waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status))
		ptrace(PTRACE_CONT, pid, NULL, (void *)(long)
		       (status >> 16 ? 0 : WSTOPSIG(status)));
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "signals") == 0)
		return signals(atoi(argv[2]));
	if (argc > 2 && strcmp(argv[1], "forks") == 0)
		return forks(atoi(argv[2]));
	return argc > 2 && strcmp(argv[1], "trace") == 0 ? trace(argv + 2) : 2;
}
