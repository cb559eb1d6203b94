/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of share/rules, made by its embed.sh; the last has no `of`.
 */
#ifndef BATCH_RULES_H
#define BATCH_RULES_H

#include <stddef.h>

struct batch_rule {
	const char *of, *measure, *operator;
	double over, least, rank, cases;
	const char *say, *try;	/* try: NULL if there is nothing to do */
};

extern const struct batch_rule batch_rules[];

#endif
