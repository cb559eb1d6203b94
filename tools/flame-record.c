/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame-record: samples the stacks of processes (-p), of the whole machine (-a)
 * or of a command, from outside, and writes any format of the library.  run()
 * chooses what to record; --check and the lists are here.  record/ has the
 * options, the output, the command, events of JVMs, and --roll.
 */
#include "record/record.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
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

void record_handle_signals(void (*handler)(int))
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
	record_handle_signals(on_signal);
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

/* As a shell has it; 0: it was we who ended it. */
static int status_of(const struct fl_record_result *result)
{
	if (!result->reaped || record_stopped)
		return 0;
	return WIFSIGNALED(result->status) ? 128 + WTERMSIG(result->status) :
	       WEXITSTATUS(result->status);
}

/* Recording ----------------------------------------------------------------- */

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
	record_say_ring(cli, result);
	record_say_kernel(cli, cli->own, result);
	if (record_is_script(cli->own))
		fl_script_source(sink, source, result->what);
	status = flame_pump(source, sink);
	if (shows_progress(cli))
		fputs("\r\33[K", stderr);
	if (command->pid > 0) {
		record_end_command(command, result->reaped);
		if (!record_has_started(cli, command)) {
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
		record_say_joined(cli, result);
		record_say_result(cli, result);
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
			.hertz = record_event_hertz(own), .stack = own->stack,
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

		if (!record_start_command(cli, &command))
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
	.set_option = record_set_option,
	.check_options = record_check_options,
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
