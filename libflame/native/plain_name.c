/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fl_plain_name() demangles a name and leaves out its return type and
 * parameters, as perf prints it ("a::f<int>"), for names.c.
 */
#include "fl.h"

#include "native/plain_name.h"
#include "base/demangle.h"

/* The bracket that matches the closing one at `end`; `begin`: none. */
static size_t opening(const char *text, size_t begin, size_t end)
{
	size_t depth = 0;

	for (size_t i = end + 1; i-- > begin;) {
		if (text[i] == ')')
			depth++;
		else if (text[i] == '(' && --depth == 0)
			return i;
	}
	return begin;
}

/* Where the parameters begin; size: there are none. */
static size_t parameters(const char *text, size_t size)
{
	size_t end = size, open;

	/* " const", " &&", " [clone .part.0]" follow them. */
	while (end && text[end - 1] != ')')
		end--;
	if (!end || memchr(text + end, '>', size - end) ||
	    memchr(text + end, ':', size - end))
		return size;
	open = opening(text, 0, end - 1);
	if (!open)
		return size;
	/* "f(int)::{lambda()#1}::operator()" has none of its own. */
	if (end - open == 2 && open >= 8 &&
	    memcmp(text + open - 8, "operator", 8) == 0)
		return size;
	return open;
}

/* "f(int) const::{lambda()#1}::operator()" goes on after its blank. */
static bool is_qualifier(const char *text, size_t size)
{
	static const char *const words[] = { "const", "volatile", "&&", "&" };

	for (size_t i = 0; i < FL_COUNT(words); i++) {
		size_t n = strlen(words[i]);

		if (size > n && memcmp(text, words[i], n) == 0 &&
		    strchr(": &", text[n]))
			return true;
	}
	return false;
}

/* Where the name begins, after its return type. */
static size_t name_at(const char *text, size_t size)
{
	size_t depth = 0, from = 0;

	for (size_t i = 0; i < size; i++) {
		if (depth == 0 && size - i >= 8 &&
		    memcmp(text + i, "operator", 8) == 0 &&
		    (!i || text[i - 1] == ' ' || text[i - 1] == ':'))
			break;
		if (strchr("<({[", text[i]))
			depth++;
		else if (strchr(">)}]", text[i]) && depth &&
			 !(text[i] == '>' && i && text[i - 1] == '-'))
			depth--;
		else if (text[i] == ' ' && depth == 0 &&
			 !is_qualifier(text + i + 1, size - i - 1))
			from = i + 1;
	}
	return from;
}

bool fl_plain_name(struct fl_buf *to, const char *name)
{
	size_t at = to->size, size, from;
	bool plain = name[0] == '_' && name[1] == 'Z';

	if (!fl_demangle(to, name))
		return false;
	if (!plain || to->failed)
		return true;
	size = parameters(to->data + at, to->size - at);
	/* "guard variable for x", "vtable for x" */
	if (size == to->size - at)
		return true;
	from = name_at(to->data + at, size);
	memmove(to->data + at, to->data + at + from, size - from);
	to->size = at + size - from;
	return true;
}
