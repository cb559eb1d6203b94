/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fl_pump_parts() reads one input with several threads, for pump.c.  The input
 * is cut into parts of whole records (fl_format.split), some for each round.
 * The caller reads the first part of a round with its own source; the others
 * are jobs of a thread pool (read_job.c).  Then the caller forwards their
 * samples, in the order of the parts.  The jobs of the next round begin before
 * that.  So the order of samples does not depend on timing.
 *
 * A part is searched for packed members before it is read.  From a part that
 * has one on the input is read by the caller alone, by way of the decoders.
 *
 * Threads do not pay where
 *	the input is neither mapped nor memory: a copy of each part costs half
 *	as much as reading it, and pipes and decoders are slower than the
 *	reader;
 *	a stack is new in less than MIN_STACK_BYTES of the jobs' parts: to
 *	absorb those costs more than a seventh of the time of one thread
 *	(recorded text has one in 270 to 7,000 bytes, unlike stacks of random
 *	frames one in 110 to 230).
 * The caller then goes on alone from the part that has shown it; no thread is
 * started where the first part is nearly all new stacks.
 */
#include "fl.h"

#include "flow/flow.h"

#include <time.h>

enum {
	PART_BYTES = 1 << 20,	/* about, */
	MIN_PART_SHARE = 8,	/* and at least one part in this many */
	MIN_PARTS = 4,		/* of an input that is worth threads */
	/* Unmapping stops all threads: not after every part. */
	RELEASE_BYTES = 1 << 20,
	MAX_PART_BYTES = 64 << 20,	/* a longer record: no parts */
	MAX_JOBS = 64,		/* of a round */
	MIN_STACK_BYTES = 240,
	MIN_JUDGED_BYTES = 512 << 10,	/* less say nothing about new stacks */
	/* The same of the first part, where recorded stacks are new, too. */
	MIN_FIRST_STACK_BYTES = 32, MIN_FIRST_JUDGED_BYTES = 64 << 10
};

struct part {
	struct slice text;	/* of the input */
	size_t after;		/* bytes of the input after the part */
	bool watched;		/* a packed member may begin in it */
};

struct part_job {
	struct fl_read_job read;
	const char *name;	/* of the input */
	struct part part;
	bool packed;		/* holds a packed member: nothing was read */
	int64_t duration;	/* ns */
};

struct round {
	struct part own;	/* the caller's */
	bool some;		/* `own` holds a part */
	unsigned count;		/* of jobs with a part */
	struct part_job jobs[MAX_JOBS];
};

struct parts {
	struct flame_source *source;
	struct flame_sink *sink;
	struct fl_thread_pool *pool;
	struct round rounds[2];	/* this one and the next */
	unsigned njobs;		/* of a round */
	uint64_t released;	/* offset in the input */
	bool packed;		/* a part holds one */
	size_t ahead;		/* bytes cut and not forwarded yet */
	size_t part;		/* bytes of jobs' parts, about */
	size_t own;		/* and of the caller's */
	uint64_t forwarded;	/* bytes of jobs' parts */
	uint64_t absorbed;	/* stacks of them, new to the job */
};

static bool is_plain(const struct part *part)
{
	size_t n = part->text.size;

	return !part->watched ||
	       fl_decoder_scan((const uint8_t *)part->text.data, n,
			       n + part->after, true) == n;
}

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* In any thread */
static void read_part(struct fl_job *job)
{
	struct part_job *j = (struct part_job *)job;
	struct flame_source *source = j->read.source;

	j->duration = -now();
	j->packed = !is_plain(&j->part);
	j->read.status = FLAME_OK;
	if (!j->packed) {
		fl_in_close(source->in);
		source->in = fl_in_memory(j->read.flame, j->part.text.data,
					  j->part.text.size, j->name);
		j->read.status = FLAME_FAILED;
	}
	if (!j->packed && source->in) {
		fl_source_resume(source);
		fl_read_job_run(&j->read);
	}
	j->duration += now();
}

/* In the caller's thread ------------------------------------------------- */

