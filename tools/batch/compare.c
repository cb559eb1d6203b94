/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draws pages of flame-batch that compare two sides: files of folded stacks of
 * the site, or of it and an earlier one, so that no input is read again.
 * batch_draw_sides() is for report/against.c, batch_draw_difference() for
 * outliers.c.
 */
#include "batch/batch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A file of a site, to be freed; NULL: the message is printed. */
static char *read_file(const struct batch *batch, const char *site,
		       const char *name, size_t *size)
{
	char *path = NULL, *bytes = NULL;
	FILE *file;
	struct stat st;

	if (asprintf(&path, "%s/%s", site, name) < 0)
		path = NULL;
	file = path ? fopen(path, "r") : NULL;
	if (file && fstat(fileno(file), &st) == 0) {
		*size = (size_t)st.st_size;
		bytes = malloc(*size + 1);
	}
	if (bytes && fread(bytes, 1, *size, file) != *size) {
		free(bytes);
		bytes = NULL;
	}
	if (path && !bytes)
		cli_say(batch->cli, "%s: %s", path, strerror(errno));
	if (file)
		fclose(file);
	free(path);
	return bytes;
}

/* The page names its inputs, but not the folder of the site. */
static bool pump(const struct batch *batch, struct flame *flame,
		 struct flame_sink *sink, const char *site, const char *folded)
{
	size_t size;
	char *bytes = read_file(batch, site, folded, &size);
	struct flame_source *source = bytes ?
		flame_open_memory(flame, bytes, size, folded, "folded") : NULL;
	bool good = source && flame_pump(source, sink) == FLAME_OK;

	flame_close(source);
	free(bytes);
	return good;
}

static bool fill(const struct batch *batch, struct flame *flame,
		 struct flame_tree *tree, unsigned column,
		 const struct batch_side *side)
{
	struct flame_sink *sink = flame_tree_sink(tree, column);
	bool good = sink;

	for (size_t i = 0; good && i < side->n; i++)
		good = pump(batch, flame, sink, side->site, side->folded[i]);
	if (good)
		return flame_finish(sink) == FLAME_OK;
	flame_abandon(sink);
	return false;
}

static bool write_page(const struct batch *batch, struct flame *flame,
		       struct flame_tree *tree, const char *title,
		       const char *name, const char *normalize)
{
	char *path = batch_path(batch, "%s", name);
	struct flame_sink *page = path ? flame_create(flame, path, "html") :
					 NULL;

	free(path);
	if (!page)
		return false;
	if (flame_set(page, "title", title) == FLAME_OK &&
	    (!normalize ||
	     flame_set(page, "normalize", normalize) == FLAME_OK) &&
	    (!batch->split ||
	     flame_set(page, "split", NULL) == FLAME_OK) &&
	    flame_tree_write(tree, page) == FLAME_OK)
		return flame_finish(page) == FLAME_OK;
	flame_abandon(page);
	return false;
}

bool batch_draw_sides(const struct batch *batch, const char *title,
		      const char *page, const struct batch_side *before,
		      const struct batch_side *after, const char *normalize)
{
	struct flame *flame = flame_new();
	struct flame_tree *tree = flame ? flame_tree_new(flame, 2) : NULL;
	bool good;

	good = tree && fill(batch, flame, tree, 0, before) &&
	       fill(batch, flame, tree, 1, after) &&
	       write_page(batch, flame, tree, title, page, normalize);
	if (!good && (!flame || flame_error(flame)[0]))
		cli_say(batch->cli, "%s: %s", title,
			flame ? flame_error(flame) : "out of memory");
	flame_tree_free(tree);
	flame_free(flame);
	return good;
}

bool batch_draw_difference(const struct batch *batch, const char *title,
			   const char *page, const char *before,
			   const char *after)
{
	const struct batch_side a = { batch->site, &before, 1 };
	const struct batch_side b = { batch->site, &after, 1 };

	return batch_draw_sides(batch, title, page, &a, &b, "total");
}
