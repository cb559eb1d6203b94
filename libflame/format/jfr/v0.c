/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Format 0.9, all of it: Oracle's JDK 7 and 8, JRockit, async-profiler 1.x.
 * Numbers are big-endian and of fixed width, the metadata come last.
 * Checkpoint events hold the constants.  Ids are given again: the value at a
 * time is that of the first checkpoint which was written then or later, and
 * what a value refers to is as of its own checkpoint.
 */
#include "fl.h"

#include "format/jfr/jfr.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	HEADER = 16,
	EVENT = 8,		/* size and type of an event */
	DEEPEST = 16,		/* structs in structs, constants by constants */
	NEARBY = 64,		/* the metadata may be that much too early */
	LONGEST = 512		/* of a producer's URI, an event's path */
};

/* Event types of the format itself. */
enum { METADATA, CHECKPOINT, LOST };

enum data_type {
	BOOLEAN, BYTE, U1, SHORT, U2, INT, U4, LONG, U8, FLOAT, DOUBLE,
	UTF8, STRING, ARRAY, STRUCT, STRUCTS
};

static const uint8_t sizes[UTF8] = { 1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8 };

/* What a number is to us: the key of a constant, or something else. */
enum role {
	OTHER, STACK, THREAD, STATE, CLASS, METHOD, TYPE, UTF,
	KINDS,			/* of constants */
	LINE = KINDS, BCI, TLAB_SIZE, SIZE, BYTES,
	ROLES
};

static const char *const content_names[KINDS] = {
	NULL, "StackTrace", "Thread", "ThreadState", "Class", "Method",
	"FrameType", "UTFConstant"
};

static const char *const number_names[ROLES - KINDS] = {
	"line", "bci", "tlabSize", "allocationSize", "bytes"
};

struct field {
	struct slice name;
	uint32_t content;	/* content type's id; 0: a plain value */
	uint32_t index;		/* of a struct, or an array's data type */
	uint8_t type, role;
	const struct layout *layout;	/* of a struct; NULL: not known */
};

struct layout {
	struct field *fields;
	uint32_t n;
};

struct producer {
	struct slice uri;
	struct layout *layouts;
	uint32_t n;
};

struct content {
	uint8_t kind, key_size;
	const struct layout *layout;
};

struct event {
	struct slice name;	/* of today, where there is one */
	struct slice told;	/* in --info */
	const struct fl_jfr_row *row;
	bool raw, starts, threads, stacks;
	const struct layout *layout;
};

/* A constant at a checkpoint's time. */
struct constant {
	uint64_t key;
	int64_t ticks;
	uint64_t at;		/* offset of its value */
	uint8_t kind;
	bool made;
	flame_id id;		/* what it was made: stack, thread, type */
};

struct v0 {
	struct fl_jfr *jfr;	/* NULL: only looking */
	const uint8_t *at;
	uint64_t size, meta_at;
	struct fl_arena arena;
	struct producer *producers;
	uint32_t nproducers;
	struct event *events;
	size_t nevents, events_room;
	struct fl_map event_of;		/* id -> index in events, plus one */
	struct content *contents;
	size_t ncontents, contents_room;
	struct fl_map content_of;
	const struct layout *layouts[KINDS];
	int64_t start_ms, end_ms, start_ticks, ticks_per_second;
	int64_t from, to;		/* ns */
	struct constant *constants;
	size_t nconstants, constants_room;
	struct fl_map frames;	/* constant's index and type -> frame */
	flame_id *path;
	size_t path_room;
	bool async, runnable_wall, no_memory;
	uint64_t given, lost;
	const char *why;	/* the first damage, at why_at */
	uint64_t why_at;
};

static struct fl_wire wire(const struct v0 *v, uint64_t at, uint64_t end)
{
	return (struct fl_wire){ .at = v->at + at, .end = v->at + end };
}

/* Told at the end; false, for those who return it. */
static bool no_memory(struct v0 *v)
{
	v->no_memory = true;
	return false;
}

static void damage(struct v0 *v, uint64_t at, uint64_t lost, const char *why)
{
	v->lost += lost;
	if (v->why)
		return;
	v->why = why;
	v->why_at = at;
}

/* Metadata ---------------------------------------------------------------- */

static struct slice utf(struct fl_wire *w)
{
	uint32_t n = fl_wire_fixed(w, 2);
	struct slice text = { (const char *)w->at, n };

	fl_wire_skip(w, n);
	return w->bad ? (struct slice){ "", 0 } : text;
}

