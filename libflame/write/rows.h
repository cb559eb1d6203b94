/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writers of rows: a sink that sums samples of the same stack, thread, metric
 * and labels, sorts the sums by their text alone, and calls write() at the end.
 */
#ifndef FL_ROWS_H
#define FL_ROWS_H

#include "tree/tree.h"

struct fl_rows {
	struct flame *flame;
	struct fl_out *out;
	int (*write)(struct fl_rows *rows);
	/* Sorted, without sums of 0; times only where they are asked for. */
	struct fl_sums sums;
	flame_id *metrics;	/* of the rows, sorted by name */
	size_t nmetrics, metrics_capacity;
	int64_t from, to;	/* span of all inputs; or FLAME_NOTIME */
	int64_t first;		/* time of a row; FLAME_NOTIME: none has one */
	char *events, *title;	/* options of that name, or NULL */
	/* Ranks by id, for sorting. */
	uint32_t *stack_rank, *set_rank;
	bool timed;		/* rows of different times stay separate */
	bool by_thread;		/* sorted by thread and time first */
	bool untitled;		/* the output has no place for a title */
	bool bare;		/* neither threads nor labels: columns.c */
	struct ArrowSchema *schema;	/* what columns.c fills */
	struct ArrowArray *array;
};

/*
 * needs: FL_NEED_...; accepts options of pictures, with a remark.  With
 * FL_NEED_TIME rows have times, unless there are too many.
 */
struct flame_sink *fl_rows_sink(struct flame *flame, struct fl_out *out,
				unsigned needs,
				int (*write)(struct fl_rows *rows));
/* The same for outputs without a place for a title. */
struct flame_sink *fl_rows_untitled(struct flame *flame, struct fl_out *out,
				    unsigned needs,
				    int (*write)(struct fl_rows *rows));
/*
 * The label keys of rows and their threads, as names, sorted by text; to
 * fl_free.  NULL: out of memory.
 */
flame_id *fl_rows_keys(struct fl_rows *rows, size_t *count);
/*
 * For writers of one metric: accepts one, and no --events; the rows of a thread
 * one after another, in the order of their times.
 */
struct flame_sink *fl_thread_rows_sink(struct flame *flame, struct fl_out *out,
				       int (*write)(struct fl_rows *rows));
/* From rows->first to a row's time; the time must be known. */
static inline int64_t fl_row_since(const struct fl_rows *rows,
				   const struct flame_sample *row)
{
	int64_t time;

	return __builtin_sub_overflow(row->time, rows->first, &time) ?
	       INT64_MAX : time;
}

/* The end of the rows with the thread of rows->sums.data[from]. */
size_t fl_rows_thread_end(const struct fl_rows *rows, size_t from);
/*
 * Ranks by stack id, in preorder, siblings by the text of their frames; to
 * fl_free.  NULL: out of memory.
 */
uint32_t *fl_rank_stacks(const struct flame *flame);
/* The value of a label; 0: none. */
flame_id fl_row_label(const struct flame *flame, const struct flame_sample *row,
		      flame_id key);

/*
 * table.c: the columns of tables.  Keys of labels without those that say where
 * the stack has the thread's frame, to fl_free; NULL: out of memory.
 */
flame_id *fl_table_keys(struct fl_rows *rows, size_t *count);
/* Whether a column that is not a label has this name. */
bool fl_is_table_column(struct slice name);
struct slice fl_row_metric(const struct fl_rows *rows,
			   const struct flame_sample *row);
struct slice fl_row_unit(const struct fl_rows *rows,
			 const struct flame_sample *row);

/* spell.c: appends a name and the suffix of its type, as in folded text. */
void fl_spell_frame(struct fl_buf *to, const struct flame *flame,
		    flame_id name, enum flame_type type);
/* "main;work_[j]" */
void fl_spell_stack(struct fl_buf *to, const struct flame *flame,
		    flame_id stack);
/* A string of JSON, in quotes; invalid UTF-8 becomes U+FFFD. */
void fl_spell_json(struct fl_buf *to, struct slice text);

/*
 * In our Trace Event: threads of this number or more have none, and a process
 * of the number 0.
 */
#define FL_TRACE_NO_TID INT64_C(1073741824)

/* pieces.c: text that is written in large pieces. */
struct fl_pieces {
	struct fl_out *out;
	struct fl_buf buf;	/* append at will; fl_pieces_text flushes */
};

void fl_pieces_text(struct fl_pieces *p, const char *text);
void fl_pieces_string(struct fl_pieces *p, const char *text);
/* A name as JSON, with the suffix of its type. */
void fl_pieces_name(struct fl_pieces *p, const struct flame *flame,
		    flame_id name, enum flame_type type);
/* value / 10^places: "12.5" */
void fl_pieces_decimal(struct fl_pieces *p, int64_t value, int places);
/* Frees it. */
int fl_pieces_finish(struct fl_pieces *p, struct flame *flame);

#endif
