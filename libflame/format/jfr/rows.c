/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of event types.  fl_jfr_rows has a row for each type: its metric, the
 * fields with its number of samples and its value, and the field whose class is
 * the leaf.  fl_jfr_subjects names the field that an event is about (a class, a
 * path, a host) and its label.  event.c looks them up by the name of the type.
 */
#include "fl.h"

#include "format/jfr/readers.h"

/* The event, its metric, and the unit of its value; NULL: it has none. */
#define ROW(EVENT, METRIC, UNIT) .event = EVENT, .metric = METRIC, .unit = UNIT

const struct fl_jfr_row fl_jfr_rows[] = {
	/* cpu or wall: by the state, where async-profiler wrote it. */
	{ ROW("jdk.ExecutionSample", "cpu", NULL), .group = FL_JFR_GROUP_EXEC,
	  .role = FL_JFR_CPU },
	{ ROW("jdk.CPUTimeSample", "cpu-time", "ns"),
	  .group = FL_JFR_GROUP_EXEC, .value = "samplingPeriod" },
	{ ROW("jdk.NativeMethodSample", "native", NULL),
	  .group = FL_JFR_GROUP_EXEC },
	{ ROW("profiler.WallClockSample", "wall", "ns"),
	  .group = FL_JFR_GROUP_EXEC, .role = FL_JFR_WALL, .count = "samples",
	  .value = "timeSpan" },
	{ ROW("jdk.ObjectAllocationInNewTLAB", "alloc", "bytes"),
	  .group = FL_JFR_GROUP_ALLOC, .role = FL_JFR_TLAB, .value = "tlabSize",
	  .leaf = "objectClass" },
	{ ROW("jdk.ObjectAllocationOutsideTLAB", "alloc", "bytes"),
	  .group = FL_JFR_GROUP_ALLOC, .role = FL_JFR_OUTSIDE_TLAB,
	  .value = "allocationSize", .leaf = "objectClass" },
	{ ROW("jdk.ObjectAllocationSample", "alloc", "bytes"),
	  .group = FL_JFR_GROUP_ALLOC, .role = FL_JFR_ALLOC_SAMPLE,
	  .value = "weight", .leaf = "objectClass" },
	{ ROW("profiler.LiveObject", "live", "bytes"),
	  .group = FL_JFR_GROUP_LIVE, .value = "allocationSize",
	  .leaf = "objectClass" },
	{ ROW("jdk.OldObjectSample", "old-objects", "bytes"),
	  .role = FL_JFR_OLD_OBJECT, .value = "objectSize", .leaf = "object" },
	{ ROW("jdk.JavaMonitorEnter", "lock", "ns"), .group = FL_JFR_GROUP_LOCK,
	  .value = "duration", .leaf = "monitorClass" },
	{ ROW("jdk.ThreadPark", "lock", "ns"), .group = FL_JFR_GROUP_LOCK,
	  .value = "duration", .leaf = "parkedClass" },
	{ ROW("profiler.NativeLock", "nativelock", "ns"),
	  .group = FL_JFR_GROUP_NATIVELOCK, .value = "duration" },
	{ ROW("profiler.Malloc", "nativemem", "bytes"),
	  .group = FL_JFR_GROUP_NATIVEMEM, .value = "size" },
	{ ROW("profiler.Free", "nativemem", "bytes"),
	  .group = FL_JFR_GROUP_NATIVEMEM, .role = FL_JFR_FREE },
	{ ROW("jdk.MethodTrace", "trace", "ns"), .group = FL_JFR_GROUP_TRACE,
	  .value = "duration" },
	{ ROW("jdk.MethodTiming", "method-timing", "ns"), .role = FL_JFR_TIMING,
	  .count = "invocations", .value = "average", .leaf = "method" },
	{ ROW("jdk.JavaMonitorWait", "wait", "ns"), .value = "duration",
	  .leaf = "monitorClass" },
	{ ROW("jdk.ThreadSleep", "sleep", "ns"), .value = "duration" },
	{ ROW("jdk.JavaExceptionThrow", "exception", NULL),
	  .leaf = "thrownClass" },
	{ ROW("jdk.JavaErrorThrow", "error", NULL), .leaf = "thrownClass" },
	{ ROW("jdk.FileRead", "file", "bytes"), .value = "bytesRead" },
	{ ROW("jdk.FileWrite", "file", "bytes"), .value = "bytesWritten" },
	{ ROW("jdk.SocketRead", "socket", "bytes"), .value = "bytesRead" },
	{ ROW("jdk.SocketWrite", "socket", "bytes"), .value = "bytesWritten" },
	/* Datadog's profiler samples beside the JDK: metrics of its own. */
	{ ROW("datadog.ExecutionSample", "datadog-cpu", NULL),
	  .count = "weight" },
	{ ROW("datadog.MethodSample", "datadog-wall", NULL),
	  .count = "weight" },
	{ ROW("datadog.ObjectSample", "datadog-alloc", "bytes"),
	  .value = "size", .factor = "weight", .leaf = "objectClass" },
	{ ROW("datadog.HeapLiveObject", "datadog-live", "bytes"),
	  .value = "size", .factor = "weight", .leaf = "objectClass" },
	{ .event = NULL }
};

