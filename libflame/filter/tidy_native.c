/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules of --tidy for names of compiled languages, called by the table of
 * tidy.c: remove arguments and templates of C++, clones of gcc, hashes of Rust,
 * and numbers of closures and shapes of Go.
 */
#include "fl.h"

#include "filter/tidy.h"

static bool is_word(char c)
{
	return fl_is_digit(c) || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80);
}

static struct slice head(struct slice s, size_t n)
{
	return (struct slice){ s.data, n };
}

static bool contains(struct slice s, const char *text)
{
	for (; s.size; s = fl_slice_from(s, 1))
		if (fl_slice_starts(s, text))
			return true;
	return false;
}

static bool is_native(const struct fl_tidy_input *in)
{
	struct fl_java java;

	return !in->thread && !in->leaf &&
	       !fl_java_parts(in->name, in->type, false, &java);
}

/* C++ ----------------------------------------------------------------- */

/* The index after the bracket that closes s.data[0]; 0: none does. */
static size_t closing_bracket(struct slice s)
{
	static const char pairs[] = "()<>[]{}";
	char stack[64];
	size_t depth = 0;

	for (size_t i = 0; i < s.size; i++) {
		const char *pair = s.data[i] ? strchr(pairs, s.data[i]) : NULL;

		if (!pair || (s.data[i] == '>' && i && s.data[i - 1] == '-'))
			continue;
		if ((pair - pairs) % 2 == 0) {
			if (depth == sizeof(stack))
				return 0;
			stack[depth++] = pair[1];
		} else if (s.data[i] != stack[--depth]) {
			return 0;
		} else if (!depth) {
			return i + 1;
		}
	}
	return 0;
}

/* Whether s.data[0..n) ends in "operator": then "<" and "()" are its name. */
static bool is_operator(struct slice s, size_t n)
{
	return fl_slice_ends(head(s, n), "operator") &&
	       (n == 8 || !is_word(s.data[n - 9]));
}

/* "std::vector<int, std::allocator<int> >::at" as "std::vector<>::at". */
bool fl_tidy_cxx_templates(const struct fl_tidy_input *in, struct fl_buf *out)
{
	struct slice s = in->name;
	bool found = false;

	if (!is_native(in))
		return false;
	for (size_t i = 0; i < s.size;) {
		size_t n;

		if (is_operator(s, i))
			while (i < s.size && strchr("<>=-", s.data[i]) &&
			       s.data[i])
				fl_buf_byte(out, s.data[i++]);
		if (i == s.size)
			break;
		n = s.data[i] == '<' && i && is_word(s.data[i - 1]) ?
		    closing_bracket(fl_slice_from(s, i)) : 0;
		if (n)
			fl_buf_text(out, "<>");
		else
			fl_buf_byte(out, s.data[i]);
		found |= n > 2;
		i += n ? n : 1;
	}
	return found;
}

/* The length of qualifiers after arguments: " const", " &". */
static size_t qualifiers_size(struct slice s)
{
	static const char *const all[] = { " const", " volatile", " &&", " &" };
	size_t n = 0;

	for (size_t i = 0; i < FL_COUNT(all); i++)
		if (fl_slice_starts(fl_slice_from(s, n), all[i]))
			n += strlen(all[i]);
	return n;
}

/* The length of arguments that begin at i; 0: none. */
static size_t arguments_size(struct slice s, size_t i)
{
	size_t n;

	if (s.data[i] != '(' || !i || s.data[i - 1] == '.' ||
	    s.data[i - 1] == ' ' || s.data[i - 1] == ':' ||
	    s.data[i - 1] == '-')
		return 0;
	n = closing_bracket(fl_slice_from(s, i));
	return n ? n + qualifiers_size(fl_slice_from(s, i + n)) : 0;
}

