/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a path of HDFS is: the NameNodes to ask by WebHDFS, and the path there.
 *
 *	webhdfs://HOST[:PORT][,HOST...]/PATH, swebhdfs://... with TLS
 *	http[s]://HOST/.../webhdfs/v1/PATH		by Knox, or HttpFS
 *	hdfs://NAMESERVICE/PATH, viewfs://TABLE/PATH	by hadoop.h
 */
#ifndef FL_REMOTE_HDFS_H
#define FL_REMOTE_HDFS_H

#include "fl.h"

enum { FL_HDFS_NODES = 8 };

struct fl_hdfs {
	/* Of each NameNode: "http://HOST:PORT/webhdfs/v1". */
	struct fl_buf base[FL_HDFS_NODES];
	size_t count;
	struct fl_buf file, user;	/* user: of the URL; or empty */
	/* Of the last fl_hdfs_token: "HOST:PORT:ADDRESS:PORT", or empty. */
	struct fl_buf pin;
	bool withheld;		/* a token, as others could read it */
	bool assumed;		/* Hadoop's files do not name them */
};

/* false: out of memory.  fl_hdfs_free in both cases. */
bool fl_hdfs_find(struct fl_hdfs *hdfs, const char *path);
void fl_hdfs_free(struct fl_hdfs *hdfs);
size_t fl_hdfs_host_size(struct slice server);	/* of HOST[:PORT] */
/* Adds the NameNode of "", ".NAMESERVICE" or ".NAMESERVICE.ID". */
bool fl_hdfs_add_known(struct fl_hdfs *hdfs, bool tls, const char *of,
		       struct slice rpc);
/* Whether Hadoop's files name the NameNodes of an hdfs or viewfs URL. */
bool fl_hdfs_is_known(const char *path);

/* The NameNode that was active last. */
size_t fl_hdfs_active(const struct fl_hdfs *hdfs);
void fl_hdfs_set_active(const struct fl_hdfs *hdfs, size_t node);

/*
 * The token for a NameNode, in a file of Hadoop's.  The request must then go to
 * the address of hdfs->pin, if there is one.
 */
bool fl_hdfs_token(struct fl_buf *out, const char *path, struct fl_hdfs *hdfs,
		   size_t node);
/*
 * The request for the file, or for the list of a folder (a path that ends in a
 * slash).  NULL: without such a parameter; proxy is the user of doas.
 */
struct fl_hdfs_login { const char *user, *token, *proxy; };
void fl_hdfs_request(struct fl_buf *out, const struct fl_hdfs *hdfs,
		     size_t node, const struct fl_hdfs_login *login,
		     uint64_t offset);

#endif
