/* SPDX-License-Identifier: Apache-2.0 */
/*
 * batch_find() makes sentences about what stands out in an application, by the
 * rules of share/rules.  Each rule asks a measure of the application or of the
 * items of a list, and says its heaviest case, or two.  At most five sentences:
 * what failed first, then by what could be won.  The bill of the application
 * comes in, and a JSON list goes out.  Called by bill.c.
 */
#include "report/html.h"
#include "report/rules.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_FINDINGS = 5, MAX_RULES = 64 };

#define MIN_SLOW_SIGMA 5

/* The facts about a case of a rule. */
struct facts {
	const struct batch_rule *rule;
	double value;		/* compared with the rule's limit */
	double us;		/* that it concerns */
	double share, others, sigma, count, all, bytes, time, median;
	double framed;		/* share of the driver's stacks in frame */
	const char *query, *executor, *host, *frame, *reason;
	double hosts;		/* of a failure */
	const cJSON *stage;	/* to inspect, or NULL */
	const cJSON *tail;	/* of a stage */
};

static double ratio(double part, double all)
{
	return all > 0 ? part / all : 0;
}

static bool is(const char *text, const char *word)
{
	return strcmp(text, word) == 0;
}

/* The stage of a number, and its query; NULL: none. */
static const cJSON *find_stage(const cJSON *app, double id, const char **query)
{
	const cJSON *q, *stage;

	cJSON_ArrayForEach(q, batch_list(app, "queries"))
		cJSON_ArrayForEach(stage, batch_list(q, "stages"))
			if (batch_number(stage, "id") == id) {
				*query = batch_text(q, "name");
				return stage;
			}
	return NULL;
}

/* Queries --------------------------------------------------------------- */

/* Of all stages of a query. */
static double sum_of(const cJSON *query, const char *key)
{
	const cJSON *stage;
	double sum = 0;

	cJSON_ArrayForEach(stage, batch_list(query, "stages"))
		sum += batch_number(stage, key);
	return sum;
}

/* Of a list of {name, KEY}; frame: what the heaviest is about. */
static double cost_of(const cJSON *list, const char *name, const char *key,
		      const char **frame)
{
	const cJSON *row;

	cJSON_ArrayForEach(row, list) {
		if (!is(batch_text(row, "name"), name))
			continue;
		if (*batch_text(row, "what"))
			*frame = batch_text(row, "what");
		return batch_number(row, key);
	}
	return 0;
}

static double measure_of(const cJSON *stage, const struct batch_rule *rule,
			 const char **frame)
{
	static const struct {
		const char *measure, *key;
	} keys[] = {
		{ "gc", "gc_us" }, { "wait", "fetch_wait_us" },
		{ "spill", "memory_spill_bytes" }, { "overhead", "overhead_us" },
	};
	const char *name = rule->operator ? rule->operator : "";

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (is(rule->measure, keys[i].measure))
			return batch_number(stage, keys[i].key);
	if (is(rule->measure, "work"))
		return cost_of(batch_list(stage, "works"), name, "us", frame);
	/* By samples, or by the metric of the log. */
	if (is(rule->measure, "python"))
		return fmax(cost_of(batch_list(stage, "works"), "python", "us",
				    frame), batch_number(stage, "python_us"));
	return cost_of(batch_list(stage, "operators"), name, "cost_us", frame);
}

static void ask_query(const cJSON *app, const cJSON *query, struct facts *f)
{
	double cost = batch_number(query, "cost_us"), sum = 0, most = 0;
	bool bytes = is(f->rule->measure, "spill");
	const cJSON *stage;

	(void)app;
	f->frame = "";
	cJSON_ArrayForEach(stage, batch_list(query, "stages")) {
		const char *frame = "";
		double n = measure_of(stage, f->rule, &frame);

		sum += n;
		if (n > most) {
			most = n;
			f->stage = stage;
			f->frame = frame;
		}
	}
	f->query = batch_text(query, "name");
	f->bytes = sum;
	f->share = ratio(sum, cost);
	f->value = bytes ? sum : f->share;
	f->us = bytes ? cost : sum;
	f->count = sum_of(query, "tasks");
	f->time = ratio(cost, f->count);
	/* Overhead is worth a sentence where tasks are short. */
	if (is(f->rule->measure, "overhead") && f->time > 500e3)
		f->value = 0;
}

