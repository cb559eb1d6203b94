/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame-batch --archive: batch_archive() adds a file of Parquet for each run of
 * a job to DIR/app-name=X/date=D/, from profiles and event logs; with --compact
 * it merges the files of each date, or month.  A file is written under a hidden
 * name and renamed.  Compaction builds a folder beside that of an application,
 * with links to the files that stay, and exchanges the two.  It locks the
 * archive alone, while additions share the lock.  Called by flame-batch.c.
 */
#include "batch/batch.h"
#include "batch/walk.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Beside that file: the names of the runs in it, a line each. */
#define RUNS ".runs"
/* The beginning of a folder's name, and with a month: "date=2026-11". */
#define DATE "date="
enum { MONTH = sizeof(DATE) - 1 + 7 };
#define UNKNOWN "unknown"

enum { MAX_PART = 200 };	/* bytes; NAME_MAX is 255 */

struct app {
	char *id, *name;
	int64_t started;	/* ns since 1970; 0: not known */
};

struct archive {
	struct cli *cli;
	struct batch *batch;
	const char *folder;
	const char *store;	/* a URL, for which folder is a local one */
	int lock;
	bool by_month;		/* compaction merges the dates of a month */
	struct app *apps;
	size_t napps, capacity;
	bool failed;
};

/* Names --------------------------------------------------------------- */

static uint32_t hash_of(const char *text)
{
	uint32_t hash = 2166136261u;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 16777619u;
	return hash;
}

/*
 * A name as a part of a path, as Hive has it: other bytes than these become
 * %XX, which Spark, DuckDB and others decode.  A long one ends in a hash.  To
 * be freed; NULL: out of memory.
 */
static char *part_of(const char *name)
{
	char *part = malloc(3 * strlen(name) + sizeof(UNKNOWN) + 16), *to = part;

	if (!part)
		return NULL;
	if (!*name)
		return strcpy(part, UNKNOWN);
	for (const char *c = name; *c; c++)
		if (isalnum((unsigned char)*c) || strchr("_@+-", *c) ||
		    (*c == '.' && c != name))
			*to++ = *c;
		else
			to += sprintf(to, "%%%02X", (unsigned char)*c);
	*to = '\0';
	if (to - part > MAX_PART) {
		to = part + MAX_PART;
		/* Not within a %XX. */
		to -= to[-1] == '%' ? 1 : to[-2] == '%' ? 2 : 0;
		sprintf(to, "%%7E%08x", (unsigned)hash_of(name));
	}
	return part;
}

static void date_of(time_t seconds, char date[16])
{
	struct tm day;

	if (!gmtime_r(&seconds, &day) || !strftime(date, 16, "%Y-%m-%d", &day))
		strcpy(date, UNKNOWN);
}

static void add_app(void *arg, const char *id, const char *name,
		    int64_t started)
{
	struct archive *a = arg;
	struct app app = { strdup(id), strdup(name ? name : ""), started };

	a->failed = a->failed || !app.id || !app.name ||
		    !cli_grow(a->cli, &a->apps, &a->capacity, a->napps + 1,
			      sizeof(app));
	if (a->failed) {
		free(app.id);
		free(app.name);
		return;
	}
	a->apps[a->napps++] = app;
}

static bool find_apps(struct archive *a, struct flame *flame)
{
	const struct cli_pair *logs = cli_find(&a->cli->filters,
					       "spark-events");

	if (!logs)
		return true;
	return flame_spark_apps(flame, logs->value, add_app, a) == FLAME_OK &&
	       !a->failed;
}

static const struct app *app_of(const struct archive *a, const char *id)
{
	for (size_t i = 0; i < a->napps; i++)
		if (strcmp(a->apps[i].id, id) == 0)
			return &a->apps[i];
	return NULL;
}

/* "runs/nightly-7.jfr.gz": nightly-7; to be freed. */
static char *stem_of(const char *path)
{
	const char *slash = strrchr(path, '/'), *end;
	const char *name = slash ? slash + 1 : path;
	static const char *const endings[] = {
		".gz", ".zst", ".xz", ".lz4", ".bz2", ".jfr", ".folded",
		".collapsed", ".parquet", ".pb", ".json", ".txt", ".data",
	};
	size_t n = strlen(name);

	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
		end = endings[i];
		if (n > strlen(end) && strncmp(name + n - strlen(end), end,
					       strlen(end)) == 0)
			n -= strlen(end);
	}
	return strndup(name, n);
}

