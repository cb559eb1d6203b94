/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --join: the filter that puts samples of Python workers on the stacks of the
 * tasks that wait for them, so that an executor and its workers are one flame
 * graph.  Samples are stored until all inputs are read, as the tasks of a
 * worker are known by the times of both alone: join_tasks.c finds them.
 * --join-start: adds the time when the recorder started to times that count
 * from its start.
 */
#include "fl.h"

#include "spark/join.h"

#include <inttypes.h>

enum { NO = 1, YES };

struct join {
	struct fl_join_work work;
	struct fl_rewrite kinds;	/* by stack: of a worker, or not */
	struct fl_rewrite trunks;	/* by stack: trunk + 1 */
	struct fl_rewrite processes;	/* by stack: py-spy's process + 1 */
	struct fl_map workers;		/* (input, process) */
	uint32_t inputs;
	flame_id pid;			/* the key */
	int64_t timeless;		/* weights, of workers */
};

/* Frames ---------------------------------------------------------------- */

/* Of Java's names, with '.' or '/'. */
static bool starts(struct slice name, const char *text)
{
	size_t i = 0;

	for (; text[i] && i < name.size; i++)
		if (name.data[i] != text[i] &&
		    !(text[i] == '/' && name.data[i] == '.'))
			return false;
	return !text[i];
}

static bool is_of_jdk(struct slice name)
{
	return starts(name, "java/") || starts(name, "sun/") ||
	       starts(name, "jdk/");
}

static bool is_socket(struct slice name)
{
	return starts(name, "sun/nio/ch/") || starts(name, "java/net/");
}

/* org/apache/spark/api/python/BasePythonRunner$ReaderInputStream.read */
static bool is_runner(struct slice name)
{
	return starts(name, "org/apache/spark/") &&
	       (fl_slice_has(name, "/python/") ||
		fl_slice_has(name, ".python."));
}

/* main (pyspark/worker.py:42), below all that a worker does for a task. */
static bool is_worker_main(const struct flame *flame,
			   const struct flame_frame *frame)
{
	struct slice name = fl_name_at(flame, frame->name);

	return fl_slice_starts(name, "main") &&
	       (fl_slice_has(name, "worker.py") ||
		fl_slice_has(fl_name_at(flame, frame->file), "worker.py"));
}

static bool of_worker(struct flame_sink *sink, flame_id stack)
{
	struct join *join = sink->state;
	flame_id *known = fl_rewrite_slot(sink->flame, &join->kinds, stack);

	if (!known || *known)
		return known && *known == YES;
	*known = NO;
	for (flame_id s = stack; s; s = fl_parent(sink->flame, s))
		if (is_worker_main(sink->flame, fl_frame_at(sink->flame, s))) {
			*known = YES;
			break;
		}
	return *known == YES;
}

static bool may_stand_on_runner(const struct flame_frame *frame,
				struct slice name)
{
	return is_of_jdk(name) || frame->type == FLAME_NATIVE ||
	       frame->type == FLAME_CPP || frame->type == FLAME_KERNEL ||
	       frame->type == FLAME_JAVA_NATIVE;
}

/*
 * The frames up to the one of Spark that reads from Python, if the stack waits
 * for a socket there.  The driver's Python has a connection to its JVM, too,
 * whose threads are not Spark's at that place.
 */
static flame_id find_trunk(const struct flame *flame, flame_id stack)
{
	bool socket = false;

	for (; stack; stack = fl_parent(flame, stack)) {
		const struct flame_frame *frame = fl_frame_at(flame, stack);
		struct slice name = fl_name_at(flame, frame->name);

		socket |= is_socket(name);
		if (!may_stand_on_runner(frame, name))
			return socket && is_runner(name) ? stack : 0;
	}
	return 0;
}

static flame_id trunk_of(struct flame_sink *sink, flame_id stack)
{
	struct join *join = sink->state;
	flame_id *known = fl_rewrite_slot(sink->flame, &join->trunks, stack);

	if (!known)
		return 0;
	if (!*known)
		*known = find_trunk(sink->flame, stack) + 1;
	return *known - 1;
}

/* Processes ------------------------------------------------------------- */

/* process 4711:"python -m pyspark.daemon": py-spy has one for each ancestor. */
static bool take_process(struct slice name, struct slice *pid)
{
	static const char head[] = "process ";
	size_t n = 0;

	if (!fl_slice_starts(name, head))
		return false;
	pid->data = name.data + strlen(head);
	while (n < name.size - strlen(head) && fl_is_digit(pid->data[n]))
		n++;
	pid->size = n;
	return n;
}

