/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The container tar: returns the files of a tar archive one after the other,
 * each as an input.  It reads ustar, with the long names and sizes of pax and
 * of GNU.  Members are read sequentially, so pipes work.  Blocks of zeros end
 * an archive; what follows is another one, as after cat.
 */
#include "fl.h"

#include "container/containers.h"
#include "io/input.h"

#include <inttypes.h>
#include <stdio.h>

enum {
	BLOCK = 512,
	MAX_EXTENDED = 1 << 20,	/* bytes of a pax header or a long name */
	NAME = 0, NAME_SIZE = 100, SIZE = 124, NUMBER_SIZE = 12,
	CHECKSUM = 148, CHECKSUM_SIZE = 8, TYPE = 156, MAGIC = 257,
	PREFIX = 345, PREFIX_SIZE = 155,
	GNU_EXTENDED = 482, SPARSE_EXTENDED = 504
};

struct tar {
	struct fl_in *in;
	const char *folder;	/* the archive's name; NULL: it has none */
	struct fl_buf name;	/* of the next member; empty: its header's */
	struct fl_buf path;	/* the same, with the archive's name */
	uint64_t size;		/* of the next member, by pax */
	bool sized, sparse;	/* given by pax */
	uint64_t body_left;	/* bytes of the current member */
	unsigned padding;	/* bytes that follow it */
	size_t skipped;
	const char *damage;
	bool reported;		/* the damage, by the member */
	char text[128];
};

/* Headers --------------------------------------------------------------- */

/* Octal digits, or with the top bit set a number of base 256. */
static bool read_number(const uint8_t *at, size_t n, uint64_t *value)
{
	size_t i = 0, digits = 0;

	*value = 0;
	if (at[0] & 0x80) {
		for (*value = at[0] & 0x7f, i = 1; i < n; i++) {
			if (*value >> 55)
				return false;
			*value = *value << 8 | at[i];
		}
		return true;
	}
	while (i < n && at[i] == ' ')
		i++;
	for (; i < n && at[i] >= '0' && at[i] < '8'; i++, digits++)
		*value = *value << 3 | (at[i] - '0');
	return digits && (i == n || !at[i] || at[i] == ' ');
}

/* The sum of all bytes, those of the sum itself as blanks. */
static bool has_checksum(const uint8_t *head)
{
	uint64_t wanted;
	uint32_t sum = 0, odd = 0;

	if (!read_number(head + CHECKSUM, CHECKSUM_SIZE, &wanted))
		return false;
	for (size_t i = 0; i < BLOCK; i++) {
		bool own = i >= CHECKSUM && i < CHECKSUM + CHECKSUM_SIZE;

		sum += own ? ' ' : head[i];
		/* Old programs added up signed bytes. */
		odd += !own && head[i] >= 0x80;
	}
	return wanted == sum || wanted + 256u * odd == sum;
}

/* A header of ustar, pax or GNU, whose volume labels ('V') have no magic. */
static bool is_header(const uint8_t *at, size_t n)
{
	return n >= BLOCK && (memcmp(at + MAGIC, "ustar", 5) == 0 ||
			      at[TYPE] == 'V') && has_checksum(at);
}

static bool accept(struct fl_in *in)
{
	size_t n;
	const uint8_t *head = fl_in_peek(in, BLOCK, &n);

	if (!is_header(head, n))
		return false;
	fl_layer_stop_watching(in);
	return true;
}

static bool is_zero(const uint8_t *head)
{
	return !head[0] && memcmp(head, head + 1, BLOCK - 1) == 0;
}

static bool bad(struct tar *tar, const char *what)
{
	snprintf(tar->text, sizeof(tar->text), "the archive %s %" PRIu64,
		 what, fl_in_offset(tar->in));
	tar->damage = tar->text;
	return false;
}

/* Damage of the packed archive itself is reported instead. */
static bool ends_early(struct tar *tar)
{
	if (fl_in_damage(tar->in)) {
		tar->damage = fl_in_damage(tar->in);
		return false;
	}
	return bad(tar, "ends early, at byte");
}

/* Sets the size of what follows the header. */
static void begin_body(struct tar *tar, uint64_t size)
{
	tar->body_left = size;
	tar->padding = (unsigned)(-size % BLOCK);
}

/* Missing padding at the very end is not damage. */
static bool skip_body(struct tar *tar)
{
	size_t n;

	for (; tar->body_left; tar->body_left -= n) {
		fl_in_peek(tar->in, 1, &n);
		if (!n)
			return ends_early(tar);
		n = (size_t)FL_MIN(tar->body_left, (uint64_t)n);
		fl_in_consume(tar->in, n);
	}
	fl_in_peek(tar->in, tar->padding, &n);
	fl_in_consume(tar->in, FL_MIN(n, (size_t)tar->padding));
	tar->padding = 0;
	return true;
}

