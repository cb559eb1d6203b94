/* SPDX-License-Identifier: Apache-2.0 */
/*
 * batch_put_timeline() draws, as SVG in the report of an application, when its
 * stages ran, in lanes, and how many of its cores were in use; each stage leads
 * to its page.  The application's bill comes in.  Called by report.c.
 */
#include "report/html.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BARS = 300, MAX_LANES = 10, LANE = 20, CORES = 56, COLORS = 6 };

struct bar {
	const cJSON *query, *stage;
	double from, to;	/* ms since the application's start */
	unsigned lane;
	int color;
};

struct timeline {
	const struct batch *batch;
	const cJSON *app;
	double start, length;	/* ms */
	struct bar *bars;
	size_t n;
	unsigned lanes;
	double ends[MAX_LANES];
};

static int by_length(const void *a, const void *b)
{
	const struct bar *x = a, *y = b;
	double d = (y->to - y->from) - (x->to - x->from);

	return (d > 0) - (d < 0);
}

static int by_start(const void *a, const void *b)
{
	const struct bar *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return batch_number(x->stage, "id") < batch_number(y->stage, "id") ?
	       -1 : 1;
}

static void add_bar(struct timeline *t, const cJSON *query, const cJSON *stage,
		    int color)
{
	double from = batch_number(stage, "submitted");
	double to = batch_number(stage, "completed");

	if (from <= 0 || to < from)
		return;
	t->bars[t->n++] = (struct bar){
		.query = query, .stage = stage, .from = from - t->start,
		.to = to - t->start, .color = color % COLORS,
	};
}

static bool list_bars(struct timeline *t)
{
	const cJSON *queries = batch_list(t->app, "queries");
	const cJSON *query, *stage;
	size_t n = 0;
	int color = 0;

	cJSON_ArrayForEach(query, queries)
		n += (size_t)cJSON_GetArraySize(
			batch_list(query, "stages"));
	t->bars = calloc(n + 1, sizeof(*t->bars));
	if (!t->bars)
		return false;
	cJSON_ArrayForEach(query, queries) {
		cJSON_ArrayForEach(stage, batch_list(query, "stages"))
			add_bar(t, query, stage, color);
		color++;
	}
	return true;
}

/* Each in the first lane that is free; the last lane has the rest. */
static void place_bars(struct timeline *t)
{
	for (size_t i = 0; i < t->n; i++) {
		struct bar *bar = &t->bars[i];
		unsigned lane = 0;

		while (lane + 1 < MAX_LANES && lane < t->lanes &&
		       t->ends[lane] > bar->from)
			lane++;
		bar->lane = lane;
		t->lanes = lane >= t->lanes ? lane + 1 : t->lanes;
		t->ends[lane] = bar->to;
	}
}

static double percent(const struct timeline *t, double ms)
{
	double p = 100 * ms / t->length;

	return p < 0 ? 0 : p > 100 ? 100 : p;
}

static void put_text(struct flame_text *out, const struct bar *bar)
{
	const char *query = batch_text(bar->query, "name");

	if (*query == '[')
		query = batch_text(bar->stage, "name");
	batch_put_escaped(out, query);
}

static void put_bar(struct flame_text *out, const struct timeline *t,
		    const struct bar *bar)
{
	static const char *const classes[COLORS] = {
		"q0", "q1", "q2", "q3", "q4", "q5",
	};
	double x = percent(t, bar->from), width = percent(t, bar->to) - x;
	unsigned y = CORES + 6 + bar->lane * LANE;
	const struct batch_group *page = batch_page_of(
		t->batch, batch_text(t->app, "id"), bar->stage);

	if (page) {
		batch_put(out, "<a href=\"");
		batch_put_escaped(out, batch_text(page->record, "page"));
		batch_put(out, "\">");
	}
	batch_put(out, "<rect");
	batch_put_class(out, classes[bar->color]);
	cli_print(out, " x=\"%.2f%%\" y=\"%u\" width=\"%.2f%%\" "
		  "height=\"%d\" rx=\"2\"><title>", x, y,
		  width < .15 ? .15 : width, LANE - 3);
	put_text(out, bar);
	cli_print(out, ", stage %.0f: ", batch_number(bar->stage, "id"));
	batch_put_duration(out, (bar->to - bar->from) / 1000);
	batch_put(out, "</title></rect>");
	if (width > 4) {
		/* HTML, as text of SVG has no ellipsis. */
		cli_print(out, "<foreignObject x=\"%.2f%%\" y=\"%u\" "
			  "width=\"%.2f%%\" height=\"%d\"><div>", x, y,
			  width - .3, LANE - 3);
		put_text(out, bar);
		batch_put(out, "</div></foreignObject>");
	}
	batch_put(out, page ? "</a>\n" : "\n");
}

