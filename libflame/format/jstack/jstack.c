/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads thread dumps of JVMs, as they are or among the lines of a log: jstack,
 * jcmd Thread.print and dump_to_file (plain), SIGQUIT, jhsdb jstack, and
 * ThreadInfo's text (Spark's download).  JDK 5 to 25; jstack_header.c reads the
 * first lines of threads.  Each thread is a sample of the metric threads.
 * jfr/dumps.c passes the dumps in recordings to this reader by
 * fl_jstack_resume().
 *
 * A thread is a line that begins with its name in quotes, lines that are
 * indented, and an empty line.  Frames are named as JFR's are.  What stands
 * outside of threads (deadlocks, which repeat stacks, locks, the heap, the
 * log) is passed over.
 */
#include "fl.h"

#include "format/jstack/jstack.h"

#include <inttypes.h>

/* Options of this format; their rows are below. */
struct options {
	bool lines, bci;	/* append :LINE, or @BCI, to names */
};

struct jstack {
	struct fl_dump dump;
	int64_t time;		/* of the dump, or FLAME_NOTIME */
	int64_t given_time;	/* instead of times in the text; the same */
	int64_t last_time;	/* of a line that is only that */
	uint64_t last_time_at;	/* its number */
	bool to_file;		/* a dump_to_file has begun */
	bool jrockit;		/* as in fl_jstack_header, of this thread */
	uint64_t dumps;
	bool reported;
	unsigned nprograms;	/* the source's, when the last line came */
	struct fl_buf prefix;	/* that a log has put before each line */
	struct fl_buf pending;	/* a thread's name that has newlines, so far */
	unsigned npending;	/* lines in it */
};

/* Lines that begin a dump; the second is of JRockit. */
static const char full[] = "Full thread dump ";
static const char full_jrockit[] = "===== FULL THREAD DUMP =====";

static struct slice trim(struct slice s)
{
	while (s.size && (s.data[0] == ' ' || s.data[0] == '\t')) {
		s.data++;
		s.size--;
	}
	while (s.size &&
	       (s.data[s.size - 1] == ' ' || s.data[s.size - 1] == '\t'))
		s.size--;
	return s;
}

static void begin(struct jstack *j, const struct fl_jstack_header *h)
{
	struct fl_dump *dump = &j->dump;

	fl_dump_begin(dump, h->name);
	dump->tid = h->nid >= 0 ? h->nid : h->os_id >= 0 ? h->os_id : h->id;
	dump->state = h->state;
	j->jrockit = h->jrockit;
	dump->time = h->time != FLAME_NOTIME ? h->time : j->time;
	if (j->given_time != FLAME_NOTIME)
		dump->time = j->given_time;
}

/* Frames ------------------------------------------------------------------ */

static void add_frame(struct jstack *j, struct slice name,
		      enum flame_type type, int64_t line, int64_t bci)
{
	struct fl_dump *dump = &j->dump;
	struct flame *flame = dump->source->flame;
	const struct options *options = dump->source->options;
	struct fl_buf *buf = &dump->buf;

	buf->size = 0;
	if (j->jrockit)
		fl_buf_put(buf, name.data, name.size);
	else
		fl_java_name(buf, name);
	if (options->lines && line > 0)
		fl_buf_print(buf, ":%" PRId64, line);
	else if (options->bci && bci > 0)
		fl_buf_print(buf, "@%" PRId64, bci);
	fl_dump_frame(
		dump,
		fl_frame(flame, flame_name(flame, buf->data, buf->size), type));
}

/* pkg.Cls.method(module@1.0/File.java:12) */
static bool take_frame(struct jstack *j, struct slice text)
{
	struct fl_java_frame frame;

	if (!fl_java_frame(text, &frame))
		return false;
	/* Native methods have their types. */
	if (j->jrockit)
		frame.name = fl_slice_split(&frame.name, '(');
	add_frame(j, frame.name, frame.type, frame.line, 0);
	return true;
}

static int64_t number_after(struct slice text, const char *key)
{
	const char *at = memmem(text.data, text.size, key, strlen(key));
	struct slice digits;
	int64_t n = 0;

	if (!at)
		return 0;
	digits = (struct slice){ at + strlen(key), 0 };
	while (digits.data + digits.size < text.data + text.size &&
	       fl_is_digit(digits.data[digits.size]))
		digits.size++;
	return fl_parse_int(digits, &n) ? n : 0;
}

