/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fl_native_frame() makes the frames of a symbol and the file that it is in,
 * named as perf prints both, for format/perf, names.c and sample/machine.c.
 *
 * perf maps have two spellings of Java's methods, which become one here, so
 * that a method has the same name as in a recording of the JVM.
 */
#include "fl.h"

#include "native/frame.h"

#include <inttypes.h>

struct slice fl_slice_base(struct slice path)
{
	size_t i = path.size;

	if (!i)
		return path;
	while (i && path.data[i - 1] != '/')
		i--;
	return fl_slice_from(path, i);
}

void fl_put_unnamed(struct fl_buf *to, struct slice file, uint64_t address)
{
	struct slice base = fl_slice_base(file);

	if (fl_slice_starts(file, "["))
		fl_buf_put(to, file.data, file.size);
	else if (base.size && base.data[0] == '[')
		fl_buf_put(to, base.data, base.size);
	else if (base.size)
		fl_buf_print(to, "[%.*s]", (int)FL_MIN(base.size, 4096),
			     base.data);
	else if (address)
		fl_buf_print(to, "0x%" PRIx64, address);
	else
		fl_buf_text(to, "[unknown]");
}

/* Types --------------------------------------------------------------- */

static size_t digits(struct slice s, size_t from)
{
	size_t i = from;

	while (i < s.size && s.data[i] >= '0' && s.data[i] <= '9')
		i++;
	return i - from;
}

bool fl_native_is_jit(struct slice dso)
{
	struct slice name = fl_slice_base(dso);
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
	struct slice name = fl_slice_base(dso);

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

static enum flame_type type_of(const struct fl_native_frame *frame)
{
	if (frame->inlined)
		return FLAME_INLINED;
	if (fl_native_is_jit(frame->dso))
		return FLAME_JIT;
	if (is_kernel(frame->dso))
		return FLAME_KERNEL;
	/* As in async-profiler: HotSpot's own code is not another library's. */
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
	method = fl_slice_from(s, semi - s.data + 1);
	if (fl_slice_starts(method, "::"))
		method = fl_slice_from(method, 2);
	else if (fl_slice_starts(method, "."))
		method = fl_slice_from(method, 1);
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
	word = fl_slice_from(s, type.size + 1);
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

static void spell(struct fl_buf *to, const struct fl_native_frame *frame,
		  struct slice name, enum flame_type type)
{
	bool unknown = !name.size || fl_slice_is(name, "[unknown]");

	/* -F ip: there is nothing else. */
	if (!name.size && !frame->dso.size && frame->ip.size) {
		if (!fl_slice_starts(frame->ip, "0x"))
			fl_buf_text(to, "0x");
		fl_buf_put(to, frame->ip.data, frame->ip.size);
	} else if (unknown) {
		fl_put_unnamed(to, frame->dso.size ? frame->dso :
						     FL_SLICE("[unknown]"), 0);
		if (frame->address && to->size &&
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

bool fl_frame_list_add(struct flame *flame, struct fl_frame_list *list,
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
void fl_native_frame(struct flame *flame, struct fl_buf *scratch,
		     const struct fl_native_frame *whole,
		     struct fl_frame_list *list)
{
	enum flame_type type = type_of(whole);
	struct slice rest = whole->symbol;
	size_t first = list->n;
	struct flame_frame frame = {
		.file = flame_name(flame, whole->dso.data, whole->dso.size),
		.type = type,
	};

	for (;;) {
		size_t n = type == FLAME_JIT || type == FLAME_INLINED ?
			   find_arrow(rest) : rest.size;

		scratch->size = 0;
		spell(scratch, whole, (struct slice){ rest.data, n },
		      frame.type);
		frame.name = flame_name(flame, scratch->data, scratch->size);
		if (!fl_frame_list_add(flame, list,
				       flame_frame(flame, &frame)) ||
		    n == rest.size)
			break;
		rest = fl_slice_from(rest, n + 2);
		type = frame.type = FLAME_INLINED;
	}
	for (size_t i = first, j = list->n; i + 1 < j; i++) {
		flame_id swap = list->at[i];

		list->at[i] = list->at[--j];
		list->at[j] = swap;
	}
	if (scratch->failed)
		fl_no_memory(flame);
}
