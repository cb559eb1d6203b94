/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of flame-record --event of which every N make a sample: counters of
 * the kernel, accesses of an address, tracepoints (perf_event_open(2), and
 * tracefs of the kernel's documentation).  fl_counted_find() looks up a name
 * for the options, fl_counted_describe() fills in a struct perf_event_attr for
 * perf_events.c, and fl_counted_list() lists the names for --list.
 */
#include "fl.h"

#include "sample/perf_events.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CACHE(what, op, result)						\
	(PERF_COUNT_HW_CACHE_##what | PERF_COUNT_HW_CACHE_OP_##op << 8 | \
	 PERF_COUNT_HW_CACHE_RESULT_##result << 16)

static const struct row {
	const char *name, *other;	/* as perf spells it, too */
	uint32_t type;
	uint64_t config, period;
} rows[] = {
	{ "page-faults", "faults", PERF_TYPE_SOFTWARE,
	  PERF_COUNT_SW_PAGE_FAULTS, 1 },
	{ "minor-faults", NULL, PERF_TYPE_SOFTWARE,
	  PERF_COUNT_SW_PAGE_FAULTS_MIN, 1 },
	{ "major-faults", NULL, PERF_TYPE_SOFTWARE,
	  PERF_COUNT_SW_PAGE_FAULTS_MAJ, 1 },
	{ "context-switches", "cs", PERF_TYPE_SOFTWARE,
	  PERF_COUNT_SW_CONTEXT_SWITCHES, 1 },
	{ "cpu-migrations", "migrations", PERF_TYPE_SOFTWARE,
	  PERF_COUNT_SW_CPU_MIGRATIONS, 1 },
	{ "alignment-faults", NULL, PERF_TYPE_SOFTWARE,
	  PERF_COUNT_SW_ALIGNMENT_FAULTS, 1 },
	{ "emulation-faults", NULL, PERF_TYPE_SOFTWARE,
	  PERF_COUNT_SW_EMULATION_FAULTS, 1 },
	{ "cpu-clock", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK,
	  10000000 },
	{ "task-clock", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK,
	  10000000 },
	{ "cycles", "cpu-cycles", PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_CPU_CYCLES, 1000000 },
	{ "instructions", NULL, PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_INSTRUCTIONS, 1000000 },
	{ "cache-references", NULL, PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_CACHE_REFERENCES, 1000000 },
	{ "cache-misses", NULL, PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_CACHE_MISSES, 1000 },
	{ "branch-instructions", "branches", PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 1000000 },
	{ "branch-misses", NULL, PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_BRANCH_MISSES, 1000 },
	{ "bus-cycles", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES,
	  1000000 },
	{ "ref-cycles", NULL, PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_REF_CPU_CYCLES, 1000000 },
	{ "L1-dcache-load-misses", NULL, PERF_TYPE_HW_CACHE,
	  CACHE(L1D, READ, MISS), 1000000 },
	{ "LLC-load-misses", NULL, PERF_TYPE_HW_CACHE, CACHE(LL, READ, MISS),
	  1000 },
	{ "dTLB-load-misses", NULL, PERF_TYPE_HW_CACHE,
	  CACHE(DTLB, READ, MISS), 1000 },
	{ "iTLB-load-misses", NULL, PERF_TYPE_HW_CACHE,
	  CACHE(ITLB, READ, MISS), 1000 },
};

static bool take_row(const char *name, struct fl_counted *counted)
{
	for (size_t i = 0; i < FL_COUNT(rows); i++) {
		const struct row *row = &rows[i];

		if (strcmp(name, row->name) != 0 &&
		    (!row->other || strcmp(name, row->other) != 0))
			continue;
		counted->type = row->type;
		counted->config = row->config;
		counted->period = row->period;
		counted->time = row->type == PERF_TYPE_SOFTWARE &&
				(row->config == PERF_COUNT_SW_CPU_CLOCK ||
				 row->config == PERF_COUNT_SW_TASK_CLOCK);
		snprintf(counted->name, sizeof(counted->name), "%s", row->name);
		return true;
	}
	return false;
}

/* "mem:0x7f00[:SIZE][:rwx]": reads, writes or runs of an address. */
static bool take_address(const char *text, struct fl_counted *counted)
{
	char *end;
	uint64_t size = 1;
	uint32_t kind = 0;

	errno = 0;
	counted->address = strtoull(text, &end, 0);
	if (end == text || errno)
		return false;
	if (end[0] == ':' && fl_is_digit(end[1]))
		size = strtoull(end + 1, &end, 10);
	if (end[0] == ':')
		for (end++; *end; end++)
			kind |= *end == 'r' ? HW_BREAKPOINT_R :
				*end == 'w' ? HW_BREAKPOINT_W :
				*end == 'x' ? HW_BREAKPOINT_X : 1u << 31;
	if (*end || kind >> 31 ||
	    (size != 1 && size != 2 && size != 4 && size != 8))
		return false;
	counted->type = PERF_TYPE_BREAKPOINT;
	counted->breakpoint = kind ? kind : HW_BREAKPOINT_RW;
	/* That of an instruction has the size of a word. */
	counted->size = kind == HW_BREAKPOINT_X ? sizeof(long) : size;
	counted->period = 1;
	return true;
}

static const char *const tracing[] = {
	"/sys/kernel/tracing/events", "/sys/kernel/debug/tracing/events",
};

/* "sched:sched_switch", also of uprobes that were added there. */
static bool take_tracepoint(const char *name, struct fl_counted *counted,
			    struct fl_refusal *refusal)
{
	const char *colon = strchr(name, ':');
	char path[256];
	FILE *file = NULL;
	int error = ENOENT;

	for (size_t i = 0; i < FL_COUNT(tracing) && !file; i++) {
		snprintf(path, sizeof(path), "%s/%.*s/%s/id", tracing[i],
			 (int)(colon - name), name, colon + 1);
		file = fopen(path, "re");
		if (!file && errno != ENOENT)
			error = errno;
	}
	if (!file || fscanf(file, "%" SCNu64, &counted->config) != 1) {
		if (file)
			fclose(file);
		snprintf(refusal->text, sizeof(refusal->text), error == EACCES ?
			 "--event %s: tracepoints are root's to read (%s)" :
			 "--event %s: no such tracepoint (in %s)", name,
			 tracing[0]);
		return false;
	}
	fclose(file);
	counted->type = PERF_TYPE_TRACEPOINT;
	counted->period = 1;
	return true;
}

bool fl_counted_find(const char *name, struct fl_counted *counted,
		     struct fl_refusal *refusal)
{
	memset(counted, 0, sizeof(*counted));
	refusal->text[0] = '\0';
	if (take_row(name, counted))
		return true;
	snprintf(counted->name, sizeof(counted->name), "%s", name);
	if (strncmp(name, "mem:", 4) == 0) {
		if (take_address(name + 4, counted))
			return true;
		snprintf(refusal->text, sizeof(refusal->text), "--event %s: "
			 "mem:ADDRESS[:SIZE][:rwx], of 1, 2, 4 or 8 bytes",
			 name);
		return false;
	}
	return strchr(name, ':') && !strchr(name, '/') &&
	       take_tracepoint(name, counted, refusal);
}

bool fl_counted_in_kernel(const struct fl_counted *counted)
{
	return counted->type == PERF_TYPE_TRACEPOINT ||
	       (counted->type == PERF_TYPE_SOFTWARE &&
		(counted->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
		 counted->config == PERF_COUNT_SW_CPU_MIGRATIONS));
}

void fl_counted_describe(const struct fl_counted *counted,
			 struct perf_event_attr *attr)
{
	attr->type = counted->type;
	attr->config = counted->config;
	attr->freq = 0;
	attr->sample_period = counted->period;
	if (counted->type == PERF_TYPE_BREAKPOINT) {
		attr->bp_type = counted->breakpoint;
		attr->bp_addr = counted->address;
		attr->bp_len = counted->size;
	}
}

/* NULL: it can be counted here. */
static const char *lack(const struct row *row)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = row->type, .config = row->config,
		.sample_period = row->period, .exclude_kernel = 1,
		.exclude_hv = 1, .disabled = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1,
			      PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0) {
		close(fd);
		return NULL;
	}
	return errno == ENOENT || errno == EOPNOTSUPP || errno == ENODEV ?
	       "no such counter here (virtual machines often have none)" :
	       strerror(errno);
}

void fl_counted_list(void (*say)(void *arg, const char *name, uint64_t period,
				 const char *lack), void *arg)
{
	for (size_t i = 0; i < FL_COUNT(rows); i++)
		say(arg, rows[i].name, rows[i].period, lack(&rows[i]));
}
