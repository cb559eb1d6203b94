/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds which task a Python worker works for, by times alone: fl_join_work(),
 * called by join.c, gets all samples and changes the stacks of the workers'
 * ones.  A task is a thread of the JVM with one name; it waits from a sample
 * that waits for Python to its next sample.  A worker's sample is of a task
 * that waits then; where several do, of the one whose waits are known to be
 * those of this worker.
 */
#include "fl.h"

#include "base/sort.h"
#include "spark/join.h"
#include "spark/spark.h"

#include <stdlib.h>

#define NO_TRACK UINT32_MAX

enum {
	MIN_EVIDENCE = 10,	/* samples that decide whose a task is */
	MAX_GAP = 3,		/* intervals that a wait lasts without samples */
	MAX_EXCESS = 8,		/* intervals that are left to later waits */
	MANY_TIMES = 10,
	DEFAULT_INTERVAL = 10000000	/* ns */
};

/* Tracks ------------------------------------------------------------------ */

/* The stage in a thread's name. */
static flame_id stage_of(struct flame *flame, flame_id thread)
{
	flame_id name = flame_label_get(flame, thread, fl_name(flame,
							      "thread"));
	struct fl_spark_task_name task;

	if (!name || !fl_spark_task_name(fl_name_at(flame, name), &task) ||
	    !task.stage.size)
		return 0;
	return flame_name(flame, task.stage.data, task.stage.size);
}

/* Where the path or the recording says which process it is of. */
static void read_places(struct fl_join_work *w, struct fl_join_track *t,
			const struct flame_sample *s)
{
	static const char *const keys[FL_JOIN_PLACES] = {
		"app", "executor", "host", "container",
	};

	for (size_t i = 0; i < FL_JOIN_PLACES; i++) {
		flame_id key = fl_name(w->flame, keys[i]);

		t->places[i] = flame_label_get(w->flame, s->labels, key);
		if (!t->places[i])
			t->places[i] = flame_label_get(w->flame, s->thread,
						       key);
	}
}

/* Of several executors each has workers of its own. */
static bool is_elsewhere(const struct fl_join_work *w, uint32_t worker,
			 uint32_t task)
{
	const flame_id *a = w->tracks[worker].places;
	const flame_id *b = w->tracks[task].places;

	for (size_t i = 0; i < FL_JOIN_PLACES; i++)
		if (a[i] && b[i] && a[i] != b[i])
			return true;
	return false;
}

static bool find_track(struct fl_join_work *w, struct fl_join_item *item)
{
	flame_id id = item->worker ? item->track : item->sample.thread;
	flame_id metric = item->worker ? item->sample.metric : 0;
	uint64_t key = fl_hash_pair(fl_hash_pair(item->input, id),
				    fl_hash_pair(metric, item->worker));
	uint64_t *place = fl_map_put(&w->index, key | 1, NULL);

	if (!place || !fl_grow(&w->tracks, &w->tracks_capacity, w->ntracks + 1,
			       sizeof(*w->tracks)))
		return false;
	if (!*place) {
		w->tracks[w->ntracks] = (struct fl_join_track){
			.input = item->input, .id = id, .metric = metric,
			.worker = item->worker,
			.begin = INT64_MAX, .end = INT64_MIN,
			.stage = item->worker ? 0 : stage_of(w->flame, id),
		};
		read_places(w, &w->tracks[w->ntracks], &item->sample);
		*place = ++w->ntracks;
	}
	item->track = (uint32_t)*place - 1;
	w->tracks[item->track].n++;
	return true;
}

static int by_track(const void *a, const void *b)
{
	const struct fl_join_place *x = a, *y = b;

	if (x->track != y->track)
		return x->track < y->track ? -1 : 1;
	return x->time < y->time ? -1 : x->time > y->time;
}

static int by_time(const void *a, const void *b)
{
	const struct fl_join_place *x = a, *y = b;

	return x->time < y->time ? -1 : x->time > y->time;
}

