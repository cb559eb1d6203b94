/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The flow room: what a source is asked for, one metric of many, the pump,
 * how sources and sinks begin and end, and the order of a team's jobs.
 */
#include "fl.h"

#include "flow/flow.h"
#include "format/formats.h"
#include "tree/origins.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static struct flame *flame;
static struct fl_buf out, said;

static void remember(void *arg, const char *line)
{
	fl_buf_text(arg, line);
	fl_buf_byte(arg, '\n');
}

static void start(void)
{
	flame = flame_new();
	cr_assert(flame);
	flame_on_warning(flame, remember, &said);
	flame_on_remark(flame, remember, &said);
	fl_buf_text(&out, "");
	fl_buf_text(&said, "");
	setenv("TZ", "UTC", 1);
	tzset();
}

static void stop(void)
{
	flame_free(flame);
	fl_buf_free(&out);
	fl_buf_free(&said);
}

TestSuite(durations, .init = start, .fini = stop);
TestSuite(times, .init = start, .fini = stop);
TestSuite(states, .init = start, .fini = stop);
TestSuite(select, .init = start, .fini = stop);
TestSuite(repeats, .init = start, .fini = stop);
TestSuite(threads, .init = start, .fini = stop);
TestSuite(pick, .init = start, .fini = stop);
TestSuite(pump, .init = start, .fini = stop);
TestSuite(source, .init = start, .fini = stop);
TestSuite(sink, .init = start, .fini = stop);
TestSuite(facts, .init = start, .fini = stop);
TestSuite(rows, .init = start, .fini = stop);
TestSuite(thread_pool, .init = start, .fini = stop);

/* A sink that writes what it gets: "NAME METRIC WEIGHT" a sample -------- */

static int collect(struct flame_sink *sink, const struct flame_sample *s)
{
	const struct flame_frame *frame =
		flame_frame_of(flame, flame_stack_frame(flame, s->stack));

	(void)sink;
	fl_buf_print(&out, "%s %s %lld\n",
		     flame_name_text(flame, frame->name, NULL),
		     flame_metric_of(flame, s->metric)->name,
		     (long long)s->weight);
	return FLAME_OK;
}

static struct flame_sink *collector(void)
{
	struct flame_sink *sink = fl_sink_new(flame, NULL, 0);

	cr_assert(sink);
	sink->put = collect;
	return sink;
}

/* A source that reads a list --------------------------------------------- */

struct list {
	const struct flame_sample *at;
	size_t n;
};

static int read_list(struct flame_source *source)
{
	struct list *list = source->state;

	if (!list->n)
		return FLAME_END;
	list->n--;
	return fl_batch_add(source, list->at++);
}

static const struct fl_format listed = { .name = "listed", .read = read_list };
static const struct fl_format choosy = {
	.name = "choosy", .read = read_list, .selects = true
};

static struct flame_source *source_of(const struct fl_format *format,
				      struct list *list)
{
	struct flame_source *source =
		flame_open_memory(flame, "a 1\n", 4, "memory", "folded");

	cr_assert(source, "%s", flame_error(flame));
	source->format->release(source->state);
	fl_free(source->state);
	source->format = format;
	source->state = list;
	return source;
}

static flame_id stack_of(const char *name)
{
	return flame_stack(flame, 0, fl_frame(flame, fl_name(flame, name),
					      FLAME_UNKNOWN));
}

/* Durations ----------------------------------------------------------- */

Test(durations, have_a_unit_or_are_milliseconds)
{
	static const struct {
		const char *text;
		int64_t ns;
	} good[] = {
		{ "10", 10000000 }, { "10ms", 10000000 }, { "5us", 5000 },
		{ "1s", 1000000000 }, { "7ns", 7 }, { "0", 0 },
		{ "2m", 120000000000 }, { "2min", 120000000000 },
		{ "1h", 3600000000000 }, { "1.5s", 1500000000 },
		{ "-3s", -3000000000 }, { "+3s", 3000000000 },
		{ "0.25", 250000 },
	};
	int64_t ns;

	for (size_t i = 0; i < FL_COUNT(good); i++) {
		cr_expect(fl_parse_duration(good[i].text, &ns), "%s",
			  good[i].text);
		cr_expect_eq(ns, good[i].ns, "%s is %lld", good[i].text,
			     (long long)ns);
	}
}

Test(durations, that_are_none_are_refused)
{
	static const char *const bad[] = {
		"", "s", "ms", "five", "5 s", "5d", "5S", "1.2.3s", "--5",
		"5ms ", " 5", "1e30s", "99999999999h", ".", "-", "5s5",
		("111111111111111111111111111111111111111111111111111111111"
		 "1111111111111111"),
	};
	int64_t ns;

	for (size_t i = 0; i < FL_COUNT(bad); i++)
		cr_expect_not(fl_parse_duration(bad[i], &ns), "'%s'", bad[i]);
}

/* Times --------------------------------------------------------------- */

#define SECOND INT64_C(1000000000)
/* 2026-11-21T04:22:52Z, and 11 s later. */
#define START (INT64_C(1795234972) * SECOND)
#define END (START + 11 * SECOND)

static int select_set(struct fl_select *select, const char *option,
		      const char *value)
{
	return fl_option_set(flame, fl_option_find(&fl_select_table, option),
			     select, value);
}

static int64_t resolved(const char *text, int64_t first, int64_t last)
{
	struct fl_select s = { 0 };

	cr_assert_eq(select_set(&s, "from", text), FLAME_OK,
		     "%s", flame_error(flame));
	return fl_when_resolve(&s.from, first, last);
}

#define IS(text, ns)							\
	cr_expect_eq(resolved(text, START, END), (ns), "%s is %lld", text, \
		     (long long)resolved(text, START, END))

Test(times, small_ones_are_from_the_start)
{
	IS("1000", START + SECOND);
	IS("5s", START + 5 * SECOND);
	IS("500ms", START + SECOND / 2);
	IS("1499999999999", START + INT64_C(1499999999999) * 1000000);
}

Test(times, negative_ones_are_from_the_end)
{
	IS("-1000", END - SECOND);
	IS("-3s", END - 3 * SECOND);
	IS("-1.5m", END - 90 * SECOND);
}

Test(times, great_ones_are_since_1970)
{
	IS("1795234973000", START + SECOND);
	IS("1795234973123", START + SECOND + 123000000);
	IS("1500000000000", INT64_C(1500000000) * SECOND);
}

Test(times, with_six_or_nine_decimals_are_of_the_inputs_own_clock)
{
	cr_expect_eq(resolved("12345.678901", SECOND, END),
		     INT64_C(12345678901000));
	cr_expect_eq(resolved("0.000001", SECOND, END), 1000);
	cr_expect_eq(resolved("12345.678901234", SECOND, END),
		     INT64_C(12345678901234));
	cr_expect_eq(resolved("1500.5", SECOND, END), INT64_C(2500500000));
	cr_expect_eq(resolved("12345.678901", FLAME_NOTIME, END),
		     FLAME_NOTIME);
	IS("1795234973.500000", START + SECOND + SECOND / 2);
	IS("0.000000", FLAME_NOTIME);
}

