/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fl_jstack_header() reads the first line of a thread in a JVM's thread dump,
 * as jstack, jhsdb, ThreadInfo, VisualVM and others write it: the thread's
 * name, numbers and state, for jstack.c.
 */
#include "fl.h"

#include "format/jstack/jstack.h"

#include <stdlib.h>

const struct fl_jstack_header fl_jstack_no_header = {
	.nid = -1, .os_id = -1, .id = -1, .time = FLAME_NOTIME,
};

bool fl_jstack_id(struct slice s, int64_t *n)
{
	char text[24];
	char *end;

	if (!fl_slice_starts(s, "0x"))
		return s.size && fl_is_digit(s.data[0]) && fl_parse_int(s, n);
	if (s.size < 3 || s.size > 17)
		return false;
	memcpy(text, s.data, s.size);
	text[s.size] = '\0';
	*n = strtoll(text, &end, 16);
	return !*end;
}

/*
 * tid=0x7f3c8c00e800; without 0x from JDK 6 of macOS and HP-UX's JDK 5, where
 * nid= follows.
 */
static bool is_tid(struct slice word, struct slice tail)
{
	size_t i = fl_slice_starts(word, "tid=0x") ? 6 : 4;

	if (!fl_slice_starts(word, "tid=") || i == word.size ||
	    (i == 4 && !fl_slice_starts(fl_slice_trim(tail), "nid=")))
		return false;
	while (i < word.size && fl_is_hex(word.data[i]))
		i++;
	return i == word.size;
}

/* VisualVM, JConsole and Spring Boot: " - Thread t@31". */
static bool read_visualvm(struct slice tail, struct fl_jstack_header *h)
{
	static const char mark[] = "Thread t@";

	tail = fl_slice_trim(tail);
	return fl_slice_starts(tail, mark) &&
	       fl_jstack_id(fl_slice_from(tail, strlen(mark)), &h->id);
}

/*
 * ThreadInfo, after Id=: the state; Jenkins has Group=main before it, Arthas
 * cpuUsage=75% deltaTime=150ms, and others "in".
 */
static bool read_info(struct slice tail, struct fl_jstack_header *h)
{
	bool extra = false;
	struct slice word;

	while (fl_dump_word(&tail, &word)) {
		h->state = fl_java_state(word);
		if (h->state)
			return true;
		extra |= fl_slice_starts(word, "Group=");
		if (!extra && !fl_slice_is(word, "in") &&
		    !memchr(word.data, '=', word.size))
			break;
	}
	return false;
}

/*
 * JRockit, after tid=: "prio=5 alive, in native, waiting".  Without a priority
 * the line is of a chain of locks.
 */
static bool read_jrockit(struct slice tail, struct fl_jstack_header *h)
{
	static const char *const states[][2] = {
		{ "blocked", "STATE_BLOCKED" },
		{ "native_blocked", "STATE_BLOCKED" },
		{ "waiting", "STATE_WAITING" },
		{ "native_waiting", "STATE_WAITING" },
		{ "parked", "STATE_WAITING" },
		{ "sleeping", "STATE_TIMED_WAITING" },
	};
	struct slice word;

	if (!fl_dump_word(&tail, &word) || !fl_slice_starts(word, "prio="))
		return false;
	h->state = "STATE_RUNNABLE";
	while (fl_dump_word(&tail, &word)) {
		word.size -= fl_slice_ends(word, ",");
		for (size_t i = 0; i < FL_COUNT(states); i++)
			if (fl_slice_is(word, states[i][0]))
				h->state = states[i][1];
	}
	return true;
}

/* After "virtual": nothing, the thread's number or its state. */
static bool ends_virtual(struct slice tail, struct fl_jstack_header *h)
{
	struct slice word;

	if (!fl_dump_word(&tail, &word) || word.data[0] == '[')
		return true;
	h->state = fl_java_state(word);
	return h->state != NULL;
}

/*
 * The text after the name: for HotSpot, words up to tid=, then nid= and the
 * thread's action; for ThreadInfo, words up to Id= and the state.
 */