/* How many follow, of `least` bytes each or more. */
static uint32_t count(struct fl_wire *w, size_t least)
{
	uint32_t n = fl_wire_fixed(w, 4);

	if (n <= (size_t)(w->end - w->at) / least)
		return n;
	w->bad = true;
	w->at = w->end;
	return 0;
}

static void *take(struct v0 *v, size_t n, size_t size)
{
	void *at = fl_arena_alloc(&v->arena, fl_size_mul(n, size));

	v->no_memory |= !at;
	return at;
}

static bool read_layouts(struct v0 *v, struct producer *p, struct fl_wire *w)
{
	p->n = count(w, 4);
	p->layouts = take(v, p->n, sizeof(*p->layouts));
	for (uint32_t i = 0; p->layouts && i < p->n; i++) {
		struct layout *l = &p->layouts[i];

		l->n = count(w, 20);
		l->fields = take(v, l->n, sizeof(*l->fields));
		for (uint32_t j = 0; l->fields && j < l->n; j++) {
			struct field *f = &l->fields[j];

			memset(f, 0, sizeof(*f));
			f->name = utf(w);
			utf(w);
			utf(w);
			fl_wire_skip(w, 1);
			f->type = fl_wire_fixed(w, 1);
			f->content = fl_wire_fixed(w, 4);
			f->index = fl_wire_fixed(w, 4);
			fl_wire_skip(w, 4);
			if ((f->type == STRUCT || f->type == STRUCTS) &&
			    f->index < p->n)
				f->layout = &p->layouts[f->index];
		}
	}
	return !w->bad && !v->no_memory;
}

/* Our names of events, by the last part of their paths. */
static const struct {
	const char *path, *event;
	bool own;		/* keeps its name in --info: other fields */
} event_names[] = {
	{ "execution_sample", "jdk.ExecutionSample", false },
	{ "object_alloc_in_new_TLAB", "jdk.ObjectAllocationInNewTLAB", false },
	{ "object_alloc_outside_TLAB", "jdk.ObjectAllocationOutsideTLAB", false },
	{ "monitor_enter", "jdk.JavaMonitorEnter", false },
	{ "monitor_wait", "jdk.JavaMonitorWait", false },
	{ "thread_park", "jdk.ThreadPark", false },
	{ "thread_sleep", "jdk.ThreadSleep", false },
	{ "exception_throw", "jdk.JavaExceptionThrow", true },
	{ "error_throw", "jdk.JavaErrorThrow", true },
	{ "socket_read", "jdk.SocketRead", true },
	{ "socket_write", "jdk.SocketWrite", true },
	{ "file_read", "jdk.FileRead", true },
	{ "file_write", "jdk.FileWrite", true },
};

/* By our name, and by the producer's URI and the path as they stand. */
static void name_event(struct v0 *v, struct event *e, struct slice uri,
		       struct slice path)
{
	const struct fl_select *select = &v->jfr->source->select;
	struct slice last = path, ours;
	char *name;

	uri.size = FL_MIN(uri.size, LONGEST);
	path.size = FL_MIN(path.size, LONGEST);
	name = take(v, uri.size + path.size, 1);
	if (!name)
		return;
	memcpy(name, uri.at, uri.size);
	memcpy(name + uri.size, path.at, path.size);
	e->name = e->told = (struct slice){ name, uri.size + path.size };
	e->raw = fl_jfr_is_raw(select, e->name);
	for (size_t i = path.size; i && path.at[i - 1] != '/'; i--)
		last = (struct slice){ path.at + i - 1, path.size - i + 1 };
	for (size_t i = 0; i < FL_COUNT(event_names); i++) {
		if (!fl_slice_is(last, event_names[i].path))
			continue;
		ours.at = event_names[i].event;
		ours.size = strlen(ours.at);
		e->row = fl_jfr_row_of(ours);
		if (!event_names[i].own)
			e->told = ours;
		if (!e->raw)
			e->name = ours;
		e->raw |= fl_jfr_is_raw(select, ours);
	}
}

/* Puts an id's index, plus one, into the map; false: memory is out. */
static bool enter(struct v0 *v, struct fl_map *map, uint32_t id, size_t index)
{
	uint64_t *at = fl_map_put(map, id, NULL);

	if (!at)
		return no_memory(v);
	*at = index + 1;
	return true;
}

