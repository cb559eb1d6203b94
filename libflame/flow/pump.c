/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pump: from a source into a chain of sinks, until the end.
 */
#include "fl.h"

#include "flow/flow.h"

static int notify(struct flame_sink *sink, struct flame_source *source,
		  bool begin)
{
	for (; sink; sink = sink->next) {
		int (*tell)(struct flame_sink *, struct flame_source *) =
			begin ? sink->begin : sink->end;

		if (tell && tell(sink, source) != FLAME_OK)
			return FLAME_FAILED;
	}
	return FLAME_OK;
}

/* The input as a label, by the last part of its path. */
static void label_file(struct flame_source *source,
		       struct flame_sample *sample)
{
	const char *path = fl_in_name(source->in);
	const char *slash = strrchr(path, '/');

	sample->labels = flame_label(source->flame, sample->labels,
				     fl_name(source->flame, "file"),
				     fl_name(source->flame,
					     slash && slash[1] ? slash + 1 :
								 path));
}

int fl_deliver(struct flame_source *source, struct flame_sink *sink,
	       struct flame_sample *sample)
{
	if (source->select.needs & FL_NEED_FILE)
		label_file(source, sample);
	return sink->put(sink, sample);
}

int flame_pump(struct flame_source *source, struct flame_sink *sink)
{
	struct flame_sample sample;
	int status;

	for (struct flame_sink *s = sink; s; s = s->next)
		source->select.needs |= s->needs;
	if (notify(sink, source, true) != FLAME_OK ||
	    fl_pump_parts(source, sink) != FLAME_OK)
		return FLAME_FAILED;
	while ((status = flame_next(source, &sample)) == FLAME_OK)
		if (fl_deliver(source, sink, &sample) != FLAME_OK)
			return FLAME_FAILED;
	if (status == FLAME_FAILED || fl_failed(source->flame))
		return FLAME_FAILED;
	return notify(sink, source, false);
}
