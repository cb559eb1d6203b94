/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes markup for the index of flame-batch's site: escaped text, cells of
 * numbers, bars and sizes, durations, frames with a link to their page, and
 * small pictures.  It also chooses the unit of costs, and of money.  For the
 * other files of report/.
 */
#include "report/html.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void batch_put(struct flame_text *out, const char *text)
{
	(void)flame_text_put(out, text, strlen(text));
}

/* ` and { would end a text of the script that has the rows of a large site. */
void batch_put_escaped(struct flame_text *out, const char *text)
{
	static const char special[] = "&<>\"`{\n";
	static const char *const spelled[] = {
		"&amp;", "&lt;", "&gt;", "&quot;", "&#96;", "&#123;", "&#10;",
	};

	for (size_t n; *text; text += n) {
		n = strcspn(text, special);
		(void)flame_text_put(out, text, n);
		if (text[n])
			batch_put(out, spelled[strchr(special, text[n++]) -
					       special]);
	}
}

void batch_put_grouped(struct flame_text *out, double number, int digits)
{
	char plain[64], text[96];
	size_t n, whole, m = 0;

	snprintf(plain, sizeof(plain), "%.*f", digits, number);
	n = strlen(plain);
	whole = strcspn(plain, ".");
	for (size_t i = 0; i < n; i++) {
		if (i && i < whole && (whole - i) % 3 == 0)
			text[m++] = ',';
		text[m++] = plain[i];
	}
	text[m] = '\0';
	batch_put(out, text);
}

static void open_cell(struct flame_text *out, const char *class,
		      const char *title, double number)
{
	cli_print(out, "<td class=\"%s\" data-v=\"%.10g\" data-h=\"", class,
		  number);
	batch_put_escaped(out, title);
	batch_put(out, "\">");
}

/* As share/site/site.css has them, for readers that drop a page's style. */
static const char *const fills[][2] = {
	{ "cpu", "#2f9e6e" }, { "wait", "#86a8dc" }, { "gc", "#e07b39" },
	{ "python", "#d8b22f" }, { "overhead", "#a58bc9" },
	{ "unknown", "#a8a29a" }, { "unended", "#c94f6d" },
	{ "driver", "#5b6b8c" }, { "lost", "#c4232b" }, { "idle", "#dfe3e8" },
	{ "cores", "#9dbdf0" },
	{ "q0", "#8fd3ae" }, { "q1", "#9dbdf0" }, { "q2", "#f2c66d" },
	{ "q3", "#e9a3a0" }, { "q4", "#c3afe6" }, { "q5", "#9bd5d9" },
};

void batch_put_class(struct flame_text *out, const char *class)
{
	cli_print(out, " class=\"%s\"", class);
	for (size_t i = 0; i < sizeof(fills) / sizeof(*fills); i++)
		if (strcmp(fills[i][0], class) == 0)
			cli_print(out, " fill=\"%s\"", fills[i][1]);
}

void batch_put_slice(struct flame_text *out, const char *class,
		     const char *name, double *x, double width)
{
	if (width <= 0)
		return;
	batch_put(out, "<rect");
	batch_put_class(out, class);
	cli_print(out, " x=\"%.3f%%\" width=\"%.3f%%\" height=\"22\"><title>"
		  "%s: %.1f %%</title></rect>", *x, width, name, width);
	*x += width;
}

void batch_put_swatch(struct flame_text *out, const char *class)
{
	batch_put(out, "<svg aria-hidden=\"true\" width=\"10\" height=\"10\">"
		  "<rect");
	batch_put_class(out, class);
	batch_put(out, " width=\"10\" height=\"10\"/></svg>");
}

void batch_put_number(struct flame_text *out, const char *title, double number,
		      int digits, bool bad)
{
	if (!(number >= pow(10, -digits) / 2)) {
		cli_print(out, "<td class=\"n\" data-v=\"%.4g\"></td>",
			  number > 0 ? number : 0);
		return;
	}
	open_cell(out, bad ? "n bad" : "n", title, number);
	batch_put_grouped(out, number, digits);
	batch_put(out, "</td>");
}

void batch_put_bar(struct flame_text *out, const char *title, double number,
		   int digits, double share)
{
	open_cell(out, "n bar", title, number);
	cli_print(out, "<svg aria-hidden=\"true\" width=\"60\" height=\"8\" "
		  "fill=\"#9dbdf0\"><rect width=\"%.1f%%\" height=\"20\" "
		  "rx=\"3\"/></svg><span>",
		  100 * (share > 1 ? 1 : share));
	batch_put_grouped(out, number, digits);
	batch_put(out, "</span></td>");
}

void batch_put_size(struct flame_text *out, const char *title, double bytes)
{
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB" };
	size_t i = 0;
	double n = bytes;

	if (!(bytes > 0)) {
		batch_put(out, "<td class=\"n\" data-v=\"0\"></td>");
		return;
	}
	for (; n >= 1000 && i + 1 < sizeof(units) / sizeof(*units); i++)
		n /= 1000;
	open_cell(out, "n", title, bytes);
	cli_print(out, "%.*f %s</td>", n < 10 && i ? 1 : 0, n, units[i]);
}