/* Inputs whose paths name no application: that of the log, or a run each. */
static bool name_runs(struct archive *a)
{
	struct batch *batch = a->batch;

	for (size_t i = 0; i < batch->ninputs; i++) {
		struct batch_input *input = &batch->inputs[i];

		if (*input->values[0])
			continue;
		free(input->values[0]);
		input->values[0] = a->napps == 1 ? strdup(a->apps[0].id) :
						   stem_of(input->path);
		if (!input->values[0])
			return cli_no_memory(a->cli);
	}
	return true;
}

/* Files ---------------------------------------------------------------- */

static bool say_failed(const struct archive *a, const char *path)
{
	cli_say(a->cli, "%s: %s", path, strerror(errno));
	return false;
}

/* A file that was renamed, but not synced, may be lost when the power fails. */
static bool sync_path(const struct archive *a, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool good = fd >= 0 && (fsync(fd) == 0 || errno == EINVAL);

	if (!good)
		say_failed(a, path);
	if (fd >= 0)
		close(fd);
	return good;
}

char *batch_join(const char *folder, const char *format, const char *name)
{
	char *file = NULL, *path = NULL;

	if (asprintf(&file, format, name) < 0)
		return NULL;
	if (asprintf(&path, "%s/%s", folder, file) < 0)
		path = NULL;
	free(file);
	return path;
}

static bool make_folders(const struct archive *a, const char *folder)
{
	char *path = strdup(folder), *slash = path;

	while (path && (slash = strchr(slash + 1, '/'))) {
		*slash = '\0';
		mkdir(path, 0777);
		*slash = '/';
	}
	free(path);
	return (path && mkdir(folder, 0777) == 0) || errno == EEXIST ||
	       say_failed(a, folder);
}

static bool take_lock(struct archive *a, int how)
{
	char *path = batch_join(a->folder, "%s", ".lock");

	if (a->lock < 0 && path)
		a->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (a->lock < 0 || flock(a->lock, how) != 0)
		say_failed(a, path ? path : a->folder);
	else
		how = 0;
	free(path);
	return !how;
}

static void on_warning(void *arg, const char *line)
{
	const struct cli *cli = arg;

	if (!cli->quiet)
		cli_say(cli, "%s", line);
}

static struct flame *new_flame(struct cli *cli)
{
	struct flame *flame = flame_new();

	if (!flame) {
		cli_no_memory(cli);
		return NULL;
	}
	flame_process_limit(flame, cli->memory);
	flame_unify_java(flame, !cli->raw_names);
	flame_demangle(flame, !cli->mangled);
	flame_threads(flame, cli->threads);
	flame_on_warning(flame, on_warning, cli);
	return flame;
}

/* The samples of one file of the archive. */
struct content {
	char **inputs;
	size_t n;
	const char *app, *day;	/* of samples that have none; or NULL */
	const char *label;	/* selects, of files of the archive; or NULL */
	bool stored;		/* they are: no filter applies */
	bool costs;		/* as --event cost has them, besides */
	bool may_be_empty;
};

enum written { WRITTEN, NOTHING, FAILED };

static struct flame_sink *make_chain(struct archive *a, struct flame *flame,
				     const struct content *c, const char *path)
{
	struct flame_sink *sink = cli_make_writer(a->cli, flame, path);

	if (sink && c->costs && flame_set(sink, "events", "all") != FLAME_OK) {
		flame_abandon(sink);
		return NULL;
	}
	/* These are in the names of folders. */
	sink = flame_label_sink(sink, "app-name", NULL);
	sink = flame_label_sink(sink, "date", NULL);
	if (c->app)
		sink = flame_label_sink(sink, "app", c->app);
	if (c->day)
		sink = flame_label_sink(sink, "day", c->day);
	if (c->label)
		sink = flame_filter(sink, "label", c->label);
	return c->stored ? sink : cli_chain(a->cli, sink, a->cli->event);
}

