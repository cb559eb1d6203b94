/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Format pprof-legacy: reads CPU profiles of gperftools, and of pprof before
 * protobuf, into samples of two metrics, samples and cpu.  A profile is words
 * of 4 or 8 bytes, of either byte order.
 *
 *	0 3 VERSION PERIOD 0	the header; PERIOD in us; VERSION 1: Java's
 *	COUNT N ADDRESS...	records: N addresses, leaf first
 *	0 1 0			the end of records; then text:
 *	00400000-00fcb000 r-xp 00000000 08:01 213 /usr/bin/x	a mapping, or
 *	 0x00000006 com.example.f (Source.java:3)		Java's names
 */
#include "fl.h"

#include "format/pprof/pprof.h"
#include "native/bare.h"
#include "native/frame.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

enum { HEADER = 5 };	/* words */

struct mapping {
	uint64_t begin, end;
	flame_id file;
};

struct record {
	uint64_t count;
	size_t first, n;	/* of addresses, leaf first */
};

struct options {
	struct fl_names_options names;
};

struct reader {
	struct flame_source *source;
	struct flame *flame;
	const uint8_t *head;	/* all bytes of the input */
	size_t size, at;	/* at: of the next profile */
	unsigned width;		/* bytes of a word */
	bool big, java;
	int64_t period;		/* ns */
	uint64_t *addresses;
	size_t naddresses, addresses_capacity;
	struct record *records;
	size_t nrecords, capacity, given;
	struct mapping *mappings;
	size_t nmappings, mappings_capacity;
	struct fl_map names;	/* address -> name */
	struct fl_map frames;	/* address -> place in `made` */
	struct fl_frame_list made;	/* how many, and these, leaf first */
	struct fl_bare bare;
	flame_id metric[2];	/* samples, cpu */
	bool read, cut;
	uint64_t unnamed, good;
};

/* Words --------------------------------------------------------------- */

static uint64_t word_at(const struct reader *r, const uint8_t *at)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < r->width; i++)
		n |= (uint64_t)at[r->big ? r->width - 1 - i : i] << (8 * i);
	return n;
}

/* The header; false: this is none of this width and order. */
static bool take_header(struct reader *r, const uint8_t *head, size_t n)
{
	uint64_t word[HEADER];

	if (n < (size_t)HEADER * r->width)
		return false;
	for (unsigned i = 0; i < HEADER; i++)
		word[i] = word_at(r, head + (size_t)i * r->width);
	if (word[0] || word[1] != 3 || word[2] > 1 || !word[3] ||
	    word[3] > 100000000 || word[4])
		return false;
	r->java = word[2] == 1;
	r->period = (int64_t)word[3] * 1000;
	return true;
}

static bool find_header(struct reader *r, const uint8_t *head, size_t n)
{
	for (unsigned i = 0; i < 4; i++) {
		r->width = i & 1 ? 4 : 8;
		r->big = i & 2;
		if (take_header(r, head, n))
			return true;
	}
	return false;
}

/* Records ------------------------------------------------------------- */

static bool add_record(struct reader *r, uint64_t count, const uint8_t *at,
		       size_t n)
{
	if (!fl_grow(&r->records, &r->capacity, r->nrecords + 1,
		     sizeof(*r->records)) ||
	    !fl_grow(&r->addresses, &r->addresses_capacity, r->naddresses + n,
		     sizeof(*r->addresses))) {
		fl_no_memory(r->flame);
		return false;
	}
	r->records[r->nrecords++] =
		(struct record){ count, r->naddresses, n };
	for (size_t i = 0; i < n; i++) {
		uint64_t address = word_at(r, at + i * r->width);

		/*
		 * Return addresses are after the call: look up the byte before.
		 */
		if (i && address && !r->java)
			address--;
		r->addresses[r->naddresses++] = address;
	}
	return true;
}

/* Up to the end of records, or to the last whole one. */
static void read_records(struct reader *r)
{
	uint64_t count, n;
	size_t left;

	r->at += (size_t)HEADER * r->width;
	while ((left = (r->size - r->at) / r->width) >= 3) {
		const uint8_t *at = r->head + r->at;

		count = word_at(r, at);
		n = word_at(r, at + r->width);
		if (n > left - 2)
			break;
		r->at += (size_t)(n + 2) * r->width;
		at += 2 * r->width;
		if (count == 0 && n == 1 && word_at(r, at) == 0)
			return;
		if (count && n && !add_record(r, count, at, (size_t)n))
			return;
	}
	r->cut = true;
	r->at = r->size;
}

/*
 * The frame below the leaf is the signal handler's where nearly all records
 * have the same: it is left out, up to twice, as go tool pprof does.
 */
