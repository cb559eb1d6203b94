/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Format parquet: reads Parquet files, as write.c writes them, into samples
 * with labels.  The footer at the end of the file says where the pages of each
 * row group are; columns of labels that nobody wants are not read.
 */
#include "fl.h"

#include "format/parquet/parquet.h"
#include "io/zstd.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MAX_COLUMNS = 512, MAX_PAGE = 1 << 28, FOOT = 8 };

struct chunk {
	int64_t codec, n, data, dictionary, size;
	int64_t nulls;
};

struct column {
	struct slice name;
	enum fl_parquet_physical type;
	int fixed;		/* of enum fl_parquet_fixed; -1: a label */
	flame_id key;		/* of the label */
	bool skipped;		/* nobody wants the label */
	struct chunk chunk;	/* of the row group */
	bool null;		/* all cells of the group; none was read */
	flame_id *text;		/* 0: null; of frames: see nodes.c */
	int64_t *number;
};

struct reader {
	struct flame_source *source;
	struct flame *flame;
	const uint8_t *file;
	size_t size, footer, data_end;	/* offsets */
	struct column *columns;
	size_t ncolumns;
	struct column *fixed[FL_PARQUET_FIXED];
	struct fl_message groups;	/* the footer's list, from the next on */
	uint64_t ngroups, group;
	int64_t nrows;			/* of the group */
	size_t capacity;		/* rows that columns have memory for */
	uint8_t *block;			/* with the arrays by row */
	/* Which cells are there: of the frames, and of the column read last. */
	uint32_t *frames, *present;
	uint8_t *page;
	size_t page_size, page_capacity;
	struct fl_parquet_texts texts;	/* of the column */
	/* Cells that are not null, of columns that have others. */
	int64_t *packed;
	flame_id *packed_texts;
	bool no_stacks;			/* nodes are not read */
	struct fl_parquet_nodes nodes;
	bool *chosen;			/* rows: a sample that is emitted */
	uint64_t good;
	flame_id metric;		/* of a run of rows */
	bool listed;			/* it is asked for */
	bool counts;			/* its weights are samples */
	flame_id labels;		/* of the last row, as most are the same */
	size_t last;			/* SIZE_MAX: none */
	bool begun;
};

static uint64_t read_le(const uint8_t *at, unsigned bytes)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)at[i] << 8 * i;
	return value;
}

/* The magic, and the first field of the header of a page. */
static int probe(const uint8_t *head, size_t n, bool whole)
{
	static const char begin[] = FL_PARQUET_MAGIC "\x15";
	size_t size = FL_MIN(n, sizeof(begin) - 1);

	if (memcmp(head, begin, size) != 0)
		return 0;
	return size == sizeof(begin) - 1 ? 40 : whole ? 0 : -1;
}

static int refuse(struct reader *r, const char *why)
{
	return fl_fail(r->flame, "%s: Parquet %s: only files that -f parquet "
		       "wrote are read; of others, print \"frame;frame COUNT\", "
		       "a line a stack", fl_in_name(r->source->in), why);
}

/* Reading stops here; samples that were read before count. */
static int damaged(struct reader *r, const struct column *column)
{
	fl_warn(r->flame, "%s: row group %" PRIu64 " is damaged (column %.*s): "
		"it and what comes after it is left out",
		fl_in_name(r->source->in), r->group,
		column ? (int)FL_MIN(column->name.size, (size_t)40) : 4,
		column ? column->name.data : "node");
	r->source->damage = r->good ? 1 : 2;
	r->ngroups = r->group;
	return FLAME_END;
}

/* The footer ---------------------------------------------------------- */

static bool read_element(struct fl_message *in, struct column *column,
			 int64_t *children)
{
	struct fl_thrift_field field;
	int last = 0;

	*column = (struct column){ .fixed = -1 };
	while (fl_thrift_next(in, &last, &field)) {
		if (field.id == 1)
			column->type = (enum fl_parquet_physical)field.number;
		else if (field.id == 4)
			column->name = field.text;
		else if (field.id == 5)
			*children = field.number;
		fl_thrift_skip(in, &field);
	}
	for (int i = 0; i < FL_PARQUET_FIXED; i++)
		if (fl_slice_is(column->name, fl_parquet_fixed[i].name))
			column->fixed = i;
	return !in->damaged;
}