static bool make_tracks(struct fl_join_work *w)
{
	w->order = fl_zeroed(w->count + 1, sizeof(*w->order));
	w->busy = fl_zeroed(w->count + 1, sizeof(*w->busy));
	if (!w->order || !w->busy)
		return false;
	for (size_t i = 0; i < w->count; i++) {
		struct fl_join_item *item = &w->items[i];

		if (item->sample.time == FLAME_NOTIME ||
		    (!item->worker && !item->sample.thread)) {
			item->track = NO_TRACK;
			continue;
		}
		if (!find_track(w, item))
			return false;
		w->order[w->nordered++] = (struct fl_join_place){
			item->sample.time, item->track, i
		};
		if (item->worker && item->busy)
			w->busy[w->nbusy++] = w->order[w->nordered - 1];
	}
	fl_sort_nearly(w->order, w->nordered, sizeof(*w->order), by_track);
	fl_sort_nearly(w->busy, w->nbusy, sizeof(*w->busy), by_time);
	for (size_t i = w->nordered; i--;)
		w->tracks[w->order[i].track].first = i;
	return true;
}

/* Intervals --------------------------------------------------------------- */

static struct fl_join_item *item_at(const struct fl_join_work *w,
				    const struct fl_join_track *t, size_t i)
{
	return &w->items[w->order[t->first + i].item];
}

/* From one sample to the next.  heavier: the larger one of their weights. */
struct gap {
	double time, weight, heavier;
};

static int by_size(const void *a, const void *b)
{
	const struct gap *x = a, *y = b;
	double left = x->time * y->heavier, right = y->time * x->heavier;

	return left < right ? -1 : left > right;
}

/*
 * The time that a weight of 1 stands for: async-profiler writes a batch of
 * samples as the first of them, flame-record those that it owes as the last.
 * The mean of all times from sample to sample but those in which there was
 * none: ten times the median and more.
 */
static double typical(struct gap *gaps, size_t n)
{
	double time = 0, weight = 0, median;

	if (!n)
		return 0;
	qsort(gaps, n, sizeof(*gaps), by_size);
	median = gaps[n / 2].time / gaps[n / 2].heavier;
	for (size_t i = 0; i < n; i++) {
		if (gaps[i].time / gaps[i].heavier > MANY_TIMES * median)
			continue;
		time += gaps[i].time;
		weight += gaps[i].weight;
	}
	return time / weight;
}

static flame_id metric_of_waits(const struct fl_join_work *w,
				const struct fl_join_track *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (item_at(w, t, i)->trunk)
			return item_at(w, t, i)->sample.metric;
	return 0;
}

/* Of a thread of the JVM: by all samples of the metric of its waits. */
static void measure(struct fl_join_work *w, struct fl_join_track *t,
		    struct gap *scratch)
{
	flame_id metric = t->worker ? t->metric : metric_of_waits(w, t);
	const struct flame_sample *last = NULL;
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		const struct fl_join_item *item = item_at(w, t, i);
		const struct flame_sample *s = &item->sample;

		t->nwaits += item->trunk != 0;
		if (s->metric != metric)
			continue;
		if (last && last->weight > 0 && s->time > last->time)
			scratch[n++] = (struct gap){
				(double)(s->time - last->time),
				(double)last->weight,
				(double)FL_MAX(s->weight, last->weight)
			};
		last = s;
	}
	t->interval = typical(scratch, n);
}

/* A wait lasts to the next sample, or some intervals without any. */
static int64_t end_of_wait(const struct fl_join_work *w,
			   const struct fl_join_track *t, size_t i)
{
	const struct flame_sample *s = &item_at(w, t, i)->sample;
	double gap = MAX_GAP * t->interval * (double)s->weight;
	int64_t end = fl_add_clamped(s->time, gap < 0x1p62 ? (int64_t)gap :
							     INT64_MAX);

	return i + 1 < t->n ?
	       FL_MIN(end, item_at(w, t, i + 1)->sample.time) : end;
}

static void measure_span(struct fl_join_work *w, struct fl_join_track *t)
{
	for (size_t i = 0; i < t->n; i++) {
		if (!item_at(w, t, i)->trunk)
			continue;
		t->begin = FL_MIN(t->begin, item_at(w, t, i)->sample.time);
		t->end = FL_MAX(t->end, end_of_wait(w, t, i));
	}
}

static const struct fl_join_track *longest(const struct fl_join_work *w)
{
	const struct fl_join_track *best = NULL;

	for (size_t i = 0; i < w->ntracks; i++) {
		const struct fl_join_track *t = &w->tracks[i];

		if (!t->worker && t->nwaits && t->interval > 0 &&
		    (!best || t->nwaits > best->nwaits))
			best = t;
	}
	return best;
}

