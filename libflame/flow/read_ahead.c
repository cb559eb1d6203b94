/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fl_pump_read_ahead() forwards the samples of a file that was read in advance,
 * for pump.c: of many small files (flame_ahead), some are read by the thread
 * pool while the samples of those before them are forwarded.  The slots are a
 * ring; each slot has a dictionary of its own, which lasts from file to file,
 * so that a stack is absorbed once.  A slot opens its file again by name and
 * buffers its samples, warnings and remarks.  A file that fails is read once
 * more by the caller when its turn comes, which reports the error.
 */
#include "fl.h"

#include "flow/flow.h"

#include <stdlib.h>
#include <sys/stat.h>

enum {
	MAX_SLOTS = 65,
	MAX_FILE_BYTES = 16 << 20	/* larger files are read in parts */
};

struct fl_file {
	struct fl_read_job job;
	struct flame_source *asked;	/* the caller's source; NULL: free */
	struct fl_buf messages;	/* each: '!' or '-', the text, a NUL */
	const char *path, *format;
	struct fl_asked what;
	bool cpu_only;
};

struct fl_files {
	struct fl_thread_pool *pool;
	size_t nslots, next;
	struct fl_file files[MAX_SLOTS];
};

/* In a thread of the pool -------------------------------------------------- */

static void keep_message(struct fl_file *file, char kind, const char *line)
{
	fl_buf_byte(&file->messages, kind);
	fl_buf_put(&file->messages, line, strlen(line) + 1);
}

static void on_warning(void *arg, const char *line)
{
	keep_message(arg, '!', line);
}

static void on_remark(void *arg, const char *line)
{
	keep_message(arg, '-', line);
}

static void run(struct fl_job *job)
{
	struct fl_file *file = (struct fl_file *)job;
	struct fl_read_job *read = &file->job;

	read->source = flame_open(read->flame, file->path, file->format);
	if (read->source) {
		fl_asked_move(&file->what, read->source);
		read->source->summed = true;
	}
	fl_read_job_run(read);
	if (file->messages.failed)
		read->status = FLAME_FAILED;
}

/* In the caller's thread --------------------------------------------------- */

static void free_files(struct fl_files *files)
{
	fl_thread_pool_free(files->pool);
	for (size_t i = 0; i < files->nslots; i++) {
		struct fl_file *file = &files->files[i];

		fl_read_job_free(&file->job);
		fl_asked_free(&file->what);
		fl_buf_free(&file->messages);
	}
	fl_free(files);
}

static bool init_slot(struct fl_file *file)
{
	if (!fl_read_job_init(&file->job))
		return false;
	flame_on_warning(file->job.flame, on_warning, file);
	flame_on_remark(file->job.flame, on_remark, file);
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
	files->pool = fl_thread_pool_new(flame->threads);
	while (files->pool && files->nslots < MAX_SLOTS &&
	       files->nslots <= flame->threads &&
	       init_slot(&files->files[files->nslots]))
		files->nslots++;
	if (!files->nslots) {
		free_files(files);
		return NULL;
	}
	flame->free_files = free_files;
	return flame->files = files;
}

static bool is_small_file(const struct flame *flame, const char *path)
{
	struct stat st;

	return strcmp(path, fl_input_name(flame)) != 0 &&
	       stat(path, &st) == 0 &&
	       S_ISREG(st.st_mode) && st.st_size <= MAX_FILE_BYTES;
}

int flame_ahead(struct flame_source *source, struct flame_sink *sink)
{
	struct flame *flame;
	struct fl_files *files;
	struct fl_file *file;

	if (!source || !fl_sink_check(sink))
		return FLAME_FAILED;
	flame = source->flame;
	if (flame->threads < 2 || source->started || source->ahead ||
	    source->container || fl_copies(sink) ||
	    !is_small_file(flame, fl_in_name(source->in)) ||
	    !(files = files_of(flame)))
		return FLAME_OK;
	file = &files->files[files->next];
	if (file->asked)
		return FLAME_OK;
	if (fl_begin(source, sink) != FLAME_OK)
		return FLAME_FAILED;
	if (!fl_asked_copy(file->job.flame, &file->what, source)) {
		fl_asked_free(&file->what);
		fl_read_job_clear(&file->job);
		return FLAME_OK;
	}
	/* Its samples are buffered. */
	file->what.select.needs &= ~(unsigned)FL_NEED_RUNS;
	files->next = (files->next + 1) % files->nslots;
	file->asked = source;
	file->path = fl_in_name(source->in);
	file->format = source->format->name;
	file->cpu_only = source->select.cpu_only;
	file->job.ordered = source->select.needs & FL_NEED_ORDER;
	file->job.job.run = run;
	source->ahead = file;
	fl_thread_pool_submit(files->pool, &file->job.job);
	return FLAME_OK;
}

/* Empties a slot for the next file. */
static void clear(struct fl_file *file)
{
	flame_close(file->job.source);
	file->job.source = NULL;
	fl_asked_free(&file->what);
	file->messages.size = 0;
	fl_read_job_clear(&file->job);
	file->asked->ahead = NULL;
	file->asked = NULL;
}

static void repeat_messages(struct flame *flame, const struct fl_buf *messages)
{
	size_t i = 0;

	while (i < messages->size) {
		const char *line = messages->data + i;

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
	to->seen_first = from->seen_first;
	to->seen_last = from->seen_last;
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
	fl_thread_pool_wait(source->flame->files->pool, &file->job.job);
	good = file->job.status == FLAME_OK &&
	       file->cpu_only == source->select.cpu_only &&
	       !fl_overlap_has_any(source->flame, source->flow,
				   file->job.flame);
	if (good) {
		fl_overlap_join(source->flame, source->flow, file->job.flame,
				file->path);
		copy_facts(source, file->job.source);
		*status = fl_read_job_forward(&file->job, source, sink);
		repeat_messages(source->flame, &file->messages);
	}
	clear(file);
	return good;
}

void fl_read_ahead_drop(struct flame_source *source)
{
	if (!source->ahead)
		return;
	fl_thread_pool_wait(source->flame->files->pool,
			    &source->ahead->job.job);
	clear(source->ahead);
}
