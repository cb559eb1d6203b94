/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JFR's format 0.9.  The chunk is put together here, field by field: one
 * producer, a handful of structs, events before and between checkpoints.
 */
#include "fl.h"

#include "flow/flow.h"
#include "format/jfr/v0/v0.h"

#include <criterion/criterion.h>
#include <stdio.h>

/* A chunk from text -------------------------------------------------- */

static struct flame *flame;
static struct fl_buf chunk, lines;
static size_t event_at, meta_at;
static char warning[300];

static void be(uint64_t n, unsigned size)
{
	while (size--)
		fl_buf_byte(&chunk, (char)(n >> 8 * size));
}

static void be_at(size_t at, uint64_t n, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		chunk.data[at + i] = (char)(n >> 8 * (size - 1 - i));
}

static void utf(const char *text)
{
	be(strlen(text), 2);
	fl_buf_text(&chunk, text);
}

static void begin(uint32_t type)
{
	event_at = chunk.size;
	be(0, 4);
	be(type, 4);
}

static void end(void)
{
	be_at(event_at, chunk.size - event_at, 4);
}

enum { U1 = 2, INT = 5, U4 = 6, LONG = 7, U8 = 8, UTF8 = 11, STRUCTS = 15 };
enum { THREAD = 7, STACK = 9, CLASS = 10, METHOD = 32, UTF = 33, STATE = 34,
       TYPE = 47 };
enum { SAMPLE = 20, ALLOC, OUTSIDE, SLEEP, READ, OWN, ENTER };

struct field {
	const char *name;
	uint8_t type;
	uint32_t content, index;
};

static const struct field structs[][5] = {
	{ { "utf8", UTF8, 0, 0 } },
	{ { "name", UTF8, 0, 0 } },
	{ { "loaderClass", U8, CLASS, 0 }, { "name", U8, UTF, 0 } },
	{ { "class", U8, CLASS, 0 }, { "name", U8, UTF, 0 },
	  { "signature", U8, UTF, 0 } },
	{ { "method", U8, METHOD, 0 }, { "line", INT, 0, 0 },
	  { "type", U1, TYPE, 0 } },
	{ { "truncated", 0, 0, 0 }, { "frames", STRUCTS, 0, 4 } },
	/* 6: the events' */
	{ { "sampledThread", U4, THREAD, 0 }, { "stackTrace", U8, STACK, 0 },
	  { "state", U1, STATE, 0 } },
	{ { "class", U8, CLASS, 0 }, { "allocationSize", U8, 0, 0 },
	  { "tlabSize", U8, 0, 0 } },
	{ { "class", U8, CLASS, 0 }, { "allocationSize", U8, 0, 0 } },
	{ { "time", LONG, 0, 0 } },
	{ { "bytesRead", LONG, 0, 0 } },
	{ { "klass", U8, CLASS, 0 } },
};

static const struct {
	uint32_t id;
	const char *path;
	uint8_t start, thread, stack;
	uint32_t layout;
} events[] = {
	{ SAMPLE, "vm/prof/execution_sample", 0, 0, 0, 6 },
	{ ALLOC, "java/object_alloc_in_new_TLAB", 0, 1, 1, 7 },
	{ OUTSIDE, "java/object_alloc_outside_TLAB", 0, 1, 1, 8 },
	{ SLEEP, "java/thread_sleep", 1, 1, 1, 9 },
	{ READ, "java/socket_read", 1, 1, 1, 10 },
	{ OWN, "my/own", 0, 0, 1, 9 },
	{ ENTER, "java/monitor_enter", 1, 1, 1, 11 },
};

static const struct {
	uint32_t id;
	const char *name;
	uint8_t key;
	uint32_t layout;
} contents[] = {
	{ UTF, "UTFConstant", U8, 0 }, { THREAD, "Thread", U4, 1 },
	{ STATE, "ThreadState", U1, 1 }, { TYPE, "FrameType", U1, 1 },
	{ CLASS, "Class", U8, 2 }, { METHOD, "Method", U8, 3 },
	{ STACK, "StackTrace", U8, 5 },
};

