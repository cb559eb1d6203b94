/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --fold-trunk of an SVG: fl_svg_fold() finds runs of frames of which each
 * passes nearly all of the first one's weight to one callee.  svg.c draws a run
 * as one box, its first frame; other callees of its frames are drawn on the
 * next row.  Boxes keep their weights and places from left to right.
 *
 * share/viewer/trunk.js does the same in a page: change both.
 */
#include "draw/svg.h"

enum { LEAST_RUN = 3, LEADS_ON = 95, WIDE = 20 };	/* percent; a part */

/* The frame that a run's frame passes nearly all of its weight to; 0: none. */
static uint32_t leads_to(const struct fl_svg *p, uint32_t i, uint32_t first)
{
	const struct fl_layout *l = p->layout;

	for (uint32_t c = i + 1; c < l->end[i]; c = l->end[c]) {
		bool all = p->weight[c] >= p->min_weight, wide = false;

		for (unsigned k = 0; k < l->columns; k++) {
			const int64_t *total = l->total[k];

			wide |= total[c] &&
				(double)total[c] * WIDE >= (double)total[0];
			all = all && (double)total[c] * 100 >=
					     (double)total[first] * LEADS_ON;
		}
		if (all && wide)
			return c;
	}
	return 0;
}

static void fold_from(struct fl_svg *p, uint32_t first)
{
	uint32_t last = first, next = first, n = 0;

	for (uint32_t c; (c = leads_to(p, next, first)); next = c, n++)
		last = next;
	if (n < LEAST_RUN)
		return;
	p->run_end[first] = last;
	p->nfolded += n - 1;
	for (uint32_t i = last; i != first; i = p->layout->parent[i])
		p->folded[i] = true;
}

bool fl_svg_fold(struct fl_svg *p)
{
	struct fl_layout *l = p->layout;

	p->folded = fl_zeroed(l->count, sizeof(*p->folded));
	p->run_end = fl_zeroed(l->count, sizeof(*p->run_end));
	if (!p->folded || !p->run_end)
		return false;
	l->depth = 0;
	for (uint32_t i = 1; i < l->count; i++) {
		if (!p->folded[i])
			fold_from(p, i);
		l->level[i] = l->level[l->parent[i]] + !p->folded[i];
		l->depth = FL_MAX(l->depth, l->level[i]);
	}
	return true;
}

uint32_t fl_svg_run_next(const struct fl_svg *p, uint32_t first, uint32_t i)
{
	const uint32_t *parent = p->layout->parent;
	uint32_t k = p->run_end ? p->run_end[first] : 0;

	if (!k || k == i)
		return 0;
	while (parent[k] != i)
		k = parent[k];
	return k;
}

unsigned fl_svg_run_length(const struct fl_svg *p, uint32_t first)
{
	unsigned n = 1;

	if (!p->run_end || !p->run_end[first])
		return 1;
	for (uint32_t i = p->run_end[first]; i != first;
	     i = p->layout->parent[i])
		n++;
	return n;
}

struct slice fl_svg_run_label(const struct fl_svg *p, uint32_t first,
			      double pixels, struct fl_caption *to)
{
	const struct fl_layout *l = p->layout;
	const uint32_t nodes[] = { first, p->run_end[first] };
	struct fl_caption caption;
	struct slice text = { to->text, 0 };
	bool cut = true;

	for (int form = 0; form < 3 && cut; form++) {
		to->size = to->class_at = to->method_at = 0;
		for (int k = 0; k < 2; k++) {
			fl_caption(&caption, fl_node_name(p->page, l, nodes[k]),
				   l->type[nodes[k]]);
			size_t at = form == 0 ? 0 :
				    form == 1 ? caption.class_at :
						caption.method_at;
			size_t n = FL_MIN(caption.size - at,
					  sizeof(to->text) / 2 - 16);

			if (k) {
				memcpy(to->text + to->size, " … ", 5);
				to->size += 5;
			}
			memcpy(to->text + to->size, caption.text + at, n);
			to->size += n;
		}
		memcpy(to->text + to->size, " +", 2);
		to->size += 2 + fl_format_u64(to->text + to->size + 2,
					      fl_svg_run_length(p, first) - 2);
		text = fl_caption_fit(to, pixels, &cut);
	}
	if (cut)
		text.size = 0;
	return text;
}
