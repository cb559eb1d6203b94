/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The flow room: sources, sinks, what is asked of a source, and the pump.
 */
#ifndef FL_FLOW_H
#define FL_FLOW_H

#include "fl.h"
#include "dict/dict.h"
#include "flow/options.h"
#include "io/io.h"

/* What a sink needs of a sample beyond stack, metric and weight. */
enum {
	FL_NEED_TIME = 1, FL_NEED_THREAD = 2, FL_NEED_STATE = 4,
	FL_NEED_FILE = 8, FL_NEED_PATH = 16,
	FL_NEED_ORDER = 32	/* of samples, and each by itself */
};

/* Of more samples than this no sink keeps the times. */
enum { FL_MAX_TIMED_SAMPLES = 2000000 };
#define FL_TOO_TIMED "more than %d samples with times: the page does not " \
	"tell when they were"

/* A time as --from and --to spell it. */
struct fl_when {
	enum {
		FL_WHEN_NONE, FL_WHEN_ABSOLUTE, FL_WHEN_START, FL_WHEN_END,
		FL_WHEN_CLOCK
	} base;
	int64_t ns;	/* since 1970, the start, the end, local midnight */
};

/* The label of a sample of two counts' first: column=before. */
#define FL_BEFORE_KEY "column"
#define FL_BEFORE_VALUE "before"

/* Whose result a reader or a page imitates: FlameGraph's scripts, inferno. */
enum fl_compat_tool { FL_PEER_NONE, FL_PEER_PERL, FL_PEER_INFERNO };

/*
 * Stacks of which a source has read the beginnings alone.  Their samples are
 * given at those; what is behind them can be read when all is known.
 */
struct fl_deferred {
	struct fl_deferred *next;
	struct fl_deferred_stack {
		flame_id stack;
		unsigned levels;	/* behind it, of the deepest */
		int64_t weight;
		bool read;
	} *stacks;
	size_t count;
	/* Puts the samples of at[i] where they belong. */
	int (*read)(struct fl_deferred *rest, size_t i,
		    int (*put)(void *arg, flame_id stack, int64_t weight),
		    void *arg);
	void (*free)(struct fl_deferred *rest);
};

#define FL_TOO_HEAVY "the sum of weights passes 2^63"

struct fl_deferred_list {
	double share;	/* of all weight: what has less may stay unread */
	struct fl_deferred *first;
	unsigned n;
};

/*
 * What a source is asked for.  A source honours what its format can say
 * (see fl_format.selects); the pump does the rest, sample by sample.
 */
struct fl_select {
	unsigned needs;
	struct fl_deferred_list *rests;	/* for what need not be read; or NULL */
	char *event;		/* NULL: every metric */
	struct fl_when from, to;
	struct fl_regex *thread;	/* NULL: every thread */
	char *state;		/* list; NULL: every state */
	bool leak;		/* nativemem: only what was never freed */
	bool choose;		/* cpu if there is any: see choose_metric.c */
	bool cpu_only;		/* it is known that there is */
	bool survey;		/* --event list: count threads and times */
};

struct fl_format;

/* pump.c: the input's name as labels. */
struct fl_input {
	flame_id file, path;	/* values; 0: not asked for */
	flame_id last_labels, last_result; /* the last set, and with them */
	bool known;
};

struct flame_source {
	struct flame *flame;
	const struct fl_format *format;
	struct fl_in *in;
	void *state;		/* the format's */
	struct fl_select select;
	void *options;		/* the struct of format->options; or NULL */
	bool started;
	int damage;		/* see flame_source_damage */
	struct fl_input input;
	bool part;		/* of another's input: see fl_format.split */
	bool restarted;		/* no end: others may read what is left */
	struct fl_file *ahead;	/* read_ahead.c; NULL: nobody reads it ahead */
	/* What the recording says of its own span; FLAME_NOTIME if nothing. */
	int64_t start, end;
	/* Of formats that do not say it: times of samples, taken or not. */
	int64_t first, last;
	struct flame_fact *facts;
	size_t nfacts, facts_capacity;
	struct fl_arena arena;	/* dies with the source: facts, scratch */
};

/*
 * A format: one file (or room) and one row of format/formats.c.  probe: the
 * bits it checked, 0 for no, -1 for "more bytes, please" (not when whole);
 * where they are FL_FORMAT_CERTAIN, no format behind it is asked.
 * open may be NULL; it makes no metrics, as inputs are opened before those in
 * front of them are read.  A format that only writes has no probe and no next.
 */
