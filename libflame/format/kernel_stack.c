/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads stacks of the Linux kernel, leaf first, each as a sample of the metric
 * threads: those of /proc/PID/stack, one or many,
 *
 *	[<0>] do_wait+0x5b/0xe0
 *	[<0>] entry_SYSCALL_64_after_hwframe+0x76/0x7e
 *
 * and of all tasks in its log (SysRq t, w and l; hung tasks, warnings):
 *
 *	[  12.345678] task:bash  state:S stack:0 pid:1234 ppid:1 flags:0x2
 *	[  12.345678] Call Trace:
 *	[  12.345678]  <TASK>
 *	[  12.345678]  schedule+0x29/0x70
 *	[  12.345678]  ? finish_wait+0x1/0x60
 *
 * Frames with a question mark are guesses, and are left out.
 */
#include "fl.h"

#include "format/format.h"

struct reader {
	struct fl_dump dump;
	bool proc;		/* the open stack is of /proc */
	bool in_trace;		/* of the log, after "Call Trace:" */
};

/* Without "<6>", "[  12.345678] " and what a journal writes before these. */
static struct slice without_time(struct slice line)
{
	const char *at = memchr(line.data, '[', line.size);
	struct slice time;

	if (!at || at[-(at > line.data)] == '+')
		return line;
	time = fl_slice_from(line, (size_t)(at + 1 - line.data));
	while (time.size && (fl_is_digit(time.data[0]) ||
			     time.data[0] == ' ' || time.data[0] == '.'))
		time = fl_slice_from(time, 1);
	if (!fl_slice_starts(time, "] ") && !fl_slice_is(time, "]"))
		return line;
	return fl_slice_from(time, FL_MIN(time.size, (size_t)2));
}

/* "schedule+0x29/0x70 [kernel]": the name, without offset and module. */
static bool read_function(struct slice text, struct slice *name)
{
	const char *plus = memchr(text.data, '+', text.size);
	struct slice rest;

	*name = (struct slice){ text.data, 0 };
	if (!plus || plus == text.data)
		return false;
	name->size = (size_t)(plus - text.data);
	rest = fl_slice_from(text, name->size + 1);
	return fl_slice_starts(rest, "0x") &&
	       memchr(rest.data, '/', rest.size) &&
	       !memchr(name->data, ' ', name->size);
}

/* "[<0>] do_wait+0x5b/0xe0", "[<ffffffff81234567>] do_wait+0x5b/0xe0" */
static bool read_proc(struct slice text, struct slice *name)
{
	struct slice address;

	if (!fl_slice_starts(text, "[<"))
		return false;
	text = fl_slice_from(text, 2);
	address = fl_slice_split(&text, '>');
	for (size_t i = 0; i < address.size; i++)
		if (!fl_is_hex(address.data[i]))
			return false;
	if (!address.size || !fl_slice_starts(text, "] "))
		return false;
	text = fl_slice_from(text, 2);
	/* "0xffffffffffffffff" ends the stacks of old kernels. */
	if (fl_slice_starts(text, "0x")) {
		*name = fl_slice_from(text, text.size);
		return true;
	}
	return read_function(text, name);
}

static void add_frame(struct fl_dump *dump, struct slice name)
{
	struct flame *flame = dump->source->flame;

	fl_dump_frame(dump, fl_frame(flame, flame_name(flame, name.data,
						       name.size),
				     FLAME_KERNEL));
}

/* Threads begin there, or enter the kernel. */
static bool is_root(struct slice name)
{
	static const char *const roots[] = {
		"entry_SYSCALL", "entry_INT80", "ret_from_fork", "asm_",
		"system_call_fastpath", "do_syscall_64_after", "el0t_",
		"el0_svc_naked", "ret_fast_syscall", "start_secondary",
	};

	for (size_t i = 0; i < FL_COUNT(roots); i++)
		if (fl_slice_starts(name, roots[i]))
			return !fl_slice_is(name, "ret_from_fork");
	return false;
}

/* Log ---------------------------------------------------------------------- */

static struct slice value_of(struct slice text, const char *key)
{
	const char *at = fl_slice_find(text, key);
	struct slice word;

	if (!at)
		return fl_slice_from(text, text.size);
	text = fl_slice_from(text, (size_t)(at - text.data) + strlen(key));
	return fl_dump_word(&text, &word) ? word :
	       fl_slice_from(text, text.size);
}

/* R, S, D: as ps has them. */
static const char *state_of(char c)
{
	static const char *const states[][2] = {
		{ "R", "STATE_RUNNABLE" }, { "S", "STATE_SLEEPING" },
		{ "D", "STATE_BLOCKED" }, { "I", "STATE_IDLE" },
		{ "T", "STATE_STOPPED" }, { "Z", "STATE_TERMINATED" },
	};

	for (size_t i = 0; i < FL_COUNT(states); i++)
		if (states[i][0][0] == c)
			return states[i][1];
	return NULL;
}

/*
 * "task:bash state:S stack:0 pid:7 ppid:1 flags:0x2", before Linux 5.11
 * "bash  S ffff880000000000  0  1234  1233 0x00000000"
 */
