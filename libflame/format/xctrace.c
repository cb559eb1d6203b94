/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads tables of macOS's xctrace export: time profiles, and others whose rows
 * have a backtrace.  Each row is a sample of the metric cpu or cycles, which
 * weighs 1, or with --total its weight.  An element with an id stands for
 * itself, and one with a ref for the element of that id:
 *
 *	<row><sample-time id="1">57246708</sample-time>
 *	 <thread id="2" fmt="main 0x84 (x, pid: 9)"><tid id="3">84</tid>
 *	  <process id="4" fmt="x (9)"><pid id="5">9</pid></process></thread>
 *	 <weight id="9">1000000</weight><backtrace id="10">
 *	 <frame id="11" name="f"><binary id="12" name="dyld"/></frame>
 *	 <frame ref="13"/></backtrace></row>
 *
 * A tagged-backtrace has the frames themselves, or a backtrace.  cycle-weight
 * is of the CPU profiler's rows: cycles, in place of weight's nanoseconds.
 */
#include "fl.h"

#include "format/format.h"
#include "io/xml.h"

#include <inttypes.h>

enum { MAX_DEPTH = 64 };

/* The kinds of elements whose values are stored by id. */
enum kind { OTHER, THREAD, TID, PROCESS, PID, WEIGHT, CYCLES, TIME, BACKTRACE,
	    TAGGED, FRAME, BINARY, KINDS };

static const struct {
	const char *name;
	enum kind kind;
} elements[] = {
	{ "thread", THREAD }, { "tid", TID }, { "process", PROCESS },
	{ "pid", PID }, { "weight", WEIGHT }, { "cycle-weight", CYCLES },
	{ "sample-time", TIME }, { "start-time", TIME },
	{ "backtrace", BACKTRACE }, { "tagged-backtrace", TAGGED },
	{ "frame", FRAME }, { "binary", BINARY },
};

/* An element that is open. */
struct open_element {
	enum kind kind;
	uint64_t id;		/* 0: none */
};

struct reader {
	struct flame_source *source;
	struct flame *flame;
	const struct fl_total_options *options;
	struct fl_xml xml;
	struct fl_map values[KINDS];	/* by id */
	struct open_element open[MAX_DEPTH];
	bool in_row;
	/* Of the current row. */
	int64_t weight, time;
	flame_id thread, pid, stack;
	bool has_stack, cycles;
	/* Of the current frame and thread. */
	struct fl_trace trace;
	struct flame_frame frame;
	flame_id thread_name, tid;
	uint64_t good, no_stack, dangling;
	bool reported;
};

static enum kind kind_of(struct slice name)
{
	for (size_t i = 0; i < FL_COUNT(elements); i++)
		if (fl_slice_is(name, elements[i].name))
			return elements[i].kind;
	return OTHER;
}

static void remember(struct reader *r, enum kind kind, uint64_t id,
		     uint64_t value)
{
	uint64_t *known = id ? fl_map_put(&r->values[kind], id, NULL) : NULL;

	if (known)
		*known = value;
	else if (id)
		fl_no_memory(r->flame);
}

static uint64_t number_attribute(struct reader *r, const char *name)
{
	struct slice s;
	int64_t n;

	return fl_xml_attribute(&r->xml, name, &s) && fl_parse_digits(s, &n) ?
	       (uint64_t)n : 0;
}

static flame_id name_attribute(struct reader *r, const char *name)
{
	struct slice s;

	return fl_xml_attribute(&r->xml, name, &s) ?
	       flame_name(r->flame, s.data, s.size) : 0;
}

/* Values -------------------------------------------------------------- */

static void add_frame(struct reader *r, flame_id frame)
{
	struct flame_frame copy = *flame_frame_of(r->flame, frame);

	fl_trace_add(r->flame, &r->trace, &copy);
}

/* Hands the value of an element to the element that contains it. */
static void use(struct reader *r, enum kind kind, uint64_t value)
{
	switch (kind) {
	case THREAD:
		r->thread = (flame_id)value;
		break;
	case TID:
		r->tid = (flame_id)value;
		break;
	case PID:
	case PROCESS:
		r->pid = (flame_id)value;
		break;
	case CYCLES:
		r->cycles = true;
		r->weight = (int64_t)value;
		break;
	case WEIGHT:
		r->weight = (int64_t)value;
		break;
	case TIME:
		r->time = (int64_t)value;
		break;
	case TAGGED:
	case BACKTRACE:
		r->stack = (flame_id)value;
		r->has_stack = true;
		break;
	case FRAME:
		add_frame(r, (flame_id)value);
		break;
	case BINARY:
		r->frame.file = (flame_id)value;
		break;
	case OTHER:
	case KINDS:
		break;
	}
}

