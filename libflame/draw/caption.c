/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Labels of frames, for svg.c, html.c, text.c and said.c: a name and a width in
 * pixels in, the label out.  fl_caption() cleans a name once; fl_caption_fit()
 * returns the longest tail that fits: all, Class.method, or the method, as the
 * method matters more than the package.
 *
 * share/viewer/caption.js does the same in an SVG: change both.
 */
#include "dict/java.h"
#include "draw/draw.h"

enum { MAX_NAME_BYTES = 4096 };

/* Widths of DejaVu Sans, the widest usual font; 2048 units per em. */
static const uint16_t advances[] = {
	651, 821, 942, 1716, 1303, 1946, 1597, 563, 799, 799, 1024, 1716, 651,
	739, 651, 690, 1303, 1303, 1303, 1303, 1303, 1303, 1303, 1303, 1303,
	1303, 690, 690, 1716, 1716, 1716, 1087, 2048, 1401, 1405, 1430, 1577,
	1294, 1178, 1587, 1540, 604, 604, 1343, 1141, 1767, 1532, 1612, 1235,
	1612, 1423, 1300, 1251, 1499, 1401, 2025, 1403, 1251, 1403, 799, 690,
	799, 1716, 1024, 1024, 1255, 1300, 1126, 1300, 1260, 721, 1300, 1298,
	569, 569, 1186, 569, 1995, 1298, 1253, 1300, 1300, 842, 1067, 803, 1298,
	1212, 1675, 1212, 1212, 1075, 1303, 690, 1303, 1716,
};

enum {
	UNITS_PER_EM = 2048,
	FONT_PIXELS = 12,
	PADDING_PIXELS = 4
};

static unsigned advance(uint8_t c)
{
	if (c >= 32 && c < 127)
		return advances[c - 32];
	if (c < 0xc0)
		return c < 0x80 ? UNITS_PER_EM : 0;	/* 0: amid a sequence */
	return c < 0xe0 ? 1400 : UNITS_PER_EM;
}

static void put(struct fl_caption *c, const char *at, size_t size)
{
	size = FL_MIN(size, sizeof(c->text) - c->size);
	memcpy(c->text + c->size, at, size);
	c->size += size;
}

static void put_text(struct fl_caption *c, const char *text)
{
	put(c, text, strlen(text));
}

static bool ends(const struct fl_caption *c, const char *text)
{
	return fl_slice_ends((struct slice){ c->text, c->size }, text);
}

static bool begins(const char *p, const char *end, const char *text)
{
	return fl_slice_starts((struct slice){ p, end - p }, text);
}

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

/* "map$1$adapted" as "map λ1". */
static void put_lambda(struct fl_caption *c, const char *p, const char *end)
{
	const char *name = p;

	if (p < end && !fl_is_digit(*p))
		while (p < end && *p++ != '$')
			;
	put(c, name, p - name - (p > name && p[-1] == '$'));
	if (p > name && *name != '$')
		put_text(c, " ");
	put_text(c, "λ");
	name = p;
	while (p < end && fl_is_digit(*p))
		p++;
	put(c, name, p - name);
}

/* Skips the number of "$$Lambda$14/0x0000.run" and the like. */
static const char *skip_lambda(const char *p, const char *end)
{
	if (p < end && *p == '$')
		for (p++; p < end && fl_is_digit(*p); p++)
			;
	if (end - p > 2 && (begins(p + 1, end, "0x") ||
			    (*p == '/' && fl_is_digit(p[1]))))
		for (p += p[1] == '0' && p[2] == 'x' ? 3 : 1;
		     p < end && fl_is_lower_hex(*p); p++)
			;
	return p;
}

/* The offset of the last dot before `end`, not at 0; 0: none. */
static size_t dot_before(const struct fl_caption *c, size_t end)
{
	const char *dot = end > 1 ? memrchr(c->text + 1, '.', end - 1) : NULL;

	return dot ? (size_t)(dot - c->text) : 0;
}

static void split_java(struct fl_caption *c)
{
	size_t dot = dot_before(c, c->size), before = dot_before(c, dot);

	if (!dot || dot + 1 >= c->size)
		return;
	c->method_at = dot + 1;
	c->class_at = before ? before + 1 : 0;
	/* A class without a method, as in allocation profiles. */
	if (is_lower(c->text[c->class_at]) && c->text[dot + 1] >= 'A' &&
	    c->text[dot + 1] <= 'Z')
		c->class_at = c->method_at;
}

