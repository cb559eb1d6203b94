/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sources, sinks, the selection asked of a source, and the pump.
 */
#ifndef FL_FLOW_H
#define FL_FLOW_H

#include "fl.h"
#include "dict/dict.h"
#include "flow/options.h"
#include "io/path_labels.h"
#include "io/io.h"

/*
 * Every stack that a sink forwards has one of these texts in a frame, as the
 * input spells it.  A reader may count others without reading their frames,
 * but only after one that has it: a sink that forwards none names the frames
 * that there are.
 */
struct fl_wanted_text {
	struct slice either[2];	/* the second is empty where there is one */
};

/*
 * Needs of a sink beyond stack, metric and weight of a sample.  Other labels it
 * wants by their keys: see fl_want_labels.
 */
enum {
	FL_NEED_TIME = 1, FL_NEED_THREAD = 2, FL_NEED_STATE = 4,
	FL_NEED_FILE = 8, FL_NEED_PATH = 16,
	FL_NEED_ORDER = 32,	/* samples one by one, in order */
	FL_NEED_FACTS = 64,	/* flame_facts, of the input itself */
	FL_NEED_RUNS = 128,	/* times may come as runs: runs.h */
	FL_NEED_ALL_METRICS = 256,	/* of which only a later sink chooses */
	FL_NEED_CHAIN = 512	/* who holds an object, as the stack */
};

/* A sink that gets more samples than this drops their times. */
enum { FL_MAX_TIMED_SAMPLES = 2000000 };
#define FL_TOO_TIMED "more than %d samples with times: the page does not " \
	"show when they were"

/* A time as --from and --to spell it. */
struct fl_when {
	enum {
		FL_WHEN_NONE, FL_WHEN_ABSOLUTE, FL_WHEN_START, FL_WHEN_END,
		FL_WHEN_CLOCK, FL_WHEN_SHARE, FL_WHEN_SECONDS
	} base;
	/*
	 * Since 1970, the start, the end, local midnight; a share of the
	 * span, in 1 / FL_SHARE_UNIT; since the zero of the input's clock.
	 */
	int64_t ns;
	/* A date without a zone; ns has it in that of TZ. */
	bool zoneless;
	int64_t printed;	/* the same as if it was UTC's */
};

enum { FL_SHARE_UNIT = 1000000000 };

/* column=before: the label of the first of two counts in a line. */
#define FL_BEFORE_KEY "column"
#define FL_BEFORE_VALUE "before"

/* The tool whose results are reproduced: FlameGraph's scripts, inferno. */
enum fl_compat_tool { FL_PEER_NONE, FL_PEER_PERL, FL_PEER_INFERNO };

#define FL_TOO_HEAVY "the sum of weights passes 2^63"

/*
 * The selection asked of a source.  A source applies it as far as its format
 * allows (see fl_format.selects); the pump filters the rest, by sample.
 */
struct fl_select {
	unsigned needs;
	const char *labels;	/* that sinks want: see fl_want_labels */
	const struct fl_wanted_text *wanted_text;	/* of the sink; or NULL */
	/* A label of the path that a sink wants with other values; or NULL. */
	const char *refused_key;
	const char *events;	/* metrics that the sink keeps apart; or NULL */
	bool no_stacks;		/* of the sink */
	char *event;		/* NULL: every metric */
	struct fl_when from, to;
	struct fl_regex *thread;	/* NULL: every thread */
	char *state;		/* list; NULL: every state */
	bool leak;		/* only allocations without a free */
	bool choose;		/* cpu if there is any: see choose_metric.c */
	bool cpu_only;		/* there is cpu: skip others */
	bool survey;		/* --event list: count threads and times */
	bool alone;		/* no other source is pumped into the sink */
	struct flame_sink *light;	/* the sink that has it; or NULL */
	struct flame_sink *whole;	/* it asks for whole stacks; or NULL */
	struct flame_sink *expects;	/* it has expect; or NULL */
	/* Times of runs may be rounded down to a multiple of 2^time_shift ns. */
	unsigned time_shift;
};

/*
 * Samples of which at least cells[s] differ in thread, or in time rounded down
 * to a multiple of 2^s ns.  Their times reach from first to last, or further.
 */
struct fl_expected {
	int64_t first, last;	/* ns */
	uint64_t cells[64];
};

struct fl_format;

/* pump.c: labels of the input's name. */
enum { FL_RECENT_LABELS = 64 };	/* a power of two */

