/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads labels (application, executor, host, ...) from an input's path:
 * fl_path_labels(), for flow/pump.c, filter/label.c and others.  Each layout is
 * a function and a row; the first layout that knows a label decides its value.
 */
#include "fl.h"

#include "io/path_labels.h"

#include <pthread.h>
#include <stdio.h>

const char *const fl_path_keys[FL_PATH_KEYS] = {
	"app", "attempt", "executor", "stage", "epoch", "host", "pid",
	"container", "app-name", "date",
};

/* A parsed path. */
struct path {
	struct slice folders;	/* without the last slash */
	struct slice name;	/* of the file */
	struct slice stem;	/* the name without .jfr.gz; size 0: another */
};

static void set(struct fl_path_labels *labels, enum fl_path_key key,
		struct slice value)
{
	if (!labels->value[key].size)
		labels->value[key] = value;
}

/* Scanning ------------------------------------------------------------ */

static bool all_digits(struct slice s)
{
	size_t n = 0;

	while (n < s.size && fl_is_digit(s.data[n]))
		n++;
	return n && n == s.size;
}

static void skip(struct slice *s, size_t n)
{
	s->data += n;
	s->size -= n;
}

static bool is_one(char class, char c)
{
	switch (class) {
	case '9': return fl_is_digit(c);
	case '%': return fl_is_lower_hex(c);
	default: return c == class;
	}
}

/*
 * Consumes a pattern at the beginning of the text.  '#' is a number, which
 * goes to *numbers (unless NULL), '9' a digit, '%' a lower-case hexadecimal
 * digit; anything else stands for itself.  false: it does not match, and
 * *text is unchanged.
 */
static bool consume(struct slice *text, const char *pattern,
		    struct slice *numbers)
{
	struct slice s = *text;

	for (; *pattern; pattern++) {
		size_t n = 0;

		if (*pattern == '#')
			while (n < s.size && fl_is_digit(s.data[n]))
				n++;
		else if (s.size)
			n = is_one(*pattern, *s.data);
		if (!n)
			return false;
		if (*pattern == '#' && numbers)
			*numbers++ = (struct slice){ s.data, n };
		skip(&s, n);
	}
	*text = s;
	return true;
}

/* Removes an ending; false: the text does not end so. */
static bool chop(struct slice *text, const char *ending)
{
	if (!fl_slice_ends(*text, ending))
		return false;
	text->size -= strlen(ending);
	return true;
}

/*
 * Removes "-KEY-VALUE" from the end of a name, where the value is a number,
 * or the word (unless NULL).
 */
static bool chop_value(struct slice *name, const char *key, const char *word,
		       struct slice *value)
{
	struct slice s = *name, v;
	size_t n = 0;

	if (word && chop(&s, word)) {
		v = (struct slice){ s.data + s.size, strlen(word) };
	} else {
		while (n < s.size && fl_is_digit(s.data[s.size - n - 1]))
			n++;
		s.size -= n;
		v = (struct slice){ s.data + s.size, n };
	}
	if (!v.size || !chop(&s, key))
		return false;
	*name = s;
	*value = v;
	return true;
}

/* The last component of a path, which becomes its folder. */
static bool last_component(struct slice *path, struct slice *component)
{
	size_t n = 0;

	while (path->size && path->data[path->size - 1] == '/')
		path->size--;
	while (n < path->size && path->data[path->size - n - 1] != '/')
		n++;
	path->size -= n;
	*component = (struct slice){ path->data + path->size, n };
	return n;
}

/* Layouts ------------------------------------------------------------- */

/*
 * async-profiler-app-APP[-exec-N][-stage-N[-epoch-N]].jfr, of RAPIDS.  APP may
 * hold anything, so the name is read from its end.
 */
static void read_rapids(const struct path *path, struct fl_path_labels *labels)
{
	struct slice s = path->stem, executor = { 0 }, stage = { 0 },
		     epoch = { 0 }, head;

	if (!consume(&s, "async-profiler-app-", NULL))
		return;
	head = s;
	if (!chop_value(&head, "-epoch-", NULL, &epoch) ||
	    !chop_value(&head, "-stage-", NULL, &stage)) {
		head = s;
		epoch.size = 0;
		(void)chop_value(&head, "-stage-", NULL, &stage);
	}
	(void)chop_value(&head, "-exec-", "driver", &executor);
	if (!head.size)
		return;
	set(labels, FL_PATH_APP, head);
	set(labels, FL_PATH_EXECUTOR, executor);
	set(labels, FL_PATH_STAGE, stage);
	set(labels, FL_PATH_EPOCH, epoch);
}

/* Numbers of YARN have leading zeros; those of Spark's folders have none. */
static struct slice without_zeros(struct slice number)
{
	while (number.size > 1 && *number.data == '0')
		skip(&number, 1);
	return number;
}

