/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fl_jitdump_symbols() reads the functions of a jitdump, which a virtual
 * machine writes of the code that it compiles (jitdump.h), into a table of
 * symbols, for names.c.
 */
#include "fl.h"

#include "native/jitdump.h"
#include "native/frame.h"

#include <stddef.h>

enum { CODE_LOAD = 0, CODE_MOVE = 1 };

struct record {
	uint32_t id, size;
	uint64_t time;
};

struct loaded {
	uint32_t pid, tid;
	uint64_t vma, address, size, index;
};

struct moved {
	uint32_t pid, tid;
	uint64_t vma, old, address, size, index;
};

bool fl_jitdump_is_path(struct slice path)
{
	struct slice name = fl_slice_base(path);
	size_t i = 4;

	if (!fl_slice_starts(name, "jit-") || !fl_slice_ends(name, ".dump"))
		return false;
	while (i < name.size && fl_is_digit(name.data[i]))
		i++;
	return i > 4 && i + 5 == name.size;
}

/* "f" of a record: its name ends in NUL, and its code follows. */
static bool add_loaded(struct fl_symbols *symbols, const char *at, size_t size)
{
	struct loaded code;

	if (size < sizeof(code))
		return true;
	memcpy(&code, at, sizeof(code));
	at += sizeof(code);
	if (!memchr(at, '\0', size - sizeof(code)) || !*at || !code.size ||
	    code.address == UINT64_MAX)
		return true;
	return fl_symbols_append(symbols, code.address, code.size, at);
}

static bool add_moved(struct fl_symbols *symbols, const char *at, size_t size)
{
	struct moved code;

	if (size < sizeof(code))
		return true;
	memcpy(&code, at, sizeof(code));
	for (size_t i = symbols->count; i--;)
		if (symbols->data[i].start == code.old)
			return !code.size || code.address == UINT64_MAX ||
			       fl_symbols_append(symbols, code.address,
						 code.size,
						 symbols->data[i].name);
	return true;
}

bool fl_jitdump_symbols(struct fl_symbols *symbols, char *text, size_t size)
{
	/* "JiTD" as this machine has it; its header's size stands at 8. */
	static const uint32_t magic = 0x4a695444;
	struct record record;
	uint32_t head[3];
	bool good = true;
	size_t moves = 0;

	symbols->text[0] = text;
	if (size < 40)
		return true;
	memcpy(head, text, sizeof(head));
	if (head[0] != magic || head[2] < 40 || head[2] > size)
		return true;
	for (size_t at = head[2]; good && size - at >= sizeof(record);
	     at += record.size) {
		memcpy(&record, text + at, sizeof(record));
		if (record.size < sizeof(record) || record.size > size - at)
			break;
		if (record.id == CODE_LOAD)
			good = add_loaded(symbols, text + at + sizeof(record),
					  record.size - sizeof(record));
		/* Each looks at all that were loaded. */
		else if (record.id == CODE_MOVE && moves++ < 4096)
			good = add_moved(symbols, text + at + sizeof(record),
					 record.size - sizeof(record));
	}
	fl_symbols_replace(symbols);
	return good;
}
