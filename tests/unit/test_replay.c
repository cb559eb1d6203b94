/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replays of small logs, whose times are computed by hand.  All times are ms
 * since the application's start.
 */
#include "fl.h"

#include "flow/flow.h"
#include "spark/bill.h"
#include "spark/critical.h"
#include "spark/replay.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { EPOCH = 1000000 };

#define MS INT64_C(1000000)

/* Logs -------------------------------------------------------------------- */

static void begin(FILE *to, const char *properties)
{
	fprintf(to, "{\"Event\":\"SparkListenerEnvironmentUpdate\","
		"\"Spark Properties\":{%s}}\n", properties);
	fprintf(to, "{\"Event\":\"SparkListenerApplicationStart\","
		"\"App Name\":\"job\",\"App ID\":\"app-1\","
		"\"Timestamp\":%d}\n", EPOCH);
}

static void executor(FILE *to, int id, int cores, int added)
{
	fprintf(to, "{\"Event\":\"SparkListenerExecutorAdded\",\"Timestamp\":"
		"%d,\"Executor ID\":\"%d\",\"Executor Info\":{\"Host\":\"h\","
		"\"Total Cores\":%d}}\n", EPOCH + added, id, cores);
}

static void removed(FILE *to, int id, int at, const char *reason)
{
	fprintf(to, "{\"Event\":\"SparkListenerExecutorRemoved\",\"Timestamp\":"
		"%d,\"Executor ID\":\"%d\",\"Removed Reason\":\"%s\"}\n",
		EPOCH + at, id, reason);
}

static void job(FILE *to, int id, int start, const char *stages,
		const char *properties)
{
	fprintf(to, "{\"Event\":\"SparkListenerJobStart\",\"Job ID\":%d,"
		"\"Submission Time\":%d,\"Stage IDs\":[%s],"
		"\"Properties\":{%s}}\n", id, EPOCH + start, stages,
		properties);
}

static void job_ends(FILE *to, int id, int end)
{
	fprintf(to, "{\"Event\":\"SparkListenerJobEnd\",\"Job ID\":%d,"
		"\"Completion Time\":%d,\"Job Result\":{\"Result\":"
		"\"JobSucceeded\"}}\n", id, EPOCH + end);
}

/* tasks: how many; parents: "0,1"; more: members of Stage Info, or "". */
static void stage(FILE *to, int id, int attempt, int tasks, const char *parents,
		  int submitted, int completed, const char *more)
{
	fprintf(to, "{\"Event\":\"SparkListenerStageCompleted\","
		"\"Stage Info\":{\"Stage ID\":%d,\"Stage Attempt ID\":%d,"
		"\"Stage Name\":\"s\",\"Number of Tasks\":%d,"
		"\"Parent IDs\":[%s],\"Submission Time\":%d,"
		"\"Completion Time\":%d%s}}\n", id, attempt, tasks, parents,
		EPOCH + submitted, EPOCH + completed, more);
}

static void in_pool(FILE *to, int id, int tasks, int submitted,
		    const char *pool)
{
	fprintf(to, "{\"Event\":\"SparkListenerStageSubmitted\","
		"\"Stage Info\":{\"Stage ID\":%d,\"Stage Attempt ID\":0,"
		"\"Stage Name\":\"s\",\"Number of Tasks\":%d,"
		"\"Parent IDs\":[],\"Submission Time\":%d},\"Properties\":{"
		"\"spark.scheduler.pool\":\"%s\"}}\n", id, tasks,
		EPOCH + submitted, pool);
}

enum { AGAIN = 100 };

