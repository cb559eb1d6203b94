/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads logs of V8 (node --prof): where code lies, and ticks with the addresses
 * of a stack, the innermost first.  Each tick is a sample of the metric cpu.
 *
 *	shared-library,/usr/bin/node,0x400000,0x1400000,0
 *	code-creation,LazyCompile,0,14007,0x3a8437e0,166,f a.js:1:2,0x45,~
 *	code-move,0x3a8437e0,0x3a8500e0
 *	tick,PC,TIME,EXTERNAL,TOS,STATE,0x3a8437f0,+0x12,...
 *
 * TOS is the top of the stack, or, if EXTERNAL is 1, the address of the C++
 * callback.  An address of a stack may be relative to the one before.  Names
 * have escapes ("\x2C" is a comma), or, in older logs, quotes; the oldest have
 * no time of creation.
 */
#include "fl.h"

#include "format/format.h"
#include "native/frame.h"

#include <inttypes.h>

enum {
	PAGE_BITS = 12,
	MAX_PAGES = 4096,	/* of one code */
	MAX_CHAIN = 1024,	/* codes that are searched in a page */
	MAX_FIELDS = 10,
	FIELDS_BEFORE_STACK = 6,	/* of a tick */
	GC = 1			/* the state of the virtual machine */
};

struct code {
	uint64_t begin, end;
	flame_id frame;
	bool script;
};

struct place {
	uint32_t code;
	uint32_t next;		/* index in places + 1; 0: the end */
};

struct reader {
	struct fl_line_reader base;
	struct code *codes, *libraries;
	size_t ncodes, codes_capacity, nlibraries, libraries_capacity;
	struct place *places;
	size_t nplaces, places_capacity;
	struct fl_map pages;	/* page -> place + 1, the newest first */
	struct fl_buf field[MAX_FIELDS], name;
	unsigned nfields;
	bool named, quoted;	/* a name was read; names are in quotes */
	struct slice rest;	/* after the fields that were split */
	flame_id *stack;	/* frames, the innermost first */
	size_t depth, capacity;
};

/* Fields -------------------------------------------------------------- */

static void split(struct reader *r, struct slice line, unsigned max)
{
	bool more = true;
	size_t indent;

	for (r->nfields = 0; more && r->nfields < max; r->nfields++) {
		struct fl_buf *to = &r->field[r->nfields];

		if (r->quoted) {
			if (!fl_csv_field(&line, ',', to, &indent, &more))
				break;
		} else {
			struct slice s = fl_slice_split(&line, ',');

			to->size = 0;
			fl_buf_put(to, s.data, s.size);
			more = s.data + s.size != line.data;
		}
		r->base.buf.failed |= to->failed;
	}
	r->rest = line;
}

static struct slice field(const struct reader *r, unsigned i)
{
	return i < r->nfields ? fl_buf_slice(&r->field[i]) : FL_SLICE("");
}

static bool address_of(const struct reader *r, unsigned i, uint64_t *n)
{
	return fl_parse_hex(field(r, i), n);
}

static unsigned digit_of(char c)
{
	return fl_is_digit(c) ? (unsigned)(c - '0') :
				(unsigned)((c | 0x20) - 'a' + 10);
}

/* n digits at the beginning. */
static bool hex(struct slice s, size_t n, uint32_t *code)
{
	*code = 0;
	for (size_t i = 0; i < n; i++) {
		if (i >= s.size || !fl_is_hex(s.data[i]))
			return false;
		*code = *code << 4 | digit_of(s.data[i]);
	}
	return true;
}

/*
 * s: after a backslash.  "\x" and "\u" have UTF-16, as V8 does: "\xe9" is a
 * letter.  Returns the bytes of s that were read.
 */
static size_t put_escaped(struct fl_buf *to, struct slice s)
{
	char kind = s.size ? s.data[0] : '\0';
	size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : 0;
	uint32_t code, low;

	if (digits && hex((struct slice){ s.data + 1, s.size - 1 }, digits,
			  &code)) {
		digits++;
		if (code >> 10 == 0xd800 >> 10 && s.size > 7 &&
		    s.data[5] == '\\' && s.data[6] == 'u' &&
		    hex((struct slice){ s.data + 7, s.size - 7 }, 4, &low) &&
		    low >> 10 == 0xdc00 >> 10) {
			code = 0x10000 + ((code & 0x3ff) << 10 | (low & 0x3ff));
			digits += 6;
		}
		fl_utf8_put(to, code);
		return digits;
	}
	fl_buf_byte(to, kind == 'n' ? '\n' : '\\');
	return kind == 'n' || kind == '\\';
}

static void unescape(struct fl_buf *to, struct slice s)
{
	to->size = 0;
	for (size_t i = 0; i < s.size;)
		if (s.data[i++] != '\\')
			fl_buf_byte(to, s.data[i - 1]);
		else
			i += put_escaped(to, (struct slice){ s.data + i,
							     s.size - i });
}