Test(times, with_six_decimals_are_milliseconds_where_the_input_has_dates)
{
	IS("7000.000001", START + INT64_C(7000000001));
	IS("12345.678901ms", START + INT64_C(12345678901));
	IS("1500.5", START + 1500500000);
}

Test(times, with_a_per_cent_sign_are_shares_of_the_span)
{
	IS("50%", START + (END - START) / 2);
	IS("0%", START);
	IS("100%", END);
	IS("-25%", START + (END - START) / 4 * 3);
	IS("12.5%", START + (END - START) / 8);
	cr_expect_eq(resolved("50%", START, FLAME_NOTIME), FLAME_NOTIME);
	cr_expect_eq(resolved("100%", -5, INT64_MAX), -5);
}

Test(times, zero_is_none)
{
	IS("0", FLAME_NOTIME);
	IS("0s", FLAME_NOTIME);
}

Test(times, of_the_day_are_of_the_recordings_day)
{
	IS("04:22", START - 52 * SECOND);
	IS("4:22", START - 52 * SECOND);
	IS("04:22:52", START);
	IS("04:22:52.5", START + SECOND / 2);
	IS("04:22:52,250", START + SECOND / 4);
	IS("04:22:53.001", START + SECOND + 1000000);
	setenv("TZ", "EET-2", 1);	/* two hours east */
	tzset();
	IS("06:22:52", START);
}

Test(times, dates_are_local_unless_they_have_a_zone)
{
	IS("2026-11-21T04:22:52", START);
	IS("2026-11-21 04:22:52", START);
	IS("2026-11-21T04:22", START - 52 * SECOND);
	IS("2026-11-21", START - ((4 * 60 + 22) * 60 + 52) * SECOND);
	IS("2026-11-21T04:22:52.123", START + 123000000);
	setenv("TZ", "EET-2", 1);
	tzset();
	IS("2026-11-21T06:22:52", START);
	IS("2026-11-21T06:22:52.125", START + SECOND / 8);
	IS("2026-11-21T04:22:52Z", START);
	IS("2026-11-21T04:22:52.125Z", START + SECOND / 8);
	IS("2026-11-21T05:22:52+01:00", START);
	IS("2026-11-21T05:22:52+0100", START);
	IS("2026-11-21T05:22:52+01", START);
	IS("2026-11-20T23:22:52-05:00", START);
	IS("2026-11-21Z", START - ((4 * 60 + 22) * 60 + 52) * SECOND);
}

Test(times, that_are_none_are_refused_with_the_spellings)
{
	static const char *const bad[] = {
		"", "yesterday", "12:60", "24:00", "12:", ":30", "1:2",
		"12:30Z", "12:30:61", "2026-13-01", "2026-00-10",
		"2026-11-32", "26-11-21", "2026-11-21T", "2026-11-21T25:00",
		"2026-11-21X", "2026-11-21T10:00+1", "2026-11-21T10:00Zulu",
		"5 s", "-5:00", "%", "101%", "-101%", "5%%", "5s%",
	};

	for (size_t i = 0; i < FL_COUNT(bad); i++) {
		struct fl_select s = { 0 };

		cr_expect_eq(select_set(&s, "to", bad[i]),
			     FLAME_FAILED, "'%s'", bad[i]);
		cr_expect(strstr(flame_error(flame), "HH:MM"), "%s",
			  flame_error(flame));
		flame_clear(flame);
	}
}

Test(times, need_a_span_only_where_they_are_relative)
{
	cr_expect_eq(resolved("5s", FLAME_NOTIME, FLAME_NOTIME),
		     FLAME_NOTIME);
	cr_expect_eq(resolved("-5s", START, FLAME_NOTIME), FLAME_NOTIME);
	cr_expect_eq(resolved("04:22", FLAME_NOTIME, END), FLAME_NOTIME);
	cr_expect_eq(resolved("2026-11-21T04:22:52Z", FLAME_NOTIME,
			      FLAME_NOTIME), START);
}

/* The weights that come out of 1 at 0 s, 2 at 1 s, 4 at 2 s, 8 timeless. */
static int64_t chosen(const char *from, const char *to)
{
	struct flame_sample samples[] = {
		{ .time = START, .weight = 1 },
		{ .time = START + SECOND, .weight = 2 },
		{ .time = START + 2 * SECOND, .weight = 4 },
		{ .time = FLAME_NOTIME, .weight = 8 },
	};
	struct list list = { samples, FL_COUNT(samples) };
	struct flame_source *source = source_of(&listed, &list);
	struct flame_sample s;
	int64_t sum = 0;

	source->start = START;
	source->end = START + 2 * SECOND;
	if (from)
		cr_assert_eq(flame_ask(source, "from", from), FLAME_OK);
	if (to)
		cr_assert_eq(flame_ask(source, "to", to), FLAME_OK);
	while (flame_next(source, &s) == FLAME_OK)
		sum += s.weight;
	flame_close(source);
	return sum;
}

Test(times, bounds_are_inclusive)
{
	cr_expect_eq(chosen(NULL, NULL), 15);
	cr_expect_eq(chosen("1s", NULL), 6);
	cr_expect_eq(chosen(NULL, "1s"), 3);
	cr_expect_eq(chosen("1s", "1s"), 2);
	cr_expect_eq(chosen("1001", NULL), 4);
	cr_expect_eq(chosen("-1s", NULL), 6);
	cr_expect_eq(chosen(NULL, "-1s"), 3);
	cr_expect_eq(chosen("-1500ms", "-500ms"), 2);
	cr_expect_eq(chosen("04:22:53", NULL), 6);
	cr_expect_eq(chosen("2026-11-21T04:22:54Z", NULL), 4);
	cr_expect_eq(chosen("1795234973000", "1795234973000"), 2);
	cr_expect_eq(chosen("2s", "1s"), 0);
	cr_expect_eq(chosen("0", NULL), 15, "0 is as if it were not given");
}

static int take_none(struct flame_sink *sink, const struct flame_sample *s)
{
	(void)sink, (void)s;
	return FLAME_OK;
}

static int finish_none(struct flame_sink *sink)
{
	(void)sink;
	return FLAME_OK;
}

/* The message for a span of two seconds; NOTIME: unknown. */
static const char *said_of_span(int64_t start, int64_t end, const char *option,
				const char *value)
{
	struct list list = { NULL, 0 };
	struct flame_source *source = source_of(&listed, &list);
	struct flame_sink *sink = fl_sink_new(flame, NULL, 0);

	said.size = 0;
	fl_buf_text(&said, "");
	sink->put = take_none;
	sink->finish = finish_none;
	source->start = start;
	source->end = end;
	cr_assert_eq(flame_ask(source, option, value), FLAME_OK);
	cr_assert_eq(flame_pump(source, sink), FLAME_OK);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	flame_close(source);
	return said.data;
}

