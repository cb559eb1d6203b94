/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The container yarn: returns the files of the aggregated logs of YARN, each as
 * an input, of both formats.  TFile: data blocks, each packed by itself and
 * made of records; then blocks of meta data, their index, and its offset at the
 * end.  The record of a container has its files, one after the other.
 * IndexedFile: files, packed by themselves, and an index at the end
 * (yarn_index.c).  What is called "gz" is a stream of zlib.
 */
#include "fl.h"

#include "container/yarn.h"
#include "io/container.h"
#include "io/decoders.h"
#include "io/input.h"
#include "io/read_ahead.h"

#include <unistd.h>
#include <zlib.h>

enum {
	MAGIC_SIZE = 16, TAIL_SIZE = 28, UUID_SIZE = 32,
	MAX_BLOCK = 1 << 30	/* unpacked */
};

static const char magic[] =
	"\xd1\x11\xd3\x68\x91\xb5\xd7\xb6\x39\xdf\x41\x40\x92\xba\xe1\x50";

struct block {
	uint64_t offset, stored, size;
};

struct yarn {
	struct fl_in *in;
	const char *folder, *damage;
	struct slice all;	/* of the archive */
	struct fl_buf path, bytes;	/* bytes: of the member, or a block */
	bool packed, indexed;
	struct fl_yarn_index index;
	size_t next;		/* file of the index, or block */
	struct block *blocks;
	size_t nblocks, capacity;
	struct slice block;	/* records that are left */
	struct fl_buf value;	/* of the container's record */
	struct slice files;	/* of it, that are left */
	struct slice container;
};

/* Numbers ---------------------------------------------------------------- */

static bool bad(struct yarn *yarn, const char *what)
{
	yarn->damage = what;
	return false;
}

static struct slice cut_bytes(struct slice *from, uint64_t n)
{
	struct slice text = { from->data, (size_t)n };

	if (n > from->size)
		return (struct slice){ NULL, 0 };
	from->data += n;
	from->size -= (size_t)n;
	return text;
}

static uint64_t cut_number(struct slice *from, unsigned n)
{
	struct slice text = cut_bytes(from, n);
	uint64_t value = 0;

	for (size_t i = 0; i < text.size; i++)
		value = value << 8 | (uint8_t)text.data[i];
	return value;
}

/* Hadoop's Utils.readVLong. */
static int64_t cut_vint(struct slice *from)
{
	int first;

	if (!from->size)
		return 0;
	first = (int8_t)cut_number(from, 1);
	if (first >= -32)
		return first;
	switch ((first + 128) / 8) {
	case 11: case 10: case 9: case 8: case 7:
		return (int64_t)(first + 52) * 256 +
		       (int64_t)cut_number(from, 1);
	case 6: case 5: case 4: case 3:
		return (int64_t)(first + 88) * 65536 +
		       (int64_t)cut_number(from, 2);
	case 2: case 1:
		return (int64_t)(first + 112) * (1 << 24) +
		       (int64_t)cut_number(from, 3);
	default:
		/* Up to 8 bytes; those of sizes are positive. */
		return (int64_t)cut_number(from, (unsigned)(first + 129));
	}
}

/* A text with its length before it. */
static struct slice cut_text(struct slice *from)
{
	int64_t n = cut_vint(from);

	return n < 0 ? (struct slice){ NULL, 0 } : cut_bytes(from, (uint64_t)n);
}

static struct slice cut_utf(struct slice *from)
{
	return cut_bytes(from, cut_number(from, 2));
}

/* Blocks ------------------------------------------------------------------ */

/* The bytes of a part of the file, which may be packed. */
static bool unpack(struct yarn *yarn, bool packed, struct block part,
		   struct slice *bytes)
{
	struct slice all = yarn->all;
	uLongf size = (uLongf)part.size;
	char *to;

	if (part.offset > all.size || part.stored > all.size - part.offset ||
	    part.size > MAX_BLOCK)
		return bad(yarn, "a block is outside of the file");
	all.data += part.offset;
	*bytes = (struct slice){ all.data, (size_t)part.stored };
	if (!packed)
		return true;
	yarn->bytes.size = 0;
	to = fl_buf_reserve(&yarn->bytes, (size_t)part.size + 1);
	if (!to)
		return fl_no_memory(fl_in_flame(yarn->in)) == FLAME_OK;
	if (uncompress((Bytef *)to, &size, (const Bytef *)all.data,
		       (uLong)part.stored) != Z_OK || size != part.size)
		return bad(yarn, "a packed block is corrupt");
	*bytes = (struct slice){ to, (size_t)size };
	return true;
}

static bool is_packed(struct slice name)
{
	return fl_slice_is(name, "gz");
}

