/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of CPython, by their code objects: fl_py_code() reads a code object
 * from the process and caches it, and fl_py_frame() makes the dictionary's
 * frame of it, with a name and the line that it executes.  For cpython.c and
 * cpython_merge.c.
 */
#include "fl.h"

#include "sample/cpython.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
	MAX_TEXT = 1024,
	MAX_LINES = 1 << 16,	/* bytes of a table of lines */
	TYPE = 8,				/* of any object */
	BYTES_SIZE = 16, BYTES_DATA = 32	/* of an object of bytes */
};

void fl_py_forget_codes(struct fl_cpython *py)
{
	for (size_t i = 0; i < py->nnames; i++)
		fl_free(py->names[i].table);
	py->nnames = 0;
	fl_map_clear(&py->codes);
}

/* A str: ASCII, or characters of 1, 2 or 4 bytes. */
static bool put_text(struct fl_cpython *py, uint64_t at)
{
	uint64_t size = fl_py_word(py, at + py->layout.length);
	uint8_t bytes[MAX_TEXT];
	uint32_t state = 0, kind;
	bool ascii;

	if (!at || !size || !fl_py_read(py, at + py->layout.state, &state, 4))
		return false;
	kind = state >> 2 & 7;
	ascii = state >> 6 & 1;
	if ((kind != 1 && kind != 2 && kind != 4) || !(state >> 5 & 1))
		return false;
	size = FL_MIN(size, (uint64_t)MAX_TEXT / kind);
	if (!fl_py_read(py, at + (ascii ? py->layout.ascii_size :
			       py->layout.unicode_size), bytes, size * kind))
		return false;
	for (uint64_t i = 0; i < size; i++) {
		uint32_t c = 0;

		memcpy(&c, bytes + i * kind, kind);
		fl_utf8_put(&py->buf, c);
	}
	return true;
}

/* "Class.method (file.py)" */
static flame_id read_code(struct fl_cpython *py, const struct fl_py_code *code)
{
	flame_id file, name;
	const char *slash;
	size_t size;

	py->buf.size = 0;
	if (!put_text(py, code->file))
		return 0;
	file = flame_name(py->flame, py->buf.data, py->buf.size);
	py->buf.size = 0;
	if (!put_text(py, code->name))
		return 0;
	slash = strrchr(flame_name_text(py->flame, file, &size), '/');
	fl_buf_print(&py->buf, " (%s)", slash ? slash + 1 :
		     flame_name_text(py->flame, file, NULL));
	name = flame_name(py->flame, py->buf.data, py->buf.size);
	return flame_frame(py->flame, &(struct flame_frame){
		.name = name, .file = file, .type = FLAME_UNKNOWN,
	});
}

/* Where its instructions lie; old: they are an object of bytes. */
static void read_range(struct fl_cpython *py, struct fl_py_code *code)
{
	const struct fl_py_layout *l = &py->layout;
	uint64_t at = code->at;

	if (fl_py_is_old(py)) {
		at = fl_py_word(py, at + l->instructions);
		code->begin = at + BYTES_DATA;
		code->end = code->begin + fl_py_word(py, at + BYTES_SIZE);
	} else {
		code->begin = at + l->instructions;
		code->end = code->begin + 2 * fl_py_word(py, at + BYTES_SIZE);
	}
	if (!at || code->end - code->begin > 1 << 24)
		code->begin = code->end = 0;
}

struct fl_py_code *fl_py_code(struct fl_cpython *py, uint64_t at)
{
	uint64_t names[3], *place;
	struct fl_py_code *code;
	bool fresh;

	/* From the file's name to the (qualified) one. */
	if (!at || !fl_py_read(py, at + py->layout.file_name, names,
			    sizeof(names)))
		return NULL;
	if (py->nnames == FL_PY_MAX_CODES)
		fl_py_forget_codes(py);
	if (!fl_grow(&py->names, &py->capacity, py->nnames + 1,
		     sizeof(*py->names)))
		return NULL;
	place = fl_map_put(&py->codes, at, &fresh);
	if (!place)
		return NULL;
	if (fresh) {
		memset(&py->names[py->nnames], 0, sizeof(*py->names));
		*place = py->nnames++;
	}
	code = &py->names[*place];
	if (fl_py_is_old(py))
		names[2] = names[1];
	if (code->file != names[0] || code->name != names[2]) {
		fl_free(code->table);
		*code = (struct fl_py_code){
			.at = at, .name = names[2], .file = names[0]
		};
		code->frame = read_code(py, code);
		read_range(py, code);
	}
	return code;
}

