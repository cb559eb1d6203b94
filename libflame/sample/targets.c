/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which processes to record: fl_targets_add() turns the list of flame-record -p
 * (numbers, "java", names) into pids, and fl_targets_add_children() adds their
 * children.
 */
#include "fl.h"

#include "sample/proc.h"
#include "sample/targets.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static bool add(struct flame *flame, struct fl_targets *targets, pid_t pid)
{
	for (size_t i = 0; i < targets->count; i++)
		if (targets->data[i] == pid)
			return true;
	if (!fl_grow(&targets->data, &targets->capacity, targets->count + 1,
		     sizeof(*targets->data))) {
		fl_no_memory(flame);
		return false;
	}
	targets->data[targets->count++] = pid;
	return true;
}

void fl_targets_free(struct fl_targets *targets)
{
	fl_free(targets->data);
	memset(targets, 0, sizeof(*targets));
}

bool fl_target_each(bool (*found)(void *, pid_t), void *arg)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	bool good = true;

	while (dir && good && (entry = readdir(dir)))
		if (fl_is_digit(entry->d_name[0]))
			good = found(arg, (pid_t)strtol(entry->d_name, NULL,
							10));
	if (dir)
		closedir(dir);
	return good;
}

struct search {
	struct flame *flame;
	struct fl_targets *targets;
	const char *name;
	size_t before;
};

bool fl_target_is_mine(pid_t pid)
{
	struct stat st;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	return stat(path, &st) == 0 &&
	       (geteuid() == 0 || st.st_uid == geteuid());
}

bool fl_target_is_jvm(pid_t pid)
{
	size_t size;
	char *text = fl_read_proc(pid, "maps", &size);
	bool is = text && strstr(text, "/libjvm.so");

	fl_free(text);
	return is;
}

static bool find_jvm(void *arg, pid_t pid)
{
	struct search *s = arg;

	if (pid == getpid() || !fl_target_is_mine(pid) || !fl_target_is_jvm(pid))
		return true;
	return add(s->flame, s->targets, pid);
}

static bool find_named(void *arg, pid_t pid)
{
	struct search *s = arg;
	char text[256];

	if (pid == getpid() || !fl_target_is_mine(pid) ||
	    fl_read_short(pid, "comm", text, sizeof(text)) <= 0)
		return true;
	text[strcspn(text, "\n")] = '\0';
	/* The kernel keeps 15 bytes of a name. */
	if ((strncmp(text, s->name, 15) != 0 ||
	     (strlen(s->name) <= 15 && strcmp(text, s->name) != 0)) &&
	    !fl_target_is_called(pid, s->name))
		return true;
	return add(s->flame, s->targets, pid);
}

static bool take_number(struct search *s, pid_t pid, struct fl_refusal *refusal)
{
	if (kill(pid, 0) != 0 && errno == ESRCH) {
		snprintf(refusal->text, sizeof(refusal->text),
			 "process %d does not exist", (int)pid);
		return false;
	}
	return add(s->flame, s->targets, pid);
}

static bool take_word(struct search *s, const char *word,
		      struct fl_refusal *refusal)
{
	char *text = refusal->text;
	size_t size = sizeof(refusal->text);

	s->name = word;
	s->before = s->targets->count;
	if (strcmp(word, "java") == 0) {
		if (!fl_target_each(find_jvm, s))
			return false;
		if (s->targets->count > s->before)
			return true;
		snprintf(text, size, "no HotSpot JVM of this user is running");
		return false;
	}
	if (!fl_target_each(find_named, s))
		return false;
	if (s->targets->count > s->before)
		return true;
	snprintf(text, size, "no process of this user is named %s, nor is a "
		 "main class or jar: see --list-processes", word);
	return false;
}

bool fl_targets_add(struct flame *flame, struct fl_targets *targets,
		    const char *list, struct fl_refusal *refusal)
{
	struct search s = { flame, targets, NULL, 0 };
	static const char blanks[] = ", \t\n";
	char word[256];
	char *end;
	long n;

	refusal->text[0] = '\0';
	for (;;) {
		size_t size;

		list += strspn(list, blanks);
		if (!*list)
			return true;
		size = strcspn(list, blanks);
		snprintf(word, sizeof(word), "%.*s", (int)FL_MIN(size,
			 sizeof(word) - 1), list);
		list += size;
		n = strtol(word, &end, 10);
		if (!*end && n > 0 && n <= INT32_MAX) {
			if (!take_number(&s, (pid_t)n, refusal))
				return false;
		} else if (!take_word(&s, word, refusal)) {
			return false;
		}
	}
}

/* The parent of a process; 0: the process ended. */
static pid_t parent_of(pid_t pid)
{
	char text[1024], *at;
	int parent;

	if (fl_read_short(pid, "stat", text, sizeof(text)) <= 0)
		return 0;
	/* "4242 (a name) S 1": the name may hold anything. */
	at = strrchr(text, ')');
	return at && sscanf(at + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

static bool find_child(void *arg, pid_t pid)
{
	struct search *s = arg;
	pid_t parent = parent_of(pid);

	if (pid == getpid())
		return true;
	for (size_t i = 0; i < s->targets->count; i++)
		if (parent && s->targets->data[i] == parent)
			return add(s->flame, s->targets, pid);
	return true;
}

bool fl_targets_add_children(struct flame *flame, struct fl_targets *targets)
{
	struct search s = { flame, targets, NULL, 0 };

	do {
		s.before = targets->count;
		if (!fl_target_each(find_child, &s))
			return false;
	} while (targets->count > s.before);
	return true;
}
