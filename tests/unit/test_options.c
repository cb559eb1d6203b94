/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options as rows: values by kind, copies, and what every row of the library
 * must have.
 */
#include "fl.h"

#include "draw/page.h"
#include "format/format.h"

#include <criterion/criterion.h>
#include <stdio.h>

struct values {
	bool flag, either;
	char *text, *lines;
	enum { WORD_UNSET, WORD_ONE, WORD_TWO, WORD_THREE } word;
	int64_t count, duration;
	double number, ratio;
	struct fl_regex *regex, *regexes;
};

#define AT(member) .offset = offsetof(struct values, member)

static const struct fl_option rows[] = {
	{ "flag", NULL, "", FL_OPTION_FLAG, AT(flag) },
	{ "either", "yes|no", "", FL_OPTION_EITHER, AT(either) },
	{ "text", "TEXT", "", FL_OPTION_TEXT, AT(text) },
	{ "lines", "TEXT", "", FL_OPTION_LINES, AT(lines), .least = 1 },
	{ "word", "one|two|three", "", FL_OPTION_WORD, AT(word),
	  .first = WORD_ONE },
	{ "count", "N", "", FL_OPTION_COUNT, AT(count) },
	{ "number", "N", "", FL_OPTION_NUMBER, AT(number), .least = 4 },
	{ "ratio", "R", "", FL_OPTION_RATIO, AT(ratio), .most = 1 },
	{ "duration", "T", "", FL_OPTION_DURATION, AT(duration) },
	{ "regex", "RE", "", FL_OPTION_REGEX, AT(regex) },
	{ "regexes", "RE", "", FL_OPTION_REGEXES, AT(regexes) },
	{ .name = NULL }
};

static const struct values defaults = { .duration = -1, .ratio = 0.1 };

static const struct fl_option_table table = {
	.rows = rows, .size = sizeof(struct values), .defaults = &defaults,
};

static struct flame *flame;
static struct values *values;

static void start(void)
{
	flame = flame_new();
	values = fl_options_new(&table);
	cr_assert(flame && values);
}

static void stop(void)
{
	fl_options_free(&table, values);
	flame_free(flame);
}

TestSuite(options, .init = start, .fini = stop);

static int set(const char *name, const char *value)
{
	const struct fl_option *row = fl_option_find(&table, name);

	cr_assert(row, "%s", name);
	return fl_option_set(flame, row, values, value);
}

static void refused(const char *name, const char *value, const char *message)
{
	cr_expect_eq(set(name, value), FLAME_FAILED, "--%s %s", name, value);
	cr_expect_str_eq(flame_error(flame), message);
	flame_clear(flame);
}

Test(options, begin_as_their_defaults)
{
	cr_expect_eq(values->duration, -1);
	cr_expect_float_eq(values->ratio, 0.1, 1e-9);
	cr_expect_not(values->flag);
	cr_expect_null(values->text);
}

Test(options, are_set_by_kind)
{
	cr_expect_eq(set("flag", NULL), FLAME_OK);
	cr_expect_eq(set("either", "yes"), FLAME_OK);
	cr_expect_eq(set("text", "a"), FLAME_OK);
	cr_expect_eq(set("text", "b"), FLAME_OK);
	cr_expect_eq(set("word", "three"), FLAME_OK);
	cr_expect_eq(set("count", "12"), FLAME_OK);
	cr_expect_eq(set("number", "4.5"), FLAME_OK);
	cr_expect_eq(set("duration", "5us"), FLAME_OK);
	cr_expect(values->flag && values->either);
	cr_expect_str_eq(values->text, "b");
	cr_expect_eq(values->word, WORD_THREE);
	cr_expect_eq(values->count, 12);
	cr_expect_float_eq(values->number, 4.5, 1e-9);
	cr_expect_eq(values->duration, 5000);
	cr_expect_eq(set("either", "no"), FLAME_OK);
	cr_expect_not(values->either);
}

Test(options, ratios_are_shares_or_percent)
{
	cr_expect_eq(set("ratio", "25%"), FLAME_OK);
	cr_expect_float_eq(values->ratio, 0.25, 1e-9);
	cr_expect_eq(set("ratio", "0.5"), FLAME_OK);
	cr_expect_float_eq(values->ratio, 0.5, 1e-9);
}

Test(options, given_again_lines_and_expressions_add_up)
{
	cr_expect_eq(set("lines", "a"), FLAME_OK);
	cr_expect_eq(set("lines", "b"), FLAME_OK);
	cr_expect_str_eq(values->lines, "a\nb");
	cr_expect_eq(set("regexes", "x"), FLAME_OK);
	cr_expect_eq(set("regexes", "y|z"), FLAME_OK);
	cr_expect(fl_regex_match(values->regexes, "x", 1));
	cr_expect(fl_regex_match(values->regexes, "z", 1));
	cr_expect_not(fl_regex_match(values->regexes, "w", 1));
	cr_expect_eq(set("regex", "x"), FLAME_OK);
	cr_expect_eq(set("regex", "y"), FLAME_OK);
	cr_expect_not(fl_regex_match(values->regex, "x", 1));
}

