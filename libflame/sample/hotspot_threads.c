/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fl_hotspot_thread_name() reads the name of a Java thread from the JVM's
 * memory, for threads.c.  The kernel has the first 15 bytes of most names.
 *
 * The tables of the JVM lead from a thread's number to its object in the heap,
 * but not to fields of Java classes.  The offsets of these are searched for
 * once, in the object of a thread that named itself: the first field that leads
 * to a byte array with a text that begins as the kernel's name does is
 * Thread.name, and the field on the way is String.value.  The headers of that
 * string and array show later whether an address still leads to such objects,
 * as the collector moves them.
 */
#include "fl.h"

#include "sample/hotspot.h"

enum {
	MAX_THREADS = 1 << 16,
	PAUSES = 20,		/* times the cost of a list of threads */
	MAX_NAME = 2048,	/* bytes; what is longer is cut */
	OBJECT_SIZE = 192,	/* bytes that are searched */
	STRING_SIZE = 40,
	COMM_SIZE = 15,		/* bytes that the kernel keeps */
	LEAST = 4		/* bytes of a name that is searched for */
};

/* Headers --------------------------------------------------------------- */

/* Bytes of a mark word, a class and a length, as arrays begin. */
static const uint8_t array_headers[] = { 12, 16, 20, 24 };

/* The class in a header, whose other bits change. */
static uint64_t class_of(const uint8_t *object, unsigned header)
{
	uint64_t word;

	if (header == 12) {		/* compact: in the mark word */
		memcpy(&word, object, 8);
		return word >> 42;
	}
	memcpy(&word, object + 8, 8);
	return header == 16 ? (uint32_t)word : word;
}

static uint32_t array_length(const uint8_t *array, unsigned header)
{
	uint32_t n;

	memcpy(&n, array + (header == 24 ? 16 : header - 4), sizeof(n));
	return n;
}

/* References --------------------------------------------------------------- */

static bool read_compression(struct fl_hotspot *h, uint64_t *base, int *shift)
{
	const struct fl_vm_layout *l = &h->layout;

	if (l->oops_base <= 0 || l->oops_shift <= 0)
		return false;
	*base = fl_vm_word(h, (uint64_t)l->oops_base);
	*shift = fl_vm_int(h, (uint64_t)l->oops_shift);
	return *shift >= 0 && *shift <= 8;
}

/*
 * A reference as ZGC with generations has it: the lowest 16 bits are flags, of
 * which one of the highest four says how far the address is shifted.
 */
static uint64_t uncolored(uint64_t colored)
{
	unsigned remapped = colored >> 12 & 15;

	return remapped ? colored >> (13 + __builtin_ctz(remapped)) : 0;
}

static uint64_t address_of(const struct fl_vm_names *n, uint64_t wide)
{
	return n->colored ? uncolored(wide) : wide;
}

static uint64_t reference(const struct fl_vm_names *n, const uint8_t *at)
{
	uint64_t wide;
	uint32_t narrow;

	if (!n->narrow) {
		memcpy(&wide, at, sizeof(wide));
		return address_of(n, wide);
	}
	memcpy(&narrow, at, sizeof(narrow));
	return narrow ? n->base + ((uint64_t)narrow << n->shift) : 0;
}

/* A field's reference; 0: none. */
static uint64_t follow(const struct fl_hotspot *h, uint64_t object,
		       unsigned offset)
{
	uint8_t word[8] = { 0 };

	if (!object || !fl_vm_read(h, object + offset, word,
				   h->names.narrow ? 4 : 8))
		return 0;
	return reference(&h->names, word);
}

/* The object that a field of a JavaThread refers to. */
static uint64_t object_of(const struct fl_hotspot *h, uint64_t thread,
			  int64_t offset)
{
	uint64_t object = offset < 0 ? 0 :
			  fl_vm_word(h, thread + (uint64_t)offset);

	/* Since 17 a handle, from outside of the heap. */
	if (object && h->release->handles)
		object = fl_vm_word(h, object);
	return address_of(&h->names, object);
}

/* The search ----------------------------------------------------------- */

/* The same ASCII, in bytes or characters of two. */
static bool has_text(const struct fl_hotspot *h, uint64_t at, struct slice text)
{
	unsigned width = h->names.wide ? 2 : 1;
	uint8_t bytes[2 * COMM_SIZE];

	if (!fl_vm_read(h, at, bytes, text.size * width))
		return false;
	for (size_t i = 0; i < text.size; i++)
		if (bytes[i * width] != (uint8_t)text.data[i] ||
		    (width == 2 && bytes[i * 2 + 1]))
			return false;
	return true;
}

