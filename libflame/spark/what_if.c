/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computes when an application would end if something were different: its
 * replay (replay_run.c) with other lengths of tasks, or other cores.
 * fl_bill_find_changes(), called by bill.c, adds such changes to the bill;
 * flame_bill_sooner() is for flame-top.
 */
#include "fl.h"

#include "spark/bill.h"
#include "spark/replay.h"

#include <stdlib.h>

enum {
	MAX_FRAMES = 16, MAX_STAGES = 8, MAX_EVEN = 4,
	MIN_STAGES = 2,
	MAX_TASKS = 60000	/* replayed for stages, at half their time */
};

static const char *const keys[] = {
	[FL_CHANGE_FRAME] = "frame", [FL_CHANGE_STAGE] = "stage",
	[FL_CHANGE_QUERY] = "query", [FL_CHANGE_EVEN] = "even",
	[FL_CHANGE_CORES] = "cores", [FL_CHANGE_NO_GC] = "gc",
	[FL_CHANGE_NO_FAILURES] = "failures",
};

const char *fl_change_key(enum fl_change_kind kind)
{
	return keys[kind];
}

bool fl_bill_replay(struct flame_bill *bill)
{
	const size_t n = bill->spark->napps;
	bool good;

	bill->clocks = fl_zeroed(n + 1, sizeof(*bill->clocks));
	bill->replays = fl_zeroed(n + 1, sizeof(*bill->replays));
	good = bill->clocks && bill->replays;
	for (size_t i = 0; good && i < n; i++)
		good = fl_replay_make(&bill->replays[i], bill->spark, i);
	return good;
}

/* Frames ------------------------------------------------------------------ */

/* What a stage's tasks did on an executor, by weight; or on all of them. */
struct cell {
	double all, frames[MAX_FRAMES];
};

struct changes {
	struct flame_bill *bill;
	const struct fl_replay *replay;
	size_t app;
	int64_t error;			/* ns, of the replay */
	int64_t *lengths;		/* of tasks, as changed */
	int64_t *walls;			/* by stage: us of the critical path */
	size_t *stages;			/* of replay->stages: in bill->stages */
	size_t limit;			/* of stages, and of queries */
	flame_id frames[MAX_FRAMES];
	int64_t weights[MAX_FRAMES];
	size_t nframes;
	struct fl_map index;		/* of stage and executor -> cell + 1 */
	struct cell *cells;
	size_t ncells, capacity;
};

/* Keeps the heaviest. */
static void add_frame(struct changes *c, flame_id name, int64_t weight)
{
	size_t i;

	for (i = 0; i < c->nframes; i++)
		if (c->frames[i] == name)
			return;
	if (!name || weight <= 0)
		return;
	if (c->nframes < MAX_FRAMES)
		i = c->nframes++;
	else
		for (size_t k = i = 0; k < MAX_FRAMES; k++)
			i = c->weights[k] < c->weights[i] ? k : i;
	if (c->frames[i] && c->weights[i] >= weight)
		return;
	c->frames[i] = name;
	c->weights[i] = weight;
}

/*
 * Of the tasks' stacks by the names in them, weights: by name.  A frame that
 * calls itself counts once; one that is called again by another, twice.
 */
static bool weigh_names(const struct changes *c, int64_t *weights)
{
	const struct flame_bill *bill = c->bill;
	const struct flame *flame = bill->flame;
	int64_t *totals = fl_zeroed(flame->stacks.count + 1, sizeof(*totals));

	for (size_t i = 0; totals && i < bill->nitems; i++) {
		const struct fl_bill_row *row = &bill->rows[bill->items[i].row];

		if (row->app == c->app && row->stage != FL_SPARK_NONE)
			totals[bill->items[i].stack] += bill->items[i].weight;
	}
	for (flame_id i = flame->stacks.count; totals && i-- > 1;) {
		const flame_id parent = fl_parent(flame, i);
		const flame_id name = fl_frame_at(flame, i)->name;

		totals[parent] += totals[i];
		if (!parent || fl_frame_at(flame, parent)->name != name)
			weights[name] += totals[i];
	}
	fl_free(totals);
	return totals;
}

/* Whether it is of the job's own code, not of Spark or the platform. */
static bool is_own(const struct flame *flame, const struct fl_work_names *works,
		   flame_id name)
{
	return !fl_work_of(works, fl_name_at(flame, name));
}

