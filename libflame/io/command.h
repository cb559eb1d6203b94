/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --fetch 'CMD {}': an input is what a command prints for its path; so are
 * URLs that a client of client.h reads.  A command that fails or falls silent
 * is run once more; what the reader has of it is skipped then.
 */
#ifndef FL_IO_COMMAND_H
#define FL_IO_COMMAND_H

#include "fl.h"

struct fl_command;

/* For the whole process; "": none.  false: {} is missing, or out of memory. */
bool fl_command_set(const char *words);
/* Whether inputs of this name are that command's. */
bool fl_command_takes(const char *path);
/* Starts the command of an input that will be opened soon. */
void fl_command_prepare(const char *path);
/*
 * Waits for the first bytes of a file, or of what a client prints of a folder.
 * NULL after fl_fail.
 */
struct fl_command *fl_command_open(struct flame *flame, const char *path,
				   bool lists);
/*
 * The next bytes; 0: the end, damage, or `stop` (a descriptor, or -1) became
 * readable.  *damage stays until fl_command_close.
 */
size_t fl_command_read(struct fl_command *command, int stop, uint8_t *to,
		       size_t capacity, const char **damage);
/* Ends the command.  NULL is allowed. */
void fl_command_close(struct fl_command *command);

#endif
