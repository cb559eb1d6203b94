/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame-diff --since: runs in their order, their series, and what is known of
 * the runs themselves.
 */
#ifndef COMPARE_SINCE_H
#define COMPARE_SINCE_H

#include "compare/diff.h"
#include "cli/table.h"

enum { SINCE_MAX_LISTED = 20, DATE_SIZE = sizeof("2026-11-29") };

/* A frame's weights by run: of its own, or with what it calls. */
struct series {
	flame_id name;
	bool self;
	bool per_input;		/* weights are those of the mean input */
};

struct run {
	flame_id name;
	size_t part;		/* of the split */
	double *weights;	/* of the series that there were then */
	size_t nseries;
	double total;
	/* As its event log has them, in an archive; input 0: not known. */
	double input, failed;
	size_t place;		/* of its bar: days without a run have one */
};

/* A step, as tables show it: weights in the unit. */
struct row {
	struct cli_frame frame;
	const char *since;	/* the name of the run */
	int64_t run;		/* from 1 on */
	double before, after, ratio, interval[2], p;
	size_t series;
	bool per_input;
};

/* A step of the input of runs. */
struct input_step {
	size_t run;		/* from 0 on */
	double ratio;
};

struct since {
	struct cli *cli;
	struct flame *flame;
	struct flame_split *split;
	struct run *runs;	/* in order */
	char **labels;		/* their names, safe to show */
	size_t nruns, nplaces;
	char missing[SINCE_MAX_LISTED][DATE_SIZE];	/* days without a run */
	size_t nmissing;
	bool more_missing;
	const char *input;	/* the unit of runs' input; NULL: not known */
	struct input_step *input_steps;
	size_t ninput_steps, input_capacity;
	size_t nper_input;	/* series */
	size_t unlabelled;	/* the part of no run, plus one; 0: none */
	struct series *series;	/* a name's total, then its own weight */
	size_t nseries, series_capacity;
	size_t *series_of;	/* by name; 0: none */
	size_t *open;		/* by series: in how many frames of a stack */
	size_t open_capacity;
	double *weights;	/* by series, then by run; of all runs last */
	bool all_per_input;	/* of that last row */
	struct row *rows;
	size_t nrows, capacity;
	size_t *cuts;		/* first runs of levels, those near as one */
	size_t ncuts;
	struct diff_result result;
};

/*
 * since_input.c: reads what the runs read, and which failed, from an archive's
 * rows of that; false: failed.
 */
bool since_read_facts(struct since *s);
/*
 * Scales the series that go with the input to the mean input, and finds the
 * steps of the input; false: failed.
 */
bool since_scale_by_input(struct since *s);
/*
 * Drops steps that the input explains: those whose weight moved one way, and
 * whose weight per input did not.
 */
void since_drop_explained(struct since *s);
/* Sentences: "  Input (records): +98.0% since X.  Failed: Y." */
void since_put_facts(const struct since *s, FILE *to);
bool since_facts_json(const struct since *s, cJSON *root);

/*
 * since_runs.c: finds days without a run, where runs are dates and most are a
 * day after another, and places runs among them.
 */
void since_find_missing(struct since *s);
/* A sentence: "  Without a run: 2026-11-18." */
void since_put_missing(const struct since *s, FILE *to);
/* The table of runs: of the page, and as "totals".  false: out of memory. */
void since_put_runs(const struct since *s, FILE *to);
bool since_runs_json(const struct since *s, cJSON *root);

#endif
