/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame_bill_write() writes a bill of Spark's costs (spark/bill.h) as JSON, for
 * the report of flame-batch and for programs.  Members that end in _us are
 * microseconds of cores, others with a time milliseconds since 1970.
 */
#include "fl.h"

#include "write/rows.h"
#include "flow/flow.h"
#include "spark/bill.h"

#include <inttypes.h>

enum { BUCKETS = 240 };		/* of the line of cores in use */

static void put_text(struct fl_buf *to, const char *key, const char *text)
{
	fl_buf_print(to, ",\"%s\":", key);
	fl_spell_json(to, (struct slice){ text, strlen(text) });
}

static void put_name(struct fl_buf *to, const char *key,
		     const struct flame *flame, flame_id name)
{
	fl_buf_print(to, ",\"%s\":", key);
	fl_spell_json(to, fl_name_at(flame, name));
}

static void put_number(struct fl_buf *to, const char *key, int64_t n)
{
	fl_buf_print(to, ",\"%s\":%" PRId64, key, n);
}

/* Counts that are mostly zero. */
static void put_some(struct fl_buf *to, const char *key, int64_t n)
{
	if (n)
		put_number(to, key, n);
}

/* Ends what put_* began: their first comma becomes the bracket. */
static size_t open_object(struct fl_buf *to)
{
	return to->size;
}

static void close_object(struct fl_buf *to, size_t from)
{
	if (to->data && from < to->size)
		to->data[from] = '{';
	else
		fl_buf_byte(to, '{');
	fl_buf_byte(to, '}');
}

/* "frame" is a frame's name, or the words of a work. */
static void put_words(struct fl_buf *to, const struct flame_bill *bill,
		      const struct fl_bill_words *words)
{
	put_number(to, "shown_us", words->shown);
	if (words->frame)
		put_name(to, "frame", bill->flame, words->frame);
	else if (words->work)
		put_text(to, "frame", words->work);
	put_some(to, "frame_us", words->weight);
}

static void put_works(struct fl_buf *to, const struct flame_bill *bill,
		      const struct fl_bill_words *words)
{
	fl_buf_text(to, ",\"works\":[");
	for (size_t i = 0; i < words->nworks; i++) {
		const struct fl_word_work *work =
			&bill->works[words->first_work + i];
		size_t from = open_object(to);

		put_text(to, "name", fl_works[work->row].name);
		put_text(to, "words", fl_works[work->row].words);
		put_number(to, "us", work->weight);
		if (work->what)
			put_name(to, "what", bill->flame, work->what);
		close_object(to, from);
		if (i + 1 < words->nworks)
			fl_buf_byte(to, ',');
	}
	fl_buf_byte(to, ']');
}

/* Parts ------------------------------------------------------------------- */

static void put_row(struct fl_buf *to, const struct flame_bill *bill,
		    const struct fl_bill_row *row)
{
	size_t from = open_object(to);

	put_name(to, "name", bill->flame, row->operator);
	put_number(to, "cost_us", row->weight);
	put_words(to, bill, &row->words);
	close_object(to, from);
}

static void put_rows(struct fl_buf *to, const struct flame_bill *bill,
		     const struct fl_bill_stage *stage)
{
	fl_buf_text(to, ",\"operators\":[");
	for (size_t i = 0; i < stage->nrows; i++) {
		if (i)
			fl_buf_byte(to, ',');
		put_row(to, bill, &bill->rows[stage->first_row + i]);
	}
	fl_buf_byte(to, ']');
}

/* The operators of all WholeStageCodegens that the stage runs. */
static void put_plan(struct fl_buf *to, const struct flame_bill *bill,
		     const struct fl_spark_stage *stage)
{
	const struct fl_spark *spark = bill->spark;
	const struct fl_spark_query *query = stage->sql < 0 ? NULL :
		fl_spark_find_query(spark, stage->app, stage->sql);
	struct fl_buf text = { 0 };

	for (size_t i = 0; query && i < query->ncodegens; i++) {
		const struct fl_spark_codegen *codegen =
			&spark->codegens[query->first_codegen + i];

		if (fl_spark_codegen_of(spark, stage, codegen->id) == codegen)
			fl_buf_print(&text, "%s%s", text.size ? "; " : "",
				     codegen->operators);
	}
	if (text.size)
		put_text(to, "plan", text.data);
	to->failed |= text.failed;
	fl_buf_free(&text);
}

