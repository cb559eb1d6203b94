/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame-merge: merges sorted folded streams and holds one line of each in
 * memory.  Names are not parsed: the text before a line's count is its key, and
 * counts of equal keys are added.
 */
#include "merge.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static const struct cli_option options[] = {
	{ 0, "key", "[=N]", "lines begin with N columns, each ended by a tab",
	  .kind = CLI_TAKE },
	{ 0, "stream", NULL, "one stream of equal stacks (LC_ALL=C sort)",
	  CLI_FLAG, CLI_AT(stream) },
	{ .name = NULL }
};

/* Inputs ------------------------------------------------------------------ */

/* Equal keys come in the order of the inputs. */
static bool is_before(const struct input *a, const struct input *b)
{
	int d = merge_compare(a->key, a->size, b->key, b->size);

	return d ? d < 0 : a < b;
}

static void sift_down(struct merge *m, size_t i)
{
	struct input *in = m->heap[i];
	size_t child;

	for (; (child = 2 * i + 1) < m->n; i = child) {
		if (child + 1 < m->n &&
		    is_before(m->heap[child + 1], m->heap[child]))
			child++;
		if (is_before(in, m->heap[child]))
			break;
		m->heap[i] = m->heap[child];
	}
	m->heap[i] = in;
}

/* Merges inputs that are all open at once. */
static bool merge_sorted(struct merge *m, struct input *inputs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int status = merge_read_line(m, &inputs[i]);

		if (status == FLAME_FAILED)
			return false;
		if (status == FLAME_OK)
			m->heap[m->n++] = &inputs[i];
	}
	for (size_t i = m->n / 2; i--;)
		sift_down(m, i);
	while (m->n) {
		struct input *in = m->heap[0];
		int status;

		if (!merge_add(m, in, true))
			return false;
		status = merge_read_line(m, in);
		if (status == FLAME_FAILED)
			return false;
		if (status == FLAME_END)
			m->heap[0] = m->heap[--m->n];
		if (m->n)
			sift_down(m, 0);
	}
	return merge_flush(m);
}

/* Reads the inputs one after the other. */
static bool merge_stream(struct merge *m, struct input *inputs, size_t n)
{
	int status;

	m->again.ended = calloc(MERGE_ENDED, sizeof(*m->again.ended));
	if (!m->again.ended) {
		cli_no_memory(m->cli);
		return false;
	}
	for (size_t i = 0; i < n; i++) {
		while ((status = merge_read_line(m, &inputs[i])) == FLAME_OK)
			if (!merge_add(m, &inputs[i], false))
				return false;
		if (status == FLAME_FAILED)
			return false;
	}
	merge_report_again(m);
	return merge_flush(m);
}