static bool read_tail(struct slice tail, struct fl_jstack_header *h)
{
	bool classic = false;
	struct slice word;

	while (fl_dump_word(&tail, &word)) {
		if (word.data[0] == '#') {
			fl_jstack_id(fl_slice_from(word, 1), &h->id);
		} else if (word.data[0] == '[' && !classic) {
			word.size -= fl_slice_ends(word, "]");
			fl_jstack_id(fl_slice_from(word, 1), &h->os_id);
		} else if (fl_slice_starts(word, "idx=0x") && !classic) {
			h->jrockit = true;
		} else if (h->jrockit && fl_slice_starts(word, "tid=")) {
			return fl_jstack_id(fl_slice_from(word, 4), &h->nid) &&
			       read_jrockit(tail, h);
		} else if (is_tid(word, tail)) {
			classic = true;
		} else if (fl_slice_starts(word, "nid=")) {
			fl_jstack_id(fl_slice_from(word, 4), &h->nid);
		} else if ((fl_slice_starts(word, "Id=") ||
			    fl_slice_starts(word, "id=")) && !classic &&
			   fl_jstack_id(fl_slice_from(word, 3), &h->id)) {
			if (read_info(tail, h))
				return true;
			h->id = -1;
		} else if (fl_slice_is(word, "-") && !classic) {
			return read_visualvm(tail, h);
		} else if (fl_slice_is(word, "virtual") && h->id >= 0) {
			return ends_virtual(tail, h);
		} else if (classic || (!fl_slice_is(word, "daemon") &&
				       !memchr(word.data, '=', word.size))) {
			break;
		}
	}
	return classic;
}

/* Names hold quotes: the last one that such words follow is their end. */
static bool read_quoted(struct slice line, struct fl_jstack_header *h)
{
	unsigned tries = 0;

	for (size_t i = line.size - 1; i && tries < 64; i--) {
		if (line.data[i] != '"')
			continue;
		*h = fl_jstack_no_header;
		if (read_tail(fl_slice_from(line, i + 1), h)) {
			h->name = (struct slice){ line.data + 1, i - 1 };
			return true;
		}
		tries++;
	}
	return false;
}

/* dump_to_file: #22 "name" [virtual] [STATE TIME] (the last since JDK 24). */
static bool read_numbered(struct slice line, bool bare,
			  struct fl_jstack_header *h)
{
	const char *open = memchr(line.data, '"', line.size), *close;
	struct slice tail, word = { 0 };

	*h = fl_jstack_no_header;
	close = open ? memrchr(line.data, '"', line.size) : NULL;
	if (close == open || open - line.data < 3 || open[-1] != ' ' ||
	    !fl_jstack_id((struct slice){ line.data + 1, open - line.data - 2 },
		      &h->id))
		return false;
	h->name = (struct slice){ open + 1, close - open - 1 };
	tail = fl_slice_from(line, close + 1 - line.data);
	if (fl_dump_word(&tail, &word) && fl_slice_is(word, "virtual"))
		fl_dump_word(&tail, &word);
	if (!word.size)
		return bare;
	h->state = fl_java_state(word);
	return h->state && fl_dump_word(&tail, &word) &&
	       fl_java_time(word, true, &h->time) && !fl_slice_trim(tail).size;
}

/* jhsdb where names cannot be read: Thread 2032: (state = BLOCKED). */
static bool read_unnamed(struct slice line, struct fl_jstack_header *h)
{
	const char *colon = memchr(line.data, ':', line.size);

	*h = fl_jstack_no_header;
	h->name = (struct slice){ line.data, 0 };
	return colon && fl_slice_ends(line, ")") &&
	       fl_slice_starts(fl_slice_from(line, colon - line.data),
			       ": (state = ") &&
	       fl_jstack_id((struct slice){ line.data + 7, colon - line.data - 7 },
			&h->nid);
}

bool fl_jstack_header(struct slice line, bool bare, struct fl_jstack_header *h)
{
	if (line.size < 8)
		return false;
	switch (line.data[0]) {
	case '"':
		return read_quoted(line, h);
	case '#':
		return read_numbered(line, bare, h);
	case 'T':
		return fl_slice_starts(line, "Thread ") &&
		       read_unnamed(line, h);
	}
	return false;
}

bool fl_jstack_ctime(struct slice s, int64_t *ns)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	struct slice word[5];
	const char *month;
	struct fl_buf text = { 0 };
	unsigned n = 0;
	bool good;

	while (n < 5 && fl_dump_word(&s, &word[n]))
		n++;
	if (n < 5 || s.size || word[0].size != 3 || word[1].size != 3 ||
	    word[2].size > 2)
		return false;
	month = memmem(months, sizeof(months) - 1, word[1].data, 3);
	if (!month || (month - months) % 3)
		return false;
	fl_buf_print(&text, "%.*s-%02d-%s%.*s %.*s", (int)word[4].size,
		     word[4].data, (int)(month - months) / 3 + 1,
		     word[2].size < 2 ? "0" : "", (int)word[2].size,
		     word[2].data, (int)word[3].size, word[3].data);
	good = text.data && !text.failed &&
	       fl_java_time(fl_buf_slice(&text), false, ns);
	fl_buf_free(&text);
	return good;
}
