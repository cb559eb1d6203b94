/* SPDX-License-Identifier: Apache-2.0 */
/*
 * batch_put_executors() writes the table of an application's executors: what
 * each was paid for, the time of its tasks against that of others, and its
 * samples.  Of many executors those most unlike the median come first.  The
 * application's bill comes in.  Called by report.c.
 */
#include "report/columns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Of more than MAX_OPEN, those most unlike the rest come first. */
enum { MAX_OPEN = 12, MAX_UNLIKE = 10 };

static void put_name(struct flame_text *out, const cJSON *e)
{
	batch_put(out, "<tr><td>");
	batch_put_escaped(out, batch_text(e, "id"));
	batch_put(out, "<small>");
	batch_put_escaped(out, batch_text(e, "host"));
	cli_print(out, ", %.0f core%s", batch_number(e, "cores"),
		  batch_number(e, "cores") == 1 ? "" : "s");
	batch_put(out, batch_number(e, "removed") > 0 ?
		       ", removed before the end</small></td>" :
		       "</small></td>");
}

/* "2.1 x": the time of its tasks against that of others in the same stages. */
static void put_speed(struct flame_text *out, const cJSON *e)
{
	double expected = batch_number(e, "expected_us");
	double ratio = expected > 0 ? batch_number(e, "took_us") / expected : 0;

	if (ratio <= 0) {
		batch_put(out, "<td class=\"n\" data-v=\"0\"></td>");
		return;
	}
	cli_print(out, "<td class=\"n%s\" data-v=\"%.3f\" "
		  "data-h=\"Task time\">%.2f x</td>",
		  batch_number(e, "sigma") >= 5 ? " bad" : "", ratio, ratio);
}

static void put_samples(struct flame_text *out, const cJSON *e)
{
	double samples = batch_number(e, "samples");

	if (samples > 0)
		batch_put_number(out, "Samples", samples, 0, false);
	else
		batch_put(out, "<td class=\"n bad\" data-v=\"0\">not "
			  "profiled</td>");
}

static double busy_us(const cJSON *e)
{
	return batch_number(e, "paid_us") - batch_number(e, "idle_us");
}

static const struct batch_column columns[] = {
	{ .title = "Paid, ", .label = "Paid", .key = "paid_us",
	  .kind = BATCH_CELL_BAR },
	{ .title = "Busy %", .label = "Busy %", .value = busy_us,
	  .kind = BATCH_CELL_SHARE,
	  .help = "Time that tasks ran, of all cores that were paid" },
	{ .title = "CPU % of paid", .label = "CPU % of paid", .key = "cpu_us",
	  .kind = BATCH_CELL_SHARE,
	  .help = "CPU time of the tasks, of all cores that were paid" },
	{ .title = "GC", .label = "GC", .key = "gc_us" },
	{ .title = "Tasks", .label = "Tasks", .key = "tasks",
	  .kind = BATCH_CELL_COUNT },
	{ .title = "Task time against others", .kind = BATCH_CELL_OWN,
	  .put = put_speed,
	  .help = "Time of its tasks, against others of the same stages" },
	{ .title = "Samples", .kind = BATCH_CELL_OWN, .put = put_samples },
};

static void put_executor(struct flame_text *out, const struct batch_columns *c,
			 const cJSON *e)
{
	struct batch_sums sums = { 0 };

	batch_add_row(c, &sums, e);
	put_name(out, e);
	batch_put_sums(out, c, &sums, e);
	batch_put(out, "</tr>\n");
}

bool batch_is_recorded(const cJSON *app)
{
	const cJSON *e;

	cJSON_ArrayForEach(e, batch_list(app, "executors"))
		if (batch_number(e, "samples") > 0)
			return true;
	return false;
}

static void put_coverage(struct flame_text *out, const cJSON *app)
{
	const cJSON *e;
	double n = 0, profiled = 0, samples = 0;

	cJSON_ArrayForEach(e, batch_list(app, "executors")) {
		n++;
		profiled += batch_number(e, "samples") > 0;
		samples += batch_number(e, "samples");
	}
	cli_print(out, "<p>%.0f of %.0f executor%s profiled, ", profiled, n,
		  n == 1 ? " is" : "s are");
	batch_put_grouped(out, samples, 0);
	batch_put(out, " samples in tasks.");
	if (profiled < n && profiled > 0)
		batch_put(out, " What the others did is shared out as the same "
			  "stages did on these.");
	batch_put(out, "</p>\n");
}

/* Unlike the rest ------------------------------------------------------- */

struct entry {
	const cJSON *executor;
	size_t number;		/* in the log's order */
	double distance;
};

static double of_paid(const cJSON *e, double us)
{
	double paid = batch_number(e, "paid_us");

	return paid > 0 ? us / paid : 0;
}

