/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recognizes text that needs no dictionary of frames, for read.c, stack.c and
 * light.c.  fl_folded_is_plain() says whether a line is written as it was read;
 * fl_folded_is_distinct() reads the beginning of an input and says whether
 * nearly every name is new, so that its stacks have little to share.
 */
#include "fl.h"

#include "base/block.h"
#include "base/demangle.h"
#include "dict/java.h"
#include "format/folded/folded.h"

enum {
	MIN_BYTES = 2 << 20,	/* of an input that is worth it */
	SAMPLE_BYTES = 64 << 10,	/* of it that decide */
	SEEN = 1 << 14,		/* hashes of names, a power of two */
	MAX_STACK = 60000	/* bytes, and thus half as many frames */
};

/* What bytes of a line may mean, besides frames between ';'. */
enum { CONTROL = 1, DOT = 2, COLON = 4, MANGLED = 8, OPENS = 16, MARK = 32 };

static unsigned meaning_of(const char *block)
{
	unsigned opens = fl_block_bracket(block) | fl_block_is(block, '/') |
			 fl_block_is(block, '"');
	unsigned mangled = fl_block_is(block, 'Z') | fl_block_is(block, 'R');
	unsigned marks = fl_block_is(block, '#') | fl_block_is(block, '$') |
			 fl_block_is(block, BYTE_ORDER_MARK[0]);

	return (fl_block_control(block) ? CONTROL : 0) |
	       (fl_block_is(block, '.') ? DOT : 0) |
	       (fl_block_is(block, ':') ? COLON : 0) |
	       (mangled ? MANGLED : 0) | (opens ? OPENS : 0) |
	       (marks ? MARK : 0);
}

/* The same of all; *empty: some frame is. */
static unsigned scan_line(struct slice line, bool *empty)
{
	unsigned means = 0, before = 1, ends;

	*empty = line.data[line.size - 1] == ';';
	for (size_t i = 0; i < line.size; i += FL_BLOCK_SIZE) {
		const char *block = line.data + i;
		char last[FL_BLOCK_SIZE];

		if (line.size - i < FL_BLOCK_SIZE) {
			memset(last, ' ', sizeof(last));
			memcpy(last, block, line.size - i);
			block = last;
		}
		means |= meaning_of(block);
		ends = fl_block_is(block, ';');
		*empty |= (ends & (ends << 1 | before)) != 0;
		before = ends >> (FL_BLOCK_SIZE - 1);
	}
	/* Of names without a '.' only a/b/C:::m are Java's. */
	if (means & COLON && memmem(line.data, line.size, ":::", 3))
		means |= DOT;
	return means & ~(unsigned)COLON;
}

/* [worker-1 tid=7]: comparisons remove the number. */
static bool is_thread(struct slice frame)
{
	return frame.size > 2 && frame.data[0] == '[' &&
	       frame.data[frame.size - 1] == ']' &&
	       (fl_is_digit(frame.data[frame.size - 2]) ||
		frame.data[frame.size - 2] == '*');
}

/* What writers change (comments, byte order marks) or count (Swift's names). */
static bool is_marked(struct slice frame)
{
	return fl_folded_comment(frame) || fl_slice_starts(frame, "$s") ||
	       fl_slice_starts(frame, "_$s") ||
	       fl_slice_starts(frame, BYTE_ORDER_MARK);
}

/* Whether neither reading nor writing changes the frame's text. */
static bool is_plain_frame(const struct fl_folded_stacks *s,
			   struct slice frame, unsigned means)
{
	const struct flame *flame = s->flame;
	struct fl_buf other = { 0 };
	enum flame_type type;
	bool spelt = false;

	fl_split_type(frame, &type);
	if (type != FLAME_UNKNOWN ||
	    (means & OPENS && !s->dialect->compat && fl_folded_opens(frame)) ||
	    (means & OPENS && is_thread(frame)) ||
	    (means & MARK && is_marked(frame)) ||
	    (means & MANGLED && flame->demangle && fl_is_mangled(frame)))
		return false;
	if (means & DOT && flame->unify)
		spelt = fl_java_plain(frame, FLAME_UNKNOWN, false, &other);
	spelt = spelt || other.failed;
	fl_buf_free(&other);
	return !spelt;
}

/* Whether the first frame may name a thread: see thread.c. */
static bool may_name_thread(struct slice stack)
{
	return stack.data[0] == '[' || fl_slice_starts(stack, "thread (") ||
	       fl_slice_starts(stack, "process ") ||
	       fl_slice_starts(stack, "tid:");
}

bool fl_folded_is_plain(const struct fl_folded_stacks *s, struct slice stack)
{
	unsigned means;
	bool empty;

	if (!stack.size || stack.size > MAX_STACK || may_name_thread(stack))
		return false;
	means = scan_line(stack, &empty);
	if (empty || means & CONTROL)
		return false;
	while (means && stack.size)
		if (!is_plain_frame(s, fl_slice_split(&stack, ';'), means))
			return false;
	return true;
}

static bool is_number(char c)
{
	return c >= '0' && c <= '9';
}

/* The stack of a line that ends in a blank and a number. */
static struct slice stack_of(struct slice line)
{
	line = fl_slice_trim_end(line);
	while (line.size && is_number(line.data[line.size - 1]))
		line.size--;
	line.size -= line.size != 0;
	return line;
}

/* Counts frames, and those of a name that was not seen before. */
static void count_names(struct slice stack, uint32_t *seen, size_t *frames,
			size_t *fresh)
{
	while (stack.size) {
		struct slice frame = fl_slice_split(&stack, ';');
		uint32_t hash = (uint32_t)(fl_hash(frame.data, frame.size) >>
					   32) | 1;
		uint32_t *at = &seen[hash >> 1 & (SEEN - 1)];

		++*frames;
		*fresh += *at != hash;
		*at = hash;
	}
}

bool fl_folded_is_distinct(struct flame_source *source,
			   const struct fl_folded_stacks *s)
{
	size_t frames = 0, fresh = 0;
	struct slice text;
	uint32_t *seen;
	uint64_t size;
	bool plain;

	if (!fl_in_size(source->in, &size) ||
	    size < fl_parallel_size(source->flame, MIN_BYTES))
		return false;
	text.data = (const char *)fl_in_peek(source->in, SAMPLE_BYTES,
					     &text.size);
	seen = text.data ? fl_zeroed(SEEN, sizeof(*seen)) : NULL;
	plain = seen;
	text.size = plain ? fl_lines_split(text.data,
					   FL_MIN(text.size,
						  (size_t)SAMPLE_BYTES)) : 0;
	while (plain && text.size) {
		struct slice stack = stack_of(fl_slice_split(&text, '\n'));

		plain = fl_folded_is_plain(s, stack);
		count_names(stack, seen, &frames, &fresh);
	}
	fl_free(seen);
	return plain && fresh > frames / 2;
}
