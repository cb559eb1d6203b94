/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads zip, whose entries are unpacked as a stream, in two ways.  As a
 * container it returns an input for each of several files; as a decoder (a row
 * of io/decoders.c) it returns the bytes of the first file alone, and counts
 * the others in the directory at the end, for a warning.
 */
#include "fl.h"

#include "container/containers.h"
#include "io/decoders.h"
#include "io/input.h"
#include "io/read_ahead.h"

#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

enum {
	LOCAL = 0x04034b50, DESCRIPTOR = 0x08074b50, CENTRAL = 0x02014b50,
	END = 0x06054b50, END64 = 0x06064b50, LOCATOR64 = 0x07064b50,
	LOCAL_SIZE = 30, CENTRAL_SIZE = 46, END_SIZE = 22, END64_SIZE = 56,
	LOCATOR64_SIZE = 20, COMMENT_MAX = 65535
};

/* Flags and methods of an entry; ZIP64 is an extra field. */
enum {
	ENCRYPTED = 1, DESCRIBED = 8, STORED = 0, DEFLATED = 8, ZIP64 = 1
};

struct zip {
	z_stream z;
	enum { HEADER, BODY, OVER } at;
	unsigned flags, method, directories;
	bool directory;		/* the entry being read */
	bool many;		/* all entries are read, by next */
	struct fl_buf name;	/* of the entry; if many */
	uint64_t body_end;	/* offset after its body; 0: not known */
	uint64_t left;		/* of a stored body */
	uint32_t crc, crc_wanted;
	char text[128];
};

static unsigned bid(const uint8_t *head, size_t n)
{
	return n >= LOCAL_SIZE && fl_le32(head) == LOCAL ? 32 : 0;
}

static bool bad(struct zip *zip, const char **damage, const char *text)
{
	snprintf(zip->text, sizeof(zip->text), "the zip %s", text);
	*damage = zip->text;
	zip->at = OVER;
	return false;
}

static uint64_t le64(const uint8_t *at)
{
	return fl_le32(at) | (uint64_t)fl_le32(at + 4) << 32;
}

/* The size of the body; large files have it in an extra field. */
static uint64_t body_size(const uint8_t *head, const uint8_t *extra)
{
	uint64_t size = fl_le32(head + 18);
	unsigned left = fl_le16(head + 28), n;

	if (size != UINT32_MAX)
		return size;
	for (; left >= 4; left -= 4 + n, extra += 4 + n) {
		n = fl_le16(extra + 2);
		if (n > left - 4)
			break;
		if (fl_le16(extra) == ZIP64 && n >= 16)
			return le64(extra + 4 + 8);
	}
	return size;
}

static bool check_entry(struct zip *zip, const char **damage)
{
	if (zip->flags & ENCRYPTED)
		return bad(zip, damage, "entry is encrypted");
	if (zip->method != STORED && zip->method != DEFLATED)
		return bad(zip, damage, "entry is neither stored nor "
			   "deflated");
	if (zip->method == STORED && zip->flags & DESCRIBED && !zip->left)
		return bad(zip, damage, "entry does not have its size");
	return true;
}

/* The size of a record of the directory; 0: it is not one. */
static size_t record_size(const uint8_t *at, size_t n)
{
	uint32_t magic = n >= 4 ? fl_le32(at) : 0;

	if (magic == CENTRAL && n >= CENTRAL_SIZE)
		return (size_t)CENTRAL_SIZE + fl_le16(at + 28) +
		       fl_le16(at + 30) + fl_le16(at + 32);
	if (magic == END64)
		return END64_SIZE;
	if (magic == LOCATOR64)
		return LOCATOR64_SIZE;
	if (magic == END && n >= END_SIZE)
		return (size_t)END_SIZE + fl_le16(at + 20);
	return 0;
}

/*
 * A local header.  The name of a directory ends with '/' and it has no body,
 * but Java writes an empty deflated one.
 */