static void put_struct(const struct field fields[5])
{
	unsigned n = 0;

	while (n < 5 && fields[n].name)
		n++;
	be(n, 4);
	for (unsigned i = 0; i < n; i++) {
		utf(fields[i].name);
		utf("");
		utf("");
		be(0, 1);
		be(fields[i].type, 1);
		be(fields[i].content, 4);
		be(fields[i].index, 4);
		be(0, 4);
	}
}

/* A tick is a millisecond here, the first one is 1000. */
static void put_metadata(void)
{
	meta_at = chunk.size;
	be_at(8, meta_at, 8);
	begin(0);
	be(1, 4);
	be(1, 4);
	utf("Test");
	utf("");
	utf("http://x/");
	be(0, 4);
	be(FL_COUNT(structs), 4);
	for (size_t i = 0; i < FL_COUNT(structs); i++)
		put_struct(structs[i]);
	be(FL_COUNT(events), 4);
	for (size_t i = 0; i < FL_COUNT(events); i++) {
		be(events[i].id, 4);
		utf("");
		utf("");
		utf(events[i].path);
		be(events[i].start, 1);
		be(events[i].thread, 1);
		be(events[i].stack, 1);
		be(0, 1);
		be(events[i].layout, 4);
		be(0, 4);
	}
	be(FL_COUNT(contents), 4);
	for (size_t i = 0; i < FL_COUNT(contents); i++) {
		be(contents[i].id, 4);
		utf(contents[i].name);
		utf("");
		be(contents[i].key, 1);
		be(contents[i].layout, 4);
	}
	be(5000, 8);
	be(9000, 8);
	be(1000, 8);
	be(1000, 8);
	be(0, 8);
	end();
}

static void put_sample(int64_t ticks, uint64_t stack, uint8_t state)
{
	begin(SAMPLE);
	be(ticks, 8);
	be(77, 4);
	be(stack, 8);
	be(state, 1);
	end();
}

/* Start, thread and stack as all others have them. */
static void put_head(uint32_t type, int64_t start, int64_t ticks)
{
	begin(type);
	be(ticks, 8);
	if (start)
		be(start, 8);
	be(77, 4);
	be(1, 8);
}

static void put_texts(uint32_t content, unsigned key_size,
		      const char *const texts[], unsigned n)
{
	be(content, 4);
	be(n, 4);
	for (unsigned i = 0; i < n; i++) {
		be(i + 1, key_size);
		utf(texts[i]);
	}
}

/* Class 1 and its method 1, called by method 2; class 2 is an array. */
static void put_checkpoint(int64_t ticks, const char *class,
			   const char *fifth_type)
{
	const char *const names[] = { class, "leaf", "root", "[[I" };
	const char *const types[] = { "Interpreted", "JIT compiled",
				      "Inlined", "Native", fifth_type };
	const char *const states[] = { "STATE_RUNNABLE", "STATE_SLEEPING" };

	begin(1);
	be(ticks, 8);
	be(0, 8);
	put_texts(UTF, 8, names, 4);
	put_texts(TYPE, 1, types, 5);
	put_texts(STATE, 1, states, 2);
	be(THREAD, 4);
	be(1, 4);
	be(77, 4);
	utf("main");
	be(CLASS, 4);
	be(2, 4);
	for (unsigned i = 1; i <= 2; i++) {
		be(i, 8);
		be(0, 8);
		be(i == 1 ? 1 : 4, 8);
	}
	be(METHOD, 4);
	be(2, 4);
	for (unsigned i = 1; i <= 2; i++) {
		be(i, 8);
		be(1, 8);
		be(i + 1, 8);
		be(0, 8);
	}
	be(STACK, 4);
	be(1, 4);
	be(1, 8);
	be(0, 1);
	be(2, 4);
	be(1, 8);
	be(42, 4);
	be(4, 1);
	be(2, 8);
	be(0, 4);
	be(1, 1);
	end();
}

