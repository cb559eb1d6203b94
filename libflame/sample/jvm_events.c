/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records allocations and locks of a HotSpot JVM by its own flight recorder,
 * for tools/record/jvms.c: fl_jvm_events_start() starts it by attach.c, and
 * fl_jvm_events_stop() stops it and returns its recording, an open file whose
 * name is removed.  Filters for the samples of that file are here, too.
 */
#include "fl.h"

#include "filter/filter.h"
#include "sample/jvm_events.h"
#include "sample/proc.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* A busy JVM answers late; it writes a large recording when it stops. */
enum { START_SECONDS = 20, STOP_SECONDS = 60, WITHDRAW_SECONDS = 1 };

void fl_jvm_settings(struct fl_buf *settings, unsigned what, unsigned hertz)
{
	fl_buf_text(settings, "settings=none");
	if (what & FL_JVM_CPU)
		fl_buf_print(settings, " +jdk.ExecutionSample#enabled=true"
			     " +jdk.ExecutionSample#period=%uns",
			     1000000000 / hertz);
	if (what & FL_JVM_ALLOC)
		fl_buf_text(settings,
			    " +jdk.ObjectAllocationSample#enabled=true"
			    " +jdk.ObjectAllocationSample#stackTrace=true"
			    " +jdk.ObjectAllocationSample#throttle=1000/s");
	if (what & FL_JVM_LOCK)
		fl_buf_text(settings, " +jdk.JavaMonitorEnter#enabled=true"
			    " +jdk.JavaMonitorEnter#stackTrace=true"
			    " +jdk.JavaMonitorEnter#threshold=0ms"
			    " +jdk.ThreadPark#enabled=true"
			    " +jdk.ThreadPark#stackTrace=true"
			    " +jdk.ThreadPark#threshold=0ms");
}

static void read_comm(struct fl_jvm_events *events)
{
	size_t size = 0;
	char *text = fl_read_proc(events->pid, "comm", &size);

	snprintf(events->comm, sizeof(events->comm), "%.*s",
		 text ? (int)strcspn(text, "\n") : 4, text ? text : "java");
	fl_free(text);
}

/*
 * A JVM that has the command, and no time to answer, starts a recording after
 * we left: the next command that it reads ends it.
 */
static void withdraw(const struct fl_jvm_events *events)
{
	struct fl_refusal refusal;
	struct fl_buf reply = { 0 };
	char line[160];

	snprintf(line, sizeof(line), "JFR.stop name=%s filename=/dev/null",
		 events->name);
	fl_attach(events->pid, line, WITHDRAW_SECONDS, &reply, &refusal);
	snprintf(line, sizeof(line), "%s.jfr", events->name);
	if (events->tmp >= 0)
		unlinkat(events->tmp, line, 0);
	fl_buf_free(&reply);
}

bool fl_jvm_events_start(struct fl_jvm_events *events, pid_t pid,
			 const char *settings, struct fl_refusal *refusal)
{
	struct fl_buf reply = { 0 }, line = { 0 };
	char path[32];
	struct stat owner;
	bool good;

	memset(events, 0, sizeof(*events));
	events->pid = pid;
	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	events->owner = stat(path, &owner) == 0 ? owner.st_uid : (uid_t)-1;
	events->tmp = fl_open_tmp(pid);
	/* Nobody else can guess it, and lay a link there. */
	snprintf(events->name, sizeof(events->name), "flame-record-%d-%llx",
		 (int)pid, (unsigned long long)fl_now());
	/* Where it ends before it is asked to stop, it writes what it has. */
	fl_buf_print(&line, "JFR.start name=%s dumponexit=true "
		     "filename=/tmp/%s.jfr %s", events->name, events->name,
		     settings);
	refusal->text[0] = '\0';
	good = !line.failed && fl_attach(pid, line.data, START_SECONDS, &reply,
					   refusal);
	fl_buf_free(&line);
	if (strstr(refusal->text, "does not answer"))
		withdraw(events);
	if (strstr(refusal->text, "Unknown argument '+jdk."))
		snprintf(refusal->text, sizeof(refusal->text), "JVM %d is older "
			 "than release 17, which alloc and lock need: -e jfr "
			 "-o FILE.jfr records what its own settings have of "
			 "both, for flame-fold --event alloc", (int)pid);
	if (good && !strstr(reply.data, "Started recording")) {
		snprintf(refusal->text, sizeof(refusal->text),
			 "JVM %d: %.*s", (int)pid,
			 (int)strcspn(reply.data, "\n"), reply.data);
		good = false;
	}
	read_comm(events);
	events->started = good;
	if (!good && events->tmp >= 0)
		close(events->tmp);
	fl_buf_free(&reply);
	return good;
}

