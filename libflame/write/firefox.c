/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a processed profile for profiler.firefox.com and samply, from the rows
 * of rows.c: a thread for each thread of the input, its samples in the order of
 * their times.  The version is that of 2025, whose tables are simple; the page
 * upgrades it when it loads.
 *
 * Where samples have no times, each begins where the one before it ends: the
 * stack chart is then a flame graph.
 */
#include "fl.h"

#include "draw/draw.h"
#include "write/rows.h"
#include "format/format.h"

#include <inttypes.h>

#define VERSION "56"
#define GECKO_VERSION "31"

/* A string of the shared table. */
struct text {
	flame_id name;
	enum flame_type type;
};

/* Ids in the order of first use; number[id] - 1 is the place of an id. */
struct numbered {
	uint32_t *number;
	flame_id *ids;
	size_t count, capacity;
};

struct writer {
	struct fl_pieces p;
	const struct fl_rows *rows;
	struct flame *flame;
	bool failed;
	struct fl_map strings;		/* of name << 8 | type */
	struct text *texts;
	size_t ntexts, texts_capacity;
	/* Of the current thread: */
	struct numbered stacks, frames;
	struct fl_map func_ids;		/* of name and file, as strings */
	uint32_t *func;			/* by frame's number */
	uint32_t *first_frame;		/* by function */
	size_t nfuncs, func_capacity, first_capacity;

	struct numbered pids;		/* by the id of their name */
	const struct flame_metric *metric;	/* NULL: no samples */
	int64_t start;			/* ns; times are relative to it */
};

/* Categories, by which frames have their colours. */
enum { OTHER, INTERPRETED, COMPILED, INLINED, NATIVE, KERNEL };

static const struct { const char *name, *color; } categories[] = {
	[OTHER] = { "Other", "grey" },
	[INTERPRETED] = { "Interpreted", "lightblue" },
	[COMPILED] = { "Compiled", "green" },
	[INLINED] = { "Inlined", "blue" },
	[NATIVE] = { "Native", "yellow" },
	[KERNEL] = { "Kernel", "orange" },
};

static unsigned category_of(enum flame_type type)
{
	switch (type) {
	case FLAME_INTERPRETED:
		return INTERPRETED;
	case FLAME_JIT:
	case FLAME_C1:
		return COMPILED;
	case FLAME_INLINED:
		return INLINED;
	case FLAME_NATIVE:
	case FLAME_CPP:
	case FLAME_JAVA_NATIVE:
		return NATIVE;
	case FLAME_KERNEL:
		return KERNEL;
	default:
		return OTHER;
	}
}

/* Numbers ------------------------------------------------------------- */

static bool numbered_open(struct numbered *n, size_t ids)
{
	n->number = fl_zeroed(ids + 1, sizeof(*n->number));
	return n->number;
}

static void numbered_free(struct numbered *n)
{
	fl_free(n->number);
	fl_free(n->ids);
}

static void numbered_clear(struct numbered *n)
{
	for (size_t i = 0; i < n->count; i++)
		n->number[n->ids[i]] = 0;
	n->count = 0;
}

static void add(struct writer *w, struct numbered *n, flame_id id)
{
	if (n->number[id] || w->failed)
		return;
	if (!fl_grow(&n->ids, &n->capacity, n->count + 1, sizeof(*n->ids))) {
		w->failed = true;
		return;
	}
	n->ids[n->count++] = id;
	n->number[id] = (uint32_t)n->count;
}

/* Adds a stack and its callers; callers get the smaller numbers. */
static void add_stack(struct writer *w, flame_id stack)
{
	struct numbered *n = &w->stacks;
	size_t first = n->count;

	for (; stack && !n->number[stack] && !w->failed;
	     stack = fl_parent(w->flame, stack))
		add(w, n, stack);
	if (w->failed)
		return;
	for (size_t i = first, k = n->count; i + 1 < k; i++, k--) {
		flame_id id = n->ids[i];

		n->ids[i] = n->ids[k - 1];
		n->ids[k - 1] = id;
	}
	for (size_t i = first; i < n->count; i++) {
		n->number[n->ids[i]] = (uint32_t)i + 1;
		add(w, &w->frames, fl_frame_id(w->flame, n->ids[i]));
	}
}

static uint32_t string_of(struct writer *w, flame_id name,
			  enum flame_type type)
{
	bool fresh;
	uint64_t *place = fl_map_put(&w->strings, (uint64_t)name << 8 | type,
				     &fresh);

	if (!place || (fresh && !fl_grow(&w->texts, &w->texts_capacity,
					 w->ntexts + 1, sizeof(*w->texts)))) {
		w->failed = true;
		return 0;
	}
	if (fresh) {
		*place = w->ntexts;
		w->texts[w->ntexts++] = (struct text){ name, type };
	}
	return (uint32_t)*place;
}

