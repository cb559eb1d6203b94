/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Laws of readers and filters that are tried many times over a file, and so
 * in one process: tests/laws/readers runs it on all of tests/data.  Formats
 * are detected and filters come from the table: new ones need nothing here
 * to be tried.  TAP, a line a law and file.
 *
 *	try-readers FILE...
 */
#include "fl.h"

#include "filter/filter.h"
#include "format/formats.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

/* Places to cut at: all of a small file, else about CUTS. */
enum { SMALL = 1500, CUTS = 150, LAST = 30 };

/* Weights by metric and stack: ids of one dictionary, so they compare. */
struct weights {
	struct fl_map map;
	int64_t sum;
};

static struct flame *flame;
static const char *name;		/* of the file */
static struct slice file;
static char format[64];
static bool text, packed, ends;	/* ends: in a newline, unpacked */
static struct weights whole, totals;	/* totals: with what is above */
static unsigned tests;
static char problem[400];

/* Results --------------------------------------------------------- */

static void verdict(const char *law)
{
	printf("%s %u - %s: %s\n", problem[0] ? "not ok" : "ok", ++tests,
	       name, law);
	if (problem[0])
		printf("#   %s\n", problem);
	problem[0] = '\0';
	fflush(stdout);
}

static void skipped(const char *law, const char *why)
{
	printf("ok %u - %s: %s # SKIP %s\n", ++tests, name, law, why);
	problem[0] = '\0';
}

FL_PRINTF(1, 2)
static void complain(const char *line, ...)
{
	va_list args;

	if (problem[0])
		return;
	va_start(args, line);
	vsnprintf(problem, sizeof(problem), line, args);
	va_end(args);
	for (char *at = problem; *at; at++)
		if ((unsigned char)*at < 0x20)
			*at = '?';
}

/* "a;b" of a key. */
static const char *spell(uint64_t key)
{
	static char line[200];
	flame_id stack = (flame_id)key;
	size_t n = sizeof(line) - 1;

	line[n] = '\0';
	for (; stack && n; stack = fl_parent(flame, stack)) {
		struct slice s = fl_name_at(flame,
					    fl_frame_at(flame, stack)->name);
		size_t m = FL_MIN(s.size, n - 1);

		n -= m;
		memcpy(line + n, s.data, m);
		line[--n] = ';';
	}
	return line + n + (line[n] == ';');
}

/* Reading ------------------------------------------------------------------ */

struct counter {
	struct weights *weights;
};

static int put(struct flame_sink *sink, const struct flame_sample *s)
{
	struct weights *w = ((struct counter *)sink->state)->weights;
	uint64_t *n = fl_map_put(&w->map, (uint64_t)s->metric << 32 | s->stack,
				 NULL);

	if (!n)
		return fl_no_memory(sink->flame);
	*n += (uint64_t)s->weight;
	w->sum += s->weight;
	return FLAME_OK;
}

static struct flame_sink *counter(struct weights *weights)
{
	struct flame_sink *sink = fl_sink_new(flame, NULL,
					      sizeof(struct counter));

	fl_map_clear(&weights->map);
	weights->sum = 0;
	sink->put = put;
	((struct counter *)sink->state)->weights = weights;
	return sink;
}

/* Failed or damaged, it may; the output of a failure counts as nothing. */
static int pump(struct slice bytes, const char *as, struct flame_sink *sink,
		struct weights *weights)
{
	struct flame_source *source;
	int status = FLAME_FAILED, damage = 2;

	flame_clear(flame);
	source = flame_open_memory(flame, bytes.data, bytes.size, name, as);
	if (source) {
		/*
		 * A repeated chunk must count twice, as records of others do;
		 * what pprof drops is reported after the samples.
		 */
		status = flame_ask(source, "overlap", "keep") == FLAME_OK &&
			 flame_ask(source, "unpruned", NULL) == FLAME_OK ?
			 flame_pump(source, sink) : FLAME_FAILED;
		damage = flame_source_damage(source);
		if (!format[0])
			snprintf(format, sizeof(format), "%s",
				 flame_source_format(source));
	}
	flame_close(source);
	if (flame_finish(sink) != FLAME_OK || status != FLAME_OK) {
		fl_map_clear(&weights->map);
		weights->sum = 0;
		return 2;
	}
	return damage;
}

