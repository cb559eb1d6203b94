/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The grammar of perf script's text as a property: a printer of it, with the
 * order of columns and the forms of perf's own (process_event and
 * perf_sample__fprintf_start of builtin-script.c, sample__fprintf_callchain of
 * evsel_fprintf.c), prints random stacks in random layouts, and the text folds
 * to the stacks it was made of; cut anywhere, to the whole samples before.
 * FLAME_LAYOUTS=N tries as many.
 */
#include "fl.h"

#include "format/formats.h"
#include "format/perf/reader.h"
#include "printer.h"
#include "said.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

TestSuite(grammar, .init = start, .fini = stop, .timeout = 3600);

enum { LAYOUTS = 100000, SLOW_LAYOUTS = 10000 };
enum { SAMPLES = 6, DEPTH = 7 };

/* Columns, in perf's order: perf script -F. */
enum column {
	COMM, PID, TID, CPU, MISC, TOD, TIME, NANOSECONDS, PERIOD, EVENT, ADDR,
	WEIGHT, CGROUP, SYM, SYMOFF, DSO, DSOFF, SRCLINE, IREGS, BRSTACK,
	INSN, PHYS_ADDR, PAGE_SIZE, IPC,
	STACKS,			/* recorded with -g: a line a frame */
	INLINED,		/* debug information names inlined functions */
	CRLF, COLUMNS
};

static const char *const column_names[] = {
	"comm", "pid", "tid", "cpu", "misc", "tod", "time", "--ns", "period",
	"event", "addr", "weight", "cgroup", "sym", "symoff", "dso", "dsoff",
	"srcline", "iregs", "brstack", "insn", "phys_addr", "data_page_size",
	"ipc", "-g", "inlined", "crlf",
};

struct function {
	const char *symbol, *dso, *module;	/* module: as we name it */
	bool kernel;
};

static const struct function functions[] = {
	{ "main", "/opt/app", "[app]", false },
	{ "_start", "/opt/app", "[app]", false },
	{ "leaf", "/usr/lib/libc.so.6", "[libc.so.6]", false },
	{ "outer(long)", "/opt/My App (x86)/bin/app", "[app]", false },
	{ "(anonymous namespace)::f(int)", "/opt/app", "[app]", false },
	{ "void g<int>(std::function<void (int)>)", "/opt/app", "[app]", false },
	{ "run(int) const [clone .isra.0]", "/tmp/a(b", "[a(b]", false },
	{ "core::ptr::drop_in_place<alloc::string::String>", "/opt/app",
	  "[app]", false },
	{ "A::operator()(int, int)", "/opt/app (deleted)", "[app]", false },
	{ "do_syscall_64", "[kernel.kallsyms]", "[kernel.kallsyms]", true },
	{ "deadbeef", "/opt/app", "[app]", false },
	{ "operator+", "/opt/app", "[app]", false },
	{ "Lexer::next:12", "/opt/app", "[app]", false },
};

static const char *const comms[] = {
	"app", "V8 Worker 5", "kworker/0:1", ":1234", "pool-1 thread-2", "1",
};

static const char *const events[] = { "cycles:u", "cpu-clock" };

static void put_newline(struct text *t)
{
	put(t, "%s", t->crlf ? "\r\n" : "\n");
}

/* A stack, leaf first, as perf has it, and what it is folded. */
struct frame {
	const struct function *function;
	uint64_t address;
	bool inlined;		/* into the next one */
	bool no_symbol;
};

struct sample {
	struct frame frames[DEPTH];
	unsigned n, comm;
	char folded[1000];
	size_t end;		/* in the text */
	size_t frames_end;	/* of the last frame's line, before its end */
};

struct layout {
	bool has[COLUMNS];
	struct sample samples[SAMPLES];
	struct text text;
};

