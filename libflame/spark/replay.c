/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the schedule of an application from the tables of its log: what waits
 * for what, and the driver's time between.  what_if.c calls fl_replay_make();
 * replay_run.c runs the schedule, and critical.c finds its critical path.
 */
#include "fl.h"

#include "spark/bill.h"
#include "spark/replay.h"

#include <stdlib.h>

/* A stream's batch that begins later than this waited for its trigger. */
#define TRIGGER_NS INT64_C(1000000000)

/* Lists ------------------------------------------------------------------- */

/* A pair to sort by. */
struct pair {
	int64_t key, second;
	size_t at;
};

static int by_key(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->second != y->second)
		return x->second < y->second ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

static void sort(struct pair *pairs, size_t n)
{
	if (n)
		qsort(pairs, n, sizeof(*pairs), by_key);
}

static const struct fl_spark_job *job_at(const struct fl_replay *r, size_t i)
{
	return &r->spark->jobs[r->jobs[i]];
}

/* A job that the log does not end goes on until the log's end. */
static int64_t job_end(const struct fl_replay *r, size_t i)
{
	const struct fl_spark_job *job = job_at(r, i);

	return job->end ? job->end : FL_MAX(r->until, job->start);
}

static bool list_jobs(struct fl_replay *r)
{
	const struct fl_spark *spark = r->spark;
	struct pair *pairs = fl_zeroed(spark->njobs + 1, sizeof(*pairs));

	r->jobs = fl_zeroed(spark->njobs + 1, sizeof(*r->jobs));
	for (size_t i = 0; pairs && i < spark->njobs; i++)
		if (spark->jobs[i].app == r->app && spark->jobs[i].start)
			pairs[r->njobs++] = (struct pair){
				spark->jobs[i].start, spark->jobs[i].id, i,
			};
	if (pairs)
		sort(pairs, r->njobs);
	for (size_t i = 0; pairs && r->jobs && i < r->njobs; i++)
		r->jobs[i] = pairs[i].at;
	fl_free(pairs);
	return pairs && r->jobs;
}

/* The largest number of tasks at once, where the log has no cores of it. */
static int64_t slots_of(const struct fl_spark *spark,
			const struct fl_spark_executor *e)
{
	int64_t slots = e->cores;

	for (size_t i = 0; !e->cores && i < e->nspans; i++)
		slots = FL_MAX(slots, (int64_t)spark->spans[e->first_span +
							    i].ntasks);
	return slots;
}

/*
 * From the arrival of an executor to its first task, where that was waiting:
 * a busy driver launches it seconds later.
 */
static int64_t settle_of(const struct fl_spark *spark,
			 const struct fl_spark_executor *e)
{
	const struct fl_spark_task *first = e->tasks;
	int64_t submitted = e->ntasks ? spark->stages[first->stage].submitted :
					0;

	if (!e->added || !submitted || submitted > e->added || first->attempt)
		return 0;
	return FL_MAX(first->start - e->added, 0);
}

static bool list_executors(struct fl_replay *r)
{
	const struct fl_spark *spark = r->spark;
	struct pair *pairs = fl_zeroed(spark->nexecutors + 1, sizeof(*pairs));

	r->executors = fl_zeroed(spark->nexecutors + 1, sizeof(*r->executors));
	r->slots = fl_zeroed(spark->nexecutors + 1, sizeof(*r->slots));
	r->settle = fl_zeroed(spark->nexecutors + 1, sizeof(*r->settle));
	for (size_t i = 0; pairs && i < spark->nexecutors; i++) {
		const struct fl_spark_executor *e = &spark->executors[i];

		if (e->app == r->app)
			pairs[r->nexecutors++] = (struct pair){
				e->added ? e->added : r->begin, (int64_t)i, i,
			};
	}
	if (pairs)
		sort(pairs, r->nexecutors);
	for (size_t i = 0; pairs && r->executors && r->slots && r->settle &&
			   i < r->nexecutors; i++) {
		const struct fl_spark_executor *e =
			&spark->executors[pairs[i].at];

		r->executors[i] = pairs[i].at;
		r->slots[i] = slots_of(spark, e);
		r->settle[i] = settle_of(spark, e);
	}
	fl_free(pairs);
	return pairs && r->executors && r->slots && r->settle;
}

