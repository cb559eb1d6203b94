/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of an input, for in.c (files, pipes, memory) and layer.c (inputs
 * that unpack others).
 */
#ifndef FL_IO_INPUT_H
#define FL_IO_INPUT_H

#include "io/io.h"
#include "io/mapped.h"

#include <sys/types.h>

struct fl_in {
	struct flame *flame;
	char *name;
	const uint8_t *at;	/* the next byte */
	size_t left;		/* bytes to peek at */
	uint64_t offset;	/* of the next byte */
	bool ended;		/* nothing follows after `left` */

	/* Watched text: `hidden` bytes after `left` are not scanned yet. */
	bool watched;
	bool line;		/* a line begins after `left` */
	bool turned;		/* a packed member begins after `left` */
	bool below;		/* a layer reads this input */
	bool dry;		/* nothing follows after `hidden` */
	size_t hidden;

	bool small;		/* see fl_in_use_small_buffers */
	const char *damage;
	size_t max_line;	/* in bytes */
	bool refused;		/* see fl_in_refuse */
	char text[192];		/* of the damage */

	/* Memory and mapped files have `all` set. */
	const uint8_t *all;
	size_t size;		/* if `sized` */
	bool sized;
	off_t start;		/* offset of stdin when it was opened */
	struct fl_mapped map;	/* begins `start` bytes before `all` */
	size_t released;

	/* Files, pipes and layers. */
	uint8_t *buffer;
	size_t capacity;
	size_t wanted;		/* bytes that a peek waits for */
	const struct fl_transfer *transfer;	/* NULL: none */
	void *transferred;	/* its state */
	const struct fl_container *container;	/* it is a member; NULL: no */
	void *container_state;
	int fd;			/* -1: none */
	int stop;		/* readable: stop waiting; -1: none */
	uint64_t nread;		/* bytes of the file or pipe */
	struct fl_read_ahead *ahead;	/* a thread that reads the layer */
	struct fl_in *under;
	const struct fl_decoder *decoder;	/* NULL: plain bytes */
	void *state;
	uint64_t unpacked;
};

/* NULL: out of memory. */
struct fl_in *fl_in_new(struct flame *flame, const char *name);
/* By the name that may be shown. */
struct fl_in *fl_in_new_shown(struct flame *flame, const char *path);

/* layer.c: the damage of a bomb. */
extern const char fl_layer_bomb[];
/* A layer with a decoder's state; NULL: out of memory. */
struct fl_in *fl_layer_over(struct fl_in *under,
			    const struct fl_decoder *decoder, void *state);
/* Shows all hidden bytes. */
void fl_layer_stop_watching(struct fl_in *in);
/*
 * Scans hidden bytes and shows those before a packed member.  FL_BID_BYTES stay
 * hidden while more may come, so that decoders can bid.
 */
void fl_layer_show(struct fl_in *in);
/*
 * Turns an input with a packed member after `left` into a layer over itself,
 * so that the next bytes come from the decoder.
 */
bool fl_layer_make(struct fl_in *in);
/* Unpacked bytes; 0: the end, or damage. */
size_t fl_layer_read(struct fl_in *in, uint8_t *to, size_t capacity);
void fl_layer_end_part(struct fl_in *in);

#endif
