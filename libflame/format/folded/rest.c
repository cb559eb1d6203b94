/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ends of stacks that need not be read.  A picture shows no node that weighs
 * less than a share of all, and below most nodes that is so.  A stack is open
 * or shut: lines go down the open ones, and of what is below a shut one no
 * more is known than where it lies in the file, so that it can be read when
 * the shut one has become heavy.  As the sum only grows, most that are opened
 * stay heavy; whether all are that should be is settled at the end by those
 * who asked (fl_deferred_list).
 *
 * The same rest below the same stack is kept once: memory grows with distinct
 * stacks here too.
 */
#include "fl.h"

#include "base/block.h"
#include "format/folded/folded.h"

#include <stdlib.h>
#include <unistd.h>

enum {
	DEEPEST = 4096,		/* levels; what is deeper is read, */
	MOST_MOVES = 8,		/* and what was moved so often */
	FILES = 16,		/* that stay open */
	SOME = 8192,		/* lines: whether it is worth it is asked */
	LIGHT = 3		/* lines that may be light, on an average */
};

/* The end of a stack, in the file. */
struct end {
	uint64_t offset;
	int64_t weight;
	uint32_t size;
	uint32_t hash : 28, moves : 4;
	flame_id stack;		/* that it is below */
	uint32_t next;		/* of that stack; 0: none */
};

struct fl_folded_rest {
	struct fl_deferred rest;	/* for others; must be the first */
	struct flame *flame;
	char *name;		/* of the file */
	int fd;
	double share;
	int64_t sum;		/* of all lines so far */
	bool *open;		/* by stack */
	size_t open_room;
	uint32_t *place_of;	/* by stack, too; 0: it has none */
	size_t place_of_room;
	struct place {		/* [0] is none */
		int64_t ends;	/* what these weigh */
		int64_t whole;	/* lines that end here, and were kept */
		flame_id stack;
		uint32_t first;
		uint32_t levels;
	} *places;
	size_t nplaces, places_room;
	struct end *at;		/* [0] is none */
	size_t n, room;
	struct fl_index index;
	flame_id *opened;	/* whose ends are still to be moved */
	size_t nopened, opened_room;
	size_t given;
	uint64_t lines;
	unsigned kept, alike;	/* of the last SOME */
	bool over;		/* it is not */
	/* To read what was left. */
	struct fl_folded_dialect dialect;
	struct fl_folded_stacks stacks;
	struct fl_folded_line line;
	char *text;
	size_t text_room;
};

static int read_end(struct fl_deferred *rest, size_t i,
		    int (*put)(void *arg, flame_id stack, int64_t weight),
		    void *arg);

static void free_rest(struct fl_deferred *rest)
{
	struct fl_folded_rest *r = (struct fl_folded_rest *)rest;

	if (r->fd >= 0)
		close(r->fd);
	fl_folded_stacks_free(&r->stacks);
	fl_index_free(&r->index);
	fl_free(r->line.text);
	fl_free(r->line.frames);
	fl_free(r->text);
	fl_free(r->name);
	fl_free(r->open);
	fl_free(r->place_of);
	fl_free(r->places);
	fl_free(r->at);
	fl_free(r->opened);
	fl_free(r->rest.stacks);
	fl_free(r);
}

void fl_folded_rest_free(struct fl_folded_rest *r)
{
	if (r)
		free_rest(&r->rest);
}

/* Room by stack, zeroed. */
static bool reach(void *at, size_t *room, size_t stack, size_t size)
{
	char **to = at;
	size_t had = *room;

	if (fl_likely(stack < had))
		return true;
	if (!fl_grow(to, room, stack + 1, size))
		return false;
	memset(*to + had * size, 0, (*room - had) * size);
	return true;
}

/* NULL: memory is out.  Holds until the next. */
static struct place *place_of(struct fl_folded_rest *r, flame_id stack)
{
	uint32_t *id;

	if (!reach(&r->place_of, &r->place_of_room, stack, sizeof(*id)))
		return NULL;
	id = &r->place_of[stack];
	if (!*id) {
		if (!fl_grow(&r->places, &r->places_room, r->nplaces + 1,
			     sizeof(*r->places)))
			return NULL;
		*id = (uint32_t)r->nplaces++;
		r->places[*id] = (struct place){ .stack = stack };
	}
	return &r->places[*id];
}

