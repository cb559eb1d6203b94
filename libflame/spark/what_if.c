/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When an application would end if something were different: its replay with
 * other lengths of tasks, or other cores.
 */
#include "fl.h"

#include "spark/bill.h"
#include "spark/replay.h"

bool fl_bill_replay(struct flame_bill *bill)
{
	const size_t n = bill->spark->napps;
	bool good;

	bill->clocks = fl_zeroed(n + 1, sizeof(*bill->clocks));
	bill->replays = fl_zeroed(n + 1, sizeof(*bill->replays));
	good = bill->clocks && bill->replays;
	for (size_t i = 0; good && i < n; i++)
		good = fl_replay_make(&bill->replays[i], bill->spark, i);
	return good;
}

static bool replay_app(struct flame_bill *bill, size_t app)
{
	struct fl_bill_clock *clock = &bill->clocks[app];
	const struct fl_replay *replay = &bill->replays[app];
	const struct fl_replay_change none = { .cores = 1 };
	struct fl_replay_result as_it_was;

	if (!replay->begin)
		return true;
	if (!fl_replay_run(replay, &none, &as_it_was))
		return false;
	clock->wall = replay->until - replay->begin;
	clock->replayed = as_it_was.good ? as_it_was.end : 0;
	return true;
}

bool fl_bill_find_changes(struct flame_bill *bill)
{
	bool good = true;

	for (size_t i = 0; good && i < bill->spark->napps; i++)
		good = replay_app(bill, i);
	return good;
}
