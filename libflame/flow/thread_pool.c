/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A team: threads that do jobs, as a rule in the order they are given.  Who
 * waits for a job does those that nobody has begun in the meantime; so a team
 * of one is its owner alone.  What a job may touch is for its owner to say.
 */
#include "fl.h"

#include "flow/flow.h"

#include <pthread.h>
#include <stdlib.h>

struct fl_thread_pool {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct fl_job *first, *last;	/* not begun */
	bool over;
	unsigned n;
	pthread_t threads[];
};

/* Under the lock: a job that is not begun, or NULL. */
static struct fl_job *take_job(struct fl_thread_pool *team)
{
	struct fl_job *job = team->first;

	if (job) {
		team->first = job->next;
		if (!team->first)
			team->last = NULL;
	}
	return job;
}

/* Who is in a hurry does not begin what is none of that. */
static struct fl_job *take_other(struct fl_thread_pool *team,
				 const struct fl_job *job)
{
	if (job->hurried && team->first && !team->first->hurried)
		return NULL;
	return take_job(team);
}

/* Under the lock, which is free while the job is done. */
static void do_job(struct fl_thread_pool *team, struct fl_job *job)
{
	pthread_mutex_unlock(&team->lock);
	job->run(job);
	pthread_mutex_lock(&team->lock);
	job->done = true;
	pthread_cond_broadcast(&team->changed);
}

static void *work(void *arg)
{
	struct fl_thread_pool *team = arg;
	struct fl_job *job;

	pthread_mutex_lock(&team->lock);
	while (!team->over) {
		job = take_job(team);
		if (job)
			do_job(team, job);
		else
			pthread_cond_wait(&team->changed, &team->lock);
	}
	pthread_mutex_unlock(&team->lock);
	return NULL;
}

struct fl_thread_pool *fl_thread_pool_new(unsigned threads)
{
	struct fl_thread_pool *team;

	threads = FL_MIN(threads, 256u);
	team = fl_zeroed(1, sizeof(*team) + threads * sizeof(*team->threads));
	if (!team)
		return NULL;
	pthread_mutex_init(&team->lock, NULL);
	pthread_cond_init(&team->changed, NULL);
	while (team->n + 1 < threads &&
	       pthread_create(&team->threads[team->n], NULL, work, team) == 0)
		team->n++;
	return team;
}

/* Where `at` is, in the list of those that are not begun. */
static void put_in(struct fl_thread_pool *team, struct fl_job **at,
		   struct fl_job *job)
{
	job->next = *at;
	*at = job;
	if (!job->next)
		team->last = job;
	pthread_cond_broadcast(&team->changed);
}

void fl_thread_pool_submit(struct fl_thread_pool *team, struct fl_job *job)
{
	job->done = job->hurried = false;
	pthread_mutex_lock(&team->lock);
	put_in(team, team->last ? &team->last->next : &team->first, job);
	pthread_mutex_unlock(&team->lock);
}

void fl_thread_pool_submit_first(struct fl_thread_pool *team,
				 struct fl_job *job)
{
	job->done = false;
	job->hurried = true;
	pthread_mutex_lock(&team->lock);
	put_in(team, &team->first, job);
	pthread_mutex_unlock(&team->lock);
}

void fl_thread_pool_submit_next(struct fl_thread_pool *team, struct fl_job *job)
{
	struct fl_job **at = &team->first;

	pthread_mutex_lock(&team->lock);
	while (*at && (*at)->hurried)
		at = &(*at)->next;
	put_in(team, at, job);
	pthread_mutex_unlock(&team->lock);
}

void fl_thread_pool_wait(struct fl_thread_pool *team, struct fl_job *job)
{
	struct fl_job *other;

	pthread_mutex_lock(&team->lock);
	while (!job->done) {
		other = take_other(team, job);
		if (other)
			do_job(team, other);
		else
			pthread_cond_wait(&team->changed, &team->lock);
	}
	pthread_mutex_unlock(&team->lock);
}

void fl_thread_pool_free(struct fl_thread_pool *team)
{
	if (!team)
		return;
	pthread_mutex_lock(&team->lock);
	team->over = true;
	pthread_cond_broadcast(&team->changed);
	pthread_mutex_unlock(&team->lock);
	while (team->n)
		pthread_join(team->threads[--team->n], NULL);
	pthread_mutex_destroy(&team->lock);
	pthread_cond_destroy(&team->changed);
	fl_free(team);
}
