/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --fetch 'CMD {}': an input is what a command prints for its path; so are
 * URLs that a client of client.h reads.  A command that fails or falls silent
 * is run once more; what the reader has of it is skipped then.
 */
#ifndef FL_REMOTE_COMMAND_H
#define FL_REMOTE_COMMAND_H

#include "fl.h"

/* Whether inputs of this name are that command's. */
bool fl_command_fetches(const char *path);
/*
 * Waits for the first bytes of a file, or of what a client prints of a folder.
 * NULL after fl_fail.
 */
struct fl_in *fl_in_open_command(struct flame *flame, const char *path,
				 bool lists);

#endif
