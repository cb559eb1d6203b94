/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folded stacks, written: sorted bytewise, one blank, LF.  ';' within a name
 * becomes ':', control characters become blanks.  So that no line
 * becomes a comment "# x" becomes "_ x", and a byte order mark that begins a
 * name becomes blanks.
 *
 * Lines come out sorted without sorting lines: below a parent, "name " (a
 * stack that ends there) and "name;" (those that go on) are items of their
 * own, since other names may sort between the two.
 *
 * There is no layout of the tree, which would be larger than the stacks
 * are: the children of a node are looked for when the path comes to it, and
 * forgotten behind it.  What the layout makes one node (a name below a
 * parent that ran in several ways) is a group of stacks here.
 */
#include "fl.h"

#include "draw/page.h"
#include "format/folded/folded.h"

#include <stdlib.h>

enum { FEW = 4 };	/* are fetched as they come */

/* A group: members[from] and on. */
struct item {
	uint32_t from, n;
	uint32_t level;
	flame_id name;
	uint8_t type;
	bool below;		/* "name;": what is below; else "name weight" */
};

/* What is there again when the path is back at a level. */
struct level {
	size_t path, members;
};

/* An item that waits for its place. */
struct sortable {
	const char *text, *raw;	/* cleaned, and as it was */
	uint32_t size;
	const char *tail;	/* suffix and separator */
	struct item item;
};

/* A member by name and kind. */
struct keyed {
	uint64_t key;
	uint32_t member;
};

struct writer {
	struct flame *flame;
	const struct fl_page *page;
	const struct flame_tree *tree;
	struct fl_layout *layout;	/* with minwidth: members are nodes */
	const struct fl_name *names;	/* the dictionary's, or cleaned */
	struct fl_name *cleaned;
	struct fl_arena arena;		/* of cleaned names */
	/* Of stack i the children of some weight: [first[i], first[i + 1]). */
	uint32_t *child, *first;
	bool groups;			/* there may be any of two or more */
	uint64_t *total;		/* of columns, if tiers may differ */
	struct fl_buf path;
	uint32_t *members;
	struct item *items;
	struct level *levels;
	struct sortable *list;
	struct keyed *keyed;
	size_t nmembers, nitems, nlist;
	size_t members_room, items_room, levels_room, list_room, keyed_room;
};

/* Members ------------------------------------------------------------- */

static inline int64_t weight(const struct writer *w, unsigned column, uint32_t member)
{
	if (w->layout)
		return w->layout->self[column][member];
	return member < w->tree->capacity[column] ?
	       w->tree->weight[column][member] : 0;
}

static inline void fetch_weight(const struct writer *w, uint32_t member)
{
	if (member < w->tree->capacity[0])
		fl_prefetch(&w->tree->weight[0][member]);
}

static bool has_below(const struct writer *w, uint32_t member)
{
	if (w->layout)
		return w->layout->end[member] > member + 1;
	return w->first[member] < w->first[member + 1];
}

/* jfrconv leaves out what is in the first of two profiles only. */
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
	return w->layout ? w->layout->name[member] :
			   fl_frame_at(w->flame, member)->name;
}

static enum flame_type type_of(const struct writer *w, uint32_t member)
{
	return w->layout ? (enum flame_type)w->layout->type[member] :
			   fl_frame_at(w->flame, member)->type;
}

/*
 * Counted, and then put where they belong, the last one first: a child comes
 * before its parent, so it is known there whether any has weight below.
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

/* Whether frames of one name can be one node, and show different tiers. */
static bool find_groups(struct writer *w)
{
	const struct flame *flame = w->flame;
	bool tiers = false;

	for (flame_id name = 0; name < flame->names.count; name++) {
		flame_id i = flame->names.data[name].frame;
		unsigned kinds = 0, java = 0;

		for (; i; i = flame->frames.next[i]) {
			enum flame_type type = flame->frames.data[i].type;
			enum fl_kind kind = fl_kind(type);

			w->groups |= kinds >> kind & 1;
			kinds |= 1u << kind;
			if (kind == FL_KIND_JAVA)
				java |= 1u << type;
		}
		tiers |= (java & (java - 1)) != 0;
	}
	return !tiers || sum_totals(w);
}

#define MARK "\xef\xbb\xbf"

/* At a line's beginning it would make a comment of it. */
static bool is_comment(struct slice name)
{
	return name.size && name.data[0] == '#' &&
	       (name.size == 1 || name.data[1] == ' ' || name.data[1] == '\t');
}

static bool is_control(char c)
{
	return (unsigned char)c < 0x20 || c == 0x7f;
}

