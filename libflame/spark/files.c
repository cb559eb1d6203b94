/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds and reads the files of Spark's event logs, for the filters and bills of
 * this room: paths in, the tables of struct fl_spark out (log.c reads one log).
 * fl_spark_read() reads one path; fl_spark_open() a list, which the users of a
 * dictionary share (flame->spark).
 *
 * A log is a file APP[_ATTEMPT][.CODEC], or a folder eventlog_v2_APP with
 * events_1_APP[.CODEC], events_2_APP, ... and an appstatus;
 * events_3_APP.compact stands for the first three.  Databricks has a folder
 * with eventlog-YYYY-MM-DD--HH-MM.gz, and eventlog as the last.  What a codec
 * packs is recognised by its contents.  All of them may be below a folder of a
 * URL, or in a zip, as the History Server sends one.
 */
#include "fl.h"

#include "container/containers.h"
#include "remote/command.h"
#include "spark/spark.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { MAX_DEPTH = 16 };

/* Names ------------------------------------------------------------------ */

/* Files below a folder, those of one folder in the order of reading. */
struct files {
	struct file {
		char *path;
		const char *name;	/* in path */
		struct slice app;	/* of a rolling log; "": in no name */
		int64_t part;		/* of a rolling log + 1; 0: none */
		bool compact, databricks;
	} *data;
	size_t count, capacity;
	struct zip *zip;	/* that holds the files; NULL: none */
	struct folder {
		dev_t dev;
		ino_t ino;
	} *seen;		/* links may lead to a folder again */
	size_t nseen, seen_capacity;
	struct fl_index seen_index;
	bool too_deep;		/* such a folder was reported */
	bool failed;
};

static size_t folder_size(const struct file *file)
{
	return (size_t)(file->name - file->path);
}

static int by_part(const void *a, const void *b)
{
	const struct file *x = a, *y = b;
	size_t n = FL_MIN(folder_size(x), folder_size(y));
	int d = memcmp(x->path, y->path, n);

	if (d || folder_size(x) != folder_size(y))
		return d ? d : folder_size(x) < folder_size(y) ? -1 : 1;
	d = strncmp(x->app.data, y->app.data, FL_MIN(x->app.size, y->app.size));
	if (d || x->app.size != y->app.size)
		return d ? d : x->app.size < y->app.size ? -1 : 1;
	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	if (x->compact != y->compact)
		return x->compact ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* "events_12_app-1.zstd": 13, as EMR begins at 0; 0: another name. */
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
					       &part) && part < INT64_MAX ?
	       part + 1 : 0;
}

/* "events_12_app-1.zstd", "appstatus_app-1.inprogress": "app-1". */
static struct slice app_of(const char *name)
{
	static const char *const heads[] = { "events_", "appstatus_" };

	for (size_t i = 0; i < FL_COUNT(heads); i++) {
		size_t head = strlen(heads[i]);

		if (strncmp(name, heads[i], head) != 0)
			continue;
		name += head;
		if (i == 0)
			name += strspn(name, "0123456789");
		name += *name == '_';
		return (struct slice){ name, strcspn(name, ".") };
	}
	return (struct slice){ name, 0 };
}

/* "eventlog-2026-11-26--10-20.gz": its digits; the last has no date. */
static int64_t part_of_databricks(const char *name)
{
	static const char head[] = "eventlog";
	int64_t part = 0;
	int digits = 0;

	if (strncmp(name, head, sizeof(head) - 1) != 0)
		return 0;
	name += sizeof(head) - 1;
	if (!*name)
		return INT64_MAX;
	if (*name != '-')
		return 0;
	for (; *name == '-' || fl_is_digit(*name); name++)
		if (*name != '-' && digits < 18) {
			part = part * 10 + (*name - '0');
			digits++;
		}
	return digits < 8 ? 0 : part;
}