/* Of stage 7 or, its second attempt, 7.1; partition + AGAIN: tried again. */
static void task(FILE *to, double of, int id, int partition, int on,
		 int start, int end, const char *reason)
{
	int attempt = (int)(of * 10 + .5) % 10;

	fprintf(to, "{\"Event\":\"SparkListenerTaskEnd\",\"Stage ID\":%d,"
		"\"Stage Attempt ID\":%d,\"Task End Reason\":{\"Reason\":"
		"\"%s\"},\"Task Info\":{\"Task ID\":%d,\"Index\":%d,"
		"\"Partition ID\":%d,\"Attempt\":%d,"
		"\"Launch Time\":%d,\"Finish Time\":%d,"
		"\"Executor ID\":\"%d\"},\"Task Metrics\":{"
		"\"Executor Run Time\":%d,\"Executor CPU Time\":0}}\n",
		(int)of, attempt, reason, id, partition % AGAIN,
		partition % AGAIN, partition / AGAIN, EPOCH + start,
		EPOCH + end, on, end - start);
}

static void finish(FILE *to, int end)
{
	fprintf(to, "{\"Event\":\"SparkListenerApplicationEnd\","
		"\"Timestamp\":%d}\n", EPOCH + end);
}

/* Runs -------------------------------------------------------------------- */

struct job {
	struct flame *flame;
	struct flame_bill *bill;
	struct fl_replay replay;
	char path[64];
};

static void open_job(struct job *j, void (*write)(FILE *))
{
	struct flame_tree *tree;
	struct flame_sink *sink;
	FILE *to;

	strcpy(j->path, "/tmp/flame-replay-XXXXXX");
	to = fdopen(mkstemp(j->path), "w");
	cr_assert(to);
	write(to);
	fclose(to);
	j->flame = flame_new();
	j->bill = flame_bill_new(j->flame, j->path);
	tree = flame_tree_new(j->flame, 1);
	sink = flame_bill_sink(j->bill, flame_tree_sink(tree, 0));
	cr_assert_eq(flame_finish(sink), FLAME_OK, "%s",
		     flame_error(j->flame));
	flame_tree_free(tree);
	cr_assert(fl_replay_make(&j->replay, j->bill->spark, 0));
}

/* Of all stages, or of none; the parts of each log add up to its time. */
static int64_t wall_of(const struct job *j, const char *key)
{
	int64_t us = 0;

	for (size_t i = 0; i < j->bill->ncauses; i++)
		if (!key || strcmp(fl_cause_key(j->bill->causes[i].kind),
				   key) == 0)
			us += j->bill->causes[i].wall;
	return us / 1000;
}

static void close_job(struct job *j)
{
	cr_expect_eq(wall_of(j, NULL), j->bill->clocks[0].wall / MS);
	fl_replay_free(&j->replay);
	flame_bill_free(j->bill);
	flame_free(j->flame);
	unlink(j->path);
}

/* Its end, and what is paid in core-ms. */
static void expect_change(struct job *j, const struct fl_replay_change *change,
			  int64_t end, int64_t paid)
{
	struct fl_replay_result result;

	cr_assert(fl_replay_run(&j->replay, change, &result));
	cr_expect(result.good);
	cr_expect_eq(result.end, end * MS, "%" PRId64 " instead of %" PRId64,
		     result.end / MS, end);
	cr_expect_eq(result.paid, paid * 1000, "paid %" PRId64, result.paid);
}

static void expect(struct job *j, double cores, int64_t end, int64_t paid)
{
	const struct fl_replay_change change = { .cores = cores };

	expect_change(j, &change, end, paid);
}

/* The time of all tasks of a stage, times a factor. */
static void expect_scaled(struct job *j, int64_t id, double factor, int64_t end)
{
	const struct fl_replay *r = &j->replay;
	int64_t *lengths = fl_zeroed(r->ntasks + 1, sizeof(*lengths));
	const struct fl_replay_change change = { lengths, 1, false };
	struct fl_replay_result result;

	for (size_t i = 0; i < r->ntasks; i++) {
		size_t stage = r->stages[r->tasks[i].stage].stage;
		bool is_it = r->spark->stages[stage].id == id;

		lengths[i] = (int64_t)((double)r->tasks[i].length *
				       (is_it ? factor : 1));
	}
	cr_assert(fl_replay_run(r, &change, &result));
	cr_expect_eq(result.end, end * MS, "%" PRId64 " instead of %" PRId64,
		     result.end / MS, end);
	fl_free(lengths);
}

