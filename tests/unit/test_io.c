/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The io room: inputs, decoders, outputs.
 */
#include "fl.h"

#include "remote/hadoop_token.h"
#include "io/io.h"
#include "io/screen.h"
#include "remote/protocol.h"
#include "remote/url.h"

#include <bzlib.h>
#include <criterion/criterion.h>
#include <fcntl.h>
#include <inttypes.h>
#include <lz4.h>
#include <lz4frame.h>
#include <lzma.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

/* Making things -------------------------------------------------------- */

static struct flame *flame;
static char folder[64], warning[200];

static void keep_warning(void *arg, const char *line)
{
	(void)arg;
	snprintf(warning, sizeof(warning), "%s", line);
}

static void start(void)
{
	flame = flame_new();
	warning[0] = '\0';
	flame_on_warning(flame, keep_warning, NULL);
	strcpy(folder, "/tmp/test_io.XXXXXX");
	cr_assert_not_null(mkdtemp(folder));
	cr_assert_eq(chdir(folder), 0);
}

static void stop(void)
{
	char command[100];

	flame_free(flame);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	cr_assert_eq(system(command), 0);
}

TestSuite(inputs, .init = start, .fini = stop);
TestSuite(decoders, .init = start, .fini = stop);
TestSuite(outputs, .init = start, .fini = stop);

static void write_file(const char *path, const void *at, size_t size)
{
	FILE *file = fopen(path, "w");

	cr_assert_not_null(file);
	cr_assert_eq(fwrite(at, 1, size, file), size);
	fclose(file);
}

static void expect_file(const char *path, const char *text)
{
	char got[200];
	FILE *file = fopen(path, "r");
	size_t n;

	cr_assert_not_null(file, "%s", path);
	n = fread(got, 1, sizeof(got) - 1, file);
	got[n] = '\0';
	fclose(file);
	cr_expect_str_eq(got, text);
}

/* Text that packs, but not too well, and is never the same. */
static struct fl_buf make_text(size_t size)
{
	struct fl_buf buf = { 0 };
	uint64_t x = 1;

	while (buf.size < size) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		fl_buf_print(&buf, "java/lang/Thread.run;a%x;b%x 1\n",
			     (unsigned)(x >> 40) % 100,
			     (unsigned)(x >> 50));
	}
	buf.size = size;
	return buf;
}

static struct fl_buf gzip(const char *at, size_t size)
{
	struct fl_buf out = { 0 };
	z_stream z = { 0 };
	char piece[4096];
	int code;

	deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
	z.next_in = (Bytef *)at;
	z.avail_in = (uInt)size;
	do {
		z.next_out = (Bytef *)piece;
		z.avail_out = sizeof(piece);
		code = deflate(&z, Z_FINISH);
		fl_buf_put(&out, piece, sizeof(piece) - z.avail_out);
	} while (code != Z_STREAM_END);
	deflateEnd(&z);
	return out;
}

static struct fl_buf made(size_t room)
{
	struct fl_buf out = { .capacity = room };

	out.data = malloc(room);
	return out;
}

static struct fl_buf zstd(const char *at, size_t size)
{
	struct fl_buf out = made(ZSTD_compressBound(size));

	out.size = ZSTD_compress(out.data, out.capacity, at, size, 3);
	return out;
}

static struct fl_buf lz4(const char *at, size_t size)
{
	struct fl_buf out = made(LZ4F_compressFrameBound(size, NULL));

	out.size = LZ4F_compressFrame(out.data, out.capacity, at, size, NULL);
	return out;
}

static struct fl_buf xz(const char *at, size_t size)
{
	struct fl_buf out = made(lzma_stream_buffer_bound(size));

	cr_assert_eq(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, NULL,
					     (const uint8_t *)at, size,
					     (uint8_t *)out.data, &out.size,
					     out.capacity), LZMA_OK);
	return out;
}

static const struct packer {
	const char *name;
	struct fl_buf (*pack)(const char *at, size_t size);
} packers[] = {
	{ "gzip", gzip }, { "zstd", zstd }, { "lz4", lz4 }, { "xz", xz },
};

static struct fl_in *decoded(struct fl_buf bytes)
{
	return fl_in_decoded(
		fl_in_memory(flame, bytes.data, bytes.size, "some"));
}

/* All that comes out is `text`; the damage is `damage`, and in is closed. */
static void expect(struct fl_in *in, const char *at, size_t size,
		   const char *damage)
{
	const uint8_t *got;
	size_t n;

	cr_assert_not_null(in, "%s", flame_error(flame));
	got = fl_in_peek(in, SIZE_MAX, &n);
	cr_assert_eq(n, size, "%zu, not %zu", n, size);
	cr_assert(n == 0 || memcmp(got, at, n) == 0);
	if (damage)
		cr_assert_str_eq(fl_in_damage(in), damage);
	else
		cr_assert_null(fl_in_damage(in), "%s", fl_in_damage(in));
	fl_in_consume(in, n);
	cr_assert_eq(fl_in_offset(in), size);
	fl_in_close(in);
}

/* Inputs --------------------------------------------------------------- */

static struct fl_in *mapped(struct fl_in *in)
{
	size_t n;

	fl_in_peek(in, 1, &n);
	fl_in_map(in);
	cr_assert(fl_in_is_stable(in));
	return in;
}

Test(inputs, files_are_there_at_once)
{
	struct fl_in *in;
	uint64_t size;
	size_t n;

	write_file("f", "hello", 5);
	in = fl_in_open(flame, "f");
	cr_assert_eq(memcmp(fl_in_peek(in, 1, &n), "hello", 5), 0);
	cr_assert_eq(n, 5);
	fl_in_consume(in, 2);
	cr_assert_eq(fl_in_offset(in), 2);
	cr_assert_null(fl_in_all(in, &n));
	cr_assert_not(fl_in_is_stable(in));
	fl_in_map(in);
	cr_assert(fl_in_is_stable(in));
	cr_assert_eq(fl_in_offset(in), 2);
	cr_assert_eq(memcmp(fl_in_all(in, &n), "hello", 5), 0);
	cr_assert(fl_in_size(in, &size) && size == 5);
	cr_assert_eq(memcmp(fl_in_peek(in, 100, &n), "llo", 3), 0);
	cr_assert_eq(n, 3);
	fl_in_consume(in, 3);
	fl_in_peek(in, 1, &n);
	cr_assert_eq(n, 0);
	cr_assert_str_eq(fl_in_name(in), "f");
	cr_assert_null(fl_in_damage(in));
	fl_in_close(in);
	fl_in_close(NULL);
}

Test(inputs, empty_files_and_empty_memory_are_empty)
{
	write_file("f", "", 0);
	expect(fl_in_decoded(fl_in_open(flame, "f")), "", 0, NULL);
	expect(fl_in_decoded(fl_in_memory(flame, NULL, 0, "m")), "", 0, NULL);
	expect(fl_in_open(flame, "/dev/null"), "", 0, NULL);
}

Test(inputs, files_of_proc_say_they_are_empty_and_are_not)
{
	struct fl_in *in = fl_in_open(flame, "/proc/self/status");
	size_t n;

	cr_assert_eq(memcmp(fl_in_peek(in, 5, &n), "Name:", 5), 0);
	fl_in_close(in);
}

Test(inputs, what_is_missing_is_named)
{
	cr_assert_null(fl_in_open(flame, "gone"));
	cr_assert_str_eq(flame_error(flame),
			 "gone: No such file or directory");
}

Test(inputs, a_folder_is_no_input)
{
	cr_assert_null(fl_in_open(flame, "."));
	cr_assert_str_eq(flame_error(flame), ".: is a directory: name its "
			 "files, or use flame-batch");
}