/* The first element is the root, which has their number. */
static int read_schema(struct reader *r, struct fl_message *in, uint64_t count)
{
	int64_t children = 0;
	struct column root;

	if (!count || count > MAX_COLUMNS || r->columns ||
	    !read_element(in, &root, &children) ||
	    (uint64_t)children != count - 1)
		return refuse(r, "with columns that are not ours");
	r->columns = fl_zeroed(count, sizeof(*r->columns));
	if (!r->columns)
		return fl_no_memory(r->flame);
	for (; r->ncolumns < count - 1; r->ncolumns++)
		if (!read_element(in, &r->columns[r->ncolumns], &children))
			return refuse(r, "with a damaged footer");
	return FLAME_OK;
}

static bool is_version(struct fl_message *in, uint64_t count)
{
	struct slice key = { "", 0 }, value = { "", 0 };
	struct fl_thrift_field field;
	bool found = false;

	for (; count && !in->damaged; count--) {
		int last = 0;

		while (fl_thrift_next(in, &last, &field)) {
			if (field.id == 1)
				key = field.text;
			else if (field.id == 2)
				value = field.text;
			fl_thrift_skip(in, &field);
		}
		found |= fl_slice_is(key, FL_PARQUET_VERSION_KEY) &&
			 fl_slice_is(value, FL_PARQUET_VERSION);
	}
	return found;
}

static bool is_structs(const struct fl_thrift_field *field)
{
	return field->type == FL_THRIFT_LIST &&
	       field->element == FL_THRIFT_STRUCT;
}

static int read_footer(struct reader *r, struct fl_message in)
{
	struct fl_thrift_field field;
	bool ours = false;
	int last = 0;

	while (fl_thrift_next(&in, &last, &field)) {
		if (field.id == 2 && is_structs(&field)) {
			if (read_schema(r, &in, field.count) != FLAME_OK)
				return FLAME_FAILED;
			continue;
		}
		if (field.id == 4 && is_structs(&field)) {
			r->groups = in;
			r->ngroups = field.count;
		}
		if (field.id == 5 && is_structs(&field))
			ours |= is_version(&in, field.count);
		else
			fl_thrift_skip(&in, &field);
	}
	if (in.damaged)
		return refuse(r, "with a damaged footer");
	return ours ? FLAME_OK : refuse(r, "that another program wrote, or "
					"another version");
}

/* The key of a label, without the prefix that avoids fixed names. */
static flame_id key_of(struct reader *r, struct slice name)
{
	struct slice bare = name;
	const size_t size = sizeof(FL_PARQUET_LABEL) - 1;

	if (fl_slice_starts(name, FL_PARQUET_LABEL)) {
		bare.data += size;
		bare.size -= size;
		for (size_t i = 0; i < FL_PARQUET_FIXED; i++)
			if (fl_slice_is(bare, fl_parquet_fixed[i].name))
				name = bare;
	}
	return flame_name(r->flame, name.data, name.size);
}

static int check_columns(struct reader *r)
{
	for (size_t i = 0; i < r->ncolumns; i++) {
		struct column *column = &r->columns[i];
		enum fl_parquet_physical type = column->fixed < 0 ?
			FL_PARQUET_BYTES : fl_parquet_fixed[column->fixed].type;

		if (column->type != type)
			return refuse(r, "with columns that are not ours");
		if (column->fixed < 0)
			column->key = key_of(r, column->name);
		else
			r->fixed[column->fixed] = column;
	}
	for (size_t i = 0; i < FL_PARQUET_FIXED; i++)
		if (!r->fixed[i])
			return refuse(r, "with columns that are not ours");
	return FLAME_OK;
}

/* Whether samples may need a label: by its key, or to be selected. */
static bool is_wanted(const struct fl_select *select, const char *key)
{
	return fl_is_wanted(select->labels, key) ||
	       fl_is_wanted("comm,pid,state,thread,tid", key);
}

