/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Detects folded text (fl_folded_probe), and its dialect for read.c:
 * fl_folded_sniff() reads the first lines of an input and fills a struct
 * fl_folded_dialect.  One line is ambiguous: "main;Thread 5 7" has one count or
 * two, "8 a;b" has its count first or none.  So the majority of them decides.
 */
#include "fl.h"

#include "format/folded/folded.h"

enum {
	SNIFF_BYTES = 256 << 10,
	PROBE_LINES = 100, PROBE_BYTES = 64 << 10,
	MAX_FIRST_LINE = 64 << 20	/* bytes; else it is not folded text */
};

/* The number of lines that have each property. */
struct seen {
	unsigned lines, semicolons;
	unsigned last, last_percent, last_semicolons, odd;
	unsigned first, first_percent, first_semicolons;
	unsigned first_only;	/* a count at the beginning alone */
	unsigned two, three, repeated;
	unsigned offset, key, place;
	unsigned pt, comm;
	unsigned rows;		/* of CSV */
	unsigned remarks;	/* after counts */
	unsigned callee, caller;	/* stacks of perf report, by order */
	struct slice symbol;	/* of its last row */
	unsigned numbers;	/* lines of fields, one a number: of a table */
	unsigned units;		/* that end in a count with a unit */
	unsigned fields, even;	/* lines with as many as the first */
	unsigned first_fields;	/* lines that begin as another does */
	uint64_t first_field;
	bool austin, report, children, bad_start;
	bool header;		/* our header, which names the columns */
	unsigned nkeys;
	int64_t offset_before, place_wanted;
	struct fl_map *stacks;	/* of lines with two counts; NULL: no */
};

bool fl_folded_comment(struct slice line)
{
	return line.size && line.data[0] == '#' &&
	       (line.size == 1 || fl_is_blank(line.data[1]));
}

static size_t count_digits(struct slice text, size_t i)
{
	size_t from = i;

	while (i < text.size && fl_is_digit(text.data[i]))
		i++;
	return i - from;
}

bool fl_folded_is_austin(struct slice line)
{
	size_t n = line.size && line.data[0] == 'P' ? count_digits(line, 1) : 0;

	return n && line.size > n + 4 && line.data[n + 1] == ';' &&
	       line.data[n + 2] == 'T' && count_digits(line, n + 3);
}

bool fl_folded_is_comm(struct slice frame, struct slice *comm,
		       struct slice *pid, struct slice *tid)
{
	size_t slash = frame.size, dash;

	while (slash && frame.data[slash - 1] != '/')
		slash--;
	if (slash < 4 || slash == frame.size ||
	    count_digits(frame, slash) != frame.size - slash)
		return false;
	for (dash = slash - 1; dash && frame.data[dash - 1] != '-';)
		dash--;
	if (dash < 2 || dash == slash - 1 ||
	    (count_digits(frame, dash) != slash - 1 - dash &&
	     (frame.data[dash] != '?' || dash + 2 != slash)))
		return false;
	*comm = (struct slice){ frame.data, dash - 1 };
	*pid = (struct slice){ frame.data + dash, slash - 1 - dash };
	*tid = fl_slice_from(frame, slash);
	return true;
}

static bool has_comm(struct slice line)
{
	struct slice comm, pid, tid;

	return memchr(line.data, ';', line.size) &&
	       fl_folded_is_comm(fl_slice_split(&line, ';'), &comm, &pid, &tid);
}

/* 1939,0,-253952 */
static bool is_triple(struct slice word)
{
	struct fl_decimal count;

	if (fl_slice_ends(word, ","))
		return false;
	for (unsigned i = 0; i < 3; i++)
		if (!fl_decimal_parse(fl_slice_split(&word, ','), &count))
			return false;
	return !word.size;
}

/* A quick check of the byte where a count begins or ends. */
static bool may_be_count(char c)
{
	return c && strchr("0123456789.+-%", c);
}

/* A diff has each stack once; threads whose names end in numbers do not. */
static void see_two(struct seen *seen, struct slice stack)
{
	struct fl_decimal count;
	struct slice word;
	uint64_t *known;

	if (!stack.size || !may_be_count(stack.data[stack.size - 1]) ||
	    !fl_slice_last_word(&stack, &word) ||
	    !fl_decimal_parse(word, &count))
		return;
	seen->two++;
	if (!seen->stacks)
		return;
	stack = fl_slice_trim_end(stack);
	known = fl_map_put(seen->stacks, fl_hash(stack.data, stack.size), NULL);
	if (known && (*known)++)
		seen->repeated++;
}

