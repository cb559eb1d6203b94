/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader of recordings (fl_format_jfr): reads the input chunk by chunk,
 * returns the samples of each, and reports damage at the end.  A chunk remains
 * accessible until the next one is read, which may use its stack traces.
 */
#include "fl.h"

#include "dict/java.h"
#include "io/path_labels.h"
#include "flow/runs.h"
#include "format/format.h"
#include "format/jfr/framing.h"
#include "format/jfr/source.h"
#include "format/jfr/v0/v0.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { PARALLEL_SIZE = 4 << 20 };	/* bytes worth several threads */

struct fl_jfr_position {
	uint64_t pinned;	/* bytes of `before`, not consumed yet */
	size_t most_sums;	/* of a chunk so far */
	bool prepared, end_emitted, reported;
	struct turn {		/* of `now`, once it is read */
		bool on, good;
		bool emitted;	/* its last samples are in the batch */
		enum fl_jfr_found found;
		uint64_t size;
	} turn;
};

/* A recording and the data of its source. */
struct whole {
	struct fl_jfr jfr;
	struct fl_jfr_position position;
};

static bool is_magic(const uint8_t *at)
{
	return memcmp(at, "FLR\0", 4) == 0 && at[4] == 0 && at[5] < 8;
}

/* Where a few bytes of something else come first, it is damaged. */
static int probe(const uint8_t *head, size_t n, bool whole)
{
	if (n < 4)
		return whole ? 0 : -1;
	if (memcmp(head, "FLR\0", 4) == 0)
		return 32;
	for (size_t i = 1; i + 8 <= n && i < 512; i++)
		if (is_magic(head + i))
			return 24;
	return 0;
}

static void note_damage(struct fl_jfr *jfr, uint64_t offset, const char *why)
{
	if (!jfr->totals.first_damage[0])
		snprintf(jfr->totals.first_damage,
			 sizeof(jfr->totals.first_damage),
			 "at 0x%" PRIx64 ": %s", offset, why);
}

/* Those of Spark's tasks are not needed if the path has the stage. */
static bool are_labels_wanted(const struct fl_jfr *jfr)
{
	const struct flame_source *source = jfr->source;
	const char *labels = source->select.labels;
	struct fl_path_labels path;

	if (fl_jfr_options(jfr)->compat || source->select.survey)
		return false;
	if (fl_is_wanted(labels, FL_JFR_SPAN_KEYS))
		return true;
	if (!fl_is_wanted(labels, FL_JFR_TASK_KEYS))
		return false;
	fl_path_labels(fl_in_name(source->in), &path);
	return !path.value[FL_PATH_STAGE].size;
}

static int prepare(struct fl_jfr *jfr)
{
	const struct fl_select *select = &jfr->source->select;
	const struct fl_jfr_options *options = fl_jfr_options(jfr);
	bool filter = options->latency >= 0 || options->tag;
	bool label = are_labels_wanted(jfr);
	const uint8_t *at;
	size_t size;

	jfr->position->prepared = true;
	at = fl_in_all(jfr->source->in, &size);
	if (!at && (filter || label || fl_select_needs_end(select)))
		at = fl_in_peek(jfr->source->in, SIZE_MAX, &size);
	if (at && !options->compat && (select->from.base || select->to.base))
		fl_jfr_prescan(jfr, at, size);
	if (fl_failed(jfr->source->flame))
		return FLAME_FAILED;
	if (!filter && !label)
		return FLAME_OK;
	return fl_jfr_prepare_spans(jfr, at, at ? size : 0, filter, label);
}

/* Chunks that end before --from are read for their settings alone. */
static bool is_too_early(const struct fl_jfr *jfr,
			 const struct fl_jfr_chunk *chunk)
{
	int64_t from = fl_when_resolve(&jfr->source->select.from,
				       jfr->source->start, jfr->source->end);
	int64_t end;

	return from != FLAME_NOTIME && chunk->header.duration_ns > 0 &&
	       !fl_jfr_options(jfr)->compat && !jfr->source->select.survey &&
	       !__builtin_add_overflow(chunk->header.start_ns,
				       chunk->header.duration_ns, &end) &&
	       end < from;
}