/* Two waves of two tasks, then one, on two executors. */
static void write_plain(FILE *to)
{
	begin(to, "");
	executor(to, 1, 1, 0);
	executor(to, 2, 1, 0);
	job(to, 0, 1000, "0,1", "");
	task(to, 0, 0, 0, 1, 1200, 3200, "Success");
	task(to, 0, 1, 1, 2, 1200, 3200, "Success");
	task(to, 0, 2, 2, 1, 3200, 5200, "Success");
	task(to, 0, 3, 3, 2, 3200, 5200, "Success");
	stage(to, 0, 0, 4, "", 1100, 5250, "");
	task(to, 1, 4, 0, 1, 5300, 8300, "Success");
	stage(to, 1, 0, 1, "0", 5300, 8300, "");
	job_ends(to, 0, 8400);
	finish(to, 10000);
}

Test(replay, keeps_the_drivers_gaps_on_other_cores)
{
	struct job j;

	open_job(&j, write_plain);
	cr_expect_eq(j.bill->clocks[0].wall, 10000 * MS);
	cr_expect_eq(j.bill->clocks[0].replayed, 10000 * MS);
	expect(&j, 1, 10000, 20000);
	expect(&j, 2, 8000, 32000);		/* one wave */
	expect(&j, .5, 14000, 14000);		/* four */
	expect_scaled(&j, 0, .5, 8000);		/* twice 1 s less */
	expect_scaled(&j, 0, 0, 6000);
	expect_scaled(&j, 1, 0, 7000);
	close_job(&j);
}

Test(clock, is_of_what_was_waited_for)
{
	struct job j;

	open_job(&j, write_plain);
	cr_expect_eq(wall_of(&j, "start"), 1000 + 100);
	cr_expect_eq(wall_of(&j, "pending"), 100);
	cr_expect_eq(wall_of(&j, "wait"), 2000 + 2000 + 3000);
	/* After stage 0, before stage 1, and after the job and its stage. */
	cr_expect_eq(wall_of(&j, "driver"), 50 + 50 + 100 + 1600);
	close_job(&j);
}

/* Task 1 fails after a second and is launched again 200 ms later. */
static void write_failed_task(FILE *to)
{
	begin(to, "");
	executor(to, 1, 2, 0);
	job(to, 0, 0, "0", "");
	task(to, 0, 0, 0, 1, 0, 2000, "Success");
	task(to, 0, 1, 1, 1, 0, 1000, "ExceptionFailure");
	task(to, 0, 2, AGAIN + 1, 1, 1200, 4200, "Success");
	stage(to, 0, 0, 2, "", 0, 4200, "");
	job_ends(to, 0, 4200);
	finish(to, 4200);
}

Test(replay, launches_a_failed_task_again)
{
	struct job j;

	open_job(&j, write_failed_task);
	expect(&j, 1, 4200, 8400);
	expect_scaled(&j, 0, .5, 2200);		/* .5 + .2 + 1.5 */
	expect(&j, .5, 6200, 6200);		/* 2 + 1 + .2 + 3 */
	close_job(&j);
}

/* A copy of task 1 is begun 2 s later, and is done first. */
static void write_speculation(FILE *to)
{
	begin(to, "");
	executor(to, 1, 2, 0);
	job(to, 0, 0, "0,1", "");
	task(to, 0, 0, 0, 1, 0, 1000, "Success");
	task(to, 0, 1, 1, 1, 0, 3500, "TaskKilled");
	task(to, 0, 2, 1, 1, 2000, 3000, "Success");
	stage(to, 0, 0, 2, "", 0, 3000, "");
	task(to, 1, 3, 0, 1, 3000, 4000, "Success");
	stage(to, 1, 0, 1, "0", 3000, 4000, "");
	job_ends(to, 0, 4000);
	finish(to, 4000);
}

Test(replay, begins_a_speculative_copy_beside_its_task)
{
	struct job j;

	open_job(&j, write_speculation);
	expect(&j, 1, 4000, 8000);
	expect(&j, 2, 4000, 16000);
	close_job(&j);
}