static void put_header(void)
{
	fl_buf_put(&chunk, "FLR\0\0\0\0\x09", 8);
	be(0, 8);
}

static void keep_warning(void *arg, const char *line)
{
	(void)arg;
	snprintf(warning, sizeof(warning), "%s", line);
}

static void start(void)
{
	flame = flame_new();
	cr_assert(flame);
	warning[0] = '\0';
	flame_on_warning(flame, keep_warning, NULL);
	put_header();
}

static void stop(void)
{
	flame_free(flame);
	fl_buf_free(&chunk);
	fl_buf_free(&lines);
}

TestSuite(jfr_v0, .init = start, .fini = stop);

/* Reading it --------------------------------------------------------- */

static struct flame_source *open_chunk(void)
{
	struct flame_source *source = flame_open_memory(
		flame, chunk.data, chunk.size, "v0.jfr", "jfr");

	cr_assert(source, "%s", flame_error(flame));
	return source;
}

static void put_stack(flame_id stack)
{
	if (!stack)
		return;
	put_stack(flame_stack_parent(flame, stack));
	if (flame_stack_parent(flame, stack))
		fl_buf_byte(&lines, ';');
	fl_buf_text(&lines, flame_name_text(flame, flame_frame_of(flame,
		    flame_stack_frame(flame, stack))->name, NULL));
}

/* All samples, a line each: "metric stack weight". */
static const char *read_all(struct flame_source *source)
{
	struct flame_sample sample;
	int status;

	lines.size = 0;
	fl_buf_text(&lines, "");
	while ((status = flame_next(source, &sample)) == FLAME_OK) {
		fl_buf_text(&lines, flame_metric_of(flame,
						    sample.metric)->name);
		fl_buf_byte(&lines, ' ');
		put_stack(sample.stack);
		fl_buf_byte(&lines, ' ');
		fl_buf_number(&lines, sample.weight);
		fl_buf_byte(&lines, '\n');
	}
	cr_assert_eq(status, FLAME_END, "%s", flame_error(flame));
	flame_close(source);
	return lines.data ? lines.data : "";
}

static const char *read_with(const char *option, const char *value)
{
	struct flame_source *source = open_chunk();

	/* Tests read the chunk several times. */
	cr_assert_eq(flame_ask(source, "overlap", "keep"), FLAME_OK);
	cr_assert_eq(flame_ask(source, option, value), FLAME_OK);
	return read_all(source);
}

Test(jfr_v0, stacks_are_written_leaf_first)
{
	put_sample(1100, 1, 1);
	put_checkpoint(2000, "p/C", "x");
	put_metadata();
	cr_expect_str_eq(read_all(open_chunk()), "cpu p/C.root;p/C.leaf 1\n");
	cr_expect_str_eq(warning, "");
}

Test(jfr_v0, an_id_means_what_the_next_checkpoint_says)
{
	put_sample(1100, 1, 1);
	put_checkpoint(2000, "p/Old", "x");
	put_sample(1900, 1, 1);
	put_sample(2100, 1, 1);
	put_checkpoint(3000, "p/New", "x");
	put_metadata();
	cr_expect_str_eq(read_all(open_chunk()),
			 "cpu p/Old.root;p/Old.leaf 1\n"
			 "cpu p/Old.root;p/Old.leaf 1\n"
			 "cpu p/New.root;p/New.leaf 1\n");
}

Test(jfr_v0, what_comes_after_the_last_checkpoint_has_no_stack)
{
	put_checkpoint(2000, "p/C", "x");
	put_sample(2001, 1, 1);
	put_metadata();
	cr_expect_str_eq(read_all(open_chunk()), "");
	cr_expect_eq(flame_metric_of(flame, 1)->no_stack, 1);
}

