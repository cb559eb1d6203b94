/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses the index of YARN's IndexedFile for yarn.c: fl_yarn_read_index()
 * returns name, place and size of each file.  The index is an IndexedLogsMeta
 * as Java's serialization writes it.  Objects refer to earlier ones by their
 * numbers.  Every cycle of a rolling log lists all files anew, so that the last
 * entry of a name counts.
 */
#include "fl.h"

#include "container/yarn.h"

enum {
	TC_NULL = 0x70, TC_REFERENCE, TC_CLASSDESC, TC_OBJECT, TC_STRING,
	TC_ARRAY, TC_BLOCKDATA = 0x77, TC_ENDBLOCKDATA, TC_LONGSTRING = 0x7c,
	WRITE_METHOD = 1, SERIALIZABLE = 2,
	FIRST_HANDLE = 0x7e0000, HEAD_SIZE = 4,
	MAX_DEPTH = 32, MAX_FIELDS = 16
};

struct class {
	struct slice name;
	unsigned flags, nfields;
	size_t super;		/* SIZE_MAX: none */
	struct field {
		uint8_t type;
		struct slice name;
	} fields[MAX_FIELDS];
};

/* What a number stands for. */
struct handle {
	struct slice text;	/* of a string */
	size_t class;		/* of a class, else SIZE_MAX */
};

struct reader {
	const uint8_t *at, *end;
	struct class *classes;
	size_t nclasses, classes_capacity;
	struct handle *handles;
	size_t nhandles, handles_capacity;
	struct fl_yarn_index *index;
	struct fl_map *seen;	/* hash of container and name -> place + 1 */
	unsigned depth;
	bool bad;
};

static struct slice read_content(struct reader *r);

static bool need(struct reader *r, size_t n)
{
	r->bad = r->bad || (size_t)(r->end - r->at) < n;
	return !r->bad;
}

/* A number of n bytes, the highest first. */
static uint64_t read_number(struct reader *r, unsigned n)
{
	uint64_t value = 0;

	if (!need(r, n))
		return 0;
	while (n--)
		value = value << 8 | *r->at++;
	return value;
}

static struct slice read_text(struct reader *r, uint64_t n)
{
	struct slice text = { (const char *)r->at, (size_t)n };

	if (n > SIZE_MAX || !need(r, (size_t)n))
		return FL_SLICE("");
	r->at += n;
	return text;
}

static void add_handle(struct reader *r, struct slice text, size_t class)
{
	if (!fl_grow(&r->handles, &r->handles_capacity, r->nhandles + 1,
		     sizeof(*r->handles))) {
		r->bad = true;
		return;
	}
	r->handles[r->nhandles++] = (struct handle){ text, class };
}

static const struct handle *handle_of(struct reader *r)
{
	uint64_t n = read_number(r, 4);

	if (!r->bad && n >= FIRST_HANDLE && n - FIRST_HANDLE < r->nhandles)
		return &r->handles[n - FIRST_HANDLE];
	r->bad = true;
	return NULL;
}

static void skip_annotation(struct reader *r)
{
	while (!r->bad && need(r, 1) && *r->at != TC_ENDBLOCKDATA)
		read_content(r);
	read_number(r, 1);
}

/* The class of an object; SIZE_MAX: none. */
static size_t read_class(struct reader *r)
{
	struct class class = { .super = SIZE_MAX };
	unsigned tag = (unsigned)read_number(r, 1);
	const struct handle *handle;
	size_t at = r->nclasses;

	if (tag == TC_NULL)
		return SIZE_MAX;
	if (tag == TC_REFERENCE) {
		handle = handle_of(r);
		return handle ? handle->class : SIZE_MAX;
	}
	r->bad = r->bad || tag != TC_CLASSDESC || r->depth > MAX_DEPTH;
	class.name = read_text(r, read_number(r, 2));
	read_number(r, 8);
	if (!fl_grow(&r->classes, &r->classes_capacity, at + 1,
		     sizeof(class)))
		r->bad = true;
	if (r->bad)
		return SIZE_MAX;
	r->nclasses++;
	add_handle(r, FL_SLICE(""), at);
	class.flags = (unsigned)read_number(r, 1);
	class.nfields = (unsigned)read_number(r, 2);
	r->bad = r->bad || class.nfields > MAX_FIELDS;
	for (unsigned i = 0; !r->bad && i < class.nfields; i++) {
		class.fields[i].type = (uint8_t)read_number(r, 1);
		class.fields[i].name = read_text(r, read_number(r, 2));
		if (class.fields[i].type == 'L' || class.fields[i].type == '[')
			read_content(r);
	}
	skip_annotation(r);
	r->depth++;
	class.super = read_class(r);
	r->depth--;
	r->classes[at] = class;
	return at;
}

static unsigned size_of(uint8_t type)
{
	switch (type) {
	case 'B': case 'Z':
		return 1;
	case 'C': case 'S':
		return 2;
	case 'I': case 'F':
		return 4;
	case 'J': case 'D':
		return 8;
	default:
		return 0;
	}
}

