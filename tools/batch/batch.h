/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame-batch: inputs are grouped by labels of their paths (batch/group.c,
 * by batch/keys.c; batch/url.c lists folders of WebHDFS and S3, batch/logs.c
 * event logs of Spark).  Each group is read once (batch/read.c), in a process
 * of its own, and drawn as one page or, where samples have the keys, as several
 * (batch/page.c, batch/stages.c, batch/metrics.c, batch/outliers.c).  Each has
 * a record (batch/record.c); these become the index (report/index.c), the
 * manifest (batch/site.c) and what is said of inputs (batch/account.c; where
 * nothing was selected batch/empty.c).  Pages are compared with those of an
 * earlier site (report/against.c, batch/compare.c).  With --archive runs become
 * files of a table instead (batch/archive.c).
 */
#ifndef BATCH_H
#define BATCH_H

#include "cli/cli.h"

#include <stdint.h>
#include <sys/stat.h>

#include <cjson/cJSON.h>

/* Folders of a site, beside index.html. */
#define BATCH_STAGES "stages/"
#define BATCH_DATA "data/"

/* Pages of larger groups have times if they are asked for. */
#define BATCH_TIMED_BYTES (UINT64_C(32) << 20)

/* Of a page: back to the index. */
#define BATCH_LINK_UP "up\t../index.html\tReport\n"

/* Sites with more groups than BATCH_LARGE share the viewer. */
enum { BATCH_MAX_KEYS = 8, BATCH_LARGE = 100 };

/* Where the values of a key are found. */
enum batch_key_kind {
	BATCH_OF_PATH,		/* in the path alone */
	BATCH_OF_BOTH,		/* in the path, else in samples */
	BATCH_OF_SAMPLES	/* in samples alone */
};

struct batch_input {
	char *path;
	char *shown;		/* without the secrets of a URL */
	uint64_t size;
	char mtime[32];		/* "SECONDS.NANOSECONDS"; "": no file */
	char *values[BATCH_MAX_KEYS];	/* "": not in the path */
};

/* A file of --spark-events. */
struct batch_log {
	char *path;
	uint64_t size;
	char mtime[32];		/* "": not known */
	char app[128];		/* "": not in its name */
};

/*
 * Inputs that are read together; or a page of the site, which is a part of a
 * group if that is split.
 */
struct batch_group {
	const struct batch_input *inputs;
	size_t n;
	bool split;		/* into pages, by labels of samples */
	char *title;		/* "app-1 stage 7" */
	char *name;		/* of its files: "app-1-stage-7" */
	uint64_t bytes;
	cJSON *record;		/* see batch/record.c; NULL: not drawn */
	bool reused;		/* the record is of an earlier run */
};

/* Shared with the processes that draw groups. */
struct batch_shared {
	uint64_t files, bytes;	/* read so far; updated atomically */
	/* Hashes of what was said once for all groups. */
	uint32_t said[64];
};

struct batch {
	struct cli *cli;
	const char *site;	/* the folder */
	bool site_is_new;	/* it was made now */
	char *keys[BATCH_MAX_KEYS];
	enum batch_key_kind kinds[BATCH_MAX_KEYS];
	size_t nkeys;
	struct batch_input *inputs;
	size_t ninputs, inputs_capacity;
	struct batch_group *groups;
	size_t ngroups;
	struct batch_log *logs;
	size_t nlogs, logs_capacity;
	struct batch_group *pages;	/* of all groups, once these are drawn */
	size_t npages, pages_capacity;
	const char *against;	/* --against: an earlier site; or NULL */
	char *found;		/* the newest of a folder of sites; or NULL */
	cJSON *apps;		/* of bills; NULL: not collected */
	cJSON *coverage;	/* of recordings: report/coverage.c; or NULL */
	double price;		/* of a core-hour: --price; 0: none */
	struct batch_stage_page *stage_pages;	/* by stage: report/bill.c */
	size_t nstage_pages;
	char *options;		/* all options that change the page */
	struct batch_shared *shared;
	bool outliers;		/* looked for */
	bool time;		/* in pages of large groups, too */
	bool standalone;	/* pages hold the viewer, as was asked */
	bool split;		/* pages share the viewer, being many */
};

