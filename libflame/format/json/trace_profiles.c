/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joins the pieces of a CPU profile within a trace of DevTools to one profile
 * (v8.c), for trace_event.c: fl_trace_read_profile() reads a piece, and
 * fl_trace_take_profile() adds it to the profile of its process and id.  Since
 * Chrome 67 an event "Profile" of the thread begins one, and "ProfileChunk"s of
 * another thread have the pieces, of the same process and id; before,
 * "CpuProfile" has all of it:
 *
 *	{"ph":"P","name":"ProfileChunk","id":"0x1","pid":7,"tid":2,
 *	 "args":{"data":{"cpuProfile":{"nodes":[],"samples":[]},
 *	 "timeDeltas":[]}}}
 */
#include "fl.h"

#include "format/json/trace.h"

static struct trace_profile *profile_of(struct trace *t, flame_id pid,
					flame_id id)
{
	struct trace_profile *p;
	uint64_t *place = NULL;

	/* Whole profiles have no id. */
	if (id) {
		place = fl_map_put(&t->profile_ids, (uint64_t)pid << 32 | id,
				   NULL);
		if (!place) {
			fl_no_memory(t->js.flame);
			return NULL;
		}
		if (*place)
			return &t->profiles[*place - 1];
	}
	if (!fl_grow(&t->profiles, &t->profiles_capacity, t->nprofiles + 1,
		     sizeof(*t->profiles))) {
		fl_no_memory(t->js.flame);
		return NULL;
	}
	p = &t->profiles[t->nprofiles];
	*p = (struct trace_profile){ 0 };
	p->v8 = fl_v8_new(&t->js, &t->v8_options);
	if (!p->v8)
		return NULL;
	t->nprofiles++;
	if (place)
		*place = t->nprofiles;
	return p;
}

void fl_trace_read_profile(struct trace *t, bool deltas)
{
	if (!t->piece)
		t->piece = fl_v8_new(&t->js, &t->v8_options);
	if (!t->piece)
		return;
	if (deltas)
		fl_v8_read_deltas(t->piece);
	else
		fl_v8_read(t->piece);
	t->has_piece = true;
}

void fl_trace_take_profile(struct trace *t, flame_id pid, flame_id tid,
			   flame_id id, bool begins)
{
	struct trace_profile *p = profile_of(t, pid, id);
	uint32_t thread;

	if (!p)
		return;
	if (begins || !p->has_thread) {
		p->has_thread = fl_trace_thread(t, pid, tid, &thread);
		p->thread = p->has_thread ? thread : 0;
	}
	if (t->has_piece)
		fl_v8_append(p->v8, t->piece);
	t->has_piece = false;
}

void fl_trace_drop_piece(struct trace *t)
{
	if (!t->has_piece)
		return;
	fl_v8_free(t->piece);
	t->piece = NULL;
	t->has_piece = false;
}

void fl_trace_forget_profiles(struct trace *t)
{
	for (size_t i = 0; i < t->nprofiles; i++)
		fl_v8_free(t->profiles[i].v8);
	t->nprofiles = 0;
	fl_map_clear(&t->profile_ids);
	fl_trace_drop_piece(t);
}
