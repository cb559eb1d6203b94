/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spark's event logs: which tasks ran on which executor, and when.
 */
#ifndef FL_SPARK_H
#define FL_SPARK_H

#include "fl.h"
#include "base/base.h"
#include "dict/dict.h"
#include "io/io.h"

/*
 * Of tasks that have ended.  A task that ends again as its executor is lost
 * (Resubmitted) is counted once.  Times in ns.
 */
struct fl_spark_sums {
	uint64_t tasks, ok, failed, killed;
	uint64_t speculative, resubmitted;
	uint64_t unmeasured;		/* without metrics */
	int64_t launch_to_finish;
	int64_t run, cpu, deserialize, deserialize_cpu, gc, serialize;
	int64_t fetch_wait, shuffle_write;
	int64_t read_bytes, written_bytes, memory_spill, disk_spill;
	int64_t input_bytes, input_records;	/* of tasks that succeeded */
	/*
	 * Their time from launch to finish, in parts without an overlap: of
	 * tasks that failed or were killed; of others without metrics; and what
	 * the metrics of the rest say.
	 */
	struct fl_spark_used {
		int64_t lost, unknown;
		int64_t cpu, gc, fetch, write, deserialize, serialize, delay;
	} used;
};

/* Of one application and attempt of a stage. */
struct fl_spark_stage {
	size_t app;
	int64_t id, attempt, ntasks;
	const char *name;		/* "collect at job.py:19"; "" */
	const char *job;		/* description of job or query; "" */
	int64_t sql;			/* id of the query; -1: none */
	int64_t submitted, completed;	/* ns; 0: not known */
	size_t first_id, nids;		/* fl_spark.ids: its accumulators */
	size_t first_parent, nparents;	/* fl_spark.ids: stages it reads */
	const char *pool;		/* of the fair scheduler; "" */
	bool barrier;			/* its tasks start at once */
	int64_t python;			/* ns: metric of Python workers */
	const char *failure;		/* why it failed; "" */
	struct fl_spark_sums sums;
};

struct fl_spark_job {
	size_t app;
	int64_t id;
	int64_t start, end;		/* ns; 0: not known */
	const char *description;	/* "" */
	const char *failure;		/* the innermost exception; "" */
	int64_t stage;			/* that failed; -1: not known */
	int64_t sql;			/* id of the query; -1: none */
	int64_t batch;			/* of a stream; -1: none */
	size_t first_stage, nstages;	/* fl_spark.ids */
	bool failed;
};

/* Why tasks of a stage failed: one for each text. */
struct fl_spark_failure {
	size_t stage;			/* in fl_spark.stages */
	enum fl_spark_failure_kind {
		FL_FAILED_EXCEPTION, FL_FAILED_LOST, FL_FAILED_FETCH,
		FL_FAILED_KILLED, FL_FAILED_OTHER
	} kind;
	const char *text;		/* the innermost exception */
	const char *host;		/* the first */
	uint64_t tasks, hosts;
};

struct fl_spark_task {
	int64_t start, end;		/* ns since 1970; end is not in it */
	int64_t id, attempt, partition;
	size_t stage;			/* in fl_spark.stages */
	/* As the log has them, in ns; 0: the log does not have its end. */
	int64_t finish;
	/*
	 * Of launch to finish: in the task's thread (all of it, if there are
	 * no metrics), and on a CPU (as long, if that is not known).
	 */
	int64_t active, cpu;
	/* The CPU time that the log has, if any; and collections, besides. */
	int64_t log_cpu, gc;
	int64_t records, bytes;		/* read; -1: not known */
	bool ok;			/* it succeeded */
	bool measured;			/* the log has its metrics */
};

/* A WholeStageCodegen (id) of the last plan of a query. */
struct fl_spark_codegen {
	int64_t id;
	const char *operators;		/* "Sort, Project"; "" */
	size_t first_id, nids;		/* fl_spark.ids: its accumulators */
};

struct fl_spark_query {
	size_t app;
	int64_t id;
	const char *description;
	size_t first_codegen, ncodegens;	/* in fl_spark.codegens */
};

/* Between two times the same tasks run. */
struct fl_spark_span {
	int64_t start;			/* ns; to the next span's */
	size_t first;			/* in fl_spark.running */
	unsigned ntasks;
	flame_id stage;			/* the filter's: value of the label */
};

/*
 * The clock of an executor's recording beside the log's.  FITS: or there is
 * none, or it is too short.  APART: the log's times are later by a shift, or
 * earlier.  UNKNOWN: samples of tasks are where the log has none, and no single
 * shift explains it.
 */