static int by_begin(const void *a, const void *b)
{
	return by_time(a, b);
}

/* The tracks that wait, by the time at which they begin. */
static bool list_tasks(struct fl_join_work *w)
{
	struct fl_join_place *places = fl_zeroed(w->ntracks + 1,
						 sizeof(*places));

	w->tasks = fl_zeroed(w->ntracks + 1, sizeof(*w->tasks));
	w->active = fl_zeroed(w->ntracks + 1, sizeof(*w->active));
	w->found = fl_zeroed(w->ntracks + 1, sizeof(*w->found));
	if (!places || !w->tasks || !w->active || !w->found) {
		fl_free(places);
		return false;
	}
	for (uint32_t i = 0; i < w->ntracks; i++)
		if (!w->tracks[i].worker && w->tracks[i].nwaits)
			places[w->ntasks++] = (struct fl_join_place){
				w->tracks[i].begin, i, 0
			};
	fl_sort_nearly(places, w->ntasks, sizeof(*places), by_begin);
	for (size_t i = 0; i < w->ntasks; i++)
		w->tasks[i] = places[i].track;
	fl_free(places);
	return true;
}

static bool measure_all(struct fl_join_work *w)
{
	struct gap *scratch = fl_zeroed(w->nordered + 1, sizeof(*scratch));
	const struct fl_join_track *best;

	if (!scratch)
		return false;
	for (size_t i = 0; i < w->ntracks; i++)
		measure(w, &w->tracks[i], scratch);
	fl_free(scratch);
	best = longest(w);
	for (size_t i = 0; i < w->ntracks; i++) {
		struct fl_join_track *t = &w->tracks[i];

		if (!t->worker && !t->interval)
			t->interval = best ? best->interval : DEFAULT_INTERVAL;
		if (!t->worker)
			measure_span(w, t);
	}
	return list_tasks(w);
}

/* Passes over the samples of workers, in the order of time --------------- */

/* A wait weighs less by what joined samples stand for. */
static void replace(struct fl_join_work *w, struct fl_join_track *t, size_t i)
{
	struct flame_sample *s = &item_at(w, t, i)->sample;
	double n = t->covered / t->interval + 0.5;
	int64_t weight = n < 1 ? 0 : n < (double)s->weight ? (int64_t)n :
							    s->weight;

	s->weight -= weight;
	w->counts.replaced += weight;
	t->covered = FL_MIN(t->covered - (double)weight * t->interval,
			    MAX_EXCESS * t->interval);
}

/* Items that begin until a time. */
static void advance(struct fl_join_work *w, struct fl_join_track *t,
		    int64_t time, bool joins)
{
	for (; t->cursor < t->n &&
	       item_at(w, t, t->cursor)->sample.time <= time; t->cursor++) {
		if (joins && t->cursor && t->wait == t->cursor)
			replace(w, t, t->cursor - 1);
		if (item_at(w, t, t->cursor)->trunk)
			t->wait = t->cursor + 1;
	}
}

static void end_task(struct fl_join_work *w, struct fl_join_track *t,
		     bool joins)
{
	advance(w, t, INT64_MAX, joins);
	if (joins && t->wait == t->n)
		replace(w, t, t->n - 1);
}

static bool waits(const struct fl_join_work *w, const struct fl_join_track *t,
		  int64_t time)
{
	return t->cursor && t->wait == t->cursor &&
	       time < end_of_wait(w, t, t->cursor - 1);
}

static void begin_pass(struct fl_join_work *w)
{
	w->next_task = w->nactive = 0;
	for (size_t i = 0; i < w->ntracks; i++)
		w->tracks[i].cursor = w->tracks[i].wait = 0;
}

/* The tasks whose span has the time. */
static void go_to(struct fl_join_work *w, int64_t time, bool joins)
{
	size_t n = 0;

	for (; w->next_task < w->ntasks &&
	       w->tracks[w->tasks[w->next_task]].begin <= time; w->next_task++)
		w->active[w->nactive++] = w->tasks[w->next_task];
	for (size_t i = 0; i < w->nactive; i++) {
		struct fl_join_track *t = &w->tracks[w->active[i]];

		if (t->end > time) {
			advance(w, t, time, joins);
			w->active[n++] = w->active[i];
		} else {
			end_task(w, t, joins);
		}
	}
	w->nactive = n;
}