struct fl_input {
	flame_id file, path;	/* values; 0: not asked for */
	/* Labels of the path; a sample's or a thread's own label wins. */
	struct fl_input_label {
		flame_id key, value;
	} labels[FL_PATH_KEYS];
	unsigned n, by_path;	/* the first are the path's */
	size_t nfacts;		/* that were asked for more */
	/* Labels and thread of a sample, and its labels with those above. */
	struct fl_input_labels {
		flame_id labels, thread, result;
		bool known;
	} recent[FL_RECENT_LABELS];	/* by a hash: threads alternate */
};

/* Samples that a format has read, and flame_next has not given yet. */
struct fl_batch {
	struct flame_sample *samples;
	size_t n, given, capacity;
};

struct flame_source {
	struct flame *flame;
	const struct fl_format *format;
	struct fl_in *in;
	void *state;		/* the format's */
	struct fl_batch batch;
	struct fl_select select;
	void *options;		/* the struct of format->options; or NULL */
	bool started;
	bool zoneless;		/* its times are local, read as UTC */
	bool whole;		/* the batch has all of its samples */
	int damage;		/* see flame_source_damage */
	uint64_t nframes;	/* see fl_frames_allowed */
	struct fl_input input;
	/* In a log: labels of the program whose lines are read. */
	struct {
		flame_id key, value;
	} program[2];
	unsigned nlabels, nprograms;
	bool log;		/* it is one: io/log.h */
	unsigned flow;		/* the sink it is pumped into; 0: none */
	bool summed;		/* chunks that repeat earlier ones count once */
	bool part;		/* of another's input: see fl_format.split */
	bool surveyed;		/* the format counts threads and times itself */
	struct fl_map threads;	/* of a survey: metric and thread */
	struct fl_file *ahead;	/* read_ahead.c: its slot; or NULL */
	/* archive.c: what it is, and its members: */
	const struct fl_container *container;	/* NULL: it has none */
	const char *members_format;	/* NULL: detect it */
	struct fl_ask {
		const char *option, *value;
	} *asks;		/* what it was asked for, as they are */
	size_t nasks, asks_capacity;
	/* The recording's own span; FLAME_NOTIME: it has none. */
	int64_t start, end;
	/* Else the times of its samples, selected or not. */
	int64_t first, last;
	/* Of samples that fl_select_pass compared with --from and --to. */
	int64_t seen_first, seen_last;
	struct flame_fact *facts;
	size_t nfacts, facts_capacity;
	struct fl_arena arena;	/* dies with the source: facts, scratch */
};

/*
 * A format: one file (or folder) and one row of format/formats.def.  probe: the
 * bits it checked, 0 for no, -1 for "more bytes, please" (not when whole);
 * FL_FORMAT_CERTAIN ends the search.
 * The flow makes a source's state, zeroed, before open, and frees it after
 * release, whether open succeeded or not; both may be NULL.  open must not
 * intern metrics, as inputs are opened before earlier ones are read.  A format
 * that only writes has no probe and does not read.
 */
enum { FL_FORMAT_CERTAIN = 64 };

struct fl_format {
	const char *name, *summary;
	const char *suffixes;	/* for output names: ".svg .svgz" */
	unsigned facts;		/* of enum flame_format_fact */
	int (*probe)(const uint8_t *head, size_t n, bool whole);
	size_t state_size;	/* 0: it needs none */
	int (*open)(struct flame_source *source);
	/*
	 * Adds samples to the source's batch, which is empty (fl_batch_add).
	 * FLAME_OK: there may be more, unless the flame has failed; FLAME_END:
	 * none was added.
	 */
	int (*read)(struct flame_source *source);
	void (*release)(void *state);	/* frees what the state has */
	bool selects;		/* honours fl_select by itself */
	bool json;		/* only these probe input that begins as JSON */
	/* Its stacks get their names or weights from what follows them. */
	bool completes_late;
	/* What only this format can be asked for; NULL: nothing. */
	const struct fl_option_table *options;
	/*
	 * Reading in parts (parts.c); all four or none.  split: the size of
	 * the whole records in at[0..n), 0: no record ends there.  resume: the
	 * source got another input, which begins with a record; the state of
	 * an unfinished record is dropped, everything learnt stays.  fork:
	 * makes the part (opened on nothing, or failed) read as whole does,
	 * with all counts zero; NULL: asks before the first read; false: it
	 * cannot.  whole reads the parts that a fork failed on.  join: adds the
	 * counts of a part, which it does not report itself (source->part).
	 */
	size_t (*split)(const char *at, size_t n);
	void (*resume)(struct flame_source *source);
	bool (*fork)(const struct flame_source *whole,
		     struct flame_source *part);
	void (*join)(struct flame_source *whole, struct flame_source *part);
	/* Writing: makes the sink; NULL: the format is only read. */
	struct flame_sink *(*create)(struct flame *flame, struct fl_out *out);
};