static void use_reference(struct reader *r, enum kind kind, uint64_t ref)
{
	const uint64_t *known = fl_map_get(&r->values[kind], ref);

	if (known)
		use(r, kind, *known);
	else if (kind != OTHER)
		r->dangling++;
}

/* "main  0x8480c1 (rust_test2, pid: 49374)": the name alone. */
static flame_id thread_name(struct reader *r)
{
	struct slice s;
	const char *at;

	if (!fl_xml_attribute(&r->xml, "fmt", &s))
		return 0;
	at = fl_slice_find(s, " 0x");
	if (at)
		s.size = (size_t)(at - s.data);
	s = fl_slice_trim(s);
	return flame_name(r->flame, s.data, s.size);
}

static void begin_element(struct reader *r, enum kind kind)
{
	struct flame *flame = r->flame;
	struct slice s;

	switch (kind) {
	case THREAD:
		r->thread_name = thread_name(r);
		r->tid = 0;
		break;
	case TAGGED:
		r->has_stack = false;
		r->trace.count = 0;
		break;
	case BACKTRACE:
		r->trace.count = 0;
		break;
	case FRAME:
		r->frame = (struct flame_frame){ .type = FLAME_NATIVE };
		if (fl_xml_attribute(&r->xml, "name", &s)) {
			struct fl_buf *buf = &r->xml.buf;

			buf->size = 0;
			fl_rust_name(buf, s);
			r->frame.name = flame_name(flame, buf->data ?
						   buf->data : "", buf->size);
		}
		break;
	case BINARY:
		r->frame.file = name_attribute(r, "name");
		break;
	default:
		break;
	}
}

static uint64_t end_element(struct reader *r, enum kind kind)
{
	struct flame *flame = r->flame;
	flame_id set = 0;

	switch (kind) {
	case THREAD:
		if (r->thread_name)
			set = flame_label(flame, set, fl_name(flame, "thread"),
					  r->thread_name);
		if (r->tid)
			set = flame_label(flame, set, fl_name(flame, "tid"),
					  r->tid);
		if (r->pid)
			set = flame_label(flame, set, fl_name(flame, "pid"),
					  r->pid);
		return set;
	case PROCESS:
		return r->pid;
	case TAGGED:
		if (r->has_stack)
			return r->stack;
		return fl_trace_stack(flame, 0, &r->trace);
	case BACKTRACE:
		return fl_trace_stack(flame, 0, &r->trace);
	case FRAME:
		return flame_frame(flame, &r->frame);
	case BINARY:
		return r->frame.file;
	default:
		return 0;
	}
}

/* Tags ---------------------------------------------------------------- */

static void take_open(struct reader *r)
{
	enum kind kind = kind_of(r->xml.name);
	size_t depth = r->xml.depth - 1;
	uint64_t ref;

	if (fl_xml_is(&r->xml, "row")) {
		r->in_row = true;
		r->weight = 1;
		r->time = FLAME_NOTIME;
		r->thread = r->pid = r->stack = 0;
		r->has_stack = r->cycles = false;
	}
	if (depth >= MAX_DEPTH)
		return;
	r->open[depth] = (struct open_element){ OTHER, 0 };
	if (!r->in_row || kind == OTHER)
		return;
	ref = number_attribute(r, "ref");
	if (ref) {
		use_reference(r, kind, ref);
		return;
	}
	r->open[depth] =
		(struct open_element){ kind, number_attribute(r, "id") };
	begin_element(r, kind);
}

static void take_text(struct reader *r)
{
	struct open_element *open;
	struct slice s = fl_slice_trim(r->xml.text);
	int64_t n;

	if (!r->in_row || !r->xml.depth || r->xml.depth > MAX_DEPTH)
		return;
	open = &r->open[r->xml.depth - 1];
	switch (open->kind) {
	case WEIGHT:
	case CYCLES:
	case TIME:
		if (!fl_parse_int(s, &n))
			return;
		use(r, open->kind, (uint64_t)n);
		remember(r, open->kind, open->id, (uint64_t)n);
		break;
	case TID:
	case PID: {
		flame_id name = flame_name(r->flame, s.data, s.size);

		use(r, open->kind, name);
		remember(r, open->kind, open->id, name);
		break;
	}
	default:
		break;
	}
}