static void *feed(void *arg)
{
	struct fl_buf *text = arg;
	int fd = open("pipe", O_WRONLY);
	size_t done = 0;
	ssize_t n;

	while (done < text->size) {
		n = write(fd, text->data + done,
			  FL_MIN(text->size - done, 3001));
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	close(fd);
	return NULL;
}

Test(inputs, pipes_are_buffered_as_far_as_asked)
{
	struct fl_buf text = make_text(3000000);
	struct fl_in *in;
	pthread_t thread;
	const uint8_t *at;
	uint64_t size;
	size_t n, done = 0, step = 1;

	mkfifo("pipe", 0600);
	pthread_create(&thread, NULL, feed, &text);
	in = fl_in_open(flame, "pipe");
	cr_assert_not(fl_in_size(in, &size));
	cr_assert_null(fl_in_all(in, &n));
	while (done < text.size) {
		at = fl_in_peek(in, step, &n);
		cr_assert(n >= step || n == text.size - done);
		cr_assert_eq(memcmp(at, text.data + done, n), 0);
		cr_assert_eq(fl_in_offset(in), done);
		n = FL_MIN(n, step - step / 3);
		fl_in_consume(in, n);
		fl_in_release(in, fl_in_offset(in));
		done += n;
		step = step * 5 / 3 % 800000 + 1;
	}
	fl_in_peek(in, 1, &n);
	cr_assert_eq(n, 0);
	cr_assert_null(fl_in_damage(in));
	fl_in_close(in);
	pthread_join(thread, NULL);
	fl_buf_free(&text);
}

Test(inputs, standard_input_begins_where_it_was_left)
{
	int fd;

	write_file("f", "onetwo", 6);
	fd = open("f", O_RDONLY);
	lseek(fd, 3, SEEK_SET);
	dup2(fd, STDIN_FILENO);
	expect(fl_in_open(flame, "-"), "two", 3, NULL);
	lseek(fd, 3, SEEK_SET);
	expect(mapped(fl_in_open(flame, "-")), "two", 3, NULL);
	lseek(fd, 6, SEEK_SET);
	expect(fl_in_open(flame, "-"), "", 0, NULL);
}

Test(inputs, a_read_that_fails_is_damage)
{
	int fd = open("wo", O_WRONLY | O_CREAT, 0600);

	dup2(fd, STDIN_FILENO);
	expect(fl_in_open(flame, "-"), "", 0,
	       "cannot read on: Bad file descriptor");
}

Test(inputs, forgotten_pages_come_back_when_asked)
{
	struct fl_buf text = make_text(5000000);
	struct fl_in *in;
	size_t n;

	write_file("f", text.data, text.size);
	in = fl_in_open(flame, "f");
	fl_in_map(in);
	fl_in_peek(in, 1, &n);
	fl_in_consume(in, 4000000);
	fl_in_release(in, 4000000);
	fl_in_release(in, 3000000);
	fl_in_release(in, 5000000);
	fl_in_release(in, 6000000);
	cr_assert_eq(memcmp(fl_in_all(in, &n), text.data, text.size), 0);
	fl_in_close(in);
	fl_buf_free(&text);
}

/* There pieces of 2 MB would be resident whole, for the sake of a few bytes. */
Test(inputs, no_file_is_mapped_where_a_huge_page_would_be)
{
	struct fl_buf text = make_text(5000000);
	struct fl_in *in;
	size_t n;

	write_file("f", text.data, text.size);
	in = mapped(fl_in_open(flame, "f"));
	cr_assert_neq((uintptr_t)fl_in_all(in, &n) % (2 << 20), 0);
	cr_assert_eq(n, text.size);
	fl_in_close(in);
	fl_buf_free(&text);
}

/* Of the map that begins at a byte: mappings that follow one another. */
static unsigned parts_of(const uint8_t *at)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	uintptr_t from, to, next = (uintptr_t)at;
	unsigned n = 0;
	char line[4096];

	cr_assert(maps);
	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &from, &to) == 2 &&
		    from == next && strstr(line, "/f\n")) {
			next = to;
			n++;
		}
	fclose(maps);
	return n;
}

/*
 * Bytes soon needed are in several mappings, so that no large piece of the
 * page cache is mapped at once; those before are in one.
 */
Test(inputs, a_mapped_file_is_in_few_parts)
{
	struct fl_buf text = make_text(5000000);
	struct fl_in *in;
	const uint8_t *at;
	size_t n;

	write_file("f", text.data, text.size);
	in = mapped(fl_in_open(flame, "f"));
	at = fl_in_all(in, &n);
	for (size_t i = 0; i < n; i += 100000) {
		fl_in_release(in, i);
		cr_assert_geq(parts_of(at), 2);
		cr_assert_leq(parts_of(at), 6);
	}
	fl_in_close(in);
	fl_buf_free(&text);
}

static void on_bus(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	if (!flame_shrunk(info->si_addr))
		_exit(3);
}

static void catch_bus(void)
{
	struct sigaction action = {
		.sa_sigaction = on_bus, .sa_flags = SA_SIGINFO
	};

	cr_assert_eq(sigaction(SIGBUS, &action, NULL), 0);
}

static const char shrunk[] =
	"became shorter, or unreadable, while it was read";

Test(inputs, what_is_gone_of_a_mapped_file_is_zeros)
{
	struct fl_buf text = make_text(5000000);
	struct fl_in *in, *other;
	const uint8_t *at;
	size_t n;

	catch_bus();
	write_file("f", text.data, text.size);
	write_file("g", text.data, text.size);
	other = fl_in_open(flame, "g");
	fl_in_map(other);
	in = fl_in_open(flame, "f");
	fl_in_map(in);
	at = fl_in_all(in, &n);
	cr_assert_eq(truncate("f", 1000000), 0);
	cr_assert_null(fl_in_damage(in));
	cr_assert_eq(memcmp(at, text.data, 1000000), 0);
	cr_assert_null(fl_in_damage(in));
	for (size_t i = 1000000; i < n; i++)
		cr_assert_eq(at[i], 0);
	cr_assert_str_eq(fl_in_damage(in), shrunk);
	fl_in_close(in);
	cr_assert_eq(memcmp(fl_in_all(other, &n), text.data, text.size), 0);
	cr_assert_null(fl_in_damage(other));
	cr_assert_not(flame_shrunk(text.data));
	fl_in_close(other);
	fl_buf_free(&text);
}

Test(inputs, a_file_that_ends_too_soon_is_damage)
{
	struct fl_buf text = make_text(5000000);
	struct fl_in *in;
	size_t n, all = 0;

	write_file("f", text.data, text.size);
	in = fl_in_open(flame, "f");
	fl_in_peek(in, 1, &n);
	cr_assert_eq(truncate("f", 2000000), 0);
	while (fl_in_peek(in, 1, &n), n) {
		cr_assert_null(fl_in_damage(in));
		all += n;
		fl_in_consume(in, n);
	}
	cr_assert_eq(all, 2000000);
	cr_assert_str_eq(fl_in_damage(in), shrunk);
	fl_in_close(in);
	fl_buf_free(&text);
}

struct seen {
	char input[20];
	unsigned calls;
	uint64_t done, size;
};

static void see(void *arg, const struct flame_progress *at)
{
	struct seen *seen = arg;

	cr_assert_geq(at->done, seen->done);
	snprintf(seen->input, sizeof(seen->input), "%s", at->input);
	seen->calls++;
	seen->done = at->done;
	seen->size = at->size;
}

/* As readers of lines do; returns the bytes. */
static size_t read_through(struct fl_in *in)
{
	size_t n, all = 0;

	while (fl_in_peek(in, 1, &n), n) {
		n = FL_MIN(n, (size_t)100000);
		fl_in_consume(in, n);
		fl_in_release(in, fl_in_offset(in));
		all += n;
	}
	fl_in_close(in);
	return all;
}

Test(inputs, progress_counts_bytes_as_they_lie_there)
{
	struct fl_buf text = make_text(20000000);
	struct fl_buf packed = gzip(text.data, text.size);
	const struct fl_buf *files[] = { &text, &packed };
	struct seen seen = { 0 };
	pthread_t thread;

	flame_on_progress(flame, see, &seen);
	for (size_t i = 0; i < FL_COUNT(files); i++) {
		seen = (struct seen){ 0 };
		write_file("file", files[i]->data, files[i]->size);
		cr_expect_eq(read_through(fl_in_decoded(
				     fl_in_open(flame, "file"))), text.size);
		cr_expect_str_eq(seen.input, "file");
		cr_expect_eq(seen.size, files[i]->size);
		cr_expect_gt(seen.done, seen.size - (2 << 20));
		cr_expect_leq(seen.done, seen.size);
		cr_expect_leq(seen.calls, (seen.size >> 20) + 1);
		cr_expect_geq(seen.calls, (seen.size >> 20) / 2);
	}
	seen = (struct seen){ 0 };
	mkfifo("pipe", 0600);
	pthread_create(&thread, NULL, feed, &packed);
	cr_expect_eq(read_through(fl_in_decoded(fl_in_open(flame, "pipe"))),
		     text.size);
	pthread_join(thread, NULL);
	cr_expect_eq(seen.size, 0);
	cr_expect_eq(seen.done, packed.size);
	fl_buf_free(&text);
	fl_buf_free(&packed);
}

/* Decoders ------------------------------------------------------------- */

Test(decoders, what_nothing_bids_for_comes_as_it_is)
{
	expect(fl_in_decoded(fl_in_memory(flame, "a;b 1\n", 6, "m")),
	       "a;b 1\n", 6, NULL);
	expect(fl_in_decoded(fl_in_memory(flame, "BZh; 1\n", 7, "m")),
	       "BZh; 1\n", 7, NULL);
	expect(fl_in_decoded(fl_in_memory(flame, "\x1f\x8b", 2, "m")),
	       "\x1f\x8b", 2, NULL);
}

Test(decoders, each_gives_back_what_went_in)
{
	static const size_t sizes[] = { 0, 1, 1000, 262144, 3000000 };
	size_t i, k;

	for (i = 0; i < FL_COUNT(packers); i++) {
		for (k = 0; k < FL_COUNT(sizes); k++) {
			struct fl_buf text = make_text(sizes[k]);
			struct fl_buf packed =
				packers[i].pack(text.data, text.size);

			expect(decoded(packed), text.data, text.size, NULL);
			fl_buf_free(&text);
			fl_buf_free(&packed);
		}
	}
}

