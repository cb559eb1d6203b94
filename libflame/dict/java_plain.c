/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fl_java_plain() finds the one name of a Java method, a/b/C.m, as recordings
 * have it, for frames.c and format/folded.  Profilers spell it La/b/C;::m, void
 * a.b.C.m(int), java.base@17/a.b.C.m and a.b.C.m too.  Whether a name is of
 * Java is decided by the name (and its type) alone, never by other names, so
 * that each file reads the same alone and together with others.
 */
#include "fl.h"

#include "dict/java.h"

static bool is_lower(char c)
{
	return (c >= 'a' && c <= 'z') || c == '_';
}

static size_t index_of(struct slice s, char c)
{
	const char *at = memchr(s.data, c, s.size);

	return at ? (size_t)(at - s.data) : s.size;
}

/* The offset after the last such character; 0: there is none. */
static size_t last_of(struct slice s, char c)
{
	size_t i = s.size;

	while (i && s.data[i - 1] != c)
		i--;
	return i;
}

static void put_slashed(struct fl_buf *out, struct slice class,
			struct slice method)
{
	for (size_t i = 0; i < class.size; i++)
		fl_buf_byte(out, class.data[i] == '.' ? '/' : class.data[i]);
	fl_buf_byte(out, '.');
	fl_buf_put(out, method.data, method.size);
}

/* Packages ---------------------------------------------------------------- */

/* Packages of one part that are Java's, and beginnings of longer ones. */
static bool is_known_root(struct slice package, size_t parts)
{
	static const char *const java[] = {
		"java", "javax", "jakarta", "jdk", "sun", "scala", "kotlin",
		"kotlinx", "groovy", "clojure", "akka"
	};
	static const char *const domains[] = {
		"com", "org", "net", "edu", "gov", "io", "dev", "ai", "app",
		"co", "me", "de", "fr", "uk", "eu", "cn", "jp", "ru", "ch",
		"nl", "it", "se", "pl", "cz", "at", "au", "br", "ca", "es",
		"no", "fi", "dk", "us", "in", "kr", "be", "tech", "cloud"
	};
	struct slice root = { package.data, index_of(package, '.') };

	for (size_t i = 0; i < FL_COUNT(java); i++)
		if (fl_slice_is(root, java[i]))
			return true;
	for (size_t i = 0; parts > 1 && i < FL_COUNT(domains); i++)
		if (fl_slice_is(root, domains[i]))
			return true;
	return false;
}

/* Counts the leading parts that begin with a small letter: the package. */
static size_t count_parts(struct slice package)
{
	size_t n = 0;

	while (package.size) {
		size_t end = index_of(package, '.');

		if (!end || !is_lower(package.data[0]))
			return 0;
		n++;
		package = fl_slice_from(package, FL_MIN(end + 1, package.size));
	}
	return n;
}

/* The offset of the class after its package: C of a.b.C$$Lambda.0x7f81. */
static size_t class_begin(struct slice class)
{
	size_t begin = last_of(class, '.');

	while (begin && begin < class.size && fl_is_digit(class.data[begin]))
		begin = last_of((struct slice){ class.data, begin - 1 }, '.');
	return begin;
}

/* How sure a text is Java's, besides its packages. */
enum evidence { NO_EVIDENCE, COMPILED, CERTAIN };

/* a.b.C of a.b.C.m: a class in a package, which no other language has. */
static bool is_java_class(struct slice class, enum evidence evidence)
{
	size_t begin = class_begin(class), parts;
	struct slice package = { class.data, begin ? begin - 1 : 0 };
	struct slice name = fl_slice_from(class, begin);

	if (!name.size || !((name.data[0] >= 'A' && name.data[0] <= 'Z') ||
			    memchr(name.data, '$', name.size)))
		return false;
	parts = count_parts(package);
	if (!parts)
		return evidence == CERTAIN && !package.size;
	return evidence == CERTAIN || is_known_root(package, parts) ||
	       (evidence == COMPILED && parts > 1);
}

/* Arguments --------------------------------------------------------------- */

