/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame_split: divides the samples of one reading into parts by values of
 * labels ("app,stage"), for several outputs.  flame_split_sink() receives the
 * samples, and flame_split_put() writes one part into a sink.  Of flame-batch
 * and of flame-diff --since.
 *
 * All samples are buffered, and those without a time that differ in weight
 * alone are summed.  Samples with times are summed, too, where the outputs are
 * pages: the memory grows with the distinct stacks of each part, else with the
 * samples that have a time.
 */
#include "fl.h"

#include "filter/filter.h"
#include "flow/metric_times.h"
#include "flow/runs.h"

enum { MAX_KEYS = 10, RECENT = 64 /* a power of two */ };

/* The part of samples with these labels and thread. */
struct recent {
	bool known;
	flame_id labels, thread;
	flame_id used;		/* labels that the outputs use */
	flame_id onward;	/* those that a sink after the split gets */
	size_t part;
};

struct part {
	struct flame_part shown;
	struct fl_sums sums;
	struct fl_metric_times times;	/* if the outputs accept runs */
	flame_id *labels;	/* shown.labels */
	size_t capacity;
};

struct flame_split {
	struct flame *flame;
	struct fl_key keys[MAX_KEYS];
	size_t nkeys;
	struct part *parts;
	size_t count, capacity;
	struct fl_map index;	/* set of the keys' values -> part + 1 */
	struct fl_map seen;	/* of (part, labels) */
	char *events;		/* see struct flame_sink */
	bool details;		/* the outputs distinguish samples */
	flame_id before_key, before_value;
	flame_id own_label;	/* a key that was asked for here alone; or 0 */
	struct recent recent[RECENT];	/* by a hash: threads alternate */
};

struct flame_split *flame_split_new(struct flame *flame)
{
	struct flame_split *split = fl_zeroed(1, sizeof(*split));

	if (!split) {
		fl_no_memory(flame);
		return NULL;
	}
	split->flame = flame;
	split->before_key = fl_name(flame, FL_BEFORE_KEY);
	split->before_value = fl_name(flame, FL_BEFORE_VALUE);
	return split;
}

static struct part *add_part(struct flame_split *split, flame_id keys)
{
	uint64_t *place = fl_map_put(&split->index, keys, NULL);

	if (!place)
		return NULL;
	if (*place)
		return &split->parts[*place - 1];
	if (!fl_grow(&split->parts, &split->capacity, split->count + 1,
		     sizeof(*split->parts)))
		return NULL;
	split->parts[split->count] = (struct part){ .shown.keys = keys };
	*place = split->count + 1;
	return &split->parts[split->count++];
}

/* The labels that the outputs use. */
static flame_id kept_labels(const struct flame_split *split,
			    const struct flame_sample *s)
{
	if (split->details)
		return s->labels;
	if (flame_label_get(split->flame, s->labels, split->before_key) !=
	    split->before_value)
		return 0;
	return flame_label(split->flame, 0, split->before_key,
			   split->before_value);
}

static bool add_labels(struct flame_split *split, struct part *part,
		       flame_id labels)
{
	uint64_t key = (uint64_t)(part - split->parts) << 32 | labels;
	bool is_new = false;

	if (!fl_map_put(&split->seen, key, &is_new))
		return false;
	if (!is_new)
		return true;
	if (!fl_grow(&part->labels, &part->capacity, part->shown.nlabels + 1,
		     sizeof(*part->labels)))
		return false;
	part->labels[part->shown.nlabels++] = labels;
	part->shown.labels = part->labels;
	return true;
}

static bool find_part(struct flame_split *split, const struct flame_sample *s,
		      struct recent *to)
{
	flame_id keys = 0;
	struct part *part;

