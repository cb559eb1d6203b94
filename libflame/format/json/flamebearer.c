/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Format flamebearer: reads the answers of Pyroscope's render and render-diff
 * API, which are flame graphs as boxes, and returns stacks and their self
 * values:
 *
 *	{"flamebearer":{"names":["total","main"],"levels":[[0,10,0,0],...],
 *	 ...},"metadata":{"units":"samples","sampleRate":100}}
 *
 * A level is its boxes from left to right, four numbers each: the gap before
 * it, its total, its self and its name.  A box lies below the one that is
 * above it.  In a comparison ("format":"double") it is seven: the gap, total
 * and self before, the same three after, and the name.  Its levels are laid
 * out twice, so boxes are placed by the sum of both.
 */
#include "fl.h"

#include "format/json/fields.h"
#include "format/json/frame_trie.h"

enum { SINGLE = 4, DOUBLE = 7 };	/* numbers of a box */

struct options {
	enum fl_pick_column column;
	bool compare;
};

struct box {
	int64_t begin, end;
	uint32_t node;
};

struct level {
	struct box *boxes;
	size_t count, capacity;
};

struct flamebearer {
	struct fl_json_source js;
	struct fl_frame_trie trie;
	flame_id *frames;	/* by the numbers of names */
	size_t nframes, frames_capacity;
	int64_t (*selfs)[2];	/* of nodes of the trie: before, after */
	size_t selfs_capacity;
	struct level above, level;
	int64_t *numbers;	/* of a level */
	size_t count, capacity;
	struct fl_buf units;
	size_t width;		/* SINGLE or DOUBLE */
	bool reported;		/* that it is a comparison */
};

static void read_names(struct fl_json_source *js, void *object)
{
	struct flamebearer *f = object;
	struct fl_json *json = &js->json;
	struct flame *flame = js->flame;

	f->nframes = 0;
	while (fl_json_element(json)) {
		bool known = json->token == FL_JSON_STRING;
		struct slice text = !known ? FL_SLICE("") :
				    json->text.size ? json->text :
				    FL_SLICE("(unnamed)");
		flame_id name = flame_name(flame, text.data, text.size);

		fl_json_skip(json);
		if (!fl_grow(&f->frames, &f->frames_capacity, f->nframes + 1,
			     sizeof(*f->frames))) {
			fl_no_memory(f->js.flame);
			return;
		}
		f->frames[f->nframes++] = fl_frame(flame, name, FLAME_UNKNOWN);
	}
}

static bool read_numbers(struct flamebearer *f)
{
	struct fl_json *json = &f->js.json;

	f->count = 0;
	while (fl_json_element(json)) {
		int64_t n = 0;

		if (json->token != FL_JSON_NUMBER ||
		    !fl_parse_decimal(json->text, 0, &n))
			fl_json_skip(json);
		if (!fl_grow(&f->numbers, &f->capacity, f->count + 1,
			     sizeof(*f->numbers))) {
			fl_no_memory(f->js.flame);
			return false;
		}
		f->numbers[f->count++] = n;
	}
	return !json->error;
}

static void add_self(struct flamebearer *f, uint32_t node,
		     const int64_t self[2])
{
	if (!fl_grow_zeroed(&f->selfs, &f->selfs_capacity, f->trie.count,
		     sizeof(*f->selfs))) {
		fl_no_memory(f->js.flame);
		return;
	}
	for (int i = 0; i < 2; i++)
		f->selfs[node][i] = fl_add_clamped(f->selfs[node][i], self[i]);
}

/* The box above one that begins there; boxes come from left to right. */
static const struct box *find_above(const struct level *above, size_t *i,
				    int64_t begin)
{
	while (*i < above->count && above->boxes[*i].end <= begin)
		(*i)++;
	return *i < above->count && above->boxes[*i].begin <= begin ?
	       &above->boxes[*i] : NULL;
}

/* The numbers of a box; those of a single one are of the second profile. */
struct numbers {
	int64_t gap, total, self[2], name;
};

