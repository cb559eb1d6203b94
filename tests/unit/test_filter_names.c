/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filters that rename frames.
 */
#include "filter.h"
#include "filter/tidy.h"

TestSuite(norm, .init = start, .fini = stop);
TestSuite(simple, .init = start, .fini = stop);
TestSuite(names, .init = start, .fini = stop);
TestSuite(spelling, .init = start, .fini = stop);
TestSuite(rename, .init = start, .fini = stop);
TestSuite(tidy, .init = start, .fini = stop);

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

/* Two of each kind: the same name. */
Test(norm, counters_of_frameworks_and_code_generators_too)
{
	static const struct { const char *one, *two, *expected; } all[] = {
		{ "a/B$$EnhancerBySpringCGLIB$$3a1f09bc.m",
		  "a/B$$EnhancerBySpringCGLIB$$97ce0b1d_1.m",
		  "a/B$$EnhancerBySpringCGLIB.m 1\n" },
		{ "a/B$$FastClassByGuice$$1289ef.m",
		  "a/B$$FastClassByGuice$$9.m", "a/B$$FastClassByGuice.m 1\n" },
		{ "a/B$$SpringCGLIB$$0.m", "a/B$$SpringCGLIB$$12.m",
		  "a/B$$SpringCGLIB.m 1\n" },
		{ "a/B$ByteBuddy$aB3dE6gH.m", "a/B$ByteBuddy$Zz00kQ1p.m",
		  "a/B$ByteBuddy.m 1\n" },
		{ "a/B$MockitoMock$1234567890.m", "a/B$MockitoMock$fzQdzHBN.m",
		  "a/B$MockitoMock.m 1\n" },
		{ "a/B$HibernateProxy$kT5x01Qb.m",
		  "a/B$HibernateProxy$Pq8sN4aa.m", "a/B$HibernateProxy.m 1\n" },
		{ "a/B_$$_javassist_3.m", "a/B_$$_javassist_17.m",
		  "a/B_$$_javassist.m 1\n" },
		{ "a/B_$$_jvst1a2_0.m", "a/B_$$_jvstffe_1b.m",
		  "a/B_$$_jvst.m 1\n" },
		{ "Script1.run", "Script23.run", "Script.run 1\n" },
		{ "Script1$_run_closure1.doCall", "Script4$_run_closure1.doCall",
		  "Script$_run_closure1.doCall 1\n" },
		{ "io/trino/$gen/PageFilter_20260131_120000_42.filter",
		  "io/trino/$gen/PageFilter_20260201_081500_7.filter",
		  "io/trino/$gen/PageFilter.filter 1\n" },
		{ "org/mozilla/javascript/gen/app_js_17.call",
		  "org/mozilla/javascript/gen/app_js_3.call",
		  "org/mozilla/javascript/gen/app_js.call 1\n" },
		{ "org/python/pycode/_pyx3.f", "org/python/pycode/_pyx14.f",
		  "org/python/pycode/_pyx.f 1\n" },
	};

	for (size_t i = 0; i < FL_COUNT(all); i++) {
		GIVES("norm", NULL, all[i].one, all[i].expected);
		GIVES("norm", NULL, all[i].two, all[i].expected);
	}
}

/* Folded text is read again, and its names must not change any more. */
Test(norm, a_unified_name_stays)
{
	static const struct { const char *name, *expected; } all[] = {
		{ "org/mozilla/javascript/gen/app_js_1_1_0_1.call",
		  "org/mozilla/javascript/gen/app_js.call" },
		{ "a/B$ByteBuddy$QcSXiXLp$auxiliary$kzzhVlMd.m",
		  "a/B$ByteBuddy$auxiliary.m" },
		{ "a/B$MockitoMock$12$ByteBuddy$Qc9XiXLp.m",
		  "a/B$MockitoMock$ByteBuddy.m" },
		{ "a/B$$Lambda$14/1234.run", "a/B$$Lambda.run" },
		{ "GeneratedIteratorForCodegenStage3$$Lambda$14/1234.run",
		  "GeneratedIteratorForCodegenStage3$$Lambda.run" },
	};

	for (size_t i = 0; i < FL_COUNT(all); i++) {
		char expected[96];

		snprintf(expected, sizeof(expected), "%s 1\n",
			 all[i].expected);
		GIVES("norm", NULL, all[i].name, expected);
		GIVES("norm", NULL, all[i].expected, expected);
	}
}

