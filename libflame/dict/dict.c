/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dictionary as a whole: flame_new() and flame_free(), which every program
 * calls, and settings such as its limits of memory and its threads.
 */
#include "fl.h"

#include "dict/dict.h"
#include "io/io.h"

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
	fl_report_init(&flame->report);
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
	if (flame->finished)
		flame->free_finished(flame);
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
	fl_free(flame->whole.stack);
	fl_free(flame->labels.data);
	fl_free(flame->metrics);
	fl_arena_free(&flame->arena);
	fl_arena_free(&flame->report.texts);
	fl_free(flame);
}

void flame_on_member(struct flame *flame,
		     int (*member)(void *arg, const char *name,
				   struct flame_source *source, int status),
		     void *arg)
{
	if (!flame)
		return;
	flame->member = member;
	flame->member_arg = arg;
}

void flame_process_limit(struct flame *flame, size_t bytes)
{
	(void)flame;
	fl_memory_limit(bytes);
}

void flame_process_limit_line(struct flame *flame, size_t bytes)
{
	(void)flame;
	fl_in_limit_line(bytes);
}

void flame_threads(struct flame *flame, unsigned n)
{
	if (flame)
		flame->threads = n;
}
