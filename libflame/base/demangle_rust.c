/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Demangles Rust's symbols of version 0 (RFC 2603, and "v0 Symbol Format" of
 * the rustc book) for demangle.c: _RNvCs1234_7mycrate3foo is mycrate::foo.
 * Hashes are left out.
 *
 * Names may be anybody's: they nest to a depth, and a reference to an earlier
 * part may not make more text than MAX_TEXT.
 */
#include "fl.h"

#include "base/demangle.h"

#include <inttypes.h>
#include <stdio.h>

enum { MAX_DEPTH = 200, MAX_TEXT = 16 << 10, MAX_LETTERS = 128 };

struct rust {
	struct fl_buf *to;
	const char *start, *at, *end;
	size_t from;		/* bytes of `to` before the name */
	unsigned depth;
	unsigned silent;	/* not 0: parts are parsed, but not written */
	uint64_t bound;		/* lifetimes of the binders around */
	bool failed;
};

static void path(struct rust *r, bool value);
static void type(struct rust *r);
static void constant(struct rust *r, bool nested);

/* Text ------------------------------------------------------------------ */

static void put(struct rust *r, const char *text, size_t size)
{
	if (r->silent || r->failed)
		return;
	if (r->to->size - r->from + size > MAX_TEXT)
		r->failed = true;
	else
		fl_buf_put(r->to, text, size);
}

static void say(struct rust *r, const char *text)
{
	put(r, text, strlen(text));
}

static void say_number(struct rust *r, uint64_t n)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, n);
	say(r, text);
}

static char peek(const struct rust *r)
{
	return r->at < r->end && !r->failed ? *r->at : '\0';
}

static char next(struct rust *r)
{
	char c = peek(r);

	if (c)
		r->at++;
	else
		r->failed = true;
	return c;
}

static bool eat(struct rust *r, char c)
{
	if (peek(r) != c)
		return false;
	r->at++;
	return true;
}

/* Numbers --------------------------------------------------------------- */

static uint64_t decimal(struct rust *r)
{
	uint64_t n = 0;

	if (!fl_is_digit(peek(r)))
		r->failed = true;
	if (eat(r, '0'))
		return 0;
	while (fl_is_digit(peek(r)))
		if (__builtin_mul_overflow(n, 10u, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(next(r) - '0'), &n))
			r->failed = true;
	return n;
}

/* "_" is 0, "0_" is 1, "Z_" is 62. */
static uint64_t base_62(struct rust *r)
{
	uint64_t n = 0;

	if (eat(r, '_'))
		return 0;
	while (!r->failed && !eat(r, '_')) {
		char c = next(r);
		uint64_t digit = fl_is_digit(c) ? (uint64_t)(c - '0') :
				 c >= 'a' && c <= 'z' ?
				 (uint64_t)(c - 'a') + 10 :
				 c >= 'A' && c <= 'Z' ?
				 (uint64_t)(c - 'A') + 36 : UINT64_MAX;

		if (digit == UINT64_MAX ||
		    __builtin_mul_overflow(n, 62u, &n) ||
		    __builtin_add_overflow(n, digit, &n))
			r->failed = true;
	}
	r->failed |= n == UINT64_MAX;
	return n + 1;
}

static uint64_t optional_62(struct rust *r, char mark)
{
	return eat(r, mark) ? base_62(r) + 1 : 0;
}

/* Identifiers ----------------------------------------------------------- */

static void put_letter(struct rust *r, uint32_t c)
{
	put(r, "", 0);	/* checks the length */
	if (!r->silent && !r->failed)
		fl_utf8_put(r->to, c);
}

/* RFC 3492: how far a delta moves the next one's scale. */
static uint32_t adapt(uint64_t delta, uint64_t n, bool first)
{
	uint32_t k = 0;

	delta = first ? delta / 700 : delta / 2;
	delta += delta / n;
	for (; delta > 35 * 26 / 2; k += 36)
		delta /= 35;
	return k + (uint32_t)(36 * delta / (delta + 38));
}

static bool insert(uint32_t *letters, size_t *n, uint64_t at, uint32_t letter)
{
	if (*n == MAX_LETTERS || at > *n)
		return false;
	memmove(letters + at + 1, letters + at,
		(*n - at) * sizeof(*letters));
	letters[at] = letter;
	++*n;
	return true;
}

