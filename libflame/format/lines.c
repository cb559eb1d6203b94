/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by readers of text: fl_lines_next() returns an input's next line,
 * fl_lines_bad() counts one that was not understood, and fl_lines_end() reports
 * these at the end of the input.  Also functions that trim and cut text
 * (fl_slice_...), and the tables of --lines and --total.
 */
#include "fl.h"

#include "format/format.h"
#include "io/log.h"

#include <inttypes.h>

enum { FORGET = 1 << 20 };	/* bytes between telling the system */

/*
 * An empty line ends the record of the program whose lines end; its labels are
 * those of samples until the next line is asked for.
 */
static bool end_program(struct fl_lines *lines, struct slice mark,
			struct slice *line)
{
	lines->marked = !lines->marked;
	if (!lines->marked) {
		fl_source_begin_program(lines->source, mark);
		return fl_lines_next(lines, line);
	}
	lines->ended = true;
	lines->used = 0;
	*line = (struct slice){ "", 0 };
	return true;
}

static bool is_blank(struct slice line)
{
	return !fl_slice_trim(line).size;
}

bool fl_lines_next(struct fl_lines *lines, struct slice *line)
{
	const char *at, *lf;
	uint64_t offset;
	size_t avail;

	if (!lines->again) {
		fl_in_consume(lines->in, lines->used);
		offset = fl_in_offset(lines->in);
		if (fl_unlikely(offset >= lines->next_forget)) {
			fl_in_release(lines->in, offset);
			lines->next_forget = offset + FORGET;
		}
	}
	lf = fl_in_peek_line(lines->in, &at, &avail);
	lines->used = lf ? (size_t)(lf + 1 - at) : avail;
	/* A line that was cut is none: its number may have been longer. */
	if (!avail || (!lf && fl_in_damage(lines->in)))
		return false;
	*line = (struct slice){ at, lf ? (size_t)(lf - at) : avail };
	/* Blanks of a line that was to come end no record. */
	if (fl_unlikely(!lf) && line->size && is_blank(*line)) {
		lines->number += !lines->begun;
		lines->ended = false;
		lines->begun = true;
		return false;
	}
	if (fl_unlikely(*at == FL_LOG_MARK) && lines->source &&
	    lines->source->log)
		return end_program(lines, *line, line);
	lines->number += !lines->again;
	lines->again = false;
	lines->ended = lf != NULL;
	fl_slice_skip_marks(line);
	if (line->size && line->data[line->size - 1] == '\r')
		line->size--;
	return true;
}

struct slice fl_slice_trim_end(struct slice s)
{
	while (s.size &&
	       (fl_is_blank(s.data[s.size - 1]) || s.data[s.size - 1] == '\r'))
		s.size--;
	return s;
}

static struct slice trim_start(struct slice s)
{
	while (s.size && fl_is_blank(s.data[0])) {
		s.data++;
		s.size--;
	}
	return s;
}

struct slice fl_slice_trim(struct slice s)
{
	return fl_slice_trim_end(trim_start(s));
}

bool fl_slice_last_word(struct slice *text, struct slice *word)
{
	size_t i = text->size;

	while (i && !fl_is_blank(text->data[i - 1]))
		i--;
	*word = fl_slice_from(*text, i);
	if (!i || !word->size)
		return false;
	text->size = i - 1;
	return true;
}

bool fl_slice_first_word(struct slice *text, struct slice *word)
{
	struct slice rest = trim_start(*text);

	*word = (struct slice){ rest.data, 0 };
	while (rest.size && !fl_is_blank(*rest.data)) {
		rest.data++;
		rest.size--;
		word->size++;
	}
	rest = trim_start(rest);
	if (!word->size || !rest.size)
		return false;
	*text = rest;
	return true;
}

bool fl_slice_field(struct slice *text, struct slice *field)
{
	if (!text->size || !memchr(text->data, '\t', text->size))
		return false;
	*field = fl_slice_split(text, '\t');
	return true;
}

struct slice fl_slice_split(struct slice *rest, char c)
{
	const char *at = rest->size ? memchr(rest->data, c, rest->size) : NULL;
	struct slice head = { rest->data, at ? (size_t)(at - rest->data) :
					     rest->size };

	rest->data += head.size + (at != NULL);
	rest->size -= head.size + (at != NULL);
	return head;
}

void fl_lines_bad(struct fl_lines *lines, struct slice line)
{
	if (lines->bad++)
		return;
	lines->first_bad = lines->number;
	while (line.size && (line.data[0] == ' ' || line.data[0] == '\t')) {
		line.data++;
		line.size--;
	}
	line.size = FL_MIN(line.size, sizeof(lines->text) - 1);
	memcpy(lines->text, line.data, line.size);
	lines->text[line.size] = '\0';
	/* Other controls are made blank where the message is built. */
	for (size_t i = 0; i < line.size; i++)
		if (!lines->text[i])
			lines->text[i] = ' ';
}

int fl_lines_end(struct flame_source *source, const struct fl_lines *lines)
{
	const char *name = fl_in_name(lines->in);
	const char *damage = fl_in_damage(lines->in);

	if (source->part)
		return FLAME_END;
	if (lines->bad)
		fl_warn(source->flame, "%s: %" PRIu64 " lines not understood, "
			"the first is line %" PRIu64 ": %s", name, lines->bad,
			lines->first_bad, lines->text);
	if (damage)
		fl_warn(source->flame, "%s: %s", name, damage);
	/* Where a line is not a record, the record may go on. */
	else if (!lines->bad && !lines->ended && lines->number &&
		 lines->good && !lines->reported && !source->damage &&
		 source->format->split != fl_lines_split)
		fl_remark(source->flame, "%s: the last line, %" PRIu64
			  ", has no newline: if the text was cut there, what "
			  "followed is missing", name, lines->number);
	if (lines->bad || damage)
		source->damage = lines->good ? 1 : 2;
	return FLAME_END;
}

/* Parts ------------------------------------------------------------------- */

size_t fl_lines_split(const char *at, size_t n)
{
	const char *lf = memrchr(at, '\n', n);

	return lf ? (size_t)(lf + 1 - at) : 0;
}

void fl_lines_resume(struct fl_lines *lines, struct fl_in *in)
{
	lines->in = in;
	lines->used = 0;
	lines->again = false;
	lines->next_forget = 0;
}

void fl_lines_fork(struct fl_lines *part)
{
	part->bad = part->good = part->number = 0;
}

void fl_lines_join(struct fl_lines *whole, struct fl_lines *part)
{
	if (part->bad && !whole->bad) {
		whole->first_bad = whole->number + part->first_bad;
		memcpy(whole->text, part->text, sizeof(whole->text));
	}
	whole->bad += part->bad;
	whole->good += part->good;
	whole->number += part->number;
	part->bad = part->good = part->number = 0;
}

/* Options ----------------------------------------------------------------- */

static const struct fl_option rows[] = {
	FL_OPTION_ROW_LINES(struct fl_lines_options),
	{ .name = NULL }
};

const struct fl_option_table fl_lines_option_table = {
	.rows = rows, .size = sizeof(struct fl_lines_options),
};

static const struct fl_option total_rows[] = {
	FL_OPTION_ROW_TOTAL(struct fl_total_options),
	{ .name = NULL }
};

const struct fl_option_table fl_total_option_table = {
	.rows = total_rows, .size = sizeof(struct fl_total_options),
};