/* (Thread.java:748), (Native Method): a place, not arguments. */
static bool is_place(struct slice s)
{
	static const char *const ends[] = {
		".java", ".scala", ".kt", ".groovy", ".clj"
	};

	if (fl_slice_is(s, "Native Method") ||
	    fl_slice_is(s, "Unknown Source") || fl_slice_is(s, "<generated>"))
		return true;
	s = fl_java_bare(s);
	for (size_t i = 0; i < FL_COUNT(ends); i++)
		if (fl_slice_ends(s, ends[i]))
			return true;
	return false;
}

/* The prefix before the name: "void ", "static java.lang.String[] ". */
static bool take_result(struct slice *head, bool *result)
{
	size_t blank = last_of(*head, ' ');

	*result = blank;
	if (!blank)
		return true;
	if (!fl_java_made_of((struct slice){ head->data, blank - 1 },
			     ". []<>,?&"))
		return false;
	*head = fl_slice_from(*head, blank);
	return true;
}

/* What a text is, apart from module, class and method. */
struct around {
	struct slice place;	/* "(Thread.java:748)", ":748": it stays */
	bool result, arguments;	/* these go */
};

/* false: there is something else in brackets. */
static bool take_around(struct slice *s, struct around *around)
{
	struct slice bare = fl_java_bare(*s), inside;
	size_t open = index_of(bare, '(');

	*around = (struct around){ .place = fl_slice_from(*s, bare.size) };
	*s = bare;
	if (open == s->size)
		return true;
	if (!open || !fl_slice_ends(*s, ")"))
		return false;
	inside = (struct slice){ s->data + open + 1, s->size - open - 2 };
	around->arguments = !is_place(inside);
	if (!around->arguments)
		around->place = fl_slice_from(*s, open);
	else if (inside.size && !fl_java_made_of(inside, ". []<>,?&/"))
		return false;
	s->size = open;
	return !around->arguments || take_result(s, &around->result);
}

/* Spellings --------------------------------------------------------------- */

/*
 * a.b.C.m, which may have lost a module and arguments (changed).  The class
 * of a.b.C$$Lambda$9/0x7f81.m has dots all the same.
 */
static bool respell_word(struct slice s, enum evidence evidence, bool changed,
			 struct fl_buf *out)
{
	size_t dot = last_of(s, '.');
	struct slice class = { s.data, dot ? dot - 1 : 0 };
	struct slice method = fl_slice_from(s, dot);
	struct slice base = { class.data, index_of(class, '/') };
	bool slashed = base.size < class.size &&
		       index_of(base, '.') == base.size;

	if (!class.size || !method.size || fl_is_digit(method.data[0]) ||
	    !fl_java_made_of(s, "./"))
		return false;
	if (slashed ? !changed : !is_java_class(base, evidence))
		return false;
	put_slashed(out, class, method);
	return true;
}

static bool respell(struct slice name, enum flame_type type,
		    struct fl_buf *out)
{
	struct slice s = fl_java_bare(name), class, method;
	struct around around = { .place = fl_slice_from(name, s.size) };
	enum evidence evidence = fl_is_java_type(type) ? COMPILED : NO_EVIDENCE;
	size_t module;

	if (fl_java_agent((struct slice){ s.data, index_of(s, '(') }, &class,
			  &method)) {
		put_slashed(out, class, method);
	} else {
		s = name;
		if (!take_around(&s, &around))
			return false;
		module = fl_java_module(s);
		if (around.result || fl_slice_starts(around.place, "(") ||
		    (module > 1 && (s.data[module - 2] == '/' ||
				    memchr(s.data, '@', module))))
			evidence = CERTAIN;
		if (!respell_word(fl_slice_from(s, module), evidence,
				  module || around.arguments, out))
			return false;
	}
	fl_buf_put(out, around.place.data, around.place.size);
	return true;
}

/* Classes ----------------------------------------------------------------- */

