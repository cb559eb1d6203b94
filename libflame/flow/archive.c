/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Archives as sources: each member is opened as a source of its own, asked for
 * what the archive was asked for, and read before the next.
 */
#include "fl.h"

#include "flow/archive.h"
#include "io/tar.h"
#include "io/yarn.h"
#include "io/zip.h"

#include <stdio.h>

struct ask {
	const char *option, *value;
};

struct fl_archive {
	struct fl_tar *tar;	/* one of the three */
	struct fl_zip *zip;
	struct fl_yarn *yarn;
	const char *format;	/* of its members; NULL: detect it */
	struct ask *asks;
	size_t nasks, capacity;
	struct flame_source *member;	/* that flame_next reads */
	size_t nmembers;
};

static struct fl_in *next_member(struct fl_archive *archive)
{
	return archive->tar ? fl_tar_next(archive->tar) :
	       archive->zip ? fl_zip_next(archive->zip) :
			      fl_yarn_next(archive->yarn);
}

static const char *path_of(const struct fl_archive *archive)
{
	return archive->tar ? fl_tar_path(archive->tar) :
	       archive->zip ? fl_zip_path(archive->zip) :
			      fl_yarn_path(archive->yarn);
}

bool fl_archive_make(struct flame_source *source, const char *format)
{
	const char *name = fl_in_name(source->in);
	const char *folder = strcmp(name, "standard input") ? name : NULL;
	struct fl_archive *archive = fl_zeroed(1, sizeof(*archive));

	source->archive = archive;
	if (archive && source->format == &fl_format_zip)
		archive->zip = fl_zip_new(source->in, folder);
	else if (archive && source->format == &fl_format_yarn)
		archive->yarn = fl_yarn_new(source->in, folder);
	else if (archive)
		archive->tar = fl_tar_new(source->in, folder);
	if (archive && format && strcmp(format, fl_format_tar.name) != 0) {
		archive->format = fl_arena_copy(&source->arena, format,
						strlen(format));
		if (!archive->format)
			return fl_no_memory(source->flame) == FLAME_OK;
	}
	return (archive && (archive->tar || archive->zip || archive->yarn)) ||
	       fl_no_memory(source->flame) == FLAME_OK;
}

void fl_archive_free(struct flame_source *source)
{
	struct fl_archive *archive = source->archive;

	if (!archive)
		return;
	flame_close(archive->member);
	fl_tar_free(archive->tar);
	fl_zip_free(archive->zip);
	fl_yarn_free(archive->yarn);
	fl_free(archive->asks);
	fl_free(archive);
}

int fl_archive_ask(struct flame_source *source, const char *option,
		   const char *value)
{
	struct fl_archive *archive = source->archive;
	struct ask ask = { NULL, NULL };

	ask.option = fl_arena_copy(&source->arena, option, strlen(option));
	if (value)
		ask.value = fl_arena_copy(&source->arena, value,
					  strlen(value));
	if (!ask.option || (value && !ask.value) ||
	    !fl_grow(&archive->asks, &archive->capacity, archive->nasks + 1,
		     sizeof(ask)))
		return fl_no_memory(source->flame);
	archive->asks[archive->nasks++] = ask;
	return FLAME_OK;
}

/* Without flame_on_member a member that is not a profile is a warning. */
static int warn_of_member(struct flame_source *source,
			  struct flame_source *member)
{
	struct flame *flame = source->flame;
	char line[sizeof(flame->report.error)];

	if (member && flame_source_damage(member) != FLAME_ALL_LOST)
		return FLAME_FAILED;
	memcpy(line, flame->report.error, sizeof(line));
	if (flame_clear(flame) != FLAME_OK)
		return FLAME_FAILED;
	fl_warn(flame, "%s", line);
	source->damage = FLAME_SOME_LOST;
	return FLAME_OK;
}

static int report_member(struct flame_source *source,
			 struct flame_source *member, int status)
{
	struct flame *flame = source->flame;
	const char *path = path_of(source->archive);

	if (flame->member)
		status = flame->member(flame->member_arg, path, member,
				       status);
	else if (status == FLAME_FAILED)
		status = warn_of_member(source, member);
	else
		status = FLAME_OK;
	return status == FLAME_OK && !fl_failed(flame) ? FLAME_OK :
							 FLAME_FAILED;
}