/* Packs text in three pieces with some between and some after. */
static struct fl_buf in_pieces(const struct packer *packer,
			       struct fl_buf text, struct slice between,
			       struct slice after)
{
	size_t third = text.size / 3, i;
	struct fl_buf out = { 0 }, piece;

	for (i = 0; i < 3; i++) {
		piece = packer->pack(text.data + i * third,
				     i < 2 ? third : text.size - 2 * third);
		fl_buf_put(&out, piece.data, piece.size);
		fl_buf_put(&out, i < 2 ? between.data : after.data,
			   i < 2 ? between.size : after.size);
		fl_buf_free(&piece);
	}
	return out;
}

static void expect_pieces(struct slice between, struct slice after,
			  const char *rest)
{
	struct fl_buf text = make_text(1000000), packed, all = { 0 };
	size_t i;

	fl_buf_put(&all, text.data, text.size);
	fl_buf_put(&all, rest, strlen(rest));
	for (i = 0; i < FL_COUNT(packers); i++) {
		packed = in_pieces(&packers[i], text, between, after);
		expect(decoded(packed), all.data, all.size, NULL);
		fl_buf_free(&packed);
	}
	fl_buf_free(&text);
	fl_buf_free(&all);
}

Test(decoders, concatenated_members_are_one_stream)
{
	expect_pieces(FL_SLICE(""), FL_SLICE(""), "");
}

Test(decoders, zeros_between_and_behind_are_nothing)
{
	expect_pieces(FL_SLICE("\0\0\0\0"), FL_SLICE("\0\0\0\0\0\0\0"), "");
}

Test(decoders, plain_bytes_behind_are_passed_on)
{
	expect_pieces(FL_SLICE(""), FL_SLICE("\0\0some"), "some");
	expect_pieces(FL_SLICE(""), FL_SLICE("x\1\2"), "x\1\2");
}

static struct fl_buf plain(const char *at, size_t size)
{
	struct fl_buf out = { 0 };

	fl_buf_put(&out, at, size);
	return out;
}

static struct fl_buf zlib(const char *at, size_t size)
{
	uLongf n = compressBound(size);
	struct fl_buf out = made(n);

	compress((Bytef *)out.data, &n, (const Bytef *)at, size);
	out.size = n;
	return out;
}

static struct fl_buf lzma(const char *at, size_t size)
{
	struct fl_buf out = made(size + 1000);
	lzma_stream stream = LZMA_STREAM_INIT;
	lzma_options_lzma options;

	lzma_lzma_preset(&options, 6);
	cr_assert_eq(lzma_alone_encoder(&stream, &options), LZMA_OK);
	stream.next_in = (const uint8_t *)at;
	stream.avail_in = size;
	stream.next_out = (uint8_t *)out.data;
	stream.avail_out = out.capacity;
	cr_assert_eq(lzma_code(&stream, LZMA_FINISH), LZMA_STREAM_END);
	out.size = out.capacity - stream.avail_out;
	lzma_end(&stream);
	return out;
}

static struct fl_buf bzip2(const char *at, size_t size)
{
	unsigned n = (unsigned)(size + size / 100 + 600);
	struct fl_buf out = made(n);

	BZ2_bzBuffToBuffCompress(out.data, &n, (char *)(uintptr_t)at,
				 (unsigned)size, 9, 0, 0);
	out.size = n;
	return out;
}

static struct fl_buf legacy(const char *at, size_t size)
{
	struct fl_buf out = { 0 };
	int n;

	out = made(size + size / 100 + 600);
	memcpy(out.data, "\x02\x21\x4c\x18", 4);
	n = LZ4_compress_default(at, out.data + 8, (int)size,
				 (int)out.capacity - 8);
	for (int i = 0; i < 4; i++)
		out.data[4 + i] = (char)(n >> 8 * i);
	out.size = 8 + (size_t)n;
	return out;
}

/* certain: they are known in the middle of text, too. */
static const struct mixed {
	struct fl_buf (*pack)(const char *, size_t);
	bool certain;
} mixed[] = {
	{ plain, true }, { gzip, true }, { zstd, true }, { lz4, true },
	{ xz, true }, { bzip2, true }, { lzma, true }, { legacy, true },
	{ zlib, false },
};

/* All pairs and more: each is packed, and follows each. */
static void mix(struct fl_buf *packed, struct fl_buf *all, size_t size)
{
	struct fl_buf text = make_text(size - 1), pieces[FL_COUNT(mixed)];
	bool after_plain = true;

	fl_buf_byte(&text, '\n');
	for (size_t i = 0; i < FL_COUNT(mixed); i++)
		pieces[i] = mixed[i].pack(text.data, text.size);
	for (size_t i = 0; i < FL_COUNT(mixed) * FL_COUNT(mixed) * 2; i++) {
		size_t m = i % 2 ? i / 2 % FL_COUNT(mixed) :
				   i / 2 / FL_COUNT(mixed);

		if (!mixed[m].certain && after_plain)
			continue;
		after_plain = mixed[m].pack == plain;
		fl_buf_put(packed, pieces[m].data, pieces[m].size);
		fl_buf_put(all, text.data, text.size);
	}
	for (size_t i = 0; i < FL_COUNT(mixed); i++)
		fl_buf_free(&pieces[i]);
	fl_buf_free(&text);
}

Test(decoders, packed_and_plain_members_are_one_stream)
{
	static const size_t sizes[] = { 40, 500, 513, 70000, 300000 };
	/* Valgrind is slow: see tests/tap.sh. */
	size_t n = getenv("TEST_SLOW") ? 3 : FL_COUNT(sizes);
	pthread_t thread;

	mkfifo("pipe", 0600);
	for (size_t i = 0; i < n; i++) {
		struct fl_buf packed = { 0 }, all = { 0 }, twice;

		mix(&packed, &all, sizes[i]);
		expect(decoded(packed), all.data, all.size, NULL);
		write_file("mixed", packed.data, packed.size);
		expect(fl_in_decoded(fl_in_open(flame, "mixed")), all.data,
		       all.size, NULL);
		pthread_create(&thread, NULL, feed, &packed);
		expect(fl_in_decoded(fl_in_open(flame, "pipe")), all.data,
		       all.size, NULL);
		pthread_join(thread, NULL);
		twice = gzip(packed.data, packed.size);
		expect(decoded(twice), all.data, all.size, NULL);
		fl_buf_free(&twice);
		fl_buf_free(&packed);
		fl_buf_free(&all);
	}
}

/* Around every boundary of the examined bytes, at once and in steps. */
Test(decoders, a_member_in_text_is_found_wherever_it_begins)
{
	struct fl_buf packed = gzip("packed 1\n", 9), text = { 0 };

	for (size_t at = 1; at < 5000; at++)
		fl_buf_byte(&text, at % 50 ? 'a' : '\n');
	for (size_t at = 2; at < 4500; at += at > 700 && at < 3900 ? 97 : 1) {
		struct fl_buf in = { 0 }, out = { 0 };
		struct fl_in *input;
		size_t n;

		fl_buf_put(&in, text.data, at - 1);
		fl_buf_byte(&in, '\n');
		fl_buf_put(&out, in.data, in.size);
		fl_buf_put(&in, packed.data, packed.size);
		fl_buf_put(&in, "end 2\n", 6);
		fl_buf_put(&out, "packed 1\nend 2\n", 15);
		input = decoded(in);
		fl_in_peek(input, 1, &n);
		cr_expect_leq(n, at);
		expect(input, out.data, out.size, NULL);
		fl_buf_free(&in);
		fl_buf_free(&out);
	}
	fl_buf_free(&packed);
	fl_buf_free(&text);
}

Test(decoders, what_is_not_at_a_line_of_text_is_no_member)
{
	struct fl_buf packed = gzip("packed 1\n", 9), in = { 0 };
	static const struct slice heads[] = {
		FL_SLICE("a 1\nb"), FL_SLICE("FLR\0\n"), FL_SLICE("\n\3\n"),
	};

	for (size_t i = 0; i < FL_COUNT(heads); i++) {
		in.size = 0;
		fl_buf_put(&in, heads[i].data, heads[i].size);
		fl_buf_put(&in, packed.data, packed.size);
		expect(decoded(in), in.data, in.size, NULL);
	}
	fl_buf_free(&in);
	fl_buf_free(&packed);
}

