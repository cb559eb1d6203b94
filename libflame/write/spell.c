/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Appends names and stacks to a buffer as folded text ("main;work_[j]"), and
 * texts as strings of JSON: what the writers of rows and of JSON share.
 */
#include "fl.h"

#include "write/rows.h"

static bool is_control(char c)
{
	return (unsigned char)c < 0x20 || c == 0x7f;
}

/* Replaces ';', which separates frames, and control characters. */
void fl_spell_frame(struct fl_buf *to, const struct flame *flame,
		    flame_id name, enum flame_type type)
{
	struct slice text = fl_name_at(flame, name);
	size_t from = to->size;

	fl_buf_put(to, text.data, text.size);
	for (size_t i = from; i < to->size; i++) {
		if (to->data[i] == ';')
			to->data[i] = ':';
		else if (is_control(to->data[i]))
			to->data[i] = ' ';
	}
	fl_buf_text(to, fl_type_suffix(type));
}

static size_t depth_of(const struct flame *flame, flame_id stack)
{
	size_t depth = 0;

	for (; stack; stack = fl_parent(flame, stack))
		depth++;
	return depth;
}

/* Collects frames first, as parents lead from the leaf to the root. */
void fl_spell_stack(struct fl_buf *to, const struct flame *flame,
		    flame_id stack)
{
	size_t depth = depth_of(flame, stack);
	flame_id *frames = fl_alloc(fl_size_mul(depth + 1, sizeof(*frames)));
	const struct flame_frame *frame;

	if (!frames) {
		to->failed = true;
		return;
	}
	for (size_t i = depth; i; stack = fl_parent(flame, stack))
		frames[--i] = fl_frame_id(flame, stack);
	for (size_t i = 0; i < depth; i++) {
		frame = &flame->frames.data[frames[i]];
		if (i)
			fl_buf_byte(to, ';');
		fl_spell_frame(to, flame, frame->name, frame->type);
	}
	fl_free(frames);
}

static void put_byte(struct fl_buf *to, unsigned char c)
{
	if (c == '"' || c == '\\') {
		fl_buf_byte(to, '\\');
		fl_buf_byte(to, (char)c);
	} else if (c < 0x20 || c == 0x7f) {
		fl_buf_print(to, "\\u%04x", c);
	} else {
		fl_buf_byte(to, (char)c);
	}
}

void fl_spell_json(struct fl_buf *to, struct slice text)
{
	unsigned n;

	fl_buf_byte(to, '"');
	for (size_t i = 0; i < text.size; i += n) {
		n = fl_utf8_length(text.data + i, text.size - i);
		if (n > 1) {
			fl_buf_put(to, text.data + i, n);
		} else if (!n) {
			fl_buf_text(to, "\xef\xbf\xbd");
			n = 1;
		} else {
			put_byte(to, (unsigned char)text.data[i]);
		}
	}
	fl_buf_byte(to, '"');
}
