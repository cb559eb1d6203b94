/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts plain events, for event.c: those with only a stack and a state, one
 * sample each, summed over threads and time.  Most events of a wall-clock
 * recording are plain.  They are counted in 8-bit counters by state and key of
 * the stack, which overflow into a map; fl_jfr_each_plain() returns the counts.
 *
 * The layout of an event is the set of bytes at which its integers end.  Few
 * layouts occur: a known one has the places of stack and state.
 */
#include "fl.h"

#include "format/jfr/readers.h"

enum {
	MAX_LAYOUTS = 255,
	MAX_TABLES = 64,	/* of a chunk, FL_JFR_SMALL_KEYS bytes each */
	STATE_BITS = 7,		/* of a key of the map, below the stack's */
	MIN_EVENTS = 1 << 12	/* of a class, to be worth a table */
};

struct layout {
	uint32_t keep;		/* of four bytes: those of the stack */
	uint8_t stack, state;	/* where they are in the event */
};

struct fl_jfr_layouts {
	uint8_t number[FL_JFR_LAYOUTS];	/* 0: not seen yet */
	unsigned n;
	struct layout at[MAX_LAYOUTS + 1];
};

_Static_assert(FL_JFR_STATES == 1 << STATE_BITS, "states fit");

static bool make_counters(struct fl_jfr_chunk *chunk, struct fl_jfr_reader *c,
			  unsigned state)
{
	struct fl_jfr_readers *readers = chunk->readers;

	if (readers->ntables == MAX_TABLES || c->class->events < MIN_EVENTS)
		return false;
	if (c->has_layouts && !c->layouts) {
		c->layouts = fl_zeroed(1, sizeof(*c->layouts));
		if (c->layouts)
			readers->by_layout[c->class->id] = c;
	}
	c->counters[state] = fl_zeroed(FL_JFR_SMALL_KEYS,
				       sizeof(**c->counters));
	readers->ntables += c->counters[state] != NULL;
	return c->counters[state];
}

/* Empties a counter that overflowed; false: out of memory. */
static __attribute__((noinline)) bool
overflow(struct fl_jfr_reader *c, uint64_t stack, unsigned state)
{
	uint64_t *n = fl_map_put(&c->counted, stack << STATE_BITS | state,
				 NULL);

	if (!n) {
		c->counters[state][stack] = UINT8_MAX;
		return false;
	}
	*n += UINT8_MAX + 1;
	c->overflowed += UINT8_MAX + 1;
	return true;
}

bool fl_jfr_count_plain(struct fl_jfr_chunk *chunk, struct fl_jfr_reader *c)
{
	uint64_t stack = c->values[FL_JFR_STACK];
	uint64_t state = c->values[FL_JFR_STATE];
	uint64_t *n;

	if (fl_unlikely(stack >> (64 - STATE_BITS) || state >= FL_JFR_STATES))
		return false;
	if (stack < FL_JFR_SMALL_KEYS &&
	    (c->counters[state] || make_counters(chunk, c, state))) {
		if (!++c->counters[state][stack] && !overflow(c, stack, state))
			return false;
		c->unlaid++;
		return true;
	}
	n = fl_map_put(&c->counted, stack << STATE_BITS | state, NULL);
	if (fl_unlikely(!n))
		return false;
	++*n;
	return true;
}

const uint16_t fl_jfr_behind[256] = {
	[0 ... FL_JFR_MIN_BYTES - 1] = FL_JFR_LAYOUTS - 1,
	0xfff8, 0xfff0, 0xffe0, 0xffc0, 0xff80, 0xff00, 0xfe00,
	0xfc00, 0xf800, 0xf000, 0xe000, 0xc000, 0x8000, 0,
	[FL_JFR_MAX_BYTES + 1 ... 255] = FL_JFR_LAYOUTS - 1
};

/* Whether the event has the fields of its class, and no more, up to its end. */
static bool is_layout(const struct fl_jfr_class *class, uint32_t not_ends,
		      uint32_t outside)
{
	uint32_t last = (outside ? outside & -outside : FL_JFR_LAYOUTS) >> 1;

	return !fl_wire_is_long(~(uint64_t)(not_ends ^ outside)) &&
	       fl_bit_counts(~not_ends & 0xffff) >> 56 == class->nops &&
	       !(not_ends & last);
}

bool fl_jfr_find_places(const struct fl_jfr_reader *c, uint32_t not_ends,
			uint32_t outside, struct fl_jfr_place *places)
{
	uint32_t ends = ~not_ends & 0xffff;
	unsigned begin = FL_JFR_HEAD;

	if (!is_layout(c->class, not_ends, outside))
		return false;
	memset(places, 0, FL_JFR_SLOTS * sizeof(*places));
	for (uint32_t i = 0; i < c->nsteps; i++) {
		unsigned end = FL_JFR_HEAD + __builtin_ctz(ends) + 1;

		if (c->steps[i].slot >= 0)
			places[c->steps[i].slot] = (struct fl_jfr_place){
				(uint8_t)begin, (uint8_t)(end - begin)
			};
		begin = end;
		ends &= ends - 1;
	}
	return true;
}

