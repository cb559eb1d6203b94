/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer of folded stacks: sorted bytewise, one blank, LF.  ';' within a
 * name becomes ':', and control characters become blanks.  "# x" becomes "_ x",
 * as the line would be a comment; a byte order mark at a name's beginning
 * becomes blanks.
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
 * has one line, as the tier is not a difference, and so have jfrconv and jfr2flame.
 *
 * With keys the outermost frames are columns, each ended by a tab, and a tab
 * stands before the weight.  "key" without any stack sorts before the stacks of
 * that key, as bytes do.
 */
#include "fl.h"

#include "draw/page.h"
#include "format/folded/folded.h"

#include <inttypes.h>
#include <stdlib.h>

/* A group, members[from] to [from + n - 1], and one of its two items. */
struct item {
	uint32_t from, n;
	uint32_t level;
	uint32_t depth;		/* frames; a chain of them is one level */
	flame_id name;
	uint8_t type;
	bool below;		/* "name;" and the stacks below, or "name " */
};

/* Sizes of the path and of members[] at a level, to return to. */
struct level {
	size_t path, members;
};

/* An item to be sorted among its siblings. */
struct sortable {
	const char *text;
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
	struct item *items;
	struct level *levels;
	struct sortable *list;
	struct keyed *keyed;
	size_t nmembers, nitems, nlist;
	size_t members_capacity, items_capacity, levels_capacity;
	size_t list_capacity, keyed_capacity;
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

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

static bool is_control(char c)
{
	return (unsigned char)c < 0x20 || c == 0x7f;
}

static bool is_dirty(struct slice name)
{
	bool dirty = fl_folded_comment(name) ||
		     fl_slice_starts(name, BYTE_ORDER_MARK);

	for (size_t i = 0; i < name.size; i++)
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

enum { TAIL_SIZE = 8 };	/* bytes, with padding of NULs */

/* "_[j];" before the stacks below a frame, "_[j] " at the end of a stack. */
static const char *tail_of(const struct writer *w, const struct item *item)
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
		return tails[item->type][item->below];
	if (item->depth > w->nkeys)
		return tails[item->type][item->below ? 1 : 2];
	return item->below ? "\t\0\0\0\0\0\0" : "\t\t\0\0\0\0\0";
}

static bool add_item(struct writer *w, struct item item)
{
	const struct fl_name *name = &w->flame->names.data[item.name];
	struct sortable *new;

	if (w->nlist == w->list_capacity &&
	    !fl_grow(&w->list, &w->list_capacity, w->nlist + 1,
		     sizeof(*w->list)))
		return false;
	new = &w->list[w->nlist++];
	*new = (struct sortable){
		.text = name->text, .size = name->size,
		.tail = tail_of(w, &item), .item = item,
	};
	return true;
}

/* Adds the item of the line and that of the stacks below, if they exist. */
static bool add_group(struct writer *w, size_t from, size_t end,
		      uint32_t level, uint32_t depth)
{
	struct item item = {
		.from = from, .n = end - from, .level = level, .depth = depth,
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

/* Compares the tail of the shorter name with the rest of the longer one. */
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
	/* "key\t\t" is the end of a line, "key\t" is not. */
	d = strcmp(x->tail, y->tail);
	return y->tail[0] == '\t' && x->tail[0] == '\t' ? -d : d;
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

/* Pushes the items below one on the stack of items, in reverse order. */
static bool open_item(struct writer *w, struct item item)
{
	uint32_t level = item.level + 1;
	size_t from = w->nmembers, end;

	for (uint32_t i = 0; i < item.n; i++)
		if (!push_members(w, w->members[item.from + i]))
			return false;
	if (w->groups && w->nmembers > from + 1 && !group_members(w, from))
		return false;
	w->nlist = 0;
	for (; from < w->nmembers; from = end) {
		end = group_end(w, from);
		if (!add_group(w, from, end, level, item.depth + 1))
			return false;
	}
	sort_list(w->list, w->nlist);
	if (!fl_grow(&w->items, &w->items_capacity, w->nitems + w->nlist,
		     sizeof(*w->items)) ||
	    !fl_grow(&w->levels, &w->levels_capacity, (size_t)level + 1,
		     sizeof(*w->levels)))
		return false;
	while (w->nlist)
		w->items[w->nitems++] = w->list[--w->nlist].item;
	w->levels[level] = (struct level){ w->path.size, w->nmembers };
	return true;
}

/* Lines --------------------------------------------------------------- */

static void put_name(struct writer *w, const struct item *item)
{
	const struct fl_name *name = &w->flame->names.data[item->name];
	const char *tail = tail_of(w, item);
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
 * path without sorting.  *item becomes the end of that chain, to be opened; its
 * n is 0 if the chain ended in a line, which is written.  false: out of memory.
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
			return set_member(w, item, member);
		member = child;
		at.name = name_of(w, member);
		at.type = type_of(w, member);
		at.depth++;
		put_name(w, &at);
		item->depth = at.depth;
	}
	if (!set_member(w, item, member))
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

	if (!fl_grow(&w->members, &w->members_capacity, 1, sizeof(*w->members)))
		return false;
	w->members[w->nmembers++] = 0;
	/* The empty stack sorts before all others. */
	if (has_line(w, 0) && (!w->page->compat || w->page->compat_root)) {
		fl_buf_byte(&w->path, ' ');
		put_line(w, &item);
	}
	w->path.size = 0;
	if (!open_item(w, item))
		return false;
	while (w->nitems) {
		item = w->items[--w->nitems];
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
	fl_free(w->list);
	fl_free(w->keyed);
}

static void report_rounding(const struct writer *w)
{
	for (unsigned c = 0; c < w->tree->columns; c++) {
		int64_t total = flame_tree_total(w->tree, c);
		int64_t lost = total - w->written[c];

		if (w->tree->scale[c].of && lost > 0)
			fl_remark(w->flame, "rounding each line down took %"
				  PRId64 " of %" PRId64 " from the profile %s; "
				  "pages, pictures and --top scale exactly",
				  lost, total, c ? "after" : "before");
	}
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
		good = (w.layout = fl_page_layout(page, 0)) != NULL;
	else
		good = find_children(&w) && find_groups(&w);
	if (!good || !clean_names(&w) || !put_header(&w) || !put_all(&w))
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

	if (sink)
		fl_page_scale_lines(sink);
	return sink;
}
