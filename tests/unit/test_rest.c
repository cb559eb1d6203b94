/* SPDX-License-Identifier: Apache-2.0 */
/* Of folded stacks in a file, pictures need not all be read. */
#include <criterion/criterion.h>

#include "flow/flow.h"
#include "format/format.h"
#include "tree/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* What was drawn, and how much of it was never read. */
struct drawn {
	struct fl_buf svg;
	size_t stacks, unread;
};

static uint32_t draw(uint64_t *state, uint32_t below)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33) % below;
}

/* Stacks that part from few at many places; names may be of several types. */
static void write_stacks(struct fl_buf *text, unsigned n, unsigned names,
			 bool types)
{
	static const char *const suffixes[] = { "", "_[j]", "_[i]", "_[0]" };
	uint64_t state = names;

	for (unsigned i = 0; i < n; i++) {
		uint64_t known = draw(&state, 8);
		unsigned part = draw(&state, 12), deep = part;

		deep += draw(&state, 20);
		for (unsigned k = 0; k <= deep; k++)
			fl_buf_print(text, "%sorg/of/A.method%u%s",
				     k ? ";" : "",
				     k <= part ? draw(&known, 9) + 9 * k :
						 draw(&state, names),
				     types ? suffixes[draw(&state, 4)] : "");
		fl_buf_print(text, " %u\n", draw(&state, 50));
	}
	cr_assert_not(text->failed);
}

static void pump(struct flame *flame, struct flame_source *source,
		 struct drawn *drawn)
{
	struct fl_out *out = fl_out_memory(flame, &drawn->svg);
	struct flame_sink *sink = fl_format_svg.create(flame, out);

	cr_assert(source && sink, "%s", flame_error(flame));
	cr_assert_eq(flame_pump(source, sink), FLAME_OK);
	for (struct fl_deferred *rest = sink->rests->first; rest;
	     rest = rest->next)
		drawn->unread += rest->count;
	flame_close(source);
	cr_assert_eq(flame_finish(sink), FLAME_OK, "%s", flame_error(flame));
	drawn->stacks = flame->stacks.count;
}

static struct drawn of_memory(const struct fl_buf *text)
{
	struct flame *flame = flame_new();
	struct drawn drawn = { { 0 }, 0, 0 };

	pump(flame,
	     flame_open_memory(flame, text->data, text->size, "it", "folded"),
	     &drawn);
	flame_free(flame);
	return drawn;
}

static struct drawn of_file(const struct fl_buf *text, unsigned threads)
{
	char path[] = "/tmp/test_rest.XXXXXX";
	struct flame *flame = flame_new();
	struct drawn drawn = { { 0 }, 0, 0 };
	int fd = mkstemp(path);

	cr_assert_eq(write(fd, text->data, text->size), (ssize_t)text->size);
	close(fd);
	flame_threads(flame, threads);
	pump(flame, flame_open(flame, path, "folded"), &drawn);
	flame_free(flame);
	unlink(path);
	return drawn;
}

static void same(const struct fl_buf *text, bool some, bool most)
{
	struct drawn whole = of_memory(text);

	cr_assert_eq(whole.unread, 0);
	for (unsigned threads = 1; threads <= 3; threads++) {
		struct drawn lazy = of_file(text, threads);

		cr_assert_eq(lazy.svg.size, whole.svg.size);
		cr_assert_arr_eq(lazy.svg.data, whole.svg.data, whole.svg.size);
		cr_assert_eq(lazy.unread > 0, some);
		cr_assert(!most || lazy.stacks < whole.stacks / 2, "%zu of %zu",
			  lazy.stacks, whole.stacks);
		fl_buf_free(&lazy.svg);
	}
	fl_buf_free(&whole.svg);
}

Test(rest, what_is_too_light_is_not_read)
{
	struct fl_buf text = { 0 };

	write_stacks(&text, 60000, 3000, false);
	same(&text, true, true);
	fl_buf_free(&text);
}

Test(rest, frames_of_one_name_are_one_node)
{
	struct fl_buf text = { 0 };

	write_stacks(&text, 30000, 300, true);
	same(&text, true, false);
	fl_buf_free(&text);
}

Test(rest, what_is_there_again_is_kept_once)
{
	struct fl_buf once = { 0 }, text = { 0 };
	struct drawn one, ten;

	write_stacks(&once, 30000, 3000, false);
	for (unsigned i = 0; i < 10; i++)
		fl_buf_put(&text, once.data, once.size);
	one = of_file(&once, 1);
	ten = of_file(&text, 1);
	cr_assert(ten.unread <= one.unread);
	fl_buf_free(&one.svg);
	fl_buf_free(&ten.svg);
	same(&text, true, false);
	fl_buf_free(&once);
	fl_buf_free(&text);
}

/* Frames that hold a ';', bytes that are blanks, weights of nothing. */
Test(rest, odd_ends_are_read)
{
	struct fl_buf text = { 0 };

	fl_buf_text(&text, "heavy 99999999\n");
	for (unsigned i = 0; i < 200; i++)
		fl_buf_print(&text, "a;b%u;f(int;b);x 1\na;b%u;<c;d>;x 2\n"
			     "a;b%u;\1;;x y 3\na;b%u;p;q;r;s;t;u 0\n"
			     "a;b%u;Lx/Y;::run 1\na;b%u;process 1:\"a; b\" 2\n"
			     "a;b%u;[unknown];v_[j] 3\n",
			     i, i, i, i, i, i, i);
	same(&text, true, false);
	fl_buf_free(&text);
}

/* Where all is heavy, reading goes on as if nothing could be left. */
Test(rest, nothing_is_kept_where_that_is_no_use)
{
	struct fl_buf text = { 0 };

	for (unsigned i = 0; i < 100000; i++)
		fl_buf_print(&text, "a;b%u;c%u 10\n", i % 50, i % 7);
	same(&text, false, false);
	fl_buf_free(&text);
}
