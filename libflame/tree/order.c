/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sorts siblings by name, for layout.c: fl_order_pending().  Their names often
 * have a common prefix: the sort key is the eight bytes after it, and names are
 * compared only if keys are equal.  fl_order_keys() sorts by 8-byte keys alone,
 * for the writer of folded text.
 */
#include "fl.h"

#include "tree/order.h"
#include "tree/tree.h"

enum { INSERTION_SORT_MAX = 12 };

struct fl_sibling {
	uint64_t key;
	const char *text;
	uint32_t size, stack;
	flame_id name;
	uint8_t kind;
};

static size_t common_prefix(const struct fl_sibling *a,
			    const struct fl_sibling *b, size_t n)
{
	size_t i = 0;

	n = FL_MIN(n, FL_MIN(a->size, b->size));
	while (i + 8 <= n && memcmp(a->text + i, b->text + i, 8) == 0)
		i += 8;
	while (i < n && a->text[i] == b->text[i])
		i++;
	return i;
}

/* Eight bytes of the name. */
static uint64_t key_at(const struct fl_sibling *s, size_t from)
{
	char bytes[8] = { 0 };

	if (fl_likely(s->size - from >= sizeof(bytes)))
		memcpy(bytes, s->text + from, sizeof(bytes));
	else
		memcpy(bytes, s->text + from, s->size - from);
	return fl_order_key(bytes);
}

/* For equal keys. */
static bool is_before_by_name(const struct fl_sibling *x,
			      const struct fl_sibling *y)
{
	int d;

	if (x->name == y->name)
		return x->kind < y->kind;
	d = memcmp(x->text, y->text, FL_MIN(x->size, y->size));
	return d ? d < 0 : x->size < y->size;
}

static inline bool is_before(const struct fl_sibling *x,
			     const struct fl_sibling *y)
{
	if (fl_likely(x->key != y->key))
		return x->key < y->key;
	return is_before_by_name(x, y);
}

static void insertion_sort(struct fl_sibling *at, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct fl_sibling s = at[i];
		size_t j = i;

		for (; j && is_before(&s, &at[j - 1]); j--)
			at[j] = at[j - 1];
		at[j] = s;
	}
}

static void merge(const struct fl_sibling *a, size_t na,
		  const struct fl_sibling *b, size_t nb, struct fl_sibling *to)
{
	while (na && nb) {
		if (is_before(b, a)) {
			*to++ = *b++;
			nb--;
		} else {
			*to++ = *a++;
			na--;
		}
	}
	memcpy(to, a, na * sizeof(*to));
	memcpy(to + na, b, nb * sizeof(*to));
}

/* at[n..2n) is scratch; returns where the result is, at or at + n. */
static struct fl_sibling *sort(struct fl_sibling *at, size_t n)
{
	struct fl_sibling *from = at, *to = at + n, *swap;

	for (size_t i = 0; i < n; i += INSERTION_SORT_MAX)
		insertion_sort(at + i,
			       FL_MIN(n - i, (size_t)INSERTION_SORT_MAX));
	for (size_t run = INSERTION_SORT_MAX; run < n; run *= 2) {
		for (size_t i = 0; i < n; i += 2 * run) {
			size_t a = FL_MIN(n - i, run);
			size_t b = FL_MIN(n - i - a, run);

			merge(from + i, a, from + i + a, b, to + i);
		}
		swap = from;
		from = to;
		to = swap;
	}
	return from;
}

static void set_keys(struct fl_sibling *at, size_t n)
{
	size_t shared = SIZE_MAX;

	for (size_t i = 1; i < n && shared; i++)
		shared = common_prefix(&at[0], &at[i], shared);
	for (size_t i = 0; i < n; i++)
		at[i].key = key_at(&at[i], shared);
}

/*
 * Many siblings: their keys by radix, eight bits at a time, and then those that
 * are equal in it by name.
 */
static void sort_byte(const struct fl_keyed *from, struct fl_keyed *to,
		      size_t n, unsigned shift)
{
	uint32_t begin[257] = { 0 };

	for (size_t i = 0; i < n; i++)
		begin[(from[i].key >> shift & 0xff) + 1]++;
	for (size_t i = 0; i < 256; i++)
		begin[i + 1] += begin[i];
	for (size_t i = 0; i < n; i++)
		to[begin[from[i].key >> shift & 0xff]++] = from[i];
}

void fl_order_keys(struct fl_keyed *keyed, struct fl_keyed *scratch, size_t n)
{
	struct fl_keyed *from = keyed, *to = scratch, *swap;
	uint64_t differ = 0;

	for (size_t i = 1; i < n; i++)
		differ |= from[i].key ^ from[0].key;
	for (unsigned shift = 0; shift < 64; shift += 8) {
		if (!(differ >> shift & 0xff))
			continue;
		sort_byte(from, to, n, shift);
		swap = from;
		from = to;
		to = swap;
	}
	if (from != keyed)
		memcpy(keyed, from, n * sizeof(*keyed));
}

