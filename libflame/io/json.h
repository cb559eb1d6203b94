/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pull parser for JSON.  It reads an input once, in memory that does not
 * grow with it: the window that it peeks at, one string, and a byte for each
 * level of nesting.  Several documents may follow one another.
 */
#ifndef FL_JSON_H
#define FL_JSON_H

#include "io/io.h"

enum fl_json_token {
	FL_JSON_END,		/* the input ends after a whole document */
	FL_JSON_FAILED,		/* no JSON, or cut: see error and cut */
	FL_JSON_OBJECT, FL_JSON_OBJECT_END,
	FL_JSON_ARRAY, FL_JSON_ARRAY_END,
	FL_JSON_KEY,		/* text; its value comes next */
	FL_JSON_STRING,		/* text */
	FL_JSON_NUMBER,		/* text, as it is written; also NaN */
	FL_JSON_TRUE, FL_JSON_FALSE, FL_JSON_NULL
};

/* More levels than this are an error; so are strings above the line limit. */
enum { FL_JSON_MAX_DEPTH = 1 << 18 };

struct fl_json {
	struct fl_in *in;	/* NULL: all bytes are in the window */
	const uint8_t *window, *pos, *end;
	enum fl_json_token token;	/* that was read last */
	/*
	 * Of a key, string or number.  Escapes are undone; bytes that are not
	 * UTF-8 and surrogates without the other half are U+FFFD.  Stays until
	 * the next token is read.
	 */
	struct slice text;
	size_t max_string;	/* bytes; a longer one is an error */
	size_t depth;		/* open objects and arrays */
	uint64_t line;		/* of the next byte; the first is 1 */
	const char *error;	/* NULL: none */
	bool cut;		/* the error: the input ends too early */
	bool no_memory;		/* the error: out of memory */
	uint64_t replaced;	/* strings where U+FFFD replaced bytes */
	enum {			/* before the next byte */
		FL_JSON_AT_VALUE,	/* a value comes */
		FL_JSON_AT_FIRST,	/* the first value or key, or the end */
		FL_JSON_AFTER_VALUE,	/* a comma, or the end */
		FL_JSON_AFTER_COMMA,
		FL_JSON_AFTER_KEY	/* a colon */
	} place;
	uint8_t *levels;	/* '{' or '[' */
	size_t levels_capacity;
	struct fl_buf buf;	/* for strings with escapes */
};

void fl_json_init(struct fl_json *json, struct fl_in *in);
/* Of bytes that outlive it. */
void fl_json_init_memory(struct fl_json *json, const void *data, size_t size);
void fl_json_free(struct fl_json *json);

/* After FL_JSON_FAILED every further token is that. */
enum fl_json_token fl_json_next(struct fl_json *json);
/* Offset of the next byte, from the start of the input. */
uint64_t fl_json_offset(const struct fl_json *json);

/*
 * Passes over the rest of the value whose first token was read last; of a
 * key, over its value.  Brackets are paired and strings ended, and no more
 * is checked.  false: the input ends before.
 */
bool fl_json_skip(struct fl_json *json);

/*
 * In an object, after its FL_JSON_OBJECT or a whole value: the next key.
 * false: the object has ended, or the parser has failed.
 */
bool fl_json_key(struct fl_json *json);
/*
 * In an array: reads the first token of the next element.  false: as above.
 */
bool fl_json_element(struct fl_json *json);
/*
 * Whether the next value is an object (array), whose first token is read
 * then.  A value of another kind is skipped.
 */
bool fl_json_enter_object(struct fl_json *json);
bool fl_json_enter_array(struct fl_json *json);
/* The next value, if it is text; other values are skipped. */
bool fl_json_string(struct fl_json *json, struct slice *text);
/* The next value as an integer: 12, 12.0, "12"; others are skipped. */
bool fl_json_integer(struct fl_json *json, int64_t *n);
/* The same times 10 to the power of places, rounded half up. */
bool fl_json_decimal(struct fl_json *json, int places, int64_t *n);
/* The next value is true; other values are skipped. */
bool fl_json_is_true(struct fl_json *json);

static inline bool fl_json_is(const struct fl_json *json, const char *text)
{
	return fl_slice_is(json->text, text);
}

/* An array of integers from 0 to 2^32 - 2; FL_JSON_NO_INTEGER for others. */
#define FL_JSON_NO_INTEGER UINT32_MAX

struct fl_json_integers {
	uint32_t *data;
	size_t count, capacity;
};

/*
 * The rest of an array whose FL_JSON_ARRAY was read last.  false: the parser
 * has failed.
 */
bool fl_json_integers(struct fl_json *json, struct fl_json_integers *array);

/*
 * Of an array whose FL_JSON_ARRAY was read last: the bytes up to the first ],
 * which are all of it if it holds numbers alone.  They stay until the next
 * call.  false: there are too many.  Who has seen the same bytes before skips
 * the array instead of reading it.
 */
bool fl_json_peek_array(struct fl_json *json, struct slice *bytes);
void fl_json_end_array(struct fl_json *json, struct slice bytes);

/*
 * Whether an object or an array begins, and no text in brackets: for those who
 * distinguish formats.  The text may begin with a byte order mark.
 */
bool fl_json_begins(const void *data, size_t size);

/*
 * json_probe.c.  For probes: bits if the head has the key, -1 if more of it may
 * have.  path: "nodes.callFrame" is a key of an object that is the value of the
 * key nodes of the document, or an element of an array there.
 */
int fl_json_probe(const uint8_t *head, size_t n, bool whole, const char *path);
/* Matches any of the paths. */
int fl_json_probe_any(const uint8_t *head, size_t n, bool whole,
		      const char *const *paths, size_t npaths);

#endif
