/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folded text: what was written is read as it was, read(write(x)) = x; lines
 * that need no dictionary of frames are written as if they had one.
 */
#include "fuzz.h"

#include <stdio.h>

/* Text as it comes out again; false where it cannot be read. */
static bool pass(const struct fl_buf *from, struct fl_buf *to, int64_t *sum)
{
	struct flame *flame = fuzz_flame();
	struct flame_sink *sink = fuzz_watch(flame, fuzz_writer(flame, "folded",
								to), sum);
	bool good = fuzz_read(flame, from->data, from->size, "folded", sink) ==
		    FLAME_OK;

	good = flame_finish(sink) == FLAME_OK && good;
	FUZZ_HOLDS(!good || to->size == 0 || !flame_warnings(flame) || sum);
	fuzz_flame_holds(flame);
	flame_free(flame);
	return good;
}

/* Text that was written once is written the same from then on. */
static void again(const struct fl_buf *once, int64_t sum)
{
	struct fl_buf twice = { 0 };
	int64_t sum_again = 0;

	if (!once->size || !fuzz_is_plain(once->data, once->size))
		return;
	FUZZ_HOLDS(pass(once, &twice, &sum_again));
	FUZZ_HOLDS(sum == sum_again);
	FUZZ_HOLDS(once->size == twice.size);
	FUZZ_HOLDS(memcmp(once->data, twice.data, once->size) == 0);
	fl_buf_free(&twice);
}

void fuzz_roundtrip(const struct fuzz_target *target, const uint8_t *data,
		    size_t size)
{
	struct fl_buf in = { 0 }, once = { 0 };
	int64_t sum = 0;

	(void)target;
	fl_buf_put(&in, (const char *)data, size);
	if (pass(&in, &once, &sum))
		again(&once, sum);
	fl_buf_free(&in);
	fl_buf_free(&once);
}

/*
 * Stacks of any names: each frame is a type, its size and its bytes; a type
 * of 0x80 on ends the stack with that weight.  Names that cannot be written
 * are written otherwise, maybe as others are, which adds them up.
 */
void fuzz_names(const struct fuzz_target *target, const uint8_t *data,
		size_t size)
{
	struct flame *flame = fuzz_flame();
	struct fl_buf once = { 0 };
	struct flame_sink *sink = fuzz_writer(flame, "folded", &once);
	struct flame_sample sample = { .time = FLAME_NOTIME };
	int64_t sum = 0;

	(void)target;
	while (size >= 2) {
		unsigned type = data[0], n = data[1];
		const char *name;

		data += 2;
		size -= 2;
		if (type & 0x80) {
			sample.weight = n;
			sum += n;
			flame_put(sink, &sample);
			sample.stack = 0;
			continue;
		}
		n = FL_MIN(n, size);
		name = n ? (const char *)data : "-";
		sample.stack = flame_stack(flame, sample.stack,
			fl_frame(flame, flame_name(flame, name, n ? n : 1),
				 type % (FLAME_GROUP + 1)));
		data += n;
		size -= n;
	}
	if (flame_finish(sink) == FLAME_OK && once.size &&
	    fuzz_is_plain(once.data, once.size)) {
		struct fl_buf read = { 0 };
		int64_t same;

		FUZZ_HOLDS(pass(&once, &read, &same));
		FUZZ_HOLDS(same == sum);
		again(&read, sum);
		fl_buf_free(&read);
	}
	fuzz_flame_holds(flame);
	flame_free(flame);
	fl_buf_free(&once);
}

/* alone: plain lines are summed or whole, whatever the size of the text. */
static int convert(const struct fl_buf *from, const char *format, bool alone,
		   struct fl_buf *to)
{
	struct flame *flame = fuzz_flame();
	struct flame_sink *sink = fuzz_writer(flame, format, to);
	struct flame_source *source;
	int status = FLAME_FAILED;

	flame->parallel_size = 1;
	flame_unify_java(flame, true);
	flame_demangle(flame, true);
	source = flame_open_memory(flame, from->data, from->size, "m",
				   "folded");
	if (source && (!alone || flame_ask(source, "alone", NULL) == FLAME_OK))
		status = flame_pump(source, sink);
	flame_close(source);
	if (status == FLAME_OK)
		status = flame_finish(sink);
	else
		flame_abandon(sink);
	fuzz_flame_holds(flame);
	flame_free(flame);
	return status;
}

void fuzz_plain(const struct fuzz_target *target, const uint8_t *data,
		size_t size)
{
	static const char *const formats[] = { "svg", "folded" };
	struct fl_buf in = { 0 };

	(void)target;
	fl_buf_put(&in, (const char *)data, size);
	for (size_t i = 0; i < FL_COUNT(formats); i++) {
		struct fl_buf frames = { 0 }, plain = { 0 };
		int status = convert(&in, formats[i], false, &frames);

		FUZZ_HOLDS(convert(&in, formats[i], true, &plain) == status);
		FUZZ_HOLDS(status != FLAME_OK || frames.size == plain.size);
		FUZZ_HOLDS(status != FLAME_OK || !plain.size ||
			   memcmp(frames.data, plain.data, plain.size) == 0);
		fl_buf_free(&frames);
		fl_buf_free(&plain);
	}
	fl_buf_free(&in);
}