/* Columns ------------------------------------------------------------- */

static void put_number(struct writer *w, size_t i, int64_t n)
{
	fl_pieces_text(&w->p, i ? "," : "");
	fl_buf_number(&w->p.buf, n);
}

static void begin_column(struct writer *w, const char *name)
{
	fl_buf_print(&w->p.buf, "\"%s\":[", name);
}

static void end_column(struct writer *w)
{
	fl_pieces_text(&w->p, "],\n");
}

/* A column of n times the same. */
static void put_same(struct writer *w, const char *name, size_t n,
		     const char *value)
{
	begin_column(w, name);
	for (size_t i = 0; i < n; i++) {
		fl_pieces_text(&w->p, i ? "," : "");
		fl_buf_text(&w->p.buf, value);
	}
	end_column(w);
}

static void put_length(struct writer *w, size_t n)
{
	fl_buf_print(&w->p.buf, "\"length\":%zu}", n);
}

static const struct flame_frame *frame_at(const struct writer *w, size_t i)
{
	return &w->flame->frames.data[w->frames.ids[i]];
}

/* Tables -------------------------------------------------------------- */

static void put_stack_table(struct writer *w)
{
	const struct numbered *n = &w->stacks;

	fl_pieces_text(&w->p, ",\n\"stackTable\":{");
	begin_column(w, "frame");
	for (size_t i = 0; i < n->count; i++)
		put_number(w, i, w->frames.number[
			fl_frame_id(w->flame, n->ids[i])] - 1);
	end_column(w);
	begin_column(w, "prefix");
	for (size_t i = 0; i < n->count; i++) {
		flame_id below = fl_parent(w->flame, n->ids[i]);

		if (below)
			put_number(w, i, n->number[below] - 1);
		else
			fl_pieces_text(&w->p, i ? ",null" : "null");
	}
	end_column(w);
	put_length(w, n->count);
}

static void put_lines(struct writer *w, const char *name)
{
	begin_column(w, name);
	for (size_t i = 0; i < w->frames.count; i++)
		if (frame_at(w, i)->line)
			put_number(w, i, frame_at(w, i)->line);
		else
			fl_pieces_text(&w->p, i ? ",null" : "null");
	end_column(w);
}

/* Frames of a function differ by their lines. */
static void find_functions(struct writer *w)
{
	w->nfuncs = 0;
	fl_map_clear(&w->func_ids);
	if (!fl_grow(&w->func, &w->func_capacity, w->frames.count + 1,
		     sizeof(*w->func)) ||
	    !fl_grow(&w->first_frame, &w->first_capacity, w->frames.count + 1,
		     sizeof(*w->first_frame))) {
		w->failed = true;
		return;
	}
	for (size_t i = 0; i < w->frames.count; i++) {
		const struct flame_frame *f = frame_at(w, i);
		uint64_t name = string_of(w, f->name, f->type);
		uint64_t file = f->file ? string_of(w, f->file,
						    FLAME_UNKNOWN) + 1u : 0;
		bool fresh;
		uint64_t *place = fl_map_put(&w->func_ids, name << 32 | file,
					     &fresh);

		if (!place) {
			w->failed = true;
			return;
		}
		if (fresh) {
			*place = w->nfuncs;
			w->first_frame[w->nfuncs++] = (uint32_t)i;
		}
		w->func[i] = (uint32_t)*place;
	}
}

static void put_frame_table(struct writer *w)
{
	size_t n = w->frames.count;

	fl_pieces_text(&w->p, ",\n\"frameTable\":{");
	put_same(w, "address", n, "-1");
	put_same(w, "inlineDepth", n, "0");
	begin_column(w, "category");
	for (size_t i = 0; i < n; i++)
		put_number(w, i, category_of(frame_at(w, i)->type));
	end_column(w);
	put_same(w, "subcategory", n, "0");
	begin_column(w, "func");
	for (size_t i = 0; i < n; i++)
		put_number(w, i, w->func[i]);
	end_column(w);
	put_same(w, "nativeSymbol", n, "null");
	put_same(w, "innerWindowID", n, "0");
	put_lines(w, "line");
	put_same(w, "column", n, "null");
	put_length(w, n);
}

static void put_func_table(struct writer *w)
{
	size_t n = w->nfuncs;

	fl_pieces_text(&w->p, ",\n\"funcTable\":{");
	put_same(w, "isJS", n, "false");
	put_same(w, "relevantForJS", n, "false");
	begin_column(w, "name");
	for (size_t i = 0; i < n; i++) {
		const struct flame_frame *f = frame_at(w, w->first_frame[i]);

		put_number(w, i, string_of(w, f->name, f->type));
	}
	end_column(w);
	put_same(w, "resource", n, "-1");
	begin_column(w, "fileName");
	for (size_t i = 0; i < n; i++) {
		flame_id file = frame_at(w, w->first_frame[i])->file;

		if (file)
			put_number(w, i, string_of(w, file, FLAME_UNKNOWN));
		else
			fl_pieces_text(&w->p, i ? ",null" : "null");
	}
	end_column(w);
	put_same(w, "lineNumber", n, "null");
	put_same(w, "columnNumber", n, "null");
	put_length(w, n);
}

