/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores that are read by the client a machine has for them: gs://, abfss://
 * and others, hdfs:// where its NameNodes are not known.  The rows of schemes
 * (azure.c is one) have the commands that print a file and that list a folder.
 */
#ifndef FL_REMOTE_CLIENT_H
#define FL_REMOTE_CLIENT_H

#include "io/scheme.h"

/* Hadoop's own, which also read what others store. */
#define FL_CLIENT_LINE_OF_HADOOP \
	"^([-d])\\S+\\s+\\S+\\s+\\S+\\s+\\S+\\s+(\\d+)\\s+" \
	"(\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d)\\s(.+)$"
#define FL_CLIENT_OF_HADOOP(words) { words " -cat {}", words " -ls -R {}", \
	FL_CLIENT_LINE_OF_HADOOP, "tsmn", "*?[]{}\\", true }
#define FL_CLIENTS_OF_HADOOP FL_CLIENT_OF_HADOOP("hdfs dfs"), \
	FL_CLIENT_OF_HADOOP("hadoop fs")

/* The command's words by the first client on PATH; NULL: there is none. */
const char *fl_client_words(const char *path, bool lists);
/*
 * Puts a part of the path: "" the path as the client expects it, or scheme,
 * authority, account, container, domain, key, prefix (a key and a slash).
 * false: no such part.
 */
bool fl_client_put(struct fl_buf *out, const char *path, struct slice part);

/* A line of a listing. */
struct fl_client_entry {
	struct fl_buf path;	/* of the store, with its scheme */
	uint64_t size;
	int64_t mtime;		/* ms since 1970; 0: not known */
	bool is_folder;
};

struct fl_client_lister;

/* NULL: out of memory. */
struct fl_client_lister *fl_client_lister(const char *folder);
void fl_client_lister_free(struct fl_client_lister *lister);
/* Whether folders of its listing have to be listed in their turn. */
bool fl_client_is_flat(const struct fl_client_lister *lister);
/* false: the line is not an entry. */
bool fl_client_read(const struct fl_client_lister *lister, struct slice line,
		    struct fl_client_entry *entry);

/* Remembers the size from a listing. */
void fl_client_expect(const char *path, uint64_t size);
/* Whether the file came shorter, as `why` says. */
bool fl_client_is_short(const char *path, uint64_t size, char *why,
			size_t capacity);

#endif
