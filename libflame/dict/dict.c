/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dictionary as a whole: creation, limits, errors and warnings.
 */
#include "fl.h"

#include "dict/dict.h"
#include "io/command.h"
#include "io/io.h"
#include "io/url.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const char *flame_version(void)
{
	return FLAME_VERSION;
}

unsigned flame_version_number(void)
{
	return FLAME_VERSION_NUMBER;
}

struct flame *flame_new(void)
{
	static const struct flame_frame nothing;
	struct flame *flame = fl_zeroed(1, sizeof(*flame));

	if (!flame)
		return NULL;
	flame->memory_failures = fl_memory_failures();
	fl_hash_secret_init();
	/* Id 0 of every table is the empty entry; no index holds it. */
	if (!fl_grow(&flame->names.data, &flame->names.capacity, 1024,
		     sizeof(*flame->names.data)) ||
	    !fl_grow(&flame->frames.data, &flame->frames.capacity, 1024,
		     sizeof(*flame->frames.data)) ||
	    !fl_grow(&flame->frames.next, &flame->frames.next_capacity, 1024,
		     sizeof(*flame->frames.next)) ||
	    !fl_grow(&flame->stacks.data, &flame->stacks.capacity, 4096,
		     sizeof(*flame->stacks.data)) ||
	    !fl_grow(&flame->labels.data, &flame->labels.capacity, 64,
		     sizeof(*flame->labels.data)) ||
	    !fl_grow(&flame->metrics, &flame->metrics_capacity, 16,
		     sizeof(*flame->metrics))) {
		flame_free(flame);
		return NULL;
	}
	flame->names.data[0] = (struct fl_name){ .text = "" };
	flame->frames.data[0] = nothing;
	flame->frames.next[0] = 0;
	memset(flame->stacks.data, 0, sizeof(*flame->stacks.data));
	memset(flame->labels.data, 0, sizeof(*flame->labels.data));
	memset(flame->metrics, 0, sizeof(*flame->metrics));
	flame->metrics[0].name = flame->metrics[0].unit = "";
	flame->metrics[0].weight = "samples";
	flame->names.count = flame->frames.count = flame->stacks.count = 1;
	flame->labels.count = flame->nmetrics = 1;
	return flame;
}

void flame_free(struct flame *flame)
{
	if (!flame)
		return;
	if (flame->files)
		flame->free_files(flame->files);
	if (flame->runs)
		flame->free_runs(flame);
	fl_index_free(&flame->names.index);
	fl_index_free(&flame->frames.index);
	fl_index_free(&flame->stacks.index);
	fl_index_free(&flame->labels.index);
	fl_index_free(&flame->metrics_index);
	fl_map_free(&flame->plain);
	fl_map_free(&flame->overlap.seen);
	fl_free(flame->names.data);
	fl_free(flame->frames.data);
	fl_free(flame->frames.next);
	fl_free(flame->stacks.data);
	fl_free(flame->labels.data);
	fl_free(flame->metrics);
	fl_arena_free(&flame->arena);
	fl_free(flame);
}

static bool ran_out_of_memory(const struct flame *flame)
{
	return fl_memory_failures() != flame->memory_failures;
}

const char *flame_error(const struct flame *flame)
{
	/* The text has its place in the flame; no flame is itself const. */
	if (!flame->failed && ran_out_of_memory(flame))
		fl_no_memory((struct flame *)flame);
	return flame->error;
}

void flame_on_warning(struct flame *flame,
		      void (*warn)(void *arg, const char *line), void *arg)
{
	flame->warn = warn;
	flame->warn_arg = arg;
}

void flame_on_remark(struct flame *flame,
		     void (*remark)(void *arg, const char *line), void *arg)
{
	flame->remark = remark;
	flame->remark_arg = arg;
}

void flame_on_member(struct flame *flame,
		     int (*member)(void *arg, const char *name,
				   struct flame_source *source, int status),
		     void *arg)
{
	flame->member = member;
	flame->member_arg = arg;
}