Test(decoders, a_reader_of_records_tells_where_members_may_begin)
{
	struct fl_buf packed = gzip("packed", 6), in = { 0 };
	struct fl_in *input;
	const uint8_t *at;
	size_t n;

	fl_buf_put(&in, "\0one\0two", 8);
	fl_buf_put(&in, packed.data, packed.size);
	fl_buf_put(&in, "\2three", 6);
	input = decoded(in);
	fl_in_consume(input, 4);
	cr_expect_not(fl_in_decode_at(input, 1));
	cr_expect_not(fl_in_decode_at(input, 1000));
	cr_expect(fl_in_decode_at(input, 4));
	cr_expect_eq(fl_in_offset(input), 4);
	at = fl_in_peek(input, SIZE_MAX, &n);
	cr_assert_eq(n, 16);
	cr_expect_arr_eq(at, "\0twopacked\2three", 16);
	fl_in_close(input);
	fl_buf_free(&in);
	fl_buf_free(&packed);
}

Test(decoders, text_that_begins_as_zlib_is_text)
{
	static const struct slice texts[] = {
		FL_SLICE("x^;aaaaaaaa 1\n"), FL_SLICE("x\x9c;aaaaaaa 1\n")
	};

	for (size_t i = 0; i < FL_COUNT(texts); i++)
		expect(fl_in_decoded(fl_in_memory(flame, texts[i].data,
						  texts[i].size, "m")),
		       texts[i].data, texts[i].size, NULL);
}

Test(decoders, a_bomb_is_not_read_on)
{
	size_t size = (size_t)300 << 20, n;
	char *zeros = calloc(1, size);
	struct fl_buf packed = zstd(zeros, size);
	struct fl_in *in = decoded(packed);

	free(zeros);
	while (fl_in_peek(in, 1, &n), n)
		fl_in_consume(in, n);
	cr_expect_eq(fl_in_offset(in), (uint64_t)256 << 20);
	cr_expect(fl_in_is_refused(in));
	cr_expect_str_eq(fl_in_damage(in),
			 "unpacks to more than 256 MB and 2000 times its "
			 "size and is not read on; if that is right, unpack "
			 "it before");
	cr_expect_not(fl_failed(flame));
	fl_in_close(in);
	fl_buf_free(&packed);
}

static void expect_utf16(struct slice in, const char *out, const char *damage)
{
	expect(fl_in_decoded(fl_in_memory(flame, in.data, in.size, "m")), out,
	       strlen(out), damage);
}

Test(decoders, utf16_becomes_utf8)
{
	expect_utf16(FL_SLICE("\xff\xfe" "a\0;\0b\0 \0" "1\0\n\0"),
		     "a;b 1\n", NULL);
	expect_utf16(FL_SLICE("\xfe\xff\0a\0 \0" "1\0\n\xfe\xff\0b"),
		     "a 1\nb", NULL);
	expect_utf16(FL_SLICE("\xfe\xff\0a\0\n\xff\xfe" "b\0"), "a\nb",
		     NULL);
	expect_utf16(FL_SLICE("\xff\xfe\xe9\0\xac\x20\x3d\xd8\0\xde"),
		     "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", NULL);
	/* Halves of a pair, alone. */
	expect_utf16(FL_SLICE("\xff\xfe\0\xde" "a\0\x3d\xd8" "b\0"),
		     "\xef\xbf\xbd" "a\xef\xbf\xbd" "b", NULL);
	expect_utf16(FL_SLICE("\xff\xfe" "a\0b"), "a",
		     "the UTF-16 text ends within a character");
	expect_utf16(FL_SLICE("\xff\xfe" "a\0\x3d\xd8"), "a",
		     "the UTF-16 text ends within a character");
	/* Without a mark, where the first 16 units are ASCII. */
	expect_utf16(FL_SLICE("F\0u\0l\0l\0 \0t\0h\0r\0e\0a\0d\0 \0d\0u\0m"
			      "\0p\0\xe9\0"), "Full thread dump\xc3\xa9",
		     NULL);
	expect_utf16(FL_SLICE("\0F\0u\0l\0l\0 \0t\0h\0r\0e\0a\0d\0 \0d\0u"
			      "\0m\0p\0\n"), "Full thread dump\n", NULL);
}

Test(decoders, cut_data_give_all_that_came_out)
{
	struct fl_buf text = make_text(1000000);
	size_t i, n, most;
	char line[100];

	for (i = 0; i < FL_COUNT(packers); i++) {
		struct fl_buf packed = packers[i].pack(text.data, text.size);
		const size_t cuts[] = { 12, packed.size / 2,
					packed.size - 1 };
		size_t k;

		snprintf(line, sizeof(line), "the %s data end early",
			 packers[i].name);
		for (k = 0, most = 0; k < FL_COUNT(cuts); k++) {
			struct fl_in *in;
			const uint8_t *at;

			packed.size = cuts[k];
			in = decoded(packed);
			at = fl_in_peek(in, SIZE_MAX, &n);
			cr_assert(n >= most && n <= text.size);
			cr_assert(n == 0 || memcmp(at, text.data, n) == 0);
			cr_assert_str_eq(fl_in_damage(in), line);
			most = n;
			fl_in_close(in);
		}
		cr_assert_gt(most, 0);
		fl_buf_free(&packed);
	}
	fl_buf_free(&text);
}

Test(decoders, corrupt_data_are_damage)
{
	struct fl_buf text = make_text(1000000);
	size_t i, n;
	char line[100];

	for (i = 0; i < FL_COUNT(packers); i++) {
		struct fl_buf packed = packers[i].pack(text.data, text.size);
		struct fl_in *in;

		memset(packed.data + packed.size / 2, 0x55, 600);
		in = decoded(packed);
		fl_in_peek(in, SIZE_MAX, &n);
		snprintf(line, sizeof(line), "the %s data are corrupt: ",
			 packers[i].name);
		/* A frame of lz4 need not have checksums. */
		if (packers[i].pack != lz4)
			cr_expect_eq(strncmp(fl_in_damage(in), line,
					     strlen(line)), 0, "%s",
				     fl_in_damage(in));
		fl_in_close(in);
		fl_buf_free(&packed);
	}
	fl_buf_free(&text);
}

Test(decoders, pipes_are_decoded_as_files_are)
{
	struct fl_buf text = make_text(3000000);
	struct fl_buf packed = gzip(text.data, text.size);
	pthread_t thread;

	mkfifo("pipe", 0600);
	pthread_create(&thread, NULL, feed, &packed);
	expect(fl_in_decoded(fl_in_open(flame, "pipe")), text.data, text.size,
	       NULL);
	pthread_join(thread, NULL);
	fl_buf_free(&text);
	fl_buf_free(&packed);
}

Test(decoders, layers_are_taken_off_to_a_depth)
{
	struct fl_buf one = gzip("deep", 4), two = zstd(one.data, one.size);
	struct fl_buf three = lz4(two.data, two.size);
	struct fl_buf four = xz(three.data, three.size);

	expect(decoded(three), "deep", 4, NULL);
	cr_assert_null(decoded(four));
	cr_assert_str_eq(flame_error(flame),
			 "some: packed more than 3 times over");
	fl_buf_free(&one);
	fl_buf_free(&two);
	fl_buf_free(&three);
	fl_buf_free(&four);
}

Test(decoders, skippable_frames_are_skipped)
{
	static const struct slice skip = FL_SLICE("\x51\x2a\x4d\x18\x3\0\0\0"
						  "abc");
	struct fl_buf (*const packs[])(const char *, size_t) = { zstd, lz4 };
	size_t i;

	for (i = 0; i < FL_COUNT(packs); i++) {
		struct fl_buf packed = packs[i]("text", 4), all = { 0 };

		fl_buf_put(&all, skip.data, skip.size);
		fl_buf_put(&all, packed.data, packed.size);
		fl_buf_put(&all, skip.data, skip.size);
		fl_buf_put(&all, packed.data, packed.size);
		fl_buf_put(&all, skip.data, skip.size);
		expect(decoded(all), "texttext", 8, NULL);
		fl_buf_free(&packed);
		fl_buf_free(&all);
	}
}

Test(decoders, zstd_windows_may_be_long)
{
	struct fl_buf text = make_text(300000);
	struct fl_buf packed = made(ZSTD_compressBound(text.size));
	ZSTD_CCtx *context = ZSTD_createCCtx();
	ZSTD_outBuffer out = { packed.data, packed.capacity, 0 };
	ZSTD_inBuffer in = { text.data, text.size, 0 };

	ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, 28);
	ZSTD_compressStream2(context, &out, &in, ZSTD_e_flush);
	ZSTD_compressStream2(context, &out, &in, ZSTD_e_end);
	ZSTD_freeCCtx(context);
	packed.size = out.pos;
	expect(decoded(packed), text.data, text.size, NULL);
	/* The window's byte in a frame header without a content size. */
	packed.data[5] = (char)0xb8;
	expect(decoded(packed), "", 0,
	       "the zstd data are corrupt: a window of more than 2 GB");
	fl_buf_free(&packed);
	fl_buf_free(&text);
}

static void put_legacy(struct fl_buf *out, const char *at, size_t size)
{
	char block[2000];
	int n = LZ4_compress_default(at, block, (int)size, sizeof(block));

	fl_buf_put(out, "\x02\x21\x4c\x18", 4);
	fl_buf_byte(out, (char)(n & 0xff));
	fl_buf_byte(out, (char)(n >> 8));
	fl_buf_put(out, "\0\0", 2);
	fl_buf_put(out, block, (size_t)n);
}

