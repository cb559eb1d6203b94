/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --tidy: removes from names of frames the parts that differ from run to run or
 * from build to build.  fl_tidy_rules is the table of rules; those for Java are
 * in tidy_java.c, those for C, C++, Rust and Go in tidy_native.c.
 */
#include "fl.h"

#include "filter/tidy.h"

#include <stdlib.h>

/* Rules --------------------------------------------------------------- */

/* "C2 CompilerThread0", "G1 Conc#0": the digit is part of the name. */
static bool is_in_word(struct slice s, size_t i)
{
	return i && s.data[i - 1] >= 'A' && s.data[i - 1] <= 'Z' &&
	       (i == 1 || s.data[i - 2] == '[') && i + 1 < s.size &&
	       s.data[i + 1] == ' ';
}

bool fl_star_numbers(struct slice name, struct fl_buf *out)
{
	bool found = false;

	for (size_t i = 0; i < name.size; i++) {
		if (!fl_is_digit(name.data[i]) || is_in_word(name, i)) {
			fl_buf_byte(out, name.data[i]);
			continue;
		}
		found = true;
		if (!i || !fl_is_digit(name.data[i - 1]))
			fl_buf_byte(out, '*');
	}
	return found;
}

static bool numbers(const struct fl_tidy_input *in, struct fl_buf *out)
{
	return in->thread && fl_star_numbers(in->name, out);
}

static bool tids(const struct fl_tidy_input *in, struct fl_buf *out)
{
	return in->tid && fl_star_numbers(in->name, out);
}

static bool addresses(const struct fl_tidy_input *in, struct fl_buf *out)
{
	return fl_strip_addresses(in->name, out);
}

/* py-spy's "f (a.py:12)" as "f (a.py)". */
static bool python_lines(const struct fl_tidy_input *in, struct fl_buf *out)
{
	static const char *const ends[] = {
		".py", ".pyx", ".pxd", ".pyi", ".ipynb", ">"
	};
	struct slice s = in->name;
	bool python = false;

	if (!fl_slice_ends(s, ")"))
		return false;
	s.size--;
	while (s.size && fl_is_digit(s.data[s.size - 1]))
		s.size--;
	if (s.size + 1 == in->name.size || !fl_slice_ends(s, ":"))
		return false;
	s.size--;
	for (size_t i = 0; i < FL_COUNT(ends); i++)
		python |= fl_slice_ends(s, ends[i]);
	if (!python || !memchr(s.data, '(', s.size))
		return false;
	fl_buf_put(out, s.data, s.size);
	fl_buf_byte(out, ')');
	return true;
}

const struct fl_tidy fl_tidy_rules[] = {
	{ "java-modules", "java.base@17/a.C.m as a.C.m",
	  fl_tidy_java_modules },
	{ "java-lambdas", "C$$Lambda$9/0x7f81 as C$$Lambda, as --norm",
	  fl_tidy_java_lambdas },
	{ "java-lines", "C.m(C.java:12) and C.m:12 as C.m",
	  fl_tidy_java_lines },
	{ "rust-hashes", "a::f::h0123456789abcdef as a::f",
	  fl_tidy_rust_hashes },
	{ "gcc-clones", "f.isra.0.cold as f", fl_tidy_gcc_clones },
	{ "cxx-arguments", "f(int) const as f", fl_tidy_cxx_arguments },
	{ "cxx-templates", "f<int> as f<>", fl_tidy_cxx_templates },
	{ "go", "f.func2.1 as f.func, f[go.shape.int] as f[...]",
	  fl_tidy_go },
	{ "python-lines", "f (a.py:12) as f (a.py)", python_lines },
	{ "numbers-in-thread-names", "pool-1-thread-12 as pool-*-thread-*",
	  numbers },
	{ "tids", "[worker-1 tid=7] as [worker-* tid=*], as comparisons do",
	  tids },
	{ "addresses", "0x7f81c0 as 0x...", addresses },
	{ NULL, NULL, NULL }
};

/* The sink ------------------------------------------------------------ */

struct tidy {
	struct fl_namer namer;
	uint32_t rules;			/* bits: rules in use */
	bool threads;			/* labels of threads, too */
	struct fl_buf scratch;
	struct fl_rewrite sets;		/* by thread: its tidy labels */
	int (*put)(struct flame_sink *, const struct flame_sample *);
};