/* Fits -------------------------------------------------------------------- */

static struct fl_join_fit *fit_of(struct fl_join_work *w, uint32_t worker,
				  uint32_t task)
{
	uint64_t *place = fl_map_put(&w->fit_index, (uint64_t)worker << 32 |
						    task, NULL);

	if (!place || !fl_grow(&w->fits, &w->fits_capacity, w->nfits + 1,
			       sizeof(*w->fits)))
		return NULL;
	if (!*place) {
		w->fits[w->nfits] = (struct fl_join_fit){
			.task = task, .worker = worker,
			.metric = w->tracks[worker].metric,
			.next = w->tracks[task].fit,
		};
		*place = ++w->nfits;
		w->tracks[task].fit = *place;
	}
	return &w->fits[*place - 1];
}

static bool count_fits(struct fl_join_work *w)
{
	begin_pass(w);
	for (size_t i = 0; i < w->nbusy; i++) {
		const struct fl_join_place *at = &w->busy[i];

		go_to(w, at->time, false);
		for (size_t k = 0; k < w->nactive; k++) {
			struct fl_join_fit *fit;

			if (is_elsewhere(w, at->track, w->active[k]))
				continue;
			fit = fit_of(w, at->track, w->active[k]);
			if (!fit)
				return false;
			fit->busy++;
			fit->both += waits(w, &w->tracks[w->active[k]],
					   at->time);
		}
	}
	return true;
}

static double score(const struct fl_join_fit *fit)
{
	return (double)fit->both * (double)fit->both / (double)fit->busy;
}

/*
 * The waits of a task are for a worker that fits them twice as well as each
 * other one does.
 */
static void judge(struct fl_join_work *w, size_t first, flame_id metric)
{
	struct fl_join_fit *best = NULL, *fit;
	double second = 0;

	for (size_t i = first; i; i = fit->next) {
		fit = &w->fits[i - 1];
		if (fit->metric != metric)
			continue;
		if (!best || score(fit) > score(best)) {
			second = best ? score(best) : 0;
			best = fit;
		} else {
			second = FL_MAX(second, score(fit));
		}
	}
	if (!best || best->both < MIN_EVIDENCE || score(best) < 2 * second)
		return;
	for (size_t i = first; i; i = fit->next) {
		fit = &w->fits[i - 1];
		fit->owner |= fit == best;
		fit->excluded |= fit != best && fit->metric == metric;
	}
}

static void judge_all(struct fl_join_work *w)
{
	for (size_t i = 0; i < w->ntasks; i++) {
		size_t first = w->tracks[w->tasks[i]].fit;

		for (size_t k = first; k; k = w->fits[k - 1].next)
			if (!w->fits[k - 1].owner && !w->fits[k - 1].excluded)
				judge(w, first, w->fits[k - 1].metric);
	}
}

/* Joining ----------------------------------------------------------------- */

/* Active tasks that may be the worker's: those that wait, or else all. */
static void find_tasks(struct fl_join_work *w, const struct fl_join_place *at)
{
	uint32_t owned = 0;
	size_t nowned = 0;

	w->nfound = w->npossible = 0;
	for (size_t i = 0; i < w->nactive; i++)
		w->npossible += !is_elsewhere(w, at->track, w->active[i]);
	for (int waiting = 1; waiting >= 0 && !w->nfound; waiting--)
		for (size_t i = 0; i < w->nactive; i++) {
			uint32_t task = w->active[i];
			const struct fl_join_fit *fit =
				is_elsewhere(w, at->track, task) ? NULL :
				fit_of(w, at->track, task);

			if (!fit || fit->excluded ||
			    (waiting && !waits(w, &w->tracks[task], at->time)))
				continue;
			w->found[w->nfound++] = task;
			if (fit->owner) {
				owned = task;
				nowned++;
			}
		}
	if (nowned == 1) {
		w->found[0] = owned;
		w->nfound = 1;
	}
}

/* Stacks up to it, root first, in scratch memory from `from` on. */
static size_t list_stacks(struct fl_join_work *w, flame_id stack, size_t from)
{
	size_t n = from;

	for (; stack; stack = fl_parent(w->flame, stack)) {
		if (!fl_grow(&w->path, &w->path_capacity, n + 1,
			     sizeof(*w->path)))
			return from;
		w->path[n++] = stack;
	}
	for (size_t i = from, end = n; i + 1 < end; i++, end--) {
		flame_id other = w->path[i];

		w->path[i] = w->path[end - 1];
		w->path[end - 1] = other;
	}
	return n;
}

