/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fl_blocked_look() copies the stack of a thread that waits in the kernel,
 * without stopping it, for wall.c and join.c to unwind.
 * /proc/PID/task/TID/syscall has the stack pointer and the program counter.
 * The thread's count of turns on a CPU (schedstat), read before and after,
 * shows whether it ran meanwhile.
 */
#include "fl.h"

#include "sample/blocked.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

ssize_t fl_read_task(pid_t pid, pid_t tid, const char *name, char *text,
		     size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "task/%d/%s", (int)tid, name);
	return fl_read_short(pid, path, text, size);
}

/* "RAN WAITED TURNS", in nanoseconds; kernels may lack it. */
static bool read_turns(struct fl_blocked *b, pid_t pid, pid_t tid,
		       uint64_t *turns)
{
	char text[128];

	*turns = b->ran = b->waited = 0;
	return fl_read_task(pid, tid, "schedstat", text, sizeof(text)) > 0 &&
	       sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64, &b->ran,
		      &b->waited, turns) == 3;
}

/*
 * "running"; or "-1 SP PC" of a thread that waits outside a system call; or
 * "NUMBER ARGUMENT... SP PC".
 */
static bool parse_syscall(char *text, struct fl_regs *regs)
{
	char *at, *end;
	uint64_t ip;

	memset(regs, 0, sizeof(*regs));
	text[strcspn(text, "\n")] = '\0';
	at = strrchr(text, ' ');
	if (!at || at == text)
		return false;
	ip = strtoull(at + 1, NULL, 16);
	*at = '\0';
	at = strrchr(text, ' ');
	if (!at)
		return false;
	regs->value[FL_REG_SP] = strtoull(at + 1, &end, 16);
	regs->value[FL_REG_IP] = ip;
	regs->known = FL_KNOWN(FL_REG_SP) | FL_KNOWN(FL_REG_IP);
	return !*end && ip && regs->value[FL_REG_SP];
}

static bool read_stack(struct fl_blocked *b, pid_t pid)
{
	uint64_t start = b->regs.value[FL_REG_SP];
	ssize_t n = fl_read_memory(pid, start, b->bytes, b->size);

	/* The thread still waits, so memory after the copy is unchanged. */
	b->stack = (struct fl_stack_bytes){
		.data = b->bytes, .start = start,
		.size = n > 0 ? (size_t)n : 0, .full = false,
	};
	return n > 0;
}

bool fl_blocked_init(struct fl_blocked *b, unsigned size, bool kernel)
{
	b->size = size;
	b->kernel = kernel;
	b->has_syscall = access("/proc/self/syscall", R_OK) == 0;
	b->bytes = fl_alloc(size);
	return b->bytes;
}

void fl_blocked_free(struct fl_blocked *b)
{
	fl_free(b->bytes);
	b->bytes = NULL;
}

enum fl_look fl_blocked_look(struct fl_blocked *b, pid_t pid, pid_t tid,
			     uint64_t *turns)
{
	uint64_t before, after;
	bool counts = read_turns(b, pid, tid, &before);
	char text[256];

	if (counts && *turns && before == *turns)
		return FL_LOOK_SAME;
	if (fl_read_task(pid, tid, "syscall", text, sizeof(text)) <= 0)
		return b->has_syscall && !counts ?
		       FL_LOOK_GONE : FL_LOOK_UNKNOWN;
	if (!parse_syscall(text, &b->regs))
		return FL_LOOK_RUNS;
	b->text[0] = '\0';
	if (b->kernel && fl_read_task(pid, tid, "stack", b->text,
				      sizeof(b->text)) < 0)
		b->text[0] = '\0';
	if (!read_stack(b, pid))
		return FL_LOOK_UNKNOWN;
	if (counts && read_turns(b, pid, tid, &after) && after != before)
		return FL_LOOK_RUNS;
	*turns = before;
	return FL_LOOK_BLOCKED;
}

/* "[<0>] hrtimer_nanosleep+0x74/0xf0", leaf first */
bool fl_blocked_kernel(struct fl_blocked *b, size_t *at, struct slice *name)
{
	const char *line = b->text + *at, *end = strchr(line, '\n');

	if (!end)
		return false;
	*at += (size_t)(end - line) + 1;
	if (line[0] == '[' && (line = memchr(line, ' ', (size_t)(end - line))))
		line++;
	else
		line = b->text + *at;
	name->data = line;
	name->size = 0;
	while (line + name->size < end && !strchr("+ \n", line[name->size]))
		name->size++;
	return true;
}
