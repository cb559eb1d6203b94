/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli_parse() parses the command line of a tool into struct cli and the tool's
 * own struct.  Options are rows of three tables: the tool's own, the common
 * ones here, and the library's; parsing and --help read the same.  Also
 * functions that all tools share: messages (cli_say()), growing arrays, times.
 */
#include "cli/cli.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Offsets are in struct cli. */
#define AT(member) .offset = offsetof(struct cli, member)

static const struct cli_option common[] = {
	{ 0, "empty", "fail|ok",
	  "no sample: exit 2, or empty result",
	  .kind = CLI_TAKE },
	{ 0, "fetch", "CMD", "inputs are what CMD prints, {} their path",
	  .kind = CLI_TAKE, .rare = true },
	{ 'f', "format", "FORMAT", "write this format",
	  CLI_TEXT, AT(output_format) },
	{ 'h', "help", "[=all]", "show this, or all options, and exit",
	  .kind = CLI_TAKE },
	{ 'i', "input-format", "FORMAT", "read this format, do not detect",
	  CLI_TEXT, AT(input_format), .rare = true },
	{ 0, "info", NULL, "print what the inputs hold and exit",
	  CLI_FLAG, AT(info) },
	{ 'j', "jobs", "N", "read with N threads (as many as CPUs)",
	  .kind = CLI_TAKE },
	{ 0, "memory-limit", "SIZE",
	  "fail rather than hold more (64k, 512M, 2G)",
	  .kind = CLI_TAKE, .rare = true },
	{ 0, "name", "PATH", "the path of what standard input holds",
	  CLI_TEXT, AT(name), .rare = true },
	{ 0, "no-demangle", NULL, "C++, Rust: names as the inputs spell them",
	  CLI_FLAG, AT(mangled), .rare = true },
	{ 'o', "output", "FILE", "write to FILE (-: standard output)",
	  CLI_TEXT, AT(output) },
	{ 0, "partial", "ok|fail",
	  "damaged, missing inputs: exit 0 (ok) or 2",
	  .kind = CLI_TAKE },
	{ 0, "path-labels", "RE", "labels of paths: RE's groups by name",
	  .kind = CLI_TAKE, .rare = true },
	{ 0, "paths-from", "FILE", "read names of inputs from FILE",
	  .kind = CLI_TAKE, .rare = true },
	{ 'q', "quiet", NULL, "say nothing but errors", CLI_FLAG, AT(quiet) },
	{ 0, "raw-names", NULL, "Java: names as the inputs spell them",
	  CLI_FLAG, AT(raw_names), .rare = true },
	{ 0, "report", "text|json|hadoop", "report how the inputs were read",
	  .kind = CLI_TAKE, .rare = true },
	{ 0, "url-timeout", "SECONDS", "URLs: give up after a silence (30)",
	  .kind = CLI_TAKE, .rare = true },
	{ 0, "url-token", "FILE", "WebHDFS: the delegation token in FILE",
	  .kind = CLI_TAKE, .rare = true },
	{ 'v', "verbose", NULL, "say more", CLI_FLAG, AT(verbose),
	  .rare = true },
	{ 'V', "version", NULL, "show the version and exit", .kind = CLI_TAKE },
	{ .name = NULL }
};

void cli_say(const struct cli *cli, const char *format, ...)
{
	char text[8192], line[8192];	/* no malloc: memory may be out */
	va_list args;

	if (cli->progress)
		cli_progress_erase(cli->progress);
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	flame_hide_secrets(text, false);
	flame_visible(line, sizeof(line), text, strlen(text));
	fprintf(stderr, "%s: %s\n", cli->tool->name, line);
}

bool cli_parse_time(const char *text, int64_t least, int64_t most, int64_t *ns)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {
		{ "", 1e9 }, { "ms", 1e6 }, { "s", 1e9 }, { "min", 60e9 },
		{ "h", 3600e9 }
	};
	char *end;
	double n = strtod(text, &end);

	for (size_t i = 0; end != text && i < sizeof(units) / sizeof(*units);
	     i++)
		if (strcmp(end, units[i].name) == 0 &&
		    n * units[i].ns >= (double)least &&
		    n * units[i].ns <= (double)most) {
			*ns = (int64_t)(n * units[i].ns);
			return true;
		}
	return false;
}

