/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Format pmcstat: reads call graphs of FreeBSD's pmcstat -G into samples, a
 * metric for each event.  Below a function stand its callers, a blank a level:
 *
 *	@ inst_retired.any [35705 samples]
 *
 *	20.86%  [7447]     zfs_lz4_compress @ /boot/kernel/zfs.ko
 *	 100.0%  [7447]      zio_compress_data
 */
#include "fl.h"

#include "format/outline/outline.h"
#include "native/frame.h"

struct reader {
	struct fl_outline outline;
	/*
	 * The module of the line before, at each level: functions may omit it.
	 */
	struct fl_buf module;
};

/* "@ EVENT [N samples]" */
static bool take_event(struct slice s, struct slice *event)
{
	if (!fl_slice_starts(s, "@ ") || !fl_slice_ends(s, " samples]"))
		return false;
	s.data += 2;
	s.size -= 2;
	*event = fl_slice_split(&s, ' ');
	s.size -= FL_MIN(s.size, strlen(" samples]"));
	if (!s.size || s.data[0] != '[')
		return false;
	return event->size &&
	       fl_slice_digits(fl_slice_from(s, 1));
}

static void begin_graph(struct reader *r, struct slice event)
{
	struct fl_outline *o = &r->outline;
	struct fl_buf *buf = &o->base.buf;

	fl_outline_end(o);
	buf->size = 0;
	fl_buf_put(buf, event.data, event.size);
	if (buf->failed)
		return;
	o->metric[0] = flame_metric(o->base.flame, buf->data, "samples");
	o->nvalues = 1;
}

/* "100.0%  [7447]      name @ module" */
static bool take_row(struct slice s, int64_t *count, struct slice *name,
		     struct slice *module)
{
	struct slice share, number;
	const char *at;

	if (!fl_slice_first_word(&s, &share) || !fl_slice_ends(share, "%") ||
	    !fl_slice_first_word(&s, &number) ||
	    !fl_slice_starts(number, "[") || !fl_slice_ends(number, "]") ||
	    !fl_parse_digits((struct slice){ number.data + 1,
					     number.size - 2 }, count))
		return false;
	s = fl_slice_trim(s);
	at = fl_slice_find(s, " @ ");
	*module = (struct slice){ "", 0 };
	if (at) {
		*module = (struct slice){ at + 3,
					  s.size - (size_t)(at - s.data) - 3 };
		s.size = (size_t)(at - s.data);
	}
	*name = s;
	return s.size > 0;
}

static void accept_line(struct fl_line_reader *base, struct slice line)
{
	struct reader *r = (struct reader *)base;
	struct slice name, module;
	int64_t count;
	flame_id frame;

	if (take_event(line, &name)) {
		begin_graph(r, name);
		return;
	}
	if (!fl_slice_trim(line).size)
		return;
	if (!r->outline.nvalues || !base->lines.ended ||
	    !take_row(fl_slice_trim(line), &count, &name, &module)) {
		fl_lines_bad(&base->lines, line);
		return;
	}
	if (module.size) {
		r->module.size = 0;
		fl_buf_put(&r->module, module.data, module.size);
	}
	module = fl_buf_slice(&r->module);
	frame = fl_outline_frame(&r->outline, name, fl_slice_base(module),
				 fl_slice_starts(module, "/boot/kernel/") ?
				 FLAME_KERNEL : FLAME_NATIVE);
	fl_outline_add(&r->outline, fl_indent(line), frame, &count);
}

/* The row of formats.def ------------------------------------------------ */

static int open_pmcstat(struct flame_source *source)
{
	struct reader *r = source->state;

	r->outline.bottom_up = true;
	return fl_line_reader_open(source);
}

static void release(void *state)
{
	struct reader *r = state;

	fl_buf_free(&r->module);
	fl_outline_free(&r->outline);
}

static int read(struct flame_source *source)
{
	struct reader *r = source->state;

	return fl_outline_read(&r->outline, accept_line);
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	struct slice text = { (const char *)head, n }, event;

	(void)whole;
	return take_event(fl_slice_trim_end(fl_slice_split(&text, '\n')),
			  &event) ? 40 : 0;
}

const struct fl_format fl_format_pmcstat = {
	.name = "pmcstat",
	.summary = "call graphs of FreeBSD's pmcstat -G",
	.probe = probe,
	.state_size = sizeof(struct reader),
	.open = open_pmcstat,
	.read = read,
	.release = release,
};
