/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pull parser for JSON: fl_json_next() returns the next token of an input or
 * of bytes in memory, fl_json_key(), fl_json_element() and others the parts of
 * an object or array.  For all readers of JSON; json.h has the contract.
 */
#include "fl.h"

#include "io/json.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
	CHUNK = 1 << 16,	/* bytes asked for at a time */
	MAX_NUMBER = 1024	/* bytes */
};

#define LOW UINT64_C(0x0101010101010101)
#define HIGH UINT64_C(0x8080808080808080)

static const char ends_early[] = "the input ends within a value";

static enum fl_json_token fail(struct fl_json *json, const char *error)
{
	if (!json->error) {
		json->error = error;
		json->cut = error == ends_early;
	}
	return json->token = FL_JSON_FAILED;
}

static enum fl_json_token fail_memory(struct fl_json *json)
{
	json->no_memory = true;
	return fail(json, "out of memory");
}

void fl_json_init(struct fl_json *json, struct fl_in *in)
{
	memset(json, 0, sizeof(*json));
	json->in = in;
	json->line = 1;
	json->max_string = fl_in_max_line(in);
}

void fl_json_init_memory(struct fl_json *json, const void *data, size_t size)
{
	memset(json, 0, sizeof(*json));
	json->window = json->pos = data;
	json->end = json->pos + size;
	json->line = 1;
	json->max_string = SIZE_MAX;
}

void fl_json_free(struct fl_json *json)
{
	fl_free(json->levels);
	fl_buf_free(&json->buf);
}

uint64_t fl_json_offset(const struct fl_json *json)
{
	return (json->in ? fl_in_offset(json->in) : 0) +
	       (uint64_t)(json->pos - json->window);
}

/* The window ----------------------------------------------------------- */

/* Reads more bytes; those from pos on may move.  false: no more. */
static bool refill(struct fl_json *json)
{
	size_t unread = (size_t)(json->end - json->pos), size;

	if (!json->in)
		return false;
	if (json->pos != json->window)
		fl_in_consume(json->in, (size_t)(json->pos - json->window));
	json->window = fl_in_peek(json->in, unread + CHUNK, &size);
	json->pos = json->window;
	json->end = json->window + size;
	fl_in_release(json->in, fl_in_offset(json->in));
	return size > unread;
}

/* Makes n bytes from pos on available, if the input has them. */
static bool want(struct fl_json *json, size_t size)
{
	while ((size_t)(json->end - json->pos) < size)
		if (!refill(json))
			return false;
	return true;
}

static int pass_blanks(struct fl_json *json)
{
	const uint8_t *p = json->pos;

	for (;;) {
		for (; p < json->end; p++) {
			if (*p > ' ' || !(*p == ' ' || *p == '\n' ||
					  *p == '\t' || *p == '\r')) {
				json->pos = p;
				return *p;
			}
			json->line += *p == '\n';
		}
		json->pos = p;
		if (!refill(json))
			return -1;
		p = json->pos;
	}
}

/* The next byte that is not a blank; -1 at the end of the input. */
static inline int skip_blanks(struct fl_json *json)
{
	return fl_likely(json->pos < json->end && *json->pos > ' ') ?
	       *json->pos : pass_blanks(json);
}

/* Strings -------------------------------------------------------------- */

