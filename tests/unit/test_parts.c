/* SPDX-License-Identifier: Apache-2.0 */
/* Several threads read what one would; a dictionary goes into another. */
#include <criterion/criterion.h>

#include "flow/flow.h"
#include "format/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ENOUGH = 9 << 20 };	/* bytes: several parts */

static size_t parallel_size;	/* fl_parallel_size; 0: the readers' own */
static const char *written = "folded";	/* the format of the results */
static bool whole;		/* the last result was of whole stacks */

/* Folded text and warnings of a text that N threads read. */
struct result {
	struct fl_buf text;	/* folded */
	struct fl_buf said;
	int status;
	flame_id names;		/* of the dictionary */
};

static void hear(void *arg, const char *line)
{
	struct fl_buf *said = arg;

	fl_buf_text(said, line);
	fl_buf_byte(said, '\n');
}

static void slurp(const char *path, struct fl_buf *to)
{
	FILE *file = fopen(path, "r");
	char block[4096];
	size_t n;

	cr_assert(file);
	while ((n = fread(block, 1, sizeof(block), file)))
		fl_buf_put(to, block, n);
	fclose(file);
}

static struct result read_with(unsigned threads, const struct fl_buf *text,
			       const char *option, const char *value)
{
	char path[] = "/tmp/test_parts.XXXXXX";
	struct flame *flame = flame_new();
	struct result result = { .status = FLAME_OK };
	struct flame_source *source;
	struct flame_sink *sink;

	close(mkstemp(path));
	flame_threads(flame, threads);
	flame->parallel_size = parallel_size;
	flame_unify_java(flame, true);
	flame_demangle(flame, true);
	flame_on_warning(flame, hear, &result.said);
	source = flame_open_memory(flame, text->data, text->size, "it", NULL);
	sink = flame_create(flame, path, written);
	cr_assert(source && sink, "%s", flame_error(flame));
	if (option)
		cr_assert_eq(flame_ask(source, option, value), FLAME_OK);
	result.status = flame_pump(source, sink);
	fl_buf_print(&result.said, "%s, damage %d", flame_error(flame),
		     flame_source_damage(source));
	flame_close(source);
	if (result.status == FLAME_OK)
		cr_assert_eq(flame_finish(sink), FLAME_OK);
	else
		flame_abandon(sink);
	result.names = flame_names(flame);
	whole = flame->whole.parent;
	slurp(path, &result.text);
	unlink(path);
	flame_free(flame);
	return result;
}

static void same_with_any_number(const struct fl_buf *text,
				 const char *option, const char *value)
{
	struct result one = read_with(1, text, option, value);

	for (unsigned threads = 2; threads <= 5; threads++) {
		struct result all = read_with(threads, text, option, value);

		cr_expect_eq(one.status, all.status);
		cr_expect_str_eq(one.said.data, all.said.data);
		cr_expect_eq(one.text.size, all.text.size);
		cr_expect(one.text.size == all.text.size &&
				  (!one.text.size ||
				   memcmp(one.text.data, all.text.data,
					  one.text.size) == 0),
			  "%u threads wrote something else with %s %s", threads,
			  option ? option : "nothing", value ? value : "");
		fl_buf_free(&all.text);
		fl_buf_free(&all.said);
	}
	fl_buf_free(&one.text);
	fl_buf_free(&one.said);
}

/*
 * Lines of stacks, none of which is in all parts: of `n` in a megabyte, or
 * (0) each another.
 */
static struct fl_buf text_of(unsigned stacks)
{
	struct fl_buf text = { 0 };
	uint32_t seed = 1;

	for (unsigned n = 0; text.size < ENOUGH; n++) {
		unsigned depth;

		if (stacks)
			seed = n * 7919 % stacks;
		depth = 2 + seed % 20;

		for (unsigned i = 0; i < depth; i++) {
			seed = seed * 1103515245 + 12345;
			fl_buf_print(&text, "%sframe%u", i ? ";" : "",
				     (unsigned)(text.size >> 20) * 3 +
				     (seed >> 16) % 7);
		}
		fl_buf_print(&text, " %u\n", 1 + (seed >> 8) % 100);
	}
	return text;
}

static struct fl_buf folded_text(void)
{
	return text_of(211);
}

Test(parts, of_folded_text_give_the_same)
{
	struct fl_buf text = folded_text();

	same_with_any_number(&text, NULL, NULL);
	fl_buf_free(&text);
}

