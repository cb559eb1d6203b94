/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Format firefox: reads profiles of Firefox and makes samples of them: those
 * that the profiler's page saves and samply writes ("processed"), and those
 * that the browser and DevTools themselves write ("gecko").  A thread has
 * tables by column,
 *
 *	"samples":{"stack":[7],"time":[0.5],"weight":[1]}
 *	"stackTable":{"prefix":[null],"frame":[0]}
 *	"frameTable":{"func":[0]}, "funcTable":{"name":[0]}
 *	"stringArray":["main"]
 *
 * all but samples may be those of "shared", which comes before or after the
 * threads; or, of gecko, by row:
 *
 *	"samples":{"schema":{"stack":0,"time":1},"data":[[7,0.5]]}
 *	"frameTable":{"schema":{"location":0},"data":[[0]]}
 *
 * So all columns are stored (firefox_tables.c), and samples are made at the end
 * of a document.
 */
#include "fl.h"

#include "format/json/firefox_tables.h"
#include "native/frame.h"

#include <inttypes.h>

/* Profiles of processes lie within that of their parent. */
enum { MAX_NESTING = 8 };

struct options {
	bool total, lines;
};

struct columns {
	struct fl_json_integers stack;
	struct fl_firefox_decimals time, delta, weight;
	enum { SAMPLES, TIME, BYTES, ALLOCATIONS } unit;
};

struct thread {
	struct fl_firefox_tables tables;
	struct columns samples, allocations;
	flame_id name;
	int64_t tid, pid;
	int64_t start;		/* ns since 1970; FLAME_NOTIME: not known */
	int64_t interval;	/* ns */
	bool is_dated;		/* has these two */
};

struct firefox {
	struct fl_json_source js;
	const struct options *options;
	struct fl_firefox_tables shared;
	struct thread *threads;
	size_t nthreads, capacity;
	struct fl_firefox_names libs;
	struct fl_buf buf;
	unsigned nesting;
	uint64_t no_stack, addresses, frees;
};

static void free_columns(struct columns *c)
{
	fl_free(c->stack.data);
	fl_free(c->time.data);
	fl_free(c->delta.data);
	fl_free(c->weight.data);
}

static void forget_threads(struct firefox *f)
{
	for (size_t i = 0; i < f->nthreads; i++) {
		struct thread *t = &f->threads[i];

		fl_firefox_tables_free(&t->tables);
		free_columns(&t->samples);
		free_columns(&t->allocations);
	}
	f->nthreads = 0;
	f->libs.count = 0;
	fl_firefox_tables_free(&f->shared);
}

/* Tables --------------------------------------------------------------- */

static void read_columns(struct fl_json_source *js, void *object)
{
	struct columns *c = object;
	struct fl_json *json = &js->json;
	struct slice text;
	struct fl_firefox_wanted w[] = {
		{ "stack", &c->stack, NULL, 0, 0 },
		{ "time", NULL, &c->time, 6, 1 },
		{ "timeDeltas", NULL, &c->delta, 6, -1 },
		/* In millionths, as the unit may come later. */
		{ "weight", NULL, &c->weight, 6, -1 },
	};

	while (fl_json_key(json) && !fl_failed(js->flame)) {
		if (!fl_json_is(json, "weightType")) {
			if (!fl_firefox_table_key(js, w, FL_COUNT(w)))
				fl_json_skip(json);
		} else if (fl_json_string(json, &text)) {
			c->unit = fl_slice_is(text, "tracing-ms") ? TIME :
				  fl_slice_is(text, "bytes") ? BYTES :
							       SAMPLES;
		}
	}
}

/* Samples -------------------------------------------------------------- */

static uint32_t at(const struct fl_json_integers *c, uint32_t i)
{
	return i < c->count ? c->data[i] : FL_JSON_NO_INTEGER;
}

static struct slice name_at(const struct firefox *f,
			    const struct fl_firefox_names *names, uint32_t i)
{
	flame_id name = i < names->count ? names->data[i] : 0;

	return name ? fl_name_at(f->js.flame, name) :
		      (struct slice){ "", 0 };
}