/* A new layout, if it is one; 0: it is not, or there are too many. */
static unsigned make_layout(const struct fl_jfr_reader *c, uint32_t not_ends,
			    uint32_t outside)
{
	struct fl_jfr_layouts *layouts = c->layouts;
	struct fl_jfr_place places[FL_JFR_SLOTS];
	const struct fl_jfr_place *stack = &places[FL_JFR_STACK];
	const struct fl_jfr_place *state = &places[FL_JFR_STATE];

	if (layouts->n == MAX_LAYOUTS ||
	    !fl_jfr_find_places(c, not_ends, outside, places) ||
	    stack->size > 3 || state->size != 1)
		return 0;
	layouts->at[++layouts->n] = (struct layout){
		.keep = 0x7f7f7f >> 8 * (3 - stack->size),
		.stack = stack->at, .state = state->at
	};
	return layouts->number[not_ends] = layouts->n;
}

static inline uint32_t pack(uint32_t bytes, uint32_t keep)
{
	bytes &= keep;
	return (bytes & 0x7f) | (bytes >> 1 & 0x3f80) |
	       (bytes >> 2 & 0x1fc000);
}

/* Reads a run of events of one class. */
static const uint8_t *read_class(struct fl_jfr_reader *c, const uint8_t *at,
				 const uint8_t *end)
{
	const struct fl_jfr_layouts *layouts = c->layouts;
	const uint8_t id = c->class->id;

	while (at < end) {
		const struct layout *layout;
		size_t size = at[0], not_ends, number, key;
		uint8_t *counters;

		if (fl_unlikely(at[1] != id))
			break;
		not_ends = fl_wire_not_ends_16(at + FL_JFR_HEAD) | fl_jfr_behind[size];
		number = layouts->number[not_ends];
		if (fl_unlikely(!number)) {
			number = make_layout(c, not_ends,
					     fl_jfr_behind[size]);
			if (!number)
				break;
		}
		layout = &layouts->at[number];
		key = pack(fl_wire_word(at + layout->stack), layout->keep);
		counters = c->counters[at[layout->state]];
		if (fl_unlikely(key >= FL_JFR_SMALL_KEYS || !counters))
			break;
		if (fl_unlikely(!++counters[key]) &&
		    !overflow(c, key, at[layout->state]))
			break;
		__builtin_prefetch(at + FL_JFR_PREFETCH);
		at += size;
	}
	return at;
}

const uint8_t *fl_jfr_read_by_layout(struct fl_jfr_chunk *chunk,
				   const uint8_t *at, const uint8_t *end)
{
	const uint8_t *begin;

	if (end - at <= FL_JFR_LOOKAHEAD)
		return at;
	end -= FL_JFR_LOOKAHEAD;
	do {
		struct fl_jfr_reader *c = chunk->readers->by_layout[at[1]];

		begin = at;
		if (c)
			at = read_class(c, at, end);
	} while (at > begin && at < end);
	return at;
}

void fl_jfr_find_layout(struct fl_jfr_chunk *chunk, struct fl_jfr_reader *c)
{
	c->has_layouts = c->plain && c->has[FL_JFR_STATE] && c->nsteps <= 16 &&
			 c->class->all_var && chunk->header.compressed &&
			 !c->class->noted && c->class->id > 1 &&
			 c->class->id < 0x80;
}

/* Counts of a state, which are zero then; their sum. */
static uint64_t each_counter(struct fl_jfr_reader *c, unsigned state,
			 fl_jfr_plain_fn *each, void *data)
{
	uint8_t *counters = c->counters[state];
	uint64_t sum = 0;

	for (size_t i = 0; i < FL_JFR_SMALL_KEYS; i += 8) {
		uint64_t some = fl_wire_word(counters + i);

		for (size_t j = i; some; j++, some >>= 8) {
			if (!(some & UINT8_MAX))
				continue;
			sum += counters[j];
			each(data, c, j, state, counters[j]);
			counters[j] = 0;
		}
	}
	return sum;
}

void fl_jfr_plain_done(struct fl_jfr_reader *c)
{
	for (unsigned state = 0; state < FL_COUNT(c->counters); state++) {
		fl_free(c->counters[state]);
		c->counters[state] = NULL;
	}
	fl_free(c->layouts);
	c->layouts = NULL;
}

void fl_jfr_each_plain(struct fl_jfr_chunk *chunk, struct fl_jfr_reader *c,
		       fl_jfr_plain_fn *each, void *data)
{
	const struct fl_map_entry *e;
	uint64_t events = c->overflowed;
	size_t i = 0;

	for (unsigned state = 0; state < FL_COUNT(c->counters); state++)
		if (c->counters[state])
			events += each_counter(c, state, each, data);
	chunk->readers->nevents += events - c->unlaid;
	c->class->events += events - c->unlaid;
	fl_jfr_plain_done(c);
	while ((e = fl_map_each(&c->counted, &i)))
		each(data, c, e->key >> STATE_BITS,
		     e->key & (FL_JFR_STATES - 1), (int64_t)e->value);
	fl_map_free(&c->counted);
}
