/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sink of the writers of rows (tables, columns, pprof, OTLP, Parquet, and
 * JSON of other viewers): sums samples of equal stack, thread, metric and
 * labels, sorts the sums by their text, and calls the writer at the end.
 * fl_rows_sink() makes it.  Ids depend on the number of threads; so frames are
 * ranked by text, stacks by the ranks of their frames, and label sets by their
 * values.
 */
#include "fl.h"

#include "draw/page.h"
#include "write/rows.h"

#include <stdlib.h>

struct state {
	struct fl_rows rows;	/* first: columns.c knows it as the state */
	flame_id key, before;	/* label of column 0 of a diff; 0: unset */
};

/* Sums ---------------------------------------------------------------- */

/* Samples of column 0 of a diff are left out. */
static bool is_before(struct state *state, struct flame *flame,
		      flame_id labels)
{
	if (!state->key) {
		state->key = fl_name(flame, FL_BEFORE_KEY);
		state->before = fl_name(flame, FL_BEFORE_VALUE);
	}
	return flame_label_get(flame, labels, state->key) == state->before;
}

/* Sums the rows again without their times. */
static int drop_times(struct fl_rows *rows)
{
	struct fl_sums timed = rows->sums;
	int status = FLAME_OK;

	fl_remark(rows->flame, "more than %d samples with times: written "
		  "without times", FL_MAX_TIMED_SAMPLES);
	rows->sums = (struct fl_sums){ 0 };
	rows->timed = false;
	for (size_t i = 0; status == FLAME_OK && i < timed.count; i++) {
		timed.data[i].time = FLAME_NOTIME;
		status = fl_sums_add(rows->flame, &rows->sums, &timed.data[i]);
	}
	fl_sums_free(&timed);
	return status;
}

static int put(struct flame_sink *sink, const struct flame_sample *s)
{
	struct state *state = sink->state;
	struct fl_rows *rows = &state->rows;
	struct flame_sample row = {
		.stack = s->stack, .metric = s->metric, .weight = s->weight,
		.thread = sink->needs & FL_NEED_THREAD ? s->thread : 0,
		.labels = rows->bare ? 0 : s->labels,
		.time = rows->timed ? s->time : FLAME_NOTIME,
	};

	if (s->labels && is_before(state, sink->flame, s->labels))
		return FLAME_OK;
	if (rows->timed && rows->sums.count == FL_MAX_TIMED_SAMPLES) {
		sink->modest_needs &= ~(unsigned)FL_NEED_TIME;
		row.time = FLAME_NOTIME;
		if (drop_times(rows) != FLAME_OK)
			return FLAME_FAILED;
	}
	return fl_sums_add(sink->flame, &rows->sums, &row);
}

static int end(struct flame_sink *sink, struct flame_source *source)
{
	struct fl_rows *rows = &((struct state *)sink->state)->rows;
	int64_t from, to;

	if (!fl_source_span(source, &from, &to))
		return FLAME_OK;
	if (rows->from == FLAME_NOTIME || from < rows->from)
		rows->from = from;
	if (rows->to == FLAME_NOTIME || to > rows->to)
		rows->to = to;
	return FLAME_OK;
}

/* Ranks --------------------------------------------------------------- */

static int compare_text(struct slice a, struct slice b)
{
	int d = memcmp(a.data, b.data, FL_MIN(a.size, b.size));

	return d ? d : (a.size > b.size) - (a.size < b.size);
}

struct ranked_frame {
	struct slice name, file;
	uint32_t line, type;
	flame_id id;
};

static int by_frame(const void *a, const void *b)
{
	const struct ranked_frame *x = a, *y = b;
	int d = compare_text(x->name, y->name);

	if (!d)
		d = (x->type > y->type) - (x->type < y->type);
	if (!d)
		d = compare_text(x->file, y->file);
	return d ? d : (x->line > y->line) - (x->line < y->line);
}

