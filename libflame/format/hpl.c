/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads logs of honest-profiler (.hpl).  Equal traces of a thread are one
 * sample of the metric cpu, which weighs their number.  A log has records
 * without a header, a byte of their kind each, numbers with their highest byte
 * first.
 *
 *	1, 11	a trace: frames (32 bits), thread (64); 11: also s and ns (64)
 *	2, 21	its frames, leaf first: bci (32), 21: line (32), method (64)
 *	3, 31	a method: its number (64), file, class, name; 31: three more
 *	4	a thread: its number (64), name
 *	0	the end: zeros may follow, and another log
 *
 * Texts have their size (32) before them.  Methods come after their first
 * use.  A trace without frames has a reason, 0 or below.
 */
#include "fl.h"

#include "format/format.h"

#include <inttypes.h>

enum {
	END = 0, TRACE = 1, FRAME = 2, METHOD = 3, THREAD = 4,
	TIMED_TRACE = 11, LINE_FRAME = 21, GENERIC_METHOD = 31
};

enum { MAX_FRAMES = 1 << 16, MAX_TEXT = 1 << 20, MIN_PEEK = 1 << 16 };

static const char *const reasons[] = {
	"[no Java frames]", "[no class load]", "[GC active]",
	"[unknown, not Java]", "[not walkable, not Java]", "[unknown, Java]",
	"[not walkable, Java]", "[unknown state]", "[thread exit]", "[deopt]",
	"[safepoint]",
};

/* Places of methods, and what stacks are made of them. */
struct place {
	uint64_t method;
	uint32_t line;
};

struct node {
	uint32_t parent, place;
};

struct reader {
	struct flame_source *source;
	struct flame *flame;
	const uint8_t *head;	/* peeked */
	size_t size, at;
	struct place *places;
	size_t nplaces, places_capacity;
	struct fl_map place_ids;	/* hash of method and line -> + 1 */
	struct node *nodes;	/* 0 is the root */
	size_t nnodes, nodes_capacity;
	struct fl_map node_ids;		/* (parent, place) -> node */
	struct fl_map methods;		/* number -> name */
	struct fl_map files, threads;	/* number -> name */
	struct fl_map thread_ids;	/* number -> + 1 */
	uint64_t *tids;
	size_t ntids, tids_capacity;
	struct fl_map counts;		/* (node, thread) -> samples */
	uint32_t *trace;		/* places, leaf first */
	size_t depth, capacity;
	int64_t wanted;			/* frames that are not read yet */
	uint32_t thread;		/* of the trace */
	bool open;
	flame_id *stacks;		/* of nodes */
	flame_id metric;
	size_t given;
	uint64_t traces;
	struct fl_buf buf;
	bool read, cut;
	bool more;			/* another log follows */
};

/* Bytes --------------------------------------------------------------- */

struct bytes {
	const uint8_t *at;
	size_t size;
	bool short_of;		/* more were wanted than there are */
};

static uint64_t read_number(struct bytes *b, unsigned n)
{
	uint64_t value = 0;

	if (b->size < n) {
		b->short_of = true;
		b->size = 0;
		return 0;
	}
	for (unsigned i = 0; i < n; i++)
		value = value << 8 | b->at[i];
	b->at += n;
	b->size -= n;
	return value;
}

static struct slice read_text(struct bytes *b)
{
	uint64_t n = read_number(b, 4);
	struct slice s = { (const char *)b->at, (size_t)n };

	if (n > MAX_TEXT || n > b->size) {
		b->short_of = true;
		return FL_SLICE("");
	}
	b->at += n;
	b->size -= (size_t)n;
	return s;
}

/* Passes over a record's fields; false: no record is of such a kind. */
static bool skip_record(struct bytes *b, uint8_t kind)
{
	int32_t frames;

	switch (kind) {
	case TRACE:
	case TIMED_TRACE:
		frames = (int32_t)read_number(b, 4);
		read_number(b, 8);
		if (kind == TIMED_TRACE) {
			read_number(b, 8);
			read_number(b, 8);
		}
		return frames >= -20 && frames <= MAX_FRAMES;
	case LINE_FRAME:
	case FRAME:
		if (kind == LINE_FRAME)
			read_number(b, 4);
		read_number(b, 4);
		read_number(b, 8);
		return true;
	case METHOD:
	case GENERIC_METHOD:
		read_number(b, 8);
		for (int i = 0; i < (kind == METHOD ? 3 : 6); i++)
			read_text(b);
		return true;
	case THREAD:
		read_number(b, 8);
		read_text(b);
		return true;
	}
	return false;
}