/* One thread reads the rest of it. */
Test(parts, of_new_stacks_give_the_same)
{
	struct fl_buf text = text_of(0);

	same_with_any_number(&text, NULL, NULL);
	fl_buf_free(&text);
}

Test(parts, that_are_small_give_the_same)
{
	struct fl_buf text = folded_text();

	text.size = 100000;
	for (parallel_size = 100; parallel_size < text.size;
	     parallel_size *= 5)
		same_with_any_number(&text, NULL, NULL);
	fl_buf_free(&text);
}

Test(parts, count_lines_that_are_not_understood_as_one_would)
{
	struct fl_buf text = folded_text();

	memcpy(text.data + ENOUGH / 2, "\nodd one\n", 9);
	memcpy(text.data + ENOUGH / 3 * 2, "\nodd two\n", 9);
	same_with_any_number(&text, NULL, NULL);
	fl_buf_free(&text);
}

/* Rounding carries on from one to the next, wherever that is. */
Test(parts, with_fractions_are_read_by_one)
{
	struct fl_buf text = folded_text();

	memcpy(text.data + ENOUGH / 2, "\na;odd 2.4\n", 10);
	memcpy(text.data + ENOUGH / 3 * 2, "\na;odd 2.4\n", 10);
	same_with_any_number(&text, NULL, NULL);
	fl_buf_free(&text);
}

Test(parts, fail_as_one_would)
{
	struct fl_buf text = folded_text();
	const char most[] = "\na 9223372036854775807\n";

	memcpy(text.data + ENOUGH / 2, most, sizeof(most) - 1);
	memcpy(text.data + ENOUGH / 2 + sizeof(most), most, sizeof(most) - 1);
	same_with_any_number(&text, NULL, NULL);
	fl_buf_free(&text);
}

/* "packed;one 7", "packed;two 11", by gzip -n9. */
static const char member[] =
	"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x2b\x48"
	"\x4c\xce\x4e\x4d\xb1\xce\xcf\x4b\x55\x30\xe7\x2a"
	"\x80\x70\x4a\xca\xf3\x15\x0c\x0d\xb9\x00\x27\xb8"
	"\xa3\x3d\x1b\x00\x00\x00";

/* A packed member begins that line of a text which is nearest to `at`. */
static void pack_in(struct fl_buf *text, size_t at)
{
	char *line = memchr(text->data + at, '\n', text->size - at);
	size_t rest = text->size - (size_t)(++line - text->data);
	char *copy = malloc(rest);

	cr_assert(copy);
	memcpy(copy, line, rest);
	text->size -= rest;
	fl_buf_put(text, member, sizeof(member) - 1);
	fl_buf_put(text, copy, rest);
	free(copy);
}

Test(parts, with_packed_members_among_them)
{
	static const size_t places[][2] = {
		{ 100, 0 }, { ENOUGH / 3, 0 }, { ENOUGH / 2, ENOUGH / 4 },
		{ ENOUGH - 900, ENOUGH / 3 * 2 }, { ENOUGH / 2, ENOUGH / 2 },
	};

	for (size_t i = 0; i < FL_COUNT(places); i++) {
		struct fl_buf text = folded_text();
		struct result one;

		pack_in(&text, places[i][0]);
		if (places[i][1])
			pack_in(&text, places[i][1]);
		one = read_with(1, &text, NULL, NULL);
		cr_expect(strstr(one.text.data, places[i][1] ?
							"packed;two 22\n" :
							"packed;two 11\n"));
		fl_buf_free(&one.text);
		fl_buf_free(&one.said);
		same_with_any_number(&text, NULL, NULL);
		fl_buf_free(&text);
	}
}

/*
 * perf's text: of two events, with frames below or at the end of the line, a
 * lost record and a line that is none now and then.
 */
static struct fl_buf perf_text(bool one_line)
{
	struct fl_buf text = { 0 };
	uint32_t seed = 1, n = 0;