/* Whether the file, or its folders in an archive, have all that are wanted. */
static bool has_wanted(const struct reader *r, const char *wanted)
{
	while (wanted && *wanted) {
		struct slice key = { wanted, strcspn(wanted, ",") };
		bool has = fl_slice_is(key, FL_NO_OTHER_LABEL) ||
			   fl_slice_is(key, "app-name") ||
			   fl_slice_is(key, "date");

		for (size_t i = 0; !has && i < r->ncolumns; i++)
			has = r->columns[i].fixed < 0 &&
			      fl_slice_same(fl_name_at(r->flame,
						       r->columns[i].key), key);
		if (!has)
			return false;
		wanted += key.size + (wanted[key.size] == ',');
	}
	return true;
}

/*
 * Columns of labels that nobody uses are not decoded, unless a message will
 * list what labels there are.
 */
static void choose_labels(struct reader *r)
{
	const struct fl_select *select = &r->source->select;

	if (!fl_is_wanted(select->labels, FL_NO_OTHER_LABEL) ||
	    !has_wanted(r, select->labels))
		return;
	for (size_t i = 0; i < r->ncolumns; i++)
		r->columns[i].skipped = r->columns[i].fixed < 0 &&
			!is_wanted(select, fl_name_at(r->flame,
						      r->columns[i].key).data);
}

/* The path has a label with a value that is not wanted, and no row has it. */
static bool is_refused(const struct reader *r)
{
	const char *key = r->source->select.refused_key;
	size_t i = 0;

	while (i < r->ncolumns && !(key && r->columns[i].fixed < 0 &&
				    fl_slice_is(fl_name_at(r->flame,
						r->columns[i].key), key)))
		i++;
	return key && i == r->ncolumns;
}

static int begin(struct reader *r)
{
	size_t size = 0, footer;
	const uint8_t *end;
	uint64_t known;

	r->begun = true;
	r->nodes.flame = r->flame;
	r->no_stacks = r->source->select.no_stacks;
	/* Names of the frames that there are come from a second reading. */
	if (!r->no_stacks && fl_in_size(r->source->in, &known))
		r->nodes.wanted = r->source->select.wanted_text;
	if (!fl_parquet_begin_nodes(&r->nodes))
		return fl_no_memory(r->flame);
	r->file = fl_in_peek(r->source->in, SIZE_MAX, &size);
	r->size = size;
	end = r->file + size;
	if (!r->file || size < FOOT + 4 ||
	    memcmp(end - 4, FL_PARQUET_MAGIC, 4) != 0)
		return fl_fail(r->flame, "%s: Parquet without its end, where "
			       "its table of contents is: %s",
			       fl_in_name(r->source->in),
			       fl_in_damage(r->source->in) ?
			       fl_in_damage(r->source->in) :
			       "it was cut; copy it again");
	footer = read_le(end - FOOT, 4);
	if (footer > size - FOOT - 4)
		return refuse(r, "with a damaged footer");
	r->footer = size - FOOT - footer;
	if (read_footer(r, fl_message_of(end - FOOT - footer, footer)) !=
	    FLAME_OK)
		return FLAME_FAILED;
	if (check_columns(r) != FLAME_OK)
		return FLAME_FAILED;
	choose_labels(r);
	if (is_refused(r)) {
		r->group = r->ngroups;
		r->data_end = r->footer;
	}
	return FLAME_OK;
}

/* Pages --------------------------------------------------------------- */

struct page {
	int64_t type, unpacked, packed, n, encoding;
};

static bool read_page_head(struct fl_message *in, struct page *page)
{
	struct fl_thrift_field field, inner;
	int last = 0, last_inner;

	*page = (struct page){ .type = -1 };
	while (fl_thrift_next(in, &last, &field)) {
		if (field.id == 1)
			page->type = field.number;
		else if (field.id == 2)
			page->unpacked = field.number;
		else if (field.id == 3)
			page->packed = field.number;
		if ((field.id != 5 && field.id != 7) ||
		    field.type != FL_THRIFT_STRUCT) {
			fl_thrift_skip(in, &field);
			continue;
		}
		for (last_inner = 0; fl_thrift_next(in, &last_inner, &inner);) {
			if (inner.id == 1)
				page->n = inner.number;
			else if (inner.id == 2)
				page->encoding = inner.number;
			fl_thrift_skip(in, &inner);
		}
	}
	return !in->damaged && page->packed >= 0 && page->unpacked >= 0 &&
	       page->unpacked <= MAX_PAGE && page->n >= 0 &&
	       page->packed <= in->end - in->next;
}

