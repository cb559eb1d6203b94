/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unpacking in a thread: all that holds of inputs and decoders holds where a
 * thread is ahead of who reads, down to what is said.
 */
#include "fl.h"

#include "io/io.h"

static struct fl_in *decoded_ahead(struct fl_in *in)
{
	in = fl_in_decoded(in);
	return in ? fl_in_unpack_in_thread(in, 1) : NULL;
}

#define fl_in_decoded decoded_ahead
#include "test_io.c"

/* Nobody reads on: the thread ends wherever it is. */
Test(decoders, what_is_ahead_may_be_left)
{
	struct fl_buf text = make_text(8 << 20);
	struct fl_buf packed = gzip(text.data, text.size);
	size_t n;

	for (size_t least = 0; least < 3 << 20; least += 700000) {
		struct fl_in *in = decoded(packed);

		cr_assert_not_null(in);
		fl_in_peek(in, least, &n);
		fl_in_close(in);
	}
	fl_buf_free(&packed);
	fl_buf_free(&text);
}

/* Neither is who waits for a pipe that sends nothing more. */
Test(decoders, a_pipe_that_is_silent_may_be_left, .timeout = 20)
{
	struct fl_buf text = make_text(1 << 20), packed;
	struct fl_in *in;
	int fd;

	/* Of text, more bytes are examined than returned. */
	memset(text.data, 1, 600);
	packed = gzip(text.data, text.size);
	mkfifo("pipe", 0600);
	fd = open("pipe", O_RDWR);
	cr_assert_eq(write(fd, packed.data, 20000), 20000);
	in = fl_in_decoded(fl_in_open(flame, "pipe"));
	cr_expect_not_null(in);
	usleep(20000);
	fl_in_close(in);
	close(fd);
	fl_buf_free(&packed);
	fl_buf_free(&text);
}
