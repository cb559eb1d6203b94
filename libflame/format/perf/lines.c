/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Returns the frames of a frame line of perf script by its text, for perf.c and
 * record.c.  A profile repeats the same few thousand lines millions of times,
 * so each is parsed once (fl_perf_lines_add) and then looked up
 * (fl_perf_lines_find); lines of known functions are in the cache of
 * line_cache.c.
 */
#include "fl.h"

#include "format/perf/inline.h"
#include "format/perf/lines.h"

#include <stdlib.h>

enum {
	FULL = 8 << 20,		/* of text: a larger one is slower than none */
	MET = 1 << 15		/* lines that are remembered by a hash */
};

uint32_t fl_perf_lines_find(const struct fl_perf_lines *lines,
			    const char *at, size_t size, uint64_t hash)
{
	uint32_t i, id;

	for (i = fl_index_first(&lines->index, hash);
	     (id = fl_index_next(&lines->index, hash, &i));)
		if (lines->at[id].size == size &&
		    memcmp(lines->at[id].text, at, size) == 0)
			return id;
	return 0;
}

static bool is_address(struct slice line)
{
	size_t i = line.size;

	if (!fl_slice_ends(line, "]"))
		return false;
	for (i--; i && memchr("0123456789abcdef", line.data[i - 1], 16); i--)
		;
	return i > 1 && i < line.size - 1 && line.data[i - 1] == '[';
}

bool fl_perf_is_place(struct slice text, struct fl_perf_place *place)
{
	struct slice s = fl_slice_trim(text);
	size_t i;
	int64_t n;

	*place = (struct fl_perf_place){ .file = { "", 0 } };
	place->inlined = fl_slice_ends(s, " (inlined)");
	if (place->inlined)
		s.size -= sizeof(" (inlined)") - 1;
	/* "dso[7f00]": it is not known. */
	if (is_address(s))
		return true;
	for (i = s.size; i && fl_is_digit(s.data[i - 1]); i--)
		;
	if (i < 1 || i == s.size || s.data[i - 1] != ':' ||
	    !fl_parse_int(fl_slice_from(s, i), &n) ||
	    n > UINT32_MAX)
		return false;
	place->file = (struct slice){ s.data, i - 1 };
	place->line = (uint32_t)n;
	return true;
}

/* Functions ----------------------------------------------------------- */

static bool same(struct slice a, struct slice b)
{
	return a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}

static bool copy(struct fl_perf_lines *lines, struct slice *s)
{
	s->data = fl_arena_copy(&lines->texts, s->data, s->size);
	return s->data;
}

bool fl_perf_is_listed(const char *list, struct slice text)
{
	for (size_t n; *list; list += n + (list[n] == '\n')) {
		n = strcspn(list, "\n");
		if (n == text.size && memcmp(list, text.data, n) == 0)
			return true;
	}
	return false;
}

/* --skip-after: a peer looks at the symbol, we at the names. */
static void set_stop(const struct fl_perf_lines *lines,
		     const struct fl_perf_naming *naming,
		     const struct fl_perf_frame *frame,
		     struct fl_perf_function *function)
{
	const char *list = naming->options->skip_after;
	const struct flame *flame = naming->flame;

	if (!list)
		return;
	if (fl_perf_is_listed(list, frame->symbol))
		function->stop = function->n;
	for (uint32_t i = 0; i < function->n && !function->stop &&
	     !naming->options->peer; i++) {
		flame_id id = lines->frames.at[function->first + i];

		if (fl_perf_is_listed(list, fl_name_at(flame,
					       flame->frames.data[id].name)))
			function->stop = i + 1;
	}
}

/* perf has printed the functions inlined at this address in earlier lines. */
static bool has_inlined_lines(const struct fl_perf_naming *naming,
			      const struct fl_perf_frame *frame)
{
	return naming->inlined_ip_size &&
	       naming->inlined_ip_size == frame->ip.size &&
	       memcmp(naming->inlined_ip, frame->ip.data, frame->ip.size) == 0;
}