/* Into a hidden file; the end of its data is on the disk. */
static enum written write_file(struct archive *a, const struct content *c,
			       const char *path)
{
	struct flame *flame = new_flame(a->cli);
	struct cli_reading tally = { 0 };
	enum written done = FAILED;
	bool nothing;

	if (!flame)
		return FAILED;
	flame_refuse_empty(flame, true);
	a->cli->output_format = "parquet";
	if (cli_merge(a->cli, flame, make_chain(a, flame, c, path), c->inputs,
		      c->n, &tally) && sync_path(a, path))
		done = WRITTEN;
	nothing = done == FAILED && flame_refused_empty(flame);
	if (nothing && c->may_be_empty)
		done = NOTHING;
	else if (nothing)
		cli_say(a->cli, "%s: no samples: no file was written",
			c->app ? c->app : path);
	else if (done == FAILED && flame_error(flame)[0])
		cli_say(a->cli, "%s", flame_error(flame));
	if (!cli_passes_losses(a->cli))
		a->failed = a->failed || tally.failed || tally.lost;
	flame_free(flame);
	return done;
}

/* With an event log a run has its samples and its costs. */
static enum written write_run(struct archive *a, struct content *c,
			      const char *path)
{
	struct cli_pair *logs = cli_find(&a->cli->filters, "spark-events");
	enum written done;

	if (!logs || a->cli->event)
		return write_file(a, c, path);
	/* It forwards the samples, too, of events that the writer lists. */
	logs->name = "spark-cost";
	c->costs = true;
	done = write_file(a, c, path);
	logs->name = "spark-events";
	return done;
}

/* Partitions ------------------------------------------------------------ */

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

struct names {
	struct dirent **at;
	int n;
};

static bool list(const struct archive *a, const char *folder,
		 struct names *names)
{
	names->n = scandir(folder, &names->at, is_visible, alphasort);
	return names->n >= 0 || say_failed(a, folder);
}

static void free_names(struct names *names)
{
	while (names->n > 0)
		free(names->at[--names->n]);
	free(names->at);
}

/* Removes a folder of files, or of folders of files. */
static void remove_folder(const char *folder)
{
	DIR *open = opendir(folder);
	const struct dirent *entry;

	while (open && (entry = readdir(open))) {
		char *path;

		if (strcmp(entry->d_name, ".") == 0 ||
		    strcmp(entry->d_name, "..") == 0 ||
		    unlinkat(dirfd(open), entry->d_name, 0) == 0)
			continue;
		path = batch_join(folder, "%s", entry->d_name);
		if (path)
			remove_folder(path);
		free(path);
	}
	if (open)
		closedir(open);
	rmdir(folder);
}

/* ".app-name=X~PID" beside app-name=X; to be freed. */
static char *folder_beside(const char *folder)
{
	const char *slash = strrchr(folder, '/');
	char *path;

	return asprintf(&path, "%.*s/.%s~%ld", (int)(slash - folder), folder,
			slash + 1, (long)getpid()) < 0 ? NULL : path;
}

/* "app=/^(?!NAME$)/": all runs but one; to be freed. */
static char *all_but(const char *app)
{
	static const char begin[] = "app=/^(?!", end[] = "$)/";
	char *label = malloc(2 * strlen(app) + sizeof(begin) + sizeof(end));
	char *to = label;

	if (!label)
		return NULL;
	to = stpcpy(to, begin);
	for (; *app; app++) {
		if ((unsigned char)*app < 0x80 && !isalnum((unsigned char)*app))
			*to++ = '\\';
		*to++ = *app;
	}
	strcpy(to, end);
	return label;
}

/* Files of an application, and the folders where they are to be. */
struct files {
	struct archive_file {
		char *path, *name, *to;
	} *at;
	size_t n, capacity;
};

static void free_files(struct files *files)
{
	while (files->n) {
		const struct archive_file *file = &files->at[--files->n];

		free(file->path);
		free(file->name);
		free(file->to);
	}
	free(files->at);
}

