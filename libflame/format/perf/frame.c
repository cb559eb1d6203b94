/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A frame line in its parts, "ip symbol+0xoff (dso)", and its frames.
 *
 * Names lose their offset, and Java's compiled methods the two spellings of
 * perf maps, so a method has the same name as in a recording of the JVM.
 */
#include "fl.h"

#include "format/perf/frame.h"

static bool is_ip(struct slice word)
{
	if (fl_slice_starts(word, "0x")) {
		word.data += 2;
		word.size -= 2;
	}
	if (!word.size || word.size > 16)
		return false;
	for (size_t i = 0; i < word.size; i++)
		if (!fl_is_hex(word.data[i]))
			return false;
	return true;
}

static struct slice after(struct slice s, size_t n)
{
	return (struct slice){ s.data + n, s.size - n };
}

/* Without "+0x1f" at its end. */
static struct slice no_offset(struct slice s)
{
	size_t i = s.size;

	while (i && fl_is_hex(s.data[i - 1]))
		i--;
	if (i >= 3 && i < s.size && memcmp(s.data + i - 3, "+0x", 3) == 0)
		s.size = i - 3;
	return s;
}

/* The offset of the '(' that matches the ')' at the end; s.size: none. */
static size_t opening(struct slice s)
{
	size_t depth = 0;

	for (size_t i = s.size; i--;)
		if (s.data[i] == ')')
			depth++;
		else if (s.data[i] == '(' && --depth == 0)
			return i;
	return s.size;
}

/* " (dso)" at the end: nested brackets are the dso's, " (deleted)" too. */
static bool split_dso(struct slice *s, struct slice *dso)
{
	size_t open;

	if (!fl_slice_ends(*s, ")"))
		return false;
	open = opening(*s);
	/* Not the brackets of "f(std::function<void (int)>)". */
	if (open == s->size || (open && s->data[open - 1] != ' '))
		for (open = s->size - 1; open; open--)
			if (s->data[open] == '(' && s->data[open - 1] == ' ' &&
			    memchr("/[", s->data[open + 1], 2))
				break;
	if (s->data[open] != '(' || (!open && s->size < 3))
		return false;
	*dso = (struct slice){ s->data + open + 1, s->size - open - 2 };
	s->size = open;
	return true;
}

bool fl_perf_frame(struct slice line, struct fl_perf_frame *frame)
{
	struct slice s = fl_slice_trim(line);
	const char *blank = memchr(s.data, ' ', s.size);
	size_t n = blank ? (size_t)(blank - s.data) : s.size;
	bool has_ip = is_ip((struct slice){ s.data, n }), has_dso;

	memset(frame, 0, sizeof(*frame));
	frame->ip.data = frame->dso.data = "";
	if (has_ip) {
		frame->ip = (struct slice){ s.data, n };
		s = after(s, n);
	}
	if (fl_slice_ends(s, " (inlined)")) {
		frame->inlined = true;
		s.size -= sizeof(" (inlined)") - 1;
	}
	has_dso = !frame->inlined && split_dso(&s, &frame->dso);
	frame->raw = s;
	frame->symbol = no_offset(fl_slice_trim(s));
	/* -F sym, or sym and dso: no ip, and nothing that could be prose. */
	if (!has_ip && !has_dso && !frame->inlined &&
	    (blank || !frame->symbol.size || s.data[n - 1] == ':' ||
	     memchr(s.data, '/', s.size) || frame->symbol.size == s.size))
		return false;
	frame->dso = no_offset(frame->dso);
	if (fl_slice_ends(frame->dso, " (deleted)"))
		frame->dso.size -= sizeof(" (deleted)") - 1;
	frame->dso = no_offset(frame->dso);
	return true;
}

/* Types --------------------------------------------------------------- */

static struct slice base(struct slice path)
{
	size_t i = path.size;

	while (i && path.data[i - 1] != '/')
		i--;
	return after(path, i);
}

