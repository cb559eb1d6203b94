/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame-batch: a tree of dumps to a site, a page for each group.  Groups are
 * drawn in other processes, several at once; those that an earlier run
 * has drawn from the same files with the same options are not read again.
 */
#include "batch/batch.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct own {
	const char *key, *engine, *against, *archive;
	bool outliers, standalone, time, compact;
};

static const struct cli_option options[] = {
	{ 0, "against", "SITE", "compare with an earlier site, or the newest in it",
	  CLI_TEXT, CLI_AT(against) },
	{ 0, "archive", "DIR", "add a Parquet file a run to DIR; no site",
	  CLI_TEXT, CLI_AT(archive) },
	{ 0, "compact", NULL, "--archive: merge the files of each date (--key)",
	  CLI_FLAG, CLI_AT(compact) },
	{ 0, "engine", "spark|hadoop", "print the job that does it there",
	  .kind = CLI_TAKE },
	{ 0, "key", "KEY[,KEY...]", "a page for each value (app,stage)",
	  CLI_TEXT, CLI_AT(key) },
	{ 'j', "jobs", "N", "draw N groups at once (as many as CPUs)",
	  .kind = CLI_TAKE },
	{ 'o', "output", "SITE", "the folder to write to",
	  .kind = CLI_TAKE },
	{ 0, "outliers", NULL, "look for executors unlike the rest",
	  CLI_FLAG, CLI_AT(outliers) },
	{ 0, "standalone", NULL, "pages that need no file beside them",
	  CLI_FLAG, CLI_AT(standalone) },
	{ 0, "time", NULL, "times, threads and executors in all pages",
	  CLI_FLAG, CLI_AT(time) },
	{ .name = NULL }
};

static bool set_option(struct cli *cli, const char *name, const char *value)
{
	struct own *own = cli->own;
	unsigned long n;
	char *end;

	if (strcmp(name, "engine") == 0) {
		own->engine = value;
		if (strcmp(value, "spark") == 0 || strcmp(value, "hadoop") == 0)
			return true;
		cli_say(cli, "--engine %s: spark or hadoop", value);
		return false;
	}
	if (strcmp(name, "output") == 0) {
		cli->output = value;
		return true;
	}
	n = strtoul(value, &end, 10);
	if (value[0] < '0' || value[0] > '9' || *end || !n || n > 1024) {
		cli_say(cli, "--jobs %s: a number, 1 to 1024", value);
		return false;
	}
	cli->jobs = (unsigned)n;
	return true;
}

static bool is_month(const char *key)
{
	return key && strcmp(key, "month") == 0;
}