static bool read_events(struct v0 *v, const struct producer *p,
			struct fl_wire *w)
{
	for (uint32_t n = count(w, 22); n; n--) {
		uint32_t id = fl_wire_fixed(w, 4), layout;
		struct event e = { 0 };
		struct slice path;

		utf(w);
		utf(w);
		path = utf(w);
		e.starts = fl_wire_fixed(w, 1);
		e.threads = fl_wire_fixed(w, 1);
		e.stacks = fl_wire_fixed(w, 1);
		fl_wire_skip(w, 1);
		layout = fl_wire_fixed(w, 4);
		fl_wire_skip(w, 4);
		e.layout = layout < p->n ? &p->layouts[layout] : NULL;
		if (w->bad)
			return false;
		if (v->jfr)
			name_event(v, &e, p->uri, path);
		if (!enter(v, &v->event_of, id, v->nevents) ||
		    !fl_grow(&v->events, &v->events_room, v->nevents + 1,
			     sizeof(e)))
			return no_memory(v);
		v->events[v->nevents++] = e;
	}
	return !w->bad;
}

static bool read_contents(struct v0 *v, const struct producer *p,
			  struct fl_wire *w)
{
	for (uint32_t n = count(w, 13); n; n--) {
		uint32_t id = fl_wire_fixed(w, 4), type, layout;
		struct slice name = utf(w);
		struct content c = { 0 };

		utf(w);
		type = fl_wire_fixed(w, 1);
		c.key_size = type < FLOAT ? sizes[type] : 0;
		layout = fl_wire_fixed(w, 4);
		c.layout = layout < p->n ? &p->layouts[layout] : NULL;
		for (unsigned i = OTHER + 1; i < KINDS; i++)
			if (!v->layouts[i] &&
			    fl_slice_is(name, content_names[i])) {
				c.kind = i;
				v->layouts[i] = c.layout;
			}
		if (w->bad)
			return false;
		if (!enter(v, &v->content_of, id, v->ncontents) ||
		    !fl_grow(&v->contents, &v->contents_room,
			     v->ncontents + 1, sizeof(c)))
			return no_memory(v);
		v->contents[v->ncontents++] = c;
	}
	return !w->bad;
}

static uint8_t role_of(const struct v0 *v, const struct field *f)
{
	uint64_t *at;

	if (f->type >= FLOAT)
		return OTHER;
	at = fl_map_get(&v->content_of, f->content);
	if (at && v->contents[*at - 1].kind)
		return v->contents[*at - 1].kind;
	/* JDK: bytesRead, bytesWritten; JRockit: bytes. */
	if (fl_slice_starts(f->name, "bytes"))
		return BYTES;
	for (unsigned i = 0; i < FL_COUNT(number_names); i++)
		if (fl_slice_is(f->name, number_names[i]))
			return KINDS + i;
	return OTHER;
}

static void settle_roles(struct v0 *v)
{
	for (uint32_t i = 0; i < v->nproducers; i++)
		for (uint32_t j = 0; j < v->producers[i].n; j++) {
			struct layout *l = &v->producers[i].layouts[j];

			for (uint32_t k = 0; k < l->n; k++)
				l->fields[k].role = role_of(v, &l->fields[k]);
		}
}

/* The metadata event at an offset; false: it is none. */
static bool read_meta(struct v0 *v, uint64_t at)
{
	uint64_t end = at + fl_be(v->at + at, 4);
	struct fl_wire w = wire(v, at + EVENT, end);

	v->nproducers = count(&w, 26);
	v->producers = take(v, v->nproducers, sizeof(*v->producers));
	for (uint32_t i = 0; v->producers && i < v->nproducers; i++) {
		struct producer *p = &v->producers[i];

		memset(p, 0, sizeof(*p));
		fl_wire_skip(&w, 4);
		utf(&w);
		utf(&w);
		p->uri = utf(&w);
		for (uint32_t n = count(&w, 2); n; n--)
			utf(&w);
		if (!read_layouts(v, p, &w) || !read_events(v, p, &w) ||
		    !read_contents(v, p, &w))
			return false;
	}
	v->start_ms = fl_wire_fixed(&w, 8);
	v->end_ms = fl_wire_fixed(&w, 8);
	v->start_ticks = fl_wire_fixed(&w, 8);
	v->ticks_per_second = fl_wire_fixed(&w, 8);
	if (v->ticks_per_second <= 0)
		v->ticks_per_second = 1000000000;
	if (!w.bad && !v->no_memory)
		settle_roles(v);
	return !w.bad && !v->no_memory;
}

static void free_v0(struct v0 *v)
{
	fl_arena_free(&v->arena);
	fl_map_free(&v->event_of);
	fl_map_free(&v->content_of);
	fl_map_free(&v->frames);
	fl_free(v->events);
	fl_free(v->contents);
	fl_free(v->constants);
	fl_free(v->path);
}

