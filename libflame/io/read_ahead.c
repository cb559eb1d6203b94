/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unpacks an input in a thread of its own, for in.c: fl_read_ahead_read()
 * returns the next block of unpacked bytes.  The thread fills a ring of blocks
 * while the caller reads earlier ones.  It owns the input and its layers, and
 * has a dictionary for their messages alone: a block carries the messages of
 * its bytes, so they come out in the same order as without a thread.
 */
#include "fl.h"

#include "base/report.h"
#include "io/read_ahead.h"

#include <pthread.h>
#include <unistd.h>

enum { BLOCKS = 4 };

struct block {
	uint8_t *at;
	size_t n;
	bool last;
	const char *damage;
	struct fl_buf said;	/* messages: 'w' or 'r', text, NUL */
	struct flame_progress progress;	/* no input: none */
};

struct fl_read_ahead {
	struct fl_in *in;
	struct flame *flame;
	int stop[2];		/* pipe; readable: the reader closed its end */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct block block[BLOCKS];

	/* Numbers of blocks; under the lock. */
	unsigned filled, emptied;
	bool quit;
};

/* In the thread --------------------------------------------------------- */

static void note(struct fl_read_ahead *a, char kind, const char *line)
{
	struct fl_buf *said = &a->block[a->filled % BLOCKS].said;

	fl_buf_byte(said, kind);
	fl_buf_put(said, line, strlen(line) + 1);
}

static void on_warning(void *arg, const char *line)
{
	note(arg, 'w', line);
}

static void on_remark(void *arg, const char *line)
{
	note(arg, 'r', line);
}

static void on_progress(void *arg, const struct flame_progress *at)
{
	struct fl_read_ahead *a = arg;

	a->block[a->filled % BLOCKS].progress = *at;
}

static bool wait_for_block(struct fl_read_ahead *a)
{
	bool quit;

	pthread_mutex_lock(&a->lock);
	while (a->filled - a->emptied == BLOCKS && !a->quit)
		pthread_cond_wait(&a->changed, &a->lock);
	quit = a->quit;
	pthread_mutex_unlock(&a->lock);
	return !quit;
}

static void *fill(void *arg)
{
	struct fl_read_ahead *a = arg;
	struct block *block;
	bool last = false;
	size_t left;

	while (!last && wait_for_block(a)) {
		block = &a->block[a->filled % BLOCKS];
		block->n = fl_in_read_block(a->in, block->at, FL_BLOCK);
		/* Bytes unpacked before the thread began come first. */
		fl_in_peek(a->in, 0, &left);
		block->damage = left ? NULL : fl_in_damage(a->in);
		last = block->last = !block->n || block->damage;
		pthread_mutex_lock(&a->lock);
		a->filled++;
		pthread_cond_signal(&a->changed);
		pthread_mutex_unlock(&a->lock);
	}
	return NULL;
}

/* In the caller's thread -------------------------------------------------- */

static void repeat(struct fl_read_ahead *a, struct block *block,
		   struct flame *flame)
{
	const char *said = block->said.data;

	for (size_t i = 0; i < block->said.size; i += strlen(said + i) + 1)
		(said[i] == 'w' ? fl_warn : fl_remark)(flame, "%s",
						       said + i + 1);
	block->said.size = 0;
	if (block->progress.input)
		fl_progress(flame, block->progress.input, block->progress.done,
			    block->progress.size);
	block->progress.input = NULL;
	if (block->said.failed)
		fl_no_memory(flame);
	if (!block->last || !fl_failed(a->flame))
		return;
	fl_fail(flame, "%s", flame_error(a->flame));
	if (flame_clear(a->flame) != FLAME_OK)
		fl_no_memory(flame);
}

size_t fl_read_ahead_read(struct fl_read_ahead *a, struct flame *flame,
			  uint8_t *to, const char **damage)
{
	struct block *block = &a->block[a->emptied % BLOCKS];
	size_t n;

	pthread_mutex_lock(&a->lock);
	while (a->filled == a->emptied)
		pthread_cond_wait(&a->changed, &a->lock);
	pthread_mutex_unlock(&a->lock);
	repeat(a, block, flame);
	n = block->n;
	if (n)
		memcpy(to, block->at, n);
	*damage = block->damage;
	if (block->last)
		return n;
	pthread_mutex_lock(&a->lock);
	a->emptied++;
	pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->lock);
	return n;
}

static void free_ahead(struct fl_read_ahead *a)
{
	for (unsigned i = 0; i < BLOCKS; i++) {
		fl_free(a->block[i].at);
		fl_buf_free(&a->block[i].said);
	}
	for (unsigned i = 0; i < 2; i++)
		if (a->stop[i] >= 0)
			close(a->stop[i]);
	fl_report_free(a->flame);
	pthread_mutex_destroy(&a->lock);
	pthread_cond_destroy(&a->changed);
	fl_free(a);
}

static bool get_ready(struct fl_read_ahead *a)
{
	for (unsigned i = 0; i < BLOCKS; i++) {
		a->block[i].at = fl_alloc(FL_BLOCK);
		if (!a->block[i].at)
			return false;
	}
	a->flame = fl_report_new();
	if (!a->flame || pipe(a->stop) != 0)
		return false;
	flame_on_warning(a->flame, on_warning, a);
	flame_on_remark(a->flame, on_remark, a);
	flame_on_progress(a->flame, on_progress, a);
	return true;
}

struct fl_read_ahead *fl_read_ahead_new(struct fl_in *in)
{
	struct flame *flame = fl_in_flame(in);
	struct fl_read_ahead *a = fl_zeroed(1, sizeof(*a));

	if (!a)
		return NULL;
	a->in = in;
	a->stop[0] = a->stop[1] = -1;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->changed, NULL);
	if (get_ready(a)) {
		fl_in_move_to_thread(in, a->flame, a->stop[0]);
		if (pthread_create(&a->thread, NULL, fill, a) == 0)
			return a;
		fl_in_move_to_thread(in, flame, -1);
	}
	free_ahead(a);
	return NULL;
}

void fl_read_ahead_free(struct fl_read_ahead *a)
{
	pthread_mutex_lock(&a->lock);
	a->quit = true;
	pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->lock);
	/* Closing this end makes the other readable: the thread ends. */
	close(a->stop[1]);
	a->stop[1] = -1;
	pthread_join(a->thread, NULL);
	fl_in_close(a->in);
	free_ahead(a);
}
