/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The filter room.  Samples go in and come out as lines of folded text.
 */
#include "fl.h"

#include "filter/filter.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

/* A sink that writes what it gets, line by line, as it comes --------- */

static struct flame *flame;
static struct fl_buf out;
static int64_t total;

static void start(void)
{
	flame = flame_new();
	cr_assert(flame);
	total = 0;
}

static void stop(void)
{
	flame_free(flame);
	fl_buf_free(&out);
}

TestSuite(keep, .init = start, .fini = stop);
TestSuite(root, .init = start, .fini = stop);
TestSuite(cut, .init = start, .fini = stop);
TestSuite(norm, .init = start, .fini = stop);
TestSuite(simple, .init = start, .fini = stop);
TestSuite(names, .init = start, .fini = stop);
TestSuite(classify, .init = start, .fini = stop);
TestSuite(by, .init = start, .fini = stop);
TestSuite(length, .init = start, .fini = stop);
TestSuite(reverse, .init = start, .fini = stop);
TestSuite(grain, .init = start, .fini = stop);
TestSuite(filters, .init = start, .fini = stop);

static const char *const letters[] = {
	[FLAME_UNKNOWN] = "", [FLAME_INTERPRETED] = "0", [FLAME_JIT] = "j",
	[FLAME_INLINED] = "i", [FLAME_NATIVE] = "n", [FLAME_CPP] = "+",
	[FLAME_KERNEL] = "k", [FLAME_C1] = "1", [FLAME_JAVA_NATIVE] = "J",
	[FLAME_GROUP] = "g", [FLAME_WAKER] = "w"
};

static void write_stack(flame_id stack)
{
	flame_id path[64];
	size_t n = 0;

	for (; stack; stack = flame_stack_parent(flame, stack))
		path[n++] = flame_stack_frame(flame, stack);
	while (n--) {
		const struct flame_frame *f = flame_frame_of(flame, path[n]);

		fl_buf_text(&out, flame_name_text(flame, f->name, NULL));
		if (*letters[f->type])
			fl_buf_print(&out, "_[%s]", letters[f->type]);
		fl_buf_text(&out, n ? ";" : "");
	}
}

static int put(struct flame_sink *sink, const struct flame_sample *s)
{
	(void)sink;
	write_stack(s->stack);
	fl_buf_print(&out, " %lld\n", (long long)s->weight);
	total += s->weight;
	return FLAME_OK;
}

static struct flame_sink *collector(void)
{
	struct flame_sink *sink = fl_sink_new(flame, NULL, 0);

	sink->put = put;
	return sink;
}

/* "name_[j]"; _[c] is a class on top of an allocation's stack. */
static flame_id frame_of(const char *text, size_t size)
{
	struct flame_frame f = { 0 };

	if (size > 4 && text[size - 1] == ']' && text[size - 4] == '_' &&
	    text[size - 3] == '[') {
		char letter = text[size - 2];

		for (unsigned i = 0; i < FL_COUNT(letters); i++)
			if (*letters[i] && *letters[i] == letter)
				f.type = (enum flame_type)i;
		if (letter == 'c') {
			f.type = FLAME_INLINED;
			f.file = fl_name(flame, "<class>");
		}
		size -= 4;
	}
	f.name = flame_name(flame, text, size);
	return flame_frame(flame, &f);
}

static flame_id stack_of(const char *text)
{
	flame_id stack = 0;

	while (*text) {
		size_t size = strcspn(text, ";");

		stack = flame_stack(flame, stack, frame_of(text, size));
		text += size + (text[size] == ';');
	}
	return stack;
}

static void send_to(struct flame_sink *sink, const char *stack,
		    int64_t weight)
{
	struct flame_sample s = {
		.stack = stack_of(stack), .time = FLAME_NOTIME,
		.weight = weight,
	};

	cr_assert_eq(flame_put(sink, &s), FLAME_OK);
}

/* The stack that one sample of weight 1 comes out at; "" if it does not. */
static const char *through(const char *name, const char *arg,
			   const char *stack)
{
	struct flame_sink *sink = flame_filter(collector(), name, arg);

	cr_assert(sink, "%s", flame_error(flame));
	out.size = 0;
	fl_buf_text(&out, "");
	send_to(sink, stack, 1);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	return out.at;
}

#define GIVES(name, arg, stack, expected)				\
	cr_expect_str_eq(through(name, arg, stack), expected,		\
			 "--%s of %s\n  is   %s\n  not  %s", name,	\
			 stack, through(name, arg, stack), expected)

/* Keep and drop ------------------------------------------------------- */

