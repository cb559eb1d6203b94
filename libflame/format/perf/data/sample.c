/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses the fields of a record of perf.data into struct fl_perf_fields
 * (fl_perf_fields), its time alone (fl_perf_time), and the values of counters
 * (fl_perf_values), for data.c.  The fields of a sample follow each other in
 * the order of the bits of sample_type, but for the identifiers; those of other
 * records stand at the record's end.
 */
#include "fl.h"

#include "format/perf/data/data.h"

enum { READ_ENABLED = 1, READ_RUNNING = 2, READ_ID = 4, READ_GROUP = 8,
       READ_LOST = 16 };
#define BRANCH_HW_INDEX (UINT64_C(1) << 17)
#define BRANCH_COUNTERS (UINT64_C(1) << 19)

static void take_read(const struct fl_perf_attr *attr,
		      struct fl_perf_bytes *b, struct fl_perf_fields *f)
{
	uint64_t format = attr->read_format, n = 1;
	unsigned each = 1 + !!(format & READ_ID) + !!(format & READ_LOST);
	unsigned times = !!(format & READ_ENABLED) + !!(format & READ_RUNNING);

	f->read = b->at;
	if (format & READ_GROUP)
		n = fl_perf_take64(b);
	if (n > PERF_MAX_RECORD)
		b->cut = true;
	else
		fl_perf_take(b, 8 * (n * each + times));
}

static void take_branches(const struct fl_perf_attr *attr,
			  struct fl_perf_bytes *b)
{
	uint64_t n = fl_perf_take64(b);

	if (n > PERF_MAX_RECORD) {
		b->cut = true;
		return;
	}
	if (attr->branch_type & BRANCH_HW_INDEX)
		fl_perf_take64(b);
	/* From, to and flags; and some have counts after all. */
	fl_perf_take(b, n * (attr->branch_type & BRANCH_COUNTERS ? 32 : 24));
}

static void take_chain(struct fl_perf_bytes *b, struct fl_perf_fields *f)
{
	f->nchain = fl_perf_take64(b);
	f->chain = f->nchain <= PERF_MAX_RECORD / 8 ?
		   fl_perf_take(b, 8 * f->nchain) : NULL;
	b->cut |= !f->chain;
}

static const uint8_t *take_regs(struct fl_perf_bytes *b, uint64_t mask,
				uint64_t *abi)
{
	*abi = fl_perf_take64(b);
	return *abi ? fl_perf_take(b, 8 * (uint64_t)
				      __builtin_popcountll(mask)) : NULL;
}

static void take_stack(struct fl_perf_bytes *b, struct fl_perf_fields *f)
{
	uint64_t size = fl_perf_take64(b), used;

	if (!size)
		return;
	f->stack = fl_perf_take(b, size);
	used = fl_perf_take64(b);
	f->stack_size = FL_MIN(used, size);
	f->stack_full = used >= size;
}

static void take_rest(const struct fl_perf_attr *attr, struct fl_perf_bytes *b,
		      struct fl_perf_fields *f)
{
	uint64_t abi;

	if (PERF_HAS(attr, WEIGHT) || PERF_HAS(attr, WEIGHT_STRUCT))
		fl_perf_take64(b);
	if (PERF_HAS(attr, DATA_SRC))
		fl_perf_take64(b);
	if (PERF_HAS(attr, TRANSACTION))
		fl_perf_take64(b);
	if (PERF_HAS(attr, REGS_INTR))
		take_regs(b, attr->intr_regs, &abi);
	if (PERF_HAS(attr, PHYS_ADDR))
		fl_perf_take64(b);
	if (PERF_HAS(attr, CGROUP))
		f->cgroup = fl_perf_take64(b);
}

static bool take_sample(const struct fl_perf_attr *attr,
			struct fl_perf_bytes *b, struct fl_perf_fields *f)
{
	if (PERF_HAS(attr, IDENTIFIER))
		f->id = fl_perf_take64(b);
	if (PERF_HAS(attr, IP))
		f->ip = fl_perf_take64(b);
	if (PERF_HAS(attr, TID)) {
		f->pid = fl_perf_take32(b);
		f->tid = fl_perf_take32(b);
	}
	if (PERF_HAS(attr, TIME))
		f->time = fl_perf_take64(b);
	if (PERF_HAS(attr, ADDR))
		fl_perf_take64(b);
	if (PERF_HAS(attr, ID))
		f->id = fl_perf_take64(b);
	if (PERF_HAS(attr, STREAM_ID))
		fl_perf_take64(b);
	if (PERF_HAS(attr, CPU)) {
		f->cpu = fl_perf_take32(b);
		fl_perf_take32(b);
	}
	if (PERF_HAS(attr, PERIOD))
		f->period = fl_perf_take64(b);
	if (PERF_HAS(attr, READ))
		take_read(attr, b, f);
	if (PERF_HAS(attr, CALLCHAIN))
		take_chain(b, f);
	if (PERF_HAS(attr, RAW))
		fl_perf_take(b, fl_perf_take32(b));
	if (PERF_HAS(attr, BRANCH_STACK))
		take_branches(attr, b);
	if (PERF_HAS(attr, REGS_USER))
		f->regs = take_regs(b, attr->user_regs, &f->regs_abi);
	if (PERF_HAS(attr, STACK_USER))
		take_stack(b, f);
	take_rest(attr, b, f);
	return !b->cut;
}

