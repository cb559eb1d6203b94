/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorder as three processes, where it has rights that its targets lack:
 *
 *	the parent	opens the kernel's events, moves records out of rings
 *			that fill up, and writes the output
 *	the parser	has no rights: it reads the records in the rings, and
 *			all that targets name or contain
 *	the opener	has the rights to read targets, opens files for the
 *			parser and sends it descriptors (target.c)
 *
 * The parser reads the rings where the kernel writes them, and its samples and
 * the names in them are in memory that it shares with its parent: a sample is
 * copied once, without a system call.  What a parser that died had not read yet
 * is read by the next.
 *
 *	apart.c		starts, watches and replaces both
 *	apart_stream.c	samples from the parser to the parent
 *	confine.c	drops rights
 */
#ifndef FL_SAMPLE_APART_H
#define FL_SAMPLE_APART_H

#include "sample/recorder.h"

enum {
	FL_MAX_UNREADABLE = 256,
	FL_STREAM_SIZE = 4 << 20,
	FL_MAX_TRACKED = 1 << 22	/* the kernel's largest pid */
};

/* Both processes write here: the parent trusts nothing in it. */
struct fl_shared {
	int stop;		/* by the parent: the recording is to end */
	int restarted;		/* by the parent: there was a parser before */
	int ready, ended, done;	/* by the parser: it has begun; has no more
				   samples; and has named all inlined functions */
	pid_t busy;		/* whose memory or files it reads; 0: none */
	int64_t since;
	struct fl_record_result result;
	double cpu;
	uint64_t head, tail;	/* of the stream: bytes ever written, read */
	unsigned nunreadable;
	pid_t unreadable[FL_MAX_UNREADABLE];
	uint64_t tracked[FL_MAX_TRACKED / 64];
	uint8_t stream[FL_STREAM_SIZE];
};

struct fl_our_ids {
	flame_id *data;
	size_t count, capacity;
};

struct fl_apart {
	struct fl_shared *shared;
	pid_t parser, opener;
	unsigned restarts;
	int64_t looked;		/* when the parser's time was; ns */
	int64_t cpu, moved;	/* its CPU time then; when that last grew */
	int64_t begun;		/* its CPU time when this process was begun */
	int64_t supervised;	/* when that was last; ns */
	int64_t give_up;	/* once a signal came; 0 */
	int64_t reaped;		/* CPU time of both, of those that ended */
	struct fl_record_result before;	/* of parsers that ended */
	/* The parser's ids -> ours. */
	struct fl_our_ids names, frames, stacks, labels;
	unsigned first_place;	/* of this parser's places among ours */
	struct fl_buf record;
};

/* apart.c: the parent */

/* Whether there are rights to be separated. */
bool fl_apart_is_useful(void);
/* Starts both; false: no memory, or no processes. */
bool fl_apart_start(struct fl_recorder *r);
/* A sample more, or FLAME_END. */
int fl_apart_read(struct fl_recorder *r, struct flame_source *source);
void fl_apart_close(struct fl_recorder *r);

/* apart.c: the parser; without one all of these do nothing */

/* What it reads now; 0: nothing of a process. */
void fl_apart_busy(pid_t pid);
bool fl_apart_is_unreadable(pid_t pid);
void fl_apart_track(pid_t pid, bool tracked);
/* Those that an earlier parser tracked, too. */
void fl_apart_find_tracked(struct fl_recorder *r);

/* apart_stream.c */

/* A sink of the parser's, into the stream. */
struct flame_sink *fl_stream_sink(struct flame *flame, struct fl_recorder *r,
				  struct fl_shared *shared);
void fl_stream_fact(struct fl_shared *shared, const struct flame_fact *fact);
/* The frames that inlined functions stand for. */
void fl_stream_places(struct flame_sink *sink);
void fl_stream_warn(void *shared, const char *text);

enum fl_stream_status { FL_STREAM_NONE, FL_STREAM_SAMPLE, FL_STREAM_DAMAGED };
/* Reads up to the next sample. */
enum fl_stream_status fl_stream_read(struct fl_recorder *r,
				     struct flame_source *source,
				     struct flame_sample *sample);

/* record.c: what the parser does. */
int fl_recorder_parse(struct fl_recorder *r, struct fl_shared *shared);
bool fl_recorder_command_ended(struct fl_recorder *r);
bool fl_recorder_begin(struct fl_recorder *r, struct flame *flame);
int fl_recorder_end(struct fl_recorder *r, struct flame_source *source);

/* confine.c */

/* Drops all rights but to descriptors; false: it could not. */
bool fl_confine_parser(const int *fds, size_t n);
/* All but those to read other processes. */
bool fl_confine_opener(int fd);

#endif