/*
 * What events are about.  Those that have the subject as the leaf ask where
 * something of it happens; stack traces of the others say what was done, with
 * too many files or hosts for a picture.  A traced or deprecated method is not
 * in its event's stack trace, which begins at the caller.
 */
const struct fl_jfr_subject fl_jfr_subjects[] = {
	{ "jdk.ClassDefine", "definedClass", NULL, "class", true },
	{ "jdk.ClassLoad", "loadedClass", NULL, "class", true },
	{ "jdk.Deoptimization", "reason", NULL, "reason", false },
	{ "jdk.DeprecatedInvocation", "method", NULL, "method", true },
	{ "jdk.Deserialization", "type", NULL, "class", true },
	{ "jdk.FileForce", "path", NULL, "path", false },
	{ "jdk.FileRead", "path", NULL, "path", false },
	{ "jdk.FileWrite", "path", NULL, "path", false },
	{ "jdk.JavaErrorThrow", "thrownClass", NULL, "class", false },
	{ "jdk.JavaExceptionThrow", "thrownClass", NULL, "class", false },
	{ "jdk.JavaMonitorEnter", "monitorClass", NULL, "class", false },
	{ "jdk.JavaMonitorInflate", "monitorClass", NULL, "class", true },
	{ "jdk.JavaMonitorNotify", "monitorClass", NULL, "class", true },
	{ "jdk.JavaMonitorWait", "monitorClass", NULL, "class", false },
	{ "jdk.MethodTrace", "method", NULL, "method", true },
	{ "jdk.NativeLibraryLoad", "name", NULL, "path", true },
	{ "jdk.NativeLibraryUnload", "name", NULL, "path", true },
	{ "jdk.ObjectAllocationInNewTLAB", "objectClass", NULL, "class",
	  false },
	{ "jdk.ObjectAllocationOutsideTLAB", "objectClass", NULL, "class",
	  false },
	{ "jdk.ObjectAllocationSample", "objectClass", NULL, "class", false },
	{ "jdk.OldObjectSample", "object", NULL, "class", false },
	{ "jdk.ProcessStart", "command", NULL, "command", false },
	{ "jdk.SecurityPropertyModification", "key", NULL, "property", false },
	{ "jdk.SecurityProviderService", "algorithm", NULL, "algorithm",
	  false },
	{ "jdk.SocketConnect", "host", "address", "host", false },
	{ "jdk.SocketRead", "host", "address", "host", false },
	{ "jdk.SocketWrite", "host", "address", "host", false },
	{ "jdk.SyncOnValueBasedClass", "valueBasedClass", NULL, "class", true },
	{ "jdk.TLSHandshake", "peerHost", NULL, "host", false },
	{ "jdk.ThreadPark", "parkedClass", NULL, "class", false },
	{ "jdk.VirtualThreadPinned", "pinnedReason", NULL, "reason", false },
	{ "profiler.LiveObject", "objectClass", NULL, "class", false },
	{ NULL, NULL, NULL, NULL, false }
};

const struct fl_jfr_subject *fl_jfr_subject_of(struct slice event)
{
	for (const struct fl_jfr_subject *s = fl_jfr_subjects; s->event; s++)
		if (fl_slice_is(event, s->event))
			return s;
	return NULL;
}

const struct fl_jfr_row *fl_jfr_row_of(struct slice event)
{
	for (const struct fl_jfr_row *row = fl_jfr_rows; row->event; row++)
		if (fl_slice_is(event, row->event))
			return row;
	return NULL;
}