/* The next delta of Punycode; false: it is cut, or too large. */
static bool read_delta(struct slice *code, uint32_t bias, uint64_t *i)
{
	uint64_t weight = 1;

	for (uint32_t k = 36;; k += 36) {
		uint32_t t = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias;
		char c = code->size ? *code->data : '\0';
		uint32_t digit = c >= 'a' && c <= 'z' ? (uint32_t)(c - 'a') :
				 fl_is_digit(c) ? (uint32_t)(c - '0') + 26 :
				 UINT32_MAX;

		if (digit == UINT32_MAX || weight > UINT32_MAX)
			return false;
		code->data++;
		code->size--;
		*i += digit * weight;
		if (digit < t)
			return true;
		weight *= 36 - t;
	}
}

/* Plain letters, '_' and the places of the others. */
static bool punycode(struct rust *r, struct slice name)
{
	uint32_t letters[MAX_LETTERS], bias = 72;
	uint64_t letter = 128, i = 0, before;
	const char *bar = memrchr(name.data, '_', name.size);
	struct slice code = name;
	size_t n = 0;

	for (; bar && n < MAX_LETTERS && name.data + n < bar; n++)
		letters[n] = (unsigned char)name.data[n];
	if (bar)
		code = (struct slice){ bar + 1, (size_t)(name.data + name.size -
							  bar - 1) };
	while (code.size) {
		before = i;
		if (!read_delta(&code, bias, &i))
			return false;
		bias = adapt(i - before, n + 1, before == 0 && letter == 128);
		letter += i / (n + 1);
		i %= n + 1;
		if (letter > 0x10ffff ||
		    !insert(letters, &n, i++, (uint32_t)letter))
			return false;
	}
	for (size_t k = 0; k < n; k++)
		put_letter(r, letters[k]);
	return n;
}

static struct slice name_of(struct rust *r, bool *coded)
{
	struct slice name = { r->at, 0 };
	uint64_t size;

	*coded = eat(r, 'u');
	size = decimal(r);
	eat(r, '_');
	if (r->failed || size > (uint64_t)(r->end - r->at)) {
		r->failed = true;
		return name;
	}
	name = (struct slice){ r->at, size };
	r->at += size;
	return name;
}

static void put_name(struct rust *r, struct slice name, bool coded)
{
	size_t before = r->to->size;

	if (!coded) {
		put(r, name.data, name.size);
	} else if (!punycode(r, name)) {
		r->to->size = before;
		say(r, "punycode{");
		put(r, name.data, name.size);
		say(r, "}");
	}
}

static void identifier(struct rust *r)
{
	bool coded;
	struct slice name;

	optional_62(r, 's');
	name = name_of(r, &coded);
	put_name(r, name, coded);
}

/* Paths ------------------------------------------------------------------- */

/* Reads again from an earlier place. */
static void refer(struct rust *r, void (*read)(struct rust *, bool), bool arg)
{
	const char *here = r->at - 1, *after;
	uint64_t place = base_62(r);

	after = r->at;
	if (r->failed || place >= (uint64_t)(here - r->start)) {
		r->failed = true;
		return;
	}
	/* Parts that are not written are not parsed a second time. */
	if (r->silent)
		return;
	r->at = r->start + place;
	read(r, arg);
	r->at = after;
}

static void lifetime(struct rust *r, uint64_t n)
{
	char name[2] = { 0 };
	uint64_t depth = r->bound - n;

	if (!n || n > r->bound) {
		r->failed |= n > r->bound;
		say(r, "'_");
		return;
	}
	say(r, "'");
	if (depth < 26) {
		name[0] = (char)('a' + depth);
		say(r, name);
	} else {
		say(r, "_");
		say_number(r, depth);
	}
}

static void generic(struct rust *r)
{
	if (eat(r, 'L'))
		lifetime(r, base_62(r));
	else if (eat(r, 'K'))
		constant(r, false);
	else
		type(r);
}

/* Parts up to an E, with commas between; their number. */
static size_t list(struct rust *r, void (*part)(struct rust *))
{
	size_t n = 0;

	for (; !r->failed && !eat(r, 'E'); n++) {
		if (n)
			say(r, ", ");
		part(r);
	}
	return n;
}

