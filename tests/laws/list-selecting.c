/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options that select, as their rows say: a line each with the name and by
 * what it selects, for tests/laws/selections.
 */
#define FLAME_UNSTABLE
#include "flame.h"

#include <stdio.h>

static const char *const selects[] = {
	[FLAME_BY_METRIC] = "metric", [FLAME_BY_METRICS] = "metrics",
	[FLAME_BY_VALUE] = "value", [FLAME_BY_LABEL] = "label",
	[FLAME_BY_TIME] = "time", [FLAME_BY_LENGTH] = "length",
	[FLAME_BY_FRAME] = "frame", [FLAME_BY_NO_FRAME] = "no-frame",
	[FLAME_BY_WEIGHT] = "weight",
};

int main(void)
{
	struct flame_row_facts facts;
	struct flame_row row;

	for (const char *kind = "sdfwp"; *kind; kind++)
		for (unsigned i = 0; flame_rows(*kind, i, &row); i++)
			if (flame_row_facts(*kind, row.name, &facts) &&
			    facts.selects)
				printf("%s %s\n", row.name,
				       selects[facts.selects]);
	return 0;
}