int cli_flush(const struct cli *cli)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return CLI_FINE;
	cli_say(cli, "standard output: %s", strerror(errno));
	return CLI_TROUBLE;
}

bool cli_no_memory(const struct cli *cli)
{
	cli_say(cli, "out of memory");
	return false;
}

bool cli_grow(const struct cli *cli, void *at, size_t *capacity, size_t need,
	      size_t size)
{
	void **array = at;
	void *more;

	if (need <= *capacity)
		return true;
	more = reallocarray(*array, need * 2, size);
	if (!more)
		return cli_no_memory(cli);
	*array = more;
	*capacity = need * 2;
	return true;
}

struct cli_pair *cli_find(const struct cli_list *list, const char *name)
{
	for (size_t i = list->n; i--;)
		if (strcmp(list->at[i].name, name) == 0)
			return &list->at[i];
	return NULL;
}

static bool add(struct cli *cli, struct cli_list *list, const char *name,
		const char *value, int rank)
{
	char *copy = value ? strdup(value) : NULL;

	if (value && !copy)
		return cli_no_memory(cli);
	if (!cli_grow(cli, &list->at, &list->capacity, list->n + 1,
		      sizeof(*list->at))) {
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
	char *copy = strdup(flame_local_path(path));

	if (!copy)
		return cli_no_memory(cli);
	if (!cli_grow(cli, &cli->inputs, &cli->inputs_capacity,
		      cli->ninputs + 1, sizeof(*cli->inputs))) {
		free(copy);
		return false;
	}
	cli->inputs[cli->ninputs++] = copy;
	cli->nheld = cli->ninputs;
	return true;
}

/* Given again, arguments of such a row are one filter's: any of them. */
static bool join(const struct cli *cli, struct cli_pair *pair,
		 const char *value)
{
	char *joined;

	if (asprintf(&joined, "%s\n%s", pair->value, value) < 0)
		return cli_no_memory(cli);
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
			return join(cli, &cli->filters.at[i], value);
	return add(cli, &cli->filters, name, value, rank);
}

/* Options ----------------------------------------------------------------- */

/* Groups of options, in the order of --help. */
enum group {
	OF_TOOL, SELECTING, CHANGING, DRAWING, FURTHER_DRAWING, READING,
	GENERAL, NGROUPS
};

struct entry {
	struct cli_option option;
	enum group group;
	bool common;	/* of all tools: offsets are in struct cli */
	char row;	/* of flame_rows; 0: none */
};

struct table {
	struct entry at[128];
	size_t n;
};

static void enter(struct table *table, struct cli_option option,
		  enum group group, char row)
{
	for (size_t i = 0; i < table->n; i++) {
		const char *name = table->at[i].option.name;

		if (*name == *option.name && strcmp(name, option.name) == 0)
			return;
		if (option.letter &&
		    table->at[i].option.letter == option.letter)
			option.letter = 0;
	}
	if (table->n < sizeof(table->at) / sizeof(table->at[0]))
		table->at[table->n++] = (struct entry){
			option, group, group == GENERAL, row };
}

static int by_name(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return strcmp(x->option.name, y->option.name);
}

bool cli_takes(const struct cli_tool *tool, char kind)
{
	return strchr(tool->rows ? tool->rows : "sfwioc", kind);
}

/* Formats to read or to write do not concern every tool. */
static bool is_common(const struct cli_tool *tool, const char *name)
{
	if (strcmp(name, "format") == 0)
		return cli_takes(tool, 'o');
	if (tool->command && (strcmp(name, "paths-from") == 0 ||
			      strcmp(name, "path-labels") == 0 ||
			      strcmp(name, "fetch") == 0 ||
			      strcmp(name, "partial") == 0 ||
			      strncmp(name, "url-", 4) == 0 ||
			      strcmp(name, "report") == 0))
		return false;
	if (strcmp(name, "input-format") == 0 || strcmp(name, "info") == 0 ||
	    strcmp(name, "jobs") == 0)
		return cli_takes(tool, 'i');
	if (strcmp(name, "name") == 0)
		return cli_takes(tool, 'i') && !tool->run;
	if (strcmp(name, "report") == 0)
		return !tool->run;
	return true;
}

static void make_table(const struct cli_tool *tool, struct table *table)
{
	static const struct {
		char row;
		enum cli_kind kind;
		enum group group;
	} kinds[] = {
		{ 's', CLI_ASK, SELECTING }, { 'd', CLI_ASK, READING },
		{ 'f', CLI_FILTER, CHANGING }, { 'w', CLI_SET, DRAWING },
		{ 'p', CLI_SET, FURTHER_DRAWING },
	};
	struct flame_row row;

	table->n = 0;
	for (const struct cli_option *o = tool->options; o && o->name; o++)
		enter(table, *o, OF_TOOL, 0);
	for (const struct cli_option *o = common; o->name; o++)
		if (is_common(tool, o->name))
			enter(table, *o, GENERAL, 0);
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
		for (unsigned i = 0; flame_rows(kinds[k].row, i, &row); i++)
			if (!row.hidden && cli_takes(tool, kinds[k].row))
				enter(table, (struct cli_option){ 0,
				      row.name, row.argument, row.summary,
				      .kind = kinds[k].kind },
				      kinds[k].group, kinds[k].row);
	qsort(table->at, table->n, sizeof(*table->at), by_name);
}

static void list_rows(const struct cli_tool *tool, const char *head,
		      char kind)
{
	struct flame_row row;

	if (!cli_takes(tool, kind))
		return;
	printf("\n%s:\n", head);
	for (unsigned i = 0; flame_rows(kind, i, &row); i++)
		printf("  %-14s %s\n", row.name, row.summary);
}

static void list_option(const struct cli_option *o)
{
	char left[64];

	snprintf(left, sizeof(left), "--%s%s%s", o->name,
		 o->argument && o->argument[0] != '[' ? " " : "",
		 o->argument ? o->argument : "");
	if (o->letter)
		printf("  -%c, ", o->letter);
	else
		printf("      ");
	/* Two blanks end an option: completions go by them. */
	if (strlen(left) < 24)
		printf("%-24s %s\n", left, o->summary);
	else
		printf("%s\n%31s%s\n", left, "", o->summary);
}

/* Facts are looked up for --help alone: each is a search of all options. */
static bool is_rare(const struct entry *entry)
{
	struct flame_row_facts facts;

	if (!entry->row)
		return entry->option.rare;
	return !flame_row_facts(entry->row, entry->option.name, &facts) ||
	       !facts.often;
}

static void list_group(const struct cli_tool *tool, const struct table *table,
		       enum group group, bool all)
{
	static const char *const heads[] = {
		[SELECTING] = "Samples to choose",
		[CHANGING] = "Stacks, and what becomes of them",
		[DRAWING] = "Pictures and pages",
		[FURTHER_DRAWING] = "Details of pictures",
		[READING] = "Details of formats",
		[GENERAL] = "Input, output and messages",
	};
	bool any = false;

	for (size_t i = 0; i < table->n; i++) {
		const struct entry *entry = &table->at[i];

		if (entry->group != group || (!all && is_rare(entry)))
			continue;
		if (!any && group == OF_TOOL)
			printf("\nOf %s:\n", tool->name);
		else if (!any)
			printf("\n%s:\n", heads[group]);
		any = true;
		list_option(&entry->option);
	}
}

static void help(const struct cli_tool *tool, const struct table *table,
		 bool all)
{
	printf("Usage: %s %s\n%s\n", tool->name, tool->usage, tool->about);
	if (tool->examples)
		printf("\nExamples:\n%s", tool->examples);
	for (enum group g = OF_TOOL; g < NGROUPS; g++)
		list_group(tool, table, g, all);
	if (!all) {
		printf("\nAll %zu options: %s --help=all; more in %s(1).\n",
		       table->n, tool->name, tool->name);
		return;
	}
	list_rows(tool, "Formats that are read", 'i');
	list_rows(tool, "Formats that are written", 'o');
	list_rows(tool, "Colour schemes", 'c');
}

static bool take_jobs(struct cli *cli, const char *value)
{
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(value, &end, 10);
	if (value[0] < '0' || value[0] > '9' || *end || errno || !n ||
	    n > 1024) {
		cli_say(cli, "--jobs %s: a number of threads, 1 to 1024",
			value);
		return false;
	}
	cli->jobs = (unsigned)n;
	return true;
}

static bool take_memory(struct cli *cli, const char *value)
{
	cli->memory_given = true;
	if (flame_parse_size(value, &cli->memory))
		return true;
	cli_say(cli, "--memory-limit %s: a size, as 512M or 2G (0: no limit)",
		value);
	return false;
}

static bool take_empty(struct cli *cli, const char *value)
{
	cli->empty_ok = strcmp(value, "ok") == 0;
	if (cli->empty_ok || strcmp(value, "fail") == 0)
		return true;
	cli_say(cli, "--empty %s: fail or ok", value);
	return false;
}

static bool take_report(struct cli *cli, const char *value)
{
	static const char *const names[] = { "text", "json", "hadoop" };

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i], value) == 0) {
			cli->report = CLI_REPORT_TEXT + i;
			return true;
		}
	cli_say(cli, "--report %s: text, json or hadoop", value);
	return false;
}

