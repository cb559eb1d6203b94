/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Format perf-data: reads perf.data, the recordings of perf record, from a file
 * or a pipe, of perf 3 to 6 and of machines of either byte order, into the
 * samples that perf script would print.  This is the loop over records; data.h
 * lists the files for their parts.
 */
#include "fl.h"

#include "format/perf/data/data.h"

#include <inttypes.h>

enum { WINDOW = 1 << 20 };	/* bytes that are peeked at once */
enum { BATCH = 1024 };		/* samples that are given at once */
enum { EVENT_NAME = 2 };	/* of PERF_EVENT_UPDATE */
enum { MAX_TRACING = 64 << 20 };

/* The input ----------------------------------------------------------- */

bool fl_perf_data_peek(struct fl_perf_data *d, size_t n)
{
	struct fl_in *in = d->source->in;
	size_t avail;

	if (fl_likely((size_t)(d->end - d->at) >= n))
		return true;
	if (d->whole)
		return false;
	fl_in_consume(in, d->at - d->start);
	d->offset += d->at - d->start;
	d->start = d->at = fl_in_peek(in, n, &avail);
	if (!d->at)
		d->start = d->at = (const uint8_t *)"";
	d->end = d->at + avail;
	d->whole = avail < n;
	return avail >= n;
}

/* Returns pages of a mapped file to the system, from time to time. */
static void release_pages(struct fl_perf_data *d)
{
	uint64_t offset = d->offset + (d->at - d->start);

	if (d->stable && offset - d->released >= 16 * WINDOW) {
		fl_in_release(d->source->in, offset);
		d->released = offset;
	}
}

/* Skips n bytes after a record.  false: they are not there. */
static bool skip(struct fl_perf_data *d, uint64_t n)
{
	while (n) {
		uint64_t part = FL_MIN(n, (uint64_t)(d->end - d->at));

		d->at += part;
		n -= part;
		if (n && !fl_perf_data_peek(d, 1)) {
			fl_perf_data_damage(d, "it ends within bytes that are "
					    "skipped");
			return false;
		}
	}
	return true;
}

/* Samples ------------------------------------------------------------- */

/* The cache entry of a thread, by its name and ids; emptied for another one. */
static struct fl_perf_left *find_left(struct fl_perf_data *d, flame_id comm,
				      const struct fl_perf_header *h)
{
	bool cpus = d->source->select.needs & FL_NEED_STATE;
	int64_t cpu = cpus ? h->cpu : -1;
	uint64_t hash = fl_hash_pair((uint64_t)h->tid << 32 | comm,
				     (uint64_t)cpu);
	struct fl_perf_left *left = &d->text.lefts.at[hash % FL_PERF_LEFTS];

	if (left->met && left->comm == comm && left->tid == h->tid &&
	    left->pid == h->pid && left->cpu == cpu)
		return left;
	memset(left, 0, sizeof(*left));
	left->met = true;
	left->comm = comm;
	left->pid = h->pid;
	left->tid = h->tid;
	left->cpu = cpu;
	return left;
}

static int64_t number(uint32_t n)
{
	return n == UINT32_MAX ? -1 : (int64_t)n;
}

static void label_cgroup(struct fl_perf_data *d, uint64_t id)
{
	uint64_t *name = fl_map_get(&d->cgroups, id);

	if (name)
		fl_perf_record_cgroup(&d->text,
				      fl_name_at(d->flame, (flame_id)*name));
}

/* A sample of one event, as if its line had been read. */
static void emit(struct fl_perf_data *d, struct fl_perf_attr *attr,
		 const struct fl_perf_fields *f)
{
	struct fl_perf_event *event = fl_perf_attr_event(d, attr);
	struct fl_perf_thread *thread = fl_perf_thread(d, f->pid, f->tid);
	struct fl_perf_header h = {
		.pid = number(f->pid), .tid = number(f->tid),
		.cpu = number(f->cpu), .machine = -1, .vcpu = -1,
		.time = f->time > INT64_MAX ? FLAME_NOTIME : (int64_t)f->time,
		.period = (int64_t)FL_MIN(f->period, (uint64_t)INT64_MAX),
		.rest = { "", 0 },
	};
	struct flame_sample sample;
	flame_id comm;

	if (!event || !thread)
		return;
	comm = fl_perf_thread_comm(d, thread);
	h.comm = fl_name_at(d->flame, comm);
	h.event = event->name;
	h.left = find_left(d, comm, &h);
	if (!fl_perf_record_begin(&d->text, &h, &d->text.record) ||
	    !d->text.record.wanted)
		return;
	if (PERF_HAS(attr, CGROUP))
		label_cgroup(d, f->cgroup);
	sample.stack = fl_perf_chain(d, thread, attr, f, d->text.record.base);
	fl_perf_record_sample(&d->text, &sample);
	fl_batch_add(d->source, &sample);
}

