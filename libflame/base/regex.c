/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regular expressions, by PCRE2: fl_regex_new() translates Java's spelling and
 * compiles; fl_regex_match(), fl_regex_group() and fl_regex_replace() apply the
 * expression.  For options, filters and readers.
 */
#include "fl.h"

#include "base/late.h"

#include <stdio.h>
#include <stdlib.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#define LIBPCRE2(f) \
	f(pcre2_code_free_8) f(pcre2_compile_8) f(pcre2_get_error_message_8) \
	f(pcre2_get_ovector_count_8) f(pcre2_get_ovector_pointer_8) \
	f(pcre2_jit_compile_8) f(pcre2_match_8) \
	f(pcre2_match_data_create_from_pattern_8) f(pcre2_match_data_free_8) \
	f(pcre2_pattern_info_8)

FL_LATE_STRUCT(pcre, LIBPCRE2);
static FL_LATE(pcre, LIBPCRE2, LIBPCRE2_FILE, "regex", "matches by RE");

struct fl_regex {
	pcre2_code *code;
	pcre2_match_data *match;
	char *pattern;		/* as passed to fl_regex_new */
	struct slice word;	/* fl_regex_word */
	bool whole;
};

/* From Java ----------------------------------------------------------- */

/*
 * Java's character classes in PCRE2's words, for use within [...], and their
 * negations (NULL: none can stand within [...]).  The first dozen are ASCII
 * only in Java, as [: :] are here.
 */
static const struct class {
	const char *name, *is, *is_not;
} classes[] = {
	{ "Lower", "[:lower:]", "[:^lower:]" },
	{ "Upper", "[:upper:]", "[:^upper:]" },
	{ "ASCII", "[:ascii:]", "[:^ascii:]" },
	{ "Alpha", "[:alpha:]", "[:^alpha:]" },
	{ "Digit", "[:digit:]", "[:^digit:]" },
	{ "Alnum", "[:alnum:]", "[:^alnum:]" },
	{ "Punct", "[:punct:]", "[:^punct:]" },
	{ "Graph", "[:graph:]", "[:^graph:]" },
	{ "Print", "[:print:]", "[:^print:]" },
	{ "Blank", "[:blank:]", "[:^blank:]" },
	{ "Cntrl", "[:cntrl:]", "[:^cntrl:]" },
	{ "XDigit", "[:xdigit:]", "[:^xdigit:]" },
	{ "Space", "[:space:]", "[:^space:]" },
	{ "javaLowerCase", "\\p{Ll}", "\\P{Ll}" },
	{ "javaUpperCase", "\\p{Lu}", "\\P{Lu}" },
	{ "javaTitleCase", "\\p{Lt}", "\\P{Lt}" },
	{ "javaDigit", "\\p{Nd}", "\\P{Nd}" },
	{ "javaLetter", "\\p{L}", "\\P{L}" },
	{ "javaLetterOrDigit", "\\p{L}\\p{Nd}", NULL },
	{ "javaAlphabetic", "\\p{L}\\p{Nl}", NULL },
	{ "javaIdeographic", "\\p{Han}", "\\P{Han}" },
	{ "javaISOControl", "\\p{Cc}", "\\P{Cc}" },
	{ "javaDefined", "\\P{Cn}", "\\p{Cn}" },
	{ "javaSpaceChar", "\\p{Z}", "\\P{Z}" },
	{ "javaWhitespace", "\\s\\x1c-\\x1f\\p{Zl}\\p{Zp}\\x{1680}"
	  "\\x{2000}-\\x{2006}\\x{2008}-\\x{200a}\\x{205f}\\x{3000}", NULL },
	{ "javaJavaIdentifierStart", "\\p{L}\\p{Nl}\\p{Sc}\\p{Pc}", NULL },
	{ "javaJavaIdentifierPart",
	  "\\p{L}\\p{Nl}\\p{Sc}\\p{Pc}\\p{Nd}\\p{Mn}\\p{Mc}", NULL },
	{ "IsAlphabetic", "\\p{L}\\p{Nl}", NULL },
	{ "IsLetter", "\\p{L}", "\\P{L}" },
	{ "IsLowercase", "\\p{Ll}", "\\P{Ll}" },
	{ "IsUppercase", "\\p{Lu}", "\\P{Lu}" },
	{ "IsTitlecase", "\\p{Lt}", "\\P{Lt}" },
	{ "IsDigit", "\\p{Nd}", "\\P{Nd}" },
	{ "IsPunctuation", "\\p{P}", "\\P{P}" },
	{ "IsControl", "\\p{Cc}", "\\P{Cc}" },
	{ "IsAssigned", "\\P{Cn}", "\\p{Cn}" },
	{ "IsIdeographic", "\\p{Han}", "\\P{Han}" },
	{ "IsWhite_Space", "\\s\\x85\\p{Z}", NULL },
	{ "IsWhiteSpace", "\\s\\x85\\p{Z}", NULL },
};

