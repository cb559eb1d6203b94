/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When an application would end if something were different: its replay with
 * other lengths of tasks, or other cores.
 */
#include "fl.h"

#include "spark/bill.h"
#include "spark/replay.h"

static bool replay_app(struct flame_bill *bill, size_t app)
{
	struct fl_bill_clock *clock = &bill->clocks[app];
	const struct fl_replay_change none = { .cores = 1 };
	struct fl_replay_result as_it_was;
	struct fl_replay replay;
	bool good = fl_replay_make(&replay, bill->spark, app);

	clock->wall = replay.begin ? replay.until - replay.begin : 0;
	if (good && clock->wall) {
		good = fl_replay_run(&replay, &none, &as_it_was);
		clock->replayed = as_it_was.good ? as_it_was.end : 0;
	}
	fl_replay_free(&replay);
	return good;
}

bool fl_bill_find_changes(struct flame_bill *bill)
{
	const size_t n = bill->spark->napps;
	bool good = (bill->clocks = fl_zeroed(n + 1, sizeof(*bill->clocks)));

	for (size_t i = 0; good && i < n; i++)
		good = replay_app(bill, i);
	return good;
}