static int count(struct slice bytes, const char *as, struct weights *weights)
{
	return pump(bytes, as, counter(weights), weights);
}

static int64_t weight_of(const struct weights *w, uint64_t key)
{
	const uint64_t *n = fl_map_get(&w->map, key);

	return n ? (int64_t)*n : 0;
}

/* A frame that says of itself that what it was is lost. */
static bool has_unknown(flame_id stack)
{
	for (; stack; stack = fl_parent(flame, stack))
		if (fl_slice_starts(fl_name_at(flame, fl_frame_at(flame,
							stack)->name),
				    "[unknown"))
			return true;
	return false;
}

/*
 * Stacks of known frames in which a weighs more than b, times; keeps one of
 * them, and by how much all do.
 */
static size_t excess(const struct weights *a, const struct weights *b,
		     int64_t times, uint64_t *which, int64_t *more)
{
	const struct fl_map_entry *e;
	size_t i = 0, n = 0;

	while ((e = fl_map_each(&a->map, &i)) != NULL) {
		if ((int64_t)e->value <= times * weight_of(b, e->key) ||
		    (!text && has_unknown((flame_id)e->key)))
			continue;
		*which = e->key;
		*more += (int64_t)e->value - times * weight_of(b, e->key);
		n++;
	}
	return n;
}

static void same(const struct weights *a, const struct weights *b,
		 const char *what)
{
	uint64_t key = 0;
	int64_t more = 0;

	if (a->sum != b->sum)
		complain("%s: %" PRId64 ", not %" PRId64, what, a->sum,
			 b->sum);
	else if (excess(a, b, 1, &key, &more))
		complain("%s: %" PRId64 ", not %" PRId64 ": %s", what,
			 weight_of(a, key), weight_of(b, key), spell(key));
}

/* Cut anywhere --------------------------------------------------------------- */

/*
 * A cut file may have lost names at the leaf (of JFR, the class of an object):
 * so a stack may weigh as much as all that begin with it.
 */
static void add_totals(void)
{
	const struct fl_map_entry *e;
	size_t i = 0;

	fl_map_clear(&totals.map);
	while ((e = fl_map_each(&whole.map, &i)) != NULL) {
		uint64_t metric = e->key >> 32 << 32;
		flame_id stack = (flame_id)e->key;

		for (;; stack = fl_parent(flame, stack)) {
			*fl_map_put(&totals.map, metric | stack, NULL) +=
				e->value;
			if (!stack)
				break;
		}
	}
}

/*
 * Of text, two stacks may be others than the whole has: that of a record
 * whose end was cut, and of one before that a line ends which would have
 * gone on.  Where stacks are completed by what follows them, more may.
 */
static bool may_differ(size_t stacks)
{
	const struct fl_format *f = fl_format_named(flame, format, false);

	return (f && f->completes_late) || stacks <= (text ? 2 : 0);
}

static void cut_at(size_t size, struct weights *w)
{
	uint64_t key = 0;
	int64_t more = 0, odd = 0;
	size_t n;

	count((struct slice){ file.data, size }, NULL, w);
	count((struct slice){ file.data, size }, format, w);
	if (text && excess(w, &whole, 1, &key, &odd) > 2)
		odd = 0;
	n = excess(w, &totals, 1, &key, &more);
	if (w->sum > whole.sum + odd)
		complain("%zu bytes: %" PRId64 ", of %" PRId64, size, w->sum,
			 whole.sum);
	else if (!may_differ(n))
		complain("%zu bytes: %zu stacks have more, as %" PRId64
			 ", not %" PRId64 ": %s", size, n, weight_of(w, key),
			 weight_of(&totals, key), spell(key));
}