/* Prefixes of Java before names that PCRE2 has too. */
static const char *const prefixes[] = {
	"Is", "script=", "sc=", "general_category=", "gc=",
};

struct translation {
	const char *pattern, *at;
	struct fl_buf out;
	size_t stop;		/* at this size of out */
	bool in_class;
	const char *error;	/* of `at` */
};

static void copy_bytes(struct translation *t, size_t n)
{
	n = strnlen(t->at, n);
	fl_buf_put(&t->out, t->at, n);
	t->at += n;
}

static const struct class *find_class(struct slice name)
{
	size_t i;

	for (i = 0; i < FL_COUNT(classes); i++)
		if (fl_slice_is(name, classes[i].name))
			return &classes[i];
	return NULL;
}

static struct slice without_prefix(struct slice name)
{
	size_t i, n;

	for (i = 0; i < FL_COUNT(prefixes); i++) {
		n = strlen(prefixes[i]);
		if (fl_slice_starts(name, prefixes[i]) && name.size > n)
			return fl_slice_from(name, n);
	}
	return name;
}

/* \p{Name} or \P{Name}. */
static void put_property(struct translation *t)
{
	bool not = t->at[1] == 'P';
	struct slice name = { t->at + 3, strcspn(t->at + 3, "}") };
	const struct class *class = find_class(name);
	const char *text;

	if (!class || !name.data[name.size]) {
		name = without_prefix(name);
		copy_bytes(t, 3);
		fl_buf_put(&t->out, name.data, name.size);
		t->at = name.data + name.size;
		return;
	}
	text = not && t->in_class ? class->is_not : class->is;
	if (!text) {
		t->error = "no such opposite within [...]";
		return;
	}
	if (!t->in_class)
		fl_buf_text(&t->out, not ? "[^" : "[");
	fl_buf_text(&t->out, text);
	if (!t->in_class)
		fl_buf_text(&t->out, "]");
	t->at = name.data + name.size + 1;
}

/* The four digits after \u, or -1. */
static long hex4(const char *at)
{
	char digits[5] = "";

	if (strspn(at, "0123456789abcdefABCDEF") < 4)
		return -1;
	memcpy(digits, at, 4);
	return strtol(digits, NULL, 16);
}

/* \uXXXX, or a surrogate pair of two. */
static void put_unicode(struct translation *t)
{
	long code = hex4(t->at + 2), low = -1;

	if (code < 0) {
		t->error = "\\u wants four hexadecimal digits";
		return;
	}
	t->at += 6;
	if (code >= 0xd800 && code < 0xdc00 && t->at[0] == '\\' &&
	    t->at[1] == 'u')
		low = hex4(t->at + 2);
	if (low >= 0xdc00 && low < 0xe000) {
		code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
		t->at += 6;
	}
	fl_buf_print(&t->out, "\\x{%lx}", (unsigned long)code);
}

static void put_escape(struct translation *t)
{
	const char *end;

	switch (t->at[1]) {
	case 'Q':
		end = strstr(t->at + 2, "\\E");
		copy_bytes(t, end ? (size_t)(end + 2 - t->at) : SIZE_MAX);
		break;
	case 'p':
	case 'P':
		if (t->at[2] == '{')
			put_property(t);
		else
			copy_bytes(t, 2);
		break;
	case 'u':
		put_unicode(t);
		break;
	default:
		copy_bytes(t, 2);
	}
}

/* '[' and a ']' right after it, which is literal. */
static void put_class_start(struct translation *t)
{
	copy_bytes(t, 1);
	t->in_class = true;
	if (*t->at == '^')
		copy_bytes(t, 1);
	if (*t->at == ']')
		copy_bytes(t, 1);
}

static void put_in_class(struct translation *t)
{
	const char *end;

	if (t->at[0] == '&' && t->at[1] == '&') {
		t->error = "class intersection (&&) is Java's only";
	} else if (t->at[0] == '[' && t->at[1] == ':') {
		end = strstr(t->at + 2, ":]");
		copy_bytes(t, end ? (size_t)(end + 2 - t->at) : 1);
	} else {
		t->in_class = *t->at != ']';
		copy_bytes(t, 1);
	}
}

static void put_dollar(struct translation *t)
{
	/* Inner classes: '$' is an anchor only before an end. */
	if (t->at[1] != '\0' && t->at[1] != '|' && t->at[1] != ')')
		fl_buf_byte(&t->out, '\\');
	copy_bytes(t, 1);
}