/* Stages and tasks -------------------------------------------------------- */

/* Attempts that the log submits or that have tasks; these are counted. */
static bool list_stages(struct fl_replay *r)
{
	const struct fl_spark *spark = r->spark;
	size_t *counts = fl_zeroed(spark->nstages + 1, sizeof(*counts));

	r->local = fl_zeroed(spark->nstages + 1, sizeof(*r->local));
	r->stages = fl_zeroed(spark->nstages + 1, sizeof(*r->stages));
	if (!counts || !r->local || !r->stages) {
		fl_free(counts);
		return false;
	}
	for (size_t e = 0; e < r->nexecutors; e++) {
		const struct fl_spark_executor *from =
			&spark->executors[r->executors[e]];

		for (size_t i = 0; i < from->ntasks; i++)
			counts[from->tasks[i].stage]++;
	}
	for (size_t i = 0; i < spark->nstages; i++) {
		if (spark->stages[i].app != r->app ||
		    (!counts[i] && !spark->stages[i].submitted))
			continue;
		r->stages[r->nstages] = (struct fl_replay_stage){
			.stage = i, .first = r->ntasks, .job = UINT32_MAX,
			.submitted = spark->stages[i].submitted,
		};
		r->local[i] = (uint32_t)++r->nstages;
		r->ntasks += counts[i];
	}
	fl_free(counts);
	return r->ntasks < UINT32_MAX - 1;
}

