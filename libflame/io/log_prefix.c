/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prefixes that collectors of logs put before each line.  Only a log with the
 * first line of a stack dump behind such a prefix is taken apart: other text
 * that happens to look like one stays as it is.
 */
#include "fl.h"

#include "io/log.h"

static struct slice from(struct slice s, size_t n)
{
	return (struct slice){ s.data + n, s.size - n };
}

/* Cuts off the text up to a blank; false: there is no blank. */
static bool cut_word(struct slice *rest, struct slice *word)
{
	const char *blank = rest->size ?
			    memchr(rest->data, ' ', rest->size) : NULL;

	if (!blank)
		return false;
	*word = (struct slice){ rest->data, (size_t)(blank - rest->data) };
	*rest = from(*rest, word->size + 1);
	return word->size;
}

/* Whether the text begins as the pattern: 9 a digit, A and a letters. */
static bool looks_like(struct slice s, const char *pattern)
{
	for (size_t i = 0; pattern[i]; i++) {
		char c = i < s.size ? s.data[i] : '\0', p = pattern[i];

		if (p == '9' ? !fl_is_digit(c) :
		    p == '_' ? !fl_is_digit(c) && c != ' ' :
		    p == 'A' ? c < 'A' || c > 'Z' :
		    p == 'a' ? c < 'a' || c > 'z' : c != p)
			return false;
	}
	return true;
}

/* 2026-02-14T10:00:00.000000001Z, or with +01:00; a blank follows. */
static bool cut_instant(struct slice *rest)
{
	struct slice word, all = *rest;

	if (looks_like(all, "9999-99-99T99:99:99") && cut_word(&all, &word) &&
	    word.size < 40) {
		*rest = all;
		return true;
	}
	return false;
}

static bool is_of_name(char c)
{
	return (c >= 'a' && c <= 'z') || fl_is_digit(c) || c == '-' || c == '.';
}

/* Names as Kubernetes has them. */
static bool is_name(struct slice s)
{
	for (size_t i = 0; i < s.size; i++)
		if (!is_of_name(s.data[i]))
			return false;
	return s.size && s.size < 254 && s.data[0] != '-';
}

/* Behind the name of a pod its time may follow. */
static bool of_pod(struct slice pod, struct slice container, struct slice text,
		   struct fl_log_line *parsed)
{
	fl_log_label(parsed->key, "pod", pod);
	fl_log_label(parsed->key, "container", container);
	cut_instant(&text);
	parsed->text = text;
	return true;
}

/* kubectl logs --prefix: [pod/NAME/CONTAINER] text */
static bool parse_kubectl(struct slice line, struct fl_log_line *parsed)
{
	const char *end, *slash;
	struct slice pod;

	if (!fl_slice_starts(line, "[pod/"))
		return false;
	line = from(line, 5);
	end = memchr(line.data, ']', line.size);
	slash = end ? memchr(line.data, '/', (size_t)(end - line.data)) : NULL;
	if (!slash)
		return false;
	pod = (struct slice){ line.data, (size_t)(slash - line.data) };
	line = from(line, (size_t)(end + 1 - line.data));
	if (line.size && line.data[0] == ' ')
		line = from(line, 1);
	return of_pod(pod, (struct slice){ slash + 1,
					   (size_t)(end - slash - 1) },
		      line, parsed);
}

/* stern: POD CONTAINER text */
static bool parse_stern(struct slice line, struct fl_log_line *parsed)
{
	struct slice pod, container;

	if (!cut_word(&line, &pod) || !is_name(pod) ||
	    !memchr(pod.data, '-', pod.size))
		return false;
	/* The blanks that end a line are easily lost. */
	if (!cut_word(&line, &container)) {
		container = line;
		line.size = 0;
	}
	return is_name(container) && of_pod(pod, container, line, parsed);
}

/* docker compose: CONTAINER  | text */
static bool parse_compose(struct slice line, struct fl_log_line *parsed)
{
	struct slice name = line;
	size_t n = 0;

	while (n < line.size && (is_of_name(line.data[n]) ||
				 line.data[n] == '_'))
		n++;
	name.size = n;
	while (n < line.size && line.data[n] == ' ')
		n++;
	if (!name.size || n == name.size || n == line.size ||
	    line.data[n] != '|')
		return false;
	line = from(line, n + 1);
	if (line.size && line.data[0] == ' ')
		line = from(line, 1);
	fl_log_label(parsed->key, "container", name);
	cut_instant(&line);
	parsed->text = line;
	return true;
}

