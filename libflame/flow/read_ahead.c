/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files ahead: of many small ones, some are read while those before them are
 * given out.  Each is opened again by its name, and read into a dictionary
 * that stays in its place of the ring, so that its stacks are absorbed once;
 * files take the places in turn.  What is said of a file is kept with its
 * samples.  A file that fails is not told of here: the caller reads it once
 * more, in its turn.
 */
#include "fl.h"

#include "flow/flow.h"

#include <stdlib.h>
#include <sys/stat.h>

enum {
	MOST = 65,
	LARGEST = 16 << 20	/* larger ones are read by several in turn */
};

struct fl_file {
	struct fl_job job;
	struct flame_source *asked;	/* who waits for it; NULL: free */
	struct flame *flame;
	struct fl_absorbed map;
	struct fl_sample_buffer kept;
	struct fl_buf said;	/* lines: '!' or '-', the text, a NUL */
	const char *path, *format;
	struct fl_asked what;
	bool cpu_only;
	struct flame_source *source;	/* its own */
	int status;
};

struct fl_files {
	struct fl_thread_pool *team;
	size_t nplaces, next;
	struct fl_file files[MOST];
};

/* In any thread ----------------------------------------------------------- */

static void say(struct fl_file *file, char kind, const char *line)
{
	fl_buf_byte(&file->said, kind);
	fl_buf_put(&file->said, line, strlen(line) + 1);
}

static void on_warning(void *arg, const char *line)
{
	say(arg, '!', line);
}

static void on_remark(void *arg, const char *line)
{
	say(arg, '-', line);
}

static int read_file(struct fl_file *file)
{
	struct flame_source *source;
	struct flame_sample sample;
	int status;

	file->source = source = flame_open(file->flame, file->path,
					   file->format);
	if (!source)
		return FLAME_FAILED;
	fl_asked_move(&file->what, source);
	while ((status = flame_next(source, &sample)) == FLAME_OK)
		if (fl_sample_buffer_add(file->flame, &file->kept, &sample) !=
		    FLAME_OK)
			return FLAME_FAILED;
	return status == FLAME_END && !fl_failed(file->flame) &&
	       !file->said.failed ? FLAME_OK : FLAME_FAILED;
}

static void run(struct fl_job *job)
{
	struct fl_file *file = (struct fl_file *)job;

	file->status = read_file(file);
}

/* In the caller's ---------------------------------------------------------- */

static void free_files(struct fl_files *files)
{
	fl_thread_pool_free(files->team);
	for (size_t i = 0; i < files->nplaces; i++) {
		struct fl_file *file = &files->files[i];

		flame_close(file->source);
		fl_asked_free(&file->what);
		flame_free(file->flame);
		fl_absorbed_free(&file->map);
		fl_sample_buffer_free(&file->kept);
		fl_buf_free(&file->said);
	}
	fl_free(files);
}

static bool make_place(struct fl_file *file)
{
	file->flame = flame_new();
	if (!file->flame)
		return false;
	flame_on_warning(file->flame, on_warning, file);
	flame_on_remark(file->flame, on_remark, file);
	return true;
}

static struct fl_files *files_of(struct flame *flame)
{
	struct fl_files *files = flame->files;

	if (files)
		return files;
	files = fl_zeroed(1, sizeof(*files));
	if (!files)
		return NULL;
	files->team = fl_thread_pool_new(flame->threads);
	while (files->team && files->nplaces < MOST &&
	       files->nplaces <= flame->threads &&
	       make_place(&files->files[files->nplaces]))
		files->nplaces++;
	if (!files->nplaces) {
		free_files(files);
		return NULL;
	}
	flame->free_files = free_files;
	return flame->files = files;
}

static bool is_small_file(const char *path)
{
	struct stat st;

	return strcmp(path, "standard input") != 0 && stat(path, &st) == 0 &&
	       S_ISREG(st.st_mode) && st.st_size <= LARGEST;
}

int flame_ahead(struct flame_source *source, struct flame_sink *sink)
{
	struct flame *flame = source->flame;
	struct fl_files *files;
	struct fl_file *file;

	if (flame->threads < 2 || source->started || source->ahead ||
	    !is_small_file(fl_in_name(source->in)) ||
	    !(files = files_of(flame)))
		return FLAME_OK;
	file = &files->files[files->next];
	if (file->asked)
		return FLAME_OK;
	if (fl_begin(source, sink) != FLAME_OK)
		return FLAME_FAILED;
	if (!fl_asked_copy(file->flame, &file->what, source)) {
		fl_asked_free(&file->what);
		fl_dict_reset(file->flame);
		return FLAME_OK;
	}
	files->next = (files->next + 1) % files->nplaces;
	file->asked = source;
	file->path = fl_in_name(source->in);
	file->format = source->format->name;
	file->cpu_only = source->select.cpu_only;
	file->kept.each = source->select.needs & FL_NEED_ORDER;
	file->job.run = run;
	source->ahead = file;
	fl_thread_pool_submit(files->team, &file->job);
	return FLAME_OK;
}

/* The place is free. */
static void clear(struct fl_file *file)
{
	flame_close(file->source);
	file->source = NULL;
	fl_asked_free(&file->what);
	fl_sample_buffer_clear(&file->kept);
	file->said.size = 0;
	fl_dict_reset(file->flame);
	file->asked->ahead = NULL;
	file->asked = NULL;
}

static void say_again(struct flame *flame, const struct fl_buf *said)
{
	size_t i = 0;

	while (i < said->size) {
		const char *line = said->data + i;

		if (*line == '!')
			fl_warn(flame, "%s", line + 1);
		else
			fl_remark(flame, "%s", line + 1);
		i += strlen(line) + 1;
	}
}

static void copy_facts(struct flame_source *to, const struct flame_source *from)
{
	to->damage = flame_source_damage(from);
	to->start = from->start;
	to->end = from->end;
	to->first = from->first;
	to->last = from->last;
	to->started = true;
	for (size_t i = 0; i < from->nfacts; i++)
		fl_fact(to, from->facts[i].key, "%s", from->facts[i].value);
}

bool fl_pump_read_ahead(struct flame_source *source, struct flame_sink *sink,
			int *status)
{
	struct fl_file *file = source->ahead;
	bool good;

	if (!file)
		return false;
	fl_thread_pool_wait(source->flame->files->team, &file->job);
	good = file->status == FLAME_OK &&
	       file->cpu_only == source->select.cpu_only;
	if (good) {
		*status = fl_sample_buffer_forward(file->flame, &file->kept,
						   &file->map, source, sink);
		copy_facts(source, file->source);
		say_again(source->flame, &file->said);
	}
	clear(file);
	return good;
}

void fl_read_ahead_drop(struct flame_source *source)
{
	if (!source->ahead)
		return;
	fl_thread_pool_wait(source->flame->files->team, &source->ahead->job);
	clear(source->ahead);
}
