/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Format tree-xml: reads call trees that other programs export as XML into
 * samples: an element with a name is a node, and those within are its children;
 * others are passed over.  It is read where it is asked for (-i tree-xml).
 *
 *	<node name="main" time="10"><node name="run" time="7"/></node>
 */
#include "fl.h"

#include "format/outline/outline.h"
#include "io/xml.h"

#include <inttypes.h>

struct reader {
	struct fl_outline outline;
	const struct fl_outline_options *options;
	struct fl_xml xml;
	struct fl_buf name;
	uint64_t no_weight;
	bool ended, reported;
};

static const char *const names[] = {
	"name", "methodName", "method", "function", "label", "symbol", NULL
};

static const char *const weights[] = {
	"time", "value", "total", "samples", "count", "weight", "bytes", NULL
};

static bool attribute(struct reader *r, const char *wanted,
		      const char *const *known, struct slice *s)
{
	if (wanted)
		return fl_xml_attribute(&r->xml, wanted, s);
	for (size_t i = 0; known[i]; i++)
		if (fl_xml_attribute(&r->xml, known[i], s))
			return true;
	return false;
}

static void take_node(struct reader *r)
{
	struct slice s;
	int64_t weight = 0;
	flame_id frame;

	if (!attribute(r, r->options->name, names, &s))
		return;
	r->name.size = 0;
	fl_buf_put(&r->name, s.data, s.size);
	if (r->name.failed)
		return;
	if (!attribute(r, r->options->weight, weights, &s) ||
	    !fl_parse_decimal(fl_slice_trim(s), 0, &weight)) {
		r->no_weight++;
		weight = 0;
	}
	frame = fl_outline_frame(&r->outline, fl_buf_slice(&r->name),
				 FL_SLICE(""), FLAME_UNKNOWN);
	fl_outline_add(&r->outline, r->xml.depth, frame, &weight);
}

static int finish(struct reader *r)
{
	const char *name = fl_in_name(r->outline.base.source->in);
	struct flame *flame = r->outline.base.flame;
	const char *damage = fl_in_damage(r->outline.base.source->in);

	if (r->reported)
		return FLAME_END;
	r->reported = true;
	if (r->xml.error || damage) {
		fl_warn(flame, "%s: %s at byte %" PRIu64 ": %" PRIu64
			" nodes were read", name,
			damage ? damage : r->xml.error,
			fl_in_offset(r->xml.in), r->outline.base.lines.good);
		fl_line_reader_damage(&r->outline.base);
	}
	if (r->no_weight)
		fl_remark(flame, "%s: %" PRIu64 " nodes without a weight",
			  name, r->no_weight);
	if (!r->outline.base.lines.good && !r->xml.error)
		fl_warn(flame, "%s: no element has a name: --tree-name names "
			"the attribute", name);
	return FLAME_END;
}

static int read(struct flame_source *source)
{
	struct reader *r = source->state;
	struct fl_outline *o = &r->outline;

	o->self = r->options->self;
	if (!o->nvalues)
		o->metric[0] = flame_metric(o->base.flame, "samples",
					    "samples");
	o->nvalues = 1;
	while (!source->batch.n) {
		if (fl_failed(o->base.flame) || r->name.failed)
			return FLAME_FAILED;
		if (r->ended && !o->count)
			return finish(r);
		if (r->ended) {
			fl_outline_end(o);
			continue;
		}
		switch (fl_xml_next(&r->xml)) {
		case FL_XML_OPEN:
			take_node(r);
			break;
		case FL_XML_END:
		case FL_XML_FAILED:
			r->ended = true;
			break;
		default:
			break;
		}
	}
	return FLAME_OK;
}

/* The row of formats.def ------------------------------------------------ */

static int open_tree_xml(struct flame_source *source)
{
	struct reader *r = source->state;

	r->options = source->options;
	fl_xml_init(&r->xml, source->in);
	return fl_line_reader_open(source);
}

static void release(void *state)
{
	struct reader *r = state;

	fl_buf_free(&r->name);
	fl_xml_free(&r->xml);
	fl_outline_free(&r->outline);
}

const struct fl_format fl_format_tree_xml = {
	.name = "tree-xml",
	.summary = "call trees as nested elements of XML",
	.probe = fl_outline_probe_none,
	.state_size = sizeof(struct reader),
	.open = open_tree_xml,
	.read = read,
	.release = release,
	.options = &fl_outline_option_table,
};
