/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps of bpftrace as a property: keys of random parts in any order (comm, pid,
 * both stacks, in the three modes of stacks), printed as text and as JSON, fold
 * to the stacks that they were made of.
 */
#include "fl.h"

#include "format/formats.h"
#include "printer.h"
#include "said.h"

#include <stdio.h>
#include <stdlib.h>

TestSuite(bpftrace_grammar, .init = start, .fini = stop, .timeout = 600);

enum { MAPS = 5000, ENTRIES = 5, DEPTH = 5 };

enum part { COMM, PID, USER, KERNEL, PARTS };

/* ustack(), ustack(perf), ustack(raw). */
enum mode { BPFTRACE, PERF, RAW, MODES };

static const char *const comms[] = { "burn", "kworker/0:1", "a b", "x:y" };
static const char *const user_names[] = {
	"main", "std::vector<int>::push_back(int&&)", "f(int, char)",
	"operator+", "spin", "(anonymous namespace)::g()",
};
static const char *const kernel_names[] = {
	"vfs_read", "ksys_read", "schedule", "do_sys_openat2",
};

/* A map: the same parts in the same order for all of its entries. */
struct map {
	enum part parts[PARTS];
	unsigned n;
	enum mode mode;
	const char *newline;	/* in a key: a newline, or \n of JSON */
	struct text text;
	char folded[ENTRIES][2000];
	size_t entries;
};

static void choose(struct map *m)
{
	for (unsigned i = 0; i < PARTS; i++)
		m->parts[i] = (enum part)i;
	for (unsigned i = PARTS; i-- > 1;) {
		unsigned k = random_below(i + 1);
		enum part swap = m->parts[i];

		m->parts[i] = m->parts[k];
		m->parts[k] = swap;
	}
	m->n = 1 + random_below(PARTS);
	m->mode = (enum mode)random_below(MODES);
	/* A key without a stack is none of ours. */
	for (unsigned i = 0; i < m->n; i++)
		if (m->parts[i] >= USER)
			return;
	m->parts[0] = random_below(2) ? USER : KERNEL;
}

/* A frame of the key, leaf first; what it folds to comes before the others. */
static void put_frame(struct map *m, bool kernel, bool root, char *folded)
{
	const char *name = !kernel ? user_names[random_below(
				FL_COUNT(user_names))] :
			   root ? "entry_SYSCALL_64_after_hwframe" :
			   kernel_names[random_below(FL_COUNT(kernel_names))];
	unsigned long long address = (kernel ? 0xffffffff81000000 :
				      0x55d2c0de0000) + random_below(0xffff);
	char all[2000], frame[200];
	size_t n;

	if (m->mode == PERF)
		put(&m->text, "%s\t%llx %s+%u%s", m->newline, address, name,
		    random_below(90), kernel ? "" : " (/opt/my app/x.so)");
	else if (m->mode == RAW)
		put(&m->text, "%s%llx", m->newline, address);
	else
		put(&m->text, "%s    %s+%u", m->newline, name,
		    random_below(90));
	if (m->mode == RAW)
		snprintf(frame, sizeof(frame), "%llx", address);
	else
		snprintf(frame, sizeof(frame), "%s", name);
	n = (size_t)snprintf(all, sizeof(all), "%s%s%s", frame,
			     kernel ? "_[k]" : "", *folded ? ";" : "");
	cr_assert(n + strlen(folded) < sizeof(all));
	strcpy(all + n, folded);
	strcpy(folded, all);
}

