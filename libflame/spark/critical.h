/* SPDX-License-Identifier: Apache-2.0 */
/* What an application waited for, moment by moment. */
#ifndef FL_SPARK_CRITICAL_H
#define FL_SPARK_CRITICAL_H

#include "spark/bill.h"
#include "spark/replay.h"

/*
 * Calls a function for each part of the path, from the last to the first: its
 * cause, its stage in spark->stages or FL_SPARK_NONE, its time in ns.  The
 * parts add up to the application's time.  WAIT is the time of a task that its
 * own metrics leave open.  false: the function returned false.
 */
bool fl_critical_path(const struct fl_replay *replay,
		      bool (*add)(void *to, enum fl_cause_kind kind,
				  size_t stage, int64_t ns), void *to);

#endif
