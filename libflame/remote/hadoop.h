/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The settings of Hadoop's core-site.xml and hdfs-site.xml, of HADOOP_CONF_DIR,
 * of HADOOP_HOME/etc/hadoop, or of /etc/hadoop/conf.
 */
#ifndef FL_REMOTE_HADOOP_H
#define FL_REMOTE_HADOOP_H

#include "fl.h"

/* A setting, read once for the process; NULL: there is none. */
const char *fl_hadoop(const char *format, ...) FL_PRINTF(1, 2);
/*
 * The next setting whose key begins so, *i from 0 on: its key's rest; NULL:
 * no more.
 */
const char *fl_hadoop_next(const char *prefix, size_t *i, const char **value);

#endif