static void put_counts(struct fl_buf *to, const struct fl_bill_stage *stage)
{
	const struct fl_spark_sums *sums = &stage->sums;

	put_number(to, "tasks", (int64_t)sums->tasks);
	put_some(to, "failed", (int64_t)sums->failed);
	put_some(to, "killed", (int64_t)sums->killed);
	put_some(to, "speculative", (int64_t)sums->speculative);
	put_some(to, "resubmitted", (int64_t)sums->resubmitted);
	put_some(to, "unmeasured", (int64_t)sums->unmeasured);
	put_some(to, "fetch_wait_us", sums->fetch_wait / 1000);
	put_some(to, "shuffle_write_us", sums->shuffle_write / 1000);
	put_some(to, "shuffle_read_bytes", sums->read_bytes);
	put_some(to, "shuffle_written_bytes", sums->written_bytes);
	put_some(to, "memory_spill_bytes", sums->memory_spill);
	put_some(to, "disk_spill_bytes", sums->disk_spill);
}

/* The longest task, where it stands out. */
static void put_tail(struct fl_buf *to, const struct flame_bill *bill,
		     const struct fl_bill_tail *tail)
{
	const struct fl_spark_executor *e =
		&bill->spark->executors[tail->executor];
	size_t from;

	if (!tail->stands_out)
		return;
	fl_buf_text(to, ",\"tail\":");
	from = open_object(to);
	put_number(to, "task", tail->task->id);
	put_number(to, "partition", tail->task->partition);
	put_text(to, "executor", e->id);
	put_text(to, "host", e->host);
	put_number(to, "tasks", (int64_t)tail->tasks);
	put_number(to, "time_us", tail->duration);
	put_number(to, "median_us", tail->median);
	if (tail->records >= 0) {
		put_number(to, "records", tail->task->records);
		put_number(to, "median_records", tail->records);
	}
	if (tail->bytes >= 0) {
		put_number(to, "bytes", tail->task->bytes);
		put_number(to, "median_bytes", tail->bytes);
	}
	put_some(to, "reads_more", tail->reads_more);
	close_object(to, from);
}

static void put_stage(struct fl_buf *to, const struct flame_bill *bill,
		      const struct fl_bill_stage *stage)
{
	const struct fl_spark_stage *last = stage->last;
	size_t from = open_object(to);

	put_number(to, "id", last->id);
	if (stage->attempts > 1)
		put_number(to, "attempts", (int64_t)stage->attempts);
	put_text(to, "name", last->name);
	put_plan(to, bill, last);
	if (last->sql >= 0)
		put_number(to, "execution", last->sql);
	put_some(to, "submitted", stage->submitted / 1000000);
	put_some(to, "completed", stage->completed / 1000000);
	put_number(to, "cost_us", stage->weight);
	put_number(to, "cpu_us", stage->cpu);
	put_some(to, "gc_us", stage->gc);
	put_some(to, "unknown_us", stage->unknown);
	put_some(to, "python_us", stage->python);
	put_some(to, "python_metric_us", last->python / 1000);
	put_number(to, "overhead_us", stage->overhead);
	put_counts(to, stage);
	put_number(to, "samples", (int64_t)stage->samples);
	put_number(to, "executors", (int64_t)stage->executors);
	put_number(to, "profiled", (int64_t)stage->profiled);
	put_words(to, bill, &stage->words);
	put_works(to, bill, &stage->words);
	put_tail(to, bill, &stage->tail);
	put_rows(to, bill, stage);
	close_object(to, from);
}

static void put_query(struct fl_buf *to, const struct flame_bill *bill,
		      const struct fl_bill_query *query)
{
	size_t from = open_object(to);

	put_name(to, "name", bill->flame, query->name);
	put_number(to, "cost_us", query->weight);
	put_words(to, bill, &query->words);
	put_works(to, bill, &query->words);
	fl_buf_text(to, ",\"stages\":[");
	for (size_t i = 0; i < query->nstages; i++) {
		if (i)
			fl_buf_byte(to, ',');
		put_stage(to, bill, &bill->stages[query->first_stage + i]);
	}
	fl_buf_byte(to, ']');
	close_object(to, from);
}

static void put_queries(struct fl_buf *to, const struct flame_bill *bill,
			size_t app)
{
	bool any = false;

	fl_buf_text(to, ",\"queries\":[");
	for (size_t i = 0; i < bill->nqueries; i++) {
		if (bill->queries[i].app != app)
			continue;
		if (any)
			fl_buf_byte(to, ',');
		put_query(to, bill, &bill->queries[i]);
		any = true;
	}
	fl_buf_byte(to, ']');
}

