/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unwraps logs for flow/source.c: removes the prefix that kubectl, stern,
 * docker or journalctl puts before each line (log.h lists them), and groups the
 * lines by the pod, container or process that wrote them, here called its
 * program.
 * Lines of the first program pass as they come; those of others, which may lie
 * between them, are buffered until the log ends.  Also converts line ends of
 * the old Mac, which are CR.
 */
#include "fl.h"

#include "io/decoders.h"
#include "io/input.h"
#include "io/log.h"
#include "io/read_ahead.h"

#define MAX_BUFFERED (UINT64_C(256) << 20)	/* lines of other programs */
static const char too_many[] =
	"lines of several programs are interleaved and need more than 256 MB "
	"of buffer: reading stops there; split the log by its prefix";

struct program {
	struct fl_buf key, lines;
	bool open;		/* its last line lacks its newline */
	bool is_stderr;		/* the stream of that line */
	/* Lines of the other stream, which came before its end. */
	struct fl_buf deferred;
	bool deferred_open;
};

struct log {
	const struct fl_log_kind *kind;	/* NULL: none */
	bool json;
	bool colours;		/* of a terminal */
	bool escapes;		/* of HTML */
	struct fl_buf plain;	/* a line without these */
	struct fl_buf text, key;	/* of a line */
	struct program *programs;
	size_t n, capacity;
	struct fl_index index;	/* of programs, by the hash of their key */
	size_t last;		/* whose line came last */
	size_t current;		/* whose lines are given */
	size_t given;		/* bytes of them */
	uint64_t buffered;
	bool ended;		/* the log is read, or too large */
	bool full;
	bool cut;		/* its last line lacks its newline */
};

void fl_log_label(struct fl_buf *key, const char *name, struct slice value)
{
	if (key->size)
		fl_buf_byte(key, FL_LOG_SEPARATOR);
	fl_buf_text(key, name);
	fl_buf_byte(key, '=');
	for (size_t i = 0; i < value.size; i++)
		fl_buf_byte(key, (unsigned char)value.data[i] < ' ' ?
				 ' ' : value.data[i]);
}

/* Programs ---------------------------------------------------------------- */

/*
 * Marks where the lines of another program begin, so that readers end a dump
 * there; see FL_LOG_MARK.
 */
static void put_mark(struct program *program, bool first)
{
	struct slice key = fl_buf_slice(&program->key);

	if (first && !fl_slice_starts(key, "pod=") &&
	    !fl_slice_starts(key, "container="))
		return;
	fl_buf_byte(&program->lines, FL_LOG_MARK);
	fl_buf_put(&program->lines, key.data, key.size);
	fl_buf_byte(&program->lines, '\n');
}

static bool has_key(const struct program *program, const struct fl_buf *key)
{
	return program->key.size == key->size &&
	       (!key->size ||
		memcmp(program->key.data, key->data, key->size) == 0);
}

/* Sets `last` to the program of that key; false: out of memory. */
static bool find_program(struct log *log)
{
	uint64_t hash = log->key.size ?
			fl_hash(log->key.data, log->key.size) : 0;
	uint32_t i = fl_index_first(&log->index, hash), id;
	struct program *program;

	if (log->n && has_key(&log->programs[log->last], &log->key))
		return true;
	while ((id = fl_index_next(&log->index, hash, &i)))
		if (has_key(&log->programs[id - 1], &log->key)) {
			log->last = id - 1;
			return true;
		}
	if (!fl_grow(&log->programs, &log->capacity, log->n + 1,
		     sizeof(*log->programs)) ||
	    !fl_index_add(&log->index, hash, (uint32_t)log->n + 1))
		return false;
	log->last = log->n;
	program = &log->programs[log->n++];
	*program = (struct program){ .open = false };
	fl_buf_put(&program->key, log->key.data, log->key.size);
	put_mark(program, log->n == 1);
	if (log->n > 1)
		log->buffered += sizeof(*program) + program->key.capacity +
				 program->lines.capacity;
	return true;
}

/* Appends the lines of the other stream, once the open line has ended. */
static void put_deferred(struct program *program)
{
	fl_buf_put(&program->lines, program->deferred.data,
		   program->deferred.size);
	program->deferred.size = 0;
	program->open = program->deferred_open;
	program->is_stderr = !program->is_stderr;
	program->deferred_open = false;
}

static bool put_line(struct log *log, const struct fl_log_line *line,
		     bool newline)
{
	struct program *program = &log->programs[log->last];
	bool defers = program->open && line->is_stderr != program->is_stderr;
	struct fl_buf *to = defers ? &program->deferred : &program->lines;

	fl_buf_put(to, line->text.data, line->text.size);
	if (newline)
		fl_buf_byte(to, '\n');
	if (log->last != log->current || defers)
		log->buffered += line->text.size + newline;
	log->full = log->buffered > MAX_BUFFERED;
	if (defers) {
		program->deferred_open = !newline;
	} else {
		program->open = !newline;
		program->is_stderr = line->is_stderr;
		if (newline && program->deferred.size)
			put_deferred(program);
	}
	return !program->lines.failed && !program->key.failed &&
	       !program->deferred.failed;
}

