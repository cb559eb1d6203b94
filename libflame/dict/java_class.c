/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fl_norm_class() removes from the name of a class what differs in the next
 * JVM, for java_plain.c and the filters.  Classes that a JVM makes while it
 * runs bear an address or a counter: lambdas, hidden classes, proxies,
 * accessors, classes of code generators.  Without it they are one class.
 * Counters of compilers (C$1, $anonfun$2) are the same in every JVM, and stay.
 * So do numbers of a planner that all JVMs of a job have, which distinguish its
 * operators: Spark's GeneratedIteratorForCodegenStage12 (the number in the
 * plan, "*(12)"), Flink's StreamExecCalc$123.
 */
#include "fl.h"

#include "dict/java.h"

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_alphanumeric(char c)
{
	return fl_is_digit(c) || is_letter(c);
}

static bool is_hex_or_underscore(char c)
{
	return fl_is_lower_hex(c) || c == '_';
}

static bool is_cut(char c)
{
	return c == '/' || c == '.';
}

/* How many bytes s begins with of a kind. */
static size_t span(struct slice s, bool (*is)(char c))
{
	size_t n = 0;

	while (n < s.size && is(s.data[n]))
		n++;
	return n;
}

/* Addresses and numbers of hidden classes --------------------------------- */

enum { ADDRESS_DIGITS = 8 };	/* that every address has, at least */

/* 0x00007f2d6c009430; fewer digits, and decimal ones, if it may be short. */
static bool is_run_number(struct slice s, bool may_be_short)
{
	if (!fl_slice_starts(s, "0x"))
		return may_be_short && s.size && span(s, fl_is_digit) == s.size;
	for (size_t i = 2; i < s.size; i++)
		if (!fl_is_lower_hex(s.data[i]) &&
		    !(s.data[i] >= 'A' && s.data[i] <= 'F'))
			return false;
	return may_be_short || s.size >= 2 + ADDRESS_DIGITS;
}

/*
 * The "/0x00007f2d6c009430", "+0x.../543846639", ".0x..." after hidden classes.
 * Files' names may hold short numbers (lib/libc-2.31.so), so that they count
 * only after a nested class, as lambdas are.
 */
static struct slice without_run_numbers(struct slice class)
{
	size_t end = class.size;

	for (size_t i = end; i-- > 1;) {
		struct slice part = { class.data + i + 1, end - i - 1 };

		if (!is_cut(class.data[i]) && class.data[i] != '+')
			continue;
		if (!is_run_number(part, memchr(class.data, '$', i)))
			break;
		end = i;
	}
	return (struct slice){ class.data, end };
}

/* Counters and random words ----------------------------------------------- */

/*
 * What follows a word and a separator in a name: numbers of digits, letters and
 * so on, up to a '$', a '/', a '.' or the end.
 */
struct kind {
	const char *word;
	const char *separator;	/* removed together with the counter */
	bool (*is)(char c);
	enum { ANYWHERE, SEGMENT, WHOLE } where;
	size_t min;
};

/*
 * SEGMENT: a part of the name begins with the word; WHOLE: the class has no
 * package.
 */