enum { FL_FORMAT_CERTAIN = 64 };

struct fl_format {
	const char *name, *summary;
	const char *suffixes;	/* for output names: ".svg .svgz" */
	int (*probe)(const uint8_t *head, size_t n, bool whole);
	int (*open)(struct flame_source *source);
	int (*next)(struct flame_source *source, struct flame_sample *sample);
	void (*close)(struct flame_source *source);
	bool selects;		/* honours fl_select by itself */
	/* What only this format can be asked for; NULL: nothing. */
	const struct fl_option_table *options;
	/*
	 * Reading in parts (parts.c); all four or none.  split: how many of
	 * the bytes at[0..n) are whole records, 0 where none ends there.
	 * resume: the source has another input, which begins with a record:
	 * what it was in the midst of is over, what it has learnt stays.
	 * fork: a part, opened on nothing or failed, is to read as whole does
	 * and has counted nothing (NULL: before the first is read); false: it
	 * cannot be.  What a part fails on, whole reads.  join: what a part
	 * counted of its input, which it does not tell at its end
	 * (source->part), is whole's from now on.
	 */
	size_t (*split)(const char *at, size_t n);
	void (*resume)(struct flame_source *source);
	bool (*fork)(const struct flame_source *whole,
		     struct flame_source *part);
	void (*join)(struct flame_source *whole, struct flame_source *part);
	/* Writing: makes the sink; NULL: cannot be written. */
	struct flame_sink *(*create)(struct flame *flame, struct fl_out *out);
};

/* formats.c: the table, ending in NULL, and what is found in it. */
extern const struct fl_format *const fl_formats[];
/* Detects: the format whose probe checks most bits; NULL with fl_fail. */
const struct fl_format *fl_format_detect(struct flame *flame,
					 struct fl_in *in);
/* By name; NULL with fl_fail naming those there are. */
const struct fl_format *fl_format_named(struct flame *flame,
					const char *name, bool writing);

/*
 * A file of more bytes: what is needed of single samples for a reader's
 * comfort would take ten times as long as all the rest.
 */
#define FL_LARGE (UINT64_C(128) << 20)
bool fl_is_large(const struct flame_source *source);

/* A sink.  put and finish must not be NULL; the rest may. */
struct flame_sink {
	struct flame *flame;
	struct flame_sink *next;	/* a filter's; NULL at the end */
	void *state;
	unsigned needs;
	unsigned modest_needs;		/* of inputs that are not large */
	struct fl_deferred_list *rests;	/* at the end: takes stacks not whole */
	bool forwards;		/* samples as they are, if it does */
	/* At the end: keeps metrics apart; those that it was told to take. */
	bool keeps_apart;
	const char *events;
	int (*put)(struct flame_sink *sink, const struct flame_sample *sample);
	/*
	 * Before the first and after the last sample of a source.  begin may
	 * come earlier too, for one that is read ahead.
	 */
	int (*begin)(struct flame_sink *sink, struct flame_source *source);
	int (*end)(struct flame_sink *sink, struct flame_source *source);
	/* What is still held goes on to next; next is finished by the flow. */
	int (*finish)(struct flame_sink *sink);
	int (*set)(struct flame_sink *sink, const char *option,
		   const char *value);
	/* Frees the state, finished or not. */
	void (*free)(struct flame_sink *sink);
};

/* A zeroed sink with its state (zeroed too, freed by the flow). */
struct flame_sink *fl_sink_new(struct flame *flame, struct flame_sink *next,
			       size_t state_size);

static inline int fl_put(struct flame_sink *sink, const struct flame_sample *s)
{
	return sink->put(sink, s);
}

/* pump.c: what the sinks need is asked of the source. */
int fl_begin(struct flame_source *source, struct flame_sink *sink);
/* pump.c: a sample that was read goes on, with its input's labels. */
int fl_deliver(struct flame_source *source, struct flame_sink *sink,
	       struct flame_sample *sample);
/*
 * parts.c: reads as much of the source as can be read by several threads,
 * if it can and they are wanted; what is left is at its beginning.
 */
int fl_pump_parts(struct flame_source *source, struct flame_sink *sink);

/* choose_metric.c: whether a list of --events ("all", "cpu,alloc") names it. */
bool fl_event_listed(const char *list, const char *name);

/*
 * sample_buffer.c: samples of a private dictionary, until they are forwarded
 * with the ids of the source's.  Zeroed: none.
 */
