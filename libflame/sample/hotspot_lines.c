/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of Java methods, read from the JVM's memory: fl_hotspot_line() finds
 * the line of a bytecode, and fl_hotspot_bci() the index of the bytecode at an
 * address.  A ConstMethod is followed by the bytecode and by a table of
 * (bytecode index, line), where the class file has one.  For hotspot_methods.c
 * and hotspot.c.
 */
#include "fl.h"

#include "sample/hotspot.h"

enum {
	HAS_LINES = 1,		/* in its flags */
	MAX_BYTES = 1 << 18	/* of a table */
};

/* Bytes of the target, from its memory block by block. */
struct bytes {
	const struct fl_hotspot *h;
	uint64_t at;		/* of what follows the block */
	uint8_t block[256];
	size_t next, size;
	size_t left;		/* of MAX_BYTES */
};

static bool next_byte(struct bytes *b, uint8_t *byte)
{
	if (!b->left--)
		return false;
	if (b->next == b->size) {
		/* Up to the end of an aligned block, which lies in one page. */
		b->size = sizeof(b->block) - (size_t)b->at % sizeof(b->block);
		b->next = 0;
		if (!fl_vm_read(b->h, b->at, b->block, b->size))
			return false;
		b->at += b->size;
	}
	*byte = b->block[b->next++];
	return true;
}

/* UNSIGNED5, with the sign in the lowest bit. */
static bool next_signed(struct bytes *b, int32_t *n)
{
	const uint32_t excess = (uint32_t)b->h->release->excess;
	uint32_t sum = 0;
	uint8_t byte;

	for (unsigned i = 0; i < 5; i++) {
		if (!next_byte(b, &byte) || byte < excess)
			return false;
		sum += (byte - excess) << (6 * i);
		if (byte < 192)
			break;
	}
	*n = (int32_t)(sum >> 1 ^ (0 - (sum & 1)));
	return true;
}

/* The line of the nearest entry before or at the index; 0: none. */
static uint32_t find_line(struct bytes *b, int32_t bci)
{
	int64_t at = 0, line = 0, best = -1;
	int64_t found = 0;
	int32_t more;
	uint8_t byte;

	while (next_byte(b, &byte) && byte) {
		if (byte != 0xff) {
			at += byte >> 3;
			line += byte & 7;
		} else {
			if (!next_signed(b, &more))
				break;
			at += more;
			if (!next_signed(b, &more))
				break;
			line += more;
		}
		if (at <= bci && at >= best) {
			best = at;
			found = line;
		}
		if (at == bci)
			break;
	}
	return found > 0 && found <= UINT16_MAX ? (uint32_t)found : 0;
}

uint32_t fl_hotspot_line(const struct fl_hotspot *h, uint64_t method,
			 int32_t bci)
{
	const struct fl_vm_layout *l = &h->layout;
	uint64_t at = fl_vm_word(h, method + (uint64_t)l->const_method);
	struct bytes bytes = { .h = h, .left = MAX_BYTES };
	uint16_t flags, size;

	if (l->method_flags < 0 || l->code_size < 0 || !l->size_of_method ||
	    !at ||
	    !fl_vm_read(h, at + (uint64_t)l->method_flags, &flags, 2) ||
	    !fl_vm_read(h, at + (uint64_t)l->code_size, &size, 2) ||
	    !(flags & HAS_LINES))
		return 0;
	/* -1: the entry of a synchronized method. */
	bci = FL_MAX(bci, 0);
	if (bci >= size)
		return 0;
	bytes.at = at + (uint64_t)l->size_of_method + size;
	return find_line(&bytes, bci);
}

int32_t fl_hotspot_bci(const struct fl_hotspot *h, uint64_t method,
		       uint64_t address)
{
	const struct fl_vm_layout *l = &h->layout;
	uint64_t at = fl_vm_word(h, method + (uint64_t)l->const_method);
	uint16_t size;

	at += (uint64_t)l->size_of_method;
	if (l->code_size < 0 || address < at ||
	    !fl_vm_read(h, at - (uint64_t)l->size_of_method +
			(uint64_t)l->code_size, &size, 2) ||
	    address - at >= size)
		return FL_NO_BCI;
	return (int32_t)(address - at);
}
