/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer of folded stacks: fl_folded_create() makes a sink that gathers
 * samples in a tree, and write_folded() writes its stacks at the end, sorted
 * bytewise, one blank, LF.  ';' within a name becomes ':', and control
 * characters become blanks.  "# x" becomes "_ x", as the line would be a
 * comment; a byte order mark at a name's beginning becomes blanks.
 *
 * Only siblings are sorted, not whole lines: below a parent, "name " (a stack
 * that ends there) and "name;" (longer stacks) are separate items, since other
 * names may sort between the two.
 *
 * A layout of the tree would be larger than the stacks, so the writer lists the
 * children of a node when it gets there, and drops the list afterwards.  Stacks
 * that are one node of a layout (frames of one name with different types) are a
 * group here.
 *
 * A frame that ran as several tiers has a line for each of them: so texts add
 * up line by line to the text of all, in any order and nesting.  A comparison
 * has one line, as the tier is not a difference, and so have jfrconv and
 * jfr2flame.
 *
 * With keys the outermost frames are columns, each ended by a tab, and a tab
 * stands before the weight.  "key" without any stack sorts before the stacks of
 * that key, as bytes do.
 */
#include "fl.h"

#include "base/block.h"
#include "draw/page.h"
#include "format/folded/folded.h"
#include "tree/order.h"

#include <inttypes.h>
#include <stdlib.h>

/*
 * A group, members[from] to [from + n - 1], and one of its two items: "name "
 * or, below, "name;" and the stacks below.
 */
struct item {
	uint64_t key;		/* of its text, to sort siblings by */
	const struct fl_name *name;
	const char *tail;	/* suffix and separator */
	uint32_t from;
	uint32_t n : 31;
	uint32_t below : 1;
};

/*
 * Siblings: sizes of the path, of members[] and of items[] to return to.  A
 * chain of frames is one level.
 */
struct level {
	size_t path, members, items;
	uint32_t depth;		/* frames */
};

/* A member by name and kind. */
struct keyed {
	uint64_t key;
	uint32_t member;
};

struct writer {
	struct flame *flame;
	flame_id root;			/* 0; or the parent of whole stacks */
	const struct fl_page *page;
	const struct flame_tree *tree;
	struct fl_layout *layout;	/* with minwidth; members are nodes */
	flame_id *cleaned;		/* by name; NULL: all are clean */
	struct fl_buf clean;
	/* child[first[i]] to [first[i + 1] - 1]: children with weight. */
	uint32_t *child, *first;
	unsigned nkeys;			/* levels that are columns */
	bool groups;			/* a group may have several members */
	bool mixes_tiers;		/* in a group */
	uint64_t *total;	/* by stack; NULL: no group mixes tiers */
	struct fl_buf path;
	uint32_t *members;
	struct item *items;	/* of all levels that are open, the next last */
	struct level *levels;
	struct keyed *keyed;
	size_t nmembers, nitems, nlevels;
	size_t members_capacity, items_capacity, levels_capacity;
	size_t keyed_capacity;
	int64_t written[2];		/* scaled weights, by column */
};

/* Members ------------------------------------------------------------- */

static inline int64_t weight(const struct writer *w, unsigned column,
			     uint32_t member)
{
	if (w->layout)
		return w->layout->self[column][member];
	return member < w->tree->capacity[column] ?
	       w->tree->weight[column][member] : 0;
}

static bool has_below(const struct writer *w, uint32_t member)
{
	if (w->layout)
		return w->layout->end[member] > member + 1;
	return w->first[member] < w->first[member + 1];
}

/* jfrconv omits stacks that the first of two profiles has alone. */
static inline bool has_line(const struct writer *w, uint32_t member)
{
	if (w->tree->columns == 1)
		return weight(w, 0, member) != 0;
	return weight(w, 1, member) ||
	       (weight(w, 0, member) && !w->page->compat);
}

static bool has_weight(const struct writer *w, uint32_t member)
{
	return weight(w, 0, member) ||
	       (w->tree->columns == 2 && weight(w, 1, member));
}

static flame_id name_of(const struct writer *w, uint32_t member)
{
	flame_id name = w->layout ? w->layout->name[member] :
				    fl_frame_at(w->flame, member)->name;

	return w->cleaned ? w->cleaned[name] : name;
}

static enum flame_type type_of(const struct writer *w, uint32_t member)
{
	return w->layout ? (enum flame_type)w->layout->type[member] :
			   fl_frame_at(w->flame, member)->type;
}

