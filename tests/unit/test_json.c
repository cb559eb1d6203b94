/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parser of JSON by itself: tokens, texts, numbers, and what is not JSON.
 */
#include "fl.h"

#include "io/json.h"
#include "said.h"

#include <stdio.h>
#include <stdlib.h>

TestSuite(json, .init = start, .fini = stop);

static const char *const marks[] = {
	[FL_JSON_END] = ".", [FL_JSON_FAILED] = "!", [FL_JSON_OBJECT] = "{",
	[FL_JSON_OBJECT_END] = "}", [FL_JSON_ARRAY] = "[",
	[FL_JSON_ARRAY_END] = "]", [FL_JSON_KEY] = "k", [FL_JSON_STRING] = "s",
	[FL_JSON_NUMBER] = "n", [FL_JSON_TRUE] = "t", [FL_JSON_FALSE] = "f",
	[FL_JSON_NULL] = "0",
};

/* Its tokens, a mark each, with texts in < and > and then the error. */
static const char *tokens_of(const char *text, size_t size)
{
	struct fl_json json;
	enum fl_json_token token;

	fl_json_init_memory(&json, text, size);
	out.size = 0;
	do {
		token = fl_json_next(&json);
		fl_buf_text(&out, marks[token]);
		if (token >= FL_JSON_KEY && token <= FL_JSON_NUMBER) {
			fl_buf_byte(&out, '<');
			fl_buf_put(&out, json.text.data, json.text.size);
			fl_buf_byte(&out, '>');
		}
	} while (token > FL_JSON_FAILED);
	if (json.error)
		fl_buf_print(&out, " %s", json.error);
	fl_json_free(&json);
	return out.data;
}

#define TOKENS(text, expected) \
	cr_expect_str_eq(tokens_of(text, sizeof(text) - 1), expected, \
			 "%s: %s", text, out.data)

Test(json, values_are_tokens)
{
	TOKENS("", ".");
	TOKENS(" \n", ".");
	TOKENS("{}", "{}.");
	TOKENS("[1, -2.5e+3,true,false,null,\"x\"]",
	       "[n<1>n<-2.5e+3>tf0s<x>].");
	TOKENS("{\"a\":{\"b\":[]},\"c\":1}", "{k<a>{k<b>[]}k<c>n<1>}.");
	TOKENS("\xef\xbb\xbf{}", "{}.");
	TOKENS("[NaN,Infinity,-Infinity]",
	       "[n<NaN>n<Infinity>n<-Infinity>].");
}

Test(json, documents_may_follow_one_another)
{
	TOKENS("{}[]\n{\"a\":1}", "{}[]{k<a>n<1>}.");
	TOKENS("\x1e{}\n\x1e[]\n", "{}[].");
}

Test(json, a_key_may_be_there_twice)
{
	TOKENS("{\"a\":1,\"a\":2}", "{k<a>n<1>k<a>n<2>}.");
}

Test(json, a_comma_may_be_before_the_end)
{
	TOKENS("[1,]", "[n<1>].");
	TOKENS("{\"a\":1,}", "{k<a>n<1>}.");
}

Test(json, escapes_are_undone)
{
	TOKENS("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "s<\"\\/\b\f\n\r\t>.");
	TOKENS("\"\\u0041\\u00e9\\u20AC\"", "s<A\xc3\xa9\xe2\x82\xac>.");
	TOKENS("\"\\ud83d\\ude00\"", "s<\xf0\x9f\x98\x80>.");
	TOKENS("\"\\x\"", "! an escape that JSON does not have");
	TOKENS("\"\\u12g4\"", "! \\u without four hexadecimal digits");
}

Test(json, lone_surrogates_and_bad_bytes_are_replaced)
{
	TOKENS("\"a\\ud83d\"", "s<a\xef\xbf\xbd>.");
	TOKENS("\"\\ude00b\"", "s<\xef\xbf\xbd""b>.");
	TOKENS("\"\\ud83d\\u0041\"", "s<\xef\xbf\xbd""A>.");
	TOKENS("\"\xff\xc3\"", "s<\xef\xbf\xbd\xef\xbf\xbd>.");
	TOKENS("\"\xc3\xa9\"", "s<\xc3\xa9>.");
}

Test(json, errors_are_told)
{
	TOKENS("[1 2]", "[n<1>! a comma or ] is missing");
	TOKENS("{\"a\" 1}", "{k<a>! a colon is missing");
	TOKENS("{1:2}", "{! a key is missing");
	TOKENS("[}", "[! a byte that begins no value");
	TOKENS("[truth]", "[! a word that JSON does not have");
	TOKENS("[1.e]", "[! a word that JSON does not have");
	TOKENS("[1", "[! the input ends within a value");
	TOKENS("{\"a", "{! the input ends within a value");
}

Test(json, every_cut_is_an_end_and_not_a_value)
{
	static const char text[] =
		"{\"a\":[1,22,\"x\\u00e9\\ud83d\\ude00\",true],\"b\":null}";

	for (size_t n = 1; n < sizeof(text) - 1; n++) {
		tokens_of(text, n);
		cr_expect(strstr(out.data,
				 "! the input ends within a value"),
			  "%zu: %s", n, out.data);
	}
}

