/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds the facts of a recording to its source, which pages show as Info: where
 * and when it was made, of which processes, and how complete it is.  record.c
 * calls it when the recording begins and when it has ended.
 */
#include "fl.h"

#include "sample/recorder.h"

#include <sys/utsname.h>
#include <time.h>

enum { MAX_TOLD_PROCESSES = 8 };

/* Arguments end in NUL each. */
static void tell_process(struct flame_source *source, pid_t pid)
{
	size_t size;
	char *text = fl_read_proc(pid, "cmdline", &size);

	while (text && size && !text[size - 1])
		size--;
	for (size_t i = 0; text && i < size; i++)
		if (!text[i])
			text[i] = ' ';
	fl_fact(source, "process", "%d %.*s", (int)pid, text ? (int)size : 0,
		text ? text : "");
	fl_free(text);
}

static void tell_command(struct flame_source *source, char *const *argv,
			 size_t argc)
{
	struct fl_buf text = { 0 };

	for (size_t i = 0; i < argc; i++) {
		if (i)
			fl_buf_byte(&text, ' ');
		fl_buf_text(&text, argv[i]);
	}
	if (text.data && !text.failed)
		fl_fact(source, "command", "%s", text.data);
	fl_buf_free(&text);
}

void fl_recorder_tell_begin(const struct fl_recorder *r,
			    struct flame_source *source)
{
	const struct fl_sampling *sampling = &r->how.sampling;
	size_t n = sampling->npids;
	struct utsname name;

	if (uname(&name) == 0) {
		fl_fact(source, "host", "%s", name.nodename);
		fl_fact(source, "OS", "%s %s %s", name.sysname, name.release,
			name.machine);
	}
	if (r->how.argv) {
		tell_command(source, r->how.argv, r->how.argc);
		fl_fact(source, "pid", "%d", (int)r->how.command);
		return;
	}
	for (size_t i = 0; i < n && i < MAX_TOLD_PROCESSES; i++)
		tell_process(source, sampling->pids[i]);
	if (n > MAX_TOLD_PROCESSES)
		fl_fact(source, "process", "and %zu more",
			n - MAX_TOLD_PROCESSES);
	else if (!n)
		fl_fact(source, "process", "all");
}

void fl_recorder_tell_end(const struct fl_recorder *r,
			  struct flame_source *source)
{
	const struct fl_record_result *result = &r->result;
	time_t seconds = source->start / 1000000000;
	double all = (double)FL_MAX(result->samples, 1u);
	char text[64];
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	fl_fact(source, "start", "%s.%03dZ", text,
		(int)(source->start % 1000000000 / 1000000));
	fl_fact(source, "duration", "%.3f s", result->seconds);
	fl_fact(source, "recorded", "%s%s", result->what,
		result->kind != FL_RECORD_CPU ? "" : result->kernel ?
		", user and kernel" : ", user");
	if (result->kind == FL_RECORD_CPU)
		fl_fact(source, "frequency", "%u Hz", r->how.sampling.hertz);
	else if (result->kind == FL_RECORD_WALL)
		fl_fact(source, "frequency", "%u Hz", r->how.looks);
	if (result->joined)
		fl_fact(source, "joined", "%llu samples of Python workers, on "
			"their tasks", (unsigned long long)result->joined);
	if (result->left_out)
		fl_fact(source, "left out", "%llu samples of tasks that waited "
			"for them", (unsigned long long)result->left_out);
	fl_fact(source, "lost", "%llu samples",
		(unsigned long long)result->lost);
	fl_fact(source, "complete stacks", "%.1f%%",
		100 * (double)result->whole / all);
}