static bool is_alive(const cJSON *e, double ms)
{
	double removed = batch_number(e, "removed");

	return batch_number(e, "added") <= ms && (removed <= 0 || removed > ms);
}

double batch_count_cores(const cJSON *app)
{
	const cJSON *executors = batch_list(app, "executors");
	const cJSON *e, *other;
	double most = 0;

	cJSON_ArrayForEach(e, executors) {
		double n = 0, at = batch_number(e, "added");

		cJSON_ArrayForEach(other, executors)
			if (is_alive(other, at))
				n += batch_number(other, "cores");
		most = n > most ? n : most;
	}
	return most;
}

/* The mean number of tasks at once, as an area below all cores. */
static void put_cores(struct flame_text *out, const struct timeline *t)
{
	const cJSON *busy = batch_list(t->app, "busy");
	double cores = batch_count_cores(t->app), most = cores;
	const cJSON *n;
	int i = 0;

	cJSON_ArrayForEach(n, busy)
		most = n->valuedouble / 100 > most ? n->valuedouble / 100 : most;
	if (most <= 0)
		return;
	cli_print(out, "<svg viewBox=\"0 0 %d 100\" width=\"100%%\" "
		  "height=\"%d\" preserveAspectRatio=\"none\">"
		  "<path", cJSON_GetArraySize(busy), CORES);
	batch_put_class(out, "cores");
	batch_put(out, " d=\"M0 100");
	/* The label is above them. */
	cJSON_ArrayForEach(n, busy)
		cli_print(out, "V%.1fH%d",
			  100 - n->valuedouble / most * .7, ++i);
	cli_print(out, "V100z\"/></svg><text x=\"6\" y=\"12\">cores in use, of "
		  "%.0f</text>\n", cores);
}

/* Seconds between ticks: round in the unit of all ticks, six ticks at most. */
static double step_of(double seconds)
{
	static const double steps[] = {
		.1, .2, .5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800,
		3600, 7200, 14400, 21600, 43200,
	};
	enum { MAX_TICKS = 6 };
	double step = 86400;

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		if (steps[i] * MAX_TICKS >= seconds)
			return steps[i];
	while (step * MAX_TICKS < seconds)
		step *= 2;
	return step;
}

static void put_axis(struct flame_text *out, const struct timeline *t,
		     unsigned height)
{
	double step = step_of(t->length / 1000);
	double unit = step >= 3600 ? 3600 : step >= 60 ? 60 : 1;
	const char *name = step >= 3600 ? "h" : step >= 60 ? "min" : "s";

	for (int i = 1; i * step * 1000 < t->length; i++) {
		double x = percent(t, i * step * 1000);

		/* The text of a tick at the very end would be cut. */
		if (x > 95)
			break;
		cli_print(out, "<line class=\"grid\" stroke=\"#d5d9df\" "
			  "x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"0\" y2=\"%u\"/>"
			  "<text x=\"%.2f%%\" y=\"%u\" dx=\"3\">%.*f %s"
			  "</text>", x, x, height, x, height - 5,
			  step < 1 ? 1 : 0, i * step / unit, name);
	}
	batch_put(out, "\n");
}

static void put(struct flame_text *out, const struct timeline *t)
{
	unsigned height = CORES + 6 + t->lanes * LANE + 18;

	batch_put(out, "<h2>Time</h2>\n");
	cli_print(out, "<svg class=\"time\" width=\"100%%\" height=\"%u\">\n", height);
	put_axis(out, t, height);
	put_cores(out, t);
	for (size_t i = 0; i < t->n; i++)
		put_bar(out, t, &t->bars[i]);
	batch_put(out, "</svg>\n");
}

void batch_put_timeline(struct flame_text *out, const struct batch *batch,
			const cJSON *app)
{
	struct timeline t = {
		.batch = batch, .app = app,
		.start = batch_number(app, "started"),
	};
	size_t all;

	t.length = batch_number(app, "ended") - t.start;
	if (t.start <= 0 || t.length <= 0 || !list_bars(&t)) {
		free(t.bars);
		return;
	}
	all = t.n;
	qsort(t.bars, t.n, sizeof(*t.bars), by_length);
	t.n = t.n > MAX_BARS ? MAX_BARS : t.n;
	qsort(t.bars, t.n, sizeof(*t.bars), by_start);
	place_bars(&t);
	put(out, &t);
	if (all > t.n)
		cli_print(out, "<p class=\"note\">The %zu longest of %zu "
			  "stages.</p>\n", t.n, all);
	free(t.bars);
}
