/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Format pprof-text: reads pprof's profiles of before protobuf, as Go's
 * ?debug=1 and gperftools print them, into samples: lines of counts and
 * addresses, leaf first.
 *
 *	heap profile: 4: 1053264 [50: 1241680] @ heap/1048576
 *	1: 4096 [26: 106496] @ 0x4b9125 0x4b9225
 *	#	0x4b9124	main.alloc+0x84		/srv/main.go:7
 *
 *	goroutine profile: total 2
 *	1 @ 0x44cb3 0x45045
 *
 *	--- contention:
 *	cycles/second=3201000000
 *	19490304 27 @ 0xbccc97
 *
 * Go names the frames of each line, inlined ones too; Java's (heapz,
 * contentionz) have names of addresses at the end; others have none.
 * Where a profiler sampled one of N bytes, counts are scaled up as by go tool
 * pprof.  Threads (threadz) are printed a frame a line:
 *
 *	--- threadz 1 ---
 *
 *	--- Thread 7eff063d9940 (name: main/25376) stack: ---
 *	  PC:  0x00bc8f1c: helper(arg*)
 *	  0x0040be31: main
 */
#include "fl.h"

#include "format/pprof/pprof.h"
#include "native/bare.h"

#include <inttypes.h>
#include <stdio.h>

enum { MAX_VALUES = 4 };

enum kind { NONE, HEAP, COUNT, CONTENTION, THREADS };

struct record {
	size_t first, count;	/* of frames */
	int64_t value[MAX_VALUES];
};

struct options {
	bool lines;
	struct fl_names_options names;
};

struct reader {
	struct flame_source *source;
	struct flame *flame;
	const struct options *options;
	struct fl_lines lines;
	enum kind kind;
	bool java, both;	/* of a heap: allocated and in use differ */
	double rate;		/* bytes from one sample to the next; 0: all */
	int64_t period, cycles;	/* of contention */
	struct fl_buf type, buf;
	struct frame_ref {
		uint64_t address;
		flame_id name;	/* 0: only the address is known */
	} *frames;
	size_t nframes, frames_capacity;
	struct record *records;
	size_t nrecords, capacity, given;
	unsigned value;
	bool named;		/* the last record's frames are Go's */
	struct fl_map names;	/* address -> name */
	struct fl_bare bare;
	uint64_t unnamed;
	bool read;
};

/* Headings ------------------------------------------------------------ */

static bool take_number(struct slice *s, int64_t *n)
{
	size_t i = 0;

	while (s->size && fl_is_blank(*s->data)) {
		s->data++;
		s->size--;
	}
	while (i < s->size && fl_is_digit(s->data[i]))
		i++;
	if (!fl_parse_int((struct slice){ s->data, i }, n))
		return false;
	s->data += i;
	s->size -= i;
	return true;
}

static bool take_sign(struct slice *s, const char *sign)
{
	while (s->size && fl_is_blank(*s->data)) {
		s->data++;
		s->size--;
	}
	if (!fl_slice_starts(*s, sign))
		return false;
	s->data += strlen(sign);
	s->size -= strlen(sign);
	return true;
}

/* "4: 1053264 [50: 1241680] @" */
static bool take_heap(struct slice *s, int64_t *value)
{
	return take_number(s, &value[2]) && take_sign(s, ":") &&
	       take_number(s, &value[3]) && take_sign(s, "[") &&
	       take_number(s, &value[0]) && take_sign(s, ":") &&
	       take_number(s, &value[1]) && take_sign(s, "]") &&
	       take_sign(s, "@");
}

static void begin_heap(struct reader *r, struct slice s)
{
	int64_t value[MAX_VALUES], rate = 0;
	struct slice how;

	r->kind = HEAP;
	r->rate = 0;
	r->both = false;
	if (!take_heap(&s, value))
		return;
	r->both = value[0] != value[2] || value[1] != value[3];
	s = fl_slice_trim(s);
	how = fl_slice_split(&s, '/');
	if (!fl_parse_int(s, &rate) || rate <= 0)
		rate = 0;
	/* Go prints twice the rate. */
	if (fl_slice_is(how, "heap"))
		r->rate = (double)(rate / 2);
	else if (fl_slice_is(how, "heap_v2") || fl_slice_is(how, "heapz_v2"))
		r->rate = (double)rate;
}