void batch_put_heading(struct flame_text *out, const char *name, bool number,
		       const char *help)
{
	batch_put(out, number ? "<th class=\"n\" scope=\"col\"" :
				"<th scope=\"col\"");
	if (help)
		cli_print(out, " title=\"%s\"", help);
	batch_put(out, ">");
	batch_put_escaped(out, name);
	batch_put(out, "</th>");
}

/* A name with blanks or colons is not a method. */
const char *batch_short_name(const char *name)
{
	static const char generated[] = "GeneratedClass$GeneratedIteratorFor";
	const char *slash = strrchr(name, '/'), *class;

	if (strpbrk(name, " :(["))
		return name;
	class = slash && slash[1] ? slash + 1 : name;
	return strncmp(class, generated, strlen(generated)) == 0 ?
	       class + strlen(generated) : class;
}

/* Words of a work, such as "in regular expressions", have none of these. */
static bool is_frame(const char *name)
{
	return strpbrk(name, "./:");
}

static void put_encoded(struct flame_text *out, const char *text)
{
	for (; *text; text++)
		cli_print(out, isalnum((unsigned char)*text) ? "%c" : "%%%02X",
			  (unsigned char)*text);
}

/* A page with a frame found: among stacks of tasks, where that is the base. */
static void put_link(struct flame_text *out, const char *name,
		     const struct batch_group *page)
{
	const cJSON *metrics = batch_list(page->record, "metrics");
	const cJSON *first = metrics ? metrics->child : NULL;
	double tasks = batch_number(first, "tasks");
	bool among = tasks > 0 && tasks < batch_number(first, "weight");

	batch_put(out, "<a href=\"");
	batch_put_escaped(out, batch_text(page->record, "page"));
	batch_put(out, among ? "#only=Executor%24TaskRunner.run" : "");
	if (is_frame(name)) {
		batch_put(out, among ? "&amp;q=%3D" : "#q=%3D");
		put_encoded(out, name);
	}
	batch_put(out, "\">");
}

void batch_put_frame(struct flame_text *out, const char *name, double part,
		     double all, const struct batch_group *page)
{
	const char *brief = batch_short_name(name);
	bool linked = page && *batch_text(page->record, "page");

	batch_put(out, "<td class=\"most\"");
	if (brief != name) {
		batch_put(out, " title=\"");
		batch_put_escaped(out, name);
		batch_put(out, "\"");
	}
	batch_put(out, ">");
	if (*name && all > 0) {
		if (linked)
			put_link(out, name, page);
		batch_put_escaped(out, brief);
		cli_print(out, "%s <i>%.0f %%</i>", linked ? "</a>" : "",
			  100 * part / all);
	}
	batch_put(out, "</td>");
}

void batch_put_picture(struct flame_text *out, const cJSON *picture)
{
	int rows = (int)batch_number(picture, "rows");
	const cJSON *path;

	batch_put(out, "<td class=\"strip\">");
	if (rows > 0)
		cli_print(out, "<svg width=\"120\" height=\"%d\" "
			  "viewBox=\"0 -.5 200 %d\" "
			  "preserveAspectRatio=\"none\" role=\"img\" "
			  "aria-label=\"stacks\" stroke=\"#e9a05a\">", 4 * rows, rows);
	cJSON_ArrayForEach(path, picture) {
		if (!cJSON_IsString(path))
			continue;
		cli_print(out, "<path class=\"%s\" d=\"", path->string);
		batch_put_escaped(out, path->valuestring);
		batch_put(out, "\"/>");
	}
	batch_put(out, rows > 0 ? "</svg></td>" : "</td>");
}

void batch_put_duration(struct flame_text *out, double seconds)
{
	if (seconds < 120)
		cli_print(out, "%.1f s", seconds);
	else if (seconds < 7200)
		cli_print(out, "%.1f min", seconds / 60);
	else
		cli_print(out, "%.1f h", seconds / 3600);
}

void batch_put_filter(struct flame_text *out)
{
	batch_put(out, "<p class=\"tools\" hidden><label>Filter rows "
		  "<input id=\"filter\" type=\"search\" "
		  "placeholder=\"regular expression\"></label> "
		  "<output></output></p>\n");
}

const struct batch_unit batch_core_seconds = { "core-seconds", 1e6, 1 };

struct batch_unit batch_unit_of(const cJSON *app)
{
	static const struct batch_unit hours = { "core-hours", 3.6e9, 2 };

	return batch_number(app, "paid_us") < 36000e6 ? batch_core_seconds :
							hours;
}

struct batch_unit batch_money_of(const struct batch *batch, const cJSON *app)
{
	enum { MIN_DIGITS = 2, MAX_DIGITS = 6 };
	struct batch_unit money = { .name = "price", .digits = MIN_DIGITS };
	double paid;

	if (!(batch->price > 0))
		return money;
	money.us = 3.6e9 / batch->price;
	paid = batch_number(app, "paid_us") / money.us;
	while (paid > 0 && money.digits < MAX_DIGITS &&
	       paid * pow(10, money.digits) < 100)
		money.digits++;
	return money;
}