/* Where the first '"', '\\', control or byte of no ASCII may be. */
static const uint8_t *skip_plain(const uint8_t *p, const uint8_t *end)
{
	while (end - p >= 8) {
		uint64_t w, quote, slash, found;

		memcpy(&w, p, 8);
		quote = w ^ LOW * '"';
		slash = w ^ LOW * '\\';
		quote = (quote - LOW) & ~quote;
		slash = (slash - LOW) & ~slash;
		found = (quote | slash | (w - LOW * ' ') | w) & HIGH;
		/* The lowest is exact; on big endian, look byte by byte. */
		if (found &&
		    __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
			return p + __builtin_ctzll(found) / 8;
		if (found)
			break;
		p += 8;
	}
	while (p < end && *p != '"' && *p != '\\' && *p >= ' ' && *p < 0x80)
		p++;
	return p;
}

/* U+FFFD in the place of invalid text. */
static void put_replacement(struct fl_json *json, bool *replaced)
{
	fl_buf_put(&json->buf, "\xef\xbf\xbd", 3);
	json->replaced += !*replaced;
	*replaced = true;
}

static bool hex4(const uint8_t *p, uint32_t *code)
{
	*code = 0;
	for (int i = 0; i < 4; i++) {
		uint8_t c = p[i], d = (uint8_t)((c | 0x20) - 'a');

		if (c >= '0' && c <= '9')
			*code = *code << 4 | (uint32_t)(c - '0');
		else if (d < 6)
			*code = *code << 4 | (d + 10u);
		else
			return false;
	}
	return true;
}

/* From "\u" on; pairs of surrogates are one character. */
static bool put_unicode(struct fl_json *json, bool *replaced)
{
	uint32_t code, low;

	if (!want(json, 6)) {
		fail(json, ends_early);
		return false;
	}
	if (!hex4(json->pos + 2, &code)) {
		fail(json, "\\u without four hexadecimal digits");
		return false;
	}
	json->pos += 6;
	if (code >= 0xd800 && code < 0xdc00 && want(json, 6) &&
	    json->pos[0] == '\\' && json->pos[1] == 'u' &&
	    hex4(json->pos + 2, &low) && low >= 0xdc00 && low < 0xe000) {
		code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
		json->pos += 6;
	}
	if (code >= 0xd800 && code < 0xe000)
		put_replacement(json, replaced);
	else
		fl_utf8_put(&json->buf, code);
	return true;
}

static bool put_escape(struct fl_json *json, bool *replaced)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *which;

	if (!want(json, 2)) {
		fail(json, ends_early);
		return false;
	}
	if (json->pos[1] == 'u')
		return put_unicode(json, replaced);
	which = json->pos[1] ? strchr(from, json->pos[1]) : NULL;
	if (!which) {
		fail(json, "an escape that JSON does not have");
		return false;
	}
	fl_buf_byte(&json->buf, to[which - from]);
	json->pos += 2;
	return true;
}

/* An escape, a control character or a byte above ASCII, at pos. */
static bool put_special(struct fl_json *json, bool *replaced)
{
	unsigned n;

	if (*json->pos == '\\')
		return put_escape(json, replaced);
	want(json, 4);
	n = fl_utf8_length((const char *)json->pos,
			   FL_MIN((size_t)(json->end - json->pos), 4));
	json->line += *json->pos == '\n';
	if (n)
		fl_buf_put(&json->buf, (const char *)json->pos, n);
	else
		put_replacement(json, replaced);
	json->pos += n ? n : 1;
	return true;
}

static void refuse_string(struct fl_json *json)
{
	fl_in_refuse(json->in, "a string longer than %zu MB reaches byte %"
		     PRIu64 ": reading stops there; if it is right, give "
		     "--memory-limit a larger size",
		     json->max_string >> 20, fl_json_offset(json));
	fail(json, "a string that is too long");
}

/* The rest of a string that needs unescaping or crosses the window's end. */
static bool read_long_string(struct fl_json *json)
{
	bool replaced = false;

	json->buf.size = 0;
	for (;;) {
		const uint8_t *p = skip_plain(json->pos, json->end);

		fl_buf_put(&json->buf, (const char *)json->pos,
			   (size_t)(p - json->pos));
		json->pos = p;
		if (json->buf.size > json->max_string) {
			refuse_string(json);
			return false;
		}
		if (p == json->end && !refill(json)) {
			fail(json, ends_early);
			return false;
		}
		if (json->pos == json->end)
			continue;
		if (*json->pos == '"')
			break;
		if (*json->pos < ' ' || *json->pos >= 0x80 ||
		    *json->pos == '\\')
			if (!put_special(json, &replaced))
				return false;
	}
	json->pos++;
	if (json->buf.failed) {
		fail_memory(json);
		return false;
	}
	json->text = (struct slice){ json->buf.data ? json->buf.data : "",
				     json->buf.size };
	return true;
}

/* From the quote on. */
static bool read_string(struct fl_json *json)
{
	const uint8_t *begin = ++json->pos, *p = begin;

	for (;;) {
		unsigned n;

		p = skip_plain(p, json->end);
		if (p == json->end || *p < 0x80)
			break;
		n = fl_utf8_length((const char *)p, (size_t)(json->end - p));
		if (!n)
			break;
		p += n;
	}
	if (p == json->end || *p != '"')
		return read_long_string(json);
	json->text = (struct slice){ (const char *)begin,
				     (size_t)(p - begin) };
	json->pos = p + 1;
	return true;
}

/* Numbers and words ---------------------------------------------------- */

static bool is_word_byte(uint8_t c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' &&
					  (c | 0x20) <= 'z') ||
	       c == '.' || c == '+' || c == '-';
}

