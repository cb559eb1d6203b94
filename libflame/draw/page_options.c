/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options of pages, pictures, terminal graphs and comparisons: each row of
 * fl_page_table has the option's name, its help, how its value is parsed, and
 * the member of struct fl_page that it sets.  page.c sets them, and formats.c
 * lists them for tools.
 */
#include "fl.h"

#include "draw/draw.h"

#include <stdio.h>
#include <unistd.h>

enum { MIN_BUDGET = 1024 };	/* for the lines around a call tree */

/* Outputs that use an option. */
enum {
	PICTURE = FL_OUTPUT_HTML | FL_OUTPUT_SVG,
	COLOURED = PICTURE | FL_OUTPUT_ANSI,
	DRAWN = PICTURE | FL_OUTPUT_TEXT,
	SVG_TEXT = FL_OUTPUT_SVG | FL_OUTPUT_TEXT,
	PAGE_TEXT = FL_OUTPUT_HTML | FL_OUTPUT_TEXT,
};

/* Pixels, or percent of all. */
static int set_minwidth(struct flame *flame, void *member, const char *value,
			char reason[FL_REASON_SIZE])
{
	struct fl_minwidth *to = member;
	size_t n = strlen(value);
	bool percent = n && value[n - 1] == '%';
	char copy[64];
	double width;

	(void)flame;
	(void)reason;
	if (!n || n >= sizeof(copy))
		return FLAME_FAILED;
	memcpy(copy, value, n + 1);
	if (percent)
		copy[n - 1] = '\0';
	if (!fl_parse_double(copy, &width) || width < 0)
		return FLAME_FAILED;
	/* 0 pixels would mean the writer's default, so 0 is a percentage. */
	*to = (struct fl_minwidth){ width, percent || width == 0 };
	return FLAME_OK;
}

/* Allows only characters of colours, so that it cannot end the style. */
static int set_color(struct flame *flame, void *member, const char *value,
		     char reason[FL_REASON_SIZE])
{
	(void)reason;
	for (const char *p = value; *p; p++)
		if (!strchr("#(),.% -", *p) && !(*p >= '0' && *p <= '9') &&
		    !((*p | 32) >= 'a' && (*p | 32) <= 'z'))
			return FLAME_FAILED;
	return *value ? fl_option_text(flame, member, value) : FLAME_FAILED;
}

/* A link must not run code in the page, as "javascript:" does. */
static int set_source_url(struct flame *flame, void *member, const char *value,
			  char reason[FL_REASON_SIZE])
{
	static const char *const schemes[] = {
		"https://", "http://", "file://", "vscode://", "idea://",
		"jetbrains://",
	};

	for (size_t i = 0; i < FL_COUNT(schemes); i++)
		if (strncasecmp(value, schemes[i], strlen(schemes[i])) == 0)
			return fl_option_text(flame, member, value);
	snprintf(reason, FL_REASON_SIZE, "not https, http, file, vscode, idea "
		 "or jetbrains, and ://");
	return FLAME_FAILED;
}

/* Whose sums the columns of a comparison are. */
static int set_runs(struct flame *flame, void *member, const char *value,
		    char reason[FL_REASON_SIZE])
{
	unsigned *runs = member;

	(void)flame;
	if (sscanf(value, "%u-%u", &runs[0], &runs[1]) == 2 && runs[0] &&
	    runs[1])
		return FLAME_OK;
	snprintf(reason, FL_REASON_SIZE, "two numbers, as 24-26");
	return FLAME_FAILED;
}

static int set_budget(struct flame *flame, void *member, const char *value,
		      char reason[FL_REASON_SIZE])
{
	size_t bytes;

	(void)flame;
	if (!flame_parse_size(value, &bytes)) {
		snprintf(reason, FL_REASON_SIZE, "a size, as 4000, 16k, 1M");
		return FLAME_FAILED;
	}
	if (bytes < MIN_BUDGET) {
		snprintf(reason, FL_REASON_SIZE, "less than %d bytes",
			 MIN_BUDGET);
		return FLAME_FAILED;
	}
	*(int64_t *)member = (int64_t)FL_MIN(bytes, (size_t)INT64_MAX);
	return FLAME_OK;
}