/* Executors --------------------------------------------------------------- */

static void put_executor(struct fl_buf *to, const struct flame_bill *bill,
			 size_t i)
{
	const struct fl_spark_executor *e = &bill->spark->executors[i];
	const struct fl_bill_executor *sum = &bill->executors[i];
	size_t from = open_object(to);

	put_text(to, "id", e->id);
	put_text(to, "host", e->host);
	put_number(to, "cores", e->paid_cores);
	put_some(to, "added", e->added / 1000000);
	if (e->removed < INT64_MAX)
		put_number(to, "removed", e->removed / 1000000);
	if (fl_spark_is_lost(bill->spark, e))
		put_text(to, "lost", e->reason);
	put_number(to, "paid_us", sum->paid);
	put_number(to, "idle_us", sum->idle);
	put_some(to, "unended_us", sum->unended);
	put_number(to, "cpu_us", sum->cpu);
	put_some(to, "gc_us", sum->gc);
	put_some(to, "walled_us", sum->walled);
	put_some(to, "ready_us", sum->ready);
	put_some(to, "clock_shift_ms", e->shift / 1000000);
	if (e->clock == FL_CLOCK_UNKNOWN)
		fl_buf_text(to, ",\"clock_unknown\":true");
	put_number(to, "tasks", (int64_t)sum->tasks);
	put_number(to, "samples", (int64_t)sum->samples);
	put_some(to, "took_us", sum->duration);
	put_some(to, "expected_us", sum->expected);
	if (sum->sigma > 0)
		fl_buf_print(to, ",\"sigma\":%.1f", sum->sigma);
	close_object(to, from);
}

static void put_executors(struct fl_buf *to, const struct flame_bill *bill,
			  size_t app)
{
	bool any = false;

	fl_buf_text(to, ",\"executors\":[");
	for (size_t i = 0; i < bill->spark->nexecutors; i++) {
		if (bill->spark->executors[i].app != app)
			continue;
		if (any)
			fl_buf_byte(to, ',');
		put_executor(to, bill, i);
		any = true;
	}
	fl_buf_byte(to, ']');
}

static void put_sick(struct fl_buf *to, const struct flame_bill *bill,
		     size_t app)
{
	bool any = false;

	fl_buf_text(to, ",\"sick\":[");
	for (size_t i = 0; i < bill->nsick; i++) {
		const struct fl_bill_sick *sick = &bill->sick[i];
		const struct fl_spark_executor *e =
			&bill->spark->executors[sick->executor];
		size_t from;

		if (e->app != app)
			continue;
		if (any)
			fl_buf_byte(to, ',');
		from = open_object(to);
		put_text(to, "executor", e->id);
		put_text(to, "host", e->host);
		if (sick->name)
			put_name(to, "frame", bill->flame, sick->name);
		fl_buf_print(to, ",\"share\":%.4f,\"others\":%.4f,"
			     "\"sigma\":%.1f", sick->share, sick->others,
			     sick->sigma);
		close_object(to, from);
		any = true;
	}
	fl_buf_byte(to, ']');
}

/* Applications ------------------------------------------------------------ */

static void add_busy(double *busy, int64_t begin, int64_t length,
		     const struct fl_spark_task *task)
{
	double width = (double)length / BUCKETS;
	double from = (double)(task->start - begin) / width;
	double to = (double)(FL_MIN(task->end, begin + length) - begin) / width;

	for (int i = (int)FL_MAX(from, 0.); i < BUCKETS && i < to; i++)
		busy[i] += FL_MIN(to, i + 1.) - FL_MAX(from, (double)i);
}

/* The mean number of tasks at once, in hundredths. */
static void put_busy(struct fl_buf *to, const struct fl_spark *spark,
		     size_t app)
{
	int64_t begin = fl_bill_begin(spark, app);
	int64_t length = spark->apps[app].until - begin;
	double busy[BUCKETS] = { 0 };

	if (!begin || length <= 0)
		return;
	for (size_t i = 0; i < spark->nexecutors; i++)
		for (size_t k = 0; spark->executors[i].app == app &&
				   k < spark->executors[i].ntasks; k++)
			add_busy(busy, begin, length,
				 &spark->executors[i].tasks[k]);
	fl_buf_text(to, ",\"busy\":[");
	for (int i = 0; i < BUCKETS; i++)
		fl_buf_print(to, "%s%.0f", i ? "," : "", busy[i] * 100);
	fl_buf_byte(to, ']');
}

