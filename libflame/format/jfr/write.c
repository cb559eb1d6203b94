/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer of recordings (-f jfr): copies those events of the inputs whose
 * samples get to this sink.  Events are copied as they are, and with them all
 * metadata and constants of their chunk.  The header and the distances from
 * checkpoint to checkpoint (the only offsets that an event has) are computed
 * anew.
 *
 * The source (source.c) reads each event as a sample by itself, and its place
 * in the chunk; when the samples of a chunk were all forwarded, it calls
 * fl_jfr_copy_chunk(), which writes the chunk.  Events that are not samples are
 * written if their time is within --from and --to, and settings of the
 * recording always.
 */
#include "fl.h"

#include "format/jfr/framing.h"
#include "format/jfr/samples.h"

#include <inttypes.h>
#include <stdlib.h>

struct fl_jfr_copy {
	struct fl_out *out;
	struct flame_source *source;	/* NULL: none has begun */
	/* Where the events end of which the samples of the batch are. */
	uint64_t *places;
	size_t capacity;
	/* The same of the events of this chunk that are written. */
	uint64_t *chosen;
	size_t nchosen, chosen_capacity;
	const struct fl_jfr_chunk *left_out;	/* the last that was */
	uint64_t damaged;	/* chunks of this source that are not written */
	bool any;		/* a sample was written */
};

/* Which events of a class are written. */
enum fate { UNDECIDED, BY_TIME, BY_SAMPLE, SETTING };

/* A metadata event or a checkpoint, in the chunk and as written. */
struct mark {
	uint64_t from, to;
};

/* A chunk being written. */
struct pass {
	struct fl_jfr_copy *copy;
	struct fl_jfr_chunk *chunk;
	bool settings_only;
	uint8_t *fates;		/* by class */
	struct mark *marks;
	size_t nmarks, capacity;
	size_t next;		/* in copy->chosen */
	uint64_t size;		/* as written */
	uint64_t nothers;	/* written events that are not samples */
	uint64_t nsamples;	/* in the chunk */
	uint64_t nsettings;
};

/* Events ---------------------------------------------------------------- */

static enum fate decide(const struct fl_jfr_class *class)
{
	struct slice event = fl_jfr_plain_name(class->name);

	if (fl_slice_is(event, "jdk.ActiveSetting") || fl_jfr_is_fact(event))
		return SETTING;
	if (!class->reader || class->reader->role == FL_JFR_LOST ||
	    class->reader->role == FL_JFR_TIMING)
		return BY_TIME;
	return BY_SAMPLE;
}

static enum fate fate_of(struct pass *pass, const struct fl_jfr_class *class)
{
	uint8_t *fate = &pass->fates[class - pass->chunk->types->classes];

	if (!*fate)
		*fate = decide(class);
	return *fate;
}

static bool in_time(struct pass *pass, struct fl_jfr_class *class,
		    struct fl_wire w)
{
	const struct fl_jfr_asked *asked = &pass->chunk->asked;
	const struct fl_jfr_field *field;
	uint64_t ticks;

	if (!asked->limited)
		return true;
	field = fl_jfr_make_decoder(pass->chunk, class) ?
		fl_jfr_slot_field(class, "startTime") : NULL;
	return !field || !fl_jfr_seek(class, field, &w) ||
	       !fl_jfr_read_number(class, field, &w, &ticks) ||
	       ((int64_t)ticks >= asked->from && (int64_t)ticks <= asked->to);
}

/* w: at its fields. */
static bool is_chosen(struct pass *pass, const struct fl_jfr_head *head,
		    struct fl_wire w)
{
	struct fl_jfr_class *class = fl_jfr_class_by_id(pass->chunk,
							head->type);
	const struct fl_jfr_copy *copy = pass->copy;
	uint64_t end = head->begin + head->size - pass->chunk->at;
	bool chosen;

	if (!class)
		return !pass->settings_only;
	switch (fate_of(pass, class)) {
	case SETTING:
		pass->nsettings++;
		return true;
	case BY_SAMPLE:
		pass->nsamples++;
		while (pass->next < copy->nchosen &&
		       copy->chosen[pass->next] < end)
			pass->next++;
		return !pass->settings_only && pass->next < copy->nchosen &&
		       copy->chosen[pass->next] == end;
	default:
		chosen = !pass->settings_only && in_time(pass, class, w);
		pass->nothers += chosen;
		return chosen;
	}
}