/* container_[eN_]CLUSTER_APP_ATTEMPT_N */
static void read_container(struct slice name, struct fl_path_labels *labels)
{
	struct slice s = name, number[4];
	int n;

	if (!consume(&s, "container_", NULL))
		return;
	(void)consume(&s, "e#_", NULL);
	if (!consume(&s, "#_#_#_#", number) || s.size)
		return;
	set(labels, FL_PATH_CONTAINER, name);
	n = snprintf(labels->app, sizeof(labels->app), "application_%.*s_%.*s",
		     (int)FL_MIN(number[0].size, 24u), number[0].data,
		     (int)FL_MIN(number[1].size, 24u), number[1].data);
	if (n > 0 && (size_t)n < sizeof(labels->app))
		set(labels, FL_PATH_APP, (struct slice){ labels->app, n });
	set(labels, FL_PATH_ATTEMPT, without_zeros(number[2]));
}

/* Names of applications, by Spark's master. */
static const char *const app_ids[] = {
	"application_#_#", "app-99999999999999-#", "local-9999999999999",
	"spark-application-9999999999999",
	"spark-%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%",
};

/* APP[_ATTEMPT]; the attempt counts only with the app that is known. */
static void read_app(struct slice name, struct fl_path_labels *labels)
{
	const struct slice *known = &labels->value[FL_PATH_APP];
	struct slice s = name, app, attempt = { 0 };
	size_t i = 0;

	while (i < FL_COUNT(app_ids) && !consume(&s, app_ids[i], NULL))
		i++;
	app = (struct slice){ name.data, name.size - s.size };
	if (!app.size || (s.size && (!consume(&s, "_#", &attempt) || s.size)))
		return;
	set(labels, FL_PATH_APP, app);
	if (known->size == app.size &&
	    memcmp(known->data, app.data, app.size) == 0)
		set(labels, FL_PATH_ATTEMPT, attempt);
}

/* Folders of applications and containers, the nearest first. */
static void read_yarn(const struct path *path, struct fl_path_labels *labels)
{
	struct slice folders = path->folders, name;

	while (last_component(&folders, &name)) {
		read_container(name, labels);
		read_app(name, labels);
	}
	/* The agent's file=%p.jfr in the folder of a container. */
	if (labels->value[FL_PATH_CONTAINER].size && all_digits(path->stem))
		set(labels, FL_PATH_PID, path->stem);
}

/*
 * APP/profile-exec-N.jfr and APP/profile-driver.jfr, of Spark's profiler
 * plugin; once it was profile-NAME-exec-N.jfr.
 */
static void read_plugin(const struct path *path, struct fl_path_labels *labels)
{
	struct slice s = path->stem, executor;

	if (fl_slice_is(s, "profile-driver"))
		set(labels, FL_PATH_EXECUTOR,
		    (struct slice){ s.data + strlen("profile-"),
				    strlen("driver") });
	if (!fl_slice_starts(s, "profile-") ||
	    !chop_value(&s, "-exec-", NULL, &executor))
		return;
	set(labels, FL_PATH_EXECUTOR, executor);
	if (consume(&s, "profile-", NULL))
		set(labels, FL_PATH_APP, s);
}

/* profiler_HOST/PID/FILE and profiler_HOST/aggregated/FILE */
static void read_hprofiler(const struct path *path,
			   struct fl_path_labels *labels)
{
	struct slice folders = path->folders, pid, host;

	if (!last_component(&folders, &pid) ||
	    !last_component(&folders, &host) ||
	    !consume(&host, "profiler_", NULL) || !host.size)
		return;
	if (all_digits(pid))
		set(labels, FL_PATH_PID, pid);
	else if (!fl_slice_is(pid, "aggregated"))
		return;
	set(labels, FL_PATH_HOST, host);
}

/* ...async-EXECUTOR-STAGE.jfr */
static void read_async(const struct path *path, struct fl_path_labels *labels)
{
	struct slice s = path->stem, executor, stage;

	if (!chop_value(&s, "-", NULL, &stage) ||
	    !chop_value(&s, "async-", NULL, &executor) ||
	    (s.size && !memchr("_-./", s.data[s.size - 1], 4)))
		return;
	set(labels, FL_PATH_EXECUTOR, executor);
	set(labels, FL_PATH_STAGE, stage);
}

/* PREFIX-exec-N/, which is a pod's name. */
static void read_pod(struct slice name, struct fl_path_labels *labels)
{
	struct slice s = name, executor;

	if (chop_value(&s, "-exec-", NULL, &executor) && s.size)
		set(labels, FL_PATH_EXECUTOR, executor);
}

/*
 * EMR Serverless: jobs/APP/SPARK_EXECUTOR/N/ and jobs/APP/SPARK_DRIVER/;
 * Databricks: executor/APP/N/.  child, grandchild: folders within.
 */
