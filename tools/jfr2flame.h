/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JFR2FLAME_H
#define JFR2FLAME_H

#include "cli/cli.h"

/* A format by our name or jfrconv's, in any case; NULL: there is none. */
const char *jfr2flame_format(const char *name);
/* -o: a format or a file; false: it is neither, and a message says so. */
bool jfr2flame_set_output(struct cli *cli, const char *value,
			  bool *format_given);
/* Whether the last of several operands is the output; false: a message. */
bool jfr2flame_resolve_output(struct cli *cli);

#endif
