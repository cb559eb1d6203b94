/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame: all tools as one program.  main() calls the tool that the program's
 * own name says, or its first argument.  --links makes links with the names of
 * the tools.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

#define TOOLS(f) \
	f("flame-batch", flame_batch_main, \
	  "a site of flame graphs from a job's recordings") \
	f("flame-diff", flame_diff_main, "two profiles compared") \
	f("flame-filter", flame_filter_main, "stacks picked, cut, renamed") \
	f("flame-fold", flame_fold_main, "any profiles in, folded stacks out") \
	f("flame-graph", flame_graph_main, "any profiles to SVG, HTML or text") \
	f("flame-merge", flame_merge_main, "sorted folded stacks merged") \
	RECORD(f) \
	f("flame-top", flame_top_main, "the heaviest frames as a table") \
	f("jfr2flame", jfr2flame_main, "JFR recordings to flame graphs")

#ifdef HAVE_SAMPLER
#define RECORD(f) f("flame-record", flame_record_main, "the sampler")
#else
#define RECORD(f)
#endif

#define DECLARE(name, function, about) int function(int argc, char **argv);
TOOLS(DECLARE)

#define ROW(name, function, about) { name, about, function },
static const struct row {
	const char *name, *about;
	int (*main)(int argc, char **argv);
} rows[] = { TOOLS(ROW) };

enum { NROWS = sizeof(rows) / sizeof(rows[0]) };

/* "flame-fold", or where that is said already "fold". */
static const struct row *find(const char *name, bool briefly)
{
	for (size_t i = 0; i < NROWS; i++)
		if (strcmp(rows[i].name, name) == 0 ||
		    (briefly && strncmp(rows[i].name, "flame-", 6) == 0 &&
		     strcmp(rows[i].name + 6, name) == 0))
			return &rows[i];
	return NULL;
}

static void list(FILE *to)
{
	for (size_t i = 0; i < NROWS; i++)
		fprintf(to, "  %-14s%s\n", rows[i].name, rows[i].about);
}

static int finish(void)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return CLI_FINE;
	fprintf(stderr, "flame: standard output: %s\n", strerror(errno));
	return CLI_TROUBLE;
}

static int help(void)
{
	printf("Usage: flame TOOL [ARGUMENT...]\n"
	       "Flame graphs of any profile: all tools in one file.  A link to "
	       "this file that\nhas a tool's name is that tool.\n\n");
	list(stdout);
	printf("\nflame TOOL --help shows a tool's options; flame fold is "
	       "flame flame-fold.\n"
	       "  -h, --help       list the tools\n"
	       "      --links=DIR  put links with the tools' names into a "
	       "folder\n"
	       "  -V, --version    show the version and what is built in\n"
	       "\nExamples:\n"
	       "  flame jfr2flame app.jfr app.html\n"
	       "  perf script | flame graph -o perf.html\n"
	       "  flame --links ~/bin && jfr2flame app.jfr app.html\n");
	return finish();
}

/* The path of this program; without /proc, the one it was called by. */
static char *find_self(const char *called)
{
	char *self = realpath("/proc/self/exe", NULL);

	if (!self && strchr(called, '/'))
		self = realpath(called, NULL);
	if (!self)
		fprintf(stderr, "flame: --links: cannot find this program "
			"without /proc; call it by its path\n");
	return self;
}

/* Links to this program in a folder; links of an older one are replaced. */
static int make_links(const char *called, const char *folder)
{
	char *self = find_self(called);
	size_t size = strlen(folder) + 32;
	char *path = self ? malloc(size) : NULL;
	int status = path ? CLI_FINE : CLI_TROUBLE;

	for (size_t i = 0; i < NROWS && status == CLI_FINE; i++) {
		char old[1];

		snprintf(path, size, "%s/%s", folder, rows[i].name);
		if (readlink(path, old, sizeof(old)) >= 0)
			(void)unlink(path);
		if (symlink(self, path) == 0)
			continue;
		fprintf(stderr, "flame: %s: %s\n", path, strerror(errno));
		status = CLI_TROUBLE;
	}
	free(path);
	free(self);
	return status;
}

/* argv[1] is not a tool's name. */
static int own_options(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "--help", *folder = NULL;

	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 ||
	    strcmp(word, "--help=all") == 0)
		return help();
	if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
		cli_version("flame");
		return finish();
	}
	if (strncmp(word, "--links=", 8) == 0)
		folder = word + 8;
	else if (strcmp(word, "--links") == 0)
		folder = argc > 2 ? argv[2] : "";
	if (folder && *folder)
		return make_links(argv[0], folder);
	if (folder)
		fprintf(stderr, "flame: --links takes a folder, as in "
			"--links=bin\n");
	else
		fprintf(stderr, "flame: %.100s: no such tool; there are:\n",
			word);
	if (!folder)
		list(stderr);
	return CLI_TROUBLE;
}

int main(int argc, char **argv)
{
	const char *slash = argc ? strrchr(argv[0], '/') : NULL;
	const struct row *row = NULL;

	if (argc)
		row = find(slash ? slash + 1 : argv[0], false);
	if (row)
		return row->main(argc, argv);
	if (argc > 1)
		row = find(argv[1], true);
	return row ? row->main(argc - 1, argv + 1) : own_options(argc, argv);
}