#define SAYS(start, end, option, value, text)				\
	do {								\
		const char *says = said_of_span(start, end, option, value); \
									\
		cr_expect(*(text) ? strstr(says, text) != NULL : !*says, \
			  "%s %s: %s", option, value, says);		\
	} while (0)

Test(times, outside_the_input_are_told_with_its_span_and_clock)
{
	SAYS(START, START + SECOND, "from", "2027-01-01",
	     "from 2026-11-21T04:22:52.000 to 2026-11-21T04:22:53.000 "
	     "(local time)");
	SAYS(START, START + SECOND, "to", "2020-01-01", "(local time)");
	SAYS(START, START + SECOND, "from", "345.678901", "");
	SAYS(START, START + SECOND, "from", "12345.678901", "(local time)");
	SAYS(1000001000, 5 * SECOND, "from", "10:00", "outside the input, "
	     "which goes from 1.000001 to 5.000000 (seconds of its own clock)");
	SAYS(1000001000, 5 * SECOND, "from", "3.000000", "");
	SAYS(1000001000, 5 * SECOND, "from", "50%", "");
	SAYS(1000001000, 5 * SECOND, "to", "1.000000", "own clock");
	SAYS(FLAME_NOTIME, FLAME_NOTIME, "from", "1s", "has no times");
}

/* States -------------------------------------------------------------- */

#define LISTED(list, state) fl_state_listed(list, FL_SLICE(state))

Test(states, begin_as_what_was_asked_for)
{
	cr_expect(LISTED("runnable", "STATE_RUNNABLE"));
	cr_expect(LISTED("RUNNABLE", "RUNNABLE"));
	cr_expect(LISTED("r", "STATE_RUNNABLE"));
	cr_expect(LISTED("x,s", "STATE_SLEEPING"));
	cr_expect(LISTED("s,x", "sleeping"));
	cr_expect(LISTED(",,s", "STATE_SLEEPING"));
	cr_expect_not(LISTED("s", "STATE_RUNNABLE"), "STATE_ is not a state's");
	cr_expect_not(LISTED("runnables", "STATE_RUNNABLE"));
	cr_expect_not(LISTED("", "STATE_RUNNABLE"));
	cr_expect_not(LISTED(",", "STATE_RUNNABLE"));
	cr_expect_not(LISTED("r", ""));
}

static struct flame_sample in_state(const char *state, int64_t weight)
{
	return (struct flame_sample){
		.time = FLAME_NOTIME, .weight = weight,
		.labels = flame_label(flame, 0, fl_name(flame, "state"),
				      fl_name(flame, state)),
	};
}

Test(states, choose_samples)
{
	struct flame_sample samples[] = {
		in_state("STATE_RUNNABLE", 1), in_state("STATE_SLEEPING", 2),
		{ .time = FLAME_NOTIME, .weight = 4 },
	};
	struct list list = { samples, FL_COUNT(samples) };
	struct flame_source *source = source_of(&listed, &list);
	struct flame_sample s;

	cr_assert_eq(flame_ask(source, "state", "sleep"), FLAME_OK);
	cr_expect_eq(flame_next(source, &s), FLAME_OK);
	cr_expect_eq(s.weight, 2);
	cr_expect_eq(flame_next(source, &s), FLAME_END);
	flame_close(source);
}

/* Asking -------------------------------------------------------------- */

static struct flame_source *folded(const char *text)
{
	struct flame_source *source =
		flame_open_memory(flame, text, strlen(text), "memory", NULL);

	cr_assert(source, "%s", flame_error(flame));
	return source;
}

static void refused(const char *option, const char *value, const char *why)
{
	struct flame_source *source = folded("a 1\n");

	cr_expect_eq(flame_ask(source, option, value), FLAME_FAILED,
		     "--%s %s", option, value ? value : "(null)");
	cr_expect(strstr(flame_error(flame), why), "%s", flame_error(flame));
	flame_close(source);
	flame_clear(flame);
}

Test(select, what_is_no_value_is_refused)
{
	refused("thread", "(", "(");
	refused("tag", "[", "[");
	refused("latency", "-5", "a duration");
	refused("latency", "soon", "a duration");
	refused("tail", "x", "a ratio");
	refused("tail", "-1", "a ratio");
	refused("tail", "%", "a ratio");
	refused("colour", "red", "no such selection");
}

Test(select, a_value_that_is_missing_is_an_error_and_not_a_crash)
{
	refused("event", NULL, "event");
	refused("from", NULL, "from");
	refused("thread", NULL, "thread");
	refused("latency", NULL, "latency");
	refused("grain", NULL, "grain");
}

Test(select, times_that_ns_cannot_say_are_refused)
{
	refused("from", "4052-01-02", "a time");
	refused("to", "0001-01-01T00:00Z", "a time");
	refused("to", "99999999999999999", "a time");
}

Test(select, what_is_refused_changes_nothing)
{
	struct flame_source *source = folded("a 1\n");

	flame_ask(source, "from", "12:77");
	flame_ask(source, "event", "all");
	cr_expect_null(source->select.event);
	cr_expect_eq(source->select.from.base, FL_WHEN_NONE);
	flame_close(source);
}

Test(select, a_time_past_all_times_is_the_last)
{
	struct fl_when from = {
		.base = FL_WHEN_START, .ns = INT64_MAX,
	};
	struct fl_when to = { .base = FL_WHEN_END, .ns = -INT64_MAX };

	cr_expect_eq(fl_when_resolve(&from, INT64_MAX, INT64_MAX), INT64_MAX);
	cr_expect_eq(fl_when_resolve(&to, -5, -5), FLAME_NOTIME + 1);
	from.base = FL_WHEN_CLOCK;
	cr_expect_gt(fl_when_resolve(&from, FLAME_NOTIME + 1, 0),
		     FLAME_NOTIME);
}

Test(select, options_of_other_formats_are_checked_and_mean_nothing)
{
	struct flame_source *source = folded("a 1\n");

	cr_expect_eq(flame_ask(source, "tail", "25%"), FLAME_OK);
	cr_expect_eq(flame_ask(source, "lines", NULL), FLAME_OK);
	cr_expect_eq(flame_ask(source, "skip-after", "f"), FLAME_OK);
	flame_close(source);
	refused("tail", "7", "a ratio up to 1");
	refused("skip-after", "", "a name is missing");
	refused("weight", "heavy", "period or samples");
}