static void impl_path(struct rust *r)
{
	optional_62(r, 's');
	r->silent++;
	path(r, false);
	r->silent--;
}

/* Closures and shims are numbered; names of crates and modules are not. */
static void nested(struct rust *r, bool value)
{
	char space = next(r);
	uint64_t number;
	struct slice name;
	bool coded;

	path(r, value);
	number = optional_62(r, 's');
	name = name_of(r, &coded);
	if (space >= 'A' && space <= 'Z') {
		say(r, "::{");
		if (space == 'C')
			say(r, "closure");
		else if (space == 'S')
			say(r, "shim");
		else
			put(r, &space, 1);
		if (name.size) {
			say(r, ":");
			put_name(r, name, coded);
		}
		say(r, "#");
		say_number(r, number);
		say(r, "}");
	} else if (space < 'a' || space > 'z') {
		r->failed = true;
	} else if (name.size) {
		say(r, "::");
		put_name(r, name, coded);
	}
}

static void arguments(struct rust *r, bool value)
{
	path(r, value);
	say(r, value ? "::<" : "<");
	list(r, generic);
	say(r, ">");
}

static void path(struct rust *r, bool value)
{
	char kind;

	if (++r->depth > MAX_DEPTH)
		r->failed = true;
	switch (kind = next(r)) {
	case 'C':
		identifier(r);
		break;
	case 'N':
		nested(r, value);
		break;
	case 'M':
	case 'X':
	case 'Y':
		if (kind != 'Y')
			impl_path(r);
		say(r, "<");
		type(r);
		if (kind != 'M') {
			say(r, " as ");
			path(r, false);
		}
		say(r, ">");
		break;
	case 'I':
		arguments(r, value);
		break;
	case 'B':
		refer(r, path, value);
		break;
	default:
		r->failed = true;
	}
	r->depth--;
}

/* Types ------------------------------------------------------------------- */

static const char *basic(char c)
{
	static const char *const names[26] = {
		"i8", "bool", "char", "f64", "str", "f32", NULL, "u8",
		"isize", "usize", NULL, "i32", "u32", "i128", "u128", "_",
		NULL, NULL, "i16", "u16", "()", "...", NULL, "i64", "u64", "!",
	};

	return c >= 'a' && c <= 'z' ? names[c - 'a'] : NULL;
}

/* Lifetimes that the type names itself; how many they are. */
static uint64_t binder(struct rust *r)
{
	uint64_t n = optional_62(r, 'G');

	if (n > 64)
		r->failed = true;
	if (!n || r->failed)
		return 0;
	say(r, "for<");
	for (uint64_t i = 0; i < n; i++) {
		if (i)
			say(r, ", ");
		r->bound++;
		lifetime(r, 1);
	}
	say(r, "> ");
	return n;
}

static void function(struct rust *r)
{
	uint64_t bound = binder(r);
	struct slice abi;
	bool coded;

	if (eat(r, 'U'))
		say(r, "unsafe ");
	if (eat(r, 'K')) {
		say(r, "extern \"");
		if (eat(r, 'C')) {
			say(r, "C");
		} else {
			abi = name_of(r, &coded);
			for (size_t i = 0; i < abi.size; i++)
				put(r, abi.data[i] == '_' ? "-" : abi.data + i,
				    1);
		}
		say(r, "\" ");
	}
	say(r, "fn(");
	list(r, type);
	say(r, ")");
	if (!eat(r, 'u')) {
		say(r, " -> ");
		type(r);
	}
	r->bound -= bound;
}

/* The path of a trait; whether its list of arguments is still open. */
static bool open_path(struct rust *r)
{
	const char *after;
	bool open = false;

	if (eat(r, 'B')) {
		const char *here = r->at - 1;
		uint64_t place = base_62(r);

		after = r->at;
		if (r->failed || place >= (uint64_t)(here - r->start) ||
		    ++r->depth > MAX_DEPTH) {
			r->failed = true;
			return false;
		}
		r->at = r->start + place;
		open = open_path(r);
		r->at = after;
		r->depth--;
	} else if (eat(r, 'I')) {
		path(r, false);
		say(r, "<");
		list(r, generic);
		open = true;
	} else {
		path(r, false);
	}
	return open;
}