static void name(struct fl_perf_lines *lines, struct fl_perf_naming *naming,
		 const struct fl_perf_frame *frame,
		 struct fl_perf_function *function)
{
	function->first = lines->frames.n;
	if (naming->inlines && !has_inlined_lines(naming, frame) &&
	    fl_perf_inline(naming->inlines, naming, frame, &lines->frames))
		;
	else if (naming->options->peer)
		fl_perf_compat_name(naming, frame, &lines->frames);
	else
		fl_perf_name(naming, frame, &lines->frames);
	function->n = lines->frames.n - function->first;
	set_stop(lines, naming, frame, function);
}

static bool add_function(struct fl_perf_lines *lines,
			 struct fl_perf_function *new, uint64_t hash)
{
	if (!lines->nfunctions)
		lines->nfunctions = 1;
	if (!fl_grow(&lines->functions, &lines->functions_capacity,
		     lines->nfunctions + 1, sizeof(*lines->functions)) ||
	    !copy(lines, &new->symbol) || !copy(lines, &new->dso) ||
	    !fl_index_add(&lines->by_name, hash, lines->nfunctions))
		return false;
	lines->functions[lines->nfunctions++] = *new;
	return true;
}

/* Whether the address makes the name. */
static bool is_by_address(const struct fl_perf_naming *naming,
			  const struct fl_perf_frame *frame)
{
	return naming->options->addrs ||
	       (naming->inlines &&
		(frame->inlined || fl_perf_inline_asks(frame))) ||
	       (!frame->symbol.size && !frame->dso.size);
}

static uint64_t hash_of(const struct fl_perf_frame *frame)
{
	return fl_hash_pair(fl_hash(frame->symbol.data, frame->symbol.size),
			    fl_hash(frame->dso.data, frame->dso.size));
}

/* The function's place in the table; 0: it is new. */
static uint32_t find_function(const struct fl_perf_lines *lines,
			      const struct fl_perf_frame *frame, uint64_t hash)
{
	const struct fl_perf_function *f;
	uint32_t i, id;

	for (i = fl_index_first(&lines->by_name, hash);
	     (id = fl_index_next(&lines->by_name, hash, &i));) {
		f = &lines->functions[id];
		if (f->inlined == frame->inlined &&
		    same(f->symbol, frame->symbol) && same(f->dso, frame->dso))
			return id;
	}
	return 0;
}

bool fl_perf_lines_has(const struct fl_perf_lines *lines,
		       const struct fl_perf_frame *frame)
{
	return find_function(lines, frame, hash_of(frame));
}

/* The frames of a function, whatever its address is. */
static bool frames_of(struct fl_perf_lines *lines,
		      struct fl_perf_naming *naming,
		      const struct fl_perf_frame *frame,
		      struct fl_perf_line *line)
{
	struct fl_perf_function new = {
		.symbol = frame->symbol, .dso = frame->dso,
		.inlined = frame->inlined,
	};
	uint64_t hash = hash_of(frame);
	bool by_address = is_by_address(naming, frame);
	uint32_t id = by_address ? 0 : find_function(lines, frame, hash);

	if (id) {
		line->first = lines->functions[id].first;
		line->n = lines->functions[id].n;
		line->stop = lines->functions[id].stop;
		return true;
	}
	name(lines, naming, frame, &new);
	line->first = new.first;
	line->n = new.n;
	line->stop = new.stop;
	return by_address || add_function(lines, &new, hash);
}

/* Lines --------------------------------------------------------------- */

/* A peer's ip is the first word, whatever it is. */
static void remember_inlined_ip(struct fl_perf_naming *naming, struct slice ip)
{
	if (ip.size > sizeof(naming->inlined_ip))
		ip.size = 0;
	naming->inlined_ip_size = ip.size;
	memcpy(naming->inlined_ip, ip.data, ip.size);
}

/* *cached: line_cache.c finds the next line of this form. */
static bool understand(struct fl_perf_lines *lines,
		       struct fl_perf_naming *naming, struct slice whole,
		       struct fl_perf_line *line, bool *cached)
{
	bool peer = naming->options->peer;
	struct slice text = whole;
	struct fl_perf_frame frame;
	struct fl_perf_place place;