static void make_stack(const struct layout *l, struct sample *s)
{
	s->comm = random_below(FL_COUNT(comms));
	s->n = l->has[STACKS] ? 1 + random_below(DEPTH) : 1;
	for (unsigned i = s->n; i--;) {
		struct frame *f = &s->frames[i];

		*f = (struct frame){
			.function = &functions[random_below(
				FL_COUNT(functions))],
			.address = 0x400000 + random_below(0xfffff),
			.no_symbol = !random_below(12),
			.inlined = i + 1 < s->n && l->has[INLINED] &&
				   l->has[SYM] && random_below(2),
		};
		if (f->function->kernel)
			f->address |= UINT64_C(0xffffffff00000000);
		if (f->inlined) {
			f->address = s->frames[i + 1].address;
			f->no_symbol = false;
		}
		/* perf prints inlined frames of functions with a name alone. */
		if (f->inlined)
			s->frames[i + 1].no_symbol = false;
	}
}

static void fold_frame(const struct layout *l, const struct frame *f,
		       struct text *to)
{
	bool named = l->has[SYM] && !f->no_symbol;

	if (named)
		put(to, "%s", f->function->symbol);
	else if (l->has[DSO])
		put(to, "%s", f->function->module);
	else if (l->has[SYM])
		put(to, "[unknown]");
	else
		put(to, "0x%" PRIx64, f->address);
	if (f->inlined)
		put(to, "_[i]");
	else if (l->has[DSO] && f->function->kernel)
		put(to, "_[k]");
}

static void fold_sample(const struct layout *l, struct sample *s)
{
	static struct text to;

	to.n = 0;
	if (l->has[COMM])
		put(&to, "%s", comms[s->comm]);
	for (unsigned i = s->n; i--;) {
		put(&to, "%s", to.n ? ";" : "");
		fold_frame(l, &s->frames[i], &to);
	}
	cr_assert(to.n < sizeof(s->folded));
	memcpy(s->folded, to.at, to.n + 1);
}

/* perf_sample__fprintf_start, and process_event up to the frames. */
static void print_header(struct layout *l, const struct sample *s, unsigned i)
{
	const bool *has = l->has;
	struct text *t = &l->text;

	if (has[COMM])
		put(t, has[STACKS] ? "%s " : "%16s ", comms[s->comm]);
	if (has[PID] && has[TID])
		put(t, "%7d/%-7d ", 500, 501);
	else if (has[PID] || has[TID])
		put(t, "%7d ", 500);
	if (has[CPU])
		put(t, "[%03d] ", i);
	if (has[MISC])
		put(t, "U%*s", 5, " ");
	if (has[TOD])
		put(t, "2026-11-28 08:00:0%u.123456 ", i % 10);
	if (has[TIME] && has[NANOSECONDS])
		put(t, "%5u.%09u: ", 100 + i, 123456789);
	else if (has[TIME])
		put(t, "%5u.%06u: ", 100 + i, 123456);
	if (has[PERIOD])
		put(t, "%10u ", 1001001);
	if (has[EVENT])
		put(t, "%*s: ", 9, events[0]);
	if (has[ADDR])
		put(t, "%16" PRIx64, UINT64_C(0x7ffe1234));
	if (has[WEIGHT])
		put(t, "%16" PRIu64, UINT64_C(12));
	if (has[CGROUP])
		put(t, " /user.slice/a-%u.scope", i);
}

/* Before 6.x the dso's address had no "+0x": dsoff is of perf 6.4. */
static void print_symbol(struct layout *l, const struct frame *f)
{
	const bool *has = l->has;
	struct text *t = &l->text;

	if (has[SYM]) {
		put(t, " %s", f->no_symbol ? "[unknown]" : f->function->symbol);
		if (has[SYMOFF] && !f->no_symbol)
			put(t, "+0x%x", 0x13);
	}
	if (has[DSO] && !f->inlined) {
		put(t, " (%s", f->function->dso);
		if (has[DSOFF] && !f->function->kernel)
			put(t, "+0x%x", 0x1793);
		put(t, ")");
	}
	if (has[SRCLINE] && random_below(4)) {
		put_newline(t);
		if (random_below(4))
			put(t, "  %s.cpp:%u", has[STACKS] ? "a b" : "x",
			    5 + random_below(90));
		else
			put(t, "  app[%" PRIx64 "]", f->address);
	}
	if (f->inlined)
		put(t, " (inlined)");
}

