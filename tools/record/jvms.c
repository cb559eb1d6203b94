/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame-record -e alloc, lock, jfr, or several at once: events that the flight
 * recorder of HotSpot JVMs records.  record_jvms() starts a recording in each
 * JVM, waits, stops it, and reads it into the output, or copies it as it is (-o
 * FILE.jfr or a folder).  Called by flame-record.c.
 */
#include "record/record.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

bool record_is_of_jvms(const struct own *own)
{
	return own->kind >= FL_RECORD_ALLOC;
}

/* Which events ---------------------------------------------------------------- */

bool record_is_of_several(const char *event)
{
	return strchr(event, '+') || strncmp(event, "jfr=", 4) == 0;
}

/* The FL_JVM_* of a name that ends at "+" or NUL; 0: none. */
static unsigned jvm_event(const char *name, size_t size)
{
	static const struct {
		const char *name;
		unsigned what;
	} all[] = {
		{ "cpu", FL_JVM_CPU }, { "alloc", FL_JVM_ALLOC },
		{ "lock", FL_JVM_LOCK },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (strlen(all[i].name) == size &&
		    strncmp(name, all[i].name, size) == 0)
			return all[i].what;
	return 0;
}

bool record_take_jvm_events(struct cli *cli, const char *event)
{
	struct own *own = cli->own;
	size_t size;

	own->kind = FL_RECORD_JFR;
	own->kind_given = true;
	if (strncmp(event, "jfr=", 4) == 0) {
		own->settings = event + 4;
		/* A word of a command of the JVM's. */
		if (*own->settings &&
		    !own->settings[strcspn(own->settings, " \t\n\"',;")])
			return true;
		cli_say(cli, "--event %s: default, profile, or a .jfc file of "
			"the JVM's, without blanks and quotes", event);
		return false;
	}
	for (const char *at = event;; at += size + 1) {
		unsigned what;

		size = strcspn(at, "+");
		what = jvm_event(at, size);
		own->of_jvms |= what;
		if (!what) {
			cli_say(cli, "--event %s: of cpu, alloc and lock "
				"several can be recorded at once, by a JVM's "
				"flight recorder", event);
			return false;
		}
		if (!at[size])
			return true;
	}
}

/* Of one kind, as the output's; NULL: of several. */
static const char *event_of(const struct own *own)
{
	return own->kind == FL_RECORD_JFR ? NULL : record_kinds[own->kind];
}

static void make_settings(const struct own *own, struct fl_buf *settings)
{
	if (own->kind == FL_RECORD_ALLOC)
		fl_jvm_settings(settings, FL_JVM_ALLOC, 0);
	else if (own->kind == FL_RECORD_LOCK)
		fl_jvm_settings(settings, FL_JVM_LOCK, 0);
	else if (own->of_jvms)
		fl_jvm_settings(settings, own->of_jvms,
				own->hertz ? own->hertz : 99);
	else
		fl_buf_print(settings, "settings=%s", own->settings ?
			     own->settings : "profile");
}

/* The recordings themselves --------------------------------------------------- */

static bool is_folder(const char *path)
{
	size_t size = strlen(path);
	struct stat st;

	return (size && path[size - 1] == '/') ||
	       (stat(path, &st) == 0 && S_ISDIR(st.st_mode));
}

/* Whether the output is to be the JVMs' own files. */
static bool is_raw(const struct cli *cli)
{
	const char *path = cli->output;
	size_t size = path ? strlen(path) : 0;

	return (size > 4 && strcmp(path + size - 4, ".jfr") == 0) ||
	       (path && is_folder(path));
}

bool record_check_jvms(struct cli *cli)
{
	const struct own *own = cli->own;

	if (!record_is_of_jvms(own) || !is_raw(cli))
		return true;
	if (own->format) {
		cli_say(cli, "--format %s: %s is for the recordings "
			"themselves", own->format, cli->output);
		return false;
	}
	/* It is not asked for. */
	cli->output_format = "folded";
	return true;
}

static bool copy(int from, int to)
{
	char bytes[65536];
	ssize_t n;

	while ((n = read(from, bytes, sizeof(bytes))) > 0)
		for (ssize_t done = 0, w; done < n; done += w) {
			w = write(to, bytes + done, (size_t)(n - done));
			if (w < 0)
				return false;
		}
	return n == 0;
}

/* A JVM's recording to a file; false: a message says why not. */
static bool copy_recording(const struct cli *cli,
			   const struct fl_jvm_events *events, int fd)
{
	char *path = NULL;
	bool good;
	int to;

	if (is_folder(cli->output) ?
	    asprintf(&path, "%s/%s-%d.jfr", cli->output, events->comm,
		     (int)events->pid) < 0 :
	    !(path = strdup(cli->output)))
		return cli_no_memory(cli);
	if (is_folder(cli->output))
		mkdir(cli->output, 0777);
	to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	good = to >= 0 && copy(fd, to);
	good = (to < 0 || close(to) == 0) && good;
	if (!good)
		cli_say(cli, "%s: %s", path, strerror(errno));
	if (!good && to >= 0)
		unlink(path);
	free(path);
	return good;
}

/* From start to stop ---------------------------------------------------------- */

/* Waits until the time is over, a signal comes, or the JVMs have ended. */
static double wait_for_jvms(const struct own *own,
			    const struct fl_targets *targets)
{
	struct timespec pause = { 0, 50000000 };
	int64_t begin = fl_now();
	bool lives = true;

	while (!record_stopped && lives &&
	       (own->seconds <= 0 ||
		(double)(fl_now() - begin) / 1e9 < own->seconds)) {
		nanosleep(&pause, NULL);
		lives = false;
		for (size_t i = 0; i < targets->count; i++)
			lives |= kill(targets->data[i], 0) == 0 ||
				 errno != ESRCH;
	}
	return (double)(fl_now() - begin) / 1e9;
}

/* A JVM's recording into the sink. */
static bool read_events(const struct cli *cli, struct flame *flame, int fd,
			struct flame_sink *sink)
{
	const char *event = event_of(cli->own);
	struct flame_source *source;
	char path[32];
	bool good;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	source = flame_open(flame, path, "jfr");
	good = source &&
	       (!event || flame_ask(source, "event", event) == FLAME_OK) &&
	       flame_ask(source, "total", NULL) == FLAME_OK &&
	       flame_pump(source, sink) == FLAME_OK;
	flame_close(source);
	return good;
}

/* Each JVM has a thread: one that does not answer holds up no other. */
struct jvm {
	struct fl_jvm_events events;
	struct fl_refusal refusal;
	const char *settings;
	pthread_t thread;
	pid_t pid;
	bool runs, good;
	int fd;			/* of its recording; -1: none */
};

static void *start_jvm(void *arg)
{
	struct jvm *jvm = arg;

	jvm->good = fl_jvm_events_start(&jvm->events, jvm->pid, jvm->settings,
					&jvm->refusal);
	return NULL;
}

static void *stop_jvm(void *arg)
{
	struct jvm *jvm = arg;

	jvm->fd = fl_jvm_events_stop(&jvm->events, &jvm->refusal);
	return NULL;
}

/* Of those that started. */
static void each_jvm(struct jvm *jvms, size_t n, void *(*what)(void *arg))
{
	for (size_t i = 0; i < n; i++) {
		jvms[i].runs = jvms[i].good &&
			pthread_create(&jvms[i].thread, NULL, what,
				       &jvms[i]) == 0;
		/* The thread writes good. */
		if (!jvms[i].runs)
			jvms[i].good = false;
	}
	for (size_t i = 0; i < n; i++)
		if (jvms[i].runs)
			pthread_join(jvms[i].thread, NULL);
}

/*
 * Returns the number of recordings read, or copied where there is no sink; -1:
 * failed.
 */
static int stop_jvms(const struct cli *cli, struct flame *flame,
		     struct jvm *jvms, size_t n,
		     struct flame_sink *sink, struct flame_sink *root)
{
	int read = 0;

	each_jvm(jvms, n, stop_jvm);
	for (size_t i = 0; i < n; i++) {
		struct fl_jvm_events *events = &jvms[i].events;
		int fd = jvms[i].fd;
		bool good = true;

		if (fd < 0 && jvms[i].good)
			cli_say(cli, "%s", jvms[i].refusal.text);
		if (fd < 0)
			continue;
		if (sink && read >= 0) {
			fl_jvm_root_name(root, events->comm);
			good = read_events(cli, flame, fd, sink);
		} else if (!sink && read >= 0 && is_raw(cli)) {
			good = copy_recording(cli, events, fd);
		}
		read = good ? read + (read >= 0) : -1;
		close(fd);
	}
	return read;
}

/* Whether all targets are JVMs; a message names the first that is not. */
static bool are_jvms(const struct cli *cli, const struct fl_targets *targets)
{
	const struct own *own = cli->own;

	for (size_t i = 0; i < targets->count; i++)
		if (!fl_target_is_jvm(targets->data[i])) {
			cli_say(cli, "process %d is not a HotSpot JVM: -e %s "
				"needs one", (int)targets->data[i],
				own->event);
			return false;
		}
	if (targets->count > 1 && is_raw(cli) && !is_folder(cli->output)) {
		cli_say(cli, "%zu JVMs, and %s is one recording: -o FOLDER/ "
			"has one for each", targets->count, cli->output);
		return false;
	}
	return true;
}

/* Whether any JVM records; a message names each that does not. */
static bool start_jvms(const struct cli *cli, const struct fl_targets *targets,
		       struct jvm *jvms)
{
	struct fl_buf settings = { 0 };
	bool any = false;

	make_settings(cli->own, &settings);
	for (size_t i = 0; i < targets->count; i++)
		jvms[i] = (struct jvm){
			.pid = targets->data[i], .settings = settings.data,
			.good = !settings.failed, .fd = -1,
		};
	fl_attach_hurries(&record_stopped);
	each_jvm(jvms, targets->count, start_jvm);
	fl_buf_free(&settings);
	for (size_t i = 0; i < targets->count; i++) {
		any |= jvms[i].good;
		if (!jvms[i].good)
			cli_say(cli, "%s", jvms[i].refusal.text[0] ?
				jvms[i].refusal.text : strerror(ENOMEM));
	}
	return any;
}

/*
 * Opens the output and the filters before it.  *root: the filter that puts the
 * name of the process below all stacks.
 */
static struct flame_sink *make_chain(struct cli *cli, struct flame *flame,
				     struct flame_sink **root)
{
	const struct own *own = cli->own;
	struct flame_sink *sink = record_sink(cli, flame, event_of(own));

	if (sink && record_is_script(own))
		fl_script_source(sink, NULL, own->event);
	sink = *root = sink ? fl_jvm_root_filter(flame, sink) : NULL;
	if (sink && own->threads)
		sink = flame_filter(sink, "threads", NULL);
	return sink ? fl_jvm_events_filter(flame, sink) : NULL;
}

static void say_jvms(const struct cli *cli, int n, double seconds)
{
	const struct own *own = cli->own;

	if (!cli->quiet)
		cli_say(cli, "%s of %d JVM%s in %.1f s", own->event, n,
			n > 1 ? "s" : "", seconds);
}

int record_jvms(struct cli *cli, struct flame *flame,
		struct fl_targets *targets)
{
	struct flame_sink *sink = NULL, *root = NULL;
	struct jvm *jvms;
	double seconds;
	int read, status;

	if (!are_jvms(cli, targets))
		return STATUS_REFUSED;
	jvms = calloc(targets->count, sizeof(*jvms));
	if (!jvms || !start_jvms(cli, targets, jvms)) {
		free(jvms);
		return STATUS_REFUSED;
	}
	seconds = wait_for_jvms(cli->own, targets);
	if (!is_raw(cli))
		sink = make_chain(cli, flame, &root);
	read = stop_jvms(cli, flame, jvms, targets->count, sink, root);
	free(jvms);
	if (is_raw(cli)) {
		if (read > 0)
			say_jvms(cli, read, seconds);
		return read > 0 ? CLI_FINE : STATUS_ERROR;
	}
	if (!sink || read <= 0) {
		if (sink)
			flame_abandon(sink);
		return record_failed(cli, flame);
	}
	status = record_finish(cli, flame, sink, NULL, false);
	if (status == CLI_FINE)
		say_jvms(cli, read, seconds);
	return status;
}
