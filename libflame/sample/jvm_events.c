/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allocations and locks of a HotSpot JVM, as its own flight recorder sees them:
 * it is started and stopped by attach, and its file taken away.
 */
#include "fl.h"

#include "sample/sample.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *settings_of(enum fl_record_kind kind)
{
	if (kind == FL_RECORD_ALLOC)
		return "+jdk.ObjectAllocationSample#enabled=true "
		       "+jdk.ObjectAllocationSample#stackTrace=true "
		       "+jdk.ObjectAllocationSample#throttle=1000/s";
	return "+jdk.JavaMonitorEnter#enabled=true "
	       "+jdk.JavaMonitorEnter#stackTrace=true "
	       "+jdk.JavaMonitorEnter#threshold=0ms "
	       "+jdk.ThreadPark#enabled=true "
	       "+jdk.ThreadPark#stackTrace=true "
	       "+jdk.ThreadPark#threshold=0ms";
}

bool fl_jvm_events_start(struct fl_jvm_events *events, pid_t pid,
			 enum fl_record_kind kind, struct fl_refusal *refusal)
{
	struct fl_buf reply = { 0 };
	char line[1024];
	bool good;

	memset(events, 0, sizeof(*events));
	events->pid = pid;
	/* Nobody else can guess it, and lay a link there. */
	snprintf(events->name, sizeof(events->name), "flame-record-%d-%llx",
		 (int)getpid(), (unsigned long long)fl_now());
	snprintf(line, sizeof(line), "JFR.start name=%s settings=none %s",
		 events->name, settings_of(kind));
	good = fl_attach(pid, line, &reply, refusal);
	if (good && !strstr(reply.data, "Started recording")) {
		snprintf(refusal->text, sizeof(refusal->text),
			 "JVM %d: %.*s", (int)pid,
			 (int)strcspn(reply.data, "\n"), reply.data);
		good = false;
	}
	events->started = good;
	fl_buf_free(&reply);
	return good;
}

/* A file that the JVM wrote, and nobody else. */
static int take_file(pid_t pid, const char *name)
{
	int tmp = fl_open_tmp(pid), fd;
	struct stat st, owner;
	char path[32];

	if (tmp < 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	fd = openat(tmp, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0 && (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) ||
			stat(path, &owner) != 0 || st.st_uid != owner.st_uid)) {
		close(fd);
		fd = -1;
	}
	if (fd >= 0)
		unlinkat(tmp, name, 0);
	close(tmp);
	return fd;
}

int fl_jvm_events_stop(struct fl_jvm_events *events,
		       struct fl_refusal *refusal)
{
	struct fl_buf reply = { 0 };
	char line[256], name[96];
	int fd = -1;

	if (!events->started)
		return -1;
	events->started = false;
	snprintf(name, sizeof(name), "%s.jfr", events->name);
	snprintf(line, sizeof(line), "JFR.stop name=%s filename=/tmp/%s",
		 events->name, name);
	if (fl_attach(events->pid, line, &reply, refusal)) {
		fd = take_file(events->pid, name);
		if (fd < 0)
			snprintf(refusal->text, sizeof(refusal->text),
				 "JVM %d: its recording is not in its /tmp",
				 (int)events->pid);
	}
	fl_buf_free(&reply);
	return fd;
}

/* First samples --------------------------------------------------------------- */

struct firsts {
	struct fl_map seen;	/* threads */
};

static int put(struct flame_sink *sink, const struct flame_sample *sample)
{
	struct firsts *firsts = sink->state;
	bool fresh;

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
