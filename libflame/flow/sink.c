/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sinks: making, feeding and finishing a chain of them.
 */
#include "fl.h"

#include "flow/flow.h"

#include <stdlib.h>

struct flame_sink *fl_sink_new(struct flame *flame, struct flame_sink *next,
			       size_t state_size)
{
	struct flame_sink *sink = fl_zeroed(1, sizeof(*sink) + state_size);

	if (!sink) {
		fl_no_memory(flame);
		return NULL;
	}
	sink->flame = flame;
	sink->number = ++flame->nsinks;
	sink->next = next;
	sink->state = state_size ? sink + 1 : NULL;
	return sink;
}

int flame_set(struct flame_sink *sink, const char *option, const char *value)
{
	struct flame *flame = sink->flame;

	for (; sink; sink = sink->next)
		if (sink->set && sink->set(sink, option, value) == FLAME_OK)
			return FLAME_OK;
	return fl_fail(flame, "--%s%s%s: this output has no such option",
		       option, value ? " " : "", value ? value : "");
}

int flame_put(struct flame_sink *sink, const struct flame_sample *sample)
{
	return sink->put(sink, sample);
}

void flame_abandon(struct flame_sink *sink)
{
	while (sink) {
		struct flame_sink *next = sink->next;

		if (sink->free)
			sink->free(sink);
		fl_free(sink);
		sink = next;
	}
}

int flame_finish(struct flame_sink *sink)
{
	int status = FLAME_OK;

	for (struct flame_sink *s = sink; s && status == FLAME_OK; s = s->next)
		if (s->finish)
			status = s->finish(s);
	if (sink && status == FLAME_OK)
		fl_overlap_report(sink->flame);
	if (sink && fl_failed(sink->flame))
		status = FLAME_FAILED;
	flame_abandon(sink);
	return status;
}