static bool add_mark(struct pass *pass, uint64_t from)
{
	if (!fl_grow(&pass->marks, &pass->capacity, pass->nmarks + 1,
		     sizeof(*pass->marks))) {
		fl_no_memory(pass->chunk->flame);
		return false;
	}
	pass->marks[pass->nmarks++] = (struct mark){ from, pass->size };
	return true;
}

/* Finds where all will be.  false: damaged, or out of memory. */
static bool measure(struct pass *pass)
{
	struct fl_jfr_chunk *chunk = pass->chunk;
	struct fl_wire w = fl_jfr_wire(chunk, FL_JFR_HEADER);

	pass->size = FL_JFR_HEADER;
	while (w.at < w.end) {
		struct fl_jfr_head head;

		if (!fl_jfr_read_head(&w, w.end, &head))
			return false;
		if (head.type <= 1 &&
		    !add_mark(pass, (uint64_t)(head.begin - chunk->at)))
			return false;
		if (head.type <= 1 || is_chosen(pass, &head, w))
			pass->size += head.size;
		w.at = head.begin + head.size;
	}
	return true;
}

/* Writing --------------------------------------------------------------- */

/* false: nothing begins there. */
static bool find_mark(const struct pass *pass, uint64_t from, uint64_t *to)
{
	size_t low = 0, high = pass->nmarks;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (pass->marks[mid].from < from)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == pass->nmarks || pass->marks[low].from != from)
		return false;
	*to = pass->marks[low].to;
	return true;
}

static void put_big_endian(uint8_t *at, uint64_t n)
{
	for (unsigned i = 8; i--; n >>= 8)
		at[i] = (uint8_t)n;
}

/* In as many bytes as the number there had, which was as large or larger. */
static void put_long(const struct fl_jfr_chunk *chunk, uint8_t *at,
		     unsigned size, uint64_t n)
{
	if (!chunk->header.compressed) {
		put_big_endian(at, n);
		return;
	}
	for (unsigned i = 0; i < size; i++, n >>= 7)
		at[i] = i == 8 ? (uint8_t)n :
			(uint8_t)((n & 0x7f) | (i + 1 < size ? 0x80 : 0));
}

/*
 * A checkpoint's way to the next one, as written: *at, the bytes of the chunk
 * where it stands, and its *size.  false: it leads nowhere.
 */
static bool find_way(const struct pass *pass, const uint8_t *begin,
		     const uint8_t **at, unsigned *size, uint64_t *way)
{
	struct fl_jfr_chunk *chunk = pass->chunk;
	uint64_t from = (uint64_t)(begin - chunk->at), here, there, delta;
	struct fl_wire w = fl_jfr_wire(chunk, from);

	fl_wire_int(&w);
	for (unsigned i = 0; i < 3; i++)
		fl_wire_long(&w);	/* type, start, duration */
	*at = w.at;
	delta = fl_wire_long(&w);
	*size = (unsigned)(w.at - *at);
	*way = 0;
	if (!delta)
		return true;
	if (!find_mark(pass, from, &here) ||
	    !find_mark(pass, from + delta, &there))
		return false;
	*way = there - here;
	return true;
}

/* Whether the header and all checkpoints lead to one another. */
static bool is_linked(const struct pass *pass, uint64_t *pools, uint64_t *meta)
{
	const struct fl_jfr_chunk *chunk = pass->chunk;

	*pools = *meta = 0;
	if (!find_mark(pass, chunk->header.meta_at, meta) ||
	    (chunk->header.pools_at &&
	     !find_mark(pass, chunk->header.pools_at, pools)))
		return false;
	for (size_t i = 0; i < pass->nmarks; i++) {
		const uint8_t *begin = chunk->at + pass->marks[i].from, *at;
		struct fl_wire w = fl_jfr_wire(chunk, pass->marks[i].from);
		unsigned size;
		uint64_t way;

		fl_wire_int(&w);
		if (fl_wire_long(&w) == 1 &&
		    !find_way(pass, begin, &at, &size, &way))
			return false;
	}
	return true;
}