Test(keep, a_word_is_found_in_a_name)
{
	GIVES("keep", "Runner", "a;TaskRunner.run;c", "a;TaskRunner.run;c 1\n");
	GIVES("keep", "Runner", "a;b;c", "");
	GIVES("keep", "^Runner", "a;TaskRunner.run;c", "");
	GIVES("keep", "a;b", "a;b", "");
}

Test(keep, one_of_several_is_enough)
{
	GIVES("keep", "x\nb", "a;b;c", "a;b;c 1\n");
	GIVES("keep", "x\ny", "a;b;c", "");
	GIVES("drop", "x\nb", "a;b;c", "");
	GIVES("drop", "x\ny", "a;b;c", "a;b;c 1\n");
}

Test(keep, the_suffix_is_not_of_the_name)
{
	GIVES("keep", "^b$", "a;b_[j]", "a;b_[j] 1\n");
	GIVES("drop", "\\[j\\]", "a;b_[j]", "a;b_[j] 1\n");
}

Test(keep, include_wants_all_of_a_name)
{
	GIVES("include", "Runner", "a;TaskRunner.run", "");
	GIVES("include", ".*Runner\\.run", "a;TaskRunner.run",
	      "a;TaskRunner.run 1\n");
	GIVES("include", "a|b", "ab", "");
	GIVES("exclude", "Task", "a;TaskRunner.run", "a;TaskRunner.run 1\n");
	GIVES("exclude", "a", "a;b", "");
}

Test(keep, a_sample_without_a_stack_matches_nothing)
{
	GIVES("keep", "", "", "");
	GIVES("drop", "", "", " 1\n");
}

Test(keep, children_of_a_stack_known_already_are_told_apart)
{
	struct flame_sink *sink = flame_filter(collector(), "keep", "c$");

	send_to(sink, "a;b", 1);
	send_to(sink, "a;b;c", 2);
	send_to(sink, "a;b;c;d", 4);
	send_to(sink, "a;b;d", 8);
	send_to(sink, "a;b;c", 16);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_expect_str_eq(out.at, "a;b;c 2\na;b;c;d 4\na;b;c 16\n");
}

/* Root ---------------------------------------------------------------- */

Test(root, stacks_begin_at_the_outermost_match)
{
	GIVES("root", "run", "a;run1;b;run2;c", "run1;b;run2;c 1\n");
	GIVES("root-innermost", "run", "a;run1;b;run2;c", "run2;c 1\n");
	GIVES("root", "a", "a;b", "a;b 1\n");
	GIVES("root", "b", "a;b", "b 1\n");
}

Test(root, stacks_without_a_match_are_dropped)
{
	GIVES("root", "x", "a;b", "");
	GIVES("root-innermost", "x", "a;b", "");
	GIVES("root", "", "", "");
}

Test(root, the_category_stays_below)
{
	struct flame_sink *sink = flame_filter(collector(), "root", "run");

	sink = flame_filter(sink, "classify", NULL);
	send_to(sink, "a_[j];run_[j];c_[j]", 3);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_expect_str_eq(out.at, "[c2_comp]_[i];run_[j];c_[j] 3\n");
}

Test(root, one_word_finds_all_spellings)
{
	static const char *const spelt[] = {
		"org/apache/spark/executor/Executor$TaskRunner.run_[0]",
		"Executor$TaskRunner.run",
		"org.apache.spark.executor.Executor$TaskRunner.run",
		"org-apache-spark-executor-Executor$TaskRunner-run-214",
		"void org.apache.spark.executor.Executor$TaskRunner.run()",
	};

	for (size_t i = 0; i < FL_COUNT(spelt); i++)
		cr_expect_str_neq(through("root", "TaskRunner.run",
					  spelt[i]), "");
}

/* Cut, hide, collapse ------------------------------------------------- */

Test(cut, the_frame_that_matches_stays)
{
	GIVES("cut", "b", "a;b;c;b;d", "a;b 1\n");
	GIVES("cut", "x", "a;b;c", "a;b;c 1\n");
	GIVES("cut", "a", "a;b;c", "a 1\n");
}

Test(cut, hidden_frames_leave_their_stacks)
{
	GIVES("hide", "b", "a;b;c;b;d", "a;c;d 1\n");
	GIVES("hide", "a\nd", "a;b;c;d", "b;c 1\n");
	GIVES("hide", ".", "a;b", " 1\n");
}

Test(cut, recursion_becomes_one_frame)
{
	GIVES("collapse-recursion", NULL, "a;b;b;b;c;b", "a;b;c;b 1\n");
	GIVES("collapse-recursion", NULL, "b_[0];b_[j];b_[i]", "b_[0] 1\n");
}

/* Names --------------------------------------------------------------- */