/* The part of a stack that another one has, too, however its frames ran. */
static flame_id common(struct fl_join_work *w, flame_id a, flame_id b)
{
	uint64_t *known = fl_map_put(&w->commons, (uint64_t)a << 32 | b, NULL);
	const struct flame *flame = w->flame;
	size_t n, end, i = 0;

	if (!known) {
		fl_no_memory(w->flame);
		return 0;
	}
	if (*known)
		return (flame_id)(*known - 1);
	n = list_stacks(w, a, 0);
	end = list_stacks(w, b, n);
	while (i < n && n + i < end &&
	       fl_frame_at(flame, w->path[i])->name ==
	       fl_frame_at(flame, w->path[n + i])->name)
		i++;
	*known = (i ? (uint64_t)w->path[i - 1] : 0) + 1;
	return (flame_id)(*known - 1);
}

static const struct fl_join_item *last_wait(const struct fl_join_work *w,
					    uint32_t task)
{
	const struct fl_join_track *t = &w->tracks[task];

	return item_at(w, t, t->wait ? t->wait - 1 : 0);
}

/* 0: the tasks are of several stages, or have nothing in common. */
static flame_id trunk_of(struct fl_join_work *w)
{
	flame_id trunk = last_wait(w, w->found[0])->trunk;
	flame_id stage = w->tracks[w->found[0]].stage;

	for (size_t i = 1; i < w->nfound; i++) {
		if (!stage || w->tracks[w->found[i]].stage != stage)
			return 0;
		trunk = common(w, trunk, last_wait(w, w->found[i])->trunk);
	}
	return trunk;
}

/* Frames of the worker, leaf first, without py-spy's of processes. */
static size_t list_frames(struct fl_join_work *w, flame_id stack)
{
	struct flame *flame = w->flame;
	size_t n = 0, all;

	for (; stack; stack = fl_parent(flame, stack)) {
		if (!fl_grow(&w->path, &w->path_capacity, n + 2,
			     sizeof(*w->path)))
			return 0;
		w->path[n++] = fl_frame_id(flame, stack);
	}
	for (all = n; n && fl_slice_starts(fl_name_at(flame,
			flame->frames.data[w->path[n - 1]].name), "process ");)
		n--;
	return n ? n : all;
}

static bool is_python(struct slice name)
{
	return fl_slice_starts(name, "python") || fl_slice_starts(name, "pypy");
}

/* The stack of a worker on a trunk, with a frame of its process between. */
static flame_id stand_on(struct fl_join_work *w, flame_id trunk, flame_id stack)
{
	uint64_t *known = fl_map_put(&w->stacks, (uint64_t)trunk << 32 | stack,
				     NULL);
	struct flame *flame = w->flame;
	size_t n;

	if (!known) {
		fl_no_memory(flame);
		return 0;
	}
	if (*known)
		return (flame_id)*known;
	n = list_frames(w, stack);
	if (n && !is_python(fl_name_at(flame,
			flame->frames.data[w->path[n - 1]].name)))
		w->path[n++] = fl_frame(flame, fl_name(flame, "python"),
					FLAME_GROUP);
	while (n--)
		trunk = flame_stack(flame, trunk, w->path[n]);
	*known = trunk;
	return trunk;
}

static flame_id with_labels(struct flame *flame, flame_id set,
			    const struct flame_sample *wait, bool one)
{
	static const char *const keys[] = {
		"app", "executor", "host", "container", "stage", "epoch",
		"task", "partition", "attempt",
	};
	const size_t n = one ? FL_COUNT(keys) : 4;

	for (size_t i = 0; i < n; i++) {
		flame_id key = fl_name(flame, keys[i]);
		flame_id value = flame_label_get(flame, wait->labels, key);

		if (value)
			set = flame_label(flame, set, key, value);
	}
	return set;
}

