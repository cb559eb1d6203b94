/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pprof, read.
 */
#include "fl.h"

#include "format/formats.h"
#include "flow/flow.h"
#include "format/pprof/pprof.h"

#include "said.h"

static struct fl_buf profile;

static void begin(void)
{
	start();
	profile = (struct fl_buf){ 0 };
}

static void end(void)
{
	fl_buf_free(&profile);
	stop();
}

TestSuite(pprof, .init = begin, .fini = end);

/* Messages that are written, field by field --------------------------- */

/* A message of numbers: pairs of a field and its value, up to a 0. */
static void put_numbers(struct fl_buf *to, uint32_t number,
			const uint64_t *pairs)
{
	struct fl_buf message = { 0 };

	for (; pairs[0]; pairs += 2)
		fl_put_number(&message, (uint32_t)pairs[0], pairs[1]);
	fl_put_bytes(to, number, message.data, message.size);
	fl_buf_free(&message);
}

#define PUT(number, ...) \
	put_numbers(&profile, number, (const uint64_t[]){ __VA_ARGS__, 0 })

static void put_strings(const char *const *strings)
{
	for (; *strings; strings++)
		fl_put_bytes(&profile, PROFILE_STRING_TABLE, *strings,
			     strlen(*strings));
}

#define STRINGS(...) \
	put_strings((const char *const[]){ "", __VA_ARGS__, NULL })

/* A location of one line, or of two, the inner one first. */
static void put_location(uint64_t id, uint64_t inner, uint64_t outer)
{
	struct fl_buf message = { 0 };
	uint64_t lines[] = { LINE_FUNCTION_ID, inner, LINE_LINE, 7, 0 };

	fl_put_number(&message, LOCATION_ID, id);
	put_numbers(&message, LOCATION_LINE, lines);
	lines[1] = outer;
	if (outer)
		put_numbers(&message, LOCATION_LINE, lines);
	fl_put_bytes(&profile, PROFILE_LOCATION, message.data, message.size);
	fl_buf_free(&message);
}

/* Three functions a, b and c at locations 1, 2 and 3, of samples in ns. */
static void put_three(void)
{
	STRINGS("cpu", "nanoseconds", "a", "b", "c", "key", "value", "a.c");
	PUT(PROFILE_SAMPLE_TYPE, VALUE_TYPE_TYPE, 1, VALUE_TYPE_UNIT, 2);
	for (uint64_t i = 1; i <= 3; i++) {
		PUT(PROFILE_FUNCTION, FUNCTION_ID, i, FUNCTION_NAME, i + 2,
		    FUNCTION_FILENAME, 8);
		put_location(i, i, 0);
	}
}

static flame_id name_of(const char *text)
{
	return fl_name(flame, text);
}

/* Its stacks, folded. */
static int read_as(const char *format, const char *event)
{
	struct flame_sink *sink = fl_format_named(flame, "folded", true)->
		create(flame, fl_out_memory(flame, &out));
	struct flame_source *source;
	int damage;

	sink = flame_pick(sink, event);
	source = flame_open_memory(flame, profile.data, profile.size, "p",
				   format);
	cr_assert(source, "%s", flame_error(flame));
	cr_expect_str_eq(flame_source_format(source), "pprof");
	cr_expect_eq(flame_pump(source, sink), FLAME_OK);
	damage = flame_source_damage(source);
	flame_close(source);
	cr_expect_eq(flame_finish(sink), FLAME_OK);
	return damage;
}

static int read_profile(void)
{
	return read_as(NULL, NULL);
}

/* Tests --------------------------------------------------------------- */

Test(pprof, stacks_are_leaf_first)
{
	put_three();
	PUT(PROFILE_SAMPLE, 1, 3, 1, 2, 1, 1, SAMPLE_VALUE, 10);
	PUT(PROFILE_SAMPLE, 1, 2, 1, 1, SAMPLE_VALUE, 5);
	cr_expect_eq(read_profile(), 0);
	cr_expect_str_eq(out.data, "a;b 5\na;b;c 10\n");
	cr_expect_str_eq(said.data, "");
}