static void read_numbered(struct slice name, struct slice child,
			  struct slice grandchild,
			  struct fl_path_labels *labels)
{
	if (fl_slice_is(name, "SPARK_EXECUTOR") && all_digits(child))
		set(labels, FL_PATH_EXECUTOR, child);
	else if (fl_slice_is(name, "SPARK_DRIVER"))
		set(labels, FL_PATH_EXECUTOR, FL_SLICE("driver"));
	else if (fl_slice_is(name, "executor") && all_digits(grandchild))
		set(labels, FL_PATH_EXECUTOR, grandchild);
	else if (fl_slice_is(name, "jobs") &&
		 (fl_slice_is(grandchild, "SPARK_EXECUTOR") ||
		  fl_slice_is(grandchild, "SPARK_DRIVER")))
		set(labels, FL_PATH_APP, child);
}

static void read_folders(const struct path *path,
			 struct fl_path_labels *labels)
{
	struct slice folders = path->folders, name;
	struct slice child = FL_SLICE(""), grandchild = child;

	while (last_component(&folders, &name)) {
		read_pod(name, labels);
		read_numbered(name, child, grandchild, labels);
		grandchild = child;
		child = name;
	}
}

/* --path-labels ---------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct fl_regex *given;			/* under the lock */
static unsigned groups[FL_PATH_KEYS];		/* 0: none */

/* The name of a group that begins at "("; size 0: it has none. */
static struct slice group_name(const char *at)
{
	size_t n = 0;

	at += at[1] == '?' && at[2] == 'P' ? 3 : 2;
	if (*at != '<' || at[-1] == '(' || at[1] == '=' || at[1] == '!')
		return FL_SLICE("");
	while (at[1 + n] && at[1 + n] != '>')
		n++;
	return (struct slice){ at + 1, n };
}

/* Sets the numbers of named groups; false: one has another name than a key. */
static bool number_groups(const char *re, unsigned *numbers,
			  struct slice *other)
{
	unsigned n = 0;
	size_t key;

	for (const char *at = re; *at; at++) {
		if (*at == '\\' && at[1]) {
			at++;
			continue;
		}
		if (*at == '[') {
			while (at[1] && at[1] != ']')
				at += at[1] == '\\' && at[2] ? 2 : 1;
			continue;
		}
		if (*at != '(')
			continue;
		*other = at[1] == '?' ? group_name(at) : FL_SLICE("");
		n += at[1] != '?' || other->size;
		if (!other->size)
			continue;
		for (key = 0; key < FL_PATH_KEYS; key++)
			if (fl_slice_is(*other, fl_path_keys[key]))
				break;
		if (key == FL_PATH_KEYS)
			return false;
		numbers[key] = n;
	}
	return true;
}

int flame_process_path_labels(struct flame *flame, const char *re)
{
	unsigned numbers[FL_PATH_KEYS] = { 0 };
	struct slice other = { "", 0 };
	struct fl_regex *regex;
	char error[256];
	bool any = false;

	if (!re)
		return fl_fail(flame, "no expression of labels");
	regex = fl_regex_new(re, false, error, sizeof(error));
	if (!regex)
		return fl_fail(flame, "%s", error);
	if (!number_groups(re, numbers, &other)) {
		fl_regex_free(regex);
		return fl_fail(flame, "%s: no label \"%.*s\": there are app, "
			       "attempt, executor, stage, epoch, host, pid and "
			       "container", re, (int)other.size, other.data);
	}
	for (size_t i = 0; i < FL_PATH_KEYS; i++)
		any = any || numbers[i];
	if (!any) {
		fl_regex_free(regex);
		return fl_fail(flame, "%s: has no group with a label's name, "
			       "as (?<executor>\\d+)", re);
	}
	pthread_mutex_lock(&lock);
	fl_regex_free(given);
	given = regex;
	memcpy(groups, numbers, sizeof(groups));
	pthread_mutex_unlock(&lock);
	return FLAME_OK;
}

static void read_given(const char *path, struct fl_path_labels *labels)
{
	struct slice subject = { path, strlen(path) }, value;

	pthread_mutex_lock(&lock);
	for (size_t i = 0; given && i < FL_PATH_KEYS; i++)
		if (groups[i] &&
		    fl_regex_group(given, subject, groups[i], &value))
			set(labels, (enum fl_path_key)i, value);
	pthread_mutex_unlock(&lock);
}