	fl_buf_text(&text, "# hostname : exec-7\n");
	for (; text.size < ENOUGH; n++) {
		uint32_t mega = text.size >> 20;

		seed = seed * 1103515245 + 12345;
		fl_buf_print(&text, "task %u %u/%u [00%u] %u.%06u: %u %s: ",
			     mega, 42, 42 + seed % 3, n % 4, 100 + n / 1000,
			     n % 1000, 1 + seed % 9,
			     n % 5 ? "cycles:u" : "sched:sched_switch");
		for (unsigned i = 0; !one_line && i < 1 + seed % 17; i++)
			fl_buf_print(&text, "\n\t%16x f%u+0x%x (/lib/%u.so)",
				     0x4000 + i, (seed >> 8) % 40 + i, i,
				     mega);
		if (one_line)
			fl_buf_print(&text, "%16x f%u+0x%x (/lib/%u.so)",
				     0x4000 + seed % 99, seed % 99, 7, mega);
		fl_buf_text(&text, one_line ? "\n" : "\n\n");
		if (n % 9999 == 0)
			fl_buf_text(&text, "a line that is none\n\n");
	}
	return text;
}

Test(parts, of_perf_script_give_the_same)
{
	for (int one_line = 0; one_line < 2; one_line++) {
		struct fl_buf text = perf_text(one_line);

		same_with_any_number(&text, NULL, NULL);
		same_with_any_number(&text, "event", "sched:sched_switch");
		same_with_any_number(&text, "weight", "period");
		same_with_any_number(&text, "thread", "task 1[0-3]");
		same_with_any_number(&text, "from", "5s");
		same_with_any_number(&text, "peer", "inferno");
		same_with_any_number(&text, "peer", "perl");
		fl_buf_free(&text);
	}
}

/* A dictionary into another ---------------------------------------------- */

static flame_id stack_of(struct flame *flame, const char *a, const char *b)
{
	flame_id outer = flame_stack(flame, 0,
				     fl_frame(flame, fl_name(flame, a),
					      FLAME_JIT));

	return flame_stack(flame, outer, fl_frame(flame, fl_name(flame, b),
						  FLAME_KERNEL));
}

/* Recordings ---------------------------------------------------------------- */

/* A recording of ours, again and again. */
static struct fl_buf recordings(const char *name, size_t enough)
{
	const char *top = getenv("TOP");
	struct fl_buf one = { 0 }, all = { 0 };
	char path[512];

	snprintf(path, sizeof(path), "%s/tests/data/jfr/%s", top ? top : ".",
		 name);
	slurp(path, &one);
	while (all.size < enough)
		fl_buf_put(&all, one.data, one.size);
	fl_buf_free(&one);
	return all;
}

static void same_of_all_events(const struct fl_buf *text)
{
	same_with_any_number(text, NULL, NULL);
	same_with_any_number(text, "event", "wall");
	same_with_any_number(text, "event", "alloc");
	same_with_any_number(text, "from", "1s");
}

Test(recordings, are_read_the_same_chunk_by_chunk)
{
	struct fl_buf text = recordings("spark-multichunk.jfr", 5 << 20);

	same_of_all_events(&text);
	fl_buf_free(&text);
}

/* Few chunks, which threads read all the same. */
Test(recordings, that_are_small_are_read_the_same)
{
	struct fl_buf text = recordings("spark-multichunk.jfr", 1);

	parallel_size = 1;
	same_of_all_events(&text);
	fl_buf_free(&text);
}

/* Chunks with enough times that others are not read beside them. */
Test(recordings, of_many_times_are_read_the_same)
{
	static const char *const names[] = {
		"spark-lock.jfr", "spark-lock.jfr", "spark-cpu-wall.jfr",
		"spark-lock.jfr", "spark-cpu-wall.jfr", "spark-lock.jfr"
	};
	struct fl_buf text = { 0 };

	for (size_t i = 0; i < FL_COUNT(names); i++) {
		struct fl_buf one = recordings(names[i], 1);

		fl_buf_put(&text, one.data, one.size);
		fl_buf_free(&one);
	}
	written = "html";	/* with times and threads */
	for (parallel_size = 1; parallel_size < text.size; parallel_size *= 8)
		same_with_any_number(&text, "event", "wall");
	fl_buf_free(&text);
}

Test(recordings, are_damaged_the_same)
{
	struct fl_buf text = recordings("spark-multichunk.jfr", 5 << 20);
	uint32_t seed = 7;

	for (unsigned i = 0; i < 40; i++) {
		seed = seed * 1103515245 + 12345;
		text.data[(uint64_t)seed * text.size >> 32] ^= 1 << i % 8;
	}
	same_of_all_events(&text);
	text.size -= 1000;
	same_with_any_number(&text, NULL, NULL);
	fl_buf_free(&text);
}

