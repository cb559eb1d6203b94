/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For tests of readers: a dictionary, what comes out, and what is said, in
 * warnings and remarks a line each.  start and stop are a suite's.
 */
#ifndef TESTS_SAID_H
#define TESTS_SAID_H

#include <criterion/criterion.h>

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
}

static void stop(void)
{
	flame_free(flame);
	fl_buf_free(&out);
	fl_buf_free(&said);
}

#endif
