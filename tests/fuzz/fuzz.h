/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzing: a target is a name and a function of arbitrary bytes.  It must
 * return, whatever they are, and leak nothing; FUZZ_HOLDS checks what else
 * must be true.
 *
 *	targets.c	all targets; those of readers and of decoders are
 *			the rows of the library's own tables
 *	fuzz_*.c	the functions, a file each
 *	check.c		invariants of every dictionary and layout
 *	libfuzzer.c	one target under libFuzzer
 *	replay.c	all of them over files, under make check
 */
#ifndef FUZZ_H
#define FUZZ_H

#include "fl.h"

#include "flow/flow.h"
#include "tree/tree.h"

struct fuzz_target {
	const char *name;
	void (*run)(const struct fuzz_target *target, const uint8_t *data,
		    size_t size);
	const struct fl_format *format;		/* of a reader */
};

/* false: past the last. */
bool fuzz_target(unsigned index, struct fuzz_target *target);
bool fuzz_target_named(const char *name, struct fuzz_target *target);

typedef void fuzz_run(const struct fuzz_target *target, const uint8_t *data,
		      size_t size);
fuzz_run fuzz_reader, fuzz_decoder, fuzz_detect, fuzz_filter, fuzz_select,
	fuzz_regex, fuzz_roundtrip, fuzz_names, fuzz_plain, fuzz_tree, fuzz_page,
	fuzz_json, fuzz_merge, fuzz_packed, fuzz_protobuf, fuzz_spark;

#ifdef HAVE_SAMPLER
fuzz_run fuzz_cfi, fuzz_cpython, fuzz_elf, fuzz_hotspot, fuzz_ring,
	fuzz_stream, fuzz_symbols;
#endif

#define FUZZ_HOLDS(fact) ((fact) ? (void)0 : \
	fuzz_broken(#fact, __FILE__, __LINE__))

_Noreturn void fuzz_broken(const char *fact, const char *file, int line);

enum { FUZZ_MEMORY = 64 << 20 };	/* a dictionary's limit */

/* With a memory limit; messages are checked. */
struct flame *fuzz_flame(void);
/* Runs the target, and checks that it freed all memory. */
void fuzz_once(const struct fuzz_target *target, const uint8_t *data,
	       size_t size);
/* Ids point into their tables, parents are smaller than children. */
void fuzz_flame_holds(const struct flame *flame);
/* Checks samples and forwards them (next NULL: adds them up). */
struct flame_sink *fuzz_watch(struct flame *flame, struct flame_sink *next,
			      int64_t *sum);
/* A writer into memory. */
struct flame_sink *fuzz_writer(struct flame *flame, const char *format,
			       struct fl_buf *out);
/* Puts the filter in front if it can be made; else nothing changes. */
struct flame_sink *fuzz_front(struct flame_sink *sink, const char *name,
			      const char *arg);
/* Text in a format, read into the sink; both statuses are good. */
int fuzz_read(struct flame *flame, const void *at, size_t size,
	      const char *format, struct flame_sink *sink);
/* Sums, order and places of a layout. */
void fuzz_layout_holds(const struct flame *flame, const struct fl_layout *l);
/* Whether no decoder reads text as packed. */
bool fuzz_is_plain(const void *at, size_t size);
/* Cuts off the first line, which ends in NUL in a copy; NULL: none left. */
char *fuzz_line(struct slice *rest);

#endif
