/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the commands that give inputs.  No shell is asked: words are divided at
 * blanks, quotes and backslashes hold them together, and {} in a word is the
 * path.
 */
#include "fl.h"

#include "io/command.h"

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

enum { MAX_WORDS = 64, BLOCK = 64 << 10, PREPARED = 16, MAX_TRIES = 2 };

struct fl_command {
	char *path;
	pid_t pid;		/* 0: it has ended */
	int fd;			/* -1: none */
	unsigned tries;
	uint64_t offset;	/* bytes that the reader has */
	uint64_t skip;		/* of those, what this try will give again */
	bool ended;
	uint8_t *block;		/* bytes that came, and are not read yet */
	size_t used, size;
	char why[512];
};

static char *template;

bool fl_command_set(const char *words)
{
	char *copy;

	if (*words && !strstr(words, "{}"))
		return false;
	copy = fl_memory_adopt(strdup(words));
	if (!copy)
		return false;
	fl_free(template);
	template = copy;
	return true;
}

bool fl_command_takes(const char *path)
{
	return template && *template && strcmp(path, "-") != 0;
}

/* Words ---------------------------------------------------------------- */

/* The next character of the template, or 0 for {}; false: a word's end. */
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

static bool next_word(const char **at, const char *path, struct fl_buf *word)
{
	char quote = 0, c;

	while (fl_is_blank(**at))
		++*at;
	if (!**at)
		return false;
	while (next_char(at, &quote, &c))
		if (c)
			fl_buf_byte(word, c);
		else
			fl_buf_text(word, path);
	/* An empty word has memory, too. */
	fl_buf_put(word, "", 0);
	return !word->failed;
}

/* Process -------------------------------------------------------------- */

