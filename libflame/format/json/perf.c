/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What perf data convert --to-json writes.  Frames are leaf first; neither
 * the event nor the period is told, so a sample is 1.
 *
 *	{"linux-perf-json-version":1,"headers":{...},"samples":[
 *	 {"timestamp":30,"pid":1,"tid":2,"comm":"x","callchain":[
 *	  {"ip":"0x55","symbol":"f","dso":"libx.so"}]}]}
 */
#include "fl.h"

#include "format/json/source.h"

#include <inttypes.h>

struct perf_json {
	struct fl_json_source js;
	struct fl_trace trace;
	struct fl_buf comm, buf;
	flame_id metric;
};

static bool is_kernel(struct slice dso, uint64_t ip)
{
	return ip >> 63 || fl_slice_starts(dso, "[kernel") ||
	       fl_slice_ends(dso, ".ko");
}

static void read_frame(struct perf_json *p)
{
	struct fl_json *json = &p->js.json;
	struct flame *flame = p->js.flame;
	struct flame_frame frame = { .name = 0 };
	struct slice text;
	uint64_t ip = 0;

	while (fl_json_key(json))
		if (fl_json_is(json, "ip")) {
			if (fl_json_string(json, &text))
				fl_parse_hex(text, &ip);
		} else if (fl_json_is(json, "symbol")) {
			if (fl_json_string(json, &text) && text.size)
				frame.name = flame_name(flame, text.data,
							text.size);
		} else if (fl_json_is(json, "dso")) {
			if (fl_json_string(json, &text) && text.size)
				frame.file = flame_name(flame, text.data,
							text.size);
		} else {
			fl_json_skip(json);
		}
	text = fl_name_at(flame, frame.file);
	frame.type = is_kernel(text, ip) ? FLAME_KERNEL : FLAME_NATIVE;
	if (!frame.name) {
		p->buf.size = 0;
		if (text.size && text.data[0] != '[')
			fl_buf_print(&p->buf, "[%.*s]",
				     (int)FL_MIN(text.size, 4096), text.data);
		else if (text.size)
			fl_buf_put(&p->buf, text.data, text.size);
		else
			fl_buf_print(&p->buf, "0x%" PRIx64, ip);
		if (p->buf.failed)
			return;
		frame.name = fl_name(flame, p->buf.data);
	}
	fl_trace_add(flame, &p->trace, &frame);
}

static void give(struct perf_json *p, int64_t time, int64_t pid, int64_t tid)
{
	struct flame *flame = p->js.flame;
	struct slice comm = fl_buf_slice(&p->comm);
	struct flame_sample sample = { .time = time, .weight = 1 };
	flame_id base = 0;

	if (comm.size)
		base = flame_stack(flame, 0,
				   fl_frame(flame, flame_name(flame, comm.data,
							      comm.size),
					    FLAME_GROUP));
	sample.stack = fl_trace_stack(flame, base, &p->trace);
	sample.metric = p->metric;
	if (fl_json_wants_thread(&p->js))
		sample.thread = fl_json_thread(flame, comm, pid, tid);
	fl_metric_count(p->js.flame, p->metric, 1, 1);
	if (sample.stack)
		fl_json_add(&p->js, &sample);
}

static void read_sample(struct perf_json *p)
{
	struct fl_json *json = &p->js.json;
	int64_t time = FLAME_NOTIME, pid = -1, tid = -1;
	struct slice text;

	p->trace.count = p->comm.size = 0;
	while (fl_json_key(json))
		if (fl_json_is(json, "callchain")) {
			if (!fl_json_enter_array(json))
				continue;
			while (fl_json_element(json))
				if (json->token == FL_JSON_OBJECT)
					read_frame(p);
				else
					fl_json_skip(json);
		} else if (fl_json_is(json, "comm")) {
			if (fl_json_string(json, &text))
				fl_buf_put(&p->comm, text.data, text.size);
		} else if (fl_json_is(json, "timestamp")) {
			if (!fl_json_integer(json, &time))
				time = FLAME_NOTIME;
		} else if (fl_json_is(json, "pid")) {
			if (!fl_json_integer(json, &pid))
				pid = -1;
		} else if (fl_json_is(json, "tid")) {
			if (!fl_json_integer(json, &tid))
				tid = -1;
		} else {
			fl_json_skip(json);
		}
	if (!json->error && !p->comm.failed)
		give(p, time, pid, tid);
}

static void read_document(struct flame_source *source)
{
	struct perf_json *p = source->state;
	struct fl_json *json = &p->js.json;

	if (json->token != FL_JSON_OBJECT) {
		fl_json_skip(json);
		return;
	}
	p->metric = flame_metric(source->flame, "samples", "samples");
	while (fl_json_key(json)) {
		if (!fl_json_is(json, "samples")) {
			fl_json_skip(json);
			continue;
		}
		if (!fl_json_enter_array(json))
			continue;
		while (fl_json_element(json) && !fl_failed(p->js.flame))
			if (json->token == FL_JSON_OBJECT)
				read_sample(p);
			else
				fl_json_skip(json);
	}
	if (p->comm.failed || p->buf.failed)
		fl_no_memory(source->flame);
}

/* The row of formats.c ------------------------------------------------- */

static void release(void *state)
{
	struct perf_json *p = state;

	fl_json_source_free(&p->js);
	fl_free(p->trace.frames);
	fl_buf_free(&p->comm);
	fl_buf_free(&p->buf);
}

static int read(struct flame_source *source)
{
	struct perf_json *p = source->state;

	return fl_json_read(&p->js, read_document);
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	return fl_json_probe(head, n, whole, "linux-perf-json-version");
}

const struct fl_format fl_format_perf_json = {
	.name = "perf-json",
	.summary = "JSON of perf data convert --to-json",
	.probe = probe,
	.state_size = sizeof(struct perf_json),
	.open = fl_json_source_open,
	.read = read,
	.release = release,
	.json = true,
};
