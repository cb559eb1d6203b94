/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that a compiler inlined, and lines of native code, by debug
 * information.
 *
 * Debug information is large and slow to read, so none is read while samples
 * come: a function of a file that has some gets a frame for each of its
 * addresses (fl_places_frame, for process.c).  A filter in front of all others
 * (fl_places_filter, for flame-record) buffers the samples, and forwards them
 * at the end with the frames that the addresses stand for.
 */
#include "fl.h"

#include "sample/sample.h"
#include "filter/filter.h"
#ifdef HAVE_LIBDW
#include "native/debug.h"
#endif

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	MAX_FILES = 255,	/* each is an open file */
	MAX_PLACES = 1 << 20
};

#define FIRST_LINE (UINT32_C(1) << 31)	/* of frames that are places */

#ifdef HAVE_LIBDW

struct fl_places {
	bool lines, inlined;	/* which of both is wanted */
	bool strict;		/* files of root alone */
	struct file {
		int fd;
		struct fl_debug *debug;
		bool opened;
	} *files;
	size_t nfiles, files_capacity;
	struct place {
		uint64_t address;
		unsigned file;
		flame_id plain;		/* the function's frame */
		size_t first, n;	/* of frames; n 0: not asked yet */
	} *data;
	size_t count, capacity;
	struct fl_map by_address;	/* with its file -> place */
	flame_id *frames;	/* leaf first */
	size_t nframes, frames_capacity;
	struct flame *flame;
	struct fl_buf buf;
	size_t chain;		/* of the place that is asked for */
	/* Gets the frames of a place, once they are known; or NULL. */
	void (*report)(void *arg, unsigned place, const flame_id *frames,
		     size_t n);
	void *report_arg;
};

struct fl_places *fl_places_new(struct flame *flame, bool inlined, bool lines,
				bool strict)
{
	struct fl_places *places = fl_zeroed(1, sizeof(*places));

	if (!places)
		return NULL;
	places->flame = flame;
	places->inlined = inlined;
	places->lines = lines;
	places->strict = strict;
	return places;
}

void fl_places_free(struct fl_places *places)
{
	if (!places)
		return;
	for (size_t i = 0; i < places->nfiles; i++) {
		if (places->files[i].debug)
			fl_inlined_close(places->files[i].debug);
		close(places->files[i].fd);
	}
	fl_free(places->files);
	fl_free(places->data);
	fl_free(places->frames);
	fl_map_free(&places->by_address);
	fl_buf_free(&places->buf);
	fl_free(places);
}

static bool has_debug(const struct fl_elf *elf)
{
	return elf && elf->fd >= 0 && (fl_elf_section(elf, ".debug_info") ||
				       fl_elf_section(elf, ".zdebug_info"));
}

/* A user who may write the file could make root read any other. */
static bool is_trusted(const struct fl_places *places, int fd)
{
	struct stat st;

	return !places->strict || (fstat(fd, &st) == 0 && st.st_uid == 0 &&
				   !(st.st_mode & 022));
}

unsigned fl_places_file(struct fl_places *places, const struct fl_elf *elf,
			const struct fl_elf *debug)
{
	int fd;

	if (!has_debug(elf))
		elf = debug;
	if (!places || !has_debug(elf) || places->nfiles == MAX_FILES ||
	    !is_trusted(places, elf->fd) ||
	    !fl_grow(&places->files, &places->files_capacity,
		     places->nfiles + 1, sizeof(*places->files)))
		return 0;
	fd = fcntl(elf->fd, F_DUPFD_CLOEXEC, 3);
	if (fd < 0)
		return 0;
	places->files[places->nfiles++] = (struct file){ .fd = fd };
	return (unsigned)places->nfiles;
}

flame_id fl_places_frame(struct fl_places *places, unsigned file,
			 uint64_t address, flame_id plain)
{
	struct flame_frame frame = places->flame->frames.data[plain];
	uint64_t *at;
	bool fresh;

	if (places->count == MAX_PLACES || address >> 56)
		return plain;
	at = fl_map_put(&places->by_address, (uint64_t)file << 56 | address,
			&fresh);
	if (!at || !fl_grow(&places->data, &places->capacity,
			    places->count + 1, sizeof(*places->data))) {
		fl_no_memory(places->flame);
		return plain;
	}
	if (fresh) {
		*at = places->count++;
		places->data[*at] = (struct place){
			.address = address, .file = file - 1, .plain = plain,
		};
	}
	frame.line = FIRST_LINE + (uint32_t)*at;
	return flame_frame(places->flame, &frame);
}

/* Frames of a place ---------------------------------------------------------- */