static void put_sums(struct fl_buf *to, const struct flame_bill *bill,
		     size_t app)
{
	int64_t paid = 0, idle = 0, unended = 0, cpu = 0, gc = 0, python = 0;
	int64_t active = 0, overhead = 0, unknown = 0;

	for (size_t i = 0; i < bill->spark->nexecutors; i++) {
		if (bill->spark->executors[i].app != app)
			continue;
		paid += bill->executors[i].paid;
		idle += bill->executors[i].idle;
		unended += bill->executors[i].unended;
	}
	for (size_t i = 0; i < bill->nstages; i++) {
		const struct fl_bill_stage *stage = &bill->stages[i];

		if (stage->app != app)
			continue;
		active += stage->active;
		cpu += stage->cpu;
		gc += stage->gc;
		python += stage->python;
		unknown += stage->unknown;
		overhead += stage->overhead;
	}
	put_number(to, "paid_us", paid);
	put_number(to, "cpu_us", cpu);
	put_number(to, "gc_us", gc);
	put_number(to, "python_us", python);
	put_number(to, "wait_us", active - cpu - gc - python - unknown);
	put_number(to, "unknown_us", unknown);
	put_number(to, "overhead_us", overhead);
	put_number(to, "unended_us", unended);
	put_number(to, "idle_us", idle);
}

/* What the driver's stacks show of it, if it was recorded. */
static void put_driver(struct fl_buf *to, const struct flame_bill *bill,
		       const struct fl_bill_cause *cause)
{
	const struct fl_bill_words *words;

	if (cause->kind != FL_CAUSE_START && cause->kind != FL_CAUSE_DRIVER)
		return;
	words = &bill->drivers[fl_driver_part(cause->app, cause->kind)];
	if (words->shown <= 0 || words->weight <= 0)
		return;
	if (words->frame)
		put_name(to, "frame", bill->flame, words->frame);
	else if (words->work)
		put_text(to, "frame", words->work);
	put_number(to, "frame_ppm", words->weight * 1000000 / words->shown);
}

static void put_causes(struct fl_buf *to, const struct flame_bill *bill,
		       size_t app)
{
	bool any = false;

	fl_buf_text(to, ",\"causes\":[");
	for (size_t i = 0; i < bill->ncauses; i++) {
		const struct fl_bill_cause *cause = &bill->causes[i];
		size_t from;

		if (cause->app != app || (!cause->paid && !cause->wall))
			continue;
		if (any)
			fl_buf_byte(to, ',');
		any = true;
		from = open_object(to);
		put_text(to, "key", fl_cause_key(cause->kind));
		if (cause->stage != FL_SPARK_NONE)
			put_number(to, "stage",
				   bill->stages[cause->stage].last->id);
		put_some(to, "paid_us", cause->paid);
		put_some(to, "wall_us", cause->wall);
		put_driver(to, bill, cause);
		close_object(to, from);
	}
	fl_buf_byte(to, ']');
}

static void put_change(struct fl_buf *to, const struct flame_bill *bill,
		       const struct fl_bill_change *change)
{
	size_t from = open_object(to);

	put_text(to, "key", fl_change_key(change->kind));
	if (change->name)
		put_name(to, "name", bill->flame, change->name);
	if (change->stage != FL_SPARK_NONE)
		put_number(to, "stage",
			   bill->stages[change->stage].last->id);
	if (change->kind != FL_CHANGE_EVEN)
		fl_buf_print(to, ",\"factor\":%g", change->factor);
	put_number(to, "sooner_us", change->sooner / 1000);
	put_number(to, "paid_us", change->paid);
	close_object(to, from);
}

static void put_changes(struct fl_buf *to, const struct flame_bill *bill,
			size_t app)
{
	bool any = false;

	fl_buf_text(to, ",\"changes\":[");
	for (size_t i = 0; i < bill->nchanges; i++) {
		if (bill->changes[i].app != app)
			continue;
		if (any)
			fl_buf_byte(to, ',');
		put_change(to, bill, &bill->changes[i]);
		any = true;
	}
	fl_buf_byte(to, ']');
}

/* Bad ends ---------------------------------------------------------------- */

