/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame-record: records where processes spend their time, from outside, to any
 * format that the library writes.
 */
#include "record/record.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const struct cli_option options[] = {
	{ 'a', "all", NULL, "record every process", CLI_FLAG, CLI_AT(all) },
	{ 0, "check", NULL, "report what can be recorded here, and exit",
	  CLI_FLAG, CLI_AT(check) },
	{ 'c', "count", "N", "a sample for each N events (see --list)",
	  .kind = CLI_TAKE },
	{ 'd', "duration", "SECONDS", "end after this time",
	  .kind = CLI_TAKE },
	{ 'e', "event", "EVENT",
	  "cpu, wall, offcpu, alloc, lock, jfr; see --list",
	  .kind = CLI_TAKE },
	{ 'f', "format", "FORMAT", "write this format, or script as perf does",
	  CLI_TEXT, CLI_AT(format) },
	{ 'F', "frequency", "HERTZ", "samples a second (99; wall: 20)",
	  .kind = CLI_TAKE },
	{ 0, "lines", NULL, "line numbers of Java, Python, inlined functions",
	  CLI_FLAG, CLI_AT(lines) },
	{ 0, "list", NULL, "list what --event accepts here, and exit",
	  CLI_FLAG, CLI_AT(list) },
	{ 0, "list-processes", NULL, "list processes and what they are, and exit",
	  CLI_FLAG, CLI_AT(list_processes) },
	{ 0, "min-wait", "MS", "offcpu: leave out waits shorter than this",
	  .kind = CLI_TAKE },
	{ 0, "no-children", NULL, "only the processes named, not their children",
	  CLI_FLAG, CLI_AT(no_children) },
	{ 0, "no-inline", NULL, "no frames of inlined native functions",
	  CLI_FLAG, CLI_AT(no_inline) },
	{ 0, "no-join", NULL, "Python workers apart from their Spark tasks",
	  CLI_FLAG, CLI_AT(no_join) },
	{ 'p', "pid", "PID|NAME|CLASS|java", "record these processes",
	  .kind = CLI_TAKE },
	{ 0, "roll", "TIME", "with -a: a file in the folder -o each TIME",
	  .kind = CLI_TAKE },
	{ 0, "roll-limit", "SIZE", "remove the oldest of them above this (1G)",
	  .kind = CLI_TAKE },
	{ 0, "stack", "BYTES", "copy so much of a stack (65528)",
	  .kind = CLI_TAKE },
	{ 't', "threads", NULL, "a root frame per thread",
	  CLI_FLAG, CLI_AT(threads) },
	{ 'u', "user", NULL, "no frames of the kernel",
	  CLI_FLAG, CLI_AT(user) },
	{ .name = NULL }
};

/* Signals and progress ---------------------------------------------------- */

volatile int record_stopped;

static void on_signal(int number)
{
	(void)number;
	record_stopped = 1;
}

/* SIGHUP comes from a terminal that closes, unless nohup(1) ignores it. */
static const int ending[] = { SIGINT, SIGTERM, SIGHUP };

static void handle_signals(void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler }, before;

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < FL_COUNT(ending); i++)
		if (sigaction(ending[i], NULL, &before) == 0 &&
		    (ending[i] != SIGHUP || before.sa_handler != SIG_IGN))
			sigaction(ending[i], &action, NULL);
}

static void catch_signals(void)
{
	handle_signals(on_signal);
	signal(SIGPIPE, SIG_IGN);
}

static void show_progress(void *arg, double seconds, uint64_t samples,
			  uint64_t lost)
{
	(void)arg;
	fprintf(stderr, "\r\33[K%.0f s, %" PRIu64 " samples, %" PRIu64
		" lost ", seconds, samples, lost);
}

static bool shows_progress(const struct cli *cli)
{
	return !cli->quiet && isatty(STDERR_FILENO);
}

/* The command --------------------------------------------------------------- */

struct command {
	pid_t pid;
	bool reaped;		/* its status is known: its pid is free */
	int go;			/* a byte starts it; -1: none */
	int error;		/* sends its errno where it cannot start */
};

