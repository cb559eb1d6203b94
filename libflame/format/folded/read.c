/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader of folded stacks: lines of "frame;frame;frame weight", root
 * first, and the dialects of sniff.c.  The weight is the number after the last
 * blank; _[0] _[1] _[i] _[j] _[k] _[w] at a frame's end are its type
 * (annotations of async-profiler and FlameGraph).
 */
#include "fl.h"

#include "format/folded/folded.h"

#include <inttypes.h>
#include <stdlib.h>

struct options {
	enum fl_pick_column column;	/* which of two counts to read */
	bool compare;		/* reads both, the first with FL_BEFORE_KEY */
	enum fl_compat_tool peer;
};

struct reader {
	const struct options *options;
	struct fl_lines lines;
	struct fl_folded_dialect dialect;
	struct fl_folded_stacks stacks;
	struct fl_folded_light light;
	size_t nlight;		/* rows of it that became samples */
	bool begun;
	bool plain;		/* one whole count, last, and nothing else */
	bool met_wanted;	/* a stack with source->select.wanted_text */
	bool forked;		/* reads parts, which have plain lines alone */
	int64_t carry;		/* of fl_decimal_round */
	uint64_t fractions, huge, first_huge, below_zero;
	flame_id metric;	/* of counts; 0: not known */
	flame_id key;		/* name of the label "key"; 0: not yet needed */
	flame_id *keys;		/* the columns named in the header */
	unsigned nkeys;
	flame_id metric_key;	/* "metric" */
	struct {
		struct slice key, metric, unit;
	} header;		/* in the source's arena */
	/* perf report: the last row, and the number of rows without stacks. */
	flame_id row;
	bool row_used;
	uint64_t unused_rows;
	struct fl_buf text;	/* a line, made plain */
	unsigned nbatch;	/* plain lines in the batch of `stacks` */
	/* Further samples of the line. */
	struct flame_sample more[2];
	unsigned nmore;
	bool both;		/* of two counts: the first is in more[] */
	flame_id before_key, before;
};

/* Whether the line is a stack, a blank and a whole number. */
static bool is_record(struct slice line, size_t *stack, int64_t *weight)
{
	size_t i = line.size;

	while (i && line.data[i - 1] >= '0' && line.data[i - 1] <= '9')
		i--;
	if (i == line.size || !i || !fl_is_blank(line.data[i - 1]))
		return false;
	if (!fl_parse_int(fl_slice_from(line, i),
			  weight))
		return false;
	*stack = i - 1;
	return true;
}

/* Metrics --------------------------------------------------------------- */

static void count_metric(struct flame *flame, const struct flame_sample *s)
{
	fl_metric_count(flame, s->metric,
			fl_metric_samples(flame, s->metric, s->weight),
			s->weight);
}

/* "# mode: cpu": Austin's metric from here on. */
static void read_comment(struct reader *r, struct slice line)
{
	struct flame *flame = r->stacks.flame;

	if (!r->dialect.austin || !fl_slice_starts(line, "# mode: "))
		return;
	line.data += 8;
	line.size -= 8;
	if (fl_slice_starts(line, "cpu"))
		r->metric = flame_metric(flame, "cpu", "us");
	else if (fl_slice_starts(line, "memory"))
		r->metric = flame_metric(flame, "memory", "bytes");
	else
		r->metric = flame_metric(flame, "wall", "us");
}

/* Freed memory has a metric of its own. */
static void set_memory(struct reader *r, struct flame_sample *s)
{
	struct flame *flame = r->stacks.flame;

	s->metric = flame_metric(flame, s->weight < 0 ? "memory-free" :
							"memory", "bytes");
	if (s->weight < 0)
		s->weight = s->weight == INT64_MIN ? INT64_MAX : -s->weight;
}

/* "name=" after a ';' of the header. */
static struct slice fact_of(struct slice header, const char *name)
{
	size_t size = strlen(name);

	while (header.size) {
		struct slice fact = fl_slice_split(&header, ';');

		if (fl_slice_starts(fact, name))
			return fl_slice_from(fact, size);
	}
	return (struct slice){ NULL, 0 };
}

