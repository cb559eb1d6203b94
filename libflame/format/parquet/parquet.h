/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parquet, as far as our files need it: Thrift's compact protocol, pages of
 * DELTA_BINARY_PACKED, PLAIN and RLE_DICTIONARY, packed with zstd.
 *
 * A file is one table that needs no other file.  Its first rows define nodes:
 * node, parent, frame and type are set, the rest is null.  Parents come before
 * their children, in preorder; node 0 is the empty stack.  The other rows are
 * samples: metric, unit, value, node, and a column a label key.
 */
#ifndef FL_PARQUET_H
#define FL_PARQUET_H

#include "base/protobuf.h"
#include "format/format.h"

#define FL_PARQUET_MAGIC "PAR1"
#define FL_PARQUET_CREATOR "libflame"
/* Key and value in the file's metadata. */
#define FL_PARQUET_VERSION_KEY "libflame.version"
#define FL_PARQUET_VERSION "1"

/* Rows of a group; the reader refuses more. */
enum { FL_PARQUET_ROWS = 1 << 17 };

/* Columns that every file has; a label of such a name gets "label.". */
enum fl_parquet_fixed {
	FL_PARQUET_METRIC, FL_PARQUET_UNIT, FL_PARQUET_VALUE, FL_PARQUET_NODE,
	FL_PARQUET_PARENT, FL_PARQUET_FRAME, FL_PARQUET_FRAME_TYPE,
	FL_PARQUET_FIXED
};

#define FL_PARQUET_LABEL "label."

/* thrift.c: the name and the physical type of each. */
enum fl_parquet_physical {
	FL_PARQUET_INT32 = 1, FL_PARQUET_INT64 = 2, FL_PARQUET_BYTES = 6
};

extern const struct fl_parquet_column_name {
	const char *name;
	enum fl_parquet_physical type;
} fl_parquet_fixed[FL_PARQUET_FIXED];

enum { FL_PARQUET_PLAIN = 0, FL_PARQUET_RLE = 3, FL_PARQUET_DELTA = 5,
	FL_PARQUET_DICTIONARY = 8 };
enum { FL_PARQUET_ZSTD = 6 };
enum { FL_PARQUET_DATA_PAGE = 0, FL_PARQUET_DICTIONARY_PAGE = 2 };

/* Thrift's compact protocol ------------------------------------------- */

enum fl_thrift_type {
	FL_THRIFT_STOP, FL_THRIFT_TRUE, FL_THRIFT_FALSE, FL_THRIFT_BYTE,
	FL_THRIFT_I16, FL_THRIFT_I32, FL_THRIFT_I64, FL_THRIFT_DOUBLE,
	FL_THRIFT_BINARY, FL_THRIFT_LIST, FL_THRIFT_SET, FL_THRIFT_MAP,
	FL_THRIFT_STRUCT
};

/* Writes fields of a struct; `last` is the id of the field before. */
struct fl_thrift_out {
	struct fl_buf *to;
	int last;
};

void fl_thrift_number(struct fl_thrift_out *out, int id, int64_t value);
void fl_thrift_long(struct fl_thrift_out *out, int id, int64_t value);
void fl_thrift_text(struct fl_thrift_out *out, int id, struct slice text);
/* A struct in a field, to be ended; a list, whose elements follow. */
struct fl_thrift_out fl_thrift_begin(struct fl_thrift_out *out, int id);
void fl_thrift_list(struct fl_thrift_out *out, int id,
		    enum fl_thrift_type type, size_t count);
/* An element of a list of structs, i32 or binary. */
struct fl_thrift_out fl_thrift_element(struct fl_thrift_out *out);
void fl_thrift_put_number(struct fl_buf *to, int64_t value);
void fl_thrift_put_text(struct fl_buf *to, struct slice text);
void fl_thrift_end(struct fl_thrift_out *out);

/* A field that was read.  Of lists the elements are read by the caller. */
struct fl_thrift_field {
	int id;
	enum fl_thrift_type type;
	int64_t number;		/* of integers */
	struct slice text;	/* of binary */
	enum fl_thrift_type element;	/* of lists */
	uint64_t count;
};

/*
 * Reads the header of the next field, and its value where it is a number or a
 * text.  false: the struct ends, or in->damaged.  Structs, lists and maps that
 * the caller does not read it passes to fl_thrift_skip.
 */
bool fl_thrift_next(struct fl_message *in, int *last,
		    struct fl_thrift_field *field);
void fl_thrift_skip(struct fl_message *in, const struct fl_thrift_field *field);
/* An element of a list of numbers, or of texts. */
int64_t fl_thrift_read_number(struct fl_message *in);
struct slice fl_thrift_read_text(struct fl_message *in);

/* encode.c ------------------------------------------------------------ */

/* RLE and bit-packed runs of numbers of `width` bits. */
void fl_parquet_put_hybrid(struct fl_buf *to, const uint32_t *values, size_t n,
			   unsigned width);
/* The same read; of each number the text, where texts is not NULL. */
struct fl_parquet_texts {
	flame_id *ids;
	size_t n, capacity;
};
bool fl_parquet_hybrid(struct fl_message *in, unsigned width,
		       const struct fl_parquet_texts *texts,
		       uint32_t *values, size_t n);
void fl_parquet_put_delta(struct fl_buf *to, const int64_t *values, size_t n);
bool fl_parquet_delta(struct fl_message *in, int64_t *values, size_t n);
/* Bits for the numbers below n. */
unsigned fl_parquet_width(size_t n);

/* The suffixes of folded text, without their brackets; or NULL. */
extern const char *const fl_parquet_types[FL_TYPES];

/* nodes.c ------------------------------------------------------------- */

struct fl_parquet_node {
	uint32_t parent, name;	/* name: from 1 on; 0: none */
	flame_id stack;		/* once it was entered */
	uint8_t type;
	bool entered;
};

struct fl_parquet_nodes {
	struct flame *flame;
	const struct fl_wanted_text *wanted;	/* or NULL: all are */
	struct fl_buf text;	/* of all names */
	struct fl_parquet_name *names;
	size_t nnames, names_capacity;
	struct fl_parquet_node *nodes;	/* from 1 on; 0: the empty stack */
	bool *chosen;	/* by node: it, or one above it, has a text wanted */
	size_t nnodes, nodes_capacity, chosen_capacity;
	uint32_t *path;		/* of fl_parquet_stack */
	size_t path_capacity;
};

/* Once before all others, with flame and wanted set.  false: out of memory. */
bool fl_parquet_begin_nodes(struct fl_parquet_nodes *nodes);
/* Before n more names of `size` bytes in all, and n more nodes. */
bool fl_parquet_reserve_names(struct fl_parquet_nodes *nodes, size_t n,
			      size_t size);
bool fl_parquet_reserve_nodes(struct fl_parquet_nodes *nodes, size_t n);
/* Its number, from 1 on; 0: out of memory. */
uint32_t fl_parquet_add_name(struct fl_parquet_nodes *nodes, struct slice text);
/* The next node.  false: its parent is not before it, or out of memory. */
bool fl_parquet_add_node(struct fl_parquet_nodes *nodes, int64_t parent,
			 uint32_t name, enum flame_type type);
/* The stack of a node that is there; false: out of memory. */
bool fl_parquet_stack(struct fl_parquet_nodes *nodes, uint32_t node,
		      flame_id *stack);
void fl_parquet_free_nodes(struct fl_parquet_nodes *nodes);

/* write.c */
struct flame_sink *fl_parquet_create(struct flame *flame, struct fl_out *out);

#endif
