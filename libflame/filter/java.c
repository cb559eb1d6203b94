/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of Java frames: "java/lang/Thread.run", with ":line" or "@bci" at
 * the end of some, and classes alone at the end of stacks of allocations
 * and locks: "java.lang.String", "byte[]".
 */
#include "fl.h"

#include "filter/filter.h"

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* What Java and its compilers put into names of classes and methods. */
static bool is_name_byte(char c)
{
	return is_digit(c) || is_upper(c) || (c >= 'a' && c <= 'z') ||
	       (c & 0x80) || (c && strchr("_$<>-+", c));
}

static size_t last_of(struct slice s, const char *set)
{
	size_t i = s.size;

	while (i && !(s.at[i - 1] && strchr(set, s.at[i - 1])))
		i--;
	return i;	/* behind it; 0: none */
}

struct slice fl_java_bare(struct slice name)
{
	size_t i = name.size;

	while (i && is_digit(name.at[i - 1]))
		i--;
	if (i > 1 && i < name.size &&
	    (name.at[i - 1] == ':' || name.at[i - 1] == '@'))
		name.size = i - 1;
	return name;
}

static struct slice without_arrays(struct slice s)
{
	while (fl_slice_ends(s, "[]"))
		s.size -= 2;
	return s;
}

/* "java.lang.String" of a text that does not mark it: a class, no method. */
static bool is_class_alone(struct slice class, struct slice method)
{
	size_t last = last_of(class, "./");

	return !memchr(class.at, '/', class.size) &&
	       is_upper(method.at[0]) && last < class.size &&
	       !is_upper(class.at[last]) &&
	       !memchr(class.at + last, '$', class.size - last);
}

/*
 * Without a type, what is neither a path below '/', nor C++, nor "[group]",
 * and has a package or a class in upper case.
 */
static bool looks_java(struct slice name)
{
	size_t dot, last;

	name = fl_java_bare(name);
	for (size_t i = 0; i < name.size; i++)
		if (!is_name_byte(name.at[i]) &&
		    (!i || (name.at[i] != '.' && name.at[i] != '/')))
			return false;
	dot = last_of(name, ".");
	if (!dot)
		return false;
	name.size = dot - 1;
	last = last_of(name, "./");
	return memchr(name.at, '/', name.size) || is_upper(name.at[last]);
}

static bool is_java(struct slice name, enum flame_type type)
{
	switch (type) {
	case FLAME_INTERPRETED:
	case FLAME_JIT:
	case FLAME_INLINED:
	case FLAME_C1:
	case FLAME_JAVA_NATIVE:
		return true;
	case FLAME_UNKNOWN:
		return looks_java(name);
	default:
		return false;
	}
}

bool fl_java_split(const struct flame *flame, const struct flame_frame *frame,
		   struct fl_java *java)
{
	struct slice name = fl_name_at(flame, frame->name), class, method;
	struct slice bare = without_arrays(name);
	size_t dot = last_of(bare, ".");

	java->leaf = fl_is_class_leaf(flame, frame);
	if (!java->leaf && !is_java(bare, frame->type))
		return false;
	class = (struct slice){ bare.at, dot ? dot - 1 : 0 };
	method = (struct slice){ bare.at + dot, bare.size - dot };
	/* No method's name begins with a digit; a hidden class' end does. */
	if (java->leaf || bare.size < name.size || !class.size ||
	    !method.size || is_digit(method.at[0]) ||
	    is_class_alone(class, method))
		class = bare;
	java->class = class;
	java->rest = (struct slice){ name.at + class.size,
				     name.size - class.size };
	return true;
}