Test(select, asking_comes_before_reading)
{
	struct flame_source *source = folded("a 1\n");
	struct flame_sample s;

	cr_assert_eq(flame_next(source, &s), FLAME_OK);
	cr_expect_eq(flame_ask(source, "total", NULL), FLAME_FAILED);
	cr_expect(strstr(flame_error(flame), "too late"));
	flame_close(source);
}

Test(select, a_folded_text_has_no_times_to_choose_from)
{
	struct flame_source *source = folded("a 1\n");
	struct flame_sample s;

	cr_assert_eq(flame_ask(source, "from", "1s"), FLAME_OK);
	cr_expect_eq(flame_next(source, &s), FLAME_END);
	flame_close(source);
}

static struct flame_sample of_thread(const char *name, int64_t tid,
				     int64_t weight)
{
	return (struct flame_sample){
		.time = FLAME_NOTIME, .weight = weight,
		.thread = fl_thread(flame, (struct slice){ name, name ?
					strlen(name) : 0 }, tid),
	};
}

static int64_t of_threads(const char *first, const char *second)
{
	struct flame_sample samples[] = {
		of_thread("main", 1, 1), of_thread("worker-1", 2, 2),
		of_thread("worker-2", 3, 4), of_thread(NULL, 4, 8),
	};
	struct list list = { samples, FL_COUNT(samples) };
	struct flame_source *source = source_of(&listed, &list);
	struct flame_sample s;
	int64_t sum = 0;

	cr_assert_eq(flame_ask(source, "thread", first), FLAME_OK);
	if (second)
		cr_assert_eq(flame_ask(source, "thread", second), FLAME_OK);
	while (flame_next(source, &s) == FLAME_OK)
		sum += s.weight;
	flame_close(source);
	return sum;
}

Test(select, threads_are_found_by_a_part_of_the_name)
{
	cr_expect_eq(of_threads("work", NULL), 6);
	cr_expect_eq(of_threads("^worker-1$", NULL), 2);
	cr_expect_eq(of_threads("^work$", NULL), 0);
}

Test(select, several_threads_are_alternatives)
{
	cr_expect_eq(of_threads("main", "-2$"), 5);
	cr_expect_eq(of_threads("a|b", "r-1"), 3);
}

Test(threads, have_a_frame_with_name_and_id)
{
	static const struct {
		const char *name, *frame;
	} cases[] = {
		{ "main", "[main tid=7]" }, { "", "[tid=7]" },
		{ NULL, "[tid=7]" }, { "a;b", "[a;b tid=7]" },
	};

	for (size_t i = 0; i < FL_COUNT(cases); i++) {
		flame_id id = fl_thread_frame(flame,
				of_thread(cases[i].name, 7, 1).thread);
		const struct flame_frame *frame = flame_frame_of(flame, id);

		cr_expect_str_eq(flame_name_text(flame, frame->name, NULL),
				 cases[i].frame);
		cr_expect_eq(frame->type, FLAME_GROUP);
	}
	cr_expect_eq(of_thread(NULL, 7, 1).thread, of_thread("", 7, 1).thread);
}

/* Pick ---------------------------------------------------------------- */

static flame_id metric(const char *name, uint64_t samples)
{
	flame_id id = flame_metric(flame, name, "samples");

	flame->metrics[id].samples += samples;
	return id;
}

static void send_to(struct flame_sink *sink, const char *stack,
		    flame_id metric_id, int64_t weight)
{
	struct flame_sample s = {
		.stack = stack_of(stack), .metric = metric_id,
		.weight = weight, .time = FLAME_NOTIME,
	};

	cr_assert_eq(flame_put(sink, &s), FLAME_OK);
}

Test(pick, cpu_goes_on_as_it_comes)
{
	struct flame_sink *sink = flame_pick(collector(), NULL);
	flame_id wall = metric("wall", 100), cpu = metric("cpu", 3);

	send_to(sink, "a", wall, 100);
	cr_expect_str_eq(out.data, "");
	send_to(sink, "b", cpu, 1);
	cr_expect_str_eq(out.data, "b cpu 1\n");
	send_to(sink, "a", wall, 100);
	send_to(sink, "b", cpu, 2);
	cr_expect_str_eq(out.data, "b cpu 1\nb cpu 2\n");
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_expect_str_eq(out.data, "b cpu 1\nb cpu 2\n");
	cr_expect(strstr(said.data, "taking cpu (3 samples)"), "%s", said.data);
	cr_expect(strstr(said.data, "wall 100"), "%s", said.data);
}

Test(pick, without_cpu_takes_the_one_of_most_samples)
{
	struct flame_sink *sink = flame_pick(collector(), NULL);
	flame_id lock = metric("lock", 2), alloc = metric("alloc", 3);

	send_to(sink, "a", lock, 1000000);
	send_to(sink, "b", alloc, 1);
	send_to(sink, "c", alloc, 1);
	send_to(sink, "a", lock, 1000000);
	send_to(sink, "b", alloc, 1);
	cr_expect_str_eq(out.data, "");
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_expect_str_eq(out.data, "b alloc 2\nc alloc 1\n");
	cr_expect(strstr(said.data, "taking alloc (3 samples)"), "%s",
		  said.data);
	cr_expect(strstr(said.data, "lock 2"), "%s", said.data);
	cr_expect(strstr(said.data, "--event"), "%s", said.data);
}

Test(pick, of_equals_takes_the_first)
{
	struct flame_sink *sink = flame_pick(collector(), NULL);
	flame_id a = metric("alloc", 3), b = metric("lock", 3);

	send_to(sink, "y", b, 1);
	send_to(sink, "x", a, 1);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_expect_str_eq(out.data, "x alloc 1\n");
}

Test(pick, holds_threads_labels_and_times_apart)
{
	struct flame_sink *sink = flame_pick(collector(), NULL);
	struct flame_sample s = {
		.metric = metric("alloc", 2), .weight = 1, .time = 5,
		.stack = stack_of("a"),
	};

	flame_put(sink, &s);
	s.time = 6;
	flame_put(sink, &s);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_expect_str_eq(out.data, "a alloc 1\na alloc 1\n");
}

Test(pick, passes_what_has_no_metric)
{
	struct flame_sink *sink = flame_pick(collector(), NULL);

	send_to(sink, "a", 0, 5);
	cr_expect_str_eq(out.data, "a  5\n");
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_expect_str_eq(said.data, "", "nothing was chosen");

	sink = flame_pick(collector(), "lock");
	send_to(sink, "b", 0, 5);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_expect_str_eq(out.data, "a  5\nb  5\n");
}

Test(pick, of_one_metric_alone_says_nothing)
{
	struct flame_sink *sink = flame_pick(collector(), NULL);

	send_to(sink, "a", metric("alloc", 1), 1);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_expect_str_eq(said.data, "");
}