int flame_clear(struct flame *flame)
{
	if (flame->exhausted || ran_out_of_memory(flame))
		return FLAME_FAILED;
	flame->failed = false;
	flame->error[0] = '\0';
	return FLAME_OK;
}

unsigned flame_warnings(const struct flame *flame)
{
	return flame->warnings;
}

void flame_process_limit(struct flame *flame, size_t bytes)
{
	(void)flame;
	fl_memory_limit(bytes);
}

int flame_name_input(struct flame *flame, const char *path)
{
	flame->input_name = fl_arena_copy(&flame->arena, path, strlen(path));
	return flame->input_name ? FLAME_OK : fl_no_memory(flame);
}

const char *fl_input_name(const struct flame *flame)
{
	return flame->input_name ? flame->input_name : "standard input";
}

void flame_process_limit_line(struct flame *flame, size_t bytes)
{
	(void)flame;
	fl_in_limit_line(bytes);
}

int flame_process_url_option(struct flame *flame, const char *option,
		     const char *value)
{
	(void)flame;
	return fl_url_set(option, value) ? FLAME_OK : FLAME_FAILED;
}

int flame_process_fetch(struct flame *flame, const char *command)
{
	(void)flame;
	return fl_command_set(command) ? FLAME_OK : FLAME_FAILED;
}

void flame_fetch_early(struct flame *flame, const char *path)
{
	(void)flame;
	fl_command_prepare(path);
}

void flame_threads(struct flame *flame, unsigned n)
{
	flame->threads = n;
}

FL_PRINTF(2, 3)
static int fail(struct flame *flame, const char *format, ...)
{
	va_list args;

	if (flame->failed)
		return FLAME_FAILED;
	va_start(args, format);
	vsnprintf(flame->error, sizeof(flame->error), format, args);
	va_end(args);
	flame->failed = true;
	return FLAME_FAILED;
}

int fl_fail(struct flame *flame, const char *format, ...)
{
	char line[sizeof(flame->error)];
	va_list args;

	if (flame->failed)
		return FLAME_FAILED;
	/* Whatever else is wrong then may be wrong because of it. */
	if (ran_out_of_memory(flame))
		return fl_no_memory(flame);
	va_start(args, format);
	/* One line: what came from files may hold anything. */
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	fl_show_line(flame->error, sizeof(flame->error), line);
	flame->failed = true;
	return FLAME_FAILED;
}

int fl_no_memory(struct flame *flame)
{
	size_t limit = fl_memory_refused();
	bool whole = limit % (1 << 20) == 0;

	flame->exhausted = !flame->failed || flame->exhausted;
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
	return flame->failed || ran_out_of_memory(flame);
}

static void say(void (*to)(void *, const char *), void *arg,
		const char *format, va_list args)
{
	char line[1024], shown[1024];

	if (!to)
		return;
	vsnprintf(line, sizeof(line), format, args);
	fl_show_line(shown, sizeof(shown), line);
	to(arg, shown);
}

/* For pages, which show the damage. */
static void keep_warning(struct flame *flame, const char *format, va_list args)
{
	char line[1024], shown[1024];

	if (flame->warnings >= FL_MAX_WARNED)
		return;
	vsnprintf(line, sizeof(line), format, args);
	fl_show_line(shown, sizeof(shown), line);
	flame->warned[flame->warnings] =
		fl_arena_copy(&flame->arena, shown, strlen(shown));
}

void fl_warn(struct flame *flame, const char *format, ...)
{
	va_list args;

	if (ran_out_of_memory(flame))
		return;
	va_start(args, format);
	keep_warning(flame, format, args);
	va_end(args);
	flame->warnings++;
	va_start(args, format);
	say(flame->warn, flame->warn_arg, format, args);
	va_end(args);
}

void fl_remark(struct flame *flame, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(flame->remark, flame->remark_arg, format, args);
	va_end(args);
}
