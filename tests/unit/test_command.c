/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inputs that a command prints.
 */
#include "fl.h"

#include "remote/command.h"
#include "io/io.h"

#include <criterion/criterion.h>
#include <unistd.h>

static struct flame *flame;

static void start(void)
{
	flame = flame_new();
}

static void stop(void)
{
	flame_free(flame);
}

TestSuite(command, .init = start, .fini = stop);

Test(command, words_of_a_command_are_divided_at_blanks)
{
	struct fl_in *in;
	const uint8_t *at;
	size_t n;

	cr_assert_eq(flame_process_fetch(flame,
				 " printf  '%s,' \"a 'b\" {}x c\\ d ''"),
		     FLAME_OK);
	in = fl_in_open(flame, "p q");
	cr_assert_not_null(in, "%s", flame_error(flame));
	at = fl_in_peek(in, 100, &n);
	cr_assert_eq(n, strlen("a 'b,p qx,c d,,"));
	cr_assert_eq(memcmp(at, "a 'b,p qx,c d,,", n), 0);
	cr_assert_null(fl_in_damage(in));
	fl_in_close(in);
}

Test(command, a_prepared_command_runs_once)
{
	struct fl_in *in;
	size_t n;

	flame_process_fetch(flame, "sh -c 'echo x >> $1; cat $1' sh {}");
	unlink("/tmp/test_command.txt");
	for (int i = 0; i < 3; i++)
		flame_fetch_early(flame, "/tmp/test_command.txt");
	in = fl_in_open(flame, "/tmp/test_command.txt");
	cr_assert_not_null(in);
	fl_in_peek(in, 100, &n);
	cr_assert_eq(n, 2);
	fl_in_close(in);
	unlink("/tmp/test_command.txt");
}

Test(command, without_a_place_for_the_path_it_is_refused)
{
	cr_assert_eq(flame_process_fetch(flame, "cat"), FLAME_FAILED);
	cr_assert_not(fl_command_fetches("a"));
	cr_assert_eq(flame_process_fetch(flame, "cat {}"), FLAME_OK);
	cr_assert(fl_command_fetches("a"));
	cr_assert_not(fl_command_fetches("-"));
	cr_assert_eq(flame_process_fetch(flame, ""), FLAME_OK);
	cr_assert_not(fl_command_fetches("a"));
}

Test(command, one_that_is_not_there_is_an_error)
{
	flame_process_fetch(flame, "/nowhere/at/all {}");
	cr_assert_null(fl_in_open(flame, "a"));
	cr_assert(strstr(flame_error(flame), "a: /nowhere/at/all {}: "));
}

Test(command, what_was_read_is_skipped_when_it_runs_again)
{
	struct fl_in *in;
	const uint8_t *at;
	size_t n;

	unlink("/tmp/test_command.txt");
	flame_process_fetch(flame, "sh -c 'printf abc; [ -e $1 ] || { : > $1; exit 3; }"
			   "; printf def; rm $1' sh {}");
	in = fl_in_open(flame, "/tmp/test_command.txt");
	cr_assert_not_null(in);
	at = fl_in_peek(in, 100, &n);
	cr_assert_eq(n, 6);
	cr_assert_eq(memcmp(at, "abcdef", 6), 0);
	cr_assert_null(fl_in_damage(in));
	fl_in_close(in);
}

Test(command, one_that_fails_twice_is_damage)
{
	struct fl_in *in;
	size_t n;

	flame_process_fetch(flame, "sh -c 'printf abc; exit 4' {}");
	in = fl_in_open(flame, "x");
	cr_assert_not_null(in);
	fl_in_peek(in, 100, &n);
	cr_assert_eq(n, 3);
	cr_assert(strstr(fl_in_damage(in), "exit status 4"));
	fl_in_close(in);
}
