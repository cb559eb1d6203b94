/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads stacks that servers of Hadoop and HBase print on their page /stacks and
 * into their logs (ReflectionUtils.printThreadInfo), leaf first.  Each thread
 * is a sample of the metric threads.
 *
 *	Process Thread Dump: jsp requested
 *	3 active threads
 *	Thread 42 (IPC Server handler 0 on 8020):
 *	  State: WAITING
 *	  Blocked count: 12
 *	  Waiting on java.lang.Object@1f2e3d4c
 *	  Stack:
 *	    java.lang.Object.wait(Native Method)
 */
#include "fl.h"

#include "format/format.h"

struct hadoop {
	struct fl_dump dump;
	bool begun;		/* a dump, or what follows in its log */
	bool frames;		/* "Stack:" has come */
};

static bool is_title(struct slice line)
{
	return fl_slice_has(line, "Process Thread Dump: ") ||
	       fl_slice_ends(line, "Process Thread Dump:");
}

/* "Thread 42 (NAME):", or "Thread 42:" */
static bool begin_thread(struct hadoop *h, struct slice line)
{
	struct slice id, name = { "", 0 };
	const char *blank;
	int64_t n;

	if (!fl_slice_starts(line, "Thread ") || !fl_slice_ends(line, ":"))
		return false;
	id = (struct slice){ line.data + 7, line.size - 8 };
	blank = memchr(id.data, ' ', id.size);
	if (blank) {
		name = (struct slice){ blank + 1, (size_t)(id.data + id.size -
							   blank) - 1 };
		id.size = (size_t)(blank - id.data);
		if (name.size < 2 || name.data[0] != '(' ||
		    !fl_slice_ends(name, ")"))
			return false;
		name = (struct slice){ name.data + 1, name.size - 2 };
	}
	if (!fl_parse_digits(id, &n))
		return false;
	fl_dump_begin(&h->dump, name);
	h->dump.tid = n;
	h->frames = false;
	return true;
}

/* Of a thread, but not of its stack. */
static bool is_fact(struct slice text)
{
	static const char *const facts[] = {
		"Blocked count: ", "Waited count: ", "Blocked time: ",
		"Waited time: ", "Waiting on ", "Blocked on ", "Blocked by ",
	};

	for (size_t i = 0; i < FL_COUNT(facts); i++)
		if (fl_slice_starts(text, facts[i]))
			return true;
	return false;
}

static void take_inner(struct hadoop *h, struct slice text)
{
	struct fl_dump *dump = &h->dump;

	if (fl_slice_starts(text, "State: "))
		dump->state = fl_java_state(fl_slice_from(text, 7));
	else if (fl_slice_is(text, "Stack:"))
		h->frames = true;
	else if (!(h->frames && fl_dump_java_frame(dump, text)) &&
		 !is_fact(text) && dump->lines.ended)
		fl_lines_bad(&dump->lines, text);
}

static void accept_line(struct fl_dump *dump, struct slice line)
{
	struct hadoop *h = (struct hadoop *)dump;
	struct slice text = fl_slice_trim(line);

	if (dump->open && text.size && fl_slice_starts(line, "  ")) {
		take_inner(h, text);
		return;
	}
	fl_dump_end(dump);
	if (is_title(line))
		h->begun = true;
	else if (h->begun)
		begin_thread(h, line);
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	return fl_dump_probe(head, n, whole, is_title, FL_FORMAT_CERTAIN);
}

static int read(struct flame_source *source)
{
	return fl_dump_read(source->state, accept_line,
			    fl_dump_end_of_lines);
}

const struct fl_format fl_format_hadoop_stacks = {
	.name = "hadoop-stacks",
	.summary = "the page /stacks of HDFS, YARN and HBase",
	.probe = probe,
	.state_size = sizeof(struct hadoop),
	.open = fl_dump_open,
	.read = read,
	.release = fl_dump_free,
};
