/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --classify: a root frame for the activity of the JVM: collecting garbage,
 * compiling, loading classes, or running code of some kind.  The categories and
 * their rules are jfrconv's.
 */
#include "fl.h"

#include "filter/filter.h"

#include <stdlib.h>

enum category {
	NONE, GC, JIT, VM, VTABLE_STUBS, NATIVE, INTERPRETER, C1_COMP,
	C2_COMP, ADAPTER, CLASS_INIT, CLASS_LOAD, CLASS_RESOLVE,
	CLASS_VERIFY, LAMBDA_INIT, CATEGORIES
};

static const struct { const char *name; enum flame_type type; } categories[] = {
	[NONE] = { "", FLAME_UNKNOWN },
	[GC] = { "[gc]", FLAME_CPP },
	[JIT] = { "[jit]", FLAME_CPP },
	[VM] = { "[vm]", FLAME_CPP },
	[VTABLE_STUBS] = { "[vtable_stubs]", FLAME_NATIVE },
	[NATIVE] = { "[native]", FLAME_NATIVE },
	[INTERPRETER] = { "[Interpreter]", FLAME_NATIVE },
	[C1_COMP] = { "[c1_comp]", FLAME_C1 },
	[C2_COMP] = { "[c2_comp]", FLAME_INLINED },
	[ADAPTER] = { "[c2i_adapter]", FLAME_INLINED },
	[CLASS_INIT] = { "[class_init]", FLAME_CPP },
	[CLASS_LOAD] = { "[class_load]", FLAME_CPP },
	[CLASS_RESOLVE] = { "[class_resolve]", FLAME_CPP },
	[CLASS_VERIFY] = { "[class_verify]", FLAME_CPP },
	[LAMBDA_INIT] = { "[lambda_init]", FLAME_CPP },
};

enum kind {
	NOT_KNOWN, CLASS_LEAF, INTERPRETED, COMPILED, INLINED, C1, C_CODE,
	CPP_CODE, OTHER
};

/* Facts about a frame, found once. */
struct fact {
	uint8_t kind;
	uint8_t thread;		/* category of a thread with it at its root */
	uint8_t loading;	/* category of any stack with it */
	uint8_t runtime;	/* category if no Java frame is above it */
	bool through;		/* C code that is ignored */
};

struct classify {
	struct fl_rewrite memo;
	struct fl_prefix prefix;
	struct fact *facts;	/* by frame */
	size_t facts_capacity;
	flame_id *path, frames[CATEGORIES];
	size_t path_capacity;
};

bool fl_is_category(const struct flame *flame, flame_id frame)
{
	const struct flame_frame *at = &flame->frames.data[frame];
	struct slice name = fl_name_at(flame, at->name);

	for (unsigned i = NONE + 1; i < CATEGORIES; i++)
		if (categories[i].type == at->type &&
		    fl_slice_is(name, categories[i].name))
			return true;
	return false;
}

/* Frames ------------------------------------------------------------- */

enum match { IS, STARTS, ENDS };

struct rule {
	enum match match;
	const char *text;
	enum category category;
};

static const struct rule threads[] = {
	{ IS, "CompileBroker::compiler_thread_loop", JIT },
	{ IS, "GCTaskThread::run", GC },
	{ IS, "WorkerThread::run", GC },
	{ IS, "java_start", VM },
	{ IS, "thread_native_entry", VM },
	{ IS, NULL, NONE }
};

static const struct rule loading[] = {
	{ IS, "Verifier::verify", CLASS_VERIFY },
	{ STARTS, "InstanceKlass::initialize", CLASS_INIT },
	{ STARTS, "LinkResolver::", CLASS_RESOLVE },
	{ STARTS, "InterpreterRuntime::resolve", CLASS_RESOLVE },
	{ STARTS, "SystemDictionary::resolve", CLASS_RESOLVE },
	{ ENDS, "ClassLoader.loadClass", CLASS_LOAD },
	{ ENDS, "LambdaMetafactory.metafactory", LAMBDA_INIT },
	{ ENDS, "LambdaMetafactory.altMetafactory", LAMBDA_INIT },
	{ ENDS, "table stub", VTABLE_STUBS },
	{ IS, "Interpreter", INTERPRETER },
	{ STARTS, "I2C/C2I", ADAPTER },
	{ IS, NULL, NONE }
};