/* In the child: waits until events are open, then becomes the command. */
static void become(const struct cli *cli, char **argv, int go, int error)
{
	char byte;
	int number;

	if (strcmp(cli->output, "-") == 0)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	signal(SIGPIPE, SIG_DFL);
	handle_signals(SIG_DFL);
	if (read(go, &byte, 1) != 1)
		_exit(127);	/* the recorder failed */
	execvp(argv[0], argv);
	number = errno;
	if (write(error, &number, sizeof(number)) < 0)
		_exit(126);
	_exit(127);
}

static bool start_command(const struct cli *cli, struct command *command)
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
static bool has_started(const struct cli *cli, struct command *command)
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
static void end_command(struct command *command, bool reaped)
{
	command->reaped = reaped;
	if (!reaped)
		kill(command->pid, SIGTERM);
}

/* As a shell has it; 0: it was we who ended it. */
static int status_of(const struct fl_record_result *result)
{
	if (!result->reaped || record_stopped)
		return 0;
	return WIFSIGNALED(result->status) ? 128 + WTERMSIG(result->status) :
	       WEXITSTATUS(result->status);
}

/* Recording ----------------------------------------------------------------- */

const char *const record_kinds[] = {
	"cpu", "wall", "offcpu", "alloc", "lock", "jfr", NULL
};

static const char *what_of(const struct own *own)
{
	return own->counted.name[0] ? own->counted.name :
				      record_kinds[own->kind];
}

/* Samples of time on a CPU. */
static bool is_time(const struct own *own)
{
	return own->kind == FL_RECORD_CPU && !own->counted.name[0];
}

bool record_is_script(const struct own *own)
{
	return own->format && strcmp(own->format, "script") == 0;
}

struct flame_sink *record_sink(struct cli *cli, struct flame *flame,
			       const char *event)
{
	const struct own *own = cli->own;
	struct flame_sink *sink =
		record_is_script(own) ? fl_script_create(flame, cli->output) :
		flame_create(flame, cli->output, cli->output_format);

	if (sink && !record_is_script(own) &&
	    !cli_fit_terminal(cli, sink, cli->output)) {
		flame_abandon(sink);
		return NULL;
	}
	/* A page has all events of a JVM; other formats, the one they choose. */
	if (sink && !event && !record_is_script(own) &&
	    flame_format_facts(cli->output_format) & FLAME_PAGE &&
	    flame_set(sink, "events", "all") != FLAME_OK) {
		flame_abandon(sink);
		return NULL;
	}
	for (size_t i = 0; sink && i < cli->sets.n; i++)
		if (flame_set(sink, cli->sets.at[i].name,
			      cli->sets.at[i].value) != FLAME_OK) {
			flame_abandon(sink);
			return NULL;
		}
	return cli_chain(cli, sink, event);
}

/* Chance, and what the recorder lost, explain less. */
static bool lacks_samples(const struct own *own,
			  const struct fl_record_result *result)
{
	double wanted = result->cpu * (own->hertz ? own->hertz : 99);
	double seen = (double)(result->samples + result->lost);

	return is_time(own) && !result->per_cpu && result->cpu > 0.2 &&
	       seen + 4 * sqrt(wanted) < 0.85 * wanted;
}

/* A thread's clock begins with the thread. */
static void say_missed(const struct cli *cli,
		       const struct fl_record_result *result)
{
	const struct own *own = cli->own;
	unsigned hertz = own->hertz ? own->hertz : 99;

	cli_say(cli, "%.1f s of CPU time, but samples of %.1f s: without "
		"CAP_PERFMON threads that run for less than %.1f ms are not "
		"seen: a higher --frequency, or %s", result->cpu,
		(double)result->samples / hertz, 1e3 / hertz,
		result->by_stops ? "perf events" :
		"kernel.perf_event_paranoid=0");
}

static void say_runtimes(const struct cli *cli,
			 const struct fl_record_result *result)
{
	const char *name, *remedy, *last = "";

	for (unsigned i = 0;
	     fl_runtime_next(result->runtimes, &i, &name, &remedy); last = name)
		if (strcmp(name, last) != 0)
			cli_say(cli, "functions of %s have no names here, and "
				"its stacks do not count as complete: %s", name,
				remedy);
}

