/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Invariants of every dictionary, sample and layout; functions that targets
 * share.
 */
#include "fuzz.h"

#include "filter/filter.h"

#include <stdio.h>
#include <stdlib.h>

void fuzz_broken(const char *fact, const char *file, int line)
{
	fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, fact);
	abort();
}

/* A message is one line without control characters. */
static void check_message(void *arg, const char *line)
{
	(void)arg;
	FUZZ_HOLDS(*line);
	for (; *line; line++)
		FUZZ_HOLDS((unsigned char)*line >= 0x20 && *line != 0x7f);
}

struct flame *fuzz_flame(void)
{
	struct flame *flame = flame_new();

	if (!flame)
		exit(0);
	flame_process_limit(flame, FUZZ_MEMORY);
	flame_on_warning(flame, check_message, NULL);
	flame_on_remark(flame, check_message, NULL);
	return flame;
}

void fuzz_once(const struct fuzz_target *target, const uint8_t *data,
	       size_t size)
{
	size_t left;

	fl_memory_limit(FUZZ_MEMORY);
	left = fl_memory_left();
	target->run(target, data, size);
	fl_memory_limit(FUZZ_MEMORY);
	FUZZ_HOLDS(fl_memory_left() == left);
}

void fuzz_flame_holds(const struct flame *f)
{
	for (size_t i = 1; i < f->stacks.count; i++) {
		FUZZ_HOLDS(f->stacks.data[i].parent < i);
		FUZZ_HOLDS(f->stacks.data[i].frame < f->frames.count);
	}
	for (size_t i = 0; i < f->frames.count; i++) {
		FUZZ_HOLDS(f->frames.data[i].name < f->names.count);
		FUZZ_HOLDS(f->frames.data[i].file < f->names.count);
		FUZZ_HOLDS(f->frames.data[i].type < FL_TYPES);
	}
	for (size_t i = 0; i < f->names.count; i++)
		FUZZ_HOLDS(f->names.data[i].text[f->names.data[i].size] ==
			   '\0');
	for (size_t i = 1; i < f->labels.count; i++) {
		FUZZ_HOLDS(f->labels.data[i].rest < i);
		FUZZ_HOLDS(f->labels.data[i].key < f->names.count);
		FUZZ_HOLDS(f->labels.data[i].value < f->names.count);
	}
	if (fl_failed(f))
		check_message(NULL, flame_error(f));
}

/* Samples ----------------------------------------------------------------- */

static int watch(struct flame_sink *sink, const struct flame_sample *s)
{
	int64_t **sum = sink->state;
	const struct flame *f = sink->flame;

	FUZZ_HOLDS(s->stack < f->stacks.count);
	FUZZ_HOLDS(s->thread < f->labels.count);
	FUZZ_HOLDS(s->labels < f->labels.count);
	FUZZ_HOLDS(s->metric < f->nmetrics);
	if (*sum && __builtin_add_overflow(**sum, s->weight, *sum))
		return fl_fail(sink->flame, "the sum passes 2^63");
	return sink->next ? fl_put(sink->next, s) : FLAME_OK;
}

struct flame_sink *fuzz_watch(struct flame *flame, struct flame_sink *next,
			      int64_t *sum)
{
	struct flame_sink *sink = fl_sink_new(flame, next, sizeof(sum));

	if (!sink)
		exit(0);
	sink->put = watch;
	*(int64_t **)sink->state = sum;
	if (sum)
		*sum = 0;
	return sink;
}

struct flame_sink *fuzz_writer(struct flame *flame, const char *format,
			       struct fl_buf *out)
{
	const struct fl_format *row = fl_format_named(flame, format, true);
	struct flame_sink *sink;

	FUZZ_HOLDS(row);
	sink = row->create(flame, fl_out_memory(flame, out));
	if (!sink)
		exit(0);
	return sink;
}

