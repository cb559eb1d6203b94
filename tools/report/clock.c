/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two parts of the report of an application: its time, by what its end waited
 * for, as a bar (batch_put_clock()), and the changes that would end it sooner,
 * by replays of its log (batch_sooner()).  libflame/spark/what_if.c makes the
 * replays; the application's bill, which comes in, has their results.  Called
 * by report.c and digest.c.
 */
#include "report/html.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A part of the bar; class: its colour, as in the bar of the bill. */
static const struct part {
	const char *class, *name;
	const char *causes[6];
} parts[] = {
	{ "idle", "before the first task", { "start" } },
	{ "driver", "driver", { "driver" } },
	{ "unended", "no executor", { "executors" } },
	{ "overhead", "launching tasks", { "pending", "schedule" } },
	{ "cpu", "tasks on a CPU", { "cpu" } },
	{ "python", "Python", { "python" } },
	{ "gc", "garbage collection", { "gc" } },
	{ "wait", "tasks waiting", { "wait", "fetch", "write", "deserialize",
				     "serialize" } },
	{ "lost", "failed tasks", { "lost", "unended" } },
	{ "unknown", "unknown", { "unknown" } },
};

enum { NPARTS = sizeof(parts) / sizeof(parts[0]), MAX_CHANGES = 3 };

static double part_us(const cJSON *app, const struct part *part)
{
	const cJSON *cause;
	double us = 0;

	cJSON_ArrayForEach(cause, batch_list(app, "causes"))
		for (int i = 0; i < 6 && part->causes[i]; i++)
			if (strcmp(batch_text(cause, "key"),
				   part->causes[i]) == 0)
				us += batch_number(cause, "wall_us");
	return us;
}

/* What the driver's stacks show, where it was recorded. */
static void put_stacks(struct flame_text *out, const cJSON *app,
		       const struct part *part)
{
	const cJSON *cause;

	cJSON_ArrayForEach(cause, batch_list(app, "causes")) {
		if (strcmp(batch_text(cause, "key"), part->causes[0]) != 0 ||
		    !*batch_text(cause, "frame"))
			continue;
		cli_print(out, "; %.0f %% of its stacks in ",
			  batch_number(cause, "frame_ppm") / 1e4);
		batch_put_escaped(out, batch_short_name(batch_text(cause,
							"frame")));
	}
}

static void put_bar(struct flame_text *out, const cJSON *app, double wall)
{
	double x = 0;

	batch_put(out, "<svg class=\"parts\" width=\"100%\" height=\"22\" "
		  "role=\"img\" aria-label=\"what the end waited for, as "
		  "listed below\">");
	for (size_t i = 0; i < NPARTS; i++)
		batch_put_slice(out, parts[i].class, parts[i].name, &x,
				100 * part_us(app, &parts[i]) / wall);
	batch_put(out, "</svg>\n<ul class=\"key\">\n");
	for (size_t i = 0; i < NPARTS; i++) {
		double us = part_us(app, &parts[i]);

		if (us <= 0)
			continue;
		batch_put(out, "<li>");
		batch_put_swatch(out, parts[i].class);
		cli_print(out, "%s<i>", parts[i].name);
		batch_put_duration(out, us / 1e6);
		cli_print(out, ", %.1f %%", 100 * us / wall);
		put_stacks(out, app, &parts[i]);
		batch_put(out, "</i></li>\n");
	}
	batch_put(out, "</ul>\n");
}

/* Changes ------------------------------------------------------------------ */

/* Those that are compared: at half the time, with twice the cores. */
static bool is_compared(const cJSON *change)
{
	const char *key = batch_text(change, "key");
	double factor = batch_number(change, "factor");

	if (strcmp(key, "cores") == 0)
		return factor == 2;
	return strcmp(key, "frame") != 0 && strcmp(key, "stage") != 0 &&
	       strcmp(key, "query") != 0 ? true : factor == .5;
}