static const struct kind kinds[] = {
	{ "$$Lambda", "$", fl_is_digit, ANYWHERE, 1 },
	{ "$Proxy", "", fl_is_digit, SEGMENT, 1 },
	{ "GeneratedMethodAccessor", "", fl_is_digit, SEGMENT, 1 },
	{ "GeneratedConstructorAccessor", "", fl_is_digit, SEGMENT, 1 },
	{ "GeneratedSerializationConstructorAccessor", "", fl_is_digit,
	  SEGMENT, 1 },
	/* Byte Buddy, and who names classes by it */
	{ "$ByteBuddy", "$", is_alphanumeric, ANYWHERE, 1 },
	{ "$MockitoMock", "$", is_alphanumeric, ANYWHERE, 1 },
	{ "$auxiliary", "$", is_alphanumeric, ANYWHERE, 8 },
	{ "$HibernateProxy", "$", is_alphanumeric, ANYWHERE, 1 },
	{ "$HibernateBasicProxy", "$", is_alphanumeric, ANYWHERE, 1 },
	{ "$HibernateInstantiator", "$", is_alphanumeric, ANYWHERE, 1 },
	{ "$HibernateAccessOptimizer", "$", is_alphanumeric, ANYWHERE, 1 },
	/* Javassist */
	{ "$$_javassist", "_", fl_is_digit, ANYWHERE, 1 },
	{ "$$_jvst", "", is_hex_or_underscore, ANYWHERE, 1 },
	/* Spring 6 */
	{ "$$SpringCGLIB", "$$", fl_is_digit, ANYWHERE, 1 },
	{ "$$FastClass", "$$", fl_is_digit, ANYWHERE, 1 },
	/* Groovy's shell; a text that it parses is named by the time */
	{ "Script", "", fl_is_digit, WHOLE, 1 },
	{ "script", "", fl_is_digit, WHOLE, 10 },
	/* Jython */
	{ "_pyx", "", fl_is_digit, SEGMENT, 1 },
};

static bool begins_here(const struct kind *kind, struct slice class, size_t i)
{
	switch (kind->where) {
	case SEGMENT:
		return !i || is_cut(class.data[i - 1]);
	case WHOLE:
		return !i && !memchr(class.data, '/', class.size) &&
		       !memchr(class.data, '.', class.size);
	default:
		return i;
	}
}

/* Foo$ByteBuddy$auxiliary: the next word is not a random word of the first. */
static bool begins_with_word(struct slice s)
{
	for (size_t k = 0; k < FL_COUNT(kinds); k++)
		if (kinds[k].word[0] == '$' &&
		    fl_slice_starts(s, kinds[k].word))
			return true;
	return false;
}

static bool ends_here(struct slice s, size_t n)
{
	return n == s.size || s.data[n] == '$' || is_cut(s.data[n]);
}

/* The size of a counter and its word; *keep: how much of it to keep. */
static size_t of_kind(const struct kind *kind, struct slice class, size_t i,
		      size_t *keep)
{
	struct slice s = fl_slice_from(class, i);
	size_t n, more;

	if (s.data[0] != kind->word[0] || !fl_slice_starts(s, kind->word) ||
	    !begins_here(kind, class, i))
		return 0;
	*keep = n = strlen(kind->word);
	if (!fl_slice_starts(fl_slice_from(s, n), kind->separator) ||
	    begins_with_word(fl_slice_from(s, n)))
		return 0;
	n += strlen(kind->separator);
	more = span(fl_slice_from(s, n), kind->is);
	return more >= kind->min && ends_here(s, n + more) ? n + more : 0;
}

/*
 * CGLIB: "$$EnhancerBySpringCGLIB$$3a1f09bc", "$$FastClassByGuice$$9b2e_1",
 * "$$KeyFactoryByCGLIB$$d45e49f7".
 */
static size_t of_cglib(struct slice s, size_t *keep)
{
	size_t word = fl_slice_starts(s, "$$") ?
		      span(fl_slice_from(s, 2), is_alphanumeric) : 0, n, hex;
	bool by = false;

	for (size_t i = 0; i + 2 < word; i++)
		by |= s.data[2 + i] == 'B' && s.data[3 + i] == 'y';
	*keep = n = 2 + word;
	if (!by || !fl_slice_starts(fl_slice_from(s, n), "$$"))
		return 0;
	n += 2;
	hex = span(fl_slice_from(s, n), is_hex_or_underscore);
	return hex && ends_here(s, n + hex) ? n + hex : 0;
}

/* The modules of proxies are counted too: jdk.proxy2.$Proxy24. */
static size_t of_proxy_package(struct slice s, size_t *keep)
{
	size_t n = strlen("jdk/proxy"), digits;

	if (!fl_slice_starts(s, "jdk/proxy") &&
	    !fl_slice_starts(s, "jdk.proxy"))
		return 0;
	*keep = n;
	digits = span(fl_slice_from(s, n), fl_is_digit);
	n += digits;
	return digits && n < s.size && is_cut(s.data[n]) &&
	       fl_slice_starts(fl_slice_from(s, n + 1), "$Proxy") ? n : 0;
}

