/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sink of the writers that need a whole tree (html.c, svg.c, text.c,
 * tree_json.c, folded text): sums samples in a tree, with --events in one for
 * each metric, sets options, scale and title, and at the end calls the writer
 * with a struct fl_page.  fl_page_sink() makes it; flame_tree_write() puts a
 * tree into any output.
 */
#include "fl.h"

#include "draw/page.h"

#include <stdio.h>
#include <stdlib.h>

/* The tree of a metric, and the sink that fills it. */
struct gather {
	flame_id metric;
	struct flame_tree *tree;
	struct fl_samples *samples;
	struct flame_sink *sink;
	struct flame_sink *before;	/* of column 0; or NULL */
};

struct page_state {
	struct fl_page page;
	struct flame_sink *gather;
	struct flame_source *source;	/* being read; or NULL */
	struct gather *gathers;		/* with --events: by metric */
	size_t ngathers, gathers_capacity, last;
	struct flame_sink *before;	/* column 0 of a diff; or NULL */
	struct flame_tree *given;	/* by the caller; or NULL */
	struct fl_origins origins;
	int64_t start;		/* the first source's that has one */
	bool no_origins;		/* the writer has no use for them */
	flame_id key, value;	/* the label of its samples; 0: unset */
};

/* Adds a sample; merges it with an equal one just before. */
static bool add_chart_sample(struct fl_page *page,
			     const struct flame_sample *sample)
{
	struct fl_chart_sample *last;

	if (page->nchart_samples) {
		last = &page->chart_samples[page->nchart_samples - 1];
		if (last->stack == sample->stack &&
		    last->thread == sample->thread &&
		    last->time == sample->time) {
			last->weight += sample->weight;
			return true;
		}
	}
	if (!fl_grow(&page->chart_samples, &page->chart_samples_capacity,
		     page->nchart_samples + 1, sizeof(*page->chart_samples)))
		return false;
	page->chart_samples[page->nchart_samples] = (struct fl_chart_sample){
		.time = sample->time, .weight = sample->weight,
		.at = page->nchart_samples, .stack = sample->stack,
		.thread = sample->thread,
	};
	page->nchart_samples++;
	return true;
}

/*
 * The source need not read times once there are too many, nor finer ones than
 * are recorded.
 */
static bool record_sample(struct flame_sink *sink, struct page_state *state,
			  const struct flame_sample *sample)
{
	struct fl_samples *samples = state->page.samples;

	if (!fl_samples_add(samples, state->page.tree, sample))
		return false;
	if (fl_unlikely((sink->needs & FL_NEED_TIME) && !state->page.chart &&
			!fl_samples_timed(samples))) {
		sink->needs &= ~(unsigned)FL_NEED_TIME;
		if (state->source)
			state->source->select.needs &= ~FL_NEED_TIME;
	}
	if (state->source)
		state->source->select.time_shift = fl_samples_shift(samples);
	return true;
}

static bool begin_metric(struct flame *flame, struct page_state *state,
			 flame_id metric)
{
	struct gather *g;

	if (!fl_grow(&state->gathers, &state->gathers_capacity,
		     state->ngathers + 1, sizeof(*g)))
		return fl_no_memory(flame) == FLAME_OK;
	g = &state->gathers[state->ngathers];
	*g = (struct gather){ .metric = metric,
			      .tree = flame_tree_new(flame, 1) };
	state->last = state->ngathers++;
	if (state->page.samples && g->tree) {
		g->samples = fl_samples_new(flame);
		g->tree->want_stack_nodes = true;
		if (!g->samples)
			return fl_no_memory(flame) == FLAME_OK;
	}
	g->sink = g->tree ? flame_tree_sink(g->tree, 0) : NULL;
	return g->sink;
}

