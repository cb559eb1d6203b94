/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bill of Spark's applications: what their executors' cores were paid for,
 * by query, stage and operator.  bill.c gathers it, bill_frames.c and
 * bill_sick.c say what differs; write/bill_json.c writes it.
 */
#ifndef FL_SPARK_BILL_H
#define FL_SPARK_BILL_H

#include "filter/filter.h"
#include "spark/spark.h"
#include "tree/works.h"

/* Weights are microseconds of cores. */

/* What a part of the bill does most, by the samples of it. */
struct fl_bill_words {
	int64_t shown;		/* weight of rows that have stacks */
	flame_id frame;		/* 0: none, or it is a work */
	const char *work;	/* "in regular expressions"; or NULL */
	int64_t weight;		/* of the frame or the work */
	size_t first_work, nworks;	/* in works, heaviest first */
};

/* Of one stage; or of no stage, the operator being [idle] or the like. */
struct fl_bill_row {
	size_t stage;		/* in stages; FL_SPARK_NONE */
	size_t app;
	flame_id operator;
	const char *name;	/* of the operator */
	size_t number;		/* in the order of first weights */
	int64_t weight;
	size_t first_item, nitems;
	struct fl_bill_words words;
};

/* The longest task of a stage beside the others. */
struct fl_bill_tail {
	const struct fl_spark_task *task;	/* NULL: fewer than two */
	size_t executor;
	uint64_t tasks;			/* that succeeded */
	int64_t duration, median;	/* us; median: of the others, as */
	int64_t records, bytes;		/* these; -1: not known */
	bool reads_more;
	bool stands_out;		/* by more than chance */
};

/* All attempts of a stage of an application. */
struct fl_bill_stage {
	size_t app;
	const struct fl_spark_stage *last;	/* its last attempt */
	size_t attempts;
	flame_id query;
	int64_t submitted, completed;		/* ns; 0: not known */
	struct fl_spark_sums sums;
	int64_t weight, active, cpu, gc, unknown, python, overhead;
	uint64_t samples;
	size_t executors, profiled;	/* with tasks; of these with samples */
	size_t first_row, nrows;	/* rows, heaviest first */
	struct fl_bill_words words;
	struct fl_bill_tail tail;
};

struct fl_bill_query {
	size_t app;
	flame_id name;
	int64_t weight;
	size_t first_stage, nstages;	/* stages, heaviest first */
	struct fl_bill_words words;
};

struct fl_bill_executor {
	int64_t paid, idle, unended, used, cpu, gc;
	int64_t walled, ready;		/* as in fl_spark_share */
	uint64_t tasks, samples;
	/* Of tasks: their time, and what it would be at the others' pace. */
	int64_t duration, expected;
	double sigma;			/* of this difference */
};

/* An executor whose stacks are unlike those of others in the same stages. */
struct fl_bill_sick {
	size_t executor;		/* in spark->executors */
	flame_id name;			/* of the frame */
	double share, others, sigma;
};

/* The causes of causes.c, which has their names. */
enum fl_cause_kind {
	/* Of idle cores, and but for FEW and TAIL of time: */
	FL_CAUSE_START,		/* before the first task */
	FL_CAUSE_DRIVER,	/* no task ran or waited */
	FL_CAUSE_EXECUTORS,	/* tasks waited, and there was no executor */
	FL_CAUSE_PENDING,	/* tasks waited, and a core was free */
	FL_CAUSE_FEW,		/* the stages have fewer tasks than cores */
	FL_CAUSE_TAIL,		/* others' tasks had ended */
	/* Of tasks, by stage: */
	FL_CAUSE_LOST, FL_CAUSE_UNKNOWN, FL_CAUSE_CPU, FL_CAUSE_GC,
	FL_CAUSE_FETCH, FL_CAUSE_WRITE, FL_CAUSE_DESERIALIZE,
	FL_CAUSE_SERIALIZE, FL_CAUSE_PYTHON, FL_CAUSE_SCHEDULE,
	FL_CAUSE_WAIT, FL_CAUSE_UNENDED,
};

struct fl_bill_cause {
	size_t app, stage;	/* stage: in stages; FL_SPARK_NONE */
	enum fl_cause_kind kind;
	int64_t paid;		/* us of cores */
	int64_t wall;		/* us of the critical path */
	int64_t idle;		/* ns of cores, as the sweep saw them */
};

/* Stacks of a row on an executor. */
struct fl_bill_item {
	uint32_t row, executor;
	flame_id stack;
	int64_t weight;
};