/* After the last '_': Rhino's "org/mozilla/javascript/gen/app_js_17". */
static size_t of_rhino(struct slice s, size_t *keep)
{
	size_t n = s.size;

	if (!fl_slice_starts(s, "org/mozilla/javascript/gen/") &&
	    !fl_slice_starts(s, "org.mozilla.javascript.gen."))
		return 0;
	while (n && fl_is_digit(s.data[n - 1]))
		n--;
	if (n == s.size || n < 2 || s.data[n - 1] != '_')
		return 0;
	*keep = n - 1;
	return s.size;
}

/* Trino and Presto: "io/trino/$gen/PageFilter_20260131_120000_42". */
static size_t of_trino(struct slice class, size_t i, size_t *keep)
{
	struct slice s = fl_slice_from(class, i);
	size_t n = 1, parts = 0, digits;

	if (s.data[0] != '_' || i < 6)
		return 0;
	for (size_t j = 0; j + 5 < i && parts == 0; j++)
		parts = fl_slice_starts(fl_slice_from(class, j), "$gen") &&
			is_cut(class.data[j + 4]);
	if (!parts)
		return 0;
	for (parts = 0; parts < 3; parts++, n += digits + 1) {
		digits = span(fl_slice_from(s, FL_MIN(n, s.size)), fl_is_digit);
		if (!digits || (parts == 0 && digits != 8))
			return 0;
		if (parts < 2 && (n + digits >= s.size ||
				  s.data[n + digits] != '_'))
			return 0;
	}
	*keep = 0;
	return ends_here(s, n - 1) ? n - 1 : 0;
}

static size_t counter_at(struct slice class, size_t i, size_t *keep)
{
	struct slice s = fl_slice_from(class, i);
	size_t n = 0;

	for (size_t k = 0; !n && k < FL_COUNT(kinds); k++)
		n = of_kind(&kinds[k], class, i, keep);
	if (!n && i)
		n = of_cglib(s, keep);
	if (!n && i)
		n = of_trino(class, i, keep);
	if (!n && !i)
		n = of_proxy_package(s, keep);
	return n || i ? n : of_rhino(s, keep);
}

/*
 * Within a name, words begin with '$' or '_'; those of kinds[] that are a part
 * of the name, with a letter, after its separator.
 */
static bool may_begin(struct slice class, size_t i)
{
	char c = class.data[i];

	return !i || c == '$' || c == '_' ||
	       (c == 'G' && is_cut(class.data[i - 1]));
}

/* Appends the name with counters removed once; true: some were. */
static bool remove_counters(struct slice name, struct fl_buf *out)
{
	struct slice class = without_run_numbers(name);
	size_t begin = out->size, from = 0;

	for (size_t i = 0; i < class.size;) {
		size_t keep = 1;
		size_t n = may_begin(class, i) ?
			   counter_at(class, i, &keep) : 0;

		if (n) {
			fl_buf_put(out, class.data + from, i - from + keep);
			from = i + n;
		}
		i += n ? n : 1;
	}
	fl_buf_put(out, class.data + from, class.size - from);
	return !out->failed && out->size - begin < name.size;
}

/*
 * Folded text is read again: a name that has been unified must stay as it is,
 * so counters are removed until there are none.
 */
void fl_norm_class(const struct fl_java *java, struct fl_buf *out)
{
	size_t begin = out->size;
	bool again = remove_counters(java->class, out);

	while (again) {
		struct fl_buf name = { 0 };

		fl_buf_put(&name, out->data + begin, out->size - begin);
		if (name.failed) {
			out->failed = true;
		} else {
			out->size = begin;
			again = remove_counters(
				(struct slice){ name.data, name.size }, out);
		}
		again = again && !out->failed;
		fl_buf_free(&name);
	}
}