static bool is_before(struct page_state *state, struct flame *flame,
		      flame_id labels)
{
	if (!state->key) {
		state->key = fl_name(flame, FL_BEFORE_KEY);
		state->value = fl_name(flame, FL_BEFORE_VALUE);
	}
	return flame_label_get(flame, labels, state->key) == state->value;
}

/* Adds to column 1 of a tree; finish swaps the columns. */
static int put_before(struct flame_tree *tree, struct flame_sink **before,
		      const struct flame_sample *sample)
{
	if (!*before) {
		tree->columns = 2;
		*before = flame_tree_sink(tree, 1);
		if (!*before)
			return FLAME_FAILED;
	}
	return fl_put(*before, sample);
}

static int put_by_metric(struct flame_sink *sink,
			 const struct flame_sample *sample)
{
	struct page_state *state = sink->state;
	struct gather *g;
	size_t i = state->last;

	if (i >= state->ngathers ||
	    state->gathers[i].metric != sample->metric) {
		for (i = 0; i < state->ngathers; i++)
			if (state->gathers[i].metric == sample->metric)
				break;
		state->last = i;
		if (i == state->ngathers &&
		    !begin_metric(sink->flame, state, sample->metric))
			return FLAME_FAILED;
	}
	g = &state->gathers[i];
	if (fl_unlikely(sample->labels) &&
	    is_before(state, sink->flame, sample->labels))
		return put_before(g->tree, &g->before, sample);
	if (g->samples && !fl_samples_add(g->samples, g->tree, sample))
		return fl_no_memory(sink->flame);
	return fl_put(g->sink, sample);
}

