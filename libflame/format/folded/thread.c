/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the thread of a stack, if its outermost frames name one, as labels
 * (thread, tid, pid, process): fl_folded_find_thread(), for stack.c.  The
 * frames stay in the stack, so that it is written as it was read.
 */
#include "fl.h"

#include "format/folded/folded.h"

enum { THREAD, TID, PID, PROCESS, IN_STACK };

static struct slice cut(struct slice text, size_t from, size_t tail)
{
	return (struct slice){ text.data + from,
			       text.size > from + tail ?
			       text.size - from - tail : 0 };
}

static flame_id key(struct fl_folded_stacks *s, int which)
{
	static const char *const names[] = {
		[THREAD] = "thread", [TID] = "tid", [PID] = "pid",
		[PROCESS] = "process", [IN_STACK] = "thread-in-stack",
	};

	if (!s->keys[which])
		s->keys[which] = fl_name(s->flame, names[which]);
	return s->keys[which];
}

static void set(struct fl_folded_stacks *s, int which, struct slice value)
{
	s->thread = flame_label(s->flame, s->thread, key(s, which),
				flame_name(s->flame, value.data, value.size));
}

/* "0x7F1A": Python's own number of a thread. */
static bool is_hex_number(struct slice text)
{
	if (text.size < 3 || text.size > 18 || memcmp(text.data, "0x", 2) != 0)
		return false;
	for (size_t i = 2; i < text.size; i++)
		if (!fl_is_hex(text.data[i]))
			return false;
	return true;
}

/*
 * thread (140): main, as py-spy names them; thread (140); with Python's own
 * number where the system's is not known.
 */
static bool python_thread(struct fl_folded_stacks *s, struct slice name)
{
	size_t prefix = sizeof("thread (") - 1, i = prefix;
	int64_t n;

	if (!fl_slice_starts(name, "thread ("))
		return false;
	while (i < name.size && name.data[i] != ')')
		i++;
	if (i == name.size ||
	    (!fl_parse_digits(cut(name, prefix, name.size - i), &n) &&
	     !is_hex_number(cut(name, prefix, name.size - i))))
		return false;
	set(s, TID, cut(name, prefix, name.size - i));
	if (i + 3 < name.size && memcmp(name.data + i, "): ", 3) == 0)
		set(s, THREAD, cut(name, i + 3, 0));
	return true;
}

/* [main tid=140], [tid=140]. */
static bool tagged_thread(struct fl_folded_stacks *s, struct slice name)
{
	size_t i = name.size;
	int64_t n;

	if (name.size < 7 || name.data[0] != '[' || name.data[i - 1] != ']')
		return false;
	while (i && name.data[i - 1] != '=')
		i--;
	if (i < 5 || memcmp(name.data + i - 4, "tid=", 4) != 0 ||
	    (i > 5 && name.data[i - 5] != ' ') ||
	    !fl_parse_digits(cut(name, i, 1), &n))
		return false;
	set(s, TID, cut(name, i, 1));
	if (i > 6)
		set(s, THREAD, cut(name, 1, name.size - i + 5));
	return true;
}

/* T0:140, T140: Austin's, after a P. */
static bool austin_thread(struct fl_folded_stacks *s, struct slice name)
{
	const char *colon = memchr(name.data, ':', name.size);
	size_t from = colon ? (size_t)(colon + 1 - name.data) : 1;

	if (!s->dialect->austin || name.size < 2 || name.data[0] != 'T')
		return false;
	set(s, TID, cut(name, from, 0));
	set(s, THREAD, name);
	return true;
}

static bool numbered_thread(struct fl_folded_stacks *s, struct slice name)
{
	struct slice comm, pid, tid;
	int64_t n;

	if (fl_slice_starts(name, "tid:") &&
	    fl_parse_digits(cut(name, 4, 0), &n)) {
		set(s, TID, cut(name, 4, 0));
		return true;
	}
	if (!s->dialect->comm || !fl_folded_is_comm(name, &comm, &pid, &tid))
		return false;
	set(s, THREAD, comm);
	set(s, PID, pid);
	set(s, TID, tid);
	return true;
}

/* *last: no later frame names more; false: the frame names nothing. */
static bool read_frame(struct fl_folded_stacks *s, struct slice name,
		       bool *last)
{
	struct slice pid, command;
	int64_t n;

	*last = false;
	if (fl_folded_process(name, &pid, &command)) {
		set(s, PID, pid);
		set(s, PROCESS, command);
		return true;
	}
	if (s->dialect->austin && name.size > 1 && name.data[0] == 'P' &&
	    fl_parse_digits(cut(name, 1, 0), &n)) {
		set(s, PID, cut(name, 1, 0));
		return true;
	}
	*last = python_thread(s, name) || tagged_thread(s, name) ||
		austin_thread(s, name) || numbered_thread(s, name);
	if (*last)
		set(s, IN_STACK, name);
	return *last;
}

static void read_thread(struct fl_folded_stacks *s,
			const struct fl_folded_line *line)
{
	const struct flame *flame = s->flame;
	bool last = false;
	size_t i = 0;

	s->thread = 0;
	while (i < line->count && !last) {
		flame_id frame = line->path[i].frame;
		struct slice text = fl_name_at(flame,
					       flame->frames.data[frame].name);

		i++;
		if (!read_frame(s, text, &last))
			break;
	}
	s->nthread = i;
}

/* A quick check, as nearly all lines name no thread. */
static bool may_name_thread(const struct fl_folded_stacks *s,
			    const struct fl_folded_line *line)
{
	char c = line->size ? line->text[0] : '\0';

	return c == 'p' || c == 't' || c == '[' || s->dialect->austin ||
	       s->dialect->comm;
}

void fl_folded_find_thread(struct fl_folded_stacks *s,
			   const struct fl_folded_line *line, size_t shared)
{
	if (shared && shared >= s->nthread)
		return;
	if (may_name_thread(s, line)) {
		read_thread(s, line);
		return;
	}
	s->thread = 0;
	s->nthread = 1;
}
