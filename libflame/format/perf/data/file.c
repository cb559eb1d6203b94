/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads what stands before and after the records of perf.data, for data.c.  A
 * file has a header with the places of its attributes and of its records
 * (fl_perf_data_header); after the records are the features: who recorded,
 * names of events, build ids (fl_perf_data_feature).  In a pipe all of them are
 * records.  Also has the functions that read numbers and texts of a record
 * (fl_perf_take).
 */
#include "fl.h"

#include "format/perf/data/data.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

enum { PIPE_HEADER = 16, OLD_HEADER = 72, FILE_HEADER = 104 };
enum { FEATURES = 256 };
/*
 * Of an input that cannot be read twice (packed, a URL): up to this size it is
 * read into memory until its features have been read.
 */
enum { MAX_HELD = 256 << 20 };

enum {
	TRACING_DATA = 1, BUILD_ID, HOSTNAME, OSRELEASE, VERSION, ARCH, NRCPUS, CPUDESC,
	CMDLINE = 11, EVENT_DESC, SAMPLE_TIME = 21
};

void fl_perf_data_damage(struct fl_perf_data *d, const char *format, ...)
{
	va_list args;

	if (d->damage[0])
		return;
	va_start(args, format);
	vsnprintf(d->damage, sizeof(d->damage), format, args);
	va_end(args);
}

const uint8_t *fl_perf_take(struct fl_perf_bytes *bytes, uint64_t n)
{
	const uint8_t *at = bytes->at;

	if (n > (uint64_t)(bytes->end - bytes->at)) {
		bytes->cut = true;
		bytes->at = bytes->end;
		return NULL;
	}
	bytes->at += n;
	return at;
}

uint64_t fl_perf_take64(struct fl_perf_bytes *bytes)
{
	const uint8_t *at = fl_perf_take(bytes, 8);

	return at ? fl_perf_u64(at, bytes->big) : 0;
}

uint32_t fl_perf_take32(struct fl_perf_bytes *bytes)
{
	const uint8_t *at = fl_perf_take(bytes, 4);

	return at ? fl_perf_u32(at, bytes->big) : 0;
}

struct slice fl_perf_take_text(struct fl_perf_bytes *bytes, uint64_t n)
{
	const char *at = (const char *)fl_perf_take(bytes, n);

	return at ? (struct slice){ at, strnlen(at, n) } :
		    (struct slice){ "", 0 };
}

const uint8_t *fl_perf_data_at(struct fl_perf_data *d, uint64_t offset,
			       uint64_t size)
{
	uint64_t have = d->end - d->start, skipped = d->offset - d->base;

	if (offset < skipped || offset - skipped > have ||
	    size > have - (offset - skipped))
		return NULL;
	return d->start + (offset - skipped);
}

/* Features ------------------------------------------------------------ */

/* A text with its size, padded. */
static struct slice take_string(struct fl_perf_bytes *bytes)
{
	uint32_t size = fl_perf_take32(bytes);

	return fl_perf_take_text(bytes, size);
}

static void take_fact(struct fl_perf_data *d, const char *key,
		      struct slice text)
{
	if (text.size && d->source->nfacts < FL_PERF_FACTS)
		fl_fact(d->source, key, "%.*s",
			(int)FL_MIN(text.size, (size_t)1024), text.data);
}

static void take_command(struct fl_perf_data *d, struct fl_perf_bytes bytes)
{
	uint32_t n = fl_perf_take32(&bytes);
	struct fl_buf line = { 0 };

	while (n-- && bytes.at < bytes.end && line.size < 1024) {
		struct slice word = take_string(&bytes);

		fl_buf_put(&line, word.data, word.size);
		fl_buf_byte(&line, ' ');
	}
	if (line.size)
		take_fact(d, "cmdline",
			  (struct slice){ line.data, line.size - 1 });
	fl_buf_free(&line);
}

