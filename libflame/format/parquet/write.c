/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the samples of a sink as Parquet (fl_parquet_create): rows sorted by
 * labels that groups of rows share, metric, node and the other labels.  Bytes
 * depend on the sums alone: nodes are numbered in preorder, siblings by their
 * text.
 */
#include "fl.h"

#include "write/rows.h"
#include "format/parquet/parquet.h"
#include "io/zstd.h"

#include <stdlib.h>

/*
 * Of zstd.  Full groups are those of merged files, written once; from 9 to 12 a
 * file of one run gets smaller by 1%, and its packing needs three times the CPU
 * time.
 */
enum { LEVEL = 9, LEVEL_OF_FULL = 17, LEVEL_OF_TRIAL = 3 };
enum { MAX_BOUND = 256 };	/* bytes of a statistic */

static const char wanted[] = "app,app-name,date,executor,host,stage,stage-name,"
	"query,operator";

struct row {
	uint64_t group_and_metric;	/* ranks */
	uint64_t node_and_labels;	/* the labels' rank */
	flame_id labels, metric;
	int64_t value;
};

struct column {
	struct fl_buf name;
	enum fl_parquet_physical type;
	flame_id key;		/* of a label */
};

struct writer {
	struct flame *flame;
	struct fl_out *out;
	struct column *columns;
	size_t ncolumns;
	struct row *rows;
	size_t nrows;
	flame_id *stacks;	/* by node */
	uint32_t *nodes;	/* by stack */
	size_t nnodes;
	flame_id types[FL_TYPES];	/* their texts, as names */
	/* Of the row group: cells that are not null, and which are. */
	int64_t *cells;
	uint32_t *present;
	size_t n, ncells;
	/* Of the column: a dictionary. */
	struct fl_map index;
	flame_id *texts;
	size_t ntexts;
	/* Of the file. */
	uint64_t offset;
	uint64_t group_bytes;
	struct fl_buf groups, page, packed;
};

/* Nodes --------------------------------------------------------------- */

/* A name that is UTF-8, as readers of a text column require. */
static flame_id clean_name(struct flame *flame, flame_id name)
{
	struct slice text = fl_name_at(flame, name);
	struct fl_buf clean = { 0 };

	fl_utf8_clean(&clean, text);
	if (clean.failed)
		fl_no_memory(flame);
	else if (clean.size != text.size)
		name = flame_name(flame, clean.data, clean.size);
	fl_buf_free(&clean);
	return name;
}

/* "[main tid=7]" to "[main]": a thread has another number in each run. */
static flame_id without_tid(struct flame *flame, flame_id name)
{
	struct slice text = fl_name_at(flame, name);
	size_t i = text.size - 1;
	struct fl_buf bare = { 0 };

	if (text.size < 8 || text.data[0] != '[' || text.data[i] != ']')
		return name;
	while (i && fl_is_digit(text.data[i - 1]))
		i--;
	if (i == text.size - 1 || i < 6 ||
	    memcmp(text.data + i - 5, " tid=", 5) != 0)
		return name;
	fl_buf_put(&bare, text.data, i - 5);
	fl_buf_byte(&bare, ']');
	if (bare.failed)
		fl_no_memory(flame);
	else
		name = flame_name(flame, bare.data, bare.size);
	fl_buf_free(&bare);
	return name;
}

/* Stacks without files, lines, and types that text does not have. */
static flame_id *plain_stacks(struct flame *flame, size_t n)
{
	flame_id *plain = fl_zeroed(n, sizeof(*plain));

	for (flame_id i = 1; plain && i < n; i++) {
		struct flame_frame frame = *fl_frame_at(flame, i);
		flame_id name = clean_name(flame, frame.name);

		frame = (struct flame_frame){
			.name = fl_parent(flame, i) ? name :
						      without_tid(flame, name),
			.type = fl_parquet_types[frame.type] ? frame.type :
							       FLAME_UNKNOWN };
		plain[i] = flame_stack(flame, plain[fl_parent(flame, i)],
				       fl_frame_as_is(flame, &frame));
	}
	return plain;
}

