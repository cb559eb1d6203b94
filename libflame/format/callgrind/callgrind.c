/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads profiles of callgrind, and Xdebug's for PHP: the costs of functions,
 * and who called whom at which cost with all below; no stacks.  stacks.c
 * estimates the stacks; a sample has one of them, and its cost in an event
 * (Ir).
 *
 *	events: Ir
 *	fl=(1) a.c
 *	fn=(1) main
 *	16 400
 *	cfn=(2) f
 *	calls=1 50
 *	16 400
 *
 * A name follows its number once; +N, -N and * are relative to the line before.
 */
#include "fl.h"

#include "format/callgrind/callgrind.h"

#include <inttypes.h>

enum name_kind { FILE_NAME, OBJECT_NAME, FUNCTION_NAME, NAME_KINDS };
enum { MAX_NUMBERS = FL_CALLGRIND_EVENTS + 2 };

struct reader {
	struct fl_line_reader base;
	struct fl_callgrind graph;
	struct fl_map names[NAME_KINDS];	/* number -> name */
	struct fl_map functions;	/* hash of (file, name) -> number + 1 */
	flame_id file, object, callee_file, callee_object;
	uint32_t function, callee;	/* numbers + 1; 0: none */
	bool is_call;		/* the next costs are of a call */
	unsigned positions;	/* numbers before the costs */
	int64_t last[MAX_NUMBERS];
	bool read;
};

/* Names --------------------------------------------------------------- */

/* "(1) name", "(1)", "name". */
static flame_id take_name(struct reader *r, enum name_kind kind,
			  struct slice s)
{
	struct slice number;
	int64_t n;
	uint64_t *name;

	s = fl_slice_trim(s);
	if (!s.size || s.data[0] != '(' || !memchr(s.data, ')', s.size))
		return flame_name(r->base.flame, s.data, s.size);
	number = s;
	number = fl_slice_split(&s, ')');
	number.data++;
	number.size--;
	if (!fl_parse_digits(number, &n))
		return flame_name(r->base.flame, number.data - 1,
				  number.size + 1 + s.size + 1);
	s = fl_slice_trim(s);
	name = fl_map_put(&r->names[kind], (uint64_t)n, NULL);
	if (!name) {
		fl_no_memory(r->base.flame);
		return 0;
	}
	if (s.size)
		*name = flame_name(r->base.flame, s.data, s.size);
	return (flame_id)*name;
}

/* The function's number + 1. */
static uint32_t function_of(struct reader *r, flame_id file, flame_id object,
			    flame_id name)
{
	struct fl_callgrind *g = &r->graph;
	struct flame_frame frame = {
		.name = name, .file = file ? file : object,
		.type = FLAME_NATIVE,
	};
	flame_id id = flame_frame(r->base.flame, &frame);
	uint64_t *number = fl_map_put(&r->functions, id, NULL);

	if (!number) {
		fl_no_memory(r->base.flame);
		return 0;
	}
	if (!*number && fl_callgrind_function(r->base.flame, g, id))
		*number = g->nfunctions;
	return (uint32_t)*number;
}

/* Costs --------------------------------------------------------------- */

static bool parse_number(struct slice s, int64_t last, int64_t *n)
{
	uint64_t hex;
	bool plus = fl_slice_starts(s, "+"), minus = fl_slice_starts(s, "-");

	if (fl_slice_is(s, "*")) {
		*n = last;
		return true;
	}
	if (plus || minus) {
		s.data++;
		s.size--;
	}
	if (fl_slice_starts(s, "0x")) {
		if (!fl_parse_hex(s, &hex))
			return false;
		*n = (int64_t)(hex & INT64_MAX);
	} else if (!fl_parse_decimal(s, 0, n)) {
		return false;
	}
	if (plus || minus)
		*n = fl_add_clamped(last, minus ? -*n : *n);
	return true;
}