/* Its attributes are those that are known, in their order. */
static void take_events(struct fl_perf_data *d, struct fl_perf_bytes bytes)
{
	uint32_t n = fl_perf_take32(&bytes), size = fl_perf_take32(&bytes);

	for (size_t i = 0; i < n && i < d->nattrs && !bytes.cut; i++) {
		const uint8_t *attr = fl_perf_take(&bytes, size);
		uint32_t nids = fl_perf_take32(&bytes);
		struct slice name = take_string(&bytes);
		const uint8_t *ids = fl_perf_take(&bytes, nids * UINT64_C(8));

		if (!attr || !ids || !name.size)
			break;
		if (d->attrs[i].name.size)
			continue;
		d->attrs[i].name.data = fl_arena_copy(&d->arena, name.data,
						      name.size);
		d->attrs[i].name.size = d->attrs[i].name.data ? name.size : 0;
	}
}

/* Header, pid, an id in 24 bytes, the name of the file. */
void fl_perf_take_build_id(struct fl_perf_data *d, const uint8_t *record)
{
	unsigned misc = fl_perf_u16(record + 4, d->big);
	unsigned size = fl_perf_u16(record + 6, d->big);
	struct slice name;

	if (size <= 36)
		return;
	name.data = (const char *)record + 36;
	name.size = strnlen(name.data, size - 36);
	if ((misc & PERF_MODE) == PERF_MODE_KERNEL && name.size)
		name = fl_perf_module_name(d, name);
	fl_perf_build_id(d, name, record + 12,
			 misc & PERF_MISC_BUILD_ID_SIZE ? record[32] : 20);
}

static void take_build_ids(struct fl_perf_data *d, struct fl_perf_bytes bytes)
{
	const uint8_t *at;

	while (bytes.end - bytes.at >= PERF_HEADER_SIZE) {
		at = bytes.at;
		if (!fl_perf_take(&bytes, FL_MAX(fl_perf_u16(at + 6, d->big),
						 PERF_HEADER_SIZE)))
			break;
		fl_perf_take_build_id(d, at);
	}
}

void fl_perf_data_feature(struct fl_perf_data *d, unsigned feature,
			  struct fl_perf_bytes bytes)
{
	struct flame_source *source = d->source;
	static const char *const texts[] = {
		[HOSTNAME] = "hostname", [OSRELEASE] = "os release",
		[VERSION] = "perf version", [ARCH] = "arch",
		[CPUDESC] = "cpudesc",
	};

	if (feature < FL_COUNT(texts) && texts[feature]) {
		struct slice text = take_string(&bytes);

		if (feature == ARCH)
			d->arch = fl_arena_copy(&d->arena, text.data,
						text.size);
		take_fact(d, texts[feature], text);
	} else if (feature == CMDLINE) {
		take_command(d, bytes);
	} else if (feature == EVENT_DESC) {
		take_events(d, bytes);
	} else if (feature == TRACING_DATA) {
		fl_perf_take_tracing(d, bytes);
	} else if (feature == BUILD_ID) {
		take_build_ids(d, bytes);
	} else if (feature == SAMPLE_TIME) {
		uint64_t first = fl_perf_take64(&bytes);
		uint64_t last = fl_perf_take64(&bytes);

		if (!bytes.cut && first <= last && last < INT64_MAX) {
			source->start = (int64_t)first;
			source->end = (int64_t)last;
		}
	}
}

/*
 * The sections after the records, one for each bit.  Big-endian machines of
 * 32 bits have other words: every file has a host's name.
 */
static void read_features(struct fl_perf_data *d, const uint8_t *bits,
			  uint64_t at)
{
	unsigned swap = !d->big ? 0 : bits[7] >> HOSTNAME & 1 ? 7 : 3;

	d->file_end = at;
	for (unsigned i = 0; i < FEATURES; i++) {
		const uint8_t *section, *data;
		uint64_t offset, size;

		if (!(bits[(i / 8) ^ swap] >> i % 8 & 1))
			continue;
		section = fl_perf_data_at(d, at, 16);
		if (!section)
			break;
		at += 16;
		offset = fl_perf_u64(section, d->big);
		size = fl_perf_u64(section + 8, d->big);
		data = fl_perf_data_at(d, offset, size);
		d->file_end = FL_MAX(d->file_end, at);
		if (!data)
			continue;
		fl_perf_data_feature(d, i, (struct fl_perf_bytes){
			.at = data, .end = data + size, .big = d->big });
		d->file_end = FL_MAX(d->file_end, offset + size);
	}
}