/* Numbers the stacks of rows and their ancestors. */
static bool number_nodes(struct writer *w, const struct fl_rows *rows,
			 const flame_id *plain)
{
	size_t n = w->flame->stacks.count;
	uint32_t *rank = fl_rank_stacks(w->flame);
	flame_id *at = fl_zeroed(n, sizeof(*at));

	w->nodes = fl_zeroed(n, sizeof(*w->nodes));
	w->stacks = fl_zeroed(n, sizeof(*w->stacks));
	if (rank && at && w->nodes && w->stacks) {
		for (size_t i = 0; i < rows->sums.count; i++)
			w->nodes[plain[rows->sums.data[i].stack]] = 1;
		for (flame_id i = (flame_id)n; --i > 0;)
			if (w->nodes[i])
				w->nodes[fl_parent(w->flame, i)] = 1;
		for (flame_id i = 0; i < n; i++)
			at[rank[i]] = i;
		for (size_t i = 1; i < n; i++)
			if (w->nodes[at[i]]) {
				w->nodes[at[i]] = (uint32_t)++w->nnodes;
				w->stacks[w->nnodes] = at[i];
			}
		w->nodes[0] = 0;
	}
	fl_free(at);
	at = rank ? at : NULL;
	fl_free(rank);
	return at && w->nodes && w->stacks;
}

/* Rows ---------------------------------------------------------------- */

/*
 * Labels that differ from one sample of a stack to the next: rows sorted by
 * them last repeat the nodes of those before, which packs well.
 */
static const char *const varying[] = {
	"codegen", "executor", "host", "operator", "state", "thread",
};

static int by_row(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->group_and_metric != y->group_and_metric)
		return x->group_and_metric < y->group_and_metric ? -1 : 1;
	return (x->node_and_labels > y->node_and_labels) -
	       (x->node_and_labels < y->node_and_labels);
}

/*
 * Ranks of label sets by what they share, the least of their ranks; to fl_free.
 * NULL: out of memory.
 */
static uint32_t *rank_groups(const struct fl_rows *rows)
{
	struct flame *flame = rows->flame;
	size_t n = flame->labels.count;
	flame_id *shared = fl_zeroed(n + 1, sizeof(*shared));
	struct fl_map least = { 0 };
	uint32_t *rank = fl_zeroed(n + 1, sizeof(*rank));
	bool good = shared && rank;

	for (size_t i = 0; good && i < rows->sums.count; i++) {
		flame_id set = rows->sums.data[i].labels, bare = set;
		uint64_t *at;
		bool added;

		if (shared[set])
			continue;
		for (size_t k = 0; bare && k < FL_COUNT(varying); k++)
			bare = flame_label(flame, bare,
					   fl_name(flame, varying[k]), 0);
		shared[set] = bare + 1;
		at = fl_map_put(&least, bare, &added);
		good = at && !fl_failed(flame);
		if (good && (added || *at > rows->set_rank[set]))
			*at = rows->set_rank[set];
	}
	for (size_t i = 0; good && i < n; i++)
		if (shared[i])
			rank[i] = (uint32_t)*fl_map_get(&least, shared[i] - 1);
	fl_map_free(&least);
	fl_free(shared);
	if (good)
		return rank;
	fl_free(rank);
	return NULL;
}

static uint32_t metric_rank(const struct fl_rows *rows, flame_id metric)
{
	uint32_t i = 0;

	while (i < rows->nmetrics && rows->metrics[i] != metric)
		i++;
	return i;
}

/* Stacks that are one node become one row. */
static int merge_rows(struct writer *w)
{
	size_t n = 0;

	for (size_t i = 0; i < w->nrows; i++) {
		if (!n || by_row(&w->rows[n - 1], &w->rows[i]) != 0)
			w->rows[n++] = w->rows[i];
		else if (__builtin_add_overflow(w->rows[n - 1].value,
						w->rows[i].value,
						&w->rows[n - 1].value))
			return fl_fail(w->flame, FL_TOO_HEAVY);
	}
	w->nrows = n;
	return FLAME_OK;
}

