/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A group of flame-batch of which samples tell keys: its inputs are read once,
 * and their samples divided by these keys (flame_split), of which the stage is
 * that of the event log with --spark-events.  Each key has a page, and so have
 * the samples without it, and those of several stages at once.  The record of a
 * page is as in batch_page.c, with
 *
 *	files, bytes	of inputs with samples of it
 *	lost		inputs of the group that were lost or damaged
 *	stage {name, query, tasks}
 *
 * in place of inputs.  The group's own, SITE/NAME.inputs.json, comes last:
 *
 *	options, key {...}, title, inputs [...], logs [{path, size, mtime}],
 *	message, metrics [{name, weight}], pages [name]
 */
#include "batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An input by the name of its path. */
struct known {
	flame_id path;
	size_t input;
};

struct batch_stages {
	struct flame_split *split;
	size_t n;		/* parts */
	struct known *inputs;	/* sorted by path */
	char **names;		/* of pages, so far */
	size_t nnames;
	const struct batch_drawing *reading;
	const struct page *run;	/* the parts of the page that is drawn */
	size_t nrun;
};

/* A part, by the keys of its page. */
struct page {
	struct batch_input as;	/* first: to be compared */
	size_t part;
	bool told[BATCH_MAX_KEYS];	/* it has the key, or one like it has */
};

static flame_id get(const struct batch_drawing *d, flame_id labels,
		    const char *key)
{
	return flame_label_get(d->flame, labels,
			       flame_name(d->flame, key, strlen(key)));
}

static const char *text_of(const struct batch_drawing *d, flame_id labels,
			   const char *key)
{
	flame_id value = get(d, labels, key);

	return value ? flame_name_text(d->flame, value, NULL) : "";
}

/* Reading ------------------------------------------------------------- */

static int by_path(const void *a, const void *b)
{
	const struct known *x = a, *y = b;

	return (x->path > y->path) - (x->path < y->path);
}

static bool list_inputs(struct batch_drawing *d)
{
	struct batch_stages *s = d->stages;
	size_t n = d->group->n;

	s->inputs = calloc(n + 1, sizeof(*s->inputs));
	for (size_t i = 0; s->inputs && i < n; i++) {
		const char *path = d->group->inputs[i].path;

		s->inputs[i].input = i;
		s->inputs[i].path = flame_name(d->flame, path, strlen(path));
	}
	if (s->inputs)
		qsort(s->inputs, n, sizeof(*s->inputs), by_path);
	return s->inputs || cli_no_memory(d->batch->cli);
}

/* The input that labels name; its place, or SIZE_MAX. */
static size_t input_of(const struct batch_drawing *d, flame_id labels)
{
	const struct known key = { .path = get(d, labels, "path") };
	const struct known *known = bsearch(&key, d->stages->inputs,
					    d->group->n, sizeof(key), by_path);

	return known ? known->input : SIZE_MAX;
}

/* Labels app and executor; 0: there is none. */
static flame_id executor_of(const struct batch_drawing *d, flame_id labels)
{
	flame_id executor = get(d, labels, "executor"), set;

	if (!executor)
		return 0;
	set = flame_label(d->flame, 0, flame_name(d->flame, "app", 3),
			  get(d, labels, "app"));
	return flame_label(d->flame, set, flame_name(d->flame, "executor", 8),
			   executor);
}

static struct flame_sink *make_chain(struct batch_drawing *d)
{
	struct flame_sink *like = batch_make_page(d), *sink;
	struct cli *cli = d->batch->cli;
	char *keys;

	if (!like)
		return NULL;
	keys = batch_split_keys(d->batch);
	sink = keys ? flame_split_sink(d->stages->split, like, keys,
				       "app,executor,path,stage-name,"
				       "stage-tasks,query") : NULL;
	free(keys);
	sink = cli_chain(cli, flame_trees_sink(d->trees, sink), cli->event);
	sink = batch_add_bill(d, sink);
	flame_abandon(like);
	return sink;
}

/* Filters report at the end, about all inputs: the message is the group's. */
static bool finish_reading(struct batch_drawing *d, struct flame_sink *sink)
{
	struct cli *cli = d->batch->cli;

	d->message[0] = '\0';
	if (flame_finish(sink) != FLAME_OK)
		return false;
	if (!d->message[0])
		return true;
	if (!cli->quiet)
		cli_say(cli, "%s: %s", d->group->title, d->message);
	if (!batch_add_text(d->record, "message", d->message))
		return false;
	d->message[0] = '\0';
	return true;
}

static bool read_all(struct batch_drawing *d)
{
	struct flame_sink *sink = make_chain(d);

	if (!sink)
		return false;
	if (batch_read_inputs(d, sink))
		return finish_reading(d, sink);
	flame_abandon(sink);
	return false;
}

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