/*
 * A counting sort by parent.  It runs backwards, so that the children of a
 * stack show whether there is weight below before the stack itself is counted.
 */
static bool find_children(struct writer *w)
{
	size_t n = w->flame->stacks.count, sum = 0;
	uint32_t *end = w->first = fl_zeroed(n + 1, sizeof(*end));

	w->child = fl_alloc(fl_size_mul(n, sizeof(*w->child)));
	if (!end || !w->child)
		return false;
	for (uint32_t i = n; --i > 0;)
		if (end[i] || has_weight(w, i))
			end[fl_parent(w->flame, i)]++;
	for (size_t i = 0; i <= n; i++) {
		sum += end[i];
		end[i] = (uint32_t)sum;
	}
	for (uint32_t i = n; --i > 0;)
		if (end[i] < end[i + 1] || has_weight(w, i))
			w->child[--end[fl_parent(w->flame, i)]] = i;
	return true;
}

static bool sum_totals(struct writer *w)
{
	size_t n = w->flame->stacks.count;

	w->total = fl_alloc(fl_size_mul(n, sizeof(*w->total)));
	if (!w->total)
		return false;
	for (uint32_t i = 0; i < n; i++)
		w->total[i] = (uint64_t)weight(w, 0, i) +
			(w->tree->columns == 2 ? (uint64_t)weight(w, 1, i) : 0);
	for (uint32_t i = n; --i > 0;)
		w->total[fl_parent(w->flame, i)] += w->total[i];
	return true;
}

/*
 * A number for the types that share a line: those of a node, or those with one
 * spelling.
 */
static unsigned group_of(const struct writer *w, enum flame_type type)
{
	if (w->mixes_tiers)
		return fl_kind(type);
	return *fl_type_suffix(type) ? type : FLAME_UNKNOWN;
}

/* Finds whether frames of one name may be in one line, with different tiers. */
static bool find_groups(struct writer *w)
{
	const struct flame *flame = w->flame;
	bool tiers = false;

	w->mixes_tiers = w->tree->columns == 2 || w->page->compat ||
			 w->page->folded.merge_tiers;

	for (flame_id name = 0; name < flame->names.count; name++) {
		flame_id i = flame->names.data[name].frame;
		unsigned kinds = 0, java = 0;

		for (; i; i = flame->frames.next[i]) {
			enum flame_type type = flame->frames.data[i].type;
			unsigned kind = group_of(w, type);

			w->groups |= kinds >> kind & 1;
			kinds |= 1u << kind;
			if (w->mixes_tiers && kind == FL_KIND_JAVA)
				java |= 1u << type;
		}
		tiers |= (java & (java - 1)) != 0;
	}
	return !tiers || sum_totals(w);
}

static bool is_control(char c)
{
	return (unsigned char)c < 0x20 || c == 0x7f;
}

static bool is_dirty(struct slice name)
{
	bool dirty = fl_folded_comment(name) ||
		     fl_slice_starts(name, BYTE_ORDER_MARK);
	size_t i = 0;

	for (; i + FL_BLOCK_SIZE <= name.size; i += FL_BLOCK_SIZE)
		dirty |= fl_block_is(name.data + i, ';') ||
			 fl_block_control(name.data + i);
	for (; i < name.size; i++)
		dirty |= name.data[i] == ';' || is_control(name.data[i]);
	return dirty;
}

/* Replaces bytes in a copy; 0: out of memory. */
static flame_id clean_name(struct writer *w, struct slice raw)
{
	char *text;

	w->clean.size = 0;
	text = fl_buf_reserve(&w->clean, raw.size);
	if (!text)
		return 0;
	memcpy(text, raw.data, raw.size);
	if (fl_slice_starts(raw, BYTE_ORDER_MARK))
		memset(text, ' ', strlen(BYTE_ORDER_MARK));
	if (fl_folded_comment(raw))
		text[0] = '_';
	for (size_t i = 0; i < raw.size; i++) {
		if (text[i] == ';')
			text[i] = ':';
		else if (is_control(text[i]))
			text[i] = ' ';
	}
	return flame_name(w->flame, text, raw.size);
}

/*
 * Most profiles have no name to clean.  Names that become one are a group, so
 * that their stacks are one line.
 */
