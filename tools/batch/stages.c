/* SPDX-License-Identifier: Apache-2.0 */
/*
 * batch_draw_stages() draws the pages of a group of flame-batch whose samples
 * have keys.  read.c has divided its samples by these keys (flame_split), of
 * which the stage is that of the event log with --spark-events.  Each key has a
 * page, and so have the samples without it, and those of several stages at
 * once.  Called by page.c.
 */
#include "batch/batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A part, by the keys of its page. */
struct page {
	struct batch_input as;	/* first: to be compared */
	size_t part;
	bool named[BATCH_MAX_KEYS];	/* it has the key, or one like it has */
};

/* The pages of a group, as they are made. */
struct stages {
	struct page *parts;	/* sorted: a run of equal keys has a page */
	size_t n;
	char **names;		/* of pages, so far */
	size_t nnames;
};

/* Names --------------------------------------------------------------- */

/* "stage-3", "no-task": of the keys that the group has not. */
static char *own_name(const struct batch *batch,
		      const struct batch_input *page,
		      const struct batch_input *group)
{
	struct batch_input own = { .path = NULL };
	char empty[1] = "", *name, *to;

	for (size_t i = 0; i < batch->nkeys; i++)
		own.values[i] = *group->values[i] ? empty : page->values[i];
	for (size_t i = 0; i < batch->nkeys; i++)
		if (*own.values[i])
			break;
		else if (i + 1 == batch->nkeys)
			return strdup("");
	name = to = batch_title(batch, &own, '-');
	for (const char *c = name; c && *c; c++)
		if (*c != '[' && *c != ']')
			*to++ = *c == ' ' ? '-' : *c;
	if (name) {
		*to = '\0';
		batch_make_safe(name);
	}
	return name;
}

/* Whether the name could be that of another group's page. */
static bool is_of_other(const struct batch_drawing *d, const char *name)
{
	const struct batch *batch = d->batch;

	for (size_t i = 0; i < batch->ngroups; i++) {
		const char *other = batch->groups[i].name;
		size_t size = strlen(other);

		if (&batch->groups[i] != d->group &&
		    strncasecmp(other, name, size) == 0 &&
		    (!name[size] || name[size] == '-'))
			return true;
	}
	return false;
}

static char *join(const char *a, const char *b)
{
	char *joined;

	return asprintf(&joined, "%s%s%s", a, *a && *b ? "-" : "", b) < 0 ?
	       NULL : joined;
}

/* "app-1-stage-3"; those of which nothing was known are not "all-...". */
static bool name_page(const struct batch_drawing *d, struct stages *s,
		      const struct batch_input *page)
{
	const struct batch_input *group = d->group->inputs;
	char *own = own_name(d->batch, page, group), *base, *name;
	bool known = false;

	for (size_t i = 0; i < d->batch->nkeys; i++)
		known |= *group->values[i] != '\0';
	if (!own)
		return false;
	base = join(known || !*own || is_of_other(d, own) ?
		    d->group->name : "", own);
	free(own);
	name = base ? batch_unique(base, s->names, s->nnames) : NULL;
	free(base);
	if (name)
		s->names[s->nnames++] = name;
	return name;
}

/* Pages --------------------------------------------------------------- */

static const char *value_of(const struct batch *batch,
			    const struct batch_input *page, const char *key)
{
	for (size_t i = 0; i < batch->nkeys; i++)
		if (strcmp(batch->keys[i], key) == 0)
			return page->values[i];
	return "";
}

static bool add_stage(const struct batch_drawing *d, cJSON *record,
		      flame_id labels)
{
	cJSON *stage = cJSON_AddObjectToObject(record, "stage");
	const char *name = batch_label_text(d, labels, "stage-name");
	const char *query = batch_label_text(d, labels, "query");

	return stage && batch_add_text(stage, "name", name) &&
	       (!*query || batch_add_text(stage, "query", query)) &&
	       batch_add_number(stage, "tasks",
				strtoll(batch_label_text(d, labels, "stage-tasks"),
					NULL, 10));
}

