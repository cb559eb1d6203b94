/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fields of a row of a table, for vtune.c, v8_log.c, memray_csv.c and outline/:
 * fl_csv_field() cuts off the next field and removes its quotes, in which ""
 * stands for one; fl_csv_columns() finds the fields of the columns that the
 * reader names.  The delimiter is a comma or another character.
 */
#include "fl.h"

#include "format/format.h"

size_t fl_indent(struct slice s)
{
	size_t i = 0;

	while (i < s.size && s.data[i] == ' ')
		i++;
	return i;
}

/* Reads a quoted field after its first quote, up to the last one. */
static bool take_quoted(struct slice *rest, struct fl_buf *to)
{
	for (;;) {
		struct slice head = fl_slice_split(rest, '"');

		fl_buf_put(to, head.data, head.size);
		/* There is no closing quote. */
		if (head.data + head.size == rest->data)
			return false;
		if (!rest->size || rest->data[0] != '"')
			return true;
		fl_buf_byte(to, '"');
		rest->data++;
		rest->size--;
	}
}

bool fl_csv_field(struct slice *rest, char delimiter, struct fl_buf *to,
		  size_t *indent, bool *more)
{
	struct slice s;

	to->size = 0;
	*indent = fl_indent(*rest);
	if (*indent < rest->size && rest->data[*indent] == '"') {
		rest->data += *indent + 1;
		rest->size -= *indent + 1;
		if (!take_quoted(rest, to))
			return false;
		*indent += fl_indent(fl_buf_slice(to));
	}
	s = fl_slice_split(rest, delimiter);
	*more = s.data + s.size != rest->data;
	fl_buf_put(to, s.data, s.size);
	return true;
}

bool fl_csv_columns(struct slice row, char delimiter, const int *column,
		    struct fl_buf *field, int n, size_t *indent)
{
	bool more = true;
	size_t blanks;

	if (indent)
		*indent = 0;
	for (int k = 0; k < n; k++)
		field[k].size = 0;
	for (int i = 0; more; i++) {
		struct fl_buf *to = &field[n];

		for (int k = 0; k < n; k++)
			if (column[k] == i)
				to = &field[k];
		if (!fl_csv_field(&row, delimiter, to, &blanks, &more))
			return false;
		if (indent && i == column[0])
			*indent = blanks;
	}
	return true;
}