/* Sets the request for a chunk, as changed by all earlier chunks. */
static void set_asked(struct fl_jfr *jfr, struct fl_jfr_chunk *chunk,
		      enum fl_jfr_found found)
{
	fl_jfr_widen(jfr, chunk->header.start_ns, fl_jfr_end_of(chunk));
	fl_jfr_limit(chunk);
	chunk->asked.skim = found == FL_JFR_WHOLE && is_too_early(jfr, chunk);
	chunk->asked.repeated = !chunk->asked.skim &&
				fl_jfr_is_repeated(jfr, chunk->at, chunk->size,
						   chunk->header.start_ns);
	chunk->asked.skim |= chunk->asked.repeated;
	chunk->asked.cpu_only = jfr->source->select.cpu_only;
}

/* It is read, if that went well: what there is of it is given out next. */
static int end_chunk(struct fl_jfr *jfr, struct fl_jfr_chunk *chunk,
		     enum fl_jfr_found found, bool good)
{
	jfr->totals.lost_samples += chunk->events->lost_samples;
	jfr->position->most_sums = FL_MAX(jfr->position->most_sums,
					  chunk->events->nsums);
	jfr->position->turn.good = good && fl_jfr_read_rest(chunk);
	if (fl_failed(jfr->source->flame))
		return FLAME_FAILED;
	if (found == FL_JFR_CUT)
		fl_jfr_damage(chunk, 8, "cut or not finished");
	return FLAME_OK;
}

/* Counts a chunk whose samples were all handed out. */
static void count_chunk(struct fl_jfr *jfr, struct fl_jfr_chunk *chunk)
{
	bool good = jfr->position->turn.good;

	if (!chunk->asked.repeated)
		fl_jfr_info_chunk(chunk);
	jfr->totals.unfinished += jfr->position->turn.found == FL_JFR_LIVE;
	if (!chunk->damage.why) {
		jfr->totals.chunks++;
		return;
	}
	jfr->totals.bad_chunks++;
	jfr->totals.missing_bytes += chunk->missing;
	note_damage(jfr,
		    chunk->offset + (chunk->damage.at < chunk->size ?
					     chunk->damage.at :
					     0),
		    chunk->damage.why);
	if (good)
		jfr->totals.salvaged_events += chunk->readers->nevents;
	if (!good)
		fl_jfr_count_lost(chunk);
	jfr->totals.readable |= good && !chunk->damage.salvaged &&
				!chunk->damage.lost.gaps &&
				jfr->position->turn.found != FL_JFR_CUT;
	jfr->totals.lost_bytes += chunk->damage.lost.bytes;
	jfr->totals.lost_events += chunk->damage.lost.events;
	jfr->totals.resized_events += chunk->damage.lost.resized;
}

/* Begins to hand out a chunk's samples. */
static void begin_turn(struct fl_jfr *jfr, struct fl_jfr_chunk *chunk,
		      enum fl_jfr_found found)
{
	jfr->now = chunk;
	jfr->position->turn = (struct turn){
		.on = true, .found = found, .size = chunk->size
	};
}

/* Reads a chunk of 1.x or 2.x, with chunk->size bytes available. */
static int read_chunk(struct fl_jfr *jfr, struct fl_jfr_chunk *chunk,
		      enum fl_jfr_found found)
{
	set_asked(jfr, chunk, found);
	begin_turn(jfr, chunk, found);
	return end_chunk(jfr, chunk, found, fl_jfr_read_alone(chunk));
}

/* Frees the previous chunk; `now` becomes the previous one. */
static void advance(struct fl_jfr *jfr, uint64_t size)
{
	struct fl_in *in = jfr->source->in;

	fl_in_consume(in, jfr->position->pinned);
	fl_jfr_chunk_free(jfr->before);
	jfr->before = jfr->now;
	jfr->now = NULL;
	if (jfr->before)
		fl_jfr_tables_done(jfr->before);
	jfr->position->pinned = jfr->before && jfr->before->copy ? 0 : size;
	/* The previous chunk is rarely needed: release its memory. */
	fl_in_release(in, fl_in_offset(in) + jfr->position->pinned);
}