/* Stages and causes ------------------------------------------------------- */

/* What all causes of a key are of, and of a stage if it is not negative. */
static double sum_causes(const cJSON *app, const char *cause, double stage,
			 const char *key)
{
	const cJSON *c;
	double sum = 0;

	cJSON_ArrayForEach(c, batch_list(app, "causes"))
		if (is(batch_text(c, "key"), cause) &&
		    (stage < 0 || (cJSON_HasObjectItem(c, "stage") &&
				   batch_number(c, "stage") == stage)))
			sum += batch_number(c, key);
	return sum;
}

static double wall_of(const cJSON *app)
{
	return 1000 * (batch_number(app, "ended") -
		       batch_number(app, "started"));
}

/*
 * A cause of the application, or of one stage: its share is that of the time of
 * the application, or of what was paid if that is more.
 */
static void ask_cause(const cJSON *app, const cJSON *cause, struct facts *f)
{
	const char *key = batch_text(cause, "key");
	bool of_stage = cJSON_HasObjectItem(cause, "stage");
	double id = of_stage ? batch_number(cause, "stage") : -1;

	if (!is(key, f->rule->measure))
		return;
	/* A stage has a cause once; a job has thousands of stages. */
	f->us = of_stage ? batch_number(cause, "paid_us") :
			   sum_causes(app, key, id, "paid_us");
	f->time = of_stage ? batch_number(cause, "wall_us") :
			     sum_causes(app, key, id, "wall_us");
	f->share = ratio(f->time, wall_of(app));
	f->others = ratio(f->us, batch_number(app, "paid_us"));
	f->value = fmax(f->share, f->others);
	if (f->value < f->rule->over)
		return;
	f->all = batch_count_cores(app);
	f->frame = batch_text(cause, "frame");
	f->framed = batch_number(cause, "frame_ppm") / 1e6;
	if (of_stage)
		f->stage = find_stage(app, id, &f->query);
	f->count = batch_number(f->stage, "tasks");
	/* A job of a minute has no use for advice about its start. */
	if (!of_stage && f->time < 20e6 && f->us < 60e6)
		f->value = 0;
}

/*
 * The longest task of a stage: "more" where it reads more than others, "long"
 * where it does not or nobody knows.
 */
static void ask_tail(const cJSON *app, const cJSON *stage, struct facts *f)
{
	bool more = is(f->rule->measure, "more");
	const cJSON *tail = batch_list(stage, "tail");

	if (!tail || more != (batch_number(tail, "reads_more") > 0))
		return;
	f->time = batch_number(tail, "time_us");
	f->median = batch_number(tail, "median_us");
	f->value = ratio(f->time, f->median);
	if (f->value < f->rule->over)
		return;
	f->stage = find_stage(app, batch_number(stage, "id"), &f->query);
	f->tail = tail;
	f->count = batch_number(tail, "tasks");
	f->executor = batch_text(tail, "executor");
	f->host = batch_text(tail, "host");
	/* Its own cores are won as well as those that waited for it. */
	f->us = f->time - f->median +
		sum_causes(app, "tail", batch_number(stage, "id"), "paid_us");
}

/* Executors ------------------------------------------------------------- */

static void ask_executor(const cJSON *app, const cJSON *e, struct facts *f)
{
	double time = batch_number(e, "took_us");
	double expected = batch_number(e, "expected_us");

	(void)app;
	f->executor = batch_text(e, "id");
	f->host = batch_text(e, "host");
	f->sigma = batch_number(e, "sigma");
	f->value = f->sigma < MIN_SLOW_SIGMA ? 0 : ratio(time, expected);
	f->count = ratio(time, expected);
	f->us = time - expected;
}

/* All executors of a host, of which the first stands for them. */
static void ask_host(const cJSON *app, const cJSON *e, struct facts *f)
{
	const cJSON *other, *first = NULL;
	double walled = 0;

	f->host = batch_text(e, "host");
	cJSON_ArrayForEach(other, batch_list(app, "executors")) {
		if (!is(batch_text(other, "host"), f->host))
			continue;
		first = first ? first : other;
		walled += batch_number(other, "walled_us");
		f->time += batch_number(other, "ready_us");
	}
	if (first != e)
		return;
	f->us = f->time;
	f->value = f->share = ratio(f->time, walled);
}

