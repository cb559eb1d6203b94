/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tests of the filter room share: samples go in and come out as
 * lines of folded text.
 */
#ifndef TEST_FILTER_H
#define TEST_FILTER_H

#include "fl.h"

#include "filter/filter.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

/* A sink that writes what it gets, line by line, as it comes --------- */

static struct flame *flame;
static struct fl_buf out;
static int64_t total;

static void start(void)
{
	flame = flame_new();
	cr_assert(flame);
	total = 0;
}

static void stop(void)
{
	flame_free(flame);
	fl_buf_free(&out);
}

static const char *const letters[] = {
	[FLAME_UNKNOWN] = "", [FLAME_INTERPRETED] = "0", [FLAME_JIT] = "j",
	[FLAME_INLINED] = "i", [FLAME_NATIVE] = "n", [FLAME_CPP] = "+",
	[FLAME_KERNEL] = "k", [FLAME_C1] = "1", [FLAME_JAVA_NATIVE] = "J",
	[FLAME_GROUP] = "g", [FLAME_WAKER] = "w"
};

static void write_stack(flame_id stack)
{
	flame_id path[64];
	size_t n = 0;

	for (; stack; stack = flame_stack_parent(flame, stack))
		path[n++] = flame_stack_frame(flame, stack);
	while (n--) {
		const struct flame_frame *f = flame_frame_of(flame, path[n]);

		fl_buf_text(&out, flame_name_text(flame, f->name, NULL));
		if (*letters[f->type])
			fl_buf_print(&out, "_[%s]", letters[f->type]);
		fl_buf_text(&out, n ? ";" : "");
	}
}

static int put(struct flame_sink *sink, const struct flame_sample *s)
{
	(void)sink;
	write_stack(s->stack);
	fl_buf_print(&out, " %lld\n", (long long)s->weight);
	total += s->weight;
	return FLAME_OK;
}

static inline struct flame_sink *collector(void)
{
	struct flame_sink *sink = fl_sink_new(flame, NULL, 0);

	sink->put = put;
	return sink;
}

/* "name_[j]"; _[c] is a class on top of an allocation's stack. */
static flame_id frame_of(const char *text, size_t size)
{
	struct flame_frame f = { 0 };

	if (size > 4 && text[size - 1] == ']' && text[size - 4] == '_' &&
	    text[size - 3] == '[') {
		char letter = text[size - 2];

		for (unsigned i = 0; i < FL_COUNT(letters); i++)
			if (*letters[i] && *letters[i] == letter)
				f.type = (enum flame_type)i;
		if (letter == 'c') {
			f.type = FLAME_INLINED;
			f.file = fl_name(flame, "<class>");
		}
		size -= 4;
	}
	f.name = flame_name(flame, text, size);
	return flame_frame(flame, &f);
}

static flame_id stack_of(const char *text)
{
	flame_id stack = 0;

	while (*text) {
		size_t size = strcspn(text, ";");

		stack = flame_stack(flame, stack, frame_of(text, size));
		text += size + (text[size] == ';');
	}
	return stack;
}

static void send_to(struct flame_sink *sink, const char *stack,
		    int64_t weight)
{
	struct flame_sample s = {
		.stack = stack_of(stack), .time = FLAME_NOTIME,
		.weight = weight,
	};

	cr_assert_eq(flame_put(sink, &s), FLAME_OK);
}

/* The stack that one sample of weight 1 comes out at; "" if it does not. */
static inline const char *through(const char *name, const char *arg,
			   const char *stack)
{
	struct flame_sink *sink = flame_filter(collector(), name, arg);

	cr_assert(sink, "%s", flame_error(flame));
	out.size = 0;
	fl_buf_text(&out, "");
	send_to(sink, stack, 1);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	return out.data;
}

#define GIVES(name, arg, stack, expected)				\
	cr_expect_str_eq(through(name, arg, stack), expected,		\
			 "--%s of %s\n  is   %s\n  not  %s", name,	\
			 stack, through(name, arg, stack), expected)

static inline void send_with(struct flame_sink *sink, flame_id thread,
		      flame_id labels)
{
	struct flame_sample s = {
		.stack = stack_of("a;b"), .time = FLAME_NOTIME, .weight = 1,
		.thread = thread, .labels = labels,
	};

	cr_assert_eq(flame_put(sink, &s), FLAME_OK);
}

#endif
