/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Readers of JSON: what comes out of small documents, what is told of odd
 * ones, and that a cut never gives what was not there.
 */
#include "fl.h"

#include "format/format.h"
#include "said.h"

TestSuite(speedscope, .init = start, .fini = stop);

/* Folded, with an option or not. */
static const char *fold(const char *format, const char *text, size_t size,
			const char *option)
{
	struct flame_source *source =
		flame_open_memory(flame, text, size, "in", NULL);
	struct flame_sink *sink;

	cr_assert(source, "%s", flame_error(flame));
	cr_expect_str_eq(flame_source_format(source), format);
	if (option)
		cr_assert_eq(flame_ask(source, option, NULL), FLAME_OK);
	out.size = said.size = 0;
	fl_buf_text(&out, "");
	fl_buf_text(&said, "");
	sink = fl_format_folded.create(flame, fl_out_memory(flame, &out));
	cr_assert(sink);
	cr_assert_eq(flame_pump(source, sink), FLAME_OK, "%s",
		     flame_error(flame));
	flame_close(source);
	cr_assert_eq(flame_finish(sink), FLAME_OK, "%s", flame_error(flame));
	return out.data;
}

#define FOLDS(format, text, option, expected)				\
	do {								\
		const char *is = fold(format, text, strlen(text), option); \
									\
		cr_expect_str_eq(is, expected, "is\n%snot\n%s", is,	\
				 expected);				\
	} while (0)

#define TELLS(text) cr_expect_str_eq(said.data, text, "is\n%s", said.data)

/*
 * Every cut of a text is read without an error and, from a size on, as its
 * format; what comes out is a part of what comes out of all of it.
 */
static void cut_everywhere(const char *format, const char *text)
{
	const struct fl_format *row = fl_format_named(flame, format, false);

	for (size_t n = 0; n < strlen(text); n++) {
		struct flame_source *source =
			flame_open_memory(flame, text, n, "in", row->name);
		struct flame_sample sample;
		int status;

		cr_assert(source, "%s", flame_error(flame));
		do
			status = flame_next(source, &sample);
		while (status == FLAME_OK);
		cr_expect_eq(status, FLAME_END, "%s: %zu: %s", format, n,
			     flame_error(flame));
		flame_close(source);
	}
}

/* speedscope ----------------------------------------------------------- */

#define SPEEDSCOPE(frames, profile) \
	"{\"shared\":{\"frames\":[" frames "]},\"profiles\":[{" profile "}]}"

#define THREE "{\"name\":\"a\"},{\"name\":\"b\"},{\"name\":\"c\"}"

Test(speedscope, samples_are_counted)
{
	static const char text[] = SPEEDSCOPE(THREE,
		"\"type\":\"sampled\",\"unit\":\"seconds\","
		"\"samples\":[[0,1],[0,2],[0,1]],"
		"\"weights\":[0.01,0.01,0.01]");

	FOLDS("speedscope", text, NULL, "a;b 2\na;c 1\n");
	FOLDS("speedscope", text, "total", "a;b 20000000\na;c 10000000\n");
	TELLS("");
}

Test(speedscope, weights_that_differ_are_times)
{
	FOLDS("speedscope", SPEEDSCOPE(THREE,
		"\"type\":\"sampled\",\"unit\":\"milliseconds\","
		"\"samples\":[[0],[1]],\"weights\":[1.5,0.000001]"), NULL,
	      "a 1500000\nb 1\n");
}

Test(speedscope, weights_may_come_first)
{
	FOLDS("speedscope", "{\"profiles\":[{\"type\":\"sampled\","
		"\"weights\":[2,3],\"samples\":[[0],[0,1]],"
		"\"unit\":\"none\"}],\"shared\":{\"frames\":[" THREE "]}}",
	      NULL, "a 2\na;b 3\n");
}

Test(speedscope, time_between_events_is_the_innermost_frame_s)
{
	FOLDS("speedscope", SPEEDSCOPE(THREE,
		"\"type\":\"evented\",\"unit\":\"nanoseconds\",\"events\":["
		"{\"type\":\"O\",\"frame\":0,\"at\":5},"
		"{\"type\":\"O\",\"frame\":1,\"at\":7},"
		"{\"type\":\"C\",\"frame\":1,\"at\":10},"
		"{\"type\":\"C\",\"frame\":0,\"at\":11}]"), NULL,
	      "a 3\na;b 3\n");
}

Test(speedscope, frames_that_are_not_there_cost_their_stacks)
{
	FOLDS("speedscope", SPEEDSCOPE(THREE,
		"\"type\":\"sampled\",\"unit\":\"none\","
		"\"samples\":[[0],[3],[0,-1],4],\"weights\":[1,1,1,1]"), NULL,
	      "a 1\n");
	TELLS("in: 3 records left out, the first at line 1: a stack with "
	      "something else than numbers of frames\n");
}

Test(speedscope, a_weight_that_does_not_fit_is_told)
{
	FOLDS("speedscope", SPEEDSCOPE(THREE,
		"\"type\":\"sampled\",\"unit\":\"none\","
		"\"samples\":[[0],[1]],\"weights\":[1e400,7]"), NULL,
	      "b 7\n");
	TELLS("in: 1 records left out, the first at line 1: a weight that is "
	      "no number, or too large\n");
}

Test(speedscope, cuts_are_told)
{
	static const char text[] = SPEEDSCOPE(THREE,
		"\"type\":\"sampled\",\"unit\":\"none\","
		"\"samples\":[[0],[1]],\"weights\":[1,7]");

	fold("speedscope", text, sizeof(text) - 3, NULL);
	cr_expect_str_eq(out.data, "a 1\nb 7\n");
	TELLS("in: line 1, byte 142: the input ends within a value; what "
	      "comes before it is read\n");
	cut_everywhere("speedscope", text);
}