/* All pinned bytes and the bytes after it, at least `want` bytes of them. */
static const uint8_t *peek(struct fl_jfr *jfr, size_t want, size_t *avail)
{
	const uint8_t *at;
	size_t n;

	want = want > SIZE_MAX - jfr->position->pinned ?
		       SIZE_MAX :
		       want + jfr->position->pinned;
	at = fl_in_peek(jfr->source->in, want, &n);
	*avail = n - FL_MIN(n, jfr->position->pinned);
	if (!at)
		return NULL;
	if (jfr->before && !jfr->before->copy)
		jfr->before->at = at;	/* bytes may have moved */
	return at + jfr->position->pinned;
}

static int skip_junk(struct fl_jfr *jfr, uint64_t offset, const char *why)
{
	size_t avail, size;
	const uint8_t *at = peek(jfr, SIZE_MAX, &avail);

	size = fl_jfr_to_next_chunk(jfr, at, 1, avail);
	jfr->totals.lost_bytes += size;
	jfr->totals.bad_chunks++;
	note_damage(jfr, offset, why);
	/* Keeps the previous chunk accessible: the next one may refer to it. */
	jfr->position->pinned += size;
	return FLAME_OK;
}

static int step_v0(struct fl_jfr *jfr, uint64_t offset)
{
	uint64_t size, bad;
	size_t avail;
	const uint8_t *at = peek(jfr, SIZE_MAX, &avail);

	size = fl_jfr_v0_size(at, avail);
	if (!size)
		return skip_junk(jfr, offset, "a chunk of format 0.9 that is "
				 "cut or damaged");
	if (jfr->copy)
		return fl_fail(jfr->source->flame, "%s: a chunk of format 0.9: "
			       "-f jfr copies those of 1.0 and later alone",
			       fl_in_name(jfr->source->in));
	if (fl_jfr_is_repeated(jfr, at, size, FLAME_NOTIME)) {
		advance(jfr, size);
		return FLAME_OK;
	}
	bad = jfr->totals.bad_chunks;
	if (fl_jfr_v0_read(jfr, at, size, offset) != FLAME_OK)
		return FLAME_FAILED;
	jfr->totals.chunks += jfr->totals.bad_chunks == bad;
	advance(jfr, size);
	return FLAME_OK;
}

static int step_cut(struct fl_jfr *jfr, struct fl_jfr_chunk *chunk)
{
	size_t avail;
	const uint8_t *at = peek(jfr, SIZE_MAX, &avail);

	chunk->at = at;
	chunk->size = fl_jfr_to_next_chunk(jfr, at, FL_JFR_HEADER, avail);
	return read_chunk(jfr, chunk, FL_JFR_CUT);
}

/* A live chunk is followed by what its header does not cover yet. */
static void end_turn(struct fl_jfr *jfr)
{
	uint64_t size = jfr->position->turn.size;

	count_chunk(jfr, jfr->now);
	if (jfr->position->turn.found == FL_JFR_LIVE) {
		size_t avail;
		const uint8_t *at = peek(jfr, SIZE_MAX, &avail);

		size = fl_jfr_to_next_chunk(jfr, at, size, avail);
	}
	jfr->position->turn.on = false;
	advance(jfr, size);
}

/*
 * Some more of the chunk whose turn it is.  Its events are copied when its last
 * samples were forwarded.
 */
static int emit_more(struct fl_jfr *jfr)
{
	struct turn *turn = &jfr->position->turn;

	if (!turn->emitted && turn->good && fl_jfr_emit(jfr->now) != FLAME_OK)
		return FLAME_FAILED;
	if (jfr->samples->progress.pass != FL_JFR_DONE)
		return FLAME_OK;
	turn->emitted = true;
	if (jfr->copy && jfr->source->batch.n)
		return FLAME_OK;
	if (jfr->copy && fl_jfr_copy_chunk(jfr->now) != FLAME_OK)
		return FLAME_FAILED;
	end_turn(jfr);
	return FLAME_OK;
}