/* Traces -------------------------------------------------------------- */

/* The number of a place. */
static uint32_t place_of(struct reader *r, uint64_t method, uint32_t line)
{
	uint64_t *id = fl_map_put(&r->place_ids, fl_hash_pair(method, line),
				  NULL);

	if (!id || r->nplaces >= UINT32_MAX - 1 ||
	    !fl_grow(&r->places, &r->places_capacity, r->nplaces + 1,
		     sizeof(*r->places))) {
		fl_no_memory(r->flame);
		return 0;
	}
	if (!*id) {
		r->places[r->nplaces++] = (struct place){ method, line };
		*id = r->nplaces;
	}
	return (uint32_t)*id - 1;
}

static uint32_t node_of(struct reader *r, uint32_t parent, uint32_t place)
{
	uint64_t *id = fl_map_put(&r->node_ids,
				  (uint64_t)parent << 32 | place, NULL);

	if (!id || r->nnodes >= UINT32_MAX - 1 ||
	    !fl_grow(&r->nodes, &r->nodes_capacity, r->nnodes + 2,
		     sizeof(*r->nodes))) {
		fl_no_memory(r->flame);
		return 0;
	}
	if (!r->nnodes)
		r->nodes[r->nnodes++] = (struct node){ 0, 0 };
	if (!*id) {
		*id = r->nnodes;
		r->nodes[r->nnodes++] = (struct node){ parent, place };
	}
	return (uint32_t)*id;
}

static void end_trace(struct reader *r)
{
	uint32_t node = 0;
	uint64_t *count;

	r->open = false;
	for (size_t i = r->depth; i--;)
		node = node_of(r, node, r->trace[i]);
	count = fl_map_put(&r->counts, (uint64_t)node << 32 | r->thread, NULL);
	if (count)
		++*count;
	else
		fl_no_memory(r->flame);
	r->traces++;
}

static void add_frame(struct reader *r, uint64_t method, uint32_t line)
{
	if (!fl_grow(&r->trace, &r->capacity, r->depth + 1,
		     sizeof(*r->trace))) {
		fl_no_memory(r->flame);
		return;
	}
	r->trace[r->depth++] = place_of(r, method, line);
	if (r->open && --r->wanted <= 0)
		end_trace(r);
}

/* Reasons have numbers that are not pointers of methods. */
static void begin_trace(struct reader *r, int32_t frames, uint64_t tid)
{
	uint64_t *id = fl_map_put(&r->thread_ids, tid, NULL);

	if (!id || !fl_grow(&r->tids, &r->tids_capacity, r->ntids + 1,
			    sizeof(*r->tids))) {
		fl_no_memory(r->flame);
		return;
	}
	if (!*id) {
		r->tids[r->ntids++] = tid;
		*id = r->ntids;
	}
	r->thread = (uint32_t)*id - 1;
	r->depth = 0;
	r->open = true;
	r->wanted = frames;
	if (frames > 0)
		return;
	r->wanted = 1;
	add_frame(r, (uint64_t)FL_MIN(-frames, 10), UINT32_MAX);
}

/* Names --------------------------------------------------------------- */

static void put_name(struct reader *r, struct fl_map *map, uint64_t key,
		     struct slice s)
{
	uint64_t *name = fl_map_put(map, key, NULL);

	if (name)
		*name = flame_name(r->flame, s.data, s.size);
	else
		fl_no_memory(r->flame);
}

/* "Lcom/example/A;" and "run" are com/example/A.run. */
static void take_method(struct reader *r, struct bytes *b)
{
	uint64_t id = read_number(b, 8);
	struct slice file = read_text(b), class = read_text(b);
	struct slice name = read_text(b);

	if (class.size > 1 && class.data[0] == 'L' &&
	    fl_slice_ends(class, ";"))
		class = (struct slice){ class.data + 1, class.size - 2 };
	r->buf.size = 0;
	fl_buf_put(&r->buf, class.data, class.size);
	if (class.size)
		fl_buf_byte(&r->buf, '.');
	fl_buf_put(&r->buf, name.data, name.size);
	put_name(r, &r->methods, id, fl_buf_slice(&r->buf));
	if (file.size)
		put_name(r, &r->files, id, file);
}