static bool read_header(struct zip *zip, struct fl_in *under,
			const char **damage)
{
	const uint8_t *head;
	size_t size, name, n;

	zip->body_end = 0;
	head = fl_in_peek(under, LOCAL_SIZE, &n);
	if (zip->many && n >= 4 && record_size(head, n)) {
		zip->at = OVER;
		return false;
	}
	if (n < LOCAL_SIZE || fl_le32(head) != LOCAL)
		return bad(zip, damage, zip->directories && n >= 4 ?
			   "holds no file" : "data end early");
	name = fl_le16(head + 26);
	size = LOCAL_SIZE + name + fl_le16(head + 28);
	head = fl_in_peek(under, size, &n);
	if (n < size)
		return bad(zip, damage, "data end early");
	zip->flags = fl_le16(head + 6);
	zip->method = fl_le16(head + 8);
	zip->crc_wanted = fl_le32(head + 14);
	zip->left = body_size(head, head + LOCAL_SIZE + name);
	zip->directory = name && head[LOCAL_SIZE + name - 1] == '/';
	zip->name.size = 0;
	if (zip->many)
		fl_buf_put(&zip->name, (const char *)head + LOCAL_SIZE, name);
	fl_in_consume(under, size);
	zip->body_end = zip->flags & DESCRIBED ? 0 :
			  fl_in_offset(under) + zip->left;
	zip->directories += zip->directory;
	if (zip->directory && zip->method == STORED && !zip->left)
		return true;
	zip->at = BODY;
	zip->crc = 0;
	inflateReset(&zip->z);
	return check_entry(zip, damage);
}

/* The number of entries in the archive's end record; 0: there is none. */
static unsigned count_entries(struct fl_in *under)
{
	const uint8_t *at;
	size_t n, i, window = END_SIZE + COMMENT_MAX;

	while (at = fl_in_peek(under, window + 1, &n), n > window)
		fl_in_consume(under, n - window);
	for (i = n; i-- > 0;)
		if (n - i >= END_SIZE && fl_le32(at + i) == END)
			return fl_le16(at + i + 10);
	return 0;
}

/* The checksum after the body, unless the header had it. */
static void read_descriptor(struct zip *zip, struct fl_in *under)
{
	const uint8_t *at;
	size_t n, marked, size;

	if (!(zip->flags & DESCRIBED))
		return;
	at = fl_in_peek(under, 28, &n);
	marked = n >= 4 && fl_le32(at) == DESCRIPTOR ? 4 : 0;
	if (n < marked + 12) {
		zip->crc_wanted = zip->crc;
		return;
	}
	zip->crc_wanted = fl_le32(at + marked);
	/* The sizes have 4 bytes, if a record follows right after; or 8. */
	size = marked + 20;
	if (n >= marked + 16 && at[marked + 12] == 'P' &&
	    at[marked + 13] == 'K')
		size = marked + 12;
	fl_in_consume(under, FL_MIN(size, n));
}

/* Warns of entries that are left out. */
static void warn_of_others(struct zip *zip, struct fl_in *under)
{
	struct flame *flame = fl_in_flame(under);
	unsigned entries, known = zip->directories + 1;
	const uint8_t *at;
	size_t n;

	at = fl_in_peek(under, 4, &n);
	if (n < 4 || fl_le32(at) != LOCAL)
		return;
	entries = count_entries(under);
	if (entries > known)
		fl_warn(flame, "%s: the first file in the zip was read, "
			"%u more left out", fl_in_name(under),
			entries - known);
	else
		fl_warn(flame, "%s: the first file in the zip was read, "
			"others left out", fl_in_name(under));
}

/* Skips the directory after the entry, or other entries. */
static void skip_directory(struct fl_in *under)
{
	const uint8_t *at;
	size_t n, size;
	bool last = false;

	do {
		at = fl_in_peek(under, CENTRAL_SIZE, &n);
		size = record_size(at, n);
		last = size && fl_le32(at) == END;
		if (size)
			fl_in_peek(under, size, &n);
		fl_in_consume(under, FL_MIN(size, n));
	} while (size && !last);
	while (!last && (fl_in_peek(under, 1, &n), n))
		fl_in_consume(under, n);
}

static void end_entry(struct zip *zip, struct fl_in *under,
		      const char **damage)
{
	read_descriptor(zip, under);
	zip->at = zip->directory || zip->many ? HEADER : OVER;
	if (zip->crc != zip->crc_wanted) {
		bad(zip, damage, "entry's checksum differs");
		/* The next entry may be whole. */
		zip->at = zip->many ? HEADER : zip->at;
	} else if (!zip->directory && !zip->many) {
		warn_of_others(zip, under);
	}
	if (zip->at == OVER && !zip->many)
		skip_directory(under);
}