Test(json, long_numbers_are_errors)
{
	char text[2000];

	memset(text, '1', sizeof(text));
	tokens_of(text, sizeof(text));
	cr_expect_str_eq(out.data, "! a number of more than 1024 bytes");
}

Test(json, a_million_levels_are_an_error)
{
	size_t n = 1000000;
	char *text = malloc(n);
	struct fl_json json;

	cr_assert(text);
	memset(text, '[', n);
	fl_json_init_memory(&json, text, n);
	while (fl_json_next(&json) == FL_JSON_ARRAY)
		;
	cr_expect_eq(json.depth, FL_JSON_MAX_DEPTH);
	cr_expect_str_eq(json.error, "more than 262144 levels of nesting");
	fl_json_free(&json);
	/* Who skips them need not count them on a stack. */
	fl_json_init_memory(&json, text, n);
	fl_json_next(&json);
	cr_expect_not(fl_json_skip(&json));
	cr_expect(json.cut);
	fl_json_free(&json);
	free(text);
}

static int64_t decimal(const char *text, int places)
{
	int64_t n = -77;

	return fl_parse_decimal((struct slice){ text, strlen(text) }, places,
				&n) ? n : -1000;
}

Test(json, numbers_are_scaled_without_a_double)
{
	cr_expect_eq(decimal("9223372036854775807", 0), INT64_MAX);
	cr_expect_eq(decimal("1763683577123456.789", 3),
		     1763683577123456789);
	cr_expect_eq(decimal("0.0105", 3), 11);
	cr_expect_eq(decimal("1.5e2", 0), 150);
	cr_expect_eq(decimal("-2.5", 0), -3);
	cr_expect_eq(decimal("1e-400", 9), 0);
	cr_expect_eq(decimal("1e400", 0), -1000);
	cr_expect_eq(decimal("0e400", 0), 0);
	cr_expect_eq(decimal("1e99999999999999999999", 0), -1000);
	cr_expect_eq(decimal("9223372036854775808", 0), -1000);
	cr_expect_eq(decimal("NaN", 3), -1000);
	cr_expect_eq(decimal("", 0), -1000);
	cr_expect_eq(decimal("12x", 0), -1000);
}

Test(json, values_are_skipped_whole)
{
	static const char text[] =
		"{\"a\":{\"x\":[1,\"]\\\"}\",{}]},\"b\":[[],[2]],\"c\":3}";
	struct fl_json json;
	int64_t n = 0;

	fl_json_init_memory(&json, text, sizeof(text) - 1);
	cr_assert(fl_json_enter_object(&json));
	cr_assert(fl_json_key(&json));
	cr_assert(fl_json_skip(&json));
	cr_assert(fl_json_key(&json));
	cr_assert(fl_json_enter_array(&json));
	cr_assert(fl_json_skip(&json));
	cr_assert(fl_json_key(&json));
	cr_expect(fl_json_is(&json, "c"));
	cr_assert(fl_json_integer(&json, &n));
	cr_expect_eq(n, 3);
	cr_expect_not(fl_json_key(&json));
	cr_expect_eq(fl_json_next(&json), FL_JSON_END);
	fl_json_free(&json);
}

Test(json, arrays_of_integers_are_read_at_once)
{
	static const char text[] =
		"[0,1, 22,4294967294,4294967295,-1,1.5,\"x\",null,[7]]";
	const uint32_t expected[] = {
		0, 1, 22, 4294967294, FL_JSON_NO_INTEGER, FL_JSON_NO_INTEGER,
		FL_JSON_NO_INTEGER, FL_JSON_NO_INTEGER, FL_JSON_NO_INTEGER,
		FL_JSON_NO_INTEGER
	};
	struct fl_json_integers a = { NULL, 0, 0 };
	struct fl_json json;

	fl_json_init_memory(&json, text, sizeof(text) - 1);
	cr_assert_eq(fl_json_next(&json), FL_JSON_ARRAY);
	cr_assert(fl_json_integers(&json, &a));
	cr_assert_eq(a.count, FL_COUNT(expected));
	for (size_t i = 0; i < a.count; i++)
		cr_expect_eq(a.data[i], expected[i], "%zu", i);
	fl_free(a.data);
	fl_json_free(&json);
}

Test(json, what_begins_as_json_is_told)
{
	static const char *const yes[] = {
		"{", "{\"a\":1}", "[1,2]", "[{\"ph\":\"B\"}", " \n[\"x\",1",
		"[]", "{}", "[[1]]"
	};
	static const char *const no[] = {
		"", "a;b 1", "[1] main;f 3", "{a;b 1", "[unknown];f 3",
		"[libc.so.6] 7", "[\"a\";b 3", "{\"a\";b 3", "[2] 7"
	};

	for (size_t i = 0; i < FL_COUNT(yes); i++)
		cr_expect(fl_json_begins(yes[i], strlen(yes[i])), "%s",
			  yes[i]);
	for (size_t i = 0; i < FL_COUNT(no); i++)
		cr_expect_not(fl_json_begins(no[i], strlen(no[i])), "%s",
			      no[i]);
}