/*
 * Since 26 the kernel's name is the first 7 and the last 6 bytes of a longer
 * one, with two dots between them: "Executo..ID 10)".
 */
static bool is_short_for(const struct fl_hotspot *h, uint64_t text, uint32_t n,
			 struct slice comm)
{
	enum { FIRST = 7, LAST = 6 };
	unsigned width = h->names.wide ? 2 : 1;

	return memcmp(comm.data + FIRST, "..", 2) == 0 &&
	       has_text(h, text, (struct slice){ comm.data, FIRST }) &&
	       has_text(h, text + (uint64_t)(n - LAST) * width,
			(struct slice){ comm.data + COMM_SIZE - LAST, LAST });
}

static bool is_text_of(const struct fl_hotspot *h, uint64_t array,
		       struct slice comm, unsigned *header)
{
	uint8_t bytes[24];

	if (!array || array & 3 || !fl_vm_read(h, array, bytes, sizeof(bytes)))
		return false;
	for (size_t i = 0; i < FL_COUNT(array_headers); i++) {
		unsigned size = array_headers[i];
		uint32_t n = array_length(bytes, size);

		*header = size;
		if (comm.size < COMM_SIZE ? n != comm.size :
		    n < COMM_SIZE || n >= 1 << 16)
			continue;
		if (has_text(h, array + size, comm) ||
		    (n > COMM_SIZE && is_short_for(h, array + size, n, comm)))
			return true;
	}
	return false;
}

/* Whether the object is a string of that text. */
static bool is_string_of(struct fl_hotspot *h, uint64_t string,
			 struct slice comm)
{
	struct fl_vm_names *n = &h->names;
	unsigned step = n->narrow ? 4 : 8, header;
	uint8_t object[STRING_SIZE], array[24];

	if (!string || string & 3 ||
	    !fl_vm_read(h, string, object, sizeof(object)))
		return false;
	for (unsigned i = 8; i + step <= sizeof(object); i += step) {
		uint64_t at = reference(n, object + i);

		if (!is_text_of(h, at, comm, &header) ||
		    !fl_vm_read(h, at, array, sizeof(array)))
			continue;
		n->value = i;
		n->header = header;
		n->array_class = class_of(array, header);
		n->string_class = class_of(object, header);
		return true;
	}
	return false;
}

/* Finds the fields where references are as names has it. */
static bool search_as(struct fl_hotspot *h, uint64_t object, struct slice comm)
{
	struct fl_vm_names *n = &h->names;
	uint8_t bytes[OBJECT_SIZE];
	unsigned step = n->narrow ? 4 : 8;

	if (!object || !fl_vm_read(h, object, bytes, sizeof(bytes)))
		return false;
	for (unsigned i = 8; i + step <= sizeof(bytes); i += step)
		if (is_string_of(h, reference(n, bytes + i), comm)) {
			n->name = i;
			return true;
		}
	return false;
}

static bool search(struct fl_hotspot *h, uint64_t object, struct slice comm)
{
	struct fl_vm_names *n = &h->names;

	n->wide = h->release->major < 9;
	n->narrow = read_compression(h, &n->base, &n->shift);
	if (n->narrow && search_as(h, object, comm))
		return true;
	n->narrow = false;
	if (search_as(h, object, comm))
		return true;
	n->colored = true;
	if (search_as(h, uncolored(object), comm))
		return true;
	n->colored = false;
	return false;
}

/* Names ------------------------------------------------------------------- */