Test(pprof, strings_may_come_last)
{
	PUT(PROFILE_SAMPLE_TYPE, VALUE_TYPE_TYPE, 1, VALUE_TYPE_UNIT, 2);
	PUT(PROFILE_SAMPLE, 1, 77, SAMPLE_VALUE, 10);
	put_location(77, 99, 0);
	PUT(PROFILE_FUNCTION, FUNCTION_ID, 99, FUNCTION_NAME, 3);
	STRINGS("cpu", "nanoseconds", "f");
	cr_expect_eq(read_profile(), 0);
	cr_expect_str_eq(out.data, "f 10\n");
}

Test(pprof, inlined_functions_are_frames)
{
	put_three();
	put_location(4, 3, 2);
	PUT(PROFILE_SAMPLE, 1, 4, 1, 1, SAMPLE_VALUE, 1);
	cr_expect_eq(read_profile(), 0);
	cr_expect_str_eq(out.data, "a;b;c 1\n");
}

Test(pprof, a_location_without_a_function_is_its_address)
{
	put_three();
	STRINGS("/lib/libx.so");
	PUT(PROFILE_MAPPING, MAPPING_ID, 1, MAPPING_FILENAME, 10);
	PUT(PROFILE_LOCATION, LOCATION_ID, 4, LOCATION_ADDRESS, 0xbeef);
	PUT(PROFILE_LOCATION, LOCATION_ID, 5, LOCATION_MAPPING_ID, 1);
	PUT(PROFILE_LOCATION, LOCATION_ID, 6, LOCATION_MAPPING_ID, 9);
	/* One without a name is none. */
	PUT(PROFILE_FUNCTION, FUNCTION_ID, 9, FUNCTION_FILENAME, 8);
	put_location(7, 9, 0);
	PUT(PROFILE_SAMPLE, 1, 6, 1, 5, 1, 4, SAMPLE_VALUE, 1);
	PUT(PROFILE_SAMPLE, 1, 7, 1, 1, SAMPLE_VALUE, 2);
	cr_expect_eq(read_profile(), 0);
	cr_expect_str_eq(out.data, "0xbeef;[libx.so];[unknown] 1\n"
			 "a;[unknown] 2\n");
}

Test(pprof, each_type_is_a_metric)
{
	put_three();
	STRINGS("alloc", "bytes");
	PUT(PROFILE_SAMPLE_TYPE, VALUE_TYPE_TYPE, 10, VALUE_TYPE_UNIT, 11);
	PUT(PROFILE_SAMPLE, 1, 1, SAMPLE_VALUE, 3, SAMPLE_VALUE, 4096);
	cr_expect_eq(read_as(NULL, "alloc"), 0);
	cr_expect_str_eq(out.data, "a 4096\n");
	cr_expect_str_eq(flame_metric_of(flame, 1)->name, "alloc");
	cr_expect_str_eq(flame_metric_of(flame, 1)->unit, "bytes");
	cr_expect_str_eq(flame_metric_of(flame, 2)->name, "cpu");
	cr_expect_str_eq(flame_metric_of(flame, 2)->unit, "ns");
	cr_expect_eq(flame_metric_of(flame, 2)->total, 3);
}

Test(pprof, the_default_type_is_taken)
{
	STRINGS("objects", "count", "space", "bytes", "f");
	PUT(PROFILE_SAMPLE_TYPE, VALUE_TYPE_TYPE, 1, VALUE_TYPE_UNIT, 2);
	PUT(PROFILE_SAMPLE_TYPE, VALUE_TYPE_TYPE, 3, VALUE_TYPE_UNIT, 4);
	fl_put_number(&profile, PROFILE_DEFAULT_SAMPLE_TYPE, 1);
	PUT(PROFILE_FUNCTION, FUNCTION_ID, 1, FUNCTION_NAME, 5);
	put_location(1, 1, 0);
	PUT(PROFILE_SAMPLE, 1, 1, SAMPLE_VALUE, 3, SAMPLE_VALUE, 4096);
	cr_expect_eq(read_profile(), 0);
	cr_expect_str_eq(out.data, "f 3\n");
}