/* Names that begin with . or _ are not logs. */
static void add_file(struct files *files, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t name = slash ? (size_t)(slash + 1 - path) : 0;
	struct file file = { .path = fl_memory_adopt(strdup(path)) };

	if (path[name] == '.' || path[name] == '_') {
		fl_free(file.path);
		return;
	}
	if (!file.path || !fl_grow(&files->data, &files->capacity,
				   files->count + 1, sizeof(file))) {
		fl_free(file.path);
		files->failed = true;
		return;
	}
	file.name = file.path + name;
	file.app = app_of(file.name);
	file.part = part_of(file.name);
	file.compact = fl_slice_ends((struct slice){ file.name,
						     strlen(file.name) },
				     ".compact");
	if (!file.part) {
		file.part = part_of_databricks(file.name);
		file.databricks = file.part;
	}
	files->data[files->count++] = file;
}

static void free_files(struct files *files)
{
	while (files->count)
		fl_free(files->data[--files->count].path);
	fl_free(files->data);
	fl_free(files->seen);
	fl_index_free(&files->seen_index);
}

/* false: it was listed already, or out of memory. */
static bool enter_folder(struct files *files, const struct stat *st)
{
	uint64_t h = fl_hash_pair(st->st_dev, st->st_ino);
	uint32_t i = fl_index_first(&files->seen_index, h), id;

	while ((id = fl_index_next(&files->seen_index, h, &i)))
		if (files->seen[id - 1].dev == st->st_dev &&
		    files->seen[id - 1].ino == st->st_ino)
			return false;
	if (!fl_grow(&files->seen, &files->seen_capacity, files->nseen + 1,
		     sizeof(*files->seen)) ||
	    !fl_index_add(&files->seen_index, h, (uint32_t)files->nseen + 1)) {
		files->failed = true;
		return false;
	}
	files->seen[files->nseen++] = (struct folder){ st->st_dev, st->st_ino };
	return true;
}

static void warn_of_depth(struct flame *flame, const char *folder,
			  struct files *files)
{
	if (!files->too_deep)
		fl_warn(flame, "%s: not read, as it is more than %d folders "
			"below the one that is named", folder, MAX_DEPTH);
	files->too_deep = true;
}

static int list_folder(struct flame *flame, const char *folder, unsigned depth,
		       struct files *files)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	struct fl_buf path = { 0 };
	struct stat st;
	int status = FLAME_OK;

	if (!dir)
		return fl_fail(flame, "%s: %s", folder, strerror(errno));
	while (status == FLAME_OK && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || entry->d_name[0] == '_')
			continue;
		path.size = 0;
		fl_buf_print(&path, "%s/%s", folder, entry->d_name);
		if (path.failed)
			files->failed = true;
		else if (stat(path.data, &st) != 0 || !S_ISDIR(st.st_mode))
			add_file(files, path.data);
		else if (depth == MAX_DEPTH)
			warn_of_depth(flame, path.data, files);
		else if (enter_folder(files, &st))
			status = list_folder(flame, path.data, depth + 1,
					     files);
	}
	closedir(dir);
	fl_buf_free(&path);
	return status;
}

static bool is_status(const struct file *file)
{
	return strncmp(file->name, "appstatus_", strlen("appstatus_")) == 0;
}

static bool is_in_progress(const char *path)
{
	return fl_slice_ends((struct slice){ path, strlen(path) },
			     ".inprogress");
}

/* Zips ------------------------------------------------------------------- */

/*
 * A zip, whose members are read in the order of their parts: the History Server
 * writes them by name, events_10_APP before events_1_APP.
 */
struct zip {
	struct flame *flame;
	const char *path;
	struct fl_in *in;
	void *state;		/* NULL: it is closed */
};

/* Owns in, a zip; NULL: that did not open. */
static bool open_zip(struct zip *zip, struct fl_in *in)
{
	zip->in = in;
	zip->state = in ? fl_container_zip.open(in, fl_in_name(in)) : NULL;
	if (in && !zip->state)
		fl_no_memory(zip->flame);
	return zip->state;
}