/* Unpacks a page into r->page. */
static bool read_page(struct reader *r, struct fl_message *in,
		      struct page *page)
{
	struct slice packed;

	if (!read_page_head(in, page))
		return false;
	if (!fl_grow(&r->page, &r->page_capacity, (size_t)page->unpacked + 1,
		     1)) {
		fl_no_memory(r->flame);
		return false;
	}
	packed = (struct slice){ (const char *)in->next,
				 (size_t)page->packed };
	in->next += page->packed;
	r->page_size = (size_t)page->unpacked;
	return !fl_zstd_unpack(r->page, r->page_size, packed);
}

static bool read_dictionary(struct reader *r, const struct column *column,
			    const struct page *page)
{
	struct fl_message in = fl_message_of(r->page, r->page_size);
	bool frames = column->fixed == FL_PARQUET_FRAME;

	r->texts.n = 0;
	if (page->type != FL_PARQUET_DICTIONARY_PAGE ||
	    page->n > FL_PARQUET_ROWS || page->encoding != FL_PARQUET_PLAIN ||
	    !fl_grow(&r->texts.ids, &r->texts.capacity, (size_t)page->n + 1,
		     sizeof(*r->texts.ids)))
		return false;
	if (frames && !fl_parquet_reserve_names(&r->nodes, (size_t)page->n,
						r->page_size))
		return fl_no_memory(r->flame) == FLAME_OK;
	while (r->texts.n < (size_t)page->n) {
		struct slice text;

		if (in.end - in.next < 4)
			return false;
		text.size = read_le(in.next, 4);
		in.next += 4;
		text.data = (const char *)in.next;
		if (text.size > (size_t)(in.end - in.next))
			return false;
		r->texts.ids[r->texts.n] = frames ?
			fl_parquet_add_name(&r->nodes, text) :
			flame_name(r->flame, text.data, text.size);
		if (frames && !r->texts.ids[r->texts.n])
			return fl_no_memory(r->flame) == FLAME_OK;
		r->texts.n++;
		in.next += text.size;
	}
	return true;
}

/* All cells are there: one run, which most columns have. */
static bool are_all(struct fl_message levels, uint64_t nrows)
{
	uint64_t head;

	return fl_varint(&levels, &head) && head == nrows << 1 &&
	       levels.end - levels.next == 1 && *levels.next == 1;
}

static bool read_levels(struct reader *r, struct fl_message *in,
			uint32_t *present, size_t *n)
{
	struct fl_message levels;
	size_t size;

	if (in->end - in->next < 4)
		return false;
	size = read_le(in->next, 4);
	in->next += 4;
	if (size > (size_t)(in->end - in->next))
		return false;
	levels = fl_message_of(in->next, size);
	in->next += size;
	*n = (size_t)r->nrows;
	if (present != r->frames && are_all(levels, *n))
		return true;
	if (!fl_parquet_hybrid(&levels, 1, NULL, present, *n))
		return false;
	*n = 0;
	for (int64_t i = 0; i < r->nrows; i++)
		*n += present[i];
	return true;
}

static bool read_texts(struct reader *r, struct fl_message *in,
		       struct column *column, const struct page *page,
		       const uint32_t *present, size_t n)
{
	bool whole = n == (size_t)r->nrows;
	unsigned width;
	size_t used = 0;

	if (!n) {
		memset(column->text, 0,
		       (size_t)r->nrows * sizeof(*column->text));
		return true;
	}
	if (page->encoding != FL_PARQUET_DICTIONARY || in->next >= in->end)
		return false;
	width = *in->next++;
	if (width > 32 ||
	    !fl_parquet_hybrid(in, width, &r->texts,
			       whole ? column->text : r->packed_texts, n))
		return false;
	for (int64_t i = 0; !whole && i < r->nrows; i++)
		column->text[i] = present[i] ? r->packed_texts[used++] : 0;
	return true;
}

static bool read_plain(struct fl_message *in, int64_t *values, size_t n,
		       bool narrow)
{
	size_t bytes = narrow ? 4 : 8;

	if ((size_t)(in->end - in->next) != n * bytes)
		return false;
	for (size_t i = 0; i < n; i++, in->next += bytes)
		values[i] = narrow ? (int32_t)read_le(in->next, 4) :
				     (int64_t)read_le(in->next, 8);
	return true;
}