/* A file that the JVM wrote, and nobody else. */
static int take_file(const struct fl_jvm_events *events)
{
	char name[96];
	struct stat st;
	int fd;

	snprintf(name, sizeof(name), "%s.jfr", events->name);
	fd = openat(events->tmp, name,
		    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0 && (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) ||
			st.st_uid != events->owner)) {
		close(fd);
		fd = -1;
	}
	if (fd >= 0)
		unlinkat(events->tmp, name, 0);
	return fd;
}

int fl_jvm_events_stop(struct fl_jvm_events *events,
		       struct fl_refusal *refusal)
{
	struct fl_buf reply = { 0 };
	char line[256];
	int fd = -1;
	bool good;

	if (!events->started)
		return -1;
	events->started = false;
	snprintf(line, sizeof(line), "JFR.stop name=%s filename=/tmp/%s.jfr",
		 events->name, events->name);
	good = fl_attach(events->pid, line, STOP_SECONDS, &reply, refusal);
	fd = take_file(events);
	if (fd < 0 && good)
		snprintf(refusal->text, sizeof(refusal->text),
			 "JVM %d: its recording is not in its /tmp",
			 (int)events->pid);
	close(events->tmp);
	fl_buf_free(&reply);
	return fd;
}

/* What is left out ---------------------------------------------------------- */

struct firsts {
	struct fl_map seen;	/* threads */
	flame_id last;		/* the metric of the sample before, */
	bool is_alloc;		/* and whether that is "alloc" */
};

/* "JFR Recorder Thread" and others, which wait while they record. */
static bool is_recorder(struct flame *flame, flame_id thread)
{
	flame_id name = flame_label_get(flame, thread,
					fl_name(flame, "thread"));

	return fl_slice_starts(fl_name_at(flame, name), "JFR ");
}

static int put(struct flame_sink *sink, const struct flame_sample *sample)
{
	struct firsts *firsts = sink->state;
	bool fresh;

	if (is_recorder(sink->flame, sample->thread))
		return FLAME_OK;
	if (firsts->last != sample->metric) {
		firsts->last = sample->metric;
		firsts->is_alloc = sample->metric &&
			strcmp(flame_metric_of(sink->flame,
					       sample->metric)->name,
			       "alloc") == 0;
	}
	if (!firsts->is_alloc)
		return fl_put(sink->next, sample);
	if (!fl_map_put(&firsts->seen, sample->thread, &fresh)) {
		fl_no_memory(sink->flame);
		return FLAME_FAILED;
	}
	return fresh ? FLAME_OK : fl_put(sink->next, sample);
}

static int end(struct flame_sink *sink, struct flame_source *source)
{
	struct firsts *firsts = sink->state;

	(void)source;
	fl_map_clear(&firsts->seen);
	return FLAME_OK;
}

static void free_firsts(struct flame_sink *sink)
{
	struct firsts *firsts = sink->state;

	fl_map_free(&firsts->seen);
}

struct flame_sink *fl_jvm_events_filter(struct flame *flame,
					struct flame_sink *next)
{
	struct flame_sink *sink = fl_sink_new(flame, next,
					      sizeof(struct firsts));

	if (!sink) {
		flame_abandon(next);
		return NULL;
	}
	sink->needs = FL_NEED_TIME | FL_NEED_THREAD | FL_NEED_ORDER;
	sink->put = put;
	sink->end = end;
	sink->free = free_firsts;
	return sink;
}

/* The process at the root --------------------------------------------------- */

struct root {
	struct fl_prefix prefix;
	flame_id frame;
};

static int put_root(struct flame_sink *sink, const struct flame_sample *sample)
{
	struct root *root = sink->state;
	struct flame_sample s = *sample;

	s.stack = fl_prefix(sink->flame, &root->prefix, root->frame, s.stack);
	return fl_put(sink->next, &s);
}

static void free_root(struct flame_sink *sink)
{
	struct root *root = sink->state;

	fl_prefix_free(&root->prefix);
}

struct flame_sink *fl_jvm_root_filter(struct flame *flame,
				      struct flame_sink *next)
{
	struct flame_sink *sink = fl_sink_new(flame, next, sizeof(struct root));

	if (!sink) {
		flame_abandon(next);
		return NULL;
	}
	sink->put = put_root;
	sink->free = free_root;
	return sink;
}

void fl_jvm_root_name(struct flame_sink *sink, const char *name)
{
	struct root *root = sink->state;

	root->frame = fl_frame(sink->flame, fl_name(sink->flame, name),
			       FLAME_GROUP);
}
