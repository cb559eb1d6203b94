/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores stacks as a trie of frame numbers, for readers of JSON whose frames
 * may come after their samples.  fl_frame_trie_add() and fl_frame_trie_read()
 * return the node of a stack; once the frames are known, fl_frame_trie_stacks()
 * returns the dictionary's stack of each node.
 */
#include "fl.h"

#include "format/json/frame_trie.h"

/* Texts of arrays that are remembered; others are read each by itself. */
enum { MAX_KNOWN_BYTES = 64 << 20 };

static bool no_memory(struct flame *flame)
{
	fl_no_memory(flame);
	return false;
}

bool fl_frame_trie_clear(struct flame *flame, struct fl_frame_trie *trie)
{
	trie->count = 1;
	trie->nlast = trie->ntexts = 0;
	fl_map_clear(&trie->ids);
	fl_map_clear(&trie->known);
	fl_arena_free(&trie->arena);
	memset(&trie->arena, 0, sizeof(trie->arena));
	if (!fl_grow(&trie->nodes, &trie->capacity, 1, sizeof(*trie->nodes)))
		return no_memory(flame);
	trie->nodes[0] = (struct fl_frame_node){ 0, 0 };
	return true;
}

void fl_frame_trie_free(struct fl_frame_trie *trie)
{
	fl_free(trie->nodes);
	fl_map_free(&trie->ids);
	fl_free(trie->last);
	fl_free(trie->last_nodes);
	fl_map_free(&trie->known);
	fl_free(trie->texts);
	fl_arena_free(&trie->arena);
	fl_buf_free(&trie->text);
	fl_free(trie->frames.data);
}

bool fl_frame_trie_add(struct flame *flame, struct fl_frame_trie *trie,
		       uint32_t parent, uint32_t frame, uint32_t *node)
{
	bool fresh;
	uint64_t *id = fl_map_put(&trie->ids, (uint64_t)parent << 32 | frame,
				  &fresh);

	if (!id)
		return no_memory(flame);
	if (fresh) {
		if (!fl_grow(&trie->nodes, &trie->capacity, trie->count + 1,
			     sizeof(*trie->nodes)))
			return no_memory(flame);
		trie->nodes[trie->count] =
			(struct fl_frame_node){ parent, frame };
		*id = trie->count++;
	}
	*node = (uint32_t)*id;
	return true;
}

/* The node of the array that was read. */
static bool find_stack(struct fl_frame_trie *t, struct fl_json_source *js,
		       uint32_t *node)
{
	const uint32_t *frames = t->frames.data;
	size_t n = t->frames.count, i = 0;

	if (!fl_grow(&t->last, &t->last_capacity, n, sizeof(*t->last)) ||
	    !fl_grow(&t->last_nodes, &t->last_nodes_capacity, n,
		     sizeof(*t->last_nodes)))
		return no_memory(js->flame);
	while (i < n && i < t->nlast && frames[i] == t->last[i])
		i++;
	*node = i ? t->last_nodes[i - 1] : 0;
	for (; i < n; i++) {
		if (frames[i] == FL_JSON_NO_INTEGER) {
			fl_json_bad(js, "a stack with something else than "
				    "numbers of frames");
			t->nlast = i;
			*node = 0;
			return true;
		}
		if (!fl_frame_trie_add(js->flame, t, *node, frames[i], node))
			return false;
		t->last[i] = frames[i];
		t->last_nodes[i] = *node;
	}
	t->nlast = n;
	return true;
}

static void remember(struct fl_frame_trie *t, struct flame *flame,
		     uint64_t hash, uint32_t node)
{
	struct slice text = { t->text.data ? t->text.data : "", t->text.size };
	uint64_t *id;
	char *copy;

	if (t->arena.total > MAX_KNOWN_BYTES || text.size > UINT32_MAX)
		return;
	copy = fl_arena_copy(&t->arena, text.data, text.size);
	id = copy ? fl_map_put(&t->known, hash, NULL) : NULL;
	if (!id || !fl_grow(&t->texts, &t->texts_capacity, t->ntexts + 1,
			    sizeof(*t->texts))) {
		no_memory(flame);
		return;
	}
	t->texts[t->ntexts] = (struct fl_known_array){
		copy, (uint32_t)text.size, node
	};
	*id = t->ntexts++;
}

static const struct fl_known_array *find_known(const struct fl_frame_trie *t,
					       uint64_t hash,
					       struct slice text)
{
	const uint64_t *id = fl_map_get(&t->known, hash);
	const struct fl_known_array *known = id ? &t->texts[*id] : NULL;

	return known && known->size == text.size &&
	       memcmp(known->text, text.data, text.size) == 0 ? known : NULL;
}

/* Most arrays have the same text as one before. */
bool fl_frame_trie_read(struct fl_frame_trie *t, struct fl_json_source *js,
			uint32_t *node)
{
	struct slice text = { NULL, 0 };
	const struct fl_known_array *known = NULL;
	uint64_t bad = js->bad, hash = 0;
	bool flat = fl_json_peek_array(&js->json, &text);

	if (flat) {
		hash = fl_hash(text.data, text.size);
		known = find_known(t, hash, text);
	}
	if (known) {
		fl_json_end_array(&js->json, text);
		*node = known->node;
		return true;
	}
	t->text.size = 0;
	fl_buf_put(&t->text, text.data, text.size);
	if (!fl_json_integers(&js->json, &t->frames) ||
	    !find_stack(t, js, node))
		return false;
	/* Numbers alone, so that the first ] is the array's end. */
	if (flat && bad == js->bad && !t->text.failed)
		remember(t, js->flame, hash, *node);
	return true;
}

flame_id *fl_frame_trie_stacks(struct flame *flame,
			       const struct fl_frame_trie *trie,
			       const flame_id *frames, size_t nframes)
{
	flame_id *stacks = fl_zeroed(trie->count, sizeof(*stacks));

	if (!stacks)
		fl_no_memory(flame);
	for (size_t i = 1; stacks && i < trie->count; i++) {
		const struct fl_frame_node *node = &trie->nodes[i];

		if (node->frame < nframes && frames[node->frame] &&
		    (!node->parent || stacks[node->parent]))
			stacks[i] = flame_stack(flame, stacks[node->parent],
						frames[node->frame]);
	}
	return stacks;
}
