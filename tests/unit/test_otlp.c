/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenTelemetry's profiles, read and written.
 */
#include "fl.h"

#include "format/formats.h"
#include "flow/flow.h"
#include "format/otlp/otlp.h"

#include "said.h"

static struct fl_buf samples, tables, message;

static void begin(void)
{
	start();
	samples = tables = message = (struct fl_buf){ 0 };
}

static void end(void)
{
	fl_buf_free(&samples);
	fl_buf_free(&tables);
	fl_buf_free(&message);
	stop();
}

TestSuite(otlp, .init = begin, .fini = end);

/* Messages ------------------------------------------------------------ */

/* Pairs of a field and its value, up to a 0; values may be 0. */
static void put_numbers(struct fl_buf *to, uint32_t field,
			const uint64_t *pairs)
{
	struct fl_buf part = { 0 };

	for (; pairs[0]; pairs += 2)
		fl_put_number(&part, (uint32_t)pairs[0], pairs[1]);
	fl_put_bytes(to, field, part.data, part.size);
	fl_buf_free(&part);
}

#define PUT(to, field, ...) \
	put_numbers(to, field, (const uint64_t[]){ __VA_ARGS__, 0 })

static void put_text(uint32_t table, const char *text)
{
	fl_put_bytes(&tables, table, text, strlen(text));
}

/* Functions f and g; stacks 1 and 2 are f, and f;g; two attributes. */
static void put_tables(void)
{
	static const char *const strings[] = {
		"", "cpu", "count", "f", "g", "key"
	};
	struct fl_buf part = { 0 };

	for (size_t i = 0; i < FL_COUNT(strings); i++)
		put_text(DICTIONARY_STRINGS, strings[i]);
	put_text(DICTIONARY_FUNCTIONS, "");
	PUT(&tables, DICTIONARY_FUNCTIONS, FUNCTION_NAME, 3);
	PUT(&tables, DICTIONARY_FUNCTIONS, FUNCTION_NAME, 4);
	put_text(DICTIONARY_LOCATIONS, "");
	for (uint64_t i = 1; i <= 2; i++) {
		part.size = 0;
		PUT(&part, LOCATION_LINES, LINE_FUNCTION, i);
		fl_put_bytes(&tables, DICTIONARY_LOCATIONS, part.data,
			     part.size);
	}
	put_text(DICTIONARY_STACKS, "");
	PUT(&tables, DICTIONARY_STACKS, STACK_LOCATIONS, 1);
	PUT(&tables, DICTIONARY_STACKS, STACK_LOCATIONS, 2,
	    STACK_LOCATIONS, 1);
	PUT(&tables, DICTIONARY_STACKS, STACK_LOCATIONS, 77);
	put_text(DICTIONARY_ATTRIBUTES, "");
	for (unsigned i = 0; i < 2; i++) {
		part.size = 0;
		fl_put_number(&part, KEY_VALUE_KEY, 5);
		PUT(&part, KEY_VALUE_VALUE, ANY_INT, 40 + i);
		fl_put_bytes(&tables, DICTIONARY_ATTRIBUTES, part.data,
			     part.size);
	}
	fl_buf_free(&part);
}

static void put_times(struct fl_buf *sample, unsigned n)
{
	static const char times[] = "\1\0\0\0\0\0\0\0" "\2\0\0\0\0\0\0\0"
				    "\3\0\0\0\0\0\0\0";

	fl_put_bytes(sample, SAMPLE_TIMESTAMPS, times, 8 * n);
}

/* A sample with these fields 2 to 4, and `times` timestamps. */
static void put_sample(uint64_t stack, const char *second, const char *third,
		       const char *fourth, unsigned times)
{
	struct fl_buf sample = { 0 };

	fl_put_number(&sample, SAMPLE_STACK, stack);
	if (*second)
		fl_put_bytes(&sample, 2, second, strlen(second));
	if (*third)
		fl_put_bytes(&sample, 3, third, strlen(third));
	if (*fourth)
		fl_put_bytes(&sample, 4, fourth, strlen(fourth));
	if (times)
		put_times(&sample, times);
	fl_put_bytes(&samples, PROFILE_SAMPLES, sample.data, sample.size);
	fl_buf_free(&sample);
}