	*cached = false;
	if (text.size && text.data[text.size - 1] == '\n')
		text.size--;
	text = fl_slice_trim(text);
	/* A peer reads "(inlined)" after a place as a module. */
	if (!(naming->tabs && whole.data[0] == ' ' && !peer) &&
	    fl_perf_frame(text, &frame) &&
	    (frame.ip.size || peer || !fl_perf_is_place(text, &place))) {
		if (peer)
			fl_perf_compat_parts(naming, text, &frame);
		if (!frames_of(lines, naming, &frame, line))
			fl_no_memory(naming->flame);
		else if (!is_by_address(naming, &frame))
			*cached = fl_perf_cache_add(&lines->cache, whole,
						    &frame, line);
		/* Where others have a module, it may be inlined: its place says. */
		if (frame.inlined || !frame.dso.size)
			remember_inlined_ip(naming, frame.ip);
		return true;
	}
	if (!fl_perf_is_place(text, &place))
		return false;
	line->source_file = flame_name(naming->flame, place.file.data,
				       place.file.size);
	line->source_line = place.line;
	line->inlined = place.inlined;
	return true;
}

static void forget(struct fl_perf_lines *lines)
{
	fl_arena_free(&lines->arena);
	fl_index_free(&lines->index);
	lines->n = 0;
	lines->loose = 0;
	/*
	 * Functions refer to frames as well as lines do; without functions all
	 * frames can go.
	 */
	if (!lines->nfunctions)
		lines->frames.n = 0;
}

/* Whether the line was met before, as far as is remembered. */
static bool was_met(struct fl_perf_lines *lines, uint64_t hash)
{
	uint32_t *place;

	if (!lines->met)
		lines->met = fl_zeroed(MET, sizeof(*lines->met));
	if (!lines->met)
		return false;
	place = &lines->met[hash % MET];
	if (*place == (uint32_t)(hash >> 32))
		return true;
	*place = (uint32_t)(hash >> 32);
	return false;
}

static uint32_t keep(struct fl_perf_lines *lines, struct slice text,
		     uint64_t hash, const struct fl_perf_line *line)
{
	if (!lines->n)
		lines->n = 1;
	if (!fl_grow(&lines->at, &lines->capacity, lines->n + 1,
		     sizeof(*lines->at)))
		return 0;
	if (lines->n == 1)
		memset(&lines->at[0], 0, sizeof(lines->at[0]));
	lines->at[lines->n] = *line;
	lines->at[lines->n].text =
		fl_arena_copy(&lines->arena, text.data, text.size);
	if (!lines->at[lines->n].text ||
	    !fl_index_add(&lines->index, hash, lines->n))
		return 0;
	return lines->n++;
}

bool fl_perf_lines_add(struct fl_perf_lines *lines,
		       struct fl_perf_naming *naming, struct slice text,
		       uint64_t hash, struct fl_perf_line *line,
		       uint32_t *id)
{
	size_t before, functions;
	bool cached;

	memset(line, 0, sizeof(*line));
	*id = 0;
	if (text.size >= UINT32_MAX)
		return false;
	if (lines->arena.total > FULL)
		forget(lines);
	if (lines->loose)
		lines->frames.n = lines->loose - 1;
	lines->loose = 0;
	before = lines->frames.n;
	functions = lines->nfunctions;
	if (!understand(lines, naming, text, line, &cached))
		return false;
	line->size = text.size;
	if (!cached && !naming->inlines && was_met(lines, hash))
		*id = keep(lines, text, hash, line);
	if (!*id && lines->nfunctions == functions &&
	    lines->frames.n > before)
		lines->loose = before + 1;
	return !fl_failed(naming->flame);
}

void fl_perf_lines_free(struct fl_perf_lines *lines)
{
	fl_arena_free(&lines->arena);
	fl_index_free(&lines->index);
	fl_arena_free(&lines->texts);
	fl_index_free(&lines->by_name);
	fl_perf_cache_free(&lines->cache);
	fl_free(lines->at);
	fl_free(lines->met);
	fl_free(lines->functions);
	fl_free(lines->frames.at);
	memset(lines, 0, sizeof(*lines));
}
