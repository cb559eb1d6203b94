/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fl_perf_event_parse() parses a record of a ring buffer, a sample or an event
 * of a process (perf_event_open(2)), into a struct fl_event, for perf_events.c.
 */
#include "fl.h"

#include "sample/perf_records.h"

/* Registers of a sample, in the kernel's order, by DWARF's numbers. */
static const uint8_t registers[FL_REGS] = {
#if FL_IS_ARM64
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
	20, 21, 22, 23, 24, 25, 26, 27, 28, FL_REG_BP, FL_REG_RA, FL_REG_SP,
	FL_REG_IP
#else
	0, FL_REG_BX, 2, 1, 4, 5, FL_REG_BP, FL_REG_SP, FL_REG_IP,
	8, 9, 10, 11, 12, 13, 14, 15
#endif
};

struct reader {
	const uint8_t *at, *end;
	bool failed;
};

static uint64_t word(struct reader *r)
{
	uint64_t n = 0;

	if (r->end - r->at < 8) {
		r->failed = true;
		r->at = r->end;
		return 0;
	}
	memcpy(&n, r->at, 8);
	r->at += 8;
	return n;
}

static uint32_t half(struct reader *r)
{
	uint32_t n = 0;

	if (r->end - r->at < 4) {
		r->failed = true;
		return 0;
	}
	memcpy(&n, r->at, 4);
	r->at += 4;
	return n;
}

static const uint8_t *bytes(struct reader *r, uint64_t size)
{
	const uint8_t *at = r->at;

	if (size > (uint64_t)(r->end - r->at)) {
		r->failed = true;
		return NULL;
	}
	r->at += size;
	return at;
}

static void read_user(struct reader *r, struct fl_event *e)
{
	uint64_t abi = word(r), size;

	for (size_t i = 0; abi && i < FL_COUNT(registers); i++)
		e->regs.value[registers[i]] = word(r);
	e->user64 = abi == PERF_SAMPLE_REGS_ABI_64;
	e->regs.known = FL_KNOWN(FL_REGS) - 1;
	size = word(r);
	e->stack.data = bytes(r, size);
	e->stack.start = e->regs.value[FL_REG_SP];
	if (!size)
		return;
	e->stack.size = word(r);
	if (e->stack.size > size)
		r->failed = true;
	e->stack.full = e->stack.size == size;
}

/* Records begin at a multiple of 8 bytes of the copy. */
static bool parse_sample(struct reader *r, struct fl_event *e)
{
	uint64_t n;

	e->kind = FL_EVENT_SAMPLE;
	e->ip = word(r);
	e->pid = (pid_t)half(r);
	e->tid = (pid_t)half(r);
	e->time = word(r);
	e->cpu = half(r);
	e->weight = half(r);	/* the kernel has 0 there */
	n = word(r);
	if (n > (uint64_t)(r->end - r->at) / 8)
		return false;
	e->chain = (const uint64_t *)(const void *)r->at;
	e->nchain = (size_t)n;
	r->at += n * 8;
	read_user(r, e);
	return !r->failed;
}

/* Text that ends in NUL, or at the end of the record. */
static const char *text(struct reader *r)
{
	const char *at = (const char *)r->at;

	if (!memchr(at, '\0', (size_t)(r->end - r->at)))
		r->failed = true;
	return at;
}

static bool parse_map(struct reader *r, struct fl_event *e)
{
	uint64_t major, minor;

	e->kind = FL_EVENT_MAP;
	e->pid = (pid_t)half(r);
	e->tid = (pid_t)half(r);
	e->start = word(r);
	e->size = word(r);
	e->offset = word(r);
	major = half(r);
	minor = half(r);
	/* As makedev() encodes it. */
	e->device = (major & 0xfffff000u) << 32 | (major & 0xfff) << 8 |
		    (minor & 0xffffff00u) << 12 | (minor & 0xff);
	e->inode = word(r);
	word(r);	/* generation */
	word(r);	/* protection and flags */
	e->text = text(r);
	return !r->failed;
}

static bool parse_task(struct reader *r, struct fl_event *e, bool fork)
{
	e->kind = fork ? FL_EVENT_FORK : FL_EVENT_EXIT;
	e->pid = (pid_t)half(r);
	e->parent = (pid_t)half(r);
	e->tid = (pid_t)half(r);
	half(r);
	return !r->failed;
}

bool fl_perf_event_parse(const uint8_t *at, size_t size,
			 struct fl_event *event)
{
	struct perf_event_header h;
	struct reader r = { at + sizeof(h), at + size, false };

	memset(event, 0, sizeof(*event));
	if (size < sizeof(h))
		return false;
	memcpy(&h, at, sizeof(h));
	if (h.type == PERF_RECORD_SAMPLE)
		return parse_sample(&r, event);
	if (size < sizeof(h) + FL_PERF_TRAILER)
		return false;
	memcpy(&event->time, at + size - 16, 8);
	memcpy(&event->cpu, at + size - 8, 4);
	r.end -= FL_PERF_TRAILER;
	switch (h.type) {
	case PERF_RECORD_MMAP2:
		return parse_map(&r, event);
	case PERF_RECORD_COMM:
		event->kind = h.misc & PERF_RECORD_MISC_COMM_EXEC ?
			      FL_EVENT_EXEC : FL_EVENT_COMM;
		event->pid = (pid_t)half(&r);
		event->tid = (pid_t)half(&r);
		event->text = text(&r);
		return !r.failed;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return parse_task(&r, event, h.type == PERF_RECORD_FORK);
	case PERF_RECORD_LOST:
		event->kind = FL_EVENT_LOST;
		word(&r);
		event->lost = word(&r);
		return !r.failed;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		event->kind = h.misc & PERF_RECORD_MISC_SWITCH_OUT ?
			      FL_EVENT_SWITCH_OUT : FL_EVENT_SWITCH_IN;
		event->preempted = h.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
		/*
		 * The thread itself switched: its ids are in the record's
		 * trailer.
		 */
		r.at = r.end;
		r.end += FL_PERF_TRAILER;
		event->pid = (pid_t)half(&r);
		event->tid = (pid_t)half(&r);
		return !r.failed;
	case PERF_RECORD_THROTTLE:
		event->kind = FL_EVENT_THROTTLED;
		return true;
	}
	return false;
}
