/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --report: cli_report() prints the account of the inputs (files, bytes,
 * samples, damaged ones, ...) on standard error, for people, programs, or the
 * counters of Hadoop Streaming.  cli_say_costs() prints what a run has cost,
 * for -v.  Called by cli.c.
 */
#include "cli/cli.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

/* For files and URLs. */
enum cli_fate cli_fate_of_failure(const struct flame *flame)
{
	return strstr(flame_error(flame), strerror(ENOENT)) ? CLI_MISSING :
							      CLI_FAILED;
}

void cli_count_bytes(struct cli_tally *tally, const char *path,
		     const struct flame_source *source)
{
	struct stat st;

	if (strcmp(path, "-") != 0 && stat(path, &st) == 0 &&
	    S_ISREG(st.st_mode))
		tally->bytes += (uint64_t)st.st_size;
	else if (source)
		tally->bytes += flame_source_bytes(source);
}

void cli_count_input(struct cli_tally *tally, const char *path,
		     const struct flame_source *source, enum cli_fate fate)
{
	tally->n[fate]++;
	cli_count_bytes(tally, path, source);
}

static uint64_t sum_of(const struct cli_tally *tally)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < CLI_FATES; i++)
		sum += tally->n[i];
	return sum;
}

/* All samples of the inputs, selected or not. */
static uint64_t samples_of(const struct flame *flame)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i <= flame_metrics(flame); i++)
		sum += flame_metric_of(flame, i)->samples;
	return sum;
}

void cli_report(const struct cli *cli, const struct flame *flame,
		const struct cli_tally *tally)
{
	const struct {
		const char *name;
		uint64_t n;
	} rows[] = {
		{ "files", sum_of(tally) }, { "bytes", tally->bytes },
		{ "samples", samples_of(flame) },
		{ "damaged", tally->n[CLI_DAMAGED] },
		{ "empty", tally->n[CLI_EMPTY] },
		{ "missing", tally->n[CLI_MISSING] },
		{ "lost", tally->n[CLI_LOST] + tally->n[CLI_FAILED] },
	};
	const size_t n = sizeof(rows) / sizeof(rows[0]);

	if (!cli->report)
		return;
	if (cli->progress)
		cli_progress_erase(cli->progress);
	switch (cli->report) {
	case CLI_REPORT_HADOOP:
		for (size_t i = 0; i < n; i++)
			fprintf(stderr, "reporter:counter:libflame,%s,%" PRIu64
				"\n", rows[i].name, rows[i].n);
		fprintf(stderr, "reporter:status:%s: ", cli->tool->name);
		break;
	case CLI_REPORT_JSON:
		for (size_t i = 0; i < n; i++)
			fprintf(stderr, "%s\"%s\":%" PRIu64, i ? "," : "{",
				rows[i].name, rows[i].n);
		fprintf(stderr, "}\n");
		return;
	default:
		fprintf(stderr, "%s: ", cli->tool->name);
	}
	for (size_t i = 0; i < n; i++)
		fprintf(stderr, "%s%" PRIu64 " %s", i ? ", " : "", rows[i].n,
			rows[i].name);
	fprintf(stderr, "\n");
}

static double cpu_of(const struct rusage *use)
{
	return (double)use->ru_utime.tv_sec + (double)use->ru_stime.tv_sec +
	       (double)(use->ru_utime.tv_usec + use->ru_stime.tv_usec) / 1e6;
}

/* Children are the workers of flame-batch and the commands of --fetch. */
void cli_say_costs(const struct cli *cli)
{
	struct rusage own, others;
	char each[32] = "";

	if (getrusage(RUSAGE_SELF, &own) != 0 ||
	    getrusage(RUSAGE_CHILDREN, &others) != 0)
		return;
	if (others.ru_maxrss)
		snprintf(each, sizeof(each), "in each process ");
	cli_say(cli, "%.3f s of CPU, %.1f MB of memory at most %s(resident, "
		"mapped inputs included)", cpu_of(&own) + cpu_of(&others),
		(double)(own.ru_maxrss > others.ru_maxrss ?
				 own.ru_maxrss : others.ru_maxrss) / 1024,
		each);
}