static void put_tables(struct writer *w)
{
	put_stack_table(w);
	put_frame_table(w);
	put_func_table(w);
	fl_pieces_text(&w->p, ",\n\"resourceTable\":{\"lib\":[],\"name\":[],"
		       "\"host\":[],\"type\":[],\"length\":0},\n"
		       "\"nativeSymbols\":{\"libIndex\":[],\"address\":[],"
		       "\"name\":[],\"functionSize\":[],\"length\":0},\n"
		       "\"markers\":{\"data\":[],\"name\":[],\"startTime\":[],"
		       "\"endTime\":[],\"phase\":[],\"category\":[],"
		       "\"length\":0}}");
}

/* Samples ------------------------------------------------------------- */

/* Decimal places of a weight in ms; -1: it is not a time. */
static int places_of(const struct flame_metric *metric)
{
	static const struct { const char *unit; int places; } units[] = {
		{ "ns", 6 }, { "us", 3 }, { "ms", 0 },
	};

	for (size_t i = 0; metric && i < FL_COUNT(units); i++)
		if (strcmp(metric->weight, units[i].unit) == 0)
			return units[i].places;
	return -1;
}

static const char *weight_type(const struct writer *w)
{
	if (places_of(w->metric) >= 0)
		return "tracing-ms";
	return w->metric && strcmp(w->metric->weight, "bytes") == 0 ?
	       "bytes" : "samples";
}

static void put_weights(struct writer *w, size_t from, size_t to)
{
	int places = places_of(w->metric);

	begin_column(w, "weight");
	for (size_t i = from; i < to; i++) {
		fl_pieces_text(&w->p, i > from ? "," : "");
		fl_pieces_decimal(&w->p, w->rows->sums.data[i].weight,
				  FL_MAX(places, 0));
	}
	end_column(w);
}

/* In ms: since the start, or the sum of weights so far. */
static void put_times(struct writer *w, size_t from, size_t to)
{
	bool timed = w->rows->first != FLAME_NOTIME;
	int places = timed ? 6 : FL_MAX(places_of(w->metric), 0);
	int64_t last = 0;

	begin_column(w, "time");
	for (size_t i = from; i < to; i++) {
		const struct flame_sample *row = &w->rows->sums.data[i];

		if (timed && row->time != FLAME_NOTIME)
			last = fl_row_since(w->rows, row);
		fl_pieces_text(&w->p, i > from ? "," : "");
		fl_pieces_decimal(&w->p, last, places);
		if (!timed)
			last = fl_add_clamped(last, row->weight);
	}
	end_column(w);
}

static void put_samples(struct writer *w, size_t from, size_t to)
{
	fl_buf_print(&w->p.buf, ",\n\"samples\":{\"weightType\":\"%s\",\n",
		     weight_type(w));
	put_weights(w, from, to);
	begin_column(w, "stack");
	for (size_t i = from; i < to; i++) {
		flame_id stack = w->rows->sums.data[i].stack;

		if (stack)
			put_number(w, i - from, w->stacks.number[stack] - 1);
		else
			fl_pieces_text(&w->p, i > from ? ",null" : "null");
	}
	end_column(w);
	put_times(w, from, to);
	put_length(w, to - from);
}

/* Threads ------------------------------------------------------------- */

static flame_id label_of(struct writer *w, const struct flame_sample *row,
			 const char *key)
{
	return row ? fl_row_label(w->flame, row, fl_name(w->flame, key)) : 0;
}

/* row: of the thread; NULL: there is no sample. */
static void put_thread_head(struct writer *w, const struct flame_sample *row)
{
	flame_id pid = label_of(w, row, "pid"), tid = label_of(w, row, "tid");
	bool is_first = !w->pids.number[pid];
	struct slice name = fl_name_at(w->flame, label_of(w, row, "thread"));
	struct slice number = fl_name_at(w->flame, tid);

	add(w, &w->pids, pid);
	fl_pieces_text(&w->p, "\n{\"processType\":\"default\","
		       "\"processStartupTime\":0,\"processShutdownTime\":null,"
		       "\"registerTime\":0,\"unregisterTime\":null,"
		       "\"pausedRanges\":[],\n\"name\":");
	fl_spell_json(&w->p.buf, name);
	fl_pieces_text(&w->p, ",\"isMainThread\":");
	fl_pieces_text(&w->p, is_first ? "true" : "false");
	fl_pieces_text(&w->p, ",\"pid\":");
	fl_spell_json(&w->p.buf, pid ? fl_name_at(w->flame, pid) :
				       FL_SLICE("unknown"));
	fl_pieces_text(&w->p, ",\"tid\":");
	if (tid && fl_slice_digits(number) && number.size < 16)
		fl_buf_put(&w->p.buf, number.data, number.size);
	else
		fl_spell_json(&w->p.buf, tid ? number : FL_SLICE("unknown"));
}

