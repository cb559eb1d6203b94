/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fl_list_processes() lists the processes that can be recorded, and which
 * events of each (flame-record --list-processes).  fl_target_is_called()
 * recognizes a JVM by its main class or jar (-p NAME), for targets.c.
 */
#include "fl.h"

#include "sample/sample.h"
#include "sample/stops.h"
#include "sample/virtual_machines.h"

#include <stdio.h>

/* The first JDK with a flight recorder, and with the events of -e alloc. */
enum { OLDEST_WITH_JFR = 11, OLDEST_WITH_EVENTS = 17 };

/* Names ------------------------------------------------------------------- */

/* The argument after the one at `at`; NULL: it is the last. */
static const char *next(const char *at, const char *end)
{
	at += strlen(at) + 1;
	return at < end ? at : NULL;
}

/* Options of java that have a value in an argument of its own. */
static bool has_value(const char *option)
{
	static const char *const options[] = {
		"-cp", "-classpath", "--class-path", "-p", "--module-path",
		"--upgrade-module-path", "--add-modules", "--add-reads",
		"--add-exports", "--add-opens", "--limit-modules",
		"--patch-module", "--enable-native-access", "--source",
	};

	for (size_t i = 0; i < FL_COUNT(options); i++)
		if (strcmp(option, options[i]) == 0)
			return true;
	return false;
}

/* The value of "--module=m/C"; NULL: it is not that option. */
static const char *module_of(const char *option)
{
	static const char module[] = "--module=";

	return strncmp(option, module, sizeof(module) - 1) == 0 ?
	       option + sizeof(module) - 1 : NULL;
}

/*
 * The class or jar that java is started with; NULL: none is known.  Options may
 * follow -jar.
 */
static const char *java_main(const char *at, const char *end)
{
	while (at && (at = next(at, end)) && (*at == '-' || *at == '@')) {
		if (strcmp(at, "-m") == 0 || strcmp(at, "--module") == 0)
			return next(at, end);
		if (module_of(at))
			return module_of(at);
		if (has_value(at))
			at = next(at, end);
	}
	return at;
}

/*
 * The script or module that Python is started with, or -c.  Options of one
 * letter may be written as one, and the last may have a value: -uc CODE, -mpdb.
 */
static const char *python_main(const char *at, const char *end)
{
	while (at && (at = next(at, end)) && *at == '-') {
		const char *option = at[1] == '-' || !at[1] ? at + strlen(at) :
				     at + 1 + strcspn(at + 1, "cmWX");

		if (*option == 'c')
			return "-c";
		if (*option == 'm')
			return option[1] ? option + 1 : next(at, end);
		if (*option && !option[1])
			at = next(at, end);
	}
	return at;
}

char *fl_target_main(pid_t pid, bool python)
{
	size_t size;
	char *text = fl_read_proc(pid, "cmdline", &size), *copy = NULL;
	const char *at = text && size ? (python ? python_main : java_main)
					(text, text + size) : NULL;

	if (at && (copy = fl_alloc(strlen(at) + 1)))
		memcpy(copy, at, strlen(at) + 1);
	fl_free(text);
	return copy;
}

/* "org.apache.spark.deploy.SparkSubmit", "SparkSubmit", "lib/a.jar", "a.jar" */
static bool is_called(const char *main, const char *word)
{
	const char *slash = strrchr(main, '/');
	const char *short_name = slash ? slash + 1 : main;
	const char *dot = strrchr(short_name, '.');

	if (strcmp(main, word) == 0 || strcmp(short_name, word) == 0)
		return true;
	if (dot && strcmp(dot, ".jar") != 0)
		return strcmp(dot + 1, word) == 0;
	return dot && strlen(word) == (size_t)(dot - short_name) &&
	       strncmp(short_name, word, strlen(word)) == 0;
}

bool fl_target_is_called(pid_t pid, const char *word)
{
	char *main = fl_target_main(pid, false);
	bool is = main && is_called(main, word) && fl_target_is_jvm(pid);

	fl_free(main);
	return is;
}

/* Processes ---------------------------------------------------------------- */

struct list {
	struct flame *flame;
	fl_list_line *line;
	void *arg;
	bool events;
};

static const char *recordable(const struct list *l, struct fl_process *p,
			      int major, struct fl_refusal *refusal)
{
	if (!l->events && !fl_stops_permitted(p->pid, refusal))
		return "wall";
	if (major >= OLDEST_WITH_EVENTS)
		return l->events ? "cpu wall offcpu alloc lock jfr" :
				   "cpu wall alloc lock jfr";
	if (major >= OLDEST_WITH_JFR)
		return l->events ? "cpu wall offcpu jfr" : "cpu wall jfr";
	return l->events ? "cpu wall offcpu" : "cpu wall";
}

static bool list_process(void *arg, pid_t pid)
{
	struct list *l = arg;
	struct fl_processes processes = { .flame = l->flame };
	struct fl_process *p = fl_target_is_mine(pid) ?
			       fl_process_get(&processes, pid) : NULL;
	struct fl_refusal refusal = { .text = "" };
	char kind[32] = "native";
	bool python, is_jvm;
	char *main;
	int major = 0;

	if (!p || !fl_process_read_maps(&processes, p) || !p->maps.count) {
		fl_processes_free(&processes);
		return true;
	}
	python = fl_process_is_python(p);
	is_jvm = fl_process_is_jvm(p);
	if (is_jvm) {
		major = fl_process_jvm_release(&processes, p);
		snprintf(kind, sizeof(kind), major ? "JVM %d" : "JVM", major);
	} else if (python) {
		fl_process_python(&processes, p);
		snprintf(kind, sizeof(kind), p->python_minor ?
			 "CPython 3.%u" : "CPython", p->python_minor);
	}
	main = is_jvm || python ? fl_target_main(pid, python) : NULL;
	l->line(l->arg, pid, kind, main ? main :
		flame_name_text(l->flame, fl_process_comm(&processes, p), NULL),
		recordable(l, p, major, &refusal));
	fl_free(main);
	fl_processes_free(&processes);
	return true;
}

void fl_list_processes(struct flame *flame, fl_list_line *line, void *arg)
{
	struct list l = { flame, line, arg, fl_perf_is_permitted() };

	fl_target_each(list_process, &l);
}
