/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The base room: memory, text, hashing, regular expressions.  Knows nothing
 * of profiles.
 */
#ifndef FL_BASE_H
#define FL_BASE_H

/* Bytes of somebody else's.  May hold anything, NUL included. */
struct slice {
	const char *data;
	size_t size;
};

#define FL_SLICE(text) ((struct slice){ (text), sizeof(text) - 1 })

static inline bool fl_slice_is(struct slice s, const char *text)
{
	size_t n = strlen(text);

	return s.size == n && memcmp(s.data, text, n) == 0;
}

static inline bool fl_slice_starts(struct slice s, const char *text)
{
	size_t n = strlen(text);

	return s.size >= n && memcmp(s.data, text, n) == 0;
}

static inline bool fl_slice_ends(struct slice s, const char *text)
{
	size_t n = strlen(text);

	return s.size >= n && memcmp(s.data + s.size - n, text, n) == 0;
}

/* Where a short text is first; NULL: nowhere. */
static inline const char *fl_slice_find(struct slice s, const char *text)
{
	const char *at = s.data, *end = s.data + s.size;
	size_t n = strlen(text);

	for (; (size_t)(end - at) >= n; at++) {
		at = memchr(at, *text, (size_t)(end - at) - n + 1);
		if (!at || memcmp(at, text, n) == 0)
			return at;
	}
	return NULL;
}

static inline bool fl_slice_has(struct slice s, const char *text)
{
	return fl_slice_find(s, text);
}

/* memory.c ------------------------------------------------------------ */

/* a * b, or SIZE_MAX where that does not fit: no allocation succeeds then. */
static inline size_t fl_size_mul(size_t a, size_t b)
{
	return b && a > SIZE_MAX / b ? SIZE_MAX : a * b;
}

/*
 * What the library holds, over all threads: blocks of 2 kB and more, which
 * come from here and go back through fl_free.  Small ones may go to free.
 * Growth beyond the limit (0: none) fails as if memory were out.
 */
void fl_memory_limit(size_t bytes);
/* The limit, once something was refused; else 0. */
size_t fl_memory_refused(void);
/*
 * How many allocations failed in this process, over all threads.  A caller
 * that ignores such a failure would give less than it read: see fl_failed.
 */
size_t fl_memory_failures(void);
/* One of another library's failed, which does without or gives up. */
void fl_memory_failed(void);
/* What may still be asked for; SIZE_MAX without a limit. */
size_t fl_memory_left(void);
bool fl_memory_fits(size_t more);
/* What other libraries hold for us: so much, and not any more. */
void fl_memory_charge(size_t bytes);
void fl_memory_release(size_t bytes);
/*
 * What malloc gave someone else (strdup) is ours: for fl_free.  NULL is an
 * allocation that failed.
 */
void *fl_memory_adopt(void *at);
void fl_free(void *at);
void *fl_alloc(size_t size);

/*
 * Makes room for `need` elements in *at (NULL at first), doubling.  false:
 * memory is out, and *at is as it was.
 */
bool fl_grow_to(void *at, size_t *room, size_t need, size_t size);

static inline bool fl_grow(void *at, size_t *room, size_t need, size_t size)
{
	return fl_likely(need <= *room) || fl_grow_to(at, room, need, size);
}

/* Zeroed memory; what is large is asked to lie on large pages. */
void *fl_zeroed(size_t n, size_t size);

/*
 * The same, of what is read and written all over soon.  A page that is read
 * before it is written comes into memory twice, and all threads wait for it.
 */
void *fl_zeroed_touched(size_t n, size_t size);

/* Things that die together.  Zeroed struct: empty. */
struct fl_arena {
	struct fl_block *last;
	size_t used, capacity;	/* of the last block */
	size_t total;		/* bytes asked from the system */
};

/* Aligned to 8; NULL where memory is out. */
void *fl_arena_alloc(struct fl_arena *arena, size_t size);
/* A copy that ends in NUL. */
char *fl_arena_copy(struct fl_arena *arena, const char *at, size_t size);
void fl_arena_free(struct fl_arena *arena);

/* Text that grows.  Latches a failure; at is NULL or ends in NUL. */
struct fl_buf {
	char *data;
	size_t size, capacity;
	bool failed;
};

void fl_buf_put(struct fl_buf *buf, const char *at, size_t size);
/* Where so many bytes and a NUL may be written; NULL: it has failed. */
char *fl_buf_reserve(struct fl_buf *buf, size_t size);
void fl_buf_text(struct fl_buf *buf, const char *text);
void fl_buf_byte(struct fl_buf *buf, char c);
void fl_buf_number(struct fl_buf *buf, int64_t n);
void fl_buf_print(struct fl_buf *buf, const char *format, ...) FL_PRINTF(2, 3);
void fl_buf_free(struct fl_buf *buf);