static void ask_sick(const cJSON *app, const cJSON *sick, struct facts *f)
{
	const cJSON *e;

	f->executor = batch_text(sick, "executor");
	f->host = batch_text(sick, "host");
	f->frame = batch_text(sick, "frame");
	f->share = batch_number(sick, "share");
	f->others = batch_number(sick, "others");
	f->sigma = batch_number(sick, "sigma");
	f->value = f->share - f->others;
	cJSON_ArrayForEach(e, batch_list(app, "executors"))
		if (is(batch_text(e, "id"), f->executor))
			f->us = f->value * (batch_number(e, "paid_us") -
					    batch_number(e, "idle_us"));
}

/* The first executor that was lost stands for all. */
static void ask_lost(const cJSON *app, const cJSON *e, struct facts *f)
{
	const cJSON *other;

	if (!*batch_text(e, "lost"))
		return;
	cJSON_ArrayForEach(other, batch_list(app, "executors")) {
		bool lost = *batch_text(other, "lost");

		f->count += lost;
		f->all++;
		if (lost && batch_number(other, "removed") <
			    batch_number(e, "removed"))
			return;
	}
	f->executor = batch_text(e, "id");
	f->host = batch_text(e, "host");
	f->reason = batch_text(e, "lost");
	f->time = batch_number(e, "removed");
	f->us = fmax(sum_causes(app, "lost", -1, "paid_us") +
		     batch_number(app, "unended_us"), 1);
	f->value = f->count;
}

/* Failures -------------------------------------------------------------- */

/* Of the job's stage, or where that is not known, for the same reason. */
static bool is_of_job(const cJSON *job, const cJSON *failure)
{
	if (cJSON_HasObjectItem(job, "stage"))
		return batch_number(job, "stage") ==
		       batch_number(failure, "stage");
	return *batch_text(job, "text") &&
	       is(batch_text(job, "text"), batch_text(failure, "text"));
}

/* What most of its tasks failed of. */
static const cJSON *failure_of(const cJSON *app, const cJSON *job)
{
	const cJSON *failure, *best = NULL;

	cJSON_ArrayForEach(failure, batch_list(app, "failures"))
		if (is_of_job(job, failure) &&
		    !is(batch_text(failure, "kind"), "killed") &&
		    batch_number(failure, "tasks") > batch_number(best,
								  "tasks"))
			best = failure;
	return best;
}

static void describe(const cJSON *app, const cJSON *failure, struct facts *f)
{
	f->count = batch_number(failure, "tasks");
	f->all = batch_number(failure, "of");
	f->hosts = batch_number(failure, "hosts");
	f->host = batch_text(failure, "host");
	f->stage = find_stage(app, batch_number(failure, "stage"), &f->query);
}

/* "Job 3 cancelled because SparkContext was shut down" names an effect. */
static bool is_cancelled(const cJSON *job)
{
	return strncmp(batch_text(job, "text"), "Job ", 4) == 0 &&
	       strstr(batch_text(job, "text"), " cancelled ");
}

static void ask_job(const cJSON *app, const cJSON *job, struct facts *f)
{
	const cJSON *failure = failure_of(app, job);

	if (is_cancelled(job) != is(f->rule->measure, "cancelled"))
		return;
	if (failure)
		describe(app, failure, f);
	f->query = *batch_text(job, "query") || !failure ?
		   batch_text(job, "query") : f->query;
	f->reason = batch_text(job, "text");
	f->value = 1;
	f->us = fmax(batch_number(f->stage, "cost_us"), 1);
}

static bool is_of_failed_job(const cJSON *app, const cJSON *failure)
{
	const cJSON *job;

	cJSON_ArrayForEach(job, batch_list(app, "failed_jobs"))
		if (is_of_job(job, failure))
			return true;
	return false;
}

