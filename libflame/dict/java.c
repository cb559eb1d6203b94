/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses names of Java frames (fl_java_parts): "java/lang/Thread.run", with
 * ":line" or "@bci" at the end of some, and classes alone at the end of stacks
 * of allocations and locks: "java.lang.String", "byte[]".  fl_java_dotted()
 * turns the other ways in which profilers spell a method into a.b.C.m.  For
 * java_plain.c, filter/ and colors.
 */
#include "fl.h"

#include "dict/java.h"

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

/* What Java and its compilers put into names of classes and methods. */
static bool is_name_byte(char c)
{
	switch (c) {
	case '_': case '$': case '<': case '>': case '-': case '+':
		return true;
	default:
		return fl_is_digit(c) || is_upper(c) ||
		       (c >= 'a' && c <= 'z') || (c & 0x80);
	}
}

/* The offset after the last such character; 0: none. */
static size_t last_of(struct slice s, char c)
{
	size_t i = s.size;

	while (i && s.data[i - 1] != c)
		i--;
	return i;
}

/* The same of '.' and '/'. */
static size_t last_separator(struct slice s)
{
	size_t i = s.size;

	while (i && s.data[i - 1] != '.' && s.data[i - 1] != '/')
		i--;
	return i;
}

struct slice fl_java_bare(struct slice name)
{
	size_t i = name.size;

	while (i && fl_is_digit(name.data[i - 1]))
		i--;
	if (i > 1 && i < name.size &&
	    (name.data[i - 1] == ':' || name.data[i - 1] == '@'))
		name.size = i - 1;
	return name;
}

struct slice fl_java_no_place(struct slice name)
{
	size_t i = name.size;

	if (!fl_slice_ends(name, ")"))
		return name;
	while (i && name.data[i - 1] != '(')
		i--;
	if (i > 1 && name.data[i - 2] != ' ')
		name.size = i - 1;
	return name;
}

static struct slice without_arrays(struct slice s)
{
	while (fl_slice_ends(s, "[]"))
		s.size -= 2;
	return s;
}

static size_t index_of(struct slice s, char c)
{
	const char *at = memchr(s.data, c, s.size);

	return at ? (size_t)(at - s.data) : s.size;
}

/*
 * "app//", "java.base@17.0.1/", "app/mod@1/", "java.base/": packages with
 * slashes have no dots, and what follows has.
 */
size_t fl_java_module(struct slice name)
{
	size_t at = index_of(name, '@'), slash, i;

	for (i = 0; i + 1 < name.size; i++)
		if (name.data[i] == '/' && name.data[i + 1] == '/')
			return i ? i + 2 : 0;
	slash = index_of(name, '/');
	if (at < name.size) {
		i = at + index_of(fl_slice_from(name, at), '/');
		return slash < name.size && i < name.size ? i + 1 : 0;
	}
	if (!slash || slash + 1 >= name.size || index_of(name, '.') > slash)
		return 0;
	for (i = 0; i < slash; i++)
		if (is_upper(name.data[i]) ||
		    !is_name_byte(name.data[i] == '.' ? '_' : name.data[i]))
			return 0;
	name = fl_slice_from(name, slash + 1);
	return !fl_is_digit(name.data[0]) && index_of(name, '/') == name.size &&
	       index_of(name, '.') < name.size ? slash + 1 : 0;
}

/* "java.lang.String" of a text that does not mark it: a class, no method. */
static bool is_class_alone(struct slice class, struct slice method)
{
	size_t last = last_separator(class);

	return !memchr(class.data, '/', class.size) &&
	       is_upper(method.data[0]) && last < class.size &&
	       !is_upper(class.data[last]) &&
	       !memchr(class.data + last, '$', class.size - last);
}

/*
 * Without a type: names with a package or a class in upper case that are not
 * a path below '/', C++ or "[group]".
 */