static bool is_taken(const struct batch_stages *s, const char *name)
{
	if (strcmp(name, "index") == 0 || strcmp(name, "manifest") == 0 ||
	    strcmp(name, "summary") == 0)
		return true;
	for (size_t i = 0; i < s->nnames; i++)
		if (strcasecmp(s->names[i], name) == 0)
			return true;
	return false;
}

static char *join(const char *a, const char *b)
{
	char *joined;

	return asprintf(&joined, "%s%s%s", a, *a && *b ? "-" : "", b) < 0 ?
	       NULL : joined;
}

/* "app-1-stage-3"; those of which nothing was known are not "all-...". */
static char *name_page(const struct batch_drawing *d,
		       const struct batch_input *page)
{
	const struct batch_input *group = d->group->inputs;
	char *own = own_name(d->batch, page, group), *base, *name;
	bool known = false;

	for (size_t i = 0; i < d->batch->nkeys; i++)
		known |= *group->values[i] != '\0';
	if (!own)
		return NULL;
	base = join(known || !*own || is_of_other(d, own) ?
		    d->group->name : "", own);
	free(own);
	name = base ? strdup(base) : NULL;
	for (unsigned n = 2; name && is_taken(d->stages, name); n++) {
		free(name);
		if (asprintf(&name, "%s-%u", base, n) < 0)
			name = NULL;
	}
	free(base);
	if (name)
		d->stages->names[d->stages->nnames++] = name;
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

size_t batch_count_parts(const struct batch_drawing *d)
{
	return d->stages->nrun;
}

char *batch_executor_of_part(const struct batch_drawing *d, size_t i)
{
	const struct batch_stages *s = d->stages;
	flame_id keys = flame_split_at(s->split, s->run[i].part)->keys;
	const char *executor = text_of(s->reading, keys, "executor");
	char *label;

	if (!*executor || asprintf(&label, "%s/%s",
				   text_of(s->reading, keys, "app"),
				   executor) < 0)
		return NULL;
	return label;
}

bool batch_put_part(const struct batch_drawing *d, size_t i,
		    struct flame_sink *sink)
{
	return flame_split_put(d->stages->split, d->stages->run[i].part,
			       sink) == FLAME_OK;
}

static bool add_stage(const struct batch_drawing *d, cJSON *record,
		      flame_id labels)
{
	cJSON *stage = cJSON_AddObjectToObject(record, "stage");
	const char *name = text_of(d, labels, "stage-name");
	const char *query = text_of(d, labels, "query");

	return stage && batch_add_text(stage, "name", name) &&
	       (!*query || batch_add_text(stage, "query", query)) &&
	       batch_add_number(stage, "tasks",
				strtoll(text_of(d, labels, "stage-tasks"),
					NULL, 10));
}

static int by_id(const void *a, const void *b)
{
	const flame_id *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Inputs with samples of a page. */
struct seen {
	bool *inputs;
	flame_id *executors;
	size_t n, capacity;
};

static bool see(const struct batch_drawing *d, struct seen *seen,
		flame_id labels)
{
	size_t input = input_of(d, labels);
	flame_id executor = executor_of(d, labels);

	if (input != SIZE_MAX)
		seen->inputs[input] = true;
	if (!executor)
		return true;
	if (seen->n == seen->capacity) {
		size_t capacity = seen->capacity * 2 + 64;
		flame_id *grown = reallocarray(seen->executors, capacity,
					       sizeof(*grown));

		if (!grown)
			return false;
		seen->executors = grown;
		seen->capacity = capacity;
	}
	seen->executors[seen->n++] = executor;
	return true;
}

/* "APP/EXECUTOR" */
static bool add_name(const struct batch_drawing *d, cJSON *list,
		     flame_id executor)
{
	cJSON *name = NULL;
	char *text, *utf8;

	if (asprintf(&text, "%s/%s", text_of(d, executor, "app"),
		     text_of(d, executor, "executor")) < 0)
		return false;
	utf8 = batch_utf8(text);
	if (utf8)
		name = cJSON_CreateString(utf8);
	free(utf8);
	free(text);
	return name && cJSON_AddItemToArray(list, name);
}

static bool add_seen(const struct batch_drawing *d, cJSON *record,
		     const struct seen *seen)
{
	cJSON *names = cJSON_AddArrayToObject(record, "recorded");
	uint64_t files = 0, bytes = 0;
	size_t distinct = 0;

	for (size_t i = 0; names && i < seen->n; i++) {
		if (i && seen->executors[i] == seen->executors[i - 1])
			continue;
		distinct++;
		if (!add_name(d, names, seen->executors[i]))
			names = NULL;
	}
	for (size_t i = 0; i < d->group->n; i++) {
		files += seen->inputs[i];
		bytes += seen->inputs[i] ? d->group->inputs[i].size : 0;
	}
	return names && batch_add_number(record, "files", (int64_t)files) &&
	       batch_add_number(record, "bytes", (int64_t)bytes) &&
	       batch_add_number(record, "executors", (int64_t)distinct);
}

/* Inputs with samples of any of the parts, and their executors. */
static bool see_parts(const struct batch_drawing *d, struct seen *seen,
		      const struct page *pages, size_t n)
{
	bool good = (seen->inputs = calloc(d->group->n + 1, 1));

	for (size_t i = 0; i < n; i++) {
		const struct flame_part *part =
			flame_split_at(d->stages->split, pages[i].part);

		for (size_t k = 0; good && k < part->nlabels; k++)
			good = see(d, seen, part->labels[k]);
	}
	if (good && seen->n)
		qsort(seen->executors, seen->n, sizeof(*seen->executors),
		      by_id);
	return good;
}

static bool write_page(struct batch_drawing *d, const struct page *pages,
		       size_t n)
{
	struct flame_sink *page = batch_make_page(d), *sink;

	if (!page)
		return false;
	sink = flame_trees_sink(d->trees, page);
	if (!sink)
		return false;
	for (size_t i = 0; i < n; i++)
		if (flame_split_put(d->stages->split, pages[i].part, sink) !=
		    FLAME_OK) {
			flame_abandon(sink);
			return false;
		}
	return batch_finish_page(d, sink);
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
	const char *tasks = text_of(d, labels, "stage-tasks");
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

/* d: of the page; the labels of the samples have its stage. */
static bool draw_page(const struct batch_drawing *all, struct batch_drawing *d,
		      const struct page *pages, size_t n)
{
	const struct batch_input *as = &pages->as;
	const struct flame_part *told =
		flame_split_at(d->stages->split, pages->part);
	/* Samples of no stage, or of several, have no stage name. */
	const char *stage = value_of(d->batch, as, "stage");
	flame_id labels = d->batch->nlogs && *stage && *stage != '[' ?
			  told->labels[told->nlabels - 1] : 0;
	const char *name = text_of(all, labels, "stage-name");
	const char *text = text_of(all, labels, "query");
	bool by_query = *text && batch_is_generated(name);
	char *query = shorten(text), *origins = NULL;
	char *heading = heading_of(all, d->group->title, by_query && query ?
				   query : name, labels);
	struct seen seen = { .n = 0 };
	bool good = heading && query && see_parts(all, &seen, pages, n);

	if (good)
		origins = batch_origins(all, value_of(d->batch, as, "app"),
					stage, seen.inputs);
	good = good && origins;
	d->heading = heading;
	d->query = by_query ? name : query && *query ? query : NULL;
	d->origins = origins;
	good = good && batch_add_head(d, as) &&
	       (!labels || add_stage(all, d->record, labels)) &&
	       write_page(d, pages, n) && add_seen(all, d->record, &seen) &&
	       batch_add_metrics(d) &&
	       (!d->batch->outliers || batch_find_outliers(d)) &&
	       batch_write_record(d, ".json");
	d->heading = d->query = d->origins = NULL;
	free(heading);
	free(query);
	free(origins);
	free(seen.inputs);
	free(seen.executors);
	return good;
}

static bool draw_run(struct batch_drawing *all, struct batch_drawing *d,
		     const struct page *pages, size_t n)
{
	if (!d->group->name || !d->group->title || !d->record || !d->flame ||
	    !batch_add_number(d->record, "lost",
			      batch_count_lost(all->record)))
		return false;
	flame_process_limit(d->flame, all->memory);
	flame_threads(d->flame, all->threads);
	d->trees = flame_trees_new(d->flame);
	return d->trees && draw_page(all, d, pages, n);
}

/* To the index and to the pages before and after; to be freed. */
static char *link_page(const struct batch_stages *s, size_t i)
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

/*
 * One page, of a run of parts, with a dictionary of its own: what it takes to
 * draw grows with the page, not with all that was read.
 */
static bool make_page(struct batch_drawing *all, const struct page *pages,
		      size_t n, size_t i, cJSON *names)
{
	struct batch_group group = *all->group;
	struct batch_drawing d = {
		.batch = all->batch, .group = &group, .flame = flame_new(),
		.stages = all->stages, .record = cJSON_CreateObject(),
		.events = all->events, .bytes = all->bytes,
	};
	cJSON *name;
	char *links;
	bool good;

	group.name = all->stages->names[i];
	group.title = batch_title(all->batch, &pages->as, ' ');
	all->stages->run = pages;
	all->stages->nrun = n;
	d.links = links = link_page(all->stages, i);
	good = links && draw_run(all, &d, pages, n);
	d.links = NULL;
	free(links);
	if (!good && d.flame)
		snprintf(all->message, sizeof(all->message), "%s",
			 flame_error(d.flame));
	name = good ? cJSON_CreateString(group.name) : NULL;
	good = name && cJSON_AddItemToArray(names, name);
	flame_trees_free(d.trees);
	flame_free(d.flame);
	cJSON_Delete(d.record);
	free(group.title);
	return good;
}

/* Keys of the pages -------------------------------------------------- */

/* The page's value of a key: that of its samples, else of the path. */
static const char *page_value(const struct batch_drawing *d, flame_id keys,
			      size_t i)
{
	const char *key = d->batch->keys[i];
	const char *value = text_of(d, keys, key);

	if (strcmp(key, "stage") == 0)
		return strchr(value, '+') ? "[several stages]" : value;
	return *value ? value : d->group->inputs->values[i];
}

static bool fill_page(const struct batch_drawing *d, struct page *page,
		      size_t part)
{
	flame_id keys = flame_split_at(d->stages->split, part)->keys;
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

			pages[p].told[i] = *value ||
					   (same && pages[p + 1].told[i]);
			same = same &&
			       strcmp(value, pages[p + 1].as.values[i]) == 0;
		}
	}
}

static bool name_missing(const struct batch *batch, struct page *page)
{
	for (size_t i = 0; i < batch->nkeys; i++) {
		char *name;

		if (*page->as.values[i] || !page->told[i] ||
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
static bool sort_pages(const struct batch_drawing *d, struct page *pages)
{
	size_t n = d->stages->n;
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

/* Warns of keys that no sample has, which are likely misspelt. */
static void report_unseen(const struct batch_drawing *d,
			  const struct page *pages)
{
	const struct batch *batch = d->batch;

	for (size_t i = 0; i < batch->nkeys && !batch->cli->quiet; i++) {
		bool seen = batch->kinds[i] != BATCH_OF_SAMPLES ||
			    !may_be_named(batch, i) || !d->stages->n;

		for (size_t p = 0; p < d->stages->n && !seen; p++)
			seen = *pages[p].as.values[i];
		if (!seen)
			cli_say(batch->cli, "%s: no sample has a label %s",
				d->group->title, batch->keys[i]);
	}
}

/* The end of the run of parts that one page has. */
static size_t end_of_run(const struct batch_stages *s,
			 const struct page *pages, size_t from)
{
	size_t to = from + 1;

	while (to < s->n &&
	       batch_compare_keys(&pages[from].as, &pages[to].as) == 0)
		to++;
	return to;
}

static bool make_pages(struct batch_drawing *d, struct page *pages)
{
	struct batch_stages *s = d->stages;
	cJSON *names = cJSON_AddArrayToObject(d->record, "pages");
	bool good = names && sort_pages(d, pages);
	size_t from, to, i = 0;

	if (!good)
		return cli_no_memory(d->batch->cli);
	report_unseen(d, pages);
	for (from = 0; good && from < s->n; from = end_of_run(s, pages, from))
		good = name_page(d, &pages[from].as);
	for (from = 0; good && from < s->n; from = to, i++) {
		to = end_of_run(s, pages, from);
		good = make_page(d, &pages[from], to - from, i, names);
	}
	return good;
}

static bool draw_pages(struct batch_drawing *d)
{
	struct batch_stages *s = d->stages;
	struct page *pages;
	bool good;

	while (flame_split_at(s->split, s->n))
		s->n++;
	pages = calloc(s->n + 1, sizeof(*pages));
	d->events = batch_list_events(d);
	good = (pages && d->events) || cli_no_memory(d->batch->cli);
	s->names = calloc(s->n + 1, sizeof(*s->names));
	good = good && s->names && make_pages(d, pages);
	for (size_t i = 0; pages && i < s->n; i++)
		batch_free_input(&pages[i].as);
	free(pages);
	for (size_t i = 0; i < s->nnames; i++)
		free(s->names[i]);
	free(s->names);
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
	struct batch_stages s = {
		.split = flame_split_new(d->flame), .reading = d,
	};
	bool good;

	d->stages = &s;
	good = s.split && list_inputs(d) && read_all(d) && add_totals(d) &&
	       batch_write_bill(d) && draw_pages(d) &&
	       batch_write_record(d, batch_record_ending(d->group));
	flame_split_free(s.split);
	free(s.inputs);
	d->stages = NULL;
	return good;
}
