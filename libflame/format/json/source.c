/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Base of the readers of JSON in this folder.  fl_json_read() passes one
 * document after the other to the format's function, fl_json_add() adds its
 * samples to the source's batch (equal ones as one), and fl_json_finish()
 * reports damage and records that were left out.
 */
#include "fl.h"

#include "format/json/source.h"

#include <inttypes.h>

void fl_json_source_init(struct fl_json_source *js,
			 struct flame_source *source)
{
	js->source = source;
	js->flame = source->flame;
	fl_json_init(&js->json, source->in);
}

int fl_json_source_open(struct flame_source *source)
{
	fl_json_source_init(source->state, source);
	return FLAME_OK;
}

void fl_json_source_free(struct fl_json_source *js)
{
	fl_json_free(&js->json);
	fl_index_free(&js->index);
}

static void append(struct fl_json_source *js, const struct flame_sample *s,
		   uint64_t hash)
{
	size_t n = js->source->batch.n;

	/* The index refers only to samples that are in the batch. */
	if (fl_batch_add(js->source, s) == FLAME_OK && n < UINT32_MAX - 1 &&
	    !fl_index_add(&js->index, hash, (uint32_t)n + 1))
		fl_no_memory(js->flame);
}

void fl_json_add(struct fl_json_source *js, const struct flame_sample *s)
{
	bool in_order = js->source->select.needs & FL_NEED_ORDER;
	uint64_t hash = fl_sample_hash(s);
	struct flame_sample *other = in_order ? NULL :
		fl_sample_find(&js->index, js->source->batch.samples, s, hash);

	js->good++;
	if (!other)
		append(js, s, hash);
	else
		fl_sample_add(js->flame, other, s->weight);
}

bool fl_json_wants_thread(const struct fl_json_source *js)
{
	const struct fl_select *s = &js->source->select;

	return s->thread || (s->needs & FL_NEED_THREAD);
}

flame_id fl_json_thread(struct flame *flame, struct slice name, int64_t pid,
			int64_t tid)
{
	char number[24];
	flame_id set = 0;

	if (!name.size)
		name.data = NULL;
	if (tid >= 0)
		set = fl_thread(flame, name, tid);
	else if (name.size)
		set = flame_label(flame, 0, fl_name(flame, "thread"),
				  flame_name(flame, name.data, name.size));
	if (pid >= 0) {
		number[fl_format_u64(number, (uint64_t)pid)] = '\0';
		set = flame_label(flame, set, fl_name(flame, "pid"),
				  fl_name(flame, number));
	}
	return set;
}

void fl_json_bad(struct fl_json_source *js, const char *reason)
{
	if (js->bad++)
		return;
	js->first_bad = js->json.line;
	js->bad_reason = reason;
}

static void report_error(struct fl_json_source *js)
{
	const struct fl_json *json = &js->json;

	fl_warn(js->flame, "%s: line %" PRIu64 ", byte %" PRIu64 ": %s; what "
		"comes before it is read", fl_in_name(js->source->in),
		json->line, fl_json_offset(json), json->error);
}

int fl_json_finish(struct fl_json_source *js)
{
	const char *name = fl_in_name(js->source->in);
	const char *damage = fl_in_damage(js->source->in);
	const struct fl_json *json = &js->json;
	bool cut = json->error && !(json->cut && js->unfinished_is_fine);

	if (json->no_memory)
		return fl_no_memory(js->flame);
	if (fl_failed(js->flame))
		return FLAME_FAILED;
	if (js->reported)
		return FLAME_END;
	js->reported = true;
	if (damage)
		fl_warn(js->flame, "%s: %s", name, damage);
	else if (cut)
		report_error(js);
	else if (json->error)
		fl_remark(js->flame, "%s: its list is not closed: it is still "
			  "being written, or cut between two records", name);
	if (js->bad)
		fl_warn(js->flame, "%s: %" PRIu64 " records left out, the "
			"first at line %" PRIu64 ": %s", name, js->bad,
			js->first_bad, js->bad_reason);
	if (json->replaced)
		fl_warn(js->flame, "%s: %" PRIu64 " strings are not UTF-8: "
			"U+FFFD stands for those bytes", name,
			json->replaced);
	if (damage || cut || js->bad)
		js->source->damage = js->good ? 1 : 2;
	return FLAME_END;
}

int fl_json_read(struct fl_json_source *js,
		 void (*read)(struct flame_source *source))
{
	fl_index_free(&js->index);
	if (js->ended || fl_failed(js->flame))
		return fl_json_finish(js);
	fl_json_next(&js->json);
	js->ended = js->json.token == FL_JSON_END ||
		    js->json.token == FL_JSON_FAILED;
	if (!js->ended)
		read(js->source);
	return fl_failed(js->flame) ? FLAME_FAILED : FLAME_OK;
}