/* What an archive does not have is refused. */
static bool check_archive(struct cli *cli)
{
	const struct own *own = cli->own;
	const struct {
		const char *name;
		bool given;
	} others[] = {
		{ "output", cli->output }, { "against", own->against },
		{ "engine", own->engine },
		{ "key", own->key && !own->compact },
		{ "outliers", own->outliers }, { "time", own->time },
		{ "standalone", own->standalone },
		{ "price", cli_find(&cli->filters, "price") },
		{ cli->sets.n ? cli->sets.at[0].name : "", cli->sets.n },
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (others[i].given) {
			cli_say(cli, "--archive: without --%s, which is of a "
				"site", others[i].name);
			return false;
		}
	if (own->compact && own->key && !is_month(own->key) &&
	    strcmp(own->key, "date") != 0) {
		cli_say(cli, "--compact --key %s: date, or month", own->key);
		return false;
	}
	if (own->compact && (cli->ninputs || cli->listed)) {
		cli_say(cli, "--compact: merges what is in %s, and reads no "
			"input: %s", own->archive, cli->ninputs ?
			cli->inputs[0] : "leave out --paths-from");
		return false;
	}
	if (!own->compact && !cli->ninputs && !cli->listed) {
		cli_say(cli, "no input: name the files or folders of a run");
		return false;
	}
	cli->output = own->archive;
	cli->listed |= own->compact;
	return true;
}

static bool check_options(struct cli *cli)
{
	const struct own *own = cli->own;

	if (own->compact && !own->archive) {
		cli_say(cli, "--compact: name the archive, as --archive DIR");
		return false;
	}
	if (cli->info || (cli->event && strcmp(cli->event, "list") == 0))
		return true;
	if (!batch_find_jobs(cli))
		return false;
	if (own->archive)
		return check_archive(cli);
	if (!cli->output || strcmp(cli->output, "-") == 0) {
		cli_say(cli, "no output: name a folder, as -o site");
		return false;
	}
	if (strncmp(cli->output, "otlp+", 5) == 0) {
		cli_say(cli, "-o %s: a site is a folder; flame-fold -o sends a "
			"profile", cli->output);
		return false;
	}
	if (!cli->ninputs && (own->engine ||
			      !cli_find(&cli->filters, "spark-events"))) {
		cli_say(cli, "no input: name files or folders, a list of them "
			"by --paths-from, or an event log of Spark by "
			"--spark-events");
		return false;
	}
	/* A log alone is a report; standard input is not asked. */
	cli->listed |= !cli->ninputs;
	return true;
}

/* Options ------------------------------------------------------------- */

static bool append(char **text, const char *kind, const char *name,
		   const char *value)
{
	char *longer;

	if (asprintf(&longer, "%s%s%s%s%s%s", *text, **text ? " " : "", kind,
		     name, value ? "=" : "", value ? value : "") < 0)
		return false;
	free(*text);
	*text = longer;
	return true;
}

static bool append_list(char **text, const struct cli_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		if (!append(text, "--", list->at[i].name, list->at[i].value))
			return false;
	return true;
}

/* As records have it: UTF-8, without secrets of URLs. */
static bool make_shown(char **text)
{
	char *copy = batch_utf8(*text);

	if (copy)
		flame_hide_secrets(copy, false);
	free(*text);
	*text = copy;
	return copy;
}

/* All options that change pages. */
static bool describe_options(struct batch *batch)
{
	struct cli *cli = batch->cli;
	bool good = (batch->options = strdup("")) != NULL;

	good = good && append(&batch->options, "", FLAME_VERSION, NULL);
	for (size_t i = 0; good && i < batch->nkeys; i++)
		good = append(&batch->options, "", "key", batch->keys[i]);
	if (good && cli->input_format)
		good = append(&batch->options, "--", "input-format",
			      cli->input_format);
	if (good && cli->path_labels)
		good = append(&batch->options, "--", "path-labels",
			      cli->path_labels);
	if (good && cli->raw_names)
		good = append(&batch->options, "--", "raw-names", NULL);
	if (good && cli->mangled)
		good = append(&batch->options, "--", "no-demangle", NULL);
	if (good && batch->outliers)
		good = append(&batch->options, "--", "outliers", NULL);
	if (good && batch->standalone)
		good = append(&batch->options, "--", "standalone", NULL);
	if (good && batch->time)
		good = append(&batch->options, "--", "time", NULL);
	return (good && append_list(&batch->options, &cli->asks) &&
		append_list(&batch->options, &cli->filters) &&
		append_list(&batch->options, &cli->sets) &&
		make_shown(&batch->options)) ||
	       cli_no_memory(cli);
}

/* Progress ------------------------------------------------------------ */

struct state {
	struct batch *batch;
	size_t next;		/* the next group to look at */
	size_t running, drawn, reused;
	unsigned workers;
	pid_t *pids;		/* by group */
	uint64_t files, bytes;	/* to be read in all */
	int status;
};

static void show_progress(const struct state *s)
{
	const struct batch_shared *shared = s->batch->shared;
	char what[120];

	snprintf(what, sizeof(what), "%zu of %zu groups, %llu of %llu files",
		 s->drawn + s->reused, s->batch->ngroups,
		 (unsigned long long)__atomic_load_n(&shared->files,
						     __ATOMIC_RELAXED),
		 (unsigned long long)s->files);
	cli_progress_show(s->batch->cli->progress, what,
			  __atomic_load_n(&shared->bytes, __ATOMIC_RELAXED),
			  s->bytes);
}

/* Groups -------------------------------------------------------------- */

/* Ends with the parent: an orphan would write the files of the next run. */
static void die_with_parent(void)
{
#ifdef PR_SET_PDEATHSIG
	prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

/* Draws groups one after the other; an exit status. */
static int draw_run(const struct state *s, size_t first, size_t end)
{
	struct batch *batch = s->batch;
	unsigned threads = batch->cli->threads / s->workers;
	int status = CLI_FINE;

	die_with_parent();
	if (end - first > 1)
		cli_keep_small();
	for (size_t i = first; i < end; i++) {
		batch->cli->refused = false;
		status = cli_worse(status,
				   batch_draw(batch, &batch->groups[i],
					      threads ? threads : 1,
					      batch->cli->memory /
					      s->workers));
	}
	return status;
}

static void end_run(struct state *s, pid_t pid, int result);

/* In a browser there is one process. */
static void draw_here(struct state *s, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++)
		s->pids[i] = -1;
	s->running++;
	end_run(s, -1, draw_run(s, first, end));
}

static void start_run(struct state *s, size_t first, size_t end)
{
	struct batch *batch = s->batch;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0)
		_exit(draw_run(s, first, end));
	if (pid < 0 && errno == ENOSYS) {
		draw_here(s, first, end);
		return;
	}
	if (pid < 0) {
		cli_say(batch->cli, "%s: %s", batch->groups[first].title,
			strerror(errno));
		s->status = CLI_TROUBLE;
		return;
	}
	for (size_t i = first; i < end; i++)
		s->pids[i] = pid;
	s->running++;
}

