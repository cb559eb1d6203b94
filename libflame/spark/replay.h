/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An application's log as a schedule that can be run again, with other tasks or
 * other cores.  replay.c makes it, replay_run.c runs it, critical.c finds what
 * bounded it.
 *
 * The nodes of the schedule are moments: a job or a stage begins or ends, an
 * executor comes or goes.  A node comes some time after the last of those that
 * it waits for; this delay is the driver's, and stays what it was in the log.
 * Between the submission of a stage and its end are its tasks, which wait for
 * free cores.  Not known, and not guessed: which core a task prefers, and how
 * tasks slow one another down.
 */
#ifndef FL_SPARK_REPLAY_H
#define FL_SPARK_REPLAY_H

#include "spark/spark.h"

/* An attempt of a task; of a stage they are in the order of their launch. */
struct fl_replay_task {
	int64_t start, length;		/* ns, as in the log */
	uint32_t stage;			/* in fl_replay.stages */
	uint32_t executor, at;		/* its fl_spark_task */
	uint32_t id;
	uint32_t next;			/* the next attempt, plus one */
	bool later;			/* an attempt after another: */
	bool beside;			/* which ran when this one began */
	bool needed;			/* the stage ends with it */
};

struct fl_replay_stage {
	size_t stage;			/* in spark->stages */
	size_t first, ntasks;		/* in fl_replay.tasks */
	size_t needed;			/* of these */
	int64_t lead;			/* to its first launch on a free core */
	int64_t tail;			/* from its last task's end */
	int64_t submitted, done;	/* ns */
	uint32_t job;			/* in fl_replay.jobs; UINT32_MAX */
	uint32_t rank;			/* tasks of the lowest go first */
	uint32_t pool;
};

struct fl_replay_node {
	int64_t time;			/* ns, in the log */
	int64_t delay;			/* after the last that it waits for */
	int64_t floor;			/* it comes no sooner; INT64_MIN */
	uint32_t bound;			/* that last one, plus one; 0: none */
	uint32_t waits;			/* number of those */
	uint32_t first, n;		/* nodes that wait for it, in edges */
};

struct fl_replay {
	const struct fl_spark *spark;
	size_t app;
	int64_t begin, until;		/* ns; begin 0: no replay */
	struct fl_replay_task *tasks;
	size_t ntasks;
	struct fl_replay_stage *stages;
	size_t nstages;
	size_t *jobs;			/* in spark->jobs, by start */
	size_t njobs;
	size_t *executors;		/* in spark->executors, by arrival */
	int64_t *slots;			/* of these: tasks at once */
	int64_t *settle;		/* ns from arrival to a first task */
	size_t nexecutors;
	struct fl_replay_node *nodes;
	size_t nnodes;
	uint32_t *edges;
	size_t npools;
	uint32_t *local;		/* of spark->stages: plus one */
	struct fl_replay_edge {
		uint32_t from, to;
	} *pairs;			/* while it is made */
	size_t npairs, pairs_capacity;
};

/* Places of the nodes. */
static inline size_t fl_replay_start(const struct fl_replay *r, size_t job)
{
	(void)r;
	return job;
}

static inline size_t fl_replay_end(const struct fl_replay *r, size_t job)
{
	return r->njobs + job;
}

static inline size_t fl_replay_submit(const struct fl_replay *r, size_t stage)
{
	return 4 * r->njobs + stage;
}

static inline size_t fl_replay_done(const struct fl_replay *r, size_t stage)
{
	return 4 * r->njobs + r->nstages + stage;
}

static inline size_t fl_replay_added(const struct fl_replay *r, size_t executor)
{
	return 4 * r->njobs + 2 * r->nstages + executor;
}

static inline size_t fl_replay_removed(const struct fl_replay *r,
				       size_t executor)
{
	return fl_replay_added(r, executor) + r->nexecutors;
}

static inline size_t fl_replay_last(const struct fl_replay *r)
{
	return r->nnodes - 1;
}

/* false: out of memory; the replay is to be freed in any case. */
bool fl_replay_make(struct fl_replay *replay, const struct fl_spark *spark,
		    size_t app);
void fl_replay_free(struct fl_replay *replay);

/* A change of the job to replay; with cores 1 and all else zero: none. */
struct fl_replay_change {
	const int64_t *lengths;	/* of tasks, ns; NULL: as they were */
	double cores;		/* factor of the executors' cores */
	bool no_failures;	/* no task failed, no executor was lost */
};

struct fl_replay_result {
	int64_t end;		/* ns since the application's begin */
	int64_t paid;		/* core-us of executors */
	bool good;		/* false: it does not end */
};

/* replay_run.c; false: out of memory. */
bool fl_replay_run(const struct fl_replay *replay,
		   const struct fl_replay_change *change,
		   struct fl_replay_result *result);

#endif