static int hex_of(char c)
{
	return c >= '0' && c <= '9' ? c - '0' :
	       c >= 'A' && c <= 'F' ? c - 'A' + 10 :
	       c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Into 256 bytes, where there is something to decode: "a%2Fb" is a/b. */
static struct slice decode(struct slice text, char *to)
{
	size_t n = 0;

	if (!memchr(text.data, '%', text.size))
		return text;
	for (size_t i = 0; i < text.size && n < 256; i++) {
		int high = i + 2 < text.size ? hex_of(text.data[i + 1]) : -1;
		int low = high >= 0 ? hex_of(text.data[i + 2]) : -1;

		if (text.data[i] == '%' && low >= 0) {
			to[n++] = (char)(high << 4 | low);
			i += 2;
		} else {
			to[n++] = text.data[i];
		}
	}
	return (struct slice){ to, n };
}

/* Which of the three decoded ones; -1: it has no folder of an archive. */
static int partition_of(enum fl_path_key key)
{
	return key == FL_PATH_APP_NAME ? 0 : key == FL_PATH_DATE ? 1 : -1;
}

/*
 * Folders that partition a table, as Hive, Spark and DuckDB name them:
 * app-name=etl/date=2026-11-28/APP.parquet.
 */
static void read_partitions(const struct path *path,
			    struct fl_path_labels *labels)
{
	struct slice folders = path->folders, folder, app = path->name;

	while (last_component(&folders, &folder))
		for (size_t i = 0; i < FL_PATH_KEYS; i++) {
			size_t size = strlen(fl_path_keys[i]);

			if (!fl_slice_starts(folder, fl_path_keys[i]) ||
			    folder.size <= size || folder.data[size] != '=')
				continue;
			skip(&folder, size + 1);
			if (partition_of((enum fl_path_key)i) >= 0)
				folder = decode(folder, labels->decoded[
					partition_of((enum fl_path_key)i)]);
			set(labels, (enum fl_path_key)i, folder);
			break;
		}
	if ((labels->value[FL_PATH_APP_NAME].size ||
	     labels->value[FL_PATH_DATE].size) && chop(&app, ".parquet"))
		set(labels, FL_PATH_APP, decode(app, labels->decoded[2]));
}

static void (*const layouts[])(const struct path *path,
			       struct fl_path_labels *labels) = {
	read_rapids, read_async, read_yarn, read_plugin, read_hprofiler,
	read_folders, read_partitions,
};

/* Recordings and folded stacks, packed or not. */
static struct slice stem_of(struct slice name)
{
	static const char *const packed[] = {
		".gz", ".zst", ".lz4", ".xz", ".bz2",
	};
	static const char *const kinds[] = { ".jfr", ".folded", ".collapsed" };

	for (size_t i = 0; i < FL_COUNT(packed); i++)
		if (chop(&name, packed[i]))
			break;
	for (size_t i = 0; i < FL_COUNT(kinds); i++)
		if (chop(&name, kinds[i]))
			return name;
	return (struct slice){ name.data, 0 };
}

void fl_path_labels(const char *path, struct fl_path_labels *labels)
{
	struct path p = { .folders = { path, strlen(path) } };

	memset(labels, 0, sizeof(*labels));
	read_given(path, labels);
	if (!last_component(&p.folders, &p.name))
		return;
	p.stem = stem_of(p.name);
	for (size_t i = 0; i < FL_COUNT(layouts); i++)
		layouts[i](&p, labels);
}

bool flame_path_label(const char *path, const char *key, char *value,
		      size_t size)
{
	struct fl_path_labels labels;
	size_t i = 0;

	fl_path_labels(path, &labels);
	while (i < FL_PATH_KEYS && strcmp(fl_path_keys[i], key) != 0)
		i++;
	if (size)
		*value = '\0';
	if (i == FL_PATH_KEYS || !labels.value[i].size)
		return false;
	return labels.value[i].size < size &&
	       snprintf(value, size, "%.*s", (int)labels.value[i].size,
			labels.value[i].data) >= 0;
}

bool fl_command_label(const char *line, enum fl_path_key key,
		      struct slice *value)
{
	static const char submit[] = "org.apache.spark.deploy.SparkSubmit ";
	const char *option = key == FL_PATH_EXECUTOR ? " --executor-id " :
			     key == FL_PATH_APP ? " --app-id " : NULL;
	const char *at = option && strstr(line, "ExecutorBackend ") ?
			 strstr(line, option) : NULL;

	if (at) {
		at += strlen(option);
		*value = (struct slice){ at, strcspn(at, " ") };
		return value->size;
	}
	/* After the JVM's name and options, or without these. */
	at = key == FL_PATH_EXECUTOR ? strstr(line, submit) : NULL;
	if (!at || (at > line && at[-1] != ' '))
		return false;
	*value = FL_SLICE("driver");
	return true;
}

bool fl_fact_label(const struct flame_fact *fact, enum fl_path_key key,
		   struct slice *value)
{
	return strcmp(fact->key, "Java arguments") == 0 &&
	       fl_command_label(fact->value, key, value);
}
