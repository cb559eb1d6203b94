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

struct own {
	long key;		/* -1: as many as the header says, or one */
	bool stream;
};

static const struct cli_option options[] = {
	{ 0, "key", "[=N]", "lines begin with N columns, each ended by a tab",
	  .kind = CLI_TAKE },
	{ 0, "stream", NULL, "one stream of equal stacks (LC_ALL=C sort)",
	  CLI_FLAG, CLI_AT(stream) },
	{ .name = NULL }
};

/* The current line of an input. */
struct input {
	const char *name;
	struct flame_lines *lines;
	const char *key;	/* valid until the next line */
	size_t size;
	int64_t count;
	uint64_t line, good, bad, first_bad;
	char separator;		/* between key and count */
	bool headed;		/* it says what it counts */
	char sample[64];	/* of the first bad line */
};

enum { ENDED = 1 << 16 };	/* hashes that are remembered: 512 kB */

/* --stream: stacks that had ended, and come again.  See note_again. */
struct again {
	uint64_t *ended;	/* by hash: the last such; 0: none */
	uint64_t hash;		/* of the line to be written */
	uint64_t count, line;	/* how many; where the first is */
	const char *input;
	char key[64];
};

struct merge {
	struct cli *cli;
	struct flame *flame;
	long columns;		/* of the key, before the stack */
	struct header header;
	bool headed;		/* it was written, or there was none */
	struct flame_text *out;
	struct input **heap;	/* the least key first */
	size_t n;
	/* The line to be written. */
	char *key;
	size_t size, capacity;
	int64_t sum;
	char separator;
	bool begun;
	struct again again;
};

/* Lines ------------------------------------------------------------------- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool has_text(const char *line, size_t n)
{
	while (n && is_blank(line[n - 1]))
		n--;
	return n;
}

static bool is_comment(const char *line, size_t n)
{
	return n && line[0] == '#' && (n == 1 || is_blank(line[1]));
}

static const char *nth_tab(const char *at, size_t n, long columns)
{
	const char *end = at + n;

	for (; at && columns > 0; columns--) {
		at = memchr(at, '\t', end - at);
		at = at ? at + 1 : NULL;
	}
	return at;
}

static void not_understood(struct input *in, const char *line, size_t n)
{
	if (in->bad++)
		return;
	in->first_bad = in->line;
	if (n >= sizeof(in->sample))
		n = sizeof(in->sample) - 1;
	memcpy(in->sample, line, n);
	in->sample[n] = '\0';
}

enum { GOOD, BAD, TOO_MUCH };

/* "key count", perhaps with the tab that Hadoop puts after a lone key. */
static int parse(const struct merge *m, struct input *in, const char *line,
		 size_t n)
{
	size_t end = n, digits;
	int64_t count = 0;

	while (end && is_blank(line[end - 1]))
		end--;
	for (digits = end; digits && line[digits - 1] >= '0' &&
			   line[digits - 1] <= '9';)
		digits--;
	if (digits == end || !digits || !is_blank(line[digits - 1]) ||
	    !nth_tab(line, digits - 1, m->columns))
		return BAD;
	for (size_t i = digits; i < end; i++)
		if (__builtin_mul_overflow(count, 10, &count) ||
		    __builtin_add_overflow(count, line[i] - '0', &count))
			return TOO_MUCH;
	in->key = line;
	in->size = digits - 1;
	in->count = count;
	in->separator = line[digits - 1];
	return GOOD;
}

/*
 * Whether the input is a tar archive: its first line begins with the header of
 * its first file, which text is not.
 */
static bool is_archive(const struct input *in, const char *line, size_t n)
{
	enum { MAGIC = 257 };	/* where "ustar" stands */

	return in->line == 1 && n > MAGIC + strlen("ustar") &&
	       memcmp(line + MAGIC, "ustar", strlen("ustar")) == 0 &&
	       memchr(line, '\0', MAGIC);
}

/* Refuses a header after lines without one: their metric is unknown. */
static bool read_header(struct merge *m, struct input *in, const char *line,
			size_t n)
{
	const struct own *own = m->cli->own;
	bool late = m->headed && !m->header.input;

	in->headed = true;
	if (late)
		cli_say(m->cli, "%s: line %" PRIu64 ": a header after stacks "
			"without one", in->name, in->line);
	if (late || !header_take(m->cli, &m->header, in->name, line, n))
		return false;
	if (own->key < 0)
		m->columns = header_columns(&m->header) > 1 ?
			     header_columns(&m->header) : 1;
	return true;
}

/* FLAME_OK, FLAME_END, or FLAME_FAILED: the message is out. */
static int read_line(struct merge *m, struct input *in)
{
	const char *line;
	size_t n;
	int status;

	while ((status = flame_lines_next(in->lines, &line, &n)) == FLAME_OK) {
		in->line++;
		if (is_archive(in, line, n)) {
			cli_say(m->cli, "%s: a tar archive, whose files cannot "
				"be read side by side: use flame-fold",
				in->name);
			return FLAME_FAILED;
		}
		if (n && line[0] == '#' && header_is(line, n)) {
			if (!read_header(m, in, line, n))
				return FLAME_FAILED;
			continue;
		}
		if (!n || is_comment(line, n))
			continue;
		switch (parse(m, in, line, n)) {
		case GOOD:
			in->good++;
			return FLAME_OK;
		case TOO_MUCH:
			cli_say(m->cli, "%s: line %" PRIu64 ": the count "
				"passes 2^63", in->name, in->line);
			return FLAME_FAILED;
		}
		if (has_text(line, n))
			not_understood(in, line, n);
	}
	return status;
}