struct fl_folded_rest *
fl_folded_rest_new(struct flame_source *source,
		   const struct fl_folded_dialect *dialect)
{
	const struct fl_deferred_list *rests = source->select.rests;
	struct fl_folded_rest *r = rests->n < FILES ?
				   fl_zeroed(1, sizeof(*r)) : NULL;

	if (!r)
		return NULL;
	r->rest.read = read_end;
	r->rest.free = free_rest;
	r->flame = r->stacks.flame = source->flame;
	r->dialect = *dialect;
	r->stacks.dialect = &r->dialect;
	r->share = rests->share;
	r->fd = fl_in_dup_file(source->in);
	r->name = fl_memory_adopt(strdup(fl_in_name(source->in)));
	if (r->fd >= 0 && r->name &&
	    fl_grow(&r->places, &r->places_room, 1, sizeof(*r->places)) &&
	    reach(&r->open, &r->open_room, 0, sizeof(*r->open)) &&
	    fl_grow(&r->at, &r->room, 1, sizeof(*r->at))) {
		r->open[0] = true;
		r->n = r->nplaces = 1;
		return r;
	}
	free_rest(&r->rest);
	return NULL;
}

const bool *fl_folded_rest_open(struct fl_folded_rest *r)
{
	return reach(&r->open, &r->open_room, r->flame->stacks.count,
		     sizeof(*r->open)) ?
		       r->open :
		       NULL;
}

/* In the file ------------------------------------------------------------- */

/* NULL: it is not what it was. */
static const char *text_of(struct fl_folded_rest *r, const struct end *end)
{
	ssize_t n;

	if (!fl_grow(&r->text, &r->text_room, end->size, 1)) {
		fl_no_memory(r->flame);
		return NULL;
	}
	for (size_t had = 0; had < end->size; had += (size_t)n) {
		n = pread(r->fd, r->text + had, end->size - had,
			  (off_t)(end->offset + had));
		if (n <= 0) {
			fl_fail(r->flame, "%s: has changed while it was read",
				r->name);
			return NULL;
		}
	}
	return r->text;
}

static bool set_line(struct fl_folded_rest *r, const struct end *end)
{
	const char *text = text_of(r, end);

	r->line.n = 0;
	return text && fl_folded_set_line(&r->line, (struct slice){
						  text, end->size }, 0);
}

/* What is kept ------------------------------------------------------------ */

/* Whether one of its frames may go on behind its ';'. */
static bool has_open(struct slice text)
{
	enum flame_type type;

	while (text.size)
		if (fl_folded_opens(fl_split_type(fl_slice_split(&text, ';'),
						  &type)))
			return true;
	return false;
}

/* Brackets that are no type's, at bits of a block. */
static bool has_bracket(const char *at, const char *end, uint64_t brackets)
{
	for (; brackets; brackets &= brackets - 1) {
		const char *here = at + __builtin_ctzll(brackets);

		if (end - here < 3 || here[2] != ']' || here[1] == ';')
			return true;
	}
	return false;
}

/*
 * Blocks that have two bytes more behind them, as long as they have frames
 * that go on behind no ';', for all that is seen at once: how many frames
 * begin there.  *behind: of the byte before, whether it was a ';'.
 */
static size_t count_whole(const char *text, size_t size, size_t *at,
			  uint64_t *behind)
{
	size_t n = 0;

	for (; size - *at >= FL_FOLDED_BEHIND + 2; *at += FL_FOLDED_BEHIND) {
		const char *block = text + *at;
		uint64_t semis = fl_block_is4(block, ';');
		uint64_t begins = ~semis & (semis << 1 | *behind);
		uint64_t brackets = fl_block_is4(block, '[');
		uint64_t odd = brackets & ~fl_block_is4(block + 2, ']');

		odd |= brackets << 1 & semis;
		odd |= brackets >> 63 & (block[FL_FOLDED_BEHIND] == ';');
		odd |= begins & fl_block_is4(block, 'L');
		if (odd || fl_block_any4(block, '(', '<', '"'))
			break;
		*behind = semis >> 63;
		n += fl_bit_counts(begins) >> 56;
	}
	return n;
}

/*
 * How many frames there are; 0: that is not known so easily.  Behind the text
 * there are FL_FOLDED_BEHIND bytes.
 */
