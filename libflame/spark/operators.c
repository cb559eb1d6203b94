/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds which operator a stack of an executor works for, for the labels
 * operator and codegen (events.c, cost.c): WholeStageCodegen (N), which
 * generated classes have in their names, or a row of share/spark/operators.txt.
 */
#include "fl.h"

#include "spark/operators.h"

#include <inttypes.h>

/* Results for a stack or a name: none, a codegen, or a row of the table. */
enum { NONE = 1, FIRST_ROW = 2, FIRST_CODEGEN = 1 << 16 };

/* GeneratedClass$GeneratedIteratorForCodegenStage4.processNext: 4; -1. */
static int64_t codegen_of(struct slice name)
{
	static const char mark[] = "GeneratedIteratorForCodegenStage";
	const char *at = fl_slice_find(name, mark);
	struct slice digits = { 0 };
	int64_t id;

	if (!at)
		return -1;
	digits.data = at + sizeof(mark) - 1;
	while (digits.data + digits.size < name.data + name.size &&
	       fl_is_digit(digits.data[digits.size]))
		digits.size++;
	return fl_parse_digits(digits, &id) && id < INT32_MAX - FIRST_CODEGEN ?
	       id : -1;
}

static flame_id row_of(struct flame *flame, struct fl_operators *operators,
		       flame_id name)
{
	for (size_t i = 0; i < operators->count; i++)
		if (fl_patterns_match(flame, &operators->rows[i].pattern, name))
			return FIRST_ROW + (flame_id)i;
	return NONE;
}

static flame_id of_name(struct flame *flame, struct fl_operators *operators,
			flame_id name)
{
	flame_id *known = fl_rewrite_slot(flame, &operators->names, name);
	flame_id result;
	int64_t codegen;

	if (!known)
		return NONE;
	if (*known)
		return *known;
	codegen = codegen_of(fl_name_at(flame, name));
	result = codegen >= 0 ? FIRST_CODEGEN + (flame_id)codegen :
				row_of(flame, operators, name);
	*fl_rewrite_slot(flame, &operators->names, name) = result;
	return result;
}

/* The innermost frame that has a result decides. */
static flame_id of_stack(struct flame *flame, struct fl_operators *operators,
			 flame_id stack, bool codegen)
{
	struct fl_rewrite *memo = &operators->stacks[codegen];
	flame_id *known = fl_rewrite_slot(flame, memo, stack), result = NONE, s;

	if (!known)
		return NONE;
	if (*known)
		return *known;
	for (s = stack; s && result == NONE; s = fl_parent(flame, s)) {
		result = of_name(flame, operators,
				 fl_frame_at(flame, s)->name);
		if (codegen && result < FIRST_CODEGEN)
			result = NONE;
	}
	*fl_rewrite_slot(flame, memo, stack) = result;
	return result;
}

struct fl_operator fl_operator_of(struct flame *flame,
				  struct fl_operators *operators,
				  flame_id stack)
{
	flame_id result = of_stack(flame, operators, stack, false);
	flame_id codegen = of_stack(flame, operators, stack, true);
	struct fl_operator o = { .codegen = -1 };

	if (codegen >= FIRST_CODEGEN)
		o.codegen = (int64_t)codegen - FIRST_CODEGEN;
	o.is_codegen = result >= FIRST_CODEGEN;
	if (result >= FIRST_ROW && !o.is_codegen)
		o.name = operators->rows[result - FIRST_ROW].name;
	return o;
}

int fl_operators_init(struct flame *flame, struct fl_operators *operators)
{
	size_t n = 0;

	operators->operator_key = fl_name(flame, "operator");
	operators->codegen_key = fl_name(flame, "codegen");
	operators->other = fl_name(flame, "[other]");
	while (fl_operator_table[n].name)
		n++;
	operators->rows = fl_zeroed(n, sizeof(*operators->rows));
	if (!operators->rows)
		return fl_no_memory(flame);
	for (; operators->count < n; operators->count++) {
		size_t i = operators->count;

		operators->rows[i].name = fl_name(flame,
						  fl_operator_table[i].name);
		if (fl_patterns_add(flame, &operators->rows[i].pattern,
				    "operators", fl_operator_table[i].pattern,
				    false) != FLAME_OK)
			return FLAME_FAILED;
	}
	return FLAME_OK;
}

void fl_operators_free(struct fl_operators *operators)
{
	for (size_t i = 0; i < operators->count; i++)
		fl_patterns_free(&operators->rows[i].pattern);
	fl_free(operators->rows);
	fl_map_free(&operators->codegens);
	fl_map_free(&operators->runs);
	fl_rewrite_free(&operators->names);
	fl_rewrite_free(&operators->stacks[0]);
	fl_rewrite_free(&operators->stacks[1]);
}

bool fl_operators_run(struct fl_operators *operators,
		      const struct fl_spark *spark, size_t stage,
		      int64_t codegen)
{
	uint64_t key = (uint64_t)stage << 32 | (uint64_t)codegen;
	uint64_t *known = fl_map_put(&operators->runs, key, NULL);
	bool runs;

	if (known && *known)
		return *known == 2;
	runs = fl_spark_codegen_of(spark, &spark->stages[stage], codegen);
	if (known)
		*known = runs ? 2 : 1;
	return runs;
}

/* "WholeStageCodegen (4): Sort, Project" */
static flame_id codegen_name(struct flame *flame,
			     struct fl_operators *operators,
			     const struct fl_spark *spark, size_t stage,
			     int64_t id)
{
	uint64_t key = (uint64_t)stage << 32 | (uint64_t)id;
	uint64_t *known = fl_map_put(&operators->codegens, key, NULL);
	const struct fl_spark_codegen *codegen = NULL;
	struct fl_buf text = { 0 };

	if (!known) {
		fl_no_memory(flame);
		return 0;
	}
	if (*known)
		return (flame_id)*known;
	if (stage != FL_SPARK_NONE)
		codegen = fl_spark_codegen_of(spark, &spark->stages[stage], id);
	fl_buf_print(&text, "WholeStageCodegen (%" PRId64 ")%s%s", id,
		     codegen && *codegen->operators ? ": " : "",
		     codegen ? codegen->operators : "");
	if (text.failed)
		fl_no_memory(flame);
	else
		*known = flame_name(flame, text.data, text.size);
	fl_buf_free(&text);
	return (flame_id)*known;
}

flame_id fl_operator_labels(struct flame *flame,
			    struct fl_operators *operators,
			    const struct fl_spark *spark, size_t stage,
			    flame_id labels, flame_id stack)
{
	struct fl_operator o = fl_operator_of(flame, operators, stack);
	flame_id name = o.is_codegen ? codegen_name(flame, operators, spark,
						    stage, o.codegen) :
			o.name ? o.name : operators->other;
	char text[24];
	size_t n;

	labels = flame_label(flame, labels, operators->operator_key, name);
	if (o.codegen < 0)
		return labels;
	n = fl_format_u64(text, (uint64_t)o.codegen);
	return flame_label(flame, labels, operators->codegen_key,
			   flame_name(flame, text, n));
}
