/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sources: flame_open() opens an input and detects its format, flame_ask() says
 * what to select, flame_next() returns its samples, one by one, for pump.c.
 * The format's reader adds samples by fl_batch_add() or fl_emit(), and facts by
 * fl_fact().
 */
#include "fl.h"

#include "flow/archive.h"
#include "flow/flow.h"
#include "io/log.h"
#include "io/container.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Smaller inputs are unpacked faster than a thread starts. */
enum { MIN_THREAD_BYTES = 64 << 10 };

static bool make_state(struct flame_source *source)
{
	if (!source->format->state_size)
		return true;
	source->state = fl_zeroed(1, source->format->state_size);
	return source->state || fl_no_memory(source->flame) == FLAME_OK;
}

static bool make_options(struct flame_source *source)
{
	if (!source->format->options)
		return true;
	source->options = fl_options_new(source->format->options);
	return source->options || fl_no_memory(source->flame) == FLAME_OK;
}

/* An empty file is reported whatever its format is said to be. */
static const struct fl_format *find_format(struct flame *flame,
					   struct fl_in *in,
					   const char *format, bool is_file)
{
	if (!format)
		return fl_format_detect(flame, in);
	return is_file && fl_is_empty(in) ? &fl_format_empty :
	       fl_format_named(flame, format, false);
}

/* The text up to a character, which *rest loses with it. */
static struct slice cut_at(struct slice *rest, char c)
{
	const char *at = rest->size ? memchr(rest->data, c, rest->size) : NULL;
	size_t n = at ? (size_t)(at - rest->data) : rest->size;
	struct slice head = { rest->data, n };

	n += at != NULL;
	*rest = fl_slice_from(*rest, n);
	return head;
}

void fl_source_begin_program(struct flame_source *source, struct slice mark)
{
	struct flame *flame = source->flame;
	struct slice key, value;

	source->nprograms++;
	source->nlabels = 0;
	mark = fl_slice_from(mark, 1);
	while (mark.size) {
		value = cut_at(&mark, FL_LOG_SEPARATOR);
		key = cut_at(&value, '=');
		if (source->nlabels == FL_COUNT(source->program) ||
		    !(fl_slice_is(key, "pod") ||
		      fl_slice_is(key, "container")))
			continue;
		source->program[source->nlabels].key =
			flame_name(flame, key.data, key.size);
		source->program[source->nlabels++].value =
			flame_name(flame, value.data, value.size);
	}
}

/* The mark of the first program: no reader sees it. */
static void begin_first_program(struct flame_source *source)
{
	const char *at, *lf;
	size_t n;

	at = (const char *)fl_in_peek(source->in, 1, &n);
	if (!n || at[0] != FL_LOG_MARK)
		return;
	lf = fl_in_peek_line(source->in, &at, &n);
	fl_source_begin_program(source, (struct slice){
		at, lf ? (size_t)(lf - at) : n });
	fl_in_consume(source->in, lf ? (size_t)(lf + 1 - at) : n);
}

/* An archive's own name is not that of its members' format. */
static bool set_members_format(struct flame_source *source, const char *format)
{
	if (!source->container || !format ||
	    strcmp(format, source->format->name) == 0)
		return true;
	source->members_format = fl_arena_copy(&source->arena, format,
					       strlen(format));
	return source->members_format ||
	       fl_no_memory(source->flame) == FLAME_OK;
}

enum kind { A_FILE, IN_MEMORY, A_MEMBER };

static struct flame_source *start(struct flame *flame, struct fl_in *in,
				  const char *format, enum kind kind)
{
	struct flame_source *source;
	const struct fl_container *archive;
	struct fl_in *plain;
	bool log;

	if (!in)
		return NULL;
	archive = fl_container_detect(&in);
	if (!in)
		return NULL;
	plain = in;
	in = archive ? in : fl_log_unwrap(in, fl_format_bits);
	if (!in)
		return NULL;
	if (archive && kind == A_MEMBER) {
		fl_fail(flame, "%s: an archive inside an archive: unpack "
			"the outer one first", fl_in_name(in));
		fl_in_close(in);
		return NULL;
	}
	log = in != plain;
	/* A member's bytes come through the archive, which is not locked. */
	if (flame->threads > 1 && kind != A_MEMBER)
		in = fl_in_unpack_in_thread(in, MIN_THREAD_BYTES);
	source = fl_zeroed(1, sizeof(*source));
	if (!source) {
		fl_in_close(in);
		fl_no_memory(flame);
		return NULL;
	}
	source->flame = flame;
	source->in = in;
	source->start = source->end = FLAME_NOTIME;
	source->first = source->last = FLAME_NOTIME;
	source->seen_first = source->seen_last = FLAME_NOTIME;
	source->log = log;
	if (log)
		begin_first_program(source);
	source->container = archive;
	source->format = archive ? fl_format_of_container(archive) :
			 find_format(flame, in, format, kind != IN_MEMORY);
	/* One thread reads text from a buffer as fast as from a mapping. */
	if (source->format && !archive &&
	    (flame->threads > 1 || !source->format->split))
		fl_in_map(in);
	if (!source->format || !make_options(source) ||
	    !set_members_format(source, format) ||
	    !make_state(source) ||
	    (source->format->open && source->format->open(source) !=
				     FLAME_OK)) {
		flame_close(source);
		return NULL;
	}
	flame->ninputs += !archive;
	flame->nempty += source->format == &fl_format_empty;
	return source;
}

