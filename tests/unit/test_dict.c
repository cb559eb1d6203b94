/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dictionary: its laws, its limit, and what it has to say.
 */
#include "fl.h"

#include "dict/dict.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

static struct flame *flame;

static void start(void)
{
	flame = flame_new();
	cr_assert(flame);
}

static void stop(void)
{
	flame_free(flame);
}

TestSuite(names, .init = start, .fini = stop);
TestSuite(frames, .init = start, .fini = stop);
TestSuite(unified, .init = start, .fini = stop);
TestSuite(demangled, .init = start, .fini = stop);
TestSuite(stacks, .init = start, .fini = stop);
TestSuite(labels, .init = start, .fini = stop);
TestSuite(metrics, .init = start, .fini = stop);
TestSuite(limit, .init = start, .fini = stop);
TestSuite(errors, .init = start, .fini = stop);

static flame_id name(const char *text)
{
	return flame_name(flame, text, strlen(text));
}

static flame_id numbered(const char *head, unsigned i)
{
	char text[64];

	snprintf(text, sizeof(text), "%s%u", head, i);
	return name(text);
}

/* The frames 1 to n. */
static void enter_frames(uint32_t n)
{
	for (uint32_t i = 1; i <= n; i++)
		flame_frame(flame, &(struct flame_frame){ .line = i });
}

/* Names --------------------------------------------------------------- */

Test(names, zero_is_the_empty_one)
{
	size_t size = 7;

	cr_expect_eq(flame_name(flame, "", 0), 0);
	cr_expect_eq(flame_name(flame, NULL, 0), 0);
	cr_expect_str_eq(flame_name_text(flame, 0, &size), "");
	cr_expect_eq(size, 0);
}

Test(names, version_is_of_the_header)
{
	char text[32];

	cr_expect_str_eq(flame_version(), FLAME_VERSION);
	cr_expect_eq(flame_version_number(), FLAME_VERSION_NUMBER);
	snprintf(text, sizeof(text), "%d.%d.%d", FLAME_VERSION_MAJOR,
		 FLAME_VERSION_MINOR, FLAME_VERSION_PATCH);
	cr_expect_str_eq(text, FLAME_VERSION);
}

Test(names, the_largest_id_of_each_kind_is_known)
{
	flame_id a, b, frame, stack, set;

	cr_expect_eq(flame_names(flame), 0);
	cr_expect_eq(flame_frames(flame), 0);
	cr_expect_eq(flame_stacks(flame), 0);
	cr_expect_eq(flame_label_sets(flame), 0);
	a = name("a");
	b = name("b");
	cr_expect_eq(name("a"), a);
	cr_expect_eq(flame_names(flame), b);
	frame = flame_frame(flame, &(struct flame_frame){ .name = a });
	cr_expect_eq(flame_frames(flame), frame);
	stack = flame_stack(flame, flame_stack(flame, 0, frame), frame);
	cr_expect_eq(flame_stacks(flame), stack);
	set = flame_label(flame, 0, a, b);
	cr_expect_eq(flame_label_sets(flame), set);
}

Test(names, ids_are_dense)
{
	for (unsigned i = 1; i <= 10000; i++)
		cr_assert_eq(numbered("n", i), i);
}

Test(names, same_in_same_out)
{
	for (unsigned i = 1; i <= 5000; i++)
		numbered("n", i);
	for (unsigned i = 5000; i; i--)
		cr_assert_eq(numbered("n", i), i);
}

Test(names, text_never_moves)
{
	const char *first = flame_name_text(flame, name("first"), NULL);

	for (unsigned i = 0; i < 100000; i++)
		numbered("a name that is somewhat longer ", i);
	cr_expect_eq(flame_name_text(flame, name("first"), NULL), first);
	cr_expect_str_eq(first, "first");
}

