/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads recordings of heaptrack, after it has looked up names (the files that
 * it leaves).  Each line "a" becomes samples of the metrics alloc (bytes),
 * allocations (count) and, if not all were freed, leaked (bytes).  Lines,
 * numbers of base 16, each kind counted from 1 (allocations from 0):
 *
 *	v 10400 3	its version, and that of the format
 *	s 4 main	a text; before format 3 without its size
 *	i IP MODULE [FUNCTION [FILE LINE [FUNCTION FILE LINE]...]]
 *			an address; of its functions the innermost comes first
 *	t IP PARENT	a trace: an address, and the trace of its caller
 *	a SIZE TRACE	allocations of a size at a trace
 *	+ ALLOCATION, - ALLOCATION	one was made, one was freed
 */
#include "fl.h"

#include "format/format.h"

#include <inttypes.h>
#include <stdio.h>

enum { MAX_FRAMES = 64 };	/* inlined ones at one address */

struct ids {
	flame_id *data;
	size_t count, capacity;
};

struct address {
	size_t first, count;	/* of frames, innermost first */
};

struct allocation {
	int64_t size;
	flame_id stack;
	uint64_t made, freed;
};

struct reader {
	struct fl_line_reader base;
	int64_t version;
	struct ids strings, frames, traces;	/* traces: stacks */
	struct address *addresses;
	size_t naddresses, addresses_capacity;
	struct allocation *allocations;
	size_t nallocations, capacity, given;
	unsigned value;
	flame_id metric[3];
	bool read;
};

static bool put(struct reader *r, struct ids *ids, flame_id id)
{
	if (!fl_grow(&ids->data, &ids->capacity, ids->count + 1,
		     sizeof(*ids->data))) {
		fl_no_memory(r->base.flame);
		return false;
	}
	ids->data[ids->count++] = id;
	return true;
}

static bool take_hex(struct slice *s, uint64_t *n)
{
	struct slice word = fl_slice_split(s, ' ');

	if (!word.size || word.size > 16)
		return false;
	*n = 0;
	for (size_t i = 0; i < word.size; i++) {
		char c = word.data[i];

		if (!fl_is_hex(c))
			return false;
		*n = *n << 4 | (uint64_t)(fl_is_digit(c) ? c - '0' :
					  (c | 0x20) - 'a' + 10);
	}
	return true;
}

/* A text by its number; 0 is none. */
static flame_id string_at(const struct reader *r, uint64_t n)
{
	return n && n <= r->strings.count ? r->strings.data[n - 1] : 0;
}

/* Lines --------------------------------------------------------------- */

static bool take_version(struct reader *r, struct slice s)
{
	uint64_t program, format;

	if (!take_hex(&s, &program))
		return false;
	/* The first versions did not write a format version. */
	r->version = take_hex(&s, &format) ? (int64_t)FL_MIN(format, 99u) : 1;
	return true;
}

static bool take_string(struct reader *r, struct slice s)
{
	uint64_t size;

	if (r->version >= 3 && (!take_hex(&s, &size) || size != s.size))
		return false;
	return put(r, &r->strings,
		   flame_name(r->base.flame, s.data, s.size));
}

static bool put_frame(struct reader *r, flame_id name, flame_id file,
		      uint64_t line)
{
	struct flame_frame frame = {
		.name = name, .file = file, .type = FLAME_NATIVE,
		.line = line <= INT32_MAX ? (uint32_t)line : 0,
	};

	return put(r, &r->frames, flame_frame(r->base.flame, &frame));
}

static bool take_address(struct reader *r, struct slice s)
{
	uint64_t ip, module = 0, function, file, line;
	struct address a = { r->frames.count, 0 };
	char text[24];

	if (!take_hex(&s, &ip))
		return false;
	take_hex(&s, &module);
	while (a.count < MAX_FRAMES && take_hex(&s, &function)) {
		file = line = 0;
		if (take_hex(&s, &file))
			take_hex(&s, &line);
		if (!string_at(r, function))
			continue;
		if (!put_frame(r, string_at(r, function),
			       string_at(r, file ? file : module), line))
			return false;
		a.count++;
	}
	if (!a.count) {
		snprintf(text, sizeof(text), "0x%" PRIx64, ip);
		if (!put_frame(r, fl_name(r->base.flame, text),
			       string_at(r, module), 0))
			return false;
		a.count = 1;
	}
	if (!fl_grow(&r->addresses, &r->addresses_capacity, r->naddresses + 1,
		     sizeof(*r->addresses)))
		return !fl_no_memory(r->base.flame);
	r->addresses[r->naddresses++] = a;
	return true;
}

static bool take_trace(struct reader *r, struct slice s)
{
	const struct address *a;
	uint64_t ip, parent;
	flame_id stack;

	if (!take_hex(&s, &ip) || !take_hex(&s, &parent) || !ip ||
	    ip > r->naddresses || parent > r->traces.count)
		return false;
	a = &r->addresses[ip - 1];
	if (!fl_frames_allowed(r->base.source, a->count))
		return false;
	stack = parent ? r->traces.data[parent - 1] : 0;
	for (size_t i = a->count; i--;)
		stack = flame_stack(r->base.flame, stack,
				    r->frames.data[a->first + i]);
	return put(r, &r->traces, stack);
}