/* "a::f(int) const" as "a::f"; Go's "(*T)" and "(file:line)" stay. */
bool fl_tidy_cxx_arguments(const struct fl_tidy_input *in, struct fl_buf *out)
{
	struct slice s = in->name;
	bool found = false;

	if (!is_native(in))
		return false;
	for (size_t i = 0; i < s.size;) {
		size_t n;

		if (is_operator(s, i) &&
		    fl_slice_starts(fl_slice_from(s, i), "()")) {
			fl_buf_text(out, "()");
			i += 2;
			continue;
		}
		n = arguments_size(s, i);
		found |= n;
		if (!n &&
		    (s.data[i] == '<' || s.data[i] == '{' ||
		     s.data[i] == '(') &&
		    !is_operator(s, i)) {
			n = FL_MAX(closing_bracket(fl_slice_from(s, i)),
				   (size_t)1);
			fl_buf_put(out, s.data + i, n);
		} else if (!n) {
			fl_buf_byte(out, s.data[i]);
			n = 1;
		}
		i += n;
	}
	return found;
}

/* Removes ".0" or another number at the end. */
static struct slice no_numbers(struct slice s)
{
	size_t i = s.size;

	while (i && fl_is_digit(s.data[i - 1]))
		i--;
	return i && i < s.size && s.data[i - 1] == '.' ? head(s, i - 1) : s;
}

static struct slice no_clone(struct slice s)
{
	static const char *const numbered[] = {
		".constprop", ".isra", ".part", ".lto_priv", ".llvm",
		".localalias", ".cold", ".clone", ".specialized",
	};
	static const char *const bare[] = { ".cold", ".localalias" };
	struct slice t = no_numbers(s);

	for (size_t i = 0; t.size < s.size && i < FL_COUNT(numbered); i++)
		if (fl_slice_ends(t, numbered[i]))
			return head(t, t.size - strlen(numbered[i]));
	for (size_t i = 0; i < FL_COUNT(bare); i++)
		if (fl_slice_ends(s, bare[i]))
			return head(s, s.size - strlen(bare[i]));
	for (size_t i = s.size; fl_slice_ends(s, "]") && i-- > 1;)
		if (fl_slice_starts(fl_slice_from(s, i), " [clone ."))
			return head(s, i);
	return s;
}

/* "f.isra.0.cold", "f [clone .part.1]" as "f". */
bool fl_tidy_gcc_clones(const struct fl_tidy_input *in, struct fl_buf *out)
{
	struct slice s = in->name, t;

	if (!is_native(in))
		return false;
	while ((t = no_clone(s)).size < s.size && t.size)
		s = t;
	fl_buf_put(out, s.data, s.size);
	return s.size < in->name.size;
}

/* Rust ---------------------------------------------------------------- */

/* Removes "::h" and 16 hexadecimal digits at the end. */
static struct slice no_hash(struct slice s)
{
	struct slice hash;

	if (s.size < 20)
		return s;
	hash = fl_slice_from(s, s.size - 19);
	if (!fl_slice_starts(hash, "::h"))
		return s;
	for (size_t i = 3; i < hash.size; i++)
		if (!fl_is_digit(hash.data[i]) &&
		    !(hash.data[i] >= 'a' && hash.data[i] <= 'f'))
			return s;
	return head(s, s.size - hash.size);
}

/* Decodes "$u20$"; returns its length, or 0. */
static size_t code(struct slice s, struct fl_buf *out)
{
	uint32_t code = 0;
	size_t i;

	if (!fl_slice_starts(s, "$u"))
		return 0;
	for (i = 2; i < s.size && i < 8 && s.data[i] != '$'; i++) {
		char c = s.data[i];

		if (!fl_is_digit(c) && !(c >= 'a' && c <= 'f'))
			return 0;
		code = code * 16 +
		       (uint32_t)(fl_is_digit(c) ? c - '0' : c - 'a' + 10);
	}
	if (i == 2 || i >= s.size || s.data[i] != '$' || code < 0x20 ||
	    code == 0x7f || code > 0x10ffff)
		return 0;
	fl_utf8_put(out, code);
	return i + 1;
}

/* Decodes an escape of legacy mangling; returns its length, or 0. */
static size_t escape(struct slice s, struct fl_buf *out)
{
	static const struct { const char *from, *to; } all[] = {
		{ "$SP$", "@" }, { "$BP$", "*" }, { "$RF$", "&" },
		{ "$LT$", "<" }, { "$GT$", ">" }, { "$LP$", "(" },
		{ "$RP$", ")" }, { "$C$", "," }, { "..", "::" },
	};

	for (size_t i = 0; i < FL_COUNT(all); i++)
		if (fl_slice_starts(s, all[i].from)) {
			fl_buf_text(out, all[i].to);
			return strlen(all[i].from);
		}
	return code(s, out);
}