static bool parse_box(const struct flamebearer *f, const int64_t *n,
		      struct numbers *box)
{
	bool two = f->width == DOUBLE;

	box->name = n[f->width - 1];
	box->gap = FL_MAX(n[0], 0);
	box->total = n[1];
	box->self[0] = two ? n[2] : 0;
	box->self[1] = two ? n[5] : n[2];
	if (two) {
		box->gap = fl_add_clamped(box->gap, FL_MAX(n[3], 0));
		box->total = fl_add_clamped(n[1], n[4]);
	}
	return box->name >= 0 && box->name < UINT32_MAX && n[1] >= 0 &&
	       (!two || n[4] >= 0) && box->self[0] >= 0 && box->self[1] >= 0;
}

/* The first level is the total, which is not a frame. */
static void add_box(struct flamebearer *f, const struct numbers *box,
		    int64_t begin, const struct box *above, bool first)
{
	struct level *level = &f->level;
	uint32_t node = 0;

	if (!first && !above) {
		fl_json_bad(&f->js, "a box with nothing above it");
		return;
	}
	if (!first && !fl_frame_trie_add(f->js.flame, &f->trie, above->node,
					 (uint32_t)box->name, &node))
		return;
	if (!fl_grow(&level->boxes, &level->capacity, level->count + 1,
		     sizeof(*level->boxes))) {
		fl_no_memory(f->js.flame);
		return;
	}
	level->boxes[level->count++] = (struct box){
		begin, fl_add_clamped(begin, box->total), node
	};
	add_self(f, node, box->self);
}

static void add_level(struct flamebearer *f, bool first)
{
	struct numbers box;
	int64_t at = 0;
	size_t i = 0;

	if (first)
		f->width = f->count == DOUBLE ? DOUBLE : SINGLE;
	f->level.count = 0;
	for (size_t k = 0; k + f->width <= f->count; k += f->width) {
		bool good = parse_box(f, f->numbers + k, &box);

		at = fl_add_clamped(at, box.gap);
		if (good)
			add_box(f, &box, at, find_above(&f->above, &i, at),
				first);
		else
			fl_json_bad(&f->js, "a box with numbers below 0");
		at = fl_add_clamped(at, FL_MAX(box.total, 0));
	}
	if (f->count % f->width)
		fl_json_bad(&f->js, f->width == DOUBLE ?
			    "a level whose boxes are not of seven numbers each" :
			    "a level whose boxes are not of four numbers each");
}

static void read_levels(struct fl_json_source *js, void *object)
{
	struct flamebearer *f = object;
	struct fl_json *json = &js->json;
	bool first = true;

	while (fl_json_element(json) && !fl_failed(f->js.flame)) {
		struct level swap = f->above;

		if (json->token != FL_JSON_ARRAY) {
			fl_json_skip(json);
			continue;
		}
		if (!read_numbers(f))
			return;
		add_level(f, first);
		f->above = f->level;
		f->level = swap;
		first = false;
	}
}

static const struct fl_json_field flamebearer[] = {
	FL_FIELD_CALL("names", LIST, read_names),
	FL_FIELD_CALL("levels", LIST, read_levels),
	{ .key = NULL }
};

static const struct fl_json_field metadata[] = {
	FL_FIELD("units", TEXT, struct flamebearer, units),
	{ .key = NULL }
};

static const struct fl_json_field document[] = {
	FL_FIELD_ROWS("flamebearer", INNER, flamebearer),
	FL_FIELD_ROWS("metadata", INNER, metadata),
	{ .key = NULL }
};

/* "samples", "bytes", "objects", "lock_nanoseconds". */
static flame_id metric_of(struct flamebearer *f)
{
	struct slice units = { f->units.data, f->units.size };

	if (fl_slice_is(units, "lock_nanoseconds"))
		return flame_metric(f->js.flame, "lock", "ns");
	if (!units.size || fl_slice_is(units, "samples"))
		return flame_metric(f->js.flame, "samples", "samples");
	return fl_typed_metric(f->js.flame, units, units);
}