static bool clean_names(struct writer *w)
{
	size_t n = w->flame->names.count;

	for (flame_id i = 1; i < n && !w->page->compat; i++) {
		struct slice name = fl_name_at(w->flame, i);

		if (!is_dirty(name))
			continue;
		if (!w->cleaned) {
			w->cleaned = fl_alloc(fl_size_mul(n,
						sizeof(*w->cleaned)));
			for (size_t k = 0; w->cleaned && k < n; k++)
				w->cleaned[k] = (flame_id)k;
			w->groups = true;
		}
		if (!w->cleaned)
			return false;
		w->cleaned[i] = clean_name(w, name);
		if (!w->cleaned[i])
			return false;
	}
	return true;
}

/* Groups -------------------------------------------------------------- */

static bool push_members(struct writer *w, uint32_t member)
{
	const struct fl_layout *l = w->layout;
	size_t n = l ? l->end[member] - member - 1 :
		       w->first[member + 1] - w->first[member];

	if (!fl_grow(&w->members, &w->members_capacity, w->nmembers + n,
		     sizeof(*w->members)))
		return false;
	for (size_t i = 0; !l && i < n; i++)
		w->members[w->nmembers++] = w->child[w->first[member] + i];
	for (uint32_t i = member + 1; l && i < l->end[member]; i = l->end[i])
		if (has_weight(w, i) || has_below(w, i))
			w->members[w->nmembers++] = i;
	return true;
}

static int by_key(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;

	if (x->key != y->key)
		return x->key > y->key ? 1 : -1;
	return (x->member > y->member) - (x->member < y->member);
}

/* Sorts members so that those of one node are adjacent. */
static bool group_members(struct writer *w, size_t from)
{
	size_t n = w->nmembers - from;

	if (!fl_grow(&w->keyed, &w->keyed_capacity, n, sizeof(*w->keyed)))
		return false;
	for (size_t i = 0; i < n; i++) {
		uint32_t member = w->members[from + i];
		unsigned kind = group_of(w, type_of(w, member));

		w->keyed[i] = (struct keyed){
			(uint64_t)name_of(w, member) << 8 | kind, member
		};
	}
	qsort(w->keyed, n, sizeof(*w->keyed), by_key);
	for (size_t i = 0; i < n; i++)
		w->members[from + i] = w->keyed[i].member;
	return true;
}

static size_t group_end(const struct writer *w, size_t from)
{
	flame_id name = name_of(w, w->members[from]);
	unsigned kind = group_of(w, type_of(w, w->members[from]));
	size_t end = from + 1;

	while (w->groups && end < w->nmembers &&
	       name_of(w, w->members[end]) == name &&
	       group_of(w, type_of(w, w->members[end])) == kind)
		end++;
	return end;
}

/* The type that a layout shows for such a node. */
static enum flame_type group_type(const struct writer *w, size_t from,
				  size_t end)
{
	enum flame_type first = type_of(w, w->members[from]);
	uint64_t total = 0, tier[3] = { 0, 0, 0 };
	bool differ = false;

	if (end == from + 1 || fl_kind(first) != FL_KIND_JAVA)
		return first;
	for (size_t i = from; i < end; i++) {
		enum flame_type type = type_of(w, w->members[i]);

		if (!w->total)
			break;
		differ |= type != first;
		total += w->total[w->members[i]];
		fl_tier_count(tier, type, w->total[w->members[i]]);
	}
	return differ ? fl_tier_shown(tier, total) : first;
}

/* Items --------------------------------------------------------------- */

enum {
	TAIL_SIZE = 8,		/* bytes, with padding of NULs */
	MIN_KEYED = 12		/* siblings */
};

/* "_[j];" before the stacks below a frame, "_[j] " at the end of a stack. */
static const char *tail_of(const struct writer *w, enum flame_type type,
			   bool below, uint32_t depth)
{
	static const char tails[FL_TYPES][3][TAIL_SIZE] = {
		[FLAME_UNKNOWN] = { " ", ";", "\t" },
		[FLAME_INTERPRETED] = { "_[0] ", "_[0];", "_[0]\t" },
		[FLAME_JIT] = { "_[j] ", "_[j];", "_[j]\t" },
		[FLAME_INLINED] = { "_[i] ", "_[i];", "_[i]\t" },
		[FLAME_NATIVE] = { " ", ";", "\t" },
		[FLAME_CPP] = { " ", ";", "\t" },
		[FLAME_KERNEL] = { "_[k] ", "_[k];", "_[k]\t" },
		[FLAME_C1] = { "_[1] ", "_[1];", "_[1]\t" },
		[FLAME_JAVA_NATIVE] = { " ", ";", "\t" },
		[FLAME_GROUP] = { " ", ";", "\t" },
		[FLAME_WAKER] = { "_[w] ", "_[w];", "_[w]\t" },
	};

	if (fl_likely(!w->nkeys))
		return tails[type][below];
	if (depth > w->nkeys)
		return tails[type][below ? 1 : 2];
	return below ? "\t\0\0\0\0\0\0" : "\t\t\0\0\0\0\0";
}

