/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading one input with several threads.  The input is cut into parts of whole
 * records (fl_format.split), some for each round.  The caller's thread reads
 * the first part of a round, workers read the others; then the caller absorbs
 * their samples, in the order of the parts, and forwards them to the sink.  A
 * thread serves two workers in turn: it reads for the next round while the
 * caller absorbs this one.
 *
 * A part of mapped text is searched for packed members before it is read.  If
 * there is one, the input is cut again from that part on, by way of the
 * decoders.
 *
 * A worker has a source and a dictionary of its own, which last from part to
 * part.  So the order of samples does not depend on timing, and the only lock
 * guards the state of the workers.
 */
#include "fl.h"

#include "flow/flow.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum {
	PART_BYTES = 2 << 20,	/* about, */
	MIN_PART_SHARE = 8,	/* and one in so many at least */
	/* Unmapping stops all threads: do it seldom. */
	RELEASE_BYTES = 16 << 20,
	MAX_PART_BYTES = 64 << 20,	/* a longer record: no parts */
	MAX_WORKERS = 64
};

/* Bytes of a part: the input's, or a copy if the input reuses its buffer. */
struct part {
	struct slice text;
	size_t behind;		/* bytes of the input after the part */
	bool watched;		/* a packed member may begin in it */
	char *copy;
	size_t capacity;
};

struct worker {
	struct parts *parts;
	pthread_t thread;	/* shared with `other` */
	struct worker *other;	/* of the same thread */
	struct flame *flame;
	struct flame_source *source;
	struct fl_absorbed map;	/* ids of flame -> of the caller's */

	enum { IDLE, BUSY, DONE } turn;	/* under the lock */

	const struct part *part;
	bool packed;		/* holds a packed member: nothing was read */
	int64_t took;		/* ns */
	struct fl_sample_buffer samples;
	int status;
};

struct round {
	struct part own, part[MAX_WORKERS];
	unsigned count;		/* of parts for workers */
	bool some;		/* `own` holds a part */
};

struct parts {
	struct flame_source *source;
	const char *name;	/* of the input */
	struct flame_sink *sink;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool quit;		/* under the lock */
	struct round rounds[2];	/* this one and the next */
	uint64_t released;	/* offset in the input */
	bool blind; /* parts are cut before packed members are sought */
	bool packed;		/* a part holds one */
	size_t ahead;		/* bytes cut and not forwarded yet */
	size_t part;		/* bytes of workers' parts, about */
	size_t own;		/* and of the caller's */
	unsigned nthreads;
	struct worker workers[2][MAX_WORKERS];	/* of even and odd rounds */
};

static bool is_plain(const struct part *part)
{
	size_t n = part->text.size;

	return !part->watched ||
	       fl_decoder_scan((const uint8_t *)part->text.data, n,
			       n + part->behind, true) == n;
}

/* In a worker ----------------------------------------------------------- */