/* The time of an application, and what a replay of its log makes of it. */
struct fl_bill_clock {
	int64_t wall;			/* ns; 0: not known */
	int64_t replayed;		/* ns; 0: the replay does not end */
	int64_t paid;			/* core-us of the replay */
};

/*
 * bill_driver.c: stacks of the driver's own recordings, in the parts of the
 * critical path that are the driver's: two of each application.
 */
enum fl_driver_metric { FL_DRIVER_WALL, FL_DRIVER_CPU, FL_DRIVER_METRICS };

struct fl_driver_stack {
	size_t part;
	flame_id stack;
	int64_t weight;		/* of the recording's metric */
};

struct fl_driver;
struct fl_replay;

static inline size_t fl_driver_part(size_t app, enum fl_cause_kind kind)
{
	return 2 * app + (kind == FL_CAUSE_DRIVER);
}

/* NULL: out of memory.  replays: by application. */
struct fl_driver *fl_driver_new(struct flame *flame,
				const struct fl_spark *spark,
				const struct fl_replay *replays);
void fl_driver_free(struct fl_driver *driver);
/* A sample of any process; false: out of memory. */
bool fl_driver_add(struct fl_driver *driver, const struct flame_sample *s);
/* By part. */
const struct fl_driver_stack *fl_driver_stacks(struct fl_driver *driver,
					       enum fl_driver_metric metric,
					       size_t *n);

/* What could be different; what_if.c has the words. */
enum fl_change_kind {
	FL_CHANGE_FRAME, FL_CHANGE_STAGE, FL_CHANGE_QUERY, FL_CHANGE_EVEN,
	FL_CHANGE_CORES, FL_CHANGE_NO_GC, FL_CHANGE_NO_FAILURES
};

struct fl_bill_change {
	size_t app;
	enum fl_change_kind kind;
	flame_id name;		/* of a frame or a query */
	size_t stage;		/* in stages; FL_SPARK_NONE */
	double factor;		/* of its time, or of the cores */
	int64_t sooner;		/* ns; 0: no more than the replay's error */
	int64_t paid;		/* core-us */
};

struct flame_bill {
	struct flame *flame;
	char *logs;
	struct fl_spark *spark;		/* NULL: not begun */
	bool whole;			/* all samples have come */
	struct fl_bill_row *rows;
	size_t nrows, rows_capacity;
	struct fl_bill_item *items;
	size_t nitems, items_capacity;
	struct fl_bill_stage *stages;
	size_t nstages;
	struct fl_bill_query *queries;
	size_t nqueries;
	struct fl_bill_executor *executors;	/* as spark->executors */
	struct fl_bill_sick *sick;
	size_t nsick, sick_capacity;
	struct fl_bill_cause *causes;
	size_t ncauses, causes_capacity;
	struct fl_bill_words *apps;	/* as spark->apps */
	struct fl_bill_clock *clocks;	/* the same */
	struct fl_replay *replays;	/* the same */
	struct fl_driver *driver;
	struct fl_bill_words *drivers;	/* by fl_driver_part */
	struct fl_bill_change *changes;	/* of each application, in one run */
	size_t nchanges, changes_capacity;
	struct fl_word_work *works;	/* of apps, queries and stages */
	size_t nworks, works_capacity;
	/* While rows come: by labels; by app, stage and operator. */
	struct fl_map by_labels, by_key, by_stage;
};

/* bill_frames.c: after the rows are sorted; false: out of memory. */
bool fl_bill_find_frames(struct flame_bill *bill);
/* bill_sick.c: the same. */
bool fl_bill_find_sick(struct flame_bill *bill);

/* bill_slow.c: the same. */
bool fl_bill_find_slow(struct flame_bill *bill);
/* causes.c: the same. */
bool fl_bill_find_causes(struct flame_bill *bill);
/* what_if.c: before the causes, and after them. */
bool fl_bill_replay(struct flame_bill *bill);
bool fl_bill_find_changes(struct flame_bill *bill);
const char *fl_change_key(enum fl_change_kind kind);
const char *fl_cause_key(enum fl_cause_kind kind);
/* The first time of an application in its log, ns; 0: none. */
int64_t fl_bill_begin(const struct fl_spark *spark, size_t app);

/* The row is of time that was paid for no task's stacks. */
static inline bool fl_bill_is_apart(const struct fl_bill_row *row)
{
	return row->name[0] == '[' && strcmp(row->name, "[other]") != 0;
}

#endif