/* The heaviest frames of the own code, and those that the report names. */
static bool list_frames(struct changes *c)
{
	const struct flame_bill *bill = c->bill;
	const struct flame *flame = bill->flame;
	const int64_t least = bill->apps[c->app].shown / 100;
	int64_t *weights = fl_zeroed(flame->names.count + 1, sizeof(*weights));
	struct fl_work_names *works = fl_work_names_new();
	bool good = weights && works && weigh_names(c, weights);

	for (flame_id i = 1; good && i < flame->names.count; i++)
		if (weights[i] > least && is_own(flame, works, i))
			add_frame(c, i, weights[i]);
	if (good)
		add_frame(c, bill->apps[c->app].frame,
			  weights[bill->apps[c->app].frame]);
	for (size_t i = 0; good && i < bill->nqueries; i++)
		if (bill->queries[i].app == c->app)
			add_frame(c, bill->queries[i].words.frame,
				  weights[bill->queries[i].words.frame]);
	fl_work_names_free(works);
	fl_free(weights);
	return good;
}

/* Which of the frames are in each stack. */
static uint32_t *mask_stacks(const struct changes *c)
{
	const struct flame *flame = c->bill->flame;
	uint32_t *masks = fl_zeroed(flame->stacks.count + 1, sizeof(*masks));
	uint8_t *bits = fl_zeroed(flame->names.count + 1, sizeof(*bits));

	for (size_t i = 0; bits && i < c->nframes; i++)
		bits[c->frames[i]] = (uint8_t)(i + 1);
	for (flame_id i = 1; masks && bits && i < flame->stacks.count; i++) {
		unsigned bit = bits[fl_frame_at(flame, i)->name];

		masks[i] = masks[fl_parent(flame, i)] |
			   (bit ? UINT32_C(1) << (bit - 1) : 0);
	}
	fl_free(bits);
	if (bits)
		return masks;
	fl_free(masks);
	return NULL;
}

/* executor UINT32_MAX: of all. */
static struct cell *cell_of(struct changes *c, size_t stage, uint32_t executor,
			    bool make)
{
	const uint64_t key = (uint64_t)executor << 32 | stage;
	uint64_t *at = make ? fl_map_put(&c->index, key, NULL) :
			      fl_map_get(&c->index, key);

	if (!at || (!*at && !fl_grow(&c->cells, &c->capacity, c->ncells + 1,
				     sizeof(*c->cells))))
		return NULL;
	if (!*at) {
		c->cells[c->ncells] = (struct cell){ 0 };
		*at = ++c->ncells;
	}
	return &c->cells[*at - 1];
}

static bool add_weight(struct changes *c, size_t stage, uint32_t executor,
		       uint32_t mask, double weight)
{
	struct cell *cell = cell_of(c, stage, executor, true);

	if (!cell)
		return false;
	cell->all += weight;
	for (size_t i = 0; mask && i < c->nframes; i++)
		cell->frames[i] += mask >> i & 1 ? weight : 0;
	return true;
}

/* Of the frames, in the tasks of each stage. */
static bool find_shares(struct changes *c)
{
	const struct flame_bill *bill = c->bill;
	uint32_t *masks;
	bool good;

	masks = mask_stacks(c);
	good = masks;
	for (size_t i = 0; good && i < bill->nitems; i++) {
		const struct fl_bill_item *item = &bill->items[i];
		const struct fl_bill_row *row = &bill->rows[item->row];

		if (row->stage == FL_SPARK_NONE || row->app != c->app)
			continue;
		good = add_weight(c, row->stage, UINT32_MAX,
				  masks[item->stack], (double)item->weight) &&
		       (item->executor == UINT32_MAX ||
			add_weight(c, row->stage, item->executor,
				   masks[item->stack], (double)item->weight));
	}
	fl_free(masks);
	return good;
}

/* Of a task's time, as far as the samples show. */
static double share_of(struct changes *c, size_t frame, size_t stage,
		       uint32_t executor)
{
	const struct cell *cell = cell_of(c, stage, executor, false);

	if (!cell || cell->all <= 0)
		cell = cell_of(c, stage, UINT32_MAX, false);
	return cell && cell->all > 0 ? cell->frames[frame] / cell->all : 0;
}

/* Lengths of tasks -------------------------------------------------------- */

