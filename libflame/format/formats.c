/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of formats, which formats.def fills, and the functions that search
 * it.  fl_format_detect() chooses the reader of an input for flow/source.c: the
 * format whose probe checked most bits of the input's head wins; names of files
 * do not count.  flame_create() makes the writer of an output.  flame_rows()
 * lists formats, filters, options and colour schemes for the tools.
 */
#include "fl.h"

#include "format/formats.h"
#include "format/unreadable.h"
#include "io/json.h"
#include "remote/upload.h"
#include "filter/filter.h"
#include "tree/tree.h"
#include "draw/draw.h"

#include <stdio.h>

const struct fl_format *const fl_formats[] = {
#define FORMAT(name) &fl_format_##name,
#include "format/formats.def"
#undef FORMAT
	NULL
};

enum {	/* bits */
	KNOWN = 2,
	WEAK = 8	/* or less: other text could look like this */
};

/* "jfr, folded": those that can be written. */
static void list_written(struct fl_buf *buf)
{
	for (size_t i = 0; fl_formats[i]; i++)
		if (fl_formats[i]->create)
			fl_buf_print(buf, "%s%s", buf->size ? ", " : "",
				     fl_formats[i]->name);
}

/* A format that is read and has nearly the same name, or NULL. */
static const char *nearest_read(const char *name)
{
	const char *names[FL_COUNT(fl_formats)];
	size_t n = 0;

	for (size_t i = 0; fl_formats[i]; i++)
		if (fl_formats[i]->probe)
			names[n++] = fl_formats[i]->name;
	return flame_nearest(name, names, n);
}

/* There are too many formats that are read to list them in a line. */
static void refuse_name(struct flame *flame, const char *name, bool writing)
{
	const char *near = writing ? NULL : nearest_read(name);
	struct fl_buf known = { 0 };

	if (writing)
		list_written(&known);
	if (writing)
		fl_fail(flame, "%s: no such format to write; there are %s",
			name, known.data ? known.data : "none");
	else
		fl_fail(flame, "%s: no such format to read%s%s%s; "
			"libflame-formats(5) lists them", name,
			near ? " (did you mean " : "", near ? near : "",
			near ? "?)" : "");
	fl_buf_free(&known);
}

/* The first bytes of the input, for the message about an unknown format. */
static void show(struct fl_buf *buf, const uint8_t *head, size_t n)
{
	for (size_t i = 0; i < n && i < 24; i++) {
		if (head[i] >= 0x20 && head[i] < 0x7f)
			fl_buf_byte(buf, head[i]);
		else
			fl_buf_print(buf, "\\x%02x", head[i]);
	}
}

static const struct fl_format *bid(const uint8_t *head, size_t n, bool whole,
				   bool *more, int *most_bits)
{
	const struct fl_format *best = NULL;
	bool json = fl_json_begins(head, n);
	int most = 0;

	*more = false;
	for (size_t i = 0; fl_formats[i] && most < FL_FORMAT_CERTAIN; i++) {
		const struct fl_format *f = fl_formats[i];
		int bits = f->probe && (f->json || !json) ?
			   f->probe(head, n, whole) : 0;

		if (bits < 0)
			*more = true;
		if (bits > most) {
			most = bits;
			best = f;
		}
	}
	*most_bits = most;
	/*
	 * A weak match waits for more bytes, as another format may match
	 * better.
	 */
	return *more && most < KNOWN && !whole ? NULL : best;
}

int fl_format_bits(const uint8_t *head, size_t n, bool whole)
{
	bool more;
	int bits;

	bid(head, n, whole, &more, &bits);
	return bits;
}

/* Why no format reads the input. */
static void refuse(struct flame *flame, struct fl_in *in, const uint8_t *head,
		   size_t n)
{
	struct fl_unreadable found;
	struct fl_buf seen = { 0 };

	if (!n && fl_in_damage(in)) {
		fl_fail(flame, "%s: %s", fl_in_name(in), fl_in_damage(in));
		return;
	}
	if (fl_unreadable_find(head, n, false, &found)) {
		fl_unreadable_say(&seen, &found, fl_in_name(in));
		fl_fail(flame, "%s: %.*s", fl_in_name(in), (int)seen.size,
			seen.data ? seen.data : "");
	} else {
		show(&seen, head, n);
		fl_fail(flame, "%s: not a profile of a known format: it "
			"begins with \"%.*s\"; libflame-formats(5) lists "
			"what is read", fl_in_name(in), (int)seen.size,
			seen.data ? seen.data : "");
	}
	fl_buf_free(&seen);
}

enum { LONG_LINE = 1 << 20, MAX_LINE = 64 << 20 };	/* bytes */

/* JSON and markup may be one line; "{a", "[x" and "<" without ">" are neither. */
static bool may_be_one_line(const uint8_t *head, size_t n)
{
	char next = n > 1 ? (char)head[1] : ' ';

	switch (head[0]) {
	case '{':
		return memchr("\" \t\r}", next, 5);
	case '[':
		return memchr("{[\" \t\r]-0123456789", next, 18);
	case '<':
		return memchr(head, '>', FL_MIN(n, 4096));
	}
	return false;
}