/* The stacks: the kernel's is on top of the user's. */
static void put_key(struct map *m, char *folded)
{
	char keys[200] = "", stacks[2][2000] = { "", "" };
	int n;

	for (unsigned i = 0; i < m->n; i++) {
		enum part part = m->parts[i];
		char value[40];

		if (i)
			put(&m->text, m->newline[0] == '\n' ? ", " : ",");
		if (part >= USER) {
			for (unsigned k = 1 + random_below(DEPTH); k--;)
				put_frame(m, part == KERNEL, !k,
					  stacks[part == KERNEL]);
			put(&m->text, "%s", m->newline);
			continue;
		}
		snprintf(value, sizeof(value), "%s", part == PID ? "4242" :
			 comms[random_below(FL_COUNT(comms))]);
		put(&m->text, "%s", value);
		if (part == PID)	/* a label */
			continue;
		snprintf(keys + strlen(keys), sizeof(keys) - strlen(keys),
			 "%s%s", *keys ? ";" : "", value);
	}
	n = snprintf(folded, 2000, "%s%s%s%s%s", keys,
		     *keys && *stacks[0] ? ";" : "", stacks[0],
		     (*keys || *stacks[0]) && *stacks[1] ? ";" : "", stacks[1]);
	cr_assert(n < 2000);
}

static void print_map(struct map *m, bool json)
{
	m->text.n = 0;
	m->newline = json ? "\\n" : "\n";
	put(&m->text, json ? "{\"type\": \"map\", \"data\": {\"@\": {" :
	    "Attaching 2 probes...\n\n\n");
	m->entries = 1 + random_below(ENTRIES);
	for (size_t i = 0; i < m->entries; i++) {
		unsigned count = 1 + random_below(1000);
		char folded[2000];
		int n;

		put(&m->text, json ? "%s\"" : "%s@[", json && i ? ", " : "");
		put_key(m, folded);
		put(&m->text, json ? "\": %u" : "]: %u\n", count);
		n = snprintf(m->folded[i], sizeof(m->folded[i]), "%s %u",
			     folded, count);
		cr_assert(n < (int)sizeof(m->folded[i]));
	}
	if (json)
		put(&m->text, "}}}\n");
}

static const char *fold(const struct text *text)
{
	struct flame_source *source;
	struct flame_sink *sink;

	stop();
	out = said = (struct fl_buf){ 0 };
	start();
	source = flame_open_memory(flame, text->at, text->n, "in", NULL);
	cr_assert(source, "%s", flame_error(flame));
	sink = fl_format_folded.create(flame, fl_out_memory(flame, &out));
	sink->picked = true;
	flame_pump(source, sink);
	flame_close(source);
	flame_finish(sink);
	fl_buf_byte(&said, '\0');
	fl_buf_byte(&out, '\0');
	return out.data;
}

/* The count of a line; *n: the bytes of its stack. */
static unsigned long long count_of(const char *line, size_t *n)
{
	const char *end = memrchr(line, ' ', strcspn(line, "\n"));

	*n = (size_t)(end - line);
	return strtoull(end + 1, NULL, 10);
}

/* Whether a stack is one of the lines, and the sum of all. */
static bool find(const char *lines, const char *stack, size_t size,
		 unsigned long long *sum)
{
	bool found = false;
	size_t n;

	*sum = 0;
	for (const char *at = lines; *at; at = strchr(at, '\n') + 1) {
		*sum += count_of(at, &n);
		found |= n == size && memcmp(at, stack, n) == 0;
	}
	return found;
}

/* Entries of the same stack are one line: the sums are compared. */
static bool is_folded(const struct map *m, const char *lines)
{
	unsigned long long sum = 0, is = 0;
	size_t n;

	for (size_t i = 0; i < m->entries; i++) {
		sum += count_of(m->folded[i], &n);
		if (!find(lines, m->folded[i], n, &is))
			return false;
	}
	return is == sum;
}

static void try(bool json)
{
	static struct map m;
	unsigned wrong = 0;

	for (unsigned i = 0; i < MAPS && wrong < 5; i++) {
		state = i;
		choose(&m);
		print_map(&m, json);
		if (is_folded(&m, fold(&m.text)))
			continue;
		wrong++;
		cr_expect(false, "map %u:\n%s\nis\n%snot\n%s ...\n%s", i,
			  m.text.at, out.data, m.folded[0], said.data);
	}
}

Test(bpftrace_grammar, any_key_of_a_text_folds_to_its_stacks)
{
	try(false);
}

Test(bpftrace_grammar, any_key_of_json_folds_to_its_stacks)
{
	try(true);
}
