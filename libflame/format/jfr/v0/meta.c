/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Format 0.9: reads the metadata of a chunk, for chunk.c (fl_v0_read_meta):
 * types of events and of constants, the layouts of their fields, and the clock.
 * fl_v0_find_meta() finds them in the chunk.
 */
#include "fl.h"

#include "format/jfr/v0/internal.h"

enum {
	NEARBY = 64,		/* the metadata may be that much too early */
	LONGEST = 512		/* of a producer's URI, an event's path */
};

static const char *const content_names[KINDS] = {
	NULL, "StackTrace", "Thread", "ThreadState", "Class", "Method",
	"FrameType", "UTFConstant"
};

static const char *const number_names[ROLES - KINDS] = {
	"line", "bci", "tlabSize", "allocationSize", "bytes"
};

static void *alloc(struct fl_v0 *v, size_t n, size_t size)
{
	void *at = fl_arena_alloc(&v->arena, fl_size_mul(n, size));

	v->no_memory |= !at;
	return at;
}

static bool read_layouts(struct fl_v0 *v, struct fl_v0_producer *p,
			 struct fl_wire *w)
{
	p->n = fl_v0_count(w, 4);
	p->layouts = alloc(v, p->n, sizeof(*p->layouts));
	for (uint32_t i = 0; p->layouts && i < p->n; i++) {
		struct fl_v0_layout *l = &p->layouts[i];

		l->n = fl_v0_count(w, 20);
		l->fields = alloc(v, l->n, sizeof(*l->fields));
		for (uint32_t j = 0; l->fields && j < l->n; j++) {
			struct fl_v0_field *f = &l->fields[j];

			memset(f, 0, sizeof(*f));
			f->name = fl_v0_utf(w);
			fl_v0_utf(w);
			fl_v0_utf(w);
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
	{ "object_alloc_outside_TLAB", "jdk.ObjectAllocationOutsideTLAB",
	  false },
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

/* Names an event twice: our name, and the producer's URI and path. */
static void name_event(struct fl_v0 *v, struct fl_v0_event *e, struct slice uri,
		       struct slice path)
{
	struct slice last = path, ours;
	char *name;

	uri.size = FL_MIN(uri.size, LONGEST);
	path.size = FL_MIN(path.size, LONGEST);
	name = alloc(v, uri.size + path.size, 1);
	if (!name)
		return;
	memcpy(name, uri.data, uri.size);
	memcpy(name + uri.size, path.data, path.size);
	e->name = e->shown = (struct slice){ name, uri.size + path.size };
	e->raw = fl_jfr_is_raw(v->jfr, e->name);
	for (size_t i = path.size; i && path.data[i - 1] != '/'; i--)
		last = (struct slice){ path.data + i - 1, path.size - i + 1 };
	for (size_t i = 0; i < FL_COUNT(event_names); i++) {
		if (!fl_slice_is(last, event_names[i].path))
			continue;
		ours.data = event_names[i].event;
		ours.size = strlen(ours.data);
		e->row = fl_jfr_row_of(ours);
		if (!event_names[i].own)
			e->shown = ours;
		if (!e->raw)
			e->name = ours;
		e->raw |= fl_jfr_is_raw(v->jfr, ours);
	}
}

/* Puts an id's index, plus one, into the map; false: out of memory. */
static bool enter(struct fl_v0 *v, struct fl_map *map, uint32_t id,
		  size_t index)
{
	uint64_t *at = fl_map_put(map, id, NULL);

	if (!at)
		return fl_v0_no_memory(v);
	*at = index + 1;
	return true;
}

static bool read_events(struct fl_v0 *v, const struct fl_v0_producer *p,
			struct fl_wire *w)
{
	for (uint32_t n = fl_v0_count(w, 22); n; n--) {
		uint32_t id = fl_wire_fixed(w, 4), layout;
		struct fl_v0_event e = { 0 };
		struct slice path;

		fl_v0_utf(w);
		fl_v0_utf(w);
		path = fl_v0_utf(w);
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
		    !fl_grow(&v->events, &v->events_capacity, v->nevents + 1,
			     sizeof(e)))
			return fl_v0_no_memory(v);
		v->events[v->nevents++] = e;
	}
	return !w->bad;
}

static bool read_contents(struct fl_v0 *v, const struct fl_v0_producer *p,
			  struct fl_wire *w)
{
	for (uint32_t n = fl_v0_count(w, 13); n; n--) {
		uint32_t id = fl_wire_fixed(w, 4), type, layout;
		struct slice name = fl_v0_utf(w);
		struct fl_v0_content c = { 0 };

		fl_v0_utf(w);
		type = fl_wire_fixed(w, 1);
		c.key_size = type < FLOAT ? fl_v0_sizes[type] : 0;
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
		    !fl_grow(&v->contents, &v->contents_capacity,
			     v->ncontents + 1, sizeof(c)))
			return fl_v0_no_memory(v);
		v->contents[v->ncontents++] = c;
	}
	return !w->bad;
}

static uint8_t role_of(const struct fl_v0 *v, const struct fl_v0_field *f)
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

static void resolve_roles(struct fl_v0 *v)
{
	for (uint32_t i = 0; i < v->nproducers; i++)
		for (uint32_t j = 0; j < v->producers[i].n; j++) {
			struct fl_v0_layout *l = &v->producers[i].layouts[j];

			for (uint32_t k = 0; k < l->n; k++)
				l->fields[k].role = role_of(v, &l->fields[k]);
		}
}

bool fl_v0_read_meta(struct fl_v0 *v, uint64_t at)
{
	uint64_t end = at + fl_be(v->at + at, 4);
	struct fl_wire w = fl_v0_wire(v, at + EVENT, end);

	v->nproducers = fl_v0_count(&w, 26);
	v->producers = alloc(v, v->nproducers, sizeof(*v->producers));
	for (uint32_t i = 0; v->producers && i < v->nproducers; i++) {
		struct fl_v0_producer *p = &v->producers[i];

		memset(p, 0, sizeof(*p));
		fl_wire_skip(&w, 4);
		fl_v0_utf(&w);
		fl_v0_utf(&w);
		p->uri = fl_v0_utf(&w);
		for (uint32_t n = fl_v0_count(&w, 2); n; n--)
			fl_v0_utf(&w);
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
		resolve_roles(v);
	return !w.bad && !v->no_memory;
}

void fl_v0_free(struct fl_v0 *v)
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

uint64_t fl_v0_find_meta(const uint8_t *at, size_t avail)
{
	uint64_t offset;

	if (avail < HEADER || memcmp(at, "FLR\0\0\0\0\x09", 8) != 0)
		return 0;
	offset = fl_be(at + 8, 8);
	if (is_meta(at, avail, offset))
		return offset;
	for (unsigned i = 1; i <= NEARBY && i < offset; i++) {
		struct fl_v0 v = { .at = at };
		bool good = is_meta(at, avail, offset - i) &&
			    fl_v0_read_meta(&v, offset - i) && v.nevents;

		fl_v0_free(&v);
		if (good)
			return offset - i;
	}
	return 0;
}
