/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mkjfr: a JFR recording from a text, for tests. README has the language.
 *
 *	mkjfr FILE.txt >FILE.jfr
 *
 * The text is read twice, since a label may be used before it is met:
 * the first round only finds out where the labels are.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAXATTRS = 12, MAXFIELDS = 40, MAXCLASSES = 300,
       MAXLABELS = 200, MAXSTRINGS = 4000, MAXNOTES = 400, MAXDEPTH = 8 };

struct buf { uint8_t *at; size_t n, room; };

struct attrs { unsigned n; const char *key[MAXATTRS], *value[MAXATTRS]; };

struct field { struct attrs attrs; };

struct class {
	struct attrs attrs;
	unsigned nfields;
	struct field field[MAXFIELDS];
};

/* An annotation, of a class (field < 0) or of one of its fields. */
struct note { unsigned class; int field; struct attrs attrs; };

struct label { const char *name; size_t file, chunk; };

/* What the header says, and whether the text insists. */
enum { SIZE, POOLS, META, START, DURATION, TICKS, TPS, FEATURES, STATE,
       NHEADER };
static const char *const header_key[NHEADER] = { "size", "cp", "meta",
	"start", "duration", "ticks", "tps", "features", "state" };

/* Where we read. */
static const char *name, *at;
static unsigned line;

/* The output, and the state of the chunk being written. */
static struct buf out;
static bool in_chunk, fixed_ints, given[NHEADER];
static unsigned pad;
static size_t chunk_at;
static uint64_t header[NHEADER];
static struct class class[MAXCLASSES];
static struct note note[MAXNOTES];
static unsigned nclasses, nnotes;
static bool has_size;
static uint64_t odd_size;

/* The checkpoint being written, and its last pool. */
static struct {
	bool open, pool_open;
	size_t last;	/* the one before, for its delta */
	struct buf head, pools, pool;
	uint64_t npools, nkeys;
	bool count_given, keys_given;
	const struct class *class;
	uint64_t type;
} ck;

static struct label label[MAXLABELS];
static unsigned nlabels, round_;
static size_t patch_at[MAXLABELS];
static const char *patch_text[MAXLABELS];
static unsigned npatches;

_Noreturn static void die(const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "mkjfr: %s:%u: ", name, line);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

/* Bytes */

static void put(struct buf *b, const void *bytes, size_t n)
{
	if (n > b->room - b->n) {
		b->room = 2 * (b->n + n);
		b->at = realloc(b->at, b->room);
		if (!b->at)
			die("out of memory");
	}
	if (n > 0)
		memcpy(b->at + b->n, bytes, n);
	b->n += n;
}

static void put_byte(struct buf *b, unsigned byte)
{
	put(b, &(uint8_t){ (uint8_t)byte }, 1);
}

static void put_raw(struct buf *b, uint64_t v, unsigned width)
{
	while (width-- > 0)
		put_byte(b, (unsigned)(v >> 8 * width) & 0xff);
}

/* The ninth byte of a number has eight bits of it. */
static void put_varint(struct buf *b, uint64_t v, unsigned width)
{
	unsigned n = 1;

	for (; n < 9 && (v > 0x7f || n < width); n++) {
		put_byte(b, (unsigned)(v & 0x7f) | 0x80);
		v >>= 7;
	}
	put_byte(b, (unsigned)v & 0xff);
}

static unsigned varint_size(uint64_t v)
{
	unsigned n = 1;

	while (n < 9 && v > 0x7f) {
		v >>= 7;
		n++;
	}
	return n;
}

/* `bytes` is the width in a chunk of fixed integers. */
static void put_int(struct buf *b, uint64_t v, unsigned bytes)
{
	if (fixed_ints)
		put_raw(b, v, bytes);
	else
		put_varint(b, bytes < 8 ? v & 0xffffffff : v, 0);
}

/* Words */

static void blanks(bool newlines)
{
	for (;; at++) {
		if (*at == '#')
			at += strcspn(at, "\n");
		if (*at == '\n' && newlines)
			line++;
		else if (*at != ' ' && *at != '\t' && *at != '\r')
			return;
	}
}

static bool more(void)
{
	blanks(false);
	return *at && *at != '\n';
}

static size_t word_size(const char *s)
{
	return strcspn(s, " \t\r\n=\"[]{}<>#");
}

/* Words live as long as we do, on one list. */
static struct saved { struct saved *next; char text[]; } *saved;

