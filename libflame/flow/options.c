/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options as rows of a table (options.h), those of readers (source.c) and those
 * of pages (draw/page.c): a value is parsed (fl_option_parse), copied and freed
 * by the kind of its row.
 */
#include "fl.h"

#include "flow/options.h"
#include "flow/flow.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define REFUSE(reason, ...) \
	(snprintf(reason, FL_REASON_SIZE, __VA_ARGS__), FLAME_FAILED)

const struct fl_option *fl_option_find(const struct fl_option_table *table,
				       const char *name)
{
	for (const struct fl_option *row = table ? table->rows : NULL;
	     row && row->name; row++)
		if (strcmp(row->name, name) == 0)
			return row;
	return NULL;
}

/* Values ------------------------------------------------------------------ */

int fl_option_text(struct flame *flame, void *member, const char *text)
{
	char **to = member, *copy = fl_memory_adopt(strdup(text));

	if (!copy)
		return fl_no_memory(flame);
	fl_free(*to);
	*to = copy;
	return FLAME_OK;
}

int fl_option_line(struct flame *flame, void *member, const char *line)
{
	char **to = member, *joined;

	if (!*to)
		return fl_option_text(flame, to, line);
	if (asprintf(&joined, "%s\n%s", *to, line) < 0)
		return fl_no_memory(flame);
	fl_free(*to);
	*to = fl_memory_adopt(joined);
	return *to ? FLAME_OK : fl_no_memory(flame);
}

int fl_option_file(struct flame *flame, void *member, const char *path,
		   char *reason)
{
	if (access(path, R_OK) == 0)
		return fl_option_text(flame, member, path);
	snprintf(reason, FL_REASON_SIZE, "%s", strerror(errno));
	return FLAME_FAILED;
}

static int set_text(struct flame *flame, const struct fl_option *row,
		    char **to, const char *text, char *reason)
{
	if ((double)strlen(text) < row->least)
		return REFUSE(reason, "a name is missing");
	return row->kind == FL_OPTION_LINES ? fl_option_line(flame, to, text) :
					      fl_option_text(flame, to, text);
}

/* "1|2|none" as "1, 2 or none". */
static void list_words(const char *words, char *reason)
{
	struct fl_buf buf = { 0 };

	while (*words) {
		size_t n = strcspn(words, "|");

		fl_buf_put(&buf, words, n);
		words += n + (words[n] == '|');
		if (*words)
			fl_buf_text(&buf, strchr(words, '|') ? ", " : " or ");
	}
	snprintf(reason, FL_REASON_SIZE, "%s", buf.data ? buf.data : "");
	fl_buf_free(&buf);
}

static int set_word(const struct fl_option *row, unsigned *to,
		    const char *value, char *reason)
{
	const char *word = row->argument;

	for (unsigned i = row->first; *word; i++) {
		size_t n = strcspn(word, "|");

		if (n == strlen(value) && memcmp(word, value, n) == 0) {
			*to = i;
			return FLAME_OK;
		}
		word += n + (word[n] == '|');
	}
	list_words(row->argument, reason);
	return FLAME_FAILED;
}

static int set_either(const struct fl_option *row, bool *to,
		      const char *value, char *reason)
{
	unsigned which;

	if (set_word(row, &which, value, reason) != FLAME_OK)
		return FLAME_FAILED;
	*to = which == row->first;
	return FLAME_OK;
}

static int set_count(int64_t *to, const char *value, char *reason)
{
	int64_t n;

	if (!fl_parse_int((struct slice){ value, strlen(value) }, &n) || n < 0)
		return REFUSE(reason, "a number, 0 or more");
	*to = n;
	return FLAME_OK;
}

static int set_number(const struct fl_option *row, double *to,
		      const char *value, char *reason)
{
	double n;

	if (!fl_parse_double(value, &n) || n < row->least)
		return REFUSE(reason, "a number, %g or more", row->least);
	*to = n;
	return FLAME_OK;
}

static bool parse_ratio(const char *value, double *ratio)
{
	size_t n = strlen(value);
	bool percent = n && value[n - 1] == '%';
	char copy[64];

	if (n >= sizeof(copy))
		return false;
	memcpy(copy, value, n + 1);
	if (percent)
		copy[n - 1] = '\0';
	if (!fl_parse_double(copy, ratio) || *ratio < 0)
		return false;
	if (percent)
		*ratio /= 100;
	return true;
}

static int set_ratio(const struct fl_option *row, double *to,
		     const char *value, char *reason)
{
	double ratio;

	if (!parse_ratio(value, &ratio))
		return REFUSE(reason, "a ratio, as 0.1 or 10%%");
	if (row->most > 0 && ratio > row->most)
		return REFUSE(reason, "a ratio up to %g, as 0.1 or 10%%",
			      row->most);
	*to = ratio;
	return FLAME_OK;
}

static int set_duration(int64_t *to, const char *value, char *reason)
{
	int64_t ns;

	if (!fl_parse_duration(value, &ns) || ns < 0)
		return REFUSE(reason, "a duration, as 50 (ms), 10ms, 5us, 1s");
	*to = ns;
	return FLAME_OK;
}