/* Code ---------------------------------------------------------------- */

static void add_code(struct reader *r, const struct code *code)
{
	uint64_t first = code->begin >> PAGE_BITS;
	uint64_t last = (code->end - 1) >> PAGE_BITS;

	if (r->ncodes >= UINT32_MAX - 1 ||
	    !fl_grow(&r->codes, &r->codes_capacity, r->ncodes + 1,
		     sizeof(*r->codes))) {
		fl_no_memory(r->base.flame);
		return;
	}
	r->codes[r->ncodes++] = *code;
	last = FL_MIN(last, first + MAX_PAGES - 1);
	for (uint64_t page = first; page <= last; page++) {
		uint64_t *head = fl_map_put(&r->pages, page, NULL);

		if (!head || r->nplaces >= UINT32_MAX - 1 ||
		    !fl_grow(&r->places, &r->places_capacity, r->nplaces + 1,
			     sizeof(*r->places))) {
			fl_no_memory(r->base.flame);
			return;
		}
		r->places[r->nplaces++] = (struct place){
			(uint32_t)r->ncodes - 1, (uint32_t)*head
		};
		*head = r->nplaces;
	}
}

/* NULL: no code is known there. */
static const struct code *find_code(const struct reader *r, uint64_t address)
{
	const uint64_t *head = fl_map_get(&r->pages, address >> PAGE_BITS);
	uint32_t at = head ? (uint32_t)*head : 0;

	for (unsigned i = 0; at && i < MAX_CHAIN; i++) {
		const struct place *place = &r->places[at - 1];
		const struct code *code = &r->codes[place->code];

		if (address >= code->begin && address < code->end)
			return code;
		at = place->next;
	}
	for (size_t i = 0; i < r->nlibraries; i++)
		if (address >= r->libraries[i].begin &&
		    address < r->libraries[i].end)
			return &r->libraries[i];
	return NULL;
}

static bool is_script(struct slice type)
{
	static const char *const types[] = {
		"LazyCompile", "Function", "Script", "Eval", "Callback",
		"JS"
	};

	for (size_t i = 0; i < FL_COUNT(types); i++)
		if (fl_slice_is(type, types[i]))
			return true;
	return false;
}

/*
 * The last field of a script's code says how it ran; fl_v8_frame expects it
 * before the name.
 */
static flame_id frame_of(struct reader *r, struct slice name,
			 struct slice state, bool script)
{
	struct flame *flame = r->base.flame;
	struct slice s;

	r->name.size = 0;
	if (r->quoted)
		fl_buf_put(&r->name, name.data, name.size);
	else
		unescape(&r->name, name);
	if (!script) {
		s = fl_buf_slice(&r->name);
		return fl_frame(flame, flame_name(flame, s.data, s.size),
				FLAME_NATIVE);
	}
	r->base.buf.size = 0;
	if (state.size == 1)
		fl_buf_put(&r->base.buf, state.data, 1);
	fl_buf_put(&r->base.buf, r->name.data ? r->name.data : "",
		   r->name.size);
	return fl_v8_frame(flame, fl_buf_slice(&r->base.buf));
}

static bool take_creation(struct reader *r)
{
	unsigned at = fl_slice_starts(field(r, 3), "0x") ? 3 : 4;
	struct code code = { .script = is_script(field(r, 1)) };
	uint64_t size;
	int64_t n;

	if (!address_of(r, at, &code.begin))
		return false;
	if (fl_parse_digits(field(r, at + 1), &n))
		size = (uint64_t)n;
	else if (!address_of(r, at + 1, &size))
		return false;
	if (!size || code.begin + size <= code.begin)
		return true;
	code.end = code.begin + size;
	code.frame = frame_of(r, field(r, at + 2), field(r, at + 4),
			      code.script);
	if (code.frame)
		add_code(r, &code);
	return true;
}

static bool take_move(struct reader *r)
{
	const struct code *code;
	struct code moved;
	uint64_t from, to;

	if (!address_of(r, 1, &from) || !address_of(r, 2, &to))
		return false;
	code = find_code(r, from);
	if (!code || code->begin != from)
		return true;
	moved = *code;
	moved.end = to + (code->end - code->begin);
	moved.begin = to;
	if (moved.end > to)
		add_code(r, &moved);
	return true;
}

static bool take_library(struct reader *r)
{
	struct code library = { .script = false };
	struct slice name = fl_slice_base(field(r, 1));

	if (!address_of(r, 2, &library.begin) ||
	    !address_of(r, 3, &library.end) || !name.size)
		return false;
	library.frame = frame_of(r, name, FL_SLICE(""), false);
	if (fl_grow(&r->libraries, &r->libraries_capacity, r->nlibraries + 1,
		    sizeof(*r->libraries)))
		r->libraries[r->nlibraries++] = library;
	else
		fl_no_memory(r->base.flame);
	return true;
}

