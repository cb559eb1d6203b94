/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Meanings of events: one row each, with its metric, the fields that count and
 * weigh, and the class that is the leaf.
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

const struct fl_jfr_row *fl_jfr_row_of(struct slice event)
{
	for (const struct fl_jfr_row *row = fl_jfr_rows; row->event; row++)
		if (fl_slice_is(event, row->event))
			return row;
	return NULL;
}