static bool is_same(struct slice a, struct slice b)
{
	return a.size == b.size && (!a.size ||
				    memcmp(a.data, b.data, a.size) == 0);
}

static bool copy_fact(struct flame_source *source, struct slice *fact)
{
	fact->data = fl_arena_copy(&source->arena, fact->data, fact->size);
	return fact->data;
}

static bool set_keys(struct flame_source *source, struct reader *r,
		     struct slice list)
{
	r->header.key = list;
	if (!copy_fact(source, &r->header.key))
		return false;
	r->nkeys = r->dialect.nkeys;
	r->keys = fl_zeroed(r->nkeys + 1, sizeof(*r->keys));
	r->metric_key = fl_name(source->flame, "metric");
	for (unsigned i = 0; r->keys && i < r->nkeys; i++) {
		struct slice name = fl_slice_split(&list, ',');

		r->keys[i] = flame_name(source->flame, name.data, name.size);
	}
	return r->keys;
}

static bool set_metric(struct flame_source *source, struct reader *r,
		       struct slice name, struct slice unit)
{
	r->header.metric = name;
	r->header.unit = unit;
	if (!copy_fact(source, &r->header.metric) ||
	    !copy_fact(source, &r->header.unit))
		return false;
	r->metric = flame_metric(source->flame, r->header.metric.data,
				 r->header.unit.data);
	fl_state_metric(source->flame, r->metric, fl_in_name(source->in));
	return true;
}

static void refuse_header(struct flame_source *source, struct slice line,
			  const char *why)
{
	struct reader *r = source->state;

	fl_fail(source->flame, "%s: line %" PRIu64 ": %s: %.*s",
		fl_in_name(source->in), r->lines.number, why,
		(int)FL_MIN(line.size, 120u), line.data);
}

/*
 * The line written by --header.  Concatenated files have several, which must
 * agree.  A part of an input fails on one that differs, so that the caller
 * reads it again and reports it.
 */
static void read_header(struct flame_source *source, struct slice line)
{
	struct reader *r = source->state;
	bool begun = r->lines.good || r->nbatch || r->forked;
	struct slice key = fact_of(line, " key="),
		     metric = fact_of(line, " metric="),
		     unit = fact_of(line, " unit=");

	if (!fl_slice_starts(line, FL_FOLDED_HEADER "1;") &&
	    !fl_slice_is(line, FL_FOLDED_HEADER "1")) {
		refuse_header(source, line, "folded text of a later version");
		return;
	}
	if (!begun && !r->keys) {
		if (!set_keys(source, r, key))
			goto no_memory;
		r->header.unit = unit;
		if (!copy_fact(source, &r->header.unit))
			goto no_memory;
	}
	if (!is_same(key, r->header.key)) {
		refuse_header(source, line, "the columns are others than "
			      "before");
		return;
	}
	if (!metric.size)
		return;
	if (!begun && !r->metric) {
		if (!set_metric(source, r, metric, unit))
			goto no_memory;
		return;
	}
	if (!is_same(metric, r->header.metric) ||
	    !is_same(unit, r->header.unit))
		refuse_header(source, line, "another metric follows, and is "
			      "not added");
	return;
no_memory:
	fl_no_memory(source->flame);
}

static bool is_memory(const struct reader *r)
{
	return r->metric && strcmp(flame_metric_of(r->stacks.flame,
						   r->metric)->name,
				   "memory") == 0;
}

/* Counts ---------------------------------------------------------------- */

static bool bad(struct reader *r, struct slice line)
{
	fl_lines_bad(&r->lines, line);
	return false;
}

/* false: it does not fit, and is counted in r->huge. */
static bool weigh(struct reader *r, const struct fl_decimal *count,
		  int64_t *weight)
{
	bool fraction;

	if (count->huge) {
		if (!r->huge++)
			r->first_huge = r->lines.number;
		return false;
	}
	*weight = fl_decimal_round(count, &r->carry, &fraction);
	r->fractions += fraction;
	return true;
}

static bool read_count(struct reader *r, struct slice line, struct slice word,
		       struct flame_sample *s)
{
	struct fl_decimal count;

	if (!fl_decimal_parse(word, &count) ||
	    count.percent != r->dialect.percent)
		return bad(r, line);
	return weigh(r, &count, &s->weight);
}

