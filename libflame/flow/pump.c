/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame_pump() moves all samples of a source into a chain of sinks, for tools:
 * it asks the source for what the sinks need, adds the labels of the input's
 * name, and forwards each sample (fl_deliver).  Archives are read member by
 * member; parts.c and read_ahead.c read with several threads.
 */
#include "fl.h"

#include "flow/archive.h"
#include "flow/flow.h"

static int notify(struct flame_sink *sink, struct flame_source *source,
		  bool begin)
{
	for (; sink; sink = sink->next) {
		int (*call)(struct flame_sink *, struct flame_source *) =
			begin ? sink->begin : sink->end;

		if (call && call(sink, source) != FLAME_OK)
			return FLAME_FAILED;
	}
	return FLAME_OK;
}

/* Interns the labels found in the path. */
static void begin_path_labels(struct flame *flame, struct fl_input *input,
			      const char *path)
{
	struct fl_path_labels labels;

	fl_path_labels(path, &labels);
	for (size_t i = 0; i < FL_PATH_KEYS; i++) {
		struct slice value = labels.value[i];

		if (value.size)
			input->labels[input->n++] = (struct fl_input_label){
				fl_name(flame, fl_path_keys[i]),
				flame_name(flame, value.data, value.size),
			};
	}
}

static void add_label(struct fl_input *input, flame_id key, flame_id value)
{
	unsigned i = 0;

	while (i < input->n && input->labels[i].key != key)
		i++;
	if (i == FL_COUNT(input->labels) ||
	    (i < input->n && i < input->by_path))
		return;
	input->labels[i] = (struct fl_input_label){ key, value };
	input->n = FL_MAX(input->n, i + 1);
	memset(input->recent, 0, sizeof(input->recent));
}

/* Labels from facts since the last sample.  The path wins. */
static void read_facts(struct flame_source *source)
{
	struct fl_input *input = &source->input;
	struct flame *flame = source->flame;
	struct slice value;

	for (; input->nfacts < source->nfacts; input->nfacts++)
		for (unsigned key = 0; key < FL_PATH_KEYS; key++)
			if (fl_fact_label(&source->facts[input->nfacts],
					  (enum fl_path_key)key, &value))
				add_label(input,
					  fl_name(flame, fl_path_keys[key]),
					  flame_name(flame, value.data,
						     value.size));
}

/* Interns the labels of the input's name that a sink needs. */
static void begin_input(struct flame_source *source)
{
	struct fl_input *input = &source->input;
	const char *path = fl_in_name(source->in);
	const char *slash = strrchr(path, '/');

	memset(input, 0, sizeof(*input));
	if (source->select.needs & FL_NEED_FILE)
		input->file = fl_name(source->flame, slash && slash[1] ?
						     slash + 1 : path);
	if (source->select.needs & FL_NEED_PATH)
		input->path = fl_name(source->flame, path);
	if (fl_is_wanted(source->select.labels, FL_PATH_KEY_LIST ",*"))
		begin_path_labels(source->flame, input, path);
	else
		input->nfacts = SIZE_MAX;
	input->by_path = input->n;
}

static flame_id with_input(struct flame *flame, const struct fl_input *input,
			   const struct flame_sample *sample)
{
	flame_id labels = sample->labels;

	/* Labels from the columns of folded text. */
	if (input->file && !flame_label_get(flame, labels,
					    fl_name(flame, "file")))
		labels = flame_label(flame, labels, fl_name(flame, "file"),
				     input->file);
	if (input->path && !flame_label_get(flame, labels,
					    fl_name(flame, "path")))
		labels = flame_label(flame, labels, fl_name(flame, "path"),
				     input->path);
	for (unsigned i = 0; i < input->n; i++) {
		const struct fl_input_label *label = &input->labels[i];

		if (!flame_label_get(flame, labels, label->key) &&
		    !flame_label_get(flame, sample->thread, label->key))
			labels = flame_label(flame, labels, label->key,
					     label->value);
	}
	return labels;
}

static flame_id find_labels(struct flame *flame, struct fl_input *input,
			    const struct flame_sample *s)
{
	struct fl_input_labels *known = &input->recent[
		(s->labels * 31 + s->thread) & (FL_RECENT_LABELS - 1)];

	if (!known->known || known->labels != s->labels ||
	    known->thread != s->thread)
		*known = (struct fl_input_labels){
			.labels = s->labels, .thread = s->thread,
			.result = with_input(flame, input, s), .known = true,
		};
	return known->result;
}