static bool is_day(const char *date)
{
	const char *form = DATE "0000-00-00";

	for (; *form && *date; form++, date++)
		if (*form == '0' ? !isdigit((unsigned char)*date) :
				   *form != *date)
			return false;
	return *form == *date;
}

static bool add_files(struct archive *a, const char *folder, const char *date,
		      struct files *files)
{
	char *path = batch_join(folder, "%s", date);
	struct names names = { 0 };
	bool good = path && list(a, path, &names);

	for (int i = 0; good && i < names.n; i++) {
		struct archive_file file = {
			batch_join(path, "%s", names.at[i]->d_name),
			strdup(names.at[i]->d_name),
			a->by_month && is_day(date) ? strndup(date, MONTH) :
						      strdup(date),
		};

		good = file.path && file.name && file.to &&
		       cli_grow(a->cli, &files->at, &files->capacity,
				files->n + 1, sizeof(file));
		if (good)
			files->at[files->n++] = file;
	}
	free_names(&names);
	free(path);
	return good;
}

/* By folder and name: those of a month lie together. */
static bool list_files(struct archive *a, const char *folder,
		       struct files *files)
{
	struct names dates = { 0 };
	bool good = list(a, folder, &dates);

	*files = (struct files){ 0 };
	for (int i = 0; good && i < dates.n; i++)
		if (strncmp(dates.at[i]->d_name, DATE, strlen(DATE)) == 0)
			good = add_files(a, folder, dates.at[i]->d_name, files);
	free_names(&dates);
	return good;
}

static size_t end_of_folder(const struct files *files, size_t from)
{
	size_t i = from;

	while (i < files->n && strcmp(files->at[i].to, files->at[from].to) == 0)
		i++;
	return i;
}

/* Runs of merged files ---------------------------------------------------- */

static char *runs_beside(const char *path)
{
	char *runs = malloc(strlen(path) + sizeof(RUNS));

	if (runs)
		strcpy(stpcpy(runs, path) - strlen(BATCH_MERGED), RUNS);
	return runs;
}

/* The names of runs in a merged file; NULL: they are not known. */
static FILE *open_runs(const char *path)
{
	char *runs = runs_beside(path);
	FILE *open = runs ? fopen(runs, "re") : NULL;

	free(runs);
	return open;
}

static bool is_merged(const struct archive_file *file)
{
	return strcmp(file->name, BATCH_MERGED) == 0;
}

/* Whether a file has a run, or may have it; run: its name in paths. */
static bool has_run(const struct archive_file *file, const char *run)
{
	size_t size = strlen(run), capacity = 0;
	char *line = NULL;
	bool found = false;
	FILE *runs;

	if (!is_merged(file))
		return strncmp(file->name, run, size) == 0 &&
		       strcmp(file->name + size, ".parquet") == 0;
	runs = open_runs(file->path);
	while (runs && !found && getline(&line, &capacity, runs) > 0)
		found = strncmp(line, run, size) == 0 && line[size] == '\n';
	found |= !runs || ferror(runs);
	if (runs)
		fclose(runs);
	free(line);
	return found;
}

/* Copies the names of a file's runs but one. */
static bool copy_runs(FILE *to, const struct archive_file *file,
		      const char *but)
{
	size_t size = but ? strlen(but) : 0, capacity = 0;
	char *line = NULL;
	FILE *runs;
	bool good;

	if (!is_merged(file))
		return fprintf(to, "%.*s\n", (int)(strlen(file->name) -
			       strlen(".parquet")), file->name) > 0;
	runs = open_runs(file->path);
	while (runs && getline(&line, &capacity, runs) > 0)
		if (!but || strncmp(line, but, size) != 0 ||
		    line[size] != '\n')
			fputs(line, to);
	good = runs && !ferror(runs);
	if (runs)
		fclose(runs);
	free(line);
	return good;
}

