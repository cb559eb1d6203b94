/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call trees as nested objects: each node has a name, a value and children,
 * in any order.  All of a tree is read before its samples are known.
 */
#ifndef FL_JSON_TREE_H
#define FL_JSON_TREE_H

#include "format/json/source.h"

struct fl_json_node {
	uint32_t parent;	/* the root's is its own: 0 */
	flame_id name, file;
	int64_t line;
	enum flame_type type;
	int64_t value;
};

struct fl_json_tree;

struct fl_json_tree_kind {
	const char *children[2];	/* keys; the second may be NULL */
	/* The value of the key read last, as the node wants it, or skips it. */
	void (*field)(struct fl_json_tree *tree, struct fl_json_node *node);
	flame_id (*frame)(struct fl_json_tree *tree,
			  const struct fl_json_node *node);
	enum {
		FL_TREE_TOTALS,		/* a value includes its children's */
		FL_TREE_SELF,
		FL_TREE_EITHER		/* totals, if no child has more */
	} values;
	/* Whether the root is no frame; its self weight has no stack then. */
	bool (*drops_root)(struct fl_json_tree *tree,
			   const struct fl_json_node *root);
};

struct fl_json_tree {
	struct fl_json_source *js;
	const struct fl_json_tree_kind *kind;
	struct fl_json_node *nodes;	/* parents come first */
	size_t count, capacity;
	struct fl_buf buf;		/* for the kind */
	int64_t no_stack;		/* weight of roots that are no frames */
};

/*
 * Reads a tree whose FL_JSON_OBJECT was read last.  Of a tree that is cut
 * the nodes that were not read to their end are not nodes.
 */
void fl_json_tree_read(struct fl_json_tree *tree);
/* Adds its samples. */
void fl_json_tree_add(struct fl_json_tree *tree, flame_id metric);
/* Reports no_stack once, at the end of the source. */
void fl_json_tree_report(struct fl_json_tree *tree);
void fl_json_tree_free(struct fl_json_tree *tree);

/* A frame as py-spy spells it, "f (file.py:3)"; file may be empty, line 0. */
flame_id fl_json_python_frame(struct flame *flame, struct fl_buf *buf,
			      struct slice name, struct slice file,
			      int64_t line);

/* The next value as a name, if it is text; others are skipped. */
flame_id fl_json_name(struct fl_json_source *js);

#endif