static char *keep(size_t n)
{
	struct saved *k = calloc(1, sizeof(*k) + n + 1);

	if (!k)
		die("out of memory");
	k->next = saved;
	saved = k;
	return k->text;
}

static char *copy(const char *s, size_t n)
{
	return memcpy(keep(n), s, n);
}

static char *word(void)
{
	blanks(false);
	const char *from = at;
	size_t n = word_size(from);

	if (n == 0)
		die("a word is missing at '%.20s'", from);
	at += n;
	return copy(from, n);
}

/* Is `key=` next? Then step over it. */
static bool key(const char *k)
{
	blanks(false);
	size_t n = strlen(k);

	if (strncmp(at, k, n) != 0 || at[n] != '=')
		return false;
	at += n + 1;
	return true;
}

static bool flag(const char *k)
{
	blanks(false);
	size_t n = strlen(k);

	if (strncmp(at, k, n) != 0 || word_size(at) != n || at[n] == '=')
		return false;
	at += n;
	return true;
}

static const struct label *find_label(const char *s, size_t n)
{
	for (unsigned i = 0; i < nlabels; i++)
		if (strlen(label[i].name) == n
		    && memcmp(label[i].name, s, n) == 0)
			return &label[i];
	if (round_ == 2)
		die("no label %.*s", (int)n, s);
	return NULL;
}

/* 12, -1, 0x7f, @label (from the chunk), @@label (from the file), @a+3 */
static uint64_t number(void)
{
	blanks(false);
	uint64_t base = 0;
	char *end;

	if (*at == '@') {
		bool file = at[1] == '@';
		at += file ? 2 : 1;
		size_t n = strcspn(at, "+- \t\r\n]}>#");
		const struct label *l = find_label(at, n);
		at += n;
		if (l)
			base = file ? l->file : l->chunk;
		if (*at != '+' && *at != '-')
			return base;
	}
	uint64_t v = *at == '-' ? (uint64_t)strtoll(at, &end, 0)
				: strtoull(at, &end, 0);
	if (end == at)
		die("a number is missing at '%.20s'", at);
	at = end;
	return base + v;
}

/* Values */

/* <00 ff ...> or, for the raw directive, bytes up to the line's end. */
static void put_hex(struct buf *b)
{
	while (blanks(false), isxdigit((unsigned char)*at)) {
		char *end;
		put_byte(b, (unsigned)strtoul(at, &end, 16) & 0xff);
		at = end;
	}
}

static bool put_hex_value(struct buf *b)
{
	if (*at != '<')
		return false;
	at++;
	put_hex(b);
	if (*at++ != '>')
		die("> is missing");
	return true;
}

static uint32_t utf8_char(void)
{
	uint32_t c = (unsigned char)*at++;
	unsigned tail = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : 0;

	if (tail)
		c &= 0x3fu >> tail;
	while (tail-- > 0)
		c = c << 6 | (*at++ & 0x3f);
	return c;
}

enum { BYTE = 1 << 30 };	/* written as \xNN: to be a byte as it is */

static uint32_t string_char(void)
{
	char hex[5] = "";

	if (*at == '\n' || !*at)
		die("a string does not end");
	if (*at != '\\')
		return utf8_char();
	at += 2;
	switch (at[-1]) {
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case 'x':
	case 'u':
		memcpy(hex, at, at[-1] == 'x' ? 2 : 4);
		at += strlen(hex);
		return (strlen(hex) == 2 ? BYTE : 0)
		    | (uint32_t)strtoul(hex, NULL, 16);
	default:
		return (unsigned char)at[-1];
	}
}

static void put_utf8(struct buf *b, uint32_t c)
{
	if (c & BYTE || c < 0x80) {
		put_byte(b, c & 0xff);
		return;
	}
	unsigned tail = c > 0xffff ? 3 : c > 0x7ff ? 2 : 1;
	put_byte(b, (0xff00u >> (tail + 1) & 0xff) | c >> 6 * tail);
	while (tail-- > 0)
		put_byte(b, 0x80 | (c >> 6 * tail & 0x3f));
}

static void put_utf16(struct buf *b, uint32_t c, uint64_t *count)
{
	if (c & BYTE)
		c &= 0xff;
	if (c > 0xffff) {
		put_int(b, 0xd800 + ((c - 0x10000) >> 10), 2);
		c = 0xdc00 + ((c - 0x10000) & 0x3ff);
		++*count;
	}
	put_int(b, c, 2);
	++*count;
}

