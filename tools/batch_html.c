/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Markup of the index of flame-batch's site.
 */
#include "batch_html.h"

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
	cli_print(out, "<svg aria-hidden=\"true\"><rect width=\"%.1f%%\" "
		  "height=\"20\" rx=\"3\"/></svg><span>",
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

void batch_put_heading(struct flame_text *out, const char *name, bool number)
{
	batch_put(out, number ? "<th class=\"n\" scope=\"col\">" :
				"<th scope=\"col\">");
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

void batch_put_frame(struct flame_text *out, const char *name, double part,
		     double all)
{
	const char *brief = batch_short_name(name);

	batch_put(out, "<td class=\"most\"");
	if (brief != name) {
		batch_put(out, " title=\"");
		batch_put_escaped(out, name);
		batch_put(out, "\"");
	}
	batch_put(out, ">");
	if (*name && all > 0) {
		batch_put_escaped(out, brief);
		cli_print(out, " <i>%.0f %%</i>", 100 * part / all);
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
			  "aria-label=\"stacks\">", 4 * rows, rows);
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

struct batch_unit batch_unit_of(const cJSON *app)
{
	static const struct batch_unit seconds = { "core-seconds", 1e6, 1 },
				       hours = { "core-hours", 3.6e9, 2 };

	return batch_number(app, "paid_us") < 36000e6 ? seconds : hours;
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