/* "16 400", "0x401000 16 400 7": costs that are not there are 0. */
static bool take_costs(struct reader *r, struct slice s, int64_t *cost)
{
	unsigned n = r->positions + r->graph.nevents, i = 0;

	memset(cost, 0, FL_CALLGRIND_EVENTS * sizeof(*cost));
	for (s = fl_slice_trim(s); s.size; s = fl_slice_trim(s), i++) {
		struct slice word = fl_slice_split(&s, ' ');
		int64_t number;

		if (i >= n)
			return true;
		if (!parse_number(word, r->last[i], &number))
			return false;
		r->last[i] = number;
		if (i >= r->positions)
			cost[i - r->positions] = FL_MAX(number, 0);
	}
	return i >= r->positions;
}

static void add_costs(struct reader *r, const int64_t *cost)
{
	struct fl_callgrind *g = &r->graph;

	if (r->is_call) {
		if (r->function && r->callee)
			fl_callgrind_call(r->base.flame, g, r->function - 1,
					  r->callee - 1, cost);
		r->is_call = false;
		r->callee_file = r->callee_object = 0;
		return;
	}
	if (!r->function)
		return;
	for (unsigned i = 0; i < g->nevents; i++) {
		int64_t *self = &g->functions[r->function - 1].self[i];

		*self = fl_add_clamped(*self, cost[i]);
	}
}

/* Headings ------------------------------------------------------------ */

static const struct {
	const char *event, *metric, *unit;
	int64_t factor;
} known[] = {
	{ "Ir", "instructions", "instructions", 1 },
	{ "Time_(10ns)", "time", "ns", 10 },
	{ "Time_(\xc2\xb5s)", "time", "ns", 1000 },
	{ "Memory_(bytes)", "memory", "bytes", 1 },
};

static void add_event(struct reader *r, struct slice name)
{
	struct fl_callgrind *g = &r->graph;
	struct fl_buf *buf = &r->base.buf;

	if (g->nevents == FL_CALLGRIND_EVENTS)
		return;
	buf->size = 0;
	fl_buf_put(buf, name.data, name.size);
	if (buf->failed)
		return;
	g->factor[g->nevents] = 1;
	for (size_t i = 0; i < FL_COUNT(known); i++)
		if (fl_slice_is(name, known[i].event)) {
			g->factor[g->nevents] = known[i].factor;
			g->metric[g->nevents++] = flame_metric(r->base.flame,
				known[i].metric, known[i].unit);
			return;
		}
	g->metric[g->nevents++] =
		flame_metric(r->base.flame, buf->data, "count");
}

static void set_events(struct reader *r, struct slice s)
{
	/* Parts of one profile have the same events. */
	if (r->graph.nevents)
		return;
	for (s = fl_slice_trim(s); s.size; s = fl_slice_trim(s))
		add_event(r, fl_slice_split(&s, ' '));
}

static bool value_of(struct slice line, const char *key, struct slice *value)
{
	size_t n = strlen(key);

	if (!fl_slice_starts(line, key))
		return false;
	*value = fl_slice_trim(fl_slice_from(line, n));
	return true;
}

static bool take_header(struct reader *r, struct slice line)
{
	struct slice s;

	if (value_of(line, "events:", &s)) {
		set_events(r, s);
		return true;
	}
	if (value_of(line, "positions:", &s)) {
		r->positions = 1 + (memchr(s.data, ' ', s.size) != NULL);
		return true;
	}
	/* "version: 1", "summary: 3", "desc: I1 cache: ..." */
	s = fl_slice_split(&line, ':');
	return line.size && s.size && s.data[0] >= 'a' && s.data[0] <= 'z' &&
	       !memchr(s.data, '=', s.size);
}

