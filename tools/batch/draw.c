/* SPDX-License-Identifier: Apache-2.0 */
/*
 * batch_draw_groups() draws the groups that are not up to date, each in a
 * process of its own, or several small ones in one; several processes run at
 * once.  There batch_draw() (page.c) draws a group.  Shows the progress, and
 * loads the record of each group.  Called by flame-batch.c.
 */
#include "batch/batch.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

/* Progress ------------------------------------------------------------ */

struct state {
	struct batch *batch;
	size_t next;		/* the next group to look at */
	size_t running, drawn, reused;
	unsigned workers;
	pid_t *pids;		/* by group */
	uint64_t files, bytes;	/* to be read in all */
	int status;
};

static void show_progress(const struct state *s)
{
	const struct batch_shared *shared = s->batch->shared;
	char what[120];

	snprintf(what, sizeof(what), "%zu of %zu groups, %llu of %llu files",
		 s->drawn + s->reused, s->batch->ngroups,
		 (unsigned long long)__atomic_load_n(&shared->files,
						     __ATOMIC_RELAXED),
		 (unsigned long long)s->files);
	cli_progress_show(s->batch->cli->progress, what,
			  __atomic_load_n(&shared->bytes, __ATOMIC_RELAXED),
			  s->bytes);
}

/* Groups -------------------------------------------------------------- */

/* Ends with the parent: an orphan would write the files of the next run. */
static void die_with_parent(void)
{
#ifdef PR_SET_PDEATHSIG
	prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

/* Draws groups one after the other; an exit status. */
static int draw_run(const struct state *s, size_t first, size_t end)
{
	struct batch *batch = s->batch;
	unsigned threads = batch->cli->threads / s->workers;
	int status = CLI_FINE;

	die_with_parent();
	if (end - first > 1)
		cli_keep_small();
	for (size_t i = first; i < end; i++) {
		batch->cli->refused = false;
		status = cli_worse(status,
				   batch_draw(batch, &batch->groups[i],
					      threads ? threads : 1,
					      batch->cli->memory /
					      s->workers));
	}
	return status;
}

static void end_run(struct state *s, pid_t pid, int result);

/* In a browser there is one process. */
static void draw_here(struct state *s, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++)
		s->pids[i] = -1;
	s->running++;
	end_run(s, -1, draw_run(s, first, end));
}

static void start_run(struct state *s, size_t first, size_t end)
{
	struct batch *batch = s->batch;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0)
		_exit(draw_run(s, first, end));
	if (pid < 0 && errno == ENOSYS) {
		draw_here(s, first, end);
		return;
	}
	if (pid < 0) {
		cli_say(batch->cli, "%s: %s", batch->groups[first].title,
			strerror(errno));
		s->status = CLI_TROUBLE;
		return;
	}
	for (size_t i = first; i < end; i++)
		s->pids[i] = pid;
	s->running++;
}

/*
 * Starting a process costs more than drawing a small group, so it draws
 * several; but every worker has some.
 */
enum { MAX_RUN = 32, RUN_BYTES = 8 << 20 };

static void start_groups(struct state *s)
{
	const struct batch *batch = s->batch;
	size_t first = s->next, end = first + 1;
	size_t most = (batch->ngroups - first) / (4 * s->workers) + 1;
	uint64_t bytes = batch->groups[first].bytes;

	while (end < batch->ngroups && end - first < most &&
	       end - first < MAX_RUN && !batch->groups[end].reused &&
	       bytes + batch->groups[end].bytes <= RUN_BYTES)
		bytes += batch->groups[end++].bytes;
	start_run(s, first, end);
	s->next = end;
}

static void end_group(struct state *s, struct batch_group *group, int result)
{
	struct cli *cli = s->batch->cli;

	s->drawn++;
	if (group->record) {
		if (cli->verbose)
			cli_say(cli, "%s: drawn from %zu files", group->title,
				group->n);
		return;
	}
	if (WIFSIGNALED(result))
		cli_say(cli, "%s: its process was killed by signal %d%s",
			group->title, WTERMSIG(result),
			WTERMSIG(result) == SIGKILL ?
			": fewer --jobs need less memory" : "");
	cli_say(cli, WIFEXITED(result) && WEXITSTATUS(result) == CLI_FINE ?
			"%s: its record is incomplete: the disk or memory "
			"may be full" : "%s: not drawn",
		group->title);
	s->status = CLI_TROUBLE;
}

/* A signal ends the drawing of one group; those after it are begun again. */
static void end_run(struct state *s, pid_t pid, int result)
{
	struct batch *batch = s->batch;
	size_t i = 0, end;

	while (i < batch->ngroups && s->pids[i] != pid)
		i++;
	if (i == batch->ngroups)
		return;
	s->running--;
	cli_progress_erase(s->batch->cli->progress);
	for (end = i; end < batch->ngroups && s->pids[end] == pid; end++)
		s->pids[end] = 0;
	for (; i < end; i++) {
		batch->groups[i].record = batch_load(batch, &batch->groups[i]);
		end_group(s, &batch->groups[i], result);
		if (WIFSIGNALED(result) && !batch->groups[i].record) {
			if (i + 1 < end)
				start_run(s, i + 1, end);
			return;
		}
	}
}

/* Waits for one process; meanwhile shows the progress of all on a terminal. */
static void wait_for_one(struct state *s)
{
	bool shown = !s->batch->cli->quiet && isatty(STDERR_FILENO);
	const struct timespec pause = { .tv_nsec = 100000000 };
	int result;
	pid_t pid;

	while ((pid = waitpid(-1, &result, shown ? WNOHANG : 0)) == 0) {
		show_progress(s);
		nanosleep(&pause, NULL);
	}
	if (pid > 0)
		end_run(s, pid, result);
	else if (errno != EINTR)
		s->running = 0;
}

static void find_kept(struct state *s)
{
	struct batch *batch = s->batch;

	for (size_t i = 0; i < batch->ngroups; i++) {
		struct batch_group *group = &batch->groups[i];

		group->record = batch_load(batch, group);
		group->reused = group->record != NULL;
		s->reused += group->reused;
		s->files += group->reused ? 0 : group->n;
		s->bytes += group->reused ? 0 : group->bytes;
	}
	if (s->reused && !batch->cli->quiet)
		cli_say(batch->cli, "%zu of %zu groups are up to date", s->reused, batch->ngroups);
}

int batch_draw_groups(struct batch *batch)
{
	struct cli *cli = batch->cli;
	struct state s = { .batch = batch, .status = CLI_FINE };
	size_t to_do;

	s.pids = calloc(batch->ngroups + 1, sizeof(*s.pids));
	if (!s.pids) {
		cli_no_memory(cli);
		return CLI_TROUBLE;
	}
	cli_progress_begin(cli->progress, cli, NULL, NULL, 0);
	find_kept(&s);
	to_do = batch->ngroups - s.reused;
	s.workers = to_do < cli->threads ? (unsigned)to_do : cli->threads;
	while (s.next < batch->ngroups || s.running) {
		if (s.next < batch->ngroups && s.running < s.workers) {
			if (batch->groups[s.next].reused)
				s.next++;
			else
				start_groups(&s);
		} else if (s.next < batch->ngroups && !s.workers) {
			s.next++;
		} else {
			wait_for_one(&s);
		}
	}
	cli_progress_erase(cli->progress);
	free(s.pids);
	return s.status;
}