Test(decoders, legacy_lz4_is_read)
{
	struct fl_buf text = make_text(1000), packed = { 0 };

	put_legacy(&packed, text.data, 500);
	put_legacy(&packed, text.data + 500, 500);
	expect(decoded(packed), text.data, 1000, NULL);
	packed.size -= 1;
	expect(decoded(packed), text.data, 500, "the lz4 data end early");
	packed.size = 6;
	expect(decoded(packed), "", 0, "the lz4 data end early");
	fl_buf_free(&packed);
	fl_buf_free(&text);
}

static void expect_refusal(struct slice head, const char *text)
{
	struct flame *own = flame_new();

	cr_expect_null(
		fl_in_decoded(fl_in_memory(own, head.data, head.size, "m")));
	cr_expect_not_null(strstr(flame_error(own), text), "%s",
			   flame_error(own));
	flame_free(own);
}

static void put_le(struct fl_buf *out, uint64_t n, unsigned bytes)
{
	for (; bytes > 0; bytes--, n >>= 8)
		fl_buf_byte(out, (char)(n & 0xff));
}

static void put_be(struct fl_buf *out, uint64_t n, unsigned bytes)
{
	while (bytes--)
		fl_buf_byte(out, (char)(n >> 8 * bytes & 0xff));
}

/* A block of lz4-java, packed or not; nothing: the end. */
static void put_lz4_java(struct fl_buf *out, const char *at, size_t size,
			 bool packed)
{
	char block[2000];
	size_t n = size;

	if (packed)
		n = (size_t)LZ4_compress_default(at, block, (int)size,
						 sizeof(block));
	fl_buf_text(out, "LZ4Block");
	fl_buf_byte(out, packed ? 0x25 : 0x15);
	put_le(out, n, 4);
	put_le(out, size, 4);
	put_le(out, 0x0abcdef, 4);	/* a checksum, which is not read */
	if (n)
		fl_buf_put(out, packed ? block : at, n);
}

Test(decoders, lz4_blocks_of_java_are_read)
{
	struct fl_buf text = make_text(1000), packed = { 0 };
	size_t size;

	put_lz4_java(&packed, text.data, 500, true);
	put_lz4_java(&packed, text.data + 500, 300, false);
	put_lz4_java(&packed, "", 0, false);
	put_lz4_java(&packed, text.data + 800, 200, true);
	size = packed.size;
	expect(decoded(packed), text.data, 1000, NULL);
	packed.size = size - 1;
	expect(decoded(packed), text.data, 800, "the LZ4Block data end early");
	/* The offset of a copy, before the beginning. */
	memset(packed.data + size - 20, 0xff, 20);
	packed.size = size;
	expect(decoded(packed), text.data, 800,
	       "the LZ4Block data are corrupt");
	fl_buf_free(&packed);
	fl_buf_free(&text);
}

#define SNAPPY "\x82SNAPPY\0\0\0\0\1\0\0\0\1"

static void expect_snappy(struct slice block, struct slice text,
			  const char *damage)
{
	struct fl_buf packed = { 0 };

	fl_buf_put(&packed, SNAPPY, 16);
	put_be(&packed, 4, 4);
	fl_buf_put(&packed, "\2\4ab", 4);
	fl_buf_put(&packed, SNAPPY, 16);	/* joined to another */
	put_be(&packed, block.size, 4);
	fl_buf_put(&packed, block.data, block.size);
	expect(decoded(packed), text.data, text.size, damage);
	fl_buf_free(&packed);
}

Test(decoders, snappy_blocks_of_java_are_read)
{
	static const char corrupt[] = "the snappy data are corrupt";

	/* Literals with short and long lengths, copies near and far. */
	expect_snappy(FL_SLICE("\4\xc" "abcd"), FL_SLICE("ababcd"), NULL);
	expect_snappy(FL_SLICE("\4\xf0\3" "abcd"), FL_SLICE("ababcd"), NULL);
	expect_snappy(FL_SLICE("\4\xf4\3\0" "abcd"), FL_SLICE("ababcd"),
		      NULL);
	expect_snappy(FL_SLICE("\7\4xy\1\2\0z"), FL_SLICE("abxyxyxyz"),
		      NULL);
	expect_snappy(FL_SLICE("\5\4xy\12\1\0"), FL_SLICE("abxyyyy"), NULL);
	expect_snappy(FL_SLICE("\5\4xy\13\2\0\0\0"), FL_SLICE("abxyxyx"),
		      NULL);
	/* Nothing may be read or written outside of a block. */
	expect_snappy(FL_SLICE("\4\xf0\4" "abcd"), FL_SLICE("ab"), corrupt);
	expect_snappy(FL_SLICE("\3\xc" "abcd"), FL_SLICE("ab"), corrupt);
	expect_snappy(FL_SLICE("\5\xc" "abcd"), FL_SLICE("ab"), corrupt);
	expect_snappy(FL_SLICE("\7\4xy\1\3\0z"), FL_SLICE("ab"), corrupt);
	expect_snappy(FL_SLICE("\7\4xy\1\0\0z"), FL_SLICE("ab"), corrupt);
	expect_snappy(FL_SLICE("\3\4xy\5\2"), FL_SLICE("ab"), corrupt);
	expect_snappy(FL_SLICE("\5\4xy\13\2\0\0"), FL_SLICE("ab"), corrupt);
	expect_snappy(FL_SLICE("\xff\xff\xff\xff\xff"), FL_SLICE("ab"),
		      corrupt);
	expect_snappy(FL_SLICE(""), FL_SLICE("ab"),
		      "the snappy data end early");
}

Test(decoders, containers_of_spark_are_refused_by_name)
{
	expect_refusal(FL_SLICE("\xff\6\0\0sNaPpY"), "snappy frames");
}

Test(decoders, a_frame_may_be_called_as_a_container)
{
	static const char text[] = "LZ4BlockInputStream.read;x 12\n";
	struct fl_buf in = { .data = (char *)text, .size = sizeof(text) - 1 };

	expect(decoded(in), text, sizeof(text) - 1, NULL);
}

/* zip ------------------------------------------------------------------ */

/* flags 8: sizes follow the body, as in 'descriptor' bytes a size. */
static void put_entry(struct fl_buf *out, const char *name, const char *text,
		      unsigned method, unsigned descriptor)
{
	size_t size = strlen(text);
	struct fl_buf packed = gzip(text, size);
	/* Without gzip's header of 10 bytes and its end of 8. */
	size_t body = method ? packed.size - 18 : size;
	unsigned long crc = crc32(0, (const Bytef *)text, (uInt)size);

	put_le(out, 0x04034b50, 4);
	put_le(out, 20, 2);
	put_le(out, descriptor ? 8 : 0, 2);
	put_le(out, method, 2);
	put_le(out, 0, 4);
	put_le(out, descriptor ? 0 : crc, 4);
	put_le(out, descriptor ? 0 : body, 4);
	put_le(out, descriptor ? 0 : size, 4);
	put_le(out, strlen(name), 2);
	put_le(out, 0, 2);
	fl_buf_text(out, name);
	fl_buf_put(out, method ? packed.data + 10 : text, body);
	if (descriptor) {
		put_le(out, 0x08074b50, 4);
		put_le(out, crc, 4);
		put_le(out, body, descriptor);
		put_le(out, size, descriptor);
	}
	fl_buf_free(&packed);
}

static void put_zip_end(struct fl_buf *out, unsigned entries)
{
	/* The directory itself is not read. */
	put_le(out, 0x02014b50, 4);
	put_le(out, 0x06054b50, 4);
	put_le(out, 0, 4);
	put_le(out, entries, 2);
	put_le(out, entries, 2);
	put_le(out, 0, 10);
}

Test(decoders, a_zip_of_one_file_is_that_file)
{
	static const unsigned kinds[][2] = {
		{ 0, 0 }, { 8, 0 }, { 8, 4 }, { 8, 8 },
	};
	size_t i;

	for (i = 0; i < FL_COUNT(kinds); i++) {
		struct fl_buf zip = { 0 };

		put_entry(&zip, "d/", "", 0, 0);
		put_entry(&zip, "d/e/", "", 8, 4);
		put_entry(&zip, "d/e/f", "the text", kinds[i][0],
			  kinds[i][1]);
		put_zip_end(&zip, 3);
		expect(decoded(zip), "the text", 8, NULL);
		cr_assert_str_eq(warning, "");
		fl_buf_free(&zip);
	}
}

Test(decoders, a_zip_of_many_gives_the_first_and_warns)
{
	struct fl_buf zip = { 0 };

	put_entry(&zip, "a", "first", 8, 0);
	put_entry(&zip, "b", "second", 8, 0);
	put_entry(&zip, "c", "third", 0, 0);
	put_zip_end(&zip, 3);
	expect(decoded(zip), "first", 5, NULL);
	cr_assert_str_eq(warning, "some: the first file in the zip was read, "
			 "2 more left out");
	fl_buf_free(&zip);
}

