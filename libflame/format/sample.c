/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the call graph of macOS's sample(1): a tree, two columns of "+ ! : |"
 * or blanks a level, its counts including the children's.  Each node is a
 * sample of its self count.  That is known when its last child is read, so in a
 * graph that was cut the counts of open nodes are unknown, and these are left
 * out.
 */
#include "fl.h"

#include "format/format.h"

#include <inttypes.h>
#include <stdlib.h>

enum { INDENT = 4 };	/* blanks before all lines of the graph */

/* The options of this format; the rows are below. */
struct options {
	enum fl_compat_tool peer;
	bool no_modules;	/* as a peer: no "module`" in names */
};

struct node {
	size_t depth;
	int64_t count, below;	/* below: of its children; no more */
	flame_id stack, thread;
	bool waits, leaf;
};

struct line {
	size_t depth;
	int64_t count;
	struct slice text;
};

struct reader {
	struct fl_line_reader base;
	flame_id pid;
	struct node *nodes;	/* from a thread to the node read last */
	size_t n, capacity;
	bool graph;		/* within one */
	bool blank;		/* the line before: the graph may have ended */
	bool gap;		/* a line was not understood: levels may miss */
	struct fl_map last;	/* a peer's: the weights of stacks */
	size_t given;
	uint64_t graphs, exceeding, first_exceeding;
	int64_t lost;
};

static const struct options *options_of(const struct reader *r)
{
	return r->base.options;
}

/* Lines --------------------------------------------------------------- */

static bool is_indent(char c)
{
	return c == ' ' || c == '+' || c == '!' || c == ':' || c == '|';
}

/* "    + !   12 f  (in lib)": its level, count and the rest. */
static bool split_line(struct slice s, struct line *line)
{
	struct slice number;
	size_t i = INDENT;

	if (!fl_slice_starts(s, "    "))
		return false;
	while (i < s.size && is_indent(s.data[i]))
		i++;
	if ((i - INDENT) % 2)
		return false;
	line->depth = (i - INDENT) / 2;
	s = fl_slice_from(s, i);
	number = fl_slice_split(&s, ' ');
	line->text = fl_slice_trim(s);
	return fl_slice_digits(number) && fl_parse_int(number, &line->count) &&
	       line->text.size;
}

/* The last offset of the text; SIZE_MAX if not found. */
static size_t find_last(struct slice s, const char *text)
{
	size_t n = strlen(text);

	for (size_t i = s.size + 1; i-- > 0;)
		if (s.size - i >= n && memcmp(s.data + i, text, n) == 0)
			return i;
	return SIZE_MAX;
}

static struct slice before(struct slice s, const char *text)
{
	size_t n = strlen(text);

	for (size_t i = 0; i + n <= s.size; i++)
		if (memcmp(s.data + i, text, n) == 0)
			return (struct slice){ s.data, i };
	return s;
}

/* "] file.c:12" at the end, if sample knew it. */
static void take_source(struct flame *flame, struct slice s,
			struct flame_frame *frame)
{
	size_t close = find_last(s, "]  ");
	struct slice file, line;
	int64_t number;

	if (close == SIZE_MAX)
		return;
	file = fl_slice_trim(fl_slice_from(s, close + 1));
	for (size_t i = file.size; i--;)
		if (file.data[i] == ':') {
			line = fl_slice_from(file, i + 1);
			file.size = i;
			if (file.size && fl_parse_int(line, &number) &&
			    number > 0 && number <= INT32_MAX) {
				frame->line = number;
				frame->file =
					flame_name(flame, file.data, file.size);
			}
			return;
		}
}

/* "f  (in lib.dylib) + 41  [0x7fff]"; "???" is named after its module. */
static flame_id frame_of(struct reader *r, struct slice s)
{
	struct flame_frame frame = { .type = FLAME_UNKNOWN };
	struct flame *flame = r->base.flame;
	struct slice name = s, module = { "", 0 };
	size_t in = find_last(s, "  (in ");

	if (in != SIZE_MAX) {
		name.size = in;
		module = before(fl_slice_from(s, in + 6), ")");
		frame.type = FLAME_NATIVE;
	} else {
		name = before(s, "  [0x");
	}
	name = fl_slice_trim(name);
	if (fl_slice_is(name, "???") && module.size &&
	    !fl_slice_starts(module, "<"))
		name = fl_module_name(&r->base.buf, module);
	frame.name = flame_name(flame, name.data, name.size);
	frame.file = flame_name(flame, module.data, module.size);
	take_source(flame, s, &frame);
	return flame_frame(flame, &frame);
}

/*
 * "Thread_123: name", "Thread_123   DispatchQueue_1: label  (serial)": the
 * frame is without the queue, which is the name where there is no other.
 */