/*
 * Starting a process costs more than drawing a small group, so it draws
 * several; but every worker has some.
 */
enum { MAX_RUN = 32, RUN_BYTES = 8 << 20 };

static void start_groups(struct state *s)
{
	const struct batch *batch = s->batch;
	size_t first = s->next, end = first + 1;
	size_t most = (batch->ngroups - first) / (4 * s->workers) + 1;
	uint64_t bytes = batch->groups[first].bytes;

	while (end < batch->ngroups && end - first < most &&
	       end - first < MAX_RUN && !batch->groups[end].reused &&
	       bytes + batch->groups[end].bytes <= RUN_BYTES)
		bytes += batch->groups[end++].bytes;
	start_run(s, first, end);
	s->next = end;
}

static void end_group(struct state *s, struct batch_group *group, int result)
{
	struct cli *cli = s->batch->cli;

	s->drawn++;
	if (group->record) {
		if (cli->verbose)
			cli_say(cli, "%s: drawn from %zu files", group->title,
				group->n);
		return;
	}
	if (WIFSIGNALED(result))
		cli_say(cli, "%s: its process was killed by signal %d%s",
			group->title, WTERMSIG(result),
			WTERMSIG(result) == SIGKILL ?
			": fewer --jobs need less memory" : "");
	cli_say(cli, WIFEXITED(result) && WEXITSTATUS(result) == CLI_FINE ?
			"%s: its record is incomplete: the disk or memory "
			"may be full" : "%s: not drawn",
		group->title);
	s->status = CLI_TROUBLE;
}

/* A signal ends the drawing of one group; those after it are begun again. */
static void end_run(struct state *s, pid_t pid, int result)
{
	struct batch *batch = s->batch;
	size_t i = 0, end;

	while (i < batch->ngroups && s->pids[i] != pid)
		i++;
	if (i == batch->ngroups)
		return;
	s->running--;
	cli_progress_erase(s->batch->cli->progress);
	for (end = i; end < batch->ngroups && s->pids[end] == pid; end++)
		s->pids[end] = 0;
	for (; i < end; i++) {
		batch->groups[i].record = batch_load(batch, &batch->groups[i]);
		end_group(s, &batch->groups[i], result);
		if (WIFSIGNALED(result) && !batch->groups[i].record) {
			if (i + 1 < end)
				start_run(s, i + 1, end);
			return;
		}
	}
}