/* Without a file of their names, a merged file may have any run. */
static bool write_runs(const struct archive *a, const struct files *files,
		       size_t from, size_t to, const char *but,
		       const char *path)
{
	char *runs = runs_beside(path);
	FILE *out = runs ? fopen(runs, "we") : NULL;
	bool known = true, good = out;

	for (size_t i = from; good && known && i < to; i++)
		if (!but || is_merged(&files->at[i]) ||
		    !has_run(&files->at[i], but))
			known = copy_runs(out, &files->at[i], but);
	if (out)
		good = fclose(out) == 0;
	if (!good)
		say_failed(a, path);
	else if (!known)
		unlink(runs);
	free(runs);
	return good;
}

/* Rebuilding -------------------------------------------------------------- */

/* The run that is added to an application whose merged files have it. */
struct added {
	const char *app, *part;		/* its id, and as a part of paths */
	const char *hidden, *date;	/* its file, and the folder's name */
};

/* Files as one, but for the samples of a run. */
static bool merge(struct archive *a, const struct files *files, size_t from,
		  size_t to, const struct added *run, const char *path)
{
	struct content c = { .stored = true, .may_be_empty = true };
	char **inputs = calloc(to - from + 1, sizeof(*inputs));
	char *label = run ? all_but(run->app) : NULL;
	enum written done = FAILED;

	for (size_t i = from; inputs && i < to; i++)
		if (!run || is_merged(&files->at[i]) ||
		    !has_run(&files->at[i], run->part))
			inputs[c.n++] = files->at[i].path;
	c.inputs = inputs;
	c.label = label;
	if (inputs && (!run || label))
		done = c.n ? write_file(a, &c, path) : NOTHING;
	free(inputs);
	free(label);
	return done == NOTHING ||
	       (done == WRITTEN &&
		write_runs(a, files, from, to, run ? run->part : NULL, path));
}

/* Links a file, and where it is merged that with the names of its runs. */
static bool link_file(const struct archive *a, const struct archive_file *file,
		      const char *to)
{
	char *runs = is_merged(file) ? runs_beside(file->path) : NULL;
	char *new = runs ? runs_beside(to) : NULL;
	bool good = (link(file->path, to) == 0 || say_failed(a, to)) &&
		    (!is_merged(file) || new) &&
		    (!new || link(runs, new) == 0 || errno == ENOENT ||
		     say_failed(a, new));

	free(runs);
	free(new);
	return good;
}

/* Whether files become one: those of a compaction, or one that has the run. */
static bool is_changed(const struct files *files, size_t from, size_t to,
		       const struct added *run)
{
	if (!run)
		return to > from + 1;
	for (size_t i = from; i < to; i++)
		if (is_merged(&files->at[i]) &&
		    has_run(&files->at[i], run->part))
			return true;
	return false;
}

/* The name of a folder: a file that is alone in its month stays in its day. */
static char *folder_of(const struct files *files, size_t i, bool changed)
{
	const char *end = strrchr(files->at[i].path, '/'), *begin = end;

	if (changed)
		return strdup(files->at[i].to);
	while (begin[-1] != '/')
		begin--;
	return strndup(begin, (size_t)(end - begin));
}

static bool build_folder(struct archive *a, const struct files *files,
			 size_t from, size_t to, const struct added *run,
			 const char *new)
{
	bool changed = is_changed(files, from, to, run), good;
	char *name = folder_of(files, from, changed);
	char *folder = name ? batch_join(new, "%s", name) : NULL;
	char *path = folder ? batch_join(folder, "%s", BATCH_MERGED) : NULL;

	good = path && make_folders(a, folder) &&
	       (!changed || merge(a, files, from, to, run, path));
	for (size_t i = from; good && !changed && i < to; i++) {
		char *link = batch_join(folder, "%s", files->at[i].name);

		if (!run || !has_run(&files->at[i], run->part))
			good = link && link_file(a, &files->at[i], link);
		free(link);
	}
	good = good && sync_path(a, folder);
	if (good && changed && !run && a->cli->verbose)
		cli_say(a->cli, "%s: merged", name);
	free(name);
	free(folder);
	free(path);
	return good;
}

static bool place_run(const struct archive *a, const struct added *run,
		      const char *new)
{
	char *folder = batch_join(new, "%s", run->date);
	char *file = folder ? batch_join(folder, "%s.parquet", run->part) :
			      NULL;
	bool good = file && make_folders(a, folder) &&
		    (rename(run->hidden, file) == 0 || say_failed(a, file)) &&
		    sync_path(a, folder);

	free(folder);
	free(file);
	return good;
}

