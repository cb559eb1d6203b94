/* SPDX-License-Identifier: Apache-2.0 */
/* The line that begins an exception, and what its logger says of it. */
#include "fl.h"

#include "format/exceptions/exceptions.h"

static flame_id label(struct fl_exceptions *r, flame_id set, const char *key,
		      struct slice value)
{
	struct flame *flame = fl_exceptions_flame(r);

	return !value.size ? set :
	       flame_label(flame, set, fl_name(flame, key),
			   flame_name(flame, value.data, value.size));
}

/*
 * Whether the line before is the logger's.  Few have information with an
 * exception: such a line stands before one that was only printed.
 */
static bool read_before(const struct fl_exceptions *r, struct fl_logged *logged)
{
	static const char *const mild[] = { "TRACE", "DEBUG", "INFO" };
	struct slice line = fl_buf_slice(&r->before);

	if (!line.size || !fl_log_line_read(line, logged))
		return false;
	for (size_t i = 0; i < FL_COUNT(mild); i++)
		if (fl_slice_is(logged->level, mild[i]))
			return false;
	return true;
}

void fl_exception_set_header(struct fl_exceptions *r, struct slice line,
		       struct slice class, struct slice thread)
{
	struct fl_logged logged;
	flame_id labels = r->dump.program;

	if (fl_log_line_read(line, &logged) ||
	    (!thread.size && read_before(r, &logged))) {
		labels = label(r, labels, "level", logged.level);
		labels = label(r, labels, "logger", logged.logger);
	} else {
		logged = (struct fl_logged){ .time = FLAME_NOTIME };
	}
	if (!thread.size)
		thread = logged.thread;
	r->header.at = r->dump.lines.number;
	r->header.class = class.size ? flame_name(fl_exceptions_flame(r), class.data,
						  class.size) : 0;
	r->header.labels = labels;
	r->header.thread = label(r, 0, "thread", thread);
	r->header.time = logged.time;
	if (logged.time != FLAME_NOTIME)
		r->dump.source->zoneless = true;
}

void fl_exception_keep_line(struct fl_exceptions *r, struct slice line)
{
	/* Some loggers write an empty line before the exception. */
	if (!line.size && r->before.size)
		return;
	r->before.size = 0;
	fl_buf_put(&r->before, line.data, FL_MIN(line.size, (size_t)512));
	if (r->before.failed)
		fl_no_memory(fl_exceptions_flame(r));
}