/* "alpha (http://host/a.js:1:14)": the part before the location. */
static struct slice without_place(struct slice name)
{
	size_t i = name.size;

	if (!fl_slice_ends(name, ")"))
		return name;
	while (i && name.data[i - 1] != '(')
		i--;
	if (i < 3 || name.data[i - 2] != ' ' ||
	    !fl_is_digit(name.data[name.size - 2]) ||
	    !memchr(name.data + i, ':', name.size - i))
		return name;
	return (struct slice){ name.data, i - 2 };
}

/* perf script's "f (in /bin/app)": the library is cut off. */
static struct slice cut_library(struct slice *name)
{
	const char *at = name->size && fl_slice_ends(*name, ")") ?
			 fl_slice_find(*name, " (in ") : NULL;
	struct slice library = { "", 0 };

	if (!at || at == name->data)
		return library;
	library.data = at + strlen(" (in ");
	library.size = (size_t)(name->data + name->size - 1 - library.data);
	name->size = (size_t)(at - name->data);
	return library;
}

static bool is_address(struct slice name)
{
	if (name.size < 3 || !fl_slice_starts(name, "0x"))
		return false;
	for (size_t i = 2; i < name.size; i++)
		if (!fl_is_hex(name.data[i]))
			return false;
	return true;
}

/* The library of a function without a name; empty: not known. */
static struct slice library_of(const struct firefox *f,
			       const struct fl_firefox_tables *t,
			       const struct fl_firefox_names *strings,
			       uint32_t frame)
{
	uint32_t resource = at(&t->func_resource, at(&t->func, frame));
	struct slice name = name_at(f, strings,
				    at(&t->resource_name, resource));

	return name.size ? name : name_at(f, &f->libs, at(&t->lib, frame));
}

/* 0: it is not a frame. */
static flame_id frame_of(struct firefox *f, const struct fl_firefox_tables *t,
			 const struct fl_firefox_names *strings, uint32_t i)
{
	struct fl_buf *buf = &f->buf;
	struct slice name, library = { "", 0 }, module = { "", 0 };
	uint32_t line = at(&t->line, i), depth = at(&t->depth, i);

	if (t->location.count)
		name = without_place(name_at(f, strings,
					     at(&t->location, i)));
	else
		name = name_at(f, strings, at(&t->func_name,
					      at(&t->func, i)));
	if (t->location.count)
		module = cut_library(&name);
	if (!name.size || fl_slice_is(name, "(root)"))
		return 0;
	if (is_address(name) || (module.size && fl_slice_is(name, "[unknown]"))) {
		f->addresses++;
		library = module.size ? module : library_of(f, t, strings, i);
	}
	buf->size = 0;
	if (library.size)
		fl_put_unnamed(buf, library, 0);
	else
		fl_buf_put(buf, name.data, name.size);
	if (f->options->lines && line != FL_JSON_NO_INTEGER && line) {
		fl_buf_byte(buf, ':');
		fl_buf_number(buf, line);
	}
	if (buf->failed) {
		fl_no_memory(f->js.flame);
		return 0;
	}
	return fl_frame(f->js.flame, flame_name(f->js.flame, buf->data,
						buf->size),
			depth && depth != FL_JSON_NO_INTEGER ?
			FLAME_INLINED : fl_slice_starts(module, "[kernel") ?
			FLAME_KERNEL : FLAME_UNKNOWN);
}

/* The caller of a stack, plus 1; 0: none.  false: it does not come before. */
static bool caller_of(const struct fl_firefox_tables *t, uint32_t i,
		      uint32_t *caller)
{
	uint32_t n = at(&t->prefix, i);

	*caller = 0;
	if (n == FL_JSON_NO_INTEGER || (t->is_offset && !n))
		return true;
	if (t->is_offset ? n > i : n >= i)
		return false;
	*caller = (t->is_offset ? i - n : n) + 1;
	return true;
}