/*
 * "_$LT$a..B$u20$as$u20$C$GT$::f::h0123456789abcdef", as demanglers of C++
 * leave it, becomes "<a::B as C>::f".
 */
bool fl_tidy_rust_hashes(const struct fl_tidy_input *in, struct fl_buf *out)
{
	struct slice s = no_hash(in->name);

	if (s.size == in->name.size &&
	    !(contains(s, "$LT$") && contains(s, "::")))
		return false;
	if (!is_native(in) && !contains(s, "::"))
		return false;
	while (s.size) {
		size_t n;

		if (s.data[0] == '_' && s.size > 1 && s.data[1] == '$' &&
		    (s.data == in->name.data || s.data[-1] == ':'))
			s = fl_slice_from(s, 1);
		n = escape(s, out);
		if (!n)
			fl_buf_byte(out, s.data[0]);
		s = fl_slice_from(s, n ? n : 1);
	}
	return true;
}

/* Go ------------------------------------------------------------------ */

/* "github.com/x/y.F": a package begins in lower case, a class of Java not. */
static bool is_go(const struct fl_tidy_input *in)
{
	struct slice s = in->name;

	switch (in->type) {
	case FLAME_UNKNOWN:
	case FLAME_NATIVE:
	case FLAME_CPP:
		break;
	default:
		return false;
	}
	for (size_t i = s.size; i--;)
		if (s.data[i] == '/') {
			s = fl_slice_from(s, i + 1);
			break;
		}
	return s.size && s.data[0] >= 'a' && s.data[0] <= 'z' &&
	       memchr(s.data, '.', s.size) && !contains(s, "::");
}

static const char *const closures[] = { ".func", ".gowrap", ".deferwrap" };

/* The length of a word that begins a closure's name; 0: none. */
static size_t closure_word_size(struct slice s)
{
	for (size_t i = 0; i < FL_COUNT(closures); i++) {
		size_t n = strlen(closures[i]);

		if (fl_slice_starts(s, closures[i]) && n < s.size &&
		    fl_is_digit(s.data[n]))
			return n;
	}
	return 0;
}

/* The length of a part like ".func1.2.gowrap3". */
static size_t closures_size(struct slice s)
{
	size_t done = 0;

	while (done < s.size) {
		struct slice rest = fl_slice_from(s, done);
		size_t n = closure_word_size(rest), digits;

		if (!n && rest.data[0] != '.')
			break;
		n = digits = n ? n : 1;
		while (digits < rest.size && fl_is_digit(rest.data[digits]))
			digits++;
		if (digits == n)
			break;
		done += digits;
	}
	return done;
}

/* Removes the numbers of closures: "f.func2.1" becomes "f.func". */
static struct slice no_count(struct slice s)
{
	for (size_t i = 1, n; i < s.size; i += n) {
		size_t word = closure_word_size(fl_slice_from(s, i));

		n = word ? closures_size(fl_slice_from(s, i)) : 1;
		if (word && i + n == s.size)
			return head(s, i + word);
	}
	return s;
}

static struct slice no_suffix(struct slice s)
{
	static const char *const all[] = { "-fm", ".abi0", ".abiinternal" };

	for (size_t i = 0; i < FL_COUNT(all); i++)
		if (fl_slice_ends(s, all[i]))
			return head(s, s.size - strlen(all[i]));
	return s;
}

/* "[go.shape.int_0]" becomes "[...]", as in Go's own traces. */
bool fl_tidy_go(const struct fl_tidy_input *in, struct fl_buf *out)
{
	struct slice s = in->name;
	size_t from = out->size;

	if (!is_go(in))
		return false;
	s = no_count(no_suffix(s));
	while (s.size) {
		size_t n = fl_slice_starts(s, "[go.shape.") ?
				   closing_bracket(s) :
				   0;

		if (n)
			fl_buf_text(out, "[...]");
		else
			fl_buf_byte(out, s.data[0]);
		s = fl_slice_from(s, n ? n : 1);
	}
	return out->size - from != in->name.size ||
	       memcmp(out->data + from, in->name.data, in->name.size) != 0;
}
