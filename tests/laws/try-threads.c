/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dictionaries are apart: threads that have one each read the same files at
 * the same time, and fold all of them alike.  What is made once in a process
 * (libraries that are loaded late, tables) is made here by several at once.
 *
 *	try-threads FILE...
 */
#include "fl.h"

#include "flow/flow.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4 };

static char **files;
static size_t nfiles;
static pthread_barrier_t barrier;

struct reader {
	pthread_t thread;
	size_t first;		/* file: not all begin with one */
	struct fl_buf *folded;	/* of each file */
};

static int keep(void *arg, const void *data, size_t size)
{
	fl_buf_put(arg, data, size);
	return 0;
}

static void fold(struct flame *flame, const char *file, struct fl_buf *to)
{
	struct flame_source *source = flame_open(flame, file, NULL);
	struct flame_sink *sink = flame_pick(
		flame_create_callback(flame, "folded", keep, to), NULL);

	if (source && sink && flame_pump(source, sink) == FLAME_OK)
		flame_finish(sink);
	else
		flame_abandon(sink);
	fl_buf_text(to, flame_error(flame));
	fl_buf_byte(to, '\0');
	flame_close(source);
}

static void *read_all(void *arg)
{
	struct reader *reader = arg;

	pthread_barrier_wait(&barrier);
	for (size_t i = 0; i < nfiles; i++) {
		size_t file = (reader->first + i) % nfiles;
		struct flame *flame = flame_new();

		fold(flame, files[file], &reader->folded[file]);
		flame_free(flame);
	}
	return NULL;
}

static bool compare(const struct reader *readers, size_t file)
{
	const struct fl_buf *first = &readers[0].folded[file];
	bool same = first->size > 1;

	for (size_t i = 1; i < THREADS; i++)
		same = same && readers[i].folded[file].size == first->size &&
		       strcmp(readers[i].folded[file].data, first->data) == 0;
	printf("%sok %zu - threads read %s alike\n", same ? "" : "not ",
	       file + 1, strrchr(files[file], '/') + 1);
	return same;
}

int main(int argc, char **argv)
{
	struct reader readers[THREADS] = { 0 };
	bool good = true;

	files = argv + 1;
	nfiles = (size_t)argc - 1;
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (size_t i = 0; i < THREADS; i++) {
		readers[i].first = i / 2;
		readers[i].folded = calloc(nfiles, sizeof(struct fl_buf));
		pthread_create(&readers[i].thread, NULL, read_all, &readers[i]);
	}
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(readers[i].thread, NULL);
	for (size_t file = 0; file < nfiles; file++)
		good = compare(readers, file) && good;
	for (size_t i = 0; i < THREADS; i++) {
		for (size_t file = 0; file < nfiles; file++)
			fl_buf_free(&readers[i].folded[file]);
		free(readers[i].folded);
	}
	printf("1..%zu\n", nfiles);
	return good ? 0 : 1;
}