Test(norm, numbers_that_mean_something_stay)
{
	static const char *const names[] = {
		"a/B$1.run_[j]", "a/B$$anonfun$1$$anonfun$apply$2.apply_[j]",
		"a/v2/B3.run4_[j]", "a/Utf8.of_[j]", "a/B.lambda$run$0_[j]",
		"a/MyProxy24.get_[j]", "a/B$Proxy24.get_[j]",
		"a/B$$Lambda$x.run_[j]", "Log4j2.a_[j]",
		"a/B.run:748_[j]", "a/B.run@12_[j]",
		/* of a plan: the same in all JVMs of the job */
		"GeneratedIteratorForCodegenStage3.next_[j]",
		"s/GeneratedClass$GeneratedIteratorForCodegenStage12.next_[j]",
		"s/GeneratedIteratorForCodegenStage3$agg_FastMap_0.f_[j]",
		"StreamExecCalc$12.processElement_[j]",
		"BatchExecCalc$7.endInput_[j]",
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

Test(names, a_frame_that_has_no_name_is_one_still)
{
	static const char *const all[][2] = {
		{ "no-tiers", NULL }, { "simple", NULL }, { "norm", NULL },
		{ "rename", "s/a/b/" }, { "tidy", "java-lambdas,addresses" },
	};

	for (size_t i = 0; i < FL_COUNT(all); i++)
		GIVES(all[i][0], all[i][1], "x;;y", "x;;y 1\n");
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
	last = flame_stack_frame(flame, (flame_id)flame->stacks.count - 1);
	cr_expect_str_eq(flame_name_text(flame, flame_frame_of(flame,
						last)->name, NULL), "B.run");
	cr_expect_eq(flame_frame_of(flame, last)->line, 7);
	cr_expect_eq(flame_frame_of(flame, last)->file, f.file);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
}

/* Spellings ----------------------------------------------------------- */

static const char *dotted(const char *name)
{
	out.size = 0;
	fl_buf_text(&out, "");
	if (!fl_java_dotted((struct slice){ name, strlen(name) }, &out)) {
		cr_expect_eq(out.size, 0, "%s", name);
		return "";
	}
	return out.data;
}

Test(spelling, of_one_method_there_are_many)
{
	static const char *const spelt[] = {
		"org/apache/spark/executor/Executor$TaskRunner.run",
		"org/apache/spark/executor/Executor$TaskRunner.run:552",
		"org/apache/spark/executor/Executor$TaskRunner.run@12",
		"org.apache.spark.executor.Executor$TaskRunner.run",
		"org.apache.spark.executor.Executor$TaskRunner.run"
		"(Executor.scala:552)",
		"org.apache.spark.executor.Executor$TaskRunner.run"
		"(Unknown Source)",
		"app//org.apache.spark.executor.Executor$TaskRunner.run"
		"(Executor.scala:552)",
		"java.base@17.0.15/org.apache.spark.executor."
		"Executor$TaskRunner.run(Executor.scala:552)",
		"java.base/org.apache.spark.executor.Executor$TaskRunner.run",
		"app/mod@1.2/org.apache.spark.executor.Executor$TaskRunner.run",
		"org-apache-spark-executor-Executor$TaskRunner-run-214",
		"org-apache-spark-executor-Executor$TaskRunner-run--2",
		"Lorg/apache/spark/executor/Executor$TaskRunner;::run",
		"Lorg/apache/spark/executor/Executor$TaskRunner:::run",
		"org/apache/spark/executor/Executor$TaskRunner:::run",
		"Lorg/apache/spark/executor/Executor$TaskRunner;.run()V",
		"Lorg/apache/spark/executor/Executor$TaskRunner;::run(I)V",
		"void org.apache.spark.executor.Executor$TaskRunner.run()",
		"void org.apache.spark.executor.Executor$TaskRunner.run"
		"(java.lang.Object, long)",
		"java.lang.Object[] org.apache.spark.executor."
		"Executor$TaskRunner.run",
	};

	for (size_t i = 0; i < FL_COUNT(spelt); i++)
		cr_expect_str_eq(dotted(spelt[i]), "org.apache.spark.executor."
				 "Executor$TaskRunner.run", "%s: %s",
				 spelt[i], dotted(spelt[i]));
	cr_expect_str_eq(dotted("Executor$TaskRunner.run"),
			 "Executor$TaskRunner.run");
	cr_expect_str_eq(dotted("a/B.<init>"), "a.B.<init>");
}

Test(spelling, other_names_have_none)
{
	static const char *const names[] = {
		"", "run", "main", "/usr/lib/libc.so.6", "[libc.so]",
		"std::vector<int>::at(unsigned long)", "Executor task l",
		"Executor_task_l", "pool-1-thread-12", "kworker/u8:3-12",
		"my-Thread-x", "a-b-c-1", "run (app.py:12)", "libc.so.6",
		"main.(*T).Run", "[tid=12]", "java.lang.String",
		"__libc_start_main@GLIBC_2.34", "::run", "La/b;", "x;::y",
		"(", ")", "-1", "--1", "a--1", "L;::", ".", "/", "//", "@/",
		"a//", "Thread (1)",
	};

	for (size_t i = 0; i < FL_COUNT(names); i++)
		cr_expect_str_eq(dotted(names[i]), "", "%s: %s", names[i],
				 dotted(names[i]));
}

Test(spelling, expressions_look_at_the_plain_names_too)
{
	static const char agent[] = "La/b/C;::m", dump[] = "x//a.b.C.m(C.java)";
	static const struct { const char *re, *name; bool matches; } all[] = {
		{ "^a/b/C\\.m$", agent, true },
		{ "^a\\.b\\.C\\.m$", agent, true },
		{ "C;::m", agent, true },
		{ "a/b/C", dump, true },
		{ "C.java", dump, true },
		{ "C\\.m$", dump, true },
		{ "^C", dump, false },
		{ "C.n", agent, false },
		{ "^b", agent, false },
	};

	for (size_t i = 0; i < FL_COUNT(all); i++) {
		char error[256];
		struct fl_regex *re = fl_regex_new(all[i].re, false, error,
						   sizeof(error));

		cr_assert(re);
		cr_expect_eq(fl_java_match(re, (struct slice){ all[i].name,
					   strlen(all[i].name) }),
			     all[i].matches, "%s of %s", all[i].re,
			     all[i].name);
		fl_regex_free(re);
	}
}

Test(spelling, names_of_thread_dumps_are_javas)
{
	GIVES("simple", NULL, "java.base@17.0.1/java.lang.Thread.run"
	      "(Thread.java:840)", "Thread.run(Thread.java:840) 1\n");
	GIVES("dot", NULL, "java.base@17/java.lang.Thread.run(Thread.java:8)",
	      "java.base@17/java.lang.Thread.run(Thread.java:8) 1\n");
	GIVES("norm", NULL, "app//demo.W$$Lambda$14/1083962448.run"
	      "(Unknown Source)", "app//demo.W$$Lambda.run(Unknown Source) 1"
	      "\n");
}

/* Rename -------------------------------------------------------------- */

Test(rename, as_sed_does)
{
	GIVES("rename", "s/b/X/", "abb;b_[j]", "aXb;X_[j] 1\n");
	GIVES("rename", "s/b/X/g", "abb", "aXX 1\n");
	GIVES("rename", "s/B/X/gi", "abb", "aXX 1\n");
	GIVES("rename", "s/B/X/", "abb", "abb 1\n");
	GIVES("rename", "s/(a)(b)/\\2$1[&]\\&/", "abc", "ba[ab]&c 1\n");
	GIVES("rename", "s,a/b,x/y,", "a/b", "x/y 1\n");
	GIVES("rename", "s/a\\/b/x\\/y/", "a/b", "x/y 1\n");
	GIVES("rename", "s|a\\|b|x\\|y|", "a|b", "x|y 1\n");
	GIVES("rename", "sxa\\xbx\\x\\xx", "axb", "xx 1\n");
	GIVES("rename", "s/^/x./", "a", "x.a 1\n");
	GIVES("rename", "s/a/\\$1/", "a", "$1 1\n");
}

Test(rename, rules_are_done_in_their_order)
{
	GIVES("rename", "s/a/b/\ns/b/c/\ns/c$/d/", "a;ab;x", "d;cb;x 1\n");
}

Test(rename, no_name_is_no_frame)
{
	GIVES("rename", "s/^b.*//", "a;bc;d", "a;d 1\n");
	GIVES("rename", "s/.*//", "a;b", " 1\n");
	GIVES("rename", "s/.*//", "", " 1\n");
}

Test(rename, what_is_malformed_is_told)
{
	static const struct { const char *rule, *why; } bad[] = {
		{ "", "not s/RE/TO/" },
		{ "s", "not s/RE/TO/" },
		{ "foo", "not s/RE/TO/" },
		{ "y/a/b/", "not s/RE/TO/" },
		{ "s\\a\\b\\", "not s/RE/TO/" },
		{ "s/", "TO is missing" },
		{ "s/a", "TO is missing" },
		{ "s/a\\/b", "TO is missing" },
		{ "s/a\\", "TO is missing" },
		{ "s/a/b", "it ends too soon" },
		{ "s/a/b\\/", "it ends too soon" },
		{ "s/a/b/x", "flags are g" },
		{ "s/(/b/", "missing closing parenthesis" },
		{ "s/a/\\1/", "a group that RE lacks" },
		{ "s/(a)/$2/", "a group that RE lacks" },
		{ "s/a/\\U&/", "an escape that is not known" },
	};

	for (size_t i = 0; i < FL_COUNT(bad); i++) {
		struct flame_sink *next;

		stop();
		start();
		next = collector();
		cr_expect_null(flame_filter(next, "rename", bad[i].rule));
		cr_expect(strstr(flame_error(flame), bad[i].why) &&
			  strstr(flame_error(flame), "--rename: "), "%s: %s",
			  bad[i].rule, flame_error(flame));
	}
}

/* Tidy ---------------------------------------------------------------- */

/* Pairs of names: what they were, what they become. */
static void becomes(const char *tidy, const char *const (*pairs)[2], size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char expected[256];

		snprintf(expected, sizeof(expected), "%s 1\n", pairs[i][1]);
		GIVES("tidy", tidy, pairs[i][0], expected);
	}
}

#define BECOMES(tidy, ...)						\
	do {								\
		static const char *const pairs[][2] = { __VA_ARGS__ };	\
									\
		becomes(tidy, pairs, FL_COUNT(pairs));			\
	} while (0)

Test(tidy, java)
{
	BECOMES("java-modules",
		{ "java.base@17.0.1/java.lang.Thread.run(Thread.java:840)",
		  "java.lang.Thread.run(Thread.java:840)" },
		{ "app//a.B.c", "a.B.c" },
		{ "java/lang/Thread.run_[j]", "java/lang/Thread.run_[j]" },
		{ "a.W$$Lambda$1/0x00ff.run", "a.W$$Lambda$1/0x00ff.run" },
		{ "/a//b.c", "/a//b.c" });
	BECOMES("java-lambdas",
		{ "a.W$$Lambda$88+0x00007f8177090218/360062456.run",
		  "a.W$$Lambda.run" },
		{ "java.lang.invoke.LambdaForm$MH.0x00007ff0.invoke",
		  "java.lang.invoke.LambdaForm$MH.invoke" },
		{ "sun/reflect/GeneratedMethodAccessor12.invoke_[j]",
		  "sun/reflect/GeneratedMethodAccessor.invoke_[j]" });
	BECOMES("java-lines",
		{ "a.B.c(B.java:12)", "a.B.c" },
		{ "a.B.c(Native Method)", "a.B.c" },
		{ "a.B.c(Unknown Source)", "a.B.c" },
		{ "a/B.c:12_[j]", "a/B.c_[j]" },
		{ "a/B.c@12_[0]", "a/B.c_[0]" },
		{ "a.B.c(java.lang.Object, int)",
		  "a.B.c(java.lang.Object, int)" },
		{ "f (a.py:12)", "f (a.py:12)" },
		{ "a::b(c.d)", "a::b(c.d)" });
}

Test(tidy, rust)
{
	BECOMES("rust-hashes",
		{ "a::f::h0123456789abcdef", "a::f" },
		{ "_$LT$a..B$u20$as$u20$core..C$GT$::f::h0123456789abcdef",
		  "<a::B as core::C>::f" },
		{ "_$LT$$RF$T$GT$::f", "<&T>::f" },
		{ "a::$u7b$$u7b$closure$u7d$$u7d$::h0123456789abcdef",
		  "a::{{closure}}" },
		{ "a::_x$LT$T$GT$", "a::_x<T>" },
		{ "a::f::h0123456789abcdeg", "a::f::h0123456789abcdeg" },
		{ "a..b", "a..b" }, { "Foo$LT$Bar.x", "Foo$LT$Bar.x" },
		{ "$LT$::$u1$$u$$uffffff$", "<::$u1$$u$$uffffff$" });
}

Test(tidy, c_and_cxx)
{
	BECOMES("cxx-templates",
		{ "std::vector<int, std::allocator<int> >::at",
		  "std::vector<>::at" },
		{ "f<&g, (h)3>", "f<>" },
		{ "A::operator<", "A::operator<" },
		{ "A::operator<< <int>", "A::operator<< <int>" },
		{ "A::operator<=><int>", "A::operator<=><int>" },
		{ "A<b>::operator-><c>", "A<>::operator-><c>" },
		{ "a/B.<init>", "a/B.<init>" }, { "<module>", "<module>" },
		{ "f<", "f<" }, { "f<(>", "f<(>" }, { "a<b>", "a<>" });
	BECOMES("cxx-arguments",
		{ "a::f(int, char const*) const", "a::f" },
		{ "f(void (*)(int))", "f" },
		{ "(anonymous namespace)::f(int)",
		  "(anonymous namespace)::f" },
		{ "a::(anonymous namespace)::f(int)",
		  "a::(anonymous namespace)::f" },
		{ "A::operator()(int) const", "A::operator()" },
		{ "f(int)::{lambda(int)#1}::operator()(int) const",
		  "f::{lambda(int)#1}::operator()" },
		{ "std::function<int (int)>::operator()(int)",
		  "std::function<int (int)>::operator()" },
		{ "main.(*T).Run", "main.(*T).Run" },
		{ "f (a.py:12)", "f (a.py:12)" },
		{ "-[NSObject(x) y]", "-[NSObject y]" },
		{ "a.B.c(B.java:12)", "a.B.c(B.java:12)" },
		{ "f(", "f(" });
	BECOMES("gcc-clones",
		{ "f.isra.0.cold", "f" }, { "f.constprop.12", "f" },
		{ "f [clone .part.1]", "f" }, { "f.cold", "f" },
		{ "f [clone .isra.0] [clone .cold]", "f" },
		{ "f.llvm.1234", "f" }, { "f.0", "f.0" },
		{ "f.part", "f.part" }, { ".cold", ".cold" },
		{ "a/B.cold", "a/B.cold" });
}

Test(tidy, go)
{
	BECOMES("go",
		{ "main.main.func1", "main.main.func" },
		{ "github.com/x/y.(*T).F.func2.1.gowrap3",
		  "github.com/x/y.(*T).F.func" },
		{ "main.F[go.shape.int_0,go.shape.string_1]", "main.F[...]" },
		{ "main.F[...]", "main.F[...]" },
		{ "net.(*conn).Read-fm", "net.(*conn).Read" },
		{ "runtime.memmove.abi0", "runtime.memmove" },
		{ "a/B.func1", "a/B.func1" },
		{ "a/b/c.func1_[j]", "a/b/c.func1_[j]" },
		{ "main.func1x", "main.func1x" },
		{ "main.funcs", "main.funcs" });
}

Test(tidy, others)
{
	BECOMES("python-lines",
		{ "f (a/b.py:12)", "f (a/b.py)" },
		{ "f (<frozen importlib>:12)", "f (<frozen importlib>)" },
		{ "f (a.js:12)", "f (a.js:12)" }, { "f (a.py)", "f (a.py)" },
		{ "f (a.py:)", "f (a.py:)" }, { "a.py:1)", "a.py:1)" });
	BECOMES("addresses",
		{ "a 0x7f81c0 b", "a 0x... b" }, { "0x", "0x" });
	BECOMES("numbers-in-thread-names",
		{ "[pool-1-thread-12 tid=4711]_[g];a1",
		  "[pool-*-thread-* tid=*]_[g];a1" },
		{ "[pool-1 tid=7];a1;b2", "[pool-* tid=*];a1;b2" },
		{ "java-12_[g];f1", "java-*_[g];f1" },
		{ "f12", "f12" });
}

Test(tidy, several_are_done_in_the_tables_order)
{
	GIVES("tidy", "addresses,java-lambdas\njava-modules,java-lines",
	      "app//a.W$$Lambda$1/0x00ff.run(Unknown Source);0x12",
	      "a.W$$Lambda.run;0x... 1\n");
}

Test(tidy, an_unknown_name_lists_those_there_are)
{
	struct flame_sink *next = collector();

	cr_assert_null(flame_filter(next, "tidy", "go,jva"));
	cr_expect(strstr(flame_error(flame), "--tidy: jva: not one of "
			 "java-modules, java-lambdas, "), "%s",
		  flame_error(flame));
}

Test(tidy, every_row_keeps_the_weight_and_odd_names_harm_none)
{
	static const char *const odd[] = {
		"", "(", ")", "<", ">", "((((", "))))", "f<(>)", "$", "$u",
		"$u$", "::h", ".", "..", "_$", "[", "[go.shape.", "a[go.shape.",
		".func1", "-fm", "x-fm", "(a.py:1", ":1)", "0x", "\xff<\xff>",
	};

	for (size_t i = 0; fl_tidy_rules[i].name; i++) {
		struct flame_sink *sink = flame_filter(collector(), "tidy",
						       fl_tidy_rules[i].name);

		total = 0;
		for (size_t j = 0; j < FL_COUNT(odd); j++)
			send_to(sink, odd[j], 1);
		cr_assert_eq(flame_finish(sink), FLAME_OK);
		cr_expect_eq(total, (int64_t)FL_COUNT(odd));
		cr_expect(fl_tidy_rules[i].summary && fl_tidy_rules[i].tidy);
	}
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
		{ "thread (0x7F1A): m;f", "thread: m;f 1\n" },
		{ "thread (0x): m;f", "thread (0x): m;f 1\n" },
		{ "f;f;process x;process 8;thread (y): z",
		  "f;f;process x;process 8;thread (y): z 1\n" },
		{ "process ;thread (", "process ;thread ( 1\n" },
	};

	for (size_t i = 0; i < FL_COUNT(cases); i++)
		cr_expect_str_eq(through("merge-processes", NULL, cases[i][0]),
				 cases[i][1], "%s", cases[i][0]);
}