/* "goroutine profile: total 2" */
static bool begin_count(struct reader *r, struct slice line)
{
	const char *at = fl_slice_find(line, " profile: total ");

	if (!at || at == line.data)
		return false;
	r->kind = COUNT;
	r->type.size = 0;
	fl_buf_put(&r->type, line.data, (size_t)(at - line.data));
	return true;
}

static bool begin_profile(struct reader *r, struct slice line)
{
	if (fl_slice_starts(line, "heap profile: ")) {
		line.data += strlen("heap profile: ");
		line.size -= strlen("heap profile: ");
		begin_heap(r, line);
		return true;
	}
	if (fl_slice_starts(line, "--- heapz 1 ---")) {
		r->kind = HEAP;
		r->java = true;
		r->rate = 524288;
		return true;
	}
	if (fl_slice_starts(line, "--- threadz ")) {
		r->kind = THREADS;
		r->type.size = 0;
		fl_buf_text(&r->type, "thread");
		return true;
	}
	if (fl_slice_starts(line, "--- contention") ||
	    fl_slice_starts(line, "--- mutex:")) {
		r->kind = CONTENTION;
		r->period = 1;
		r->cycles = 0;
		return true;
	}
	return begin_count(r, line);
}

/* "cycles/second = 3201000000", "sampling period=100", "format = java" */
static bool take_setting(struct reader *r, struct slice line)
{
	struct slice value = line;
	struct slice name = fl_slice_trim(fl_slice_split(&value, '='));
	int64_t n;

	if (name.size + 1 >= line.size || memchr(line.data, '@', line.size))
		return false;
	value = fl_slice_trim(value);
	if (fl_slice_is(name, "cycles/second") &&
	    fl_parse_int(value, &n) && n > 0)
		r->cycles = n;
	else if (fl_slice_is(name, "sampling period") &&
		 fl_parse_int(value, &n) && n > 0)
		r->period = n;
	else if (fl_slice_is(name, "format"))
		r->java = fl_slice_is(value, "java");
	else if (fl_slice_is(name, "resolution") &&
		 fl_slice_is(value, "microseconds"))
		r->cycles = 1000000;
	return true;
}

/* Records ------------------------------------------------------------- */

static void put_frame(struct reader *r, uint64_t address, flame_id name)
{
	if (!fl_grow(&r->frames, &r->frames_capacity, r->nframes + 1,
		     sizeof(*r->frames))) {
		fl_no_memory(r->flame);
		return;
	}
	r->frames[r->nframes++] = (struct frame_ref){ address, name };
	r->records[r->nrecords - 1].count++;
}

/*
 * 1 - exp(-x), so that tools need not load libm: a series where x is small,
 * and p(2x) = p(x) (2 - p(x)).
 */
static double sampled_share(double x)
{
	double sum = 0, term = 1;
	unsigned halvings = 0;

	if (x > 50)
		return 1;
	for (; x > 0.25; x /= 2)
		halvings++;
	for (int i = 1; i <= 14; i++) {
		term *= -x / i;
		sum -= term;
	}
	while (halvings--)
		sum *= 2 - sum;
	return sum;
}

/* Scales up a sample of one in N bytes, by go tool pprof's formula. */
static void scale(const struct reader *r, int64_t *count, int64_t *size)
{
	double by;

	if (r->rate <= 1 || *count <= 0 || *size <= 0)
		return;
	by = 1 / sampled_share((double)*size / (double)*count / r->rate);
	*count = fl_int64((double)*count * by);
	*size = fl_int64((double)*size * by);
}

/* The counts before the '@'. */
static bool take_values(struct reader *r, struct slice *s, int64_t *value)
{
	switch (r->kind) {
	case HEAP:
		if (!r->java && !take_heap(s, value))
			return false;
		if (r->java && (!take_number(s, &value[3]) ||
				!take_number(s, &value[2]) ||
				!take_sign(s, "@")))
			return false;
		scale(r, &value[0], &value[1]);
		scale(r, &value[2], &value[3]);
		return true;
	case COUNT:
		return take_number(s, &value[0]) && take_sign(s, "@");
	case CONTENTION:
		if (!take_number(s, &value[1]) ||
		    !take_number(s, &value[0]) || !take_sign(s, "@"))
			return false;
		value[0] = fl_mul_clamped(value[0], r->period);
		value[1] = fl_mul_clamped(value[1], r->period);
		if (r->cycles)
			value[1] = fl_int64((double)value[1] * 1e9 /
					    (double)r->cycles);
		return true;
	case NONE:
	case THREADS:
		break;
	}
	return false;
}