/* The header ---------------------------------------------------------- */

struct header {
	uint64_t size, attr_size, attrs, attrs_size, data, data_size;
};

static void read_ids(struct fl_perf_data *d, const uint8_t *section)
{
	uint64_t offset = fl_perf_u64(section, d->big);
	uint64_t size = fl_perf_u64(section + 8, d->big);
	const uint8_t *ids = fl_perf_data_at(d, offset, size);

	if (ids)
		fl_perf_attr_ids(d, d->nattrs - 1, (struct fl_perf_bytes){
			.at = ids, .end = ids + size, .big = d->big });
}

static bool read_attrs(struct fl_perf_data *d, const struct header *h)
{
	uint64_t n = h->attr_size > 16 ? h->attrs_size / h->attr_size : 0;

	for (uint64_t i = 0; i < n; i++) {
		const uint8_t *at = fl_perf_data_at(
			d, h->attrs + i * h->attr_size, h->attr_size);
		const uint8_t *end = at ? at + h->attr_size - 16 : NULL;

		if (!at || !fl_perf_attr_add(d, (struct fl_perf_bytes){
				.at = at, .end = end, .big = d->big }))
			return false;
		read_ids(d, end);
	}
	return n > 0;
}

/*
 * All of the input where it is in memory; else the bytes up to the
 * records, and then names of events are perf's defaults.
 */
static bool hold(struct fl_perf_data *d, const struct header *h)
{
	uint64_t end = h->data + h->data_size;

	if (h->data > MAX_HELD || end < h->data)
		return false;
	if (d->stable || (h->data_size && end <= MAX_HELD))
		fl_perf_data_peek(d, SIZE_MAX);
	return fl_perf_data_peek(d, h->data);
}

static bool read_file_header(struct fl_perf_data *d)
{
	uint8_t bits[FEATURES / 8] = { 0 };
	const uint8_t *at = d->at;
	struct header h;

	h.size = fl_perf_u64(at + 8, d->big);
	h.attr_size = fl_perf_u64(at + 16, d->big);
	h.attrs = fl_perf_u64(at + 24, d->big);
	h.attrs_size = fl_perf_u64(at + 32, d->big);
	h.data = fl_perf_u64(at + 40, d->big);
	h.data_size = fl_perf_u64(at + 48, d->big);
	if (h.size >= FILE_HEADER)
		memcpy(bits, at + OLD_HEADER, sizeof(bits));
	if (h.data < OLD_HEADER || !hold(d, &h) || !read_attrs(d, &h)) {
		fl_perf_data_damage(d, "its attributes, at byte %" PRIu64
				    ", are not all there", h.attrs);
		return false;
	}
	d->data_end = UINT64_MAX;
	if (h.data_size) {
		d->data_end = h.data + h.data_size;
		read_features(d, bits, d->data_end);
	} else {
		fl_perf_data_damage(d, "perf record was ended before it had "
				    "finished its header: names of events are "
				    "not known");
	}
	d->at += h.data;
	return true;
}

bool fl_perf_data_header(struct fl_perf_data *d)
{
	uint64_t size;

	d->base = d->offset + (d->at - d->start);
	if (!fl_perf_data_peek(d, PIPE_HEADER)) {
		fl_perf_data_damage(d, "it ends within its header");
		return false;
	}
	d->big = *d->at == '2' || *d->at == 'E';
	size = fl_perf_u64(d->at + 8, d->big);
	/* "PERFFILE" is the same in both orders. */
	if (size >> 32) {
		d->big = !d->big;
		size = fl_perf_u64(d->at + 8, d->big);
	}
	d->pipe = size == PIPE_HEADER;
	if (d->pipe) {
		d->at += PIPE_HEADER;
		d->data_end = d->file_end = UINT64_MAX;
		return true;
	}
	if (size < OLD_HEADER || !fl_perf_data_peek(d, size)) {
		fl_perf_data_damage(d, size < OLD_HEADER ?
				    "its header has an unknown size" :
				    "it ends within its header");
		return false;
	}
	return read_file_header(d);
}