/* A group while it is drawn, by a process of its own. */
struct batch_drawing {
	const struct batch *batch;
	const struct batch_group *group;
	struct flame *flame;
	struct flame_trees *trees;
	cJSON *record;
	const char *heading, *query;	/* of the page, or NULL */
	char message[1024];	/* of the input that is read: the first */
	const struct batch_input *reading;	/* or NULL */
	char remark[256];	/* of that input: the first */
	size_t read;		/* inputs with samples */
	unsigned threads;
	size_t memory;
	const struct batch_drawing *all;	/* of the group; or itself */
	struct flame_split *split;	/* by keys; or by inputs, or NULL */
	const size_t *parts;	/* of the page */
	size_t nparts;
	size_t *order;		/* of all parts, by page */
	struct batch_known *known;	/* inputs by the names of their paths */
	struct flame_bill *bill;	/* or NULL */
	cJSON *apps;			/* of the bill, once it is written */
	char *events;			/* all metrics, in the order of tabs */
	const char *links;		/* of the page; or NULL */
	uint64_t bytes;			/* of the inputs of its group */
	const char *origins;		/* of the page, or NULL: as it was read */
};

/* batch/keys.c -------------------------------------------------------- */

/* "app,stage"; false: the message is out. */
bool batch_parse_keys(struct batch *batch, const char *list);
/* The values of an input's keys, by its path. */
bool batch_read_values(const struct batch *batch, struct batch_input *input);
/* Whether the samples of inputs with these values may name others. */
bool batch_is_split(const struct batch *batch,
		    const struct batch_input *input);
/* Keys of samples, for flame_split_sink; to be freed. */
char *batch_split_keys(const struct batch *batch);

/* batch/group.c ------------------------------------------------------- */

/* The files of the operands, folders read to the bottom. */
bool batch_collect(struct batch *batch, struct flame *flame);
/* Adds one file; NULL: it does not exist.  false: the error was printed. */
bool batch_add_input(struct batch *batch, const char *path,
		     const struct stat *st);
/* Sorts the inputs by their keys, and names the groups. */
bool batch_make_groups(struct batch *batch);
void batch_free(struct batch *batch);

/* By their keys, numbers within by their values. */
int batch_compare_keys(const struct batch_input *a,
		       const struct batch_input *b);
/* "app-1 stage 7", to be freed; NULL: out of memory. */
char *batch_title(const struct batch *batch, const struct batch_input *input,
		  char separator);
/* A name, or NAME-2, NAME-3 where one of these is the same; to be freed. */
char *batch_unique(const char *base, char *const *names, size_t n);
/* Characters that every file system allows, and no leading dash. */
void batch_make_safe(char *name);
void batch_free_input(struct batch_input *input);

/*
 * batch/jobs.c: moves event logs of Spark from the inputs to --spark-events.
 * false: the message is out.
 */
bool batch_find_jobs(struct cli *cli);

/* batch/logs.c -------------------------------------------------------- */

/* The files of --spark-events, before the keys are parsed. */
bool batch_find_logs(struct batch *batch, struct flame *flame);
/* Those that a group depends on, to its record; false: out of memory. */
bool batch_add_logs(const struct batch *batch, const struct batch_group *group,
		    cJSON *record);
/* Whether they have the paths, sizes and times of the record. */
bool batch_logs_unchanged(const struct batch *batch,
			  const struct batch_group *group, const cJSON *record);
void batch_free_logs(struct batch *batch);

/* batch/stages.c ------------------------------------------------------ */

/* Draws a page for each key of a group that was read; false: failed. */
bool batch_draw_stages(struct batch_drawing *d);
/* Whether a stage's name is a call site within Spark, as in SQL. */
bool batch_is_generated(const char *name);

/* batch/url.c --------------------------------------------------------- */

bool batch_is_hdfs(const char *path);
bool batch_is_s3(const char *path);
/* A URL, or the files below it; false: the message is out. */
bool batch_add_url(struct batch *batch, struct flame *flame, const char *url);

/* batch/store.c -------------------------------------------------------- */