static void put_message(void)
{
	struct fl_buf profile = { 0 }, scope = { 0 }, resource = { 0 };

	PUT(&profile, PROFILE_SAMPLE_TYPE, VALUE_TYPE_TYPE, 1,
	    VALUE_TYPE_UNIT, 2);
	fl_buf_put(&profile, samples.data, samples.size);
	fl_put_bytes(&scope, SCOPE_PROFILES_PROFILES, profile.data,
		     profile.size);
	fl_put_bytes(&resource, RESOURCE_PROFILES_SCOPES, scope.data,
		     scope.size);
	fl_put_bytes(&message, DATA_RESOURCE_PROFILES, resource.data,
		     resource.size);
	fl_put_bytes(&message, DATA_DICTIONARY, tables.data, tables.size);
	fl_buf_free(&profile);
	fl_buf_free(&scope);
	fl_buf_free(&resource);
}

static int read_message(void)
{
	struct flame_sink *sink = fl_format_named(flame, "folded", true)->
		create(flame, fl_out_memory(flame, &out));
	struct flame_source *source;
	int damage;

	source =
		flame_open_memory(flame, message.data, message.size, "p", NULL);
	cr_assert(source, "%s", flame_error(flame));
	cr_expect_str_eq(flame_source_format(source), "otlp");
	cr_expect_eq(flame_pump(source, sink), FLAME_OK);
	damage = flame_source_damage(source);
	flame_close(source);
	cr_expect_eq(flame_finish(sink), FLAME_OK);
	return damage;
}

/* Tests --------------------------------------------------------------- */

Test(otlp, samples_since_1_10)
{
	put_tables();
	put_sample(1, "\1\2", "", "\12", 1);
	put_sample(2, "\2", "", "\1\2\3", 3);
	put_message();
	cr_expect_eq(read_message(), 0);
	cr_expect_str_eq(out.data, "f 10\nf;g 6\n");
	cr_expect_str_eq(said.data, "");
	cr_expect_str_eq(flame_metric_of(flame, 1)->name, "cpu");
	cr_expect_str_eq(flame_metric_of(flame, 1)->unit, "samples");
}

Test(otlp, samples_before_1_10)
{
	put_tables();
	put_sample(1, "\12", "\1\2", "", 1);
	put_sample(2, "\1\2\3", "\2", "", 3);
	put_message();
	cr_expect_eq(read_message(), 0);
	cr_expect_str_eq(out.data, "f 10\nf;g 6\n");
	cr_expect_str_eq(said.data, "");
}

/* Values that nobody has attributes beside would leave those unused. */
Test(otlp, attributes_must_be_somebodys)
{
	put_tables();
	put_sample(2, "\1", "", "", 1);
	put_sample(2, "\2", "", "", 1);
	put_message();
	cr_expect_eq(read_message(), 0);
	cr_expect_str_eq(out.data, "f;g 2\n");
	cr_expect_str_eq(said.data, "");
}

/* An unpacked 1 is a link of 1.10, or an attribute of 1.9. */
Test(otlp, what_could_be_either_is_told)
{
	struct fl_buf sample = { 0 };

	put_tables();
	put_text(DICTIONARY_LINKS, "");
	put_text(DICTIONARY_LINKS, "");
	fl_put_number(&sample, SAMPLE_STACK, 1);
	fl_put_number(&sample, 2, 2);
	fl_put_number(&sample, 3, 1);
	put_times(&sample, 1);
	fl_put_bytes(&samples, PROFILE_SAMPLES, sample.data, sample.size);
	fl_buf_free(&sample);
	put_message();
	cr_expect_eq(read_message(), 0);
	cr_expect_str_eq(out.data, "f 1\n");
	cr_expect_str_eq(said.data,
			 "p: this may be OTLP 1.9 or 1.10, which number "
			 "values and attributes of samples the other way "
			 "round: read as 1.10\n");
}

Test(otlp, a_timestamp_alone_counts_one)
{
	put_tables();
	put_sample(1, "\1", "", "", 3);
	put_message();
	cr_expect_eq(read_message(), 0);
	cr_expect_str_eq(out.data, "f 3\n");
}

Test(otlp, what_is_not_there_costs_its_sample)
{
	put_tables();
	put_sample(3, "\1", "", "\1", 1);
	put_sample(9, "\1", "", "\2", 1);
	put_sample(1, "\1", "", "\4", 1);
	put_message();
	cr_expect_eq(read_message(), 1);
	cr_expect_str_eq(out.data, "f 4\n");
	cr_expect_str_eq(said.data, "p: 2 samples left out: what they point to "
				    "is not in the file\n");
}