static size_t put_utf8(char *to, uint32_t c)
{
	if (c < 0x80) {
		to[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		to[0] = (char)(0xc0 | c >> 6);
		to[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	to[0] = (char)(0xe0 | c >> 12);
	to[1] = (char)(0x80 | (c >> 6 & 0x3f));
	to[2] = (char)(0x80 | (c & 0x3f));
	return 3;
}

/* Characters of 1 byte, or of 2; beyond these, '?'. */
static size_t decode(const uint8_t *data, size_t size, unsigned width, char *to)
{
	size_t n = 0;

	for (size_t i = 0; i + width <= size; i += width) {
		uint32_t c = data[i];

		if (width == 2)
			c |= (uint32_t)data[i + 1] << 8;
		n += put_utf8(to + n, c >= 0xd800 && c < 0xe000 ? '?' : c);
	}
	return n;
}

static bool has_controls(const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (data[i] < ' ' || (data[i] >= 0x7f && data[i] < 0xa0))
			return true;
	return false;
}

/* 0: it is not a string, or an empty one. */
static flame_id read_string(struct fl_hotspot *h, uint64_t string)
{
	const struct fl_vm_names *n = &h->names;
	uint8_t header[24], bytes[MAX_NAME];
	char text[3 * MAX_NAME];
	uint64_t array = follow(h, string, n->value);
	size_t size;
	bool wide;

	if (!array || !fl_vm_read(h, string, header, sizeof(header)) ||
	    class_of(header, n->header) != n->string_class ||
	    !fl_vm_read(h, array, header, sizeof(header)) ||
	    class_of(header, n->header) != n->array_class)
		return 0;
	size = FL_MIN(array_length(header, n->header), sizeof(bytes) / 2);
	size *= n->wide ? 2 : 1;
	if (!size || !fl_vm_read(h, array + n->header, bytes, size))
		return 0;
	wide = n->wide || (size % 2 == 0 && has_controls(bytes, size));
	size = decode(bytes, size, wide ? 2 : 1, text);
	return flame_name(h->flame, text, size);
}

/* Threads ----------------------------------------------------------------- */

static pid_t number_of(const struct fl_hotspot *h, uint64_t thread)
{
	uint64_t at = fl_vm_word(h, thread + (uint64_t)h->layout.osthread);

	return at ? fl_vm_int(h, at + (uint64_t)h->layout.thread_id) : 0;
}

static bool add_thread(struct fl_hotspot *h, uint64_t at)
{
	pid_t tid = number_of(h, at);
	uint64_t *place;
	bool fresh;

	if (tid <= 0)
		return true;
	place = fl_map_put(&h->threads, (uint64_t)tid, &fresh);
	if (!place)
		return fl_no_memory(h->flame) == FLAME_OK;
	*place = at;
	return fresh;	/* a list that comes back has no end */
}

/* A list up to 11, an array since. */
static bool list_threads(struct fl_hotspot *h)
{
	const struct fl_vm_layout *l = &h->layout;
	bool linked = l->thread_list <= 0;
	uint64_t at = fl_vm_word(h, (uint64_t)(linked ? l->first_thread :
							l->thread_list));
	uint64_t data = linked || !at ? 0 :
			fl_vm_word(h, at + (uint64_t)l->list_data);
	int32_t n = linked ? MAX_THREADS : !data ? 0 :
		    fl_vm_int(h, at + (uint64_t)l->list_length);
	bool good = true;

	fl_map_clear(&h->threads);
	for (int32_t i = 0; good && i < FL_MIN(n, MAX_THREADS); i++) {
		if (!linked)
			at = fl_vm_word(h, data + 8 * (uint64_t)i);
		if (!at)
			break;
		good = add_thread(h, at);
		if (linked)
			at = fl_vm_word(h, at + (uint64_t)l->next_thread);
	}
	return good;
}

/* 0: it is not a thread of Java, or has ended. */
static uint64_t java_thread(struct fl_hotspot *h, pid_t tid)
{
	const uint64_t *at = fl_map_get(&h->threads, (uint64_t)tid);
	int64_t begin;

	if (at && number_of(h, *at) == tid)
		return *at;
	begin = fl_now();
	if (begin < h->next_list)
		return 0;
	list_threads(h);
	h->next_list = fl_now() + PAUSES * (fl_now() - begin);
	at = fl_map_get(&h->threads, (uint64_t)tid);
	return at ? *at : 0;
}

static bool has_layout(const struct fl_vm_layout *l)
{
	return ((l->thread_list > 0 && l->list_length >= 0 &&
		 l->list_data >= 0) ||
		(l->first_thread > 0 && l->next_thread >= 0)) &&
	       l->thread_object >= 0 && l->osthread >= 0 && l->thread_id >= 0;
}

flame_id fl_hotspot_thread_name(struct fl_hotspot *h, pid_t tid,
				struct slice comm)
{
	const struct fl_vm_layout *l = &h->layout;
	uint64_t thread, object, mounted;
	flame_id name = 0;

	if (!has_layout(l))
		return 0;
	thread = java_thread(h, tid);
	object = thread ? object_of(h, thread, l->thread_object) : 0;
	if (!object)
		return 0;
	if (!h->names.header) {
		if (comm.size < LEAST || comm.size > COMM_SIZE ||
		    !search(h, object, comm))
			return 0;
	}
	mounted = object_of(h, thread, l->virtual_thread);
	if (mounted && mounted != object)
		name = read_string(h, follow(h, mounted, h->names.name));
	return name ? name : read_string(h, follow(h, object, h->names.name));
}