/* Waits for one process; meanwhile shows the progress of all on a terminal. */
static void wait_for_one(struct state *s)
{
	bool shown = !s->batch->cli->quiet && isatty(STDERR_FILENO);
	const struct timespec pause = { .tv_nsec = 100000000 };
	int result;
	pid_t pid;

	while ((pid = waitpid(-1, &result, shown ? WNOHANG : 0)) == 0) {
		show_progress(s);
		nanosleep(&pause, NULL);
	}
	if (pid > 0)
		end_run(s, pid, result);
	else if (errno != EINTR)
		s->running = 0;
}

static void find_kept(struct state *s)
{
	struct batch *batch = s->batch;

	for (size_t i = 0; i < batch->ngroups; i++) {
		struct batch_group *group = &batch->groups[i];

		group->record = batch_load(batch, group);
		group->reused = group->record != NULL;
		s->reused += group->reused;
		s->files += group->reused ? 0 : group->n;
		s->bytes += group->reused ? 0 : group->bytes;
	}
	if (s->reused && !batch->cli->quiet)
		cli_say(batch->cli, "%zu of %zu groups are up to date", s->reused, batch->ngroups);
}

static int draw_groups(struct batch *batch)
{
	struct cli *cli = batch->cli;
	struct state s = { .batch = batch, .status = CLI_FINE };
	size_t to_do;

	s.pids = calloc(batch->ngroups + 1, sizeof(*s.pids));
	if (!s.pids) {
		cli_no_memory(cli);
		return CLI_TROUBLE;
	}
	cli_progress_begin(cli->progress, cli, NULL, NULL, 0);
	find_kept(&s);
	to_do = batch->ngroups - s.reused;
	s.workers = to_do < cli->threads ? (unsigned)to_do : cli->threads;
	while (s.next < batch->ngroups || s.running) {
		if (s.next < batch->ngroups && s.running < s.workers) {
			if (batch->groups[s.next].reused)
				s.next++;
			else
				start_groups(&s);
		} else if (s.next < batch->ngroups && !s.workers) {
			s.next++;
		} else {
			wait_for_one(&s);
		}
	}
	cli_progress_erase(cli->progress);
	free(s.pids);
	return s.status;
}

/* --------------------------------------------------------------------- */

static bool make_folder(const struct batch *batch, const char *name)
{
	char *path = batch_path(batch, "%s", name);
	bool good = path && (mkdir(path, 0777) == 0 || errno == EEXIST);

	if (path && !good)
		cli_say(batch->cli, "%s: %s", path, strerror(errno));
	free(path);
	return good;
}

/* The folders above the site; what fails shows when the site is made. */
static void make_parents(const char *site)
{
	char *path = strdup(site), *slash = path;

	while (path && (slash = strchr(slash + 1, '/'))) {
		*slash = '\0';
		mkdir(path, 0777);
		*slash = '/';
	}
	free(path);
}

/*
 * A site, or one that was not finished and has no index yet, or an empty
 * folder: what others keep there would be overwritten.
 */
static bool is_ours(const struct batch *batch)
{
	static const char *const names[] = { ".", "..", "data", "stages" };
	char *manifest = batch_path(batch, BATCH_DATA "manifest.json");
	bool ours = manifest && access(manifest, F_OK) == 0;
	DIR *folder = ours ? NULL : opendir(batch->site);
	const struct dirent *entry;

	free(manifest);
	if (!folder)
		return true;	/* what fails shows when it is written */
	ours = true;
	while (ours && (entry = readdir(folder))) {
		ours = strncmp(entry->d_name, ".flame-", 7) == 0;
		for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
			ours |= strcmp(entry->d_name, names[i]) == 0;
	}
	closedir(folder);
	if (!ours)
		cli_say(batch->cli, "%s: a folder with other files, and no "
			"site of flame-batch (it has no data/manifest.json): "
			"name a new folder, as -o %s/site", batch->site,
			batch->site);
	return ours;
}

static bool make_site(struct batch *batch)
{
	struct stat st;

	make_parents(batch->site);
	batch->site_is_new = mkdir(batch->site, 0777) == 0;
	if (batch->site_is_new ||
	    (errno == EEXIST && stat(batch->site, &st) == 0 &&
	     S_ISDIR(st.st_mode)))
		return (batch->site_is_new || is_ours(batch)) &&
		       make_folder(batch, BATCH_STAGES) &&
		       make_folder(batch, BATCH_DATA);
	if (errno == EEXIST)
		cli_say(batch->cli, "%s: not a folder", batch->site);
	else
		cli_say(batch->cli, "%s: %s", batch->site, strerror(errno));
	return false;
}

