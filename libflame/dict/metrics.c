/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The metric table: a handful of names, with what was seen of each.
 */
#include "fl.h"

#include "dict/tables.h"

flame_id flame_metric(struct flame *flame, const char *name, const char *unit)
{
	struct flame_metric *m;
	char *name_copy, *unit_copy;

	for (size_t i = 1; i < flame->nmetrics; i++)
		if (strcmp(flame->metrics[i].name, name) == 0)
			return i;
	if (!fl_table_room(flame, flame->nmetrics, &flame->metrics,
			   &flame->metrics_room, sizeof(*flame->metrics)))
		return 0;
	name_copy = fl_arena_copy(&flame->arena, name, strlen(name));
	unit_copy = fl_arena_copy(&flame->arena, unit, strlen(unit));
	if (!name_copy || !unit_copy) {
		fl_no_memory(flame);
		return 0;
	}
	m = &flame->metrics[flame->nmetrics];
	memset(m, 0, sizeof(*m));
	m->name = name_copy;
	m->unit = m->weight = unit_copy;
	m->first = m->last = FLAME_NOTIME;
	return flame->nmetrics++;
}

unsigned flame_metrics(const struct flame *flame)
{
	return flame->nmetrics - 1;
}

const struct flame_metric *flame_metric_of(const struct flame *flame,
					   flame_id metric)
{
	return &flame->metrics[metric < flame->nmetrics ? metric : 0];
}