enum fl_spark_clock_fit { FL_CLOCK_FITS, FL_CLOCK_APART, FL_CLOCK_UNKNOWN };

struct fl_spark_executor {
	size_t app;
	const char *id, *host;
	int64_t cores;			/* tasks at once; 0: not known */
	int64_t paid_cores;		/* 0: not known */
	int64_t added;			/* ns; 0: not known */
	int64_t removed;		/* ns; INT64_MAX: not */
	const char *reason;		/* of its removal; "" */
	struct fl_spark_task *tasks;	/* by start */
	size_t ntasks, capacity;
	size_t first_span, nspans;
	enum fl_spark_clock_fit clock;	/* align.c: once samples were seen */
	int64_t shift;			/* ns, of APART */
};

/*
 * What the tasks of a stage cost on an executor, in microseconds of cores;
 * cost.c makes them.
 */
struct fl_spark_share {
	size_t executor, stage;
	int64_t active, cpu, gc;	/* gc: of active, not of cpu */
	int64_t unknown;		/* of the rest: ran or waited */
	int64_t overhead;		/* the rest from launch to finish */
	/* Of active with wall-clock samples: ready, without a CPU. */
	int64_t walled, ready;
	uint64_t samples;		/* that its time was divided by */
};

/* A log of an application: one for each attempt. */
struct fl_spark_start {
	int64_t time;			/* as the log has it, ms */
	const char *path;
	const struct fl_spark_start *next;
};

struct fl_spark_app {
	const char *id, *name;
	const struct fl_spark_start *starts;
	const char *version;		/* of Spark; "" */
	int64_t task_cpus;
	int64_t started;		/* ns; 0: not known */
	int64_t until;			/* ns; the last time of its logs, */
	bool cut;			/* which do not have its end */
	bool fair;		/* pools share the cores */
	bool dynamic;		/* executors come as tasks wait */
};

struct fl_spark {
	struct fl_spark_app *apps;
	size_t napps, apps_capacity;
	struct fl_spark_stage *stages;
	size_t nstages, stages_capacity;
	struct fl_spark_executor *executors;
	size_t nexecutors, executors_capacity;
	struct fl_spark_span *spans;
	size_t nspans, spans_capacity;
	struct fl_spark_query *queries;
	size_t nqueries, queries_capacity;
	struct fl_spark_codegen *codegens;
	size_t ncodegens, codegens_capacity;
	struct fl_spark_job *jobs;
	size_t njobs, jobs_capacity;
	struct fl_spark_failure *failures;
	size_t nfailures, failures_capacity;
	int64_t *ids;			/* sorted, those of each owner */
	size_t nids, ids_capacity;
	struct fl_spark_share *shares;	/* by stage, then executor */
	size_t nshares;
	size_t *running;		/* tasks, in their executor's array */
	size_t nrunning, running_capacity;
	struct fl_map index;		/* hash of app and id -> executor + 1 */
	struct fl_map stage_index;	/* hash of app, id, attempt -> + 1 */
	struct fl_map query_index;	/* hash of app, id -> + 1 */
	struct fl_map job_index;	/* hash of app, id -> + 1 */
	/* Hash of stage and text -> failure + 1; of failure and host -> 1. */
	struct fl_map failure_index;
	struct fl_arena arena;		/* texts */
	char *list;			/* of its logs */
	unsigned users;
};

/*
 * files.c: reads a log, a folder of a rolling one (eventlog_v2_*), or all
 * logs of a folder.  FLAME_FAILED with fl_fail.
 */
int fl_spark_read(struct flame *flame, struct fl_spark *spark,
		  const char *path);
/* tasks.c: after the last log: times by executor. */
int fl_spark_finish(struct flame *flame, struct fl_spark *spark);
void fl_spark_free(struct fl_spark *spark);

/*
 * files.c: the logs of a list, whose items are separated by '\n'; read once
 * for all who use the same list at a time.  Empty items are skipped.  NULL with
 * fl_fail.  close accepts NULL.
 */
struct fl_spark *fl_spark_open(struct flame *flame, const char *list);
void fl_spark_close(struct flame *flame, struct fl_spark *spark);
/*
 * events.c: the filter spark-cost, which owns next, and its logs, to be closed.
 * NULL: failed, and next is not owned.
 */
struct flame_sink *fl_spark_cost_sink(struct flame_sink *next,
				      struct fl_spark **spark,
				      const char *logs);

/* By index; FL_SPARK_NONE: there is none. */
#define FL_SPARK_NONE SIZE_MAX
size_t fl_spark_find_app(const struct fl_spark *spark, struct slice id);
size_t fl_spark_find_executor(const struct fl_spark *spark, size_t app,
			      struct slice id);