static bool has_input(const struct flame *flame)
{
	return !flame->ninputs || flame->nempty < flame->ninputs;
}

int fl_report_empty(struct flame *flame)
{
	if (has_input(flame) && !flame->refuse_empty)
		fl_remark(flame, "the result is empty: no sample was selected");
	return fl_refuse_empty(flame);
}

int fl_refuse_empty(struct flame *flame)
{
	if (!flame->refuse_empty)
		return FLAME_OK;
	flame->refused_empty = true;
	return fl_fail(flame, "no sample was selected");
}

void flame_refuse_empty(struct flame *flame, bool refuse)
{
	if (flame)
		flame->refuse_empty = refuse;
}

bool flame_refused_empty(const struct flame *flame)
{
	return flame && flame->refused_empty;
}

struct flame_source *flame_open(struct flame *flame, const char *path,
				const char *format)
{
	if (!flame || !path) {
		fl_fail(flame, "no path of an input");
		return NULL;
	}
	return start(flame, fl_in_open(flame, path), format, A_FILE);
}

struct flame_source *fl_source_of_member(struct flame *flame, struct fl_in *in,
					 const char *format)
{
	return start(flame, in, format, A_MEMBER);
}

struct flame_source *flame_open_memory(struct flame *flame, const void *bytes,
				       size_t size, const char *name,
				       const char *format)
{
	if (!flame || (size && !bytes) || size > PTRDIFF_MAX || !name) {
		fl_fail(flame, "no bytes or no name of an input in memory");
		return NULL;
	}
	return start(flame, fl_in_memory(flame, bytes, size, name), format,
		     IN_MEMORY);
}

/* Options of other formats are ignored here, but their values are checked. */
static int check_only(struct flame *flame, const char *option,
		      const char *value)
{
	const struct fl_option_table *table;
	const struct fl_option *row = NULL;
	void *scratch;
	int status;

	for (size_t i = 0; fl_formats[i] && !row; i++) {
		table = fl_formats[i]->options;
		row = fl_option_find(table, option);
	}
	if (!row)
		return fl_fail(flame, "%s: no such selection", option);
	scratch = fl_options_new(table);
	if (!scratch)
		return fl_no_memory(flame);
	status = fl_option_set(flame, row, scratch, value);
	fl_options_free(table, scratch);
	return status;
}

static int ask_members(struct flame_source *source, const char *option,
		       const char *value)
{
	struct fl_ask ask = { NULL, NULL };

	ask.option = fl_arena_copy(&source->arena, option, strlen(option));
	if (value)
		ask.value = fl_arena_copy(&source->arena, value,
					  strlen(value));
	if (!ask.option || (value && !ask.value) ||
	    !fl_grow(&source->asks, &source->asks_capacity,
		     source->nasks + 1, sizeof(ask)))
		return fl_no_memory(source->flame);
	source->asks[source->nasks++] = ask;
	return FLAME_OK;
}

int flame_ask(struct flame_source *source, const char *option,
	      const char *value)
{
	const struct fl_option *row;

	if (!source)
		return FLAME_FAILED;
	if (!option)
		return fl_fail(source->flame, "no name of a selection");
	if (source->started)
		return fl_fail(source->flame, "%s: asked too late", option);
	if (source->container &&
	    ask_members(source, option, value) != FLAME_OK)
		return FLAME_FAILED;
	row = fl_option_find(&fl_select_table, option);
	if (row)
		return fl_option_set(source->flame, row, &source->select,
				     value);
	row = fl_option_find(source->format->options, option);
	if (row)
		return fl_option_set(source->flame, row, source->options,
				     value);
	return check_only(source->flame, option, value);
}

bool fl_asked_copy(struct flame *flame, struct fl_asked *asked,
		   const struct flame_source *source)
{
	*asked = (struct fl_asked){ .table = source->format->options };
	if (!fl_options_copy(flame, &fl_select_table, &asked->select,
			     &source->select))
		return false;
	asked->options = fl_options_new(asked->table);
	if (!asked->options)
		return !asked->table || fl_no_memory(flame) == FLAME_OK;
	return fl_options_copy(flame, asked->table, asked->options,
			       source->options);
}