/* formats.c: the table, ending in NULL. */
extern const struct fl_format *const fl_formats[];
/* Detects: the format whose probe checks most bits; NULL with fl_fail. */
const struct fl_format *fl_format_detect(struct flame *flame,
					 struct fl_in *in);
/* The most bits that a format checks of a text, of which more may follow. */
int fl_format_bits(const uint8_t *head, size_t n, bool whole);
/*
 * format/empty.c: inputs without bytes, or of blank lines and comments alone.
 * The format has no samples and is in no table.
 */
extern const struct fl_format fl_format_empty;
/* container/containers.c: that which a container is read by: archive.c. */
const struct fl_format *fl_format_of_container(
	const struct fl_container *container);
bool fl_is_empty(struct fl_in *in);
/* source.c: the lines of another program begin: a mark of io/log.h. */
void fl_source_begin_program(struct flame_source *source, struct slice mark);
/* source.c: of a read.  FLAME_FAILED: out of memory. */
int fl_batch_add(struct flame_source *source,
		 const struct flame_sample *sample);
/* The same, and counts it for its metric, as `samples` samples. */
int fl_emit(struct flame_source *source, const struct flame_sample *sample,
	    uint64_t samples);
/*
 * The same frames may be named over and over by a small file.  Counts those
 * that are entered; false, after fl_fail: they are too many for its bytes.
 */
bool fl_frames_allowed(struct flame_source *source, uint64_t frames);
/* An input of which no sample was read yet. */
void fl_source_resume(struct flame_source *source);
/*
 * source.c: for writers that got no sample: says that none was selected, or
 * fails (flame_refuse_empty).  That all inputs are empty these say themselves.
 */
int fl_report_empty(struct flame *flame);
/* The same without a remark. */
int fl_refuse_empty(struct flame *flame);
/* By name; NULL with fl_fail naming those there are. */
const struct fl_format *fl_format_named(struct flame *flame,
					const char *name, bool writing);

/*
 * Of larger files a sink gets its needs alone, not its modest_needs: reading
 * times and threads would be ten times slower than reading the stacks.
 */
#define FL_LARGE (UINT64_C(128) << 20)
bool fl_is_large(const struct flame_source *source);

/* A sink.  put and finish must not be NULL; the rest may. */
struct flame_sink {
	struct flame *flame;
	unsigned number;	/* of all of the flame, from 1 */
	struct flame_sink *next;	/* a filter's; NULL at the end */
	void *state;
	unsigned needs;
	unsigned modest_needs;		/* of inputs that are not large */
	const char *labels;		/* see fl_want_labels */
	/* Last sink: keeps metrics apart; the list of those it accepts. */
	bool keeps_apart;
	const char *events;
	const struct fl_wanted_text *wanted_text;	/* or NULL */
	bool no_stacks;	/* uses no stack: samples may come without theirs */
	/*
	 * Of a whole profile with this total: nodes that weigh less are light.
	 * Siblings that are next to each other by name, equally deep, and
	 * light together may come as one of them.  0: no node is light; NULL:
	 * the same, always.
	 */
	int64_t (*light)(struct flame_sink *sink, int64_t total);
	/* Whether stacks may be whole (dict.h); NULL: no. */
	bool (*whole)(struct flame_sink *sink);
	/*
	 * Samples with runs of times will come.  Returns how their times may be
	 * rounded from now on: select.time_shift.  NULL: not at all.
	 */
	unsigned (*expect)(struct flame_sink *sink,
			   const struct fl_expected *expected);
	int (*put)(struct flame_sink *sink, const struct flame_sample *sample);
	/*
	 * Before the first and after the last sample of a source.  begin comes
	 * earlier for a source that is read ahead.
	 */
	int (*begin)(struct flame_sink *sink, struct flame_source *source);
	int (*end)(struct flame_sink *sink, struct flame_source *source);
	/* Forwards buffered samples to next, which the flow finishes. */
	int (*finish)(struct flame_sink *sink);
	int (*set)(struct flame_sink *sink, const char *option,
		   const char *value);
	/* Frees the state, finished or not. */
	void (*free)(struct flame_sink *sink);
	bool draws;	/* the last sink: a picture, whose frames are read */
	bool picked;	/* the last sink: flame_pick is before it */
	bool copies;	/* the last sink: see fl_copies */
	bool takes_runs;	/* the last sink: see runs.h */
	bool buffers;	/* a filter that forwards samples at the end */
	bool finished;	/* or abandoned: see sink.c */
};