Test(norm, lambdas_of_every_jdk_lose_what_is_of_one_run)
{
	static const char *const lambdas[] = {
		"demo/W$$Lambda$22/0x0000000800c03000.run_[j]",
		"demo/W$$Lambda$14/1083962448.run_[j]",
		"demo/W$$Lambda$105+0x00007f2d6c009430/1083962448.run_[j]",
		"demo/W$$Lambda+0x000072d6c0094300/543846639.run_[j]",
		"demo/W$$Lambda/0x00007f2d6c009430.run_[j]",
		"demo/W$$Lambda$70.0x0000000800c3a1a0.run_[j]",
		"demo/W$$Lambda.0x0000000800c3a1a0.run_[j]",
		"demo/W$$Lambda$70.0x0000000800c3a1a0.1234.run_[j]",
		"demo/W$$Lambda$70.run_[j]",
		"demo/W$$Lambda.run_[j]",
	};

	for (size_t i = 0; i < FL_COUNT(lambdas); i++)
		GIVES("norm", NULL, lambdas[i], "demo/W$$Lambda.run_[j] 1\n");
	GIVES("norm", NULL,
	      "demo.W$$Lambda$105+0x00007f2d6c009430/1083962448.run",
	      "demo.W$$Lambda.run 1\n");
	GIVES("norm", NULL, "X$$Lambda$22/0x0000000800c03000.run:12_[i]",
	      "X$$Lambda.run:12_[i] 1\n");
	GIVES("norm", NULL, "X$$Lambda$22/0x0000000800c03000.run@7_[0]",
	      "X$$Lambda.run@7_[0] 1\n");
}

Test(norm, other_classes_made_at_run_time_too)
{
	GIVES("norm", NULL, "java.lang.invoke.LambdaForm$MH+"
	      "0x00007f8177090218/543846639.invoke_[i]",
	      "java.lang.invoke.LambdaForm$MH.invoke_[i] 1\n");
	GIVES("norm", NULL, "java/lang/invoke/LambdaForm$DMH/"
	      "0x0000000800c01000.invokeStatic_[j]",
	      "java/lang/invoke/LambdaForm$DMH.invokeStatic_[j] 1\n");
	GIVES("norm", NULL, "sun/reflect/GeneratedMethodAccessor12.invoke_[j]",
	      "sun/reflect/GeneratedMethodAccessor.invoke_[j] 1\n");
	GIVES("norm", NULL,
	      "sun.reflect.GeneratedConstructorAccessor3.newInstance",
	      "sun.reflect.GeneratedConstructorAccessor.newInstance 1\n");
	GIVES("norm", NULL, "com/sun/proxy/$Proxy24.get_[1]",
	      "com/sun/proxy/$Proxy.get_[1] 1\n");
	GIVES("norm", NULL, "$Proxy7.get_[j]", "$Proxy.get_[j] 1\n");
	GIVES("norm", NULL, "jdk/proxy2/$Proxy24.get_[j]",
	      "jdk/proxy/$Proxy.get_[j] 1\n");
	GIVES("norm", NULL, "jdk.proxy13.$Proxy24.get_[j]",
	      "jdk.proxy.$Proxy.get_[j] 1\n");
}

Test(norm, numbers_that_mean_something_stay)
{
	static const char *const names[] = {
		"A$GeneratedClass$GeneratedIteratorForCodegenStage3.next_[j]",
		"a/B$1.run_[j]", "a/B$$anonfun$1$$anonfun$apply$2.apply_[j]",
		"a/v2/B3.run4_[j]", "a/Utf8.of_[j]", "a/B.lambda$run$0_[j]",
		"a/MyProxy24.get_[j]", "a/B$Proxy24.get_[j]",
		"a/B$$Lambda$x.run_[j]", "Log4j2.a_[j]",
		"a/B.run:748_[j]", "a/B.run@12_[j]",
	};

	for (size_t i = 0; i < FL_COUNT(names); i++) {
		char expected[96];

		snprintf(expected, sizeof(expected), "%s 1\n", names[i]);
		GIVES("norm", NULL, names[i], expected);
	}
}

Test(norm, only_java_is_touched)
{
	static const char *const names[] = {
		"libx/0x12.so_[n]", "Foo::bar/0x12.x_[+]", "a/0x12.x_[k]",
		"/usr/lib/libc.so.6/0x12.x", "std::f$$Lambda$7/0x1.x",
	};

	for (size_t i = 0; i < FL_COUNT(names); i++) {
		char expected[96];

		snprintf(expected, sizeof(expected), "%s 1\n", names[i]);
		GIVES("norm", NULL, names[i], expected);
	}
}