static void close_zip(struct zip *zip)
{
	if (zip->state)
		fl_container_zip.close(zip->state);
	fl_in_close(zip->in);
	zip->state = NULL;
	zip->in = NULL;
}

static bool reopen_zip(struct zip *zip)
{
	struct fl_in *in;

	close_zip(zip);
	in = fl_in_open(zip->flame, zip->path);
	if (!in || fl_container_zip.accept(in))
		return open_zip(zip, in);
	fl_in_close(in);
	fl_fail(zip->flame, "%s: a pipe ends before the parts of the log are in "
		"their order: name a file", zip->path);
	return false;
}

/* NULL: it is not there, or failure. */
static struct fl_in *find_member(struct zip *zip, const char *path)
{
	struct fl_in *in;

	while ((in = fl_container_zip.next(zip->state))) {
		if (strcmp(fl_container_zip.path(zip->state), path) == 0)
			break;
		fl_in_close(in);
	}
	return in;
}

/* After the member that was opened last, else from the zip's start. */
static struct fl_in *open_member(struct zip *zip, const char *path)
{
	struct fl_in *in = find_member(zip, path);

	if (in || fl_failed(zip->flame) || !reopen_zip(zip))
		return in;
	in = find_member(zip, path);
	if (!in && !fl_failed(zip->flame))
		fl_fail(zip->flame, "%s: vanished from the zip", path);
	return in;
}

/* Logs ------------------------------------------------------------------- */

static struct fl_in *open_file(struct flame *flame, const struct files *files,
			       const struct file *file)
{
	return files->zip ? open_member(files->zip, file->path) :
			    fl_in_open(flame, file->path);
}

/* Owns in; NULL is allowed. */
static int read_log(struct flame *flame, struct fl_spark *spark,
		    struct fl_in *in, bool in_progress)
{
	struct fl_spark_log *log = fl_spark_log_new(flame, spark);
	int status = FLAME_FAILED;

	if (log)
		status = fl_spark_log_read(log, in, in_progress);
	else
		fl_in_close(in);
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

/* Parts of the same number, packed and not, are read once. */
static void skip_repeated_parts(struct flame *flame, struct files *files)
{
	struct file *last = NULL;

	for (size_t i = 0; i < files->count; i++) {
		struct file *file = &files->data[i];

		if (!file->part || file->databricks || file->compact)
			continue;
		if (last && last->part == file->part) {
			fl_warn(flame, "%s: the same part of the log as %s: "
				"not read", file->path, last->name);
			file->part = 0;
		} else {
			last = file;
		}
	}
}

static void warn_of_gaps(struct flame *flame, const struct files *files,
			 size_t first)
{
	const struct file *file = &files->data[first];
	int folder = (int)FL_MAX(folder_size(file), (size_t)1) - 1;
	int64_t last = file->compact ? file->part - 2 : 0;
	int64_t missing = 0, first_missing = 0;
	size_t found = 0;

	for (size_t i = first; i < files->count; i++) {
		int64_t part = files->data[i].part - 1;

		if (part < 0 || files->data[i].databricks)
			continue;
		if (part > last + 1 && !missing)
			first_missing = last + 1;
		if (part > last + 1)
			missing = fl_add_clamped(missing, part - last - 1);
		last = part;
		found++;
	}
	if (missing)
		fl_warn(flame, "%.*s: %" PRId64 " of %" PRId64 " parts of the "
			"log are not there, the first is events_%" PRId64
			"_%.*s: their tasks are not known", folder, file->path,
			missing, fl_add_clamped(missing, (int64_t)found),
			first_missing, (int)file->app.size, file->app.data);
}

/* Of one log.  The last part may be cut while it is being written. */
static int read_parts(struct flame *flame, struct fl_spark *spark,
		      struct files *files)
{
	struct fl_spark_log *log = fl_spark_log_new(flame, spark);
	size_t first = first_part(files);
	int status = log ? FLAME_OK : FLAME_FAILED;
	bool in_progress = false;