static size_t digits(struct slice s, size_t from)
{
	size_t i = from;

	while (i < s.size && s.data[i] >= '0' && s.data[i] <= '9')
		i++;
	return i - from;
}

bool fl_perf_is_jit(struct slice dso)
{
	struct slice name = base(dso);
	size_t n;

	if (fl_slice_starts(name, "perf-") && fl_slice_ends(name, ".map")) {
		n = digits(name, 5);
		return n && n + 9 == name.size;
	}
	return (fl_slice_starts(name, "jitted-") &&
		fl_slice_ends(name, ".so")) ||
	       fl_slice_is(dso, "[JIT app cache]");
}

static bool is_kernel(struct slice dso)
{
	static const char *const user[] = {
		"[unknown]", "[vdso", "[vsyscall", "[heap", "[stack",
		"[anon", "[JIT", "[uprobes", NULL
	};
	struct slice name = base(dso);

	if (fl_slice_starts(dso, "[")) {
		for (size_t i = 0; user[i]; i++)
			if (fl_slice_starts(dso, user[i]))
				return false;
		return true;
	}
	return fl_slice_is(name, "vmlinux") ||
	       fl_slice_starts(name, "vmlinux-") ||
	       fl_slice_ends(name, ".ko") || fl_slice_ends(name, ".ko.xz") ||
	       fl_slice_ends(name, ".ko.gz") || fl_slice_ends(name, ".ko.zst");
}

static enum flame_type type_of(const struct fl_perf_frame *frame)
{
	if (frame->inlined)
		return FLAME_INLINED;
	if (fl_perf_is_jit(frame->dso))
		return FLAME_JIT;
	if (is_kernel(frame->dso))
		return FLAME_KERNEL;
	/* As async-profiler tells HotSpot's own code from other libraries. */
	if (fl_slice_ends(frame->dso, "libjvm.so"))
		return FLAME_CPP;
	return frame->dso.size ? FLAME_NATIVE : FLAME_UNKNOWN;
}

/* Names --------------------------------------------------------------- */

static bool is_java_word(struct slice s)
{
	for (size_t i = 0; i < s.size; i++) {
		unsigned char c = s.data[i];
		bool letter = (c | 32) >= 'a' && (c | 32) <= 'z';

		if (c < 0x80 && !letter && !(c >= '0' && c <= '9') &&
		    !memchr("._$<>[]/-+", c, 10))
			return false;
	}
	return s.size > 0;
}

/*
 * perf-map-agent: "Lorg/apache/X;::run", with or without arguments; older
 * ones "Lorg/apache/X;.run(I)V".  A long class leaves no space for more.
 */
static bool agent_name(struct fl_buf *to, struct slice s)
{
	const char *semi = memchr(s.data, ';', s.size);
	struct slice method;
	const char *open;

	if (s.size < 3 || s.data[0] != 'L')
		return false;
	if (!semi) {
		if (!memchr(s.data, '/', s.size) || !is_java_word(s))
			return false;
		fl_buf_put(to, s.data + 1, s.size - 1);
		return true;
	}
	if (semi - s.data < 2)
		return false;
	method = after(s, semi - s.data + 1);
	if (fl_slice_starts(method, "::"))
		method = after(method, 2);
	else if (fl_slice_starts(method, "."))
		method = after(method, 1);
	else
		return false;
	open = memchr(method.data, '(', method.size);
	if (open)
		method.size = open - method.data;
	if (!method.size)
		return false;
	fl_buf_put(to, s.data + 1, semi - s.data - 1);
	fl_buf_byte(to, '.');
	fl_buf_put(to, method.data, method.size);
	return true;
}