/* Whether an object looks like a code object; those met before are. */
bool fl_py_is_code(const struct fl_cpython *py, uint64_t at)
{
	return py->code_type && at && !(at & 7) &&
	       fl_py_word(py, at + TYPE) == py->code_type;
}

struct fl_py_code *fl_py_find_code(struct fl_cpython *py, uint64_t instruction)
{
	enum { PAGE = 4096, MAX_PAGES = 5, LOWEST = 1 << 16 };
	uint64_t words[PAGE / 8], page = instruction & ~(uint64_t)(PAGE - 1);
	size_t n = (instruction - page) / 8;

	if (fl_py_is_old(py) || !py->code_type || instruction & 1 ||
	    instruction < LOWEST || instruction >> 47)
		return NULL;
	/* Instructions follow the head of the object that they are in. */
	for (unsigned i = 0; i < MAX_PAGES; i++, page -= PAGE, n = PAGE / 8) {
		if (n && !fl_py_read(py, page, words, n * 8))
			return NULL;
		while (n--) {
			uint64_t at = page + n * 8 - TYPE;
			struct fl_py_code *code;

			if (words[n] != py->code_type)
				continue;
			code = fl_py_code(py, at);
			return code && code->frame &&
			       fl_py_is_within(code, instruction) ? code : NULL;
		}
	}
	return NULL;
}

/* Copies the table of lines, if it is not that which was copied last. */
static bool read_lines(struct fl_cpython *py, struct fl_py_code *code,
		       uint64_t at)
{
	uint64_t lines = fl_py_word(py, at + py->layout.lines), size;

	if (!lines || !fl_py_read(py, at + py->layout.first_line,
			       &code->first_line, 4))
		return false;
	if (code->lines == lines)
		return code->table;
	fl_free(code->table);
	code->table = NULL;
	size = fl_py_word(py, lines + BYTES_SIZE);
	if (size > MAX_LINES)
		return false;
	code->table = fl_alloc(size + 1);
	if (!code->table ||
	    !fl_py_read(py, lines + BYTES_DATA, code->table, size)) {
		fl_free(code->table);
		code->table = NULL;
		return false;
	}
	code->table_size = size;
	code->lines = lines;
	return true;
}

/* Of the instruction that the frame executes; 0: not known. */
static uint32_t line_of(struct fl_cpython *py, struct fl_py_code *code,
			uint64_t at, const uint8_t *frame)
{
	const struct fl_py_layout *l = &py->layout;
	int64_t index;
	uint64_t last;
	int32_t old;

	if (!read_lines(py, code, at))
		return 0;
	memcpy(&last, frame + l->last, 8);
	memcpy(&old, frame + l->last, 4);
	if (fl_py_is_old(py))
		index = old;
	else
		index = (int64_t)(last - (at + l->instructions)) / 2;
	return fl_cpython_line(l->minor, code->table, code->table_size,
			       code->first_line, index);
}

/* "Class.method (file.py:12)" */
static flame_id add_line(struct fl_cpython *py, flame_id plain, uint32_t line)
{
	struct flame_frame frame = py->flame->frames.data[plain];
	struct slice name = fl_name_at(py->flame, frame.name);

	py->buf.size = 0;
	fl_buf_put(&py->buf, name.data, name.size - 1);
	fl_buf_print(&py->buf, ":%" PRIu32 ")", line);
	frame.name = flame_name(py->flame, py->buf.data, py->buf.size);
	frame.line = line;
	return flame_frame(py->flame, &frame);
}

/* frame: as it was read.  0: no name is known. */
flame_id fl_py_frame(struct fl_cpython *py, uint64_t at,
			   const uint8_t *frame)
{
	struct fl_py_code *code = fl_py_code(py, at);
	uint32_t line;

	if (!code || !code->frame || !py->lines)
		return code ? code->frame : 0;
	line = line_of(py, code, at, frame);
	return line ? add_line(py, code->frame, line) : code->frame;
}

flame_id fl_py_frame_at(struct fl_cpython *py, struct fl_py_code *code,
			uint64_t instruction)
{
	/* It points after the instruction that is executed. */
	int64_t index = (int64_t)(instruction - code->begin) - 1;
	uint32_t line;

	if (!py->lines || !code->frame || !read_lines(py, code, code->at))
		return code->frame;
	if (py->layout.minor >= 10)
		index = index < 0 ? index : index / 2;
	line = fl_cpython_line(py->layout.minor, code->table, code->table_size,
			       code->first_line, index);
	return line ? add_line(py, code->frame, line) : code->frame;
}