struct reading {
	struct fl_perf_data *d;
	const struct fl_perf_fields *fields;
	struct fl_perf_attr *attr;
};

/*
 * A sample that has the values of a group of counters stands for all of the
 * group that have counted since the sample before.
 */
static void emit_value(void *arg, uint64_t id, uint64_t value)
{
	const struct reading *reading = arg;
	struct fl_perf_data *d = reading->d;
	struct fl_perf_fields f = *reading->fields;
	struct fl_perf_attr *attr = d->nattrs > 1 ?
				    fl_perf_attr_by_id(d, id) : reading->attr;
	uint64_t *before = attr ? fl_map_put(&d->values, id, NULL) : NULL;

	d->unknown_id += !attr;
	if (!before)
		return;
	f.period = value - *before;
	*before = value;
	if (f.period)
		emit(d, attr, &f);
}

static void take_sample(struct fl_perf_data *d, const uint8_t *record)
{
	struct fl_perf_attr *attr = fl_perf_attr_of(d, record);
	struct fl_perf_fields f;
	struct reading reading = { d, &f, attr };

	if (!attr) {
		d->unknown_id++;
	} else if (!fl_perf_fields(attr, record, d->big, &f)) {
		d->bad++;
	} else if (f.mode == PERF_MODE_GUEST_KERNEL ||
		   f.mode == PERF_MODE_GUEST_USER) {
		d->guests++;
	} else if (PERF_HAS(attr, READ)) {
		fl_perf_values(attr, &f, emit_value, &reading);
	} else {
		emit(d, attr, &f);
	}
}

/* Records ------------------------------------------------------------- */

static void take_cgroup(struct fl_perf_data *d, struct fl_perf_bytes bytes)
{
	uint64_t id = fl_perf_take64(&bytes), *name;
	struct slice path = fl_perf_take_text(&bytes, bytes.end - bytes.at);

	name = bytes.cut ? NULL : fl_map_put(&d->cgroups, id, NULL);
	if (name)
		*name = flame_name(d->flame, path.data, path.size);
}

/* In the order of times. */
static void deliver(struct fl_perf_data *d, const uint8_t *record)
{
	unsigned misc = fl_perf_u16(record + 4, d->big);
	struct fl_perf_bytes bytes = {
		.at = record + PERF_HEADER_SIZE,
		.end = record + fl_perf_u16(record + 6, d->big),
		.big = d->big,
	};

	switch (fl_perf_u32(record, d->big)) {
	case PERF_SAMPLE:
		take_sample(d, record);
		break;
	case PERF_MMAP:
		fl_perf_take_mmap(d, bytes, misc, false);
		break;
	case PERF_MMAP2:
		fl_perf_take_mmap(d, bytes, misc, true);
		break;
	case PERF_COMM:
		fl_perf_take_comm(d, bytes);
		break;
	case PERF_FORK:
		fl_perf_take_fork(d, bytes, misc);
		break;
	case PERF_EXIT:
		fl_perf_take_exit(d, bytes);
		break;
	case PERF_KSYMBOL:
		fl_perf_take_ksymbol(d, bytes);
		break;
	case PERF_CGROUP:
		take_cgroup(d, bytes);
		break;
	case PERF_LOST:
		fl_perf_take64(&bytes);
		d->text.lost += fl_perf_take64(&bytes);
		break;
	case PERF_LOST_SAMPLES:
		if (!(misc & PERF_MISC_LOST_BPF))
			d->text.lost += fl_perf_take64(&bytes);
		break;
	}
}

void fl_perf_data_record(struct fl_perf_data *d, const uint8_t *record)
{
	const struct fl_perf_attr *attr = fl_perf_attr_of(d, record);
	uint64_t time = attr ? fl_perf_time(attr, record, d->big) : 0;

	/* perf's own, of what there was before it began, have the time 0. */
	if (time && time != UINT64_MAX)
		fl_perf_order_add(d, record, time);
	else
		deliver(d, record);
}