Test(norm, classes_alone_are_classes)
{
	GIVES("norm", NULL, "a;demo.W$$Lambda$105+0x00007f2d6c009430."
	      "1083962448_[c]", "a;demo.W$$Lambda_[i] 1\n");
	GIVES("norm", NULL, "a;demo.W$$Lambda.0x00007f2d6c009430[][]_[c]",
	      "a;demo.W$$Lambda[][]_[i] 1\n");
	GIVES("norm", NULL, "a;byte[]_[c]", "a;byte[]_[i] 1\n");
}

Test(norm, jfrconvs_way_cuts_at_the_last_slash_or_dot)
{
	GIVES("norm-compat", NULL, "X$$Lambda$9.0x0000000800c03000.run_[j]",
	      "X$$Lambda$9.run_[j] 1\n");
	GIVES("norm-compat", NULL, "X$$Lambda/0x00007f8177090218.run_[j]",
	      "X$$Lambda.run_[j] 1\n");
	GIVES("norm-compat", NULL, "pkg/C$$Lambda+0x00007f8177090218/"
	      "543846639.run_[j]", "pkg/C$$Lambda.run_[j] 1\n");
	GIVES("norm-compat", NULL, "C+0x00007f8177090218/543846639.run_[j]",
	      "C.run_[j] 1\n");
	GIVES("norm-compat", NULL, "+0x00007f8177090218/543846639.run_[j]",
	      "+0x00007f8177090218.run_[j] 1\n");
	GIVES("norm-compat", NULL, "a/GeneratedMethodAccessor12.invoke_[j]",
	      "a/GeneratedMethodAccessor12.invoke_[j] 1\n");
	GIVES("norm-compat", NULL, "/1.run_[j]", "/1.run_[j] 1\n");
}

Test(simple, packages_are_cut)
{
	GIVES("simple", NULL, "java/lang/Thread.run_[j]",
	      "Thread.run_[j] 1\n");
	GIVES("simple", NULL, "java.lang.Thread.run:748_[0]",
	      "Thread.run:748_[0] 1\n");
	GIVES("simple", NULL, "org.apache.x.Executor$$Lambda.apply",
	      "Executor$$Lambda.apply 1\n");
	GIVES("simple", NULL, "a.b.W$$Lambda$1/0x0000000800c03000.run_[j]",
	      "W$$Lambda$1/0x0000000800c03000.run_[j] 1\n");
	GIVES("simple", NULL, "a;java.lang.String[]_[c]",
	      "a;String[]_[i] 1\n");
	GIVES("simple", NULL, "a;java.lang.String_[i]", "a;String_[i] 1\n");
	GIVES("simple", NULL, "Thread.run_[j]", "Thread.run_[j] 1\n");
	GIVES("simple", NULL, "unknown_[j]", "unknown_[j] 1\n");
}

Test(simple, only_java_is_touched)
{
	GIVES("simple", NULL, "/usr/lib/libc.so.6_[n]",
	      "/usr/lib/libc.so.6_[n] 1\n");
	GIVES("simple", NULL, "/usr/lib/libc.so", "/usr/lib/libc.so 1\n");
	GIVES("simple", NULL, "a::b/c.d_[+]", "a::b/c.d_[+] 1\n");
	GIVES("simple", NULL, "[a/b.C]", "[a/b.C] 1\n");
	GIVES("simple", NULL, "I2C/C2I adapters", "I2C/C2I adapters 1\n");
	GIVES("simple", NULL, "libc.so.6", "libc.so.6 1\n");
}

Test(simple, jfrconvs_way_knows_slashes_only)
{
	GIVES("simple-compat", NULL, "java/lang/Thread.run_[j]",
	      "Thread.run_[j] 1\n");
	GIVES("simple-compat", NULL, "org.apache.x.Executor$$Lambda.apply_[j]",
	      "org.apache.x.Executor$$Lambda.apply_[j] 1\n");
	GIVES("simple-compat", NULL, "a/W$$Lambda/0x00ff.run_[j]",
	      "W$$Lambda/0x00ff.run_[j] 1\n");
	GIVES("simple-compat", NULL, "a;java.lang.String_[c]",
	      "a;String_[i] 1\n");
}

Test(names, slashes_become_dots_in_java_only)
{
	GIVES("dot", NULL, "java/lang/Thread.run_[J]",
	      "java.lang.Thread.run_[J] 1\n");
	GIVES("dot", NULL, "java/lang/Thread.run", "java.lang.Thread.run 1\n");
	GIVES("dot", NULL, "X$$Lambda$22/0x0000000800c03000.run_[j]",
	      "X$$Lambda$22.0x0000000800c03000.run_[j] 1\n");
	GIVES("dot", NULL, "a/b.c_[n];a/b.c_[+];a/b.c_[k];/a/b.c",
	      "a/b.c_[n];a/b.c_[+];a/b.c_[k];/a/b.c 1\n");
}

