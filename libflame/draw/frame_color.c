/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A brush: a colour scheme as the options of a page change it.  What a
 * frame is marked or compared for goes before its scheme.
 */
#include "dict/java.h"
#include "draw/draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define NOISE 2			/* sigmas */

/* --cp: "name->rgb(r,g,b)" a line, by name, kept from picture to picture. */
struct fl_palette {
	const char *path;
	struct fl_index index;
	struct fl_arena arena;
	struct swatch {
		struct slice name;
		uint32_t color;
	} *at;			/* at[0] is none */
	size_t n, room;
	bool grown;
};

static struct swatch *find_swatch(const struct fl_palette *p,
				  struct slice name)
{
	uint64_t hash = fl_hash(name.data, name.size);
	uint32_t i, id;

	for (i = fl_index_first(&p->index, hash);
	     (id = fl_index_next(&p->index, hash, &i));)
		if (p->at[id].name.size == name.size &&
		    memcmp(p->at[id].name.data, name.data, name.size) == 0)
			return &p->at[id];
	return NULL;
}

static bool add_swatch(struct fl_palette *p, struct slice name,
		       uint32_t color)
{
	char *copy = fl_arena_copy(&p->arena, name.data, name.size);

	if (!p->n)
		p->n = 1;
	if (!copy || !fl_grow(&p->at, &p->room, p->n + 1, sizeof(*p->at)) ||
	    !fl_index_add(&p->index, fl_hash(name.data, name.size), p->n))
		return false;
	p->at[p->n++] = (struct swatch){ { copy, name.size }, color };
	return true;
}

/* The last "->" of a line ends its name. */
static bool read_swatch(struct fl_palette *p, const char *line, size_t n)
{
	const char *end = line + n, *arrow = NULL;
	unsigned r, g, b;

	for (const char *s = line; (s = memmem(s, end - s, "->", 2)); s += 2)
		arrow = s;
	if (!arrow || sscanf(arrow, "->rgb(%u,%u,%u)", &r, &g, &b) != 3 ||
	    r > 255 || g > 255 || b > 255)
		return true;
	return find_swatch(p, (struct slice){ line, arrow - line }) ||
	       add_swatch(p, (struct slice){ line, arrow - line },
			  r << 16 | g << 8 | b);
}

static struct fl_palette *palette_open(const char *path)
{
	struct fl_palette *p = fl_zeroed(1, sizeof(*p));
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t room = 0;
	ssize_t n;

	if (p)
		p->path = path;
	/* Where there is none yet, all names are new. */
	while (p && file && (n = getline(&line, &room, file)) >= 0)
		if (!read_swatch(p, line, n)) {
			fl_free(p);
			p = NULL;
		}
	fl_free(fl_memory_adopt(line));
	if (file)
		fclose(file);
	return p;
}

static int by_name(const void *a, const void *b)
{
	const struct swatch *x = a, *y = b;
	int d = memcmp(x->name.data, y->name.data,
		       FL_MIN(x->name.size, y->name.size));

	return d ? d : (x->name.size > y->name.size) -
		       (x->name.size < y->name.size);
}

static int palette_save(struct flame *flame, struct fl_palette *p)
{
	struct fl_out *out = fl_out_open(flame, p->path);

	if (!out)
		return FLAME_FAILED;
	qsort(p->at + 1, p->n - 1, sizeof(*p->at), by_name);
	for (size_t i = 1; i < p->n; i++) {
		uint32_t c = p->at[i].color;

		fl_out_put(out, p->at[i].name.data, p->at[i].name.size);
		fl_out_print(out, "->rgb(%u,%u,%u)\n", (unsigned)(c >> 16),
			     (unsigned)(c >> 8 & 255), (unsigned)(c & 255));
	}
	return fl_out_close(out);
}

static void palette_free(struct fl_palette *p)
{
	if (!p)
		return;
	fl_index_free(&p->index);
	fl_arena_free(&p->arena);
	fl_free(p->at);
	fl_free(p);
}

/* As the map spells a name: with the suffix that tells how it ran. */
static struct fl_colors of_palette(struct fl_frame_color *brush,
				   struct slice name, enum flame_type type,
				   struct fl_colors normal)
{
	struct fl_buf buf = { 0 };
	struct swatch *swatch;
	struct slice full;

	fl_buf_put(&buf, name.data, name.size);
	fl_buf_text(&buf, fl_type_suffix(type));
	full = (struct slice){ buf.data, buf.size };
	if (buf.failed || !buf.size || memchr(buf.data, '\n', buf.size)) {
		fl_buf_free(&buf);
		return normal;
	}
	swatch = find_swatch(brush->palette, full);
	if (swatch) {
		normal = (struct fl_colors){ swatch->color,
					     fl_classic_dark(swatch->color) };
	} else {
		brush->palette->grown |= add_swatch(brush->palette, full,
						    normal.light);
	}
	fl_buf_free(&buf);
	return normal;
}

