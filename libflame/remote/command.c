/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fl_in_open_command() opens an input whose bytes a command prints: a file by
 * --fetch or by a client of client.c, or a client's list of a folder; for
 * schemes.c and client_listing.c.  A command that fails or falls silent is run
 * once more; bytes that the reader has are skipped.  No shell is asked: words
 * are divided at blanks, quotes and backslashes join them, and {} in a word is
 * the path, in a client's words {key} and others are parts of it.
 * flame_fetch_early(), for tools, starts the command of an input that is opened
 * soon.
 */
#include "fl.h"

#include "remote/command.h"
#include "io/input.h"
#include "io/scheme.h"
#include "remote/client.h"
#include "remote/protocol.h"
#include "remote/stall.h"
#include "remote/url.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum {
	MAX_WORDS = 64, BLOCK = 64 << 10, PREPARED = 16, MAX_TRIES = 2,
	/* A command that starts Java is slow: this many --url-timeout. */
	PATIENCE = 4,
	END_MS = 1000		/* for a command that is to end */
};

struct process {
	pid_t pid;		/* 0: it has ended */
	int out;		/* -1: none */
	FILE *says;		/* a client's messages; NULL: not stored */
};

struct fl_command {
	char *path;
	const char *words;
	bool is_client;		/* and not of --fetch */
	bool lists;
	struct process run;
	struct fl_stall stall;
	unsigned tries;
	uint64_t offset;	/* bytes that the reader has */
	uint64_t skip;		/* of those, what this try will repeat */
	bool ended;
	uint8_t *block;		/* bytes that came, and are not read yet */
	size_t used, size;
	char why[512];
};

static char *template;

int flame_process_fetch(struct flame *flame, const char *words)
{
	char *copy;

	(void)flame;
	if (!words || (*words && !strstr(words, "{}")))
		return FLAME_FAILED;
	copy = fl_memory_adopt(strdup(words));
	if (!copy)
		return FLAME_FAILED;
	fl_free(template);
	template = copy;
	return FLAME_OK;
}

bool fl_command_fetches(const char *path)
{
	return template && *template && strcmp(path, "-") != 0;
}

/* Words ---------------------------------------------------------------- */

/* The next character of the words, or 0 for {}; false: a word's end. */
static bool next_char(const char **at, char *quote, char *c)
{
	for (;; ++*at) {
		*c = **at;
		if (!*c)
			return false;
		if (*quote ? *c == *quote : *c == '\'' || *c == '"') {
			*quote = *quote ? 0 : *c;
			continue;
		}
		break;
	}
	if (!*quote && fl_is_blank(*c))
		return false;
	if (*c == '\\' && *quote != '\'' && (*at)[1]) {
		*c = *++*at;
	} else if ((*at)[0] == '{' && (*at)[1] == '}') {
		++*at;
		*c = 0;
	}
	++*at;
	return true;
}

/* Puts a part of a client's URL: {key}; false: there is no such part. */
static bool put_part(const char **at, const char *path, struct fl_buf *word)
{
	size_t n = strspn(*at, "abcdefghijklmnopqrstuvwxyz");

	if (!n || (*at)[n] != '}' ||
	    !fl_client_put(word, path, (struct slice){ *at, n }))
		return false;
	*at += n + 1;
	return true;
}

static bool next_word(const char **at, const char *path, bool is_client,
		      struct fl_buf *word)
{
	char quote = 0, c;

	while (fl_is_blank(**at))
		++*at;
	if (!**at)
		return false;
	while (next_char(at, &quote, &c))
		if (c == '{' && is_client && put_part(at, path, word))
			;
		else if (c)
			fl_buf_byte(word, c);
		else if (is_client)
			fl_client_put(word, path, FL_SLICE(""));
		else
			fl_buf_text(word, path);
	/* An empty word has memory, too. */
	fl_buf_put(word, "", 0);
	return !word->failed;
}

/* Process -------------------------------------------------------------- */