Test(names, frames_that_ran_differently_become_one)
{
	GIVES("no-tiers", NULL, "a_[0];a_[j];a_[i];a_[1];a_[k];a_[+]",
	      "a;a;a;a;a;a 1\n");
}

Test(names, lines_and_files_stay)
{
	struct flame_frame f = {
		.name = fl_name(flame, "a/B.run"), .line = 7,
		.file = fl_name(flame, "B.java"), .type = FLAME_JIT,
	};
	struct flame_sample s = {
		.stack = flame_stack(flame, 0, flame_frame(flame, &f)),
		.weight = 1,
	};
	struct flame_sink *sink = flame_filter(collector(), "simple", NULL);
	flame_id last;

	cr_assert_eq(flame_put(sink, &s), FLAME_OK);
	last = flame_stack_frame(flame, (flame_id)flame->stacks.n - 1);
	cr_expect_str_eq(flame_name_text(flame, flame_frame_of(flame,
						last)->name, NULL), "B.run");
	cr_expect_eq(flame_frame_of(flame, last)->line, 7);
	cr_expect_eq(flame_frame_of(flame, last)->file, f.file);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
}

/* Classify ------------------------------------------------------------ */

static void is_of(const char *category, const char *stack)
{
	const char *got = through("classify", NULL, stack);

	cr_expect(strncmp(got, category, strlen(category)) == 0 &&
		  got[strlen(category)] == ';',
		  "%s\n  is   %s\n  not  %s", stack, got, category);
}

Test(classify, threads_of_the_jvm_are_known_from_the_root)
{
	is_of("[jit]_[+]", "start_[n];thread_native_entry_[+];"
	      "CompileBroker::compiler_thread_loop_[+];x_[+]");
	is_of("[gc]_[+]", "java_start_[+];GCTaskThread::run_[+];x_[j]");
	is_of("[gc]_[+]", "WorkerThread::run_[+]");
	is_of("[vm]_[+]", "clone_[n];thread_native_entry_[+];x_[+]");
	is_of("[c2_comp]_[i]", "a_[j];java_start_[+];b_[j]");
	is_of("[vm]_[+]", "java_start_[+];a_[j]");
	is_of("[native]_[n]", "java_start_[n];x_[n]");
}

Test(classify, loading_is_known_anywhere)
{
	is_of("[class_verify]_[+]", "a_[j];Verifier::verify_[+];b_[+]");
	is_of("[class_init]_[+]",
	      "a_[j];InstanceKlass::initialize_impl_[+];b_[+]");
	is_of("[class_resolve]_[+]", "a_[0];LinkResolver::x_[+]");
	is_of("[class_resolve]_[+]", "a_[0];InterpreterRuntime::resolve_x_[+]");
	is_of("[class_resolve]_[+]", "a_[0];SystemDictionary::resolve_x_[+]");
	is_of("[class_load]_[+]", "java/lang/ClassLoader.loadClass_[j];b_[j]");
	is_of("[class_load]_[+]", "a/BClassLoader.loadClass:12_[j];b_[j]");
	is_of("[lambda_init]_[+]",
	      "java/lang/invoke/LambdaMetafactory.metafactory_[0];b_[j]");
	is_of("[lambda_init]_[+]",
	      "java/lang/invoke/LambdaMetafactory.altMetafactory_[0];b_[j]");
	is_of("[vtable_stubs]_[n]", "a_[j];itable stub_[n]");
	is_of("[Interpreter]_[n]", "a_[j];Interpreter_[n]");
	is_of("[Interpreter]_[n]", "a_[0];I2C/C2I adapters_[n]");
	is_of("[c2i_adapter]_[i]", "a_[j];I2C/C2I adapters_[n]");
	is_of("[c2i_adapter]_[i]", "I2C/C2I adapters_[n]");
}

Test(classify, else_the_first_java_frame_tells)
{
	is_of("[Interpreter]_[n]", "a_[0];b_[i]");
	is_of("[c2_comp]_[i]", "a_[0];b_[j];c_[i]");
	is_of("[c1_comp]_[1]", "a_[0];b_[1]");
	is_of("[native]_[n]", "a_[j];write_[n]");
	is_of("[native]_[n]", "a_[j];b_[J]");
	is_of("[c2_comp]_[i]", "a_[j];b_[i];c_[n];d_[i]");
	is_of("[c1_comp]_[1]", "a_[j];Runtime1::x_[+];y_[n]");
	is_of("[vm]_[+]", "a_[j];JVM_Sleep_[n];y_[n]");
	is_of("[vm]_[+]", "a_[j];call_stub_[n];y_[+]");
	is_of("[c2_comp]_[i]", "a_[j];jbyte_arraycopy_[n]");
	is_of("[c2_comp]_[i]", "a_[j];pthread_cond_wait@GLIBC_[n]");
	is_of("[c2_comp]_[i]", "a_[j];b_[+];c_[k]");
	is_of("[native]_[n]", "a_[+];b_[k]");
}