Test(decoders, a_damaged_zip_says_so)
{
	struct fl_buf zip = { 0 };

	put_entry(&zip, "a", "first", 0, 0);
	zip.size -= 2;
	expect(decoded(zip), "fir", 3, "the zip data end early");
	zip.size += 2;
	zip.data[zip.size - 1] = '!';
	expect(decoded(zip), "firs!", 5, "the zip entry's checksum differs");
	zip.data[6] = 1;
	expect(decoded(zip), "", 0, "the zip entry is encrypted");
	zip.size = 0;
	put_entry(&zip, "d/", "", 0, 0);
	put_zip_end(&zip, 1);
	expect(decoded(zip), "", 0, "the zip holds no file");
	fl_buf_free(&zip);
}

/* Outputs -------------------------------------------------------------- */

static mode_t mode_of(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? st.st_mode & 07777 : 0;
}

Test(outputs, a_file_appears_when_it_is_closed)
{
	struct fl_out *out;

	umask(027);
	out = fl_out_open(flame, "f");
	fl_out_text(out, "hello ");
	fl_out_print(out, "%d%s", 42, "!");
	cr_assert_neq(access("f", F_OK), 0);
	cr_assert_eq(fl_out_close(out), FLAME_OK);
	expect_file("f", "hello 42!");
	cr_assert_eq(mode_of("f"), 0640);
	cr_assert_neq(system("ls -A | grep flame"), 0);
}

Test(outputs, an_abandoned_file_leaves_the_old_one)
{
	struct fl_out *out;

	write_file("f", "old", 3);
	out = fl_out_open(flame, "f");
	fl_out_text(out, "new");
	fl_out_discard(out);
	fl_out_discard(NULL);
	expect_file("f", "old");
	cr_assert_neq(system("ls -A | grep flame"), 0);
}

Test(outputs, a_replaced_file_keeps_its_mode_and_its_links)
{
	struct fl_out *out;
	struct stat st;

	write_file("f", "old", 3);
	chmod("f", 0604);
	cr_assert_eq(symlink("f", "link"), 0);
	out = fl_out_open(flame, "link");
	fl_out_text(out, "new");
	cr_assert_eq(fl_out_close(out), FLAME_OK);
	expect_file("f", "new");
	cr_assert_eq(mode_of("f"), 0604);
	cr_assert(lstat("link", &st) == 0 && S_ISLNK(st.st_mode));
}

Test(outputs, a_link_to_nowhere_is_written_through)
{
	struct fl_out *out;

	cr_assert_eq(symlink("f", "link"), 0);
	out = fl_out_open(flame, "link");
	fl_out_text(out, "new");
	cr_assert_eq(fl_out_close(out), FLAME_OK);
	expect_file("f", "new");
}

Test(outputs, what_cannot_be_opened_is_named)
{
	cr_assert_null(fl_out_open(flame, "no/f"));
	cr_assert_str_eq(flame_error(flame),
			 "no/f: No such file or directory");
}

Test(outputs, a_folder_is_no_output)
{
	cr_assert_null(fl_out_open(flame, "."));
	cr_assert_str_eq(flame_error(flame), ".: Is a directory");
}

Test(outputs, a_full_disk_is_told)
{
	struct fl_out *out = fl_out_open(flame, "/dev/full");
	int i;

	cr_assert_not_null(out);
	for (i = 0; i < 100000; i++)
		fl_out_text(out, "text ");
	cr_assert(fl_failed(flame));
	cr_assert_eq(fl_out_close(out), FLAME_FAILED);
	cr_assert_str_eq(flame_error(flame),
			 "/dev/full: No space left on device");
}

/* The bytes of an output, packed by its name, given in pieces of this size. */
static struct fl_buf written(const char *name, struct fl_buf text,
			     size_t piece)
{
	struct fl_buf bytes = { 0 };
	struct fl_out *out = fl_out_open(flame, name);
	FILE *file;
	int c;

	cr_assert_not_null(out, "%s", flame_error(flame));
	for (size_t i = 0; i < text.size; i += piece)
		fl_out_put(out, text.data + i, FL_MIN(piece, text.size - i));
	cr_assert_eq(fl_out_close(out), FLAME_OK);
	file = fopen(name, "rb");
	cr_assert_not_null(file);
	while ((c = getc(file)) != EOF)
		fl_buf_byte(&bytes, (char)c);
	fclose(file);
	return bytes;
}

Test(outputs, names_in_gz_and_zst_are_packed)
{
	static const char *const names[] = { "x.gz", "x.svgz", "x.folded.zst" };
	static const size_t sizes[] = { 0, 1, 1000, 262144, 3000000 };

	for (size_t i = 0; i < FL_COUNT(names) * FL_COUNT(sizes); i++) {
		const char *name = names[i % FL_COUNT(names)];
		struct fl_buf text = make_text(sizes[i / FL_COUNT(names)]);
		struct fl_buf all = written(name, text, 4000000);
		struct fl_buf parts = written(name, text, 1000);

		cr_expect_eq(all.size, parts.size, "%s", name);
		cr_expect(memcmp(all.data, parts.data, all.size) == 0,
			  "%s: other bytes in other pieces", name);
		cr_expect(text.size < 1000 || all.size < text.size);
		expect(decoded(all), text.data, text.size, NULL);
		fl_buf_free(&text);
		fl_buf_free(&all);
		fl_buf_free(&parts);
	}
}

Test(outputs, gzip_has_neither_a_time_nor_a_name)
{
	struct fl_buf text = make_text(10);
	struct fl_buf bytes = written("x.gz", text, 10);

	cr_assert_geq(bytes.size, 10);
	cr_expect(memcmp(bytes.data, "\x1f\x8b\x08\0\0\0\0\0", 8) == 0);
	fl_buf_free(&text);
	fl_buf_free(&bytes);
}

Test(outputs, names_of_packed_files_that_are_not_written_are_refused)
{
	cr_expect_null(fl_out_open(flame, "x.folded.xz"));
	cr_expect(strstr(flame_error(flame), ".xz is not written"), "%s",
		  flame_error(flame));
	cr_expect_eq(access("x.folded.xz", F_OK), -1);
}

Test(outputs, a_format_is_told_by_what_stands_before_the_packing)
{
	cr_expect_str_eq(flame_format_of("x.folded.gz"), "folded");
	cr_expect_str_eq(flame_format_of("a/x.html.zst"), "html");
	cr_expect_str_eq(flame_format_of("x.svgz"), "svg");
	cr_expect_str_eq(flame_format_of("x.pb.gz"), "pprof");
	cr_expect_null(flame_format_of("x.gz"));
	cr_expect_null(flame_format_of(".gz"));
	cr_expect_null(flame_format_of("x.unknown.gz"));
}

Test(outputs, a_reader_who_left_is_a_quiet_failure)
{
	struct fl_out *out;
	int ends[2];
	char path[40];

	signal(SIGPIPE, SIG_IGN);
	cr_assert_eq(pipe(ends), 0);
	snprintf(path, sizeof(path), "/dev/fd/%d", ends[1]);
	out = fl_out_open(flame, path);
	close(ends[0]);
	close(ends[1]);
	fl_out_text(out, "text");
	cr_assert_eq(fl_out_close(out), FLAME_FAILED);
	cr_assert(fl_failed(flame));
	cr_assert_str_eq(flame_error(flame), "");
}

Test(outputs, standard_output_is_written_where_it_stands)
{
	static const char *const paths[] = {
		"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1",
	};
	int saved = dup(STDOUT_FILENO), fd = creat("f", 0600);
	struct fl_out *out;
	size_t i;

	fflush(stdout);
	dup2(fd, STDOUT_FILENO);
	for (i = 0; i < FL_COUNT(paths); i++) {
		out = fl_out_open(flame, paths[i]);
		fl_out_text(out, "x.");
		cr_assert_eq(fl_out_close(out), FLAME_OK);
	}
	dup2(saved, STDOUT_FILENO);
	expect_file("f", "x.x.x.x.");
}

Test(outputs, a_fifo_stays_a_fifo)
{
	struct stat st;
	struct fl_out *out;
	char got[8] = "";
	int fd;

	mkfifo("pipe", 0600);
	fd = open("pipe", O_RDONLY | O_NONBLOCK);
	out = fl_out_open(flame, "pipe");
	fl_out_text(out, "text");
	cr_assert_eq(fl_out_close(out), FLAME_OK);
	cr_assert_eq(read(fd, got, sizeof(got)), 4);
	cr_assert(stat("pipe", &st) == 0 && S_ISFIFO(st.st_mode));
}