/* For each stack of the table; FL_JSON_NO_INTEGER: invalid. */
static flame_id *find_stacks(struct firefox *f,
			     const struct fl_firefox_tables *t,
			     const struct fl_firefox_names *strings)
{
	size_t nframes = FL_MAX(t->func.count, t->location.count);
	flame_id *frames = fl_zeroed(nframes + 1, sizeof(*frames));
	flame_id *stacks = fl_zeroed(t->stack_frame.count + 1,
				     sizeof(*stacks));

	for (size_t i = 0; frames && stacks && i < nframes; i++)
		frames[i] = frame_of(f, t, strings, (uint32_t)i);
	for (size_t i = 0; frames && stacks && i < t->stack_frame.count;
	     i++) {
		uint32_t frame = t->stack_frame.data[i], caller;
		flame_id below;

		stacks[i] = FL_JSON_NO_INTEGER;
		if (frame >= nframes || !caller_of(t, (uint32_t)i, &caller))
			continue;
		below = caller ? stacks[caller - 1] : 0;
		if (below == FL_JSON_NO_INTEGER || fl_failed(f->js.flame))
			continue;
		stacks[i] = frames[frame] ?
			    flame_stack(f->js.flame, below, frames[frame]) :
			    below;
	}
	fl_free(frames);
	if (!frames || !stacks) {
		fl_free(stacks);
		stacks = NULL;
		fl_no_memory(f->js.flame);
	}
	return stacks;
}

static flame_id metric_of(struct firefox *f, const struct columns *c)
{
	bool counts = c->unit == SAMPLES && !f->options->total;

	if (c->unit == ALLOCATIONS)
		return fl_metric(f->js.flame, "alloc", "bytes", "bytes");
	if (c->unit == BYTES)
		return fl_metric(f->js.flame, "bytes", "bytes", "bytes");
	return fl_metric(f->js.flame, "time", "ns",
			 counts ? "samples" : "ns");
}

/* Weights are in millionths: of ms that is in ns. */
static void add(struct firefox *f, const struct thread *t,
		const struct columns *c, size_t i, struct flame_sample *sample)
{
	int64_t weight = 1000000, samples = 1, total;

	if (i < c->weight.count && c->weight.data[i] != FLAME_NOTIME)
		weight = c->weight.data[i];
	if (weight == INT64_MAX)	/* none that fits, as reported */
		return;
	if (c->unit == ALLOCATIONS && weight < 0) {
		f->frees++;
		return;
	}
	if (c->unit == SAMPLES) {
		samples = weight / 1000000;
		total = fl_mul_clamped(samples, t->interval);
		weight = f->options->total ? total : samples;
	} else {
		if (c->unit != TIME)
			weight /= 1000000;
		total = weight;
	}
	sample->weight = weight;
	fl_metric_count(f->js.flame, sample->metric, (uint64_t)FL_MAX(samples, 0),
		      total);
	if (weight)
		fl_json_add(&f->js, sample);
}

static int64_t time_of(const struct thread *t, const struct columns *c,
		       size_t i, int64_t *at)
{
	if (i < c->time.count)
		*at = c->time.data[i];
	else if (i < c->delta.count && c->delta.data[i] != FLAME_NOTIME)
		*at = fl_add_clamped(*at, c->delta.data[i]);
	else
		*at = FLAME_NOTIME;
	if (t->start == FLAME_NOTIME || *at == FLAME_NOTIME)
		return FLAME_NOTIME;
	return fl_add_clamped(t->start, *at);
}

static flame_id thread_of(struct firefox *f, const struct thread *t)
{
	struct slice name = { "", 0 };

	if (!fl_json_wants_thread(&f->js))
		return 0;
	if (t->name)
		name = fl_name_at(f->js.flame, t->name);
	return fl_json_thread(f->js.flame, name, t->pid, t->tid);
}