/* jhsdb: pkg.Cls.method(long) @bci=2, line=34 (Compiled frame) */
static bool take_jhsdb_frame(struct jstack *j, struct slice text)
{
	const char *place = memmem(text.data, text.size, " @bci=", 6);
	struct slice name = text, rest;
	const char *paren;

	if (!place)
		return false;
	rest = fl_slice_from(text, place - text.data);
	name.size = place - text.data;
	paren = memchr(name.data, '(', name.size);
	if (paren)
		name.size = paren - name.data;
	if (!name.size)
		return false;
	add_frame(j, name,
		  memmem(rest.data, rest.size, "(Compiled", 9) ?
			  FLAME_JIT :
			  FLAME_INTERPRETED,
		  number_after(rest, " line="), number_after(rest, "@bci="));
	return true;
}

/* Lines ------------------------------------------------------------------- */

/* Threads end there, so nothing can be missing below. */
static bool is_bottom(const struct fl_dump *dump)
{
	static const char *const bottoms[] = {
		"java/lang/Thread.run", "java/lang/VirtualThread.run",
	};
	const struct flame *flame = dump->source->flame;
	flame_id last = dump->nframes ? dump->frames[dump->nframes - 1] : 0;
	struct slice name = fl_name_at(flame, flame->frames.data[last].name);

	for (size_t i = 0; i < FL_COUNT(bottoms); i++) {
		size_t n = strlen(bottoms[i]);

		if (fl_slice_starts(name, bottoms[i]) &&
		    (name.size == n || name.data[n] == ':' ||
		     name.data[n] == '@'))
			return true;
	}
	return false;
}

/* A thread that no empty line ended: it may have been cut. */
static void end_early(struct fl_dump *dump)
{
	if (is_bottom(dump) && !fl_in_damage(dump->source->in))
		fl_dump_end(dump);
	else
		fl_dump_lose(dump);
}

static void begin_dump(struct jstack *j, struct slice line)
{
	end_early(&j->dump);
	line = trim(fl_slice_from(line, strlen(full)));
	line.size -= fl_slice_ends(line, ":");
	if (!j->dumps++)
		fl_fact(j->dump.source, "JVM", "%.*s",
			(int)FL_MIN(line.size, (size_t)1024), line.data);
	j->to_file = false;
	j->time = j->last_time_at && j->last_time_at + 1 ==
				     j->dump.lines.number ? j->last_time :
							    FLAME_NOTIME;
}

static void not_understood(struct jstack *j, struct slice line)
{
	/* A line that was cut is reported by another message. */
	if (j->dump.lines.ended)
		fl_lines_bad(&j->dump.lines, line);
}

/* Prefixes of logs -------------------------------------------------------- */

/* The offset of a dump in a line, after the prefix of a log. */
static bool find_dump(struct slice line, size_t *prefix)
{
	const char *at = memmem(line.data, line.size, full, strlen(full));

	*prefix = at ? (size_t)(at - line.data) : 0;
	return at && (!*prefix || (*prefix < 512 &&
				   (at[-1] == ' ' || at[-1] == '\t')));
}

static void skip_digits(struct slice *s)
{
	while (s->size && fl_is_digit(s->data[0]))
		*s = fl_slice_from(*s, 1);
}

/* ".123", which clocks leave out where it is zero. */
static void skip_fraction(struct slice *s)
{
	if (s->size > 1 && (s->data[0] == '.' || s->data[0] == ',') &&
	    fl_is_digit(s->data[1])) {
		*s = fl_slice_from(*s, 1);
		skip_digits(s);
	}
}

/*
 * A line without the prefix.  Its numbers (times, process ids) may be any;
 * the blanks that end it may lack where the line is empty.  A line that does
 * not have it stays: loggers may write it once for all lines of a message.
 */
static struct slice without_prefix(const struct jstack *j, struct slice line)
{
	struct slice p = { j->prefix.data, j->prefix.size }, s = line;

	while (p.size) {
		if (fl_is_digit(p.data[0])) {
			if (!s.size || !fl_is_digit(s.data[0]))
				return line;
			skip_digits(&p);
			skip_digits(&s);
			skip_fraction(&p);
			skip_fraction(&s);
		} else if (s.size && p.data[0] == s.data[0]) {
			p = fl_slice_from(p, 1);
			s = fl_slice_from(s, 1);
		} else {
			return !s.size && !trim(p).size ? s : line;
		}
	}
	return s;
}

static struct slice strip(struct jstack *j, struct slice line)
{
	size_t n;

	if (find_dump(line, &n)) {
		j->prefix.size = 0;
		fl_buf_put(&j->prefix, line.data, n);
		return fl_slice_from(line, n);
	}
	return j->prefix.size ? without_prefix(j, line) : line;
}