static bool take_allocation(struct reader *r, struct slice s)
{
	struct allocation a = { .made = 0 };
	uint64_t size, trace;

	if (!take_hex(&s, &size) || !take_hex(&s, &trace) ||
	    trace > r->traces.count)
		return false;
	a.size = (int64_t)FL_MIN(size, (uint64_t)INT64_MAX);
	a.stack = trace ? r->traces.data[trace - 1] : 0;
	if (!fl_grow(&r->allocations, &r->capacity, r->nallocations + 1,
		     sizeof(*r->allocations)))
		return !fl_no_memory(r->base.flame);
	r->allocations[r->nallocations++] = a;
	return true;
}

static bool take_event(struct reader *r, struct slice s, bool made)
{
	uint64_t n;

	if (!take_hex(&s, &n) || n >= r->nallocations)
		return false;
	if (made)
		r->allocations[n].made++;
	else
		r->allocations[n].freed++;
	return true;
}

static bool take_line(struct reader *r, struct slice line)
{
	struct slice s = { line.data + 2, line.size - 2 };

	switch (line.data[0]) {
	case 'v':
		return take_version(r, s);
	case 's':
		return take_string(r, s);
	case 'i':
		return take_address(r, s);
	case 't':
		return take_trace(r, s);
	case 'a':
		return take_allocation(r, s);
	case '+':
	case '-':
		return take_event(r, s, line.data[0] == '+');
	}
	return true;
}

/*
 * Numbers are given in order: a record that is not understood has one, too.
 */
static void put_nothing(struct reader *r, char kind)
{
	if (kind == 's') {
		put(r, &r->strings, 0);
	} else if (kind == 't') {
		put(r, &r->traces, 0);
	} else if (kind == 'i') {
		take_address(r, FL_SLICE("0"));
	} else if (kind == 'a') {
		take_allocation(r, FL_SLICE("0 0"));
	}
}

static void read_all(struct reader *r)
{
	struct flame *flame = r->base.flame;
	struct fl_lines *lines = &r->base.lines;
	struct slice line;

	r->read = true;
	while (!fl_failed(flame) && fl_lines_next(lines, &line)) {
		if (line.size < 3 || line.data[1] != ' ' ||
		    line.data[0] == '#')
			continue;
		/* Numbers of a cut line may have had more digits. */
		if (lines->ended && take_line(r, line))
			continue;
		fl_lines_bad(lines, line);
		put_nothing(r, line.data[0]);
	}
	lines->good = r->nallocations;
	r->metric[0] = flame_metric(flame, "alloc", "bytes");
	r->metric[1] = flame_metric(flame, "allocations", "count");
	r->metric[2] = flame_metric(flame, "leaked", "bytes");
}

/* Samples ------------------------------------------------------------- */

static int64_t weight_of(const struct allocation *a, unsigned value)
{
	int64_t made = (int64_t)FL_MIN(a->made, (uint64_t)INT64_MAX);

	switch (value) {
	case 0:
		return fl_mul_clamped(made, a->size);
	case 1:
		return made;
	}
	return a->freed >= a->made ? 0 :
	       fl_mul_clamped(made - (int64_t)a->freed, a->size);
}

static bool emit(struct reader *r, struct flame_sample *sample)
{
	const struct allocation *a = &r->allocations[r->given];
	unsigned value = r->value++;

	*sample = (struct flame_sample){
		.stack = a->stack, .metric = r->metric[value],
		.weight = weight_of(a, value), .time = FLAME_NOTIME,
	};
	if (r->value == FL_COUNT(r->metric)) {
		r->value = 0;
		r->given++;
	}
	if (!sample->weight)
		return false;
	fl_metric_count(r->base.flame, sample->metric, 1, sample->weight);
	return sample->stack != 0;
}

static int read(struct flame_source *source)
{
	struct reader *r = source->state;
	struct flame_sample sample;

	if (!r->read)
		read_all(r);
	while (r->given < r->nallocations && !fl_failed(r->base.flame))
		if (emit(r, &sample))
			return fl_batch_add(source, &sample);
	return fl_failed(r->base.flame) ? FLAME_FAILED :
	       fl_lines_end(source, &r->base.lines);
}

/* The row of formats.def ------------------------------------------------ */

static void release(void *state)
{
	struct reader *r = state;

	fl_free(r->strings.data);
	fl_free(r->frames.data);
	fl_free(r->traces.data);
	fl_free(r->addresses);
	fl_free(r->allocations);
	fl_line_reader_free(&r->base);
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	struct slice text = { (const char *)head, n };
	struct slice line = fl_slice_split(&text, '\n');

	(void)whole;
	return fl_slice_starts(line, "v 1") && line.size < 24 &&
	       fl_slice_starts(text, "X ") ? 40 : 0;
}

const struct fl_format fl_format_heaptrack = {
	.name = "heaptrack",
	.summary = "recordings of heaptrack",
	.probe = probe,
	.state_size = sizeof(struct reader),
	.open = fl_line_reader_open,
	.read = read,
	.release = release,
};