/* Counts before and after: read one of them, or both. */
static bool read_two(struct reader *r, struct slice line, unsigned column,
		     struct slice *stack, struct flame_sample *s)
{
	struct slice before, after;

	if (!fl_slice_last_word(stack, &after) ||
	    !fl_slice_last_word(stack, &before))
		return bad(r, line);
	if (!read_count(r, line, column == FL_COLUMN_FIRST ? before : after, s))
		return false;
	if (!r->both)
		return true;
	r->more[0] = *s;
	if (!read_count(r, line, before, &r->more[0]))
		return false;
	r->nmore = 1;
	return true;
}

/* us,idle,bytes: wall, cpu unless it was idle, memory if it changed. */
static bool read_three(struct reader *r, struct slice line,
		       struct slice *stack, struct flame_sample *s)
{
	struct flame *flame = r->stacks.flame;
	struct fl_decimal count[3];
	struct slice word;
	int64_t weight[3];

	if (!fl_slice_last_word(stack, &word))
		return bad(r, line);
	for (size_t i = 0; i < 3; i++)
		if (!fl_decimal_parse(fl_slice_split(&word, ','), &count[i]))
			return bad(r, line);
	for (size_t i = 0; i < 3; i++)
		if (!weigh(r, &count[i], &weight[i]))
			return false;
	s->metric = flame_metric(flame, "wall", "us");
	s->weight = weight[0];
	if (!weight[1]) {
		r->more[r->nmore] = *s;
		r->more[r->nmore++].metric = flame_metric(flame, "cpu", "us");
	}
	if (weight[2]) {
		r->more[r->nmore] = *s;
		r->more[r->nmore].weight = weight[2];
		set_memory(r, &r->more[r->nmore++]);
	}
	return true;
}

/* perf report ----------------------------------------------------------- */

static void end_row(struct reader *r)
{
	r->unused_rows += r->row && !r->row_used;
	r->row = 0;
	r->row_used = false;
}

/* "  33.82%   61  burn  libc.so": the lines below have its stacks. */
static void read_row(struct reader *r, struct slice line)
{
	struct flame *flame = r->stacks.flame;
	struct slice rest = line, word;
	struct fl_decimal number;

	end_row(r);
	while (fl_slice_first_word(&rest, &word) &&
	       fl_decimal_parse(word, &number))
		line = rest;
	r->row = flame_name(flame, line.data, line.size);
}

/* Lines ----------------------------------------------------------------- */

static void label_key(struct reader *r, struct flame_sample *s,
		      flame_id value)
{
	struct flame *flame = r->stacks.flame;

	if (!r->key)
		r->key = fl_name(flame, "key");
	s->labels = flame_label(flame, s->labels, r->key, value);
}

/* Hadoop's fields: an offset in a file, which is dropped, or a key. */
static void read_fields(struct reader *r, struct slice *line,
			struct flame_sample *s)
{
	struct slice field, rest = *line;
	int64_t n;

	if (!fl_slice_field(&rest, &field))
		return;
	if (r->dialect.offset && fl_parse_digits(field, &n))
		*line = rest;
	if (!r->dialect.key || !memchr(rest.data, '\t', rest.size))
		return;
	label_key(r, s, flame_name(r->stacks.flame, field.data, field.size));
	*line = rest;
}

static void label_column(struct reader *r, struct flame_sample *s,
			 flame_id key, flame_id value)
{
	struct flame *flame = r->stacks.flame;

	/* "[no metric]" is none. */
	if (key == r->metric_key && *fl_name_at(flame, value).data != '[')
		s->metric = flame_metric(flame,
					 fl_name_at(flame, value).data,
					 r->header.unit.data);
	else
		s->labels = flame_label(flame, s->labels, key, value);
}

/* Reads the columns named in the header; false: the line has fewer. */
static bool read_keys(struct reader *r, struct slice *line,
		      struct flame_sample *s)
{
	struct flame *flame = r->stacks.flame;

