/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Divides the CPU profile of an application into tasks and works of the JVM's
 * other threads, such as the JIT compiler, which its bill cannot know.
 * batch_add_profile() adds up the records of its pages, and adds to the bill
 * "profile": {samples, unit, parts: [{of, weight}]}.  A work is a part if it
 * has a twentieth; "tasks" is first, "other threads" last.  Called by bill.c.
 */
#include "report/html.h"

#include <stdio.h>
#include <string.h>

enum { MAX_WORKS = 32, MIN_SHARE = 20 };

struct profile {
	double all, tasks;
	const char *unit;
	size_t n;
	struct work {
		const char *name;
		double weight;
	} works[MAX_WORKS];
};

static void add_work(struct profile *p, const cJSON *of)
{
	const char *name = batch_text(of, "work");
	size_t i = 0;

	while (i < p->n && strcmp(p->works[i].name, name) != 0)
		i++;
	if (i == MAX_WORKS)
		return;
	if (i == p->n)
		p->works[p->n++] = (struct work){ .name = name };
	p->works[i].weight += batch_number(of, "weight");
}

static void add_page(struct profile *p, const struct batch_group *page)
{
	const cJSON *metric, *work;

	cJSON_ArrayForEach(metric, batch_list(page->record, "metrics")) {
		if (!batch_list(metric, "beside"))
			continue;
		p->all += batch_number(metric, "weight");
		p->tasks += batch_number(metric, "tasks");
		p->unit = batch_text(metric, "unit");
		cJSON_ArrayForEach(work, batch_list(metric, "beside"))
			add_work(p, work);
	}
}

static bool add_part(cJSON *parts, const char *of, double weight)
{
	cJSON *part = cJSON_CreateObject();

	return part && cJSON_AddItemToArray(parts, part) &&
	       batch_add_text(part, "of", of) &&
	       cJSON_AddNumberToObject(part, "weight", weight);
}

static const struct work *heaviest(const struct profile *p)
{
	const struct work *best = p->works;

	for (size_t i = 1; i < p->n; i++)
		if (p->works[i].weight > best->weight)
			best = &p->works[i];
	return best;
}

static bool add_parts(struct profile *p, cJSON *to)
{
	cJSON *parts = cJSON_AddArrayToObject(to, "parts");
	double least = p->all / MIN_SHARE, rest = p->all - p->tasks;
	bool good = parts && add_part(parts, "tasks", p->tasks);

	while (good && p->n && heaviest(p)->weight >= least) {
		struct work *work = &p->works[heaviest(p) - p->works];

		good = add_part(parts, work->name, work->weight);
		rest -= work->weight;
		work->weight = 0;
	}
	return good && (rest <= 0 || add_part(parts, "other threads", rest));
}

bool batch_add_profile(const struct batch *batch, cJSON *app)
{
	const char *id = batch_text(app, "id");
	struct profile p = { .unit = "" };
	cJSON *to;

	for (size_t i = 0; i < batch->npages; i++) {
		const char *of = batch_key(&batch->pages[i], "app");

		if (strcmp(of, id) == 0 ||
		    (!*of && cJSON_GetArraySize(batch->apps) == 1))
			add_page(&p, &batch->pages[i]);
	}
	if (!(p.tasks > 0) || !p.n ||
	    heaviest(&p)->weight < p.all / MIN_SHARE)
		return true;
	to = cJSON_AddObjectToObject(app, "profile");
	return to && cJSON_AddNumberToObject(to, "samples", p.all) &&
	       batch_add_text(to, "unit", p.unit) && add_parts(&p, to);
}

/* " Of 6256 CPU samples, 28 % are of tasks, 52 % in the JIT compiler, ..." */
void batch_describe_profile(const cJSON *app, char *text, size_t size)
{
	const cJSON *profile = batch_list(app, "profile"), *part;
	double all = batch_number(profile, "samples");
	bool samples = strcmp(batch_text(profile, "unit"), "samples") == 0;
	size_t n = 0;

	*text = '\0';
	if (samples)
		n = (size_t)snprintf(text, size, " Of %.0f CPU samples", all);
	else if (profile)
		n = (size_t)snprintf(text, size, " Of the CPU profile");
	cJSON_ArrayForEach(part, batch_list(profile, "parts")) {
		const char *of = batch_text(part, "of");

		if (n >= size)
			break;
		n += (size_t)snprintf(text + n, size - n, ", %.0f %%%s %s%s",
			100 * batch_number(part, "weight") / all,
			part->prev->next ? "" : samples ? " are" : " is",
			strcmp(of, "tasks") == 0 ||
			strcmp(of, "other threads") == 0 ? "of " : "", of);
	}
	if (profile && n < size)
		snprintf(text + n, size - n, ".");
}
