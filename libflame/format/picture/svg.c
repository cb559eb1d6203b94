/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Format svg: reads the drawn frames of an SVG flame graph and returns the
 * samples that it was drawn from (place.c, counts.c).  It reads flamegraph.pl's
 * of all ages, inferno's (and so py-spy's and cargo's), async-profiler 1.x's,
 * and ours.  A frame is a rect with a title: its own, that of the g or a around
 * it, or what it shows under the mouse.
 */
#include "fl.h"

#include "base/late.h"
#include "format/picture/picture.h"
#include "tree/tree.h"

#include <errno.h>
#include <inttypes.h>
#include <libxml/parser.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define LIBXML2(f) \
	f(xmlCreatePushParserCtxt) f(xmlCtxtGetLastError) \
	f(xmlCtxtUseOptions) f(xmlFreeDoc) f(xmlFreeParserCtxt) \
	f(xmlInitParser) f(xmlParseChunk) f(xmlSetGenericErrorFunc)

FL_LATE_STRUCT(xml, LIBXML2);
static FL_LATE(xml, LIBXML2, LIBXML2_FILE, "svg", "reads SVG pictures");

/* Errors of the text are asked for; others would go to standard error. */
static void ignore_error(void *arg, const char *format, ...)
{
	(void)arg;
	if (strstr(format, "emory"))
		fl_memory_failed();
}

/* Initialises libxml2 once: several threads may read pictures. */
static void init_xml(void)
{
	/* What fails in there is said by it, too. */
	xml.xmlSetGenericErrorFunc(NULL, ignore_error);
	xml.xmlInitParser();
}

enum { MAX_TAG_MB = 16, CHUNK = 64 << 10, FORGET = 1 << 20 };

struct svg {
	struct flame *flame;
	struct fl_in *in;
	struct fl_boxes boxes;
	struct fl_counts counts;
	size_t counted;		/* frames whose title has a count */
	size_t exact;		/* with places in samples */
	size_t bad;		/* frames without a place */
	unsigned decimals;	/* of places */
	bool compares, ours, read;
	bool other_encoding;	/* than UTF-8 */
	struct fl_buf unit, metric;
	int64_t cut;		/* ours: weight that was not drawn */
	/* The parser's position. */
	unsigned depth;		/* of open elements */
	unsigned holder;	/* of the g, a or rect begun last, or 0 */
	unsigned in_title;	/* of the title that is open, or 0 */
	unsigned titled;	/* of what the last title is of, or 0 */
	unsigned waiting;	/* of a rect that has no title yet, or 0 */
	unsigned in_heading;	/* of the text that is the picture's title */
	struct fl_buf title, heading;
	struct fl_buf run;	/* ours: types of a run's frames, or empty */
	struct fl_box box;
	enum flame_type type;
	unsigned group;		/* ours: of the g of one type, or 0 */
	enum flame_type group_type;
	bool is_exact, is_bad;
};

/* Frames ------------------------------------------------------------------ */

static flame_id frame_of(struct svg *svg, struct slice name)
{
	if (!svg->ours)
		return fl_picture_frame(svg->flame, name);
	return fl_frame(svg->flame,
			flame_name(svg->flame, name.data, name.size),
			svg->type);
}

static enum flame_type type_of_letter(char letter)
{
	static const char letters[] = FL_TYPE_LETTERS;
	const char *at = memchr(letters, letter, sizeof(letters) - 1);

	return at ? (enum flame_type)(at - letters) : FLAME_UNKNOWN;
}

/* Cuts the next name off "a → b → c"; false: that was the last. */
static bool next_of_run(struct slice *rest, struct slice *name)
{
	static const char arrow[] = " → ";
	size_t n = sizeof(arrow) - 1;
	const char *at = memmem(rest->data, rest->size, arrow, n);

	*name = *rest;
	if (!at)
		return false;
	name->size = at - rest->data;
	rest->size -= name->size + n;
	rest->data = at + n;
	return true;
}

