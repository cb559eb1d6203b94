/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads an object of JSON into a struct, as the rows {key, kind, offset} of the
 * caller say: fl_json_object() reads all keys, fl_json_field() the value of
 * one.  For the readers of this folder; fields.h has the kinds of rows.
 */
#include "fl.h"

#include "format/json/fields.h"

/* A size of 8 is one comparison of registers; keys are short. */
static inline bool is_same(const char *a, const char *b, size_t n)
{
	if (n >= 8)
		return memcmp(a, b, 8) == 0 &&
		       memcmp(a + n - 8, b + n - 8, 8) == 0 &&
		       (n <= 16 || memcmp(a + 8, b + 8, n - 16) == 0);
	if (n >= 4)
		return memcmp(a, b, 4) == 0 &&
		       memcmp(a + n - 4, b + n - 4, 4) == 0;
	return a[0] == b[0] && a[n / 2] == b[n / 2] && a[n - 1] == b[n - 1];
}

static inline bool is_key(const struct fl_json_field *field, struct slice key)
{
	return field->size == key.size &&
	       is_same(field->key, key.data, key.size);
}

static const struct fl_json_field *find(const struct fl_json_field *fields,
					const struct fl_json_field *hint,
					struct slice key)
{
	if (hint->key && is_key(hint, key))
		return hint;
	while (fields->key && !is_key(fields, key))
		fields++;
	return fields->key ? fields : NULL;
}

/* Values ---------------------------------------------------------------- */

static void read_text(struct fl_json_source *js, enum fl_field_kind kind,
		      void *to)
{
	enum fl_json_token token = fl_json_next(&js->json);
	struct slice text = js->json.text;

	if (token != FL_JSON_STRING &&
	    (token != FL_JSON_NUMBER || kind != FL_FIELD_WORD)) {
		fl_json_skip(&js->json);
	} else if (kind == FL_FIELD_TEXT) {
		((struct fl_buf *)to)->size = 0;
		fl_buf_put(to, text.data, text.size);
	} else {
		*(flame_id *)to = flame_name(js->flame, text.data, text.size);
	}
}

static void read_integer(struct fl_json_source *js, enum fl_field_kind kind,
			 void *to)
{
	int64_t n;

	if (!fl_json_integer(&js->json, &n))
		return;
	if (kind == FL_FIELD_INTEGER)
		*(int64_t *)to = n;
	else if (kind == FL_FIELD_LINE_FROM_0)
		*(int64_t *)to = fl_add_clamped(n, 1);
	else if (kind == FL_FIELD_COUNT && n > 0)
		*(uint64_t *)to = (uint64_t)n;
	else if (kind == FL_FIELD_LINE && n > 0 && n <= INT32_MAX)
		*(uint32_t *)to = (uint32_t)n;
}

static void read_decimal(struct fl_json_source *js,
			 const struct fl_json_field *field, int64_t *to)
{
	int64_t n;

	if (fl_json_decimal(&js->json, field->places, &n))
		*to = n;
	else if (field->bad)
		fl_json_bad(js, field->bad);
}

static void read_object(struct fl_json_source *js,
			const struct fl_json_field *field, void *to)
{
	if (field->fields)
		fl_json_object(js, field->fields, to);
	else
		field->read(js, to);
}

static void read_each(struct fl_json_source *js,
		      const struct fl_json_field *field, void *to)
{
	enum fl_json_token token = field->kind == FL_FIELD_EACH ?
				   FL_JSON_OBJECT : FL_JSON_ARRAY;

	while (fl_json_element(&js->json) && !fl_failed(js->flame))
		if (js->json.token == token)
			read_object(js, field, to);
		else
			fl_json_skip(&js->json);
}

static void read_value(struct fl_json_source *js,
		       const struct fl_json_field *field, void *to)
{
	struct fl_json *json = &js->json;

	switch (field->kind) {
	case FL_FIELD_NAME:
	case FL_FIELD_WORD:
	case FL_FIELD_TEXT:
		read_text(js, field->kind, to);
		break;
	case FL_FIELD_DECIMAL:
		read_decimal(js, field, to);
		break;
	case FL_FIELD_BOOL:
		*(bool *)to = fl_json_is_true(json);
		break;
	case FL_FIELD_INTEGERS:
		if (fl_json_enter_array(json))
			fl_json_integers(json, to);
		break;
	case FL_FIELD_VALUE:
		field->read(js, to);
		break;
	case FL_FIELD_INNER:
		if (fl_json_enter_object(json))
			read_object(js, field, to);
		break;
	case FL_FIELD_LIST:
		if (fl_json_enter_array(json))
			field->read(js, to);
		break;
	case FL_FIELD_EACH:
	case FL_FIELD_EACH_LIST:
		if (fl_json_enter_array(json))
			read_each(js, field, to);
		break;
	default:
		read_integer(js, field->kind, to);
		break;
	}
}

/* Objects and arrays ----------------------------------------------------- */

void fl_json_each(struct fl_json_source *js, fl_json_reader *read,
		  void *object)
{
	const struct fl_json_field each = {
		.kind = FL_FIELD_EACH, .read = read
	};

	if (js->json.token == FL_JSON_ARRAY)
		read_each(js, &each, object);
	else
		fl_json_skip(&js->json);
}

bool fl_json_field(struct fl_json_source *js,
		   const struct fl_json_field *fields,
		   const struct fl_json_field **hint, void *object)
{
	const struct fl_json_field *field;

	field = find(fields, hint ? *hint : fields, js->json.text);
	if (!field)
		return false;
	if (hint)
		*hint = field + 1;
	read_value(js, field, (char *)object + field->offset);
	return true;
}

bool fl_json_object(struct fl_json_source *js,
		    const struct fl_json_field *fields, void *object)
{
	const struct fl_json_field *hint = fields;

	if (js->json.token != FL_JSON_OBJECT) {
		fl_json_skip(&js->json);
		return false;
	}
	while (fl_json_key(&js->json) && !js->flame->report.failed)
		if (!fl_json_field(js, fields, &hint, object))
			fl_json_skip(&js->json);
	return true;
}