/* Executor 2 is lost with a task; executor 3 comes later and runs it again. */
static void write_lost(FILE *to)
{
	begin(to, "");
	executor(to, 1, 1, 0);
	executor(to, 2, 1, 0);
	job(to, 0, 0, "0", "");
	task(to, 0, 0, 0, 1, 0, 10000, "Success");
	task(to, 0, 1, 1, 2, 0, 2000, "ExecutorLostFailure");
	removed(to, 2, 2000, "Command exited with code 137");
	executor(to, 3, 1, 5000);
	task(to, 0, 2, AGAIN + 1, 3, 5000, 15000, "Success");
	stage(to, 0, 0, 2, "", 0, 15000, "");
	job_ends(to, 0, 15000);
	finish(to, 15000);
}

Test(replay, loses_an_executor_and_gets_another)
{
	struct job j;

	open_job(&j, write_lost);
	/* After 5 s, to the millisecond: the delay of the second attempt. */
	expect(&j, 1, 15000, 15000 + 2000 + 10000);
	cr_expect_eq(wall_of(&j, "lost"), 2000);
	cr_expect_eq(wall_of(&j, "executors"), 3000);
	cr_expect_eq(wall_of(&j, "wait"), 10000);
	close_job(&j);
}

/* Two jobs at once: B's tasks fill the cores that A leaves. */
static void write_two(FILE *to, bool fair)
{
	begin(to, fair ? "\"spark.scheduler.mode\":\"FAIR\"" : "");
	executor(to, 1, 2, 0);
	job(to, 0, 0, "0", "");
	job(to, 1, 0, "1", "");
	in_pool(to, 0, 4, 0, "a");
	in_pool(to, 1, 2, 0, "b");
	task(to, 0, 0, 0, 1, 0, 1000, "Success");
	task(to, fair, 1, !fair, 1, 0, 1000, "Success");
	task(to, 0, 2, 2 - fair, 1, 1000, 2000, "Success");
	task(to, fair, 3, 3 - 2 * fair, 1, 1000, 2000, "Success");
	task(to, !fair, 4, 2 * fair, 1, 2000, 3000, "Success");
	task(to, !fair, 5, 1 + 2 * fair, 1, 2000, 3000, "Success");
	stage(to, 0, 0, 4, "", 0, fair ? 3000 : 2000, "");
	stage(to, 1, 0, 2, "", 0, fair ? 2000 : 3000, "");
	job_ends(to, 0, fair ? 3000 : 2000);
	job_ends(to, 1, fair ? 2000 : 3000);
	/* It began when the first of both had ended. */
	job(to, 2, 2000, "2", "");
	task(to, 2, 6, 0, 1, 3000, 4000, "Success");
	stage(to, 2, 0, 1, "", 2000, 4000, "");
	job_ends(to, 2, 4000);
	finish(to, 4000);
}

static void write_fifo(FILE *to)
{
	write_two(to, false);
}

static void write_fair(FILE *to)
{
	write_two(to, true);
}

Test(replay, gives_cores_to_the_first_job_first)
{
	struct job j;

	open_job(&j, write_fifo);
	expect(&j, 1, 4000, 8000);
	/* A's four tasks; B's two beside the third job's. */
	expect(&j, 2, 2000, 8000);
	expect(&j, .5, 7000, 7000);
	close_job(&j);
}

Test(replay, shares_cores_among_the_pools_of_a_fair_scheduler)
{
	struct job j;

	open_job(&j, write_fair);
	expect(&j, 1, 4000, 8000);
	/* Two of each pool, then two of A beside the third job's. */
	expect(&j, 2, 2000, 8000);
	close_job(&j);
}