/* Byte by byte, how many bits are set in it and those below; the top: all. */
static inline uint64_t fl_bit_counts(uint64_t bits)
{
	bits -= bits >> 1 & 0x5555555555555555u;
	bits = (bits & 0x3333333333333333u) +
	       (bits >> 2 & 0x3333333333333333u);
	return ((bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu) *
	       UINT64_C(0x0101010101010101);
}

/* number.c ------------------------------------------------------------ */

/* Decimal; false unless all of the text is a number that fits. */
bool fl_parse_int(struct slice text, int64_t *n);
/* Decimal digits of n into at (20 bytes suffice, sign apart); the length. */
unsigned fl_format_u64(char *at, uint64_t n);
/* 3.5, 12e3; false unless all of the text is a finite number. */
bool fl_parse_double(const char *text, double *d);

/* As Java casts: what does not fit is the nearest that does, NaN is 0. */
static inline int64_t fl_int64(double d)
{
	if (d >= 0x1p63)
		return INT64_MAX;
	if (d < -0x1p63)
		return INT64_MIN;
	return d == d ? (int64_t)d : 0;
}

static inline int64_t fl_add_clamped(int64_t a, int64_t b)
{
	int64_t sum;

	if (!__builtin_add_overflow(a, b, &sum))
		return sum;
	return b < 0 ? INT64_MIN : INT64_MAX;
}

static inline int64_t fl_mul_clamped(int64_t a, int64_t b)
{
	int64_t product;

	if (!__builtin_mul_overflow(a, b, &product))
		return product;
	return (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
}

/* hash.c -------------------------------------------------------------- */

/*
 * Drawn once for each process, by flame_new: nobody can write an input whose
 * hashes fall together, so that what looks them up goes through all of it.
 */
extern uint64_t fl_hash_secret[2];
void fl_hash_secret_init(void);

static inline uint64_t fl_fold_product(uint64_t a, uint64_t b)
{
	__extension__ typedef unsigned __int128 wide;
	wide p = (wide)a * b;

	return (uint64_t)p ^ (uint64_t)(p >> 64);
}

static inline uint64_t fl_hash_pair(uint64_t a, uint64_t b)
{
	return fl_fold_product(a ^ fl_hash_secret[0], b ^ fl_hash_secret[1]);
}

uint64_t fl_hash(const void *at, size_t size);

/*
 * An open-addressing index from a hash to dense ids: a slot holds the
 * hash's high half, which also gives its place, and the id (never 0); 0 is
 * free.  The caller compares.
 *
 *	for (i = fl_index_first(x, h); (id = fl_index_next(x, h, &i)); )
 *		if (same(id)) return id;
 *	fl_index_add(x, h, new_id);
 */
struct fl_index {
	uint64_t *slot;
	uint32_t mask, count;
};

static inline uint32_t fl_index_first(const struct fl_index *x, uint64_t h)
{
	return (uint32_t)(h >> 32) & x->mask;
}

/* The next id with this hash, or 0 at the end of the run. */
static inline uint32_t fl_index_next(const struct fl_index *x, uint64_t h,
				     uint32_t *i)
{
	if (fl_unlikely(!x->slot))
		return 0;
	for (;;) {
		uint64_t s = x->slot[*i];

		if (!s)
			return 0;
		*i = (*i + 1) & x->mask;
		if (s >> 32 == h >> 32)
			return (uint32_t)s;
	}
}

/* false: memory is out, and the index is as it was. */

/*
 * It will be looked at soon.  To gcc a function of nothing but prefetches
 * does nothing, and its calls go: the asm is what it must not leave out.
 */
static inline void fl_prefetch(const void *at)
{
	__builtin_prefetch(at);
	__asm__ volatile("" : : "r"(at));
}

/* It will be looked up soon: its slot comes nearer. */
static inline void fl_index_prefetch(const struct fl_index *x, uint64_t h)
{
	if (fl_likely(x->slot))
		fl_prefetch(&x->slot[fl_index_first(x, h)]);
}

bool fl_index_add(struct fl_index *x, uint64_t h, uint32_t id);
void fl_index_free(struct fl_index *x);

/*
 * A map from 64-bit keys (any, 0 included) to 64-bit values.  Keys come from
 * files, so hashing is mixed.  A value's place holds until the next put.
 * Zeroed struct: empty.  Set `walked` before the first put if fl_map_each
 * tells the order of anything: it is the same in every run then.
 */
struct fl_map_entry {
	uint64_t key, value;
};

struct fl_map {
	struct fl_map_entry *entry;	/* of mask + 1; key 0: free */
	size_t mask, count;
	uint64_t salt, factor;		/* of hashes; once there are entries */
	struct fl_map_entry zero;	/* the key 0 lives here */
	bool has_zero, ordered;
};

static inline size_t fl_map_first(const struct fl_map *map, uint64_t key)
{
	return (size_t)fl_fold_product(key ^ map->salt, map->factor) &
	       map->mask;
}

/* The place of the key's value; NULL where there is none. */
static inline uint64_t *fl_map_get(const struct fl_map *map, uint64_t key)
{
	size_t i;

	if (fl_unlikely(!key))
		return map->has_zero ? (uint64_t *)&map->zero.value : NULL;
	if (fl_unlikely(!map->entry))
		return NULL;
	for (i = fl_map_first(map, key);; i = (i + 1) & map->mask) {
		struct fl_map_entry *e = &map->entry[i];

		if (fl_likely(e->key == key))
			return &e->value;
		if (!e->key)
			return NULL;
	}
}

static inline void fl_map_prefetch(const struct fl_map *map, uint64_t key)
{
	if (map->entry)
		fl_prefetch(&map->entry[fl_map_first(map, key)]);
}

/* For so many more, to grow once only.  false: memory is out. */
bool fl_map_reserve(struct fl_map *map, size_t more);

/* For fl_map_put: enters a key that is not there. */
uint64_t *fl_map_add(struct fl_map *map, uint64_t key);

/*
 * The same, made with value 0 if new (*fresh; may be NULL); NULL only where
 * memory is out.
 */
static inline uint64_t *fl_map_put(struct fl_map *map, uint64_t key,
				   bool *fresh)
{
	uint64_t *value = fl_map_get(map, key);

	if (fresh)
		*fresh = !value;
	return fl_likely(value) ? value : fl_map_add(map, key);
}

/*
 * All entries; of a map that is to be walked, in an order that depends on
 * nothing but the puts.  *i is 0 at first; NULL past the last.
 */
static inline const struct fl_map_entry *fl_map_each(const struct fl_map *map,
						     size_t *i)
{
	if (*i == 0 && map->has_zero) {
		++*i;
		return &map->zero;
	}
	if (*i == 0)
		++*i;
	while (map->entry && *i <= map->mask + 1) {
		const struct fl_map_entry *e = &map->entry[*i - 1];

		++*i;
		if (e->key)
			return e;
	}
	return NULL;
}

/* Forgets all keys and keeps the room. */
void fl_map_clear(struct fl_map *map);
void fl_map_free(struct fl_map *map);

/* utf8.c -------------------------------------------------------------- */

/* How many bytes of ASCII it begins with: up to seven more may follow. */
size_t fl_ascii(const char *at, size_t size);

/* Length of the well-formed UTF-8 sequence at at[0..n), or 0. */
unsigned fl_utf8_length(const char *at, size_t n);
/* Appends the code point (surrogates as U+FFFD). */
void fl_utf8_put(struct fl_buf *buf, uint32_t code);
/* The code point of a well-formed sequence of n bytes. */
uint32_t fl_utf8_code(const char *at, unsigned n);

/*
 * The character at at[0..n), n > 0, as a terminal may have it: `control` for
 * a control character of ASCII, '?' for what is no UTF-8, <U+202E> for what
 * would not be seen or would change how others are seen; else itself.  Gives
 * how many bytes it has.
 */
struct fl_shown {
	struct slice text;
	char bytes[12];
};
unsigned fl_show(const char *at, size_t n, char control,
		 struct fl_shown *shown);
/* All of a line; control characters become '?'.  What is too long is cut. */
void fl_show_line(char *to, size_t room, const char *line);

/* For people: what a terminal would obey becomes '?'; true: there was some. */
bool fl_clean(char *text);

/* regex.c ------------------------------------------------------------- */

/*
 * Regular expressions are PCRE2's, which read Java's as users have them in
 * scripts: a Java-only class name (\p{Alpha}, \p{javaUpperCase}) is
 * translated, and a '$' that is not at an end stands for itself (inner
 * classes).  Subjects may hold invalid UTF-8.  A match that PCRE2 gives up
 * (its limit of steps) is none.  Belongs to one thread at a time.
 */
struct fl_regex;

/*
 * whole: the subject must match from end to end, as Java's matches().  NULL:
 * error[] tells pattern, place and reason.
 */
struct fl_regex *fl_regex_new(const char *pattern, bool whole,
			      char *error, size_t error_size);
bool fl_regex_match(const struct fl_regex *re, const char *at, size_t size);
/*
 * As s/RE/TO/ does once, or for every match with all: appends the result to
 * out and gives whether anything matched.  TO knows \1 and $1, & (all that
 * matched), and \\, \$ and \&.
 */
bool fl_regex_replace(const struct fl_regex *re, struct slice subject,
		      const char *to, bool all, struct fl_buf *out);
/* How many capture groups it has. */
unsigned fl_regex_groups(const struct fl_regex *re);
/* Capture group n of a match into *group; false: no match or not set. */
bool fl_regex_group(const struct fl_regex *re, struct slice subject,
		    unsigned n, struct slice *group);
/* As it was given; lives as long as the expression. */
const char *fl_regex_pattern(const struct fl_regex *re);
void fl_regex_free(struct fl_regex *re);

#endif