static void say_result(const struct cli *cli,
		       const struct fl_record_result *result)
{
	const struct own *own = cli->own;
	double samples = (double)FL_MAX(result->samples, 1);
	double whole = 100 * (double)result->whole / samples;
	double truncated = 100 * (double)result->truncated / samples;
	double unreadable = 100 * (double)result->unreadable / samples;
	double broken = 100 - whole - truncated - unreadable -
			100 * (double)result->nameless / samples;
	double lost = (double)result->lost;
	double gone = 100 * (double)result->gone / samples;
	char complete[40] = "", gone_text[40] = "";

	if (cli->quiet)
		return;
	if (lost > 0.01 * ((double)result->samples + lost) && result->by_stops)
		cli_say(cli, "%.1f %% of the samples were lost: threads ended "
			"before they were met running",
			100 * lost / ((double)result->samples + lost));
	else if (lost > 0.01 * ((double)result->samples + lost))
		cli_say(cli, "%.1f %% of the samples were lost: a %s or a "
			"smaller --stack loses less",
			100 * lost / ((double)result->samples + lost),
			own->counted.name[0] ? "larger --count" :
			own->kind == FL_RECORD_OFFCPU ? "--min-wait" :
			"lower --frequency");
	if (own->until && !record_stopped && result->seconds + 0.1 <
	    (double)(own->until - own->from) / 1e9)
		cli_say(cli, "this file begins %.1f s late: recording was not "
			"ready", (double)(own->until - own->from) / 1e9 -
			result->seconds);
	if (truncated > 5 && result->stack < FL_MAX_STACK)
		cli_say(cli, "%.1f %% of the stacks are longer than what was "
			"copied of them: --stack %d copies more", truncated,
			FL_MAX_STACK);
	else if (truncated > 5)
		cli_say(cli, "%.1f %% of the stacks are longer than what can "
			"be read of them: they begin with [truncated]",
			truncated);
	if (broken > 5 && result->samples)
		cli_say(cli, "%.1f %% of the stacks are broken: their code has "
			"neither call frame information nor frame pointers "
			"(-fno-omit-frame-pointer)", broken);
	if (unreadable > 5)
		cli_say(cli, "%.1f %% of the stacks are [not readable]: "
			"flame-record may not read the memory of other users' "
			"processes, or of other namespaces of processes: as "
			"root, or with CAP_SYS_PTRACE, it may", unreadable);
	say_runtimes(cli, result);
	if (gone > 5)
		cli_say(cli, "%.1f %% of the stacks have [frame gone]: "
			"functions of Python that ended before they were read; "
			"fewer do where the recorder has a CPU of its own, or "
			"root's priority", gone);
	if (result->unseen > UINT64_C(1000000))
		cli_say(cli, "waits of %.3f s in all ended before their stacks "
			"were read", (double)result->unseen / 1e9);
	if (result->unread)
		cli_say(cli, "memory could not be read at %" PRIu64 " looks "
			"(ptrace_scope=1 or missing CAP_SYS_PTRACE): Try: sudo "
			"sysctl kernel.yama.ptrace_scope=0, or --cap-add "
			"SYS_PTRACE", result->unread);
	if (lacks_samples(cli->own, result))
		say_missed(cli, result);
	if (result->throttled)
		cli_say(cli, "the kernel left out samples to save time: use a "
			"lower --frequency");
	if (result->stops.count)
		cli_say(cli, "threads were stopped %" PRIu64 " times, half of "
			"these for %u us at most, 99 of 100 for %u us",
			result->stops.count, result->stops.median,
			result->stops.most);
	if (result->samples)
		snprintf(complete, sizeof(complete),
			 "%.1f%% complete stacks, ", whole);
	if (result->gone)
		snprintf(gone_text, sizeof(gone_text),
			 "%.1f%% with [frame gone], ", gone);
	cli_say(cli, "%" PRIu64 " samples of %s in %.1f s, %" PRIu64 " lost, "
		"%s%s%s", result->samples, result->what, result->seconds,
		result->lost, complete, gone_text,
		result->kernel ? "user+kernel" : "user");
}

/* Wall: of a thread that runs the look waits for a sample, not for long. */
static unsigned event_hertz(const struct own *own)
{
	unsigned hertz = own->hertz ? own->hertz : 99;

	return own->kind == FL_RECORD_WALL && hertz < 99 ? 99 : hertz;
}

static void say_joined(const struct cli *cli,
		       const struct fl_record_result *result)
{
	char left_out[80] = "";

	if (cli->quiet || !result->joined)
		return;
	if (result->left_out)
		snprintf(left_out, sizeof(left_out), ", for %" PRIu64
			 " of tasks that waited for them", result->left_out);
	cli_say(cli, "%" PRIu64 " samples of Python workers stand on their "
		"Spark tasks%s (--no-join)", result->joined, left_out);
}

