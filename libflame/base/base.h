/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory, text, hashing, regular expressions.  Knows nothing of profiles.
 */
#ifndef FL_BASE_H
#define FL_BASE_H

#include "base/os.h"

/* Borrowed bytes, NUL included. */
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

static inline bool fl_slice_same(struct slice a, struct slice b)
{
	return a.size == b.size &&
	       (!a.size || memcmp(a.data, b.data, a.size) == 0);
}

static inline bool fl_slice_starts(struct slice s, const char *text)
{
	size_t n = strlen(text);

	return s.size >= n && memcmp(s.data, text, n) == 0;
}

/* Without its first n bytes; n: no more than it has. */
static inline struct slice fl_slice_from(struct slice s, size_t n)
{
	return (struct slice){ s.data + n, s.size - n };
}

/*
 * Drops byte order marks at its beginning: files that were joined (with cat)
 * have them at the beginning of later lines, too.
 */
static inline void fl_slice_skip_marks(struct slice *s)
{
	while (fl_unlikely(fl_slice_starts(*s, "\xef\xbb\xbf"))) {
		s->data += 3;
		s->size -= 3;
	}
}

static inline bool fl_slice_ends(struct slice s, const char *text)
{
	size_t n = strlen(text);

	return s.size >= n && memcmp(s.data + s.size - n, text, n) == 0;
}

