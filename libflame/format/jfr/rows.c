/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Meanings of events: one row each, with its metric, the fields that count and
 * weigh, and the class that is the leaf.
 */
#include "fl.h"

#include "format/jfr/readers.h"

const struct fl_jfr_row fl_jfr_rows[] = {
	/* cpu or wall: by the state, where async-profiler wrote it. */
	{ "jdk.ExecutionSample", "cpu", NULL, NULL, NULL, NULL, NULL,
	  FL_JFR_GROUP_EXEC },
	{ "jdk.CPUTimeSample", "cpu-time", NULL, "samplingPeriod", NULL, NULL,
	  "ns", FL_JFR_GROUP_EXEC },
	{ "jdk.NativeMethodSample", "native", NULL, NULL, NULL, NULL, NULL,
	  FL_JFR_GROUP_EXEC },
	{ "profiler.WallClockSample", "wall", "samples", "timeSpan", NULL,
	  NULL, "ns", FL_JFR_GROUP_EXEC },
	{ "jdk.ObjectAllocationInNewTLAB", "alloc", NULL, "tlabSize", NULL,
	  "objectClass", "bytes", FL_JFR_GROUP_ALLOC },
	{ "jdk.ObjectAllocationOutsideTLAB", "alloc", NULL, "allocationSize",
	  NULL, "objectClass", "bytes", FL_JFR_GROUP_ALLOC },
	{ "jdk.ObjectAllocationSample", "alloc", NULL, "weight", NULL,
	  "objectClass", "bytes", FL_JFR_GROUP_ALLOC },
	{ "profiler.LiveObject", "live", NULL, "allocationSize", NULL,
	  "objectClass", "bytes", FL_JFR_GROUP_LIVE },
	{ "jdk.OldObjectSample", "old-objects", NULL, "objectSize", NULL,
	  "object", "bytes", FL_JFR_GROUP_NONE },
	{ "jdk.JavaMonitorEnter", "lock", NULL, "duration", NULL,
	  "monitorClass", "ns", FL_JFR_GROUP_LOCK },
	{ "jdk.ThreadPark", "lock", NULL, "duration", NULL, "parkedClass",
	  "ns", FL_JFR_GROUP_LOCK },
	{ "profiler.NativeLock", "nativelock", NULL, "duration", NULL, NULL,
	  "ns", FL_JFR_GROUP_NATIVELOCK },
	{ "profiler.Malloc", "nativemem", NULL, "size", NULL, NULL, "bytes",
	  FL_JFR_GROUP_NATIVEMEM },
	{ "profiler.Free", "nativemem", NULL, NULL, NULL, NULL, "bytes",
	  FL_JFR_GROUP_NATIVEMEM },
	{ "jdk.MethodTrace", "trace", NULL, "duration", NULL, NULL, "ns",
	  FL_JFR_GROUP_TRACE },
	{ "jdk.MethodTiming", "method-timing", "invocations", "average", NULL,
	  "method", "ns", FL_JFR_GROUP_NONE },
	{ "jdk.JavaMonitorWait", "wait", NULL, "duration", NULL,
	  "monitorClass", "ns", FL_JFR_GROUP_NONE },
	{ "jdk.ThreadSleep", "sleep", NULL, "duration", NULL, NULL, "ns",
	  FL_JFR_GROUP_NONE },
	{ "jdk.JavaExceptionThrow", "exception", NULL, NULL, NULL,
	  "thrownClass", NULL, FL_JFR_GROUP_NONE },
	{ "jdk.JavaErrorThrow", "error", NULL, NULL, NULL, "thrownClass",
	  NULL, FL_JFR_GROUP_NONE },
	{ "jdk.FileRead", "file", NULL, "bytesRead", NULL, NULL, "bytes",
	  FL_JFR_GROUP_NONE },
	{ "jdk.FileWrite", "file", NULL, "bytesWritten", NULL, NULL, "bytes",
	  FL_JFR_GROUP_NONE },
	{ "jdk.SocketRead", "socket", NULL, "bytesRead", NULL, NULL, "bytes",
	  FL_JFR_GROUP_NONE },
	{ "jdk.SocketWrite", "socket", NULL, "bytesWritten", NULL, NULL,
	  "bytes", FL_JFR_GROUP_NONE },
	/* Datadog's profiler samples beside the JDK: metrics of its own. */
	{ "datadog.ExecutionSample", "datadog-cpu", "weight", NULL, NULL,
	  NULL, NULL, FL_JFR_GROUP_NONE },
	{ "datadog.MethodSample", "datadog-wall", "weight", NULL, NULL, NULL,
	  NULL, FL_JFR_GROUP_NONE },
	{ "datadog.ObjectSample", "datadog-alloc", NULL, "size", "weight",
	  "objectClass", "bytes", FL_JFR_GROUP_NONE },
	{ "datadog.HeapLiveObject", "datadog-live", NULL, "size", "weight",
	  "objectClass", "bytes", FL_JFR_GROUP_NONE },
	{ NULL, NULL, NULL, NULL, NULL, NULL, NULL, FL_JFR_GROUP_NONE }
};

const struct fl_jfr_row *fl_jfr_row_of(struct slice event)
{
	for (const struct fl_jfr_row *row = fl_jfr_rows; row->event; row++)
		if (fl_slice_is(event, row->event))
			return row;
	return NULL;
}