static void say_ring(const struct cli *cli,
		     const struct fl_record_result *result)
{
	if (result->ring_size < result->ring_wanted && !cli->quiet)
		cli_say(cli, "ring buffer cut to %zu KiB by RLIMIT_MEMLOCK: "
			"expect lost samples above 500 Hz",
			result->ring_size >> 10);
}

static void say_kernel(const struct cli *cli, const struct own *own,
		       const struct fl_record_result *result)
{
	if (!result->kernel && !result->by_stops && !own->user && !cli->quiet)
		cli_say(cli, "kernel frames need kernel.perf_event_paranoid "
			"<= 1 or CAP_PERFMON; recording user frames only "
			"(sudo sysctl kernel.perf_event_paranoid=1)");
}

int record_failed(const struct cli *cli, struct flame *flame)
{
	if (flame_error(flame)[0])
		cli_say(cli, "%s", flame_error(flame));
	return STATUS_ERROR;
}

/* What ran long enough would have been sampled. */
static void say_idle(const struct cli *cli, double seconds, bool command)
{
	const struct own *own = cli->own;

	cli_say(cli, is_time(own) ?
		"no sample of %s in %.1f s: what was recorded did not run; -e "
		"wall shows where it waits%s" : "no sample of %s in %.1f s%s",
		what_of(own), seconds, command && is_time(own)
		? ", -F 999 samples shorter runs" : "");
}

int record_finish(struct cli *cli, struct flame *flame, struct flame_sink *sink,
		  const struct fl_record_result *result, bool command)
{
	/* No recording is lost to a label of --by that no task had yet. */
	flame_refuse_empty(flame, !cli->empty_ok &&
				  !cli_find(&cli->filters, "by"));
	if (flame_finish(sink) == FLAME_OK)
		return CLI_FINE;
	if (!flame_refused_empty(flame))
		return record_failed(cli, flame);
	if (result && !result->samples && lacks_samples(cli->own, result))
		say_missed(cli, result);
	else if (result && !result->samples)
		say_idle(cli, result->seconds, command);
	else
		cli_explain_nothing(cli, flame, NULL, 0, true);
	return CLI_TROUBLE;
}

static int pump(struct cli *cli, struct flame *flame,
		struct flame_source *source, struct flame_sink *sink,
		struct command *command)
{
	const struct fl_record_result *result = fl_record_result(source);
	int status;

	if (result->fallback[0] && !cli->quiet)
		cli_say(cli, "%s", result->fallback);
	if (result->fallback[0] && !cli->quiet)
		cli_say(cli, "%s", result->by_stops ? "instead threads that "
			"run are stopped for a moment at each sample (ptrace)" :
			"falling back to -e wall");
	say_ring(cli, result);
	say_kernel(cli, cli->own, result);
	if (record_is_script(cli->own))
		fl_script_source(sink, source, result->what);
	status = flame_pump(source, sink);
	if (shows_progress(cli))
		fputs("\r\33[K", stderr);
	if (command->pid > 0) {
		end_command(command, result->reaped);
		if (!has_started(cli, command)) {
			flame_abandon(sink);
			return STATUS_ERROR;
		}
	}
	if (status != FLAME_OK) {
		flame_abandon(sink);
		return record_failed(cli, flame);
	}
	status = record_finish(cli, flame, sink, result, command->pid > 0);
	if (status == CLI_FINE) {
		say_joined(cli, result);
		say_result(cli, result);
	}
	/* One that fails at once need not have a sample. */
	if (status == CLI_FINE || (status == CLI_TROUBLE && status_of(result)))
		return status_of(result);
	return status;
}

/* Processes ----------------------------------------------------------------- */