static bool take_path_labels(struct cli *cli, const char *value)
{
	struct flame *flame = flame_new();
	bool good = flame && flame_process_path_labels(flame, value) == FLAME_OK;

	if (!good)
		cli_say(cli, "--path-labels %s", flame ? flame_error(flame) :
			value);
	flame_free(flame);
	cli->path_labels = good ? value : NULL;
	return good;
}

static bool take_url_timeout(struct cli *cli, const char *value)
{
	if (flame_process_url_option(NULL, "timeout", value) == FLAME_OK)
		return true;
	cli_say(cli, "--url-timeout %s: seconds, 1 to 100000", value);
	return false;
}

/* From a file: others see the arguments of a process. */
static bool take_url_token(struct cli *cli, const char *path)
{
	FILE *file = fopen(path, "r");
	char token[8192];
	bool good;

	if (!file) {
		cli_say(cli, "--url-token %s: %s", path, strerror(errno));
		return false;
	}
	good = fscanf(file, "%8191s", token) == 1 &&
	       flame_process_url_option(NULL, "token", token) == FLAME_OK;
	fclose(file);
	if (!good)
		cli_say(cli, "--url-token %s: there is no token in it", path);
	return good;
}

static bool take_common(struct cli *cli, const char *name, const char *value)
{
	if (strcmp(name, "paths-from") == 0)
		return cli_read_paths(cli, value);
	if (strcmp(name, "path-labels") == 0)
		return take_path_labels(cli, value);
	if (strcmp(name, "jobs") == 0)
		return take_jobs(cli, value);
	if (strcmp(name, "memory-limit") == 0)
		return take_memory(cli, value);
	if (strcmp(name, "empty") == 0)
		return take_empty(cli, value);
	if (strcmp(name, "report") == 0)
		return take_report(cli, value);
	if (strcmp(name, "fetch") == 0)
		return cli_take_fetch(cli, value);
	if (strcmp(name, "url-timeout") == 0)
		return take_url_timeout(cli, value);
	if (strcmp(name, "url-token") == 0)
		return take_url_token(cli, value);
	cli->strict = strcmp(value, "fail") == 0;
	cli->lenient = strcmp(value, "ok") == 0;
	if (cli->strict || cli->lenient)
		return true;
	cli_say(cli, "--partial %s: ok or fail", value);
	return false;
}