/* The samples of a side; label: what those of the first side get. */
static void give_side(struct flamebearer *f, const flame_id *stacks,
		      unsigned side, flame_id label)
{
	flame_id metric = metric_of(f);
	size_t n = FL_MIN(f->trie.count, f->selfs_capacity);

	for (size_t i = 1; i < n && !fl_failed(f->js.flame); i++) {
		struct flame_sample sample = {
			.stack = stacks[i], .metric = metric, .labels = label,
			.time = FLAME_NOTIME, .weight = f->selfs[i][side],
		};

		if (!sample.weight)
			continue;
		if (!sample.stack) {
			fl_json_bad(&f->js, "a box whose name is not there");
			continue;
		}
		fl_metric_count(f->js.flame, metric, (uint64_t)sample.weight,
			      sample.weight);
		fl_json_add(&f->js, &sample);
	}
}

static void report_comparison(struct flamebearer *f, bool both)
{
	const char *name = fl_in_name(f->js.source->in);

	if (!f->reported && both)
		fl_remark(f->js.flame, "%s: two profiles: compared (--column "
			  "2 takes the second alone)", name);
	else if (!f->reported)
		fl_remark(f->js.flame, "%s: two profiles: taking the second "
			  "(--column 1 takes the first)", name);
	f->reported = true;
}

static void give_samples(struct flamebearer *f)
{
	const struct options *options = f->js.source->options;
	struct flame *flame = f->js.flame;
	flame_id *stacks = fl_frame_trie_stacks(flame, &f->trie, f->frames,
						f->nframes);
	bool two = f->width == DOUBLE, unset = !options->column;
	bool both = two && unset && options->compare;

	if (two && unset)
		report_comparison(f, both);
	if (stacks && both)
		give_side(f, stacks, 0,
			  flame_label(flame, 0, fl_name(flame, FL_BEFORE_KEY),
				      fl_name(flame, FL_BEFORE_VALUE)));
	if (stacks)
		give_side(f, stacks,
			  !two || options->column != FL_COLUMN_FIRST, 0);
	fl_free(stacks);
}

static void read_document(struct flame_source *source)
{
	struct flamebearer *f = source->state;

	if (!fl_frame_trie_clear(source->flame, &f->trie))
		return;
	f->nframes = f->units.size = f->above.count = 0;
	f->width = SINGLE;
	if (f->selfs)
		memset(f->selfs, 0, f->selfs_capacity * sizeof(*f->selfs));
	if (fl_json_object(&f->js, document, f))
		give_samples(f);
}

/* The row of formats.def ------------------------------------------------- */

static void release(void *state)
{
	struct flamebearer *f = state;

	fl_json_source_free(&f->js);
	fl_frame_trie_free(&f->trie);
	fl_buf_free(&f->units);
	fl_free(f->frames);
	fl_free(f->selfs);
	fl_free(f->above.boxes);
	fl_free(f->level.boxes);
	fl_free(f->numbers);
}

static int read(struct flame_source *source)
{
	struct flamebearer *f = source->state;

	return fl_json_read(&f->js, read_document);
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	return fl_json_probe(head, n, whole, "flamebearer");
}

static const struct fl_option rows[] = {
	FL_OPTION_ROW_COLUMN(struct options),
	FL_OPTION_ROW_COMPARE(struct options),
	{ .name = NULL }
};

static const struct fl_option_table option_table = {
	.rows = rows, .size = sizeof(struct options),
};

const struct fl_format fl_format_flamebearer = {
	.name = "flamebearer",
	.summary = "JSON of Pyroscope's render and render-diff API",
	.probe = probe,
	.state_size = sizeof(struct flamebearer),
	.open = fl_json_source_open,
	.read = read,
	.release = release,
	.json = true,
	.options = &option_table,
};
