/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of URL schemes, fl_url_schemes, for io/.  Opens an input of a
 * scheme by url.c or by a client (fl_url_input, of most rows), and says which
 * protocol a path has (fl_url_protocol).
 */
#include "fl.h"

#include "io/input.h"
#include "remote/client.h"
#include "remote/command.h"
#include "remote/protocol.h"
#include "remote/upload.h"
#include "remote/url.h"

#define SCHEME(id) extern const struct fl_url_scheme fl_url_scheme_##id;
#include "remote/schemes.def"
#undef SCHEME

const struct fl_url_scheme *const fl_url_schemes[] = {
#define SCHEME(id) &fl_url_scheme_##id,
#include "remote/schemes.def"
#undef SCHEME
	NULL
};

const struct fl_protocol *fl_url_protocol(const char *path)
{
	const struct fl_url_scheme *scheme = fl_url_scheme_named(path);

	return !scheme ? NULL :
	       scheme->protocol_of ? scheme->protocol_of(path) :
	       scheme->protocol ? scheme->protocol :
	       scheme->clients ? &fl_protocol_client : NULL;
}

const char *fl_url_advice(const char *path, bool lists)
{
	const struct fl_url_scheme *scheme = fl_url_scheme_named(path);
	const char *advice = !scheme ? NULL :
			     lists && fl_client_words(path, false) ?
			     scheme->list_advice : scheme->advice;

	return advice ? advice : "no client is known for it";
}

int flame_url(const char *path)
{
	const struct fl_protocol *protocol = fl_url_protocol(path);

	return !protocol ? 0 : protocol->list ? FLAME_URL_TREE : FLAME_URL;
}

struct fl_in *fl_in_open_url(struct flame *flame, const char *path,
			     const char *query)
{
	struct fl_in *in = fl_in_new_shown(flame, path);

	if (!in)
		return NULL;
#ifdef HAVE_LIBCURL
	in->transfer = &fl_url_transfer;
	in->transferred = fl_url_open(flame, path, in->name, query);
#else
	(void)query;
	fl_fail(flame, "%s: reading a URL needs libcurl, and this was built "
		"without it", in->name);
#endif
	if (in->transferred)
		return in;
	fl_in_close(in);
	return NULL;
}

/* That a client lists, and which remained: see the error, or report one. */
static struct fl_in *open_folder(struct flame *flame, const char *folder)
{
	struct fl_in *in = fl_in_open_command(flame, folder, true);

	if (in)
		fl_fail(flame, "%s: could not be listed, or not as a whole: "
			"see %s", folder, fl_client_words(folder, true));
	fl_in_close(in);
	return NULL;
}

struct fl_in *fl_url_input(struct flame *flame, const char *path)
{
	struct fl_in *in = NULL;

	if (fl_url_protocol(path) != &fl_protocol_client)
		in = fl_in_open_url(flame, path, NULL);
	/* No NameNode can be reached, and so a client has to. */
	if (in || fl_url_protocol(path) != &fl_protocol_client)
		return in;
	return path[strlen(path) - 1] == '/' ? open_folder(flame, path) :
	       fl_in_open_command(flame, path, false);
}

#ifndef HAVE_LIBCURL
static bool refuse(struct flame *flame, const char *name, const char *url)
{
	(void)url;
	fl_fail(flame, "%s: sending needs libcurl, and this was built without "
		"it", name);
	return false;
}

const struct fl_server fl_otlp_server = { refuse, NULL };
#endif

struct fl_out *fl_out_upload(struct flame *flame, const char *path)
{
	return fl_out_message(flame, path, &fl_otlp_server,
			      fl_upload_url(path));
}