/* Call sites within Spark say nothing of the query. */
bool batch_is_generated(const char *name)
{
	return *name == '$' || strstr(name, "NativeMethodAccessorImpl");
}

/* "app-1 stage 3: collect at job.py:19, 200 tasks" */
static char *heading_of(const struct batch_drawing *d, const char *title,
			const char *name, flame_id labels)
{
	const char *tasks = batch_label_text(d, labels, "stage-tasks");
	char *heading;

	if (asprintf(&heading, "%s%s%s%s%s%s", title,
		     *name ? ": " : "", name, *tasks ? ", " : "", tasks,
		     !*tasks ? "" : strcmp(tasks, "1") == 0 ? " task" :
							      " tasks") < 0)
		return NULL;
	return heading;
}

enum { MAX_QUERY = 300 };

/* In one line, and shortened if it is long. */
static char *shorten(const char *text)
{
	char *query = cli_visible(text, strlen(text));
	size_t n = MAX_QUERY;

	if (!query || strlen(query) <= MAX_QUERY)
		return query;
	while (((unsigned char)query[n] & 0xc0) == 0x80)
		n--;
	strcpy(query + n, "...");
	return query;
}

/* The labels of the samples of a page have its stage. */
static bool draw_page(struct batch_drawing *d, const struct batch_input *as)
{
	const struct flame_part *first = flame_split_at(d->split, *d->parts);
	/* Samples of no stage, or of several, have no stage name. */
	const char *stage = value_of(d->batch, as, "stage");
	flame_id labels = d->batch->nlogs && *stage && *stage != '[' ?
			  first->labels[first->nlabels - 1] : 0;
	const char *name = batch_label_text(d->all, labels, "stage-name");
	const char *text = batch_label_text(d->all, labels, "query");
	bool by_query = *text && batch_is_generated(name);
	char *query = shorten(text), *origins = NULL;
	char *heading = heading_of(d->all, d->group->title, by_query && query ?
				   query : name, labels);
	struct batch_seen seen = { .n = 0 };
	bool good = heading && query && batch_see(d, &seen);

	if (good)
		origins = batch_origins(d->all, value_of(d->batch, as, "app"),
					stage, seen.inputs);
	d->heading = heading;
	d->query = !by_query && query && *query ? query : NULL;
	d->origins = origins;
	good = origins && batch_add_head(d, as) &&
	       (!labels || add_stage(d->all, d->record, labels)) &&
	       batch_finish_page(d, &seen);
	d->heading = d->query = d->origins = NULL;
	free(heading);
	free(query);
	free(origins);
	batch_free_seen(&seen);
	return good;
}

/* To the index and to the pages before and after; to be freed. */
static char *link_page(const struct stages *s, size_t i)
{
	const char *before = i ? s->names[i - 1] : NULL;
	const char *after = i + 1 < s->nnames ? s->names[i + 1] : NULL;
	char *links;

	return asprintf(&links, "%s%s%s%s%s%s%s", BATCH_LINK_UP,
			before ? "prev\t" : "", before ? before : "",
			before ? ".html\t‹ previous\n" : "",
			after ? "next\t" : "", after ? after : "",
			after ? ".html\tnext ›\n" : "") < 0 ? NULL : links;
}

static bool draw_parts(struct batch_drawing *d, const struct batch_input *as)
{
	if (!d->group->name || !d->group->title || !d->record || !d->flame ||
	    !d->links ||
	    !batch_add_number(d->record, "lost",
			      batch_count_lost(d->all->record)))
		return false;
	flame_process_limit(d->flame, d->all->memory);
	flame_threads(d->flame, d->all->threads);
	d->trees = flame_trees_new(d->flame);
	return d->trees && draw_page(d, as);
}

/*
 * One page, of the parts from `from`, with a dictionary of its own: its cost
 * grows with the page, not with all that was read.
 */