static flame_id process_of(struct flame_sink *sink,
			   const struct flame_sample *s)
{
	struct join *join = sink->state;
	struct flame *flame = sink->flame;
	flame_id *known = fl_rewrite_slot(flame, &join->processes, s->stack);
	flame_id process = 0, pid;

	if (!known)
		return 0;
	if (!*known) {
		for (flame_id i = s->stack; i && !process;
		     i = fl_parent(flame, i)) {
			struct slice text;

			if (take_process(fl_name_at(flame,
					fl_frame_at(flame, i)->name), &text))
				process = flame_name(flame, text.data,
						     text.size);
		}
		*known = process + 1;
	}
	process = *known - 1;
	if (process)
		return process;
	pid = flame_label_get(flame, s->thread, join->pid);
	return pid ? pid : flame_label_get(flame, s->labels, join->pid);
}

static uint64_t process_key(uint32_t input, flame_id process)
{
	return (uint64_t)input << 32 | process;
}

/* Samples --------------------------------------------------------------- */

/* A source that is read ahead begins before the one before it ends. */
static int end(struct flame_sink *sink, struct flame_source *source)
{
	struct join *join = sink->state;

	(void)source;
	join->inputs++;
	return FLAME_OK;
}

static int put(struct flame_sink *sink, const struct flame_sample *s)
{
	struct join *join = sink->state;
	struct fl_join_work *work = &join->work;
	bool worker = of_worker(sink, s->stack), fresh = false;

	if (!fl_grow(&work->items, &work->capacity, work->count + 1,
		     sizeof(*work->items)) ||
	    (worker && !fl_map_put(&join->workers,
				   process_key(join->inputs,
					       process_of(sink, s)), &fresh)))
		return fl_no_memory(sink->flame);
	work->counts.workers += fresh;
	work->items[work->count++] = (struct fl_join_item){
		.sample = *s, .input = join->inputs,
	};
	return fl_failed(sink->flame) ? FLAME_FAILED : FLAME_OK;
}

static bool is_cpu(const struct flame *flame, flame_id metric)
{
	return metric && strncmp(flame_metric_of(flame, metric)->name, "cpu",
				 3) == 0;
}

/* Whether a worker's stack waits for what its task sends or fetches. */
static bool is_waiting(const struct flame *flame, flame_id stack)
{
	static const char *const calls[] = {
		"read_int (", "_read_with_length (", "poll", "__poll", "read",
		"__read", "recv", "__libc_recv", "__libc_read", "epoll_wait",
		"write", "__write", "send", "__libc_send", "readinto (",
	};

	for (; stack; stack = fl_parent(flame, stack)) {
		const struct flame_frame *frame = fl_frame_at(flame, stack);
		struct slice name = fl_name_at(flame, frame->name);

		if (frame->type == FLAME_KERNEL)
			continue;
		for (size_t i = 0; i < FL_COUNT(calls); i++)
			if (calls[i][strlen(calls[i]) - 1] == '(' ?
			    fl_slice_starts(name, calls[i]) :
			    fl_slice_is(name, calls[i]))
				return true;
		return false;
	}
	return false;
}

/* What each sample is of.  Frames of other threads have no worker.py. */
static void classify(struct flame_sink *sink, struct fl_join_item *item)
{
	struct join *join = sink->state;
	struct flame *flame = sink->flame;
	struct flame_sample *s = &item->sample;
	flame_id process = process_of(sink, s);
	bool cpu = is_cpu(flame, s->metric);

	item->worker = of_worker(sink, s->stack) ||
		(cpu && fl_map_get(&join->workers,
				   process_key(item->input, process)));
	if (!item->worker) {
		item->trunk = cpu ? 0 : trunk_of(sink, s->stack);
		return;
	}
	item->busy = cpu || !is_waiting(flame, s->stack);
	item->track = process;		/* until tracks are numbered */
	if (s->time == FLAME_NOTIME)
		join->timeless += s->weight;
}

static int report(struct flame_sink *sink)
{
	const struct join *join = sink->state;
	const struct fl_join_counts *c = &join->work.counts;
	int64_t joined = c->one + c->fitting + c->shared;

	if (c->samples > c->idle && !joined)
		fl_warn(sink->flame, "--join: no task waits for Python when "
			"its workers are sampled: are both of one executor, "
			"by one clock (--join-start), with samples of threads "
			"that wait (wall)?");
	fl_remark(sink->flame, "--join: %" PRId64 " samples of %" PRIu64
		  " Python workers: %" PRId64 " on their task (%" PRId64
		  " by times alone), %" PRId64 " on what tasks of a stage "
		  "share, %" PRId64 " [worker not joined] (%" PRId64
		  " as tasks of several stages waited), %" PRId64
		  " waiting themselves; %" PRId64 " waits of tasks left out",
		  c->samples, c->workers, c->one + c->fitting, c->fitting,
		  c->shared, c->none, c->other_stages, c->idle, c->replaced);
	return FLAME_OK;
}