static void take_record(struct reader *r, uint8_t kind, struct bytes b)
{
	uint64_t a, c;

	switch (kind) {
	case TRACE:
	case TIMED_TRACE:
		a = read_number(&b, 4);
		begin_trace(r, (int32_t)a, read_number(&b, 8));
		break;
	case FRAME:
		read_number(&b, 4);
		add_frame(r, read_number(&b, 8), 0);
		break;
	case LINE_FRAME:
		read_number(&b, 4);
		a = read_number(&b, 4);
		c = read_number(&b, 8);
		add_frame(r, c, a <= INT32_MAX ? (uint32_t)a : 0);
		break;
	case METHOD:
	case GENERIC_METHOD:
		take_method(r, &b);
		break;
	case THREAD:
		a = read_number(&b, 8);
		put_name(r, &r->threads, a, read_text(&b));
		break;
	}
}

/* The next record; false: there are no more. */
static bool next_record(struct reader *r)
{
	struct fl_in *in = r->source->in;
	struct bytes b, fields;
	size_t want = MIN_PEEK;
	uint8_t kind;

	for (;;) {
		if (r->at == r->size && want == MIN_PEEK) {
			fl_in_consume(in, r->at);
			r->at = 0;
			r->head = fl_in_peek(in, want, &r->size);
		}
		if (!r->head || r->at == r->size)
			return false;
		kind = r->head[r->at];
		if (kind == END)
			return false;
		fields = (struct bytes){ r->head + r->at + 1,
					 r->size - r->at - 1, false };
		b = fields;
		if (!skip_record(&b, kind)) {
			r->cut = true;
			return false;
		}
		if (!b.short_of)
			break;
		if (want > MIN_PEEK * 64) {
			r->cut = true;
			return false;
		}
		want *= 2;
		fl_in_consume(in, r->at);
		r->at = 0;
		r->head = fl_in_peek(in, want, &r->size);
		if (r->size < want && want > MIN_PEEK * 2) {
			r->cut = true;
			return false;
		}
	}
	take_record(r, kind, fields);
	r->at = r->size - b.size;
	return true;
}

/* After the end: whether another log begins, packed or not. */
static bool skip_zeros(struct reader *r)
{
	struct fl_in *in = r->source->in;

	while (r->size) {
		if (r->at == r->size) {
			fl_in_consume(in, r->at);
			r->at = 0;
			r->head = fl_in_peek(in, MIN_PEEK, &r->size);
		} else if (r->head[r->at] == END) {
			r->at++;
		} else {
			fl_in_consume(in, r->at);
			fl_in_decode_at(in, 0);
			r->at = 0;
			r->head = fl_in_peek(in, MIN_PEEK, &r->size);
			return r->size > 0;
		}
	}
	return false;
}

/* Numbers of another log are of another process. */
static void forget(struct reader *r)
{
	struct fl_map *maps[] = {
		&r->place_ids, &r->node_ids, &r->methods, &r->files,
		&r->threads, &r->thread_ids, &r->counts
	};

	for (size_t i = 0; i < FL_COUNT(maps); i++)
		fl_map_clear(maps[i]);
	fl_free(r->stacks);
	r->stacks = NULL;
	r->nplaces = r->nnodes = r->ntids = r->given = 0;
	r->open = false;
}

static void read_log(struct reader *r)
{
	forget(r);
	r->read = true;
	r->counts.ordered = true;
	while (!fl_failed(r->flame) && next_record(r))
		;
	r->more = !r->cut && skip_zeros(r);
	r->cut |= r->open;
	r->metric = flame_metric(r->flame, "cpu", "samples");
	r->stacks = fl_zeroed(FL_MAX(r->nnodes, 1u), sizeof(*r->stacks));
	if (!r->stacks || r->buf.failed)
		fl_no_memory(r->flame);
}

/* Samples ------------------------------------------------------------- */