static const struct rule c_code[] = {
	{ STARTS, "JVM_", VM },
	{ STARTS, "Unsafe_", VM },
	{ STARTS, "MHN_", VM },
	{ STARTS, "jni_", VM },
	{ IS, "call_stub", VM },
	{ IS, "deoptimization", VM },
	{ IS, "unknown_Java", VM },
	{ IS, "not_walkable_Java", VM },
	{ IS, "InlineCacheBuffer", VM },
	{ IS, NULL, NONE }
};

static const struct rule cpp_code[] = {
	{ STARTS, "Runtime1::", C1_COMP },
	{ IS, NULL, NONE }
};

static enum category match_rules(const struct rule *rule, struct slice name)
{
	static bool (*const is[])(struct slice, const char *) = {
		[IS] = fl_slice_is, [STARTS] = fl_slice_starts,
		[ENDS] = fl_slice_ends,
	};

	while (rule->text && !is[rule->match](name, rule->text))
		rule++;
	return rule->category;
}

static bool contains(struct slice s, const char *text)
{
	for (; s.size; s.data++, s.size--)
		if (fl_slice_starts(s, text))
			return true;
	return false;
}

/* By name: frames of folded text without a suffix have no type. */
static enum kind kind_by_name(struct flame *flame,
			      const struct flame_frame *frame,
			      struct slice name)
{
	struct fl_java java;

	if (contains(name, "::") || fl_slice_starts(name, "-[") ||
	    fl_slice_starts(name, "+[") || match_rules(threads, name))
		return CPP_CODE;
	return fl_java_split(flame, frame, &java) ? COMPILED : C_CODE;
}

static enum kind kind_of(struct flame *flame, const struct flame_frame *frame,
			 struct slice name)
{
	if (fl_is_class_leaf(flame, frame))
		return CLASS_LEAF;
	switch (frame->type) {
	case FLAME_INTERPRETED:
		return INTERPRETED;
	case FLAME_JIT:
		return COMPILED;
	case FLAME_INLINED:
		return INLINED;
	case FLAME_C1:
		return C1;
	case FLAME_NATIVE:
	case FLAME_JAVA_NATIVE:	/* jfrconv has one number for the two */
		return C_CODE;
	case FLAME_CPP:
		return CPP_CODE;
	case FLAME_UNKNOWN:
		return kind_by_name(flame, frame, name);
	default:
		return OTHER;
	}
}

static void find_facts(struct flame *flame, struct fact *fact,
		       const struct flame_frame *frame)
{
	struct slice name = fl_java_bare(fl_name_at(flame, frame->name));

	fact->kind = kind_of(flame, frame, name);
	fact->loading = match_rules(loading, name);
	if (fact->kind == CPP_CODE) {
		fact->thread = match_rules(threads, name);
		fact->runtime = match_rules(cpp_code, name);
	} else if (fact->kind == C_CODE) {
		fact->runtime = match_rules(c_code, name);
		fact->through = fl_slice_ends(name, "_arraycopy") ||
				contains(name, "pthread_cond");
	}
}

static bool load_facts(struct flame *flame, struct classify *c, flame_id frame)
{
	if (!fl_grow_zeroed(&c->facts, &c->facts_capacity, (size_t)frame + 1,
			    sizeof(*c->facts))) {
		fl_no_memory(flame);
		return false;
	}
	if (c->facts[frame].kind == NOT_KNOWN)
		find_facts(flame, &c->facts[frame], &flame->frames.data[frame]);
	return true;
}

