/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses the values of the options of flame-record into struct own
 * (record_set_option()), and refuses options that do not go together
 * (record_check_options()).  cli.c and cli/options.c call them through the
 * struct cli_tool of flame-record.c.
 */
#include "record/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static bool take_number(struct cli *cli, const char *name, const char *value,
			unsigned least, unsigned most, unsigned *n)
{
	char *end;
	unsigned long said;

	errno = 0;
	said = strtoul(value, &end, 10);
	if (*value >= '0' && *value <= '9' && !*end && !errno &&
	    said >= least && said <= most) {
		*n = (unsigned)said;
		return true;
	}
	cli_say(cli, "--%s %s: a number from %u to %u", name, value, least,
		most);
	return false;
}

static bool take_seconds(struct cli *cli, const char *value)
{
	struct own *own = cli->own;
	char *end;

	own->seconds = strtod(value, &end);
	if (end != value && !*end && own->seconds > 0 && own->seconds < 1e9)
		return true;
	cli_say(cli, "--duration %s: a number of seconds", value);
	return false;
}

static bool take_wait(struct cli *cli, const char *value)
{
	struct own *own = cli->own;
	char *end;

	own->least_wait = strtod(value, &end);
	if (end != value && !*end && own->least_wait >= 0.1 &&
	    own->least_wait <= 1e6)
		return true;
	cli_say(cli, "--min-wait %s: milliseconds, from 0.1 to 1000000", value);
	return false;
}

static bool take_pid(struct cli *cli, const char *value)
{
	struct own *own = cli->own;
	char *joined;

	/* As an empty $(pgrep NAME) leaves it. */
	if (!value[strspn(value, ", \t\n")] || *value == '-') {
		cli_say(cli, "--pid %s: not a process: a number, a name, or "
			"java", *value ? value : "''");
		return false;
	}
	if (asprintf(&joined, "%s,%s", own->pids ? own->pids : "", value) < 0)
		return cli_no_memory(cli);
	free(own->pids);
	own->pids = joined;
	return true;
}

static bool take_event(struct cli *cli, const char *value)
{
	struct own *own = cli->own;
	struct fl_refusal refusal;

	own->counted.name[0] = '\0';
	own->of_jvms = 0;
	own->settings = NULL;
	own->event = value;
	for (size_t i = 0; record_kinds[i]; i++)
		if (strcmp(value, record_kinds[i]) == 0) {
			own->kind = (enum fl_record_kind)i;
			own->kind_given = true;
			return true;
		}
	if (record_is_of_several(value))
		return record_take_jvm_events(cli, value);
	if (fl_counted_find(value, &own->counted, &refusal)) {
		own->kind = FL_RECORD_CPU;
		own->kind_given = true;
		return true;
	}
	if (refusal.text[0])
		cli_say(cli, "%s", refusal.text);
	else
		cli_say(cli, "--event %s: cpu, wall, offcpu, alloc, lock, or "
			"one that flame-record --list names", value);
	return false;
}

bool record_set_option(struct cli *cli, const char *name, const char *value)
{
	struct own *own = cli->own;

	if (strcmp(name, "duration") == 0)
		return take_seconds(cli, value);
	if (strcmp(name, "min-wait") == 0)
		return take_wait(cli, value);
	if (strcmp(name, "pid") == 0)
		return take_pid(cli, value);
	if (strcmp(name, "event") == 0)
		return take_event(cli, value);
	if (strcmp(name, "roll") == 0)
		return record_take_roll(cli, value);
	if (strcmp(name, "roll-limit") == 0)
		return record_take_roll_limit(cli, value);
	if (strcmp(name, "count") == 0)
		return take_number(cli, name, value, 1, 4000000000,
				   &own->count);
	if (strcmp(name, "frequency") == 0)
		return take_number(cli, name, value, 1, 100000, &own->hertz);
	if (!take_number(cli, name, value, 1024, FL_MAX_STACK, &own->stack))
		return false;
	own->stack &= ~7u;	/* as the kernel wants it */
	return true;
}

static bool is_pid(const char *text)
{
	return *text && text[strspn(text, "0123456789")] == '\0';
}

/* "-p 1 2 3", as $(pgrep ...) has it without quotes. */
static bool take_more_pids(struct cli *cli)
{
	const struct own *own = cli->own;

	for (size_t i = 0; i < cli->ninputs; i++)
		if (!own->pids || !is_pid(cli->inputs[i]))
			return true;
	for (size_t i = 0; i < cli->ninputs; i++)
		if (!take_pid(cli, cli->inputs[i]))
			return false;
	cli->ninputs = 0;
	return true;
}

bool record_check_options(struct cli *cli)
{
	struct own *own = cli->own;
	int ways;

	if (!take_more_pids(cli))
		return false;
	cli->event = NULL;
	cli->output_format = record_is_script(own) ? "folded" : own->format;
	ways = (own->pids != NULL) + own->all + (cli->ninputs > 0);
	if (record_is_of_jvms(own) && !own->pids && !own->check) {
		cli_say(cli, "--event %s needs a JVM: -p PID or -p java",
			own->event);
		return false;
	}
	if (!record_check_jvms(cli))
		return false;
	if (own->list || own->list_processes)
		return true;
	if (own->count && !own->counted.name[0]) {
		cli_say(cli, "--count: of which events?  %s is sampled by "
			"time (-F); flame-record --list", record_kinds[own->kind]);
		return false;
	}
	if (own->hertz && own->counted.name[0]) {
		cli_say(cli, "--frequency: %s is counted: --count N",
			own->counted.name);
		return false;
	}
	if (own->count)
		own->counted.period = own->count;
	if (own->least_wait > 0 && own->kind != FL_RECORD_OFFCPU) {
		cli_say(cli, "--min-wait: only -e offcpu records waits");
		return false;
	}
	if (own->hertz && own->kind == FL_RECORD_OFFCPU && !cli->quiet)
		cli_say(cli, "--frequency is ignored: offcpu records each wait");
	if (own->all && own->kind == FL_RECORD_WALL) {
		cli_say(cli, "--event wall: of which processes? -p PID or a "
			"command, not -a");
		return false;
	}
	if (!record_check_roll(cli))
		return false;
	if (ways == 1 || (own->check && !own->all && !cli->ninputs))
		return true;
	cli_say(cli, ways ? "one of --pid, --all and a command, not several" :
		"what is to be recorded? -p PID, -a, or a command; see "
		"flame-record --help");
	return false;
}
