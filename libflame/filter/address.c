/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The filter strip-hex replaces the digits of addresses, which differ from run
 * to run, in names of frames: "0x7f81c0" becomes "0x...".  fl_strip_addresses()
 * does this to one name, for the rule "addresses" of --tidy as well (tidy.c).
 */
#include "fl.h"

#include "filter/filter.h"

bool fl_strip_addresses(struct slice name, struct fl_buf *out)
{
	size_t done = 0, end;

	for (size_t i = 0; i + 2 < name.size; i++) {
		if (name.data[i] != '0' || name.data[i + 1] != 'x' ||
		    !fl_is_hex(name.data[i + 2]))
			continue;
		for (end = i + 2; end < name.size && fl_is_hex(name.data[end]);)
			end++;
		fl_buf_put(out, name.data + done, i + 2 - done);
		fl_buf_text(out, "...");
		done = end;
		i = end - 1;
	}
	if (done)
		fl_buf_put(out, name.data + done, name.size - done);
	return done;
}

static flame_id strip(struct flame_sink *sink, flame_id frame)
{
	struct fl_namer *namer = sink->state;
	struct flame *flame = sink->flame;
	flame_id name = flame->frames.data[frame].name;

	if (!fl_strip_addresses(fl_name_at(flame, name), &namer->buf))
		return frame;
	return fl_renamed(flame, frame, &namer->buf);
}

static struct flame_sink *make(struct flame_sink *next, const char *arg)
{
	(void)arg;
	return fl_namer_new(next, sizeof(struct fl_namer), strip);
}

const struct fl_filter fl_filter_strip_hex = {
	.name = "strip-hex",
	.summary = "addresses in names become 0x...",
	.make = make, .rank = 19, .compat = true,
	.idempotent = true,
};