/* Output --------------------------------------------------------------- */

static int compare(const char *a, size_t n, const char *b, size_t m)
{
	int d = memcmp(a, b, n < m ? n : m);

	return d ? d : (n > m) - (n < m);
}

static bool flush(struct merge *m)
{
	char text[24];
	int n;

	if (!m->headed && !header_write(&m->header, m->out))
		return false;
	m->headed = true;
	if (!m->begun)
		return true;
	n = snprintf(text, sizeof(text), "%c%" PRId64 "\n", m->separator,
		     m->sum);
	flame_text_put(m->out, m->key, m->size);
	return flame_text_put(m->out, text, n) == FLAME_OK;
}

static bool begin(struct merge *m, const struct input *in)
{
	char *more;

	if (!flush(m))
		return false;
	if (in->size >= m->capacity) {
		more = realloc(m->key, in->size * 2 + 64);
		if (!more) {
			cli_no_memory(m->cli);
			return false;
		}
		m->key = more;
		m->capacity = in->size * 2 + 64;
	}
	memcpy(m->key, in->key, in->size);
	m->size = in->size;
	m->sum = in->count;
	m->separator = in->separator;
	m->begun = true;
	return true;
}

static uint64_t hash_key(const char *key, size_t n)
{
	uint64_t hash = n * 0x9e3779b97f4a7c15u, word;

	for (; n >= sizeof(word); key += sizeof(word), n -= sizeof(word)) {
		memcpy(&word, key, sizeof(word));
		hash = (hash ^ word) * 0xff51afd7ed558ccdu;
		hash ^= hash >> 32;
	}
	word = 0;
	memcpy(&word, key, n);
	hash = (hash ^ word) * 0xff51afd7ed558ccdu;
	hash ^= hash >> 32;
	return hash ? hash : 1;
}

/*
 * Equal stacks that do not adjoin stay several lines.  The table is of one
 * size, so that memory is: what was overwritten in it is not noticed, and two
 * stacks of one hash of 64 bits are taken for one.
 */
static void note_again(struct merge *m, const struct input *in)
{
	struct again *again = &m->again;
	uint64_t hash = hash_key(in->key, in->size);
	size_t size = in->size < sizeof(again->key) ? in->size :
						      sizeof(again->key) - 1;

	if (!again->ended)
		return;
	if (again->hash)
		again->ended[again->hash % ENDED] = again->hash;
	again->hash = hash;
	if (again->ended[hash % ENDED] != hash || again->count++)
		return;
	again->input = in->name;
	again->line = in->line;
	memcpy(again->key, in->key, size);
	again->key[size] = '\0';
}

static void report_again(const struct merge *m)
{
	const struct again *again = &m->again;

	if (again->count && !m->cli->quiet)
		cli_say(m->cli, "%s: line %" PRIu64 ": %s does not adjoin its "
			"equal before; such lines, which stay apart: %" PRIu64
			" or more, told by hashes of 64 bits (use LC_ALL=C "
			"sort)", again->input, again->line, again->key,
			again->count);
}

/*
 * Keys come out in ascending order: a smaller one than the last means that its
 * input is not sorted.
 */
static bool add(struct merge *m, const struct input *in, bool sorted)
{
	int d = m->begun ? compare(in->key, in->size, m->key, m->size) : 1;

	if (d && !sorted)
		note_again(m, in);
	if (d > 0 || (d < 0 && !sorted))
		return begin(m, in);
	if (d < 0) {
		cli_say(m->cli, "%s: line %" PRIu64 ": not sorted: %.*s (use "
			"flame-fold)", in->name, in->line,
			in->size > 60 ? 60 : (int)in->size, in->key);
		return false;
	}
	if (!__builtin_add_overflow(m->sum, in->count, &m->sum))
		return true;
	cli_say(m->cli, "%s: line %" PRIu64 ": the sum passes 2^63", in->name,
		in->line);
	return false;
}

/* Inputs ------------------------------------------------------------------ */

/* Equal keys come in the order of the inputs. */
static bool is_before(const struct input *a, const struct input *b)
{
	int d = compare(a->key, a->size, b->key, b->size);

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
		int status = read_line(m, &inputs[i]);

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

		if (!add(m, in, true))
			return false;
		status = read_line(m, in);
		if (status == FLAME_FAILED)
			return false;
		if (status == FLAME_END)
			m->heap[0] = m->heap[--m->n];
		if (m->n)
			sift_down(m, 0);
	}
	return flush(m);
}

/* Reads the inputs one after the other. */
static bool merge_stream(struct merge *m, struct input *inputs, size_t n)
{
	int status;

	m->again.ended = calloc(ENDED, sizeof(*m->again.ended));
	if (!m->again.ended) {
		cli_no_memory(m->cli);
		return false;
	}
	for (size_t i = 0; i < n; i++) {
		while ((status = read_line(m, &inputs[i])) == FLAME_OK)
			if (!add(m, &inputs[i], false))
				return false;
		if (status == FLAME_FAILED)
			return false;
	}
	report_again(m);
	return flush(m);
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

static bool take(struct cli *cli, const char *name, const char *value)
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
	.take = take,
	.rows = "",
	.run = run,
};

CLI_MAIN(flame_merge_main)
{
	struct own own = { 0 };

	return cli_main(&tool, &own, argc, argv);
}