	for (size_t i = 0; i < split->nkeys; i++)
		keys = flame_label(split->flame, keys, split->keys[i].name,
				   fl_key_of(split->flame, &split->keys[i],
					     s));
	part = add_part(split, keys);
	if (!part || !add_labels(split, part, s->labels))
		return fl_no_memory(split->flame) == FLAME_OK;
	*to = (struct recent){
		.known = true, .labels = s->labels, .thread = s->thread,
		.used = kept_labels(split, s),
		.onward = split->own_label ?
			  flame_label(split->flame, s->labels,
				      split->own_label, 0) : s->labels,
		.part = (size_t)(part - split->parts),
	};
	return !fl_failed(split->flame);
}

static size_t recent_place(const struct flame_sample *s)
{
	return (s->labels * 31 + s->thread) & (RECENT - 1);
}

static int put(struct flame_sink *sink, const struct flame_sample *sample)
{
	struct flame_split *split = *(struct flame_split **)sink->state;
	struct flame_sample s = *sample;
	struct recent *recent = &split->recent[recent_place(sample)];
	struct part *part;

	if ((!recent->known || recent->labels != s.labels ||
	     recent->thread != s.thread) && !find_part(split, sample, recent))
		return FLAME_FAILED;
	part = &split->parts[recent->part];
	part->shown.samples++;
	s.labels = recent->used;
	if (!split->details) {
		s.thread = 0;
		s.time = FLAME_NOTIME;
	}
	if (s.time != FLAME_NOTIME && sink->takes_runs && s.weight > 0)
		return fl_metric_times_add(sink->flame, &part->times, &s);
	/* Few samples of one time are equal: an index would be for nothing. */
	if (s.time != FLAME_NOTIME)
		return fl_sums_append(sink->flame, &part->sums, &s);
	return fl_sums_add(sink->flame, &part->sums, &s);
}

/* Of an input, not of what an event is about: these are labels of both. */
static bool is_of_input(struct slice name)
{
	return fl_slice_is(name, "path") || fl_slice_is(name, "host");
}

/* "app,stage"; of further keys only the needs count. */
static int add_keys(struct flame_sink *sink, struct flame_split *split,
		    const char *list, bool further)
{
	size_t size;

	for (;; list += size + 1) {
		const char *labels = sink->labels;
		struct slice name = { list, strcspn(list, ",") };
		struct fl_key key;

		size = name.size;
		if (fl_key_init(sink, &key, name) != FLAME_OK)
			return FLAME_FAILED;
		if (is_of_input(name))
			sink->labels = labels;
		if (!further && split->nkeys == MAX_KEYS)
			return fl_fail(sink->flame, "more than %d keys",
				       MAX_KEYS);
		if (!further)
			split->keys[split->nkeys++] = key;
		if (!list[size])
			return FLAME_OK;
	}
}

static int finish(struct flame_sink *sink)
{
	struct flame_split *split = *(struct flame_split **)sink->state;

	for (size_t i = 0; i < split->count; i++)
		if (fl_metric_times_finish(sink->flame,
					   &split->parts[i].times) != FLAME_OK)
			return FLAME_FAILED;
	return FLAME_OK;
}

/* Needs and options of the sinks that the parts will be put into. */
static bool copy_needs(struct flame_sink *sink, struct flame_split *split,
		       const struct flame_sink *like)
{
	const char *events = NULL;

	sink->takes_runs = fl_takes_runs(like);
	for (; like; like = like->next) {
		sink->needs |= like->needs;
		sink->modest_needs |= like->modest_needs;
		if (fl_want_labels(split->flame, &sink->labels,
				   like->labels) != FLAME_OK)
			return false;
		sink->keeps_apart = like->keeps_apart;
		events = like->events;
	}
	if (events && !(split->events = fl_memory_adopt(strdup(events))))
		return fl_no_memory(split->flame) == FLAME_OK;
	sink->events = split->events;
	split->details = (sink->needs | sink->modest_needs) &
			 (FL_NEED_TIME | FL_NEED_THREAD | FL_NEED_STATE |
			  FL_NEED_FILE | FL_NEED_PATH);
	return true;
}

