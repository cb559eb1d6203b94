/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads what Python's faulthandler prints, among the lines of a log or alone.
 * Each thread is a sample of the metric threads.
 *
 *	Thread 0x00007f12ab (most recent call first):
 *	  File "/srv/job.py", line 3 in work
 *
 * A frame is "work (/srv/job.py:3)", as py-spy has it.  A thread ends at an
 * empty line or the next thread; frames are written piece by piece, so that
 * lines of the log may lie between them.
 */
#include "fl.h"

#include "format/format.h"

#include <inttypes.h>
#include <stdlib.h>

enum { FRAMES = 100 };	/* it prints no more frames of a thread */

struct faulthandler {
	struct fl_dump dump;
	bool whole;	/* the open thread is complete: another line followed */
	bool aside;	/* a C stack: its lines are not frames */
};

/*
 * "Thread 0x7f12 [name] (most recent call first):"; "Current thread", or
 * "Stack" without an id, where it prints one thread only.
 */
static bool read_header(struct slice line, struct slice *name, int64_t *id)
{
	static const char end[] = " (most recent call first):";
	char digits[20], *stop;
	size_t n = 0;

	*name = (struct slice){ line.data, 0 };
	*id = -1;
	if (!fl_slice_ends(line, end))
		return false;
	line.size -= strlen(end);
	if (fl_slice_is(line, "Stack"))
		return true;
	if (fl_slice_starts(line, "Current thread 0x"))
		line = fl_slice_from(line, strlen("Current thread 0x"));
	else if (fl_slice_starts(line, "Thread 0x"))
		line = fl_slice_from(line, strlen("Thread 0x"));
	else
		return false;
	for (; n < line.size && line.data[n] != ' '; n++) {
		if (n == 16)
			return false;
		digits[n] = line.data[n];
	}
	digits[n] = '\0';
	*id = (int64_t)(strtoull(digits, &stop, 16) & INT64_MAX);
	line = fl_slice_from(line, n);
	if (fl_slice_starts(line, " [") && fl_slice_ends(line, "]"))
		*name = (struct slice){ line.data + 2, line.size - 3 };
	return n && !*stop && (!line.size || name->size || line.size == 3);
}

static void add_frame(struct faulthandler *f, struct slice name,
		      struct slice file, struct slice line)
{
	struct fl_dump *dump = &f->dump;
	struct flame *flame = dump->source->flame;
	struct fl_buf *buf = &dump->buf;

	buf->size = 0;
	fl_buf_put(buf, name.data, name.size);
	fl_buf_text(buf, " (");
	fl_buf_put(buf, file.data, file.size);
	if (!fl_slice_is(line, "???")) {
		fl_buf_byte(buf, ':');
		fl_buf_put(buf, line.data, line.size);
	}
	fl_buf_byte(buf, ')');
	fl_dump_frame(dump,
		      fl_frame(flame, flame_name(flame, buf->data, buf->size),
			       FLAME_UNKNOWN));
}

/* File "x.py", line 3 in f; each of the three may be ??? instead. */
static bool take_frame(struct faulthandler *f, struct slice text)
{
	static const char mark[] = ", line ";
	struct slice file, line, name;
	const char *at = NULL, *in;

	if (!fl_slice_starts(text, "File "))
		return false;
	text = fl_slice_from(text, strlen("File "));
	/* The last one: paths may hold anything. */
	for (size_t i = 0; i + strlen(mark) < text.size; i++)
		if (memcmp(text.data + i, mark, strlen(mark)) == 0)
			at = text.data + i;
	if (!at)
		return false;
	file = (struct slice){ text.data, at - text.data };
	if (file.size > 2 && file.data[0] == '"' && fl_slice_ends(file, "\""))
		file = (struct slice){ file.data + 1, file.size - 2 };
	line = fl_slice_from(text, at + strlen(mark) - text.data);
	in = memmem(line.data, line.size, " in ", 4);
	if (!in)
		return false;
	name = fl_slice_from(line, in + 4 - line.data);
	line.size = in - line.data;
	if (!line.size || !name.size)
		return false;
	add_frame(f, name, file, line);
	return true;
}

/*
 * Python 3.12 and 3.13 do not say that they left frames out; these functions
 * are at the root of whole stacks.
 */
static bool is_silently_cut(const struct fl_dump *dump)
{
	static const char *const bottoms[] = {
		"<module> (", "_bootstrap (", "_run_module_as_main (",
	};
	const struct flame *flame = dump->source->flame;
	struct slice name;

	if (dump->nframes != FRAMES)
		return false;
	name = fl_name_at(flame,
			  flame->frames.data[dump->frames[FRAMES - 1]].name);
	for (size_t i = 0; i < FL_COUNT(bottoms); i++)
		if (fl_slice_starts(name, bottoms[i]))
			return false;
	return true;
}

static void end(struct fl_dump *dump)
{
	if (is_silently_cut(dump))
		dump->truncated = true;
	fl_dump_end(dump);
}

/* A line of a thread, without its two blanks. */
static void take_inner(struct faulthandler *f, struct slice text)
{
	struct fl_dump *dump = &f->dump;
	struct flame *flame = dump->source->flame;

	f->whole = false;
	if (f->aside || take_frame(f, text))
		return;
	if (fl_slice_is(text, "...") || fl_slice_starts(text, "<truncated "))
		dump->truncated = true;
	else if (fl_slice_is(text, "Garbage-collecting"))
		fl_dump_frame(dump, fl_frame(flame, fl_name(flame,
						"[garbage collection]"),
					     FLAME_GROUP));
	else if (text.data[0] != '<' && dump->lines.ended)
		/* "<no Python frame>", "<tstate is freed>" */
		fl_lines_bad(&dump->lines, text);
}

static void accept_line(struct fl_dump *dump, struct slice line)
{
	struct faulthandler *f = (struct faulthandler *)dump;
	struct slice name;
	int64_t id;

	if (read_header(line, &name, &id)) {
		end(dump);
		fl_dump_begin(dump, name);
		dump->tid = id;
		f->whole = f->aside = false;
		return;
	}
	if (!line.size)
		end(dump);
	if (!dump->open)
		return;
	if (line.size > 2 && fl_slice_starts(line, "  ")) {
		take_inner(f, fl_slice_from(line, 2));
		return;
	}
	f->whole = dump->lines.ended || line.data[0] != ' ';
	if (fl_slice_starts(line, "Current thread's C stack trace"))
		f->aside = true;
	else if (fl_slice_starts(line, "plus ") &&
		 fl_slice_ends(line, " frames"))
		dump->truncated = true;
}

/* The row ----------------------------------------------------------------- */

static bool begins(struct slice line)
{
	struct slice name;
	int64_t id;

	return read_header(line, &name, &id);
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	return fl_dump_probe(head, n, whole, begins, FL_FORMAT_CERTAIN);
}

/*
 * The last thread may have no line after it: its last frame decides whether it
 * is complete.
 */
static void end_of_input(struct fl_dump *dump)
{
	struct faulthandler *f = (struct faulthandler *)dump;

	if (f->whole || (dump->lines.ended &&
			 !fl_in_damage(dump->source->in)))
		end(dump);
	else
		fl_dump_lose(dump);
}

static int read(struct flame_source *source)
{
	return fl_dump_read(source->state, accept_line, end_of_input);
}

const struct fl_format fl_format_faulthandler = {
	.name = "faulthandler",
	.summary = "stacks that Python's faulthandler prints",
	.probe = probe,
	.state_size = sizeof(struct faulthandler),
	.open = fl_dump_open,
	.read = read,
	.release = fl_dump_free,
};
