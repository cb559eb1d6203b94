/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a struct cli_table (table.h), which is a report's columns and rows, as
 * text, Markdown, HTML, TSV, CSV or JSON, with a function for each.  For
 * flame-top and flame-diff.  cli_print(), as printf() into an output, and the
 * spelling of weights and ratios are here, too.
 */
#include "cli/table.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { MAX_INDENT = 120 };	/* columns; deeper frames have no more */

/* Set once a write fails: the table fails as a whole. */
static bool print_failed;

static bool print_long(struct flame_text *out, const char *format,
		       va_list args)
{
	char *text;
	int n = vasprintf(&text, format, args);

	if (n < 0) {
		print_failed = true;
		return false;
	}
	n = flame_text_put(out, text, n);
	free(text);
	return n == FLAME_OK;
}

bool cli_print(struct flame_text *out, const char *format, ...)
{
	char text[512];
	va_list args;
	bool good;
	int n;

	va_start(args, format);
	n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (n >= 0 && (size_t)n < sizeof(text))
		return flame_text_put(out, text, n) == FLAME_OK;
	va_start(args, format);
	good = print_long(out, format, args);
	va_end(args);
	return good;
}

int cli_text_finish(const struct cli *cli, struct flame_text *out)
{
	if (print_failed) {
		flame_text_abandon(out);
		cli_no_memory(cli);
		return CLI_TROUBLE;
	}
	return flame_text_finish(out) == FLAME_OK ? CLI_FINE : CLI_TROUBLE;
}

/* Cells ----------------------------------------------------------------- */