/* Stage 0 is not run again: stage 2 of the second job waits for its job. */
static void write_skipped(FILE *to)
{
	begin(to, "");
	executor(to, 1, 1, 0);
	job(to, 0, 0, "0,1", "");
	task(to, 0, 0, 0, 1, 0, 1000, "Success");
	stage(to, 0, 0, 1, "", 0, 1000, "");
	task(to, 1, 1, 0, 1, 1000, 2000, "Success");
	stage(to, 1, 0, 1, "0", 1000, 2000, "");
	job_ends(to, 0, 2000);
	job(to, 1, 2500, "0,3,2", "");
	task(to, 2, 2, 0, 1, 2500, 3500, "Success");
	stage(to, 2, 0, 1, "0,3", 2500, 3500, "");
	job_ends(to, 1, 3500);
	finish(to, 3500);
}

Test(replay, waits_for_no_stage_that_was_skipped)
{
	struct job j;

	open_job(&j, write_skipped);
	expect(&j, 1, 3500, 3500);
	expect_scaled(&j, 0, .5, 3000);
	expect_scaled(&j, 2, 0, 2500);
	close_job(&j);
}

/* A block of stage 0 is gone: its second attempt, then stage 1's. */
static void write_fetch_failed(FILE *to)
{
	begin(to, "");
	executor(to, 1, 1, 0);
	job(to, 0, 0, "0,1", "");
	task(to, 0, 0, 0, 1, 0, 1000, "Success");
	stage(to, 0, 0, 1, "", 0, 1000, "");
	task(to, 1, 1, 0, 1, 1000, 1500, "FetchFailed");
	stage(to, 1, 0, 1, "0", 1000, 1500,
	      ",\"Failure Reason\":\"FetchFailed\"");
	task(to, 0.1, 2, 0, 1, 1700, 2700, "Success");
	stage(to, 0, 1, 1, "", 1700, 2700, "");
	task(to, 1.1, 3, 0, 1, 2800, 4800, "Success");
	stage(to, 1, 1, 1, "0", 2800, 4800, "");
	job_ends(to, 0, 4800);
	finish(to, 4800);
}

Test(replay, repeats_the_stages_that_ran_again)
{
	struct job j;

	open_job(&j, write_fetch_failed);
	expect(&j, 1, 4800, 4800);
	expect_scaled(&j, 1, 0, 2300);
	close_job(&j);
}

/* Three tasks that begin at once do so when all three cores are free. */
static void write_barrier(FILE *to)
{
	begin(to, "");
	executor(to, 1, 3, 0);
	job(to, 0, 0, "0", "");
	job(to, 1, 0, "1", "");
	task(to, 0, 0, 0, 1, 0, 2000, "Success");
	stage(to, 0, 0, 1, "", 0, 2000, "");
	task(to, 1, 1, 0, 1, 2000, 3000, "Success");
	task(to, 1, 2, 1, 1, 2000, 3000, "Success");
	task(to, 1, 3, 2, 1, 2000, 3000, "Success");
	stage(to, 1, 0, 3, "", 0, 3000, ",\"RDD Info\":[{\"RDD ID\":1,"
	      "\"Barrier\":false},{\"RDD ID\":0,\"Barrier\":true}]");
	job_ends(to, 0, 2000);
	job_ends(to, 1, 3000);
	finish(to, 3000);
}

Test(replay, begins_the_tasks_of_a_barrier_together)
{
	struct job j;

	open_job(&j, write_barrier);
	expect_scaled(&j, 0, .5, 2000);
	close_job(&j);
}

/* Executor 2 comes a second after the second stage waits for it. */
static void write_dynamic(FILE *to)
{
	begin(to, "\"spark.dynamicAllocation.enabled\":\"true\"");
	executor(to, 1, 1, 0);
	job(to, 0, 0, "0,1", "");
	task(to, 0, 0, 0, 1, 0, 4000, "Success");
	stage(to, 0, 0, 1, "", 0, 4000, "");
	executor(to, 2, 1, 5000);
	task(to, 1, 1, 0, 1, 4000, 6000, "Success");
	task(to, 1, 2, 1, 2, 5000, 7000, "Success");
	stage(to, 1, 0, 2, "0", 4000, 7000, "");
	job_ends(to, 0, 7000);
	finish(to, 7000);
}

