/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Labels from paths, and paths that only look like it.
 */
#include "fl.h"

#include "io/path_labels.h"

#include <criterion/criterion.h>

/* "app=x executor=3", in the order of the keys. */
static void expect(const char *path, const char *wanted)
{
	struct fl_path_labels labels;
	struct fl_buf found = { 0 };

	fl_path_labels(path, &labels);
	fl_buf_text(&found, "");
	for (size_t i = 0; i < FL_PATH_KEYS; i++)
		if (labels.value[i].size)
			fl_buf_print(&found, "%s%s=%.*s",
				     found.size ? " " : "", fl_path_keys[i],
				     (int)labels.value[i].size,
				     labels.value[i].data);
	cr_expect_str_eq(found.data ? found.data : "", wanted, "%s: %s", path,
			 found.data);
	fl_buf_free(&found);
}

#define RAPIDS "/prof/async-profiler-app-"

Test(path_labels, rapids_has_one_file_per_executor_stage_and_epoch)
{
	expect(RAPIDS "application_1600000000000_0042-exec-7-stage-11-epoch-0"
	      ".jfr", "app=application_1600000000000_0042 executor=7 "
	      "stage=11 epoch=0");
	expect(RAPIDS "app-20251121101112-0001-exec-12-stage-3-epoch-10.jfr.gz",
	      "app=app-20251121101112-0001 executor=12 stage=3 epoch=10");
	expect(RAPIDS "local-1700000000000-exec-driver-stage-0-epoch-1.jfr",
	      "app=local-1700000000000 executor=driver stage=0 epoch=1");
	expect(RAPIDS "x-exec-1-stage-2.jfr", "app=x executor=1 stage=2");
	expect(RAPIDS "x-stage-2.jfr", "app=x stage=2");
	expect(RAPIDS "x-stage-2-epoch-3.jfr", "app=x stage=2 epoch=3");
	expect(RAPIDS "x-exec-1.jfr", "app=x executor=1");
	expect(RAPIDS "x.jfr", "app=x");
	expect("async-profiler-app-x-exec-1-stage-2-epoch-0.folded.zst",
	      "app=x executor=1 stage=2 epoch=0");
}

Test(path_labels, names_of_folders_and_pods)
{
	expect("spark-kubernetes-executor_var_log_tiger_async-35-11.jfr",
	      "executor=35 stage=11");
	expect("/x/async-3-0.jfr.gz", "executor=3 stage=0");
	expect("/x/noasync-3-0.jfr", "");
	expect("/x/async-3.jfr", "");
	expect("/logs/spark-pi-7469dd71c499fafb-exec-7/rec.jfr", "executor=7");
	expect("/logs/-exec-7/rec.jfr", "");
	expect("s3://b/applications/00f1/jobs/00f2/SPARK_EXECUTOR/12/a.jfr",
	      "app=00f2 executor=12");
	expect("applications/00f1/jobs/00f2/SPARK_DRIVER/a.jfr",
	      "app=00f2 executor=driver");
	expect("/d/0412/executor/app-20251121101112-0001/5/a.jfr",
	      "app=app-20251121101112-0001 executor=5");
}

Test(path_labels, an_expression_comes_first)
{
	struct flame *flame = flame_new();

	cr_assert_eq(flame_process_path_labels(flame, "run(\\d+)/(?<host>[^/(]+)/"
				       "(?:x|e(?P<executor>\\d+))"),
		     FLAME_OK, "%s", flame_error(flame));
	expect("/run12/node(3)/e7.jfr", "");
	expect("/run12/node3/e7.jfr", "executor=7 host=node3");
	expect("/run12/node3/x/p-exec-9/a.jfr", "executor=9 host=node3");
	cr_assert_eq(flame_process_path_labels(flame, "(?<color>a)"), FLAME_FAILED);
	cr_assert(strstr(flame_error(flame), "no label \"color\": there are "
			 "app, attempt"));
	flame_free(flame);
	flame = flame_new();
	cr_assert_eq(flame_process_path_labels(flame, "a(b"), FLAME_FAILED);
	flame_free(flame);
	flame = flame_new();
	cr_assert_eq(flame_process_path_labels(flame, "(?<=a)b"), FLAME_FAILED);
	flame_free(flame);
}

Test(path_labels, an_app_of_rapids_may_hold_anything)
{
	expect(RAPIDS "4711@node-3.local-exec-7-stage-1-epoch-0.jfr",
	      "app=4711@node-3.local executor=7 stage=1 epoch=0");
	expect(RAPIDS "a-exec-1-stage-2-epoch-3-exec-4-stage-5-epoch-6.jfr",
	      "app=a-exec-1-stage-2-epoch-3 executor=4 stage=5 epoch=6");
	expect(RAPIDS "nightly job-stage-x-stage-5.jfr",
	      "app=nightly job-stage-x stage=5");
	expect(RAPIDS "x-epoch-3.jfr", "app=x-epoch-3");
	expect(RAPIDS "x-exec-a-stage-1.jfr", "app=x-exec-a stage=1");
}