static bool read_blocks(struct yarn *yarn, struct slice index)
{
	struct slice compression = cut_text(&index);
	int64_t n = cut_vint(&index);

	yarn->packed = is_packed(compression);
	if (!yarn->packed && !fl_slice_is(compression, "none"))
		return bad(yarn, "its blocks are packed by neither gz nor none");
	for (; n > 0 && index.size; n--) {
		struct block block;

		block.offset = (uint64_t)cut_vint(&index);
		block.stored = (uint64_t)cut_vint(&index);
		block.size = (uint64_t)cut_vint(&index);
		if (!fl_grow(&yarn->blocks, &yarn->capacity,
			     yarn->nblocks + 1, sizeof(block)))
			return fl_no_memory(fl_in_flame(yarn->in)) ==
			       FLAME_OK;
		yarn->blocks[yarn->nblocks++] = block;
	}
	return true;
}

/* The index of blocks, by that of meta data at the end. */
static bool open_tfile(struct yarn *yarn)
{
	struct slice tail = yarn->all, metas = yarn->all, index;
	uint64_t offset;
	int64_t n;

	tail.data += tail.size - TAIL_SIZE;
	tail.size = TAIL_SIZE;
	offset = cut_number(&tail, 8);
	if (offset > yarn->all.size - TAIL_SIZE ||
	    memcmp(tail.data + 4, magic, MAGIC_SIZE) != 0)
		return bad(yarn, "ends early: it is cut");
	metas.data += offset;
	metas.size -= (size_t)offset;
	for (n = cut_vint(&metas); n > 0 && metas.size; n--) {
		struct slice name = cut_text(&metas);
		bool packed = is_packed(cut_text(&metas));
		struct block part;

		part.offset = (uint64_t)cut_vint(&metas);
		part.stored = (uint64_t)cut_vint(&metas);
		part.size = (uint64_t)cut_vint(&metas);
		if (fl_slice_is(name, "data:BCFile.index"))
			return unpack(yarn, packed, part, &index) &&
			       read_blocks(yarn, index);
	}
	return bad(yarn, "has no index of its blocks");
}

/* A record of the block: the value of a container's is stored. */
static bool read_record(struct yarn *yarn)
{
	struct slice key = cut_text(&yarn->block), name = cut_utf(&key);
	int64_t n;

	yarn->value.size = 0;
	do {
		struct slice part;

		n = cut_vint(&yarn->block);
		part = cut_bytes(&yarn->block, (uint64_t)(n < 0 ? -n : n));
		if (!part.data)
			return bad(yarn, "a record is cut");
		fl_buf_put(&yarn->value, part.data, part.size);
	} while (n < 0);
	if (yarn->value.failed)
		return fl_no_memory(fl_in_flame(yarn->in)) == FLAME_OK;
	yarn->container = name;
	yarn->files = fl_slice_starts(name, "container_") ?
		      fl_buf_slice(&yarn->value) : FL_SLICE("");
	return true;
}

/* The next file of a TFile; false: the end, or damage. */
static bool next_of_tfile(struct yarn *yarn, struct slice *name,
			  struct slice *bytes)
{
	int64_t size;

	while (!yarn->files.size) {
		if (yarn->block.size) {
			if (!read_record(yarn))
				return false;
		} else if (yarn->next == yarn->nblocks ||
			   !unpack(yarn, yarn->packed,
				   yarn->blocks[yarn->next++], &yarn->block)) {
			return false;
		}
	}
	*name = cut_utf(&yarn->files);
	if (!fl_parse_digits(cut_utf(&yarn->files), &size))
		return bad(yarn, "a file has no size");
	*bytes = cut_bytes(&yarn->files, (uint64_t)size);
	return bytes->data || bad(yarn, "a file is cut");
}

static bool open_indexed(struct yarn *yarn)
{
	struct slice all = yarn->all, at = all;
	uint64_t n;

	at.data += all.size - UUID_SIZE - 4;
	n = cut_number(&at, 4);
	if (n > all.size - 2 * UUID_SIZE - 4)
		return bad(yarn, "its index is outside of the file");
	if (!fl_yarn_read_index(&yarn->index, (struct slice){
			all.data + all.size - UUID_SIZE - 4 - n, (size_t)n }))
		return bad(yarn, "its index is damaged");
	yarn->packed = yarn->index.packed;
	return true;
}

static bool next_of_index(struct yarn *yarn, struct slice *name,
			  struct slice *bytes)
{
	const struct fl_yarn_file *file;

	if (yarn->next == yarn->index.count)
		return false;
	file = &yarn->index.files[yarn->next++];
	*name = file->name;
	yarn->container = file->container;
	*bytes = FL_SLICE("");
	return !file->size ||
	       unpack(yarn, yarn->packed, (struct block){
			file->start, file->stored, file->size }, bytes);
}

/* ------------------------------------------------------------------------- */

static bool is_tfile(struct slice all)
{
	return all.size >= MAGIC_SIZE &&
	       memcmp(all.data, magic, MAGIC_SIZE) == 0;
}