/* "fn=(1) main" and its like. */
static bool take_setting(struct reader *r, struct slice line)
{
	struct slice s;
	flame_id name;

	if (value_of(line, "fl=", &s) || value_of(line, "fi=", &s) ||
	    value_of(line, "fe=", &s)) {
		r->file = take_name(r, FILE_NAME, s);
	} else if (value_of(line, "ob=", &s)) {
		r->object = take_name(r, OBJECT_NAME, s);
	} else if (value_of(line, "fn=", &s)) {
		name = take_name(r, FUNCTION_NAME, s);
		r->function = function_of(r, r->file, r->object, name);
	} else if (value_of(line, "cfi=", &s) || value_of(line, "cfl=", &s)) {
		r->callee_file = take_name(r, FILE_NAME, s);
	} else if (value_of(line, "cob=", &s)) {
		r->callee_object = take_name(r, OBJECT_NAME, s);
	} else if (value_of(line, "cfn=", &s)) {
		name = take_name(r, FUNCTION_NAME, s);
		r->callee = function_of(r, r->callee_file ? r->callee_file :
					   r->callee_object ? 0 : r->file,
					r->callee_object ? r->callee_object :
					r->object, name);
	} else if (value_of(line, "calls=", &s)) {
		r->is_call = true;
	} else if (value_of(line, "jfi=", &s)) {
		take_name(r, FILE_NAME, s);	/* its number may be used */
	} else if (value_of(line, "jfn=", &s)) {
		take_name(r, FUNCTION_NAME, s);
	} else if (value_of(line, "jump=", &s) ||
		   value_of(line, "jcnd=", &s)) {
		/* A line of positions may follow: it has no costs. */
	} else {
		return false;
	}
	return true;
}

static void take_line(struct reader *r, struct slice line)
{
	int64_t cost[FL_CALLGRIND_EVENTS];
	struct fl_lines *lines = &r->base.lines;
	char first;

	line = fl_slice_trim(line);
	if (!line.size || line.data[0] == '#')
		return;
	first = line.data[0];
	if (fl_is_digit(first) || first == '+' || first == '-' ||
	    first == '*') {
		/* The input may end at the end of a line. */
		if (take_costs(r, line, cost)) {
			add_costs(r, cost);
			return;
		}
	} else if (take_setting(r, line) || take_header(r, line)) {
		return;
	}
	fl_lines_bad(lines, line);
}

/* Reading ------------------------------------------------------------- */

/* Calls of a small file are followed in few nodes, as they can be endless. */
enum { FREE_NODES = 1 << 20, NODES_PER_BYTE = 64, MAX_NODES = 4000000 };

static void read_all(struct reader *r)
{
	struct slice line;

	r->read = true;
	while (!fl_failed(r->base.flame) &&
	       fl_lines_next(&r->base.lines, &line))
		take_line(r, line);
	r->base.lines.good = r->graph.nfunctions;
	r->graph.max_nodes = FL_MIN(MAX_NODES, FREE_NODES + NODES_PER_BYTE *
				    fl_in_bytes(r->base.source->in));
	if (r->graph.nfunctions)
		fl_remark(r->base.flame, "%s: the profile has calls and no "
			  "stacks: these are estimated, as if a function cost "
			  "the same whoever calls it",
			  fl_in_name(r->base.source->in));
}

static int read(struct flame_source *source)
{
	struct reader *r = source->state;
	struct flame_sample sample;

	if (!r->read)
		read_all(r);
	if (!fl_failed(r->base.flame) && !r->base.buf.failed &&
	    fl_callgrind_next(r->base.flame, &r->graph, &sample))
		return fl_batch_add(source, &sample);
	if (fl_failed(r->base.flame))
		return FLAME_FAILED;
	return fl_lines_end(source, &r->base.lines);
}

/* The row of formats.def ------------------------------------------------ */

static int open_callgrind(struct flame_source *source)
{
	struct reader *r = source->state;

	r->positions = 1;
	return fl_line_reader_open(source);
}

static void release(void *state)
{
	struct reader *r = state;

	fl_callgrind_free(&r->graph);
	for (unsigned i = 0; i < NAME_KINDS; i++)
		fl_map_free(&r->names[i]);
	fl_map_free(&r->functions);
	fl_line_reader_free(&r->base);
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	struct slice text = { (const char *)head, n };
	bool events = fl_slice_starts(text, "events:") ||
		      fl_slice_has(text, "\nevents:");

	(void)whole;
	if (fl_slice_starts(text, "# callgrind format") ||
	    fl_slice_starts(text, "version: 1\ncreator: "))
		return 56;
	return events && fl_slice_has(text, "\nfn=") ? 40 : 0;
}

const struct fl_format fl_format_callgrind = {
	.name = "callgrind",
	.summary = "profiles of callgrind, and Xdebug's for PHP",
	.probe = probe,
	.state_size = sizeof(struct reader),
	.open = open_callgrind,
	.read = read,
	.release = release,
};