static bool is_dirty(struct slice name)
{
	bool dirty = is_comment(name) || fl_slice_starts(name, MARK);

	for (size_t i = 0; i < name.size; i++)
		dirty |= name.data[i] == ';' || is_control(name.data[i]);
	return dirty;
}

/* As long as before: only bytes change. */
static bool clean_name(struct writer *w, flame_id name)
{
	struct slice raw = fl_name_at(w->flame, name);
	char *text = fl_arena_copy(&w->arena, raw.data, raw.size);
	size_t n = w->flame->names.count;

	if (!text)
		return false;
	if (fl_slice_starts(raw, MARK))
		memset(text, ' ', strlen(MARK));
	if (is_comment(raw))
		text[0] = '_';
	for (size_t i = 0; i < raw.size; i++) {
		if (text[i] == ';')
			text[i] = ':';
		else if (is_control(text[i]))
			text[i] = ' ';
	}
	if (!w->cleaned) {
		w->cleaned = fl_alloc(fl_size_mul(n, sizeof(*w->cleaned)));
		if (!w->cleaned)
			return false;
		memcpy(w->cleaned, w->flame->names.data,
		       n * sizeof(*w->cleaned));
		w->names = w->cleaned;
	}
	w->cleaned[name].text = text;
	return true;
}