Test(outputs, pieces_of_all_sizes_arrive_in_order)
{
	struct fl_buf text = make_text(2000000), got = { 0 };
	struct fl_out *out = fl_out_memory(flame, &got);
	size_t done, n = 1;
	char *room;

	for (done = 0; done < text.size; done += n) {
		n = FL_MIN(n * 7 % 100003, text.size - done);
		if (n > FL_OUT_RESERVE) {
			fl_out_put(out, text.data + done, n);
			continue;
		}
		memcpy(room = fl_out_reserve(out), text.data + done, n);
		fl_out_commit(out, room + n);
	}
	cr_assert_eq(fl_out_close(out), FLAME_OK);
	cr_assert_eq(got.size, text.size);
	cr_assert_eq(memcmp(got.data, text.data, got.size), 0);
	got.size = 0;
	text.data[100000] = '\0';
	out = fl_out_memory(flame, &got);
	fl_out_print(out, "[%s]", text.data);
	cr_assert_eq(fl_out_close(out), FLAME_OK);
	cr_assert_eq(got.size, 100002);
	fl_buf_free(&got);
	fl_buf_free(&text);
}

/* URLs ----------------------------------------------------------------- */

static struct fl_buf spelt;

static const char *shown(const char *url)
{
	spelt.size = 0;
	fl_buf_text(&spelt, url);
	flame_hide_secrets(spelt.data, true);
	return spelt.data;
}

static const char *asked(const char *url, const char *user, const char *token,
			 uint64_t offset)
{
	struct fl_hdfs_login login = { .user = user, .token = token };
	struct fl_hdfs hdfs = { .count = 0 };

	spelt.size = 0;
	cr_assert(fl_hdfs_find(&hdfs, url));
	fl_hdfs_request(&spelt, &hdfs, 0, &login, offset);
	fl_hdfs_free(&hdfs);
	return spelt.data;
}

static const char *explained(long status, const char *body)
{
	spelt.size = 0;
	fl_url_explain(&spelt, status, body, strlen(body));
	return spelt.data;
}

Test(urls, are_told_from_files_by_their_beginning)
{
	cr_expect_eq(fl_url_protocol("http://h/x"), &fl_protocol_http);
	cr_expect_eq(fl_url_protocol("HTTPS://h"), &fl_protocol_http);
	cr_expect_eq(fl_url_protocol("swebhdfs://h/x"), &fl_protocol_webhdfs);
	cr_expect_eq(fl_url_protocol("http:/h/x"), NULL);
	cr_expect_eq(fl_url_protocol("s3n://h/x"), &fl_protocol_s3);
	cr_expect_eq(fl_url_protocol("gs://h/x"), &fl_protocol_client);
	cr_expect_eq(fl_url_protocol("dbfs:/x"), &fl_protocol_client);
	cr_expect_eq(fl_url_protocol("http://h/a/webhdfs/v1/x"),
		     &fl_protocol_webhdfs);
	cr_expect_eq(fl_url_protocol("gs:/h/x"), NULL);
	cr_expect_eq(fl_url_protocol(""), NULL);
	cr_expect_eq(flame_url("a/b"), 0);
	cr_expect_eq(flame_url("http://h/x"), FLAME_URL);
	cr_expect_eq(flame_url("webhdfs://h/x"), FLAME_URL_TREE);
	cr_expect_str_eq(flame_local_path("file:///a b"), "/a b");
	cr_expect_str_eq(flame_local_path("file:/a"), "/a");
	cr_expect_str_eq(flame_local_path("FILE://localhost/a"), "/a");
	cr_expect_str_eq(flame_local_path("file:a"), "file:a");
}

Test(urls, are_shown_without_secrets)
{
	cr_expect_str_eq(shown("http://h:1/a?b=c"), "http://h:1/a");
	cr_expect_str_eq(shown("https://u:p@w@h"), "https://h");
	cr_expect_str_eq(shown("http://u@h/a@b?x=1&X-Amz-Signature=ab&y="),
			 "http://h/a@b");
	cr_expect_str_eq(shown("webhdfs://u@h/a?token=b"),
			 "webhdfs://h/a");
	fl_buf_free(&spelt);
}

static const char *answer_without(const char *url, const char *answer)
{
	spelt.size = 0;
	fl_buf_text(&spelt, answer);
	fl_url_hide_those_of(&spelt, url);
	fl_buf_byte(&spelt, '\0');
	return spelt.data;
}

Test(urls, answers_are_shown_without_their_secrets)
{
	cr_expect_str_eq(answer_without("http://user:p%40ssw@h/x?a=va%6cue&b=1"
					"&word#f",
		"user p@ssw p%40ssw va%6cue value a=1 word Basic dXNlcjpw: f"),
		"... ... ... ... ... a=1 ... Basic ...: f");
	cr_expect_str_eq(answer_without("http://h/x", "HTTP h/x Basic auth"),
			 "HTTP h/x Basic auth");
	cr_expect_str_eq(answer_without("http://u@h?", "u h?"), "u h?");
	cr_expect_str_eq(answer_without("http://user@h?x=%", "useruser%"),
			 "......%");
	cr_expect_str_eq(answer_without("http://user@h", "useruseruseruser"),
			 "............");
	fl_buf_free(&spelt);
}

Test(urls, of_hdfs_become_requests)
{
	cr_expect_str_eq(asked("webhdfs://nn/a", NULL, NULL, 0),
			 "http://nn:9870/webhdfs/v1/a?op=OPEN");
	cr_expect_str_eq(asked("swebhdfs://[::1]/a b/?%", "m e", NULL, 7),
			 "https://[::1]:9871/webhdfs/v1/a%20b/%3F%25?op=OPEN"
			 "&user.name=m%20e&offset=7");
	cr_expect_str_eq(asked("webhdfs://u@nn:1/a//", "x", NULL, 0),
			 "http://nn:1/webhdfs/v1/a?op=LISTSTATUS&user.name=u");
	cr_expect_str_eq(asked("https://k/gateway/d/webhdfs/v1/a b", 0, 0, 0),
			 "https://k/gateway/d/webhdfs/v1/a%20b?op=OPEN");
	cr_expect_str_eq(asked("webhdfs://u:p@nn:1", "x", "t", 0),
			 "http://u:p@nn:1/webhdfs/v1/?op=LISTSTATUS"
			 "&delegation=t");
	fl_buf_free(&spelt);
}

Test(urls, answers_in_place_of_a_file_are_explained)
{
	cr_expect_str_eq(explained(403, "{\"RemoteException\":{\"message\": "
		"\"No \\\"x\\\"\\n\\tat y\",\"exception\" : \"E\"}}"),
		"HTTP 403: E: No \"x\"");
	cr_expect_str_eq(explained(404, ""),
			 "No such file or directory (HTTP 404)");
	cr_expect_str_eq(explained(200, "<HTML><Title>Log\n in</Title>"),
			 "an HTML page \"Log in\" in place of the file");
	cr_expect_str_eq(explained(502, "first\nsecond"), "HTTP 502: first");
	/* Cut anywhere. */
	cr_expect_str_eq(explained(500, "{\"RemoteException\":{\"exception\":\""),
			 "HTTP 500: : ");
	fl_buf_free(&spelt);
}

Test(urls, options_have_limits)
{
	cr_expect_eq(flame_process_url_option(NULL, "timeout", "0"), FLAME_FAILED);
	cr_expect_eq(flame_process_url_option(NULL, "timeout", "x"), FLAME_FAILED);
	cr_expect_eq(flame_process_url_option(NULL, "timeout", "7"), FLAME_OK);
	cr_expect_eq(fl_url_timeout(), 7);
	cr_expect_eq(flame_process_url_option(NULL, "retries", "0"), FLAME_OK);
	cr_expect_eq(fl_url_retries(), 0);
	cr_expect_eq(flame_process_url_option(NULL, "token", ""), FLAME_FAILED);
	cr_expect_eq(flame_process_url_option(NULL, "other", "1"), FLAME_FAILED);
}

/* Hadoop's tokens ------------------------------------------------------- */

/* Of three tokens, in writable format: an alias, and the token itself. */
#define TOKEN(id, kind, service) "\1a" id "\2pw" kind service
#define TOKENS "HDTS\0\3" \
	TOKEN("\4yarn", "\x10YARN_AM_RM_TOKEN", "\0") \
	TOKEN("\3one", "\x15HDFS_DELEGATION_TOKEN", "\x0d" "10.0.0.1:8020") \
	TOKEN("\3two", "\x15HDFS_DELEGATION_TOKEN", "\x0cha-hdfs:prof") \
	"\0"

static bool is_text(void *text, struct slice service)
{
	return fl_slice_is(service, *(const char **)text);
}

static void expect_token(const char *file, size_t size, const char *service,
			 const char *token)
{
	struct fl_buf out = { 0 };
	bool found = fl_hadoop_token(&out, file, size, is_text, &service);

	cr_expect_eq(found, token != NULL, "%s", service);
	if (token)
		cr_expect(fl_slice_is(fl_buf_slice(&out), token), "%.*s",
			  (int)out.size, out.data);
	fl_buf_free(&out);
}