/* The text after the opening quote, as string kind 3, 4 or 5. */
static void put_text(struct buf *b, unsigned kind)
{
	struct buf text = { 0 };
	uint64_t count = 0;

	while (*at != '"') {
		uint32_t c = string_char();
		if (kind == 3)
			put_utf8(&text, c);
		else if (kind == 4)
			put_utf16(&text, c, &count);
		else
			put_byte(&text, c & 0xff);
	}
	at++;
	put_byte(b, kind);
	put_int(b, kind == 4 ? count : text.n, 4);
	put(b, text.at, text.n);
	free(text.at);
}

static void put_string(struct buf *b)
{
	static const char *const prefix[] = { "utf8\"", "utf16\"", "latin1\"" };

	for (unsigned i = 0; i < 3; i++)
		if (strncmp(at, prefix[i], strlen(prefix[i])) == 0) {
			at += strlen(prefix[i]);
			put_text(b, 3 + i);
			return;
		}
	if (strncmp(at, "\"\"", 2) == 0) {
		at += 2;
		put_byte(b, 1);
	} else if (*at == '"') {
		at++;
		put_text(b, 3);
	} else if (*at == '$') {
		at++;
		put_byte(b, 2);
		put_int(b, number(), 8);
	} else if (flag("null")) {
		put_byte(b, 0);
	} else {
		die("a string is missing at '%.20s'", at);
	}
}

static void put_number(struct buf *b, unsigned bytes)
{
	uint64_t v = number();

	if (*at != ':') {
		put_int(b, v, bytes);
		return;
	}
	at++;
	put_varint(b, v, (unsigned)number());
}

static const char *attr(const struct attrs *a, const char *k)
{
	for (unsigned i = 0; i < a->n; i++)
		if (strcmp(a->key[i], k) == 0)
			return a->value[i];
	return NULL;
}

static const struct class *find_class(const char *s)
{
	const char *k = isdigit((unsigned char)*s) ? "id" : "name";

	for (unsigned i = nclasses; i-- > 0;) {
		const char *v = attr(&class[i].attrs, k);
		if (v && strcmp(v, s) == 0)
			return &class[i];
	}
	return NULL;
}

static uint64_t class_id(const struct class *c)
{
	const char *id = attr(&c->attrs, "id");

	return id ? strtoull(id, NULL, 0) : 0;
}

static void put_items(struct buf *, const struct class *, unsigned depth);
static void put_defaults(struct buf *, const struct class *, unsigned depth);

static bool put_primitive(struct buf *b, const char *type, bool absent)
{
	static const struct { const char *name; unsigned bytes; } ints[] = {
		{ "long", 8 }, { "int", 4 }, { "short", 2 }, { "char", 2 },
	};
	union { float f; uint32_t u; } f = { 0 };
	union { double d; uint64_t u; } d = { 0 };

	for (size_t i = 0; i < sizeof(ints) / sizeof(*ints); i++)
		if (strcmp(type, ints[i].name) == 0) {
			if (absent)
				put_int(b, 0, ints[i].bytes);
			else
				put_number(b, ints[i].bytes);
			return true;
		}
	if (strcmp(type, "boolean") == 0 || strcmp(type, "byte") == 0) {
		put_byte(b, absent || flag("false") ? 0 : flag("true") ? 1
		    : (unsigned)number() & 0xff);
	} else if (strcmp(type, "float") == 0 || strcmp(type, "double") == 0) {
		char *end = NULL;
		d.d = absent ? 0 : strtod(at, &end);
		f.f = (float)d.d;
		at = end ? end : at;
		put_raw(b, *type == 'f' ? f.u : d.u, *type == 'f' ? 4 : 8);
	} else if (strcmp(type, "java.lang.String") == 0) {
		if (absent)
			put_byte(b, 0);
		else
			put_string(b);
	} else {
		return false;
	}
	return true;
}

/* One element: of an array, or a field that is none. */
static void put_one(struct buf *b, const struct field *f, bool absent,
    unsigned depth)
{
	const char *pool = attr(&f->attrs, "constantPool");
	const char *type = attr(&f->attrs, "class");
	const struct class *c = type ? find_class(type) : NULL;
	const char *simple = c ? attr(&c->attrs, "name") : type;

	if (pool && strcmp(pool, "true") == 0) {
		if (absent || flag("null"))
			put_int(b, 0, 8);
		else
			put_number(b, 8);
	} else if (simple && put_primitive(b, simple, absent)) {
		return;
	} else if (!c) {
		die("field %s has no class", attr(&f->attrs, "name"));
	} else if (absent) {
		put_defaults(b, c, depth + 1);
	} else {
		if (*at++ != '{')
			die("{ is missing at '%.20s'", at - 1);
		put_items(b, c, depth + 1);
		if (*at++ != '}')
			die("} is missing");
	}
}