/* Addresses are return addresses, except in Java's profiles. */
static bool take_record(struct reader *r, struct slice line)
{
	struct record record = { .first = r->nframes };
	struct slice s = line, word;
	uint64_t address;

	if (!take_values(r, &s, record.value))
		return false;
	if (!fl_grow(&r->records, &r->capacity, r->nrecords + 1,
		     sizeof(*r->records))) {
		fl_no_memory(r->flame);
		return true;
	}
	r->records[r->nrecords++] = record;
	r->named = false;
	s = fl_slice_trim(s);
	while (s.size) {
		word = fl_slice_split(&s, ' ');
		if (fl_parse_hex(word, &address))
			put_frame(r, address - (!r->java && address > 0), 0);
		s = fl_slice_trim(s);
	}
	return true;
}

/* "#	0x4b9124	main.alloc+0x84		/srv/main.go:7" */
static bool take_symbol(struct reader *r, struct slice line)
{
	struct slice address, name, place = line, number;
	struct fl_buf *buf = &r->buf;
	uint64_t at;

	if (!r->nrecords || !fl_slice_field(&line, &name))
		return false;
	/* "#	0x0": Go knows no function there. */
	if (fl_parse_hex(fl_slice_trim(line), &at))
		return true;
	if (!fl_slice_field(&line, &address) || !fl_parse_hex(address, &at))
		return false;
	place = line;
	name = fl_slice_split(&place, '\t');
	place = fl_slice_trim(place);
	name = fl_no_offset(fl_slice_trim(name), false);
	/* The names belong to all addresses of the record. */
	if (!r->named) {
		r->nframes = r->records[r->nrecords - 1].first;
		r->records[r->nrecords - 1].count = 0;
		r->named = true;
	}
	buf->size = 0;
	fl_buf_put(buf, name.data, name.size);
	number = place;
	while (memchr(number.data, ':', number.size))
		fl_slice_split(&number, ':');
	if (r->options->lines && fl_slice_digits(number)) {
		fl_buf_byte(buf, ':');
		fl_buf_put(buf, number.data, number.size);
	}
	if (buf->failed)
		return !fl_no_memory(r->flame);
	put_frame(r, at, flame_name(r->flame, buf->data, buf->size));
	return true;
}

/* " 0x00000003 com.example.f (Source.java:3)" */
static bool take_name(struct reader *r, struct slice line)
{
	struct slice s = fl_slice_trim(line), word;
	uint64_t address, *name;
	const char *end;

	if (!fl_slice_first_word(&s, &word) || !fl_parse_hex(word, &address))
		return false;
	end = fl_slice_find(s, " (");
	if (end)
		s.size = (size_t)(end - s.data);
	name = fl_map_put(&r->names, address, NULL);
	if (!name)
		fl_no_memory(r->flame);
	else
		*name = flame_name(r->flame, s.data, s.size);
	return true;
}

/* Threads ------------------------------------------------------------- */

/* An address that has no name in the profile. */
static void keep_name(struct reader *r, uint64_t address, flame_id name)
{
	uint64_t *at = fl_map_put(&r->names, address, NULL);

	if (!at)
		fl_no_memory(r->flame);
	else if (!*at)
		*at = name;
}

/* "PC:  0x00bc8f1c: helper(arg*)", or without a name. */
static bool take_thread_frame(struct reader *r, struct slice s)
{
	bool leaf = fl_slice_starts(s, "PC:");
	flame_id name = 0;
	struct slice word;
	uint64_t address;

	if (leaf)
		s = fl_slice_trim(fl_slice_from(s, 3));
	word = fl_slice_split(&s, ':');
	if (!fl_parse_hex(word, &address))
		return false;
	s = fl_slice_trim(s);
	address -= !leaf && address > 0;
	if (s.size) {
		name = flame_name(r->flame, s.data, s.size);
		keep_name(r, address, name);
	}
	put_frame(r, address, name);
	return true;
}

/*
 * Who created the thread is below its first function: frames follow, a line
 * each or, as addresses, on this one.
 */