Test(path_labels, sparks_plugin_has_a_folder_per_application)
{
	expect("hdfs/prof/application_1600000000000_0042/profile-exec-7.jfr",
	      "app=application_1600000000000_0042 executor=7");
	expect("application_1600000000000_0042_2/profile-exec-7.jfr",
	      "app=application_1600000000000_0042 attempt=2 executor=7");
	expect("app-20251121101112-0001/profile-driver.jfr",
	      "app=app-20251121101112-0001 executor=driver");
	expect("/p/spark-0123456789abcdef0123456789abcdef//profile-exec-1.jfr",
	      "app=spark-0123456789abcdef0123456789abcdef executor=1");
	expect("spark-application-1700000000000/profile-exec-1.jfr",
	      "app=spark-application-1700000000000 executor=1");
	expect("local-1700000000000/profile-my-exec-job-exec-3.jfr",
	      "app=local-1700000000000 executor=3");
	expect("copied/profile-my job-exec-3.jfr", "app=my job executor=3");
	expect("copied/profile-exec-3.jfr", "executor=3");
}

Test(path_labels, the_file_of_rapids_decides_over_its_folders)
{
	expect("app-20251121101112-0001_2/async-profiler-app-"
	      "app-20251121101112-0001-exec-3.jfr",
	      "app=app-20251121101112-0001 attempt=2 executor=3");
	expect("app-20251121101112-0001_2/async-profiler-app-x-exec-3.jfr",
	      "app=x executor=3");
}

Test(path_labels, yarn_has_a_folder_per_container)
{
	expect("/logs/application_1600000000000_0042/"
	      "container_1600000000000_0042_01_000002/17.jfr",
	      "app=application_1600000000000_0042 attempt=1 pid=17 "
	      "container=container_1600000000000_0042_01_000002");
	expect("container_e17_1600000000000_0042_02_000003/x/a.jfr",
	      "app=application_1600000000000_0042 attempt=2 "
	      "container=container_e17_1600000000000_0042_02_000003");
	expect("/logs/application_1600000000000_0042/17.jfr",
	      "app=application_1600000000000_0042");
}

Test(path_labels, hprofiler_has_a_folder_per_host_and_process)
{
	expect("out/profiler_node-7.cern.ch/4711/stackcollapse.data",
	      "host=node-7.cern.ch pid=4711");
	expect("out/profiler_node7/aggregated/stackcollapse.data",
	      "host=node7");
}

Test(path_labels, what_only_looks_like_it_tells_nothing)
{
	static const char *const paths[] = {
		"", "/", "standard input", "a.jfr", ".jfr", "-exec-1.jfr",
		RAPIDS ".jfr", RAPIDS "-stage-2.jfr", RAPIDS "x-stage-2.txt",
		RAPIDS "x-stage-2.jfr.bak", "my-async-profiler-app-x.jfr",
		"profile-exec-.jfr", "profile-exec-a.jfr", "profile-3.jfr",
		"profile-driver.txt", "profile-drivers.jfr",
		"app-1/exec-12/x.jfr", "app-2025-1/a.jfr", "local-1/a.jfr",
		"application_1600000000000/a.jfr",
		"application_1600000000000_0042_x/a.jfr",
		"spark-0123456789abcdef/a.jfr", "17.jfr",
		"container_1600000000000_0042/17.jfr",
		"container_1600000000000_0042_01_000002_5/17.jfr",
		"profiler_node7/a.folded", "profiler_node7/x/a.folded",
		"profiler_node7/1/2/a.folded", "profiler_/1/a.folded",
	};

	for (size_t i = 0; i < FL_COUNT(paths); i++)
		expect(paths[i], "");
}

Test(path_labels, one_of_them_can_be_asked_for)
{
	const char *path = RAPIDS "x-exec-1-stage-12.jfr";
	char value[3];

	cr_expect(flame_path_label(path, "stage", value, sizeof(value)));
	cr_expect_str_eq(value, "12");
	cr_expect_not(flame_path_label(path, "stage", value, 2));
	cr_expect_not(flame_path_label(path, "epoch", value, sizeof(value)));
	cr_expect_not(flame_path_label(path, "thread", value, sizeof(value)));
	cr_expect_str_eq(value, "");
	cr_expect_not(flame_path_label("", "app", value, 0));
}
