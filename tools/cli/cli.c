/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli_main() runs a tool, which is a struct cli_tool: it parses the options,
 * opens the inputs, and reads them through the filters into an output, or into
 * a tree that the tool's own function reports.  Called by the main() of each
 * tool, whose exit status it returns.  Messages go to standard error; --info
 * and --event list are answered here.
 */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reading and writing ------------------------------------------------------ */

static void on_warning(void *arg, const char *line)
{
	struct cli *cli = arg;

	cli->held_tongue |= cli->muted;
	if (!cli->quiet && !cli->muted)
		cli_say(cli, "%s", line);
	else if (!cli->muted)
		snprintf(cli->unsaid, sizeof(cli->unsaid), "%s", line);
}

/* "--budget is ignored: ...", which is said once, however many outputs. */
static bool is_said(struct cli *cli, const char *line)
{
	size_t n = strlen(cli->ignored), size = strlen(line);

	if (strncmp(line, "--", 2) != 0 || !strstr(line, " is ignored: "))
		return false;
	if (strstr(cli->ignored, line))
		return true;
	if (n + size + 2 <= sizeof(cli->ignored))
		snprintf(cli->ignored + n, sizeof(cli->ignored) - n, "%s\n",
			 line);
	return false;
}

static void on_remark(void *arg, const char *line)
{
	struct cli *cli = arg;

	cli->held_tongue |= cli->muted;
	if (cli->quiet || cli->compat || cli->muted || is_said(cli, line))
		return;
	/*
	 * Where each input has an output, name the input in lines that do not.
	 */
	if (cli->input && strncmp(line, cli->input, strlen(cli->input)) != 0)
		cli_say(cli, "%s: %s", cli->input, line);
	else
		cli_say(cli, "%s", line);
}

static int trouble(const struct cli *cli, struct flame *flame)
{
	if (flame_error(flame)[0])
		cli_say(cli, "%s", flame_error(flame));
	return CLI_TROUBLE;
}

bool cli_pass_over(const struct cli *cli, struct flame *flame)
{
	char line[1024];

	snprintf(line, sizeof(line), "%s", flame_error(flame));
	if (flame_clear(flame) != FLAME_OK)
		return false;
	if (line[0])
		cli_say(cli, "%s", line);
	return true;
}