static void see_last(struct seen *seen, struct slice line, bool semicolon)
{
	struct fl_decimal count;
	struct slice word;
	int64_t n;

	if (!fl_slice_last_word(&line, &word))
		return;
	if (is_triple(word)) {
		seen->three++;
	} else if (fl_decimal_parse(word, &count)) {
		seen->last_percent += count.percent;
		see_two(seen, line);
	} else {
		return;
	}
	seen->odd += !fl_parse_int(word, &n) || n < 0;
	seen->last++;
	seen->last_semicolons += semicolon;
}

static void see_first(struct seen *seen, struct slice line, bool semicolon,
		      bool has_last)
{
	struct fl_decimal count;
	struct slice word;

	if (!(fl_is_blank(*line.data) || may_be_count(*line.data)) ||
	    !fl_slice_first_word(&line, &word) ||
	    !fl_decimal_parse(word, &count))
		return;
	seen->first++;
	seen->first_only += !has_last;
	seen->first_percent += count.percent;
	seen->first_semicolons += semicolon;
}

/*
 * "123<tab>stack 5": Hadoop's offsets in a file, which ascend.  With a second
 * tab the numbers may be keys, unless they differ by the sizes of the lines.
 */
static void see_tabs(struct seen *seen, struct slice line)
{
	struct slice field, rest = line, stack = line;
	bool number, two;
	int64_t n = 0;

	if (!fl_slice_field(&rest, &field))
		return;
	stack = rest;
	number = fl_parse_digits(field, &n);
	two = memchr(rest.data, '\t', rest.size);
	if (number && (!seen->offset || n > seen->offset_before))
		seen->offset++;
	if (number && two && (!seen->place || n == seen->place_wanted))
		seen->place++;
	seen->place_wanted = n + (int64_t)stack.size + 1;
	seen->offset_before = n;
	if (two && field.size && !memchr(field.data, ';', field.size) &&
	    fl_slice_field(&rest, &field) && rest.size &&
	    !memchr(rest.data, '\t', rest.size))
		seen->key++;
}

/* "12", "1,5", "3.2%", "2026-01-31", "10:00:00"; not "0x12" */
static bool is_number(struct slice field)
{
	size_t digits = 0;

	for (size_t i = 0; i < field.size; i++) {
		if (!field.data[i] || !strchr("0123456789.,:-+%/ ",
					      field.data[i]))
			return false;
		digits += fl_is_digit(field.data[i]);
	}
	return digits > 0;
}

/* What distinguishes a table from stacks without counts. */
static void see_fields(struct seen *seen, struct slice line)
{
	struct slice field = fl_slice_split(&line, ';');
	uint64_t hash = fl_hash(field.data, field.size);
	bool number = is_number(fl_slice_trim(field));
	unsigned n = 1;

	for (; line.size; n++)
		number |= is_number(fl_slice_trim(fl_slice_split(&line, ';')));
	if (seen->lines == 1) {
		seen->fields = n;
		seen->first_field = hash;
	}
	seen->numbers += number;
	seen->even += n == seen->fields;
	seen->first_fields += hash == seen->first_field;
}

/*
 * Rows of a table: most have a number in a field of its own, or all have the
 * same number of fields and none begins as the first does.  Stacks of a
 * program have a root.
 */
static bool is_table(const struct seen *seen)
{
	return seen->numbers * 2 >= seen->lines ||
	       (seen->lines > 2 && seen->fields > 2 &&
		seen->even == seen->lines && seen->first_fields == 1);
}

/* "...; key=app,stage" */
static unsigned count_keys(struct slice header)
{
	struct slice fact;
	unsigned n = 0;

	while (header.size) {
		fact = fl_slice_split(&header, ';');
		if (!fl_slice_starts(fact, " key="))
			continue;
		for (n = 1; fact.size; n++)
			fl_slice_split(&fact, ',');
		return n - 1;
	}
	return 0;
}

static void see_comment(struct seen *seen, struct slice line)
{
	if (fl_slice_starts(line, FL_FOLDED_HEADER) && !seen->header) {
		seen->header = true;
		seen->nkeys = count_keys(line);
	}
	seen->austin |= fl_slice_starts(line, "# austin: ");
	seen->children |= fl_slice_starts(line, "# Children ");
	seen->report |= seen->children ||
			fl_slice_starts(line, "# Overhead ");
}

bool fl_folded_row(struct slice line, struct slice *stack,
		   struct slice *count)
{
	size_t i = line.size, from;

	while (i && fl_is_digit(line.data[i - 1]))
		i--;
	if (i == line.size || i < 2 || line.data[i - 1] != ',')
		return false;
	*count = fl_slice_from(line, i);
	*stack = (struct slice){ line.data, i - 1 };
	if (line.data[0] == '"')
		return i > 3 && line.data[i - 2] == '"';
	/* "a;b 3,5" has a decimal count, or two. */
	for (from = i - 1; from && !fl_is_blank(line.data[from - 1]); from--)
		;
	return !fl_is_digit(line.data[from]) && line.data[from] != ',';
}

