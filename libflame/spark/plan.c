/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the plan of a query (sparkPlanInfo of an event) for event.c: which
 * operators each WholeStageCodegen (N) has, and the accumulators of their
 * metrics, which show the stages that it runs in.
 *
 * {"nodeName":"WholeStageCodegen (4)","children":[{"nodeName":"Sort",...}],
 *  "metrics":[{"name":"duration","accumulatorId":74,...}],...}
 */
#include "fl.h"

#include "spark/event.h"

/* The n of "WholeStageCodegen (n)"; -1: another node. */
static int64_t codegen_of(struct slice name)
{
	static const char head[] = "WholeStageCodegen (";
	int64_t id;

	if (!fl_slice_starts(name, head) || !fl_slice_ends(name, ")"))
		return -1;
	name.data += sizeof(head) - 1;
	name.size -= sizeof(head);
	return fl_parse_digits(name, &id) ? id : -1;
}

/* Nodes below these are not compiled into the codegen above. */
static bool is_border(struct slice name)
{
	return fl_slice_is(name, "InputAdapter") ||
	       fl_slice_is(name, "AdaptiveSparkPlan") ||
	       fl_slice_has(name, "Subquery") ||
	       fl_slice_ends(name, "QueryStage");
}

static bool add_codegen(struct fl_spark_plan *plan, int64_t id)
{
	if (!fl_grow(&plan->codegens, &plan->codegens_capacity,
		     plan->ncodegens + 1, sizeof(id)))
		return false;
	plan->codegens[plan->ncodegens++] = id;
	return true;
}

static bool add_operator(struct fl_spark_plan *plan, size_t codegen,
			 struct slice name)
{
	if (!fl_grow(&plan->operators, &plan->operators_capacity,
		     plan->noperators + 1, sizeof(*plan->operators)))
		return false;
	plan->operators[plan->noperators++] = (struct fl_spark_plan_operator){
		.codegen = codegen, .text = plan->names.size,
		.size = name.size,
	};
	fl_buf_put(&plan->names, name.data, name.size);
	return !plan->names.failed;
}

static bool name_node(struct fl_spark_plan *plan, struct slice name)
{
	struct fl_spark_plan_level *level = &plan->levels[plan->nlevels - 1];
	int64_t id;

	while (name.size && name.data[name.size - 1] == ' ')
		name.size--;
	id = codegen_of(name);
	level->named = true;
	if (id >= 0) {
		level->inside = plan->ncodegens + 1;
		return add_codegen(plan, id);
	}
	if (is_border(name))
		level->inside = 0;
	return !level->inside || add_operator(plan, level->inside - 1, name);
}

static bool add_metric(struct fl_spark_plan *plan, int64_t id)
{
	size_t inside = plan->levels[plan->nlevels - 1].inside;

	if (!inside)
		return true;
	if (!fl_grow(&plan->metrics, &plan->metrics_capacity,
		     plan->nmetrics + 1, sizeof(*plan->metrics)))
		return false;
	plan->metrics[plan->nmetrics++] = (struct fl_spark_plan_metric){
		.codegen = inside - 1, .id = id,
	};
	return true;
}

/* [{"name":"duration","accumulatorId":74,"metricType":"timing"},...] */
static bool read_metrics(struct fl_spark_plan *plan, struct fl_json *json)
{
	int64_t id;
	bool good = true;

	if (!fl_json_enter_array(json))
		return true;
	while (fl_json_element(json)) {
		if (json->token != FL_JSON_OBJECT) {
			fl_json_skip(json);
			continue;
		}
		while (fl_json_key(json)) {
			if (!fl_json_is(json, "accumulatorId"))
				fl_json_skip(json);
			else if (fl_json_integer(json, &id))
				good = good && add_metric(plan, id);
		}
	}
	return good;
}

static bool begin_node(struct fl_spark_plan *plan)
{
	size_t inside = plan->nlevels ?
			plan->levels[plan->nlevels - 1].inside : 0;

	if (!fl_grow(&plan->levels, &plan->levels_capacity, plan->nlevels + 1,
		     sizeof(*plan->levels)))
		return false;
	plan->levels[plan->nlevels++] = (struct fl_spark_plan_level){
		.inside = inside,
	};
	return true;
}

/*
 * A member of the innermost node, whose key was read last.  *opened: it was the
 * array of children.
 */
static bool read_member(struct fl_spark_plan *plan, struct fl_json *json,
			bool *opened)
{
	struct slice text;

	*opened = false;
	if (fl_json_is(json, "children")) {
		*opened = fl_json_enter_array(json);
		return true;
	}
	if (fl_json_is(json, "metrics"))
		return read_metrics(plan, json);
	if (!fl_json_is(json, "nodeName")) {
		fl_json_skip(json);
		return true;
	}
	return !fl_json_string(json, &text) || name_node(plan, text);
}

/* Children are read without recursion: an array of them is a level as well. */
static bool read_nodes(struct fl_spark_plan *plan, struct fl_json *json)
{
	bool in_children = false;

	while (plan->nlevels) {
		if (in_children) {
			if (!fl_json_element(json)) {
				in_children = false;	/* back in its node */
			} else if (json->token != FL_JSON_OBJECT) {
				fl_json_skip(json);
			} else {
				if (!begin_node(plan))
					return false;
				in_children = false;
			}
		} else if (!fl_json_key(json)) {
			/* The node ends, within its parent's children. */
			plan->nlevels--;
			in_children = true;
		} else if (!read_member(plan, json, &in_children)) {
			return false;
		}
		if (json->error)
			return true;
	}
	return true;
}

void fl_spark_plan_read(struct fl_spark_plan *plan, struct fl_json *json)
{
	plan->ncodegens = plan->noperators = plan->nmetrics = 0;
	plan->nlevels = 0;
	plan->names.size = 0;
	if (!fl_json_enter_object(json))
		return;
	if (!begin_node(plan) || !read_nodes(plan, json))
		plan->no_memory = true;
}

void fl_spark_plan_free(struct fl_spark_plan *plan)
{
	fl_free(plan->codegens);
	fl_free(plan->operators);
	fl_free(plan->metrics);
	fl_free(plan->levels);
	fl_buf_free(&plan->names);
}
