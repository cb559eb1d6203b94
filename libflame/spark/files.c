/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of Spark's event logs.  A log is a file APP[_ATTEMPT][.CODEC], or
 * a folder eventlog_v2_APP with events_1_APP[.CODEC], events_2_APP, ... and an
 * appstatus; events_3_APP.compact stands for the first three.  What a codec
 * packs is recognised by its contents.
 */
#include "fl.h"

#include "spark/spark.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Names ------------------------------------------------------------------ */

/* Paths in a folder, in the order of reading. */
struct files {
	struct file {
		char *path;
		const char *name;	/* in path */
		int64_t part;		/* of a rolling log; 0: none */
		bool compact;
	} *data;
	size_t count, capacity;
};

static int by_part(const void *a, const void *b)
{
	const struct file *x = a, *y = b;

	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	if (x->compact != y->compact)
		return x->compact ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* "events_12_app-1.zstd": 12; 0: another name. */
static int64_t part_of(const char *name)
{
	static const char head[] = "events_";
	const char *at = name + sizeof(head) - 1;
	size_t n = 0;
	int64_t part;

	if (strncmp(name, head, sizeof(head) - 1) != 0)
		return 0;
	while (fl_is_digit(at[n]))
		n++;
	return at[n] == '_' && fl_parse_digits((struct slice){ at, n },
					       &part) ? part : 0;
}

static bool add_file(struct files *files, const char *folder, const char *name)
{
	struct fl_buf path = { 0 };
	struct file *file;

	fl_buf_print(&path, "%s/%s", folder, name);
	if (path.failed || !fl_grow(&files->data, &files->capacity,
				    files->count + 1, sizeof(*files->data))) {
		fl_buf_free(&path);
		return false;
	}
	file = &files->data[files->count++];
	*file = (struct file){
		.path = path.data, .part = part_of(name),
		.name = path.data + path.size - strlen(name),
		.compact = fl_slice_ends((struct slice){ name, strlen(name) },
					 ".compact"),
	};
	return true;
}

static void free_files(struct files *files)
{
	while (files->count)
		fl_free(files->data[--files->count].path);
	fl_free(files->data);
}

static int list(struct flame *flame, const char *folder, struct files *files)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	bool good = true;

	if (!dir)
		return fl_fail(flame, "%s: %s", folder, strerror(errno));
	while (good && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' && entry->d_name[0] != '_')
			good = add_file(files, folder, entry->d_name);
	closedir(dir);
	if (!good)
		return fl_no_memory(flame);
	if (files->count)
		qsort(files->data, files->count, sizeof(*files->data),
		      by_part);
	return FLAME_OK;
}

static bool is_status(const struct file *file)
{
	return strncmp(file->name, "appstatus_", strlen("appstatus_")) == 0;
}

static bool is_live(const char *path)
{
	return fl_slice_ends((struct slice){ path, strlen(path) },
			     ".inprogress");
}

/* Logs ------------------------------------------------------------------- */

static int read_file(struct flame *flame, struct fl_spark *spark,
		     const char *path)
{
	struct fl_spark_log *log = fl_spark_log_new(flame, spark);
	int status = log ? fl_spark_log_read(log, fl_in_open(flame, path),
					     is_live(path)) :
			   FLAME_FAILED;

	fl_spark_log_free(log);
	return status;
}

/* The first part to read; a compact part replaces all before it. */
static size_t first_part(const struct files *files)
{
	size_t first = 0;

	for (size_t i = 0; i < files->count; i++)
		if (files->data[i].compact)
			first = i;
	return first;
}

static void warn_of_gaps(struct flame *flame, const char *folder,
			 const struct files *files, size_t first)
{
	int64_t last = files->data[first].compact ?
		       files->data[first].part - 1 : 0;

	for (size_t i = first; i < files->count; i++) {
		int64_t part = files->data[i].part;

		if (!part)
			continue;
		if (part > last + 1) {
			fl_warn(flame, "%s: no part %" PRId64 " of the log "
				"(events_%" PRId64 "_*): its tasks are not "
				"known", folder, last + 1, last + 1);
			return;
		}
		last = part;
	}
}

/* The last part may be cut while the log is being written. */
static int read_parts(struct flame *flame, struct fl_spark *spark,
		      const char *folder, const struct files *files)
{
	struct fl_spark_log *log = fl_spark_log_new(flame, spark);
	size_t first = first_part(files);
	int status = log ? FLAME_OK : FLAME_FAILED;
	bool live = false;

	for (size_t i = 0; i < files->count; i++)
		live |= is_status(&files->data[i]) &&
			is_live(files->data[i].name);
	for (size_t i = first; status == FLAME_OK && i < files->count; i++)
		if (files->data[i].part)
			status = fl_spark_log_read(
				log, fl_in_open(flame, files->data[i].path),
				live && i + 1 == files->count);
	fl_spark_log_free(log);
	if (status == FLAME_OK)
		warn_of_gaps(flame, folder, files, first);
	return status;
}

static int read_folder(struct flame *flame, struct fl_spark *spark,
		       const char *folder, bool nested)
{
	struct files files = { 0 };
	int status = list(flame, folder, &files);
	bool rolling = false, any = false;

	for (size_t i = 0; i < files.count; i++)
		rolling |= files.data[i].part > 0;
	if (status == FLAME_OK && rolling) {
		status = read_parts(flame, spark, folder, &files);
		any = true;
	}
	for (size_t i = 0; !rolling && i < files.count; i++) {
		const struct file *file = &files.data[i];

		if (status != FLAME_OK || is_status(file))
			continue;
		if (!is_folder(file->path))
			status = read_file(flame, spark, file->path);
		else if (!nested)
			status = read_folder(flame, spark, file->path, true);
		any = true;
	}
	if (status == FLAME_OK && !any && !nested)
		status = fl_fail(flame, "%s: no event log of Spark in this "
				 "folder", folder);
	free_files(&files);
	return status;
}

int fl_spark_read(struct flame *flame, struct fl_spark *spark,
		  const char *path)
{
	return is_folder(path) ? read_folder(flame, spark, path, false) :
				 read_file(flame, spark, path);
}