static void dyn_traits(struct rust *r)
{
	uint64_t bound = binder(r);

	for (size_t n = 0; !r->failed && !eat(r, 'E'); n++) {
		bool open, coded;
		struct slice name;

		if (n)
			say(r, " + ");
		open = open_path(r);
		while (eat(r, 'p')) {
			say(r, open ? ", " : "<");
			open = true;
			name = name_of(r, &coded);
			put_name(r, name, coded);
			say(r, " = ");
			type(r);
		}
		if (open)
			say(r, ">");
	}
	r->bound -= bound;
}

static void reference(struct rust *r, const char *more)
{
	uint64_t n;

	say(r, "&");
	if (eat(r, 'L') && (n = base_62(r))) {
		lifetime(r, n);
		say(r, " ");
	}
	say(r, more);
	type(r);
}

static void tuple(struct rust *r)
{
	size_t n;

	say(r, "(");
	n = list(r, type);
	say(r, n == 1 ? ",)" : ")");
}

static void type_again(struct rust *r, bool value)
{
	(void)value;
	type(r);
}

static void dyn(struct rust *r)
{
	uint64_t n;

	say(r, "dyn ");
	dyn_traits(r);
	if (!eat(r, 'L'))
		r->failed = true;
	n = base_62(r);
	if (n) {
		say(r, " + ");
		lifetime(r, n);
	}
}

static void array(struct rust *r, bool sized)
{
	say(r, "[");
	type(r);
	if (sized) {
		say(r, "; ");
		constant(r, true);
	}
	say(r, "]");
}

static void compound(struct rust *r, char kind)
{
	switch (kind) {
	case 'A':
	case 'S':
		array(r, kind == 'A');
		break;
	case 'T':
		tuple(r);
		break;
	case 'R':
		reference(r, "");
		break;
	case 'Q':
		reference(r, "mut ");
		break;
	case 'P':
	case 'O':
		say(r, kind == 'P' ? "*const " : "*mut ");
		type(r);
		break;
	case 'F':
		function(r);
		break;
	case 'D':
		dyn(r);
		break;
	case 'B':
		refer(r, type_again, false);
		break;
	default:
		r->at--;
		path(r, false);
	}
}

static void type(struct rust *r)
{
	char kind = next(r);

	if (++r->depth > MAX_DEPTH)
		r->failed = true;
	if (basic(kind))
		say(r, basic(kind));
	else if (!r->failed)
		compound(r, kind);
	r->depth--;
}

/* Constants --------------------------------------------------------------- */

/* Hexadecimal digits up to '_'. */
static struct slice digits(struct rust *r)
{
	struct slice s = { r->at, 0 };

	while (fl_is_lower_hex(peek(r)))
		r->at++;
	s.size = (size_t)(r->at - s.data);
	if (!eat(r, '_'))
		r->failed = true;
	return s;
}

static bool number_of(struct slice s, uint64_t *n)
{
	while (s.size && *s.data == '0') {
		s.data++;
		s.size--;
	}
	*n = 0;
	for (size_t i = 0; i < s.size && i < 16; i++)
		*n = *n << 4 | (uint64_t)(fl_is_digit(s.data[i]) ?
					  s.data[i] - '0' :
					  s.data[i] - 'a' + 10);
	return s.size <= 16;
}

static void put_quoted(struct rust *r, uint32_t c, char quote)
{
	static const char escapes[] = "\tt\nn\rr\\\\\0000";
	char text[16];

	for (size_t i = 0; i < sizeof(escapes) - 1; i += 2) {
		if ((unsigned char)escapes[i] == c) {
			say(r, "\\");
			put(r, escapes + i + 1, 1);
			return;
		}
	}
	if (c == (unsigned char)quote) {
		say(r, "\\");
		put(r, &quote, 1);
	} else if (c < ' ' || c == 0x7f) {
		snprintf(text, sizeof(text), "\\u{%" PRIx32 "}", c);
		say(r, text);
	} else {
		put_letter(r, c);
	}
}