static int by_launch(const void *a, const void *b)
{
	const struct fl_replay_task *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

static bool list_tasks(struct fl_replay *r)
{
	const struct fl_spark *spark = r->spark;

	r->tasks = fl_zeroed(r->ntasks + 1, sizeof(*r->tasks));
	for (size_t e = 0; r->tasks && e < r->nexecutors; e++) {
		const struct fl_spark_executor *from =
			&spark->executors[r->executors[e]];

		for (size_t i = 0; i < from->ntasks; i++) {
			const struct fl_spark_task *task = &from->tasks[i];
			uint32_t stage = r->local[task->stage] - 1;
			struct fl_replay_stage *s = &r->stages[stage];
			int64_t end = FL_MIN(task->end, r->until);

			r->tasks[s->first + s->ntasks++] =
				(struct fl_replay_task){
				.start = task->start, .stage = stage,
				.length = FL_MAX(end - task->start, 0),
				.executor = (uint32_t)r->executors[e],
				.at = (uint32_t)i, .id = (uint32_t)task->id,
			};
		}
	}
	return r->tasks;
}

static const struct fl_spark_task *of_row(const struct fl_replay *r,
					  const struct fl_replay_task *task)
{
	return &r->spark->executors[task->executor].tasks[task->at];
}

/*
 * What a stage ends with: the tasks that succeeded; where it failed, all that
 * had ended by then; where the log does not end it, all of them.
 */
static bool is_needed(const struct fl_replay *r,
		      const struct fl_spark_stage *of,
		      const struct fl_replay_task *task)
{
	if (!of->completed)
		return true;
	if (*of->failure)
		return task->start + task->length <= of->completed;
	return of_row(r, task)->ok;
}

/* Attempts of one partition follow one another, or run side by side. */
static bool chain_attempts(struct fl_replay *r, struct fl_replay_stage *s,
			   struct fl_map *last)
{
	if ((int64_t)s->ntasks <= r->spark->stages[s->stage].ntasks)
		return true;
	fl_map_clear(last);
	for (size_t i = s->first; i < s->first + s->ntasks; i++) {
		struct fl_replay_task *task = &r->tasks[i];
		uint64_t *at = fl_map_put(last, (uint64_t)of_row(r, task)->
						partition, NULL);

		if (!at)
			return false;
		if (*at) {
			struct fl_replay_task *before = &r->tasks[*at - 1];

			before->next = (uint32_t)i + 1;
			task->later = true;
			task->beside = before->start + before->length >
				       task->start;
		}
		*at = i + 1;
	}
	return true;
}

/* Since when, until the first launch of a stage, a core was free. */
static int64_t free_since(const struct fl_replay *r, int64_t from, int64_t time)
{
	int64_t since = time;

	for (size_t i = 0; i < r->nexecutors && since > from; i++) {
		const struct fl_spark *spark = r->spark;
		const struct fl_spark_executor *e =
			&spark->executors[r->executors[i]];
		const struct fl_spark_span *spans = spark->spans +
						    e->first_span;
		size_t low = 0, high = e->nspans;
		int64_t free = time;

		if (e->removed < time || e->added > time)
			continue;
		while (low < high) {
			size_t middle = low + (high - low) / 2;

			if (spans[middle].start < time)
				low = middle + 1;
			else
				high = middle;
		}
		while (low && spans[low - 1].ntasks < r->slots[i] &&
		       free > from)
			free = spans[--low].start;
		if (!low)
			free = from;
		since = FL_MIN(since, FL_MAX(free, e->added + r->settle[i]));
	}
	return since;
}

static void time_stage(struct fl_replay *r, struct fl_replay_stage *s)
{
	const struct fl_spark_stage *of = &r->spark->stages[s->stage];
	int64_t last = 0, all = 0;

	for (size_t i = s->first; i < s->first + s->ntasks; i++) {
		struct fl_replay_task *task = &r->tasks[i];
		int64_t end = task->start + task->length;

		all = FL_MAX(all, end);
		task->needed = is_needed(r, of, task);
		if (!task->needed)
			continue;
		s->needed++;
		last = FL_MAX(last, end);
	}
	if (!s->submitted)
		s->submitted = s->ntasks ? r->tasks[s->first].start : r->begin;
	last = FL_MAX(last, s->submitted);
	s->done = FL_MAX(of->completed ? of->completed : FL_MAX(all, last),
			 s->submitted);
	s->tail = FL_MAX(s->done - last, 0);
	/* A barrier stage waits for more than one core. */
	if (s->ntasks && !of->barrier) {
		int64_t launch = r->tasks[s->first].start;

		s->lead = FL_MAX(launch - FL_MAX(s->submitted, free_since(
				 r, s->submitted, launch)), 0);
	}
}

static bool finish_stages(struct fl_replay *r)
{
	struct fl_map last = { 0 };
	bool good = true;

	for (size_t i = 0; good && i < r->nstages; i++) {
		struct fl_replay_stage *s = &r->stages[i];

		if (s->ntasks > 1)
			qsort(r->tasks + s->first, s->ntasks,
			      sizeof(*r->tasks), by_launch);
		good = chain_attempts(r, s, &last);
		time_stage(r, s);
	}
	fl_map_free(&last);
	return good;
}

/* The job that ran a stage: the first that has it and ran then. */
static bool place_stages(struct fl_replay *r)
{
	const struct fl_spark *spark = r->spark;
	struct pair *pairs;
	size_t n = 0, at = 0;

	for (size_t i = 0; i < r->njobs; i++)
		n += job_at(r, i)->nstages;
	pairs = fl_zeroed(n + 1, sizeof(*pairs));
	if (!pairs)
		return false;
	for (size_t i = 0; i < r->njobs; i++)
		for (size_t k = 0; k < job_at(r, i)->nstages; k++)
			pairs[at++] = (struct pair){
				spark->ids[job_at(r, i)->first_stage + k],
				(int64_t)i, i,
			};
	sort(pairs, n);
	for (size_t i = 0; i < r->nstages; i++) {
		struct fl_replay_stage *s = &r->stages[i];
		int64_t id = spark->stages[s->stage].id;
		size_t low = 0, high = n;

		while (low < high) {
			size_t middle = low + (high - low) / 2;

			if (pairs[middle].key < id)
				low = middle + 1;
			else
				high = middle;
		}
		for (; low < n && pairs[low].key == id; low++) {
			size_t job = pairs[low].at;

			if (job_at(r, job)->start <= s->submitted &&
			    s->submitted <= job_end(r, job)) {
				s->job = (uint32_t)job;
				break;
			}
		}
	}
	fl_free(pairs);
	return true;
}

/* Jobs in the order of their ids, then their stages: first in, first out. */
static bool rank_stages(struct fl_replay *r)
{
	struct pair *pairs = fl_zeroed(r->nstages + 1, sizeof(*pairs));
	struct fl_map pools = { 0 };
	bool good = pairs;

	for (size_t i = 0; good && i < r->nstages; i++) {
		struct fl_replay_stage *s = &r->stages[i];
		const struct fl_spark_stage *of = &r->spark->stages[s->stage];
		uint64_t *pool = fl_map_put(&pools, fl_hash(of->pool,
					    strlen(of->pool)), NULL);

		pairs[i] = (struct pair){
			s->job == UINT32_MAX ? INT64_MAX :
					       job_at(r, s->job)->id,
			of->id, i,
		};
		good = pool;
		if (!good)
			break;
		if (!*pool)
			*pool = ++r->npools;
		s->pool = (uint32_t)*pool - 1;
	}
	if (good)
		sort(pairs, r->nstages);
	for (size_t i = 0; good && i < r->nstages; i++)
		r->stages[pairs[i].at].rank = (uint32_t)i;
	fl_free(pairs);
	fl_map_free(&pools);
	return good;
}

/* Nodes ------------------------------------------------------------------- */

/* Events later in the log are not waited for. */
static bool wait_for(struct fl_replay *r, size_t node, size_t before)
{
	struct fl_replay_node *to = &r->nodes[node];

	if (r->nodes[before].time > to->time || node == before)
		return true;
	if (!fl_grow(&r->pairs, &r->pairs_capacity, r->npairs + 1,
		     sizeof(*r->pairs)))
		return false;
	r->pairs[r->npairs++] = (struct fl_replay_edge){
		(uint32_t)before, (uint32_t)node,
	};
	to->waits++;
	if (!to->bound ||
	    r->nodes[before].time > r->nodes[to->bound - 1].time)
		to->bound = (uint32_t)before + 1;
	return true;
}

static int64_t removed_at(const struct fl_replay *r, size_t executor)
{
	int64_t removed = r->spark->executors[r->executors[executor]].removed;

	return removed ? removed : INT64_MAX;
}

static void time_nodes(struct fl_replay *r)
{
	for (size_t i = 0; i < r->nnodes; i++)
		r->nodes[i].floor = INT64_MIN;
	for (size_t i = 0; i < r->njobs; i++) {
		r->nodes[fl_replay_start(r, i)].time = job_at(r, i)->start;
		r->nodes[fl_replay_end(r, i)].time = job_end(r, i);
	}
	for (size_t i = 0; i < r->nstages; i++) {
		r->nodes[fl_replay_submit(r, i)].time = r->stages[i].submitted;
		r->nodes[fl_replay_done(r, i)].time = r->stages[i].done;
	}
	for (size_t i = 0; i < r->nexecutors; i++) {
		int64_t added = r->spark->executors[r->executors[i]].added;

		r->nodes[fl_replay_added(r, i)].time = added ? added :
							       r->begin;
		r->nodes[fl_replay_removed(r, i)].time = removed_at(r, i);
	}
	r->nodes[fl_replay_last(r)].time = r->until;
}

/*
 * A job waits for those that had ended when it began: of its own query, if
 * there are any, which adaptive execution runs one after another; else of all.
 * A moment for each job stands for it and those that ended before, so that
 * there are few edges: of all jobs, and of those of one query.
 */
struct ends {
	struct pair *jobs;	/* by end */
	struct fl_map queries;	/* -> the last moment, plus one */
	size_t n;
};

static bool add_end(struct fl_replay *r, struct ends *ends, size_t i)
{
	const size_t job = ends->jobs[i].at, all = 2 * r->njobs + i;
	const size_t own = all + r->njobs;
	const int64_t sql = job_at(r, job)->sql;
	uint64_t *last;

	r->nodes[all].time = r->nodes[own].time = job_end(r, job);
	if (!wait_for(r, all, fl_replay_end(r, job)) ||
	    (i && !wait_for(r, all, all - 1)))
		return false;
	if (sql < 0)
		return true;
	last = fl_map_put(&ends->queries, (uint64_t)sql + 1, NULL);
	if (!last || !wait_for(r, own, fl_replay_end(r, job)) ||
	    (*last && !wait_for(r, own, (size_t)*last - 1)))
		return false;
	*last = own + 1;
	return true;
}

/* A batch of a stream that was triggered later begins no sooner. */
static void set_floor(struct fl_replay *r, size_t job, size_t before)
{
	struct fl_replay_node *node = &r->nodes[fl_replay_start(r, job)];

	if (job_at(r, job)->batch < 0 ||
	    node->time - r->nodes[before].time < TRIGGER_NS)
		return;
	node->floor = node->time;
	r->nodes[fl_replay_last(r)].floor = r->until;
}

static bool start_job(struct fl_replay *r, struct ends *ends, size_t job)
{
	const int64_t sql = job_at(r, job)->sql;
	uint64_t *own = sql < 0 ? NULL :
		fl_map_get(&ends->queries, (uint64_t)sql + 1);
	size_t all = 2 * r->njobs + ends->n - 1;

	if (own)
		return wait_for(r, fl_replay_start(r, job), (size_t)*own - 1);
	if (!ends->n)
		return true;
	set_floor(r, job, all);
	return wait_for(r, fl_replay_start(r, job), all);
}

static bool link_jobs(struct fl_replay *r)
{
	struct ends ends = {
		.jobs = fl_zeroed(r->njobs + 1, sizeof(*ends.jobs)),
	};
	bool good = ends.jobs;

	for (size_t i = 0; good && i < r->njobs; i++)
		ends.jobs[i] = (struct pair){ job_end(r, i), (int64_t)i, i };
	if (good)
		sort(ends.jobs, r->njobs);
	for (size_t i = 0; good && i < r->njobs; i++) {
		while (good && ends.n < r->njobs &&
		       ends.jobs[ends.n].key <= job_at(r, i)->start &&
		       ends.jobs[ends.n].at != i)
			good = add_end(r, &ends, ends.n++);
		good = good && start_job(r, &ends, i);
		good = good && wait_for(r, fl_replay_end(r, i),
					fl_replay_start(r, i));
	}
	while (good && ends.n < r->njobs)
		good = add_end(r, &ends, ends.n++);
	if (good && r->njobs)
		good = wait_for(r, fl_replay_last(r), 3 * r->njobs - 1);
	fl_free(ends.jobs);
	fl_map_free(&ends.queries);
	return good;
}

/* The attempt of its job that ended last before an attempt was submitted. */
static size_t ended_before(const struct fl_replay *r, size_t stage)
{
	const struct fl_replay_stage *s = &r->stages[stage];
	size_t best = FL_SPARK_NONE;

	for (size_t i = 0; i < r->nstages; i++)
		if (i != stage && r->stages[i].job == s->job &&
		    r->stages[i].done <= s->submitted &&
		    (best == FL_SPARK_NONE ||
		     r->stages[i].done > r->stages[best].done))
			best = i;
	return best;
}

/* attempts: of each id, one after another. */
static bool wait_for_parents(struct fl_replay *r, size_t stage,
			     const struct fl_map *heads, const uint32_t *next)
{
	const struct fl_spark_stage *of =
		&r->spark->stages[r->stages[stage].stage];

	for (size_t i = 0; i < of->nparents; i++) {
		const uint64_t *head = fl_map_get(heads, (uint64_t)
			r->spark->ids[of->first_parent + i] + 1);

		for (uint64_t at = head ? *head : 0; at; at = next[at - 1])
			if (!wait_for(r, fl_replay_submit(r, stage),
				      fl_replay_done(r, (size_t)at - 1)))
				return false;
	}
	return true;
}

static bool link_stage(struct fl_replay *r, size_t i,
		       const struct fl_map *heads, const uint32_t *next)
{
	const struct fl_replay_stage *s = &r->stages[i];
	const size_t submit = fl_replay_submit(r, i);
	size_t before;

	/* Of a log without its beginning, or of a part of one. */
	if (s->job == UINT32_MAX &&
	    !wait_for(r, fl_replay_last(r), fl_replay_done(r, i)))
		return false;
	if (s->job != UINT32_MAX &&
	    (!wait_for(r, submit, fl_replay_start(r, s->job)) ||
	     !wait_for(r, fl_replay_end(r, s->job), fl_replay_done(r, i))))
		return false;
	if (!r->spark->stages[s->stage].attempt)
		return wait_for_parents(r, i, heads, next);
	before = ended_before(r, i);
	return before == FL_SPARK_NONE ||
	       wait_for(r, submit, fl_replay_done(r, before));
}

/*
 * Stages of no job that is known waited for the one that ended before them; not
 * for one without any duration, so that two of a moment never wait for each
 * other.
 */
static bool link_jobless(struct fl_replay *r)
{
	struct pair *ends = fl_zeroed(r->nstages + 1, sizeof(*ends));
	struct pair *begins = fl_zeroed(r->nstages + 1, sizeof(*begins));
	bool good = ends && begins;
	size_t n = 0, nends = 0, ended = 0;

	for (size_t i = 0; good && i < r->nstages; i++) {
		const struct fl_replay_stage *s = &r->stages[i];

		if (s->job != UINT32_MAX)
			continue;
		if (s->submitted < s->done)
			ends[nends++] = (struct pair){ s->done, (int64_t)i, i };
		begins[n++] = (struct pair){ s->submitted, (int64_t)i, i };
	}
	if (good) {
		sort(ends, nends);
		sort(begins, n);
	}
	for (size_t i = 0; good && i < n; i++) {
		while (ended < nends && ends[ended].key <= begins[i].key)
			ended++;
		good = !ended || wait_for(
			r, fl_replay_submit(r, begins[i].at),
			fl_replay_done(r, ends[ended - 1].at));
	}
	fl_free(ends);
	fl_free(begins);
	return good;
}

static bool link_stages(struct fl_replay *r)
{
	struct fl_map heads = { 0 };
	uint32_t *next = fl_zeroed(r->nstages + 1, sizeof(*next));
	bool good = next;

	for (size_t i = 0; good && i < r->nstages; i++) {
		uint64_t *head = fl_map_put(&heads, (uint64_t)r->spark->stages[
					    r->stages[i].stage].id + 1, NULL);

		good = head;
		if (!good)
			break;
		next[i] = (uint32_t)*head;
		*head = i + 1;
	}
	for (size_t i = 0; good && i < r->nstages; i++)
		good = link_stage(r, i, &heads, next);
	fl_map_free(&heads);
	fl_free(next);
	return good && link_jobless(r);
}

/* The last node of n that is before a time; n: none. */
static size_t last_before(const struct fl_replay *r, size_t first, size_t n,
			  int64_t time)
{
	size_t best = n;

	for (size_t i = 0; i < n; i++)
		if (r->nodes[first + i].time <= time &&
		    (best == n || r->nodes[first + i].time >
				  r->nodes[first + best].time))
			best = i;
	return best;
}

/*
 * With dynamic allocation executors come some time after a stage waits for
 * them, and go some time after one has ended; others as they did.
 */
static bool link_executors(struct fl_replay *r)
{
	const bool dynamic = r->spark->apps[r->app].dynamic;

	for (size_t i = 0; dynamic && i < r->nexecutors; i++) {
		size_t added = fl_replay_added(r, i);
		size_t removed = fl_replay_removed(r, i);
		size_t stage = last_before(r, fl_replay_submit(r, 0),
					   r->nstages, r->nodes[added].time);

		if (stage < r->nstages &&
		    !wait_for(r, added, fl_replay_submit(r, stage)))
			return false;
		if (r->nodes[removed].time == INT64_MAX ||
		    fl_spark_is_lost(r->spark,
				     &r->spark->executors[r->executors[i]]))
			continue;
		stage = last_before(r, fl_replay_done(r, 0), r->nstages,
				    r->nodes[removed].time);
		if (stage < r->nstages &&
		    !wait_for(r, removed, fl_replay_done(r, stage)))
			return false;
	}
	return true;
}

/* Delays, and the nodes that wait for each. */
static bool finish_nodes(struct fl_replay *r)
{
	uint32_t at = 0;

	r->edges = fl_zeroed(r->npairs + 1, sizeof(*r->edges));
	if (!r->edges)
		return false;
	for (size_t i = 0; i < r->npairs; i++)
		r->nodes[r->pairs[i].from].n++;
	for (size_t i = 0; i < r->nnodes; i++) {
		struct fl_replay_node *node = &r->nodes[i];

		node->delay = node->time - (node->bound ?
			r->nodes[node->bound - 1].time : r->begin);
		node->first = at;
		at += node->n;
		node->n = 0;
	}
	for (size_t i = 0; i < r->npairs; i++) {
		struct fl_replay_node *from = &r->nodes[r->pairs[i].from];

		r->edges[from->first + from->n++] = r->pairs[i].to;
	}
	return true;
}

static bool make_nodes(struct fl_replay *r)
{
	r->nnodes = 4 * r->njobs + 2 * r->nstages + 2 * r->nexecutors + 1;
	r->nodes = fl_zeroed(r->nnodes, sizeof(*r->nodes));
	if (!r->nodes || r->nnodes >= UINT32_MAX)
		return false;
	time_nodes(r);
	return link_jobs(r) && link_stages(r) && link_executors(r) &&
	       finish_nodes(r);
}

bool fl_replay_make(struct fl_replay *replay, const struct fl_spark *spark,
		    size_t app)
{
	bool good;

	*replay = (struct fl_replay){
		.spark = spark, .app = app,
		.begin = fl_bill_begin(spark, app),
		.until = spark->apps[app].until,
	};
	if (!replay->begin || replay->until <= replay->begin) {
		replay->begin = 0;
		return true;
	}
	good = list_jobs(replay) && list_executors(replay) &&
	       list_stages(replay) && list_tasks(replay) &&
	       finish_stages(replay) && place_stages(replay) &&
	       rank_stages(replay) && make_nodes(replay);
	fl_free(replay->pairs);
	replay->pairs = NULL;
	return good;
}

void fl_replay_free(struct fl_replay *replay)
{
	fl_free(replay->tasks);
	fl_free(replay->stages);
	fl_free(replay->jobs);
	fl_free(replay->executors);
	fl_free(replay->slots);
	fl_free(replay->settle);
	fl_free(replay->nodes);
	fl_free(replay->edges);
	fl_free(replay->local);
	fl_free(replay->pairs);
}
