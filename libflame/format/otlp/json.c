/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts OTLP in JSON, as the file exporter of a collector writes it, to
 * protobuf: fl_otlp_encode() encodes each document as a message of 1.10, which
 * otlp.c then reads as any other.  JSON has the names of fields, which are the
 * same where versions number them differently.
 *
 * Keys are in lowerCamelCase or as in the .proto; integers of 64 bits are
 * texts; a field that is not in the tables is skipped.
 */
#include "fl.h"

#include "format/otlp/otlp.h"
#include "io/json.h"

enum kind {
	NUMBER, FIXED, BOOL, TEXT,	/* single values */
	NUMBERS, FIXEDS, TEXTS,		/* arrays */
	MESSAGE, MESSAGES
};

struct key {
	const char *name;	/* in lower case, without _ */
	uint32_t number;
	enum kind kind;
	const struct key *keys;	/* of a message */
};

#define END { NULL, 0, NUMBER, NULL }

static const struct key any_keys[] = {
	{ "stringvalue", ANY_STRING, TEXT, NULL },
	{ "boolvalue", ANY_BOOL, BOOL, NULL },
	{ "intvalue", ANY_INT, NUMBER, NULL },
	{ "stringvaluestrindex", ANY_STRING_INDEX, NUMBER, NULL }, END
};

static const struct key attribute_keys[] = {
	{ "key", KEY_VALUE_KEY, TEXT, NULL },
	{ "value", KEY_VALUE_VALUE, MESSAGE, any_keys },
	{ "keystrindex", KEY_VALUE_KEY_INDEX, NUMBER, NULL }, END
};

static const struct key indexed_attribute_keys[] = {
	{ "keystrindex", 1, NUMBER, NULL },
	{ "value", KEY_VALUE_VALUE, MESSAGE, any_keys }, END
};

static const struct key resource_keys[] = {
	{ "attributes", RESOURCE_ATTRIBUTES, MESSAGES, attribute_keys }, END
};

static const struct key value_type_keys[] = {
	{ "typestrindex", VALUE_TYPE_TYPE, NUMBER, NULL },
	{ "unitstrindex", VALUE_TYPE_UNIT, NUMBER, NULL }, END
};

static const struct key sample_keys[] = {
	{ "stackindex", SAMPLE_STACK, NUMBER, NULL },
	{ "attributeindices", SAMPLE_ATTRIBUTES, NUMBERS, NULL },
	{ "values", SAMPLE_VALUES, NUMBERS, NULL },
	{ "timestampsunixnano", SAMPLE_TIMESTAMPS, FIXEDS, NULL }, END
};

static const struct key profile_keys[] = {
	{ "sampletype", PROFILE_SAMPLE_TYPE, MESSAGE, value_type_keys },
	{ "samples", PROFILE_SAMPLES, MESSAGES, sample_keys },
	{ "sample", PROFILE_SAMPLES, MESSAGES, sample_keys },
	{ "timeunixnano", PROFILE_TIME, FIXED, NULL },
	{ "durationnano", PROFILE_DURATION, NUMBER, NULL }, END
};

static const struct key scope_profiles_keys[] = {
	{ "profiles", SCOPE_PROFILES_PROFILES, MESSAGES, profile_keys }, END
};

static const struct key resource_profiles_keys[] = {
	{ "resource", RESOURCE_PROFILES_RESOURCE, MESSAGE, resource_keys },
	{ "scopeprofiles", RESOURCE_PROFILES_SCOPES, MESSAGES,
	  scope_profiles_keys }, END
};

static const struct key mapping_keys[] = {
	{ "filenamestrindex", MAPPING_FILENAME, NUMBER, NULL }, END
};

static const struct key line_keys[] = {
	{ "functionindex", LINE_FUNCTION, NUMBER, NULL },
	{ "line", LINE_LINE, NUMBER, NULL }, END
};

