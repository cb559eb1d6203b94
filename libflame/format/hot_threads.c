/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the hot threads of Elasticsearch and OpenSearch (GET
 * _nodes/hot_threads): of each node its busiest threads, each with the stacks
 * of ten snapshots, leaf first.  Each stack is a sample of the metric threads,
 * and weighs the snapshots that share it:
 *
 *	::: {node-1}{id}{10.0.0.1}{10.0.0.1:9300}
 *	   Hot threads at 2026-02-14T00:30:31.123Z, interval=500ms, ...
 *	   95.6% (478.1ms out of 500ms) cpu usage by thread 'search][T#5]'
 *	     7/10 snapshots sharing following 2 elements
 *	       app//org.example.Searcher.search(Searcher.java:700)
 *	       java.base@17.0.1/java.lang.Thread.run(Thread.java:833)
 *	     unique snapshot
 */
#include "fl.h"

#include "format/format.h"

struct hot {
	struct fl_dump dump;
	struct fl_buf thread;	/* whose snapshots follow */
	int64_t time;
};

static const char title[] = "Hot threads at ";

static bool is_title(struct slice line)
{
	line = fl_slice_trim(line);
	return fl_slice_starts(line, title) &&
	       fl_slice_has(line, "busiestThreads=");
}

/* Before Elasticsearch 1.5 there was no title. */
static bool is_begin(struct slice line)
{
	return is_title(line) || (fl_slice_starts(line, "::: [") &&
				  fl_slice_has(line, "]["));
}

static void begin_node(struct hot *h, struct slice line)
{
	struct flame *flame = h->dump.source->flame;
	/* "::: [node-1][id]..." before Elasticsearch 5 */
	char close = line.size > 4 && line.data[4] == '[' ? ']' : '}';
	const char *end = memchr(line.data, close, line.size);

	h->dump.program = 0;
	h->time = FLAME_NOTIME;
	h->thread.size = 0;
	if (line.size > 5 && end)
		h->dump.program = flame_label(flame, 0, fl_name(flame, "node"),
					      flame_name(flame, line.data + 5,
							 (size_t)(end -
								  line.data) -
								 5));
}

static void read_title(struct hot *h, struct slice line)
{
	const char *comma;

	line.data += strlen(title);
	line.size -= strlen(title);
	comma = memchr(line.data, ',', line.size);
	if (comma)
		line.size = (size_t)(comma - line.data);
	if (!fl_java_time(line, true, &h->time))
		h->time = FLAME_NOTIME;
}

/* "... usage by thread 'NAME'" */
static bool read_thread(struct hot *h, struct slice line)
{
	static const char by[] = " usage by thread '";
	const char *at = memmem(line.data, line.size, by, strlen(by));

	if (!at || !fl_slice_ends(line, "'"))
		return false;
	at += strlen(by);
	h->thread.size = 0;
	fl_buf_put(&h->thread, at,
		   (size_t)(line.data + line.size - at) - 1);
	return true;
}

/* "7/10 snapshots sharing following 3 elements", "unique snapshot" */
static bool read_snapshots(struct slice line, int64_t *n)
{
	struct slice number = line;
	const char *slash;

	*n = 1;
	if (fl_slice_is(line, "unique snapshot"))
		return true;
	slash = memchr(line.data, '/', line.size);
	if (!slash || !fl_slice_has(line, " snapshots sharing "))
		return false;
	number.size = (size_t)(slash - line.data);
	return fl_parse_digits(number, n) && *n > 0;
}

static void accept_line(struct fl_dump *dump, struct slice line)
{
	struct hot *h = (struct hot *)dump;
	struct slice text = fl_slice_trim(line);
	int64_t weight;

	if (dump->open && fl_dump_java_frame(dump, text))
		return;
	/* A stack that was cut is the last one, and is lost in the end. */
	if (dump->lines.ended)
		fl_dump_end(dump);
	if (fl_slice_starts(line, "::: ")) {
		begin_node(h, line);
	} else if (is_title(line)) {
		read_title(h, text);
	} else if (read_snapshots(text, &weight)) {
		fl_dump_begin(dump, fl_buf_slice(&h->thread));
		dump->weight = weight;
		dump->time = h->time;
	} else if (text.size && !read_thread(h, text) && dump->lines.ended) {
		fl_lines_bad(&dump->lines, text);
	}
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	return fl_dump_probe(head, n, whole, is_begin, FL_FORMAT_CERTAIN);
}

static int open_hot(struct flame_source *source)
{
	struct hot *h = source->state;

	h->time = FLAME_NOTIME;
	return fl_dump_open(source);
}

static int read(struct flame_source *source)
{
	return fl_dump_read(source->state, accept_line,
			    fl_dump_end_of_lines);
}

static void release(void *state)
{
	struct hot *h = state;

	fl_buf_free(&h->thread);
	fl_dump_free(h);
}

const struct fl_format fl_format_hot_threads = {
	.name = "hot-threads",
	.summary = "hot threads of Elasticsearch and OpenSearch",
	.probe = probe,
	.state_size = sizeof(struct hot),
	.open = open_hot,
	.read = read,
	.release = release,
};
