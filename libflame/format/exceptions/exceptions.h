/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exceptions in logs: what lines mean (text.c), the line that begins one
 * (header.c), tracebacks (python.c), Java's stacks and the loop (exceptions.c).
 */
#ifndef FL_EXCEPTIONS_H
#define FL_EXCEPTIONS_H

#include "format/format.h"

/* What a line of a log tells; parts may be empty, the time FLAME_NOTIME. */
struct fl_logged {
	struct slice level, logger, thread;
	int64_t time;
};

/* false: it has no level. */
bool fl_log_line_read(struct slice line, struct fl_logged *logged);
/*
 * "Exception in thread "main" a.B: text", "a.B: text", "... ERROR x a.BError:
 * text": the class, and the thread if it is there.
 */
bool fl_exception_header(struct slice line, struct slice *class,
			 struct slice *thread);
/* Blanks and tabs at the beginning. */
size_t fl_exception_indent(struct slice line);
/* "\tat a.B.c(D.java:1) ~[lib.jar:1]", with its indentation. */
bool fl_exception_frame(struct slice line, size_t *indent,
			struct fl_java_frame *frame);
/* "... 12 more", "... 3 common frames omitted" */
bool fl_exception_more(struct slice text, int64_t *n);
/* The beginning of Python's, maybe behind a prefix. */
bool fl_is_traceback(struct slice line);
/* "  File "x.py", line 3, in f", without its indentation. */
struct fl_traceback_frame {
	struct slice file, line, name;
};
bool fl_traceback_frame(struct slice text, struct fl_traceback_frame *frame);

/* The reader ------------------------------------------------------------ */

enum {
	FL_MAX_TEXT_LINES = 100,	/* between a class and its first frame */
	FL_MAX_REPEATED = 10000	/* frames of a recursion in Python */
};

struct fl_exception_frames {
	flame_id *data;		/* leaf first */
	size_t count, capacity;
};

struct fl_exceptions {
	struct fl_dump dump;	/* its frames: of the throwable that is read */
	enum { FL_NO_STACK, FL_JAVA_STACK, FL_PYTHON_STACK } kind;
	struct fl_exception_frames outer;	/* of the throwable that it caused */
	struct fl_exception_frames python;	/* root first */
	bool waits;		/* for the first frame of a cause */
	bool ignored;		/* of a chain whose first cause is known */
	bool ended;		/* a traceback, which another may say more of */
	bool follows;		/* that one comes next */
	size_t first;		/* of python, of the traceback that is read */
	unsigned text_lines;
	size_t indent;		/* of Java's frames */
	flame_id class;		/* of the first cause so far */
	/* The line that may begin an exception; 0: none. */
	struct {
		uint64_t at;
		flame_id class, labels, thread;
		int64_t time;
	} header;
	struct fl_buf before;	/* the line before, if it is of no stack */
};

/* The names and texts go here. */
static inline struct flame *fl_exceptions_flame(const struct fl_exceptions *r)
{
	return r->dump.source->flame;
}

/* header.c: the header is this line; the level is in it, or in the last one. */
void fl_exception_set_header(struct fl_exceptions *r, struct slice line,
			     struct slice class, struct slice thread);
/* The line may be the logger's of the header in the next one. */
void fl_exception_keep_line(struct fl_exceptions *r, struct slice line);

/* The frame whose name is in dump.buf. */
flame_id fl_exception_frame_of_buf(struct fl_exceptions *r,
				   enum flame_type type);
/* false: out of memory. */
bool fl_exception_add(struct fl_exceptions *r,
		      struct fl_exception_frames *frames, flame_id frame);

/* python.c: a line of a traceback, whose last one is not indented. */
void fl_exception_take_python(struct fl_exceptions *r, struct slice line);
/* Whether the traceback that has ended may still have more. */
bool fl_exception_goes_on(struct fl_exceptions *r, struct slice line);

#endif