static bool make_page(struct batch_drawing *all, const struct stages *s,
		      size_t i, size_t from, size_t n)
{
	const struct batch_input *as = &s->parts[from].as;
	char *title = batch_title(all->batch, as, ' ');
	char *links = link_page(s, i);
	struct batch_group group = *all->group;
	struct batch_drawing d = {
		.batch = all->batch, .group = &group, .flame = flame_new(),
		.all = all, .split = all->split, .parts = all->order + from,
		.nparts = n, .record = cJSON_CreateObject(),
		.events = all->events, .bytes = all->bytes, .links = links,
	};
	bool good;

	group.name = s->names[i];
	group.title = title;
	good = draw_parts(&d, as);
	if (!good && d.flame)
		snprintf(all->message, sizeof(all->message), "%s",
			 flame_error(d.flame));
	flame_trees_free(d.trees);
	flame_free(d.flame);
	cJSON_Delete(d.record);
	free(title);
	free(links);
	return good;
}

/* Keys of the pages -------------------------------------------------- */

/* The page's value of a key: that of its samples, else of the path. */
static const char *page_value(const struct batch_drawing *d, flame_id keys,
			      size_t i)
{
	const char *key = d->batch->keys[i];
	const char *value = batch_label_text(d, keys, key);

	if (strcmp(key, "stage") == 0)
		return strchr(value, '+') ? "[several stages]" : value;
	return *value ? value : d->group->inputs->values[i];
}

static bool fill_page(const struct batch_drawing *d, struct page *page,
		      size_t part)
{
	flame_id keys = flame_split_at(d->split, part)->keys;
	bool good = true;

	*page = (struct page){ .part = part };
	for (size_t i = 0; i < d->batch->nkeys; i++) {
		page->as.values[i] = strdup(page_value(d, keys, i));
		good = good && page->as.values[i];
	}
	return good;
}

static int by_key(const void *a, const void *b)
{
	const struct page *x = a, *y = b;
	int d = batch_compare_keys(&x->as, &y->as);

	return d ? d : (x->part > y->part) - (x->part < y->part);
}

/* Pages of an unknown app or executor are not called "[no app]". */
static bool may_be_named(const struct batch *batch, size_t i)
{
	const char *key = batch->keys[i];

	return strcmp(key, "app") != 0 && strcmp(key, "executor") != 0 &&
	       (!batch->nlogs || strcmp(key, "stage") != 0);
}

/*
 * A page without a value of a key is called "[no stage]" if other pages, with
 * the same values of the keys before it, have one.  Pages are sorted, and an
 * empty value comes first.
 */
static void find_told(const struct batch *batch, struct page *pages, size_t n)
{
	for (size_t p = n; p--;) {
		bool same = p + 1 < n;

		for (size_t i = 0; i < batch->nkeys; i++) {
			const char *value = pages[p].as.values[i];

			pages[p].named[i] = *value ||
					   (same && pages[p + 1].named[i]);
			same = same &&
			       strcmp(value, pages[p + 1].as.values[i]) == 0;
		}
	}
}

static bool name_missing(const struct batch *batch, struct page *page)
{
	for (size_t i = 0; i < batch->nkeys; i++) {
		char *name;

		if (*page->as.values[i] || !page->named[i] ||
		    !may_be_named(batch, i))
			continue;
		if (asprintf(&name, "[no %s]", batch->keys[i]) < 0)
			return false;
		free(page->as.values[i]);
		page->as.values[i] = name;
	}
	return true;
}

/* Fills the pages' keys and sorts the pages by them. */
static bool sort_pages(const struct batch_drawing *d, struct stages *s)
{
	struct page *pages = s->parts;
	size_t n = s->n;
	bool good = true;

	for (size_t i = 0; good && i < n; i++)
		good = fill_page(d, &pages[i], i);
	if (!good)
		return false;
	qsort(pages, n, sizeof(*pages), by_key);
	find_told(d->batch, pages, n);
	for (size_t i = 0; good && i < n; i++)
		good = name_missing(d->batch, &pages[i]);
	qsort(pages, n, sizeof(*pages), by_key);
	return good;
}

