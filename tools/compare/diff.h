/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame-diff: folders.c lists folders; runs.c reads several runs of each side
 * and judges them, report.c writes what changed; since*.c find changes in
 * a series of runs; sites.c compares sites of flame-batch.
 */
#ifndef DIFF_H
#define DIFF_H

#include "cli/cli.h"

enum { DIFF_UNSURE = 3 };	/* exit status of --gate: undecided */

/* Some of cli->inputs, which are added up. */
struct diff_run {
	char *name;
	size_t from, n;
	unsigned side;		/* 0: before */
};

struct diff {
	const char *normalize;	/* "total", "time"; NULL: not */
	bool drawn;		/* the writer does that */
	bool brief, top, by_total, json;
	const char *sort;	/* as given; or NULL */
	long rows;
	bool sites;		/* the inputs are two sites of flame-batch */
	bool runs;
	const char *since;	/* a key of labels, whose values are runs */
	double rate;		/* --fdr; 0: not given */
	double gate;		/* 0.03; 0: none */
	const char *gated;	/* names; NULL: all */
	struct diff_run *run;
	size_t nruns;
};

#define DIFF_AT(member) .offset = offsetof(struct diff, member)

/* compare/movers.c: --top; an exit status. */
int diff_put_movers(const struct cli *cli, struct flame *flame,
		    struct flame_tree *tree);

/* compare/folders.c.  false: the message is out. */
bool diff_expand_folders(struct cli *cli);
bool diff_list_runs(struct cli *cli);
void diff_free_runs(struct diff *diff);

/* compare/runs.c */
bool diff_take_rate(struct cli *cli, const char *value);
bool diff_take_gate(struct cli *cli, const char *value);
bool diff_check_runs(struct cli *cli);
/* Chooses one by the output's name; what: begins the message. */
bool diff_check_format(struct cli *cli, const char *what, bool page);
int diff_compare_runs(struct cli *cli, struct flame *flame,
		      struct cli_reading *reading);

/* compare/since.c */
bool diff_check_since(struct cli *cli);
int diff_since(struct cli *cli, struct flame *flame,
	       struct cli_reading *reading);

/* compare/sites.c */
bool diff_is_of_sites(const struct cli *cli);
bool diff_check_sites(struct cli *cli);
int diff_compare_sites(struct cli *cli, struct flame *flame);

/* The results at the end. */
struct diff_result {
	struct flame *flame;
	const struct flame_trials *trials;
	const char *metric, *unit;
	double scale;		/* of weights to the unit */
	size_t runs[2];
	enum flame_scaling scaling;
	double rate;
	/* The changes of shares where weights are compared, or of weights. */
	struct flame_change *other;
	size_t nother;
	struct flame_judgement judgement;
};

/*
 * compare/runs.c: compares trials, and judges them for --gate; other is to be
 * freed.  false: failed.
 */
bool diff_judge(const struct cli *cli, struct flame_trials *trials,
		struct diff_result *result);
/* The exit status that --gate or -q says. */
int diff_status(const struct cli *cli, const struct diff_result *result);

/* compare/report.c: an exit status. */
int diff_report(struct cli *cli, const struct diff_result *result);
const char *diff_verdict_word(enum flame_verdict verdict);
/* The line of --gate, in text to be freed; NULL: out of memory. */
char *diff_verdict(const struct cli *cli, const struct diff_result *result);

#endif
