/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Format perf-json: reads the JSON of perf data convert --to-json.  Frames are
 * leaf first; neither the event nor the period is in it, so each record becomes
 * a sample of weight 1.
 *
 *	{"linux-perf-json-version":1,"headers":{...},"samples":[
 *	 {"timestamp":30,"pid":1,"tid":2,"comm":"x","callchain":[
 *	  {"ip":"0x55","symbol":"f","dso":"libx.so"}]}]}
 */
#include "fl.h"

#include "format/json/fields.h"
#include "native/frame.h"

#include <inttypes.h>

struct perf_json {
	struct fl_json_source js;
	struct fl_trace trace;
	struct fl_buf comm, buf;
	int64_t time, pid, tid;
	flame_id metric;
};

static bool is_kernel(struct slice dso, uint64_t ip)
{
	return ip >> 63 || fl_slice_starts(dso, "[kernel") ||
	       fl_slice_ends(dso, ".ko");
}

static void read_ip(struct fl_json_source *js, void *ip)
{
	struct slice text;

	if (fl_json_string(&js->json, &text))
		fl_parse_hex(text, ip);
}

struct frame {
	struct flame_frame frame;
	uint64_t ip;
};

static const struct fl_json_field frame_fields[] = {
	FL_FIELD_CALL_AT("ip", VALUE, read_ip, struct frame, ip),
	FL_FIELD("symbol", NAME, struct frame, frame.name),
	FL_FIELD("dso", NAME, struct frame, frame.file),
	{ .key = NULL }
};

static void read_frame(struct fl_json_source *js, void *object)
{
	struct perf_json *p = object;
	struct flame *flame = js->flame;
	struct frame read = { .ip = 0 };
	struct flame_frame frame;
	uint64_t ip;
	struct slice text;

	fl_json_object(js, frame_fields, &read);
	frame = read.frame;
	ip = read.ip;
	text = fl_name_at(flame, frame.file);
	frame.type = is_kernel(text, ip) ? FLAME_KERNEL : FLAME_NATIVE;
	if (!frame.name) {
		p->buf.size = 0;
		fl_put_unnamed(&p->buf, text, ip);
		if (p->buf.failed)
			return;
		frame.name = fl_name(flame, p->buf.data);
	}
	fl_trace_add(flame, &p->trace, &frame);
}

static void emit(struct perf_json *p)
{
	struct flame *flame = p->js.flame;
	struct slice comm = fl_buf_slice(&p->comm);
	struct flame_sample sample = { .time = p->time, .weight = 1 };
	flame_id base = 0;

	if (comm.size)
		base = flame_stack(flame, 0,
				   fl_frame(flame, flame_name(flame, comm.data,
							      comm.size),
					    FLAME_GROUP));
	sample.stack = fl_trace_stack(flame, base, &p->trace);
	sample.metric = p->metric;
	if (fl_json_wants_thread(&p->js))
		sample.thread = fl_json_thread(flame, comm, p->pid,
					       p->tid);
	fl_metric_count(p->js.flame, p->metric, 1, 1);
	if (sample.stack)
		fl_json_add(&p->js, &sample);
}

static const struct fl_json_field sample_fields[] = {
	FL_FIELD("timestamp", INTEGER, struct perf_json, time),
	FL_FIELD("pid", INTEGER, struct perf_json, pid),
	FL_FIELD("tid", INTEGER, struct perf_json, tid),
	FL_FIELD("comm", TEXT, struct perf_json, comm),
	FL_FIELD_CALL("callchain", EACH, read_frame),
	{ .key = NULL }
};

static void read_sample(struct fl_json_source *js, void *object)
{
	struct perf_json *p = object;

	p->trace.count = p->comm.size = 0;
	p->time = FLAME_NOTIME;
	p->pid = p->tid = -1;
	fl_json_object(js, sample_fields, p);
	if (!js->json.error && !p->comm.failed)
		emit(p);
}

static const struct fl_json_field document[] = {
	FL_FIELD_CALL("samples", EACH, read_sample),
	{ .key = NULL }
};

static void read_document(struct flame_source *source)
{
	struct perf_json *p = source->state;

	if (p->js.json.token == FL_JSON_OBJECT)
		p->metric = flame_metric(source->flame, "samples", "samples");
	fl_json_object(&p->js, document, p);
	if (p->comm.failed || p->buf.failed)
		fl_no_memory(source->flame);
}

/* The row of formats.def ------------------------------------------------- */

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