/* The texts are those of Python's base64.urlsafe_b64encode. */
Test(hadoop_token, the_service_chooses)
{
	static const char tokens[] = TOKENS;

	expect_token(tokens, sizeof(tokens) - 1, "ha-hdfs:prof",
		     "A3R3bwJwdxVIREZTX0RFTEVHQVRJT05fVE9LRU4MaGEtaGRmczpwcm9m");
	expect_token(tokens, sizeof(tokens) - 1, "10.0.0.1:8020",
		     "A29uZQJwdxVIREZTX0RFTEVHQVRJT05fVE9LRU4NMTAuMC4wLjE6ODAyMA");
	expect_token(tokens, sizeof(tokens) - 1, "other", NULL);
	expect_token(tokens, sizeof(tokens) - 1, "", NULL);	/* of YARN */
	/* A cut file has the tokens before the cut. */
	expect_token(tokens, sizeof(tokens) - 8, "10.0.0.1:8020",
		     "A29uZQJwdxVIREZTX0RFTEVHQVRJT05fVE9LRU4NMTAuMC4wLjE6ODAyMA");
	expect_token(tokens, sizeof(tokens) - 8, "ha-hdfs:prof", NULL);
	expect_token(tokens, 20, "10.0.0.1:8020", NULL);
	expect_token("HDTS\1\x7f", 6, "ha-hdfs:prof", NULL);
	expect_token("", 0, "", NULL);
}

/* The pin of a token with this service; NULL: the URL's node gets none. */
static const char *pin_of(const char *url, size_t node, const char *service,
			  bool withheld)
{
	static const char head[] =
		"HDTS\0\1" TOKEN("\3one", "\x15HDFS_DELEGATION_TOKEN", "");
	static char pin[200];
	char path[] = "/tmp/flame-token-XXXXXX";
	FILE *file = fdopen(mkstemp(path), "wb");
	struct fl_hdfs hdfs = { .count = 0 };
	struct fl_buf out = { 0 };
	bool found;

	fwrite(head, 1, sizeof(head) - 1, file);
	fprintf(file, "%c%s%c", (int)strlen(service), service, 0);
	fclose(file);
	cr_assert(fl_hdfs_find(&hdfs, url) && node < hdfs.count, "%s", url);
	found = fl_hdfs_token(&out, path, &hdfs, node);
	cr_expect_eq(hdfs.withheld, withheld, "%s %s", url, service);
	snprintf(pin, sizeof(pin), "%.*s", (int)hdfs.pin.size,
		 hdfs.pin.size ? hdfs.pin.data : "");
	cr_expect(!hdfs.withheld || !found);
	fl_buf_free(&out);
	fl_hdfs_free(&hdfs);
	unlink(path);
	return found ? pin : NULL;
}

Test(hadoop_token, goes_to_the_address_and_port_it_names)
{
	setenv("HADOOP_CONF_DIR", "/nowhere", 1);
	cr_expect_null(pin_of("webhdfs://127.0.0.1:82", 0, "ha-hdfs:p", false));
	cr_expect_null(pin_of("webhdfs://p", 0, "ha-hdfs:p", false));
	cr_expect_null(pin_of("webhdfs://127.0.0.1:82", 0, "127.0.0.1:81",
			      false));
	cr_expect_null(pin_of("webhdfs://10.0.0.2", 0, "10.0.0.1:9870", false));
	cr_expect_null(pin_of("webhdfs://10.0.0.2", 0, "10.0.0.2", false));
	cr_expect_null(pin_of("webhdfs://10.0.0.2", 0, "", false));
	cr_expect_str_eq(pin_of("webhdfs://10.0.0.1", 0, "10.0.0.1:9870",
				false), "");
	cr_expect_str_eq(pin_of("webhdfs://a,10.0.0.1:1", 1, "10.0.0.1:1",
				false), "");
	cr_expect_str_eq(pin_of("webhdfs://NN.x:1", 0, "nn.X:1", false), "");
	cr_expect_str_eq(pin_of("webhdfs://LocalHost", 0, "127.0.0.1:9870",
				false),
			 "LocalHost:9870:127.0.0.1:9870");
	cr_expect_str_eq(pin_of("swebhdfs://[::1]", 0, "0:0:0:0:0:0:0:1:9871",
				false), "[::1]:9871:[::1]:9871");
	cr_expect_str_eq(pin_of("https://u:p@127.0.0.1/x/webhdfs/v1/a", 0,
				"127.0.0.1:443", false),
			 "127.0.0.1:443:127.0.0.1:443");
}

#define SETTING(name, value) \
	"<property><name>dfs." name "</name><value>" value "</value></property>"

Test(hadoop_token, goes_to_configured_name_nodes_of_its_service)
{
	char conf[] = "/tmp/flame-conf-XXXXXX", path[64];
	FILE *file;

	cr_assert(mkdtemp(conf));
	snprintf(path, sizeof(path), "%s/hdfs-site.xml", conf);
	file = fopen(path, "w");
	fputs("<configuration>"
	      SETTING("ha.namenodes.prof", "a,b")
	      SETTING("namenode.rpc-address.prof.a", "127.0.0.1:8020")
	      SETTING("namenode.rpc-address.prof.b", "10.0.0.2:8020")
	      SETTING("namenode.http-address.prof.a", "localhost:70")
	      SETTING("namenode.https-address.prof.b", "10.0.0.2:71")
	      SETTING("namenode.rpc-address.one", "127.0.0.9:8020")
	      "</configuration>", file);
	fclose(file);
	setenv("HADOOP_CONF_DIR", conf, 1);
	cr_expect_str_eq(pin_of("hdfs://prof/", 0, "ha-hdfs:prof", false), "");
	cr_expect_str_eq(pin_of("hdfs://prof/", 0, "127.0.0.1:8020", false),
			 "");
	cr_expect_str_eq(pin_of("webhdfs://127.0.0.1:70", 0, "ha-webhdfs:prof",
				false), "127.0.0.1:70:127.0.0.1:70");
	cr_expect_str_eq(pin_of("swebhdfs://10.0.0.2:71", 0, "ha-hdfs:prof",
				false), "");
	cr_expect_str_eq(pin_of("hdfs://one/", 0, "127.0.0.9:8020", false), "");
	/* http to another machine can be read on its way. */
	cr_expect_null(pin_of("hdfs://prof/", 1, "ha-hdfs:prof", true));
	cr_expect_null(pin_of("webhdfs://10.0.0.2", 0, "10.0.0.2:8020", true));
	cr_expect_str_eq(pin_of("hdfs://prof/", 1, "10.0.0.2:9870", false), "");
	/* Of others. */
	cr_expect_null(pin_of("hdfs://prof/", 0, "ha-hdfs:pro", false));
	cr_expect_null(pin_of("hdfs://prof/", 0, "ha-hdfs:", false));
	cr_expect_null(pin_of("hdfs://prof/", 0, "ha-hdfs", false));
	cr_expect_null(pin_of("hdfs://one/", 0, "ha-hdfs:one", false));
	cr_expect_null(pin_of("hdfs://prof/", 0, "127.0.0.9:8020", false));
	cr_expect_null(pin_of("webhdfs://127.0.0.1:72", 0, "ha-hdfs:prof",
			      false));
	unlink(path);
	rmdir(conf);
}

/* A terminal ----------------------------------------------------------- */

/* The text as a terminal would get it, written in pieces of this size. */
static const char *on_screen(const char *text, size_t piece)
{
	static char shown[200];
	struct fl_screen screen = { .size = 0 };
	struct fl_buf out = { 0 };

	for (size_t n = strlen(text), i = 0; i < n; i += piece)
		fl_screen_put(&out, &screen, text + i, FL_MIN(piece, n - i),
			      false);
	fl_screen_put(&out, &screen, "", 0, true);
	snprintf(shown, sizeof(shown), "%.*s", (int)out.size, out.data);
	fl_buf_free(&out);
	return shown;
}

Test(screen, controls_and_hidden_characters_do_not_reach_a_terminal)
{
	for (size_t piece = 1; piece < 40; piece++) {
		cr_expect_str_eq(on_screen("a\033]0;t\a\tb\r\n", piece),
				 "a ]0;t \tb \n");
		cr_expect_str_eq(on_screen("\xc2\x9b" "31m\u202ex\xff", piece),
				 "<U+009B>31m<U+202E>x?");
		cr_expect_str_eq(on_screen("caf\u00e9 \u65e5 \U0001f525", piece),
				 "caf\u00e9 \u65e5 \U0001f525");
		cr_expect_str_eq(on_screen("x\xe6\x97", piece), "x??");
	}
}

Test(screen, colours_of_our_writers_do)
{
	for (size_t piece = 1; piece < 20; piece++) {
		cr_expect_str_eq(on_screen("\033[38;5;100mx\033[0m", piece),
				 "\033[38;5;100mx\033[0m");
		cr_expect_str_eq(on_screen("\033[48;2;232;146;155mx", piece),
				 "\033[48;2;232;146;155mx");
		cr_expect_str_eq(on_screen("\033[2J\033[", piece),
				 " [2J [");
	}
}
