/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads our own pages, as draw/html.c packs them, into stacks and their self
 * weights, for html.c (fl_own_read).  Columns of the data come one after the
 * other, so children and ranks are stored until the self weights arrive; memory
 * grows with the bytes read, whatever the head claims.
 */
#include "fl.h"

#include "format/picture/picture.h"

#include <stdlib.h>
#include <zlib.h>

enum {
	VERSION = 3, COMPARES = 2, SAMPLES = 8, OPENS = 16, FAMILIES = 64,
	STARTS = 256,
	MOST = FL_MAX_TIMED_SAMPLES,	/* samples */
	BLOCK = 16 << 10,
	MAX_FACTS = 2000	/* of an input */
};

/* Base64 in, bytes out. */
struct unpacker {
	struct fl_in *in;
	z_stream z;
	uint32_t hold;		/* bits of base64 */
	unsigned nbits;
	bool ended;		/* no more base64 */
	bool failed;
	size_t at, n;		/* of out */
	uint8_t deflated[BLOCK];
	uint8_t out[4 * BLOCK];
};

static int digit(uint8_t c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static void decode(struct unpacker *u)
{
	size_t avail, used = 0, n = 0;
	const uint8_t *from = fl_in_peek(u->in, 1, &avail);

	u->ended = !avail;
	while (used < avail && n < sizeof(u->deflated)) {
		int d = digit(from[used]);

		if (d < 0) {
			u->ended = true;
			break;
		}
		used++;
		u->hold = u->hold << 6 | (uint32_t)d;
		u->nbits += 6;
		if (u->nbits < 8)
			continue;
		u->nbits -= 8;
		u->deflated[n++] = (uint8_t)(u->hold >> u->nbits);
	}
	fl_in_consume(u->in, used);
	u->z.next_in = u->deflated;
	u->z.avail_in = (uInt)n;
}

static bool refill(struct unpacker *u)
{
	u->at = u->n = 0;
	while (!u->failed && !u->n) {
		int status;

		if (!u->z.avail_in && !u->ended)
			decode(u);
		u->z.next_out = u->out;
		u->z.avail_out = sizeof(u->out);
		status = inflate(&u->z, Z_NO_FLUSH);
		u->n = sizeof(u->out) - u->z.avail_out;
		u->failed = !u->n && (status != Z_OK || u->ended) &&
			    !(status == Z_BUF_ERROR && !u->ended);
	}
	return !u->failed;
}

static uint8_t byte(struct unpacker *u)
{
	if (u->at == u->n && !refill(u))
		return 0;
	return u->out[u->at++];
}

static uint64_t number(struct unpacker *u)
{
	uint64_t n = 0;
	uint8_t c;

	for (unsigned shift = 0;; shift += 7) {
		c = byte(u);
		if (shift > 63 || (shift == 63 && c > 1)) {
			u->failed = true;
			return 0;
		}
		n |= (uint64_t)(c & 127) << shift;
		if (c < 128 || u->failed)
			return n;
	}
}

/* Appends `size` bytes. */
static void text(struct unpacker *u, uint64_t size, struct fl_buf *to)
{
	while (size && !u->failed && !to->failed) {
		size_t n;

		if (u->at == u->n && !refill(u))
			return;
		n = FL_MIN(size, u->n - u->at);
		fl_buf_put(to, (const char *)u->out + u->at, n);
		u->at += n;
		size -= n;
	}
}

/* The data ---------------------------------------------------------------- */

struct own {
	struct flame *flame;
	struct flame_source *source;
	struct unpacker *u;
	uint64_t n, nsymbols, ncolors;
	bool compares, samples, opens, families, starts;
	struct fl_buf unit, metric, name;
	flame_id *frames;	/* of symbols */
	size_t nframes, frames_capacity;
	struct node {
		uint32_t children;	/* then: its entry's parent */
		uint32_t rank;		/* then: its symbol */
		flame_id stack;
		int64_t self;
	} *nodes;
	size_t nnodes, capacity;
	struct fl_map seen;	/* (symbol, rank) -> symbol */
};

static void read_head(struct own *own)
{
	struct fl_buf skipped = { 0 }, title = { 0 };
	struct fl_buf *texts[] = { &title, NULL, NULL, &own->unit,
				   &own->metric, NULL, NULL };
	struct unpacker *u = own->u;
	uint64_t flags;

	flags = number(u);
	own->compares = flags & COMPARES;
	own->samples = flags & SAMPLES;
	own->starts = flags & STARTS;
	own->opens = flags & OPENS;
	own->families = flags & FAMILIES;
	own->n = number(u);
	own->nsymbols = number(u);
	own->ncolors = number(u);
	number(u);
	for (size_t i = 0; i < FL_COUNT(texts) - !own->opens; i++) {
		text(u, number(u), texts[i] ? texts[i] : &skipped);
		if (texts[i])
			fl_buf_byte(texts[i], '\0');
	}
	if (!u->failed && title.size > 1 && !title.failed)
		fl_title_found(own->source,
			       (struct slice){ title.data, title.size - 1 });
	fl_buf_free(&skipped);
	fl_buf_free(&title);
	for (uint64_t i = 0; i < own->ncolors && !u->failed; i++)
		for (unsigned k = 0; k < 6; k++)
			byte(u);
}

static bool read_symbols(struct own *own)
{
	struct unpacker *u = own->u;

	for (uint64_t i = 0; i < own->nsymbols && !u->failed; i++) {
		uint64_t same = number(u), more = number(u), type;

		u->failed |= same > own->name.size;
		if (u->failed)
			break;
		own->name.size = same;
		text(u, more, &own->name);
		type = number(u);
		number(u);
		u->failed |= type >= FL_TYPES;
		if (u->failed)
			break;
		if (own->name.failed ||
		    !fl_grow(&own->frames, &own->frames_capacity, own->nframes + 1,
			     sizeof(*own->frames)))
			return false;
		own->frames[own->nframes++] = fl_frame(
			own->flame,
			flame_name(own->flame,
				   own->name.data ? own->name.data : "",
				   own->name.size),
			(enum flame_type)type);
	}
	u->failed |= !own->nframes;
	return true;
}

/* The labels on frames; in pages of version 1 the script made them. */
static void skip_captions(struct own *own)
{
	struct unpacker *u = own->u;
	uint64_t texts = 0;

	for (uint64_t i = 0; i < own->nsymbols && !u->failed; i++)
		texts += number(u) >> 1 & 1;
	for (uint64_t i = 0; i < 3 * own->nsymbols && !u->failed; i++)
		number(u);
	for (; texts && !u->failed; texts--) {
		own->name.size = 0;
		number(u);
		text(u, number(u), &own->name);
	}
}

/* Children must be as many as there are nodes, at each of them. */
static bool read_children(struct own *own)
{
	struct unpacker *u = own->u;
	uint64_t open = 1;

	for (uint64_t i = 0; i < own->n && !u->failed; i++) {
		uint64_t children = number(u);

		u->failed |= !open || children >= own->n;
		open += children - 1;
		u->failed |= open > own->n - i - 1;
		if (!fl_grow(&own->nodes, &own->capacity, own->nnodes + 1,
			     sizeof(*own->nodes)))
			return false;
		own->nodes[own->nnodes++] = (struct node){
			.children = (uint32_t)children };
	}
	u->failed |= open != 0;
	return true;
}

static uint64_t key_of(uint32_t above, uint64_t rank)
{
	return (uint64_t)above << 32 | rank;
}

/* The symbol of a node: of this rank below that one's, or a new one. */
static bool find_symbol(struct own *own, uint32_t above, uint32_t *count,
			uint32_t *symbol)
{
	struct unpacker *u = own->u;
	uint64_t *place;

	if (*symbol) {
		place = fl_map_get(&own->seen, key_of(above, *symbol));
		u->failed |= !place;
		*symbol = place ? (uint32_t)*place : 0;
		return true;
	}
	*symbol = (uint32_t)number(u);
	u->failed |= *symbol >= own->nframes;
	if (u->failed)
		return true;
	place = fl_map_put(&own->seen, key_of(above, ++*count), NULL);
	if (place)
		*place = *symbol;
	return place;
}

static bool read_stacks(struct own *own)
{
	struct unpacker *u = own->u;
	uint32_t *counts = fl_zeroed(own->nframes, sizeof(*counts));
	uint32_t *parent = fl_alloc(fl_size_mul(own->nnodes, sizeof(*parent)));
	bool good = counts && parent;
	struct node *nodes = own->nodes;

	for (size_t i = 0; good && i < own->nnodes; i++)
		nodes[i].rank = (uint32_t)number(u);
	for (size_t i = 0, on = 0; good && i < own->nnodes && !u->failed; i++) {
		if (!i) {
			u->failed |= nodes[0].rank != 0;
			nodes[0].rank = (uint32_t)number(u);
			u->failed |= nodes[0].rank >= own->nframes;
			nodes[0].stack = 0;
			continue;
		}
		while (!nodes[on].children)
			on = parent[on];
		nodes[on].children--;
		parent[i] = (uint32_t)on;
		good = find_symbol(own, nodes[on].rank,
				   &counts[nodes[on].rank], &nodes[i].rank);
		if (good && !u->failed)
			nodes[i].stack = flame_stack(own->flame,
				nodes[on].stack, own->frames[nodes[i].rank]);
		on = i;
	}
	fl_free(counts);
	fl_free(parent);
	return good;
}

static bool read_selfs(struct own *own, struct fl_counts *counts)
{
	struct unpacker *u = own->u;
	int64_t sum = 0;

	for (size_t i = 0; own->compares && i < own->nnodes; i++)
		number(u);
	for (size_t i = 0; i < own->nnodes && !u->failed; i++) {
		uint64_t self = number(u);

		u->failed |= self > INT64_MAX ||
			     __builtin_add_overflow(sum, (int64_t)self, &sum);
		if (!self)
			continue;
		if (!fl_grow(&counts->at, &counts->capacity, counts->n + 1,
			     sizeof(*counts->at)))
			return false;
		counts->at[counts->n++] = (struct fl_count){
			.stack = own->nodes[i].stack, .self = (int64_t)self,
			.time = FLAME_NOTIME };
		own->nodes[i].self = (int64_t)self;
	}
	return true;
}

/* Samples: instead of the sums, which they add up to. */

struct sets {
	struct set {
		flame_id thread, labels;
		uint64_t n;		/* samples */
	} *at;
	size_t n, capacity;
};

static void add_label(struct flame *flame, struct set *set, flame_id key,
		      flame_id value)
{
	bool thread = key == fl_name(flame, "thread") ||
		      key == fl_name(flame, "tid");
	flame_id *to = thread ? &set->thread : &set->labels;

	*to = flame_label(flame, *to, key, value);
}

static bool read_facet(struct own *own, struct sets *sets)
{
	struct unpacker *u = own->u;
	struct fl_buf *name = &own->name;
	flame_id key, *values = NULL;
	size_t n = 0, capacity = 0;
	uint64_t nvalues;
	bool good = true;

	name->size = 0;
	text(u, number(u), name);
	key = flame_name(own->flame, name->data ? name->data : "", name->size);
	name->size = 0;
	nvalues = number(u);
	while (good && !u->failed && n < nvalues) {
		uint64_t same = number(u), more = number(u);

		u->failed |= same > name->size;
		if (u->failed)
			break;
		name->size = same;
		text(u, more, name);
		good = fl_grow(&values, &capacity, n + 1, sizeof(*values)) &&
		       !name->failed;
		if (good)
			values[n++] = flame_name(own->flame,
						 name->data ? name->data : "",
						 name->size);
	}
	for (size_t i = 0; good && i < sets->n && !u->failed; i++) {
		uint64_t k = number(u);

		u->failed |= k > n;
		if (k && !u->failed)
			add_label(own->flame, &sets->at[i], key,
				  values[k - 1]);
	}
	fl_free(values);
	return good;
}

static void read_times(struct own *own, struct fl_counts *counts,
		       const struct sets *sets, uint64_t tick, int64_t start,
		       int64_t zero)
{
	struct unpacker *u = own->u;
	struct flame_source *source = own->source;
	size_t at = 0;

	source->start = zero;
	source->end = start;
	for (size_t i = 0; i < sets->n; i++) {
		uint64_t time = 0;

		for (uint64_t k = 0; k < sets->at[i].n && !u->failed; k++) {
			int64_t *to = &counts->at[at++].time;
			uint64_t past;

			u->failed |= __builtin_add_overflow(time, number(u),
							    &time);
			if (!time || u->failed)
				continue;
			u->failed |= __builtin_mul_overflow(time - 1, tick,
							    &past) ||
				     __builtin_add_overflow(start, past, to);
			source->end = FL_MAX(source->end, *to);
		}
	}
}

/* Entries for as many samples as the sets have: all except empty stacks. */
static bool make_counts(struct own *own, struct fl_counts *counts,
			const struct sets *sets, uint64_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < sets->n; i++)
		own->u->failed |= __builtin_add_overflow(sum, sets->at[i].n,
							 &sum);
	own->u->failed |= sum != n || n > MOST;
	if (own->u->failed)
		return true;
	if (!fl_grow(&counts->at, &counts->capacity, n, sizeof(*counts->at)))
		return false;
	counts->n = 0;
	for (size_t i = 0; i < sets->n; i++)
		for (uint64_t k = 0; k < sets->at[i].n; k++)
			counts->at[counts->n++] = (struct fl_count){
				.time = FLAME_NOTIME,
				.thread = sets->at[i].thread,
				.labels = sets->at[i].labels };
	return true;
}