/* The names of a run are the frames of its box, if there is a type for each. */
static bool add_run(struct svg *svg, struct slice text)
{
	struct fl_boxes *b = &svg->boxes;
	struct slice rest = text, name;
	const char *types = svg->run.data;
	size_t n = 1, k = 0;
	bool more = true;

	while (next_of_run(&rest, &name))
		n++;
	if (n != svg->run.size || n < 2)
		return false;
	if (b->nrun + n >= FL_NO_BOX ||
	    !fl_grow(&b->run, &b->run_capacity, b->nrun + n, sizeof(*b->run))) {
		fl_no_memory(svg->flame);
		return true;
	}
	svg->box.run = b->nrun + 1;
	for (rest = text; more; k++) {
		flame_id frame;

		more = next_of_run(&rest, &name);
		svg->type = type_of_letter(types[k]);
		frame = frame_of(svg, name);
		if (k)
			b->run[b->nrun++] = frame;
		else
			svg->box.frame = frame;
	}
	b->run[b->nrun++] = 0;
	return true;
}

static void add_frame(struct svg *svg)
{
	struct fl_boxes *b = &svg->boxes;
	struct fl_title t = fl_title_read((struct slice){
		svg->title.data ? svg->title.data : "", svg->title.size });

	if (svg->is_bad) {
		svg->bad++;
		return;
	}
	if (t.count >= 0 && !svg->counted++)
		fl_buf_put(&svg->unit, t.unit.data, t.unit.size);
	svg->compares |= t.compares;
	svg->exact += svg->is_exact;
	svg->box.count = t.count;
	if (!svg->run.size || !svg->ours || !add_run(svg, t.name))
		svg->box.frame = frame_of(svg, t.name);
	svg->box.parent = svg->box.child = svg->box.sibling = FL_NO_BOX;
	if (b->n >= FL_NO_BOX - 1 ||
	    !fl_grow(&b->at, &b->capacity, b->n + 1, sizeof(*b->at))) {
		fl_no_memory(svg->flame);
		return;
	}
	b->at[b->n++] = svg->box;
}

/* An attribute's text: the parser returns &amp; as &#38; */
static void take_text(struct fl_buf *buf, struct slice text, bool script)
{
	buf->size = 0;
	fl_buf_text(buf, "");
	for (size_t i = 0; i < text.size; i++) {
		struct slice rest = { text.data + i, text.size - i };

		if (fl_slice_starts(rest, "&#38;")) {
			fl_buf_byte(buf, '&');
			i += 4;
			continue;
		}
		i += script && (fl_slice_starts(rest, "\\'") ||
				fl_slice_starts(rest, "\\\\"));
		fl_buf_byte(buf, text.data[i]);
	}
}

/* The argument of s('...'). */
static bool take_tip(struct svg *svg, struct slice tip)
{
	if (tip.size < 6 || !fl_slice_starts(tip, "s('") ||
	    !fl_slice_ends(tip, "')"))
		return false;
	take_text(&svg->title, (struct slice){ tip.data + 3, tip.size - 5 },
		  true);
	return true;
}

/* "c3 j": a colour, and how it ran. */
static enum flame_type type_of(struct slice classes)
{
	if (classes.size < 3 || classes.data[classes.size - 2] != ' ')
		return FLAME_UNKNOWN;
	return type_of_letter(classes.data[classes.size - 1]);
}

/* Elements ---------------------------------------------------------------- */

struct attributes {
	const xmlChar **at;
	int n;
};

static struct slice attribute(const struct attributes *list,
			      const char *prefix, const char *name)
{
	for (int i = 0; i < list->n; i++) {
		const xmlChar **a = &list->at[5 * i];
		const char *has = (const char *)a[1];

		if (strcmp((const char *)a[0], name) == 0 &&
		    (has ? prefix && strcmp(has, prefix) == 0 : !prefix))
			return (struct slice){ (const char *)a[3],
					       (size_t)(a[4] - a[3]) };
	}
	return (struct slice){ NULL, 0 };
}