static void make_samples(struct firefox *f, const struct thread *t,
			 const struct columns *c)
{
	const struct fl_select *select = &f->js.source->select;
	bool timed = select->from.base || select->to.base ||
		     (select->needs & FL_NEED_TIME);
	const struct fl_firefox_tables *tables = t->tables.has_stacks ? &t->tables :
							     &f->shared;
	const struct fl_firefox_names *strings = t->tables.has_strings ?
				      &t->tables.strings : &f->shared.strings;
	struct flame_sample sample = {
		.metric = metric_of(f, c), .thread = thread_of(f, t),
		.time = FLAME_NOTIME,
	};
	flame_id *stacks = c->stack.count ? find_stacks(f, tables, strings) :
					    NULL;
	int64_t last = 0;

	for (size_t i = 0; stacks && i < c->stack.count &&
			   !fl_failed(f->js.flame); i++) {
		int64_t time = time_of(t, c, i, &last);
		uint32_t n = c->stack.data[i];

		if (n == FL_JSON_NO_INTEGER) {
			f->no_stack++;
			continue;
		}
		if (n >= tables->stack_frame.count ||
		    stacks[n] == FL_JSON_NO_INTEGER) {
			fl_json_bad(&f->js, "a stack that is not there");
			continue;
		}
		sample.stack = stacks[n];
		sample.time = timed ? time : FLAME_NOTIME;
		add(f, t, c, i, &sample);
	}
	fl_free(stacks);
}

/* Profiles ------------------------------------------------------------- */

static const struct fl_json_field thread_fields[] = {
	FL_FIELD("name", NAME, struct thread, name),
	FL_FIELD_CALL_AT("samples", INNER, read_columns, struct thread,
			 samples),
	FL_FIELD_CALL_AT("nativeAllocations", INNER, read_columns,
			 struct thread, allocations),
	FL_FIELD("tid", INTEGER, struct thread, tid),
	FL_FIELD("pid", INTEGER, struct thread, pid),
	{ .key = NULL }
};

static void read_thread(struct firefox *f)
{
	struct fl_json *json = &f->js.json;
	struct thread t = { .tid = -1, .pid = -1 };

	while (fl_json_key(json) && !fl_failed(f->js.flame))
		if (!fl_json_field(&f->js, thread_fields, NULL, &t) &&
		    !fl_json_field(&f->js, fl_firefox_tables, NULL, &t.tables))
			fl_json_skip(json);
	t.allocations.unit = ALLOCATIONS;
	if (!fl_grow(&f->threads, &f->capacity, f->nthreads + 1,
		     sizeof(*f->threads)))
		fl_no_memory(f->js.flame);
	else
		f->threads[f->nthreads++] = t;
}

static void read_threads(struct fl_json_source *js, void *object)
{
	struct fl_json *json = &js->json;

	(void)object;
	while (fl_json_element(json) && !fl_failed(js->flame)) {
		if (json->token == FL_JSON_OBJECT) {
			read_thread(js->source->state);
			continue;
		}
		if (json->token == FL_JSON_STRING)
			fl_json_bad(js, "a thread that is a text");
		fl_json_skip(json);
	}
}

static const struct fl_json_field lib_fields[] = {
	{ .key = "name", .size = 4, .kind = FL_FIELD_NAME },
	{ .key = NULL }
};

static void read_lib(struct fl_json_source *js, void *object)
{
	struct firefox *f = js->source->state;
	flame_id name = 0;

	(void)object;
	fl_json_object(js, lib_fields, &name);
	fl_firefox_put_name(js, &f->libs, name);
}

static void read_shared(struct fl_json_source *js, void *object)
{
	struct firefox *f = js->source->state;

	(void)object;
	fl_json_object(js, fl_firefox_tables, &f->shared);
}

static void read_profile(struct fl_json_source *js, void *object);

/* An array of profiles, or one. */
static void read_profiles(struct fl_json_source *js, void *object)
{
	struct firefox *f = js->source->state;
	struct fl_json *json = &js->json;

	if (f->nesting == MAX_NESTING) {
		fl_json_bad(js, "profiles within more than 8 others");
		fl_json_skip(json);
		return;
	}
	f->nesting++;
	if (fl_json_next(json) == FL_JSON_OBJECT)
		read_profile(js, object);
	else
		fl_json_each(js, read_profile, object);
	f->nesting--;
}