struct fl_sample_buffer {
	struct flame_sample *samples;
	size_t count, capacity;
	struct fl_map sums;	/* (metric, stack) -> place in samples */
	bool each;		/* each by itself, in order */
};

int fl_sample_buffer_add(struct flame *flame, struct fl_sample_buffer *kept,
			 const struct flame_sample *sample);
int fl_sample_buffer_forward(struct flame *from,
			     const struct fl_sample_buffer *kept,
			     struct fl_absorbed *map,
			     struct flame_source *source,
			     struct flame_sink *sink);
void fl_sample_buffer_clear(struct fl_sample_buffer *kept);
void fl_sample_buffer_free(struct fl_sample_buffer *kept);
/* What the dictionary counts, and that it failed. */
void fl_dict_reset(struct flame *flame);

/*
 * read_ahead.c: whether the source was read ahead, and its samples have gone on
 * (*status); else it is at its beginning.
 */
bool fl_pump_read_ahead(struct flame_source *source, struct flame_sink *sink,
			int *status);
void fl_read_ahead_drop(struct flame_source *source);

/*
 * thread_pool.c: jobs for several threads, the caller's being one.  Jobs are
 * the caller's memory, and begin in the order in which they are given.
 */
struct fl_thread_pool;

struct fl_job {
	void (*run)(struct fl_job *job);
	struct fl_job *next;	/* the team's */
	bool done, hurried;
};

/* NULL: memory is out.  There may be fewer threads than wanted. */
struct fl_thread_pool *fl_thread_pool_new(unsigned threads);
void fl_thread_pool_submit(struct fl_thread_pool *team, struct fl_job *job);
/* Before all that nobody has begun. */
void fl_thread_pool_submit_first(struct fl_thread_pool *team,
				 struct fl_job *job);
/* Behind those that are hurried: what a job is to end with. */
void fl_thread_pool_submit_next(struct fl_thread_pool *team,
				struct fl_job *job);
/*
 * Until it is done; in the meantime the caller does others, of hurried ones
 * if it is one of them.  It may be one that another is to give: then it is
 * all zero until it is given.
 */
void fl_thread_pool_wait(struct fl_thread_pool *team, struct fl_job *job);
/* Takes NULL too; jobs that nobody has begun are left undone. */
void fl_thread_pool_free(struct fl_thread_pool *team);

/* select.c: what every source can be asked for; see flame_ask. */
extern const struct fl_option_table fl_select_table;
/*
 * source.c: a copy of all that a source was asked for, for one that another
 * thread reads.  Zeroed: nothing to free.  false: it failed, as flame says.
 */
struct fl_asked {
	struct fl_select select;
	const struct fl_option_table *table;	/* of options */
	void *options;
};

bool fl_asked_copy(struct flame *flame, struct fl_asked *asked,
		   const struct flame_source *source);
/* The source, of the same format, has what was copied; asked is empty. */
void fl_asked_move(struct fl_asked *asked, struct flame_source *source);
void fl_asked_free(struct fl_asked *asked);
/* For formats that do not select by themselves. */
bool fl_select_pass(struct flame_source *source,
		    const struct flame_sample *sample);
/*
 * A time spec resolved against a recording's span, FLAME_NOTIME where that
 * is needed and not known.
 */
int64_t fl_when_resolve(const struct fl_when *when, int64_t start,
			int64_t end);
/*
 * From when to when the samples that were taken could be, once it was read:
 * all of the recording, or what --from and --to leave of it.  false: it is
 * not known, or nothing.
 */
bool fl_source_span(const struct flame_source *source, int64_t *from,
		    int64_t *to);
/* Whether STATE_RUNNABLE (or RUNNABLE) is in a list such as "r,s". */
bool fl_state_listed(const char *list, struct slice state);
/* "10ms", "5us", "1s", "7ns", "10" (ms) as ns. */
bool fl_parse_duration(const char *text, int64_t *ns);

/*
 * An input has this title (NULL: none).  The title that all inputs have is
 * that of what is drawn of them.  The fact "title" tells a source's.
 */
void fl_title_join(struct flame *flame, const char *title);

/* Facts of a source; both texts are copied. */
void fl_fact(struct flame_source *source, const char *key,
	     const char *format, ...) FL_PRINTF(3, 4);

/* The frame that stands for a thread: "[name tid=N]". */
flame_id fl_thread_frame(struct flame *flame, flame_id thread);
/* A thread as a label set: thread=NAME (if any), tid=N. */
flame_id fl_thread(struct flame *flame, struct slice name, int64_t tid);

#endif