	for (size_t i = 0; i < files->count; i++)
		in_progress |= (is_status(&files->data[i]) &&
			 is_in_progress(files->data[i].name)) ||
			files->data[i].databricks;
	skip_repeated_parts(flame, files);
	for (size_t i = first; status == FLAME_OK && i < files->count; i++)
		if (files->data[i].part)
			status = fl_spark_log_read(
				log, open_file(flame, files, &files->data[i]),
				in_progress && i + 1 == files->count);
	fl_spark_log_free(log);
	if (status == FLAME_OK)
		warn_of_gaps(flame, files, first);
	return status;
}

static int read_file(struct flame *flame, struct fl_spark *spark,
		     const char *path);

/* Logs in parts, those of each application together. */
static int read_rolling_logs(struct flame *flame, struct fl_spark *spark,
			     const struct files *files)
{
	int status = FLAME_OK;
	size_t end;

	for (size_t i = 0; status == FLAME_OK && i < files->count; i = end) {
		struct files log = { .data = files->data + i,
				     .zip = files->zip };
		struct slice app = files->data[i].app;
		bool has_parts = false;

		for (end = i; end < files->count &&
			      files->data[end].app.size == app.size &&
			      memcmp(files->data[end].app.data, app.data,
				     app.size) == 0; end++)
			has_parts |= files->data[end].part;
		log.count = end - i;
		if (has_parts)
			status = read_parts(flame, spark, &log);
	}
	return status;
}

/* The files of one folder: logs in parts, or a log each. */
static int read_folder(struct flame *flame, struct fl_spark *spark,
		       const struct files *files)
{
	int status = FLAME_OK;
	size_t parts = 0, others = 0;
	const char *other = NULL;

	for (size_t i = 0; i < files->count; i++)
		if (files->data[i].part)
			parts++;
		else if (!is_status(&files->data[i]) && !others++)
			other = files->data[i].path;
	if (parts && others)
		fl_warn(flame, "%s: not read, as parts of a log are beside it "
			"(%zu such files)", other, others);
	if (parts)
		return read_rolling_logs(flame, spark, files);
	for (size_t i = 0; status == FLAME_OK && i < files->count; i++)
		if (!is_status(&files->data[i]))
			status = read_file(flame, spark, files->data[i].path);
	return status;
}

/* "CLUSTER/" of CLUSTER/eventlog/HOST/NUMBER/eventlog; "": not Databricks. */
static struct slice cluster_of(const struct file *file)
{
	const char *at = file->path, *end = at;

	while (file->databricks && (at = strstr(at, "/eventlog/")))
		end = ++at;
	return (struct slice){ file->path, (size_t)(end - file->path) };
}

/* The clusters of files in their order, each once.  false: out of memory. */
static bool find_clusters(const struct files *files, struct slice **clusters,
			  size_t *n)
{
	size_t capacity = 0;

	for (size_t i = 0; i < files->count; i++) {
		struct slice cluster = cluster_of(&files->data[i]);
		const struct slice *last = *n ? &(*clusters)[*n - 1] : NULL;

		if (!cluster.size || (last && cluster.size == last->size &&
				      memcmp(cluster.data, last->data,
					     last->size) == 0))
			continue;
		if (!fl_grow(clusters, &capacity, *n + 1, sizeof(**clusters)))
			return false;
		(*clusters)[(*n)++] = cluster;
	}
	return true;
}

/* Databricks has files of the driver and the executors beside the logs. */
static bool is_of_cluster(const struct slice *clusters, size_t n,
			  const struct file *file)
{
	for (size_t i = 0; i < n; i++)
		if (strncmp(file->path, clusters[i].data,
			    clusters[i].size) == 0)
			return true;
	return false;
}

static int read_folders(struct flame *flame, struct fl_spark *spark,
			struct files *files)
{
	struct slice *clusters = NULL;
	int status = FLAME_OK;
	size_t nclusters = 0, end;