static int record(struct cli *cli, struct flame *flame,
		  struct fl_targets *targets, struct command *command)
{
	const struct own *own = cli->own;
	struct fl_recording recording = {
		.sampling = {
			.hertz = event_hertz(own), .stack = own->stack,
			.counted = own->counted.name[0] ? &own->counted : NULL,
			.all = own->all, .user = own->user,
			.children = !own->no_children,
			.pids = targets->data, .npids = targets->count,
			.on_exec = command->pid > 0,
			.least_wait = (int64_t)(own->least_wait * 1e6),
		},
		.kind = own->kind, .may_fall_back = !own->kind_given,
		.looks = own->kind == FL_RECORD_WALL && own->hertz ?
			 own->hertz : 20,
		.seconds = own->roll ? 0 : own->seconds,
		.from = own->from, .until = own->until, .threads = own->threads,
		.comms = record_is_script(own), .join = !own->no_join,
		.lines = own->lines,
		.places = !record_is_script(own) && (own->lines || !own->no_inline),
		.inlined = !own->no_inline,
		.command = command->pid, .go = command->go,
		.argv = command->pid > 0 ? cli->inputs : NULL,
		.argc = cli->ninputs,
		.stop = &record_stopped,
		.progress = shows_progress(cli) ? show_progress : NULL,
	};
	struct fl_refusal refusal;
	struct flame_source *source;
	struct flame_sink *sink;
	int status;

	source = fl_record_open(flame, &recording, &refusal);
	if (!source && refusal.text[0]) {
		cli_say(cli, "%s", refusal.text);
		return STATUS_REFUSED;
	}
	/* A process has one tracer, so the next turn would come too late. */
	if (source && own->roll && fl_record_result(source)->by_stops) {
		cli_say(cli, "--roll needs the kernel's events: %s",
			fl_record_result(source)->fallback);
		flame_close(source);
		return STATUS_REFUSED;
	}
	sink = source ? record_sink(cli, flame,
				    fl_record_result(source)->metric) : NULL;
	sink = sink && !record_is_script(own) ?
	       fl_places_filter(flame, sink, fl_record_places(source)) : sink;
	status = sink ? pump(cli, flame, source, sink, command) :
			record_failed(cli, flame);
	flame_close(source);
	return status;
}

int record_all(struct cli *cli, struct flame *flame)
{
	struct fl_targets none = { 0 };
	struct command command = { .go = -1 };

	return record(cli, flame, &none, &command);
}

/* --check ------------------------------------------------------------------- */

static void print_check(void *arg, bool good, const char *what,
			const char *text)
{
	(void)arg;
	printf("%-3s  %-20s %s\n", good ? "ok" : "no", what, text);
}

/* 3 where nothing can be recorded. */
static int check(const struct cli *cli, struct flame *flame,
		 const struct fl_targets *targets)
{
	pid_t pid = targets->count ? targets->data[0] : 0;
	bool good = fl_check(flame, pid, print_check, NULL);

	if (cli_flush(cli) != CLI_FINE)
		return STATUS_ERROR;
	return good ? CLI_FINE : STATUS_REFUSED;
}

static void print_event(void *arg, const char *name, uint64_t period,
			const char *lack)
{
	(void)arg;
	if (lack)
		printf("%-22s no: %s\n", name, lack);
	else
		printf("%-22s --count %" PRIu64 "\n", name, period);
}

static int list_events(const struct cli *cli)
{
	printf("cpu                    time on a CPU (-F 99)\n"
	       "wall                   time, running or not (-F 20)\n"
	       "offcpu                 time off the CPUs\n"
	       "alloc, lock            of JVMs, by their flight recorder\n"
	       "cpu+alloc+lock         of these several, of JVMs\n"
	       "jfr[=SETTINGS]         all that a JVM's settings choose "
	       "(profile)\n");
	fl_counted_list(print_event, NULL);
	printf("mem:ADDRESS[:N][:rwx]  accesses of N bytes (1, 2, 4, 8)\n"
	       "SUBSYSTEM:NAME         tracepoints and uprobes, as in "
	       "/sys/kernel/tracing/available_events\n");
	return cli_flush(cli) == CLI_FINE ? CLI_FINE : STATUS_ERROR;
}

static void print_process(void *arg, pid_t pid, const char *kind,
			  const char *name, const char *what)
{
	char shown[4096];

	(void)arg;
	flame_visible(shown, sizeof(shown), name, strlen(name));
	printf("%7d  %-13s %-28s %s\n", (int)pid, kind, what, shown);
}

static int list_processes(const struct cli *cli, struct flame *flame)
{
	fl_list_processes(flame, print_process, NULL);
	return cli_flush(cli) == CLI_FINE ? CLI_FINE : STATUS_ERROR;
}

/*
 * Forks for the command before recording, but lets it run only once recording
 * has begun: it must not run unrecorded.
 */