static bool share_memory(struct batch *batch)
{
	batch->shared = mmap(NULL, sizeof(*batch->shared),
			     PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (batch->shared != MAP_FAILED)
		return true;
	batch->shared = NULL;
	return cli_no_memory(batch->cli);
}

/* What the job that --engine prints does not do. */
static void say_ignored(const struct cli *cli)
{
	const struct own *own = cli->own;
	const struct {
		const char *name;
		bool given;
	} local[] = {
		{ "against", own->against }, { "outliers", own->outliers },
		{ "standalone", own->standalone }, { "time", own->time },
	};

	for (size_t i = 0; i < sizeof(local) / sizeof(*local); i++)
		if (local[i].given && !cli->quiet)
			cli_say(cli, "--%s is ignored: the job does not do it",
				local[i].name);
}

static int run(struct cli *cli, struct flame *flame)
{
	const struct own *own = cli->own;
	struct batch batch = {
		.cli = cli, .site = cli->output, .outliers = own->outliers,
		.standalone = own->standalone, .against = own->against,
		.time = own->time,
	};
	const char *key = own->key ? own->key : "app,stage";
	int status = CLI_TROUBLE;

	if (own->archive) {
		status = batch_archive(&batch, flame, own->compact,
				       is_month(own->key));
		batch_free(&batch);
		return status;
	}
	if (own->engine) {
		say_ignored(cli);
		return batch_print_engine(&batch, own->engine, key);
	}
	if (batch_find_against(&batch) && batch_find_price(&batch) &&
	    batch_find_logs(&batch, flame) &&
	    batch_parse_keys(&batch, key) &&
	    make_site(&batch) && share_memory(&batch) &&
	    batch_collect(&batch, flame) && batch_make_groups(&batch) &&
	    describe_options(&batch)) {
		batch.split = !batch.standalone &&
			      batch.ngroups > BATCH_LARGE;
		status = draw_groups(&batch);
		if (batch_is_unread(&batch) && !batch.nlogs) {
			status = batch_explain_unread(&batch);
			goto end;
		}
		if (!batch_is_unread(&batch) && batch_is_nothing(&batch)) {
			status = batch_explain_nothing(&batch, flame);
			goto end;
		}
		if (!batch_list_pages(&batch) ||
		    !batch_collect_bills(&batch)) {
			if (batch_is_unread(&batch))
				batch_remove_site(&batch);
			status = CLI_TROUBLE;
			goto end;
		}
		if (batch_is_undivided(&batch)) {
			batch_remove_site(&batch);
			status = CLI_TROUBLE;
			goto end;
		}
		if (!batch_find_coverage(&batch)) {
			status = CLI_TROUBLE;
			goto end;
		}
		status = cli_worse(status, batch_write_site(&batch, flame));
		if (status != CLI_TROUBLE)
			status = batch_compare_against(&batch, flame);
	}
end:
	if (batch.shared)
		munmap(batch.shared, sizeof(*batch.shared));
	batch_free(&batch);
	return status;
}

static const struct cli_tool tool = {
	.name = "flame-batch",
	.usage = "[options] -o SITE INPUT...",
	.examples = "  flame-batch -o site profiles/\n"
		    "  flame-batch -o site --outliers profiles/\n"
		    "  flame-batch -o site --spark-events events/ profiles/\n"
		    "  flame-batch -o site --spark-events events/\n"
		    "  flame-batch --archive runs --spark-events events/ "
		    "profiles/\n",
	.about = "A tree of profiles to a site: a page for each application "
		 "and stage.",
	.format = "html",
	.rows = "sfwic",
	.options = options,
	.set_option = set_option,
	.check_options = check_options,
	.run = run,
	.lists = true,
};

CLI_MAIN(flame_batch_main)
{
	struct own own = { 0 };

	return cli_main(&tool, &own, argc, argv);
}
