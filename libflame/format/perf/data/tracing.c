/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the names of tracepoints from the tracing data of a recording, and sets
 * them in its attributes (fl_perf_take_tracing, for data.c and file.c).  The
 * data are files of text of the kernel, as trace-cmd writes them too, of which
 * the name and the number of each event are used.  A pipe has no other names of
 * them.
 */
#include "fl.h"

#include "format/perf/data/data.h"

enum { TRACEPOINT = 2, MAX_FORMATS = 1 << 14, MAX_NAMED = 1 << 12 };

/* A text that ends in NUL. */
static struct slice take_word(struct fl_perf_bytes *bytes)
{
	size_t n = strnlen((const char *)bytes->at,
			   (size_t)(bytes->end - bytes->at));
	const uint8_t *at = fl_perf_take(bytes, n + 1);

	return at ? (struct slice){ (const char *)at, n } : FL_SLICE("");
}

/* A file with its size in 8 bytes. */
static struct slice take_file(struct fl_perf_bytes *bytes)
{
	uint64_t n = fl_perf_take64(bytes);
	const uint8_t *at = fl_perf_take(bytes, n);

	return at ? (struct slice){ (const char *)at, n } : FL_SLICE("");
}

/* The rest of the line after "name: ". */
static struct slice field(struct slice file, const char *key)
{
	const char *at = fl_slice_find(file, key), *lf;
	struct slice line;

	if (!at)
		return FL_SLICE("");
	line = fl_slice_from(file, (size_t)(at - file.data) + strlen(key));
	lf = memchr(line.data, '\n', line.size);
	if (lf)
		line.size = (size_t)(lf - line.data);
	return line;
}

static void take_format(struct fl_perf_data *d, struct slice system,
			struct slice file)
{
	struct slice name = field(file, "name: ");
	struct fl_buf *buf = &d->text.naming.buf;
	int64_t id;

	if (!name.size || !fl_parse_digits(field(file, "ID: "), &id))
		return;
	buf->size = 0;
	fl_buf_put(buf, system.data, system.size);
	fl_buf_byte(buf, ':');
	fl_buf_put(buf, name.data, name.size);
	for (size_t i = 0; i < FL_MIN(d->nattrs, (size_t)MAX_NAMED); i++) {
		struct fl_perf_attr *attr = &d->attrs[i];

		if (attr->type != TRACEPOINT || attr->config != (uint64_t)id ||
		    attr->traced.size)
			continue;
		attr->traced.data = fl_arena_copy(&d->arena, buf->data,
						  buf->size);
		attr->traced.size = attr->traced.data ? buf->size : 0;
	}
}

/* "header_page" and "header_event", then formats of ftrace itself. */
static void skip_headers(struct fl_perf_bytes *bytes)
{
	for (unsigned i = 0; i < 2; i++) {
		take_word(bytes);
		take_file(bytes);
	}
	for (uint32_t n = fl_perf_take32(bytes); n && !bytes->cut; n--)
		take_file(bytes);
}

void fl_perf_take_tracing(struct fl_perf_data *d, struct fl_perf_bytes bytes)
{
	static const char magic[] = "\x17\x08\x44tracing";
	const uint8_t *at = fl_perf_take(&bytes, sizeof(magic) - 1);
	size_t formats = 0;

	if (!at || memcmp(at, magic, sizeof(magic) - 1) != 0)
		return;
	take_word(&bytes);
	/* The byte order, and the size of a long. */
	at = fl_perf_take(&bytes, 2);
	bytes.big = at && *at;
	fl_perf_take32(&bytes);
	skip_headers(&bytes);
	for (uint32_t n = fl_perf_take32(&bytes);
	     n && !bytes.cut && formats < MAX_FORMATS; n--) {
		struct slice system = take_word(&bytes);

		for (uint32_t m = fl_perf_take32(&bytes);
		     m && !bytes.cut && formats < MAX_FORMATS; m--, formats++)
			take_format(d, system, take_file(&bytes));
	}
}