/* Ahead ------------------------------------------------------------------- */

static size_t parallel_size(const struct fl_jfr *jfr)
{
	return fl_parallel_size(jfr->source->flame, PARALLEL_SIZE);
}

/*
 * Events that are stored one by one, with their times, need several times the
 * memory of their bytes: two threads that fill it for several chunks at once
 * are slower than one.
 */
static bool are_too_many(const struct fl_jfr *jfr)
{
	return (jfr->source->select.needs & FL_NEED_TIME) &&
	       !fl_jfr_wants_runs(jfr) &&
	       (!jfr->before || jfr->position->most_sums *
				sizeof(struct fl_jfr_sum) > parallel_size(jfr));
}

/*
 * Leaks, spans and the survey need all chunks in order.  If cpu is the default
 * metric, the first chunk usually decides whether there is any.
 */
static bool is_ahead_wanted(const struct fl_jfr *jfr)
{
	const struct fl_select *select = &jfr->source->select;
	uint64_t size;

	return jfr->source->flame->threads > 1 && !select->survey &&
	       !select->leak && !jfr->spans && !jfr->source->part &&
	       !jfr->copy &&
	       (!select->choose || select->cpu_only || jfr->before) &&
	       !are_too_many(jfr) &&
	       (!fl_in_size(jfr->source->in, &size) ||
		size >= parallel_size(jfr));
}

/* Of one chunk alone there is none to read ahead. */
static bool are_several(struct fl_jfr *jfr)
{
	size_t avail;
	const uint8_t *at = peek(jfr, FL_JFR_HEADER, &avail);
	uint64_t size;

	if (avail < FL_JFR_HEADER || memcmp(at, "FLR\0", 4) != 0)
		return false;
	size = fl_be(at + 8, 8);
	if (size > SIZE_MAX - FL_JFR_HEADER)
		return false;
	peek(jfr, size + FL_JFR_HEADER, &avail);
	return avail >= size + FL_JFR_HEADER;
}

/*
 * The chunk being read points into the input's buffer, which moves when more is
 * read.
 */
static bool is_moving(const struct fl_jfr *jfr)
{
	return jfr->now && !jfr->now->copy && !fl_in_is_stable(jfr->source->in);
}

/* The chunk before, of an input whose bytes move. */
static bool keep_bytes(struct fl_jfr *jfr, struct fl_jfr_chunk *chunk)
{
	chunk->copy = fl_alloc(chunk->size);
	if (!chunk->copy) {
		fl_no_memory(jfr->source->flame);
		return false;
	}
	memcpy(chunk->copy, chunk->at, chunk->size);
	chunk->at = chunk->copy;
	return true;
}

/*
 * Whether a chunk that is stored fits beside those read ahead, and leaves
 * memory for its tables, the next chunk and that one's.
 */
static bool is_memory_left(const struct fl_jfr *jfr, const uint8_t *header)
{
	uint64_t need = fl_be(header + 8, 8);

	if (!fl_jfr_ahead_fits(jfr->ahead, need))
		return false;
	if (jfr->before && !jfr->before->copy)
		need += jfr->before->size;
	return need <= fl_memory_left() / 4;
}

/* Consumes a chunk, which keeps its bytes, and the one before. */
static bool take_bytes(struct fl_jfr *jfr, struct fl_jfr_chunk *chunk)
{
	struct fl_in *in = jfr->source->in;

	if (jfr->before && !jfr->before->copy && !keep_bytes(jfr, jfr->before))
		return false;
	fl_in_consume(in, jfr->position->pinned);
	jfr->position->pinned = 0;
	chunk->copy = fl_in_take(in, chunk->size, &chunk->at);
	if (!chunk->copy)
		fl_no_memory(jfr->source->flame);
	return chunk->copy;
}

/*
 * The next whole chunk after those read ahead, or NULL.  A stable input is
 * consumed up to the chunk before it, others up to the chunks read ahead.
 */
static struct fl_jfr_chunk *look_ahead(struct fl_jfr *jfr)
{
	struct fl_in *in = jfr->source->in;
	bool stays = fl_in_is_stable(in);
	struct fl_jfr_chunk *chunk;
	uint64_t bytes = 0;
	size_t avail;
	const uint8_t *at;

