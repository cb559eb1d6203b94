/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The executors of an application: what each was paid for, how its tasks did
 * against others', and whether the profile has seen it.
 */
#include "batch_html.h"

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

static void put_executor(struct flame_text *out, const cJSON *e,
			 const struct batch_unit *unit, double most)
{
	double paid = batch_number(e, "paid_us");
	double busy = paid - batch_number(e, "idle_us");
	double samples = batch_number(e, "samples");

	put_name(out, e);
	batch_put_bar(out, "Paid", paid / unit->us, unit->digits,
		      most > 0 ? paid / most : 0);
	batch_put_number(out, "Busy %", paid > 0 ? 100 * busy / paid : 0, 0,
			 false);
	batch_put_number(out, "CPU %", paid > 0 ?
			 100 * batch_number(e, "cpu_us") / paid : 0, 0, false);
	batch_put_number(out, "GC", batch_number(e, "gc_us") / unit->us,
			 unit->digits, false);
	batch_put_number(out, "Tasks", batch_number(e, "tasks"), 0, false);
	put_speed(out, e);
	if (samples > 0)
		batch_put_number(out, "Samples", samples, 0, false);
	else
		batch_put(out, "<td class=\"n bad\" data-v=\"0\">not "
			  "profiled</td>");
	batch_put(out, "</tr>\n");
}

static void put_headings(struct flame_text *out, const struct batch_unit *unit)
{
	char paid[48];

	snprintf(paid, sizeof(paid), "Paid, %s", unit->name);
	batch_put(out, "<thead><tr>");
	batch_put_heading(out, "Executor", false);
	batch_put_heading(out, paid, true);
	batch_put_heading(out, "Busy %", true);
	batch_put_heading(out, "CPU %", true);
	batch_put_heading(out, "GC", true);
	batch_put_heading(out, "Tasks", true);
	batch_put_heading(out, "Task time against others", true);
	batch_put_heading(out, "Samples", true);
	batch_put(out, "</tr></thead>\n<tbody>\n");
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

void batch_put_executors(struct flame_text *out, const cJSON *app)
{
	struct batch_unit unit = batch_unit_of(app);
	bool many = cJSON_GetArraySize(batch_list(app, "executors")) > MAX_OPEN;
	double most = 0;
	const cJSON *e;

	cJSON_ArrayForEach(e, batch_list(app, "executors"))
		most = batch_number(e, "paid_us") > most ?
		       batch_number(e, "paid_us") : most;
	batch_put(out, "<h2>Executors</h2>\n");
	if (batch_is_recorded(app))
		put_coverage(out, app);
	if (many)
		cli_print(out, "<details><summary>All %d</summary>\n",
			  cJSON_GetArraySize(batch_list(app, "executors")));
	batch_put(out, "<div class=\"wide\"><table>");
	put_headings(out, &unit);
	cJSON_ArrayForEach(e, batch_list(app, "executors"))
		put_executor(out, e, &unit, most);
	batch_put(out, "</tbody></table></div>\n");
	batch_put(out, many ? "</details>\n" : "");
}