static void print_frames(struct layout *l, struct sample *s)
{
	struct text *t = &l->text;

	for (unsigned i = 0; i < s->n; i++) {
		if (l->has[STACKS])
			put(t, "%s\t", i ? "" : t->crlf ? "\r\n" : "\n");
		else
			put(t, " ");
		put(t, "%16" PRIx64, s->frames[i].address);
		print_symbol(l, &s->frames[i]);
		s->frames_end = t->n;
		if (l->has[STACKS])
			put_newline(t);
	}
}

static void print_end(struct layout *l)
{
	const bool *has = l->has;
	struct text *t = &l->text;

	if (has[IREGS])
		put(t, " ABI:%u ", 2);
	for (unsigned i = 0; has[IREGS] && i < 2; i++)
		put(t, "%5s:0x%x ", i ? "BX" : "AX", i);
	for (unsigned i = 0; has[BRSTACK] && i < 2; i++)
		put(t, " 0x%x/0x%x/P/-/-/%u ", 0x401000 + i, 0x402000, i);
	if (has[INSN])
		put(t, " ilen: %d insn: 48 01 c2", 3);
	if (has[PHYS_ADDR])
		put(t, "%16" PRIx64, UINT64_C(0x1a2b3c4d5e));
	if (has[PAGE_SIZE])
		put(t, " %s", random_below(2) ? "4K" : "N/A");
	if (has[IPC])
		put(t, " \t IPC: %u.%02u (%u/%u) ", 0, 52, 12, 23);
	put_newline(t);
}

static void print_layout(struct layout *l)
{
	l->text.n = 0;
	l->text.crlf = l->has[CRLF];
	for (unsigned i = 0; i < SAMPLES; i++) {
		struct sample *s = &l->samples[i];

		make_stack(l, s);
		fold_sample(l, s);
		print_header(l, s, i);
		print_frames(l, s);
		print_end(l);
		s->end = l->text.n;
	}
}