static int spawn(char **argv, int out, struct process *run)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t set;
	int error;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null",
					 O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	if (run->says)
		posix_spawn_file_actions_adddup2(&actions, fileno(run->says),
						 STDERR_FILENO);
	posix_spawnattr_init(&attributes);
	sigemptyset(&set);
	posix_spawnattr_setsigmask(&attributes, &set);
	sigaddset(&set, SIGPIPE);
	posix_spawnattr_setsigdefault(&attributes, &set);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF |
					      POSIX_SPAWN_SETSIGMASK);
	error = posix_spawnp(&run->pid, argv[0], &actions, &attributes, argv,
			     environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

static void forget(struct process *run)
{
	if (run->out >= 0)
		close(run->out);
	if (run->says)
		fclose(run->says);
	*run = (struct process){ .out = -1 };
}

/* An error's number; 0: the command runs. */
static int run_words(char **argv, bool is_client, struct process *run)
{
	int ends[2], error;

	*run = (struct process){ .out = -1 };
	if (pipe2(ends, O_CLOEXEC) != 0)
		return errno;
	run->out = ends[0];
	run->says = is_client ? tmpfile() : NULL;
	if (run->says)
		fcntl(fileno(run->says), F_SETFD, FD_CLOEXEC);
	error = spawn(argv, ends[1], run);
	close(ends[1]);
	if (error)
		forget(run);
	return error;
}

static int start(const char *words, const char *path, bool is_client,
		 struct process *run)
{
	struct fl_buf bufs[MAX_WORDS] = { { NULL, 0, 0, false } };
	char *argv[MAX_WORDS + 1];
	const char *at = words;
	int error = 0;
	size_t n = 0;

	while (n < MAX_WORDS && next_word(&at, path, is_client, &bufs[n])) {
		argv[n] = bufs[n].data;
		n++;
	}
	argv[n] = NULL;
	if (!n || *at)
		error = *at && n < MAX_WORDS ? ENOMEM : E2BIG;
	if (!error)
		error = run_words(argv, is_client, run);
	for (size_t i = 0; i < FL_MIN(n + 1, (size_t)MAX_WORDS); i++)
		fl_buf_free(&bufs[i]);
	return error;
}

/* Its status; a command that does not end is ended. */
static int end(struct process *run, bool now)
{
	int status = 0, limit = END_MS;

	if (now)
		kill(run->pid, SIGTERM);
	else
		limit = (int)(PATIENCE * fl_url_timeout() * 1000);
	for (;;) {
		pid_t pid = waitpid(run->pid, &status, WNOHANG);

		if (pid == run->pid || (pid < 0 && errno != EINTR))
			break;
		if (!limit--)
			kill(run->pid, SIGKILL);
		poll(NULL, 0, 1);
	}
	run->pid = 0;
	return status;
}

/* Of what a client said: its last error, or last line; no stack trace. */
static void put_said(struct process *run, char *to, size_t size)
{
	char line[380];
	bool has_error = false;
	size_t n;

	*to = '\0';
	if (!run->says)
		return;
	rewind(run->says);
	while (fgets(line, sizeof(line), run->says)) {
		n = strcspn(line, "\r\n");
		line[n] = '\0';
		if (strncmp(line, "ERROR", 5) == 0)
			has_error = n;
		else if (has_error || !n || fl_is_blank(*line))
			continue;
		snprintf(to, size, ": %s", line);
	}
}

/* Started before their turn -------------------------------------------- */

static struct {
	char *path;
	struct process run;
} prepared[PREPARED];

static pthread_mutex_t prepared_lock = PTHREAD_MUTEX_INITIALIZER;

/* Where a command for this path can be stored; none if there is one already. */
static size_t find_place(const char *path)
{
	size_t place = PREPARED;

	for (size_t i = 0; i < PREPARED; i++)
		if (!prepared[i].path)
			place = i;
		else if (strcmp(prepared[i].path, path) == 0)
			return PREPARED;
	return place;
}

void flame_fetch_early(struct flame *flame, const char *path)
{
	bool is_client = !fl_command_fetches(path);
	const char *words = template;
	size_t i;

	(void)flame;
	if (is_client)
		words = fl_url_protocol(path) == &fl_protocol_client ?
			fl_client_words(path, false) : NULL;
	if (!words)
		return;
	pthread_mutex_lock(&prepared_lock);
	i = find_place(path);
	if (i < PREPARED) {
		char *copy = fl_memory_adopt(strdup(path));

		if (copy && start(words, path, is_client,
				  &prepared[i].run) == 0)
			prepared[i].path = copy;
		else
			fl_free(copy);
	}
	pthread_mutex_unlock(&prepared_lock);
}

static bool take_prepared(const char *path, struct process *run)
{
	bool found = false;

	pthread_mutex_lock(&prepared_lock);
	for (size_t i = 0; i < PREPARED && !found; i++) {
		if (!prepared[i].path || strcmp(prepared[i].path, path) != 0)
			continue;
		*run = prepared[i].run;
		fl_free(prepared[i].path);
		prepared[i].path = NULL;
		found = true;
	}
	pthread_mutex_unlock(&prepared_lock);
	return found;
}

/* Reading -------------------------------------------------------------- */

enum part { BYTES, END, STOPPED, BROKEN, REFUSED };

/* The command for messages: a client by its name. */
static void explain(struct fl_command *c, const char *what, const char *said)
{
	size_t n = c->is_client ? strcspn(c->words, " ") : strlen(c->words);

	snprintf(c->why, sizeof(c->why), "%.*s: %s%s", (int)FL_MIN(n, 200u),
		 c->words, what, said);
}

static enum part begin(struct fl_command *c)
{
	int error = 0;

	c->skip = c->offset;
	c->stall = (struct fl_stall){ 0 };
	if (c->tries++ || c->lists || !take_prepared(c->path, &c->run))
		error = start(c->words, c->path, c->is_client, &c->run);
	if (!error)
		return BYTES;
	explain(c, strerror(error), "");
	return REFUSED;
}

static enum part outcome(struct fl_command *c)
{
	char said[400], what[64];
	int status = end(&c->run, false);

	put_said(&c->run, said, sizeof(said));
	forget(&c->run);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
		if (!fl_client_is_short(c->path, c->is_client && !c->lists ?
					c->offset : UINT64_MAX, what,
					sizeof(what)))
			return END;
		said[0] = '\0';
	} else {
		snprintf(what, sizeof(what), "%s %d", WIFSIGNALED(status) ?
			 "signal" : "exit status", WIFSIGNALED(status) ?
			 WTERMSIG(status) : WEXITSTATUS(status));
	}
	explain(c, what, said);
	return c->tries < MAX_TRIES ? BROKEN : REFUSED;
}

