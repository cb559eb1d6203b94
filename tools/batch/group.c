/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inputs of flame-batch, and their groups.  batch_collect() lists the files
 * of the operands, which are files, folders and URLs; batch_make_groups() sorts
 * them by their keys, and names a group for each key that occurs.  Called by
 * flame-batch.c and archive.c.
 */
#include "batch/batch.h"
#include "batch/walk.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Inputs -------------------------------------------------------------- */

bool batch_add_input(struct batch *batch, const char *path,
		     const struct stat *st)
{
	struct batch_input *input;

	if (!cli_grow(batch->cli, &batch->inputs, &batch->inputs_capacity,
		      batch->ninputs + 1, sizeof(*input)))
		return false;
	input = &batch->inputs[batch->ninputs++];
	*input = (struct batch_input){
		.path = strdup(path), .shown = batch_shown_path(path),
	};
	if (!input->path || !input->shown)
		return cli_no_memory(batch->cli);
	if (st) {
		input->size = (uint64_t)st->st_size;
		snprintf(input->mtime, sizeof(input->mtime), "%lld.%09ld",
			 (long long)st->st_mtim.tv_sec, st->st_mtim.tv_nsec);
	}
	return batch_read_values(batch, input);
}

/* Checksums of Hadoop (.x.crc), _SUCCESS, _temporary. */
static bool is_hidden(const struct walk_entry *entry)
{
	return entry->depth > 0 &&
	       (entry->name[0] == '.' || entry->name[0] == '_');
}

struct collecting {
	struct batch *batch;
	struct stat site;	/* no input */
	bool failed;
};

static bool is_site(const struct stat *site, const struct walk_entry *entry)
{
	return entry->st.st_dev == site->st_dev &&
	       entry->st.st_ino == site->st_ino;
}

static enum walk_answer add_entry(void *arg, const struct walk_entry *entry)
{
	struct collecting *to = arg;

	switch (entry->kind) {
	case WALK_FOLDER:
		return is_hidden(entry) || is_site(&to->site, entry) ?
		       WALK_SKIP : WALK_ON;
	case WALK_FILE:
		to->failed = !is_hidden(entry) &&
			     !batch_add_input(to->batch, entry->path,
					      &entry->st);
		break;
	case WALK_UNREADABLE:
		to->failed = !batch_add_input(to->batch, entry->path, NULL);
		break;
	case WALK_OTHER:
		break;
	}
	return to->failed ? WALK_STOP : WALK_ON;
}

static bool add_folder(struct collecting *to, const char *path)
{
	if (walk(path, add_entry, to) == 0)
		return !to->failed;
	cli_say(to->batch->cli, "%s: %s", path, strerror(errno));
	return false;
}

bool batch_collect(struct batch *batch, struct flame *flame)
{
	struct cli *cli = batch->cli;
	struct collecting to = { .batch = batch };
	struct stat st;

	(void)stat(batch->site, &to.site);
	for (size_t i = 0; i < cli->ninputs; i++) {
		char *path = cli->inputs[i];
		bool there = stat(path, &st) == 0;

		if (flame_url(path) || cli->fetch) {
			if (!batch_add_url(batch, flame, path))
				return false;
		} else if (there && S_ISDIR(st.st_mode)) {
			if (!add_folder(&to, path))
				return false;
		} else if (!batch_add_input(batch, path, there ? &st : NULL)) {
			return false;
		}
	}
	return true;
}

/* Groups -------------------------------------------------------------- */

/* Numbers in texts by their values: stage 2 comes before stage 10. */
static int compare_text(const char *a, const char *b)
{
	const char *x = a, *y = b;

	while (*x && *y) {
		if (isdigit((unsigned char)*x) && isdigit((unsigned char)*y)) {
			size_t n, m;
			int d;

			for (; *x == '0'; x++)
				;
			for (; *y == '0'; y++)
				;
			n = strspn(x, "0123456789");
			m = strspn(y, "0123456789");
			d = n != m ? (n < m ? -1 : 1) : strncmp(x, y, n);
			if (d)
				return d;
			x += n;
			y += m;
		} else if (*x != *y) {
			break;
		} else {
			x++;
			y++;
		}
	}
	if (*x != *y)
		return (unsigned char)*x < (unsigned char)*y ? -1 : 1;
	return strcmp(a, b);
}

int batch_compare_keys(const struct batch_input *a,
		       const struct batch_input *b)
{
	int d = 0;

	for (size_t i = 0; i < BATCH_MAX_KEYS && a->values[i] && !d; i++)
		d = compare_text(a->values[i], b->values[i]);
	return d;
}

static int by_key(const void *a, const void *b)
{
	const struct batch_input *x = a, *y = b;
	int d = batch_compare_keys(x, y);

	return d ? d : compare_text(x->path, y->path);
}