	for (unsigned i = 0; i < r->nkeys; i++) {
		const char *tab = memchr(line->data, '\t', line->size);
		size_t n = tab ? (size_t)(tab - line->data) : 0;

		if (!tab)
			return false;
		if (n)
			label_column(r, s, r->keys[i],
				     flame_name(flame, line->data, n));
		line->data = tab + 1;
		line->size -= n + 1;
	}
	return true;
}

/* false: the line has no sample. */
static bool read_counts(struct reader *r, unsigned column, struct slice line,
			struct slice *stack, struct flame_sample *s)
{
	struct slice word;

	if (!s->metric)
		s->metric = r->metric;
	switch (r->dialect.counts) {
	case FL_COUNT_NONE:
		s->weight = 1;
		return true;
	case FL_COUNT_FIRST:
		if (!fl_slice_first_word(stack, &word))
			return bad(r, line);
		return read_count(r, line, word, s);
	case FL_COUNT_TWO:
		return read_two(r, line, column, stack, s);
	case FL_COUNT_THREE:
		return read_three(r, line, stack, s);
	case FL_COUNT_LAST:
		break;
	}
	return fl_slice_last_word(stack, &word) ? read_count(r, line, word, s) :
					      bad(r, line);
}

static void add_sample(struct flame_source *source,
		       const struct flame_sample *s)
{
	count_metric(source->flame, s);
	fl_batch_add(source, s);
}

static void add_more(struct flame_source *source, const struct flame_sample *s)
{
	struct reader *r = source->state;

	while (r->nmore) {
		struct flame_sample *more = &r->more[--r->nmore];

		more->stack = s->stack;
		more->thread = s->thread;
		more->labels = r->both ?
			flame_label(source->flame, s->labels, r->before_key,
				    r->before) : s->labels;
		add_sample(source, more);
	}
}

/* The counts and labels of a line.  false: it has no sample. */
static bool read_columns(struct reader *r, struct slice line,
				   struct slice *stack, struct flame_sample *s)
{
	if (r->dialect.report) {
		if (line.data[0] == ' ') {
			read_row(r, line);
			return false;
		}
		r->row_used = true;
	}
	if (r->dialect.offset || r->dialect.key)
		read_fields(r, stack, s);
	if (r->nkeys && !read_keys(r, stack, s))
		return bad(r, line);
	if (!read_counts(r, r->options->column, line, stack, s))
		return false;
	if (r->row)
		label_key(r, s, r->row);
	return true;
}

/*
 * A stack of perf report, root first, with our spelling of inlined functions.
 */
static struct slice turn(struct reader *r, struct slice stack)
{
	static const char inlined[] = " (inlined)";
	struct slice rest = fl_slice_trim(stack), frame;
	const char *at;

	r->text.size = 0;
	while (rest.size) {
		if (r->dialect.callee) {
			at = memrchr(rest.data, ';', rest.size);
			frame = rest;
			rest.size = at ? (size_t)(at - rest.data) : 0;
			if (at) {
				frame.data = at + 1;
				frame.size -= rest.size + 1;
			}
		} else {
			frame = fl_slice_split(&rest, ';');
		}
		if (r->text.size)
			fl_buf_byte(&r->text, ';');
		if (fl_slice_ends(frame, inlined)) {
			frame.size -= strlen(inlined);
			fl_buf_put(&r->text, frame.data, frame.size);
			fl_buf_text(&r->text, "_[i]");
		} else {
			fl_buf_put(&r->text, frame.data, frame.size);
		}
	}
	return fl_buf_slice(&r->text);
}

static void read_line(struct flame_source *source, struct slice line)
{
	struct reader *r = source->state;
	struct slice stack = line;
	struct flame_sample s = { .time = FLAME_NOTIME };

	if (!read_columns(r, line, &stack, &s))
		return;
	if (r->dialect.report)
		stack = turn(r, stack);
	if (s.weight < 0 && is_memory(r))
		set_memory(r, &s);
	else if (s.weight < 0 && !r->below_zero++)
		fl_remark(source->flame, "%s: line %" PRIu64 ": a count below "
			  "0, as of a difference",
			  fl_in_name(source->in), r->lines.number);
	s.stack = fl_folded_stack(&r->stacks, stack);
	s.thread = r->stacks.thread;
	add_sample(source, &s);
	add_more(source, &s);
	r->lines.good++;
}