static unsigned count_frames(const struct fl_folded_rest *r, const char *text,
			     size_t size)
{
	uint64_t behind = 1;	/* the last byte was a ';' */
	bool odd = false;
	size_t at = 0, n = count_whole(text, size, &at, &behind);

	for (; at < size; at += FL_FOLDED_BEHIND) {
		const char *block = text + at;
		uint64_t in = size - at < 64 ?
			((uint64_t)1 << (size - at)) - 1 : UINT64_MAX;
		uint64_t semis = fl_block_is4(block, ';');
		uint64_t begins = ~semis & (semis << 1 | behind) & in;
		uint64_t signs = fl_block_is4(block, '(') |
				 fl_block_is4(block, '<') |
				 fl_block_is4(block, '"') |
				 (begins & fl_block_is4(block, 'L'));

		odd = odd || (signs & in) ||
		      has_bracket(block, text + size,
				  fl_block_is4(block, '[') & in);
		behind = semis >> 63;
		n += fl_bit_counts(begins) >> 56;
	}
	if (n > DEEPEST || size > UINT32_MAX ||
	    (odd && !r->dialect.cuts && has_open((struct slice){ text, size })))
		return 0;
	return (unsigned)n;
}

static uint64_t hash_of(flame_id stack, const char *text, size_t size)
{
	return fl_hash_pair(fl_hash(text, size), stack);
}

/* One that is the same; 0: none.  false: see text_of. */
static bool find_end(struct fl_folded_rest *r, const struct end *like,
		     uint64_t hash, const char *text, uint32_t *id)
{
	const char *its;

	for (uint32_t i = fl_index_first(&r->index, hash);
	     (*id = fl_index_next(&r->index, hash, &i));) {
		const struct end *end = &r->at[*id];

		if (end->stack != like->stack || end->size != like->size ||
		    end->hash != like->hash)
			continue;
		its = text_of(r, end);
		if (!its || memcmp(its, text, like->size) == 0)
			return its;
	}
	return true;
}

/* id: one that is moved there; 0: none is. */
static bool add_end(struct fl_folded_rest *r, struct place *place,
		    struct end *end, uint64_t hash, uint32_t id)
{
	if (!id) {
		if (r->n > UINT32_MAX ||
		    !fl_grow(&r->at, &r->room, r->n + 1, sizeof(*r->at)))
			return fl_no_memory(r->flame) == FLAME_OK;
		id = (uint32_t)r->n++;
	}
	end->next = place->first;
	place->first = id;
	r->at[id] = *end;
	return fl_index_add(&r->index, hash, id) ||
	       fl_no_memory(r->flame) == FLAME_OK;
}

/*
 * What is behind the frames that are known of a line, below a stack: where it
 * can be kept.
 */
struct ending {
	struct end end;
	uint64_t hash;
	unsigned levels;	/* 0: it has to be read */
	uint32_t id;		/* one that is moved; 0: none is */
	size_t at;		/* of the line */
};

static void look_at(const struct fl_folded_rest *r,
		    const struct fl_folded_line *l, struct ending *e)
{
	const char *text = l->text + e->at;
	size_t size = l->size - e->at;

	/* What weighs nothing has no levels: it is read, and shown nowhere. */
	e->levels = e->end.weight && e->end.moves < MOST_MOVES ?
		    count_frames(r, text, size) : 0;
	if (e->levels)
		e->hash = hash_of(e->end.stack, text, size);
}

static bool keep(struct fl_folded_rest *r, const struct fl_folded_line *l,
		 struct place *place, struct ending *e)
{
	struct end end = e->end;
	uint32_t same = 0;

	end.offset += e->at;
	end.size = (uint32_t)(l->size - e->at);
	end.hash = e->hash & 0xfffffff;
	end.moves += e->id != 0;
	if (!e->id && !find_end(r, &end, e->hash, l->text + e->at, &same))
		return false;
	if (same)
		r->at[same].weight += end.weight;
	else if (!add_end(r, place, &end, e->hash, e->id))
		return false;
	place->ends += end.weight;
	place->levels = FL_MAX(place->levels, e->levels);
	return true;
}

/* Open and shut ----------------------------------------------------------- */

static bool is_open(const struct fl_folded_rest *r, flame_id stack)
{
	return stack < r->open_room && r->open[stack];
}

static bool open_stack(struct fl_folded_rest *r, const struct place *place)
{
	flame_id stack = place->stack;

	if (!reach(&r->open, &r->open_room, stack, sizeof(*r->open)) ||
	    !fl_grow(&r->opened, &r->opened_room, r->nopened + 1,
		     sizeof(*r->opened)))
		return fl_no_memory(r->flame) == FLAME_OK;
	r->open[stack] = true;
	if (place->first)
		r->opened[r->nopened++] = stack;
	return true;
}