static void unfold_lambda(struct fl_caption *c)
{
	static const char *const heads[] = { "$anonfun$", "lambda$" };
	const char *method = c->text + c->method_at;
	const char *end = c->text + c->size;
	const char *inner = fl_slice_find((struct slice){ method,
							  end - method },
					  "$lambda$");
	char old[FL_MAX_CAPTION];

	if (inner && inner > method) {
		memcpy(old, inner, end - inner);
		c->size = inner - c->text;
		put_text(c, " ");
		put_lambda(c, old + 8, old + (end - inner));
		return;
	}
	for (size_t i = 0; i < FL_COUNT(heads); i++)
		if (begins(method, end, heads[i])) {
			memcpy(old, method, end - method);
			c->size = c->method_at;
			put_lambda(c, old + strlen(heads[i]),
				   old + (end - method));
			return;
		}
}

static void caption_java(struct fl_caption *c, const char *p, const char *end)
{
	static const bool special[256] = {
		['('] = true, ['$'] = true, [':'] = true, [';'] = true,
		['/'] = true,
	};
	bool slashes = memchr(p, '/', end - p);

	if (end - p > 2 && slashes && *p == 'L' && is_lower(p[1]))
		p++;
	for (const char *start = p; p < end; p++) {
		const char *plain = p;

		while (p < end && !special[(uint8_t)*p])
			p++;
		put(c, plain, p - plain);
		if (p == end || (*p == '(' && p > start))
			break;
		if (begins(p, end, "$$Lambda")) {
			put_text(c, "$λ");
			p = skip_lambda(p + 8, end) - 1;
		} else if (begins(p, end, "$$anonfun$")) {
			put_text(c, ".");
			c->class_at = 0;
			c->method_at = c->size;
			put_lambda(c, p + 10, end);
			while (c->class_at < c->method_at - 1 &&
			       memchr(c->text + c->class_at, '.',
				      c->method_at - 1 - c->class_at))
				c->class_at++;
			return;
		} else if (begins(p, end, ":::") || begins(p, end, ";::")) {
			put_text(c, ".");
			p += 2;
		} else {
			put(c, *p == '/' ? "." : p, 1);
		}
	}
	split_java(c);
	unfold_lambda(c);
}

/* Skips to after the bracket that closes the one at p. */
static const char *skip_nested(const char *p, const char *end)
{
	int depth = 0;

	for (; p < end; p++) {
		if (*p == '<' || *p == '(' || *p == '{')
			depth++;
		if (*p == ')' || *p == '}' || (*p == '>' && p[-1] != '-'))
			if (--depth <= 0)
				return p + 1;
	}
	return end;
}

static void split_colons(struct fl_caption *c)
{
	for (size_t i = 0; i + 2 < c->size; i++)
		if (c->text[i] == ':' && c->text[i + 1] == ':') {
			c->class_at = c->method_at;
			c->method_at = i + 2;
			i++;
		}
}

/* Skips what may follow the arguments of a method. */
static const char *skip_qualifiers(const char *p, const char *end)
{
	static const char *const words[] = {
		" const", " volatile", " &&", " &", "&&", "&",
	};

	for (size_t i = 0; i < FL_COUNT(words); i++)
		if (begins(p, end, words[i]))
			p += strlen(words[i]);
	return p;
}

/* Not of a longer word, such as my_operator. */
static bool ends_word(const struct fl_caption *c, const char *word)
{
	size_t n = strlen(word);

	return ends(c, word) &&
	       (c->size == n || c->text[c->size - n - 1] == ':');
}