/* However the samples go on: a file that is read ahead keeps them. */
Test(jfr_v0, what_is_not_taken_beside_cpu_is_not_told_of)
{
	struct flame_source *source;

	flame_on_remark(flame, keep_warning, NULL);
	put_sample(1100, 1, 1);
	put_checkpoint(2000, "p/C", "x");
	put_head(ALLOC, 0, 2100);
	be(1, 8);
	be(24, 8);
	be(4096, 8);
	end();
	put_metadata();
	source = open_chunk();
	source->select.choose = true;
	cr_expect_str_eq(read_all(source), "cpu p/C.root;p/C.leaf 1\n");
	cr_expect_str_eq(warning, "");
}

Test(jfr_v0, symbols_of_async_profiler_stand_alone)
{
	put_sample(1100, 1, 1);
	put_checkpoint(2000, "libc.so", "Kernel");
	put_metadata();
	cr_expect_str_eq(read_all(open_chunk()), "cpu libc.so.root;leaf 1\n");
}

Test(jfr_v0, runnable_is_wall_only_where_there_are_other_states)
{
	put_sample(1100, 1, 1);
	put_sample(1100, 1, 2);
	put_checkpoint(2000, "p/C", "Kernel");
	put_metadata();
	cr_expect_str_eq(read_all(open_chunk()), "wall p/C.root;leaf 1\n"
			 "wall p/C.root;leaf 1\n");
}

Test(jfr_v0, an_allocation_ends_in_its_class)
{
	put_head(ALLOC, 0, 1100);
	be(1, 8);
	be(24, 8);
	be(4096, 8);
	end();
	put_head(OUTSIDE, 0, 1100);
	be(2, 8);
	be(9999, 8);
	end();
	put_checkpoint(2000, "p/C", "x");
	put_metadata();
	cr_expect_str_eq(read_with("total", NULL),
			 "alloc p/C.root;p/C.leaf;p.C 4096\n"
			 "alloc p/C.root;p/C.leaf;int[][] 9999\n");
	cr_expect_str_eq(read_with("event", "ObjectAllocationOutsideTLAB"),
			 "jdk.ObjectAllocationOutsideTLAB "
			 "p/C.root;p/C.leaf 1\n");
}

Test(jfr_v0, a_lock_weighs_its_nanoseconds)
{
	put_head(ENTER, 1100, 1103);
	be(1, 8);
	end();
	put_checkpoint(2000, "p/C", "x");
	put_metadata();
	cr_expect_str_eq(read_with("total", NULL),
			 "lock p/C.root;p/C.leaf;p.C 3000000\n");
}

Test(jfr_v0, an_event_goes_by_todays_name_and_by_its_own)
{
	put_head(READ, 1100, 1200);
	be(5, 8);
	end();
	put_checkpoint(2000, "p/C", "x");
	put_metadata();
	cr_expect_str_eq(read_with("event", "socket"),
			 "socket p/C.root;p/C.leaf 1\n");
	cr_expect_str_eq(read_with("event", "jdk.SocketRead"),
			 "jdk.SocketRead p/C.root;p/C.leaf 1\n");
	cr_expect_str_eq(read_with("event", "http://x/java/socket_read"),
			 "http://x/java/socket_read p/C.root;p/C.leaf 1\n");
}

Test(jfr_v0, an_event_of_nobodys_keeps_its_uri)
{
	begin(OWN);
	be(1100, 8);
	be(1, 8);
	be(0, 8);
	end();
	put_checkpoint(2000, "p/C", "x");
	put_metadata();
	cr_expect_str_eq(read_all(open_chunk()),
			 "http://x/my/own p/C.root;p/C.leaf 1\n");
}

Test(jfr_v0, lines_are_appended_where_they_are_known)
{
	put_sample(1100, 1, 1);
	put_checkpoint(2000, "p/C", "x");
	put_metadata();
	cr_expect_str_eq(read_with("lines", NULL),
			 "cpu p/C.root;p/C.leaf:42 1\n");
}

