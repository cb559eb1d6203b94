/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli_convert_each() converts each input to a file of its own, where -o is a
 * folder.  A file is named after its input; where several would have one name,
 * after their folders too.  Called by cli.c.
 */
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The output path for an input. */
struct place {
	char *path;
	size_t input;
	unsigned folders;	/* that are part of its name */
	bool numbered;
	bool shared;		/* another has the same path */
};

/* The start of the folder's name that ends before `end`; NULL: none. */
static const char *folder_before(const char *path, const char *end,
				 size_t *size)
{
	const char *at;

	for (;; end = at) {
		while (end > path && end[-1] == '/')
			end--;
		for (at = end; at > path && at[-1] != '/'; at--)
			;
		*size = (size_t)(end - at);
		if (!*size)
			return NULL;
		if (strncmp(at, ".", *size) != 0 &&
		    strncmp(at, "..", *size) != 0)
			return at;
	}
}

static const char *base_of(const char *input)
{
	const char *slash = strrchr(input, '/');

	return slash ? slash + 1 : input;
}

static unsigned count_folders(const char *input)
{
	const char *at = base_of(input);
	unsigned n = 0;
	size_t size;

	while ((at = folder_before(input, at, &size)))
		n++;
	return n;
}

/* "a/b/x.jfr" with two of its folders: "a-b-x.jfr". */
static char *name_of(const char *input, unsigned folders)
{
	const char *at = base_of(input);
	char *name = strdup(strcmp(at, "-") ? at : "stdin"), *longer;
	size_t size;

	for (; name && folders; folders--, name = longer) {
		at = folder_before(input, at, &size);
		if (!at)
			break;
		if (asprintf(&longer, "%.*s-%s", (int)size, at, name) < 0)
			longer = NULL;
		free(name);
	}
	return name;
}

/* "dir/exec-7.jfr.gz" into DIR: "DIR/exec-7.html". */
static char *path_in(const struct cli *cli, const struct place *place)
{
	char *name = name_of(cli->inputs[place->input], place->folders);
	char number[24] = "", *path = NULL, *end;

	if (!name)
		return NULL;
	end = strstr(name, ".jfr");
	if (!end)
		end = strrchr(name, '.');
	if (!end || end == name)
		end = name + strlen(name);
	if (place->numbered)
		snprintf(number, sizeof(number), "-%zu", place->input + 1);
	if (asprintf(&path, "%s/%.*s%s.%s", cli->output, (int)(end - name),
		     name, number, cli->output_format) < 0)
		path = NULL;
	free(name);
	return path;
}

static int by_path(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int d = strcmp(x->path, y->path);

	return d ? d : (x->input > y->input) - (x->input < y->input);
}

static int by_input(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return (x->input > y->input) - (x->input < y->input);
}

static bool set_paths(const struct cli *cli, struct place *at)
{
	for (size_t i = 0; i < cli->ninputs; i++) {
		free(at[i].path);
		at[i].path = path_in(cli, &at[i]);
		if (!at[i].path)
			return cli_no_memory(cli);
	}
	return true;
}

/* Whether any path is there twice. */
static bool find_taken(const struct cli *cli, struct place *at)
{
	bool any = false;

	qsort(at, cli->ninputs, sizeof(*at), by_path);
	for (size_t i = 0; i < cli->ninputs; i++)
		at[i].shared = false;
	for (size_t i = 1; i < cli->ninputs; i++)
		if (strcmp(at[i - 1].path, at[i].path) == 0)
			at[i - 1].shared = at[i].shared = any = true;
	return any;
}

/* Finds a longer name for each input whose path is shared; false: none left. */
static bool lengthen(const struct cli *cli, struct place *at)
{
	for (size_t i = 0; i < cli->ninputs; i++) {
		const char *input = cli->inputs[at[i].input];

		if (!at[i].shared)
			continue;
		if (at[i].numbered) {
			cli_say(cli, "%s and another input would both become "
				"%s", input, at[i].path);
			return false;
		}
		if (at[i].folders < count_folders(input))
			at[i].folders++;
		else
			at[i].numbered = true;
	}
	return true;
}

static bool name_places(const struct cli *cli, struct place *at)
{
	for (size_t i = 0; i < cli->ninputs; i++)
		at[i].input = i;
	if (!set_paths(cli, at))
		return false;
	while (find_taken(cli, at))
		if (!lengthen(cli, at) || !set_paths(cli, at))
			return false;
	qsort(at, cli->ninputs, sizeof(*at), by_input);
	return true;
}

int cli_convert_each(struct cli *cli)
{
	struct place *at = calloc(cli->ninputs, sizeof(*at));
	int worst = CLI_TROUBLE;

	if (!at) {
		cli_no_memory(cli);
	} else if (name_places(cli, at)) {
		worst = CLI_FINE;
		for (size_t i = 0; i < cli->ninputs && !cli->refused; i++) {
			cli->input = cli->inputs[i];
			worst = cli_worse(worst,
					  cli_convert(cli, &cli->inputs[i], 1,
						      at[i].path));
		}
	}
	for (size_t i = 0; at && i < cli->ninputs; i++)
		free(at[i].path);
	free(at);
	return worst;
}
