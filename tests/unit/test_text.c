/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines in and text out, as programs outside the library see them.
 */
#include "fl.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

static struct flame *flame;
static char path[] = "/tmp/flame-text-XXXXXX";
static char warning[256];

static void on_warning(void *arg, const char *line)
{
	(void)arg;
	snprintf(warning, sizeof(warning), "%s", line);
}

static void start(void)
{
	int fd = mkstemp(path);

	cr_assert(fd >= 0);
	close(fd);
	flame = flame_new();
	cr_assert(flame);
	flame_on_warning(flame, on_warning, NULL);
}

static void stop(void)
{
	unlink(path);
	flame_free(flame);
}

TestSuite(lines, .init = start, .fini = stop);
TestSuite(text, .init = start, .fini = stop);

static void write_file(const void *at, size_t size)
{
	FILE *file = fopen(path, "wb");

	cr_assert(file && fwrite(at, 1, size, file) == size);
	cr_assert_eq(fclose(file), 0);
}

/* The file's lines, each in brackets. */
static const char *read_lines(void)
{
	static struct fl_buf out;
	struct flame_lines *lines = flame_lines_open(flame, path);
	const char *line;
	size_t size;
	int status;

	cr_assert(lines, "%s", flame_error(flame));
	out.size = 0;
	fl_buf_text(&out, "");
	while ((status = flame_lines_next(lines, &line, &size)) == FLAME_OK) {
		fl_buf_byte(&out, '[');
		fl_buf_put(&out, line, size);
		fl_buf_byte(&out, ']');
	}
	cr_assert_eq(status, FLAME_END);
	flame_lines_close(lines);
	return out.data;
}

#define READ(text, wanted)						\
	do {								\
		write_file(text, sizeof(text) - 1);			\
		cr_assert_str_eq(read_lines(), wanted);			\
	} while (0)

Test(lines, come_without_their_ends)
{
	READ("a\nb\r\n\n c \n", "[a][b][][ c ]");
}

Test(lines, the_last_needs_no_end)
{
	READ("a\nb", "[a][b]");
}

Test(lines, of_an_empty_file_are_none)
{
	READ("", "");
}

Test(lines, may_be_longer_than_a_block)
{
	size_t size = 3 << 20;
	char *text = malloc(size + 3);
	const char *read;

	cr_assert(text);
	memset(text, 'x', size);
	memcpy(text + size, "\ny\n", 3);
	write_file(text, size + 3);
	read = read_lines();
	cr_assert_eq(strlen(read), size + 2 + 3);
	cr_assert_str_eq(read + size + 2, "[y]");
	free(text);
}

static size_t pack(const char *text, unsigned char *out, size_t room)
{
	z_stream z = { .next_in = (Bytef *)(uintptr_t)text,
		       .avail_in = strlen(text),
		       .next_out = out, .avail_out = room };

	cr_assert_eq(deflateInit2(&z, 6, Z_DEFLATED, 31, 8,
				  Z_DEFAULT_STRATEGY), Z_OK);
	cr_assert_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return z.total_out;
}

Test(lines, are_unpacked)
{
	unsigned char packed[100];

	write_file(packed, pack("a\nb\n", packed, sizeof(packed)));
	cr_assert_str_eq(read_lines(), "[a][b]");
	cr_assert_eq(flame_warnings(flame), 0);
}

Test(lines, of_a_cut_input_come_with_a_warning)
{
	unsigned char packed[100];

	write_file(packed, pack("a\nb\n", packed, sizeof(packed)) - 8);
	cr_assert_str_eq(read_lines(), "[a][b]");
	cr_assert_eq(flame_warnings(flame), 1);
	cr_assert(strstr(warning, path));
}

Test(lines, that_were_cut_are_none)
{
	unsigned char packed[2000];
	char text[1000];
	const char *read;
	size_t n;

	/* Digits that do not pack well. */
	for (uint32_t i = 0; i < 999; i++)
		text[i] = i % 10 == 9 ? '\n' :
			  '0' + (i * 2654435761u >> 20) % 10;
	text[999] = '\0';
	n = pack(text, packed, sizeof(packed));
	write_file(packed, n / 2);
	read = read_lines();
	cr_assert_gt(strlen(read), 11);
	cr_assert_eq(strlen(read) % 11, 0, "%s", read);
	cr_assert_eq(flame_warnings(flame), 1);
}

Test(lines, of_no_file_fail)
{
	unlink(path);
	cr_assert_null(flame_lines_open(flame, path));
	cr_assert(strstr(flame_error(flame), path));
}