	if (stays) {
		fl_jfr_ahead_count(jfr->ahead, &bytes);
		bytes += jfr->now ? jfr->now->size : 0;
	}
	at = peek(jfr, bytes + FL_JFR_HEADER, &avail);
	if (avail < bytes + FL_JFR_HEADER ||
	    fl_jfr_is_v0(at + bytes, FL_JFR_HEADER) ||
	    (!stays && !is_memory_left(jfr, at)))
		return NULL;
	chunk = fl_jfr_chunk_new(jfr, fl_in_offset(in) + jfr->position->pinned +
					      bytes);
	if (!chunk)
		return NULL;
	if (memcmp(at + bytes, "FLR\0", 4) == 0) {
		uint64_t size = fl_be(at + bytes + 8, 8);

		at = peek(jfr, size > SIZE_MAX - bytes ? SIZE_MAX :
			       bytes + size, &avail);
	}
	if (fl_jfr_read_header(chunk, at + bytes, avail - bytes) ==
		    FL_JFR_WHOLE &&
	    (stays || take_bytes(jfr, chunk)))
		return chunk;
	fl_jfr_chunk_free(chunk);
	return NULL;
}

static bool has_ahead(const struct fl_jfr *jfr)
{
	uint64_t bytes;

	return jfr->ahead && fl_jfr_ahead_count(jfr->ahead, &bytes);
}

/* Whether there are chunks that are read ahead; adds more of them. */
static bool fill_ahead(struct fl_jfr *jfr)
{
	struct fl_jfr_chunk *chunk;

	if (!is_ahead_wanted(jfr) || is_moving(jfr) ||
	    (!has_ahead(jfr) && !are_several(jfr)))
		return has_ahead(jfr);
	if (!jfr->ahead)
		jfr->ahead = fl_jfr_ahead_new(jfr);
	while (jfr->ahead && fl_jfr_ahead_has_room(jfr->ahead) &&
	       (chunk = look_ahead(jfr))) {
		set_asked(jfr, chunk, FL_JFR_WHOLE);
		fl_jfr_ahead_add(jfr->ahead, chunk);
	}
	return has_ahead(jfr);
}

static int step_ahead(struct fl_jfr *jfr)
{
	struct fl_jfr_chunk *chunk;
	bool good;

	chunk = jfr->now = fl_jfr_ahead_take(jfr->ahead, &good);
	if (!chunk || fl_failed(jfr->source->flame))
		return FLAME_FAILED;
	begin_turn(jfr, chunk, FL_JFR_WHOLE);
	fill_ahead(jfr);
	return end_chunk(jfr, chunk, FL_JFR_WHOLE, good);
}

static int step(struct fl_jfr *jfr)
{
	struct fl_in *in = jfr->source->in;
	uint64_t offset = fl_in_offset(in) + jfr->position->pinned;
	struct fl_jfr_chunk *chunk;
	enum fl_jfr_found found;
	size_t avail;
	const uint8_t *at = peek(jfr, FL_JFR_HEADER, &avail);
	char why[64];

	if (!avail) {
		jfr->ended = true;
		return FLAME_OK;
	}
	if (fl_jfr_is_v0(at, avail))
		return step_v0(jfr, offset);
	chunk = fl_jfr_chunk_new(jfr, offset);
	if (!chunk)
		return FLAME_FAILED;
	found = fl_jfr_read_header(chunk, at, avail);
	if (found == FL_JFR_CUT && avail == FL_JFR_HEADER) {
		/* Maybe it was only not all peeked at. */
		uint64_t size = fl_be(at + 8, 8);

		at = peek(jfr, FL_MIN(size, SIZE_MAX), &avail);
		found = fl_jfr_read_header(chunk, at, avail);
	} else if (avail >= FL_JFR_HEADER) {
		at = peek(jfr, fl_be(at + 8, 8), &avail);
		found = fl_jfr_read_header(chunk, at, avail);
	}
	if (found == FL_JFR_WHOLE || found == FL_JFR_LIVE)
		return read_chunk(jfr, chunk, found);
	if (found == FL_JFR_CUT)
		return step_cut(jfr, chunk);
	if (found == FL_JFR_NONE &&
	    fl_in_decode_at(in, jfr->position->pinned)) {
		fl_jfr_chunk_free(chunk);
		return FLAME_OK;
	}
	snprintf(why, sizeof(why), found == FL_JFR_NONE ? "no chunk" :
		 "format %u.%u, which is not known", chunk->header.major,
		 chunk->header.minor);
	fl_jfr_chunk_free(chunk);
	return skip_junk(jfr, offset, why);
}