/* Groups by weight: the heaviest have the colours that differ most. */
struct group {
	uint64_t hash;
	int64_t weight;
	uint32_t first;		/* node; older ones first where equal */
};

static int by_weight(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return (x->first > y->first) - (x->first < y->first);
}

static uint64_t group_of(const struct fl_frame_color *brush, struct slice name,
			 enum flame_type type)
{
	struct slice group = brush->scheme->group(name, type);

	return group.size ? fl_hash(group.data, group.size) : 0;
}

static bool rank_groups(struct fl_frame_color *brush)
{
	const struct fl_layout *l = brush->layout;
	const int64_t *self = l->self[l->columns - 1];
	struct group *groups = NULL;
	size_t n = 0, room = 0;
	bool good = true;

	for (uint32_t i = 1; good && i < l->count; i++) {
		bool fresh = false;
		uint64_t hash = group_of(brush,
					 fl_node_name(brush->page, l, i),
					 l->type[i]);
		uint64_t *at = fl_map_put(&brush->ranks, hash, &fresh);

		good = at && fl_grow(&groups, &room, n + 1, sizeof(*groups));
		if (!good)
			break;
		if (fresh) {
			*at = n;
			groups[n++] = (struct group){ hash, 0, i };
		}
		groups[*at].weight += self[i];
	}
	if (good && n)
		qsort(groups, n, sizeof(*groups), by_weight);
	for (size_t i = 0; good && i < n; i++)
		*fl_map_get(&brush->ranks, groups[i].hash) = i;
	fl_free(groups);
	return good;
}

static int open_mine(struct fl_frame_color *brush)
{
	const char *at = brush->page->mine, *end;
	struct flame *flame = brush->page->tree->flame;
	char why[256];

	for (; at; at = *end ? end + 1 : NULL) {
		char *text;

		end = at + strcspn(at, "\n");
		text = fl_memory_adopt(strndup(at, end - at));
		if (!text || !fl_grow(&brush->mine, &brush->mine_capacity,
				      brush->nmine + 1, sizeof(*brush->mine))) {
			fl_free(text);
			return fl_no_memory(flame);
		}
		brush->mine[brush->nmine] = fl_regex_new(text, false, why,
							 sizeof(why));
		if (!brush->mine[brush->nmine]) {
			fl_fail(flame, "--mine %s: %s", text, why);
			fl_free(text);
			return FLAME_FAILED;
		}
		brush->nmine++;
		fl_free(text);
	}
	return FLAME_OK;
}

/* The scheme, and what only historic ones know. */
static int open_scheme(struct fl_frame_color *brush)
{
	const struct fl_page *page = brush->page;
	struct flame *flame = page->tree->flame;
	const char *name = page->colors;

	if (!name && page->mine)
		name = "mine";
	brush->scheme = fl_scheme_named(flame, name);
	if (!brush->scheme)
		return FLAME_FAILED;
	brush->classic.palette = brush->scheme->classic;
	brush->classic.inferno = page->peer == FL_PEER_INFERNO;
	brush->classic.by = page->color_by;
	if (strcmp(brush->scheme->name, "mine") == 0 && !page->mine)
		return fl_fail(flame, "colors 'mine': which frames are, says "
			       "--mine RE");
	if (!brush->scheme->classic && page->color_by)
		fl_remark(flame, "colours go by name as it is: --hash and its "
			  "like are for --colors classic-...");
	return FLAME_OK;
}

/*
 * What chance alone may make of two counts: their difference varies by the
 * root of their sum.  Only counts do; the peers know nothing of it.
 */
static double noise_of(const struct fl_frame_color *brush)
{
	const struct fl_page *page = brush->page;
	bool counts = strcmp(brush->layout->unit, "samples") == 0;

	if (!counts && page->noise > 0)
		fl_remark(page->tree->flame, "--noise: weights are %s, not "
			  "samples: what is noise in them is not known",
			  brush->layout->unit);
	if (!counts)
		return 0;
	if (page->noise >= 0)
		return page->noise;
	return brush->scheme->classic || page->peer || page->compat ? 0 :
								      NOISE;
}

static bool tells_total(const struct fl_frame_color *brush)
{
	return brush->page->delta == FL_DELTA_TOTAL;
}

void fl_frame_color_open_changes(struct fl_frame_color *brush)
{
	brush->most = fl_most_change(brush->page, brush->layout,
				     tells_total(brush));
	brush->noise = noise_of(brush);
}

