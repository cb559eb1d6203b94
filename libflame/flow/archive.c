/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Archives as sources, by their containers (io/container.h): each member is
 * opened as a source of its own, asked for what the archive was asked for, and
 * read before the next.  pump.c calls fl_archive_next() for each member;
 * flame_next() reads all of them by fl_archive_read().
 */
#include "fl.h"

#include "flow/archive.h"
#include "io/container.h"

#include <stdio.h>

static const char *path_of(const struct flame_source *source)
{
	const struct fl_archive *archive = source->state;

	return archive->container->path(archive->state);
}

int fl_archive_open(struct flame_source *source)
{
	const char *name = fl_in_name(source->in);
	struct fl_archive *archive = source->state;

	if (!source->container)
		return fl_fail(source->flame, "%s: not a %s archive", name,
			       source->format->name);
	archive->container = source->container;
	archive->state = archive->container->open(
		source->in, strcmp(name, "standard input") ? name : NULL);
	return archive->state ? FLAME_OK : fl_no_memory(source->flame);
}

/* A member that is not a profile is a warning if there is no flame_on_member. */
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
	const char *path = path_of(source);

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
	const struct fl_archive *archive = source->state;
	const struct fl_container *container = archive->container;
	const char *name = fl_in_name(source->in);
	const char *damage = container->damage(archive->state);
	size_t skipped = container->skipped ?
			 container->skipped(archive->state) : 0;

	if (fl_failed(source->flame))
		return FLAME_FAILED;
	if (damage)
		fl_warn(source->flame, "%s: %s", name, damage);
	if (skipped)
		fl_warn(source->flame, "%s: %zu links, sparse or split files "
			"in it are skipped", name, skipped);
	if (!damage && !skipped && !archive->nmembers)
		fl_warn(source->flame, "%s: the archive holds no file", name);
	if (damage || skipped || !archive->nmembers)
		source->damage = FLAME_SOME_LOST;
	return FLAME_END;
}

static bool ask_all(const struct flame_source *source,
		    struct flame_source *member)
{
	for (size_t i = 0; i < source->nasks; i++)
		if (flame_ask(member, source->asks[i].option,
			      source->asks[i].value) != FLAME_OK)
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

int fl_archive_next(struct flame_source *source, struct flame_source **member)
{
	struct fl_archive *archive = source->state;
	const struct fl_container *container = archive->container;
	struct fl_in *in;
	int status;

	do {
		in = container->next(archive->state);
		if (!in)
			return end_archive(source);
		archive->nmembers++;
		*member = fl_source_of_member(source->flame, in,
					      source->members_format);
		status = FLAME_OK;
		if (container->is_output &&
		    container->is_output(path_of(source)) &&
		    !is_dump(source->flame, member))
			continue;
		if (*member && !ask_all(source, *member))
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

int fl_archive_close_member(struct flame_source *source,
			    struct flame_source *member, int status)
{
	status = report_member(source, member, status);
	flame_close(member);
	return status;
}

int fl_archive_read(struct flame_source *source)
{
	struct fl_archive *archive = source->state;
	struct flame_source *member;
	struct flame_sample sample;
	int status;

	for (;;) {
		if (!archive->member) {
			status = fl_archive_next(source, &member);
			if (status != FLAME_OK)
				return status;
			archive->member = member;
		}
		status = flame_next(archive->member, &sample);
		if (status == FLAME_OK)
			return fl_batch_add(source, &sample);
		member = archive->member;
		archive->member = NULL;
		status = fl_archive_close_member(source, member, status);
		if (status != FLAME_OK)
			return status;
	}
}

void fl_archive_release(void *state)
{
	struct fl_archive *archive = state;

	flame_close(archive->member);
	if (archive->state)
		archive->container->close(archive->state);
}

int fl_archive_probe(const uint8_t *head, size_t n, bool whole)
{
	(void)head, (void)n, (void)whole;
	return 0;
}