Test(options, refused_values_are_named_with_the_reason)
{
	refused("text", NULL, "--text : a value is missing");
	refused("lines", "", "--lines : a name is missing");
	refused("word", "four", "--word four: one, two or three");
	refused("either", "maybe", "--either maybe: yes or no");
	refused("count", "-1", "--count -1: a number, 0 or more");
	refused("number", "3", "--number 3: a number, 4 or more");
	refused("number", "wide", "--number wide: a number, 4 or more");
	refused("ratio", "7", "--ratio 7: a ratio up to 1, as 0.1 or 10%");
	refused("ratio", "%", "--ratio %: a ratio, as 0.1 or 10%");
	refused("duration", "-5", "--duration -5: a duration, as 50 (ms), "
		"10ms, 5us, 1s");
}

Test(options, refused_values_change_nothing)
{
	cr_expect_eq(set("regexes", "x"), FLAME_OK);
	cr_expect_eq(set("regexes", "("), FLAME_FAILED);
	flame_clear(flame);
	cr_expect_eq(set("word", "four"), FLAME_FAILED);
	flame_clear(flame);
	cr_expect_eq(set("ratio", "2"), FLAME_FAILED);
	cr_expect_float_eq(values->ratio, 0.1, 1e-9);
	cr_expect_eq(values->word, WORD_UNSET);
	cr_expect(fl_regex_match(values->regexes, "x", 1));
}

Test(options, a_copy_shares_nothing)
{
	struct values *copy = fl_options_new(&table);

	cr_expect_eq(set("text", "a"), FLAME_OK);
	cr_expect_eq(set("lines", "b"), FLAME_OK);
	cr_expect_eq(set("regexes", "x"), FLAME_OK);
	cr_expect_eq(set("regexes", "y"), FLAME_OK);
	cr_expect_eq(set("count", "7"), FLAME_OK);
	cr_assert(fl_options_copy(flame, &table, copy, values));
	cr_expect(copy->text != values->text);
	cr_expect(copy->regexes != values->regexes);
	fl_options_clear(&table, values);
	cr_expect_null(values->text);
	cr_expect_str_eq(copy->text, "a");
	cr_expect_str_eq(copy->lines, "b");
	cr_expect_eq(copy->count, 7);
	cr_expect(fl_regex_match(copy->regexes, "y", 1));
	fl_options_free(&table, copy);
}

/* Rows ------------------------------------------------------------------ */

static void check_table(const char *owner, const struct fl_option_table *t)
{
	for (const struct fl_option *row = t ? t->rows : NULL;
	     row && row->name; row++) {
		bool flag = row->kind == FL_OPTION_FLAG;

		cr_expect_lt(row->offset, t->size, "%s: %s", owner, row->name);
		cr_expect_eq(!row->argument, flag, "%s: %s", owner, row->name);
		cr_expect(row->summary || row->scope == FL_SCOPE_HIDDEN,
			  "%s: %s", owner, row->name);
		cr_expect_eq(fl_option_find(t, row->name), row, "%s: %s twice",
			     owner, row->name);
	}
}

Test(options, of_sources_have_all_that_a_row_needs)
{
	check_table("all sources", &fl_select_table);
	for (size_t i = 0; fl_formats[i]; i++)
		check_table(fl_formats[i]->name, fl_formats[i]->options);
}

Test(options, of_pages_have_all_that_a_row_needs)
{
	check_table("pages", &fl_page_table);
}

/* --help shows the first row of a name: the others must say the same. */
Test(options, of_one_name_are_alike_in_all_formats)
{
	for (size_t i = 0; fl_formats[i]; i++)
		for (size_t j = 0; j < i; j++) {
			const struct fl_option_table *t =
				fl_formats[j]->options;
			const struct fl_option *row = fl_formats[i]->options ?
				fl_formats[i]->options->rows : NULL, *other;

			for (; row && row->name; row++) {
				other = fl_option_find(t, row->name);
				if (!other)
					continue;
				cr_expect_eq(other->kind, row->kind);
				cr_expect_eq(other->scope, row->scope);
				cr_expect(!row->summary ||
					  !strcmp(other->summary,
						  row->summary));
			}
		}
}

Test(options, a_row_of_the_list_comes_once)
{
	struct flame_row a, b;

	for (unsigned i = 0; flame_rows('s', i, &a); i++)
		for (unsigned j = 0; j < i; j++) {
			cr_assert_eq(flame_rows('s', j, &b), 1);
			cr_expect_str_neq(a.name, b.name);
		}
}