/* A zeroed sink with its state (zeroed too, freed by the flow). */
struct flame_sink *fl_sink_new(struct flame *flame, struct flame_sink *next,
			       size_t state_size);
/* One that nothing was made of: neither its free nor next is called. */
void fl_sink_free(struct flame_sink *sink);
/*
 * Adds keys of labels, "stage" or "stage,query", to those that are wanted
 * (NULL: none), in the flame's arena: who makes labels at a cost makes those
 * that are wanted.  With a key that nobody knows comes "*"; a sink that uses
 * no label but those that are wanted adds FL_NO_OTHER_LABEL.
 */
#define FL_NO_OTHER_LABEL "-"
int fl_want_labels(struct flame *flame, const char **wanted, const char *keys);
/* Whether one of the keys is wanted. */
bool fl_is_wanted(const char *wanted, const char *keys);
/* Of a program's sink: false, after fl_fail: it is NULL, or finished. */
bool fl_sink_check(const struct flame_sink *sink);

/* ->light of a filter that leaves every stack of a text as it is. */
int64_t fl_light_of_next(struct flame_sink *sink, int64_t total);
/* ->expect of a filter that drops no sample, or all but one metric. */
unsigned fl_expect_of_next(struct flame_sink *sink,
			   const struct fl_expected *expected);
/* ->whole of the first. */
bool fl_whole_of_next(struct flame_sink *sink);

/*
 * Whether the last sink copies the events of samples: it needs the number of
 * each in the batch of its source, so filters only drop or forward samples.
 */
static inline bool fl_copies(const struct flame_sink *sink)
{
	while (sink->next)
		sink = sink->next;
	return sink->copies;
}

static inline int fl_put(struct flame_sink *sink, const struct flame_sample *s)
{
	return sink->put(sink, s);
}

/* pump.c: asks the source for the needs of the sinks. */
int fl_begin(struct flame_source *source, struct flame_sink *sink);
/* Whether times may come as runs: no sink of the chain needs them one by one. */
bool fl_takes_runs(const struct flame_sink *sink);
/* pump.c: forwards a sample, with the labels of its input. */
int fl_deliver(struct flame_source *source, struct flame_sink *sink,
	       struct flame_sample *sample);
/*
 * parts.c: reads as much of the source as several threads can, if they are
 * wanted; the input then begins with the bytes that are left.
 */
int fl_pump_parts(struct flame_source *source, struct flame_sink *sink);

/* choose_metric.c: whether --events' list ("all", "cpu,alloc") has it. */
bool fl_event_listed(const char *list, const char *name);
/* Larger: earlier.  As listed; of all, cpu first, then by samples. */
double fl_event_order(struct flame *flame, const char *list, flame_id metric);
/* Remarks names of a list that are none of these metrics. */
void fl_remark_absent(struct flame *flame, const char *list,
		      const flame_id *metrics, size_t n);

/*
 * read_ahead.c: forwards the samples of a source that was read ahead, with the
 * result in *status.  false: it was not; the source is at its beginning.
 */
bool fl_pump_read_ahead(struct flame_source *source, struct flame_sink *sink,
			int *status);
void fl_read_ahead_drop(struct flame_source *source);

/*
 * thread_pool.c: runs jobs in several threads, the caller's being one, in the
 * order of submission.  The caller owns the jobs.
 */
struct fl_thread_pool;

struct fl_job {
	void (*run)(struct fl_job *job);
	struct fl_job *next;	/* the pool's */
	bool done;
};

/*
 * Bytes that are worth a thread of their own: `size`, unless a test has set
 * flame->parallel_size.
 */
static inline size_t fl_parallel_size(const struct flame *flame, size_t size)
{
	return flame->parallel_size ? flame->parallel_size : size;
}

/* NULL: out of memory.  There may be fewer threads than wanted. */
struct fl_thread_pool *fl_thread_pool_new(unsigned threads);
void fl_thread_pool_submit(struct fl_thread_pool *pool, struct fl_job *job);
/* Waits for a job, and runs pending jobs meanwhile. */
void fl_thread_pool_wait(struct fl_thread_pool *pool, struct fl_job *job);
/* NULL is allowed; pending jobs are dropped. */
void fl_thread_pool_free(struct fl_thread_pool *pool);

/*
 * sums.c: samples in the order of first arrival; those added that differ in
 * weight alone are summed.  Zeroed: none.  Functions fail for lack of memory
 * and for a sum that passes 2^63.
 */