/* The next header; false: the end, or damage. */
static bool peek_header(struct tar *tar, const uint8_t **head)
{
	size_t n;

	while (*head = fl_in_peek(tar->in, BLOCK, &n), n >= BLOCK) {
		if (!is_zero(*head))
			return has_checksum(*head) ||
			       bad(tar, "has no header at byte");
		fl_in_consume(tar->in, BLOCK);
	}
	if (n || fl_in_damage(tar->in))
		ends_early(tar);
	return false;
}

/* Long names ------------------------------------------------------------ */

/* All of the body; NULL: damage, or it is too long. */
static const char *peek_body(struct tar *tar, size_t *size)
{
	const uint8_t *at;
	size_t n;

	if (tar->body_left > MAX_EXTENDED) {
		bad(tar, "has too long a name at byte");
		return NULL;
	}
	*size = (size_t)tar->body_left;
	at = fl_in_peek(tar->in, *size, &n);
	if (n < *size || !n) {
		ends_early(tar);
		return NULL;
	}
	return (const char *)at;
}

static void set_name(struct tar *tar, const char *at, size_t size)
{
	tar->name.size = 0;
	fl_buf_put(&tar->name, at, strnlen(at, size));
}

static void read_pax_record(struct tar *tar, struct slice key,
			    struct slice value)
{
	int64_t size;

	if (fl_slice_is(key, "path")) {
		set_name(tar, value.data, value.size);
	} else if (fl_slice_is(key, "size")) {
		tar->sized = fl_parse_digits(value, &size) && size >= 0;
		tar->size = tar->sized ? (uint64_t)size : 0;
	} else if (fl_slice_starts(key, "GNU.sparse.")) {
		tar->sparse = true;
	}
}

/* Records "LENGTH KEY=VALUE\n", whose length counts all; others are skipped. */
static void read_pax(struct tar *tar, const char *at, size_t size)
{
	const char *end = at + size, *key, *value;
	int64_t length;

	while (at < end) {
		key = memchr(at, ' ', (size_t)(end - at));
		if (!key || !fl_parse_digits((struct slice){ at,
				(size_t)(key - at) }, &length) ||
		    length <= key + 1 - at || length > end - at)
			return;
		key++;
		at += length;
		value = memchr(key, '=', (size_t)(at - key));
		if (value && value + 1 < at && at[-1] == '\n')
			read_pax_record(tar, (struct slice){ key,
					(size_t)(value - key) },
				(struct slice){ value + 1,
					(size_t)(at - value) - 2 });
	}
}

static bool read_extended(struct tar *tar, char type)
{
	size_t size;
	const char *at;

	if (type == 'K' || type == 'g')
		return skip_body(tar);
	at = peek_body(tar, &size);
	if (!at)
		return false;
	if (type == 'L')
		set_name(tar, at, size);
	else
		read_pax(tar, at, size);
	return skip_body(tar);
}

/* Members --------------------------------------------------------------- */

/* Reads the name in the header, unless an extended header has a longer one. */
static void read_name(struct tar *tar, const uint8_t *head)
{
	const char *text = (const char *)head;

	if (tar->name.size)
		return;
	/* GNU has other things in the place of the prefix. */
	if (memcmp(head + MAGIC, "ustar", 6) == 0 && head[PREFIX]) {
		set_name(tar, text + PREFIX, PREFIX_SIZE);
		fl_buf_byte(&tar->name, '/');
		fl_buf_put(&tar->name, text, strnlen(text, NAME_SIZE));
	} else {
		set_name(tar, text, NAME_SIZE);
	}
}

/* Blocks with more of the map of an old sparse file. */
static void skip_sparse_map(struct tar *tar, bool more)
{
	const uint8_t *at;
	size_t n;

	while (more && (at = fl_in_peek(tar->in, BLOCK, &n), n >= BLOCK)) {
		more = at[SPARSE_EXTENDED];
		fl_in_consume(tar->in, BLOCK);
	}
}

/* Whether the member is a file; others are skipped. */
static bool is_file(struct tar *tar, char type)
{
	const struct fl_buf *name = &tar->name;
	bool folder = name->size && name->data[name->size - 1] == '/';

	if (name->size && fl_is_of_macos(fl_buf_slice(name)))
		return false;
	if (type == '0' || type == '\0' || type == '7') {
		tar->skipped += !folder && tar->sparse;
		return !folder && !tar->sparse;
	}
	tar->skipped += type != '5' && type != 'D' && type != 'V';
	return false;
}