/* A line that was cut goes on with nothing else: only the last may be cut. */
static bool put_cut_line(struct log *log, const struct fl_log_line *line)
{
	return log->last + 1 < log->n || put_line(log, line, false);
}

/* The size of "\033[1;32m" at the beginning; 0: it is none. */
static size_t colour_size(struct slice s)
{
	size_t n = 2;

	if (!fl_slice_starts(s, "\033["))
		return 0;
	while (n < s.size && (fl_is_digit(s.data[n]) || s.data[n] == ';'))
		n++;
	return n < s.size && (s.data[n] == 'm' || s.data[n] == 'K') ? n + 1 : 0;
}

static const struct { const char *name, *text; } escapes[] = {
	{ "&lt;", "<" }, { "&gt;", ">" }, { "&quot;", "\"" }, { "&#34;", "\"" },
	{ "&#39;", "'" }, { "&apos;", "'" }, { "&nbsp;", " " },
	{ "&#x27;", "'" }, { "&#x2F;", "/" }, { "&amp;", "&" },
};

static size_t escape_size(struct slice s, const char **text)
{
	for (size_t i = 0; i < FL_COUNT(escapes); i++) {
		if (fl_slice_starts(s, escapes[i].name)) {
			*text = escapes[i].text;
			return strlen(escapes[i].name);
		}
	}
	return 0;
}

/* The text without colours and escapes, of which the log has some. */
static struct slice plain_of(struct log *log, struct slice text)
{
	const char *escape;
	size_t n;

	if (!log->colours && !log->escapes)
		return text;
	log->plain.size = 0;
	while (text.size) {
		n = 0;
		if (log->colours && text.data[0] == '\033')
			n = colour_size(text);
		if (!n && log->escapes && text.data[0] == '&' &&
		    (n = escape_size(text, &escape)))
			fl_buf_text(&log->plain, escape);
		if (!n) {
			fl_buf_byte(&log->plain, text.data[0]);
			n = 1;
		}
		text.data += n;
		text.size -= n;
	}
	return fl_buf_slice(&log->plain);
}

/* A column of CSV: two quotes are one. */
static void unquote(struct slice *text, struct fl_buf *buf)
{
	if (text->size < 2 || text->data[0] != '"' ||
	    text->data[text->size - 1] != '"')
		return;
	buf->size = 0;
	for (size_t i = 1; i + 1 < text->size; i++) {
		fl_buf_byte(buf, text->data[i]);
		i += text->data[i] == '"' && text->data[i + 1] == '"';
	}
	*text = fl_buf_slice(buf);
}

static bool parse(struct log *log, struct slice line,
		  struct fl_log_line *parsed)
{
	if (log->json)
		return fl_log_json(line, &log->text, parsed);
	parsed->text = line;
	if (!log->kind)
		return true;
	if (!fl_log_take(log->kind, line, parsed))
		return false;
	if (log->kind->pattern && strchr(log->kind->pattern, ','))
		unquote(&parsed->text, &log->text);
	return true;
}

/* A line without a prefix is of the program of the line before. */
static bool take_line(struct log *log, struct slice line, bool ended)
{
	struct fl_log_line parsed = { .key = &log->key };
	bool found;

	log->key.size = 0;
	if (line.size && line.data[line.size - 1] == '\r')
		line.size--;
	line = plain_of(log, line);
	found = parse(log, line, &parsed);
	/* Objects without a text, one that was cut, and blank lines. */
	if (!found && log->json && (!line.size || line.data[0] == '{')) {
		log->cut |= line.size && !ended;
		return true;
	}
	log->cut |= !ended && !log->json;
	if (!found)
		parsed.text = line;
	if (!found && log->n)
		parsed.is_stderr = log->programs[log->last].is_stderr;
	else if (!find_program(log))
		return false;
	return ended ? put_line(log, &parsed, !parsed.partial) :
		       put_cut_line(log, &parsed);
}

static void end_lines(struct log *log)
{
	for (size_t i = 0; i < log->n; i++) {
		struct program *program = &log->programs[i];

		if (program->open && program->deferred.size) {
			fl_buf_byte(&program->lines, '\n');
			put_deferred(program);
		}
		if (program->open && i + 1 < log->n)
			fl_buf_byte(&program->lines, '\n');
	}
}

/* Reading ----------------------------------------------------------------- */