static enum part stalled(struct fl_command *c, const char *what)
{
	char said[400];

	end(&c->run, true);
	put_said(&c->run, said, sizeof(said));
	forget(&c->run);
	explain(c, what, said);
	return c->tries < MAX_TRIES ? BROKEN : REFUSED;
}

/* Waits until there are bytes, or an end. */
static enum part wait_for_bytes(struct fl_command *c, int stop)
{
	struct pollfd fds[] = {
		{ .fd = c->run.out, .events = POLLIN },
		{ .fd = stop, .events = POLLIN },
	};
	char what[64];

	for (;;) {
		int64_t from = fl_stall_clock();
		int n = poll(fds, 2, 500);

		if (n > 0 && fds[1].revents)
			return STOPPED;
		if (fl_stall_waited(&c->stall, fl_stall_clock() - from,
				    PATIENCE * fl_url_timeout(), what,
				    sizeof(what)))
			return stalled(c, what);
		if (n > 0 && fds[0].revents)
			return BYTES;
	}
}

static enum part read_bytes(struct fl_command *c, int stop)
{
	enum part part;
	ssize_t n;

	do {
		part = wait_for_bytes(c, stop);
		if (part != BYTES)
			return part;
		n = read(c->run.out, c->block, BLOCK);
	} while (n < 0 && (errno == EINTR || errno == EAGAIN));
	if (n <= 0)
		return outcome(c);
	fl_stall_came(&c->stall, (size_t)n);
	c->size = (size_t)n;
	c->used = (size_t)FL_MIN((uint64_t)n, c->skip);
	c->skip -= c->used;
	return BYTES;
}

static enum part fill(struct fl_command *c, int stop)
{
	enum part part;

	do {
		part = c->run.out < 0 ? begin(c) : BYTES;
		if (part == BYTES)
			part = read_bytes(c, stop);
	} while (part == BROKEN || (part == BYTES && c->used == c->size));
	c->ended = part == END || part == REFUSED;
	if (part == END)
		snprintf(c->why, sizeof(c->why), "%s", c->skip ?
			 "printed less when it was run again" : "");
	return part;
}

static size_t read_command(void *state, int stop, uint8_t *to, size_t capacity,
			   const char **damage)
{
	struct fl_command *c = state;
	size_t n;

	if (c->used == c->size && (c->ended || fill(c, stop) != BYTES)) {
		if (c->ended && c->why[0])
			*damage = c->why;
		return 0;
	}
	n = FL_MIN(capacity, c->size - c->used);
	memcpy(to, c->block + c->used, n);
	c->used += n;
	c->offset += n;
	return n;
}

static void close_command(void *state)
{
	struct fl_command *c = state;

	if (!c)
		return;
	if (c->run.out >= 0)
		close(c->run.out);
	c->run.out = -1;
	if (c->run.pid > 0)
		end(&c->run, true);
	forget(&c->run);
	fl_free(c->block);
	fl_free(c->path);
	fl_free(c);
}

static struct fl_command *open_command(struct flame *flame, const char *path,
				  bool lists)
{
	struct fl_command *c = fl_zeroed(1, sizeof(*c));

	if (c) {
		c->run.out = -1;
		c->is_client = lists || !fl_command_fetches(path);
		c->lists = lists;
		c->words = c->is_client ? fl_client_words(path, lists) :
					  template;
		c->path = fl_memory_adopt(strdup(path));
		c->block = fl_alloc(BLOCK);
	}
	if (!c || !c->path || !c->block) {
		fl_no_memory(flame);
	} else if (!c->words) {
		fl_fail(flame, "%s: %s", path, fl_url_advice(path, lists));
	} else if (fill(c, -1) != REFUSED) {
		return c;
	} else {
		fl_fail(flame, "%s: %s", path, c->why);
	}
	close_command(c);
	return NULL;
}

struct fl_in *fl_in_open_command(struct flame *flame, const char *path,
				 bool lists)
{
	static const struct fl_transfer transfer = {
		read_command, close_command
	};
	struct fl_in *in = fl_in_new_shown(flame, path);

	if (in) {
		in->transfer = &transfer;
		in->transferred = open_command(flame, path, lists);
	}
	if (!in || in->transferred)
		return in;
	fl_in_close(in);
	return NULL;
}

static struct fl_in *fetch(struct flame *flame, const char *path)
{
	return fl_in_open_command(flame, path, false);
}

/* --fetch reads files too, whatever their names are. */
const struct fl_url_scheme fl_url_scheme_fetch = {
	.names = "", .matches = fl_command_fetches, .open = fetch,
};