static bool place(struct svg *svg, const struct attributes *list,
		  const char *prefix, const char *x, const char *width)
{
	struct slice at = attribute(list, prefix, x);
	struct slice wide = attribute(list, prefix, width);
	unsigned n, m;

	if (!at.data || !wide.data || !fl_decimal(at, &svg->box.x, &n) ||
	    !fl_decimal(wide, &svg->box.width, &m))
		return false;
	svg->decimals = FL_MAX(svg->decimals, FL_MAX(n, m));
	return true;
}

static void begin_rect(struct svg *svg, const struct attributes *list)
{
	struct slice tip = attribute(list, NULL, "onmouseover");
	struct slice run = attribute(list, NULL, "data-run");
	unsigned decimals;

	svg->box = (struct fl_box){ 0 };
	svg->run.size = 0;
	fl_buf_put(&svg->run, run.data, run.size);
	svg->type = type_of(attribute(list, NULL, "class"));
	if (svg->group)
		svg->type = svg->group_type;
	svg->is_exact = place(svg, list, "fg", "x", "w");
	svg->is_bad = !svg->is_exact && !place(svg, list, NULL, "x", "width");
	svg->is_bad |= !fl_decimal(attribute(list, NULL, "y"), &svg->box.y,
				   &decimals);
	if (take_tip(svg, tip)) {
		add_frame(svg);
	} else if (svg->titled && svg->titled == svg->depth - 1) {
		add_frame(svg);
		svg->titled = 0;
	} else {
		svg->waiting = svg->depth;
	}
}

/* Frames of one colour and type may be grouped in a g that has both. */
static void begin_group(struct svg *svg, const struct attributes *list)
{
	struct slice classes = attribute(list, NULL, "class");

	if (!svg->ours || !classes.size)
		return;
	svg->group = svg->depth;
	svg->group_type = type_of(classes);
}

/* Metadata of our own pictures. */
static void begin_svg(struct svg *svg, const struct attributes *list)
{
	struct slice cut = attribute(list, NULL, "data-cut");

	if (!fl_parse_int(cut.data ? cut : FL_SLICE(""), &svg->cut) ||
	    svg->cut < 0)
		return;
	svg->ours = true;
	take_text(&svg->metric, attribute(list, NULL, "data-metric"),
		  false);
}

static void start_element(void *arg, const xmlChar *name,
			  const xmlChar *prefix, const xmlChar *uri,
			  int nspaces, const xmlChar **spaces, int n,
			  int ndefaulted, const xmlChar **at)
{
	struct svg *svg = arg;
	struct slice is = { (const char *)name, strlen((const char *)name) };
	struct attributes list = { at, n };

	(void)prefix, (void)uri, (void)nspaces, (void)spaces;
	(void)ndefaulted;
	svg->depth++;
	if (fl_slice_is(is, "title")) {
		if (svg->holder && svg->holder == svg->depth - 1) {
			svg->in_title = svg->depth;
			svg->title.size = 0;
		}
		return;
	}
	svg->holder = 0;
	if (fl_slice_is(is, "g") || fl_slice_is(is, "a")) {
		svg->holder = svg->depth;
		begin_group(svg, &list);
	} else if (fl_slice_is(is, "rect")) {
		svg->holder = svg->depth;
		begin_rect(svg, &list);
	} else if (fl_slice_is(is, "svg")) {
		begin_svg(svg, &list);
	} else if (fl_slice_is(is, "text") && !svg->heading.size &&
		   fl_slice_is(attribute(&list, NULL, "id"), "title")) {
		svg->in_heading = svg->depth;
	}
}

static void end_element(void *arg, const xmlChar *name, const xmlChar *prefix,
			const xmlChar *uri)
{
	struct svg *svg = arg;

	(void)name, (void)prefix, (void)uri;
	if (svg->in_title == svg->depth) {
		svg->in_title = 0;
		svg->titled = svg->depth - 1;
		if (svg->waiting == svg->titled)
			add_frame(svg);
	} else if (svg->titled == svg->depth) {
		svg->titled = 0;
	}
	if (svg->waiting == svg->depth)
		svg->waiting = 0;
	if (svg->in_heading == svg->depth)
		svg->in_heading = 0;
	if (svg->holder == svg->depth)
		svg->holder = 0;
	if (svg->group == svg->depth)
		svg->group = 0;
	svg->depth--;
}

