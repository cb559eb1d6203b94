/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Symbolizes raw addresses of pprof profiles that list /proc/PID/maps
 * (format/pprof).
 */
#include "fl.h"

#include "native/bare.h"

static bool parse_hex(struct slice s, uint64_t *n)
{
	*n = 0;
	for (size_t i = 0; i < s.size; i++) {
		unsigned char c = (unsigned char)s.data[i];

		if (!fl_is_hex((char)c) || *n >> 60)
			return false;
		*n = *n << 4 | (fl_is_digit((char)c) ? (uint64_t)(c - '0') :
				(uint64_t)((c | 32) - 'a' + 10));
	}
	return s.size;
}

static bool open_names(struct fl_bare *bare)
{
	if (!bare->names)
		bare->names = fl_names_new(bare->flame, bare->options);
	return bare->names;
}

/* The next word of the line; false: there is none. */
static bool next_word(struct slice *line, struct slice *word)
{
	while (line->size && fl_is_blank(*line->data)) {
		line->data++;
		line->size--;
	}
	*word = *line;
	while (line->size && !fl_is_blank(*line->data)) {
		line->data++;
		line->size--;
	}
	word->size -= line->size;
	return word->size;
}

bool fl_maps_line(struct slice line, struct fl_maps_line *map)
{
	struct slice word;
	const char *minus;

	memset(map, 0, sizeof(*map));
	minus = next_word(&line, &word) ? memchr(word.data, '-', word.size) :
					  NULL;
	if (!minus ||
	    !parse_hex((struct slice){ word.data, minus - word.data },
		       &map->start) ||
	    !parse_hex(fl_slice_from(word, minus + 1 - word.data), &map->end))
		return false;
	if (!next_word(&line, &word))
		return true;
	map->code = word.size > 2 && word.data[2] == 'x';
	if (!next_word(&line, &word) || !parse_hex(word, &map->offset) ||
	    !next_word(&line, &word) || !next_word(&line, &word))
		return true;
	for (size_t i = 0; i < word.size && fl_is_digit(word.data[i]); i++)
		map->inode = map->inode * 10 + (uint64_t)(word.data[i] - '0');
	/* The rest of the line: a path may have blanks in it. */
	if (next_word(&line, &word))
		map->path = (struct slice){ word.data, word.size + line.size };
	return true;
}

bool fl_bare_add(struct fl_bare *bare, const struct fl_maps_line *map,
		 struct slice build_id)
{
	struct fl_mapping mapping = { map->start, map->end, map->offset, NULL };
	uint8_t id[32];
	uint64_t byte;
	size_t size = 0;

	/* Each one is compared with the others. */
	if (!map->code || !map->path.size || bare->maps.count >= 65536)
		return true;
	if (!open_names(bare))
		return false;
	for (; 2 * size + 2 <= build_id.size && size < sizeof(id); size++) {
		if (!parse_hex((struct slice){ build_id.data + 2 * size, 2 },
			       &byte))
			break;
		id[size] = (uint8_t)byte;
	}
	/* Go's own ids are not hexadecimal digits. */
	if (2 * size != build_id.size)
		size = 0;
	mapping.module = fl_names_module(bare->names, 0, map->path, id, size);
	if (!mapping.module)
		return false;
	if (map->inode)
		fl_names_inode(mapping.module, map->inode);
	return fl_mappings_add(&bare->maps, &mapping) ||
	       fl_no_memory(bare->flame) == FLAME_OK;
}

size_t fl_symbolize(struct fl_bare *bare, uint64_t address,
		    const flame_id **frames)
{
	if (address >> 63 && bare->options->kallsyms)
		return open_names(bare) ?
		       fl_names_kernel(bare->names, address, frames) : 0;
	if (!bare->names || !fl_mappings_at(&bare->maps, address))
		return 0;
	return fl_names_named(bare->names, &bare->maps, address, frames);
}

void fl_bare_clear(struct fl_bare *bare)
{
	bare->maps.count = 0;
}

bool fl_bare_report(struct fl_bare *bare, const char *input)
{
	bool reported = bare->names && fl_names_report(bare->names, input);

	fl_bare_free(bare);
	return reported;
}

void fl_bare_free(struct fl_bare *bare)
{
	fl_names_free(bare->names);
	fl_mappings_free(&bare->maps);
	bare->names = NULL;
}