static void put_header(const struct pass *pass, uint64_t pools, uint64_t meta)
{
	enum { STATE = 64 };
	const struct fl_jfr_chunk *chunk = pass->chunk;
	uint8_t header[FL_JFR_HEADER];

	memcpy(header, chunk->at, sizeof(header));
	put_big_endian(header + 8, pass->size);
	put_big_endian(header + 16, pools);
	put_big_endian(header + 24, meta);
	/* One that was not finished ends here. */
	if (chunk->header.state)
		header[STATE] = 0;
	fl_out_put(pass->copy->out, header, sizeof(header));
}

static void put_checkpoint(const struct pass *pass,
			   const struct fl_jfr_head *head)
{
	struct fl_out *out = pass->copy->out;
	const uint8_t *at, *end = head->begin + head->size;
	uint8_t bytes[9];
	unsigned size;
	uint64_t way;

	find_way(pass, head->begin, &at, &size, &way);
	put_long(pass->chunk, bytes, size, way);
	fl_out_put(out, head->begin, (size_t)(at - head->begin));
	fl_out_put(out, bytes, size);
	fl_out_put(out, at + size, (size_t)(end - at - size));
}

static void put_events(struct pass *pass)
{
	struct fl_wire w = fl_jfr_wire(pass->chunk, FL_JFR_HEADER);

	pass->next = 0;
	while (w.at < w.end) {
		struct fl_jfr_head head;

		if (!fl_jfr_read_head(&w, w.end, &head))
			return;
		if (head.type == 1)
			put_checkpoint(pass, &head);
		else if (!head.type || is_chosen(pass, &head, w))
			fl_out_put(pass->copy->out, head.begin, head.size);
		w.at = head.begin + head.size;
	}
}

/*
 * A chunk of which no sample is left is left out.  Settings of async-profiler
 * are in its first chunk alone.
 */
static bool is_needed(const struct pass *pass)
{
	if (pass->settings_only || pass->copy->nchosen)
		return true;
	if (pass->chunk->async && pass->nsettings)
		return true;
	return !pass->nsamples && pass->nothers;
}

/* false: it is damaged, or out of memory. */
static bool put_chunk(struct pass *pass)
{
	uint64_t pools, meta;

	if (!measure(pass) || !is_linked(pass, &pools, &meta))
		return false;
	if (!is_needed(pass)) {
		pass->copy->left_out = pass->chunk;
		return true;
	}
	put_header(pass, pools, meta);
	put_events(pass);
	return true;
}

static bool write_chunk(struct fl_jfr_copy *copy, struct fl_jfr_chunk *chunk,
			bool settings_only)
{
	struct pass pass = {
		.copy = copy, .chunk = chunk, .settings_only = settings_only
	};
	bool good;

	pass.fates = fl_zeroed(chunk->types->nclasses + 1, 1);
	if (!pass.fates)
		fl_no_memory(chunk->flame);
	good = pass.fates && put_chunk(&pass);
	fl_free(pass.fates);
	fl_free(pass.marks);
	return good;
}

/* Whether a written event has its stack in the chunk before. */
static bool looks_back(const struct fl_jfr_chunk *chunk)
{
	const struct fl_jfr_traces *traces = chunk->traces;

	for (size_t i = 0; i < traces->count; i++)
		if (traces->data[i].made && !traces->data[i].at &&
		    traces->data[i].key)
			return true;
	return false;
}