static int sort_rows(struct writer *w, const struct fl_rows *rows,
		     const flame_id *plain)
{
	uint32_t *group = rank_groups(rows);

	w->nrows = rows->sums.count;
	w->rows = fl_alloc(fl_size_mul(w->nrows + 1, sizeof(*w->rows)));
	if (!w->rows || !group) {
		fl_free(group);
		return fl_no_memory(w->flame);
	}
	for (size_t i = 0; i < w->nrows; i++) {
		const struct flame_sample *s = &rows->sums.data[i];

		w->rows[i] = (struct row){
			(uint64_t)group[s->labels] << 32 |
				metric_rank(rows, s->metric),
			(uint64_t)w->nodes[plain[s->stack]] << 32 |
				rows->set_rank[s->labels],
			s->labels, s->metric, s->weight };
	}
	fl_free(group);
	if (w->nrows)
		qsort(w->rows, w->nrows, sizeof(*w->rows), by_row);
	return merge_rows(w);
}

/* Columns ------------------------------------------------------------- */

static bool make_columns(struct writer *w, struct fl_rows *rows)
{
	size_t nkeys;
	flame_id *keys = fl_rows_keys(rows, &nkeys);
	bool good = keys;

	w->columns = fl_zeroed(FL_PARQUET_FIXED + nkeys, sizeof(*w->columns));
	for (size_t i = 0; good && w->columns && i < FL_PARQUET_FIXED; i++) {
		fl_buf_text(&w->columns[i].name, fl_parquet_fixed[i].name);
		w->columns[i].type = fl_parquet_fixed[i].type;
	}
	for (size_t i = 0; good && w->columns && i < nkeys; i++) {
		struct column *column = &w->columns[FL_PARQUET_FIXED + i];
		struct slice name = fl_name_at(w->flame, keys[i]);

		for (size_t k = 0; k < FL_PARQUET_FIXED; k++)
			if (fl_slice_is(name, fl_parquet_fixed[k].name))
				fl_buf_text(&column->name, FL_PARQUET_LABEL);
		fl_utf8_clean(&column->name, name);
		column->type = FL_PARQUET_BYTES;
		column->key = keys[i];
	}
	w->ncolumns = FL_PARQUET_FIXED + nkeys;
	fl_free(keys);
	return good && w->columns;
}

/* Texts are ids of names; 0: null. */
static int64_t type_of(struct writer *w, const struct flame_frame *frame)
{
	flame_id *type = &w->types[frame->type];

	if (!*type && fl_parquet_types[frame->type])
		*type = fl_name(w->flame, fl_parquet_types[frame->type]);
	return *type;
}

static bool node_cell(struct writer *w, size_t node, size_t column,
		      int64_t *cell)
{
	flame_id stack = w->stacks[node];
	const struct flame_frame *frame = fl_frame_at(w->flame, stack);

	switch (column) {
	case FL_PARQUET_NODE:
		*cell = (int64_t)node;
		return true;
	case FL_PARQUET_PARENT:
		*cell = w->nodes[fl_parent(w->flame, stack)];
		return true;
	case FL_PARQUET_FRAME:
		*cell = frame->name;
		return true;
	case FL_PARQUET_FRAME_TYPE:
		return (*cell = type_of(w, frame)) != 0;
	}
	return false;
}

static int64_t metric_text(struct writer *w, flame_id metric, bool unit)
{
	const struct flame_metric *m = flame_metric_of(w->flame, metric);

	if (!*m->name)
		return fl_name(w->flame, "samples");
	return fl_name(w->flame, unit ? m->weight : m->name);
}