/* Through a pump: wall 100, cpu 1, lock 7. */
static void picked(const struct fl_format *format, const char *event)
{
	struct flame_sample samples[] = {
		{ stack_of("a"), metric("wall", 9), 0, 0, FLAME_NOTIME, 100 },
		{ stack_of("b"), metric("cpu", 1), 0, 0, FLAME_NOTIME, 1 },
		{ stack_of("c"), metric("lock", 2), 0, 0, FLAME_NOTIME, 7 },
	};
	struct list list = { samples, FL_COUNT(samples) };
	struct flame_source *source = source_of(format, &list);
	struct flame_sink *sink = flame_pick(collector(), event);

	cr_assert_eq(flame_pump(source, sink), FLAME_OK);
	flame_close(source);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
}

Test(pick, takes_the_one_asked_for)
{
	picked(&listed, "lock");
	cr_expect_str_eq(out.data, "c lock 7\n");
	cr_expect_str_eq(said.data, "");
}

Test(pick, trusts_a_source_that_selects)
{
	picked(&choosy, "exec");
	cr_expect_str_eq(out.data, "a wall 100\nb cpu 1\nc lock 7\n");
}

Test(pick, tells_what_there_is_where_the_one_asked_for_is_not)
{
	picked(&listed, "alloc");
	cr_expect_str_eq(out.data, "");
	cr_expect(strstr(said.data, "no samples of alloc"), "%s", said.data);
	cr_expect(strstr(said.data, "cpu 1"), "%s", said.data);
}

Test(pick, what_something_else_left_out_is_not_called_absent)
{
	struct flame_sink *sink = flame_pick(collector(), "cpu");
	struct flame_metric *m;

	m = (struct flame_metric *)flame_metric_of(flame, metric("cpu", 1));
	m->samples = 5;
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_expect_str_eq(said.data, "");
}

Test(pick, works_without_a_pump)
{
	struct flame_sink *sink = flame_pick(collector(), "lock");

	send_to(sink, "a", metric("cpu", 1), 1);
	send_to(sink, "b", metric("lock", 1), 2);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_expect_str_eq(out.data, "b lock 2\n");
}

Test(pick, a_sum_that_overflows_is_an_error)
{
	struct flame_sink *sink = flame_pick(collector(), NULL);
	struct flame_sample s = {
		.metric = metric("lock", 1), .weight = INT64_MAX,
		.stack = stack_of("a"), .time = FLAME_NOTIME,
	};

	cr_expect_eq(flame_put(sink, &s), FLAME_OK);
	flame_put(sink, &s);	/* or it is reported at the end */
	cr_expect_eq(flame_finish(sink), FLAME_FAILED);
	cr_expect(strstr(flame_error(flame), "2^63"));
}

Test(pick, a_sum_that_overflows_is_told_while_more_comes)
{
	struct flame_sink *sink = flame_pick(collector(), NULL);
	struct flame_sample s = {
		.metric = metric("lock", 1), .weight = INT64_MAX,
		.stack = stack_of("a"), .time = FLAME_NOTIME,
	};
	int n = 0;

	while (flame_put(sink, &s) == FLAME_OK && n < 100)
		n++;
	cr_expect_lt(n, 100);
	cr_expect_eq(flame_finish(sink), FLAME_FAILED);
	cr_expect(strstr(flame_error(flame), "2^63"));
}

Test(pick, takes_null_for_a_chain_that_failed)
{
	cr_expect_null(flame_pick(NULL, "cpu"));
	cr_expect_null(flame_filter(NULL, "dot", NULL));
}

/* Pump ---------------------------------------------------------------- */

Test(pump, moves_all_samples_in_order)
{
	struct flame_source *source = folded("b 1\na 2\nc 3\n");
	struct flame_sink *sink = collector();

	cr_expect_eq(flame_pump(source, sink), FLAME_OK);
	flame_close(source);
	cr_expect_eq(flame_finish(sink), FLAME_OK);
	cr_expect_str_eq(out.data, "b  1\na  2\nc  3\n");
}

Test(pump, of_two_sources_into_one_sink_is_a_merge)
{
	struct flame_sink *sink = collector();

	for (int i = 0; i < 2; i++) {
		struct flame_source *source = folded(i ? "a 2\n" : "a 1\n");

		cr_expect_eq(flame_pump(source, sink), FLAME_OK);
		flame_close(source);
	}
	cr_expect_eq(flame_finish(sink), FLAME_OK);
	cr_expect_str_eq(out.data, "a  1\na  2\n");
}

static int refuse(struct flame_sink *sink, const struct flame_sample *s)
{
	return fl_fail(sink->flame, "full at %lld", (long long)s->weight);
}

Test(pump, ends_where_a_sink_fails)
{
	struct flame_source *source = folded("b 1\na 2\n");
	struct flame_sink *sink = collector();

	sink->put = refuse;
	cr_expect_eq(flame_pump(source, sink), FLAME_FAILED);
	flame_close(source);
	cr_expect_eq(flame_finish(sink), FLAME_FAILED);
	cr_expect_str_eq(flame_error(flame), "full at 1");
}

static int calls;

static int tell_begin(struct flame_sink *sink, struct flame_source *source)
{
	(void)sink, (void)source;
	calls += 1;
	return FLAME_OK;
}

static int tell_end(struct flame_sink *sink, struct flame_source *source)
{
	(void)sink, (void)source;
	calls += 100;
	return FLAME_OK;
}

Test(pump, tells_every_sink_of_begin_and_end)
{
	struct flame_source *source = folded("a 1\n");
	struct flame_sink *sink = collector();

	sink->begin = tell_begin;
	sink->end = tell_end;
	sink = flame_filter(sink, "dot", NULL);
	calls = 0;
	cr_expect_eq(flame_pump(source, sink), FLAME_OK);
	cr_expect_eq(calls, 101);
	flame_close(source);
	flame_finish(sink);
}

Test(pump, labels_samples_with_the_file_where_one_asks)
{
	const char *text = "a 1\n";
	struct flame_source *source =
		flame_open_memory(flame, text, 4, "/x/y/z.folded", NULL);
	struct flame_sink *sink = flame_filter(collector(), "by", "file");
	struct fl_buf page = { 0 };

	cr_assert(sink, "%s", flame_error(flame));
	flame_abandon(sink);
	sink = fl_format_folded.create(flame, fl_out_memory(flame, &page));
	sink = flame_filter(sink, "by", "file");
	cr_expect_eq(flame_pump(source, sink), FLAME_OK);
	flame_close(source);
	cr_expect_eq(flame_finish(sink), FLAME_OK);
	cr_expect(strstr(page.data, "z.folded"), "%s", page.data);
	cr_expect_not(strstr(page.data, "/x/y"), "%s", page.data);
	fl_buf_free(&page);
}