int fl_deliver(struct flame_source *source, struct flame_sink *sink,
	       struct flame_sample *sample)
{
	struct fl_input *input = &source->input;

	if (fl_unlikely(input->nfacts < source->nfacts))
		read_facts(source);
	if (input->file || input->path || input->n)
		sample->labels = find_labels(source->flame, input, sample);
	return sink->put(sink, sample);
}

bool fl_is_large(const struct flame_source *source)
{
	uint64_t size;

	return fl_in_size(source->in, &size) && size > FL_LARGE;
}

bool fl_takes_runs(const struct flame_sink *sink)
{
	for (; sink; sink = sink->next) {
		unsigned needs = sink->needs | sink->modest_needs;

		if (sink->buffers || (needs & FL_NEED_ORDER) ||
		    ((needs & FL_NEED_TIME) && !sink->takes_runs))
			return false;
	}
	return true;
}

int fl_begin(struct flame_source *source, struct flame_sink *sink)
{
	bool small = !fl_is_large(source);

	source->flow = sink->number;
	source->summed = true;
	source->select.wanted_text = sink->wanted_text;
	source->select.no_stacks = sink->no_stacks;
	source->select.light = sink->light ? sink : NULL;
	source->select.expects = sink->expect ? sink : NULL;
	source->select.whole = sink->whole && sink->whole(sink) ? sink : NULL;
	for (struct flame_sink *s = sink; s; s = s->next) {
		source->select.needs |= s->needs |
					(small ? s->modest_needs : 0);
		if (fl_want_labels(source->flame, &source->select.labels,
				   s->labels) != FLAME_OK)
			return FLAME_FAILED;
	}
	if (fl_takes_runs(sink))
		source->select.needs |= FL_NEED_RUNS;
	/* The recording may have labels that the path lacks. */
	if (fl_is_wanted(source->select.labels, FL_PATH_KEY_LIST ",*"))
		source->select.needs |= FL_NEED_FACTS;
	return notify(sink, source, true);
}

/* All of an input is read. */
static int end_input(struct flame_source *source, struct flame_sink *sink)
{
	const char *title = NULL;

	fl_select_report_span(source);
	for (size_t i = 0; i < source->nfacts; i++)
		if (strcmp(source->facts[i].key, "title") == 0)
			title = source->facts[i].value;
	fl_title_join(source->flame, title);
	return notify(sink, source, false);
}

static int pump_members(struct flame_source *source, struct flame_sink *sink)
{
	struct flame_source *member;
	int status;

	while ((status = fl_archive_next(source, &member)) == FLAME_OK) {
		member->select.alone = false;
		status = flame_pump(member, sink);
		status = fl_archive_close_member(source, member,
						 status == FLAME_OK ?
						 FLAME_END : FLAME_FAILED);
		if (status != FLAME_OK)
			return status;
	}
	return status == FLAME_END ? FLAME_OK : FLAME_FAILED;
}

int flame_pump(struct flame_source *source, struct flame_sink *sink)
{
	struct flame_sample sample;
	int status;

	if (!source || !fl_sink_check(sink))
		return FLAME_FAILED;
	if (source->flame != sink->flame)
		return fl_fail(source->flame, "an input of one dictionary and "
			       "an output of another");
	if (source->container)
		return pump_members(source, sink);
	if (fl_begin(source, sink) != FLAME_OK)
		return FLAME_FAILED;
	begin_input(source);
	if (fl_pump_read_ahead(source, sink, &status))
		return status == FLAME_OK && !fl_failed(source->flame) ?
		       end_input(source, sink) : FLAME_FAILED;
	if (fl_pump_parts(source, sink) != FLAME_OK)
		return FLAME_FAILED;
	while ((status = flame_next(source, &sample)) == FLAME_OK)
		if (fl_deliver(source, sink, &sample) != FLAME_OK)
			return FLAME_FAILED;
	if (status == FLAME_FAILED || fl_failed(source->flame))
		return FLAME_FAILED;
	return end_input(source, sink);
}