Test(names, text_is_copied_and_ends_in_nul)
{
	char text[] = "abcdef";
	flame_id id = flame_name(flame, text, 3);
	size_t size;

	memset(text, 'x', 6);
	cr_expect_str_eq(flame_name_text(flame, id, &size), "abc");
	cr_expect_eq(size, 3);
}

Test(names, any_byte_may_be_in_one)
{
	flame_id a = flame_name(flame, "a\0b", 3);
	flame_id b = flame_name(flame, "a\0c", 3);
	flame_id c = flame_name(flame, "a", 1);
	size_t size;

	cr_expect(a != b && b != c && a != c);
	cr_expect_arr_eq(flame_name_text(flame, a, &size), "a\0b", 4);
	cr_expect_eq(size, 3);
}

Test(names, an_id_that_was_never_given_is_the_empty_one)
{
	size_t size = 7;

	cr_expect_str_eq(flame_name_text(flame, 4711, &size), "");
	cr_expect_eq(size, 0);
}

Test(names, of_a_megabyte_are_names)
{
	size_t size = 1 << 20, got;
	char *text = malloc(size);
	flame_id id;

	cr_assert(text);
	memset(text, 'x', size);
	id = flame_name(flame, text, size);
	text[size - 1] = 'y';
	cr_expect_neq(flame_name(flame, text, size), id);
	flame_name_text(flame, id, &got);
	cr_expect_eq(got, size);
	free(text);
}

/* Frames -------------------------------------------------------------- */

Test(frames, zero_is_the_empty_one)
{
	struct flame_frame nothing = { 0 };

	cr_expect_eq(flame_frame(flame, &nothing), 0);
	cr_expect_eq(flame_frame_of(flame, 0)->name, 0);
	cr_expect_eq(flame_frame_of(flame, 4711)->name, 0);
}

Test(frames, ids_are_dense_and_the_same_again)
{
	struct flame_frame f = { .type = FLAME_JIT };

	for (unsigned i = 1; i <= 5000; i++) {
		f.name = numbered("n", i);
		cr_assert_eq(flame_frame(flame, &f), i);
	}
	for (unsigned i = 5000; i; i--) {
		f.name = i;
		cr_assert_eq(flame_frame(flame, &f), i);
	}
}

Test(frames, each_field_tells_them_apart)
{
	struct flame_frame base = { name("n"), name("f"), 3, FLAME_JIT };
	struct flame_frame other[] = { base, base, base, base, base };

	other[1].name = name("m");
	other[2].file = name("g");
	other[3].line = 4;
	other[4].type = FLAME_C1;
	for (unsigned i = 0; i < FL_COUNT(other); i++)
		cr_expect_eq(flame_frame(flame, &other[i]), i + 1);
	cr_expect_eq(flame_frame(flame, &base), 1);
	cr_expect_eq(flame_frame_of(flame, 4)->line, 4);
	cr_expect_eq(flame_frame_of(flame, 5)->type, FLAME_C1);
	cr_expect_eq(flame_frame_of(flame, 3)->file, name("g"));
}

/* Stacks -------------------------------------------------------------- */

Test(stacks, zero_is_the_empty_one)
{
	cr_expect_eq(flame_stack_parent(flame, 0), 0);
	cr_expect_eq(flame_stack_frame(flame, 0), 0);
	cr_expect_eq(flame_stack_parent(flame, 4711), 0);
	cr_expect_eq(flame_stack_frame(flame, 4711), 0);
}

Test(stacks, of_one_nameless_frame_is_not_the_empty_one)
{
	flame_id stack = flame_stack(flame, 0, 0);

	cr_expect_neq(stack, 0);
	cr_expect_eq(flame_stack(flame, 0, 0), stack);
}