Test(pump, labels_samples_with_the_whole_path_where_one_asks)
{
	const char *text = "a 1\nb 2\n";
	struct flame_source *source =
		flame_open_memory(flame, text, 8, "/x/y/z.folded", NULL);
	struct fl_buf page = { 0 };
	struct flame_sink *sink =
		fl_format_folded.create(flame, fl_out_memory(flame, &page));

	sink = flame_filter(sink, "by", "file,path");
	cr_assert(sink, "%s", flame_error(flame));
	cr_expect_eq(flame_pump(source, sink), FLAME_OK);
	flame_close(source);
	cr_expect_eq(flame_finish(sink), FLAME_OK);
	cr_expect_str_eq(page.data, "z.folded;/x/y/z.folded;a 1\n"
				    "z.folded;/x/y/z.folded;b 2\n");
	fl_buf_free(&page);
}

/* Sources ------------------------------------------------------------- */

Test(source, from_memory_is_detected_and_read)
{
	struct flame_source *source = folded("x;y 7\n");
	struct flame_sample s;

	cr_expect_str_eq(flame_source_format(source), "folded");
	cr_expect_eq(flame_next(source, &s), FLAME_OK);
	cr_expect_eq(s.weight, 7);
	cr_expect_eq(s.metric, 0);
	cr_expect_eq(s.time, FLAME_NOTIME);
	cr_expect_eq(flame_next(source, &s), FLAME_END);
	cr_expect_eq(flame_next(source, &s), FLAME_END, "for ever");
	cr_expect_eq(flame_source_damage(source), 0);
	flame_close(source);
}

Test(source, of_a_known_format_is_not_detected)
{
	const char *text = "what 's this\n";
	struct flame_source *source =
		flame_open_memory(flame, text, strlen(text), "m", "collapsed");
	struct flame_sample s;

	cr_assert(source, "%s", flame_error(flame));
	cr_expect_eq(flame_next(source, &s), FLAME_END);
	cr_expect(strstr(said.data, "m: 1 lines not understood"), "%s",
		  said.data);
	flame_close(source);
}

Test(source, of_an_unknown_format_says_where_the_known_ones_are)
{
	cr_expect_null(flame_open_memory(flame, "a 1\n", 4, "m", "nettle"));
	cr_expect(strstr(flame_error(flame), "nettle"));
	cr_expect(strstr(flame_error(flame), "libflame-formats(5)"));
}

Test(source, of_nearly_a_known_format_says_which)
{
	cr_expect_null(flame_open_memory(flame, "a 1\n", 4, "m", "foldet"));
	cr_expect(strstr(flame_error(flame), "did you mean folded?"));
}

Test(source, that_is_no_profile_shows_how_it_begins)
{
	cr_expect_null(flame_open_memory(flame, "\x7f" "ELX\2", 5, "m", NULL));
	cr_expect(strstr(flame_error(flame), "m: "));
	cr_expect(strstr(flame_error(flame), "\\x7fELX\\x02"), "%s",
		  flame_error(flame));
}

Test(source, that_is_empty_says_so)
{
	static const char *const texts[] = { "", "\n \r\n\t", "#\n# a b 1" };
	struct flame_source *source;
	struct flame_sample sample;

	for (size_t i = 0; i < FL_COUNT(texts); i++) {
		source = flame_open_memory(flame, texts[i], strlen(texts[i]),
					   "m", NULL);
		cr_assert(source, "%s", flame_error(flame));
		cr_expect_str_eq(flame_source_format(source), "empty");
		cr_expect_eq(flame_next(source, &sample), FLAME_END);
		cr_expect_eq(flame_next(source, &sample), FLAME_END);
		cr_expect_eq(flame_source_damage(source), 1);
		cr_expect_eq(flame_warnings(flame), i + 1);
		flame_close(source);
	}
}

Test(source, of_many_blanks_is_no_empty_one)
{
	static char text[2 << 20];

	memset(text, '\n', sizeof(text));
	cr_expect_null(flame_open_memory(flame, text, sizeof(text), "m", NULL));
	cr_expect(flame_error(flame)[0]);
}

Test(source, that_is_not_there_is_named)
{
	cr_expect_null(flame_open(flame, "/nowhere/a.jfr", NULL));
	cr_expect_str_eq(flame_error(flame),
			 "/nowhere/a.jfr: No such file or directory");
}

Test(source, that_is_a_directory_is_an_error)
{
	cr_expect_null(flame_open(flame, "/", NULL));
	cr_expect(strstr(flame_error(flame), "directory"), "%s",
		  flame_error(flame));
}

Test(source, close_takes_null)
{
	flame_close(NULL);
}

Test(source, after_a_failure_the_next_can_be_read)
{
	struct flame_source *source;
	struct flame_sample s;

	cr_expect_null(flame_open_memory(flame, "\x7f", 1, "m", NULL));
	flame_clear(flame);
	source = folded("a 1\n");
	cr_expect_eq(flame_next(source, &s), FLAME_OK);
	flame_close(source);
}

/* Sinks --------------------------------------------------------------- */

Test(sink, a_name_without_a_known_ending_is_refused)
{
	cr_expect_null(flame_create(flame, "/tmp/page.pdf", NULL));
	cr_expect(strstr(flame_error(flame), "/tmp/page.pdf"));
	flame_clear(flame);
	cr_expect_null(flame_create(flame, "-", NULL));
	flame_clear(flame);
	cr_expect_null(flame_create(flame, ".svg", NULL), "an ending alone");
}

Test(sink, an_unknown_format_lists_the_known_ones)
{
	cr_expect_null(flame_create(flame, "-", "nettle"));
	cr_expect(strstr(flame_error(flame), "nettle"));
	cr_expect(strstr(flame_error(flame), "svg"));
	flame_clear(flame);
	cr_expect_null(flame_create(flame, "-", "hprof"), "is only read");
}

Test(sink, that_cannot_be_made_says_why)
{
	cr_expect_null(flame_create(flame, "/nowhere/a.svg", NULL));
	cr_expect(strstr(flame_error(flame), "No such file"), "%s",
		  flame_error(flame));
}

Test(sink, an_ending_means_a_format)
{
	cr_expect_str_eq(flame_format_of("a.svg"), "svg");
	cr_expect_str_eq(flame_format_of("a.html"), "html");
	cr_expect_str_eq(flame_format_of("a.collapsed"), "folded");
	cr_expect_str_eq(flame_format_of("a.folded"), "folded");
	cr_expect_str_eq(flame_format_of("a.b/c.txt"), "folded");
	cr_expect_null(flame_format_of("a.jfr"));
	cr_expect_null(flame_format_of("svg"));
	cr_expect_null(flame_format_of(""));
	cr_expect_null(flame_format_of("a.svg/b"));
}