/* "12 events of damaged chunks kept (1 of a wrong size), 345 bytes lost" */
static void put_losses(struct fl_buf *buf, const struct fl_jfr *jfr)
{
	fl_buf_print(buf, "%" PRIu64 " events of damaged chunks kept",
		     jfr->totals.salvaged_events);
	if (jfr->totals.resized_events)
		fl_buf_print(buf, " (%" PRIu64 " of a wrong size)",
			     jfr->totals.resized_events);
	if (jfr->totals.lost_events)
		fl_buf_print(buf,
			     ", %" PRIu64 " or more events in %" PRIu64
			     " bytes lost",
			     jfr->totals.lost_events, jfr->totals.lost_bytes);
	else
		fl_buf_print(buf, ", %" PRIu64 " bytes lost",
			     jfr->totals.lost_bytes);
	if (jfr->totals.missing_bytes)
		fl_buf_print(buf, ", %" PRIu64 " bytes cut off",
			     jfr->totals.missing_bytes);
	fl_buf_byte(buf, 0);
}

static void report_damage(struct fl_jfr *jfr)
{
	struct flame_source *source = jfr->source;
	const char *cut = fl_in_damage(source->in);
	struct fl_buf losses = { 0 };

	if (!jfr->totals.bad_chunks && !cut)
		return;
	source->damage = jfr->totals.chunks || jfr->samples->given ||
					 jfr->totals.readable ?
				 1 :
				 2;
	put_losses(&losses, jfr);
	fl_warn(source->flame,
		"%s: %" PRIu64 " of %" PRIu64 " chunks damaged"
		"%s%s%s%s; %s%s",
		fl_in_name(source->in), jfr->totals.bad_chunks,
		jfr->totals.bad_chunks + jfr->totals.chunks,
		jfr->totals.first_damage[0] ? ", the first " : "",
		jfr->totals.first_damage, cut ? "; " : "", cut ? cut : "",
		losses.failed ? "out of memory" : losses.data,
		source->damage == 2 ? "; nothing of it can be drawn" : "");
	fl_buf_free(&losses);
}

static void report(struct fl_jfr *jfr)
{
	struct flame_source *source = jfr->source;
	struct flame *flame = source->flame;
	const char *name = fl_in_name(source->in);
	struct fl_jfr_bare bare = jfr->samples->cpu;

	report_damage(jfr);
	if (fl_jfr_options(jfr)->compat)
		return;
	if (jfr->moved)
		fl_warn(flame, "%s: recordings in it are not in the order of "
			"time: what --from and --to choose is not exact; put "
			"them in order, or give a plain file", name);
	if (jfr->totals.unfinished)
		fl_remark(flame, "%s: not finished yet: read up to its last "
			  "flush", name);
	if (!source->select.cpu_only) {
		bare.samples += jfr->samples->others.samples;
		bare.unresolved += jfr->samples->others.unresolved;
	}
	if (bare.samples)
		fl_remark(flame, "%s: %" PRIu64 " samples without a stack "
			  "left out (%" PRIu64 " name a stack that is not "
			  "there)", name, bare.samples, bare.unresolved);
	if (jfr->totals.lost_samples)
		fl_remark(flame, "%s: %" PRIu64 " samples were lost while it "
			  "was recorded", name, jfr->totals.lost_samples);
}