static bool looks_java(struct slice name)
{
	size_t dot, last;
	bool hidden;

	name = fl_java_bare(name);
	for (size_t i = 0; i < name.size; i++)
		if (!is_name_byte(name.data[i]) &&
		    (!i || (name.data[i] != '.' && name.data[i] != '/')))
			return false;
	dot = last_of(name, '.');
	if (!dot)
		return false;
	hidden = dot < name.size && !fl_is_digit(name.data[dot]);
	name.size = dot - 1;
	last = last_separator(name);
	/* LambdaForm$MH.0x00007ff0e9010000.invoke */
	while (hidden && last && fl_is_digit(name.data[last]))
		last = last_separator((struct slice){ name.data, last - 1 });
	return memchr(name.data, '/', name.size) || is_upper(name.data[last]);
}

static bool is_java(struct slice name, enum flame_type type)
{
	return fl_is_java_type(type) ||
	       (type == FLAME_UNKNOWN && looks_java(name));
}

bool fl_java_parts(struct slice name, enum flame_type type, bool leaf,
		   struct fl_java *java)
{
	struct slice placed = fl_java_no_place(name), bare, class, method;
	size_t module = leaf ? 0 : fl_java_module(placed), dot;

	java->module = (struct slice){ name.data, module };
	bare = without_arrays(fl_slice_from(placed, module));
	dot = last_of(bare, '.');
	java->leaf = leaf;
	java->dotted = false;
	if (!leaf && !is_java(bare, type))
		return false;
	class = (struct slice){ bare.data, dot ? dot - 1 : 0 };
	method = fl_slice_from(bare, dot);
	/* No method's name begins with a digit; a hidden class' end does. */
	if (leaf || module + bare.size < placed.size || !class.size ||
	    !method.size || fl_is_digit(method.data[0]) ||
	    is_class_alone(class, method))
		class = bare;
	java->class = class;
	java->rest = fl_slice_from(name, module + class.size);
	return true;
}

bool fl_java_split(const struct flame *flame, const struct flame_frame *frame,
		   struct fl_java *java)
{
	if (!fl_java_parts(fl_name_at(flame, frame->name), frame->type,
			   fl_is_class_leaf(flame, frame), java))
		return false;
	java->dotted = fl_slice_is(fl_name_at(flame, frame->file),
				   FL_DOTTED_CLASS);
	return true;
}

/* Spellings ----------------------------------------------------------- */

bool fl_java_made_of(struct slice s, const char *others)
{
	for (size_t i = 0; i < s.size; i++)
		if (!is_name_byte(s.data[i]) &&
		    !(s.data[i] && strchr(others, s.data[i])))
			return false;
	return s.size;
}

/* Appends text with one byte in place of another. */
static void put_translated(struct fl_buf *out, struct slice text, char from,
			   char to)
{
	size_t begin = out->size;

	fl_buf_put(out, text.data, text.size);
	for (size_t i = begin; !out->failed && i < out->size; i++)
		if (out->data[i] == from)
			out->data[i] = to;
}

static void put_dotted(struct fl_buf *out, struct slice class, char from,
		       struct slice method)
{
	put_translated(out, class, from, '.');
	fl_buf_byte(out, '.');
	fl_buf_put(out, method.data, method.size);
}

/*
 * perf-map-agent: "La/b/C;::m", "La/b/C;.m(I)V"; FlameGraph makes the ';' a
 * ':' and may remove the 'L'.
 */
bool fl_java_agent(struct slice s, struct slice *class, struct slice *method)
{
	size_t end = 0;

	while (end < s.size && s.data[end] != ';' && s.data[end] != ':')
		end++;
	*class = (struct slice){ s.data, end };
	*method = fl_slice_from(s, end);
	if (fl_slice_starts(*method, ";::") || fl_slice_starts(*method, ":::"))
		*method = fl_slice_from(*method, 3);
	else if (fl_slice_starts(*method, ";."))
		*method = fl_slice_from(*method, 2);
	else
		return false;
	if (class->size > 1 && class->data[0] == 'L')
		*class = fl_slice_from(*class, 1);
	else if (index_of(*class, '/') == class->size)
		return false;
	return fl_java_made_of(*class, "/.") && fl_java_made_of(*method, "");
}

static bool of_agent(struct slice s, struct fl_buf *out)
{
	struct slice class, method;

	if (!fl_java_agent(s, &class, &method))
		return false;
	put_dotted(out, class, '/', method);
	return true;
}