/* The JDK's own map: "void a.b.C.m(byte[], int)". */
static bool perfmap_name(struct fl_buf *to, struct slice s)
{
	const char *open = memchr(s.data, '(', s.size);
	struct slice word, type;
	const char *blank;
	size_t dot, from;

	if (!open || s.data[s.size - 1] != ')')
		return false;
	s.size = open - s.data;
	blank = memchr(s.data, ' ', s.size);
	if (!blank)
		return false;
	type = (struct slice){ s.data, blank - s.data };
	word = after(s, type.size + 1);
	for (dot = word.size; dot && word.data[dot - 1] != '.'; dot--)
		;
	if (dot < 2 || dot == word.size || !is_java_word(type) ||
	    !is_java_word(word))
		return false;
	from = to->size;
	fl_buf_put(to, word.data, word.size);
	for (size_t i = from; to->data && i < from + dot - 1; i++)
		if (to->data[i] == '.')
			to->data[i] = '/';
	return true;
}

void fl_perf_dso_name(struct fl_buf *to, struct slice dso)
{
	fl_put_unnamed(to, dso, 0);
}

static void spell(struct fl_buf *to, const struct fl_perf_naming *naming,
		  const struct fl_perf_frame *frame, struct slice name,
		  enum flame_type type)
{
	bool unknown = !name.size || fl_slice_is(name, "[unknown]");

	/* -F ip: there is nothing else. */
	if (!name.size && !frame->dso.size && frame->ip.size) {
		if (!fl_slice_starts(frame->ip, "0x"))
			fl_buf_text(to, "0x");
		fl_buf_put(to, frame->ip.data, frame->ip.size);
	} else if (unknown) {
		fl_perf_dso_name(to, frame->dso.size ? frame->dso :
						       FL_SLICE("[unknown]"));
		if (naming->options->addrs && to->size &&
		    to->data[to->size - 1] == ']') {
			to->size--;
			fl_buf_text(to, " <");
			fl_buf_put(to, frame->ip.data, frame->ip.size);
			fl_buf_text(to, ">]");
		}
	} else if ((type != FLAME_JIT && type != FLAME_INLINED) ||
		   !(agent_name(to, name) || perfmap_name(to, name))) {
		fl_buf_put(to, name.data, name.size);
	}
}

bool fl_perf_add(struct flame *flame, struct fl_perf_list *list,
		 flame_id frame)
{
	if (!fl_grow(&list->at, &list->capacity, list->n + 1,
		     sizeof(*list->at))) {
		fl_no_memory(flame);
		return false;
	}
	list->at[list->n++] = frame;
	return true;
}

static size_t find_arrow(struct slice s)
{
	for (size_t i = 1; i + 2 < s.size; i++)
		if (s.data[i] == '-' && s.data[i + 1] == '>')
			return i;
	return s.size;
}

/* "a->b->c" of a map: c is in b, which is in a. */
static void split_inlined(struct fl_perf_naming *naming,
			  const struct fl_perf_frame *whole,
			  enum flame_type type, struct fl_perf_list *list)
{
	struct flame *flame = naming->flame;
	struct slice rest = whole->symbol;
	size_t first = list->n;
	struct flame_frame frame = {
		.file = flame_name(flame, whole->dso.data, whole->dso.size),
		.type = type,
	};

	for (;;) {
		size_t n = type == FLAME_JIT || type == FLAME_INLINED ?
			   find_arrow(rest) : rest.size;

		naming->buf.size = 0;
		spell(&naming->buf, naming, whole,
		      (struct slice){ rest.data, n }, frame.type);
		frame.name =
			flame_name(flame, naming->buf.data, naming->buf.size);
		if (!fl_perf_add(flame, list, flame_frame(flame, &frame)) ||
		    n == rest.size)
			break;
		rest = after(rest, n + 2);
		type = frame.type = FLAME_INLINED;
	}
	for (size_t i = first, j = list->n; i + 1 < j; i++) {
		flame_id swap = list->at[i];

		list->at[i] = list->at[--j];
		list->at[j] = swap;
	}
}

void fl_perf_name(struct fl_perf_naming *naming,
		  const struct fl_perf_frame *frame,
		  struct fl_perf_list *list)
{
	split_inlined(naming, frame, type_of(frame), list);
	if (naming->buf.failed)
		fl_no_memory(naming->flame);
}