/* Layouts that are not ambiguous. */
static void choose(struct layout *l)
{
	/* Most of the time what perf prints by default. */
	static const unsigned char odds[COLUMNS] = {
		[COMM] = 90, [PID] = 40, [TID] = 80, [CPU] = 50, [MISC] = 10,
		[TOD] = 10, [TIME] = 70, [NANOSECONDS] = 20, [PERIOD] = 60,
		[EVENT] = 70, [ADDR] = 10, [WEIGHT] = 10, [CGROUP] = 10,
		[SYM] = 90, [SYMOFF] = 60, [DSO] = 60, [DSOFF] = 10,
		[SRCLINE] = 30, [IREGS] = 10, [BRSTACK] = 10, [INSN] = 10,
		[PHYS_ADDR] = 10, [PAGE_SIZE] = 10, [IPC] = 10, [STACKS] = 80,
		[INLINED] = 50, [CRLF] = 10,
	};

	for (unsigned i = 0; i < COLUMNS; i++)
		l->has[i] = random_below(100) < odds[i];
	/* A comm may end in a number, or in a letter as misc prints them. */
	if ((l->has[COMM] || l->has[MISC]) && !l->has[PID])
		l->has[TID] = true;
	/* An address alone may be addr's, and columns need some in front. */
	if (!l->has[STACKS] && !l->has[DSO])
		l->has[SYM] = true;
	if (!l->has[TIME])
		l->has[EVENT] = true;
	if (!l->has[EVENT])
		l->has[ADDR] = l->has[WEIGHT] = l->has[CGROUP] = false;
	/* A cgroup's name may hold blanks. */
	if (!l->has[STACKS] && !l->has[DSO])
		l->has[CGROUP] = false;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The stacks of the first n samples, sorted, a line each. */
static const char *truth(const struct layout *l, unsigned n)
{
	static char all[TEXT_SIZE];
	const char *lines[SAMPLES];
	size_t at = 0, count = 0;

	for (unsigned i = 0; i < n; i++)
		lines[i] = l->samples[i].folded;
	qsort(lines, n, sizeof(*lines), by_text);
	all[0] = '\0';
	for (unsigned i = 0; i < n; i++) {
		count++;
		if (i + 1 < n && strcmp(lines[i], lines[i + 1]) == 0)
			continue;
		at += (size_t)snprintf(all + at, TEXT_SIZE - at, "%s %zu\n",
				       lines[i], count);
		count = 0;
	}
	return all;
}

static const char *fold(const char *text, size_t size)
{
	struct flame_source *source;
	struct flame_sink *sink;

	stop();
	out = said = (struct fl_buf){ 0 };
	start();
	source = flame_open_memory(flame, text, size, "in", "perf");
	cr_assert(source, "%s", flame_error(flame));
	sink = fl_format_folded.create(flame, fl_out_memory(flame, &out));
	sink->picked = true;
	cr_assert_eq(flame_pump(source, sink), FLAME_OK, "%s",
		     flame_error(flame));
	flame_close(source);
	cr_assert_eq(flame_finish(sink), FLAME_OK, "%s", flame_error(flame));
	fl_buf_byte(&said, '\0');
	fl_buf_byte(&out, '\0');
	return out.data;
}

static const char *name_of(const struct layout *l)
{
	static char name[400];
	size_t n = 0;

	for (unsigned i = 0; i < COLUMNS; i++)
		if (l->has[i])
			n += (size_t)snprintf(name + n, sizeof(name) - n,
					      "%s%s", n ? "," : "",
					      column_names[i]);
	return name;
}

static unsigned layouts(void)
{
	const char *n = getenv("FLAME_LAYOUTS"), *slow = getenv("TEST_SLOW");

	return n ? (unsigned)atoi(n) :
	       slow && strcmp(slow, "1") == 0 ? LAYOUTS : SLOW_LAYOUTS;
}

Test(grammar, any_layout_folds_to_the_stacks_it_was_made_of)
{
	static struct layout l;
	unsigned wrong = 0, n = layouts();

	for (unsigned i = 0; i < n && wrong < 8; i++) {
		const char *is;

		state = i;
		choose(&l);
		print_layout(&l);
		is = fold(l.text.at, l.text.n);
		if (strcmp(is, truth(&l, SAMPLES)) == 0 && !said.data[0])
			continue;
		wrong++;
		cr_expect(false, "layout %u: %s\n%s\nis\n%snot\n%s%s", i,
			  name_of(&l), l.text.at, is, truth(&l, SAMPLES),
			  said.data);
	}
}

/* Samples of which no byte is missing. */
static unsigned whole_until(const struct layout *l, size_t size)
{
	unsigned n = 0;

	while (n < SAMPLES && l->samples[n].end <= size)
		n++;
	return n;
}

/* Layouts in which a stack's end is known. */
Test(grammar, a_text_cut_anywhere_folds_to_its_whole_samples)
{
	static struct layout l;
	unsigned wrong = 0, n = layouts();

	for (unsigned i = 0; i < n && wrong < 8; i++) {
		unsigned whole;
		size_t size;
		bool good;

		state = i;
		choose(&l);
		l.has[STACKS] = l.has[COMM] = l.has[TID] = l.has[TIME] =
			l.has[EVENT] = true;
		print_layout(&l);
		size = l.samples[0].end +
		       random_below((uint32_t)(l.text.n - l.samples[0].end));
		fold(l.text.at, size);
		whole = whole_until(&l, size);
		good = strcmp(out.data, truth(&l, whole)) == 0;
		/* Where the sample is left out, a line says so. */
		if (good)
			good = (whole && size == l.samples[whole - 1].end) ||
			       said.data[0];
		else	/* all its frames are there, or a line says so */
			good = (strcmp(out.data, truth(&l, whole + 1)) == 0 &&
				l.samples[whole].frames_end <= size) ||
			       strstr(said.data, "without the empty line");
		if (good)
			continue;
		wrong++;
		cr_expect(false, "layout %u: %s\n%.*s|\nis\n%snot\n%s%s", i,
			  name_of(&l), (int)size, l.text.at, out.data,
			  truth(&l, whole), said.data);
	}
}
