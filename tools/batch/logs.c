/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists the event logs of --spark-events.  The record of each group stores the
 * path, size and time of each log that it depends on: if one has changed, the
 * group is drawn again.
 */
#include "batch/batch.h"
#include "batch/walk.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* "eventlog_v2_APP", "events_1_APP.zstd", "APP.inprogress": APP. */
static void find_app(struct batch_log *log)
{
	const char *slash = strrchr(log->path, '/');
	const char *name = slash ? slash + 1 : log->path;
	char path[512];

	if (strncmp(name, "events_", strlen("events_")) == 0) {
		name += strlen("events_");
		name += strspn(name, "0123456789");
		name += *name == '_';
	}
	/* As the folder of a recording, whose name is the app. */
	snprintf(path, sizeof(path), "%.*s/x", (int)strcspn(name, "."), name);
	if (!flame_path_label(path, "app", log->app, sizeof(log->app)))
		log->app[0] = '\0';
}

/* mtime: since 1970; 0: not known. */
static bool add_log(struct batch *batch, const char *path, uint64_t size,
		    struct timespec mtime)
{
	struct batch_log *log;

	if (!cli_grow(batch->cli, &batch->logs, &batch->logs_capacity,
		      batch->nlogs + 1, sizeof(*log)))
		return false;
	log = &batch->logs[batch->nlogs++];
	*log = (struct batch_log){ .path = strdup(path), .size = size };
	if (!log->path)
		return cli_no_memory(batch->cli);
	if (mtime.tv_sec)
		snprintf(log->mtime, sizeof(log->mtime), "%lld.%09ld",
			 (long long)mtime.tv_sec, mtime.tv_nsec);
	find_app(log);
	return true;
}

struct listing {
	struct batch *batch;
	bool failed;
};

static void found(void *arg, const char *path, uint64_t size, int64_t mtime)
{
	struct listing *listing = arg;

	if (!listing->failed)
		listing->failed = !add_log(listing->batch, path, size,
					   (struct timespec){
						.tv_sec = mtime / 1000,
						.tv_nsec = mtime % 1000 *
							   1000000 });
}

/* Whether the log has changed is not known: the time differs in each run. */
static bool add_unknown(struct batch *batch, const char *path)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return add_log(batch, path, 0, now);
}

static bool add_url(struct batch *batch, struct flame *flame, const char *url)
{
	struct listing listing = { .batch = batch };

	if (flame_url(url) != FLAME_URL_TREE || batch->cli->fetch)
		return add_unknown(batch, url);
	if (flame_list(flame, url, found, &listing) != FLAME_OK) {
		cli_say(batch->cli, "%s", flame_error(flame));
		return false;
	}
	return !listing.failed;
}

/* What cannot be examined here is reported when it is read. */
static enum walk_answer found_file(void *arg, const struct walk_entry *entry)
{
	struct listing *listing = arg;

	if (entry->depth > 0 && strchr("._", entry->name[0]))
		return WALK_SKIP;
	if (entry->kind == WALK_FILE)
		listing->failed = !add_log(listing->batch, entry->path,
					   (uint64_t)entry->st.st_size,
					   entry->st.st_mtim);
	else if (entry->kind != WALK_FOLDER)
		listing->failed = !add_unknown(listing->batch, entry->path);
	return listing->failed ? WALK_STOP : WALK_ON;
}

static bool add_logs(struct batch *batch, const char *path)
{
	struct listing listing = { .batch = batch };

	if (walk(path, found_file, &listing) == 0)
		return !listing.failed;
	cli_say(batch->cli, "%s: %s", path, strerror(errno));
	return false;
}

bool batch_find_logs(struct batch *batch, struct flame *flame)
{
	const struct cli_list *filters = &batch->cli->filters;
	bool good = true;

	for (size_t i = 0; good && i < filters->n; i++) {
		char *copy, *rest, *path;

		if (strcmp(filters->at[i].name, "spark-events") != 0)
			continue;
		copy = rest = strdup(filters->at[i].value);
		good = copy || cli_no_memory(batch->cli);
		while (good && (path = strsep(&rest, "\n")))
			good = flame_url(path) ? add_url(batch, flame, path) :
			       add_logs(batch, flame_local_path(path));
		free(copy);
	}
	return good;
}

/* A log that is known to be of another application is ignored. */
static bool is_of(const struct batch *batch, const struct batch_log *log,
		  const struct batch_group *group)
{
	for (size_t i = 0; i < batch->nkeys; i++)
		if (strcmp(batch->keys[i], "app") == 0)
			return !log->app[0] || !*group->inputs->values[i] ||
			       strcmp(log->app, group->inputs->values[i]) == 0;
	return true;
}

bool batch_add_logs(const struct batch *batch, const struct batch_group *group,
		    cJSON *record)
{
	cJSON *logs = batch->nlogs ? cJSON_AddArrayToObject(record, "logs") :
				     NULL;

	for (size_t i = 0; i < batch->nlogs; i++) {
		const struct batch_log *log = &batch->logs[i];
		cJSON *entry;

		if (!is_of(batch, log, group))
			continue;
		entry = cJSON_CreateObject();
		if (!logs || !entry || !cJSON_AddItemToArray(logs, entry) ||
		    !batch_add_path(entry, "path", log->path) ||
		    !batch_add_number(entry, "size", (int64_t)log->size) ||
		    !cJSON_AddStringToObject(entry, "mtime", log->mtime))
			return false;
	}
	return !batch->nlogs || logs;
}

bool batch_logs_unchanged(const struct batch *batch,
			  const struct batch_group *group, const cJSON *record)
{
	const cJSON *logs = batch_list(record, "logs");
	const cJSON *entry = logs ? logs->child : NULL;

	for (size_t i = 0; i < batch->nlogs; i++) {
		const struct batch_log *log = &batch->logs[i];

		if (!is_of(batch, log, group))
			continue;
		if (!entry ||
		    !batch_has_path(entry, log->path) ||
		    strcmp(batch_text(entry, "mtime"), log->mtime) != 0 ||
		    batch_number(entry, "size") != (double)log->size)
			return false;
		entry = entry->next;
	}
	return !entry;
}

void batch_free_logs(struct batch *batch)
{
	for (size_t i = 0; i < batch->nlogs; i++)
		free(batch->logs[i].path);
	free(batch->logs);
}