static int by_thread_and_time(const void *a, const void *b)
{
	const struct fl_chart_sample *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

/* Threads side by side, each in the order of time. */
static struct fl_layout *chart(struct fl_page *page)
{
	size_t n = page->nchart_samples;
	struct fl_chart_stack *steps =
		fl_alloc(fl_size_mul(n + 1, sizeof(*steps)));
	struct fl_layout *l = NULL;

	if (n)
		qsort(page->chart_samples, n, sizeof(*page->chart_samples),
		      by_thread_and_time);
	for (size_t i = 0; steps && i < n; i++)
		steps[i] = (struct fl_chart_stack){
			page->chart_samples[i].stack,
			page->chart_samples[i].weight
		};
	if (steps)
		l = fl_chart_layout(page->tree, steps, n, false);
	fl_free(steps);
	return l;
}

static int put(struct flame_sink *sink, const struct flame_sample *sample)
{
	struct page_state *state = sink->state;
	struct fl_page *page = &state->page;

	if (page->events)
		return put_by_metric(sink, sample);
	if (sink->picked)
		page->tree->mixes = true;
	if (fl_unlikely(sample->labels) &&
	    is_before(state, sink->flame, sample->labels))
		return put_before(page->tree, &state->before, sample);
	if (page->chart && !add_chart_sample(page, sample))
		return fl_no_memory(sink->flame);
	if (page->samples && !record_sample(sink, state, sample))
		return fl_no_memory(sink->flame);
	return fl_put(state->gather, sample);
}

static int begin(struct flame_sink *sink, struct flame_source *source)
{
	struct page_state *state = sink->state;

	state->source = source;
	return FLAME_OK;
}

static int64_t earlier(int64_t a, int64_t b)
{
	return a == FLAME_NOTIME || (b != FLAME_NOTIME && b < a) ? b : a;
}

static int end(struct flame_sink *sink, struct flame_source *source)
{
	struct page_state *state = sink->state;

	state->source = NULL;
	state->start = earlier(state->start, source->start);
	if (state->no_origins)
		return FLAME_OK;
	if (!fl_origins_add(&state->origins, source))
		return fl_no_memory(sink->flame);
	sink->needs &= ~(unsigned)FL_NEED_FACTS;
	sink->needs |= fl_origins_needs(&state->origins);
	return FLAME_OK;
}

/* For recording samples. */
static const unsigned sample_needs = FL_NEED_TIME | FL_NEED_THREAD |
				     FL_NEED_STATE | FL_NEED_FILE;

static void drop_samples(struct flame_sink *sink)
{
	struct fl_page *page = &((struct page_state *)sink->state)->page;

	sink->needs &= ~sample_needs;
	sink->takes_runs = false;
	fl_samples_free(page->samples);
	page->samples = NULL;
}

/* With --events, each metric has times of its own. */
static unsigned expect(struct flame_sink *sink,
		       const struct fl_expected *expected)
{
	struct page_state *state = sink->state;
	struct fl_samples *samples = state->page.samples;

	if (!samples || state->page.events || state->page.chart)
		return 0;
	fl_samples_expect(samples, expected);
	return fl_samples_shift(samples);
}

bool fl_page_keep_samples(struct flame_sink *sink)
{
	struct fl_page *page = &((struct page_state *)sink->state)->page;

	page->samples = fl_samples_new(sink->flame);
	if (!page->samples)
		return false;
	sink->needs |= sample_needs;
	sink->takes_runs = true;
	sink->expect = expect;
	return page->tree->want_stack_nodes = true;
}

struct fl_page *fl_page_of(struct flame_sink *sink)
{
	return &((struct page_state *)sink->state)->page;
}

void fl_page_scale_lines(struct flame_sink *sink)
{
	((struct page_state *)sink->state)->page.scales_lines = true;
}

/* Updates the sink after an option was set. */
static int apply_option(struct flame_sink *sink)
{
	struct fl_page *page = &((struct page_state *)sink->state)->page;

	if (page->html.no_time || page->compat)
		drop_samples(sink);
	if (page->chart)
		sink->needs |= FL_NEED_ORDER | FL_NEED_TIME | FL_NEED_THREAD;
	if (page->folded.key && fl_event_listed(page->folded.key, "metric"))
		page->tree->mixes = true;
	if (page->events && !sink->keeps_apart)
		return fl_fail(sink->flame, "--events: only a page (html) "
			       "shows several; choose one by --event");
	sink->events = page->events;
	return FLAME_OK;
}

/*
 * flame_set reports options that no sink has.
 */
static int set(struct flame_sink *sink, const char *option, const char *value)
{
	struct fl_page *page = &((struct page_state *)sink->state)->page;
	const struct fl_option *row = fl_option_find(&fl_page_table, option);
	char reason[FL_REASON_SIZE];

	if (!row || !row->argument != !value)
		return FLAME_FAILED;
	if (fl_option_parse(sink->flame, row, page, value, reason) ==
	    FLAME_OK) {
		page->options |= UINT64_C(1) << (row - fl_page_table.rows);
		return apply_option(sink);
	}
	fl_fail(sink->flame, "--%s %s: %s%s", option, value ? value : "",
		reason[0] ? reason : row->argument,
		reason[0] ? "" : " is wanted");
	return FLAME_FAILED;
}

static void sort_metrics(struct flame *flame, struct page_state *state)
{
	const char *list = state->page.events;

	for (size_t i = 1; i < state->ngathers; i++) {
		struct gather g = state->gathers[i];
		size_t j = i;

		for (; j && fl_event_order(flame, list,
					   state->gathers[j - 1].metric) <
				    fl_event_order(flame, list, g.metric);
		     j--)
			state->gathers[j] = state->gathers[j - 1];
		state->gathers[j] = g;
	}
}

static bool remark_absent(struct flame *flame, const struct page_state *state)
{
	flame_id *ids = fl_alloc(fl_size_mul(state->ngathers + 1,
					     sizeof(*ids)));

	if (!ids)
		return false;
	for (size_t i = 0; i < state->ngathers; i++)
		ids[i] = state->gathers[i].metric;
	fl_remark_absent(flame, state->page.events, ids, state->ngathers);
	fl_free(ids);
	return true;
}

/* The trees of a comparison that keeps metrics apart. */
static bool borrow_trees(struct page_state *state, const struct flame_tree *of)
{
	state->ngathers = 0;
	if (!fl_grow(&state->gathers, &state->gathers_capacity,
		     FL_MAX(of->nmetrics, 1), sizeof(*state->gathers)))
		return false;
	for (size_t i = 0; i < of->nmetrics; i++)
		state->gathers[state->ngathers++] = (struct gather){
			.metric = of->by_metric[i]->metric,
			.tree = of->by_metric[i],
		};
	return true;
}

/* Puts into the page all trees that are not empty, or one. */
static int choose_trees(struct flame *flame, struct page_state *state)
{
	struct fl_page *page = &state->page;
	bool found = false;

	if (page->borrowed ? !borrow_trees(state, page->tree) :
			     !remark_absent(flame, state))
		return fl_no_memory(flame);
	sort_metrics(flame, state);
	page->more = fl_zeroed(FL_MAX(state->ngathers, 1), sizeof(*page->more));
	if (!page->more)
		return fl_no_memory(flame);
	for (size_t i = 0; i < state->ngathers; i++) {
		struct gather *g = &state->gathers[i];

		if (!g->tree->total[0] && !g->tree->total[1])
			continue;
		if (g->before)
			fl_tree_swap(g->tree);
		if (found) {
			page->more[page->nmore++] = (struct fl_page_metric){
				g->tree, g->samples, 1 };
			continue;
		}
		found = true;
		if (!page->borrowed)
			flame_tree_free(page->tree);
		fl_samples_free(page->samples);
		page->tree = g->tree;
		page->samples = g->samples;
		g->tree = NULL;
		g->samples = NULL;
	}
	return FLAME_OK;
}

/* The factor of weights before, by --normalize. */
static int set_scale(const struct fl_page *page, const struct flame_tree *tree,
		     double *scale)
{
	bool by_time = page->compare.normalize == FL_NORMAL_TIME;
	int64_t of[2] = { page->compare.runs[0], page->compare.runs[1] };

	if (tree->columns == 1 || !page->compare.normalize)
		return FLAME_OK;
	for (unsigned c = 0; c < 2; c++) {
		if (page->compare.normalize == FL_NORMAL_RUNS)
			break;
		of[c] = by_time ? flame_tree_duration(tree, c) :
				  tree->total[c];
		if (by_time && !of[c])
			return fl_fail(tree->flame, "--normalize time: how "
				       "long the profile %s was recorded is "
				       "not known", c ? "after" : "before");
	}
	if (of[0] && of[1])
		*scale = (double)of[1] / (double)of[0];
	return FLAME_OK;
}

static int set_scales(struct fl_page *page)
{
	int status;

	if (page->compare.runs[0] && !page->compare.normalize)
		page->compare.normalize = FL_NORMAL_RUNS;
	status = set_scale(page, page->tree, &page->compare.scale);
	if (!page->scales_lines) {
		fl_tree_settle(page->tree);
		for (size_t i = 0; i < page->nmore; i++)
			fl_tree_settle(page->more[i].tree);
	}
	for (size_t i = 0; status == FLAME_OK && i < page->nmore; i++)
		status = set_scale(page, page->more[i].tree,
				   &page->more[i].scale);
	return status;
}

/* Titles of pages that are read end in their metric already. */
static bool has_metric(const struct fl_buf *name, const char *metric)
{
	struct slice text = { name->data, name->size };

	if (!fl_slice_ends(text, metric))
		return false;
	text.size -= strlen(metric);
	return fl_slice_ends(text, ", ");
}

/* "app-1 executor 2" after "app-1 executor 1" is "executor 2". */
static void drop_same_app(const struct fl_buf *name, struct fl_buf *after)
{
	static const char word[] = " executor ";
	const char *at;
	size_t n;

	if (name->failed || after->failed || !after->size)
		return;
	at = memmem(after->data, after->size, word, sizeof(word) - 1);
	n = at ? at + sizeof(word) - 1 - after->data : 0;
	if (!n || name->size <= n || memcmp(name->data, after->data, n) != 0)
		return;
	n -= sizeof(word) - 2;
	after->size -= n;
	memmove(after->data, after->data + n, after->size + 1);
}

/* Two folders are called by their names alone. */
static void name_sides(const struct fl_origins *const *of, struct fl_buf *name,
		       struct fl_buf *after)
{
	struct slice a = fl_origins_folder(of[0]), b = { "", 0 };

	if (of[1])
		b = fl_origins_folder(of[1]);
	if (a.size && b.size && !fl_slice_same(a, b)) {
		fl_buf_put(name, a.data, a.size);
		fl_buf_put(after, b.data, b.size);
		return;
	}
	fl_origins_name(of[0], name);
	if (of[1])
		fl_origins_name(of[1], after);
}

/* "a.jfr, cpu", "before.jfr -> after.jfr, cpu"; NULL: inputs have no names. */
static int name_page(struct fl_page *page)
{
	const struct fl_origins *const *of = page->origins;
	struct fl_buf name = { 0 }, after = { 0 };
	const char *metric = flame_tree_metric(page->tree);
	bool same;

	name_sides(of, &name, &after);
	same = name.size && after.size == name.size &&
	       memcmp(name.data, after.data, name.size) == 0;
	if (same && of[0]->count == 1 && of[1]->count == 1) {
		name.size = after.size = 0;
		fl_buf_text(&name, of[0]->data[0].name);
		fl_buf_text(&after, of[1]->data[0].name);
	}
	drop_same_app(&name, &after);
	if (name.size && after.size)
		fl_buf_print(&name, " → %s", after.data);
	if (name.size && *metric && !page->nmore && !has_metric(&name, metric))
		fl_buf_print(&name, ", %s", metric);
	fl_buf_free(&after);
	if (name.failed || after.failed)
		return fl_no_memory(page->tree->flame);
	page->named = name.size ? name.data : NULL;
	if (!name.size)
		fl_buf_free(&name);
	return FLAME_OK;
}

/* Date, duration and JVM of the first input that has them. */
static int note_origin(struct fl_page *page)
{
	static const char *const keys[] = { "start", "duration", "JVM" };
	struct fl_buf notes = { 0 };

	for (size_t i = 0; i < FL_COUNT(keys); i++) {
		const char *value = fl_origins_fact(page->origins[0], keys[i]);

		if (value)
			fl_buf_print(&notes, "%s%s %.200s",
				     notes.size ? " · " : "", keys[i], value);
	}
	if (notes.failed)
		return fl_no_memory(page->tree->flame);
	page->input_notes = notes.data;
	return FLAME_OK;
}

static int note_origins(struct page_state *state)
{
	struct fl_page *page = &state->page;

	page->origins[0] = &state->origins;
	if (page->stated && !fl_origins_parse(page->tree->flame,
					      &state->origins, page->stated))
		return fl_no_memory(page->tree->flame);
	for (unsigned i = 0; page->borrowed && i < state->given->columns; i++)
		page->origins[i] = &state->given->origins[i];
	if (page->compat || page->compat_tool)
		return FLAME_OK;
	if (name_page(page) != FLAME_OK)
		return FLAME_FAILED;
	return page->notes ? FLAME_OK : note_origin(page);
}

/* Whether a page and the tree given to it both keep metrics apart. */
static int check_events(struct flame_sink *sink)
{
	struct page_state *state = sink->state;
	struct fl_page *page = &state->page;

	if (!state->given || !state->given->events == !page->events)
		return FLAME_OK;
	if (page->events)
		return fl_fail(sink->flame, "--events: the tree does not keep "
			       "metrics apart");
	if (!sink->keeps_apart)
		return fl_fail(sink->flame, "a tree that keeps metrics apart "
			       "is written as html only");
	page->events = fl_memory_adopt(strdup(state->given->events));
	return page->events ? FLAME_OK : fl_no_memory(sink->flame);
}

/* All metrics of a page have one clock: of the recording, or its samples. */
static void start_clock(struct page_state *state)
{
	struct fl_samples *all = state->page.samples;
	int64_t start = state->start;

	for (size_t i = 0; i < state->ngathers; i++)
		if (state->gathers[i].samples &&
		    state->start == FLAME_NOTIME)
			start = earlier(start, fl_samples_first(
				state->gathers[i].samples));
	for (size_t i = 0; i < state->ngathers; i++)
		if (state->gathers[i].samples)
			fl_samples_set_start(state->gathers[i].samples, start);
	if (all)
		fl_samples_set_start(all, start);
}

static int finish(struct flame_sink *sink)
{
	struct page_state *state = sink->state;
	struct fl_out *out = state->page.out;
	int status;

	if (check_events(sink) != FLAME_OK)
		return FLAME_FAILED;
	start_clock(state);
	if (state->page.events && choose_trees(sink->flame, state) != FLAME_OK)
		return FLAME_FAILED;
	if (state->before)
		fl_tree_swap(state->page.tree);
	if (!state->page.tree->total[0] && !state->page.tree->total[1] &&
	    fl_report_empty(sink->flame) != FLAME_OK)
		return FLAME_FAILED;
	status = note_origins(state);
	if (status == FLAME_OK)
		status = set_scales(&state->page);
	if (status == FLAME_OK)
		status = state->page.write(&state->page);
	if (status == FLAME_OK)
		fl_page_remark_unused(&state->page);

	state->page.out = NULL;
	if (status != FLAME_OK) {
		fl_out_discard(out);
		return status;
	}
	return fl_out_close(out);
}

static void release(struct flame_sink *sink)
{
	struct page_state *state = sink->state;
	struct fl_page *page = &state->page;

	if (page->out)
		fl_out_discard(page->out);
	flame_abandon(state->gather);
	for (size_t i = 0; i < state->ngathers; i++) {
		flame_abandon(state->gathers[i].sink);
		flame_abandon(state->gathers[i].before);
		if (!page->borrowed)
			flame_tree_free(state->gathers[i].tree);
		fl_samples_free(state->gathers[i].samples);
	}
	fl_free(state->gathers);
	fl_free(page->more);
	flame_abandon(state->before);
	fl_origins_free(&state->origins);
	fl_free(page->named);
	fl_free(page->input_notes);
	if (!page->borrowed)
		flame_tree_free(page->tree);
	fl_options_clear(&fl_page_table, page);
	fl_free(page->chart_samples);
	fl_samples_free(page->samples);
}

struct flame_sink *fl_page_sink(struct flame *flame, struct fl_out *out,
				enum fl_page_output output,
				int (*write)(struct fl_page *page))
{
	struct flame_sink *sink = fl_sink_new(flame, NULL,
					      sizeof(struct page_state));
	struct page_state *state;

	if (!sink) {
		fl_out_discard(out);
		return NULL;
	}
	state = sink->state;
	state->page.out = out;
	state->page.write = write;
	state->page.output = output;
	state->start = FLAME_NOTIME;
	state->page.compare.noise = -1;
	state->page.compare.scale = 1;
	sink->needs = FL_NEED_FACTS;
	sink->put = put;
	sink->begin = begin;
	sink->end = end;
	sink->set = set;
	sink->finish = finish;
	sink->free = release;
	state->page.tree = flame_tree_new(flame, 1);
	if (state->page.tree)
		state->gather = flame_tree_sink(state->page.tree, 0);
	if (state->gather)
		return sink;
	flame_abandon(sink);
	return NULL;
}

struct flame_sink *fl_page_of_weights(struct flame *flame, struct fl_out *out,
				      enum fl_page_output output,
				      int (*write)(struct fl_page *page))
{
	struct flame_sink *sink = fl_page_sink(flame, out, output, write);
	struct page_state *state;

	if (sink) {
		state = sink->state;
		state->no_origins = true;
		sink->needs &= ~(unsigned)FL_NEED_FACTS;
	}
	return sink;
}

/* Replaces the page's tree, by one that may have two columns. */
static bool adopt(struct flame_sink *sink, struct flame_tree *tree)
{
	struct page_state *state = sink->state;
	struct fl_page *page = &state->page;

	if (sink->put != put)
		return false;
	if (!page->borrowed)
		flame_tree_free(page->tree);
	state->given = page->tree = tree;
	page->borrowed = true;
	drop_samples(sink);
	return true;
}

/* Pages use the tree itself; other sinks get a sample per stack. */
int flame_tree_write(struct flame_tree *tree, struct flame_sink *sink)
{
	struct flame_sample sample = { .time = FLAME_NOTIME };

	if (!tree || !fl_sink_check(sink))
		return FLAME_FAILED;
	if (tree->flame != sink->flame)
		return fl_fail(tree->flame, "a tree of one dictionary and an "
			       "output of another");
	sample.metric = tree->metric;
	if (!sink->whole && !fl_tree_split(tree))
		return fl_no_memory(tree->flame);
	if (adopt(sink, tree))
		return FLAME_OK;
	if (tree->columns == 2)
		return fl_fail(tree->flame, "a comparison is written as "
			       "html, svg, text or folded only");
	fl_tree_settle(tree);
	for (size_t i = 0; i < tree->capacity[0]; i++) {
		sample.stack = i;
		sample.weight = tree->weight[0][i];
		if (sample.weight && fl_put(sink, &sample) != FLAME_OK)
			return FLAME_FAILED;
	}
	return FLAME_OK;
}

int fl_page_check(const struct fl_page *page)
{
	if (page->chart && !page->keeps_order)
		return fl_fail(page->tree->flame, "--flamechart: only a "
			       "picture (svg) keeps samples in their order");
	if (page->chart && page->tree->columns == 2)
		return fl_fail(page->tree->flame, "--flamechart: of one "
			       "profile, not of a comparison");
	return FLAME_OK;
}

double fl_page_minimum(const struct fl_page *page, double page_width)
{
	double total = (double)FL_MAX(flame_tree_total(page->tree, 0),
				      flame_tree_total(page->tree, 1));
	double minimum = 0;

	if (page->minwidth.percent)
		minimum = total * page->minwidth.n / 100;
	else if (page_width > 0)
		minimum = total * page->minwidth.n / page_width;
	return page->compat ? (double)fl_int64(minimum) : minimum;
}

const char *fl_page_title(const struct fl_page *page)
{
	const char *read = page->tree->flame->title;

	if (page->title || page->compat)
		return page->title;
	return read && *read ? read : NULL;
}

const char *fl_page_heading(const struct fl_page *page)
{
	const char *title = fl_page_title(page);

	return title || page->compat ? title : page->named;
}

struct fl_layout *fl_page_layout(struct fl_page *page, double page_width)
{
	struct fl_layout *drawn;

	if (fl_page_check(page) != FLAME_OK)
		return NULL;
	if (page->chart) {
		drawn = chart(page);
		if (!drawn)
			fl_no_memory(page->tree->flame);
		return drawn;
	}
	if (page->compat_tool && page->tree->columns == 1)
		return fl_compat_layout(page->tree);
	return fl_tree_layout(page->tree, fl_page_minimum(page, page_width),
			      page->compat, !page->borrowed);
}

bool fl_page_sort(const struct fl_page *page, struct fl_layout *layout,
		  enum fl_sort otherwise)
{
	enum fl_sort sort = page->sort ? page->sort : otherwise;

	return page->chart || sort != FL_SORT_WEIGHT || fl_layout_sort(layout);
}
