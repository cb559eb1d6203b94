/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The metadata event: classes and their fields (meta.c); strings (string.c);
 * decoders, which are lists of steps that reading and skipping a value share
 * (decoder.c).
 */
#ifndef FL_JFR_TYPES_H
#define FL_JFR_TYPES_H

#include "format/jfr/recording.h"

enum fl_jfr_code {
	FL_JFR_VAR,		/* compressed integer */
	FL_JFR_1, FL_JFR_2, FL_JFR_4, FL_JFR_8,	/* raw; numbers up to here */
	FL_JFR_STRING,
	FL_JFR_ARRAY		/* count, then elements */
};

struct fl_jfr_op {
	uint8_t code;
	uint8_t element;	/* of an array: a code, if not of a class */
	struct fl_jfr_class *class;	/* of an array's elements, or NULL */
};

/* The unit of a number (jdk.jfr.Timespan, Timestamp). */
enum fl_jfr_unit {
	FL_JFR_PLAIN, FL_JFR_TICKS, FL_JFR_NS, FL_JFR_US, FL_JFR_MS, FL_JFR_S
};

struct fl_jfr_field {
	struct slice name;
	uint64_t type;			/* class id */
	struct fl_jfr_class *class;	/* NULL: not in the metadata */
	bool constant, array;
	uint8_t unit;
	uint32_t op;			/* its first step in the decoder */
	uint32_t nops;
};

struct fl_jfr_class {
	uint64_t id;
	struct slice name;
	bool simple;
	bool is_float, is_double, is_string;
	bool event;		/* events may be of it */
	bool padded; /* framing.c: extra bytes after its fields are usual */
	struct fl_jfr_field *fields;
	uint32_t nfields;
	/* The decoder, made when first asked for. */
	enum { FL_JFR_NO_DECODER, FL_JFR_MAKING_DECODER, FL_JFR_DECODER,
	       FL_JFR_ENDLESS } decoder;
	struct fl_jfr_op *ops;
	uint32_t nops;
	uint32_t nvars;			/* leading steps that are FL_JFR_VAR */
	bool all_var;			/* all steps are */
	bool text;			/* it is a string, and nothing else */
	struct fl_jfr_pool *pool;	/* pool.c: its constants; NULL: none */
	bool wanted;			/* pool.c: keep its keys */
	bool planned; /* event.c: its reader was made, or none */
	struct fl_jfr_reader *reader;	/* event.c: NULL: events are skipped */
	uint64_t events;		/* seen in this chunk */
	uint64_t sizes[4]; /* a bit for each size that was checked */
	bool noted;			/* its events are facts for info.c */
};

struct fl_jfr_types {
	struct fl_jfr_class *classes;
	uint32_t nclasses;
	struct fl_map by_id;	/* class id -> index in classes */
	struct fl_jfr_class *small[512];	/* the same for small ids */
	/* Found by name, NULL where the chunk has none. */
	struct fl_jfr_class *string, *symbol, *thread, *class, *method,
			    *trace, *frame, *frame_type, *thread_state;
};

/* Reads the metadata event at an offset; false: it is none. */
bool fl_jfr_read_meta(struct fl_jfr_chunk *chunk, uint64_t at);
/* Over the fields of a metadata event; false: it is damaged. */
bool fl_jfr_skip_meta(struct fl_wire *w);
void fl_jfr_types_free(struct fl_jfr_types *types);
static inline struct fl_jfr_class *
fl_jfr_class_by_id(const struct fl_jfr_chunk *chunk, uint64_t id)
{
	const struct fl_jfr_types *types = chunk->types;
	uint64_t *at;

	if (fl_likely(id < FL_COUNT(types->small)))
		return types->small[id];
	at = fl_map_get(&types->by_id, id);
	return at ? &types->classes[*at] : NULL;
}

/* By name without its package of origin ("jdk.types.", "com.oracle..."). */
struct fl_jfr_class *fl_jfr_class_named(const struct fl_jfr_chunk *chunk,
					const char *name);
/* NULL where the class has no such field. */
const struct fl_jfr_field *fl_jfr_field_of(const struct fl_jfr_class *class,
					   const char *name);
/* "com.oracle.jdk.X" (format 1.0) is "jdk.X", and so on. */
struct slice fl_jfr_plain_name(struct slice name);

/* false: the class contains itself, or a class that is not there. */
bool fl_jfr_make_decoder(struct fl_jfr_chunk *chunk,
			 struct fl_jfr_class *class);
/* A number; the code is one of a number. */
static inline uint64_t fl_jfr_number(uint8_t code, struct fl_wire *w)
{
	switch (code) {
	case FL_JFR_VAR:
		return fl_wire_varint(w);
	case FL_JFR_1:
		return fl_wire_fixed(w, 1);
	case FL_JFR_2:
		return (uint64_t)(int64_t)(int16_t)fl_wire_fixed(w, 2);
	case FL_JFR_4:
		return (uint64_t)(int64_t)(int32_t)fl_wire_fixed(w, 4);
	}
	return fl_wire_fixed(w, 8);
}

/* A number (or key) of a field that w is at; false: none. */
bool fl_jfr_read_number(const struct fl_jfr_class *class,
			const struct fl_jfr_field *field, struct fl_wire *w,
			uint64_t *n);
/* string.c ------------------------------------------------------------ */

enum { FL_JFR_STRING_KEY = 2 };	/* the kind that is the key of a constant */

/* A string of another kind; data NULL: null, or damaged. */
struct slice fl_jfr_read_string(struct fl_jfr_chunk *chunk, struct fl_wire *w,
				uint8_t kind);
void fl_jfr_skip_string(struct fl_wire *w);
/* HotSpot's modified UTF-8: surrogate pairs as 3 + 3 bytes, NUL as c0 80. */
static inline bool fl_jfr_is_modified(const uint8_t *at, size_t n)
{
	for (size_t i = fl_ascii((const char *)at, n); i + 1 < n; i++)
		if ((at[i] == 0xed && at[i + 1] >= 0xa0) ||
		    (at[i] == 0xc0 && at[i + 1] == 0x80))
			return true;
	return false;
}

/* decoder.c ----------------------------------------------------------- */

/* Over one value; the decoder must be there. */
void fl_jfr_skip(const struct fl_jfr_class *class, struct fl_wire *w);
void fl_jfr_skip_ops(const struct fl_jfr_op *ops, uint32_t n,
		     struct fl_wire *w);
/* Moves from the value's start to a field of it; false: it is damaged. */
bool fl_jfr_seek(const struct fl_jfr_class *class,
		 const struct fl_jfr_field *field, struct fl_wire *w);

#endif