/* Tasks that failed in a stage that went on. */
static void ask_failure(const cJSON *app, const cJSON *failure,
			struct facts *f)
{
	if (!is(batch_text(failure, "kind"), f->rule->measure) ||
	    is_of_failed_job(app, failure))
		return;
	describe(app, failure, f);
	f->reason = batch_text(failure, "text");
	f->value = ratio(f->count, f->all);
	f->us = fmax(f->value * batch_number(f->stage, "cost_us"), 1);
}

/* Rules ---------------------------------------------------------------- */

/*
 * What rules are of: a list of the application, or a list of each of its items,
 * and who asks these.
 */
static const struct subject {
	const char *of, *list;
	void (*ask)(const cJSON *app, const cJSON *item, struct facts *f);
	const char *inner;
} subjects[] = {
	{ "query", "queries", ask_query, NULL },
	{ "tail", "queries", ask_tail, "stages" },
	{ "cause", "causes", ask_cause, NULL },
	{ "executor", "executors", ask_executor, NULL },
	{ "frame", "sick", ask_sick, NULL },
	{ "host", "executors", ask_host, NULL },
	{ "lost", "executors", ask_lost, NULL },
	{ "job", "failed_jobs", ask_job, NULL },
	{ "failure", "failures", ask_failure, NULL },
};

/* A rule's heaviest cases: the second only if it is worth half the first. */
enum { MAX_CASES = 2 };

struct cases {
	const cJSON *app;
	const struct subject *subject;
	struct facts data[MAX_CASES];
};

static void ask_item(struct cases *c, const struct batch_rule *rule,
		     const cJSON *item)
{
	struct facts f = {
		.rule = rule, .query = "", .executor = "", .host = "",
		.frame = "", .reason = "",
	};

	c->subject->ask(c->app, item, &f);
	if (f.us <= 0 || f.value < rule->over ||
	    f.us < rule->least * batch_number(c->app, "paid_us"))
		return;
	if (f.us > c->data[0].us) {
		c->data[1] = c->data[0];
		c->data[0] = f;
	} else if (f.us > c->data[1].us) {
		c->data[1] = f;
	}
}

static size_t ask(const cJSON *app, const struct batch_rule *rule,
		  struct facts *found)
{
	struct cases c = { .app = app, .subject = subjects };
	const cJSON *item, *inner;
	size_t n;

	while (!is(c.subject->of, rule->of))
		c.subject++;
	cJSON_ArrayForEach(item, batch_list(app, c.subject->list)) {
		if (!c.subject->inner)
			ask_item(&c, rule, item);
		else
			cJSON_ArrayForEach(inner, batch_list(item,
							c.subject->inner))
				ask_item(&c, rule, inner);
	}
	n = (c.data[0].us > 0) +
	    (rule->cases > 1 && c.data[1].us > c.data[0].us / 2);
	memcpy(found, c.data, n * sizeof(*found));
	return n;
}

/* Sentences ------------------------------------------------------------ */

static void put_size(FILE *to, double bytes)
{
	if (bytes >= 1e12)
		fprintf(to, "%.1f TB", bytes / 1e12);
	else if (bytes >= 1e9)
		fprintf(to, "%.1f GB", bytes / 1e9);
	else
		fprintf(to, "%.0f MB", bytes / 1e6);
}

static void put_cost(FILE *to, const cJSON *app, double us)
{
	struct batch_unit unit = batch_unit_of(app);

	fprintf(to, "%.*f %s", unit.digits, us / unit.us, unit.name);
}

/* Class.method, with dots. */
static void put_frame(FILE *to, const char *name)
{
	for (; *name; name++)
		putc(*name == '/' ? '.' : *name, to);
}

static void put_query(FILE *to, const char *query)
{
	if (is(query, "[no query]") || !*query)
		query = "stages without a query";
	fprintf(to, "%.80s%s", query, strlen(query) > 80 ? "..." : "");
}

/* In Spark's words, without the stop that the sentence has. */
static void put_reason(FILE *to, const char *reason)
{
	size_t n = strlen(reason);

	while (n && (reason[n - 1] == '.' || reason[n - 1] == ' '))
		n--;
	fprintf(to, "%.*s", (int)n, reason);
}

