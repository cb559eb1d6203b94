/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pull parser for XML that programs write: tags, attributes and text, in
 * memory that does not grow with the input.  Comments, instructions and
 * declarations are skipped; nothing is looked up elsewhere, and entities are
 * those of XML itself and numbers.  Names are not checked.
 */
#ifndef FL_XML_H
#define FL_XML_H

#include "io/io.h"

enum fl_xml_token {
	FL_XML_END,		/* of the input */
	FL_XML_FAILED,		/* no XML, or cut: see error */
	FL_XML_OPEN,		/* <name ...>; name, and attributes */
	FL_XML_CLOSE,		/* </name>, or the end of <name/> */
	FL_XML_TEXT
};

struct fl_xml {
	struct fl_in *in;
	enum fl_xml_token token;	/* that was read last */
	struct slice name;	/* of a tag; valid until the next token */
	struct slice text;	/* entities are undone */
	struct slice attributes;	/* not unescaped */
	size_t depth;		/* of open elements, the one begun last too */
	bool empty;		/* its end comes next, without a tag */
	size_t used;		/* bytes of the last token */
	struct fl_buf buf, value;
	const char *error;
	bool cut;		/* the error: the input ends too early */
};

void fl_xml_init(struct fl_xml *xml, struct fl_in *in);
void fl_xml_free(struct fl_xml *xml);
/* After FL_XML_FAILED every further token is that. */
enum fl_xml_token fl_xml_next(struct fl_xml *xml);
/* An attribute of the tag, valid until the next call.  false: not present. */
bool fl_xml_attribute(struct fl_xml *xml, const char *name,
		      struct slice *value);

static inline bool fl_xml_is(const struct fl_xml *xml, const char *name)
{
	return fl_slice_is(xml->name, name);
}

#endif
