/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text, for programs whose work is on lines or tables: in by the line,
 * unpacked as all inputs are, and out whole or not at all.
 */
#include "fl.h"

#include "flow/flow.h"

#include <stdlib.h>

enum {
	FORGET = 32 << 10,	/* bytes between telling the input */
	LARGE = 8		/* inputs that may take a megabyte */
};

struct flame_lines {
	struct flame *flame;
	struct fl_in *in;
	size_t used;		/* of what was peeked, by the line given out */
	uint64_t next_forget;
	bool told;		/* of the damage */
};

struct flame_lines *flame_lines_open(struct flame *flame, const char *path)
{
	struct flame_lines *lines = fl_zeroed(1, sizeof(*lines));

	if (!lines) {
		fl_no_memory(flame);
		return NULL;
	}
	lines->flame = flame;
	lines->in = fl_in_open(flame, path);
	/*
	 * Of a thousand files at once, most have to do with little memory;
	 * and mapped ones are not open.
	 */
	flame->nlines++;
	if (lines->in) {
		if (flame->nlines > LARGE) {
			fl_in_use_small_buffers(lines->in);
			fl_in_map(lines->in);
		}
		lines->in = fl_in_decoded(lines->in);
	}
	if (lines->in)
		return lines;
	flame->nlines--;
	fl_free(lines);
	return NULL;
}

static void forget(struct flame_lines *lines)
{
	uint64_t offset = fl_in_offset(lines->in);

	if (offset < lines->next_forget)
		return;
	fl_in_release(lines->in, offset);
	lines->next_forget = offset + FORGET;
}

int flame_lines_next(struct flame_lines *lines, const char **line,
		     size_t *size)
{
	const char *at, *lf, *damage;
	size_t avail;

	fl_in_consume(lines->in, lines->used);
	forget(lines);
	lf = fl_in_peek_line(lines->in, &at, &avail);
	lines->used = lf ? (size_t)(lf + 1 - at) : avail;
	damage = lf ? NULL : fl_in_damage(lines->in);
	/* A line that was cut is none: its number may have been longer. */
	if (fl_unlikely(!avail || damage)) {
		if (damage && !lines->told)
			fl_warn(lines->flame, "%s: %s",
				fl_in_name(lines->in), damage);
		lines->told |= damage != NULL;
		return fl_failed(lines->flame) ? FLAME_FAILED : FLAME_END;
	}
	*line = at;
	*size = lf ? lines->used - 1 : avail;
	if (*size && at[*size - 1] == '\r')
		--*size;
	return FLAME_OK;
}

int flame_lines_damage(const struct flame_lines *lines)
{
	return !lines->told ? 0 : fl_in_is_bomb(lines->in) ? 3 : 1;
}

void flame_lines_close(struct flame_lines *lines)
{
	if (!lines)
		return;
	lines->flame->nlines--;
	fl_in_close(lines->in);
	fl_free(lines);
}

/* Out ------------------------------------------------------------------- */

struct flame_text {
	struct flame *flame;
	struct fl_out *out;
};

struct flame_text *flame_text_create(struct flame *flame, const char *path)
{
	struct flame_text *text = fl_alloc(sizeof(*text));

	if (!text) {
		fl_no_memory(flame);
		return NULL;
	}
	text->flame = flame;
	text->out = fl_out_open(flame, path);
	if (text->out)
		return text;
	fl_free(text);
	return NULL;
}

int flame_text_put(struct flame_text *text, const char *at, size_t size)
{
	fl_out_put(text->out, at, size);
	return fl_failed(text->flame) ? FLAME_FAILED : FLAME_OK;
}

int flame_text_finish(struct flame_text *text)
{
	int status = fl_out_close(text->out);

	fl_free(text);
	return status;
}

void flame_text_abandon(struct flame_text *text)
{
	if (!text)
		return;
	fl_out_discard(text->out);
	fl_free(text);
}