static int check(struct flame_sink *sink)
{
	const struct join *join = sink->state;
	const struct fl_join_work *work = &join->work;
	bool worker = false, timed = false;

	for (size_t i = 0; i < work->count; i++) {
		worker |= work->items[i].worker;
		timed |= !work->items[i].worker &&
			 work->items[i].sample.time != FLAME_NOTIME;
	}
	if (!worker)
		return fl_fail(sink->flame, "--join: no input has stacks of "
			       "Python workers (main in worker.py)");
	if (!timed)
		return fl_fail(sink->flame, "--join: no input has stacks of "
			       "an executor with times, as a recording of JFR");
	if (join->timeless)
		return fl_fail(sink->flame, "--join: %" PRId64 " samples of "
			       "Python workers have no times: record with "
			       "flame-record --no-join -t -o FILE.html, or "
			       "py-spy -f chrometrace for each worker",
			       join->timeless);
	return FLAME_OK;
}

static int finish(struct flame_sink *sink)
{
	struct join *join = sink->state;
	struct fl_join_work *work = &join->work;
	int status;

	for (size_t i = 0; i < work->count; i++)
		classify(sink, &work->items[i]);
	if (fl_failed(sink->flame) || check(sink) != FLAME_OK ||
	    fl_join_work(work) != FLAME_OK)
		return FLAME_FAILED;
	status = report(sink);
	for (size_t i = 0; status == FLAME_OK && i < work->count; i++)
		if (work->items[i].sample.weight)
			status = fl_put(sink->next, &work->items[i].sample);
	return status;
}

static void release(struct flame_sink *sink)
{
	struct join *join = sink->state;

	fl_join_work_free(&join->work);
	fl_rewrite_free(&join->kinds);
	fl_rewrite_free(&join->trunks);
	fl_rewrite_free(&join->processes);
	fl_map_free(&join->workers);
}

static struct flame_sink *make(struct flame_sink *next, const char *arg)
{
	struct flame_sink *sink = fl_sink_new(next->flame, next,
					      sizeof(struct join));
	struct join *join;

	(void)arg;
	if (!sink)
		return NULL;
	join = sink->state;
	join->work.flame = next->flame;
	join->pid = fl_name(next->flame, "pid");
	sink->needs = FL_NEED_TIME | FL_NEED_THREAD | FL_NEED_ORDER |
		      FL_NEED_ALL_METRICS;
	sink->labels = "app,executor";
	sink->buffers = true;
	sink->end = end;
	sink->put = put;
	sink->finish = finish;
	sink->free = release;
	return sink;
}

const struct fl_filter fl_filter_join = {
	.name = "join",
	.summary = "Python workers on Spark's tasks, by times",
	.make = make, .rank = 2,
};

/* --join-start ------------------------------------------------------------ */

/* Times below are of a clock that began when a machine or a recorder did. */
#define EARLIEST_DATE INT64_C(100000000000000000)	/* 1973 */

struct start {
	int64_t time;
};

static int put_start(struct flame_sink *sink, const struct flame_sample *sample)
{
	const struct start *start = sink->state;
	struct flame_sample s = *sample;

	if (s.time != FLAME_NOTIME && s.time < EARLIEST_DATE)
		s.time = fl_add_clamped(s.time, start->time);
	return fl_put(sink->next, &s);
}

static struct flame_sink *make_start(struct flame_sink *next, const char *arg)
{
	struct flame_sink *sink = fl_sink_new(next->flame, next,
					      sizeof(struct start));
	int64_t time;

	if (!sink)
		return NULL;
	if (!fl_parse_date(arg, &time)) {
		fl_fail(next->flame, "--join-start %s: no date as for --from, "
			"nor seconds, as of date +%%s.%%N", arg);
		fl_sink_free(sink);
		return NULL;
	}
	((struct start *)sink->state)->time = time;
	sink->needs = FL_NEED_TIME;
	sink->put = put_start;
	return sink;
}

const struct fl_filter fl_filter_join_start = {
	.name = "join-start", .argument = "TIME",
	.summary = "--join: when inputs without dates began",
	.make = make_start, .rank = 1,
};