static bool take_creator(struct reader *r, struct slice s)
{
	struct slice word;
	uint64_t address;

	for (s = fl_slice_trim(s); s.size; s = fl_slice_trim(s)) {
		word = fl_slice_split(&s, ' ');
		if (!fl_parse_hex(word, &address))
			return false;
		put_frame(r, address - (address > 0), 0);
	}
	return true;
}

/* A line between the heading of threads and the memory map. */
static bool take_thread(struct reader *r, struct slice line)
{
	struct slice s = fl_slice_trim(line);
	struct record *last;

	if (fl_slice_starts(s, "--- Thread ")) {
		if (!fl_grow(&r->records, &r->capacity, r->nrecords + 1,
			     sizeof(*r->records)))
			return !fl_no_memory(r->flame);
		r->records[r->nrecords++] = (struct record){
			.first = r->nframes, .value = { 1 },
		};
		return true;
	}
	if (!r->nrecords)
		return false;
	last = &r->records[r->nrecords - 1];
	if (fl_slice_is(s, "[same as previous thread]")) {
		if (r->nrecords > 1 && !last->count) {
			last->first = last[-1].first;
			last->count = last[-1].count;
		}
		return true;
	}
	if (fl_slice_starts(s, "creator:"))
		return take_creator(r, fl_slice_from(s, 8));
	return take_thread_frame(r, s);
}

/* The last line is half of a function's; whole ones have "file.go:12". */
static bool is_cut(const struct reader *r, struct slice line)
{
	size_t i = line.size;

	if (r->lines.ended || line.data[0] != '#' || !r->nrecords)
		return false;
	while (i && fl_is_digit(line.data[i - 1]))
		i--;
	return i == line.size || !i || line.data[i - 1] != ':';
}

static void read_all(struct reader *r)
{
	bool mapped = false;
	struct fl_maps_line map;
	struct slice line;

	while (!fl_failed(r->flame) && fl_lines_next(&r->lines, &line)) {
		if (!fl_slice_trim(line).size || begin_profile(r, line)) {
			mapped = false;
			continue;
		}
		/* The map of libraries, and Go's statistics. */
		mapped |= fl_slice_starts(line, "MAPPED_LIBRARIES:") ||
			  fl_slice_starts(line, "--- Memory map: ---");
		if (mapped && fl_maps_line(line, &map))
			fl_bare_add(&r->bare, &map, (struct slice){ "", 0 });
		if (mapped || fl_slice_starts(line, "# ") ||
		    fl_slice_starts(line, "#\tlabels"))
			continue;
		if (is_cut(r, line)) {
			r->nrecords--;
			fl_lines_bad(&r->lines, line);
			break;
		}
		if (r->kind == THREADS ? !take_thread(r, line) :
		    line.data[0] == '#' ? !take_symbol(r, line) :
		    !take_setting(r, line) && !take_record(r, line) &&
		    !take_name(r, line))
			fl_lines_bad(&r->lines, line);
		if (r->type.failed || r->buf.failed)
			fl_no_memory(r->flame);
	}
}

/* Samples ------------------------------------------------------------- */

static flame_id put_frames(struct reader *r, flame_id stack,
			   const struct frame_ref *f)
{
	const uint64_t *known = fl_map_get(&r->names, f->address);
	flame_id name = f->name ? f->name : known ? (flame_id)*known : 0;
	const flame_id *frames;
	char text[24];
	size_t n;

	if (!name && (n = fl_symbolize(&r->bare, f->address, &frames))) {
		while (n--)
			stack = flame_stack(r->flame, stack, frames[n]);
		return stack;
	}
	if (!name) {
		r->unnamed++;
		snprintf(text, sizeof(text), "0x%" PRIx64, f->address);
		name = fl_name(r->flame, text);
	}
	return flame_stack(r->flame, stack,
			   fl_frame(r->flame, name, FLAME_UNKNOWN));
}

static flame_id metric_of(struct reader *r, unsigned value)
{
	static const char *const heap[] = {
		"alloc_objects", "alloc_space", "inuse_objects", "inuse_space"
	};
	static const char *const plain[] = { "", "", "objects", "space" };
	const char *type = r->kind == CONTENTION ?
			   (value ? "delay" : "contentions") :
			   r->kind == COUNT || r->kind == THREADS ?
			   r->type.data :
			   r->both || r->java ? heap[value] : plain[value];
	const char *unit = r->kind == CONTENTION && value ? "nanoseconds" :
			   r->kind == HEAP && (value & 1) ? "bytes" : "count";

	return fl_typed_metric(r->flame,
			       (struct slice){ type, strlen(type) },
			       (struct slice){ unit, strlen(unit) });
}