/* Whether one tag or text is too long: libxml2 is very slow on large tags. */
static bool is_too_long(struct fl_in *in, size_t size)
{
	if (fl_likely(size <= (size_t)MAX_TAG_MB << 20))
		return false;
	if (!fl_in_is_refused(in))
		fl_in_refuse(in, "a tag or text longer than %d MB reaches byte "
			     "%" PRIu64 ": reading stops there", MAX_TAG_MB,
			     fl_in_offset(in));
	return true;
}

static void characters(void *arg, const xmlChar *text, int n)
{
	struct svg *svg = arg;
	size_t size = svg->in_title ? svg->title.size : svg->heading.size;

	if (is_too_long(svg->in, size))
		return;
	if (svg->in_title)
		fl_buf_put(&svg->title, (const char *)text, (size_t)n);
	else if (svg->in_heading)
		fl_buf_put(&svg->heading, (const char *)text, (size_t)n);
}

/* Bytes ------------------------------------------------------------------- */

/*
 * The number of bytes that can be passed to the parser: control bytes and
 * invalid UTF-8 would stop it.  *hold: the rest begins a character.
 */
static size_t clean(const struct svg *svg, const uint8_t *at, size_t n,
		    bool *hold)
{
	size_t i = 0;

	*hold = false;
	while (i < n) {
		unsigned length = 1;
		uint8_t c = at[i];

		if (c < 0x20 && c != '\t' && c != '\n' && c != '\r')
			break;
		if (c >= 0x80 && !svg->other_encoding) {
			length = fl_utf8_length((const char *)at + i, n - i);
			*hold = !length && c >= 0xc2 && n - i < 4;
			if (!length ||
			    (length == 3 && c == 0xef && at[i + 1] == 0xbf &&
			     at[i + 2] >= 0xbe))
				break;
		}
		i += length;
	}
	return i;
}

static bool parse(struct fl_in *in, xmlParserCtxtPtr parser, const void *at,
		  size_t n)
{
	errno = 0;
	while (n && parser->wellFormed) {
		int part = (int)FL_MIN(n, (size_t)CHUNK);

		xml.xmlParseChunk(parser, at, part, 0);
		at = (const char *)at + part;
		n -= (size_t)part;
		/* libxml2 holds a tag or a comment until its end comes. */
		if (parser->input &&
		    is_too_long(in, (size_t)(parser->input->end -
					     parser->input->cur)))
			return false;
	}
	/* libxml2 does not report every failure for want of memory. */
	if (errno == ENOMEM)
		fl_memory_failed();
	return parser->wellFormed;
}

/* <?xml version="1.0" encoding="..."?> */
static bool has_other_encoding(struct fl_in *in)
{
	size_t n;
	const char *head = (const char *)fl_in_peek(in, 256, &n), *end, *at;
	struct slice rest;

	end = n ? memchr(head, '>', FL_MIN(n, 256)) : NULL;
	at = end ? memmem(head, end - head, "encoding=", 9) : NULL;
	if (!at || end - at < 12)
		return false;
	rest = (struct slice){ at + 10, end - at - 10 };
	return !fl_slice_starts(rest, "UTF-8") &&
	       !fl_slice_starts(rest, "utf-8") &&
	       !fl_slice_starts(rest, "utf8") &&
	       !fl_slice_starts(rest, "US-ASCII");
}

