/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pprof: profiles of Go, gperftools and many others, a message of
 * google/pprof's profile.proto, as a rule packed with gzip.
 *
 *	tables.c	what samples point to: strings, functions, locations
 *	samples.c	samples as they come, equal ones added up
 *	prune.c		functions that a profile drops
 *	labels.c	labels of samples: threads, times
 *	read.c		profiles, and the row of formats.def
 *	write.c		the same, written
 *	raw.c, raw_line.c, traces.c	what go tool pprof -raw and -traces print
 *	text.c		profiles as text, of Go and gperftools
 *	legacy.c	CPU profiles of gperftools
 */
#ifndef FL_PPROF_H
#define FL_PPROF_H

#include "base/protobuf.h"
#include "format/format.h"
#include "native/bare.h"

/* Numbers of fields, named after profile.proto. */
enum {
	PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4, PROFILE_FUNCTION = 5, PROFILE_STRING_TABLE = 6,
	PROFILE_DROP_FRAMES = 7, PROFILE_KEEP_FRAMES = 8,
	PROFILE_TIME_NANOS = 9, PROFILE_DURATION_NANOS = 10,
	PROFILE_PERIOD_TYPE = 11, PROFILE_PERIOD = 12, PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_SAMPLE_TYPE = 14, PROFILE_DOC_URL = 15,
	VALUE_TYPE_TYPE = 1, VALUE_TYPE_UNIT = 2,
	SAMPLE_LOCATION_ID = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3,
	LABEL_KEY = 1, LABEL_STR = 2, LABEL_NUM = 3,
	MAPPING_ID = 1, MAPPING_START = 2, MAPPING_LIMIT = 3,
	MAPPING_OFFSET = 4, MAPPING_FILENAME = 5, MAPPING_BUILD_ID = 6,
	LOCATION_ID = 1, LOCATION_MAPPING_ID = 2, LOCATION_ADDRESS = 3,
	LOCATION_LINE = 4,
	LINE_FUNCTION_ID = 1, LINE_LINE = 2,
	FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME = 3,
	FUNCTION_FILENAME = 4
};

/* Mappings, locations or functions: messages with an id. */
struct fl_pprof_table {
	struct fl_pprof_entry {
		uint64_t id;
		struct fl_message message;
		bool known;	/* of locations: frames were looked up */
		uint32_t first, count;	/* of frames, outermost first */
		uint32_t ndropped;	/* of frames, innermost first */
		bool dropped;	/* all of them are */
	} *data;
	size_t count, capacity;
	bool has_ids;		/* one of them has */
	struct fl_map by_id;	/* ids that differ from their index + 1 */
};

/* Tables that the samples of a profile point to; zeroed: empty. */
struct fl_pprof_tables {
	struct flame *flame;
	bool lines;		/* names get ":LINE" */
	struct fl_pprof_string {
		struct slice text;
		flame_id name;	/* once it was asked for */
	} *strings;
	size_t nstrings, strings_capacity;
	struct fl_pprof_table mappings, locations, functions;
	flame_id *frames;	/* of locations */
	size_t nframes, frames_capacity;
	uint64_t unnamed;	/* locations without a function */
	struct fl_buf buf;
	struct fl_regex *drop, *keep;	/* NULL: not in the profile */
	struct fl_bare bare;		/* its mappings, */
	bool has_maps;			/* once they were asked for */
};

#define FL_PPROF_ADVICE "pprof -proto PROGRAM FILE looks them up"

/* Adds a field of Profile; false: out of memory, as flame says. */
bool fl_pprof_add(struct fl_pprof_tables *tables,
		  const struct fl_field *field);
void fl_pprof_clear(struct fl_pprof_tables *tables);
void fl_pprof_free(struct fl_pprof_tables *tables);
/* false: the table has no such string. */
bool fl_pprof_text(const struct fl_pprof_tables *tables, uint64_t index,
		   struct slice *text);
bool fl_pprof_name(struct fl_pprof_tables *tables, uint64_t index,
		   flame_id *name);
/* NULL: there is no such entry. */
const struct fl_pprof_entry *
fl_pprof_location(struct fl_pprof_tables *tables, uint64_t id);
/* The filename of the first mapping, as a rule the program's. */
struct slice fl_pprof_program(const struct fl_pprof_tables *tables);

/*
 * prune.c: drop and keep are strings, 0: none.  A function's name is dropped
 * with all that it calls.
 */
void fl_pprof_begin_prune(struct fl_pprof_tables *tables, const char *input,
			  uint64_t drop, uint64_t keep);
bool fl_pprof_is_dropped(const struct fl_pprof_tables *tables,
			 struct slice name);
void fl_pprof_end_prune(struct fl_pprof_tables *tables);

/*
 * raw_line.c: "main.leaf /m.go:3:0 s=3(system)"; before Go 1.21 without the
 * column.
 */
bool fl_pprof_raw_line(struct slice text, struct slice *name, int64_t *line);

/* Samples of a profile that differ in more than their values; zeroed: none. */
struct fl_pprof_samples {
	struct fl_pprof_sample {
		const char *rest;	/* the message without its values */
		size_t size;
		size_t first, nvalues;	/* of values, the sums */
		uint64_t samples;
	} *data;
	size_t count, capacity;
	int64_t *values;
	size_t nvalues, values_capacity;
	struct fl_index index;
	struct fl_arena arena;
	struct fl_buf rest;
};

/*
 * Adds a sample; apart: not to an equal one.  false: it is damaged, or out of
 * memory, as flame says.
 */
bool fl_pprof_add_sample(struct flame *flame, struct fl_pprof_samples *samples,
			 const struct fl_field *sample, bool apart);
void fl_pprof_clear_samples(struct fl_pprof_samples *samples);
void fl_pprof_free_samples(struct fl_pprof_samples *samples);

/* The labels of a sample; zeroed: none. */
struct fl_pprof_labels {
	flame_id labels, thread;
	int64_t time;
};

/* false: a label points to a string that is not there. */
bool fl_pprof_read_labels(struct fl_pprof_tables *tables,
			  struct fl_message sample,
			  struct fl_pprof_labels *labels);

/* write.c */
struct flame_sink *fl_pprof_create(struct flame *flame, struct fl_out *out);

#endif