static bool row_cell(struct writer *w, const struct row *row, size_t column,
		     int64_t *cell)
{
	switch (column) {
	case FL_PARQUET_METRIC: case FL_PARQUET_UNIT:
		*cell = metric_text(w, row->metric, column == FL_PARQUET_UNIT);
		return true;
	case FL_PARQUET_VALUE:
		*cell = row->value;
		return true;
	case FL_PARQUET_NODE:
		*cell = (int64_t)(row->node_and_labels >> 32);
		return true;
	case FL_PARQUET_PARENT: case FL_PARQUET_FRAME:
	case FL_PARQUET_FRAME_TYPE:
		return false;
	}
	*cell = flame_label_get(w->flame, row->labels, w->columns[column].key);
	return *cell != 0;
}

static void gather(struct writer *w, bool nodes, size_t from, size_t column)
{
	w->ncells = 0;
	for (size_t i = 0; i < w->n; i++) {
		int64_t cell;
		bool is = nodes ? node_cell(w, from + i + 1, column, &cell) :
				  row_cell(w, &w->rows[from + i], column, &cell);

		w->present[i] = is;
		if (is)
			w->cells[w->ncells++] = cell;
	}
}

/* Pages --------------------------------------------------------------- */

struct chunk {
	uint64_t begin, dictionary, data;	/* offsets */
	uint64_t unpacked;
	int encoding;
};

static void put_page_head(struct fl_buf *to, int type, size_t size,
			  size_t packed, size_t n, int encoding)
{
	struct fl_thrift_out head = { to, 0 }, page;

	fl_thrift_number(&head, 1, type);
	fl_thrift_number(&head, 2, (int64_t)size);
	fl_thrift_number(&head, 3, (int64_t)packed);
	page = fl_thrift_begin(&head, type == FL_PARQUET_DATA_PAGE ? 5 : 7);
	fl_thrift_number(&page, 1, (int64_t)n);
	fl_thrift_number(&page, 2, encoding);
	if (type == FL_PARQUET_DATA_PAGE) {
		fl_thrift_number(&page, 3, FL_PARQUET_RLE);
		fl_thrift_number(&page, 4, FL_PARQUET_RLE);
	}
	fl_thrift_end(&page);
	fl_thrift_end(&head);
}

static void put_bytes(struct writer *w, const struct fl_buf *bytes)
{
	if (bytes->failed) {
		fl_no_memory(w->flame);
		return;
	}
	fl_out_put(w->out, bytes->data, bytes->size);
	w->offset += bytes->size;
}

static void pack(struct writer *w, const struct fl_buf *page,
		 struct fl_buf *packed, int level)
{
	const char *why;

	packed->size = 0;
	if (page->failed || page->size > INT32_MAX) {
		fl_no_memory(w->flame);
		return;
	}
	why = fl_zstd_pack(packed, fl_buf_slice(page), level);
	if (why)
		fl_fail(w->flame, "zstd: %s", why);
}

static void pack_page(struct writer *w)
{
	pack(w, &w->page, &w->packed,
	     w->n == FL_PARQUET_ROWS ? LEVEL_OF_FULL : LEVEL);
}

/* Writes w->page, whose packed bytes are in w->packed. */
static void put_page(struct writer *w, struct chunk *chunk, int type, size_t n,
		     int encoding)
{
	struct fl_buf head = { 0 };

	put_page_head(&head, type, w->page.size, w->packed.size, n, encoding);
	chunk->unpacked += head.size + w->page.size;
	put_bytes(w, &head);
	put_bytes(w, &w->packed);
	fl_buf_free(&head);
}

static void put_le(struct fl_buf *to, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		fl_buf_byte(to, (char)(uint8_t)(value >> 8 * i));
}

/* Definition levels: which cells are not null; their size comes before. */
static void put_levels(struct writer *w, struct fl_buf *page)
{
	struct fl_buf levels = { 0 };

	page->size = 0;
	fl_parquet_put_hybrid(&levels, w->present, w->n, 1);
	put_le(page, levels.size, 4);
	fl_buf_put(page, levels.data, levels.size);
	page->failed |= levels.failed;
	fl_buf_free(&levels);
}

