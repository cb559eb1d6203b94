/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame-record --roll: record_roll() records the machine in turns, with a file
 * for each in the folder -o; above --roll-limit the oldest are removed.  A
 * process of its own records a turn, so that no turn inherits memory of
 * another, and a crash costs one.  The next turn begins some time before the
 * last one ends, and the times of samples decide in which file they are: none
 * is missed or counted twice.  Called by flame-record.c.
 */
#include "record/record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)
#define MAX_LEAD (2 * SECOND)	/* for opening events, on a busy machine */
#define DEFAULT_LIMIT ((size_t)1 << 30)

enum { MAX_CHILDREN = 8 };	/* one records, others still write */

struct turn {
	int64_t from, until;	/* CLOCK_MONOTONIC, ns */
};

struct roll {
	struct cli *cli;
	struct flame *flame;
	char *folder;		/* OUTPUT/host=NAME */
	const char *format;	/* ends the files' names */
	int64_t lead, end;	/* end: 0: until a signal comes */
	struct child {
		pid_t pid;	/* 0: none */
		struct turn turn;
	} children[MAX_CHILDREN], *current;
	bool refused;
	unsigned lost;		/* turns without a file */
	sigset_t signals;
};

static int64_t clock_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * SECOND + t.tv_nsec;
}

static int64_t now(void)
{
	return clock_of(CLOCK_MONOTONIC);
}

/* Files ------------------------------------------------------------------- */

/* "20261129T011500Z", the nearest second. */
static void name_time(char name[24], int64_t at)
{
	time_t seconds = (clock_of(CLOCK_REALTIME) - now() + at + SECOND / 2) /
			 SECOND;
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(name, 24, "%Y%m%dT%H%M%SZ", &tm);
}

/* Whether a file's name is one that name_time began. */
static bool is_ours(const char *name)
{
	static const char shape[] = "dddddddd" "T" "dddddd" "Z";

	for (size_t i = 0; shape[i]; i++)
		if (shape[i] == 'd' ? name[i] < '0' || name[i] > '9' :
				      name[i] != shape[i])
			return false;
	return true;
}

static bool say_failed(const struct roll *r, const char *path)
{
	cli_say(r->cli, "%s: %s", path, strerror(errno));
	return false;
}

static bool make_folder(const struct roll *r)
{
	const char *paths[] = { r->cli->output, r->folder };

	for (size_t i = 0; i < 2; i++)
		if (mkdir(paths[i], 0777) != 0 && errno != EEXIST)
			return say_failed(r, paths[i]);
	return true;
}

/* The folder's descriptor, which others with the same folder wait for; -1. */
static int lock_folder(const struct roll *r)
{
	int fd = open(r->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0) {
		say_failed(r, r->folder);
	} else if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
		cli_say(r->cli, "%s: another flame-record --roll writes here",
			r->folder);
		close(fd);
		fd = -1;
	}
	return fd;
}

static char *name_folder(const struct cli *cli)
{
	struct utsname system;
	char *path;

	if (uname(&system) != 0 || !system.nodename[0])
		snprintf(system.nodename, sizeof(system.nodename), "unknown");
	for (char *c = system.nodename; *c; c++)
		if (*c == '/' || (unsigned char)*c < ' ')
			*c = '_';
	return asprintf(&path, "%s/host=%s", cli->output, system.nodename) < 0 ?
	       NULL : path;
}

static int by_hidden(const struct dirent *entry)
{
	return entry->d_name[0] == '.' && is_ours(entry->d_name + 1);
}

static int by_name(const struct dirent *entry)
{
	return is_ours(entry->d_name);
}