static bool apply(struct cli *cli, const struct entry *entry, const char *value)
{
	const struct cli_option *o = &entry->option;
	const char *name = o->as ? o->as : o->name;
	/* A tool without options of its own has nothing to point into. */
	char *all = entry->common ? (char *)cli : cli->own;
	char *at = all ? all + o->offset : NULL;

	switch (o->kind) {
	case CLI_TAKE:
		return entry->common ? take_common(cli, name, value) :
				       cli->tool->set_option(cli, name, value);
	case CLI_FLAG:
		return *(bool *)at = true;
	case CLI_TEXT:
		*(const char **)at = value;
		return true;
	case CLI_ASK:
		if (strcmp(name, "event") == 0)
			cli->event = value;
		return cli_ask(cli, name, value);
	case CLI_SET:
		return cli_set(cli, name, value);
	case CLI_FILTER:
		return cli_filter(cli, name, value);
	}
	return false;
}

/* Whether a word is one of "[=total|time|none]", or a number for "[=N]". */
static bool is_choice(const char *argument, const char *word)
{
	size_t size = strlen(word), n;

	argument += strlen("[=");
	if (strcmp(argument, "N]") == 0)
		return size && word[strspn(word, "0123456789")] == '\0';
	while (*argument && *argument != ']') {
		n = strcspn(argument, "|]");
		if (n == size && memcmp(argument, word, n) == 0)
			return true;
		argument += n + (argument[n] == '|');
	}
	return false;
}

