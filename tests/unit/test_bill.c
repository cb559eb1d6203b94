/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bill of a job: by its event log alone, and with a sample of a task.
 */
#include "fl.h"

#include "flow/flow.h"
#include "spark/bill.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Executor 1 has one core for ten seconds; a task runs for four of them. */
static const char events[] =
	"{\"Event\":\"SparkListenerApplicationStart\",\"App Name\":\"job\","
	"\"App ID\":\"app-1\",\"Timestamp\":1000000}\n"
	"{\"Event\":\"SparkListenerExecutorAdded\",\"Timestamp\":1000000,"
	"\"Executor ID\":\"1\",\"Executor Info\":{\"Total Cores\":1}}\n"
	"{\"Event\":\"SparkListenerTaskEnd\",\"Stage ID\":3,"
	"\"Task End Reason\":{\"Reason\":\"Success\"},\"Task Info\":{"
	"\"Task ID\":7,\"Launch Time\":1001000,\"Finish Time\":1005000,"
	"\"Executor ID\":\"1\"},\"Task Metrics\":{\"Executor Run Time\":3900,"
	"\"Executor CPU Time\":2000000000,\"JVM GC Time\":500}}\n"
	"{\"Event\":\"SparkListenerApplicationEnd\",\"Timestamp\":1010000}\n";

static char *write_log(void)
{
	char *path = strdup("/tmp/flame-bill-XXXXXX");
	int fd = mkstemp(path);

	cr_assert(fd >= 0);
	cr_assert_eq(write(fd, events, sizeof(events) - 1),
		     (ssize_t)sizeof(events) - 1);
	close(fd);
	return path;
}

static flame_id name(struct flame *flame, const char *text)
{
	return flame_name(flame, text, strlen(text));
}

static void send(struct flame *flame, struct flame_sink *sink)
{
	const struct flame_frame run = {
		.name = name(flame, "org/apache/spark/executor/"
				    "Executor$TaskRunner.run"),
	}, work = { .name = name(flame, "Work.hard") };
	struct flame_sample s = {
		.stack = flame_stack(flame, flame_stack(flame, 0,
					flame_frame(flame, &run)),
				     flame_frame(flame, &work)),
		.metric = flame_metric(flame, "wall", "samples"),
		.labels = flame_label(flame, 0, name(flame, "executor"),
				      name(flame, "1")),
		.time = INT64_C(1002000000000), .weight = 1,
	};

	cr_assert_eq(flame_put(sink, &s), FLAME_OK);
}

static struct flame_bill *make(struct flame *flame, const char *log,
			       bool sample)
{
	struct flame_bill *bill = flame_bill_new(flame, log);
	struct flame_trees *trees = flame_trees_new(flame);
	struct flame_tree *tree = flame_tree_new(flame, 1);
	struct flame_sink *sink = flame_bill_sink(bill, flame_trees_sink(
						trees, flame_tree_sink(tree,
								       0)));

	cr_assert(sink, "%s", flame_error(flame));
	if (sample)
		send(flame, sink);
	cr_assert_eq(flame_finish(sink), FLAME_OK, "%s", flame_error(flame));
	flame_trees_free(trees);
	flame_tree_free(tree);
	return bill;
}

static void check(bool sample)
{
	struct flame *flame = flame_new();
	char *log = write_log();
	struct flame_bill *bill = make(flame, log, sample);

	cr_assert_eq(bill->executors[0].paid, 10000000);
	cr_assert_eq(bill->executors[0].idle, 6000000);
	cr_assert_eq(bill->nstages, 1);
	cr_assert_eq(bill->stages[0].weight, 4000000);
	cr_assert_eq(bill->stages[0].cpu, 2000000);
	cr_assert_eq(bill->stages[0].gc, 500000);
	cr_assert_eq(bill->stages[0].overhead, 100000);
	cr_assert_eq(bill->stages[0].samples, sample);
	cr_assert_str_eq(bill->rows[bill->stages[0].first_row].name,
			 sample ? "task code" : "[no samples]");
	cr_assert_eq(bill->rows[bill->stages[0].first_row].weight, 3900000);
	flame_bill_free(bill);
	flame_free(flame);
	unlink(log);
	free(log);
}

Test(bill, is_of_the_log_alone_without_samples)
{
	check(false);
}

Test(bill, shares_out_a_stage_by_its_samples)
{
	check(true);
}

Test(bill, is_not_written_before_its_sink_is_finished)
{
	struct flame *flame = flame_new();
	struct flame_bill *bill = flame_bill_new(flame, "nothing");
	struct flame_text *out = flame_text_create(flame, "/dev/null");

	cr_assert_eq(flame_bill_write(bill, out), FLAME_FAILED);
	flame_text_abandon(out);
	flame_bill_free(bill);
	flame_bill_free(NULL);
	flame_free(flame);
}

Test(bill, takes_its_next_sink_over_where_there_is_no_log)
{
	struct flame *flame = flame_new();
	struct flame_bill *bill = flame_bill_new(flame, "/nonexistent/log");
	struct flame_tree *tree = flame_tree_new(flame, 1);

	cr_assert_null(flame_bill_sink(bill, flame_tree_sink(tree, 0)));
	cr_assert(strstr(flame_error(flame), "/nonexistent/log"));
	flame_tree_free(tree);
	flame_bill_free(bill);
	flame_free(flame);
}