static void put_array(struct buf *b, const struct field *f, unsigned depth)
{
	struct buf values = { 0 };
	uint64_t count = 0;

	if (*at++ != '[')
		die("[ is missing at '%.20s'", at - 1);
	while (blanks(true), *at != ']') {
		if (!put_hex_value(&values))
			put_one(&values, f, false, depth);
		count++;
	}
	at++;
	put_int(b, count, 4);
	put(b, values.at, values.n);
	free(values.at);
}

static void put_value(struct buf *b, const struct field *f, unsigned depth)
{
	if (put_hex_value(b))
		return;
	if (attr(&f->attrs, "dimension"))
		put_array(b, f, depth);
	else
		put_one(b, f, false, depth);
}

/* A type may contain itself: somewhere we must end. */
static void put_defaults(struct buf *b, const struct class *c, unsigned depth)
{
	for (unsigned i = 0; i < c->nfields && depth < MAXDEPTH; i++)
		if (attr(&c->field[i].attrs, "dimension"))
			put_int(b, 0, 4);
		else
			put_one(b, &c->field[i], true, depth);
}

static void skip_value(void)
{
	unsigned depth = 0;

	do {
		if (*at == '"') {
			for (at++; *at != '"';)
				string_char();
			at++;
		} else if (*at == '[' || *at == '{' || *at == '<') {
			depth++;
			at++;
		} else if (*at == ']' || *at == '}' || *at == '>') {
			depth--;
			at++;
		} else {
			at += word_size(at);
			if (*at == '=' && depth > 0)
				at++;
			else if (*at == '"')
				continue;
		}
		if (depth > 0)
			blanks(true);
		if (!*at && depth > 0)
			die("a bracket does not close");
	} while (depth > 0 || *at == '"');
}

/* Values up to the end of line or the closing brace, by place or by name. */
static void put_items(struct buf *b, const struct class *c, unsigned depth)
{
	const char *value[MAXFIELDS] = { 0 }, *extra[MAXFIELDS];
	unsigned next = 0, nextra = 0;

	for (;; skip_value()) {
		blanks(depth > 0);
		if (!*at || *at == '\n' || *at == '}')
			break;
		size_t n = word_size(at);
		unsigned i = next;
		if (n > 0 && at[n] == '=') {
			for (i = 0; i < c->nfields; i++) {
				const char *f = attr(&c->field[i].attrs, "name");
				if (f && strlen(f) == n && !memcmp(f, at, n))
					break;
			}
			if (i == c->nfields)
				die("no field %.*s", (int)n, at);
			at += n + 1;
		}
		next = i + 1;
		if (i < c->nfields)
			value[i] = at;
		else if (*at == '<' && nextra < MAXFIELDS)
			extra[nextra++] = at;
		else
			die("more values than fields");
	}
	const char *end = at;
	unsigned here = line;
	for (unsigned i = 0; i < c->nfields; i++) {
		at = value[i];
		if (at)
			put_value(b, &c->field[i], depth);
		else if (attr(&c->field[i].attrs, "dimension"))
			put_int(b, 0, 4);
		else if (depth < MAXDEPTH)
			put_one(b, &c->field[i], true, depth);
	}
	for (unsigned i = 0; i < nextra; i++) {
		at = extra[i];
		put_hex_value(b);
	}
	at = end;
	line = here;
}

/* Events */

/* The size counts itself: the widest that is needed, or the one asked for. */
static void put_event(uint64_t type, const struct buf *body)
{
	struct buf b = { 0 };
	uint64_t n;

	put_int(&b, type, 8);
	put(&b, body->at, body->n);
	n = b.n + (fixed_ints ? 4 : pad ? pad : varint_size(b.n + 1));
	if (!fixed_ints && !pad && varint_size(n) != n - b.n)
		n++;
	if (has_size)
		n = odd_size;
	if (fixed_ints)
		put_raw(&out, n, 4);
	else
		put_varint(&out, n, pad);
	put(&out, b.at, b.n);
	free(b.at);
	has_size = false;
}

