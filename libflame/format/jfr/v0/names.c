/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Format 0.9: makes label sets of threads, frames of classes, and stacks from
 * the constants of a chunk, by their keys and at a time, for chunk.c.
 */
#include "fl.h"

#include "format/jfr/v0/internal.h"

flame_id fl_v0_thread(struct fl_v0 *v, uint64_t tid, int64_t ticks)
{
	struct flame *flame = v->jfr->source->flame;
	struct fl_v0_constant *c = fl_v0_find(v, THREAD, tid, ticks);
	struct slice name;

	if (!c)
		return fl_thread(flame, (struct slice){ NULL, 0 }, tid);
	if (c->made)
		return c->id;
	name = fl_v0_text(v, c);
	if (!name.size)
		name.data = NULL;
	c->made = true;
	return c->id = fl_thread(flame, name, tid);
}

static flame_id name_of(struct fl_v0 *v, struct fl_buf *buf)
{
	flame_id name = flame_name(v->jfr->source->flame, buf->data, buf->size);

	v->no_memory |= buf->failed;
	fl_buf_free(buf);
	return name;
}

flame_id fl_v0_leaf(struct fl_v0 *v, uint64_t key, int64_t ticks,
		    enum flame_type type)
{
	struct fl_v0_constant *c = fl_v0_find(v, CLASS, key, ticks);
	struct flame_frame frame = {
		.file = v->jfr->class_mark, .type = type
	};
	struct fl_buf buf = { 0 };
	struct slice symbol = fl_v0_text(v, c);

	if (symbol.data)
		fl_jfr_put_class(&buf, symbol);
	else
		fl_buf_text(&buf, "[unknown class]");
	frame.name = name_of(v, &buf);
	return flame_frame(v->jfr->source->flame, &frame);
}

static enum flame_type type_of(struct fl_v0 *v, uint64_t key, int64_t ticks)
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
	struct fl_v0_constant *c = fl_v0_find(v, TYPE, key, ticks);
	struct slice name;

	if (!c || c->made)
		return c ? c->id : FLAME_UNKNOWN;
	name = fl_v0_text(v, c);
	for (size_t i = 0; name.data && i < FL_COUNT(types); i++)
		if (fl_slice_is(name, types[i].name))
			c->id = types[i].type;
	/* In a JDK's file it is a Java method written in C. */
	if (c->id == FLAME_NATIVE && !v->async)
		c->id = FLAME_JAVA_NATIVE;
	c->made = true;
	return c->id;
}

/* Methods of async-profiler that are not Java go by their names alone. */
static void put_method(struct fl_v0 *v, struct fl_buf *buf,
		       const struct fl_v0_constant *c, enum flame_type type)
{
	bool native = type == FLAME_NATIVE || type == FLAME_CPP ||
		      type == FLAME_KERNEL;
	struct fl_v0_numbers n = fl_v0_numbers_of(v, c);
	struct slice name = fl_v0_text(v, fl_v0_find(v, UTF, n.n[UTF],
						     c->ticks));
	struct slice class = { NULL, 0 };

	if (!native || !name.size)
		class = fl_v0_text(v, fl_v0_find(v, CLASS, n.n[CLASS],
						 c->ticks));
	fl_buf_put(buf, class.data, class.size);
	if (class.size && name.size)
		fl_buf_byte(buf, '.');
	fl_buf_put(buf, name.data, name.size);
}

static flame_id make_frame(struct fl_v0 *v, const struct fl_v0_constant *c,
			   enum flame_type type)
{
	struct fl_buf buf = { 0 };

	if (c)
		put_method(v, &buf, c, type);
	if (!buf.size)
		fl_buf_text(&buf, "[unknown]");
	return fl_frame(v->jfr->source->flame, name_of(v, &buf), type);
}

static flame_id plain_frame(struct fl_v0 *v, uint64_t method, int64_t ticks,
			    enum flame_type type)
{
	struct fl_v0_constant *c = fl_v0_find(v, METHOD, method, ticks);
	bool fresh;
	uint64_t *at;

	if (!c)
		return make_frame(v, c, type);
	at = fl_map_put(&v->frames, (uint64_t)(c - v->constants) << 4 | type,
			&fresh);
	if (!at)
		return fl_v0_no_memory(v);
	if (fresh)
		*at = make_frame(v, c, type);
	return *at;
}

static flame_id frame_of(struct fl_v0 *v, const struct fl_v0_numbers *n,
			 int64_t ticks)
{
	const struct fl_jfr_options *options = fl_jfr_options(v->jfr);
	struct flame *flame = v->jfr->source->flame;
	enum flame_type type = n->has & 1u << TYPE ?
			       type_of(v, n->n[TYPE], ticks) : FLAME_UNKNOWN;
	flame_id frame = plain_frame(v, n->n[METHOD], ticks, type);
	bool line = options->lines && (int32_t)n->n[LINE] > 0;
	struct fl_buf buf = { 0 };
	struct slice name;

	if (!line && !(options->bci && (int32_t)n->n[BCI] > 0))
		return frame;
	name = fl_name_at(flame, flame->frames.data[frame].name);
	fl_buf_put(&buf, name.data, name.size);
	fl_buf_byte(&buf, line ? ':' : '@');
	fl_buf_number(&buf, (int32_t)n->n[line ? LINE : BCI]);
	return fl_frame(flame, name_of(v, &buf), type);
}

/* Frames are written leaf first. */
bool fl_v0_stack(struct fl_v0 *v, uint64_t key, int64_t ticks, flame_id *stack)
{
	struct fl_v0_constant *c = fl_v0_find(v, STACK, key, ticks);
	const struct fl_v0_layout *l = v->layouts[STACK];
	struct fl_wire w;
	uint32_t n, i = 0;

	*stack = c ? c->id : 0;
	if (!c || c->made)
		return c;
	w = fl_v0_wire(v, c->at, v->size);
	while (i < l->n && l->fields[i].type != STRUCTS)
		fl_v0_skip(&l->fields[i], l->fields[i].type, &w, 0), i++;
	if (i == l->n)
		return false;
	n = fl_v0_count(&w, 1);
	if (!fl_grow(&v->path, &v->path_capacity, n, sizeof(*v->path)))
		return fl_v0_no_memory(v);
	l = l->fields[i].layout;
	for (i = 0; i < n; i++) {
		struct fl_v0_numbers frame = { .has = 0 };

		fl_v0_read_numbers(l, &w, &frame);
		v->path[i] = frame_of(v, &frame, c->ticks);
	}
	while (i--)
		c->id = flame_stack(v->jfr->source->flame, c->id, v->path[i]);
	c->made = true;
	*stack = c->id;
	return true;
}
