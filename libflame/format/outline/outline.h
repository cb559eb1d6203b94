/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outline: trees that are printed a line a node.
 *
 *	outline.c	the path to the last node, and what nodes weigh
 *	ghc.c		profiles of GHC
 *	graal.c		what GraalVM's CPU sampler prints
 *	instruments.c	call trees of macOS's Instruments
 *	massif.c	heap profiles of massif
 *	node_prof.c	what node --prof-process prints
 *	pmcstat.c	call graphs of FreeBSD's pmcstat
 *	tree.c		any, as text or CSV; tree_xml.c as XML
 *	vsprof.c	call trees of Visual Studio
 */
#ifndef FL_OUTLINE_H
#define FL_OUTLINE_H

#include "format/format.h"

enum { FL_OUTLINE_VALUES = 2 };

struct fl_outline_node {
	uint64_t depth;
	flame_id frame;		/* 0: a line that was lost */
	flame_id stack;		/* of it and its parents; not bottom_up */
	int64_t weight[FL_OUTLINE_VALUES];
	int64_t below[FL_OUTLINE_VALUES];	/* the sum of its children */
};

/* The state of readers of such trees begins with this. */
struct fl_outline {
	struct fl_line_reader base;
	bool bottom_up;		/* children are callers */
	bool self;		/* weights do not include the children's */
	unsigned nvalues;
	flame_id metric[FL_OUTLINE_VALUES];
	flame_id thread;	/* of the tree; 0: not known */
	struct fl_outline_node *nodes;	/* from a root to the last node */
	size_t count, capacity;
	uint64_t exceeding, first_exceeding;	/* children above parents */
};

/*
 * A node below the last one that is less deep; those that are not are closed.
 */
void fl_outline_add(struct fl_outline *o, uint64_t depth, flame_id frame,
		    const int64_t *weight);
/* Closes all nodes: the tree has ended. */
void fl_outline_end(struct fl_outline *o);
/*
 * For a format's read: fl_outline_read reports losses at the end, and
 * fl_outline_read_nodes leaves that to its caller.
 */
int fl_outline_read_nodes(struct fl_outline *o, fl_accept_line *accept);
int fl_outline_read(struct fl_outline *o, fl_accept_line *accept);
/* A format's release: of a state that begins with a struct fl_outline. */
void fl_outline_free(void *state);

/* The frame of a name; "" is none. */
flame_id fl_outline_frame(struct fl_outline *o, struct slice name,
			  struct slice file, enum flame_type type);

/*
 * tree.c: options of call trees of any kind, as text or XML, which are read
 * when they are asked for: their probe says that no input is one.
 */
struct fl_outline_options {
	char *name, *weight;	/* NULL: known names are tried */
	bool self;		/* weights are of nodes alone */
};

extern const struct fl_option_table fl_outline_option_table;
int fl_outline_probe_none(const uint8_t *head, size_t n, bool whole);

#endif