static int at_end(struct fl_jfr *jfr)
{
	if (!jfr->position->end_emitted) {
		jfr->position->end_emitted = true;
		return fl_jfr_emit_end(jfr);
	}
	/* When memory ran out, nothing can be said of the input. */
	if (fl_failed(jfr->source->flame))
		return FLAME_FAILED;
	report(jfr);
	fl_jfr_info_end(jfr);
	jfr->position->reported = true;
	return FLAME_OK;
}

static int read(struct flame_source *source)
{
	struct fl_jfr *jfr = source->state;

	fl_runs_clear(source->flame);
	if (!jfr->position->prepared && prepare(jfr) != FLAME_OK)
		return FLAME_FAILED;
	if (jfr->position->reported)
		return FLAME_END;
	if (jfr->position->turn.on)
		return emit_more(jfr);
	if (jfr->ended)
		return at_end(jfr);
	return fill_ahead(jfr) ? step_ahead(jfr) : step(jfr);
}

static void release(void *state)
{
	struct fl_jfr *jfr = state;

	fl_thread_pool_free(jfr->threads);
	fl_jfr_ahead_free(jfr->ahead);
	fl_jfr_chunk_free(jfr->now);
	fl_jfr_chunk_free(jfr->before);
	fl_jfr_leaks_free(jfr->leaks);
	fl_jfr_timings_free(jfr->timings);
	fl_jfr_dumps_free(jfr->dumps);
	fl_jfr_spans_free(jfr->spans);
	fl_jfr_info_free(jfr->info);
	fl_jfr_samples_free(jfr->samples);
}

static int open_jfr(struct flame_source *source)
{
	struct whole *whole = source->state;
	struct fl_jfr *jfr = &whole->jfr;

	source->surveyed = true;
	jfr->source = source;
	jfr->position = &whole->position;
	jfr->class_mark = fl_name(source->flame, FL_CLASS);
	jfr->dotted_class_mark = fl_name(source->flame, FL_DOTTED_CLASS);
	jfr->samples = fl_zeroed(1, sizeof(*jfr->samples));
	if (jfr->samples)
		return FLAME_OK;
	return fl_no_memory(source->flame);
}

#define AT(member) .offset = offsetof(struct fl_jfr_options, member)

static const struct fl_option rows[] = {
	FL_OPTION_ROW_TOTAL(struct fl_jfr_options),
	FL_OPTION_ROW_WEIGHT(struct fl_jfr_options),
	FL_OPTION_ROW_LINES(struct fl_jfr_options),
	FL_OPTION_ROW_BCI(struct fl_jfr_options),
	{ "latency", "TIME", "only inside spans this long or longer",
	  FL_OPTION_DURATION, AT(latency), .selects = FLAME_BY_LENGTH },
	{ "tag", "RE", "only inside spans with this tag",
	  FL_OPTION_REGEX, AT(tag), .selects = FLAME_BY_VALUE },
	{ "overlap", "once|keep", "a chunk in two inputs: once, or each time",
	  FL_OPTION_EITHER, AT(once) },
	{ "tail", "RATIO", "leaks: ignore this share at the end (10%)",
	  FL_OPTION_RATIO, AT(tail), .most = 1 },
	{ "compat", NULL, "select, name and order samples as jfrconv does",
	  FL_OPTION_FLAG, AT(compat), FL_SCOPE_HIDDEN },
	{ "grain", "N", "count N samples as one, as jfrconv does",
	  FL_OPTION_RATIO, AT(grain), FL_SCOPE_HIDDEN },
	{ .name = NULL }
};

static const struct fl_jfr_options defaults = { .latency = -1, .tail = 0.1,
					       .once = true };

static const struct fl_option_table option_table = {
	.rows = rows, .size = sizeof(struct fl_jfr_options),
	.defaults = &defaults,
};

const struct fl_format fl_format_jfr = {
	.name = "jfr",
	.facts = FLAME_RECORDING,
	.summary = "JDK Flight Recorder and async-profiler recordings",
	.suffixes = ".jfr",
	.probe = probe,
	.state_size = sizeof(struct whole),
	.open = open_jfr,
	.read = read,
	.release = release,
	.selects = true,
	.options = &option_table,
};