Test(replay, gets_executors_as_stages_wait_for_them)
{
	struct job j;

	open_job(&j, write_dynamic);
	expect(&j, 1, 7000, 9000);
	expect_scaled(&j, 0, .5, 5000);
	cr_expect_eq(wall_of(&j, "executors"), 1000);
	close_job(&j);
}

/* Batches every 10 s: shorter ones begin no sooner, longer ones later. */
static void write_stream(FILE *to)
{
	begin(to, "");
	executor(to, 1, 1, 0);
	for (int i = 0; i < 2; i++) {
		char batch[64];

		snprintf(batch, sizeof(batch), "\"spark.sql.execution.id\":"
			 "\"%d\",\"streaming.sql.batchId\":\"%d\"", i, i);
		job(to, i, i * 10000, i ? "1" : "0", batch);
		task(to, i, i, 0, 1, i * 10000, i * 10000 + 6000, "Success");
		stage(to, i, 0, 1, "", i * 10000, i * 10000 + 6000, "");
		job_ends(to, i, i * 10000 + 6000);
	}
	finish(to, 17000);
}

Test(replay, begins_the_batches_of_a_stream_at_their_triggers)
{
	struct job j;

	open_job(&j, write_stream);
	expect_scaled(&j, 0, .5, 17000);
	expect_scaled(&j, 1, .5, 17000);
	expect_scaled(&j, 0, 2, 23000);		/* 12 + 4 + 6 + 1 */
	close_job(&j);
}

/* Neither the job nor the application ends, and a task runs. */
static void write_cut(FILE *to)
{
	begin(to, "");
	executor(to, 1, 1, 0);
	job(to, 0, 500, "0,1", "");
	task(to, 0, 0, 0, 1, 500, 2500, "Success");
	stage(to, 0, 0, 1, "", 500, 2500, "");
	fprintf(to, "{\"Event\":\"SparkListenerTaskStart\",\"Stage ID\":1,"
		"\"Stage Attempt ID\":0,\"Task Info\":{\"Task ID\":1,"
		"\"Index\":0,\"Launch Time\":%d,\"Executor ID\":\"1\"}}\n",
		EPOCH + 3000);
	executor(to, 2, 1, 6000);
}

Test(replay, is_as_long_as_a_log_that_is_cut)
{
	struct job j;

	open_job(&j, write_cut);
	expect(&j, 1, j.bill->clocks[0].wall / MS,
	       j.bill->clocks[0].wall / MS);
	cr_expect_geq(j.bill->clocks[0].wall, 3000 * MS);
	close_job(&j);
}

static void write_nothing(FILE *to)
{
	begin(to, "");
	finish(to, 0);
}

Test(replay, is_none_of_a_log_without_time)
{
	struct job j;

	open_job(&j, write_nothing);
	cr_expect_eq(j.bill->clocks[0].wall, 0);
	cr_expect_eq(j.replay.begin, 0);
	close_job(&j);
}

/* The log's clock was set back: stage 1 waits for 0, its task ran before. */
static void set_back(FILE *to)
{
	begin(to, "");
	executor(to, 1, 1, 0);
	job(to, 0, 5, "0,1", "");
	task(to, 0, 1, 0, 1, 30, 50, "Success");
	stage(to, 0, 0, 1, "", 15, 50, "");
	task(to, 1, 2, 0, 1, 10, 20, "Success");
	stage(to, 1, 0, 1, "0", 100, 120, "");
	job_ends(to, 0, 120);
	finish(to, 130);
}

static bool add_span(void *to, enum fl_cause_kind kind, size_t stage,
		     int64_t ns)
{
	(void)kind;
	(void)stage;
	*(int64_t *)to += ns;
	return true;
}

Test(critical, path_ends_where_a_clock_was_set_back, .timeout = 20)
{
	struct job j = { .flame = NULL };
	int64_t sum = 0;

	open_job(&j, set_back);
	cr_expect(fl_critical_path(&j.replay, add_span, &sum));
	cr_expect_eq(sum, j.replay.until - j.replay.begin);
	close_job(&j);
}