static double busy(const cJSON *e)
{
	return of_paid(e, busy_us(e));
}

static double cpu(const cJSON *e)
{
	return of_paid(e, batch_number(e, "cpu_us"));
}

static double gc(const cJSON *e)
{
	return of_paid(e, batch_number(e, "gc_us"));
}

static double slowness(const cJSON *e)
{
	double expected = batch_number(e, "expected_us");

	return expected > 0 ? batch_number(e, "took_us") / expected : 1;
}

static double profiled(const cJSON *e)
{
	return batch_number(e, "samples") > 0;
}

static double lost(const cJSON *e)
{
	return *batch_text(e, "lost") != '\0';
}

static int by_number(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double median(double *values, size_t n)
{
	qsort(values, n, sizeof(*values), by_number);
	return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

/*
 * Distances from the median, in median deviations, of which one is a point of
 * percent at least; of several traits the largest one counts.
 */
static void measure(struct entry *entries, size_t n,
		    double (*trait)(const cJSON *e), double *values)
{
	double middle, deviation;

	for (size_t i = 0; i < n; i++)
		values[i] = trait(entries[i].executor);
	middle = median(values, n);
	for (size_t i = 0; i < n; i++)
		values[i] = fabs(trait(entries[i].executor) - middle);
	deviation = fmax(median(values, n), 0.01);
	for (size_t i = 0; i < n; i++)
		entries[i].distance = fmax(entries[i].distance,
			fabs(trait(entries[i].executor) - middle) / deviation);
}

static int by_distance(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->distance != y->distance)
		return x->distance < y->distance ? 1 : -1;
	return (x->number > y->number) - (x->number < y->number);
}

static int by_log(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

/* The MAX_UNLIKE most unlike the rest first, then the rest as in the log. */
static void order_entries(struct entry *entries, size_t n, double *values)
{
	static double (*const traits[])(const cJSON *e) = {
		busy, cpu, gc, slowness, profiled, lost,
	};

	for (size_t i = 0; i < sizeof(traits) / sizeof(*traits); i++)
		measure(entries, n, traits[i], values);
	qsort(entries, n, sizeof(*entries), by_distance);
	qsort(entries + MAX_UNLIKE, n - MAX_UNLIKE, sizeof(*entries), by_log);
}

/* To be freed; NULL: out of memory. */
static struct entry *list_entries(const cJSON *executors, size_t *n)
{
	size_t all = (size_t)cJSON_GetArraySize(executors);
	struct entry *entries = calloc(all + 1, sizeof(*entries));
	double *values = calloc(all + 1, sizeof(*values));
	const cJSON *e;

	*n = 0;
	if (!entries || !values) {
		free(entries);
		free(values);
		return NULL;
	}
	cJSON_ArrayForEach(e, executors) {
		entries[*n] = (struct entry){ .executor = e, .number = *n };
		++*n;
	}
	if (all > MAX_OPEN)
		order_entries(entries, all, values);
	free(values);
	return entries;
}

/* The section ------------------------------------------------------------ */

static void put_table(struct flame_text *out, const struct batch_columns *c,
		      const struct entry *entries, size_t n)
{
	batch_put(out, "<div class=\"wide\"><table>");
	batch_put(out, "<thead><tr>");
	batch_put_heading(out, "Executor", false, NULL);
	batch_put_titles(out, c);
	batch_put(out, "</tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < n; i++)
		put_executor(out, c, entries[i].executor);
	batch_put(out, "</tbody></table></div>\n");
}

void batch_put_executors(struct flame_text *out, const struct batch *batch,
			 const cJSON *app)
{
	struct batch_columns c = {
		.all = columns, .n = sizeof(columns) / sizeof(*columns),
		.base = "paid_us",
	};
	size_t n, open;
	struct entry *entries = list_entries(batch_list(app, "executors"), &n);

	if (!entries) {
		(void)cli_no_memory(batch->cli);
		return;
	}
	batch_begin_columns(&c, batch, app);
	for (size_t i = 0; i < n; i++)
		c.most = fmax(c.most, batch_number(entries[i].executor,
						   "paid_us"));
	open = n > MAX_OPEN ? MAX_UNLIKE : n;
	batch_put(out, "<h2>Executors</h2>\n");
	if (batch_is_recorded(app))
		put_coverage(out, app);
	if (open < n)
		cli_print(out, "<p>The %zu that are most unlike the median of "
			  "all %zu, by any column:</p>\n", open, n);
	put_table(out, &c, entries, open);
	if (open < n) {
		cli_print(out, "<details><summary>%zu more</summary>\n",
			  n - open);
		put_table(out, &c, entries + open, n - open);
		batch_put(out, "</details>\n");
	}
	free(entries);
}