Test(text, appears_when_it_is_finished)
{
	struct flame_text *text = flame_text_create(flame, path);

	cr_assert(text);
	cr_assert_eq(flame_text_put(text, "a\n", 2), FLAME_OK);
	cr_assert_eq(flame_text_put(text, "b\n", 2), FLAME_OK);
	cr_assert_str_eq(read_lines(), "");
	cr_assert_eq(flame_text_finish(text), FLAME_OK);
	cr_assert_str_eq(read_lines(), "[a][b]");
}

Test(text, that_is_abandoned_leaves_the_file)
{
	struct flame_text *text;

	write_file("old\n", 4);
	text = flame_text_create(flame, path);
	cr_assert(text);
	flame_text_put(text, "new\n", 4);
	flame_text_abandon(text);
	flame_text_abandon(NULL);
	cr_assert_str_eq(read_lines(), "[old]");
}

Test(text, into_no_folder_fails)
{
	cr_assert_null(flame_text_create(flame, "/nowhere/at/all"));
	cr_assert(strstr(flame_error(flame), "/nowhere/at/all"));
}

static const char *visible(const char *text, size_t capacity)
{
	static char to[64];

	memset(to, 'x', sizeof(to));
	flame_visible(to, capacity, text, strlen(text));
	return to;
}

Test(visible, hidden_characters_are_named)
{
	cr_expect_str_eq(visible("a\u202eb", 64), "a<U+202E>b");
	cr_expect_str_eq(visible("a\xc2\x9b" "31m", 64), "a<U+009B>31m");
	cr_expect_str_eq(visible("\u200d\ufeff", 64), "<U+200D><U+FEFF>");
	cr_expect_str_eq(visible("caf\u00e9 \u65e5", 64), "caf\u00e9 \u65e5");
}

Test(visible, controls_are_blanks_and_other_bytes_question_marks)
{
	cr_expect_str_eq(visible("a\033[1m\n\tb\x7f", 64), "a [1m  b ");
	cr_expect_str_eq(visible("a\xff\xc3", 64), "a??");
}

static const char *hidden(const char *text, bool whole)
{
	static char to[200];

	snprintf(to, sizeof(to), "%s", text);
	flame_hide_secrets(to, whole);
	return to;
}

Test(secrets, urls_have_no_user_password_or_query)
{
	cr_expect_str_eq(hidden("http://u:pw@h:1/x?token=T&a#f", true),
			 "http://h:1/x");
	cr_expect_str_eq(hidden("http://u:p/w@h/x", true), "http://h/x");
	cr_expect_str_eq(hidden("a: http://u@h/x?k=T: no, s3a://b/k?T.", false),
			 "a: http://h/x: no, s3a://b/k.");
	cr_expect_str_eq(hidden("http://u:pw", true), "http://");
	cr_expect_str_eq(hidden("http://h:80", true), "http://h:80");
	cr_expect_str_eq(hidden("ftp://u:pw@h/x?T y", true), "ftp://h/x");
	cr_expect_str_eq(hidden("file:///a?b", true), "file:///a?b");
	cr_expect_str_eq(hidden("a?b://", true), "a?b://");
	cr_expect_str_eq(hidden("abfss://c@a.net/x?sig=S", true),
			 "abfss://c@a.net/x");
}

Test(border, inputs_without_a_path_or_bytes_are_errors)
{
	struct flame *f = flame_new();

	cr_expect_null(flame_open(f, NULL, NULL));
	cr_expect_null(flame_open(NULL, "x", NULL));
	cr_expect_null(flame_open_memory(f, NULL, 10, "x", NULL));
	flame_free(f);
}

Test(visible, cells_of_tables_are_no_formulas)
{
	char to[64];

	cr_expect_eq(flame_tsv_cell(to, 64, "=A\t1", 4), 5);
	cr_expect_str_eq(to, "'=A 1");
	flame_tsv_cell(to, 64, "\t@x", 3);
	cr_expect_str_eq(to, "' @x");
	flame_tsv_cell(to, 64, "a=1", 3);
	cr_expect_str_eq(to, "a=1");
	cr_expect_eq(flame_tsv_cell(to, 64, "", 0), 0);
	cr_expect_eq(flame_tsv_cell(NULL, 0, "-1", 2), 3);
}

Test(visible, text_that_does_not_fit_is_cut_between_characters)
{
	cr_expect_str_eq(visible("a\u202eb", 9), "a");
	cr_expect_str_eq(visible("a\u202eb", 10), "a<U+202E>");
	cr_expect_eq(flame_visible(NULL, 0, "a\u202eb", 5), 10);
}
