/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two filters on labels: --label KEY=VALUE forwards samples whose label has one
 * of the values, and flame_label_sink() adds a label or removes it
 * (flame-batch).  Also, for by.c and split.c: reads the value of a label key
 * (thread, state, file, or any) from a sample, and reports keys that no sample
 * has.
 */
#include "fl.h"

#include "filter/filter.h"

#include <stdlib.h>

/* Keys ---------------------------------------------------------------- */

static const struct known {
	const char *keys;
	unsigned needs;
	const char *other;	/* used if a sample has no such key */
} known_keys[] = {
	{ "thread,tid", FL_NEED_THREAD, NULL },
	{ "comm", FL_NEED_THREAD, "thread" },
	{ "pid", FL_NEED_THREAD, NULL },
	{ "state,cpu", FL_NEED_STATE, NULL },
	{ "file", FL_NEED_FILE, NULL },
	{ "path", FL_NEED_PATH, NULL },
	/* Made for those who want them by name: fl_want_labels. */
	{ "app,app-name,attempt,codegen,container,date,day,epoch,executor,holder,"
	  "host,metric,operator,partition,query,span,stage,stage-name,"
	  "stage-tasks,tag,task", 0, NULL },
	/* A format's own keys, which may need any of these. */
	{ NULL, FL_NEED_THREAD | FL_NEED_STATE | FL_NEED_FILE, NULL },
};

int fl_key_init(struct flame_sink *sink, struct fl_key *key, struct slice name)
{
	const struct known *row = known_keys;
	const char *text;

	key->name = flame_name(sink->flame, name.data, name.size);
	if (!key->name)
		return FLAME_FAILED;
	text = fl_name_at(sink->flame, key->name).data;
	while (row->keys && !fl_is_wanted(row->keys, text))
		row++;
	sink->needs |= row->needs;
	key->unseen = true;
	key->metric = fl_slice_is(name, "metric");
	key->other = row->other ? fl_name(sink->flame, row->other) : 0;
	if (!row->keys && fl_want_labels(sink->flame, &sink->labels, "*") !=
	    FLAME_OK)
		return FLAME_FAILED;
	return fl_want_labels(sink->flame, &sink->labels, text);
}

static flame_id value_of(const struct flame *flame, flame_id key,
			 const struct flame_sample *s)
{
	flame_id value = flame_label_get(flame, s->labels, key);

	return value ? value : flame_label_get(flame, s->thread, key);
}

flame_id fl_key_of(struct flame *flame, struct fl_key *key,
		   const struct flame_sample *s)
{
	flame_id value = value_of(flame, key->name, s);

	if (key->metric && s->metric && !value)
		value = fl_name(flame, flame_metric_of(flame, s->metric)->name);
	if (!value && key->other)
		value = value_of(flame, key->other, s);
	if (value)
		key->unseen = false;
	return value;
}

/* Seen keys ----------------------------------------------------------- */

static int add_keys_of(struct flame *flame, struct fl_seen *seen, flame_id set)
{
	flame_id *place = fl_rewrite_slot(flame, &seen->sets, set);

	if (!place)
		return FLAME_FAILED;
	if (fl_likely(*place))
		return FLAME_OK;
	*place = 1;
	for (; set; set = flame->labels.data[set].rest)
		if (!fl_map_put(&seen->keys, flame->labels.data[set].key, NULL))
			return fl_no_memory(flame);
	return FLAME_OK;
}