static bool is_meta(const uint8_t *at, size_t avail, uint64_t offset)
{
	uint32_t size;

	if (offset < HEADER || offset > avail || avail - offset < EVENT)
		return false;
	size = fl_be(at + offset, 4);
	return size >= EVENT && size <= avail - offset &&
	       fl_be(at + offset + 4, 4) == METADATA;
}

/*
 * Where the metadata are, 0: nowhere.  The header's offset, or a little
 * before it: what was lost on the way (by git's CRLF translation, say) has
 * moved them.
 */
static uint64_t find_meta(const uint8_t *at, size_t avail)
{
	uint64_t offset;

	if (avail < HEADER || memcmp(at, "FLR\0\0\0\0\x09", 8) != 0)
		return 0;
	offset = fl_be(at + 8, 8);
	if (is_meta(at, avail, offset))
		return offset;
	for (unsigned i = 1; i <= NEARBY && i < offset; i++) {
		struct v0 v = { .at = at };
		bool good = is_meta(at, avail, offset - i) &&
			    read_meta(&v, offset - i) && v.nevents;

		free_v0(&v);
		if (good)
			return offset - i;
	}
	return 0;
}

uint64_t fl_jfr_v0_size(const uint8_t *at, size_t avail)
{
	uint64_t offset = find_meta(at, avail);

	return offset ? offset + fl_be(at + offset, 4) : 0;
}

/* Values ------------------------------------------------------------------ */

static void skip_layout(const struct layout *layout, struct fl_wire *w,
			unsigned depth);

static void skip(const struct field *f, unsigned type, struct fl_wire *w,
		 unsigned depth)
{
	uint32_t n = 1;

	if (type < UTF8) {
		fl_wire_skip(w, sizes[type]);
	} else if (type == UTF8) {
		utf(w);
	} else if (type == STRING) {
		fl_wire_skip(w, fl_wire_fixed(w, 4) * 2);
	} else if (type == ARRAY && f->index < ARRAY) {
		for (n = count(w, 1); n && !w->bad; n--)
			skip(f, f->index, w, depth);
	} else if (f->layout && f->layout->n && depth < DEEPEST) {
		/* Every struct in here takes a byte or more. */
		if (type == STRUCTS)
			n = count(w, 1);
		for (; n && !w->bad; n--)
			skip_layout(f->layout, w, depth + 1);
	} else {
		w->bad = true;
	}
}

static void skip_layout(const struct layout *layout, struct fl_wire *w,
			unsigned depth)
{
	for (uint32_t i = 0; i < layout->n && !w->bad; i++)
		skip(&layout->fields[i], layout->fields[i].type, w, depth);
}

/* The numbers of a struct by their roles; the first of a role counts. */
struct numbers {
	uint64_t n[ROLES];
	uint32_t has;
};

static void read_numbers(const struct layout *layout, struct fl_wire *w,
			 struct numbers *to)
{
	for (uint32_t i = 0; i < layout->n && !w->bad; i++) {
		const struct field *f = &layout->fields[i];

		if (!f->role || to->has & 1u << f->role) {
			skip(f, f->type, w, 0);
			continue;
		}
		to->n[f->role] = fl_wire_fixed(w, sizes[f->type]);
		to->has |= 1u << f->role;
	}
}

/* Constants --------------------------------------------------------------- */

static void keep(struct v0 *v, const struct constant *c)
{
	if (fl_grow(&v->constants, &v->constants_room, v->nconstants + 1,
		    sizeof(*v->constants)))
		v->constants[v->nconstants++] = *c;
	else
		v->no_memory = true;
}

static void read_checkpoint(struct v0 *v, uint64_t at, uint32_t size)
{
	struct fl_wire w = wire(v, at + EVENT, at + size);
	struct constant c = { .ticks = fl_wire_fixed(&w, 8) };

	fl_wire_skip(&w, 8);
	while (!w.bad && w.at < w.end) {
		uint64_t *found = fl_map_get(&v->content_of,
					     fl_wire_fixed(&w, 4));
		uint32_t n = fl_wire_fixed(&w, 4);
		const struct content *content = found ?
						&v->contents[*found - 1] : NULL;

		if (!content || !content->key_size || !content->layout)
			w.bad = true;
		for (; n && !w.bad; n--) {
			c.kind = content->kind;
			c.key = fl_wire_fixed(&w, content->key_size);
			c.at = w.at - v->at;
			skip_layout(content->layout, &w, 0);
			if (c.kind && !w.bad)
				keep(v, &c);
		}
	}
	if (w.bad)
		damage(v, at, 0, "a checkpoint that cannot be read to its "
		       "end");
}

