/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text for tools that work on lines or tables: flame_lines_next() returns lines
 * of inputs packed in any way (flame-merge), and flame_text_put() writes an
 * output file that appears whole or not at all.
 */
#include "fl.h"

#include "flow/flow.h"

#include <stdlib.h>

enum {
	RELEASE_BYTES = 32 << 10,	/* between calls of fl_in_release */
	MAX_LARGE_BUFFERS = 8	/* inputs that may use a megabyte each */
};

struct flame_lines {
	struct flame *flame;
	struct fl_in *in;
	size_t used;		/* peeked bytes of the line given last */
	uint64_t next_release;
	bool warned;		/* of damage */
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
	 * When a thousand files are merged at once, buffers are small, and
	 * files are mapped, as a mapped file needs no descriptor.
	 */
	flame->nlines++;
	if (lines->in) {
		if (flame->nlines > MAX_LARGE_BUFFERS) {
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

static void release(struct flame_lines *lines)
{
	uint64_t offset = fl_in_offset(lines->in);

	if (offset < lines->next_release)
		return;
	fl_in_release(lines->in, offset);
	lines->next_release = offset + RELEASE_BYTES;
}

int flame_lines_next(struct flame_lines *lines, const char **line,
		     size_t *size)
{
	const char *at, *lf, *damage;
	struct slice text;
	size_t avail;

	fl_in_consume(lines->in, lines->used);
	release(lines);
	lf = fl_in_peek_line(lines->in, &at, &avail);
	lines->used = lf ? (size_t)(lf + 1 - at) : avail;
	damage = lf ? NULL : fl_in_damage(lines->in);
	/* A cut line is left out: its number may have been longer. */
	if (fl_unlikely(!avail || damage)) {
		if (damage && !lines->warned)
			fl_warn(lines->flame, "%s: %s",
				fl_in_name(lines->in), damage);
		lines->warned |= damage != NULL;
		return fl_failed(lines->flame) ? FLAME_FAILED : FLAME_END;
	}
	text = (struct slice){ at, lf ? lines->used - 1 : avail };
	fl_slice_skip_marks(&text);
	*line = text.data;
	*size = text.size;
	if (*size && text.data[*size - 1] == '\r')
		--*size;
	return FLAME_OK;
}

enum flame_damage flame_lines_damage(const struct flame_lines *lines)
{
	return !lines->warned ? FLAME_NONE_LOST :
	       fl_in_is_refused(lines->in) ? FLAME_NOT_READ_ON :
					     FLAME_SOME_LOST;
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