static flame_id tidy_frame(struct flame_sink *sink, flame_id frame)
{
	struct tidy *tidy = sink->state;
	struct fl_buf *now = &tidy->namer.buf, *next = &tidy->scratch;
	struct flame *flame = sink->flame;
	const struct flame_frame *at = &flame->frames.data[frame];
	struct fl_tidy_input in = {
		.name = fl_name_at(flame, at->name), .type = at->type,
		.leaf = fl_is_class_leaf(flame, at),
		.tid = fl_is_thread_frame(flame, frame),
	};
	bool changed = false;

	in.thread = in.tid || at->type == FLAME_GROUP;
	for (size_t i = 0; fl_tidy_rules[i].name; i++) {
		struct fl_buf swap = *now;

		next->size = 0;
		if (!(tidy->rules & 1u << i) ||
		    !fl_tidy_rules[i].tidy(&in, next))
			continue;
		*now = *next;
		*next = swap;
		in.name = (struct slice){ now->data, now->size };
		changed = true;
	}
	return changed && (now->size || now->failed) ?
	       fl_renamed(flame, frame, now) : frame;
}

/* A thread's labels with '*' for numbers. */
static flame_id star_set(struct flame *flame, flame_id set)
{
	static const char *const keys[] = {
		"thread", "tid", "thread-frame", "comm"
	};
	struct fl_buf buf = { 0 };

	for (size_t i = 0; i < FL_COUNT(keys); i++) {
		flame_id key = fl_name(flame, keys[i]);
		flame_id value = flame_label_get(flame, set, key);

		buf.size = 0;
		if (value && fl_star_numbers(fl_name_at(flame, value), &buf))
			set = flame_label(
				flame, set, key,
				flame_name(flame, buf.data, buf.size));
	}
	if (buf.failed)
		fl_no_memory(flame);
	fl_buf_free(&buf);
	return set;
}

/* Whole stacks are of plain frames, which have no numbers of threads. */
static bool takes_whole(struct flame_sink *sink)
{
	const struct tidy *tidy = sink->state;

	for (size_t i = 0; fl_tidy_rules[i].name; i++)
		if (tidy->rules >> i & 1 && fl_tidy_rules[i].tidy != tids)
			return false;
	return fl_whole_of_next(sink);
}

static int put(struct flame_sink *sink, const struct flame_sample *sample)
{
	struct tidy *tidy = sink->state;
	struct flame_sample s = *sample;
	flame_id *place;

	if (fl_unlikely(fl_is_whole(sink->flame, s.stack)))
		return fl_put(sink->next, sample);
	if (!tidy->threads || !s.thread)
		return tidy->put(sink, &s);
	place = fl_rewrite_slot(sink->flame, &tidy->sets, s.thread);
	if (!place)
		return FLAME_FAILED;
	if (!*place)
		*place = star_set(sink->flame, s.thread) + 1;
	s.thread = *place - 1;
	return tidy->put(sink, &s);
}

static void release(struct flame_sink *sink)
{
	struct tidy *tidy = sink->state;

	fl_buf_free(&tidy->scratch);
	fl_rewrite_free(&tidy->sets);
	fl_namer_free(sink);
}

static int fail_unknown(struct flame *flame, struct slice name)
{
	struct fl_buf all = { 0 };

	for (size_t i = 0; fl_tidy_rules[i].name; i++)
		fl_buf_print(&all, "%s%s", i ? ", " : "",
			     fl_tidy_rules[i].name);
	fl_fail(flame, "--tidy: %.*s: not one of %s",
		(int)FL_MIN(name.size, 64u), name.data,
		all.failed ? "" : all.data);
	fl_buf_free(&all);
	return FLAME_FAILED;
}

static int add_rule(struct flame_sink *sink, struct slice name)
{
	struct tidy *tidy = sink->state;
	size_t i = 0;

	while (fl_tidy_rules[i].name &&
	       !fl_slice_is(name, fl_tidy_rules[i].name))
		i++;
	if (!fl_tidy_rules[i].name)
		return fail_unknown(sink->flame, name);
	tidy->rules |= 1u << i;
	tidy->threads |= fl_tidy_rules[i].tidy == numbers;
	return FLAME_OK;
}

static struct flame_sink *make(struct flame_sink *next, const char *list)
{
	struct flame_sink *sink = fl_namer_new(next, sizeof(struct tidy),
					       tidy_frame);

	if (!sink)
		return NULL;
	((struct tidy *)sink->state)->put = sink->put;
	sink->put = put;
	sink->whole = takes_whole;
	sink->free = release;
	for (;; list++) {
		size_t size = strcspn(list, ",\n");

		if (add_rule(sink, (struct slice){ list, size }) != FLAME_OK) {
			release(sink);
			fl_sink_free(sink);
			return NULL;
		}
		list += size;
		if (!*list)
			return sink;
	}
}

const struct fl_filter fl_filter_tidy = {
	.name = "tidy", .argument = "NAME",
	.summary = "names without noise (java-lambdas, go, ...)",
	.make = make, .rank = 18, .joins = true,
};