static bool end_row(struct reader *r, struct flame_sample *sample)
{
	bool counts = !r->options->total;
	const char *unit = r->cycles ? "cycles" : "ns";
	flame_id metric;

	r->in_row = false;
	if (!r->has_stack) {
		r->no_stack++;
		return false;
	}
	metric = fl_metric(r->flame, r->cycles ? "cycles" : "cpu", unit,
			   counts ? "samples" : unit);
	fl_metric_count(r->flame, metric, 1, r->weight);
	r->good++;
	*sample = (struct flame_sample){
		.stack = r->stack, .metric = metric, .thread = r->thread,
		.time = r->time, .weight = counts ? 1 : r->weight,
	};
	return sample->stack && sample->weight > 0;
}

/* true: a sample. */
static bool take_close(struct reader *r, struct flame_sample *sample)
{
	size_t depth = r->xml.depth;
	struct open_element open;
	uint64_t value;

	if (r->in_row && fl_xml_is(&r->xml, "row"))
		return end_row(r, sample);
	if (!r->in_row || depth >= MAX_DEPTH)
		return false;
	open = r->open[depth];
	switch (open.kind) {
	case THREAD:
	case PROCESS:
	case BACKTRACE:
	case TAGGED:
	case FRAME:
	case BINARY:
		value = end_element(r, open.kind);
		remember(r, open.kind, open.id, value);
		use(r, open.kind, value);
		break;
	default:
		break;
	}
	return false;
}

/* The row of formats.def ------------------------------------------------ */

static int finish(struct reader *r)
{
	const char *name = fl_in_name(r->source->in);
	const char *damage = fl_in_damage(r->source->in);

	if (r->reported)
		return FLAME_END;
	r->reported = true;
	if (r->xml.error || damage) {
		fl_warn(r->flame, "%s: %s at byte %" PRIu64 ": %" PRIu64
			" samples were whole", name,
			damage ? damage : r->xml.error,
			fl_in_offset(r->source->in), r->good);
		r->source->damage = r->good ? 1 : 2;
	}
	if (r->no_stack)
		fl_remark(r->flame, "%s: %" PRIu64 " rows without a backtrace "
			  "left out", name, r->no_stack);
	if (r->dangling)
		fl_warn(r->flame, "%s: %" PRIu64 " elements refer to what is "
			"not there", name, r->dangling);
	return FLAME_END;
}

static int read(struct flame_source *source)
{
	struct reader *r = source->state;
	struct flame_sample sample;

	for (;;) {
		if (fl_failed(r->flame))
			return FLAME_FAILED;
		switch (fl_xml_next(&r->xml)) {
		case FL_XML_OPEN:
			take_open(r);
			break;
		case FL_XML_CLOSE:
			if (take_close(r, &sample))
				return fl_batch_add(source, &sample);
			break;
		case FL_XML_TEXT:
			take_text(r);
			break;
		case FL_XML_END:
		case FL_XML_FAILED:
			return finish(r);
		}
	}
}

static int open_xctrace(struct flame_source *source)
{
	struct reader *r = source->state;

	r->source = source;
	r->flame = source->flame;
	r->options = source->options;
	fl_xml_init(&r->xml, source->in);
	return FLAME_OK;
}

static void release(void *state)
{
	struct reader *r = state;

	for (unsigned i = 0; i < KINDS; i++)
		fl_map_free(&r->values[i]);
	fl_free(r->trace.frames);
	fl_xml_free(&r->xml);
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	struct slice text = { (const char *)head, FL_MIN(n, 4096) };

	(void)whole;
	return n && memchr("<\xef \t\r\n", head[0], 6) &&
	       fl_slice_has(text, "<trace-query-result") ? 60 : 0;
}

const struct fl_format fl_format_xctrace = {
	.name = "xctrace",
	.summary = "XML of macOS's xctrace export",
	.probe = probe,
	.state_size = sizeof(struct reader),
	.open = open_xctrace,
	.read = read,
	.release = release,
	.options = &fl_total_option_table,
};