static const struct key location_keys[] = {
	{ "mappingindex", LOCATION_MAPPING, NUMBER, NULL },
	{ "address", LOCATION_ADDRESS, NUMBER, NULL },
	{ "lines", LOCATION_LINES, MESSAGES, line_keys },
	{ "line", LOCATION_LINES, MESSAGES, line_keys },
	{ "attributeindices", LOCATION_ATTRIBUTES, NUMBERS, NULL }, END
};

static const struct key function_keys[] = {
	{ "namestrindex", FUNCTION_NAME, NUMBER, NULL },
	{ "systemnamestrindex", FUNCTION_SYSTEM_NAME, NUMBER, NULL },
	{ "filenamestrindex", FUNCTION_FILENAME, NUMBER, NULL }, END
};

static const struct key stack_keys[] = {
	{ "locationindices", STACK_LOCATIONS, NUMBERS, NULL }, END
};

static const struct key no_keys[] = { END };

static const struct key dictionary_keys[] = {
	{ "mappingtable", DICTIONARY_MAPPINGS, MESSAGES, mapping_keys },
	{ "locationtable", DICTIONARY_LOCATIONS, MESSAGES, location_keys },
	{ "functiontable", DICTIONARY_FUNCTIONS, MESSAGES, function_keys },
	{ "linktable", DICTIONARY_LINKS, MESSAGES, no_keys },
	{ "stringtable", DICTIONARY_STRINGS, TEXTS, NULL },
	{ "attributetable", DICTIONARY_ATTRIBUTES, MESSAGES,
	  indexed_attribute_keys },
	{ "stacktable", DICTIONARY_STACKS, MESSAGES, stack_keys }, END
};

static const struct key data_keys[] = {
	{ "resourceprofiles", DATA_RESOURCE_PROFILES, MESSAGES,
	  resource_profiles_keys },
	{ "dictionary", DATA_DICTIONARY, MESSAGE, dictionary_keys }, END
};

/* The size of a message is known after it: its five bytes are reserved. */
enum { SIZE_BYTES = 5, MAX_OPEN = 16 };

static size_t begin_part(struct fl_buf *to, uint32_t number)
{
	fl_put_varint(to, number << 3 | FL_WIRE_BYTES);
	fl_buf_put(to, "\x80\x80\x80\x80", SIZE_BYTES);
	return to->size;
}

static void end_part(struct fl_buf *to, size_t begin)
{
	size_t size = to->size - begin;

	if (to->failed || size >> 31)
		return;
	for (unsigned i = 0; i < SIZE_BYTES - 1; i++)
		to->data[begin - SIZE_BYTES + i] =
			(char)((size >> 7 * i & 0x7f) | 0x80);
	to->data[begin - 1] = (char)(size >> 28);
}

static const struct key *find_key(const struct key *keys, struct slice text)
{
	for (; keys->name; keys++) {
		const char *at = keys->name;
		size_t i = 0;

		for (; i < text.size; i++) {
			char c = text.data[i];

			if (c == '_')
				continue;
			if (c >= 'A' && c <= 'Z')
				c = (char)(c - 'A' + 'a');
			if (!*at || *at != c)
				break;
			at++;
		}
		if (i == text.size && !*at)
			return keys;
	}
	return NULL;
}

/* An integer of up to 64 bits, as a number or a text; 0 for others. */
static uint64_t number_of(const struct fl_json *json)
{
	struct slice text = json->text;
	uint64_t n = 0;
	int64_t signed_n;

	if (json->token != FL_JSON_NUMBER && json->token != FL_JSON_STRING)
		return 0;
	if (fl_parse_decimal(text, 0, &signed_n))
		return (uint64_t)signed_n;
	for (size_t i = 0; i < text.size; i++) {
		unsigned digit = (unsigned char)text.data[i] - '0';

		if (digit > 9 || __builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, digit, &n))
			return 0;
	}
	return n;
}

static void put_fixed(struct fl_buf *to, uint64_t n)
{
	for (unsigned i = 0; i < 8; i++)
		fl_buf_byte(to, (char)(n >> 8 * i));
}