/* false: out of memory. */
static bool read_line(struct log *log, struct fl_in *under)
{
	const char *at, *lf;
	size_t avail;
	bool good = true;

	lf = fl_in_peek_line(under, &at, &avail);
	log->ended = !avail || (!lf && fl_in_damage(under)) || log->full;
	if (!log->ended) {
		good = take_line(log, (struct slice){ at, lf ? (size_t)(lf - at)
							     : avail },
				 lf != NULL);
		fl_in_consume(under, lf ? (size_t)(lf + 1 - at) : avail);
	} else {
		end_lines(log);
		if (log->cut)
			fl_remark(fl_in_flame(under), "%s: the last line of the"
				  " log has no newline: if it was cut there, "
				  "what followed is missing",
				  fl_in_name(under));
	}
	return good;
}

/* Lines of the current program; false: there are no more of any. */
static bool fill(struct log *log, struct fl_in *under)
{
	struct program *program;

	for (;;) {
		program = log->n ? &log->programs[log->current] : NULL;
		if (program && log->given < program->lines.size)
			return true;
		log->given = 0;
		if (program)
			program->lines.size = 0;
		if (!log->ended) {
			if (!read_line(log, under)) {
				fl_no_memory(fl_in_flame(under));
				return false;
			}
		} else if (log->current + 1 < log->n) {
			log->current++;
		} else {
			return false;
		}
	}
}

static size_t read_log(void *state, struct fl_in *under, uint8_t *out,
		       size_t capacity, const char **damage)
{
	struct log *log = state;
	size_t made = 0, n;

	while (made < capacity && fill(log, under)) {
		struct fl_buf *lines = &log->programs[log->current].lines;

		n = FL_MIN(capacity - made, lines->size - log->given);
		memcpy(out + made, lines->data + log->given, n);
		log->given += n;
		made += n;
	}
	if (made < capacity && log->full)
		*damage = too_many;
	return made;
}

static void forget_programs(struct log *log)
{
	for (size_t i = 0; i < log->n; i++) {
		fl_buf_free(&log->programs[i].key);
		fl_buf_free(&log->programs[i].lines);
		fl_buf_free(&log->programs[i].deferred);
	}
	fl_index_free(&log->index);
	log->n = log->last = 0;
	log->buffered = 0;
	log->full = false;
}

static void end_log(void *state)
{
	struct log *log = state;

	forget_programs(log);
	fl_free(log->programs);
	fl_buf_free(&log->plain);
	fl_buf_free(&log->text);
	fl_buf_free(&log->key);
	fl_free(log);
}

/* Which log it is --------------------------------------------------------- */

/* Two lines, or all there are, are objects that hold a line of text. */
static bool is_json_log(struct log *log, struct slice head, bool whole)
{
	struct fl_log_line parsed = { .key = &log->key };
	const char *lf = memchr(head.data, '\n', head.size);
	struct slice line = { head.data, lf ? (size_t)(lf - head.data) :
					      head.size };

	if ((!lf && !whole) || !fl_log_json(line, &log->text, &parsed))
		return false;
	return !lf || lf + 1 == head.data + head.size || lf[1] == '{' ||
	       lf[1] == '\n';
}

static struct slice peek(struct fl_in *in, size_t most, bool *whole)
{
	size_t n;
	const char *at = (const char *)fl_in_peek(in, most, &n);

	*whole = n < most;
	return (struct slice){ at ? at : "", FL_MIN(n, most) };
}

static bool has_text(struct slice s, const char *text)
{
	return s.size && memmem(s.data, s.size, text, strlen(text));
}

/* The kind of its lines; *all: as fl_log_kind_of.  false: there is none. */
static bool find_kind(struct log *log, struct slice head, bool *all)
{
	struct fl_buf plain = { 0 };
	bool in_colour = true;

	*all = true;
	log->colours = has_text(head, "\033[");
	log->escapes = head.data[0] != '<' &&
		       (has_text(head, "&lt;") || has_text(head, "&gt;") ||
			has_text(head, "&quot;") || has_text(head, "&amp;"));
	while (head.size && !plain.failed) {
		struct slice line = fl_log_cut_line(&head);

		in_colour &= !line.size || line.data[0] == '\033';
		line = plain_of(log, line);
		fl_buf_put(&plain, line.data, line.size);
		fl_buf_byte(&plain, '\n');
	}
	log->kind = fl_log_kind_of(fl_buf_slice(&plain), &log->key, all);
	/* Names may have colours, too. */
	if (!log->kind && !log->escapes && !in_colour)
		*all = false;
	fl_buf_free(&plain);
	return log->kind || log->colours || log->escapes;
}

/*
 * The highest bid of any reader (judge: its bits) for the unwrapped lines of
 * one program, or for those of all, one after the other.
 */