/* The source ------------------------------------------------------------ */

static int open_folded(struct flame_source *source)
{
	struct reader *r = source->state;

	r->options = source->options;
	r->lines.in = source->in;
	r->lines.source = source;
	r->stacks.flame = source->flame;
	r->stacks.dialect = &r->dialect;
	return FLAME_OK;
}

static void report_dialect(struct flame_source *source,
			   const struct reader *r)
{
	const char *name = fl_in_name(source->in);

	if (r->dialect.counts == FL_COUNT_NONE)
		fl_remark(source->flame, "%s: no line has a count: each "
			  "counts 1", name);
	if (r->both)
		fl_remark(source->flame, "%s: two counts a line: compared "
			  "(--column 2 takes the second alone)", name);
	else if (r->dialect.counts == FL_COUNT_TWO && !r->options->column)
		fl_remark(source->flame, "%s: two counts a line: taking the "
			  "second (--column 1 takes the first)", name);
	if (r->dialect.percent)
		fl_remark(source->flame, "%s: percentages, counted in "
			  "hundredths: 1%% is 100", name);
}

/* Whether plain lines become whole stacks. */
static bool is_of_whole(struct flame_source *source, const struct reader *r)
{
	return source->select.alone && source->select.whole &&
	       fl_folded_is_distinct(source, &r->stacks);
}

static void begin(struct flame_source *source, struct reader *r)
{
	struct fl_folded_dialect *d = &r->dialect;
	const struct options *options = source->options;

	r->begun = true;
	fl_folded_sniff(source->in, d);
	d->compat = options->peer != FL_PEER_NONE;
	if (options->column == FL_COLUMN_NONE && d->counts == FL_COUNT_TWO)
		d->counts = FL_COUNT_LAST;
	else if (options->column && d->counts == FL_COUNT_LAST &&
		 options->column != FL_COLUMN_NONE)
		d->counts = FL_COUNT_TWO;
	r->both = d->counts == FL_COUNT_TWO && options->compare &&
		  !options->column;
	if (r->both) {
		r->before_key = fl_name(source->flame, FL_BEFORE_KEY);
		r->before = fl_name(source->flame, FL_BEFORE_VALUE);
	}
	if (d->report && !d->ordered && !d->children)
		fl_remark(source->flame, "%s: no row of perf report names a "
			  "function of its stacks: they are read root first, "
			  "as -g folded,caller prints them",
			  fl_in_name(source->in));
	if (d->percent)
		r->metric = flame_metric(source->flame, "percent", "0.01%");
	report_dialect(source, r);
	r->plain = d->counts == FL_COUNT_LAST && !d->percent && !d->offset &&
		   !d->key && !d->austin && !d->nkeys;
	if (r->plain && !d->comm && !d->remarks && !d->table && !source->part &&
	    !fl_folded_light_begin(source, &r->stacks, &r->light))
		r->stacks.whole = is_of_whole(source, r);
}

static int end(struct flame_source *source, struct reader *r)
{
	const char *name = fl_in_name(source->in);
	int status = fl_lines_end(source, &r->lines);

	end_row(r);
	if (source->part)
		return status;
	if (r->unused_rows)
		fl_warn(source->flame, "%s: %" PRIu64 " rows of perf report "
			"have no stacks and are left out", name,
			r->unused_rows);
	if (r->huge) {
		fl_warn(source->flame, "%s: %" PRIu64 " counts are 2^63 or "
			"more and left out, the first is in line %" PRIu64,
			name, r->huge, r->first_huge);
		source->damage = r->lines.good ? 1 : 2;
	}
	if (r->fractions)
		fl_warn(source->flame, "%s: %" PRIu64 " counts are not whole: "
			"what rounding removes from one is added to the "
			"next", name, r->fractions);
	r->unused_rows = r->huge = r->fractions = 0;
	return status;
}

/* Whether the batch is full, or failed. */
static bool add_plain(struct reader *r, struct slice stack, int64_t weight)
{
	if (!fl_folded_add_line(&r->stacks, stack, weight))
		return true;
	return ++r->nbatch == FL_FOLDED_BATCH;
}

