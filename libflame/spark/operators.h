/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators of Spark by the frames of a stack.
 */
#ifndef FL_SPARK_OPERATORS_H
#define FL_SPARK_OPERATORS_H

#include "filter/filter.h"
#include "spark/spark.h"

/* share/spark/operators.txt; ends in NULL. */
extern const struct fl_operator_row {
	const char *pattern, *name;
} fl_operator_table[];

struct fl_operators {
	struct {
		struct fl_patterns pattern;
		flame_id name;
	} *rows;
	size_t count;
	struct fl_rewrite names, stacks[2];	/* [1]: of codegens alone */
	struct fl_map codegens;	/* stage << 32 | id -> name */
	struct fl_map runs;	/* stage << 32 | id -> 1 no, 2 yes */
	flame_id operator_key, codegen_key, other;
};

struct fl_operator {
	flame_id name;		/* of the table; 0: it has no row */
	bool is_codegen;	/* the innermost is the codegen, not name */
	int64_t codegen;	/* the innermost WholeStageCodegen; -1: none */
};

int fl_operators_init(struct flame *flame, struct fl_operators *operators);
void fl_operators_free(struct fl_operators *operators);
struct fl_operator fl_operator_of(struct flame *flame,
				  struct fl_operators *operators,
				  flame_id stack);

/* Whether the plan has the innermost codegen of a stack in the stage. */
bool fl_operators_run(struct fl_operators *operators,
		      const struct fl_spark *spark, size_t stage,
		      int64_t codegen);
/*
 * Adds the labels operator and codegen.  stage: in spark->stages, or
 * FL_SPARK_NONE: one of several.
 */
flame_id fl_operator_labels(struct flame *flame,
			    struct fl_operators *operators,
			    const struct fl_spark *spark, size_t stage,
			    flame_id labels, flame_id stack);

#endif