static size_t end_of_equal(const struct fl_sibling *at, size_t n, size_t i)
{
	size_t end = i + 1;

	while (end < n && at[end].key == at[i].key)
		end++;
	return end;
}

/* to[0..n) is sorted by key: sorts equal ones; at[0..n) is scratch. */
static bool sort_equal(struct fl_sibling *to, size_t n, struct fl_sibling *at,
		       bool by_text)
{
	size_t most = 0;

	for (size_t i = 0, end; i < n; i = end) {
		end = end_of_equal(to, n, i);
		most = FL_MAX(most, end - i);
	}
	if (most > n / 2)
		return false;
	for (size_t i = 0, end; i < n; i = end) {
		size_t equal;

		end = end_of_equal(to, n, i);
		equal = end - i;
		if (equal == 1)
			continue;
		memcpy(at, to + i, equal * sizeof(*at));
		if (by_text && equal > INSERTION_SORT_MAX)
			set_keys(at, equal);
		memcpy(to + i, sort(at, equal), equal * sizeof(*at));
	}
	return true;
}

/* As sort().  NULL: there is too little memory, or too many have one key. */
static struct fl_sibling *sort_many(struct fl_sibling *at, size_t n,
				    bool by_text)
{
	struct fl_keyed *keyed = fl_alloc(fl_size_mul(n, sizeof(*keyed)));
	struct fl_sibling *to = at + n;

	if (!keyed)
		return NULL;
	for (size_t i = 0; i < n; i++)
		keyed[i] = (struct fl_keyed){ at[i].key, (uint32_t)i };
	fl_order_keys(keyed, (void *)to, n);
	for (size_t i = 0; i < n; i++)
		to[i] = at[keyed[i].place];
	fl_free(keyed);
	return sort_equal(to, n, at, by_text) ? to : NULL;
}

/* by_text: keys are of the names' text, which is there. */
static struct fl_sibling *sort_any(struct fl_sibling *at, size_t n,
				   bool by_text)
{
	struct fl_sibling *sorted = NULL;

	if (n >= FL_ORDER_MIN_RADIX && n <= UINT32_MAX / 2)
		sorted = sort_many(at, n, by_text);
	return sorted ? sorted : sort(at, n);
}

/* In several loops, so that each prefetches for the next. */
static void load_frames(const struct flame *flame, struct fl_sibling *at,
			const struct fl_pending *pending, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		flame_id frame = fl_frame_id(flame, pending[i].stack);

		at[i].stack = pending[i].stack;
		at[i].name = frame;
		fl_prefetch(&flame->frames.data[frame]);
	}
	for (size_t i = 0; i < n; i++) {
		const struct flame_frame *frame =
			&flame->frames.data[at[i].name];

		at[i].name = frame->name;
		at[i].kind = (uint8_t)fl_kind(frame->type);
	}
}

static void load_names(const struct flame *flame, struct fl_sibling *at,
		       size_t n)
{
	for (size_t i = 0; i < n; i++)
		fl_prefetch(&flame->names.data[at[i].name]);
	for (size_t i = 0; i < n; i++) {
		struct slice text = fl_name_at(flame, at[i].name);

		at[i].text = text.data;
		at[i].size = (uint32_t)text.size;
		fl_prefetch(text.data);
	}
}

uint32_t *fl_order_names(const struct flame *flame)
{
	size_t n = flame->names.count;
	uint32_t *order = fl_alloc(fl_size_mul(n, sizeof(*order)));
	struct fl_sibling *at = fl_alloc(fl_size_mul(2 * n, sizeof(*at)));
	const struct fl_sibling *sorted;

	if (order && at) {
		for (size_t i = 0; i < n; i++) {
			at[i].name = (flame_id)i;
			at[i].kind = 0;
		}
		load_names(flame, at, n);
		set_keys(at, n);
		sorted = sort_any(at, n, true);
		for (size_t i = 0; i < n; i++)
			order[sorted[i].name] = (uint32_t)i;
	} else {
		fl_free(order);
		order = NULL;
	}
	fl_free(at);
	return order;
}

bool fl_order_pending(struct fl_order *order, const struct flame *flame,
		      const uint32_t *name_order, struct fl_pending *at,
		      size_t n)
{
	const struct fl_sibling *s;

	if (!fl_grow(&order->data, &order->capacity, 2 * n,
		     sizeof(*order->data)))
		return false;
	load_frames(flame, order->data, at, n);
	if (name_order) {
		for (size_t i = 0; i < n; i++)
			order->data[i].key =
				(uint64_t)name_order[order->data[i].name] << 8 |
				order->data[i].kind;
	} else {
		load_names(flame, order->data, n);
		set_keys(order->data, n);
	}
	s = sort_any(order->data, n, !name_order);
	for (size_t i = 0; i < n; i++) {
		struct fl_pending *to = &at[n - 1 - i];

		to->stack = s[i].stack;
		to->joined = i + 1 < n && s[i].name == s[i + 1].name &&
			     s[i].kind == s[i + 1].kind;
	}
	return true;
}

void fl_order_free(struct fl_order *order)
{
	fl_free(order->data);
	memset(order, 0, sizeof(*order));
}