static void read_all(struct svg *svg, xmlParserCtxtPtr parser)
{
	uint64_t next_forget = FORGET;
	const uint8_t *at;
	size_t n, want = 1;
	bool hold;

	while ((at = fl_in_peek(svg->in, want, &n)) && n &&
	       !fl_failed(svg->flame)) {
		bool last = n < want;
		size_t good;

		n = FL_MIN(n, (size_t)CHUNK);
		good = clean(svg, at, n, &hold);
		if (!parse(svg->in, parser, at, good))
			break;
		fl_in_consume(svg->in, good);
		want = 1;
		if (good < n && hold && !last) {
			want = 4;
		} else if (good < n) {
			if (!parse(svg->in, parser,
				   svg->other_encoding ? "?" : "\xef\xbf\xbd",
				   svg->other_encoding ? 1 : 3))
				break;
			fl_in_consume(svg->in, 1);
		}
		if (fl_in_offset(svg->in) >= next_forget) {
			next_forget = fl_in_offset(svg->in) + FORGET;
			fl_in_release(svg->in, fl_in_offset(svg->in));
		}
	}
	if (parser->wellFormed && !fl_in_is_refused(svg->in))
		xml.xmlParseChunk(parser, NULL, 0, 1);
}

/* Verdicts ---------------------------------------------------------------- */

/* Damage that leaves frames: those that are missing count below. */
static void warn_of_damage(struct flame_source *source, xmlParserCtxtPtr parser)
{
	struct svg *svg = source->state;
	const xmlError *error = xml.xmlCtxtGetLastError(parser);
	const char *damage = fl_in_damage(svg->in);
	char why[160] = "it ends too early";

	if (parser->wellFormed && !damage)
		return;
	source->damage = 1;
	if (damage)
		fl_warn(svg->flame, "%s: %s", fl_in_name(svg->in), damage);
	if (parser->wellFormed)
		return;
	if (error && error->message) {
		size_t n = strcspn(error->message, "\n");

		n = FL_MIN(n, sizeof(why) - 1);
		memcpy(why, error->message, n);
		why[n] = '\0';
	}
	fl_warn(svg->flame, "%s: line %d: no XML from here on: %s; frames "
		"that are missing count as self of those they lay on",
		fl_in_name(svg->in), error ? error->line : 0, why);
}

static void report_losses(const struct svg *svg)
{
	const struct fl_boxes *b = &svg->boxes;
	const char *name = fl_in_name(svg->in);
	double share = b->hidden * 100, all = 0;
	char gaps[40];

	for (size_t i = 0; i < b->n; i++)
		if (!b->at[i].level)
			all += b->at[i].count;
	if (svg->ours)
		share = all > 0 ? svg->cut * 100.0 / all : 0;
	if (svg->bad)
		fl_warn(svg->flame, "%s: %zu frames without a place are left "
			"out", name, svg->bad);
	if (b->loose)
		fl_warn(svg->flame, "%s: %zu frames that lie on no other are "
			"left out", name, b->loose);
	if (b->narrow)
		fl_warn(svg->flame, "%s: %zu frames are too narrow to see on "
			"which others they lie: they count as self of those",
			name, b->narrow);
	if (svg->compares)
		fl_remark(svg->flame, "%s: two profiles are compared in it; "
			  "the second is read", name);
	if (b->in_runs)
		fl_remark(svg->flame, "%s: what ends within a run of calls "
			  "that is one row counts as self of its last frame",
			  name);
	if (svg->ours && share <= 0)
		return;
	snprintf(gaps, sizeof(gaps), svg->ours ? " (%.2f%% of all)" :
		 " (gaps: %.2f%% of all)", share);
	fl_remark(svg->flame, "%s: a picture: what was too narrow to be drawn "
		  "counts as self of what it lay on%s%s", name,
		  share >= 0.005 ? gaps : "",
		  svg->ours ? "" : "; how frames ran is not in it");
}