static bool list_stages(struct changes *c)
{
	const struct flame_bill *bill = c->bill;

	c->stages = fl_zeroed(c->replay->nstages + 1, sizeof(*c->stages));
	for (size_t i = 0; c->stages && i < c->replay->nstages; i++) {
		const struct fl_spark_stage *of =
			&bill->spark->stages[c->replay->stages[i].stage];

		c->stages[i] = (size_t)*fl_map_get(&bill->by_stage,
			fl_hash_pair((uint64_t)of->id, of->app + 1)) - 1;
	}
	c->limit = MAX_TASKS / (c->replay->ntasks + 1);
	c->limit = FL_MIN(FL_MAX(c->limit, MIN_STAGES), MAX_STAGES);
	return c->stages;
}

static size_t stage_of(const struct changes *c, const struct fl_replay_task *t)
{
	return c->stages[t->stage];
}

static const struct fl_spark_task *row_of(const struct changes *c,
					  const struct fl_replay_task *t)
{
	return &c->bill->spark->executors[t->executor].tasks[t->at];
}

static double gc_share(const struct fl_spark_task *task)
{
	int64_t whole = task->finish - task->start;

	return whole > 0 ? (double)FL_MIN(task->gc, whole) / (double)whole : 0;
}

/* The factor that remains of a task's time. */
static double factor_of(struct changes *c, const struct fl_bill_change *change,
			const struct fl_replay_task *task, size_t frame)
{
	const struct fl_spark_task *row = row_of(c, task);
	size_t stage = stage_of(c, task);

	switch (change->kind) {
	case FL_CHANGE_FRAME:
		return 1 - share_of(c, frame, stage, task->executor) *
			   (1 - change->factor);
	case FL_CHANGE_STAGE:
		return stage == change->stage ? change->factor : 1;
	case FL_CHANGE_QUERY:
		return c->bill->stages[stage].query == change->name ?
		       change->factor : 1;
	case FL_CHANGE_NO_GC:
		return 1 - gc_share(row);
	case FL_CHANGE_NO_FAILURES:
		return row->finish && !row->ok ? 0 : 1;
	case FL_CHANGE_EVEN:
	case FL_CHANGE_CORES:
		break;
	}
	return 1;
}

static void scale_tasks(struct changes *c, const struct fl_bill_change *change,
			size_t frame)
{
	for (size_t i = 0; i < c->replay->ntasks; i++) {
		const struct fl_replay_task *task = &c->replay->tasks[i];

		c->lengths[i] = (int64_t)((double)task->length *
			factor_of(c, change, task, frame));
	}
}

/* Each task of a stage has the mean of those that it ended with. */
static void even_tasks(struct changes *c, const struct fl_bill_change *change)
{
	double sum = 0, n = 0;

	for (size_t i = 0; i < c->replay->ntasks; i++) {
		const struct fl_replay_task *task = &c->replay->tasks[i];

		c->lengths[i] = task->length;
		if (!task->needed || stage_of(c, task) != change->stage)
			continue;
		sum += (double)task->length;
		n++;
	}
	for (size_t i = 0; n > 0 && i < c->replay->ntasks; i++)
		if (c->replay->tasks[i].needed &&
		    stage_of(c, &c->replay->tasks[i]) == change->stage)
			c->lengths[i] = (int64_t)(sum / n);
}

/* Changes ----------------------------------------------------------------- */

/* A difference that the replay's own error explains is none. */
static bool try_change(struct changes *c, struct fl_bill_change change,
		       size_t frame)
{
	struct flame_bill *bill = c->bill;
	struct fl_replay_change to = { .lengths = c->lengths, .cores = 1 };
	struct fl_replay_result result;

	if (change.kind == FL_CHANGE_EVEN)
		even_tasks(c, &change);
	else
		scale_tasks(c, &change, frame);
	to.no_failures = change.kind == FL_CHANGE_NO_FAILURES;
	if (change.kind == FL_CHANGE_CORES)
		to.cores = change.factor;
	if (!fl_replay_run(c->replay, &to, &result))
		return false;
	if (!result.good)
		return true;
	if (!fl_grow(&bill->changes, &bill->changes_capacity,
		     bill->nchanges + 1, sizeof(change)))
		return false;
	change.app = c->app;
	change.sooner = bill->clocks[c->app].replayed - result.end;
	change.paid = result.paid;
	if (llabs(change.sooner) <= c->error)
		change.sooner = 0;
	bill->changes[bill->nchanges++] = change;
	return true;
}

