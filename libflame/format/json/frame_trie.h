/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks as a trie of numbers of frames, for formats whose frames may come
 * after their samples.  Each node is a stack; 0 is the empty one.
 */
#ifndef FL_FRAME_TRIE_H
#define FL_FRAME_TRIE_H

#include "format/json/source.h"

struct fl_frame_trie {
	struct fl_frame_node {
		uint32_t parent, frame;		/* the parent's is smaller */
	} *nodes;
	size_t count, capacity;
	struct fl_map ids;		/* (parent, frame) -> node */
	/* The stack that was found last: most begin as the one before. */
	uint32_t *last, *last_nodes;
	size_t nlast, last_capacity, last_nodes_capacity;
	/* Arrays of the input, by a hash of their bytes, and their nodes. */
	struct fl_map known;
	struct fl_known_array {
		const char *text;
		uint32_t size, node;
	} *texts;
	size_t ntexts, texts_capacity;
	struct fl_arena arena;		/* of texts */
	struct fl_buf text;
	struct fl_json_integers frames;
};

/* Zeroed memory becomes a trie with the empty stack alone, or one does again. */
bool fl_frame_trie_clear(struct flame *flame, struct fl_frame_trie *trie);
void fl_frame_trie_free(struct fl_frame_trie *trie);

/* The node of a frame on top of a stack.  false: out of memory. */
bool fl_frame_trie_add(struct flame *flame, struct fl_frame_trie *trie,
		       uint32_t parent, uint32_t frame, uint32_t *node);
/*
 * Reads an array of numbers of frames, the outermost first, whose
 * FL_JSON_ARRAY was read last.  One with something else in it is counted as
 * left out, and its node is 0.  false: out of memory, or the parser failed.
 */
bool fl_frame_trie_read(struct fl_frame_trie *trie, struct fl_json_source *js,
			uint32_t *node);
/*
 * The stack of each node; 0 where a frame is out of range, or is 0.  The caller
 * frees it with fl_free; NULL with fl_no_memory.
 */
flame_id *fl_frame_trie_stacks(struct flame *flame,
			       const struct fl_frame_trie *trie,
			       const flame_id *frames, size_t nframes);

#endif
