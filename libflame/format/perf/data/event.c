/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores the attributes of a recording, one for each event that was recorded,
 * for data.c.  fl_perf_attr_of() returns the one that a record belongs to, by
 * the record's identifier, whose place sample_type says; fl_perf_attr_event()
 * returns its event, which is a metric.
 */
#include "fl.h"

#include "format/perf/data/data.h"

#include <inttypes.h>

enum { MAX_ATTRS = 1 << 16, OLD_ATTR = 64 };
enum { HARDWARE, SOFTWARE, TRACEPOINT, HW_CACHE, RAW, BREAKPOINT };

/* The bits of flags: the first of a byte is the last one if big-endian. */
static uint32_t take_flags(struct fl_perf_bytes *bytes)
{
	const uint8_t *at = fl_perf_take(bytes, 8);
	uint32_t flags = 0;

	for (unsigned i = 0; at && i < 32; i++)
		if (at[i / 8] >> (bytes->big ? 7 - i % 8 : i % 8) & 1)
			flags |= UINT32_C(1) << i;
	return flags;
}

/* How precise an address is: two bits, which are reversed, too. */
static unsigned precision(const struct fl_perf_attr *attr, bool big)
{
	unsigned bits = attr->flags >> PERF_PRECISE_SHIFT & 3;

	return big ? (bits & 1) << 1 | bits >> 1 : bits;
}

static const char *name_of(const char *const *names, size_t n, uint64_t i)
{
	return i < n ? names[i] : NULL;
}

/* "L1-dcache-load-misses"; reads that hit are "L1-dcache-loads". */
static void name_cache(struct fl_buf *buf, uint64_t config)
{
	static const char *const caches[] = {
		"L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch",
		"node"
	};
	static const char *const ops[][2] = {
		{ "loads", "load-misses" }, { "stores", "store-misses" },
		{ "prefetches", "prefetch-misses" }
	};
	unsigned cache = config & 255, op = config >> 8 & 255;
	unsigned result = config >> 16 & 255;

	if (cache >= FL_COUNT(caches) || op >= FL_COUNT(ops) || result > 1)
		fl_buf_text(buf, "unknown-ext-hardware-cache");
	else
		fl_buf_print(buf, "%s-%s", caches[cache], ops[op][result]);
}

static void name_breakpoint(struct fl_buf *buf, const struct fl_perf_attr *attr)
{
	fl_buf_print(buf, "mem:0x%" PRIx64 ":", attr->breakpoint);
	if (attr->breakpoint_type & 1)
		fl_buf_byte(buf, 'r');
	if (attr->breakpoint_type & 2)
		fl_buf_byte(buf, 'w');
	if (attr->breakpoint_type & 4)
		fl_buf_byte(buf, 'x');
}

/* ":u" of "cycles:u": what counts where some is left out. */
static void add_modifiers(struct fl_buf *buf, const struct fl_perf_attr *attr,
			  unsigned precise)
{
	const uint32_t where = PERF_EXCLUDE_USER | PERF_EXCLUDE_KERNEL |
			       PERF_EXCLUDE_HV;
	bool some = (attr->flags & where) || precise;
	bool no_guest = attr->flags & PERF_EXCLUDE_GUEST;
	bool no_host = attr->flags & PERF_EXCLUDE_HOST;
	size_t at = buf->size;

	fl_buf_byte(buf, ':');
	if (attr->flags & where) {
		if (!(attr->flags & PERF_EXCLUDE_KERNEL))
			fl_buf_byte(buf, 'k');
		if (!(attr->flags & PERF_EXCLUDE_USER))
			fl_buf_byte(buf, 'u');
		if (!(attr->flags & PERF_EXCLUDE_HV))
			fl_buf_byte(buf, 'h');
	}
	while (precise--)
		fl_buf_byte(buf, 'p');
	if (no_host || no_guest == some) {
		if (!no_host)
			fl_buf_byte(buf, 'H');
		if (!no_guest)
			fl_buf_byte(buf, 'G');
	}
	if (buf->size == at + 1)
		buf->size = at;
}

/* As perf does where the recording has no name. */
static void put_name(struct fl_buf *buf, const struct fl_perf_attr *attr,
		     bool big)
{
	static const char *const hardware[] = {
		"cycles", "instructions", "cache-references", "cache-misses",
		"branches", "branch-misses", "bus-cycles",
		"stalled-cycles-frontend", "stalled-cycles-backend",
		"ref-cycles"
	};
	static const char *const software[] = {
		"cpu-clock", "task-clock", "page-faults", "context-switches",
		"cpu-migrations", "minor-faults", "major-faults",
		"alignment-faults", "emulation-faults", "dummy", "bpf-output",
		"cgroup-switches"
	};
	const char *name = attr->type == HARDWARE ?
		name_of(hardware, FL_COUNT(hardware), attr->config) :
		attr->type == SOFTWARE ?
		name_of(software, FL_COUNT(software), attr->config) : NULL;

	if (name)
		fl_buf_text(buf, name);
	else if (attr->type == HARDWARE || attr->type == SOFTWARE)
		fl_buf_text(buf, attr->type == HARDWARE ? "unknown-hardware" :
							  "unknown-software");
	else if (attr->type == TRACEPOINT)
		fl_buf_text(buf, "unknown tracepoint");
	else if (attr->type == HW_CACHE)
		name_cache(buf, attr->config);
	else if (attr->type == RAW)
		fl_buf_print(buf, "raw 0x%" PRIx64, attr->config);
	else if (attr->type == BREAKPOINT)
		name_breakpoint(buf, attr);
	else
		fl_buf_print(buf, "unknown attr type: %u", attr->type);
	if (attr->type != TRACEPOINT && attr->type <= BREAKPOINT)
		add_modifiers(buf, attr, precision(attr, big));
}