static bool is_heavy(const struct fl_folded_rest *r,
		     const struct place *place, int64_t more)
{
	int64_t weight = fl_add_clamped(place->ends, more);

	return (double)weight >= r->share * (double)r->sum;
}

static size_t known_end(const struct fl_folded_line *l)
{
	return l->n ? l->frames[l->n - 1].end + 1 : 0;
}

/*
 * From the frames that are known of it on down the open stacks: to where it
 * is kept, or to its end.  known: its end, if it is kept where it is now.
 */
static bool go_down(struct fl_folded_rest *r, struct fl_folded_stacks *s,
		    struct fl_folded_line *l, struct ending *e, bool known,
		    bool *kept)
{
	flame_id *stack = &e->end.stack;
	struct fl_folded_frame frame;
	struct place *place;

	for (*kept = false; e->at < l->size; known = false) {
		if (!is_open(r, *stack)) {
			place = place_of(r, *stack);
			if (!place)
				return fl_no_memory(r->flame) == FLAME_OK;
			if (!is_heavy(r, place, e->end.weight)) {
				if (!known)
					look_at(r, l, e);
				*kept = e->levels;
				return *kept ? keep(r, l, place, e) :
					       fl_folded_read_on(s, l, stack);
			}
			if (!open_stack(r, place))
				return false;
		}
		switch (fl_folded_look(s, l, e->at, &frame)) {
		case FL_FOLDED_FRAME:
			if (!fl_folded_enter(s, l, &frame, stack))
				return false;
			break;
		case FL_FOLDED_NONE:
			break;
		case FL_FOLDED_OPENS:
			return fl_folded_read_on(s, l, stack);
		case FL_FOLDED_FAILED:
			return false;
		}
		e->at = frame.end + 1;
	}
	return true;
}

/* The ends of an opened stack, further down. */
static bool move_ends(struct fl_folded_rest *r, flame_id stack)
{
	struct place *place = &r->places[r->place_of[stack]];
	uint32_t id = place->first;

	place->first = 0;
	place->ends = place->levels = 0;
	while (id) {
		struct ending e = { .end = r->at[id], .id = id };
		bool kept;

		id = e.end.next;
		if (!set_line(r, &e.end) ||
		    !go_down(r, &r->stacks, &r->line, &e, false, &kept))
			return false;
		if (kept)
			continue;
		place = place_of(r, e.end.stack);
		if (!place)
			return fl_no_memory(r->flame) == FLAME_OK;
		place->whole += e.end.weight;
	}
	return true;
}

/*
 * Lines that end early, or as others did, are read as soon as kept; and more
 * threads can read.
 */
void fl_folded_rest_count(struct fl_folded_rest *r,
			  const struct fl_folded_taken *t, bool alike)
{
	r->kept += t->kept;
	r->alike += alike;
	if (++r->lines % SOME)
		return;
	r->over = r->alike > SOME / 2 ||
		  (r->share * (double)r->lines > LIGHT && r->kept < SOME / 2);
	r->kept = r->alike = 0;
}

bool fl_folded_rest_over(const struct fl_folded_rest *r)
{
	return r->over;
}

/* Lines ------------------------------------------------------------------- */

static bool is_read(const struct fl_folded_taken *t)
{
	return t->offset == FL_FOLDED_NOWHERE ||
	       known_end(t->line) >= t->line->size;
}

static flame_id stack_of(const struct fl_folded_line *l)
{
	return l->n ? l->frames[l->n - 1].stack : 0;
}

void fl_folded_rest_soon(const struct fl_folded_stacks *s,
			 const struct fl_folded_taken *t)
{
	if (!is_read(t) && is_open(s->rest, stack_of(t->line)))
		fl_folded_next_soon(s, t->line, known_end(t->line));
}

bool fl_folded_rest_look(struct fl_folded_stacks *s, struct fl_folded_taken *t)
{
	flame_id stack = stack_of(t->line);
	enum fl_folded_next next = FL_FOLDED_NONE;

	if (!is_read(t) && is_open(s->rest, stack))
		next = fl_folded_look(s, t->line, known_end(t->line),
				      &t->next);
	t->found = next == FL_FOLDED_FRAME;
	if (t->found)
		fl_stack_prefetch(s->flame, stack, t->next.frame);
	return next != FL_FOLDED_FAILED;
}

