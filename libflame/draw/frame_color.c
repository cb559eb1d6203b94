/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses the colour of a node of a layout, for svg.c, html.c and text.c: by
 * --highlight, by its change in a comparison, by the file of --cp, or by its
 * scheme (palette.c, classic.c).  fl_frame_color_pick() returns it; html.c,
 * whose script highlights, gets the colours of scheme and change alone.
 */
#include "dict/java.h"
#include "draw/draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define DEFAULT_NOISE 2		/* sigmas */

/* --cp: a file of lines "name->rgb(r,g,b)", sorted, reused for pictures. */
struct fl_palette {
	const char *path;
	struct fl_index index;
	struct fl_arena arena;
	struct swatch {
		struct slice name;
		uint32_t color;
	} *swatches;		/* [0] is unused */
	size_t count, capacity;
	bool grown;		/* to be saved */
};

static struct swatch *find_swatch(const struct fl_palette *p,
				  struct slice name)
{
	uint64_t hash = fl_hash(name.data, name.size);
	uint32_t i, id;

	for (i = fl_index_first(&p->index, hash);
	     (id = fl_index_next(&p->index, hash, &i));)
		if (p->swatches[id].name.size == name.size &&
		    memcmp(p->swatches[id].name.data, name.data, name.size) ==
			    0)
			return &p->swatches[id];
	return NULL;
}

