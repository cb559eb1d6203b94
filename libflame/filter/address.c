/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names without the addresses in them, which differ from run to run:
 * "0x7f81c0" becomes "0x...".
 */
#include "fl.h"

#include "filter/filter.h"

struct strip {
	struct fl_stepper stepper;
	struct fl_rewrite frames;	/* out[]: by frame, plus one */
	struct fl_buf name;
};

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') ||
	       (c >= 'A' && c <= 'F');
}

/* false: there is no address in it. */
static bool strip(struct slice name, struct fl_buf *out)
{
	size_t done = 0, end;

	out->size = 0;
	for (size_t i = 0; i + 2 < name.size; i++) {
		if (name.at[i] != '0' || name.at[i + 1] != 'x' ||
		    !is_hex(name.at[i + 2]))
			continue;
		for (end = i + 2; end < name.size && is_hex(name.at[end]);)
			end++;
		fl_buf_put(out, name.at + done, i + 2 - done);
		fl_buf_text(out, "...");
		done = end;
		i = end - 1;
	}
	if (done)
		fl_buf_put(out, name.at + done, name.size - done);
	return done;
}

static flame_id stripped(struct flame *flame, struct strip *s, flame_id frame)
{
	struct flame_frame copy = flame->frames.at[frame];

	if (strip(fl_name_at(flame, copy.name), &s->name)) {
		if (s->name.failed)
			fl_no_memory(flame);
		else
			copy.name = flame_name(flame, s->name.at,
					       s->name.size);
	}
	return flame_frame(flame, &copy);
}

static flame_id step(struct flame_sink *sink, flame_id parent, flame_id stack)
{
	struct strip *s = sink->state;
	flame_id frame = fl_frame_id(sink->flame, stack);
	flame_id *place = fl_rewrite_place(sink->flame, &s->frames, frame);

	if (!place)
		return 0;
	if (!*place)
		*place = stripped(sink->flame, s, frame) + 1;
	return flame_stack(sink->flame, parent, *place - 1);
}

static void release(struct flame_sink *sink)
{
	struct strip *s = sink->state;

	fl_rewrite_free(&s->frames);
	fl_buf_free(&s->name);
	fl_stepper_free(sink);
}

static struct flame_sink *make(struct flame_sink *next, const char *arg)
{
	struct flame_sink *sink = fl_stepper_new(next, sizeof(struct strip),
						 step);

	(void)arg;
	if (sink)
		sink->free = release;
	return sink;
}

const struct fl_filter fl_filter_strip_hex = {
	.name = "strip-hex",
	.summary = "addresses in names become 0x...",
	.make = make, .rank = 19, .compat = true,
};