/* Rarely is there anything to clean. */
static bool clean_names(struct writer *w)
{
	w->names = w->flame->names.data;
	for (flame_id i = 1; i < w->flame->names.count && !w->page->compat;
	     i++) {
		struct slice name = fl_name_at(w->flame, i);

		if (is_dirty(name) && !clean_name(w, i))
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

	if (!fl_grow(&w->members, &w->members_room, w->nmembers + n,
		     sizeof(*w->members)))
		return false;
	for (size_t i = 0; !l && i < n; i++)
		w->members[w->nmembers++] = w->child[w->first[member] + i];
	for (uint32_t i = member + 1; l && i < l->end[member]; i = l->end[i])
		if (has_weight(w, i) || has_below(w, i))
			w->members[w->nmembers++] = i;
	return true;
}

/*
 * Stacks, frames and names of many children lie all over the memory: one
 * after another they are asked for, and then they are there.
 */
static void fetch_members(const struct writer *w, size_t from)
{
	const struct flame *flame = w->flame;

	if (w->layout || w->nmembers < from + FEW)
		return;
	for (size_t i = from; i < w->nmembers; i++) {
		fl_prefetch(&flame->stacks.data[w->members[i]]);
		fl_prefetch(&w->first[w->members[i]]);
		fetch_weight(w, w->members[i]);
	}
	for (size_t i = from; i < w->nmembers; i++)
		fl_prefetch(fl_frame_at(flame, w->members[i]));
	for (size_t i = from; i < w->nmembers; i++)
		fl_prefetch(&w->names[name_of(w, w->members[i])]);
	for (size_t i = from; i < w->nmembers; i++)
		fl_prefetch(w->names[name_of(w, w->members[i])].text);
}

static int by_key(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;

	if (x->key != y->key)
		return x->key > y->key ? 1 : -1;
	return (x->member > y->member) - (x->member < y->member);
}

/* What is one node comes to lie together. */
static bool group_members(struct writer *w, size_t from)
{
	size_t n = w->nmembers - from;

	if (!fl_grow(&w->keyed, &w->keyed_room, n, sizeof(*w->keyed)))
		return false;
	for (size_t i = 0; i < n; i++) {
		uint32_t member = w->members[from + i];
		enum fl_kind kind = fl_kind(type_of(w, member));

		w->keyed[i] = (struct keyed){
			(uint64_t)name_of(w, member) << 2 | kind, member
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
	enum fl_kind kind = fl_kind(type_of(w, w->members[from]));
	size_t end = from + 1;

	while (w->groups && end < w->nmembers &&
	       name_of(w, w->members[end]) == name &&
	       fl_kind(type_of(w, w->members[end])) == kind)
		end++;
	return end;
}

/* As a node of the layout is shown. */
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

enum { TAIL = 8 };	/* bytes of one, NULs included */

/* "_[j];" of what is below a frame, "_[j] " of a line that ends with it. */
static const char *tail_of(const struct item *item)
{
	static const char tails[FL_TYPES][2][TAIL] = {
		[FLAME_UNKNOWN] = { " ", ";" },
		[FLAME_INTERPRETED] = { "_[0] ", "_[0];" },
		[FLAME_JIT] = { "_[j] ", "_[j];" },
		[FLAME_INLINED] = { "_[i] ", "_[i];" },
		[FLAME_NATIVE] = { " ", ";" },
		[FLAME_CPP] = { " ", ";" },
		[FLAME_KERNEL] = { "_[k] ", "_[k];" },
		[FLAME_C1] = { "_[1] ", "_[1];" },
		[FLAME_JAVA_NATIVE] = { " ", ";" },
		[FLAME_GROUP] = { " ", ";" },
		[FLAME_WAKER] = { "_[w] ", "_[w];" },
	};

	return tails[item->type][item->below];
}

static bool add_item(struct writer *w, struct item item)
{
	const struct fl_name *name = &w->names[item.name];
	struct sortable *new;

	if (w->nlist == w->list_room &&
	    !fl_grow(&w->list, &w->list_room, w->nlist + 1, sizeof(*w->list)))
		return false;
	new = &w->list[w->nlist++];
	*new = (struct sortable){
		.text = name->text, .size = name->size,
		.raw = w->flame->names.data[item.name].text,
		.tail = tail_of(&item), .item = item,
	};
	return true;
}

/* The line and what is below, where there is such. */
static bool add_group(struct writer *w, size_t from, size_t end,
		      uint32_t level)
{
	struct item item = {
		.from = from, .n = end - from, .level = level,
		.name = name_of(w, w->members[from]),
		.type = group_type(w, from, end),
	};
	bool line = false, below = false;

	for (size_t i = from; i < end; i++) {
		line |= has_line(w, w->members[i]);
		below |= has_below(w, w->members[i]);
	}
	if (line && !add_item(w, item))
		return false;
	item.below = true;
	return !below || add_item(w, item);
}

/* The shorter name goes on with its tail. */
static int compare_tail(const struct sortable *shorter,
			const struct sortable *longer)
{
	const char *rest = longer->text + shorter->size;
	size_t n = longer->size - shorter->size;

	for (size_t i = 0; shorter->tail[i]; i++) {
		unsigned char x = shorter->tail[i];
		unsigned char y = i < n ? rest[i] : longer->tail[i - n];

		if (x != y)
			return x < y ? -1 : 1;
	}
	return -1;
}

static int by_line(const void *a, const void *b)
{
	const struct sortable *x = a, *y = b;
	int d = memcmp(x->text, y->text, FL_MIN(x->size, y->size));

	if (d)
		return d;
	if (x->size < y->size)
		return compare_tail(x, y);
	if (x->size > y->size)
		return -compare_tail(y, x);
	d = strcmp(x->tail, y->tail);
	return d ? d : memcmp(x->raw, y->raw, x->size);
}

static void sort_list(struct sortable *list, size_t n)
{
	if (n > 12) {
		qsort(list, n, sizeof(*list), by_line);
		return;
	}
	for (size_t i = 1; i < n; i++) {
		struct sortable s = list[i];
		size_t j = i;

		for (; j && by_line(&list[j - 1], &s) > 0; j--)
			list[j] = list[j - 1];
		list[j] = s;
	}
}

/* The items below one, last first, on top of the stack of items. */
static bool open_item(struct writer *w, struct item item)
{
	uint32_t level = item.level + 1;
	size_t from = w->nmembers, end;

	for (uint32_t i = 0; i < item.n; i++)
		if (!push_members(w, w->members[item.from + i]))
			return false;
	fetch_members(w, from);
	if (w->groups && w->nmembers > from + 1 && !group_members(w, from))
		return false;
	w->nlist = 0;
	for (; from < w->nmembers; from = end) {
		end = group_end(w, from);
		if (!add_group(w, from, end, level))
			return false;
	}
	sort_list(w->list, w->nlist);
	if (!fl_grow(&w->items, &w->items_room, w->nitems + w->nlist,
		     sizeof(*w->items)) ||
	    !fl_grow(&w->levels, &w->levels_room, (size_t)level + 1,
		     sizeof(*w->levels)))
		return false;
	while (w->nlist)
		w->items[w->nitems++] = w->list[--w->nlist].item;
	w->levels[level] = (struct level){ w->path.size, w->nmembers };
	return true;
}

/*
 * What comes next, and after that, is a branch of its own: its chain mostly
 * lies right behind it.
 */
static void fetch_items(const struct writer *w)
{
	const struct flame *flame = w->flame;
	uint32_t next;

	if (w->layout || w->nitems < 2)
		return;
	next = w->members[w->items[w->nitems - 2].from];
	fl_prefetch(&w->first[next]);
	next = w->members[w->items[w->nitems - 1].from];
	fl_prefetch(&flame->stacks.data[next + 1]);
	fl_prefetch(&flame->stacks.data[next + 5]);
	fetch_weight(w, next + 1);
	fl_prefetch(&w->first[next + 16]);
	fl_prefetch(&w->child[w->first[next]]);
}

/* Lines --------------------------------------------------------------- */

static void put_name(struct writer *w, const struct item *item)
{
	const struct fl_name *name = &w->names[item->name];
	const char *tail = tail_of(item);
	char *at = fl_buf_reserve(&w->path, name->size + TAIL);

	if (!at)
		return;
	memcpy(at, name->text, name->size);
	memcpy(at + name->size, tail, TAIL);
	w->path.size += name->size + (tail[1] ? 5 : 1);
}

/* "12", or of two columns "12 0". */
static void put_line(struct writer *w, const struct item *item)
{
	for (unsigned c = 0; c < w->tree->columns; c++) {
		int64_t sum = 0;

		for (uint32_t i = 0; i < item->n; i++)
			sum += weight(w, c, w->members[item->from + i]);
		if (c)
			fl_buf_byte(&w->path, ' ');
		fl_buf_number(&w->path, sum);
	}
	fl_buf_byte(&w->path, '\n');
	fl_out_put(w->page->out, w->path.data, w->path.size);
}

/* It is what the item stands for. */
static bool keep_member(struct writer *w, struct item *item, uint32_t member)
{
	if (w->members[item->from] == member)
		return true;
	if (!fl_grow(&w->members, &w->members_room, w->nmembers + 1,
		     sizeof(*w->members)))
		return false;
	item->from = w->nmembers;
	w->members[w->nmembers++] = member;
	return true;
}

/*
 * Where a stack goes on as one other, or ends as one, nothing is put in
 * order: as far as that holds, the names go on the path.  false: memory is
 * out; *item is what is to be opened then, of n 0 where a line was the end.
 */
static bool put_chain(struct writer *w, struct item *item)
{
	uint32_t member = w->members[item->from];
	struct item at = *item;
	bool line = false;

	if (item->n != 1 || w->layout)
		return true;
	while (!line && w->first[member] + 1 == w->first[member + 1]) {
		uint32_t child = w->child[w->first[member]];

		line = has_line(w, child);
		at.below = has_below(w, child);
		if (line == at.below)
			return keep_member(w, item, member);
		member = child;
		at.name = name_of(w, member);
		at.type = type_of(w, member);
		put_name(w, &at);
	}
	if (!keep_member(w, item, member))
		return false;
	if (line) {
		put_line(w, item);
		item->n = 0;
	}
	return true;
}

static bool put_all(struct writer *w)
{
	struct item item = { .n = 1 };

	if (!fl_grow(&w->members, &w->members_room, 1, sizeof(*w->members)))
		return false;
	w->members[w->nmembers++] = 0;
	/* Stacks of no frames; they sort before all others. */
	if (has_line(w, 0) && (!w->page->compat || w->page->compat_root)) {
		fl_buf_byte(&w->path, ' ');
		put_line(w, &item);
	}
	w->path.size = 0;
	if (!open_item(w, item))
		return false;
	while (w->nitems) {
		item = w->items[--w->nitems];
		fetch_items(w);
		w->path.size = w->levels[item.level].path;
		w->nmembers = w->levels[item.level].members;
		put_name(w, &item);
		if (!item.below) {
			put_line(w, &item);
			continue;
		}
		if (!put_chain(w, &item) || (item.n && !open_item(w, item)))
			return false;
	}
	return !w->path.failed;
}

static void writer_free(struct writer *w)
{
	fl_layout_free(w->layout);
	fl_free(w->cleaned);
	fl_arena_free(&w->arena);
	fl_free(w->child);
	fl_free(w->first);
	fl_free(w->total);
	fl_buf_free(&w->path);
	fl_free(w->members);
	fl_free(w->items);
	fl_free(w->levels);
	fl_free(w->list);
	fl_free(w->keyed);
}

static int write_folded(struct fl_page *page)
{
	struct flame *flame = page->tree->flame;
	struct writer w = { .flame = flame, .page = page, .tree = page->tree };
	bool good = true;

	if (fl_page_check(page) != FLAME_OK)
		return FLAME_FAILED;
	/* What is left out decides what its parents weigh. */
	if (fl_page_minimum(page, 0) > 0)
		good = (w.layout = fl_page_layout(page, 0)) != NULL;
	else
		good = find_children(&w) && find_groups(&w);
	if (!good || !clean_names(&w) || !put_all(&w))
		fl_no_memory(flame);
	writer_free(&w);
	return fl_failed(flame) ? FLAME_FAILED : FLAME_OK;
}

struct flame_sink *fl_folded_create(struct flame *flame, struct fl_out *out)
{
	return fl_page_sink(flame, out, write_folded);
}