/* What-ifs ---------------------------------------------------------------- */

static const struct fl_bill_change *
change_of(const struct job *j, enum fl_change_kind kind, int64_t stage,
	  double factor)
{
	for (size_t i = 0; i < j->bill->nchanges; i++) {
		const struct fl_bill_change *change = &j->bill->changes[i];

		if (change->kind == kind && change->factor == factor &&
		    (stage < 0 || (change->stage != FL_SPARK_NONE &&
				   j->bill->stages[change->stage].last->id ==
						stage)))
			return change;
	}
	return NULL;
}

static void expect_sooner(const struct job *j, enum fl_change_kind kind,
			  int64_t stage, double factor, int64_t sooner)
{
	const struct fl_bill_change *change = change_of(j, kind, stage, factor);

	cr_assert(change, "%s", fl_change_key(kind));
	cr_expect_eq(change->sooner, sooner * MS, "%s: %" PRId64,
		     fl_change_key(kind), change->sooner / MS);
}

Test(change, of_stages_and_cores_is_what_a_replay_says)
{
	struct job j;

	open_job(&j, write_plain);
	expect_sooner(&j, FL_CHANGE_STAGE, 0, .5, 2000);
	expect_sooner(&j, FL_CHANGE_STAGE, 0, 0, 4000);
	expect_sooner(&j, FL_CHANGE_STAGE, 1, 0, 3000);
	expect_sooner(&j, FL_CHANGE_QUERY, -1, .5, 3500);
	expect_sooner(&j, FL_CHANGE_CORES, -1, .5, -4000);
	expect_sooner(&j, FL_CHANGE_CORES, -1, 2, 2000);
	expect_sooner(&j, FL_CHANGE_CORES, -1, 4, 2000);
	cr_expect_eq(change_of(&j, FL_CHANGE_CORES, -1, 4)->paid,
		     8 * 8 * 1000000);
	cr_expect_null(change_of(&j, FL_CHANGE_NO_FAILURES, -1, 0));
	cr_expect_null(change_of(&j, FL_CHANGE_NO_GC, -1, 0));
	close_job(&j);
}

Test(change, of_failures_has_every_first_attempt_succeed)
{
	struct job j;

	open_job(&j, write_failed_task);
	/* Neither the second that failed nor the wait after it. */
	expect_sooner(&j, FL_CHANGE_NO_FAILURES, -1, 0, 1200);
	close_job(&j);
	open_job(&j, write_lost);
	expect_sooner(&j, FL_CHANGE_NO_FAILURES, -1, 0, 5000);
	close_job(&j);
}

/* The driver has nothing to do for a task: three cores, and one is slow. */
static void write_skewed(FILE *to)
{
	begin(to, "");
	executor(to, 1, 4, 0);
	job(to, 0, 0, "0", "");
	task(to, 0, 0, 0, 1, 0, 1000, "Success");
	task(to, 0, 1, 1, 1, 0, 1000, "Success");
	task(to, 0, 2, 2, 1, 0, 1000, "Success");
	task(to, 0, 3, 3, 1, 0, 9000, "Success");
	task(to, 0, 4, 4, 1, 1000, 2000, "Success");
	task(to, 0, 5, 5, 1, 1000, 2000, "Success");
	task(to, 0, 6, 6, 1, 1000, 2000, "Success");
	task(to, 0, 7, 7, 1, 2000, 3000, "Success");
	stage(to, 0, 0, 8, "", 0, 9000, "");
	job_ends(to, 0, 9000);
	finish(to, 10000);
}

Test(change, of_a_skewed_stage_gives_all_tasks_the_mean)
{
	struct job j;

	open_job(&j, write_skewed);
	/* 16 s of 8 tasks: two waves of 2 s. */
	expect_sooner(&j, FL_CHANGE_EVEN, 0, 0, 5000);
	/* No core ends the longest task sooner. */
	expect_sooner(&j, FL_CHANGE_CORES, -1, 2, 0);
	close_job(&j);
}