/* The rest of an array of numbers, packed. */
static void put_numbers(struct fl_buf *to, struct fl_json *json,
			const struct key *key)
{
	size_t begin = begin_part(to, key->number);

	while (fl_json_element(json)) {
		uint64_t n = number_of(json);

		if (key->kind == FIXEDS)
			put_fixed(to, n);
		else
			fl_put_varint(to, n);
		fl_json_skip(json);
	}
	end_part(to, begin);
}

/* A value that is not a message, whose first token was read. */
static void put_value(struct fl_buf *to, struct fl_json *json,
		      const struct key *key)
{
	if (key->kind == NUMBER)
		fl_put_number(to, key->number, number_of(json));
	else if (key->kind == FIXED)
		fl_put_fixed64(to, key->number, number_of(json));
	else if (key->kind == BOOL)
		fl_put_number(to, key->number, json->token == FL_JSON_TRUE);
	else if (json->token == FL_JSON_STRING)
		fl_put_bytes(to, key->number, json->text.data,
			     json->text.size);
	else	/* entries of tables are counted by their place */
		fl_put_bytes(to, key->number, "", 0);
	fl_json_skip(json);
}

struct open {
	const struct key *key;	/* of the message; its array may be open, too */
	size_t begin;
	bool in_array;
};

/*
 * The next value of a field.  true: it is a message, or an array of them, which
 * is open now.
 */
static bool enter(struct fl_buf *to, struct fl_json *json,
		  const struct key *key, struct open *open)
{
	enum fl_json_token token = fl_json_next(json);

	*open = (struct open){ .key = key,
			       .in_array = token == FL_JSON_ARRAY };
	if ((key->kind == NUMBERS || key->kind == FIXEDS) && open->in_array) {
		put_numbers(to, json, key);
	} else if (key->kind == TEXTS && open->in_array) {
		while (fl_json_element(json))
			put_value(to, json, key);
	} else if (key->kind == MESSAGES && open->in_array) {
		return true;
	} else if (key->kind == MESSAGE && token == FL_JSON_OBJECT) {
		open->begin = begin_part(to, key->number);
		return true;
	} else if (key->kind <= TEXT) {
		put_value(to, json, key);
	} else {
		fl_json_skip(json);
	}
	return false;
}

/* The next message of the array; false: it has ended. */
static bool next_element(struct fl_buf *to, struct fl_json *json,
			 struct open *open)
{
	while (fl_json_element(json)) {
		if (json->token == FL_JSON_OBJECT) {
			open->begin = begin_part(to, open->key->number);
			return true;
		}
		end_part(to, begin_part(to, open->key->number));
		fl_json_skip(json);
	}
	return false;
}

/* Of messages that are cut the innermost, such as a sample, is dropped. */
static void leave(struct fl_buf *to, const struct fl_json *json,
		  struct open *open, bool *cut)
{
	if (json->error && !*cut)
		to->size = open->begin - SIZE_BYTES - 1;
	else
		end_part(to, open->begin);
	*cut = json->error;
	open->begin = 0;
}

void fl_otlp_encode(struct fl_buf *to, struct fl_json *json)
{
	struct open stack[MAX_OPEN];
	size_t depth = 0;
	bool cut = false;

	while (!to->failed) {
		struct open *top = depth ? &stack[depth - 1] : NULL;
		const struct key *key;

		if (top && top->in_array && !top->begin &&
		    !next_element(to, json, top)) {
			depth--;
		} else if (fl_json_key(json)) {
			key = find_key(top ? top->key->keys : data_keys,
				       json->text);
			if (!key)
				fl_json_skip(json);
			else if (enter(to, json, key, &stack[depth]))
				depth++;
		} else if (top) {
			leave(to, json, top, &cut);
			depth -= !top->in_array;
		} else {
			return;
		}
	}
}

int fl_otlp_probe_json(const uint8_t *head, size_t n, bool whole)
{
	static const char *const paths[] = {
		"resourceProfiles", "resource_profiles",
		"dictionary.mappingTable", "dictionary.locationTable",
		"dictionary.stringTable",
	};

	return fl_json_probe_any(head, n, whole, paths, FL_COUNT(paths));
}