Test(sink, only_finish_knows_of_success)
{
	struct flame_sink *sink;

	if (access("/dev/full", W_OK) != 0)
		cr_skip_test("no /dev/full");
	sink = flame_create(flame, "/dev/full", "folded");
	cr_assert(sink, "%s", flame_error(flame));
	send_to(sink, "a", 0, 1);
	cr_expect_eq(flame_finish(sink), FLAME_FAILED);
	cr_expect(strstr(flame_error(flame), "No space"), "%s",
		  flame_error(flame));
}

/* Appends to a buffer, or fails. */
static int keep(void *arg, const void *data, size_t size)
{
	struct fl_buf *to = arg;

	if (!to)
		return ENOSPC;
	fl_buf_put(to, data, size);
	return 0;
}

Test(sink, a_callback_gets_the_bytes)
{
	struct fl_buf got = { 0 };
	struct flame_sink *sink =
		flame_create_callback(flame, "folded", keep, &got);

	cr_assert(sink, "%s", flame_error(flame));
	send_to(sink, "a", 0, 1);
	cr_expect_eq(flame_finish(sink), FLAME_OK);
	cr_expect(got.size == 4 && memcmp(got.data, "a 1\n", 4) == 0);
	fl_buf_free(&got);
	cr_expect_null(flame_create_callback(flame, "nettle", keep, &got));
}

Test(sink, an_error_of_a_callback_is_the_sinks)
{
	struct flame_sink *sink =
		flame_create_callback(flame, "html", keep, NULL);

	cr_assert(sink, "%s", flame_error(flame));
	send_to(sink, "a", 0, 1);
	cr_expect_eq(flame_finish(sink), FLAME_FAILED);
	cr_expect(strstr(flame_error(flame), "No space"), "%s",
		  flame_error(flame));
}

/* A file of ours under /tmp; whether it is there. */
static const char *scratch(void)
{
	static char path[64];

	snprintf(path, sizeof(path), "/tmp/flame-test-flow-%ld.folded",
		 (long)getpid());
	return path;
}

Test(sink, the_file_appears_at_the_end)
{
	struct flame_sink *sink = flame_create(flame, scratch(), NULL);

	cr_assert(sink, "%s", flame_error(flame));
	send_to(sink, "a", 0, 1);
	cr_expect_neq(access(scratch(), F_OK), 0);
	cr_expect_eq(flame_finish(sink), FLAME_OK);
	cr_expect_eq(access(scratch(), F_OK), 0);
	unlink(scratch());
}

Test(sink, abandoned_leaves_no_file)
{
	struct flame_sink *sink = flame_create(flame, scratch(), NULL);

	cr_assert(sink, "%s", flame_error(flame));
	send_to(sink, "a", 0, 1);
	flame_abandon(sink);
	cr_expect_neq(access(scratch(), F_OK), 0);
	flame_abandon(NULL);
}

Test(sink, options_reach_the_writer_through_filters)
{
	struct fl_buf page = { 0 };
	struct flame_sink *sink =
		fl_format_svg_write.create(flame, fl_out_memory(flame, &page));

	sink = flame_filter(sink, "dot", NULL);
	cr_assert(sink);
	cr_expect_eq(flame_set(sink, "title", "Home"), FLAME_OK);
	cr_expect_eq(flame_set(sink, "shoe", "9"), FLAME_FAILED);
	cr_expect(strstr(flame_error(flame), "shoe"));
	flame_clear(flame);
	cr_expect_eq(flame_set(sink, "width", "wide"), FLAME_FAILED);
	flame_clear(flame);
	cr_expect_eq(flame_finish(sink), FLAME_OK);
	cr_expect(strstr(page.data, "Home"));
	fl_buf_free(&page);
}

Test(sink, an_option_without_its_value_is_an_error_and_not_a_crash)
{
	struct fl_buf page = { 0 };
	struct flame_sink *sink =
		fl_format_svg_write.create(flame, fl_out_memory(flame, &page));

	cr_expect_eq(flame_set(sink, "title", NULL), FLAME_FAILED);
	flame_clear(flame);
	cr_expect_eq(flame_set(sink, "width", NULL), FLAME_FAILED);
	flame_clear(flame);
	cr_expect_eq(flame_set(sink, "minwidth", NULL), FLAME_FAILED);
	flame_abandon(sink);
	fl_buf_free(&page);
}

Test(sink, filters_refuse_what_they_do_not_know)
{
	cr_expect_null(flame_filter(collector(), "polish", NULL));
	cr_expect(strstr(flame_error(flame), "polish"));
	flame_clear(flame);
	cr_expect_null(flame_filter(collector(), "depth", NULL),
		       "wants a number");
	flame_clear(flame);
	cr_expect_null(flame_filter(collector(), "dot", "x"), "wants nothing");
}

/* Facts --------------------------------------------------------------- */

Test(facts, a_text_knows_none)
{
	struct flame_source *source = folded("a 1\n");
	const struct flame_fact *facts;
	struct flame_sample s;

	while (flame_next(source, &s) == FLAME_OK)
		;
	cr_expect_eq(flame_facts(source, &facts), 0);
	flame_close(source);
}

Test(facts, are_pairs_of_heading_and_text_in_order)
{
	struct flame_source *source = folded("a 1\n");
	const struct flame_fact *facts;
	char key[] = "start";

	for (int i = 0; i < 100; i++)
		fl_fact(source, key, "%d s", i);
	memset(key, 'x', sizeof(key) - 1);
	cr_assert_eq(flame_facts(source, &facts), 100);
	cr_expect_str_eq(facts[0].key, "start");
	cr_expect_str_eq(facts[0].value, "0 s");
	cr_expect_str_eq(facts[99].value, "99 s");
	flame_close(source);
}

Test(facts, a_recording_tells_of_itself)
{
	const struct flame_fact *facts;
	const char *top = getenv("TOP");
	struct flame_source *source;
	struct flame_sample s;
	char path[1024];
	bool chunks = false;
	size_t n;

	if (!top)
		cr_skip_test("TOP is not set");
	snprintf(path, sizeof(path), "%s/tests/data/jfr/spark-trace.jfr", top);
	source = flame_open(flame, path, NULL);
	cr_assert(source, "%s", flame_error(flame));
	cr_assert_eq(flame_ask(source, "survey", NULL), FLAME_OK);
	while (flame_next(source, &s) == FLAME_OK)
		;
	n = flame_facts(source, &facts);
	for (size_t i = 0; i < n; i++) {
		cr_expect(facts[i].key && facts[i].key[0]);
		cr_expect(facts[i].value);
		chunks |= strcmp(facts[i].key, "chunks") == 0;
	}
	cr_expect(chunks);
	cr_expect_geq(flame_metrics(flame), 2);
	flame_close(source);
}