static int read_part(struct worker *w)
{
	struct flame_source *source = w->source;
	struct flame_sample sample;
	int status;

	w->packed = !is_plain(w->part);
	if (w->packed)
		return FLAME_OK;
	fl_in_close(source->in);
	source->in = fl_in_memory(w->flame, w->part->text.data,
				  w->part->text.size, w->parts->name);
	if (!source->in)
		return FLAME_FAILED;
	fl_source_resume(source);
	while ((status = flame_next(source, &sample)) == FLAME_OK)
		if (fl_sample_buffer_add(w->flame, &w->samples, &sample) !=
		    FLAME_OK)
			return FLAME_FAILED;
	return status == FLAME_END ? FLAME_OK : FLAME_FAILED;
}

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct parts *p = w->parts;

	pthread_mutex_lock(&p->lock);
	for (;;) {
		while (w->turn != BUSY && w->other->turn != BUSY && !p->quit)
			pthread_cond_wait(&p->changed, &p->lock);
		if (p->quit)
			break;
		if (w->turn != BUSY)
			w = w->other;
		pthread_mutex_unlock(&p->lock);
		w->took = -now();
		w->status = read_part(w);
		w->took += now();
		pthread_mutex_lock(&p->lock);
		w->turn = DONE;
		pthread_cond_broadcast(&p->changed);
		w = w->other;
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

/* In the caller's thread ------------------------------------------------- */

static void set_turn(struct worker *w, int turn)
{
	pthread_mutex_lock(&w->parts->lock);
	w->turn = turn;
	pthread_cond_broadcast(&w->parts->changed);
	pthread_mutex_unlock(&w->parts->lock);
}

static void await(struct worker *w)
{
	pthread_mutex_lock(&w->parts->lock);
	while (w->turn == BUSY)
		pthread_cond_wait(&w->parts->changed, &w->parts->lock);
	pthread_mutex_unlock(&w->parts->lock);
}

/* Consumes a part that was forwarded. */
static void consume(struct parts *p, const struct part *part)
{
	if (!p->blind)
		return;
	fl_in_skip(p->source->in, part->text.size);
	p->ahead -= part->text.size;
}

/* Reads a part with the caller's own source. */
static int read_here(struct parts *p, const struct part *part)
{
	struct flame_source *source = p->source;
	struct fl_in *in = source->in;
	struct flame_sample sample;
	int status = FLAME_OK;

	p->packed = !is_plain(part);
	if (p->packed)
		return FLAME_OK;
	source->in = fl_in_memory(source->flame, part->text.data,
				  part->text.size, fl_in_name(in));
	if (source->in) {
		source->part = true;
		fl_source_resume(source);
		while (status == FLAME_OK &&
		       (status = flame_next(source, &sample)) == FLAME_OK)
			status = fl_deliver(source, p->sink, &sample);
		fl_in_close(source->in);
		source->part = false;
	}
	source->in = in;
	fl_source_resume(source);
	consume(p, part);
	return status == FLAME_END ? FLAME_OK : FLAME_FAILED;
}

/* Drops the samples of a part, which is read again. */
static void drop(struct parts *p, struct worker *w)
{
	fl_dict_reset(w->flame);
	p->source->format->fork(p->source, w->source);
}

/*
 * Reads a part that a worker failed on with the caller's source: it fails too,
 * and reports why, or it knows of an earlier part what the worker lacked.
 */
static int read_again(struct parts *p, struct worker *w)
{
	drop(p, w);
	return read_here(p, w->part);
}

static int forward(struct parts *p, struct worker *w)
{
	int status = fl_sample_buffer_forward(w->flame, &w->samples, &w->map,
					      p->source, p->sink);

	p->source->format->join(p->source, w->source);
	consume(p, w->part);
	return status;
}

/* Forwards the samples of a worker's part to the sink. */
static int collect(struct parts *p, struct worker *w)
{
	int status = FLAME_OK;

	await(w);
	if (w->turn == IDLE)
		return FLAME_OK;
	p->packed = p->packed || w->packed;
	if (p->packed)
		drop(p, w);
	else
		status = w->status == FLAME_OK ? forward(p, w) :
						 read_again(p, w);
	fl_sample_buffer_clear(&w->samples);
	set_turn(w, IDLE);
	return status;
}

/*
 * Cuts the next part of whole records, of about `want` bytes.  false: the input
 * has less, or no memory.
 */
static bool next_part(struct parts *p, size_t want, struct part *part)
{
	struct fl_in *in = p->source->in;
	struct slice *text = &part->text;
	size_t avail;

	for (text->size = 0; !text->size; want *= 4) {
		text->data =
			(const char *)(p->blind ? fl_in_lookahead(
							  in, p->ahead, &avail,
							  &part->watched) :
						  fl_in_peek(in, want, &avail));
		if (avail < want || want > MAX_PART_BYTES)
			return false;
		text->size = p->source->format->split(text->data, want);
	}
	if (p->blind) {
		part->behind = avail - text->size;
		p->ahead += text->size;
		return true;
	}
	part->watched = false;
	if (!fl_in_is_stable(in)) {
		if (!fl_grow(&part->copy, &part->capacity, text->size, 1)) {
			fl_no_memory(p->source->flame);
			return false;
		}
		memcpy(part->copy, text->data, text->size);
		text->data = part->copy;
	}
	fl_in_consume(in, text->size);
	return true;
}

static size_t min_size(const struct parts *p)
{
	return FL_MAX(p->part / MIN_PART_SHARE, (size_t)1);
}

/* Workers start with what the caller's source learnt from the first part. */
static int read_first(struct parts *p)
{
	struct part *part = &p->rounds[0].own;

	return next_part(p, min_size(p), part) ? read_here(p, part) :
						    FLAME_END;
}

static bool make_worker(struct parts *p, struct worker *w)
{
	struct flame_source *source = p->source;
	struct fl_asked asked = { .options = NULL };

	w->parts = p;
	w->flame = flame_new();
	if (!w->flame)
		return false;
	w->source = flame_open_memory(w->flame, "", 0, fl_in_name(source->in),
				      source->format->name);
	if (!w->source || !fl_asked_copy(w->flame, &asked, source)) {
		fl_asked_free(&asked);
		return false;
	}
	fl_asked_move(&asked, w->source);
	w->source->start = source->start;
	w->source->end = source->end;
	w->source->part = true;
	return source->format->fork(source, w->source);
}

static bool start_worker(struct parts *p, unsigned i)
{
	struct worker *w = &p->workers[0][i], *other = &p->workers[1][i];

	if (!make_worker(p, w) || !make_worker(p, other))
		return false;
	w->other = other;
	other->other = w;
	return pthread_create(&w->thread, NULL, work, w) == 0;
}

/* Parts get smaller towards the end, so that all threads end together. */
static size_t size_of_part(const struct parts *p, size_t size)
{
	bool watched;
	size_t left;

	if (!p->blind)
		return size;
	fl_in_lookahead(p->source->in, p->ahead, &left, &watched);
	return FL_MAX(FL_MIN(size, left / (2 * (p->nthreads + 1))),
		      min_size(p));
}

static void cut_round(struct parts *p, struct round *round)
{
	size_t own = size_of_part(p, p->own);
	size_t part = size_of_part(p, p->part);

	round->count = 0;
	round->some = next_part(p, own, &round->own);
	while (round->some && round->count < p->nthreads &&
	       next_part(p, part, &round->part[round->count]))
		round->count++;
}

/*
 * The caller also absorbs, so its parts are smaller: sizes them so that nobody
 * waits.  The result does not depend on where parts are cut.
 */
static void adapt_own_size(struct parts *p, const struct round *round,
			   const struct worker *w, int64_t took)
{
	double rate, own;

	if (!round->count || took <= 0)
		return;
	rate = (double)round->own.text.size / (double)took;
	own = rate * (double)w->took * (double)p->part /
	      (double)w->part->text.size;
	own = (own + (double)p->own) / 2;
	p->own = FL_MIN(FL_MAX((size_t)own, min_size(p)), 2 * p->part);
}

/* Unmaps read parts, which takes a while, when the workers have work. */
static void release(struct parts *p)
{
	uint64_t done = fl_in_offset(p->source->in);

	if (!p->blind || done < p->released + RELEASE_BYTES)
		return;
	fl_in_release(p->source->in, done);
	p->released = done;
}

static void start_round(struct parts *p, struct round *round,
			struct worker *workers)
{
	cut_round(p, round);
	for (unsigned i = 0; i < round->count; i++) {
		workers[i].part = &round->part[i];
		set_turn(&workers[i], BUSY);
	}
}

/* Workers got their parts of this round while the last one was read. */
static int read_round(struct parts *p, unsigned number)
{
	struct round *round = &p->rounds[number % 2];
	struct worker *workers = p->workers[number % 2];
	unsigned next = (number + 1) % 2;
	int64_t took;
	int status;

	start_round(p, &p->rounds[next], p->workers[next]);
	release(p);
	took = -now();
	status = read_here(p, &round->own);
	took += now();
	for (unsigned i = 0; i < round->count && status == FLAME_OK; i++)
		status = collect(p, &workers[i]);
	if (status == FLAME_OK)
		adapt_own_size(p, round, workers, took);
	return status;
}

/* Drops the parts of a round that workers have begun. */
static void cancel_round(struct parts *p, unsigned number)
{
	for (unsigned i = 0; i < p->nthreads; i++)
		collect(p, &p->workers[number % 2][i]);
	p->blind = p->packed = false;
	p->ahead = 0;
}

static int read_all(struct parts *p)
{
	int status = FLAME_OK;

	p->blind = fl_in_is_stable(p->source->in);
	start_round(p, &p->rounds[0], p->workers[0]);
	for (unsigned i = 0; status == FLAME_OK && p->rounds[i % 2].some; i++) {
		status = read_round(p, i);
		if (status == FLAME_OK && p->packed) {
			cancel_round(p, i + 1);
			start_round(p, &p->rounds[(i + 1) % 2],
				    p->workers[(i + 1) % 2]);
		}
	}
	return fl_failed(p->source->flame) ? FLAME_FAILED : status;
}

static void free_worker(struct worker *w)
{
	flame_close(w->source);
	flame_free(w->flame);
	fl_absorbed_free(&w->map);
	fl_sample_buffer_free(&w->samples);
}

static void free_workers(struct parts *p)
{
	/* One more may have been begun. */
	unsigned n = FL_MIN(p->nthreads + 1, (unsigned)MAX_WORKERS);

	for (unsigned i = 0; i < n; i++) {
		free_worker(&p->workers[0][i]);
		free_worker(&p->workers[1][i]);
	}
}

/* Starts as many workers as can be had; with none the caller reads all. */
static void start(struct parts *p, unsigned wanted)
{
	while (p->nthreads < wanted && start_worker(p, p->nthreads))
		p->nthreads++;
}

static void stop(struct parts *p)
{
	pthread_mutex_lock(&p->lock);
	p->quit = true;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
	for (unsigned i = 0; i < p->nthreads; i++)
		pthread_join(p->workers[0][i].thread, NULL);
	free_workers(p);
}

/* Parts cannot serve options that need samples in order, or all of them. */
static bool is_wanted(struct flame_source *source)
{
	const struct fl_select *select = &source->select;
	uint64_t size;

	return source->flame->threads > 1 && source->format->split &&
	       !select->survey && !(select->needs & FL_NEED_ORDER) &&
	       (!fl_in_size(source->in, &size) ||
		size >= 2 * fl_parallel_size(source->flame, PART_BYTES)) &&
	       source->format->fork(source, NULL);
}

int fl_pump_parts(struct flame_source *source, struct flame_sink *sink)
{
	struct parts *p;
	int status;

	if (!is_wanted(source))
		return FLAME_OK;
	p = fl_zeroed(1, sizeof(*p));
	if (!p)
		return fl_no_memory(source->flame);
	p->source = source;
	p->name = fl_in_name(source->in);
	p->sink = sink;
	p->part = fl_parallel_size(source->flame, PART_BYTES);
	p->own = p->part / 2;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->changed, NULL);
	status = read_first(p);
	if (status == FLAME_OK)
		start(p, FL_MIN(source->flame->threads - 1,
				(unsigned)MAX_WORKERS));
	if (p->nthreads)
		status = read_all(p);
	stop(p);
	pthread_mutex_destroy(&p->lock);
	pthread_cond_destroy(&p->changed);
	for (unsigned i = 0; i < 2; i++) {
		fl_free(p->rounds[i].own.copy);
		for (unsigned j = 0; j < p->nthreads; j++)
			fl_free(p->rounds[i].part[j].copy);
	}
	fl_free(p);
	return status == FLAME_END ? FLAME_OK : status;
}