static void put_seconds(FILE *to, double us)
{
	double seconds = us / 1e6;

	if (seconds >= 7200)
		fprintf(to, "%.1f hours", seconds / 3600);
	else if (seconds >= 600)
		fprintf(to, "%.0f minutes", seconds / 60);
	else if (seconds >= 1)
		fprintf(to, "%.1f s", seconds);
	else
		fprintf(to, "%.0f ms", seconds * 1000);
}

/* "the first at 07:28:50 UTC", of executors. */
static void put_time(FILE *to, const struct facts *f)
{
	time_t seconds = (time_t)(f->time / 1000);
	char text[32] = "";
	struct tm tm;

	if (gmtime_r(&seconds, &tm))
		strftime(text, sizeof(text), "%H:%M:%S UTC", &tm);
	fprintf(to, "%sat %s", f->count > 1 ? "the first " : "", text);
}

/* " (16 of 20 tasks, on 2 hosts)", if that is known. */
static void put_tasks(FILE *to, const struct facts *f)
{
	if (!(f->count > 0))
		return;
	fprintf(to, " (%.0f of %.0f tasks", f->count, f->all);
	if (f->hosts > 1)
		fprintf(to, ", on %.0f hosts", f->hosts);
	else if (*f->host)
		fprintf(to, ", on %s", f->host);
	putc(')', to);
}

/* ", and 199774 records, where the median is 22000", of what differs most. */
static void put_input(FILE *to, const cJSON *tail)
{
	static const char *const kinds[][2] = {
		{ "records", "median_records" }, { "bytes", "median_bytes" },
	};
	double most = 0;
	int best = -1;

	for (int i = 0; i < 2; i++) {
		double n = batch_number(tail, kinds[i][0]);
		double times = n / fmax(batch_number(tail, kinds[i][1]), 1);

		if (times > most * 1.5) {
			most = times;
			best = i;
		}
	}
	if (best < 0)
		return;
	fprintf(to, "; it read %.0f %s, ",
		batch_number(tail, kinds[best][0]), kinds[best][0]);
	fprintf(to, most < 1.5 ? "as others do" : "the median is %.0f",
		batch_number(tail, kinds[best][1]));
}

/* Where most of a work is done, if own code does it. */
static void put_what(FILE *to, const char *frame)
{
	if (!*frame)
		return;
	fputs(", most of it in ", to);
	put_frame(to, frame);
}

/* A sentence of its own, where the driver was recorded. */
static void put_stacks(FILE *to, const struct facts *f)
{
	if (!*f->frame)
		return;
	fprintf(to, " Of its stacks then, %.0f %% are in ", 100 * f->framed);
	put_frame(to, f->frame);
	putc('.', to);
}

/* "Both executors were" or "3 of 8 executors were". */
static void put_executors(FILE *to, const struct facts *f)
{
	if (f->all == 1)
		fputs("The only executor was", to);
	else if (f->count == f->all)
		fprintf(to, f->all == 2 ? "Both executors were" :
			"All %.0f executors were", f->all);
	else
		fprintf(to, "%.0f of %.0f executors %s", f->count, f->all,
			f->count == 1 ? "was" : "were");
}

static void put_word(FILE *to, const cJSON *app, const struct facts *f,
		     const char *word, size_t n)
{
	char name[16] = "";

	if (n < sizeof(name))
		memcpy(name, word, n);
	if (is(name, "share"))
		fprintf(to, "%.0f %%", 100 * f->share);
	else if (is(name, "others"))
		fprintf(to, "%.1f %%", 100 * f->others);
	else if (is(name, "value"))
		fprintf(to, "%.0f %%", 100 * f->value);
	else if (is(name, "sigma"))
		fprintf(to, "%.0f", f->sigma);
	else if (is(name, "count"))
		fprintf(to, "%.3g", f->count);
	else if (is(name, "n"))
		fprintf(to, "%.0f", f->count);
	else if (is(name, "all"))
		fprintf(to, "%.0f", f->all);
	else if (is(name, "time"))
		put_seconds(to, f->time);
	else if (is(name, "median"))
		put_seconds(to, f->median);
	else if (is(name, "when"))
		put_time(to, f);
	else if (is(name, "tasks"))
		put_tasks(to, f);
	else if (is(name, "input"))
		put_input(to, f->tail);
	else if (is(name, "what"))
		put_what(to, f->frame);
	else if (is(name, "stacks"))
		put_stacks(to, f);
	else if (is(name, "record"))
		fputs(*f->frame ? "Do it less often, or while tasks run." :
			"Record the driver (flame-record -p, or the agent by "
			"spark.driver.extraJavaOptions) to see what it does.",
		      to);
	else if (is(name, "executors"))
		put_executors(to, f);
	else if (is(name, "size"))
		put_size(to, f->bytes);
	else if (is(name, "cost"))
		put_cost(to, app, f->us);
	else if (is(name, "query"))
		put_query(to, f->query);
	else if (is(name, "stage"))
		fprintf(to, "%.0f", batch_number(f->stage, "id"));
	else if (is(name, "executor"))
		fputs(f->executor, to);
	else if (is(name, "host"))
		fputs(f->host, to);
	else if (is(name, "reason"))
		put_reason(to, f->reason);
	else if (is(name, "frame"))
		put_frame(to, f->frame);
}