static int set_regex(struct fl_regex **to, const char *pattern, char *reason)
{
	struct fl_regex *re = fl_regex_new(pattern, false, reason,
					   FL_REASON_SIZE);

	if (!re)
		return FLAME_FAILED;
	fl_regex_free(*to);
	*to = re;
	return FLAME_OK;
}

static int add_regex(struct flame *flame, struct fl_regex **to,
		     const char *pattern, char *reason)
{
	char *joined;
	int status;

	if (!*to)
		return set_regex(to, pattern, reason);
	if (asprintf(&joined, "(?:%s)|(?:%s)", fl_regex_pattern(*to),
		     pattern) < 0 || !(joined = fl_memory_adopt(joined)))
		return fl_no_memory(flame);
	status = set_regex(to, joined, reason);
	fl_free(joined);
	return status;
}

static int set_by_kind(struct flame *flame, const struct fl_option *row,
		       void *member, const char *value, char *reason)
{
	switch (row->kind) {
	case FL_OPTION_FLAG:
		*(bool *)member = true;
		return FLAME_OK;
	case FL_OPTION_TEXT:
	case FL_OPTION_LINES:
		return set_text(flame, row, member, value, reason);
	case FL_OPTION_WORD:
		return set_word(row, member, value, reason);
	case FL_OPTION_EITHER:
		return set_either(row, member, value, reason);
	case FL_OPTION_COUNT:
		return set_count(member, value, reason);
	case FL_OPTION_NUMBER:
		return set_number(row, member, value, reason);
	case FL_OPTION_RATIO:
		return set_ratio(row, member, value, reason);
	case FL_OPTION_DURATION:
		return set_duration(member, value, reason);
	case FL_OPTION_REGEX:
		return set_regex(member, value, reason);
	case FL_OPTION_REGEXES:
		return add_regex(flame, member, value, reason);
	case FL_OPTION_SPECIAL:
		break;
	}
	return FLAME_FAILED;
}

int fl_option_parse(struct flame *flame, const struct fl_option *row,
		    void *values, const char *value,
		    char reason[FL_REASON_SIZE])
{
	void *member = (char *)values + row->offset;

	reason[0] = '\0';
	if (row->argument && !value)
		return REFUSE(reason, "a value is missing");
	if (row->set)
		return row->set(flame, member, value, reason);
	return set_by_kind(flame, row, member, value, reason);
}

int fl_option_set(struct flame *flame, const struct fl_option *row,
		  void *values, const char *value)
{
	char reason[FL_REASON_SIZE];

	if (fl_option_parse(flame, row, values, value, reason) == FLAME_OK)
		return FLAME_OK;
	if (!row->argument)
		return fl_fail(flame, "--%s: %s", row->name, reason);
	return fl_fail(flame, "--%s %s: %s", row->name, value ? value : "",
		       reason);
}

/* Structs ----------------------------------------------------------------- */

void *fl_options_new(const struct fl_option_table *table)
{
	void *values = table ? fl_zeroed(1, table->size) : NULL;

	if (values && table->defaults)
		memcpy(values, table->defaults, table->size);
	return values;
}

/* What the member owns, or NULL; NULL too for members that own nothing. */
static void **owned(const struct fl_option *row, void *values)
{
	switch (row->kind) {
	case FL_OPTION_TEXT:
	case FL_OPTION_LINES:
	case FL_OPTION_REGEX:
	case FL_OPTION_REGEXES:
		return (void **)((char *)values + row->offset);
	default:
		return NULL;
	}
}

static bool is_regex(const struct fl_option *row)
{
	return row->kind == FL_OPTION_REGEX || row->kind == FL_OPTION_REGEXES;
}

static int copy_member(struct flame *flame, const struct fl_option *row,
		       void **to, void *from)
{
	char reason[FL_REASON_SIZE];

	if (!from)
		return FLAME_OK;
	if (!is_regex(row))
		return fl_option_text(flame, to, from);
	return set_regex((struct fl_regex **)to, fl_regex_pattern(from),
			 reason) == FLAME_OK ? FLAME_OK : fl_no_memory(flame);
}

bool fl_options_copy(struct flame *flame, const struct fl_option_table *table,
		     void *to, const void *from)
{
	const struct fl_option *row;
	bool good = true;

	if (!table)
		return true;
	memcpy(to, from, table->size);
	for (row = table->rows; row->name; row++)
		if (owned(row, to))
			*owned(row, to) = NULL;
	for (row = table->rows; row->name && good; row++)
		if (owned(row, to))
			good = copy_member(flame, row, owned(row, to),
					   *owned(row, (void *)from)) ==
			       FLAME_OK;
	return good;
}

void fl_options_clear(const struct fl_option_table *table, void *values)
{
	for (const struct fl_option *row = table ? table->rows : NULL;
	     row && row->name; row++) {
		void **member = owned(row, values);

		if (!member)
			continue;
		if (is_regex(row))
			fl_regex_free(*member);
		else
			fl_free(*member);
		*member = NULL;
	}
}

void fl_options_free(const struct fl_option_table *table, void *values)
{
	if (!values)
		return;
	fl_options_clear(table, values);
	fl_free(values);
}