Test(classify, the_class_of_an_allocation_is_not_of_the_stack)
{
	is_of("[native]_[n]", "a_[j];write_[n];java.lang.String_[c]");
	is_of("[Interpreter]_[n]", "a_[0];java.lang.String_[c]");
	is_of("[native]_[n]", "java.lang.String_[c]");
}

Test(classify, text_without_types_is_guessed_at)
{
	is_of("[c2_comp]_[i]", "java/lang/Thread.run");
	is_of("[gc]_[+]", "start_thread;thread_native_entry;WorkerThread::run"
	      "_[+]");
	is_of("[gc]_[+]", "start_thread;WorkerThread::run");
	is_of("[vm]_[+]", "start_thread;thread_native_entry;write");
	is_of("[native]_[n]", "main;write");
}

Test(classify, no_stack_tells_nothing)
{
	GIVES("classify", NULL, "", " 1\n");
}

/* Threads and labels -------------------------------------------------- */

static void send_with(struct flame_sink *sink, flame_id thread,
		      flame_id labels)
{
	struct flame_sample s = {
		.stack = stack_of("a;b"), .time = FLAME_NOTIME, .weight = 1,
		.thread = thread, .labels = labels,
	};

	cr_assert_eq(flame_put(sink, &s), FLAME_OK);
}

Test(by, threads_stand_at_the_root)
{
	struct flame_sink *sink = flame_filter(collector(), "threads", NULL);

	cr_expect_eq(sink->needs, FL_NEED_THREAD);
	send_with(sink, fl_thread(flame, FL_SLICE("main"), 7), 0);
	send_with(sink, fl_thread(flame, (struct slice){ 0 }, 8), 0);
	send_with(sink, fl_thread(flame, FL_SLICE("main"), 7), 0);
	send_with(sink, 0, 0);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_expect_str_eq(out.at, "[main tid=7]_[g];a;b 1\n"
			 "[tid=8]_[g];a;b 1\n[main tid=7]_[g];a;b 1\n"
			 "a;b 1\n");
}

Test(by, a_thread_whose_frame_is_there_gets_no_other)
{
	struct flame_sink *sink = flame_filter(collector(), "threads", NULL);
	flame_id thread = fl_thread(flame, FL_SLICE("main"), 7);

	/* send_with's stack is a;b. */
	send_with(sink, flame_label(flame, thread,
				    fl_name(flame, "thread-in-stack"),
				    fl_name(flame, "a")), 0);
	send_with(sink, flame_label(flame, thread,
				    fl_name(flame, "thread-in-stack"),
				    fl_name(flame, "gone")), 0);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_expect_str_eq(out.at, "a;b 1\n[main tid=7]_[g];a;b 1\n");
}

Test(by, labels_stand_at_the_root_the_first_outermost)
{
	struct flame_sink *sink = flame_filter(collector(), "by",
					       "stage,state\nthread");
	flame_id labels = flame_label(flame, 0, fl_name(flame, "stage"),
				      fl_name(flame, "12"));

	cr_expect_eq(sink->needs, FL_NEED_THREAD | FL_NEED_STATE);
	send_with(sink, fl_thread(flame, FL_SLICE("main"), 7), labels);
	send_with(sink, 0, flame_label(flame, 0, fl_name(flame, "state"),
				       fl_name(flame, "RUNNABLE")));
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_expect_str_eq(out.at,
			 "12_[g];[no state]_[g];main_[g];a;b 1\n"
			 "[no stage]_[g];RUNNABLE_[g];[no thread]_[g];a;b 1\n");
}

Test(by, a_key_must_be_named)
{
	struct flame_sink *next = collector();

	cr_assert_null(flame_filter(next, "by", "stage,"));
	cr_expect_str_eq(flame_error(flame), "--by: a key is missing");
	flame_abandon(next);
}

/* Length -------------------------------------------------------------- */

Test(length, skip_takes_frames_from_the_root)
{
	GIVES("skip", "1", "a;b;c", "b;c 1\n");
	GIVES("skip", "0", "a;b;c", "a;b;c 1\n");
	GIVES("skip", "2", "a;b;c", "c 1\n");
}