struct flame_sink *flame_split_sink(struct flame_split *split,
				    const struct flame_sink *like,
				    const char *keys, const char *further)
{
	struct flame_sink *sink = fl_sink_new(split->flame, NULL,
					      sizeof(split));

	if (!sink)
		return NULL;
	*(struct flame_split **)sink->state = split;
	sink->put = put;
	sink->finish = finish;
	if (copy_needs(sink, split, like) &&
	    add_keys(sink, split, keys, false) == FLAME_OK &&
	    (!further || add_keys(sink, split, further, true) == FLAME_OK))
		return sink;
	fl_sink_free(sink);
	return NULL;
}

static int put_through(struct flame_sink *sink,
		       const struct flame_sample *sample)
{
	const struct flame_split *split = *(struct flame_split **)sink->state;
	struct flame_sample s = *sample;

	if (put(sink, sample) != FLAME_OK)
		return FLAME_FAILED;
	s.labels = split->recent[recent_place(sample)].onward;
	return fl_put(sink->next, &s);
}

struct flame_sink *flame_split_inputs(struct flame_split *split,
				      struct flame_sink *next)
{
	unsigned needs = 0;
	struct flame_sink *sink = next ? fl_sink_new(split->flame, next,
						     sizeof(split)) : NULL;

	if (!sink) {
		flame_abandon(next);
		return NULL;
	}
	*(struct flame_split **)sink->state = split;
	sink->put = put_through;
	for (; next; next = next->next)
		needs |= next->needs | next->modest_needs;
	if (add_keys(sink, split, "path", false) == FLAME_OK) {
		if (!(needs & FL_NEED_PATH))
			split->own_label = split->keys[0].name;
		return sink;
	}
	flame_abandon(sink);
	return NULL;
}

const struct flame_part *flame_split_at(const struct flame_split *split,
					size_t i)
{
	return i < split->count ? &split->parts[i].shown : NULL;
}

/* Another dictionary ---------------------------------------------------- */

/* Ids of the split's dictionary by those of another; 0: not there yet. */
struct copied {
	struct flame *to;
	const struct flame *from;
	flame_id *frames, *stacks, *path;
	size_t capacity;	/* of path */
	struct fl_map labels;	/* plus 1 */
	flame_id metric, copied_metric;	/* the last */
};

static flame_id copy_name(const struct copied *c, flame_id name)
{
	struct slice text = fl_name_at(c->from, name);

	return flame_name(c->to, text.data, text.size);
}

static flame_id copy_frame(const struct copied *c, flame_id id)
{
	struct flame_frame frame = c->from->frames.data[id];

	if (!c->frames[id]) {
		frame.name = copy_name(c, frame.name);
		frame.file = copy_name(c, frame.file);
		c->frames[id] = flame_frame(c->to, &frame);
	}
	return c->frames[id];
}

/* Up to a stack that is there, and down again. */
static bool copy_stack(struct copied *c, flame_id stack)
{
	size_t n = 0;

	for (; stack && !c->stacks[stack]; stack = fl_parent(c->from, stack)) {
		if (!fl_grow(&c->path, &c->capacity, n + 1, sizeof(*c->path)))
			return fl_no_memory(c->to) == FLAME_OK;
		c->path[n++] = stack;
	}
	while (n--) {
		const struct fl_stack *s =
			&c->from->stacks.data[c->path[n]];

		c->stacks[c->path[n]] = flame_stack(c->to,
						    c->stacks[s->parent],
						    copy_frame(c, s->frame));
	}
	return true;
}

static flame_id copy_labels(struct copied *c, flame_id set)
{
	uint64_t *place = set ? fl_map_put(&c->labels, set, NULL) : NULL;
	flame_id copy = 0;

	if (!set || (place && *place))
		return set ? (flame_id)*place - 1 : 0;
	if (!place) {
		fl_no_memory(c->to);
		return 0;
	}
	for (flame_id i = set; i; i = c->from->labels.data[i].rest) {
		const struct fl_label *l = &c->from->labels.data[i];

		copy = flame_label(c->to, copy, copy_name(c, l->key),
				   copy_name(c, l->value));
	}
	*place = (uint64_t)copy + 1;
	return copy;
}