static void add_frame(struct fl_places *places,
		      const struct flame_frame *frame)
{
	if (!fl_grow(&places->frames, &places->frames_capacity,
		     places->nframes + 1, sizeof(*places->frames))) {
		fl_no_memory(places->flame);
		return;
	}
	places->frames[places->nframes++] = flame_frame(places->flame, frame);
}

/* The function itself has the name that it has elsewhere. */
static void put_name(struct fl_places *places, const struct fl_inlined *at,
		     const struct flame_frame *plain)
{
	struct slice name = fl_name_at(places->flame, plain->name);
	struct fl_buf *buf = &places->buf;

	buf->size = 0;
	if (!at->inlined)
		fl_buf_put(buf, name.data, name.size);
	else if (!at->linkage || !fl_demangle_symbol(buf, at->linkage))
		fl_buf_text(buf, at->name ? at->name : "[inlined]");
}

static void add_inlined(void *arg, const struct fl_inlined *at)
{
	struct fl_places *places = arg;
	struct flame *flame = places->flame;
	struct flame_frame frame;

	if (at->inlined && !places->inlined)
		return;
	frame = flame->frames.data[places->data[places->chain].plain];
	put_name(places, at, &frame);
	if (at->inlined)
		frame.type = FLAME_INLINED;
	if (places->lines && at->file && at->line) {
		fl_buf_print(&places->buf, ":%u", at->line);
		frame.file = fl_name(flame, at->file);
		frame.line = at->line;
	}
	frame.name = flame_name(flame, places->buf.data, places->buf.size);
	add_frame(places, &frame);
}

static struct fl_debug *debug_of(const struct fl_places *places,
				 struct file *file)
{
	if (file->opened)
		return file->debug;
	file->opened = true;
	file->debug = fl_inlined_open(file->fd, places->lines);
	return file->debug;
}

static void ask(struct fl_places *places, size_t i)
{
	struct place *place = &places->data[i];
	struct fl_debug *debug = place->file < places->nfiles ?
		debug_of(places, &places->files[place->file]) : NULL;

	places->chain = i;
	place->first = places->nframes;
	if (!debug ||
	    !fl_inlined_each(debug, place->address, add_inlined, places)) {
		places->nframes = place->first;
		add_frame(places, &places->flame->frames.data[place->plain]);
	}
	place->n = places->nframes - place->first;
	if (places->report)
		places->report(places->report_arg, (unsigned)i,
			     places->frames + place->first, place->n);
}

/* One file after the other: debug information is large in memory. */
static void ask_all(struct fl_places *places)
{
	for (size_t f = 0; f < places->nfiles; f++) {
		struct file *file = &places->files[f];

		for (size_t i = 0; i < places->count; i++)
			if (places->data[i].file == f && !places->data[i].n)
				ask(places, i);
		if (file->debug)
			fl_inlined_close(file->debug);
		file->debug = NULL;
		file->opened = false;
	}
}

/* In two processes -------------------------------------------------------- */

void fl_places_begin(void)
{
	fl_dw_open();
}

unsigned fl_places_count(const struct fl_places *places)
{
	return places ? (unsigned)places->count : 0;
}

bool fl_places_plain(const struct fl_places *places, unsigned place,
		     flame_id *plain)
{
	if (place >= fl_places_count(places))
		return false;
	*plain = places->data[place].plain;
	return true;
}

void fl_places_each(struct fl_places *places,
		    void (*report)(void *arg, unsigned place,
				 const flame_id *frames, size_t n), void *arg)
{
	if (!places)
		return;
	places->report = report;
	places->report_arg = arg;
	ask_all(places);
	places->report = NULL;
}

/* No file of this process has its debug information. */
bool fl_places_add(struct fl_places *places, flame_id plain)
{
	if (!places || places->count == MAX_PLACES ||
	    !fl_grow(&places->data, &places->capacity, places->count + 1,
		     sizeof(*places->data)))
		return false;
	places->data[places->count++] = (struct place){
		.plain = plain, .file = UINT_MAX,
	};
	return true;
}

bool fl_places_expand(struct fl_places *places, unsigned place,
		      const flame_id *frames, size_t n)
{
	if (place >= fl_places_count(places) || places->data[place].n ||
	    !fl_grow(&places->frames, &places->frames_capacity,
		     places->nframes + n, sizeof(*places->frames)))
		return false;
	places->data[place].first = places->nframes;
	places->data[place].n = n;
	memcpy(places->frames + places->nframes, frames, n * sizeof(*frames));
	places->nframes += n;
	return true;
}

void fl_places_shift(struct flame_frame *frame, unsigned first)
{
	if (frame->line >= FIRST_LINE)
		frame->line += first;
}

/* The filter ------------------------------------------------------------------ */