/* Whether an archive is of HDFS or S3. */
bool batch_is_store(const char *archive);
/* "FOLDER/" and the name in the format, to be freed; NULL: no memory. */
char *batch_join(const char *folder, const char *format, const char *name);
/*
 * Puts a file to ARCHIVE/APP_NAME/DAY/FILE by the client of its store, whole or
 * not at all.  The run may be there: it says so.
 */
enum batch_stored { BATCH_STORED, BATCH_IS_THERE, BATCH_NOT_STORED };
enum batch_stored batch_store(struct cli *cli, const char *archive,
			      const char *local, const char *app_name,
			      const char *day, const char *file);

/* batch/archive.c ----------------------------------------------------- */

/* The name of no run: those have no '~'. */
#define BATCH_MERGED "merged~.parquet"

/*
 * Adds a file for each run of a job to the folder, which is batch->site; or
 * merges the files of each date, or month.  An exit status.
 */
int batch_archive(struct batch *batch, struct flame *flame, bool compacts,
		  bool by_month);

/* batch/engine.c ------------------------------------------------------ */

/* Prints the job that does it, "spark" or "hadoop"; an exit status. */
int batch_print_engine(const struct batch *batch, const char *engine,
		       const char *key);

/* batch/record.c ------------------------------------------------------ */