static void put_thread(struct writer *w, size_t from, size_t to)
{
	numbered_clear(&w->stacks);
	numbered_clear(&w->frames);
	for (size_t i = from; i < to; i++)
		add_stack(w, w->rows->sums.data[i].stack);
	if (!w->failed)
		find_functions(w);
	if (w->failed)
		return;
	put_thread_head(w, from < to ? &w->rows->sums.data[from] : NULL);
	put_samples(w, from, to);
	put_tables(w);
}

static void put_threads(struct writer *w)
{
	size_t from = 0, to;

	fl_pieces_text(&w->p, "\"threads\":[");
	do {
		to = from < w->rows->sums.count ?
		     fl_rows_thread_end(w->rows, from) : from;
		fl_pieces_text(&w->p, from ? "," : "");
		put_thread(w, from, to);
		from = to;
	} while (from < w->rows->sums.count && !w->failed);
	fl_pieces_text(&w->p, "],\n");
}

/* The profile --------------------------------------------------------- */

static void put_meta(struct writer *w)
{
	const struct fl_rows *rows = w->rows;
	int64_t start = rows->first == FLAME_NOTIME ? 0 : rows->first;

	fl_pieces_text(&w->p, "{\"meta\":{\"preprocessedProfileVersion\":"
		       VERSION ",\"version\":" GECKO_VERSION
		       ",\"interval\":1,\"startTime\":");
	fl_pieces_decimal(&w->p, start, 6);
	fl_pieces_text(&w->p, ",\"processType\":0,\"stackwalk\":0,\"debug\":0,"
		       "\"symbolicated\":true,\"product\":");
	fl_pieces_string(&w->p, rows->title ? rows->title :
			 w->metric && *w->metric->name ? w->metric->name :
							 "samples");
	fl_pieces_text(&w->p, ",\"importedFrom\":\"libflame " FLAME_VERSION
		       "\",\n\"categories\":[");
	for (size_t i = 0; i < FL_COUNT(categories); i++)
		fl_buf_print(&w->p.buf, "%s{\"name\":\"%s\",\"color\":\"%s\","
			     "\"subcategories\":[\"Other\"]}", i ? "," : "",
			     categories[i].name, categories[i].color);
	fl_pieces_text(&w->p, "],\"markerSchema\":[]},\n\"libs\":[],\n");
}

static void put_shared(struct writer *w)
{
	fl_pieces_text(&w->p, "\"shared\":{\"stringArray\":[");
	for (size_t i = 0; i < w->ntexts; i++) {
		fl_pieces_text(&w->p, i ? ",\n" : "\n");
		fl_pieces_name(&w->p, w->flame, w->texts[i].name,
			       w->texts[i].type);
	}
	fl_pieces_text(&w->p, "]}}\n");
}

static bool open_writer(struct writer *w, struct fl_rows *rows)
{
	const struct flame *flame = rows->flame;

	*w = (struct writer){ .p.out = rows->out, .rows = rows,
			      .flame = rows->flame };
	if (rows->nmetrics)
		w->metric = flame_metric_of(flame, rows->metrics[0]);
	return numbered_open(&w->stacks, flame->stacks.count) &&
	       numbered_open(&w->frames, flame->frames.count) &&
	       /* The keys of labels may become names, too. */
	       numbered_open(&w->pids, flame->names.count + 8);
}

static int write_firefox(struct fl_rows *rows)
{
	struct writer w;
	int status;

	if (open_writer(&w, rows)) {
		put_meta(&w);
		put_threads(&w);
		put_shared(&w);
	} else {
		w.failed = true;
	}
	status = fl_pieces_finish(&w.p, rows->flame);
	if (w.failed)
		status = fl_no_memory(rows->flame);
	fl_map_free(&w.strings);
	fl_map_free(&w.func_ids);
	fl_free(w.texts);
	fl_free(w.func);
	fl_free(w.first_frame);
	numbered_free(&w.stacks);
	numbered_free(&w.frames);
	numbered_free(&w.pids);
	return status;
}

static struct flame_sink *create(struct flame *flame, struct fl_out *out)
{
	return fl_thread_rows_sink(flame, out, write_firefox);
}

/* The row of formats.def ------------------------------------------------ */

const struct fl_format fl_format_firefox_write = {
	.name = "firefox",
	.summary = "JSON for Firefox's profiler, with threads and times",
	.create = create,
};
