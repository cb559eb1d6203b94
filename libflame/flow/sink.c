/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chains of sinks: fl_sink_new() makes one for filters and writers; programs
 * set options of a chain (flame_set), put samples into it (flame_put), and
 * finish or abandon it (flame_finish, flame_abandon).
 */
#include "fl.h"

#include "flow/flow.h"

#include <inttypes.h>
#include <stdlib.h>

struct flame_sink *fl_sink_new(struct flame *flame, struct flame_sink *next,
			       size_t state_size)
{
	struct flame_sink *sink = fl_zeroed(1, sizeof(*sink));
	void *state = state_size ? fl_zeroed(1, state_size) : NULL;

	if (!sink || !state != !state_size) {
		fl_free(sink);
		fl_free(state);
		fl_no_memory(flame);
		return NULL;
	}
	sink->flame = flame;
	sink->number = ++flame->nsinks;
	sink->next = next;
	sink->state = state;
	return sink;
}

void fl_sink_free(struct flame_sink *sink)
{
	fl_free(sink->state);
	fl_free(sink);
}

static void free_finished(struct flame *flame)
{
	while (flame->finished) {
		struct flame_sink *sink = flame->finished;

		flame->finished = sink->next;
		fl_sink_free(sink);
	}
}

/* Removes the first key of a list; size 0: none is left. */
static struct slice next_key(const char **list)
{
	struct slice key = { *list, strcspn(*list, ",") };

	*list += key.size + ((*list)[key.size] == ',');
	return key;
}

static bool has_key(const char *list, struct slice key)
{
	struct slice one;

	while ((one = next_key(&list)).size)
		if (one.size == key.size &&
		    memcmp(one.data, key.data, key.size) == 0)
			return true;
	return false;
}

int fl_want_labels(struct flame *flame, const char **wanted, const char *keys)
{
	struct fl_buf all = { 0 };
	struct slice key;
	char *text;

	if (!keys || (*wanted && strcmp(*wanted, keys) == 0))
		return FLAME_OK;
	fl_buf_text(&all, *wanted ? *wanted : "");
	while ((key = next_key(&keys)).size) {
		if (*wanted && has_key(*wanted, key))
			continue;
		if (all.size)
			fl_buf_text(&all, ",");
		fl_buf_put(&all, key.data, key.size);
	}
	text = all.failed ? NULL :
	       fl_arena_copy(&flame->arena, all.data, all.size);
	fl_buf_free(&all);
	if (!text)
		return fl_no_memory(flame);
	*wanted = text;
	return FLAME_OK;
}

bool fl_is_wanted(const char *wanted, const char *keys)
{
	struct slice key;

	while (wanted && (key = next_key(&keys)).size)
		if (has_key(wanted, key))
			return true;
	return false;
}

/*
 * A finished sink stays until flame_free, without its state, so that its use
 * is a failure.
 */
static void retire(struct flame_sink *sink)
{
	struct flame *flame = sink->flame;

	fl_free(sink->state);
	*sink = (struct flame_sink){ .flame = flame, .finished = true,
				     .next = flame->finished };
	flame->finished = sink;
	flame->free_finished = free_finished;
}

int64_t fl_light_of_next(struct flame_sink *sink, int64_t total)
{
	return sink->next->light(sink->next, total);
}

unsigned fl_expect_of_next(struct flame_sink *sink,
			   const struct fl_expected *expected)
{
	return sink->next->expect(sink->next, expected);
}

bool fl_whole_of_next(struct flame_sink *sink)
{
	return sink->next->whole && sink->next->whole(sink->next);
}

bool fl_sink_check(const struct flame_sink *sink)
{
	if (!sink || !sink->finished)
		return sink;
	fl_fail(sink->flame, "an output is used after it was finished");
	return false;
}

int flame_set(struct flame_sink *sink, const char *option, const char *value)
{
	struct flame *flame;

	if (!fl_sink_check(sink))
		return FLAME_FAILED;
	flame = sink->flame;
	if (!option)
		return fl_fail(flame, "no name of an option");
	for (; sink; sink = sink->next)
		if (sink->set && sink->set(sink, option, value) == FLAME_OK)
			return FLAME_OK;
	return fl_fail(flame, "--%s%s%s: this output has no such option",
		       option, value ? " " : "", value ? value : "");
}

int flame_put(struct flame_sink *sink, const struct flame_sample *sample)
{
	const struct flame *flame;

	if (!fl_sink_check(sink))
		return FLAME_FAILED;
	flame = sink->flame;
	if (!sample || sample->stack >= flame->stacks.count ||
	    sample->metric >= flame->nmetrics ||
	    sample->thread >= flame->labels.count ||
	    sample->labels >= flame->labels.count)
		return fl_fail(sink->flame, "a sample has ids that are not of "
			       "this dictionary");
	return sink->put(sink, sample);
}

void flame_abandon(struct flame_sink *sink)
{
	while (sink && !sink->finished) {
		struct flame_sink *next = sink->next;

		if (sink->free)
			sink->free(sink);
		retire(sink);
		sink = next;
	}
}

/* "$s4main3fooyyF", with an underscore before it on macOS. */
static bool is_swift(struct slice name)
{
	if (name.size && name.data[0] == '_') {
		name.data++;
		name.size--;
	}
	return name.size > 4 && fl_slice_starts(name, "$s") &&
	       fl_is_digit(name.data[2]);
}

/* Of mangled names, those of Swift are reported, not decoded. */
static void report_swift(struct flame *flame)
{
	uint64_t n = 0;

	for (size_t i = 1; flame->demangle && i < flame->names.count; i++)
		n += flame->names.data[i].frame &&
		     is_swift(fl_name_at(flame, i));
	if (n)
		fl_remark(flame, "%" PRIu64 " names of Swift stay mangled: "
			  "flame-fold | swift demangle --compact reads them",
			  n);
}

int flame_finish(struct flame_sink *sink)
{
	int status = FLAME_OK;

	if (!fl_sink_check(sink))
		return FLAME_FAILED;
	for (struct flame_sink *s = sink; s && status == FLAME_OK; s = s->next)
		if (s->finish)
			status = s->finish(s);
	if (status == FLAME_OK) {
		fl_overlap_report(sink->flame);
		report_swift(sink->flame);
	}
	if (fl_failed(sink->flame))
		status = FLAME_FAILED;
	flame_abandon(sink);
	return status;
}
