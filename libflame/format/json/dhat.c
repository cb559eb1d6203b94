/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Format dhat: reads heap profiles of DHAT, valgrind's and the Rust crate's.
 * Each program point becomes a sample of each metric that it has: alloc,
 * allocations, peak, leaked.
 *
 *	{"dhatFileVersion":2,"mode":"heap","verb":"Allocated",...,
 *	 "pps":[{"tb":272,"tbk":1,"gb":272,"gbk":1,"eb":0,"ebk":0,
 *	         "fs":[1,2,3]},...],
 *	 "ftbl":["[root]","0x48465EF: calloc (in /usr/lib/x.so)",...]}
 *
 * Program points have totals (tb, tbk), what there was at the peak (gb, gbk)
 * and at the end (eb, ebk), and frames, leaf first, by their place in a table
 * that comes after them.
 */
#include "fl.h"

#include "format/json/fields.h"
#include "format/json/frame_trie.h"
#include "native/frame.h"

enum { ALLOC, ALLOCATIONS, PEAK, LEAKED, VALUES };

struct point {
	uint32_t node;
	int64_t value[VALUES];
};

struct dhat {
	struct fl_json_source js;
	struct fl_frame_trie trie;
	struct fl_json_integers path;	/* of the point that is read */
	struct point point;
	struct point *points;
	size_t npoints, points_capacity;
	flame_id *frames;
	size_t nframes, frames_capacity;
};

static const struct {
	const char *name, *unit;
} metrics[VALUES] = {
	{ "alloc", "bytes" }, { "allocations", "count" },
	{ "peak", "bytes" }, { "leaked", "bytes" },
};

/* Leaf first, so from the last one. */
static uint32_t add_path(struct dhat *d)
{
	uint32_t node = 0;

	for (size_t i = d->path.count; i--;)
		if (d->path.data[i] != FL_JSON_NO_INTEGER &&
		    !fl_frame_trie_add(d->js.flame, &d->trie, node,
				       d->path.data[i], &node))
			return 0;
	return node;
}

static const struct fl_json_field point_fields[] = {
	FL_FIELD("tb", INTEGER, struct dhat, point.value[ALLOC]),
	FL_FIELD("tbk", INTEGER, struct dhat, point.value[ALLOCATIONS]),
	FL_FIELD("gb", INTEGER, struct dhat, point.value[PEAK]),
	FL_FIELD("eb", INTEGER, struct dhat, point.value[LEAKED]),
	FL_FIELD("fs", INTEGERS, struct dhat, path),
	{ .key = NULL }
};

static void read_point(struct fl_json_source *js, void *object)
{
	struct dhat *d = object;

	d->point = (struct point){ .node = 0 };
	d->path.count = 0;
	fl_json_object(js, point_fields, d);
	if (js->json.error)
		return;
	d->point.node = add_path(d);
	if (!fl_grow(&d->points, &d->points_capacity, d->npoints + 1,
		     sizeof(*d->points)))
		fl_no_memory(js->flame);
	else
		d->points[d->npoints++] = d->point;
}

/* "0x4010CB2: calloc (rtld-malloc.h:44)", "0x48: f (in /usr/lib/x.so)" */
static flame_id frame_of(struct flame *flame, struct slice s)
{
	struct flame_frame frame = { .type = FLAME_NATIVE };
	const char *colon = fl_slice_find(s, ": ");
	const char *at = NULL;
	struct slice place;
	int64_t line;

	if (colon && fl_slice_starts(s, "0x")) {
		s.size -= (size_t)(colon + 2 - s.data);
		s.data = colon + 2;
	}
	for (size_t i = s.size; i-- && fl_slice_ends(s, ")");)
		if (s.data[i] == '(' && i && s.data[i - 1] == ' ') {
			at = s.data + i;
			break;
		}
	if (at && at > s.data + 1) {
		place = (struct slice){ at + 1, s.size -
			(size_t)(at - s.data) - 2 };
		s.size = (size_t)(at - s.data) - 1;
		if (fl_slice_starts(place, "in ")) {
			place = fl_slice_base(fl_slice_from(place, 3));
		} else {
			struct slice rest = place;

			place = fl_slice_split(&rest, ':');
			rest = fl_slice_split(&rest, ':');
			if (fl_parse_digits(rest, &line) && line <= INT32_MAX)
				frame.line = (uint32_t)line;
		}
		frame.file = flame_name(flame, place.data, place.size);
	}
	frame.name = flame_name(flame, s.data, s.size);
	return frame.name ? flame_frame(flame, &frame) : 0;
}

static void read_table(struct fl_json_source *js, void *object)
{
	struct dhat *d = object;
	struct fl_json *json = &js->json;

	while (fl_json_element(json)) {
		flame_id frame = 0;

		if (json->token == FL_JSON_STRING)
			frame = frame_of(d->js.flame, json->text);
		else
			fl_json_skip(json);
		if (!fl_grow(&d->frames, &d->frames_capacity, d->nframes + 1,
			     sizeof(*d->frames))) {
			fl_no_memory(d->js.flame);
			return;
		}
		d->frames[d->nframes++] = frame;
	}
}

static void give_samples(struct dhat *d)
{
	flame_id *stacks = fl_frame_trie_stacks(d->js.flame, &d->trie,
						d->frames, d->nframes);
	flame_id metric[VALUES] = { 0 };

	for (size_t i = 0; stacks && i < d->npoints; i++) {
		const struct point *point = &d->points[i];
		flame_id stack = stacks[point->node];

		if (!stack) {
			fl_json_bad(&d->js, "a frame that is not in the table");
			continue;
		}
		for (unsigned v = 0; v < VALUES; v++) {
			struct flame_sample sample = {
				.stack = stack, .time = FLAME_NOTIME,
				.weight = point->value[v],
			};

			if (sample.weight <= 0)
				continue;
			if (!metric[v])
				metric[v] = flame_metric(d->js.flame,
							 metrics[v].name,
							 metrics[v].unit);
			sample.metric = metric[v];
			fl_metric_count(d->js.flame, metric[v], 1, sample.weight);
			fl_json_add(&d->js, &sample);
		}
		if (fl_failed(d->js.flame))
			break;
	}
	fl_free(stacks);
}

static const struct fl_json_field document[] = {
	FL_FIELD_CALL("pps", EACH, read_point),
	FL_FIELD_CALL("ftbl", LIST, read_table),
	{ .key = NULL }
};

static void read_document(struct flame_source *source)
{
	struct dhat *d = source->state;

	d->npoints = d->nframes = 0;
	if (fl_frame_trie_clear(source->flame, &d->trie) &&
	    fl_json_object(&d->js, document, d))
		give_samples(d);
}

/* The row of formats.def ------------------------------------------------- */

static void release(void *state)
{
	struct dhat *d = state;

	fl_json_source_free(&d->js);
	fl_frame_trie_free(&d->trie);
	fl_free(d->path.data);
	fl_free(d->points);
	fl_free(d->frames);
}

static int read(struct flame_source *source)
{
	struct dhat *d = source->state;

	return fl_json_read(&d->js, read_document);
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	return fl_json_probe(head, n, whole, "dhatFileVersion");
}

const struct fl_format fl_format_dhat = {
	.name = "dhat",
	.summary = "heap profiles of DHAT",
	.probe = probe,
	.state_size = sizeof(struct dhat),
	.open = fl_json_source_open,
	.read = read,
	.release = release,
	.json = true,
};
