/* SPDX-License-Identifier: Apache-2.0 */
/*
 * batch_origins() makes the text of the panel Info of a stage's page: when the
 * stage ran, what it was paid for, and the inputs with samples of it.  It is
 * the value of the option "origins" of pages: "NAME\tFORMAT", and a line
 * "\tKEY\tVALUE" of each fact.  Called by batch/stages.c.
 */
#include "report/html.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Text of logs, in one line. */
static void put_fact(FILE *to, const char *key, const char *value)
{
	if (!*value)
		return;
	fprintf(to, "\t%s\t", key);
	for (; *value; value++)
		putc(strchr("\t\n\r", *value) ? ' ' : *value, to);
	putc('\n', to);
}

static void put_cost(FILE *to, const char *key, double us, double all)
{
	if (us <= 0)
		return;
	fprintf(to, "\t%s\t%.1f core-seconds", key, us / 1e6);
	if (all > 0)
		fprintf(to, ", %.1f %%", 100 * us / all);
	putc('\n', to);
}

static void put_when(FILE *to, const cJSON *stage)
{
	double from = batch_number(stage, "submitted");
	double until = batch_number(stage, "completed");
	time_t seconds = (time_t)(from / 1000);
	char when[64];
	struct tm tm;

	if (from <= 0 || !gmtime_r(&seconds, &tm))
		return;
	strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S UTC", &tm);
	put_fact(to, "started", when);
	if (until >= from)
		fprintf(to, "\tduration\t%.1f s\n", (until - from) / 1000);
}

static void put_costs(FILE *to, const cJSON *stage)
{
	double cost = batch_number(stage, "cost_us");
	const cJSON *row;

	put_cost(to, "paid for its tasks", cost, 0);
	put_cost(to, "on a CPU", batch_number(stage, "cpu_us"), cost);
	put_cost(to, "garbage collection", batch_number(stage, "gc_us"), cost);
	put_cost(to, "Python", batch_number(stage, "python_us"), cost);
	put_cost(to, "waiting for a shuffle",
		 batch_number(stage, "fetch_wait_us"), cost);
	cJSON_ArrayForEach(row, batch_list(stage, "operators"))
		put_cost(to, batch_text(row, "name"),
			 batch_number(row, "cost_us"), cost);
}

static void put_stage(FILE *to, const cJSON *app, const cJSON *query,
		      const cJSON *stage)
{
	fprintf(to, "stage %.0f\tSpark's event log\n",
		batch_number(stage, "id"));
	put_fact(to, "application", batch_text(app, "name"));
	put_fact(to, "id", batch_text(app, "id"));
	if (batch_text(query, "name")[0] != '[')
		put_fact(to, "query", batch_text(query, "name"));
	put_fact(to, "call site", batch_text(stage, "name"));
	put_fact(to, "plan", batch_text(stage, "plan"));
	put_when(to, stage);
	fprintf(to, "\ttasks\t%.0f on %.0f executors, %.0f of them profiled\n",
		batch_number(stage, "tasks"), batch_number(stage, "executors"),
		batch_number(stage, "profiled"));
	if (batch_number(stage, "failed") > 0)
		fprintf(to, "\tfailed\t%.0f\n", batch_number(stage, "failed"));
	put_costs(to, stage);
}

static void find_stage(FILE *to, const cJSON *apps, const char *app,
		       double id)
{
	const cJSON *of, *query, *stage;

	cJSON_ArrayForEach(of, batch_list(apps, "apps")) {
		if (*app && strcmp(batch_text(of, "id"), app) != 0)
			continue;
		cJSON_ArrayForEach(query, batch_list(of, "queries"))
			cJSON_ArrayForEach(stage, batch_list(query, "stages"))
				if (batch_number(stage, "id") == id) {
					put_stage(to, of, query, stage);
					return;
				}
	}
}

char *batch_origins(const struct batch_drawing *all, const char *app,
		    const char *stage, const bool *used)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	if (*stage >= '0' && *stage <= '9')
		find_stage(to, all->apps, app, strtod(stage, NULL));
	for (size_t i = 0; i < all->group->n; i++) {
		char *path = used[i] ? batch_shown_path(
					       all->group->inputs[i].path) :
				       NULL;

		if (path)
			fprintf(to, "%s\tinput\n", path);
		free(path);
	}
	return fclose(to) == 0 ? text : NULL;
}
