/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the sentence of an HTML page that says what its stacks do ("61% in
 * zlib; 12% in Foo.bar"), for html.c: struct fl_words in, packed texts out,
 * which fl_html_pack_said() adds to the page's data.  Each share has a link
 * that searches for its frames.
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
	unsigned within;	/* a work's number plus one, or FRAME; 0: none */
	const char *find;	/* or NULL: the frame, or the work's frames */
};

enum { FRAME = 1000, NOTHING };
enum lies { APART, A_IN_B, B_IN_A, ACROSS };

struct parts {
	const struct fl_words *words;
	struct part at[MAX_PARTS];
	size_t n;
	bool framed;
	unsigned frame_within;
};

static int by_weight(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return (x->words != NULL) - (y->words != NULL);
}

static bool is_worth(const struct fl_words *words, int64_t weight)
{
	return weight > 0 && weight > (words->base - 1) / 20;
}

static void add(struct parts *p, struct part part)
{
	p->at[p->n++] = part;
}

static void add_work(struct parts *p, const struct fl_word_work *work,
		     unsigned within)
{
	add(p, (struct part){ .weight = work->weight, .row = work->row,
			      .within = within,
			      .words = fl_works[work->row].words });
}

/* How two sets of stacks lie, by what they have in common. */
static enum lies lie(int64_t a, int64_t b, int64_t both)
{
	return both <= FL_MIN(a, b) / 10 ? APART :
	       both >= a - a / 10	 ? A_IN_B :
	       both >= b - b / 10	 ? B_IN_A :
					   ACROSS;
}

/*
 * The frame and the works that are apart from it, or within; what lies across
 * is left out, but for what answers first.
 */
static void list_works(struct parts *p, bool framed, int first)
{
	const struct fl_words *w = p->words;
	unsigned frame = framed ? FRAME : 0, above = 0;

	for (unsigned i = 0; framed && i < w->nworks; i++) {
		enum lies lies = lie(w->frame_weight, w->works[i].weight,
				     w->works[i].inside);

		if (lies == A_IN_B && is_worth(w, w->works[i].weight))
			above = i + 1;
		if (lies == ACROSS && (int)i == first)
			frame = 0;
	}
	p->frame_within = above;
	if (frame)
		add(p, (struct part){ .weight = w->frame_weight,
				      .name = w->frame, .within = above,
				      .type = w->frame_type });
	for (unsigned i = 0; i < w->nworks; i++) {
		enum lies lies = lie(w->frame_weight, w->works[i].weight,
				     w->works[i].inside);
		bool inside = frame && lies == B_IN_A && above != i + 1;

		if (((int)i == first || is_worth(w, w->works[i].weight)) &&
		    (!frame || lies != ACROSS))
			add_work(p, &w->works[i], inside ? above ? above : FRAME :
						  0);
	}
	p->framed = frame;
}

/* The heaviest frame of its own, if it is of no work. */
static void list_leaf(struct parts *p)
{
	const struct fl_words *w = p->words;
	enum lies lies = p->framed ? lie(w->leaf_weight, w->frame_weight,
					 w->leaf_inside) : APART;

	if (!w->leaf || (p->framed && w->leaf == w->frame) || lies == ACROSS ||
	    (p->n && !is_worth(w, w->leaf_weight)))
		return;
	add(p, (struct part){ .weight = w->leaf_weight, .name = w->leaf,
			      .type = w->leaf_type, .itself = true,
			      .within = lies == APART ? 0 :
					p->frame_within ? p->frame_within :
							  FRAME });
}

/* What a part is within: 0, or what the others name by the same number. */
static unsigned number_of(const struct parts *p, const struct part *part)
{
	for (unsigned i = 0; part->words && i < p->words->nworks; i++)
		if (p->words->works[i].row == part->row)
			return i + 1;
	return part->words || part->itself ? NOTHING : FRAME;
}

