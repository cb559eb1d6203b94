/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --join: samples of Python workers, on stacks of the tasks that wait for them.
 */
#ifndef FL_SPARK_JOIN_H
#define FL_SPARK_JOIN_H

#include "filter/filter.h"

/* A sample, and what it is of. */
struct fl_join_item {
	struct flame_sample sample;
	uint32_t input;
	uint32_t track;		/* in fl_join_work.tracks */
	flame_id trunk;		/* of a wait: frames up to Spark's; else 0 */
	bool worker, busy;	/* busy: it does not wait for its task */
};

/* Labels that say which executor a sample is of. */
enum { FL_JOIN_PLACES = 4 };

/*
 * Samples that follow each other: of a thread of the JVM with one name, or of a
 * process of a worker and one metric.
 */
struct fl_join_track {
	uint32_t input;
	flame_id id;		/* labels of the thread; name of the process */
	flame_id metric;	/* of a worker; JVM's threads: 0 */
	bool worker;
	flame_id places[FL_JOIN_PLACES];	/* 0: not known */
	size_t first, n;	/* in fl_join_work.order */
	double interval;	/* ns that a weight of 1 stands for */
	/* Of a task: from its first wait to the end of its last one. */
	int64_t begin, end;
	uint64_t nwaits;
	size_t fit;		/* its first one: place + 1 */
	flame_id stage;		/* a name; 0: not known */
	/* Of a pass over all samples of workers: */
	size_t cursor;		/* items that have begun */
	size_t wait;		/* the last wait of them, plus one */
	double covered;		/* ns of joined samples, not replaced yet */
};

struct fl_join_place {
	int64_t time;
	uint32_t track;
	size_t item;
};

/* How well a worker's samples fit the waits of a task. */
struct fl_join_fit {
	uint32_t task, worker;
	flame_id metric;
	uint64_t both, busy;	/* samples: it waits; all from begin to end */
	size_t next;		/* of the same task: place + 1 */
	bool owner;		/* the waits are for this worker */
	bool excluded;		/* they are for another one */
};

/* Weights, but for the number of workers. */
struct fl_join_counts {
	uint64_t workers;
	int64_t samples, idle, one, fitting, shared, none, other_stages;
	int64_t replaced;
};

/* All members but flame, items, count and capacity are of join_tasks.c. */
struct fl_join_work {
	struct flame *flame;
	struct fl_join_item *items;
	size_t count, capacity;
	struct fl_join_track *tracks;
	size_t ntracks, tracks_capacity;
	struct fl_map index;		/* hash of a track -> number + 1 */
	struct fl_join_place *order;	/* by track, then time */
	struct fl_join_place *busy;	/* of workers, by time */
	size_t nordered, nbusy;
	uint32_t *tasks;		/* tracks that wait, by begin */
	uint32_t *active;		/* those whose span has the time */
	uint32_t *found;		/* those that fit a sample */
	size_t ntasks, next_task, nactive, nfound;
	size_t npossible;		/* of those active, of the same executor */
	struct fl_join_fit *fits;
	size_t nfits, fits_capacity;
	struct fl_map fit_index;	/* (worker, task) -> place + 1 */
	struct fl_map stacks;		/* (trunk, stack) -> joined stack */
	struct fl_map commons;		/* (trunk, trunk) -> their part + 1 */
	flame_id *path;			/* scratch */
	size_t path_capacity;
	struct fl_join_counts counts;
};

/*
 * Finds the tasks of all items, whose members are set but for the tracks (a
 * worker's track is the name of its process).  A worker's sample gets the
 * trunk, thread and labels of its task, and each wait loses the weight that
 * joined samples of its metric stand for.
 */
int fl_join_work(struct fl_join_work *work);
void fl_join_work_free(struct fl_join_work *work);

#endif
