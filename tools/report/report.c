/* SPDX-License-Identifier: Apache-2.0 */
/*
 * batch_put_report() writes the report of an application into the index: what
 * was paid and for what, what stands out, when stages ran, and the tables.  The
 * application's bill comes in.  clock.c, timeline.c, rows.c and executors.c
 * write its parts.  Called by index.c.
 */
#include "report/html.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static const struct batch_part parts[] = {
	{ "cpu", "tasks on a CPU", "CPU time of tasks, as the log has it" },
	{ "python", "Python", "tasks that wait for their Python workers" },
	{ "gc", "garbage collection", "tasks stopped by the JVM's collector" },
	{ "wait", "waiting", "the rest of the time in tasks: for disks, the "
	  "network, locks, and for a CPU" },
	{ "unknown", "unknown", "tasks whose metrics are not in the log, as "
	  "they or their executor ended badly" },
	{ "overhead", "task overhead", "from launch to finish, beyond the "
	  "time that the task ran" },
	{ "unended", "tasks without an end", "running when their executor or "
	  "the application ended" },
	{ "idle", "idle", "cores that were paid and ran no task" },
};

enum { NPARTS = sizeof(parts) / sizeof(parts[0]) };

const struct batch_part *batch_part_at(size_t i)
{
	return i < NPARTS ? &parts[i] : NULL;
}

double batch_part_us(const cJSON *app, size_t i)
{
	char key[32];

	snprintf(key, sizeof(key), "%s_us", parts[i].key);
	return batch_number(app, key);
}

double batch_ready_us(const cJSON *app)
{
	const cJSON *executor;
	double us = 0, all = batch_number(app, "wait_us");

	cJSON_ArrayForEach(executor, batch_list(app, "executors"))
		us += batch_number(executor, "ready_us");
	return us < all ? us : all;
}

static void put_bar(struct flame_text *out, const cJSON *app, double paid)
{
	const struct batch_unit unit = batch_unit_of(app);
	const double ready = batch_ready_us(app);

	double x = 0;

	batch_put(out, "<svg class=\"parts\" width=\"100%\" height=\"22\" "
		  "role=\"img\" "
		  "aria-label=\"what was paid for, as listed below\">");
	for (size_t i = 0; i < NPARTS; i++)
		batch_put_slice(out, parts[i].key, parts[i].name, &x,
				100 * batch_part_us(app, i) / paid);
	batch_put(out, "</svg>\n<ul class=\"key\">\n");
	for (size_t i = 0; i < NPARTS; i++) {
		double us = batch_part_us(app, i);

		if (us <= 0)
			continue;
		cli_print(out, "<li title=\"%s\">", parts[i].why);
		batch_put_swatch(out, parts[i].key);
		cli_print(out, "%s<i>", parts[i].name);
		batch_put_grouped(out, us / unit.us, unit.digits);
		cli_print(out, ", %.1f %%", 100 * us / paid);
		if (ready > 0 && strcmp(parts[i].key, "wait") == 0) {
			batch_put(out, ", of it for a CPU ");
			batch_put_grouped(out, ready / unit.us, unit.digits);
		}
		batch_put(out, "</i></li>\n");
	}
	batch_put(out, "</ul>\n");
}

void batch_when(const cJSON *app, char *when, size_t size)
{
	time_t seconds = (time_t)(batch_number(app, "started") / 1000);
	struct tm tm;

	when[0] = '\0';
	if (seconds > 0 && gmtime_r(&seconds, &tm))
		strftime(when, size, "%Y-%m-%d %H:%M:%S UTC", &tm);
}

static void put_when(struct flame_text *out, const cJSON *app)
{
	char when[64];

	batch_when(app, when, sizeof(when));
	if (!*when)
		return;
	cli_print(out, " · %s · ", when);
	batch_put_duration(out, (batch_number(app, "ended") -
				 batch_number(app, "started")) / 1000);
	if (batch_number(app, "cut"))
		batch_put(out, ", as far as the log goes");
}