static bool read_numbers(struct reader *r, struct fl_message *in,
			 struct column *column, const struct page *page,
			 const uint32_t *present, size_t n)
{
	bool whole = n == (size_t)r->nrows, good = false;
	int64_t *values = whole ? column->number : r->packed;
	size_t used = 0;

	if (page->encoding == FL_PARQUET_DELTA)
		good = fl_parquet_delta(in, values, n);
	else if (page->encoding == FL_PARQUET_PLAIN)
		good = read_plain(in, values, n,
				  column->type == FL_PARQUET_INT32);
	for (int64_t i = 0; good && !whole && i < r->nrows; i++)
		column->number[i] = present[i] ? values[used++] : 0;
	return good;
}

/* Row groups ---------------------------------------------------------- */

static void read_statistics(struct fl_message *in, struct chunk *chunk)
{
	struct fl_thrift_field field;
	int last = 0;

	while (fl_thrift_next(in, &last, &field)) {
		if (field.id == 3)
			chunk->nulls = field.number;
		fl_thrift_skip(in, &field);
	}
}

static bool read_meta(struct fl_message *in, struct chunk *chunk)
{
	struct fl_thrift_field field;
	int last = 0;

	while (fl_thrift_next(in, &last, &field)) {
		if (field.id == 12 && field.type == FL_THRIFT_STRUCT) {
			read_statistics(in, chunk);
			continue;
		}
		if (field.id == 4)
			chunk->codec = field.number;
		else if (field.id == 5)
			chunk->n = field.number;
		else if (field.id == 7)
			chunk->size = field.number;
		else if (field.id == 9)
			chunk->data = field.number;
		else if (field.id == 11)
			chunk->dictionary = field.number;
		fl_thrift_skip(in, &field);
	}
	return !in->damaged;
}

static bool read_chunk_place(struct fl_message *in, struct chunk *chunk)
{
	struct fl_thrift_field field;
	int last = 0;

	*chunk = (struct chunk){ .codec = -1 };
	while (fl_thrift_next(in, &last, &field)) {
		if (field.id == 3 && field.type == FL_THRIFT_STRUCT)
			read_meta(in, chunk);
		else
			fl_thrift_skip(in, &field);
	}
	return !in->damaged;
}

static bool find_chunk(struct reader *r, const struct chunk *chunk)
{
	int64_t begin = chunk->dictionary ? chunk->dictionary : chunk->data;

	if (chunk->codec != FL_PARQUET_ZSTD || chunk->n != r->nrows ||
	    begin < 0 || chunk->size < 0 || (uint64_t)begin > r->size ||
	    (uint64_t)chunk->size > r->size - (uint64_t)begin)
		return false;
	r->data_end = (size_t)(begin + chunk->size);
	return true;
}

static bool read_chunk(struct reader *r, struct column *column)
{
	const struct chunk *chunk = &column->chunk;
	int64_t begin = chunk->dictionary ? chunk->dictionary : chunk->data;
	struct fl_message in, data;
	uint32_t *present = column->fixed == FL_PARQUET_FRAME ? r->frames :
								r->present;
	struct page page;
	size_t n;

	column->null = chunk->nulls == r->nrows;
	if (column->null)
		return true;
	in = fl_message_of(r->file + begin, (size_t)chunk->size);
	r->texts.n = 0;
	if (chunk->dictionary &&
	    (!read_page(r, &in, &page) || !read_dictionary(r, column, &page)))
		return false;
	if (!read_page(r, &in, &page) || page.type != FL_PARQUET_DATA_PAGE ||
	    page.n != r->nrows)
		return false;
	data = fl_message_of(r->page, r->page_size);
	return read_levels(r, &data, present, &n) &&
	       (present != r->frames ||
		fl_parquet_reserve_nodes(&r->nodes, n)) &&
	       (column->type == FL_PARQUET_BYTES ?
			read_texts(r, &data, column, &page, present, n) :
			read_numbers(r, &data, column, &page, present, n));
}

static void *cut(uint8_t **at, size_t size)
{
	*at += size;
	return *at - size;
}

static size_t cell_size(const struct column *column)
{
	return column->skipped ? 0 :
	       column->type == FL_PARQUET_BYTES ? sizeof(*column->text) :
						  sizeof(*column->number);
}

