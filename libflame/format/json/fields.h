/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects by rows: for each key, how its value is read and where it goes.
 * A value of another kind than the row's is skipped, and changes nothing.
 */
#ifndef FL_JSON_FIELDS_H
#define FL_JSON_FIELDS_H

#include "format/json/source.h"

enum fl_field_kind {
	/* A value goes to the offset: */
	FL_FIELD_NAME,		/* flame_id: a text in the dictionary */
	FL_FIELD_WORD,		/* the same of a text or a number */
	FL_FIELD_TEXT,		/* struct fl_buf, replaced by a text */
	FL_FIELD_INTEGER,	/* int64_t */
	FL_FIELD_COUNT,		/* uint64_t: an integer above 0 */
	FL_FIELD_DECIMAL,	/* int64_t: a number, with .places */
	FL_FIELD_LINE,		/* uint32_t: from 1 to INT32_MAX */
	FL_FIELD_LINE_FROM_0,	/* int64_t: one more than the integer */
	FL_FIELD_BOOL,		/* bool */
	FL_FIELD_INTEGERS,	/* struct fl_json_integers */
	/* .read or .fields reads the value into the member at the offset: */
	FL_FIELD_VALUE,		/* the value that comes next */
	FL_FIELD_INNER,		/* the rest of an object */
	FL_FIELD_LIST,		/* the rest of an array */
	FL_FIELD_EACH,		/* each object of an array */
	FL_FIELD_EACH_LIST,	/* each array of an array */
};

/* object: what the row's object is read into. */
typedef void fl_json_reader(struct fl_json_source *js, void *object);

struct fl_json_field {
	const char *key;		/* NULL ends the rows */
	size_t size;			/* of the key */
	enum fl_field_kind kind;
	int places;			/* of a decimal */
	size_t offset;
	fl_json_reader *read;
	const struct fl_json_field *fields;	/* or the rows of objects */
	const char *bad;		/* why a decimal is left out; or NULL */
};

#define FL_FIELD(key_, kind_, type, member) \
	{ .key = key_, .size = sizeof(key_) - 1, \
	  .kind = FL_FIELD_##kind_, .offset = offsetof(type, member) }
#define FL_FIELD_NUMBER(key_, places_, bad_, type, member) \
	{ .key = key_, .size = sizeof(key_) - 1, .kind = FL_FIELD_DECIMAL, \
	  .offset = offsetof(type, member), .places = places_, .bad = bad_ }
/* The function is called with the whole struct, not with a member. */
#define FL_FIELD_CALL(key_, kind_, read_) \
	{ .key = key_, .size = sizeof(key_) - 1, \
	  .kind = FL_FIELD_##kind_, .read = read_ }
#define FL_FIELD_CALL_AT(key_, kind_, read_, type, member) \
	{ .key = key_, .size = sizeof(key_) - 1, .kind = FL_FIELD_##kind_, \
	  .offset = offsetof(type, member), .read = read_ }
/* An object within, or each of an array, is read into the same struct. */
#define FL_FIELD_ROWS(key_, kind_, fields_) \
	{ .key = key_, .size = sizeof(key_) - 1, \
	  .kind = FL_FIELD_##kind_, .fields = fields_ }

/*
 * Of the value whose first token was read last: an object, into the struct
 * that the offsets are of.  false: it is something else, and is skipped.
 */
bool fl_json_object(struct fl_json_source *js,
		    const struct fl_json_field *fields, void *object);
/*
 * The value of the key read last; false: no row has the key.  *hint: the row
 * that is tried first, as keys tend to come in the same order; or NULL.
 */
bool fl_json_field(struct fl_json_source *js,
		   const struct fl_json_field *fields,
		   const struct fl_json_field **hint, void *object);
/* The same of an array: the function for each object of it. */
void fl_json_each(struct fl_json_source *js, fl_json_reader *read,
		  void *object);

#endif