static size_t read_stored(struct zip *zip, struct fl_in *under, uint8_t *out,
			  size_t capacity, const char **damage)
{
	const uint8_t *at;
	size_t n;

	at = fl_in_peek(under, zip->left != 0, &n);
	if (!n && zip->left)
		bad(zip, damage, "data end early");
	n = FL_MIN(FL_MIN(n, capacity), zip->left);
	if (n)
		memcpy(out, at, n);
	fl_in_consume(under, n);
	zip->left -= n;
	return n;
}

static size_t read_deflated(struct zip *zip, struct fl_in *under,
			    uint8_t *out, size_t capacity, const char **damage)
{
	z_stream *z = &zip->z;
	const uint8_t *at;
	size_t n, nin;
	int code;

	at = fl_in_peek(under, 1, &n);
	nin = FL_MIN(n, 1u << 30);
	capacity = FL_MIN(capacity, 1u << 30);
	z->next_in = (Bytef *)at;
	z->avail_in = (uInt)nin;
	z->next_out = out;
	z->avail_out = (uInt)capacity;
	code = inflate(z, Z_NO_FLUSH);
	fl_in_consume(under, nin - z->avail_in);
	zip->left = code != Z_STREAM_END;
	if (code == Z_MEM_ERROR)
		fl_no_memory(fl_in_flame(under));
	if (code == Z_BUF_ERROR && !n)
		bad(zip, damage, "data end early");
	else if (code != Z_OK && code != Z_BUF_ERROR && code != Z_STREAM_END)
		bad(zip, damage, "data are corrupt");
	return capacity - z->avail_out;
}

static size_t read_body(struct zip *zip, struct fl_in *under, uint8_t *out,
			size_t capacity, const char **damage)
{
	size_t n = zip->method == STORED ?
		   read_stored(zip, under, out, capacity, damage) :
		   read_deflated(zip, under, out, capacity, damage);

	zip->crc = (uint32_t)crc32_z(zip->crc, out, n);
	if (zip->at == BODY && !zip->left)
		end_entry(zip, under, damage);
	return n;
}

static size_t read_zip(void *state, struct fl_in *under, uint8_t *out,
		       size_t capacity, const char **damage)
{
	struct zip *zip = state;
	size_t n = 0;

	while (zip->at != OVER && n == 0) {
		if (zip->at == HEADER)
			read_header(zip, under, damage);
		else
			n = read_body(zip, under, out, capacity, damage);
	}
	return n;
}

static void *begin(struct flame *flame, struct fl_in *under)
{
	struct zip *zip = fl_zeroed(1, sizeof(*zip));

	(void)under;
	if (!zip || inflateInit2(&zip->z, -15) != Z_OK) {
		fl_free(zip);
		fl_no_memory(flame);
		return NULL;
	}
	return zip;
}

static void end(void *state)
{
	struct zip *zip = state;

	inflateEnd(&zip->z);
	fl_buf_free(&zip->name);
	fl_free(zip);
}

const struct fl_decoder fl_decoder_zip = {
	.name = "zip", .bid = bid, .begin = begin, .read = read_zip,
	.end = end,
};

/* Archives --------------------------------------------------------------- */

struct archive {
	struct zip *zip;
	struct fl_in *in;
	const char *folder;
	struct fl_buf path;
	const char *damage;
	bool reported;		/* the damage, by the member */
	/* Why the member cannot be read, and others can; NULL: it can. */
	const char *refused;
};

static bool is_file(struct slice name)
{
	return name.size && name.data[name.size - 1] != '/' &&
	       !fl_is_of_macos(name);
}

/* Whether the directory has several, folders not counted; or is not there. */
static bool has_files(const uint8_t *at, size_t size)
{
	size_t i = size > END_SIZE ? size - END_SIZE : 0, files = 0;
	size_t min = i > COMMENT_MAX ? i - COMMENT_MAX : 0, n, name;

	while (i > min && fl_le32(at + i) != END)
		i--;
	if (fl_le32(at + i) != END)
		return true;
	n = fl_le32(at + i + 16);
	/* Of zip64, the place is elsewhere. */
	if (n == UINT32_MAX)
		return true;
	for (i = n; i < size && files < 2; i += n) {
		n = record_size(at + i, size - i);
		if (!n || n > size - i || fl_le32(at + i) != CENTRAL)
			break;
		name = fl_le16(at + i + 28);
		files += !name || at[i + CENTRAL_SIZE + name - 1] != '/';
	}
	return files > 1;
}