/* A line that is too long for all readers of text is detected here, once. */
static bool is_endless(struct flame *flame, struct fl_in *in,
		       const uint8_t *head, size_t n)
{
	if (may_be_one_line(head, n) || memchr(head, '\n', n))
		return false;
	head = fl_in_peek(in, MAX_LINE, &n);
	if (n < MAX_LINE || memchr(head, '\n', MAX_LINE))
		return false;
	fl_fail(flame, "%s: no line end in the first %d MB: not a profile",
		fl_in_name(in), MAX_LINE >> 20);
	return true;
}

/* Empty lines alone are of no format, and each probe would look at each. */
static bool is_blank(const uint8_t *head, size_t n)
{
	size_t i = 0;

	while (i < n && (head[i] == '\n' || head[i] == '\r'))
		i++;
	return n && i == n;
}

const struct fl_format *fl_format_detect(struct flame *flame, struct fl_in *in)
{
	const struct fl_format *format;
	struct fl_unreadable found;
	size_t want = 4096, n;
	const uint8_t *head;
	int bits;
	bool more = true;

	for (;;) {
		/* However much there is: all kinds of input are one. */
		head = fl_in_peek(in, want, &n);
		format = is_blank(head, FL_MIN(n, want)) ? NULL :
			 bid(head, FL_MIN(n, want), n < want, &more, &bits);
		if (format && bits <= WEAK &&
		    fl_unreadable_find(head, FL_MIN(n, want), true, &found))
			format = NULL;
		if (format)
			return format;
		if (!more || n < want)
			break;
		if (want >= LONG_LINE && is_endless(flame, in, head, n))
			return NULL;
		want *= 4;
	}
	if (fl_is_empty(in))
		return &fl_format_empty;
	head = fl_in_peek(in, want, &n);
	refuse(flame, in, head, n);
	return NULL;
}

const struct fl_format *fl_format_named(struct flame *flame, const char *name,
					bool writing)
{
	if (strcmp(name, "collapsed") == 0)
		name = "folded";
	for (size_t i = 0; fl_formats[i]; i++) {
		const struct fl_format *f = fl_formats[i];

		if (strcmp(f->name, name) == 0 &&
		    (writing ? f->create != NULL : f->probe != NULL))
			return f;
	}
	refuse_name(flame, name, writing);
	return NULL;
}

int flame_format_check(struct flame *flame, const char *name)
{
	return fl_format_named(flame, name, false) ? FLAME_OK : FLAME_FAILED;
}

unsigned flame_format_facts(const char *format)
{
	for (size_t i = 0; format && fl_formats[i]; i++)
		if (fl_formats[i]->create &&
		    strcmp(fl_formats[i]->name, format) == 0)
			return fl_formats[i]->facts;
	return 0;
}

/* By the first n bytes of a name. */
static const char *format_of(const char *path, size_t n)
{
	for (size_t i = 0; fl_formats[i]; i++) {
		const char *at = fl_formats[i]->suffixes;

		while (fl_formats[i]->create && at && *at) {
			size_t m = strcspn(at, " ");

			if (n > m && memcmp(path + n - m, at, m) == 0)
				return fl_formats[i]->name;
			at += m + (at[m] == ' ');
		}
	}
	return NULL;
}

/* "x.folded.gz" is folded, packed; "x.pb.gz" has a row of its own. */
const char *flame_format_of(const char *path)
{
	const char *format = path ? format_of(path, strlen(path)) : NULL;
	size_t bare = path ? fl_out_bare_size(path) : 0;

	if (path && fl_upload_url(path))
		return fl_format_otlp.name;
	return format || !bare ? format : format_of(path, bare);
}

struct flame_sink *flame_create(struct flame *flame, const char *path,
				const char *format)
{
	const struct fl_format *f;
	struct fl_out *out;

	if (!flame || !path) {
		fl_fail(flame, "no path of an output");
		return NULL;
	}
	if (!format)
		format = flame_format_of(path);
	if (!format) {
		fl_fail(flame, "%s: its ending names no format: end it in "
			".html, .svg or .folded, or name a format", path);
		return NULL;
	}
	f = fl_format_named(flame, format, true);
	if (!f)
		return NULL;
	if (!fl_upload_url(path)) {
		out = fl_out_open(flame, path);
	} else if (f == &fl_format_otlp) {
		out = fl_out_upload(flame, path);
	} else {
		fl_fail(flame, "%s is not sent: only -f otlp is, to "
			"otlp+http:// and otlp+https://", f->name);
		return NULL;
	}
	return out ? f->create(flame, out) : NULL;
}

struct flame_sink *flame_create_callback(struct flame *flame,
					 const char *format,
					 int (*write)(void *arg,
						      const void *data,
						      size_t size),
					 void *arg)
{
	const struct fl_format *f;
	struct fl_out *out;

	if (!flame || !format || !write) {
		fl_fail(flame, "no format or no function of an output");
		return NULL;
	}
	f = fl_format_named(flame, format, true);
	out = f ? fl_out_callback(flame, write, arg) : NULL;
	return out ? f->create(flame, out) : NULL;
}

