/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stacks show in words: of folded text, "frame FRAME n; WORK n WHAT; ..."
 * with the work that answers first in capitals.
 */
#include "fl.h"

#include "tree/tree.h"
#include "tree/works.h"

#include <criterion/criterion.h>

static struct flame *flame;
static struct fl_buf out;

static void start(void)
{
	flame = flame_new();
	cr_assert(flame);
}

static void stop(void)
{
	flame_free(flame);
	fl_buf_free(&out);
}

TestSuite(words, .init = start, .fini = stop);

static struct fl_layout *layout_of(const char *text)
{
	struct flame_tree *tree = flame_tree_new(flame, 1);
	struct flame_source *source = flame_open_memory(
		flame, text, strlen(text), "m", "folded");
	struct flame_sink *sink = flame_tree_sink(tree, 0);
	struct fl_layout *layout;

	cr_assert(source && sink, "%s", flame_error(flame));
	cr_assert_eq(flame_pump(source, sink), FLAME_OK);
	flame_close(source);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	layout = fl_tree_layout(tree, 0, false, false);
	cr_assert(layout);
	flame_tree_free(tree);
	return layout;
}

static void put_works(const struct fl_words *words)
{
	for (unsigned i = 0; i < words->nworks; i++) {
		const struct fl_word_work *w = &words->works[i];

		fl_buf_print(&out, "; %s%s %lld %s",
			     (int)i == fl_words_first(words) ? "first " : "",
			     fl_works[w->row].name, (long long)w->weight,
			     w->what ? flame_name_text(flame, w->what, NULL) :
				       "-");
	}
	for (unsigned i = 0; i < words->nbeside; i++)
		fl_buf_print(&out, "; beside %s %lld",
			     fl_works[words->beside[i].row].name,
			     (long long)words->beside[i].weight);
}

static const char *words_of(const char *text)
{
	struct fl_layout *l = layout_of(text);
	struct fl_word_nodes nodes = {
		.count = l->count, .name = l->name, .type = l->type,
		.parent = l->parent, .end = l->end, .self = l->self[0],
	};
	struct fl_wording *wording = fl_wording_new(flame);
	struct fl_words words;

	cr_assert(wording);
	/* Sums of one call are gone at the next. */
	for (int i = 0; i < 2; i++)
		cr_assert_eq(fl_wording_find(wording, &nodes, &words),
			     FLAME_OK);
	fl_wording_free(wording);
	fl_layout_free(l);
	out.size = 0;
	fl_buf_print(&out, "%lld of %lld", (long long)words.base,
		     (long long)words.all);
	if (words.frame)
		fl_buf_print(&out, "; frame %s %lld",
			     flame_name_text(flame, words.frame, NULL),
			     (long long)words.frame_weight);
	put_works(&words);
	return out.data;
}

#define SAYS(text, expected) cr_expect_str_eq(words_of(text), expected)
#define TASK "java/lang/Thread.run_[j];" \
	"org/apache/spark/executor/Executor$TaskRunner.run_[j];" \
	"org/apache/spark/scheduler/ResultTask.runTask_[j];"
#define CODEGEN "org/apache/spark/sql/catalyst/expressions/GeneratedClass$" \
	"GeneratedIteratorForCodegenStage1.processNext_[j];"

Test(words, wrappers_are_not_the_answer)
{
	SAYS(TASK CODEGEN "java/util/regex/Pattern$Loop.match_[j] 9\n"
	     TASK CODEGEN "x/A.f_[j] 1\n",
	     "10 of 10; first regex 9 -");
}

Test(words, own_code_answers_before_what_it_calls)
{
	SAYS(TASK "x/Log.parse_[j];java/util/regex/Pattern.matcher_[j] 8\n"
	     TASK "x/Log.other_[j] 2\n",
	     "10 of 10; frame x/Log.parse 8; regex 8 x/Log.parse");
}

Test(words, all_that_one_function_does_is_not_a_trunk)
{
	SAYS("main;work 98\nmain;rest 2\n", "100 of 100; frame work 98");
	SAYS("main;a 20\nmain;b 20\nmain;c 20\nmain;d 20\nmain;e 20\n",
	     "100 of 100");
}

Test(words, threads_that_wait_are_left_out_where_there_are_no_tasks)
{
	SAYS("java/util/concurrent/ThreadPoolExecutor.getTask_[j];park 90\n"
	     "x/A.f_[j];java/lang/Object.wait_[j] 6\n"
	     "x/A.f_[j] 4\n",
	     "10 of 10; frame x/A.f 10; thread 6 x/A.f");
	SAYS("main;epoll_wait 5\n", "5 of 5; frame main 5");
}

Test(words, a_task_waits_where_an_idle_thread_would)
{
	SAYS(TASK "org/apache/spark/api/python/BasePythonRunner$"
	     "ReaderIterator.hasNext_[j];epoll_wait 7\n"
	     TASK "epoll_wait 3\n",
	     "10 of 10; first python 7 -");
}

Test(words, a_python_worker_is_named_by_its_function)
{
	SAYS(TASK "org/apache/spark/api/python/BasePythonRunner.compute_[j];"
	     "python3;main (worker.py);slow_score (job.py);score (job.py) 9\n"
	     TASK "python3;main (worker.py) 1\n",
	     "10 of 10; frame score (job.py) 9; python 9 score (job.py)");
}

Test(words, a_lock_is_of_the_frame_that_waits)
{
	SAYS(TASK "x/PriceRule.lookup_[j];ObjectMonitor::enter;"
	     "___pthread_cond_wait 6\n"
	     TASK "x/PriceRule.lookup_[j] 4\n",
	     "10 of 10; frame x/PriceRule.lookup 10; lock 6 "
	     "x/PriceRule.lookup");
}

Test(words, a_sample_is_of_one_work)
{
	/* The innermost: a shuffle that compresses. */
	SAYS(TASK "org/apache/spark/storage/DiskBlockObjectWriter.write_[j];"
	     "com/github/luben/zstd/ZstdOutputStream.write_[j] 4\n"
	     TASK "org/apache/spark/storage/DiskBlockObjectWriter.write_[j] 2\n"
	     /* Over all that it calls: a class of a packed jar. */
	     TASK "java/lang/ClassLoader.loadClass_[j];"
	     "java/util/zip/Inflater.inflate_[j] 3\n"
	     /* Disks count where nothing else does. */
	     TASK "java/io/FileInputStream.read_[j];__GI_read 1\n",
	     "10 of 10; first zstd 4 -; classes 3 -; shuffle write 2 -; "
	     "disk 1 -");
}

Test(words, what_is_beside_tasks_is_apart)
{
	SAYS(TASK "x/A.f_[j] 5\nCompileBroker::loop;Compile::Compile 3\n"
	     "G1ConcurrentMark::run 2\n",
	     "5 of 10; frame x/A.f 5; beside jit 3; beside gc 2");
}

Test(words, names_of_others_that_begin_alike_are_own)
{
	SAYS("javax2/Foo.f_[j];org/apachex/Bar.g_[j] 1\n"
	     "my_inflate 1\nzipper 1\n\xff\x01\x02 1\n;; 1\n",
	     "4 of 4; frame my_inflate 1");
}