static void cut_anywhere(void)
{
	struct weights w = { 0 };
	size_t step = file.size <= SMALL ? 1 : file.size / CUTS;

	add_totals();
	for (size_t size = 0; size < file.size;
	     size += file.size - size <= LAST ? 1 : step)
		cut_at(size, &w);
	fl_map_free(&w.map);
	verdict("cut anywhere, it has no more than the whole");
}

/* Packed, and twice ---------------------------------------------------------- */

static struct fl_buf gzip(struct slice s)
{
	struct fl_buf out = { 0 };
	z_stream z = { .next_in = (Bytef *)(uintptr_t)s.data,
		       .avail_in = (uInt)s.size };
	char piece[4096];

	deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
	do {
		z.next_out = (Bytef *)piece;
		z.avail_out = sizeof(piece);
		deflate(&z, Z_FINISH);
		fl_buf_put(&out, piece, sizeof(piece) - z.avail_out);
	} while (z.avail_out == 0);
	deflateEnd(&z);
	return out;
}

static void through_gzip(const struct fl_buf *zip)
{
	struct weights w = { 0 };

	count((struct slice){ zip->data, zip->size }, NULL, &w);
	same(&w, &whole, "packed");
	fl_map_free(&w.map);
	verdict("through gzip it is the file");
}

/* Documents are whole: what follows one is not a part of it. */
static bool is_document(void)
{
	size_t i = strspn(file.data, " \t\r\n\xef\xbb\xbf");

	if (file.size > 4 && memcmp(file.data, "PAR1", 4) == 0)
		return true;
	return text && i < file.size && strchr("{[<", file.data[i]);
}

static void twice(struct slice a, struct slice b, const char *what)
{
	struct weights w = { 0 };
	struct fl_buf all = { 0 };
	uint64_t key = 0;
	int64_t more = 0;

	fl_buf_put(&all, a.data, a.size);
	if (text && a.data == file.data && !packed)
		fl_buf_put(&all, "\n\n", 2);
	fl_buf_put(&all, b.data, b.size);
	count((struct slice){ all.data, all.size }, NULL, &w);
	if (w.sum != 2 * whole.sum)
		complain("%s: %" PRId64 ", not 2 * %" PRId64, what, w.sum,
			 whole.sum);
	else if (excess(&w, &whole, 2, &key, &more))
		complain("%s: %" PRId64 ", not 2 * %" PRId64 ": %s", what,
			 weight_of(&w, key), weight_of(&whole, key),
			 spell(key));
	fl_map_free(&w.map);
	fl_buf_free(&all);
}

static void concatenated(int damage, const struct fl_buf *zip)
{
	static const char law[] = "cat of it, plain and packed, is the sum";
	struct slice z = { zip->data, zip->size };

	if (damage || strstr(name, "inflight")) {
		skipped(law, "its end is not whole");
		return;
	}
	if (text && packed && !ends) {
		skipped(law, "its last line goes on");
		return;
	}
	if (is_document()) {
		skipped(law, "it is a document");
		return;
	}
	twice(file, file, "twice");
	if (!text || ends) {
		twice(z, z, "packed twice");
		/* Zeros after a packed member are padding. */
		if (file.data[0])
			twice(z, file, "packed, plain");
	}
	twice(file, z, "plain, packed");
	verdict(law);
}

/* Filters ---------------------------------------------------------------------- */

/* The values tried for an argument that a row calls so. */
static const struct argument {
	const char *name;
	const char *tries[6];
} arguments[] = {
	{ "RE", { "a", "^j", "e$", "[A-Z].*\\.", "nosuch" } },
	{ "N", { "0", "1", "3", "1000" } },
	{ "KEY", { "thread", "file", "state", "nosuch" } },
	{ "X", { "1", "3" } },
};