/* Numbers by the encoding that packs better. */
static void put_numbers(struct writer *w, struct chunk *chunk,
			enum fl_parquet_physical type)
{
	unsigned bytes = type == FL_PARQUET_INT32 ? 4 : 8;
	struct fl_buf plain = { 0 }, packed = { 0 };

	put_levels(w, &plain);
	for (size_t i = 0; i < w->ncells; i++)
		put_le(&plain, (uint64_t)w->cells[i], bytes);
	pack(w, &plain, &packed, LEVEL_OF_TRIAL);
	put_levels(w, &w->page);
	fl_parquet_put_delta(&w->page, w->cells, w->ncells);
	pack(w, &w->page, &w->packed, LEVEL_OF_TRIAL);
	chunk->encoding = FL_PARQUET_DELTA;
	if (packed.size < w->packed.size) {
		struct fl_buf swap = w->page;

		chunk->encoding = FL_PARQUET_PLAIN;
		w->page = plain;
		plain = swap;
	}
	pack_page(w);
	put_page(w, chunk, FL_PARQUET_DATA_PAGE, w->n, chunk->encoding);
	fl_buf_free(&plain);
	fl_buf_free(&packed);
}

static int by_text(struct slice a, struct slice b)
{
	int d = memcmp(a.data, b.data, FL_MIN(a.size, b.size));

	return d ? d : (a.size > b.size) - (a.size < b.size);
}

struct text {
	struct slice text;
	flame_id id;
};

static int by_slice(const void *a, const void *b)
{
	return by_text(((const struct text *)a)->text,
		       ((const struct text *)b)->text);
}

/* Texts that are alike lie together, and pack well. */
static bool sort_texts(struct writer *w)
{
	struct text *list = fl_alloc(fl_size_mul(w->ntexts + 1, sizeof(*list)));

	for (size_t i = 0; list && i < w->ntexts; i++)
		list[i] = (struct text){ fl_name_at(w->flame, w->texts[i]),
					 w->texts[i] };
	if (list && w->ntexts)
		qsort(list, w->ntexts, sizeof(*list), by_slice);
	for (size_t i = 0; list && i < w->ntexts; i++) {
		w->texts[i] = list[i].id;
		*fl_map_put(&w->index, list[i].id, NULL) = i;
	}
	fl_free(list);
	return list;
}

/* Replaces texts by their places among them, sorted. */
static bool index_texts(struct writer *w)
{
	fl_map_clear(&w->index);
	w->ntexts = 0;
	for (size_t i = 0; i < w->ncells; i++) {
		bool added;

		if (!fl_map_put(&w->index, (uint64_t)w->cells[i], &added))
			return false;
		if (added)
			w->texts[w->ntexts++] = (flame_id)w->cells[i];
	}
	if (!sort_texts(w))
		return false;
	for (size_t i = 0; i < w->ncells; i++)
		w->cells[i] = (int64_t)*fl_map_get(&w->index,
						   (uint64_t)w->cells[i]);
	return true;
}

static void put_dictionary(struct writer *w, struct chunk *chunk)
{
	struct fl_buf clean = { 0 };

	w->page.size = 0;
	for (size_t i = 0; i < w->ntexts; i++) {
		clean.size = 0;
		fl_utf8_clean(&clean, fl_name_at(w->flame, w->texts[i]));
		put_le(&w->page, clean.size, 4);
		fl_buf_put(&w->page, clean.data, clean.size);
	}
	w->page.failed |= clean.failed;
	fl_buf_free(&clean);
	pack_page(w);
	chunk->dictionary = w->offset;
	put_page(w, chunk, FL_PARQUET_DICTIONARY_PAGE, w->ntexts,
		 FL_PARQUET_PLAIN);
}

