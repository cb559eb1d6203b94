/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame-batch --engine: batch_print_engine() prints the commands that do the
 * same as a job of Spark or of Hadoop Streaming, with the options and inputs of
 * this command line, for a shell to run or for people to change.  It reads no
 * input.  Called by flame-batch.c.
 */
#include "batch/batch.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A word for a shell. */
static void put_word_to(FILE *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_./:=,@%+-";

	if (*word && strspn(word, plain) == strlen(word)) {
		fputs(word, out);
		return;
	}
	putc('\'', out);
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", out);
		else
			putc(*word, out);
	putc('\'', out);
}

static void put_word(const char *word)
{
	put_word_to(stdout, word);
}

/* "FOLDER/NAME,FOLDER/NAME" as one word, of n pairs. */
static void put_paths(unsigned n, ...)
{
	char word[4 * PATH_MAX] = "";
	size_t size = 0;
	va_list args;

	va_start(args, n);
	for (unsigned i = 0; i < n && size < sizeof(word); i++) {
		const char *folder = va_arg(args, const char *);

		size += (size_t)snprintf(word + size, sizeof(word) - size,
					 "%s%s/%s", i ? "," : "", folder,
					 va_arg(args, const char *));
	}
	va_end(args);
	put_word(word);
}

/* The folder of this program and of the other tools. */
static void find_tools(char *folder, size_t size)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char *slash;

	snprintf(folder, size, "%s", BIN_FOLDER);
	if (n <= 0)
		return;
	path[n] = '\0';
	slash = strrchr(path, '/');
	if (slash)
		snprintf(folder, size, "%.*s", (int)(slash - path), path);
}

/* Put the shared library that this program runs with after its tools. */
static void put_library(void)
{
	Dl_info found;
	/* Nothing has this name where the library is a part of the program. */
	void *function = dlsym(RTLD_DEFAULT, "flame_new");

	if (!function || !dladdr(function, &found) || !found.dli_fname)
		return;
	putchar(',');
	put_word(found.dli_fname);
}

static const char *share_folder(void)
{
	const char *given = getenv("FLAME_SHARE");

	return given ? given : SHARE_FOLDER;
}

/* "--name=value", a blank before each; a value's lines are options each. */
static bool append_list(char **text, const struct cli_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		const char *value = list->at[i].value;

		do {
			size_t n = value ? strcspn(value, "\n") : 0;
			char *longer;

			if (asprintf(&longer, "%s%s--%s%s%.*s", *text,
				     **text ? "\n" : "", list->at[i].name,
				     value ? "=" : "", (int)n,
				     value ? value : "") < 0)
				return false;
			free(*text);
			*text = longer;
			value = value && value[n] ? value + n + 1 : NULL;
		} while (value);
	}
	return true;
}

/* Options, a line each; NULL: out of memory. */
static char *options_of(const struct cli_list *one, const struct cli_list *two)
{
	char *text = strdup("");

	if (text && append_list(&text, one) && (!two || append_list(&text, two)))
		return text;
	free(text);
	return NULL;
}

static void put_words_to(FILE *out, char *lines)
{
	for (char *rest = lines, *line; (line = strsep(&rest, "\n")); )
		if (*line) {
			putc(' ', out);
			put_word_to(out, line);
		}
}

static void put_words(char *lines)
{
	put_words_to(stdout, lines);
}

/* Words of a shell that are one word of another. */
static void put_words_as_one(char *lines)
{
	char *words = NULL;
	size_t size;
	FILE *out = open_memstream(&words, &size);

	if (!out)
		return;
	put_words_to(out, lines);
	if (fclose(out) == 0 && *words)
		put_word(words + 1);
	free(words);
}

static void put_spark(const struct batch *batch, const char *tools,
		      const char *key, char *fold, char *draw)
{
	const struct cli *cli = batch->cli;

	printf("spark-submit --files ");
	put_paths(3, tools, "flame-fold", tools, "flame-merge", tools,
		  "flame-graph");
	put_library();
	printf(" \\\n  ");
	put_paths(1, share_folder(), "spark/flame_spark.py");
	printf(" --key ");
	put_word(key);
	if (*draw) {
		fputs(" --draw=", stdout);
		put_words_as_one(draw);
	}
	fputs(" -o ", stdout);
	put_word(batch->site);
	for (size_t i = 0; i < cli->ninputs; i++) {
		putchar(' ');
		put_word(cli->inputs[i]);
	}
	if (*fold)
		fputs(" --", stdout);
	put_words(fold);
	putchar('\n');
}

/* The listing of Hadoop's client: paths of files whose names are not hidden. */
static void put_dfs_listing(const char *scheme, const char *folder)
{
	printf("  hdfs dfs -ls -R %s", scheme);
	put_word(folder);
	fputs(" | awk '!/^d/ && NF > 7 { for (i = 0; i < 7; i++) "
	      "sub(/^[^ ]+ +/, \"\"); print }' | grep -v '/[._]'", stdout);
}

/*
 * Paths of the job's list, from one input.  Hadoop's client reads s3a:// alone,
 * flame-fold also s3://.
 */
