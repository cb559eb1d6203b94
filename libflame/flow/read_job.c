/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A job of parts.c or read_ahead.c: fl_read_job_run() reads a source in any
 * thread and buffers its samples; those that differ in weight alone are summed.
 * fl_read_job_forward() sends them to the caller's sink, with their ids mapped
 * to the caller's dictionary.
 */
#include "fl.h"

#include "flow/flow.h"

bool fl_read_job_init(struct fl_read_job *job)
{
	job->flame = flame_new();
	return job->flame;
}

static int add(struct fl_read_job *job, const struct flame_sample *sample)
{
	if (job->ordered || sample->time != FLAME_NOTIME)
		return fl_sums_append(job->flame, &job->sums, sample);
	return fl_sums_add(job->flame, &job->sums, sample);
}

void fl_read_job_run(struct fl_read_job *job)
{
	struct flame_sample sample;
	int status = FLAME_FAILED;

	while (job->source &&
	       (status = flame_next(job->source, &sample)) == FLAME_OK)
		if (add(job, &sample) != FLAME_OK)
			break;
	job->status = status == FLAME_END && !fl_failed(job->flame) ?
		      FLAME_OK : FLAME_FAILED;
}

int fl_read_job_forward(struct fl_read_job *job, struct flame_source *source,
			struct flame_sink *sink)
{
	const struct fl_absorbed *map = &job->map;
	int status = FLAME_OK;

	if (!fl_absorb(source->flame, job->flame, &job->map))
		return FLAME_FAILED;
	for (size_t i = 0; i < job->sums.count && status == FLAME_OK; i++) {
		struct flame_sample s = job->sums.data[i];

		s.stack = map->stacks.data[s.stack];
		s.metric = map->metrics.data[s.metric];
		s.thread = map->labels.data[s.thread];
		s.labels = map->labels.data[s.labels];
		status = fl_deliver(source, sink, &s);
	}
	return status;
}

void fl_read_job_clear(struct fl_read_job *job)
{
	struct flame *flame = job->flame;

	job->sums.count = 0;
	fl_index_free(&job->sums.index);
	flame_clear(flame);
	fl_overlap_clear(flame);
	for (size_t i = 0; i < flame->nmetrics; i++) {
		flame->metrics[i].samples = flame->metrics[i].no_stack = 0;
		flame->metrics[i].total = 0;
		flame->metrics[i].first = flame->metrics[i].last =
			FLAME_NOTIME;
	}
}

void fl_read_job_free(struct fl_read_job *job)
{
	flame_close(job->source);
	flame_free(job->flame);
	fl_absorbed_free(&job->map);
	fl_sums_free(&job->sums);
}