static void end_pool(void)
{
	if (!ck.pool_open)
		return;
	put_int(&ck.pools, ck.type, 8);
	put_int(&ck.pools, ck.nkeys, 4);
	put(&ck.pools, ck.pool.at, ck.pool.n);
	ck.pool.n = 0;
	ck.pool_open = false;
}

static void end_checkpoint(void)
{
	end_pool();
	if (!ck.open)
		return;
	put_int(&ck.head, ck.npools, 4);
	put(&ck.head, ck.pools.at, ck.pools.n);
	put_event(1, &ck.head);
	ck.head.n = ck.pools.n = 0;
	ck.open = false;
}

static void do_checkpoint(void)
{
	size_t here = out.n - chunk_at;
	uint64_t start = 0, duration = 0, flags = 0;
	uint64_t delta = ck.last ? ck.last - here : 0;
	unsigned width = 0;

	ck.count_given = false;
	ck.npools = 0;
	while (more()) {
		if (key("delta")) {
			bool relative = *at == '@';
			delta = number() - (relative ? here : 0);
			width = relative ? 9 : 0;
		} else if (key("flags")) {
			flags = number();
		} else if (key("start")) {
			start = number();
		} else if (key("duration")) {
			duration = number();
		} else if (key("pools")) {
			ck.npools = number();
			ck.count_given = true;
		} else {
			die("checkpoint: what is '%.20s'?", at);
		}
	}
	if (!given[POOLS])
		header[POOLS] = here;
	ck.last = here;
	put_int(&ck.head, start, 8);
	put_int(&ck.head, duration, 8);
	if (fixed_ints)
		put_raw(&ck.head, delta, 8);
	else
		put_varint(&ck.head, delta, width);
	put_byte(&ck.head, (unsigned)flags);
	ck.open = true;
}

static void do_pool(void)
{
	end_pool();
	if (!ck.open)
		die("a pool outside a checkpoint");
	char *type = word();
	ck.class = find_class(type);
	if (!ck.class && !isdigit((unsigned char)*type))
		die("no class %s", type);
	ck.type = ck.class ? class_id(ck.class) : strtoull(type, NULL, 0);
	ck.keys_given = key("count");
	ck.nkeys = ck.keys_given ? number() : 0;
	ck.npools += !ck.count_given;
	ck.pool_open = true;
}

static void do_constant(void)
{
	if (!ck.pool_open)
		die("a constant outside a pool");
	put_number(&ck.pool, 8);
	blanks(false);
	if (ck.class && ck.class->nfields == 0
	    && put_primitive(&ck.pool, attr(&ck.class->attrs, "name"), !more()))
		;
	else if (ck.class)
		put_items(&ck.pool, ck.class, 0);
	else if (more())
		put_hex_value(&ck.pool);
	ck.nkeys += !ck.keys_given;
}

static void do_event(void)
{
	struct buf body = { 0 };
	char *type = word();
	const struct class *c = find_class(type);

	if (c)
		put_items(&body, c, 0);
	else if (!isdigit((unsigned char)*type))
		die("no class %s", type);
	else
		while (more() && put_hex_value(&body))
			;
	put_event(c ? class_id(c) : strtoull(type, NULL, 0), &body);
	free(body.at);
}

/* Classes and metadata */

static void set_attr(struct attrs *a, const char *k, const char *v)
{
	if (a->n == MAXATTRS)
		die("too many attributes");
	a->key[a->n] = k;
	a->value[a->n++] = v;
}

/* `key=value` as it is; a bare word by `bare`. In the order written. */
static void read_attrs(struct attrs *a, const char *const bare[])
{
	static const char *const flags[][3] = {
		{ "event", "superType", "jdk.jfr.Event" },
		{ "simple", "simpleType", "true" },
		{ "pool", "constantPool", "true" },
		{ "array", "dimension", "1" },
	};

	while (more()) {
		char *k = word();
		unsigned f = 0;
		while (f < 4 && strcmp(k, flags[f][0]) != 0)
			f++;
		if (*at == '=') {
			at++;
			if (*at == '"') {
				size_t n = strcspn(++at, "\"\n");
				set_attr(a, k, copy(at, n));
				at += n + 1;
			} else {
				set_attr(a, k, word());
			}
		} else if (*bare) {
			set_attr(a, *bare++, k);
		} else if (f < 4) {
			set_attr(a, flags[f][1], flags[f][2]);
		} else {
			die("what is %s?", k);
		}
	}
}

