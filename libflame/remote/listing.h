/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of the files below a folder, as protocols fill it.
 */
#ifndef FL_REMOTE_LISTING_H
#define FL_REMOTE_LISTING_H

#include "fl.h"

struct fl_listed {
	char *path;		/* of fl_alloc */
	uint64_t size;
	int64_t mtime;		/* ms since 1970 */
	bool is_folder;		/* to be listed in its turn */
};

struct fl_listing {
	struct flame *flame;
	struct fl_listed *entries;
	size_t count, capacity;
	size_t next;		/* to be listed */
	size_t nkeys;		/* s3_listing.c: keys, dropped ones included */
	size_t path_bytes;
	bool endless;		/* too long or too deep: it has failed */
};

/* The functions return false after fl_fail. */

/*
 * Adds an entry by its path below the folder; none that begins with . or _.
 * suffix empty: the file that was listed itself.
 */
bool fl_listing_add(struct fl_listing *l, const char *folder,
		    struct slice suffix, struct fl_listed entry);
/* Adds an entry by its whole path. */
bool fl_listing_add_path(struct fl_listing *l, const char *folder,
			 const struct fl_buf *path, struct fl_listed entry);
/* Adds an entry without a path. */
bool fl_listing_add_empty(struct fl_listing *l);
/* true, after fl_fail: more entries than a listing may have. */
bool fl_listing_is_too_long(struct fl_listing *l, const char *folder,
			    size_t count);

#endif