struct buffer {
	struct fl_places *places;
	struct fl_rewrite memo;
	struct flame_sample *samples;
	size_t count, capacity;
};

static flame_id step(struct flame_sink *sink, flame_id parent, flame_id stack)
{
	const struct buffer *buffer = sink->state;
	struct fl_places *places = buffer->places;
	struct flame *flame = sink->flame;
	flame_id frame = fl_frame_id(flame, stack);
	uint32_t line = flame->frames.data[frame].line;
	const struct place *place;

	if (line < FIRST_LINE || line - FIRST_LINE >= places->count)
		return flame_stack(flame, parent, frame);
	if (!places->data[line - FIRST_LINE].n)
		ask(places, line - FIRST_LINE);
	place = &places->data[line - FIRST_LINE];
	for (size_t i = place->n; i--;)
		parent = flame_stack(flame, parent,
				     places->frames[place->first + i]);
	return parent;
}

static int forward(struct flame_sink *sink)
{
	struct buffer *buffer = sink->state;
	int status = FLAME_OK;

	ask_all(buffer->places);
	for (size_t i = 0; i < buffer->count && status == FLAME_OK; i++) {
		struct flame_sample s = buffer->samples[i];

		s.stack = fl_rewrite(sink, &buffer->memo, s.stack, step);
		status = fl_put(sink->next, &s);
	}
	buffer->count = 0;
	return status;
}

static int put(struct flame_sink *sink, const struct flame_sample *sample)
{
	struct buffer *buffer = sink->state;

	/* Nothing has an address of its own yet. */
	if (!buffer->places->count && !buffer->count)
		return fl_put(sink->next, sample);
	if (buffer->count == FL_PLACES_SAMPLES && forward(sink) != FLAME_OK)
		return FLAME_FAILED;
	if (!fl_grow(&buffer->samples, &buffer->capacity, buffer->count + 1,
		     sizeof(*buffer->samples))) {
		fl_no_memory(sink->flame);
		return FLAME_FAILED;
	}
	buffer->samples[buffer->count++] = *sample;
	return FLAME_OK;
}

static int end(struct flame_sink *sink, struct flame_source *source)
{
	(void)source;
	return forward(sink);
}

static void free_buffer(struct flame_sink *sink)
{
	struct buffer *buffer = sink->state;

	fl_rewrite_free(&buffer->memo);
	fl_free(buffer->samples);
}

struct flame_sink *fl_places_filter(struct flame *flame,
				    struct flame_sink *next,
				    struct fl_places *places)
{
	struct flame_sink *sink;

	if (!next || !places)
		return next;
	sink = fl_sink_new(flame, next, sizeof(struct buffer));
	if (!sink) {
		flame_abandon(next);
		return NULL;
	}
	((struct buffer *)sink->state)->places = places;
	sink->put = put;
	sink->end = end;
	sink->free = free_buffer;
	return sink;
}

#else

struct fl_places *fl_places_new(struct flame *flame, bool inlined, bool lines,
				bool strict)
{
	(void)flame, (void)inlined, (void)lines, (void)strict;
	return NULL;
}

void fl_places_free(struct fl_places *places)
{
	(void)places;
}

unsigned fl_places_file(struct fl_places *places, const struct fl_elf *elf,
			const struct fl_elf *debug)
{
	(void)places, (void)elf, (void)debug;
	return 0;
}

flame_id fl_places_frame(struct fl_places *places, unsigned file,
			 uint64_t address, flame_id plain)
{
	(void)places, (void)file, (void)address;
	return plain;
}

struct flame_sink *fl_places_filter(struct flame *flame,
				    struct flame_sink *next,
				    struct fl_places *places)
{
	(void)flame, (void)places;
	return next;
}

void fl_places_begin(void)
{
}

unsigned fl_places_count(const struct fl_places *places)
{
	(void)places;
	return 0;
}

bool fl_places_plain(const struct fl_places *places, unsigned place,
		     flame_id *plain)
{
	(void)places, (void)place, (void)plain;
	return false;
}

void fl_places_each(struct fl_places *places,
		    void (*report)(void *arg, unsigned place,
				 const flame_id *frames, size_t n), void *arg)
{
	(void)places, (void)report, (void)arg;
}

bool fl_places_add(struct fl_places *places, flame_id plain)
{
	(void)places, (void)plain;
	return false;
}

bool fl_places_expand(struct fl_places *places, unsigned place,
		      const flame_id *frames, size_t n)
{
	(void)places, (void)place, (void)frames, (void)n;
	return false;
}

void fl_places_shift(struct flame_frame *frame, unsigned first)
{
	(void)frame, (void)first;
}

#endif