static flame_id thread_of(struct reader *r, struct slice s, flame_id *frame)
{
	struct flame *flame = r->base.flame;
	struct slice id = fl_slice_from(s, sizeof("Thread_") - 1), name, queue;
	struct slice tid = fl_slice_trim(before(before(id, ":"), " "));
	struct fl_keys keys = { .pid = r->pid };

	s = fl_slice_trim(before(s, "   "));
	name = before(s, "DispatchQueue_");
	*frame = fl_frame(flame, flame_name(flame, name.data, name.size),
			  FLAME_GROUP);
	queue = fl_slice_from(id, before(id, "DispatchQueue_").size);
	fl_slice_split(&queue, ':');
	fl_slice_split(&name, ':');
	name = fl_slice_trim(name.size ? name : before(queue, "  ("));
	keys.comm = flame_name(flame, name.data, name.size);
	keys.tid = flame_name(flame, tid.data, tid.size);
	return fl_keys_thread(flame, &keys);
}

/* A frame's name as inferno-collapse-sample writes it. */
static flame_id peer_frame(struct reader *r, struct slice s, bool *waits)
{
	static const char *const waiting[] = {
		"__psynch_cvwait", "__select", "__semwait_signal",
		"__ulock_wait", "__wait4", "__workq_kernreturn", "kevent",
		"mach_msg_trap", "read", "semaphore_wait_trap",
	};
	struct slice name = fl_slice_trim(before(s, "(")), module = s;
	size_t in = find_last(s, "(in "), close;
	struct fl_buf *buf = &r->base.buf;

	if (in != SIZE_MAX)
		module = fl_slice_from(s, in + 4);
	close = before(module, ")").size;
	module.size = close < module.size ? close : 0;
	if (fl_slice_ends(module, ".dylib"))
		module.size -= sizeof(".dylib") - 1;
	buf->size = 0;
	if (module.size && !options_of(r)->no_modules) {
		fl_buf_put(buf, module.data, module.size);
		fl_buf_byte(buf, '`');
	}
	fl_rust_name(buf, name);
	name = (struct slice){ buf->data ? buf->data : "", buf->size };
	*waits = false;
	for (size_t i = 0; i < FL_COUNT(waiting); i++)
		*waits |= fl_slice_ends(name, waiting[i]);
	return fl_frame(r->base.flame,
			flame_name(r->base.flame, name.data, name.size),
			FLAME_UNKNOWN);
}

/* The tree ------------------------------------------------------------ */

static void push(struct reader *r, const struct line *line)
{
	bool peer = options_of(r)->peer != FL_PEER_NONE;
	struct node *above = r->n ? &r->nodes[r->n - 1] : NULL, node = {
		.depth = line->depth, .count = line->count, .leaf = true,
		.stack = above ? above->stack : 0,
		.thread = above ? above->thread : 0,
	};
	flame_id frame;

	if (above) {
		above->leaf = false;
		if (node.count > above->count - above->below && !peer) {
			node.count = above->count - above->below;
			if (!r->exceeding++)
				r->first_exceeding = r->base.lines.number;
		}
		above->below += peer ? 0 : node.count;
	}
	if (peer)
		frame = peer_frame(r, line->text, &node.waits);
	else if (!line->depth && fl_slice_starts(line->text, "Thread_"))
		node.thread = thread_of(r, line->text, &frame);
	else
		frame = frame_of(r, line->text);
	node.stack = flame_stack(r->base.flame, node.stack, frame);
	if (!fl_grow(&r->nodes, &r->capacity, r->n + 1, sizeof(*r->nodes))) {
		fl_no_memory(r->base.flame);
		return;
	}
	r->nodes[r->n++] = node;
}

static void emit(struct reader *r, flame_id stack, flame_id thread,
		 int64_t weight)
{
	fl_line_reader_sample(&r->base, "samples", "samples", weight, stack,
			      thread);
}

/* The innermost node has all its children. */
static void pop(struct reader *r)
{
	struct node *node = &r->nodes[--r->n];
	int64_t self = node->count - node->below;
	uint64_t *last;

	if (!options_of(r)->peer) {
		if (self > 0)
			emit(r, node->stack, node->thread, self);
	} else if (node->leaf && !node->waits) {
		/* The peer counts leaves only, and of equal stacks the last. */
		last = fl_map_put(&r->last, node->stack, NULL);
		if (last)
			*last = node->count;
		else
			fl_no_memory(r->base.flame);
	}
}

/* Closes nodes that are as deep, or deeper. */
static void close_nodes(struct reader *r, size_t depth)
{
	while (r->n && r->nodes[r->n - 1].depth >= depth)
		pop(r);
}

/* Reports nodes that are still open: their children may be missing. */
static void drop_open(struct reader *r)
{
	while (r->n) {
		struct node *node = &r->nodes[--r->n];

		r->lost += node->count - node->below;
	}
}

/* Reading ------------------------------------------------------------- */

/* "Process:         rg [64751]" */
static void keep_fact(struct reader *r, struct slice s)
{
	static const char *const keys[] = {
		"Process", "Path", "Version", "Code Type", "Date/Time",
		"OS Version", "Analysis of sampling", NULL
	};
	struct slice value = s, key = fl_slice_split(&value, ':');
	struct slice pid = fl_slice_from(s, before(s, "(pid ").size);

	value = fl_slice_trim(value);
	for (size_t i = 0; keys[i] && value.size; i++)
		if (fl_slice_is(key, keys[i]) && r->base.source->nfacts < 64)
			fl_fact(r->base.source, keys[i], "%.*s",
				(int)FL_MIN(value.size, (size_t)1024),
				value.data);
	if (!fl_slice_starts(s, "Analysis of sampling ") || !pid.size)
		return;
	pid = before(fl_slice_from(pid, 5), ")");
	if (fl_slice_digits(pid))
		r->pid = flame_name(r->base.flame, pid.data, pid.size);
}