/* Files one after another, as a tool reads them. */
static struct result read_files(unsigned threads, char *const *paths, size_t n)
{
	char path[] = "/tmp/test_parts.XXXXXX";
	struct flame *flame = flame_new();
	struct result result = { .status = FLAME_OK };
	struct flame_source *open[16] = { NULL };
	struct flame_sink *sink;

	cr_assert(n <= FL_COUNT(open));
	close(mkstemp(path));
	flame_threads(flame, threads);
	flame_on_warning(flame, hear, &result.said);
	flame_on_remark(flame, hear, &result.said);
	sink = flame_pick(flame_create(flame, path, "folded"), NULL);
	for (size_t i = 0; i < n; i++) {
		open[i] = flame_open(flame, paths[i], NULL);
		cr_assert(open[i]);
		cr_expect_eq(flame_ahead(open[i], sink), FLAME_OK);
	}
	for (size_t i = 0; i < n; i++) {
		/* One is given up: it may be read at this moment. */
		if (i != 3)
			cr_expect_eq(flame_pump(open[i], sink), FLAME_OK);
		fl_buf_print(&result.said, "damage %d\n",
			     flame_source_damage(open[i]));
		flame_close(open[i]);
	}
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	slurp(path, &result.text);
	unlink(path);
	flame_free(flame);
	return result;
}

Test(files, are_read_ahead_and_the_same)
{
	static const char *const names[] = {
		"spark-alloc-live.jfr", "jdk25-cputime.jfr",
		"spark-killed.jfr", "spark-lock.jfr", "spark-trace.jfr",
		"jdk17-multichunk.jfr.gz", "spark-inflight.jfr",
	};
	const char *top = getenv("TOP");
	char *paths[FL_COUNT(names)];
	struct result one, all;

	for (size_t i = 0; i < FL_COUNT(names); i++)
		cr_assert(asprintf(&paths[i], "%s/tests/data/jfr/%s",
				   top ? top : ".", names[i]) > 0);
	one = read_files(1, paths, FL_COUNT(names));
	cr_expect_gt(one.text.size, 0);
	for (unsigned threads = 2; threads <= 4; threads++) {
		all = read_files(threads, paths, FL_COUNT(names));
		cr_expect_str_eq(one.said.data, all.said.data);
		cr_expect_str_eq(one.text.data, all.text.data);
		fl_buf_free(&all.text);
		fl_buf_free(&all.said);
	}
	fl_buf_free(&one.text);
	fl_buf_free(&one.said);
	for (size_t i = 0; i < FL_COUNT(names); i++)
		free(paths[i]);
}

Test(absorbing, gives_the_ids_of_the_same_things)
{
	struct flame *to = flame_new(), *from = flame_new();
	struct fl_absorbed map = { 0 };
	flame_id mine = stack_of(to, "b", "c"), ab, bc, set;

	ab = stack_of(from, "a", "b");
	cr_assert(fl_absorb(to, from, &map));
	cr_expect_eq(map.stacks.data[ab], stack_of(to, "a", "b"));
	/* Entries since the last time. */
	bc = stack_of(from, "b", "c");
	set = fl_thread(from, FL_SLICE("main"), 7);
	cr_assert(fl_absorb(to, from, &map));
	cr_expect_eq(map.stacks.data[bc], mine);
	cr_expect_eq(map.labels.data[set], fl_thread(to, FL_SLICE("main"), 7));
	cr_expect_eq(map.stacks.data[0], 0);
	fl_absorbed_free(&map);
	flame_free(from);
	flame_free(to);
}

Test(absorbing, keeps_label_sets_whatever_the_order_of_their_keys)
{
	struct flame *to = flame_new(), *from = flame_new();
	struct fl_absorbed map = { 0 };
	flame_id set;

	fl_name(to, "tid");	/* in `from` it comes after "thread" */
	set = fl_thread(from, FL_SLICE("main"), 7);
	cr_assert(fl_absorb(to, from, &map));
	cr_expect_eq(map.labels.data[set], fl_thread(to, FL_SLICE("main"), 7));
	fl_absorbed_free(&map);
	flame_free(from);
	flame_free(to);
}