static void put_about(struct flame_text *out, const cJSON *app)
{
	int n = cJSON_GetArraySize(batch_list(app, "executors"));

	batch_put(out, "<p class=\"note\">");
	batch_put_escaped(out, batch_text(app, "id"));
	put_when(out, app);
	if (*batch_text(app, "spark")) {
		batch_put(out, " · Spark ");
		batch_put_escaped(out, batch_text(app, "spark"));
	}
	cli_print(out, " · %d executor%s, %.0f core%s at most</p>\n", n,
		  n == 1 ? "" : "s", batch_count_cores(app),
		  batch_count_cores(app) == 1 ? "" : "s");
}

static void put_coverage(struct flame_text *out, const struct batch *batch,
			 const cJSON *app)
{
	char text[320], profile[320];

	batch_describe_coverage(batch, app, text, sizeof(text));
	batch_describe_profile(app, profile, sizeof(profile));
	cli_print(out, "<p class=\"note\">%s.%s</p>\n", text, profile);
	if (batch_is_recorded(app))
		return;
	batch_put(out, "<p class=\"note\">Stacks of the next run: on each "
		  "host of its executors <code>" BATCH_RECORD " -o HOST.html"
		  "</code>, or the agent of flame-spark(7); then <code>"
		  "flame-batch --spark-events LOG -o SITE FILE...</code></p>\n");
}

static void put_paid(struct flame_text *out, const struct batch *batch,
		     const cJSON *app, double paid)
{
	struct batch_unit money = batch_money_of(batch, app);

	batch_put(out, "<p class=\"lead\"><b>");
	batch_put_grouped(out, paid / batch_unit_of(app).us,
			  batch_unit_of(app).digits);
	cli_print(out, "</b> %s paid", batch_unit_of(app).name);
	if (money.us > 0) {
		batch_put(out, ", <b>");
		batch_put_grouped(out, paid / money.us, money.digits);
		cli_print(out, "</b> at %.10g an hour of a core", batch->price);
	}
	batch_put(out, "</p>\n");
}

static void put_finding(struct flame_text *out, const cJSON *finding)
{
	const char *page = batch_text(finding, "page");

	batch_put(out, "<li>");
	if (*page) {
		batch_put(out, "<a href=\"");
		batch_put_escaped(out, page);
		batch_put(out, "\">");
	}
	batch_put_escaped(out, batch_text(finding, "text"));
	batch_put(out, *page ? "</a>" : "");
	if (*batch_text(finding, "try")) {
		batch_put(out, "<small>");
		batch_put_escaped(out, batch_text(finding, "try"));
		batch_put(out, "</small>");
	}
	batch_put(out, "</li>\n");
}

static void put_findings(struct flame_text *out, const cJSON *app)
{
	const cJSON *findings = batch_list(app, "findings");
	const cJSON *finding;

	if (!cJSON_GetArraySize(findings))
		return;
	batch_put(out, "<h2>What stands out</h2>\n<ul class=\"finds\">\n");
	cJSON_ArrayForEach(finding, findings)
		put_finding(out, finding);
	batch_put(out, "</ul>\n");
}

void batch_put_report(struct flame_text *out, const struct batch *batch,
		      const cJSON *app, size_t number, bool large)
{
	double paid = batch_number(app, "paid_us");

	put_about(out, app);
	put_coverage(out, batch, app);
	if (paid > 0) {
		put_paid(out, batch, app, paid);
		put_bar(out, app, paid);
	}
	batch_put_clock(out, app);
	put_findings(out, app);
	batch_put_timeline(out, batch, app);
	batch_put(out, "<h2>Where it went</h2>\n");
	if (!number)
		batch_put_filter(out);
	batch_put_table(out, batch, app, number, large);
	batch_put_executors(out, batch, app);
}
