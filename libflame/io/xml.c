/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pull parser for XML: fl_xml_next() returns the next token of an input, a
 * tag or the text up to one, which is peeked as a whole; fl_xml_attribute() an
 * attribute of the tag.  For readers of XML in format/ and remote/.
 */
#include "fl.h"

#include "io/xml.h"

enum { MAX_TOKEN = 16 << 20, MIN_PEEK = 1 << 14 };

void fl_xml_init(struct fl_xml *xml, struct fl_in *in)
{
	memset(xml, 0, sizeof(*xml));
	xml->in = in;
}

void fl_xml_free(struct fl_xml *xml)
{
	fl_buf_free(&xml->buf);
	fl_buf_free(&xml->value);
}

static enum fl_xml_token fail(struct fl_xml *xml, const char *error, bool cut)
{
	xml->error = error;
	xml->cut = cut;
	xml->token = FL_XML_FAILED;
	return FL_XML_FAILED;
}

/* The text before the first c; all of it if there is no c. */
static struct slice cut_off(struct slice *rest, char c)
{
	const char *at = rest->size ? memchr(rest->data, c, rest->size) : NULL;
	struct slice head = { rest->data, at ? (size_t)(at - rest->data) :
					     rest->size };

	rest->data += head.size + (at != NULL);
	rest->size -= head.size + (at != NULL);
	return head;
}

/* Entities ------------------------------------------------------------- */

/* The name between & and ; as a character; false: it is none. */
static bool put_entity(struct fl_buf *to, struct slice name)
{
	static const struct { const char *name; char c; } known[] = {
		{ "amp", '&' }, { "lt", '<' }, { "gt", '>' },
		{ "quot", '"' }, { "apos", '\'' },
	};
	uint32_t code = 0;
	bool hex;

	for (size_t i = 0; i < FL_COUNT(known); i++)
		if (fl_slice_is(name, known[i].name)) {
			fl_buf_byte(to, known[i].c);
			return true;
		}
	if (name.size < 2 || name.data[0] != '#')
		return false;
	hex = name.data[1] == 'x';
	for (size_t i = 1 + hex; i < name.size; i++) {
		char c = name.data[i];

		if (!(hex ? fl_is_hex(c) : fl_is_digit(c)) || code > 0x10ffff)
			return false;
		code = code * (hex ? 16 : 10) +
		       (uint32_t)(fl_is_digit(c) ? c - '0' :
						   (c | 0x20) - 'a' + 10);
	}
	if (code > 0x10ffff || name.size == 1 + (size_t)hex)
		return false;
	fl_utf8_put(to, code);
	return true;
}

/* Without entities it is the text itself. */
static struct slice unescape(struct fl_buf *to, struct slice s)
{
	if (!s.size || !memchr(s.data, '&', s.size))
		return s;
	to->size = 0;
	while (s.size) {
		struct slice head = cut_off(&s, '&'), name;
		const char *from = head.data + head.size;

		fl_buf_put(to, head.data, head.size);
		if (from == s.data)
			break;
		name = (struct slice){ s.data, FL_MIN(s.size, 12) };
		if (!memchr(name.data, ';', name.size)) {
			fl_buf_byte(to, '&');
			continue;
		}
		name = cut_off(&name, ';');
		if (!put_entity(to, name)) {
			fl_buf_byte(to, '&');
			continue;
		}
		s.data += name.size + 1;
		s.size -= name.size + 1;
	}
	return fl_buf_slice(to);
}

/* Tokens --------------------------------------------------------------- */

/* How far a tag has been read, and the quote that is open there. */
struct tag_scan {
	size_t i;
	char quote;
};

/* The offset after the tag's >, quoted ones skipped; 0: not in these bytes. */
static size_t tag_end(struct tag_scan *scan, const char *at, size_t n)
{
	size_t i = scan->i;

	for (; i < n; i++) {
		if (scan->quote) {
			const char *end = memchr(at + i, scan->quote, n - i);

			if (!end)
				break;
			i = (size_t)(end - at);
			scan->quote = '\0';
		} else if (at[i] == '"' || at[i] == '\'') {
			scan->quote = at[i];
		} else if (at[i] == '>') {
			return i + 1;
		}
	}
	scan->i = n;
	return 0;
}

static size_t find_end(const char *at, size_t n, const char *mark)
{
	struct slice s = { at, n };
	const char *end = fl_slice_find(s, mark);

	return end ? (size_t)(end - at) + strlen(mark) : 0;
}

