/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command that flame-record starts.  record_start_command() forks a process
 * that waits until the recording has begun and then becomes the command;
 * record_has_started() reports a command that could not be executed;
 * record_end_command() ends one that still runs when the recording is over.
 * Called by flame-record.c.
 */
#include "record/record.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the child: waits until events are open, then becomes the command. */
static void become(const struct cli *cli, char **argv, int go, int error)
{
	char byte;
	int number;

	if (strcmp(cli->output, "-") == 0)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	signal(SIGPIPE, SIG_DFL);
	record_handle_signals(SIG_DFL);
	if (read(go, &byte, 1) != 1)
		_exit(127);	/* the recorder failed */
	execvp(argv[0], argv);
	number = errno;
	if (write(error, &number, sizeof(number)) < 0)
		_exit(126);
	_exit(127);
}

bool record_start_command(const struct cli *cli, struct command *command)
{
	char **argv = calloc(cli->ninputs + 1, sizeof(*argv));
	int go[2], error[2];

	if (!argv)
		return cli_no_memory(cli);
	for (size_t i = 0; i < cli->ninputs; i++)
		argv[i] = cli->inputs[i];
	if (pipe2(go, O_CLOEXEC) != 0 || pipe2(error, O_CLOEXEC) != 0) {
		cli_say(cli, "pipe: %s", strerror(errno));
		free(argv);
		return false;
	}
	command->pid = fork();
	if (command->pid == 0) {
		close(go[1]);
		become(cli, argv, go[0], error[1]);
	}
	free(argv);
	close(go[0]);
	close(error[1]);
	command->go = go[1];
	command->error = error[0];
	if (command->pid > 0)
		return true;
	cli_say(cli, "fork: %s", strerror(errno));
	close(go[1]);
	close(error[0]);
	return false;
}

/* Whether it was started; else says why. */
bool record_has_started(const struct cli *cli, struct command *command)
{
	int number;
	ssize_t n;

	fcntl(command->error, F_SETFL, O_NONBLOCK);
	n = read(command->error, &number, sizeof(number));
	close(command->error);
	if (n != sizeof(number))
		return true;
	cli_say(cli, "%s: %s", cli->inputs[0], strerror(number));
	return false;
}

/* As perf: a command does not run on after -d or a signal ended recording. */
void record_end_command(struct command *command, bool reaped)
{
	command->reaped = reaped;
	if (!reaped)
		kill(command->pid, SIGTERM);
}