static int by_place(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

int fl_jfr_copy_chunk(struct fl_jfr_chunk *chunk)
{
	struct fl_jfr_copy *copy = chunk->jfr->copy;
	struct fl_jfr_chunk *before = chunk->jfr->before;
	bool good = !chunk->damage.why;

	if (copy->nchosen)
		qsort(copy->chosen, copy->nchosen, sizeof(*copy->chosen), by_place);
	if (good && copy->nchosen && before && before == copy->left_out &&
	    looks_back(chunk)) {
		size_t n = copy->nchosen;

		copy->nchosen = 0;
		write_chunk(copy, before, true);
		copy->nchosen = n;
	}
	copy->left_out = NULL;
	if (chunk->asked.repeated || (chunk->asked.skim && !chunk->async))
		copy->left_out = chunk;
	else
		good = good && write_chunk(copy, chunk, chunk->asked.skim);
	copy->damaged += !good;
	copy->nchosen = 0;
	return fl_failed(chunk->flame) ? FLAME_FAILED : FLAME_OK;
}

/* The sink -------------------------------------------------------------- */

int fl_jfr_copy_place(struct fl_jfr *jfr, uint64_t end)
{
	struct fl_jfr_copy *copy = jfr->copy;
	size_t n = jfr->source->batch.n;

	if (!fl_grow(&copy->places, &copy->capacity, n,
		     sizeof(*copy->places)))
		return fl_no_memory(jfr->source->flame);
	copy->places[n - 1] = end;
	return FLAME_OK;
}

static int begin(struct flame_sink *sink, struct flame_source *source)
{
	struct fl_jfr_copy *copy = sink->state;
	const char *name = fl_in_name(source->in);

	copy->source = source;
	copy->damaged = 0;
	copy->left_out = NULL;
	if (source->format == &fl_format_empty)
		return FLAME_OK;
	if (strcmp(source->format->name, "jfr") != 0)
		return fl_fail(sink->flame, "%s: %s, not a JFR recording, whose "
			       "events -f jfr copies", name,
			       source->format->name);
	if (source->select.leak)
		return fl_fail(sink->flame, "--leak: what was not freed is "
			       "known at the end, and -f jfr copies events as "
			       "they come");
	if (fl_is_wanted(source->select.labels, "holder"))
		return fl_fail(sink->flame, "--label holder: not with -f jfr");
	((struct fl_jfr *)source->state)->copy = copy;
	return FLAME_OK;
}

static int end(struct flame_sink *sink, struct flame_source *source)
{
	struct fl_jfr_copy *copy = sink->state;

	if (copy->damaged)
		fl_warn(sink->flame, "%s: %" PRIu64 " damaged chunks are not "
			"written", fl_in_name(source->in), copy->damaged);
	copy->source = NULL;
	return FLAME_OK;
}

/* The sample is the last one of its source. */
static int put(struct flame_sink *sink, const struct flame_sample *sample)
{
	struct fl_jfr_copy *copy = sink->state;

	(void)sample;
	if (!copy->source)
		return fl_fail(sink->flame, "-f jfr: copies the events of "
			       "recordings, and these are sums of them");
	if (!fl_grow(&copy->chosen, &copy->chosen_capacity, copy->nchosen + 1,
		     sizeof(*copy->chosen)))
		return fl_no_memory(sink->flame);
	copy->chosen[copy->nchosen++] =
		copy->places[copy->source->batch.given - 1];
	copy->any = true;
	return FLAME_OK;
}

static int finish(struct flame_sink *sink)
{
	struct fl_jfr_copy *copy = sink->state;
	struct fl_out *out = copy->out;

	if (!copy->any && fl_report_empty(sink->flame) != FLAME_OK)
		return FLAME_FAILED;
	copy->out = NULL;
	return fl_out_close(out);
}

static void release(struct flame_sink *sink)
{
	struct fl_jfr_copy *copy = sink->state;

	fl_out_discard(copy->out);
	fl_free(copy->places);
	fl_free(copy->chosen);
}

static struct flame_sink *create(struct flame *flame, struct fl_out *out)
{
	struct flame_sink *sink = fl_sink_new(flame, NULL,
					      sizeof(struct fl_jfr_copy));

	if (!sink) {
		fl_out_discard(out);
		return NULL;
	}
	((struct fl_jfr_copy *)sink->state)->out = out;
	sink->needs = FL_NEED_ORDER;
	sink->copies = true;
	sink->begin = begin;
	sink->end = end;
	sink->put = put;
	sink->finish = finish;
	sink->free = release;
	return sink;
}

/* No ending names it: a name that ends in .jfr is an input's as a rule. */
const struct fl_format fl_format_jfr_write = {
	.name = "jfr",
	.facts = FLAME_COPIES,
	.summary = "the selected events of JFR recordings, as they are",
	.create = create,
};
