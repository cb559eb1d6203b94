/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writers of trees: a sink that gathers, and the hand-over to the writer when
 * the flow has ended.
 */
#include "fl.h"

#include "draw/page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The tree of a metric, and what fills it. */
struct gather {
	flame_id metric;
	struct flame_tree *tree;
	struct fl_samples *samples;
	struct flame_sink *sink;
};

struct page_state {
	struct fl_page page;
	struct flame_sink *gather;
	struct flame_source *source;	/* that is read */
	struct gather *each;		/* --events: instead, by metric */
	size_t n, room, last;
	struct flame_sink *before;	/* of two counts the first; or NULL */
	flame_id key, value;		/* how they are told; 0: not known */
};

/* Neighbours of one stack are one, where no time can come between. */
static bool add_beat(struct fl_page *page, const struct flame_sample *sample)
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

/* Nobody else asks for times: where they are too many, none are read. */
static bool keep_sample(struct flame_sink *sink, struct page_state *state,
			const struct flame_sample *sample)
{
	struct fl_samples *samples = state->page.samples;

	if (!fl_samples_add(samples, state->page.tree, sample))
		return false;
	if (fl_unlikely((sink->modest_needs & FL_NEED_TIME) &&
			!fl_samples_timed(samples))) {
		sink->modest_needs &= ~FL_NEED_TIME;
		if (state->source)
			state->source->select.needs &= ~FL_NEED_TIME;
	}
	return true;
}

static bool begin_metric(struct flame *flame, struct page_state *state,
			 flame_id metric)
{
	struct gather *g;

	if (!fl_grow(&state->each, &state->room, state->n + 1, sizeof(*g)))
		return fl_no_memory(flame) == FLAME_OK;
	g = &state->each[state->n];
	*g = (struct gather){ .metric = metric,
			      .tree = flame_tree_new(flame, 1) };
	state->last = state->n++;
	if (state->page.samples && g->tree) {
		g->samples = fl_samples_new(flame);
		g->tree->want_stack_nodes = true;
		if (!g->samples)
			return fl_no_memory(flame) == FLAME_OK;
	}
	g->sink = g->tree ? flame_tree_sink(g->tree, 0) : NULL;
	return g->sink;
}

static int put_apart(struct flame_sink *sink, const struct flame_sample *sample)
{
	struct page_state *state = sink->state;
	struct gather *g;
	size_t i = state->last;

	if (i >= state->n || state->each[i].metric != sample->metric) {
		for (i = 0; i < state->n; i++)
			if (state->each[i].metric == sample->metric)
				break;
		state->last = i;
		if (i == state->n &&
		    !begin_metric(sink->flame, state, sample->metric))
			return FLAME_FAILED;
	}
	g = &state->each[i];
	if (g->samples && !fl_samples_add(g->samples, g->tree, sample))
		return fl_no_memory(sink->flame);
	return fl_put(g->sink, sample);
}

