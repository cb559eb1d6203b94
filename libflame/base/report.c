/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Receives failures, warnings, remarks and progress from the whole library
 * (fl_fail, fl_warn, fl_remark, fl_progress), stores the first failure for
 * flame_error(), and passes the others to the callbacks of the program.
 */
#include "fl.h"

#include "base/report.h"

#include <stdarg.h>
#include <stdio.h>

/* No flame is itself const, and each begins with its report. */
static struct fl_report *report_of(const struct flame *flame)
{
	return (struct fl_report *)flame;
}

void fl_report_init(struct fl_report *report)
{
	report->memory_failures = fl_memory_failures();
}

struct flame *fl_report_new(void)
{
	struct fl_report *report = fl_zeroed(1, sizeof(*report));

	if (report)
		fl_report_init(report);
	return (struct flame *)report;
}

void fl_report_free(struct flame *flame)
{
	if (!flame)
		return;
	fl_arena_free(&report_of(flame)->texts);
	fl_free(flame);
}

static bool ran_out_of_memory(const struct flame *flame)
{
	const struct fl_report *report = report_of(flame);

	return fl_memory_failures() != report->memory_failures;
}

const char *flame_error(const struct flame *flame)
{
	const struct fl_report *report = report_of(flame);

	if (!flame)
		return "no dictionary";
	if (!report->failed && ran_out_of_memory(flame))
		fl_no_memory((struct flame *)flame);
	return report->error;
}

void flame_on_warning(struct flame *flame,
		      void (*warn)(void *arg, const char *line), void *arg)
{
	struct fl_report *report = report_of(flame);

	if (!report)
		return;
	report->warn = warn;
	report->warn_arg = arg;
}

void flame_on_remark(struct flame *flame,
		     void (*remark)(void *arg, const char *line), void *arg)
{
	struct fl_report *report = report_of(flame);

	if (!report)
		return;
	report->remark = remark;
	report->remark_arg = arg;
}

int flame_clear(struct flame *flame)
{
	struct fl_report *report = report_of(flame);

	if (!report || report->exhausted || ran_out_of_memory(flame))
		return FLAME_FAILED;
	report->failed = false;
	report->error[0] = '\0';
	return FLAME_OK;
}

unsigned flame_warnings(const struct flame *flame)
{
	const struct fl_report *report = report_of(flame);

	return report ? report->warnings : 0;
}

int flame_name_input(struct flame *flame, const char *path)
{
	struct fl_report *report = report_of(flame);
	char *name = fl_arena_copy(&report->texts, path, strlen(path));

	if (!name)
		return fl_no_memory(flame);
	flame_hide_secrets(name, true);
	report->input_name = name;
	return FLAME_OK;
}

const char *fl_input_name(const struct flame *flame)
{
	const struct fl_report *report = report_of(flame);

	return report->input_name ? report->input_name : "standard input";
}

FL_PRINTF(2, 3)
static int fail(struct flame *flame, const char *format, ...)
{
	struct fl_report *report = report_of(flame);
	va_list args;

	if (report->failed)
		return FLAME_FAILED;
	va_start(args, format);
	vsnprintf(report->error, sizeof(report->error), format, args);
	va_end(args);
	flame_hide_secrets(report->error, false);
	report->failed = true;
	return FLAME_FAILED;
}

int fl_fail(struct flame *flame, const char *format, ...)
{
	struct fl_report *report = report_of(flame);
	char line[sizeof(report->error)];
	va_list args;

	if (!flame)
		return FLAME_FAILED;
	if (report->failed)
		return FLAME_FAILED;
	/* Whatever else is wrong then may be wrong because of it. */
	if (ran_out_of_memory(flame))
		return fl_no_memory(flame);
	va_start(args, format);
	/* Text of files may have line ends and control characters. */
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	flame_hide_secrets(line, false);
	fl_show_line(report->error, sizeof(report->error), line);
	report->failed = true;
	return FLAME_FAILED;
}

int fl_no_memory(struct flame *flame)
{
	struct fl_report *report = report_of(flame);
	size_t limit = fl_memory_refused();
	bool whole = limit % (1 << 20) == 0;

	report->exhausted = !report->failed || report->exhausted;
	if (!limit)
		return fail(flame, "out of memory");
	return fail(flame, "the limit of %zu %s of memory is reached: "
		       "raise it (--memory-limit), read less (--event, "
		       "--from, --to, of a page --no-time), or read in "
		       "pieces and join the parts with flame-merge",
		       whole ? limit >> 20 : limit >> 10,
		       whole ? "MB" : "kB");
}

bool fl_failed(const struct flame *flame)
{
	const struct fl_report *report = report_of(flame);

	return report->failed || ran_out_of_memory(flame);
}

static void say(void (*to)(void *, const char *), void *arg,
		const char *format, va_list args)
{
	char line[1024], shown[1024];

	if (!to)
		return;
	vsnprintf(line, sizeof(line), format, args);
	flame_hide_secrets(line, false);
	fl_show_line(shown, sizeof(shown), line);
	to(arg, shown);
}

/* For pages, which show the damage. */
static void keep_warning(struct flame *flame, const char *format, va_list args)
{
	struct fl_report *report = report_of(flame);
	char line[1024], shown[1024];

	if (report->warnings >= FL_MAX_WARNED)
		return;
	vsnprintf(line, sizeof(line), format, args);
	flame_hide_secrets(line, false);
	fl_show_line(shown, sizeof(shown), line);
	report->warned[report->warnings] =
		fl_arena_copy(&report->texts, shown, strlen(shown));
}

void fl_warn(struct flame *flame, const char *format, ...)
{
	struct fl_report *report = report_of(flame);
	va_list args;

	if (ran_out_of_memory(flame))
		return;
	va_start(args, format);
	keep_warning(flame, format, args);
	va_end(args);
	report->warnings++;
	va_start(args, format);
	say(report->warn, report->warn_arg, format, args);
	va_end(args);
}

void fl_remark(struct flame *flame, const char *format, ...)
{
	struct fl_report *report = report_of(flame);
	va_list args;

	va_start(args, format);
	say(report->remark, report->remark_arg, format, args);
	va_end(args);
}

/* Bytes of the file: io reports them, as it alone knows the packed size. */
void flame_on_progress(struct flame *flame,
		       void (*progress)(void *arg,
					const struct flame_progress *at),
		       void *arg)
{
	struct fl_report *report = report_of(flame);

	if (!report)
		return;
	report->progress = progress;
	report->progress_arg = arg;
}

void fl_progress(struct flame *flame, const char *input, uint64_t done,
		 uint64_t size)
{
	struct fl_report *report = report_of(flame);
	const struct flame_progress at = { input, done, size };

	if (report->progress)
		report->progress(report->progress_arg, &at);
}
