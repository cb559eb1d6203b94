/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame-fold --every TIME: fold_every() reads URLs, or runs a command and reads
 * its output, once in each turn of TIME, until --for is over or a signal comes.
 * All dumps go into one output; the samples of a dump have the time when it
 * came.  A turn that passes while a dump is still being read has no dump; such
 * turns and dumps that fail are counted and reported.  flame-fold.c calls
 * fold_check_every(), which makes fold_every() the tool's run().
 */
#include "fold.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)

enum {
	MAX_FAILURES = 10,	/* one after another: nothing answers any more */
	MAX_DUMP = 256 << 20,	/* bytes that a command prints */
	BLOCK = 64 << 10,
	PATIENCE = 5		/* seconds after --for, for the last command */
};

struct series {
	struct cli *cli;
	struct flame *flame;
	struct flame_sink *sink;
	bool by_command;
	int64_t begin;		/* CLOCK_MONOTONIC, ns */
	uint64_t whole, damaged, failed, passed;
	unsigned in_a_row;	/* that failed */
	char why[1024];		/* the first failed */
};

static volatile sig_atomic_t stopped;

static void on_signal(int number)
{
	stopped = 1;
	/* The second one ends the program, whatever it waits for. */
	signal(number, SIG_DFL);
}

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * SECOND + t.tv_nsec;
}

static void wait_until(int64_t at)
{
	struct timespec t = { at / SECOND, at % SECOND };

	while (!stopped && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t,
					   NULL) == EINTR);
}

/* Options ----------------------------------------------------------------- */

bool fold_take_time(struct cli *cli, const char *option, const char *value)
{
	struct own *own = cli->own;

	if (cli_parse_time(value, SECOND / 100, 7 * 24 * 3600 * SECOND,
			   strcmp(option, "for") == 0 ? &own->span :
			   &own->every))
		return true;
	cli_say(cli, "--%s %s: a time from 10ms to 168h, as 500ms, 1s or 5min",
		option, value);
	return false;
}

static bool is_input(const struct cli *cli, const char *operand)
{
	return cli->fetch || flame_url(operand);
}

