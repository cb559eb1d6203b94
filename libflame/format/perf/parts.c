/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lets several threads read one text of perf script: the functions of the
 * format's row that flow/parts.c calls.  fl_perf_split() finds a place to cut,
 * at the beginning of a record; fl_perf_fork() makes the reader of a part, and
 * fl_perf_join() adds its counts to those of the whole.
 */
#include "fl.h"

#include "format/perf/reader.h"

/*
 * A line with a time and an event begins a record if the line before is empty
 * or if it has its frame at its end: the record before it is whole.
 */
static bool begins_record(struct slice line, bool after_empty)
{
	struct fl_perf_header h;

	if (!line.size || line.data[0] == '\t' || line.data[0] == '#' ||
	    !fl_perf_header(line, NULL, &h))
		return false;
	return !h.non_sample && h.time != FLAME_NOTIME && h.event.size &&
	       (after_empty || h.rest.size);
}

size_t fl_perf_split(const char *at, size_t n)
{
	const char *end = memrchr(at, '\n', n), *lf;
	struct slice line, before;

	if (!end)
		return 0;
	for (;; end = lf) {
		lf = memrchr(at, '\n', end - at);
		if (!lf || lf == at)
			return 0;
		line = (struct slice){ lf + 1, end - (lf + 1) };
		before.data = memrchr(at, '\n', lf - at);
		before.data = before.data ? before.data + 1 : at;
		before.size = lf - before.data;
		if (begins_record(line, fl_perf_is_empty(before)))
			return line.data - at;
	}
}

void fl_perf_resume(struct flame_source *source)
{
	struct fl_perf_reader *r = source->state;

	r->start = r->at = r->end = NULL;
	r->whole = false;
	r->record.open = false;
	r->frames.n = r->one_line.n = 0;
	r->stop = r->one_line_stop = 0;
	r->nbuffered = 0;
	r->npairs = r->nlast = 0;
	r->status = FLAME_OK;
}

static void forget_counts(struct fl_perf_reader *r)
{
	r->line = r->samples = r->bad = r->no_period = r->lost = 0;
	r->no_branch = r->cut_line = 0;
	r->no_end = false;
}

/*
 * Not in parts: FlameGraph's script and times from the end depend on the end
 * of the input; failed lookups of inlined functions are reported once.
 */
bool fl_perf_fork(const struct flame_source *whole, struct flame_source *part)
{
	const struct fl_select *select = &whole->select;
	const struct fl_perf_options *options = whole->options;
	const struct fl_perf_reader *from = whole->state;
	struct fl_perf_reader *to = part ? part->state : NULL;

	if (!part)
		return options->peer != FL_PEER_PERL &&
		       !options->inlined &&
		       !fl_select_needs_end(select);
	if (!from->headers)
		return false;
	to->headers = true;
	to->filter = from->filter;
	to->has_filter = from->has_filter;
	to->looked_for_end = from->looked_for_end;
	to->flat = from->flat;
	to->tabs = from->tabs;
	to->bare = from->bare;
	to->stacks = from->stacks;
	forget_counts(to);
	part->nfacts = 0;
	return true;
}

static void join_facts(struct flame_source *whole, struct flame_source *part)
{
	for (size_t i = 0; i < part->nfacts; i++)
		if (whole->nfacts < FL_PERF_FACTS)
			fl_fact(whole, part->facts[i].key, "%s",
				part->facts[i].value);
	part->nfacts = 0;
}

void fl_perf_join(struct flame_source *whole, struct flame_source *part)
{
	struct fl_perf_reader *to = whole->state, *from = part->state;

	if (from->bad && !to->bad) {
		to->first_bad = to->line + from->first_bad;
		memcpy(to->bad_text, from->bad_text, sizeof(to->bad_text));
	}
	to->line += from->line;
	to->samples += from->samples;
	to->bad += from->bad;
	to->no_period += from->no_period;
	to->lost += from->lost;
	to->no_branch += from->no_branch;
	to->no_end |= from->no_end;
	to->stacks |= from->stacks;
	if (from->cut_line)
		to->cut_line = to->line - from->line + from->cut_line;
	fl_perf_saw(whole, part->first, part->last);
	fl_perf_event_join(to, from);
	forget_counts(from);
	join_facts(whole, part);
}