static bool read_task(struct slice text, struct slice *name,
		      struct slice *state, int64_t *pid)
{
	struct slice rest, word, all = text;
	const char *end;

	if (fl_slice_starts(text, "task:")) {
		*state = value_of(text, " state:");
		end = fl_slice_find(text, " state:");
		if (!end || !state->size ||
		    !fl_parse_digits(value_of(text, " pid:"), pid))
			return false;
		*name = fl_slice_trim((struct slice){ text.data + 5,
				(size_t)(end - text.data) - 5 });
		return true;
	}
	/* The numbers at the end. */
	for (unsigned i = 0; i < 5; i++) {
		if (!fl_slice_last_word(&text, &word))
			return false;
		text = fl_slice_trim_end(text);
		if ((i == 0 && !fl_slice_starts(word, "0x")) ||
		    ((i == 1 || i == 3) && !fl_slice_digits(word)) ||
		    (i == 2 && !fl_parse_digits(word, pid)))
			return false;
	}
	if (!fl_slice_last_word(&text, state) || state->size != 1 ||
	    !state_of(state->data[0]))
		return false;
	rest = fl_slice_trim(text);
	*name = rest;
	return all.data == rest.data && rest.size > 0 && rest.size < 16;
}

/* "CPU: 0 PID: 1234 Comm: bash ..." of warnings and SysRq l. */
static bool read_cpu(struct slice text, struct slice *name, int64_t *pid)
{
	if (!fl_slice_starts(text, "CPU: ") ||
	    !fl_parse_digits(value_of(text, " PID: "), pid))
		return false;
	*name = value_of(text, " Comm: ");
	return name->size > 0;
}

static void begin(struct fl_dump *dump, struct slice name, int64_t pid)
{
	struct reader *r = (struct reader *)dump;

	fl_dump_end(dump);
	fl_dump_begin(dump, name);
	dump->tid = pid;
	r->proc = r->in_trace = false;
}

/* A line after "Call Trace:"; false: it is not of the stack. */
static bool take_trace(struct fl_dump *dump, struct slice text)
{
	struct slice name;

	text = fl_slice_trim(text);
	if (fl_slice_starts(text, "? ") || fl_slice_starts(text, "<") ||
	    fl_slice_has(text, "] ? "))
		return true;
	if (!read_proc(text, &name) && !read_function(text, &name))
		return false;
	if (name.size)
		add_frame(dump, name);
	return true;
}

static bool take_log(struct fl_dump *dump, struct slice line)
{
	struct reader *r = (struct reader *)dump;
	struct slice text = without_time(line), name, state;
	int64_t pid;

	if (read_task(text, &name, &state, &pid)) {
		begin(dump, name, pid);
		dump->state = state_of(state.data[0]);
	} else if (read_cpu(text, &name, &pid)) {
		begin(dump, name, pid);
	} else if (fl_slice_starts(text, "Call Trace:") ||
		   fl_slice_starts(text, "Call trace:")) {
		if (!dump->open)
			begin(dump, fl_slice_from(text, text.size), -1);
		r->in_trace = true;
	} else if (r->in_trace && !r->proc) {
		if (!take_trace(dump, text)) {
			r->in_trace = false;
			/* Half a line may be a frame. */
			if (dump->lines.ended)
				fl_dump_end(dump);
			else
				fl_dump_lose(dump);
		}
	} else {
		return false;
	}
	return true;
}

/* Both --------------------------------------------------------------------- */

static void accept_line(struct fl_dump *dump, struct slice line)
{
	struct reader *r = (struct reader *)dump;
	struct slice name, text;

	if (take_log(dump, line))
		return;
	text = fl_slice_trim(line);
	if (!read_proc(text, &name)) {
		if (r->proc && dump->open && !dump->lines.ended)
			fl_dump_lose(dump);
		else if (r->proc)
			fl_dump_end(dump);
		return;
	}
	if (!dump->open) {
		fl_dump_begin(dump, fl_slice_from(text, text.size));
		r->proc = true;
	}
	if (name.size)
		add_frame(dump, name);
	if (!name.size || is_root(name))
		fl_dump_end(dump);
}

static bool begins(struct slice line)
{
	struct slice text = without_time(line), name;

	return fl_slice_is(fl_slice_trim(text), "Call Trace:") ||
	       fl_slice_is(fl_slice_trim(text), "Call trace:") ||
	       (read_proc(fl_slice_trim(line), &name) && name.size);
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	return fl_dump_probe(head, n, whole, begins, 40);
}

static int read(struct flame_source *source)
{
	return fl_dump_read(source->state, accept_line, fl_dump_end_of_lines);
}

const struct fl_format fl_format_kernel_stack = {
	.name = "kernel-stack",
	.summary = "/proc/PID/stack, and tasks in the kernel's log",
	.probe = probe,
	.state_size = sizeof(struct reader),
	.open = fl_dump_open,
	.read = read,
	.release = fl_dump_free,
};
