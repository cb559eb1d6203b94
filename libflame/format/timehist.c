/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads what perf sched timehist prints: a line where a task leaves a CPU, with
 * its stack there, leaf first, and with the time since it left one before.  A
 * line is a sample of the metric switches; that time is one of off-cpu (ns),
 * with the stack of the task's line before.
 *
 *	 time    cpu  task name     wait time  sch delay   run time
 *	              [tid/pid]        (msec)     (msec)     (msec)
 *	------ ------ ------------- ---------  ---------  ---------
 *	 2.001 [0000] bash[41/40]      0.000      0.000      0.325   f <- g <- h
 */
#include "fl.h"

#include "format/format.h"

struct reader {
	struct fl_line_reader base;
	struct fl_map stacks;	/* task -> where it left the CPU, plus one */
	flame_id switches, blocked;
};

struct task {
	struct slice name;	/* bash[41/40] */
	int64_t tid, pid;	/* -1: not known */
	int64_t wait;		/* ns, with the delay of the scheduler */
	struct slice stack;
};

/* "12.345" in units of `unit` ns. */
static bool parse_decimal(struct slice word, int64_t unit, int64_t *ns)
{
	struct slice part = word, whole = fl_slice_split(&part, '.');
	int64_t n, f;

	if (!fl_parse_digits(whole, &n) || !part.size || part.size > 6 ||
	    !fl_parse_digits(part, &f))
		return false;
	*ns = fl_mul_clamped(n, unit);
	for (size_t i = 0; i < part.size; i++)
		unit /= 10;
	*ns = fl_add_clamped(*ns, f * unit);
	return true;
}

/* "bash[41/40]", "<idle>" */
static bool parse_task(struct slice text, struct task *task)
{
	const char *open;
	struct slice ids;

	task->name = text;
	task->tid = task->pid = -1;
	if (!text.size)
		return false;
	open = memrchr(text.data, '[', text.size);
	if (!open || !fl_slice_ends(text, "]"))
		return true;
	ids = (struct slice){ open + 1, (size_t)(text.data + text.size -
						 open) - 2 };
	task->name.size = (size_t)(open - text.data);
	if (!fl_parse_digits(fl_slice_split(&ids, '/'), &task->tid))
		return false;
	if (ids.size && !fl_parse_digits(ids, &task->pid))
		return false;
	return true;
}

static bool read_line(struct slice line, struct task *task)
{
	struct slice word, rest = line, name;
	int64_t ns, delay, run;
	size_t more;

	if (!fl_dump_word(&rest, &word) ||
	    !parse_decimal(word, 1000000000, &ns) ||
	    !fl_dump_word(&rest, &word) || word.data[0] != '[' ||
	    !fl_slice_ends(word, "]"))
		return false;
	/* Names of tasks may have blanks: three numbers end them. */
	rest = fl_slice_trim(rest);
	name = rest;
	for (more = 0; more < 16 && fl_dump_word(&rest, &word); more++) {
		struct slice at = rest, numbers[3];
		unsigned n = 0;

		while (n < 3 && fl_dump_word(&at, &numbers[n]))
			n++;
		if (n == 3 && parse_decimal(numbers[0], 1000000,
					    &task->wait) &&
		    parse_decimal(numbers[1], 1000000, &delay) &&
		    parse_decimal(numbers[2], 1000000, &run)) {
			name.size = (size_t)(word.data + word.size -
					     name.data);
			task->wait = fl_add_clamped(task->wait, delay);
			task->stack = fl_slice_trim(at);
			return parse_task(name, task);
		}
	}
	return false;
}

static flame_id stack_of(struct reader *r, struct slice text)
{
	struct fl_line_reader *base = &r->base;

	base->trace.count = 0;
	while (text.size) {
		const char *arrow = fl_slice_find(text, " <- ");
		struct slice name = text;
		struct flame_frame frame = { .type = FLAME_UNKNOWN };

		if (arrow)
			name.size = (size_t)(arrow - text.data);
		text = arrow ? (struct slice){ arrow + 4, text.size -
							  name.size - 4 } :
			       (struct slice){ text.data, 0 };
		name = fl_slice_trim(name);
		frame.name = flame_name(base->flame, name.data, name.size);
		fl_trace_add(base->flame, &base->trace, &frame);
	}
	return fl_trace_stack(base->flame, 0, &base->trace);
}

static flame_id thread_of(struct reader *r, const struct task *task)
{
	struct flame *flame = r->base.flame;
	flame_id set = fl_thread(flame, task->name, task->tid);
	char number[24];

	if (task->pid < 0)
		return set;
	number[fl_format_u64(number, (uint64_t)task->pid)] = '\0';
	return flame_label(flame, set, fl_name(flame, "pid"),
			   fl_name(flame, number));
}

static void sample(struct reader *r, flame_id *metric, const char *name,
		   const char *unit, int64_t weight, flame_id stack,
		   flame_id thread)
{
	if (!*metric)
		*metric = flame_metric(r->base.flame, name, unit);
	r->base.metric = *metric;
	fl_line_reader_sample(&r->base, name, unit, weight, stack, thread);
}

static bool begins(struct slice line)
{
	struct slice word;

	return fl_dump_word(&line, &word) && fl_slice_is(word, "time") &&
	       fl_dump_word(&line, &word) && fl_slice_is(word, "cpu") &&
	       fl_slice_has(line, "task name") &&
	       fl_slice_has(line, "sch delay");
}

static void accept_line(struct fl_line_reader *base, struct slice line)
{
	struct reader *r = (struct reader *)base;
	struct task task;
	flame_id thread, stack;
	uint64_t *before;

	if (begins(line))	/* another recording */
		fl_map_clear(&r->stacks);
	if (!read_line(line, &task) || task.tid < 0 || !base->lines.ended)
		return;		/* headings, idle, wakeups, a cut line */
	thread = thread_of(r, &task);
	before = fl_map_put(&r->stacks, (uint64_t)task.tid, NULL);
	if (!before) {
		fl_no_memory(base->flame);
		return;
	}
	if (*before && task.wait)
		sample(r, &r->blocked, "off-cpu", "ns", task.wait,
		       (flame_id)(*before - 1), thread);
	*before = 0;
	if (!task.stack.size)
		return;
	stack = stack_of(r, task.stack);
	*before = (uint64_t)stack + 1;
	sample(r, &r->switches, "switches", "samples", 1, stack, thread);
}

/* The row of formats.def ------------------------------------------------ */

static void release(void *state)
{
	struct reader *r = state;

	fl_map_free(&r->stacks);
	fl_line_reader_free(&r->base);
}

static int read(struct flame_source *source)
{
	struct reader *r = source->state;
	int status = fl_line_reader_read(&r->base, accept_line);

	if (status != FLAME_END)
		return status;
	r->base.trace.count = 0;
	if (!r->base.lines.good)
		fl_remark(source->flame, "%s: no line has a stack: record with "
			  "perf sched record -g", fl_in_name(source->in));
	return fl_backtrace_end(&r->base);
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	return fl_dump_probe(head, n, whole, begins, 48);
}

const struct fl_format fl_format_timehist = {
	.name = "timehist",
	.summary = "what perf sched timehist prints",
	.probe = probe,
	.state_size = sizeof(struct reader),
	.open = fl_line_reader_open,
	.read = read,
	.release = release,
};
