/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folders as operands of flame-diff: the files in them and below.  In
 * cli->inputs, diff_expand_folders() replaces each folder by its files; for
 * --runs, diff_list_runs() makes a run of each operand, or of each entry of a
 * folder that is alone on its side.  Called by flame-diff.c and runs.c.
 */
#include "compare/diff.h"
#include "compare/sites.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static bool is_of_kind(const char *path, mode_t kind)
{
	struct stat st;

	return stat(path, &st) == 0 && (st.st_mode & S_IFMT) == kind;
}

/* A link to a folder is passed over: it may lead back. */
static bool is_own_folder(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool add_folder(struct cli *cli, const char *folder);

static bool add_entry(struct cli *cli, const char *path, unsigned side)
{
	(void)side;
	if (is_of_kind(path, S_IFREG))
		return cli_input(cli, path);
	return !is_own_folder(path) || add_folder(cli, path);
}

/*
 * What is in a folder, in the order of names; none: what to say where it is
 * empty, or NULL.
 */
static bool add_all(struct cli *cli, const char *folder, unsigned side,
		    const char *none,
		    bool (*add)(struct cli *cli, const char *path,
				unsigned side))
{
	struct dirent **list = NULL;
	int n = scandir(folder, &list, is_visible, alphasort);
	bool good = n > 0 || (!n && !none);

	if (!good)
		cli_say(cli, "%s: %s", folder, n < 0 ? strerror(errno) : none);
	for (int i = 0; i < n; i++) {
		char *path = NULL;

		if (good && asprintf(&path, "%s/%s", folder,
				     list[i]->d_name) < 0)
			good = cli_no_memory(cli);
		else if (good)
			good = add(cli, path, side);
		free(path);
		free(list[i]);
	}
	free(list);
	return good;
}

static bool add_folder(struct cli *cli, const char *folder)
{
	if (site_is(folder)) {
		cli_say(cli, "%s is a site of flame-batch, whose pages are not "
			"added up: compare it with another site", folder);
		return false;
	}
	return add_all(cli, folder, 0, NULL, add_entry);
}

/* An operand: it must have a file somewhere. */
static bool add_operand(struct cli *cli, const char *folder)
{
	size_t had = cli->ninputs;

	if (!add_folder(cli, folder))
		return false;
	if (cli->ninputs == had)
		cli_say(cli, "%s: there is no file in this folder or below",
			folder);
	return cli->ninputs != had;
}

/* A folder is its files; two folders alone are two groups. */
bool diff_expand_folders(struct cli *cli)
{
	size_t n = cli->ninputs, before = cli->nbefore;
	char **inputs = cli->inputs;
	bool any = false, good = true;

	for (size_t i = 0; i < n; i++)
		any |= is_of_kind(inputs[i], S_IFDIR);
	if (!any)
		return true;
	if (!before && n == 2)
		before = 1;
	cli->inputs = NULL;
	cli->ninputs = cli->nheld = cli->inputs_capacity = 0;
	for (size_t i = 0; i < n; i++) {
		if (i == before)
			cli->nbefore = cli->ninputs;
		if (good && is_of_kind(inputs[i], S_IFDIR))
			good = add_operand(cli, inputs[i]);
		else if (good)
			good = cli_input(cli, inputs[i]);
		free(inputs[i]);
	}
	free(inputs);
	return good;
}

/* Runs ----------------------------------------------------------------- */

static bool begin_run(struct cli *cli, struct diff *diff, const char *name,
		      unsigned side)
{
	struct diff_run *more = realloc(diff->run, (diff->nruns + 1) *
						   sizeof(*more));

	if (!more)
		return cli_no_memory(cli);
	diff->run = more;
	more[diff->nruns] = (struct diff_run){
		.name = strdup(name), .from = cli->ninputs, .side = side,
	};
	return more[diff->nruns++].name || cli_no_memory(cli);
}

static bool end_run(const struct cli *cli, struct diff *diff)
{
	struct diff_run *run = &diff->run[diff->nruns - 1];

	run->n = cli->ninputs - run->from;
	if (run->n)
		return true;
	cli_say(cli, "%s: there is no file in this folder or below", run->name);
	return false;
}

static bool add_run(struct cli *cli, const char *path, unsigned side)
{
	return begin_run(cli, cli->own, path, side) &&
	       (is_of_kind(path, S_IFDIR) ? add_folder(cli, path) :
					    cli_input(cli, path)) &&
	       end_run(cli, cli->own);
}

/* The only operand of its side: each entry of the folder is a run. */
static bool add_runs_in(struct cli *cli, const char *folder, unsigned side)
{
	return add_all(cli, folder, side, "there is no run in it", add_run);
}

bool diff_list_runs(struct cli *cli)
{
	size_t n = cli->ninputs, before = cli->nbefore;
	char **inputs = cli->inputs;
	bool good = true;

	if (!before && n == 2)
		before = 1;
	if (!before || before >= n) {
		cli_say(cli, "--runs: which runs were before the change, and "
			"which after? flame-diff --runs A1 A2 A3 -- B1 B2 B3");
		return false;
	}
	cli->inputs = NULL;
	cli->ninputs = cli->nheld = cli->inputs_capacity = 0;
	for (size_t i = 0; i < n; i++) {
		unsigned side = i >= before;
		bool only = side ? n - before == 1 : before == 1;

		if (good && only && is_of_kind(inputs[i], S_IFDIR) &&
		    !site_is(inputs[i]))
			good = add_runs_in(cli, inputs[i], side);
		else if (good)
			good = add_run(cli, inputs[i], side);
		free(inputs[i]);
	}
	free(inputs);
	return good;
}

void diff_free_runs(struct diff *diff)
{
	for (size_t i = 0; i < diff->nruns; i++)
		free(diff->run[i].name);
	free(diff->run);
}
