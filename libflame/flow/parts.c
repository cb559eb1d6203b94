/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading with several threads.  The input is cut into parts of whole
 * records (fl_format.split).  Of each round the caller's thread reads the
 * first part itself and workers the others; then it takes what became of
 * these, in their order, into its own dictionary and on into the sink.  A
 * worker's thread has two to serve, in turns, so that it reads for the next
 * round while the caller takes what it has read for this one.
 *
 * Whoever reads a part of mapped text looks for packed members in it first.
 * Where there is one, all from that part on is cut anew, now of bytes that
 * the input shows as plain.
 *
 * A worker reads with a source and a dictionary of its own, which last from
 * part to part.  So what the sink sees does not depend on how fast anybody
 * was, and one lock is all there is: it guards whose turn a worker is.
 */
#include "fl.h"

#include "flow/flow.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum {
	PART = 2 << 20,		/* bytes, about */
	LEAST = 256 << 10,
	/* All threads wait where one gives memory back. */
	FORGET = 16 << 20,
	WIDEST = 64 << 20,	/* no record ends in so many: no parts */
	MOST = 64		/* workers */
};

/* Bytes of a part: the input's, or a copy where these would not stay. */
struct part {
	struct slice text;
	size_t behind;		/* more bytes there are */
	bool watched;		/* there may be a packed member */
	char *copy;
	size_t room;
};

struct worker {
	struct parts *parts;
	pthread_t thread;	/* of both, begun by the first */
	struct worker *other;	/* of the same thread */
	struct flame *flame;
	struct flame_source *source;
	struct fl_absorbed map;	/* ids of flame -> of the caller's */

	/* Whose turn it is; under the lock. */
	enum { IDLE, BUSY, DONE } turn;

	const struct part *part;
	bool packed;		/* nothing was read: there is a member */
	int64_t took;		/* ns */
	struct fl_sample_buffer kept;
	int status;
};

struct round {
	struct part own, part[MOST];
	unsigned n;		/* parts for workers */
	bool some;		/* there is one for the caller */
};

struct parts {
	struct flame_source *source;
	const char *name;	/* of its input */
	struct flame_sink *sink;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool quit;		/* under the lock */
	struct round rounds[2];	/* this one and the next */
	uint64_t forgotten;	/* of the input: up to here */
	bool blind;		/* parts were not looked at when they were cut */
	bool packed;		/* and one is not plain */
	size_t ahead;		/* bytes cut and not taken yet */
	size_t own;		/* bytes of the caller's parts, about */
	unsigned n;		/* threads */
	struct worker workers[2][MOST];	/* of even and odd rounds */
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
	source->format->resume(source);
	while ((status = flame_next(source, &sample)) == FLAME_OK)
		if (fl_sample_buffer_add(w->flame, &w->kept, &sample) !=
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

static void give_turn(struct worker *w, int turn)
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

/* What of the input was in a part that is done. */
static void pass(struct parts *p, const struct part *part)
{
	if (!p->blind)
		return;
	fl_in_skip(p->source->in, part->text.size);
	p->ahead -= part->text.size;
}

/* The caller's own source reads a part as if it were all. */
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
		source->format->resume(source);
		while (status == FLAME_OK &&
		       (status = flame_next(source, &sample)) == FLAME_OK)
			status = fl_deliver(source, p->sink, &sample);
		fl_in_close(source->in);
		source->part = false;
	}
	source->in = in;
	source->format->resume(source);
	pass(p, part);
	return status == FLAME_END ? FLAME_OK : FLAME_FAILED;
}

/* What became of a part is forgotten. */
static void drop(struct parts *p, struct worker *w)
{
	fl_dict_reset(w->flame);
	p->source->format->fork(p->source, w->source);
}

/*
 * A part that a worker failed on is for the caller's source: either it fails
 * too, and says why, or it needs what only one who reads all of it knows.
 */
static int read_again(struct parts *p, struct worker *w)
{
	drop(p, w);
	return read_here(p, w->part);
}

static int hand_on(struct parts *p, struct worker *w)
{
	int status = fl_sample_buffer_forward(w->flame, &w->kept, &w->map,
					      p->source, p->sink);

	p->source->format->join(p->source, w->source);
	pass(p, w->part);
	return status;
}

/* What became of a worker's part goes on into the sink. */
static int take(struct parts *p, struct worker *w)
{
	int status = FLAME_OK;

	await(w);
	if (w->turn == IDLE)
		return FLAME_OK;
	p->packed = p->packed || w->packed;
	if (p->packed)
		drop(p, w);
	else
		status = w->status == FLAME_OK ? hand_on(p, w) :
						 read_again(p, w);
	fl_sample_buffer_clear(&w->kept);
	give_turn(w, IDLE);
	return status;
}

