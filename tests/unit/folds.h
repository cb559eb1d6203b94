/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For tests of readers: what a small text is as folded stacks, and that a cut
 * never adds what was not there.
 */
#ifndef TESTS_FOLDS_H
#define TESTS_FOLDS_H

#include "format/formats.h"
#include "said.h"

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
	sink->picked = true;	/* all metrics in one sum */
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

#endif