Test(pprof, labels_tell_of_threads_and_times)
{
	struct flame_source *source;
	struct flame_sample s;
	struct fl_buf message = { 0 };

	put_three();
	STRINGS("thread", "main", "tid", "end_timestamp_ns");
	fl_put_number(&message, SAMPLE_LOCATION_ID, 1);
	fl_put_number(&message, SAMPLE_VALUE, 8);
	put_numbers(&message, SAMPLE_LABEL, (const uint64_t[]){
		LABEL_KEY, 6, LABEL_STR, 7, 0 });
	put_numbers(&message, SAMPLE_LABEL, (const uint64_t[]){
		LABEL_KEY, 10, LABEL_STR, 11, 0 });
	put_numbers(&message, SAMPLE_LABEL, (const uint64_t[]){
		LABEL_KEY, 12, LABEL_NUM, 42, 0 });
	put_numbers(&message, SAMPLE_LABEL, (const uint64_t[]){
		LABEL_KEY, 13, LABEL_NUM, 1700000000000000000, 0 });
	fl_put_bytes(&profile, PROFILE_SAMPLE, message.data, message.size);
	fl_buf_free(&message);
	source =
		flame_open_memory(flame, profile.data, profile.size, "p", NULL);
	cr_assert(source);
	cr_assert_eq(flame_next(source, &s), FLAME_OK);
	cr_expect_eq(s.weight, 8);
	cr_expect_eq(s.time, 1700000000000000000);
	cr_expect_eq(flame_label_get(flame, s.labels, fl_name(flame, "key")),
		     fl_name(flame, "value"));
	cr_expect_eq(flame_label_get(flame, s.thread,
				     fl_name(flame, "thread")),
		     fl_name(flame, "main"));
	cr_expect_eq(flame_label_get(flame, s.thread, fl_name(flame, "tid")),
		     fl_name(flame, "42"));
	cr_expect_eq(flame_next(source, &s), FLAME_END);
	flame_close(source);
}

/* A sample of f with two labels, in fields that others stand between. */
static void put_labelled(bool apart, uint64_t second)
{
	struct fl_buf message = { 0 };

	fl_put_number(&message, SAMPLE_VALUE, 1);
	put_numbers(&message, SAMPLE_LABEL, (const uint64_t[]){
		LABEL_KEY, 6, LABEL_STR, 7, 0 });
	if (apart)
		fl_put_bytes(&message, SAMPLE_LOCATION_ID, "\1", 1);
	put_numbers(&message, SAMPLE_LABEL, (const uint64_t[]){
		LABEL_KEY, 4, LABEL_NUM, second, 0 });
	if (!apart)
		fl_put_bytes(&message, SAMPLE_LOCATION_ID, "\1", 1);
	fl_put_bytes(&profile, PROFILE_SAMPLE, message.data, message.size);
	fl_buf_free(&message);
}

Test(pprof, labels_may_have_fields_between_them)
{
	static const struct { bool apart; uint64_t second; } all[] = {
		{ false, 5 }, { true, 5 }, { false, 6 }, { true, 6 },
		{ false, 5 },
	};
	struct flame_source *source;
	struct flame_sample s;

	put_three();
	for (size_t i = 0; i < FL_COUNT(all); i++)
		put_labelled(all[i].apart, all[i].second);
	source =
		flame_open_memory(flame, profile.data, profile.size, "p", NULL);
	cr_assert(source);
	/* The last one is added to the first, which is equal. */
	for (size_t i = 0; i < FL_COUNT(all) - 1; i++) {
		cr_assert_eq(flame_next(source, &s), FLAME_OK);
		cr_expect_eq(s.weight, i ? 1 : 2);
		cr_expect_eq(flame_label_get(flame, s.labels,
					     name_of("key")),
			     name_of("value"));
		cr_expect_eq(flame_label_get(flame, s.labels, name_of("b")),
			     name_of(all[i].second == 5 ? "5" : "6"));
		cr_expect_eq(fl_frame_at(flame, s.stack)->name, name_of("a"));
	}
	cr_expect_eq(flame_next(source, &s), FLAME_END);
	flame_close(source);
}