/*
 * Columns get memory for the most rows that a group has.  One block for all is
 * large enough for huge pages: small ones, touched anew in each file, would
 * cost a quarter of the time.
 */
static bool reserve(struct reader *r, size_t rows)
{
	size_t size = sizeof(*r->frames) + sizeof(*r->present) +
		      sizeof(*r->packed) + sizeof(*r->packed_texts) +
		      sizeof(*r->chosen);
	uint8_t *at;

	if (rows <= r->capacity)
		return true;
	for (size_t i = 0; i < r->ncolumns; i++)
		size += cell_size(&r->columns[i]);
	fl_free(r->block);
	rows = (rows + 7) / 8 * 8;	/* so that all are aligned */
	at = r->block = fl_alloc(fl_size_mul(rows, size));
	r->capacity = at ? rows : 0;
	if (!at)
		return fl_no_memory(r->flame) == FLAME_OK;
	r->packed = cut(&at, rows * sizeof(*r->packed));
	r->frames = cut(&at, rows * sizeof(*r->frames));
	r->present = cut(&at, rows * sizeof(*r->present));
	r->packed_texts = cut(&at, rows * sizeof(*r->packed_texts));
	for (size_t i = 0; i < r->ncolumns; i++) {
		struct column *column = &r->columns[i];
		void *cells = cut(&at, rows * cell_size(column));

		if (column->type == FL_PARQUET_BYTES)
			column->text = cells;
		else
			column->number = cells;
	}
	r->chosen = cut(&at, rows * sizeof(*r->chosen));
	return true;
}

/* The number of rows comes after the columns, so the list is read twice. */
static bool read_row_count(struct reader *r)
{
	struct fl_message in = r->groups;
	struct fl_thrift_field field;
	int last = 0;

	r->nrows = -1;
	while (fl_thrift_next(&in, &last, &field)) {
		if (field.id == 3)
			r->nrows = field.number;
		fl_thrift_skip(&in, &field);
	}
	return !in.damaged && r->nrows >= 0 && r->nrows <= FL_PARQUET_ROWS;
}

/* Where the columns of the group are; false: damaged, *bad as below. */
static bool read_places(struct reader *r, struct column **bad)
{
	struct fl_thrift_field field;
	int last = 0;

	while (fl_thrift_next(&r->groups, &last, &field)) {
		if (field.id != 1 || !is_structs(&field)) {
			fl_thrift_skip(&r->groups, &field);
			continue;
		}
		if (field.count != r->ncolumns)
			return false;
		for (size_t i = 0; i < r->ncolumns; i++) {
			*bad = &r->columns[i];
			if (!read_chunk_place(&r->groups, &(*bad)->chunk) ||
			    !find_chunk(r, &(*bad)->chunk))
				return false;
		}
	}
	*bad = NULL;
	return !r->groups.damaged;
}

/* Rows ---------------------------------------------------------------- */

static flame_id text_at(const struct column *column, size_t row)
{
	return column->null ? 0 : column->text[row];
}

static int64_t number_at(const struct column *column, size_t row)
{
	return column->null ? 0 : column->number[row];
}

static bool add_node(struct reader *r, size_t row)
{
	struct slice text = fl_name_at(r->flame,
			text_at(r->fixed[FL_PARQUET_FRAME_TYPE], row));
	int64_t node = number_at(r->fixed[FL_PARQUET_NODE], row);

	return node > 0 && (uint64_t)node == r->nodes.nnodes + 1 &&
	       fl_frames_allowed(r->source, 1) &&
	       fl_parquet_add_node(&r->nodes,
			number_at(r->fixed[FL_PARQUET_PARENT], row),
			r->fixed[FL_PARQUET_FRAME]->text[row],
			text.size == 1 ? fl_type_of_suffix(text.data[0]) :
					 FLAME_UNKNOWN);
}

/* Rows are sorted by labels: most have those of the row before. */
static flame_id labels_of(struct reader *r, size_t row)
{
	flame_id set = 0;
	bool same = r->last != SIZE_MAX;

	for (size_t i = 0; same && i < r->ncolumns; i++)
		same = r->columns[i].fixed >= 0 || r->columns[i].skipped ||
		       r->columns[i].null ||
		       r->columns[i].text[row] == r->columns[i].text[r->last];
	if (same)
		return r->labels;
	for (size_t i = 0; i < r->ncolumns; i++)
		if (r->columns[i].fixed < 0 && !r->columns[i].skipped &&
		    text_at(&r->columns[i], row))
			set = flame_label(r->flame, set, r->columns[i].key,
					  r->columns[i].text[row]);
	return set;
}