/* At half its time, and at none. */
static bool try_both(struct changes *c, struct fl_bill_change change,
		     size_t frame)
{
	change.factor = .5;
	if (!try_change(c, change, frame))
		return false;
	change.factor = 0;
	return try_change(c, change, frame);
}

/* The place of the largest of n, which is set to 0; n: all are 0. */
static size_t take_largest(int64_t *values, size_t n)
{
	size_t best = n;

	for (size_t i = 0; i < n; i++)
		if (values[i] > 0 && (best == n || values[i] > values[best]))
			best = i;
	if (best < n)
		values[best] = 0;
	return best;
}

static bool try_queries(struct changes *c)
{
	const struct flame_bill *bill = c->bill;
	int64_t *walls = fl_zeroed(bill->nqueries + 1, sizeof(*walls));
	bool good = walls;

	for (size_t i = 0; good && i < bill->nqueries; i++)
		for (size_t k = 0; k < bill->queries[i].nstages; k++)
			walls[i] += c->walls[bill->queries[i].first_stage + k];
	for (size_t n = 0; good && n < c->limit; n++) {
		size_t i = take_largest(walls, bill->nqueries);

		if (i == bill->nqueries)
			break;
		good = try_both(c, (struct fl_bill_change){
			.kind = FL_CHANGE_QUERY, .stage = FL_SPARK_NONE,
			.name = bill->queries[i].name }, 0);
	}
	fl_free(walls);
	return good;
}

/* Those that the critical path is in for longest. */
static bool try_stages(struct changes *c)
{
	bool good = true;

	for (size_t n = 0; good && n < c->limit; n++) {
		size_t i = take_largest(c->walls, c->bill->nstages);

		if (i == c->bill->nstages)
			break;
		good = try_both(c, (struct fl_bill_change){
			.kind = FL_CHANGE_STAGE, .stage = i }, 0);
	}
	return good;
}

static bool try_frames(struct changes *c)
{
	bool good = true;

	for (size_t i = 0; good && i < c->nframes; i++)
		good = try_both(c, (struct fl_bill_change){
			.kind = FL_CHANGE_FRAME, .stage = FL_SPARK_NONE,
			.name = c->frames[i] }, i);
	return good;
}

static bool try_even(struct changes *c)
{
	bool good = true;
	size_t n = 0;

	for (size_t i = 0; good && i < c->bill->nstages && n < MAX_EVEN; i++)
		if (c->bill->stages[i].app == c->app &&
		    c->bill->stages[i].tail.stands_out && ++n)
			good = try_change(c, (struct fl_bill_change){
				.kind = FL_CHANGE_EVEN, .stage = i }, 0);
	return good;
}

static bool try_cores(struct changes *c)
{
	static const double factors[] = { .5, 2, 4 };
	bool good = true;

	for (size_t i = 0; good && i < FL_COUNT(factors); i++)
		good = try_change(c, (struct fl_bill_change){
			.kind = FL_CHANGE_CORES, .stage = FL_SPARK_NONE,
			.factor = factors[i] }, 0);
	return good;
}

static bool try_troubles(struct changes *c)
{
	const struct fl_bill_change none = { .stage = FL_SPARK_NONE };
	struct fl_bill_change gc = none, failures = none;
	int64_t collected = 0;
	uint64_t failed = 0;

	for (size_t i = 0; i < c->bill->nstages; i++)
		if (c->bill->stages[i].app == c->app) {
			collected += c->bill->stages[i].sums.used.gc;
			failed += c->bill->stages[i].sums.failed;
		}
	gc.kind = FL_CHANGE_NO_GC;
	failures.kind = FL_CHANGE_NO_FAILURES;
	return (!collected || try_change(c, gc, 0)) &&
	       (!failed || try_change(c, failures, 0));
}

static void free_changes(struct changes *c)
{
	fl_free(c->lengths);
	fl_free(c->walls);
	fl_free(c->stages);
	fl_map_free(&c->index);
	fl_free(c->cells);
}