/* Exchanges the old folder for the new one. */
static bool exchange(const struct archive *a, const char *new,
		     const char *folder)
{
#ifdef RENAME_EXCHANGE
	if (!sync_path(a, new))
		return false;
	if (renameat2(AT_FDCWD, new, AT_FDCWD, folder, RENAME_EXCHANGE) == 0)
		return true;
#else
	errno = ENOSYS;
#endif
	cli_say(a->cli, "%s: %s: this file system does not exchange two "
		"folders at once, so files are not merged there", folder,
		strerror(errno));
	return false;
}

/* Files that are not ours would not be in the new folder. */
static bool has_foreign(struct archive *a, const char *folder)
{
	struct names names = { 0 };
	bool found = !list(a, folder, &names);

	for (int i = 0; !found && i < names.n; i++) {
		found = strncmp(names.at[i]->d_name, DATE, strlen(DATE)) != 0;
		if (found)
			cli_say(a->cli, "%s/%s: is not of an archive, and would "
				"be lost: move it away", folder,
				names.at[i]->d_name);
	}
	free_names(&names);
	return found;
}

/*
 * The folder of an application anew: the files of a date or month as one, or
 * (run not NULL) all but those of the run, and its new file.
 */
static bool rebuild(struct archive *a, const char *folder,
		    const struct files *files, const struct added *run)
{
	char *new = folder_beside(folder);
	bool good = new && !has_foreign(a, folder) &&
		    (mkdir(new, 0777) == 0 || say_failed(a, new));
	size_t end;

	for (size_t i = 0; good && i < files->n; i = end) {
		end = run ? i + 1 : end_of_folder(files, i);
		good = build_folder(a, files, i, end, run, new);
	}
	good = good && (!run || place_run(a, run, new)) &&
	       exchange(a, new, folder);
	if (new)
		remove_folder(new);
	free(new);
	return good;
}

/* Adding ---------------------------------------------------------------- */

/*
 * Places the file of a run, and removes its earlier samples under any date: a
 * file that was copied has another one.
 */
static bool place(struct archive *a, const char *app_folder,
		  const struct added *run)
{
	char *folder = batch_join(app_folder, "%s", run->date);
	char *path = folder ? batch_join(folder, "%s.parquet", run->part) :
			      NULL;
	struct files files = { 0 };
	bool good = path && make_folders(a, folder) &&
		    list_files(a, app_folder, &files), merged = false;

	for (size_t i = 0; good && i < files.n; i++)
		merged |= is_merged(&files.at[i]) &&
			  has_run(&files.at[i], run->part);
	for (size_t i = 0; good && !merged && i < files.n; i++)
		if (has_run(&files.at[i], run->part) &&
		    strcmp(files.at[i].path, path) != 0 &&
		    rename(files.at[i].path, path) != 0 && errno != ENOENT)
			good = say_failed(a, files.at[i].path);
	if (good && !merged)
		good = (rename(run->hidden, path) == 0 ||
			say_failed(a, path)) && sync_path(a, folder);
	free_files(&files);
	/* Others may have merged files before the lock is ours alone. */
	good = good && (!merged || (take_lock(a, LOCK_EX) &&
				    list_files(a, app_folder, &files)));
	if (good && merged) {
		good = rebuild(a, app_folder, &files, run);
		free_files(&files);
	}
	free(folder);
	free(path);
	return good;
}

/* Where a run belongs; app and name are to be freed. */
struct run {
	const char *app;
	char *name;
	char date[16];
	bool known;		/* by an event log, or its path */
};

static bool describe_run(const struct archive *a, const struct batch_group *g,
			 struct run *run)
{
	const struct batch_input *input = g->inputs;
	const struct app *app = app_of(a, input->values[0]);
	char name[512], date[512];
	bool named = flame_path_label(input->path, "app-name", name,
				      sizeof(name));
	bool dated = flame_path_label(input->path, "date", date, sizeof(date));