/* A number, true, false, null: text is all of it. */
static bool read_word(struct fl_json *json)
{
	size_t size = 0;

	for (;;) {
		const uint8_t *p = json->pos + size;

		while (p < json->end && is_word_byte(*p))
			p++;
		size = (size_t)(p - json->pos);
		if (p < json->end || size > MAX_NUMBER || !refill(json))
			break;
	}
	if (size > MAX_NUMBER) {
		fail(json, "a number of more than 1024 bytes");
		return false;
	}
	json->text = (struct slice){ (const char *)json->pos, size };
	json->pos += size;
	/* A number that ends with the input may be incomplete. */
	if (json->pos == json->end && json->depth) {
		fail(json, ends_early);
		return false;
	}
	return size > 0;
}

/* -1.5e+3, or NaN and infinity in the spelling of other languages. */
static bool is_number(struct slice s)
{
	const char *p = s.data, *end = s.data + s.size;
	const char *digits;

	if (fl_slice_is(s, "NaN") || fl_slice_is(s, "Infinity") ||
	    fl_slice_is(s, "-Infinity"))
		return true;
	p += p < end && (*p == '-' || *p == '+');
	for (digits = p; p < end && *p >= '0' && *p <= '9';)
		p++;
	if (p == digits)
		return false;
	if (p < end && *p == '.')
		for (p++; p < end && *p >= '0' && *p <= '9';)
			p++;
	if (p < end && (*p | 0x20) == 'e') {
		p++;
		p += p < end && (*p == '-' || *p == '+');
		for (digits = p; p < end && *p >= '0' && *p <= '9';)
			p++;
		if (p == digits)
			return false;
	}
	return p == end;
}

static enum fl_json_token word_token(struct fl_json *json)
{
	if (!read_word(json))
		return fail(json, "a byte that begins no value");
	if (is_number(json->text))
		return FL_JSON_NUMBER;
	if (fl_json_is(json, "true"))
		return FL_JSON_TRUE;
	if (fl_json_is(json, "false"))
		return FL_JSON_FALSE;
	if (fl_json_is(json, "null"))
		return FL_JSON_NULL;
	return fail(json, "a word that JSON does not have");
}

/* Tokens --------------------------------------------------------------- */

static bool in_object(const struct fl_json *json)
{
	return json->depth && json->levels[json->depth - 1] == '{';
}

static enum fl_json_token begin(struct fl_json *json, uint8_t bracket)
{
	if (json->depth == FL_JSON_MAX_DEPTH)
		return fail(json, "more than 262144 levels of nesting");
	if (!fl_grow(&json->levels, &json->levels_capacity, json->depth + 1,
		     1))
		return fail_memory(json);
	json->levels[json->depth++] = bracket;
	json->pos++;
	json->place = FL_JSON_AT_FIRST;
	return bracket == '{' ? FL_JSON_OBJECT : FL_JSON_ARRAY;
}

static enum fl_json_token end(struct fl_json *json)
{
	bool object = in_object(json);

	json->pos++;
	json->depth--;
	json->place = json->depth ? FL_JSON_AFTER_VALUE : FL_JSON_AT_VALUE;
	return object ? FL_JSON_OBJECT_END : FL_JSON_ARRAY_END;
}

static enum fl_json_token read_value(struct fl_json *json, int c)
{
	enum fl_json_token token;

	if (c == '{' || c == '[')
		return begin(json, (uint8_t)c);
	if (c == '"')
		token = read_string(json) ? FL_JSON_STRING : FL_JSON_FAILED;
	else
		token = word_token(json);
	if (json->depth)
		json->place = FL_JSON_AFTER_VALUE;
	return token;
}

static enum fl_json_token read_key(struct fl_json *json, int c)
{
	if (c != '"')
		return fail(json, "a key is missing");
	if (!read_string(json))
		return FL_JSON_FAILED;
	json->place = FL_JSON_AFTER_KEY;
	return FL_JSON_KEY;
}

/* Skips the expected comma or colon; returns the byte after it. */
static int pass_separator(struct fl_json *json, int c)
{
	if (json->place == FL_JSON_AFTER_KEY) {
		if (c != ':') {
			fail(json, c < 0 ? ends_early : "a colon is missing");
			return c;
		}
		json->pos++;
		json->place = FL_JSON_AT_VALUE;
		return skip_blanks(json);
	}
	if (json->place == FL_JSON_AFTER_VALUE && c == ',') {
		json->pos++;
		json->place = FL_JSON_AFTER_COMMA;
		return skip_blanks(json);
	}
	return c;
}