int fl_seen(struct flame *flame, struct fl_seen *seen,
	    const struct flame_sample *s)
{
	seen->any = true;
	if (add_keys_of(flame, seen, s->labels) != FLAME_OK)
		return FLAME_FAILED;
	return add_keys_of(flame, seen, s->thread);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

enum { MAX_LISTED_KEYS = 20 };

/* "file, state, thread" */
static void list_keys(const struct flame *flame, const struct fl_seen *seen,
		      struct fl_buf *out)
{
	const char **keys = fl_zeroed(seen->keys.count + 1, sizeof(*keys));
	const struct fl_map_entry *e;
	size_t i = 0, n = 0;

	while (keys && (e = fl_map_each(&seen->keys, &i)))
		keys[n++] = fl_name_at(flame, (flame_id)e->key).data;
	if (n)
		qsort(keys, n, sizeof(*keys), by_text);
	for (i = 0; i < n && i < MAX_LISTED_KEYS; i++)
		fl_buf_print(out, "%s%s", i ? ", " : "", keys[i]);
	if (n > MAX_LISTED_KEYS)
		fl_buf_text(out, ", ...");
	fl_free(keys);
}

/* "no sample has a label stage; there are: file, thread"; "": one has it. */
static void say_unseen(const struct flame *flame, const struct fl_seen *seen,
		       const struct fl_key *key, struct fl_buf *out)
{
	size_t n;

	if (!key->unseen || !seen->any)
		return;
	fl_buf_print(out, "no sample has a label %s; there are",
		     fl_name_at(flame, key->name).data);
	n = out->size;
	fl_buf_text(out, ": ");
	list_keys(flame, seen, out);
	if (!out->failed && out->size == n + 2) {
		out->size = n;
		fl_buf_text(out, " none");
	}
}

void fl_seen_warn(struct flame *flame, const struct fl_seen *seen,
		  const struct fl_key *key, const char *option)
{
	struct fl_buf text = { 0 };

	say_unseen(flame, seen, key, &text);
	if (text.size)
		fl_warn(flame, "--%s: %s", option, text.data);
	fl_buf_free(&text);
}

int fl_seen_fail(struct flame *flame, const struct fl_seen *seen,
		 const struct fl_key *key, const char *option)
{
	struct fl_buf text = { 0 };
	int status = FLAME_OK;

	say_unseen(flame, seen, key, &text);
	if (text.size)
		status = fl_fail(flame, "--%s: %s (--empty ok allows it)",
				 option, text.data);
	fl_buf_free(&text);
	return status;
}

void fl_seen_free(struct fl_seen *seen)
{
	fl_rewrite_free(&seen->sets);
	fl_map_free(&seen->keys);
}

/* --label ------------------------------------------------------------- */

struct rule {
	struct fl_key key;
	struct fl_values values;
};

struct label {
	struct rule *rules;
	size_t count, capacity;
	struct fl_seen seen;
};

/* Values of one key are alternatives; all keys must match. */
static int put(struct flame_sink *sink, const struct flame_sample *s)
{
	struct label *label = sink->state;
	bool passes = true;

	if (fl_seen(sink->flame, &label->seen, s) != FLAME_OK)
		return FLAME_FAILED;
	for (size_t i = 0; i < label->count; i++) {
		struct rule *rule = &label->rules[i];
		flame_id value = fl_key_of(sink->flame, &rule->key, s);

		passes &= value && fl_values_match(sink->flame, &rule->values,
						   value);
	}
	return passes ? fl_put(sink->next, s) : FLAME_OK;
}

/*
 * Labels of the path that are not among the values: a reader whose samples have
 * no such label of their own needs not read them.
 */
static int begin(struct flame_sink *sink, struct flame_source *source)
{
	struct label *label = sink->state;
	struct fl_path_labels path;

	fl_path_labels(fl_in_name(source->in), &path);
	for (size_t i = 0; i < label->count; i++) {
		struct rule *rule = &label->rules[i];
		const char *key = fl_name_at(sink->flame, rule->key.name).data;

		for (size_t k = 0; k < FL_PATH_KEYS; k++) {
			struct slice value = path.value[k];

			if (!value.size || strcmp(key, fl_path_keys[k]) != 0)
				continue;
			if (!fl_values_match(sink->flame, &rule->values,
					     flame_name(sink->flame, value.data,
							value.size)))
				source->select.refused_key = key;
		}
	}
	return FLAME_OK;
}

static int finish(struct flame_sink *sink)
{
	struct label *label = sink->state;

	for (size_t i = 0; i < label->count; i++)
		fl_seen_warn(sink->flame, &label->seen, &label->rules[i].key,
			     "label");
	return FLAME_OK;
}

static struct rule *rule_of(struct flame_sink *sink, struct slice key)
{
	struct label *label = sink->state;
	flame_id name = flame_name(sink->flame, key.data, key.size);
	struct rule *rule;

	for (size_t i = 0; i < label->count; i++)
		if (label->rules[i].key.name == name)
			return &label->rules[i];
	if (!fl_grow(&label->rules, &label->capacity, label->count + 1,
		     sizeof(*rule))) {
		fl_no_memory(sink->flame);
		return NULL;
	}
	rule = &label->rules[label->count];
	memset(rule, 0, sizeof(*rule));
	if (fl_key_init(sink, &rule->key, key) != FLAME_OK)
		return NULL;
	label->count++;
	return rule;
}

/* One "KEY=VALUE". */
static int add_rule(struct flame_sink *sink, const char *text)
{
	const char *equals = strchr(text, '=');
	struct rule *rule;

	if (!equals || equals == text || !equals[1])
		return fl_fail(sink->flame, "--label: %s: not KEY=VALUE, "
			       "KEY=0-3,7 or KEY=/RE/", text);
	rule = rule_of(sink, (struct slice){ text, equals - text });
	return rule ? fl_values_add(sink->flame, &rule->values, "label",
				    equals + 1) :
		      FLAME_FAILED;
}

static void release(struct flame_sink *sink)
{
	struct label *label = sink->state;

	while (label->count)
		fl_values_free(&label->rules[--label->count].values);
	fl_free(label->rules);
	fl_seen_free(&label->seen);
}

static struct flame_sink *make(struct flame_sink *next, const char *list)
{
	struct flame_sink *sink = fl_sink_new(next->flame, next,
					      sizeof(struct label));

	if (!sink)
		return NULL;
	sink->put = put;
	sink->no_stacks = next->no_stacks;
	sink->begin = begin;
	sink->finish = finish;
	sink->free = release;
	return fl_sink_of_lines(sink, list, add_rule);
}

const struct fl_filter fl_filter_label = {
	.name = "label", .argument = "KEY=VALUE",
	.summary = "only samples with this label (0-3,7; /RE/)",
	.make = make, .rank = 5, .joins = true,
	.unchanged = true,
	.selects = FLAME_BY_LABEL,
};

/* A label for all samples without it, or for none ---------------------------- */

struct constant {
	flame_id key, value;
	flame_id last, changed;		/* a set of labels, and what it became */
};

static flame_id without(struct flame *flame, flame_id labels, flame_id key)
{
	flame_id rest = 0;

	while (labels) {
		const struct fl_label label = flame->labels.data[labels];

		if (label.key != key)
			rest = flame_label(flame, rest, label.key, label.value);
		labels = label.rest;
	}
	return rest;
}

static int put_with(struct flame_sink *sink, const struct flame_sample *sample)
{
	struct constant *label = sink->state;
	struct flame_sample s = *sample;
	bool has = flame_label_get(sink->flame, s.labels, label->key);

	if (s.labels != label->last || !label->changed) {
		label->last = label->changed = s.labels;
		if (!label->value && has)
			label->changed = without(sink->flame, s.labels,
						 label->key);
		else if (label->value && !has)
			label->changed = flame_label(sink->flame, s.labels,
						     label->key, label->value);
	}
	s.labels = label->changed;
	return fl_put(sink->next, &s);
}

struct flame_sink *flame_label_sink(struct flame_sink *next, const char *key,
				    const char *value)
{
	struct flame_sink *sink = next ? fl_sink_new(next->flame, next,
						sizeof(struct constant)) : NULL;

	if (sink) {
		*(struct constant *)sink->state = (struct constant){
			.key = fl_name(next->flame, key),
			.value = value ? fl_name(next->flame, value) : 0,
		};
		sink->put = put_with;
	}
	return sink;
}