	if (files->count)
		qsort(files->data, files->count, sizeof(*files->data),
		      by_part);
	if (files->failed || !find_clusters(files, &clusters, &nclusters))
		status = fl_no_memory(flame);
	for (size_t i = 0; status == FLAME_OK && i < files->count; i = end) {
		const struct file *file = &files->data[i];
		size_t n = folder_size(file);
		struct files part = { .data = files->data + i,
				      .zip = files->zip };
		bool has_parts = false;

		for (end = i; end < files->count &&
			      folder_size(&files->data[end]) == n &&
			      memcmp(files->data[end].path, file->path, n) == 0;
		     end++) {
			has_parts |= files->data[end].part;
			part.count++;
		}
		if (has_parts || !is_of_cluster(clusters, nclusters, file))
			status = read_folder(flame, spark, &part);
	}
	fl_free(clusters);
	return status;
}

/* Reads single logs at once, so that a zip without parts is read but once. */
static int list_zip(struct flame *flame, struct fl_spark *spark,
		    struct zip *zip, struct files *files)
{
	const struct fl_container *rows = &fl_container_zip;
	int status = FLAME_OK;
	struct fl_in *in;
	const char *damage;

	while (status == FLAME_OK && (in = rows->next(zip->state))) {
		size_t count = files->count;
		struct file *file;

		add_file(files, rows->path(zip->state));
		file = files->count > count ? &files->data[count] : NULL;
		if (!file || file->part || is_status(file)) {
			fl_in_close(in);
			continue;
		}
		status = read_log(flame, spark, in, is_in_progress(file->name));
		fl_free(file->path);
		files->count--;
	}
	damage = rows->damage(zip->state);
	if (status == FLAME_OK && damage)
		fl_warn(flame, "%s: %s", fl_in_name(zip->in), damage);
	return fl_failed(flame) ? FLAME_FAILED : status;
}

/* Owns in. */
static int read_zip(struct flame *flame, struct fl_spark *spark,
		    const char *path, struct fl_in *in)
{
	struct zip zip = { .flame = flame, .path = path };
	struct files files = { .zip = &zip };
	int status = FLAME_FAILED;

	if (open_zip(&zip, in))
		status = list_zip(flame, spark, &zip, &files);
	if (status == FLAME_OK)
		status = read_folders(flame, spark, &files);
	free_files(&files);
	close_zip(&zip);
	return status;
}

static int read_file(struct flame *flame, struct fl_spark *spark,
		     const char *path)
{
	struct fl_in *in = fl_in_open(flame, path);

	if (!in)
		return FLAME_FAILED;
	return fl_container_zip.accept(in) ?
	       read_zip(flame, spark, path, in) :
	       read_log(flame, spark, in, is_in_progress(path));
}

static int read_files(struct flame *flame, struct fl_spark *spark,
		      const char *path, struct files *files)
{
	bool any = files->failed;

	for (size_t i = 0; i < files->count; i++)
		any |= !is_status(&files->data[i]);
	return any ? read_folders(flame, spark, files) :
	       fl_fail(flame, "%s: no Spark event log in this folder", path);
}

static void add_found(void *arg, const char *path, uint64_t size,
		      int64_t mtime)
{
	(void)size;
	(void)mtime;
	add_file(arg, path);
}

/*
 * A file of a web server; of "http://HOST:18080/api/v1/applications/
 * APP[/ATTEMPT]", a History Server's, the logs in a zip.
 */
static int read_http(struct flame *flame, struct fl_spark *spark,
		     const char *path)
{
	const char *at = strstr(path, "/api/v1/applications/");
	struct fl_buf url = { 0 };
	size_t n = strlen(path);
	int status;

	while (n && path[n - 1] == '/')
		n--;
	fl_buf_put(&url, path, n);
	if (at && !strchr(path, '?') &&
	    !fl_slice_ends(fl_buf_slice(&url), "/logs"))
		fl_buf_text(&url, "/logs");
	status = url.failed ? fl_no_memory(flame) :
			      read_file(flame, spark, at ? url.data : path);
	fl_buf_free(&url);
	return status;
}

int fl_spark_read(struct flame *flame, struct fl_spark *spark,
		  const char *path)
{
	struct files files = { 0 };
	struct stat st;
	int status;

	if (fl_command_fetches(path))
		return read_file(flame, spark, path);
	path = flame_local_path(path);
	switch (flame_url(path)) {
	case FLAME_URL:
		return read_http(flame, spark, path);
	case FLAME_URL_TREE:
		status = flame_list(flame, path, add_found, &files) == FLAME_OK ?
			 FLAME_OK : FLAME_FAILED;
		break;
	default:
		if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
			return read_file(flame, spark, path);
		status = enter_folder(&files, &st) ?
			 list_folder(flame, path, 0, &files) :
			 fl_no_memory(flame);
	}
	if (status == FLAME_OK && files.count == 1 &&
	    strcmp(files.data[0].path, path) == 0)
		status = read_file(flame, spark, path);
	else if (status == FLAME_OK)
		status = read_files(flame, spark, path, &files);
	free_files(&files);
	return status;
}

/* Lists ------------------------------------------------------------------- */

static bool read_list(struct flame *flame, struct fl_spark *spark)
{
	char *text = fl_memory_adopt(strdup(spark->list)), *rest = text, *path;
	int status = text ? FLAME_OK : fl_no_memory(flame);

	while (status == FLAME_OK && (path = strsep(&rest, "\n")))
		if (*path || !*spark->list)
			status = fl_spark_read(flame, spark, path);
	fl_free(text);
	return status == FLAME_OK &&
	       fl_spark_finish(flame, spark) == FLAME_OK;
}

struct fl_spark *fl_spark_open(struct flame *flame, const char *list)
{
	struct fl_spark *spark = flame->spark;