static bool add_item(struct writer *w, struct item item)
{
	if (w->nitems == w->items_capacity &&
	    !fl_grow(&w->items, &w->items_capacity, w->nitems + 1,
		     sizeof(*w->items)))
		return false;
	w->items[w->nitems++] = item;
	return true;
}

/* Adds the item of the line and that of the stacks below, if they exist. */
static bool add_group(struct writer *w, size_t from, size_t end, uint32_t depth)
{
	enum flame_type type = group_type(w, from, end);
	struct item item = {
		.name = &w->flame->names.data[name_of(w, w->members[from])],
		.from = from, .n = (end - from) & INT32_MAX,
	};
	bool line = false, below = false;

	for (size_t i = from; i < end; i++) {
		line |= has_line(w, w->members[i]);
		below |= has_below(w, w->members[i]);
	}
	item.tail = tail_of(w, type, false, depth);
	if (line && !add_item(w, item))
		return false;
	item.below = 1;
	item.tail = tail_of(w, type, true, depth);
	return !below || add_item(w, item);
}

/* Compares the tail of the shorter name with the rest of the longer one. */
static int compare_tail(const struct item *shorter, const struct item *longer)
{
	const char *rest = longer->name->text + shorter->name->size;
	size_t n = longer->name->size - shorter->name->size;

	for (size_t i = 0; shorter->tail[i]; i++) {
		unsigned char x = shorter->tail[i];
		unsigned char y = i < n ? rest[i] : longer->tail[i - n];

		if (x != y)
			return x < y ? -1 : 1;
	}
	return -1;
}

static int compare_lines(const struct item *x, const struct item *y)
{
	size_t n = x->name->size, m = y->name->size;
	int d = memcmp(x->name->text, y->name->text, FL_MIN(n, m));

	if (d)
		return d;
	if (n != m)
		return n < m ? compare_tail(x, y) : -compare_tail(y, x);
	/* "key\t\t" is the end of a line, "key\t" is not. */
	d = strcmp(x->tail, y->tail);
	return y->tail[0] == '\t' && x->tail[0] == '\t' ? -d : d;
}

/* Descending: the first line is the last item. */
static int by_line(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? 1 : -1;
	return compare_lines(y, x);
}

/* Bytes that all names begin with. */
static size_t common_prefix(const struct item *at, size_t n)
{
	const char *text = at[0].name->text;
	size_t size = at[0].name->size;

	for (size_t i = 1; i < n && size; i++) {
		size_t k = 0;

		size = FL_MIN(size, at[i].name->size);
		while (k < size && at[i].name->text[k] == text[k])
			k++;
		size = k;
	}
	return size;
}

/* Keys of eight bytes after the common prefix, big-endian. */
static void set_keys(struct item *at, size_t n)
{
	size_t prefix = common_prefix(at, n);

	for (size_t i = 0; i < n; i++) {
		size_t size = at[i].name->size - prefix;
		char text[8 + TAIL_SIZE];

		memcpy(text, at[i].name->text + prefix, FL_MIN(size, 8u));
		memcpy(text + FL_MIN(size, 8u), at[i].tail, TAIL_SIZE);
		at[i].key = fl_order_key(text);
	}
}

/* Equal keys are sorted by those after their own common prefix. */
static void sort_equal(struct item *at, size_t n)
{
	if (n > MIN_KEYED)
		set_keys(at, n);
	if (n > 1)
		qsort(at, n, sizeof(*at), by_line);
}

/* at[i] becomes at[from of n - 1 - i]. */
static void reverse_into(struct item *at, struct fl_keyed *from, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct item first = at[i];
		size_t to = i, source;

		while ((source = from[n - 1 - to].place) != i) {
			from[n - 1 - to].place = (uint32_t)to;
			at[to] = at[source];
			to = source;
		}
		from[n - 1 - to].place = (uint32_t)to;
		at[to] = first;
	}
}