/* Until the end, an error, or `stop` bytes of output. */
static void translate(struct translation *t)
{
	t->at = t->pattern;
	fl_buf_text(&t->out, "");
	while (*t->at && !t->error && t->out.size < t->stop) {
		if (*t->at == '\\')
			put_escape(t);
		else if (t->in_class)
			put_in_class(t);
		else if (*t->at == '[')
			put_class_start(t);
		else if (*t->at == '$')
			put_dollar(t);
		else
			copy_bytes(t, 1);
	}
}

/* Compiling ----------------------------------------------------------- */

static void set_error(char *error, size_t size, const char *pattern,
		      const char *at, const char *what)
{
	if (*at)
		snprintf(error, size, "\"%.200s\": at \"%.40s\": %s", pattern,
			 at, what);
	else
		snprintf(error, size, "\"%.200s\": at its end: %s", pattern,
			 what);
}

/* The place in the pattern that was translated to out[offset]. */
static const char *find_place(const char *pattern, size_t offset)
{
	struct translation t = { .pattern = pattern, .stop = offset };

	translate(&t);
	fl_buf_free(&t.out);
	return t.at;
}

static bool compile(struct fl_regex *re, const char *pattern,
		    char *error, size_t error_size)
{
	struct translation t = { .pattern = pattern, .stop = SIZE_MAX };
	uint32_t options = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF;
	PCRE2_SIZE offset;
	PCRE2_UCHAR text[160];
	int code;

	if (re->whole)
		options |= PCRE2_ANCHORED | PCRE2_ENDANCHORED;
	translate(&t);
	if (t.out.failed) {
		snprintf(error, error_size, "out of memory");
	} else if (t.error) {
		set_error(error, error_size, pattern, t.at, t.error);
	} else {
		re->code =
			pcre.pcre2_compile((PCRE2_SPTR)t.out.data, t.out.size,
					   options, &code, &offset, NULL);
		if (!re->code) {
			if (code == PCRE2_ERROR_HEAP_FAILED)
				fl_memory_failed();
			pcre.pcre2_get_error_message(code, text,
						     sizeof(text));
			set_error(error, error_size, pattern,
				  find_place(pattern, offset),
				  (const char *)text);
		}
	}
	fl_buf_free(&t.out);
	return re->code;
}

static bool is_word_byte(char c)
{
	return fl_is_digit(c) || c == '_' || (c >= 'A' && c <= 'Z') ||
	       (c >= 'a' && c <= 'z');
}

/* Outside of groups; patterns with classes and the like have no word. */
static struct slice find_word(const char *pattern)
{
	const struct slice none = { NULL, 0 };
	struct slice word = none;
	int depth = 0;

	if (strpbrk(pattern, "[{") || strstr(pattern, "(?") ||
	    strstr(pattern, "(*"))
		return none;
	for (const char *at = pattern; *at;) {
		const char *begin = at;
		size_t n = 0;

		if ((*at == '|' && !depth) ||
		    (*at == '\\' && (!at[1] || !strchr("./$", at[1]))))
			return none;
		depth += (*at == '(') - (*at == ')');
		while (!depth && is_word_byte(at[n]))
			n++;
		at += n ? n : 1;
		/* The last one may be missing. */
		if (n && (*at == '?' || *at == '*'))
			n--;
		if (n > word.size)
			word = (struct slice){ begin, n };
	}
	return word;
}

struct fl_regex *fl_regex_new(const char *pattern, bool whole,
			      char *error, size_t error_size)
{
	const char *why = fl_late_open(&pcre_late);
	struct fl_regex *re;

	if (why) {
		snprintf(error, error_size, "this needs libpcre2: %s", why);
		return NULL;
	}
	re = fl_zeroed(1, sizeof(*re));
	if (!re) {
		snprintf(error, error_size, "out of memory");
		return NULL;
	}
	re->whole = whole;
	if (!compile(re, pattern, error, error_size)) {
		fl_regex_free(re);
		return NULL;
	}
	re->match = pcre.pcre2_match_data_create_from_pattern(re->code, NULL);
	re->pattern = fl_memory_adopt(strdup(pattern));
	if (!re->match || !re->pattern) {
		fl_memory_failed();
		snprintf(error, error_size, "out of memory");
		fl_regex_free(re);
		return NULL;
	}
	re->word = find_word(re->pattern);
	/* Errors are ignored: without JIT, matching is slower. */
	pcre.pcre2_jit_compile(re->code, PCRE2_JIT_COMPLETE);
	return re;
}