/*
 * The next whole records, about as many bytes.  false: no more of that, or no
 * memory.
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
		if (avail < want || want > WIDEST)
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
		if (!fl_grow(&part->copy, &part->room, text->size, 1)) {
			fl_no_memory(p->source->flame);
			return false;
		}
		memcpy(part->copy, text->data, text->size);
		text->data = part->copy;
	}
	fl_in_consume(in, text->size);
	return true;
}

/* What it teaches the caller's source is what workers begin with. */
static int read_first(struct parts *p)
{
	struct part *part = &p->rounds[0].own;

	return next_part(p, LEAST, part) ? read_here(p, part) : FLAME_END;
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

/* Towards the end they are smaller, so that all end with it. */
static size_t size_of_part(const struct parts *p, size_t size)
{
	bool watched;
	size_t left;

	if (!p->blind)
		return size;
	fl_in_lookahead(p->source->in, p->ahead, &left, &watched);
	return FL_MAX(FL_MIN(size, left / (2 * (p->n + 1))), (size_t)LEAST);
}

static void look_ahead(struct parts *p, struct round *round)
{
	size_t own = size_of_part(p, p->own), part = size_of_part(p, PART);

	round->n = 0;
	round->some = next_part(p, own, &round->own);
	while (round->some && round->n < p->n &&
	       next_part(p, part, &round->part[round->n]))
		round->n++;
}

/*
 * The caller has more to do than to read: its parts are as large as leaves
 * nobody waiting.  How inputs are cut does not show in what comes out.
 */
static void weigh(struct parts *p, const struct round *round,
		  const struct worker *w, int64_t took)
{
	double rate, own;

	if (!round->n || took <= 0)
		return;
	rate = (double)round->own.text.size / (double)took;
	own = rate * (double)w->took * PART / (double)w->part->text.size;
	own = (own + (double)p->own) / 2;
	p->own = FL_MIN(FL_MAX((size_t)own, (size_t)LEAST), (size_t)2 * PART);
}

/* While the others read: it takes a while. */
static void forget(struct parts *p)
{
	uint64_t done = fl_in_offset(p->source->in);

	if (!p->blind || done < p->forgotten + FORGET)
		return;
	fl_in_release(p->source->in, done);
	p->forgotten = done;
}

static void give_round(struct parts *p, struct round *round,
		       struct worker *workers)
{
	look_ahead(p, round);
	for (unsigned i = 0; i < round->n; i++) {
		workers[i].part = &round->part[i];
		give_turn(&workers[i], BUSY);
	}
}

/* What workers have of it they were given while the last one was read. */
static int read_round(struct parts *p, unsigned number)
{
	struct round *round = &p->rounds[number % 2];
	struct worker *workers = p->workers[number % 2];
	unsigned next = (number + 1) % 2;
	int64_t took;
	int status;

	give_round(p, &p->rounds[next], p->workers[next]);
	forget(p);
	took = -now();
	status = read_here(p, &round->own);
	took += now();
	for (unsigned i = 0; i < round->n && status == FLAME_OK; i++)
		status = take(p, &workers[i]);
	if (status == FLAME_OK)
		weigh(p, round, workers, took);
	return status;
}

/* Parts that were given out are not what comes next. */
static void take_back(struct parts *p, unsigned number)
{
	for (unsigned i = 0; i < p->n; i++)
		take(p, &p->workers[number % 2][i]);
	p->blind = p->packed = false;
	p->ahead = 0;
}

static int read_all(struct parts *p)
{
	int status = FLAME_OK;

	p->blind = fl_in_is_stable(p->source->in);
	give_round(p, &p->rounds[0], p->workers[0]);
	for (unsigned i = 0; status == FLAME_OK && p->rounds[i % 2].some; i++) {
		status = read_round(p, i);
		if (status == FLAME_OK && p->packed) {
			take_back(p, i + 1);
			give_round(p, &p->rounds[(i + 1) % 2],
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
	fl_sample_buffer_free(&w->kept);
}

static void free_workers(struct parts *p)
{
	unsigned n = FL_MIN(p->n + 1, (unsigned)MOST);

	for (unsigned i = 0; i < n; i++) {
		free_worker(&p->workers[0][i]);
		free_worker(&p->workers[1][i]);
	}
}

/* Fewer where that many cannot be; none: the caller reads all of it. */
static void start(struct parts *p, unsigned wanted)
{
	while (p->n < wanted && start_worker(p, p->n))
		p->n++;
}

static void stop(struct parts *p)
{
	pthread_mutex_lock(&p->lock);
	p->quit = true;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
	for (unsigned i = 0; i < p->n; i++)
		pthread_join(p->workers[0][i].thread, NULL);
	free_workers(p);
}

/* Where the order or the whole of samples matters, parts are no help. */
static bool is_wanted(struct flame_source *source)
{
	const struct fl_select *select = &source->select;
	uint64_t size;

	return source->flame->threads > 1 && source->format->split &&
	       !select->survey && !(select->needs & FL_NEED_ORDER) &&
	       (!fl_in_size(source->in, &size) || size >= 2 * PART) &&
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
	p->own = PART / 2;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->changed, NULL);
	status = read_first(p);
	if (status == FLAME_OK)
		start(p, FL_MIN(source->flame->threads - 1, (unsigned)MOST));
	if (p->n)
		status = read_all(p);
	stop(p);
	pthread_mutex_destroy(&p->lock);
	pthread_cond_destroy(&p->changed);
	for (unsigned i = 0; i < 2; i++) {
		fl_free(p->rounds[i].own.copy);
		for (unsigned j = 0; j < p->n; j++)
			fl_free(p->rounds[i].part[j].copy);
	}
	fl_free(p);
	return status == FLAME_END ? FLAME_OK : status;
}