struct flame_sink *fuzz_front(struct flame_sink *sink, const char *name,
			      const char *arg)
{
	struct flame_sink *front = fl_filter_try(sink, name, arg);

	if (front)
		return front;
	FUZZ_HOLDS(*flame_error(sink->flame));
	flame_clear(sink->flame);
	return sink;
}

int fuzz_read(struct flame *flame, const void *at, size_t size,
	      const char *format, struct flame_sink *sink)
{
	struct flame_source *source = flame_open_memory(flame, at, size, "m",
							format);
	int status = FLAME_FAILED;

	if (source)
		status = flame_pump(source, sink);
	flame_close(source);
	FUZZ_HOLDS((status == FLAME_OK) == !fl_failed(flame));
	return status;
}

bool fuzz_is_plain(const void *at, size_t size)
{
	struct flame *flame = fuzz_flame();
	struct fl_in *in = fl_in_decoded(fl_in_memory(flame, at, size, "m"));
	bool plain = in && fl_in_all(in, &size);

	fl_in_close(in);
	flame_free(flame);
	return plain;
}

char *fuzz_line(struct slice *rest)
{
	const char *lf =
		rest->size ? memchr(rest->data, '\n', rest->size) : NULL;
	size_t n = lf ? (size_t)(lf - rest->data) : rest->size;
	char *line;

	if (!rest->size)
		return NULL;
	line = malloc(n + 1);
	if (!line)
		exit(0);
	memcpy(line, rest->data, n);
	line[n] = '\0';
	rest->data += n + (lf != NULL);
	rest->size -= n + (lf != NULL);
	return line;
}

/* Layouts ----------------------------------------------------------------- */

static void column_holds(const struct fl_layout *l, unsigned c)
{
	const int64_t *self = l->self[c], *total = l->total[c];
	int64_t *x = malloc(l->count * sizeof(*x));
	int64_t *some = calloc(l->count, sizeof(*some));
	int64_t least = total[0] / 16;

	if (!x || !some)
		exit(0);
	fl_layout_x(l, c, INT64_MIN, x);
	fl_layout_x(l, c, least, some);
	for (uint32_t i = 0; i < l->count; i++) {
		int64_t sum = self[i];

		FUZZ_HOLDS(x[i] >= 0 && x[i] <= total[0] - total[i]);
		for (uint32_t j = i + 1; j < l->end[i]; j = l->end[j]) {
			FUZZ_HOLDS(x[j] == x[i] + sum);
			sum += total[j];
		}
		FUZZ_HOLDS(sum == total[i]);
		FUZZ_HOLDS(total[i] < least || some[i] == x[i]);
	}
	free(some);
	free(x);
}

static int order(const struct flame *flame, flame_id a, flame_id b)
{
	struct slice x = fl_name_at(flame, a), y = fl_name_at(flame, b);
	int d = memcmp(x.data, y.data, FL_MIN(x.size, y.size));

	return d ? d : (x.size > y.size) - (x.size < y.size);
}

void fuzz_layout_holds(const struct flame *flame, const struct fl_layout *l)
{
	uint32_t depth = 0;

	FUZZ_HOLDS(l->count >= 1 && l->level[0] == 0 && l->end[0] == l->count);
	for (uint32_t i = 0; i < l->count; i++) {
		uint32_t before = 0;

		if (i) {
			FUZZ_HOLDS(l->parent[i] < i);
			FUZZ_HOLDS(l->level[i] == l->level[l->parent[i]] + 1);
			FUZZ_HOLDS(l->end[i] <= l->end[l->parent[i]]);
		}
		FUZZ_HOLDS(l->end[i] > i);
		depth = FL_MAX(depth, l->level[i]);
		for (uint32_t j = i + 1; j < l->end[i]; j = l->end[j]) {
			FUZZ_HOLDS(l->parent[j] == i);
			FUZZ_HOLDS(!before || order(flame, l->name[before],
						    l->name[j]) <= 0);
			before = j;
		}
	}
	FUZZ_HOLDS(depth == l->depth);
	for (unsigned c = 0; c < l->columns; c++)
		column_holds(l, c);
}
