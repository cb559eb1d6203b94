/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names of Java frames: their parts, and the ways to spell one.
 */
#ifndef FL_JAVA_H
#define FL_JAVA_H

#include "dict/dict.h"

/*
 * The name of a Java frame in its parts: "java.base@17/" "java.lang.Thread"
 * ".run:748", or a class alone, "java.lang.String" "[]".
 */
struct fl_java {
	struct slice module, class, rest;
	bool leaf;	/* fl_is_class_leaf */
	bool dotted;	/* and written with dots there: jfrconv minds */
};

/*
 * The file of a frame that readers put on top of a stack: the class of the
 * allocated object, or of the monitor that a thread waits for.
 */
#define FL_CLASS "<class>"
#define FL_DOTTED_CLASS "<class.>"

static inline bool fl_is_java_type(enum flame_type type)
{
	return type == FLAME_INTERPRETED || type == FLAME_JIT ||
	       type == FLAME_INLINED || type == FLAME_C1 ||
	       type == FLAME_JAVA_NATIVE;
}

static inline bool fl_is_class_leaf(const struct flame *flame,
				    const struct flame_frame *frame)
{
	struct slice file = fl_name_at(flame, frame->file);

	return file.size && (fl_slice_is(file, FL_CLASS) ||
			     fl_slice_is(file, FL_DOTTED_CLASS));
}

/* Without the ":line" or "@bci" of --lines and --bci. */
struct slice fl_java_bare(struct slice name);
/* Without the "(Thread.java:748)" of thread dumps. */
struct slice fl_java_no_place(struct slice name);
/* How long "app//" or "java.base@17.0.1/" before a class is; 0: none. */
size_t fl_java_module(struct slice name);

/* "La/b/C;::m", "a/b/C:::m", "La/b/C;.m" of perf-map-agent: its parts. */
bool fl_java_agent(struct slice name, struct slice *class,
		   struct slice *method);
/* Only letters allowed in Java names, or these; false if empty. */
bool fl_java_made_of(struct slice text, const char *others);

/* false: not recognised as a Java frame. */
bool fl_java_split(const struct flame *flame, const struct flame_frame *frame,
		   struct fl_java *java);
/* The same of a text; type is FLAME_UNKNOWN where that is not known. */
bool fl_java_parts(struct slice name, enum flame_type type, bool leaf,
		   struct fl_java *java);

/*
 * One method has many spellings: a/b/C.m, a.b.C.m(C.java:12),
 * java.base@17/a.b.C.m, La/b/C;::m, void a.b.C.m(int), a-b-C-m-12.  Appends
 * a.b.C.m; false: it does not look like a Java method.
 */
bool fl_java_dotted(struct slice name, struct fl_buf *out);
/* From that to a/b/C.m. */
void fl_java_slashed(struct slice dotted, struct fl_buf *out);

/*
 * java_class.c: appends a class' name without the address or the counter of one
 * JVM: C$$Lambda of C$$Lambda$9/0x7f81, $Proxy of $Proxy12.
 */
void fl_norm_class(const struct fl_java *java, struct fl_buf *out);

/*
 * java_plain.c: appends the one name of a Java method, a/b/C.m, however it
 * is spelt, with its class as fl_norm_class has it.  false: the name stays
 * as it is.  Names of other languages stay.
 */
bool fl_java_plain(struct slice name, enum flame_type type, bool leaf,
		   struct fl_buf *out);

/*
 * Whether an expression finds something in a name, or in a/b/C.m or a.b.C.m
 * of the same method.
 */
bool fl_java_match(const struct fl_regex *re, struct slice name);

#endif