	*run = (struct run){ .app = input->values[0], .known = app || named };
	run->name = strdup(named ? name : app ? app->name : UNKNOWN);
	if (dated && strlen(date) < sizeof(run->date))
		strcpy(run->date, date);
	else
		date_of(app && app->started ?
				(time_t)(app->started / 1000000000) :
				(time_t)atoll(input->mtime), run->date);
	return run->name || cli_no_memory(a->cli);
}

static void say_added(const struct archive *a, const struct run *run,
		      const char *path)
{
	if (a->cli->quiet)
		return;
	if (run->known)
		cli_say(a->cli, "%s", path);
	else
		cli_say(a->cli, "%s (no event log names the application: its "
			"name is \"" UNKNOWN "\", its date that of the file)",
			path);
}

/* Moves a file of the local folder to the store. */
static bool send_file(struct archive *a, const struct run *run,
		      const char *folder, const char *day, const char *app,
		      const char *path)
{
	char *file = NULL, *shown = NULL;
	enum batch_stored done = BATCH_NOT_STORED;
	const char *below = folder + strlen(a->folder) + 1;
	size_t n = strlen(a->store);

	n -= a->store[n - 1] == '/';
	if (asprintf(&file, "%s.parquet", app) < 0 ||
	    asprintf(&shown, "%.*s%s", (int)n, a->store,
		     path + strlen(a->folder)) < 0)
		cli_no_memory(a->cli);
	else
		done = batch_store(a->cli, a->store, path, below, day, file);
	unlink(path);
	if (done == BATCH_STORED)
		say_added(a, run, shown);
	free(file);
	free(shown);
	return done != BATCH_NOT_STORED;
}

static bool add_run(struct archive *a, const struct batch_group *group,
		    const struct run *run)
{
	char *name = part_of(run->name), *date = part_of(run->date);
	char *app = part_of(run->app), *folder = NULL, *path = NULL;
	char *day = NULL;
	char *hidden = NULL, **inputs = calloc(group->n, sizeof(*inputs));
	struct content c = { .inputs = inputs, .n = group->n, .app = run->app,
			     .day = run->date };
	bool good = name && date && app && inputs &&
		    asprintf(&folder, "%s/app-name=%s", a->folder, name) >= 0 &&
		    asprintf(&day, DATE "%s", date) >= 0 &&
		    asprintf(&path, "%s/%s/%s.parquet", folder, day, app) >=
			    0 &&
		    asprintf(&hidden, "%s/.%s~%ld", folder, app,
			     (long)getpid()) >= 0;

	for (size_t i = 0; good && i < group->n; i++)
		inputs[i] = group->inputs[i].path;
	if (!good)
		cli_no_memory(a->cli);
	good = good && take_lock(a, LOCK_SH) && make_folders(a, folder) &&
	       write_run(a, &c, hidden) == WRITTEN &&
	       place(a, folder, &(struct added){ run->app, app, hidden, day });
	if (good && a->store)
		good = send_file(a, run, folder, day, app, path);
	else if (good)
		say_added(a, run, path);
	else if (hidden)
		unlink(hidden);
	free(name);
	free(date);
	free(app);
	free(folder);
	free(day);
	free(path);
	free(hidden);
	free(inputs);
	return good;
}

/* The paths of a run of several files must name it. */
static bool is_one_run(const struct archive *a, const struct batch_group *g)
{
	char app[512];

	if (g->n < 2 || a->napps == 1 ||
	    flame_path_label(g->inputs->path, "app", app, sizeof(app)))
		return true;
	cli_say(a->cli, "%s and %s: both would be the run %s: name the "
		"applications of files by --path-labels, as '(?<app>[^/]+)/[^/]"
		"+$' for folders", g->inputs[0].path, g->inputs[1].path,
		g->inputs->values[0]);
	return false;
}