/* The format may have stored a pointer to its options. */
void fl_asked_move(struct fl_asked *asked, struct flame_source *source)
{
	fl_options_clear(&fl_select_table, &source->select);
	source->select = asked->select;
	if (asked->options) {
		fl_options_clear(asked->table, source->options);
		memcpy(source->options, asked->options, asked->table->size);
		fl_free(asked->options);
	}
	*asked = (struct fl_asked){ .options = NULL };
}

void fl_asked_free(struct fl_asked *asked)
{
	fl_options_clear(&fl_select_table, &asked->select);
	fl_options_free(asked->table, asked->options);
	*asked = (struct fl_asked){ .options = NULL };
}

static void begin(struct flame_source *source)
{
	source->started = true;
	if (source->select.survey && !source->surveyed)
		source->select.needs |= FL_NEED_TIME | FL_NEED_THREAD;
	/* --from and --to count from the end, which is read first then. */
	if (fl_select_needs_end(&source->select))
		fl_in_map(source->in);
}

static flame_id add_program(struct flame_source *source, flame_id labels)
{
	struct flame *flame = source->flame;

	for (unsigned i = 0; i < source->nlabels; i++)
		if (!flame_label_get(flame, labels, source->program[i].key))
			labels = flame_label(flame, labels,
					     source->program[i].key,
					     source->program[i].value);
	return labels;
}

int fl_batch_add(struct flame_source *source,
		 const struct flame_sample *sample)
{
	struct fl_batch *batch = &source->batch;

	if (!fl_grow(&batch->samples, &batch->capacity, batch->n + 1,
		     sizeof(*batch->samples)))
		return fl_no_memory(source->flame);
	batch->samples[batch->n] = *sample;
	if (fl_unlikely(source->nlabels))
		batch->samples[batch->n].labels =
			add_program(source, sample->labels);
	batch->n++;
	return FLAME_OK;
}

int fl_emit(struct flame_source *source, const struct flame_sample *sample,
	    uint64_t samples)
{
	fl_metric_count(source->flame, sample->metric, samples, sample->weight);
	return fl_batch_add(source, sample);
}

enum {
	FREE_FRAMES = 1 << 20,		/* of small files */
	FRAMES_PER_BYTE = 64		/* of larger ones */
};

bool fl_frames_allowed(struct flame_source *source, uint64_t frames)
{
	source->nframes += frames;
	if (fl_likely(source->nframes <= FREE_FRAMES ||
		      source->nframes / FRAMES_PER_BYTE <=
			      fl_in_bytes(source->in)))
		return true;
	fl_fail(source->flame, "%s: more than %d frames for each byte: its "
		"stacks name long lists of frames over and over",
		fl_in_name(source->in), FRAMES_PER_BYTE);
	return false;
}

void fl_source_resume(struct flame_source *source)
{
	source->batch.n = source->batch.given = 0;
	source->format->resume(source);
}

/* Threads and times of samples, for --event list. */
static void survey(struct flame_source *source)
{
	struct flame *flame = source->flame;
	bool fresh;

	for (size_t i = 0; i < source->batch.n; i++) {
		const struct flame_sample *s = &source->batch.samples[i];

		fl_metric_span(flame, s->metric, s->time, s->time);
		if (!s->thread)
			continue;
		if (!fl_map_put(&source->threads,
				(uint64_t)s->metric << 32 | s->thread, &fresh))
			fl_no_memory(flame);
		else
			flame->metrics[s->metric].threads += fresh;
	}
}

static int read_batch(struct flame_source *source)
{
	struct fl_batch *batch = &source->batch;
	int status = FLAME_OK;

	batch->n = batch->given = 0;
	while (status == FLAME_OK && !batch->n) {
		status = source->format->read(source);
		if (status == FLAME_OK && fl_failed(source->flame))
			status = FLAME_FAILED;
	}
	if (status != FLAME_OK)
		batch->n = 0;
	if (fl_unlikely(source->select.survey) && !source->surveyed)
		survey(source);
	return status;
}

/* --from 10s or 50%, of an input that does not begin with its span. */
static bool needs_span(const struct flame_source *source)
{
	const struct fl_when *from = &source->select.from;
	const struct fl_when *to = &source->select.to;

	return !source->format->selects && source->start == FLAME_NOTIME &&
	       (from->base || to->base) &&
	       (from->base > FL_WHEN_ABSOLUTE || to->base > FL_WHEN_ABSOLUTE);
}

/* The span of all samples: they need not come in order. */
static void set_span(struct flame_source *source, const struct fl_batch *all)
{
	int64_t first = FLAME_NOTIME, last = FLAME_NOTIME;

	for (size_t i = 0; i < all->n; i++) {
		int64_t time = all->samples[i].time;

		if (time == FLAME_NOTIME)
			continue;
		first = first == FLAME_NOTIME ? time : FL_MIN(first, time);
		last = last == FLAME_NOTIME ? time : FL_MAX(last, time);
	}
	source->start = first;
	if (source->end == FLAME_NOTIME)
		source->end = last;
}