/* Ticks --------------------------------------------------------------- */

static void push(struct reader *r, flame_id frame)
{
	if (!fl_grow(&r->stack, &r->capacity, r->depth + 1,
		     sizeof(*r->stack)))
		fl_no_memory(r->base.flame);
	else
		r->stack[r->depth++] = frame;
}

static void push_address(struct reader *r, uint64_t address, bool script)
{
	const struct code *code = find_code(r, address);

	if (code && (code->script || !script))
		push(r, code->frame);
}

static void push_rest(struct reader *r, uint64_t address)
{
	struct slice word;
	uint64_t n;
	char sign;

	while (r->rest.size && !fl_failed(r->base.flame)) {
		word = fl_slice_split(&r->rest, ',');
		sign = word.size ? *word.data : '\0';
		if (sign == '+' || sign == '-') {
			word.data++;
			word.size--;
		}
		if (!fl_parse_hex(word, &n))
			continue;	/* "overflow" */
		address = sign == '+' ? address + n :
			  sign == '-' ? address - n : n;
		push_address(r, address, false);
	}
}

static bool take_tick(struct reader *r)
{
	struct flame *flame = r->base.flame;
	uint64_t pc = 0, tos = 0;
	flame_id stack = 0;
	int64_t state = -1;
	bool external = fl_slice_is(field(r, 3), "1");

	if (!address_of(r, 1, &pc) || r->nfields < FIELDS_BEFORE_STACK)
		return false;
	address_of(r, 4, &tos);
	fl_parse_int(field(r, 5), &state);
	r->depth = 0;
	if (state == GC)
		push(r, fl_frame(flame, fl_name(flame, "(garbage collector)"),
				 FLAME_NATIVE));
	/* In a C++ callback TOS is its address, more exact than the PC. */
	if (external && tos)
		pc = tos;
	push_address(r, pc, false);
	if (!external && tos)
		push_address(r, tos, true);
	push_rest(r, pc);
	if (!r->depth)
		push(r, fl_frame(flame, fl_name(flame, "(unknown)"),
				 FLAME_NATIVE));
	for (size_t i = r->depth; i--;)
		stack = flame_stack(flame, stack, r->stack[i]);
	fl_line_reader_sample(&r->base, "cpu", "samples", 1, stack, 0);
	return true;
}

static void accept_line(struct fl_line_reader *base, struct slice line)
{
	struct reader *r = (struct reader *)base;
	bool good = true;

	if (!fl_slice_starts(line, "tick,") &&
	    !fl_slice_starts(line, "code-") &&
	    !fl_slice_starts(line, "shared-library,"))
		return;
	if (!base->lines.ended) {
		fl_lines_bad(&base->lines, line);
		return;
	}
	/* Libraries come first, and no name of theirs begins with a quote. */
	if (!r->named && line.data[0] != 't') {
		r->named = true;
		r->quoted = fl_slice_has(line, ",\"");
	}
	split(r, line, line.data[0] == 't' ? FIELDS_BEFORE_STACK : MAX_FIELDS);
	if (line.data[0] == 't') {
		good = take_tick(r);
	} else if (line.data[0] == 's') {
		good = take_library(r);
	} else if (fl_slice_starts(line, "code-creation,")) {
		good = take_creation(r);
	} else if (fl_slice_starts(line, "code-move,")) {
		good = take_move(r);
	}
	base->buf.failed |= r->name.failed;
	if (!good)
		fl_lines_bad(&base->lines, line);
}

/* The row of formats.def ------------------------------------------------ */

static void release(void *state)
{
	struct reader *r = state;

	fl_free(r->codes);
	fl_free(r->libraries);
	fl_free(r->places);
	fl_map_free(&r->pages);
	fl_free(r->stack);
	for (unsigned i = 0; i < MAX_FIELDS; i++)
		fl_buf_free(&r->field[i]);
	fl_buf_free(&r->name);
	fl_line_reader_free(&r->base);
}

static int read(struct flame_source *source)
{
	struct fl_line_reader *r = source->state;
	int status = fl_line_reader_read(r, accept_line);

	return status == FLAME_END ? fl_lines_end(source, &r->lines) : status;
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	struct slice text = { (const char *)head, n };

	(void)whole;
	return fl_slice_starts(text, "v8-version,") ? 64 : 0;
}

const struct fl_format fl_format_v8_log = {
	.name = "v8-log",
	.summary = "logs of V8 (node --prof)",
	.probe = probe,
	.state_size = sizeof(struct reader),
	.open = fl_line_reader_open,
	.read = read,
	.release = release,
};
