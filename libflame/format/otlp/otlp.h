/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OTLP: profiles of OpenTelemetry, messages of its protocol
 * (opentelemetry/proto/profiles/v1development), from 1.9 on.
 *
 *	dictionary.c	what samples point to, by index
 *	layout.c	which numbers the fields of samples have
 *	otlp.c		samples, and the row of formats.def
 *	json.c		messages in JSON, encoded as of 1.10
 *	write.c		the same, written as of 1.10
 */
#ifndef FL_OTLP_H
#define FL_OTLP_H

#include "base/protobuf.h"
#include "format/format.h"
#include "io/json.h"

/* Numbers of fields, named after the .proto. */
enum {
	DATA_RESOURCE_PROFILES = 1, DATA_DICTIONARY = 2,
	RESOURCE_PROFILES_RESOURCE = 1, RESOURCE_PROFILES_SCOPES = 2,
	RESOURCE_ATTRIBUTES = 1,
	SCOPE_PROFILES_SCOPE = 1, SCOPE_PROFILES_PROFILES = 2,
	SCOPE_NAME = 1, SCOPE_VERSION = 2,
	PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLES = 2, PROFILE_TIME = 3,
	PROFILE_DURATION = 4,
	VALUE_TYPE_TYPE = 1, VALUE_TYPE_UNIT = 2,
	DICTIONARY_MAPPINGS = 1, DICTIONARY_LOCATIONS = 2,
	DICTIONARY_FUNCTIONS = 3, DICTIONARY_LINKS = 4,
	DICTIONARY_STRINGS = 5, DICTIONARY_ATTRIBUTES = 6,
	DICTIONARY_STACKS = 7,
	DICTIONARY_TABLES = 8,
	MAPPING_FILENAME = 4,
	LOCATION_MAPPING = 1, LOCATION_ADDRESS = 2, LOCATION_LINES = 3,
	LOCATION_ATTRIBUTES = 4,
	LINE_FUNCTION = 1, LINE_LINE = 2,
	FUNCTION_NAME = 1, FUNCTION_SYSTEM_NAME = 2, FUNCTION_FILENAME = 3,
	STACK_LOCATIONS = 1,
	KEY_VALUE_KEY = 1, KEY_VALUE_VALUE = 2, KEY_VALUE_KEY_INDEX = 3,
	ANY_STRING = 1, ANY_BOOL = 2, ANY_INT = 3, ANY_STRING_INDEX = 8,
	/*
	 * Field numbers of 1.10; layout.c knows where 1.9 has attributes and
	 * values.
	 */
	SAMPLE_STACK = 1, SAMPLE_ATTRIBUTES = 2, SAMPLE_VALUES = 4,
	SAMPLE_TIMESTAMPS = 5
};

struct fl_otlp_table {
	struct fl_otlp_entry {
		struct fl_message message;
		flame_id id;	/* of stacks, strings; 0: not known yet */
		bool known, bad;
	} *data;
	size_t count, capacity;
};

/* Zeroed: empty. */
struct fl_otlp_dictionary {
	struct flame *flame;
	struct flame_source *source;	/* its frames are counted */
	bool lines;		/* names get ":LINE" */
	struct fl_otlp_table tables[DICTIONARY_TABLES];
	uint64_t *locations;	/* of a stack */
	size_t locations_capacity;
	uint64_t unnamed;	/* frames of stacks without a function */
	struct fl_buf buf;
};

/* Adds a message ProfilesDictionary; false: out of memory. */
bool fl_otlp_add(struct fl_otlp_dictionary *dictionary,
		 struct fl_message message);
void fl_otlp_clear(struct fl_otlp_dictionary *dictionary);
void fl_otlp_free(struct fl_otlp_dictionary *dictionary);
/* false: there is no such entry, or it points to one that is not there. */
bool fl_otlp_text(const struct fl_otlp_dictionary *dictionary,
		  uint64_t index, struct slice *text);
bool fl_otlp_stack(struct fl_otlp_dictionary *dictionary, uint64_t index,
		   flame_id *stack);

/* Labels and the thread that attributes make. */
struct fl_otlp_labels {
	flame_id labels, thread;
};

/* A KeyValue, or an attribute of the dictionary, is added. */
bool fl_otlp_attribute(struct fl_otlp_dictionary *dictionary,
		       struct fl_message key_value, bool indexed,
		       struct fl_otlp_labels *labels);
bool fl_otlp_attribute_at(struct fl_otlp_dictionary *dictionary,
			  uint64_t index, struct fl_otlp_labels *labels);

/* The number of a field that a message has once; 0 where it has none. */
uint64_t fl_otlp_number(struct fl_message message, uint32_t number);

/* The fields of a sample that were renumbered between 1.9 and 1.10. */
struct fl_otlp_layout {
	uint32_t values, attributes;
};

/*
 * Detects the layout from all samples of a message ProfilesData; *sure: the
 * other one does not fit.
 */
struct fl_otlp_layout
fl_otlp_layout(const struct fl_otlp_dictionary *dictionary,
	       struct fl_message data, bool *sure);

/*
 * json.c: encodes the rest of a document whose first token, an object, was read
 * last, as a message ProfilesData.  What was cut is left out.
 */
void fl_otlp_encode(struct fl_buf *to, struct fl_json *json);
int fl_otlp_probe_json(const uint8_t *head, size_t n, bool whole);

/* write.c */
struct flame_sink *fl_otlp_create(struct flame *flame, struct fl_out *out);

#endif