static void add_file(struct reader *r, const struct fl_yarn_file *file)
{
	struct fl_yarn_index *index = r->index;
	uint64_t *place = fl_map_put(r->seen, fl_hash_pair(
		fl_hash(file->container.data, file->container.size),
		fl_hash(file->name.data, file->name.size)), NULL);

	if (!place) {
		r->bad = true;
	} else if (*place) {
		index->files[*place - 1] = *file;
	} else if (fl_grow(&index->files, &index->capacity, index->count + 1,
			   sizeof(*file))) {
		index->files[index->count++] = *file;
		*place = index->count;
	} else {
		r->bad = true;
	}
}

/* Fields of one class of an object. */
static void read_fields(struct reader *r, size_t at)
{
	struct class class = r->classes[at];
	struct fl_yarn_file file = { .start = 0 };
	const struct { const char *name; uint64_t *to; } numbers[] = {
		{ "fileCompressedSize", &file.stored },
		{ "fileSize", &file.size }, { "startIndex", &file.start },
	};
	bool is_file = fl_slice_ends(class.name, ".IndexedFileLogMeta") ||
		       fl_slice_ends(class.name, "$IndexedFileLogMeta");

	for (unsigned i = 0; !r->bad && i < class.nfields; i++) {
		const struct field *field = &class.fields[i];
		unsigned size = size_of(field->type);
		uint64_t number = size ? read_number(r, size) : 0;
		struct slice text = size ? FL_SLICE("") : read_content(r);

		for (size_t k = 0; k < FL_COUNT(numbers); k++)
			if (fl_slice_is(field->name, numbers[k].name))
				*numbers[k].to = number;
		if (fl_slice_is(field->name, "containerId"))
			file.container = text;
		else if (fl_slice_is(field->name, "fileName"))
			file.name = text;
		else if (fl_slice_is(field->name, "compressName"))
			r->index->packed = fl_slice_is(text, "gz");
	}
	if (is_file && !r->bad)
		add_file(r, &file);
}

/* Fields of the class's ancestors come first. */
static void read_object(struct reader *r)
{
	size_t class = read_class(r), chain[MAX_DEPTH], n = 0;

	add_handle(r, FL_SLICE(""), SIZE_MAX);
	for (; class != SIZE_MAX && n < MAX_DEPTH && !r->bad;
	     class = r->classes[class].super)
		chain[n++] = class;
	while (n-- && !r->bad) {
		unsigned flags = r->classes[chain[n]].flags;

		r->bad = !(flags & SERIALIZABLE);
		read_fields(r, chain[n]);
		if (flags & WRITE_METHOD)
			skip_annotation(r);
	}
}

static void read_array(struct reader *r)
{
	size_t class = read_class(r);
	struct slice name = class == SIZE_MAX || r->bad ? FL_SLICE("") :
			    r->classes[class].name;
	unsigned size = name.size > 1 ? size_of((uint8_t)name.data[1]) : 0;
	uint64_t n;

	add_handle(r, FL_SLICE(""), SIZE_MAX);
	n = read_number(r, 4);
	for (; n && !r->bad; n--)
		if (size)
			read_number(r, size);
		else
			read_content(r);
}

/* The text, if it is a string. */
static struct slice read_content(struct reader *r)
{
	unsigned tag = (unsigned)read_number(r, 1);
	struct slice text = FL_SLICE("");
	const struct handle *handle;

	if (r->depth++ > MAX_DEPTH)
		r->bad = true;
	if (r->bad)
		tag = 0;
	switch (tag) {
	case TC_NULL:
		break;
	case TC_REFERENCE:
		handle = handle_of(r);
		text = handle ? handle->text : text;
		break;
	case TC_CLASSDESC:
		r->at--;
		read_class(r);
		break;
	case TC_OBJECT:
		read_object(r);
		break;
	case TC_STRING:
	case TC_LONGSTRING:
		text = read_text(r, read_number(r, tag == TC_STRING ? 2 : 8));
		add_handle(r, text, SIZE_MAX);
		break;
	case TC_ARRAY:
		read_array(r);
		break;
	case TC_BLOCKDATA:
		read_text(r, read_number(r, 1));
		break;
	default:
		r->bad = true;
	}
	r->depth--;
	return text;
}

bool fl_yarn_read_index(struct fl_yarn_index *index, struct slice text)
{
	struct fl_map seen = { 0 };
	struct reader r = {
		.at = (const uint8_t *)text.data, .index = index,
		.end = (const uint8_t *)text.data + text.size, .seen = &seen,
	};

	r.bad = text.size < HEAD_SIZE ||
		memcmp(text.data, "\xac\xed\0\5", HEAD_SIZE) != 0;
	if (!r.bad)
		r.at += HEAD_SIZE;
	if (!r.bad)
		read_content(&r);
	fl_map_free(&seen);
	fl_free(r.classes);
	fl_free(r.handles);
	return !r.bad;
}