/* Consumes a part that was forwarded. */
static void consume(struct parts *p, const struct part *part)
{
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

static int forward(struct parts *p, struct part_job *job)
{
	struct fl_read_job *read = &job->read;
	int status;

	p->forwarded += job->part.text.size;
	p->absorbed += read->flame->stacks.count - read->map.stacks.count;
	status = fl_read_job_forward(read, p->source, p->sink);
	p->source->format->join(p->source, read->source);
	consume(p, &job->part);
	return status;
}

/*
 * Forwards the samples of a job.  A part that it failed on is read again with
 * the caller's source: it fails too, and reports why, or it knows of an earlier
 * part what the job lacked.
 */
static int collect(struct parts *p, struct part_job *job)
{
	bool good;
	int status = FLAME_OK;

	fl_thread_pool_wait(p->pool, &job->read.job);
	p->packed = job->packed;
	if (p->packed)
		return FLAME_OK;
	good = job->read.status == FLAME_OK;
	if (good)
		status = forward(p, job);
	fl_read_job_clear(&job->read);
	if (good)
		return status;
	p->source->format->fork(p->source, job->read.source);
	return read_here(p, &job->part);
}

/*
 * Cuts the next part of whole records, of about `want` bytes.  false: the input
 * has less.
 */
static bool next_part(struct parts *p, size_t want, struct part *part)
{
	struct slice *text = &part->text;
	size_t avail;

	for (text->size = 0; !text->size; want *= 4) {
		text->data = (const char *)fl_in_lookahead(
			p->source->in, p->ahead, &avail, &part->watched);
		if (avail < want || want > MAX_PART_BYTES)
			return false;
		text->size = p->source->format->split(text->data, want);
	}
	part->after = avail - text->size;
	p->ahead += text->size;
	return true;
}

static size_t min_size(const struct parts *p)
{
	return FL_MAX(p->part / MIN_PART_SHARE, (size_t)1);
}

/*
 * Jobs start with what the caller's source learnt from the first part.
 * FLAME_END: the caller reads all.
 */
static int read_first(struct parts *p)
{
	struct part *part = &p->rounds[0].own;
	size_t before = p->source->flame->stacks.count, fresh, size;
	int status = FLAME_END;

	if (next_part(p, min_size(p), part))
		status = read_here(p, part);
	fresh = p->source->flame->stacks.count - before;
	size = part->text.size;
	return status == FLAME_OK && size >= MIN_FIRST_JUDGED_BYTES &&
	       fresh * MIN_FIRST_STACK_BYTES > size ? FLAME_END : status;
}

static bool init_job(struct parts *p, struct part_job *job)
{
	struct flame_source *source = p->source, *part;
	struct fl_asked asked = { .options = NULL };

	job->name = fl_in_name(source->in);
	job->read.job.run = read_part;
	if (!fl_read_job_init(&job->read))
		return false;
	part = flame_open_memory(job->read.flame, "", 0, job->name,
				 source->format->name);
	job->read.source = part;
	if (!part || !fl_asked_copy(job->read.flame, &asked, source)) {
		fl_asked_free(&asked);
		return false;
	}
	fl_asked_move(&asked, part);
	part->start = source->start;
	part->end = source->end;
	part->part = true;
	return source->format->fork(source, part);
}

/* Parts get smaller towards the end, so that all threads end together. */
static size_t size_of_part(const struct parts *p, size_t size)
{
	bool watched;
	size_t left;

	fl_in_lookahead(p->source->in, p->ahead, &left, &watched);
	return FL_MAX(FL_MIN(size, left / (2 * (p->njobs + 1))),
		      min_size(p));
}

static void start_round(struct parts *p, struct round *round)
{
	size_t own = size_of_part(p, p->own);
	size_t part = size_of_part(p, p->part);

	round->count = 0;
	round->some = next_part(p, own, &round->own);
	while (round->some && round->count < p->njobs &&
	       next_part(p, part, &round->jobs[round->count].part))
		round->count++;
	for (unsigned i = 0; i < round->count; i++)
		fl_thread_pool_submit(p->pool, &round->jobs[i].read.job);
}

/*
 * The caller also absorbs, so its parts are smaller: sizes them so that nobody
 * waits.  The result does not depend on where parts are cut.
 */
static void adapt_own_size(struct parts *p, const struct round *round,
			   int64_t duration)
{
	const struct part_job *job = &round->jobs[0];
	double rate, own;

	if (!round->count || duration <= 0)
		return;
	rate = (double)round->own.text.size / (double)duration;
	own = rate * (double)job->duration * (double)p->part /
	      (double)job->part.text.size;
	own = (own + (double)p->own) / 2;
	p->own = FL_MIN(FL_MAX((size_t)own, min_size(p)), 2 * p->part);
}

/* Unmaps read parts, which is slow, when the threads have work. */
static void release(struct parts *p)
{
	uint64_t done = fl_in_offset(p->source->in);

	if (done < p->released + RELEASE_BYTES)
		return;
	fl_in_release(p->source->in, done);
	p->released = done;
}

/* The jobs of this round were submitted while the last one was read. */
static int read_round(struct parts *p, unsigned number)
{
	struct round *round = &p->rounds[number % 2];
	int64_t duration;
	int status;

	start_round(p, &p->rounds[(number + 1) % 2]);
	release(p);
	duration = -now();
	status = read_here(p, &round->own);
	duration += now();
	for (unsigned i = 0; i < round->count && status == FLAME_OK &&
			     !p->packed; i++)
		status = collect(p, &round->jobs[i]);
	if (status == FLAME_OK)
		adapt_own_size(p, round, duration);
	return status;
}

/* Whether the rest is worth threads. */
static bool pays(const struct parts *p)
{
	return p->forwarded < MIN_JUDGED_BYTES ||
	       p->absorbed * MIN_STACK_BYTES < p->forwarded;
}

static int read_all(struct parts *p)
{
	int status = FLAME_OK;

	start_round(p, &p->rounds[0]);
	for (unsigned i = 0; status == FLAME_OK && !p->packed && pays(p) &&
			     p->rounds[i % 2].some; i++)
		status = read_round(p, i);
	return fl_failed(p->source->flame) ? FLAME_FAILED : status;
}

/* Makes as many jobs as memory allows; without any the caller reads all. */
static void start(struct parts *p)
{
	unsigned wanted = FL_MIN(p->source->flame->threads - 1,
				 (unsigned)MAX_JOBS);

	p->pool = fl_thread_pool_new(wanted + 1);
	while (p->pool && p->njobs < wanted &&
	       init_job(p, &p->rounds[0].jobs[p->njobs]) &&
	       init_job(p, &p->rounds[1].jobs[p->njobs]))
		p->njobs++;
}

static void free_parts(struct parts *p)
{
	fl_thread_pool_free(p->pool);
	for (unsigned i = 0; i < MAX_JOBS; i++) {
		fl_read_job_free(&p->rounds[0].jobs[i].read);
		fl_read_job_free(&p->rounds[1].jobs[i].read);
	}
	fl_free(p);
}

/* Parts cannot serve options that need samples in order, or all of them. */
static bool is_wanted(struct flame_source *source)
{
	const struct fl_select *select = &source->select;
	uint64_t size;

	return source->flame->threads > 1 && source->format->split &&
	       !select->survey && !(select->needs & FL_NEED_ORDER) &&
	       fl_in_is_stable(source->in) && fl_in_size(source->in, &size) &&
	       size >= MIN_PARTS * fl_parallel_size(source->flame,
						    PART_BYTES) &&
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
	p->sink = sink;
	p->part = fl_parallel_size(source->flame, PART_BYTES);
	p->own = p->part / 2;
	status = read_first(p);
	if (status == FLAME_OK)
		start(p);
	if (p->njobs)
		status = read_all(p);
	free_parts(p);
	return status == FLAME_END ? FLAME_OK : status;
}
