/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples that one thread buffers for another.  Samples that differ in weight
 * alone are summed; forwarding maps their ids to the other's dictionary.
 */
#include "fl.h"

#include "flow/flow.h"

#include <stdlib.h>

int fl_sample_buffer_add(struct flame *flame, struct fl_sample_buffer *buffer,
			 const struct flame_sample *sample)
{
	bool plain = !sample->thread && !sample->labels &&
		     sample->time == FLAME_NOTIME, fresh = true;
	uint64_t *place = NULL;
	int64_t *sum;

	if (plain && !buffer->ordered) {
		place = fl_map_put(
			&buffer->sums,
			(uint64_t)sample->metric << 32 | sample->stack, &fresh);
		if (!place)
			return fl_no_memory(flame);
	}
	if (!fresh) {
		sum = &buffer->samples[*place].weight;
		return __builtin_add_overflow(*sum, sample->weight, sum) ?
		       fl_fail(flame, "the sum of weights passes 2^63") :
		       FLAME_OK;
	}
	if (!fl_grow(&buffer->samples, &buffer->capacity, buffer->count + 1,
		     sizeof(*buffer->samples)))
		return fl_no_memory(flame);
	if (place)
		*place = buffer->count;
	buffer->samples[buffer->count++] = *sample;
	return FLAME_OK;
}

int fl_sample_buffer_forward(struct flame *from,
			     const struct fl_sample_buffer *buffer,
			     struct fl_absorbed *map,
			     struct flame_source *source,
			     struct flame_sink *sink)
{
	int status = FLAME_OK;

	if (!fl_absorb(source->flame, from, map))
		return FLAME_FAILED;
	for (size_t i = 0; i < buffer->count && status == FLAME_OK; i++) {
		struct flame_sample s = buffer->samples[i];

		s.stack = map->stacks.data[s.stack];
		s.metric = map->metrics.data[s.metric];
		s.thread = map->labels.data[s.thread];
		s.labels = map->labels.data[s.labels];
		status = fl_deliver(source, sink, &s);
	}
	return status;
}

void fl_sample_buffer_clear(struct fl_sample_buffer *buffer)
{
	buffer->count = 0;
	fl_map_clear(&buffer->sums);
}

void fl_sample_buffer_free(struct fl_sample_buffer *buffer)
{
	fl_map_free(&buffer->sums);
	fl_free(buffer->samples);
}

/* The same samples are read again by another source: drop these counts. */
void fl_dict_reset(struct flame *flame)
{
	flame_clear(flame);
	for (size_t i = 0; i < flame->nmetrics; i++) {
		flame->metrics[i].samples = flame->metrics[i].no_stack = 0;
		flame->metrics[i].total = 0;
		flame->metrics[i].first = flame->metrics[i].last =
			FLAME_NOTIME;
	}
}
