/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Members of tar archives as inputs.
 */
#include "fl.h"

#include "flow/flow.h"

#include <criterion/criterion.h>
#include <stdio.h>

enum { BLOCK = 512 };

static struct flame *flame;
static struct fl_buf tar, out, heard, warned;

static int write_out(void *arg, const void *data, size_t size)
{
	fl_buf_put(arg, data, size);
	return 0;
}

static void on_warning(void *arg, const char *line)
{
	fl_buf_print(arg, "%s\n", line);
}

static void start(void)
{
	flame = flame_new();
	flame_on_warning(flame, on_warning, &warned);
}

static void stop(void)
{
	flame_free(flame);
	fl_buf_free(&tar);
	fl_buf_free(&out);
	fl_buf_free(&heard);
	fl_buf_free(&warned);
}

TestSuite(archive, .init = start, .fini = stop);

static const char *text_of(struct fl_buf *buf)
{
	fl_buf_byte(buf, '\0');
	buf->size--;
	return buf->data;
}

static void seal(char *head)
{
	unsigned sum = 0;

	memset(head + 148, ' ', 8);
	for (size_t i = 0; i < BLOCK; i++)
		sum += (unsigned char)head[i];
	snprintf(head + 148, 8, "%06o", sum);
}

static void put(char type, const char *name, const char *content, size_t size)
{
	char head[BLOCK] = "";
	static const char zeros[BLOCK];

	snprintf(head, 100, "%s", name);
	snprintf(head + 124, 12, "%011zo", size);
	head[156] = type;
	memcpy(head + 257, "ustar\00000", 8);
	seal(head);
	fl_buf_put(&tar, head, sizeof(head));
	fl_buf_put(&tar, content, size);
	fl_buf_put(&tar, zeros, -size % BLOCK);
}

static void file(const char *name, const char *content)
{
	put('0', name, content, strlen(content));
}

static struct flame_source *open_tar(size_t size)
{
	struct flame_source *source = flame_open_memory(flame, tar.data, size,
							"x", NULL);

	cr_assert_not_null(source, "%s", flame_error(flame));
	cr_assert_str_eq(flame_source_format(source), "tar");
	return source;
}

/* The folded text of all members. */
static const char *fold(size_t size)
{
	struct flame_source *source = open_tar(size);
	struct flame_sink *sink = flame_create_callback(flame, "folded",
							write_out, &out);

	cr_assert_eq(flame_pump(source, sink), FLAME_OK, "%s",
		     flame_error(flame));
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	flame_close(source);
	return text_of(&out);
}

static int on_member(void *arg, const char *name, struct flame_source *source,
		     int status)
{
	fl_buf_print(arg, "%s %s\n", name, status == FLAME_OK ? "open" :
		     status == FLAME_END ? "read" : source ? "bad" : "closed");
	return status == FLAME_FAILED ? flame_clear(flame) : FLAME_OK;
}

Test(archive, members_are_inputs_in_turn)
{
	file("./a", "a;b 3\n");
	put('5', "folder/", "", 0);
	file("folder/b", "a;c 4\na;b 1\n");
	flame_on_member(flame, on_member, &heard);
	cr_assert_str_eq(fold(tar.size), "a;b 4\na;c 4\n");
	cr_assert_str_eq(text_of(&heard), "x/a open\nx/a read\n"
			 "x/folder/b open\nx/folder/b read\n");
	cr_assert_eq(warned.size, 0);
}

Test(archive, next_gives_the_samples_of_all_members)
{
	struct flame_source *source;
	struct flame_sample sample;
	int64_t sum = 0;
	int status;

	file("a", "a;b 3\n");
	file("b", "a;c 4\n");
	source = open_tar(tar.size);
	while ((status = flame_next(source, &sample)) == FLAME_OK)
		sum += sample.weight;
	cr_assert_eq(status, FLAME_END);
	cr_assert_eq(sum, 7);
	cr_assert_eq(flame_source_damage(source), FLAME_NONE_LOST);
	flame_close(source);
}

Test(archive, one_that_is_left_early_is_closed)
{
	struct flame_sample sample;
	struct flame_source *source;

	file("a", "a;b 3\na;c 4\n");
	source = open_tar(tar.size);
	cr_assert_eq(flame_next(source, &sample), FLAME_OK);
	flame_close(source);
}