/* C++ and Rust: removes arguments, template arguments, return type, hash. */
static void caption_cpp(struct fl_caption *c, const char *p, const char *end)
{
	static const bool special[256] = {
		['('] = true, ['<'] = true, ['{'] = true, [' '] = true,
	};
	bool converts = false;

	if (end - p > 19 && begins(end - 19, end, "::h")) {
		const char *h = end - 16;

		while (h < end && fl_is_lower_hex(*h))
			h++;
		if (h == end)
			end -= 19;
	}
	while (p < end) {
		const char *plain = p;
		bool operator;

		while (p < end && !special[(uint8_t)*p])
			p++;
		put(c, plain, p - plain);
		if (p == end)
			break;
		operator = ends_word(c, "operator") ||
			   ends_word(c, "operator<");
		if (begins(p, end, "(anonymous namespace)::")) {
			p += 23;
		} else if (*p == '(' && ends_word(c, "operator")) {
			put_text(c, "()");
			p = skip_nested(p, end);
		} else if (*p == '(' &&
			   (!c->size || fl_slice_is((struct slice){
					c->text, c->size }, "decltype"))) {
			p = skip_nested(p, end);	/* of a return type */
		} else if (*p == '(') {
			p = skip_qualifiers(skip_nested(p, end), end);
			if (!begins(p, end, "::"))
				break;
		} else if (*p == '<' && !operator) {
			p = skip_nested(p, end);
		} else if (*p == '{') {
			put_text(c, "λ");
			p = skip_nested(p, end);
		} else if (begins(p, end, " <")) {
			p++;
		} else if (*p == ' ' && !operator && !converts) {
			if (begins(p, end, " ["))
				break;
			c->size = 0;
			p++;
		} else {
			/* A type, as in "A::operator unsigned long". */
			converts |= *p == ' ' && ends_word(c, "operator");
			put(c, p++, 1);
		}
	}
	if (c->size > 2 && memcmp(c->text, "::", 2) == 0) {
		c->size -= 2;
		memmove(c->text, c->text + 2, c->size);
	}
	split_colons(c);
}

/* C, Go, Python, paths. */
static void caption_other(struct fl_caption *c, const char *p, const char *end)
{
	const char *start = p;

	for (; p < end; p++) {
		if (*p == '/' && p + 1 < end)
			c->class_at = c->method_at = p + 1 - start;
		if (*p == '(' && p > start && (p + 1 == end || p[1] != '*'))
			break;
	}
	while (p > start && p[-1] == ' ')
		p--;
	put(c, start, p - start);
	if (c->method_at >= c->size)
		c->class_at = c->method_at = 0;
}

void fl_caption(struct fl_caption *c, struct slice name, enum flame_type type)
{
	const char *p = name.data, *end = p + FL_MIN(name.size, MAX_NAME_BYTES);

	while (name.size > MAX_NAME_BYTES && end > p && (*end & 0xc0) == 0x80)
		end--;
	c->size = c->class_at = c->method_at = 0;
	if (end - p > 4 && end[-1] == ']' && begins(end - 4, end, "_["))
		end -= 4;
	name.size = end - p;
	if (type == FLAME_GROUP || !name.size || *p == '[')
		put(c, p, name.size);
	else if (fl_slice_has(name, "::") && !fl_looks_java(name) &&
		 !fl_slice_has(name, ";::"))
		caption_cpp(c, p, end);
	else if (fl_is_java_type(type) || fl_looks_java(name))
		caption_java(c, p, end);
	else
		caption_other(c, p, end);
	if (!c->size)
		put(c, p, name.size);
}

static bool fits(struct slice text, double units)
{
	unsigned width = 0;

	for (size_t i = 0; i < text.size; i++) {
		width += advance(text.data[i]);
		if (width > units)
			return false;
	}
	return true;
}

double fl_caption_width(struct slice text)
{
	unsigned width = 0;

	for (size_t i = 0; i < text.size; i++)
		width += advance(text.data[i]);
	return (double)width * FONT_PIXELS / UNITS_PER_EM;
}

struct slice fl_caption_fit(const struct fl_caption *c, double pixels,
			    bool *cut)
{
	size_t starts[] = { 0, c->class_at, c->method_at };
	double units =
		(pixels - 2 * PADDING_PIXELS) * UNITS_PER_EM / FONT_PIXELS -
		UNITS_PER_EM;
	struct slice text = { c->text, 0 };
	unsigned letters = 0;

	*cut = false;
	if (pixels < FL_MIN_CAPTION_PIXELS)
		return text;
	for (size_t i = 0; i < FL_COUNT(starts); i++) {
		text.data = c->text + starts[i];
		text.size = c->size - starts[i];
		if (fits(text, units + UNITS_PER_EM))
			return text;
	}
	*cut = true;
	for (size_t i = 0; i < text.size; i++) {
		uint8_t byte = text.data[i];

		if ((byte & 0xc0) != 0x80) {
			if (advance(byte) > units) {
				text.size = letters < 3 ? 0 : i;
				return text;
			}
			letters++;
		}
		units -= advance(byte);
	}
	return text;
}