Test(absorbing, moves_the_counts_of_metrics)
{
	struct flame *to = flame_new(), *from = flame_new();
	struct fl_absorbed map = { 0 };
	flame_id cpu;

	flame_metric(to, "wall", "ns");
	cpu = flame_metric(from, "cpu", "ns");
	for (int i = 0; i < 2; i++) {
		from->metrics[cpu].samples = 3;
		from->metrics[cpu].total = 30;
		from->metrics[cpu].first = from->metrics[cpu].last = 5 - i;
		cr_assert(fl_absorb(to, from, &map));
		cr_expect_eq(from->metrics[cpu].samples, 0);
	}
	cpu = map.metrics.data[cpu];
	cr_expect_str_eq(to->metrics[cpu].name, "cpu");
	cr_expect_eq(to->metrics[cpu].samples, 6);
	cr_expect_eq(to->metrics[cpu].total, 60);
	cr_expect_eq(to->metrics[cpu].first, 4);
	cr_expect_eq(to->metrics[cpu].last, 5);
	fl_absorbed_free(&map);
	flame_free(from);
	flame_free(to);
}

/* Light siblings --------------------------------------------------------- */

static uint32_t draw(uint32_t *seed, uint32_t below)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 8) % below;
}

/*
 * A text whose names are mostly new, from its first line on; others contain
 * each other, and bytes on both sides of ';'.
 */
static struct fl_buf new_names(uint32_t seed)
{
	static const char *const names[] = {
		"a", "aa", "a b", "a-b", "a+", "a0", "aaaaaaa", "aaaaaaaa",
		"\xc3\xa4", "ns::f<int>", "(z)", "~", "a:b", "v[2]", "operator<",
	};
	struct fl_buf text = { 0 };
	unsigned depth = 1 + draw(&seed, 9), heavy = 1 + draw(&seed, 60);

	for (unsigned i = 0; i < 500; i++) {
		fl_buf_print(&text, "n%u_%u", draw(&seed, 1000), i);
		for (unsigned d = draw(&seed, depth); d; d--)
			if (i && draw(&seed, 2))
				fl_buf_print(&text, ";%s", names[draw(
					&seed, FL_COUNT(names))]);
			else
				fl_buf_print(&text, ";%u", draw(&seed, 9999));
		fl_buf_print(&text, " %u\n", draw(&seed, heavy) ?
			     draw(&seed, 4) : draw(&seed, 200000));
	}
	for (unsigned i = 0; i < 150; i++)
		fl_buf_print(&text, "%s;%s;n%u %u\n",
			     names[draw(&seed, FL_COUNT(names))],
			     names[draw(&seed, FL_COUNT(names))],
			     draw(&seed, 400), draw(&seed, 30));
	return text;
}

/* Longer than the beginning that decides how it is read. */
static struct fl_buf many_names(uint32_t seed)
{
	struct fl_buf text = { 0 };

	while (text.size < 80 << 10) {
		struct fl_buf more = new_names(seed++);

		fl_buf_put(&text, more.data, more.size);
		fl_buf_free(&more);
	}
	return text;
}

/* How many names fewer the dictionary has where the source is alone. */
static flame_id drawn_the_same(const struct fl_buf *text)
{
	struct result all = read_with(1, text, NULL, NULL),
		      light = read_with(2, text, "alone", NULL);

	cr_expect_eq(all.status, light.status);
	cr_expect_str_eq(all.said.data, light.said.data);
	cr_expect(all.text.size == light.text.size &&
			  (!all.text.size ||
			   memcmp(all.text.data, light.text.data,
				  all.text.size) == 0),
		  "drawn otherwise: %.*s", (int)FL_MIN(text->size, 900u),
		  text->data);
	fl_buf_free(&all.text);
	fl_buf_free(&all.said);
	fl_buf_free(&light.text);
	fl_buf_free(&light.said);
	return all.names - light.names;
}

Test(light, names_that_are_not_drawn_are_not_entered)
{
	written = "svg";
	parallel_size = 1;
	for (uint32_t seed = 0; seed < 120; seed++) {
		struct fl_buf text = new_names(seed);

		cr_expect_gt(drawn_the_same(&text), 100);
		fl_buf_free(&text);
	}
}