Test(jfr_v0, a_sample_has_its_time_and_thread)
{
	struct flame_source *source;
	struct flame_sample sample;

	put_sample(1100, 1, 1);
	put_checkpoint(2000, "p/C", "x");
	put_metadata();
	source = open_chunk();
	source->select.needs = FL_NEED_TIME | FL_NEED_THREAD;
	cr_assert_eq(flame_next(source, &sample), FLAME_OK);
	cr_expect_eq(sample.time, INT64_C(5100000000));
	cr_expect_str_eq(flame_name_text(flame, flame_frame_of(flame,
			 fl_thread_frame(flame, sample.thread))->name, NULL),
			 "[main tid=77]");
	cr_expect_eq(source->start, INT64_C(5000000000));
	cr_expect_eq(source->end, INT64_C(9000000000));
	flame_close(source);
}

Test(jfr_v0, from_leaves_out_what_is_earlier)
{
	put_sample(1100, 1, 1);
	put_sample(1300, 1, 1);
	put_checkpoint(2000, "p/C", "x");
	put_metadata();
	cr_expect_str_eq(read_with("from", "200ms"),
			 "cpu p/C.root;p/C.leaf 1\n");
}

/* Damage ------------------------------------------------------------- */

static const uint8_t *bytes(void)
{
	return (const uint8_t *)chunk.data;
}

Test(jfr_v0, a_chunk_is_whole_with_the_end_of_its_metadata)
{
	put_sample(1100, 1, 1);
	put_checkpoint(2000, "p/C", "x");
	put_metadata();
	for (size_t n = 0; n < chunk.size; n++)
		cr_assert_eq(fl_jfr_v0_size(bytes(), n), 0, "%zu", n);
	cr_expect_eq(fl_jfr_v0_size(bytes(), chunk.size), chunk.size);
}

Test(jfr_v0, metadata_that_moved_a_little_are_found)
{
	put_sample(1100, 1, 1);
	put_checkpoint(2000, "p/C", "x");
	put_metadata();
	be_at(8, meta_at + 1, 8);
	cr_expect_eq(fl_jfr_v0_size(bytes(), chunk.size), chunk.size);
	cr_expect_str_eq(read_all(open_chunk()), "cpu p/C.root;p/C.leaf 1\n");
	cr_expect_neq(warning[0], '\0');
}

Test(jfr_v0, events_go_on_behind_a_broken_one)
{
	size_t broken;

	put_sample(1100, 1, 1);
	put_sample(1200, 1, 1);
	broken = event_at;
	for (unsigned i = 0; i < 3; i++)
		put_sample(1300, 1, 1);
	put_checkpoint(2000, "p/C", "x");
	put_metadata();
	for (unsigned size = 0; size < 8; size++) {
		struct flame_source *source = open_chunk();

		be_at(broken, size ? size : 0x7fffffff, 4);
		read_all(source);
		cr_expect_eq(lines.size, 4 * strlen("cpu p/C.root;p/C.leaf 1\n"));
		cr_expect(strstr(warning, "29 bytes lost"), "%s", warning);
	}
}

Test(jfr_v0, a_checkpoint_of_unknown_constants_ends_there)
{
	put_sample(1100, 1, 1);
	put_checkpoint(2000, "p/C", "x");
	begin(1);
	be(1000, 8);
	be(0, 8);
	be(4711, 4);
	be(UINT32_MAX, 4);
	end();
	put_metadata();
	cr_expect_str_eq(read_all(open_chunk()), "cpu p/C.root;p/C.leaf 1\n");
	cr_expect(strstr(warning, "checkpoint"), "%s", warning);
}

Test(jfr_v0, any_byte_may_be_anything)
{
	static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xff };

	put_sample(1100, 1, 1);
	put_head(ALLOC, 0, 1100);
	be(1, 8);
	be(24, 8);
	be(4096, 8);
	end();
	put_checkpoint(2000, "p/C", "Kernel");
	put_metadata();
	for (size_t i = 8; i < chunk.size; i++) {
		char was = chunk.data[i];

		for (size_t j = 0; j < FL_COUNT(values); j++) {
			flame_free(flame);
			flame = flame_new();
			chunk.data[i] = (char)values[j];
			read_all(open_chunk());
		}
		chunk.data[i] = was;
	}
}