/* The first occurrence of a short text; NULL: none. */
static inline const char *fl_slice_find(struct slice s, const char *text)
{
	size_t n = strlen(text);
	const char *at = s.data, *end;

	if (s.size < n)		/* there may be no data */
		return NULL;
	for (end = at + s.size; (size_t)(end - at) >= n; at++) {
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

/* a * b, or SIZE_MAX on overflow, which no allocation satisfies. */
static inline size_t fl_size_mul(size_t a, size_t b)
{
	return b && a > SIZE_MAX / b ? SIZE_MAX : a * b;
}

/*
 * The account of the library's memory, over all threads.  It counts blocks of
 * 2 kB and more, which must be freed with fl_free; smaller ones may be freed
 * with free.  Allocations beyond the limit (0: none) fail.
 */
void fl_memory_limit(size_t bytes);
/* The limit, once it refused an allocation; else 0. */
size_t fl_memory_refused(void);
/*
 * Counts failed allocations of this process, over all threads.  A result may
 * be incomplete if a caller ignores such a failure: see fl_failed.
 */
size_t fl_memory_failures(void);
/* Counts a failed allocation of another library. */
void fl_memory_failed(void);
/* Bytes below the limit; SIZE_MAX without one. */
size_t fl_memory_left(void);
bool fl_memory_fits(size_t more);
/* Count memory that other libraries allocate and free for us. */
void fl_memory_charge(size_t bytes);
void fl_memory_release(size_t bytes);
/*
 * Counts a block that another function allocated (strdup), so that fl_free
 * may free it.  NULL counts as a failed allocation.
 */
void *fl_memory_adopt(void *at);
void fl_free(void *at);
void *fl_alloc(size_t size);

/*
 * Grows the array *at (NULL at first) to `need` elements of `size` bytes or
 * more, doubling it.  false: out of memory, *at is unchanged.
 */
bool fl_grow_to(void *at, size_t *capacity, size_t need, size_t size);
/* The same; elements that are new are zero. */
bool fl_grow_zeroed(void *at, size_t *capacity, size_t need, size_t size);
/* To n > *capacity elements, for an array whose last size is known. */
bool fl_grow_exactly(void *at, size_t *capacity, size_t n, size_t size);

static inline bool fl_grow(void *at, size_t *capacity, size_t need, size_t size)
{
	return fl_likely(need <= *capacity) ||
	       fl_grow_to(at, capacity, need, size);
}

/* Zeroed memory, on huge pages if it is large. */
void *fl_zeroed(size_t n, size_t size);

/*
 * The same, with every page written once.  A page that is read before it is
 * written faults twice, and each fault may stop all threads; hash tables are
 * read first.
 */
void *fl_zeroed_touched(size_t n, size_t size);

/* Allocations that are freed together.  Zeroed struct: empty. */
struct fl_arena {
	struct fl_block *last;
	size_t used, capacity;	/* of the last block */
	size_t total;		/* bytes allocated */
};

/* Aligned to 8; NULL: out of memory. */
void *fl_arena_alloc(struct fl_arena *arena, size_t size);
/* A copy that ends in NUL. */
char *fl_arena_copy(struct fl_arena *arena, const char *at, size_t size);
void fl_arena_free(struct fl_arena *arena);

/* Text that grows.  Latches a failure; data is NULL or ends in NUL. */
struct fl_buf {
	char *data;
	size_t size, capacity;
	bool failed;
};

void fl_buf_put(struct fl_buf *buf, const char *at, size_t size);
/* Space for `size` bytes and a NUL after the text; NULL: it has failed. */
char *fl_buf_reserve(struct fl_buf *buf, size_t size);
void fl_buf_text(struct fl_buf *buf, const char *text);
void fl_buf_byte(struct fl_buf *buf, char c);
void fl_buf_number(struct fl_buf *buf, int64_t n);
void fl_buf_print(struct fl_buf *buf, const char *format, ...) FL_PRINTF(2, 3);
void fl_buf_free(struct fl_buf *buf);

static inline struct slice fl_buf_slice(const struct fl_buf *buf)
{
	return (struct slice){ buf->data ? buf->data : "", buf->size };
}

/* Each byte: the bits set in it and all lower bytes; the top byte: all. */
static inline uint64_t fl_bit_counts(uint64_t bits)
{
	bits -= bits >> 1 & 0x5555555555555555u;
	bits = (bits & 0x3333333333333333u) +
	       (bits >> 2 & 0x3333333333333333u);
	return ((bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu) *
	       UINT64_C(0x0101010101010101);
}

/* number.c ------------------------------------------------------------ */

static inline bool fl_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool fl_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static inline bool fl_is_lower_hex(char c)
{
	return fl_is_digit(c) || (c >= 'a' && c <= 'f');
}

static inline bool fl_is_hex(char c)
{
	return fl_is_lower_hex(c) || (c >= 'A' && c <= 'F');
}

/* Decimal; false unless the whole text is a number that fits. */
bool fl_parse_int(struct slice text, int64_t *n);
/* false unless the text is 1 to 18 digits. */
bool fl_parse_digits(struct slice text, int64_t *n);
/* Writes decimal digits of n, 20 at most; returns how many. */
unsigned fl_format_u64(char *at, uint64_t n);
/* 3.5, 12e3; false unless the whole text is a finite number. */
bool fl_parse_double(const char *text, double *d);
/*
 * -1.25e3, times 10 to the power of places, rounded half up, without a double
 * in between.  false unless all of the text is a number and that fits.
 */
bool fl_parse_decimal(struct slice text, int places, int64_t *n);

/* decimal.c ----------------------------------------------------------- */

__extension__ typedef __int128 fl_wide;

/* A number in parts of 10^18; of a percentage the number before the sign. */
struct fl_decimal {
	fl_wide parts;
	bool percent;
	bool huge;		/* 2^63 or more, or -2^63 or less */
};

/* -12, 3.5, 3., 1e3, 33.82%; false unless the whole text is a number. */
bool fl_decimal_parse(struct slice text, struct fl_decimal *decimal);
/*
 * Rounds the number plus *carry, and sets *carry to the difference, so that
 * rounded numbers add up.  *fraction, unless NULL: it was not whole.
 */
int64_t fl_decimal_round(const struct fl_decimal *decimal, int64_t *carry,
			 bool *fraction);

/* Casts as Java does: clamped to the range, NaN is 0. */
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
 * Random numbers, drawn once per process by flame_new, so that no input can
 * be crafted whose hashes collide.
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
 * An open-addressing index from a hash to dense ids.  A slot holds the upper
 * half of the hash, which also selects the first slot to probe, and the id
 * (never 0); 0 is a free slot.  The caller compares keys.
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

/*
 * gcc assumes that a function of prefetches alone has no effect and drops
 * its calls; it does not drop the asm.
 */
static inline void fl_prefetch(const void *at)
{
	__builtin_prefetch(at);
	__asm__ volatile("" : : "r"(at));
}

static inline void fl_index_prefetch(const struct fl_index *x, uint64_t h)
{
	if (fl_likely(x->slot))
		fl_prefetch(&x->slot[fl_index_first(x, h)]);
}

/* false: out of memory, and the index is unchanged. */
bool fl_index_add(struct fl_index *x, uint64_t h, uint32_t id);
void fl_index_free(struct fl_index *x);

/*
 * A map from 64-bit keys (any, 0 included) to 64-bit values.  Pointers to
 * values hold until the next put.  Keys come from files, so hashes depend on
 * fl_hash_secret; set `ordered` before the first put if output depends on the
 * order of fl_map_each: it is then the same in every run.  Zeroed struct:
 * empty.
 */
struct fl_map_entry {
	uint64_t key, value;
};

struct fl_map {
	struct fl_map_entry *entry;	/* of mask + 1; key 0: free */
	size_t mask, count;
	uint64_t salt, factor, second;	/* of hashes; set by the first put */
	struct fl_map_entry zero;	/* the entry of key 0 */
	bool has_zero, ordered;
};

/* One product leaves chains of keys (a, a + 1, ...) in clusters, one in 12. */
static inline size_t fl_map_first(const struct fl_map *map, uint64_t key)
{
	uint64_t hash = fl_fold_product(key ^ map->salt, map->factor);

	return (size_t)fl_fold_product(hash, map->second) & map->mask;
}

/* The key's value; NULL: none. */
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

/* Grows once for `more` keys.  false: out of memory. */
bool fl_map_reserve(struct fl_map *map, size_t more);

/* For fl_map_put: adds a key that the map lacks. */
uint64_t *fl_map_add(struct fl_map *map, uint64_t key);

/*
 * The key's value; a new key (*fresh, unless fresh is NULL) has the value 0.
 * NULL: out of memory.
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
 * Iterates over the entries; if `ordered`, in an order that only depends on
 * the puts.  *i is 0 at first; NULL past the last.
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

/* Removes all keys; keeps the capacity if the keys used a good part of it. */
void fl_map_clear(struct fl_map *map);
void fl_map_free(struct fl_map *map);

/* utf8.c -------------------------------------------------------------- */

/* Bytes of ASCII at the beginning, rounded down to a multiple of 8. */
size_t fl_ascii(const char *at, size_t size);

/* Length of the well-formed UTF-8 sequence at at[0..n), or 0. */
unsigned fl_utf8_length(const char *at, size_t n);
/* Appends the code point (surrogates as U+FFFD). */
void fl_utf8_put(struct fl_buf *buf, uint32_t code);
/* The code point of a well-formed sequence of n bytes. */
uint32_t fl_utf8_code(const char *at, unsigned n);
/* Appends text, with U+FFFD for each byte that is not UTF-8. */
void fl_utf8_clean(struct fl_buf *buf, struct slice text);

/*
 * Spells the character at at[0..n), n > 0, safely for a terminal: `control`
 * for a control character of ASCII, '?' for a byte that is not UTF-8,
 * <U+202E> for a character that is invisible or changes how others are shown;
 * else itself.  Returns its length in bytes.
 */
struct fl_shown {
	struct slice text;
	char bytes[12];
};
unsigned fl_show(const char *at, size_t n, char control,
		 struct fl_shown *shown);
/* The same for a line; control characters become '?'; cut to `capacity`. */
void fl_show_line(char *to, size_t capacity, const char *line);
/* Whether a spreadsheet would evaluate a cell of this text. */
bool fl_is_formula(struct slice text);

/* Replaces control characters by '?'; true: there were some. */
bool fl_clean(char *text);

/* regex.c ------------------------------------------------------------- */

/*
 * Regular expressions of PCRE2, which also accept those that users wrote for
 * Java: class names of Java (\p{Alpha}, \p{javaUpperCase}) are translated,
 * and a '$' that does not end an alternative is literal (inner classes).
 * Subjects may hold invalid UTF-8.  A match that exceeds PCRE2's limit of
 * steps counts as no match.  One thread at a time may use an expression.
 */
struct fl_regex;

/*
 * whole: the entire subject must match, as with Java's matches().  NULL:
 * error[] has pattern, place and reason.
 */
struct fl_regex *fl_regex_new(const char *pattern, bool whole,
			      char *error, size_t error_size);
bool fl_regex_match(const struct fl_regex *re, const char *at, size_t size);
/*
 * Replaces the first match, or all, and appends the result to `out`; returns
 * whether there was a match.  `to` may hold \1 and $1, & (the whole match),
 * and \\, \$ and \&.
 */
bool fl_regex_replace(const struct fl_regex *re, struct slice subject,
		      const char *to, bool all, struct fl_buf *out);
/* The number of capture groups. */
unsigned fl_regex_groups(const struct fl_regex *re);
/* Matches and sets *group to capture group n; false: no match, or unset. */
bool fl_regex_group(const struct fl_regex *re, struct slice subject,
		    unsigned n, struct slice *group);
/* The byte, in either case, that a match begins with; -1: not known. */
int fl_regex_first(const struct fl_regex *re);
/*
 * The longest run of letters, digits and '_' that every match has, within the
 * pattern; size 0: not known.
 */
struct slice fl_regex_word(const struct fl_regex *re);
/* As passed to fl_regex_new; lives as long as the expression. */
const char *fl_regex_pattern(const struct fl_regex *re);
void fl_regex_free(struct fl_regex *re);

#endif
