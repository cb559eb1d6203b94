/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts how inputs were read (whole, damaged, empty, lost), which decides the
 * exit status and is what --report prints.  The members of archives are inputs
 * of their own in the account and in messages.  Called by cli.c; flame-batch
 * asks cli_fate_of().
 */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

/*
 * A warning that --quiet left out becomes an error if the exit status depends
 * on it.
 */
void cli_count_damage(struct cli *cli, struct cli_reading *reading,
		      enum flame_damage damage)
{
	reading->read += damage != FLAME_ALL_LOST;
	reading->damaged += damage == FLAME_SOME_LOST;
	reading->lost += damage == FLAME_ALL_LOST;
	reading->failed += damage == FLAME_NOT_READ_ON;
	if (damage && (cli->strict || damage == FLAME_NOT_READ_ON) &&
	    cli->unsaid[0])
		cli_say(cli, "%s", cli->unsaid);
	else if (damage == FLAME_ALL_LOST && !cli->loss[0])
		memcpy(cli->loss, cli->unsaid, sizeof(cli->loss));
	cli->unsaid[0] = '\0';
}

enum cli_fate cli_fate_of(const struct flame_source *source)
{
	if (flame_source_facts(source) & FLAME_EMPTY)
		return CLI_EMPTY;
	switch (flame_source_damage(source)) {
	case FLAME_NONE_LOST: return CLI_READ;
	case FLAME_SOME_LOST: return CLI_DAMAGED;
	case FLAME_ALL_LOST: return CLI_LOST;
	case FLAME_NOT_READ_ON: break;
	}
	return CLI_FAILED;
}

bool cli_is_archive(const struct flame_source *source)
{
	return flame_source_facts(source) & FLAME_ARCHIVE;
}

/* The members are counted already; the archive has bytes, and damage. */
static void count_archive(struct cli *cli, struct cli_reading *reading,
			  const char *path, const struct flame_source *source)
{
	if (flame_source_damage(source) != FLAME_NONE_LOST)
		cli_count_damage(cli, reading, FLAME_SOME_LOST);
	else
		cli->unsaid[0] = '\0';
	cli_count_bytes(&reading->account, path, source);
	reading->account.n[CLI_DAMAGED] += flame_source_damage(source) !=
					   FLAME_NONE_LOST;
}

void cli_count_read(struct cli *cli, struct cli_reading *reading,
		    const char *path, const struct flame_source *source)
{
	if (cli_is_archive(source)) {
		count_archive(cli, reading, path, source);
		return;
	}
	cli_count_damage(cli, reading, flame_source_damage(source));
	cli_count_input(&reading->account, path, source, cli_fate_of(source));
	if (cli->verbose)
		cli_say(cli, "%s: read as %s", path,
			flame_source_format(source));
}

/* false: nothing more can be read. */
static bool pass_over_member(struct cli_members *members,
			     struct flame_source *source)
{
	if (source && flame_source_damage(source) != FLAME_ALL_LOST)
		return false;
	if (members->cli->refused ||
	    !cli_pass_over(members->cli, members->flame))
		return false;
	members->reading->failed++;
	members->reading->account.n[CLI_FAILED]++;
	return true;
}

static int on_member(void *arg, const char *name, struct flame_source *source,
		     int status)
{
	struct cli_members *members = arg;
	struct cli *cli = members->cli;

	switch (status) {
	case FLAME_OK:
		return members->survey || cli_ask_parts(cli, source) ?
		       FLAME_OK : FLAME_FAILED;
	case FLAME_FAILED:
		return pass_over_member(members, source) ? FLAME_OK :
							   FLAME_FAILED;
	}
	cli_count_damage(cli, members->reading, flame_source_damage(source));
	members->reading->account.n[cli_fate_of(source)]++;
	if (cli->verbose)
		cli_say(cli, "%s: read as %s", name,
			flame_source_format(source));
	if (members->survey && cli->info) {
		cli_progress_erase(cli->progress);
		cli_print_facts(cli, source, name);
	}
	return FLAME_OK;
}

void cli_hear_members(struct cli_members *members)
{
	flame_on_member(members->flame, on_member, members);
}