Test(length, what_is_too_short_is_not_lost)
{
	GIVES("skip", "3", "a;b;c", "[skipped]_[g] 1\n");
	GIVES("skip", "9", "a;b;c", "[skipped]_[g] 1\n");
	GIVES("skip", "9", "", " 1\n");
	GIVES("skip-compat", "3", "a;b;c", " 1\n");
	GIVES("skip-compat", "2", "a;b;c", "c 1\n");
}

Test(length, depth_takes_frames_from_the_leaf)
{
	GIVES("depth", "2", "a;b;c;d", "a;b 1\n");
	GIVES("depth", "9", "a;b;c;d", "a;b;c;d 1\n");
	GIVES("depth", "0", "a;b", " 1\n");
}

Test(length, a_number_must_be_one)
{
	static const char *const bad[] = { "", "x", "-1", "1x", "1.5" };

	for (size_t i = 0; i < FL_COUNT(bad); i++) {
		struct flame_sink *next;

		stop();
		start();
		next = collector();
		cr_expect_null(flame_filter(next, "skip", bad[i]));
		cr_expect(strstr(flame_error(flame), "--skip: "));
		flame_abandon(next);
	}
}

/* Reverse ------------------------------------------------------------- */

Test(reverse, leaves_come_first)
{
	GIVES("reverse", NULL, "a;b;c", "c;b;a 1\n");
	GIVES("reverse", NULL, "a", "a 1\n");
	GIVES("reverse", NULL, "", " 1\n");
}

Test(reverse, the_frame_of_a_thread_stays_at_the_root)
{
	GIVES("reverse", NULL, "[x tid=1]_[g];a;b", "[x tid=1]_[g];b;a 1\n");
	GIVES("reverse", NULL, "[tid=12]_[n];a;b", "[tid=12]_[n];b;a 1\n");
	GIVES("reverse", NULL, "[x y tid=1];a;b", "[x y tid=1];b;a 1\n");
	GIVES("reverse", NULL, "[tid=1]", "[tid=1] 1\n");
	GIVES("reverse", NULL, "[tid=1]_[j];a", "a;[tid=1]_[j] 1\n");
	GIVES("reverse", NULL, "[xtid=1];a", "a;[xtid=1] 1\n");
	GIVES("reverse", NULL, "[x tid=];a", "a;[x tid=] 1\n");
	GIVES("reverse", NULL, "[tid=1;a", "a;[tid=1 1\n");
	GIVES("reverse", NULL, "[1234567];a", "a;[1234567] 1\n");
	GIVES("reverse", NULL, "a;[tid=1]", "[tid=1];a 1\n");
}

Test(reverse, twice_is_as_it_was)
{
	struct flame_sink *sink = collector();

	sink = flame_filter(sink, "reverse", NULL);
	sink = flame_filter(sink, "reverse", NULL);
	send_to(sink, "[main tid=3];a;b_[j];c", 5);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_expect_str_eq(out.at, "[main tid=3];a;b_[j];c 5\n");
}

/* Grain --------------------------------------------------------------- */

Test(grain, weights_are_divided_and_the_total_is_kept)
{
	struct flame_sink *sink = flame_filter(collector(), "grain", "10");

	send_to(sink, "a", 4);
	send_to(sink, "b", 4);
	send_to(sink, "c", 4);
	send_to(sink, "d", 100);
	send_to(sink, "a", 0);
	cr_expect_eq(out.size, 0);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_expect_str_eq(out.at, "b 1\nd 10\n");
}

Test(grain, the_total_is_kept_over_many_stacks)
{
	struct flame_sink *sink = flame_filter(collector(), "grain", "7.5");
	int64_t sum = 0;

	for (int i = 0; i < 1000; i++) {
		char name[16];

		snprintf(name, sizeof(name), "f%d", i);
		send_to(sink, name, i % 13);
		sum += i % 13;
	}
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_expect_leq((double)total, (double)sum / 7.5 + 1);
	cr_expect_geq((double)total, (double)sum / 7.5 - 1);
}

Test(grain, nothing_in_is_nothing_out)
{
	struct flame_sink *sink = flame_filter(collector(), "grain", "2");

	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_expect_eq(out.size, 0);
}

Test(grain, the_size_is_above_zero)
{
	static const char *const bad[] = { "0", "-1", "x", "", "nan" };

	for (size_t i = 0; i < FL_COUNT(bad); i++) {
		struct flame_sink *next = collector();

		cr_expect_null(flame_filter(next, "grain", bad[i]));
		flame_abandon(next);
	}
}

/* The table ----------------------------------------------------------- */

Test(filters, the_table_is_in_the_order_of_the_ranks)
{
	for (size_t i = 0; fl_filters[i]; i++) {
		const struct fl_filter *f = fl_filters[i];

		cr_expect(f->name && f->summary && f->make);
		cr_expect(!i || fl_filters[i - 1]->rank <= f->rank,
			  "%s", f->name);
		cr_expect_eq(fl_filter_named(f->name), f);
		cr_expect(!f->joins || f->argument);
	}
}