/* They must add up to the selfs. */
static void read_weights(struct own *own, struct fl_counts *counts)
{
	struct unpacker *u = own->u;

	for (size_t i = 0; i < counts->n && !u->failed; i++) {
		uint64_t node = number(u);

		u->failed |= node >= own->nnodes;
		if (!u->failed)
			counts->at[i].stack = (flame_id)node;
	}
	for (size_t i = 0; i < counts->n && !u->failed; i++) {
		struct node *node = &own->nodes[counts->at[i].stack];
		uint64_t weight = number(u);

		u->failed |= weight > (uint64_t)node->self;
		if (u->failed)
			break;
		node->self -= (int64_t)weight;
		counts->at[i].self = (int64_t)weight;
		counts->at[i].stack = node->stack;
	}
	for (size_t i = 0; i < own->nnodes; i++)
		u->failed |= own->nodes[i].self != 0;
}

static bool read_samples(struct own *own, struct fl_counts *counts)
{
	struct unpacker *u = own->u;
	uint64_t tick = number(u), start = number(u);
	uint64_t lead = own->starts ? number(u) : 0;
	uint64_t zero = start + lead - (own->starts ? number(u) : 0);
	uint64_t facets = number(u);
	uint64_t nsets = number(u), n = number(u);
	struct sets sets = { 0 };
	bool good = true;

	u->failed |= nsets > n || n > MOST;
	while (good && sets.n < nsets && !u->failed) {
		good = fl_grow(&sets.at, &sets.capacity, sets.n + 1,
			       sizeof(*sets.at));
		if (good)
			sets.at[sets.n++] = (struct set){ 0 };
	}
	for (uint64_t i = 0; i < facets && good && !u->failed; i++)
		good = read_facet(own, &sets);
	for (size_t i = 0; i < sets.n && !u->failed; i++)
		sets.at[i].n = number(u);
	if (good && !u->failed)
		good = make_counts(own, counts, &sets, n);
	if (good && tick && !u->failed)
		read_times(own, counts, &sets, tick, (int64_t)start,
			   (int64_t)zero);
	if (good && !u->failed)
		read_weights(own, counts);
	fl_free(sets.at);
	return good;
}