static bool ends_graph(struct slice s)
{
	return fl_slice_starts(s, "Total number in stack") ||
	       fl_slice_starts(s, "Sort by top of stack") ||
	       fl_slice_starts(s, "Binary Images:") ||
	       fl_slice_starts(s, "Analysis of sampling ");
}

static void read_line(struct reader *r, struct slice s)
{
	struct line line;
	size_t expected;

	if (!split_line(s, &line)) {
		fl_lines_bad(&r->base.lines, s);
		r->gap = true;
		return;
	}
	expected = r->n ? r->nodes[r->n - 1].depth + 1 : 0;
	/* After a line was lost, use depths as they are printed. */
	if (line.depth > expected && !r->gap) {
		fl_lines_bad(&r->base.lines, s);
		line.depth = expected;
	}
	close_nodes(r, line.depth);
	push(r, &line);
	r->gap = false;
}

static void read_text(struct reader *r, struct slice s)
{
	/* An input that was cut may end in a shortened line. */
	if (!r->base.lines.ended && r->graph)
		return;
	if (!r->graph) {
		r->graph = fl_slice_is(fl_slice_trim(s), "Call graph:");
		r->graphs += r->graph;
		if (!r->graphs || fl_slice_starts(s, "Analysis of"))
			keep_fact(r, s);
		return;
	}
	r->blank = !fl_slice_trim(s).size;
	if (ends_graph(s)) {
		close_nodes(r, 0);
		r->graph = false;
		keep_fact(r, s);
	} else if (!r->blank) {
		read_line(r, s);
	}
}

static int at_end(struct reader *r)
{
	struct flame *flame = r->base.flame;
	const char *name = fl_in_name(r->base.source->in);
	bool cut = r->n > 0;
	int status;

	drop_open(r);
	r->base.lines.reported = cut;
	status = fl_lines_end(r->base.source, &r->base.lines);
	if (r->exceeding)
		fl_warn(flame, "%s: line %" PRIu64 ": %" PRIu64 " frames have "
			"more samples than is left of their callers, and are "
			"counted as these have", name, r->first_exceeding,
			r->exceeding);
	if (cut)
		fl_warn(flame, "%s: line %" PRIu64 ": the input ends within "
			"the call graph: %" PRId64 " samples of frames that "
			"were open are left out", name, r->base.lines.number,
			r->lost);
	if (!r->graphs)
		fl_warn(flame, "%s: the input ends before its call graph",
			name);
	if (cut || !r->graphs)
		fl_line_reader_damage(&r->base);
	return status;
}

static int read(struct flame_source *source)
{
	struct reader *r = source->state;
	const struct fl_map_entry *e;
	struct slice s;

	while (!source->batch.n && !fl_failed(source->flame)) {
		if (fl_lines_next(&r->base.lines, &s)) {
			read_text(r, s);
			continue;
		}
		if (r->blank)
			close_nodes(r, 0);
		while ((e = fl_map_each(&r->last, &r->given)))
			emit(r, e->key, 0, e->value);
		if (!source->batch.n)
			return at_end(r);
	}
	return FLAME_OK;
}

/* The row ------------------------------------------------------------- */

static int open_sample(struct flame_source *source)
{
	struct reader *r = source->state;

	r->last.ordered = true;
	return fl_line_reader_open(source);
}

static void release(void *state)
{
	struct reader *r = state;

	fl_map_free(&r->last);
	fl_free(r->nodes);
	fl_line_reader_free(&r->base);
}

/* The report's first line, or "Call graph:" with a line of the graph. */
static int probe(const uint8_t *head, size_t n, bool whole)
{
	struct slice rest = { (const char *)head, n };
	struct line line;
	bool graph = false;

	for (unsigned i = 0; i < 64 && rest.size; i++) {
		struct slice s = fl_slice_split(&rest, '\n');

		if (memchr(s.data, '\0', s.size))
			return 0;
		if (fl_slice_starts(s, "Analysis of sampling "))
			return 32;
		if (graph)
			return split_line(s, &line) ? 24 : 0;
		graph = fl_slice_is(fl_slice_trim(s), "Call graph:");
	}
	return graph && !whole ? -1 : 0;
}

static const struct fl_option rows[] = {
	FL_OPTION_ROW_PEER(struct options),
	FL_OPTION_ROW_NO_MODULES(struct options),
	{ .name = NULL }
};

static const struct fl_option_table option_table = {
	.rows = rows, .size = sizeof(struct options),
};

const struct fl_format fl_format_sample = {
	.name = "sample",
	.summary = "the call graph of macOS's sample(1)",
	.probe = probe,
	.state_size = sizeof(struct reader),
	.open = open_sample,
	.read = read,
	.release = release,
	.completes_late = true,
	.options = &option_table,
};