static bool drop_handler(struct reader *r)
{
	struct fl_map counts = { .ordered = true };
	size_t at = 0, most = r->nrecords - r->nrecords / 32;
	const struct fl_map_entry *e;
	bool found = false;

	for (size_t i = 0; i < r->nrecords; i++) {
		uint64_t *count = r->records[i].n < 2 ? NULL :
			fl_map_put(&counts,
				   r->addresses[r->records[i].first + 1], NULL);

		if (count)
			++*count;
	}
	while (!found && (e = fl_map_each(&counts, &at)))
		found = e->value >= most;
	for (size_t i = 0; found && i < r->nrecords; i++) {
		struct record *record = &r->records[i];
		uint64_t *a = r->addresses + record->first;

		if (record->n < 2 || a[1] != e->key)
			continue;
		a[1] = a[0];
		record->first++;
		record->n--;
	}
	fl_map_free(&counts);
	return found;
}

/* Text ---------------------------------------------------------------- */

/* "00400000-00fcb000 r-xp 00000000 08:01 213    /usr/bin/x" */
static bool take_mapping(struct reader *r, struct slice s)
{
	struct fl_maps_line line;
	struct mapping m;

	if (!fl_maps_line(s, &line))
		return false;
	s = fl_slice_base(line.path);
	if (!s.size)
		return true;
	m = (struct mapping){ line.start, line.end,
			      flame_name(r->flame, s.data, s.size) };
	if (!fl_bare_add(&r->bare, &line, (struct slice){ "", 0 }))
		return false;
	if (!fl_grow(&r->mappings, &r->mappings_capacity, r->nmappings + 1,
		     sizeof(*r->mappings)))
		return !fl_no_memory(r->flame);
	r->mappings[r->nmappings++] = m;
	return true;
}

/* " 0x00000006 com.example.f (Source.java:3)" */
static void take_name(struct reader *r, struct slice s)
{
	uint64_t address, *name;
	struct slice word;
	const char *end;

	if (!fl_slice_first_word(&s, &word) || !fl_parse_hex(word, &address))
		return;
	end = fl_slice_find(s, " (");
	if (end)
		s.size = (size_t)(end - s.data);
	name = fl_map_put(&r->names, address, NULL);
	if (name)
		*name = flame_name(r->flame, s.data, s.size);
	else
		fl_no_memory(r->flame);
}

/* Another profile may be packed: the bytes from there on are its. */
static void look_for_packed(struct reader *r)
{
	struct fl_in *in = r->source->in;
	uint8_t first = r->head[r->at];

	if (first >= ' ' && first < 0x7f && first != '(')
		return;
	fl_in_consume(in, r->at);
	fl_in_decode_at(in, 0);
	r->head = fl_in_peek(in, SIZE_MAX, &r->size);
	r->at = 0;
}

/* Up to the end, or another profile, which begins with a zero. */
static void read_text(struct reader *r)
{
	while (r->at < r->size && !fl_failed(r->flame)) {
		struct slice text, line;

		look_for_packed(r);
		text = (struct slice){ (const char *)r->head + r->at,
				       r->size - r->at };
		if (!text.size)
			return;
		if (!text.data[0] && find_header(r, r->head + r->at, text.size))
			return;
		line = fl_slice_split(&text, '\n');
		r->at = r->size - text.size;
		line = fl_slice_trim(line);
		if (r->java || !take_mapping(r, line))
			take_name(r, line);
	}
}

static void forget(struct reader *r)
{
	r->nrecords = r->given = r->naddresses = r->nmappings = 0;
	fl_map_clear(&r->names);
	fl_map_clear(&r->frames);
	r->made.n = 0;
	fl_bare_clear(&r->bare);
}

static int by_begin(const void *a, const void *b)
{
	const struct mapping *x = a, *y = b;

	return (x->begin > y->begin) - (x->begin < y->begin);
}

/* The next profile of the input. */
static bool read_profile(struct reader *r)
{
	forget(r);
	read_records(r);
	read_text(r);
	if (r->nmappings)
		qsort(r->mappings, r->nmappings, sizeof(*r->mappings),
		      by_begin);
	if (!r->java && r->nrecords && drop_handler(r))
		drop_handler(r);
	r->good += r->nrecords;
	r->metric[0] = fl_typed_metric(r->flame, FL_SLICE("samples"),
				       FL_SLICE("count"));
	r->metric[1] = fl_typed_metric(r->flame, FL_SLICE("cpu"),
				       FL_SLICE("nanoseconds"));
	return !fl_failed(r->flame);
}

static void begin(struct reader *r)
{
	r->read = true;
	r->head = fl_in_peek(r->source->in, SIZE_MAX, &r->size);
	if (!r->head || !find_header(r, r->head, r->size)) {
		r->cut = true;
		r->at = r->size;
	}
}

/* Samples ------------------------------------------------------------- */