/* What a recorder that was killed while a turn was written has left. */
static void remove_hidden(const struct roll *r, int folder)
{
	struct dirent **entries;
	int n = scandir(r->folder, &entries, by_hidden, alphasort);

	for (int i = 0; i < n; i++) {
		unlinkat(folder, entries[i]->d_name, 0);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

static uint64_t size_of(int folder, const char *name)
{
	struct stat st;

	return fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
}

/* Removes the oldest files, but not the last one, while all are too large. */
static void prune(const struct roll *r)
{
	const struct own *own = r->cli->own;
	int folder = open(r->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct dirent **entries;
	uint64_t sum = 0, size;
	int n = folder < 0 ? -1 :
		scandir(r->folder, &entries, by_name, alphasort);

	for (int i = n - 1; i >= 0; i--) {
		size = size_of(folder, entries[i]->d_name);
		sum += size;
		if (size && sum > own->roll_limit && i < n - 1 &&
		    unlinkat(folder, entries[i]->d_name, 0) == 0 &&
		    !r->cli->quiet)
			cli_say(r->cli, "%s/%s: removed, for --roll-limit",
				r->folder, entries[i]->d_name);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	if (folder >= 0)
		close(folder);
}

static bool sync_path(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool good = fd >= 0 && fsync(fd) == 0;
	int number = errno;

	if (fd >= 0)
		close(fd);
	errno = number;
	return good;
}

/* A turn ----------------------------------------------------------------- */

/* In the turn's process. */
static int record_turn(struct roll *r, const struct turn *turn)
{
	struct own *own = r->cli->own;
	char time[24], *hidden, *path;
	int status;

	name_time(time, turn->from);
	if (asprintf(&hidden, "%s/.%s.%s", r->folder, time, r->format) < 0 ||
	    asprintf(&path, "%s/%s.%s", r->folder, time, r->format) < 0) {
		cli_no_memory(r->cli);
		return STATUS_ERROR;
	}
	if (!make_folder(r))
		return STATUS_ERROR;
	r->cli->output = hidden;
	own->from = turn->from;
	own->until = turn->until;
	status = record_all(r->cli, r->flame);
	if (status != CLI_FINE)
		return status;
	if (sync_path(hidden) && rename(hidden, path) == 0 &&
	    sync_path(r->folder))
		return CLI_FINE;
	say_failed(r, path);
	unlink(hidden);
	return STATUS_ERROR;
}

/* The turn's process ends with this one, and writes what it has recorded. */
static void become_turn(struct roll *r, const struct turn *turn, pid_t parent)
{
	int status;

	prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
	sigprocmask(SIG_UNBLOCK, &r->signals, NULL);
	if (getppid() != parent)
		_exit(STATUS_ERROR);
	status = record_turn(r, turn);
	fflush(NULL);
	_exit(status);
}

/* Also removes what a turn that was killed has written. */
static void lose(struct roll *r, const struct turn *turn, const char *why)
{
	char time[24], *hidden;

	name_time(time, turn->from);
	if (asprintf(&hidden, "%s/.%s.%s", r->folder, time, r->format) >= 0) {
		unlink(hidden);
		free(hidden);
	}
	cli_say(r->cli, "%s/%s.%s: not written: %s", r->folder, time, r->format,
		why);
	r->lost++;
}

static void begin_turn(struct roll *r, const struct turn *turn)
{
	struct child *child = r->children;
	pid_t parent = getpid();

	while (child < r->children + MAX_CHILDREN && child->pid)
		child++;
	r->current = NULL;
	if (child == r->children + MAX_CHILDREN) {
		lose(r, turn, "turns before it are not written yet");
		return;
	}
	child->pid = fork();
	if (child->pid == 0)
		become_turn(r, turn, parent);
	child->turn = *turn;
	if (child->pid > 0) {
		r->current = child;
		return;
	}
	lose(r, turn, strerror(errno));
	child->pid = 0;
}

static void end_turn(struct roll *r, struct child *child, int status)
{
	child->pid = 0;
	if (WIFSIGNALED(status)) {
		char why[80];

		snprintf(why, sizeof(why), "its recorder was ended by signal "
			 "%d (%s)", WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
		lose(r, &child->turn, why);
	} else if (WEXITSTATUS(status) == CLI_FINE) {
		prune(r);
	} else if (WEXITSTATUS(status) == STATUS_REFUSED) {
		r->refused = true;
	} else if (WEXITSTATUS(status) != CLI_TROUBLE) {
		r->lost++;	/* it said why; 2: there was no sample */
	}
}

/* All turns -------------------------------------------------------------- */

enum event { DUE, STOPPED, ENDED };	/* ENDED: the current turn, too early */

/* Reaps; whether the current turn is one of those that ended. */
static bool reap(struct roll *r)
{
	bool ended = false;
	int status;

	for (struct child *c = r->children;
	     c < r->children + MAX_CHILDREN; c++)
		if (c->pid && waitpid(c->pid, &status, WNOHANG) == c->pid) {
			end_turn(r, c, status);
			ended |= c == r->current;
		}
	return ended;
}

static enum event wait_until(struct roll *r, int64_t when)
{
	for (;;) {
		int64_t rest;
		struct timespec t;
		int number;

		if (reap(r) && r->current->turn.until > now())
			return ENDED;
		rest = when - now();
		if (rest <= 0)
			return DUE;
		t.tv_sec = rest / SECOND;
		t.tv_nsec = rest % SECOND;
		number = sigtimedwait(&r->signals, NULL, &t);
		if (number > 0 && number != SIGCHLD)
			return STOPPED;
	}
}

/* Those that have recorded something write it. */
static void end_all(struct roll *r, bool at_once)
{
	const struct child *end = r->children + MAX_CHILDREN;
	int status;

	for (struct child *c = r->children; c < end; c++) {
		bool early = c->turn.from > now();

		if (c->pid && (at_once || early))
			kill(c->pid, early ? SIGKILL : SIGTERM);
		if (c->pid && early)
			waitpid(c->pid, &status, 0);
		c->pid = early ? 0 : c->pid;
	}
	for (struct child *c = r->children; c < end; c++)
		if (c->pid && waitpid(c->pid, &status, 0) == c->pid)
			end_turn(r, c, status);
}

/* Turns end where the clock shows a multiple of their length. */
static int64_t end_of(const struct roll *r, int64_t from)
{
	const struct own *own = r->cli->own;
	int64_t into = (clock_of(CLOCK_REALTIME) - now() + from) % own->roll;
	int64_t until = from + own->roll - into;

	if (until - from < r->lead)
		until += own->roll;
	return r->end && until > r->end ? r->end : until;
}

static void run(struct roll *r)
{
	struct turn turn = { now(), 0 };
	enum event event = DUE;

	while (!r->refused && event != STOPPED &&
	       (!r->end || turn.from < r->end)) {
		turn.until = end_of(r, turn.from);
		begin_turn(r, &turn);
		/* The last one ends by itself. */
		event = wait_until(r, turn.until - (turn.until == r->end ? 0 :
						    r->lead));
		turn.from = turn.until;
		if (event == ENDED && !r->refused) {
			event = wait_until(r, now() + SECOND);
			turn.from = now();
		}
	}
	end_all(r, event == STOPPED || r->refused);
}

int record_roll(struct cli *cli, struct flame *flame)
{
	static const int numbers[] = { SIGCHLD, SIGINT, SIGTERM, SIGHUP };
	struct own *own = cli->own;
	struct roll r = {
		.cli = cli, .flame = flame, .folder = name_folder(cli),
		.format = own->format ? own->format : "folded",
		.lead = own->roll / 2 < MAX_LEAD ? own->roll / 2 : MAX_LEAD,
		.end = own->seconds > 0 ?
		       now() + (int64_t)(own->seconds * 1e9) : 0,
	};
	int folder;

	if (!r.folder) {
		cli_no_memory(cli);
		return STATUS_ERROR;
	}
	sigemptyset(&r.signals);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		sigaddset(&r.signals, numbers[i]);
	sigprocmask(SIG_BLOCK, &r.signals, NULL);
	folder = make_folder(&r) ? lock_folder(&r) : -1;
	if (folder >= 0) {
		remove_hidden(&r, folder);
		run(&r);
		close(folder);
	}
	free(r.folder);
	return folder < 0 || r.lost ? STATUS_ERROR :
	       r.refused ? STATUS_REFUSED : CLI_FINE;
}

bool record_take_roll(struct cli *cli, const char *value)
{
	struct own *own = cli->own;

	if (cli_parse_time(value, SECOND, 24 * 3600 * SECOND, &own->roll))
		return true;
	cli_say(cli, "--roll %s: a time from 1s to 24h, as 30s, 5min or 1h",
		value);
	return false;
}

bool record_take_roll_limit(struct cli *cli, const char *value)
{
	struct own *own = cli->own;

	if (flame_parse_size(value, &own->roll_limit) && own->roll_limit)
		return true;
	cli_say(cli, "--roll-limit %s: a size, as 512M or 2G", value);
	return false;
}

bool record_check_roll(const struct cli *cli)
{
	struct own *own = cli->own;

	if (!own->roll && own->roll_limit)
		cli_say(cli, "--roll-limit: of which files?  --roll writes "
			"them");
	if (!own->roll)
		return !own->roll_limit;
	if (!own->roll_limit)
		own->roll_limit = DEFAULT_LIMIT;
	if (!own->all || record_is_of_jvms(own) ||
	    own->kind != FL_RECORD_CPU)
		cli_say(cli, "--roll records what runs on the whole machine: "
			"with -a, and -e cpu or an event that is counted");
	else if (!cli->output || strcmp(cli->output, "-") == 0)
		cli_say(cli, "--roll writes files: -o FOLDER");
	else
		return true;
	return false;
}