/* "SITE/" and a name, to be freed; NULL: out of memory. */
char *batch_path(const struct batch *batch, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* A file of the site; NULL: failed. */
struct flame_text *batch_create(const struct batch *batch, struct flame *flame,
				const char *name);
/* Finishes it, or abandons it unless it is good; false: failed, or not good. */
bool batch_finish(struct flame_text *out, bool good);
/* Text and the end of its line into a file of the site; false: failed. */
bool batch_write(const struct batch *batch, struct flame *flame,
		 const char *name, const char *text);
/* A file that may be there; false: the message is printed. */
bool batch_remove(const struct batch *batch, const char *name);
bool batch_remove_record(const struct batch *batch,
			 const struct batch_group *group);

/* JSON is UTF-8: other bytes become '?'.  false: out of memory. */
bool batch_add_text(cJSON *to, const char *key, const char *text);
/*
 * A path as it is, or where it is not UTF-8 as batch_add_text has it; and
 * whether an entry's "path" is that.  batch_utf8 is to be freed.
 */
char *batch_utf8(const char *text);
/* The same of a path, without the secrets of a URL. */
char *batch_shown_path(const char *path);
bool batch_add_path(cJSON *to, const char *key, const char *path);
bool batch_has_path(const cJSON *from, const char *path);
/* Exact: cJSON's own numbers are doubles. */
bool batch_add_number(cJSON *to, const char *key, int64_t n);
/* 0: none. */
double batch_number(const cJSON *from, const char *key);
/* "": none. */
const char *batch_text(const cJSON *from, const char *key);
/* An array or an object; NULL: none. */
const cJSON *batch_list(const cJSON *from, const char *key);
/* The value that a page has of a key; "": none. */
const char *batch_key(const struct batch_group *page, const char *key);
/* A file of the site; NULL: there is none, or it is not JSON. */
cJSON *batch_read_json(const struct batch *batch, const char *name);

/* Options, title and key; false: out of memory. */
bool batch_add_head(struct batch_drawing *d, const struct batch_input *of);
/* Of a page, or of a group that is divided; false: failed. */
bool batch_write_record(struct batch_drawing *d, bool divided);
/* The group's record, if its inputs and options are the same; or NULL. */
cJSON *batch_load(const struct batch *batch, const struct batch_group *group);
/* Inputs of a record that were lost or damaged. */
int64_t batch_count_lost(const cJSON *record);
/* Lists the pages of all groups that have been drawn. */
bool batch_list_pages(struct batch *batch);
void batch_free_pages(struct batch *batch);

/* batch/read.c -------------------------------------------------------- */

enum { BATCH_MIN_EXECUTORS = 4 };	/* with fewer there are no outliers */

/* Reads all inputs of a group, to its page or to parts; false: failed. */
bool batch_read(struct batch_drawing *d);
/* Messages of the library become those of the input that is read. */
void batch_listen(struct batch_drawing *d);
/* Of labels that samples have, in the dictionary that inputs were read with. */
flame_id batch_label(const struct batch_drawing *d, flame_id labels,
		     const char *key);
const char *batch_label_text(const struct batch_drawing *d, flame_id labels,
			     const char *key);
/* The input that labels name; its place, or SIZE_MAX. */
size_t batch_input_of(const struct batch_drawing *d, flame_id labels);
/* "APP/EXECUTOR" of a path, to be freed; NULL: it has none. */
char *batch_executor_of(const char *path);
/* Those of a group, sorted, each once.  NULL: out of memory. */
char **batch_list_executors(const struct batch_group *group, size_t *n);
void batch_free_list(char **list, size_t n);

/* batch/options.c ----------------------------------------------------- */

bool batch_describe_options(struct batch *batch);

/* batch/draw.c -------------------------------------------------------- */

/* Draws those that are not up to date; an exit status. */
int batch_draw_groups(struct batch *batch);

/* batch/page.c -------------------------------------------------------- */

/* Reads a group and writes its files; an exit status. */
int batch_draw(const struct batch *batch, const struct batch_group *group,
	       unsigned threads, size_t memory);
/* A page with all options, but no inputs; NULL: failed. */
struct flame_sink *batch_make_page(const struct batch_drawing *d);
/* Of the site, when pages share it; ends in ".js" and ".css". */
#define BATCH_VIEWER "flame-viewer-" FLAME_VERSION
/* What a page's samples are of. */
struct batch_seen {
	bool *inputs;		/* those with samples; NULL: all */
	char **executors;	/* "APP/EXECUTOR" */
	size_t n;
};
bool batch_see(const struct batch_drawing *d, struct batch_seen *seen);
void batch_free_seen(struct batch_seen *seen);
/* Writes a page that was read or is in parts, and its record; false: failed. */
bool batch_finish_page(struct batch_drawing *d, const struct batch_seen *seen);
/*
 * A part of the page: whose it is, as batch_executor_of has it; and its samples
 * into a sink.
 */
char *batch_executor_of_part(const struct batch_drawing *d, size_t i);
bool batch_put_part(const struct batch_drawing *d, size_t i,
		    struct flame_sink *sink);

/* batch/metrics.c ----------------------------------------------------- */

/* Adds "metrics" and "picture" to the record; false: failed. */
bool batch_add_metrics(struct batch_drawing *d);
/*
 * The metrics of all that was read, in the order that tabs of all its pages
 * have; to be freed.  NULL: out of memory.
 */
char *batch_list_events(const struct batch_drawing *d);
/* A tree as folded stacks into a file of the site; false: failed. */
bool batch_write_folded(const struct batch *batch, struct flame *flame,
			struct flame_tree *tree, const char *name);

/* batch/outliers.c ---------------------------------------------------- */

/*
 * Adds "outliers" to a record that has its metrics: executor, frame, share,
 * median, page.  false: failed.
 */
bool batch_find_outliers(struct batch_drawing *d);

/* batch/compare.c ----------------------------------------------------- */

/* Files of folded stacks, which are added up. */
struct batch_side {
	const char *site;
	const char *const *folded;	/* below the site */
	size_t n;
};

/*
 * Writes a page of this site that compares two sides; false: the message is
 * printed.  normalize: NULL, or as flame_set has it.
 */
bool batch_draw_sides(const struct batch *batch, const char *title,
		      const char *page, const struct batch_side *before,
		      const struct batch_side *after, const char *normalize);
/* The same of two files of the site, by shares. */
bool batch_draw_difference(const struct batch *batch, const char *title,
			   const char *page, const char *before,
			   const char *after);

/* report/against.c ----------------------------------------------------- */

#define BATCH_AGAINST "against.html"

/* Finds the site of --against; false: the message is printed. */
bool batch_find_against(struct batch *batch);
/* Compares this site, once it is written, with it; an exit status. */
int batch_compare_against(const struct batch *batch, struct flame *flame);

/* report/bill.c -------------------------------------------------------- */

/*
 * The sink before the chain that a group is read into, which makes its bill;
 * NULL: failed, and the chain is freed.
 */
struct flame_sink *batch_add_bill(struct batch_drawing *d,
				  struct flame_sink *sink);
/* Writes it and names it in the record, once all is read. */
bool batch_write_bill(struct batch_drawing *d);
/*
 * What a page's panel Info shows: the bill of its stage, and its inputs, of
 * which used[] says which have samples.  To be freed; NULL: out of memory.
 */
char *batch_origins(const struct batch_drawing *all, const char *app,
		    const char *stage, const bool *used);
/* Finds --price, which is of the report alone; false: the message is out. */
bool batch_find_price(struct batch *batch);
/* The bills of all groups, or of the logs alone, to batch->apps. */
bool batch_collect_bills(struct batch *batch);
/* The page of a stage of a bill; NULL: there is none. */
const struct batch_group *batch_page_of(const struct batch *batch,
					const char *app, const cJSON *stage);

/* report/summary.c ----------------------------------------------------- */

/*
 * Writes SITE/data/summary.json and summary.md; without an application those of
 * an earlier run are removed.  false: failed.
 */
bool batch_summarize(const struct batch *batch, struct flame *flame);

/* batch/site.c -------------------------------------------------------- */

/* Says why no input was read, and removes the site; an exit status. */
int batch_explain_unread(const struct batch *batch);
/* index.html, index.json and manifest.json; an exit status. */
int batch_write_site(const struct batch *batch, struct flame *flame);

/* batch/account.c ----------------------------------------------------- */

/*
 * Of the error of an input: whether it is a text file such as a README, and
 * no profile; and cuts off the bytes that it quotes.
 */
bool batch_is_other(char *text, const char *path);
void batch_hide_quote(char *text, const char *path);
/* What became of inputs: "status" of their entries in records. */
enum batch_state {
	BATCH_OK, BATCH_EMPTY, BATCH_DAMAGED, BATCH_LOST, BATCH_FAILED,
	BATCH_PENDING, BATCH_OTHER, BATCH_STATES
};
extern const char *const batch_states[BATCH_STATES];
struct batch_account {
	int64_t n[BATCH_STATES], files, bytes, samples;
	const char *first[BATCH_STATES];	/* their paths */
};
/* Adds the inputs of a record. */
void batch_count(struct batch_account *account, const cJSON *inputs);
/* Says why inputs are not on pages: of all, where there is no site. */
void batch_say_reasons(const struct batch *batch, const cJSON *inputs,
		       bool site);
/* How many there are of each. */
void batch_say_account(const struct batch *batch,
		       const struct batch_account *account);
/* Prints the number of pages and the path of the index. */
void batch_say_pages(const struct batch *batch);

/* report/coverage.c ---------------------------------------------------- */

/* Which executors of the event logs have a recording; false: no memory. */
bool batch_find_coverage(struct batch *batch);
/* To the manifest, and a line for each application that lacks some. */
bool batch_add_coverage(const struct batch *batch, cJSON *head);
/* "1 of 2 executors that ran tasks are recorded, with 51 % of ..." */
void batch_describe_coverage(const struct batch *batch, const cJSON *app,
			     char *text, size_t size);

/* report/profile.c ----------------------------------------------------- */

/* "profile", of an application that has stacks beside its tasks'. */
bool batch_add_profile(const struct batch *batch, cJSON *app);
/* " Of 6256 CPU samples, 28 % are of tasks, ..."; or nothing. */
void batch_describe_profile(const cJSON *app, char *text, size_t size);

/* batch/empty.c ------------------------------------------------------- */

/* Whether inputs were read, and no group has a sample. */
bool batch_is_nothing(const struct batch *batch);
/* Whether all inputs were lost or are not profiles. */
bool batch_is_unread(const struct batch *batch);
/* Whether no group has what --by or --key divides by; the message is out. */
bool batch_is_undivided(const struct batch *batch);
/* Removes the files of groups, and the folder if it was made now. */
void batch_remove_site(const struct batch *batch);
/*
 * Removes pages that were drawn, and prints which option selected nothing.
 * Returns the exit status.
 */
int batch_explain_nothing(const struct batch *batch, struct flame *flame);

/* report/index.c ------------------------------------------------------- */

/* Writes SITE/index.html of the groups' records; false: failed. */
bool batch_index(const struct batch *batch, struct flame *flame);

#endif
