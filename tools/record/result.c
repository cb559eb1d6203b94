/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The output of flame-record, and what it says of a recording: record_sink()
 * opens the output with the filters before it, record_finish() finishes it or
 * says why it is empty, and record_say_...() print the numbers of samples, and
 * how many were lost or have broken stacks.  Called by flame-record.c and
 * jvms.c.
 */
#include "record/record.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

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
	return cli_chain(cli, cli_set_all(cli, sink), event);
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

static void say_lost(const struct cli *cli,
		     const struct fl_record_result *result)
{
	const struct own *own = cli->own;
	double lost = (double)result->lost;
	double share = lost / FL_MAX((double)result->samples + lost, 1);

	if (share <= 0.01)
		return;
	if (result->by_stops)
		cli_say(cli, "%.1f %% of the samples were lost: threads ended "
			"before they were met running", 100 * share);
	else
		cli_say(cli, "%.1f %% of the samples were lost: a %s or a "
			"smaller --stack loses less", 100 * share,
			own->counted.name[0] ? "larger --count" :
			own->kind == FL_RECORD_OFFCPU ? "--min-wait" :
			"lower --frequency");
}

/* By how many seconds a turn's recording began after the turn. */
static double late_by(const struct own *own,
		      const struct fl_record_result *result)
{
	double late = (double)(own->until - own->from) / 1e9 - result->seconds;

	return own->until && !record_stopped && late > 0.1 ? late : 0;
}

void record_say_result(const struct cli *cli,
		       const struct fl_record_result *result)
{
	const struct own *own = cli->own;
	double samples = (double)FL_MAX(result->samples, 1);
	double whole = 100 * (double)result->whole / samples;
	double truncated = 100 * (double)result->truncated / samples;
	double unreadable = 100 * (double)result->unreadable / samples;
	double broken = 100 - whole - truncated - unreadable -
			100 * (double)result->nameless / samples;
	double gone = 100 * (double)result->gone / samples;
	char complete[40] = "", gone_text[40] = "";

	if (cli->quiet)
		return;
	say_lost(cli, result);
	if (late_by(own, result) > 0)
		cli_say(cli, "this file begins %.1f s late: recording was not "
			"ready", late_by(own, result));
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
		cli_say(cli, "%.1f %% of the stacks are [not readable]: of "
			"processes that ended before they were read, of other "
			"users, or of other namespaces of processes: as root, "
			"or with CAP_SYS_PTRACE, it may read those of others",
			unreadable);
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
unsigned record_event_hertz(const struct own *own)
{
	unsigned hertz = own->hertz ? own->hertz : 99;

	return own->kind == FL_RECORD_WALL && hertz < 99 ? 99 : hertz;
}

void record_say_joined(const struct cli *cli,
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

void record_say_ring(const struct cli *cli,
		     const struct fl_record_result *result)
{
	if (result->ring_size < result->ring_wanted && !cli->quiet)
		cli_say(cli, "ring buffer cut to %zu KiB by RLIMIT_MEMLOCK: "
			"expect lost samples above 500 Hz",
			result->ring_size >> 10);
}

void record_say_kernel(const struct cli *cli, const struct own *own,
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
	if (result && !result->samples && late_by(cli->own, result) > 0) {
		cli_say(cli, "this file is not written: recording was ready "
			"%.1f s late", late_by(cli->own, result));
		return STATUS_ERROR;
	}
	if (result && !result->samples && lacks_samples(cli->own, result))
		say_missed(cli, result);
	else if (result && !result->samples)
		say_idle(cli, result->seconds, command);
	else
		cli_explain_nothing(cli, flame, NULL, 0, true);
	return CLI_TROUBLE;
}