/* The names of the colours; a page that is cut may lack some of them. */
static void skip_texts(struct own *own, uint64_t n)
{
	struct unpacker *u = own->u;

	for (; n && !u->failed; n--) {
		own->name.size = 0;
		text(u, number(u), &own->name);
	}
}

/* The line of words: three texts a part. */
static void skip_said(struct own *own)
{
	uint64_t n = number(own->u);

	for (; n && !own->u->failed; n--)
		skip_texts(own, 3);
}

static int read_data(struct own *own, struct fl_counts *counts,
		     const char *name)
{
	struct unpacker *u = own->u;
	uint64_t version = number(u);
	bool good;

	if (!u->failed && (!version || version > VERSION))
		return fl_fail(own->flame, "%s: a page of a later flame-graph "
			       "(data of version %llu; %d is read)", name,
			       (unsigned long long)version, VERSION);
	read_head(own);
	good = !own->unit.failed && !own->metric.failed && read_symbols(own);
	if (good && version > 1)
		skip_captions(own);
	good = good && (u->failed || read_children(own));
	good = good && (u->failed || read_stacks(own));
	good = good && (u->failed || read_selfs(own, counts));
	if (own->samples && !own->compares)
		good = good && (u->failed || read_samples(own, counts));
	if (good && own->families && !(own->samples && own->compares))
		skip_texts(own, own->ncolors);
	if (good && version > 2 && !own->compares)
		skip_said(own);
	if (!good || own->name.failed)
		return fl_no_memory(own->flame);
	if (u->failed)
		return fl_fail(own->flame, "%s: the profile in this page is "
			       "cut short or damaged", name);
	if (own->compares)
		fl_remark(own->flame, "%s: two profiles are compared in it; "
			  "the second is read", name);
	fl_counts_metric(counts, own->flame, own->metric.data, own->unit.data);
	return fl_failed(own->flame) ? FLAME_FAILED : FLAME_OK;
}