static void take_attr(struct fl_perf_data *d, struct fl_perf_bytes bytes)
{
	struct fl_perf_bytes ids = bytes;
	uint32_t size = bytes.end - bytes.at >= 8 ?
			fl_perf_u32(bytes.at + 4, bytes.big) : 0;

	/* The first version had no size. */
	size = size ? size : 64;
	if (!fl_perf_take(&ids, size))
		return;
	bytes.end = ids.at;
	if (fl_perf_attr_add(d, bytes))
		fl_perf_attr_ids(d, d->nattrs - 1, ids);
}

static void take_update(struct fl_perf_data *d, struct fl_perf_bytes bytes)
{
	uint64_t type = fl_perf_take64(&bytes), id = fl_perf_take64(&bytes);
	struct slice name = fl_perf_take_text(&bytes, bytes.end - bytes.at);
	struct fl_perf_attr *attr = fl_perf_attr_by_id(d, id);

	if (type != EVENT_NAME || !attr || !name.size || attr->name.size)
		return;
	attr->name.data = fl_arena_copy(&d->arena, name.data, name.size);
	attr->name.size = attr->name.data ? name.size : 0;
}

static bool unpack(struct fl_perf_data *d, struct fl_perf_bytes bytes,
		   bool sized)
{
	uint64_t size = bytes.end - bytes.at;

	if (sized)
		size = fl_perf_take64(&bytes);
	size = FL_MIN(size, (uint64_t)(bytes.end - bytes.at));
	return fl_perf_unpack(d, bytes.at, size);
}

/* Files of text, which stand after their record. */
static bool take_tracing(struct fl_perf_data *d, uint32_t size)
{
	if (size <= MAX_TRACING && fl_perf_data_peek(d, size))
		fl_perf_take_tracing(d, (struct fl_perf_bytes){
			.at = d->at, .end = d->at + size, .big = d->big });
	return skip(d, size);
}

/* perf's own records.  false: what follows cannot be read. */
static bool take_own(struct fl_perf_data *d, uint32_t type,
		     struct fl_perf_bytes bytes)
{
	uint64_t feature;

	switch (type) {
	case PERF_HEADER_ATTR:
		take_attr(d, bytes);
		break;
	case PERF_EVENT_UPDATE:
		take_update(d, bytes);
		break;
	case PERF_HEADER_FEATURE:
		feature = fl_perf_take64(&bytes);
		if (feature < UINT32_MAX)
			fl_perf_data_feature(d, (unsigned)feature, bytes);
		break;
	case PERF_BUILD_ID:
		fl_perf_take_build_id(d, bytes.at - PERF_HEADER_SIZE);
		break;
	case PERF_TRACING_DATA:
		return take_tracing(d, fl_perf_take32(&bytes));
	case PERF_AUXTRACE:
		d->traces++;
		return skip(d, fl_perf_take64(&bytes));
	case PERF_FINISHED_ROUND:
		fl_perf_order_round(d);
		break;
	case PERF_COMPRESSED:
	case PERF_COMPRESSED2:
		return unpack(d, bytes, type == PERF_COMPRESSED2);
	}
	return true;
}

/* Reads the next record of the file.  false: there is none. */
static bool next_record(struct fl_perf_data *d)
{
	uint64_t at = d->offset + (d->at - d->start) - d->base;
	const uint8_t *record;
	uint32_t type;
	size_t size;

	if (at >= d->data_end || !fl_perf_data_peek(d, 1))
		return false;
	if (!fl_perf_data_peek(d, PERF_HEADER_SIZE)) {
		fl_perf_data_damage(d, "it ends within the record at byte %"
				    PRIu64, at);
		return false;
	}
	type = fl_perf_u32(d->at, d->big);
	size = fl_perf_u16(d->at + 6, d->big);
	if (size < PERF_HEADER_SIZE) {
		fl_perf_data_damage(d, "the record at byte %" PRIu64
				    " has a size of %zu", at, size);
		return false;
	}
	if (!fl_perf_data_peek(d, size)) {
		fl_perf_data_damage(d, "it ends within the record at byte %"
				    PRIu64, at);
		return false;
	}
	record = d->at;
	d->at += size;
	release_pages(d);
	if (type < PERF_OWN) {
		fl_perf_data_record(d, record);
		return true;
	}
	return take_own(d, type, (struct fl_perf_bytes){
		.at = record + PERF_HEADER_SIZE, .end = record + size,
		.big = d->big });
}

