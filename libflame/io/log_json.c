/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unwraps a line of a log that is an object of JSON: fl_log_json() returns the
 * text in it, and the container or program that wrote it, to log.c.  It knows
 * docker's json-file, journalctl -o json, logcli -o jsonl, CloudWatch, Fluent
 * Bit.
 */
#include "fl.h"

#include "io/json.h"
#include "io/log.h"

/* Keys of the text, the best first. */
static const char *const texts[] = {
	"log", "MESSAGE", "line", "message", "@message", "textPayload", "msg",
};

/* Keys of any depth that say whose line it is. */
static const struct { const char *key, *label; } owners[] = {
	{ "pod", "pod" }, { "pod_name", "pod" }, { "podName", "pod" },
	{ "container", "container" }, { "container_name", "container" },
	{ "CONTAINER_NAME", "container" }, { "containerName", "container" },
	{ "_HOSTNAME", "host" }, { "_SYSTEMD_UNIT", "unit" },
	{ "_PID", "pid" }, { "logStream", "stream" },
	{ "logStreamName", "stream" }, { "@logStream", "stream" },
};

struct parse {
	struct fl_json json;
	struct fl_buf *text, *key;
	size_t found;		/* the place of its key in texts */
	size_t text_key;	/* of the key read last; or their number */
	const char *label;	/* the same in owners; NULL: none */
	bool is_stream;		/* the key is docker's "stream" */
	bool is_stderr;
};

static void take_key(struct parse *p)
{
	p->text_key = FL_COUNT(texts);
	p->label = NULL;
	p->is_stream = p->json.depth == 1 && fl_json_is(&p->json, "stream");
	for (size_t i = 0; i < FL_COUNT(texts); i++)
		if (p->json.depth == 1 && fl_json_is(&p->json, texts[i]))
			p->text_key = i;
	for (size_t i = 0; i < FL_COUNT(owners) && !p->label; i++)
		if (fl_json_is(&p->json, owners[i].key))
			p->label = owners[i].label;
}

static void take_string(struct parse *p)
{
	if (p->text_key < p->found) {
		p->found = p->text_key;
		p->text->size = 0;
		fl_buf_put(p->text, p->json.text.data, p->json.text.size);
	} else if (p->label) {
		fl_log_label(p->key, p->label, p->json.text);
	} else if (p->is_stream) {
		p->is_stderr = fl_slice_is(p->json.text, "stderr");
	}
}

/* journalctl writes text that is not UTF-8 as an array of bytes. */
static void take_bytes(struct parse *p)
{
	struct fl_json_integers bytes = { 0 };

	if (fl_json_integers(&p->json, &bytes) && p->text_key < p->found) {
		p->found = p->text_key;
		p->text->size = 0;
		for (size_t i = 0; i < bytes.count; i++)
			fl_buf_byte(p->text, (char)bytes.data[i]);
	}
	fl_free(bytes.data);
}

static bool parse(struct parse *p)
{
	enum fl_json_token token;

	while ((token = fl_json_next(&p->json)) > FL_JSON_FAILED) {
		if (token == FL_JSON_KEY) {
			take_key(p);
			continue;
		}
		if (token == FL_JSON_STRING)
			take_string(p);
		else if (token == FL_JSON_ARRAY &&
			 p->text_key < FL_COUNT(texts))
			take_bytes(p);
		p->text_key = FL_COUNT(texts);
		p->label = NULL;
		p->is_stream = false;
	}
	return token == FL_JSON_END && p->found < FL_COUNT(texts);
}

bool fl_log_json(struct slice line, struct fl_buf *text,
		 struct fl_log_line *parsed)
{
	struct parse p = {
		.text = text, .key = parsed->key, .found = FL_COUNT(texts),
		.text_key = FL_COUNT(texts),
	};
	bool good;

	text->size = 0;
	fl_json_init_memory(&p.json, line.data, line.size);
	good = line.size && line.data[0] == '{' && parse(&p);
	fl_json_free(&p.json);
	if (!good)
		return false;
	parsed->is_stderr = p.is_stderr;
	/* Docker's have their newline; without it the line goes on. */
	parsed->text = fl_buf_slice(text);
	if (p.found == 0 && fl_slice_ends(parsed->text, "\n"))
		parsed->text.size--;
	else
		parsed->partial = p.found == 0 && line.size > 16384;
	return true;
}