static int run(struct cli *cli, struct flame *flame)
{
	const struct own *own = cli->own;
	struct fl_targets targets = { 0 };
	struct fl_refusal refusal = { .text = "" };
	struct command command = { .go = -1 };
	int status;

	if (own->list)
		return list_events(cli);
	if (own->list_processes)
		return list_processes(cli, flame);
	catch_signals();
	if (own->pids && !fl_targets_add(flame, &targets, own->pids, &refusal)) {
		if (refusal.text[0])
			cli_say(cli, "%s", refusal.text);
		fl_targets_free(&targets);
		return refusal.text[0] ? STATUS_REFUSED : record_failed(cli, flame);
	}
	if (own->check) {
		status = check(cli, flame, &targets);
		fl_targets_free(&targets);
		return status;
	}
	if (own->roll)
		return record_roll(cli, flame);
	if (record_is_of_jvms(own)) {
		status = record_jvms(cli, flame, &targets);
		fl_targets_free(&targets);
		return status;
	}
	if (own->pids && !own->no_children &&
	    !fl_targets_add_children(flame, &targets))
		return record_failed(cli, flame);
	if (cli->ninputs) {
		char pid[24];

		if (!start_command(cli, &command))
			return STATUS_ERROR;
		snprintf(pid, sizeof(pid), "%d", (int)command.pid);
		fl_targets_add(flame, &targets, pid, &refusal);
	}
	status = record(cli, flame, &targets, &command);
	if (command.pid > 0 && !command.reaped)
		kill(command.pid, SIGTERM);
	fl_targets_free(&targets);
	return status;
}

/* Options ----------------------------------------------------------------- */

static bool take_number(struct cli *cli, const char *name, const char *value,
			unsigned least, unsigned most, unsigned *n)
{
	char *end;
	unsigned long said;

	errno = 0;
	said = strtoul(value, &end, 10);
	if (*value >= '0' && *value <= '9' && !*end && !errno &&
	    said >= least && said <= most) {
		*n = (unsigned)said;
		return true;
	}
	cli_say(cli, "--%s %s: a number from %u to %u", name, value, least,
		most);
	return false;
}

static bool take_seconds(struct cli *cli, const char *value)
{
	struct own *own = cli->own;
	char *end;

	own->seconds = strtod(value, &end);
	if (end != value && !*end && own->seconds > 0 && own->seconds < 1e9)
		return true;
	cli_say(cli, "--duration %s: a number of seconds", value);
	return false;
}

static bool take_wait(struct cli *cli, const char *value)
{
	struct own *own = cli->own;
	char *end;

	own->least_wait = strtod(value, &end);
	if (end != value && !*end && own->least_wait >= 0.1 &&
	    own->least_wait <= 1e6)
		return true;
	cli_say(cli, "--min-wait %s: milliseconds, from 0.1 to 1000000", value);
	return false;
}

static bool take_pid(struct cli *cli, const char *value)
{
	struct own *own = cli->own;
	char *joined;

	/* As an empty $(pgrep NAME) leaves it. */
	if (!value[strspn(value, ", \t\n")] || *value == '-') {
		cli_say(cli, "--pid %s: not a process: a number, a name, or "
			"java", *value ? value : "''");
		return false;
	}
	if (asprintf(&joined, "%s,%s", own->pids ? own->pids : "", value) < 0)
		return cli_no_memory(cli);
	free(own->pids);
	own->pids = joined;
	return true;
}

static bool take_event(struct cli *cli, const char *value)
{
	struct own *own = cli->own;
	struct fl_refusal refusal;

	own->counted.name[0] = '\0';
	own->of_jvms = 0;
	own->settings = NULL;
	own->event = value;
	for (size_t i = 0; record_kinds[i]; i++)
		if (strcmp(value, record_kinds[i]) == 0) {
			own->kind = (enum fl_record_kind)i;
			own->kind_given = true;
			return true;
		}
	if (record_is_of_several(value))
		return record_take_jvm_events(cli, value);
	if (fl_counted_find(value, &own->counted, &refusal)) {
		own->kind = FL_RECORD_CPU;
		own->kind_given = true;
		return true;
	}
	if (refusal.text[0])
		cli_say(cli, "%s", refusal.text);
	else
		cli_say(cli, "--event %s: cpu, wall, offcpu, alloc, lock, or "
			"one that flame-record --list names", value);
	return false;
}

