/* SPDX-License-Identifier: Apache-2.0 */
/* What perf_events.c asks of the kernel and perf_records.c reads. */
#ifndef FL_SAMPLE_PERF_RECORDS_H
#define FL_SAMPLE_PERF_RECORDS_H

#include "sample/perf_events.h"

#include <linux/perf_event.h>

/* Registers of samples: AX to IP, and R8 to R15; of arm64 all. */
#define FL_PERF_REGISTERS (FL_IS_ARM64 ? UINT64_C(0x1ffffffff) : \
					 UINT64_C(0xff01ff))

/* The fields at the end of every other record: pid, tid, time, cpu. */
enum { FL_PERF_TRAILER = 24 };

#endif
