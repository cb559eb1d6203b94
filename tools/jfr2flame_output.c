/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses the output of jfr2flame and its format: by -o, which names one of the
 * two, or by the last of several operands, if it looks like an output.  Refuses
 * formats that are not written, and an operand that may be the output of an
 * earlier run.  Called by jfr2flame.c as it parses options.
 */
#include "jfr2flame.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * A format by our name or jfrconv's, in upper or lower case; NULL: it is none.
 * "heatmap" and "flamegraph" are pages.
 */
const char *jfr2flame_format(const char *name)
{
	static const struct { const char *theirs, *ours; } known[] = {
		{ "collapsed", "collapsed" }, { "flamegraph", "html" },
		{ "heatmap", "html" }, { "pb.gz", "pprof" },
	};
	struct flame_row row;

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strcasecmp(name, known[i].theirs) == 0)
			return known[i].ours;
	for (unsigned i = 0; flame_rows('o', i, &row); i++)
		if (strcasecmp(row.name, name) == 0)
			return row.name;
	return NULL;
}

static bool ends(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && strcmp(text + n - m, end) == 0;
}

/* What other tools write, by its name or a file's, and we do not; or NULL. */
static const char *not_written(const char *name)
{
	static const char *const formats[] = { "JSON", "jfr", "PNG", "PDF" };

	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		if (strcmp(name, formats[i]) == 0)
			return formats[i];
	return cli_not_written(name);
}

/* false, and that is what this is for. */
static bool say_not_written(const struct cli *cli, const char *option,
			    const char *name)
{
	const char *format = not_written(name);

	cli_say(cli, "%s%s: %s cannot be written; name a file that ends in "
		".html, .svg, .folded, .pb.gz, .otlp or .speedscope.json",
		option, name, format ? format : "this ending");
	return false;
}

/* A device, or what the shell makes of >(command). */
static bool is_written_to(const char *path)
{
	static const char descriptors[] = "/dev/fd/";
	struct stat st;
	int flags;

	if (strncmp(path, descriptors, strlen(descriptors)) == 0) {
		flags = fcntl(atoi(path + strlen(descriptors)), F_GETFL);
		return flags >= 0 && (flags & O_ACCMODE) == O_WRONLY;
	}
	return strcmp(path, "/dev/stdout") == 0 ||
	       strcmp(path, "/dev/stderr") == 0 ||
	       (strcmp(path, "/dev/stdin") != 0 && stat(path, &st) == 0 &&
		S_ISCHR(st.st_mode));
}

bool jfr2flame_set_output(struct cli *cli, const char *value,
			  bool *format_given)
{
	if (not_written(value))
		return say_not_written(cli, "-o ", value);
	if (jfr2flame_format(value)) {
		cli->output_format = jfr2flame_format(value);
		*format_given = true;
		return true;
	}
	if (strcmp(value, "-") == 0 || flame_format_of(value) ||
	    is_written_to(value)) {
		cli->output = value;
		return true;
	}
	cli_say(cli, "-o %s: neither a format (html, svg, collapsed) nor a "
		"file name that ends like one", value);
	return false;
}

static bool is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The format of a file's contents; NULL: not known before reading. */
static const char *format_in(const char *path)
{
	struct flame *flame = NULL;
	struct flame_source *source = NULL;
	const char *format = NULL;
	struct stat st;

	if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
		flame = flame_new();
	if (flame)
		source = flame_open(flame, path, NULL);
	if (source)
		format = flame_source_format(source);
	flame_close(source);
	flame_free(flame);
	return format;
}

/*
 * Whether the last operand is the output of an earlier run of this command: it
 * is neither an input, whose counts would be added again, nor safe to
 * overwrite.
 */
static bool is_of_before(const struct cli *cli, const char *last)
{
	const char *first = format_in(cli->inputs[0]), *its = format_in(last);
	const char *wanted = cli->output_format;

	if (strcmp(wanted, "collapsed") == 0)
		wanted = "folded";
	return first && its && strcmp(its, wanted) == 0 &&
	       strcmp(first, its) != 0;
}

/* Whether a path has the name of a recording: no page is written there. */
static bool is_called_recording(const char *path)
{
	static const char *const endings[] = {
		".jfr", ".jfr.gz", ".jfr.zst", ".jfr.lz4", ".jfr.xz",
		".jfr.lzma", ".jfr.bz2", ".jfr.zip"
	};
	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++)
		if (ends(path, endings[i]) && path[0] != '.')
			return true;
	return false;
}

/* A name like out.pb.gz does not show people its format. */
static void say_pprof(const struct cli *cli)
{
	const char *format = flame_format_of(cli->output);

	if (!cli->quiet && !cli->output_format && format &&
	    strcmp(format, "pprof") == 0)
		cli_say(cli, "%s: written as pprof, as its name ends so",
			cli->output);
}

/* The last of several operands is the output, if it looks like one. */
bool jfr2flame_resolve_output(struct cli *cli)
{
	const char *last;

	if (cli->output || cli->ninputs < 2)
		return true;
	last = cli->inputs[cli->ninputs - 1];
	if (strcmp(last, "-") == 0 || is_written_to(last) ||
	    flame_format_of(last) || is_directory(last) ||
	    (cli->output_format && access(last, F_OK) != 0 &&
	     !is_called_recording(last))) {
		cli->output = last;
		cli->ninputs--;
		say_pprof(cli);
	} else if (access(last, F_OK) != 0 && !is_called_recording(last) &&
		   (not_written(last) || strrchr(last, '.'))) {
		return say_not_written(cli, "", last);
	} else if (cli_is_picture(last)) {
		return say_not_written(cli, "", last);
	} else if (cli->output_format && is_of_before(cli, last)) {
		cli_say(cli, "%s: there is %s in it: an input, or written by "
			"a run before?  Give it a name that ends in .%s, or "
			"write to standard output (> %s)", last,
			cli->output_format, cli->output_format, last);
		return false;
	}
	return true;
}