static bool add_swatch(struct fl_palette *p, struct slice name,
		       uint32_t color)
{
	char *copy = fl_arena_copy(&p->arena, name.data, name.size);

	if (!p->count)
		p->count = 1;
	if (!copy ||
	    !fl_grow(&p->swatches, &p->capacity, p->count + 1,
		     sizeof(*p->swatches)) ||
	    !fl_index_add(&p->index, fl_hash(name.data, name.size), p->count))
		return false;
	p->swatches[p->count++] = (struct swatch){ { copy, name.size }, color };
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
	size_t capacity = 0;
	ssize_t n;

	if (p)
		p->path = path;
	/* Without a file, all names are new. */
	while (p && file && (n = getline(&line, &capacity, file)) >= 0)
		if (!read_swatch(p, line, n)) {
			fl_free(p);
			p = NULL;
		}
	if (line)	/* adopting none means that there is no memory */
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
	qsort(p->swatches + 1, p->count - 1, sizeof(*p->swatches), by_name);
	for (size_t i = 1; i < p->count; i++) {
		uint32_t c = p->swatches[i].color;

		fl_out_put(out, p->swatches[i].name.data,
			   p->swatches[i].name.size);
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
	fl_free(p->swatches);
	fl_free(p);
}

/* The colour of a name with its type suffix; adds `normal` if it is new. */
static struct fl_colors color_of_palette(struct fl_frame_color *color,
					 struct slice name,
					 enum flame_type type,
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
	swatch = find_swatch(color->palette, full);
	if (swatch && swatch->color == normal.light) {
		/* The scheme's own, with its dark one and its legend. */
	} else if (swatch) {
		normal = (struct fl_colors){ swatch->color,
					     fl_classic_dark(swatch->color) };
	} else {
		color->palette->grown |=
			add_swatch(color->palette, full, normal.light);
	}
	fl_buf_free(&buf);
	return normal;
}

/* Groups are ranked by weight: the first colours differ most. */
struct group {
	uint64_t hash;
	int64_t weight;
	uint32_t first;		/* node; breaks ties */
};

static int by_weight(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return (x->first > y->first) - (x->first < y->first);
}

static uint64_t group_of(const struct fl_frame_color *color, struct slice name,
			 enum flame_type type)
{
	struct slice group = color->scheme->group(name, type);

	return group.size ? fl_hash(group.data, group.size) : 0;
}

static bool rank_groups(struct fl_frame_color *color)
{
	const struct fl_layout *l = color->layout;
	const int64_t *self = l->self[l->columns - 1];
	struct group *groups = NULL;
	size_t n = 0, capacity = 0;
	bool good = true;

	for (uint32_t i = 1; good && i < l->count; i++) {
		bool fresh = false;
		uint64_t hash = group_of(color, fl_node_name(color->page, l, i),
					 l->type[i]);
		uint64_t *at = fl_map_put(&color->ranks, hash, &fresh);

		good = at &&
		       fl_grow(&groups, &capacity, n + 1, sizeof(*groups));
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
		*fl_map_get(&color->ranks, groups[i].hash) = i;
	fl_free(groups);
	return good;
}

static int open_mine(struct fl_frame_color *color)
{
	const char *at = color->page->mine, *end;
	struct flame *flame = color->page->tree->flame;
	char why[256];

	for (; at; at = *end ? end + 1 : NULL) {
		char *text;

		end = at + strcspn(at, "\n");
		text = fl_memory_adopt(strndup(at, end - at));
		if (!text || !fl_grow(&color->mine, &color->mine_capacity,
				      color->nmine + 1, sizeof(*color->mine))) {
			fl_free(text);
			return fl_no_memory(flame);
		}
		color->mine[color->nmine] =
			fl_regex_new(text, false, why, sizeof(why));
		if (!color->mine[color->nmine]) {
			fl_fail(flame, "--mine %s: %s", text, why);
			fl_free(text);
			return FLAME_FAILED;
		}
		color->nmine++;
		fl_free(text);
	}
	return FLAME_OK;
}

/* Whether frames are recognised as Java's by their names alone. */
static bool lacks_java_types(const struct fl_layout *l)
{
	for (uint32_t i = 1; i < l->count; i++)
		switch (l->type[i]) {
		case FLAME_INTERPRETED:
		case FLAME_JIT:
		case FLAME_INLINED:
		case FLAME_C1:
		case FLAME_JAVA_NATIVE:
			return false;
		default:
			break;
		}
	return true;
}

/* The scheme, with the options of classic ones. */
static int open_scheme(struct fl_frame_color *color)
{
	const struct fl_page *page = color->page;
	struct flame *flame = page->tree->flame;
	const char *name = page->colors;

	if (!name && page->mine)
		name = "mine";
	else if (!name && lacks_java_types(color->layout))
		name = "java";
	color->scheme = fl_scheme_named(flame, name);
	if (!color->scheme)
		return FLAME_FAILED;
	color->classic.palette = color->scheme->classic;
	color->classic.inferno = page->compat_tool == FL_PEER_INFERNO;
	color->classic.by = page->color_by;
	if (strcmp(color->scheme->name, "mine") == 0 && !page->mine)
		return fl_fail(flame, "colors 'mine': needs --mine RE, the frames "
			       "to colour");
	if (!color->scheme->classic && page->color_by)
		fl_remark(flame, "--hash and the like are ignored: only "
			  "--colors classic-... uses them");
	return FLAME_OK;
}

/*
 * Sigmas below which a change counts as noise.  The difference of two counts
 * has the standard deviation sqrt(sum); other weights have no such model, and
 * flamegraph.pl and inferno colour every change.
 */
static double noise_of(const struct fl_frame_color *color)
{
	const struct fl_page *page = color->page;
	bool counts = strcmp(color->layout->unit, "samples") == 0;

	if (!counts && page->compare.noise > 0)
		fl_remark(page->tree->flame, "--noise: weights are %s, not "
			  "samples: their noise is not known",
			  color->layout->unit);
	if (!counts)
		return 0;
	if (page->compare.noise >= 0)
		return page->compare.noise;
	return color->scheme->classic || page->compat_tool || page->compat ?
		       0 :
		       DEFAULT_NOISE;
}

static bool compares_total(const struct fl_frame_color *color)
{
	return color->page->compare.delta == FL_DELTA_TOTAL;
}

void fl_frame_color_open_changes(struct fl_frame_color *color)
{
	color->max_change = fl_max_change(color->page, color->layout,
					  compares_total(color));
	color->noise = noise_of(color);
}

int fl_frame_color_open_scheme(struct fl_frame_color *color,
			       const struct fl_page *page,
			       const struct fl_layout *layout)
{
	color->page = page;
	color->layout = layout;
	if (open_scheme(color) != FLAME_OK || open_mine(color) != FLAME_OK)
		return FLAME_FAILED;
	if (color->scheme->group && !rank_groups(color))
		return fl_no_memory(page->tree->flame);
	return FLAME_OK;
}

int fl_frame_color_open(struct fl_frame_color *color,
			const struct fl_page *page,
			const struct fl_layout *layout)
{
	struct flame *flame = page->tree->flame;
	char why[256];

	if (fl_frame_color_open_scheme(color, page, layout) != FLAME_OK)
		return FLAME_FAILED;
	if (page->highlight) {
		color->highlight =
			fl_regex_new(page->highlight, false, why, sizeof(why));
		if (!color->highlight)
			return fl_fail(flame, "--highlight %s: %s",
				       page->highlight, why);
	}
	if (layout->columns == 2)
		fl_frame_color_open_changes(color);
	if (page->svg.palette &&
	    !(color->palette = palette_open(page->svg.palette)))
		return fl_no_memory(flame);
	return FLAME_OK;
}

/* The variance of a count times a factor is the count times its square. */
static double sigma_of(const struct fl_frame_color *color, uint32_t node)
{
	const struct fl_layout *l = color->layout;
	int64_t *const *of = compares_total(color) ? l->total : l->self;
	const double *scaled = color->page->tree->settled;
	double by = color->page->compare.scale;

	return sqrt((double)of[0][node] * by * by *
		    (scaled[0] > 0 ? scaled[0] : 1) +
		    (double)of[1][node] * (scaled[1] > 0 ? scaled[1] : 1));
}

struct fl_colors fl_frame_color_change(const struct fl_frame_color *color,
				       uint32_t node)
{
	double change = fl_change(color->page, color->layout, node,
				  compares_total(color));
	uint32_t c;

	if (fabs(change) < color->noise * sigma_of(color, node))
		change = 0;
	if (color->page->compare.negate)
		change = -change;
	if (!color->scheme->classic)
		return fl_ramp[fl_ramp_step(change, color->max_change)];
	c = fl_classic_change(&color->classic, change, color->max_change);
	return (struct fl_colors){ c, fl_classic_dark(c) };
}

struct fl_colors fl_frame_color_scheme(struct fl_frame_color *color, bool root,
				       struct slice name, enum flame_type type)
{
	if (color->scheme->classic) {
		/* In flamegraph.pl the root has no name. */
		uint32_t c = fl_classic_color(&color->classic,
					      root ? FL_SLICE("") : name, type);

		return (struct fl_colors){ c, fl_classic_dark(c) };
	}
	if (!root && color->scheme->group && type != FLAME_GROUP &&
	    group_of(color, name, type))
		return fl_group_color(*fl_map_get(&color->ranks,
						  group_of(color, name, type)));
	for (size_t i = 0; !root && i < color->nmine; i++)
		if (strcmp(color->scheme->name, "mine") == 0 &&
		    fl_regex_match(color->mine[i], name.data, name.size))
			return fl_mine_color(i);
	return color->scheme->pick(name, type);
}

struct fl_colors fl_frame_color_pick(struct fl_frame_color *color,
				     uint32_t node)
{
	static const struct fl_colors match = { 0xf478d8, 0xb3008f };
	struct slice name = fl_node_name(color->page, color->layout, node);
	enum flame_type type = color->layout->type[node];
	struct fl_colors colors;

	if (color->highlight && node && fl_java_match(color->highlight, name))
		return match;
	if (color->layout->columns == 2)
		return fl_frame_color_change(color, node);
	colors = fl_frame_color_scheme(color, !node, name, type);
	return color->palette && node ?
		color_of_palette(color, name, type, colors) : colors;
}

int fl_frame_color_save(struct fl_frame_color *color)
{
	if (!color->palette || !color->palette->grown)
		return FLAME_OK;
	return palette_save(color->page->tree->flame, color->palette);
}

void fl_frame_color_close(struct fl_frame_color *color)
{
	fl_regex_free(color->highlight);
	for (size_t i = 0; i < color->nmine; i++)
		fl_regex_free(color->mine[i]);
	fl_free(color->mine);
	fl_map_free(&color->ranks);
	palette_free(color->palette);
}