/* A page shows facts of its first inputs: of later ones none are made. */
Test(facts, are_made_of_as_many_inputs_as_are_shown)
{
	struct flame_tree *tree = flame_tree_new(flame, 1);
	struct flame_sink *sink = flame_tree_sink(tree, 0);
	const char *top = getenv("TOP");
	const struct flame_fact *facts;
	char path[1024];

	if (!top)
		cr_skip_test("TOP is not set");
	sink->picked = true;	/* all metrics in one sum */
	snprintf(path, sizeof(path), "%s/tests/data/jfr/spark-trace.jfr", top);
	for (int i = 0; i <= FL_MAX_ORIGINS_WITH_FACTS; i++) {
		struct flame_source *source = flame_open(flame, path, NULL);

		cr_assert(source, "%s", flame_error(flame));
		cr_assert_eq(flame_pump(source, sink), FLAME_OK);
		if (i < FL_MAX_ORIGINS_WITH_FACTS)
			cr_expect_gt(flame_facts(source, &facts), 0);
		else
			cr_expect_eq(flame_facts(source, &facts), 0);
		flame_close(source);
	}
	cr_expect_eq(flame_finish(sink), FLAME_OK);
	flame_tree_free(tree);
}

/* Chunks that repeat ----------------------------------------------------- */

static struct flame_source *open_recording(void)
{
	const char *top = getenv("TOP");
	struct flame_source *source;
	char path[1024];

	if (!top)
		cr_skip_test("TOP is not set");
	snprintf(path, sizeof(path), "%s/tests/data/jfr/spark-trace.jfr", top);
	source = flame_open(flame, path, NULL);
	cr_assert(source, "%s", flame_error(flame));
	return source;
}

static int64_t sum_of_samples(void)
{
	struct flame_source *source = open_recording();
	struct flame_sample sample;
	int64_t sum = 0;

	while (flame_next(source, &sample) == FLAME_OK)
		sum += sample.weight;
	flame_close(source);
	return sum;
}

static int64_t sum_of_tree(struct flame_tree *tree)
{
	const struct flame_node *nodes;
	size_t n;

	cr_assert_eq(flame_tree_nodes(tree, 0, &nodes, &n), FLAME_OK);
	return nodes[0].total[0];
}

Test(repeats, each_source_is_read_whole_without_a_sink)
{
	int64_t sum = sum_of_samples();

	cr_expect_gt(sum, 0);
	cr_expect_eq(sum_of_samples(), sum);
	cr_expect_eq(said.size, 0);
}

Test(repeats, count_once_in_one_sink)
{
	struct flame_tree *trees[2] = { flame_tree_new(flame, 1),
					flame_tree_new(flame, 1) };
	int64_t sum = sum_of_samples();

	for (int i = 0; i < 2; i++) {
		struct flame_sink *sink = flame_tree_sink(trees[i], 0);

		said.size = 0;
		sink->picked = true;	/* all metrics in one sum */
		for (int j = 0; j <= i; j++) {
			struct flame_source *source = open_recording();

			cr_assert_eq(flame_pump(source, sink), FLAME_OK);
			flame_close(source);
		}
		cr_expect_eq(flame_finish(sink), FLAME_OK);
		cr_expect_eq(sum_of_tree(trees[i]), sum);
		fl_buf_byte(&said, '\0');
		cr_expect_eq(!!strstr(said.data, "counted once"), i,
			     "%s", said.data);
	}
	cr_expect_eq(sum_of_samples(), sum);
	flame_tree_free(trees[0]);
	flame_tree_free(trees[1]);
}

/* Rows ---------------------------------------------------------------- */

Test(rows, every_table_has_some_and_an_end)
{
	for (const char *kind = "sfwioc"; *kind; kind++) {
		struct flame_row row;
		unsigned n = 0;

		while (flame_rows(*kind, n, &row)) {
			cr_expect_eq(row.kind, *kind);
			cr_expect(row.name && row.summary, "%c %u", *kind, n);
			n++;
		}
		cr_expect_gt(n, 0, "%c", *kind);
		cr_expect_lt(n, 100, "%c", *kind);
	}
}

/* A pool of one thread: its owner runs the jobs while he waits ------------ */

struct noted {
	struct fl_job job;
	char name;
};

static void note_job(struct fl_job *job)
{
	fl_buf_byte(&out, ((struct noted *)job)->name);
}

Test(thread_pool, of_one_runs_jobs_in_the_order_of_submission)
{
	struct fl_thread_pool *pool = fl_thread_pool_new(1);
	struct noted jobs[] = {
		{ .name = 'a' }, { .name = 'b' }, { .name = 'c' }
	};

	cr_assert(pool);
	for (size_t i = 0; i < FL_COUNT(jobs); i++) {
		jobs[i].job.run = note_job;
		fl_thread_pool_submit(pool, &jobs[i].job);
	}
	fl_thread_pool_wait(pool, &jobs[1].job);
	cr_expect_str_eq(out.data, "ab", "others are left");
	fl_thread_pool_wait(pool, &jobs[2].job);
	cr_expect_str_eq(out.data, "abc");
	fl_thread_pool_submit(pool, &jobs[0].job);
	fl_thread_pool_wait(pool, &jobs[0].job);
	cr_expect_str_eq(out.data, "abca", "a job may run again");
	fl_thread_pool_free(pool);
}

Test(source, lines_that_are_too_long_are_not_read_on)
{
	enum { LONG = (64 << 20) + 1 };
	char *text = malloc(LONG + 8);
	struct flame_sample sample;
	struct flame_source *source;

	memset(text, 'a', LONG);
	memcpy(text, "a 1\n", 4);
	memcpy(text + LONG, "aaaaa 2\n", 8);
	source = flame_open_memory(flame, text, LONG + 8, "x", "folded");
	cr_expect_eq(flame_next(source, &sample), FLAME_OK);
	cr_expect_eq(flame_next(source, &sample), FLAME_END);
	cr_expect_eq(flame_source_damage(source), 3);
	flame_close(source);

	flame_process_limit_line(flame, LONG + 8);
	source = flame_open_memory(flame, text, LONG + 8, "x", "folded");
	cr_expect_eq(flame_next(source, &sample), FLAME_OK);
	cr_expect_eq(flame_next(source, &sample), FLAME_OK);
	cr_expect_eq(sample.weight, 2);
	flame_close(source);
	flame_process_limit_line(flame, 1);
	free(text);
}

Test(formats, facts_of_a_format_are_those_of_its_row)
{
	cr_expect(flame_format_facts("html") & FLAME_PAGE);
	cr_expect_eq(flame_format_facts("svg"), FLAME_DRAWN | FLAME_BROWSED);
	cr_expect_eq(flame_format_facts("text"), FLAME_DRAWN | FLAME_TYPED);
	cr_expect_eq(flame_format_facts("folded"), FLAME_ADDS_UP | FLAME_WHOLE);
	cr_expect_eq(flame_format_facts("jfr"), FLAME_COPIES);
	cr_expect_eq(flame_format_facts("hprof"), 0, "it is not written");
	cr_expect_eq(flame_format_facts(NULL), 0);
}