Test(archive, long_names_come_before_their_member)
{
	char name[200], record[300];

	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	put('L', "././@LongLink", name, sizeof(name));
	file("cut", "a 1\n");
	snprintf(record, sizeof(record), "217 path=%s/pax1234\n", name);
	put('x', "PaxHeaders/0", record, 217);
	file("cut", "a 2\n");
	put('g', "pax_global_header", "18 comment=123456\n", 18);
	file("short", "a 3\n");
	flame_on_member(flame, on_member, &heard);
	cr_assert_str_eq(fold(tar.size), "a 6\n");
	snprintf(record, sizeof(record), "x/%s open\n", name);
	cr_assert_not_null(strstr(text_of(&heard), record));
	snprintf(record, sizeof(record), "x/%s/pax", name);
	cr_assert_not_null(strstr(heard.data, record), "%s", heard.data);
	cr_assert_not_null(strstr(heard.data, "x/short read\n"));
}

Test(archive, sizes_may_be_of_pax_or_of_base_256)
{
	char *head;

	put('x', "PaxHeaders/0", "10 size=4\n", 10);
	file("pax", "a 1\n");
	memset(tar.data + 1024 + 124, '0', 11);
	seal(tar.data + 1024);
	file("gnu", "a 2\n");
	head = tar.data + 2048;
	memset(head + 124, 0, 12);
	head[124] = (char)0x80;
	head[135] = 4;
	seal(head);
	cr_assert_str_eq(fold(tar.size), "a 3\n");
}

Test(archive, too_large_sizes_are_cut_archives)
{
	char *head;

	file("a", "a 2\n");
	head = tar.data;
	memset(head + 124, 0xff, 12);
	seal(head);
	cr_assert_str_eq(fold(tar.size), "");
	cr_assert_str_eq(text_of(&warned),
			 "x: the archive has no size at byte 0\n");
}

Test(archive, names_may_have_a_prefix)
{
	file("b", "a 2\n");
	memcpy(tar.data + 345, "far/away", 8);
	seal(tar.data);
	flame_on_member(flame, on_member, &heard);
	fold(tar.size);
	cr_assert_str_eq(text_of(&heard),
			 "x/far/away/b open\nx/far/away/b read\n");
}

Test(archive, what_is_no_profile_is_left_out)
{
	file("a", "a 2\n");
	file("noise", "\1\2\3");
	file("b", "a 3\n");
	cr_assert_str_eq(fold(tar.size), "a 5\n");
	cr_assert_not_null(strstr(text_of(&warned), "x/noise: not a profile"));
}

Test(archive, a_listener_hears_of_what_is_no_profile)
{
	file("noise", "\1\2\3");
	file("b", "a 3\n");
	flame_on_member(flame, on_member, &heard);
	cr_assert_str_eq(fold(tar.size), "a 3\n");
	cr_assert_str_eq(text_of(&heard),
			 "x/noise closed\nx/b open\nx/b read\n");
	cr_assert_eq(warned.size, 0);
}

Test(archive, a_pax_record_that_is_not_a_line_is_skipped)
{
	put('x', "PaxHeaders/0", "7 path=", 7);
	memcpy(tar.data + BLOCK + 7, "padding", 7);
	file("b", "a 3\n");
	flame_on_member(flame, on_member, &heard);
	cr_assert_str_eq(fold(tar.size), "a 3\n");
	cr_assert_str_eq(text_of(&heard), "x/b open\nx/b read\n");
}

Test(archive, an_extended_header_is_not_of_the_next_extended_header)
{
	static const char record[] = "9 size=4\n12 path=xyz\n";
	char *head;

	put('x', "PaxHeaders/0", record, strlen(record));
	put('g', "pax_global_header", "18 comment=123456\n", 18);
	put('K', "././@LongLink", "", 1);
	file("cut", "a 3\n");
	head = tar.data + tar.size - 2 * BLOCK;
	memset(head + 124, '0', 11);
	seal(head);
	flame_on_member(flame, on_member, &heard);
	cr_assert_str_eq(fold(tar.size), "a 3\n");
	cr_assert_str_eq(text_of(&heard), "x/xyz open\nx/xyz read\n");
}