Test(pprof, samples_without_a_stack_are_read)
{
	put_three();
	PUT(PROFILE_SAMPLE, SAMPLE_VALUE, 4);
	PUT(PROFILE_SAMPLE, SAMPLE_VALUE, 5);
	PUT(PROFILE_SAMPLE, 1, 1, SAMPLE_VALUE, 2);
	cr_expect_eq(read_profile(), 0);
	cr_expect_str_eq(out.data, " 9\na 2\n");
}

/* With UBSan: there is no array of values to add up. */
Test(pprof, equal_samples_without_values_weigh_nothing)
{
	put_three();
	PUT(PROFILE_SAMPLE, 1, 1);
	PUT(PROFILE_SAMPLE, 1, 1);
	PUT(PROFILE_SAMPLE, 1, 1, SAMPLE_VALUE, 2);
	cr_expect_eq(read_profile(), 0);
	cr_expect_str_eq(out.data, "a 2\n");
}

/* Reads three samples, two of them equal, and compares the weights. */
static void read_three(unsigned needs, const int64_t *values,
		       const int64_t *wanted, size_t nwanted)
{
	struct flame_source *source;
	struct flame_sample s;

	put_three();
	PUT(PROFILE_SAMPLE, 1, 1, SAMPLE_VALUE, (uint64_t)values[0]);
	PUT(PROFILE_SAMPLE, 1, 2, SAMPLE_VALUE, (uint64_t)values[1]);
	PUT(PROFILE_SAMPLE, 1, 1, SAMPLE_VALUE, (uint64_t)values[2]);
	source =
		flame_open_memory(flame, profile.data, profile.size, "p", NULL);
	cr_assert(source);
	source->select.needs |= needs;
	for (size_t i = 0; i < nwanted; i++) {
		cr_assert_eq(flame_next(source, &s), FLAME_OK);
		cr_expect_eq(s.weight, wanted[i]);
	}
	cr_expect_eq(flame_next(source, &s), FLAME_END);
	cr_expect_eq(flame->metrics[s.metric].samples, 3);
	flame_close(source);
}

Test(pprof, equal_samples_are_added_up)
{
	read_three(0, (int64_t[]){ 3, 5, -1 }, (int64_t[]){ 2, 5 }, 2);
}

Test(pprof, samples_stay_apart_where_order_counts)
{
	read_three(FL_NEED_ORDER, (int64_t[]){ 3, 5, 4 },
		   (int64_t[]){ 3, 5, 4 }, 3);
}

Test(pprof, samples_stay_apart_where_their_sum_does_not_fit)
{
	read_three(0, (int64_t[]){ INT64_MAX, 5, 1 },
		   (int64_t[]){ INT64_MAX, 5, 1 }, 3);
}

/* Fields cross the ends of the reader's buffer, and one is larger than it. */
Test(pprof, large_profiles_are_read_in_parts)
{
	static char name[300000];

	memset(name, 'x', sizeof(name) - 1);
	put_three();
	for (int i = 0; i < 20000; i++)
		PUT(PROFILE_SAMPLE, 1, 1, SAMPLE_VALUE, 4);
	put_location(9, 9, 0);
	PUT(PROFILE_FUNCTION, FUNCTION_ID, 9, FUNCTION_NAME, 10);
	for (int i = 0; i < 20000; i++)
		PUT(PROFILE_SAMPLE, 1, 9, SAMPLE_VALUE, 1);
	STRINGS(name);
	cr_expect_eq(read_profile(), 0);
	cr_expect_str_eq(said.data, "");
	cr_expect(strncmp(out.data, "a 80000\nxxx", 11) == 0, "%.20s",
		  out.data);
	cr_expect_str_eq(out.data + out.size - 8, "x 20000\n");
}

Test(pprof, what_is_not_there_costs_its_sample)
{
	put_three();
	PUT(PROFILE_FUNCTION, FUNCTION_ID, 4, FUNCTION_NAME, 1000);
	put_location(4, 4, 0);
	PUT(PROFILE_SAMPLE, 1, 4, 1, 1, SAMPLE_VALUE, 1);
	PUT(PROFILE_SAMPLE, 1, 5, 1, 1, SAMPLE_VALUE, 2);
	PUT(PROFILE_SAMPLE, 1, 1, SAMPLE_VALUE, 4);
	cr_expect_eq(read_profile(), 1);
	cr_expect_str_eq(out.data, "a 4\n");
	cr_expect_str_eq(said.data, "p: 2 samples left out: they are damaged, or "
				    "their names or locations are not in the "
				    "file\n");
}