static void put_texts(struct writer *w, struct chunk *chunk)
{
	unsigned width;
	uint32_t *index;

	if (!index_texts(w)) {
		fl_no_memory(w->flame);
		return;
	}
	put_dictionary(w, chunk);
	/* Whole bytes: zstd finds sequences that come again. */
	width = (fl_parquet_width(w->ntexts) + 7) / 8 * 8;
	index = fl_alloc(fl_size_mul(w->ncells + 1, sizeof(*index)));
	for (size_t i = 0; index && i < w->ncells; i++)
		index[i] = (uint32_t)w->cells[i];
	put_levels(w, &w->page);
	fl_buf_byte(&w->page, (char)width);
	if (index)
		fl_parquet_put_hybrid(&w->page, index, w->ncells, width);
	else
		fl_no_memory(w->flame);
	fl_free(index);
	pack_page(w);
	chunk->data = w->offset;
	chunk->encoding = FL_PARQUET_DICTIONARY;
	put_page(w, chunk, FL_PARQUET_DATA_PAGE, w->n, chunk->encoding);
}

static void put_nulls(struct writer *w, struct chunk *chunk)
{
	put_levels(w, &w->page);
	pack_page(w);
	chunk->encoding = FL_PARQUET_PLAIN;
	put_page(w, chunk, FL_PARQUET_DATA_PAGE, w->n, chunk->encoding);
}

/* Metadata ------------------------------------------------------------ */

/*
 * Compares the texts as they are written: replacing bytes that are not UTF-8
 * changes their order.
 */
static void text_bounds(struct writer *w, struct fl_buf *least,
			struct fl_buf *most)
{
	for (size_t i = 0; i < w->ntexts; i++) {
		struct fl_buf text = { 0 };

		fl_utf8_clean(&text, fl_name_at(w->flame, w->texts[i]));
		if (!i || by_text(fl_buf_slice(&text), fl_buf_slice(least)) < 0) {
			least->size = 0;
			fl_buf_put(least, text.data, text.size);
		}
		if (!i || by_text(fl_buf_slice(&text), fl_buf_slice(most)) > 0) {
			most->size = 0;
			fl_buf_put(most, text.data, text.size);
		}
		least->failed |= text.failed;
		fl_buf_free(&text);
	}
}

static void number_bounds(const struct writer *w, unsigned bytes,
			  struct fl_buf *least, struct fl_buf *most)
{
	int64_t low = w->cells[0], high = low;

	for (size_t i = 1; i < w->ncells; i++) {
		low = FL_MIN(low, w->cells[i]);
		high = w->cells[i] > high ? w->cells[i] : high;
	}
	put_le(least, (uint64_t)low, bytes);
	put_le(most, (uint64_t)high, bytes);
}

static void put_statistics(struct writer *w, struct fl_thrift_out *meta,
			   enum fl_parquet_physical type)
{
	struct fl_thrift_out out = fl_thrift_begin(meta, 12);
	struct fl_buf least = { 0 }, most = { 0 };

	fl_thrift_long(&out, 3, (int64_t)(w->n - w->ncells));
	if (type == FL_PARQUET_BYTES && w->ncells)
		text_bounds(w, &least, &most);
	else if (w->ncells)
		number_bounds(w, type == FL_PARQUET_INT32 ? 4 : 8, &least,
			      &most);
	if (w->ncells && least.size <= MAX_BOUND && most.size <= MAX_BOUND) {
		fl_thrift_text(&out, 5, fl_buf_slice(&most));
		fl_thrift_text(&out, 6, fl_buf_slice(&least));
	}
	w->groups.failed |= least.failed || most.failed;
	fl_buf_free(&least);
	fl_buf_free(&most);
	fl_thrift_end(&out);
}

