/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines "NAME" or "NAME ARGUMENT": filters, a chain of them, before a small
 * profile; or what a source is asked for.  No filter invents a sample.
 */
#include "fuzz.h"

#include <stdlib.h>

static const char folded[] =
	"# of all kinds\n"
	"[main tid=1];java/lang/Thread.run_[j];a/B$C.lambda$run$0_[i];x 3\n"
	"[main tid=1];java.lang.Thread.run:748;a.B.c(int, java.lang.String) 2\n"
	"[tid=7];a/B.c@12_[0];a/B.c_[1];a/B.c;[C 40\n"
	"std::vector<int, A<b> >::f(int) const;do_syscall_64_[k];0x7f12 5\n"
	"a/B$$Lambda$14/0x0000000801234.run;jdk.internal.reflect."
	"GeneratedMethodAccessor12.invoke;sun.misc.$Proxy3.x_[j] 6\n"
	"r;r;r;s;r;s;r 7\n"
	"GC_active;[GC Thread#0];_$LT$T$GT$::f::h0123456789abcdef 8\n"
	"\xff\xfe;\xe2\x82;caf\xc3\xa9 9\n"
	" 10\n";

static const char perf[] =
	"java 1/2 1.000001: 100 cycles:u: \n"
	"\tffffffff8103ce3b native_safe_halt+0xb ([kernel.kallsyms])\n"
	"\t7f722d142778 Ljava/io/PrintStream;::print+0x20 (/tmp/perf-1.map)\n"
	"\t401000 [unknown] (/bin/a.out)\n\n"
	"sh  3/4 [001] 2.500000: 7 cycles:u: \n"
	"\t2000 inner (inlined)\n\t2000 main (/usr/lib/libfoo.so (deleted))\n\n"
	"java 1/2 61.000001: 1 cycles:u: \n"
	"\t401000 main (/bin/a.out)\n\n";

static const char jstack[] =
	"2026-01-02 03:04:05\nFull thread dump OpenJDK 64-Bit Server VM "
	"(21.0.1 mixed mode):\n\n"
	"\"main\" #1 prio=5 tid=0x1 nid=0x2 runnable  [0x3]\n"
	"   java.lang.Thread.State: RUNNABLE\n"
	"\tat a.B.c(B.java:12)\n\tat a.B.main(B.java:3)\n\n"
	"\"w-1\" #2 prio=5 tid=0x4 nid=0x5 waiting on condition [0x6]\n"
	"   java.lang.Thread.State: WAITING (parking)\n"
	"\tat jdk.internal.misc.Unsafe.park(Native Method)\n\n";

static const struct profile {
	const char *at, *format;
} profiles[] = {
	{ folded, "folded" }, { perf, "perf" }, { jstack, "jstack" },
};

static char *argument(char *line)
{
	char *arg = strchr(line, ' ');

	if (arg)
		*arg++ = '\0';
	return arg;
}

static void through_filters(const struct profile *p, struct slice lines)
{
	struct flame *flame = fuzz_flame();
	struct fl_buf out = { 0 };
	int64_t before, after;
	bool weighs = false;	/* anew: grain */
	struct flame_sink *sink = fuzz_writer(flame, "folded", &out);
	char *line;

	sink = fuzz_watch(flame, sink, &after);
	for (unsigned n = 0; n < 8 && (line = fuzz_line(&lines)); n++) {
		char *arg = argument(line);

		weighs |= strcmp(line, "grain") == 0;
		/* Many lines of an argument, as a tool joins them. */
		for (char *at = arg; at && (at = strchr(at, '\t')); )
			*at = '\n';
		sink = fuzz_front(sink, line, arg);
		free(line);
	}
	sink = fuzz_watch(flame, sink, &before);
	if (fuzz_read(flame, p->at, strlen(p->at), p->format, sink) ==
		    FLAME_OK &&
	    flame_finish(sink) == FLAME_OK)
		FUZZ_HOLDS(after >= 0 && (after <= before || weighs));
	else if (fl_failed(flame) && !out.size)
		FUZZ_HOLDS(*flame_error(flame));
	fuzz_flame_holds(flame);
	flame_free(flame);
	fl_buf_free(&out);
}

void fuzz_filter(const struct fuzz_target *target, const uint8_t *data,
		 size_t size)
{
	(void)target;
	for (size_t i = 0; i < FL_COUNT(profiles); i++)
		through_filters(&profiles[i],
				(struct slice){ (const char *)data, size });
}

static void selected(const struct profile *p, struct slice lines)
{
	struct flame *flame = fuzz_flame();
	struct flame_sink *sink = fuzz_watch(flame, NULL, NULL), *front;
	struct flame_source *source =
		flame_open_memory(flame, p->at, strlen(p->at), "m", p->format);
	char *line, *event = NULL;

	FUZZ_HOLDS(source);
	while ((line = fuzz_line(&lines))) {
		char *arg = argument(line);

		if (flame_ask(source, line, arg) != FLAME_OK) {
			FUZZ_HOLDS(*flame_error(flame));
			flame_clear(flame);
		} else if (!event && arg && strcmp(line, "event") == 0) {
			event = strdup(arg);
		}
		free(line);
	}
	front = flame_pick(sink, event);
	if (front)
		flame_pump(source, front);
	flame_close(source);
	if (front)
		flame_finish(front);
	free(event);
	fuzz_flame_holds(flame);
	flame_free(flame);
}

void fuzz_select(const struct fuzz_target *target, const uint8_t *data,
		 size_t size)
{
	(void)target;
	for (size_t i = 0; i < FL_COUNT(profiles); i++)
		selected(&profiles[i],
			 (struct slice){ (const char *)data, size });
}

/* A pattern, what to replace it with, and (the rest) a subject. */
void fuzz_regex(const struct fuzz_target *target, const uint8_t *data,
		size_t size)
{
	struct slice rest = { (const char *)data, size }, group;
	char *pattern = fuzz_line(&rest), *to = fuzz_line(&rest);

	(void)target;
	for (int whole = 0; pattern && whole < 2; whole++) {
		char error[64] = "";
		struct fl_regex *re = fl_regex_new(pattern, whole, error,
						   sizeof(error));
		struct fl_buf out = { 0 };
		bool matches;

		FUZZ_HOLDS(re || *error);
		if (!re)
			continue;
		matches = fl_regex_match(re, rest.data, rest.size);
		FUZZ_HOLDS(fl_regex_replace(re, rest, to ? to : "", whole,
					    &out) == matches || whole);
		for (unsigned n = 0; n < 4; n++)
			if (fl_regex_group(re, rest, n, &group))
				FUZZ_HOLDS(!group.size ||
					   (group.data >= rest.data &&
					    group.data + group.size <=
						    rest.data + rest.size));
		fl_regex_free(re);
		fl_buf_free(&out);
	}
	free(pattern);
	free(to);
}