/* Numbers that are the same on every machine. */
static uint32_t roll(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

Test(stacks, parent_is_smaller_than_child)
{
	uint32_t seed = 1;
	flame_id last = 0;

	enter_frames(50);
	for (unsigned i = 0; i < 100000; i++) {
		flame_id parent = roll(&seed) % (last + 1);
		flame_id frame = roll(&seed) % 50;
		flame_id stack = flame_stack(flame, parent, frame);

		cr_assert_lt(parent, stack);
		cr_assert_leq(stack, last + 1, "ids are dense");
		cr_assert_eq(flame_stack_parent(flame, stack), parent);
		cr_assert_eq(flame_stack_frame(flame, stack), frame);
		last = FL_MAX(last, stack);
	}
	for (flame_id i = 1; i <= last; i++)
		cr_assert_eq(flame_stack(flame, flame_stack_parent(flame, i),
					 flame_stack_frame(flame, i)), i);
}

Test(stacks, of_a_million_frames_are_stacks)
{
	flame_id stack = 0;
	unsigned depth = 0;

	enter_frames(1);
	for (unsigned i = 0; i < 1000000; i++)
		stack = flame_stack(flame, stack, 1);
	for (; stack; stack = flame_stack_parent(flame, stack))
		depth++;
	cr_expect_eq(depth, 1000000);
}

Test(stacks, all_children_are_in_the_list)
{
	flame_id parent = flame_stack(flame, 0, fl_frame(flame, name("p"), 0));
	bool seen[101] = { false };
	unsigned n = 0;

	for (unsigned round = 0; round < 2; round++)
		for (unsigned i = 1; i <= 100; i++)
			flame_stack(flame, parent, fl_frame(flame,
				numbered("n", i % 3 ? i : 1), 0));
	for (flame_id i = flame->stacks.data[parent].child; i;
	     i = flame->stacks.data[i].sibling, n++) {
		cr_assert_eq(fl_parent(flame, i), parent);
		cr_assert(!seen[i % 101], "twice");
		seen[i % 101] = true;
	}
	cr_expect_eq(n, flame->stacks.count - 2);
}

/* Small numbers, the same in every run. */
static unsigned draw(unsigned below)
{
	static uint32_t state = 1;

	state = state * 1664525 + 1013904223;
	return (state >> 16) % below;
}

/* Lists and wide parents, near children and far ones, ends and no ends. */
Test(stacks, side_by_side_are_found_as_one_by_one)
{
	enum { DEEPEST = 9, KINDS = 30 };
	struct fl_pair pairs[FL_LOOKUP_BATCH][DEEPEST];
	struct fl_stack_lookup d[FL_LOOKUP_BATCH];

	for (unsigned round = 0; round < 2000; round++) {
		unsigned n = draw(FL_LOOKUP_BATCH + 1);
		flame_id base = draw(flame->stacks.count);

		for (unsigned i = 0; i < n; i++) {
			d[i] = (struct fl_stack_lookup){
				.pair = pairs[i], .count = draw(DEEPEST + 1),
				.stack = i % 4 ? 0 : base
			};
			for (size_t k = 0; k < d[i].count; k++)
				pairs[i][k].frame = fl_frame(flame,
					numbered("f", draw(2 + draw(KINDS))), 0);
		}
		fl_stacks_lookup_batch(flame, d, n);
		for (unsigned i = 0; i < n; i++) {
			flame_id at = i % 4 ? 0 : base, next;
			size_t k = 0;

			for (; k < d[i].count &&
			       (next = fl_stack_find(flame, at,
						     pairs[i][k].frame));
			     k++) {
				at = next;
				cr_assert_eq(pairs[i][k].stack, at);
			}
			cr_assert_eq(d[i].done, k);
			cr_assert_eq(d[i].stack, at);
		}
		for (unsigned i = 0; i < n; i++) {
			flame_id at = d[i].stack;

			for (size_t k = d[i].done; k < d[i].count; k++)
				at = flame_stack(flame, at, pairs[i][k].frame);
		}
	}
	cr_expect_gt(flame->stacks.count, 10000);
}

Test(frames, all_of_a_name_are_in_its_list)
{
	struct flame_frame f = { .name = name("f") };
	unsigned n = 0;

	for (unsigned round = 0; round < 2; round++)
		for (f.line = 1; f.line <= 100; f.line++)
			cr_assert_eq(flame_frame(flame, &f), f.line);
	for (flame_id i = flame->names.data[f.name].frame; i;
	     i = flame->frames.next[i])
		n++;
	cr_expect_eq(n, 100);
}

/* Labels -------------------------------------------------------------- */

Test(labels, a_set_has_one_id_whatever_the_order)
{
	flame_id k[3] = { name("a"), name("b"), name("c") };
	flame_id v[3] = { name("x"), name("y"), name("z") };
	static const int orders[6][3] = {
		{ 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
		{ 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 },
	};
	flame_id first = 0;

	for (int i = 0; i < 6; i++) {
		flame_id set = 0;

		for (int j = 0; j < 3; j++)
			set = flame_label(flame, set, k[orders[i][j]],
					  v[orders[i][j]]);
		cr_assert_neq(set, 0);
		if (!first)
			first = set;
		cr_expect_eq(set, first, "order %d", i);
	}
	for (int j = 0; j < 3; j++)
		cr_expect_eq(flame_label_get(flame, first, k[j]), v[j]);
}

Test(labels, the_last_value_of_a_key_holds)
{
	flame_id a = name("a"), b = name("b"), x = name("x"), y = name("y");
	flame_id set = flame_label(flame, 0, a, x);
	flame_id both = flame_label(flame, set, b, y);

	cr_expect_eq(flame_label_get(flame, flame_label(flame, both, a, y),
				     a), y);
	cr_expect_eq(flame_label_get(flame, both, a), x, "sets do not change");
	cr_expect_eq(flame_label(flame, flame_label(flame, both, a, y), a, x),
		     both, "and back again");
}

Test(labels, value_zero_takes_a_key_out)
{
	flame_id a = name("a"), b = name("b"), x = name("x");
	flame_id one = flame_label(flame, 0, a, x);
	flame_id both = flame_label(flame, one, b, x);

	cr_expect_eq(flame_label(flame, both, b, 0), one);
	cr_expect_eq(flame_label(flame, one, a, 0), 0);
	cr_expect_eq(flame_label(flame, 0, a, 0), 0);
	cr_expect_eq(flame_label_get(flame, one, b), 0);
	cr_expect_eq(flame_label_get(flame, 0, a), 0);
}

Test(labels, too_many_are_an_error_and_not_a_crash)
{
	flame_id set = 0, low = name("low");

	for (unsigned i = 0; i < 200; i++)
		set = flame_label(flame, set, numbered("k", i), low);
	cr_expect_not(fl_failed(flame), "ascending keys need no room");
	cr_expect_eq(flame_label(flame, set, low, low), 0);
	cr_expect(strstr(flame_error(flame), "labels"));
}

/* Metrics ------------------------------------------------------------- */

Test(metrics, run_from_one_and_are_found_by_name)
{
	cr_expect_eq(flame_metrics(flame), 0);
	cr_expect_eq(flame_metric(flame, "cpu", "samples"), 1);
	cr_expect_eq(flame_metric(flame, "alloc", "bytes"), 2);
	cr_expect_eq(flame_metric(flame, "cpu", "bytes"), 1);
	cr_expect_eq(flame_metrics(flame), 2);
	cr_expect_str_eq(flame_metric_of(flame, 2)->unit, "bytes");
	cr_expect_str_eq(flame_metric_of(flame, 1)->unit, "samples");
	cr_expect_str_eq(flame_metric_of(flame, 0)->name, "");
	cr_expect_str_eq(flame_metric_of(flame, 99)->name, "");
	cr_expect_eq(flame_metric_of(flame, 1)->first, FLAME_NOTIME);
}

Test(metrics, sums_stay_at_the_largest_number)
{
	flame_id id = flame_metric(flame, "cpu", "ns");
	const struct flame_metric *m;

	fl_metric_count(flame, id, 2, INT64_MAX - 1);
	m = flame_metric_of(flame, id);
	cr_expect_eq(m->samples, 2);
	cr_expect_eq(m->total, INT64_MAX - 1);
	fl_metric_count(flame, id, UINT64_MAX, 2);
	cr_expect_eq(m->samples, UINT64_MAX);
	cr_expect_eq(m->total, INT64_MAX);
	fl_metric_count(flame, id, 0, INT64_MIN);
	cr_expect_eq(m->total, -1);
	fl_metric_count(flame, id, 1, INT64_MIN);
	cr_expect_eq(m->total, INT64_MIN);
	cr_expect_eq(m->samples, UINT64_MAX);
}

Test(metrics, rows_are_as_many_samples_as_they_weigh)
{
	flame_id cpu = flame_metric(flame, "cpu", "samples");
	flame_id bytes = flame_metric(flame, "alloc", "bytes");

	cr_expect_eq(fl_metric_samples(flame, cpu, 7), 7);
	cr_expect_eq(fl_metric_samples(flame, cpu, 0), 1);
	cr_expect_eq(fl_metric_samples(flame, cpu, -7), 1);
	cr_expect_eq(fl_metric_samples(flame, bytes, 7), 1);
}

Test(metrics, times_widen_their_span)
{
	flame_id id = flame_metric(flame, "cpu", "ns");
	const struct flame_metric *m = flame_metric_of(flame, id);

	fl_metric_span(flame, id, FLAME_NOTIME, FLAME_NOTIME);
	cr_expect_eq(m->first, FLAME_NOTIME);
	fl_metric_span(flame, id, 5, 9);
	fl_metric_span(flame, id, -3, 7);
	fl_metric_span(flame, id, FLAME_NOTIME, 11);
	cr_expect_eq(m->first, -3);
	cr_expect_eq(m->last, 11);
}

Test(metrics, have_names_that_a_terminal_does_not_obey)
{
	flame_id metric = flame_metric(flame, "a\x1b[2J\xc2\x9b", "\x7f");

	cr_expect_str_eq(flame_metric_of(flame, metric)->name, "a?[2J??");
	cr_expect_str_eq(flame_metric_of(flame, metric)->unit, "?");
	cr_expect_eq(flame_metric(flame, "a\x1b[2J\xc2\x9b", ""), metric);
	cr_expect_eq(flame_metric(flame, "a?[2J??", ""), metric);
	cr_expect_eq(flame_metrics(flame), 1);
}

Test(metrics, of_more_than_the_first_room_are_kept)
{
	char text[16];

	for (unsigned i = 1; i <= 100; i++) {
		snprintf(text, sizeof(text), "m%u", i);
		cr_assert_eq(flame_metric(flame, text, "samples"), i);
	}
	cr_expect_str_eq(flame_metric_of(flame, 77)->name, "m77");
}

/* Limit and errors ---------------------------------------------------- */

Test(limit, is_an_error_and_not_a_crash)
{
	flame_id id = 1;
	unsigned i;

	flame_process_limit(flame, 1 << 20);
	for (i = 0; i < 1000000 && id; i++)
		id = numbered("a name ", i);
	cr_expect_eq(id, 0);
	cr_expect_lt(i, 200000);
	cr_expect(fl_failed(flame));
	cr_expect(strstr(flame_error(flame), "limit of 1 MB"), "%s",
		  flame_error(flame));
	cr_expect_neq(name("a name 0"), 0, "what there was is there");
	for (i = 0; i < 100000; i++)
		flame_stack(flame, 0, i);
}

Test(limit, holds_for_stacks_too)
{
	flame_id stack = 0;
	unsigned i;

	enter_frames(1);
	flame_process_limit(flame, 1 << 20);
	for (i = 0; i < 1000000 && !fl_failed(flame); i++)
		stack = flame_stack(flame, stack, 1);
	cr_expect(fl_failed(flame));
	cr_expect_lt(i, 200000);
}

Test(limit, holds_for_one_long_name)
{
	static char text[2 << 20];

	flame_process_limit(flame, 1 << 20);
	memset(text, 'x', sizeof(text));
	cr_expect_eq(flame_name(flame, text, sizeof(text)), 0);
	cr_expect(strstr(flame_error(flame), "limit of 1 MB"), "%s",
		  flame_error(flame));
}

Test(limit, is_not_forgotten)
{
	flame_process_limit(flame, 1 << 20);
	enter_frames(1000000);
	cr_expect_eq(flame_clear(flame), FLAME_FAILED);
	cr_expect(fl_failed(flame));
	flame_process_limit(flame, 0);
}

Test(limit, of_zero_is_none)
{
	flame_process_limit(flame, 0);
	enter_frames(100000);
	for (unsigned i = 0; i < 100000; i++)
		cr_assert_neq(flame_stack(flame, 0, i), 0);
	cr_expect_not(fl_failed(flame));
}

Test(errors, the_first_one_is_kept)
{
	cr_expect_str_eq(flame_error(flame), "");
	cr_expect_eq(fl_fail(flame, "one %d", 1), FLAME_FAILED);
	cr_expect_eq(fl_fail(flame, "two"), FLAME_FAILED);
	cr_expect_eq(fl_no_memory(flame), FLAME_FAILED);
	cr_expect_str_eq(flame_error(flame), "one 1");
	cr_expect(fl_failed(flame));
}

Test(errors, clear_forgets_the_error_and_keeps_the_names)
{
	flame_id id = name("again");

	fl_fail(flame, "one");
	flame_clear(flame);
	cr_expect_str_eq(flame_error(flame), "");
	cr_expect_not(fl_failed(flame));
	cr_expect_eq(name("again"), id);
	fl_fail(flame, "two");
	cr_expect_str_eq(flame_error(flame), "two");
}

Test(errors, are_one_line_of_printable_text)
{
	fl_fail(flame, "%s", "a\nb\033[2Jc\177d\te");
	cr_expect_str_eq(flame_error(flame), "a?b?[2Jc?d?e");
}

Test(errors, are_cut_and_not_overrun)
{
	char text[4000];

	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	fl_fail(flame, "%s", text);
	cr_expect_lt(strlen(flame_error(flame)), sizeof(text) - 1);
}

static void remember(void *arg, const char *line)
{
	snprintf(arg, 64, "%s", line);
}

Test(errors, warnings_are_counted_with_and_without_a_listener)
{
	char line[64] = "";

	fl_warn(flame, "nobody hears %d", 1);
	flame_on_warning(flame, remember, line);
	fl_warn(flame, "two\nlines");
	cr_expect_str_eq(line, "two?lines");
	cr_expect_eq(flame_warnings(flame), 2);
	cr_expect_not(fl_failed(flame));
}

Test(errors, remarks_are_no_warnings)
{
	char line[64] = "";

	fl_remark(flame, "nobody hears");
	flame_on_remark(flame, remember, line);
	fl_remark(flame, "chosen: %s", "cpu");
	cr_expect_str_eq(line, "chosen: cpu");
	cr_expect_eq(flame_warnings(flame), 0);
}

Test(errors, free_takes_null)
{
	flame_free(NULL);
}

/* flame_unify_java ------------------------------------------------------ */

static flame_id frame_of(const char *text, enum flame_type type)
{
	return flame_frame(flame, &(struct flame_frame){ .name = name(text),
							 .type = type });
}

static const char *plain(const char *text, enum flame_type type)
{
	return flame_name_text(flame, flame_frame_of(flame, frame_of(text,
						type))->name, NULL);
}

Test(unified, not_unless_asked_for)
{
	cr_expect_str_eq(plain("a/B$$Lambda$9/0x7f.m", FLAME_JIT),
			 "a/B$$Lambda$9/0x7f.m");
}

Test(unified, spellings_are_one_frame)
{
	static const char *const spelt[] = {
		"Lorg/x/Main;::run", "org/x/Main:::run", "Lorg/x/Main:::run",
		"Lorg/x/Main;.run(I)V", "org.x.Main.run",
		"void org.x.Main.run(int)", "org.x.Main.run()",
		"static int[] org.x.Main.run(java.util.List<?>, long)",
		"app//org.x.Main.run", "m@1.0/org.x.Main.run",
		"app/m@1.0/org.x.Main.run", "void org/x/Main.run(int)",
	};
	flame_id want;

	flame_unify_java(flame, true);
	want = frame_of("org/x/Main.run", FLAME_UNKNOWN);
	for (size_t i = 0; i < FL_COUNT(spelt); i++)
		for (int again = 0; again < 2; again++)
			cr_expect_eq(frame_of(spelt[i], FLAME_UNKNOWN), want,
				     "%s: %s", spelt[i],
				     plain(spelt[i], FLAME_UNKNOWN));
	cr_expect_str_eq(plain("java.base/java.util.Map.get:7", FLAME_JIT),
			 "java/util/Map.get:7");
	cr_expect_str_eq(plain("demo.App.main(App.java:7)", FLAME_UNKNOWN),
			 "demo/App.main(App.java:7)");
	cr_expect_str_eq(plain("my.own.App$.main", FLAME_C1),
			 "my/own/App$.main");
	cr_expect_str_eq(plain("void demo.App.main(int)", FLAME_UNKNOWN),
			 "demo/App.main");
	cr_expect_str_eq(plain("org.x.A$$Lambda$7/12345.m", FLAME_UNKNOWN),
			 "org/x/A$$Lambda.m");
	cr_expect_str_eq(plain("StreamExecCalc$12.m", FLAME_UNKNOWN),
			 "StreamExecCalc$12.m");
	cr_expect_str_eq(plain("BatchExecCalc$7.m", FLAME_JIT),
			 "BatchExecCalc$7.m");
	cr_expect_str_eq(plain("A$B$$Lambda$7.m", FLAME_UNKNOWN),
			 "A$B$$Lambda.m");
	cr_expect_str_eq(plain(".x$$Lambda$9", FLAME_JIT), ".x$$Lambda");
	cr_expect_str_eq(plain("b.C$$Lambda$9", FLAME_JIT), "b.C$$Lambda");
}

Test(demangled, names_of_all_readers_are_as_in_the_source)
{
	static const char rust[] = "_RNvC7mycrate3foo";
	static const char *const others[] = {
		"_Zx", "_R", "_ZN", "main", "_Repr", "__Z", "_",
	};

	cr_expect_str_eq(plain(rust, FLAME_UNKNOWN), rust);
	flame_demangle(flame, true);
	for (int again = 0; again < 2; again++)
		cr_expect_str_eq(plain("_RNvC7mycrate3bar", FLAME_UNKNOWN),
				 "mycrate::bar");
	cr_expect_eq(frame_of("__RNvC7mycrate3bar", FLAME_NATIVE),
		     frame_of("mycrate::bar", FLAME_NATIVE));
	for (size_t i = 0; i < FL_COUNT(others); i++)
		cr_expect_str_eq(plain(others[i], FLAME_UNKNOWN), others[i]);
}

Test(unified, other_languages_stay)
{
	static const char *const names[] = {
		"System.Threading.Thread.Run", "os.path.Foo.bar",
		"numpy.random.Generator.integers", "io.TextIOWrapper.read",
		"net/http.HandlerFunc.ServeHTTP", "main.Server.Run",
		"void foo::bar<int>(int)", "std::vector<int>::at(int)",
		"lib/libc-2.31.so", "lib/foo.0x12.so", "[unknown]", "java",
		"LazyCompile:*f /srv/12.js:3", "f (a.b.C.py:12)",
		"my.own.App.main", "org.x.Main", "java.lang.String",
		"a.b.c.d", "void operator()(int)", "x.js:12", "(", "()", ".",
		";::", "L;::", "app//", "m@1/", "StreamExecCalc$12", "a:::",
		"a::b::c", "C$$Lambda$9", "C$1.run", "C.m$$Lambda$9", ":::",
	};

	flame_unify_java(flame, true);
	for (size_t i = 0; i < FL_COUNT(names); i++)
		cr_expect_str_eq(plain(names[i], FLAME_UNKNOWN), names[i]);
	cr_expect_str_eq(plain("org.x.Main.run", FLAME_NATIVE),
			 "org.x.Main.run");
	cr_expect_str_eq(plain("a/B$$Lambda$9/0x7f.m", FLAME_KERNEL),
			 "a/B$$Lambda$9/0x7f.m");
	cr_expect_str_eq(plain("[a.B$$Lambda$9 tid=1]", FLAME_GROUP),
			 "[a.B$$Lambda$9 tid=1]");
}

Test(unified, a_name_as_it_is_does_not_become_that_of_others)
{
	const char *text = "org.x.Main.run";
	struct flame_frame dotted = { .name = name(text) };
	flame_id as_is;

	flame_unify_java(flame, true);
	as_is = fl_frame_as_is(flame, &dotted);
	cr_expect_str_eq(flame_name_text(flame, flame_frame_of(flame,
						as_is)->name, NULL), text);
	cr_expect_str_eq(plain(text, FLAME_UNKNOWN), "org/x/Main.run");
	cr_expect_eq(fl_frame_as_is(flame, &dotted), as_is);
}

Test(unified, plain_names_stay_what_they_are)
{
	static const char *const names[] = {
		"a/B$$Lambda$9/0x00007f8177090218.m", "Lorg/x/Main;::run",
		"void org.x.Main.run(int)", "jdk/proxy2/$Proxy14.get",
		"a/B$$EnhancerBySpringCGLIB$$3a1f.m", "Script12.run",
	};
	char once[64];

	flame_unify_java(flame, true);
	for (size_t i = 0; i < FL_COUNT(names); i++) {
		snprintf(once, sizeof(once), "%s", plain(names[i], FLAME_JIT));
		cr_expect_str_eq(plain(once, FLAME_JIT), once);
	}
}

/* Of a process -------------------------------------------------------- */

Test(memory, failed_allocations_are_counted)
{
	struct flame *made = flame_new();
	struct fl_buf buf = { 0 };
	size_t before = fl_memory_failures();
	size_t capacity = 0;
	void *data = NULL;

	cr_expect_not(fl_failed(made));
	fl_memory_limit(1 << 20);
	cr_expect_null(fl_alloc(2 << 20));
	cr_expect_null(fl_zeroed(SIZE_MAX / 2, 4), "the product overflows");
	cr_expect_not(fl_grow(&data, &capacity, 2 << 20, 1));
	cr_expect_null(fl_buf_reserve(&buf, 2 << 20));
	cr_expect_null(fl_memory_adopt(NULL));
	fl_memory_failed();
	cr_expect_eq(fl_memory_failures() - before, 6);
	cr_expect(fl_failed(made), "a caller may have checked none of them");
	fl_memory_limit(0);
	flame_free(made);
}

Test(hash, a_process_has_a_secret_of_its_own)
{
	uint64_t before = fl_hash_pair(1, 2), after;
	struct flame *made = flame_new(), *other;

	cr_assert(made);
	after = fl_hash_pair(1, 2);
	cr_expect_neq(before, after);
	other = flame_new();
	cr_assert(other);
	cr_expect_eq(fl_hash_pair(1, 2), after);
	flame_free(other);
	flame_free(made);
}
