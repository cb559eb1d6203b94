/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a page's stacks show, in a line of words: shares, each with the frames
 * that it is of, for the page's search.
 */
#include "fl.h"

#include "draw/draw.h"
#include "draw/html.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_PARTS = FL_MAX_WORKS + 4, MAX_SHOWN = 5, MAX_BESIDE = 2,
       MAX_WORD = 60, LONG_CLASS = 40, FEW_SAMPLES = 100 };

struct part {
	int64_t weight;
	const char *words;	/* of a work or a kind; or NULL: */
	flame_id name;		/* the frame */
	uint8_t type, row;
	bool itself;
	const char *find;	/* or NULL: the frame, or the work's frames */
};

struct parts {
	const struct fl_words *words;
	struct part at[MAX_PARTS];
	size_t n;
};

static bool is_worth(const struct fl_words *words, int64_t weight)
{
	return weight > 0 && weight > (words->base - 1) / 20;
}

static void add(struct parts *p, struct part part)
{
	p->at[p->n++] = part;
}

static void add_frame(struct parts *p)
{
	add(p, (struct part){ .weight = p->words->frame_weight,
			      .name = p->words->frame,
			      .type = p->words->frame_type });
}

static void add_work(struct parts *p, const struct fl_word_work *work)
{
	add(p, (struct part){ .weight = work->weight, .row = work->row,
			      .words = fl_works[work->row].words });
}

static int by_weight(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return (x->words != NULL) - (y->words != NULL);
}

/* What answers first, then the rest by weight. */
static void list_parts(struct parts *p)
{
	const struct fl_words *w = p->words;
	int first = fl_words_first(w);

	if (first >= 0)
		add_work(p, &w->works[first]);
	else if (w->frame)
		add_frame(p);
	if (first >= 0 && w->frame && w->frame_inner)
		add_frame(p);
	if (w->leaf && w->leaf != w->frame &&
	    (!p->n || is_worth(w, w->leaf_weight)))
		add(p, (struct part){ .weight = w->leaf_weight,
				      .name = w->leaf, .type = w->leaf_type,
				      .itself = true });
	for (unsigned i = 0; i < w->nworks; i++)
		if ((int)i != first && is_worth(w, w->works[i].weight))
			add_work(p, &w->works[i]);
	if (is_worth(w, w->kinds[FLAME_INTERPRETED]))
		add(p, (struct part){
			.weight = w->kinds[FLAME_INTERPRETED],
			.words = "interpreted", .find = "type:interpreted" });
	if (is_worth(w, w->kinds[FLAME_KERNEL]))
		add(p, (struct part){ .weight = w->kinds[FLAME_KERNEL],
				      .words = "in the kernel",
				      .find = "type:kernel" });
	if (p->n > 1)
		qsort(p->at + 1, p->n - 1, sizeof(*p->at), by_weight);
	p->n = FL_MIN(p->n, (size_t)MAX_SHOWN);
}

/* Class.method, or the method of a long class; not too long. */
static void put_name(struct fl_buf *to, struct slice name, uint8_t type)
{
	struct fl_caption c;
	size_t at, n;

	fl_caption(&c, name, type);
	at = c.size - c.class_at > LONG_CLASS ? c.method_at : c.class_at;
	n = c.size - at;
	if (n > MAX_WORD)
		for (n = MAX_WORD - 1; ((uint8_t)c.text[at + n] & 0xc0) == 0x80;)
			n--;
	fl_buf_put(to, c.text + at, n);
	if (at + n < c.size)
		fl_buf_text(to, "…");
}

static void put_find(struct fl_buf *to, const struct flame *flame,
		     const struct part *part)
{
	struct slice name = fl_name_at(flame, part->name);

	if (part->find) {
		fl_buf_text(to, part->find);
	} else if (part->words) {
		fl_work_regexp(to, part->row);
	} else {
		fl_buf_byte(to, '=');
		fl_buf_put(to, name.data, name.size);
	}
}

static void pack_slice(struct fl_packer *p, struct fl_buf *text)
{
	fl_pack_text(p, text->data ? text->data : "");
	text->size = 0;
}

/* What stands before the link, the link, and what it finds. */
static void pack_part(struct fl_packer *p, const struct flame *flame,
		      const struct part *part, const char *before,
		      const char *of, int64_t all)
{
	struct fl_buf text = { 0 };
	bool in = part->words && strncmp(part->words, "in ", 3) == 0;

	fl_buf_print(&text, "%s%.0f%%%s%s ", before,
		     100 * (double)part->weight / (double)all, of,
		     in || !part->words ? " in" : "");
	pack_slice(p, &text);
	if (part->words)
		fl_buf_text(&text, part->words + (in ? 3 : 0));
	else
		put_name(&text, fl_name_at(flame, part->name), part->type);
	fl_buf_text(&text, part->itself ? " itself" : "");
	pack_slice(p, &text);
	put_find(&text, flame, part);
	pack_slice(p, &text);
	fl_buf_free(&text);
}

static void pack_text(struct fl_packer *p, const char *text)
{
	fl_pack_text(p, text);
	fl_pack_text(p, "");
	fl_pack_text(p, "");
}

/* How far off a share may be, 19 times in 20. */
static void pack_trust(struct fl_packer *p, int64_t n, const char *unit)
{
	char text[96] = ".";

	if (strcmp(unit, "samples") == 0 && n > 0 && n < FEW_SAMPLES)
		snprintf(text, sizeof(text), ". With %d sample%s a share may "
			 "be off by %.0f points.", (int)n, n == 1 ? "" : "s",
			 98 / sqrt((double)n));
	pack_text(p, text);
}

void fl_html_pack_said(struct fl_packer *p, const struct flame *flame,
		       const struct fl_layout *l, const struct fl_words *words)
{
	struct parts parts = { .words = words };
	bool tasks = words->base < words->all;
	struct part beside[MAX_BESIDE];
	size_t nbeside = 0;
	char of[96] = "";

	if (words->base)
		list_parts(&parts);
	for (unsigned i = 0; i < words->nbeside && nbeside < MAX_BESIDE; i++)
		if (words->beside[i].weight > words->all / 20)
			beside[nbeside++] = (struct part){
				.weight = words->beside[i].weight,
				.row = words->beside[i].row,
				.words = fl_works[words->beside[i].row].words,
			};
	if (!parts.n)
		nbeside = 0;
	fl_pack_number(p, parts.n ? parts.n + nbeside + 1 : 0);
	for (size_t i = 0; i < parts.n; i++) {
		if (*l->metric || tasks)
			snprintf(of, sizeof(of), " of %s%.60s",
				 tasks ? "tasks' " : "",
				 *l->metric ? l->metric : l->unit);
		pack_part(p, flame, &parts.at[i], i ? "; " : "",
			  i ? "" : of, words->base);
	}
	for (size_t i = 0; i < nbeside; i++)
		pack_part(p, flame, &beside[i], i ? "; " :
			  ". Of all stacks, beside tasks: ", "", words->all);
	if (parts.n)
		pack_trust(p, words->base, l->unit);
}
