/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread pool: threads that run jobs in the order of submission, for
 * parts.c, read_ahead.c, format/jfr, and pages.  A thread that waits for a job
 * (fl_thread_pool_wait) runs other pending jobs meanwhile, so a pool of one
 * thread is its owner alone.  Jobs guard the data they share themselves.
 */
#include "fl.h"

#include "flow/flow.h"

#include <pthread.h>
#include <stdlib.h>

struct fl_thread_pool {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct fl_job *first, *last;	/* pending */
	bool quit;
	unsigned nthreads;
	pthread_t threads[];
};

/* Removes the first pending job, or NULL.  The caller holds the lock. */
static struct fl_job *next_job(struct fl_thread_pool *pool)
{
	struct fl_job *job = pool->first;

	if (job) {
		pool->first = job->next;
		if (!pool->first)
			pool->last = NULL;
	}
	return job;
}

/* Runs a job; the caller holds the lock, which is free meanwhile. */
static void run_job(struct fl_thread_pool *pool, struct fl_job *job)
{
	pthread_mutex_unlock(&pool->lock);
	job->run(job);
	pthread_mutex_lock(&pool->lock);
	job->done = true;
	pthread_cond_broadcast(&pool->changed);
}

static void *work(void *arg)
{
	struct fl_thread_pool *pool = arg;
	struct fl_job *job;

	pthread_mutex_lock(&pool->lock);
	while (!pool->quit) {
		job = next_job(pool);
		if (job)
			run_job(pool, job);
		else
			pthread_cond_wait(&pool->changed, &pool->lock);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

struct fl_thread_pool *fl_thread_pool_new(unsigned threads)
{
	struct fl_thread_pool *pool;

	threads = FL_MIN(threads, 256u);
	pool = fl_zeroed(1, sizeof(*pool) + threads * sizeof(*pool->threads));
	if (!pool)
		return NULL;
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->changed, NULL);
	while (pool->nthreads + 1 < threads &&
	       pthread_create(&pool->threads[pool->nthreads], NULL, work,
			      pool) == 0)
		pool->nthreads++;
	return pool;
}

void fl_thread_pool_submit(struct fl_thread_pool *pool, struct fl_job *job)
{
	job->done = false;
	job->next = NULL;
	pthread_mutex_lock(&pool->lock);
	if (pool->last)
		pool->last->next = job;
	else
		pool->first = job;
	pool->last = job;
	pthread_cond_broadcast(&pool->changed);
	pthread_mutex_unlock(&pool->lock);
}

void fl_thread_pool_wait(struct fl_thread_pool *pool, struct fl_job *job)
{
	struct fl_job *other;

	pthread_mutex_lock(&pool->lock);
	while (!job->done) {
		other = next_job(pool);
		if (other)
			run_job(pool, other);
		else
			pthread_cond_wait(&pool->changed, &pool->lock);
	}
	pthread_mutex_unlock(&pool->lock);
}

void fl_thread_pool_free(struct fl_thread_pool *pool)
{
	if (!pool)
		return;
	pthread_mutex_lock(&pool->lock);
	pool->quit = true;
	pthread_cond_broadcast(&pool->changed);
	pthread_mutex_unlock(&pool->lock);
	while (pool->nthreads)
		pthread_join(pool->threads[--pool->nthreads], NULL);
	pthread_mutex_destroy(&pool->lock);
	pthread_cond_destroy(&pool->changed);
	fl_free(pool);
}