/* Heaviest first, each followed by what is within. */
static void order_parts(struct parts *p)
{
	struct part sorted[MAX_PARTS];
	size_t n = 0;

	qsort(p->at, p->n, sizeof(*p->at), by_weight);
	for (size_t i = 0; i < p->n && n < MAX_SHOWN; i++) {
		unsigned number = number_of(p, &p->at[i]);

		if (p->at[i].within)
			continue;
		sorted[n++] = p->at[i];
		for (size_t k = 0; k < p->n && n < MAX_SHOWN; k++)
			if (p->at[k].within == number)
				sorted[n++] = p->at[k];
	}
	memcpy(p->at, sorted, n * sizeof(*sorted));
	p->n = n;
}

/* Shares of how frames ran, which the others may be of, too. */
static void list_kinds(struct parts *p)
{
	static const struct {
		uint8_t type;
		const char *words, *find;
	} kinds[] = {
		{ FLAME_INTERPRETED, "interpreted", "type:interpreted" },
		{ FLAME_KERNEL, "in the kernel", "type:kernel" },
	};
	size_t from = p->n;

	for (size_t i = 0; i < FL_COUNT(kinds); i++)
		if (is_worth(p->words, p->words->kinds[kinds[i].type]))
			add(p, (struct part){
				.weight = p->words->kinds[kinds[i].type],
				.words = kinds[i].words,
				.find = kinds[i].find, });
	qsort(p->at + from, p->n - from, sizeof(*p->at), by_weight);
}

static void list_parts(struct parts *p)
{
	const struct fl_words *w = p->words;
	int first = fl_words_first(w);

	list_works(p, w->frame && (first < 0 || w->frame_inner), first);
	list_leaf(p);
	order_parts(p);
	if (p->n)
		list_kinds(p);
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

/* What parts the one before from it, and from kinds. */
static const char *between(const struct parts *p, size_t i)
{
	bool within = p->at[i].within, was = i && p->at[i - 1].within;
	bool kind = p->at[i].find;

	if (!i)
		return "";
	if (kind)
		return !p->at[i - 1].find ? was ? "); by kind: " :
						  "; by kind: " : ", ";
	return within ? was ? ", " : " (" : was ? "); " : "; ";
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
static void pack_trust(struct fl_packer *p, int64_t n, const char *unit,
		       const char *end)
{
	char text[96];

	snprintf(text, sizeof(text), "%s.", end);
	if (strcmp(unit, "samples") == 0 && n > 0 && n < FEW_SAMPLES)
		snprintf(text, sizeof(text), "%s. With %d sample%s a share may "
			 "be off by %.0f points.", end, (int)n,
			 n == 1 ? "" : "s", 98 / sqrt((double)n));
	pack_text(p, text);
}

void fl_html_pack_said(struct fl_packer *p, const struct flame *flame,
		       const struct fl_layout *l, const struct fl_words *words)
{
	struct parts parts = { .words = words };
	bool tasks = words->base < words->all;
	struct part beside[MAX_BESIDE];
	size_t nbeside = 0;
	bool closes;
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
	closes = parts.n && parts.at[parts.n - 1].within;
	fl_pack_number(p, parts.n ? parts.n + nbeside + 1 : 0);
	for (size_t i = 0; i < parts.n; i++) {
		if (*l->metric || tasks)
			snprintf(of, sizeof(of), " of %s%.60s",
				 tasks ? "tasks' " : "",
				 *l->metric ? l->metric : l->unit);
		pack_part(p, flame, &parts.at[i], between(&parts, i),
			  i ? "" : of, words->base);
	}
	for (size_t i = 0; i < nbeside; i++)
		pack_part(p, flame, &beside[i], i ? "; " : closes ?
			  "). Of all stacks, beside tasks: " :
			  ". Of all stacks, beside tasks: ", "", words->all);
	if (parts.n)
		pack_trust(p, words->base, l->unit,
			   closes && !nbeside ? ")" : "");
}
