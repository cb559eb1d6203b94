/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call trees as nested objects: each node has a name, a value and children,
 * in any order.  All of a tree is read before its samples are known.
 */
#ifndef FL_JSON_TREE_H
#define FL_JSON_TREE_H

#include "format/json/fields.h"

struct fl_json_node {
	uint32_t parent;	/* the root's is its own: 0 */
	flame_id name, file;
	enum flame_type type;
	int64_t line, value;
	int64_t id;		/* -1: none */
};

struct fl_json_tree;

struct fl_json_tree_kind {
	const struct fl_json_field *fields;	/* of struct fl_json_node */
	flame_id (*frame)(struct fl_json_tree *tree,
			  const struct fl_json_node *node);
	enum {
		FL_TREE_TOTALS,		/* a value includes its children's */
		FL_TREE_SELF,
		FL_TREE_EITHER		/* totals, if no child has more */
	} values;
	/* Whether the root is not a frame: its self weight has no stack. */
	bool (*drops_root)(struct fl_json_tree *tree,
			   const struct fl_json_node *root);
};

struct fl_json_tree {
	struct fl_json_source *js;
	const struct fl_json_tree_kind *kind;
	const struct fl_json_field *hint;
	struct fl_json_node *nodes;	/* parents come first */
	size_t count, capacity;
	struct fl_buf buf;		/* for the kind */
	int64_t no_stack;		/* of roots that are not frames */
};

/* The row of the key under which a node has its children. */
#define FL_JSON_CHILDREN(key) \
	FL_FIELD_CALL(key, VALUE, fl_json_tree_children)
void fl_json_tree_children(struct fl_json_source *js, void *node);

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

#endif
