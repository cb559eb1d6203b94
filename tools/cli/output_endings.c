/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli_check_ending() refuses an output whose name has the ending of a format
 * that no writer has, such as .png: other text or a page under such a name
 * would be a trap.  Called by cli.c before inputs are opened, and jfr2flame
 * asks the same table.
 */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { DRAWN = 'd', TABLE = 't', OTHER = 'o' };

static const struct ending {
	const char *ending, *format;
	char kind;
} endings[] = {
	{ ".png", "PNG", DRAWN }, { ".pdf", "PDF", DRAWN },
	{ ".jpg", "JPEG", DRAWN }, { ".jpeg", "JPEG", DRAWN },
	{ ".gif", "GIF", DRAWN }, { ".webp", "WebP", DRAWN },
	{ ".avif", "AVIF", DRAWN }, { ".bmp", "BMP", DRAWN },
	{ ".tif", "TIFF", DRAWN }, { ".tiff", "TIFF", DRAWN },
	{ ".ps", "PostScript", DRAWN }, { ".eps", "PostScript", DRAWN },
	{ ".json", "JSON", OTHER }, { ".csv", "CSV", TABLE },
	{ ".xlsx", "XLSX", TABLE }, { ".parquet", "Parquet", TABLE },
	{ ".xml", "XML", OTHER }, { ".md", "Markdown", OTHER },
	{ ".jfr", "jfr", OTHER },
};

/* Before .gz or .zst. */
static size_t bare_size(const char *path)
{
	static const char *const packed[] = { ".gz", ".zst" };
	size_t size = strlen(path);

	for (size_t i = 0; i < sizeof(packed) / sizeof(*packed); i++) {
		size_t n = strlen(packed[i]);

		if (size > n && strcasecmp(path + size - n, packed[i]) == 0)
			return size - n;
	}
	return size;
}

static const struct ending *find(const char *path)
{
	size_t size = bare_size(path);

	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
		size_t n = strlen(endings[i].ending);

		if (size > n && strncasecmp(path + size - n, endings[i].ending,
					    n) == 0)
			return &endings[i];
	}
	return NULL;
}

const char *cli_not_written(const char *path)
{
	const struct ending *e = flame_format_of(path) ? NULL : find(path);

	return e ? e->format : NULL;
}

bool cli_is_picture(const char *path)
{
	const struct ending *e = find(path);

	return e && e->kind == DRAWN;
}

/* "html, svg, text" */
static void list_formats(char *list, size_t size)
{
	struct flame_row row;
	size_t n = 0;

	for (unsigned i = 0; n < size && flame_rows('o', i, &row); i++)
		n += (size_t)snprintf(list + n, size - n, "%s%s",
				      i ? ", " : "", row.name);
}

static void refuse(const struct cli *cli, const struct ending *e)
{
	char list[512] = "";

	list_formats(list, sizeof(list));
	if (strcmp(e->format, "jfr") == 0)
		cli_say(cli, "%s: only -f jfr writes recordings: it copies "
			"the selected events of JFR inputs", cli->output);
	else if (strcmp(e->format, "JSON") == 0)
		cli_say(cli, "%s: which JSON? End the name in .speedscope.json "
			"or .ndjson, or say -f FORMAT: %s", cli->output, list);
	else
		cli_say(cli, "%s: %s is not written: end the name in %s, or "
			"say -f FORMAT: %s", cli->output, e->format,
			e->kind == DRAWN ? ".svg or .html" :
			e->kind == TABLE ? ".tsv" : ".folded or .html", list);
}

/* Of a tool that writes folded stacks alone, or a table. */
static bool check_fixed(const struct cli *cli)
{
	const char *format = flame_format_of(cli->output);
	const char *other = cli_not_written(cli->output);

	/* flame-top has these. */
	if (cli->own_output && !cli_takes(cli->tool, 'o') &&
	    (flame_format_facts(format) & FLAME_TABLE ||
	     (other && strcmp(other, "JSON") == 0)))
		return true;
	if (!other && (!format || flame_format_facts(format) & FLAME_ADDS_UP))
		return true;
	cli_say(cli, "%s: %s is written here, not %s%s", cli->output,
		cli->own_output ? "a table" : "folded text",
		other ? other : format,
		other ? "" : ": flame-graph writes that");
	return false;
}

bool cli_check_ending(const struct cli *cli)
{
	if (!cli->output || strncmp(cli->output, "/dev/", 5) == 0 ||
	    cli->tool->lists || cli->output_format)
		return true;
	if (cli->own_output || !cli_takes(cli->tool, 'o'))
		return check_fixed(cli);
	if (!cli_not_written(cli->output))
		return true;
	refuse(cli, find(cli->output));
	return false;
}