/* Reports the loss of the archive itself. */
static int end_archive(struct flame_source *source)
{
	struct fl_archive *archive = source->archive;
	const char *name = fl_in_name(source->in);
	const char *damage = archive->tar ? fl_tar_damage(archive->tar) :
			     archive->zip ? fl_zip_damage(archive->zip) :
					    fl_yarn_damage(archive->yarn);
	size_t skipped = archive->tar ? fl_tar_skipped(archive->tar) : 0;

	if (fl_failed(source->flame))
		return FLAME_FAILED;
	if (damage)
		fl_warn(source->flame, "%s: %s", name, damage);
	if (skipped)
		fl_warn(source->flame, "%s: %zu links or sparse files in it "
			"are skipped", name, skipped);
	if (!damage && !skipped && !archive->nmembers)
		fl_warn(source->flame, "%s: the archive holds no file", name);
	if (damage || skipped || !archive->nmembers)
		source->damage = FLAME_SOME_LOST;
	return FLAME_END;
}

static bool ask_all(const struct fl_archive *archive,
		    struct flame_source *member)
{
	for (size_t i = 0; i < archive->nasks; i++)
		if (flame_ask(member, archive->asks[i].option,
			      archive->asks[i].value) != FLAME_OK)
			return false;
	return true;
}

/*
 * What a container printed is of use where it is a thread dump, and no loss
 * where it is not.  false: it is closed, or could not be opened.
 */
static bool is_dump(struct flame *flame, struct flame_source **member)
{
	const char *format = *member ? flame_source_format(*member) : "";

	if (strcmp(format, "jstack") == 0 ||
	    strcmp(format, "hadoop-stacks") == 0)
		return true;
	flame_close(*member);
	*member = NULL;
	flame_clear(flame);
	return false;
}

/* The next member that can be opened. */
static int open_member(struct flame_source *source,
		       struct flame_source **member)
{
	struct fl_archive *archive = source->archive;
	struct fl_in *in;
	int status;

	do {
		in = next_member(archive);
		if (!in)
			return end_archive(source);
		archive->nmembers++;
		*member = fl_source_of_member(source->flame, in,
					      archive->format);
		status = FLAME_OK;
		if (archive->yarn && fl_yarn_is_output(path_of(archive)) &&
		    !is_dump(source->flame, member))
			continue;
		if (*member && !ask_all(archive, *member))
			status = FLAME_FAILED;
		else
			status = report_member(source, *member,
					       *member ? FLAME_OK :
							 FLAME_FAILED);
	} while (status == FLAME_OK && !*member);
	if (status != FLAME_OK)
		flame_close(*member);
	return status;
}

int fl_archive_pump(struct flame_source *source, struct flame_sink *sink)
{
	struct flame_source *member;
	int status;

	while ((status = open_member(source, &member)) == FLAME_OK) {
		status = flame_pump(member, sink);
		status = report_member(source, member,
				       status == FLAME_OK ? FLAME_END :
							    FLAME_FAILED);
		flame_close(member);
		if (status != FLAME_OK)
			return status;
	}
	return status == FLAME_END ? FLAME_OK : FLAME_FAILED;
}

static int read(struct flame_source *source)
{
	struct fl_archive *archive = source->archive;
	struct flame_sample sample;
	int status;

	for (;;) {
		if (!archive->member &&
		    (status = open_member(source, &archive->member)) !=
		    FLAME_OK) {
			archive->member = NULL;
			return status;
		}
		status = flame_next(archive->member, &sample);
		if (status == FLAME_OK)
			return fl_batch_add(source, &sample);
		status = report_member(source, archive->member, status);
		flame_close(archive->member);
		archive->member = NULL;
		if (status != FLAME_OK)
			return status;
	}
}

/* Never the most bits: source.c has looked for archives before. */
static int probe(const uint8_t *head, size_t n, bool whole)
{
	(void)whole;
	return fl_tar_begins(head, n);
}

static int open_tar(struct flame_source *source)
{
	return source->archive ? FLAME_OK :
	       fl_fail(source->flame, "%s: not a tar archive",
		       fl_in_name(source->in));
}

const struct fl_format fl_format_tar = {
	.name = "tar", .summary = "an archive, each file of which is an input",
	.probe = probe, .open = open_tar, .read = read, .selects = true,
	.facts = FLAME_ARCHIVE,
};

/* Of YARN's aggregated logs. */
const struct fl_format fl_format_yarn = {
	.name = "yarn", .summary = "an archive, each file of which is an input",
	.open = open_tar, .read = read, .selects = true,
	.facts = FLAME_ARCHIVE,
};

/* Not in the list: a zip of one file is a packed file. */
const struct fl_format fl_format_zip = {
	.name = "zip", .summary = "an archive, each file of which is an input",
	.open = open_tar, .read = read, .selects = true,
	.facts = FLAME_ARCHIVE,
};
