/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The metric table: names, units, and the counts of samples seen of each.
 * flame_metric() and fl_metric() return the id of a metric to readers;
 * flow/source.c counts its samples by fl_metric_count().  Metrics are few, but
 * a hostile input may name any number: the table has an index.
 */
#include "fl.h"

#include "dict/tables.h"

#include <inttypes.h>
#include <stdlib.h>

static const char SAMPLES[] = "samples", MIXED[] = "mixed units";

static flame_id find(const struct flame *flame, const char *name)
{
	const struct fl_index *index = &flame->metrics_index;
	uint64_t hash = fl_hash(name, strlen(name));
	uint32_t i = fl_index_first(index, hash), id;

	while ((id = fl_index_next(index, hash, &i)))
		if (strcmp(flame->metrics[id].name, name) == 0)
			return id;
	return 0;
}

static char *clean_copy(struct flame *flame, const char *text)
{
	char *copy = fl_arena_copy(&flame->arena, text, strlen(text));

	if (copy)
		fl_clean(copy);
	return copy;
}

static flame_id enter(struct flame *flame, const char *name, const char *unit,
		      const char *weight)
{
	struct flame_metric *m;
	char *name_copy, *unit_copy;

	if (!fl_table_reserve(flame, flame->nmetrics, &flame->metrics,
			      &flame->metrics_capacity,
			      sizeof(*flame->metrics)))
		return 0;
	name_copy = clean_copy(flame, name);
	unit_copy = clean_copy(flame, unit);
	if (!name_copy || !unit_copy ||
	    !fl_index_add(&flame->metrics_index,
			  fl_hash(name_copy, strlen(name_copy)),
			  flame->nmetrics)) {
		fl_no_memory(flame);
		return 0;
	}
	m = &flame->metrics[flame->nmetrics];
	memset(m, 0, sizeof(*m));
	m->name = name_copy;
	m->unit = m->weight = unit_copy;
	if (strcmp(weight, unit) != 0)
		m->weight = strcmp(weight, SAMPLES) == 0 ? SAMPLES : MIXED;
	m->first = m->last = FLAME_NOTIME;
	return flame->nmetrics++;
}

/* Records that weights of one metric come in several units, if they do. */
static flame_id weigh(struct flame *flame, flame_id metric, const char *weight)
{
	struct flame_metric *m = &flame->metrics[metric];
	char *clean;

	if (m->weight == MIXED || strcmp(m->weight, weight) == 0)
		return metric;
	clean = fl_memory_adopt(strdup(weight));
	if (!clean) {
		fl_no_memory(flame);
		return 0;
	}
	if (!fl_clean(clean) || strcmp(m->weight, clean) != 0)
		m->weight = MIXED;
	fl_free(clean);
	return metric;
}

bool fl_metric_is_mixed(const struct flame *flame, flame_id metric)
{
	return flame->metrics[metric].weight == MIXED;
}

static bool is_millionth(const struct flame_metric *metric)
{
	return strcmp(metric->weight, FL_CORE_US) == 0 ||
	       strcmp(metric->weight, FL_MONEY_MILLIONTH) == 0;
}

void fl_put_weight(struct fl_buf *out, const struct flame_metric *metric,
		   int64_t weight)
{
	uint64_t n = weight < 0 ? 0 - (uint64_t)weight : (uint64_t)weight;

	if (!is_millionth(metric))
		fl_buf_number(out, weight);
	else
		fl_buf_print(out, "%s%" PRIu64 ".%06" PRIu64,
			     weight < 0 ? "-" : "", n / 1000000, n % 1000000);
}

const char *fl_unit_in_text(const struct flame_metric *metric)
{
	if (!is_millionth(metric))
		return metric->weight;
	return strcmp(metric->weight, FL_CORE_US) == 0 ? "core-seconds" :
							 "money";
}

void fl_state_metric(struct flame *flame, flame_id metric, const char *input)
{
	struct fl_stated *s = flame->stated;

	if (s->metric && s->metric != metric)
		s++;
	if (s->metric || !metric)
		return;
	s->input = fl_arena_copy(&flame->arena, input, strlen(input));
	if (s->input)
		s->metric = metric;
	else
		fl_no_memory(flame);
}

/* Names come from inputs and go to terminals: control characters go. */
flame_id fl_metric(struct flame *flame, const char *name, const char *unit,
		   const char *weight)
{
	flame_id metric = find(flame, name);
	char *clean;

	if (metric)
		return weigh(flame, metric, weight);
	clean = fl_memory_adopt(strdup(name));
	if (!clean) {
		fl_no_memory(flame);
		return 0;
	}
	if (fl_clean(clean))
		metric = find(flame, clean);
	metric = metric ? weigh(flame, metric, weight) :
			  enter(flame, clean, unit, weight);
	fl_free(clean);
	return metric;
}

flame_id flame_metric(struct flame *flame, const char *name, const char *unit)
{
	if (!flame || !name || !unit) {
		fl_fail(flame, "a metric has a name and a unit");
		return 0;
	}
	return fl_metric(flame, name, unit, unit);
}

unsigned flame_metrics(const struct flame *flame)
{
	return flame ? flame->nmetrics - 1 : 0;
}

const struct flame_metric *flame_metric_of(const struct flame *flame,
					   flame_id metric)
{
	static const struct flame_metric none = {
		.name = "", .unit = "", .weight = SAMPLES,
		.first = FLAME_NOTIME, .last = FLAME_NOTIME
	};

	return flame ? &flame->metrics[metric < flame->nmetrics ? metric : 0] :
		       &none;
}

void fl_metric_count(struct flame *flame, flame_id metric, uint64_t samples,
		     int64_t weight)
{
	struct flame_metric *m = &flame->metrics[metric];

	if (__builtin_add_overflow(m->samples, samples, &m->samples))
		m->samples = UINT64_MAX;
	m->total = fl_add_clamped(m->total, weight);
}

void fl_metric_span(struct flame *flame, flame_id metric, int64_t first,
		    int64_t last)
{
	struct flame_metric *m = &flame->metrics[metric];

	if (first != FLAME_NOTIME &&
	    (m->first == FLAME_NOTIME || first < m->first))
		m->first = first;
	if (last != FLAME_NOTIME && (m->last == FLAME_NOTIME || last > m->last))
		m->last = last;
}

uint64_t fl_metric_samples(const struct flame *flame, flame_id metric,
			   int64_t weight)
{
	const char *unit = flame->metrics[metric].weight;

	return weight > 0 && unit && strcmp(unit, "samples") == 0 ?
		       (uint64_t)weight : 1;
}