static bool set_option(struct cli *cli, const char *name, const char *value)
{
	struct own *own = cli->own;

	if (strcmp(name, "duration") == 0)
		return take_seconds(cli, value);
	if (strcmp(name, "min-wait") == 0)
		return take_wait(cli, value);
	if (strcmp(name, "pid") == 0)
		return take_pid(cli, value);
	if (strcmp(name, "event") == 0)
		return take_event(cli, value);
	if (strcmp(name, "roll") == 0)
		return record_take_roll(cli, value);
	if (strcmp(name, "roll-limit") == 0)
		return record_take_roll_limit(cli, value);
	if (strcmp(name, "count") == 0)
		return take_number(cli, name, value, 1, 4000000000,
				   &own->count);
	if (strcmp(name, "frequency") == 0)
		return take_number(cli, name, value, 1, 100000, &own->hertz);
	if (!take_number(cli, name, value, 1024, FL_MAX_STACK, &own->stack))
		return false;
	own->stack &= ~7u;	/* as the kernel wants it */
	return true;
}

static bool is_pid(const char *text)
{
	return *text && text[strspn(text, "0123456789")] == '\0';
}

/* "-p 1 2 3", as $(pgrep ...) has it without quotes. */
static bool take_more_pids(struct cli *cli)
{
	const struct own *own = cli->own;

	for (size_t i = 0; i < cli->ninputs; i++)
		if (!own->pids || !is_pid(cli->inputs[i]))
			return true;
	for (size_t i = 0; i < cli->ninputs; i++)
		if (!take_pid(cli, cli->inputs[i]))
			return false;
	cli->ninputs = 0;
	return true;
}

static bool check_options(struct cli *cli)
{
	struct own *own = cli->own;
	int ways;

	if (!take_more_pids(cli))
		return false;
	cli->event = NULL;
	cli->output_format = record_is_script(own) ? "folded" : own->format;
	ways = (own->pids != NULL) + own->all + (cli->ninputs > 0);
	if (record_is_of_jvms(own) && !own->pids && !own->check) {
		cli_say(cli, "--event %s needs a JVM: -p PID or -p java",
			own->event);
		return false;
	}
	if (!record_check_jvms(cli))
		return false;
	if (own->list || own->list_processes)
		return true;
	if (own->count && !own->counted.name[0]) {
		cli_say(cli, "--count: of which events?  %s is sampled by "
			"time (-F); flame-record --list", record_kinds[own->kind]);
		return false;
	}
	if (own->hertz && own->counted.name[0]) {
		cli_say(cli, "--frequency: %s is counted: --count N",
			own->counted.name);
		return false;
	}
	if (own->count)
		own->counted.period = own->count;
	if (own->least_wait > 0 && own->kind != FL_RECORD_OFFCPU) {
		cli_say(cli, "--min-wait: only -e offcpu records waits");
		return false;
	}
	if (own->hertz && own->kind == FL_RECORD_OFFCPU && !cli->quiet)
		cli_say(cli, "--frequency is ignored: offcpu records each wait");
	if (own->all && own->kind == FL_RECORD_WALL) {
		cli_say(cli, "--event wall: of which processes? -p PID or a "
			"command, not -a");
		return false;
	}
	if (!record_check_roll(cli))
		return false;
	if (ways == 1 || (own->check && !own->all && !cli->ninputs))
		return true;
	cli_say(cli, ways ? "one of --pid, --all and a command, not several" :
		"what is to be recorded? -p PID, -a, or a command; see "
		"flame-record --help");
	return false;
}

static const struct cli_tool tool = {
	.name = "flame-record",
	.usage = "[options] (-p PID | -a | [--] COMMAND [ARGUMENT...])",
	.about = "Records where processes spend their time, without agents, "
		 "flags or restarts.",
	.examples = "  flame-record -o sort.svg -- sort words\n"
		    "  flame-record -p java -d 10 -t -o jvms.html\n"
		    "  flame-record -F 499 -p 4242 | flame-top\n",
	.format = "folded",
	.options = options,
	.set_option = set_option,
	.check_options = check_options,
	.rows = "fwoc",
	.command = true,
	.run = run,
};

CLI_MAIN(flame_record_main)
{
	struct own own = { .kind = FL_RECORD_CPU };
	int status = cli_main(&tool, &own, argc, argv);

	free(own.pids);
	return status;
}
