/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tools share.  Options come from tables: the tool's own, the
 * common ones here, and the library's rows; parsing and --help read the
 * same.
 */
#include "cli.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const struct cli_option common[] = {
	{ 'f', "format", "FORMAT", "write this format" },
	{ 'h', "help", NULL, "show this and exit" },
	{ 'i', "input-format", "FORMAT", "read this format, do not detect" },
	{ 0, "info", NULL, "tell what the inputs hold and exit" },
	{ 'o', "output", "FILE", "write to FILE (-: standard output)" },
	{ 0, "partial", "ok|fail", "damaged inputs: exit 0 (ok) or 2 (fail)" },
	{ 0, "paths-from", "FILE", "read names of inputs from FILE" },
	{ 'q', "quiet", NULL, "say nothing but errors" },
	{ 'v', "verbose", NULL, "say more" },
	{ 'V', "version", NULL, "show the version and exit" },
	{ 0, NULL, NULL, NULL }
};

void cli_say(const struct cli *cli, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s: ", cli->tool->name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

static bool grow(const struct cli *cli, void *at, size_t *room, size_t need,
		 size_t size)
{
	void **array = at;
	void *more;

	if (need <= *room)
		return true;
	more = reallocarray(*array, need * 2, size);
	if (!more) {
		cli_say(cli, "out of memory");
		return false;
	}
	*array = more;
	*room = need * 2;
	return true;
}

static bool add(struct cli *cli, struct cli_list *list, const char *name,
		const char *value, int rank)
{
	char *copy = value ? strdup(value) : NULL;

	if ((value && !copy) || !grow(cli, &list->at, &list->room,
				      list->n + 1, sizeof(*list->at))) {
		free(copy);
		return false;
	}
	list->at[list->n++] = (struct cli_pair){ name, copy, rank };
	return true;
}

bool cli_ask(struct cli *cli, const char *name, const char *value)
{
	return add(cli, &cli->asks, name, value, 0);
}

bool cli_set(struct cli *cli, const char *name, const char *value)
{
	return add(cli, &cli->sets, name, value, 0);
}

bool cli_input(struct cli *cli, const char *path)
{
	char *copy = strdup(path);

	if (!copy || !grow(cli, &cli->inputs, &cli->inputs_room,
			   cli->ninputs + 1, sizeof(*cli->inputs)))
		return false;
	cli->inputs[cli->ninputs++] = copy;
	cli->nheld = cli->ninputs;
	return true;
}

/* Given again, arguments of such a row are one filter's: any of them. */
static bool join(struct cli_pair *pair, const char *value)
{
	char *joined;

	if (asprintf(&joined, "%s\n%s", pair->value, value) < 0)
		return false;
	free(pair->value);
	pair->value = joined;
	return true;
}

bool cli_filter(struct cli *cli, const char *name, const char *value)
{
	struct flame_row row;
	int rank = 0, joins = 0;

	for (unsigned i = 0; flame_rows('f', i, &row); i++)
		if (strcmp(row.name, name) == 0) {
			rank = row.rank;
			joins = row.joins;
		}
	for (size_t i = 0; joins && i < cli->filters.n; i++)
		if (strcmp(cli->filters.at[i].name, name) == 0)
			return join(&cli->filters.at[i], value);
	return add(cli, &cli->filters, name, value, rank);
}

/* Options ----------------------------------------------------------------- */

/* What an option is, and where it came from. */
struct entry {
	struct cli_option option;
	char kind;		/* 'o' own, 'c' common, else a row's */
};

struct table {
	struct entry at[128];
	size_t n;
};

static void enter(struct table *table, struct cli_option option, char kind)
{
	for (size_t i = 0; i < table->n; i++) {
		if (strcmp(table->at[i].option.name, option.name) == 0)
			return;
		if (option.letter &&
		    table->at[i].option.letter == option.letter)
			option.letter = 0;
	}
	if (table->n < sizeof(table->at) / sizeof(table->at[0]))
		table->at[table->n++] = (struct entry){ option, kind };
}

static int by_name(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return strcmp(x->option.name, y->option.name);
}

static bool takes(const struct cli_tool *tool, char kind)
{
	return !tool->rows || strchr(tool->rows, kind);
}

/* Formats to read or to write are no matter of every tool. */
static bool is_common(const struct cli_tool *tool, const char *name)
{
	if (strcmp(name, "format") == 0)
		return takes(tool, 'o');
	if (strcmp(name, "input-format") == 0 || strcmp(name, "info") == 0)
		return takes(tool, 'i');
	return true;
}

static void make_table(const struct cli_tool *tool, struct table *table)
{
	static const char kinds[] = "sfw";
	struct flame_row row;

	table->n = 0;
	for (const struct cli_option *o = tool->options; o && o->name; o++)
		enter(table, *o, 'o');
	for (const struct cli_option *o = common; o->name; o++)
		if (is_common(tool, o->name))
			enter(table, *o, 'c');
	for (const char *k = kinds; *k; k++)
		for (unsigned i = 0; flame_rows(*k, i, &row); i++)
			if (!row.hidden && takes(tool, *k))
				enter(table, (struct cli_option){ 0,
				      row.name, row.argument, row.summary },
				      *k);
	qsort(table->at, table->n, sizeof(*table->at), by_name);
}

static void list_rows(const struct cli_tool *tool, const char *head,
		      char kind)
{
	struct flame_row row;

	if (!takes(tool, kind))
		return;
	printf("\n%s:\n", head);
	for (unsigned i = 0; flame_rows(kind, i, &row); i++)
		printf("  %-10s %s\n", row.name, row.summary);
}

static void help(const struct cli_tool *tool, const struct table *table)
{
	printf("Usage: %s %s\n%s\n\nOptions:\n", tool->name, tool->usage,
	       tool->about);
	for (size_t i = 0; i < table->n; i++) {
		const struct cli_option *o = &table->at[i].option;
		char left[64];

		snprintf(left, sizeof(left), "--%s%s%s", o->name,
			 o->argument && o->argument[0] != '[' ? " " : "",
			 o->argument ? o->argument : "");
		if (o->letter)
			printf("  -%c, %-24s %s\n", o->letter, left,
			       o->summary);
		else
			printf("      %-24s %s\n", left, o->summary);
	}
	list_rows(tool, "Formats that are read", 'i');
	list_rows(tool, "Formats that are written", 'o');
	list_rows(tool, "Colour schemes", 'c');
}

static bool read_paths(struct cli *cli, const char *path)
{
	FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
	char *line = NULL;
	size_t room = 0;
	ssize_t n;
	bool good = true;

	if (!file) {
		cli_say(cli, "%s: %s", path, strerror(errno));
		return false;
	}
	while (good && (n = getline(&line, &room, file)) > 0) {
		if (line[n - 1] == '\n')
			line[--n] = '\0';
		if (n)
			good = cli_input(cli, line);
	}
	free(line);
	if (file != stdin)
		fclose(file);
	return good;
}

static bool take_common(struct cli *cli, const char *name, const char *value)
{
	if (strcmp(name, "format") == 0)
		cli->output_format = value;
	else if (strcmp(name, "input-format") == 0)
		cli->input_format = value;
	else if (strcmp(name, "info") == 0)
		cli->info = true;
	else if (strcmp(name, "output") == 0)
		cli->output = value;
	else if (strcmp(name, "paths-from") == 0)
		return read_paths(cli, value);
	else if (strcmp(name, "quiet") == 0)
		cli->quiet = true;
	else if (strcmp(name, "verbose") == 0)
		cli->verbose = true;
	else if (strcmp(name, "partial") == 0) {
		cli->strict = strcmp(value, "fail") == 0;
		if (!cli->strict && strcmp(value, "ok") != 0) {
			cli_say(cli, "--partial %s: ok or fail", value);
			return false;
		}
	}
	return true;
}

static bool take(struct cli *cli, const struct entry *entry, const char *value)
{
	const char *name = entry->option.name;

	switch (entry->kind) {
	case 'o':
		return cli->tool->take(cli, name, value);
	case 'c':
		return take_common(cli, name, value);
	case 's':
		if (strcmp(name, "event") == 0)
			cli->event = value;
		return cli_ask(cli, name, value);
	case 'f':
		return cli_filter(cli, name, value);
	}
	return cli_set(cli, name, value);
}

/* -1: go on; else an exit status. */
static int parse(struct cli *cli, int argc, char **argv)
{
	struct table table;
	struct option longs[129];
	char letters[300] = "";
	size_t n = 0;
	int c, which;

	make_table(cli->tool, &table);
	for (size_t i = 0; i < table.n; i++) {
		const struct cli_option *o = &table.at[i].option;

		longs[i] = (struct option){ o->name, !o->argument ?
			no_argument : o->argument[0] == '[' ?
			optional_argument : required_argument,
			NULL, 256 + (int)i };
		if (!o->letter)
			continue;
		letters[n++] = o->letter;
		if (o->argument)
			letters[n++] = ':';
		letters[n] = '\0';
	}
	memset(&longs[table.n], 0, sizeof(longs[0]));
	opterr = 1;
	while ((c = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		which = c - 256;
		for (size_t i = 0; c < 256 && i < table.n; i++)
			if (table.at[i].option.letter == c)
				which = i;
		if (c == '?' || which < 0) {
			fprintf(stderr, "%s: see %s --help\n",
				cli->tool->name, cli->tool->name);
			return CLI_TROUBLE;
		}
		if (strcmp(table.at[which].option.name, "help") == 0) {
			help(cli->tool, &table);
			return CLI_FINE;
		}
		if (strcmp(table.at[which].option.name, "version") == 0) {
			printf("%s (libflame) %s\n", cli->tool->name,
			       FLAME_VERSION);
			return CLI_FINE;
		}
		if (!take(cli, &table.at[which], optarg))
			return CLI_TROUBLE;
	}
	for (; optind < argc; optind++)
		if (!cli_input(cli, argv[optind]))
			return CLI_TROUBLE;
	return -1;
}

/* Reading and writing ------------------------------------------------------ */

static void on_warning(void *arg, const char *line)
{
	const struct cli *cli = arg;

	if (!cli->quiet)
		cli_say(cli, "%s", line);
}

static void on_remark(void *arg, const char *line)
{
	const struct cli *cli = arg;

	if (!cli->quiet && !cli->compat)
		cli_say(cli, "%s", line);
}

static int trouble(const struct cli *cli, struct flame *flame)
{
	if (flame_error(flame)[0])
		cli_say(cli, "%s", flame_error(flame));
	return CLI_TROUBLE;
}

static int by_rank(const void *a, const void *b)
{
	const struct cli_pair *x = a, *y = b;

	return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Stable: there are few, and equal ranks stay as they were given. */
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

static struct flame_sink *make_writer(struct cli *cli, struct flame *flame,
				      const char *output)
{
	struct flame_sink *sink = flame_create(flame, output,
					       cli->output_format);

	for (size_t i = 0; sink && i < cli->sets.n; i++)
		if (flame_set(sink, cli->sets.at[i].name,
			      cli->sets.at[i].value) != FLAME_OK) {
			flame_abandon(sink);
			return NULL;
		}
	return sink;
}

/* Before the end: the filters, the first rank outermost, and the pick. */
static struct flame_sink *make_chain(struct cli *cli, struct flame_sink *sink,
				     const char *event)
{
	struct flame_sink *front;

	sort_filters(&cli->filters);
	for (size_t i = cli->filters.n; sink && i--; sink = front) {
		front = flame_filter(sink, cli->filters.at[i].name,
				     cli->filters.at[i].value);
		if (!front)
			flame_abandon(sink);
	}
	if (!sink || cli->compat)
		return sink;
	front = flame_pick(sink, event);
	if (!front)
		flame_abandon(sink);
	return front;
}

static struct flame_source *open_source(struct cli *cli, struct flame *flame,
					const char *path, bool survey)
{
	struct flame_source *source = flame_open(flame, path,
						 cli->input_format);

	if (source && survey && flame_ask(source, "survey", NULL) != FLAME_OK)
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
	flame_close(source);
	return NULL;
}

/* How reading went, over all inputs. */
struct tally {
	size_t read, damaged, lost, failed;
};

static bool is_same(const char *a, const char *b)
{
	struct stat x, y;

	if (strcmp(a, "-") == 0 || strcmp(b, "-") == 0)
		return false;
	return stat(a, &x) == 0 && stat(b, &y) == 0 &&
	       S_ISREG(x.st_mode) && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

/* An input that cannot be read is told of and left out. */
static bool pump_all(struct cli *cli, struct flame *flame,
		     struct flame_sink *sink, char **inputs, size_t n,
		     struct tally *tally)
{
	for (size_t i = 0; i < n; i++) {
		struct flame_source *source = open_source(cli, flame,
							  inputs[i], false);
		int damage;

		if (!source) {
			trouble(cli, flame);
			flame_clear(flame);
			tally->failed++;
			continue;
		}
		if (flame_pump(source, sink) != FLAME_OK) {
			flame_close(source);
			return false;
		}
		damage = flame_source_damage(source);
		tally->read += damage < 2;
		tally->damaged += damage == 1;
		tally->lost += damage == 2;
		if (cli->verbose)
			cli_say(cli, "%s: read as %s", inputs[i],
				flame_source_format(source));
		flame_close(source);
	}
	return true;
}

static int status_of(const struct cli *cli, const struct tally *tally)
{
	if (tally->failed || (!tally->read && tally->lost))
		return CLI_TROUBLE;
	if (cli->strict && (tally->damaged || tally->lost))
		return CLI_TROUBLE;
	return CLI_FINE;
}

/* All inputs into one sink, and that to its end. */
static bool merge(struct cli *cli, struct flame *flame,
		  struct flame_sink *sink, char **inputs, size_t n,
		  struct tally *tally)
{
	if (!sink)
		return false;
	if (!pump_all(cli, flame, sink, inputs, n, tally) || !tally->read) {
		flame_abandon(sink);
		return false;
	}
	return flame_finish(sink) == FLAME_OK;
}

/* To compare: an input a column.  Else: all of them in one. */
static bool gather(struct cli *cli, struct flame *flame,
		   struct flame_tree *tree, char **inputs, size_t n,
		   struct tally *tally)
{
	size_t columns = cli->diff ? 2 : 1, each = cli->diff ? 1 : n;
	const char *event = cli->event;

	for (size_t i = 0; i < columns; i++) {
		struct flame_sink *sink = flame_tree_sink(tree, i);

		if (!sink || !merge(cli, flame, make_chain(cli, sink, event),
				    inputs + i * each, each, tally))
			return false;
		/* What was taken of the first is taken of the second. */
		if (!event && flame_tree_metric(tree)[0])
			event = flame_tree_metric(tree);
	}
	return tally->read >= columns;
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

static int through_tree(struct cli *cli, struct flame *flame, char **inputs,
			size_t n, const char *output, struct tally *tally)
{
	struct flame_tree *tree = flame_tree_new(flame, cli->diff ? 2 : 1);
	struct flame_sink *writer = NULL;
	int status = CLI_TROUBLE;

	if (!cli->own_output)
		writer = make_writer(cli, flame, output);
	if (tree && (writer || cli->own_output) &&
	    gather(cli, flame, tree, inputs, n, tally))
		status = show(cli, flame, tree, writer);
	else
		flame_abandon(writer);
	flame_tree_free(tree);
	return status;
}

static int worse(int a, int b)
{
	return a > b ? a : b;
}

static int convert(struct cli *cli, struct flame *flame, char **inputs,
		   size_t n, const char *output)
{
	struct tally tally = { 0 };
	struct flame_sink *writer;
	int status = CLI_TROUBLE;

	for (size_t i = 0; i < n; i++)
		if (is_same(inputs[i], output)) {
			cli_say(cli, "%s: is an input, and not written over",
				output);
			return CLI_TROUBLE;
		}
	if (cli->tool->run) {
		status = cli->tool->run(cli, flame);
	} else if (cli->diff || cli->tool->gathered) {
		status = through_tree(cli, flame, inputs, n, output, &tally);
	} else {
		writer = make_writer(cli, flame, output);
		if (writer && merge(cli, flame,
				    make_chain(cli, writer, cli->event),
				    inputs, n, &tally))
			status = CLI_FINE;
	}
	return status == CLI_TROUBLE ? trouble(cli, flame) :
				       worse(status, status_of(cli, &tally));
}

static void say_costs(const struct cli *cli)
{
	struct rusage use;

	if (getrusage(RUSAGE_SELF, &use) != 0)
		return;
	cli_say(cli, "%.3f s of CPU, %.1f MB of memory",
		(double)use.ru_utime.tv_sec + (double)use.ru_stime.tv_sec +
		(double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6,
		(double)use.ru_maxrss / 1024);
}

int cli_convert(struct cli *cli, char **inputs, size_t n, const char *output)
{
	struct flame *flame = flame_new();
	int status;

	if (!flame) {
		cli_say(cli, "out of memory");
		return CLI_TROUBLE;
	}
	flame_on_warning(flame, on_warning, cli);
	flame_on_remark(flame, on_remark, cli);
	status = convert(cli, flame, inputs, n, output);
	if (cli->verbose)
		say_costs(cli);
	flame_free(flame);
	return status;
}

/* --event list, --info ------------------------------------------------------ */

static void print_time(int64_t ns)
{
	time_t seconds = ns / 1000000000;
	char text[32] = "-";
	struct tm tm;

	if (ns != FLAME_NOTIME && gmtime_r(&seconds, &tm))
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	printf(" %20s", text);
}

static void print_events(const struct flame *flame)
{
	printf("%-32s %12s %16s %-8s %20s %20s %8s %9s\n", "event",
	       "samples", "total", "unit", "first", "last", "threads",
	       "no stack");
	for (unsigned i = 1; i <= flame_metrics(flame); i++) {
		const struct flame_metric *m = flame_metric_of(flame, i);

		printf("%-32s %12" PRIu64 " %16" PRId64 " %-8s", m->name,
		       m->samples, m->total, m->unit);
		print_time(m->first);
		print_time(m->last);
		printf(" %8" PRIu64 " %9" PRIu64 "\n", m->threads,
		       m->no_stack);
	}
}

static void print_facts(const struct flame_source *source, const char *path)
{
	const struct flame_fact *facts;
	size_t n = flame_facts(source, &facts);

	printf("%s: %s\n", path, flame_source_format(source));
	for (size_t i = 0; i < n; i++)
		printf("  %-16s %s\n", facts[i].key, facts[i].value);
}

static int survey(struct cli *cli)
{
	struct flame *flame = flame_new();
	struct tally tally = { 0 };
	struct flame_sample sample;

	if (!flame)
		return CLI_TROUBLE;
	flame_on_warning(flame, on_warning, cli);
	for (size_t i = 0; i < cli->ninputs; i++) {
		struct flame_source *source = open_source(cli, flame,
							  cli->inputs[i],
							  true);
		int status = FLAME_FAILED, damage;

		while (source && (status = flame_next(source, &sample)) ==
				 FLAME_OK)
			;
		if (status == FLAME_FAILED) {
			trouble(cli, flame);
			flame_clear(flame);
			tally.failed++;
			flame_close(source);
			continue;
		}
		damage = flame_source_damage(source);
		tally.read += damage < 2;
		tally.damaged += damage == 1;
		tally.lost += damage == 2;
		if (cli->info)
			print_facts(source, cli->inputs[i]);
		flame_close(source);
	}
	if (cli->info && flame_metrics(flame))
		printf("\n");
	if (flame_metrics(flame) || !cli->info)
		print_events(flame);
	flame_free(flame);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		cli_say(cli, "standard output: %s", strerror(errno));
		return CLI_TROUBLE;
	}
	return status_of(cli, &tally);
}

/* -------------------------------------------------------------------------- */

/* A page on a terminal helps nobody. */
static bool is_page_to_terminal(const struct cli *cli)
{
	return strcmp(cli->output, "-") == 0 && cli->output_format &&
	       (strcmp(cli->output_format, "html") == 0 ||
		strcmp(cli->output_format, "svg") == 0) && isatty(1);
}

static bool is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* "dir/exec-7.jfr.gz" into DIR: "DIR/exec-7.html". */
static char *path_in(const char *directory, const char *input,
		     const char *format)
{
	const char *base = strrchr(input, '/');
	const char *end;
	char *path;

	base = base ? base + 1 : input;
	if (strcmp(base, "-") == 0)
		base = "stdin";
	end = strstr(base, ".jfr");
	if (!end)
		end = strrchr(base, '.');
	if (!end || end == base)
		end = base + strlen(base);
	if (asprintf(&path, "%s/%.*s.%s", directory, (int)(end - base), base,
		     format) < 0)
		return NULL;
	return path;
}

/* A picture for each input; two of one name would hide one another. */
static int convert_each(struct cli *cli)
{
	char **paths = calloc(cli->ninputs, sizeof(*paths));
	int worst = CLI_FINE;

	for (size_t i = 0; paths && i < cli->ninputs; i++) {
		paths[i] = path_in(cli->output, cli->inputs[i],
				   cli->output_format);
		for (size_t j = 0; paths[i] && j < i; j++)
			if (strcmp(paths[i], paths[j]) == 0) {
				cli_say(cli, "%s and %s would both become %s",
					cli->inputs[j], cli->inputs[i],
					paths[i]);
				worst = CLI_TROUBLE;
			}
		if (!paths[i])
			worst = CLI_TROUBLE;
	}
	for (size_t i = 0; paths && worst != CLI_TROUBLE &&
	     i < cli->ninputs; i++)
		worst = worse(worst, cli_convert(cli, &cli->inputs[i], 1,
						 paths[i]));
	for (size_t i = 0; paths && i < cli->ninputs; i++)
		free(paths[i]);
	free(paths);
	return paths ? worst : CLI_TROUBLE;
}

static int run(struct cli *cli)
{
	static char dash[] = "-";

	if (cli->tool->settle && !cli->tool->settle(cli))
		return CLI_TROUBLE;
	if (!cli->ninputs && !cli_input(cli, dash))
		return CLI_TROUBLE;
	cli->list_events = cli->event && strcmp(cli->event, "list") == 0;
	if (cli->info || cli->list_events)
		return survey(cli);
	if (!cli->output)
		cli->output = dash;
	if (!cli->output_format && takes(cli->tool, 'o'))
		cli->output_format = flame_format_of(cli->output);
	if (!cli->output_format)
		cli->output_format = cli->tool->format;
	if (is_page_to_terminal(cli)) {
		cli_say(cli, "will not write %s to a terminal: name a file, "
			"or send it through a pipe", cli->output_format);
		return CLI_TROUBLE;
	}
	if (cli->diff && cli->ninputs != 2) {
		cli_say(cli, "--diff: two inputs, not %zu", cli->ninputs);
		return CLI_TROUBLE;
	}
	if (is_directory(cli->output) && !cli->diff && takes(cli->tool, 'o'))
		return convert_each(cli);
	return cli_convert(cli, cli->inputs, cli->ninputs, cli->output);
}

static void free_list(struct cli_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->at[i].value);
	free(list->at);
}

int cli_main(const struct cli_tool *tool, void *own, int argc, char **argv)
{
	struct cli cli = { .tool = tool, .own = own };
	int status = parse(&cli, argc, argv);

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