const struct fl_spark_query *
fl_spark_find_query(const struct fl_spark *spark, size_t app, int64_t id);
/* The span at a time; NULL: no task has run yet, or ever. */
struct fl_spark_span *fl_spark_span_at(struct fl_spark *spark,
				       const struct fl_spark_executor *e,
				       int64_t time);

/* log.c: one log, of one part or several. */
struct fl_spark_log;

struct fl_spark_log *fl_spark_log_new(struct flame *flame,
				      struct fl_spark *spark);
/*
 * Owns the input; NULL is allowed.  in_progress: it is being written, so that a
 * cut end is not damage.  The rest of a log that another file has is not read.
 */
int fl_spark_log_read(struct fl_spark_log *log, struct fl_in *in,
		      bool in_progress);
/* Ends tasks that did not; NULL is allowed. */
void fl_spark_log_free(struct fl_spark_log *log);

/* tables.c: entered if it is not there; NULL or NONE: out of memory. */
size_t fl_spark_app(struct fl_spark *spark, struct slice id);
struct fl_spark_executor *fl_spark_executor(struct fl_spark *spark, size_t app,
					    struct slice id);
struct fl_spark_stage *fl_spark_stage(struct fl_spark *spark, size_t app,
				      int64_t id, int64_t attempt);
struct fl_spark_query *fl_spark_query(struct fl_spark *spark, size_t app,
				      int64_t id);
struct fl_spark_job *fl_spark_job(struct fl_spark *spark, size_t app,
				  int64_t id);
/*
 * failures.c: adds a failed task of a stage on a host; text is Spark's, and
 * may hold stack traces.  false: out of memory.
 */
bool fl_spark_fail(struct fl_spark *spark, size_t stage,
		   enum fl_spark_failure_kind kind, struct slice exception,
		   struct slice text, const char *host);
/*
 * failures.c: the line of a text that names the innermost exception, as the JVM
 * and Python print them ("Caused by: X: text", the end of a traceback); else
 * its first line.
 */
struct slice fl_spark_innermost(struct slice text);
/*
 * failures.c: whether the executor was lost: it was removed while the
 * application went on, and not at its own or the driver's wish.
 */
bool fl_spark_is_lost(const struct fl_spark *spark,
		      const struct fl_spark_executor *e);
/* Sorts what it copies; false: out of memory. */
bool fl_spark_add_ids(struct fl_spark *spark, const int64_t *ids, size_t n,
		      size_t *first);
/*
 * The WholeStageCodegen of this number that a stage runs; NULL: the plan has
 * none there.  One number may stand for several in a plan, of which each runs
 * in stages of its own.
 */
const struct fl_spark_codegen *
fl_spark_codegen_of(const struct fl_spark *spark,
		    const struct fl_spark_stage *stage, int64_t id);

/* labels.c: by ids; NULL: out of memory.  free accepts NULL. */
struct fl_spark_ids;
struct fl_spark_ids *fl_spark_ids_new(const struct fl_spark *spark);
void fl_spark_ids_free(struct fl_spark_ids *ids);
/* The task of an application, and its executor; NULL: there is none. */
const struct fl_spark_task *fl_spark_task_of(const struct fl_spark_ids *ids,
					     const struct fl_spark *spark,
					     size_t app, int64_t id,
					     size_t *executor);
/* The attempts of a stage, one by one, from *at == 0; FL_SPARK_NONE: the end. */
size_t fl_spark_stage_of(const struct fl_spark_ids *ids, size_t app, int64_t id,
			 size_t *at);

/* clock.c: samples of an executor's tasks by time.  Zeroed: none. */
struct fl_spark_clock {
	struct fl_map counts;	/* by time >> bits */
	unsigned bits;
	uint64_t samples;
};
/* false: out of memory. */
bool fl_spark_clock_add(struct fl_spark_clock *clock, int64_t time,
			uint64_t weight);
enum fl_spark_clock_fit fl_spark_clock_fit(const struct fl_spark_clock *clock,
					   const struct fl_spark_executor *e,
					   int64_t *shift);
void fl_spark_clock_free(struct fl_spark_clock *clock);

/* thread_name.c */
/*
 * "Executor task launch worker for task 4.1 in stage 2.0 (TID 37)": partition
 * 4, attempt 1, stage 2 and task 37; Spark 2 and older name the task alone.
 * Slices point into the name; size 0: not in it.
 */
struct fl_spark_task_name {
	int64_t id;
	struct slice task, stage, partition, attempt;
};
bool fl_spark_task_name(struct slice name, struct fl_spark_task_name *task);

#endif