/* false: there is too little memory, and they are as they were. */
static bool sort_many(struct item *at, size_t n)
{
	struct fl_keyed *keyed = fl_alloc(fl_size_mul(2 * n, sizeof(*keyed)));

	if (!keyed)
		return false;
	for (size_t i = 0; i < n; i++)
		keyed[i] = (struct fl_keyed){ at[i].key, (uint32_t)i };
	fl_order_keys(keyed, keyed + n, n);
	reverse_into(at, keyed, n);
	fl_free(keyed);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && at[end].key == at[i].key;)
			end++;
		sort_equal(at + i, end - i);
	}
	return true;
}

static void sort_items(const struct writer *w, struct item *at, size_t n)
{
	/* Tabs of keys do not sort as bytes: see compare_lines. */
	if (n > MIN_KEYED && !w->nkeys)
		set_keys(at, n);
	if (n >= FL_ORDER_MIN_RADIX && n <= UINT32_MAX && !w->nkeys &&
	    sort_many(at, n))
		return;
	if (n > MIN_KEYED) {
		qsort(at, n, sizeof(*at), by_line);
		return;
	}
	for (size_t i = 1; i < n; i++) {
		struct item item = at[i];
		size_t j = i;

		for (; j && compare_lines(&at[j - 1], &item) < 0; j--)
			at[j] = at[j - 1];
		at[j] = item;
	}
}

/* Pushes the items below one, which has `depth` frames, as a new level. */
static bool open_item(struct writer *w, struct item item, uint32_t depth)
{
	size_t from = w->nmembers, items = w->nitems, end;

	for (uint32_t i = 0; i < item.n; i++)
		if (!push_members(w, w->members[item.from + i]))
			return false;
	if (w->groups && w->nmembers > from + 1 && !group_members(w, from))
		return false;
	for (; from < w->nmembers; from = end) {
		end = group_end(w, from);
		if (!add_group(w, from, end, depth + 1))
			return false;
	}
	if (w->nitems > items)
		sort_items(w, w->items + items, w->nitems - items);
	if (!fl_grow(&w->levels, &w->levels_capacity, w->nlevels + 1,
		     sizeof(*w->levels)))
		return false;
	w->levels[w->nlevels++] = (struct level){
		w->path.size, w->nmembers, items, depth + 1
	};
	return true;
}

/* Lines --------------------------------------------------------------- */

static void put_name(struct writer *w, const struct fl_name *name,
		     const char *tail)
{
	char *at = fl_buf_reserve(&w->path, name->size + TAIL_SIZE);

	if (!at)
		return;
	memcpy(at, name->text, name->size);
	memcpy(at + name->size, tail, TAIL_SIZE);
	w->path.size += name->size + strlen(tail);
}

/* Sets the scaled weights of a line.  false: all of it is rounded away. */
static bool weigh_line(struct writer *w, const struct item *item,
		       int64_t sum[2])
{
	for (unsigned c = 0; c < w->tree->columns; c++) {
		for (uint32_t i = 0; i < item->n; i++)
			sum[c] += weight(w, c, w->members[item->from + i]);
		sum[c] = fl_tree_scaled_down(w->tree, c, sum[c]);
		w->written[c] += sum[c];
	}
	return sum[0] || sum[1];
}

/* "12", or of two columns "12 0". */
static void put_line(struct writer *w, const struct item *item)
{
	const struct flame_metric *metric = flame_metric_of(w->flame,
							    w->tree->metric);
	int64_t sum[2] = { 0, 0 };

	if (!weigh_line(w, item, sum))
		return;
	for (unsigned c = 0; c < w->tree->columns; c++) {
		if (c)
			fl_buf_byte(&w->path, ' ');
		fl_put_weight(&w->path, metric, sum[c]);
	}
	fl_buf_byte(&w->path, '\n');
	fl_out_put(w->page->out, w->path.data, w->path.size);
}

/* Makes the item a group of this member alone. */
static bool set_member(struct writer *w, struct item *item, uint32_t member)
{
	if (w->members[item->from] == member)
		return true;
	if (!fl_grow(&w->members, &w->members_capacity, w->nmembers + 1,
		     sizeof(*w->members)))
		return false;
	item->from = w->nmembers;
	w->members[w->nmembers++] = member;
	return true;
}