/*
 * A link has no body, whatever its size field says; but one of pax -o linkdata
 * has, so that no header follows.
 */
static bool has_body(struct tar *tar, char type)
{
	const uint8_t *next;
	size_t n;

	if (type != '1')
		return type == '0' || type == '\0' || type > '6';
	next = fl_in_peek(tar->in, BLOCK, &n);
	return n >= BLOCK && !is_zero(next) && !has_checksum(next);
}

/* Of extended headers, which apply to the member that follows; K, g: unused. */
static bool is_extended(char type)
{
	return type && strchr("xLKg", type);
}

/* Reads headers up to a file's; false: the end, or damage. */
static bool find_file(struct tar *tar)
{
	const uint8_t *head;
	uint64_t size;
	bool more;
	char type;

	while (peek_header(tar, &head)) {
		type = (char)head[TYPE];
		/* A volume label has an empty one. */
		if (!read_number(head + SIZE, NUMBER_SIZE, &size) && head[SIZE])
			return bad(tar, "has no size at byte");
		if (is_extended(type)) {
			fl_in_consume(tar->in, BLOCK);
			begin_body(tar, size);
			if (!read_extended(tar, type))
				return false;
			continue;
		}
		read_name(tar, head);
		more = type == 'S' && head[GNU_EXTENDED];
		fl_in_consume(tar->in, BLOCK);
		skip_sparse_map(tar, more);
		begin_body(tar, !has_body(tar, type) ? 0 :
				tar->sized ? tar->size : size);
		if (is_file(tar, type))
			return true;
		tar->sized = tar->sparse = false;
		tar->name.size = 0;
		if (!skip_body(tar))
			return false;
	}
	return false;
}

/* "ARCHIVE/MEMBER", without "./"; NULL: out of memory. */
static const char *make_path(struct tar *tar)
{
	struct slice name = fl_buf_slice(&tar->name);

	while (fl_slice_starts(name, "./")) {
		name.data += 2;
		name.size -= 2;
	}
	tar->path.size = 0;
	if (tar->folder) {
		fl_buf_text(&tar->path, tar->folder);
		if (!fl_slice_starts(name, "/"))
			fl_buf_byte(&tar->path, '/');
	}
	fl_buf_put(&tar->path, name.data, name.size);
	fl_buf_byte(&tar->path, '\0');
	tar->name.size = 0;
	return tar->name.failed || tar->path.failed ? NULL : tar->path.data;
}

static struct fl_in *next_member(void *state)
{
	struct tar *tar = state;
	const char *path;

	tar->name.size = 0;
	tar->sized = tar->sparse = false;
	if (tar->damage || !skip_body(tar) || !find_file(tar))
		return NULL;
	path = make_path(tar);
	if (!path) {
		fl_no_memory(tar->in->flame);
		return NULL;
	}
	return fl_in_of_member(tar->in, path, &fl_container_tar, tar);
}

static size_t read_member(void *state, uint8_t *to, size_t capacity,
			  const char **damage)
{
	struct tar *tar = state;
	const uint8_t *at;
	size_t n;

	if (!tar->body_left)
		return 0;
	at = fl_in_peek(tar->in, 1, &n);
	n = (size_t)FL_MIN((uint64_t)FL_MIN(n, capacity), tar->body_left);
	if (!n) {
		ends_early(tar);
		*damage = tar->damage;
		tar->reported = true;
		return 0;
	}
	memcpy(to, at, n);
	fl_in_consume(tar->in, n);
	tar->body_left -= n;
	return n;
}

static const char *damage_of(const void *state)
{
	const struct tar *tar = state;

	return tar->reported ? NULL : tar->damage;
}

static const char *path_of(const void *state)
{
	const struct tar *tar = state;

	return tar->path.data;
}

static size_t skipped_of(const void *state)
{
	const struct tar *tar = state;

	return tar->skipped;
}

static void *open_archive(struct fl_in *in, const char *folder)
{
	struct tar *tar = fl_zeroed(1, sizeof(*tar));

	if (tar) {
		tar->in = in;
		tar->folder = folder;
	}
	return tar;
}

static void close_archive(void *state)
{
	struct tar *tar = state;

	fl_buf_free(&tar->name);
	fl_buf_free(&tar->path);
	fl_free(tar);
}

const struct fl_container fl_container_tar = {
	.name = "tar", .accept = accept, .skipped = skipped_of,
	.open = open_archive, .next = next_member, .path = path_of,
	.damage = damage_of, .read = read_member, .close = close_archive,
};