static void describe_chunk(struct writer *w, const struct column *column,
			   const struct chunk *chunk)
{
	struct fl_thrift_out out = { &w->groups, 0 }, meta;

	fl_thrift_long(&out, 2, 0);
	meta = fl_thrift_begin(&out, 3);
	fl_thrift_number(&meta, 1, column->type);
	fl_thrift_list(&meta, 2, FL_THRIFT_I32, chunk->dictionary ? 3 : 2);
	fl_thrift_put_number(&w->groups, FL_PARQUET_RLE);
	fl_thrift_put_number(&w->groups, chunk->encoding);
	if (chunk->dictionary)
		fl_thrift_put_number(&w->groups, FL_PARQUET_PLAIN);
	fl_thrift_list(&meta, 3, FL_THRIFT_BINARY, 1);
	fl_thrift_put_text(&w->groups, fl_buf_slice(&column->name));
	fl_thrift_number(&meta, 4, FL_PARQUET_ZSTD);
	fl_thrift_long(&meta, 5, (int64_t)w->n);
	fl_thrift_long(&meta, 6, (int64_t)chunk->unpacked);
	fl_thrift_long(&meta, 7, (int64_t)(w->offset - chunk->begin));
	fl_thrift_long(&meta, 9, (int64_t)chunk->data);
	if (chunk->dictionary)
		fl_thrift_long(&meta, 11, (int64_t)chunk->dictionary);
	put_statistics(w, &meta, column->type);
	fl_thrift_end(&meta);
	fl_thrift_end(&out);
	w->group_bytes += chunk->unpacked;
}

static void put_group(struct writer *w, bool nodes, size_t from)
{
	struct fl_thrift_out out = { &w->groups, 0 };

	w->group_bytes = 0;
	fl_thrift_list(&out, 1, FL_THRIFT_STRUCT, w->ncolumns);
	for (size_t i = 0; i < w->ncolumns && !fl_failed(w->flame); i++) {
		struct chunk chunk = { .begin = w->offset, .data = w->offset };

		gather(w, nodes, from, i);
		if (!w->ncells)
			put_nulls(w, &chunk);
		else if (w->columns[i].type == FL_PARQUET_BYTES)
			put_texts(w, &chunk);
		else
			put_numbers(w, &chunk, w->columns[i].type);
		describe_chunk(w, &w->columns[i], &chunk);
	}
	fl_thrift_long(&out, 2, (int64_t)w->group_bytes);
	fl_thrift_long(&out, 3, (int64_t)w->n);
	fl_thrift_end(&out);
}

static void put_groups(struct writer *w, bool nodes, size_t count)
{
	for (size_t i = 0; i < count && !fl_failed(w->flame); i += w->n) {
		w->n = FL_MIN(count - i, (size_t)FL_PARQUET_ROWS);
		put_group(w, nodes, i);
	}
}

static void put_schema(struct writer *w, struct fl_thrift_out *file)
{
	struct fl_thrift_out out, kind, string;

	fl_thrift_list(file, 2, FL_THRIFT_STRUCT, w->ncolumns + 1);
	out = fl_thrift_element(file);
	fl_thrift_text(&out, 4, FL_SLICE("schema"));
	fl_thrift_number(&out, 5, (int64_t)w->ncolumns);
	fl_thrift_end(&out);
	for (size_t i = 0; i < w->ncolumns; i++) {
		out = fl_thrift_element(file);
		fl_thrift_number(&out, 1, w->columns[i].type);
		fl_thrift_number(&out, 3, 1);	/* it may be null */
		fl_thrift_text(&out, 4, fl_buf_slice(&w->columns[i].name));
		if (w->columns[i].type == FL_PARQUET_BYTES) {
			fl_thrift_number(&out, 6, 0);	/* it is UTF-8 */
			kind = fl_thrift_begin(&out, 10);
			string = fl_thrift_begin(&kind, 1);
			fl_thrift_end(&string);
			fl_thrift_end(&kind);
		}
		fl_thrift_end(&out);
	}
}

/* Without the order of columns readers do not trust bounds of texts. */
static void put_orders(struct writer *w, struct fl_thrift_out *file)
{
	fl_thrift_list(file, 7, FL_THRIFT_STRUCT, w->ncolumns);
	for (size_t i = 0; i < w->ncolumns; i++) {
		struct fl_thrift_out out = fl_thrift_element(file), by_type;

		by_type = fl_thrift_begin(&out, 1);
		fl_thrift_end(&by_type);
		fl_thrift_end(&out);
	}
}