/* Reads all samples, of which the batch has the first. */
static int read_rest(struct flame_source *source)
{
	struct fl_batch all = { 0 }, *batch = &source->batch;
	int status;

	do {
		if (!fl_grow(&all.samples, &all.capacity, all.n + batch->n,
			     sizeof(*all.samples))) {
			fl_free(all.samples);
			return fl_no_memory(source->flame);
		}
		memcpy(all.samples + all.n, batch->samples,
		       batch->n * sizeof(*all.samples));
		all.n += batch->n;
		status = read_batch(source);
	} while (status == FLAME_OK);
	fl_free(batch->samples);
	*batch = all;
	source->whole = true;
	set_span(source, batch);
	return status == FLAME_END ? FLAME_OK : status;
}

static int read_sample(struct flame_source *source, struct flame_sample *sample)
{
	struct fl_batch *batch = &source->batch;

	if (fl_unlikely(batch->given == batch->n)) {
		int status = source->whole ? FLAME_END : read_batch(source);

		if (status == FLAME_OK && fl_unlikely(needs_span(source)))
			status = read_rest(source);
		if (status != FLAME_OK)
			return status;
	}
	*sample = batch->samples[batch->given++];
	return FLAME_OK;
}

int flame_next(struct flame_source *source, struct flame_sample *sample)
{
	int status;

	if (fl_unlikely(!source || !sample))
		return source ? fl_fail(source->flame, "no sample to fill") :
				FLAME_FAILED;
	if (fl_unlikely(!source->started))
		begin(source);
	do {
		status = read_sample(source, sample);
	} while (status == FLAME_OK && !source->format->selects &&
		 !fl_select_pass(source, sample));
	if (fl_unlikely(status == FLAME_END) && fl_failed(source->flame))
		return FLAME_FAILED;
	return status;
}

static void free_state(struct flame_source *source)
{
	const struct fl_format *format = source->format;

	if (!source->state || !format->state_size)
		return;
	if (format->release)
		format->release(source->state);
	fl_free(source->state);
}

void flame_close(struct flame_source *source)
{
	if (!source)
		return;
	fl_read_ahead_drop(source);
	free_state(source);
	fl_in_close(source->in);
	fl_options_clear(&fl_select_table, &source->select);
	if (source->format)
		fl_options_free(source->format->options, source->options);
	fl_arena_free(&source->arena);
	fl_free(source->asks);
	fl_free(source->facts);
	fl_free(source->batch.samples);
	fl_map_free(&source->threads);
	fl_free(source);
}

uint64_t flame_source_bytes(const struct flame_source *source)
{
	return source && source->in ? fl_in_bytes(source->in) : 0;
}

unsigned flame_source_facts(const struct flame_source *source)
{
	return source ? source->format->facts : 0;
}

const char *flame_source_format(const struct flame_source *source)
{
	return source ? source->format->name : "";
}

enum flame_damage flame_source_damage(const struct flame_source *source)
{
	bool refused = source && source->damage && source->in &&
		       fl_in_is_refused(source->in);

	if (!source)
		return FLAME_ALL_LOST;
	return refused && !fl_failed(source->flame) ? FLAME_NOT_READ_ON :
						      source->damage;
}

size_t flame_facts(const struct flame_source *source,
		   const struct flame_fact **facts)
{
	if (facts)
		*facts = source ? source->facts : NULL;
	return source ? source->nfacts : 0;
}

void fl_fact(struct flame_source *source, const char *key,
	     const char *format, ...)
{
	char text[2048], shown[2048];
	struct flame_fact fact;
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	/* Command lines may have URLs. */
	flame_hide_secrets(text, false);
	fl_show_line(shown, sizeof(shown), text);
	fact.key = fl_arena_copy(&source->arena, key, strlen(key));
	fact.value = fl_arena_copy(&source->arena, shown, strlen(shown));
	if (!fact.key || !fact.value ||
	    !fl_grow(&source->facts, &source->facts_capacity,
		     source->nfacts + 1, sizeof(*source->facts))) {
		fl_no_memory(source->flame);
		return;
	}
	source->facts[source->nfacts++] = fact;
}

void fl_title_join(struct flame *flame, const char *title)
{
	const char *copy = "";

	if (flame->title && (!title || strcmp(flame->title, title) != 0))
		title = "";
	else if (flame->title)
		return;
	if (title && *title)
		copy = fl_arena_copy(&flame->arena, title, strlen(title));
	if (!copy)
		fl_no_memory(flame);
	flame->title = copy;
}