/* The file of an address; the mappings of a process do not overlap. */
static flame_id file_at(const struct reader *r, uint64_t address)
{
	size_t low = 0, high = r->nmappings;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (r->mappings[middle].begin <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < r->mappings[low - 1].end ?
	       r->mappings[low - 1].file : 0;
}

static flame_id make_frame(struct reader *r, uint64_t address)
{
	const uint64_t *name = fl_map_get(&r->names, address);
	struct flame_frame frame = {
		.type = FLAME_UNKNOWN, .file = file_at(r, address),
	};
	struct fl_buf buf = { 0 };

	if (name) {
		frame.name = (flame_id)*name;
	} else {
		fl_put_unnamed(&buf, r->names.count ?
			       fl_name_at(r->flame, frame.file) :
			       (struct slice){ "", 0 }, address);
		frame.name = flame_name(r->flame, buf.data, buf.size);
		r->unnamed++;
	}
	if (buf.failed)
		fl_no_memory(r->flame);
	fl_buf_free(&buf);
	return flame_frame(r->flame, &frame);
}

/* Appends their number and the frames of an address, leaf first. */
static void make_frames(struct reader *r, uint64_t address)
{
	const flame_id *frames;
	size_t n = fl_map_get(&r->names, address) ? 0 :
		   fl_symbolize(&r->bare, address, &frames);

	fl_frame_list_add(r->flame, &r->made, n ? (flame_id)n : 1);
	for (size_t i = 0; i < n; i++)
		fl_frame_list_add(r->flame, &r->made, frames[i]);
	if (!n)
		fl_frame_list_add(r->flame, &r->made, make_frame(r, address));
}

static flame_id put_frames(struct reader *r, flame_id stack, uint64_t address)
{
	bool fresh;
	uint64_t *place = fl_map_put(&r->frames, address, &fresh);
	const flame_id *at;

	if (!place) {
		fl_no_memory(r->flame);
		return stack;
	}
	if (fresh) {
		*place = r->made.n;
		make_frames(r, address);
	}
	if (fl_failed(r->flame))
		return stack;
	at = r->made.at + *place;
	for (flame_id i = *at; i; i--)
		stack = flame_stack(r->flame, stack, at[i]);
	return stack;
}

static void emit(struct reader *r, const struct record *record)
{
	struct flame_sample sample = { .time = FLAME_NOTIME };
	int64_t count = (int64_t)FL_MIN(record->count, (uint64_t)INT64_MAX);
	flame_id stack = 0;

	for (size_t i = record->n; i--;)
		stack = put_frames(r, stack, r->addresses[record->first + i]);
	sample.stack = stack;
	for (int i = 0; i < 2; i++) {
		sample.metric = r->metric[i];
		sample.weight = i ? fl_mul_clamped(count, r->period) : count;
		fl_emit(r->source, &sample, 1);
	}
}

static int at_end(struct reader *r)
{
	const char *name = fl_in_name(r->source->in);

	if (r->cut) {
		fl_warn(r->flame, "%s: the profile ends before its end mark: "
			"%" PRIu64 " records were whole", name, r->good);
		r->source->damage = r->good ? 1 : 2;
	}
	if (!fl_bare_report(&r->bare, name))
		fl_report_unnamed(r->source, r->unnamed, FL_PPROF_ADVICE);
	r->cut = false;
	r->unnamed = 0;
	return FLAME_END;
}

/* The row of formats.def ------------------------------------------------- */

static int read(struct flame_source *source)
{
	struct reader *r = source->state;

	if (!r->read)
		begin(r);
	while (r->given == r->nrecords && r->at < r->size)
		if (!read_profile(r))
			return FLAME_FAILED;
	if (r->given == r->nrecords)
		return at_end(r);
	emit(r, &r->records[r->given++]);
	return FLAME_OK;
}

static int open_legacy(struct flame_source *source)
{
	struct reader *r = source->state;

	r->source = source;
	r->flame = r->bare.flame = source->flame;
	r->bare.options = &((const struct options *)source->options)->names;
	return FLAME_OK;
}

static void release(void *state)
{
	struct reader *r = state;

	fl_free(r->addresses);
	fl_free(r->records);
	fl_free(r->mappings);
	fl_map_free(&r->names);
	fl_map_free(&r->frames);
	fl_free(r->made.at);
	fl_bare_free(&r->bare);
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	struct reader r = { .width = 0 };

	(void)whole;
	return find_header(&r, head, n) ? 60 : 0;
}

static const struct fl_option rows[] = {
	FL_OPTION_ROW_KALLSYMS(struct options),
	FL_OPTION_ROW_SYMFS(struct options),
	{ .name = NULL }
};

static const struct fl_option_table option_table = {
	.rows = rows, .size = sizeof(struct options),
};

const struct fl_format fl_format_pprof_legacy = {
	.name = "pprof-legacy",
	.summary = "CPU profiles of gperftools",
	.probe = probe,
	.state_size = sizeof(struct reader),
	.open = open_legacy,
	.read = read,
	.release = release,
	.completes_late = true,
	.options = &option_table,
};