static int make_counts(struct flame_source *source)
{
	struct svg *svg = source->state;
	struct fl_boxes *b = &svg->boxes;
	int status;

	if (svg->title.failed || svg->unit.failed || svg->metric.failed ||
	    svg->heading.failed || svg->run.failed)
		return fl_no_memory(svg->flame);
	if (svg->heading.size)
		fl_title_found(source, (struct slice){ svg->heading.data,
						       svg->heading.size });
	if (fl_failed(svg->flame))
		return FLAME_FAILED;
	if (!b->n || !svg->counted)
		return fl_fail(svg->flame, "%s: a picture, but no flame "
			       "graph: there are no frames in it that tell "
			       "their weight", fl_in_name(svg->in));
	if (svg->exact && svg->exact < b->n)
		return fl_fail(svg->flame, "%s: %zu of %zu frames have their "
			       "place in samples, the others have not",
			       fl_in_name(svg->in), svg->exact, b->n);
	for (b->step = !svg->exact; b->step > 0 && svg->decimals--;)
		b->step /= 10;
	b->name = fl_in_name(svg->in);
	svg->type = FLAME_UNKNOWN;
	b->all = frame_of(svg, FL_SLICE("all"));
	b->all_samples = frame_of(svg, FL_SLICE("all samples"));
	status = fl_boxes_place(b, &svg->counts);
	if (status != FLAME_OK)
		return status;
	report_losses(svg);
	if (svg->bad || b->loose || b->narrow)
		source->damage = 1;
	fl_buf_byte(&svg->metric, '\0');
	fl_buf_byte(&svg->unit, '\0');
	if (svg->metric.failed || svg->unit.failed)
		return fl_no_memory(svg->flame);
	fl_counts_metric(&svg->counts, svg->flame, svg->metric.data,
			 svg->unit.data);
	return FLAME_OK;
}

static int read_svg(struct flame_source *source)
{
	struct svg *svg = source->state;
	xmlSAXHandler handler = {
		.initialized = XML_SAX2_MAGIC, .startElementNs = start_element,
		.endElementNs = end_element, .characters = characters,
		.cdataBlock = characters, .ignorableWhitespace = characters,
	};
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	const char *why = fl_late_open(&xml_late);
	xmlParserCtxtPtr parser;

	if (why)
		return fl_fail(svg->flame, "%s: reading SVG needs libxml2: "
			       "%s", fl_in_name(svg->in), why);
	/* Before all else of libxml2: what belongs to a thread needs it. */
	pthread_once(&once, init_xml);
	/* Of this thread. */
	xml.xmlSetGenericErrorFunc(NULL, ignore_error);
	parser = xml.xmlCreatePushParserCtxt(&handler, svg, NULL, 0, NULL);
	if (!parser)
		return fl_no_memory(svg->flame);
	/* Neither DTDs nor entities of their own are loaded. */
	xml.xmlCtxtUseOptions(parser, XML_PARSE_HUGE | XML_PARSE_NONET |
			  XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
	svg->other_encoding = has_other_encoding(svg->in);
	read_all(svg, parser);
	if (svg->boxes.n)
		warn_of_damage(source, parser);
	else if (!parser->wellFormed && !fl_failed(svg->flame))
		fl_fail(svg->flame, "%s: no XML, and no frames in what of it "
			"there is", fl_in_name(svg->in));
	/* Entities that were declared, if it did not come to the end. */
	if (parser->myDoc)
		xml.xmlFreeDoc(parser->myDoc);
	xml.xmlFreeParserCtxt(parser);
	return make_counts(source);
}

static int open_svg(struct flame_source *source)
{
	struct svg *svg = source->state;

	svg->flame = svg->boxes.flame = source->flame;
	svg->in = source->in;
	return FLAME_OK;
}

static int read(struct flame_source *source)
{
	struct svg *svg = source->state;

	if (!svg->read) {
		svg->read = true;
		if (read_svg(source) != FLAME_OK) {
			source->damage = 2;
			return FLAME_FAILED;
		}
	}
	return fl_counts_read(source, &svg->counts);
}

static void release(void *state)
{
	struct svg *svg = state;

	fl_free(svg->boxes.at);
	fl_free(svg->boxes.order);
	fl_free(svg->boxes.run);
	fl_free(svg->counts.at);
	fl_buf_free(&svg->unit);
	fl_buf_free(&svg->metric);
	fl_buf_free(&svg->title);
	fl_buf_free(&svg->heading);
	fl_buf_free(&svg->run);
}

const struct fl_format fl_format_svg = {
	.name = "svg",
	.summary = "a flame graph: flamegraph.pl's, inferno's, ours",
	.probe = fl_svg_probe,
	.state_size = sizeof(struct svg),
	.open = open_svg,
	.read = read,
	.release = release,
};