struct fl_sums {
	struct flame_sample *data;
	size_t count, capacity;
	struct fl_index index;	/* of those added */
};

int fl_sums_add(struct flame *flame, struct fl_sums *sums,
		const struct flame_sample *s);
/* A sample by itself, which no other one is added to. */
int fl_sums_append(struct flame *flame, struct fl_sums *sums,
		   const struct flame_sample *s);
void fl_sums_free(struct fl_sums *sums);

/* Of all but the weight. */
uint64_t fl_sample_hash(const struct flame_sample *s);
/* The one of a list that differs in weight alone; NULL: none. */
struct flame_sample *fl_sample_find(const struct fl_index *index,
				    struct flame_sample *list,
				    const struct flame_sample *s,
				    uint64_t hash);
int fl_sample_add(struct flame *flame, struct flame_sample *to, int64_t weight);

/*
 * read_job.c: reads a source for another thread and buffers its samples.  Their
 * ids are of a dictionary of the job's own, which lasts from source to source,
 * so that a stack is absorbed once.
 */
struct fl_read_job {
	struct fl_job job;
	struct flame *flame;
	struct flame_source *source;	/* NULL: it could not be opened */
	struct fl_absorbed map;	/* ids of flame -> of the other's */
	struct fl_sums sums;
	bool ordered;		/* keep each sample by itself */
	int status;
};

/* Of a zeroed job.  false: out of memory; fl_read_job_free is still due. */
bool fl_read_job_init(struct fl_read_job *job);
/* Reads the source to its end, in any thread; the result is the status. */
void fl_read_job_run(struct fl_read_job *job);
/* Sends the samples to the caller's sink, as samples of its source. */
int fl_read_job_forward(struct fl_read_job *job, struct flame_source *source,
			struct flame_sink *sink);
/* Drops samples, counts of metrics, and a failure. */
void fl_read_job_clear(struct fl_read_job *job);
void fl_read_job_free(struct fl_read_job *job);

/* select.c: the options of every source; see flame_ask. */
extern const struct fl_option_table fl_select_table;
/*
 * source.c: a deep copy of a source's options, for a source that another
 * thread reads.  Zeroed: nothing to free.  false: failed, see flame_error.
 */
struct fl_asked {
	struct fl_select select;
	const struct fl_option_table *table;	/* of options */
	void *options;
};

bool fl_asked_copy(struct flame *flame, struct fl_asked *asked,
		   const struct flame_source *source);
/* Moves the options into a source of the same format; asked is empty then. */
void fl_asked_move(struct fl_asked *asked, struct flame_source *source);
void fl_asked_free(struct fl_asked *asked);
/* For formats that do not select by themselves. */
bool fl_select_pass(struct flame_source *source,
		    const struct flame_sample *sample);
/*
 * A time of --from and --to in ns since 1970; FLAME_NOTIME: it depends on the
 * recording's span, which is not known.
 */
int64_t fl_when_resolve(const struct fl_when *when, int64_t start,
			int64_t end);
/* A date, or seconds since 1970. */
bool fl_parse_date(const char *text, int64_t *ns);
/* Whether --from or --to count from the input's end, or by its length. */
bool fl_select_needs_end(const struct fl_select *select);
/* After the last sample: a line where --from and --to leave nothing. */
void fl_select_report_span(const struct flame_source *source);
/*
 * After reading: the span of the recording, cut to --from and --to.  false:
 * it is unknown or empty.
 */
bool fl_source_span(const struct flame_source *source, int64_t *from,
		    int64_t *to);
/* Whether STATE_RUNNABLE (or RUNNABLE) is in a list such as "r,s". */
bool fl_state_listed(const char *list, struct slice state);
/* "10ms", "5us", "1s", "7ns", "10" (ms) as ns. */
bool fl_parse_duration(const char *text, int64_t *ns);

/*
 * Adds the title of an input (NULL: it has none).  If all inputs have the same
 * title, the output gets it.  The fact "title" has a source's.
 */
void fl_title_join(struct flame *flame, const char *title);

/* Facts of a source; both texts are copied. */
void fl_fact(struct flame_source *source, const char *key,
	     const char *format, ...) FL_PRINTF(3, 4);

/* The frame that represents a thread: "[name tid=N]". */
flame_id fl_thread_frame(struct flame *flame, flame_id thread);
/* A thread as a label set: thread=NAME (if any), tid=N. */
flame_id fl_thread(struct flame *flame, struct slice name, int64_t tid);

#endif