/* Ranks by frame id; to fl_free; NULL: out of memory. */
static uint32_t *rank_frames(const struct flame *flame)
{
	size_t n = flame->frames.count;
	struct ranked_frame *list =
		fl_alloc(fl_size_mul(n + 1, sizeof(*list)));
	uint32_t *rank = fl_alloc(fl_size_mul(n + 1, sizeof(*rank)));

	for (flame_id i = 0; list && rank && i < n; i++) {
		const struct flame_frame *f = &flame->frames.data[i];

		list[i] = (struct ranked_frame){
			fl_name_at(flame, f->name), fl_name_at(flame, f->file),
			f->line, f->type, i };
	}
	if (list && rank) {
		qsort(list, n, sizeof(*list), by_frame);
		for (size_t i = 0; i < n; i++)
			rank[list[i].id] = (uint32_t)i;
	} else {
		fl_free(rank);
		rank = NULL;
	}
	fl_free(list);
	return rank;
}

static int by_number(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/*
 * The children of all stacks, sorted, as rank << 32 | id; those of stack i are
 * child[first[i]] to child[first[i + 1]].
 */
static uint64_t *sort_children(const struct flame *flame,
			       const uint32_t *frame_rank, uint32_t *first)
{
	size_t n = flame->stacks.count, sum = 0;
	uint64_t *child = fl_alloc(fl_size_mul(n, sizeof(*child)));

	if (!child)
		return NULL;
	for (flame_id i = 1; i < n; i++)
		first[fl_parent(flame, i)]++;
	for (size_t i = 0; i <= n; i++) {
		sum += first[i];
		first[i] = (uint32_t)sum;
	}
	for (flame_id i = (flame_id)n; --i > 0;)
		child[--first[fl_parent(flame, i)]] =
			(uint64_t)frame_rank[fl_frame_id(flame, i)] << 32 | i;
	for (flame_id i = 0; i < n; i++)
		if (first[i] + 1 < first[i + 1])
			qsort(child + first[i], first[i + 1] - first[i],
			      sizeof(*child), by_number);
	return child;
}

/* Sets rank[] by stack: preorder, siblings by the rank of their frames. */
static void rank_preorder(const struct flame *flame, const uint64_t *child,
			  const uint32_t *first, uint32_t *next, uint32_t *rank)
{
	flame_id stack = 0;
	uint32_t n = 0;

	rank[0] = n++;
	for (;;) {
		if (next[stack] < first[stack + 1]) {
			stack = (flame_id)child[next[stack]++];
			rank[stack] = n++;
		} else if (stack) {
			stack = fl_parent(flame, stack);
		} else {
			return;
		}
	}
}

uint32_t *fl_rank_stacks(const struct flame *flame)
{
	size_t n = flame->stacks.count;
	uint32_t *frame_rank = rank_frames(flame);
	uint32_t *first = fl_zeroed(n + 1, sizeof(*first));
	uint32_t *next = fl_alloc(fl_size_mul(n + 1, sizeof(*next)));
	uint32_t *rank = fl_alloc(fl_size_mul(n, sizeof(*rank)));
	uint64_t *child = NULL;

	if (frame_rank && first && next && rank)
		child = sort_children(flame, frame_rank, first);
	if (child) {
		memcpy(next, first, (n + 1) * sizeof(*next));
		rank_preorder(flame, child, first, next, rank);
	} else {
		fl_free(rank);
		rank = NULL;
	}
	fl_free(frame_rank);
	fl_free(first);
	fl_free(next);
	fl_free(child);
	return rank;
}

/* Sets of labels ------------------------------------------------------ */

struct ranked_set {
	const char *text;
	size_t size;
	flame_id id;
};

static int by_set(const void *a, const void *b)
{
	const struct ranked_set *x = a, *y = b;

	return compare_text((struct slice){ x->text, x->size },
			    (struct slice){ y->text, y->size });
}

struct ranked_key {
	struct slice text;
	flame_id name;
};

static int by_key(const void *a, const void *b)
{
	return compare_text(((const struct ranked_key *)a)->text,
			    ((const struct ranked_key *)b)->text);
}

/* The values of all keys, in their order, each with a separator. */
static void spell_set(struct fl_buf *to, const struct flame *flame,
		      flame_id set, const flame_id *keys, size_t nkeys)
{
	for (size_t i = 0; i < nkeys; i++) {
		struct slice value = fl_name_at(flame,
			flame_label_get(flame, set, keys[i]));

		fl_buf_put(to, value.data, value.size);
		fl_buf_byte(to, '\0');
	}
}

/* Ranks the label sets in use by their values. */
static bool rank_used(struct fl_rows *rows, const flame_id *keys,
		      size_t nkeys, struct ranked_set *sets, size_t nsets)
{
	const struct flame *flame = rows->flame;
	struct fl_arena arena = { 0 };
	struct fl_buf text = { 0 };
	bool good = true;

	for (size_t i = 0; good && i < nsets; i++) {
		text.size = 0;
		spell_set(&text, flame, sets[i].id, keys, nkeys);
		sets[i].size = text.size;
		sets[i].text = text.failed ?
				       NULL :
				       fl_arena_copy(&arena,
						     text.data ? text.data : "",
						     text.size);
		good = sets[i].text;
	}
	if (good && nsets)
		qsort(sets, nsets, sizeof(*sets), by_set);
	for (size_t i = 0; good && i < nsets; i++)
		rows->set_rank[sets[i].id] = (uint32_t)i;
	fl_arena_free(&arena);
	fl_buf_free(&text);
	return good;
}

static bool rank_sets(struct fl_rows *rows)
{
	size_t n = rows->flame->labels.count, nsets = 0, nkeys;
	struct ranked_set *sets = fl_alloc(fl_size_mul(n + 1, sizeof(*sets)));
	flame_id *keys = fl_rows_keys(rows, &nkeys);
	bool good;

	rows->set_rank = fl_zeroed(n + 1, sizeof(*rows->set_rank));
	good = sets && keys && rows->set_rank;
	for (size_t i = 0; good && i < rows->sums.count; i++) {
		flame_id used[] = { rows->sums.data[i].thread,
				    rows->sums.data[i].labels };

		for (size_t k = 0; k < FL_COUNT(used); k++)
			if (!rows->set_rank[used[k]]++)
				sets[nsets++].id = used[k];
	}
	good = good && rank_used(rows, keys, nkeys, sets, nsets);
	fl_free(sets);
	fl_free(keys);
	return good;
}

static bool mark_keys(const struct fl_rows *rows, bool *marked)
{
	const struct fl_labels *labels = &rows->flame->labels;

	for (size_t i = 0; i < rows->sums.count; i++) {
		flame_id set = rows->sums.data[i].thread;

		for (; set; set = labels->data[set].rest)
			marked[labels->data[set].key] = true;
		set = rows->sums.data[i].labels;
		for (; set; set = labels->data[set].rest)
			marked[labels->data[set].key] = true;
	}
	return true;
}

flame_id *fl_rows_keys(struct fl_rows *rows, size_t *count)
{
	const struct flame *flame = rows->flame;
	size_t n = flame->names.count, nkeys = 0;
	bool *marked = fl_zeroed(n, sizeof(*marked));
	struct ranked_key *list = NULL;
	flame_id *keys = NULL;

	if (marked && mark_keys(rows, marked))
		for (size_t i = 0; i < n; i++)
			nkeys += marked[i];
	if (marked) {
		list = fl_alloc(fl_size_mul(nkeys + 1, sizeof(*list)));
		keys = fl_alloc(fl_size_mul(nkeys + 1, sizeof(*keys)));
	}
	*count = 0;
	for (flame_id i = 0; list && keys && i < n; i++)
		if (marked[i])
			list[(*count)++] = (struct ranked_key){
				fl_name_at(flame, i), i };
	if (*count)
		qsort(list, *count, sizeof(*list), by_key);
	for (size_t i = 0; i < *count; i++)
		keys[i] = list[i].name;
	if (!list) {
		fl_free(keys);
		keys = NULL;
	}
	fl_free(list);
	fl_free(marked);
	return keys;
}

flame_id fl_row_label(const struct flame *flame, const struct flame_sample *row,
		      flame_id key)
{
	flame_id value = flame_label_get(flame, row->labels, key);

	return value ? value : flame_label_get(flame, row->thread, key);
}

/* The end ------------------------------------------------------------- */

static const char *metric_name(const struct fl_rows *rows, flame_id metric)
{
	return flame_metric_of(rows->flame, metric)->name;
}

/* An insertion sort, as there are few. */
static bool find_metrics(struct fl_rows *rows)
{
	for (size_t i = 0; i < rows->sums.count; i++) {
		flame_id metric = rows->sums.data[i].metric;
		size_t k = 0;

		while (k < rows->nmetrics && rows->metrics[k] != metric)
			k++;
		if (k < rows->nmetrics)
			continue;
		if (!fl_grow(&rows->metrics, &rows->metrics_capacity, k + 1,
			     sizeof(*rows->metrics)))
			return false;
		for (; k && strcmp(metric_name(rows, rows->metrics[k - 1]),
				   metric_name(rows, metric)) > 0; k--)
			rows->metrics[k] = rows->metrics[k - 1];
		rows->metrics[k] = metric;
		rows->nmetrics++;
	}
	return true;
}

static void leave_out_zeros(struct fl_rows *rows)
{
	size_t n = 0;

	for (size_t i = 0; i < rows->sums.count; i++)
		if (rows->sums.data[i].weight)
			rows->sums.data[n++] = rows->sums.data[i];
	rows->sums.count = n;
}

/* A row with its ranks; metrics of one stack lie together. */
struct ranked_row {
	uint64_t stack_and_thread, labels_and_metric;
	struct flame_sample row;
};

static int by_row(const void *a, const void *b)
{
	const struct ranked_row *x = a, *y = b;

	if (x->stack_and_thread != y->stack_and_thread)
		return x->stack_and_thread < y->stack_and_thread ? -1 : 1;
	if (x->labels_and_metric != y->labels_and_metric)
		return x->labels_and_metric < y->labels_and_metric ? -1 : 1;
	return (x->row.time > y->row.time) - (x->row.time < y->row.time);
}

/* By thread, time, stack, labels. */
static int by_thread(const void *a, const void *b)
{
	const struct ranked_row *x = a, *y = b;
	uint32_t thread_x = (uint32_t)x->stack_and_thread,
		 thread_y = (uint32_t)y->stack_and_thread;

	if (thread_x != thread_y)
		return thread_x < thread_y ? -1 : 1;
	if (x->row.time != y->row.time)
		return x->row.time < y->row.time ? -1 : 1;
	return by_row(a, b);
}

static uint32_t metric_rank(const struct fl_rows *rows, flame_id metric)
{
	uint32_t i = 0;

	while (i < rows->nmetrics && rows->metrics[i] != metric)
		i++;
	return i;
}

static bool sort_rows(struct fl_rows *rows)
{
	struct ranked_row *list =
		fl_alloc(fl_size_mul(rows->sums.count + 1, sizeof(*list)));

	for (size_t i = 0; list && i < rows->sums.count; i++) {
		const struct flame_sample *row = &rows->sums.data[i];

		list[i] = (struct ranked_row){
			(uint64_t)rows->stack_rank[row->stack] << 32 |
				rows->set_rank[row->thread],
			(uint64_t)rows->set_rank[row->labels] << 32 |
				metric_rank(rows, row->metric), *row };
	}
	if (list && rows->sums.count)
		qsort(list, rows->sums.count, sizeof(*list),
		      rows->by_thread ? by_thread : by_row);
	for (size_t i = 0; list && i < rows->sums.count; i++)
		rows->sums.data[i] = list[i].row;
	fl_free(list);
	return list;
}

static void find_first(struct fl_rows *rows)
{
	for (size_t i = 0; i < rows->sums.count; i++) {
		int64_t time = rows->sums.data[i].time;

		if (time != FLAME_NOTIME &&
		    (rows->first == FLAME_NOTIME || time < rows->first))
			rows->first = time;
	}
}

static int write_rows(struct fl_rows *rows)
{
	fl_index_free(&rows->sums.index);
	leave_out_zeros(rows);
	find_first(rows);
	if (!rows->sums.count && fl_report_empty(rows->flame) != FLAME_OK)
		return FLAME_FAILED;
	rows->stack_rank = fl_rank_stacks(rows->flame);
	if (!rows->stack_rank || !rank_sets(rows) || !find_metrics(rows) ||
	    !sort_rows(rows))
		return fl_no_memory(rows->flame);
	if (rows->by_thread && rows->nmetrics > 1)
		return fl_fail(rows->flame, "this output has one metric, and "
			       "there are %zu: choose one (--event)",
			       rows->nmetrics);
	return rows->write(rows);
}

static int finish(struct flame_sink *sink)
{
	struct fl_rows *rows = &((struct state *)sink->state)->rows;
	struct fl_out *out = rows->out;
	int status = write_rows(rows);

	rows->out = NULL;
	if (status == FLAME_OK)
		return fl_out_close(out);
	fl_out_discard(out);
	return status;
}

/* Accepts options of pictures, with a remark. */
static int set(struct flame_sink *sink, const char *option, const char *value)
{
	struct fl_rows *rows = &((struct state *)sink->state)->rows;
	const struct fl_option *row = fl_option_find(&fl_page_table, option);

	if (!row || !row->argument != !value)
		return FLAME_FAILED;
	if (strcmp(option, "title") == 0 && !rows->untitled)
		return fl_option_text(sink->flame, &rows->title, value);
	if (strcmp(option, "events") == 0) {
		if (!sink->keeps_apart)
			return fl_fail(sink->flame, "--events: this output "
				       "has one metric; choose it by --event");
		if (fl_option_text(sink->flame, &rows->events, value) !=
		    FLAME_OK)
			return FLAME_FAILED;
		sink->events = rows->events;
		return FLAME_OK;
	}
	if (row->scope != FL_SCOPE_HIDDEN)
		fl_remark(sink->flame, "--%s is ignored: this output has no use "
			  "for it", option);
	return FLAME_OK;
}

static void release(struct flame_sink *sink)
{
	struct fl_rows *rows = &((struct state *)sink->state)->rows;

	if (rows->out)
		fl_out_discard(rows->out);
	fl_sums_free(&rows->sums);
	fl_free(rows->metrics);
	fl_free(rows->stack_rank);
	fl_free(rows->set_rank);
	fl_free(rows->events);
	fl_free(rows->title);
}

struct flame_sink *fl_rows_sink(struct flame *flame, struct fl_out *out,
				unsigned needs,
				int (*write)(struct fl_rows *rows))
{
	struct flame_sink *sink = fl_sink_new(flame, NULL,
					      sizeof(struct state));
	struct fl_rows *rows;

	if (!sink) {
		fl_out_discard(out);
		return NULL;
	}
	rows = &((struct state *)sink->state)->rows;
	*rows = (struct fl_rows){ .flame = flame, .out = out, .write = write,
				  .from = FLAME_NOTIME, .to = FLAME_NOTIME,
				  .first = FLAME_NOTIME,
				  .timed = needs & FL_NEED_TIME };
	/* Reading the times of large files is too slow. */
	sink->needs = needs & ~(unsigned)FL_NEED_TIME;
	sink->modest_needs = needs & FL_NEED_TIME;
	sink->keeps_apart = true;
	sink->put = put;
	sink->end = end;
	sink->set = set;
	sink->finish = finish;
	sink->free = release;
	return sink;
}

struct flame_sink *fl_thread_rows_sink(struct flame *flame, struct fl_out *out,
				       int (*write)(struct fl_rows *rows))
{
	struct flame_sink *sink = fl_rows_sink(flame, out, FL_NEED_THREAD |
					       FL_NEED_TIME, write);

	if (!sink)
		return NULL;
	sink->keeps_apart = false;
	((struct state *)sink->state)->rows.by_thread = true;
	return sink;
}

size_t fl_rows_thread_end(const struct fl_rows *rows, size_t from)
{
	uint32_t rank = rows->set_rank[rows->sums.data[from].thread];
	size_t i = from;

	while (i < rows->sums.count &&
	       rows->set_rank[rows->sums.data[i].thread] == rank)
		i++;
	return i;
}

struct flame_sink *fl_rows_untitled(struct flame *flame, struct fl_out *out,
				    unsigned needs,
				    int (*write)(struct fl_rows *rows))
{
	struct flame_sink *sink = fl_rows_sink(flame, out, needs, write);

	if (sink)
		((struct state *)sink->state)->rows.untitled = true;
	return sink;
}
