/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folded stacks, read: "frame;frame;frame weight" a line, root first.  The
 * weight is the number after the last blank; _[0] _[1] _[i] _[j] _[k] at a
 * frame's end are its type (async-profiler's and FlameGraph's annotations).
 */
#include "fl.h"

#include "format/folded/folded.h"

#include <stdlib.h>

/* A line with a ';' or blank before a final number, or nothing at all. */
static bool is_record(struct slice line, size_t *stack, int64_t *weight)
{
	size_t i = line.size;

	while (i && line.at[i - 1] >= '0' && line.at[i - 1] <= '9')
		i--;
	if (i == line.size || !i ||
	    (line.at[i - 1] != ' ' && line.at[i - 1] != '\t'))
		return false;
	if (!fl_parse_int((struct slice){ line.at + i, line.size - i },
			  weight))
		return false;
	*stack = i - 1;
	return true;
}

static struct slice trim(struct slice line)
{
	while (line.size && (line.at[line.size - 1] == '\r' ||
			     line.at[line.size - 1] == ' ' ||
			     line.at[line.size - 1] == '\t'))
		line.size--;
	return line;
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	const char *at = (const char *)head, *end = at + n;
	unsigned good = 0;

	while (at < end && good < 4) {
		const char *lf = memchr(at, '\n', end - at);
		struct slice line = { at, (lf ? lf : end) - at };
		int64_t weight;
		size_t stack;

		if (!lf && !whole)
			break;
		if (memchr(line.at, '\0', line.size))
			return 0;
		line = trim(line);
		if (line.size && line.at[0] != '#') {
			if (!is_record(line, &stack, &weight))
				return 0;
			good++;
		}
		at = lf ? lf + 1 : end;
	}
	if (!good)
		return whole || n >= 1 << 20 ? 0 : -1;
	return 2 + good;
}

static int open_folded(struct flame_source *source)
{
	struct fl_lines *lines = calloc(1, sizeof(*lines));

	if (!lines)
		return fl_no_memory(source->flame);
	lines->in = source->in;
	source->state = lines;
	return FLAME_OK;
}

static struct slice split_type(struct slice frame, enum flame_type *type)
{
	const char *at = frame.at + frame.size - 4;

	*type = FLAME_UNKNOWN;
	if (frame.size > 4 && at[0] == '_' && at[1] == '[' && at[3] == ']')
		switch (at[2]) {
		case '0': *type = FLAME_INTERPRETED; break;
		case '1': *type = FLAME_C1; break;
		case 'i': *type = FLAME_INLINED; break;
		case 'j': *type = FLAME_JIT; break;
		case 'k': *type = FLAME_KERNEL; break;
		}
	if (*type)
		frame.size -= 4;
	return frame;
}

/* Frames without a name ("a;;b", "a;b;") are none. */
static flame_id read_stack(struct flame *flame, const char *at, size_t size)
{
	const char *end = at + size;
	flame_id stack = 0;

	while (at < end) {
		const char *semi = memchr(at, ';', end - at);
		struct slice text = { at, (semi ? semi : end) - at };
		enum flame_type type;

		at = semi ? semi + 1 : end;
		if (!text.size)
			continue;
		text = split_type(text, &type);
		stack = flame_stack(flame, stack,
				    fl_frame(flame, flame_name(flame, text.at,
							       text.size),
					     type));
	}
	return stack;
}

/* Any byte below a blank, eight at a time. */
static bool has_control(const char *at, size_t size)
{
	uint64_t word, found = 0;

	for (; size >= 8; at += 8, size -= 8) {
		memcpy(&word, at, 8);
		found |= (word - 0x2020202020202020u) & ~word;
	}
	if (found & 0x8080808080808080u)
		return true;
	while (size--)
		if ((unsigned char)*at++ < 0x20)
			return true;
	return false;
}

/* Such bytes are blanks, as they will be written: names that are one. */
static flame_id read_cleaned(struct flame *flame, const char *at, size_t size)
{
	char *copy = malloc(size);
	flame_id stack;

	if (!copy) {
		fl_no_memory(flame);
		return 0;
	}
	memcpy(copy, at, size);
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)copy[i] < 0x20)
			copy[i] = ' ';
	stack = read_stack(flame, copy, size);
	free(copy);
	return stack;
}

static int next(struct flame_source *source, struct flame_sample *sample)
{
	struct flame *flame = source->flame;
	struct fl_lines *lines = source->state;
	struct slice line;
	size_t stack;

	while (fl_lines_next(lines, &line)) {
		line = trim(line);
		if (!line.size || line.at[0] == '#')
			continue;
		memset(sample, 0, sizeof(*sample));
		sample->time = FLAME_NOTIME;
		if (!is_record(line, &stack, &sample->weight)) {
			fl_lines_bad(lines, line);
			continue;
		}
		lines->good++;
		sample->stack = fl_unlikely(has_control(line.at, stack)) ?
				read_cleaned(flame, line.at, stack) :
				read_stack(flame, line.at, stack);
		return fl_failed(flame) ? FLAME_FAILED : FLAME_OK;
	}
	return fl_lines_end(source, lines);
}

static void resume(struct flame_source *source)
{
	fl_lines_resume(source->state, source->in);
}

static bool fork_folded(const struct flame_source *whole,
			struct flame_source *part)
{
	(void)whole;
	if (part)
		((struct fl_lines *)part->state)->begun = true;
	return true;
}

static void join(struct flame_source *whole, struct flame_source *part)
{
	fl_lines_join(whole->state, part->state);
}

static void close_folded(struct flame_source *source)
{
	free(source->state);
}

const struct fl_format fl_format_folded = {
	.name = "folded",
	.summary = "frame;frame;frame weight, a line a stack",
	.suffixes = ".folded .collapsed .txt",
	.probe = probe,
	.open = open_folded,
	.next = next,
	.close = close_folded,
	.split = fl_lines_split,
	.resume = resume,
	.fork = fork_folded,
	.join = join,
	.create = fl_folded_create,
};
