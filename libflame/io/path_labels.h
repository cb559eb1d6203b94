/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Labels from an input's path: the layouts in which Spark's
 * profilers, YARN, Kubernetes and others leave their files, and a given
 * expression.
 */
#ifndef FL_PATH_LABELS_H
#define FL_PATH_LABELS_H

#include "fl.h"
#include "base/base.h"

enum fl_path_key {
	FL_PATH_APP, FL_PATH_ATTEMPT, FL_PATH_EXECUTOR, FL_PATH_STAGE,
	FL_PATH_EPOCH, FL_PATH_HOST, FL_PATH_PID, FL_PATH_CONTAINER,
	FL_PATH_APP_NAME, FL_PATH_DATE,
	FL_PATH_KEYS
};

/* "app", "attempt", ... by enum fl_path_key; and all, with commas. */
extern const char *const fl_path_keys[FL_PATH_KEYS];
#define FL_PATH_KEY_LIST "app,attempt,executor,stage,epoch,host,pid," \
	"container,app-name,date"

/*
 * Values by enum fl_path_key; size 0: the path does not say.  They point
 * into the path, into app or into decoded.
 */
struct fl_path_labels {
	struct slice value[FL_PATH_KEYS];
	char app[64];
	char decoded[3][256];
};

/*
 * Reads the labels of a path: names of folders and of the file; nothing is
 * looked up in a file system.  A path of no known layout has none.
 */
void fl_path_labels(const char *path, struct fl_path_labels *labels);
/*
 * The number of an executor of Spark ("driver": of none), and its application,
 * from the command line of its JVM; false: it does not say.  value points into
 * the line.
 */
bool fl_command_label(const char *line, enum fl_path_key key,
		      struct slice *value);
/* The same of a fact, which may be such a line. */
bool fl_fact_label(const struct flame_fact *fact, enum fl_path_key key,
		   struct slice *value);

#endif