Test(filters, those_that_do_not_select_keep_the_total)
{
	for (size_t i = 0; fl_filters[i]; i++) {
		const struct fl_filter *f = fl_filters[i];
		const char *arg = !f->argument ? NULL :
				  strcmp(f->argument, "RE") == 0 ? "b" : "1";
		struct flame_sink *sink = flame_filter(collector(), f->name,
						       arg);

		if ((f->rank >= 30 && f->rank <= 41) || f->rank == 55 ||
		    f->rank == 56) {
			flame_abandon(sink);
			continue;
		}
		total = 0;
		send_to(sink, "", 1);
		send_to(sink, "a", 2);
		send_to(sink, "a/B.run_[j];b", 4);
		send_to(sink, "a;b;b;c", 8);
		cr_expect_eq(flame_finish(sink), FLAME_OK);
		cr_expect_eq(total, 15, "%s", f->name);
	}
}

Test(filters, an_unknown_name_is_said)
{
	struct flame_sink *next = collector();

	cr_assert_null(flame_filter(next, "kepe", "x"));
	cr_expect_str_eq(flame_error(flame), "kepe: no such filter");
	flame_abandon(next);
}

Test(filters, a_missing_argument_is_said)
{
	struct flame_sink *next = collector();

	cr_assert_null(flame_filter(next, "keep", NULL));
	cr_expect_str_eq(flame_error(flame), "--keep takes an argument: RE");
	flame_abandon(next);
}

Test(filters, an_argument_too_many_is_said)
{
	struct flame_sink *next = collector();

	cr_assert_null(flame_filter(next, "norm", "x"));
	cr_expect_str_eq(flame_error(flame), "--norm takes no argument");
	flame_abandon(next);
}

Test(filters, a_bad_expression_is_said)
{
	struct flame_sink *next = collector();

	cr_assert_null(flame_filter(next, "keep", "good\n(bad"));
	cr_expect(strstr(flame_error(flame), "--keep: (bad: "), "%s",
		  flame_error(flame));
	flame_abandon(next);
}

Test(filters, nothing_to_stand_before_is_passed_on)
{
	cr_expect_null(flame_filter(NULL, "keep", "x"));
}

Test(names, processes_of_one_command_are_one)
{
	static const char *const cases[][2] = {
		{ "process 7:\"w x\";f", "process \"w x\";f 1\n" },
		{ "process 7:\"w\";process 8:\"w\";f", "process \"w\";f 1\n" },
		{ "process 7:\"d\";process 8:\"w\";f",
		  "process \"d\";process \"w\";f 1\n" },
		{ "process 7:\"w\";thread (8): m;f",
		  "process \"w\";thread: m;f 1\n" },
		{ "thread (8);f", "thread;f 1\n" },
		{ "f;f;process x;process 8;thread (y): z",
		  "f;f;process x;process 8;thread (y): z 1\n" },
		{ "process ;thread (", "process ;thread ( 1\n" },
	};

	for (size_t i = 0; i < FL_COUNT(cases); i++)
		cr_expect_str_eq(through("merge-processes", NULL, cases[i][0]),
				 cases[i][1], "%s", cases[i][0]);
}

Test(filters, a_full_dictionary_is_said_at_the_end)
{
	struct flame_sink *sink = flame_filter(collector(), "reverse", NULL);

	flame_limit(flame, 100000);
	for (int i = 0; i < 10000; i++) {
		struct flame_sample s = { .weight = 1 };
		char name[16];

		snprintf(name, sizeof(name), "f%d;g", i);
		s.stack = stack_of(name);
		flame_put(sink, &s);
	}
	cr_expect_eq(flame_finish(sink), FLAME_FAILED);
	cr_expect_str_neq(flame_error(flame), "");
}

Test(filters, deep_stacks_are_no_recursion)
{
	struct flame_sink *sink = collector();
	struct flame_sample s = { .weight = 1 };

	for (unsigned i = 0; i < 1000000; i++) {
		char name[2] = { (char)('a' + i % 26) };

		s.stack = flame_stack(flame, s.stack, frame_of(name, 1));
	}
	sink = flame_filter(sink, "depth", "3");
	sink = flame_filter(sink, "reverse", NULL);
	sink = flame_filter(sink, "collapse-recursion", NULL);
	sink = flame_filter(sink, "hide", "[f-z]");
	sink = flame_filter(sink, "classify", NULL);
	cr_assert_eq(flame_put(sink, &s), FLAME_OK);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_expect_str_eq(out.at, "e;d;c 1\n");
}