Test(otlp, messages_one_after_another_have_their_own_tables)
{
	put_tables();
	put_sample(1, "\1", "", "\1", 1);
	put_message();
	put_message();
	cr_expect_eq(read_message(), 0);
	cr_expect_str_eq(out.data, "f 2\n");
}

Test(otlp, frames_are_read_one_by_one)
{
	struct fl_buf framed = { 0 };

	put_tables();
	put_sample(1, "\1", "", "\5", 1);
	put_message();
	fl_buf_text(&framed, "OTLP\1");
	for (unsigned i = 0; i < 2; i++) {
		fl_put_varint(&framed, message.size);
		fl_buf_put(&framed, message.data, message.size);
	}
	fl_buf_free(&message);
	message = framed;
	cr_expect_eq(read_message(), 0);
	cr_expect_str_eq(out.data, "f 10\n");
	cr_expect_str_eq(said.data, "");
}

Test(otlp, a_cut_frame_is_told)
{
	struct fl_buf framed = { 0 };

	put_tables();
	put_sample(1, "\1", "", "\5", 1);
	put_message();
	for (unsigned i = 0; i < 2; i++) {
		fl_put_varint(&framed, message.size);
		fl_buf_put(&framed, message.data, message.size);
	}
	framed.size--;
	fl_buf_free(&message);
	message = framed;
	cr_expect_eq(read_message(), 1);
	cr_expect_str_eq(out.data, "f 5\n");
	cr_expect(strstr(said.data, "p: cut or damaged"), "%s", said.data);
}

Test(otlp, texts_and_pprof_are_none)
{
	static const char *const texts[] = {
		"a;b;c;d;e 1\n", "\n\n\n\n\n\n\n\n\n\n",
		"\x0a\x04\x08\x01\x10\x02\x12\x02\x0a\x01\x01",
		"OTLP is a protocol\n",
	};

	for (size_t i = 0; i < FL_COUNT(texts); i++)
		cr_expect_eq(fl_format_otlp.probe(
			(const uint8_t *)texts[i], strlen(texts[i]), true), 0,
			"text %zu", i);
}

/* Written ------------------------------------------------------------- */

static void write_sample(struct flame_sink *sink, enum flame_type type,
			 const char *metric, const char *tid, int64_t weight)
{
	struct flame_sample sample = {
		.metric = flame_metric(flame, metric, "ns"),
		.time = FLAME_NOTIME, .weight = weight,
		.stack = flame_stack(flame, 0, fl_frame(flame,
			flame_name(flame, "f\xff", 2), type)),
		.thread = flame_label(flame, flame_label(flame, 0,
			fl_name(flame, "tid"), fl_name(flame, tid)),
			fl_name(flame, "thread"), fl_name(flame, "main")),
	};

	cr_assert_eq(flame_put(sink, &sample), FLAME_OK);
}

/* Each metric is a profile; types and threads come back. */
Test(otlp, what_was_written_reads_as_the_same)
{
	struct flame_sink *sink = fl_otlp_create(flame,
		fl_out_memory(flame, &message));
	struct flame_source *source;
	struct flame_sample s;
	unsigned n = 0;

	write_sample(sink, FLAME_JIT, "cpu", "0", INT64_MAX);
	write_sample(sink, FLAME_KERNEL, "wall", "no number", -5);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	source = flame_open_memory(flame, message.data, message.size, "p",
				   NULL);
	cr_assert_str_eq(flame_source_format(source), "otlp");
	source->select.needs = FL_NEED_THREAD;
	for (; flame_next(source, &s) == FLAME_OK; n++) {
		const struct flame_frame *frame = fl_frame_at(flame, s.stack);
		flame_id tid = flame_label_get(flame, s.thread,
					       fl_name(flame, "tid"));

		cr_expect_str_eq(fl_name_at(flame, frame->name).data,
				 "f\xef\xbf\xbd");
		cr_expect_eq(frame->type, n ? FLAME_KERNEL : FLAME_JIT);
		cr_expect_eq(s.weight, n ? -5 : INT64_MAX);
		cr_expect_eq(tid, fl_name(flame, n ? "no number" : "0"));
		cr_expect_str_eq(flame_metric_of(flame, s.metric)->name,
				 n ? "wall" : "cpu");
	}
	cr_expect_eq(n, 2);
	cr_expect_eq(flame_source_damage(source), 0);
	flame_close(source);
	cr_expect_str_eq(said.data, "");
}