/* The same 32 bytes at both ends, and an object of Java before the last. */
static bool is_indexed(struct slice all)
{
	struct slice at = all;
	uint64_t n;

	if (all.size < 2 * UUID_SIZE + 8 ||
	    memcmp(all.data, all.data + all.size - UUID_SIZE, UUID_SIZE) != 0)
		return false;
	at.data += all.size - UUID_SIZE - 4;
	n = cut_number(&at, 4);
	return n >= 4 && n <= all.size - 2 * UUID_SIZE - 4 &&
	       memcmp(all.data + all.size - UUID_SIZE - 4 - n, "\xac\xed\0\5",
		      4) == 0;
}

/* All bytes, as the index is at the end. */
static struct slice all_of(struct fl_in *in)
{
	size_t n;
	const uint8_t *at;

	fl_in_map(in);
	at = fl_in_all(in, &n);
	if (!at)
		at = fl_in_peek(in, SIZE_MAX, &n);
	return (struct slice){ (const char *)at, at ? n : 0 };
}

/* The digest that begins an IndexedFile looks like nothing else. */
static bool is_digest(const uint8_t *head, size_t n)
{
	size_t high = 0;

	for (size_t i = 0; i < n && i < UUID_SIZE; i++)
		high += head[i] >= 0x80;
	return n >= UUID_SIZE && high >= 6;
}

static bool accept(struct fl_in *in)
{
	uint8_t end[UUID_SIZE];
	const uint8_t *head;
	size_t n;

	head = fl_in_peek(in, UUID_SIZE, &n);
	if (is_tfile((struct slice){ (const char *)head, n }))
		return true;
	if (!is_digest(head, n))
		return false;
	if (in->sized && in->fd >= 0)
		return in->size > UUID_SIZE &&
		       pread(in->fd, end, UUID_SIZE, in->start +
			     (off_t)(in->size - UUID_SIZE)) == UUID_SIZE &&
		       memcmp(head, end, UUID_SIZE) == 0;
	/* The end of others has to be waited for. */
	return in->transfer && !fl_decoder_of(head, n, 1) &&
	       is_indexed(all_of(in));
}

static void *open_archive(struct fl_in *in, const char *folder)
{
	struct yarn *yarn = fl_zeroed(1, sizeof(*yarn));

	if (!yarn)
		return NULL;
	yarn->in = in;
	yarn->folder = folder;
	yarn->all = all_of(in);
	yarn->files = yarn->block = FL_SLICE("");
	yarn->indexed = is_indexed(yarn->all);
	if (yarn->indexed)
		open_indexed(yarn);
	else if (is_tfile(yarn->all) && yarn->all.size >= TAIL_SIZE)
		open_tfile(yarn);
	else
		bad(yarn, "ends early: it is cut");
	return yarn;
}

static bool put_path(struct yarn *yarn, struct slice name)
{
	yarn->path.size = 0;
	if (yarn->folder)
		fl_buf_print(&yarn->path, "%s/", yarn->folder);
	fl_buf_put(&yarn->path, yarn->container.data, yarn->container.size);
	fl_buf_byte(&yarn->path, '/');
	fl_buf_put(&yarn->path, name.data, name.size);
	fl_buf_byte(&yarn->path, '\0');
	return !yarn->path.failed;
}

static struct fl_in *next_member(void *state)
{
	struct yarn *yarn = state;
	struct flame *flame = fl_in_flame(yarn->in);
	struct slice name, bytes;

	do {
		if (yarn->damage ||
		    !(yarn->indexed ? next_of_index(yarn, &name, &bytes) :
				      next_of_tfile(yarn, &name, &bytes)))
			return NULL;
	} while (!bytes.size);
	if (!put_path(yarn, name)) {
		fl_no_memory(flame);
		return NULL;
	}
	return fl_in_memory(flame, bytes.data, bytes.size, yarn->path.data);
}

static const char *path_of(const void *state)
{
	const struct yarn *yarn = state;

	return yarn->path.data;
}

static const char *damage_of(const void *state)
{
	const struct yarn *yarn = state;

	return yarn->damage;
}

static void close_archive(void *state)
{
	struct yarn *yarn = state;

	fl_buf_free(&yarn->path);
	fl_buf_free(&yarn->bytes);
	fl_buf_free(&yarn->value);
	fl_free(yarn->blocks);
	fl_free(yarn->index.files);
	fl_free(yarn);
}

/* YARN's own files, and what the program printed. */
static bool is_output(const char *path)
{
	static const char *const names[] = {
		"stdout", "stderr", "syslog", "prelaunch.out", "prelaunch.err",
		"launch_container.sh", "directory.info",
		"container-localizer-syslog",
	};
	const char *slash = strrchr(path, '/');

	path = slash ? slash + 1 : path;
	for (size_t i = 0; i < FL_COUNT(names); i++)
		if (strcmp(path, names[i]) == 0)
			return true;
	return false;
}

/* Members are inputs in memory. */
const struct fl_container fl_container_yarn = {
	.name = "yarn", .packs = true, .accept = accept, .is_output = is_output,
	.open = open_archive, .next = next_member, .path = path_of,
	.damage = damage_of, .close = close_archive,
};