bool fl_folded_cut_remark(struct slice *line)
{
	struct fl_decimal count;
	struct slice s = *line, text, word;

	for (s.size = 2; s.size < line->size; s.size++) {
		if (line->data[s.size] != '#' ||
		    !fl_is_blank(line->data[s.size - 1]))
			continue;
		text = fl_slice_trim_end(s);
		if (fl_slice_last_word(&text, &word) &&
		    fl_decimal_parse(word, &count)) {
			*line = fl_slice_trim_end(s);
			return true;
		}
	}
	return false;
}

/* "  33.82%  burn  libc.so  [.] read": the function is the stacks' leaf. */
static struct slice symbol_of(struct slice row)
{
	for (size_t i = 4; i + 1 < row.size; i++)
		if (row.data[i] == ' ' && row.data[i - 1] == ']' &&
		    row.data[i - 3] == '[' && row.data[i - 4] == ' ')
			return fl_slice_trim((struct slice){
				row.data + i + 1, row.size - i - 1 });
	return (struct slice){ "", 0 };
}

static bool is_symbol(struct slice frame, struct slice symbol)
{
	return frame.size >= symbol.size &&
	       memcmp(frame.data, symbol.data, symbol.size) == 0 &&
	       (frame.size == symbol.size || frame.data[symbol.size] == ' ');
}

/* Whether the row's function is the first frame of the stack, or the last. */
static void see_order(struct seen *seen, struct slice line)
{
	struct slice first, last, word;
	const char *semicolon;

	if (!fl_slice_first_word(&line, &word) ||
	    !(semicolon = memrchr(line.data, ';', line.size)))
		return;
	last = (struct slice){ semicolon + 1, (size_t)(line.data + line.size -
						       semicolon) - 1 };
	first = fl_slice_split(&line, ';');
	if (!seen->symbol.size ||
	    is_symbol(first, seen->symbol) == is_symbol(last, seen->symbol))
		return;
	if (is_symbol(first, seen->symbol))
		seen->callee++;
	else
		seen->caller++;
}

static void see(struct seen *seen, struct slice line)
{
	struct slice stack, count;
	unsigned last = seen->last;
	bool semicolon;

	if (line.size && line.data[line.size - 1] == '\r')
		line.size--;
	if (fl_folded_comment(line)) {
		see_comment(seen, line);
		return;
	}
	/* Tabs at its beginning matter, so only its end is trimmed. */
	if (seen->report && line.size && line.data[0] == ' ')
		seen->symbol = symbol_of(line);
	if (!fl_slice_trim_end(line).size ||
	    (seen->report && line.data[0] == ' '))
		return;
	if (!seen->lines)
		seen->bad_start = line.data[0] == '{' ||
				  fl_slice_starts(line, "<!") ||
				  fl_slice_starts(line, "<?") ||
				  fl_slice_starts(line, "<html") ||
				  fl_slice_starts(line, "<svg") ||
				  fl_slice_starts(line, "<table") ||
				  fl_slice_starts(line, "[{");
	line = fl_slice_trim_end(line);
	semicolon = memchr(line.data, ';', line.size - 1);
	seen->lines++;
	seen->semicolons += semicolon && line.data[line.size - 1] != ';';
	if (semicolon && seen->last == seen->first && !seen->last) {
		seen->units += fl_ends_in_unit(line);
		see_fields(seen, line);
	}
	if (seen->report)
		see_order(seen, line);
	seen->rows += fl_folded_row(line, &stack, &count);
	see_last(seen, line, semicolon);
	if (seen->last == last && fl_folded_cut_remark(&line)) {
		seen->remarks++;
		see_last(seen, line, semicolon);
	}
	see_first(seen, line, semicolon, seen->last > last);
	see_tabs(seen, line);
	seen->pt += fl_folded_is_austin(line);
	seen->comm += has_comm(line);
}

/*
 * Names may contain a NUL (those of PHP's anonymous classes do).  Binary data
 * contain two in a row, many, or other control characters as well.
 */
static bool is_binary(struct slice line)
{
	const char *nul = memchr(line.data, '\0', line.size);
	size_t nuls = 0;

	if (!nul)
		return false;
	for (size_t i = 0; i < line.size; i++) {
		unsigned char c = (unsigned char)line.data[i];

		if (!c && i + 1 < line.size && !line.data[i + 1])
			return true;
		if (c && c < 0x20 && c != '\t' && c != '\r')
			return true;
		nuls += !c;
	}
	return nuls > line.size / 4;
}

/*
 * Reads up to max_lines complete lines.  false: one of them, or the incomplete
 * first one, is binary.
 */
