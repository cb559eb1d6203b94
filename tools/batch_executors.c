/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The executors of an application: what each was paid for, how its tasks did
 * against others', and whether the profile has seen it.
 */
#include "batch_columns.h"

#include <stdio.h>

/* More are within an element that opens; the sick are always seen. */
enum { MAX_OPEN = 12 };

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

void batch_put_executors(struct flame_text *out, const struct batch *batch,
			 const cJSON *app)
{
	struct batch_columns c = {
		.all = columns, .n = sizeof(columns) / sizeof(*columns),
		.base = "paid_us",
	};
	bool many = cJSON_GetArraySize(batch_list(app, "executors")) > MAX_OPEN;
	const cJSON *e;

	batch_begin_columns(&c, batch, app);
	cJSON_ArrayForEach(e, batch_list(app, "executors"))
		c.most = batch_number(e, "paid_us") > c.most ?
			 batch_number(e, "paid_us") : c.most;
	batch_put(out, "<h2>Executors</h2>\n");
	if (batch_is_recorded(app))
		put_coverage(out, app);
	if (many)
		cli_print(out, "<details><summary>All %d</summary>\n",
			  cJSON_GetArraySize(batch_list(app, "executors")));
	batch_put(out, "<div class=\"wide\"><table>");
	batch_put(out, "<thead><tr>");
	batch_put_heading(out, "Executor", false, NULL);
	batch_put_titles(out, &c);
	batch_put(out, "</tr></thead>\n<tbody>\n");
	cJSON_ArrayForEach(e, batch_list(app, "executors"))
		put_executor(out, &c, e);
	batch_put(out, "</tbody></table></div>\n");
	batch_put(out, many ? "</details>\n" : "");
}
