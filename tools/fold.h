/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of flame-fold. */
#ifndef FOLD_H
#define FOLD_H

#include "cli/cli.h"

struct own {
	bool like_a_peer, header;
	const char *event, *key;
	int64_t every, span;	/* ns; 0: not given */
};

/* fold_every.c: --every and --for; false: the message is out. */
bool fold_take_time(struct cli *cli, const char *option, const char *value);
bool fold_check_every(struct cli *cli);
/* Reads dumps until --for is over, or a signal comes; an exit status. */
int fold_every(struct cli *cli, struct flame *flame);

#endif