/* From the record's end on. */
static uint64_t pop64(struct fl_perf_bytes *b)
{
	if (b->end - b->at < 8) {
		b->cut = true;
		return 0;
	}
	b->end -= 8;
	return fl_perf_u64(b->end, b->big);
}

static bool take_end(const struct fl_perf_attr *attr, struct fl_perf_bytes *b,
		     struct fl_perf_fields *f)
{
	if (!(attr->flags & PERF_SAMPLE_ID_ALL))
		return true;
	if (PERF_HAS(attr, IDENTIFIER))
		f->id = pop64(b);
	if (PERF_HAS(attr, CPU)) {
		pop64(b);
		if (!b->cut)
			f->cpu = fl_perf_u32(b->end, b->big);
	}
	if (PERF_HAS(attr, STREAM_ID))
		pop64(b);
	if (PERF_HAS(attr, ID))
		f->id = pop64(b);
	if (PERF_HAS(attr, TIME))
		f->time = pop64(b);
	return !b->cut;
}

bool fl_perf_fields(const struct fl_perf_attr *attr, const uint8_t *record,
		    bool big, struct fl_perf_fields *f)
{
	static const struct fl_perf_fields none = {
		.ip = UINT64_MAX, .time = UINT64_MAX, .id = UINT64_MAX,
		.cgroup = UINT64_MAX, .pid = UINT32_MAX, .tid = UINT32_MAX,
		.cpu = UINT32_MAX,
	};
	struct fl_perf_bytes b = {
		.at = record + PERF_HEADER_SIZE,
		.end = record + fl_perf_u16(record + 6, big), .big = big,
	};

	*f = none;
	f->big = big;
	f->period = attr->period;
	f->mode = fl_perf_u16(record + 4, big) & PERF_MODE;
	return fl_perf_u32(record, big) == PERF_SAMPLE ?
	       take_sample(attr, &b, f) : take_end(attr, &b, f);
}

uint64_t fl_perf_time(const struct fl_perf_attr *attr, const uint8_t *record,
		      bool big)
{
	unsigned size = fl_perf_u16(record + 6, big), place;

	if (!PERF_HAS(attr, TIME))
		return UINT64_MAX;
	if (fl_perf_u32(record, big) == PERF_SAMPLE) {
		place = PERF_HEADER_SIZE +
			8 * (unsigned)(PERF_HAS(attr, IDENTIFIER) +
				       PERF_HAS(attr, IP) +
				       PERF_HAS(attr, TID));
		return place + 8 <= size ? fl_perf_u64(record + place, big) :
					   UINT64_MAX;
	}
	if (!(attr->flags & PERF_SAMPLE_ID_ALL))
		return UINT64_MAX;
	place = 8 * (unsigned)(1 + PERF_HAS(attr, IDENTIFIER) +
			       PERF_HAS(attr, CPU) + PERF_HAS(attr, ID) +
			       PERF_HAS(attr, STREAM_ID));
	return place + PERF_HEADER_SIZE <= size ?
	       fl_perf_u64(record + size - place, big) : UINT64_MAX;
}

void fl_perf_values(const struct fl_perf_attr *attr,
		    const struct fl_perf_fields *f,
		    void (*accept)(void *arg, uint64_t id, uint64_t value),
		    void *arg)
{
	uint64_t format = attr->read_format, n = 1;
	unsigned times = !!(format & READ_ENABLED) + !!(format & READ_RUNNING);
	const uint8_t *at = f->read;

	if (format & READ_GROUP) {
		n = fl_perf_u64(at, f->big);
		at += 8 + 8 * times;
	}
	while (n--) {
		uint64_t value = fl_perf_u64(at, f->big);

		at += 8 + (format & READ_GROUP ? 0 : 8 * times);
		accept(arg, format & READ_ID ? fl_perf_u64(at, f->big) : f->id,
		     value);
		at += 8 * (!!(format & READ_ID) + !!(format & READ_LOST));
	}
}