static bool is_expression(const char *value, char *reason)
{
	struct fl_regex *re = fl_regex_new(value, false, reason,
					   FL_REASON_SIZE);

	fl_regex_free(re);
	return re;
}

static int set_highlight(struct flame *flame, void *member, const char *value,
			 char *reason)
{
	return is_expression(value, reason) ?
	       fl_option_text(flame, member, value) : FLAME_FAILED;
}

static int add_mine(struct flame *flame, void *member, const char *value,
		    char *reason)
{
	return is_expression(value, reason) ?
	       fl_option_line(flame, member, value) : FLAME_FAILED;
}

static int set_colors(struct flame *flame, void *member, const char *value,
		      char *reason)
{
	(void)reason;
	if (!fl_scheme_named(flame, value))
		return FLAME_FAILED;
	return fl_option_text(flame, member, value);
}

#define AT(member) .offset = offsetof(struct fl_page, member)

static const struct fl_option rows[] = {
	{ "title", "TEXT", "heading of the page", FL_OPTION_TEXT, AT(title),
	  .outputs = DRAWN, .often = true },
	{ "subtitle", "TEXT", "second line of the heading",
	  FL_OPTION_TEXT, AT(subtitle), .outputs = DRAWN },
	{ "notes", "TEXT", "notes stored in the page",
	  FL_OPTION_TEXT, AT(notes), .outputs = PICTURE },
	{ "colors", "NAME", "colour scheme (java, mem, hot, ...)",
	  FL_OPTION_TEXT, AT(colors), .set = set_colors,
	  .outputs = COLOURED, .often = true },
	{ "highlight", "RE", "mark frames that match",
	  FL_OPTION_TEXT, AT(highlight), .set = set_highlight,
	  .outputs = COLOURED, .often = true },
	{ "mine", "RE", "colour what matches, all else is grey",
	  FL_OPTION_LINES, AT(mine), .set = add_mine, .outputs = COLOURED,
	  .often = true },
	{ "negate", NULL, "swap the colours of a comparison",
	  FL_OPTION_FLAG, AT(compare.negate), .outputs = COLOURED },
	{ "widths", "after|before|max", "comparison: what widths are (after)",
	  FL_OPTION_WORD, AT(compare.widths), .first = FL_WIDTHS_AFTER,
	  .outputs = DRAWN, .often = true },
	{ "delta", "self|total", "comparison: what colours show (self)",
	  FL_OPTION_WORD, AT(compare.delta), .first = FL_DELTA_SELF,
	  .outputs = DRAWN },
	{ "noise", "SIGMAS", "comparison: changes within it stay grey (2)",
	  FL_OPTION_NUMBER, AT(compare.noise), .outputs = COLOURED },
	{ "normalize", "none|total|time",
	  "comparison: as if totals or times were equal",
	  FL_OPTION_WORD, AT(compare.normalize), .first = FL_NORMAL_NONE },
	{ "countname", "TEXT", "what is counted (samples)",
	  FL_OPTION_TEXT, AT(countname), .outputs = DRAWN },
	{ "width", "PIXELS", "width of the picture (text: columns)",
	  FL_OPTION_NUMBER, AT(width), .least = 10, .outputs = SVG_TEXT,
	  .often = true },
	{ "height", "PIXELS", "height of a frame",
	  FL_OPTION_NUMBER, AT(frame_height), .least = 4, .outputs = PICTURE },
	{ "minwidth", "N[%]", "leave out frames narrower than this",
	  FL_OPTION_SPECIAL, AT(minwidth), .set = set_minwidth, .often = true },
	{ "budget", "BYTES", "text: a call tree of at most BYTES (16k)",
	  FL_OPTION_SPECIAL, AT(text.budget), .set = set_budget,
	  .outputs = FL_OUTPUT_TEXT },
	{ "events", "all|LIST", "HTML: several events, with a tab for each",
	  FL_OPTION_TEXT, AT(events), .least = 1,
	  .selects = FLAME_BY_METRICS, .often = true },
	{ "inverted", NULL, "root on top (icicle)",
	  FL_OPTION_FLAG, AT(inverted), .outputs = DRAWN, .often = true },
	{ "no-time", NULL, "HTML: without times and threads",
	  FL_OPTION_FLAG, AT(html.no_time), .outputs = FL_OUTPUT_HTML },
	{ "fold-trunk", NULL, "SVG: one row for a run of single calls",
	  FL_OPTION_FLAG, AT(svg.fold_trunk), .outputs = FL_OUTPUT_SVG },
	{ "no-fold-trunk", NULL, "HTML: open runs of single calls",
	  FL_OPTION_FLAG, AT(html.no_fold_trunk), .outputs = FL_OUTPUT_HTML },
	{ "sort", "weight|name", "siblings: heaviest first (html), by name (svg)",
	  FL_OPTION_WORD, AT(sort), .first = FL_SORT_WEIGHT,
	  .outputs = PICTURE, .often = true },
	{ "source-url", "URL",
	  "HTML: open this for a frame, {path} {line} ...",
	  FL_OPTION_TEXT, AT(html.source_url), .set = set_source_url,
	  .outputs = FL_OUTPUT_HTML },
	{ "split", NULL, "HTML: script and style as files beside the page",
	  FL_OPTION_FLAG, AT(html.split), .outputs = FL_OUTPUT_HTML },
	{ "tree", NULL, "open as a tree of rows", FL_OPTION_FLAG, AT(as_tree),
	  .outputs = PAGE_TEXT, .often = true },

	/* Only for flame-graph. */
	{ "bgcolors", "COLOR", "SVG: background, #rrggbb or a gradient",
	  FL_OPTION_TEXT, AT(svg.background), FL_SCOPE_DETAIL, .set = set_color,
	  .outputs = FL_OUTPUT_SVG },
	{ "factor", "F", "SVG: multiply the counts that are shown",
	  FL_OPTION_NUMBER, AT(svg.factor), FL_SCOPE_DETAIL,
	  .outputs = FL_OUTPUT_SVG },
	{ "flamechart", NULL, "SVG: samples in their order, not merged",
	  FL_OPTION_FLAG, AT(chart), FL_SCOPE_DETAIL, .often = true },
	{ "fontsize", "PIXELS", "SVG: size of the labels (12)",
	  FL_OPTION_NUMBER, AT(svg.font_size), FL_SCOPE_DETAIL, .least = 4,
	  .outputs = FL_OUTPUT_SVG },
	{ "fonttype", "NAME", "SVG: font",
	  FL_OPTION_TEXT, AT(svg.font), FL_SCOPE_DETAIL,
	  .outputs = FL_OUTPUT_SVG },
	{ "nameattr", "FILE", "SVG: links and titles by name",
	  FL_OPTION_TEXT, AT(svg.nameattr), FL_SCOPE_DETAIL,
	  .set = fl_option_file,
	  .outputs = FL_OUTPUT_SVG },
	{ "nametype", "TEXT", "SVG: what a name is, in the details",
	  FL_OPTION_TEXT, AT(svg.nametype), FL_SCOPE_DETAIL,
	  .outputs = FL_OUTPUT_SVG },
	{ "no-javascript", NULL, "SVG: without the script",
	  FL_OPTION_FLAG, AT(svg.no_script), FL_SCOPE_DETAIL,
	  .outputs = FL_OUTPUT_SVG },
	{ "search-color", "COLOR", "SVG: of what a search finds",
	  FL_OPTION_TEXT, AT(svg.search_color), FL_SCOPE_DETAIL,
	  .set = set_color, .outputs = FL_OUTPUT_SVG },
	{ "stroke-color", "COLOR", "SVG: of the gaps between frames",
	  FL_OPTION_TEXT, AT(svg.stroke_color), FL_SCOPE_DETAIL,
	  .set = set_color, .outputs = FL_OUTPUT_SVG },
	{ "uicolor", "COLOR", "SVG: of the text around the frames",
	  FL_OPTION_TEXT, AT(svg.ui_color), FL_SCOPE_DETAIL, .set = set_color,
	  .outputs = FL_OUTPUT_SVG },

	/* Set by tools for their own options. */
	{ "ansi", NULL, NULL, FL_OPTION_FLAG, AT(text.ansi), FL_SCOPE_HIDDEN },
	{ "color-by", "sum|hash|deterministic|random", NULL,
	  FL_OPTION_WORD, AT(color_by), FL_SCOPE_HIDDEN,
	  .first = FL_CLASSIC_BY_SUM },
	{ "compat", NULL, NULL, FL_OPTION_FLAG, AT(compat), FL_SCOPE_HIDDEN },
	{ "compat-root", NULL, NULL,
	  FL_OPTION_FLAG, AT(compat_root), FL_SCOPE_HIDDEN },
	{ "merge-tiers", NULL, NULL,
	  FL_OPTION_FLAG, AT(folded.merge_tiers), FL_SCOPE_HIDDEN },
	{ "cp", "FILE", NULL,
	  FL_OPTION_TEXT, AT(svg.palette), FL_SCOPE_HIDDEN },
	{ "findings", "TEXT", NULL,
	  FL_OPTION_TEXT, AT(html.findings), FL_SCOPE_HIDDEN },
	{ "header", NULL, NULL,
	  FL_OPTION_FLAG, AT(folded.header), FL_SCOPE_HIDDEN },
	{ "key", "KEY[,KEY...]", NULL,
	  FL_OPTION_TEXT, AT(folded.key), FL_SCOPE_HIDDEN },
	{ "links", "TEXT", NULL,
	  FL_OPTION_TEXT, AT(html.links), FL_SCOPE_HIDDEN },
	{ "made-with", "TEXT", NULL,
	  FL_OPTION_TEXT, AT(made_with), FL_SCOPE_HIDDEN },
	{ "origins", "TEXT", NULL, FL_OPTION_TEXT, AT(stated), FL_SCOPE_HIDDEN },
	{ "peer", "perl|inferno", NULL,
	  FL_OPTION_WORD, AT(compat_tool), FL_SCOPE_HIDDEN, .first = FL_PEER_PERL },
	{ "root-on-top", NULL, NULL,
	  FL_OPTION_FLAG, AT(inverted), FL_SCOPE_HIDDEN },
	{ "runs", "N-N", NULL, FL_OPTION_SPECIAL, AT(compare.runs),
	  FL_SCOPE_HIDDEN, .set = set_runs },
	{ "whole", "N", NULL, FL_OPTION_COUNT, AT(all), FL_SCOPE_HIDDEN },
	{ .name = NULL }
};