static int by_rank(const void *a, const void *b)
{
	const struct cli_pair *x = a, *y = b;

	return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Insertion sort: stable, for options of equal rank; there are few. */
static void sort_filters(struct cli_list *list)
{
	for (size_t i = 1; i < list->n; i++) {
		struct cli_pair pair = list->at[i];
		size_t j = i;

		for (; j && by_rank(&list->at[j - 1], &pair) > 0; j--)
			list->at[j] = list->at[j - 1];
		list->at[j] = pair;
	}
}

/* Options that selected samples and are not in the page's heading. */
static bool is_choice(const char *name)
{
	static const char *const others[] = {
		"event", "compat", "peer", "compare", "kernel", "jit",
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (strcmp(name, others[i]) == 0)
			return false;
	return true;
}

static void add_choices(char *text, size_t size, const struct cli_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct cli_pair *pair = &list->at[i];
		size_t n = strlen(text);

		if (is_choice(pair->name))
			snprintf(text + n, size - n, "%s--%s%s%s",
				 n ? " " : "", pair->name,
				 pair->value ? " " : "",
				 pair->value ? pair->value : "");
	}
}

/* Sets in the page's writer which options selected and rewrote stacks. */
static bool report_choices(const struct cli *cli, struct flame_sink *sink)
{
	char text[4096] = "";

	if (cli->compat ||
	    !(flame_format_facts(cli->output_format) & FLAME_PAGE))
		return true;
	add_choices(text, sizeof(text), &cli->asks);
	add_choices(text, sizeof(text), &cli->filters);
	return !*text || flame_set(sink, "made-with", text) == FLAME_OK;
}

struct flame_sink *cli_set_all(struct cli *cli, struct flame_sink *sink)
{
	for (size_t i = 0; sink && i < cli->sets.n; i++)
		if (flame_set(sink, cli->sets.at[i].name,
			      cli->sets.at[i].value) != FLAME_OK) {
			flame_abandon(sink);
			return NULL;
		}
	return sink;
}

struct flame_sink *cli_make_writer(struct cli *cli, struct flame *flame,
				   const char *output)
{
	struct flame_sink *sink = flame_create(flame, output,
					       cli->output_format);

	if (sink && !cli_fit_terminal(cli, sink, output)) {
		flame_abandon(sink);
		return NULL;
	}
	sort_filters(&cli->filters);
	if (sink && !report_choices(cli, sink)) {
		flame_abandon(sink);
		return NULL;
	}
	return cli_set_all(cli, sink);
}

static struct flame_sink *pick(const struct cli *cli, struct flame_sink *sink,
			       const char *event)
{
	bool all = cli->compat || cli->all_metrics ||
		   flame_format_facts(cli->output_format) & FLAME_COPIES;

	return all ? sink : flame_pick(sink, event);
}

/*
 * Before the end: the filters, the first rank outermost, and the pick; --join
 * needs samples that are not picked, and stands before it.
 */
struct flame_sink *cli_chain(struct cli *cli, struct flame_sink *sink,
			     const char *event)
{
	bool placed = cli->compat;	/* no-stack: before --key alone */
	bool picked = false;

	/* Numbers of threads are of one run: their stacks would never meet. */
	if (cli->diff && !cli->compat)
		sink = flame_filter(sink, "tidy", "tids");
	sort_filters(&cli->filters);
	for (size_t i = cli->filters.n; sink && (i || !placed);) {
		const struct cli_pair *pair = i ? &cli->filters.at[i - 1] :
						  NULL;

		if (!placed && (!pair || strcmp(pair->name, "key") != 0)) {
			sink = flame_filter(sink, "no-stack", NULL);
			placed = true;
			continue;
		}
		if (strcmp(pair->name, "join") == 0) {
			sink = pick(cli, sink, event);
			picked = true;
		}
		if (cli->bill && sink && strcmp(pair->name, "spark-cost") == 0)
			sink = flame_bill_rows(cli->bill, sink);
		sink = flame_filter(sink, pair->name, pair->value);
		i--;
	}
	return picked ? sink : pick(cli, sink, event);
}

bool cli_ask_parts(const struct cli *cli, struct flame_source *source)
{
	return !cli->parts || cli->event || cli->all_metrics ||
	       !(flame_source_facts(source) & FLAME_RECORDING) ||
	       flame_ask(source, "event", "cpu") == FLAME_OK;
}

static struct flame_source *open_source(struct cli *cli, struct flame *flame,
					const char *path, bool survey)
{
	struct flame_source *source = flame_open(flame, path,
						 cli->input_format);

	if (source && survey && flame_ask(source, "survey", NULL) != FLAME_OK)
		goto failed;
	if (source && !survey && !cli_ask_parts(cli, source))
		goto failed;
	for (size_t i = 0; source && i < cli->asks.n; i++) {
		const struct cli_pair *ask = &cli->asks.at[i];

		if (survey && strcmp(ask->name, "event") == 0)
			continue;
		if (flame_ask(source, ask->name, ask->value) != FLAME_OK)
			goto failed;
	}
	return source;
failed:
	cli->refused = true;
	flame_close(source);
	return NULL;
}

struct flame_source *cli_open(struct cli *cli, struct flame *flame,
			      const char *path)
{
	return open_source(cli, flame, path, false);
}

static bool is_same(const char *a, const char *b)
{
	struct stat x, y;

	if (strcmp(a, "-") == 0 || strcmp(b, "-") == 0)
		return false;
	return stat(a, &x) == 0 && stat(b, &y) == 0 &&
	       S_ISREG(x.st_mode) && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

enum { AHEAD = 16 };	/* inputs that are open at once */

/* NULL: not now, something is to be said of it. */
static struct flame_source *open_quietly(struct cli *cli, struct flame *flame,
					 const char *path)
{
	struct flame_source *source;

	cli->muted = true;
	cli->held_tongue = false;
	source = open_source(cli, flame, path, false);
	cli->muted = false;
	flame_clear(flame);
	if (!cli->held_tongue)
		return source;
	flame_close(source);
	return NULL;
}

/*
 * Reads ahead the inputs after the i-th.  One that fails to open is opened
 * again when its turn comes, and reported then.
 */
static bool look_ahead(struct cli *cli, struct flame *flame,
		       struct flame_sink *sink, char **inputs, size_t n,
		       size_t i, struct flame_source **open)
{
	for (size_t j = i + 1; j < n && j < i + AHEAD; j++) {
		struct flame_source **at = &open[j % AHEAD];

		if (*at || strcmp(inputs[j], "-") == 0)
			continue;
		*at = open_quietly(cli, flame, inputs[j]);
		if (!*at)
			return true;
		if (flame_ahead(*at, sink) != FLAME_OK)
			return false;
	}
	return true;
}

/* An input that cannot be read is reported and skipped. */
static bool pump_open(struct cli *cli, struct flame *flame,
		      struct flame_sink *sink, char **inputs, size_t n,
		      struct cli_reading *tally, struct flame_source **open)
{
	for (size_t i = 0; i < n; i++, cli_progress_next(cli->progress)) {
		struct flame_source *source = open[i % AHEAD];

		open[i % AHEAD] = NULL;
		cli_fetch_ahead(cli, flame, inputs, n, i);
		if (!source)
			source = open_source(cli, flame, inputs[i], false);
		if (source && n == 1)
			flame_ask(source, "alone", NULL);
		if (!source) {
			enum cli_fate fate = cli_fate_of_failure(flame);

			if (cli->refused || !cli_pass_over(cli, flame))
				return false;
			tally->failed++;
			cli_count_input(&tally->account, inputs[i], NULL,
					fate);
			continue;
		}
		/*
		 * Look ahead from the second input on: the first chooses the
		 * metric.  A command that fails would run for both openings.
		 */
		if (i && cli->threads > 1 && !cli->fetch &&
		    !look_ahead(cli, flame, sink, inputs, n, i, open)) {
			flame_close(source);
			return false;
		}
		if (flame_pump(source, sink) != FLAME_OK) {
			bool passes = flame_source_damage(source) ==
				      FLAME_ALL_LOST &&
				      cli_pass_over(cli, flame);

			cli_count_input(&tally->account, inputs[i], source,
					CLI_FAILED);
			flame_close(source);
			if (!passes)
				return false;
			tally->failed++;
			continue;
		}
		cli_count_read(cli, tally, inputs[i], source);
		flame_close(source);
	}
	return true;
}

static bool pump_each(struct cli *cli, struct flame *flame,
		      struct flame_sink *sink, char **inputs, size_t n,
		      struct cli_reading *tally)
{
	struct flame_source *open[AHEAD] = { NULL };
	bool good;

	cli->fetched = 0;
	good = pump_open(cli, flame, sink, inputs, n, tally, open);
	for (size_t i = 0; i < AHEAD; i++)
		flame_close(open[i]);
	return good;
}

static bool pump_all(struct cli *cli, struct flame *flame,
		     struct flame_sink *sink, char **inputs, size_t n,
		     struct cli_reading *tally)
{
	struct cli_members members = {
		.cli = cli, .flame = flame, .reading = tally
	};
	bool good;

	cli_hear_members(&members);
	cli_progress_begin(cli->progress, cli, flame, inputs, n);
	good = pump_each(cli, flame, sink, inputs, n, tally);
	cli_progress_end(cli->progress, flame);
	flame_on_member(flame, NULL, NULL);
	return good;
}

/* Why the output is empty, where --quiet suppressed the message. */
static void report_loss(const struct cli *cli)
{
	if (cli->loss[0])
		cli_say(cli, "%s", cli->loss);
}

bool cli_passes_losses(const struct cli *cli)
{
	return cli->lenient || ((cli->listed || cli->parts) && !cli->strict);
}

static int status_of(const struct cli *cli, const struct cli_reading *tally)
{
	if (cli_passes_losses(cli))
		return CLI_FINE;
	if (tally->failed || (!tally->read && tally->lost))
		return CLI_TROUBLE;
	if (cli->strict && (tally->damaged || tally->lost))
		return CLI_TROUBLE;
	return CLI_FINE;
}

/* Whether inputs may have samples: some are not empty, and were read. */
static bool any_whole(const struct cli_reading *tally)
{
	return tally->account.n[CLI_READ] || tally->account.n[CLI_DAMAGED];
}

bool cli_merge(struct cli *cli, struct flame *flame, struct flame_sink *sink,
	       char **inputs, size_t n, struct cli_reading *tally)
{
	if (!sink)
		return false;
	if (!pump_all(cli, flame, sink, inputs, n, tally) ||
	    (!tally->read && !cli_passes_losses(cli))) {
		flame_abandon(sink);
		return false;
	}
	if (cli->lenient && !any_whole(tally))
		flame_refuse_empty(flame, false);
	return flame_finish(sink) == FLAME_OK;
}

/* The value of --events; NULL: one metric is chosen. */
static const char *events_of(const struct cli *cli)
{
	const struct cli_pair *events = cli_find(&cli->sets, "events");

	return events ? events->value : NULL;
}

/* A comparison as text needs no tree of frames. */
static bool compares_whole(const struct cli *cli)
{
	const char *format = cli->output_format ? cli->output_format :
			     flame_format_of(cli->output);

	return cli->diff && !cli->own_output &&
	       (flame_format_facts(format) & FLAME_WHOLE);
}

/* To compare: a group of inputs a column.  Else: all of them in one. */
static bool gather(struct cli *cli, struct flame *flame,
		   struct flame_tree *tree, char **inputs, size_t n,
		   struct cli_reading *tally)
{
	size_t columns = cli->diff ? 2 : 1, from = 0;
	const char *event = cli->event, *events = events_of(cli);
	struct cli_counts counts[3] = { cli_count_metrics(flame) };
	bool good = true;

	for (size_t i = 0; good && i < columns; i++) {
		struct flame_sink *sink = flame_tree_sink(tree, i);
		size_t end = cli->diff && !i ? cli->nbefore : n;
		size_t read = tally->read;

		if (sink && events &&
		    flame_set(sink, "events", events) != FLAME_OK) {
			flame_abandon(sink);
			sink = NULL;
		}
		if (sink && compares_whole(cli))
			flame_set(sink, "whole", NULL);
		good = sink && cli_merge(cli, flame,
					 cli_chain(cli, sink, event),
					 inputs + from, end - from, tally) &&
		       (!cli->diff || tally->read != read);
		counts[i + 1] = cli_count_metrics(flame);
		from = end;
		/* The second profile uses the metric chosen for the first. */
		if (!event && flame_tree_metric(tree)[0])
			event = flame_tree_metric(tree);
	}
	good = good && (!cli->diff || events ||
			!cli_are_unlike(cli, flame, tree, counts, inputs)) &&
	       (tally->read || cli_passes_losses(cli));
	for (size_t i = 0; i <= columns; i++)
		free(counts[i].samples);
	return good;
}

/* The tool's look at the whole, and then the writer's, if there is one. */
static int show(struct cli *cli, struct flame *flame, struct flame_tree *tree,
		struct flame_sink *writer)
{
	int status = CLI_FINE;

	if (cli->tool->gathered)
		status = cli->tool->gathered(cli, flame, tree);
	if (!writer)
		return status;
	if (status == CLI_FINE && flame_tree_write(tree, writer) == FLAME_OK)
		return flame_finish(writer) == FLAME_OK ? CLI_FINE :
							  CLI_TROUBLE;
	flame_abandon(writer);
	return CLI_TROUBLE;
}

/* The argument of spark-cost may begin with a line of a price. */
static bool make_bill(struct cli *cli, struct flame *flame)
{
	const struct cli_pair *pair = cli_find(&cli->filters, "spark-cost");
	const char *logs = pair ? pair->value : NULL, *line;

	if (!cli->bills || !logs)
		return true;
	line = strncmp(logs, "price=", 6) == 0 ? strchr(logs, '\n') : NULL;
	cli->bill = flame_bill_new(flame, line ? line + 1 : logs);
	return cli->bill;
}

static int through_tree(struct cli *cli, struct flame *flame, char **inputs,
			size_t n, const char *output, struct cli_reading *tally)
{
	struct flame_tree *tree = flame_tree_new(flame, cli->diff ? 2 : 1);
	struct flame_sink *writer = NULL;
	int status = CLI_TROUBLE;

	if (!cli->own_output)
		writer = cli_make_writer(cli, flame, output);
	if (tree && (writer || cli->own_output) && make_bill(cli, flame) &&
	    gather(cli, flame, tree, inputs, n, tally))
		status = show(cli, flame, tree, writer);
	else
		flame_abandon(writer);
	flame_bill_free(cli->bill);
	cli->bill = NULL;
	flame_tree_free(tree);
	return status;
}

/* Trouble, before any status above it. */
int cli_worse(int a, int b)
{
	return a == CLI_TROUBLE || b == CLI_TROUBLE ? CLI_TROUBLE :
	       a > b				    ? a :
						      b;
}

static int convert(struct cli *cli, struct flame *flame, char **inputs,
		   size_t n, const char *output)
{
	struct cli_reading tally = { 0 };
	struct flame_sink *writer;
	int status = CLI_TROUBLE;

	cli->unsaid[0] = cli->loss[0] = '\0';
	for (size_t i = 0; i < n && !cli->tool->command; i++)
		if (is_same(inputs[i], output)) {
			cli_say(cli, "%s is an input, too: choose another "
				"output", output);
			return CLI_TROUBLE;
		}
	if (cli->tool->run) {
		status = cli->tool->run(cli, flame);
	} else if (cli->runs) {
		status = cli->tool->compare_runs(cli, flame, &tally);
	} else if (cli->diff || cli->tool->gathered) {
		status = through_tree(cli, flame, inputs, n, output, &tally);
	} else {
		writer = cli_make_writer(cli, flame, output);
		if (writer && cli_merge(cli, flame,
					cli_chain(cli, writer, cli->event),
					inputs, n, &tally))
			status = CLI_FINE;
	}
	if (!cli->tool->run)
		cli_report(cli, flame, &tally.account);
	if (status != CLI_TROUBLE)
		return cli_worse(status, status_of(cli, &tally));
	if (!flame_error(flame)[0])
		report_loss(cli);
	if (flame_refused_empty(flame) && cli->tool->run)
		return CLI_TROUBLE;	/* the tool has said why */
	if (flame_refused_empty(flame)) {
		cli_explain_nothing(cli, flame, inputs, n, any_whole(&tally));
		return CLI_TROUBLE;
	}
	return trouble(cli, flame);
}

static struct flame *new_flame(const struct cli *cli)
{
	struct flame *flame = flame_new();

	if (!flame) {
		cli_no_memory(cli);
		return NULL;
	}
	flame_process_limit(flame, cli->memory);
	if (cli->memory_given)
		flame_process_limit_line(flame, cli->memory);
	flame_unify_java(flame, !cli->raw_names && !cli->compat);
	flame_demangle(flame, !cli->mangled && !cli->compat);
	if (cli->name && flame_name_input(flame, cli->name) != FLAME_OK) {
		cli_no_memory(cli);
		flame_free(flame);
		return NULL;
	}
	return flame;
}

int cli_convert(struct cli *cli, char **inputs, size_t n, const char *output)
{
	struct flame *flame = new_flame(cli);
	int status;

	if (!flame)
		return CLI_TROUBLE;
	flame_on_warning(flame, on_warning, cli);
	flame_on_remark(flame, on_remark, cli);
	cli->threads = cli->jobs ? cli->jobs : cli_cpus();
	flame_threads(flame, cli->threads);
	/* A part of a job may be of nothing. */
	flame_refuse_empty(flame, !cli->compat && !cli->empty_ok &&
				  (!cli->parts || cli_selects(cli)));
	status = convert(cli, flame, inputs, n, output);
	if (cli->verbose)
		cli_say_costs(cli);
	flame_free(flame);
	return status;
}

/* --event list, --info ------------------------------------------------------ */

static bool lists_as_json(const struct cli *cli)
{
	return (cli->info || cli->list_events) && cli->output_format &&
	       strcmp(cli->output_format, "json") == 0;
}

static int survey(struct cli *cli)
{
	struct flame *flame = new_flame(cli);
	struct cli_reading tally = { 0 };
	struct cli_members members = {
		.cli = cli, .flame = flame, .reading = &tally, .survey = true
	};
	struct flame_sample sample;
	struct cJSON *facts = NULL;
	bool good = true, json = lists_as_json(cli);

	if (!flame)
		return CLI_TROUBLE;
	flame_on_warning(flame, on_warning, cli);
	cli_hear_members(&members);
	cli_progress_begin(cli->progress, cli, flame, cli->inputs,
			   cli->ninputs);
	for (size_t i = 0; i < cli->ninputs;
	     i++, cli_progress_next(cli->progress)) {
		struct flame_source *source = open_source(cli, flame,
							  cli->inputs[i],
							  true);
		int status = FLAME_FAILED;

		while (source && (status = flame_next(source, &sample)) ==
				 FLAME_OK)
			;
		if (status == FLAME_FAILED) {
			tally.failed++;
			flame_close(source);
			if (!cli->refused && cli_pass_over(cli, flame))
				continue;
			trouble(cli, flame);
			break;
		}
		if (!cli_is_archive(source) || flame_source_damage(source))
			cli_count_damage(cli, &tally,
					 flame_source_damage(source));
		cli_progress_erase(cli->progress);
		if (cli->info && json && !cli_is_archive(source))
			good &= cli_add_facts(&facts, source, cli->inputs[i]);
		else if (cli->info && !cli_is_archive(source))
			good &= cli_print_facts(cli, source, cli->inputs[i]);
		flame_close(source);
	}
	cli_progress_end(cli->progress, flame);
	if (json)
		good &= cli_json_events(flame, facts);
	if (!json && cli->info && flame_metrics(flame))
		printf("\n");
	if (!json && (flame_metrics(flame) || !cli->info))
		cli_print_events(flame);
	flame_free(flame);
	if (!tally.read)
		report_loss(cli);
	if (cli_flush(cli) != CLI_FINE || !good)
		return CLI_TROUBLE;
	return status_of(cli, &tally);
}

/* -------------------------------------------------------------------------- */

/* Standard output, or a device by its name. */
static bool is_terminal(const char *path)
{
	bool is;
	int fd;

	if (strcmp(path, "-") == 0)
		return isatty(STDOUT_FILENO);
	if (strncmp(path, "/dev/", 5) != 0 && strncmp(path, "/proc/", 6) != 0)
		return false;
	fd = open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return false;
	is = isatty(fd);
	close(fd);
	return is;
}

/* A page on a terminal helps nobody. */
static bool is_page_to_terminal(const struct cli *cli)
{
	return flame_format_facts(cli->output_format) & FLAME_BROWSED &&
	       is_terminal(cli->output);
}

static bool is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* --events excludes --event and --compat jfrconv. */
static bool check_events(const struct cli *cli)
{
	bool several = events_of(cli);

	if (several && cli->compat)
		cli_say(cli, "--events: jfrconv draws but one, choose it");
	else if (several && cli->event)
		cli_say(cli, "--event %s and --events exclude each other",
			cli->event);
	else
		return true;
	return false;
}

static bool expand_folders(struct cli *cli)
{
	struct flame *flame;
	bool good;

	if (cli->tool->lists || cli->tool->command || !cli_has_folders(cli))
		return true;
	flame = new_flame(cli);
	if (!flame)
		return false;
	flame_on_warning(flame, on_warning, cli);
	good = cli_expand_folders(cli, flame);
	flame_free(flame);
	return good;
}

/* Drops the options of a list that have this name. */
static void drop(struct cli_list *list, const char *name)
{
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++)
		if (strcmp(list->at[i].name, name) == 0)
			free(list->at[i].value);
		else
			list->at[n++] = list->at[i];
	list->n = n;
}

void cli_drop_filter(struct cli *cli, const char *name)
{
	drop(&cli->filters, name);
}

/* --event cost, or --events of a table that has it. */
static bool wants_cost(const struct cli *cli)
{
	const char *events = cli->own_output ? events_of(cli) : NULL;

	if (cli->event)
		return strcmp(cli->event, "cost") == 0;
	while (events && *events) {
		size_t n = strcspn(events, ",");

		if (n == strlen("cost") && strncmp(events, "cost", n) == 0)
			return true;
		events += n + (events[n] == ',');
	}
	return false;
}

/*
 * --event cost is made from --spark-events, by all samples of time that there
 * are; without a log it is a metric as others.
 */
static bool plan_cost(struct cli *cli)
{
	struct cli_pair *logs = cli_find(&cli->filters, "spark-events"), *price;
	char *text;

	price = cli_find(&cli->filters, "price");
	if (!wants_cost(cli) || cli->tool->run || !logs) {
		if (!price || cli->tool->run)
			return true;
		cli_say(cli, "--price %s: of costs alone; use --event cost "
			"and --spark-events LOG", price->value);
		return false;
	}
	if (price && asprintf(&text, "price=%s\n%s", price->value,
			      logs->value) < 0)
		return cli_no_memory(cli);
	if (price) {
		free(logs->value);
		logs->value = text;
	}
	logs->name = "spark-cost";
	cli->all_metrics = true;
	cli->event = NULL;
	drop(&cli->asks, "event");
	drop(&cli->filters, "price");
	return true;
}

/*
 * Waits are of another metric than the one that is chosen after --join.  A
 * report is of groups, which would be joined each for itself.
 */
static bool plan_join(struct cli *cli)
{
	if (!cli_find(&cli->filters, "join"))
		return true;
	if (cli->tool->lists || cli->tool->command) {
		cli_say(cli, "--join works on recordings: flame-fold --join "
			"-f html -o joined.html FILE...");
		return false;
	}
	drop(&cli->asks, "event");
	return true;
}

/* The format that is written; NULL: none that has options. */
static const char *format_of(const struct cli *cli)
{
	const char *format = cli->output_format;

	if (lists_as_json(cli))
		return NULL;
	if (!cli_takes(cli->tool, 'o') && !cli_takes(cli->tool, 'w'))
		return NULL;
	if (cli->own_output)
		return "html";
	if (!format && cli->output && cli_takes(cli->tool, 'o'))
		format = flame_format_of(cli->output);
	return format ? format : cli->tool->format;
}

static int run(struct cli *cli)
{
	static char dash[] = "-";

	if (cli->tool->check_options && !cli->tool->check_options(cli))
		return CLI_TROUBLE;
	cli->list_events = cli->event && strcmp(cli->event, "list") == 0;
	if (!cli_check_values(cli, format_of(cli)))
		return CLI_TROUBLE;
	if (!plan_join(cli) || !plan_cost(cli) || !expand_folders(cli))
		return CLI_TROUBLE;
	if (!cli->list_events && !check_events(cli))
		return CLI_TROUBLE;
	if (!cli->ninputs && !cli->listed && !cli->tool->command &&
	    isatty(0)) {
		cli_say(cli, "no input: name a file, or - for standard input; "
			"see %s --help", cli->tool->name);
		return CLI_TROUBLE;
	}
	if (!cli->ninputs && !cli->listed && !cli->tool->command &&
	    !cli_input(cli, dash))
		return CLI_TROUBLE;
	if (cli->info || cli->list_events)
		return survey(cli);
	if (!cli_check_ending(cli))
		return CLI_TROUBLE;
	if (!cli->output)
		cli->output = dash;
	if (!cli->output_format && cli_takes(cli->tool, 'o'))
		cli->output_format = flame_format_of(cli->output);
	if (!cli->output_format)
		cli->output_format = cli->tool->format;
	if (is_page_to_terminal(cli)) {
		cli_say(cli, "will not write %s to a terminal: name a file, "
			"or send it through a pipe", cli->output_format);
		return CLI_TROUBLE;
	}
	if (flame_format_facts(cli->output_format) & FLAME_COPIES &&
	    (cli->diff || cli->tool->run || cli->tool->gathered ||
	     cli->tool->command)) {
		cli_say(cli, "-f %s: copies events of recordings: flame-fold "
			"does", cli->output_format);
		return CLI_TROUBLE;
	}
	if (cli->diff && cli->ninputs == 2)
		cli->nbefore = 1;
	if (cli->diff && !cli->runs &&
	    (!cli->nbefore || cli->nbefore >= cli->ninputs)) {
		cli_say(cli, "--diff: give two inputs, or two groups with "
			"-- between (%zu given)", cli->ninputs);
		return CLI_TROUBLE;
	}
	if (is_directory(cli->output) && !cli->diff && !cli->tool->command &&
	    cli_takes(cli->tool, 'o')) {
		/* Outputs of such formats are added up later. */
		if (flame_format_facts(cli->output_format) & FLAME_ADDS_UP)
			cli->parts = !cli->compat;
		return cli_convert_each(cli);
	}
	return cli_convert(cli, cli->inputs, cli->ninputs, cli->output);
}

static void free_list(struct cli_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->at[i].value);
	free(list->at);
}

/*
 * Pages of a mapped input that was truncated read as zeros; other SIGBUS are
 * fatal.
 */
static void on_bus(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (info->si_code > 0 && flame_shrunk(info->si_addr))
		return;
	signal(number, SIG_DFL);
	raise(number);
}

static void outlive_inputs(void)
{
	struct sigaction action = {
		.sa_sigaction = on_bus, .sa_flags = SA_SIGINFO
	};

	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, NULL);
#ifdef SIGCHLD
	/* Where a parent ignores it, nobody can know how --fetch ended. */
	signal(SIGCHLD, SIG_DFL);
#endif
}

int cli_main(const struct cli_tool *tool, void *own, int argc, char **argv)
{
	struct cli_progress progress = { 0 };
	struct cli cli = {
		.tool = tool, .own = own, .progress = &progress,
		.memory = cli_memory(),
	};
	int status;

	cli_give_back();
	outlive_inputs();
	status = cli_parse(&cli, argc, argv);
	if (status < 0)
		status = run(&cli);
	for (size_t i = 0; i < cli.nheld; i++)
		free(cli.inputs[i]);
	free(cli.inputs);
	free_list(&cli.asks);
	free_list(&cli.filters);
	free_list(&cli.sets);
	return status;
}
