/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the metrics of the inputs for --event list, and the facts about each
 * input for --info, as text and as JSON.  cli_are_unlike() reports two profiles
 * of a comparison, one of which lacks the metric.  Called by cli.c.
 */
#include "cli/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TIME_SIZE = 32 };

/* false: it is not known. */
static bool format_time(int64_t ns, char text[TIME_SIZE])
{
	time_t seconds = ns / 1000000000;
	struct tm tm;

	return ns != FLAME_NOTIME && gmtime_r(&seconds, &tm) &&
	       strftime(text, TIME_SIZE, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

static void print_time(int64_t ns)
{
	char text[TIME_SIZE];

	printf(" %20s", format_time(ns, text) ? text : "-");
}

void cli_print_events(const struct flame *flame)
{
	printf("%-32s %12s %16s %-8s %20s %20s %8s %9s\n", "event",
	       "samples", "total", "unit", "first", "last", "threads",
	       "no stack");
	for (unsigned i = 1; i <= flame_metrics(flame); i++) {
		const struct flame_metric *m = flame_metric_of(flame, i);
		char name[512], unit[64];

		flame_visible(name, sizeof(name), m->name, strlen(m->name));
		flame_visible(unit, sizeof(unit), m->unit, strlen(m->unit));
		printf("%-32s %12" PRIu64 " %16" PRId64 " %-8s", name,
		       m->samples, m->total, unit);
		print_time(m->first);
		print_time(m->last);
		if (m->threads)
			printf(" %8" PRIu64, m->threads);
		else
			printf(" %8s", "-");
		printf(" %9" PRIu64 "\n", m->no_stack);
	}
}

static bool print_visible(const struct cli *cli, const char *text)
{
	char *shown = cli_visible(text, strlen(text));

	if (!shown)
		return cli_no_memory(cli);
	flame_hide_secrets(shown, false);
	fputs(shown, stdout);
	free(shown);
	return true;
}

bool cli_print_facts(const struct cli *cli, const struct flame_source *source,
		     const char *path)
{
	const struct flame_fact *facts;
	size_t n = flame_facts(source, &facts);
	bool good = print_visible(cli, path);

	printf(": %s\n", flame_source_format(source));
	for (size_t i = 0; i < n; i++) {
		printf("  %-16s ", facts[i].key);
		good &= print_visible(cli, facts[i].value);
		printf("\n");
	}
	return good;
}

/* JSON ------------------------------------------------------------------- */

static bool add_integer(cJSON *to, const char *key, int64_t n)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, n);
	return cJSON_AddRawToObject(to, key, text);
}

static bool add_time(cJSON *to, const char *key, int64_t ns)
{
	char text[TIME_SIZE];

	return !format_time(ns, text) || cJSON_AddStringToObject(to, key, text);
}

static bool add_event(cJSON *list, const struct flame_metric *m)
{
	cJSON *event = cJSON_CreateObject();

	return cJSON_AddItemToArray(list, event) &&
	       cli_add_text(event, "event", m->name) &&
	       add_integer(event, "samples", (int64_t)m->samples) &&
	       add_integer(event, "total", m->total) &&
	       cli_add_text(event, "unit", m->unit) &&
	       add_time(event, "first", m->first) &&
	       add_time(event, "last", m->last) &&
	       (!m->threads ||
		add_integer(event, "threads", (int64_t)m->threads)) &&
	       add_integer(event, "no_stack", (int64_t)m->no_stack);
}

/* A text of an input without the secrets of URLs. */
static bool add_hidden(cJSON *to, const char *key, const char *text)
{
	char *copy = strdup(text);
	bool good = copy;

	if (copy)
		flame_hide_secrets(copy, false);
	good = good && cli_add_text(to, key, copy);
	free(copy);
	return good;
}