/* Whether samples of a metric are asked for; the others count for it. */
static bool is_listed(const struct fl_select *select, const char *metric)
{
	if (select->events && !select->survey)
		return fl_event_listed(select->events, metric);
	return select->survey || select->needs & FL_NEED_ALL_METRICS ||
	       (select->event ? strcmp(metric, select->event) == 0 :
				!select->cpu_only || strcmp(metric, "cpu") == 0);
}

static void find_metric(struct reader *r, size_t row)
{
	flame_id name = text_at(r->fixed[FL_PARQUET_METRIC], row);
	flame_id unit = text_at(r->fixed[FL_PARQUET_UNIT], row);

	r->metric = flame_metric(r->flame, fl_name_at(r->flame, name).data,
				 fl_name_at(r->flame, unit).data);
	r->listed = is_listed(&r->source->select,
			      fl_name_at(r->flame, name).data);
	r->counts = fl_metric_samples(r->flame, r->metric, 2) == 2;
}

static bool is_node(const struct reader *r, size_t row)
{
	const struct column *frame = r->fixed[FL_PARQUET_FRAME];

	return r->no_stacks ? !text_at(r->fixed[FL_PARQUET_METRIC], row) :
			      !frame->null && r->frames[row];
}

/* The end of the rows from `row` on with one value; null: all have none. */
static size_t end_of_value(const uint32_t *cells, bool null, size_t row,
			   size_t end)
{
	enum { AT_ONCE = 16 };	/* which the compiler makes vectors of */
	size_t i = row + 1;

	if (null)
		return end;
	for (uint32_t other = 0; end - i >= AT_ONCE; i += AT_ONCE) {
		for (unsigned k = 0; k < AT_ONCE; k++)
			other |= cells[i + k] ^ cells[row];
		if (other)
			break;
	}
	while (i < end && cells[i] == cells[row])
		i++;
	return i;
}

/* Rows from `row` on that are nodes, or samples of one metric. */
static size_t end_of_run(const struct reader *r, size_t row)
{
	const struct column *metric = r->fixed[FL_PARQUET_METRIC];
	const struct column *unit = r->fixed[FL_PARQUET_UNIT];
	size_t end = end_of_value(r->frames, r->fixed[FL_PARQUET_FRAME]->null,
				  row, (size_t)r->nrows);

	end = end_of_value(metric->text, metric->null, row, end);
	return end_of_value(unit->text, unit->null, row, end);
}

/* false: a row is damaged. */
static bool choose_samples(struct reader *r, size_t row, size_t end,
			   size_t *nchosen)
{
	const struct column *node = r->fixed[FL_PARQUET_NODE];

	if (!text_at(r->fixed[FL_PARQUET_METRIC], row))
		return false;
	find_metric(r, row);
	memset(r->chosen + row, 0, end - row);
	for (; r->listed && row < end; row++) {
		uint64_t at = (uint64_t)number_at(node, row);

		if (at > r->nodes.nnodes)
			return false;
		r->chosen[row] = r->nodes.chosen[at];
		*nchosen += r->chosen[row];
	}
	return true;
}

/* Nodes are defined, samples chosen.  false: a row is damaged. */
static bool choose_rows(struct reader *r, size_t *nchosen)
{
	*nchosen = 0;
	for (size_t i = 0, end; i < (size_t)r->nrows; i = end) {
		end = end_of_run(r, i);
		if (!is_node(r, i)) {
			if (!choose_samples(r, i, end, nchosen))
				return false;
			continue;
		}
		for (size_t k = i; !r->no_stacks && k < end; k++)
			if (!add_node(r, k))
				return false;
	}
	return true;
}