/*
 * statsd-jvm-profiler: "a-b-C-m-12", and "-m--2" where the line is not
 * known.  A class in upper case, in a package that is not, distinguishes it
 * from other words with hyphens.
 */
static bool of_statsd(struct slice s, struct fl_buf *out)
{
	struct slice class, method;
	size_t i = s.size, dash;

	while (i && fl_is_digit(s.data[i - 1]))
		i--;
	if (i == s.size || i < 2 || s.data[i - 1] != '-')
		return false;
	i -= 1 + (s.data[i - 2] == '-');
	s.size = i;
	if (!fl_java_made_of(s, ""))
		return false;
	dash = last_of(s, '-');
	if (dash < 2 || dash == s.size || fl_is_digit(s.data[dash]))
		return false;
	method = fl_slice_from(s, dash);
	class = (struct slice){ s.data, dash - 1 };
	dash = last_of(class, '-');
	if (!dash || dash == class.size || !is_upper(class.data[dash]) ||
	    is_upper(class.data[0]) || fl_is_digit(class.data[0]))
		return false;
	put_dotted(out, class, '-', method);
	return true;
}

/* "void a.b.C.m", which was followed by its arguments. */
static struct slice no_type(struct slice s)
{
	size_t blank = last_of(s, ' ');

	if (blank &&
	    fl_java_made_of((struct slice){ s.data, blank - 1 }, ". []"))
		return fl_slice_from(s, blank);
	return s;
}

bool fl_java_dotted(struct slice name, struct fl_buf *out)
{
	struct slice s = { name.data, index_of(name, '(') };
	struct fl_java java;

	if (!s.size || s.data[0] == '/' || s.data[0] == '[')
		return false;
	if (of_agent(s, out))
		return true;
	s = no_type(s);
	if (index_of(s, '.') == s.size)
		return index_of(s, '/') == s.size && of_statsd(s, out);
	s = fl_java_bare(s);
	if (!fl_java_parts(s, FLAME_UNKNOWN, false, &java) ||
	    java.rest.size < 2 || java.rest.data[0] != '.' ||
	    !java.class.size)
		return false;
	put_dotted(out, java.class, '/', fl_slice_from(java.rest, 1));
	return true;
}

void fl_java_slashed(struct slice dotted, struct fl_buf *out)
{
	size_t method = last_of(dotted, '.'), class = method ? method - 1 : 0;

	put_translated(out, (struct slice){ dotted.data, class }, '.', '/');
	fl_buf_put(out, dotted.data + class, dotted.size - class);
}

/* Whether another spelling of a name matches. */
static bool matches_other(const struct fl_regex *re,
			  const struct fl_buf *other, struct slice name)
{
	if (other->size == name.size &&
	    memcmp(other->data, name.data, name.size) == 0)
		return false;
	return fl_regex_match(re, other->data, other->size);
}

/*
 * A look at a word that a match has, or the byte that it begins with.  Other
 * spellings have the words of the name, '.' and '/'.
 */
static bool may_match(const struct fl_regex *re, struct slice name)
{
	struct slice word = fl_regex_word(re);
	int first, other;

	if (word.size)
		return name.size >= word.size &&
		       memmem(name.data, name.size, word.data, word.size);
	first = other = fl_regex_first(re);
	if (first < 0 || first == '.' || first == '/')
		return true;
	if ((first | 0x20) >= 'a' && (first | 0x20) <= 'z')
		other = first ^ 0x20;
	return name.size && (memchr(name.data, first, name.size) ||
			     (other != first &&
			      memchr(name.data, other, name.size)));
}

bool fl_java_match(const struct fl_regex *re, struct slice name)
{
	struct fl_buf dotted = { 0 }, slashed = { 0 };
	bool matches;

	if (!may_match(re, name))
		return false;
	matches = fl_regex_match(re, name.data, name.size);
	if (!matches && fl_java_dotted(name, &dotted)) {
		fl_java_slashed((struct slice){ dotted.data, dotted.size },
				&slashed);
		matches = matches_other(re, &dotted, name) ||
			  matches_other(re, &slashed, name);
	}
	fl_buf_free(&dotted);
	fl_buf_free(&slashed);
	return matches;
}
