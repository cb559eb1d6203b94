/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tokens of delegation as Hadoop keeps them in a file, which jobs of a cluster
 * with Kerberos get (HADOOP_TOKEN_FILE_LOCATION): org.apache.hadoop.security.
 * Credentials, in its own format and in Protocol Buffers.
 */
#ifndef FL_REMOTE_HADOOP_TOKEN_H
#define FL_REMOTE_HADOOP_TOKEN_H

#include "fl.h"

/*
 * Puts the first token for HDFS whose service is_ours accepts, as WebHDFS reads
 * it, into out.  false: there is none.
 */
bool fl_hadoop_token(struct fl_buf *out, const void *file, size_t size,
		     bool (*is_ours)(void *arg, struct slice service),
		     void *arg);
/* The same of a file; false also where it cannot be read. */
bool fl_hadoop_token_file(struct fl_buf *out, const char *path,
			  bool (*is_ours)(void *arg, struct slice service),
			  void *arg);

#endif