void batch_free_input(struct batch_input *input)
{
	for (size_t i = 0; i < BATCH_MAX_KEYS; i++)
		free(input->values[i]);
	free(input->path);
	free(input->shown);
}

/* A file that was named twice is one. */
static void drop_doubles(struct batch *batch)
{
	size_t n = 0;

	for (size_t i = 0; i < batch->ninputs; i++) {
		struct batch_input *input = &batch->inputs[i];

		if (n && strcmp(batch->inputs[n - 1].path, input->path) == 0)
			batch_free_input(input);
		else
			batch->inputs[n++] = *input;
	}
	batch->ninputs = n;
}

/* Of an app, a file and "[no task]" the value says enough. */
char *batch_title(const struct batch *batch, const struct batch_input *input,
		  char separator)
{
	char *title = strdup(""), *longer;

	for (size_t i = 0; title && i < batch->nkeys; i++) {
		bool named = strcmp(batch->keys[i], "app") != 0 &&
			     strcmp(batch->keys[i], "file") != 0 &&
			     *input->values[i] != '[';
		char between[2] = { *title ? separator : '\0', '\0' };
		char after[2] = { named ? separator : '\0', '\0' };

		if (!*input->values[i])
			continue;
		if (asprintf(&longer, "%s%s%s%s%s", title, between,
			     named ? batch->keys[i] : "", after,
			     input->values[i]) < 0)
			longer = NULL;
		free(title);
		title = longer;
	}
	if (title && !*title) {
		free(title);
		title = strdup("all");
	}
	return title;
}

enum { MAX_NAME = 120 };

/* Characters that every file system allows, and no leading dash. */
void batch_make_safe(char *name)
{
	if (strlen(name) > MAX_NAME)
		name[MAX_NAME] = '\0';
	for (char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("._@+-", *c))
			*c = '_';
	if (*name == '.' || *name == '-')
		*name = '_';
}

static bool is_taken(const char *name, char *const *names, size_t n)
{
	if (strcmp(name, "index") == 0 || strcmp(name, "manifest") == 0 ||
	    strcmp(name, "summary") == 0)
		return true;
	for (size_t i = 0; i < n; i++)
		if (strcasecmp(names[i], name) == 0)
			return true;
	return false;
}

char *batch_unique(const char *base, char *const *names, size_t n)
{
	char *name = strdup(base);

	for (unsigned i = 2; name && is_taken(name, names, n); i++) {
		free(name);
		if (asprintf(&name, "%s-%u", base, i) < 0)
			name = NULL;
	}
	return name;
}

static bool name_groups(struct batch *batch)
{
	char **names = calloc(batch->ngroups + 1, sizeof(char *));
	bool good = names;

	for (size_t i = 0; good && i < batch->ngroups; i++) {
		struct batch_group *group = &batch->groups[i];
		char *base = batch_title(batch, group->inputs, '-');

		if (base)
			batch_make_safe(base);
		group->title = batch_title(batch, group->inputs, ' ');
		group->name = base ? batch_unique(base, names, i) : NULL;
		names[i] = group->name;
		good = group->title && group->name;
		free(base);
	}
	free(names);
	return good || cli_no_memory(batch->cli);
}

bool batch_make_groups(struct batch *batch)
{
	struct batch_group *group = NULL;

	if (batch->ninputs)
		qsort(batch->inputs, batch->ninputs, sizeof(*batch->inputs),
		      by_key);
	drop_doubles(batch);
	batch->groups = calloc(batch->ninputs + 1, sizeof(*batch->groups));
	if (!batch->groups)
		return cli_no_memory(batch->cli);
	for (size_t i = 0; i < batch->ninputs; i++) {
		const struct batch_input *input = &batch->inputs[i];

		if (!group || batch_compare_keys(group->inputs, input) != 0) {
			group = &batch->groups[batch->ngroups++];
			group->inputs = input;
		}
		group->n++;
		group->bytes += input->size;
	}
	for (size_t i = 0; i < batch->ngroups; i++)
		batch->groups[i].split = batch_is_split(
			batch, batch->groups[i].inputs);
	return name_groups(batch);
}

void batch_free(struct batch *batch)
{
	for (size_t i = 0; i < batch->ngroups; i++) {
		free(batch->groups[i].title);
		free(batch->groups[i].name);
		cJSON_Delete(batch->groups[i].record);
	}
	free(batch->groups);
	batch_free_pages(batch);
	batch_free_logs(batch);
	free(batch->found);
	for (size_t i = 0; i < batch->ninputs; i++)
		batch_free_input(&batch->inputs[i]);
	free(batch->inputs);
	for (size_t i = 0; i < batch->nkeys; i++)
		free(batch->keys[i]);
	free(batch->options);
	cJSON_Delete(batch->apps);
	cJSON_Delete(batch->coverage);
	free(batch->stage_pages);
}
