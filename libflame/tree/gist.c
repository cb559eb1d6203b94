/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame_nodes_gist() says in a few words what most stacks below a node do ("in
 * zlib"): a part of the list of flame_tree_nodes() in, struct flame_gist out,
 * which has the first answer of words.c.  For flame-top --key and flame-batch.
 */
#include "fl.h"

#include "tree/tree.h"
#include "tree/works.h"

struct part {
	flame_id *name;
	uint8_t *type;
	uint32_t *parent, *end;
	int64_t *self;
};

static void free_part(struct part *p)
{
	fl_free(p->name);
	fl_free(p->type);
	fl_free(p->parent);
	fl_free(p->end);
	fl_free(p->self);
}

static bool reserve(struct part *p, size_t n)
{
	p->name = fl_alloc(n * sizeof(*p->name));
	p->type = fl_alloc(n * sizeof(*p->type));
	p->parent = fl_alloc(n * sizeof(*p->parent));
	p->end = fl_alloc(n * sizeof(*p->end));
	p->self = fl_alloc(n * sizeof(*p->self));
	return p->name && p->type && p->parent && p->end && p->self;
}

/* The list has parents before their children: open is the node's ancestor. */
static void fill(struct part *p, const struct flame_node *nodes, size_t n)
{
	uint32_t open = 0;

	for (uint32_t i = 0; i < n; i++) {
		while (i && nodes[open].level >= nodes[i].level) {
			p->end[open] = i;
			open = p->parent[open];
		}
		p->name[i] = i ? nodes[i].name : 0;
		p->type[i] = (uint8_t)nodes[i].type;
		p->parent[i] = open;
		p->self[i] = nodes[i].self[0];
		open = i;
	}
	for (; open; open = p->parent[open])
		p->end[open] = (uint32_t)n;
	p->end[0] = (uint32_t)n;
}

static void list_beside(const struct fl_words *words, struct flame_gist *gist)
{
	const struct fl_word_work *works = words->tasks ? words->beside :
							  words->works;
	unsigned n = words->tasks ? words->nbeside : words->nworks;

	for (unsigned i = 0; i < n && i < FLAME_GIST_BESIDE; i++) {
		gist->beside[i].work = fl_works[works[i].row].words;
		gist->beside[i].weight = works[i].weight;
	}
}

static void answer(const struct fl_words *words, struct flame_gist *gist)
{
	int first = fl_words_first(words);

	list_beside(words, gist);
	gist->base = words->base;
	if (first >= 0) {
		gist->work = fl_works[words->works[first].row].words;
		gist->frame = words->works[first].what;
		gist->weight = words->works[first].weight;
	} else if (words->frame) {
		gist->frame = words->frame;
		gist->weight = words->frame_weight;
	} else {
		gist->frame = words->leaf;
		gist->weight = words->leaf_weight;
	}
}

int flame_nodes_gist(struct flame *flame, const struct flame_node *nodes,
		     size_t n, struct flame_gist *gist)
{
	struct fl_wording *wording = fl_wording_new(flame);
	struct part p = { 0 };
	struct fl_words words;
	int status = FLAME_FAILED;

	*gist = (struct flame_gist){ 0 };
	if (!wording || !reserve(&p, n)) {
		fl_no_memory(flame);
	} else {
		fill(&p, nodes, n);
		status = fl_wording_find(wording, &(struct fl_word_nodes){
			.count = (uint32_t)n, .name = p.name, .type = p.type,
			.parent = p.parent, .end = p.end, .self = p.self,
		}, &words);
	}
	if (status == FLAME_OK)
		answer(&words, gist);
	fl_wording_free(wording);
	free_part(&p);
	return status;
}