static int best_probe_of_unwrapped(struct log *log, struct slice head,
				   bool whole, fl_log_judge *judge)
{
	struct fl_buf all = { 0 };
	int most = 0;

	while (head.size)
		if (!take_line(log, fl_log_cut_line(&head), true))
			return 0;
	for (size_t i = 0; i < log->n; i++) {
		struct slice text = fl_buf_slice(&log->programs[i].lines);

		if (text.size && text.data[0] == FL_LOG_MARK)
			fl_log_cut_line(&text);
		fl_buf_put(&all, text.data, text.size);
		if (text.size)
			most = FL_MAX(most, judge((const uint8_t *)text.data,
						  text.size, whole));
	}
	if (log->n > 1 && !all.failed)
		most = FL_MAX(most, judge((const uint8_t *)all.data, all.size,
					  whole));
	fl_buf_free(&all);
	forget_programs(log);
	return most;
}

/* Whole lines. */
static struct slice peek_lines(struct fl_in *in, size_t most, bool *whole)
{
	struct slice head = peek(in, most, whole);
	const char *lf = *whole || !head.size ? NULL :
			 memrchr(head.data, '\n', head.size);

	if (lf)
		head.size = (size_t)(lf + 1 - head.data);
	return head;
}

static bool is_text_log(struct log *log, struct fl_in *under,
			fl_log_judge *judge)
{
	/* Folded text has so few. */
	enum { FIRST = 4096, HEAD = 1 << 20, WEAK_BITS = 8 };
	struct slice head;
	bool whole, all;
	int within;

	head = peek_lines(under, FIRST, &whole);
	if (!find_kind(log, head, &all))
		return false;
	head = peek_lines(under, HEAD, &whole);
	within = best_probe_of_unwrapped(log, head, whole, judge);
	all = all && (!log->kind || !log->kind->weak || log->colours ||
		      within > WEAK_BITS);
	return within && within >= !all + judge((const uint8_t *)head.data,
						head.size, whole);
}

static void *begin(struct fl_in *under, fl_log_judge *judge)
{
	enum { FIRST = 512, LINE = 64 << 10 };
	struct flame *flame = fl_in_flame(under);
	struct slice head;
	struct log *log;
	bool whole;

	head = peek(under, FIRST, &whole);
	if (!head.size || memchr(head.data, '\0', head.size))
		return NULL;
	log = fl_zeroed(1, sizeof(*log));
	if (!log) {
		fl_no_memory(flame);
		return NULL;
	}
	log->json = head.data[0] == '{';
	if (log->json ? is_json_log(log, peek(under, LINE, &whole), whole) :
			is_text_log(log, under, judge))
		return log;
	end_log(log);
	return NULL;
}

/* In no table: the first line alone is not enough. */
static const struct fl_decoder decoder = {
	.name = "log", .read = read_log, .end = end_log,
};

/* Line ends of the old Mac -------------------------------------------------- */

static size_t read_returns(void *state, struct fl_in *under, uint8_t *out,
			   size_t capacity, const char **damage)
{
	const uint8_t *at;
	size_t n;

	(void)state;
	(void)damage;
	at = fl_in_peek(under, 1, &n);
	n = FL_MIN(n, capacity);
	for (size_t i = 0; i < n; i++)
		out[i] = at[i] == '\r' ? '\n' : at[i];
	fl_in_consume(under, n);
	return n;
}

static void end_returns(void *state)
{
	fl_free(state);
}

static const struct fl_decoder returns = {
	.name = "text", .read = read_returns, .end = end_returns,
};

/* Text without a newline, but with returns. */
static bool has_returns(struct fl_in *in)
{
	enum { HEAD = 4096 };
	struct slice head;
	bool whole;

	head = peek(in, HEAD, &whole);
	return head.size && memchr(head.data, '\r', head.size - !whole) &&
	       !memchr(head.data, '\n', head.size) &&
	       !memchr(head.data, '\0', head.size);
}

/* NULL: it has failed. */
static struct fl_in *replace_returns(struct fl_in *in)
{
	void *state = fl_zeroed(1, 1);
	struct fl_in *over = state ? fl_layer_over(in, &returns, state) : NULL;

	if (over)
		return over;
	fl_free(state);
	fl_no_memory(fl_in_flame(in));
	fl_in_close(in);
	return NULL;
}

/* A log of a log: lines with a time in those of a container. */
enum { MAX_LOGS = 4 };

struct fl_in *fl_log_unwrap(struct fl_in *in, fl_log_judge *judge)
{
	void *state;
	struct fl_in *over;

	if (has_returns(in) && !(in = replace_returns(in)))
		return NULL;
	for (int i = 0; i < MAX_LOGS && (state = begin(in, judge)); i++) {
		over = fl_layer_over(in, &decoder, state);
		if (!over) {
			end_log(state);
			fl_in_close(in);
			return NULL;
		}
		in = over;
	}
	return in;
}