/* Raises the limit of open files: all inputs of a job are open at once. */
static void open_many(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 ||
	    limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* Inputs that cannot be opened are reported and skipped. */
static size_t open_inputs(struct merge *m, struct input *inputs)
{
	size_t n = 0;

	for (size_t i = 0; i < m->cli->ninputs; i++) {
		const char *path = m->cli->inputs[i];
		struct input *in = &inputs[n];

		in->lines = flame_lines_open(m->flame, path);
		in->name = strcmp(path, "-") ? path : "standard input";
		if (in->lines) {
			n++;
			continue;
		}
		if (!cli_pass_over(m->cli, m->flame))
			break;
	}
	return n;
}

/*
 * Whether the input is empty, as the other tools define it; a damaged one was
 * reported before.
 */
static bool is_empty(const struct input *in)
{
	return !in->good && !in->bad && !in->headed &&
	       flame_lines_damage(in->lines) == FLAME_NONE_LOST;
}

static void report_problems(const struct merge *m, const struct input *in)
{
	if (in->bad)
		cli_say(m->cli, "%s: %" PRIu64 " lines not understood, "
			"the first is line %" PRIu64 ": %s", in->name,
			in->bad, in->first_bad, in->sample);
	else if (is_empty(in))
		cli_say(m->cli, "%s: the file %s", in->name, in->line ?
			"has only blank lines and comments" : "is empty");
}

/* --quiet: report what the exit status depends on nevertheless. */
static int status_of(const struct merge *m, const struct input *inputs,
		     size_t n)
{
	uint64_t good = 0, bad = flame_warnings(m->flame);
	bool lost = n < m->cli->ninputs, empty = false, fails;

	for (size_t i = 0; i < n; i++) {
		good += inputs[i].good;
		bad += inputs[i].bad;
		empty |= is_empty(&inputs[i]);
		lost |= flame_lines_damage(inputs[i].lines) ==
			FLAME_NOT_READ_ON;
	}
	fails = m->cli->strict ? bad || empty : bad && !good;
	if (cli_passes_losses(m->cli))
		fails = lost = false;
	for (size_t i = 0; i < n && (fails || !m->cli->quiet); i++)
		report_problems(m, &inputs[i]);
	if ((fails || lost) && m->cli->unsaid[0])
		cli_say(m->cli, "%s", m->cli->unsaid);
	return fails || lost ? CLI_TROUBLE : CLI_FINE;
}

/* A part of a job may be of nothing: of a reducer, or with a header. */
static bool refuse_empty(const struct merge *m, const struct input *inputs,
			 size_t n)
{
	const struct own *own = m->cli->own;

	if (own->stream || m->cli->empty_ok || m->cli->lenient)
		return false;
	for (size_t i = 0; i < n; i++)
		if (inputs[i].good || inputs[i].bad || inputs[i].headed)
			return false;
	for (size_t i = 0; i < n; i++)
		report_problems(m, &inputs[i]);
	cli_say(m->cli, "there is no stack to merge (--empty ok allows it)");
	return true;
}

static int merge(struct merge *m, struct input *inputs)
{
	const struct own *own = m->cli->own;
	size_t n;
	int status = CLI_TROUBLE;

	open_many();
	n = open_inputs(m, inputs);
	if (n || cli_passes_losses(m->cli))
		m->out = flame_text_create(m->flame, m->cli->output);
	if (m->out && (own->stream ? merge_stream(m, inputs, n) :
				     merge_sorted(m, inputs, n)) &&
	    !refuse_empty(m, inputs, n)) {
		status = status_of(m, inputs, n);
		if (flame_text_finish(m->out) != FLAME_OK)
			status = CLI_TROUBLE;
	} else {
		flame_text_abandon(m->out);
	}
	for (size_t i = 0; i < n; i++)
		flame_lines_close(inputs[i].lines);
	return status;
}

static int run(struct cli *cli, struct flame *flame)
{
	const struct own *own = cli->own;
	struct merge m = { .cli = cli, .flame = flame,
			   .columns = own->key < 0 ? 1 : own->key };
	struct input *inputs = calloc(cli->ninputs + 1, sizeof(*inputs));
	int status = CLI_TROUBLE;

	m.heap = calloc(cli->ninputs + 1, sizeof(*m.heap));
	if (inputs && m.heap)
		status = merge(&m, inputs);
	else
		cli_no_memory(cli);
	free(m.heap);
	free(m.key);
	free(m.again.ended);
	header_free(&m.header);
	free(inputs);
	return status;
}

static bool set_option(struct cli *cli, const char *name, const char *value)
{
	struct own *own = cli->own;
	char *end;

	(void)name;
	if (!value) {
		own->key = -1;
		return true;
	}
	own->key = strtol(value, &end, 10);
	if (end != value && !*end && own->key >= 0 && own->key < INT_MAX)
		return true;
	cli_say(cli, "--key %s: a number of columns", value);
	return false;
}

static const struct cli_tool tool = {
	.name = "flame-merge",
	.usage = "[options] [FILE...]",
	.about = "Merges sorted folded stacks, in no more memory than a line "
		 "of each.",
	.examples = "  flame-merge a.folded b.folded.gz > both.folded\n"
		    "  LC_ALL=C sort *.folded | flame-merge --stream > all.folded\n",
	.format = "folded",
	.options = options,
	.set_option = set_option,
	.rows = "",
	.run = run,
};

CLI_MAIN(flame_merge_main)
{
	struct own own = { 0 };

	return cli_main(&tool, &own, argc, argv);
}