static bool is_folder(const char *path)
{
	struct stat st;

	return path && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool check(const struct cli *cli)
{
	bool urls = cli->ninputs && is_input(cli, cli->inputs[0]);

	if (!cli->ninputs || strcmp(cli->inputs[0], "-") == 0)
		cli_say(cli, "--every: of what?  Name a URL, or -- and a "
			"command that prints a dump, as jstack PID");
	else if (cli->info || (cli->event && strcmp(cli->event, "list") == 0))
		cli_say(cli, "--every: --event list and --info look at one "
			"dump: leave --every out");
	else if (cli_find(&cli->asks, "from") || cli_find(&cli->asks, "to"))
		cli_say(cli, "--every: --from and --to choose from what is "
			"recorded; --for says how long dumps are read");
	else if (is_folder(cli->output))
		cli_say(cli, "--every: all dumps are one output: -o FILE, "
			"not the folder %s", cli->output);
	else {
		for (size_t i = 1; urls && i < cli->ninputs; i++)
			if (!is_input(cli, cli->inputs[i])) {
				cli_say(cli, "--every: %s is not a URL, as the "
					"first", cli->inputs[i]);
				return false;
			}
		return true;
	}
	return false;
}

bool fold_check_every(struct cli *cli)
{
	static struct cli_tool tool;
	const struct own *own = cli->own;

	if (!own->every && own->span)
		cli_say(cli, "--for: of which dumps?  --every says how often "
			"they are read");
	if (!own->every)
		return !own->span;
	if (!check(cli))
		return false;
	tool = *cli->tool;
	tool.run = fold_every;
	tool.command = true;
	cli->tool = &tool;
	return true;
}

/* A command --------------------------------------------------------------- */

static void run_command(const struct cli *cli, int out)
{
	int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	char **words = calloc(cli->ninputs + 1, sizeof(*words));

	if (!words)
		_exit(127);
	memcpy(words, cli->inputs, cli->ninputs * sizeof(*words));
	if (in >= 0 && dup2(in, STDIN_FILENO) >= 0 &&
	    dup2(out, STDOUT_FILENO) >= 0)
		execvp(words[0], words);
	fprintf(stderr, "flame-fold: %s: %s\n", words[0], strerror(errno));
	_exit(127);
}

/* What it prints, to be freed; NULL: see s->why, or out of memory. */
static char *read_output(struct series *s, int from, int64_t until, size_t *n)
{
	size_t capacity = 0;
	char *text = NULL;

	for (*n = 0;;) {
		struct pollfd pipe = { from, POLLIN, 0 };
		int64_t left = (until - now()) / 1000000;
		ssize_t got;

		if (!cli_grow(s->cli, &text, &capacity, *n + BLOCK, 1))
			break;
		if (until && left <= 0) {
			snprintf(s->why, sizeof(s->why), "it prints nothing");
			break;
		}
		/* A signal is also the command's, which then ends. */
		if (until && poll(&pipe, 1, (int)left) == 0)
			continue;
		got = read(from, text + *n, BLOCK);
		if (got == 0)
			return text;
		if (got < 0 && errno != EINTR) {
			snprintf(s->why, sizeof(s->why), "%s", strerror(errno));
			break;
		}
		*n += got > 0 ? (size_t)got : 0;
		if (*n > MAX_DUMP) {
			snprintf(s->why, sizeof(s->why),
				 "it prints more than 256 MB");
			break;
		}
	}
	free(text);
	return NULL;
}

/* false: s->why. */
static bool has_worked(struct series *s, int status)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return true;
	if (WIFEXITED(status))
		snprintf(s->why, sizeof(s->why), "exit status %d",
			 WEXITSTATUS(status));
	else
		snprintf(s->why, sizeof(s->why), "signal %d", WTERMSIG(status));
	return false;
}

static char *output_of(struct series *s, size_t *size)
{
	const struct own *own = s->cli->own;
	int64_t until = own->span ? s->begin + own->span + PATIENCE * SECOND :
				    0;
	int ends[2], status = 0;
	char *text;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) != 0) {
		snprintf(s->why, sizeof(s->why), "%s", strerror(errno));
		return NULL;
	}
	pid = fork();
	if (pid == 0)
		run_command(s->cli, ends[1]);
	close(ends[1]);
	text = pid > 0 ? read_output(s, ends[0], until, size) : NULL;
	close(ends[0]);
	if (!text && pid > 0)
		kill(pid, SIGKILL);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR);
	if (text && !has_worked(s, status)) {
		free(text);
		text = NULL;
	}
	return text;
}

/* Dumps ------------------------------------------------------------------- */

static struct flame_source *open_output(struct series *s, char *text,
					size_t size)
{
	const struct cli *cli = s->cli;
	struct flame_source *source = flame_open_memory(
		s->flame, text, size, cli->inputs[0], cli->input_format);

	for (size_t i = 0; source && i < cli->asks.n; i++)
		if (flame_ask(source, cli->asks.at[i].name,
			      cli->asks.at[i].value) != FLAME_OK) {
			flame_close(source);
			return NULL;
		}
	return source;
}

/* false: s->why. */
static bool read_dump(struct series *s, struct flame_source *source)
{
	bool good = source && flame_pump(source, s->sink) == FLAME_OK;
	int damage = source ? flame_source_damage(source) : 0;

	if (!good || damage == FLAME_ALL_LOST)
		snprintf(s->why, sizeof(s->why), "%s", !good ?
			 flame_error(s->flame) : "there is no dump in it");
	else
		s->damaged += damage != 0;
	flame_close(source);
	return good && damage != FLAME_ALL_LOST;
}