static void put_string(struct rust *r)
{
	struct slice s = digits(r);
	char bytes[4096];
	struct slice text = { bytes, s.size / 2 };
	uint64_t byte;

	if (s.size % 2 || text.size > sizeof(bytes)) {
		r->failed = true;
		return;
	}
	for (size_t i = 0; i < text.size; i++) {
		number_of((struct slice){ s.data + 2 * i, 2 }, &byte);
		bytes[i] = (char)byte;
	}
	say(r, "\"");
	while (text.size && !r->failed) {
		unsigned n = fl_utf8_length(text.data, text.size);

		if (!n) {
			r->failed = true;
			break;
		}
		put_quoted(r, fl_utf8_code(text.data, n), '"');
		text.data += n;
		text.size -= n;
	}
	say(r, "\"");
}

static void integer(struct rust *r, bool is_signed)
{
	struct slice s;
	uint64_t n;

	if (is_signed && eat(r, 'n'))
		say(r, "-");
	s = digits(r);
	if (number_of(s, &n)) {
		say_number(r, n);
	} else {
		say(r, "0x");
		put(r, s.data, s.size);
	}
}

static void boolean(struct rust *r)
{
	uint64_t n;

	if (!number_of(digits(r), &n) || n > 1)
		r->failed = true;
	say(r, n ? "true" : "false");
}

static void character(struct rust *r)
{
	uint64_t n;

	if (!number_of(digits(r), &n) || n > 0x10ffff)
		r->failed = true;
	say(r, "'");
	if (!r->failed)
		put_quoted(r, (uint32_t)n, '\'');
	say(r, "'");
}

static void constant_part(struct rust *r)
{
	constant(r, true);
}

static void field(struct rust *r)
{
	identifier(r);
	say(r, ": ");
	constant(r, true);
}

static void structure(struct rust *r)
{
	path(r, true);
	switch (next(r)) {
	case 'U':
		break;
	case 'T':
		say(r, "(");
		list(r, constant_part);
		say(r, ")");
		break;
	case 'S':
		say(r, " { ");
		list(r, field);
		say(r, " }");
		break;
	default:
		r->failed = true;
	}
}

/* Values of types that have parts. */
static void value_of(struct rust *r, char kind)
{
	size_t n;

	switch (kind) {
	case 'R':
	case 'Q':
		if (kind == 'R' && eat(r, 'e')) {
			put_string(r);
			break;
		}
		say(r, kind == 'R' ? "&" : "&mut ");
		constant(r, true);
		break;
	case 'A':
		say(r, "[");
		list(r, constant_part);
		say(r, "]");
		break;
	case 'T':
		say(r, "(");
		n = list(r, constant_part);
		say(r, n == 1 ? ",)" : ")");
		break;
	case 'V':
		structure(r);
		break;
	case 'e':
		say(r, "*");
		put_string(r);
		break;
	default:
		r->failed = true;
	}
}

static void constant_again(struct rust *r, bool nested)
{
	constant(r, nested);
}

/* nested: in another one, or in an array's type; else values are in braces. */
static void constant(struct rust *r, bool nested)
{
	char kind = next(r);
	bool braces = !nested && kind && strchr("RQATVe", kind) &&
		      !(kind == 'R' && peek(r) == 'e');

	if (++r->depth > MAX_DEPTH)
		r->failed = true;
	if (r->failed) {
		r->depth--;
		return;
	}
	if (braces)
		say(r, "{");
	if (kind == 'p')
		say(r, "_");
	else if (kind == 'B')
		refer(r, constant_again, nested);
	else if (kind == 'b')
		boolean(r);
	else if (kind == 'c')
		character(r);
	else if (strchr("aslxni", kind))
		integer(r, true);
	else if (strchr("htmyoj", kind))
		integer(r, false);
	else
		value_of(r, kind);
	if (braces)
		say(r, "}");
	r->depth--;
}

/* ------------------------------------------------------------------------- */

bool fl_demangle_rust(struct fl_buf *to, const char *name)
{
	struct rust r = { .to = to, .from = to->size };

	if (strncmp(name, "_R", 2) != 0)
		return false;
	r.start = r.at = name + 2;
	/* What compilers append begins with one of these. */
	r.end = r.at + strcspn(r.at, ".$@");
	path(&r, true);
	/* The crate that asked for a generic function's code. */
	if (!r.failed && r.at < r.end) {
		r.silent++;
		path(&r, false);
	}
	if (!r.failed && r.at == r.end && !to->failed)
		return true;
	to->size = r.from;
	return false;
}
