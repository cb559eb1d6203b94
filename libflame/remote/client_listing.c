/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists a folder of a URL by a client (client.c): each line that the client
 * prints is an entry.  fl_protocol_client is for listing.c, and for webhdfs.c
 * where no NameNode can be reached.
 */
#include "fl.h"

#include "remote/client.h"
#include "remote/command.h"
#include "remote/listing.h"
#include "remote/protocol.h"

/* Whether a name that begins with . or _ is below the folder. */
static bool is_hidden(const char *path, const char *folder)
{
	size_t n = strlen(folder);

	while (n && folder[n - 1] == '/')
		n--;
	if (strncmp(path, folder, n) != 0 || (path[n] && path[n] != '/')) {
		path = strrchr(path, '/');
		n = 0;
	}
	for (const char *at = path ? path + n : NULL; at && *at;
	     at = strchr(at, '/')) {
		at += *at == '/';
		if (*at == '.' || *at == '_')
			return true;
	}
	return false;
}

static bool take_line(struct fl_listing *l, const char *folder,
		      const struct fl_client_lister *lister,
		      struct fl_client_entry *from)
{
	struct fl_listed entry = {
		.size = from->size, .mtime = from->mtime,
		.is_folder = from->is_folder,
	};
	struct slice path;

	fl_buf_byte(&from->path, '\0');
	from->path.size -= !from->path.failed;
	path = fl_buf_slice(&from->path);
	/* Some stores mark a folder by an empty file; others list it later. */
	if (fl_slice_ends(path, "/") || from->path.failed ||
	    (entry.is_folder && !fl_client_is_flat(lister)) ||
	    is_hidden(from->path.data, folder))
		return !from->path.failed;
	if (!entry.is_folder)
		fl_client_expect(from->path.data, entry.size);
	return fl_listing_add_path(l, folder, &from->path, entry);
}

/* false: memory is short, or the listing does not end. */
static bool read_lines(struct fl_listing *l, struct fl_in *in,
		       const char *folder,
		       const struct fl_client_lister *lister,
		       struct fl_buf *other)
{
	struct fl_client_entry entry = { .size = 0 };
	const char *at, *end;
	bool good = true;
	size_t n, nread = 0;

	while (good) {
		end = fl_in_peek_line(in, &at, &n);
		n = end ? (size_t)(end - at) : n;
		if (!end && !n)
			break;
		if (fl_client_read(lister, (struct slice){ at, n }, &entry)) {
			good = take_line(l, folder, lister, &entry);
			nread++;
		} else if (n > 1 && !other->size) {
			fl_buf_put(other, at, FL_MIN(n, (size_t)100));
		}
		fl_in_consume(in, n + (end != NULL));
	}
	if (nread)
		other->size = 0;
	fl_buf_free(&entry.path);
	return good;
}

/*
 * A client that fails in the middle has listed some: the folder is an input
 * too, whose failure is counted.
 */
static bool list_by_client(struct fl_listing *l, const char *folder)
{
	struct fl_client_lister *lister;
	struct fl_in *in = fl_in_open_command(l->flame, folder, true);
	struct fl_buf other = { NULL, 0, 0, false };
	size_t before = l->count;
	const char *damage;
	bool good;

	if (!in)
		return false;
	lister = fl_client_lister(folder);
	good = lister ? read_lines(l, in, folder, lister, &other) :
	       fl_no_memory(l->flame) == FLAME_OK;
	damage = fl_in_damage(in);
	if (good && damage && l->count > before) {
		fl_warn(l->flame, "%s: %s", folder, damage);
		fl_buf_text(&other, folder);
		good = fl_listing_add_path(l, folder, &other,
					   (struct fl_listed){ 0 });
	} else if (good && (damage || other.size)) {
		good = false;
		if (damage)
			fl_fail(l->flame, "%s: %s", folder, damage);
		else
			fl_fail(l->flame, "%s: %s sent no listing: \"%.*s\"",
				folder, fl_client_words(folder, true),
				(int)other.size, other.data);
	}
	fl_buf_free(&other);
	fl_client_lister_free(lister);
	fl_in_close(in);
	return good;
}

const struct fl_protocol fl_protocol_client = { .list = list_by_client };