int fl_frame_color_open_scheme(struct fl_frame_color *brush,
			       const struct fl_page *page,
			       const struct fl_layout *layout)
{
	brush->page = page;
	brush->layout = layout;
	if (open_scheme(brush) != FLAME_OK || open_mine(brush) != FLAME_OK)
		return FLAME_FAILED;
	if (brush->scheme->group && !rank_groups(brush))
		return fl_no_memory(page->tree->flame);
	return FLAME_OK;
}

int fl_frame_color_open(struct fl_frame_color *brush,
			const struct fl_page *page,
			const struct fl_layout *layout)
{
	struct flame *flame = page->tree->flame;
	char why[256];

	if (fl_frame_color_open_scheme(brush, page, layout) != FLAME_OK)
		return FLAME_FAILED;
	if (page->highlight) {
		brush->highlight = fl_regex_new(page->highlight, false, why,
						sizeof(why));
		if (!brush->highlight)
			return fl_fail(flame, "--highlight %s: %s",
				       page->highlight, why);
	}
	if (layout->columns == 2)
		fl_frame_color_open_changes(brush);
	if (page->palette && !(brush->palette = palette_open(page->palette)))
		return fl_no_memory(flame);
	return FLAME_OK;
}

/* Of counts that were multiplied the noise was too: by the square. */
static double sigma_of(const struct fl_frame_color *brush, uint32_t node)
{
	const struct fl_layout *l = brush->layout;
	int64_t *const *of = tells_total(brush) ? l->total : l->self;
	const double *scaled = brush->page->tree->scaled;
	double by = brush->page->scale;

	return sqrt((double)of[0][node] * by * by *
		    (scaled[0] > 0 ? scaled[0] : 1) +
		    (double)of[1][node] * (scaled[1] > 0 ? scaled[1] : 1));
}

struct fl_colors fl_frame_color_change(const struct fl_frame_color *brush,
				       uint32_t node)
{
	double change = fl_change(brush->page, brush->layout, node,
				  tells_total(brush));
	uint32_t c;

	if (fabs(change) < brush->noise * sigma_of(brush, node))
		change = 0;
	if (brush->page->negate)
		change = -change;
	if (!brush->scheme->classic)
		return fl_ramp[fl_ramp_step(change, brush->most)];
	c = fl_classic_change(&brush->classic, change, brush->most);
	return (struct fl_colors){ c, fl_classic_dark(c) };
}

struct fl_colors fl_frame_color_scheme(struct fl_frame_color *brush, bool root,
				       struct slice name, enum flame_type type)
{
	if (brush->scheme->classic) {
		/* Peers know the root by no name. */
		uint32_t c = fl_classic_color(&brush->classic,
					      root ? FL_SLICE("") : name,
					      type);

		return (struct fl_colors){ c, fl_classic_dark(c) };
	}
	if (!root && brush->scheme->group && type != FLAME_GROUP &&
	    group_of(brush, name, type))
		return fl_group_color(*fl_map_get(&brush->ranks,
						  group_of(brush, name,
							   type)));
	for (size_t i = 0; !root && i < brush->nmine; i++)
		if (strcmp(brush->scheme->name, "mine") == 0 &&
		    fl_regex_match(brush->mine[i], name.data, name.size))
			return fl_mine_color(i);
	return brush->scheme->pick(name, type);
}

struct fl_colors fl_frame_color_pick(struct fl_frame_color *brush,
				     uint32_t node)
{
	static const struct fl_colors match = { 0xf478d8, 0xb3008f };
	struct slice name = fl_node_name(brush->page, brush->layout, node);
	enum flame_type type = brush->layout->type[node];
	struct fl_colors colors;

	if (brush->highlight && node &&
	    fl_java_match(brush->highlight, name))
		return match;
	if (brush->layout->columns == 2)
		return fl_frame_color_change(brush, node);
	colors = fl_frame_color_scheme(brush, !node, name, type);
	return brush->palette && node ?
		of_palette(brush, name, type, colors) : colors;
}

int fl_frame_color_save(struct fl_frame_color *brush)
{
	if (!brush->palette || !brush->palette->grown)
		return FLAME_OK;
	return palette_save(brush->page->tree->flame, brush->palette);
}

void fl_frame_color_close(struct fl_frame_color *brush)
{
	fl_regex_free(brush->highlight);
	for (size_t i = 0; i < brush->nmine; i++)
		fl_regex_free(brush->mine[i]);
	fl_free(brush->mine);
	fl_map_free(&brush->ranks);
	palette_free(brush->palette);
}
