/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Outputs that are sent to a server by OTLP/HTTP: otlp+http://HOST:PORT[/PATH], and
 * otlp+https.
 */
#ifndef FL_IO_UPLOAD_H
#define FL_IO_UPLOAD_H

#include "fl.h"

/* The URL in such a path, "http://..."; NULL: the path is another. */
const char *fl_upload_url(const char *path);
/* Whether it can be sent at all; else fl_fail. */
bool fl_upload_check(struct flame *flame, const char *name, const char *url);
/*
 * Sends a message that gzip has packed, again where the server asks for that.
 * Partial success is a failure; what the server remarks on is a remark.
 */
int fl_upload(struct flame *flame, const char *name, const char *url,
	      struct slice message);

#endif