static int add_runs(struct archive *a, struct flame *flame)
{
	struct batch *batch = a->batch;
	bool good;

	a->cli->all_metrics = !a->cli->event;
	good = make_folders(a, a->folder) &&
	       batch_find_logs(batch, flame) &&
	       batch_parse_keys(batch, "app") && find_apps(a, flame) &&
	       batch_collect(batch, flame) && name_runs(a) &&
	       batch_make_groups(batch);

	for (size_t i = 0; good && i < batch->ngroups; i++)
		good = is_one_run(a, &batch->groups[i]);
	if (good && !batch->ngroups)
		cli_say(a->cli, "no profile was found");
	a->failed = a->failed || !good || !batch->ngroups;
	for (size_t i = 0; good && i < batch->ngroups; i++) {
		struct run run = { 0 };

		if (!describe_run(a, &batch->groups[i], &run) ||
		    !add_run(a, &batch->groups[i], &run))
			a->failed = true;
		free(run.name);
	}
	return a->failed ? CLI_TROUBLE : CLI_FINE;
}

/* Compacting ------------------------------------------------------------ */

/* What an addition or a compaction left that was killed. */
static bool is_left(const char *name)
{
	return name[0] == '.' && strchr(name, '~');
}

static enum walk_answer clean(void *arg, const struct walk_entry *entry)
{
	(void)arg;
	if (entry->kind == WALK_FOLDER && is_left(entry->name)) {
		remove_folder(entry->path);
		return WALK_SKIP;
	}
	if (entry->kind == WALK_FILE && is_left(entry->name))
		unlink(entry->path);
	return WALK_ON;
}

/* A file that others put there: in a month its date would not be known. */
static void warn_of_dayless(const struct archive *a,
			    const struct archive_file *file)
{
	char labels[CLI_MAX_CHOICES] = "";

	if (!is_merged(file))
		cli_list_labels(file->path, "day", labels);
	if (*labels)
		cli_say(a->cli, "%s: its rows have no label day, so in a "
			"merged month their date is not known", file->path);
}

static enum walk_answer compact_app(void *arg, const struct walk_entry *entry)
{
	struct archive *a = arg;
	struct files files;
	bool several = false, good;

	if (!entry->depth)
		return WALK_ON;
	if (entry->kind != WALK_FOLDER ||
	    strncmp(entry->name, "app-name=", 9) != 0)
		return WALK_SKIP;
	good = list_files(a, entry->path, &files);
	for (size_t i = 0, end; good && i < files.n; i = end) {
		end = end_of_folder(&files, i);
		several |= end > i + 1;
		for (size_t k = i; a->by_month && end > i + 1 && k < end; k++)
			warn_of_dayless(a, &files.at[k]);
	}
	if (several)
		good = rebuild(a, entry->path, &files, NULL);
	free_files(&files);
	a->failed |= !good;
	return good ? WALK_SKIP : WALK_STOP;
}

static int compact(struct archive *a)
{
	if (access(a->folder, F_OK) != 0)
		return say_failed(a, a->folder) ? CLI_FINE : CLI_TROUBLE;
	if (!take_lock(a, LOCK_EX))
		return CLI_TROUBLE;
	if (walk(a->folder, clean, a) != 0 ||
	    walk(a->folder, compact_app, a) != 0)
		a->failed = !say_failed(a, a->folder);
	return a->failed ? CLI_TROUBLE : CLI_FINE;
}

/* ------------------------------------------------------------------------ */

int batch_archive(struct batch *batch, struct flame *flame, bool compacts,
		  bool by_month)
{
	struct archive a = {
		.cli = batch->cli, .batch = batch, .folder = batch->site,
		.lock = -1, .by_month = by_month,
	};
	char local[4096];
	int status = CLI_TROUBLE;

	if (batch_is_store(a.folder)) {
		const char *tmp = getenv("TMPDIR");

		a.store = a.folder;
		a.folder = local;
		snprintf(local, sizeof(local), "%s/flame-archive-XXXXXX",
			 tmp && *tmp ? tmp : "/tmp");
		if (!mkdtemp(local))
			return say_failed(&a, local) ? CLI_FINE : CLI_TROUBLE;
	}
	status = compacts ? compact(&a) : add_runs(&a, flame);
	if (a.store)
		remove_folder(local);
	if (a.lock >= 0)
		close(a.lock);
	for (size_t i = 0; i < a.napps; i++) {
		free(a.apps[i].id);
		free(a.apps[i].name);
	}
	free(a.apps);
	return status;
}