/* Text that could be a method of Java and of nothing else. */
static bool split(struct slice name, enum flame_type type, bool leaf,
		  struct fl_java *java)
{
	if (leaf || fl_java_parts(name, FLAME_UNKNOWN, false, java))
		return fl_java_parts(name, type, leaf, java);
	return fl_is_java_type(type) &&
	       fl_java_made_of(fl_java_bare(name), "./") &&
	       fl_java_parts(name, type, false, java);
}

static bool renumber(struct slice name, enum flame_type type, bool leaf,
		     struct fl_buf *out)
{
	struct fl_java java;
	size_t from = out->size;

	if (!split(name, type, leaf, &java))
		return false;
	fl_buf_put(out, java.module.data, java.module.size);
	fl_norm_class(&java, out);
	fl_buf_put(out, java.rest.data, java.rest.size);
	if (out->size - from < name.size)
		return true;
	out->size = from;
	return false;
}

static bool is_letter(char c)
{
	return is_lower(c) || (c >= 'A' && c <= 'Z');
}

/* After a '$': it begins no word of java_class.c, and is not a counter's. */
static bool is_common_nested(char c)
{
	return fl_is_digit(c) || (c >= 'A' && c <= 'Z' && !strchr("BHM", c));
}

/*
 * The part of a/B$1.run or B$1.run before the '.'; NULL: it is not like that.
 * Operators of Flink have no package and end like B$1, but are counted.
 */
static const char *pass_common_class(struct slice name)
{
	const char *at = name.data, *end = at + name.size;
	bool package = false, counted = false;
	char before = '/';

	for (; at < end && *at != '.'; before = *at++) {
		if (is_letter(*at)) {
			counted = false;
		} else if (*at == '$' && before != '/' && end - at > 1 &&
			   is_common_nested(at[1])) {
			counted = fl_is_digit(at[1]);
		} else if (*at == '/' && before != '/') {
			package = true;
			counted = false;
		} else if (!counted || !fl_is_digit(*at)) {
			return NULL;
		}
	}
	/* b.C$$Lambda$9 may be a class alone. */
	if (!package && (at == name.data ||
			 (end - at > 1 && at[1] >= 'A' && at[1] <= 'Z')))
		return NULL;
	return at;
}

/*
 * Most names are like java/util/HashMap$Node.find, a/B$1.run or B.run and need
 * no change; one pass over the bytes proves it.  A package with dots may have
 * to be respelt.
 */
static bool is_common(struct slice name)
{
	const char *end = name.data + name.size;
	const char *at = pass_common_class(name);

	if (!at || end - at < 2 || fl_is_digit(at[1]))
		return false;
	for (at++; at < end; at++)
		if (!is_letter(*at) && !fl_is_digit(*at) && *at != '$' &&
		    *at != '<' && *at != '>')
			return false;
	return true;
}

/*
 * Without a '.' only "La/b/C;::m" and "a/b/C:::m" are of Java, if no type says
 * so.
 */
static bool may_be_java(struct slice name)
{
	const char *colon;

	if (memchr(name.data, '.', name.size))
		return true;
	colon = memchr(name.data, ':', name.size);
	return colon && name.data + name.size - colon > 2 && colon[1] == ':' &&
	       (colon[2] == ':' || (colon > name.data && colon[-1] == ';'));
}

bool fl_java_plain(struct slice name, enum flame_type type, bool leaf,
		   struct fl_buf *out)
{
	struct fl_buf spelt = { 0 };
	bool changed;

	if (type != FLAME_UNKNOWN && !fl_is_java_type(type))
		return false;
	if (!leaf && ((type == FLAME_UNKNOWN && !may_be_java(name)) ||
		      is_common(name)))
		return false;
	if (!leaf && respell(name, type, &spelt))
		name = (struct slice){ spelt.data, spelt.size };
	if (spelt.failed)
		name.size = 0;
	changed = renumber(name, type, leaf, out);
	if (!changed && spelt.size) {
		fl_buf_put(out, name.data, name.size);
		changed = true;
	}
	out->failed |= spelt.failed;
	fl_buf_free(&spelt);
	return changed;
}