/* To be freed; NULL: out of memory. */
static char *fill(const cJSON *app, const struct facts *f, const char *text)
{
	char *filled = NULL;
	size_t size;
	FILE *to = open_memstream(&filled, &size);

	while (to && *text) {
		size_t n = *text == '{' ? strcspn(text, "}") : 0;

		if (n && text[n]) {
			put_word(to, app, f, text + 1, n - 1);
			text += n + 1;
		} else {
			putc(*text++, to);
		}
	}
	return to && fclose(to) == 0 ? filled : NULL;
}

static bool add_text(cJSON *finding, const char *key, char *text)
{
	bool good = text && batch_add_text(finding, key, text);

	free(text);
	return good;
}

/*
 * What shows it: a page, and where there are recordings a command, whose LOG
 * and inputs are the job's.
 */
static bool add_proof(const struct batch *batch, const cJSON *app,
		      const struct facts *f, cJSON *finding)
{
	static const char top[] =
		"flame-top --event cost --by operator --spark-events LOG "
		"PROFILES";
	const struct batch_group *page = !f->stage ? NULL :
		batch_page_of(batch, batch_text(app, "id"), f->stage);
	char command[160];

	snprintf(command, sizeof(command), "%s", top);
	if (f->stage)
		snprintf(command, sizeof(command), "%s --label stage=%.0f",
			 top, batch_number(f->stage, "id"));
	else if (*f->executor)
		snprintf(command, sizeof(command), "%s --label executor=%.40s",
			 top, f->executor);
	return (!page || batch_add_text(finding, "page",
					batch_text(page->record, "page"))) &&
	       (!batch_is_recorded(app) ||
		batch_add_text(finding, "command", command));
}

static bool add(const struct batch *batch, const cJSON *app,
		const struct facts *f, cJSON *findings)
{
	cJSON *finding = cJSON_CreateObject();

	return finding && cJSON_AddItemToArray(findings, finding) &&
	       add_text(finding, "text", fill(app, f, f->rule->say)) &&
	       (!f->rule->try ||
		add_text(finding, "try", fill(app, f, f->rule->try))) &&
	       add_proof(batch, app, f, finding);
}

static int by_weight(const void *a, const void *b)
{
	const struct facts *x = a, *y = b;

	if (x->rule->rank != y->rule->rank)
		return x->rule->rank > y->rule->rank ? -1 : 1;
	if (x->us != y->us)
		return x->us < y->us ? 1 : -1;
	return (x->rule > y->rule) - (x->rule < y->rule);
}

cJSON *batch_find(const struct batch *batch, const cJSON *app)
{
	struct facts found[MAX_RULES * MAX_CASES];
	cJSON *findings = cJSON_CreateArray();
	bool good = findings;
	size_t n = 0;

	for (size_t i = 0; batch_rules[i].of && i < MAX_RULES; i++)
		n += ask(app, &batch_rules[i], found + n);
	qsort(found, n, sizeof(*found), by_weight);
	for (size_t i = 0; good && i < n && i < MAX_FINDINGS; i++)
		good = add(batch, app, &found[i], findings);
	if (good)
		return findings;
	cJSON_Delete(findings);
	return NULL;
}
