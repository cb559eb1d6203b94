/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Says why tasks and executors of Spark ended badly: finds the innermost
 * exception in the text of a log, counts failed tasks by stage and exception
 * (fl_spark_fail, called by log.c), and decides whether an executor was lost or
 * removed on request.
 */
#include "fl.h"

#include "spark/spark.h"

#include <ctype.h>

enum { MAX_TEXT = 240 };	/* bytes of a reason */

/* Exceptions -------------------------------------------------------------- */

/*
 * The class that begins a line "a.b.SomeError: text", by its size; 0: none.
 * Both the JVM and Python print the last of these where the trouble began.
 */
static size_t class_of(struct slice line)
{
	static const char *const ends[] = {
		"Error", "Exception", "Exit", "Interrupt", "Failure", "Warning",
	};
	size_t n = 0;
	struct slice name;
	bool dotted = false;

	while (n < line.size && (isalnum((unsigned char)line.data[n]) ||
				 strchr("._$", line.data[n])))
		dotted |= line.data[n++] == '.';
	if (!n || isdigit((unsigned char)line.data[0]) ||
	    (n < line.size && line.data[n] != ':') || line.data[n - 1] == '.')
		return 0;
	name = (struct slice){ line.data, n };
	for (size_t i = 0; i < FL_COUNT(ends); i++)
		if (fl_slice_ends(name, ends[i]))
			return n;
	return dotted && n < line.size ? n : 0;
}

static struct slice next_line(struct slice *text)
{
	const char *lf = memchr(text->data, '\n', text->size);
	size_t n = lf ? (size_t)(lf - text->data) : text->size;
	struct slice line = { text->data, n };

	text->data += FL_MIN(n + 1, text->size);
	text->size -= FL_MIN(n + 1, text->size);
	while (line.size && (line.data[line.size - 1] == '\r' ||
			     line.data[line.size - 1] == ' '))
		line.size--;
	return line;
}

/* What follows the last "...: " of Spark's own words about a lost task. */
static struct slice without_task(struct slice line)
{
	static const char mark[] = "(TID ";
	const char *at = line.size ? memmem(line.data, line.size, mark,
					    sizeof(mark) - 1) : NULL;
	const char *end = line.data + line.size, *colon;

	if (!at)
		return line;
	colon = memmem(at, (size_t)(end - at), "): ", 3);
	return colon ? (struct slice){ colon + 3, (size_t)(end - colon - 3) } :
		       line;
}

struct slice fl_spark_innermost(struct slice text)
{
	static const char cause[] = "Caused by: ";
	struct slice best = { text.data, 0 }, first = best;

	while (text.size) {
		struct slice line = next_line(&text);

		if (fl_slice_starts(line, cause)) {
			line.data += sizeof(cause) - 1;
			line.size -= sizeof(cause) - 1;
		}
		line = without_task(line);
		if (!first.size)
			first = line;
		if (class_of(line))
			best = line;
	}
	best = best.size ? best : first;
	if (best.size <= MAX_TEXT)
		return best;
	/* Not within a letter of UTF-8. */
	for (best.size = MAX_TEXT; best.size &&
	     ((unsigned char)best.data[best.size] & 0xc0) == 0x80;)
		best.size--;
	return best;
}

/* Failed tasks ------------------------------------------------------------ */

/* Texts of one exception differ in the values that they quote. */
static uint64_t key_of(size_t stage, enum fl_spark_failure_kind kind,
		       struct slice text)
{
	size_t n = class_of(text);

	return fl_hash_pair(fl_hash_pair(stage + 1, (uint64_t)kind),
			    fl_hash(text.data, n ? n : text.size));
}

static struct fl_spark_failure *add(struct fl_spark *spark, size_t stage,
				    enum fl_spark_failure_kind kind,
				    struct slice text, const char *host)
{
	struct fl_spark_failure *failure;

	if (!fl_grow(&spark->failures, &spark->failures_capacity,
		     spark->nfailures + 1, sizeof(*spark->failures)))
		return NULL;
	failure = &spark->failures[spark->nfailures];
	*failure = (struct fl_spark_failure){
		.stage = stage, .kind = kind, .host = host,
		.text = fl_arena_copy(&spark->arena, text.data, text.size),
	};
	spark->nfailures += failure->text != NULL;
	return failure->text ? failure : NULL;
}

static struct slice join(struct fl_buf *buf, struct slice exception,
			 struct slice text)
{
	fl_buf_put(buf, exception.data, exception.size);
	fl_buf_text(buf, text.size ? ": " : "");
	fl_buf_put(buf, text.data, text.size);
	return fl_buf_slice(buf);
}

bool fl_spark_fail(struct fl_spark *spark, size_t stage,
		   enum fl_spark_failure_kind kind, struct slice exception,
		   struct slice text, const char *host)
{
	struct slice inner = fl_spark_innermost(text);
	struct fl_spark_failure *failure = NULL;
	struct fl_buf buf = { 0 };
	uint64_t *place;

	if (kind == FL_FAILED_EXCEPTION && !class_of(inner))
		inner = join(&buf, exception, inner);
	else if (!inner.size)
		inner = exception;
	place = buf.failed ? NULL : fl_map_put(&spark->failure_index,
					       key_of(stage, kind, inner),
					       NULL);
	if (place && !*place) {
		failure = add(spark, stage, kind, inner, host);
		*place = failure ? spark->nfailures : 0;
	} else if (place) {
		failure = &spark->failures[*place - 1];
	}
	fl_buf_free(&buf);
	if (!failure)
		return false;
	failure->tasks++;
	place = fl_map_put(&spark->failure_index, fl_hash_pair(
			   (uint64_t)(failure - spark->failures) + 1,
			   ~fl_hash(host, strlen(host))), NULL);
	if (!place)
		return false;
	failure->hosts += !*place;
	*place = 1;
	return true;
}

/* Lost executors ---------------------------------------------------------- */

/* The ends that were requested. */
static bool is_wanted(const char *reason)
{
	static const char *const wanted[] = {
		"killed by driver", "decommission", "code 0", "status: 0",
		"removed by user", "idle", "was deleted by",
	};

	for (size_t i = 0; i < FL_COUNT(wanted); i++)
		if (strcasestr(reason, wanted[i]))
			return true;
	return false;
}

/* A task of the application was launched later, or ended so. */
static bool is_survived(const struct fl_spark *spark, size_t app, int64_t time)
{
	for (size_t i = 0; i < spark->nexecutors; i++) {
		const struct fl_spark_executor *e = &spark->executors[i];

		for (size_t k = e->app == app ? e->ntasks : 0; k--;)
			if (e->tasks[k].start > time)
				return true;
	}
	return false;
}

bool fl_spark_is_lost(const struct fl_spark *spark,
		      const struct fl_spark_executor *e)
{
	const struct fl_spark_app *app = &spark->apps[e->app];

	if (e->removed == INT64_MAX || !*e->reason || is_wanted(e->reason))
		return false;
	for (size_t i = e->ntasks; i--;) {
		const struct fl_spark_task *task = &e->tasks[i];

		if (!task->ok && (!task->finish || !task->measured) &&
		    task->end >= e->removed - INT64_C(1000000000))
			return true;
	}
	return app->cut || is_survived(spark, e->app, e->removed);
}