/* false: nothing more can be written. */
static bool count(struct series *s, const char *name, bool good,
		  const char *first)
{
	s->whole += good;
	s->failed += !good;
	s->in_a_row = good ? 0 : s->in_a_row + 1;
	if (!good && !strstr(s->why, name)) {
		char why[sizeof(s->why)];

		snprintf(why, sizeof(why), "%s", s->why);
		snprintf(s->why, sizeof(s->why), "%.200s: %.800s", name, why);
	}
	/* The first is of most help. */
	if (*first)
		snprintf(s->why, sizeof(s->why), "%s", first);
	flame_clear(s->flame);
	return !flame_error(s->flame)[0];
}

static bool take_dump(struct series *s)
{
	struct cli *cli = s->cli;
	bool good = true;

	for (size_t i = 0; good && i < (s->by_command ? 1 : cli->ninputs) &&
			   !stopped; i++) {
		char first[sizeof(s->why)], *text = NULL;
		size_t size;

		memcpy(first, s->why, sizeof(first));
		if (!s->by_command)
			good = read_dump(s, cli_open(cli, s->flame,
						     cli->inputs[i]));
		else if ((text = output_of(s, &size)))
			good = read_dump(s, open_output(s, text, size));
		else
			good = false;
		free(text);
		/* Who stops it stops the command and the transfer, too. */
		if (!good && stopped)
			memcpy(s->why, first, sizeof(first));
		good = (!good && stopped) ||
		       count(s, cli->inputs[i], good, first);
		if (cli->refused)
			return false;
	}
	return good;
}

static void report(const struct series *s)
{
	char lost[1400] = "";
	size_t n = 0;

	if (s->passed)
		n += (size_t)snprintf(lost + n, sizeof(lost) - n, "; %llu left "
			"out while one before was read",
			(unsigned long long)s->passed);
	if (s->damaged)
		n += (size_t)snprintf(lost + n, sizeof(lost) - n,
			"; %llu incomplete", (unsigned long long)s->damaged);
	if (s->failed)
		snprintf(lost + n, sizeof(lost) - n, "; %llu failed, the "
			 "first: %s", (unsigned long long)s->failed, s->why);
	if (*lost || !s->cli->quiet)
		cli_say(s->cli, "%llu dumps in %.1f s%s",
			(unsigned long long)s->whole,
			(double)(now() - s->begin) / 1e9, lost);
}

static bool take_all(struct series *s)
{
	const struct own *own = s->cli->own;
	int64_t turns = own->span ? (own->span + own->every - 1) / own->every :
				    INT64_MAX;
	bool good = true;

	s->begin = now();
	for (int64_t turn = 0; good && turn < turns && !stopped; turn++) {
		int64_t passed = (now() - s->begin) / own->every;

		if (passed > turn) {
			passed = passed < turns ? passed : turns;
			s->passed += (uint64_t)(passed - turn);
			turn = passed;
			if (turn == turns)
				break;
		}
		wait_until(s->begin + turn * own->every);
		good = stopped || take_dump(s);
		/* A wrong name or a server that is gone for good. */
		if (s->in_a_row && (!s->whole || s->in_a_row == MAX_FAILURES))
			break;
	}
	report(s);
	return good;
}

int fold_every(struct cli *cli, struct flame *flame)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct series s = {
		.cli = cli, .flame = flame,
		.by_command = !is_input(cli, cli->inputs[0]),
	};
	struct flame_sink *writer = cli_make_writer(cli, flame, cli->output);

	s.sink = flame_filter(writer ? cli_chain(cli, writer, cli->event) :
				       NULL, "dated", NULL);
	if (!s.sink)
		return CLI_TROUBLE;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (!take_all(&s) || !s.whole) {
		flame_abandon(s.sink);
		return CLI_TROUBLE;
	}
	if (flame_finish(s.sink) != FLAME_OK) {
		if (flame_refused_empty(flame))
			cli_say(cli, "no sample of the dumps was selected");
		return CLI_TROUBLE;
	}
	return cli->strict && (s.failed || s.damaged || s.passed) ?
	       CLI_TROUBLE : CLI_FINE;
}