/* As GNU tar -V writes it: no magic, no size. */
Test(archive, a_volume_label_may_begin_an_archive)
{
	for (int i = 0; i < 2; i++) {
		put('V', "label", "", 0);
		memset(tar.data + tar.size - BLOCK + 124, 0, 12);
		memset(tar.data + tar.size - BLOCK + 257, 0, 8);
		seal(tar.data + tar.size - BLOCK);
		file("a", "a 2\n");
	}
	cr_assert_str_eq(fold(tar.size), "a 4\n");
	cr_assert_eq(warned.size, 0);
}

Test(archive, the_rest_of_a_split_file_is_counted)
{
	put('M', "split", "a 9\n", 4);
	file("b", "a 3\n");
	cr_assert_str_eq(fold(tar.size), "a 3\n");
	cr_assert_str_eq(text_of(&warned), "x: 1 links, sparse or split files "
			 "in it are skipped\n");
}

Test(archive, a_hard_link_may_have_its_data)
{
	put('1', "hard", "a 9\n", 4);
	file("b", "a 3\n");
	put('1', "hard", "", 0);
	memcpy(tar.data + tar.size - BLOCK + 124, "00000000004", 11);
	seal(tar.data + tar.size - BLOCK);
	file("c", "a 2\n");
	cr_assert_str_eq(fold(tar.size), "a 5\n");
	cr_assert_str_eq(text_of(&warned), "x: 2 links, sparse or split files "
			 "in it are skipped\n");
}

Test(archive, links_and_sparse_files_are_counted)
{
	put('1', "hard", "", 0);
	put('2', "symbolic", "", 0);
	put('S', "sparse", "a 9\n", 4);
	put('x', "PaxHeaders/0", "22 GNU.sparse.major=1\n", 22);
	file("sparse", "a 9\n");
	file("b", "a 3\n");
	cr_assert_str_eq(fold(tar.size), "a 3\n");
	cr_assert_str_eq(text_of(&warned), "x: 4 links, sparse or split files "
			 "in it are skipped\n");
}

Test(archive, an_archive_in_an_archive_is_not_read)
{
	struct fl_buf inner;

	file("a", "a 2\n");
	inner = tar;
	tar = (struct fl_buf){ 0 };
	put('0', "inner.tar", inner.data, inner.size);
	file("b", "a 3\n");
	cr_assert_str_eq(fold(tar.size), "a 3\n");
	cr_assert_not_null(strstr(text_of(&warned), "archive inside an archive"));
	fl_buf_free(&inner);
}

Test(archive, what_it_is_asked_for_is_asked_of_members)
{
	struct flame_source *source;

	file("a", "a 2\n");
	source = open_tar(tar.size);
	cr_assert_eq(flame_ask(source, "event", "cpu"), FLAME_OK);
	cr_assert_eq(flame_ask(source, "total", NULL), FLAME_OK);
	cr_assert_eq(flame_ask(source, "nothing", "x"), FLAME_FAILED);
	flame_clear(flame);
	cr_assert_eq(flame_ask(source, "from", "rubbish"), FLAME_FAILED);
	flame_close(source);
}

Test(archive, cut_anywhere_it_ends_there)
{
	file("a", "a;b 3\n");
	put('x', "PaxHeaders/0", "17 path=some/pax\n", 17);
	file("b", "a;c 4\n");
	for (size_t n = BLOCK; n <= tar.size; n++) {
		out.size = 0;
		fold(n);
		if (n >= BLOCK + 6)
			cr_assert_not_null(strstr(out.data, "a;b 3"), "%zu",
					   n);
	}
}

Test(archive, a_checksum_may_be_of_signed_bytes)
{
	struct flame_source *source;
	char *head;
	unsigned sum = 0;

	file("\xc3\xa4", "a 2\n");
	head = tar.data;
	memset(head + 148, ' ', 8);
	for (size_t i = 0; i < BLOCK; i++)
		sum += (unsigned)(signed char)head[i];
	snprintf(head + 148, 8, "%06o", sum);
	cr_assert_str_eq(fold(tar.size), "a 2\n");
	head[0]++;
	source = flame_open_memory(flame, tar.data, tar.size, "x", "folded");
	cr_assert_str_eq(flame_source_format(source), "folded");
	flame_close(source);
}