/* The end ------------------------------------------------------------- */

static int end(struct fl_perf_data *d)
{
	struct fl_perf_reader *text = &d->text;
	const char *name = fl_in_name(d->source->in);

	if (d->data_end != UINT64_MAX &&
	    d->offset + (d->at - d->start) - d->base < d->data_end)
		fl_perf_data_damage(d, "it ends before its records do");
	if (d->unknown_id)
		fl_warn(d->flame, "%s: %" PRIu64 " samples are of no event "
			"that it has", name, d->unknown_id);
	if (d->bad)
		fl_warn(d->flame, "%s: %" PRIu64 " samples are shorter than "
			"their fields", name, d->bad);
	if (d->traces)
		fl_remark(d->flame, "%s: %" PRIu64 " pieces of a hardware "
			  "trace are left out: perf script --itrace prints "
			  "what they hold", name, d->traces);
	if (d->guests)
		fl_remark(d->flame, "%s: %" PRIu64 " sample%s of virtual "
			  "machines, which perf kvm reports: not counted, as in "
			  "perf script", name, d->guests,
			  d->guests == 1 ? "" : "s");
	if (d->foreign)
		fl_warn(d->flame, "%s: %" PRIu64 " samples were recorded with "
			"registers and stacks on another machine (%s): their "
			"callers are not known here", name, d->foreign,
			d->arch ? d->arch : "unknown");
	if (d->names)
		fl_names_report(d->names, name);
	if (d->damage[0])
		fl_warn(d->flame, "%s: %s%s", name, d->damage, text->samples ?
			"" : "; perf script may print what we cannot read");
	if (d->damage[0] || d->bad || d->unknown_id)
		d->source->damage = text->samples ? 1 : 2;
	return fl_perf_end(text);
}

static bool begin_file(struct fl_perf_data *d)
{
	const struct fl_perf_options *options = d->source->options;
	struct fl_names_options names = options->names;

	names.inlined = options->inlined;
	d->opened = true;
	d->names = fl_names_new(d->flame, &names);
	return d->names && fl_perf_data_header(d);
}

static int read(struct flame_source *source)
{
	struct fl_perf_data *d = source->state;
	const uint8_t *record;

	if (!d->opened && !begin_file(d))
		d->ended = true;
	while (!source->batch.n && !fl_failed(d->flame)) {
		while (source->batch.n < BATCH &&
		       (record = fl_perf_order_next(d)))
			deliver(d, record);
		if (source->batch.n || (!d->ended && next_record(d)))
			continue;
		d->ended = true;
		if (!d->order.n)
			return end(d);
		if (!d->order.ready)
			fl_perf_order_all(d);
	}
	return fl_failed(d->flame) ? FLAME_FAILED : FLAME_OK;
}

/* The row ------------------------------------------------------------- */

static int probe(const uint8_t *head, size_t n, bool whole)
{
	static const char *const magics[] = {
		"PERFILE2", "2ELIFREP", "PERFFILE", "ELIFFREP"
	};

	for (size_t i = 0; i < FL_COUNT(magics); i++) {
		size_t some = FL_MIN(n, (size_t)8);

		if (some && memcmp(head, magics[i], some) == 0)
			return n >= 8 ? FL_FORMAT_CERTAIN : whole ? 0 : -1;
	}
	return 0;
}

static int open_data(struct flame_source *source)
{
	struct fl_perf_data *d = source->state;

	d->source = source;
	d->flame = source->flame;
	d->stable = fl_in_is_stable(source->in);
	d->start = d->at = d->end = (const uint8_t *)"";
	d->text.binary = true;
	return fl_perf_open(source);
}

static void release(void *state)
{
	struct fl_perf_data *d = state;

	fl_perf_release(&d->text);
	fl_perf_processes_free(d);
	fl_perf_unpack_free(d);
	fl_arena_free(&d->order.arena);
	fl_arena_free(&d->arena);
	fl_map_free(&d->by_id);
	fl_map_free(&d->values);
	fl_free(d->order.data);
	fl_free(d->attrs);
	fl_free(d->steps);
	fl_names_free(d->names);
}

const struct fl_format fl_format_perf_data = {
	.name = "perf-data",
	.summary = "what perf record writes",
	.probe = probe,
	.state_size = sizeof(struct fl_perf_data),
	.open = open_data,
	.read = read,
	.release = release,
	.selects = true,
	.options = &fl_perf_data_options,
};