static int format_row(enum flame_row_kind kind, unsigned index, struct flame_row *row)
{
	for (unsigned i = 0; fl_formats[i]; i++) {
		if (kind == FLAME_ROW_INPUT ? !fl_formats[i]->probe :
					      !fl_formats[i]->create)
			continue;
		if (index--)
			continue;
		row->name = fl_formats[i]->name;
		row->summary = fl_formats[i]->summary;
		return 1;
	}
	return 0;
}

static int filter_row(unsigned index, struct flame_row *row)
{
	const struct fl_filter *filter;
	unsigned i = 0;

	while (fl_filters[i] && i < index)
		i++;
	filter = fl_filters[i];
	if (!filter)
		return 0;
	row->name = filter->name;
	row->argument = filter->argument;
	row->summary = filter->summary;
	row->rank = filter->rank;
	row->joins = filter->joins;
	row->hidden = filter->compat;
	return 1;
}

static int scheme_row(unsigned index, struct flame_row *row)
{
	unsigned i = 0;

	while (fl_schemes[i] && i < index)
		i++;
	if (!fl_schemes[i])
		return 0;
	row->name = fl_schemes[i]->name;
	row->summary = fl_schemes[i]->summary;
	return 1;
}

static const struct fl_option *row_in(const struct fl_option_table *table,
				      enum fl_option_scope scope,
				      unsigned *index)
{
	const struct fl_option *row = table ? table->rows : NULL;

	for (; row && row->name; row++)
		if (row->scope == scope && !(*index)--)
			return row;
	return NULL;
}

static int option_row(const struct fl_option *o, struct flame_row *row)
{
	if (!o)
		return 0;
	row->name = o->name;
	row->argument = o->argument;
	row->summary = o->summary;
	return 1;
}

/* The option of a source, or of one format. */
static const struct fl_option *source_option(const char *name)
{
	const struct fl_option *o = fl_option_find(&fl_select_table, name);

	for (unsigned i = 0; !o && fl_formats[i]; i++)
		o = fl_option_find(fl_formats[i]->options, name);
	return o;
}

bool flame_row_facts(enum flame_row_kind kind, const char *name,
		     struct flame_row_facts *facts)
{
	const struct fl_option *o = NULL;
	const struct fl_filter *f = NULL;

	if (kind == FLAME_ROW_FILTER)
		f = fl_filter_named(name);
	else if (kind == FLAME_ROW_SELECTION || kind == FLAME_ROW_INPUT_DETAIL)
		o = source_option(name);
	else if (kind == FLAME_ROW_WRITER || kind == FLAME_ROW_PICTURE_DETAIL)
		o = fl_option_find(&fl_page_table, name);
	*facts = f ? (struct flame_row_facts){ f->selects, f->unless,
					       f->often } :
		 o ? (struct flame_row_facts){ o->selects, NULL, o->often } :
		     (struct flame_row_facts){ .often = false };
	return f || o;
}

static int page_row(enum fl_option_scope scope, unsigned index,
		    struct flame_row *row)
{
	return option_row(row_in(&fl_page_table, scope, &index), row);
}

/* Formats share option names: list only the first row of each name. */
static bool is_repeated(unsigned format, const char *name)
{
	for (unsigned i = 0; i < format; i++)
		if (fl_option_find(fl_formats[i]->options, name))
			return true;
	return false;
}

/* Options of all sources, then those of each format. */
static int source_row(enum fl_option_scope scope, unsigned index,
		      struct flame_row *row)
{
	const struct fl_option *o = row_in(&fl_select_table, scope, &index);

	for (unsigned i = 0; !o && fl_formats[i]; i++) {
		const struct fl_option_table *table = fl_formats[i]->options;

		for (o = table ? table->rows : NULL; o && o->name; o++)
			if (o->scope == scope && !is_repeated(i, o->name) &&
			    !index--)
				return option_row(o, row);
		o = NULL;
	}
	return option_row(o, row);
}

/* Rows for the tools: of sources, pages, filters, colours and formats. */
int flame_rows(enum flame_row_kind kind, unsigned index, struct flame_row *row)
{
	if (!row)
		return 0;
	memset(row, 0, sizeof(*row));
	row->kind = kind;
	switch (kind) {
	case FLAME_ROW_SELECTION:
		return source_row(FL_SCOPE_ALL, index, row);
	case FLAME_ROW_INPUT_DETAIL:
		return source_row(FL_SCOPE_DETAIL, index, row);
	case FLAME_ROW_WRITER:
		return page_row(FL_SCOPE_ALL, index, row);
	case FLAME_ROW_PICTURE_DETAIL:
		return page_row(FL_SCOPE_DETAIL, index, row);
	case FLAME_ROW_FILTER:
		return filter_row(index, row);
	case FLAME_ROW_COLORS:
		return scheme_row(index, row);
	case FLAME_ROW_INPUT:
	case FLAME_ROW_OUTPUT:
		return format_row(kind, index, row);
	}
	return 0;
}