/* Finds the stacks of the plain lines and makes samples of them. */
static int end_batch(struct flame_source *source)
{
	struct reader *r = source->state;

	if (!r->nbatch)
		return fl_failed(source->flame) ? FLAME_FAILED : FLAME_OK;
	if (!fl_folded_find_stacks(&r->stacks))
		return FLAME_FAILED;
	for (unsigned i = 0; i < r->nbatch; i++) {
		const struct fl_folded_result *t = &r->stacks.batch[i];
		struct flame_sample s = {
			.stack = t->stack, .thread = t->thread,
			.time = FLAME_NOTIME, .weight = t->weight,
			.metric = r->metric
		};

		fl_batch_add(source, &s);
	}
	r->nbatch = 0;
	return fl_failed(source->flame) ? FLAME_FAILED : FLAME_OK;
}

/* The next of the collected lines, or of their sums. */
static int read_light(struct flame_source *source)
{
	struct reader *r = source->state;
	bool full = false;

	while (r->nlight < r->light.count && !full) {
		const struct fl_folded_row *row = &r->light.rows[r->nlight++];

		full = add_plain(r, (struct slice){ row->text, row->size },
				 row->weight);
	}
	if (r->nlight == r->light.count)
		fl_folded_light_free(&r->light);
	return end_batch(source);
}

/* Whether the line is empty or a comment. */
static inline bool is_skipped(struct flame_source *source,
			      struct slice line)
{
	struct reader *r = source->state;

	if (fl_unlikely(!line.size)) {
		end_row(r);
		end_batch(source);
		return true;
	}
	if (fl_likely(line.data[0] != '#') || !fl_folded_comment(line))
		return false;
	if (fl_slice_starts(line, FL_FOLDED_HEADER))
		read_header(source, line);
	read_comment(r, line);
	return true;
}

static bool has_text(struct slice stack, struct slice text)
{
	return text.size &&
	       memmem(stack.data, stack.size, text.data, text.size);
}

/* Whether the sink drops the stack: see struct fl_wanted_text. */
static bool is_unwanted(struct flame_source *source, struct slice stack)
{
	const struct fl_wanted_text *wanted = source->select.wanted_text;
	struct reader *r = source->state;
	bool has = has_text(stack, wanted->either[0]) ||
		   has_text(stack, wanted->either[1]);

	r->met_wanted |= has;
	return !has && r->met_wanted;
}

static int take_plain(struct flame_source *source, struct slice stack,
		      int64_t weight)
{
	struct reader *r = source->state;
	struct flame_sample s = { .weight = weight, .metric = r->metric };

	if (fl_unlikely(r->light.on) &&
	    !fl_folded_light_add(&r->stacks, &r->light, stack, weight)) {
		r->light.on = false;
		r->lines.again = true;
		return FLAME_OK;
	}
	count_metric(source->flame, &s);
	r->lines.good++;
	if (r->light.on ||
	    (source->select.wanted_text && is_unwanted(source, stack)))
		return FLAME_OK;
	return add_plain(r, stack, weight) ? end_batch(source) : FLAME_OK;
}

/* "main;work",5 as main;work 5.  false: names of columns. */
static bool plain_row(struct reader *r, struct slice *line)
{
	struct slice stack, count;
	bool quoted;

	if (!fl_folded_row(*line, &stack, &count))
		return r->lines.number > 1;
	quoted = stack.data[0] == '"';
	r->text.size = 0;
	for (size_t i = quoted; i + quoted < stack.size; i++) {
		fl_buf_byte(&r->text, stack.data[i]);
		i += quoted && stack.data[i] == '"';
	}
	fl_buf_byte(&r->text, ' ');
	fl_buf_put(&r->text, count.data, count.size);
	*line = fl_buf_slice(&r->text);
	return true;
}