/* A stage and its query are one kind of change. */
static char kind_of(const cJSON *change)
{
	const char *key = batch_text(change, "key");

	return strcmp(key, "stage") == 0 ? 'q' : key[0];
}

/* The best of a kind that is not in a list, heaviest first. */
static const cJSON *next_change(const cJSON *app, const char *kinds)
{
	double least = batch_number(app, "wall_us") / 100;
	const cJSON *change, *best = NULL;

	cJSON_ArrayForEach(change, batch_list(app, "changes")) {
		double sooner = batch_number(change, "sooner_us");

		if (!is_compared(change) || strchr(kinds, kind_of(change)) ||
		    sooner < least)
			continue;
		if (!best || sooner > batch_number(best, "sooner_us"))
			best = change;
	}
	return best;
}

static void print_name(FILE *to, const cJSON *change)
{
	const char *key = batch_text(change, "key");
	const char *name = batch_text(change, "name");

	if (strcmp(key, "frame") == 0)
		fprintf(to, "%s twice as fast", batch_short_name(name));
	else if (strcmp(key, "query") == 0)
		fprintf(to, "%s twice as fast", *name == '[' ?
			"stages without a query" : name);
	else if (strcmp(key, "stage") == 0)
		fprintf(to, "stage %.0f twice as fast",
			batch_number(change, "stage"));
	else if (strcmp(key, "even") == 0)
		fprintf(to, "even tasks in stage %.0f",
			batch_number(change, "stage"));
	else if (strcmp(key, "cores") == 0)
		fputs("twice the executors", to);
	else
		fputs(strcmp(key, "gc") == 0 ? "no garbage collection" :
			"no failed task or lost executor", to);
}

static void print_change(FILE *to, const cJSON *app, const cJSON *change)
{
	double sooner = batch_number(change, "sooner_us");
	double before = batch_number(app, "replayed_paid_us");
	double less = before > 0 ? 100 - 100 * batch_number(change, "paid_us") /
					 before : 0;

	print_name(to, change);
	fprintf(to, ": ends %.1f s sooner (%.0f %%)", sooner / 1e6,
		100 * sooner / batch_number(app, "wall_us"));
	if (fabs(less) >= .5)
		fprintf(to, ", costs %.0f %% %s", fabs(less),
			less > 0 ? "less" : "more");
}

char *batch_sooner(const cJSON *app)
{
	char kinds[MAX_CHANGES + 1] = "", *text = NULL;
	double wall = batch_number(app, "wall_us");
	const cJSON *change;
	size_t size, n = 0;
	FILE *to;

	if (!(wall > 0) || !cJSON_GetArraySize(batch_list(app, "changes")) ||
	    !(to = open_memstream(&text, &size)))
		return NULL;
	while (n < MAX_CHANGES && (change = next_change(app, kinds))) {
		kinds[n] = kind_of(change);
		fputs(n++ ? "; " : "", to);
		print_change(to, app, change);
	}
	if (!n)
		fprintf(to, "No faster task and no more executors end it "
			"sooner: the driver works alone for %.0f %% of the "
			"time", 100 * (part_us(app, &parts[0]) +
				       part_us(app, &parts[1])) / wall);
	return fclose(to) == 0 ? text : NULL;
}

void batch_put_clock(struct flame_text *out, const cJSON *app)
{
	double wall = batch_number(app, "wall_us");
	double error = batch_number(app, "replayed_us") - wall;
	char *text;

	if (!(wall > 0))
		return;
	batch_put(out, "<p class=\"lead\"><b>");
	batch_put_duration(out, wall / 1e6);
	batch_put(out, "</b> from start to end, by what the end waited for"
		  "</p>\n");
	put_bar(out, app, wall);
	text = batch_sooner(app);
	if (!text)
		return;
	batch_put(out, "<p>Sooner: ");
	batch_put_escaped(out, text);
	cli_print(out, ". <small>By replays of the log, whose own error is "
		  "%.1f %%.</small></p>\n", 100 * fabs(error) / wall);
	free(text);
}