static enum fl_json_token read_token(struct fl_json *json)
{
	int c = skip_blanks(json);
	bool object = in_object(json);

	c = pass_separator(json, c);
	if (json->error)
		return FL_JSON_FAILED;
	if (c < 0)
		return json->depth ? fail(json, ends_early) : FL_JSON_END;
	if (c == (object ? '}' : ']') && json->depth &&
	    json->place != FL_JSON_AT_VALUE)
		return end(json);
	if (json->place == FL_JSON_AFTER_VALUE)
		return fail(json, object ? "a comma or } is missing" :
					   "a comma or ] is missing");
	if (object && json->place != FL_JSON_AT_VALUE)
		return read_key(json, c);
	return read_value(json, c);
}

/* Skips a byte order mark and the record separators of RFC 7464. */
static void pass_marks(struct fl_json *json)
{
	if (!fl_json_offset(json) && want(json, 3) &&
	    memcmp(json->pos, "\xef\xbb\xbf", 3) == 0)
		json->pos += 3;
	while (skip_blanks(json) == 0x1e)
		json->pos++;
}

enum fl_json_token fl_json_next(struct fl_json *json)
{
	if (json->error)
		return json->token = FL_JSON_FAILED;
	if (!json->depth)
		pass_marks(json);
	return json->token = read_token(json);
}

/* Skipping ------------------------------------------------------------- */

/* Skips a string after its opening quote, without decoding it. */
static bool skip_string(struct fl_json *json)
{
	const uint8_t *p = json->pos;

	for (;;) {
		while (json->end - p >= 8) {
			uint64_t w, quote, slash;

			memcpy(&w, p, 8);
			quote = w ^ LOW * '"';
			slash = w ^ LOW * '\\';
			quote = (quote - LOW) & ~quote;
			slash = (slash - LOW) & ~slash;
			if ((quote | slash) & HIGH)
				break;
			p += 8;
		}
		while (p < json->end && *p != '"' && *p != '\\')
			p++;
		json->pos = p;
		if (!want(json, 2) && json->pos == json->end)
			return false;
		p = json->pos;
		if (*p == '"') {
			json->pos++;
			return true;
		}
		if (*p == '\\')
			p += FL_MIN(2, json->end - p);
	}
}

static const uint8_t skip_kind[256] = {
	['"'] = 1, ['{'] = 2, ['['] = 2, ['}'] = 3, [']'] = 3, ['\n'] = 4,
};

/* To the end of the innermost object or array. */
static bool skip_level(struct fl_json *json)
{
	size_t depth = 1;

	for (;;) {
		const uint8_t *p = json->pos;

		while (p < json->end && !skip_kind[*p])
			p++;
		json->pos = p;
		if (p == json->end) {
			if (!refill(json))
				return false;
			continue;
		}
		json->pos++;
		switch (skip_kind[*p]) {
		case 1:
			if (!skip_string(json))
				return false;
			break;
		case 2:
			depth++;
			break;
		case 3:
			if (!--depth)
				return true;
			break;
		case 4:
			json->line++;
			break;
		}
	}
}

bool fl_json_skip(struct fl_json *json)
{
	if (json->token == FL_JSON_KEY)
		fl_json_next(json);
	if (json->error)
		return false;
	if (json->token != FL_JSON_OBJECT && json->token != FL_JSON_ARRAY)
		return true;
	if (!skip_level(json)) {
		fail(json, ends_early);
		return false;
	}
	json->token = json->token == FL_JSON_OBJECT ? FL_JSON_OBJECT_END :
						      FL_JSON_ARRAY_END;
	json->depth--;
	json->place = json->depth ? FL_JSON_AFTER_VALUE : FL_JSON_AT_VALUE;
	return true;
}

/* For readers ---------------------------------------------------------- */

bool fl_json_key(struct fl_json *json)
{
	return fl_json_next(json) == FL_JSON_KEY;
}

bool fl_json_element(struct fl_json *json)
{
	fl_json_next(json);
	return json->token != FL_JSON_ARRAY_END &&
	       json->token != FL_JSON_FAILED && json->token != FL_JSON_END;
}

bool fl_json_enter_object(struct fl_json *json)
{
	if (fl_json_next(json) == FL_JSON_OBJECT)
		return true;
	fl_json_skip(json);
	return false;
}

bool fl_json_enter_array(struct fl_json *json)
{
	if (fl_json_next(json) == FL_JSON_ARRAY)
		return true;
	fl_json_skip(json);
	return false;
}