/* Not indented, and no thread's first line. */
static void take_outer(struct jstack *j, struct slice line)
{
	int64_t time;

	if (fl_slice_starts(line, full)) {
		begin_dump(j, line);
	} else if (fl_slice_starts(line, full_jrockit)) {
		end_early(&j->dump);
		j->dumps++;
		j->time = FLAME_NOTIME;
		j->last_time_at = 0;
	} else if (fl_jstack_ctime(line, &time)) {
		j->dump.source->zoneless = true;
		j->time = time;
	} else if (fl_java_time(line, false, &time)) {
		j->dump.source->zoneless = true;
		j->last_time = time;
		j->last_time_at = j->dump.lines.number;
	} else if (fl_java_time(line, true, &time)) {
		j->dumps += !j->to_file || time != j->time;
		j->time = time;
		j->to_file = true;
	} else if (j->dump.open && !fl_slice_starts(line, "Thread: 0x")) {
		not_understood(j, line);
	}
}

/* The stack that follows is of another thread, which runs on this one. */
static void take_mounted(struct jstack *j, struct slice number)
{
	struct fl_jstack_header h = fl_jstack_no_header;

	fl_dump_end(&j->dump);
	fl_jstack_id(number, &h.id);
	h.name = (struct slice){ number.data, 0 };
	h.state = "STATE_RUNNABLE";
	begin(j, &h);
}

/* Lines of a thread that say nothing of its stack. */
static bool is_ignored(struct slice text)
{
	static const char *const asides[] = {
		"-", "//", "^-- ", "No compile task", "Compiling:",
		"Carrying virtual thread #", "JavaThread state:",
		"Locked ownable synchronizers:",
		"Number of locked synchronizers =",
	};

	for (size_t i = 0; i < FL_COUNT(asides); i++)
		if (fl_slice_starts(text, asides[i]))
			return true;
	return false;
}

/* A line of a thread, without its indentation of n. */
static void take_inner(struct jstack *j, struct slice text, size_t n)
{
	static const char state[] = "java.lang.Thread.State: ";
	static const char mounted[] = "Mounted virtual thread #";
	struct slice word;

	if (fl_slice_starts(text, "at ") &&
	    take_frame(j, fl_slice_from(text, 3)))
		return;
	if (fl_slice_starts(text, "- ") &&
	    take_jhsdb_frame(j, fl_slice_from(text, 2)))
		return;
	if (fl_slice_starts(text, mounted)) {
		take_mounted(j, fl_slice_from(text, strlen(mounted)));
	} else if (fl_slice_starts(text, state)) {
		text = fl_slice_from(text, strlen(state));
		fl_dump_word(&text, &word);
		j->dump.state = fl_java_state(word);
	} else if (fl_slice_is(text, "...")) {
		j->dump.truncated = true;
	} else if (!is_ignored(text) &&
		   /* JDK 21's dump_to_file. */
		   !(j->to_file && n == 6 && take_frame(j, text))) {
		not_understood(j, text);
	}
}

/* Names with newlines ------------------------------------------------------ */

enum { MAX_NAME_LINES = 32 };

/* A thread's first line that does not close its name. */
static bool opens_name(struct slice line)
{
	const char *quote =
		line.size ? memchr(line.data, '"', line.size) : NULL;

	/* "Thread-1": of a deadlock, whose stacks are repeated there. */
	if (!quote || fl_slice_ends(line, "\":") ||
	    fl_slice_has(line, "\" id=") /* of JRockit's chains of locks */)
		return false;
	return quote == line.data ||
	       (line.data[0] == '#' && line.size > 1 &&
		fl_is_digit(line.data[1]) && quote[-1] == ' ');
}

/* true: the name that was begun ends in this line, and the thread begins. */
static bool ends_name(struct jstack *j, struct slice line,
		      struct fl_jstack_header *h)
{
	fl_buf_byte(&j->pending, ' ');
	fl_buf_put(&j->pending, line.data, line.size);
	if (j->pending.failed) {
		fl_no_memory(j->dump.source->flame);
		return false;
	}
	return fl_jstack_header((struct slice){ j->pending.data,
						j->pending.size },
				j->to_file, h);
}

/* A line of a stack: the name before it was none. */
static bool is_of_stack(struct slice line)
{
	struct slice text = trim(line);

	return text.data != line.data &&
	       (fl_slice_starts(text, "at ") ||
		fl_slice_starts(text, "java.lang.Thread.State: "));
}

