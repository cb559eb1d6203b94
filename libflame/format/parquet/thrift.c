/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and writes Thrift's compact protocol, in which Parquet's headers and
 * footer are: fl_thrift_next() returns the fields of a struct for read.c, and
 * fl_thrift_number(), fl_thrift_text() and others append them for write.c.
 */
#include "fl.h"

#include "format/parquet/parquet.h"

enum { MAX_NESTING = 16 };

const struct fl_parquet_column_name fl_parquet_fixed[FL_PARQUET_FIXED] = {
	[FL_PARQUET_METRIC] = { "metric", FL_PARQUET_BYTES },
	[FL_PARQUET_UNIT] = { "unit", FL_PARQUET_BYTES },
	[FL_PARQUET_VALUE] = { "value", FL_PARQUET_INT64 },
	[FL_PARQUET_NODE] = { "node", FL_PARQUET_INT32 },
	[FL_PARQUET_PARENT] = { "parent", FL_PARQUET_INT32 },
	[FL_PARQUET_FRAME] = { "frame", FL_PARQUET_BYTES },
	[FL_PARQUET_FRAME_TYPE] = { "type", FL_PARQUET_BYTES },
};

/* Writing ------------------------------------------------------------- */

static uint64_t zigzag(int64_t value)
{
	return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

static void put_head(struct fl_thrift_out *out, int id,
		     enum fl_thrift_type type)
{
	int step = id - out->last;

	if (step > 0 && step < 16) {
		fl_buf_byte(out->to, (char)(step << 4 | (int)type));
	} else {
		fl_buf_byte(out->to, (char)type);
		fl_put_varint(out->to, zigzag(id));
	}
	out->last = id;
}

void fl_thrift_put_number(struct fl_buf *to, int64_t value)
{
	fl_put_varint(to, zigzag(value));
}

void fl_thrift_put_text(struct fl_buf *to, struct slice text)
{
	fl_put_varint(to, text.size);
	fl_buf_put(to, text.data, text.size);
}

void fl_thrift_number(struct fl_thrift_out *out, int id, int64_t value)
{
	put_head(out, id, FL_THRIFT_I32);
	fl_thrift_put_number(out->to, value);
}

void fl_thrift_long(struct fl_thrift_out *out, int id, int64_t value)
{
	put_head(out, id, FL_THRIFT_I64);
	fl_thrift_put_number(out->to, value);
}

void fl_thrift_text(struct fl_thrift_out *out, int id, struct slice text)
{
	put_head(out, id, FL_THRIFT_BINARY);
	fl_thrift_put_text(out->to, text);
}

struct fl_thrift_out fl_thrift_begin(struct fl_thrift_out *out, int id)
{
	put_head(out, id, FL_THRIFT_STRUCT);
	return (struct fl_thrift_out){ out->to, 0 };
}

void fl_thrift_list(struct fl_thrift_out *out, int id,
		    enum fl_thrift_type type, size_t count)
{
	put_head(out, id, FL_THRIFT_LIST);
	if (count < 15) {
		fl_buf_byte(out->to, (char)(count << 4 | type));
	} else {
		fl_buf_byte(out->to, (char)(0xf0 | type));
		fl_put_varint(out->to, count);
	}
}

struct fl_thrift_out fl_thrift_element(struct fl_thrift_out *out)
{
	return (struct fl_thrift_out){ out->to, 0 };
}

void fl_thrift_end(struct fl_thrift_out *out)
{
	fl_buf_byte(out->to, FL_THRIFT_STOP);
}

/* Reading ------------------------------------------------------------- */

static uint8_t read_byte(struct fl_message *in)
{
	if (in->next < in->end && !in->damaged)
		return *in->next++;
	in->damaged = true;
	return 0;
}

static uint64_t read_varint(struct fl_message *in)
{
	uint64_t value = 0;

	if (in->damaged || in->next >= in->end || !fl_varint(in, &value))
		in->damaged = true;
	return value;
}

int64_t fl_thrift_read_number(struct fl_message *in)
{
	uint64_t value = read_varint(in);

	return (int64_t)(value >> 1 ^ (value & 1 ? UINT64_MAX : 0));
}

struct slice fl_thrift_read_text(struct fl_message *in)
{
	uint64_t size = read_varint(in);
	struct slice text = { "", 0 };

	if (in->damaged || size > (uint64_t)(in->end - in->next)) {
		in->damaged = true;
		return text;
	}
	text = (struct slice){ (const char *)in->next, (size_t)size };
	in->next += size;
	return text;
}

static void read_list(struct fl_message *in, struct fl_thrift_field *field)
{
	uint8_t head = read_byte(in);

	field->element = head & 15;
	field->count = head >> 4;
	if (field->count == 15)
		field->count = read_varint(in);
	/* Every element has a byte or more. */
	if (field->count > (uint64_t)(in->end - in->next))
		in->damaged = true;
}

static void read_value(struct fl_message *in, struct fl_thrift_field *field)
{
	switch (field->type) {
	case FL_THRIFT_I16: case FL_THRIFT_I32: case FL_THRIFT_I64:
		field->number = fl_thrift_read_number(in);
		break;
	case FL_THRIFT_BINARY:
		field->text = fl_thrift_read_text(in);
		break;
	case FL_THRIFT_LIST: case FL_THRIFT_SET:
		read_list(in, field);
		break;
	case FL_THRIFT_BYTE:
		read_byte(in);
		break;
	case FL_THRIFT_DOUBLE:
		for (int i = 0; i < 8; i++)
			read_byte(in);
		break;
	case FL_THRIFT_TRUE: case FL_THRIFT_FALSE: case FL_THRIFT_STRUCT:
		break;
	default:	/* Parquet's headers have no maps */
		in->damaged = true;
	}
}

bool fl_thrift_next(struct fl_message *in, int *last,
		    struct fl_thrift_field *field)
{
	uint8_t head = read_byte(in);

	*field = (struct fl_thrift_field){ .type = head & 15 };
	if (in->damaged || field->type == FL_THRIFT_STOP)
		return false;
	field->id = head >> 4 ? *last + (head >> 4) :
				(int)(int16_t)fl_thrift_read_number(in);
	*last = field->id;
	read_value(in, field);
	return !in->damaged;
}

/* What a skipped struct or list has still to come, without recursion. */
struct pending {
	enum fl_thrift_type element;
	uint64_t count;		/* of a list; of a struct it is not known */
	bool is_struct;
	int last;
};

static struct pending pending_of(const struct fl_thrift_field *field)
{
	return (struct pending){ field->element, field->count,
				 field->type == FL_THRIFT_STRUCT, 0 };
}

static bool next_pending(struct fl_message *in, struct pending *p,
			 struct fl_thrift_field *field)
{
	if (p->is_struct)
		return fl_thrift_next(in, &p->last, field);
	if (!p->count || in->damaged)
		return false;
	p->count--;
	*field = (struct fl_thrift_field){ .type = p->element };
	/* Booleans of a list are a byte each. */
	if (field->type == FL_THRIFT_TRUE || field->type == FL_THRIFT_FALSE)
		read_byte(in);
	else
		read_value(in, field);
	return !in->damaged;
}

void fl_thrift_skip(struct fl_message *in, const struct fl_thrift_field *field)
{
	struct pending open[MAX_NESTING] = { pending_of(field) };
	struct fl_thrift_field inner;
	size_t n = field->type == FL_THRIFT_STRUCT ||
		   field->type == FL_THRIFT_LIST ||
		   field->type == FL_THRIFT_SET;

	while (n && !in->damaged) {
		if (!next_pending(in, &open[n - 1], &inner))
			n--;
		else if (inner.type != FL_THRIFT_STRUCT &&
			 inner.type != FL_THRIFT_LIST &&
			 inner.type != FL_THRIFT_SET)
			continue;
		else if (n == MAX_NESTING)
			in->damaged = true;
		else
			open[n++] = pending_of(&inner);
	}
}
