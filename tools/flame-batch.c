/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame-batch: reads profiles from folders, files and URLs, and event logs of
 * Spark; writes a site, with a page for each group and an index.  Groups are
 * drawn in other processes, several at once; those that an earlier run has
 * drawn from the same files with the same options are not read again.  run()
 * calls the steps, which are in batch/ and report/.  --archive and --engine do
 * other work instead: batch/archive.c, batch/engine.c.
 */
#include "batch/batch.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
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
	if (own->compact && flame_url(own->archive)) {
		cli_say(cli, "--compact: merges a folder of this machine: "
			"copy the archive, and back, as by hdfs dfs -get, or "
			"aws s3 sync");
		return false;
	}
	if (flame_url(own->archive) && !batch_is_store(own->archive)) {
		cli_say(cli, "--archive: a folder, hdfs:// or s3://");
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
	    batch_describe_options(&batch)) {
		batch.split = !batch.standalone &&
			      batch.ngroups > BATCH_LARGE;
		status = batch_draw_groups(&batch);
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