/*
 * "--normalize total a b": the value after a blank, if it is one of the
 * option's values and no file has that name: a file is an input.
 */
static char *value_behind(const struct cli_option *o, int argc, char **argv)
{
	if (!o->argument || o->argument[0] != '[' || optind >= argc ||
	    !is_choice(o->argument, argv[optind]) ||
	    access(argv[optind], F_OK) == 0)
		return NULL;
	return argv[optind++];
}

/* The option that a name, or the beginning of one, may be; *n: how many. */
static const struct cli_option *option_of(const struct table *table,
					  const char *name, size_t size,
					  unsigned *n)
{
	const struct cli_option *found = NULL;

	*n = 0;
	for (size_t i = 0; i < table->n; i++) {
		const struct cli_option *o = &table->at[i].option;

		if (strncmp(o->name, name, size) != 0)
			continue;
		found = o;
		++*n;
		if (!o->name[size]) {
			*n = 1;
			break;
		}
	}
	return found;
}

static bool has_option(const struct table *table, const char *name)
{
	for (size_t i = 0; i < table->n; i++)
		if (strcmp(table->at[i].option.name, name) == 0)
			return true;
	return false;
}

/*
 * What other programs call an option; the nearest of our names may mean the
 * opposite (--since is near --lines).  NULL: none.
 */
static const char *option_meant(const struct table *table, const char *name)
{
	static const char *const meant[][2] = {
		{ "since", "from" }, { "start", "from" }, { "begin", "from" },
		{ "after", "from" }, { "until", "to" }, { "end", "to" },
		{ "before", "to" }, { "grep", "keep" }, { "filter", "keep" },
		{ "match", "keep" }, { "only", "keep" }, { "ignore", "drop" },
		{ "remove", "drop" }, { "output-format", "format" },
		{ "out", "output" }, { "limit", "rows" }, { "count", "rows" },
		{ "e", "event" }, { "t", "threads" }, { "n", "rows" },
		{ "n", "normalize" }, { "d", "duration" }, { "k", "keep" },
	};

	for (size_t i = 0; i < sizeof(meant) / sizeof(meant[0]); i++)
		if (strcmp(meant[i][0], name) == 0 &&
		    has_option(table, meant[i][1]))
			return meant[i][1];
	return NULL;
}

static const char *nearest_option(const struct table *table, const char *name)
{
	const char *names[128], *other = option_meant(table, name);

	if (other)
		return other;
	for (size_t i = 0; i < table->n; i++)
		names[i] = table->at[i].option.name;
	return flame_nearest(name, names, table->n);
}

static void say_wrong_long(const struct cli *cli, const struct table *table,
			   const char *name)
{
	size_t size = strcspn(name, "=");
	unsigned n;
	const struct cli_option *o = option_of(table, name, size, &n);
	char word[64];
	const char *nearest;

	if (n > 1) {
		cli_say(cli, "--%.*s: may be more than one option; see %s "
			"--help=all", (int)size, name, cli->tool->name);
		return;
	}
	if (o && name[size]) {
		cli_say(cli, "--%s: takes no argument", o->name);
		return;
	}
	if (o) {
		cli_say(cli, "--%s: needs its argument, %s", o->name,
			o->argument);
		return;
	}
	snprintf(word, sizeof(word), "%.*s", (int)size, name);
	nearest = nearest_option(table, word);
	if (nearest)
		cli_say(cli, "--%.*s: no such option; did you mean --%s?",
			(int)size, name, nearest);
	else
		cli_say(cli, "--%.*s: no such option; see %s --help=all",
			(int)size, name, cli->tool->name);
}