static size_t groups_of(size_t rows)
{
	return (rows + FL_PARQUET_ROWS - 1) / FL_PARQUET_ROWS;
}

static void put_footer(struct writer *w)
{
	struct fl_buf footer = { 0 };
	struct fl_thrift_out file = { &footer, 0 }, pair;

	fl_thrift_number(&file, 1, 1);
	put_schema(w, &file);
	fl_thrift_long(&file, 3, (int64_t)(w->nnodes + w->nrows));
	fl_thrift_list(&file, 4, FL_THRIFT_STRUCT,
		       groups_of(w->nnodes) + groups_of(w->nrows));
	fl_buf_put(&footer, w->groups.data, w->groups.size);
	fl_thrift_list(&file, 5, FL_THRIFT_STRUCT, 1);
	pair = fl_thrift_element(&file);
	fl_thrift_text(&pair, 1, FL_SLICE(FL_PARQUET_VERSION_KEY));
	fl_thrift_text(&pair, 2, FL_SLICE(FL_PARQUET_VERSION));
	fl_thrift_end(&pair);
	fl_thrift_text(&file, 6, FL_SLICE(FL_PARQUET_CREATOR));
	put_orders(w, &file);
	fl_thrift_end(&file);
	put_le(&footer, footer.size, 4);
	fl_buf_text(&footer, FL_PARQUET_MAGIC);
	footer.failed |= w->groups.failed;
	put_bytes(w, &footer);
	fl_buf_free(&footer);
}

/* The file ------------------------------------------------------------ */

static int prepare(struct writer *w, struct fl_rows *rows)
{
	flame_id *plain = plain_stacks(w->flame, w->flame->stacks.count);
	size_t most;
	int status;

	if (!plain || !number_nodes(w, rows, plain) || !make_columns(w, rows))
		status = fl_no_memory(w->flame);
	else
		status = sort_rows(w, rows, plain);
	fl_free(plain);
	if (status != FLAME_OK)
		return status;
	most = w->nnodes > w->nrows ? w->nnodes : w->nrows;
	most = FL_MIN(most, (size_t)FL_PARQUET_ROWS) + 1;
	w->cells = fl_zeroed(most, sizeof(*w->cells));
	w->present = fl_zeroed(most, sizeof(*w->present));
	w->texts = fl_zeroed(most, sizeof(*w->texts));
	return w->cells && w->present && w->texts ? FLAME_OK :
						    fl_no_memory(w->flame);
}

static void put_file(struct writer *w)
{
	fl_out_text(w->out, FL_PARQUET_MAGIC);
	w->offset = strlen(FL_PARQUET_MAGIC);
	put_groups(w, true, w->nnodes);
	put_groups(w, false, w->nrows);
	put_footer(w);
}

static int write_parquet(struct fl_rows *rows)
{
	struct writer w = { .flame = rows->flame, .out = rows->out };

	if (prepare(&w, rows) == FLAME_OK)
		put_file(&w);
	for (size_t i = 0; w.columns && i < w.ncolumns; i++)
		fl_buf_free(&w.columns[i].name);
	fl_free(w.columns);
	fl_free(w.rows);
	fl_free(w.stacks);
	fl_free(w.nodes);
	fl_free(w.cells);
	fl_free(w.present);
	fl_free(w.texts);
	fl_map_free(&w.index);
	fl_buf_free(&w.groups);
	fl_buf_free(&w.page);
	fl_buf_free(&w.packed);
	return fl_failed(rows->flame) ? FLAME_FAILED : FLAME_OK;
}

struct flame_sink *fl_parquet_create(struct flame *flame, struct fl_out *out)
{
	struct flame_sink *sink = fl_rows_untitled(flame, out, FL_NEED_STATE,
						   write_parquet);

	if (sink)
		sink->labels = wanted;
	return sink;
}