static void do_class(void)
{
	static const char *const bare[] = { "id", "name", NULL };
	static const char *const none[] = { NULL };
	struct class *c = &class[nclasses];

	if (nclasses == MAXCLASSES)
		die("too many classes");
	memset(c, 0, sizeof(*c));
	blanks(false);
	read_attrs(&c->attrs, isdigit((unsigned char)*at) ? bare : none);
	nclasses++;
}

static void do_field(void)
{
	static const char *const bare[] = { "name", "class", NULL };
	static const char *const none[] = { NULL };

	if (nclasses == 0 || class[nclasses - 1].nfields == MAXFIELDS)
		die("a field without a class, or one too many");
	struct class *c = &class[nclasses - 1];
	struct attrs *a = &c->field[c->nfields++].attrs;
	memset(a, 0, sizeof(*a));
	blanks(false);
	read_attrs(a, at[word_size(at)] == '=' ? none : bare);
}

static void do_annotation(void)
{
	static const char *const bare[] = { "class", NULL };
	struct note *n = &note[nnotes++];

	if (nclasses == 0 || nnotes == MAXNOTES)
		die("an annotation without a class, or one too many");
	memset(n, 0, sizeof(*n));
	n->class = nclasses - 1;
	n->field = (int)class[nclasses - 1].nfields - 1;
	read_attrs(&n->attrs, bare);
}

static unsigned nstrings;
static const char *string[MAXSTRINGS];

static uint64_t intern(const char *s)
{
	unsigned i = 0;

	while (i < nstrings && strcmp(string[i], s) != 0)
		i++;
	if (i == MAXSTRINGS)
		die("too many strings");
	if (i == nstrings)
		string[nstrings++] = s;
	return i;
}

static void put_element(struct buf *b, const char *tag, const struct attrs *a,
    uint64_t children)
{
	put_int(b, intern(tag), 4);
	put_int(b, a ? a->n : 0, 4);
	for (unsigned i = 0; a && i < a->n; i++) {
		const char *v = a->value[i];
		const struct class *c = strcmp(a->key[i], "class") == 0
		    && !isdigit((unsigned char)*v) ? find_class(v) : NULL;
		if (c && attr(&c->attrs, "id"))
			v = attr(&c->attrs, "id");
		else if (strcmp(a->key[i], "class") == 0
		    && !isdigit((unsigned char)*v) && *v != '-')
			die("class %s is never declared", v);
		put_int(b, intern(a->key[i]), 4);
		put_int(b, intern(v), 4);
	}
	put_int(b, children, 4);
}

static uint64_t put_notes(struct buf *b, unsigned c, int f)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < nnotes; i++)
		if (note[i].class == c && note[i].field == f) {
			n++;
			if (b)
				put_element(b, "annotation", &note[i].attrs, 0);
		}
	return n;
}

static void put_classes(struct buf *b)
{
	for (unsigned i = 0; i < nclasses; i++) {
		const struct class *c = &class[i];
		put_element(b, "class", &c->attrs,
		    c->nfields + put_notes(NULL, i, -1));
		put_notes(b, i, -1);
		for (unsigned k = 0; k < c->nfields; k++) {
			put_element(b, "field", &c->field[k].attrs,
			    put_notes(NULL, i, (int)k));
			put_notes(b, i, (int)k);
		}
	}
}

static void put_metadata_string(struct buf *b, const char *s, unsigned kind)
{
	const char *was = at;
	char *quoted = keep(strlen(s) + 1);

	memcpy(quoted, s, strlen(s));
	quoted[strlen(s)] = '"';
	at = quoted;
	put_text(b, kind);
	at = was;
}