/* When the threads of a profile began, and ns between their samples. */
struct dates {
	int64_t start, interval;
};

static const struct fl_json_field meta[] = {
	FL_FIELD_NUMBER("startTime", 6, NULL, struct dates, start),
	FL_FIELD_NUMBER("interval", 6, NULL, struct dates, interval),
	{ .key = NULL }
};

static const struct fl_json_field profile_fields[] = {
	FL_FIELD_ROWS("meta", INNER, meta),
	FL_FIELD_CALL("libs", EACH, read_lib),
	FL_FIELD_CALL("shared", INNER, read_shared),
	FL_FIELD_CALL("threads", LIST, read_threads),
	FL_FIELD_CALL("profile", VALUE, read_profiles),
	FL_FIELD_CALL("processes", VALUE, read_profiles),
	FL_FIELD_CALL("subprocesses", VALUE, read_profiles),
	{ .key = NULL }
};

static void read_profile(struct fl_json_source *js, void *object)
{
	struct firefox *f = js->source->state;
	struct dates dates = { FLAME_NOTIME, 1000000 };
	size_t first = f->nthreads;

	(void)object;
	fl_json_object(js, profile_fields, &dates);
	for (size_t i = first; i < f->nthreads; i++) {
		struct thread *t = &f->threads[i];

		if (t->is_dated)
			continue;
		t->start = dates.start;
		t->interval = dates.interval;
		t->is_dated = true;
	}
}

static void read_document(struct flame_source *source)
{
	struct firefox *f = source->state;
	struct fl_json *json = &f->js.json;

	if (json->token != FL_JSON_OBJECT) {
		fl_json_skip(json);
		return;
	}
	read_profile(&f->js, NULL);
	for (size_t i = 0; i < f->nthreads; i++) {
		const struct thread *t = &f->threads[i];

		make_samples(f, t, &t->samples);
		make_samples(f, t, &t->allocations);
	}
	forget_threads(f);
}

/* The row of formats.def ------------------------------------------------- */

static int open_firefox(struct flame_source *source)
{
	struct firefox *f = source->state;

	fl_json_source_init(&f->js, source);
	f->options = source->options;
	return FLAME_OK;
}

static void release(void *state)
{
	struct firefox *f = state;

	forget_threads(f);
	fl_json_source_free(&f->js);
	fl_buf_free(&f->buf);
	fl_free(f->libs.data);
	fl_free(f->threads);
}

static int read(struct flame_source *source)
{
	struct firefox *f = source->state;
	const char *name = fl_in_name(source->in);
	int status = fl_json_read(&f->js, read_document);

	if (status != FLAME_END)
		return status;
	if (f->no_stack)
		fl_remark(source->flame, "%s: %" PRIu64 " samples have no "
			  "stack and are left out", name, f->no_stack);
	fl_report_unnamed(source, f->addresses, "save the profile from the "
			  "page that samply opens, which looks them up");
	if (f->frees)
		fl_remark(source->flame, "%s: %" PRIu64 " frees of memory are "
			  "left out: alloc is what was allocated", name,
			  f->frees);
	f->no_stack = f->addresses = f->frees = 0;
	return status;
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	static const char *const paths[] = {
		"meta.preprocessedProfileVersion", "threads.stackTable",
		"shared.stringArray", "shared.stackTable",
		"profile.threads.stackTable"
	};

	return fl_json_probe_any(head, n, whole, paths, FL_COUNT(paths));
}

static const struct fl_option rows[] = {
	FL_OPTION_ROW_LINES(struct options),
	FL_OPTION_ROW_TOTAL(struct options),
	{ .name = NULL }
};

static const struct fl_option_table option_table = {
	.rows = rows, .size = sizeof(struct options),
};

const struct fl_format fl_format_firefox = {
	.name = "firefox",
	.summary = "profiles of Firefox and samply",
	.probe = probe,
	.state_size = sizeof(struct firefox),
	.open = open_firefox,
	.read = read,
	.release = release,
	.json = true,
	.options = &option_table,
};