bool fl_folded_rest_step(struct fl_folded_stacks *s, struct fl_folded_taken *t)
{
	struct fl_folded_rest *r = s->rest;
	struct ending e = { .end = {
		.stack = stack_of(t->line), .weight = t->weight
	} };

	if (t->found &&
	    !fl_folded_enter(s, t->line, &t->next, &e.end.stack))
		return false;
	e.at = known_end(t->line);
	if (!is_read(t) && !is_open(r, e.end.stack)) {
		look_at(r, t->line, &e);
		if (e.end.stack < r->place_of_room)
			fl_prefetch(&r->place_of[e.end.stack]);
		fl_index_prefetch(&r->index, e.hash);
	}
	t->levels = e.levels;
	t->hash = e.hash;
	return true;
}

/* No stack weighs more than their sum, as tree.c has it. */
static bool add_weight(struct fl_folded_rest *r, int64_t weight)
{
	return !__builtin_add_overflow(r->sum, weight, &r->sum) ||
	       fl_fail(r->flame, FL_TOO_HEAVY) == FLAME_OK;
}

bool fl_folded_rest_take(struct fl_folded_stacks *s, struct fl_folded_taken *t)
{
	struct fl_folded_rest *r = s->rest;
	struct fl_folded_line *l = t->line;
	struct ending e = {
		.at = known_end(l), .levels = t->levels, .hash = t->hash,
		.end = { .offset = t->offset, .weight = t->weight,
			 .stack = stack_of(l) },
	};
	bool good;

	t->thread = 0;
	if (t->offset == FL_FOLDED_NOWHERE) {
		good = fl_folded_read_on(s, l, &e.end.stack);
	} else {
		good = add_weight(r, t->weight) &&
		       go_down(r, s, l, &e, t->levels, &t->kept);
	}
	t->stack = e.end.stack;
	fl_folded_rest_count(r, t, false);
	while (good && r->nopened)
		good = move_ends(r, r->opened[--r->nopened]);
	return good;
}

/* At the end -------------------------------------------------------------- */

bool fl_folded_rest_give(struct fl_folded_rest *r, struct flame_sample *sample)
{
	while (++r->given < r->nplaces) {
		const struct place *place = &r->places[r->given];
		int64_t weight = place->ends + place->whole;

		if (!weight)
			continue;
		*sample = (struct flame_sample){
			.stack = place->stack, .time = FLAME_NOTIME,
			.weight = weight
		};
		return true;
	}
	return false;
}

int fl_folded_rest_leave(struct fl_folded_rest *r, struct fl_deferred_list *to)
{
	struct fl_deferred *rest = &r->rest;
	size_t room = 0;

	if (r->n == 1) {
		free_rest(rest);
		return FLAME_OK;
	}
	for (size_t i = 1; i < r->nplaces; i++) {
		const struct place *place = &r->places[i];

		if (!place->first)
			continue;
		if (!fl_grow(&rest->stacks, &room, rest->count + 1,
			     sizeof(*rest->stacks)))
			return fl_no_memory(r->flame);
		rest->stacks[rest->count++] = (struct fl_deferred_stack){
			.stack = place->stack, .levels = place->levels,
			.weight = place->ends,
		};
	}
	fl_index_free(&r->index);
	r->index = (struct fl_index){ 0 };
	fl_free(r->open);
	r->open = NULL;
	rest->next = to->first;
	to->first = rest;
	to->n++;
	return FLAME_OK;
}

static int read_end(struct fl_deferred *rest, size_t i,
		    int (*put)(void *arg, flame_id stack, int64_t weight),
		    void *arg)
{
	struct fl_folded_rest *r = (struct fl_folded_rest *)rest;
	uint32_t id = r->places[r->place_of[rest->stacks[i].stack]].first;

	for (; id; id = r->at[id].next) {
		flame_id stack = rest->stacks[i].stack;

		if (!set_line(r, &r->at[id]) ||
		    !fl_folded_read_on(&r->stacks, &r->line, &stack) ||
		    put(arg, stack, r->at[id].weight) != FLAME_OK)
			return fl_failed(r->flame) ? FLAME_FAILED :
						     fl_no_memory(r->flame);
	}
	return fl_failed(r->flame) ? FLAME_FAILED : FLAME_OK;
}