static void do_metadata(void)
{
	static const struct attrs region = { 2, { "locale", "gmtOffset" },
		{ "en_US", "0" } };
	struct buf tree = { 0 }, body = { 0 };
	uint64_t id = out.n, start = 0, duration = 0, kind = 3, depth = 0;
	uint64_t classes = nclasses, strings = 0;
	bool strings_given = false, no_region = false;

	while (more()) {
		if (key("id"))
			id = number();
		else if (key("start"))
			start = number();
		else if (key("duration"))
			duration = number();
		else if (key("kind"))
			kind = number();
		else if (key("depth"))
			depth = number();
		else if (key("classes"))
			classes = number();
		else if ((strings_given = key("strings")))
			strings = number();
		else if (!(no_region = flag("noregion")))
			die("metadata: what is '%.20s'?", at);
	}
	nstrings = 0;
	put_element(&tree, "root", NULL, no_region ? 1 : 2);
	put_element(&tree, "metadata", NULL, classes + (depth > 0));
	put_classes(&tree);
	for (uint64_t i = 0; i < depth; i++)
		put_element(&tree, "deeper", NULL, i + 1 < depth);
	if (!no_region)
		put_element(&tree, "region", &region, 0);

	if (!given[META])
		header[META] = out.n - chunk_at;
	put_int(&body, start, 8);
	put_int(&body, duration, 8);
	put_int(&body, id, 8);
	put_int(&body, strings_given ? strings : nstrings, 4);
	for (unsigned i = 0; i < nstrings; i++)
		put_metadata_string(&body, string[i], (unsigned)kind);
	put(&body, tree.at, tree.n);
	put_event(0, &body);
	free(tree.at);
	free(body.at);
}

/* Chunks */

static void set_raw(size_t where, uint64_t v, unsigned width)
{
	while (width-- > 0)
		out.at[where++] = (uint8_t)(v >> 8 * width);
}

static void end_chunk(void)
{
	end_checkpoint();
	if (!in_chunk)
		return;
	if (!given[SIZE])
		header[SIZE] = out.n - chunk_at;
	for (unsigned i = SIZE; i <= TPS; i++)
		set_raw(chunk_at + 8 + 8 * i, header[i], 8);
	if (given[STATE])
		set_raw(chunk_at + 64, header[STATE], 1);
	in_chunk = false;
}

/* A chunk begins knowing nothing of the one before. */
static void do_chunk(void)
{
	static const uint64_t usual[NHEADER] = {
		[START] = 1700000000000000000, [DURATION] = 1000000000,
		[TPS] = 1000000000, [FEATURES] = 1,
	};

	memcpy(header, usual, sizeof(header));
	memset(given, 0, sizeof(given));
	uint64_t major = number();
	if (*at++ != '.')
		die("chunk MAJOR.MINOR");
	uint64_t minor = number();
	while (more()) {
		unsigned i = 0;
		while (i < NHEADER && !key(header_key[i]))
			i++;
		if (i == NHEADER)
			die("chunk: what is '%.20s'?", at);
		header[i] = number();
		given[i] = true;
	}
	in_chunk = true;
	fixed_ints = !(header[FEATURES] & 1);
	chunk_at = out.n;
	nclasses = nnotes = pad = 0;
	ck.last = 0;
	put(&out, "FLR", 4);
	put_raw(&out, major, 2);
	put_raw(&out, minor, 2);
	put(&out, (uint8_t[56]){ 0 }, 56);
	put_raw(&out, header[FEATURES], 4);
}

/* Odd bytes, and format 0.9, which is made of nothing else */

static void do_label(void)
{
	char *w = word();
	unsigned i = 0;

	while (i < nlabels && strcmp(label[i].name, w) != 0)
		i++;
	if (i == MAXLABELS)
		die("too many labels");
	if (i == nlabels)
		nlabels++;
	label[i] = (struct label){ w, out.n, out.n - chunk_at };
}

/* Patches wait for the end, when nothing is written over them. */
static void do_patch(void)
{
	if (npatches == MAXLABELS)
		die("too many patches");
	patch_at[npatches] = number();
	patch_text[npatches++] = at;
	at += strcspn(at, "\n");
}

static void do_fill(void)
{
	uint64_t n = number(), byte = number();

	while (n-- > 0)
		put_byte(&out, (unsigned)byte);
}

static void do_cut(void)
{
	uint64_t n = number();

	if (n > out.n)
		die("only %zu bytes to cut from", out.n);
	out.n -= n;
}

static void put_raws(unsigned width)
{
	while (more())
		put_raw(&out, number(), width);
}

/* u16 length and UTF-8, as format 0.9 has it */
static void do_utf(void)
{
	while (more()) {
		struct buf b = { 0 };
		if (*at++ != '"')
			die("a string is missing");
		while (*at != '"')
			put_utf8(&b, string_char());
		at++;
		put_raw(&out, b.n, 2);
		put(&out, b.at, b.n);
		free(b.at);
	}
}

static size_t block_at;

static void do_block(void)
{
	block_at = out.n;
	put_raw(&out, 0, 4);
	put_raw(&out, number(), 4);
}