static flame_id copy_metric(const struct copied *c, flame_id metric)
{
	const struct flame_metric *m = &c->from->metrics[metric];

	return metric ? fl_metric(c->to, m->name, m->unit, m->weight) : 0;
}

/* Changes a sample's ids to those of the other dictionary. */
static bool copy_sample(struct copied *c, struct flame_sample *s)
{
	if (!copy_stack(c, s->stack))
		return false;
	s->stack = c->stacks[s->stack];
	if (s->metric != c->metric) {
		c->metric = s->metric;
		c->copied_metric = copy_metric(c, s->metric);
	}
	s->metric = c->copied_metric;
	c->to->metrics[s->metric].samples +=
		s->weight < 0 ? -(uint64_t)s->weight : (uint64_t)s->weight;
	s->thread = copy_labels(c, s->thread);
	s->labels = copy_labels(c, s->labels);
	return !fl_failed(c->to);
}

/* Puts a sample with a run as many samples. */
static int put_each(struct flame_sink *sink, struct flame_sample s)
{
	int status = FLAME_OK;
	struct fl_run run;

	if (!fl_run_find(sink->flame, s.time, &run))
		return fl_put(sink, &s);
	for (size_t i = 0; status == FLAME_OK && i < run.count; i++) {
		s.time = run.data[i].time;
		s.weight = run.data[i].weight;
		status = fl_put(sink, &s);
	}
	return status;
}

/* c: NULL if the sink's dictionary is the split's own. */
static int put_part(const struct part *part, struct copied *c,
		    struct flame_sink *sink)
{
	bool takes_runs = fl_takes_runs(sink);
	int status = FLAME_OK;
	struct flame_sample s;

	for (size_t i = 0; status == FLAME_OK && i < part->sums.count; i++) {
		s = part->sums.data[i];
		status = c && !copy_sample(c, &s) ? FLAME_FAILED :
						    fl_put(sink, &s);
	}
	for (size_t i = 0; status == FLAME_OK && i < part->times.count; i++) {
		size_t at = 0;

		while ((status = fl_metric_times_next(sink->flame,
						      &part->times.data[i],
						      &at, &s)) == FLAME_OK)
			if ((c && !copy_sample(c, &s)) ||
			    (takes_runs ? fl_put(sink, &s) :
					  put_each(sink, s)) != FLAME_OK)
				return FLAME_FAILED;
		status = status == FLAME_END ? FLAME_OK : FLAME_FAILED;
	}
	return status;
}

static int put_elsewhere(const struct flame *from, const struct part *part,
			 struct flame_sink *sink)
{
	struct copied c = {
		.from = from, .to = sink->flame,
		.frames = fl_zeroed(from->frames.count, sizeof(flame_id)),
		.stacks = fl_zeroed(from->stacks.count, sizeof(flame_id)),
	};
	int status;

	/* Pages show metrics by their counts, then by their ids. */
	for (flame_id i = 1; c.frames && i < from->nmetrics; i++)
		(void)copy_metric(&c, i);
	status = c.frames && c.stacks ? put_part(part, &c, sink) :
					fl_no_memory(sink->flame);
	fl_free(c.frames);
	fl_free(c.stacks);
	fl_free(c.path);
	fl_map_free(&c.labels);
	return status;
}

int flame_split_put(struct flame_split *split, size_t i,
		    struct flame_sink *sink)
{
	const struct part *part = &split->parts[i];

	return sink->flame != split->flame ?
	       put_elsewhere(split->flame, part, sink) :
	       put_part(part, NULL, sink);
}

void flame_split_free(struct flame_split *split)
{
	if (!split)
		return;
	while (split->count) {
		struct part *part = &split->parts[--split->count];

		fl_sums_free(&part->sums);
		fl_metric_times_free(&part->times);
		fl_free(part->labels);
	}
	fl_free(split->parts);
	fl_free(split->events);
	fl_map_free(&split->index);
	fl_map_free(&split->seen);
	fl_free(split);
}