static bool try_all(struct changes *c)
{
	const struct flame_bill *bill = c->bill;
	bool good;

	c->lengths = fl_zeroed(c->replay->ntasks + 1, sizeof(*c->lengths));
	c->walls = fl_zeroed(bill->nstages + 1, sizeof(*c->walls));
	for (size_t i = 0; c->walls && i < bill->ncauses; i++)
		if (bill->causes[i].app == c->app &&
		    bill->causes[i].stage != FL_SPARK_NONE)
			c->walls[bill->causes[i].stage] +=
				bill->causes[i].wall;
	good = c->lengths && c->walls && list_stages(c) &&
	       (!bill->apps[c->app].shown ||
		(list_frames(c) && find_shares(c))) &&
	       try_frames(c) && try_queries(c) && try_stages(c) && try_even(c) &&
	       try_cores(c) && try_troubles(c);
	free_changes(c);
	return good;
}

/* false: out of memory; good is whether the log's own replay ends. */
static bool begin_changes(struct changes *c, struct flame_bill *bill,
			  size_t app, bool *good)
{
	struct fl_bill_clock *clock = &bill->clocks[app];
	const struct fl_replay *replay = &bill->replays[app];
	const struct fl_replay_change none = { .cores = 1 };
	struct fl_replay_result as_it_was;

	*c = (struct changes){ .bill = bill, .replay = replay, .app = app };
	*good = false;
	if (!replay->begin)
		return true;
	if (!fl_replay_run(replay, &none, &as_it_was))
		return false;
	clock->wall = replay->until - replay->begin;
	clock->replayed = as_it_was.good ? as_it_was.end : 0;
	clock->paid = as_it_was.paid;
	c->error = llabs(clock->wall - clock->replayed);
	*good = as_it_was.good && replay->ntasks;
	return true;
}

bool fl_bill_find_changes(struct flame_bill *bill)
{
	struct changes c;
	bool good = true, ends;

	for (size_t i = 0; good && i < bill->spark->napps; i++)
		good = begin_changes(&c, bill, i, &ends) &&
		       (!ends || try_all(&c));
	return good;
}

/* Frames by name ---------------------------------------------------------- */

static bool is_seen(const struct changes *c, size_t frame)
{
	size_t i = 0;

	while (i < c->ncells && !(c->cells[i].frames[frame] > 0))
		i++;
	return i < c->ncells;
}

/* Of at most MAX_FRAMES names. */
static bool add_sooner(struct changes *c, const flame_id *names, size_t n,
		       int64_t *us)
{
	struct fl_replay_change to = { .lengths = c->lengths, .cores = 1 };
	const struct fl_bill_change half = {
		.kind = FL_CHANGE_FRAME, .factor = .5
	};
	const int64_t before = c->bill->clocks[c->app].replayed;
	struct fl_replay_result result;

	memcpy(c->frames, names, n * sizeof(*names));
	c->nframes = n;
	if (!find_shares(c))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!is_seen(c, i))
			continue;
		scale_tasks(c, &half, i);
		if (!fl_replay_run(c->replay, &to, &result))
			return false;
		us[i] = us[i] == INT64_MIN ? 0 : us[i];
		if (result.good && llabs(before - result.end) > c->error)
			us[i] += (before - result.end) / 1000;
	}
	fl_map_free(&c->index);
	c->ncells = 0;
	return true;
}

static bool add_app(struct flame_bill *bill, size_t app, const flame_id *names,
		    size_t n, int64_t *us)
{
	struct changes c;
	bool ends, good = begin_changes(&c, bill, app, &ends);

	if (!good || !ends)
		return good;
	c.lengths = fl_zeroed(c.replay->ntasks + 1, sizeof(*c.lengths));
	good = c.lengths && list_stages(&c);
	for (size_t i = 0; good && i < n; i += MAX_FRAMES)
		good = add_sooner(&c, names + i, FL_MIN(n - i, MAX_FRAMES),
				  us + i);
	free_changes(&c);
	return good;
}

int flame_bill_sooner(struct flame_bill *bill, const flame_id *names, size_t n,
		      int64_t *us)
{
	bool good = bill->replays || fl_bill_replay(bill);

	for (size_t i = 0; i < n; i++)
		us[i] = INT64_MIN;
	for (size_t i = 0; good && i < bill->spark->napps; i++)
		good = add_app(bill, i, names, n, us);
	return good ? FLAME_OK : fl_no_memory(bill->flame);
}