bool fl_json_string(struct fl_json *json, struct slice *text)
{
	if (fl_json_next(json) == FL_JSON_STRING) {
		*text = json->text;
		return true;
	}
	fl_json_skip(json);
	return false;
}

bool fl_json_decimal(struct fl_json *json, int places, int64_t *n)
{
	fl_json_next(json);
	if (json->token == FL_JSON_NUMBER || json->token == FL_JSON_STRING)
		return fl_parse_decimal(json->text, places, n);
	fl_json_skip(json);
	return false;
}

bool fl_json_integer(struct fl_json *json, int64_t *n)
{
	fl_json_next(json);
	if (json->token == FL_JSON_NUMBER || json->token == FL_JSON_STRING)
		return fl_parse_int(json->text, n) ||
		       fl_parse_decimal(json->text, 0, n);
	fl_json_skip(json);
	return false;
}

bool fl_json_is_true(struct fl_json *json)
{
	bool is_true = fl_json_next(json) == FL_JSON_TRUE;

	fl_json_skip(json);
	return is_true;
}

/* Arrays of integers --------------------------------------------------- */

/* One, in a window that surely holds it; NULL: it is something else. */
static const uint8_t *read_integer(const uint8_t *p, uint32_t *n)
{
	uint64_t value = 0;
	const uint8_t *begin;

	p += *p == ' ';
	for (begin = p; *p >= '0' && *p <= '9' && p - begin < 10; p++)
		value = value * 10 + (uint64_t)(*p - '0');
	if (p == begin || value >= FL_JSON_NO_INTEGER ||
	    (*p != ',' && *p != ']'))
		return NULL;
	*n = (uint32_t)value;
	return p;
}

/* Stops at anything but a small integer after at most one blank. */
static void read_integers(struct fl_json *json, struct fl_json_integers *a)
{
	const uint8_t *p = json->pos;

	while (json->end - p >= 16 && a->count < a->capacity) {
		const uint8_t *after = p;

		if (json->place == FL_JSON_AFTER_VALUE && *after++ != ',')
			break;
		after = read_integer(after, &a->data[a->count]);
		if (!after)
			break;
		a->count++;
		p = after;
		json->place = FL_JSON_AFTER_VALUE;
	}
	json->pos = p;
}

bool fl_json_integers(struct fl_json *json, struct fl_json_integers *a)
{
	int64_t n;

	a->count = 0;
	for (;;) {
		if (!fl_grow(&a->data, &a->capacity, a->count + 16,
			     sizeof(*a->data))) {
			fail_memory(json);
			return false;
		}
		read_integers(json, a);
		if (a->count == a->capacity)
			continue;
		if (!fl_json_element(json))
			return json->token == FL_JSON_ARRAY_END;
		a->data[a->count] = FL_JSON_NO_INTEGER;
		if (json->token == FL_JSON_NUMBER &&
		    fl_parse_int(json->text, &n) && n >= 0 &&
		    n < FL_JSON_NO_INTEGER)
			a->data[a->count] = (uint32_t)n;
		a->count++;
		if (!fl_json_skip(json))
			return false;
	}
}

bool fl_json_peek_array(struct fl_json *json, struct slice *bytes)
{
	const uint8_t *bracket = NULL;

	for (int i = 0; i < 2 && !bracket; i++) {
		if (i && !refill(json))
			break;
		bracket = memchr(json->pos, ']',
				 (size_t)(json->end - json->pos));
	}
	if (!bracket)
		return false;
	*bytes = (struct slice){ (const char *)json->pos,
				 (size_t)(bracket - json->pos) };
	return true;
}

void fl_json_end_array(struct fl_json *json, struct slice bytes)
{
	json->pos += bytes.size + 1;
	json->depth--;
	json->place = json->depth ? FL_JSON_AFTER_VALUE : FL_JSON_AT_VALUE;
	json->token = FL_JSON_ARRAY_END;
}

bool fl_json_begins(const void *data, size_t size)
{
	struct fl_json json;
	enum fl_json_token first, second, third;
	bool begins;

	fl_json_init_memory(&json, data, size);
	first = fl_json_next(&json);
	second = fl_json_next(&json);
	third = fl_json_next(&json);
	begins = (first == FL_JSON_OBJECT || first == FL_JSON_ARRAY) &&
		 third != FL_JSON_FAILED;
	/* "[1] main;f 3" is not an array, and is a line of folded text. */
	if (second >= FL_JSON_STRING && third == FL_JSON_ARRAY_END)
		begins = false;
	begins = begins || (json.cut && json.depth);
	fl_json_free(&json);
	return begins;
}