/* Files of the CRI: TIME stdout|stderr F|P text; P: the line goes on. */
static bool parse_cri(struct slice line, struct fl_log_line *parsed)
{
	if (!cut_instant(&line) || (!fl_slice_starts(line, "stdout ") &&
				    !fl_slice_starts(line, "stderr ")))
		return false;
	line = from(line, 7);
	if (!line.size || (line.data[0] != 'F' && line.data[0] != 'P') ||
	    (line.size > 1 && line.data[1] != ' '))
		return false;
	parsed->partial = line.data[0] == 'P';
	parsed->text = from(line, FL_MIN(line.size, (size_t)2));
	return true;
}

/* journalctl, syslog: Feb 14 10:00:00 HOST PROGRAM[PID]: text */
static bool parse_syslog(struct slice line, struct fl_log_line *parsed)
{
	struct slice host, program;

	if (looks_like(line, "Aaa _9 99:99:99 "))
		line = from(line, 16);
	else if (!cut_instant(&line))
		return false;
	if (!cut_word(&line, &host))
		return false;
	if (!cut_word(&line, &program)) {
		program = line;
		line.size = 0;
	}
	if (!fl_slice_ends(program, "]:") ||
	    !memchr(program.data, '[', program.size))
		return false;
	fl_log_label(parsed->key, "host", host);
	fl_log_label(parsed->key, "program", program);
	parsed->text = line;
	return true;
}

/* kubectl logs --timestamps, docker logs -t: TIME text */
static bool parse_time(struct slice line, struct fl_log_line *parsed)
{
	parsed->text = line;
	return cut_instant(&parsed->text);
}

static fl_log_parse *const kinds[] = {
	parse_kubectl, parse_cri, parse_syslog, parse_time, parse_compose,
	parse_stern,
};

/* Whether a reader of stack dumps would begin there. */
static bool begins_dump(struct slice text)
{
	static const char *const begins[] = {
		"Full thread dump ", "Thread 0x", "Current thread 0x",
		"Process Thread Dump: ",
	};

	for (size_t i = 0; i < FL_COUNT(begins); i++)
		if (fl_slice_starts(text, begins[i]))
			return true;
	return fl_slice_has(text, " Full thread dump ") ||
	       fl_slice_is(text, "Traceback (most recent call last):") ||
	       (fl_slice_starts(text, "\tat ") && fl_slice_ends(text, ")")) ||
	       (fl_slice_starts(text, "goroutine ") &&
		fl_slice_ends(text, "]:")) ||
	       (fl_slice_starts(text, "Thread ") &&
		fl_slice_has(text, " (active)")) ||
	       (fl_slice_starts(text, "\"") &&
		(fl_slice_has(text, " tid=0x") || fl_slice_has(text, " Id=") ||
		 fl_slice_has(text, "\" - Thread t@")));
}

static struct slice cut_line(struct slice *rest)
{
	const char *lf = memchr(rest->data, '\n', rest->size);
	struct slice line = { rest->data, lf ? (size_t)(lf - rest->data) :
					       rest->size };

	*rest = from(*rest, line.size + (lf != NULL));
	if (line.size && line.data[line.size - 1] == '\r')
		line.size--;
	return line;
}

static bool has_kind(fl_log_parse *parse, struct slice line,
		     struct fl_buf *key, struct slice *text)
{
	struct fl_log_line parsed = { .key = key };
	bool good;

	key->size = 0;
	good = parse(line, &parsed);
	*text = parsed.text;
	return good;
}

/* What journalctl says of itself. */
static void skip_headings(struct slice *head)
{
	while (fl_slice_starts(*head, "-- "))
		cut_line(head);
}

bool fl_log_may_begin(struct slice head)
{
	struct fl_buf key = { 0 };
	struct slice line, text;
	bool may = false;

	skip_headings(&head);
	head.size = FL_MIN(head.size, (size_t)512);
	if (!head.size)
		return false;
	line = cut_line(&head);
	for (size_t i = 0; i < FL_COUNT(kinds) && !may; i++)
		may = has_kind(kinds[i], line, &key, &text);
	fl_buf_free(&key);
	return may;
}

fl_log_parse *fl_log_prefix(struct slice head, struct fl_buf *scratch)
{
	struct slice rest, text;

	skip_headings(&head);
	for (size_t i = 0; i < FL_COUNT(kinds); i++) {
		rest = head;
		if (!has_kind(kinds[i], cut_line(&rest), scratch, &text))
			continue;
		for (rest = head; rest.size;)
			if (has_kind(kinds[i], cut_line(&rest), scratch,
				     &text) && begins_dump(text))
				return kinds[i];
	}
	return NULL;
}