/*
 * As long as a stack has one child and no line of its own, appends names to the
 * path without sorting.  *item becomes the end of that chain, of *depth frames,
 * to be opened; its n is 0 if the chain ended in a line, which is written.
 * false: out of memory.
 */
static bool put_chain(struct writer *w, struct item *item, uint32_t *depth)
{
	uint32_t member = w->members[item->from];
	bool line = false;

	if (item->n != 1 || w->layout)
		return true;
	while (!line && w->first[member] + 1 == w->first[member + 1]) {
		uint32_t child = w->child[w->first[member]];
		bool below = has_below(w, child);

		line = has_line(w, child);
		if (line == below)
			return set_member(w, item, member);
		member = child;
		put_name(w, &w->flame->names.data[name_of(w, member)],
			 tail_of(w, type_of(w, member), below, ++*depth));
	}
	if (!set_member(w, item, member))
		return false;
	if (line) {
		put_line(w, item);
		item->n = 0;
	}
	return true;
}

/* Of the stack after the item's first: mostly that one's first child. */
static flame_id child_frame(const struct writer *w, const struct item *item)
{
	flame_id child = w->members[item->from] + 1;

	return child < w->flame->stacks.count ? fl_frame_id(w->flame, child) :
						0;
}

/*
 * Lines are in the order of their names, and tables in that of ids: fetches
 * for the items to come, each after what leads to it.
 */
static void prefetch(const struct writer *w)
{
	enum { MEMBER = 24, STACK = 16, FRAME = 10, NAME = 5 };
	const struct flame *flame = w->flame;
	const struct item *next = &w->items[w->nitems - 1];
	uint32_t member;
	flame_id frame;

	if (w->layout || w->nitems <= MEMBER)
		return;
	fl_prefetch(&w->members[next[-MEMBER].from]);
	fl_prefetch(next[-MEMBER].name);
	member = w->members[next[-STACK].from];
	fl_prefetch(next[-STACK].name->text);
	fl_prefetch(&w->first[member]);
	fl_prefetch(&flame->stacks.data[member]);
	for (unsigned c = 0; c < w->tree->columns; c++)
		if (member < w->tree->capacity[c])
			fl_prefetch(&w->tree->weight[c][member]);
	fl_prefetch(&flame->frames.data[child_frame(w, &next[-FRAME])]);
	frame = child_frame(w, &next[-NAME]);
	fl_prefetch(&flame->names.data[flame->frames.data[frame].name]);
}

static bool put_item(struct writer *w, struct item item)
{
	uint32_t depth = w->levels[w->nlevels - 1].depth;

	put_name(w, item.name, item.tail);
	if (!item.below) {
		put_line(w, &item);
		return true;
	}
	return put_chain(w, &item, &depth) &&
	       (!item.n || open_item(w, item, depth));
}

static bool put_all(struct writer *w)
{
	struct item item = { .n = 1 };

	if (!fl_grow(&w->members, &w->members_capacity, 1, sizeof(*w->members)))
		return false;
	w->members[w->nmembers++] = 0;
	/* The empty stack sorts before all others. */
	if (has_line(w, 0) && (!w->page->compat || w->page->compat_root)) {
		fl_buf_byte(&w->path, ' ');
		put_line(w, &item);
	}
	w->path.size = 0;
	w->members[0] = w->root;
	if (!open_item(w, item, 0))
		return false;
	while (w->nlevels) {
		const struct level *level = &w->levels[w->nlevels - 1];

		if (w->nitems == level->items) {
			w->nlevels--;
			continue;
		}
		w->path.size = level->path;
		w->nmembers = level->members;
		prefetch(w);
		if (!put_item(w, w->items[--w->nitems]))
			return false;
	}
	return !w->path.failed;
}

/* Text between two ';' of the header. */
static void put_fact(struct fl_buf *to, const char *key, const char *value)
{
	size_t from;

	fl_buf_print(to, "; %s=", key);
	from = to->size;
	fl_buf_text(to, value);
	for (size_t i = from; i < to->size; i++)
		if (to->data[i] == ';')
			to->data[i] = ':';
}

/* The unit of all metrics that there are samples of; "": they have several. */
static const char *common_unit(const struct flame *flame)
{
	const char *unit = NULL;

	for (unsigned i = 1; i <= flame_metrics(flame); i++) {
		const struct flame_metric *m = flame_metric_of(flame, i);

		if (!m->samples || !*m->weight)
			continue;
		if (unit && strcmp(unit, m->weight) != 0)
			return "";
		unit = m->weight;
	}
	return unit ? unit : "";
}