static void do_end_block(void)
{
	set_raw(block_at, out.n - block_at, 4);
}

static void read_file(const char *path);

/* Beside the file that names it. */
static void do_include(void)
{
	char *w = word();
	const char *slash = strrchr(name, '/');
	size_t dir = slash ? (size_t)(slash - name) + 1 : 0;
	char *path = keep(dir + strlen(w));

	memcpy(path, name, dir);
	strcpy(path + dir, w);
	const char *was_name = name, *was_at = at;
	unsigned was_line = line;
	read_file(path);
	name = was_name;
	at = was_at;
	line = was_line;
}

static void do_u1(void) { put_raws(1); }
static void do_u2(void) { put_raws(2); }
static void do_u4(void) { put_raws(4); }
static void do_u8(void) { put_raws(8); }
static void do_raw(void) { put_hex(&out); }
static void do_pad(void) { pad = (unsigned)number(); }
static void do_size(void) { odd_size = number(); has_size = true; }
static void do_nothing(void) { }

/* `inside`: leaves an open checkpoint open; `after`: ends the chunk. */
static const struct {
	const char *word;
	void (*act)(void);
	enum { PLAIN, INSIDE, AFTER } place;
} directive[] = {
	{ "chunk", do_chunk, AFTER }, { "end", do_nothing, AFTER },
	{ "class", do_class, PLAIN }, { "field", do_field, PLAIN },
	{ "annotation", do_annotation, PLAIN },
	{ "metadata", do_metadata, PLAIN }, { "event", do_event, PLAIN },
	{ "checkpoint", do_checkpoint, PLAIN }, { "pool", do_pool, INSIDE },
	{ "size", do_size, PLAIN }, { "pad", do_pad, PLAIN },
	{ "label", do_label, PLAIN }, { "include", do_include, INSIDE },
	{ "raw", do_raw, PLAIN }, { "fill", do_fill, PLAIN },
	{ "cut", do_cut, AFTER }, { "patch", do_patch, INSIDE },
	{ "u1", do_u1, PLAIN }, { "u2", do_u2, PLAIN },
	{ "u4", do_u4, PLAIN }, { "u8", do_u8, PLAIN },
	{ "utf", do_utf, PLAIN },
	{ "block", do_block, PLAIN }, { "endblock", do_end_block, PLAIN },
};

static void do_line(void)
{
	size_t i = 0, n = sizeof(directive) / sizeof(*directive);

	if (*at == '-' || isdigit((unsigned char)*at)) {
		do_constant();
		return;
	}
	char *w = word();
	while (i < n && strcmp(directive[i].word, w) != 0)
		i++;
	if (i == n)
		die("what is %s?", w);
	if (directive[i].place != INSIDE)
		end_checkpoint();
	if (directive[i].place == AFTER)
		end_chunk();
	directive[i].act();
}

static char *slurp(const char *path)
{
	struct buf b = { 0 };
	char block[4096];
	size_t n;
	FILE *f = fopen(path, "rb");

	if (!f)
		die("cannot open %s", path);
	while ((n = fread(block, 1, sizeof(block), f)) > 0)
		put(&b, block, n);
	fclose(f);
	char *text = copy((char *)b.at, b.n);
	free(b.at);
	return text;
}

static void read_file(const char *path)
{
	char *text = slurp(path);

	name = path;
	at = text;
	for (line = 1; *at; line++) {
		if (more())
			do_line();
		if (more())
			die("what is '%.20s'?", at);
		at += *at == '\n';
	}
}

static void write_patches(void)
{
	for (unsigned i = 0; i < npatches; i++) {
		struct buf b = { 0 };
		at = patch_text[i];
		put_hex(&b);
		if (patch_at[i] + b.n > out.n) {
			if (round_ == 2)
				die("a patch beyond the end");
			continue;
		}
		memcpy(out.at + patch_at[i], b.at, b.n);
		free(b.at);
	}
	npatches = 0;
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fputs("usage: mkjfr FILE.txt >FILE.jfr\n", stderr);
		return 2;
	}
	name = "mkjfr";
	for (round_ = 1; round_ <= 2; round_++) {
		out.n = chunk_at = 0;
		read_file(argv[1]);
		end_chunk();
		write_patches();
	}
	if (fwrite(out.at, 1, out.n, stdout) != out.n || fflush(stdout)) {
		perror("mkjfr");
		return 1;
	}
	return 0;
}