static struct cli_cell cell(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

static struct cli_cell cell(const char *format, ...)
{
	struct cli_cell c;
	va_list args;

	va_start(args, format);
	vsnprintf(c.text, sizeof(c.text), format, args);
	va_end(args);
	return c;
}

static struct cli_cell percent_of(double ratio)
{
	return cell("%+.1f%%", ratio * 100 - 100);
}

struct cli_cell cli_ratio(double ratio)
{
	return isinf(ratio) ? cell("%s", ratio > 0 ? "new" : "0") :
	       ratio < 0 ? cell("gone") : percent_of(ratio);
}

struct cli_cell cli_interval(double low, double high)
{
	if (isnan(high))
		return cell("-");
	return cell("%s to %s", percent_of(low).text, percent_of(high).text);
}

static struct cli_cell weight_in(bool micro, int64_t n)
{
	if (!micro)
		return cell("%" PRId64, n);
	return cell("%s%" PRId64 ".%06" PRId64, n < 0 ? "-" : "",
		    n / 1000000 < 0 ? -(n / 1000000) : n / 1000000,
		    n % 1000000 < 0 ? -(n % 1000000) : n % 1000000);
}

struct cli_cell cli_weight(const struct cli_table *t, int64_t n)
{
	return weight_in(t->micro, n);
}

struct cli_cell cli_real(const struct cli_table *t, double number)
{
	return cell("%.*f", t->digits, number);
}

static const void *member(const struct cli_column *c, const void *row)
{
	return (const char *)row + c->offset;
}

/* The same for numbers of the kinds below. */
#define NUMBER(type) (*(const type *)member(c, row))

/* In percent. */
static double share(const struct cli_table *t, int64_t n)
{
	return t->total ? 100.0 * (double)n / (double)t->total : 0;
}

static struct cli_cell spell(const struct cli_table *t,
			     const struct cli_column *c, const void *row)
{
	switch (c->kind) {
	case CLI_CELL_LEVEL:
		return cell("%u", NUMBER(unsigned));
	case CLI_CELL_WEIGHT:
		return cli_weight(t, NUMBER(int64_t));
	case CLI_CELL_COUNT:
	case CLI_CELL_MICRO:
		return weight_in(c->kind == CLI_CELL_MICRO, NUMBER(int64_t));
	case CLI_CELL_DELTA:
		return NUMBER(int64_t) ? cell("%+" PRId64, NUMBER(int64_t)) :
					 cell("0");
	case CLI_CELL_SHARE:
		return cell("%.2f%%", share(t, NUMBER(int64_t)));
	case CLI_CELL_REAL:
		return isnan(NUMBER(double)) ? cell("-") :
					       cli_real(t, NUMBER(double));
	case CLI_CELL_SIGNED:
		return cell("%+.*f", t->digits, NUMBER(double));
	case CLI_CELL_PERCENT:
		return cell("%.2f%%", NUMBER(double));
	case CLI_CELL_RATIO:
		return cli_ratio(NUMBER(double));
	case CLI_CELL_INTERVAL:
		return cli_interval(NUMBER(double), (&NUMBER(double))[1]);
	case CLI_CELL_CHANCE:
		return cell("%.1g", NUMBER(double));
	case CLI_CELL_BOOL:
		return cell("%s", NUMBER(bool) ? "*" : "");
	default:
		return cell("%s", "");
	}
}

static bool is_name(const struct cli_column *c)
{
	return c->kind == CLI_CELL_NAME || c->kind == CLI_CELL_FRAME;
}

static bool is_shown(const struct cli_column *c, const char *name, unsigned in)
{
	return name && (!c->when || (c->when & in));
}

char *cli_frame_text(const struct cli_table *t, const struct cli_frame *frame)
{
	size_t n, size, indent = frame->level;
	const char *text = flame_name_text(t->flame, frame->name, &n);
	char *shown;

	if (!frame->name) {
		text = t->nobody;
		n = strlen(text);
	}
	indent = indent < MAX_INDENT ? indent : MAX_INDENT;
	size = flame_visible(NULL, 0, text, n);
	shown = malloc(indent + size + sizeof(" (self)"));
	if (!shown)
		return NULL;
	memset(shown, ' ', indent);
	flame_visible(shown + indent, size + 1, text, n);
	if (frame->self)
		strcat(shown, " (self)");
	return shown;
}

static char *name_text(const struct cli_table *t, const struct cli_column *c,
		       const void *row)
{
	const char *text = c->kind == CLI_CELL_NAME ? NUMBER(char *const) :
						      NULL;

	return text ? strdup(text) : c->kind == CLI_CELL_NAME ? NULL :
	       cli_frame_text(t, member(c, row));
}

static const void *row_at(const struct cli_table *t, size_t i)
{
	return (const char *)t->rows + i * t->row_size;
}

static size_t row_count(const struct cli_table *t, size_t most)
{
	return most && most < t->n ? most : t->n;
}

/* Text -------------------------------------------------------------------- */

static bool in_colour(const struct cli *cli)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return strcmp(cli->output, "-") == 0 && isatty(STDOUT_FILENO) &&
	       !(no && no[0]) && !(term && strcmp(term, "dumb") == 0);
}