static flame_id frame_of(struct reader *r, const struct place *place)
{
	const uint64_t *name = fl_map_get(&r->methods, place->method);
	const uint64_t *file = fl_map_get(&r->files, place->method);
	struct flame_frame frame = { .type = FLAME_UNKNOWN };

	if (place->line == UINT32_MAX)
		return fl_frame(r->flame, fl_name(r->flame,
						  reasons[place->method]),
				FLAME_GROUP);
	frame.name = name ? (flame_id)*name :
			    fl_name(r->flame, "[unknown method]");
	frame.file = file ? (flame_id)*file : 0;
	frame.line = place->line;
	return flame_frame(r->flame, &frame);
}

static void make_stacks(struct reader *r)
{
	for (size_t i = 1; i < r->nnodes && !fl_failed(r->flame); i++)
		r->stacks[i] = flame_stack(r->flame,
			r->stacks[r->nodes[i].parent],
			frame_of(r, &r->places[r->nodes[i].place]));
}

static flame_id thread_of(struct reader *r, uint64_t tid)
{
	const uint64_t *name = fl_map_get(&r->threads, tid);
	struct slice s = { "", 0 };

	if ((int64_t)tid < 0)
		return 0;
	if (name)
		s = fl_name_at(r->flame, (flame_id)*name);
	return fl_thread(r->flame, s, (int64_t)tid);
}

static int read(struct flame_source *source)
{
	struct reader *r = source->state;
	const struct fl_map_entry *e = NULL;
	struct flame_sample sample;

	while (!e) {
		e = r->read ? fl_map_each(&r->counts, &r->given) : NULL;
		if (e || (r->read && !r->more))
			break;
		read_log(r);
		if (!fl_failed(r->flame))
			make_stacks(r);
		if (fl_failed(r->flame))
			return FLAME_FAILED;
	}
	if (fl_failed(r->flame))
		return FLAME_FAILED;
	if (e) {
		sample = (struct flame_sample){
			.stack = r->stacks[e->key >> 32], .metric = r->metric,
			.thread = thread_of(r, r->tids[(uint32_t)e->key]),
			.time = FLAME_NOTIME, .weight = (int64_t)e->value,
		};
		return fl_emit(source, &sample, 1);
	}
	if (r->cut) {
		fl_warn(r->flame, "%s: cut or damaged: %" PRIu64 " traces were "
			"whole", fl_in_name(source->in), r->traces);
		source->damage = r->traces ? 1 : 2;
	}
	r->cut = false;
	return FLAME_END;
}

/* The row of formats.def ------------------------------------------------ */

static int open_hpl(struct flame_source *source)
{
	struct reader *r = source->state;

	r->source = source;
	r->flame = source->flame;
	return FLAME_OK;
}

static void release(void *state)
{
	struct reader *r = state;

	fl_free(r->places);
	fl_map_free(&r->place_ids);
	fl_free(r->nodes);
	fl_map_free(&r->node_ids);
	fl_map_free(&r->methods);
	fl_map_free(&r->files);
	fl_map_free(&r->threads);
	fl_map_free(&r->thread_ids);
	fl_free(r->tids);
	fl_map_free(&r->counts);
	fl_free(r->trace);
	fl_free(r->stacks);
	fl_buf_free(&r->buf);
}

/* Records without a mark: some must follow each other, a trace among them. */
static int probe(const uint8_t *head, size_t n, bool whole)
{
	struct bytes b = { head, n, false };
	unsigned records = 0;
	bool trace = false;

	(void)whole;
	while (b.size && records < 16) {
		uint8_t kind = *b.at;

		b.at++;
		b.size--;
		if (kind == END && records > 1)
			break;
		if (!skip_record(&b, kind))
			return 0;
		if (b.short_of)
			break;
		trace |= kind == TRACE || kind == TIMED_TRACE;
		records++;
	}
	return trace && records > 2 ? 24 : 0;
}

const struct fl_format fl_format_hpl = {
	.name = "hpl",
	.summary = "logs of honest-profiler (.hpl)",
	.probe = probe,
	.state_size = sizeof(struct reader),
	.open = open_hpl,
	.read = read,
	.release = release,
	.completes_late = true,
};
