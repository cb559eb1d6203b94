/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses the prefixes that collectors of logs put before each line (kubectl,
 * CRI, syslog, docker compose, stern) into the program and its text
 * (fl_log_take), and chooses which of all kinds a log has (fl_log_kind_of),
 * these and the patterns of log_pattern.c.  For log.c.
 */
#include "fl.h"

#include "io/log.h"

/* Cuts off the text up to a blank; false: there is no blank. */
static bool cut_word(struct slice *rest, struct slice *word)
{
	const char *blank = rest->size ?
			    memchr(rest->data, ' ', rest->size) : NULL;

	if (!blank)
		return false;
	*word = (struct slice){ rest->data, (size_t)(blank - rest->data) };
	*rest = fl_slice_from(*rest, word->size + 1);
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

/* After the name of a pod its time may follow. */
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
	line = fl_slice_from(line, 5);
	end = memchr(line.data, ']', line.size);
	slash = end ? memchr(line.data, '/', (size_t)(end - line.data)) : NULL;
	if (!slash)
		return false;
	pod = (struct slice){ line.data, (size_t)(slash - line.data) };
	line = fl_slice_from(line, (size_t)(end + 1 - line.data));
	if (line.size && line.data[0] == ' ')
		line = fl_slice_from(line, 1);
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
	line = fl_slice_from(line, n + 1);
	if (line.size && line.data[0] == ' ')
		line = fl_slice_from(line, 1);
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
	parsed->is_stderr = fl_slice_starts(line, "stderr ");
	line = fl_slice_from(line, 7);
	if (!line.size || (line.data[0] != 'F' && line.data[0] != 'P') ||
	    (line.size > 1 && line.data[1] != ' '))
		return false;
	parsed->partial = line.data[0] == 'P';
	parsed->text = fl_slice_from(line, FL_MIN(line.size, (size_t)2));
	return true;
}

/* journalctl, syslog: Feb 14 10:00:00 HOST PROGRAM[PID]: text */
static bool parse_syslog(struct slice line, struct fl_log_line *parsed)
{
	struct slice host, program;

	if (looks_like(line, "Aaa _9 99:99:99 "))
		line = fl_slice_from(line, 16);
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

const struct fl_log_kind fl_log_prefixes[] = {
	{ .parse = parse_kubectl }, { .parse = parse_cri },
	{ .parse = parse_syslog }, { .parse = parse_compose },
	{ .parse = parse_stern, .weak = true }, { .parse = NULL }
};

bool fl_log_take(const struct fl_log_kind *kind, struct slice line,
		 struct fl_log_line *parsed)
{
	if (kind->parse)
		return kind->parse(line, parsed);
	parsed->text = line;
	return fl_log_cut_pattern(kind->pattern, &parsed->text);
}

struct slice fl_log_cut_line(struct slice *rest)
{
	const char *lf = memchr(rest->data, '\n', rest->size);
	struct slice line = { rest->data, lf ? (size_t)(lf - rest->data) :
					       rest->size };

	*rest = fl_slice_from(*rest, line.size + (lf != NULL));
	if (line.size && line.data[line.size - 1] == '\r')
		line.size--;
	return line;
}

/* Headings: what journalctl says of itself, a command, names of columns. */
enum { HEADINGS = 3 };

static uint64_t number_of(struct slice line)
{
	uint64_t n = 0;

	while (line.size && line.data[0] == ' ')
		line = fl_slice_from(line, 1);
	for (; line.size && fl_is_digit(line.data[0]);
	     line = fl_slice_from(line, 1))
		n = 10 * n + (uint64_t)(line.data[0] - '0');
	return n;
}

/*
 * Lines with the prefix; *others: lines without, after the first with it.
 * Numbers of lines count up.
 */
static unsigned count_lines(const struct fl_log_kind *kind, struct slice head,
			    struct fl_buf *key, unsigned *others)
{
	struct fl_log_line parsed = { .key = key };
	unsigned n = 0, headings = 0;
	uint64_t last = 0;

	*others = 0;
	while (head.size) {
		struct slice line = fl_log_cut_line(&head);

		if (!line.size)
			continue;
		key->size = 0;
		if (!fl_log_take(kind, line, &parsed)) {
			if (n)
				++*others;
			else if (++headings > HEADINGS)
				return 0;
			continue;
		}
		if (kind->pattern && kind->pattern[0] == 'n') {
			if (n && number_of(line) != last + 1)
				return 0;
			last = number_of(line);
		}
		n++;
	}
	return n > headings && n > *others ? n : 0;
}

const struct fl_log_kind *fl_log_kind_of(struct slice head,
					 struct fl_buf *scratch, bool *all)
{
	const struct fl_log_kind *const tables[] = {
		fl_log_prefixes, fl_log_patterns
	}, *best = NULL;
	unsigned most = 0, others;

	for (size_t i = 0; i < FL_COUNT(tables); i++)
		for (const struct fl_log_kind *kind = tables[i];
		     kind->parse || kind->pattern; kind++) {
			unsigned n = count_lines(kind, head, scratch, &others);

			if (n <= most)
				continue;
			most = n;
			best = kind;
			*all = !others;
		}
	return best;
}
