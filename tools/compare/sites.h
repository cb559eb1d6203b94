/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two sites of flame-batch, compared: sites_read.c has their rows, sites_match.c
 * finds those that are the same work, sites_frames.c finds which frames explain
 * a change, sites_report.c writes it.
 */
#ifndef SITES_H
#define SITES_H

#include "cli/cli.h"

enum { SITE_MAX_FRAMES = 3 };

/* A frame of a row that changed, in the site's unit. */
struct site_frame {
	char *name;
	double before, after;
};

/* A stage of a query; or, without event logs, a group of pages. */
struct site_row {
	char *query, *stage, *plan;	/* "": none */
	double id;		/* of the stage: an order within a query only */
	double cost, samples;
	char *metric;		/* of its stacks */
	char **stacks;		/* files of folded stacks, below the site */
	size_t nstacks;
	char *page;		/* ""; below the site */
	bool matched;
};

struct site_app {
	char *name, *spark;
	double executors, cores, paid, idle;
};

struct site {
	const char *path;
	const char *unit;	/* "core-seconds", "samples" */
	bool billed;		/* by event logs */
	struct site_row *rows;
	size_t nrows, capacity;
	struct site_app *apps;
	size_t napps, apps_capacity;
};

/* A row of both; one of the two may be NULL. */
struct site_pair {
	struct site_row *before, *after;
	double error;		/* standard error of after - before */
	bool changed;		/* by more than twice that */
	struct site_frame frames[SITE_MAX_FRAMES];
	size_t nframes;
	char *page;		/* that compares both, or NULL */
};

/* All stages of a query. */
struct site_query {
	const char *before, *after;	/* names; NULL: it is not there */
	double cost[2], error;
	char *added, *gone;	/* operators of plans, or NULL */
	bool changed;
};

struct site_pairs {
	const struct cli *cli;
	struct site sites[2];
	struct site_pair *pairs;	/* changed ones first, by how much */
	size_t n;
	struct site_query *queries;
	size_t nqueries;
	/* How far rows that are equal differ, in parts of a row. */
	double spread;
	bool spread_known;
};

bool site_is(const char *folder);
/* false: the message is out. */
bool site_read(const struct cli *cli, const char *path, struct site *site);
bool site_match(struct site_pairs *pairs);
bool site_explain(struct site_pairs *pairs);
/* Lines that say what ran, to be freed; NULL: out of memory. */
char *site_heads(const struct site_pairs *pairs);
/* As text, json or markdown; false: failed. */
bool site_put(const struct site_pairs *pairs, const char *format,
	      struct flame_text *out);
/* By cli's output and format: an exit status. */
int site_report(const struct site_pairs *pairs, struct flame *flame);
void site_free(struct site_pairs *pairs);

/* The two sites, read, matched and explained. */
bool site_compare(const struct cli *cli, const char *before, const char *after,
		  struct site_pairs *pairs);

#endif