/*
 * By the directory at a file's end, or, where the end cannot be seen, by the first
 * header.  A zip of one file is a packed file.
 */
static bool accept(struct fl_in *in)
{
	const uint8_t *at;
	size_t n;

	at = fl_in_peek(in, LOCAL_SIZE, &n);
	if (!bid(at, n))
		return false;
	fl_in_map(in);
	at = fl_in_all(in, &n);
	if (at && (n < END_SIZE || !has_files(at, n)))
		return false;
	fl_layer_stop_watching(in);
	return true;
}

static void *open_archive(struct fl_in *in, const char *folder)
{
	struct archive *archive = fl_zeroed(1, sizeof(*archive));

	if (!archive)
		return NULL;
	archive->in = in;
	archive->folder = folder;
	archive->zip = begin(fl_in_flame(in), in);
	if (!archive->zip) {
		fl_free(archive);
		return NULL;
	}
	archive->zip->many = true;
	return archive;
}

static bool put_path(struct archive *zip)
{
	struct slice name = fl_buf_slice(&zip->zip->name);

	zip->path.size = 0;
	if (zip->folder) {
		fl_buf_text(&zip->path, zip->folder);
		if (!fl_slice_starts(name, "/"))
			fl_buf_byte(&zip->path, '/');
	}
	fl_buf_put(&zip->path, name.data, name.size);
	fl_buf_byte(&zip->path, '\0');
	return !zip->path.failed && !zip->zip->name.failed;
}

/* Goes on after a damaged entry whose header has its size. */
static bool pass_damage(struct archive *zip)
{
	uint64_t body_end = zip->zip->body_end, at;
	size_t n;

	while (at = fl_in_offset(zip->in), at < body_end) {
		fl_in_peek(zip->in, 1, &n);
		if (!n)
			return false;
		fl_in_consume(zip->in, (size_t)FL_MIN(n, body_end - at));
	}
	zip->zip->at = HEADER;
	return at == body_end;
}

/* Skips what is left of an entry; false: the end, or damage. */
static bool skip_entry(struct archive *zip)
{
	const char *damage = zip->refused;
	uint8_t rest[4096];

	zip->refused = NULL;
	while (zip->zip->at == BODY)
		read_body(zip->zip, zip->in, rest, sizeof(rest), &damage);
	if (damage && zip->zip->at == OVER && !pass_damage(zip))
		zip->damage = damage;
	return !zip->damage;
}

/* The next header; of an entry that is refused, too, if its end is known. */
static bool find_entry(struct archive *zip)
{
	if (zip->damage || !skip_entry(zip))
		return false;
	if (read_header(zip->zip, zip->in, &zip->damage))
		return true;
	if (!zip->zip->body_end)
		return false;
	zip->refused = zip->damage;
	zip->damage = NULL;
	return true;
}

static struct fl_in *next_member(void *state)
{
	struct archive *zip = state;

	do {
		if (!find_entry(zip))
			return NULL;
	} while (!is_file(fl_buf_slice(&zip->zip->name)));
	if (!put_path(zip)) {
		fl_no_memory(fl_in_flame(zip->in));
		return NULL;
	}
	return fl_in_of_member(zip->in, zip->path.data, &fl_container_zip,
			       zip);
}

static size_t read_member(void *state, uint8_t *to, size_t capacity,
			  const char **damage)
{
	struct archive *zip = state;
	size_t n = 0;

	if (zip->refused)
		*damage = zip->refused;
	zip->refused = NULL;
	while (zip->zip->at == BODY && !n && !*damage)
		n = read_body(zip->zip, zip->in, to, capacity, damage);
	if (*damage && zip->zip->at == OVER && !pass_damage(zip)) {
		zip->damage = *damage;
		zip->reported = true;
	}
	return n;
}

static const char *damage_of(const void *state)
{
	const struct archive *zip = state;

	return zip->reported ? NULL : zip->damage;
}

static const char *path_of(const void *state)
{
	const struct archive *zip = state;

	return zip->path.data;
}

static void close_archive(void *state)
{
	struct archive *zip = state;

	end(zip->zip);
	fl_buf_free(&zip->path);
	fl_free(zip);
}

const struct fl_container fl_container_zip = {
	.name = "zip", .packs = true, .accept = accept,
	.open = open_archive, .next = next_member, .path = path_of,
	.damage = damage_of, .read = read_member, .close = close_archive,
};