int fl_own_read(struct flame_source *source, struct fl_counts *counts)
{
	struct own own = { .flame = source->flame, .source = source };
	struct unpacker *u = own.u = fl_zeroed(1, sizeof(*u));
	int status = FLAME_FAILED;

	if (u)
		u->in = source->in;
	if (u && inflateInit2(&u->z, -15) == Z_OK) {
		status = read_data(&own, counts, fl_in_name(source->in));
		inflateEnd(&u->z);
	} else {
		fl_no_memory(source->flame);
	}
	fl_buf_free(&own.unit);
	fl_buf_free(&own.metric);
	fl_buf_free(&own.name);
	fl_map_free(&own.seen);
	fl_free(own.frames);
	fl_free(own.nodes);
	fl_free(u);
	return status;
}

/* About the input ---------------------------------------------------------- */

/* Reads a text of the panel Info. */
static void about_text(struct unpacker *u, struct fl_buf *to)
{
	to->size = 0;
	fl_buf_text(to, "");
	text(u, number(u), to);
}

/* To the inputs of the last column: draw/html_about.c. */
static bool find_inputs(struct unpacker *u, struct fl_buf *buf)
{
	uint64_t columns;

	about_text(u, buf);
	about_text(u, buf);
	for (uint64_t n = number(u); n-- && !u->failed;)
		about_text(u, buf);
	columns = number(u);
	about_text(u, buf);
	return !u->failed && columns == 1 && number(u) == 1 && number(u) == 1;
}

/* Of pages of several inputs or of a comparison no fact is of all. */
static void read_facts(struct flame_source *source, struct unpacker *u)
{
	struct fl_buf key = { 0 }, value = { 0 };
	uint64_t n;

	if (find_inputs(u, &key)) {
		about_text(u, &key);
		about_text(u, &key);
		n = number(u);
		for (n = FL_MIN(n, (uint64_t)MAX_FACTS);
		     n-- && !u->failed && !key.failed && !value.failed;) {
			about_text(u, &key);
			about_text(u, &value);
			if (!u->failed && value.data && key.data &&
			    strcmp(key.data, "title") != 0)
				fl_fact(source, key.data, "%s", value.data);
		}
	}
	fl_buf_free(&key);
	fl_buf_free(&value);
}

void fl_own_read_about(struct flame_source *source)
{
	struct unpacker *u = fl_zeroed(1, sizeof(*u));

	if (u)
		u->in = source->in;
	if (u && inflateInit2(&u->z, -15) == Z_OK) {
		read_facts(source, u);
		inflateEnd(&u->z);
	}
	fl_free(u);
}