/* A sample of a worker is a wait less of each task that it may be of. */
static void cover(struct fl_join_work *w, const struct fl_join_place *at,
		  const struct flame_sample *s)
{
	double time = (double)s->weight * w->tracks[at->track].interval;

	for (size_t i = 0; i < w->nfound; i++) {
		struct fl_join_track *t = &w->tracks[w->found[i]];

		if (waits(w, t, at->time) &&
		    last_wait(w, w->found[i])->sample.metric == s->metric)
			t->covered += time / (double)w->nfound;
	}
}

static void not_joined(struct fl_join_work *w, struct flame_sample *s)
{
	flame_id frame = fl_frame(w->flame, fl_name(w->flame,
						    "[worker not joined]"),
				  FLAME_GROUP);

	w->counts.none += s->weight;
	if (w->nfound)
		w->counts.other_stages += s->weight;
	s->stack = stand_on(w, flame_stack(w->flame, 0, frame), s->stack);
}

static void join(struct fl_join_work *w, const struct fl_join_place *at)
{
	struct flame_sample *s = &w->items[at->item].sample;
	const struct flame_sample *wait;
	flame_id trunk;

	find_tasks(w, at);
	trunk = w->nfound ? trunk_of(w) : 0;
	if (!trunk) {
		not_joined(w, s);
		return;
	}
	cover(w, at, s);
	wait = &last_wait(w, w->found[0])->sample;
	*(w->nfound > 1 ? &w->counts.shared : w->npossible > 1 ?
	  &w->counts.fitting : &w->counts.one) += s->weight;
	s->stack = stand_on(w, trunk, s->stack);
	s->labels = with_labels(w->flame, s->labels, wait, w->nfound == 1);
	s->thread = w->nfound == 1 ? wait->thread : 0;
}

static int join_all(struct fl_join_work *w)
{
	begin_pass(w);
	for (size_t i = 0; i < w->nbusy && !fl_failed(w->flame); i++) {
		go_to(w, w->busy[i].time, true);
		join(w, &w->busy[i]);
	}
	for (size_t i = 0; i < w->nactive; i++)
		end_task(w, &w->tracks[w->active[i]], true);
	return fl_failed(w->flame) ? FLAME_FAILED : FLAME_OK;
}

/* Times of a trace -------------------------------------------------------- */

/*
 * py-spy's trace has durations: they become as many samples as the executor's
 * sampler would have made of them, of the metric of its waits.
 */
static void convert(struct fl_join_work *w, struct fl_join_track *t,
		    const struct fl_join_track *like, flame_id metric)
{
	double exact = 0;

	for (size_t i = 0; i < t->n; i++) {
		struct flame_sample *s = &item_at(w, t, i)->sample;

		exact += (double)s->weight / like->interval;
		s->weight = (int64_t)(exact + 0.5);
		exact -= (double)s->weight;
		s->metric = metric;
	}
	t->metric = metric;
	t->interval = like->interval;
}

static void convert_all(struct fl_join_work *w)
{
	const struct fl_join_track *like = longest(w);
	flame_id metric = like ? metric_of_waits(w, like) : 0;

	for (size_t i = 0; metric && i < w->ntracks; i++) {
		struct fl_join_track *t = &w->tracks[i];

		if (t->worker && t->metric &&
		    strcmp(flame_metric_of(w->flame, t->metric)->name,
			   "time") == 0)
			convert(w, t, like, metric);
	}
}

static void count_samples(struct fl_join_work *w)
{
	for (size_t i = 0; i < w->count; i++) {
		const struct fl_join_item *item = &w->items[i];

		if (!item->worker)
			continue;
		w->counts.samples += item->sample.weight;
		if (!item->busy)
			w->counts.idle += item->sample.weight;
	}
}

int fl_join_work(struct fl_join_work *w)
{
	if (!make_tracks(w) || !measure_all(w))
		return fl_no_memory(w->flame);
	convert_all(w);
	count_samples(w);
	if (!count_fits(w))
		return fl_no_memory(w->flame);
	judge_all(w);
	return join_all(w);
}

void fl_join_work_free(struct fl_join_work *w)
{
	fl_free(w->items);
	fl_free(w->tracks);
	fl_map_free(&w->index);
	fl_free(w->order);
	fl_free(w->busy);
	fl_free(w->tasks);
	fl_free(w->active);
	fl_free(w->found);
	fl_free(w->fits);
	fl_map_free(&w->fit_index);
	fl_map_free(&w->stacks);
	fl_map_free(&w->commons);
	fl_free(w->path);
}