static struct flame_sink *filtered(struct weights *w, const char *filter,
				   const char *arg, int times)
{
	struct flame_sink *sink = counter(w);

	for (; times; times--)
		sink = flame_filter(sink, filter, arg);
	return sink;
}

static void try_filter(const struct fl_filter *row, const char *arg)
{
	struct weights once = { 0 }, again = { 0 };
	struct flame_sink *sink;
	char what[100];

	flame_clear(flame);
	snprintf(what, sizeof(what), "--%s %s", row->name, arg ? arg : "");
	sink = filtered(&once, row->name, arg, 1);
	if (!sink)
		return;		/* an argument that it refuses */
	pump(file, format, sink, &once);
	if (once.sum > whole.sum)
		complain("%s: %" PRId64 " of %" PRId64, what, once.sum,
			 whole.sum);
	/* A file that has one side alone is refused. */
	if (once.sum != whole.sum &&
	    (strcmp(row->name, "join") != 0 || !*flame_error(flame)) &&
	    !row->selects)
		complain("%s: %" PRId64 ", not %" PRId64, what, once.sum,
			 whole.sum);
	if (row->idempotent) {
		pump(file, format, filtered(&again, row->name, arg, 2),
		     &again);
		strcat(what, " twice");
		same(&again, &once, what);
	}
	fl_map_free(&once.map);
	fl_map_free(&again.map);
}

static void filters(void)
{
	for (size_t i = 0; fl_filters[i]; i++) {
		const struct fl_filter *row = fl_filters[i];

		if (!row->argument)
			try_filter(row, NULL);
		for (size_t k = 0; row->argument && k < FL_COUNT(arguments);
		     k++) {
			const struct argument *a = &arguments[k];

			if (strcmp(a->name, row->argument) != 0)
				continue;
			for (size_t t = 0; a->tries[t]; t++)
				try_filter(row, a->tries[t]);
		}
	}
	verdict("no filter invents a sample, or changes its mind");
}

/* -------------------------------------------------------------------------------- */

static bool slurp(const char *path, struct fl_buf *buf)
{
	FILE *in = fopen(path, "rb");
	char piece[65536];
	size_t n;

	if (!in)
		return false;
	while ((n = fread(piece, 1, sizeof(piece), in)) > 0)
		fl_buf_put(buf, piece, n);
	fclose(in);
	return true;
}

/* What it is, packed or not. */
static void look(void)
{
	struct fl_in *in =
		fl_in_decoded(fl_in_memory(flame, file.data, file.size, name));
	size_t n = 0;
	const uint8_t *at = in ? fl_in_peek(in, SIZE_MAX, &n) : NULL;

	text = n;
	for (size_t i = 0; i < FL_MIN(n, (size_t)64); i++)
		text &= at[i] > 8;	/* messages may have no NUL there */
	ends = n && at[n - 1] == '\n';
	packed = n != file.size || memcmp(at, file.data, n) != 0;
	fl_in_close(in);
}

static void laws(const char *path)
{
	const char *slash = strrchr(path, '/');
	struct fl_buf bytes = { 0 }, zip;
	int damage;

	flame = flame_new();
	name = slash ? slash + 1 : path;
	if (!flame || !slurp(path, &bytes)) {
		complain("%s: cannot be read", path);
		verdict("it is there");
		return;
	}
	fl_buf_byte(&bytes, '\0');
	file = (struct slice){ bytes.data, bytes.size - 1 };
	look();
	format[0] = '\0';
	damage = count(file, NULL, &whole);
	if (damage == 2) {
		skipped("read", "no sample can be read");
	} else {
		zip = gzip(file);
		cut_anywhere();
		through_gzip(&zip);
		concatenated(damage, &zip);
		filters();
		fl_buf_free(&zip);
	}
	fl_buf_free(&bytes);
	fl_map_free(&whole.map);
	fl_map_free(&totals.map);
	whole = totals = (struct weights){ 0 };
	flame_free(flame);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		laws(argv[i]);
	printf("1..%u\n", tests);
	return tests ? 0 : 1;
}
