/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tools share: options that are data, inputs, the chain from them
 * to an output, and what is said on standard error.
 */
#ifndef CLI_H
#define CLI_H

#include <stdbool.h>
#include <stddef.h>

#include "flame.h"

enum { CLI_FINE = 0, CLI_NO = 1, CLI_TROUBLE = 2 };

struct cli_option {
	char letter;		/* 0: none */
	const char *name, *argument, *summary;
};

struct cli;

struct cli_tool {
	const char *name;
	const char *usage;	/* after the name */
	const char *about;	/* one sentence */
	const char *format;	/* written where nothing else says */
	const struct cli_option *options;	/* its own; ends in name NULL */
	/* Takes one of its own; false: the message is out. */
	bool (*take)(struct cli *cli, const char *name, const char *value);
	/* Before the inputs are opened; false: the message is out. */
	bool (*settle)(struct cli *cli);
};

/* An option that goes to the library, in the order given. */
struct cli_pair {
	const char *name;
	char *value;		/* a copy; NULL: none */
	int rank;		/* of a filter */
};

struct cli_list {
	struct cli_pair *at;
	size_t n, room;
};

struct cli {
	const struct cli_tool *tool;
	void *own;		/* the tool's */
	char **inputs;		/* nheld of them; an output may be the last */
	size_t ninputs, nheld, inputs_room;
	struct cli_list asks, filters, sets;
	const char *input_format, *output_format;
	const char *output;	/* "-": standard output */
	const char *event;
	bool list_events, info;
	bool diff;		/* the second of two inputs against the first */
	bool compat;
	bool quiet, verbose, strict;
};

/* The whole of a tool: parses, reads, writes; gives the exit status. */
int cli_main(const struct cli_tool *tool, void *own, int argc, char **argv);

void cli_say(const struct cli *cli, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* For flame_ask, flame_filter (by its row's name), flame_set. */
bool cli_ask(struct cli *cli, const char *name, const char *value);
bool cli_filter(struct cli *cli, const char *name, const char *value);
bool cli_set(struct cli *cli, const char *name, const char *value);
bool cli_input(struct cli *cli, const char *path);
/* Inputs to one output (both from cli if NULL); an exit status. */
int cli_convert(struct cli *cli, char **inputs, size_t n, const char *output);

#endif
