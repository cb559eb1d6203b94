/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk() visits a folder and all files and folders below it, in the order of
 * names, and calls a function with each.  The names of each open folder are in
 * memory, the folders themselves are closed: depth costs no descriptors.  For
 * group.c, logs.c and archive.c.
 */
#include "batch/walk.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct level {
	struct dirent **names;	/* sorted */
	int n, next;
	size_t path_size;	/* of the folder's path, with its slash */
	dev_t device;
	ino_t inode;
};

struct walk {
	struct level *levels;
	size_t depth, capacity;
	char *path;
	size_t path_capacity;
	walk_visit *visit;
	void *arg;
};

static int is_entry(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 &&
	       strcmp(entry->d_name, "..") != 0;
}

/* Not alphasort(): the order is the same in every locale. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static bool append(struct walk *walk, size_t size, const char *name)
{
	size_t needed = size + strlen(name) + 2;	/* a slash, the end */

	if (needed > walk->path_capacity) {
		char *longer = realloc(walk->path, needed * 2);

		if (!longer)
			return false;
		walk->path = longer;
		walk->path_capacity = needed * 2;
	}
	strcpy(walk->path + size, name);
	return true;
}

/* A folder that is an ancestor of itself, by a link. */
static bool is_loop(const struct walk *walk, const struct stat *st)
{
	for (size_t i = 0; i < walk->depth; i++)
		if (walk->levels[i].device == st->st_dev &&
		    walk->levels[i].inode == st->st_ino)
			return true;
	return false;
}

static struct walk_entry look_at(const struct walk *walk, size_t name)
{
	struct walk_entry entry = {
		.path = walk->path, .name = walk->path + name,
		.depth = (unsigned)walk->depth, .kind = WALK_OTHER,
	};

	if (stat(walk->path, &entry.st) != 0) {
		if (lstat(walk->path, &entry.st) != 0)
			entry.kind = WALK_UNREADABLE;
	} else if (S_ISDIR(entry.st.st_mode)) {
		entry.kind = WALK_FOLDER;
	} else if (S_ISREG(entry.st.st_mode)) {
		entry.kind = WALK_FILE;
	}
	return entry;
}

static bool grow(struct walk *walk)
{
	size_t capacity = walk->capacity * 2 + 8;
	struct level *levels;

	if (walk->depth < walk->capacity)
		return true;
	levels = realloc(walk->levels, capacity * sizeof(*levels));
	if (!levels)
		return false;
	walk->levels = levels;
	walk->capacity = capacity;
	return true;
}

/* Go into a folder that was visited.  1: the visit says stop; -1: failed. */
static int enter(struct walk *walk, struct walk_entry *entry)
{
	struct level level = {
		.device = entry->st.st_dev, .inode = entry->st.st_ino,
	};
	size_t size = strlen(walk->path);

	level.n = scandir(walk->path, &level.names, is_entry, by_name);
	if (level.n < 0) {
		if (errno == ENOMEM)
			return -1;
		entry->kind = WALK_UNREADABLE;
		return walk->visit(walk->arg, entry) == WALK_STOP;
	}
	/* There is space for a slash: see append(). */
	if (size && walk->path[size - 1] != '/')
		strcpy(walk->path + size++, "/");
	level.path_size = size;
	if (!grow(walk)) {
		while (level.n)
			free(level.names[--level.n]);
		free(level.names);
		return -1;
	}
	walk->levels[walk->depth++] = level;
	return 0;
}

static int visit(struct walk *walk, size_t name)
{
	struct walk_entry entry = look_at(walk, name);

	if (entry.kind == WALK_FOLDER && is_loop(walk, &entry.st))
		return 0;
	switch (walk->visit(walk->arg, &entry)) {
	case WALK_STOP:
		return 1;
	case WALK_SKIP:
		return 0;
	default:
		return entry.kind == WALK_FOLDER ? enter(walk, &entry) : 0;
	}
}

static void leave(struct walk *walk)
{
	struct level *level = &walk->levels[--walk->depth];

	for (int i = level->next; i < level->n; i++)
		free(level->names[i]);
	free(level->names);
}

int walk(const char *folder, walk_visit *function, void *arg)
{
	struct walk walk = { .visit = function, .arg = arg };
	const char *slash = strrchr(folder, '/');
	size_t name = slash && slash[1] ? (size_t)(slash + 1 - folder) : 0;
	int status = append(&walk, 0, folder) ? visit(&walk, name) : -1;
	int error;

	while (walk.depth && status == 0) {
		struct level *level = &walk.levels[walk.depth - 1];
		struct dirent *entry;

		if (level->next == level->n) {
			leave(&walk);
			continue;
		}
		name = level->path_size;
		entry = level->names[level->next++];
		status = append(&walk, name, entry->d_name) ?
			 visit(&walk, name) : -1;
		free(entry);
	}
	error = errno;
	while (walk.depth)
		leave(&walk);
	free(walk.levels);
	free(walk.path);
	errno = error;
	return status < 0 ? -1 : 0;
}
