/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes headings and cells of the report's tables, and adds up the sums of
 * rows, by a struct batch_column for each column (columns.h).  Called by rows.c
 * and executors.c, which have these.
 */
#include "report/columns.h"

#include <ctype.h>
#include <stdio.h>

static double value_of(const struct batch_column *column, const cJSON *row)
{
	return column->value ? column->value(row) :
	       column->key ? batch_number(row, column->key) : 0;
}

void batch_begin_columns(struct batch_columns *c, const struct batch *batch,
			 const cJSON *app)
{
	c->unit = batch_unit_of(app);
	c->money = batch_money_of(batch, app);
	for (size_t i = 0; i < c->n; i++)
		c->shown[i] = c->all[i].kind == BATCH_CELL_PRICE ?
			      c->money.us > 0 : !c->all[i].some;
}

void batch_show_columns(struct batch_columns *c, const cJSON *row)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->all[i].some && value_of(&c->all[i], row) > 0)
			c->shown[i] = true;
}

void batch_add_row(const struct batch_columns *c, struct batch_sums *sums,
		   const cJSON *row)
{
	sums->base += batch_number(row, c->base);
	for (size_t i = 0; i < c->n; i++)
		sums->of[i] += value_of(&c->all[i], row);
}

void batch_put_titles(struct flame_text *out, const struct batch_columns *c)
{
	char title[64];

	for (size_t i = 0; i < c->n; i++) {
		const struct batch_column *column = &c->all[i];

		if (!c->shown[i])
			continue;
		snprintf(title, sizeof(title), "%s%s", column->title,
			 column->kind == BATCH_CELL_BAR ? c->unit.name : "");
		title[0] = (char)toupper((unsigned char)title[0]);
		batch_put_heading(out, title, true, column->help);
	}
}

static void put_cell(struct flame_text *out, const struct batch_columns *c,
		     const struct batch_column *column, double value,
		     double base)
{
	const char *label = column->label;
	const struct batch_unit *unit = column->kind == BATCH_CELL_PRICE ?
					&c->money : &c->unit;

	switch (column->kind) {
	case BATCH_CELL_BAR:
		batch_put_bar(out, label, value / unit->us, unit->digits,
			      c->most > 0 ? value / c->most : 0);
		break;
	case BATCH_CELL_PRICE:
	case BATCH_CELL_TIME:
		batch_put_number(out, label, value / unit->us, unit->digits,
				 column->bad);
		break;
	case BATCH_CELL_SHARE:
		batch_put_number(out, label, base > 0 ? 100 * value / base : 0,
				 0, column->bad);
		break;
	case BATCH_CELL_SIZE:
		batch_put_size(out, label, value);
		break;
	default:
		batch_put_number(out, label, value, 0, column->bad);
	}
}

void batch_put_sums(struct flame_text *out, const struct batch_columns *c,
		    const struct batch_sums *sums, const cJSON *row)
{
	for (size_t i = 0; i < c->n; i++) {
		if (!c->shown[i])
			continue;
		if (c->all[i].kind == BATCH_CELL_OWN)
			c->all[i].put(out, row);
		else
			put_cell(out, c, &c->all[i], sums->of[i], sums->base);
	}
}

void batch_put_cost(struct flame_text *out, const struct batch_columns *c,
		    double us)
{
	for (size_t i = 0; i < c->n; i++) {
		enum batch_cell kind = c->all[i].kind;

		if (!c->shown[i])
			continue;
		if (kind == BATCH_CELL_BAR || kind == BATCH_CELL_PRICE)
			put_cell(out, c, &c->all[i], us, 0);
		else
			batch_put(out, "<td class=\"n\" data-v=\"0\"></td>");
	}
}