int fl_regex_first(const struct fl_regex *re)
{
	uint32_t type = 0, first = 0;

	if (pcre.pcre2_pattern_info(re->code, PCRE2_INFO_FIRSTCODETYPE,
				    &type) != 0 || type != 1 ||
	    pcre.pcre2_pattern_info(re->code, PCRE2_INFO_FIRSTCODEUNIT,
				    &first) != 0)
		return -1;
	return (int)first;
}

struct slice fl_regex_word(const struct fl_regex *re)
{
	return re->word;
}

void fl_regex_free(struct fl_regex *re)
{
	if (!re)
		return;
	pcre.pcre2_match_data_free(re->match);
	pcre.pcre2_code_free(re->code);
	fl_free(re->pattern);
	fl_free(re);
}

const char *fl_regex_pattern(const struct fl_regex *re)
{
	return re->pattern;
}

/* Matching ------------------------------------------------------------ */

static bool match_from(const struct fl_regex *re, struct slice subject,
		       size_t from)
{
	PCRE2_SPTR at = (PCRE2_SPTR)subject.data;
	int n = pcre.pcre2_match(re->code, at, subject.size, from, 0,
				 re->match, NULL);

	if (n == PCRE2_ERROR_JIT_STACKLIMIT)
		n = pcre.pcre2_match(re->code, at, subject.size, from,
				     PCRE2_NO_JIT, re->match, NULL);
	if (fl_unlikely(n == PCRE2_ERROR_NOMEMORY))
		fl_memory_failed();
	return n >= 0;
}

/* Group n of the last match. */
static bool group_of(const struct fl_regex *re, struct slice subject,
		     unsigned n, struct slice *group)
{
	const PCRE2_SIZE *v = pcre.pcre2_get_ovector_pointer(re->match);

	if (n >= pcre.pcre2_get_ovector_count(re->match) ||
	    v[2 * n] == PCRE2_UNSET || v[2 * n] > v[2 * n + 1])
		return false;
	group->data = subject.data + v[2 * n];
	group->size = v[2 * n + 1] - v[2 * n];
	return true;
}

bool fl_regex_match(const struct fl_regex *re, const char *at, size_t size)
{
	return match_from(re, (struct slice){ size ? at : "", size }, 0);
}

bool fl_regex_group(const struct fl_regex *re, struct slice subject,
		    unsigned n, struct slice *group)
{
	if (!subject.size)
		subject.data = "";
	return match_from(re, subject, 0) && group_of(re, subject, n, group);
}

unsigned fl_regex_groups(const struct fl_regex *re)
{
	return pcre.pcre2_get_ovector_count(re->match) - 1;
}

/* As in Java: reads digits as long as such a group exists. */
static unsigned group_number(const struct fl_regex *re, const char **to)
{
	unsigned groups = pcre.pcre2_get_ovector_count(re->match);
	unsigned n = (unsigned)(*(*to)++ - '0');

	while (**to >= '0' && **to <= '9' &&
	       10 * n + (unsigned)(**to - '0') < groups)
		n = 10 * n + (unsigned)(*(*to)++ - '0');
	return n;
}

static void put_replacement(const struct fl_regex *re, struct slice subject,
			    const char *to, struct fl_buf *out)
{
	struct slice group;

	while (*to) {
		if (*to == '&') {
			if (group_of(re, subject, 0, &group))
				fl_buf_put(out, group.data, group.size);
			to++;
		} else if (*to != '\\' && *to != '$') {
			fl_buf_byte(out, *to++);
		} else if (to[1] >= '0' && to[1] <= '9') {
			to++;
			if (group_of(re, subject, group_number(re, &to),
				     &group))
				fl_buf_put(out, group.data, group.size);
		} else {
			to += *to == '\\' && to[1];
			fl_buf_byte(out, *to++);
		}
	}
}

bool fl_regex_replace(const struct fl_regex *re, struct slice subject,
		      const char *to, bool all, struct fl_buf *out)
{
	size_t done = 0, from = 0;
	struct slice found;
	bool matched = false;

	if (!subject.size)
		subject.data = "";
	while (from <= subject.size && match_from(re, subject, from) &&
	       group_of(re, subject, 0, &found)) {
		size_t start = (size_t)(found.data - subject.data);

		if (start < done)
			break;
		matched = true;
		fl_buf_put(out, subject.data + done, start - done);
		put_replacement(re, subject, to, out);
		done = from = start + found.size;
		if (!all || re->whole)
			break;
		/* After an empty match, go on one character later. */
		if (!found.size)
			from += FL_MAX(fl_utf8_length(subject.data + from,
						      subject.size - from),
				       1u);
	}
	fl_buf_put(out, subject.data + done, subject.size - done);
	return matched;
}