/* The size of what begins with <; 0: its end is not here. */
static size_t markup_end(struct tag_scan *scan, const char *at, size_t n)
{
	struct slice s = { at, n };

	if (fl_slice_starts(s, "<!--"))
		return find_end(at, n, "-->");
	if (fl_slice_starts(s, "<![CDATA["))
		return find_end(at, n, "]]>");
	if (fl_slice_starts(s, "<?"))
		return find_end(at, n, "?>");
	return tag_end(scan, at, n);
}

/* The next markup or text as a whole; false: the input has ended. */
static bool peek_token(struct fl_xml *xml, struct slice *token, bool *whole)
{
	struct tag_scan scan = { .i = 1 };
	size_t want = MIN_PEEK, n, size;
	const char *at, *end;

	for (;; want = 2 * FL_MAX(want, n)) {
		at = (const char *)fl_in_peek(xml->in, want, &n);
		if (!at || !n)
			return false;
		if (*at == '<') {
			size = markup_end(&scan, at, n);
		} else {
			end = memchr(at, '<', n);
			size = end ? (size_t)(end - at) : 0;
		}
		*whole = size > 0;
		*token = (struct slice){ at, size ? size : n };
		if (size || n < want || want > MAX_TOKEN)
			return true;
	}
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static enum fl_xml_token open_tag(struct fl_xml *xml, struct slice tag)
{
	size_t n = 0;

	tag = (struct slice){ tag.data + 1, tag.size - 2 };
	xml->empty = fl_slice_ends(tag, "/");
	tag.size -= xml->empty;
	while (n < tag.size && !is_space(tag.data[n]))
		n++;
	xml->name = (struct slice){ tag.data, n };
	xml->attributes = fl_slice_from(tag, n);
	if (!n)
		return fail(xml, "a tag without a name", false);
	xml->depth++;
	return xml->token = FL_XML_OPEN;
}

static enum fl_xml_token close_tag(struct fl_xml *xml, struct slice tag)
{
	tag = (struct slice){ tag.data + 2, tag.size - 3 };
	while (tag.size && is_space(tag.data[tag.size - 1]))
		tag.size--;
	xml->name = tag;
	if (!xml->depth)
		return fail(xml, "an end tag that ends nothing", false);
	xml->depth--;
	return xml->token = FL_XML_CLOSE;
}

enum fl_xml_token fl_xml_next(struct fl_xml *xml)
{
	struct slice token;
	bool whole;

	if (xml->error)
		return FL_XML_FAILED;
	if (xml->token == FL_XML_OPEN && xml->empty) {
		xml->depth--;
		return xml->token = FL_XML_CLOSE;
	}
	for (;;) {
		fl_in_consume(xml->in, xml->used);
		xml->used = 0;
		if (!peek_token(xml, &token, &whole))
			return xml->depth ? fail(xml, "it is cut", true) :
			       (xml->token = FL_XML_END);
		if (!whole && token.data[0] == '<')
			return fail(xml, token.size > MAX_TOKEN ?
				    "a tag without an end" : "it is cut", true);
		xml->used = token.size;
		if (token.data[0] != '<') {
			xml->text = unescape(&xml->buf, token);
			return xml->token = FL_XML_TEXT;
		}
		if (fl_slice_starts(token, "<![CDATA[")) {
			xml->text = (struct slice){ token.data + 9,
						    token.size - 12 };
			return xml->token = FL_XML_TEXT;
		}
		if (token.size > 1 && token.data[1] == '/')
			return close_tag(xml, token);
		if (token.size > 1 && token.data[1] != '!' &&
		    token.data[1] != '?')
			return open_tag(xml, token);
	}
}

bool fl_xml_attribute(struct fl_xml *xml, const char *name,
		      struct slice *value)
{
	struct slice s = xml->attributes;

	while (s.size) {
		struct slice key = cut_off(&s, '=');

		while (key.size && is_space(*key.data)) {
			key.data++;
			key.size--;
		}
		while (key.size && is_space(key.data[key.size - 1]))
			key.size--;
		while (s.size && is_space(*s.data)) {
			s.data++;
			s.size--;
		}
		if (!s.size || (*s.data != '"' && *s.data != '\''))
			return false;
		s.data++;
		s.size--;
		*value = cut_off(&s, s.data[-1]);
		if (fl_slice_is(key, name)) {
			*value = unescape(&xml->value, *value);
			return true;
		}
	}
	return false;
}