static void put_job(struct fl_buf *to, const struct fl_spark_job *job)
{
	size_t from = open_object(to);

	put_number(to, "id", job->id);
	put_text(to, "query", job->description);
	if (job->stage >= 0)
		put_number(to, "stage", job->stage);
	put_text(to, "text", job->failure);
	close_object(to, from);
}

static void put_failed_jobs(struct fl_buf *to, const struct fl_spark *spark,
			    size_t app)
{
	bool any = false;
	int64_t n = 0;

	fl_buf_text(to, ",\"failed_jobs\":[");
	for (size_t i = 0; i < spark->njobs; i++) {
		n += spark->jobs[i].app == app;
		if (spark->jobs[i].app != app || !spark->jobs[i].failed)
			continue;
		if (any)
			fl_buf_byte(to, ',');
		put_job(to, &spark->jobs[i]);
		any = true;
	}
	fl_buf_byte(to, ']');
	put_number(to, "jobs", n);
}

static void put_failure(struct fl_buf *to, const struct flame_bill *bill,
			const struct fl_spark_failure *failure)
{
	static const char *const kinds[] = {
		"exception", "lost", "fetch", "killed", "other",
	};
	const struct fl_spark_stage *of = &bill->spark->stages[failure->stage];
	const uint64_t *at = fl_map_get(&bill->by_stage, fl_hash_pair(
					(uint64_t)of->id, of->app + 1));
	const struct fl_bill_stage *stage = &bill->stages[*at - 1];
	size_t from = open_object(to);

	put_text(to, "kind", kinds[failure->kind]);
	put_text(to, "text", failure->text);
	put_number(to, "stage", of->id);
	put_name(to, "query", bill->flame, stage->query);
	put_number(to, "tasks", (int64_t)failure->tasks);
	put_number(to, "of", (int64_t)stage->sums.tasks);
	put_number(to, "hosts", (int64_t)failure->hosts);
	put_text(to, "host", failure->host);
	close_object(to, from);
}

static void put_failures(struct fl_buf *to, const struct flame_bill *bill,
			 size_t app)
{
	const struct fl_spark *spark = bill->spark;
	bool any = false;

	fl_buf_text(to, ",\"failures\":[");
	for (size_t i = 0; i < spark->nfailures; i++) {
		if (spark->stages[spark->failures[i].stage].app != app)
			continue;
		if (any)
			fl_buf_byte(to, ',');
		put_failure(to, bill, &spark->failures[i]);
		any = true;
	}
	fl_buf_byte(to, ']');
}

static void put_app(struct fl_buf *to, const struct flame_bill *bill,
		    size_t i)
{
	const struct fl_spark_app *app = &bill->spark->apps[i];
	size_t from = open_object(to);

	put_text(to, "id", app->id);
	put_text(to, "name", app->name);
	put_text(to, "spark", app->version);
	put_some(to, "started", fl_bill_begin(bill->spark, i) /
		 1000000);
	put_some(to, "ended", app->until / 1000000);
	put_some(to, "cut", app->cut);
	put_number(to, "task_cpus", app->task_cpus);
	put_some(to, "wall_us", bill->clocks[i].wall / 1000);
	put_some(to, "replayed_us", bill->clocks[i].replayed / 1000);
	put_some(to, "replayed_paid_us", bill->clocks[i].paid);
	put_sums(to, bill, i);
	put_works(to, bill, &bill->apps[i]);
	put_executors(to, bill, i);
	put_sick(to, bill, i);
	put_queries(to, bill, i);
	put_causes(to, bill, i);
	put_changes(to, bill, i);
	put_failed_jobs(to, bill->spark, i);
	put_failures(to, bill, i);
	put_busy(to, bill->spark, i);
	close_object(to, from);
}

int flame_bill_write(struct flame_bill *bill, struct flame_text *out)
{
	struct fl_buf text = { 0 };
	int status = FLAME_OK;

	if (!bill->whole)
		return fl_fail(bill->flame, "the bill has no samples");
	fl_buf_text(&text, "{\"apps\":[");
	for (size_t i = 0; i < bill->spark->napps; i++) {
		if (i)
			fl_buf_text(&text, ",\n");
		put_app(&text, bill, i);
	}
	fl_buf_text(&text, "]}\n");
	status = text.failed ? fl_no_memory(bill->flame) :
			       flame_text_put(out, text.data, text.size);
	fl_buf_free(&text);
	return status;
}