/* Rows that are not chosen, of one metric: the row after them. */
static size_t count_rows(struct reader *r, size_t row, size_t end)
{
	const struct column *column = r->fixed[FL_PARQUET_VALUE];
	const bool *chosen = memchr(r->chosen + row, true, end - row);
	uint64_t samples = 0;
	int64_t sum = 0;

	end = chosen ? (size_t)(chosen - r->chosen) : end;
	r->good += end - row;
	for (; row < end; row++) {
		int64_t value = number_at(column, row);

		if (__builtin_add_overflow(samples, r->counts && value > 0 ?
					   (uint64_t)value : 1, &samples))
			samples = UINT64_MAX;
		sum = fl_add_clamped(sum, value);
	}
	fl_metric_count(r->flame, r->metric, samples, sum);
	return end;
}

static int add_row(struct reader *r, size_t row)
{
	int64_t node = number_at(r->fixed[FL_PARQUET_NODE], row);
	int64_t value = number_at(r->fixed[FL_PARQUET_VALUE], row);
	uint64_t samples;
	flame_id stack;

	samples = r->counts && value > 0 ? (uint64_t)value : 1;
	r->good++;
	r->labels = labels_of(r, row);
	r->last = row;
	if (!fl_parquet_stack(&r->nodes, (uint32_t)node, &stack))
		return FLAME_FAILED;
	return fl_emit(r->source, &(struct flame_sample){
		.stack = stack, .metric = r->metric, .labels = r->labels,
		.time = FLAME_NOTIME, .weight = value }, samples);
}

static bool add_rows(struct reader *r)
{
	r->last = SIZE_MAX;
	for (size_t i = 0, end; i < (size_t)r->nrows; i = end) {
		end = end_of_run(r, i);
		if (is_node(r, i))
			continue;
		find_metric(r, i);
		for (size_t k = i; k < end;)
			if (!r->chosen[k])
				k = count_rows(r, k, end);
			else if (add_row(r, k++) != FLAME_OK)
				return false;
	}
	return true;
}

/*
 * Labels are read where a row is chosen.  false, with the column in *bad, or
 * NULL: the group is damaged.
 */
static bool read_group(struct reader *r, struct column **bad)
{
	size_t nchosen;

	*bad = NULL;
	r->group++;
	if (!read_row_count(r) ||
	    (r->nrows && !reserve(r, (size_t)r->nrows)) ||
	    !read_places(r, bad))
		return false;
	for (size_t i = 0; i < FL_PARQUET_FIXED; i++) {
		*bad = r->fixed[i];
		(*bad)->null = r->no_stacks && i >= FL_PARQUET_NODE;
		if (!(*bad)->null && !read_chunk(r, *bad))
			return false;
	}
	*bad = NULL;
	if (!choose_rows(r, &nchosen))
		return false;
	for (size_t i = 0; nchosen && i < r->ncolumns; i++)
		if (r->columns[i].fixed < 0 && !r->columns[i].skipped &&
		    !read_chunk(r, *bad = &r->columns[i]))
			return false;
	*bad = NULL;
	return add_rows(r);
}

/* The offsets of a footer are those of its own file. */
static int end(struct reader *r)
{
	if (r->source->damage || r->data_end == r->footer)
		return FLAME_END;
	return fl_fail(r->flame, "%s: several Parquet files one after another: "
		       "name each of them", fl_in_name(r->source->in));
}

static int read(struct flame_source *source)
{
	struct reader *r = source->state;
	struct column *bad = NULL;

	r->source = source;
	r->flame = source->flame;
	if (!r->begun && begin(r) != FLAME_OK)
		return FLAME_FAILED;
	if (r->group >= r->ngroups)
		return end(r);
	if (!read_group(r, &bad))
		return fl_failed(r->flame) ? FLAME_FAILED : damaged(r, bad);
	return FLAME_OK;
}

static int open(struct flame_source *source)
{
	fl_in_map(source->in);
	return FLAME_OK;
}

static void release(void *state)
{
	struct reader *r = state;

	fl_free(r->block);
	fl_free(r->columns);
	fl_free(r->page);
	fl_free(r->texts.ids);
	fl_parquet_free_nodes(&r->nodes);
}

const struct fl_format fl_format_parquet = {
	.name = "parquet",
	.facts = FLAME_TABLE,
	.summary = "Parquet: rows a stack, labels as columns",
	.suffixes = ".parquet",
	.probe = probe,
	.state_size = sizeof(struct reader),
	.open = open,
	.read = read,
	.release = release,
	.create = fl_parquet_create,
};