Test(pprof, a_cut_is_told)
{
	put_three();
	PUT(PROFILE_SAMPLE, 1, 1, SAMPLE_VALUE, 4);
	PUT(PROFILE_SAMPLE, 1, 2, SAMPLE_VALUE, 4);
	profile.size--;
	cr_expect_eq(read_profile(), 1);
	cr_expect_str_eq(out.data, "a 4\n");
	cr_expect_str_eq(said.data,
			 "p: cut or damaged: the last 5 bytes are "
			 "skipped\n");
}

Test(pprof, one_behind_another_is_read_by_itself)
{
	put_three();
	PUT(PROFILE_SAMPLE, 1, 1, SAMPLE_VALUE, 4);
	PUT(PROFILE_SAMPLE_TYPE, VALUE_TYPE_TYPE, 1, VALUE_TYPE_UNIT, 2);
	PUT(PROFILE_SAMPLE, 1, 1, SAMPLE_VALUE, 8);
	put_location(1, 1, 0);
	PUT(PROFILE_FUNCTION, FUNCTION_ID, 1, FUNCTION_NAME, 3);
	STRINGS("cpu", "nanoseconds", "other");
	cr_expect_eq(read_profile(), 0);
	cr_expect_str_eq(out.data, "a 4\nother 8\n");
}

Test(pprof, values_below_zero_are_read)
{
	struct flame_source *source;
	struct flame_sample s;

	put_three();
	PUT(PROFILE_SAMPLE, 1, 1, SAMPLE_VALUE, (uint64_t)-4);
	source =
		flame_open_memory(flame, profile.data, profile.size, "p", NULL);
	cr_assert(source);
	cr_expect_eq(flame_next(source, &s), FLAME_OK);
	cr_expect_eq(s.weight, -4);
	flame_close(source);
}

Test(pprof, a_name_with_its_suffix_tells_how_it_ran)
{
	put_three();
	STRINGS("a_[j]", "b_[k]");
	PUT(PROFILE_FUNCTION, FUNCTION_ID, 4, FUNCTION_NAME, 3,
	    FUNCTION_SYSTEM_NAME, 10);
	PUT(PROFILE_FUNCTION, FUNCTION_ID, 5, FUNCTION_NAME, 3,
	    FUNCTION_SYSTEM_NAME, 11);
	put_location(4, 4, 0);
	put_location(5, 5, 0);
	PUT(PROFILE_SAMPLE, 1, 5, 1, 4, SAMPLE_VALUE, 1);
	cr_expect_eq(read_profile(), 0);
	cr_expect_str_eq(out.data, "a_[j];a 1\n");
}

Test(pprof, times_are_its_span)
{
	struct flame_source *source;
	struct flame_sample s;
	int64_t from, to;

	put_three();
	fl_put_number(&profile, PROFILE_TIME_NANOS, 1700000000000000000);
	fl_put_number(&profile, PROFILE_DURATION_NANOS, 5000000000);
	source =
		flame_open_memory(flame, profile.data, profile.size, "p", NULL);
	cr_assert(source);
	cr_expect_eq(flame_next(source, &s), FLAME_END);
	cr_assert(fl_source_span(source, &from, &to));
	cr_expect_eq(from, 1700000000000000000);
	cr_expect_eq(to, 1700000005000000000);
	flame_close(source);
}

Test(pprof, texts_and_other_messages_are_none)
{
	static const char *const texts[] = {
		"a;b 1\n", "\n\x04\x08\x01zz", "H\x0c", "\x0a\x02\x0a\x00",
	};

	for (size_t i = 0; i < FL_COUNT(texts); i++)
		cr_expect_eq(fl_format_pprof.probe(
			(const uint8_t *)texts[i], strlen(texts[i]), true), 0,
			"text %zu", i);
}