bool fl_perf_attr_add(struct fl_perf_data *d, struct fl_perf_bytes bytes)
{
	struct fl_perf_attr *attr;

	if (d->nattrs == MAX_ATTRS || bytes.end - bytes.at < OLD_ATTR)
		return false;
	if (!fl_grow(&d->attrs, &d->attrs_capacity, d->nattrs + 1,
		     sizeof(*d->attrs))) {
		fl_no_memory(d->flame);
		return false;
	}
	attr = &d->attrs[d->nattrs++];
	memset(attr, 0, sizeof(*attr));
	attr->type = fl_perf_take32(&bytes);
	fl_perf_take32(&bytes);
	attr->config = fl_perf_take64(&bytes);
	attr->period = fl_perf_take64(&bytes);
	attr->sample_type = fl_perf_take64(&bytes);
	attr->read_format = fl_perf_take64(&bytes);
	attr->flags = take_flags(&bytes);
	fl_perf_take32(&bytes);
	attr->breakpoint_type = fl_perf_take32(&bytes);
	attr->breakpoint = fl_perf_take64(&bytes);
	/* What older ones end before is 0. */
	fl_perf_take64(&bytes);
	attr->branch_type = fl_perf_take64(&bytes);
	attr->user_regs = fl_perf_take64(&bytes);
	fl_perf_take64(&bytes);
	attr->intr_regs = fl_perf_take64(&bytes);
	return true;
}

void fl_perf_attr_ids(struct fl_perf_data *d, size_t attr,
		      struct fl_perf_bytes ids)
{
	while (ids.end - ids.at >= 8) {
		uint64_t *number = fl_map_put(&d->by_id, fl_perf_take64(&ids),
					      NULL);

		if (!number) {
			fl_no_memory(d->flame);
			return;
		}
		*number = attr + 1;
	}
}

struct fl_perf_attr *fl_perf_attr_by_id(struct fl_perf_data *d, uint64_t id)
{
	uint64_t *number = fl_map_get(&d->by_id, id);

	return number && *number <= d->nattrs ? &d->attrs[*number - 1] : NULL;
}

/* Its place, in numbers from the record's beginning, or its end; -1: none. */
static int place_in_sample(const struct fl_perf_attr *attr)
{
	if (PERF_HAS(attr, IDENTIFIER))
		return 0;
	if (!PERF_HAS(attr, ID))
		return -1;
	return (int)(PERF_HAS(attr, IP) + PERF_HAS(attr, TID) +
		     PERF_HAS(attr, TIME) + PERF_HAS(attr, ADDR));
}

static int place_at_end(const struct fl_perf_attr *attr)
{
	if (PERF_HAS(attr, IDENTIFIER))
		return 1;
	if (!PERF_HAS(attr, ID))
		return -1;
	return (int)(1 + PERF_HAS(attr, CPU) + PERF_HAS(attr, STREAM_ID));
}

struct fl_perf_attr *fl_perf_attr_of(struct fl_perf_data *d,
				     const uint8_t *record)
{
	struct fl_perf_attr *first = d->attrs;
	bool sample = fl_perf_u32(record, d->big) == PERF_SAMPLE;
	unsigned size = fl_perf_u16(record + 6, d->big);
	int place;
	uint64_t id;

	if (d->nattrs < 2)
		return d->nattrs ? first : NULL;
	if (!sample && !(first->flags & PERF_SAMPLE_ID_ALL))
		return first;
	place = sample ? place_in_sample(first) : place_at_end(first);
	if (place < 0 || size < PERF_HEADER_SIZE + 8 * (unsigned)(place + 1))
		return place < 0 && d->nattrs ? first : NULL;
	id = fl_perf_u64(sample ? record + PERF_HEADER_SIZE + 8 * place :
				  record + size - 8 * place, d->big);
	/* perf's own records have none. */
	return id ? fl_perf_attr_by_id(d, id) : first;
}

struct fl_perf_event *fl_perf_attr_event(struct fl_perf_data *d,
					 struct fl_perf_attr *attr)
{
	struct fl_perf_reader *text = &d->text;
	struct fl_buf *buf = &text->naming.buf;
	struct fl_perf_event *event;

	if (fl_likely(attr->has_event)) {
		text->event = attr->event;
		return &text->events[attr->event];
	}
	if (!attr->name.size)
		attr->name = attr->traced;
	if (!attr->name.size) {
		buf->size = 0;
		put_name(buf, attr, d->big);
		attr->name.data = fl_arena_copy(&d->arena, buf->data,
						buf->size);
		attr->name.size = attr->name.data ? buf->size : 0;
	}
	event = fl_perf_event_find(text, attr->name);
	if (event) {
		attr->event = text->event;
		attr->has_event = true;
	}
	return event;
}