Test(light, lines_that_are_read_otherwise_end_it)
{
	static const char *const lines[] = {
		"a_[j];b 3", "a;;b 3", ";a 3", "a; 3", "a\tb;c 3", "a 1.5",
		"a -3", "[main tid=4];a 3", "thread (4): x;a 3",
		"process 4:\"x\";a 3", "a;process 4:\"x;b\" 3", "f<A;B>;c 3",
		"a;a/b/C:::m 3", "Lx/Y;::run;b 3", "_ZN1aC1Ev;b 3",
		"java.base@17/java.lang.Thread.run;b 3", "a 9223372036854775807",
		"a 99999999999999999999", "# 3", "", "only", "a;b 7\r", " 4",
		"a;# b 3", "a;\xef\xbb\xbf" "b 3", "a;$s4main3fooyyF 3",
		"a;[b tid=7];c 3",
	};
	static const char *const formats[] = { "svg", "folded" };

	parallel_size = 1;
	for (size_t i = 0; i < 2 * FL_COUNT(lines); i++) {
		struct fl_buf text = many_names(7);

		written = formats[i % 2];
		fl_buf_print(&text, "%s\nx;y 2\n", lines[i / 2]);
		drawn_the_same(&text);
		fl_buf_free(&text);
	}
}

Test(light, stacks_are_as_deep_as_they_were)
{
	struct fl_buf text = new_names(3);

	written = "svg";
	parallel_size = 1;
	for (unsigned n = 100; n <= 40000; n += 13300) {
		for (unsigned d = 0; d < n; d++)
			fl_buf_text(&text, d % 7 ? "d;" : "e;");
		fl_buf_text(&text, "f 1\n");
		drawn_the_same(&text);
	}
	fl_buf_free(&text);
}

Test(light, a_second_source_or_another_writer_gets_all_names)
{
	struct fl_buf text = new_names(5);

	parallel_size = 1;
	written = "html";
	cr_expect_eq(drawn_the_same(&text), 0);
	fl_buf_free(&text);
}

/* Whole stacks ----------------------------------------------------------- */

Test(whole, stacks_are_written_as_if_their_frames_had_been_entered)
{
	written = "folded";
	parallel_size = 1;
	for (uint32_t seed = 0; seed < 120; seed++) {
		struct fl_buf text = new_names(seed);

		drawn_the_same(&text);
		cr_expect(whole);
		fl_buf_free(&text);
	}
}

/* Two texts as columns of a tree, in a format. */
static void compare(const struct fl_buf text[2], const char *format,
		    bool ask, struct fl_buf *to)
{
	struct flame *flame = flame_new();
	struct flame_tree *tree = flame_tree_new(flame, 2);
	struct flame_sink *sink;

	flame->parallel_size = 1;
	flame_unify_java(flame, true);
	flame_demangle(flame, true);
	for (unsigned i = 0; i < 2; i++) {
		struct flame_source *source = flame_open_memory(
			flame, text[i].data, text[i].size, "it", NULL);

		sink = flame_tree_sink(tree, i);
		cr_assert(source && sink, "%s", flame_error(flame));
		if (ask)
			cr_assert_eq(flame_set(sink, "whole", NULL), FLAME_OK);
		sink = flame_filter(sink, "tidy", "tids");
		cr_assert_eq(flame_ask(source, "alone", NULL), FLAME_OK);
		cr_assert_eq(flame_pump(source, sink), FLAME_OK);
		cr_assert_eq(flame_finish(sink), FLAME_OK);
		flame_close(source);
	}
	cr_expect_eq(flame->whole.parent != 0, ask);
	sink = fl_format_named(flame, format, true)->create(
		flame, fl_out_memory(flame, to));
	cr_assert_eq(flame_tree_write(tree, sink), FLAME_OK);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	flame_tree_free(tree);
	flame_free(flame);
}

/* Lines that are not plain, as in every third, are frames beside them. */
Test(whole, stacks_are_compared_as_if_their_frames_had_been_entered)
{
	static const char *const formats[] = { "folded", "svg", "text" };

	for (uint32_t seed = 0; seed < 60; seed++) {
		struct fl_buf text[2] = { many_names(seed), many_names(99) };
		struct fl_buf frames = { 0 }, names = { 0 };
		size_t half = text[0].size / 2;

		while (text[0].data[half - 1] != '\n')
			half++;
		fl_buf_put(&text[1], text[0].data + half,
			   text[0].size - half);
		if (seed % 3 == 0)
			fl_buf_text(&text[seed / 3 % 2],
				    "a_[j];b 3\n[x tid=7];aa;aa 5\n");
		compare(text, formats[seed / 6 % 3], false, &frames);
		compare(text, formats[seed / 6 % 3], true, &names);
		cr_expect(frames.size == names.size &&
			  memcmp(frames.data, names.data, names.size) == 0,
			  "seed %u", (unsigned)seed);
		fl_buf_free(&text[0]);
		fl_buf_free(&text[1]);
		fl_buf_free(&frames);
		fl_buf_free(&names);
	}
}