static int take_line(struct flame_source *source, struct slice line)
{
	struct reader *r = source->state;
	struct slice stack = { line.data, 0 };
	int64_t weight;

	if (fl_unlikely(r->dialect.table) && !plain_row(r, &line))
		return FLAME_OK;
	if (fl_unlikely(r->dialect.remarks) &&
	    !is_record(line, &stack.size, &weight))
		fl_folded_cut_remark(&line);
	stack.data = line.data;
	if (fl_likely(r->plain) && is_record(line, &stack.size, &weight))
		return take_plain(source, stack, weight);
	if (fl_unlikely(r->light.on)) {
		r->light.on = false;
		r->lines.again = true;
		return FLAME_OK;
	}
	if (end_batch(source) != FLAME_OK)
		return FLAME_FAILED;
	if (r->forked)
		return fl_fail(source->flame, "a line that is not plain");
	read_line(source, line);
	return fl_failed(source->flame) ? FLAME_FAILED : FLAME_OK;
}

static int read(struct flame_source *source)
{
	struct reader *r = source->state;
	struct slice line;

	if (fl_unlikely(!r->begun))
		begin(source, r);
	if (fl_unlikely(r->dialect.children))
		return fl_fail(source->flame, "%s: perf report has counted "
			       "callees in their callers as well (Children): "
			       "run it with --no-children",
			       fl_in_name(source->in));
	while (!source->batch.n) {
		if (fl_unlikely(r->light.count) && !r->light.on) {
			if (read_light(source) != FLAME_OK)
				return FLAME_FAILED;
			continue;
		}
		if (!fl_lines_next(&r->lines, &line)) {
			if (!r->light.on)
				return r->nbatch ? end_batch(source) :
						   end(source, r);
			if (!fl_folded_light_sum(source->select.light,
						 &r->light))
				return fl_no_memory(source->flame);
			continue;
		}
		line = fl_slice_trim_end(line);
		if (!is_skipped(source, line) &&
		    take_line(source, line) != FLAME_OK)
			return FLAME_FAILED;
		if (fl_unlikely(fl_failed(source->flame)))
			return FLAME_FAILED;
	}
	return FLAME_OK;
}

/* Parts ------------------------------------------------------------------ */

static void resume(struct flame_source *source)
{
	struct reader *r = source->state;

	fl_lines_resume(&r->lines, source->in);
	r->nbatch = 0;
	fl_folded_discard(&r->stacks);
}

/* In other dialects a line may depend on those before it. */
static bool fork_folded(const struct flame_source *whole,
			struct flame_source *part)
{
	struct flame_source *source = (struct flame_source *)whole;
	const struct reader *from = whole->state;
	struct reader *to = part ? part->state : NULL;

	if (!to)
		return !fl_folded_light_begin(source, &from->stacks, NULL) &&
		       !is_of_whole(source, from);
	if (!from->plain)
		return false;
	to->dialect = from->dialect;
	if (from->metric) {
		const struct flame_metric *m =
			flame_metric_of(whole->flame, from->metric);

		to->header = from->header;
		to->metric = flame_metric(part->flame, m->name, m->weight);
	}
	part->select.wanted_text = whole->select.wanted_text;
	to->met_wanted = from->met_wanted;
	to->begun = to->plain = to->forked = true;
	fl_lines_fork(&to->lines);
	return true;
}

static void join(struct flame_source *whole, struct flame_source *part)
{
	struct reader *to = whole->state, *from = part->state;

	fl_lines_join(&to->lines, &from->lines);
}

static void release(void *state)
{
	struct reader *r = state;

	fl_folded_stacks_free(&r->stacks);
	fl_folded_light_free(&r->light);
	fl_buf_free(&r->text);
	fl_free(r->keys);
}

static const struct fl_option rows[] = {
	FL_OPTION_ROW_COLUMN(struct options),
	FL_OPTION_ROW_COMPARE(struct options),
	FL_OPTION_ROW_PEER(struct options),
	{ .name = NULL }
};

static const struct fl_option_table option_table = {
	.rows = rows, .size = sizeof(struct options),
};

const struct fl_format fl_format_folded = {
	.name = "folded",
	.facts = FLAME_ADDS_UP | FLAME_WHOLE,
	.summary = "frame;frame;frame weight, a line a stack",
	.suffixes = ".folded .collapsed .txt",
	.probe = fl_folded_probe,
	.state_size = sizeof(struct reader),
	.open = open_folded,
	.read = read,
	.release = release,
	.split = fl_lines_split,
	.resume = resume,
	.fork = fork_folded,
	.join = join,
	.options = &option_table,
	.create = fl_folded_create,
};