bool cli_add_facts(cJSON **inputs, const struct flame_source *source,
		   const char *path)
{
	const struct flame_fact *facts;
	size_t n = flame_facts(source, &facts);
	cJSON *input = cJSON_CreateObject(), *list;
	bool good;

	if (!*inputs)
		*inputs = cJSON_CreateArray();
	good = cJSON_AddItemToArray(*inputs, input) &&
	       add_hidden(input, "path", path) &&
	       cJSON_AddStringToObject(input, "format",
				       flame_source_format(source));
	list = good ? cJSON_AddArrayToObject(input, "facts") : NULL;
	good = list;
	for (size_t i = 0; good && i < n; i++) {
		cJSON *fact = cJSON_CreateObject();

		good = cJSON_AddItemToArray(list, fact) &&
		       cli_add_text(fact, "fact", facts[i].key) &&
		       add_hidden(fact, "value", facts[i].value);
	}
	return good;
}

bool cli_json_events(const struct flame *flame, cJSON *inputs)
{
	cJSON *head = cli_json(inputs ? "facts" : "events"), *list;
	bool good = head;
	char *text;

	good = good && (!inputs ||
			cJSON_AddItemToObject(head, "inputs", inputs));
	list = good ? cJSON_AddArrayToObject(head, "events") : NULL;
	good = list;
	for (unsigned i = 1; good && i <= flame_metrics(flame); i++)
		good = add_event(list, flame_metric_of(flame, i));
	text = good ? cJSON_Print(head) : NULL;
	if (text)
		puts(text);
	cJSON_free(text);
	cJSON_Delete(head);
	return text;
}

/* ------------------------------------------------------------------------- */

struct cli_counts cli_count_metrics(const struct flame *flame)
{
	struct cli_counts counts = { .n = flame_metrics(flame) + 1 };

	counts.samples = calloc(counts.n, sizeof(*counts.samples));
	for (unsigned i = 0; counts.samples && i < counts.n; i++) {
		const struct flame_metric *m = flame_metric_of(flame, i);

		counts.samples[i] = m->samples - m->no_stack;
	}
	return counts;
}

static bool lacks_metric(const struct cli *cli, const struct flame *flame,
			 const struct cli_counts *from,
			 const struct cli_counts *to, const char *metric,
			 const char *input)
{
	char there[512] = "";

	for (unsigned i = 1; i < to->n; i++) {
		const char *name = flame_metric_of(flame, i)->name;
		uint64_t n = to->samples[i] -
			     (i < from->n ? from->samples[i] : 0);
		size_t size = strlen(there);

		if (n && strcmp(name, metric) == 0)
			return false;
		if (n)
			snprintf(there + size, sizeof(there) - size,
				 "%s%s %" PRIu64, size ? ", " : "", name, n);
	}
	if (there[0])
		cli_say(cli, "%s has no %s; it has %s: choose one that both "
			"have by --event (--empty ok compares with nothing)", input,
			metric, there);
	return there[0];
}

static bool has_none(const struct cli_counts *from, const struct cli_counts *to)
{
	for (unsigned i = 0; i < to->n; i++)
		if (to->samples[i] != (i < from->n ? from->samples[i] : 0))
			return false;
	return true;
}

bool cli_are_unlike(const struct cli *cli, const struct flame *flame,
		    const struct flame_tree *tree,
		    const struct cli_counts *counts, char **inputs)
{
	const char *metric = cli->event ? cli->event : flame_tree_metric(tree);
	unsigned empty = flame_tree_total(tree, 0) ? 1 : 0;

	const char *input = inputs[empty ? cli->nbefore : 0];

	if (cli->empty_ok || flame_tree_total(tree, empty) ||
	    !flame_tree_total(tree, !empty) || !counts[empty].samples ||
	    !counts[empty + 1].samples)
		return false;
	if (!cli->lenient && has_none(&counts[empty], &counts[empty + 1])) {
		cli_say(cli, "%s: there is no sample in it (--empty ok "
			"compares with nothing)", input);
		return true;
	}
	return metric[0] && lacks_metric(cli, flame, &counts[empty],
					 &counts[empty + 1], metric, input);
}