const struct fl_option_table fl_page_table = {
	.rows = rows, .size = sizeof(struct fl_page),
};

static bool is_of_comparisons(const struct fl_option *row)
{
	return fl_event_listed("negate,widths,delta,noise,normalize",
			       row->name);
}

/* A page can show one profile of a comparison, a picture cannot. */
static bool is_of_one(const struct fl_page *page, const struct fl_option *row)
{
	return page->output != FL_OUTPUT_HTML &&
	       (strcmp(row->name, "mine") == 0 ||
		(strcmp(row->name, "colors") == 0 &&
		 strncmp(page->colors, "classic-", 8) != 0));
}

/* Why an output does not use a row; NULL: it does. */
static const char *unused(const struct fl_page *page,
			  const struct fl_option *row)
{
	unsigned output = page->output;

	if (page->text.ansi)
		output |= FL_OUTPUT_ANSI;
	if (page->tree->columns == 1 && is_of_comparisons(row))
		return "nothing is compared";
	if (output == FL_OUTPUT_OTHER && strcmp(row->name, "minwidth") == 0 &&
	    !page->minwidth.percent)
		return "this output has no pixels, only N% has an effect";
	if (!row->outputs || (row->outputs & output))
		return page->tree->columns == 2 && is_of_one(page, row) ?
		       "colours show what changed" : NULL;
	if (row->outputs == FL_OUTPUT_HTML)
		return "only a page (html) uses it";
	if (row->outputs == FL_OUTPUT_TEXT)
		return "only text (-f text) keeps to it";
	if (row->outputs == FL_OUTPUT_SVG)
		return "only a picture (svg) uses it";
	if (output & FL_OUTPUT_TEXT && row->outputs & FL_OUTPUT_ANSI)
		return "this text has no colours";
	return "this output has no use for it";
}

void fl_page_remark_unused(const struct fl_page *page)
{
	_Static_assert(FL_COUNT(rows) <= 64, "each has a bit in page->options");

	for (size_t i = 0; rows[i].name; i++) {
		const char *why = page->options >> i & 1 ?
				  unused(page, &rows[i]) : NULL;

		if (why && rows[i].scope != FL_SCOPE_HIDDEN)
			fl_remark(page->tree->flame, "--%s is ignored: %s",
				  rows[i].name, why);
	}
}