static int spawn(char **argv, int out, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t set;
	int error;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null",
					 O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	posix_spawnattr_init(&attributes);
	sigemptyset(&set);
	posix_spawnattr_setsigmask(&attributes, &set);
	sigaddset(&set, SIGPIPE);
	posix_spawnattr_setsigdefault(&attributes, &set);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF |
					      POSIX_SPAWN_SETSIGMASK);
	error = posix_spawnp(pid, argv[0], &actions, &attributes, argv,
			     environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

/* An error's number; 0: the command runs. */
static int start(const char *path, pid_t *pid, int *fd)
{
	struct fl_buf words[MAX_WORDS] = { { NULL, 0, 0, false } };
	char *argv[MAX_WORDS + 1];
	const char *at = template;
	int ends[2], error = 0;
	size_t n = 0;

	while (n < MAX_WORDS && next_word(&at, path, &words[n])) {
		argv[n] = words[n].data;
		n++;
	}
	argv[n] = NULL;
	if (!n || *at)
		error = *at && n < MAX_WORDS ? ENOMEM : E2BIG;
	else if (pipe2(ends, O_CLOEXEC) != 0)
		error = errno;
	if (!error) {
		error = spawn(argv, ends[1], pid);
		close(ends[1]);
		*fd = ends[0];
		if (error)
			close(ends[0]);
	}
	for (size_t i = 0; i < FL_MIN(n + 1, (size_t)MAX_WORDS); i++)
		fl_buf_free(&words[i]);
	return error;
}

/* Started before their turn -------------------------------------------- */

static struct {
	char *path;
	pid_t pid;
	int fd;
} prepared[PREPARED];

static pthread_mutex_t prepared_lock = PTHREAD_MUTEX_INITIALIZER;

/* Where a command for this path can be kept; none if there is one already. */
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

void fl_command_prepare(const char *path)
{
	size_t i;

	if (!fl_command_takes(path))
		return;
	pthread_mutex_lock(&prepared_lock);
	i = find_place(path);
	if (i < PREPARED) {
		char *copy = fl_memory_adopt(strdup(path));

		if (copy && start(path, &prepared[i].pid, &prepared[i].fd) == 0)
			prepared[i].path = copy;
		else
			fl_free(copy);
	}
	pthread_mutex_unlock(&prepared_lock);
}

static bool take_prepared(const char *path, pid_t *pid, int *fd)
{
	bool found = false;

	pthread_mutex_lock(&prepared_lock);
	for (size_t i = 0; i < PREPARED && !found; i++) {
		if (!prepared[i].path || strcmp(prepared[i].path, path) != 0)
			continue;
		*pid = prepared[i].pid;
		*fd = prepared[i].fd;
		fl_free(prepared[i].path);
		prepared[i].path = NULL;
		found = true;
	}
	pthread_mutex_unlock(&prepared_lock);
	return found;
}

/* Reading -------------------------------------------------------------- */

enum part { BYTES, END, STOPPED, BROKEN, REFUSED };

static void explain(struct fl_command *c, const char *what, int number)
{
	snprintf(c->why, sizeof(c->why), "%s: %s %d", template, what, number);
}

static enum part begin(struct fl_command *c)
{
	int error = 0;

	c->skip = c->offset;
	if (c->tries++ || !take_prepared(c->path, &c->pid, &c->fd))
		error = start(c->path, &c->pid, &c->fd);
	if (!error)
		return BYTES;
	c->fd = -1;
	c->pid = 0;
	snprintf(c->why, sizeof(c->why), "%s: %s", template, strerror(error));
	return REFUSED;
}

static enum part outcome(struct fl_command *c)
{
	int status = 0;

	while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
		;
	c->pid = 0;
	close(c->fd);
	c->fd = -1;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return END;
	if (WIFSIGNALED(status))
		explain(c, "signal", WTERMSIG(status));
	else
		explain(c, "exit status", WEXITSTATUS(status));
	return c->tries < MAX_TRIES ? BROKEN : REFUSED;
}

static enum part wait_for_bytes(struct fl_command *c, int stop)
{
	struct pollfd fds[] = {
		{ .fd = c->fd, .events = POLLIN },
		{ .fd = stop, .events = POLLIN },
	};
	ssize_t n;

	do {
		if (poll(fds, 2, -1) > 0 && fds[1].revents)
			return STOPPED;
		n = read(c->fd, c->block, BLOCK);
	} while (n < 0 && (errno == EINTR || errno == EAGAIN));
	if (n <= 0)
		return outcome(c);
	c->size = (size_t)n;
	c->used = (size_t)FL_MIN((uint64_t)n, c->skip);
	c->skip -= c->used;
	return BYTES;
}

static enum part fill(struct fl_command *c, int stop)
{
	enum part part;

	do {
		part = c->fd < 0 ? begin(c) : BYTES;
		if (part == BYTES)
			part = wait_for_bytes(c, stop);
	} while (part == BROKEN || (part == BYTES && c->used == c->size));
	c->ended = part == END || part == REFUSED;
	if (part == END)
		snprintf(c->why, sizeof(c->why), "%s", c->skip ?
			 "printed less when it was run again" : "");
	return part;
}

size_t fl_command_read(struct fl_command *c, int stop, uint8_t *to,
		       size_t capacity, const char **damage)
{
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

struct fl_command *fl_command_open(struct flame *flame, const char *path)
{
	struct fl_command *c = fl_zeroed(1, sizeof(*c));

	if (c) {
		c->fd = -1;
		c->path = fl_memory_adopt(strdup(path));
		c->block = fl_alloc(BLOCK);
	}
	if (!c || !c->path || !c->block) {
		fl_no_memory(flame);
	} else if (fill(c, -1) != REFUSED) {
		return c;
	} else {
		fl_fail(flame, "%s: %s", path, c->why);
	}
	fl_command_close(c);
	return NULL;
}

void fl_command_close(struct fl_command *c)
{
	if (!c)
		return;
	if (c->fd >= 0)
		close(c->fd);
	if (c->pid > 0) {
		kill(c->pid, SIGTERM);
		while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	fl_free(c->block);
	fl_free(c->path);
	fl_free(c);
}