static bool put_header(struct writer *w)
{
	const struct fl_page *page = w->page;
	const struct flame_metric *metric = flame_metric_of(w->flame,
							    w->tree->metric);
	struct fl_buf line = { 0 };

	if (!page->folded.header && !page->folded.key)
		return true;
	fl_buf_text(&line, FL_FOLDED_HEADER "1");
	if (page->folded.key && fl_event_listed(page->folded.key, "metric")) {
		if (*common_unit(w->flame))
			put_fact(&line, "unit", common_unit(w->flame));
	} else if (*metric->name) {
		put_fact(&line, "metric", metric->name);
		put_fact(&line, "unit", fl_unit_in_text(metric));
	}
	if (page->folded.key)
		put_fact(&line, "key", page->folded.key);
	fl_buf_byte(&line, '\n');
	if (!line.failed)
		fl_out_put(page->out, line.data, line.size);
	fl_buf_free(&line);
	return !line.failed;
}

static unsigned count_keys(const char *list)
{
	unsigned n = list != NULL;

	for (; list && *list; list++)
		n += *list == ',';
	return n;
}

static void writer_free(struct writer *w)
{
	fl_layout_free(w->layout);
	fl_free(w->cleaned);
	fl_buf_free(&w->clean);
	fl_free(w->child);
	fl_free(w->first);
	fl_free(w->total);
	fl_buf_free(&w->path);
	fl_free(w->members);
	fl_free(w->items);
	fl_free(w->levels);
	fl_free(w->keyed);
}

static void report_rounding(const struct writer *w)
{
	for (unsigned c = 0; c < w->tree->columns; c++) {
		int64_t total = flame_tree_total(w->tree, c);
		int64_t lost = total - w->written[c];

		if (w->tree->scale[c].of && lost > 0)
			fl_remark(w->flame, "rounding each line down cut %"
				  PRId64 " of %" PRId64 " from the profile %s; "
				  "pages, pictures and --top scale exactly",
				  lost, total, c ? "after" : "before");
	}
}

static bool has_frames(const struct flame_tree *tree)
{
	for (unsigned c = 0; c < tree->columns; c++)
		for (flame_id i = 1; i < tree->capacity[c]; i++)
			if (tree->weight[c][i] &&
			    !fl_is_whole(tree->flame, i))
				return true;
	return false;
}

static bool takes_whole(struct flame_sink *sink)
{
	const struct fl_page *page = fl_page_of(sink);

	return !page->folded.key && !page->compat &&
	       !(page->minwidth.percent && page->minwidth.n > 0);
}

/* Whole stacks are written as they are, unless there are others beside. */
static bool find_root(struct writer *w, struct fl_page *page)
{
	if (!w->flame->whole.parent)
		return true;
	if (w->nkeys || page->compat || has_frames(page->tree))
		return fl_tree_split(page->tree);
	w->root = w->flame->whole.parent;
	return true;
}

static int write_folded(struct fl_page *page)
{
	struct flame *flame = page->tree->flame;
	struct writer w = { .flame = flame, .page = page, .tree = page->tree,
			    .nkeys = count_keys(page->folded.key) };
	bool good = true;

	if (fl_page_check(page) != FLAME_OK)
		return FLAME_FAILED;
	if (w.nkeys && fl_page_minimum(page, 0) > 0)
		return fl_fail(flame, "--minwidth: not with --key, as what is "
			       "left out would lose its columns");
	/* The weights of omitted nodes go to their parents. */
	if (fl_page_minimum(page, 0) > 0)
		good = (w.layout = fl_page_layout(page, 0)) && clean_names(&w);
	else
		good = find_root(&w, page) && find_children(&w) &&
		       (w.root || (find_groups(&w) && clean_names(&w)));
	if (!good || !put_header(&w) || !put_all(&w))
		fl_no_memory(flame);
	else
		report_rounding(&w);
	writer_free(&w);
	return fl_failed(flame) ? FLAME_FAILED : FLAME_OK;
}

struct flame_sink *fl_folded_create(struct flame *flame, struct fl_out *out)
{
	struct flame_sink *sink = fl_page_of_weights(flame, out,
						     FL_OUTPUT_OTHER,
						     write_folded);

	if (sink) {
		fl_page_scale_lines(sink);
		sink->whole = takes_whole;
	}
	return sink;
}