static bool read_head(struct seen *seen, const uint8_t *head, size_t n,
		      bool whole, unsigned max_lines)
{
	const char *at = (const char *)head, *end = at + n;

	if (n >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0)
		at += 3;
	while (at < end && seen->lines < max_lines) {
		const char *lf = memchr(at, '\n', (size_t)(end - at));
		struct slice line = { at, (size_t)((lf ? lf : end) - at) };

		if (!lf && !whole && seen->lines)
			break;
		if (is_binary(line))
			return false;
		if (!lf && !whole)
			break;
		see(seen, line);
		at = lf ? lf + 1 : end;
	}
	return true;
}

static bool most_of(unsigned some, unsigned all)
{
	return some && some * 10 >= all * 9;
}

/* Two counts only if all lines have them, and no stack comes twice. */
static bool is_diff(const struct seen *seen)
{
	return seen->two > 1 && seen->two == seen->last && !seen->repeated &&
	       !seen->three;
}

/* The first line may have the columns' names. */
static bool is_csv(const struct seen *seen)
{
	return seen->rows && !seen->last && seen->rows + 1 >= seen->lines;
}

static void decide(const struct seen *seen, struct fl_folded_dialect *d)
{
	d->table = is_csv(seen);
	if (d->table)
		return;
	d->remarks = seen->remarks;
	if (seen->header) {
		d->counts = FL_COUNT_LAST;
		d->nkeys = seen->nkeys;
		return;
	}
	if (most_of(seen->three, seen->last))
		d->counts = FL_COUNT_THREE;
	else if (seen->first_only > seen->last ||
		 (seen->report && seen->first))
		d->counts = FL_COUNT_FIRST;
	else if (!seen->last && !seen->first && seen->semicolons &&
		 seen->semicolons * 2 >= seen->lines)
		d->counts = FL_COUNT_NONE;
	else if (is_diff(seen))
		d->counts = FL_COUNT_TWO;
	d->percent = d->counts == FL_COUNT_FIRST ?
		     seen->first_percent * 2 > seen->first :
		     seen->last_percent * 2 > seen->last;
	d->report = d->counts == FL_COUNT_FIRST && seen->report;
	d->children = d->report && seen->children;
	d->callee = seen->callee > seen->caller;
	d->ordered = seen->callee || seen->caller;
	d->austin = seen->austin || most_of(seen->pt, seen->lines);
	d->comm = most_of(seen->comm, seen->lines);
	if (d->counts == FL_COUNT_FIRST || !seen->last)
		return;
	if (seen->key == seen->last)
		d->key = seen->place != seen->last || seen->last == 1;
	d->offset = !d->key && seen->offset == seen->last;
}

void fl_folded_sniff(struct fl_in *in, struct fl_folded_dialect *dialect)
{
	struct fl_map stacks = { 0 };
	struct seen seen = { .stacks = &stacks };
	const uint8_t *head;
	size_t n;

	head = fl_in_peek(in, SNIFF_BYTES, &n);
	read_head(&seen, head, FL_MIN(n, (size_t)SNIFF_BYTES), n < SNIFF_BYTES,
		  UINT32_MAX);
	decide(&seen, dialect);
	fl_map_free(&stacks);
}

/* Half of the lines must have counts; unless all have, they need a ';', too. */
static int bits_of(const struct seen *seen)
{
	if (seen->header)
		return 40;
	if (seen->austin)
		return 24;
	if (is_csv(seen) && seen->semicolons)
		return 2 + (int)FL_MIN(seen->lines, 4u);
	if (seen->last == seen->lines && !seen->odd)
		return 2 + (int)FL_MIN(seen->lines, 4u);
	if (seen->last * 2 >= seen->lines &&
	    seen->last_semicolons * 2 >= seen->last)
		return 2;
	if (seen->first * 2 >= seen->lines &&
	    seen->first_semicolons * 2 >= seen->first)
		return 2;
	if (!seen->last && !seen->first && !seen->bad_start &&
	    most_of(seen->semicolons, seen->lines) && !seen->units &&
	    !is_table(seen))
		return 1;
	return 0;
}

int fl_folded_probe(const uint8_t *head, size_t n, bool whole)
{
	struct seen seen = { .lines = 0 };
	bool enough = whole || n >= PROBE_BYTES;
	int bits;

	if (!read_head(&seen, head, n, whole, PROBE_LINES))
		return 0;
	if (seen.header)
		return bits_of(&seen);
	if (!seen.lines)
		return seen.austin ? 24 : whole || n >= MAX_FIRST_LINE ? 0 : -1;
	bits = bits_of(&seen);
	if (bits > 2 || enough || seen.lines == PROBE_LINES)
		return bits;
	return -1;
}