/* true: the line is a part of a name, or the last one: then *begun. */
static bool take_name(struct jstack *j, struct slice line,
		      struct fl_jstack_header *h, bool *begun)
{
	*begun = false;
	if (!j->npending) {
		if (!opens_name(line))
			return false;
		j->pending.size = 0;
		fl_buf_put(&j->pending, line.data, line.size);
		j->npending = 1;
		return true;
	}
	if (is_of_stack(line) || ++j->npending > MAX_NAME_LINES) {
		fl_lines_bad(&j->dump.lines, (struct slice){ j->pending.data,
							     j->pending.size });
		j->npending = 0;
		return false;
	}
	*begun = ends_name(j, line, h);
	if (*begun)
		j->npending = 0;
	return true;
}

/* Lines of another program follow. */
static void begin_program(struct jstack *j)
{
	j->nprograms = j->dump.source->nprograms;
	j->to_file = false;
	j->time = FLAME_NOTIME;
	j->prefix.size = 0;
	j->npending = 0;
}

static void accept_line(struct fl_dump *dump, struct slice line)
{
	struct jstack *j = (struct jstack *)dump;
	struct slice text;
	struct fl_jstack_header h;
	bool begun;

	if (fl_unlikely(j->nprograms != dump->source->nprograms))
		begin_program(j);
	line = strip(j, line);
	text = trim(line);
	if (!fl_jstack_header(line, j->to_file, &h) &&
	    !fl_slice_starts(line, full) && take_name(j, line, &h, &begun)) {
		if (begun) {
			fl_dump_end(dump);
			begin(j, &h);
		}
	} else if (!text.size) {
		/* Blanks alone may be where a frame's line was cut. */
		if (!line.size || dump->lines.ended)
			fl_dump_end(dump);
	} else if (fl_jstack_header(line, j->to_file, &h)) {
		fl_dump_end(dump);
		begin(j, &h);
		j->npending = 0;
	} else if (text.data == line.data) {
		take_outer(j, line);
	} else if (dump->open) {
		take_inner(j, text, text.data - line.data);
	}
}

/* The row ----------------------------------------------------------------- */

static bool begins(struct slice line)
{
	struct fl_jstack_header h;
	size_t n;

	return find_dump(line, &n) || fl_jstack_header(line, false, &h);
}

static bool begins_bare(struct slice line)
{
	struct fl_jstack_header h;

	return fl_jstack_header(line, true, &h);
}

static bool is_instant(struct slice line)
{
	int64_t time;

	return fl_java_time(line, true, &time);
}

/* Names alone, as JDK 21 writes, are ours only in a file with its time. */
static int probe(const uint8_t *head, size_t n, bool whole)
{
	int bits = fl_dump_probe(head, n, whole, begins, FL_FORMAT_CERTAIN);

	if (bits <= 0 && fl_dump_probe(head, n, whole, is_instant, 1) > 0 &&
	    fl_dump_probe(head, n, whole, begins_bare, 1) > 0)
		return 32;
	return bits;
}

static int open_jstack(struct flame_source *source)
{
	struct jstack *j = source->state;

	j->time = j->given_time = FLAME_NOTIME;
	return fl_dump_open(source);
}

void fl_jstack_resume(struct flame_source *source, int64_t time)
{
	struct jstack *j = source->state;

	fl_lines_resume(&j->dump.lines, source->in);
	j->last_time_at = 0;
	j->given_time = time;
	begin_program(j);
}

static void release(void *state)
{
	struct jstack *j = state;

	fl_buf_free(&j->prefix);
	fl_buf_free(&j->pending);
	fl_dump_free(j);
}

static int read(struct flame_source *source)
{
	struct jstack *j = source->state;
	int status = fl_dump_read(&j->dump, accept_line, end_early);

	if (status == FLAME_END && !j->reported && j->dumps)
		fl_fact(source, "dumps", "%" PRIu64, j->dumps);
	j->reported |= status == FLAME_END;
	return status;
}

static const struct fl_option rows[] = {
	FL_OPTION_ROW_LINES(struct options),
	FL_OPTION_ROW_BCI(struct options),
	{ .name = NULL }
};

static const struct fl_option_table option_table = {
	.rows = rows, .size = sizeof(struct options),
};

const struct fl_format fl_format_jstack = {
	.name = "jstack",
	.summary = "thread dumps of JVMs, also in logs",
	.probe = probe,
	.state_size = sizeof(struct jstack),
	.open = open_jstack,
	.read = read,
	.release = release,
	.options = &option_table,
};
