/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads what py-spy dump prints, one dump or many.  Each thread is a sample of
 * the metric threads.
 *
 *	Process 41: python job.py
 *	Python v3.11.2 (/usr/bin/python3.11)
 *
 *	Thread 41 (active+gil): "MainThread"
 *	    work (job.py:3)
 *
 * Frames are named as they are printed, which is as py-spy record does.  Only
 * the line that follows a thread shows that it has ended.
 */
#include "fl.h"

#include "format/format.h"

#include <inttypes.h>
#include <stdlib.h>

struct pyspy {
	struct fl_dump dump;
	int64_t pid;
	bool unsure;	/* the last line of the thread may be a part of one */
	bool reported;
};

/* 41, or 0x7F12 where the system has no better name for a thread. */
static bool parse_id(struct slice s, int64_t *n)
{
	char text[20], *end;

	if (!fl_slice_starts(s, "0x") && !fl_slice_starts(s, "0X"))
		return s.size && s.data[0] >= '0' && s.data[0] <= '9' &&
		       fl_parse_int(s, n);
	if (s.size < 3 || s.size > 18)
		return false;
	memcpy(text, s.data, s.size);
	text[s.size] = '\0';
	*n = (int64_t)(strtoull(text, &end, 16) & INT64_MAX);
	return !*end;
}

struct header {
	struct slice name;
	int64_t tid;
	const char *state;
};

/* Thread 41 (active+gil): "MainThread"; the name may be missing. */
static bool read_header(struct slice line, struct header *h)
{
	static const struct {
		const char *text, *state;
	} states[] = {
		{ "(active)", "STATE_RUNNABLE" },
		{ "(active+gil)", "STATE_RUNNABLE" },
		{ "(idle)", "STATE_SLEEPING" },
		{ "(idle+gil)", "STATE_SLEEPING" },
	};
	struct slice id, word;

	if (!fl_slice_starts(line, "Thread "))
		return false;
	line = fl_slice_from(line, strlen("Thread "));
	if (!fl_dump_word(&line, &id) || !parse_id(id, &h->tid) ||
	    !fl_dump_word(&line, &word))
		return false;
	word.size -= fl_slice_ends(word, ":");
	h->state = NULL;
	for (size_t i = 0; i < FL_COUNT(states); i++)
		if (fl_slice_is(word, states[i].text))
			h->state = states[i].state;
	h->name = (struct slice){ line.data, 0 };
	if (line.size > 2 && fl_slice_starts(line, " \"") &&
	    fl_slice_ends(line, "\""))
		h->name = (struct slice){ line.data + 2, line.size - 3 };
	return h->state && (!line.size || line.data[0] == ' ');
}

static void begin(struct pyspy *p, const struct header *h)
{
	fl_dump_begin(&p->dump, h->name);
	p->dump.tid = h->tid;
	p->dump.pid = p->pid;
	p->dump.state = h->state;
	p->unsure = !p->dump.lines.ended;
}

/* Other lines that are not indented are a log's, and end a thread too. */
static void take_outer(struct pyspy *p, struct slice line)
{
	struct slice id;
	int64_t pid;

	if (!fl_slice_starts(line, "Process "))
		return;
	line = fl_slice_from(line, strlen("Process "));
	if (!fl_dump_word(&line, &id) || !fl_slice_ends(id, ":"))
		return;
	id.size--;
	if (!parse_id(id, &pid))
		return;
	p->pid = pid;
	if (line.size > 1 && !p->reported)
		fl_fact(p->dump.source, "process", "%.*s",
			(int)FL_MIN(line.size - 1, (size_t)1024),
			line.data + 1);
	p->reported = true;
}

/* Whether nothing of it is missing, though no newline follows. */
static bool ends_in_line(struct slice text)
{
	size_t i = text.size - fl_slice_ends(text, ")");
	size_t end = i;

	while (i && text.data[i - 1] >= '0' && text.data[i - 1] <= '9')
		i--;
	return end < text.size && i && i < end && text.data[i - 1] == ':';
}

/*
 * A line of a thread, without four blanks: a frame, "f (x.py:3)"; blanks
 * more, and it is of the frame's arguments and locals.
 */
static void take_inner(struct pyspy *p, struct slice text)
{
	struct fl_dump *dump = &p->dump;
	struct flame *flame = dump->source->flame;

	p->unsure = !dump->lines.ended;
	if (text.data[0] == ' ')
		return;
	if (fl_slice_ends(text, ")") && memmem(text.data, text.size, " (", 2)) {
		fl_dump_frame(dump,
			      fl_frame(flame,
				       flame_name(flame, text.data, text.size),
				       FLAME_UNKNOWN));
		p->unsure = !dump->lines.ended && !ends_in_line(text);
	} else if (dump->lines.ended) {
		fl_lines_bad(&dump->lines, text);
	}
}

static void accept_line(struct fl_dump *dump, struct slice line)
{
	struct pyspy *p = (struct pyspy *)dump;
	struct header h;

	if (dump->open && line.size > 4 && fl_slice_starts(line, "    ")) {
		take_inner(p, fl_slice_from(line, 4));
		return;
	}
	if (!dump->lines.ended && fl_slice_starts(line, " ")) {
		p->unsure = true;
		return;
	}
	fl_dump_end(dump);
	if (read_header(line, &h))
		begin(p, &h);
	else
		take_outer(p, line);
}

/* The row ----------------------------------------------------------------- */

static bool begins(struct slice line)
{
	struct header h;

	return read_header(line, &h);
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	return fl_dump_probe(head, n, whole, begins, FL_FORMAT_CERTAIN);
}

static int open_pyspy(struct flame_source *source)
{
	struct pyspy *p = source->state;

	p->pid = -1;
	return fl_dump_open(source);
}

static void end_of_input(struct fl_dump *dump)
{
	struct pyspy *p = (struct pyspy *)dump;

	if (!p->unsure && !dump->lines.begun && !fl_in_damage(dump->source->in))
		fl_dump_end(dump);
	else
		fl_dump_lose(dump);
}

static int read(struct flame_source *source)
{
	return fl_dump_read(source->state, accept_line, end_of_input);
}

const struct fl_format fl_format_pyspy_dump = {
	.name = "pyspy-dump",
	.summary = "what py-spy dump prints",
	.probe = probe,
	.state_size = sizeof(struct pyspy),
	.open = open_pyspy,
	.read = read,
	.release = fl_dump_free,
};
