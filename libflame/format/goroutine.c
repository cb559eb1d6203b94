/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads stacks of goroutines, as Go prints them when it panics, on SIGQUIT and
 * for /debug/pprof/goroutine?debug=2, alone or among the lines of a log.  Each
 * goroutine is a sample of the metric threads.
 *
 *	goroutine 18 [select, 5 minutes]:
 *	main.work(0x1)
 *		/srv/main.go:17 +0x17
 *	created by main.main in goroutine 1
 *		/srv/main.go:12 +0x127
 *
 * A frame is two lines, its arguments have no types.  Who created a goroutine
 * did not call it, and is not a frame.
 */
#include "fl.h"

#include "format/format.h"

struct goroutine {
	struct fl_dump dump;
	const struct fl_lines_options *options;
	struct fl_buf function;	/* whose place comes next */
	bool has_function, is_aside;
};

/* "goroutine 18 [select, 5 minutes, locked to thread]:" */
static bool read_header(struct slice line, int64_t *id, struct slice *state)
{
	struct slice number;

	if (!fl_slice_starts(line, "goroutine ") ||
	    !fl_slice_ends(line, "]:"))
		return false;
	line = fl_slice_from(line, strlen("goroutine "));
	line.size -= 2;
	number = fl_slice_split(&line, ' ');
	if (!fl_parse_digits(number, id))
		return false;
	/* Go 1.23 and later: "gp=0xc000 m=0 mp=0x5 [running". */
	*state = line;
	while (line.size && line.data[0] != '[')
		line = fl_slice_from(line, 1);
	if (!line.size)
		return false;
	*state = fl_slice_from(line, 1);
	*state = fl_slice_split(state, ',');
	return true;
}

static const char *state_of(struct slice state)
{
	static const struct { const char *go, *state; } known[] = {
		{ "running", "STATE_RUNNABLE" },
		{ "runnable", "STATE_RUNNABLE" },
		{ "syscall", "STATE_RUNNABLE" },
		{ "sleep", "STATE_SLEEPING" },
	};

	for (size_t i = 0; i < FL_COUNT(known); i++)
		if (fl_slice_is(state, known[i].go))
			return known[i].state;
	return "STATE_WAITING";
}

/* "main.(*T).work(0x1, {0x2, 0x3})": the name before its arguments. */
static bool is_function(struct slice line, struct slice *name)
{
	size_t depth = 0, i = line.size;

	if (!line.size || line.data[line.size - 1] != ')' ||
	    fl_is_blank(line.data[0]))
		return false;
	while (i--) {
		depth += line.data[i] == ')';
		if (line.data[i] == '(' && !--depth)
			break;
	}
	*name = (struct slice){ line.data, i == SIZE_MAX ? 0 : i };
	return name->size > 0;
}

/* "\t/srv/main.go:17 +0x17": the line. */
static bool is_place(struct slice line, struct slice *number)
{
	struct slice rest = line;
	size_t i;

	if (!line.size || line.data[0] != '\t')
		return false;
	for (i = rest.size; i && rest.data[i - 1] != ':'; i--)
		;
	if (!i)
		return false;
	rest = fl_slice_from(rest, i);
	*number = fl_slice_split(&rest, ' ');
	return fl_slice_digits(*number);
}

static void add_frame(struct goroutine *g, struct slice number)
{
	struct flame *flame = g->dump.source->flame;
	struct fl_buf *buf = &g->function;

	if (g->options->lines && number.size) {
		fl_buf_byte(buf, ':');
		fl_buf_put(buf, number.data, number.size);
	}
	g->has_function = false;
	if (!buf->failed)
		fl_dump_frame(&g->dump, fl_frame(flame,
			flame_name(flame, buf->data, buf->size),
			FLAME_UNKNOWN));
	else
		fl_no_memory(flame);
}

static void end(struct goroutine *g)
{
	if (g->has_function)
		add_frame(g, (struct slice){ "", 0 });
	fl_dump_end(&g->dump);
}

static void take_inner(struct goroutine *g, struct slice line)
{
	struct fl_dump *dump = &g->dump;
	struct slice name, number;

	if (is_place(line, &number)) {
		if (g->has_function)
			add_frame(g, number);
		return;
	}
	if (fl_slice_starts(line, "created by ")) {
		g->is_aside = true;
	} else if (fl_slice_starts(line, "...") &&
		   fl_slice_has(line, "elided")) {
		dump->truncated = true;
	} else if (!g->is_aside && is_function(line, &name)) {
		if (g->has_function)
			add_frame(g, (struct slice){ "", 0 });
		g->function.size = 0;
		fl_buf_put(&g->function, name.data, name.size);
		g->has_function = true;
	}
}

static void accept_line(struct fl_dump *dump, struct slice line)
{
	struct goroutine *g = (struct goroutine *)dump;
	struct slice state;
	int64_t id;

	if (read_header(line, &id, &state)) {
		end(g);
		fl_dump_begin(dump, (struct slice){ "", 0 });
		dump->tid = id;
		dump->state = state_of(state);
		g->has_function = g->is_aside = false;
	} else if (!fl_slice_trim(line).size) {
		end(g);
	} else if (dump->open) {
		take_inner(g, line);
	}
}

/* The row ----------------------------------------------------------------- */

static bool begins(struct slice line)
{
	struct slice state;
	int64_t id;

	return read_header(line, &id, &state);
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	return fl_dump_probe(head, n, whole, begins, FL_FORMAT_CERTAIN);
}

static int open_goroutine(struct flame_source *source)
{
	struct goroutine *g = source->state;

	g->options = source->options;
	return fl_dump_open(source);
}

static void release(void *state)
{
	struct goroutine *g = state;

	fl_buf_free(&g->function);
	fl_dump_free(g);
}

/* A goroutine that is cut lacks its outer frames. */
static void end_of_input(struct fl_dump *dump)
{
	if (!dump->lines.ended || fl_in_damage(dump->source->in))
		fl_dump_lose(dump);
	end((struct goroutine *)dump);
}

static int read(struct flame_source *source)
{
	return fl_dump_read(source->state, accept_line, end_of_input);
}

const struct fl_format fl_format_goroutine = {
	.name = "goroutine",
	.summary = "stacks of goroutines: Go's panics, SIGQUIT, debug=2",
	.probe = probe,
	.state_size = sizeof(struct goroutine),
	.open = open_goroutine,
	.read = read,
	.release = release,
	.options = &fl_lines_option_table,
};