	if (spark && strcmp(spark->list, list) == 0) {
		spark->users++;
		return spark;
	}
	spark = fl_zeroed(1, sizeof(*spark));
	if (!spark) {
		fl_no_memory(flame);
		return NULL;
	}
	spark->users = 1;
	spark->list = fl_memory_adopt(strdup(list));
	if (!spark->list)
		fl_no_memory(flame);
	if (spark->list && read_list(flame, spark)) {
		flame->spark = spark;
		return spark;
	}
	fl_spark_close(flame, spark);
	return NULL;
}

void fl_spark_close(struct flame *flame, struct fl_spark *spark)
{
	if (!spark || --spark->users)
		return;
	if (flame->spark == spark)
		flame->spark = NULL;
	fl_spark_free(spark);
	fl_free(spark->list);
	fl_free(spark);
}

int flame_spark_executors(struct flame *flame, const char *logs,
			  void (*found)(void *arg, const char *app,
					const char *executor, uint64_t tasks,
					int64_t time),
			  void *arg)
{
	struct fl_spark *spark = fl_spark_open(flame, logs);

	for (size_t i = 0; spark && i < spark->nexecutors; i++) {
		const struct fl_spark_executor *e = &spark->executors[i];
		int64_t time = 0;

		for (size_t k = 0; k < e->ntasks; k++)
			time = fl_add_clamped(time, FL_MAX(e->tasks[k].finish -
						e->tasks[k].start, 0));
		found(arg, spark->apps[e->app].id, e->id, e->ntasks, time);
	}
	if (!spark)
		return FLAME_FAILED;
	fl_spark_close(flame, spark);
	return FLAME_OK;
}

int flame_spark_apps(struct flame *flame, const char *logs,
		     void (*found)(void *arg, const char *app,
				   const char *name, int64_t started),
		     void *arg)
{
	struct fl_spark *spark = fl_spark_open(flame, logs);

	for (size_t i = 0; spark && i < spark->napps; i++)
		found(arg, spark->apps[i].id, spark->apps[i].name,
		      spark->apps[i].started);
	if (!spark)
		return FLAME_FAILED;
	fl_spark_close(flame, spark);
	return FLAME_OK;
}
