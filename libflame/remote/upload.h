/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Outputs that are sent to a server by OTLP/HTTP: otlp+http://HOST:PORT[/PATH], and
 * otlp+https.
 */
#ifndef FL_REMOTE_UPLOAD_H
#define FL_REMOTE_UPLOAD_H

#include "io/io.h"

/* The URL in such a path, "http://..."; NULL: the path is another. */
const char *fl_upload_url(const char *path);
/* Sent by fl_out_close. */
struct fl_out *fl_out_upload(struct flame *flame, const char *path);

extern const struct fl_server fl_otlp_server;

#endif
