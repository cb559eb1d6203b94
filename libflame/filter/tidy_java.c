/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules of --tidy for names of Java methods, called by the table of tidy.c:
 * remove the module, what differs in names of lambdas, and the source position.
 */
#include "fl.h"

#include "filter/tidy.h"

bool fl_tidy_java_modules(const struct fl_tidy_input *in, struct fl_buf *out)
{
	struct fl_java java;

	if (!fl_java_parts(in->name, in->type, in->leaf, &java) ||
	    !java.module.size)
		return false;
	fl_buf_put(out, java.class.data, java.class.size);
	fl_buf_put(out, java.rest.data, java.rest.size);
	return true;
}

bool fl_tidy_java_lambdas(const struct fl_tidy_input *in, struct fl_buf *out)
{
	struct fl_java java;

	if (!fl_java_parts(in->name, in->type, in->leaf, &java))
		return false;
	fl_buf_put(out, java.module.data, java.module.size);
	fl_norm_class(&java, out);
	fl_buf_put(out, java.rest.data, java.rest.size);
	return true;
}

/* A source position, "(Thread.java:748)", not arguments, "(a.b.C, int)". */
static bool is_position(struct slice s)
{
	size_t dots = 0;

	if (fl_slice_is(s, "(Native Method)") ||
	    fl_slice_is(s, "(Unknown Source)") ||
	    fl_slice_is(s, "(<generated>)"))
		return true;
	for (size_t i = 0; i < s.size; i++)
		if (s.data[i] == '.')
			dots++;
		else if (s.data[i] == ' ' || s.data[i] == ',')
			return false;
	return dots == 1;
}

bool fl_tidy_java_lines(const struct fl_tidy_input *in, struct fl_buf *out)
{
	struct slice name = fl_java_no_place(in->name), position;
	struct fl_java java;

	if (in->leaf || !fl_java_parts(in->name, in->type, false, &java))
		return false;
	position = (struct slice){ name.data + name.size,
				in->name.size - name.size };
	if (position.size && !is_position(position))
		return false;
	if (!position.size)
		name = fl_java_bare(name);
	if (name.size == in->name.size)
		return false;
	fl_buf_put(out, name.data, name.size);
	return true;
}