static unsigned first_value(const struct reader *r)
{
	return r->kind == HEAP && !r->both ? 2 : 0;
}

static unsigned nvalues(const struct reader *r)
{
	return r->kind == HEAP ? 4 : r->kind == CONTENTION ? 2 : 1;
}

static bool emit(struct reader *r, struct flame_sample *sample)
{
	const struct record *record = &r->records[r->given];
	flame_id stack = 0;

	for (size_t i = record->count; i; i--)
		stack = put_frames(r, stack,
				   &r->frames[record->first + i - 1]);
	*sample = (struct flame_sample){
		.stack = stack, .metric = metric_of(r, r->value),
		.time = FLAME_NOTIME, .weight = record->value[r->value],
	};
	fl_metric_count(r->flame, sample->metric, 1, sample->weight);
	if (!stack)
		r->flame->metrics[sample->metric].no_stack++;
	r->lines.good++;
	if (++r->value == nvalues(r)) {
		r->value = first_value(r);
		r->given++;
	}
	return sample->weight != 0 && stack;
}

/* The row of formats.def ------------------------------------------------- */

static int read(struct flame_source *source)
{
	struct reader *r = source->state;
	struct flame_sample sample;
	bool is_sample;

	if (!r->read) {
		r->read = true;
		read_all(r);
		r->value = first_value(r);
		/* The metric made first is the default: the last, as in go. */
		if (r->nrecords)
			metric_of(r, nvalues(r) - 1);
	}
	while (r->given < r->nrecords && !fl_failed(r->flame)) {
		is_sample = emit(r, &sample);
		if (fl_failed(r->flame))
			break;
		if (is_sample)
			return fl_batch_add(source, &sample);
	}
	if (fl_failed(r->flame))
		return FLAME_FAILED;
	if (!fl_bare_report(&r->bare, fl_in_name(source->in)))
		fl_report_unnamed(source, r->unnamed, FL_PPROF_ADVICE);
	r->unnamed = 0;
	return fl_lines_end(source, &r->lines);
}

static int open_text(struct flame_source *source)
{
	struct reader *r = source->state;

	r->source = source;
	r->flame = source->flame;
	r->options = source->options;
	r->bare.flame = source->flame;
	r->bare.options = &r->options->names;
	r->lines.in = source->in;
	r->lines.source = source;
	fl_buf_text(&r->type, "");
	return r->type.failed ? fl_no_memory(source->flame) : FLAME_OK;
}

static void release(void *state)
{
	struct reader *r = state;

	fl_buf_free(&r->type);
	fl_buf_free(&r->buf);
	fl_map_free(&r->names);
	fl_bare_free(&r->bare);
	fl_free(r->frames);
	fl_free(r->records);
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	struct slice text = { (const char *)head, n };
	struct slice line = fl_slice_split(&text, '\n');
	const char *at;

	(void)whole;
	if (fl_slice_starts(line, "heap profile: ") ||
	    fl_slice_starts(line, "--- heapz 1 ---") ||
	    fl_slice_starts(line, "--- contention") ||
	    fl_slice_starts(line, "--- threadz ") ||
	    fl_slice_starts(line, "--- mutex:"))
		return 48;
	at = fl_slice_find(line, " profile: total ");
	return at && at != line.data &&
	       !memchr(line.data, ';', line.size) ? 40 : 0;
}

static const struct fl_option rows[] = {
	FL_OPTION_ROW_LINES(struct options),
	FL_OPTION_ROW_KALLSYMS(struct options),
	FL_OPTION_ROW_SYMFS(struct options),
	{ .name = NULL }
};

static const struct fl_option_table option_table = {
	.rows = rows, .size = sizeof(struct options),
};

const struct fl_format fl_format_pprof_text = {
	.name = "pprof-text",
	.summary = "Go's profiles with debug=1, gperftools' heaps",
	.probe = probe,
	.state_size = sizeof(struct reader),
	.open = open_text,
	.read = read,
	.release = release,
	.completes_late = true,
	.options = &option_table,
};