/* Reports an option that getopt refused, and suggests another. */
static void say_wrong_option(const struct cli *cli, const struct table *table,
			     const char *word)
{
	char letter[2] = "";
	const char *meant;

	if (strncmp(word, "--", 2) == 0 && (!optopt || optopt >= 256)) {
		say_wrong_long(cli, table, word + 2);
		return;
	}
	for (size_t i = 0; i < table->n; i++) {
		const struct cli_option *o = &table->at[i].option;

		if (o->letter && o->letter == optopt) {
			cli_say(cli, "-%c: needs its argument, %s", optopt,
				o->argument);
			return;
		}
	}
	letter[0] = (char)optopt;
	meant = option_meant(table, letter);
	if (meant)
		cli_say(cli, "-%c: no such option; did you mean --%s?", optopt,
			meant);
	else
		cli_say(cli, "-%c: no such option; see %s --help", optopt,
			cli->tool->name);
}

/* The table as getopt_long wants it. */
static void make_getopt(const struct cli_tool *tool, const struct table *table,
			char *letters, struct option *longs)
{
	/* Options end where the command begins; inputs come in their order. */
	*letters++ = tool->command ? '+' : '-';
	for (size_t i = 0; i < table->n; i++) {
		const struct cli_option *o = &table->at[i].option;

		longs[i] = (struct option){ o->name, !o->argument ?
			no_argument : o->argument[0] == '[' ?
			optional_argument : required_argument,
			NULL, 256 + (int)i };
		if (!o->letter)
			continue;
		/* A letter has no optional argument; the long option has. */
		*letters++ = o->letter;
		if (o->argument && o->argument[0] != '[')
			*letters++ = ':';
	}
	*letters = '\0';
	memset(&longs[table->n], 0, sizeof(longs[0]));
}

/* Which of the libraries that can be left out are not. */
static const char built_with[] =
	"Reads gzip, zstd, lz4, xz, bzip2 and ZIP; "
#ifdef HAVE_LIBCURL
	"with libcurl (URLs), "
#else
	"without libcurl (no URLs), "
#endif
#ifdef HAVE_LIBDW
	"with libdw (--inline)"
#else
	"without libdw (no --inline)"
#endif
#ifdef FLAME_STATIC
	".\nStatic, for any Linux on " FLAME_STATIC
#endif
	".";

void cli_version(const char *name)
{
	printf("%s (libflame) %s\n%s\n", name, FLAME_VERSION, built_with);
}

/* Everybody on this machine reads the command lines of all processes. */
static void hide_in_title(char *argument)
{
	size_t n = strlen(argument), left;

	flame_hide_secrets(argument, false);
	left = strlen(argument);
	memset(argument + left, 0, n - left);
}

static bool take_operand(struct cli *cli, char *path)
{
	bool good = cli_input(cli, path);

	hide_in_title(path);
	return good;
}

int cli_parse(struct cli *cli, int argc, char **argv)
{
	struct table table;
	struct option longs[129];
	char letters[300];
	int c, which;

	make_table(cli->tool, &table);
	make_getopt(cli->tool, &table, letters, longs);
	opterr = 0;
	while ((c = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		if (c == 1) {
			if (!take_operand(cli, optarg))
				return CLI_TROUBLE;
			continue;
		}
		which = c - 256;
		for (size_t i = 0; c < 256 && i < table.n; i++)
			if (table.at[i].option.letter == c)
				which = i;
		if (c == '?' || which < 0) {
			say_wrong_option(cli, &table, argv[optind - 1]);
			return CLI_TROUBLE;
		}
		if (strcmp(table.at[which].option.name, "help") == 0 &&
		    (!optarg || strcmp(optarg, "all") == 0)) {
			help(cli->tool, &table, optarg);
			return cli_flush(cli);
		}
		if (strcmp(table.at[which].option.name, "version") == 0) {
			cli_version(cli->tool->name);
			return cli_flush(cli);
		}
		if (c >= 256 && !optarg)
			optarg = value_behind(&table.at[which].option, argc,
					      argv);
		if (!apply(cli, &table.at[which], optarg))
			return CLI_TROUBLE;
		if (strcmp(table.at[which].option.name, "spark-events") == 0 &&
		    optarg)
			hide_in_title(optarg);
	}
	/* A second group of inputs requires a first one. */
	if (optind < argc && strcmp(argv[optind - 1], "--") == 0)
		cli->nbefore = cli->ninputs;
	for (; optind < argc; optind++)
		if (!take_operand(cli, argv[optind]))
			return CLI_TROUBLE;
	return -1;
}