static int by_beat(const void *a, const void *b)
{
	const struct fl_chart_sample *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

/* A tower for each thread, side by side, each in the order of time. */
static struct fl_layout *chart(struct fl_page *page)
{
	size_t n = page->nchart_samples;
	struct fl_chart_stack *steps =
		fl_alloc(fl_size_mul(n + 1, sizeof(*steps)));
	struct fl_layout *l = NULL;

	if (n)
		qsort(page->chart_samples, n, sizeof(*page->chart_samples),
		      by_beat);
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

static bool is_before(struct page_state *state, struct flame *flame,
		      flame_id labels)
{
	if (!state->key) {
		state->key = fl_name(flame, FL_BEFORE_KEY);
		state->value = fl_name(flame, FL_BEFORE_VALUE);
	}
	return flame_label_get(flame, labels, state->key) == state->value;
}

/* Into a second column, which is the first in the end: see finish. */
static int put_before(struct page_state *state,
		      const struct flame_sample *sample)
{
	if (!state->before) {
		state->page.tree->columns = 2;
		state->before = flame_tree_sink(state->page.tree, 1);
		if (!state->before)
			return FLAME_FAILED;
	}
	return fl_put(state->before, sample);
}

static int put(struct flame_sink *sink, const struct flame_sample *sample)
{
	struct page_state *state = sink->state;
	struct fl_page *page = &state->page;

	if (page->events)
		return put_apart(sink, sample);
	if (fl_unlikely(sample->labels) &&
	    is_before(state, sink->flame, sample->labels))
		return put_before(state, sample);
	if (page->chart && !add_beat(page, sample))
		return fl_no_memory(sink->flame);
	if (page->samples && !keep_sample(sink, state, sample))
		return fl_no_memory(sink->flame);
	return fl_put(state->gather, sample);
}

static int begin(struct flame_sink *sink, struct flame_source *source)
{
	struct page_state *state = sink->state;

	/* Those that select know times. */
	if (sink->modest_needs && source != state->source &&
	    source->format->selects && fl_is_large(source))
		fl_remark(sink->flame, "%s: more than %d MB: the page does "
			  "not tell when its samples were",
			  fl_in_name(source->in), (int)(FL_LARGE >> 20));
	state->source = source;
	if (sink->rests)
		sink->rests->share = state->page.fine_share(&state->page);
	return FLAME_OK;
}

static int end(struct flame_sink *sink, struct flame_source *source)
{
	struct page_state *state = sink->state;

	(void)source;
	state->source = NULL;
	return FLAME_OK;
}

/* Of a page that keeps samples. */
static const unsigned sample_needs = FL_NEED_TIME | FL_NEED_THREAD |
				     FL_NEED_STATE | FL_NEED_FILE;

static void drop_samples(struct flame_sink *sink)
{
	struct fl_page *page = &((struct page_state *)sink->state)->page;

	sink->modest_needs = 0;
	fl_samples_free(page->samples);
	page->samples = NULL;
}

bool fl_page_keep_samples(struct flame_sink *sink)
{
	struct fl_page *page = &((struct page_state *)sink->state)->page;

	page->samples = fl_samples_new(sink->flame);
	if (!page->samples)
		return false;
	sink->modest_needs = sample_needs;
	return page->tree->want_stack_nodes = true;
}

/* What an option that was set means for the sink. */
static int apply_option(struct flame_sink *sink)
{
	struct fl_page *page = &((struct page_state *)sink->state)->page;

	if (page->chart)
		sink->needs |= FL_NEED_ORDER | FL_NEED_TIME | FL_NEED_THREAD;
	if (page->no_time || page->compat)
		drop_samples(sink);
	if (page->events && !sink->keeps_apart)
		return fl_fail(sink->flame, "--events: only a page (html) "
			       "shows several; choose one by --event");
	sink->events = page->events;
	return FLAME_OK;
}

/*
 * flame_set tells that a value was refused, as it may be another sink's;
 * rows that know the reason tell it before.
 */
static int set(struct flame_sink *sink, const char *option, const char *value)
{
	struct fl_page *page = &((struct page_state *)sink->state)->page;
	const struct fl_option *row = fl_option_find(&fl_page_table, option);
	char reason[FL_REASON_SIZE];

	if (!row || !row->argument != !value)
		return FLAME_FAILED;
	if (fl_option_parse(sink->flame, row, page, value, reason) == FLAME_OK)
		return apply_option(sink);
	if (row->set && reason[0])
		fl_fail(sink->flame, "--%s %s: %s", option, value, reason);
	return FLAME_FAILED;
}

/* Where one event would be chosen, it comes first; the richest next. */
static double rank(struct flame *flame, const char *list, flame_id metric)
{
	const struct flame_metric *m = flame_metric_of(flame, metric);
	const char *at = strcmp(list, "all") ? strstr(list, m->name) : NULL;

	if (at)
		return (double)(list - at);
	return strcmp(m->name, "cpu") == 0 ? INFINITY : (double)m->samples;
}

static void sort_metrics(struct flame *flame, struct page_state *state)
{
	const char *list = state->page.events;

	for (size_t i = 1; i < state->n; i++) {
		struct gather g = state->each[i];
		size_t j = i;

		for (; j && rank(flame, list, state->each[j - 1].metric) <
			    rank(flame, list, g.metric); j--)
			state->each[j] = state->each[j - 1];
		state->each[j] = g;
	}
}

static void tell_absent(struct flame *flame, const struct page_state *state)
{
	char *list = fl_memory_adopt(strdup(state->page.events)), *save = NULL;

	for (char *name = list ? strtok_r(list, ",", &save) : NULL; name;
	     name = strtok_r(NULL, ",", &save)) {
		size_t i = 0;

		/* Of a name with commas it is a part. */
		while (i < state->n && !strstr(flame_metric_of(flame,
				state->each[i].metric)->name, name))
			i++;
		if (i == state->n)
			fl_remark(flame, "no samples of %s", name);
	}
	fl_free(list);
}

/* Trees of which there is something to see; one is there in any case. */
static int hand_over(struct flame *flame, struct page_state *state)
{
	struct fl_page *page = &state->page;

	if (strcmp(page->events, "all") != 0)
		tell_absent(flame, state);
	sort_metrics(flame, state);
	page->more = fl_zeroed(FL_MAX(state->n, 1), sizeof(*page->more));
	if (!page->more)
		return fl_no_memory(flame);
	for (size_t i = 0; i < state->n; i++) {
		struct gather *g = &state->each[i];

		if (!g->tree->total[0])
			continue;
		if (page->tree->total[0]) {
			page->more[page->nmore++] = (struct fl_further){
				g->tree, g->samples };
			continue;
		}
		flame_tree_free(page->tree);
		fl_samples_free(page->samples);
		page->tree = g->tree;
		page->samples = g->samples;
		g->tree = NULL;
		g->samples = NULL;
	}
	return FLAME_OK;
}

static void tell_unused(struct flame *flame, const struct fl_page *page)
{
	const char *name = page->negate ? "negate" : page->widths ? "widths" :
			   page->delta ? "delta" :
			   page->noise >= 0 ? "noise" :
			   page->normalize ? "normalize" : NULL;

	if (name && page->tree->columns == 1)
		fl_remark(flame, "--%s: nothing is compared", name);
	else if (name && page->tree->columns == 2 && !page->brushed)
		fl_remark(flame, "--%s: only what is drawn knows it", name);
}

/* What weights before are multiplied by to be compared. */
static int set_scale(struct fl_page *page)
{
	const struct flame_tree *tree = page->tree;
	bool by_time = page->normalize == FL_NORMAL_TIME;
	int64_t of[2];

	if (tree->columns == 1 || !page->normalize)
		return FLAME_OK;
	for (unsigned c = 0; c < 2; c++) {
		of[c] = by_time ? flame_tree_duration(tree, c) :
				  tree->total[c];
		if (by_time && !of[c])
			return fl_fail(tree->flame, "--normalize time: how "
				       "long the profile %s was recorded is "
				       "not known", c ? "after" : "before");
	}
	if (of[0] && of[1])
		page->scale = (double)of[1] / (double)of[0];
	return FLAME_OK;
}

static int finish(struct flame_sink *sink)
{
	struct page_state *state = sink->state;
	struct fl_out *out = state->page.out;
	int status;

	if (state->page.events && !state->page.borrowed &&
	    hand_over(sink->flame, state) != FLAME_OK)
		return FLAME_FAILED;
	if (state->before) {
		if (fl_tree_read_deferred(state->page.tree, 0) != FLAME_OK)
			return FLAME_FAILED;
		fl_tree_swap(state->page.tree);
	}
	if (!state->page.tree->total[0] && !state->page.tree->total[1])
		fl_tell_empty(sink->flame);
	status = set_scale(&state->page);
	if (status == FLAME_OK)
		status = state->page.write(&state->page);
	if (status == FLAME_OK)
		tell_unused(sink->flame, &state->page);
	if ((state->page.split || state->page.source_url) &&
	    !sink->keeps_apart)
		fl_remark(sink->flame, "--%s: only a page (html) knows it",
			  state->page.split ? "split" : "source-url");

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
	for (size_t i = 0; i < state->n; i++) {
		flame_abandon(state->each[i].sink);
		flame_tree_free(state->each[i].tree);
		fl_samples_free(state->each[i].samples);
	}
	fl_free(state->each);
	fl_free(page->more);
	flame_abandon(state->before);
	if (!page->borrowed)
		flame_tree_free(page->tree);
	fl_options_clear(&fl_page_table, page);
	fl_free(page->chart_samples);
	fl_samples_free(page->samples);
}

struct flame_sink *fl_page_sink(struct flame *flame, struct fl_out *out,
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
	state->page.noise = -1;
	state->page.scale = 1;
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

void fl_page_accept_deferred(struct flame_sink *sink,
			     double (*fine_share)(const struct fl_page *page))
{
	struct fl_page *page = &((struct page_state *)sink->state)->page;

	page->fine_share = fine_share;
	sink->rests = &page->tree->deferred;
}

/* The tree, which may have two columns, instead of the page's own. */
static bool adopt(struct flame_sink *sink, struct flame_tree *tree)
{
	struct fl_page *page;

	if (sink->put != put)
		return false;
	page = &((struct page_state *)sink->state)->page;
	if (!page->borrowed)
		flame_tree_free(page->tree);
	page->tree = tree;
	page->borrowed = true;
	sink->rests = NULL;
	drop_samples(sink);
	return true;
}

/* Pages take it as it is; others as samples, one per stack with a weight. */
int flame_tree_write(struct flame_tree *tree, struct flame_sink *sink)
{
	struct flame_sample sample = { .metric = tree->metric,
				       .time = FLAME_NOTIME };

	if (adopt(sink, tree))
		return FLAME_OK;
	if (tree->columns == 2)
		return fl_fail(tree->flame, "a comparison is written as "
			       "html, svg, text or folded only");
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
	if (page->events && page->borrowed)
		return fl_fail(page->tree->flame, "--events: of one profile, "
			       "not of a comparison; choose one by --event");
	if (page->chart && page->tree->columns == 2)
		return fl_fail(page->tree->flame, "--flamechart: of one "
			       "profile, not of a comparison");
	return FLAME_OK;
}

double fl_page_minimum(const struct fl_page *page, double page_width)
{
	double total = (double)FL_MAX(page->tree->total[0],
				      page->tree->total[1]);
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
	if (page->peer && page->tree->columns == 1)
		return fl_compat_layout(page->tree);
	return fl_tree_layout(page->tree, fl_page_minimum(page, page_width),
			      page->compat, !page->borrowed);
}