static bool add_name(cJSON *names, const char *name)
{
	cJSON *item = cJSON_CreateString(name);

	return item && cJSON_AddItemToArray(names, item);
}

/* Warns of keys that no sample has, which are likely misspelt. */
static bool report_unseen(const struct batch_drawing *d,
			  const struct stages *s)
{
	const struct batch *batch = d->batch;
	cJSON *unseen = NULL;
	bool good = true;

	for (size_t i = 0; i < batch->nkeys && good; i++) {
		bool seen = batch->kinds[i] != BATCH_OF_SAMPLES ||
			    !may_be_named(batch, i) || !s->n;

		for (size_t p = 0; p < s->n && !seen; p++)
			seen = *s->parts[p].as.values[i];
		if (seen)
			continue;
		if (!batch->cli->quiet)
			cli_say(batch->cli, "%s: no sample has a label %s",
				d->group->title, batch->keys[i]);
		if (!unseen)
			unseen = cJSON_AddArrayToObject(d->record, "unseen");
		good = unseen && add_name(unseen, batch->keys[i]);
	}
	return good || cli_no_memory(batch->cli);
}

/* The end of the run of parts that one page has. */
static size_t end_of_run(const struct stages *s, size_t from)
{
	size_t to = from + 1;

	while (to < s->n &&
	       batch_compare_keys(&s->parts[from].as, &s->parts[to].as) == 0)
		to++;
	return to;
}

static bool make_pages(struct batch_drawing *d, struct stages *s)
{
	cJSON *names = cJSON_AddArrayToObject(d->record, "pages");
	size_t from, to, i = 0;
	bool good = names && sort_pages(d, s);

	if (!good)
		return cli_no_memory(d->batch->cli);
	for (from = 0; from < s->n; from++)
		d->order[from] = s->parts[from].part;
	good = report_unseen(d, s);
	for (from = 0; good && from < s->n; from = end_of_run(s, from))
		good = name_page(d, s, &s->parts[from].as);
	for (from = 0; good && from < s->n; from = to, i++) {
		to = end_of_run(s, from);
		good = make_page(d, s, i, from, to - from) &&
		       add_name(names, s->names[i]);
	}
	return good;
}

static bool draw_pages(struct batch_drawing *d)
{
	struct stages s = { .n = d->nparts };
	bool good;

	s.parts = calloc(s.n + 1, sizeof(*s.parts));
	s.names = calloc(s.n + 1, sizeof(*s.names));
	d->events = batch_list_events(d);
	good = (s.parts && s.names && d->events) ||
	       cli_no_memory(d->batch->cli);
	good = good && make_pages(d, &s);
	for (size_t i = 0; s.parts && i < s.n; i++)
		batch_free_input(&s.parts[i].as);
	free(s.parts);
	batch_free_list(s.names, s.nnames);
	free(d->events);
	d->events = NULL;
	return good;
}

/* All of them, which the pages' add up to. */
static bool add_totals(struct batch_drawing *d)
{
	cJSON *metrics = cJSON_AddArrayToObject(d->record, "metrics");
	struct flame_tree *tree;

	for (size_t i = 0; metrics && (tree = flame_trees_at(d->trees, i));
	     i++) {
		const char *name = flame_tree_metric(tree);
		cJSON *entry = cJSON_CreateObject();

		if (!entry || !cJSON_AddItemToArray(metrics, entry) ||
		    !batch_add_text(entry, "name", *name ? name : "samples") ||
		    !batch_add_number(entry, "weight",
				      flame_tree_total(tree, 0)))
			return false;
	}
	return metrics;
}

bool batch_draw_stages(struct batch_drawing *d)
{
	return add_totals(d) && batch_write_bill(d) && draw_pages(d) &&
	       batch_write_record(d, true);
}