/* Stacks: path[] holds the frames, leaf first ------------------------- */

static enum category by_thread(const struct classify *c, size_t n)
{
	enum category found = NONE;

	while (n--) {
		const struct fact *fact = &c->facts[c->path[n]];

		if (fact->thread == GC || fact->thread == JIT)
			return fact->thread;
		if (fact->thread)
			found = fact->thread;
		if (fact->kind != CPP_CODE && fact->kind != C_CODE)
			break;
	}
	return found;
}

static enum category by_loading(const struct classify *c, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		enum category found = c->facts[c->path[i]].loading;

		if (found == ADAPTER && i + 1 < n &&
		    c->facts[c->path[i + 1]].kind == INTERPRETED)
			return INTERPRETER;
		if (found)
			return found;
	}
	return NONE;
}

static enum category by_code(const struct classify *c, size_t n)
{
	bool in_java = true;

	for (size_t i = 0; i < n; i++) {
		const struct fact *fact = &c->facts[c->path[i]];

		if (fact->runtime)
			return fact->runtime;
		switch (fact->kind) {
		case INTERPRETED:
			return in_java ? INTERPRETER : NATIVE;
		case COMPILED:
			return in_java ? C2_COMP : NATIVE;
		case C1:
			return in_java ? C1_COMP : NATIVE;
		case INLINED:
			in_java = true;
			break;
		case C_CODE:
			in_java &= fact->through;
			break;
		default:
			break;
		}
	}
	return NATIVE;
}

static enum category category_of(struct flame *flame, struct classify *c,
				 flame_id stack)
{
	enum category found;
	size_t n = 0;

	for (; stack; stack = fl_parent(flame, stack)) {
		flame_id frame = fl_frame_id(flame, stack);

		if (!fl_grow(&c->path, &c->path_capacity, n + 1,
			     sizeof(*c->path)))
			return fl_no_memory(flame), NONE;
		if (!load_facts(flame, c, frame))
			return NONE;
		if (c->facts[frame].kind != CLASS_LEAF)
			c->path[n++] = frame;
	}
	if ((found = by_thread(c, n)) || (found = by_loading(c, n)))
		return found;
	return by_code(c, n);
}

/* The sink ------------------------------------------------------------ */

static flame_id classified(struct flame *flame, struct classify *c,
			   flame_id stack)
{
	enum category category = category_of(flame, c, stack);
	flame_id *frame = &c->frames[category];

	if (!*frame)
		*frame = fl_frame(flame,
				  fl_name(flame, categories[category].name),
				  categories[category].type);
	return fl_prefix(flame, &c->prefix, *frame, stack);
}

/* An empty stack remains empty. */
static int put(struct flame_sink *sink, const struct flame_sample *sample)
{
	struct classify *c = sink->state;
	struct flame_sample s = *sample;
	flame_id *place = fl_rewrite_slot(sink->flame, &c->memo, s.stack);

	if (!place)
		return FLAME_FAILED;
	if (s.stack && !*place)
		*place = classified(sink->flame, c, s.stack);
	s.stack = *place;
	return fl_put(sink->next, &s);
}

static void release(struct flame_sink *sink)
{
	struct classify *c = sink->state;

	fl_rewrite_free(&c->memo);
	fl_prefix_free(&c->prefix);
	fl_free(c->facts);
	fl_free(c->path);
}

static struct flame_sink *make(struct flame_sink *next, const char *arg)
{
	struct flame_sink *sink = fl_sink_new(next->flame, next,
					      sizeof(struct classify));

	(void)arg;
	if (!sink)
		return NULL;
	sink->put = put;
	sink->free = release;
	return sink;
}

const struct fl_filter fl_filter_classify = {
	.name = "classify",
	.summary = "a root frame for what the JVM was at (as jfrconv)",
	.make = make, .rank = 10,
};