/* Columns of the terminal; 0: none, or not known. */
static size_t screen_width(const struct cli *cli)
{
	struct winsize size;

	if (strcmp(cli->output, "-") != 0 || !isatty(STDOUT_FILENO) ||
	    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
		return 0;
	return size.ws_col;
}

static bool is_inside(char c)
{
	return (c & 0xc0) == 0x80;	/* not the first byte of UTF-8 */
}

/* A name without its beginning, so that it is at most `width` wide. */
static void put_name(struct flame_text *out, const char *name, size_t width)
{
	size_t indent = strspn(name, " "), n = 0;
	const char *at = name + strlen(name);

	for (const char *p = name; *p; p++)
		n += !is_inside(*p);
	if (n <= width || width < indent + 8) {
		flame_text_put(out, name, strlen(name));
		return;
	}
	for (n = width - indent - 2; n; n--)
		while (is_inside(*--at))
			;
	cli_print(out, "%*s..", (int)indent, "");
	flame_text_put(out, at, strlen(at));
}

static const char *colour_of(char mark)
{
	switch (mark) {
	case 'h': return "\033[1m";
	case '+': return "\033[31m";
	case '-': return "\033[32m";
	case '.': return "\033[2m";
	}
	return "";
}

static size_t letters(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += !is_inside(*text);
	return n;
}

/* The next column of names that text shows; the last one is as wide as it is. */
static const struct cli_column *next_name(const struct cli_column *c)
{
	for (; c->kind; c++)
		if (is_shown(c, c->title, CLI_IN_TEXT) && is_name(c))
			return c;
	return NULL;
}

/* The widest cell of a column. */
static size_t width_of(const struct cli_table *t, const struct cli_column *c,
		       size_t n)
{
	size_t width = strlen(c->title), size;

	for (size_t i = 0; i < n; i++) {
		const void *row = row_at(t, i);
		char *name = is_name(c) ? name_text(t, c, row) : NULL;

		size = letters(name ? name : is_name(c) ? "" :
			       spell(t, c, row).text);
		width = size > width ? size : width;
		free(name);
	}
	return width;
}

enum { MAX_COLUMNS = 32 };

struct screen {
	size_t widths[MAX_COLUMNS];
	size_t left;		/* for names */
	bool colours;
};

/* The cells of a row, or the titles, before its name. */
static void put_cells(const struct cli_table *t, struct flame_text *out,
		      const void *row, const struct screen *s)
{
	size_t i = 0;

	for (const struct cli_column *c = t->columns; c->kind; c++, i++)
		if (is_shown(c, c->title, CLI_IN_TEXT) && !is_name(c))
			cli_print(out, "%*s  ", (int)s->widths[i],
				  row ? spell(t, c, row).text : c->title);
}

static bool put_row(const struct cli_table *t, struct flame_text *out,
		    const void *row, const struct screen *s)
{
	const char *colour = !s->colours ? "" :
			     colour_of(!row ? 'h' : t->mark ? t->mark(t, row) :
							      ' ');
	const struct cli_column *c = next_name(t->columns), *next;
	char *name;

	cli_print(out, "%s", colour);
	put_cells(t, out, row, s);
	for (; c; c = next) {
		next = next_name(c + 1);
		name = row ? name_text(t, c, row) :
		       strdup(t->title ? t->title : c->title);
		if (!name)
			return cli_no_memory(t->cli);
		put_name(out, name, next ? SIZE_MAX : s->left);
		if (next)
			cli_print(out, "%*s", (int)(s->widths[c - t->columns] +
						    2 - letters(name)), "");
		free(name);
	}
	cli_print(out, "%s\n", colour[0] ? "\033[0m" : "");
	return true;
}

bool cli_table_text(const struct cli_table *t, size_t most,
		    struct flame_text *out)
{
	struct screen s = { .colours = in_colour(t->cli) };
	size_t n = row_count(t, most), used = 0, i = 0;
	bool good;

	for (const struct cli_column *c = t->columns; c->kind; c++, i++)
		if (is_shown(c, c->title, CLI_IN_TEXT) &&
		    (!is_name(c) || next_name(c + 1))) {
			s.widths[i] = width_of(t, c, n);
			used += s.widths[i] + 2;
		}
	s.left = screen_width(t->cli);
	s.left = s.left > used ? s.left - used : SIZE_MAX;
	good = put_row(t, out, NULL, &s);
	for (i = 0; good && i < n; i++)
		good = put_row(t, out, row_at(t, i), &s);
	return good;
}

/* Markdown ---------------------------------------------------------------- */

static bool put_markdown_cell(const struct cli_table *t,
			      const struct cli_column *c, const void *row,
			      struct flame_text *out)
{
	char *name, *code;

	if (!is_name(c))
		return cli_print(out, " %s |", spell(t, c, row).text);
	name = name_text(t, c, row);
	code = name ? cli_markdown(name, true) : NULL;
	if (code)
		cli_print(out, " `%s` |", code);
	else
		cli_no_memory(t->cli);
	free(name);
	free(code);
	return code;
}

bool cli_table_markdown(const struct cli_table *t, size_t most,
			struct flame_text *out)
{
	size_t n = row_count(t, most);
	bool good = cli_print(out, "|");

	for (const struct cli_column *c = t->columns; c->kind; c++)
		if (is_shown(c, c->title, CLI_IN_MARKDOWN))
			cli_print(out, " %s |", c->title);
	cli_print(out, "\n|");
	for (const struct cli_column *c = t->columns; c->kind; c++)
		if (is_shown(c, c->title, CLI_IN_MARKDOWN))
			cli_print(out, is_name(c) ? "---|" : "--:|");
	cli_print(out, "\n");
	for (size_t i = 0; good && i < n; i++) {
		cli_print(out, "|");
		for (const struct cli_column *c = t->columns; good && c->kind;
		     c++)
			if (is_shown(c, c->title, CLI_IN_MARKDOWN))
				good = put_markdown_cell(t, c, row_at(t, i),
							 out);
		cli_print(out, "\n");
	}
	return good;
}

/* HTML -------------------------------------------------------------------- */

void cli_html_text(FILE *to, const char *text)
{
	for (; *text; text++)
		switch (*text) {
		case '<': fputs("&lt;", to); break;
		case '&': fputs("&amp;", to); break;
		case '"': fputs("&quot;", to); break;
		default: putc(*text, to);
		}
}

void cli_table_html(const struct cli_table *t, size_t most, FILE *to)
{
	size_t n = row_count(t, most);

	fputs("<table><tr>", to);
	for (const struct cli_column *c = t->columns; c->kind; c++)
		if (is_shown(c, c->title, CLI_IN_HTML))
			fprintf(to, "<th>%c%s",
				toupper((unsigned char)c->title[0]),
				c->title + 1);
	fputs("</tr>", to);
	for (size_t i = 0; i < n; i++) {
		const void *row = row_at(t, i);

		fputs("<tr>", to);
		for (const struct cli_column *c = t->columns; c->kind; c++)
			if (!is_shown(c, c->title, CLI_IN_HTML))
				continue;
			else if (c->html)
				c->html(to, t, row);
			else
				fprintf(to, "<td>%s</td>",
					spell(t, c, row).text);
		fputs("</tr>", to);
	}
	fputs("</table>", to);
}

/* TSV and CSV ------------------------------------------------------------- */

/* In CSV, quoted where it would not stay one field. */
static void put_separated(struct flame_text *out, const char *at, size_t size,
			  char between)
{
	if (between != ',' || !(memchr(at, ',', size) || memchr(at, '"', size))) {
		flame_text_put(out, at, size);
		return;
	}
	flame_text_put(out, "\"", 1);
	for (size_t i = 0; i < size; i++)
		flame_text_put(out, at[i] == '"' ? "\"\"" : at + i,
			       at[i] == '"' ? 2 : 1);
	flame_text_put(out, "\"", 1);
}

static bool put_field(const struct cli_table *t, const struct cli_column *c,
		      const void *row, char between, struct flame_text *out)
{
	const struct cli_frame *frame = member(c, row);
	size_t n, size;
	const char *at;
	char *text;

	if (c->kind == CLI_CELL_TEXT) {
		at = NUMBER(char *const) ? NUMBER(char *const) : "";
		n = strlen(at);
	} else if (is_name(c)) {
		at = flame_name_text(t->flame, frame->name, &n);
	} else if (c->kind == CLI_CELL_SHARE) {
		return cli_print(out, "%.2f", share(t, NUMBER(int64_t)));
	} else {
		return cli_print(out, "%s", spell(t, c, row).text);
	}
	size = flame_tsv_cell(NULL, 0, at, n);
	text = malloc(size + 1);
	if (!text)
		return cli_no_memory(t->cli);
	flame_tsv_cell(text, size + 1, at, n);
	put_separated(out, text, size, between);
	free(text);
	return true;
}

/* row: NULL for the line of headings. */
static bool put_record(const struct cli_table *t, const void *row, char between,
		       struct flame_text *out)
{
	bool good = true, first = true;

	for (const struct cli_column *c = t->columns; good && c->kind; c++)
		if (is_shown(c, c->key, CLI_IN_TSV)) {
			if (!first)
				flame_text_put(out, &between, 1);
			if (row)
				good = put_field(t, c, row, between, out);
			else
				put_separated(out, c->key, strlen(c->key),
					      between);
			first = false;
		}
	return cli_print(out, between == ',' ? "\r\n" : "\n") && good;
}

static bool put_records(const struct cli_table *t, char between,
			struct flame_text *out)
{
	bool good = put_record(t, NULL, between, out);

	for (size_t i = 0; good && i < t->n; i++)
		good = put_record(t, row_at(t, i), between, out);
	return good;
}

bool cli_table_tsv(const struct cli_table *t, struct flame_text *out)
{
	return put_records(t, '\t', out);
}

bool cli_table_csv(const struct cli_table *t, struct flame_text *out)
{
	return put_records(t, ',', out);
}

/* JSON -------------------------------------------------------------------- */

/* The length of a well-formed UTF-8 sequence; 0: none begins here. */
static unsigned utf8(const unsigned char *at, size_t n)
{
	unsigned length = at[0] < 0x80 ? 1 : at[0] < 0xc2 ? 0 :
			  at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 :
			  at[0] < 0xf5 ? 4 : 0;

	if (!length || length > n)
		return 0;
	for (unsigned i = 1; i < length; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	if ((at[0] == 0xe0 && at[1] < 0xa0) ||
	    (at[0] == 0xed && at[1] >= 0xa0) ||
	    (at[0] == 0xf0 && at[1] < 0x90) ||
	    (at[0] == 0xf4 && at[1] >= 0x90))
		return 0;
	return length;
}

/* Leaves out the middle of a text that is longer than `most` bytes. */
static void shorten(char *text, size_t n, size_t most)
{
	size_t first = most / 2, last = n - most / 2;

	if (!most || n <= most + strlen("..."))
		return;
	while (first && is_inside(text[first]))
		first--;
	while (is_inside(text[last]))
		last++;
	memcpy(text + first, "...", strlen("..."));
	memmove(text + first + strlen("..."), text + last, n - last + 1);
}

/* JSON is UTF-8: other bytes become U+FFFD, NUL too (cJSON would end). */
static bool add_bytes(cJSON *to, const char *key, const char *text, size_t n,
		      size_t most)
{
	size_t k = 0;
	char *copy = malloc(n * 3 + 1);
	bool good;

	for (size_t i = 0; copy && i < n;) {
		unsigned length = utf8((const unsigned char *)text + i, n - i);

		if (length && text[i]) {
			memcpy(copy + k, text + i, length);
			k += length;
			i += length;
		} else {
			memcpy(copy + k, "\357\277\275", 3);
			k += 3;
			i++;
		}
	}
	if (!copy)
		return false;
	copy[k] = '\0';
	shorten(copy, k, most);
	good = cJSON_AddStringToObject(to, key, copy);
	free(copy);
	return good;
}

static bool add_name(cJSON *to, const struct cli_table *t, const char *key,
		     flame_id name)
{
	size_t n;
	const char *text = flame_name_text(t->flame, name, &n);

	return add_bytes(to, key, text, n, t->max_name);
}

bool cli_add_text(cJSON *to, const char *key, const char *text)
{
	return add_bytes(to, key, text, strlen(text), 0);
}

cJSON *cli_json(const char *kind)
{
	cJSON *object = cJSON_CreateObject();

	if (cJSON_AddStringToObject(object, "schema", "libflame/1") &&
	    cJSON_AddStringToObject(object, "kind", kind))
		return object;
	cJSON_Delete(object);
	return NULL;
}

/* NAN: there is none; cJSON would write null for infinite numbers, too. */
static bool add_real(cJSON *to, const char *key, double number)
{
	if (isnan(number))
		return true;
	return isinf(number) ? cJSON_AddNullToObject(to, key) :
			       cJSON_AddNumberToObject(to, key, number);
}

/* JSON's numbers have no plus. */
static struct cli_cell json_number(const struct cli_table *t,
				   const struct cli_column *c, const void *row)
{
	return c->kind == CLI_CELL_DELTA ? cli_weight(t, NUMBER(int64_t)) :
					   spell(t, c, row);
}

static bool add_cell(const struct cli_table *t, const struct cli_column *c,
		     const void *row, cJSON *to)
{
	switch (c->kind) {
	case CLI_CELL_LEVEL:
		return cJSON_AddNumberToObject(to, c->key, NUMBER(unsigned));
	case CLI_CELL_WEIGHT:	/* exact: cJSON's numbers are doubles */
	case CLI_CELL_COUNT:
	case CLI_CELL_MICRO:
	case CLI_CELL_DELTA:
		return cJSON_AddRawToObject(to, c->key,
					    json_number(t, c, row).text);
	case CLI_CELL_SHARE:
		return cJSON_AddRawToObject(to, c->key, cell("%.2f",
						share(t, NUMBER(int64_t))).text);
	case CLI_CELL_RATIO:
		return add_real(to, c->key, NUMBER(double) - 1);
	case CLI_CELL_BOOL:
		return cJSON_AddBoolToObject(to, c->key, NUMBER(bool));
	case CLI_CELL_TEXT:
		return !NUMBER(char *const) ||
		       cJSON_AddStringToObject(to, c->key,
					       NUMBER(char *const));
	case CLI_CELL_FRAME:
		return add_name(to, t, c->key, NUMBER(struct cli_frame).name);
	default:
		return add_real(to, c->key, NUMBER(double));
	}
}

bool cli_row_json(const struct cli_table *t, const void *row, cJSON *to)
{
	bool good = to;

	for (const struct cli_column *c = t->columns; good && c->kind; c++)
		if (is_shown(c, c->key, CLI_IN_JSON))
			good = add_cell(t, c, row, to);
	return good;
}

static char *row_text(const struct cli_table *t, size_t i)
{
	cJSON *object = cJSON_CreateObject();
	char *text = cli_row_json(t, row_at(t, i), object) ?
		     cJSON_PrintUnformatted(object) : NULL;

	cJSON_Delete(object);
	return text;
}

size_t cli_row_size(const struct cli_table *t, size_t i)
{
	char *text = row_text(t, i);
	size_t size = text ? strlen(",\n\t") + strlen(text) : 0;

	cJSON_free(text);
	return size;
}

/* A long list does not become a tree in memory. */
bool cli_table_json(const struct cli_table *t, struct flame_text *out)
{
	bool good = true;

	for (size_t i = 0; good && i < t->n; i++) {
		char *text = row_text(t, i);

		if (text) {
			cli_print(out, "%s\n\t", i ? "," : "");
			flame_text_put(out, text, strlen(text));
		}
		good = text || cli_no_memory(t->cli);
		cJSON_free(text);
	}
	return good;
}

bool cli_is_micro(const char *unit)
{
	return strcmp(unit, "core-seconds") == 0 || strcmp(unit, "money") == 0;
}

void cli_metric(const struct flame *flame, const struct flame_tree *tree,
		const char **metric, const char **unit)
{
	*metric = flame_tree_metric(tree);
	*unit = "samples";
	for (unsigned i = 1; i <= flame_metrics(flame); i++) {
		const struct flame_metric *m = flame_metric_of(flame, i);

		if (strcmp(m->name, *metric) == 0 && m->weight[0])
			*unit = strcmp(m->weight, "core-us") == 0 ?
				"core-seconds" :
				strcmp(m->weight, "money/1000000") == 0 ?
				"money" : m->weight;
	}
}