static void put_listing(const char *input)
{
	const char *path = strstr(input, "://");

	path = path ? path + 3 : input;
	if (batch_is_hdfs(input)) {
		path += strcspn(path, "/");
		put_dfs_listing("", *path ? path : "/");
		printf(" |\n    sed 's,^hdfs://[^/]*,,; s,^,%.*s,'\n",
		       (int)(path - input), input);
	} else if (batch_is_s3(input)) {
		put_dfs_listing("s3a://", path);
		putchar('\n');
	} else if (flame_url(input) == FLAME_URL_TREE) {
		put_dfs_listing("", input);
		putchar('\n');
	} else if (path != input) {
		fputs("  printf '%s\\n' ", stdout);
		put_word(input);
		putchar('\n');
	} else {
		fputs("  find ", stdout);
		put_word(input);
		fputs(" -name '[._]?*' -prune -o -type f -print\n", stdout);
	}
}

static unsigned count_columns(const char *key)
{
	unsigned n = 1;

	for (; *key; key++)
		n += *key == ',';
	return n;
}

static void put_hadoop(const struct batch *batch, const char *tools,
		       const char *key, char *fold, char *draw)
{
	const struct cli *cli = batch->cli;
	const char *share = share_folder();
	unsigned fields = count_columns(key) + 2;

	printf("set -e\n{\n");
	for (size_t i = 0; i < cli->ninputs; i++)
		put_listing(cli->inputs[i]);
	printf("} | hdfs dfs -put -f - flame.paths\n"
	       "mapred streaming \\\n"
	       "  -D mapreduce.input.lineinputformat.linespermap=50 \\\n"
	       "  -D stream.map.input.ignoreKey=true \\\n"
	       "  -D stream.num.map.output.key.fields=%u \\\n"
	       "  -D stream.num.reduce.output.key.fields=%u \\\n"
	       "  -D mapreduce.map.speculative=false \\\n"
	       "  -D mapreduce.task.timeout=1800000 \\\n"
	       "  -files ", fields, fields);
	put_paths(4, tools, "flame-fold", tools, "flame-merge", share,
		  "hadoop/flame-map.sh", share, "hadoop/flame-reduce.sh");
	put_library();
	printf(" \\\n  -cmdenv FLAME_KEY=");
	put_word(key);
	printf(",metric");
	if (*fold) {
		/* Hadoop divides what -cmdenv sets at blanks alone. */
		for (char *c = fold; *c; c++)
			*c = *c == '\n' ? '\t' : *c;
		printf(" -cmdenv FLAME_OPTIONS=");
		put_word(fold);
	}
	printf(" \\\n"
	       "  -inputformat org.apache.hadoop.mapred.lib.NLineInputFormat "
	       "\\\n  -input flame.paths -output flame.parts \\\n"
	       "  -mapper flame-map.sh -combiner flame-reduce.sh "
	       "-reducer flame-reduce.sh\n"
	       "hdfs dfs -cat 'flame.parts/part-*' |\n  FLAME_KEY=");
	put_word(key);
	printf(",metric ");
	put_paths(1, share, "hadoop/flame-pages.sh");
	putchar(' ');
	put_word(batch->site);
	put_words(draw);
	putchar('\n');
}

/* An option with a blank would become two words on its way. */
static bool is_one_word_each(const struct cli *cli, const char *options)
{
	const char *blank = strpbrk(options, " \t'\"");

	if (!blank)
		return true;
	while (blank > options && blank[-1] != '\n')
		blank--;
	cli_say(cli, "--engine hadoop: %.*s: options for the mapper have no "
		"blanks and quotes; as \\s and . in expressions",
		(int)strcspn(blank, "\n"), blank);
	return false;
}

/* The commands are for scripts, and for people to send around. */
static bool has_no_secret(const struct cli *cli, const char *text)
{
	char *shown = strdup(text);
	bool same;

	if (!shown)
		return cli_no_memory(cli);
	flame_hide_secrets(shown, false);
	same = strcmp(shown, text) == 0;
	if (!same)
		cli_say(cli, "--engine: %s: the command would show the user, "
			"password or query of this URL: leave them out, and "
			"use FLAME_URL_TOKEN or HADOOP_USER_NAME", shown);
	free(shown);
	return same;
}

static bool have_no_secrets(const struct batch *batch, const char *fold,
			    const char *draw)
{
	const struct cli *cli = batch->cli;

	for (size_t i = 0; i < cli->ninputs; i++)
		if (!has_no_secret(cli, cli->inputs[i]))
			return false;
	return has_no_secret(cli, batch->site) && has_no_secret(cli, fold) &&
	       has_no_secret(cli, draw);
}

int batch_print_engine(const struct batch *batch, const char *engine,
		       const char *key)
{
	const struct cli *cli = batch->cli;
	char *fold = options_of(&cli->asks, &cli->filters);
	char *draw = options_of(&cli->sets, NULL);
	char tools[PATH_MAX];
	int status = CLI_TROUBLE;

	find_tools(tools, sizeof(tools));
	if (!fold || !draw) {
		cli_no_memory(cli);
	} else if (!have_no_secrets(batch, fold, draw)) {
		;
	} else if (strcmp(engine, "spark") == 0) {
		put_spark(batch, tools, key, fold, draw);
		status = cli_flush(cli);
	} else if (is_one_word_each(cli, fold)) {
		put_hadoop(batch, tools, key, fold, draw);
		status = cli_flush(cli);
	}
	free(fold);
	free(draw);
	return status;
}