static int compare(const void *a, const void *b)
{
	const struct constant *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->ticks != y->ticks)
		return x->ticks < y->ticks ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

/* A constant as of a time, NULL where there is none. */
static struct constant *find(const struct v0 *v, enum role kind, uint64_t key,
			     int64_t ticks)
{
	struct constant wanted = { .kind = kind, .key = key, .ticks = ticks };
	size_t low = 0, high = v->nconstants;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare(&v->constants[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < v->nconstants && v->constants[low].kind == kind &&
	       v->constants[low].key == key ? &v->constants[low] : NULL;
}

/* Its first text, or that of the constant which it names. */
static struct slice text(const struct v0 *v, const struct constant *c)
{
	for (unsigned depth = 0; c && depth < DEEPEST; depth++) {
		const struct layout *l = v->layouts[c->kind];
		struct fl_wire w = wire(v, c->at, v->size);
		uint64_t key;
		uint32_t i = 0;

		while (i < l->n && l->fields[i].type != UTF8 &&
		       l->fields[i].role != UTF)
			skip(&l->fields[i], l->fields[i].type, &w, 0), i++;
		if (i == l->n)
			break;
		if (l->fields[i].type == UTF8)
			return utf(&w);
		key = fl_wire_fixed(&w, sizes[l->fields[i].type]);
		c = find(v, UTF, key, c->ticks);
	}
	return (struct slice){ NULL, 0 };
}

static struct numbers numbers(const struct v0 *v, const struct constant *c)
{
	struct fl_wire w = wire(v, c->at, v->size);
	struct numbers to = { .has = 0 };

	read_numbers(v->layouts[c->kind], &w, &to);
	return to;
}

/* Names ------------------------------------------------------------------- */

static flame_id thread_of(struct v0 *v, uint64_t tid, int64_t ticks)
{
	struct flame *flame = v->jfr->source->flame;
	struct constant *c = find(v, THREAD, tid, ticks);
	struct slice name;

	if (!c)
		return fl_thread(flame, (struct slice){ NULL, 0 }, tid);
	if (c->made)
		return c->id;
	name = text(v, c);
	if (!name.size)
		name.at = NULL;
	c->made = true;
	return c->id = fl_thread(flame, name, tid);
}

static flame_id name_of(struct v0 *v, struct fl_buf *buf)
{
	flame_id name = flame_name(v->jfr->source->flame, buf->at, buf->size);

	v->no_memory |= buf->failed;
	fl_buf_free(buf);
	return name;
}

static flame_id leaf_of(struct v0 *v, uint64_t key, int64_t ticks,
			enum flame_type type)
{
	struct constant *c = find(v, CLASS, key, ticks);
	struct flame_frame frame = {
		.file = v->jfr->class_mark, .type = type
	};
	struct fl_buf buf = { 0 };
	struct slice symbol = text(v, c);

	if (symbol.at)
		fl_jfr_put_class(&buf, symbol);
	else
		fl_buf_text(&buf, "[unknown class]");
	frame.name = name_of(v, &buf);
	return flame_frame(v->jfr->source->flame, &frame);
}

static enum flame_type type_of(struct v0 *v, uint64_t key, int64_t ticks)
{
	static const struct {
		const char *name;
		uint8_t type;
	} types[] = {
		{ "Interpreted", FLAME_INTERPRETED },
		{ "JIT compiled", FLAME_JIT }, { "Inlined", FLAME_INLINED },
		{ "Native", FLAME_NATIVE }, { "C++", FLAME_CPP },
		{ "Kernel", FLAME_KERNEL }, { "C1 compiled", FLAME_C1 },
	};
	struct constant *c = find(v, TYPE, key, ticks);
	struct slice name;

	if (!c || c->made)
		return c ? c->id : FLAME_UNKNOWN;
	name = text(v, c);
	for (size_t i = 0; name.at && i < FL_COUNT(types); i++)
		if (fl_slice_is(name, types[i].name))
			c->id = types[i].type;
	/* In a JDK's file it is a Java method written in C. */
	if (c->id == FLAME_NATIVE && !v->async)
		c->id = FLAME_JAVA_NATIVE;
	c->made = true;
	return c->id;
}

/* Methods of async-profiler that are no Java go by their names alone. */
static void put_method(struct v0 *v, struct fl_buf *buf,
		       const struct constant *c, enum flame_type type)
{
	bool native = type == FLAME_NATIVE || type == FLAME_CPP ||
		      type == FLAME_KERNEL;
	struct numbers n = numbers(v, c);
	struct slice name = text(v, find(v, UTF, n.n[UTF], c->ticks));
	struct slice class = { NULL, 0 };

	if (!native || !name.size)
		class = text(v, find(v, CLASS, n.n[CLASS], c->ticks));
	fl_buf_put(buf, class.at, class.size);
	if (class.size && name.size)
		fl_buf_byte(buf, '.');
	fl_buf_put(buf, name.at, name.size);
}

static flame_id make_frame(struct v0 *v, const struct constant *c,
			   enum flame_type type)
{
	struct fl_buf buf = { 0 };

	if (c)
		put_method(v, &buf, c, type);
	else
		v->jfr->unresolved++;
	if (!buf.size)
		fl_buf_text(&buf, "[unknown]");
	return fl_frame(v->jfr->source->flame, name_of(v, &buf), type);
}

static flame_id plain_frame(struct v0 *v, uint64_t method, int64_t ticks,
			    enum flame_type type)
{
	struct constant *c = find(v, METHOD, method, ticks);
	bool fresh;
	uint64_t *at;

	if (!c)
		return make_frame(v, c, type);
	at = fl_map_put(&v->frames, (uint64_t)(c - v->constants) << 4 | type,
			&fresh);
	if (!at)
		return no_memory(v);
	if (fresh)
		*at = make_frame(v, c, type);
	return *at;
}

static flame_id frame_of(struct v0 *v, const struct numbers *n, int64_t ticks)
{
	const struct fl_select *select = &v->jfr->source->select;
	struct flame *flame = v->jfr->source->flame;
	enum flame_type type = n->has & 1u << TYPE ?
			       type_of(v, n->n[TYPE], ticks) : FLAME_UNKNOWN;
	flame_id frame = plain_frame(v, n->n[METHOD], ticks, type);
	bool line = select->lines && (int32_t)n->n[LINE] > 0;
	struct fl_buf buf = { 0 };
	struct slice name;

	if (!line && !(select->bci && (int32_t)n->n[BCI] > 0))
		return frame;
	name = fl_name_at(flame, flame->frames.at[frame].name);
	fl_buf_put(&buf, name.at, name.size);
	fl_buf_byte(&buf, line ? ':' : '@');
	fl_buf_number(&buf, (int32_t)n->n[line ? LINE : BCI]);
	return fl_frame(flame, name_of(v, &buf), type);
}

/* Frames are written leaf first; false: the stack is not there. */
static bool stack_of(struct v0 *v, uint64_t key, int64_t ticks,
		     flame_id *stack)
{
	struct constant *c = find(v, STACK, key, ticks);
	const struct layout *l = v->layouts[STACK];
	struct fl_wire w;
	uint32_t n, i = 0;

	*stack = c ? c->id : 0;
	if (!c || c->made)
		return c;
	w = wire(v, c->at, v->size);
	while (i < l->n && l->fields[i].type != STRUCTS)
		skip(&l->fields[i], l->fields[i].type, &w, 0), i++;
	if (i == l->n)
		return false;
	n = count(&w, 1);
	if (!fl_grow(&v->path, &v->path_room, n, sizeof(*v->path)))
		return no_memory(v);
	l = l->fields[i].layout;
	for (i = 0; i < n; i++) {
		struct numbers frame = { .has = 0 };

		read_numbers(l, &w, &frame);
		v->path[i] = frame_of(v, &frame, c->ticks);
	}
	while (i--)
		c->id = flame_stack(v->jfr->source->flame, c->id, v->path[i]);
	c->made = true;
	*stack = c->id;
	return true;
}

/* Events ------------------------------------------------------------------ */

__extension__ typedef __int128 wide;

static int64_t ns_of(const struct v0 *v, wide ticks)
{
	return (int64_t)(ticks * 1000000000 / v->ticks_per_second);
}

static int64_t time_of(const struct v0 *v, int64_t ticks)
{
	wide past = (wide)ticks - v->start_ticks;

	return (int64_t)((wide)v->start_ms * 1000000 + ns_of(v, past));
}

/* The value as its row has it; the unit is NULL where there is none. */
static void set_value(const struct v0 *v, const struct event *e,
		      const struct numbers *n, wide ticks,
		      struct fl_jfr_hit *hit)
{
	const char *value = e->raw || !e->row ? "duration" : e->row->value;
	enum role role = BYTES;

	if (!value)
		return;
	if (strcmp(value, "duration") == 0) {
		hit->unit = e->starts ? "ns" : NULL;
		hit->value = ticks > 0 ? ns_of(v, ticks) : 0;
		return;
	}
	if (strcmp(value, "tlabSize") == 0)
		role = TLAB_SIZE;
	else if (strcmp(value, "allocationSize") == 0)
		role = SIZE;
	hit->unit = n->has & 1u << role ? e->row->unit : NULL;
	hit->value = n->n[role];
}

static void set_leaf(struct v0 *v, const struct event *e,
		     const struct numbers *n, int64_t ticks,
		     struct fl_jfr_hit *hit)
{
	bool outside;

	if (e->raw || !e->row || !e->row->leaf || !n->n[CLASS])
		return;
	outside = e->row->group == FL_JFR_GROUP_ALLOC &&
		  (!hit->value || strcmp(e->row->value, "tlabSize") != 0);
	hit->leaf = leaf_of(v, n->n[CLASS], ticks,
			    outside ? FLAME_KERNEL : FLAME_INLINED);
}

/* Whether its time and its thread's spans let it through. */
static bool in_time(const struct v0 *v, int64_t time, uint64_t tid)
{
	return (v->from == FLAME_NOTIME || time >= v->from) &&
	       (v->to == FLAME_NOTIME || time <= v->to) &&
	       (!v->jfr->spans || fl_jfr_in_span(v->jfr, tid, time));
}

/* Its numbers and times; false where it is damaged or not wanted. */
static bool read_event(struct v0 *v, const struct event *e, uint64_t at,
		       uint32_t size, struct numbers *n, int64_t times[2])
{
	struct fl_wire w = wire(v, at + EVENT, at + size);

	*n = (struct numbers){ .has = 0 };
	times[0] = times[1] = fl_wire_fixed(&w, 8);
	if (e->starts)
		times[0] = fl_wire_fixed(&w, 8);
	if (e->threads) {
		n->n[THREAD] = fl_wire_fixed(&w, 4);
		n->has |= 1u << THREAD;
	}
	if (e->stacks) {
		n->n[STACK] = fl_wire_fixed(&w, 8);
		n->has |= 1u << STACK;
	}
	if (e->layout)
		read_numbers(e->layout, &w, n);
	if (w.bad)
		damage(v, at, size, "an event shorter than its fields");
	return !w.bad && (e->row || n->has & 1u << STACK);
}

static void give_event(struct v0 *v, const struct event *e, uint64_t at,
		       uint32_t size)
{
	int64_t times[2];	/* start and end, in ticks */
	struct numbers n;
	struct fl_jfr_hit hit = {
		.event = e->name, .row = e->row, .raw = e->raw, .samples = 1,
		.last = FLAME_NOTIME, .async = v->async,
		.runnable_wall = v->runnable_wall,
	};

	if (v->jfr->source->select.survey)
		fl_jfr_info_event(v->jfr, e->told, 1);
	if (!read_event(v, e, at, size, &n, times))
		return;
	hit.time = time_of(v, times[0]);
	if (!in_time(v, hit.time, n.n[THREAD]))
		return;
	hit.has_stack = stack_of(v, n.n[STACK], times[1], &hit.stack);
	if (!hit.has_stack && n.n[STACK])
		v->jfr->unresolved++;
	if (n.has & 1u << THREAD)
		hit.thread = thread_of(v, n.n[THREAD], times[1]);
	if (n.has & 1u << STATE)
		hit.state = text(v, find(v, STATE, n.n[STATE], times[1]));
	set_value(v, e, &n, (wide)times[1] - times[0], &hit);
	set_leaf(v, e, &n, times[1], &hit);
	/* The reference spells a stack of no frames below a class so. */
	if (hit.leaf && hit.has_stack && !hit.stack &&
	    v->jfr->source->select.compat)
		hit.stack = flame_stack(v->jfr->source->flame, 0, 0);
	v->given++;
	fl_jfr_give(v->jfr, &hit);
}

/* async-profiler's RUNNABLE is wall where there are other states. */
static void look_at_state(struct v0 *v, const struct event *e, uint64_t at,
			  uint32_t size)
{
	struct slice state;
	struct numbers n;
	int64_t times[2];

	if (!e->row || strcmp(e->row->metric, "cpu") != 0 ||
	    !read_event(v, e, at, size, &n, times))
		return;
	state = text(v, find(v, STATE, n.n[STATE], times[1]));
	if (state.at && !fl_slice_is(state, "STATE_RUNNABLE"))
		v->runnable_wall = true;
}

/* An event of a known type that ends before the metadata. */
static bool is_event(const struct v0 *v, uint64_t at)
{
	uint32_t size, type;

	if (v->meta_at - at < EVENT)
		return false;
	size = fl_be(v->at + at, 4);
	type = fl_be(v->at + at + 4, 4);
	return size >= EVENT && size <= v->meta_at - at &&
	       (type == CHECKPOINT || type == LOST ||
		fl_map_get(&v->event_of, type));
}

static uint64_t after(const struct v0 *v, uint64_t at)
{
	return at + fl_be(v->at + at, 4);
}

/* Where events go on after damage: three in a row, or the last ones. */
static uint64_t resume(const struct v0 *v, uint64_t at)
{
	for (; at < v->meta_at; at++) {
		uint64_t next = at;
		unsigned n = 0;

		while (n < 3 && next < v->meta_at && is_event(v, next)) {
			next = after(v, next);
			n++;
		}
		if (n == 3 || (n && next == v->meta_at))
			return at;
	}
	return v->meta_at;
}

static bool stopped(const struct v0 *v)
{
	return v->no_memory || fl_failed(v->jfr->source->flame);
}

/* Reads the checkpoints, or shows the events that are data. */
static void each_event(struct v0 *v, bool checkpoints,
		       void (*see)(struct v0 *, const struct event *,
				   uint64_t, uint32_t))
{
	uint64_t at = HEADER, next;

	for (; at < v->meta_at && !stopped(v); at = next) {
		uint32_t size, type;
		uint64_t *event;

		if (!is_event(v, at)) {
			next = resume(v, at + 1);
			if (checkpoints)
				damage(v, at, next - at, "no event");
			continue;
		}
		next = after(v, at);
		size = next - at;
		type = fl_be(v->at + at + 4, 4);
		event = fl_map_get(&v->event_of, type);
		if (checkpoints && type == CHECKPOINT)
			read_checkpoint(v, at, size);
		else if (!checkpoints && type > LOST && event)
			see(v, &v->events[*event - 1], at, size);
	}
}

static void read_chunk(struct v0 *v)
{
	struct flame_source *source = v->jfr->source;
	const struct fl_select *select = &source->select;
	int64_t start = time_of(v, v->start_ticks);
	int64_t end = (int64_t)((wide)v->end_ms * 1000000);

	if (source->start == FLAME_NOTIME || start < source->start)
		source->start = start;
	if (source->end == FLAME_NOTIME || end > source->end)
		source->end = end;
	v->from = fl_when_resolve(&select->from, source->start, source->end);
	v->to = fl_when_resolve(&select->to, source->start, source->end);
	each_event(v, true, NULL);
	if (v->nconstants)
		qsort(v->constants, v->nconstants, sizeof(*v->constants),
		      compare);
	for (size_t i = 0; i < v->nconstants && !v->async; i++)
		v->async = v->constants[i].kind == TYPE &&
			   fl_slice_is(text(v, &v->constants[i]), "Kernel");
	v->runnable_wall = v->jfr->wall_set;
	if (v->async && !v->runnable_wall)
		each_event(v, false, look_at_state);
	each_event(v, false, give_event);
}

static void tell_damage(struct v0 *v, uint64_t offset)
{
	struct fl_jfr *jfr = v->jfr;

	jfr->bad_chunks++;
	jfr->lost_bytes += v->lost;
	jfr->salvaged_events += v->given;
	if (!jfr->first_damage[0])
		snprintf(jfr->first_damage, sizeof(jfr->first_damage),
			 "at 0x%" PRIx64 ": %s", offset + v->why_at, v->why);
}

int fl_jfr_v0_read(struct fl_jfr *jfr, const uint8_t *at, uint64_t size,
		   uint64_t offset)
{
	struct flame *flame = jfr->source->flame;
	struct v0 v = { .jfr = jfr, .at = at, .size = size };

	jfr->answer.known = false;
	v.meta_at = find_meta(at, size);
	if (v.meta_at && v.meta_at != fl_be(at + 8, 8))
		damage(&v, 8, 0, "metadata not where the header says");
	if (v.meta_at && read_meta(&v, v.meta_at))
		read_chunk(&v);
	else
		damage(&v, v.meta_at, size, "metadata that cannot be read");
	if (v.why)
		tell_damage(&v, offset);
	if (v.no_memory)
		fl_no_memory(flame);
	free_v0(&v);
	return fl_failed(flame) ? FLAME_FAILED : FLAME_OK;
}
